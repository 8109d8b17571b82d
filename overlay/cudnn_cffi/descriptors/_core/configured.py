"""The base of descriptors whose configuration can be read back from cuDNN."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, IntFlag
from functools import partial
from math import isnan, nan
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar

from ... import arrays, errors
from ..._lookup import function
from ..._object import Family
from ..._support.arguments import join
from ..._support.constructors import Shown, list_makers, makers, taken

#: Spatial axes that cuDNN's getters of convolutions and poolings can return.
SPATIAL_MAX = 6

_T = TypeVar("_T")
_F = TypeVar("_F", bound=Family)


def _find_maker(cls: type[Family]) -> None:
    """Note the function of cuDNN that creates descriptors of a class, and its class methods."""
    if hasattr(cls, "_c_name") and not hasattr(cls, "_create"):
        name = f"cudnnCreate{cls._c_name[len('cudnn') : -len('_t')]}"
        try:
            create = function(name)
        except errors.MissingFunctionError:  # no generated release has it
            create = partial(function, name)
        setattr(cls, "_create", staticmethod(create))  # noqa: B010
    list_makers(cls)


# In the place of the emitted constructor, and without a call of `_own`, so that the check of the
# arguments does not make it slower.
def _begin(self: Any, *values: object, **named: object) -> None:
    if values or named:
        raise _arguments_error(type(self), values, named)
    setattr(self, self._slot, self._create())
    self._owned = True


_SIGNATURE = Shown(lambda cls: None if taken(cls.__init__) else ())  # type: ignore[misc]


def made_by_methods(cls: type[_F]) -> type[_F]:
    """Let class methods alone make a class of descriptors; its constructor takes nothing.

    A constructor that gets arguments says which class methods there are.
    """
    setattr(cls, "__init__", _begin)  # noqa: B010
    setattr(cls, "__signature__", _SIGNATURE)  # noqa: B010
    _find_maker(cls)
    return cls


def _arguments_error(
    cls: type[Family], values: tuple[object, ...], named: dict[str, object]
) -> errors.ArgumentError:
    """Return the error for a constructor that got arguments: those that class methods take."""
    from inspect import signature

    found = {
        name: signature(getattr(cls, name)) for name in makers(cls) if not hasattr(Family, name)
    }

    def refuses(name: str) -> bool:
        try:
            found[name].bind(*values, **named)
        except TypeError:
            return True
        return False

    # Constructors with such arguments come first.
    names = sorted(found, key=refuses)
    listed = ", ".join(f".{name}({', '.join(found[name].parameters)})" for name in names)
    return errors.ArgumentError(
        f"{cls.__name__}() takes no arguments, got {len(values) + len(named)}",
        hint=f"make one by {cls.__name__}{listed}",
    )


if TYPE_CHECKING:
    from typing import Never

    _Property = object
else:
    _Property = property


class Field(_Property, Generic[_T]):
    """A property of a descriptor that is read back from cuDNN.

    A class lists what can be configured as fields, in the order of its repr: its properties, their
    docstrings, its configuration, equality, pickles and repr come from them.

    Args:
        read: the name of the value in the result of `_read`, or a function that finds it there.
        doc: the docstring.
        convert: a function to apply to the value, such as `bool`.
        shown: how the value appears in the repr, with {} for the value; or a function that returns
            the text; "" for not at all. A value of None never appears.
    """

    def __init__(
        self,
        read: str | Callable[[Any], Any],
        doc: str,
        *,
        convert: Callable[[Any], _T] | None = None,
        shown: str | Callable[[_T], str] = "",
    ) -> None:
        get = attrgetter(read) if isinstance(read, str) else read
        find = get if convert is None else lambda got: convert(get(got))
        self._describe(lambda self: find(self._read()), lambda _, got: find(got), doc, shown)

    def _describe(
        self,
        getter: Callable[[Any], _T],
        find: Callable[[Any, Any], _T],
        doc: str | None,
        shown: str | Callable[[_T], str],
    ) -> None:
        if not TYPE_CHECKING:
            super().__init__(getter)
            self.__doc__ = doc  # that of this class would hide one that the property has
        #: Finds the value in a descriptor and the result of its `_read`.
        self.find = find
        self.shown = shown

    if TYPE_CHECKING:

        def __get__(self, instance: object, owner: type | None = None) -> _T: ...

        def __set__(self, instance: object, value: Never) -> None: ...

    def text(self, value: _T | None) -> str:
        """Return how a value appears in the repr; "" for not at all."""
        if value is None:
            return ""
        return self.shown(value) if callable(self.shown) else self.shown.format(_readable(value))


def computed(shown: Any = "") -> Callable[[Callable[[Any], _T]], Field[_T]]:
    """Make a field of a method, for a value that the result of `_read` does not have."""

    def decorate(method: Callable[[Any], _T]) -> Field[_T]:
        field: Field[_T] = Field.__new__(Field)
        field._describe(method, lambda descriptor, _: method(descriptor), method.__doc__, shown)
        return field

    return decorate


def _readable(value: object) -> str:
    """Return a value as people read it."""
    if isinstance(value, Enum):
        return arrays.dtype_text(value) if type(value).__name__ == "DataType" else value.name
    if isinstance(value, tuple):
        return join(value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def _plain(value: object) -> object:
    """Return a value as another release of cuDNN understands it: by names instead of numbers."""
    if isinstance(value, IntFlag):
        return int(value)
    if isinstance(value, Enum):
        return value.name
    return tuple(map(_plain, value)) if isinstance(value, tuple) else value


class Configured(Family):
    """The base of descriptors whose configuration can be read back from cuDNN.

    Two descriptors are equal when they are configured alike. So setting a descriptor changes its
    hash: do not set one that is a key of a dict. A pickle holds the configuration by names, so that
    another release of cuDNN can restore it.
    """

    __slots__ = ()

    _fields: ClassVar[dict[str, Field[Any]]] = {}

    if not TYPE_CHECKING:  # which sees the constructor that was emitted
        __signature__ = _SIGNATURE
        __init__ = _begin

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        _find_maker(cls)
        own = {name: each for name, each in vars(cls).items() if isinstance(each, Field)}
        cls._fields = cls._fields | own

    def _read(self) -> Any:
        """Return what cuDNN's getter returns."""
        return self.get()  # type: ignore[attr-defined]

    def _is_set(self, got: Any) -> bool:  # noqa: ARG002
        """Return whether the values read are a configuration, not uninitialized memory."""
        return True

    def _configuration(self) -> dict[str, object]:
        """Return what cuDNN says is set, by the names of the fields; {} where nothing is set."""
        got = self._read()
        if not self._is_set(got):
            return {}
        return {name: _plain(field.find(self, got)) for name, field in self._fields.items()}

    def _arguments(self) -> dict[str, object]:
        """Return keyword arguments of `_restored` that make an equal descriptor."""
        return self._configuration()

    @classmethod
    def _restored(cls, **configuration: object) -> Self:
        """Make a descriptor from the result of `_arguments`."""
        return cls.of(**configuration)  # type: ignore[attr-defined]

    def _summary(self) -> str:
        """Return the text between the parentheses of the repr."""
        got = self._read()
        texts = (field.text(field.find(self, got)) for field in self._fields.values())
        return " ".join(text for text in texts if text)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Configured) or other._c_name != self._c_name:
            return NotImplemented
        if self.closed or other.closed:
            return self is other
        return self.address == other.address or self._compared() == other._compared()

    def __hash__(self) -> int:
        self.address  # noqa: B018  raises for a closed one, which has no configuration
        return hash((self._c_name, self._compared()))

    def _compared(self) -> tuple[object, ...]:
        # A NaN is unequal to another one, but a container takes an object as equal to itself.
        return tuple(
            (name, nan if isinstance(value, float) and isnan(value) else value)
            for name, value in self._configuration().items()
        )

    def __reduce__(self) -> tuple[object, ...]:
        self.address  # noqa: B018
        return _restore, (type(self), self._arguments())

    def __copy__(self) -> Self:
        return self.copied()

    def copied(self) -> Self:
        """Make another descriptor with the same configuration.

        Raises:
            ClosedError: this one is closed.
        """
        return _restore(type(self), self._arguments())

    def __repr__(self) -> str:
        label = self._c_name.removeprefix("cudnn").removesuffix("Descriptor_t")
        if self.closed:
            return f"{label}(closed)"
        try:
            return f"{label}({self._summary() if self._configuration() else 'not set'})"
        except (errors.CudnnError, AttributeError) as error:  # an older release tells less
            return f"{label}({self.address:#x}, {type(error).__name__} when read)"


_D = TypeVar("_D", bound=Configured)


def _restore(cls: type[_D], configuration: dict[str, object]) -> _D:
    return cls._restored(**configuration) if configuration else cls()
