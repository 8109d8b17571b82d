"""Mutations that change or take away what the newest release has."""

from __future__ import annotations

from tests.generator.mutations.mutation import Mutation


def _edit(id_: str, name: str, pattern: str, new: str, *found: str, **more: str) -> Mutation:
    """One edit, and the findings about it: rules of `name`, or a rule with another name."""
    those = {each if " " in each else f"{each} {name}" for each in found}
    return Mutation(id_, edit=((pattern, new),), name=name, found=those, **more)


MUTATIONS = (
    # Functions
    _edit("function_removed", "cudnnIm2Col",
          r"(CUDNN_DEPRECATED )?cudnnStatus_t CUDNNWINAPI\s+cudnnIm2Col\([^;]*;", "",
          "func-removed"),
    _edit("function_renamed", "cudnnOpTensor", r"\bcudnnOpTensor\(", "cudnnOpTensors(",
          "func-removed", "func-added cudnnOpTensors"),
    _edit("parameter_renamed", "cudnnDropoutGetStatesSize",
          r"(cudnnDropoutGetStatesSize\([^;]*)sizeInBytes", r"\1bytes", "func-keyword-changed",
          program="import cudnn_cffi\ncudnn_cffi.cudnnDropoutGetStatesSize(1, sizeInBytes=2)\n"),
    _edit("parameter_added", "cudnnSetStream", r"(\bcudnnSetStream\([^;]*)\)", r"\1, int priority)",
          "func-param-added"),
    _edit("parameter_removed", "cudnnSetOpTensorDescriptor",
          r"(cudnnSetOpTensorDescriptor\([^;]*),\s*cudnnNanPropagation_t \w+\)", r"\1)",
          "func-param-removed"),
    _edit("parameters_in_another_order", "cudnnSetDropoutDescriptor",
          r"(cudnnSetDropoutDescriptor\([^;]*)(float dropout),\s*(void \*states)", r"\1\3, \2",
          "func-params-reordered"),
    _edit("parameter_without_const", "cudnnSoftmaxBackward",
          r"(cudnnSoftmaxBackward\([^;]*)const void \*dy,", r"\1void *dy,",
          "func-param-const-changed", "func-param-direction-changed"),
    _edit("parameter_of_64_bits", "cudnnSetConvolutionGroupCount",
          r"(cudnnSetConvolutionGroupCount\([^;]*)int (groupCount)", r"\1int64_t \2",
          "func-param-type-changed"),
    _edit("result_of_64_bits", "cudnnGetConvolutionGroupCount",
          r"(cudnnGetConvolutionGroupCount\([^;]*)int (\*groupCount)", r"\1int64_t \2",
          "func-param-type-changed"),
    _edit("number_that_becomes_an_array", "cudnnGetConvolutionReorderType",
          r"(cudnnGetConvolutionReorderType\([^;]*)\*(reorderType)\)", r"\1*\2, int count)",
          "func-param-added", roles="in descriptor; inout buffer host; in scalar",
          named="cudnnGetConvolutionReorderType: cudnnReorderType_t * reorderType is taken as an"),
    _edit("another_result", "cudnnGetMaxDeviceVersion",
          r"size_t CUDNNWINAPI\s+cudnnGetMaxDeviceVersion\(", "int cudnnGetMaxDeviceVersion(",
          "func-result-changed"),
    _edit("function_deprecated", "cudnnBackendExecute",
          r"(?<!DEPRECATED )cudnnStatus_t CUDNNWINAPI\s+cudnnBackendExecute\(",
          "CUDNN_DEPRECATED cudnnStatus_t CUDNNWINAPI cudnnBackendExecute(", "func-deprecated"),
    # Enums
    _edit("enumerator_added", "CUDNN_SOFTMAX_MODE_ROW",
          r"(CUDNN_SOFTMAX_MODE_CHANNEL\s*=\s*1),?", r"\1, CUDNN_SOFTMAX_MODE_ROW = 2,",
          "enumerator-added"),
    _edit("enumerator_removed", "CUDNN_8BIT_INDICES", r"CUDNN_8BIT_INDICES\s*=\s*3,?", "",
          "enumerator-removed"),
    _edit("enumerator_renamed", "CUDNN_NON_DETERMINISTIC", r"CUDNN_NON_DETERMINISTIC(?=\s*=)",
          "CUDNN_DETERMINISTIC_NOT", "enumerator-renamed", "enumerator-added CUDNN_DETERMINISTIC_NOT"),
    _edit("enumerator_of_another_value", "CUDNN_NORM_PER_CHANNEL",
          r"(CUDNN_NORM_PER_CHANNEL\s*=\s*)1", r"\g<1>5", "enumerator-value-changed"),
    # Structs and callbacks
    _edit("member_added", "cudnnDebug_t", r"(int cudaDeviceId;)", r"\1 int64_t queue;",
          "record-size-changed", "field-added", "field-moved"),
    _edit("member_renamed", "cudnnGnnCscGraph_t", r"int64_t nIndices;", "int64_t nEdges;",
          "field-renamed",
          program="int64_t use(cudnnGnnCscGraph_t *graph) { return graph->nIndices; }"),
    _edit("callback_changed", "cudnnCallback_t", r"(\(\*cudnnCallback_t\)\([^;]*)\);",
          r"\1, int line);", "callback-changed"),
    # Values
    _edit("macro_removed", "CUDNN_LRN_MAX_N", r"#define CUDNN_LRN_MAX_N .*", "",
          "constant-removed"),
    _edit("macro_of_another_value", "CUDNN_LRN_MIN_N", r"(#define CUDNN_LRN_MIN_N )1", r"\g<1>2",
          "constant-value-changed"),
    _edit("bit_of_another_value", "CUDNN_ATTN_ENABLE_PROJ_BIASES",
          r"(#define CUDNN_ATTN_ENABLE_PROJ_BIASES \(1U << )1", r"\g<1>2", "flag-value-changed"),
    _edit("macro_that_does_something_else", "CUDNN_STATUS_CATEGORY",
          r"(#define CUDNN_STATUS_CATEGORY\(.*?\) \(\(\w+\) / )1000", r"\g<1>100 * 10",
          "macro-changed"),
    _edit("another_formula_of_the_version", "CUDNN_VERSION", r"CUDNN_MAJOR \* 10000",
          "CUDNN_MAJOR * 100000", "version-formula-changed",
          program="int use(void) { return CUDNN_VERSION / 1000; }"),
)  # fmt: skip
