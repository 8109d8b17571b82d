"""Each kernel of the package once, on few numbers, for a memory checker to watch.

With `--list` it prints the kernels of the sources, and needs no device.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import cudnn_cffi
import torch
from cudnn_cffi import kernels, ops
from cudnn_cffi.kernels import (
    differing,
    elements,
    few_rows,
    last_queries,
    means,
    normalized,
    one_query,
    reduce,
)
from cudnn_cffi.torch.fusion.kernels import compiled, functions, grouped, runs
from cudnn_cffi.torch.fusion.kernels.fold import Folding
from cudnn_cffi.torch.fusion.products import as_filters, as_image, specs_of
from cudnn_cffi.torch.fusion.weights import Losses, Weights

from tests.gpu import test_few_rows, test_torch_eight_bits, test_torch_rows
from tests.gpu.test_decode_kernels import Call
from tests.torch import normalizing
from tests.torch import rows_and_windows as checks

Kernel = tuple[str, str]

SOURCES = Path(kernels.__file__).parent, Path(compiled.__file__).parent

#: Modules of kernels for arrays of any library, by their sources.
MODULES = {
    **{f"{each.__name__.rpartition('.')[2]}.cu": each
       for each in (elements, few_rows, last_queries, means, normalized, one_query, reduce)},
    "difference.cu": differing,
}  # fmt: skip

#: The sources that get the line of a kernel, KERNEL(argument, function), and their functions.
LINES = {
    "rows.cu": ("product", "wide_product", "windows", "norm", "move", "rotate", "gate"),
    "attention.cu": ("attend",),
}

HALF = torch.float16


def known() -> set[Kernel]:
    """Return the kernels that the sources have: files and names."""
    bounds = r"(?:__launch_bounds__\((?:[^()]|\([^()]*\))*\)|BOUNDS)?"
    found = {(file, name) for file, names in LINES.items() for name in names}
    for folder in SOURCES:
        for path in folder.glob("*.cu"):
            text = path.read_text(encoding="utf-8")
            names = re.findall(rf'^extern "C" __global__ void {bounds}\s*(\w+)\(', text, re.M)
            assert names or path.name in LINES, f"{path.name} has no kernel"
            found |= {(path.name, name) for name in names}
    return found


@contextmanager
def noted() -> Iterator[set[Kernel]]:
    """Give the kernels that are asked for in the block."""
    found: set[Kernel] = set()
    kernel = compiled.Source.kernel

    def of_source(source: compiled.Source, name: str, shared: int = 0) -> Any:
        line = re.search(r"KERNEL\(\w+, \(?(\w+)", source._more)
        found.add((source._file.name, line[1] if line else name))
        return kernel(source, name, shared)

    def of_module(file: str, get: Any, module: Any, name: str, *given: Any, **more: Any) -> Any:
        found.add((file, name))
        return get(module, name, *given, **more)

    with ExitStack() as patches:
        patches.enter_context(mock.patch.object(compiled.Source, "kernel", of_source))
        for file, module in MODULES.items():
            each = mock.patch.object(
                module, "kernel_of", partial(of_module, file, module.kernel_of)
            )
            patches.enter_context(each)
        yield found


class OnHost:
    """PyTorch's functions; those of float64 are computed on the host, which nobody watches."""

    def __getattr__(self, name: str) -> Any:
        function = getattr(torch.nn.functional, name)

        def call(*given: Any, **more: Any) -> Any:
            if given[0].dtype != torch.float64:
                return function(*given, **more)
            own = [each.cpu() if isinstance(each, torch.Tensor) else each for each in given]
            return function(*own, **more).cuda()

        return call


def attention() -> None:
    """Attention over pages of one query, whose parts one block adds, and of several."""
    for queries in (1, 8):
        call = Call(torch, (16, 2, 128, 16, queries, [1500, 0, 77]), "float16")
        call.run(ops.DecodeAttention())
        assert call.o.isfinite().all(), "what lies after the keys is NaN"


def difference() -> None:
    """Two arrays are compared."""
    x = torch.randn(1001, device="cuda")
    with cudnn_cffi.Handle(stream=torch.cuda.current_stream()) as handle, handle._current():
        found = kernels.difference("FLOAT", x.data_ptr(), x.data_ptr(), x.numel(), handle)
    assert not found.apart


def reductions() -> None:
    """Rows, columns, and sums that several blocks have parts of."""
    for shape, axes in (((66, 4099), 1), ((4100, 66), 0), ((1 << 20,), None)):
        x = torch.ones(shape, device="cuda", dtype=HALF)
        y = ops.Reduction("mean", axes)(x)
        assert bool((y == 1).all())


def activations() -> None:
    """An activation of an odd count, its gradient, and means of windows."""
    x = torch.randn(4099, device="cuda", dtype=HALF)
    assert ops.Activation("swish")(x).isfinite().all()
    assert ops.ActivationBackward("swish")(x, x).isfinite().all()
    pool = ops.Pooling("average", (3, 2), (2, 1), (1, 0))
    assert pool(torch.randn(3, 5, 13, 10, device="cuda", dtype=HALF)).isfinite().all()


def batch_norms() -> None:
    """A batch norm of images, with parameters of 16 bits."""
    x = checks.image(2, 24, 5, 7, device="cuda", dtype=HALF)
    scale, bias, mean, variance = torch.rand(4, 24, device="cuda").half()
    y = ops.BatchNormInference(epsilon=0.5)(x, scale, bias, mean, variance)
    given = [each.double().cpu() for each in (x, mean, variance, scale, bias)]
    checks.close(y, torch.nn.functional.batch_norm(*given, eps=0.5).cuda())


def folding() -> None:
    """A norm becomes a part of filters."""
    made = []
    for last in (False, True):
        layer = torch.nn.Conv2d(17, 24, 3).cuda().half()
        made.append(Weights(layer, torch.nn.BatchNorm2d(24).cuda(), last=last))
    fold = Folding(made, 0, Losses)
    fold.run()
    assert all(each.weight.isfinite().all() for each in made)


def product(tile: runs.Tile, window: runs.Window | None = None) -> None:
    """Rows times columns, or windows times filters; extents are no multiples of the tile's."""
    if window is None:
        x, w = (torch.randn(n, 88, device="cuda", dtype=HALF) for n in (33, 72))
        given, wanted = (as_image(x), as_filters(w)), x.double().cpu() @ w.double().cpu().t()
        run = runs.Product(specs_of(x, w, None, None), tile, None, 0)
        y = run(*given)[0, :, :, 0].t()
    else:
        x = checks.image(2, 64, 5, 7, device="cuda", dtype=HALF)
        w = checks.image(72, 64, 3, 3, device="cuda", dtype=HALF)
        wanted = torch.nn.functional.conv2d(x.double().cpu(), w.double().cpu(), None, 1, 1)
        y = checks.image(*wanted.shape, device="cuda", dtype=HALF)
        specs = {name: checks.spec(each) for name, each in (("x", x), ("w", w), ("y", y))}
        y = runs.Product(specs, tile, None, 0, True, window)(x, w, y)
    checks.close(y, wanted.cuda(), scale=20.0)


def rows() -> None:
    """Norms, moves, rotations and gates of rows, and attention of few keys."""
    for rms in (False, True):
        x, w = torch.randn(37, 200, device="cuda").half(), torch.ones(200, device="cuda").half()
        found = {"x": x, "w": w, "y": x} | ({} if rms else {"bias": w})
        specs = {name: ops.Spec.of(each, name) for name, each in found.items()}
        norm: Any = runs.find_norm(specs, 1e-5, rms=rms)
        assert norm(x, w, *[] if rms else [w]).isfinite().all()
    x = torch.randn(2, 7, 6, 24, device="cuda").half()
    pad = torch.nn.functional.pad
    move = functions.Moving([(pad, ((0, 0, 0, 3, 1, 0),), {}), (torch.Tensor.roll, (2, 1), {})])
    assert torch.equal(move(x, move.apply(x)), 2 * move.apply(x))
    heads, angle = torch.randn(3, 5, 3, 32, device="cuda").half(), torch.ones(3, 1, 3, 32).cuda()
    assert functions.rotated(heads, angle.half(), angle.half()).isfinite().all()
    assert functions.gated(x, x, "swish").isfinite().all()
    q, k = (torch.randn(2, 3, n, 64, device="cuda").half() for n in (33, 50))
    assert functions.Attending(None)(q, k, k).isfinite().all()


def cases() -> Iterator[Callable[[], None]]:
    """Yield what launches kernels, each alone."""
    given: list[tuple[str, Any]] = [
        ("windows", [checks.WINDOWS[2]]), ("grouped", [checks.GROUPED[2]]),
        ("few", [checks.FEW[0]]), ("neighbors", [checks.NEIGHBORS[0]]),
        ("neighbors", [checks.NEIGHBORS[2]]),
        ("pixels", [checks.PIXELS[0]]), ("pixels", [checks.PIXELS[2]]),
        ("points", [checks.POINTS[0]]), ("points", [checks.POINTS[3]]), ("repeats", []),
        ("pools", []), ("means", []), ("places", []), ("gates", checks.GATES[0]),
        ("gates", checks.GATES[6]), ("groups", checks.GROUPS[2]), ("groups", checks.GROUPS[4]),
    ]  # fmt: skip
    for name, extents in given:
        yield partial(getattr(checks, f"check_{name}"), "cuda", *extents, HALF)
    yield partial(checks.check_rows, "cuda", checks.ROWS[1], HALF, checks.WORDS[-1:])
    kinds = normalizing.KINDS[:1]
    for case in normalizing.CASES[1:3]:
        yield partial(normalizing.check_norms, "cuda", case, HALF, kinds)
    yield partial(normalizing.check_layer_norms, "cuda", normalizing.ROWS[0], HALF, kinds)
    yield partial(normalizing.check_casts, "cuda", HALF, 10)
    yield partial(test_torch_eight_bits.test_weights, torch, "int8", "float16", True)
    yield partial(test_torch_eight_bits.test_values, torch, "float8_e4m3", "float16")
    yield partial(test_few_rows.test_rotations, torch, "float16", 128)
    for form in ("norm", "gate add"):
        yield partial(test_few_rows.test_products, torch, "float16", form, 3, 576, 96)
    tiles = (*test_torch_rows.TILES[:1], *test_torch_rows.TILES[2:3])
    yield from [partial(product, runs.Tile(*each)) for each in tiles]
    yield partial(product, runs.Tile(*test_torch_rows.WIDE[3], True))
    rows_of, columns, ahead, parts, groups = test_torch_rows.TURNED[1]
    yield partial(product, runs.Tile(rows_of, columns, ahead, parts, True, True, groups))
    window = runs.Window((1, 1), (1, 1), (1, 1))
    yield partial(product, runs.Tile(*test_torch_rows.WIDE[5], True), window)
    yield from (rows, folding, activations, batch_norms, reductions, difference, attention)


def sliding() -> None:
    """Many filters for each channel, which are few here."""
    with mock.patch.object(grouped, "_MANY", 0):
        checks.check_sliding("cuda", checks.SLIDING[0], HALF)


def main() -> None:
    torch.backends.cuda.matmul.allow_tf32 = False
    failed = []

    def run(case: Callable[[], None]) -> None:
        try:
            case()
        except Exception as error:
            failed.append(f"{case}: {type(error).__name__}: {error}")

    with noted() as found, mock.patch.object(checks, "functional", OnHost()):
        with ThreadPoolExecutor(4) as pool:  # most of the time is the compiler's
            list(pool.map(run, cases()))
        run(sliding)
    torch.cuda.synchronize()
    assert not failed, "\n".join(failed)
    left = known() - found
    assert not left, f"not launched: {sorted(left)}"
    print(f"{len(found)} kernels")


if __name__ == "__main__":
    if "--list" in sys.argv:
        print(*sorted(known()), sep="\n")
    else:
        main()
        print("done")
