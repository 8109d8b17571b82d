"""Make a `Graph` of what a program has recorded."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from .... import errors
from ....arrays import packed_strides
from ....graph import Graph
from ....graph.tensors import Tensor as Own
from ..enums import (
    convolution_mode,
    moe_grouped_matmul_mode,
    norm_forward_phase,
    reduction_mode,
    reshape_mode,
    scalar_type,
)
from ..methods.pointwise import MODES
from ..tensors import GraphContext, Node, Tensor
from .layouts import strides_of

#: The results of a node, by its ports.
Made = Mapping[str, Own | None]

_rules: dict[str, Callable[[Lowering, Node], Made]] = {}

_UNFIT = re.compile(r"[^A-Za-z0-9_]+")


def lowers(*kinds: str) -> Callable[[Any], Any]:
    """Register a function that adds the nodes of some kinds to a `Graph`."""

    def register(function: Any) -> Any:
        _rules.update(dict.fromkeys(kinds, function))
        return function

    return register


class UntypedError(errors.GraphError):
    """A tensor without a data type, which cuDNN is the first to miss."""


class Lowering:
    """The tensors of a recorded graph in a `Graph`.

    Attributes:
        graph: the `Graph`.
        context: the data types where tensors and nodes have none.
        made: the tensors of the `Graph`, by those of the program.
        aligned: the uids of tensors whose addresses have to be multiples of 16: those of attention;
            see `errata.misalignment`.
        hidden: what the program does not know of, by uid: numbers that each execution needs.
    """

    def __init__(self, graph: Any, context: GraphContext, recorder: Any = None) -> None:
        self.graph = graph
        self.context = context
        self.recorder = recorder
        self.made: dict[Tensor, Own] = {}
        self.aligned: set[int] = set()
        self.hidden: dict[int, list[Any]] = {}

    @classmethod
    def of(
        cls, recorder: Any, name: str, context: GraphContext, dynamic_shapes: bool = False
    ) -> Lowering:
        """Return the lowering of all that a recorder has."""
        io, inner, compute = (
            context.io_data_type,
            context.intermediate_data_type,
            context.compute_data_type,
        )
        graph = Graph(
            _UNFIT.sub("_", name),
            io_data_type=None if io is None else io.name,
            intermediate_data_type="FLOAT" if inner is None else inner.name,
            compute_data_type="FLOAT" if compute is None else compute.name,
            dynamic_shapes=dynamic_shapes,
        )
        self = cls(graph, context, recorder)
        graph.next_uid = max(recorder._by_uid, default=0) + 1
        self.add(recorder.nodes)
        return self

    def add(self, nodes: Iterable[Node]) -> None:
        """Add nodes, in their order.

        Raises:
            CudnnError: operands do not go together; the error names the node.
        """
        for node in nodes:
            kind = node.node_type.name
            try:
                made = _rules[kind](self, node)
                for port, result in node.outputs.items():
                    if made.get(port) is not None:
                        self._settle(node, port, result, made[port])
            except errors.CudnnError as error:
                if repr(node.name) in error.message:
                    raise
                raise error.replace(
                    message=f"node {node.name!r} ({kind}): {error.message}"
                ) from error.__cause__

    def get(self, tensor: Tensor) -> Own:
        """Return a tensor of the `Graph`; an input is added when it is first asked for."""
        found = self.made.get(tensor)
        if found is None:
            found = self.made[tensor] = self._input(tensor)
        return found

    def inputs(self, node: Node) -> dict[str, Own]:
        """Return the inputs of a node by its ports."""
        return {port: self.get(each) for port, each in node.inputs.items()}

    def is_read_by_batch_norm_gradient(self, node: Node) -> bool:
        """Return whether a batch norm's result is what a ReLU's gradient masks that of another by.

        cuDNN has an engine for these three operations, with the norm as one operation; where it is
        alone or with others, engines only take its four pointwise operations (9.19).
        """

        def readers(tensor: Tensor, port: str) -> Iterator[Node]:
            nodes = () if self.recorder is None else self.recorder.nodes
            return (each for each in nodes if each.inputs.get(port) is tensor)

        return any(
            after.node_type.name == "BATCHNORM_BWD"
            for relu in readers(node.outputs["Y"], "IN_1")
            if MODES.get(relu.params.get("mode")) == "RELU_BWD"
            for after in readers(relu.outputs["OUT_0"], "grad")
        )

    def compute(self, node: Node) -> str:
        """Return the name of the data type that a node computes in."""
        kind = node.compute_data_type or self.context.compute_data_type
        return "FLOAT" if kind is None else kind.name

    def _input(self, tensor: Tensor) -> Own:
        kind = tensor.data_type or self.context.io_data_type
        if kind is None:
            raise UntypedError(
                f"Tensor {tensor.name!r}: its data type is not set, and the graph has no "
                "io_data_type"
            )
        name = self._name(tensor)
        uid = tensor.uid if tensor.uid not in self.graph.tensors else None
        if tensor.is_pass_by_value:
            value = tensor.pass_by_value
            rank = len(tensor.dim)
            made = self.graph.scalar(value, kind.name, rank=rank, name=name, uid=uid)
            made.takes_rank = value is not None
            made.is_constant = tensor.scalar_type is scalar_type.COMPILE_TIME_CONST
            return made  # type: ignore[no-any-return]
        ragged, reordering = tensor.ragged_offset, tensor.reordering_type
        return self.graph.tensor(  # type: ignore[no-any-return]
            tuple(tensor.dim),
            kind.name,
            tuple(tensor.stride),
            name=name,
            uid=uid,
            virtual=tensor.is_virtual,
            ragged_offset=None if ragged is None else self.get(ragged),
            ragged_multiplier=tensor.ragged_offset_multiplier,
            reordering_mode=None if reordering is None else reordering.name,
        )

    def _name(self, tensor: Tensor) -> str | None:
        """Return a name that the `Graph` takes, for its errors; None where none is left."""
        name = _UNFIT.sub("_", tensor.name)
        if not name or name[0].isdigit():
            name = f"_{name}"
        return None if name in self.graph.by_name else name

    def _settle(self, node: Node, port: str, tensor: Tensor, own: Own | None) -> None:
        """Give a result all that the program says of it."""
        assert own is not None
        graph = self.graph
        if tensor.dim_assigned and tuple(tensor.dim) != own.shape:
            raise errors.ShapeMismatchError(
                f"node {node.name!r}: its {port} has the dimensions {list(own.shape)}, "
                f"{list(tensor.dim)} were set"
            )
        name = self._name(tensor)
        if name is not None and own._name is None:
            graph.rename(own, name)
        if own.uid != tensor.uid and tensor.uid not in graph.tensors:
            renumber(graph, own, tensor.uid)
        if tensor.stride_assigned:
            graph._settle(own, None, tuple(tensor.stride), None)
        else:
            own.strides = tuple(
                strides_of(node, port, own.shape, lambda each: self.get(node.inputs[each]))
            )
        context = self.context
        kind = tensor.data_type
        if kind is None:
            kind = context.intermediate_data_type if tensor.is_virtual else context.io_data_type
        if kind is not None:
            own.given_type = kind.name
        if tensor.ragged_offset is not None:
            own.ragged_offset = self.get(tensor.ragged_offset)
            own.ragged_multiplier = tensor.ragged_offset_multiplier
        if tensor.reordering_type is not None:
            own.reordering_mode = tensor.reordering_type.name
        if not tensor.is_virtual:
            graph.output(own)
        self.made[tensor] = own


def renumber(graph: Any, tensor: Own, uid: int) -> None:
    """Give a tensor of a `Graph` another uid, at its place among the tensors."""
    items = [(uid if each is tensor else old, each) for old, each in graph.tensors.items()]
    tensor.uid = uid
    graph.tensors.clear()
    graph.tensors.update(items)


def wanted_shape(tensor: Tensor) -> tuple[int, ...]:
    """Return the extents of a result that a program has to set.

    Raises:
        ValueError: it has not.
    """
    if not tensor.dim:
        raise ValueError(f"Tensor {tensor.name!r}: its dimensions are not set: call set_dim")
    return tuple(tensor.dim)


def _padding(node: Node) -> Any:
    get = node.params.get
    both = get("padding")
    before, after = get("pre_padding") or both, get("post_padding") or both
    if before is None or after is None:
        missing = "pre" if before is None else "post"
        raise ValueError(f"node {node.name!r}: its {missing}_padding is not set")
    return [tuple(pair) for pair in zip(before, after, strict=True)]


def _convolution(self: Lowering, node: Node) -> dict[str, Any]:
    get = node.params.get
    for what in ("stride", "dilation"):
        if not get(what):
            raise ValueError(f"node {node.name!r}: its {what} is not set")
    return {
        "padding": _padding(node),
        "stride": get("stride"),
        "dilation": get("dilation"),
        "flip": get("convolution_mode") is convolution_mode.CONVOLUTION,
        "compute_data_type": self.compute(node),
    }


@lowers("CONV_FPROP")
def _fprop(self: Lowering, node: Node) -> Made:
    has = self.inputs(node)
    options = _convolution(self, node)
    return {"Y": self.graph.convolution(has["image"], has["weight"], **options)}


@lowers("CONV_DGRAD")
def _dgrad(self: Lowering, node: Node) -> Made:
    has, shape = self.inputs(node), wanted_shape(node.outputs["DX"])
    options = _convolution(self, node)
    made = self.graph.convolution_backward_data(has["loss"], has["filter"], shape=shape, **options)
    return {"DX": made}


@lowers("CONV_WGRAD")
def _wgrad(self: Lowering, node: Node) -> Made:
    has, shape = self.inputs(node), wanted_shape(node.outputs["DW"])
    options = _convolution(self, node)
    return {
        "DW": self.graph.convolution_backward_filter(has["image"], has["loss"], shape, **options)
    }


@lowers("MATMUL")
def _matmul(self: Lowering, node: Node) -> Made:
    has = self.inputs(node)
    options = {"compute_data_type": self.compute(node)}
    if node.params.get("padding"):
        options["padding_value"] = node.params["padding"]
    return {"C": self.graph.matmul(has["A"], has["B"], **options)}


@lowers("POINTWISE")
def _pointwise(self: Lowering, node: Node) -> Made:
    has, params = self.inputs(node), dict(node.params)
    word = params.pop("mode")
    if "negative_slope" in params:
        params["slope"] = params.pop("negative_slope")
    made = self.graph.pointwise(
        MODES.get(word, word.upper()),
        *has.values(),
        compute_data_type=self.compute(node),
        **params,
    )
    return {"OUT_0": made}


@lowers("REDUCTION")
def _reduction(self: Lowering, node: Node) -> Made:
    has, mode = self.inputs(node), node.params.get("mode")
    if mode is None or mode is reduction_mode.NOT_SET:
        raise ValueError(f"node {node.name!r}: its mode is not set")
    made = self.graph.reduction(
        has["input"],
        mode.name,
        shape=wanted_shape(node.outputs["OUT_0"]),
        group_offset=has.get("group_offset"),
        compute_data_type=self.compute(node),
    )
    return {"OUT_0": made}


@lowers("GENSTATS")
def _genstats(self: Lowering, node: Node) -> Made:
    total, squares = self.graph.gen_stats(
        self.inputs(node)["input"], compute_data_type=self.compute(node)
    )
    return {"SUM": total, "SQ_SUM": squares}


@lowers("RESHAPE")
def _reshape(self: Lowering, node: Node) -> Made:
    out, mode = node.outputs["OUT_0"], node.params.get("reshape_mode")
    name = None if mode in (None, reshape_mode.VIEW_ONLY) else mode.name
    shape = wanted_shape(out)
    made = self.graph.reshape(
        self.inputs(node)["input"], shape, mode=name, strides=packed_strides(shape)
    )
    return {"OUT_0": made}


@lowers("SLICE")
def _slice(self: Lowering, node: Node) -> Made:
    x = self.inputs(node)["input"]
    parts = [
        part.indices(extent) for part, extent in zip(node.params["slices"], x.shape, strict=False)
    ]
    start, limit, step = zip(*parts, strict=True)
    result = node.outputs["OUT_0"]
    if result.data_type is None:
        result.data_type = node.inputs["input"].data_type
    made = self.graph.slice(x, start, limit, step)
    return {"OUT_0": made}


@lowers("TRANSPOSE")
def _transpose(self: Lowering, node: Node) -> Made:
    x, order = self.inputs(node)["input"], node.params["permutation"]
    return {"OUT_0": self.graph.transpose(x, order, compute_data_type=self.compute(node))}


@lowers("CONCATENATE")
def _concatenate(self: Lowering, node: Node) -> Made:
    has = list(self.inputs(node).values())
    index = node.params.get("in_place_index")
    return {"OUT_0": self.graph.concatenate(has, node.params["axis"], in_place_index=index)}


@lowers("BLOCK_SCALE_QUANTIZE")
def _quantize(self: Lowering, node: Node) -> Made:
    has, params = self.inputs(node), node.params
    if "group_offset" in has or params.get("transpose"):
        raise errors.NotSupportedError("cuDNN's operation has no group_offset and no transpose")
    axis = params.get("axis")
    y, scale = self.graph.block_scale_quantize(
        has["input"],
        params["block_size"],
        axis=-1 if axis is None else axis,
        compute_data_type=self.compute(node),
    )
    return {"Y": y, "scale": scale}


@lowers("BLOCK_SCALE_DEQUANTIZE")
def _dequantize(self: Lowering, node: Node) -> Made:
    has, params = self.inputs(node), node.params
    made = self.graph.block_scale_dequantize(
        has["input"],
        has["descale"],
        params["block_size"],
        negative_scale=params.get("is_negative_scale"),
        compute_data_type=self.compute(node),
    )
    return {"OUT_0": made}


@lowers("MOE_GROUPED_MATMUL")
def _moe(self: Lowering, node: Node) -> Made:
    has, mode = self.inputs(node), node.params.get("mode")
    if "top_k_scores" in has or mode is moe_grouped_matmul_mode.COMBINE:
        raise errors.NotSupportedError("cuDNN's operation has no COMBINE and no top_k_scores")
    made = self.graph.moe_grouped_matmul(
        has["token"],
        has["weight"],
        has["first_token_offset"],
        mode="NONE" if mode is None else mode.name,
        token_index=has.get("token_index"),
        token_ks=has.get("token_ks"),
        top_k=node.params.get("top_k") or None,
        compute_data_type=self.compute(node),
    )
    return {"OUT_0": made}


@lowers("MOE_GROUPED_MATMUL_BWD")
def _moe_backward(self: Lowering, node: Node) -> Made:
    has = self.inputs(node)
    made = self.graph.moe_grouped_matmul_backward(
        has["token"],
        has["doutput"],
        has["first_token_offset"],
        compute_data_type=self.compute(node),
    )
    return {"dweight": made}


@lowers("ROPE", "ROPE_BWD")
def _rope(self: Lowering, node: Node) -> Made:
    x, frequencies = self.inputs(node).values()
    method = self.graph.rope if node.node_type.name == "ROPE" else self.graph.rope_backward
    made = method(
        x,
        frequencies,
        output_scale=node.params.get("output_scale"),
        rope_dim=node.params.get("rope_dim") or None,
        compute_data_type=self.compute(node),
    )
    return {"OUT_0": made}


@lowers("RMSNORM", "LAYERNORM", "ADALAYERNORM", "INSTANCENORM")
def _norm(self: Lowering, node: Node) -> Made:
    has, phase = self.inputs(node), node.params.get("norm_forward_phase")
    if phase is None or phase is norm_forward_phase.NOT_SET:
        raise ValueError(f"node {node.name!r}: its norm_forward_phase is not set")
    made = self.graph.norm_forward(
        _MODES[node.node_type.name],
        phase.name,
        has["input"],
        scale=has.get("scale"),
        bias=has.get("bias"),
        epsilon=has.get("epsilon"),
        compute_data_type=self.compute(node),
    )
    return {"Y": made.y, "mean": made.mean, "inv_var": made.inv_variance}


_MODES = {
    "RMSNORM": "RMS_NORM",
    "LAYERNORM": "LAYER_NORM",
    "ADALAYERNORM": "ADA_LAYER_NORM",
    "INSTANCENORM": "INSTANCE_NORM",
    "BATCHNORM": "BATCH_NORM",
}


@lowers("BATCHNORM")
def _batchnorm(self: Lowering, node: Node) -> Made:
    has = self.inputs(node)
    made = self.graph.batch_norm(
        has["input"],
        has["scale"],
        has["bias"],
        epsilon=has["epsilon"],
        running_mean=has.get("in_running_mean"),
        running_variance=has.get("in_running_var"),
        momentum=has.get("momentum"),
        peer_statistics=_peers(has),
        compute_data_type=self.compute(node),
    )
    return {
        "Y": made.y,
        "mean": made.mean,
        "inv_var": made.inv_variance,
        "next_running_mean": made.running_mean,
        "next_running_var": made.running_variance,
    }


def _peers(has: Mapping[str, Own]) -> list[Own]:
    return [each for port, each in has.items() if port.startswith("peer_stats_")]


@lowers("BATCHNORM_INFERENCE")
def _batchnorm_inference(self: Lowering, node: Node) -> Made:
    has = self.inputs(node)
    if self.is_read_by_batch_norm_gradient(node):
        made = self.graph.norm_forward(
            *("BATCH_NORM", "INFERENCE", has["input"]),
            scale=has["scale"],
            bias=has["bias"],
            epsilon=None,
            mean=has["mean"],
            inv_variance=has["inv_variance"],
            compute_data_type=self.compute(node),
        ).y
    else:
        made = self.graph.batch_norm_inference(
            *(has[port] for port in ("input", "mean", "inv_variance", "scale", "bias")),
            compute_data_type=self.compute(node),
        )
    return {"Y": made}


@lowers(*(f"{kind}_BWD" for kind in _MODES))
def _norm_backward(self: Lowering, node: Node) -> Made:
    has = self.inputs(node)
    made = self.graph.norm_backward(
        _MODES[node.node_type.name.removesuffix("_BWD")],
        has["grad"],
        has["input"],
        has.get("scale"),
        has.get("mean"),
        has["inv_variance"],
        bias="DBias" in node.outputs,
        peer_statistics=_peers(has),
        compute_data_type=self.compute(node),
    )
    return {"DX": made.dx, "DScale": made.dscale, "DBias": made.dbias}
