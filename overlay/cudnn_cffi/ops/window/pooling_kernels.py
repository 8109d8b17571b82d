"""Means and sums of small windows by a kernel of this package, whose launch takes less time."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ... import errors
from ..._ways.array_spec import Spec
from ..._ways.call_sequence import Steps
from ..._ways.case import Case
from ..._ways.classic_call import Classic
from ...arrays import itemsize
from ...kernels.elements import NARROW
from ...kernels.means import Means
from ..conv.base import fits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..._ways.signatures import Handle

#: The maximum number of elements of a window, and of bytes of images. Engines take less time for
#: 6 MiB on an H200 (4.6 us, the kernel 4.9).
_WINDOW, _BYTES = 16, 2 << 20


def are_small(x: Spec, window: Sequence[int]) -> bool:
    """Return whether windows of images are those that the kernel is for."""
    return (
        x.dtype in NARROW
        and len(x.shape) == 4
        and math.prod(window) <= _WINDOW
        and math.prod(x.shape) * itemsize(x.dtype) <= _BYTES
    )


def by_kernel(
    case: Case, wide: dict[str, Spec], kind: str, windows: Mapping[str, Any], handle: Handle
) -> Classic | None:
    """Return the call of the kernel; None where it does not compute a case.

    Args:
        case: has the input `x` and the output `y`.
        wide: both with four axes.
        kind: "average", "average_without_padding" or "sum".
        windows: the keywords of a graph's node for two dimensions.
        handle: where it runs.
    """
    x, y = wide["x"], wide["y"]
    layout = next((n for n in ("NCHW", "NHWC") if fits(x, n) and fits(y, n)), "")
    if not layout or x.dtype != y.dtype:
        return None
    images, channels, *size = x.shape
    images, inner = (images * channels, 1) if layout == "NCHW" else (images, channels)
    before = [each for each, _ in windows["padding"]]
    try:
        made = Means(
            x.dtype, images, inner, size, y.shape[2:], windows["window"], windows["stride"], before,
            includes=kind == "average", sums=kind == "sum", device=handle.device,
        )  # fmt: skip
    except errors.NotSupportedError:  # no compiler, or the driver takes nothing that it makes
        return None
    steps = Steps(case.inputs, case.outputs)
    steps.kernel(made.launch, *made.words("x", "y"))
    return steps.classic(algorithm="kernels.Means")
