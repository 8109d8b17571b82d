"""Plans that XLA can execute: each has a key, by which the handler in C finds it."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import jax

from .. import errors
from .._support import fork
from .._ways.case import Way
from .._ways.classic_call import Change, Classic
from ..plan import Plan
from ..plan.operand import Number
from ..plan.run import xla

#: Makes a plan, or a classic call, for a device.
Maker = Callable[[int], Way]

#: The handlers' names in XLA: of plans that it may capture into a CUDA graph, and of others.
_NAMES = ("cudnn_cffi_plan", "cudnn_cffi_call")

#: The major version of XLA's interface for which the handlers are written.
_MAJOR = 0


class Target(NamedTuple):
    """The call that XLA is told to make.

    Attributes:
        key: the number that the handler finds the plan by.
        name: of the handler.
        workspace: bytes of memory that a call needs beside its arrays.
    """

    key: int
    name: str
    workspace: int


class _Offered(NamedTuple):
    """A target, and what makes its plan for other devices."""

    target: Target
    make: Maker
    places: Mapping[str, int]
    numbers: Mapping[str, Number]
    ways: dict[int, Way]  # by device


_offered: dict[int, _Offered] = {}
_lock = fork.lock()


def local_device() -> int:
    """Return the ordinal of the GPU that JAX computes on by default.

    Raises:
        NotInitializedError: JAX has no GPU here.
    """
    default = jax.config.jax_default_device
    if getattr(default, "platform", "") in ("gpu", "cuda"):
        return int(default.local_hardware_id)
    try:
        return int(jax.local_devices(backend="cuda")[0].local_hardware_id)
    except (RuntimeError, IndexError) as error:
        raise errors.NotInitializedError(
            f"JAX has no GPU here: {error}", hint='install "jax[cuda12]" or "jax[cuda13]"'
        ) from None


def offer(
    make: Maker,
    device: int,
    places: Mapping[str, int],
    numbers: Mapping[str, Number],
    text: str = "",
) -> Target:
    """Tell XLA's handler of a plan, and return the target of XLA's call.

    It is kept as long as the process, since nothing tells when XLA drops a compiled function.

    Args:
        make: makes the plan for a device.
        device: the ordinal of the first device.
        places: the number of an input, or -1 less that of a result, by the argument's name.
        numbers: the numbers on the host that arguments have, by their names.
        text: tells all that the plan depends on; "" where the caller does not know.

    Raises:
        NotSupportedError: only Python can make the call, or its order matters.
        CudnnError: the package was not compiled, or jaxlib's interface is another one.
    """
    _register()
    way = _of_steps(make(device))
    xla.check(way)
    key = _key_of(way, places, numbers, text)
    target = Target(key, _NAMES[not way.is_replayed], way.workspace_size)
    with _lock:
        offered = _offered.setdefault(key, _Offered(target, make, places, numbers, {}))
    _add(offered, way, device)
    return target


def _of_steps(way: Way) -> Way:
    """Return a way without Python and in one stream, where there is one that computes the same."""
    if not isinstance(way, Classic) or way.instead is None:
        return way
    return way.instead() if Change.FORK in way.steps or not way.is_steps else way


def _add(offered: _Offered, way: Way, device: int) -> None:
    with _lock:
        if device in offered.ways and not getattr(offered.ways[device], "closed", False):
            return
        names = [each.name for each in way.operands if each.is_argument]
        numbers = {name: each.address for name, each in offered.numbers.items()}
        places = [(offered.places.get(name, 0), numbers.get(name, 0)) for name in names]
        size = offered.target.workspace
        if way.workspace_size > size:
            raise errors.ArchMismatchError(
                f"expected a plan with {size} bytes of workspace, as on the first device, got one "
                f"with {way.workspace_size}"
            )
        xla.offer(way, offered.target.key, device, places, has_workspace=size > 0)
        offered.ways[device] = way


def _extend(key: int, device: int) -> None:
    """Offer the plan of a key for another device; the handler calls this, in a thread of XLA's."""
    offered = _offered[key]
    _add(offered, _of_steps(offered.make(device)), device)


def _key_of(way: Way, places: Mapping[str, int], numbers: Mapping[str, Number], text: str) -> int:
    """Return a number for what a plan does with its arguments; one of chance where nothing tells.

    XLA may keep compiled functions on disk, with their keys. So the same plan has the same key in
    each process, and another plan of this process has another key.
    """
    try:
        about = way.to_json() if isinstance(way, Plan) else ""
    except errors.NotSupportedError:
        about = ""
    if not about and text:
        about = f"{text}{way!r}{way.workspace_size}"
    if not about:
        return secrets.randbits(63)
    values = {name: each.data for name, each in numbers.items()}
    about = f"{about}{[*places.items()]}{values}"
    return int.from_bytes(hashlib.sha256(about.encode()).digest()[:8], "big") >> 1


@cache
def _register() -> None:
    """Tell XLA of the handlers."""
    addresses = xla.set_up(_extend, *_interface())
    for name, address in zip(_NAMES, addresses, strict=True):
        jax.ffi.register_ffi_target(name, jax.ffi.pycapsule(address), platform="CUDA")


def _interface() -> tuple[int, int]:
    """Return the version of XLA's interface, as the header says that comes with jaxlib.

    Raises:
        CudnnError: it is not the one that the handlers are written for.
    """
    header = Path(jax.ffi.include_dir(), "xla", "ffi", "api", "c_api.h")
    try:
        text = header.read_text(encoding="utf-8")
        major, minor = (
            int(re.findall(rf"#define XLA_FFI_API_{each} (\d+)", text)[0])
            for each in ("MAJOR", "MINOR")
        )
    except (OSError, IndexError) as error:
        raise errors.CudnnError(
            f"jaxlib has no header that tells the version of XLA's interface: {header}",
            hint="install a newer jaxlib",
        ) from error
    if major != _MAJOR:
        raise errors.CudnnError(
            f"expected version {_MAJOR} of XLA's interface for functions, got {major}.{minor}",
            hint="install an older jaxlib, or a newer cudnn-cffi",
        )
    return major, minor
