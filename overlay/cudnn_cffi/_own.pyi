"""What the front door takes from the overlay, for type checkers; `_OVERLAY` is the same."""

from .arrays import check as check
from .checks import check_calls as check_calls
from .descriptors import FilterDescriptor as FilterDescriptor
from .descriptors import OpTensorDescriptor as OpTensorDescriptor
from .descriptors import ReduceTensorDescriptor as ReduceTensorDescriptor
from .descriptors import TensorDescriptor as TensorDescriptor
from .descriptors import TensorTransformDescriptor as TensorTransformDescriptor
from .errors import CudnnError as CudnnError
from .handles import Handle as Handle
from .handles import handle as handle
from .layers import ActivationDescriptor as ActivationDescriptor
from .layers import ConvolutionDescriptor as ConvolutionDescriptor
from .layers import DropoutDescriptor as DropoutDescriptor
from .layers import LRNDescriptor as LRNDescriptor
from .layers import PoolingDescriptor as PoolingDescriptor
from .layers import SpatialTransformerDescriptor as SpatialTransformerDescriptor
from .library import load as load
from .logs import log as log
from .memory import DeviceArray as DeviceArray
from .memory import pinned_empty as pinned_empty
from .recurrent import AttnDescriptor as AttnDescriptor
from .recurrent import CTCLossDescriptor as CTCLossDescriptor
from .recurrent import RNNDataDescriptor as RNNDataDescriptor
from .recurrent import RNNDescriptor as RNNDescriptor
from .recurrent import SeqDataDescriptor as SeqDataDescriptor
from .streams import Stream as Stream
