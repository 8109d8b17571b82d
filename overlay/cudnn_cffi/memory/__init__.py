"""Arrays in device memory and in page-locked host memory."""

from .allocation import Memory as Memory
from .allocation import core_stream as core_stream
from .device_array import DeviceArray as DeviceArray
from .pinned import pinned_empty as pinned_empty
