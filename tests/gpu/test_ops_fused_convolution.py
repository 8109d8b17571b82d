"""Factors of fused convolutions, against `cudnnConvolutionBiasActivationForward` and float64."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

#: Factors of numbers: powers of two, so that all results are exact in every type.
FACTORS = (1.0, -2.0, 0.5)

#: Data types, and whether channels are last.
KINDS = [
    ("float32", False), ("float32", True), ("float16", False), ("float16", True),
    ("float64", False),
]  # fmt: skip


@pytest.fixture(scope="module")
def whole(torch: Any) -> Callable[..., Any]:
    """Make arrays of small whole numbers."""
    torch.manual_seed(4)

    def make(*shape: int, dtype: str, last: bool, reach: int = 1) -> Any:
        made = torch.randint(-reach, reach + 1, shape).to("cuda", getattr(torch, dtype))
        return made.contiguous(memory_format=torch.channels_last) if last else made

    return make


def draw(count: int) -> Iterator[dict[str, Any]]:
    """Return random choices of what is fused."""
    chance = random.Random(7)
    every = list(itertools.product((None, "identity", "relu"), (False, True), (False, True),
                                   FACTORS, FACTORS, (0.0, 0.5, 1.0)))  # fmt: skip
    names = ("activation", "bias", "residual", "alpha", "alpha2", "beta")
    for each in chance.sample(every, count):
        yield dict(zip(names, each, strict=True))


@pytest.mark.parametrize(("via", "count"), [(None, 4), ("classic", 24), ("graph", 4)])
@pytest.mark.parametrize(("dtype", "last"), KINDS)
def test_factors(
    torch: Any, cudnn: Any, whole: Any, dtype: str, last: bool, via: str | None, count: int
) -> None:
    """The factor of `out` counts after the activation, that of the residual before it."""
    done = 0
    x = whole(2, 8, 6, 7, dtype=dtype, last=last)
    w = whole(8, 8, 3, 3, dtype=dtype, last=last)
    residual, old = (whole(2, 8, 6, 7, dtype=dtype, last=last, reach=9) for _ in range(2))
    bias = whole(8, dtype=dtype, last=False, reach=9)
    plain = torch.nn.functional.conv2d(x.double(), w.double(), padding=1)
    for each in draw(count):
        expected = each["alpha"] * plain
        more: dict[str, Any] = {}
        if each["bias"]:
            expected += bias.double()[:, None, None]
            more["bias"] = bias
        if each["residual"]:
            expected += each["alpha2"] * residual.double()
            more |= {"residual": residual, "alpha2": each["alpha2"]}
        if each["activation"] == "relu":
            expected = expected.relu()
        out = old.clone() if each["beta"] else torch.full_like(old, float("nan"))
        if each["beta"]:
            expected = expected + each["beta"] * old.double()
        try:
            found = cudnn.ops.convolution(
                x, w, **more, padding=1, activation=each["activation"], out=out,
                alpha=each["alpha"], beta=each["beta"], choose=None if via is None else {"via": via},
            )  # fmt: skip
        except cudnn.NotSupportedError:
            if via != "graph":
                raise
            continue  # not every engine fuses all of it
        assert found is out
        assert torch.equal(out.double(), expected), each
        done += 1
    assert done == count or (via == "graph" and done)


@pytest.mark.parametrize("activation", ["identity", "relu"])
@pytest.mark.parametrize(("dtype", "last"), KINDS[:4])
def test_the_same_as_the_fused_function(
    torch: Any, cudnn: Any, whole: Any, handle: Any, dtype: str, last: bool, activation: str
) -> None:
    x, w = whole(2, 8, 6, 7, dtype=dtype, last=last), whole(8, 8, 3, 3, dtype=dtype, last=last)
    residual = whole(2, 8, 6, 7, dtype=dtype, last=last, reach=9)
    bias = whole(8, dtype=dtype, last=False, reach=9)
    numbers = cudnn.TensorDescriptor.like(bias[None, :, None, None].contiguous())
    tensor, filters = cudnn.TensorDescriptor.like(x), cudnn.FilterDescriptor.like(w)
    convolution = cudnn.ConvolutionDescriptor.cross_correlation(1)
    after = getattr(cudnn.ActivationDescriptor, activation)()
    algorithm = cudnn.ConvolutionFwdAlgo.IMPLICIT_PRECOMP_GEMM
    size = cudnn.cudnnGetConvolutionForwardWorkspaceSize(
        handle, tensor, filters, convolution, tensor, algorithm
    )
    space = torch.empty(max(size, 1), device="cuda", dtype=torch.uint8)
    plain = torch.nn.functional.conv2d(x.double(), w.double(), padding=1)
    for alpha, alpha2 in itertools.product(FACTORS, FACTORS):
        fused = torch.full_like(residual, float("nan"))
        cudnn.cudnnConvolutionBiasActivationForward(
            handle, alpha, tensor, x, filters, w, convolution, algorithm, space, size,
            alpha2, tensor, residual, numbers, bias, after, tensor, fused,
        )  # fmt: skip
        expected = alpha * plain + alpha2 * residual.double() + bias.double()[:, None, None]
        expected = expected.relu() if activation == "relu" else expected
        assert torch.equal(fused.double(), expected), (alpha, alpha2)
        is_new = (alpha, alpha2) == (-2.0, 0.5)  # an engine is compiled for each
        for via in ({"via": "classic"}, *([None] if is_new else ())):
            found = cudnn.ops.convolution(
                x, w, bias, residual, padding=1, activation=activation, alpha=alpha,
                alpha2=alpha2, choose=via,
            )  # fmt: skip
            assert torch.equal(found, fused), (alpha, alpha2, via)


def test_calls_that_differ_in_a_factor_only(torch: Any, cudnn: Any, whole: Any) -> None:
    """A call that is known is not taken for one with another factor."""
    x, w = (whole(*shape, dtype="float32", last=False) for shape in ((1, 4, 5, 5), (4, 4, 1, 1)))
    residual = whole(1, 4, 5, 5, dtype="float32", last=False, reach=9)
    plain = torch.nn.functional.conv2d(x.double(), w.double())
    conv = cudnn.ops.Convolution(activation="relu")
    for factor in (1.0, 0.5, 1.0, -2.0, 0.5, 1.0):
        expected = (plain + factor * residual.double()).relu()
        assert torch.equal(conv(x, w, None, residual, alpha2=factor).double(), expected)
        found = cudnn.ops.convolution(x, w, residual=residual, alpha2=factor, activation="relu")
        assert torch.equal(found.double(), expected)


@pytest.mark.parametrize("last", [False, True])
def test_a_factor_of_zero(torch: Any, cudnn: Any, whole: Any, last: bool) -> None:
    """The residual is not read: cuDNN's fused function takes no NaN from it."""
    x, w = (
        whole(1, 8, 5, 5, dtype="float16", last=last),
        whole(8, 8, 1, 1, dtype="float16", last=last),
    )
    residual = torch.full_like(x, float("nan"))
    found = cudnn.ops.convolution(x, w, residual=residual, alpha2=0.0, activation="relu")
    expected = torch.nn.functional.conv2d(x.double(), w.double()).relu()
    assert torch.equal(found.double(), expected)


def test_a_factor_without_a_residual(cudnn: Any, whole: Any) -> None:
    x, w = (whole(*shape, dtype="float32", last=False) for shape in ((1, 4, 5, 5), (4, 4, 1, 1)))
    for alpha2 in (0.0, 2.0):
        with pytest.raises(cudnn.ArgumentError, match="residual: "):
            cudnn.ops.convolution(x, w, alpha2=alpha2)
    with pytest.raises(cudnn.ArgumentError, match="alpha2: "):
        cudnn.ops.convolution(x, w, None, x, alpha2=float("nan"))
