"""Lower a traced model to plans and functions of cuDNN's, or name the layer that has none."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

import torch
from torch import Tensor, fx, nn

from ... import arrays, errors, ops
from ..._ways.case import Case, Unfit, Way
from ...choice import measured
from ...descriptors import TensorDescriptor
from ...network.writing import Draft, Region
from ...plan import Plan
from ...plan import Sequence as Several
from ...plan.operand import Operand
from ...plan.run.call_steps import HANDLE, Step
from ...plan.run.copy import Copy
from ...plan.sequence import BUFFER
from ..fusion.trace.eager import memories
from ..fusion.trace.state import is_known
from ..fusion.trace.words import is_mutating, name_of, word_of
from .layers import pooling_of

if TYPE_CHECKING:
    from ..._operation.operation import Operation
    from ...choice.policy import Rule
    from ...types import DTypeWord
    from ..fusion.parts import Part, Parts
    from ..fusion.values import Values

#: Functions whose result has the elements of their argument in the same order.
_SAME_ORDER = ("flatten", "view", "reshape", "contiguous", "squeeze", "unsqueeze", "Flatten", "to")

#: Maximum weights of a product that cuBLASLt is not opened for, which takes longer than all else
#: of a load.
_FEW = 1 << 22


class Lowering:
    """The steps of a model in the making."""

    def __init__(
        self, parts: Parts, values: Values, rule: Rule, *, handle: Any, device: Any
    ) -> None:
        self._parts, self._values, self._rule = parts, values, rule
        self._handle, self._device = handle, device
        self._order = {node: place for place, node in enumerate(parts.traced.graph.nodes)}
        self.draft = Draft()
        self._regions: dict[fx.Node, Region] = {}
        self._copies: dict[tuple[fx.Node, tuple[int, ...]], Region] = {}
        #: By address: where weights are, and the tensor, whose memory no other one gets meanwhile.
        self._weights: dict[object, tuple[Region, Tensor]] = {}
        #: By memory: a region, and the offset of the tensor that is there, in elements.
        self._memories: dict[int, tuple[Region, int]] = {}

    def lower(self, names: Sequence[str]) -> Draft:
        """Return the draft.

        Raises:
            NotSupportedError: a layer has neither a plan nor a function; the error names it.
        """
        self._fold()
        for node, name in zip(self._parts.inputs, names, strict=True):
            self._place(node, self.draft.tensor(self._operand(node, name, "input")))
        for part in self._parts.list:
            if part.node.op != "get_attr":
                try:
                    self._lower(part)
                except (errors.ArgumentError, errors.BadParamError) as error:
                    raise _refused(part, error.message.splitlines()[0]) from None
        self._lower_outputs()
        return self.draft

    def _fold(self) -> None:
        """Fold weights as the first call of a fused model does."""
        own = [part for each in self._values.chosen.values() for part in each.weights.parts]
        folding = self._values._folder.folding(own)
        if folding is not None:
            folding.run()

    # Places

    def _tensor(self, node: fx.Node) -> Tensor:
        return self._values.tensor(node)

    def _tensors(self, node: fx.Node) -> list[Tensor]:
        """Return the tensors of a node's value, which may be several or none."""
        value = self._values.fakes[node]
        several = value if isinstance(value, (tuple, list)) else (value,)
        return [each for each in several if isinstance(each, Tensor)]

    def _operand(self, node: fx.Node, name: str, role: str) -> Operand:
        like = self._tensor(node)
        return Operand(
            name, len(self.draft.tensors) + 1, tuple(like.shape), tuple(like.stride()),
            arrays.DTYPES[_dtype(like)], 16, role, has_bytes=_dtype(like) == "bool",
        )  # fmt: skip

    def _place(self, node: fx.Node, region: Region) -> None:
        self._regions[node] = region
        like = self._tensor(node)
        for each in memories(like):
            self._memories[each] = region, int(like.storage_offset())

    def _new(self, like: Tensor) -> Region:
        return self.draft.block(_size(like.shape, like.stride(), like))

    def _where(self, node: fx.Node, part: Part) -> Region:
        found = self._regions.get(node)
        if found is None:
            raise _refused(part, f"its argument {node.name} is no result of a layer")
        return found

    def _arranged(self, node: fx.Node, strides: Sequence[int], part: Part) -> Region:
        """Return where a value is with other strides, after a copy where they differ."""
        like, region = self._tensor(node), self._where(node, part)
        if arrays.same_strides(like.shape, like.stride(), strides):
            return region
        key = node, tuple(strides)
        found = self._copies.get(key)
        if found is None:
            found = self._copies[key] = self.draft.block(_size(like.shape, strides, like))
            self._copy(like.shape, like, like.stride(), strides, region, found)
        return found

    def _copy(
        self, shape: Sequence[int], like: Tensor, source: Sequence[int], target: Sequence[int],
        x: Region, y: Region,
    ) -> None:  # fmt: skip
        kind = cast("Any", arrays.DTYPES[_dtype(like)])
        if len(shape) in (4, 5) and like.is_floating_point() and like.element_size() > 1:
            # cuDNN has fast kernels for images as they are.
            a, b = (TensorDescriptor.strided(shape, each, kind) for each in (source, target))
            step = Step("cudnnTransformTensor", HANDLE, 1.0, a, "x", 0.0, b, "y")
            self.draft.add(step, x=x, y=y)
            return
        self.draft.copy(Copy(shape, kind, (tuple(source), 0), (tuple(target), 0)), x, y)

    def _constant(self, tensor: Tensor) -> Region:
        """Return where weights are, in the order of their memory."""
        key = tensor.data_ptr(), tensor.shape, tensor.stride(), tensor.dtype
        if key not in self._weights:
            whole = tensor
            count = arrays.last_offset(tuple(tensor.shape), tuple(tensor.stride())) + 1
            if count != tensor.numel():
                whole = tensor.contiguous()
            flat = torch.as_strided(whole, (whole.numel(),), (1,)).cpu()
            size = flat.numel() * flat.element_size()
            found = self.draft.weights(ctypes.string_at(flat.data_ptr(), size))
            self._weights[key] = found, tensor
        return self._weights[key][0]

    # Parts

    def _lower(self, part: Part) -> None:
        node = part.node
        if part.kind == "convolution":
            self._lower_convolution(part)
        elif part.kind == "linear":
            if self._tensor(part.x).dim() != 2:
                raise _refused(part, "the norm takes another axis for channels than the last one")
            own = self._values.chosen[node].weights
            self._lower_linear(part, own.weight, own.bias)
        elif part.kind != "other":
            raise _refused(part, f"PyTorch computes a {part.text}")
        elif _writes(node, part.layer) or self._tensors(node):
            self._lower_other(part)

    def _lower_convolution(self, part: Part) -> None:
        way, own, _ = self._values.chosen[part.node]
        if not isinstance(way.run, Plan):
            raise _refused(part, way.why or f"{way.text} is no plan")
        left = [
            what
            for what, is_there, is_fused in (
                ("the addition", part.residual is not None, way.residual),
                (f"{(part.activation or [''])[0]}", part.activation is not None, way.activation),
            )
            if is_there and not is_fused
        ]
        if left:
            raise _refused(part, f"PyTorch computes {' and '.join(left)} after it: {way.why}")
        plan = way.run
        strides = {each.name: each.strides for each in plan.operands}
        y = self._new(self._tensor(part.node))
        places = {
            "x": self._arranged(part.x, strides["x"], part), "w": self._constant(own.weight), "y": y
        }  # fmt: skip
        if own.bias is not None:
            places["bias"] = self._constant(own.bias)
        if part.residual is not None:
            places["residual"] = self._arranged(part.residual, strides["residual"], part)
        self._add_plan(plan, places)
        self._place(part.node, y)

    def _add_plan(self, plan: Plan, places: Mapping[str, Region]) -> None:
        """Add a plan; the parts of a sequence one by one."""
        if not isinstance(plan, Several):
            self.draft.add(plan, **places)
            return
        room = self.draft.block(plan._buffers)
        for step, where in plan._sequence:
            inner = {
                name: (room if key == BUFFER else places[key]).moved(offset)
                for name, (key, offset) in where.items()
            }
            if isinstance(step, Copy):
                self.draft.copy(step, inner["x"], inner["y"])
            else:
                self.draft.add(step, **inner)

    def _lower_other(self, part: Part) -> None:
        node, layer = part.node, part.layer
        if layer is not None and not is_known(layer):
            raise _refused(part, part.why or "its Python code runs in each call")
        word = word_of(node, layer)
        if word is not None:
            self._lower_activation(part, word)
        elif _writes(node, layer):
            raise _refused(part, "it writes to its argument")
        elif name_of(node.target) == "as_strided":
            raise _refused(part, "it reads memory as it lies")
        elif self._lower_alias(part):
            pass
        elif (pooling := pooling_of(node, layer, self._values.fakes)) is not None:
            x, made = pooling
            self._lower_call(part, x, made)
        elif isinstance(layer, nn.Linear):
            self._lower_linear(part, layer.weight.detach(), layer.bias)
        elif node.target in (torch.cat, torch.concat):
            self._lower_concatenation(part)
        else:
            raise _refused(part, part.why or "neither a plan nor a function of cuDNN's is known")

    def _lower_alias(self, part: Part) -> bool:
        """Lower a view, or a copy in the same order; return whether it is one."""
        node, found = part.node, self._tensors(part.node)
        if not isinstance(self._values.fakes[node], Tensor):  # of `chunk` or `split`
            return bool(found) and memories(found) <= self._memories.keys()
        (like,) = found
        known = [self._memories[each] for each in memories(like) if each in self._memories]
        if known:
            region, begin = known[0]
            offset = (int(like.storage_offset()) - begin) * like.element_size()
            self._regions[node] = region.moved(offset)
            return True
        name = name_of(node.target) if part.layer is None else type(part.layer).__name__
        first = node.args[0] if node.args else None
        if name not in _SAME_ORDER or not isinstance(first, fx.Node):
            return False
        x = self._tensor(first)
        if x.dtype != like.dtype:
            return False
        shape = tuple(x.shape)
        is_same = shape == tuple(like.shape)
        if not is_same and not like.is_contiguous():
            return False
        strides = tuple(like.stride()) if is_same else arrays.packed_strides(shape)
        y = self._new(like)
        self._copy(shape, x, x.stride(), strides, self._where(first, part), y)
        self._place(node, y)
        return True

    def _lower_activation(self, part: Part, word: tuple[str, float | None]) -> None:
        node = part.node
        x = cast("fx.Node", node.args[0])
        changed = memories(self._tensor(node)) & memories(self._tensor(x))
        if changed and self._is_read_later(node, changed):
            raise _refused(part, f"it changes {x.name}, which others read")
        self._lower_call(part, x, ops.Activation(cast("Any", word[0]), word[1]))

    def _is_read_later(self, node: fx.Node, changed: set[int]) -> bool:
        """Return whether memory that a node changes is an input, or read by its earlier names."""
        order = self._order
        sharing = [
            each
            for each, value in self._values.fakes.items()
            if order[each] < order[node] and changed & memories(value)
        ]
        return any(
            each in self._parts.inputs or any(order[user] > order[node] for user in each.users)
            for each in sharing
        )

    def _lower_call(self, part: Part, x: fx.Node, operation: Operation) -> None:
        """Lower an operation on one array to its classic function."""
        like, made = self._tensor(x), self._tensor(part.node)
        strides = like.stride()
        if like.dim() > 2 and not like.is_contiguous():
            strides = arrays.packed_strides(tuple(like.shape), "NHWC")
        source = self._arranged(x, strides, part)
        layout = "NHWC" if not like.is_contiguous() else "NCHW"
        shape = (*made.shape, *(1,) * (like.dim() - made.dim()))  # a mean may have lost axes
        packed = arrays.packed_strides(shape, layout)
        target = self.draft.block(_size(shape, packed, made))
        name = cast("DTypeWord", _dtype(like))
        specs = [
            ops.Spec(name, tuple(like.shape), tuple(strides), None, 16),
            ops.Spec(name, shape, packed, None, 16),
        ]
        try:
            case = operation.case(specs[0], out=cast("Any", specs[1]))
            call = operation.classic(case, self._rule, self._handle)
        except (Unfit, errors.CudnnError) as error:
            raise _refused(part, str(getattr(error, "message", error))) from None
        for step in call.steps:
            if not isinstance(step, Step):
                raise _refused(part, "its arrays would have to be padded")
            self.draft.add(step, x=source, y=target)
        y = target
        packed = packed[: made.dim()]
        if not arrays.same_strides(made.shape, packed, made.stride()):
            y = self._new(made)
            self._copy(made.shape, made, packed, made.stride(), target, y)
        self._place(part.node, y)

    def _lower_linear(self, part: Part, weight: Tensor, bias: Tensor | None) -> None:
        """Lower a product to a convolution with windows of one element."""
        node = part.node
        x = part.x if part.kind == "linear" else cast("fx.Node", node.args[0])
        like, made = self._tensor(x), self._tensor(node)
        if weight.dtype != like.dtype:
            raise _refused(part, f"{like.dtype} meets weights of {weight.dtype}")
        source = self._arranged(x, arrays.packed_strides(tuple(like.shape)), part)
        count, inner = weight.shape
        rows = like.numel() // inner
        name = cast("DTypeWord", _dtype(like))

        def spec(*shape: int) -> ops.Spec:
            wide = (*shape, 1, 1) if len(shape) == 2 else shape
            return ops.Spec(name, wide, arrays.packed_strides(wide, "NHWC"), None, 16)

        takes = [spec(rows, inner), spec(count, inner)]
        places = {"x": source, "w": self._constant(weight.contiguous())}
        if bias is not None:
            takes.append(spec(count))
            places["bias"] = self._constant(bias.detach().contiguous())
        operation = ops.Convolution(0)
        target = spec(rows, count)
        try:
            case = operation.case(*takes, out=cast("Any", target))
            plan = self._product(operation, case, weight.numel())
        except errors.CudnnError as error:
            raise _refused(part, error.message.splitlines()[0]) from None
        places["y"] = y = self.draft.block(_size(made.shape, made.stride(), made))
        self._add_plan(cast("Plan", plan), places)
        self._place(node, y)

    def _product(self, operation: Operation, case: Case, weights: int) -> Way:
        """Return the plan of a product: of few weights not cuBLASLt's, unless the file has one.

        Raises:
            CudnnError: there is none.
        """
        rule, place = self._rule._replace(via="graph"), (self._handle, self._device)
        engine = measured.CUBLAS_ENGINE
        is_open = rule.pick in (None, "heuristic", "heuristic_once") and weights <= _FEW
        if (
            is_open
            and measured.has_engines_of(operation.computation(case, *place))
            and all(getattr(each.step, "engine", None) != engine for each in self.draft.works)
        ):
            others = rule._replace(exclude=(*(rule.exclude or ()), engine))
            with suppress(errors.NotSupportedError):
                return operation.find_way(case, others, *place)
        return operation.find_way(case, rule, *place)

    def _lower_concatenation(self, part: Part) -> None:
        node = part.node
        named = {"dim": 0, **dict(zip(("tensors", "dim"), node.args, strict=False)), **node.kwargs}
        given = [each for each in cast("Any", named["tensors"]) if self._tensor(each).numel()]
        made = self._tensor(node)
        axis = cast("int", named["dim"]) % made.dim()
        y, at = self._new(made), 0
        for each in given:
            x = self._tensor(each)
            if x.dtype != made.dtype:
                raise _refused(part, "its arguments have several data types")
            begin = at * made.stride(axis) * made.element_size()
            self._copy(
                x.shape, x, x.stride(), made.stride(), self._where(each, part), y.moved(begin)
            )
            at += x.shape[axis]
        self._place(node, y)

    # Outputs

    def _lower_outputs(self) -> None:
        written: set[Region] = set()
        for name, node in _named(self._parts.output):
            region = self._regions.get(node)
            if region is None:
                raise errors.NotSupportedError(f"the output {name} is no result of a layer")
            like = self._tensor(node)
            target = self.draft.tensor(self._operand(node, name, "output"))
            whole = _size(like.shape, like.stride(), like)
            if region in written or not self._is_whole(region, whole):
                strides = like.stride()
                self._copy(like.shape, like, strides, strides, region, target)
            else:
                self.draft.replace(region, target)
                self._regions = {
                    key: target.moved(each.offset) if each[:2] == region[:2] else each
                    for key, each in self._regions.items()
                }
                written.add(target)

    def _is_whole(self, region: Region, size: int) -> bool:
        """Return whether an output may take the place of a block: both have the same extent."""
        return self.draft.size_of(region) == size and not region.offset


def _named(output: object) -> list[tuple[str, fx.Node]]:
    """Return the name of each output: the key of a dict, or its place."""
    if isinstance(output, fx.Node):
        return [("output", output)]
    pairs: list[tuple[str, object]] = []
    if isinstance(output, Mapping):
        pairs = [(str(key), each) for key, each in output.items()]
    elif isinstance(output, (tuple, list)):
        pairs = [(f"output{place}", each) for place, each in enumerate(output)]
    if not pairs or not all(isinstance(each, fx.Node) for _, each in pairs):
        raise errors.NotSupportedError(
            f"expected a model that returns a tensor, or a tuple or dict of some, got {output!r}"
        )
    return cast("list[tuple[str, fx.Node]]", pairs)


def _writes(node: fx.Node, layer: nn.Module | None) -> bool:
    """Return whether a node writes to an argument; dropout that is off does not."""
    is_on = getattr(layer, "training", [*node.args[2:3], node.kwargs.get("training")][0])
    name = name_of(node.target) if layer is None else type(layer).__name__
    return is_mutating(node, layer) and not ("dropout" in name.lower() and is_on is False)


def _refused(part: Part, why: str) -> errors.NotSupportedError:
    """Return the error for a layer that PyTorch would compute."""
    return errors.NotSupportedError(f"{part.name} ({part.text}) cannot be packaged: {why}")


def _dtype(tensor: Tensor) -> str:
    name = str(tensor.dtype).removeprefix("torch.")
    if name not in arrays.DTYPES:
        raise errors.NotSupportedError(f"tensors of {tensor.dtype} cannot be packaged")
    return name


def _size(shape: Sequence[int], strides: Sequence[int], like: Tensor) -> int:
    return (arrays.last_offset(tuple(shape), tuple(strides)) + 1) * int(like.element_size())
