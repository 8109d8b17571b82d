"""Make cuDNN's descriptors of a graph: tensors, operations, the operation graph."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, cast

from .. import arrays, backend, errors
from .._attributes import DESCRIPTORS
from .._backend import find_type
from .._support.recent import Recent
from .._tables import active
from ..errata import table
from ..errata.conditions.tensors import goes_by_strides
from ..plan import Computation, Operand
from ..plan.operand import Number, encode
from .nested import Nested, SingleNode, SubGraph
from .record.key import kept, kind_of
from .record.operation import Parameters
from .show.text import text

if TYPE_CHECKING:
    from .._backend import Descriptor
    from ..backend import OperationDescriptor, OperationGraphDescriptor
    from ..choice import DeviceProperties
    from ..handles import Handle
    from .builder import Builder
    from .record.operation import Operation
    from .record.types import Key
    from .tensors import Node, Tensor

    Made = dict[int, Descriptor]


#: Keywords by the C names of attributes.
_KEYWORDS = {
    cls: {c_name: name for name, c_name in attributes.items()}
    for cls, (_, attributes) in DESCRIPTORS.items()
}


def _keyword(cls: type[Descriptor], attribute: str) -> str:
    return _KEYWORDS[cls.__name__][f"CUDNN_ATTR_{attribute}"]


class GraphComputation(Computation):
    """The computation of a graph, whose descriptors are made when they are first asked for.

    A plan that is found in a cache needs none of them.
    """

    __slots__ = ("_errata", "_graph", "_lower", "_lowered", "_made")

    def __init__(
        self,
        graph: Builder,
        lower: Callable[[], Builder],
        operands: tuple[Operand, ...],
        signature: str,
        handle: Handle | None,
        device: DeviceProperties | None,
        errata: table.State,
    ) -> None:
        self._errata = errata
        self._graph = graph
        self._lower = lower
        self._lowered: Builder | None = None
        self._made: OperationGraphDescriptor | None = None
        self.operands = operands
        self.signature = signature
        self.handle = handle
        self.device = device

    def lower_to(self, lowered: Builder | None) -> None:
        """Say how cuDNN gets the graph, where that is known."""
        self._lowered = lowered

    @property
    def is_current(self) -> bool:
        """Whether errata are those that the graph was lowered by."""
        return self._errata is table.current

    @property
    def lowered(self) -> Builder:
        """The graph as cuDNN gets it."""
        if self._lowered is None:
            self._lowered = self._lower()
        return self._lowered

    @property
    def leads_to_others(self) -> bool:
        """Whether the plan has others beside it; see `Plan.at`."""
        return self._graph.dynamic_shapes or self._graph.override_shapes

    @property
    def kind(self) -> str:
        """A text that is the same for graphs with dynamic shapes that may share kernels."""
        if not self._graph.dynamic_shapes:
            return ""
        lowered = self.lowered
        return signature((*kind_of(lowered.key), kept(self._graph.nodes), kept(lowered.nodes)))

    @property
    def lowered_signature(self) -> str:
        """The signature of the graph as cuDNN gets it, by errata, too; "" if it is the same."""
        found = signature(self.lowered.key)
        return "" if self.signature.startswith(found) else found

    @property
    def write(self) -> Callable[[], str]:
        """The function that writes the graph as cuDNN gets it, as JSON."""
        return self.lowered.to_json  # type: ignore[attr-defined]

    @property
    def operation_graph(self) -> OperationGraphDescriptor:
        """The finalized descriptor of the operation graph."""
        if self._made is None:
            if self.device is not None:
                self.device.descriptor  # noqa: B018  # an old release has none, and says so
            self._made = make_descriptors(self.lowered, self.owner)
        return self._made

    @property
    def text(self) -> str:  # type: ignore[override]
        """The graph in words, as cuDNN gets it."""
        return text(self.lowered)

    @property
    def names(self) -> dict[int, str]:  # type: ignore[override]
        """The name of each tensor, by unique id."""
        return {uid: tensor.name for uid, tensor in self._graph.tensors.items()}


def make_descriptors(graph: Builder, handle: Handle | None) -> OperationGraphDescriptor:
    """Return the finalized operation graph of a graph that needs no lowering.

    Raises:
        CudnnError: cuDNN refuses a tensor, a node or the graph; the error names it.
    """
    tensors = make_tensors(graph)
    nodes = [make_node(node, tensors) for node in graph.nodes]
    try:
        return backend.OperationGraphDescriptor(
            handle=handle,
            ops=nodes,
            is_dynamic_shape_enabled=graph.dynamic_shapes or None,
            is_override_shape_enabled=graph.override_shapes or None,
        )
    except errors.CudnnError as error:
        raise _explained(error, graph, handle) from error.__cause__


def make_tensors(graph: Builder) -> Made:
    """Return the descriptors of the tensors of a graph by unique id.

    Raises:
        CudnnError: cuDNN refuses a tensor; the error names it.
    """
    made: Made = {}
    for uid, tensor in graph.tensors.items():
        if uid not in made:
            _make_tensor(tensor, made)
    return made


def operands(graph: Builder, original: Builder | None = None) -> tuple[Operand, ...]:
    """Return the operands of a plan of the graph: inputs, outputs, then tensors in its workspace.

    Args:
        graph: the graph that is finalized.
        original: the caller's graph, before it was lowered: operands have its shapes.
    """
    original = original or graph
    inputs, hidden = [], []
    views: dict[int, tuple[tuple[int, int], ...]] = {}
    offsets = [each.ragged_offset for each in graph.tensors.values()]
    read = {*read_by(graph.nodes), *[each.uid for each in offsets if each is not None]}
    for tensor in graph.tensors.values():
        if tensor.base is not None and tensor.uid in read:
            size = arrays.itemsize(arrays.dtype_name(tensor.data_type))
            base = tensor.base.uid
            views[base] = (*views.get(base, ()), (tensor.uid, tensor.offset * size))
    read |= views.keys()
    for tensor in graph.tensors.values():
        role, seen = tensor.role, original.tensors.get(tensor.uid, tensor)
        is_read = tensor.uid in read
        if role == "input" or (role == "value" and not tensor.is_constant and is_read):
            made = _operand(tensor, "input", seen, views.get(tensor.uid, ()))
            inputs.append(made if is_read else made._replace(is_read=False))
        elif role == "workspace":
            hidden.append(_operand(tensor, role, tensor))
    shares = _find_shared(graph, original)
    outputs = [
        _operand(each, "output", each)._replace(shares=shares.get(each.uid, ()))
        for each in original.outputs
    ]
    return (*inputs, *outputs, *hidden)


def changes(old: Builder, new: Builder) -> dict[int, tuple[tuple[int, ...], tuple[int, ...]]]:
    """Return extents and strides of the arrays of a graph that it has not for other extents.

    They are by unique id, of views too, as cuDNN gets them.
    """
    return {
        each.uid: (each.shape, each.strides)
        for before, each in zip(old.tensors.values(), new.tensors.values(), strict=True)
        if not (each.is_virtual or each.by_value)
        and (each.shape, each.strides) != (before.shape, before.strides)
    }


def _find_shared(graph: Builder, original: Builder) -> dict[int, tuple[str, ...]]:
    """Return the inputs that an output may be in the memory of: their names, by its unique id.

    All that depends on such an input is computed of it element by element, and no other output is.
    So are running statistics, which NVIDIA's Apex has batch norms update in place.
    """
    readers: dict[int, list[Node]] = {}
    for node in graph.nodes:
        for uid in read_by([node]):
            readers.setdefault(uid, []).append(node)
    ends = {each.uid for each in original.outputs}
    found: dict[int, tuple[str, ...]] = {}
    for tensor in graph.tensors.values():
        if tensor.role != "input" or not goes_by_strides(tensor):
            continue
        waiting, reached, by_element = [tensor.uid], set[int](), True
        while waiting and by_element:
            at = waiting.pop()
            for node in readers.get(at, ()):
                averages = _averages(node, at)
                results = {each.uid: each for each in averages or node.outputs.values()}
                by_element = by_element and (bool(averages) or node.kind == "pointwise")
                by_element = by_element and all(
                    each.shape == tensor.shape for each in results.values()
                )
                waiting += results.keys() - reached
                reached |= results.keys()
        written = reached & ends
        if by_element and len(written) == 1:
            (uid,) = written
            if goes_by_strides(graph.tensors[uid]):
                found[uid] = (*found.get(uid, ()), tensor.name)
    return found


def _averages(node: Node, uid: int) -> list[Tensor]:
    """Return what a norm makes of running statistics; [] if it reads a tensor for anything else."""
    ports = [port for port, each in node.inputs.items() if each.uid == uid]
    is_running = ports in (["running_mean"], ["running_variance"])
    found = node.outputs.get(f"{ports[0]}_out") if is_running else None
    return [] if found is None else [found]


def read_by(nodes: Iterable[Node]) -> Iterator[int]:
    """Yield the unique ids of the tensors that nodes, and nodes within them, read."""
    for node in nodes:
        yield from [each.uid for each in node.inputs.values()]
        for each in node.options.values():
            yield from read_by(each.nodes if isinstance(each, Nested) else ())


def _operand(
    tensor: Tensor, role: str, seen: Tensor, views: tuple[tuple[int, int], ...] = ()
) -> Operand:
    return Operand(
        name=tensor.name,
        uid=tensor.uid,
        shape=seen.shape,
        strides=seen.strides,
        data_type=tensor.data_type,
        alignment=tensor.alignment,
        role=role,
        value=tensor.value,
        by_value=tensor.by_value,
        fill=tensor.fill,
        views=views,
        is_ragged=tensor.ragged_offset is not None,
    )


#: Factors of results, with the defaults that descriptors set.
_SCALING = {"alpha": 1.0, "beta": 0.0}

#: Signatures of the latest graphs, by structure; by structure and names with operands, graph, and
#: the errata by which the graph was lowered.
seen: dict[object, tuple[str, tuple[Operand, ...], Builder | None, object]] = Recent(2048)


def signature(key: Key) -> str:
    """Return a short text for the key of a graph, the same in any process."""
    found = seen.get(key)
    if found is None:  # hashing a long text costs more than a look-up
        found = seen[key] = hashlib.sha256(repr(key).encode()).hexdigest(), (), None, None
    return found[0]


def _make_tensor(tensor: Tensor, made: Made, *, in_memory: bool = False) -> Descriptor:
    """Make the descriptor of a tensor, after those that it refers to.

    Args:
        tensor: the tensor.
        made: the descriptors by uid, which it is added to.
        in_memory: whether a virtual tensor is described as one in memory.
    """
    ragged = tensor.ragged_offset
    values: dict[str, object] = {
        "data_type": tensor.data_type,
        "dimensions": tensor.shape,
        "strides": tensor.strides,
        "unique_id": tensor.uid,
        "byte_alignment": tensor.alignment,
    }
    if tensor.is_virtual and not in_memory:
        values["is_virtual"] = True
    if tensor.by_value:
        values["is_by_value"] = True
    if tensor.reordering_mode is not None:
        values["reordering_mode"] = tensor.reordering_mode
    if tensor.vectorization is not None:
        values["vector_count"], values["vectorized_dimension"] = tensor.vectorization
    if ragged is not None:
        if ragged.uid not in made:
            _make_tensor(ragged, made)
        values["ragged_offset_desc"] = made[ragged.uid]
        if tensor.ragged_multiplier != 1:
            values["ragged_offset_multiplier"] = tensor.ragged_multiplier
    number = None
    if tensor.is_constant:
        number = Number(encode(_operand(tensor, "input", tensor), tensor.value))
        values["constant_value"] = number.address
    try:
        descriptor = made[tensor.uid] = cast("type[Descriptor]", backend.TensorDescriptor)(**values)
    except errors.CudnnError as error:
        where = tensor.producer
        of = f", the {tensor.port} of node {where.name}" if where is not None else ""
        raise error.replace(
            message=f"tensor {tensor.name}{of}: {error.message}", arguments={"tensor": repr(tensor)}
        ) from error.__cause__
    return descriptor


def make_node(node: Node, tensors: Made) -> OperationDescriptor:
    """Make the descriptor of an operation, with the one of its parameters."""
    operation = node.operation
    cls = cast("type[OperationDescriptor]", operation.cls or find_type(operation.descriptor))
    try:
        values = _values(node, operation, cls, tensors)
        if options_are_doubles(node):
            return _with_doubles(cls, operation, values)
        return cls(**values)
    except errors.CudnnError as error:
        raise error.replace(
            message=f"node {node.name} ({node.word}): {error.message}",
            arguments={port: _shown(each) for port, each in node.tensors().items()},
        ) from error.__cause__


def options_are_doubles(node: Node) -> bool:
    """Return whether engines read an operation's factors as C's double."""
    compute = node.options.get("compute_data_type") or node.graph.compute_data_type
    return bool(compute == "DOUBLE" and "alpha" in node.operation.options)


def _with_doubles(
    cls: type[OperationDescriptor], operation: Operation, values: dict[str, object]
) -> OperationDescriptor:
    """Make a descriptor with factors in the type that it computes in."""
    names, types = active().enum("BackendAttributeName"), active().enum("BackendAttributeType")
    factors = {
        operation.options[option]: values.pop(_keyword(cls, operation.options[option]), default)
        for option, default in _SCALING.items()
    }
    made = cls.open(**values)
    try:
        for attribute, value in factors.items():
            made.set_attribute(
                names[f"CUDNN_ATTR_{attribute}"], types["CUDNN_TYPE_DOUBLE"], 1, [value]
            )
        made.finalize()
    except BaseException:
        made.close()
        raise
    return made


def _values(
    node: Node, operation: Operation, cls: type[Descriptor], tensors: Made
) -> dict[str, object]:
    options = cast("dict[str, object]", node.options)
    values: dict[str, object] = {}
    compute = options.get("compute_data_type") or node.graph.compute_data_type
    for port in operation.ports:
        bound = node.inputs if port in operation.inputs else node.outputs
        if port.many:
            many = [tensors[each.uid] for name, each in bound.items() if _is_of(name, port.name)]
            if many:
                values[_keyword(cls, port.attribute)] = many
        elif port.name in bound:
            values[_keyword(cls, port.attribute)] = tensors[bound[port.name].uid]
    for option, attribute in operation.options.items():
        keyword = _keyword(cls, attribute)
        if options.get(option) is not None and keyword not in values:
            values[keyword] = _value(options[option], tensors)
    helper = operation.helper
    if helper is not None:
        made = find_type(helper.descriptor)
        parameters = {
            _keyword(made, attribute): options[option]
            for option, attribute in helper.options.items()
            if options.get(option) is not None
        }
        if "spatial_dims" in helper.options:
            parameters["spatial_dims"] = len(node.options["stride"])
        if operation.compute:
            parameters[_keyword(made, operation.compute)] = compute
        values[_keyword(cls, helper.attribute)] = made(**parameters)
    elif operation.compute:
        values[_keyword(cls, operation.compute)] = compute
    return values


def _value(value: object, tensors: Made) -> object:
    """Return an option's value; of parameters and nested nodes, the descriptor."""
    if isinstance(value, Parameters):
        return value.make_descriptor()
    if isinstance(value, SingleNode):
        return make_node(value.nodes[0], tensors)
    if isinstance(value, SubGraph):
        nodes = [make_node(each, tensors) for each in value.nodes]
        return backend.OperationGraphDescriptor(ops=nodes)
    return value


def _is_of(name: str, port: str) -> bool:
    return name.startswith(port) and name[len(port) :].isdigit()


def _shown(tensor: Tensor) -> str:
    return f"{tensor.describe()}:{tensor.data_type}"


_PATTERN = (
    "cuDNN has no engine for these operations together: make a result between them an output, and "
    "go on from it in a graph of its own"
)


def _explained(
    error: errors.CudnnError, graph: Builder, handle: Handle | None
) -> errors.CudnnError:
    """Return the error for a graph that cuDNN refuses, with the nodes that it refuses alone."""
    refused: list[tuple[Node, errors.CudnnError]] = []
    tensors: Made = {}
    own = {each.uid for node in graph.nodes for each in node.tensors().values()}
    for uid, tensor in graph.tensors.items():
        if uid not in tensors:  # alone, an operation reads and writes memory
            _make_tensor(tensor, tensors, in_memory=uid in own)
    for node in graph.nodes:
        try:
            backend.OperationGraphDescriptor(handle=handle, ops=[make_node(node, tensors)]).close()
        except errors.CudnnError as own:
            # A copy has no traceback, which would hold this frame and all descriptors in a circle.
            refused.append((node, own.replace()))
    if not refused or len(refused) == len(graph.nodes) > 1:
        together = len(graph.nodes) > 1 and error.status_name.endswith("GRAPH_PATTERN")
        return error.replace(
            message=f"graph {graph.name or 'without a name'}: {error.message}\n{text(graph)}",
            hint=_PATTERN if together else error.hint,
        )
    node, alone = refused[0]
    return alone.replace(
        message=f"node {node.name} ({node.word}): {alone.message}",
        arguments={port: _shown(each) for port, each in node.tensors().items()},
    )
