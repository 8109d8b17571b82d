"""What type checkers and editors see: right programs pass, wrong ones do not, signatures are true."""

from __future__ import annotations

import inspect
import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import cudnn_cffi
import pytest
from cudnn_cffi import _resolve
from cudnn_cffi._index import CALLS
from cudnn_cffi._specs import SPECS
from cudnn_cffi.api.model import Function, Parameter, Store

RIGHT = """
from __future__ import annotations

import cudnn_cffi as cudnn
import cudnn_cffi.v9_28_0 as pinned
from cudnn_cffi import DataType, TensorDescriptor


def shape(x: TensorDescriptor) -> tuple[int, int]:
    got = x.get_4d()
    kind: DataType = got.dataType
    return got.n, got.wStride if kind == DataType.HALF else 0


def make() -> cudnn.FilterDescriptor:
    x = cudnn.TensorDescriptor()
    x.set_4d(cudnn.TensorFormat.NCHW, cudnn.CUDNN_DATA_FLOAT, 8, 3, 32, 32)
    cudnn.cudnnSetTensor4dDescriptor(x, cudnn.TensorFormat.NHWC, DataType.FLOAT, 1, 2, 3, 4)
    address: int = cudnn.cudnnCreateTensorDescriptor()
    cudnn.cudnnSetTensor4dDescriptor(address, cudnn.CUDNN_TENSOR_NCHW, DataType(0), 1, 2, 3, 4)
    version: int = cudnn.cudnnGetVersion()
    text: str = cudnn.cudnnGetErrorString(cudnn.Status.SUCCESS)
    extents: tuple[int, ...] = cudnn.cudnnGetTensorNdDescriptor(x, 8).dimA
    print(version, text, extents, cudnn.has("cudnnCreate"), cudnn.__version__)
    with cudnn.TensorDescriptor() as y, cudnn.log("INFO") as logger:
        logger.info("%s", shape(y))
    try:
        cudnn.load("/nowhere")
    except cudnn.CudnnError as error:
        print(error.status, error.function, error.hint)
    print(pinned.cudnnGetVersion(), pinned.DataType.FLOAT, pinned.CUDNN_DATA_FLOAT)
    return cudnn.FilterDescriptor()
"""

#: Each line that says so must be refused, and no other.
WRONG = """
import cudnn_cffi as cudnn
import cudnn_cffi.v8_9_7 as pinned

x = cudnn.TensorDescriptor()
f = cudnn.FilterDescriptor()
NCHW, FLOAT = cudnn.TensorFormat.NCHW, cudnn.DataType.FLOAT
cudnn.cudnnSetTensor4dDescriptor(f, NCHW, FLOAT, 1, 2, 3, 4)  # refused: another descriptor
cudnn.cudnnSetTensor4dDescriptor(x, NCHW, FLOAT, "1", 2, 3, 4)  # refused: text
cudnn.cudnnSetTensor4dDescriptor(x, NCHW, FLOAT, 1, 2, 3)  # refused: one is missing
cudnn.cudnnSetTensor4dDescriptor(x, FLOAT, NCHW, 1, 2, 3, 4)  # refused: the wrong way round
x.set_4d(FLOAT, FLOAT, 1, 2, 3, 4)  # refused: another enum
print(cudnn.DataType.FLAOT)  # refused: no such member
s: str = x.get_4d().n  # refused: it is an int
cudnn.cudnnGetTensor4dDescriptr(x)  # refused: no such function
x.set_5d(1)  # refused: no such method
print(pinned.cudnnGnnMhaGatForward)  # refused: 8.9.7 does not have it
print(pinned.cudnnSetRNNDescriptor_v6)
"""


def refused_lines() -> set[int]:
    lines = WRONG.splitlines()
    return {number for number, line in enumerate(lines, 1) if "# refused" in line}


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both halves of the package in one folder, as a wheel has them."""
    folder = tmp_path_factory.mktemp("site")
    for half in cudnn_cffi.__path__:
        shutil.copytree(
            half,
            folder / "cudnn_cffi",
            dirs_exist_ok=True,
            ignore=shutil.ignore_patterns("__pycache__", "*.json", "*.so"),
        )
    return folder


def programs(folder: Path) -> list[str]:
    (folder / "right.py").write_text(RIGHT)
    (folder / "wrong.py").write_text(WRONG)
    return ["right.py", "wrong.py"]


@pytest.mark.parametrize("halves", ["together", "apart"])
def test_mypy_strict_takes_what_is_right_and_refuses_what_is_wrong(
    halves: str, installed: Path, tmp_path: Path
) -> None:
    pytest.importorskip("mypy")
    paths = [str(installed)] if halves == "together" else list(cudnn_cffi.__path__)
    if halves == "apart":
        if len(paths) == 1:
            pytest.skip("the package is installed whole")
        paths = [str(Path(path).parent) for path in paths]
    (tmp_path / "mypy.ini").write_text(
        "[mypy]\nstrict = True\nnamespace_packages = True\nexplicit_package_bases = True\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--no-error-summary", *programs(tmp_path)],
        cwd=tmp_path,
        env=os.environ | {"MYPYPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
    )
    told = re.findall(r"^(\w+\.py):(\d+): error: (.*)", done.stdout, re.MULTILINE)
    assert [line for line in told if line[0] == "right.py"] == []
    assert {int(number) for name, number, _ in told if name == "wrong.py"} == refused_lines()
    of_ours = re.findall(r"^.*cudnn_cffi.*: error: .*", done.stdout, re.MULTILINE)
    # Modules in C without stubs are named only where the package is not in site-packages.
    assert [line for line in of_ours if "[import-" not in line] == []


@pytest.mark.network
def test_pyright_strict_takes_what_is_right_and_refuses_what_is_wrong(
    installed: Path, tmp_path: Path
) -> None:
    pytest.importorskip("pyright")
    settings = {
        "include": programs(tmp_path),
        "extraPaths": [str(installed)],
        "typeCheckingMode": "strict",
    }
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    done = subprocess.run(
        [sys.executable, "-m", "pyright", "--outputjson", "-p", str(tmp_path)],
        capture_output=True,
        text=True,
    )
    if not done.stdout.startswith("{"):
        pytest.skip(f"pyright cannot run here: {done.stderr[-300:]}")
    found = [
        (Path(each["file"]).name, each["range"]["start"]["line"] + 1, each["message"])
        for each in json.loads(done.stdout)["generalDiagnostics"]
        if each["severity"] == "error"
    ]
    assert [each for each in found if each[0] == "right.py"] == []
    assert {line for name, line, _ in found if name == "wrong.py"} == refused_lines()


def test_the_front_door_has_the_same_names_for_type_checkers() -> None:
    stub = Path(cudnn_cffi.__path__[0], "_own.pyi").read_text()
    pairs = re.findall(r"^from \.(\w+) import \w+ as (\w+)$", stub, re.MULTILINE)
    assert {name: module for module, name in pairs} == _resolve.OVERLAY


def wrapper(name: str) -> Callable[..., object]:
    module = __import__(f"cudnn_cffi.calls.{CALLS[name]}", fromlist=[name])
    found: Callable[..., object] = getattr(module, name)
    return found


def functions() -> dict[str, Function]:
    """The newest form of every function that any release has."""
    folder = next(Path(half, "api") for half in cudnn_cffi.__path__ if Path(half, "api").is_dir())
    if not (folder / "releases.json").exists():
        folder = Path(cudnn_cffi.__path__[-1], "api")
    found: dict[str, Function] = {}
    for api in Store(folder).apis():
        found.update((function.name, function) for function in api.functions)
    return found


def is_given(parameter: Parameter) -> bool:
    """Whether the caller has to give it; all others come back."""
    if parameter.kind == "tag":
        return False
    if parameter.direction != "out" or not any(mark in parameter.type for mark in "*["):
        return True
    lent = parameter.kind in ("device", "workspace", "reserve", "buffer")
    on_device = parameter.kind == "array" and parameter.memory == "device"
    return (lent or on_device) and "**" not in parameter.type


def test_every_signature_has_the_parameters_that_the_model_says() -> None:
    checked = 0
    for name, function in functions().items():
        if name not in CALLS:
            continue
        wanted = [parameter.name for parameter in function.parameters if is_given(parameter)]
        shown = inspect.signature(wrapper(name)).parameters
        # A name that Python keeps for itself has an underscore.
        assert [each.rstrip("_") for each in shown] == [each.rstrip("_") for each in wanted], name
        checked += 1
    assert checked > 290


def test_every_signature_agrees_with_what_the_runtime_converts() -> None:
    for name, (_, _, _, _, parameters, *_) in SPECS.items():
        shown = inspect.signature(wrapper(name)).parameters
        assert list(shown) == [parameter[0] for parameter in parameters]
        assert all(each.kind is each.POSITIONAL_OR_KEYWORD for each in shown.values())


def test_a_signature_reads_as_in_an_editor() -> None:
    from cudnn_cffi.calls.ops import cudnnGetTensor4dDescriptor, cudnnSetTensor4dDescriptor

    assert str(inspect.signature(cudnnSetTensor4dDescriptor)) == textwrap.dedent(
        """
        (tensorDesc: 'TensorDescriptor | int', format: 'TensorFormat', dataType: 'DataType',
         n: 'int', c: 'int', h: 'int', w: 'int') -> 'None'
        """
    ).strip().replace("\n", "")
    result = inspect.signature(cudnnGetTensor4dDescriptor).return_annotation
    assert result == "GetTensor4dDescriptorResult"
