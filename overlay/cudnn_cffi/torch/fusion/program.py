"""A model prepared for inputs of one kind: a flat list of steps, with memory."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, fx
from torch.utils._pytree import tree_leaves, tree_map

from ..._support import fork
from ...plan.intermediates import Block, pack
from ..autograd.layouts import formatted
from .building import by_torch, tail
from .kernels.few_channels import FewChannels
from .kernels.functions import Follower, Run
from .kernels.pixels.gates import Gates, find_gates
from .kernels.pixels.layouts import Norm, as_rows
from .kernels.slices import inputs_of, wholes
from .kernels.strips import Strips
from .parts import is_told, is_view
from .products import as_filters, as_image
from .report import told
from .trace.eager import callable_of, mapped, memories, nodes_in
from .trace.windows import Window, padded
from .trace.words import find_beside, is_mutating, waiting
from .values import Values, straight

if TYPE_CHECKING:
    from .folding import Folder, Folds
    from .parts import Part, Parts
    from .trace.eager import Like
    from .values import Finds
    from .weights import Weights

    #: Reads or writes values of a call, which are in slots.
    Read = Callable[[list[object]], Any]
    Step = Callable[[list[object]], None]
    Zeros = tuple[tuple[int, int], ...]

#: Number of elements from which on a value is let go after the last step that reads it, and from
#: which on a plan's result gets memory for a call alone, which all other values may have later.
_LARGE, _HUGE = 1 << 16, 1 << 20

#: The layout in which plans read values, by the kind of part, or of what has a norm before it.
_LAYOUTS: dict[str, Callable[[Tensor], Tensor]] = {
    "convolution": lambda x: formatted(x.unsqueeze(2) if x.dim() == 3 else x, True),
    "product": as_image, "norm": straight, "normed": as_rows,
}  # fmt: skip


class Program:
    """The steps for inputs of one kind, on one stream.

    Steps write to memory that the program keeps, so it runs in one stream only. Its results are new
    memory each time.

    Attributes:
        ran: how each part is computed.
        labels: what each step is for.
        is_mutating: whether it changes what is there before and after a call, as far as can be
            seen.
        memory_size: bytes of memory for values.
        readers: the kernels that are the only ones to read an input, by its place.
    """

    def __init__(
        self, parts: Parts, inputs: Sequence[Like], folder: Folder, finds: Finds,
        narrow: Callable[[Parts, Values], Folds | None] | None = None,
    ) -> None:  # fmt: skip
        """Find a way for each part, and the memory for their values.

        Args:
            parts: of the model.
            inputs: what the tensors of a call are like.
            folder: what has the weights.
            finds: see above.
            narrow: has parts computed with 8 bits, and returns what quantizes their weights.
        """
        self.lock = fork.lock()
        self.parts = parts
        self.labels: list[str] = []
        self.readers: dict[int, FewChannels] = {}
        self._folder = folder
        self._slots: dict[object, int] = {}
        self._steps: list[Step] = []
        self._read: list[Weights] = []
        self._follows = False  # whether a kernel of rows ran after what may write weights
        self._beside: list[Step] = []  # what depends on the model's tensors alone
        #: The slots of values with their channels last, until something is written to.
        self._converted: dict[tuple[fx.Node, object, str, Zeros], int] = {}
        self._values = values = Values(parts, inputs, folder, finds, joins=narrow is None)
        self._quantizing = None if narrow is None else narrow(parts, values)
        self._gates = find_gates(parts, values, finds) if narrow is None else Gates({}, {})
        self._constants, self._chosen = values.constants, values.chosen
        self.is_mutating = values.is_mutating
        kept = set(nodes_in(parts.output))
        self._wholes = [] if self.is_mutating else wholes(parts, values, finds, kept)
        for chosen in values.chosen.values():
            if isinstance(chosen.way.run, Run):
                chosen.way.run.begin()
        self.ran = [*told(parts, values.chosen, self._wholes, is_told)]
        self._place()
        self._compile()
        self._layout = values.layout_of_results(parts.output)
        values.fakes.clear()

    # Offsets of values in memory

    def _place(self) -> None:
        """Give each result of a plan that is not huge a place, used again when nothing reads it."""
        fakes = self._values.fakes
        steps = {part.node: place for place, part in enumerate(self.parts.list)}
        outputs = set(nodes_in(self.parts.output))
        last: dict[int, int] = {}  # by memory: the last step that reads it
        end = len(steps)
        inside = self._gates.inside(self.parts)
        for node, value in fakes.items():
            users = [steps[inside[each]] for each in node.users if each in inside]
            until = end if node in outputs else max(users, default=-1)
            for each in memories(value):
                last[each] = max(last.get(each, -1), until)
        blocks: dict[fx.Node, Block] = {}
        for part in self.parts.list:
            node, chosen = part.node, self._chosen.get(part.node)
            if chosen is None or chosen.way.run is None or node in self._values.followers:
                continue
            # A sum after the plan has memory of its own if its shape or type differs.
            if part.residual is not None and not chosen.way.residual:
                continue
            if any(node in whole.written for whole in self._wholes):
                continue
            until = max(last[each] for each in memories(fakes[node]))
            like, first = self._values.tensor(node), steps[node]
            if until < end and like.numel() < _HUGE:
                blocks[node] = Block(like.nbytes, first, max(until, first))
        for whole in self._wholes:
            values = *whole.written, *whole.prefixes
            first = min(steps[each] for each in values)
            until = max(last[m] for each in values for m in memories(fakes[each]))
            size = self._values.tensor(whole.node).nbytes
            blocks[whole.node] = Block(size, first, max(until, steps[whole.node]))
        places, self.memory_size = pack(blocks)
        self._static: dict[fx.Node, Tensor] = {}
        device = next((self._values.tensor(node).device for node in blocks), None)
        memory = torch.empty(self.memory_size, dtype=torch.uint8, device=device)
        for node, begin in places.items():
            like = self._values.tensor(node)
            part_of = memory[begin : begin + blocks[node].size].view(like.dtype)
            made = part_of.as_strided(like.shape, like.stride())
            self._static[node] = self._constants[node] = made
        for whole in self._wholes:
            memory = self._static[whole.node]
            for node in (*whole.written, *whole.prefixes):
                made = whole.slice_of(node, memory, self._values)
                self._static[node] = self._constants[node] = made

    # Steps

    def _slot(self, key: object) -> int:
        return self._slots.setdefault(key, len(self._slots))

    def _compile(self) -> None:
        for node in self.parts.inputs:
            self._slot(node)
        beside = find_beside(self.parts)
        last = self._last_readers()
        for part in self.parts.list:
            node, chosen = part.node, self._chosen.get(part.node)
            if node.op == "get_attr":
                continue
            if node in beside:
                self._compile_beside(part, beside)
                continue
            self._wait(part)
            if any(node in whole.prefixes for whole in self._wholes):
                self._compile_copies(node)
            elif node in self._gates.applied.values():
                pass  # the convolution after it computes it
            elif chosen is None:
                self._compile_other(part)
                if is_mutating(node, part.layer):
                    self._converted.clear()
                    self._follows = False
            else:
                if chosen.way.run is None:
                    self._compile_by_torch(part)
                elif node not in self._values.followers:
                    self._compile_plan(part, chosen.way.run)
                self._read += chosen.weights.parts
            count = len(self._steps) - len(self.labels)
            self.labels += [f"layout for {part.name}"] * (count - 1) + [part.name] * (count > 0)
            self._let_go(last.get(node, ()))
        self._folding = self._folder.folding(self._read)
        self._output = self._getter(self.parts.output)
        self._size = len(self._slots)

    def _compile_beside(self, part: Part, beside: set[fx.Node]) -> None:
        """Add the step of a node beside the others, and what tells them that its value is there."""
        begin = len(self._steps)
        self._compile_other(part)
        added = self._steps[begin:]
        del self._steps[begin:]
        self._beside += added
        if not added or beside.issuperset(part.node.users):
            return
        slot = self._slot((part.node, "event"))

        def mark(values: list[object]) -> None:
            if torch.cuda.is_available() and torch.cuda.is_current_stream_capturing():
                values[slot] = torch.cuda.current_stream().record_event()

        self._beside.append(mark)

    def _wait(self, part: Part) -> None:
        """Add a step that waits for what is computed beside the others and read by a part."""
        for each in dict.fromkeys(found for node in part.nodes for found in node.all_input_nodes):
            slot = self._slots.get((each, "event"))
            if slot is not None:
                self._steps.append(waiting(slot))
                self._follows = False

    def _last_readers(self) -> dict[fx.Node, list[fx.Node]]:
        """Return the large values that no part reads after a part, by its node."""
        inside = self._gates.inside(self.parts)
        kept = set(nodes_in(self.parts.output))
        steps = {part.node: place for place, part in enumerate(self.parts.list)}
        found: dict[fx.Node, list[fx.Node]] = {}
        for node, value in self._values.fakes.items():
            sizes = [each.numel() for each in tree_leaves(value) if isinstance(each, Tensor)]
            users = [inside[each] for each in node.users if each in inside]
            if node not in kept and users and sum(sizes) >= _LARGE:
                found.setdefault(max(users, key=steps.__getitem__), []).append(node)
        return found

    def _let_go(self, nodes: Sequence[fx.Node]) -> None:
        """Add a step that lets values go, so that those of later steps get their memory."""
        slots = [self._slots[each] for each in nodes if each in self._slots]
        for key, slot in self._converted.items():
            slots += [slot] if key[0] in nodes else []
        if not slots:
            return

        def step(values: list[object]) -> None:
            for slot in slots:
                values[slot] = None

        self._steps.append(step)
        self.labels.append("memory")

    def _getter(self, argument: object) -> Read | None:
        """Return what gets an argument from the values of a call; None for one that is known."""
        if all(node in self._constants for node in nodes_in(argument)):
            return None
        if isinstance(argument, fx.Node):
            return self._reader(argument)
        known, slots = self._constants, self._slots

        def get(values: list[object]) -> object:
            return mapped(
                argument, lambda node: known[node] if node in known else values[slots[node]]
            )

        return get

    def _reader(self, node: fx.Node) -> Read:
        """Return what gets the value of a node from the values of a call."""
        if node in self._constants:
            known = self._constants[node]
            return lambda _: known
        return itemgetter(self._slots[node])

    def _fixed(self, argument: object) -> Any:
        return mapped(argument, self._constants.__getitem__)

    def _compile_other(self, part: Part) -> None:
        node, value = part.node, self._values.fakes[part.node]
        has_tensors = any(isinstance(each, Tensor) for each in tree_leaves(value))
        if not has_tensors and part.layer is None and not is_mutating(node):
            self._constants[node] = value  # such as an extent
            return
        is_made = node in self._values.pooled  # by the convolution before it
        call: Any = (lambda x, *_: x) if is_made else callable_of(node, part.layer)
        if isinstance(call, Follower) and self._follows:
            call = call.following()
        if node in self.parts.traced.constants:
            with torch.no_grad():
                self._constants[node] = call(
                    *map(self._fixed, node.args), **self._fixed(node.kwargs)
                )
            return
        is_straight = node in self._values.straight
        getters = [self._getter(each) for each in node.args]
        fixed = [None if get else self._fixed(a) for get, a in zip(getters, node.args, strict=True)]
        get_named = self._getter(node.kwargs)
        named = {} if get_named else dict(self._fixed(node.kwargs))
        if not any(getters) and not get_named and not is_straight and (is_made or is_view(part)):
            with torch.no_grad():
                made = call(*fixed, **named)
            if _addresses(made) <= _addresses([fixed, named]):
                self._constants[node] = made
                return
        slot, source = self._slot(node), self._gates.summed.get(node)
        sums = None if source is None else self._slots[source, "sums"]
        pairs = list(zip(getters, fixed, strict=True))
        if (layout := self._values.layouts.get(node)) is not None:
            call = layout.bound(call)

        def step(values: list[object]) -> None:
            args = [each if get is None else get(values) for get, each in pairs]
            kwargs = named if get_named is None else get_named(values)
            if sums is not None:
                kwargs = {**kwargs, "sums": values[sums]}
            if is_straight:
                args, kwargs = tree_map(straight, args), tree_map(straight, kwargs)
            values[slot] = call(*args, **kwargs)

        self._steps.append(step)

    def _compile_copies(self, node: fx.Node) -> None:
        """Copy the inputs of a concatenation that are not there yet."""
        (whole,) = [each for each in self._wholes if node in each.prefixes]
        for each in inputs_of(node) or ():
            if each in whole.written:
                continue
            whole.written.add(each)
            read = self._reader(each)
            to = whole.slice_of(each, self._static[whole.node], self._values)

            def step(values: list[object], read: Read = read, to: Tensor = to) -> None:
                to.copy_(read(values))

            self._steps.append(step)

    def _slot_of(
        self, node: fx.Node, dtype: torch.dtype | Callable[[Tensor], Tensor] | None, kind: str,
        zeros: Zeros = (),
    ) -> int | None:  # fmt: skip
        """Return the slot of a value as a plan reads it; None where its place is known.

        Args:
            node: that has the value.
            dtype: to which it is converted, or what converts it; None where that is not needed.
            kind: of the part that reads it, of `_LAYOUTS`.
            zeros: that are put around it.
        """
        layout, known = _LAYOUTS[kind], self._static.get(node)
        same = dtype is None and not zeros and known is not None
        if same and known is not None and layout(known).data_ptr() == known.data_ptr():
            return None
        found = self._converted.get((node, dtype, kind, zeros))
        if found is not None:
            return found
        read = self._reader(node)
        slot = self._converted[node, dtype, kind, zeros] = self._slot(object())

        def step(values: list[object]) -> None:
            x = read(values)
            if isinstance(dtype, torch.dtype):
                x = x.to(dtype)
            x = layout(padded(x, zeros))
            if x.data_ptr() % 16:
                x = x.clone()
            values[slot] = x if dtype is None or isinstance(dtype, torch.dtype) else dtype(x)

        self._steps.append(step)
        return slot

    def _bound(self, run: Run, follower: fx.Node | None) -> Run:
        """Return a kernel that waits for the kernel before it, and has the weights of another."""
        run = run.following() if self._follows else run
        weights = None if follower is None else self._chosen[follower].weights
        return run if weights is None else run.bound(weights.weight, weights.bias)

    def _compile_plan(self, part: Part, run: Callable[..., Tensor]) -> None:
        """Add the step of a part by a plan."""
        way, own, dtype = self._chosen[part.node]
        kind, rows = part.kind, part.kind == "product"
        layout, first = _LAYOUTS[kind], kind
        target = self._static.get(part.node)
        product = self._gates.applied.get(part.node)
        x, gate, before = part.x, None, []
        if product is not None:
            x, gate = product.args[0], product.kwargs.get("gate")
            if gate is not None:
                before = [self._constants.get(gate)]
            else:
                norm = Norm(self._fixed(product.kwargs["norm"]), product.kwargs["epsilon"])
                first, before = "normed", [norm]
        sources = [x] + ([part.residual] if way.residual and part.residual else [])
        is_whole = isinstance(part.layer, Window) and not isinstance(run, Strips)
        zeros = part.conv.rest if is_whole else ()
        given = zip(sources, (dtype, None), (first, kind), (zeros, ()), strict=False)
        slots = [self._slot_of(*each) for each in given]
        arguments = [
            None if slot is not None else _LAYOUTS[own_kind](self._static[each])
            for each, slot, own_kind in zip(sources, slots, (first, kind), strict=False)
        ]
        weight = as_filters(own.weight) if rows else own.weight
        follower = self._values.follows.get(part.node)
        if isinstance(run, Run):
            run = self._bound(run, follower)
        is_input = part.x in self.parts.inputs and {*part.nodes}.issuperset(part.x.users)
        is_input &= part.residual is None
        if isinstance(run, FewChannels) and is_input and dtype is None and not zeros:
            run = self.readers[self.parts.inputs.index(part.x)] = copy.copy(run)
        beside = None if follower is None else self._slot(follower)
        if part.node in self._gates.summed.values():
            beside = self._slot((part.node, "sums"))
        weights = [weight] + ([] if own.bias is None else [own.bias])
        arguments[1:1] = weights + before
        end = -2 if target is not None else -1  # where the residual is
        if target is not None:
            is_slice = any(part.node in whole.written for whole in self._wholes)
            arguments.append(target if is_slice else layout(target))
        places = [(0, slots[0]), *[(end, each) for each in slots[1:]]]
        places.append((1 + len(weights), None if gate is None else self._slots.get(gate)))
        moving = [(place, slot) for place, slot in places if slot is not None]
        slot = None if target is not None else self._slot(part.node)
        fixed: tuple[object, ...] = tuple(arguments)
        follow = None if way.activation else part.activation
        after = part.residual is not None and not way.residual
        read = self._reader(part.residual) if part.residual is not None and after else None
        is_line = isinstance(part.layer, Window) and part.layer.is_line
        shape = (*self._values.tensor(part.x).shape[:-1], weight.shape[0]) if rows else None

        def step(values: list[object]) -> None:
            arrays = list(fixed)
            for place, source in moving:
                arrays[place] = values[source]
            y = run(*arrays)
            if beside is not None:
                y, values[beside] = y
            if is_line:
                y = y.squeeze(2)
            if shape is not None:
                y = y[0, :, :, 0].t().view(shape)
            if read is not None or follow is not None:
                y = tail(y, None if read is None else read(values), follow, part.keeps)
            if slot is not None:
                values[slot] = y

        self._steps.append(step)
        # It waits for all before it, and then lets the next one begin; others may not.
        self._follows = self._follows or isinstance(run, Run)

    def _compile_by_torch(self, part: Part) -> None:
        """Add the step of a part with weights that PyTorch computes."""
        _, own, dtype = self._chosen[part.node]
        read = self._reader(part.x)
        read_other = None if part.residual is None else self._reader(part.residual)
        slot = self._slot(part.node)

        def step(values: list[object]) -> None:
            x = read(values)
            x = x.to(dtype) if isinstance(dtype, torch.dtype) else x
            residual = None if read_other is None else read_other(values)
            values[slot] = by_torch(part, x, own.weight, own.bias, residual)

        self._steps.append(step)

    def run(self, inputs: Sequence[Tensor]) -> Any:
        """Return what the model computes; the caller has the lock."""
        if self._folding is not None:
            self._folding.run()
        if self._quantizing is not None:
            self._quantizing.run()
        values: list[object] = [*inputs, *[None] * (self._size - len(inputs))]
        side = None
        if self._beside and torch.cuda.is_available() and torch.cuda.is_current_stream_capturing():
            side = torch.cuda.Stream()
            side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for step in self._beside:
                step(values)
        for step in self._steps:
            step(values)
        if side is not None:
            torch.cuda.current_stream().wait_stream(side)
        made = self._fixed(self.parts.output) if self._output is None else self._output(values)
        return made if self._layout is None else self._layout(made)


def _addresses(value: object) -> set[int]:
    return {
        each.untyped_storage().data_ptr() for each in tree_leaves(value) if isinstance(each, Tensor)
    }
