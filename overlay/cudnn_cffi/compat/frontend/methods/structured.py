"""Convolutions, matrix products, reductions, and operations that move data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..enums import convolution_mode, moe_grouped_matmul_mode, reduction_mode
from ..recording import Dims
from ..tensors import Node, Tensor
from .pointwise import Pointwise

if TYPE_CHECKING:
    from ..tensors import Operand, OutDims

Shapes = Mapping[str, Sequence[int]]


def _like(port: str, result: str) -> Any:
    return lambda node: {result: list(node.inputs[port].dim)}


def _spatial(node: Node, rank: int) -> tuple[Any, Any, Any, Any]:
    get = node.params.get
    both = get("padding")
    count = rank - 2
    before, after = get("pre_padding") or both, get("post_padding") or both
    return (
        before or [0] * count,
        after or [0] * count,
        get("stride") or [1] * count,
        get("dilation") or [1] * count,
    )


def _fprop(node: Node) -> Shapes:
    x, w = node.inputs["image"].dim, node.inputs["weight"].dim
    if not x or len(x) != len(w):
        return {}
    before, after, stride, dilation = _spatial(node, len(x))
    found = [x[0], w[0]]
    for i in range(len(x) - 2):
        reach = (w[i + 2] - 1) * dilation[i] + 1
        found.append((x[i + 2] + before[i] + after[i] - reach) // stride[i] + 1)
    return {"Y": found}


def _dgrad(node: Node) -> Shapes:
    dy, w = node.inputs["loss"].dim, node.inputs["filter"].dim
    if not dy or len(dy) != len(w):
        return {}
    before, after, stride, dilation = _spatial(node, len(dy))
    found = [dy[0], w[1]]
    for i in range(len(dy) - 2):
        reach = (w[i + 2] - 1) * dilation[i] + 1
        found.append((dy[i + 2] - 1) * stride[i] + reach - before[i] - after[i])
    return {"DX": found}


def _product(node: Node) -> Shapes:
    a, b = list(node.inputs["A"].dim), list(node.inputs["B"].dim)
    if len(a) < 2 or len(b) < 2:
        return {}
    if a[-1] != b[-2]:
        raise ValueError(f"node {node.name!r}: the inner extents of {a} and {b} differ")
    rank = max(len(a), len(b))
    batches = []
    for ours, theirs in zip(
        [1] * (rank - len(a)) + a[:-2], [1] * (rank - len(b)) + b[:-2], strict=True
    ):
        if ours != theirs and 1 not in (ours, theirs):
            raise ValueError(f"node {node.name!r}: the batches of {a} and {b} differ")
        batches.append(max(ours, theirs))
    return {"C": [*batches, a[-2], b[-1]]}


def _slices(node: Node) -> Shapes:
    dim = node.inputs["input"].dim
    parts = node.params["slices"]
    if len(parts) != len(dim):
        raise ValueError(f"node {node.name!r}: expected {len(dim)} slices, got {len(parts)}")
    return {
        "OUT_0": [
            len(range(*part.indices(extent))) for part, extent in zip(parts, dim, strict=True)
        ]
    }


def _transposed(node: Node) -> Shapes:
    dim = node.inputs["input"].dim
    return {"OUT_0": [dim[axis] for axis in node.params["permutation"]] if dim else []}


def _joined(node: Node) -> Shapes:
    dims = [list(each.dim) for each in node.inputs.values()]
    axis = node.params["axis"]
    result = dims[0]
    if result:
        result[axis] = sum(dim[axis] for dim in dims)
    return {"OUT_0": result}


def _per_channel(node: Node) -> Shapes:
    dim = node.inputs["input"].dim
    kept = [extent if axis == 1 else 1 for axis, extent in enumerate(dim)]
    return {"SUM": kept, "SQ_SUM": kept}


def _quantized(node: Node) -> Shapes:
    dim = list(node.inputs["input"].dim)
    scale, axis = list(dim), node.params.get("axis")
    axis = len(dim) - 1 if axis in (None, -1) else axis
    scale[axis] = -(-scale[axis] // node.params["block_size"])
    return {"Y": dim, "scale": scale}


def _experts(node: Node) -> Shapes:
    rows = {
        moe_grouped_matmul_mode.GATHER: "token_index",
        moe_grouped_matmul_mode.COMBINE: "top_k_scores",
    }.get(node.params.get("mode"), "token")
    if rows not in node.inputs:
        return {}
    return {"OUT_0": [1, node.inputs[rows].dim[-2], node.inputs["weight"].dim[-1]]}


def _expert_weights(node: Node) -> Shapes:
    dy, token, first = (node.inputs[p].dim for p in ("doutput", "token", "first_token_offset"))
    return {"dweight": [first[0], token[-1], dy[-1]]}


class Structured(Pointwise):
    """Convolutions, matrix products, reductions, and operations that move data.

    All take `name`, `compute_data_type`, and `out_dims`, the extents of a result that do not follow
    from the operands.
    """

    def _operation(
        self,
        word: str,
        inputs: Mapping[str, Operand | None],
        params: Mapping[str, object],
        settings: tuple[str, Any, Any],
        dims: Dims | None = None,
        ports: Sequence[str] = ("OUT_0",),
    ) -> list[Tensor]:
        """Add the node of a method whose results are called as their ports are."""
        name, compute, out_dims = settings
        kind = word.upper().replace("BACKWARD", "BWD")
        ends = dict(zip(ports, ports, strict=True))
        return self.add_node(word, kind, inputs, params, ends, name, compute, dims, out_dims)

    def conv_fprop(
        self,
        image: Any,
        weight: Any,
        padding: Sequence[int] | None = None,
        pre_padding: Sequence[int] | None = None,
        post_padding: Sequence[int] | None = None,
        stride: Sequence[int] | None = None,
        dilation: Sequence[int] | None = None,
        convolution_mode: convolution_mode | None = None,
        *,
        name: str = "",
        compute_data_type: object = None,
        out_dims: OutDims | None = None,
    ) -> Tensor:
        """Return a convolution of an image (N, C, ...) with filters (K, C / groups, ...)."""
        inputs = {"image": image, "weight": weight}
        params = _convolution(padding, pre_padding, post_padding, stride, dilation)
        params["convolution_mode"] = convolution_mode
        settings = (name, compute_data_type, out_dims)
        return self._operation("conv_fprop", inputs, params, settings, _fprop, ("Y",))[0]

    def conv_dgrad(
        self,
        loss: Operand,
        filter: Any,
        padding: Sequence[int] | None = None,
        pre_padding: Sequence[int] | None = None,
        post_padding: Sequence[int] | None = None,
        stride: Sequence[int] | None = None,
        dilation: Sequence[int] | None = None,
        convolution_mode: convolution_mode | None = None,
        *,
        name: str = "",
        compute_data_type: object = None,
        out_dims: OutDims | None = None,
    ) -> Tensor:
        """Return the gradient of a convolution for its image; `set_dim` tells its extents."""
        inputs = {"loss": loss, "filter": filter}
        params = _convolution(padding, pre_padding, post_padding, stride, dilation)
        params["convolution_mode"] = convolution_mode
        settings = (name, compute_data_type, out_dims)
        return self._operation("conv_dgrad", inputs, params, settings, _dgrad, ("DX",))[0]

    def conv_wgrad(
        self,
        image: Any,
        loss: Operand,
        padding: Sequence[int] | None = None,
        pre_padding: Sequence[int] | None = None,
        post_padding: Sequence[int] | None = None,
        stride: Sequence[int] | None = None,
        dilation: Sequence[int] | None = None,
        convolution_mode: convolution_mode | None = None,
        *,
        name: str = "",
        compute_data_type: object = None,
        out_dims: OutDims | None = None,
    ) -> Tensor:
        """Return the gradient of a convolution for its filters; `set_dim` tells their extents."""
        inputs = {"image": image, "loss": loss}
        params = _convolution(padding, pre_padding, post_padding, stride, dilation)
        params["convolution_mode"] = convolution_mode
        settings = (name, compute_data_type, out_dims)
        return self._operation("conv_wgrad", inputs, params, settings, None, ("DW",))[0]

    def matmul(
        self,
        A: Any,
        B: Any,
        compute_data_type: object = None,
        padding: float = 0.0,
        name: str = "",
    ) -> Tensor:
        """Return the product of matrices (..., M, K) and (..., K, N)."""
        inputs, params = {"A": A, "B": B}, {"padding": padding}
        settings = (name, compute_data_type, None)
        return self._operation("matmul", inputs, params, settings, _product, ("C",))[0]

    def reduction(
        self,
        input: Operand,
        group_offset: Any = None,
        mode: reduction_mode | None = None,
        *,
        name: str = "",
        compute_data_type: object = None,
        out_dims: OutDims | None = None,
    ) -> Tensor:
        """Return a reduction to the extents that `set_dim` or `out_dims` tells."""
        if isinstance(group_offset, reduction_mode):
            group_offset, mode = mode, group_offset
        inputs = {"input": input, "group_offset": group_offset}
        settings = (name, compute_data_type, out_dims)
        return self._operation("reduction", inputs, {"mode": mode}, settings)[0]

    def genstats(
        self,
        input: Operand,
        *,
        name: str = "",
        compute_data_type: object = None,
        out_dims: OutDims | None = None,
    ) -> list[Tensor]:
        """Return the sums of a tensor and of its squares for each channel."""
        inputs = {"input": input}
        settings = (name, compute_data_type, out_dims)
        return self._operation("genstats", inputs, {}, settings, _per_channel, ("SUM", "SQ_SUM"))

    def slice(
        self,
        input: Operand,
        slices: Sequence[Any] = (),
        *,
        name: str = "",
        compute_data_type: object = None,
        out_dims: OutDims | None = None,
    ) -> Tensor:
        """Return a part of a tensor: `input[slices]`, with a `slice` for each dimension."""
        inputs = {"input": input}
        settings = (name, compute_data_type, out_dims)
        result = self._operation("slice", inputs, {"slices": list(slices)}, settings, _slices)[0]
        result.data_type = input.data_type if isinstance(input, Tensor) else result.data_type
        return result

    def reshape(
        self,
        input: Operand,
        reshape_mode: Any = None,
        *,
        name: str = "",
        compute_data_type: object = None,
        out_dims: OutDims | None = None,
    ) -> Tensor:
        """Return a tensor with the extents, and the strides, that setters of the result tell."""
        inputs = {"input": input}
        params = {"reshape_mode": reshape_mode}
        settings = (name, compute_data_type, out_dims)
        return self._operation("reshape", inputs, params, settings)[0]

    def transpose(
        self,
        input: Operand,
        permutation: Sequence[int],
        *,
        name: str = "",
        compute_data_type: object = None,
        out_dims: OutDims | None = None,
    ) -> Tensor:
        """Return a tensor with its dimensions in another order."""
        inputs = {"input": input}
        params = {"permutation": list(permutation)}
        settings = (name, compute_data_type, out_dims)
        return self._operation("transpose", inputs, params, settings, _transposed)[0]

    def concatenate(
        self,
        inputs: Sequence[Any],
        axis: int,
        in_place_index: int | None = None,
        *,
        name: str = "",
        compute_data_type: object = None,
        out_dims: OutDims | None = None,
    ) -> Tensor:
        """Return tensors joined along a dimension."""
        tensors = {f"inputs_{place}": each for place, each in enumerate(inputs)}
        params = {"axis": axis, "in_place_index": in_place_index}
        settings = (name, compute_data_type, out_dims)
        return self._operation("concatenate", tensors, params, settings, _joined)[0]

    def block_scale_quantize(
        self,
        input: Operand,
        group_offset: Any = None,
        block_size: int = 32,
        axis: int | None = None,
        transpose: bool | None = None,
        *,
        name: str = "",
        compute_data_type: object = None,
        out_dims: OutDims | None = None,
    ) -> list[Tensor]:
        """Return a tensor with a scale for each block of elements, and the scales."""
        if isinstance(group_offset, int):  # the order of older front ends
            group_offset, block_size = None, group_offset
        inputs = {"input": input, "group_offset": group_offset}
        params = {"block_size": block_size, "axis": axis, "transpose": transpose}
        settings = (name, compute_data_type, out_dims)
        return self._operation(
            "block_scale_quantize", inputs, params, settings, _quantized, ("Y", "scale")
        )

    def block_scale_dequantize(
        self,
        input: Operand,
        descale: Any,
        block_size: int | Sequence[int],
        is_negative_scale: bool | None = None,
        *,
        name: str = "",
        compute_data_type: object = None,
        out_dims: OutDims | None = None,
    ) -> Tensor:
        """Return a tensor whose blocks are multiplied by their scales."""
        inputs = {"input": input, "descale": descale}
        params = {"block_size": block_size, "is_negative_scale": is_negative_scale}
        settings = (name, compute_data_type, out_dims)
        return self._operation(
            "block_scale_dequantize", inputs, params, settings, _like("input", "OUT_0")
        )[0]

    def moe_grouped_matmul(
        self,
        token: Any,
        weight: Any,
        first_token_offset: Any,
        token_index: Any = None,
        token_ks: Any = None,
        mode: moe_grouped_matmul_mode | None = None,
        top_k: int | None = None,
        *,
        top_k_scores: Any = None,
        name: str = "",
        compute_data_type: object = None,
        out_dims: OutDims | None = None,
    ) -> Tensor:
        """Return the tokens of each expert multiplied by its weights."""
        first = {"token": token, "weight": weight, "first_token_offset": first_token_offset}
        rest = {"token_index": token_index, "token_ks": token_ks, "top_k_scores": top_k_scores}
        inputs = {**first, **rest}
        params = {"mode": mode, "top_k": top_k}
        settings = (name, compute_data_type, out_dims)
        return self._operation("moe_grouped_matmul", inputs, params, settings, _experts)[0]

    def moe_grouped_matmul_bwd(
        self,
        doutput: Any,
        token: Any,
        first_token_offset: Any,
        *,
        name: str = "",
        compute_data_type: object = None,
        out_dims: OutDims | None = None,
    ) -> Tensor:
        """Return the gradient of the weights of `moe_grouped_matmul`."""
        inputs = {"doutput": doutput, "token": token, "first_token_offset": first_token_offset}
        settings = (name, compute_data_type, out_dims)
        return self._operation(
            "moe_grouped_matmul_bwd", inputs, {}, settings, _expert_weights, ("dweight",)
        )[0]

    def rope(
        self,
        input: Operand,
        freqs: Any,
        output_scale: float | None = None,
        rope_dim: int | None = None,
        *,
        name: str = "",
        compute_data_type: object = None,
        out_dims: OutDims | None = None,
    ) -> Tensor:
        """Return a tensor with a rotary embedding."""
        inputs = {"input": input, "freqs": freqs}
        params = {"output_scale": output_scale, "rope_dim": rope_dim}
        settings = (name, compute_data_type, out_dims)
        return self._operation("rope", inputs, params, settings, _like("input", "OUT_0"))[0]

    def rope_backward(
        self,
        dY: Any,
        freqs: Any,
        output_scale: float | None = None,
        rope_dim: int | None = None,
        *,
        name: str = "",
        compute_data_type: object = None,
        out_dims: OutDims | None = None,
    ) -> Tensor:
        """Return the gradient of `rope`."""
        inputs = {"dY": dY, "freqs": freqs}
        params = {"output_scale": output_scale, "rope_dim": rope_dim}
        settings = (name, compute_data_type, out_dims)
        return self._operation("rope_backward", inputs, params, settings, _like("dY", "OUT_0"))[0]


def _convolution(padding: Any, before: Any, after: Any, stride: Any, dilation: Any) -> Any:
    given = {
        **{"padding": padding, "pre_padding": before, "post_padding": after},
        **{"stride": stride, "dilation": dilation},
    }
    return {key: list(value) for key, value in given.items() if value is not None}
