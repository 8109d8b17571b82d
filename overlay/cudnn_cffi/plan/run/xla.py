"""Let XLA execute plans, by the handlers in C."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING

from ... import driver, errors, handles
from ..._call.spec import WRAPPERS
from ...driver import graphs
from .compiled import native

if TYPE_CHECKING:
    from .launcher import Launcher

#: The driver's functions that the handlers need.
_DRIVER = (
    *("cuStreamGetCtx", "cuCtxGetCurrent", "cuCtxPushCurrent_v2", "cuCtxPopCurrent_v2"),
    "cuCtxGetDevice",
)


def set_up(extend: Callable[[int, int], None], major: int, minor: int) -> tuple[int, int]:
    """Return the addresses of the handlers: of plans that XLA may capture, and of others.

    Args:
        extend: is called with a key and a device that has no plan yet.
        major, minor: the version of XLA's interface.

    Raises:
        CudnnError: nothing is compiled.
    """
    if native is None:
        raise errors.CudnnError(
            "XLA calls the compiled call layer, which is missing",
            hint="install cudnn-cffi where there is a C compiler",
        )
    text = "cudnnGetLastErrorString"
    last_text = WRAPPERS.index(text) if text in WRAPPERS else -1
    functions = tuple([graphs.function_address(each) for each in _DRIVER])
    return native._set_up_xla(extend, major, minor, last_text, functions)


def check(plan: Launcher) -> None:
    """Refuse a plan that XLA cannot execute.

    Raises:
        NotSupportedError: only Python can make the call, or its order matters.
    """
    if not plan._is_armed or plan._turn_of_calls is not None:
        raise errors.NotSupportedError(
            f"XLA cannot call {plan!r}: its call needs Python, or changes a state on the device",
            hint="call it outside of jax.jit",
        )


def offer(
    plan: Launcher,
    key: int,
    device: int,
    places: Sequence[tuple[int, int]],
    *,
    has_workspace: bool,
) -> None:
    """Tell the handlers of a plan, which is kept as long as the process.

    Args:
        plan: the plan.
        key: XLA passes it to the handlers.
        device: the ordinal of the device that the plan is for; its context gets a handle.
        places: for each argument the number of an input, or -1 less that of a result; and the
            address of a number on the host instead, or 0.
        has_workspace: whether the last result is the workspace.
    """
    with handles.handle(device)._current() if driver.count() else nullcontext():
        plan._offer_to_xla(key, device, has_workspace, tuple(places))
