"""C functions that compute wrong numbers for some calls: errata tell each of these, and no other.

Operations ask the same records.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import pytest
from cudnn_cffi.errata.asks import wrong_function

TYPES = ("float64", "float32", "float16", "bfloat16", "int8")

SHAPE = (2, 3, 4, 5)


def poisoned(torch: Any, shape: Sequence[int], dtype: str, numbers: Any = None) -> Any:
    """Return an array of numbers, or of what nothing computes."""
    kind = getattr(torch, dtype)
    if numbers is not None:
        return numbers.to(kind).cuda()
    return torch.full(tuple(shape), 77 if dtype == "int8" else math.nan, dtype=kind, device="cuda")


def described(cudnn: Any, array: Any) -> Any:
    kind = str(array.dtype).removeprefix("torch.")
    return cudnn.TensorDescriptor.strided(tuple(array.shape), array.stride(), kind)


def is_right(found: Any, wanted: Any, limit: float) -> bool:
    error = (found.cpu().double() - wanted).abs().max() / wanted.abs().max()
    return bool(error <= limit)


def test_sums_of_two_types(cudnn: Any, torch: Any, handle: Any) -> None:
    """With factors of double if a is float64."""
    a, b = (torch.randint(1, 4, SHAPE).double() for _ in range(2))
    right: set[tuple[str, ...]] = set()
    wrong: set[tuple[str, ...]] = set()
    for types in itertools.product(TYPES, repeat=3):
        x, z = (poisoned(torch, SHAPE, t, n) for t, n in zip(types, (a, b), strict=False))
        for compute in ("float32", "float64"):
            op = cudnn.OpTensorDescriptor.of("ADD", compute)
            y = poisoned(torch, SHAPE, types[2])
            arrays = [each for x in (x, z, y) for each in (described(cudnn, x), x)]
            try:
                cudnn.cudnnOpTensor(
                    *(handle, op, 2.0, *arrays[:2], 3.0, *arrays[2:4], 0.0, *arrays[4:])
                )
            except (cudnn.NotSupportedError, cudnn.BadParamError):
                continue
            (right if is_right(y, 2 * a + 3 * b, 0.01) else wrong).add(types)
    assert {(each,) * 3 for each in TYPES} <= right
    for types in right | wrong:
        facts: Any = {"data_type": types[2], "same_types": len(set(types)) == 1}
        assert (types in wrong) is bool(wrong_function("cudnnOpTensor", facts)), types
    assert wrong


@pytest.mark.parametrize("mode", ["INSTANCE", "CHANNEL"])
def test_softmax_of_arrays_in_different_places(
    cudnn: Any, torch: Any, handle: Any, mode: str
) -> None:
    shape = (2, 5, 3, 4)
    x = torch.randn(shape, dtype=torch.float64)
    exact = (x.flatten(1) if mode == "INSTANCE" else x).softmax(1).reshape(shape)
    places = {
        "rows": (60, 12, 4, 1), "gaps": (100, 18, 5, 1), "pixels": (60, 1, 20, 5),
        "columns": (60, 12, 1, 3),
    }  # fmt: skip
    wrong = 0
    for of_x, of_y in itertools.product(places, repeat=2):
        x_room, y_room = (torch.full((256,), math.nan, device="cuda") for _ in range(2))
        source = x_room.as_strided(shape, places[of_x]).copy_(x)
        y = y_room.as_strided(shape, places[of_y])
        cudnn.cudnnSoftmaxForward(
            handle, cudnn.SoftmaxAlgorithm.ACCURATE, cudnn.SoftmaxMode[mode], 1.0,
            described(cudnn, source), source, 0.0, described(cudnn, y), y,
        )  # fmt: skip
        right = is_right(y, exact, 1e-5)
        y.fill_(math.nan)
        right = right and bool(y_room.isnan().all())  # nothing beside it
        facts: Any = {
            "mode": mode, "count": 5, "width": 4, "gaps": False, "same_strides": of_x == of_y,
        }  # fmt: skip
        assert right or wrong_function("cudnnSoftmaxForward", facts), (of_x, of_y)
        wrong += not right
    assert wrong


@pytest.mark.parametrize("other", ["float64", "float32", "float16"])
def test_gradients_of_relu_with_results_of_another_type(
    cudnn: Any, torch: Any, handle: Any, other: str
) -> None:
    x = torch.randint(-3, 4, SHAPE).double()
    relu = cudnn.ActivationDescriptor.relu()
    for kind in ("float64", "float32", "float16"):
        dy, source = (poisoned(torch, SHAPE, kind, each) for each in (torch.ones(SHAPE), x))
        y, dx = poisoned(torch, SHAPE, other, x.relu()), poisoned(torch, SHAPE, kind)
        arrays = [each for array in (y, dy, source) for each in (described(cudnn, array), array)]
        cudnn.cudnnActivationBackward(
            handle, relu, 1.0, *arrays, 0.0, described(cudnn, dx), dx
        )  # fmt: skip
        facts: Any = {
            "mode": "RELU", "coefficient": 0.0, "width": 8, "same_types": kind == other,
            "float64": "float64" in (kind, other),
        }  # fmt: skip
        is_told = bool(wrong_function("cudnnActivationBackward", facts))
        assert is_right(dx, (x > 0).double(), 0.0) is not is_told


WINDOWS: dict[str, Any] = {
    "most": lambda torch, x: torch.nn.functional.max_pool2d(x, 2),
    "means": lambda torch, x: torch.nn.functional.avg_pool2d(x, 2),
    "channels": lambda torch, x: (
        x
        / (2.0 + torch.nn.functional.pad(x * x, (0, 0, 0, 0, 1, 1)).unfold(1, 3, 1).mean(-1))
        ** 0.75
    ),
}


@pytest.mark.parametrize("name", WINDOWS)
def test_gradients_of_windows_with_results_of_another_type(
    cudnn: Any, torch: Any, handle: Any, name: str
) -> None:
    """All are right but some of float64, which the record names."""
    x = (torch.randperm(120).double().reshape(SHAPE) - 60).requires_grad_()
    y = WINDOWS[name](torch, x)
    given = 4 * torch.randint(1, 4, y.shape).double()
    (exact,) = torch.autograd.grad(y, x, given)
    pool = cudnn.PoolingDescriptor
    function, options = {
        "most": ("cudnnPoolingBackward", (pool.max(2),)),
        "means": ("cudnnPoolingBackward", (pool.average(2),)),
        "channels": (
            "cudnnLRNCrossChannelBackward",
            (cudnn.LRNDescriptor.of(3, 1.0, 0.75, 2.0), cudnn.LRNMode.CROSS_CHANNEL_DIM1),
        ),
    }[name]
    taken = 0
    for of_y, kind in itertools.product(TYPES[:4], repeat=2):
        own, dy = poisoned(torch, y.shape, of_y, y.detach()), poisoned(torch, y.shape, kind, given)
        source, dx = poisoned(torch, SHAPE, kind, x.detach()), poisoned(torch, SHAPE, kind)
        arrays = [each for array in (own, dy, source) for each in (described(cudnn, array), array)]
        try:
            getattr(cudnn, function)(handle, *options, 1.0, *arrays, 0.0, described(cudnn, dx), dx)
        except (cudnn.NotSupportedError, cudnn.BadParamError):
            continue
        facts: Any = {
            "mode": name, "channels": 3, "layout": "NCHW", "width": 5, "same_types": of_y == kind,
            "float64": "float64" in (of_y, kind),
        }  # fmt: skip
        taken += 1
        print(name, of_y, kind, right := is_right(dx, exact, 0.05))
        assert right or wrong_function(function, facts), (of_y, kind)
    assert taken > 3


@pytest.mark.parametrize("size", range(1, 9))
def test_gradients_of_divisive_norm(cudnn: Any, torch: Any, handle: Any, size: int) -> None:
    pad = torch.nn.functional.pad
    x = torch.randn(2, 3, 9, 8, dtype=torch.float64, requires_grad=True)
    before, after = (size - 1) // 2, size // 2
    squares = pad(x * x, (before, after) * 2).unfold(2, size, 1).unfold(3, size, 1).mean((-1, -2))
    exact = x / (2.0 + squares) ** 0.75
    given = torch.randn_like(exact)
    (gradient,) = torch.autograd.grad(exact, x, given)
    norm, mode = cudnn.LRNDescriptor.of(size, 1.0, 0.75, 2.0), cudnn.DivNormMode.PRECOMPUTED_MEANS
    source, dy = x.detach().cuda(), given.cuda()
    y, dx, *spare = (torch.full_like(source, math.nan) for _ in range(4))
    desc = described(cudnn, source)
    cudnn.cudnnDivisiveNormalizationForward(
        handle, norm, mode, 1.0, desc, source, None, *spare, 0.0, desc, y
    )
    cudnn.cudnnDivisiveNormalizationBackward(
        handle, norm, mode, 1.0, desc, source, None, dy, *spare, 0.0, desc, dx, None
    )
    assert is_right(y, exact.detach(), 1e-6)
    is_told = bool(wrong_function("cudnnDivisiveNormalizationBackward", {"size": size}))
    assert is_right(dx, gradient, 1e-6) is not is_told


@pytest.mark.parametrize("algorithm", [0, 1])
@pytest.mark.parametrize("is_on_device", [False, True])
def test_losses_of_sequences_without_labels(
    cudnn: Any, torch: Any, handle: Any, algorithm: int, is_on_device: bool
) -> None:
    """Gradients after the ends of sequences stay as they are."""
    lengths, times = [2, 0, 1], [6, 4, 5]
    x = torch.randn(6, 3, 5, dtype=torch.float64, requires_grad=True)
    labels = torch.tensor([1, 2, 3])
    exact = torch.nn.functional.ctc_loss(
        x.log_softmax(2), labels, torch.tensor(times), torch.tensor(lengths), reduction="none"
    )
    (gradient,) = torch.autograd.grad(exact.sum(), x)
    source = x.detach().float().cuda()
    desc = cudnn.TensorDescriptor.packed((6, 3, 5), "float32", axes=3)
    loss = cudnn.CTCLossDescriptor.of("float32", normalisation="SOFTMAX", max_label_length=4)
    word = cudnn.CTCLossAlgo(algorithm)
    costs, dx = (torch.full(each, math.nan, device="cuda") for each in ((3,), (6, 3, 5)))
    if is_on_device:
        size = cudnn.cudnnGetCTCLossWorkspaceSize_v8(handle, word, loss, desc, desc)
        space = torch.full((size + 1,), 255, dtype=torch.uint8, device="cuda")
        numbers = [torch.tensor(e, dtype=torch.int32, device="cuda") for e in (lengths, times)]
        cudnn.cudnnCTCLoss_v8(
            handle, word, loss, desc, source, labels.int().cuda(), *numbers, costs, desc, dx, size,
            space,
        )  # fmt: skip
    else:
        host = labels.tolist(), lengths, times
        size = cudnn.cudnnGetCTCLossWorkspaceSize(handle, desc, desc, *host, word, loss)
        space = torch.full((size + 1,), 255, dtype=torch.uint8, device="cuda")
        cudnn.cudnnCTCLoss(
            handle, desc, source, *host, costs, desc, dx, word, loss, space, size
        )  # fmt: skip
    name = "cudnnCTCLoss_v8" if is_on_device else "cudnnCTCLoss"
    for i, (count, time) in enumerate(zip(lengths, times, strict=True)):
        facts: Any = {"has_labels": count > 0, "lengths": False}
        is_told = bool(wrong_function(name, facts))
        assert is_right(costs[i], exact.detach()[i], 1e-4) is not is_told
        assert is_right(dx[:time, i], gradient[:time, i], 1e-3) is not is_told
        assert bool(dx[time:, i].isnan().all())
    assert wrong_function(name, {"has_labels": True, "lengths": True})


@pytest.mark.parametrize("projects_values", [False, True])
@pytest.mark.parametrize("order", [*itertools.permutations(("TIME_DIM", "BATCH_DIM", "BEAM_DIM"))])
def test_attention_that_projects_results(
    cudnn: Any, torch: Any, handle: Any, projects_values: bool, order: Any
) -> None:
    batch, time, size = 3, 5, 8
    attention = cudnn.AttnDescriptor.of(
        2, size, v_projection=4 if projects_values else 0, o_projection=6, max_q_length=time,
        max_kv_length=time, max_batch=batch, scale=0.5,
    )  # fmt: skip
    numbers, work, keep = cudnn.cudnnGetMultiHeadAttnBuffers(handle, attention)
    weights = torch.randn(numbers // 4, device="cuda")
    space = torch.full((work + keep + 1,), 255, dtype=torch.uint8, device="cuda")  # NaN
    x = torch.randn(batch * time * size, device="cuda")
    o = torch.full((batch * time * 6,), math.nan, device="cuda")
    lengths = torch.full((batch,), time, dtype=torch.int32, device="cuda")
    of_x, of_o = (
        cudnn.SeqDataDescriptor.of(time, batch, 1, each, axes=(*order, "VECT_DIM"))
        for each in (size, 6)
    )
    cudnn.cudnnMultiHeadAttnForward(
        handle, attention, -1, [0] * time, [time] * time, lengths, lengths, of_x, x, None, of_x, x,
        of_x, x, of_o, o, numbers, weights, work + keep, space, 0, None,
    )  # fmt: skip
    facts: Any = {
        "projects_values": projects_values, "projects_output": True,
        "time_first": order.index("TIME_DIM") < order.index("BATCH_DIM"),
    }  # fmt: skip
    is_told = bool(wrong_function("cudnnMultiHeadAttnForward", facts))
    assert bool(o.isfinite().all()) is not is_told
