"""Local response norm beside float64, with numbers that running sums of squares lose."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from cudnn_cffi import errata
from cudnn_cffi._call import mode

from tests.gpu.conftest import capturing

LIMITS = {"float32": 3e-5, "float16": 2e-3}
SHAPES = {
    "images": (2, 12, 5, 7),
    "lines": (2, 12, 9),
    "volumes": (2, 6, 3, 4, 5),
    "one channel": (3, 1, 4, 4),
    "few channels": (2, 3, 1, 6),
    "many pixels": (1, 8, 300, 300),
}
SIZES, LAYOUTS = (1, 4, 5), ("channels first", "channels last", "gaps")
ALPHA, BETA, K = 0.5, 0.75, 2.0


def windows(torch: Any, x: Any, size: int) -> Any:
    """Return the sums over the windows of channels."""
    sides = (size - 1) // 2, size // 2
    padded = torch.nn.functional.pad(x.movedim(1, -1), sides)
    return padded.unfold(-1, size, 1).sum(-1).movedim(-1, 1)


def exact(torch: Any, x: Any, size: int) -> Any:
    x = x.double()
    return x * (K + ALPHA / size * windows(torch, x * x, size)) ** -BETA


def laid_out(torch: Any, x: Any, layout: str) -> Any:
    if layout == "channels last":
        return x.movedim(1, -1).contiguous().movedim(-1, 1)
    if layout == "gaps":
        wide = torch.full((*x.shape[:-1], x.shape[-1] + 3), 99.0, device="cuda", dtype=x.dtype)
        wide[..., : x.shape[-1]] = x
        return wide[..., : x.shape[-1]]
    return x


def check(torch: Any, found: Any, wanted: Any, dtype: str) -> None:
    """Compare each element: large ones beside it must not count."""
    found = found.double()
    assert torch.equal(found.isnan(), wanted.isnan())
    near = (found - wanted).abs() <= LIMITS[dtype] * (wanted.abs() + 1e-3)
    assert bool((near | wanted.isnan()).all()), (found - wanted).abs().nan_to_num(0).max()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("dtype", LIMITS)
def test_large_numbers_and_nan_stay_in_their_windows(
    cudnn: Any, torch: Any, dtype: str, name: str, size: int
) -> None:
    kind = getattr(torch, dtype)
    # Each graph is compiled: there is each pair of a layout, shape, size and type, not all of all.
    number = list(SHAPES).index(name) + SIZES.index(size) + list(LIMITS).index(dtype)
    layout = LAYOUTS[number % 3]
    x = torch.randn(SHAPES[name], device="cuda", dtype=kind)
    x[0, 0].view(-1)[0] = 3e4 if dtype == "float16" else 1e6
    x[-1, -1].view(-1)[-1] = float("nan")
    dy = torch.randn_like(x)
    x, dy = laid_out(torch, x, layout), laid_out(torch, dy, layout)
    operation = cudnn.ops.LocalResponseNorm(size, ALPHA, BETA, K)
    out = torch.full_like(x, float("nan"))
    y = operation(x, out=out)
    assert y is out
    check(torch, y, exact(torch, x, size), dtype)
    with torch.enable_grad():
        given = x.double().requires_grad_()
        exact(torch, given, size).backward(dy.double())
    dx = operation.backward(dy, x, y)
    near = (dx.double() - given.grad).abs() <= 4 * LIMITS[dtype] * (given.grad.abs() + 1)
    assert bool((near | given.grad.isnan()).all())
    # A window of an even number of channels has others forwards and backwards.
    assert torch.equal(dx.isnan(), given.grad.isnan())


def test_results_are_added_to(cudnn: Any, torch: Any) -> None:
    x = torch.randn(2, 8, 4, 5, device="cuda")
    out = torch.randn_like(x)
    wanted = 2 * exact(torch, x, 5) + 3 * out.double()
    cudnn.ops.LocalResponseNorm(5, ALPHA, BETA, K)(x, out=out, alpha=2.0, beta=3.0)
    check(torch, out, wanted, "float32")


def test_a_record_decides_which_function_computes_it(cudnn: Any, torch: Any) -> None:
    """cuDNN's function is wrong for some of the arrays: which, its kernels decide."""
    wrong = []
    images = [name for name, shape in SHAPES.items() if len(shape) == 4]
    for name, size, layout, large in itertools.product(
        images, (3, 5), ("channels first", "channels last"), (1e6, float("nan"))
    ):
        x = torch.randn(SHAPES[name], device="cuda")
        x[:, min(1, x.shape[1] - 1)] = large
        x = laid_out(torch, x, layout)
        wanted = exact(torch, x, size)
        check(torch, computed(cudnn, x, size, by_function=False), wanted, "float32")
        with errata.off("response-norm-running-squares"):
            y = computed(cudnn, x, size, by_function=True).double()
        near = (y - wanted).abs() <= 1e-2 * (wanted.abs() + 1e-3)
        if not bool((near | (y.isnan() & wanted.isnan())).all()):
            wrong.append((name, size, layout, large))
        check(torch, computed(cudnn, x, size, by_function=False), wanted, "float32")
    print(wrong)
    if not wrong:
        pytest.skip("cuDNN's function is right for these arrays: does the record have to end?")


def computed(cudnn: Any, x: Any, size: int, *, by_function: bool) -> Any:
    """Return a response norm, which cuDNN's function computes, or not."""
    with cudnn.ops.record() as log:
        y = cudnn.ops.local_response_norm(x, size, ALPHA, BETA, K)
    assert ["cudnnLRNCrossChannelForward" in each.way for each in log] == [by_function]
    return y


def test_it_is_captured(cudnn: Any, torch: Any) -> None:
    x = torch.randn(2, 8, 4, 5, device="cuda")
    y = torch.empty_like(x)
    cudnn.ops.local_response_norm(x, 5, out=y)
    with capturing() as graph:
        cudnn.ops.local_response_norm(x, 5, out=y)
    for _ in range(2):
        x.normal_()
        y.fill_(float("nan"))
        graph.replay()
        torch.cuda.synchronize()
        wanted = x.double() * (1 + 1e-4 / 5 * windows(torch, x.double() ** 2, 5)) ** -0.75
        check(torch, y, wanted, "float32")


@pytest.mark.parametrize("dtype", LIMITS)
def test_known_calls_are_made_by_the_compiled_layer(cudnn: Any, torch: Any, dtype: str) -> None:
    """Several plans compute a norm, which Python would take a hundred times as long to execute."""
    x = torch.randn(8, 8, 16, 16, device="cuda", dtype=getattr(torch, dtype))
    norm = cudnn.ops.LocalResponseNorm(5, ALPHA, BETA, K)
    backward = cudnn.ops.LocalResponseNormBackward(5, ALPHA, BETA, K)
    y = norm(x)
    for operation, given in ((norm, (x,)), (backward, (x, x, y))):
        way = operation.plan(*given)
        expected = way(*given)
        found = way.attempt(*given)
        assert found is not NotImplemented or mode() == "abi"
        assert found is NotImplemented or torch.equal(found, expected)
