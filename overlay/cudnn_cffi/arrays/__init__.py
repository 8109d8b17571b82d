"""Arrays of any library: read their address, data type, shape and strides."""

from .addresses import device_pointer as device_pointer
from .addresses import getters as getters
from .check import check as check
from .check import check_place as check_place
from .describe import describe as describe
from .describe import size_in_bytes as size_in_bytes
from .describe import tells_shape as tells_shape
from .dtypes import DTYPES as DTYPES
from .dtypes import dtype_name as dtype_name
from .dtypes import dtype_text as dtype_text
from .dtypes import itemsize as itemsize
from .dtypes import numpy_dtype as numpy_dtype
from .members import data_type as data_type
from .members import member as member
from .members import nan_option as nan_option
from .members import plain_layout as plain_layout
from .numbers import ENCODED as ENCODED
from .numbers import encode_numbers as encode_numbers
from .protocols import ArrayInfo as ArrayInfo
from .protocols import OwnArray as OwnArray
from .protocols import batch_of_one as batch_of_one
from .protocols import last_offset as last_offset
from .protocols import ordered_strides as ordered_strides
from .protocols import packed_strides as packed_strides
from .protocols import same_strides as same_strides
