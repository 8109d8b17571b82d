"""The record of a layer: an operation with PyTorch's options, and what follows from it.

The operator's schema, the operation that is made, the tensors that are kept for gradients, and the
layer that computes the gradients follow from the operation and a few words of the layer.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, TypeAlias

import torch
from torch import Tensor

from ...ops import Operation
from .layouts import dense, formatted, is_last

if TYPE_CHECKING:
    from ...choice.policy import Choose

#: Operands of a call, of which some may be None; what was kept of them; gradients of results.
Tensors: TypeAlias = Sequence[Tensor]
#: The results of an operator: one tensor, or several.
Results: TypeAlias = Tensor | tuple[Tensor, ...]
#: Gradients for operands, with None where none is wanted.
Gradients: TypeAlias = Sequence[Tensor | None]


class Context(Protocol):
    """PyTorch's context of an autograd function, on which functions also set attributes."""

    saved_tensors: tuple[Tensor, ...]
    needs_input_grad: tuple[bool, ...]

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keep tensors."""

    def set_materialize_grads(self, value: bool) -> None:
        """Say whether gradients that are not there are zeros."""

    def __getattr__(self, name: str) -> Any: ...

    def __setattr__(self, name: str, value: object) -> None: ...


#: The computation of a gradient: a layer and where its arguments are, or the name of a method.
Step: TypeAlias = "tuple[type[Record], tuple[int, ...]] | str"

#: Operands that schemas of operators name otherwise than operations.
_NAMES = {"inv_variance": "inverse", "input_lengths": "times", "label_lengths": "lengths"}

#: An option that may be symbolic where it is traced.
SymInt: TypeAlias = int

#: The types of options in schemas, by their annotations.
_TYPES = {
    **{each: each for each in ("bool", "int", "float", "str", "SymInt")},
    **{"float | None": "float?", "str | None": "str?", "tuple[int, ...]": "SymInt[]"},
}


class Gradient(NamedTuple):
    """The layer that computes gradients, and the places of its operands among kept tensors."""

    layer: type[Record]
    places: tuple[int, ...]


class Record:
    """The record of a layer, which subclasses declare.

    Only what differs from the operation's own record is declared beside `by`.
    """

    #: The operation that computes it, which gets the attributes that are named as its options.
    by: ClassVar[type[Operation]]
    #: Options of the operation that the layer has not.
    fixed: ClassVar[Mapping[str, object]] = {}
    #: The name of the operator: that of the operation's function.
    word: ClassVar[str] = ""
    #: The operands of the operation that a call gives, and those of them that may be None.
    takes: ClassVar[tuple[str, ...]] = ()
    optional: ClassVar[frozenset[str]] = frozenset()
    #: The results, as the operation names them.
    gives: ClassVar[tuple[str, ...]] = ()
    #: Arguments of a call after the tensors, as in the schema.
    extras: ClassVar[tuple[str, ...]] = ()
    #: Options as in the schema; by default the annotated attributes of the class and its bases.
    names: ClassVar[tuple[str, ...]] = ()
    #: The first results are for callers, the rest is for gradients; all of a gradient's are.
    visible: ClassVar[int] = 0
    #: Operands and results that gradients need; by default all operands, and the results that the
    #: layer of the gradients takes.
    keeps: ClassVar[tuple[str, ...] | None] = None
    #: The operators of the gradients: those of the operation's.
    gradient: ClassVar[tuple[str, ...]] = ()
    #: The operands that are images: all have channels last or first, as the one named `x` has them.
    images: ClassVar[tuple[str, ...]] = ()
    #: Whether operands are in C order.
    contiguous: ClassVar[bool] = False
    #: The type that autocast computes in: "lower", "float32", "promote", or "" for any.
    casts: str = ""
    #: Tags of the operator.
    tags: ClassVar[tuple[torch.Tag, ...]] = ()

    #: Whether several operations compute the gradients, each by a layer of its own. `steps` has,
    #: for each tensor of the call, its class and the places of its arguments (`nodes.compose`), or
    #: the name of a method.
    composed: ClassVar[bool] = False
    steps: ClassVar[tuple[Step, ...]] = ()

    #: The layers of gradients, by their classes.
    parts: Mapping[Any, Any]

    #: The schema: tensors and results.
    tensors: ClassVar[tuple[str, ...]] = ()
    returns: ClassVar[str] = "Tensor"
    #: The names of options, and those of the operation's.
    words: ClassVar[tuple[str, ...]] = ()
    _accepts: ClassVar[frozenset[str]] = frozenset()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        own = cls.__dict__
        if "by" in own:
            for name in ("word", "takes", "optional", "gives", "gradient"):
                value = getattr(cls.by, name)
                if name not in own and not isinstance(value, property):
                    setattr(cls, name, value)
            cls.composed = len(cls.gradient) > 1
            cls._accepts = frozenset(inspect.signature(cls.by).parameters)
        if "names" not in own:
            found = [(n, t) for n, t in inspect.get_annotations(cls).items() if "Class" not in t]
            cls.names += tuple([f"{_TYPES[kind]} {name}" for name, kind in found])
        cls.words = tuple([each.split()[-1] for each in cls.names])
        cls.tensors = tuple(
            [f"Tensor{'?' * (n in cls.optional)} {_NAMES.get(n, n)}" for n in cls.takes]
        )
        if not cls.word:
            return
        _records[cls.word] = cls
        count = len(cls.gives)
        cls.returns = "Tensor" if count == 1 else f"({', '.join(['Tensor'] * count)})"
        if "visible" not in own:
            is_forward = count == 1 or cls.by.section == "forward"
            cls.visible = 1 if is_forward else count

    def __init__(self, *options: object, choose: Choose = None) -> None:
        self.options = options
        self.choose = choose
        self._start(*options)

    def _start(self, *options: Any) -> None:
        """Keep the options under their names, in a form that all compilers of PyTorch trace."""
        for name, value in zip(self.words, options, strict=True):
            setattr(self, name, value)

    def make(self, **options: Any) -> Operation:
        """Return the operation that computes it; options are those of `plain`."""
        own = {name: each for name, each in vars(self).items() if name in self._accepts}
        return self.by(**{**self.fixed, **own, **options})

    def arrange(self, given: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        """Return tensors in a layout that the operation takes; called where no plan fits.

        They are those that were given, or copies; types, shapes and strides decide which.
        """
        if self.images:
            last = is_last(self.lead(given))
            names = (*self.takes, *("",) * (len(given) - len(self.takes)))
            return tuple(
                [
                    formatted(each, last) if name in self.images and each is not None else each
                    for name, each in zip(names, given, strict=False)
                ]
            )
        if self.contiguous:
            return tuple([e if e is None else e.resolve_neg().contiguous() for e in given])
        return tuple([each if each is None else dense(each) for each in given])

    def lead(self, given: Tensors) -> Tensor:
        """Return the image whose layout the others get."""
        return given[self.takes.index("x")]

    # Gradients

    @classmethod
    def gradient_record(cls) -> Gradient | None:
        """Return how another layer computes all gradients; None where none does."""
        if "_gradient" not in cls.__dict__:
            found = None if cls.composed or not cls.gradient else _records[cls.gradient[0]]
            kept = cls.kept(found)
            taken = () if found is None else found.takes[1:]
            places = tuple([kept.index(name) for name in taken if name in kept])
            cls._gradient = None if found is None else Gradient(found, places)
        return cls._gradient

    _gradient: ClassVar[Gradient | None]

    @classmethod
    def forward_record(cls) -> Any:
        """Return the layer that this one computes the gradients of."""
        return next(each for each in _records.values() if cls.word in each.gradient)

    @classmethod
    def kept(cls, gradient: type[Record] | None) -> tuple[str, ...]:
        """Return the names of operands and results that gradients need."""
        if cls.keeps is not None:
            return cls.keeps
        taken = () if gradient is None else gradient.takes
        results = [each for each in cls.gives if each in taken and each not in cls.takes]
        return (*cls.takes, *results)

    def saves(self, given: Tensors, results: Tensors) -> Tensors:
        """Return the tensors that gradients need."""
        found = self.gradient_record()
        names = self.kept(found and found.layer)
        named = dict(zip(self.gives, results, strict=False))
        named.update(zip(self.takes, given, strict=False))
        return tuple([named[name] for name in names if name in named])


#: The records of all layers, by the names of their operators.
_records: dict[str, type[Record]] = {}


def shown(found: Sequence[Tensor], visible: int) -> Results:
    """Return the results for callers."""
    return found[0] if visible == 1 else tuple(found[:visible])
