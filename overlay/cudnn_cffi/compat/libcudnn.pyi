from ._libcudnn.base import cudnnCheckStatus as cudnnCheckStatus
from ._libcudnn.convolutions import *
from ._libcudnn.functions import *
from ._libcudnn.layers import *
from ._libcudnn.tables import *

__all__: list[str]
