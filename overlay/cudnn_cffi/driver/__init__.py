"""The few functions of the CUDA driver that handles and streams need, through ctypes.

cuDNN works on whatever context is current, so these must be there for users of every array
library, and a call must not cost more than the call that it serves.
"""

from .context import (
    context_of_stream,
    current_context,
    device_of,
    device_of_context,
    in_context,
    is_primary,
    ordinal,
    primary_context,
    set_context,
    usable_context,
)
from .devices import DeviceInfo, info, memory_info, ordinal_of_pointer
from .events import (
    Event,
    capture_id,
    create_stream,
    is_reached,
    last_reference,
    record,
    synchronize,
    synchronize_context,
    wait_for,
)
from .libcuda import count, why_unusable

__all__ = [
    "DeviceInfo",
    "Event",
    "capture_id",
    "context_of_stream",
    "count",
    "create_stream",
    "current_context",
    "device_of",
    "device_of_context",
    "in_context",
    "info",
    "is_primary",
    "is_reached",
    "last_reference",
    "memory_info",
    "ordinal",
    "ordinal_of_pointer",
    "primary_context",
    "record",
    "set_context",
    "synchronize",
    "synchronize_context",
    "usable_context",
    "wait_for",
    "why_unusable",
]
