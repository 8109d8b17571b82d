"""Many threads at once: first use, results, the lock of the interpreter, callbacks, fork."""

from __future__ import annotations

import json
import re
import sysconfig
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.compilers import c_compiler, c_library
from tests.conftest import Program
from tests.conftest import Run as RunCode

ROOT = Path(__file__).parents[2]

Run = Callable[..., Any]


@pytest.fixture(params=["api", "abi"])
def child(
    request: pytest.FixtureRequest, program: Program, cudnn_library: Path
) -> Callable[[str], Any]:
    def call(name: str) -> Any:
        done = program("threads", cudnn_library, name, CUDNN_CFFI_MODE=request.param)
        return json.loads(done.stdout.splitlines()[-1])

    return call


def test_the_first_call_may_come_from_all_threads_at_once(child: Callable[[str], Any]) -> None:
    answers = child("the_first_call_may_come_from_all_threads_at_once")
    assert len(set(answers)) == 1
    assert isinstance(answers[0], int)


def test_the_package_may_be_imported_by_all_threads_at_once(child: Callable[[str], Any]) -> None:
    answers = child("the_package_may_be_imported_by_all_threads_at_once")
    assert answers == [0] * 16


def test_records_are_decoded_by_all_threads_at_once(program: Program) -> None:
    """The first decoding of a type is not safe in msgspec 0.22: it ended the process."""
    assert program("decoding").stdout == "800\n"


def test_only_one_function_decodes_types() -> None:
    direct = re.compile(r"msgspec\.(json|msgpack|toml)\.decode\([^)]*type=|msgspec\.convert\(")
    files = [path for part in ("overlay", "generator") for path in (ROOT / part).rglob("*.py")]
    assert [str(path) for path in files if direct.search(path.read_text("utf-8"))] == []


def test_all_threads_see_the_same_enum_class_and_members(child: Callable[[str], Any]) -> None:
    answers = child("all_threads_see_the_same_enum_class_and_members")
    assert answers == [1, 1]


def test_results_of_threads_do_not_mix(child: Callable[[str], Any]) -> None:
    wrong = child("results_of_threads_do_not_mix")
    assert wrong == [0] * 16


def test_each_thread_has_its_own_last_error(child: Callable[[str], Any]) -> None:
    answers = child("each_thread_has_its_own_last_error")
    assert answers == [""] * 16


def test_an_object_is_destroyed_once_even_if_all_threads_close_it(
    child: Callable[[str], Any],
) -> None:
    destroyed = child("an_object_is_destroyed_once_even_if_all_threads_close_it")
    assert destroyed == [50, True]


def test_a_fork_without_handles_is_safe(child: Callable[[str], Any]) -> None:
    answers = child("a_fork_without_handles_is_safe")
    assert answers == "0"


def test_the_same_plan_and_operations_are_called_by_all_threads(
    program: Program, cudnn_library: Path
) -> None:
    c_compiler()
    done = program("many_calls", cudnn_library, "100", CUDNN_CFFI_MODE="api")
    errors, count, expected = json.loads(done.stdout)
    assert (errors, count) == ([], expected)


@pytest.mark.skipif(
    not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="this Python has its lock"
)
def test_python_that_has_no_lock_gets_none(run: RunCode, cudnn_library: Path) -> None:
    """As it would get one by importing a module that relies on it."""
    code = """
        import sys
        import cudnn_cffi
        cudnn_cffi.TensorDescriptor.packed((8, 64, 56, 56), "float32")
        print(sys._is_gil_enabled())
    """
    assert run(code, cudnn_library).stdout == "False\n"


MEETING_LIBRARY = """
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

static atomic_int inside;

size_t cudnnGetVersion(void) { return %d; }

size_t cudnnGetMaxDeviceVersion(void)
{
    int turns;
    ++inside;
    for (turns = 0; inside < 4 && turns < 20000; ++turns) usleep(1000);
    return inside;
}
"""


@pytest.fixture(scope="session")
def meeting_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library with a function in which four threads wait for each other."""
    from cudnn_cffi._index import RELEASES
    from cudnn_cffi.api.model import version_number

    folder = tmp_path_factory.mktemp("meeting")
    # The core part has to lie beside the library.
    c_library(folder / "libcudnn_graph.so.9", "int nothing;\n")
    text, name = MEETING_LIBRARY % version_number(list(RELEASES)[-1]), "libcudnn.so.9"
    return c_library(folder / name, text, f"-Wl,-soname,{name}")


@pytest.mark.parametrize("mode", ["api", "abi"])
def test_other_threads_run_during_a_call(
    mode: str, program: Program, meeting_library: Path
) -> None:
    done = program(
        "threads",
        meeting_library,
        "other_threads_run_during_a_call",
        CUDNN_CFFI_MODE=mode,
    )
    assert json.loads(done.stdout.splitlines()[-1]) == [4] * 4
