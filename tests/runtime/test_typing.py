"""The view of type checkers and editors: right programs pass, wrong ones do not, signatures are
true."""

from __future__ import annotations

import inspect
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
import venv
from collections.abc import Callable
from pathlib import Path

import cudnn_cffi
import pytest
from cudnn_cffi._front import resolve as _resolve
from cudnn_cffi._index import CALLS, RELEASES
from cudnn_cffi._specs import SPECS
from cudnn_cffi._tables import elsewhere
from cudnn_cffi.api.inputs.store import Store
from cudnn_cffi.api.model import Function, Parameter

from tests.runtime.language_server import LanguageServer
from tests.typing.public_names import public_names

ROOT = Path(__file__).parents[2]

RIGHT = """
from __future__ import annotations

from typing import Any

import cudnn_cffi as cudnn
import cudnn_cffi.v9_28_0 as pinned
from cudnn_cffi import DataType, TensorDescriptor, ops
from cudnn_cffi.torch import convert
from cudnn_cffi.torch import functional as F
from cudnn_cffi.graph import EngineHeurDescriptor, OperationGraphDescriptor, Tensor
from cudnn_cffi.graph import OperationPointwiseDescriptor, PointwiseDescriptor, VariantPackDescriptor


def relu(x: cudnn.graph.TensorDescriptor) -> tuple[int, ...]:
    mode = PointwiseDescriptor(mode="RELU_FWD", math_prec=DataType.FLOAT, relu_upper_clip=6)
    op = OperationPointwiseDescriptor(pw_descriptor=mode, xdesc=x, ydesc=x, alpha1=1.0)
    graph = pinned.graph.OperationGraphDescriptor(ops=[op])
    same: OperationGraphDescriptor = graph
    found = EngineHeurDescriptor.open(operation_graph=same).set(mode=cudnn.BackendHeurMode.MODE_A)
    found.finalize()
    indices: list[int] = [config.engine.global_index for config in found.results]
    pack = VariantPackDescriptor(unique_ids=indices, data_pointers=[0, None])
    kind: DataType = x.data_type
    names: list[str] = [each.name for each in type(x).attributes() if each.many]
    offset: cudnn.graph.TensorDescriptor | None = x.ragged_offset_desc
    print(pack.unique_ids, kind, names, offset, x.finalized, PointwiseDescriptor.available())
    return x.dimensions


def attention(g: cudnn.Graph, q: Tensor, k: Tensor, v: Tensor) -> cudnn.Plan:
    o: Tensor = g.attention(q, k, v, causal=True, scale=0.5)
    both: tuple[Tensor, ...] = g.attention(q, k, v, stats=True)
    g.output(o, name="o")
    knobs: list[dict[str, int]] = [each.knobs for each in g.candidates(device="H200")]
    times: list[float] = [each.median for each in g.autotune(seconds=1.0, cold=True)]
    print(both[1].shape, g.candidates(every_engine=True)[0].workspace, knobs, times)
    return g.build(device="H200", deterministic=True, workspace_limit=1 << 20)


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
    made: cudnn.TensorDescriptor = pinned.TensorDescriptor.packed((1, 2))
    images = cudnn.DeviceArray.zeros((1, 2, 3, 4))
    same: cudnn.TensorDescriptor = cudnn.cudnnTensorDescriptor_t.like(images)
    kind: DataType = same.dtype
    options = pinned.RNNDescriptor.lstm(1, 2, bidirectional=True, dtype=kind)
    mode: cudnn.RNNMode = options.cell
    conv = pinned.ConvolutionDescriptor.cross_correlation(padding=1)
    steps: tuple[int, ...] = conv.stride + conv.dilation
    groups: int = conv.groups
    compute: DataType = conv.compute
    print(made, steps, groups, compute)
    pooled = cudnn.PoolingDescriptor.max(2)(conv(images, images))
    print(mode, pooled.shape, pooled.to_numpy().dtype, conv(images, images, out=images).ndim)
    try:
        pooled.close()
    except (cudnn.BadParamError, cudnn.errors.ArgumentError) as error:
        print(error.hint)
    return cudnn.FilterDescriptor()


def recorded(x: Any) -> list[str]:
    with ops.record() as log:
        ops.convolution(x, x, None, padding="same", activation="relu", alpha2=0.5)
        ops.max_pool(x, 2, deterministic=True, choose="time", out=None)
        F.conv2d(x, x, None, 1, "same")  # pyright: ignore[reportUnknownMemberType] without PyTorch
        F.conv_transpose3d(x, x, output_padding=(1,))  # pyright: ignore[reportUnknownMemberType]
    convert(x, exclude=lambda name, _: name.startswith("first"))
    convert(x, exclude=["layer1.*", int])
    return [each.operation for each in log]
"""

#: Each line that says so must be refused, and no other.
WRONG = """
import cudnn_cffi as cudnn
import cudnn_cffi.v8_9_7 as pinned
from cudnn_cffi import ops
from cudnn_cffi.torch import functional as F

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
print(cudnn.cudnnSetRNNDescriptor_v6)  # removed in 9.0.0
print(cudnn.RNNDescriptor().set_v6)  # removed in 9.0.0
cudnn.RNNDescriptor.lstm(1, 2, birectional=True)  # refused: misspelt
cudnn.DeviceArray.zeros((1, 2), layuot="NHWC")  # refused: misspelt
cudnn.benchmrk = True  # refused: no such setting
window: str = cudnn.PoolingDescriptor.max(2).window  # refused: it is a tuple
t = cudnn.graph.TensorDescriptor(data_type=FLOAT, unique_id=1)
cudnn.graph.TensorDescriptor(data_typ=FLOAT)  # refused: misspelt
cudnn.graph.TensorDescriptor(data_type=NCHW)  # refused: another enum
cudnn.graph.TensorDescriptor(dimensions=1)  # refused: not a sequence
cudnn.graph.OperationGraphDescriptor(ops=[t])  # refused: no operation
cudnn.graph.EngineHeurDescriptor(results=[])  # refused: read only
name: str = t.dimensions  # refused: a tuple of ints
print(cudnn.graph.TensrDescriptor)  # refused: no such class
g = cudnn.Graph()
g.build(determinstic=True)  # refused: misspelt
g.candidates(deterministic="yes")  # refused: a bool
g.relu(None)  # refused: no tensor
h: str = g.attention(g.tensor((1, 2, 3, 4)), g.scalar(1), g.scalar(2))  # refused: a tensor
g.layer_norm(g.tensor((3,)), g.scalar(1)).z  # refused: no such result
cudnn.ConvolutionDescriptor.convolution().groups = 2  # refused: it is read from cuDNN
F.conv1d(x, x, pading=1)  # refused: misspelt
ops.convolution(x, x, pading=1)  # refused: misspelt
ops.max_pool(x, windw=2)  # refused: misspelt
ops.relu(x, betta=0.5)  # refused: misspelt
ops.fill(x, 1.0, out=x)  # refused: it works in place
with ops.record() as log:
    print([each.operaton for each in log])  # refused: misspelt
"""


def _lines(mark: str) -> set[int]:
    return {number for number, line in enumerate(WRONG.splitlines(), 1) if f"# {mark}" in line}


def refused_lines() -> set[int]:
    return _lines("refused")


def removed_lines() -> set[int]:
    """Names that are marked as deprecated: an error for pyright, not for mypy."""
    return _lines("removed")


#: Imports of the examples where they are installed; their types are their own affair.
FRAMEWORKS = ("jax", "torch", "torchvision", "cupy", "pycuda")

STUB = "from typing import Any\ndef __getattr__(name: str) -> Any: ...\n"
MODULE = """
class LSTM:
    def __init__(self, *args: Any, **options: Any) -> None: ...
    def __call__(self, *args: Any) -> Any: ...
    def __getattr__(self, name: str) -> Any: ...
"""


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python that has the wheel, and what there is here of other packages."""
    pytest.importorskip("hatchling")
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder, symlinks=True, with_pip=False)
    python = folder / "bin" / "python"
    asked = "import sysconfig; print(sysconfig.get_path('purelib'))"
    site = Path(subprocess.check_output([python, "-c", asked], text=True).strip())
    build = [sys.executable, "-m", "pip", "install", "--no-index", "--no-deps", "--no-compile"]
    build += ["--quiet", "--no-build-isolation", "--target", str(site), str(ROOT)]
    subprocess.run(build, env=os.environ | {"CUDNN_CFFI_BUILD": "skip"}, check=True)
    (others := folder / "others").mkdir()
    for path in itertools.chain(*(Path(p).glob("*") for p in sys.path if p.endswith("-packages"))):
        link = others / path.name
        # Type checkers find modules of those that the stubs do not have.
        if path.name.split("-")[0] not in FRAMEWORKS and not link.is_symlink():
            link.symlink_to(path)
    (site / "others.pth").write_text(str(others))
    for name in FRAMEWORKS:
        (site / f"{name}-stubs").mkdir()
        stub = site / f"{name}-stubs" / "__init__.pyi"
        stub.write_text(STUB)
    shutil.copy(stub, stub.with_name("autoinit.pyi"))
    (site / "jax-stubs" / "numpy.pyi").write_text(STUB)
    # Signatures of the package name tensors; its modules derive from PyTorch's, with arguments.
    tensor = "class Tensor(Any): ...\n"
    (site / "torch-stubs" / "__init__.pyi").write_text(f"from . import nn as nn\n{STUB}{tensor}")
    (site / "torch-stubs" / "nn.pyi").write_text(f"{STUB}{MODULE}")
    return python


def is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def programs(folder: Path) -> list[str]:
    (folder / "right.py").write_text(RIGHT)
    (folder / "wrong.py").write_text(WRONG)
    snippets = re.findall(r"^```python\n(.*?)^```", (ROOT / "README.md").read_text(), re.M | re.S)
    assert snippets
    of_readme = [f"readme_{index}.py" for index in range(len(snippets))]
    for name, snippet in zip(of_readme, snippets, strict=True):
        (folder / name).write_text(snippet)
    examples = sorted((ROOT / "examples").glob("*.py"))
    assert examples
    for example in examples:
        shutil.copy(example, folder)
    return ["right.py", "wrong.py", *of_readme, *(e.name for e in examples)]


def refused_by_mypy(done: subprocess.CompletedProcess[str]) -> set[tuple[str, int]]:
    """Where the programs have errors; those of the package itself end the test."""
    told = re.findall(r"^(\S+?):(\d+): error: (.*)", done.stdout, re.MULTILINE)
    of_ours = [line for line in told if "cudnn_cffi" in line[0]]
    # Modules in C without stubs are named only where the package is not in site-packages.
    assert [line for line in of_ours if "[import-" not in line[2]] == [], done.stdout
    return {(name, int(number)) for name, number, _ in told if "cudnn_cffi" not in name}


def test_mypy_strict_takes_what_is_right_and_refuses_what_is_wrong(
    installed: Path, tmp_path: Path
) -> None:
    pytest.importorskip("mypy")
    options = ["--strict", "--no-error-summary", f"--python-executable={installed}"]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, *programs(tmp_path)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert refused_by_mypy(done) == {("wrong.py", line) for line in refused_lines()}, done.stdout


@pytest.mark.slow
def test_mypy_strict_sees_the_same_in_a_checkout(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    paths = [str(Path(path).parent) for path in cudnn_cffi.__path__]
    if len(paths) == 1:
        pytest.skip("the package is installed whole")
    (tmp_path / "mypy.ini").write_text(
        "[mypy]\nstrict = True\nnamespace_packages = True\nexplicit_package_bases = True\n"
        "warn_return_any = False\n"  # as pyproject.toml has it for the package's own code
    )
    programs(tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--no-error-summary", "right.py", "wrong.py"],
        cwd=tmp_path,
        env=os.environ | {"MYPYPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
    )
    assert refused_by_mypy(done) == {("wrong.py", line) for line in refused_lines()}, done.stdout


def test_pyright_strict_takes_what_is_right_and_refuses_what_is_wrong(
    installed: Path, tmp_path: Path
) -> None:
    pytest.importorskip("pyright")
    settings = {"include": programs(tmp_path), "typeCheckingMode": "strict"}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    options = ["--outputjson", "--pythonpath", str(installed), "-p", str(tmp_path)]
    done = subprocess.run(
        [sys.executable, "-m", "pyright", *options],
        capture_output=True,
        text=True,
    )
    assert done.stdout.startswith("{"), f"pyright cannot run here: {done.stderr[-300:]}"
    answer = json.loads(done.stdout)
    assert answer["summary"]["filesAnalyzed"] == len(settings["include"])
    found = {
        (Path(each["file"]).name, each["range"]["start"]["line"] + 1, each["message"])
        for each in answer["generalDiagnostics"]
        if each["severity"] == "error"
    }
    others = [each for each in found if each[0] != "wrong.py"]
    assert not others, "\n".join(map(str, others))
    assert {line for _, line, _ in found} == refused_lines() | removed_lines()


def test_an_editor_offers_the_public_names_and_no_others(installed: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyright")
    newest = list(RELEASES)[-1]
    # The list of `dir` before a library is loaded, which this process may have done.
    offered_at_run_time = (
        _resolve.OURS
        | _resolve.names(newest)
        | {*vars(cudnn_cffi)["_SUBMODULES"], *vars(cudnn_cffi)["_SETTINGS"]}
    )
    with LanguageServer(tmp_path, installed) as server:

        def offered(text: str) -> set[str]:
            return {name for name in server.completions(text) if not is_special(name)}

        names = offered("import cudnn_cffi as cudnn\ncudnn.")
        assert offered_at_run_time - names == set()
        others = names - offered_at_run_time
        assert all("removed in" in elsewhere(name, newest) for name in others), others
        pinned = f"v{newest.replace('.', '_')}"
        assert offered(f"import cudnn_cffi.{pinned} as cudnn\ncudnn.") == {
            "graph",
            *_resolve.names(newest),
        }
        assert {"data_type=", "strides="} <= offered(
            "import cudnn_cffi as cudnn\ncudnn.graph.TensorDescriptor("
        )
        assert {"data_type", "strides", "finalize"} <= offered(
            "import cudnn_cffi as cudnn\nx = cudnn.graph.TensorDescriptor()\nx."
        )
        assert {"to_numpy", "shape", "stream"} <= offered(
            "import cudnn_cffi as cudnn\ny = cudnn.ActivationDescriptor.relu()(0)\ny."
        )
        assert "bidirectional=" in offered(
            "import cudnn_cffi as cudnn\ncudnn.RNNDescriptor.lstm(1, 2, bid"
        )


def test_the_stub_of_the_front_door_names_what_is_emitted_too() -> None:
    """Type checkers would take the emitted name otherwise."""
    stub = Path(cudnn_cffi.__path__[0], "__init__.pyi").read_text()
    listed = re.findall(r"^    (\w+) as \1,$", stub, re.MULTILINE)
    assert sorted(listed) == sorted(_resolve.OVERLAY.keys() & public_names("cudnn_cffi.names"))


def wrapper(name: str) -> Callable[..., object]:
    module = __import__(f"cudnn_cffi.calls.{CALLS[name]}", fromlist=[name])
    return getattr(module, name)


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
