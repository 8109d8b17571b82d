"""The sources of kernels of fused models, compiled for the CPU."""

from __future__ import annotations

import ctypes
import hashlib
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

torch = pytest.importorskip("torch", exc_type=ImportError)

from cudnn_cffi.kernels import compiling  # noqa: E402
from cudnn_cffi.torch.fusion.kernels import (  # noqa: E402
    activations,
    compiled,
    few_channels,
    functions,
    grouped,
    rows,
    runs,
)
from cudnn_cffi.torch.fusion.kernels.pixels import layouts, means, points  # noqa: E402
from cudnn_cffi.torch.fusion.training import layer_norms, norms, pooling, weights  # noqa: E402
from cudnn_cffi.torch.modules import base  # noqa: E402

from tests.compilers import cpp_compiler, cpp_library  # noqa: E402
from tests.gpu import short_kernels  # noqa: E402
from tests.gpu.test_torch_rows import TURNED, WIDE  # noqa: E402

from . import normalizing  # noqa: E402
from . import rows_and_windows as checks  # noqa: E402


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kernels")


@pytest.fixture(autouse=True)
def emulation(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run kernels on the CPU, with one thread in each block."""
    cpp_compiler()

    def kernels(
        ordinal: int, file: str, names: tuple[str, ...], dtype: Any, word: Any, *macros: str
    ) -> list[Any]:
        return [built(file, name, dtype, word, macros) for name in names]

    def built(file: str, name: str, dtype: Any, word: Any, macros: tuple[str, ...]) -> Any:
        options = [*macros, f"TYPE={compiled.TYPES[dtype]}", f'SOURCE="{file}"', f"KERNEL={name}"]
        eight = "depthwise", "grouped", "neighbors", "normalize_kept", "products"
        many = dict.fromkeys(("few_channels", "pixels", "points"), 4)
        warps = {**many, **dict.fromkeys(eight, 8)}.get(name)
        if name == "few_results":
            warps = 8 if "TEAMS=2" in macros else 4
        if name == "sliding":
            given: Any = dict(each.split("=") for each in macros)
            warps = -(-int(given["GROUP"]) * int(given["STRIPS"]) // 32)
        options += [f"WARPS={warps}"] if warps else []
        options.append(f"ACTIVATION={activations.NUMBERS[word]}")
        path = folder / hashlib.sha256(" ".join(options).encode()).hexdigest()
        if not path.exists():
            source = Path(__file__).parent / "programs" / "kernel.cc"
            folders = [Path(each.__file__).parent for each in (compiled, compiling)]
            given = [f"-D{each}" for each in options] + [f"-I{each}" for each in folders]
            return cpp_library(path, source, *given)
        return ctypes.CDLL(str(path))

    def launch(
        kernel: Any, ordinal: int, grid: Any, threads: int, argument: bytes, shared: int = 0,
        *, overlaps: bool = False, cluster: int = 1,
    ) -> None:  # fmt: skip
        assert cluster == 1, "blocks run one after the other"
        assert kernel.size_of() == len(argument), "the layout of the argument"
        assert threads <= 512
        assert shared <= 227 << 10
        kernel.run_all(argument, *grid)

    for module in (rows, means):
        monkeypatch.setattr(module, "kernels", kernels)
        monkeypatch.setattr(module, "launch", launch)
        monkeypatch.setattr(module, "prepare", lambda *_: None)
    monkeypatch.setattr(layouts, "_is_on_device", lambda _: True)

    class Source:
        """Compiles a kernel when it is asked for."""

        def __init__(
            self, ordinal: int, file: str, dtype: Any, word: Any, *macros: str, begins: bool = True
        ) -> None:
            self.given, self.ordinal = (file, dtype, word, macros), ordinal
            self.is_loaded = True

        def kernel(self, name: str, shared: int = 0) -> Any:
            file, dtype, word, macros = self.given
            return built(file, name, dtype, word, macros)

    class Launch:
        """Runs a kernel."""

        def __init__(
            self, kernel: Any, ordinal: int, grid: Any, threads: int, *, shared: int = 0,
            cluster: int = 1,
        ) -> None:  # fmt: skip
            self.given = kernel, ordinal, grid, threads

        def __call__(self, argument: bytes, overlaps: bool = False) -> None:
            launch(*self.given, argument)

    for module in (norms, weights, grouped, few_channels, runs):
        monkeypatch.setattr(module, "prepare", Source)
    monkeypatch.setattr(weights, "launch", launch)
    monkeypatch.setattr(points, "prepare", Source)
    for module in (grouped, few_channels, runs, points):
        monkeypatch.setattr(module, "is_available", lambda *_: True)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda _: (9, 0))
    monkeypatch.setattr(
        torch.cuda, "get_device_properties", lambda _: SimpleNamespace(multi_processor_count=2)
    )
    for module in (norms, functions):
        monkeypatch.setattr(module, "Launch", Launch)
    for module in (norms, layer_norms, weights, pooling):
        monkeypatch.setattr(module, "can_compile", lambda: True)
        monkeypatch.setattr(module, "is_on_device", lambda _: True)
    monkeypatch.setattr(norms, "_processors", lambda _: 3)
    monkeypatch.setattr(rows, "_CLUSTER", 1)
    monkeypatch.setattr(runs, "_RINGS", {64: (1, 2), 128: (1, 2)})
    monkeypatch.setattr(base, "on_gpu", lambda _: True)
    monkeypatch.setattr(torch.cuda, "is_current_stream_capturing", lambda: False)


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("repeats", [torch.float16]),
        ("pools", [torch.bfloat16]),
        ("means", [torch.float16]),
        ("places", [torch.float16]),
        ("places", [torch.float32]),
        ("windows", [checks.WINDOWS[2], torch.float16]),
        ("windows", [checks.WINDOWS[5], torch.bfloat16]),
        ("sliding", [checks.SLIDING[0], torch.float16]),
        ("sliding", [checks.SLIDING[1], torch.bfloat16]),
        ("sliding", [checks.SLIDING[2], torch.float16]),
        ("infinities", [torch.float16]),
        ("grouped", [checks.GROUPED[2], torch.bfloat16]),
        ("few", [checks.FEW[0], torch.float16]),
        ("few", [checks.FEW[3], torch.bfloat16]),
        ("few", [checks.FEW[4], torch.float16]),
        ("few_beside_others", []),
        ("neighbors", [checks.NEIGHBORS[0], torch.float16]),
        ("neighbors", [checks.NEIGHBORS[1], torch.bfloat16]),
        ("neighbors", [checks.NEIGHBORS[2], torch.float16]),
        ("neighbors", [checks.NEIGHBORS[3], torch.bfloat16]),
        ("pixels", [checks.PIXELS[0], torch.float16]),
        ("pixels", [checks.PIXELS[1], torch.bfloat16]),
        ("pixels", [checks.PIXELS[2], torch.float16]),
        *[("points", [each, torch.float16]) for each in checks.POINTS],
        ("points", [checks.POINTS[1], torch.bfloat16]),
        ("rows", [checks.ROWS[3], torch.bfloat16, checks.WORDS[-1:]]),
        ("gates", [*checks.GATES[1], torch.float16]),
        ("gates", [*checks.GATES[3], torch.float16]),
        ("gates", [*checks.GATES[6], torch.bfloat16]),
        ("groups", [*checks.GROUPS[2], torch.float16]),
        ("groups", [*checks.GROUPS[4], torch.bfloat16]),
        ("pieces", [torch.float16]),
    ],
    ids=str,
)
def test_kernels(name: str, given: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    if name == "sliding":
        monkeypatch.setattr(grouped, "_MANY", 0)
    getattr(checks, f"check_{name}")("cpu", *given)


@pytest.mark.parametrize("many", [0, 1 << 62])
def test_additions_at_odd_addresses_are_not_taken(
    many: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grouped, "_MANY", many)
    x = checks.image(1, 8, 5, 5, device="cpu", dtype=torch.float16)
    named = dict.fromkeys(("x", "y", "residual"), checks.spec(x))
    named["w"] = checks.spec(torch.empty(8, 1, 3, 3, dtype=torch.float16))
    assert grouped.find(named, (1, 1), (1, 1), (1, 1), None) is not None
    named["residual"] = named["x"]._replace(alignment=2)
    assert grouped.find(named, (1, 1), (1, 1), (1, 1), None) is None


def test_images_that_are_not_taken() -> None:
    checks.refused_few("cpu")
    checks.refused_neighbors("cpu")
    checks.refused_points("cpu")


@pytest.mark.parametrize("window", [3, 7])
@pytest.mark.parametrize("pooled", [0, 1])
def test_bands(window: int, pooled: int) -> None:
    """Rows are at most all, many images are not cut, and all blocks have work for few."""
    made = few_channels.Constants(3, window, window, 2, 2, 1, 1, 112, pooled, 1, 8)
    assert made.fits
    assert 3 * made.shared <= 227 << 10
    for images in (1, 2, 31, 32, 200, 256, 5000):
        rows = made.rows(images, 56, 132)
        assert 1 <= rows <= 56
        assert images * -(-56 // rows) >= min(132, images * 28) or images > 128
    assert made.rows(1, 56, 132) <= 2
    assert made.rows(5000, 56, 132) == 56


def test_tiles_of_images() -> None:
    """Tiles have all results, and fit into memory; of whole images few results are of no use."""
    for height in (1, 7, 14, 55, 56, 112, 300):
        for width in (1, 9, 28, 56, 57, 224, 1000):
            made = few_channels.planes_of(height, width)
            assert made.shared <= 227 << 10
            assert made.span >= 1
            assert 1 <= made.ROWS <= height
            results = (made.ROWS - 1) * made.PITCH + made.span
            assert results <= made.TOGETHER <= made.PLANE - 2 * made.PITCH
    for side, count in ((56, 14), (112, 56), (224, 224)):
        made = few_channels.planes_of(side, side)
        assert made.tiles(side, side) == count
        assert side * side > 0.96 * count * made.TOGETHER


def test_gaps_between_pixels() -> None:
    checks.check_gaps("cpu")


def test_arrays_elsewhere() -> None:
    """PyTorch refuses them in words; a kernel would read an address of another memory."""
    x = checks.image(2, 8, 3, 3, device="cpu", dtype=torch.float16)
    factor = torch.ones(8, 1, 1, dtype=torch.float16, device="meta")
    for given in ({"factor": factor}, {"gate": factor.expand(2, -1, 1, 1).contiguous()}):
        with pytest.raises(RuntimeError, match="meta"):
            rows.tailed(x, **given)


def test_arrays_of_six_axes() -> None:
    """PyTorch has no format with channels last for them."""
    x = torch.randn(2, 2, 3, 2, 2, 8).half().permute(0, 5, 1, 2, 3, 4)
    y = rows.group_norm(x, 2, None, None, 1e-5)
    checks.close(y, torch.nn.functional.group_norm(x.double(), 2), scale=2.0)


def test_second_derivatives_of_norms() -> None:
    normalizing.check_second_derivatives("cpu")


def test_norms_in_training() -> None:
    normalizing.check_norms("cpu", normalizing.CASES[1], torch.bfloat16)
    normalizing.check_norms("cpu", normalizing.CASES[3], torch.float16, normalizing.KINDS[:2])
    normalizing.check_layer_norms("cpu", normalizing.ROWS[0], torch.bfloat16)
    normalizing.check_layer_norms("cpu", normalizing.ROWS[1], torch.bfloat16)


def test_other_gradients() -> None:
    normalizing.check_other_gradients("cpu")


def test_casts() -> None:
    normalizing.check_casts("cpu", torch.bfloat16, 130)


def test_kernels_of_all_norms_begin_to_be_compiled_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[Any] = []
    monkeypatch.setattr(norms, "begin", lambda *given: begun.append(given))
    zeros = norms.Zeros([], 3)
    zeros.kinds |= {("relu", False, 64), ("relu", False, 128), (None, True, 12)}
    for dtype in (None, torch.float64, torch.bfloat16, torch.bfloat16):
        zeros._begin(1, dtype)
    kind = norms.Kind(1, torch.bfloat16, "relu", False)
    assert sorted(begun, key=lambda each: each[1]) == [(kind, 64), (kind, 128)]


def test_windows_of_other_ranks_are_pytorchs() -> None:
    for given in (((3,), (3,), (0,), (1,)), ((2, 2), (2,), (0, 0), (1, 1))):
        assert rows.pooled_shape((1, 4, 8, 8), *given) is None  # type: ignore[arg-type]
    assert rows.pooled_shape((1, 4, 9, 8), (3, 2), (3, 2), (0, 0), (1, 1)) == (1, 4, 3, 4)
    assert not pooling.is_pooling(torch.nn.MaxPool2d((3,)))


@pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16])
def test_kernels_with_instructions_of_devices_compile(kind: Any) -> None:
    if not compiling.can_compile():
        pytest.skip("there is no NVRTC")
    folder = Path(compiled.__file__).parent
    given = [
        ("attention.cu", (8, 0), "KERNEL(7, (attend<64, 16, 32, 7>))"),
        ("rows.cu", (8, 0), "KERNEL(Rows, (norm<32, 3, 0>))"),
        ("rows.cu", (9, 0), "KERNEL(Product, (product<64, 64, 4, 4, 7, 0>))"),
        ("rows.cu", (9, 0), "KERNEL(Product, (wide_product<64, 96, 4, 4, 7, 0, 0, 0>))"),
        ("rows.cu", (9, 0), "KERNEL(Product, (wide_product<72, 128, 7, 4, 0, 1, 0, 1>))"),
        ("rows.cu", (9, 0), "KERNEL(Windows, (windows<128, 48, 4, 1, 1, 1, 1>))"),
    ]
    constants: Any = [few_channels.Constants(3, 7, 7, 2, 2, 1, 1, 112, 1, 1, 8)]
    constants.append(checks.forms()[0]._replace(NEXT=64, NEXT_WORD=1))
    constants += [few_channels.planes_of(56, 56), few_channels.lines_of(32, 28, 28, 128, 132)]
    given += [("images.cu", (9, 0), each._asdict()) for each in constants]
    for file, capability, more in given:
        options = [f"-DTYPE={compiled.TYPES[kind]}", "-DEXACT"]
        if isinstance(more, dict):
            options, more = [*options, *[f"-D{name}={value}" for name, value in more.items()]], ""
        own = capability == (9, 0)
        code = compiling.compiled(folder / file, capability, *options, more=more, own=own)
        assert code[:4] == b"\x7fELF"


def test_the_program_for_the_memory_checker_sees_kernels_of_all_sources() -> None:
    names = {each.name for each in short_kernels.SOURCES[0].glob("*.cu")}
    assert names == {*short_kernels.MODULES}
    assert {file for file, _ in short_kernels.known()} > names


def test_kernels_that_two_threads_ask_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one that asks for less memory does not take away what the other one got meanwhile."""
    asked: list[int] = []
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda _: (9, 0))
    monkeypatch.setattr(compiled, "compiled", lambda *_, **__: b"")
    monkeypatch.setattr(compiled, "load_module", lambda *_: None)
    monkeypatch.setattr(compiled, "kernel_of", lambda *given: asked.append(given[3]))
    source = compiled.Source(0, Path("any.cu"), (), "")

    class Lock:
        """Is taken after another thread has had it."""

        def __enter__(self) -> None:
            source._lock = threading.Lock()
            source.kernel("made", 200_000)

        def __exit__(self, *_: object) -> None:
            pass

    source._lock = cast("Any", Lock())
    source.kernel("made", 100_000)
    assert asked == [200_000]
    source.kernel("made", 210_000)
    assert asked == [200_000, 210_000]


def test_forms_fit() -> None:
    forms = checks.forms()
    for form in forms:
        assert form.shared <= 227 << 10
        assert form.DEPTH % 64 == form.COLUMNS % 128 == 0
        assert form.followed_by(96, None) is None
        for columns in (64, 128):
            found = form.followed_by(columns, "relu")
            assert found is None or found.shared <= 227 << 10
    assert forms[0]._replace(NEXT=64, TEAMS=2, STAGES=2).shared <= 227 << 10
    assert forms[0]._replace(NEXT=128, TEAMS=3, STAGES=1).shared <= 227 << 10
    assert forms[0].followed_by(128, "relu") is not None


def test_tiles_fit() -> None:
    """Blocks have the memory that there is, parts have whole rows, and copies whole columns."""
    found = set()
    for count in (1, 49, 64, 65, 128, 197, 256, 257):
        for columns in (8, 576, 768, 2304, 3072, 50000):
            for depth in (64, 384, 768, 3072, 9216):
                for convolution in (False, True):
                    tile = runs.wide_tile(count, columns, depth, convolution)
                    assert count <= 256 or tile is None
                    if tile is not None:
                        if tile.turned:
                            assert (*tile[:4], tile.groups) in TURNED, "it is tried on a GPU"
                        else:
                            found.add(tile[:4])
                        assert tile.shared <= 227 << 10
                        assert tile.columns % 16 == tile.rows % tile.parts == 0
                        assert (tile.columns if tile.turned else tile.rows) % 64 == 0
                        assert tile.parts <= 8
                        assert tile.ahead > 2
    assert found == set(WIDE[:3]), "all of them are tried on a GPU"


def test_what_waits_is_compiled_when_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[str] = []

    def compile_it(*_: object, more: str, **__: object) -> bytes:
        begun.append(more)
        return b"code"

    monkeypatch.setattr(torch.cuda, "init", lambda: None)
    monkeypatch.setattr(compiled, "compiled", compile_it)
    monkeypatch.setattr(compiled, "load_module", lambda code, _: code)
    monkeypatch.setattr(compiled, "kernel_of", lambda *given: given)
    for more, begins in (("now", True), ("later", False), ("never", False)):
        source = compiled.source_of(3, "rows.cu", more=more, begins=begins)
        assert compiled.source_of(3, "rows.cu", more=more, begins=False) is source
        if more != "never":
            assert cast("Any", source.kernel("made")) == (b"code", "made", 3, 0)
            source.begin()  # again
    assert begun == ["now", "later"]
    compiled._source_of.cache_clear()
