"""Fused operations of CuPy's `cupy.cudnn`."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from typing import Any

from .._words import CONSTANTS
from . import functions as cudnn
from .descriptors import Descriptor, get_handle

#: Functions that create descriptors other than those of tensors, by the parameter.
_CREATED = {
    cudnn.CUDNN_PARAM_ACTIVATION_DESC: cudnn.createActivationDescriptor,
    cudnn.CUDNN_PARAM_CONV_DESC: cudnn.createConvolutionDescriptor,
    cudnn.CUDNN_PARAM_WDESC: cudnn.createFilterDescriptor,
    cudnn.CUDNN_PARAM_DWDESC: cudnn.createFilterDescriptor,
}

#: Parameters that are descriptors, with the functions that create them; the others are ints.
_DESCRIPTORS = {
    number: _CREATED.get(number, cudnn.createTensorDescriptor)
    for name, number in CONSTANTS.items()
    if name.startswith("CUDNN_PARAM_") and name.endswith("DESC")
}

#: Variant parameters that are numbers, with their types; the others are addresses.
_SCALARS: dict[int, Any] = {
    cudnn.CUDNN_SCALAR_SIZE_T_WORKSPACE_SIZE_IN_BYTES: ctypes.c_size_t,
    cudnn.CUDNN_SCALAR_INT64_T_BN_ACCUMULATION_COUNT: ctypes.c_int64,
    cudnn.CUDNN_SCALAR_DOUBLE_BN_EXP_AVG_FACTOR: ctypes.c_double,
    cudnn.CUDNN_SCALAR_DOUBLE_BN_EPSILON: ctypes.c_double,
}


def create_fused_ops_plan(ops: int) -> Descriptor:
    """Create the plan of a fused operation, one of CUDNN_FUSED.

    New code: `cudnn.Graph`, which fuses what engines support.
    """
    return Descriptor(cudnn.createFusedOpsPlan(ops), cudnn.destroyFusedOpsPlan)


def create_fused_ops_const_param_pack(
    ops: int, list_attr_param: Iterable[tuple[int, Any]]
) -> Descriptor:
    """Create the parameters that a plan is made for, and set them.

    New code: `cudnn.Graph`, which fuses what engines support.
    """
    pack = Descriptor(cudnn.createFusedOpsConstParamPack(ops), cudnn.destroyFusedOpsConstParamPack)
    for label, value in list_attr_param:
        set_fused_ops_const_param_pack_attribute(pack, label, value)
    return pack


def make_fused_ops_plan(plan: Descriptor, const_pack: Descriptor) -> int:
    """Make a plan, and return the bytes of workspace that it needs. New code: `Graph.build`."""
    return cudnn.makeFusedOpsPlan(get_handle(), plan.value, const_pack.value)


def create_fused_ops_variant_param_pack(
    ops: int, list_attr_param: Iterable[tuple[int, Any]]
) -> Descriptor:
    """Create the parameters of an execution, and set them.

    New code: `cudnn.Graph`, which fuses what engines support.
    """
    pack = Descriptor(
        cudnn.createFusedOpsVariantParamPack(ops), cudnn.destroyFusedOpsVariantParamPack
    )
    for label, value in list_attr_param:
        set_fused_ops_variant_param_pack_attribute(pack, label, value)
    return pack


def fused_ops_execute(plan: Descriptor, var_pack: Descriptor) -> None:
    """Run a plan. New code: `Plan`."""
    cudnn.fusedOpsExecute(get_handle(), plan.value, var_pack.value)


def set_fused_ops_const_param_pack_attribute(
    const_pack: Descriptor, param_label: int, desc_or_scalar: Any
) -> None:
    """Set a parameter: a `Descriptor`, or an int.

    New code: `cudnn.Graph`, which fuses what engines support.
    """
    if param_label in _DESCRIPTORS:
        if not isinstance(desc_or_scalar, Descriptor):
            raise TypeError(f"expected a Descriptor, got a {type(desc_or_scalar).__name__}")
        cudnn.setFusedOpsConstParamPackAttribute(
            const_pack.value, param_label, desc_or_scalar.value
        )
        return
    number = ctypes.c_int(desc_or_scalar)
    cudnn.setFusedOpsConstParamPackAttribute(
        const_pack.value, param_label, ctypes.addressof(number)
    )


def get_fused_ops_const_param_pack_attribute(
    const_pack: Descriptor, param_label: int
) -> tuple[int, int]:
    """Return a parameter and whether it is not set: an int, or the address of a new descriptor.

    The caller destroys the descriptor.

    New code: `cudnn.Graph`, which fuses what engines support.
    """
    if param_label in _DESCRIPTORS:
        address: int = _DESCRIPTORS[param_label]()
        return address, cudnn.getFusedOpsConstParamPackAttribute(
            const_pack.value, param_label, address
        )
    number = ctypes.c_int()
    is_null = cudnn.getFusedOpsConstParamPackAttribute(
        const_pack.value, param_label, ctypes.addressof(number)
    )
    return number.value, is_null


def set_fused_ops_variant_param_pack_attribute(
    var_pack: Descriptor, param_label: int, arr_or_scaler: Any
) -> None:
    """Set a parameter of an execution: an array of CuPy, or a number.

    New code: `cudnn.Graph`, which fuses what engines support.
    """
    kind = _SCALARS.get(param_label)
    if kind is None:
        cudnn.setFusedOpsVariantParamPackAttribute(
            var_pack.value, param_label, arr_or_scaler.data.ptr
        )
        return
    number = kind(arr_or_scaler)
    cudnn.setFusedOpsVariantParamPackAttribute(
        var_pack.value, param_label, ctypes.addressof(number)
    )


def get_fused_ops_variant_param_pack_attribute(var_pack: Any, param_label: int) -> Any:
    """Return a parameter of an execution: an address, or a number.

    Args:
        var_pack: a `Descriptor`, or its address, as in CuPy.

    New code: `cudnn.Graph`, which fuses what engines support.
    """
    address = var_pack.value if isinstance(var_pack, Descriptor) else var_pack
    number = _SCALARS.get(param_label, ctypes.c_size_t)()
    cudnn.getFusedOpsVariantParamPackAttribute(address, param_label, ctypes.addressof(number))
    return number.value
