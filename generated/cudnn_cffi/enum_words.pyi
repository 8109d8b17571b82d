# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:40b3500ba7e388a5184dfbfe0cbd0af0
"""Members of enums, or their names in upper or lower case, as functions take them."""

# fmt: off
from typing import Literal, TypeAlias

from .enums import (
    ActivationMode,
    BatchNormMode,
    BatchNormOps,
    BnFinalizeStatsMode,
    CTCGradMode,
    CTCLossAlgo,
    CausalConv1dActivation,
    ConvolutionBwdDataAlgo,
    ConvolutionBwdFilterAlgo,
    ConvolutionFwdAlgo,
    ConvolutionMode,
    CudaGraphRetention,
    DataType,
    Determinism,
    DirectionMode,
    DivNormMode,
    ErrQueryMode,
    FoldingDirection,
    ForwardMode,
    FusedOps,
    FusedOpsConstParamLabel,
    FusedOpsPointerPlaceHolder,
    FusedOpsVariantParamLabel,
    GenStatsMode,
    GnnActivationOp,
    GnnAggOp,
    IndicesType,
    LRNMode,
    LibraryPropertyType,
    LossNormalizationMode,
    MathType,
    MoeGroupedMatmulMode,
    MultiHeadAttnWeightKind,
    NanPropagation,
    NormAlgo,
    NormMode,
    NormOps,
    OpTensorOp,
    PaddingMode,
    PointwiseMode,
    PoolingMode,
    RNNAlgo,
    RNNBiasMode,
    RNNClipMode,
    RNNDataLayout,
    RNNInputMode,
    RNNMode,
    ReduceTensorIndices,
    ReduceTensorOp,
    ReorderType,
    ResampleMode,
    RngDistribution,
    SamplerType,
    SeqDataAxis,
    Severity,
    SignalMode,
    SoftmaxAlgorithm,
    SoftmaxMode,
    Status,
    TensorFormat,
    WgradMode,
)

ActivationModeLike: TypeAlias = ActivationMode | Literal[
    "SIGMOID", "sigmoid", "RELU", "relu", "TANH", "tanh", "CLIPPED_RELU", "clipped_relu", "ELU",
    "elu", "IDENTITY", "identity", "SWISH", "swish"
]

BatchNormModeLike: TypeAlias = BatchNormMode | Literal[
    "PER_ACTIVATION", "per_activation", "SPATIAL", "spatial", "SPATIAL_PERSISTENT",
    "spatial_persistent"
]

BatchNormOpsLike: TypeAlias = BatchNormOps | Literal[
    "BN", "bn", "BN_ACTIVATION", "bn_activation", "BN_ADD_ACTIVATION", "bn_add_activation"
]

BnFinalizeStatsModeLike: TypeAlias = BnFinalizeStatsMode | Literal[
    "TRAINING", "training", "INFERENCE", "inference"
]

CTCGradModeLike: TypeAlias = CTCGradMode | Literal[
    "ZERO_OOB_GRADIENTS", "zero_oob_gradients", "SKIP_OOB_GRADIENTS", "skip_oob_gradients"
]

CTCLossAlgoLike: TypeAlias = CTCLossAlgo | Literal[
    "DETERMINISTIC", "deterministic", "NON_DETERMINISTIC", "non_deterministic"
]

CausalConv1dActivationLike: TypeAlias = CausalConv1dActivation | Literal[
    "IDENTITY", "identity", "SILU", "silu"
]

ConvolutionBwdDataAlgoLike: TypeAlias = ConvolutionBwdDataAlgo | Literal[
    "ALGO_0", "algo_0", "ALGO_1", "algo_1", "FFT", "fft", "FFT_TILING", "fft_tiling", "WINOGRAD",
    "winograd", "WINOGRAD_NONFUSED", "winograd_nonfused", "COUNT", "count"
]

ConvolutionBwdFilterAlgoLike: TypeAlias = ConvolutionBwdFilterAlgo | Literal[
    "ALGO_0", "algo_0", "ALGO_1", "algo_1", "FFT", "fft", "ALGO_3", "algo_3", "WINOGRAD",
    "winograd", "WINOGRAD_NONFUSED", "winograd_nonfused", "FFT_TILING", "fft_tiling", "COUNT",
    "count"
]

ConvolutionFwdAlgoLike: TypeAlias = ConvolutionFwdAlgo | Literal[
    "IMPLICIT_GEMM", "implicit_gemm", "IMPLICIT_PRECOMP_GEMM", "implicit_precomp_gemm", "GEMM",
    "gemm", "DIRECT", "direct", "FFT", "fft", "FFT_TILING", "fft_tiling", "WINOGRAD", "winograd",
    "WINOGRAD_NONFUSED", "winograd_nonfused", "COUNT", "count"
]

ConvolutionModeLike: TypeAlias = ConvolutionMode | Literal[
    "CONVOLUTION", "convolution", "CROSS_CORRELATION", "cross_correlation"
]

CudaGraphRetentionLike: TypeAlias = CudaGraphRetention | Literal[
    "PER_GRAPH", "per_graph", "NONE", "none"
]

DataTypeLike: TypeAlias = DataType | Literal[
    "FLOAT", "float", "DOUBLE", "double", "HALF", "half", "INT8", "int8", "INT32", "int32",
    "INT8x4", "int8x4", "UINT8", "uint8", "UINT8x4", "uint8x4", "INT8x32", "int8x32", "BFLOAT16",
    "bfloat16", "INT64", "int64", "BOOLEAN", "boolean", "FP8_E4M3", "fp8_e4m3", "FP8_E5M2",
    "fp8_e5m2", "FAST_FLOAT_FOR_FP8", "fast_float_for_fp8", "FP8_E8M0", "fp8_e8m0", "FP4_E2M1",
    "fp4_e2m1", "INT4", "int4", "UINT4", "uint4", "UINT32", "uint32", "COMPLEX_FP32",
    "complex_fp32", "COMPLEX_FP64", "complex_fp64", "BYTE_BOOLEAN", "byte_boolean", "FP8_E5M3",
    "fp8_e5m3"
]

DeterminismLike: TypeAlias = Determinism | Literal[
    "NON_DETERMINISTIC", "non_deterministic", "DETERMINISTIC", "deterministic"
]

DirectionModeLike: TypeAlias = DirectionMode | Literal[
    "UNIDIRECTIONAL", "unidirectional", "BIDIRECTIONAL", "bidirectional"
]

DivNormModeLike: TypeAlias = DivNormMode | Literal[
    "PRECOMPUTED_MEANS", "precomputed_means"
]

ErrQueryModeLike: TypeAlias = ErrQueryMode | Literal[
    "RAWCODE", "rawcode", "NONBLOCKING", "nonblocking", "BLOCKING", "blocking"
]

FoldingDirectionLike: TypeAlias = FoldingDirection | Literal[
    "FOLD", "fold", "UNFOLD", "unfold"
]

ForwardModeLike: TypeAlias = ForwardMode | Literal[
    "INFERENCE", "inference", "TRAINING", "training"
]

FusedOpsLike: TypeAlias = FusedOps | Literal[
    "SCALE_BIAS_ACTIVATION_CONV_BNSTATS", "scale_bias_activation_conv_bnstats",
    "SCALE_BIAS_ACTIVATION_WGRAD", "scale_bias_activation_wgrad", "BN_FINALIZE_STATISTICS_TRAINING",
    "bn_finalize_statistics_training", "BN_FINALIZE_STATISTICS_INFERENCE",
    "bn_finalize_statistics_inference", "CONV_SCALE_BIAS_ADD_ACTIVATION",
    "conv_scale_bias_add_activation", "SCALE_BIAS_ADD_ACTIVATION_GEN_BITMASK",
    "scale_bias_add_activation_gen_bitmask", "DACTIVATION_FORK_DBATCHNORM",
    "dactivation_fork_dbatchnorm"
]

FusedOpsConstParamLabelLike: TypeAlias = FusedOpsConstParamLabel | Literal[
    "XDESC", "xdesc", "XDATA_PLACEHOLDER", "xdata_placeholder", "BN_MODE", "bn_mode",
    "BN_EQSCALEBIAS_DESC", "bn_eqscalebias_desc", "BN_EQSCALE_PLACEHOLDER",
    "bn_eqscale_placeholder", "BN_EQBIAS_PLACEHOLDER", "bn_eqbias_placeholder", "ACTIVATION_DESC",
    "activation_desc", "CONV_DESC", "conv_desc", "WDESC", "wdesc", "WDATA_PLACEHOLDER",
    "wdata_placeholder", "DWDESC", "dwdesc", "DWDATA_PLACEHOLDER", "dwdata_placeholder", "YDESC",
    "ydesc", "YDATA_PLACEHOLDER", "ydata_placeholder", "DYDESC", "dydesc", "DYDATA_PLACEHOLDER",
    "dydata_placeholder", "YSTATS_DESC", "ystats_desc", "YSUM_PLACEHOLDER", "ysum_placeholder",
    "YSQSUM_PLACEHOLDER", "ysqsum_placeholder", "BN_SCALEBIAS_MEANVAR_DESC",
    "bn_scalebias_meanvar_desc", "BN_SCALE_PLACEHOLDER", "bn_scale_placeholder",
    "BN_BIAS_PLACEHOLDER", "bn_bias_placeholder", "BN_SAVED_MEAN_PLACEHOLDER",
    "bn_saved_mean_placeholder", "BN_SAVED_INVSTD_PLACEHOLDER", "bn_saved_invstd_placeholder",
    "BN_RUNNING_MEAN_PLACEHOLDER", "bn_running_mean_placeholder", "BN_RUNNING_VAR_PLACEHOLDER",
    "bn_running_var_placeholder", "ZDESC", "zdesc", "ZDATA_PLACEHOLDER", "zdata_placeholder",
    "BN_Z_EQSCALEBIAS_DESC", "bn_z_eqscalebias_desc", "BN_Z_EQSCALE_PLACEHOLDER",
    "bn_z_eqscale_placeholder", "BN_Z_EQBIAS_PLACEHOLDER", "bn_z_eqbias_placeholder",
    "ACTIVATION_BITMASK_DESC", "activation_bitmask_desc", "ACTIVATION_BITMASK_PLACEHOLDER",
    "activation_bitmask_placeholder", "DXDESC", "dxdesc", "DXDATA_PLACEHOLDER",
    "dxdata_placeholder", "DZDESC", "dzdesc", "DZDATA_PLACEHOLDER", "dzdata_placeholder",
    "BN_DSCALE_PLACEHOLDER", "bn_dscale_placeholder", "BN_DBIAS_PLACEHOLDER", "bn_dbias_placeholder"
]

FusedOpsPointerPlaceHolderLike: TypeAlias = FusedOpsPointerPlaceHolder | Literal[
    "NULL", "null", "ELEM_ALIGNED", "elem_aligned", "PTR_16B_ALIGNED", "ptr_16b_aligned"
]

FusedOpsVariantParamLabelLike: TypeAlias = FusedOpsVariantParamLabel | Literal[
    "PTR_XDATA", "ptr_xdata", "PTR_BN_EQSCALE", "ptr_bn_eqscale", "PTR_BN_EQBIAS", "ptr_bn_eqbias",
    "PTR_WDATA", "ptr_wdata", "PTR_DWDATA", "ptr_dwdata", "PTR_YDATA", "ptr_ydata", "PTR_DYDATA",
    "ptr_dydata", "PTR_YSUM", "ptr_ysum", "PTR_YSQSUM", "ptr_ysqsum", "PTR_WORKSPACE",
    "ptr_workspace", "PTR_BN_SCALE", "ptr_bn_scale", "PTR_BN_BIAS", "ptr_bn_bias",
    "PTR_BN_SAVED_MEAN", "ptr_bn_saved_mean", "PTR_BN_SAVED_INVSTD", "ptr_bn_saved_invstd",
    "PTR_BN_RUNNING_MEAN", "ptr_bn_running_mean", "PTR_BN_RUNNING_VAR", "ptr_bn_running_var",
    "PTR_ZDATA", "ptr_zdata", "PTR_BN_Z_EQSCALE", "ptr_bn_z_eqscale", "PTR_BN_Z_EQBIAS",
    "ptr_bn_z_eqbias", "PTR_ACTIVATION_BITMASK", "ptr_activation_bitmask", "PTR_DXDATA",
    "ptr_dxdata", "PTR_DZDATA", "ptr_dzdata", "PTR_BN_DSCALE", "ptr_bn_dscale", "PTR_BN_DBIAS",
    "ptr_bn_dbias", "SCALAR_SIZE_T_WORKSPACE_SIZE_IN_BYTES",
    "scalar_size_t_workspace_size_in_bytes", "SCALAR_INT64_T_BN_ACCUMULATION_COUNT",
    "scalar_int64_t_bn_accumulation_count", "SCALAR_DOUBLE_BN_EXP_AVG_FACTOR",
    "scalar_double_bn_exp_avg_factor", "SCALAR_DOUBLE_BN_EPSILON", "scalar_double_bn_epsilon"
]

GenStatsModeLike: TypeAlias = GenStatsMode | Literal[
    "SUM_SQSUM", "sum_sqsum"
]

GnnActivationOpLike: TypeAlias = GnnActivationOp | Literal[
    "LINEAR", "linear", "RELU", "relu", "SIGMOID", "sigmoid", "TANH", "tanh", "ELU", "elu",
    "SCALAR", "scalar", "LEAKY_RELU", "leaky_relu"
]

GnnAggOpLike: TypeAlias = GnnAggOp | Literal[
    "SUM", "sum", "MEAN", "mean", "MAX", "max", "MIN", "min"
]

IndicesTypeLike: TypeAlias = IndicesType | Literal[
    "CUDNN_32BIT_INDICES", "cudnn_32bit_indices", "CUDNN_64BIT_INDICES", "cudnn_64bit_indices",
    "CUDNN_16BIT_INDICES", "cudnn_16bit_indices", "CUDNN_8BIT_INDICES", "cudnn_8bit_indices"
]

LRNModeLike: TypeAlias = LRNMode | Literal[
    "CROSS_CHANNEL_DIM1", "cross_channel_dim1"
]

LibraryPropertyTypeLike: TypeAlias = LibraryPropertyType | Literal[
    "MAJOR_VERSION", "major_version", "MINOR_VERSION", "minor_version", "PATCH_LEVEL", "patch_level"
]

LossNormalizationModeLike: TypeAlias = LossNormalizationMode | Literal[
    "NONE", "none", "SOFTMAX", "softmax"
]

MathTypeLike: TypeAlias = MathType | Literal[
    "DEFAULT_MATH", "default_math", "TENSOR_OP_MATH", "tensor_op_math",
    "TENSOR_OP_MATH_ALLOW_CONVERSION", "tensor_op_math_allow_conversion", "FMA_MATH", "fma_math"
]

MoeGroupedMatmulModeLike: TypeAlias = MoeGroupedMatmulMode | Literal[
    "NONE", "none", "GATHER", "gather", "SCATTER", "scatter"
]

MultiHeadAttnWeightKindLike: TypeAlias = MultiHeadAttnWeightKind | Literal[
    "Q_WEIGHTS", "q_weights", "K_WEIGHTS", "k_weights", "V_WEIGHTS", "v_weights", "O_WEIGHTS",
    "o_weights", "Q_BIASES", "q_biases", "K_BIASES", "k_biases", "V_BIASES", "v_biases", "O_BIASES",
    "o_biases"
]

NanPropagationLike: TypeAlias = NanPropagation | Literal[
    "NOT_PROPAGATE_NAN", "not_propagate_nan", "PROPAGATE_NAN", "propagate_nan"
]

NormAlgoLike: TypeAlias = NormAlgo | Literal[
    "STANDARD", "standard", "PERSIST", "persist"
]

NormModeLike: TypeAlias = NormMode | Literal[
    "ACTIVATION", "activation", "CHANNEL", "channel"
]

NormOpsLike: TypeAlias = NormOps | Literal[
    "NORM", "norm", "NORM_ACTIVATION", "norm_activation", "NORM_ADD_ACTIVATION",
    "norm_add_activation"
]

OpTensorOpLike: TypeAlias = OpTensorOp | Literal[
    "ADD", "add", "MUL", "mul", "MIN", "min", "MAX", "max", "SQRT", "sqrt", "NOT", "not"
]

PaddingModeLike: TypeAlias = PaddingMode | Literal[
    "ZERO_PAD", "zero_pad", "NEG_INF_PAD", "neg_inf_pad", "EDGE_VAL_PAD", "edge_val_pad"
]

PointwiseModeLike: TypeAlias = PointwiseMode | Literal[
    "ADD", "add", "ADD_SQUARE", "add_square", "DIV", "div", "MAX", "max", "MIN", "min", "MOD",
    "mod", "MUL", "mul", "POW", "pow", "SUB", "sub", "ABS", "abs", "CEIL", "ceil", "COS", "cos",
    "EXP", "exp", "FLOOR", "floor", "LOG", "log", "NEG", "neg", "RSQRT", "rsqrt", "SIN", "sin",
    "SQRT", "sqrt", "TAN", "tan", "ERF", "erf", "IDENTITY", "identity", "RECIPROCAL", "reciprocal",
    "ATAN2", "atan2", "FLOOR_MOD", "floor_mod", "RELU_FWD", "relu_fwd", "TANH_FWD", "tanh_fwd",
    "SIGMOID_FWD", "sigmoid_fwd", "ELU_FWD", "elu_fwd", "GELU_FWD", "gelu_fwd", "SOFTPLUS_FWD",
    "softplus_fwd", "SWISH_FWD", "swish_fwd", "GELU_APPROX_TANH_FWD", "gelu_approx_tanh_fwd",
    "RELU_BWD", "relu_bwd", "TANH_BWD", "tanh_bwd", "SIGMOID_BWD", "sigmoid_bwd", "ELU_BWD",
    "elu_bwd", "GELU_BWD", "gelu_bwd", "SOFTPLUS_BWD", "softplus_bwd", "SWISH_BWD", "swish_bwd",
    "GELU_APPROX_TANH_BWD", "gelu_approx_tanh_bwd", "CMP_EQ", "cmp_eq", "CMP_NEQ", "cmp_neq",
    "CMP_GT", "cmp_gt", "CMP_GE", "cmp_ge", "CMP_LT", "cmp_lt", "CMP_LE", "cmp_le", "LOGICAL_AND",
    "logical_and", "LOGICAL_OR", "logical_or", "LOGICAL_NOT", "logical_not", "GEN_INDEX",
    "gen_index", "BINARY_SELECT", "binary_select"
]

PoolingModeLike: TypeAlias = PoolingMode | Literal[
    "MAX", "max", "AVERAGE_COUNT_INCLUDE_PADDING", "average_count_include_padding",
    "AVERAGE_COUNT_EXCLUDE_PADDING", "average_count_exclude_padding", "MAX_DETERMINISTIC",
    "max_deterministic"
]

RNNAlgoLike: TypeAlias = RNNAlgo | Literal[
    "STANDARD", "standard", "PERSIST_STATIC", "persist_static", "PERSIST_DYNAMIC",
    "persist_dynamic", "PERSIST_STATIC_SMALL_H", "persist_static_small_h", "COUNT", "count"
]

RNNBiasModeLike: TypeAlias = RNNBiasMode | Literal[
    "NO_BIAS", "no_bias", "SINGLE_INP_BIAS", "single_inp_bias", "DOUBLE_BIAS", "double_bias",
    "SINGLE_REC_BIAS", "single_rec_bias"
]

RNNClipModeLike: TypeAlias = RNNClipMode | Literal[
    "NONE", "none", "MINMAX", "minmax"
]

RNNDataLayoutLike: TypeAlias = RNNDataLayout | Literal[
    "SEQ_MAJOR_UNPACKED", "seq_major_unpacked", "SEQ_MAJOR_PACKED", "seq_major_packed",
    "BATCH_MAJOR_UNPACKED", "batch_major_unpacked"
]

RNNInputModeLike: TypeAlias = RNNInputMode | Literal[
    "LINEAR_INPUT", "linear_input", "SKIP_INPUT", "skip_input"
]

RNNModeLike: TypeAlias = RNNMode | Literal[
    "RNN_RELU", "rnn_relu", "RNN_TANH", "rnn_tanh", "LSTM", "lstm", "GRU", "gru"
]

ReduceTensorIndicesLike: TypeAlias = ReduceTensorIndices | Literal[
    "NO_INDICES", "no_indices", "FLATTENED_INDICES", "flattened_indices"
]

ReduceTensorOpLike: TypeAlias = ReduceTensorOp | Literal[
    "ADD", "add", "MUL", "mul", "MIN", "min", "MAX", "max", "AMAX", "amax", "AVG", "avg", "NORM1",
    "norm1", "NORM2", "norm2", "MUL_NO_ZEROS", "mul_no_zeros"
]

ReorderTypeLike: TypeAlias = ReorderType | Literal[
    "DEFAULT_REORDER", "default_reorder", "NO_REORDER", "no_reorder"
]

ResampleModeLike: TypeAlias = ResampleMode | Literal[
    "NEAREST", "nearest", "BILINEAR", "bilinear", "AVGPOOL", "avgpool", "AVGPOOL_INCLUDE_PADDING",
    "avgpool_include_padding", "AVGPOOL_EXCLUDE_PADDING", "avgpool_exclude_padding", "MAXPOOL",
    "maxpool"
]

RngDistributionLike: TypeAlias = RngDistribution | Literal[
    "BERNOULLI", "bernoulli", "UNIFORM", "uniform", "NORMAL", "normal"
]

SamplerTypeLike: TypeAlias = SamplerType | Literal[
    "BILINEAR", "bilinear"
]

SeqDataAxisLike: TypeAlias = SeqDataAxis | Literal[
    "TIME_DIM", "time_dim", "BATCH_DIM", "batch_dim", "BEAM_DIM", "beam_dim", "VECT_DIM", "vect_dim"
]

SeverityLike: TypeAlias = Severity | Literal[
    "FATAL", "fatal", "ERROR", "error", "WARNING", "warning", "INFO", "info"
]

SignalModeLike: TypeAlias = SignalMode | Literal[
    "SET", "set", "WAIT", "wait"
]

SoftmaxAlgorithmLike: TypeAlias = SoftmaxAlgorithm | Literal[
    "FAST", "fast", "ACCURATE", "accurate", "LOG", "log"
]

SoftmaxModeLike: TypeAlias = SoftmaxMode | Literal[
    "INSTANCE", "instance", "CHANNEL", "channel"
]

StatusLike: TypeAlias = Status | Literal[
    "SUCCESS", "success", "NOT_INITIALIZED", "not_initialized", "SUBLIBRARY_VERSION_MISMATCH",
    "sublibrary_version_mismatch", "SERIALIZATION_VERSION_MISMATCH",
    "serialization_version_mismatch", "DEPRECATED", "deprecated", "LICENSE_ERROR", "license_error",
    "RUNTIME_IN_PROGRESS", "runtime_in_progress", "RUNTIME_FP_OVERFLOW", "runtime_fp_overflow",
    "SUBLIBRARY_LOADING_FAILED", "sublibrary_loading_failed", "BAD_PARAM", "bad_param",
    "BAD_PARAM_NULL_POINTER", "bad_param_null_pointer", "BAD_PARAM_MISALIGNED_POINTER",
    "bad_param_misaligned_pointer", "BAD_PARAM_NOT_FINALIZED", "bad_param_not_finalized",
    "BAD_PARAM_OUT_OF_BOUND", "bad_param_out_of_bound", "BAD_PARAM_SIZE_INSUFFICIENT",
    "bad_param_size_insufficient", "BAD_PARAM_STREAM_MISMATCH", "bad_param_stream_mismatch",
    "BAD_PARAM_SHAPE_MISMATCH", "bad_param_shape_mismatch", "BAD_PARAM_DUPLICATED_ENTRIES",
    "bad_param_duplicated_entries", "BAD_PARAM_ATTRIBUTE_TYPE", "bad_param_attribute_type",
    "BAD_PARAM_CUDA_GRAPH_MISMATCH", "bad_param_cuda_graph_mismatch", "BAD_PARAM_DESCRIPTOR_TYPE",
    "bad_param_descriptor_type", "NOT_SUPPORTED", "not_supported", "NOT_SUPPORTED_GRAPH_PATTERN",
    "not_supported_graph_pattern", "NOT_SUPPORTED_SHAPE", "not_supported_shape",
    "NOT_SUPPORTED_DATA_TYPE", "not_supported_data_type", "NOT_SUPPORTED_LAYOUT",
    "not_supported_layout", "NOT_SUPPORTED_INCOMPATIBLE_CUDA_DRIVER",
    "not_supported_incompatible_cuda_driver", "NOT_SUPPORTED_INCOMPATIBLE_CUDART",
    "not_supported_incompatible_cudart", "NOT_SUPPORTED_ARCH_MISMATCH",
    "not_supported_arch_mismatch", "NOT_SUPPORTED_RUNTIME_PREREQUISITE_MISSING",
    "not_supported_runtime_prerequisite_missing", "NOT_SUPPORTED_SUBLIBRARY_UNAVAILABLE",
    "not_supported_sublibrary_unavailable", "NOT_SUPPORTED_SHARED_MEMORY_INSUFFICIENT",
    "not_supported_shared_memory_insufficient", "NOT_SUPPORTED_PADDING", "not_supported_padding",
    "NOT_SUPPORTED_BAD_LAUNCH_PARAM", "not_supported_bad_launch_param",
    "NOT_SUPPORTED_CUDA_GRAPH_NATIVE_API", "not_supported_cuda_graph_native_api",
    "NOT_SUPPORTED_INVALID_DYNAMIC_SHAPE", "not_supported_invalid_dynamic_shape", "INTERNAL_ERROR",
    "internal_error", "INTERNAL_ERROR_COMPILATION_FAILED", "internal_error_compilation_failed",
    "INTERNAL_ERROR_UNEXPECTED_VALUE", "internal_error_unexpected_value",
    "INTERNAL_ERROR_HOST_ALLOCATION_FAILED", "internal_error_host_allocation_failed",
    "INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED", "internal_error_device_allocation_failed",
    "INTERNAL_ERROR_BAD_LAUNCH_PARAM", "internal_error_bad_launch_param",
    "INTERNAL_ERROR_TEXTURE_CREATION_FAILED", "internal_error_texture_creation_failed",
    "EXECUTION_FAILED", "execution_failed", "EXECUTION_FAILED_CUDA_DRIVER",
    "execution_failed_cuda_driver", "EXECUTION_FAILED_CUBLAS", "execution_failed_cublas",
    "EXECUTION_FAILED_CUDART", "execution_failed_cudart", "EXECUTION_FAILED_CURAND",
    "execution_failed_curand", "ALLOC_FAILED", "alloc_failed", "INVALID_VALUE", "invalid_value",
    "ARCH_MISMATCH", "arch_mismatch", "MAPPING_ERROR", "mapping_error",
    "RUNTIME_PREREQUISITE_MISSING", "runtime_prerequisite_missing", "VERSION_MISMATCH",
    "version_mismatch"
]

TensorFormatLike: TypeAlias = TensorFormat | Literal[
    "NCHW", "nchw", "NHWC", "nhwc", "NCHW_VECT_C", "nchw_vect_c"
]

WgradModeLike: TypeAlias = WgradMode | Literal[
    "ADD", "add", "SET", "set"
]
