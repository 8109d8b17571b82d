"""Tensors and nodes that a program adds to a graph, before cuDNN is asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from numbers import Integral
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

from ... import arrays
from .enums import data_type, norm_forward_phase, reduction_mode, to_data_type
from .methods.operations import Operations
from .methods.options import OPTIONS, WRITTEN
from .methods.rules import RULES
from .tensors import GraphContext, Node, NodeType, Operand, OutDims, Tensor, row_major

if TYPE_CHECKING:
    from ...types import Array
    from .enums import scalar_type, tensor_reordering
    from .methods.operations import Made
    from .methods.records import Method

#: The ports of pointwise nodes.
_PLACES = ("IN_0", "IN_1", "IN_2")

#: Infers the extents of results from a node's inputs and parameters, as far as they follow.
Dims = Callable[[Node], Mapping[str, Sequence[int]]]


class Recorder(Operations):
    """The tensors and nodes of a graph."""

    def __init__(self, context: GraphContext) -> None:
        self._context = context
        self._nodes: list[Node] = []
        self._by_uid: dict[int, Tensor] = {}
        self._by_name: dict[str, Tensor] = {}
        self._ambiguous: set[str] = set()
        self._next_uid = 1
        self._counts: dict[str, int] = {}
        self._bound: dict[int, Array] = {}  # the arrays that operations were given, by uid
        self._frozen = False
        self._validated = False

    # Tensors

    def tensor(
        self,
        dim: Sequence[int],
        stride: Sequence[int] | None = None,
        data_type: object = None,
        is_virtual: bool = False,
        is_pass_by_value: bool = False,
        ragged_offset: Tensor | None = None,
        reordering_type: tensor_reordering | None = None,
        name: str = "",
        uid: int | None = None,
        ragged_offset_multiplier: int = 1,
        alignment_value: int = 1,
    ) -> Tensor:
        """Add a tensor.

        Args:
            dim: the extents.
            stride: in elements; by default row-major.
            data_type: of its elements; by default the graph's.
            is_virtual: whether no memory holds it.
            is_pass_by_value: whether it is a number in host memory.
            ragged_offset: the tensor with the offset of each batch entry.
            reordering_type: how elements are reordered in memory.
            name: a label.
            uid: the number that cuDNN knows it by; None or -1 for the next that is free.
            ragged_offset_multiplier: the factor of the ragged offsets.
            alignment_value: a number that all its values are multiples of; no engine here uses it.

        Raises:
            ValueError: another tensor was given this uid.
        """
        self.check_mutable("add a tensor")
        self._validated = False
        kind = to_data_type(data_type)
        given = stride is not None and len(stride) > 0
        context = self._context
        if kind is None:
            kind = context.intermediate_data_type if is_virtual else context.io_data_type
        made = Tensor(
            name or f"tensor_{len(self._by_uid)}",
            kind,
            dim,
            stride if stride is not None and given else row_major([int(each) for each in dim]),
            is_virtual,
            is_pass_by_value,
            dim_assigned=True,
            stride_assigned=given,
            reordering_type=reordering_type,
            ragged_offset=ragged_offset,
            ragged_offset_multiplier=ragged_offset_multiplier,
            alignment_value=alignment_value,
            owner=self,
        )
        if uid is None or uid == -1:
            made.uid = self._free_uid()
        else:
            self._take(uid)
            made.uid, made.uid_assigned = uid, True
        return self._register(made)

    def tensor_like(self, template: Operand, name: str = "", is_virtual: bool = False) -> Tensor:
        """Add a tensor like another one, or like an array of any library.

        An array in host memory becomes a number that is passed by value.
        """
        if isinstance(template, Tensor):
            return self.tensor(
                template.dim,
                template.stride,
                template.data_type,
                is_virtual,
                template.is_pass_by_value,
                name=name,
            )
        shape, strides, dtype, on_host = _describe(template)
        return self.tensor(shape, strides, dtype, is_virtual, on_host, name=name)

    def tensor_scalar(self, value: float, scalar_type: scalar_type, name: str = "") -> Tensor:
        """Add a number that the graph knows: a parameter of each run, or compiled in."""
        self.check_mutable("add a scalar")
        kind = data_type.INT32 if isinstance(value, Integral) else data_type.FLOAT
        made = Tensor(
            name or f"scalar_{len(self._by_uid)}",
            kind,
            (1, 1, 1, 1),
            (1, 1, 1, 1),
            is_pass_by_value=True,
            pass_by_value=value,
            uid=self._free_uid(),
            scalar_type=scalar_type,
            owner=self,
        )
        return self._register(made)

    def _register(self, made: Tensor) -> Tensor:
        self._by_uid[made.uid] = made
        self._label(made, made.name)
        return made

    def _label(self, tensor: Tensor, name: str) -> None:
        tensor.name = name
        if name in self._by_name or name in self._ambiguous:
            self._by_name.pop(name, None)
            self._ambiguous.add(name)
        else:
            self._by_name[name] = tensor

    def _free_uid(self) -> int:
        while self._next_uid in self._by_uid:
            self._next_uid += 1
        self._next_uid += 1
        return self._next_uid - 1

    def _take(self, uid: int) -> None:
        """Make a uid free: the tensor that got it by itself gets another."""
        holder = self._by_uid.get(uid)
        if holder is None:
            return
        if holder.uid_assigned:
            raise ValueError(f"uid {uid} was given to the tensor {holder.name!r} already")
        del self._by_uid[uid]
        self._move(holder, self._free_uid_but(uid))

    def _free_uid_but(self, uid: int) -> int:
        found = self._free_uid()
        return self._free_uid() if found == uid else found

    def _move(self, tensor: Tensor, uid: int) -> None:
        if tensor.uid in self._bound:
            self._bound[uid] = self._bound.pop(tensor.uid)
        tensor.uid = uid
        self._by_uid[uid] = tensor

    def renumber(self, tensor: Tensor, uid: int) -> None:
        """Give a tensor another uid.

        Raises:
            ValueError: another tensor was given this uid.
            RuntimeError: the graph has been planned.
        """
        self.check_mutable(f"set the uid of {tensor.name}")
        self._take(uid)
        self._by_uid.pop(tensor.uid, None)
        self._move(tensor, uid)

    def rename(self, tensor: Tensor, name: str) -> None:
        """Give a tensor another name.

        Raises:
            RuntimeError: the graph has been planned.
        """
        self.check_mutable(f"rename {tensor.name}")
        if self._by_name.get(tensor.name) is tensor:
            del self._by_name[tensor.name]
        self._label(tensor, name)

    def check_mutable(self, what: str) -> None:
        """Refuse changes of a graph that was planned; what was validated has to be so again.

        Raises:
            RuntimeError: the graph has been planned.
        """
        if self._frozen:
            raise RuntimeError(f"cannot {what}: the graph has been planned already; make a new one")
        self._validated = False

    # Nodes

    def to_tensor(self, given: Operand, name: str) -> Tensor:
        """Return an operand as a tensor; an array is bound, so that `execute` needs none for it."""
        if isinstance(given, Tensor):
            return given
        made = self.tensor_like(given, name)
        self._bound[made.uid] = given
        return made

    def add_node(
        self,
        word: str,
        kind: str,
        inputs: Mapping[str, Operand | None],
        params: Mapping[str, object],
        outputs: Mapping[str, str],
        name: str,
        compute_data_type: object,
        dims: Dims | None = None,
        out_dims: OutDims | None = None,
    ) -> list[Tensor]:
        """Add a node, and return its results.

        Args:
            word: the name of the method.
            kind: of `NodeType`.
            inputs: tensors or arrays by port; None for what is not there.
            params: other arguments; None for what was not given.
            outputs: ports of results, and the ends of their names.
            name: of the node; made up where it is empty.
            compute_data_type: of computation.
            dims: infers the extents of results.
            out_dims: the extents of the first result, or of several by their ports.
        """
        self.check_mutable(f"add {word}")
        if not name:
            count = self._counts.get(word, 0)
            self._counts[word] = count + 1
            name = f"{word}.{count}"
        node = Node(name, NodeType[kind], compute_data_type)
        node.dims = dims
        if node.compute_data_type is None:
            node.compute_data_type = self._context.compute_data_type
        for port, given in inputs.items():
            if given is not None:
                node.inputs[port] = self.to_tensor(given, f"{name}::{port}")
        node.params = {key: value for key, value in params.items() if value is not None}
        if out_dims is not None and not isinstance(out_dims, Mapping):
            out_dims = {next(iter(outputs)): out_dims}
        try:
            known = {**node.shapes(), **(out_dims or {})}
        except ValueError:  # `validate` tells it
            known = {}
        for port, end in outputs.items():
            dim = known.get(port, ())
            made = Tensor(
                f"{name}::{end}", None, dim, row_major(dim), True, uid=self._free_uid(), owner=self
            )
            made.dim_assigned = port in (out_dims or {})
            node.outputs[port] = self._register(made)
        self._nodes.append(node)
        return list(node.outputs.values())

    def _add(
        self, method: Method, given: Mapping[str, Any], name: str, compute_data_type: object,
        out_dims: OutDims | None = None,
    ) -> Made:  # fmt: skip
        word, ports, inputs = method.name, method.ports, dict[str, Any]()
        if method.operation == "pointwise":
            for place, port in zip(_PLACES, ports, strict=False):
                if given[port] is None:
                    raise TypeError(f"{word}: expected {len(ports)} tensors, got None")
                inputs[place] = given[port]
            params = {"mode": word, **{option: given[option] for option in method.options}}
        else:
            given = _in_order(method, given)
            inputs = {port: given[port] for port in ports}
            params = {option: given[option] for option in method.options}
            for port in method.several:
                inputs |= {f"{port}_{place}": one for place, one in enumerate(inputs.pop(port))}
            for option in method.lists:
                if params[option] is not None:
                    params[option] = list(params[option])
        ends = method.ends
        if method.operation in ("norm_forward", "norm_backward"):
            absent = _absent(given)
            ends = {port: end for port, end in ends.items() if port not in absent}
        rule = RULES.get(method.rule)
        made = self.add_node(
            word, method.kind, inputs, params, ends, name, compute_data_type, rule, out_dims
        )
        if word == "slice" and isinstance(given["input"], Tensor):
            made[0].data_type = given["input"].data_type
        if len(method.results) == 1:
            return made[0]
        outputs = self._nodes[-1].outputs
        return [outputs.get(port) for port in method.ends]

    def _add_attention(
        self, method: Method, tensors: tuple[object, ...], options: dict[str, object]
    ) -> Made:
        word, ports = method.name, method.ports
        if len(tensors) > len(ports):
            raise TypeError(f"{word}() takes {len(ports)} tensors by place: {', '.join(ports)}")
        name, compute = cast("str", options.pop("name", "")), options.pop("compute_data_type", None)
        out_dims = cast("OutDims | None", options.pop("out_dims", None))
        for port, each in zip(ports, tensors, strict=False):
            if port in options:
                raise TypeError(f"{word}() got multiple values for argument {port!r}")
            options[port] = each
        unknown = sorted(options.keys() - OPTIONS - set(ports))
        if unknown:
            raise TypeError(f"{word}() got an unexpected keyword argument {unknown[0]!r}")
        missing = [port for port in ports if options.get(port) is None]
        if missing:
            raise TypeError(f"{word}() misses {missing[0]!r}")
        dropout = cast("Sequence[object] | None", options.pop("dropout", None))
        written = {key: options.pop(key) for key in list(options) if key in WRITTEN}
        if dropout is not None:
            options["_dropout_n"] = len(dropout)
            options |= {f"dropout_{place}": each for place, each in enumerate(dropout)}
        inputs = {key: value for key, value in options.items() if _is_operand(value)}
        params = {key: value for key, value in options.items() if key not in inputs}
        ends = dict(method.ends)
        if not _with_stats(params):
            ends.pop("Stats", None)
        self.add_node(
            *(word, method.kind, cast("dict[str, Operand]", inputs), params, ends, name, compute),
            *(RULES[method.rule], out_dims),
        )
        node = self._nodes[-1]
        results = [node.outputs.get(port) for port in method.ends]
        for key, value in written.items():
            if value is not None:
                node.outputs[key] = self.to_tensor(cast("Operand", value), f"{node.name}::{key}")
        return results

    def _inner(self) -> Recorder:
        """Return an empty recorder, for the operations inside a node, which are in float32."""
        return Recorder(GraphContext("FLOAT", "FLOAT", "FLOAT"))

    def freeze(self) -> None:
        """Refuse changes from now on."""
        if not self._frozen:
            for node in self._nodes:
                node.inputs = MappingProxyType(dict(node.inputs))
                node.outputs = MappingProxyType(dict(node.outputs))
                node.params = MappingProxyType(dict(node.params))
            for each in self._by_uid.values():
                each.dim, each.stride = tuple(each.dim), tuple(each.stride)
            self._frozen = True

    # Inspection

    @property
    def nodes(self) -> list[Node]:
        """Return the nodes, in the order in which they were added."""
        return list(self._nodes)

    @property
    def tensors(self) -> dict[str, Tensor]:
        """Return the tensors by name, without names that several tensors have."""
        return dict(self._by_name)

    @property
    def context(self) -> GraphContext:
        """Return the data types of the graph."""
        return self._context

    def find_tensor(self, name_or_uid: str | int) -> Tensor | None:
        """Return the tensor with a name or uid; None where there is none.

        Raises:
            ValueError: several tensors have the name.
        """
        if isinstance(name_or_uid, int):
            return self._by_uid.get(name_or_uid)
        if name_or_uid in self._ambiguous:
            raise ValueError(f"several tensors are called {name_or_uid!r}: pass a uid")
        return self._by_name.get(name_or_uid)

    def get_node(self, name: str) -> Node | None:
        """Return the first node with a name; None where there is none."""
        return next((node for node in self._nodes if node.name == name), None)

    def get_inputs(self) -> list[Tensor]:
        """Return the tensors that are read from memory."""
        made = self._produced()
        return [each for each in self._by_uid.values() if not each.is_virtual and each not in made]

    def get_outputs(self) -> list[Tensor]:
        """Return the results that are written to memory."""
        made = self._produced()
        return [each for each in self._by_uid.values() if not each.is_virtual and each in made]

    def _produced(self) -> set[Tensor]:
        return {each for node in self._nodes for each in node.outputs.values()}

    def inspect(self) -> dict[str, object]:
        """Return the graph as plain values."""
        return {
            "context": {
                "io_data_type": str(self._context.io_data_type),
                "compute_data_type": str(self._context.compute_data_type),
            },
            "nodes": [
                {
                    "name": node.name,
                    "type": node.node_type.name,
                    "inputs": {port: each.name for port, each in node.inputs.items()},
                    "outputs": {port: each.name for port, each in node.outputs.items()},
                    "params": dict(node.params),
                }
                for node in self._nodes
            ],
            "tensors": {
                name: {
                    "dim": each.dim,
                    "stride": each.stride,
                    "dtype": str(each.data_type),
                    "is_virtual": each.is_virtual,
                    "uid": each.uid,
                }
                for name, each in self._by_name.items()
            },
        }


def _in_order(method: Method, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the arguments of a method where they are in the order of older front ends."""
    if method.name == "reduction" and isinstance(given["group_offset"], reduction_mode):
        return {**given, "mode": given["group_offset"], "group_offset": given["mode"]}
    if method.name == "block_scale_quantize" and isinstance(given["group_offset"], int):
        return {**given, "block_size": given["group_offset"], "group_offset": None}
    if "norm_forward_phase" in given:  # the phase was the first argument
        values = list(given.values())
        phases = [each for each in values if isinstance(each, norm_forward_phase)]
        values = [each for each in values if each not in phases] + phases
        return dict(zip(given, values, strict=False))
    return given


def _absent(given: Mapping[str, object]) -> set[str]:
    """Return the ports of the results that a method does not compute with certain arguments."""
    absent = set()
    if given.get("norm_forward_phase") is norm_forward_phase.INFERENCE:
        absent |= {"mean", "inv_var"}
    if given.get("scale", True) is None:
        absent |= {"DScale", "DBias"}
    if given.get("has_dbias") is False:
        absent.add("DBias")
    if given.get("in_running_mean", True) is None:
        absent |= {"next_running_mean", "next_running_var"}
    return absent


def _is_operand(value: object) -> bool:
    return isinstance(value, Tensor) or hasattr(value, "__dlpack__")


def _with_stats(params: Mapping[str, object]) -> bool:
    wanted = params.get("generate_stats")
    return not params.get("is_inference", True) if wanted is None else bool(wanted)


def _describe(array: Any) -> tuple[tuple[int, ...], tuple[int, ...], Any, bool]:
    """Return shape, strides in elements, data type of an array, and whether it is on the host."""
    if callable(getattr(array, "stride", None)):  # PyTorch, also its fake tensors
        on_host = getattr(array.device, "type", "") == "cpu"
        return tuple(array.shape), tuple(array.stride()), array.dtype, on_host
    if hasattr(array, "__array_interface__") and not hasattr(array, "__cuda_array_interface__"):
        steps = tuple(step // array.itemsize for step in array.strides)
        return tuple(array.shape), steps, array.dtype, True
    info = arrays.describe(array)
    return tuple(info.shape), tuple(info.strides), info.dtype, False
