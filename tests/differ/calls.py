"""A call on equal arrays by three: the package, PyTorch in the same data type, PyTorch in float64."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch
from torch.utils import _pytree

from .draw import Draw
from .judge import DiffersError, RefusedError, SkippedError, compare, largest, poison
from .narrow import rounded_attention
from .values import device, filled, laid_out, picked, switches

__all__ = ["ALIGNMENT", "Given", "Maker", "compare_calls", "prepared"]

#: Rows are at multiples of these bytes; without that, PyTorch's own attention ends the context, or
#: reads beside its arrays.
ALIGNMENT = 16

#: Maximum number of further inputs, an ulp away, that judge a result that differs.
SAMPLES = 3

#: About the largest gradient of a result: they are normal numbers.
LARGEST = 4.0

#: A function that makes a function of the arrays, for a data type.
Maker = Callable[[Any], Callable[..., Any]]


class Given:
    """Arguments of a call: a tree with tensors, of which some want a gradient.

    Attributes:
        leaves, spec: of the tree; tensors on the CPU, those of numbers in float64.
        layouts: a function for each leaf, that makes it on the device.
        wants: which leaves want a gradient.
    """

    def __init__(self, tree: Any, wants: Callable[[int, Any], bool]) -> None:
        self.leaves, self.spec = _pytree.tree_flatten(tree)
        self.layouts: list[Any] = [None] * len(self.leaves)
        self.wants = [
            isinstance(each, torch.Tensor) and each.is_floating_point() and wants(i, each)
            for i, each in enumerate(self.leaves)
        ]

    @property
    def is_small(self) -> bool:
        """Return whether there are numbers that float32 has with fewer bits only."""
        tensors = [e for e in self.leaves if torch.is_tensor(e) and e.is_floating_point()]
        return any(bool((_flushed(each) != each).any()) for each in tensors)

    def arrays(
        self, kind: Any, plain: bool, nudge: Any = None, flushes: bool = False,
        aligned: bool = False,
    ) -> list[Any]:  # fmt: skip
        """Return leaves with tensors on the device; `plain` ones are contiguous.

        Args:
            kind: the data type of those of numbers.
            plain: whether to leave out layouts.
            nudge: by how much numbers are moved, relative to each.
            flushes: whether numbers below float32's smallest normal one become zeros.
            aligned: whether what its layout puts at other addresses than multiples of 16 bytes is
                copied.
        """
        made = []
        for leaf, layout, wants in zip(self.leaves, self.layouts, self.wants, strict=True):
            if not isinstance(leaf, torch.Tensor):
                made.append(leaf)
                continue
            wide = kind if leaf.is_floating_point() else leaf.dtype
            x = leaf.to(device(), wide, copy=True)
            if nudge is not None and leaf.is_floating_point():
                x = _nudged(x, nudge)
            x = _flushed(x) if flushes and leaf.is_floating_point() else x
            if layout is not None and not plain:
                x = layout(x)
                steps = (x.data_ptr(), *[step * x.itemsize for step in x.stride() if step > 1])
                if aligned and any(step % ALIGNMENT for step in steps):
                    x = x.clone()
            made.append(x.detach().requires_grad_(wants))
        return made

    def beside(self, kind: Any) -> Given:
        """Return the same with numbers that are moved by about an ulp of a data type."""
        found = copy.copy(self)
        unit = torch.finfo(kind).eps
        found.leaves = [
            _nudged(each, unit).to(kind).double()
            if torch.is_tensor(each) and each.is_floating_point()
            else each
            for each in self.leaves
        ]
        return found

    def tree(self, leaves: list[Any]) -> Any:
        return _pytree.tree_unflatten(leaves, self.spec)


def prepared(
    draw: Draw, given: Given, kind: Any, keep: Callable[[int], bool], written: Sequence[str] = (),
    names: Sequence[str] = (),
) -> None:  # fmt: skip
    """Pick the data and the layout of each tensor.

    Args:
        draw: the case.
        given: is changed.
        kind: the data type that values have to be of.
        keep: which leaves keep their values, since not all are legal.
        written: names of leaves that are written to.
        names: of the leaves.
    """
    for index, leaf in enumerate(given.leaves):
        if not isinstance(leaf, torch.Tensor):
            continue
        name = names[index] if names else f"in{index}"
        how, layout = picked(draw, name, leaf, 0.6 if index == 0 else 0.9)
        if layout == "expanded" and name in written:
            layout = "contiguous"
        if leaf.is_floating_point():
            if keep(index):
                how = "plain"
            leaf = filled(leaf, how, draw.chance(f"{name}_values"), kind)
            if layout == "expanded":
                leaf = laid_out(leaf, layout, draw.chance(f"{name}_places")).contiguous()
            given.leaves[index] = leaf
        elif layout == "expanded":
            layout = "contiguous"

        def lay(x: Any, layout: str = layout, name: str = name) -> Any:
            return laid_out(x, layout, draw.chance(f"{name}_places"))

        given.layouts[index] = lay


def compare_calls(
    draw: Draw,
    given: Given,
    kind: Any,
    ours: Maker,
    theirs: Maker,
    refusals: tuple[type[Exception], ...],
    refused: Callable[[], str] = str,
    rough: bool = False,
    by_cudnn: bool = False,
    slopes: tuple[str, float] = ("gradient", LARGEST),
    saturates: bool = False,
) -> str:
    """Run a call by all three, with gradients, as often as the case says, and compare.

    Args:
        draw: the case.
        given: the arguments.
        kind: the data type.
        ours, theirs: make the function; what it returns besides results, such as running
            statistics, is an attribute `state` of it: a function that returns tensors.
        refusals: what the package raises where it refuses.
        refused: returns what the package left to PyTorch.
        rough: whether engines compute it by approximations.
        by_cudnn: whether PyTorch may use cuDNN, since the error of its own kernels is another one.
        slopes: how names begin of results that are gradients of functions that saturate, as rough
            ones do, and the largest number that slopes are multiplied by.
        saturates: whether it does so, and is not rough.

    Returns: what `refused` does.
    """
    repeats = draw.pick("repeats", (1, 6))
    gradient, layout = False, "contiguous"
    if any(given.wants) and draw.pick("gradient", (False, True)):
        gradient = True
        layout = draw.pick("dy_layout", ("contiguous", "channels_last", "sliced", "expanded"), 0.4)
    torch.manual_seed(draw.number("nudges"))
    if not gradient:
        given.wants = [False] * len(given.wants)
    how = (draw, gradient, layout, repeats)
    with switches(by_cudnn):
        try:
            other = _call(theirs(kind), given, given.arrays(kind, False, aligned=True), *how)
        except Exception as error:
            why = f"PyTorch: {type(error).__name__} {str(error).splitlines()[:1]}"
            raise SkippedError(why) from None
    with switches():
        wide, narrow = torch.float64, torch.float32
        exact = _call(theirs(wide), given, given.arrays(wide, True), *how)
        unit = torch.finfo(wide if kind == wide else narrow).eps

        def moved() -> dict[str, Any]:
            return _call(theirs(wide), given, given.arrays(wide, True, unit), *how, nudge=unit)

        def beside() -> tuple[dict[str, Any], dict[str, Any]]:
            near = given.beside(kind)
            one, two = (
                _call(theirs(each), near, near.arrays(each, True), *how) for each in (kind, wide)
            )
            return one, two

        with rounded_attention(kind) as uses:
            nudged = [moved()]
        flushed = (
            _call(theirs(wide), given, given.arrays(wide, True, flushes=True), *how)
            if kind != wide and given.is_small
            else {}
        )
        # There is no wider type to tell the error of PyTorch in float64 by: it is as in float32.
        less = (
            _call(theirs(narrow), given, given.arrays(narrow, True), *how) if kind == wide else {}
        )
    poison()
    with torch.backends.cudnn.flags(enabled=True, allow_tf32=False):
        try:
            own = _call(ours(kind), given, given.arrays(kind, False), *how, always=True)
        except refusals as error:
            raise RefusedError(f"{type(error).__name__}: {_plain(str(error))}") from None
    size = max((largest(each) for each in given.leaves if torch.is_tensor(each)), default=1.0)
    may_cancel = rough or saturates
    if {_first(name) for name in own} != {_first(name) for name in other}:
        raise DiffersError(f"results are {sorted(own)}, expected {sorted(other)}")
    near: list[tuple[dict[str, Any], dict[str, Any]]] = []

    def judge(name: str) -> None:
        once = _first(name)
        if (own[name] is None) != (other[once] is None):
            raise DiffersError(f"{name} is {own[name]}, expected {other[once]}")
        if own[name] is None:
            return
        farthest = max((each[once] for each in nudged), key=partial(_distance, exact[once]))
        compare(
            *(name, own[name], other[once], exact[once], farthest, size),
            computed=torch.finfo(kind).eps if uses.count else None,
            floor=2.0**-16 if rough else 0.0,
            narrower=less.get(once),
            flushed=flushed.get(once),
            beside=[(one[once], two[once]) for one, two in near],
            slope=slopes[1] * unit if may_cancel and name.startswith(slopes[0]) else 0.0,
        )

    for name in own:
        try:
            judge(name)
        except DiffersError:
            if near:
                raise
            with switches(by_cudnn):
                if refused():  # its kernels round otherwise for other strides
                    other.update(_call(theirs(kind), given, given.arrays(kind, False), *how))
                near.extend(beside() for _ in range(SAMPLES))
            with switches(), rounded_attention(kind):
                nudged.extend(moved() for _ in range(SAMPLES))
            judge(name)
    return refused()


def _distance(one: Any, other: Any) -> float:
    return float((one - other).abs().nan_to_num(0, 0, 0).max()) if one.numel() else 0.0


def _first(name: str) -> str:
    """Return the name of a result of the first call: all calls have the same results."""
    return name.partition(" of call")[0]


def _plain(text: str) -> str:
    """Return the first line of a message."""
    return (text.splitlines() or [""])[0]


def _call(
    function: Any, given: Given, leaves: list[Any], draw: Draw, gradient: bool, layout: str,
    repeats: int, always: bool = False, nudge: float = 0.0,
) -> dict[str, Any]:  # fmt: skip
    """Return results, gradients and the state after all calls, by name.

    Args:
        always: whether to call it as often as said, also where it has no state.
        nudge: by how much the gradients of results are moved, relative to their elements.
    """
    found: dict[str, Any] = {}
    before = [each.detach().clone() if isinstance(each, torch.Tensor) else None for each in leaves]
    wanted = [each for each, wants in zip(leaves, given.wants, strict=True) if wants]
    wanted += function.parameters if gradient else []
    outer = [torch.is_tensor(each) and 0 in _gaps(each) for each in leaves]
    dys: list[Any] = []
    for number in range(repeats):
        if number and not always and not function.state():
            break
        call = f" of call {number + 1}" if number else ""
        for leaf, value, is_expanded in zip(leaves, before, outer, strict=True):
            if number and value is not None and not is_expanded:
                leaf.detach().copy_(value)
        y = function(given.tree(leaves))
        results = [each for each in _pytree.tree_leaves(y) if isinstance(each, torch.Tensor)]
        found.update({f"y{i}{call}": each.detach().cpu() for i, each in enumerate(results)})
        grads: Any = ()
        if gradient:
            pairs = [each for each in results if each.requires_grad]
            dys = dys or [_gradient_of(draw, i, each, layout) for i, each in enumerate(pairs)]
            if nudge:
                dys = [_nudged(each, nudge) for each in dys]
            grads = torch.autograd.grad(pairs, wanted, dys, allow_unused=True)
            del pairs
        for i, each in enumerate(grads):
            found[f"gradient{i}{call}"] = None if each is None else each.cpu()
        # The next call gets the same memory, so that it can be replayed.
        del y, results, grads
    found.update({f"state{i}": each.detach().cpu() for i, each in enumerate(function.state())})
    return found


def _gradient_of(draw: Draw, index: int, y: Any, layout: str) -> Any:
    """Return a gradient for a result: numbers that all types have."""
    numbers = torch.Generator().manual_seed(draw.number(f"dy{index}"))
    dy = torch.randn(y.shape, generator=numbers, dtype=torch.float64).bfloat16()
    return laid_out(dy.to(y.device, y.dtype), layout, draw.chance("dy_places"))


def _nudged(x: Any, nudge: float) -> Any:
    """Return numbers that were moved at random, relative to each."""
    return x * (1 + nudge * torch.randn(x.shape, device="cpu", dtype=x.dtype).to(x.device))


def _flushed(x: Any) -> Any:
    """Return numbers with zeros for those below float32's smallest normal one."""
    return x.where(~(x.abs() < torch.finfo(torch.float32).tiny), 0)


def _gaps(x: Any) -> set[int]:
    return {step for n, step in zip(x.shape, x.stride(), strict=True) if n > 1}
