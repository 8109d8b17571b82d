"""Arrays that begin in the middle of others, at addresses that some engines do not take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from cudnn_cffi import ops

Call = Callable[..., Any]


def at(torch: Any, array: Any, offset: int) -> Any:
    """Return a copy whose address is a multiple of so many bytes, and of no more."""
    room = torch.full((array.numel() + 64,), 7.0, dtype=array.dtype, device="cuda")
    made = room.as_strided(array.shape, array.stride(), offset // array.element_size())
    assert made.data_ptr() % (2 * offset) == offset
    return made.copy_(array)


def cases(fresh: Any, dtype: str) -> dict[str, tuple[Call, tuple[Any, ...]]]:
    """Return operations with what they are called with."""
    rows, other, gain, shift = (
        fresh(32, 128, dtype=dtype), fresh(32, 128, dtype=dtype), fresh(128, dtype=dtype),
        fresh(128, dtype=dtype),
    )  # fmt: skip
    image, filters = fresh(2, 8, 6, 6, dtype=dtype), fresh(8, 8, 3, 3, dtype=dtype)
    last = fresh(2, 8, 6, 6, dtype=dtype, layout="NHWC")
    scale, bias = fresh(8), fresh(8)
    kept = ops.LayerNorm(statistics=True)(rows, gain, shift)
    root = ops.RMSNorm(statistics=True)(rows, gain)
    return {
        "layer_norm": (ops.layer_norm, (rows, gain, shift)),
        "layer_norm_backward": (
            ops.layer_norm_backward, (other, rows, gain, kept.mean, kept.inv_variance)
        ),
        "rms_norm": (ops.rms_norm, (rows, gain)),
        "rms_norm_backward": (ops.rms_norm_backward, (other, rows, gain, root.inv_variance)),
        "instance_norm": (ops.instance_norm, (image, scale, bias)),
        "batch_norm": (ops.BatchNorm(), (last, scale, bias)),
        "convolution": (ops.Convolution(1), (image, filters)),
        "convolution, NHWC": (ops.Convolution(1, activation="relu"), (last, filters, gain[:8])),
        "relu": (ops.relu, (rows,)),
        "gelu": (ops.gelu, (rows,)),
        "add": (ops.add, (rows, other)),
        "sum": (lambda x: ops.reduce(x, "sum", 0), (rows,)),
        "softmax": (lambda x: ops.softmax(x, axis="last"), (rows,)),
        "max_pool": (ops.Pooling("max", 2), (last,)),
    }  # fmt: skip


NAMES = (
    "layer_norm", "layer_norm_backward", "rms_norm", "rms_norm_backward", "instance_norm",
    "batch_norm", "convolution", "convolution, NHWC", "relu", "gelu", "add", "sum", "softmax",
    "max_pool",
)  # fmt: skip


@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize("name", NAMES)
def test_each_input_may_begin_anywhere(
    torch: Any, fresh: Any, error_of: Any, name: str, dtype: str
) -> None:
    call, given = cases(fresh, dtype)[name]
    expected = call(*given)
    limit = 1e-2 if dtype == "float16" else 1e-3
    for place, one in enumerate(given):
        offset = (8, one.element_size())[place % 2]  # each is a plan, which is compiled
        low = [at(torch, each, offset) if i == place else each for i, each in enumerate(given)]
        for _ in range(4):  # the last ones are known to the compiled layer
            found = call(*low)
            both = zip(found, expected) if isinstance(found, tuple) else [(found, expected)]  # noqa: B905
            for got, wanted in both:
                if wanted is not None:
                    assert error_of(got, wanted.cpu().double()) < limit, (place, offset)


@pytest.mark.parametrize("name", ["layer_norm", "instance_norm", "relu"])
def test_outputs_may_begin_anywhere(torch: Any, fresh: Any, error_of: Any, name: str) -> None:
    call, given = cases(fresh, "float16")[name]
    expected = call(*given)
    for offset in (2, 8):
        out = at(torch, torch.zeros_like(expected), offset)
        whole = torch.empty(0, dtype=out.dtype, device="cuda").set_(out.untyped_storage())
        for _ in range(4):
            out.zero_()
            assert call(*given, out=out) is out
            assert error_of(out, expected.cpu().double()) < 1e-2
        begin = offset // 2
        assert bool((whole[:begin] == 7.0).all())
        assert bool((whole[begin + out.numel() :] == 7.0).all())
