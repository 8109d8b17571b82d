"""Arrays that few programs have, against float64, and numbers that the ONNX standard publishes."""

from __future__ import annotations

from typing import Any

import pytest
from cudnn_cffi import NotSupportedError

from tests.gpu.conftest import reference

#: Cases of ONNX's operators: the extents of an image of whole numbers and the first of these, the
#: call, and the result.
PUBLISHED: dict[str, tuple[tuple[int, int], int, Any, list[list[float]]]] = {
    "conv_with_strides_padding": (
        (7, 5), 0, lambda ops, x, ones: ops.convolution(x, ones, padding=1, stride=2),
        [[12, 27, 24], [63, 108, 81], [123, 198, 141], [112, 177, 124]],
    ),
    "conv_with_strides_and_asymmetric_padding": (
        (7, 5), 0,
        lambda ops, x, ones: ops.convolution(x, ones, padding=[(1, 1), (0, 0)], stride=2),
        [[21, 33], [99, 117], [189, 207], [171, 183]],
    ),
    "conv_with_autopad_same": (
        (5, 5), 0, lambda ops, x, ones: ops.convolution(x, ones, padding="same", stride=2),
        [[12, 27, 24], [63, 108, 81], [72, 117, 84]],
    ),
    "convtranspose": (
        (3, 3), 0, lambda ops, x, ones: ops.convolution_transpose(x, ones),
        [[0, 1, 3, 3, 2], [3, 8, 15, 12, 7], [9, 21, 36, 27, 15], [9, 20, 33, 24, 13],
         [6, 13, 21, 15, 8]],
    ),
    "averagepool_2d_precomputed_pads": (
        (5, 5), 1, lambda ops, x, _: ops.average_pool(x, 5, 1, 2, count_padding=False),
        [[7, 7.5, 8, 8.5, 9], [9.5, 10, 10.5, 11, 11.5], [12, 12.5, 13, 13.5, 14],
         [14.5, 15, 15.5, 16, 16.5], [17, 17.5, 18, 18.5, 19]],
    ),
    "averagepool_2d_precomputed_pads_count_include_pad": (
        (5, 5), 1, lambda ops, x, _: ops.average_pool(x, 5, 1, 2),
        [[2.52, 3.6, 4.8, 4.08, 3.24], [4.56, 6.4, 8.4, 7.04, 5.52], [7.2, 10, 13, 10.8, 8.4],
         [6.96, 9.6, 12.4, 10.24, 7.92], [6.12, 8.4, 10.8, 8.88, 6.84]],
    ),
    "averagepool_2d_ceil": (
        (4, 4), 1,
        lambda ops, x, _: ops.average_pool(x, 3, 2, [(0, 1), (0, 1)], count_padding=False),
        [[6, 7.5], [12, 13.5]],
    ),
    "maxpool_2d_precomputed_pads": (
        (5, 5), 1, lambda ops, x, _: ops.max_pool(x, 5, 1, 2),
        [[13, 14, 15, 15, 15], [18, 19, 20, 20, 20], [23, 24, 25, 25, 25], [23, 24, 25, 25, 25],
         [23, 24, 25, 25, 25]],
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("name", PUBLISHED)
def test_published_numbers(ops: Any, torch: Any, name: str, kind: str) -> None:
    (height, width), begin, call, wanted = PUBLISHED[name]
    kinds = {"device": "cuda", "dtype": getattr(torch, kind)}
    x = torch.arange(begin, begin + height * width, **kinds).reshape(1, 1, height, width)
    got = call(ops, x, torch.ones(1, 1, 3, 3, **kinds)).cpu()
    expected = torch.tensor(wanted)[None, None]
    torch.testing.assert_close(got, expected.to(got.dtype), rtol=torch.finfo(got.dtype).eps, atol=0)


@pytest.mark.parametrize("kind", ["float32", "float16"])
@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
@pytest.mark.parametrize("order", [(3, 2, 0, 1), (2, 0, 3, 1)], ids=["HWIO", "other"])
def test_filters_in_another_order(
    ops: Any, torch: Any, fresh: Any, error_of: Any, kind: str, layout: str, order: Any
) -> None:
    """TensorFlow's filters are (height, width, input, output) in memory: engines misread them."""
    back = [order.index(axis) for axis in range(4)]
    w = fresh(16, 8, 3, 2, dtype=kind).permute(back).contiguous().permute(order)
    x, dy = fresh(2, 8, 7, 6, dtype=kind, layout=layout), fresh(2, 16, 5, 5, dtype=kind)
    rx, rw = reference(x).requires_grad_(), reference(w).requires_grad_()
    y = torch.nn.functional.conv2d(rx, rw)
    y.backward(reference(dy))
    choose, limit = {"tf32": False}, {"float32": 1e-5, "float16": 2e-3}[kind]
    assert error_of(ops.convolution(x, w, choose=choose), y.detach()) < limit
    dx = ops.convolution_backward_data(dy, w, tuple(x.shape), choose=choose)
    assert error_of(dx, rx.grad) < limit
    assert error_of(ops.convolution_transpose(dy, w, choose=choose), rx.grad) < limit
    dw = torch.full_like(w, float("nan"))
    assert dw.stride() == w.stride()
    ops.convolution_backward_filter(x, dy, out=dw, choose=choose)
    assert error_of(dw, rw.grad) < limit


def test_columns_of_no_images(ops: Any, torch: Any) -> None:
    x = torch.empty(0, 3, 6, 5, device="cuda")
    columns = ops.im2col(x, (3, 2), padding=(1, 0))
    assert columns.shape == (0, 18, 24)
    assert ops.col2im(columns, x.shape, (3, 2), padding=(1, 0)).shape == x.shape


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
@pytest.mark.parametrize("shape", [(17, 1), (1, 1), (3, 1, 5), (1, 1, 1)])
def test_one_class(ops: Any, fresh: Any, error_of: Any, shape: Any, reduction: str) -> None:
    x, target = fresh(*shape, dtype="float16"), fresh(*shape, dtype="float16")
    loss = ops.cross_entropy(x, target, reduction)
    assert error_of(loss, reference(loss) * 0) == 0


@pytest.mark.parametrize("labels", [[(1, 2), (), (3,)], [(), (), ()]], ids=["some", "none"])
@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_sequences_without_labels(
    ops: Any, torch: Any, fresh: Any, error_of: Any, labels: Any, device: str
) -> None:
    from cudnn_cffi.torch import functional

    x = fresh(6, 3, 4).log_softmax(2).requires_grad_()
    flat = torch.tensor(sum(labels, ()), dtype=torch.long)
    lengths, times = torch.tensor([len(each) for each in labels]), torch.tensor([6, 4, 5])
    exact = reference(x).requires_grad_()
    weights = torch.tensor([1.0, -2.0, 0.5], dtype=torch.float64)
    wanted = torch.nn.functional.ctc_loss(exact, flat, times, lengths, reduction="none")
    wanted.backward(weights)
    flat, times = flat.to(device), times.to(device)
    got = functional.ctc_loss(x, flat, times, lengths.to(device), reduction="none")
    assert error_of(got, wanted.detach()) < 1e-5
    (dx,) = torch.autograd.grad(got, x, weights.float().cuda())
    assert error_of(dx, exact.grad) < 1e-4
    with pytest.raises(NotSupportedError, match="has no labels"):
        ops.ctc_loss(x.detach(), labels, [6, 4, 5])


@pytest.mark.parametrize("kind", ["float32", "float16", "bfloat16", "int8"])
@pytest.mark.parametrize("shape", [(5,), (3, 4), (2, 3, 4, 5)])
def test_copies_in_float64(ops: Any, torch: Any, shape: Any, kind: str) -> None:
    x = (torch.randn(shape, device="cuda") * 20).to(getattr(torch, kind))
    assert torch.equal(ops.transform(x, dtype="float64"), x.double())


def test_what_cudnn_computes_wrong(ops: Any, fresh: Any) -> None:
    attend = ops.MultiHeadAttention(2, 4, o_projection=6, batch_first=False)
    q, weights = fresh(5, 2, 4), fresh(attend.weights_count("float32"))
    with pytest.raises(NotSupportedError, match="memory that was not written"):
        attend(q, q, q, weights)
    x = fresh(2, 3, 5, 6)
    with pytest.raises(NotSupportedError, match="windows of an odd size, got 2"):
        ops.divisive_norm_backward(x, x, size=2)


@pytest.mark.parametrize("kind", ["float32", "float16"])
@pytest.mark.parametrize("first", [1, 3])
def test_multi_head_attention_at_any_address(
    ops: Any, torch: Any, fresh: Any, kind: str, first: int
) -> None:
    attend = ops.MultiHeadAttention(2, 4, 4, 6, q_projection=8, k_projection=8, o_projection=6)
    weights = fresh(attend.weights_count(kind), dtype=kind)
    arrays = [fresh(2, 9, 4, dtype=kind), fresh(2, 2, 4, dtype=kind), fresh(2, 2, 6, dtype=kind)]
    do = fresh(2, 9, 6, dtype=kind)

    def moved(x: Any) -> Any:
        return torch.cat([x.new_zeros(first), x.flatten()])[first:].view(x.shape)

    found = []
    for place in (torch.clone, moved):
        given = [place(each) for each in (*arrays, weights)]
        o, reserve = attend(*given, training=True)
        found.append((o, *attend.backward(place(do), *given, reserve)))
    for one, other in zip(*found, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-3, atol=1e-3)


def test_second_derivatives_of_volumes_in_another_order(
    torch: Any, fresh: Any, error_of: Any
) -> None:
    from cudnn_cffi.torch import functional

    x = fresh(5, 3, 2, 8, 1).permute(4, 3, 1, 2, 0).requires_grad_()
    exact = reference(x).requires_grad_()
    found = []
    for each, module in ((x, functional), (exact, torch.nn.functional)):
        y = module.local_response_norm(each, 3, 0.1)
        (dx,) = torch.autograd.grad(y.square().sum(), each, create_graph=True)
        found += torch.autograd.grad(dx.square().sum(), each)
    assert error_of(*found) < 1e-4
