"""What the probe makes before it asks: finished descriptors to read from and to hand over.

A descriptor is filled from its attributes' names and types, mostly with ones and with tensors of
one element: almost every operation is consistent for those. What that does not finalize stays
unread; nothing depends on it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

DESCRIPTOR = "CUDNN_TYPE_BACKEND_DESCRIPTOR"
TENSOR = "CUDNN_BACKEND_TENSOR_DESCRIPTOR"

_RANK = 4
_SPATIAL = _RANK - 2

#: What the elements of an attribute are that ends like this; all others are tensors. The library
#: does not check: a wrong one crashes it.
_ELEMENTS = {
    "_CONV_DESC": "CONVOLUTION",
    "_PW_DESCRIPTOR": "POINTWISE",
    "OPERATION_MATMUL_DESC": "MATMUL",
    "OPERATION_REDUCTION_DESC": "REDUCTION",
    "RESAMPLE_FWD_DESC": "RESAMPLE",
    "RESAMPLE_BWD_DESC": "RESAMPLE",
    "OPERATION_RNG_DESC": "RNG",
    "_OPERATION_GRAPH": "OPERATIONGRAPH",
    "_SUBGRAPH": "OPERATIONGRAPH",
    "OPERATIONGRAPH_OPS": "OPERATION_CONVOLUTION_FORWARD",
    "ENGINECFG_ENGINE": "ENGINE",
    "ENGINECFG_KNOB_CHOICES": "KNOB_CHOICE",
    "ENGINECFG_INTERMEDIATE_INFO": "INTERMEDIATE_INFO",
    "ENGINEHEUR_RESULTS": "ENGINECFG",
    "ENGINE_KNOB_INFO": "KNOB_INFO",
    "ENGINE_LAYOUT_INFO": "LAYOUT_INFO",
    "_ENGINE_CONFIG": "ENGINECFG",
    "_ENGINECFG_KERNEL_CACHED": "ENGINECFG",
    "_IS_SAME_TOPOLOGY": "OPERATIONGRAPH",
    "_KERNEL_CACHE": "KERNEL_CACHE",
    "_DEVICEPROP": "DEVICEPROP",
}

#: The names of attributes that hold descriptors, for those whose type NULL did not tell.
_HOLDS = re.compile(r"DESC(S|RIPTOR)?$|_D?[WXY]$|" + "|".join(f"{end}$" for end in _ELEMENTS))

#: Values other than one that a descriptor is not finalized without.
_VALUES: dict[str, list[Any]] = {
    "TENSOR_DIMENSIONS": [1] * _RANK,
    "TENSOR_STRIDES": [1] * _RANK,
    "TENSOR_BYTE_ALIGNMENT": [16],
    "SPATIAL_DIMS": [_SPATIAL],
    "PADDINGS": [0] * _SPATIAL,
    "DILATIONS": [1] * _SPATIAL,
    "CONVOLUTION_FILTER_STRIDES": [1] * _SPATIAL,
    "RESAMPLE_STRIDES": [1] * _SPATIAL,
    "WINDOW_DIMS": [1] * _SPATIAL,
    "PERMUTATION": list(range(_RANK)),
    "START_INDICES": [0] * _RANK,
    "LIMIT_INDICES": [1] * _RANK,
    "SLICE_STRIDES": [1] * _RANK,
    "DEVICEPROP_DEVICE_ID": [0],
    "_DROPOUT_PROBABILITY": [0.5],
    "ENGINEHEUR_MODE": [0],
    "ENGINE_GLOBAL_INDEX": [1],  # 0 has no knobs
    "_ROPE_DIM": [2],
    "_LOWER_BANDWIDTH": [0],
    "_UPPER_BANDWIDTH": [0],
    "AXIS": [_RANK - 1],
    "NORM_FWD_MODE": [2],
    "NORM_BWD_MODE": [2],
    "RESAMPLE_MODE": [3],
    "INPLACE_INDEX": [0],
}

#: Tensors that cannot be one float in device memory: attribute of the tensor -> values.
_INT32 = {"TENSOR_DATA_TYPE": [4]}
_SCALAR = {"TENSOR_IS_BY_VALUE": [1]}
_EVEN = {"TENSOR_DIMENSIONS": [1, 1, 1, 2], "TENSOR_STRIDES": [2, 2, 2, 1]}
_TENSORS: dict[str, dict[str, list[Any]]] = {
    "_SEQ_LEN_QDESC": _INT32,
    "_SEQ_LEN_KVDESC": _INT32,
    "_SEQUENCE_DESC": _INT32,
    "_PAGE_TABLE_DESC": _INT32,
    "_TOKEN_OFFSET_DESC": _INT32,
    "_TOKEN_INDEX_DESC": _INT32,
    "_TOKEN_KS_DESC": _INT32,
    "_EPSILON_DESC": _SCALAR,
    "_EXP_AVG_FACTOR_DESC": _SCALAR,
    "_EXP_AVERATE_FACTOR_DESC": _SCALAR,
    "_ACCUM_COUNT_DESC": _SCALAR,
    "BLOCK_SCALE_QUANTIZE_YDESC": {"TENSOR_DATA_TYPE": [12]},
    "ROPE_FWD_XDESC": _EVEN,
    "ROPE_FWD_YDESC": _EVEN,
    "ROPE_BWD_DYDESC": _EVEN,
    "ROPE_BWD_DXDESC": _EVEN,
    "_FREQSDESC": _EVEN,
}

#: Left alone: optional, and refused or harmful in a descriptor of ones.
_SKIPPED = (
    "TENSOR_VECTOR_COUNT",
    "TENSOR_VECTORIZED_DIMENSION",
    "TENSOR_RAGGED_OFFSET_DESC",
    "TENSOR_RAGGED_OFFSET_MULTIPLIER",
    "TENSOR_CONSTANT_VALUE",
    "TENSOR_REORDERING_MODE",
    "OPERATIONGRAPH_IS_DYNAMIC_SHAPE_ENABLED",
    "OPERATIONGRAPH_IS_SAME_TOPOLOGY",
    "OPERATIONGRAPH_IS_OVERRIDE_SHAPE_ENABLED",
    "OPERATIONGRAPH_MODE",
    "VARIANT_PACK_OVERRIDE_UNIQUE_IDS",
    "VARIANT_PACK_OVERRIDE_SHAPES",
    "VARIANT_PACK_OVERRIDE_STRIDES",
    "ENGINECFG_KNOB_CHOICES",
    "SDPA_BWD_DBIAS_DESC",
    "SDPA_BWD_MAX_TOTAL_SEQ_LEN_Q",
    "SDPA_BWD_MAX_TOTAL_SEQ_LEN_KV",
    "_DESCALE_QDESC",
    "_DESCALE_KDESC",
    "_DESCALE_VDESC",
    "_DESCALE_SDESC",
    "_SCALE_SDESC",
    "_SCALE_ODESC",
    "_AMAX_SDESC",
    "_AMAX_ODESC",
    "_SUBGRAPH",
    "_SUBGRAPH_INPUT_UID",
    "_SUBGRAPH_OUTPUT_UID",
    "_CU_SEQ_LEN_QDESC",
    "_CU_SEQ_LEN_KVDESC",
    "_BLOCK_MASK_DESC",
    "_PAGE_TABLE_KDESC",
    "_PAGE_TABLE_VDESC",
    "_SHIFT_RIGHT_BOUND_DESC",
    "EXECUTION_PLAN_RUN_ONLY_INTERMEDIATE_UIDS",
    "EXECUTION_PLAN_KERNEL_CACHE",
    "SM_COUNT_TARGET",
    "SHARED_MEMORY_LIMIT",
    "JSON_REPRESENTATION",
)

#: What another descriptor lends finished; it takes no other way to get one.
_LENT = ("ENGINE_KNOB_INFO", "ENGINE_LAYOUT_INFO")

#: What has to be set before an attribute may be.
_BEFORE = {
    "CUDNN_ATTR_TENSOR_CONSTANT_VALUE": (
        ("CUDNN_ATTR_TENSOR_IS_BY_VALUE", "CUDNN_TYPE_BOOLEAN", [True]),
    ),
}


def element(attribute: str) -> str:
    """Return the descriptor type of the elements of an attribute, if they are descriptors."""
    ends = [end for end in _ELEMENTS if attribute.endswith(end)]
    if not ends:
        return TENSOR
    return f"CUDNN_BACKEND_{_ELEMENTS[max(ends, key=len)]}_DESCRIPTOR"


def read_into(attribute: str) -> Any:
    """Return what a descriptor is read into: a new one of this type, unless it is asked about."""
    held = element(attribute)
    return {"ref": held} if attribute.endswith(("_IS_SAME_TOPOLOGY", "_KERNEL_CACHED")) else held


def before(attribute: str, attributes: Mapping[str, int]) -> list[list[Any]]:
    """Return what to set first, of the attributes that there are."""
    return [list(step) for step in _BEFORE.get(attribute, ()) if step[0] in attributes]


def zeros(type_: str) -> list[Any]:
    """One element of a type: zero, NULL."""
    return [0, 0] if type_ == "CUDNN_TYPE_FRACTION" else [0]


def objects(attribute: str) -> dict[str, list[Any]]:
    """One element of each type that refuses NULL."""
    return {
        "CUDNN_TYPE_HANDLE": [{"handle": True}],
        "CUDNN_TYPE_VOID_PTR": [{"buffer": True}],
        DESCRIPTOR: [{"ref": element(attribute)}],
    }


def bench(
    descriptor_types: Sequence[str],
    attributes: Sequence[str],
    owners: Mapping[str, str],
    types: Mapping[str, tuple[str, ...]],
    device: str | None,
) -> list[dict[str, Any]]:
    """Return the descriptors to make, in order, as `generator.attributes.child` wants to be told.

    Each is named after its type, and the tensors of the others after the attribute that they
    are for.
    """
    owned: dict[str, list[str]] = {name: [] for name in descriptor_types}
    for name in attributes:
        owned[owners[name]].append(name)
    items: list[dict[str, Any]] = []
    for descriptor in _ordered(owned):
        steps = _fill(owned[descriptor], types, device)
        for number, (name, _, values) in enumerate(steps):
            if values == [{"ref": name}]:
                items.append(_tensor(name, number, owned.get(TENSOR, ()), types))
        items.append({"name": descriptor, "descriptor": descriptor, "set": steps})
        items += [
            {"name": element(name), "descriptor": element(name), "fetch": [descriptor, name]}
            for name in owned[descriptor]
            if name.endswith(_LENT)
        ]
    return items


def _tensor(
    name: str, number: int, attributes: Sequence[str], types: Mapping[str, tuple[str, ...]]
) -> dict[str, Any]:
    """Return the tensor for the attribute `name`, with a number that its operation has once."""
    ends = [end for end in _TENSORS if name.endswith(end)]
    special = {"TENSOR_UNIQUE_ID": [number]} | (_TENSORS[max(ends, key=len)] if ends else {})
    steps = _fill(attributes, types, None)
    for end, values in special.items():
        steps += [[own, types[own][0], values] for own in attributes if own.endswith(end)]
    return {"name": name, "descriptor": TENSOR, "set": steps}


def _ordered(owned: Mapping[str, Sequence[str]]) -> list[str]:
    """Each descriptor type behind those that it holds."""
    order: list[str] = []

    def visit(descriptor: str, above: tuple[str, ...]) -> None:
        if descriptor in order or descriptor in above or descriptor not in owned:
            return
        for name in owned[descriptor]:
            if descriptor != TENSOR:
                visit(element(name), (*above, descriptor))
        order.append(descriptor)

    for descriptor in owned:
        visit(descriptor, ())
    return order


def _fill(
    attributes: Sequence[str], types: Mapping[str, tuple[str, ...]], device: str | None
) -> list[list[Any]]:
    steps: list[list[Any]] = []
    for name in attributes:
        if device is not None and name == "CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION":
            return [[name, "CUDNN_TYPE_CHAR", [device]]]
        if name.endswith(_SKIPPED):
            continue
        taken = types[name]
        if not taken and not _HOLDS.search(name):
            continue
        if not taken or DESCRIPTOR in taken:
            held = element(name)
            steps.append([name, DESCRIPTOR, [{"ref": name if held == TENSOR else held}]])
            continue
        type_ = taken[0]
        special = [end for end in _VALUES if name.endswith(end)]
        if special:
            steps.append([name, type_, _VALUES[max(special, key=len)]])
        elif type_ in ("CUDNN_TYPE_HANDLE", "CUDNN_TYPE_VOID_PTR"):
            steps.append([name, type_, objects(name)[type_]])
        else:
            steps.append([name, type_, zeros(type_)])
            if type_ not in ("CUDNN_TYPE_DATA_TYPE", "CUDNN_TYPE_BOOLEAN"):
                steps.append([name, type_, [1 for _ in zeros(type_)]])
    return steps
