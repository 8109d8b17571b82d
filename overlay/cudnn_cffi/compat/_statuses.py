"""Statuses as cuDNN 8 numbered them, which programs for older packages know.

cuDNN 9 gave most statuses other numbers and split some. Programs that compare numbers, or names,
were written for the older ones.
"""

from __future__ import annotations

import operator

from .. import errors
from .._tables import active

#: The C names of statuses in cuDNN 8, by number.
NAMES: dict[int, str] = {
    number: f"CUDNN_STATUS_{name}"
    for number, name in enumerate(
        (
            *("SUCCESS", "NOT_INITIALIZED", "ALLOC_FAILED", "BAD_PARAM", "INTERNAL_ERROR"),
            *("INVALID_VALUE", "ARCH_MISMATCH", "MAPPING_ERROR", "EXECUTION_FAILED"),
            *("NOT_SUPPORTED", "LICENSE_ERROR", "RUNTIME_PREREQUISITE_MISSING"),
            *("RUNTIME_IN_PROGRESS", "RUNTIME_FP_OVERFLOW", "VERSION_MISMATCH"),
        )
    )
}

_NUMBERS = {name: number for number, name in NAMES.items()}

#: Numbers by class of exception, for statuses that cuDNN 8 did not have; the first that fits.
_CLASSES: tuple[tuple[type[Exception], int], ...] = (
    (errors.AllocationError, 2),
    (errors.BadParamError, 3),
    (errors.ArgumentError, 3),
    (errors.GraphError, 3),
    (errors.ArchMismatchError, 6),
    (errors.NotSupportedError, 9),
    (errors.MissingFunctionError, 9),
    (errors.DeprecatedError, 9),
    (errors.NotInitializedError, 1),
    (errors.SublibraryError, 1),
    (errors.ForkedError, 1),
    (errors.ExecutionFailedError, 8),
    (errors.LicenseError, 10),
    (errors.RuntimeInProgressError, 12),
    (errors.RuntimeOverflowError, 13),
    (errors.VersionMismatchError, 14),
)


def number_of(error: errors.CudnnError) -> int:
    """Return the status that cuDNN 8 had for an error."""
    if error.status_name in _NUMBERS:
        return _NUMBERS[error.status_name]
    return next((number for cls, number in _CLASSES if isinstance(error, cls)), 4)


def old_number(status: int) -> int:
    """Return the status of cuDNN 8 for a number of the loaded release; unknown ones stay."""
    number = operator.index(status)
    if number in NAMES:
        return number
    tables = active()
    name = tables.c_name(tables.enum("Status")(number))
    return number_of(errors.from_status("", number, name)) if name else number
