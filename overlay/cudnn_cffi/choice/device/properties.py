"""Properties of a device, as data: read from one, from JSON, or by a known name."""

from __future__ import annotations

import hashlib
import json
import os
from functools import lru_cache
from pathlib import Path

from ... import driver, errors
from ..._support import files, fork
from ..._support.arguments import path_of
from ..._support.wording import a_kind
from ..._tables import active, chosen_release, elsewhere
from ...handles import Handle
from ..engine import descriptors
from .known_devices import ADDED, ANSWERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any, Self

    from ...backend import DevicePropDescriptor


_TYPE = "DEVICEPROP_DESCRIPTOR"
_C_TYPE = "CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR"

#: Properties that differ between two devices of one kind, and do not decide which plans they can
#: run.
_OF_ONE_MACHINE = frozenset({"pciDeviceId", "cudaDeviceId", "driverVer", "isTccDriver"})

#: Properties that do not decide which plans a device can run, and differ with the driver (the
#: memory that it keeps for itself) or with the release (what it tells at all).
_NOT_OF_A_KIND = _OF_ONE_MACHINE | {"totalGlobalMem", "memoryBusWidth"}

_lock = fork.lock()


class DeviceProperties:
    """The properties of a device that cuDNN needs to choose engines and to build plans for it.

    With them, no GPU is needed to list engines, to see which of them support a graph, to build
    plans and to save them as JSON. That needs cuDNN 9.8.0 or newer, cuBLAS and, for engines that
    are compiled, NVRTC; see docs/without-a-gpu.md.

        cudnn.DeviceProperties("H200")             a device that the package knows
        cudnn.DeviceProperties(path)               the JSON that `to_json` wrote elsewhere
        cudnn.DeviceProperties.current()           the current device of this machine

    Objects are immutable, equal if all properties are, and can be pickled.
    """

    __slots__ = ("__weakref__", "_descriptor", "_fields", "_fingerprint", "_kind")

    _fields: dict[str, Any]
    _descriptor: DevicePropDescriptor | None

    def __init__(self, source: str | os.PathLike[str] | Mapping[str, object]) -> None:
        """Take properties from data.

        Args:
            source: a known name in any case, with or without "NVIDIA" (see `known`); JSON as text;
                a mapping of JSON's names; or the path of a file with JSON (a `Path`, or a text that
                ends in ".json").

        Raises:
            ArgumentError: it is none of these, the name is unknown, or the JSON is damaged.
            OSError: the file cannot be read.
        """
        self._fields = _to_fields(source)
        self._descriptor = None
        self._fingerprint = ""
        self._kind = ""

    @classmethod
    def known(cls) -> tuple[str, ...]:
        """Return the names of the devices that the package knows, from real ones."""
        return tuple(ANSWERS)

    @classmethod
    def current(cls) -> Self:
        """Read the properties of the current device.

        Raises:
            NotInitializedError: there is no driver or no device.
            MissingFunctionError: the loaded release does not have device properties.
        """
        return cls.from_device(driver.device_of())

    @classmethod
    def from_device(cls, device: int) -> Self:
        """Read the properties of a device of this machine.

        Args:
            device: the ordinal.

        Raises:
            ArgumentError: there is no device of that number.
            NotInitializedError: there is no driver or no device.
            MissingFunctionError: the loaded release does not have device properties.
        """
        with driver.in_context(driver.primary_context(driver.ordinal(device))):
            return cls._read(device_id=device)

    @classmethod
    def from_handle(cls, handle: object) -> Self:
        """Read the properties of a handle's device, by CUDNN_ATTR_DEVICEPROP_HANDLE.

        Raises:
            ArgumentError: it is no handle.
            MissingFunctionError: the loaded release does not have device properties.
        """
        _check_release()
        if not isinstance(handle, Handle):  # cuDNN would read any address
            raise errors.ArgumentError(f"handle: expected a Handle, got {a_kind(handle)}")
        return cls._read(handle=handle)

    @classmethod
    def _read(cls, **what: object) -> Self:
        _check_release()
        descriptor = descriptors.make("DEVICEPROP", **what)
        self = cls(json.loads(descriptor.json_representation))
        self._descriptor = descriptor
        return self

    @classmethod
    def of(
        cls,
        device: DeviceProperties
        | Handle
        | int
        | str
        | os.PathLike[str]
        | Mapping[str, object]
        | None,
    ) -> DeviceProperties:
        """Return properties for whatever names a device.

        Args:
            device: properties, a handle, an ordinal, None for the current device, or what the class
                itself takes.
        """
        if isinstance(device, DeviceProperties):
            return device
        if device is None:
            return cls.current()
        if isinstance(device, Handle):
            return cls.from_handle(device)
        if isinstance(device, int) and not isinstance(device, bool):
            return cls.from_device(device)
        if isinstance(device, str) and not device.lower().endswith(".json"):
            return _shared(device)
        return cls(device)  # type: ignore[arg-type]  # a bool is refused there

    @property
    def name(self) -> str:
        """Return the name of the device."""
        return str(self._fields["deviceName"])

    @property
    def compute_capability(self) -> tuple[int, int]:
        """Return the major and the minor number."""
        major, rest = divmod(int(self._fields["deviceVer"]), 100)
        return major, rest // 10

    @property
    def multiprocessors(self) -> int:
        """Return how many streaming multiprocessors there are."""
        return int(self._fields["multiProcessorCount"])

    @property
    def memory(self) -> int:
        """Return the bytes of global memory."""
        return int(self._fields["totalGlobalMem"])

    @property
    def l2_cache(self) -> int:
        """Return the bytes of the cache that all multiprocessors share."""
        return int(self._fields["l2CacheSize"])

    @property
    def descriptor(self) -> DevicePropDescriptor:
        """Return the finalized CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR; it is made once.

        Raises:
            MissingFunctionError: the loaded release does not have device properties.
            ArgumentError: the loaded release wants a property that is not here.
            CudnnError: cuDNN refuses the descriptor for another reason.
        """
        with _lock:
            if self._descriptor is None:
                self._descriptor = self._make()
            return self._descriptor

    def _make(self) -> DevicePropDescriptor:
        _check_release()
        try:
            return descriptors.make("DEVICEPROP", json_representation=self.to_json())
        except errors.BadParamError as error:
            raise errors.ArgumentError(
                f"cuDNN {chosen_release()} does not take the properties of {self.name}",
                text=error.text,
                hint="a newer release can want more of them than an older one wrote; read them "
                "with this release from a device, by DeviceProperties.current().to_json()",
            ) from error

    @property
    def fingerprint(self) -> str:
        """Return a text that is the same for devices which the same plans are for.

        It covers all properties but those that tell one device from another of its kind (its place
        on the bus and its ordinal), the driver's version, the bytes of memory, which depend on the
        driver, and the width of the bus, which not all releases tell.
        """
        if not self._fingerprint:
            kept = {k: v for k, v in self._fields.items() if k not in _NOT_OF_A_KIND}
            text = json.dumps(kept, sort_keys=True)
            self._fingerprint = hashlib.sha256(text.encode()).hexdigest()[:16]
        return self._fingerprint

    @property
    def kind(self) -> str:
        """Return a text for all devices which the same plans are for, with their name."""
        if not self._kind:
            self._kind = f"{self.name}-{self.fingerprint}"
        return self._kind

    def differences(self, other: DeviceProperties) -> dict[str, tuple[object, object]]:
        """Return the properties that differ, as pairs of the values here and there.

        The place of a device in a machine, and properties that one side lacks, are left out.
        """
        ours, theirs = self._fields, DeviceProperties.of(other)._fields
        shared = (ours.keys() & theirs.keys()) - _OF_ONE_MACHINE
        return {k: (ours[k], theirs[k]) for k in sorted(shared) if ours[k] != theirs[k]}

    def check_same(self, actual: DeviceProperties) -> None:
        """Refuse a device that plans for this one were not made for.

        Args:
            actual: the properties of the device that is to run them.

        Raises:
            ArchMismatchError: the compute capability, the number of multiprocessors, or the shared
                memory differs; the error lists all properties that do.
        """
        different = self.differences(actual)
        if different.keys() & _DECISIVE:
            listed = ", ".join(f"{name} {a} and {b}" for name, (a, b) in different.items())
            raise errors.ArchMismatchError(
                f"the plan is for a {self.name}, the device is a {actual.name}: {listed}",
                hint="build the plan again, for the device that runs it",
            )

    def to_json(self) -> str:
        """Return the properties as cuDNN's JSON, for a file or another machine."""
        return json.dumps(self._fields)

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __getitem__(self, name: str) -> object:
        return self._fields[name]

    def keys(self) -> tuple[str, ...]:
        """Return the names that cuDNN's JSON uses; `dict(properties)` has the values too."""
        return tuple(self._fields)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DeviceProperties) and self._fields == other._fields

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __reduce__(self) -> tuple[object, ...]:
        return DeviceProperties, (self._fields,)

    def __repr__(self) -> str:
        major, minor = self.compute_capability
        return (
            f"DeviceProperties({self.name!r}, compute capability {major}.{minor}, "
            f"{self.multiprocessors} multiprocessors, {self.memory >> 20} MiB)"
        )


@lru_cache(maxsize=16)
def _shared(source: str) -> DeviceProperties:
    """Return the same object each time that a name or a text comes, with one descriptor."""
    return DeviceProperties(source)


#: A plan for a device with other values of these does not run, or not well.
_DECISIVE = frozenset({"deviceVer", "multiProcessorCount", "maxSharedMemoryPerBlockOptin"})

#: Properties that the class itself reads.
_NEEDED = frozenset({"deviceName", "deviceVer", "multiProcessorCount", "totalGlobalMem"})
_NUMBERS = _NEEDED - {"deviceName"} | {"l2CacheSize"}


def _check_release() -> None:
    """Refuse a release without device properties."""
    tables, enum = active(), "BackendDescriptorType"  # which no release before 8 has
    if enum not in tables.rows.enums or _TYPE not in tables.enum(enum).__members__:
        when = elsewhere(_C_TYPE, chosen_release())
        raise errors.MissingFunctionError(
            f"cuDNN {chosen_release()} does not have device properties: they were {when}",
            version=chosen_release(),
            hint="with a GPU, pass a handle instead",
        )


def _to_fields(source: Any) -> dict[str, Any]:
    if isinstance(source, str):
        text = source.strip()
        if text.startswith("{"):
            return _checked(_parse(text, "the text"), "the text")
        if not text.lower().endswith(".json"):
            return _known(text)
        source = Path(text)
    if isinstance(source, os.PathLike):
        path = path_of(source, "device")
        return _checked(_parse(files.read(path), str(path)), str(path))
    if hasattr(source, "keys"):
        return _checked({str(name): source[name] for name in source}, "the mapping")
    raise errors.ArgumentError(
        f"expected properties of a device, got a {type(source).__name__}",
        hint="pass a known name, JSON as text, a mapping, or the path of a file",
    )


def _parse(text: str | bytes, where: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise errors.ArgumentError(f"{where} is not JSON: {error}") from error


def _checked(fields: Any, where: str) -> dict[str, Any]:
    missing = _NEEDED - fields.keys() if isinstance(fields, dict) else _NEEDED
    if missing:
        raise errors.ArgumentError(
            f"{where} does not have the properties of a device: {', '.join(sorted(missing))} "
            "missing",
            hint="DeviceProperties.current().to_json() writes them all",
        )
    try:
        for name in _NUMBERS & fields.keys():
            int(fields[name])
    except (TypeError, ValueError, OverflowError) as error:
        raise errors.ArgumentError(f"{where}: a property is not a number: {error}") from error
    return dict(fields)


def _known(name: str) -> dict[str, Any]:
    wanted = name.lower().removeprefix("nvidia").strip()
    for each, fields in ANSWERS.items():
        if each.lower().removeprefix("nvidia").strip() == wanted:
            return {**fields, **ADDED.get(each, {})}
    raise errors.ArgumentError(
        f"there are no properties of a device {name!r} here",
        hint=f"the package knows {', '.join(ANSWERS)}; of another device pass the JSON that "
        "DeviceProperties.current().to_json() writes there",
    )
