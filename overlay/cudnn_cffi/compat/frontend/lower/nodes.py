"""Make a `Graph` of what a program has recorded."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from typing import TYPE_CHECKING, Any, cast

from .... import errors
from ....arrays import packed_strides
from ....graph import Graph
from ....graph.record.enum_words import data_type_name
from ....graph.record.operations import OPERATIONS
from ....graph.tensors import Tensor as Own
from ..enums import convolution_mode, moe_grouped_matmul_mode, reshape_mode, scalar_type
from ..methods.records import BY_KIND, MODES
from .layouts import strides_of

if TYPE_CHECKING:
    from ....graph.record.types import DataTypeName, ReorderingWord
    from ..recording import Recorder
    from ..tensors import GraphContext, Node, Tensor

    Rule = Callable[["Lowering", Node], "Made"]

#: The results of a node, by its ports.
Made = Mapping[str, Own | None]

#: Functions that add the nodes of a kind, where the record of its method does not tell all.
_rules: dict[str, Rule] = {}

_UNFIT = re.compile(r"[^A-Za-z0-9_]+")


def lowers(*kinds: str) -> Callable[[Rule], Rule]:
    """Register a function that adds the nodes of some kinds to a `Graph`."""

    def register(function: Rule) -> Rule:
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
            see `errata.asks.misalignment`.
        hidden: what the program does not know of, by uid: numbers that each execution needs.
    """

    def __init__(self, graph: Graph, context: GraphContext, recorder: Recorder) -> None:
        self.graph = graph
        self.context = context
        self.recorder = recorder
        self.made: dict[Tensor, Own] = {}
        self.aligned: set[int] = set()
        self.hidden: dict[int, list[float]] = {}

    @classmethod
    def of(
        cls, recorder: Recorder, name: str, context: GraphContext, dynamic_shapes: bool = False,
        override_shapes: bool = False,
    ) -> Lowering:  # fmt: skip
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
            override_shapes=override_shapes,
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
                made = _rules.get(kind, add_by_record)(self, node)
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

        Engines support the norm as one operation only in this pattern of three; elsewhere they
        support the four pointwise operations that compute it.
        """

        def readers(tensor: Tensor, port: str) -> Iterator[Node]:
            return (each for each in self.recorder.nodes if each.inputs.get(port) is tensor)

        return any(
            after.node_type.name == "BATCHNORM_BWD"
            for relu in readers(node.outputs["Y"], "IN_1")
            if MODES.get(relu.params.get("mode")) == "RELU_BWD"
            for after in readers(relu.outputs["OUT_0"], "grad")
        )

    def compute(self, node: Node) -> DataTypeName:
        """Return the name of the data type that a node computes in."""
        kind = node.compute_data_type or self.context.compute_data_type
        return "FLOAT" if kind is None else data_type_name(kind.name)

    def _input(self, tensor: Tensor) -> Own:
        kind = tensor.data_type or self.context.io_data_type
        if kind is None:
            raise UntypedError(
                f"Tensor {tensor.name!r}: its data type is not set, and the graph has no "
                "io_data_type"
            )
        name, dtype = self._name(tensor), data_type_name(kind.name)
        uid = tensor.uid if tensor.uid not in self.graph.tensors else None
        if tensor.is_pass_by_value:
            value = tensor.pass_by_value
            rank = len(tensor.dim)
            made = self.graph.scalar(value, dtype, rank=rank, name=name, uid=uid)
            made.takes_rank = True
            made.is_constant = tensor.scalar_type is scalar_type.COMPILE_TIME_CONST
            return made
        ragged, reordering = tensor.ragged_offset, tensor.reordering_type
        return self.graph.tensor(
            tuple(tensor.dim),
            dtype,
            tuple(tensor.stride),
            name=name,
            uid=uid,
            virtual=tensor.is_virtual,
            ragged_offset=None if ragged is None else self.get(ragged),
            ragged_multiplier=tensor.ragged_offset_multiplier,
            reordering_mode=cast("ReorderingWord | None", getattr(reordering, "name", None)),
        )

    def _name(self, tensor: Tensor) -> str | None:
        """Return a name that the `Graph` takes, for its errors; None where none is left."""
        name = _UNFIT.sub("_", tensor.name)
        if not name or name[0].isdigit():
            name = f"_{name}"
        return None if name in self.graph.by_name else name

    def _settle(self, node: Node, port: str, tensor: Tensor, own: Own | None) -> None:
        """Set all attributes of a result that the program has set."""
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
            own.given_type = data_type_name(kind.name)
        ragged = tensor.ragged_offset  # results do not take over those of what they are made of
        own.ragged_offset = None if ragged is None else self.get(ragged)
        own.ragged_multiplier = tensor.ragged_offset_multiplier
        if tensor.reordering_type is not None:
            own.reordering_mode = tensor.reordering_type.name
        if not tensor.is_virtual:
            graph.output(own)
        self.made[tensor] = own


def renumber(graph: Graph, tensor: Own, uid: int) -> None:
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


#: Arguments that have to be set, by the kinds of nodes.
_NEEDED = {
    "REDUCTION": "mode",
    "BATCHNORM": "epsilon",
    **dict.fromkeys(("RMSNORM", "LAYERNORM", "ADALAYERNORM", "INSTANCENORM"), "norm_forward_phase"),
    **{f"{kind}_BWD": "inv_variance" for kind in ("RMSNORM", "LAYERNORM")},
}

#: Options of ours for which the front end has 0 where none is set.
_ZERO_IS_NONE = ("padding_value", "rope_dim", "top_k")


def _unset(node: Node, what: str) -> ValueError:
    return ValueError(f"node {node.name!r}: its {what} is not set")


def add_by_record(self: Lowering, node: Node, **given: object) -> Made:
    """Add a node by the record of its method, with further arguments."""
    method, params, has = BY_KIND[node.node_type.name], node.params, self.inputs(node)
    operation = OPERATIONS[method.operation]
    needed = _NEEDED.get(node.node_type.name, "")
    if needed and str(params.get(needed, has.get(needed))).endswith(("None", "NOT_SET")):
        raise _unset(node, needed)
    if "shape" in operation.settings:
        given["shape"] = wanted_shape(node.outputs[method.results[0].port])
    known = {port.name for port in operation.inputs} | operation.settings.keys()
    for each in method.arguments:
        if each.ours not in known or each.ours in given:
            continue
        if each.many:
            given[each.ours] = [own for port, own in has.items() if port.startswith(each.name)]
        elif each.is_port:
            given[each.ours] = has.get(each.name)
        else:
            value = params.get(each.name)
            if value is not None and (value or each.ours not in _ZERO_IS_NONE):
                given[each.ours] = value.name if isinstance(value, Enum) else value
    add = getattr(self.graph, operation.method)
    made = add(**method.fixed, **given, compute_data_type=self.compute(node))
    if isinstance(made, Own):
        return {method.results[0].port: made}
    if hasattr(made, "_fields"):
        return {each.port: getattr(made, each.ours) for each in method.results}
    return {each.port: own for each, own in zip(method.results, made, strict=True)}


@lowers("CONV_FPROP", "CONV_DGRAD", "CONV_WGRAD")
def _convolution(self: Lowering, node: Node) -> Made:
    method, get = BY_KIND[node.node_type.name], node.params.get
    (result,) = method.results
    given: dict[str, Any] = {
        each.ours: self.get(node.inputs[each.name]) for each in method.arguments if each.is_port
    }
    if node.node_type.name != "CONV_FPROP":
        given["shape"] = wanted_shape(node.outputs[result.port])
    before, after = get("pre_padding") or get("padding"), get("post_padding") or get("padding")
    for what in ("stride", "dilation"):
        if not get(what):
            raise _unset(node, what)
        given[what] = get(what)
    for what, value in (("pre_padding", before), ("post_padding", after)):
        if value is None:
            raise _unset(node, what)
    given["padding"] = [tuple(pair) for pair in zip(before, after, strict=True)]
    given["flip"] = get("convolution_mode") is convolution_mode.CONVOLUTION
    add = getattr(self.graph, OPERATIONS[method.operation].method)
    return {result.port: add(**given, compute_data_type=self.compute(node))}


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
    return {"OUT_0": self.graph.slice(x, start, limit, step)}


@lowers("CONCATENATE")
def _concatenate(self: Lowering, node: Node) -> Made:
    has = list(self.inputs(node).values())
    index = node.params.get("in_place_index")
    return {"OUT_0": self.graph.concatenate(has, node.params["axis"], in_place_index=index)}


@lowers("BLOCK_SCALE_QUANTIZE")
def _quantize(self: Lowering, node: Node) -> Made:
    if "group_offset" in node.inputs or node.params.get("transpose"):
        raise errors.NotSupportedError("cuDNN's operation has no group_offset and no transpose")
    return add_by_record(self, node)


@lowers("MOE_GROUPED_MATMUL")
def _moe(self: Lowering, node: Node) -> Made:
    combines = node.params.get("mode") is moe_grouped_matmul_mode.COMBINE
    if "top_k_scores" in node.inputs or combines:
        raise errors.NotSupportedError("cuDNN's operation has no COMBINE and no top_k_scores")
    return add_by_record(self, node)


@lowers("BATCHNORM_INFERENCE")
def _batchnorm_inference(self: Lowering, node: Node) -> Made:
    if self.is_read_by_batch_norm_gradient(node):
        return add_by_record(self, node, epsilon=None)
    has = self.inputs(node)
    made = self.graph.batch_norm_inference(
        *(has[port] for port in ("input", "mean", "inv_variance", "scale", "bias")),
        compute_data_type=self.compute(node),
    )
    return {"Y": made}


@lowers(*(kind for kind, method in BY_KIND.items() if method.operation == "norm_backward"))
def _norm_backward(self: Lowering, node: Node) -> Made:
    more = {} if "mean" in node.inputs else {"mean": None}
    return add_by_record(self, node, bias="DBias" in node.outputs, **more)
