"""All tests here need a GPU, and PyTorch to make inputs and check results with."""

from __future__ import annotations

import contextlib
import gc
import importlib
import itertools
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.conftest import Absent
from tests.gpu.spinning import Spin

# References are computed on the host, in as many processes as there are cores.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# None of them starts as many others to compile PyTorch's kernels.
os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")

#: Seconds of the tests that take the longest, by the beginnings of their names, of which the first
#: that fits counts; beside 15 other processes, on an H200. The rest take five, or less.
LONG = {
    "test_engines.py": 40,
    "test_torch_choosing.py::test_choices_for_training": 25,
    "test_torch_networks.py::test_networks_of_torchvision": 20,
    "test_torch_training.py::test_networks": 20,
    "test_torch_training.py::test_norms_by_kernels": 10,
    "test_torch_training.py": 5,
    "test_differ.py": 12,
    "test_torch_fp8.py::test_widths": 11,
    "test_torch_fp8.py::test_sizes": 8,
    "test_torch_transformers.py::test_changes": 10,
    "test_torch_transformers.py::test_transformers": 5,
    "test_torch_fuse.py::test_changes": 9,
    "test_torch_fuse.py::test_networks_of_torchvision": 5,
    "test_torch_eight_bits.py::test_a": 10,
    "test_torch_compiling.py": 5,
    "test_torch_promises.py": 8,
    "test_torch_install.py::test_models": 8,
    "test_torch_install.py::test_compiled_models": 4,
    "test_ops_promises.py::test_each_operation": 10,
    "test_ops_promises.py::test_captured_operations": 9,
    "test_instead.py::test_calls": 9,
    "test_splitting.py::test_numbers[heads]": 6,
    "test_choice_files.py": 2,
}

#: The same of those that start processes which use the GPU.
IN_PROCESSES = {
    "test_ops_alignment.py::test_arrays_may_begin_anywhere[engines": 45,
    "test_ops_alignment.py": 22,
    "test_pages.py::test_the_code_of_a_page_runs[torch:Fusing]": 22,
    "test_pages.py": 8,
    "test_repro.py": 7,
    "test_errata.py::test_checks_of_engines_that_never_end": 15,
    "test_errata.py::test_images_that_operations_compute": 12,
    "test_errata.py::test_a_check_reproduces_a_record": 1.5,
    "test_examples.py": 8,
    "test_smoke.py::test_the_first_minute": 10,
    "test_choice_files.py::test_files_decide": 12,
    "test_choice.py::TestCaches::test_processes": 5,
    "test_forks.py": 5,
    "test_torch_training.py::test_two_processes": 11,
    "test_packaging.py": 1,
}

KNOWN = {**IN_PROCESSES, **LONG}

FOLDER = Path(__file__).parent

#: Parts of the names of tests in which PyTorch computes some of the cases, with a warning.
FALL_BACK = ("LocalResponseNorm", "test_attention_as_a_module")


@pytest.hookimpl(trylast=True)  # the processes share what others have left
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Make layers that PyTorch computes, and kernels that are not there, errors; spread long tests."""
    told = pytest.mark.filterwarnings("error:.* is computed by PyTorch:RuntimeWarning")
    failed = pytest.mark.filterwarnings("error:.* was not (compiled|loaded):RuntimeWarning")
    for item in items:
        if item.path.parent == FOLDER:
            item.add_marker(failed)
            if not any(each in item.name for each in FALL_BACK):
                item.add_marker(told)
    items[:] = spread(items, int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")))


def _name(item: pytest.Item) -> str:
    return item.nodeid.rpartition("tests/gpu/")[2]


def starts_processes(item: pytest.Item) -> bool:
    """Return whether a test waits for processes that use the GPU."""
    return _name(item).startswith(tuple(IN_PROCESSES))


def seconds(item: pytest.Item) -> float:
    """Return how long a test takes if it is one of the longest, else 0."""
    name = _name(item)
    return next((time for each, time in KNOWN.items() if name.startswith(each)), 0)


def spread(items: list[pytest.Item], count: int) -> list[pytest.Item]:
    """Order tests so that each process begins with its share of the longest, the longest first.

    Some processes have all tests that start others: the driver makes one context at a time, so that
    each of 16 waits four seconds for its own. With `--dist worksteal` each process gets a slice of
    the list, from which others take the end when they have nothing left: so no long test is begun
    late.
    """
    times = {item: seconds(item) for item in items}
    others = [item for item in items if not times[item]]
    if os.environ.get("CUDNN_CFFI_MODE") == "abi":
        # Where both modes run at once, each finds half of the plans that the other has compiled:
        # processes go through the same slices, from the other end.
        others.reverse()
    rest = iter(others)
    shares: list[list[pytest.Item]] = [[] for _ in range(count)]
    loads = [0.0] * count
    starting = max(1, count * 3 // 8)
    for item in sorted(filter(times.__getitem__, items), key=times.__getitem__, reverse=True):
        places = range(starting) if starts_processes(item) else range(starting % count, count)
        place = min(places, key=loads.__getitem__)
        shares[place].append(item)
        loads[place] += times[item]
    left = len(items)
    for place, share in enumerate(shares):
        size = left // (count - place)  # as xdist slices the list
        share += itertools.islice(rest, max(0, size - len(share)))
        left -= len(share)
    return list(itertools.chain(*shares, rest))


@contextlib.contextmanager
def capturing(graph: Any = None, stream: Any = None) -> Iterator[Any]:
    """Capture the calls of a block into a CUDA graph of PyTorch, which is made if none is given.

    Nothing of other tests ends the capture: garbage of any library is collected before, and calls
    of other threads, such as those of JAX, are allowed. To drop an earlier graph in the block ends
    it, so a graph that takes the name of another one is made before.
    """
    import torch
    from cudnn_cffi.driver.captures import without_finalizers

    graph = torch.cuda.CUDAGraph() if graph is None else graph
    capture = torch.cuda.graph(graph, stream=stream, capture_error_mode="thread_local")
    with without_finalizers(), capture:
        yield graph


def captured(step: Callable[[], Any], warm: int = 3) -> tuple[Any, Any]:
    """Return a CUDA graph of a step, which is called in another stream before, and its results."""
    import torch

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(warm):
            step()
    torch.cuda.current_stream().wait_stream(side)
    with capturing() as graph:
        return graph, step()


@cache
def _why_not() -> str:
    try:
        import torch
    except ImportError:
        return "the tests on a GPU check results with PyTorch, which is not installed"
    if not torch.cuda.is_available():
        return "no GPU that PyTorch can use"
    return ""


@pytest.fixture(scope="session")
def extension(tmp_path_factory: pytest.TempPathFactory) -> bool:
    """Compile the extension for PyTorch, once for all processes; return whether there is one."""
    from cudnn_cffi import _call

    if _call.mode() == "abi":
        return False
    from cudnn_cffi.torch.autograd import recorder

    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.getbasetemp().parent / "extension"
        patch.setenv("CUDNN_CFFI_PLAN_CACHE", str(folder))
        recorder.compile_nodes()
    return True


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> Absent | None:
    """Skip all files here where there is no GPU; end the run where one was promised."""
    if not (why := _why_not()):
        return None
    if os.environ.get("CUDNN_CFFI_REQUIRE_GPU") == "1":
        raise pytest.UsageError(f"CUDNN_CFFI_REQUIRE_GPU=1, but: {why}")
    return Absent.of(module_path, parent, why)


def library(name: str) -> Any:
    """A module that arrays come from; where a GPU was promised, so were they, but for PyCUDA.

    PyCUDA has no wheels: whoever can compile it can have it tested.
    """
    if os.environ.get("CUDNN_CFFI_REQUIRE_GPU") == "1" and not name.startswith("pycuda"):
        return importlib.import_module(name)
    return pytest.importorskip(name)


@pytest.fixture(scope="session")
def torch() -> ModuleType:
    torch = importlib.import_module("torch")
    torch.zeros(1, device="cuda")
    torch.cuda._sleep = Spin()
    gc.freeze()  # modules are no garbage: to collect others takes a tenth of the time
    return torch


@pytest.fixture(scope="session")
def cudnn() -> ModuleType:
    import cudnn_cffi

    return cudnn_cffi


@pytest.fixture
def handle(cudnn: Any, torch: Any) -> Iterator[Any]:
    """A handle on the stream that PyTorch uses."""
    with cudnn.Handle(stream=torch.cuda.current_stream()) as handle:
        yield handle


@dataclass(frozen=True)
class Precision:
    """A way to compute: data type, compute type, math type, and the error it may make.

    The error is the norm of the difference from a float64 reference over the reference's norm.
    """

    name: str
    dtype: str
    compute: str
    math: str
    tolerance: float


PRECISIONS = {
    each.name: each
    for each in (
        Precision("float64", "float64", "float64", "DEFAULT_MATH", 1e-13),
        Precision("float32", "float32", "float32", "FMA_MATH", 2e-6),
        Precision("tf32", "float32", "float32", "DEFAULT_MATH", 2e-3),
        Precision("float16", "float16", "float32", "DEFAULT_MATH", 1e-3),
        Precision("bfloat16", "bfloat16", "float32", "DEFAULT_MATH", 8e-3),
    )
}


@pytest.fixture(params=PRECISIONS)
def precision(request: pytest.FixtureRequest) -> Precision:
    return PRECISIONS[request.param]


@pytest.fixture(params=["NCHW", "NHWC"])
def layout(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def unless_lacking(cudnn: Any, precision: Precision) -> Callable[..., Any]:
    """Skips what cuDNN does not support in some precisions; any other failure stays one."""

    @contextlib.contextmanager
    def skip_where(*names: str) -> Iterator[None]:
        try:
            yield
        except cudnn.errors.NotSupportedError as error:
            if precision.name not in names:
                raise
            pytest.skip(f"cuDNN has no {error.function} of {precision.name}")

    return skip_where


@pytest.fixture(scope="session")
def ops(cudnn: Any) -> Any:
    return cudnn.ops


@pytest.fixture(params=["float64", "float32", "float16", "bfloat16"])
def dtype(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def laid_out(torch: Any, array: Any, layout: str) -> Any:
    """Return an image or a volume in a layout; other arrays as they are."""
    if layout == "NHWC" and array.dim() in (4, 5):
        last = torch.channels_last if array.dim() == 4 else torch.channels_last_3d
        return array.contiguous(memory_format=last)
    return array


def reference(array: Any) -> Any:
    """Return a float64 copy on the CPU."""
    return array.detach().cpu().double().contiguous()


def supported(cudnn: Any, call: Any) -> Any:
    """Return what a call does; skip where cuDNN does not support the combination."""
    try:
        return call()
    except cudnn.NotSupportedError as error:
        pytest.skip(error.message.splitlines()[0][:100])


@pytest.fixture(scope="session")
def jax() -> Any:
    jax = library("jax")
    if not any(each.platform == "gpu" for each in jax.devices()):
        pytest.skip("JAX has no GPU here")
    return jax


@pytest.fixture
def two_devices(torch: Any) -> Iterator[None]:
    """Skip where there is one; each test leaves device 0 current."""
    if torch.cuda.device_count() < 2:
        pytest.skip("there is one device")
    torch.cuda.set_device(0)
    yield
    assert torch.cuda.current_device() == 0


@pytest.fixture
def exact(torch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """PyTorch rounds no float32 to TF32 in what it computes by cuDNN, which layers follow."""
    monkeypatch.setattr(torch.backends.cudnn, "allow_tf32", False)


@pytest.fixture
def nvrtc(torch: Any) -> None:
    """Skip where kernels cannot be compiled; random numbers are the same each time."""
    from cudnn_cffi import kernels

    if not kernels.can_compile():
        pytest.skip("there is no NVRTC")
    torch.manual_seed(0)


@pytest.fixture(params=["functions", "extension"])
def nodes(request: pytest.FixtureRequest) -> Iterator[None]:
    """Python's autograd functions record nodes, or the extension, which is compiled here."""
    from cudnn_cffi.torch.autograd import recorder

    if request.param == "functions":
        with recorder.left_out():
            yield
    elif not request.getfixturevalue("extension"):
        pytest.skip("the extension is for the compiled call layer")
    else:
        yield


@pytest.fixture
def no_choices(cudnn: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Choose as a new process does, with no plans or choices of other tests."""
    choice = cudnn.choice
    monkeypatch.setenv("CUDNN_CFFI_PLAN_CACHE", "0")
    choice.plans.clear()
    choice.set_default()
    choice.forget()
    yield
    choice.set_default()
    choice.forget()


class CTCCase:
    """Labels, and what PyTorch computes of them."""

    TIME, BATCH, SYMBOLS = 12, 3, 7
    LABELS = ((1, 2, 2, 3), (4, 5), (6, 1, 3))
    TIMES = (12, 9, 11)

    @pytest.fixture
    def expected(self, torch: Any, fresh: Any) -> tuple[Any, Any, Any]:
        """The logits, and the losses and gradients of them."""
        x = fresh(self.TIME, self.BATCH, self.SYMBOLS)
        logits = reference(x).requires_grad_()
        losses = torch.nn.functional.ctc_loss(
            logits.log_softmax(2), torch.tensor(sum(self.LABELS, ())), torch.tensor(self.TIMES),
            torch.tensor([len(each) for each in self.LABELS]), reduction="none",
        )  # fmt: skip
        losses.sum().backward()
        return x, losses.detach(), logits.grad


@pytest.fixture
def fresh(torch: Any) -> Callable[..., Any]:
    """Random numbers on the device, other ones each time, in a data type and layout."""

    def make(*shape: int, dtype: str = "float32", layout: str = "NCHW") -> Any:
        array = torch.randn(shape, dtype=torch.float64, device="cuda")
        return laid_out(torch, array.to(getattr(torch, dtype)), layout)

    return make


@pytest.fixture
def poisoned(torch: Any) -> Callable[..., Any]:
    """An array full of NaN, so that an element which is not written is seen."""

    def make(*shape: int, dtype: str = "float32", layout: str = "NCHW") -> Any:
        array = torch.full(shape, float("nan"), dtype=getattr(torch, dtype), device="cuda")
        return laid_out(torch, array, layout)

    return make


@pytest.fixture
def error_of(torch: Any) -> Callable[[Any, Any], float]:
    """The distance of a result on the device from a float64 reference on the host."""

    def measure(result: Any, reference: Any) -> float:
        assert reference.dtype == torch.float64
        difference = result.detach().cpu().double() - reference
        assert not difference.isnan().any(), "an element was not written, or is NaN"
        size = float(reference.norm())
        return float(difference.norm()) / (size or 1.0)  # of zeros the error itself

    return measure
