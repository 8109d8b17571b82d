"""Functions of the CUDA driver that handles and streams need, by ctypes.

cuDNN works on whatever context is current, so these must be there for users of every array
library, and a call must not cost more than the call that it serves.
"""

from .codes import CudaStatus as CudaStatus
from .context import context_of_stream as context_of_stream
from .context import current_context as current_context
from .context import device_of as device_of
from .context import device_of_context as device_of_context
from .context import in_context as in_context
from .context import is_primary as is_primary
from .context import ordinal as ordinal
from .context import primary_context as primary_context
from .context import set_context as set_context
from .context import usable_context as usable_context
from .devices import DeviceInfo as DeviceInfo
from .devices import compute_capability as compute_capability
from .devices import info as info
from .devices import memory_info as memory_info
from .devices import ordinal_of_pointer as ordinal_of_pointer
from .events import Point as Point
from .events import capture_id as capture_id
from .events import create_stream as create_stream
from .events import is_reached as is_reached
from .events import last_reference as last_reference
from .events import record as record
from .events import synchronize as synchronize
from .events import synchronize_context as synchronize_context
from .events import wait_for as wait_for
from .graphs import MULTIPROCESSORS as MULTIPROCESSORS
from .graphs import attribute as attribute
from .libcuda import count as count
from .libcuda import error_name as error_name
from .libcuda import why_unusable as why_unusable
