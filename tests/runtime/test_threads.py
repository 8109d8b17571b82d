"""Many threads at once: first use, results, the lock of the interpreter, callbacks, fork."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]

TOGETHER = """
import json, os, sys, threading, time

sys.setswitchinterval(1e-5)

def together(work, count=16):
    barrier = threading.Barrier(count)
    answers = []
    def run(i):
        barrier.wait()
        try:
            answers.append(work(i))
        except BaseException as error:
            answers.append(f"{type(error).__name__}: {error}")
    threads = [threading.Thread(target=run, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers
"""


@pytest.fixture(params=["api", "abi"])
def child(request: pytest.FixtureRequest, run: Run, cudnn_library: Path) -> Callable[[str], Any]:
    def call(code: str) -> Any:
        done = run(TOGETHER + code, cudnn_library, CUDNN_CFFI_MODE=request.param)
        return json.loads(done.stdout.splitlines()[-1])

    return call


def test_the_first_call_may_come_from_all_threads_at_once(child: Callable[[str], Any]) -> None:
    answers = child("""
import cudnn_cffi as cudnn
print(json.dumps(together(lambda i: cudnn.cudnnGetVersion())))
""")
    assert len(set(answers)) == 1
    assert isinstance(answers[0], int)


def test_the_package_may_be_imported_by_all_threads_at_once(child: Callable[[str], Any]) -> None:
    answers = child("""
def first(i):
    import cudnn_cffi
    return cudnn_cffi.TensorDescriptor().get_4d().n
print(json.dumps(together(first)))
""")
    assert answers == [0] * 16


def test_all_threads_see_the_same_enum_class_and_members(child: Callable[[str], Any]) -> None:
    answers = child("""
import cudnn_cffi as cudnn
names = ["DataType", "cudnnDataType_t", "Status", "BackendAttributeName", "Debug"]
seen = together(lambda i: [id(getattr(cudnn, name)) for name in names[i % 2:]][-2:])
members = together(lambda i: id(cudnn.DataType(12345)))
print(json.dumps([len({tuple(each) for each in seen}), len(set(members))]))
""")
    assert answers == [1, 1]


def test_results_of_threads_do_not_mix(child: Callable[[str], Any]) -> None:
    wrong = child("""
import cudnn_cffi as cudnn
def work(i):
    x = cudnn.TensorDescriptor()
    wrong = 0
    for turn in range(300):
        want = (1 + i, 2 + turn, 3 + i, 4)
        x.set_4d(cudnn.TensorFormat.NCHW, cudnn.DataType.FLOAT, *want)
        got = x.get_4d()
        wrong += tuple(got)[1:5] != want
        wrong += cudnn.cudnnGetTensorSizeInBytes(x) != 4 * want[0] * want[1] * want[2] * want[3]
    return wrong
print(json.dumps(together(work)))
""")
    assert wrong == [0] * 16


def test_each_thread_has_its_own_last_error(child: Callable[[str], Any]) -> None:
    answers = child("""
import cudnn_cffi as cudnn
def work(i):
    x = cudnn.TensorDescriptor()
    f = cudnn.FilterDescriptor()
    for turn in range(50):
        try:
            if i % 2:
                x.set_4d(0, 0, -1, 1, 1, 1)
            else:
                f.set_4d(0, 0, 1, -1, 1, 1)
        except cudnn.CudnnError as error:
            if error.function != ("cudnnSetTensor4dDescriptor", "cudnnSetFilter4dDescriptor")[
                not i % 2
            ] or ("n <= 0" in error.text) != bool(i % 2):
                return str(error)
    return ""
print(json.dumps(together(work)))
""")
    assert answers == [""] * 16


def test_an_object_is_destroyed_once_even_if_all_threads_close_it(
    child: Callable[[str], Any],
) -> None:
    destroyed = child("""
import cudnn_cffi as cudnn
from cudnn_cffi.families import TensorDescriptor
count = []
real = TensorDescriptor._destroy
TensorDescriptor._destroy = staticmethod(lambda address: (count.append(address), real(address)))
for _ in range(50):
    x = TensorDescriptor()
    together(lambda i: x.close(), 4)
print(json.dumps([len(count), len(count) == 50]))
""")
    assert destroyed == [50, True]


def test_a_fork_without_handles_is_safe(child: Callable[[str], Any]) -> None:
    answers = child("""
import cudnn_cffi as cudnn
cudnn.cudnnGetVersion()
reader, writer = os.pipe()
pid = os.fork()
if not pid:
    os.write(writer, str(cudnn.TensorDescriptor().get_4d().n).encode())
    os._exit(0)
os.waitpid(pid, 0)
print(json.dumps(os.read(reader, 100).decode()))
""")
    assert answers == "0"


SLOW_LIBRARY = """
#include <stddef.h>
#include <unistd.h>

size_t cudnnGetVersion(void) { return %d; }
size_t cudnnGetCudartVersion(void) { usleep(300000); return 0; }
"""


@pytest.fixture(scope="session")
def slow_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library with a function that takes 300 ms."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler")
    from cudnn_cffi._index import RELEASES
    from cudnn_cffi.api.model import version_number

    folder = tmp_path_factory.mktemp("slow")
    source = folder / "slow.c"
    source.write_text(SLOW_LIBRARY % version_number(list(RELEASES)[-1]))
    made = folder / "libcudnn.so.9"
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-Wl,-soname,libcudnn.so.9", source, "-o", made], check=True
    )
    # The core part has to lie beside the library.
    empty = folder / "empty.c"
    empty.write_text("int nothing;\n")
    for part in ("libcudnn_graph.so.9",):
        subprocess.run([compiler, "-shared", "-fPIC", empty, "-o", folder / part], check=True)
    return made


@pytest.mark.parametrize("mode", ["api", "abi"])
def test_other_threads_run_during_a_call(mode: str, run: Run, slow_library: Path) -> None:
    done = run(
        TOGETHER
        + """
import warnings
warnings.simplefilter("ignore")
import cudnn_cffi as cudnn
cudnn.cudnnGetVersion()
start = time.perf_counter()
together(lambda i: cudnn.cudnnGetCudartVersion(), 4)
print(json.dumps(time.perf_counter() - start))
""",
        slow_library,
        CUDNN_CFFI_MODE=mode,
    )
    # One after the other they would take 1.2 s.
    assert 0.3 <= json.loads(done.stdout.splitlines()[-1]) < 0.9
