"""Operations by PyTorch on the CPU, in the place of cuDNN's: what is around them can be tested so.

They take the arguments of `cudnn_cffi.ops` and return what those return, without gradients, so that a
wrong order, a missing gradient or a wrong option is found without a GPU.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest
import torch
from cudnn_cffi import errors, ops
from cudnn_cffi._operation.operation import CLASSES
from cudnn_cffi.ops.attn.dot_product import AttentionGradients, AttentionResults
from cudnn_cffi.ops.attn.multi_head import MultiHeadGradients, MultiHeadResults
from cudnn_cffi.ops.conv.causal import CausalGradients, FFTCausalGradients, FFTCausalResults
from cudnn_cffi.ops.element.dropout import Dropped
from cudnn_cffi.ops.loss.ctc import CTCResults
from cudnn_cffi.ops.norm.batch_activation import (
    BatchNormActivationGradients,
    BatchNormActivationResults,
)
from cudnn_cffi.ops.norm.local import DivisiveGradients
from cudnn_cffi.ops.norm.results import NormGradients, NormResults
from cudnn_cffi.ops.window.aggregation import AggregationResults
from cudnn_cffi.torch.autograd import layer
from cudnn_cffi.torch.autograd.layouts import empty, is_last
from cudnn_cffi.torch.modules import base

from tests.activations import activate

F = torch.nn.functional


def pairs(padding: Any) -> list[tuple[int, int]]:
    return [each if isinstance(each, tuple) else (each, each) for each in padding]


def padded(x: Any, padding: Any) -> Any:
    flat = [side for pair in reversed(pairs(padding)) for side in pair]
    return F.pad(x, flat)


def convolve(op: Any, x: Any, w: Any) -> Any:
    o = op.options
    function = (F.conv1d, F.conv2d, F.conv3d)[w.dim() - 3]
    return function(padded(x, o["padding"]), w, None, o["stride"], 0, o["dilation"], o["groups"])


def laid_out(y: Any, *given: Any) -> Any:
    """Return a result in the layout of the first input that has one layout alone, as `ops` does."""
    # `last_format` would count: tests of known calls count what runs of the package's Python.
    form = {4: torch.channels_last, 5: torch.channels_last_3d}.get(y.dim())
    for each in given:
        if form is not None and each.dim() == y.dim():
            first, last = each.is_contiguous(), each.is_contiguous(memory_format=form)
            if first != last:
                return y.contiguous(memory_format=form if last else torch.contiguous_format)
    return y.contiguous()


def convolution(op: Any, x: Any, w: Any, bias: Any = None) -> Any:
    y = convolve(op, x, w)
    y = y if bias is None else y + bias.reshape(-1, *(1,) * (w.dim() - 2))
    return laid_out(y, x, w)


def gradient(function: Callable[..., Any], like: Any, dy: Any) -> Any:
    with torch.enable_grad():
        like = like.detach().clone().requires_grad_()
        return torch.autograd.grad(function(like), like, dy)[0]


def convolution_backward_data(op: Any, dy: Any, w: Any, shape: Any) -> Any:
    return gradient(lambda x: convolve(op, x, w), dy.new_zeros(tuple(shape)), dy)


def convolution_backward_filter(op: Any, x: Any, dy: Any, shape: Any) -> Any:
    return gradient(lambda w: convolve(op, x, w), x.new_zeros(tuple(shape)), dy)


def convolution_backward_bias(op: Any, dy: Any) -> Any:
    channels = int(op.options["batch"])
    return dy.sum([axis for axis in range(dy.dim()) if axis != channels])


def convolution_transpose(op: Any, x: Any, w: Any, bias: Any = None) -> Any:
    o = op.options
    function = (F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d)[w.dim() - 3]
    return function(
        x, w, bias, o["stride"], o["padding"], o["output_padding"], o["groups"], o["dilation"]
    )


def pooling(op: Any, x: Any) -> Any:
    o = op.options
    count = x.dim() - 1 - o["batch"]
    if o["kind"] == "max":
        function = (F.max_pool1d, F.max_pool2d, F.max_pool3d)[count - 1]
        return function(x, o["window"], o["stride"], o["padding"])
    function = (F.avg_pool1d, F.avg_pool2d, F.avg_pool3d)[count - 1]
    return function(x, o["window"], o["stride"], o["padding"], False, o["kind"] == "average")


def apply(op: Any, x: Any) -> Any:
    return activate(op.options["activation"], x, op.options["coefficient"])


def activation(op: Any, x: Any, out: Any = None) -> Any:
    y = apply(op, x)
    return y if out is None else out.copy_(y)


def activation_backward(op: Any, dy: Any, x: Any, y: Any = None) -> Any:
    assert y is None or dy.stride() == y.stride()
    if x is None:  # what has this result is an input, too
        x = {"sigmoid": torch.logit, "tanh": torch.atanh}.get(
            op.options["activation"], torch.clone
        )(y)
    assert dy.stride() == x.stride()
    return gradient(lambda x: apply(op, x), x, dy)


def softmax(op: Any, x: Any) -> Any:
    axis = op.options["axis"]
    y = torch.log_softmax(x, axis) if op.options["log"] else torch.softmax(x, axis)
    return torch.empty_like(x).copy_(y)  # PyTorch's has channels first on the CPU, in some releases


def softmax_backward(op: Any, dy: Any, y: Any) -> Any:
    axis = op.options["axis"]
    if op.options["log"]:
        return dy - y.exp() * dy.sum(axis, keepdim=True)
    return y * (dy - (dy * y).sum(axis, keepdim=True))


def batch_norm(op: Any, x: Any, scale: Any, bias: Any, mean: Any = None, var: Any = None) -> Any:
    o = op.options
    y = F.batch_norm(x, mean, var, scale, bias, True, o["momentum"], o["epsilon"])
    axes = [axis for axis in range(x.dim()) if axis != 1]
    inverse = (x.var(axes, unbiased=False) + o["epsilon"]).rsqrt()
    return NormResults(y, x.mean(axes), inverse)


def batch_norm_backward(op: Any, dy: Any, x: Any, scale: Any, mean: Any, inverse: Any) -> Any:
    found = torch.ops.aten.native_batch_norm_backward(
        dy, x, scale, None, None, mean, inverse, True, op.options["epsilon"], [True] * 3
    )
    return NormGradients(*found)


def batch_norm_activation(
    op: Any, x: Any, scale: Any, bias: Any, residual: Any = None, mean: Any = None, var: Any = None
) -> Any:
    """The reserve, which a fused addition keeps, is the signs of the result here."""
    assert residual is None or residual.stride() == x.stride()
    y, batch_mean, inverse = batch_norm(op, x, scale, bias, mean, var)
    y = torch.relu(y if residual is None else y + residual)
    reserve = (y > 0).to(torch.uint8) if residual is not None else x.new_empty(1, dtype=torch.uint8)
    return BatchNormActivationResults(y, batch_mean, inverse, reserve)


def batch_norm_activation_backward(
    op: Any, dy: Any, x: Any, y: Any, scale: Any, bias: Any, mean: Any, inverse: Any,
    reserve: Any = None,
) -> Any:  # fmt: skip
    assert dy.stride() == x.stride() == y.stride()
    assert bias.shape == scale.shape == mean.shape
    kept = reserve is not None and reserve.numel() > 1
    assert op.options["residual"] or not kept, "it goes with the gradient of what was added"
    inner = dy * (reserve if kept else y > 0)
    found = batch_norm_backward(op, inner, x, scale, mean, inverse)
    dx, dscale, dbias = found
    added = inner if op.options["residual"] else None
    return BatchNormActivationGradients(dx, dscale, dbias, added)


def batch_norm_inference(op: Any, x: Any, scale: Any, bias: Any, mean: Any, var: Any) -> Any:
    wide = torch.promote_types(x.dtype, torch.float32)  # parameters may have several types
    given = [each.to(wide) for each in (x, mean, var, scale, bias)]
    return F.batch_norm(*given, False, 0.0, op.options["epsilon"]).to(x.dtype)


def normalized(op: Any, x: Any, scale: Any, bias: Any) -> Any:
    epsilon = op.options["epsilon"]
    if isinstance(op, (ops.InstanceNorm, ops.InstanceNormBackward)):
        return F.instance_norm(x, None, None, scale, bias, True, 0.0, epsilon)
    if isinstance(op, (ops.RMSNorm, ops.RMSNormBackward)):
        return F.rms_norm(x, scale.shape, scale, epsilon)
    return F.layer_norm(x, scale.shape, scale, bias, epsilon)


def norm(op: Any, x: Any, scale: Any, bias: Any = None) -> Any:
    y = normalized(op, x, scale, bias)
    if not op.options["statistics"]:
        return y
    if isinstance(op, ops.InstanceNorm):
        axes = tuple(range(2, x.dim()))
    else:
        axes = tuple(range(x.dim() - scale.dim(), x.dim()))
    x = x if x.dtype == torch.float64 else x.float()
    mean = x.mean(axes, keepdim=True)
    if isinstance(op, ops.RMSNorm):
        inverse = (x.square().mean(axes, keepdim=True) + op.options["epsilon"]).rsqrt()
        return NormResults(y, None, inverse)
    inverse = (x.var(axes, unbiased=False, keepdim=True) + op.options["epsilon"]).rsqrt()
    return NormResults(y, mean, inverse)


def norm_backward(op: Any, dy: Any, x: Any, scale: Any, *statistics: Any) -> Any:
    assert len(statistics) == (1 if isinstance(op, ops.RMSNormBackward) else 2)
    with torch.enable_grad():
        x, scale = x.detach().requires_grad_(), scale.detach().requires_grad_()
        bias = torch.zeros_like(scale).requires_grad_()
        y = normalized(op, x, scale, bias)
        found = torch.autograd.grad(y, (x, scale, bias), dy, allow_unused=True)
    return NormGradients(*found)


layer_norm = rms_norm = instance_norm = norm
layer_norm_backward = rms_norm_backward = instance_norm_backward = norm_backward


def group_norm(op: Any, x: Any, scale: Any = None, bias: Any = None) -> Any:
    count = op.options["groups"]
    y = F.group_norm(x, count, scale, bias, op.options["epsilon"])
    if not op.options["statistics"]:
        return y
    rows = x.reshape(x.shape[0], count, -1)
    inverse = (rows.var(2, unbiased=False) + op.options["epsilon"]).rsqrt()
    return NormResults(y, rows.mean(2), inverse)


def group_norm_backward(op: Any, dy: Any, x: Any, scale: Any, mean: Any, inverse: Any) -> Any:
    weight = x.new_ones(x.shape[1]) if scale is None else scale
    with torch.enable_grad():
        given = [each.detach().requires_grad_() for each in (x, weight, torch.zeros_like(weight))]
        y = F.group_norm(given[0], op.options["groups"], *given[1:], op.options["epsilon"])
        return NormGradients(*torch.autograd.grad(y, given, dy))


def local_response_norm(op: Any, x: Any) -> Any:
    return F.local_response_norm(x, *(op.options[name] for name in ("size", "alpha", "beta", "k")))


def divisive(op: Any, x: Any, means: Any = None) -> Any:
    """Window by window, from the formula."""
    o = op.options
    reach = o["size"] // 2
    axes = x.dim() - 2
    parts = []
    for place in itertools.product(*[range(extent) for extent in x.shape[2:]]):
        window = (..., *[slice(max(p - reach, 0), p + reach + 1) for p in place])
        center = 0.0 if means is None else means[(..., *place)][(..., *(None,) * axes)]
        total = (x[window] - center).square().flatten(2).sum(2)
        parts.append(
            x[(..., *place)] / (o["k"] + o["alpha"] / o["size"] ** axes * total) ** o["beta"]
        )
    return torch.stack(parts, 2).view(x.shape)


def divisive_norm(op: Any, x: Any, means: Any = None) -> Any:
    assert means is None or means.stride() == x.stride()
    return torch.empty_like(x).copy_(divisive(op, x, means))


def divisive_norm_backward(op: Any, dy: Any, x: Any, means: Any = None) -> Any:
    with torch.enable_grad():
        given = [each.detach().requires_grad_() for each in (x, means) if each is not None]
        found = torch.autograd.grad(divisive(op, *given), given, dy)
    found = [torch.empty_like(x).copy_(each) for each in found]
    return DivisiveGradients(*found, *(None,) * (2 - len(found)))


def attend(op: Any, q: Any, k: Any, v: Any, bias: Any = None) -> Any:
    o = op.options
    assert not o["dropout"]
    return F.scaled_dot_product_attention(
        q, k, v, bias, 0.0, bool(o["causal"]), scale=o["scale"], enable_gqa=True
    )


def attention(op: Any, q: Any, k: Any, v: Any, *, bias: Any = None, **_: Any) -> Any:
    stats = q.new_zeros((*q.shape[:3], 1), dtype=torch.float32)
    return AttentionResults(attend(op, q, k, v, bias), stats)


def attention_backward(
    op: Any, do: Any, q: Any, k: Any, v: Any, o: Any, stats: Any, *, bias: Any = None, **_: Any
) -> Any:
    with torch.enable_grad():
        given = [each.detach().requires_grad_() for each in (q, k, v)]
        if bias is not None:
            given.append(bias.detach().requires_grad_())
        found = torch.autograd.grad(attend(op, *given), given, do)
    found = [torch.empty_like(a).copy_(b) for a, b in zip(given, found, strict=True)]
    return AttentionGradients(*found, *(None,) * (4 - len(found)))


def decode_attention(
    op: Any, q: Any, k: Any, v: Any, page_table: Any, lengths: Any, *, sink: Any = None, **_: Any
) -> Any:
    """Attend query by query to the keys that it sees."""
    o, options = q.new_zeros((*q.shape[:3], v.shape[3])), op.options
    scale = options["scale"] or q.shape[3] ** -0.5
    window, cap = options["window"] or k.shape[0] * k.shape[2], options["soft_cap"]
    for row, head, count in itertools.product(*map(range, q.shape[:3])):
        end = int(lengths[row]) - q.shape[2] + 1 + count
        places = [(place // k.shape[2], place % k.shape[2]) for place in range(end)][-window:]
        group = head * k.shape[1] // q.shape[1]
        found = [[x[page_table[row, a], group, b].float() for a, b in places] for x in (k, v)]
        if not places:
            continue
        scores = torch.stack(found[0]) @ q[row, head, count].float() * scale
        scores = scores if cap is None else cap * torch.tanh(scores / cap)
        last = [] if sink is None else [sink[head : head + 1]]
        weights = torch.softmax(torch.cat([scores, *last]), 0)[: len(places)]
        o[row, head, count] = weights @ torch.stack(found[1])
    return AttentionResults(o, None)


def affine_grid(op: Any, theta: Any) -> Any:
    return F.affine_grid(theta, list(op.options["size"]), align_corners=True)


def affine_grid_backward(op: Any, dgrid: Any) -> Any:
    theta = dgrid.new_zeros(len(dgrid), 2, 3)
    return gradient(lambda theta: affine_grid(op, theta), theta, dgrid).contiguous()


def grid_sample(op: Any, x: Any, grid: Any) -> Any:
    return F.grid_sample(x, grid, align_corners=True)


def dropout(op: Any, x: Any) -> Any:
    """Drop every third element; the reserve has a bit for each, as cuDNN's."""
    kept = torch.arange(x.numel(), device=x.device) % 3 != 0
    words = torch.zeros((x.numel() + 31) // 32 * 32, dtype=torch.uint8)
    words[: x.numel()] = kept
    reserve = (words.view(-1, 8) * 2 ** torch.arange(8)).sum(1).to(torch.uint8)
    return Dropped(dropped(op, x, reserve), reserve)


def dropped(op: Any, x: Any, reserve: Any) -> Any:
    kept = (reserve[:, None] >> torch.arange(8)) & 1
    return x * kept.flatten()[: x.numel()].view_as(x) / (1 - op.options["rate"])


def dropout_backward(op: Any, dy: Any, reserve: Any) -> Any:
    assert dy.is_contiguous()
    return dropped(op, dy, reserve)


def ctc_loss(op: Any, x: Any, labels: Any, times: Any, lengths: Any, *, gradient: bool) -> Any:
    on_device = isinstance(labels, torch.Tensor)
    assert not on_device or labels.dtype == times.dtype == lengths.dtype == torch.int32
    labels, times, lengths = (torch.as_tensor(each) for each in (labels, times, lengths))
    with torch.enable_grad():
        x = x.detach().requires_grad_()
        count = int(lengths.sum())
        loss = F.ctc_loss(x.log_softmax(2), labels[:count], times, lengths, reduction="none")
        (grad,) = torch.autograd.grad(loss.sum(), x)
    return CTCResults(loss.detach(), grad if gradient else None)


def im2col(op: Any, x: Any) -> Any:
    o = op.options
    y = F.unfold(x, o["window"], o["dilation"], o["padding"], o["stride"])
    rows = y.transpose(0, 1).contiguous()  # as cuDNN has them
    return rows.transpose(0, 1)


def col2im(op: Any, y: Any) -> Any:
    o = op.options
    assert y.is_contiguous() or y.transpose(0, 1).is_contiguous()
    made = F.fold(y, o["shape"][2:], o["window"], o["dilation"], o["padding"], o["stride"])
    assert made.shape[1:] == o["shape"][1:]
    return made


def fold(op: Any, x: Any) -> Any:
    (f, g), (n, c, h, w) = op.options["factor"], x.shape
    y = x.reshape(n, c, h // f, f, w // g, g).permute(0, 3, 5, 1, 2, 4)
    y = y.reshape(n, c * f * g, h // f, w // g)
    return empty(x, y.shape, is_last(x)).copy_(y)


def unfold(op: Any, x: Any) -> Any:
    (f, g), (n, c, h, w) = op.options["factor"], x.shape
    y = x.reshape(n, f, g, c // f // g, h, w).permute(0, 3, 4, 1, 5, 2)
    y = y.reshape(n, c // f // g, h * f, w * g)
    return empty(x, y.shape, is_last(x)).copy_(y)


def edges(offsets: Any, indices: Any) -> Any:
    for place in range(len(offsets) - 1):
        yield place, indices[int(offsets[place]) : int(offsets[place + 1])].long()


def aggregate(op: Any, x: Any, offsets: Any, indices: Any) -> Any:
    """Node by node; positions of extremes are nodes."""
    word = op.options["operation"]
    y = x.new_zeros(len(offsets) - 1, x.shape[1])
    positions = offsets.new_zeros(y.shape)
    for place, nodes in edges(offsets, indices):
        rows = x[nodes]
        if word in ("sum", "mean"):
            y[place] = rows.sum(0) / (len(nodes) if word == "mean" and len(nodes) else 1)
        elif len(nodes):
            y[place], where = getattr(rows, word)(0)
            positions[place] = nodes[where].to(offsets.dtype)
    return AggregationResults(y, None if word in ("sum", "mean") else positions)


def aggregate_backward(
    op: Any, dy: Any, offsets: Any, indices: Any, *, positions: Any = None
) -> Any:
    word = op.options["operation"]
    dx = dy.new_zeros(op.options["nodes"], dy.shape[1])
    for place, nodes in edges(offsets, indices):
        if positions is None:
            share = dy[place] / (len(nodes) if word == "mean" and len(nodes) else 1)
            dx.index_add_(0, nodes, share.expand(len(nodes), -1))
        elif len(nodes):
            dx.scatter_add_(0, positions[place][None].long(), dy[place][None])
    return dx


def causal_convolution(op: Any, x: Any, weight: Any, bias: Any = None) -> Any:
    x = x.transpose(1, 2) if op.options["channels_last"] else x
    y = F.conv1d(F.pad(x, (weight.shape[1] - 1, 0)), weight[:, None], bias, groups=x.shape[1])
    y = F.silu(y) if op.options["activation"] else y
    return (y.transpose(1, 2) if op.options["channels_last"] else y).contiguous()


def causal_convolution_backward(op: Any, dy: Any, x: Any, weight: Any, bias: Any = None) -> Any:
    bias = weight.new_zeros(len(weight)) if bias is None else bias
    with torch.enable_grad():
        given = [each.detach().requires_grad_() for each in (x, weight, bias)]
        found = torch.autograd.grad(causal_convolution(op, *given), given, dy)
    kind = torch.float64 if x.dtype == torch.float64 else torch.float32
    return CausalGradients(found[0], *[each.to(kind) for each in found[1:]])


def fft_causal_convolution(op: Any, x: Any, weight: Any) -> Any:
    y = F.conv1d(F.pad(x, (weight.shape[1] - 1, 0)), weight[:, None], groups=x.shape[1])
    return FFTCausalResults(y, torch.cat([x, weight.expand(len(x), -1, -1)], 2)
                            if op.options["long"] else None)  # fmt: skip


def fft_causal_convolution_backward(
    op: Any, dy: Any, x: Any = None, weight: Any = None, reserve: Any = None
) -> Any:
    assert (x is None) == (weight is None) == (reserve is not None)
    if reserve is not None:
        x, weight = reserve.split([dy.shape[2], op.options["kernel"]], 2)
        weight = weight[0]
    with torch.enable_grad():
        given = [each.detach().contiguous().requires_grad_() for each in (x, weight)]
        y = F.conv1d(
            F.pad(given[0], (weight.shape[1] - 1, 0)), given[1][:, None], groups=x.shape[1]
        )
        return FFTCausalGradients(*torch.autograd.grad(y, given, dy))


def tensor_operation(op: Any, a: Any, b: Any = None, *, alpha: float = 1.0) -> Any:
    word, alpha2 = op.options["operation"], op.options["alpha2"]
    a = a * alpha
    made = {
        "add": lambda: a + alpha2 * b, "mul": lambda: a * (alpha2 * b),
        "min": lambda: torch.minimum(a, alpha2 * b), "max": lambda: torch.maximum(a, alpha2 * b),
        "sqrt": lambda: a.sqrt(), "not": lambda: 1 - a,
    }[word]()  # fmt: skip
    return made


def reduce(op: Any, x: Any) -> Any:
    """Over the last axis, to which those that are reduced are moved."""
    axes, keep = op.options["axes"], op.options["keep_axes"]
    kept = [axis for axis in range(x.dim()) if axis not in axes]
    rows = x.permute(*kept, *axes).reshape(*[x.shape[axis] for axis in kept], -1)
    made = {
        "add": lambda: rows.sum(-1), "avg": lambda: rows.mean(-1), "mul": lambda: rows.prod(-1),
        "min": lambda: rows.amin(-1), "max": lambda: rows.amax(-1),
        "amax": lambda: rows.abs().amax(-1), "norm1": lambda: rows.abs().sum(-1),
        "norm2": lambda: rows.square().sum(-1).sqrt(),
        "mul_no_zeros": lambda: torch.where(rows == 0, 1.0, rows).prod(-1),
    }[op.options["operation"]]()  # fmt: skip
    full = [1 if axis in axes else n for axis, n in enumerate(x.shape)]
    return made.reshape(full) if keep else made


def transform(op: Any, x: Any) -> Any:
    layout, dtype = op.options["layout"], op.options["dtype"]
    last = is_last(x) if layout is None else layout == "NHWC"
    made = x if dtype is None else x.to(getattr(torch, dtype))
    return empty(made, made.shape, last).copy_(made)


def heads_of(op: Any, weights: Any) -> list[Any]:
    """The matrices of each head, one after the other."""
    o, found, start = op.options, [], 0
    for size, width in (("q_size", "q_projection"), ("k_size", "k_projection"),
                        ("v_size", "v_projection"), ("v_projection", "o_projection")):  # fmt: skip
        shape = (o["heads"], o[width], o[size])
        count = shape[0] * shape[1] * shape[2]
        found.append(weights[start : start + count].view(shape))
        start += count
    assert start == weights.numel()
    return found


def attend_heads(op: Any, q: Any, k: Any, v: Any, weights: Any, residual: Any) -> Any:
    o = op.options
    wq, wk, wv, wo = heads_of(op, weights)
    if not o["batch_first"]:
        q, k, v = (each.transpose(0, 1) for each in (q, k, v))
    q, k, v = (torch.einsum("bts,hps->bhtp", each, w) for each, w in ((q, wq), (k, wk), (v, wv)))
    made = F.scaled_dot_product_attention(q, k, v, None, 0.0, o["causal"], scale=o["scale"])
    made = torch.einsum("bhtp,hop->bto", made, wo)
    made = made if o["batch_first"] else made.transpose(0, 1)
    return (made if residual is None else made + residual).contiguous()


def multi_head_attention(
    op: Any, q: Any, k: Any, v: Any, weights: Any = None, residual: Any = None, *,
    training: bool = False,
) -> Any:  # fmt: skip
    made = attend_heads(op, q, k, v, weights, residual)
    return MultiHeadResults(made, torch.ones(1, dtype=torch.uint8) if training else None)


def multi_head_attention_backward(
    op: Any, do: Any, q: Any, k: Any, v: Any, weights: Any, reserve: Any
) -> Any:
    assert reserve.item() == 1
    reserve.zero_()  # it serves one call
    with torch.enable_grad():
        given = [each.detach().requires_grad_() for each in (q, k, v, weights)]
        dq, dk, dv, dweights = given
        y = attend_heads(op, dq, dk, dv, dweights, None)
        found = torch.autograd.grad(y, given, do)
    return MultiHeadGradients(*found)


def differentiated(op: Any, *given: Any) -> Any:
    """The gradients of the operation that names this one, for the operands that `gives` names."""
    forward = next(each for each in CLASSES.values() if op.word in each.gradient)
    named = dict(zip(op.takes, given, strict=True))
    assert "y" not in named or named["dy"].shape == named["y"].shape
    with torch.enable_grad():
        inputs = {name: named[name].detach().requires_grad_() for name in forward.takes}
        wanted = [inputs[name.removeprefix("d")] for name in op.gives]
        found = torch.autograd.grad(STAND_INS[forward](op, *inputs.values()), wanted, named["dy"])
    return found if len(found) > 1 else found[0]


def stand_ins() -> dict[type, Callable[..., Any]]:
    """The function of each operation: the one of its name, or the gradient of another's.

    Recurrent networks, cross entropy and what changes arrays in place have none.
    """
    found = {cls: globals()[word] for word, cls in CLASSES.items() if word in globals()}
    for cls in tuple(found):
        for word in cls.gradient:
            found.setdefault(CLASSES[word], differentiated)
    return found


STAND_INS = stand_ins()


def refuse(*arrays: Any) -> None:
    """Refuse what cuDNN's operations do, or some of them."""
    for each in arrays:
        if isinstance(each, torch.Tensor) and not each.numel():
            raise errors.ArgumentError(f"{tuple(each.shape)} has no elements")
        if isinstance(each, torch.Tensor) and each.is_neg():
            raise errors.ArgumentError("the negative bit is set")
        if isinstance(each, torch.Tensor) and each.dim() == 1 and each.stride() != (1,):
            raise errors.NotSupportedError(f"numbers without gaps, {each.stride()}")


class StandIn:
    """An operation that is computed by PyTorch; it keeps what it was called with."""

    calls: list[str]

    def __init__(self, op: Any, calls: list[str]) -> None:
        self.op = op
        self.calls = calls
        self.arrange: Any = None
        self.behind: Any = None

    def __call__(self, *arrays: Any, **call: Any) -> Any:
        self.calls.append(self.op.word)
        tensors = tuple(each for each in arrays if each is None or isinstance(each, torch.Tensor))
        given = (*self.arrange(tensors), *arrays[len(tensors) :])
        assert len(given) == len(arrays)
        refuse(*given)
        with torch.no_grad():
            return STAND_INS[type(self.op)](self.op, *given, **call)

    def plan(self, *arrays: Any) -> Any:
        """Return what would compute a call, which is this."""
        return self

    def backward(self, *arrays: Any) -> Any:
        """The gradients of multi-head attention, whose operation has those itself."""
        self.calls.append(f"{self.op.word}_backward")
        with torch.no_grad():
            return multi_head_attention_backward(self.op, *arrays)


def take_over(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Have layers compute tensors of the CPU, by PyTorch in the place of cuDNN; return what ran."""
    calls: list[str] = []
    made = layer.Layer.__init__
    made_of: dict[Any, Any] = {}

    def start(self: Any, *options: Any, choose: Any = None, owner: Any = None) -> None:
        made(self, *options, choose=choose)

    def operation(self: Any, **options: Any) -> Any:
        key = (id(self), *options.items())
        if key not in made_of:
            made_of[key] = self, StandIn(self.make(**options), calls)
            made_of[key][1].arrange = self.arrange
        return made_of[key][1]

    monkeypatch.setattr(layer.Layer, "__init__", start)
    monkeypatch.setattr(layer.Layer, "operation", operation)
    monkeypatch.setattr(layer.Layer, "plain", operation)
    monkeypatch.setattr(base, "on_gpu", lambda x: True)
    return calls
