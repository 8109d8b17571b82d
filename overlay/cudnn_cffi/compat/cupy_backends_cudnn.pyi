from ._cupy.functions import *
from ._cupy.recurrent import *
from ._cupy.recurrent_calls import *

__all__: list[str]

#: Whether a cuDNN can be loaded.
available: bool
