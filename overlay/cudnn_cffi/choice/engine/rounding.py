"""Properties of engines beside their notes: rounding of float32, and additions in any order."""

from __future__ import annotations

import math
import re

from ...errata.asks import wrong_function

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...plan import Computation


#: The tensors that are multiplied and summed, by the name of the operation's descriptor class.
#: Tensor cores do not round other inputs of an operation, such as statistics of attention.
_FACTORS = {
    "OperationConvolutionForwardDescriptor": ("x", "w"),
    "OperationConvolutionBackwardDataDescriptor": ("dy", "w"),
    "OperationConvolutionBackwardFilterDescriptor": ("x", "dy"),
    "OperationMatmulDescriptor": ("adesc", "bdesc"),
    "OperationMOEGroupedMatmulDescriptor": ("token_desc", "weight_desc"),
    "OperationMOEGroupedMatmulBwdDescriptor": ("token_desc", "doutput_desc"),
    "OperationSDPAFwdDescriptor": ("qdesc", "kdesc", "vdesc"),
    "OperationSDPABwdDescriptor": ("qdesc", "kdesc", "vdesc", "doddesc"),
}

#: The names of classes of operations with products that are not known here yet.
_PRODUCT = re.compile(r"Convolution|Matmul|SDPA|Attention|Gemm", re.IGNORECASE)


def narrowing_notes(computation: Computation) -> frozenset[str]:
    """Return the notes of engines that may round float32 inputs of a computation.

    Tensor cores round the factors of products; so does cuBLASLt, by measurement (cuDNN 9.19.0 on an
    H200), whose engine has no note on it. An engine that converts inputs down says so. Numbers that
    are passed by value are not rounded.
    """
    sizes = [
        math.prod(each.shape)
        for each in computation.operands
        if each.role == "input" and each.data_type == "FLOAT" and not each.by_value
    ]
    if not sizes:
        return frozenset()
    notes = {"DOWN_CONVERT_INPUTS"}
    operations = getattr(computation.operation_graph, "ops", None) or ()
    if not operations or any(_rounds(each, max(sizes)) for each in operations):
        notes.add("TENSOR_CORE")
        if wrong_function("Matmul rounding", {}):
            notes.add("CUBLASLT_DEPENDENCY")
    return frozenset(notes)


def _rounds(operation: object, largest: int) -> bool:
    """Return whether tensor cores would round float32 inputs in an operation.

    Args:
        operation: its descriptor.
        largest: how many elements the largest float32 input of the graph has.
    """
    kind = type(operation).__name__
    if kind not in _FACTORS:
        return _PRODUCT.search(kind) is not None
    factors = [getattr(operation, name) for name in _FACTORS[kind]]
    # A virtual tensor is computed of other things if it is larger than any float32 input.
    return any(
        each.data_type.name == "FLOAT"
        and (not each.is_virtual or math.prod(each.dimensions) <= largest)
        for each in factors
        if each is not None
    )


#: Minimum number of matrix products in the gradient of attention for queries.
_LEAST = 3


def adds_in_any_order(computation: Computation) -> bool:
    """Return whether a graph lets blocks add to a result with atomics, whatever the engine's notes.

    The gradient of attention for queries is such a sum, in memory of the plan's own, where the
    node was not made with `deterministic=True`.
    """
    if not wrong_function("attention_backward sums", {}):
        return False
    own = {
        each.uid
        for each in computation.operands
        if each.role == "workspace" and each.data_type == "FLOAT"
    }
    operations = (getattr(computation.operation_graph, "ops", None) or ()) if own else ()
    products = [each for each in operations if type(each).__name__ == "OperationMatmulDescriptor"]
    # The gradient has products for the scores, their gradient and that of the queries.
    return len(products) >= _LEAST and any(each.cdesc.unique_id in own for each in products)
