"""Packaged models: the bits of fused ones, from Python and from the C program, without PyTorch."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from cudnn_cffi import errors, library, load_network

from tests.compilers import c_compiler
from tests.conftest import python_path
from tests.gpu.conftest import capturing
from tests.threads import in_threads

from .test_repro import _folder_of, _folders

#: Kernels of this package, which `fuse` takes for small layers, are not in files.
GRAPHS: Any = {"via": "graph"}


class Model:
    """Models with random statistics, in half."""

    @staticmethod
    def block(nn: Any, channels: int, out: int, stride: int) -> Any:
        class Block(nn.Module):  # type: ignore[misc, name-defined]
            def __init__(self) -> None:
                super().__init__()
                self.one = nn.Conv2d(channels, out, 3, stride, 1, bias=False)
                self.two = nn.Conv2d(out, out, 3, 1, 1, bias=False)
                self.norms = nn.ModuleList([nn.BatchNorm2d(out), nn.BatchNorm2d(out)])
                self.relu = nn.ReLU(inplace=True)
                self.short = nn.Conv2d(channels, out, 1, stride) if stride > 1 else nn.Identity()

            def forward(self, x: Any) -> Any:
                y = self.norms[1](self.two(self.relu(self.norms[0](self.one(x)))))
                return self.relu(y + self.short(x))

        return Block()

    @classmethod
    def trunk(cls, nn: Any) -> list[Any]:
        return [
            nn.Conv2d(3, 64, 7, 2, 3), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1),
            cls.block(nn, 64, 64, 1), cls.block(nn, 64, 128, 2), cls.block(nn, 128, 128, 1),
        ]  # fmt: skip

    @classmethod
    def head(cls, nn: Any) -> list[Any]:
        return [
            nn.AvgPool2d(2), nn.Conv2d(128, 64, 1), nn.Tanh(), nn.Flatten(), nn.Linear(64 * 9, 32),
            nn.ReLU(), nn.Linear(32, 10),
        ]  # fmt: skip

    @staticmethod
    def settle(torch: Any, model: Any, dtype: Any) -> Any:
        torch.manual_seed(0)
        for each in model.modules():
            if isinstance(each, torch.nn.BatchNorm2d):
                each.running_mean.normal_(0, 0.3)
                each.running_var.uniform_(0.5, 1.5)
                torch.nn.init.uniform_(each.weight, 0.5, 1.5)
        return model.eval().cuda().to(dtype)


@pytest.fixture(scope="module")
def torch() -> Any:
    return pytest.importorskip("torch")


@pytest.fixture(scope="module")
def packaged(torch: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any, Any, Any]:
    """Return a file, its model, an input, and what the fused model computes."""
    from cudnn_cffi.torch import fuse, package

    model = Model.settle(torch, torch.nn.Sequential(*Model.trunk(torch.nn)), torch.half)
    x = torch.randn(3, 3, 48, 48, device="cuda").half()
    path = tmp_path_factory.mktemp("packaged") / "trunk.net"
    with torch.no_grad():
        expected = fuse(model, choose=GRAPHS)(x)
    package(model, x, path)
    return path, model, x, expected


def poison(torch: Any) -> None:
    kept = [torch.full((1 << 22,), float("nan"), device="cuda") for _ in range(8)]
    del kept


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
@pytest.mark.parametrize("last", [False, True])
def test_the_bits_of_a_fused_model(torch: Any, dtype: str, last: bool, tmp_path: Path) -> None:
    from cudnn_cffi.torch import fuse, package

    kind = getattr(torch, dtype)
    model = Model.settle(torch, torch.nn.Sequential(*Model.trunk(torch.nn)), kind)
    form = torch.channels_last if last else torch.contiguous_format
    for x in (
        torch.randn(2, 3, 48, 48, device="cuda").to(kind).contiguous(memory_format=form),
        torch.zeros(2, 3, 48, 48, device="cuda", dtype=kind).contiguous(memory_format=form),
        (torch.randn(2, 3, 48, 48, device="cuda") - 1e4).to(kind).contiguous(memory_format=form),
    ):
        with torch.no_grad():
            expected = fuse(model, choose=GRAPHS)(x)
        package(model, x, tmp_path / "a.net")
        poison(torch)
        network = load_network(tmp_path / "a.net")
        for _ in range(5):  # also as a CUDA graph
            assert torch.equal(network(x).nan_to_num(7.0), expected.nan_to_num(7.0))


def test_layers_that_pytorch_computes_in_a_fused_model(torch: Any, tmp_path: Path) -> None:
    from cudnn_cffi.torch import package

    layers = torch.nn.Sequential(*Model.trunk(torch.nn), *Model.head(torch.nn))
    model = Model.settle(torch, layers, torch.half)
    x = torch.randn(4, 3, 48, 48, device="cuda").half()
    package(model, x, tmp_path / "a.net")
    poison(torch)
    found = load_network(tmp_path / "a.net")(x)
    with torch.no_grad():
        reference = model.double()(x.double())
        eager = model.half()(x)

    def error(y: Any) -> float:
        return float((y.double() - reference).norm() / reference.norm())

    assert error(found) <= max(1.5 * error(eager), 1e-3)


def test_parts_of_results(torch: Any, tmp_path: Path) -> None:
    from cudnn_cffi.torch import package

    class Swapped(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.one, self.two = torch.nn.Conv2d(8, 16, 3), torch.nn.Conv2d(16, 8, 1)

        def forward(self, x: Any) -> Any:
            first, second = self.one(x).chunk(2, 1)
            third, fourth = torch.split(second, [3, 5], 1)
            return self.two(torch.cat([fourth, third, first], 1)), fourth

    model, x = Swapped().half().cuda().eval(), torch.randn(2, 8, 9, 9, device="cuda").half()
    package(model, x, tmp_path / "a.net")
    poison(torch)
    found = load_network(tmp_path / "a.net")(x)
    with torch.no_grad():
        wanted = model.double()(x.double())
    for one, other in zip(found, wanted, strict=True):
        assert float((one - other).norm() / other.norm()) < 2e-3


def test_other_arrays_streams_and_threads(torch: Any, packaged: tuple[Path, Any, Any, Any]) -> None:
    import cudnn_cffi as cudnn

    path, _, x, expected = packaged
    network = load_network(path)
    own = cudnn.DeviceArray.from_numpy(x.cpu().numpy())
    assert (network(own).to_numpy() == expected.cpu().numpy()).all()
    out = torch.empty_like(network(x))  # as the file has results
    network(input=x, output=out)
    assert torch.equal(out, expected)

    def work(_: int) -> None:
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.default_stream())
        with torch.cuda.stream(stream):
            for _ in range(20):
                assert torch.equal(network(x), expected)

    torch.cuda.synchronize()
    in_threads(work, range(8))


def test_a_network_ends_after_its_work(torch: Any, packaged: tuple[Path, Any, Any, Any]) -> None:
    path, _, x, expected = packaged
    stream = torch.cuda.Stream()
    for _ in range(5):
        torch.cuda.synchronize()
        with torch.cuda.stream(stream):
            y = load_network(path)(x)
        poison(torch)
        torch.cuda.synchronize()
        assert torch.equal(y, expected)
    network = load_network(path)
    network.close()
    with pytest.raises(errors.ClosedError):
        network(x)


def test_a_capture_keeps_the_weights(torch: Any, packaged: tuple[Path, Any, Any, Any]) -> None:
    path, _, x, expected = packaged
    network = load_network(path)
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        network.prepare(stream=stream)
        network(x)
    torch.cuda.synchronize()
    with capturing(stream=stream) as graph:
        y = network(x)
    del network
    poison(torch)
    y.zero_()
    graph.replay()
    torch.cuda.synchronize()
    assert torch.equal(y, expected)


def test_damaged_files_of_this_device_are_refused(
    packaged: tuple[Path, Any, Any, Any], tmp_path: Path
) -> None:
    data = packaged[0].read_bytes()
    path = tmp_path / "bad.net"
    for place in (20, 100, 300, len(data) // 50, len(data) // 2, len(data) - 40):
        changed = bytearray(data)
        changed[place] ^= 1
        path.write_bytes(changed)
        with pytest.raises(errors.NetworkFileError):
            load_network(path)
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(errors.NetworkFileError, match="damaged"):
        load_network(path)


def test_it_is_rebuilt_for_another_device(
    torch: Any, packaged: tuple[Path, Any, Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    from cudnn_cffi.plan import saving

    path, model, x, _ = packaged
    profile = saving.device_profile(0)
    other = profile | {"deviceName": "another"}
    monkeypatch.setattr(saving, "device_profile", lambda _: other)
    with pytest.raises(errors.ArchMismatchError):
        load_network(path)
    network = load_network(path, rebuild=True)
    assert network.rebuilt
    with torch.no_grad():
        reference = model.double()(x.double())
        model.half()
    error = (network(x).double() - reference).norm() / reference.norm()
    assert float(error) < 5e-3


def test_a_small_product_opens_no_cublas(torch: Any, tmp_path: Path) -> None:
    """It is another engine's, with right results, unless a choice asks for that one."""
    from cudnn_cffi.choice import measured
    from cudnn_cffi.network.reading import read_file
    from cudnn_cffi.torch import package

    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(512, 1000)).cuda().half()
    x = torch.randn(8, 512, device="cuda").half()
    wanted = model.double()(x.double())
    model.half()
    for choose, is_cublas in ((None, False), ({"engine": measured.CUBLAS_ENGINE}, True)):
        path = tmp_path / f"{is_cublas}.net"
        package(model, x, path, choose=choose)
        engines = [each.engine for each in read_file(path).plans]
        assert (measured.CUBLAS_ENGINE in engines) == is_cublas
        poison(torch)
        found = load_network(path)(x)
        assert float((found.double() - wanted).norm() / wanted.norm()) < 1e-3


_ALONE = """
import sys
import numpy
import cudnn_cffi as cudnn
from cudnn_cffi.network import loading
path, given, taken = sys.argv[1:]
described = []
restored = loading._restored

def note(*given):
    made = restored(*given)
    described.append(given[3] is None)
    return made

loading._restored = note
network = cudnn.load_network(path)
assert any(described) and not described[-1], "no engine was opened while the context was made"
count = len(described)
cudnn.load_network(path)
assert not any(described[count:]), "engines were opened again"
shape = network.inputs[0].shape
x = cudnn.DeviceArray.from_numpy(numpy.fromfile(given, numpy.float16).reshape(shape))
y = network(x).to_numpy()
numpy.ascontiguousarray(y).tofile(taken)
assert "torch" not in sys.modules
"""


def test_it_runs_without_pytorch(packaged: tuple[Path, Any, Any, Any], tmp_path: Path) -> None:
    path, _, x, expected = packaged
    given, taken = tmp_path / "x.bin", tmp_path / "y.bin"
    x.cpu().numpy().tofile(given)
    environment = dict(os.environ) | {"PYTHONPATH": python_path()}
    environment["CUDNN_CFFI_LIBRARY"] = str(library.load().path)
    done = subprocess.run(
        [sys.executable, "-c", _ALONE, path, given, taken], capture_output=True, text=True,
        check=False, env=environment | libraries(), timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert taken.read_bytes() == expected.cpu().contiguous().numpy().tobytes()


def libraries() -> dict[str, str]:
    paths = [os.environ.get("LD_LIBRARY_PATH", "")]
    paths += [str(each) for each in _folders("lib") if each.is_dir()]
    return {"LD_LIBRARY_PATH": ":".join(filter(None, paths))}


def compiled(path: Path, target: Path) -> None:
    """Compile the C program beside a file."""
    names = ("cudnn.h", "cuda.h", "crt/host_defines.h")
    include = [f"-I{_folder_of(name, 'include')}" for name in names]
    found = library.load().path
    maps = Path("/proc/self/maps").read_text().split()
    driver = next(each for each in maps if "libcuda.so" in each)
    words: list[str | Path] = [c_compiler(), "-std=c11", "-O2", "-pthread", *include]
    words += ["-Wall", "-Wextra", "-Werror", path.with_suffix(".c"), "-o", target, found, driver]
    words += [f"-Wl,-rpath,{found.parent}", "-Wl,--allow-shlib-undefined"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def run_in_c(path: Path, x: Any, tmp_path: Path) -> bytes:
    """Return what the C program beside a file writes for an input."""
    made = tmp_path / "program"
    compiled(path, made)
    given, taken = tmp_path / "x.bin", tmp_path / "y.bin"
    x.cpu().numpy().tofile(given)
    done = subprocess.run(
        [made, path, given, taken], capture_output=True, text=True, check=False,
        env=dict(os.environ) | libraries(), timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return taken.read_bytes()


def test_the_c_program_computes_the_same_bits(
    torch: Any, packaged: tuple[Path, Any, Any, Any], tmp_path: Path
) -> None:
    path, _, x, expected = packaged
    y = load_network(path)(x)
    assert torch.equal(y, expected)
    flat = torch.as_strided(y, (y.numel(),), (1,)).cpu()
    assert run_in_c(path, x, tmp_path) == flat.numpy().tobytes()


@pytest.mark.parametrize("wide", [64, 128])
def test_one_array_in_two_roles(cudnn: Any, torch: Any, wide: int, tmp_path: Path) -> None:
    """Also one of which a product reads two halves."""
    from cudnn_cffi.network import write_network
    from cudnn_cffi.network.c_program import write_program
    from cudnn_cffi.network.writing import Draft
    from cudnn_cffi.plan.operand import Operand

    graph, draft, strides = cudnn.Graph(io_data_type="HALF"), Draft(), (64 * wide, wide, 1)
    given = graph.tensor((1, 64, wide), name="x")
    parts = [
        given if wide == 64 else graph.view(given, (1, 64, 64), strides, begin)
        for begin in (0, 64)
    ]  # fmt: skip
    graph.output(parts[0] @ parts[1], name="y")
    plan = graph.build()
    draft.add(
        plan, x=draft.tensor(Operand("x", 1, (1, 64, wide), strides, "HALF")),
        y=draft.tensor(Operand("y", 2, (1, 64, 64), (4096, 64, 1), "HALF", role="output")),
    )  # fmt: skip
    path = tmp_path / "a.net"
    write_network(path, draft)
    write_program(path.with_suffix(".c"), path.name)
    x = torch.randn(1, 64, wide, device="cuda").half()
    poison(torch)
    y = load_network(path)(x)
    assert torch.equal(y, plan(x))
    wanted = x[..., :64].double() @ x[..., -64:].double()
    assert float((y.double() - wanted).norm() / wanted.norm()) < 1e-3
    assert run_in_c(path, x, tmp_path) == y.cpu().numpy().tobytes()
