"""A model prepared for inputs of one kind: a flat list of steps, with memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import torch
from torch import fx, nn
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map

from ... import arrays, ops
from ..._support import fork
from ..autograd.layouts import formatted
from ..autograd.switches import autocast_type
from .building import Way, by_torch, result_shape, tail
from .folding import Folder, Weights
from .parts import Part, Parts, is_mutating, is_unknown
from .state import State, foreign_hooks, is_known, original_of
from .tracing import Untraceable

if TYPE_CHECKING:
    from ...types import DTypeWord

#: Alignment of memory of values, in bytes.
_GRAIN = 256

#: Functions that return a view of their input, or the input itself, and change nothing.
_VIEWS = frozenset(
    (
        "flatten",
        "view",
        "reshape",
        "permute",
        "transpose",
        "unsqueeze",
        "squeeze",
        "getitem",
        "chunk",
        "split",
        "contiguous",
        "unbind",
        "t",
        "expand",
        "narrow",
        "select",
        "movedim",
    )
)
_TRIVIAL = frozenset(("getattr", "size", "dim", "_assert", "eq", "ne", "floordiv", "shape"))
_SAME = (nn.Identity, nn.Flatten, nn.Dropout, nn.Dropout1d, nn.Dropout2d, nn.Dropout3d)


#: Number of filters that are folded before a graph's first layer, and the factor for each later
#: stage.
_STAGE = 1 << 16
_GROWTH = 8


class Like(NamedTuple):
    """The description of a tensor among the inputs."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: Any
    device: Any

    @classmethod
    def of(cls, tensor: Any) -> Like:
        """Describe a tensor."""
        return cls(tuple(tensor.shape), tuple(tensor.stride()), tensor.dtype, tensor.device)

    def empty(self) -> Any:
        """Return such a tensor."""
        return torch.empty_strided(self.shape, self.strides, dtype=self.dtype, device=self.device)


class Ran(NamedTuple):
    """The way that a part runs.

    Attributes:
        name: of its first module, or function.
        what: what it computes.
        by: "engine 41" and the like for a plan, with "torch" for what follows it; "torch" for
            PyTorch's functions with folded weights; "as it is".
        why: why it is not a plan, or not all of it; "" where there is nothing to tell.
    """

    name: str
    what: str
    by: str
    why: str

    def to_dict(self) -> dict[str, str]:
        """Return the fields by name."""
        return self._asdict()


#: Returns the way to compute a part of such arrays.
Finds = Callable[[Part, dict[str, Any]], Way]


def is_told(part: Part) -> bool:
    """Return whether a report tells of a part that is run as it is: whether it computes."""
    node = part.node
    if part.layer is not None and "pipeline" in vars(part.layer):
        return False  # a fragment tells of itself
    if part.why or node.op == "call_module":
        return bool(part.why) or type(part.layer) not in _SAME
    return node.op in ("call_function", "call_method") and _name(node) not in (*_VIEWS, *_TRIVIAL)


def _name(node: fx.Node) -> str:
    target = node.target
    return target if isinstance(target, str) else getattr(target, "__name__", str(target))


def call_node(node: fx.Node, args: Any, kwargs: Any, module: Any) -> Any:
    """Return the value of a node of the graph."""
    if node.op == "call_module":
        return module(*args, **kwargs)
    if node.op == "call_method":
        return getattr(args[0], str(node.target))(*args[1:], **kwargs)
    return node.target(*args, **kwargs)


def attribute(root: nn.Module, path: Any) -> Any:
    """Return an attribute of a module by its dotted name."""
    for name in str(path).split("."):
        root = getattr(root, name)
    return root


def by_reference(parts: Parts, inputs: Sequence[Any]) -> Any:
    """Return what a model computes, node by node."""
    root = parts.traced.root
    values: dict[fx.Node, Any] = dict(zip(parts.inputs, inputs, strict=True))
    for node in parts.traced.graph.nodes:
        if node.op in ("placeholder", "output"):
            continue
        if node.op == "get_attr":
            values[node] = attribute(root, node.target)
            continue
        module = attribute(root, node.target) if node.op == "call_module" else None
        args, kwargs = (
            fx.node.map_arg(each, values.__getitem__) for each in (node.args, node.kwargs)
        )
        values[node] = call_node(node, args, kwargs, module)
    return fx.node.map_arg(parts.output, values.__getitem__)


def modules_below(module: nn.Module) -> Iterator[nn.Module]:
    """Return a module and those in it, also those that fragments stand for."""
    for each in module.modules():
        yield each
        pipeline = vars(each).get("pipeline")
        if pipeline is not None:
            yield from modules_below(pipeline.root)


class _Guard(TorchDispatchMode):
    """Refuses to write to tensors with memory, in a run that has only to tell what results are."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        for place, argument in enumerate(func._schema.arguments if func._schema.is_mutable else ()):
            if argument.alias_info is None or not argument.alias_info.is_write:
                continue
            value = args[place] if place < len(args) else kwargs.get(argument.name)
            for each in tree_leaves(value):
                if isinstance(each, torch.Tensor) and not isinstance(each, FakeTensor):
                    raise Untraceable(f"{self._name} writes to a tensor that is there before")
        return func(*args, **kwargs)


class _Block(NamedTuple):
    """A value in the memory of a program: of which step, until which step."""

    node: fx.Node
    first: int
    size: int


class Program:
    """The steps for inputs of one kind, on one stream.

    Steps write to memory that the program keeps, so it runs in one stream only. Its results are new
    memory each time.
    """

    def __init__(
        self,
        parts: Parts,
        inputs: Sequence[Like],
        folder: Folder,
        finds: Finds,
        *,
        make: bool = True,
    ) -> None:
        """Find a way for each part, and the memory for their values.

        Args:
            parts: of the model.
            inputs: what the tensors of a call are like.
            folder: what has the weights.
            finds: see above.
            make: whether to allocate memory; without it, the program cannot run.
        """
        self.ran: list[Ran] = []
        self.lock = fork.lock()
        self.parts = parts
        self._folder = folder
        #: Whether it changes what is there before and after a call, as far as can be seen.
        self.is_mutating = False
        self._finds = finds
        self._slots: dict[Any, int] = {}
        self._constants: dict[fx.Node, Any] = {}
        self._steps: list[Callable[[list[Any]], None]] = []
        self.labels: list[str] = []  # what each step is for
        self._readers: list[tuple[int, Weights]] = []  # which step reads which weights
        #: The slots of values with their channels last, until something is written to.
        self._converted: dict[tuple[fx.Node, Any], int] = {}
        self._fakes: dict[fx.Node, Any] = {}
        #: For each part, what it needs: its way, weights, and the data type of its input.
        self._ways: dict[fx.Node, tuple[Way, Weights, Any]] = {}
        self._straight: set[fx.Node] = set()
        mode = FakeTensorMode(allow_non_fake_inputs=True)
        with mode, torch.no_grad():
            fakes = [each.empty() for each in inputs]
        self._look(fakes, mode)
        self._place(make)
        if make:
            self._compile()
        self._fakes.clear()

    # Shapes, types and layouts of values

    def _look(self, inputs: Sequence[Any], mode: Any) -> None:
        fakes, folder = self._fakes, self._folder
        fakes.update(zip(self.parts.inputs, inputs, strict=True))
        self._outside = _memories(list(inputs))
        root = self.parts.traced.root
        for part in self.parts.list:
            node = part.node
            if node.op == "get_attr":
                found = attribute(root, node.target)
                self._constants[node] = found
                # Known as it is to the fake mode, so that views of it have its memory.
                fakes[node] = mode.from_tensor(found) if isinstance(found, torch.Tensor) else found
                self._outside |= _memories(fakes[node])
            elif part.kind == "convolution":
                self._look_at(part, mode)
            elif part.kind != "other":
                own = folder.weights(part, None, False)
                self._ways[node] = (Way(None, "torch"), own, None)
                self.ran.append(Ran(part.name, part.text, "torch", ""))
                with mode, torch.no_grad():
                    fakes[node] = by_torch(part, fakes[part.x], own.weight, own.bias, None)
            else:
                self._note_changes(part)
                with mode, torch.no_grad():
                    fakes[node] = self._fake_call(part)
                if is_told(part):
                    self.ran.append(Ran(part.name, part.text, "as it is", part.why))

    def _note_changes(self, part: Part) -> None:
        """Note whether a node changes an input or a tensor of the model."""
        node = part.node
        if is_mutating(node, part.layer):
            changed = [self._fakes.get(each) for each in node.all_input_nodes]
            outside = not self._outside.isdisjoint(_memories(changed))
            self.is_mutating = self.is_mutating or outside or is_unknown(node, part.layer)

    def _fake_call(self, part: Part) -> Any:
        if part.layer is None or is_known(part.layer):
            return self._fake_try(part)
        inside = list(modules_below(part.layer))
        if any(map(foreign_hooks, inside)):
            raise Untraceable(f"{part.name} has hooks")
        state = State(*inside, *map(original_of, inside), deep=False)
        try:
            with _Guard(part.name):
                return self._fake_try(part)
        finally:
            change = state.restore()
            if change is not None:
                raise Untraceable(f"{part.name} changes its attribute {change[1]}")

    def _fake_try(self, part: Part) -> Any:
        try:
            return self._fake_value(part)
        except Untraceable:
            raise
        except Exception as error:
            text = f"{error}".split("\n", 1)[0][:160]
            raise Untraceable(f"what {part.name} returns is not known before: {text}") from error

    def _fake_value(self, part: Part) -> Any:
        args, kwargs = (
            fx.node.map_arg(each, self._fakes.__getitem__)
            for each in (part.node.args, part.node.kwargs)
        )
        if isinstance(part.layer, nn.modules.batchnorm._BatchNorm) and len(args) == 1:
            return torch.empty_like(args[0])  # at once: PyTorch takes long to find that out
        try:
            return call_node(part.node, args, kwargs, part.layer)
        except (RuntimeError, ValueError):
            # For example, a view that is impossible with channels last: try without them.
            args, kwargs = tree_map(_straight, args), tree_map(_straight, kwargs)
            value = call_node(part.node, args, kwargs, part.layer)
            self._straight.add(part.node)
            return value

    def _look_at(self, part: Part, mode: Any) -> None:
        """Find a way for a convolution, and what its result is like."""
        x, layer = self._fakes[part.x], part.layer
        residual = None if part.residual is None else self._fakes[part.residual]
        cast = autocast_type(x.device.type)
        dtype = x.dtype if cast is None else cast
        flat = x.dim() in (4, 5) and x.dim() == layer.weight.dim()
        own = self._folder.weights(part, cast, flat)
        way = Way(None, "torch", "" if flat else f"arrays of {x.dim()} axes")
        kept = None if dtype == x.dtype else dtype
        with mode, torch.no_grad():
            if flat:
                try:
                    shape = result_shape(layer, tuple(x.shape))
                except ValueError as error:  # PyTorch will say so in its words
                    raise Untraceable(f"{part.name}: {error}") from error
                y = torch.empty(shape, dtype=own.weight.dtype, device=x.device)
                y = formatted(y, True)
            else:
                y = by_torch(part, x.to(dtype), own.weight, own.bias, residual)
        if flat:
            found = {"x": _spec(x, dtype), "w": _spec(own.weight), "y": _spec(y)}
            if own.bias is not None:
                found["bias"] = _spec(own.bias)
            if isinstance(residual, torch.Tensor) and residual.dim() == y.dim():
                found["residual"] = _spec(residual)
            way = self._finds(part, found)
            if residual is not None and not way.residual:
                with mode, torch.no_grad():
                    y = y + residual  # it may have another shape, and another data type
        self._fakes[part.node] = y
        self._ways[part.node] = (way, own, kept)
        rest = part.activation is not None and not way.activation
        rest = rest or (residual is not None and not way.residual)
        by = f"{way.text}, torch" if way.run is not None and rest else way.text
        self.ran.append(Ran(part.name, part.text, by, way.why))

    # Offsets of values in memory

    def _place(self, make: bool) -> None:
        """Give each result of a plan a place, which is used again when nothing reads it."""
        steps = {part.node: place for place, part in enumerate(self.parts.list)}
        outputs = set[fx.Node]()
        fx.node.map_arg(self.parts.output, outputs.add)
        last: dict[int, int] = {}  # by memory: the last step that reads it
        end = len(steps)
        inside = {each: part.node for part in self.parts.list for each in part.nodes}
        for node, value in self._fakes.items():
            users = [steps[inside[each]] for each in node.users if each in inside]
            until = end if node in outputs else max(users, default=-1)
            for each in _memories(value):
                last[each] = max(last.get(each, -1), until)
        blocks: list[tuple[_Block, int]] = []
        for part in self.parts.list:
            way = self._ways.get(part.node)
            if part.kind != "convolution" or way is None or way[0].run is None:
                continue
            # A sum after the plan has memory of its own if its shape or type differs.
            value = self._fakes[part.node]
            if part.residual is not None and not way[0].residual:
                continue
            until = max(last[each] for each in _memories(value))
            if until < end:
                first = steps[part.node]
                block = _Block(part.node, first, value.numel() * value.element_size())
                blocks.append((block, max(until, first)))
        places, self.memory_size = _pack(blocks)
        self._static: dict[fx.Node, Any] = {}
        if make and blocks:
            first_value = self._fakes[blocks[0][0].node]
            memory = torch.empty(self.memory_size, dtype=torch.uint8, device=first_value.device)
            for block, _ in blocks:
                value = self._fakes[block.node]
                begin = places[block.node]
                part_of = memory[begin : begin + block.size].view(value.dtype)
                made = part_of.as_strided(value.shape, value.stride())
                self._static[block.node] = self._constants[block.node] = made

    # Steps

    def _slot(self, key: Any) -> int:
        return self._slots.setdefault(key, len(self._slots))

    def _compile(self) -> None:
        for node in self.parts.inputs:
            self._slot(node)
        for part in self.parts.list:
            node = part.node
            if node.op == "get_attr":
                continue
            if part.kind == "convolution":
                self._compile_convolution(part)
            elif part.kind != "other":
                self._compile_folded(part)
            else:
                self._compile_other(part)
                if is_mutating(node, part.layer):
                    self._converted.clear()
            if (way := self._ways.get(node)) is not None:
                self._readers.append((len(self._steps) - 1, way[1]))
            count = len(self._steps) - len(self.labels)
            self.labels += [f"layout for {part.name}"] * (count - 1) + [part.name] * (count > 0)
        self._folding = self._folder.folding([own for _, own in self._readers])
        self._output = self._getter(self.parts.output)
        self._size = len(self._slots)

    def _getter(self, argument: Any) -> Callable[[list[Any]], Any] | None:
        """Return what gets an argument from the values of a call; None for one that is known."""
        nodes: list[fx.Node] = []
        fx.node.map_arg(argument, nodes.append)
        if all(node in self._constants for node in nodes):
            return None
        if isinstance(argument, fx.Node):
            slot = self._slots[argument]
            return lambda values: values[slot]
        known, slots = self._constants, self._slots

        def get(values: list[Any]) -> Any:
            return fx.node.map_arg(
                argument, lambda node: known[node] if node in known else values[slots[node]]
            )

        return get

    def _fixed(self, argument: Any) -> Any:
        return fx.node.map_arg(argument, lambda node: self._constants[node])

    def _compile_other(self, part: Part) -> None:
        node, value = part.node, self._fakes[part.node]
        has_tensors = any(isinstance(each, torch.Tensor) for each in tree_leaves(value))
        if not has_tensors and part.layer is None and not is_mutating(node):
            self._constants[node] = value  # such as an extent
            return
        call, module = _callable(node, part.layer)
        straight = node in self._straight
        getters = [self._getter(each) for each in node.args]
        fixed = [None if get else self._fixed(a) for get, a in zip(getters, node.args, strict=True)]
        get_named = self._getter(node.kwargs)
        named = None if get_named else dict(self._fixed(node.kwargs))
        if not any(getters) and not get_named and not straight and self._is_view(node, module):
            with torch.no_grad():
                made = call(*fixed, **(named or {}))
            if _addresses(made) <= _addresses([fixed, named]):
                self._constants[node] = made
                return
        slot = self._slot(node)
        pairs = list(zip(getters, fixed, strict=True))

        def step(values: list[Any]) -> None:
            args = [each if get is None else get(values) for get, each in pairs]
            kwargs: Any = named if get_named is None else get_named(values)
            if straight:
                args, kwargs = tree_map(_straight, args), tree_map(_straight, kwargs)
            values[slot] = call(*args, **kwargs)

        self._steps.append(step)

    def _is_view(self, node: fx.Node, module: Any) -> bool:
        """Return whether a value is memory of another one, and no step has to make it."""
        if node.op == "call_module":
            return type(module) in _SAME
        return _name(node) in _VIEWS and not is_mutating(node)

    def _compile_folded(self, part: Part) -> None:
        _, own, _ = self._ways[part.node]
        get, known = self._source(part.x)
        slot = self._slot(part.node)

        def step(values: list[Any]) -> None:
            x = known if get is None else get(values)
            values[slot] = by_torch(part, x, own.weight, own.bias, None)

        self._steps.append(step)

    def _source(self, node: fx.Node) -> tuple[Any, Any]:
        get = self._getter(node)
        return get, None if get else self._constants[node]

    def _last(self, node: fx.Node, dtype: Any) -> int | None:
        """Return the slot of a value with its channels last; None where its place is known."""
        if dtype is None and node in self._static:
            return None
        found = self._converted.get((node, dtype))
        if found is not None:
            return found
        get, known = self._source(node)
        slot = self._converted[node, dtype] = self._slot(object())

        def step(values: list[Any]) -> None:
            x = known if get is None else get(values)
            if dtype is not None:
                x = x.to(dtype)
            x = formatted(x, True)
            if x.data_ptr() % 16:
                x = x.clone()
            values[slot] = x

        self._steps.append(step)
        return slot

    def _compile_convolution(self, part: Part) -> None:
        way, own, dtype = self._ways[part.node]
        if way.run is None:
            self._compile_by_torch(part, own, dtype)
            return
        run, target = way.run, self._static.get(part.node)
        sources = [part.x] + ([part.residual] if way.residual else [])
        casts = [dtype, None]
        slots = [self._last(each, cast) for each, cast in zip(sources, casts, strict=False)]
        arguments: list[Any] = [
            self._static[each] if slot is None else None
            for each, slot in zip(sources, slots, strict=True)
        ]
        arguments[1:1] = [own.weight] + ([] if own.bias is None else [own.bias])
        end = -2 if target is not None else -1  # where the residual is
        if target is not None:
            arguments.append(target)
        places = [(0, slots[0]), *[(end, each) for each in slots[1:]]]
        moving = [(place, slot) for place, slot in places if slot is not None]
        slot = None if target is not None else self._slot(part.node)
        fixed = tuple(arguments)
        follow = None if way.activation else part.activation
        get_residual, residual = None, None
        if part.residual is not None and not way.residual:
            get_residual, residual = self._source(part.residual)

        def step(values: list[Any]) -> None:
            if moving:
                given = list(fixed)
                for place, source in moving:
                    given[place] = values[source]
                y = run(*given)
            else:
                y = run(*fixed)
            if get_residual is not None or residual is not None or follow is not None:
                y = tail(y, get_residual(values) if get_residual else residual, follow)
            if slot is not None:
                values[slot] = y

        self._steps.append(step)

    def _compile_by_torch(self, part: Part, own: Weights, dtype: Any) -> None:
        get, known = self._source(part.x)
        get_other, other = (None, None) if part.residual is None else self._source(part.residual)
        slot = self._slot(part.node)

        def step(values: list[Any]) -> None:
            x = known if get is None else get(values)
            x = x if dtype is None else x.to(dtype)
            residual = other if get_other is None else get_other(values)
            values[slot] = by_torch(part, x, own.weight, own.bias, residual)

        self._steps.append(step)

    def run(self, inputs: Sequence[Any]) -> Any:
        """Return what the model computes; the caller has the lock."""
        if self._folding is not None:
            self._folding.run()
        values: list[Any] = [*inputs, *[None] * (self._size - len(inputs))]
        for step in self._steps:
            step(values)
        return self._result(values)

    def _result(self, values: list[Any]) -> Any:
        return self._fixed(self.parts.output) if self._output is None else self._output(values)

    def run_apart(self, inputs: Sequence[Any]) -> Any:
        """Return the same, while another stream folds what is read later; for captures."""
        main, side = torch.cuda.current_stream(), torch.cuda.Stream()
        (_, first), *later = [*self.stages()] or [(0, None)]
        if first is not None:
            first.run()
        if later:
            side.wait_stream(main)
        folded: dict[int, Any] = {}
        with torch.cuda.stream(side):
            for place, folding in later:
                folding.run()
                folded[place] = side.record_event()
        values: list[Any] = [*inputs, *[None] * (self._size - len(inputs))]
        for place, step in enumerate(self._steps):
            if place in folded:
                main.wait_event(folded[place])
            step(values)
        return self._result(values)

    def stages(self) -> Iterator[tuple[int, Any]]:
        """Return what folds the weights, in stages, and the first step that reads each stage."""
        limit, size, stage = _STAGE, 0, list[tuple[int, Weights]]()
        for reader in self._readers:
            stage.append(reader)
            size += reader[1].weight.numel()
            if size >= limit:
                yield from self._stage(stage)
                limit, size, stage = limit * _GROWTH, 0, []
        yield from self._stage(stage)

    def _stage(self, stage: list[tuple[int, Weights]]) -> Iterator[tuple[int, Any]]:
        folding = self._folder.folding([own for _, own in stage])
        if folding is not None:
            yield stage[0][0], folding


def _callable(node: fx.Node, module: Any) -> tuple[Callable[..., Any], Any]:
    """Return what a node calls with its arguments, and its module."""
    if node.op == "call_module":
        return module, module
    if node.op == "call_method":
        name = str(node.target)
        return (lambda own, *args, **kwargs: getattr(own, name)(*args, **kwargs)), None
    return node.target, None


def _straight(value: Any) -> Any:
    """Return a tensor in the order of its axes; anything else as it is."""
    return value.contiguous() if isinstance(value, torch.Tensor) else value


def _memories(value: Any) -> set[int]:
    """Return what tells the memories of tensors apart that are only described."""
    return {
        each.untyped_storage()._cdata for each in tree_leaves(value) if isinstance(each, FakeTensor)
    }


def _addresses(value: Any) -> set[int]:
    return {
        each.untyped_storage().data_ptr()
        for each in tree_leaves(value)
        if isinstance(each, torch.Tensor)
    }


def _spec(tensor: Any, dtype: Any = None) -> ops.Spec:
    """Describe a tensor, with its channels last."""
    shape = tuple(map(int, tensor.shape))
    strides = arrays.packed_strides(shape, "NHWC")
    address = 0 if isinstance(tensor, FakeTensor) else tensor.data_ptr()
    name = str(tensor.dtype if dtype is None else dtype).removeprefix("torch.")
    return ops.Spec(
        cast("DTypeWord", name),
        shape,
        strides,
        tensor.device.index if tensor.device.type == "cuda" else None,
        min(16, address & -address) if address else 16,
    )


def _pack(blocks: Sequence[tuple[_Block, int]]) -> tuple[dict[fx.Node, int], int]:
    """Return where each block begins, and the size of all; blocks share what is free again."""
    places: dict[fx.Node, int] = {}
    put: list[tuple[int, int, int, int]] = []  # from and to in memory, from and to in steps
    total = 0
    for block, until in sorted(blocks, key=lambda each: -each[0].size):
        size = -(-block.size // _GRAIN) * _GRAIN
        begin = 0
        for low, high, first, last in sorted(put):
            if first <= until and block.first <= last and low < begin + size and begin < high:
                begin = high
        places[block.node] = begin
        put.append((begin, begin + size, block.first, until))
        total = max(total, begin + size)
    return places, total
