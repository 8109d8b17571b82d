"""The computation of a model as a graph: by `torch.fx`, of a copy that shares all tensors."""

from __future__ import annotations

import opcode
import operator
import sys
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from numbers import Number
from types import EllipsisType, NoneType
from typing import Any, NamedTuple

import torch
from torch import Tensor, fx, nn
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves

from .... import errors
from ...autograd.layouts import Layout
from ...autograd.switches import autocast_types
from .lock import Untraceable, tracing
from .state import ATTEMPTS, HOOKS, Drawing, State, override_of

#: Maximum number of modules that are found not to be traceable, one after the other.
_MOST_LEAVES = 200


class _Tensor:
    """Stands for a tensor among the arguments of a call."""

    def __repr__(self) -> str:
        return "tensor"


_TENSOR = _Tensor()


class Form(NamedTuple):
    """The arguments of a call: which are tensors, and what the others are.

    Attributes:
        positional, named: a stand-in for each tensor, also in tuples, and all else as it is.
        kinds: the types of all else, or the text of zeros: 1, 1.0 and True are equal, and computed
            with otherwise, as are 0.0 and -0.0.
    """

    positional: tuple[object, ...]
    named: tuple[tuple[str, object], ...]
    kinds: tuple[object, ...]

    @property
    def names(self) -> list[str]:
        """Return a name for each tensor, in order."""
        pairs = [*((f"input{i}", each) for i, each in enumerate(self.positional)), *self.named]
        return [found for name, each in pairs for found in _names(name, each)]

    def filled(self, tensors: Iterable[object]) -> tuple[list[Any], dict[str, Any]]:
        """Return the arguments, with these in the places of tensors, in the order of `names`."""
        values = iter(tensors)

        def fill(value: object) -> object:
            if type(value) is tuple:
                return tuple([fill(each) for each in value])
            return next(values) if value is _TENSOR else value

        args = [fill(each) for each in self.positional]
        return args, {name: fill(each) for name, each in self.named}


def _names(name: str, value: object) -> list[str]:
    if value is _TENSOR:
        return [name]
    if type(value) is not tuple:
        return []
    return [found for i, each in enumerate(value) for found in _names(f"{name}_{i}", each)]


#: Types of arguments that are the same in each call where they are equal.
PLAIN = (
    *(NoneType, str, bytes, Number, Enum, type, EllipsisType),
    *(torch.dtype, torch.device, torch.layout, torch.memory_format, torch.Size),
)


def to_form(args: Sequence[object], kwargs: Mapping[str, object]) -> tuple[Form, list[Tensor]]:
    """Return the form of a call, and its tensors.

    Raises:
        Untraceable: an argument is neither a tensor nor a plain value.
    """
    tensors: list[Tensor] = []
    kinds: list[object] = []

    def look(name: str, value: object) -> object:
        if isinstance(value, Tensor):
            tensors.append(value)
            return _TENSOR
        is_zero = isinstance(value, (float, complex)) and not value
        kinds.append(repr(value) if is_zero else type(value))
        if type(value) is tuple:
            return tuple([look(name, each) for each in value])
        if not isinstance(value, PLAIN):  # objects may have other attributes in the next call
            raise Untraceable(f"{name}: a {type(value).__name__} is not a plain argument")
        return value

    positional = tuple([look(f"argument {i}", each) for i, each in enumerate(args)])
    named = tuple([(name, look(name, kwargs[name])) for name in sorted(kwargs)])
    return Form(positional, named, tuple(kinds)), tensors


class Traced(NamedTuple):
    """A graph and its modules.

    Attributes:
        root: the module whose submodules the graph names.
        graph: of calls of modules, functions and methods.
        leaves: why modules that have modules themselves are run as they are, by name.
        made: whether a tensor in it was made by the model while it was traced.
        kinds: the kinds of parts that are looked for, beside convolutions and folded layers. A
            graph that has them is for tensors of one shape and data type alone.
        constants: the nodes whose values are the same in each call.
        unfolded: the norms that are not folded into the layers before them.
        form: of the calls.
        layout: how the results lie where PyTorch computes them; None where that is not known yet.
    """

    root: nn.Module
    graph: fx.Graph
    leaves: dict[str, str]
    made: bool = False
    kinds: frozenset[str] = frozenset()
    constants: frozenset[fx.Node] = frozenset()
    unfolded: frozenset[nn.Module] = frozenset()
    form: Form | None = None
    layout: Layout | None = None


#: Properties of a value that a graph may read; calls decide by others, such as `requires_grad`.
_READ = frozenset(("T", "mT", "H", "mH", "data", "device", "dtype", "imag", "real", "shape"))

_IS = opcode.opmap["IS_OP"]


def _refuse_to_tell(
    why: str, *, names: Sequence[str] = (), op: int | None = None
) -> None:  # fmt: skip
    """End the trace if a function of the model asks for what a stand-in for a value has not.

    Args:
        why: for the error.
        names: one of which such a function has; any function without them.
        op: an operation of Python that it has.
    """
    frame: Any = sys._getframe(2)
    while (room := str(frame.f_globals.get("__name__"))) == "abc":  # of abstract classes
        frame = frame.f_back
    if room.startswith(("torch.", "cudnn_cffi.")):
        return
    code = frame.f_code
    asks = not names or not set(names).isdisjoint(code.co_names)
    asks = asks and (op is None or op in code.co_code[::2])
    if asks and room.partition(".")[0] not in sys.stdlib_module_names:
        raise Untraceable(f"it decides by {why} of a value")


class _Proxy(fx.Proxy):
    """A value in the graph, which may be changed in place, as tensors may be.

    PyTorch's own makes a new value of `a += b`, and refuses `a[i] = b`. It has answers for what
    only a tensor knows: its class, whether it is in a set, its text.
    """

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        _refuse_to_tell("the class", names=("isinstance", "__class__"))
        return type(self)

    def __hash__(self) -> int:
        _refuse_to_tell("the identity")
        return id(self)

    def __repr__(self) -> str:
        _refuse_to_tell("the text")
        return str(super().__repr__())

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            _refuse_to_tell(f"the attribute {name}")
            raise AttributeError(name)
        if name not in _READ and not callable(getattr(Tensor, name, None)):
            _refuse_to_tell(f"the attribute {name}")
        elif name == "dtype":
            _refuse_to_tell("the data type", op=_IS)
        return _Attribute(self, name)

    def _call(self, function: Callable[..., object], *args: object) -> fx.Proxy:
        return self.tracer.create_proxy("call_function", function, (self, *args), {})

    def __setitem__(self, key: object, value: object) -> None:
        self._call(operator.setitem, key, value)


class _Attribute(_Proxy, fx.proxy.Attribute):
    """A property or a method of a value."""

    def __getattr__(self, name: str) -> Any:
        return _Attribute(self, name)


def _in_place(name: str) -> Callable[[_Proxy, object], fx.Proxy]:
    function = getattr(operator, name)

    def method(self: _Proxy, other: object) -> fx.Proxy:
        return self._call(function, other)

    return method


for _name in (
    "iadd",
    "isub",
    "imul",
    "itruediv",
    "ifloordiv",
    "imod",
    "ipow",
    "iand",
    "ior",
    "ixor",
):
    setattr(_Proxy, f"__{_name}__", _in_place(_name))


class _Tracer(fx.Tracer):
    """Traces a call of one form, and remembers which module could not be traced."""

    def __init__(self, form: Form, leaves: Mapping[str, str]) -> None:
        super().__init__()
        self.proxy_buffer_attributes = True  # their numbers may change, so none is taken now
        self.form = form
        self.leaves = leaves
        self.failed: str | None = None
        self.thread = threading.get_ident()
        self._autocast = autocast_types()

    def _refuse_autocast(self) -> None:
        """Refuse what is called where autocast was switched: a graph has no such blocks."""
        if autocast_types() != self._autocast:
            raise Untraceable("it switches autocast")

    def create_node(self, *args: Any, **kwargs: Any) -> fx.Node:
        self._refuse_autocast()
        return super().create_node(*args, **kwargs)

    def proxy(self, node: fx.Node) -> fx.Proxy:
        return _Proxy(node, self)

    def is_leaf_module(self, m: nn.Module, module_qualified_name: str) -> bool:
        if module_qualified_name in self.leaves or isinstance(m, torch.jit.ScriptModule):
            return True
        own = type(m).__module__.startswith("cudnn_cffi.")
        return own or bool(super().is_leaf_module(m, module_qualified_name))

    def getattr(self, attr: str, attr_val: object, parameter_proxy_cache: dict[str, Any]) -> object:
        if threading.get_ident() != self.thread:
            return attr_val
        return super().getattr(attr, attr_val, parameter_proxy_cache)

    def call_module(
        self, m: nn.Module, forward: Callable[..., object], args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> object:  # fmt: skip
        if threading.get_ident() != self.thread:
            return forward(*args, **kwargs)
        self._refuse_autocast()  # of the module around it
        try:
            return super().call_module(m, forward, args, kwargs)
        except Exception:
            if self.failed is None:
                self.failed = self.path_of_module(m)
            raise

    def create_args_for_root(
        self, root_fn: Callable[..., object], is_module: bool, concrete_args: object = None
    ) -> tuple[Callable[..., object], list[object]]:
        names = self.form.names
        args, kwargs = self.form.filled(
            self.create_proxy("placeholder", name, (), {}) for name in names
        )

        def call(*given: object) -> object:
            return root_fn(*given, **kwargs)

        return call, [self.root, *args]


class _Computed(Exception):  # noqa: N818  it ends a trace, and is no error of a user
    """A trace computes with numbers of a tensor, which may be others later."""


#: Functions that tell what a tensor is like, and read none of its numbers.
_DESCRIBING = frozenset(
    (
        "__get__", "size", "dim", "ndimension", "stride", "numel", "nelement", "element_size",
        "__len__", "is_contiguous", "is_floating_point", "is_complex", "storage_offset", "type",
        "get_device", "data_ptr", "__hash__", "__repr__", "__format__",
    )
)  # fmt: skip


class _Reading(TorchFunctionMode):
    """Ends a trace that computes with a tensor that was there before.

    PyTorch puts parameters and buffers into the graph, but not tensors in other attributes, in
    lists, or in closures.
    """

    def __init__(self) -> None:
        super().__init__()
        self._made: list[Tensor] = []
        self._own: set[int] = set()

    def has_made(self, root: nn.Module, graph: fx.Graph) -> bool:
        """Return whether a tensor in a graph was made during the trace."""
        names = [str(each.target) for each in graph.nodes if each.op == "get_attr"]
        values = [vars(root).get(each) for each in names]
        return any(isinstance(each, Tensor) and _memory(each) in self._own for each in values)

    def __torch_function__(
        self, func: Callable[..., Any], types: object, args: Any = (), kwargs: Any = None
    ) -> object:
        kwargs = kwargs or {}
        leaves = tree_leaves((args, kwargs))
        if any(isinstance(each, fx.Proxy) for each in leaves):
            return func(*args, **kwargs)
        read = {_memory(each) for each in leaves if isinstance(each, Tensor)}
        others = read - self._own
        name = getattr(func, "__name__", "")
        if others and (is_in_place(name) or "out" in kwargs):
            raise _Computed("it writes to a tensor that is no buffer")
        result = func(*args, **kwargs)
        found = [each for each in tree_leaves(result) if isinstance(each, Tensor)]
        new = {_memory(each) for each in found} - others
        if others and (new or (not found and name not in _DESCRIBING)):
            raise _Computed("it computes with numbers of a tensor that is no buffer")
        self._made += found
        self._own |= new
        return result


def _memory(tensor: Tensor) -> int:
    return int(tensor.untyped_storage()._cdata)


def is_in_place(name: str) -> bool:
    """Return whether a function or method of that name writes to its first argument."""
    if name.startswith("__"):
        inner = name.strip("_")
        return inner == "setitem" or (inner.startswith("i") and hasattr(operator, inner[1:]))
    return name.endswith("_")


def trace(root: nn.Module, form: Form) -> Traced:
    """Return what a module computes of arguments of a form.

    A submodule that cannot be traced, since it decides by values, or that has hooks, is a single
    node of the graph.

    Raises:
        Untraceable: the module itself cannot be traced; or a module in it changes its attributes,
            or draws random numbers, which would be the same in each call.
    """
    if why := override_of(root):
        raise Untraceable(why, is_own=why != HOOKS)
    leaves = {
        name: why for name, each in root.named_modules() if name and (why := override_of(each))
    }
    changed: dict[str, str] = {}
    attempts = ATTEMPTS
    while True:
        tracer = _Tracer(form, leaves)
        state = State(root)
        try:
            with tracing(), Drawing(root) as drawing, _Reading() as reading:
                graph = tracer.trace(root)
            attempts -= 1
            if drawing.is_disturbed and attempts:
                continue
            if drawing.why:
                raise Untraceable(drawing.why)
        except Exception as error:
            changes = f"{error}".startswith("cannot assign")  # a computed value to a buffer
            if changes:
                changed.setdefault(tracer.failed or "", "a buffer")
            if not tracer.failed or tracer.failed in leaves or len(leaves) >= _MOST_LEAVES:
                why = f"it cannot be traced: {_words(error)}"
                if changes:
                    why = "it changes a buffer"
                raise Untraceable(why, is_own=changes) from error
            leaves[tracer.failed] = f"it cannot be traced: {_words(error)}"
            continue
        finally:
            found = state.restore()
        if found is not None:
            name, attribute = found
            if not name or name in changed:  # the module around it changes it
                inside = f"{name}." if name else ""
                raise Untraceable(f"it changes its attribute {inside}{attribute}", is_own=True)
            changed[name] = f"its attribute {attribute}"
            leaves[name] = f"it changes its attribute {attribute}"
            continue
        called = {str(node.target) for node in graph.nodes if node.op == "call_module"}
        for name, attribute in changed.items():
            if name in called:
                raise Untraceable(f"{name} changes {attribute}")
        used = {name: why for name, why in leaves.items() if name in called}
        return Traced(root, graph, used, reading.has_made(root, graph))


def _words(error: BaseException) -> str:
    return errors.first_line(error).strip()[:160] or type(error).__name__
