"""The Python API of NVIDIA's front end (nvidia-cudnn-frontend 1.32), on `Graph` and `Plan`.

A program that was written for it changes one line, `import cudnn`, into
`from cudnn_cffi.compat import frontend as cudnn`.
"""

from __future__ import annotations

import sys
from typing import NoReturn

from . import wrapper as wrapper
from .enums import FRONTEND_KNOB_TYPE_BASE as FRONTEND_KNOB_TYPE_BASE
from .enums import attention_implementation as attention_implementation
from .enums import behavior_note as behavior_note
from .enums import build_plan_policy as build_plan_policy
from .enums import convolution_mode as convolution_mode
from .enums import cuda_graph_retention as cuda_graph_retention
from .enums import data_type as data_type
from .enums import diagonal_alignment as diagonal_alignment
from .enums import heur_mode as heur_mode
from .enums import is_frontend_knob_type as is_frontend_knob_type
from .enums import knob_type as knob_type
from .enums import moe_grouped_matmul_mode as moe_grouped_matmul_mode
from .enums import norm_forward_phase as norm_forward_phase
from .enums import numerical_note as numerical_note
from .enums import reduction_mode as reduction_mode
from .enums import reshape_mode as reshape_mode
from .enums import scalar_type as scalar_type
from .enums import tensor_reordering as tensor_reordering
from .executing import pygraph as pygraph
from .failures import cudnnGraphNotSupportedError as cudnnGraphNotSupportedError
from .functions import backend_version as backend_version
from .functions import backend_version_string as backend_version_string
from .functions import get_last_error_string as get_last_error_string
from .functions import graph as graph
from .functions import graph_cache as graph_cache
from .functions import jit as jit
from .functions import sdpa_capabilities as sdpa_capabilities
from .gone import GONE, reason
from .handles import DeviceInfo as DeviceInfo
from .handles import Handle as Handle
from .handles import create_device_properties as create_device_properties
from .handles import create_handle as create_handle
from .handles import create_kernel_cache as create_kernel_cache
from .handles import destroy_handle as destroy_handle
from .handles import get_stream as get_stream
from .handles import knob as knob
from .handles import set_stream as set_stream
from .methods.records import ENGINES_IN_PYTHON as ENGINES_IN_PYTHON
from .tensors import GraphContext as GraphContext
from .tensors import Node as Node
from .tensors import NodeType as NodeType
from .tensors import Tensor as Tensor
from .wrapper import Graph as Graph

#: The version of the front end whose API this is.
__version__ = "1.32.0"

handle = Handle
tensor = Tensor


def __getattr__(name: str) -> NoReturn:
    words = f"module {__name__!r} has no attribute {name!r}"
    if name in GONE:
        words = reason(name)
        # An import statement replaces the words of an AttributeError by its own; pickle and
        # hasattr, which ask every module for a name, expect no other error.
        if sys._getframe(1).f_code.co_name == "_handle_fromlist":
            raise ImportError(words, name=__name__)
    raise AttributeError(words, name=name, obj=sys.modules[__name__])
