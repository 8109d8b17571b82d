"""Kernels in CUDA C++, for what no engine of cuDNN's does well: compiled, loaded and launched."""

from .compiling import can_compile as can_compile
from .compiling import compiled as compiled
from .differing import Difference as Difference
from .differing import can_compare as can_compare
from .differing import difference as difference
from .few_rows import FewRows as FewRows
from .few_rows import Rotation as Rotation
from .launching import Launch as Launch
from .one_query import OneQuery as OneQuery
