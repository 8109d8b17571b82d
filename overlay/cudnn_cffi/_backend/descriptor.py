"""The base of all emitted classes: a keyword and a property for each attribute."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib import import_module
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, Self

from .. import errors
from .._attributes import DESCRIPTORS
from .._call import failed
from .._lookup import calls, families
from .._object import Adopting
from .._support import fork
from .._tables import active, find_member
from ..driver import captures
from ..library.companions import provide_driver, require_cublas
from . import reading, schema
from .encoders import Rows
from .missing import explained
from .setters import Setters

if TYPE_CHECKING:
    from inspect import Signature

    from ..enums import BackendAttributeName, BackendAttributeType
    from .schema import Attribute


#: The names of classes by the C names of their types.
_CLASSES = {c_name: cls for cls, (c_name, _) in DESCRIPTORS.items()}

#: Making one of these ends the process if cuBLAS is missing.
_WANT_CUBLAS = ("EngineCfgDescriptor", "EngineHeurDescriptor")

#: Maximum number of characters of a value that are shown.
_LONGEST = 60


def find_class(name: str) -> Any:
    """Return an emitted class."""
    if name == "Descriptor":
        return Descriptor
    return getattr(import_module(f"{__name__.split('.')[0]}.backend"), name)


def find_type(descriptor: str) -> Any:
    """Return the class of a descriptor type, by its name without CUDNN_BACKEND_ and _DESCRIPTOR."""
    return find_class(_CLASSES[f"CUDNN_BACKEND_{descriptor}_DESCRIPTOR"])


class _Typed(type(families.BackendDescriptor)):  # type: ignore[misc]
    """Makes the classes' signatures, of the release in use, where they are asked for."""

    def _absent(cls) -> set[str]:
        """Return what `dir` leaves out: what the release in use lacks."""
        names: set[str] = super()._absent()
        return names | (schema.absent_names(cls._emitted) if cls.c_name else set())

    @property
    def __signature__(cls) -> Signature:
        from inspect import Parameter, Signature

        return Signature(
            [
                Parameter(each.name, Parameter.KEYWORD_ONLY, default=None)
                for each in cls.attributes()
                if each.writable is not False
            ]
        )


class Descriptor(families.BackendDescriptor, metaclass=_Typed):
    """A backend descriptor with its attributes as keywords and properties.

    ``TensorDescriptor(data_type=..., dimensions=...)`` makes one, sets what is given and finalizes
    it. `open` makes one that is not finalized, for `set` and `finalize`. None is the same as a
    keyword that is left out. If anything fails the descriptor is freed.

    Enums are members, their names, or their numbers. Descriptors are instances of the class that
    the attribute holds, finalized; they are kept alive. A property returns what cuDNN tells of a
    finalized descriptor. Before that, and for attributes that cuDNN does not tell or that hold
    descriptors, it returns what was set through this object.

    Where cuDNN leaves to chance what an attribute is that is not set, or crashes, it must be set.
    """

    __slots__ = ("_finalized", "_lent", "_values")

    c_name: ClassVar[str] = ""
    _emitted: ClassVar[str] = ""  # the name of the emitted class
    _attributes_: ClassVar[Mapping[str, Attribute] | None] = None
    _setters: ClassVar[Setters]
    _vital: ClassVar[tuple[tuple[str, tuple[str, ...], str], ...]] = ()
    _preset: ClassVar[tuple[tuple[str, Any], ...]] = ()
    _number: ClassVar[int | None] = None

    _finalized: bool
    _lent: bool  # not made through this object, so what is set is not known here
    _values: dict[str, Any]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "c_name" in cls.__dict__:
            cls._emitted = cls.__name__
        # Each class has its own, whatever its base was used for before.
        cls._setters, cls._attributes_, cls._number = Setters(cls, find_class), None, None
        cls._vital, cls._preset = (), ()

    def __init__(self, **values: object) -> None:
        self._create()
        try:
            if values:
                self._apply(values)
            self.finalize()
        except BaseException:
            self.close()
            raise

    @classmethod
    def open(cls, **values: object) -> Self:
        """Return a descriptor that is not finalized, with some attributes set."""
        self = cls.__new__(cls)
        self._create()
        try:
            self._apply(values)
        except BaseException:
            self.close()
            raise
        return self

    @classmethod
    def _to_fill(cls) -> Self:
        """Return a descriptor for cuDNN to fill, which is finalized then."""
        self = cls.__new__(cls)
        self._create()
        self._finalized = self._lent = True
        return self

    @classmethod
    def from_address(cls, address: int, keep: object = None) -> Self:
        """Return the finalized descriptor of this type at `address`, which somebody else owns.

        Args:
            address: a cudnnBackendDescriptor_t; that it has this type cannot be tested.
            keep: whatever must live as long as the result, such as the owner.
        """
        self = super().from_address(address, keep)
        self._values, self._finalized, self._lent = {}, True, True
        return self

    @classmethod
    def available(cls) -> bool:
        """Return whether the release in use has this type of descriptors."""
        return bool(cls.c_name) and schema.has_type(cls._emitted)

    @classmethod
    def attributes(cls) -> tuple[Attribute, ...]:
        """Return the attributes that the release in use has, as records."""
        return tuple(cls._known().values())

    @classmethod
    def _known(cls) -> Mapping[str, Attribute]:
        if cls._attributes_ is None:
            cls._attributes_ = schema.attributes_of(cls._emitted) if cls.c_name else {}
            cls._vital = tuple(
                [
                    (each.name, (each.name, *(() if each.uninitialized else each.unless)), why)
                    for each in cls._attributes_.values()
                    if (
                        why := "does not initialize it"
                        if each.uninitialized
                        else "crashes without it"
                        if each.fatal
                        else ""
                    )
                ]
            )
            cls._preset = tuple(
                [
                    (each.name, each.default)
                    for each in cls._attributes_.values()
                    if each.unread_default and each.default is not None
                ]
            )
        return cls._attributes_

    @classmethod
    def _find_number(cls) -> int:
        """Return the number of this type, looked up once."""
        cls._known()
        if not cls.c_name:
            raise errors.ArgumentError(
                f"{cls.__name__} is not a type of descriptors",
                hint="make one of the classes that derive from it",
            )
        if not schema.has_type(cls._emitted):
            raise schema.absent(cls.__name__, cls.c_name, errors.NotSupportedError)
        provide_driver()
        if cls._emitted in _WANT_CUBLAS:
            require_cublas()
        number = int(active().enum("BackendDescriptorType")[cls.c_name])
        cls._number = number
        return number

    def _create(self) -> None:
        cls = type(self)
        number = cls._number
        if number is None:
            number = cls._find_number()
        try:
            self._cudnnBackendDescriptor_t = calls.cudnnBackendCreateDescriptor(number)  # type: ignore[arg-type]
        except errors.CudnnError as error:
            raise explained(self, self._emitted, error) from error.__cause__
        self._owned = True
        self._finalized = self._lent = False
        self._values = {}

    def set(self, **values: object) -> Self:
        """Set attributes of a descriptor that is not finalized, and return it.

        Raises:
            ArgumentError: there is no such attribute in this release, or it does not take the
                value. Attributes that come before it in the call are set.
        """
        self._apply(values)
        return self

    def _apply(self, values: Mapping[str, object]) -> None:
        setters, known = self._setters, self._values
        handles, nested = setters.handles, setters.nested
        for name, value in values.items():
            if value is None:
                continue
            setter = setters[name]
            try:
                if nested and name in nested:
                    value = Rows(value)
                status = setter(self, value)
            except (TypeError, OverflowError, errors.CudnnError) as error:
                raise self._refused(name, value, error) from error.__cause__
            except AttributeError:
                if not self.closed:
                    raise
                raise errors.ClosedError(f"the {type(self).__name__} is closed") from None
            if status:
                self._fail(name, value, status)
            known[name] = tuple(value) if type(value) is list else value
            if handles and name in handles and isinstance(value, Adopting):
                value.adopt(self)

    def _refused(self, name: str, value: object, error: Exception) -> errors.CudnnError:
        place = f"{type(self).__name__}.{name}"
        if isinstance(error, errors.CudnnError):
            if error.message.startswith(place):
                return error
            return error.replace(message=f"{place}: {error.message}")
        return errors.ArgumentError(f"{place}: {error}", arguments={name: repr(value)[:80]})

    def _fail(self, name: str, value: Any, status: int) -> None:
        """Raise what a status of cudnnBackendSetAttribute means, or set again after a binding."""
        attribute, tables, setter = self._known()[name], active(), self._setters[name]
        shown = (
            self,
            tables.enum("BackendAttributeName")[attribute.c_name],
            tables.enum("BackendAttributeType")["CUDNN_TYPE_" + attribute.types[0]],
            len(value) if attribute.many else 1,
            value,
        )
        try:
            while status:
                status = failed(
                    lambda *_: setter(self, value),
                    "cudnnBackendSetAttribute",
                    status,
                    shown,
                )
        except errors.CudnnError as error:
            hint = error.hint
            if self._finalized:
                hint = f"a finalized {type(self).__name__} cannot be changed; make another one"
            message = f"{type(self).__name__}.{name}: {error.message}"
            raise error.replace(message=message, hint=hint) from error.__cause__

    def set_attribute(
        self,
        attributeName: BackendAttributeName,
        attributeType: BackendAttributeType,
        elementCount: int,
        arrayOfElements: object,
    ) -> None:
        """Set an attribute as `cudnnBackendSetAttribute` does, which also allows other types.

        The property of the attribute returns what cuDNN tells, or the elements that were set.
        """
        super().set_attribute(attributeName, attributeType, elementCount, arrayOfElements)
        for name, each in self._known().items():
            if active().enum("BackendAttributeName")[each.c_name] == attributeName:
                several = not each.many and isinstance(arrayOfElements, (list, tuple))
                one = arrayOfElements[0] if several and arrayOfElements else arrayOfElements  # type: ignore[index]
                self._values[name] = one

    def finalize(self) -> None:
        """Finalize the descriptor: from now on it can be used and read, and not be changed.

        Raises:
            ArgumentError: an attribute is not set that cuDNN would leave to chance, or without
                which it would crash.
            CudnnError: cuDNN refuses it; the hint names what is required and was not set.
        """
        for name, either, why in self._vital:
            if not any(each in self._values for each in either):
                raise errors.ArgumentError(
                    f"{type(self).__name__}.{name}: must be set in this release, because "
                    f"cuDNN {why}"
                )
        for name, value in self._preset:
            if name not in self._values:
                self._apply({name: value})
        try:
            calls.cudnnBackendFinalize(self)
        except errors.CudnnError as error:
            raise explained(self, self._emitted, error) from error.__cause__
        self._finalized = True

    def initialize(self) -> None:
        """Make the descriptor one that is not finalized and has nothing set."""
        super().initialize()
        self._finalized = False
        self._values = {}

    @property
    def finalized(self) -> bool:
        """Return whether it is finalized: it can be used and read, and not be changed."""
        return self._finalized and not self.closed

    def _get(self, name: str, most: int | None = None) -> Any:
        """Return an attribute: what cuDNN tells, what was set, or the default, in this order.

        Children that were set through this object are these objects. cuDNN is never asked for a
        child that may be missing, since that crashes it for some. It makes `most` at most.
        """
        attribute = self._known().get(name)
        if attribute is None:
            raise self._setters.unknown(name, schema.AbsentAttributeError)
        if self.closed:
            raise errors.ClosedError(f"{type(self).__name__}.{name}: the descriptor is closed")
        known = name in self._values
        if attribute.target is not None and (known or attribute.writable is not False):
            if known:
                value = self._values[name]
                if not any(getattr(child, "closed", False) for child in _several(value)):
                    return value
            elif not self._lent:
                return () if attribute.many else None
            elif not (
                attribute.many or "required" in (attribute.needed, attribute.needed_in_graph)
            ):
                raise errors.NotSupportedError(
                    f"{type(self).__name__}.{name}: this {type(self).__name__} was not made here, "
                    "and cuDNN can crash if it is asked for a descriptor that is not set"
                )
        if self._finalized and attribute.readable is not False and not attribute.nested:
            try:
                return reading.read(self, attribute, find_class, most)
            except errors.CudnnError as error:
                if not known and (self._lent or attribute.default is None):
                    message = f"{type(self).__name__}.{name}: {error.message}"
                    raise error.replace(message=message) from error.__cause__
        if known:
            return _normal(attribute, self._values[name])
        if not self._lent and attribute.default is not None:
            return _normal(attribute, attribute.default)
        text = "it was not set through this object, and "
        if self._finalized:
            text += "cuDNN does not tell it"
            raise errors.NotSupportedError(f"{type(self).__name__}.{name}: {text}")
        text += "cuDNN tells it after `finalize` only"
        raise errors.NotFinalizedError(f"{type(self).__name__}.{name}: {text}")

    def close(self) -> None:
        """Destroy the descriptor if it is owned; closing again does nothing."""
        super().close()
        self._values = {}

    def __del__(self, _finalizing: Callable[[], bool] = sys.is_finalizing) -> None:
        # `close` in fewer steps: nothing else refers to this object any more.
        try:
            address = self._cudnnBackendDescriptor_t
        except AttributeError:
            return
        if self._owned and not _finalizing():
            self._owned = False
            del self._cudnnBackendDescriptor_t
            try:
                if self._emitted == "ExecutionPlanDescriptor":
                    with captures.relaxed():  # it may unload kernels
                        calls.cudnnBackendDestroyDescriptor(address)
                else:
                    calls.cudnnBackendDestroyDescriptor(address)
            except errors.CudnnError:
                if not fork.is_lost():  # the object is the parent process's
                    raise

    def __repr__(self) -> str:
        name = type(self).__name__
        if self.closed:
            return f"<{name} closed>"
        known = self._known()
        values = {each: _normal(known[each], value) for each, value in self._values.items()}
        if self._lent:
            values |= self._told()
        parts = [f"{each}={_shown(value)}" for each, value in values.items()]
        if not self._finalized:
            parts.append("not finalized")
        return f"<{name} {hex(self.address)}{': ' if parts else ''}{', '.join(parts)}>"

    def _told(self) -> dict[str, Any]:
        """Return what says which one it is, of a descriptor that cuDNN filled; read quickly."""
        known = self._known().values()
        leaf = not any(each.target for each in known)
        values = {}
        for each in known:
            quick = not (each.target or {"CHAR", "HANDLE"} & {*each.types})
            if each.readable and quick and (leaf or each.needed == "required"):
                with suppress(errors.CudnnError):
                    values[each.name] = reading.read(self, each, find_class)
        return values


#: Returns the attributes that were set through a descriptor, as they were given: nothing for one
#: that was not made through this object. It is not a function of Python, which takes longer.
values_of: Callable[[Descriptor], Mapping[str, Any]] = attrgetter("_values")


def first_of(descriptor: Descriptor, name: str, most: int) -> tuple[Any, ...]:
    """Return the first children that an attribute holds; cuDNN makes no others.

    Raises:
        CudnnError: cuDNN does not tell them.
    """
    return descriptor._get(name, most)  # noqa: SLF001


def _several(value: object) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def _shown(value: object) -> str:
    if isinstance(value, Descriptor):
        return str(type(value).__name__)
    if isinstance(value, tuple) and value and isinstance(value[0], Descriptor):
        return f"[{', '.join(map(_shown, value))}]"
    if hasattr(type(value), "_member_map_"):
        return str(value)
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def _normal(attribute: Attribute, value: Any) -> Any:
    """Return a value that was set, or a default, as cuDNN would tell it."""
    if attribute.enum is None:
        return tuple(value) if attribute.many else value
    cls = active().enum(attribute.enum)

    def one(each: Any) -> Any:
        return find_member(cls, each) if isinstance(each, str) else cls(each)

    return tuple(map(one, value)) if attribute.many else one(value)


Descriptor._setters = Setters(Descriptor, find_class)
