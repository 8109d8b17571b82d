# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:9cfdc7ab58dbd881d3624762b417849d
"""Backend descriptors, a class for each type, with a property for each attribute.

The classes are those of all releases. A class that the loaded release lacks raises when it is used,
and the error says since when it is there. `_backend.Descriptor` says what all classes have.
"""

# The signatures are for type checkers, what is inside is not.
# mypy: ignore-errors

from __future__ import annotations

from ._backend import Descriptor, absent as _absent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction
    from typing import Any, Self

    from .enums import (
        BackendAttributeName,
        BackendBehaviorNote,
        BackendHeurMode,
        BackendKnobType,
        BackendLayoutType,
        BackendNormFwdPhase,
        BackendNormMode,
        BackendNumericalNote,
        BackendOperationGraphMode,
        BackendReshapeMode,
        BackendTensorReordering,
        BnFinalizeStatsMode,
        ConvolutionMode,
        CudaGraphRetention,
        DataType,
        GenStatsMode,
        MoeGroupedMatmulMode,
        NanPropagation,
        PaddingMode,
        PointwiseMode,
        ReduceTensorOp,
        ResampleMode,
        RngDistribution,
        SignalMode,
    )
    from .handles import Handle
    from .types import DevicePointer, HostPointer

__all__ = [
    "Descriptor",
    "OperationDescriptor",
    "PointwiseDescriptor",
    "ConvolutionDescriptor",
    "EngineDescriptor",
    "EngineCfgDescriptor",
    "EngineHeurDescriptor",
    "ExecutionPlanDescriptor",
    "IntermediateInfoDescriptor",
    "KnobChoiceDescriptor",
    "KnobInfoDescriptor",
    "LayoutInfoDescriptor",
    "OperationConvolutionForwardDescriptor",
    "OperationConvolutionBackwardFilterDescriptor",
    "OperationConvolutionBackwardDataDescriptor",
    "OperationPointwiseDescriptor",
    "OperationGenStatsDescriptor",
    "OperationGraphDescriptor",
    "VariantPackDescriptor",
    "TensorDescriptor",
    "MatmulDescriptor",
    "OperationMatmulDescriptor",
    "OperationBNFinalizeStatisticsDescriptor",
    "ReductionDescriptor",
    "OperationReductionDescriptor",
    "OperationBNBwdWeightsDescriptor",
    "ResampleDescriptor",
    "OperationResampleFwdDescriptor",
    "OperationResampleBwdDescriptor",
    "OperationConcatDescriptor",
    "OperationSignalDescriptor",
    "OperationNormForwardDescriptor",
    "OperationNormBackwardDescriptor",
    "OperationReshapeDescriptor",
    "RNGDescriptor",
    "OperationRNGDescriptor",
    "KernelCacheDescriptor",
    "OperationPagedCacheLoadDescriptor",
    "OperationBlockScaleQuantizeDescriptor",
    "OperationBlockScaleDequantizeDescriptor",
    "DevicePropDescriptor",
    "OperationExpandBandMatrixDescriptor",
    "OperationContractBandMatrixDescriptor",
    "OperationSDPAFwdDescriptor",
    "OperationMOEGroupedMatmulDescriptor",
    "OperationSDPABwdDescriptor",
    "OperationDiagonalBandMaskDescriptor",
    "OperationSoftmaxDescriptor",
    "OperationTransposeDescriptor",
    "OperationSliceDescriptor",
    "OperationMOEGroupedMatmulBwdDescriptor",
    "OperationRopeFwdDescriptor",
    "OperationRopeBwdDescriptor",
]

if not TYPE_CHECKING:
    __getattr__ = _absent


class OperationDescriptor(Descriptor):
    """The base of the classes for the types CUDNN_BACKEND_OPERATION_*_DESCRIPTOR."""

    __slots__ = ()


class PointwiseDescriptor(Descriptor):
    """A backend descriptor: CUDNN_BACKEND_POINTWISE_DESCRIPTOR."""

    __slots__ = ()
    c_name = "CUDNN_BACKEND_POINTWISE_DESCRIPTOR"

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            mode: PointwiseMode | str | None = None,
            math_prec: DataType | str | None = None,
            nan_propagation: NanPropagation | str | None = None,
            relu_lower_clip: float | None = None,
            relu_upper_clip: float | None = None,
            relu_lower_clip_slope: float | None = None,
            elu_alpha: float | None = None,
            softplus_beta: float | None = None,
            swish_beta: float | None = None,
            axis: int | None = None,
        ) -> None: ...

        @classmethod
        def open(
            cls,
            *,
            mode: PointwiseMode | str | None = None,
            math_prec: DataType | str | None = None,
            nan_propagation: NanPropagation | str | None = None,
            relu_lower_clip: float | None = None,
            relu_upper_clip: float | None = None,
            relu_lower_clip_slope: float | None = None,
            elu_alpha: float | None = None,
            softplus_beta: float | None = None,
            swish_beta: float | None = None,
            axis: int | None = None,
        ) -> Self: ...

        def set(
            self,
            *,
            mode: PointwiseMode | str | None = None,
            math_prec: DataType | str | None = None,
            nan_propagation: NanPropagation | str | None = None,
            relu_lower_clip: float | None = None,
            relu_upper_clip: float | None = None,
            relu_lower_clip_slope: float | None = None,
            elu_alpha: float | None = None,
            softplus_beta: float | None = None,
            swish_beta: float | None = None,
            axis: int | None = None,
        ) -> Self: ...

    @property
    def mode(self) -> PointwiseMode:
        """A member of `PointwiseMode`.

        The default is CUDNN_POINTWISE_ADD. cuDNN does not tell it: the property is what was set.

        C: CUDNN_ATTR_POINTWISE_MODE, of CUDNN_TYPE_POINTWISE_MODE.
        """
        return self._get("mode")

    @property
    def math_prec(self) -> DataType:
        """A member of `DataType`.

        The default is CUDNN_DATA_FLOAT. cuDNN does not tell it: the property is what was set.

        C: CUDNN_ATTR_POINTWISE_MATH_PREC, of CUDNN_TYPE_DATA_TYPE.
        """
        return self._get("math_prec")

    @property
    def nan_propagation(self) -> NanPropagation:
        """A member of `NanPropagation`.

        The default is CUDNN_NOT_PROPAGATE_NAN. cuDNN does not tell it: the property is what was
        set.

        C: CUDNN_ATTR_POINTWISE_NAN_PROPAGATION, of CUDNN_TYPE_NAN_PROPOGATION.
        """
        return self._get("nan_propagation")

    @property
    def relu_lower_clip(self) -> float:
        """A float.

        The default is 0.0. cuDNN does not tell it: the property is what was set.

        C: CUDNN_ATTR_POINTWISE_RELU_LOWER_CLIP, of CUDNN_TYPE_FLOAT, CUDNN_TYPE_DOUBLE.
        """
        return self._get("relu_lower_clip")

    @property
    def relu_upper_clip(self) -> float:
        """A float.

        The default is 1.7976931348623157e+308. cuDNN does not tell it: the property is what was
        set.

        C: CUDNN_ATTR_POINTWISE_RELU_UPPER_CLIP, of CUDNN_TYPE_FLOAT, CUDNN_TYPE_DOUBLE.
        """
        return self._get("relu_upper_clip")

    @property
    def relu_lower_clip_slope(self) -> float:
        """A float.

        The default is 0.0. cuDNN does not tell it: the property is what was set.

        C: CUDNN_ATTR_POINTWISE_RELU_LOWER_CLIP_SLOPE, of CUDNN_TYPE_FLOAT, CUDNN_TYPE_DOUBLE.
        """
        return self._get("relu_lower_clip_slope")

    @property
    def elu_alpha(self) -> float:
        """A float.

        The default is 1.0. cuDNN does not tell it: the property is what was set.

        C: CUDNN_ATTR_POINTWISE_ELU_ALPHA, of CUDNN_TYPE_FLOAT, CUDNN_TYPE_DOUBLE.
        """
        return self._get("elu_alpha")

    @property
    def softplus_beta(self) -> float:
        """A float.

        The default is 1.0. cuDNN does not tell it: the property is what was set.

        C: CUDNN_ATTR_POINTWISE_SOFTPLUS_BETA, of CUDNN_TYPE_FLOAT, CUDNN_TYPE_DOUBLE.
        """
        return self._get("softplus_beta")

    @property
    def swish_beta(self) -> float:
        """A float.

        cuDNN does not tell it: the property is what was set.

        C: CUDNN_ATTR_POINTWISE_SWISH_BETA, of CUDNN_TYPE_FLOAT, CUDNN_TYPE_DOUBLE.
        """
        return self._get("swish_beta")

    @property
    def axis(self) -> int:
        """An int.

        cuDNN does not tell it: the property is what was set.

        C: CUDNN_ATTR_POINTWISE_AXIS, of CUDNN_TYPE_INT64.
        """
        return self._get("axis")


class ConvolutionDescriptor(Descriptor):
    """A backend descriptor: CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR."""

    __slots__ = ()
    c_name = "CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR"

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            comp_type: DataType | str | None = None,
            conv_mode: ConvolutionMode | str | None = None,
            dilations: Sequence[int] | None = None,
            filter_strides: Sequence[int] | None = None,
            post_paddings: Sequence[int] | None = None,
            pre_paddings: Sequence[int] | None = None,
            spatial_dims: int | None = None,
        ) -> None: ...

        @classmethod
        def open(
            cls,
            *,
            comp_type: DataType | str | None = None,
            conv_mode: ConvolutionMode | str | None = None,
            dilations: Sequence[int] | None = None,
            filter_strides: Sequence[int] | None = None,
            post_paddings: Sequence[int] | None = None,
            pre_paddings: Sequence[int] | None = None,
            spatial_dims: int | None = None,
        ) -> Self: ...

        def set(
            self,
            *,
            comp_type: DataType | str | None = None,
            conv_mode: ConvolutionMode | str | None = None,
            dilations: Sequence[int] | None = None,
            filter_strides: Sequence[int] | None = None,
            post_paddings: Sequence[int] | None = None,
            pre_paddings: Sequence[int] | None = None,
            spatial_dims: int | None = None,
        ) -> Self: ...

    @property
    def comp_type(self) -> DataType:
        """A member of `DataType`.

        The default is CUDNN_DATA_FLOAT.

        C: CUDNN_ATTR_CONVOLUTION_COMP_TYPE, of CUDNN_TYPE_DATA_TYPE.
        """
        return self._get("comp_type")

    @property
    def conv_mode(self) -> ConvolutionMode:
        """A member of `ConvolutionMode`.

        The default is CUDNN_CONVOLUTION.

        C: CUDNN_ATTR_CONVOLUTION_CONV_MODE, of CUDNN_TYPE_CONVOLUTION_MODE.
        """
        return self._get("conv_mode")

    @property
    def dilations(self) -> tuple[int, ...]:
        """Ints, at most 6, in number as `filter_strides`, `post_paddings`, `pre_paddings`,
        `spatial_dims`; required.

        C: CUDNN_ATTR_CONVOLUTION_DILATIONS, of CUDNN_TYPE_INT64.
        """
        return self._get("dilations")

    @property
    def filter_strides(self) -> tuple[int, ...]:
        """Ints, at most 6, in number as `dilations`, `post_paddings`, `pre_paddings`, `spatial_dims`;
        required.

        C: CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, of CUDNN_TYPE_INT64.
        """
        return self._get("filter_strides")

    @property
    def post_paddings(self) -> tuple[int, ...]:
        """Ints, at most 6, in number as `dilations`, `filter_strides`, `pre_paddings`, `spatial_dims`.

        C: CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, of CUDNN_TYPE_INT64.
        """
        return self._get("post_paddings")

    @property
    def pre_paddings(self) -> tuple[int, ...]:
        """Ints, at most 6, in number as `dilations`, `filter_strides`, `post_paddings`,
        `spatial_dims`.

        C: CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, of CUDNN_TYPE_INT64.
        """
        return self._get("pre_paddings")

    @property
    def spatial_dims(self) -> int:
        """An int; required.

        C: CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, of CUDNN_TYPE_INT64.
        """
        return self._get("spatial_dims")


class EngineDescriptor(Descriptor):
    """A backend descriptor: CUDNN_BACKEND_ENGINE_DESCRIPTOR."""

    __slots__ = ()
    c_name = "CUDNN_BACKEND_ENGINE_DESCRIPTOR"

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            operation_graph: OperationGraphDescriptor | None = None,
            global_index: int | None = None,
            sm_count_target: int | None = None,
            deviceprop: DevicePropDescriptor | None = None,
            disable_cluster_cooperative: bool | None = None,
            shared_memory_limit: int | None = None,
        ) -> None: ...

        @classmethod
        def open(
            cls,
            *,
            operation_graph: OperationGraphDescriptor | None = None,
            global_index: int | None = None,
            sm_count_target: int | None = None,
            deviceprop: DevicePropDescriptor | None = None,
            disable_cluster_cooperative: bool | None = None,
            shared_memory_limit: int | None = None,
        ) -> Self: ...

        def set(
            self,
            *,
            operation_graph: OperationGraphDescriptor | None = None,
            global_index: int | None = None,
            sm_count_target: int | None = None,
            deviceprop: DevicePropDescriptor | None = None,
            disable_cluster_cooperative: bool | None = None,
            shared_memory_limit: int | None = None,
        ) -> Self: ...

    @property
    def operation_graph(self) -> OperationGraphDescriptor:
        """A `OperationGraphDescriptor`; required.

        C: CUDNN_ATTR_ENGINE_OPERATION_GRAPH, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("operation_graph")

    @property
    def global_index(self) -> int:
        """An int; required.

        C: CUDNN_ATTR_ENGINE_GLOBAL_INDEX, of CUDNN_TYPE_INT64.
        """
        return self._get("global_index")

    @property
    def knob_info(self) -> tuple[KnobInfoDescriptor, ...]:
        """`KnobInfoDescriptor` objects; read only.

        C: CUDNN_ATTR_ENGINE_KNOB_INFO, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("knob_info")

    @property
    def numerical_note(self) -> tuple[BackendNumericalNote, ...]:
        """Members of `BackendNumericalNote`; read only.

        C: CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, of CUDNN_TYPE_NUMERICAL_NOTE.
        """
        return self._get("numerical_note")

    @property
    def layout_info(self) -> tuple[LayoutInfoDescriptor, ...]:
        """`LayoutInfoDescriptor` objects; read only.

        C: CUDNN_ATTR_ENGINE_LAYOUT_INFO, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("layout_info")

    @property
    def behavior_note(self) -> tuple[BackendBehaviorNote, ...]:
        """Members of `BackendBehaviorNote`; read only.

        C: CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE, of CUDNN_TYPE_BEHAVIOR_NOTE.
        """
        return self._get("behavior_note")

    @property
    def sm_count_target(self) -> int:
        """An int.

        Since 8.9.5.

        C: CUDNN_ATTR_ENGINE_SM_COUNT_TARGET, of CUDNN_TYPE_INT32.
        """
        return self._get("sm_count_target")

    @property
    def deviceprop(self) -> DevicePropDescriptor | None:
        """A `DevicePropDescriptor`.

        Since 9.8.0.

        C: CUDNN_ATTR_ENGINE_DEVICEPROP, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("deviceprop")

    @property
    def disable_cluster_cooperative(self) -> bool:
        """A bool.

        The default is False. Since 9.17.0.

        C: CUDNN_ATTR_ENGINE_DISABLE_CLUSTER_COOPERATIVE, of CUDNN_TYPE_BOOLEAN.
        """
        return self._get("disable_cluster_cooperative")

    @property
    def shared_memory_limit(self) -> int:
        """An int.

        The default is 0. Since 9.27.0.

        C: CUDNN_ATTR_ENGINE_SHARED_MEMORY_LIMIT, of CUDNN_TYPE_INT32.
        """
        return self._get("shared_memory_limit")


class EngineCfgDescriptor(Descriptor):
    """A backend descriptor: CUDNN_BACKEND_ENGINECFG_DESCRIPTOR."""

    __slots__ = ()
    c_name = "CUDNN_BACKEND_ENGINECFG_DESCRIPTOR"

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            engine: EngineDescriptor | None = None,
            knob_choices: Sequence[KnobChoiceDescriptor] | None = None,
            shared_memory_used: int | None = None,
        ) -> None: ...

        @classmethod
        def open(
            cls,
            *,
            engine: EngineDescriptor | None = None,
            knob_choices: Sequence[KnobChoiceDescriptor] | None = None,
            shared_memory_used: int | None = None,
        ) -> Self: ...

        def set(
            self,
            *,
            engine: EngineDescriptor | None = None,
            knob_choices: Sequence[KnobChoiceDescriptor] | None = None,
            shared_memory_used: int | None = None,
        ) -> Self: ...

    @property
    def engine(self) -> EngineDescriptor:
        """A `EngineDescriptor`; required.

        Must be set, since cuDNN crashes without it.

        C: CUDNN_ATTR_ENGINECFG_ENGINE, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("engine")

    @property
    def intermediate_info(self) -> IntermediateInfoDescriptor:
        """A `IntermediateInfoDescriptor`; read only.

        cuDNN does not tell it: the property is what was set.

        C: CUDNN_ATTR_ENGINECFG_INTERMEDIATE_INFO, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("intermediate_info")

    @property
    def knob_choices(self) -> tuple[KnobChoiceDescriptor, ...]:
        """`KnobChoiceDescriptor` objects.

        C: CUDNN_ATTR_ENGINECFG_KNOB_CHOICES, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("knob_choices")

    @property
    def workspace_size(self) -> int:
        """An int; read only.

        Since 9.2.0.

        C: CUDNN_ATTR_ENGINECFG_WORKSPACE_SIZE, of CUDNN_TYPE_INT64.
        """
        return self._get("workspace_size")

    @property
    def shared_memory_used(self) -> int:
        """An int.

        Since 9.2.0.

        C: CUDNN_ATTR_ENGINECFG_SHARED_MEMORY_USED, of CUDNN_TYPE_INT32.
        """
        return self._get("shared_memory_used")


class EngineHeurDescriptor(Descriptor):
    """A backend descriptor: CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR."""

    __slots__ = ()
    c_name = "CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR"

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            mode: BackendHeurMode | str | None = None,
            operation_graph: OperationGraphDescriptor | None = None,
            sm_count_target: int | None = None,
            deviceprop: DevicePropDescriptor | None = None,
            shared_memory_limit: int | None = None,
        ) -> None: ...

        @classmethod
        def open(
            cls,
            *,
            mode: BackendHeurMode | str | None = None,
            operation_graph: OperationGraphDescriptor | None = None,
            sm_count_target: int | None = None,
            deviceprop: DevicePropDescriptor | None = None,
            shared_memory_limit: int | None = None,
        ) -> Self: ...

        def set(
            self,
            *,
            mode: BackendHeurMode | str | None = None,
            operation_graph: OperationGraphDescriptor | None = None,
            sm_count_target: int | None = None,
            deviceprop: DevicePropDescriptor | None = None,
            shared_memory_limit: int | None = None,
        ) -> Self: ...

    @property
    def mode(self) -> BackendHeurMode:
        """A member of `BackendHeurMode`.

        C: CUDNN_ATTR_ENGINEHEUR_MODE, of CUDNN_TYPE_HEUR_MODE.
        """
        return self._get("mode")

    @property
    def operation_graph(self) -> OperationGraphDescriptor:
        """A `OperationGraphDescriptor`; required.

        C: CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("operation_graph")

    @property
    def results(self) -> tuple[EngineCfgDescriptor, ...]:
        """`EngineCfgDescriptor` objects; read only.

        C: CUDNN_ATTR_ENGINEHEUR_RESULTS, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("results")

    @property
    def sm_count_target(self) -> int:
        """An int.

        The default is 0. Since 8.9.5.

        C: CUDNN_ATTR_ENGINEHEUR_SM_COUNT_TARGET, of CUDNN_TYPE_INT32.
        """
        return self._get("sm_count_target")

    @property
    def deviceprop(self) -> DevicePropDescriptor | None:
        """A `DevicePropDescriptor`.

        Since 9.8.0.

        C: CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("deviceprop")

    @property
    def shared_memory_limit(self) -> int:
        """An int.

        The default is 0. Since 9.27.0.

        C: CUDNN_ATTR_ENGINEHEUR_SHARED_MEMORY_LIMIT, of CUDNN_TYPE_INT32.
        """
        return self._get("shared_memory_limit")


class ExecutionPlanDescriptor(Descriptor):
    """A backend descriptor: CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR."""

    __slots__ = ()
    c_name = "CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR"

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            handle: Handle | int | None = None,
            engine_config: EngineCfgDescriptor | None = None,
            run_only_intermediate_uids: int | None = None,
            json_representation: str | None = None,
            kernel_cache: KernelCacheDescriptor | None = None,
            deviceprop: DevicePropDescriptor | None = None,
            cuda_graph_retention: CudaGraphRetention | str | None = None,
        ) -> None: ...

        @classmethod
        def open(
            cls,
            *,
            handle: Handle | int | None = None,
            engine_config: EngineCfgDescriptor | None = None,
            run_only_intermediate_uids: int | None = None,
            json_representation: str | None = None,
            kernel_cache: KernelCacheDescriptor | None = None,
            deviceprop: DevicePropDescriptor | None = None,
            cuda_graph_retention: CudaGraphRetention | str | None = None,
        ) -> Self: ...

        def set(
            self,
            *,
            handle: Handle | int | None = None,
            engine_config: EngineCfgDescriptor | None = None,
            run_only_intermediate_uids: int | None = None,
            json_representation: str | None = None,
            kernel_cache: KernelCacheDescriptor | None = None,
            deviceprop: DevicePropDescriptor | None = None,
            cuda_graph_retention: CudaGraphRetention | str | None = None,
        ) -> Self: ...

    @property
    def handle(self) -> Handle | int:
        """A `Handle` or its address.

        C: CUDNN_ATTR_EXECUTION_PLAN_HANDLE, of CUDNN_TYPE_HANDLE.
        """
        return self._get("handle")

    @property
    def engine_config(self) -> EngineCfgDescriptor:
        """A `EngineCfgDescriptor`; required.

        Must be set unless `json_representation` is, since cuDNN crashes without it.

        C: CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("engine_config")

    @property
    def workspace_size(self) -> int:
        """An int; read only.

        C: CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, of CUDNN_TYPE_INT64.
        """
        return self._get("workspace_size")

    @property
    def computed_intermediate_uids(self) -> tuple[int, ...]:
        """Ints; read only.

        cuDNN does not tell it: the property is what was set.

        C: CUDNN_ATTR_EXECUTION_PLAN_COMPUTED_INTERMEDIATE_UIDS, of CUDNN_TYPE_INT64.
        """
        return self._get("computed_intermediate_uids")

    @property
    def run_only_intermediate_uids(self) -> int:
        """An int.

        cuDNN does not tell it: the property is what was set.

        C: CUDNN_ATTR_EXECUTION_PLAN_RUN_ONLY_INTERMEDIATE_UIDS, of CUDNN_TYPE_INT64.
        """
        return self._get("run_only_intermediate_uids")

    @property
    def json_representation(self) -> str:
        """A text.

        C: CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION, of CUDNN_TYPE_CHAR.
        """
        return self._get("json_representation")

    @property
    def kernel_cache(self) -> KernelCacheDescriptor | None:
        """A `KernelCacheDescriptor`.

        Since 9.4.0.

        C: CUDNN_ATTR_EXECUTION_PLAN_KERNEL_CACHE, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("kernel_cache")

    @property
    def deviceprop(self) -> DevicePropDescriptor | None:
        """A `DevicePropDescriptor`.

        Since 9.8.0.

        C: CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("deviceprop")

    @property
    def cuda_graph_retention(self) -> CudaGraphRetention:
        """A member of `CudaGraphRetention`.

        The default is CUDNN_CUDA_GRAPH_RETENTION_PER_GRAPH. Since 9.28.0.

        C: CUDNN_ATTR_EXECUTION_PLAN_CUDA_GRAPH_RETENTION, of CUDNN_TYPE_CUDA_GRAPH_RETENTION.
        """
        return self._get("cuda_graph_retention")


class IntermediateInfoDescriptor(Descriptor):
    """A backend descriptor: CUDNN_BACKEND_INTERMEDIATE_INFO_DESCRIPTOR."""

    __slots__ = ()
    c_name = "CUDNN_BACKEND_INTERMEDIATE_INFO_DESCRIPTOR"

    if TYPE_CHECKING:

        def __init__(self) -> None: ...

        @classmethod
        def open(cls) -> Self: ...

        def set(self) -> Self: ...

    @property
    def unique_id(self) -> int:
        """An int; read only.

        C: CUDNN_ATTR_INTERMEDIATE_INFO_UNIQUE_ID, of CUDNN_TYPE_INT64.
        """
        return self._get("unique_id")

    @property
    def size(self) -> int:
        """An int; read only.

        C: CUDNN_ATTR_INTERMEDIATE_INFO_SIZE, of CUDNN_TYPE_INT64.
        """
        return self._get("size")

    @property
    def dependent_data_uids(self) -> tuple[int, ...]:
        """Ints; read only.

        C: CUDNN_ATTR_INTERMEDIATE_INFO_DEPENDENT_DATA_UIDS, of CUDNN_TYPE_INT64.
        """
        return self._get("dependent_data_uids")

    @property
    def dependent_attributes(self) -> tuple[BackendAttributeName, ...]:
        """Members of `BackendAttributeName`; read only.

        C: CUDNN_ATTR_INTERMEDIATE_INFO_DEPENDENT_ATTRIBUTES, of CUDNN_TYPE_ATTRIB_NAME.
        """
        return self._get("dependent_attributes")


class KnobChoiceDescriptor(Descriptor):
    """A backend descriptor: CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR."""

    __slots__ = ()
    c_name = "CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR"

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            knob_type: BackendKnobType | str | None = None,
            knob_value: int | None = None,
        ) -> None: ...

        @classmethod
        def open(
            cls,
            *,
            knob_type: BackendKnobType | str | None = None,
            knob_value: int | None = None,
        ) -> Self: ...

        def set(
            self,
            *,
            knob_type: BackendKnobType | str | None = None,
            knob_value: int | None = None,
        ) -> Self: ...

    @property
    def knob_type(self) -> BackendKnobType:
        """A member of `BackendKnobType`.

        C: CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, of CUDNN_TYPE_KNOB_TYPE.
        """
        return self._get("knob_type")

    @property
    def knob_value(self) -> int:
        """An int.

        C: CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE, of CUDNN_TYPE_INT64.
        """
        return self._get("knob_value")


class KnobInfoDescriptor(Descriptor):
    """A backend descriptor: CUDNN_BACKEND_KNOB_INFO_DESCRIPTOR."""

    __slots__ = ()
    c_name = "CUDNN_BACKEND_KNOB_INFO_DESCRIPTOR"

    if TYPE_CHECKING:

        def __init__(self) -> None: ...

        @classmethod
        def open(cls) -> Self: ...

        def set(self) -> Self: ...

    @property
    def type(self) -> BackendKnobType:
        """A member of `BackendKnobType`; read only.

        C: CUDNN_ATTR_KNOB_INFO_TYPE, of CUDNN_TYPE_KNOB_TYPE.
        """
        return self._get("type")

    @property
    def maximum_value(self) -> int:
        """An int; read only.

        C: CUDNN_ATTR_KNOB_INFO_MAXIMUM_VALUE, of CUDNN_TYPE_INT64.
        """
        return self._get("maximum_value")

    @property
    def minimum_value(self) -> int:
        """An int; read only.

        C: CUDNN_ATTR_KNOB_INFO_MINIMUM_VALUE, of CUDNN_TYPE_INT64.
        """
        return self._get("minimum_value")

    @property
    def stride(self) -> int:
        """An int; read only.

        C: CUDNN_ATTR_KNOB_INFO_STRIDE, of CUDNN_TYPE_INT64.
        """
        return self._get("stride")


class LayoutInfoDescriptor(Descriptor):
    """A backend descriptor: CUDNN_BACKEND_LAYOUT_INFO_DESCRIPTOR."""

    __slots__ = ()
    c_name = "CUDNN_BACKEND_LAYOUT_INFO_DESCRIPTOR"

    if TYPE_CHECKING:

        def __init__(self) -> None: ...

        @classmethod
        def open(cls) -> Self: ...

        def set(self) -> Self: ...

    @property
    def tensor_uid(self) -> int:
        """An int; read only.

        C: CUDNN_ATTR_LAYOUT_INFO_TENSOR_UID, of CUDNN_TYPE_INT64.
        """
        return self._get("tensor_uid")

    @property
    def types(self) -> tuple[BackendLayoutType, ...]:
        """Members of `BackendLayoutType`; read only.

        C: CUDNN_ATTR_LAYOUT_INFO_TYPES, of CUDNN_TYPE_LAYOUT_TYPE.
        """
        return self._get("types")


class OperationConvolutionForwardDescriptor(OperationDescriptor):
    """A backend descriptor: CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR."""

    __slots__ = ()
    c_name = "CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR"

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            alpha: float | int | None = None,
            beta: float | int | None = None,
            conv_desc: ConvolutionDescriptor | None = None,
            w: TensorDescriptor | None = None,
            x: TensorDescriptor | None = None,
            y: TensorDescriptor | None = None,
        ) -> None: ...

        @classmethod
        def open(
            cls,
            *,
            alpha: float | int | None = None,
            beta: float | int | None = None,
            conv_desc: ConvolutionDescriptor | None = None,
            w: TensorDescriptor | None = None,
            x: TensorDescriptor | None = None,
            y: TensorDescriptor | None = None,
        ) -> Self: ...

        def set(
            self,
            *,
            alpha: float | int | None = None,
            beta: float | int | None = None,
            conv_desc: ConvolutionDescriptor | None = None,
            w: TensorDescriptor | None = None,
            x: TensorDescriptor | None = None,
            y: TensorDescriptor | None = None,
        ) -> Self: ...

    @property
    def alpha(self) -> float | int:
        """A float or an int.

        The default is 1.0, which is set, since cuDNN does not use it.

        C: CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, of CUDNN_TYPE_FLOAT, CUDNN_TYPE_DOUBLE,
        CUDNN_TYPE_INT32.
        """
        return self._get("alpha")

    @property
    def beta(self) -> float | int:
        """A float or an int.

        The default is 0.0, which is set, since cuDNN does not use it.

        C: CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, of CUDNN_TYPE_FLOAT, CUDNN_TYPE_DOUBLE,
        CUDNN_TYPE_INT32.
        """
        return self._get("beta")

    @property
    def conv_desc(self) -> ConvolutionDescriptor:
        """A `ConvolutionDescriptor`; required.

        C: CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("conv_desc")

    @property
    def w(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        C: CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("w")

    @property
    def x(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        C: CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("x")

    @property
    def y(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        C: CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("y")


class OperationConvolutionBackwardFilterDescriptor(OperationDescriptor):
    """A backend descriptor: CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR."""

    __slots__ = ()
    c_name = "CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR"

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            alpha: float | None = None,
            beta: float | None = None,
            conv_desc: ConvolutionDescriptor | None = None,
            dw: TensorDescriptor | None = None,
            x: TensorDescriptor | None = None,
            dy: TensorDescriptor | None = None,
        ) -> None: ...

        @classmethod
        def open(
            cls,
            *,
            alpha: float | None = None,
            beta: float | None = None,
            conv_desc: ConvolutionDescriptor | None = None,
            dw: TensorDescriptor | None = None,
            x: TensorDescriptor | None = None,
            dy: TensorDescriptor | None = None,
        ) -> Self: ...

        def set(
            self,
            *,
            alpha: float | None = None,
            beta: float | None = None,
            conv_desc: ConvolutionDescriptor | None = None,
            dw: TensorDescriptor | None = None,
            x: TensorDescriptor | None = None,
            dy: TensorDescriptor | None = None,
        ) -> Self: ...

    @property
    def alpha(self) -> float:
        """A float.

        The default is 1.0, which is set, since cuDNN does not use it.

        C: CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA, of CUDNN_TYPE_FLOAT,
        CUDNN_TYPE_DOUBLE.
        """
        return self._get("alpha")

    @property
    def beta(self) -> float:
        """A float.

        The default is 0.0, which is set, since cuDNN does not use it.

        C: CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA, of CUDNN_TYPE_FLOAT, CUDNN_TYPE_DOUBLE.
        """
        return self._get("beta")

    @property
    def conv_desc(self) -> ConvolutionDescriptor:
        """A `ConvolutionDescriptor`; required.

        C: CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("conv_desc")

    @property
    def dw(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        C: CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("dw")

    @property
    def x(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        C: CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("x")

    @property
    def dy(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        C: CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("dy")


class OperationConvolutionBackwardDataDescriptor(OperationDescriptor):
    """A backend descriptor: CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR."""

    __slots__ = ()
    c_name = "CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR"

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            alpha: float | None = None,
            beta: float | None = None,
            conv_desc: ConvolutionDescriptor | None = None,
            w: TensorDescriptor | None = None,
            dx: TensorDescriptor | None = None,
            dy: TensorDescriptor | None = None,
        ) -> None: ...

        @classmethod
        def open(
            cls,
            *,
            alpha: float | None = None,
            beta: float | None = None,
            conv_desc: ConvolutionDescriptor | None = None,
            w: TensorDescriptor | None = None,
            dx: TensorDescriptor | None = None,
            dy: TensorDescriptor | None = None,
        ) -> Self: ...

        def set(
            self,
            *,
            alpha: float | None = None,
            beta: float | None = None,
            conv_desc: ConvolutionDescriptor | None = None,
            w: TensorDescriptor | None = None,
            dx: TensorDescriptor | None = None,
            dy: TensorDescriptor | None = None,
        ) -> Self: ...

    @property
    def alpha(self) -> float:
        """A float.

        The default is 1.0, which is set, since cuDNN does not use it.

        C: CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA, of CUDNN_TYPE_FLOAT, CUDNN_TYPE_DOUBLE.
        """
        return self._get("alpha")

    @property
    def beta(self) -> float:
        """A float.

        The default is 0.0, which is set, since cuDNN does not use it.

        C: CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA, of CUDNN_TYPE_FLOAT, CUDNN_TYPE_DOUBLE.
        """
        return self._get("beta")

    @property
    def conv_desc(self) -> ConvolutionDescriptor:
        """A `ConvolutionDescriptor`; required.

        C: CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("conv_desc")

    @property
    def w(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        C: CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("w")

    @property
    def dx(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        C: CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("dx")

    @property
    def dy(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        C: CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("dy")


class OperationPointwiseDescriptor(OperationDescriptor):
    """A backend descriptor: CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR."""

    __slots__ = ()
    c_name = "CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR"

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            pw_descriptor: PointwiseDescriptor | None = None,
            xdesc: TensorDescriptor | None = None,
            bdesc: TensorDescriptor | None = None,
            ydesc: TensorDescriptor | None = None,
            alpha1: float | None = None,
            alpha2: float | None = None,
            dxdesc: TensorDescriptor | None = None,
            dydesc: TensorDescriptor | None = None,
            tdesc: TensorDescriptor | None = None,
        ) -> None: ...

        @classmethod
        def open(
            cls,
            *,
            pw_descriptor: PointwiseDescriptor | None = None,
            xdesc: TensorDescriptor | None = None,
            bdesc: TensorDescriptor | None = None,
            ydesc: TensorDescriptor | None = None,
            alpha1: float | None = None,
            alpha2: float | None = None,
            dxdesc: TensorDescriptor | None = None,
            dydesc: TensorDescriptor | None = None,
            tdesc: TensorDescriptor | None = None,
        ) -> Self: ...

        def set(
            self,
            *,
            pw_descriptor: PointwiseDescriptor | None = None,
            xdesc: TensorDescriptor | None = None,
            bdesc: TensorDescriptor | None = None,
            ydesc: TensorDescriptor | None = None,
            alpha1: float | None = None,
            alpha2: float | None = None,
            dxdesc: TensorDescriptor | None = None,
            dydesc: TensorDescriptor | None = None,
            tdesc: TensorDescriptor | None = None,
        ) -> Self: ...

    @property
    def pw_descriptor(self) -> PointwiseDescriptor | None:
        """A `PointwiseDescriptor`.

        cuDNN does not tell it: the property is what was set.

        C: CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("pw_descriptor")

    @property
    def xdesc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Needed if one of `bdesc`, `ydesc` is set. cuDNN does not tell it: the property is what was
        set.

        C: CUDNN_ATTR_OPERATION_POINTWISE_XDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("xdesc")

    @property
    def bdesc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Needed if one of `xdesc`, `ydesc` is set. cuDNN does not tell it: the property is what was
        set.

        C: CUDNN_ATTR_OPERATION_POINTWISE_BDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("bdesc")

    @property
    def ydesc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Needed if one of `xdesc`, `bdesc` is set. cuDNN does not tell it: the property is what was
        set.

        C: CUDNN_ATTR_OPERATION_POINTWISE_YDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("ydesc")

    @property
    def alpha1(self) -> float:
        """A float.

        The default is 1.0, which is set, since cuDNN does not use it. cuDNN does not tell it: the
        property is what was set.

        C: CUDNN_ATTR_OPERATION_POINTWISE_ALPHA1, of CUDNN_TYPE_FLOAT, CUDNN_TYPE_DOUBLE.
        """
        return self._get("alpha1")

    @property
    def alpha2(self) -> float:
        """A float.

        The default is 1.0, which is set, since cuDNN does not use it. cuDNN does not tell it: the
        property is what was set.

        C: CUDNN_ATTR_OPERATION_POINTWISE_ALPHA2, of CUDNN_TYPE_FLOAT, CUDNN_TYPE_DOUBLE.
        """
        return self._get("alpha2")

    @property
    def dxdesc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        cuDNN does not tell it: the property is what was set.

        C: CUDNN_ATTR_OPERATION_POINTWISE_DXDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("dxdesc")

    @property
    def dydesc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        cuDNN does not tell it: the property is what was set.

        C: CUDNN_ATTR_OPERATION_POINTWISE_DYDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("dydesc")

    @property
    def tdesc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        cuDNN does not tell it: the property is what was set.

        C: CUDNN_ATTR_OPERATION_POINTWISE_TDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("tdesc")


class OperationGenStatsDescriptor(OperationDescriptor):
    """A backend descriptor: CUDNN_BACKEND_OPERATION_GEN_STATS_DESCRIPTOR."""

    __slots__ = ()
    c_name = "CUDNN_BACKEND_OPERATION_GEN_STATS_DESCRIPTOR"

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            mode: GenStatsMode | str | None = None,
            math_prec: DataType | str | None = None,
            xdesc: TensorDescriptor | None = None,
            sumdesc: TensorDescriptor | None = None,
            sqsumdesc: TensorDescriptor | None = None,
        ) -> None: ...

        @classmethod
        def open(
            cls,
            *,
            mode: GenStatsMode | str | None = None,
            math_prec: DataType | str | None = None,
            xdesc: TensorDescriptor | None = None,
            sumdesc: TensorDescriptor | None = None,
            sqsumdesc: TensorDescriptor | None = None,
        ) -> Self: ...

        def set(
            self,
            *,
            mode: GenStatsMode | str | None = None,
            math_prec: DataType | str | None = None,
            xdesc: TensorDescriptor | None = None,
            sumdesc: TensorDescriptor | None = None,
            sqsumdesc: TensorDescriptor | None = None,
        ) -> Self: ...

    @property
    def mode(self) -> GenStatsMode:
        """A member of `GenStatsMode`.

        Must be set in 8.5.0 to 9.22.0, where cuDNN leaves it to chance. cuDNN does not tell it: the
        property is what was set.

        C: CUDNN_ATTR_OPERATION_GENSTATS_MODE, of CUDNN_TYPE_GENSTATS_MODE.
        """
        return self._get("mode")

    @property
    def math_prec(self) -> DataType:
        """A member of `DataType`.

        The default is CUDNN_DATA_FLOAT. Must be set in 8.5.0 to 9.22.0, where cuDNN leaves it to
        chance. cuDNN does not tell it: the property is what was set.

        C: CUDNN_ATTR_OPERATION_GENSTATS_MATH_PREC, of CUDNN_TYPE_DATA_TYPE.
        """
        return self._get("math_prec")

    @property
    def xdesc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        cuDNN does not tell it: the property is what was set.

        C: CUDNN_ATTR_OPERATION_GENSTATS_XDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("xdesc")

    @property
    def sumdesc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        cuDNN does not tell it: the property is what was set.

        C: CUDNN_ATTR_OPERATION_GENSTATS_SUMDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("sumdesc")

    @property
    def sqsumdesc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        cuDNN does not tell it: the property is what was set.

        C: CUDNN_ATTR_OPERATION_GENSTATS_SQSUMDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("sqsumdesc")


class OperationGraphDescriptor(Descriptor):
    """A backend descriptor: CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR."""

    __slots__ = ()
    c_name = "CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR"

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            handle: Handle | int | None = None,
            ops: Sequence[OperationDescriptor] | None = None,
            is_dynamic_shape_enabled: bool | None = None,
            is_override_shape_enabled: bool | None = None,
            mode: BackendOperationGraphMode | str | None = None,
        ) -> None: ...

        @classmethod
        def open(
            cls,
            *,
            handle: Handle | int | None = None,
            ops: Sequence[OperationDescriptor] | None = None,
            is_dynamic_shape_enabled: bool | None = None,
            is_override_shape_enabled: bool | None = None,
            mode: BackendOperationGraphMode | str | None = None,
        ) -> Self: ...

        def set(
            self,
            *,
            handle: Handle | int | None = None,
            ops: Sequence[OperationDescriptor] | None = None,
            is_dynamic_shape_enabled: bool | None = None,
            is_override_shape_enabled: bool | None = None,
            mode: BackendOperationGraphMode | str | None = None,
        ) -> Self: ...

    @property
    def handle(self) -> Handle | int:
        """A `Handle` or its address.

        cuDNN does not tell it: the property is what was set.

        C: CUDNN_ATTR_OPERATIONGRAPH_HANDLE, of CUDNN_TYPE_HANDLE.
        """
        return self._get("handle")

    @property
    def ops(self) -> tuple[OperationDescriptor, ...]:
        """`OperationDescriptor` objects; required.

        cuDNN does not tell it: the property is what was set.

        C: CUDNN_ATTR_OPERATIONGRAPH_OPS, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("ops")

    @property
    def engine_global_count(self) -> int:
        """An int; read only.

        C: CUDNN_ATTR_OPERATIONGRAPH_ENGINE_GLOBAL_COUNT, of CUDNN_TYPE_INT64.
        """
        return self._get("engine_global_count")

    @property
    def is_dynamic_shape_enabled(self) -> bool:
        """A bool.

        The default is False. Since 9.4.0.

        C: CUDNN_ATTR_OPERATIONGRAPH_IS_DYNAMIC_SHAPE_ENABLED, of CUDNN_TYPE_BOOLEAN.
        """
        return self._get("is_dynamic_shape_enabled")

    @property
    def is_same_topology(self) -> OperationGraphDescriptor:
        """A `OperationGraphDescriptor`; read only.

        Since 9.6.0.

        C: CUDNN_ATTR_OPERATIONGRAPH_IS_SAME_TOPOLOGY, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("is_same_topology")

    @property
    def is_override_shape_enabled(self) -> bool:
        """A bool.

        The default is False. Since 9.21.0.

        C: CUDNN_ATTR_OPERATIONGRAPH_IS_OVERRIDE_SHAPE_ENABLED, of CUDNN_TYPE_BOOLEAN.
        """
        return self._get("is_override_shape_enabled")

    @property
    def mode(self) -> BackendOperationGraphMode:
        """A member of `BackendOperationGraphMode`.

        Since 9.23.0.

        C: CUDNN_ATTR_OPERATIONGRAPH_MODE, of CUDNN_TYPE_OPERATIONGRAPH_MODE.
        """
        return self._get("mode")


class VariantPackDescriptor(Descriptor):
    """A backend descriptor: CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR."""

    __slots__ = ()
    c_name = "CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR"

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            unique_ids: Sequence[int] | None = None,
            data_pointers: Sequence[DevicePointer | HostPointer] | None = None,
            workspace: DevicePointer | HostPointer | None = None,
            override_unique_ids: Sequence[int] | None = None,
            override_shapes: Sequence[Sequence[int]] | None = None,
            override_strides: Sequence[Sequence[int]] | None = None,
        ) -> None: ...

        @classmethod
        def open(
            cls,
            *,
            unique_ids: Sequence[int] | None = None,
            data_pointers: Sequence[DevicePointer | HostPointer] | None = None,
            workspace: DevicePointer | HostPointer | None = None,
            override_unique_ids: Sequence[int] | None = None,
            override_shapes: Sequence[Sequence[int]] | None = None,
            override_strides: Sequence[Sequence[int]] | None = None,
        ) -> Self: ...

        def set(
            self,
            *,
            unique_ids: Sequence[int] | None = None,
            data_pointers: Sequence[DevicePointer | HostPointer] | None = None,
            workspace: DevicePointer | HostPointer | None = None,
            override_unique_ids: Sequence[int] | None = None,
            override_shapes: Sequence[Sequence[int]] | None = None,
            override_strides: Sequence[Sequence[int]] | None = None,
        ) -> Self: ...

    @property
    def unique_ids(self) -> tuple[int, ...]:
        """Ints, in number as `data_pointers`.

        Needed if one of `data_pointers` is set. cuDNN does not tell it: the property is what was
        set.

        C: CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, of CUDNN_TYPE_INT64.
        """
        return self._get("unique_ids")

    @property
    def data_pointers(self) -> tuple[Any, ...]:
        """Addresses or arrays, in number as `unique_ids`.

        Needed if one of `unique_ids` is set. cuDNN does not tell it: the property is what was set.

        C: CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, of CUDNN_TYPE_VOID_PTR.
        """
        return self._get("data_pointers")

    @property
    def intermediates(self) -> tuple[Any, ...]:
        """Addresses or arrays; read only.

        cuDNN does not tell it: the property is what was set.

        C: CUDNN_ATTR_VARIANT_PACK_INTERMEDIATES, of CUDNN_TYPE_VOID_PTR.
        """
        return self._get("intermediates")

    @property
    def workspace(self) -> Any:
        """An address, or an array.

        C: CUDNN_ATTR_VARIANT_PACK_WORKSPACE, of CUDNN_TYPE_VOID_PTR.
        """
        return self._get("workspace")

    @property
    def override_unique_ids(self) -> tuple[int, ...]:
        """Ints.

        Since 9.18.0.

        C: CUDNN_ATTR_VARIANT_PACK_OVERRIDE_UNIQUE_IDS, of CUDNN_TYPE_INT64.
        """
        return self._get("override_unique_ids")

    @property
    def override_shapes(self) -> tuple[tuple[int, ...], ...]:
        """Sequences of ints.

        Since 9.18.0.

        C: CUDNN_ATTR_VARIANT_PACK_OVERRIDE_SHAPES, of CUDNN_TYPE_VOID_PTR.
        """
        return self._get("override_shapes")

    @property
    def override_strides(self) -> tuple[tuple[int, ...], ...]:
        """Sequences of ints.

        Since 9.18.0.

        C: CUDNN_ATTR_VARIANT_PACK_OVERRIDE_STRIDES, of CUDNN_TYPE_VOID_PTR.
        """
        return self._get("override_strides")


class TensorDescriptor(Descriptor):
    """A backend descriptor: CUDNN_BACKEND_TENSOR_DESCRIPTOR."""

    __slots__ = ()
    c_name = "CUDNN_BACKEND_TENSOR_DESCRIPTOR"

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            byte_alignment: int | None = None,
            data_type: DataType | str | None = None,
            dimensions: Sequence[int] | None = None,
            strides: Sequence[int] | None = None,
            vector_count: int | None = None,
            vectorized_dimension: int | None = None,
            unique_id: int | None = None,
            is_virtual: bool | None = None,
            is_by_value: bool | None = None,
            reordering_mode: BackendTensorReordering | str | None = None,
            ragged_offset_desc: TensorDescriptor | None = None,
            constant_value: DevicePointer | HostPointer | None = None,
            ragged_offset_multiplier: int | None = None,
        ) -> None: ...

        @classmethod
        def open(
            cls,
            *,
            byte_alignment: int | None = None,
            data_type: DataType | str | None = None,
            dimensions: Sequence[int] | None = None,
            strides: Sequence[int] | None = None,
            vector_count: int | None = None,
            vectorized_dimension: int | None = None,
            unique_id: int | None = None,
            is_virtual: bool | None = None,
            is_by_value: bool | None = None,
            reordering_mode: BackendTensorReordering | str | None = None,
            ragged_offset_desc: TensorDescriptor | None = None,
            constant_value: DevicePointer | HostPointer | None = None,
            ragged_offset_multiplier: int | None = None,
        ) -> Self: ...

        def set(
            self,
            *,
            byte_alignment: int | None = None,
            data_type: DataType | str | None = None,
            dimensions: Sequence[int] | None = None,
            strides: Sequence[int] | None = None,
            vector_count: int | None = None,
            vectorized_dimension: int | None = None,
            unique_id: int | None = None,
            is_virtual: bool | None = None,
            is_by_value: bool | None = None,
            reordering_mode: BackendTensorReordering | str | None = None,
            ragged_offset_desc: TensorDescriptor | None = None,
            constant_value: DevicePointer | HostPointer | None = None,
            ragged_offset_multiplier: int | None = None,
        ) -> Self: ...

    @property
    def byte_alignment(self) -> int:
        """An int.

        Needed unless one of `data_type` is set, or set otherwise. The default is 1. cuDNN does not
        tell it: the property is what was set.

        C: CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, of CUDNN_TYPE_INT64.
        """
        return self._get("byte_alignment")

    @property
    def data_type(self) -> DataType:
        """A member of `DataType`.

        Needed unless one of `byte_alignment` is set, or set otherwise. The default is
        CUDNN_DATA_FLOAT.

        C: CUDNN_ATTR_TENSOR_DATA_TYPE, of CUDNN_TYPE_DATA_TYPE.
        """
        return self._get("data_type")

    @property
    def dimensions(self) -> tuple[int, ...]:
        """Ints, at most 8, in number as `strides`; required.

        C: CUDNN_ATTR_TENSOR_DIMENSIONS, of CUDNN_TYPE_INT64.
        """
        return self._get("dimensions")

    @property
    def strides(self) -> tuple[int, ...]:
        """Ints, at most 8, in number as `dimensions`; required.

        C: CUDNN_ATTR_TENSOR_STRIDES, of CUDNN_TYPE_INT64.
        """
        return self._get("strides")

    @property
    def vector_count(self) -> int:
        """An int.

        The default is 1.

        C: CUDNN_ATTR_TENSOR_VECTOR_COUNT, of CUDNN_TYPE_INT64.
        """
        return self._get("vector_count")

    @property
    def vectorized_dimension(self) -> int:
        """An int.

        The default is -1.

        C: CUDNN_ATTR_TENSOR_VECTORIZED_DIMENSION, of CUDNN_TYPE_INT64.
        """
        return self._get("vectorized_dimension")

    @property
    def unique_id(self) -> int:
        """An int.

        The default is -1.

        C: CUDNN_ATTR_TENSOR_UNIQUE_ID, of CUDNN_TYPE_INT64.
        """
        return self._get("unique_id")

    @property
    def is_virtual(self) -> bool:
        """A bool.

        The default is False.

        C: CUDNN_ATTR_TENSOR_IS_VIRTUAL, of CUDNN_TYPE_BOOLEAN.
        """
        return self._get("is_virtual")

    @property
    def is_by_value(self) -> bool:
        """A bool.

        The default is False.

        C: CUDNN_ATTR_TENSOR_IS_BY_VALUE, of CUDNN_TYPE_BOOLEAN.
        """
        return self._get("is_by_value")

    @property
    def reordering_mode(self) -> BackendTensorReordering:
        """A member of `BackendTensorReordering`.

        C: CUDNN_ATTR_TENSOR_REORDERING_MODE, of CUDNN_TYPE_TENSOR_REORDERING_MODE.
        """
        return self._get("reordering_mode")

    @property
    def ragged_offset_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Since 8.9.0.

        C: CUDNN_ATTR_TENSOR_RAGGED_OFFSET_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("ragged_offset_desc")

    @property
    def constant_value(self) -> Any:
        """An address, or an array.

        Since 9.22.0.

        C: CUDNN_ATTR_TENSOR_CONSTANT_VALUE, of CUDNN_TYPE_VOID_PTR.
        """
        return self._get("constant_value")

    @property
    def ragged_offset_multiplier(self) -> int:
        """An int.

        The default is 1. Since 9.24.0.

        C: CUDNN_ATTR_TENSOR_RAGGED_OFFSET_MULTIPLIER, of CUDNN_TYPE_INT64.
        """
        return self._get("ragged_offset_multiplier")


class MatmulDescriptor(Descriptor):
    """A backend descriptor: CUDNN_BACKEND_MATMUL_DESCRIPTOR."""

    __slots__ = ()
    c_name = "CUDNN_BACKEND_MATMUL_DESCRIPTOR"

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            comp_type: DataType | str | None = None,
            padding_value: int | float | None = None,
        ) -> None: ...

        @classmethod
        def open(
            cls,
            *,
            comp_type: DataType | str | None = None,
            padding_value: int | float | None = None,
        ) -> Self: ...

        def set(
            self,
            *,
            comp_type: DataType | str | None = None,
            padding_value: int | float | None = None,
        ) -> Self: ...

    @property
    def comp_type(self) -> DataType:
        """A member of `DataType`.

        The default is CUDNN_DATA_FLOAT. Must be set in 8.5.0 to 9.22.0, where cuDNN leaves it to
        chance.

        C: CUDNN_ATTR_MATMUL_COMP_TYPE, of CUDNN_TYPE_DATA_TYPE.
        """
        return self._get("comp_type")

    @property
    def padding_value(self) -> int | float:
        """An int or a float.

        The default is 0. Since 8.9.0.

        C: CUDNN_ATTR_MATMUL_PADDING_VALUE, of CUDNN_TYPE_INT64, CUDNN_TYPE_FLOAT,
        CUDNN_TYPE_DOUBLE, CUDNN_TYPE_INT32.
        """
        return self._get("padding_value")


class OperationMatmulDescriptor(OperationDescriptor):
    """A backend descriptor: CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR."""

    __slots__ = ()
    c_name = "CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR"

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            adesc: TensorDescriptor | None = None,
            bdesc: TensorDescriptor | None = None,
            cdesc: TensorDescriptor | None = None,
            desc: MatmulDescriptor | None = None,
            irregularly_strided_batch_count: int | None = None,
            gemm_m_override_desc: TensorDescriptor | None = None,
            gemm_n_override_desc: TensorDescriptor | None = None,
            gemm_k_override_desc: TensorDescriptor | None = None,
        ) -> None: ...

        @classmethod
        def open(
            cls,
            *,
            adesc: TensorDescriptor | None = None,
            bdesc: TensorDescriptor | None = None,
            cdesc: TensorDescriptor | None = None,
            desc: MatmulDescriptor | None = None,
            irregularly_strided_batch_count: int | None = None,
            gemm_m_override_desc: TensorDescriptor | None = None,
            gemm_n_override_desc: TensorDescriptor | None = None,
            gemm_k_override_desc: TensorDescriptor | None = None,
        ) -> Self: ...

        def set(
            self,
            *,
            adesc: TensorDescriptor | None = None,
            bdesc: TensorDescriptor | None = None,
            cdesc: TensorDescriptor | None = None,
            desc: MatmulDescriptor | None = None,
            irregularly_strided_batch_count: int | None = None,
            gemm_m_override_desc: TensorDescriptor | None = None,
            gemm_n_override_desc: TensorDescriptor | None = None,
            gemm_k_override_desc: TensorDescriptor | None = None,
        ) -> Self: ...

    @property
    def adesc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        C: CUDNN_ATTR_OPERATION_MATMUL_ADESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("adesc")

    @property
    def bdesc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        C: CUDNN_ATTR_OPERATION_MATMUL_BDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("bdesc")

    @property
    def cdesc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        C: CUDNN_ATTR_OPERATION_MATMUL_CDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("cdesc")

    @property
    def desc(self) -> MatmulDescriptor | None:
        """A `MatmulDescriptor`.

        C: CUDNN_ATTR_OPERATION_MATMUL_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("desc")

    @property
    def irregularly_strided_batch_count(self) -> int:
        """An int.

        The default is 1.

        C: CUDNN_ATTR_OPERATION_MATMUL_IRREGULARLY_STRIDED_BATCH_COUNT, of CUDNN_TYPE_INT64.
        """
        return self._get("irregularly_strided_batch_count")

    @property
    def gemm_m_override_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Since 8.7.0.

        C: CUDNN_ATTR_OPERATION_MATMUL_GEMM_M_OVERRIDE_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("gemm_m_override_desc")

    @property
    def gemm_n_override_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Since 8.7.0.

        C: CUDNN_ATTR_OPERATION_MATMUL_GEMM_N_OVERRIDE_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("gemm_n_override_desc")

    @property
    def gemm_k_override_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Since 8.7.0.

        C: CUDNN_ATTR_OPERATION_MATMUL_GEMM_K_OVERRIDE_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("gemm_k_override_desc")


class OperationBNFinalizeStatisticsDescriptor(OperationDescriptor):
    """A backend descriptor: CUDNN_BACKEND_OPERATION_BN_FINALIZE_STATISTICS_DESCRIPTOR."""

    __slots__ = ()
    c_name = "CUDNN_BACKEND_OPERATION_BN_FINALIZE_STATISTICS_DESCRIPTOR"

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            stats_mode: BnFinalizeStatsMode | str | None = None,
            math_prec: DataType | str | None = None,
            y_sum_desc: TensorDescriptor | None = None,
            y_sq_sum_desc: TensorDescriptor | None = None,
            scale_desc: TensorDescriptor | None = None,
            bias_desc: TensorDescriptor | None = None,
            prev_running_mean_desc: TensorDescriptor | None = None,
            prev_running_var_desc: TensorDescriptor | None = None,
            updated_running_mean_desc: TensorDescriptor | None = None,
            updated_running_var_desc: TensorDescriptor | None = None,
            saved_mean_desc: TensorDescriptor | None = None,
            saved_inv_std_desc: TensorDescriptor | None = None,
            eq_scale_desc: TensorDescriptor | None = None,
            eq_bias_desc: TensorDescriptor | None = None,
            accum_count_desc: TensorDescriptor | None = None,
            epsilon_desc: TensorDescriptor | None = None,
            exp_averate_factor_desc: TensorDescriptor | None = None,
        ) -> None: ...

        @classmethod
        def open(
            cls,
            *,
            stats_mode: BnFinalizeStatsMode | str | None = None,
            math_prec: DataType | str | None = None,
            y_sum_desc: TensorDescriptor | None = None,
            y_sq_sum_desc: TensorDescriptor | None = None,
            scale_desc: TensorDescriptor | None = None,
            bias_desc: TensorDescriptor | None = None,
            prev_running_mean_desc: TensorDescriptor | None = None,
            prev_running_var_desc: TensorDescriptor | None = None,
            updated_running_mean_desc: TensorDescriptor | None = None,
            updated_running_var_desc: TensorDescriptor | None = None,
            saved_mean_desc: TensorDescriptor | None = None,
            saved_inv_std_desc: TensorDescriptor | None = None,
            eq_scale_desc: TensorDescriptor | None = None,
            eq_bias_desc: TensorDescriptor | None = None,
            accum_count_desc: TensorDescriptor | None = None,
            epsilon_desc: TensorDescriptor | None = None,
            exp_averate_factor_desc: TensorDescriptor | None = None,
        ) -> Self: ...

        def set(
            self,
            *,
            stats_mode: BnFinalizeStatsMode | str | None = None,
            math_prec: DataType | str | None = None,
            y_sum_desc: TensorDescriptor | None = None,
            y_sq_sum_desc: TensorDescriptor | None = None,
            scale_desc: TensorDescriptor | None = None,
            bias_desc: TensorDescriptor | None = None,
            prev_running_mean_desc: TensorDescriptor | None = None,
            prev_running_var_desc: TensorDescriptor | None = None,
            updated_running_mean_desc: TensorDescriptor | None = None,
            updated_running_var_desc: TensorDescriptor | None = None,
            saved_mean_desc: TensorDescriptor | None = None,
            saved_inv_std_desc: TensorDescriptor | None = None,
            eq_scale_desc: TensorDescriptor | None = None,
            eq_bias_desc: TensorDescriptor | None = None,
            accum_count_desc: TensorDescriptor | None = None,
            epsilon_desc: TensorDescriptor | None = None,
            exp_averate_factor_desc: TensorDescriptor | None = None,
        ) -> Self: ...

    @property
    def stats_mode(self) -> BnFinalizeStatsMode:
        """A member of `BnFinalizeStatsMode`.

        Needed unless one of `y_sum_desc`, `y_sq_sum_desc`, `scale_desc`, `bias_desc`,
        `accum_count_desc`, `exp_averate_factor_desc` is set, or set otherwise. cuDNN does not tell
        it: the property is what was set.

        C: CUDNN_ATTR_OPERATION_BN_FINALIZE_STATS_MODE, of CUDNN_TYPE_BN_FINALIZE_STATS_MODE.
        """
        return self._get("stats_mode")

    @property
    def math_prec(self) -> DataType:
        """A member of `DataType`.

        Needed unless one of `scale_desc`, `bias_desc`, `prev_running_mean_desc` is set, or set
        otherwise. cuDNN does not tell it: the property is what was set.

        C: CUDNN_ATTR_OPERATION_BN_FINALIZE_MATH_PREC, of CUDNN_TYPE_DATA_TYPE.
        """
        return self._get("math_prec")

    @property
    def y_sum_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Needed unless one of `stats_mode`, `bias_desc`, `prev_running_mean_desc`,
        `prev_running_var_desc`, `eq_scale_desc`, `eq_bias_desc` is set, or set otherwise. cuDNN
        does not tell it: the property is what was set.

        C: CUDNN_ATTR_OPERATION_BN_FINALIZE_Y_SUM_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("y_sum_desc")

    @property
    def y_sq_sum_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Needed unless one of `stats_mode`, `bias_desc`, `prev_running_mean_desc`,
        `prev_running_var_desc`, `eq_scale_desc`, `eq_bias_desc` is set, or set otherwise. cuDNN
        does not tell it: the property is what was set.

        C: CUDNN_ATTR_OPERATION_BN_FINALIZE_Y_SQ_SUM_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("y_sq_sum_desc")

    @property
    def scale_desc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        cuDNN does not tell it: the property is what was set.

        C: CUDNN_ATTR_OPERATION_BN_FINALIZE_SCALE_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("scale_desc")

    @property
    def bias_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Needed unless one of `stats_mode`, `math_prec`, `y_sum_desc`, `y_sq_sum_desc`,
        `prev_running_mean_desc`, `prev_running_var_desc`, `updated_running_mean_desc`,
        `updated_running_var_desc`, `saved_mean_desc`, `saved_inv_std_desc`, `eq_scale_desc`,
        `accum_count_desc`, `exp_averate_factor_desc` is set, or set otherwise. Needed if one of
        `prev_running_mean_desc` is set. cuDNN does not tell it: the property is what was set.

        C: CUDNN_ATTR_OPERATION_BN_FINALIZE_BIAS_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("bias_desc")

    @property
    def prev_running_mean_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Needed unless one of `stats_mode`, `math_prec`, `y_sum_desc`, `y_sq_sum_desc`, `scale_desc`,
        `bias_desc`, `updated_running_mean_desc`, `updated_running_var_desc`, `saved_mean_desc`,
        `saved_inv_std_desc`, `eq_scale_desc`, `accum_count_desc`, `exp_averate_factor_desc` is set,
        or set otherwise. Needed if one of `bias_desc` is set. cuDNN does not tell it: the property
        is what was set.

        C: CUDNN_ATTR_OPERATION_BN_FINALIZE_PREV_RUNNING_MEAN_DESC, of
        CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("prev_running_mean_desc")

    @property
    def prev_running_var_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Needed unless one of `y_sum_desc`, `y_sq_sum_desc`, `scale_desc`, `bias_desc`,
        `accum_count_desc`, `exp_averate_factor_desc` is set, or set otherwise. cuDNN does not tell
        it: the property is what was set.

        C: CUDNN_ATTR_OPERATION_BN_FINALIZE_PREV_RUNNING_VAR_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("prev_running_var_desc")

    @property
    def updated_running_mean_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Needed unless one of `scale_desc`, `bias_desc`, `prev_running_mean_desc` is set, or set
        otherwise. cuDNN does not tell it: the property is what was set.

        C: CUDNN_ATTR_OPERATION_BN_FINALIZE_UPDATED_RUNNING_MEAN_DESC, of
        CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("updated_running_mean_desc")

    @property
    def updated_running_var_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Needed unless one of `scale_desc`, `bias_desc`, `prev_running_mean_desc` is set, or set
        otherwise. cuDNN does not tell it: the property is what was set.

        C: CUDNN_ATTR_OPERATION_BN_FINALIZE_UPDATED_RUNNING_VAR_DESC, of
        CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("updated_running_var_desc")

    @property
    def saved_mean_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Needed unless one of `scale_desc`, `bias_desc`, `prev_running_mean_desc` is set, or set
        otherwise. cuDNN does not tell it: the property is what was set.

        C: CUDNN_ATTR_OPERATION_BN_FINALIZE_SAVED_MEAN_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("saved_mean_desc")

    @property
    def saved_inv_std_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Needed unless one of `scale_desc`, `bias_desc`, `prev_running_mean_desc` is set, or set
        otherwise. cuDNN does not tell it: the property is what was set.

        C: CUDNN_ATTR_OPERATION_BN_FINALIZE_SAVED_INV_STD_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("saved_inv_std_desc")

    @property
    def eq_scale_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Needed unless one of `y_sum_desc`, `y_sq_sum_desc`, `bias_desc`, `prev_running_mean_desc`,
        `eq_bias_desc`, `accum_count_desc`, `exp_averate_factor_desc` is set, or set otherwise.
        cuDNN does not tell it: the property is what was set.

        C: CUDNN_ATTR_OPERATION_BN_FINALIZE_EQ_SCALE_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("eq_scale_desc")

    @property
    def eq_bias_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Needed unless one of `y_sum_desc`, `y_sq_sum_desc`, `eq_scale_desc`, `accum_count_desc`,
        `exp_averate_factor_desc` is set, or set otherwise. cuDNN does not tell it: the property is
        what was set.

        C: CUDNN_ATTR_OPERATION_BN_FINALIZE_EQ_BIAS_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("eq_bias_desc")

    @property
    def accum_count_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Needed unless one of `stats_mode`, `bias_desc`, `prev_running_mean_desc`,
        `prev_running_var_desc`, `eq_scale_desc`, `eq_bias_desc` is set, or set otherwise. cuDNN
        does not tell it: the property is what was set.

        C: CUDNN_ATTR_OPERATION_BN_FINALIZE_ACCUM_COUNT_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("accum_count_desc")

    @property
    def epsilon_desc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        cuDNN does not tell it: the property is what was set.

        C: CUDNN_ATTR_OPERATION_BN_FINALIZE_EPSILON_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("epsilon_desc")

    @property
    def exp_averate_factor_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Needed unless one of `stats_mode`, `bias_desc`, `prev_running_mean_desc`,
        `prev_running_var_desc`, `eq_scale_desc`, `eq_bias_desc` is set, or set otherwise. cuDNN
        does not tell it: the property is what was set.

        C: CUDNN_ATTR_OPERATION_BN_FINALIZE_EXP_AVERATE_FACTOR_DESC, of
        CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("exp_averate_factor_desc")


class ReductionDescriptor(Descriptor):
    """A backend descriptor: CUDNN_BACKEND_REDUCTION_DESCRIPTOR."""

    __slots__ = ()
    c_name = "CUDNN_BACKEND_REDUCTION_DESCRIPTOR"

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            operator: ReduceTensorOp | str | None = None,
            comp_type: DataType | str | None = None,
            is_deterministic: bool | None = None,
        ) -> None: ...

        @classmethod
        def open(
            cls,
            *,
            operator: ReduceTensorOp | str | None = None,
            comp_type: DataType | str | None = None,
            is_deterministic: bool | None = None,
        ) -> Self: ...

        def set(
            self,
            *,
            operator: ReduceTensorOp | str | None = None,
            comp_type: DataType | str | None = None,
            is_deterministic: bool | None = None,
        ) -> Self: ...

    @property
    def operator(self) -> ReduceTensorOp:
        """A member of `ReduceTensorOp`.

        The default is CUDNN_REDUCE_TENSOR_ADD. Must be set in 8.5.0 to 9.22.0, where cuDNN leaves
        it to chance.

        C: CUDNN_ATTR_REDUCTION_OPERATOR, of CUDNN_TYPE_REDUCTION_OPERATOR_TYPE.
        """
        return self._get("operator")

    @property
    def comp_type(self) -> DataType:
        """A member of `DataType`.

        The default is CUDNN_DATA_FLOAT. Must be set in 8.5.0 to 9.22.0, where cuDNN leaves it to
        chance.

        C: CUDNN_ATTR_REDUCTION_COMP_TYPE, of CUDNN_TYPE_DATA_TYPE.
        """
        return self._get("comp_type")

    @property
    def is_deterministic(self) -> bool:
        """A bool.

        The default is False. Since 9.11.0.

        C: CUDNN_ATTR_REDUCTION_IS_DETERMINISTIC, of CUDNN_TYPE_BOOLEAN.
        """
        return self._get("is_deterministic")


class OperationReductionDescriptor(OperationDescriptor):
    """A backend descriptor: CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR."""

    __slots__ = ()
    c_name = "CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR"

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            xdesc: TensorDescriptor | None = None,
            ydesc: TensorDescriptor | None = None,
            desc: ReductionDescriptor | None = None,
            group_offset_desc: TensorDescriptor | None = None,
        ) -> None: ...

        @classmethod
        def open(
            cls,
            *,
            xdesc: TensorDescriptor | None = None,
            ydesc: TensorDescriptor | None = None,
            desc: ReductionDescriptor | None = None,
            group_offset_desc: TensorDescriptor | None = None,
        ) -> Self: ...

        def set(
            self,
            *,
            xdesc: TensorDescriptor | None = None,
            ydesc: TensorDescriptor | None = None,
            desc: ReductionDescriptor | None = None,
            group_offset_desc: TensorDescriptor | None = None,
        ) -> Self: ...

    @property
    def xdesc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        C: CUDNN_ATTR_OPERATION_REDUCTION_XDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("xdesc")

    @property
    def ydesc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        C: CUDNN_ATTR_OPERATION_REDUCTION_YDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("ydesc")

    @property
    def desc(self) -> ReductionDescriptor | None:
        """A `ReductionDescriptor`.

        C: CUDNN_ATTR_OPERATION_REDUCTION_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("desc")

    @property
    def group_offset_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Since 9.24.0.

        C: CUDNN_ATTR_OPERATION_REDUCTION_GROUP_OFFSET_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("group_offset_desc")

    @property
    def dims(self) -> tuple[int, ...]:
        """Ints; read only.

        cuDNN does not tell it: the property is what was set. Since 9.27.0.

        C: CUDNN_ATTR_OPERATION_REDUCTION_DIMS, of CUDNN_TYPE_INT64.
        """
        return self._get("dims")

    @property
    def init_values(self) -> tuple[Any, ...]:
        """Addresses or arrays; read only.

        cuDNN does not tell it: the property is what was set. Since 9.27.0.

        C: CUDNN_ATTR_OPERATION_REDUCTION_INIT_VALUES, of CUDNN_TYPE_VOID_PTR.
        """
        return self._get("init_values")

    @property
    def subgraph(self) -> OperationGraphDescriptor:
        """A `OperationGraphDescriptor`; read only.

        cuDNN does not tell it: the property is what was set. Since 9.27.0.

        C: CUDNN_ATTR_OPERATION_REDUCTION_SUBGRAPH, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("subgraph")

    @property
    def subgraph_accumulator_uids(self) -> tuple[int, ...]:
        """Ints; read only.

        cuDNN does not tell it: the property is what was set. Since 9.27.0.

        C: CUDNN_ATTR_OPERATION_REDUCTION_SUBGRAPH_ACCUMULATOR_UIDS, of CUDNN_TYPE_INT64.
        """
        return self._get("subgraph_accumulator_uids")

    @property
    def subgraph_current_uids(self) -> tuple[int, ...]:
        """Ints; read only.

        cuDNN does not tell it: the property is what was set. Since 9.27.0.

        C: CUDNN_ATTR_OPERATION_REDUCTION_SUBGRAPH_CURRENT_UIDS, of CUDNN_TYPE_INT64.
        """
        return self._get("subgraph_current_uids")

    @property
    def subgraph_output_uids(self) -> tuple[int, ...]:
        """Ints; read only.

        cuDNN does not tell it: the property is what was set. Since 9.27.0.

        C: CUDNN_ATTR_OPERATION_REDUCTION_SUBGRAPH_OUTPUT_UIDS, of CUDNN_TYPE_INT64.
        """
        return self._get("subgraph_output_uids")

    @property
    def subgraph_compute_types(self) -> tuple[DataType, ...]:
        """Members of `DataType`; read only.

        cuDNN does not tell it: the property is what was set. Since 9.27.0.

        C: CUDNN_ATTR_OPERATION_REDUCTION_SUBGRAPH_COMPUTE_TYPES, of CUDNN_TYPE_DATA_TYPE.
        """
        return self._get("subgraph_compute_types")


class OperationBNBwdWeightsDescriptor(OperationDescriptor):
    """A backend descriptor: CUDNN_BACKEND_OPERATION_BN_BWD_WEIGHTS_DESCRIPTOR."""

    __slots__ = ()
    c_name = "CUDNN_BACKEND_OPERATION_BN_BWD_WEIGHTS_DESCRIPTOR"

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            math_prec: DataType | str | None = None,
            mean_desc: TensorDescriptor | None = None,
            invstd_desc: TensorDescriptor | None = None,
            bn_scale_desc: TensorDescriptor | None = None,
            x_desc: TensorDescriptor | None = None,
            dy_desc: TensorDescriptor | None = None,
            dbn_scale_desc: TensorDescriptor | None = None,
            dbn_bias_desc: TensorDescriptor | None = None,
            eq_dy_scale_desc: TensorDescriptor | None = None,
            eq_x_scale_desc: TensorDescriptor | None = None,
            eq_bias: TensorDescriptor | None = None,
        ) -> None: ...

        @classmethod
        def open(
            cls,
            *,
            math_prec: DataType | str | None = None,
            mean_desc: TensorDescriptor | None = None,
            invstd_desc: TensorDescriptor | None = None,
            bn_scale_desc: TensorDescriptor | None = None,
            x_desc: TensorDescriptor | None = None,
            dy_desc: TensorDescriptor | None = None,
            dbn_scale_desc: TensorDescriptor | None = None,
            dbn_bias_desc: TensorDescriptor | None = None,
            eq_dy_scale_desc: TensorDescriptor | None = None,
            eq_x_scale_desc: TensorDescriptor | None = None,
            eq_bias: TensorDescriptor | None = None,
        ) -> Self: ...

        def set(
            self,
            *,
            math_prec: DataType | str | None = None,
            mean_desc: TensorDescriptor | None = None,
            invstd_desc: TensorDescriptor | None = None,
            bn_scale_desc: TensorDescriptor | None = None,
            x_desc: TensorDescriptor | None = None,
            dy_desc: TensorDescriptor | None = None,
            dbn_scale_desc: TensorDescriptor | None = None,
            dbn_bias_desc: TensorDescriptor | None = None,
            eq_dy_scale_desc: TensorDescriptor | None = None,
            eq_x_scale_desc: TensorDescriptor | None = None,
            eq_bias: TensorDescriptor | None = None,
        ) -> Self: ...

    @property
    def math_prec(self) -> DataType:
        """A member of `DataType`.

        The default is CUDNN_DATA_FLOAT. Must be set in 8.5.0 to 9.22.0, where cuDNN leaves it to
        chance. cuDNN does not tell it: the property is what was set.

        C: CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_MATH_PREC, of CUDNN_TYPE_DATA_TYPE.
        """
        return self._get("math_prec")

    @property
    def mean_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        cuDNN does not tell it: the property is what was set.

        C: CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_MEAN_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("mean_desc")

    @property
    def invstd_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        cuDNN does not tell it: the property is what was set.

        C: CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_INVSTD_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("invstd_desc")

    @property
    def bn_scale_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        cuDNN does not tell it: the property is what was set.

        C: CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_BN_SCALE_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("bn_scale_desc")

    @property
    def x_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        cuDNN does not tell it: the property is what was set.

        C: CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_X_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("x_desc")

    @property
    def dy_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        cuDNN does not tell it: the property is what was set.

        C: CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_DY_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("dy_desc")

    @property
    def dbn_scale_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        cuDNN does not tell it: the property is what was set.

        C: CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_DBN_SCALE_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("dbn_scale_desc")

    @property
    def dbn_bias_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        cuDNN does not tell it: the property is what was set.

        C: CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_DBN_BIAS_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("dbn_bias_desc")

    @property
    def eq_dy_scale_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        cuDNN does not tell it: the property is what was set.

        C: CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_EQ_DY_SCALE_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("eq_dy_scale_desc")

    @property
    def eq_x_scale_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        cuDNN does not tell it: the property is what was set.

        C: CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_EQ_X_SCALE_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("eq_x_scale_desc")

    @property
    def eq_bias(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        cuDNN does not tell it: the property is what was set.

        C: CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_EQ_BIAS, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("eq_bias")


class ResampleDescriptor(Descriptor):
    """A backend descriptor: CUDNN_BACKEND_RESAMPLE_DESCRIPTOR."""

    __slots__ = ()
    c_name = "CUDNN_BACKEND_RESAMPLE_DESCRIPTOR"

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            mode: ResampleMode | str | None = None,
            comp_type: DataType | str | None = None,
            spatial_dims: int | None = None,
            post_paddings: Sequence[int | Fraction | tuple[int, int]] | None = None,
            pre_paddings: Sequence[int | Fraction | tuple[int, int]] | None = None,
            strides: Sequence[int | Fraction | tuple[int, int]] | None = None,
            window_dims: Sequence[int | Fraction | tuple[int, int]] | None = None,
            nan_propagation: NanPropagation | str | None = None,
            padding_mode: PaddingMode | str | None = None,
        ) -> None: ...

        @classmethod
        def open(
            cls,
            *,
            mode: ResampleMode | str | None = None,
            comp_type: DataType | str | None = None,
            spatial_dims: int | None = None,
            post_paddings: Sequence[int | Fraction | tuple[int, int]] | None = None,
            pre_paddings: Sequence[int | Fraction | tuple[int, int]] | None = None,
            strides: Sequence[int | Fraction | tuple[int, int]] | None = None,
            window_dims: Sequence[int | Fraction | tuple[int, int]] | None = None,
            nan_propagation: NanPropagation | str | None = None,
            padding_mode: PaddingMode | str | None = None,
        ) -> Self: ...

        def set(
            self,
            *,
            mode: ResampleMode | str | None = None,
            comp_type: DataType | str | None = None,
            spatial_dims: int | None = None,
            post_paddings: Sequence[int | Fraction | tuple[int, int]] | None = None,
            pre_paddings: Sequence[int | Fraction | tuple[int, int]] | None = None,
            strides: Sequence[int | Fraction | tuple[int, int]] | None = None,
            window_dims: Sequence[int | Fraction | tuple[int, int]] | None = None,
            nan_propagation: NanPropagation | str | None = None,
            padding_mode: PaddingMode | str | None = None,
        ) -> Self: ...

    @property
    def mode(self) -> ResampleMode:
        """A member of `ResampleMode`.

        Needed unless one of `spatial_dims` is set, or set otherwise. Needed if one of
        `spatial_dims` is set. The default is CUDNN_RESAMPLE_NEAREST.

        C: CUDNN_ATTR_RESAMPLE_MODE, of CUDNN_TYPE_RESAMPLE_MODE.
        """
        return self._get("mode")

    @property
    def comp_type(self) -> DataType:
        """A member of `DataType`.

        Needed unless one of `spatial_dims` is set, or set otherwise. The default is
        CUDNN_DATA_FLOAT.

        C: CUDNN_ATTR_RESAMPLE_COMP_TYPE, of CUDNN_TYPE_DATA_TYPE.
        """
        return self._get("comp_type")

    @property
    def spatial_dims(self) -> int:
        """An int.

        Needed unless one of `mode`, `comp_type`, `nan_propagation`, `padding_mode` is set, or set
        otherwise. Needed if one of `mode` is set. The default is -1.

        C: CUDNN_ATTR_RESAMPLE_SPATIAL_DIMS, of CUDNN_TYPE_INT64.
        """
        return self._get("spatial_dims")

    @property
    def post_paddings(self) -> tuple[int | tuple[int, int], ...]:
        """Ints or fractions, at most 6, in number as `spatial_dims`, `pre_paddings`, `strides`,
        `window_dims`.

        C: CUDNN_ATTR_RESAMPLE_POST_PADDINGS, of CUDNN_TYPE_INT64, CUDNN_TYPE_FRACTION.
        """
        return self._get("post_paddings")

    @property
    def pre_paddings(self) -> tuple[int | tuple[int, int], ...]:
        """Ints or fractions, at most 6, in number as `spatial_dims`, `post_paddings`, `strides`,
        `window_dims`.

        C: CUDNN_ATTR_RESAMPLE_PRE_PADDINGS, of CUDNN_TYPE_INT64, CUDNN_TYPE_FRACTION.
        """
        return self._get("pre_paddings")

    @property
    def strides(self) -> tuple[int | tuple[int, int], ...]:
        """Ints or fractions, at most 6, in number as `spatial_dims`, `post_paddings`, `pre_paddings`,
        `window_dims`.

        C: CUDNN_ATTR_RESAMPLE_STRIDES, of CUDNN_TYPE_INT64, CUDNN_TYPE_FRACTION.
        """
        return self._get("strides")

    @property
    def window_dims(self) -> tuple[int | tuple[int, int], ...]:
        """Ints or fractions, at most 6, in number as `spatial_dims`, `post_paddings`, `pre_paddings`,
        `strides`.

        C: CUDNN_ATTR_RESAMPLE_WINDOW_DIMS, of CUDNN_TYPE_INT64, CUDNN_TYPE_FRACTION.
        """
        return self._get("window_dims")

    @property
    def nan_propagation(self) -> NanPropagation:
        """A member of `NanPropagation`.

        Needed unless one of `spatial_dims` is set, or set otherwise. The default is
        CUDNN_NOT_PROPAGATE_NAN.

        C: CUDNN_ATTR_RESAMPLE_NAN_PROPAGATION, of CUDNN_TYPE_NAN_PROPOGATION.
        """
        return self._get("nan_propagation")

    @property
    def padding_mode(self) -> PaddingMode:
        """A member of `PaddingMode`.

        Needed unless one of `spatial_dims` is set, or set otherwise. The default is CUDNN_ZERO_PAD.

        C: CUDNN_ATTR_RESAMPLE_PADDING_MODE, of CUDNN_TYPE_PADDING_MODE.
        """
        return self._get("padding_mode")


class OperationResampleFwdDescriptor(OperationDescriptor):
    """A backend descriptor: CUDNN_BACKEND_OPERATION_RESAMPLE_FWD_DESCRIPTOR."""

    __slots__ = ()
    c_name = "CUDNN_BACKEND_OPERATION_RESAMPLE_FWD_DESCRIPTOR"

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            xdesc: TensorDescriptor | None = None,
            ydesc: TensorDescriptor | None = None,
            idxdesc: TensorDescriptor | None = None,
            alpha: float | None = None,
            beta: float | None = None,
            desc: ResampleDescriptor | None = None,
        ) -> None: ...

        @classmethod
        def open(
            cls,
            *,
            xdesc: TensorDescriptor | None = None,
            ydesc: TensorDescriptor | None = None,
            idxdesc: TensorDescriptor | None = None,
            alpha: float | None = None,
            beta: float | None = None,
            desc: ResampleDescriptor | None = None,
        ) -> Self: ...

        def set(
            self,
            *,
            xdesc: TensorDescriptor | None = None,
            ydesc: TensorDescriptor | None = None,
            idxdesc: TensorDescriptor | None = None,
            alpha: float | None = None,
            beta: float | None = None,
            desc: ResampleDescriptor | None = None,
        ) -> Self: ...

    @property
    def xdesc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        Needed if one of `ydesc` is set.

        C: CUDNN_ATTR_OPERATION_RESAMPLE_FWD_XDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("xdesc")

    @property
    def ydesc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        Needed if one of `xdesc` is set.

        C: CUDNN_ATTR_OPERATION_RESAMPLE_FWD_YDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("ydesc")

    @property
    def idxdesc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        C: CUDNN_ATTR_OPERATION_RESAMPLE_FWD_IDXDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("idxdesc")

    @property
    def alpha(self) -> float:
        """A float.

        The default is 1.0, which is set, since cuDNN does not use it. cuDNN does not tell it: the
        property is what was set.

        C: CUDNN_ATTR_OPERATION_RESAMPLE_FWD_ALPHA, of CUDNN_TYPE_FLOAT, CUDNN_TYPE_DOUBLE.
        """
        return self._get("alpha")

    @property
    def beta(self) -> float:
        """A float.

        The default is 0.0, which is set, since cuDNN does not use it. cuDNN does not tell it: the
        property is what was set.

        C: CUDNN_ATTR_OPERATION_RESAMPLE_FWD_BETA, of CUDNN_TYPE_FLOAT, CUDNN_TYPE_DOUBLE.
        """
        return self._get("beta")

    @property
    def desc(self) -> ResampleDescriptor | None:
        """A `ResampleDescriptor`.

        C: CUDNN_ATTR_OPERATION_RESAMPLE_FWD_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("desc")


class OperationResampleBwdDescriptor(OperationDescriptor):
    """A backend descriptor: CUDNN_BACKEND_OPERATION_RESAMPLE_BWD_DESCRIPTOR."""

    __slots__ = ()
    c_name = "CUDNN_BACKEND_OPERATION_RESAMPLE_BWD_DESCRIPTOR"

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            dxdesc: TensorDescriptor | None = None,
            dydesc: TensorDescriptor | None = None,
            idxdesc: TensorDescriptor | None = None,
            alpha: float | None = None,
            beta: float | None = None,
            desc: ResampleDescriptor | None = None,
            xdesc: TensorDescriptor | None = None,
            ydesc: TensorDescriptor | None = None,
        ) -> None: ...

        @classmethod
        def open(
            cls,
            *,
            dxdesc: TensorDescriptor | None = None,
            dydesc: TensorDescriptor | None = None,
            idxdesc: TensorDescriptor | None = None,
            alpha: float | None = None,
            beta: float | None = None,
            desc: ResampleDescriptor | None = None,
            xdesc: TensorDescriptor | None = None,
            ydesc: TensorDescriptor | None = None,
        ) -> Self: ...

        def set(
            self,
            *,
            dxdesc: TensorDescriptor | None = None,
            dydesc: TensorDescriptor | None = None,
            idxdesc: TensorDescriptor | None = None,
            alpha: float | None = None,
            beta: float | None = None,
            desc: ResampleDescriptor | None = None,
            xdesc: TensorDescriptor | None = None,
            ydesc: TensorDescriptor | None = None,
        ) -> Self: ...

    @property
    def dxdesc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Needed if one of `dydesc` is set.

        C: CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DXDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("dxdesc")

    @property
    def dydesc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Needed if one of `dxdesc` is set.

        C: CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DYDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("dydesc")

    @property
    def idxdesc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Needed unless one of `xdesc`, `ydesc` is set, or set otherwise.

        C: CUDNN_ATTR_OPERATION_RESAMPLE_BWD_IDXDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("idxdesc")

    @property
    def alpha(self) -> float:
        """A float.

        The default is 1.0, which is set, since cuDNN does not use it. cuDNN does not tell it: the
        property is what was set.

        C: CUDNN_ATTR_OPERATION_RESAMPLE_BWD_ALPHA, of CUDNN_TYPE_FLOAT, CUDNN_TYPE_DOUBLE.
        """
        return self._get("alpha")

    @property
    def beta(self) -> float:
        """A float.

        The default is 0.0, which is set, since cuDNN does not use it. cuDNN does not tell it: the
        property is what was set.

        C: CUDNN_ATTR_OPERATION_RESAMPLE_BWD_BETA, of CUDNN_TYPE_FLOAT, CUDNN_TYPE_DOUBLE.
        """
        return self._get("beta")

    @property
    def desc(self) -> ResampleDescriptor | None:
        """A `ResampleDescriptor`.

        C: CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("desc")

    @property
    def xdesc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Needed unless one of `idxdesc` is set, or set otherwise. Since 8.7.0.

        C: CUDNN_ATTR_OPERATION_RESAMPLE_BWD_XDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("xdesc")

    @property
    def ydesc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Needed unless one of `idxdesc` is set, or set otherwise. Since 8.7.0.

        C: CUDNN_ATTR_OPERATION_RESAMPLE_BWD_YDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("ydesc")


class OperationConcatDescriptor(OperationDescriptor):
    """A backend descriptor: CUDNN_BACKEND_OPERATION_CONCAT_DESCRIPTOR."""

    __slots__ = ()
    c_name = "CUDNN_BACKEND_OPERATION_CONCAT_DESCRIPTOR"

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            axis: int | None = None,
            input_descs: Sequence[TensorDescriptor] | None = None,
            inplace_index: int | None = None,
            output_desc: TensorDescriptor | None = None,
        ) -> None: ...

        @classmethod
        def open(
            cls,
            *,
            axis: int | None = None,
            input_descs: Sequence[TensorDescriptor] | None = None,
            inplace_index: int | None = None,
            output_desc: TensorDescriptor | None = None,
        ) -> Self: ...

        def set(
            self,
            *,
            axis: int | None = None,
            input_descs: Sequence[TensorDescriptor] | None = None,
            inplace_index: int | None = None,
            output_desc: TensorDescriptor | None = None,
        ) -> Self: ...

    @property
    def axis(self) -> int:
        """An int.

        The default is -1.

        C: CUDNN_ATTR_OPERATION_CONCAT_AXIS, of CUDNN_TYPE_INT64.
        """
        return self._get("axis")

    @property
    def input_descs(self) -> tuple[TensorDescriptor, ...]:
        """`TensorDescriptor` objects; required.

        C: CUDNN_ATTR_OPERATION_CONCAT_INPUT_DESCS, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("input_descs")

    @property
    def inplace_index(self) -> int:
        """An int.

        The default is -1.

        C: CUDNN_ATTR_OPERATION_CONCAT_INPLACE_INDEX, of CUDNN_TYPE_INT64.
        """
        return self._get("inplace_index")

    @property
    def output_desc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        C: CUDNN_ATTR_OPERATION_CONCAT_OUTPUT_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("output_desc")


class OperationSignalDescriptor(OperationDescriptor):
    """A backend descriptor: CUDNN_BACKEND_OPERATION_SIGNAL_DESCRIPTOR."""

    __slots__ = ()
    c_name = "CUDNN_BACKEND_OPERATION_SIGNAL_DESCRIPTOR"

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            mode: SignalMode | str | None = None,
            flagdesc: TensorDescriptor | None = None,
            value: int | None = None,
            xdesc: TensorDescriptor | None = None,
            ydesc: TensorDescriptor | None = None,
        ) -> None: ...

        @classmethod
        def open(
            cls,
            *,
            mode: SignalMode | str | None = None,
            flagdesc: TensorDescriptor | None = None,
            value: int | None = None,
            xdesc: TensorDescriptor | None = None,
            ydesc: TensorDescriptor | None = None,
        ) -> Self: ...

        def set(
            self,
            *,
            mode: SignalMode | str | None = None,
            flagdesc: TensorDescriptor | None = None,
            value: int | None = None,
            xdesc: TensorDescriptor | None = None,
            ydesc: TensorDescriptor | None = None,
        ) -> Self: ...

    @property
    def mode(self) -> SignalMode:
        """A member of `SignalMode`.

        The default is CUDNN_SIGNAL_SET. Must be set in 8.5.0 to 9.22.0, where cuDNN leaves it to
        chance.

        C: CUDNN_ATTR_OPERATION_SIGNAL_MODE, of CUDNN_TYPE_SIGNAL_MODE.
        """
        return self._get("mode")

    @property
    def flagdesc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        C: CUDNN_ATTR_OPERATION_SIGNAL_FLAGDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("flagdesc")

    @property
    def value(self) -> int:
        """An int.

        The default is 0.

        C: CUDNN_ATTR_OPERATION_SIGNAL_VALUE, of CUDNN_TYPE_INT64.
        """
        return self._get("value")

    @property
    def xdesc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        C: CUDNN_ATTR_OPERATION_SIGNAL_XDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("xdesc")

    @property
    def ydesc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        C: CUDNN_ATTR_OPERATION_SIGNAL_YDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("ydesc")


class OperationNormForwardDescriptor(OperationDescriptor):
    """A backend descriptor: CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR."""

    __slots__ = ()
    c_name = "CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR"

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            mode: BackendNormMode | str | None = None,
            phase: BackendNormFwdPhase | str | None = None,
            xdesc: TensorDescriptor | None = None,
            mean_desc: TensorDescriptor | None = None,
            inv_variance_desc: TensorDescriptor | None = None,
            scale_desc: TensorDescriptor | None = None,
            bias_desc: TensorDescriptor | None = None,
            epsilon_desc: TensorDescriptor | None = None,
            exp_avg_factor_desc: TensorDescriptor | None = None,
            input_running_mean_desc: TensorDescriptor | None = None,
            input_running_var_desc: TensorDescriptor | None = None,
            output_running_mean_desc: TensorDescriptor | None = None,
            output_running_var_desc: TensorDescriptor | None = None,
            ydesc: TensorDescriptor | None = None,
            peer_stat_descs: Sequence[TensorDescriptor] | None = None,
        ) -> None: ...

        @classmethod
        def open(
            cls,
            *,
            mode: BackendNormMode | str | None = None,
            phase: BackendNormFwdPhase | str | None = None,
            xdesc: TensorDescriptor | None = None,
            mean_desc: TensorDescriptor | None = None,
            inv_variance_desc: TensorDescriptor | None = None,
            scale_desc: TensorDescriptor | None = None,
            bias_desc: TensorDescriptor | None = None,
            epsilon_desc: TensorDescriptor | None = None,
            exp_avg_factor_desc: TensorDescriptor | None = None,
            input_running_mean_desc: TensorDescriptor | None = None,
            input_running_var_desc: TensorDescriptor | None = None,
            output_running_mean_desc: TensorDescriptor | None = None,
            output_running_var_desc: TensorDescriptor | None = None,
            ydesc: TensorDescriptor | None = None,
            peer_stat_descs: Sequence[TensorDescriptor] | None = None,
        ) -> Self: ...

        def set(
            self,
            *,
            mode: BackendNormMode | str | None = None,
            phase: BackendNormFwdPhase | str | None = None,
            xdesc: TensorDescriptor | None = None,
            mean_desc: TensorDescriptor | None = None,
            inv_variance_desc: TensorDescriptor | None = None,
            scale_desc: TensorDescriptor | None = None,
            bias_desc: TensorDescriptor | None = None,
            epsilon_desc: TensorDescriptor | None = None,
            exp_avg_factor_desc: TensorDescriptor | None = None,
            input_running_mean_desc: TensorDescriptor | None = None,
            input_running_var_desc: TensorDescriptor | None = None,
            output_running_mean_desc: TensorDescriptor | None = None,
            output_running_var_desc: TensorDescriptor | None = None,
            ydesc: TensorDescriptor | None = None,
            peer_stat_descs: Sequence[TensorDescriptor] | None = None,
        ) -> Self: ...

    @property
    def mode(self) -> BackendNormMode:
        """A member of `BackendNormMode`.

        Needed unless one of `phase`, `inv_variance_desc`, `scale_desc`, `epsilon_desc` is set, or
        set otherwise. Needed if one of `epsilon_desc` is set. The default is CUDNN_LAYER_NORM. Must
        be set in 9.9.0 to 9.22.0, where cuDNN leaves it to chance. cuDNN does not tell it: the
        property is what was set.

        C: CUDNN_ATTR_OPERATION_NORM_FWD_MODE, of CUDNN_TYPE_NORM_MODE.
        """
        return self._get("mode")

    @property
    def phase(self) -> BackendNormFwdPhase:
        """A member of `BackendNormFwdPhase`.

        Needed unless one of `mode`, `inv_variance_desc`, `scale_desc`, `epsilon_desc` is set, or
        set otherwise. Must be set in 9.9.0 to 9.22.0, where cuDNN leaves it to chance. cuDNN does
        not tell it: the property is what was set.

        C: CUDNN_ATTR_OPERATION_NORM_FWD_PHASE, of CUDNN_TYPE_NORM_FWD_PHASE.
        """
        return self._get("phase")

    @property
    def xdesc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        cuDNN does not tell it: the property is what was set.

        C: CUDNN_ATTR_OPERATION_NORM_FWD_XDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("xdesc")

    @property
    def mean_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Needed unless one of `scale_desc`, `epsilon_desc` is set, or set otherwise. cuDNN does not
        tell it: the property is what was set.

        C: CUDNN_ATTR_OPERATION_NORM_FWD_MEAN_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("mean_desc")

    @property
    def inv_variance_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Needed unless one of `mode`, `phase`, `bias_desc`, `epsilon_desc` is set, or set otherwise.
        Needed if one of `scale_desc`, `epsilon_desc` is set. cuDNN does not tell it: the property
        is what was set.

        C: CUDNN_ATTR_OPERATION_NORM_FWD_INV_VARIANCE_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("inv_variance_desc")

    @property
    def scale_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Needed unless one of `mode`, `phase`, `mean_desc`, `epsilon_desc` is set, or set otherwise.
        Needed if one of `inv_variance_desc`, `epsilon_desc` is set. cuDNN does not tell it: the
        property is what was set.

        C: CUDNN_ATTR_OPERATION_NORM_FWD_SCALE_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("scale_desc")

    @property
    def bias_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Needed unless one of `inv_variance_desc`, `epsilon_desc` is set, or set otherwise. cuDNN
        does not tell it: the property is what was set.

        C: CUDNN_ATTR_OPERATION_NORM_FWD_BIAS_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("bias_desc")

    @property
    def epsilon_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Needed unless one of `mode`, `phase`, `mean_desc`, `inv_variance_desc`, `scale_desc`,
        `bias_desc`, `peer_stat_descs` is set, or set otherwise. Needed if one of `mode`,
        `inv_variance_desc`, `scale_desc` is set. cuDNN does not tell it: the property is what was
        set.

        C: CUDNN_ATTR_OPERATION_NORM_FWD_EPSILON_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("epsilon_desc")

    @property
    def exp_avg_factor_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        cuDNN does not tell it: the property is what was set.

        C: CUDNN_ATTR_OPERATION_NORM_FWD_EXP_AVG_FACTOR_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("exp_avg_factor_desc")

    @property
    def input_running_mean_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        cuDNN does not tell it: the property is what was set.

        C: CUDNN_ATTR_OPERATION_NORM_FWD_INPUT_RUNNING_MEAN_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("input_running_mean_desc")

    @property
    def input_running_var_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        cuDNN does not tell it: the property is what was set.

        C: CUDNN_ATTR_OPERATION_NORM_FWD_INPUT_RUNNING_VAR_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("input_running_var_desc")

    @property
    def output_running_mean_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        cuDNN does not tell it: the property is what was set.

        C: CUDNN_ATTR_OPERATION_NORM_FWD_OUTPUT_RUNNING_MEAN_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("output_running_mean_desc")

    @property
    def output_running_var_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        cuDNN does not tell it: the property is what was set.

        C: CUDNN_ATTR_OPERATION_NORM_FWD_OUTPUT_RUNNING_VAR_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("output_running_var_desc")

    @property
    def ydesc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        cuDNN does not tell it: the property is what was set.

        C: CUDNN_ATTR_OPERATION_NORM_FWD_YDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("ydesc")

    @property
    def peer_stat_descs(self) -> tuple[TensorDescriptor, ...]:
        """`TensorDescriptor` objects.

        cuDNN does not tell it: the property is what was set.

        C: CUDNN_ATTR_OPERATION_NORM_FWD_PEER_STAT_DESCS, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("peer_stat_descs")


class OperationNormBackwardDescriptor(OperationDescriptor):
    """A backend descriptor: CUDNN_BACKEND_OPERATION_NORM_BACKWARD_DESCRIPTOR."""

    __slots__ = ()
    c_name = "CUDNN_BACKEND_OPERATION_NORM_BACKWARD_DESCRIPTOR"

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            mode: BackendNormMode | str | None = None,
            xdesc: TensorDescriptor | None = None,
            mean_desc: TensorDescriptor | None = None,
            inv_variance_desc: TensorDescriptor | None = None,
            dydesc: TensorDescriptor | None = None,
            scale_desc: TensorDescriptor | None = None,
            epsilon_desc: TensorDescriptor | None = None,
            dscale_desc: TensorDescriptor | None = None,
            dbias_desc: TensorDescriptor | None = None,
            dxdesc: TensorDescriptor | None = None,
            peer_stat_descs: Sequence[TensorDescriptor] | None = None,
        ) -> None: ...

        @classmethod
        def open(
            cls,
            *,
            mode: BackendNormMode | str | None = None,
            xdesc: TensorDescriptor | None = None,
            mean_desc: TensorDescriptor | None = None,
            inv_variance_desc: TensorDescriptor | None = None,
            dydesc: TensorDescriptor | None = None,
            scale_desc: TensorDescriptor | None = None,
            epsilon_desc: TensorDescriptor | None = None,
            dscale_desc: TensorDescriptor | None = None,
            dbias_desc: TensorDescriptor | None = None,
            dxdesc: TensorDescriptor | None = None,
            peer_stat_descs: Sequence[TensorDescriptor] | None = None,
        ) -> Self: ...

        def set(
            self,
            *,
            mode: BackendNormMode | str | None = None,
            xdesc: TensorDescriptor | None = None,
            mean_desc: TensorDescriptor | None = None,
            inv_variance_desc: TensorDescriptor | None = None,
            dydesc: TensorDescriptor | None = None,
            scale_desc: TensorDescriptor | None = None,
            epsilon_desc: TensorDescriptor | None = None,
            dscale_desc: TensorDescriptor | None = None,
            dbias_desc: TensorDescriptor | None = None,
            dxdesc: TensorDescriptor | None = None,
            peer_stat_descs: Sequence[TensorDescriptor] | None = None,
        ) -> Self: ...

    @property
    def mode(self) -> BackendNormMode:
        """A member of `BackendNormMode`.

        Needed unless one of `mean_desc` is set, or set otherwise. The default is CUDNN_LAYER_NORM.
        Must be set in 9.9.0 to 9.22.0, where cuDNN leaves it to chance. cuDNN does not tell it: the
        property is what was set.

        C: CUDNN_ATTR_OPERATION_NORM_BWD_MODE, of CUDNN_TYPE_NORM_MODE.
        """
        return self._get("mode")

    @property
    def xdesc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        cuDNN does not tell it: the property is what was set.

        C: CUDNN_ATTR_OPERATION_NORM_BWD_XDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("xdesc")

    @property
    def mean_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Needed unless one of `mode` is set, or set otherwise. cuDNN does not tell it: the property
        is what was set.

        C: CUDNN_ATTR_OPERATION_NORM_BWD_MEAN_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("mean_desc")

    @property
    def inv_variance_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        cuDNN does not tell it: the property is what was set.

        C: CUDNN_ATTR_OPERATION_NORM_BWD_INV_VARIANCE_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("inv_variance_desc")

    @property
    def dydesc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        cuDNN does not tell it: the property is what was set.

        C: CUDNN_ATTR_OPERATION_NORM_BWD_DYDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("dydesc")

    @property
    def scale_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Needed if one of `dscale_desc` is set. cuDNN does not tell it: the property is what was set.

        C: CUDNN_ATTR_OPERATION_NORM_BWD_SCALE_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("scale_desc")

    @property
    def epsilon_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        cuDNN does not tell it: the property is what was set.

        C: CUDNN_ATTR_OPERATION_NORM_BWD_EPSILON_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("epsilon_desc")

    @property
    def dscale_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Needed if one of `scale_desc` is set. cuDNN does not tell it: the property is what was set.

        C: CUDNN_ATTR_OPERATION_NORM_BWD_DSCALE_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("dscale_desc")

    @property
    def dbias_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        cuDNN does not tell it: the property is what was set.

        C: CUDNN_ATTR_OPERATION_NORM_BWD_DBIAS_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("dbias_desc")

    @property
    def dxdesc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        cuDNN does not tell it: the property is what was set.

        C: CUDNN_ATTR_OPERATION_NORM_BWD_DXDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("dxdesc")

    @property
    def peer_stat_descs(self) -> tuple[TensorDescriptor, ...]:
        """`TensorDescriptor` objects.

        cuDNN does not tell it: the property is what was set.

        C: CUDNN_ATTR_OPERATION_NORM_BWD_PEER_STAT_DESCS, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("peer_stat_descs")


class OperationReshapeDescriptor(OperationDescriptor):
    """A backend descriptor: CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR.

    Since 8.7.0.
    """

    __slots__ = ()
    c_name = "CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR"

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            xdesc: TensorDescriptor | None = None,
            ydesc: TensorDescriptor | None = None,
            mode: BackendReshapeMode | str | None = None,
        ) -> None: ...

        @classmethod
        def open(
            cls,
            *,
            xdesc: TensorDescriptor | None = None,
            ydesc: TensorDescriptor | None = None,
            mode: BackendReshapeMode | str | None = None,
        ) -> Self: ...

        def set(
            self,
            *,
            xdesc: TensorDescriptor | None = None,
            ydesc: TensorDescriptor | None = None,
            mode: BackendReshapeMode | str | None = None,
        ) -> Self: ...

    @property
    def xdesc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        Since 8.7.0.

        C: CUDNN_ATTR_OPERATION_RESHAPE_XDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("xdesc")

    @property
    def ydesc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        Since 8.7.0.

        C: CUDNN_ATTR_OPERATION_RESHAPE_YDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("ydesc")

    @property
    def mode(self) -> BackendReshapeMode:
        """A member of `BackendReshapeMode`.

        The default is CUDNN_RESHAPE_VIEW_ONLY. Since 9.22.0.

        C: CUDNN_ATTR_OPERATION_RESHAPE_MODE, of CUDNN_TYPE_RESHAPE_MODE.
        """
        return self._get("mode")


class RNGDescriptor(Descriptor):
    """A backend descriptor: CUDNN_BACKEND_RNG_DESCRIPTOR.

    Since 8.7.0.
    """

    __slots__ = ()
    c_name = "CUDNN_BACKEND_RNG_DESCRIPTOR"

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            distribution: RngDistribution | str | None = None,
            normal_dist_mean: float | None = None,
            normal_dist_standard_deviation: float | None = None,
            uniform_dist_maximum: float | None = None,
            uniform_dist_minimum: float | None = None,
            bernoulli_dist_probability: float | None = None,
        ) -> None: ...

        @classmethod
        def open(
            cls,
            *,
            distribution: RngDistribution | str | None = None,
            normal_dist_mean: float | None = None,
            normal_dist_standard_deviation: float | None = None,
            uniform_dist_maximum: float | None = None,
            uniform_dist_minimum: float | None = None,
            bernoulli_dist_probability: float | None = None,
        ) -> Self: ...

        def set(
            self,
            *,
            distribution: RngDistribution | str | None = None,
            normal_dist_mean: float | None = None,
            normal_dist_standard_deviation: float | None = None,
            uniform_dist_maximum: float | None = None,
            uniform_dist_minimum: float | None = None,
            bernoulli_dist_probability: float | None = None,
        ) -> Self: ...

    @property
    def distribution(self) -> RngDistribution:
        """A member of `RngDistribution`.

        Needed unless one of `bernoulli_dist_probability` is set, or set otherwise. The default is
        CUDNN_RNG_DISTRIBUTION_BERNOULLI. Since 8.7.0.

        C: CUDNN_ATTR_RNG_DISTRIBUTION, of CUDNN_TYPE_RNG_DISTRIBUTION.
        """
        return self._get("distribution")

    @property
    def normal_dist_mean(self) -> float:
        """A float.

        The default is -1.0. Since 8.7.0.

        C: CUDNN_ATTR_RNG_NORMAL_DIST_MEAN, of CUDNN_TYPE_DOUBLE.
        """
        return self._get("normal_dist_mean")

    @property
    def normal_dist_standard_deviation(self) -> float:
        """A float.

        The default is -1.0. Since 8.7.0.

        C: CUDNN_ATTR_RNG_NORMAL_DIST_STANDARD_DEVIATION, of CUDNN_TYPE_DOUBLE.
        """
        return self._get("normal_dist_standard_deviation")

    @property
    def uniform_dist_maximum(self) -> float:
        """A float.

        The default is -1.0. Since 8.7.0.

        C: CUDNN_ATTR_RNG_UNIFORM_DIST_MAXIMUM, of CUDNN_TYPE_DOUBLE.
        """
        return self._get("uniform_dist_maximum")

    @property
    def uniform_dist_minimum(self) -> float:
        """A float.

        The default is -1.0. Since 8.7.0.

        C: CUDNN_ATTR_RNG_UNIFORM_DIST_MINIMUM, of CUDNN_TYPE_DOUBLE.
        """
        return self._get("uniform_dist_minimum")

    @property
    def bernoulli_dist_probability(self) -> float:
        """A float.

        Needed unless one of `distribution` is set, or set otherwise. The default is -1.0. Since
        8.7.0.

        C: CUDNN_ATTR_RNG_BERNOULLI_DIST_PROBABILITY, of CUDNN_TYPE_DOUBLE.
        """
        return self._get("bernoulli_dist_probability")


class OperationRNGDescriptor(OperationDescriptor):
    """A backend descriptor: CUDNN_BACKEND_OPERATION_RNG_DESCRIPTOR.

    Since 8.7.0.
    """

    __slots__ = ()
    c_name = "CUDNN_BACKEND_OPERATION_RNG_DESCRIPTOR"

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            ydesc: TensorDescriptor | None = None,
            seed: int | TensorDescriptor | None = None,
            desc: RNGDescriptor | None = None,
            offset_desc: TensorDescriptor | None = None,
        ) -> None: ...

        @classmethod
        def open(
            cls,
            *,
            ydesc: TensorDescriptor | None = None,
            seed: int | TensorDescriptor | None = None,
            desc: RNGDescriptor | None = None,
            offset_desc: TensorDescriptor | None = None,
        ) -> Self: ...

        def set(
            self,
            *,
            ydesc: TensorDescriptor | None = None,
            seed: int | TensorDescriptor | None = None,
            desc: RNGDescriptor | None = None,
            offset_desc: TensorDescriptor | None = None,
        ) -> Self: ...

    @property
    def ydesc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Since 8.7.0.

        C: CUDNN_ATTR_OPERATION_RNG_YDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("ydesc")

    @property
    def seed(self) -> int | TensorDescriptor | None:
        """An int or a `TensorDescriptor`.

        Since 8.7.0.

        C: CUDNN_ATTR_OPERATION_RNG_SEED, of CUDNN_TYPE_INT64, CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("seed")

    @property
    def desc(self) -> RNGDescriptor | None:
        """A `RNGDescriptor`.

        Since 8.7.0.

        C: CUDNN_ATTR_OPERATION_RNG_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("desc")

    @property
    def offset_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Since 8.8.0.

        C: CUDNN_ATTR_OPERATION_RNG_OFFSET_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("offset_desc")


class KernelCacheDescriptor(Descriptor):
    """A backend descriptor: CUDNN_BACKEND_KERNEL_CACHE_DESCRIPTOR.

    Since 9.4.0.
    """

    __slots__ = ()
    c_name = "CUDNN_BACKEND_KERNEL_CACHE_DESCRIPTOR"

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            operation_graph: OperationGraphDescriptor | None = None,
            json_representation: str | None = None,
        ) -> None: ...

        @classmethod
        def open(
            cls,
            *,
            operation_graph: OperationGraphDescriptor | None = None,
            json_representation: str | None = None,
        ) -> Self: ...

        def set(
            self,
            *,
            operation_graph: OperationGraphDescriptor | None = None,
            json_representation: str | None = None,
        ) -> Self: ...

    @property
    def is_enginecfg_kernel_cached(self) -> EngineCfgDescriptor:
        """A `EngineCfgDescriptor`; read only.

        Since 9.4.0.

        C: CUDNN_ATTR_KERNEL_CACHE_IS_ENGINECFG_KERNEL_CACHED, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("is_enginecfg_kernel_cached")

    @property
    def operation_graph(self) -> OperationGraphDescriptor:
        """A `OperationGraphDescriptor`; required.

        Since 9.5.0.

        C: CUDNN_ATTR_KERNEL_CACHE_OPERATION_GRAPH, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("operation_graph")

    @property
    def json_representation(self) -> str:
        """A text.

        Since 9.10.0.

        C: CUDNN_ATTR_KERNEL_CACHE_JSON_REPRESENTATION, of CUDNN_TYPE_CHAR.
        """
        return self._get("json_representation")

    @property
    def revision(self) -> int:
        """An int; read only.

        Since 9.27.0.

        C: CUDNN_ATTR_KERNEL_CACHE_REVISION, of CUDNN_TYPE_INT64.
        """
        return self._get("revision")

    @property
    def entry_count(self) -> int:
        """An int; read only.

        Since 9.27.0.

        C: CUDNN_ATTR_KERNEL_CACHE_ENTRY_COUNT, of CUDNN_TYPE_INT64.
        """
        return self._get("entry_count")


class OperationPagedCacheLoadDescriptor(OperationDescriptor):
    """A backend descriptor: CUDNN_BACKEND_OPERATION_PAGED_CACHE_LOAD_DESCRIPTOR.

    Since 9.4.0.
    """

    __slots__ = ()
    c_name = "CUDNN_BACKEND_OPERATION_PAGED_CACHE_LOAD_DESCRIPTOR"

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            container_desc: TensorDescriptor | None = None,
            ydesc: TensorDescriptor | None = None,
            sequence_desc: TensorDescriptor | None = None,
            page_table_desc: TensorDescriptor | None = None,
        ) -> None: ...

        @classmethod
        def open(
            cls,
            *,
            container_desc: TensorDescriptor | None = None,
            ydesc: TensorDescriptor | None = None,
            sequence_desc: TensorDescriptor | None = None,
            page_table_desc: TensorDescriptor | None = None,
        ) -> Self: ...

        def set(
            self,
            *,
            container_desc: TensorDescriptor | None = None,
            ydesc: TensorDescriptor | None = None,
            sequence_desc: TensorDescriptor | None = None,
            page_table_desc: TensorDescriptor | None = None,
        ) -> Self: ...

    @property
    def container_desc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        Since 9.4.0.

        C: CUDNN_ATTR_OPERATION_PAGED_CACHE_LOAD_CONTAINER_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("container_desc")

    @property
    def ydesc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        Since 9.4.0.

        C: CUDNN_ATTR_OPERATION_PAGED_CACHE_LOAD_YDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("ydesc")

    @property
    def sequence_desc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        Since 9.4.0.

        C: CUDNN_ATTR_OPERATION_PAGED_CACHE_LOAD_SEQUENCE_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("sequence_desc")

    @property
    def page_table_desc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        Since 9.4.0.

        C: CUDNN_ATTR_OPERATION_PAGED_CACHE_LOAD_PAGE_TABLE_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("page_table_desc")


class OperationBlockScaleQuantizeDescriptor(OperationDescriptor):
    """A backend descriptor: CUDNN_BACKEND_OPERATION_BLOCK_SCALE_QUANTIZE_DESCRIPTOR.

    Since 9.7.0.
    """

    __slots__ = ()
    c_name = "CUDNN_BACKEND_OPERATION_BLOCK_SCALE_QUANTIZE_DESCRIPTOR"

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            xdesc: TensorDescriptor | None = None,
            ydesc: TensorDescriptor | None = None,
            scale_desc: TensorDescriptor | None = None,
            math_prec: DataType | str | None = None,
            block_size: int | None = None,
        ) -> None: ...

        @classmethod
        def open(
            cls,
            *,
            xdesc: TensorDescriptor | None = None,
            ydesc: TensorDescriptor | None = None,
            scale_desc: TensorDescriptor | None = None,
            math_prec: DataType | str | None = None,
            block_size: int | None = None,
        ) -> Self: ...

        def set(
            self,
            *,
            xdesc: TensorDescriptor | None = None,
            ydesc: TensorDescriptor | None = None,
            scale_desc: TensorDescriptor | None = None,
            math_prec: DataType | str | None = None,
            block_size: int | None = None,
        ) -> Self: ...

    @property
    def xdesc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        cuDNN does not tell it: the property is what was set. Since 9.7.0.

        C: CUDNN_ATTR_OPERATION_BLOCK_SCALE_QUANTIZE_XDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("xdesc")

    @property
    def ydesc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        cuDNN does not tell it: the property is what was set. Since 9.7.0.

        C: CUDNN_ATTR_OPERATION_BLOCK_SCALE_QUANTIZE_YDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("ydesc")

    @property
    def scale_desc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        cuDNN does not tell it: the property is what was set. Since 9.7.0.

        C: CUDNN_ATTR_OPERATION_BLOCK_SCALE_QUANTIZE_SCALE_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("scale_desc")

    @property
    def math_prec(self) -> DataType:
        """A member of `DataType`.

        The default is CUDNN_DATA_FLOAT. Must be set in 9.7.0 to 9.22.0, where cuDNN leaves it to
        chance. cuDNN does not tell it: the property is what was set. Since 9.7.0.

        C: CUDNN_ATTR_OPERATION_BLOCK_SCALE_QUANTIZE_MATH_PREC, of CUDNN_TYPE_DATA_TYPE.
        """
        return self._get("math_prec")

    @property
    def block_size(self) -> int:
        """An int; required.

        Must be set in 9.7.0 to 9.22.0, where cuDNN leaves it to chance. Must be set, since cuDNN
        crashes without it. cuDNN does not tell it: the property is what was set. Since 9.7.0.

        C: CUDNN_ATTR_OPERATION_BLOCK_SCALE_QUANTIZE_BLOCK_SIZE, of CUDNN_TYPE_INT32.
        """
        return self._get("block_size")

    @property
    def denom_factor_mode(self) -> Any:
        """A value of unknown type; read only.

        cuDNN does not tell it: the property is what was set. Since 9.7.0. Removed in 9.8.0.

        C: CUDNN_ATTR_OPERATION_BLOCK_SCALE_QUANTIZE_DENOM_FACTOR_MODE.
        """
        return self._get("denom_factor_mode")


class OperationBlockScaleDequantizeDescriptor(OperationDescriptor):
    """A backend descriptor: CUDNN_BACKEND_OPERATION_BLOCK_SCALE_DEQUANTIZE_DESCRIPTOR.

    Since 9.7.0.
    """

    __slots__ = ()
    c_name = "CUDNN_BACKEND_OPERATION_BLOCK_SCALE_DEQUANTIZE_DESCRIPTOR"

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            xdesc: TensorDescriptor | None = None,
            scale_desc: TensorDescriptor | None = None,
            ydesc: TensorDescriptor | None = None,
            math_prec: DataType | str | None = None,
            block_size: Sequence[int] | None = None,
            neg_scale: bool | None = None,
        ) -> None: ...

        @classmethod
        def open(
            cls,
            *,
            xdesc: TensorDescriptor | None = None,
            scale_desc: TensorDescriptor | None = None,
            ydesc: TensorDescriptor | None = None,
            math_prec: DataType | str | None = None,
            block_size: Sequence[int] | None = None,
            neg_scale: bool | None = None,
        ) -> Self: ...

        def set(
            self,
            *,
            xdesc: TensorDescriptor | None = None,
            scale_desc: TensorDescriptor | None = None,
            ydesc: TensorDescriptor | None = None,
            math_prec: DataType | str | None = None,
            block_size: Sequence[int] | None = None,
            neg_scale: bool | None = None,
        ) -> Self: ...

    @property
    def xdesc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        cuDNN does not tell it: the property is what was set. Since 9.7.0.

        C: CUDNN_ATTR_OPERATION_BLOCK_SCALE_DEQUANTIZE_XDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("xdesc")

    @property
    def scale_desc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        cuDNN does not tell it: the property is what was set. Since 9.7.0.

        C: CUDNN_ATTR_OPERATION_BLOCK_SCALE_DEQUANTIZE_SCALE_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("scale_desc")

    @property
    def ydesc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        cuDNN does not tell it: the property is what was set. Since 9.7.0.

        C: CUDNN_ATTR_OPERATION_BLOCK_SCALE_DEQUANTIZE_YDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("ydesc")

    @property
    def math_prec(self) -> DataType:
        """A member of `DataType`.

        The default is CUDNN_DATA_FLOAT. Must be set in 9.7.0 to 9.22.0, where cuDNN leaves it to
        chance. cuDNN does not tell it: the property is what was set. Since 9.7.0.

        C: CUDNN_ATTR_OPERATION_BLOCK_SCALE_DEQUANTIZE_MATH_PREC, of CUDNN_TYPE_DATA_TYPE.
        """
        return self._get("math_prec")

    @property
    def block_size(self) -> tuple[int, ...]:
        """Ints, at most 2.

        Must be set in 9.7.0 to 9.10.2, where cuDNN leaves it to chance. cuDNN does not tell it: the
        property is what was set. Since 9.7.0.

        C: CUDNN_ATTR_OPERATION_BLOCK_SCALE_DEQUANTIZE_BLOCK_SIZE, of CUDNN_TYPE_INT32.
        """
        return self._get("block_size")

    @property
    def neg_scale(self) -> bool:
        """A bool.

        The default is False. Since 9.13.0.

        C: CUDNN_ATTR_OPERATION_BLOCK_SCALE_DEQUANTIZE_NEG_SCALE, of CUDNN_TYPE_BOOLEAN.
        """
        return self._get("neg_scale")


class DevicePropDescriptor(Descriptor):
    """A backend descriptor: CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR.

    Since 9.8.0.
    """

    __slots__ = ()
    c_name = "CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR"

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            device_id: int | None = None,
            handle: Handle | int | None = None,
            json_representation: str | None = None,
        ) -> None: ...

        @classmethod
        def open(
            cls,
            *,
            device_id: int | None = None,
            handle: Handle | int | None = None,
            json_representation: str | None = None,
        ) -> Self: ...

        def set(
            self,
            *,
            device_id: int | None = None,
            handle: Handle | int | None = None,
            json_representation: str | None = None,
        ) -> Self: ...

    @property
    def device_id(self) -> int:
        """An int.

        The default is 0. Since 9.8.0.

        C: CUDNN_ATTR_DEVICEPROP_DEVICE_ID, of CUDNN_TYPE_INT32.
        """
        return self._get("device_id")

    @property
    def handle(self) -> Handle | int:
        """A `Handle` or its address.

        cuDNN does not tell it: the property is what was set. Since 9.8.0.

        C: CUDNN_ATTR_DEVICEPROP_HANDLE, of CUDNN_TYPE_HANDLE.
        """
        return self._get("handle")

    @property
    def json_representation(self) -> str:
        """A text; required.

        Since 9.8.0.

        C: CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, of CUDNN_TYPE_CHAR.
        """
        return self._get("json_representation")


class OperationExpandBandMatrixDescriptor(OperationDescriptor):
    """A backend descriptor: CUDNN_BACKEND_OPERATION_EXPAND_BAND_MATRIX_DESCRIPTOR.

    Since 9.10.0.
    """

    __slots__ = ()
    c_name = "CUDNN_BACKEND_OPERATION_EXPAND_BAND_MATRIX_DESCRIPTOR"

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            xdesc: TensorDescriptor | None = None,
            ydesc: TensorDescriptor | None = None,
            lower_bandwidth: int | None = None,
            upper_bandwidth: int | None = None,
            axis: int | None = None,
            pad_value: float | None = None,
            kv_token_offset_desc: TensorDescriptor | None = None,
            speculative_mask_desc: TensorDescriptor | None = None,
        ) -> None: ...

        @classmethod
        def open(
            cls,
            *,
            xdesc: TensorDescriptor | None = None,
            ydesc: TensorDescriptor | None = None,
            lower_bandwidth: int | None = None,
            upper_bandwidth: int | None = None,
            axis: int | None = None,
            pad_value: float | None = None,
            kv_token_offset_desc: TensorDescriptor | None = None,
            speculative_mask_desc: TensorDescriptor | None = None,
        ) -> Self: ...

        def set(
            self,
            *,
            xdesc: TensorDescriptor | None = None,
            ydesc: TensorDescriptor | None = None,
            lower_bandwidth: int | None = None,
            upper_bandwidth: int | None = None,
            axis: int | None = None,
            pad_value: float | None = None,
            kv_token_offset_desc: TensorDescriptor | None = None,
            speculative_mask_desc: TensorDescriptor | None = None,
        ) -> Self: ...

    @property
    def xdesc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        Since 9.10.0.

        C: CUDNN_ATTR_OPERATION_EXPAND_BAND_MATRIX_XDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("xdesc")

    @property
    def ydesc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        Since 9.10.0.

        C: CUDNN_ATTR_OPERATION_EXPAND_BAND_MATRIX_YDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("ydesc")

    @property
    def lower_bandwidth(self) -> int:
        """An int; required.

        Since 9.10.0.

        C: CUDNN_ATTR_OPERATION_EXPAND_BAND_MATRIX_LOWER_BANDWIDTH, of CUDNN_TYPE_INT64.
        """
        return self._get("lower_bandwidth")

    @property
    def upper_bandwidth(self) -> int:
        """An int; required.

        Since 9.10.0.

        C: CUDNN_ATTR_OPERATION_EXPAND_BAND_MATRIX_UPPER_BANDWIDTH, of CUDNN_TYPE_INT64.
        """
        return self._get("upper_bandwidth")

    @property
    def axis(self) -> int:
        """An int; required.

        Since 9.10.0.

        C: CUDNN_ATTR_OPERATION_EXPAND_BAND_MATRIX_AXIS, of CUDNN_TYPE_INT64.
        """
        return self._get("axis")

    @property
    def pad_value(self) -> float:
        """A float.

        The default is 0.0. Since 9.10.0.

        C: CUDNN_ATTR_OPERATION_EXPAND_BAND_MATRIX_PAD_VALUE, of CUDNN_TYPE_FLOAT.
        """
        return self._get("pad_value")

    @property
    def kv_token_offset_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Since 9.10.0.

        C: CUDNN_ATTR_OPERATION_EXPAND_BAND_MATRIX_KV_TOKEN_OFFSET_DESC, of
        CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("kv_token_offset_desc")

    @property
    def speculative_mask_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Since 9.13.0.

        C: CUDNN_ATTR_OPERATION_EXPAND_BAND_MATRIX_SPECULATIVE_MASK_DESC, of
        CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("speculative_mask_desc")


class OperationContractBandMatrixDescriptor(OperationDescriptor):
    """A backend descriptor: CUDNN_BACKEND_OPERATION_CONTRACT_BAND_MATRIX_DESCRIPTOR.

    Since 9.10.0.
    """

    __slots__ = ()
    c_name = "CUDNN_BACKEND_OPERATION_CONTRACT_BAND_MATRIX_DESCRIPTOR"

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            xdesc: TensorDescriptor | None = None,
            ydesc: TensorDescriptor | None = None,
            lower_bandwidth: int | None = None,
            upper_bandwidth: int | None = None,
            axis: int | None = None,
            pad_value: float | None = None,
            max_token_value: int | None = None,
        ) -> None: ...

        @classmethod
        def open(
            cls,
            *,
            xdesc: TensorDescriptor | None = None,
            ydesc: TensorDescriptor | None = None,
            lower_bandwidth: int | None = None,
            upper_bandwidth: int | None = None,
            axis: int | None = None,
            pad_value: float | None = None,
            max_token_value: int | None = None,
        ) -> Self: ...

        def set(
            self,
            *,
            xdesc: TensorDescriptor | None = None,
            ydesc: TensorDescriptor | None = None,
            lower_bandwidth: int | None = None,
            upper_bandwidth: int | None = None,
            axis: int | None = None,
            pad_value: float | None = None,
            max_token_value: int | None = None,
        ) -> Self: ...

    @property
    def xdesc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        Since 9.10.0.

        C: CUDNN_ATTR_OPERATION_CONTRACT_BAND_MATRIX_XDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("xdesc")

    @property
    def ydesc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        Since 9.10.0.

        C: CUDNN_ATTR_OPERATION_CONTRACT_BAND_MATRIX_YDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("ydesc")

    @property
    def lower_bandwidth(self) -> int:
        """An int; required.

        Since 9.10.0.

        C: CUDNN_ATTR_OPERATION_CONTRACT_BAND_MATRIX_LOWER_BANDWIDTH, of CUDNN_TYPE_INT64.
        """
        return self._get("lower_bandwidth")

    @property
    def upper_bandwidth(self) -> int:
        """An int; required.

        Since 9.10.0.

        C: CUDNN_ATTR_OPERATION_CONTRACT_BAND_MATRIX_UPPER_BANDWIDTH, of CUDNN_TYPE_INT64.
        """
        return self._get("upper_bandwidth")

    @property
    def axis(self) -> int:
        """An int; required.

        Since 9.10.0.

        C: CUDNN_ATTR_OPERATION_CONTRACT_BAND_MATRIX_AXIS, of CUDNN_TYPE_INT64.
        """
        return self._get("axis")

    @property
    def pad_value(self) -> float:
        """A float.

        The default is 0.0. Since 9.10.0.

        C: CUDNN_ATTR_OPERATION_CONTRACT_BAND_MATRIX_PAD_VALUE, of CUDNN_TYPE_FLOAT.
        """
        return self._get("pad_value")

    @property
    def max_token_value(self) -> int:
        """An int.

        The default is -1. Since 9.10.0.

        C: CUDNN_ATTR_OPERATION_CONTRACT_BAND_MAX_TOKEN_VALUE, of CUDNN_TYPE_INT64.
        """
        return self._get("max_token_value")


class OperationSDPAFwdDescriptor(OperationDescriptor):
    """A backend descriptor: CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR.

    Since 9.13.0.
    """

    __slots__ = ()
    c_name = "CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR"

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            qdesc: TensorDescriptor | None = None,
            kdesc: TensorDescriptor | None = None,
            vdesc: TensorDescriptor | None = None,
            odesc: TensorDescriptor | None = None,
            statsdesc: TensorDescriptor | None = None,
            scaledesc: TensorDescriptor | None = None,
            block_mask_desc: TensorDescriptor | None = None,
            page_table_kdesc: TensorDescriptor | None = None,
            page_table_vdesc: TensorDescriptor | None = None,
            seq_len_qdesc: TensorDescriptor | None = None,
            seq_len_kvdesc: TensorDescriptor | None = None,
            subgraph: OperationGraphDescriptor | None = None,
            subgraph_input_uid: int | None = None,
            subgraph_output_uid: int | None = None,
            softmax_desc: OperationSoftmaxDescriptor | None = None,
            dropout_seed_desc: TensorDescriptor | None = None,
            dropout_offset_desc: TensorDescriptor | None = None,
            dropout_rng_dump_desc: TensorDescriptor | None = None,
            dropout_probability: float | None = None,
            unfuse_fma: bool | None = None,
            cu_seq_len_qdesc: TensorDescriptor | None = None,
            cu_seq_len_kvdesc: TensorDescriptor | None = None,
            descale_qdesc: TensorDescriptor | None = None,
            descale_kdesc: TensorDescriptor | None = None,
            descale_vdesc: TensorDescriptor | None = None,
            descale_sdesc: TensorDescriptor | None = None,
            scale_sdesc: TensorDescriptor | None = None,
            scale_odesc: TensorDescriptor | None = None,
            amax_sdesc: TensorDescriptor | None = None,
            amax_odesc: TensorDescriptor | None = None,
        ) -> None: ...

        @classmethod
        def open(
            cls,
            *,
            qdesc: TensorDescriptor | None = None,
            kdesc: TensorDescriptor | None = None,
            vdesc: TensorDescriptor | None = None,
            odesc: TensorDescriptor | None = None,
            statsdesc: TensorDescriptor | None = None,
            scaledesc: TensorDescriptor | None = None,
            block_mask_desc: TensorDescriptor | None = None,
            page_table_kdesc: TensorDescriptor | None = None,
            page_table_vdesc: TensorDescriptor | None = None,
            seq_len_qdesc: TensorDescriptor | None = None,
            seq_len_kvdesc: TensorDescriptor | None = None,
            subgraph: OperationGraphDescriptor | None = None,
            subgraph_input_uid: int | None = None,
            subgraph_output_uid: int | None = None,
            softmax_desc: OperationSoftmaxDescriptor | None = None,
            dropout_seed_desc: TensorDescriptor | None = None,
            dropout_offset_desc: TensorDescriptor | None = None,
            dropout_rng_dump_desc: TensorDescriptor | None = None,
            dropout_probability: float | None = None,
            unfuse_fma: bool | None = None,
            cu_seq_len_qdesc: TensorDescriptor | None = None,
            cu_seq_len_kvdesc: TensorDescriptor | None = None,
            descale_qdesc: TensorDescriptor | None = None,
            descale_kdesc: TensorDescriptor | None = None,
            descale_vdesc: TensorDescriptor | None = None,
            descale_sdesc: TensorDescriptor | None = None,
            scale_sdesc: TensorDescriptor | None = None,
            scale_odesc: TensorDescriptor | None = None,
            amax_sdesc: TensorDescriptor | None = None,
            amax_odesc: TensorDescriptor | None = None,
        ) -> Self: ...

        def set(
            self,
            *,
            qdesc: TensorDescriptor | None = None,
            kdesc: TensorDescriptor | None = None,
            vdesc: TensorDescriptor | None = None,
            odesc: TensorDescriptor | None = None,
            statsdesc: TensorDescriptor | None = None,
            scaledesc: TensorDescriptor | None = None,
            block_mask_desc: TensorDescriptor | None = None,
            page_table_kdesc: TensorDescriptor | None = None,
            page_table_vdesc: TensorDescriptor | None = None,
            seq_len_qdesc: TensorDescriptor | None = None,
            seq_len_kvdesc: TensorDescriptor | None = None,
            subgraph: OperationGraphDescriptor | None = None,
            subgraph_input_uid: int | None = None,
            subgraph_output_uid: int | None = None,
            softmax_desc: OperationSoftmaxDescriptor | None = None,
            dropout_seed_desc: TensorDescriptor | None = None,
            dropout_offset_desc: TensorDescriptor | None = None,
            dropout_rng_dump_desc: TensorDescriptor | None = None,
            dropout_probability: float | None = None,
            unfuse_fma: bool | None = None,
            cu_seq_len_qdesc: TensorDescriptor | None = None,
            cu_seq_len_kvdesc: TensorDescriptor | None = None,
            descale_qdesc: TensorDescriptor | None = None,
            descale_kdesc: TensorDescriptor | None = None,
            descale_vdesc: TensorDescriptor | None = None,
            descale_sdesc: TensorDescriptor | None = None,
            scale_sdesc: TensorDescriptor | None = None,
            scale_odesc: TensorDescriptor | None = None,
            amax_sdesc: TensorDescriptor | None = None,
            amax_odesc: TensorDescriptor | None = None,
        ) -> Self: ...

    @property
    def qdesc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        Since 9.13.0.

        C: CUDNN_ATTR_OPERATION_SDPA_FWD_QDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("qdesc")

    @property
    def kdesc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        Since 9.13.0.

        C: CUDNN_ATTR_OPERATION_SDPA_FWD_KDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("kdesc")

    @property
    def vdesc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        Since 9.13.0.

        C: CUDNN_ATTR_OPERATION_SDPA_FWD_VDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("vdesc")

    @property
    def odesc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        Since 9.13.0.

        C: CUDNN_ATTR_OPERATION_SDPA_FWD_ODESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("odesc")

    @property
    def statsdesc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Since 9.13.0.

        C: CUDNN_ATTR_OPERATION_SDPA_FWD_STATSDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("statsdesc")

    @property
    def scaledesc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Since 9.13.0.

        C: CUDNN_ATTR_OPERATION_SDPA_FWD_SCALEDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("scaledesc")

    @property
    def block_mask_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Since 9.14.0.

        C: CUDNN_ATTR_OPERATION_SDPA_FWD_BLOCK_MASK_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("block_mask_desc")

    @property
    def page_table_kdesc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Since 9.15.0.

        C: CUDNN_ATTR_OPERATION_SDPA_FWD_PAGE_TABLE_KDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("page_table_kdesc")

    @property
    def page_table_vdesc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Since 9.15.0.

        C: CUDNN_ATTR_OPERATION_SDPA_FWD_PAGE_TABLE_VDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("page_table_vdesc")

    @property
    def seq_len_qdesc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Needed if one of `seq_len_kvdesc` is set. Since 9.15.0.

        C: CUDNN_ATTR_OPERATION_SDPA_FWD_SEQ_LEN_QDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("seq_len_qdesc")

    @property
    def seq_len_kvdesc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Needed if one of `seq_len_qdesc` is set. Since 9.15.0.

        C: CUDNN_ATTR_OPERATION_SDPA_FWD_SEQ_LEN_KVDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("seq_len_kvdesc")

    @property
    def subgraph(self) -> OperationGraphDescriptor | None:
        """A `OperationGraphDescriptor`.

        Since 9.21.0.

        C: CUDNN_ATTR_OPERATION_SDPA_FWD_SUBGRAPH, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("subgraph")

    @property
    def subgraph_input_uid(self) -> int:
        """An int.

        The default is -1. Since 9.21.0.

        C: CUDNN_ATTR_OPERATION_SDPA_FWD_SUBGRAPH_INPUT_UID, of CUDNN_TYPE_INT64.
        """
        return self._get("subgraph_input_uid")

    @property
    def subgraph_output_uid(self) -> int:
        """An int.

        The default is -1. Since 9.21.0.

        C: CUDNN_ATTR_OPERATION_SDPA_FWD_SUBGRAPH_OUTPUT_UID, of CUDNN_TYPE_INT64.
        """
        return self._get("subgraph_output_uid")

    @property
    def softmax_desc(self) -> OperationSoftmaxDescriptor | None:
        """A `OperationSoftmaxDescriptor`.

        Since 9.21.0.

        C: CUDNN_ATTR_OPERATION_SDPA_FWD_SOFTMAX_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("softmax_desc")

    @property
    def dropout_seed_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Since 9.21.0.

        C: CUDNN_ATTR_OPERATION_SDPA_FWD_DROPOUT_SEED_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("dropout_seed_desc")

    @property
    def dropout_offset_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Since 9.21.0.

        C: CUDNN_ATTR_OPERATION_SDPA_FWD_DROPOUT_OFFSET_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("dropout_offset_desc")

    @property
    def dropout_rng_dump_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Since 9.21.0.

        C: CUDNN_ATTR_OPERATION_SDPA_FWD_DROPOUT_RNG_DUMP_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("dropout_rng_dump_desc")

    @property
    def dropout_probability(self) -> float:
        """A float.

        The default is 0.0. Since 9.21.0.

        C: CUDNN_ATTR_OPERATION_SDPA_FWD_DROPOUT_PROBABILITY, of CUDNN_TYPE_FLOAT.
        """
        return self._get("dropout_probability")

    @property
    def unfuse_fma(self) -> bool:
        """A bool.

        The default is False. Since 9.21.0.

        C: CUDNN_ATTR_OPERATION_SDPA_FWD_UNFUSE_FMA, of CUDNN_TYPE_BOOLEAN.
        """
        return self._get("unfuse_fma")

    @property
    def cu_seq_len_qdesc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Since 9.24.0.

        C: CUDNN_ATTR_OPERATION_SDPA_FWD_CU_SEQ_LEN_QDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("cu_seq_len_qdesc")

    @property
    def cu_seq_len_kvdesc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Since 9.24.0.

        C: CUDNN_ATTR_OPERATION_SDPA_FWD_CU_SEQ_LEN_KVDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("cu_seq_len_kvdesc")

    @property
    def descale_qdesc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Since 9.25.0.

        C: CUDNN_ATTR_OPERATION_SDPA_FWD_DESCALE_QDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("descale_qdesc")

    @property
    def descale_kdesc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Since 9.25.0.

        C: CUDNN_ATTR_OPERATION_SDPA_FWD_DESCALE_KDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("descale_kdesc")

    @property
    def descale_vdesc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Since 9.25.0.

        C: CUDNN_ATTR_OPERATION_SDPA_FWD_DESCALE_VDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("descale_vdesc")

    @property
    def descale_sdesc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Since 9.25.0.

        C: CUDNN_ATTR_OPERATION_SDPA_FWD_DESCALE_SDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("descale_sdesc")

    @property
    def scale_sdesc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Since 9.25.0.

        C: CUDNN_ATTR_OPERATION_SDPA_FWD_SCALE_SDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("scale_sdesc")

    @property
    def scale_odesc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Since 9.25.0.

        C: CUDNN_ATTR_OPERATION_SDPA_FWD_SCALE_ODESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("scale_odesc")

    @property
    def amax_sdesc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Since 9.25.0.

        C: CUDNN_ATTR_OPERATION_SDPA_FWD_AMAX_SDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("amax_sdesc")

    @property
    def amax_odesc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Since 9.25.0.

        C: CUDNN_ATTR_OPERATION_SDPA_FWD_AMAX_ODESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("amax_odesc")


class OperationMOEGroupedMatmulDescriptor(OperationDescriptor):
    """A backend descriptor: CUDNN_BACKEND_OPERATION_MOE_GROUPED_MATMUL_DESCRIPTOR.

    Since 9.15.0.
    """

    __slots__ = ()
    c_name = "CUDNN_BACKEND_OPERATION_MOE_GROUPED_MATMUL_DESCRIPTOR"

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            mode: MoeGroupedMatmulMode | str | None = None,
            math_prec: DataType | str | None = None,
            token_desc: TensorDescriptor | None = None,
            weight_desc: TensorDescriptor | None = None,
            first_token_offset_desc: TensorDescriptor | None = None,
            output_desc: TensorDescriptor | None = None,
            token_index_desc: TensorDescriptor | None = None,
            token_ks_desc: TensorDescriptor | None = None,
            top_k: int | None = None,
        ) -> None: ...

        @classmethod
        def open(
            cls,
            *,
            mode: MoeGroupedMatmulMode | str | None = None,
            math_prec: DataType | str | None = None,
            token_desc: TensorDescriptor | None = None,
            weight_desc: TensorDescriptor | None = None,
            first_token_offset_desc: TensorDescriptor | None = None,
            output_desc: TensorDescriptor | None = None,
            token_index_desc: TensorDescriptor | None = None,
            token_ks_desc: TensorDescriptor | None = None,
            top_k: int | None = None,
        ) -> Self: ...

        def set(
            self,
            *,
            mode: MoeGroupedMatmulMode | str | None = None,
            math_prec: DataType | str | None = None,
            token_desc: TensorDescriptor | None = None,
            weight_desc: TensorDescriptor | None = None,
            first_token_offset_desc: TensorDescriptor | None = None,
            output_desc: TensorDescriptor | None = None,
            token_index_desc: TensorDescriptor | None = None,
            token_ks_desc: TensorDescriptor | None = None,
            top_k: int | None = None,
        ) -> Self: ...

    @property
    def mode(self) -> MoeGroupedMatmulMode:
        """A member of `MoeGroupedMatmulMode`.

        Since 9.15.0.

        C: CUDNN_ATTR_OPERATION_MOE_GROUPED_MATMUL_MODE, of CUDNN_TYPE_MOE_GROUPED_MATMUL_MODE.
        """
        return self._get("mode")

    @property
    def math_prec(self) -> DataType:
        """A member of `DataType`.

        The default is CUDNN_DATA_FLOAT. Since 9.15.0.

        C: CUDNN_ATTR_OPERATION_MOE_GROUPED_MATMUL_MATH_PREC, of CUDNN_TYPE_DATA_TYPE.
        """
        return self._get("math_prec")

    @property
    def token_desc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        Since 9.15.0.

        C: CUDNN_ATTR_OPERATION_MOE_GROUPED_MATMUL_TOKEN_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("token_desc")

    @property
    def weight_desc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        Since 9.15.0.

        C: CUDNN_ATTR_OPERATION_MOE_GROUPED_MATMUL_WEIGHT_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("weight_desc")

    @property
    def first_token_offset_desc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        Since 9.15.0.

        C: CUDNN_ATTR_OPERATION_MOE_GROUPED_MATMUL_FIRST_TOKEN_OFFSET_DESC, of
        CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("first_token_offset_desc")

    @property
    def output_desc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        Since 9.15.0.

        C: CUDNN_ATTR_OPERATION_MOE_GROUPED_MATMUL_OUTPUT_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("output_desc")

    @property
    def token_index_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Since 9.15.0.

        C: CUDNN_ATTR_OPERATION_MOE_GROUPED_MATMUL_TOKEN_INDEX_DESC, of
        CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("token_index_desc")

    @property
    def token_ks_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Since 9.15.0.

        C: CUDNN_ATTR_OPERATION_MOE_GROUPED_MATMUL_TOKEN_KS_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("token_ks_desc")

    @property
    def top_k(self) -> int:
        """An int.

        The default is 0. Since 9.15.0.

        C: CUDNN_ATTR_OPERATION_MOE_GROUPED_MATMUL_TOP_K, of CUDNN_TYPE_INT32.
        """
        return self._get("top_k")


class OperationSDPABwdDescriptor(OperationDescriptor):
    """A backend descriptor: CUDNN_BACKEND_OPERATION_SDPA_BWD_DESCRIPTOR.

    Since 9.17.0.
    """

    __slots__ = ()
    c_name = "CUDNN_BACKEND_OPERATION_SDPA_BWD_DESCRIPTOR"

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            qdesc: TensorDescriptor | None = None,
            kdesc: TensorDescriptor | None = None,
            vdesc: TensorDescriptor | None = None,
            odesc: TensorDescriptor | None = None,
            statsdesc: TensorDescriptor | None = None,
            scaledesc: TensorDescriptor | None = None,
            seq_len_qdesc: TensorDescriptor | None = None,
            seq_len_kvdesc: TensorDescriptor | None = None,
            dqdesc: TensorDescriptor | None = None,
            dkdesc: TensorDescriptor | None = None,
            dvdesc: TensorDescriptor | None = None,
            doddesc: TensorDescriptor | None = None,
            sink_desc: TensorDescriptor | None = None,
            dsink_desc: TensorDescriptor | None = None,
            max_total_seq_len_q: int | None = None,
            max_total_seq_len_kv: int | None = None,
            subgraph: OperationGraphDescriptor | None = None,
            subgraph_input_uid: int | None = None,
            subgraph_output_uid: int | None = None,
            cu_seq_len_qdesc: TensorDescriptor | None = None,
            cu_seq_len_kvdesc: TensorDescriptor | None = None,
            dropout_seed_desc: TensorDescriptor | None = None,
            dropout_offset_desc: TensorDescriptor | None = None,
            dropout_probability: float | None = None,
            dbias_desc: TensorDescriptor | None = None,
        ) -> None: ...

        @classmethod
        def open(
            cls,
            *,
            qdesc: TensorDescriptor | None = None,
            kdesc: TensorDescriptor | None = None,
            vdesc: TensorDescriptor | None = None,
            odesc: TensorDescriptor | None = None,
            statsdesc: TensorDescriptor | None = None,
            scaledesc: TensorDescriptor | None = None,
            seq_len_qdesc: TensorDescriptor | None = None,
            seq_len_kvdesc: TensorDescriptor | None = None,
            dqdesc: TensorDescriptor | None = None,
            dkdesc: TensorDescriptor | None = None,
            dvdesc: TensorDescriptor | None = None,
            doddesc: TensorDescriptor | None = None,
            sink_desc: TensorDescriptor | None = None,
            dsink_desc: TensorDescriptor | None = None,
            max_total_seq_len_q: int | None = None,
            max_total_seq_len_kv: int | None = None,
            subgraph: OperationGraphDescriptor | None = None,
            subgraph_input_uid: int | None = None,
            subgraph_output_uid: int | None = None,
            cu_seq_len_qdesc: TensorDescriptor | None = None,
            cu_seq_len_kvdesc: TensorDescriptor | None = None,
            dropout_seed_desc: TensorDescriptor | None = None,
            dropout_offset_desc: TensorDescriptor | None = None,
            dropout_probability: float | None = None,
            dbias_desc: TensorDescriptor | None = None,
        ) -> Self: ...

        def set(
            self,
            *,
            qdesc: TensorDescriptor | None = None,
            kdesc: TensorDescriptor | None = None,
            vdesc: TensorDescriptor | None = None,
            odesc: TensorDescriptor | None = None,
            statsdesc: TensorDescriptor | None = None,
            scaledesc: TensorDescriptor | None = None,
            seq_len_qdesc: TensorDescriptor | None = None,
            seq_len_kvdesc: TensorDescriptor | None = None,
            dqdesc: TensorDescriptor | None = None,
            dkdesc: TensorDescriptor | None = None,
            dvdesc: TensorDescriptor | None = None,
            doddesc: TensorDescriptor | None = None,
            sink_desc: TensorDescriptor | None = None,
            dsink_desc: TensorDescriptor | None = None,
            max_total_seq_len_q: int | None = None,
            max_total_seq_len_kv: int | None = None,
            subgraph: OperationGraphDescriptor | None = None,
            subgraph_input_uid: int | None = None,
            subgraph_output_uid: int | None = None,
            cu_seq_len_qdesc: TensorDescriptor | None = None,
            cu_seq_len_kvdesc: TensorDescriptor | None = None,
            dropout_seed_desc: TensorDescriptor | None = None,
            dropout_offset_desc: TensorDescriptor | None = None,
            dropout_probability: float | None = None,
            dbias_desc: TensorDescriptor | None = None,
        ) -> Self: ...

    @property
    def qdesc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        Since 9.17.0.

        C: CUDNN_ATTR_OPERATION_SDPA_BWD_QDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("qdesc")

    @property
    def kdesc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        Since 9.17.0.

        C: CUDNN_ATTR_OPERATION_SDPA_BWD_KDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("kdesc")

    @property
    def vdesc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        Since 9.17.0.

        C: CUDNN_ATTR_OPERATION_SDPA_BWD_VDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("vdesc")

    @property
    def odesc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        Since 9.17.0.

        C: CUDNN_ATTR_OPERATION_SDPA_BWD_ODESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("odesc")

    @property
    def statsdesc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        Since 9.17.0.

        C: CUDNN_ATTR_OPERATION_SDPA_BWD_STATSDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("statsdesc")

    @property
    def scaledesc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Since 9.17.0.

        C: CUDNN_ATTR_OPERATION_SDPA_BWD_SCALEDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("scaledesc")

    @property
    def seq_len_qdesc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Needed if one of `seq_len_kvdesc` is set. Since 9.17.0.

        C: CUDNN_ATTR_OPERATION_SDPA_BWD_SEQ_LEN_QDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("seq_len_qdesc")

    @property
    def seq_len_kvdesc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Needed if one of `seq_len_qdesc` is set. Since 9.17.0.

        C: CUDNN_ATTR_OPERATION_SDPA_BWD_SEQ_LEN_KVDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("seq_len_kvdesc")

    @property
    def dqdesc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        Since 9.17.0.

        C: CUDNN_ATTR_OPERATION_SDPA_BWD_DQDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("dqdesc")

    @property
    def dkdesc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        Since 9.17.0.

        C: CUDNN_ATTR_OPERATION_SDPA_BWD_DKDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("dkdesc")

    @property
    def dvdesc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        Since 9.17.0.

        C: CUDNN_ATTR_OPERATION_SDPA_BWD_DVDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("dvdesc")

    @property
    def doddesc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        Since 9.17.0.

        C: CUDNN_ATTR_OPERATION_SDPA_BWD_DODDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("doddesc")

    @property
    def sink_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Since 9.21.0.

        C: CUDNN_ATTR_OPERATION_SDPA_BWD_SINK_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("sink_desc")

    @property
    def dsink_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Since 9.21.0.

        C: CUDNN_ATTR_OPERATION_SDPA_BWD_DSINK_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("dsink_desc")

    @property
    def max_total_seq_len_q(self) -> int:
        """An int.

        Since 9.21.0.

        C: CUDNN_ATTR_OPERATION_SDPA_BWD_MAX_TOTAL_SEQ_LEN_Q, of CUDNN_TYPE_INT64.
        """
        return self._get("max_total_seq_len_q")

    @property
    def max_total_seq_len_kv(self) -> int:
        """An int.

        Since 9.21.0.

        C: CUDNN_ATTR_OPERATION_SDPA_BWD_MAX_TOTAL_SEQ_LEN_KV, of CUDNN_TYPE_INT64.
        """
        return self._get("max_total_seq_len_kv")

    @property
    def subgraph(self) -> OperationGraphDescriptor | None:
        """A `OperationGraphDescriptor`.

        Since 9.21.0.

        C: CUDNN_ATTR_OPERATION_SDPA_BWD_SUBGRAPH, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("subgraph")

    @property
    def subgraph_input_uid(self) -> int:
        """An int.

        The default is -1. Since 9.21.0.

        C: CUDNN_ATTR_OPERATION_SDPA_BWD_SUBGRAPH_INPUT_UID, of CUDNN_TYPE_INT64.
        """
        return self._get("subgraph_input_uid")

    @property
    def subgraph_output_uid(self) -> int:
        """An int.

        The default is -1. Since 9.21.0.

        C: CUDNN_ATTR_OPERATION_SDPA_BWD_SUBGRAPH_OUTPUT_UID, of CUDNN_TYPE_INT64.
        """
        return self._get("subgraph_output_uid")

    @property
    def cu_seq_len_qdesc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Since 9.28.0.

        C: CUDNN_ATTR_OPERATION_SDPA_BWD_CU_SEQ_LEN_QDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("cu_seq_len_qdesc")

    @property
    def cu_seq_len_kvdesc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Since 9.28.0.

        C: CUDNN_ATTR_OPERATION_SDPA_BWD_CU_SEQ_LEN_KVDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("cu_seq_len_kvdesc")

    @property
    def dropout_seed_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Since 9.28.0.

        C: CUDNN_ATTR_OPERATION_SDPA_BWD_DROPOUT_SEED_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("dropout_seed_desc")

    @property
    def dropout_offset_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Since 9.28.0.

        C: CUDNN_ATTR_OPERATION_SDPA_BWD_DROPOUT_OFFSET_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("dropout_offset_desc")

    @property
    def dropout_probability(self) -> float:
        """A float.

        Since 9.28.0.

        C: CUDNN_ATTR_OPERATION_SDPA_BWD_DROPOUT_PROBABILITY, of CUDNN_TYPE_FLOAT.
        """
        return self._get("dropout_probability")

    @property
    def dbias_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Since 9.28.0.

        C: CUDNN_ATTR_OPERATION_SDPA_BWD_DBIAS_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("dbias_desc")


class OperationDiagonalBandMaskDescriptor(OperationDescriptor):
    """A backend descriptor: CUDNN_BACKEND_OPERATION_DIAGONAL_BAND_MASK_DESCRIPTOR.

    Since 9.20.0.
    """

    __slots__ = ()
    c_name = "CUDNN_BACKEND_OPERATION_DIAGONAL_BAND_MASK_DESCRIPTOR"

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            xdesc: TensorDescriptor | None = None,
            seq_len_kvdesc: TensorDescriptor | None = None,
            seq_len_qdesc: TensorDescriptor | None = None,
            left_bound_desc: TensorDescriptor | None = None,
            shift_right_bound_desc: TensorDescriptor | None = None,
            bdesc: TensorDescriptor | None = None,
            ydesc: TensorDescriptor | None = None,
            comparison_mode: PointwiseMode | str | None = None,
            cu_seq_len_kvdesc: TensorDescriptor | None = None,
            cu_seq_len_qdesc: TensorDescriptor | None = None,
        ) -> None: ...

        @classmethod
        def open(
            cls,
            *,
            xdesc: TensorDescriptor | None = None,
            seq_len_kvdesc: TensorDescriptor | None = None,
            seq_len_qdesc: TensorDescriptor | None = None,
            left_bound_desc: TensorDescriptor | None = None,
            shift_right_bound_desc: TensorDescriptor | None = None,
            bdesc: TensorDescriptor | None = None,
            ydesc: TensorDescriptor | None = None,
            comparison_mode: PointwiseMode | str | None = None,
            cu_seq_len_kvdesc: TensorDescriptor | None = None,
            cu_seq_len_qdesc: TensorDescriptor | None = None,
        ) -> Self: ...

        def set(
            self,
            *,
            xdesc: TensorDescriptor | None = None,
            seq_len_kvdesc: TensorDescriptor | None = None,
            seq_len_qdesc: TensorDescriptor | None = None,
            left_bound_desc: TensorDescriptor | None = None,
            shift_right_bound_desc: TensorDescriptor | None = None,
            bdesc: TensorDescriptor | None = None,
            ydesc: TensorDescriptor | None = None,
            comparison_mode: PointwiseMode | str | None = None,
            cu_seq_len_kvdesc: TensorDescriptor | None = None,
            cu_seq_len_qdesc: TensorDescriptor | None = None,
        ) -> Self: ...

    @property
    def xdesc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        Since 9.20.0.

        C: CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_XDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("xdesc")

    @property
    def seq_len_kvdesc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Since 9.20.0.

        C: CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_SEQ_LEN_KVDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("seq_len_kvdesc")

    @property
    def seq_len_qdesc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Since 9.20.0.

        C: CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_SEQ_LEN_QDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("seq_len_qdesc")

    @property
    def left_bound_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Since 9.20.0.

        C: CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_LEFT_BOUND_DESC, of
        CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("left_bound_desc")

    @property
    def shift_right_bound_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Since 9.20.0.

        C: CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_SHIFT_RIGHT_BOUND_DESC, of
        CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("shift_right_bound_desc")

    @property
    def bdesc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        Since 9.20.0.

        C: CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_BDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("bdesc")

    @property
    def ydesc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        Since 9.20.0.

        C: CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_YDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("ydesc")

    @property
    def comparison_mode(self) -> PointwiseMode:
        """A member of `PointwiseMode`.

        The default is CUDNN_POINTWISE_CMP_GT. Since 9.20.0.

        C: CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_COMPARISON_MODE, of CUDNN_TYPE_POINTWISE_MODE.
        """
        return self._get("comparison_mode")

    @property
    def cu_seq_len_kvdesc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Since 9.24.0.

        C: CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_CU_SEQ_LEN_KVDESC, of
        CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("cu_seq_len_kvdesc")

    @property
    def cu_seq_len_qdesc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Since 9.24.0.

        C: CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_CU_SEQ_LEN_QDESC, of
        CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("cu_seq_len_qdesc")


class OperationSoftmaxDescriptor(OperationDescriptor):
    """A backend descriptor: CUDNN_BACKEND_OPERATION_SOFTMAX_DESCRIPTOR.

    Since 9.20.0.
    """

    __slots__ = ()
    c_name = "CUDNN_BACKEND_OPERATION_SOFTMAX_DESCRIPTOR"

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            xdesc: TensorDescriptor | None = None,
            ydesc: TensorDescriptor | None = None,
            stats_desc: TensorDescriptor | None = None,
            max_desc: TensorDescriptor | None = None,
            sum_exp_desc: TensorDescriptor | None = None,
            sink_desc: TensorDescriptor | None = None,
            stats_log2: bool | None = None,
        ) -> None: ...

        @classmethod
        def open(
            cls,
            *,
            xdesc: TensorDescriptor | None = None,
            ydesc: TensorDescriptor | None = None,
            stats_desc: TensorDescriptor | None = None,
            max_desc: TensorDescriptor | None = None,
            sum_exp_desc: TensorDescriptor | None = None,
            sink_desc: TensorDescriptor | None = None,
            stats_log2: bool | None = None,
        ) -> Self: ...

        def set(
            self,
            *,
            xdesc: TensorDescriptor | None = None,
            ydesc: TensorDescriptor | None = None,
            stats_desc: TensorDescriptor | None = None,
            max_desc: TensorDescriptor | None = None,
            sum_exp_desc: TensorDescriptor | None = None,
            sink_desc: TensorDescriptor | None = None,
            stats_log2: bool | None = None,
        ) -> Self: ...

    @property
    def xdesc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        Since 9.20.0.

        C: CUDNN_ATTR_OPERATION_SOFTMAX_XDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("xdesc")

    @property
    def ydesc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        Since 9.20.0.

        C: CUDNN_ATTR_OPERATION_SOFTMAX_YDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("ydesc")

    @property
    def stats_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Since 9.20.0.

        C: CUDNN_ATTR_OPERATION_SOFTMAX_STATS_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("stats_desc")

    @property
    def max_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Since 9.20.0.

        C: CUDNN_ATTR_OPERATION_SOFTMAX_MAX_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("max_desc")

    @property
    def sum_exp_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Since 9.20.0.

        C: CUDNN_ATTR_OPERATION_SOFTMAX_SUM_EXP_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("sum_exp_desc")

    @property
    def sink_desc(self) -> TensorDescriptor | None:
        """A `TensorDescriptor`.

        Since 9.20.0.

        C: CUDNN_ATTR_OPERATION_SOFTMAX_SINK_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("sink_desc")

    @property
    def stats_log2(self) -> bool:
        """A bool.

        The default is False. Since 9.27.0.

        C: CUDNN_ATTR_OPERATION_SOFTMAX_STATS_LOG2, of CUDNN_TYPE_BOOLEAN.
        """
        return self._get("stats_log2")


class OperationTransposeDescriptor(OperationDescriptor):
    """A backend descriptor: CUDNN_BACKEND_OPERATION_TRANSPOSE_DESCRIPTOR.

    Since 9.22.0.
    """

    __slots__ = ()
    c_name = "CUDNN_BACKEND_OPERATION_TRANSPOSE_DESCRIPTOR"

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            xdesc: TensorDescriptor | None = None,
            ydesc: TensorDescriptor | None = None,
            permutation: Sequence[int] | None = None,
        ) -> None: ...

        @classmethod
        def open(
            cls,
            *,
            xdesc: TensorDescriptor | None = None,
            ydesc: TensorDescriptor | None = None,
            permutation: Sequence[int] | None = None,
        ) -> Self: ...

        def set(
            self,
            *,
            xdesc: TensorDescriptor | None = None,
            ydesc: TensorDescriptor | None = None,
            permutation: Sequence[int] | None = None,
        ) -> Self: ...

    @property
    def xdesc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        Since 9.22.0.

        C: CUDNN_ATTR_OPERATION_TRANSPOSE_XDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("xdesc")

    @property
    def ydesc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        Since 9.22.0.

        C: CUDNN_ATTR_OPERATION_TRANSPOSE_YDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("ydesc")

    @property
    def permutation(self) -> tuple[int, ...]:
        """Ints, at most 8, in number as `xdesc`, `ydesc`; required.

        Since 9.22.0.

        C: CUDNN_ATTR_OPERATION_TRANSPOSE_PERMUTATION, of CUDNN_TYPE_INT64.
        """
        return self._get("permutation")


class OperationSliceDescriptor(OperationDescriptor):
    """A backend descriptor: CUDNN_BACKEND_OPERATION_SLICE_DESCRIPTOR.

    Since 9.22.0.
    """

    __slots__ = ()
    c_name = "CUDNN_BACKEND_OPERATION_SLICE_DESCRIPTOR"

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            xdesc: TensorDescriptor | None = None,
            ydesc: TensorDescriptor | None = None,
            start_indices: Sequence[int] | None = None,
            limit_indices: Sequence[int] | None = None,
            strides: Sequence[int] | None = None,
        ) -> None: ...

        @classmethod
        def open(
            cls,
            *,
            xdesc: TensorDescriptor | None = None,
            ydesc: TensorDescriptor | None = None,
            start_indices: Sequence[int] | None = None,
            limit_indices: Sequence[int] | None = None,
            strides: Sequence[int] | None = None,
        ) -> Self: ...

        def set(
            self,
            *,
            xdesc: TensorDescriptor | None = None,
            ydesc: TensorDescriptor | None = None,
            start_indices: Sequence[int] | None = None,
            limit_indices: Sequence[int] | None = None,
            strides: Sequence[int] | None = None,
        ) -> Self: ...

    @property
    def xdesc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        Since 9.22.0.

        C: CUDNN_ATTR_OPERATION_SLICE_XDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("xdesc")

    @property
    def ydesc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        Since 9.22.0.

        C: CUDNN_ATTR_OPERATION_SLICE_YDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("ydesc")

    @property
    def start_indices(self) -> tuple[int, ...]:
        """Ints, at most 8, in number as `xdesc`, `ydesc`, `limit_indices`, `strides`; required.

        Since 9.22.0.

        C: CUDNN_ATTR_OPERATION_SLICE_START_INDICES, of CUDNN_TYPE_INT64.
        """
        return self._get("start_indices")

    @property
    def limit_indices(self) -> tuple[int, ...]:
        """Ints, at most 8, in number as `xdesc`, `ydesc`, `start_indices`, `strides`; required.

        Since 9.22.0.

        C: CUDNN_ATTR_OPERATION_SLICE_LIMIT_INDICES, of CUDNN_TYPE_INT64.
        """
        return self._get("limit_indices")

    @property
    def strides(self) -> tuple[int, ...]:
        """Ints, at most 8, in number as `xdesc`, `ydesc`, `start_indices`, `limit_indices`; required.

        Since 9.22.0.

        C: CUDNN_ATTR_OPERATION_SLICE_STRIDES, of CUDNN_TYPE_INT64.
        """
        return self._get("strides")


class OperationMOEGroupedMatmulBwdDescriptor(OperationDescriptor):
    """A backend descriptor: CUDNN_BACKEND_OPERATION_MOE_GROUPED_MATMUL_BWD_DESCRIPTOR.

    Since 9.22.0.
    """

    __slots__ = ()
    c_name = "CUDNN_BACKEND_OPERATION_MOE_GROUPED_MATMUL_BWD_DESCRIPTOR"

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            math_prec: DataType | str | None = None,
            token_desc: TensorDescriptor | None = None,
            dweight_desc: TensorDescriptor | None = None,
            first_token_offset_desc: TensorDescriptor | None = None,
            doutput_desc: TensorDescriptor | None = None,
        ) -> None: ...

        @classmethod
        def open(
            cls,
            *,
            math_prec: DataType | str | None = None,
            token_desc: TensorDescriptor | None = None,
            dweight_desc: TensorDescriptor | None = None,
            first_token_offset_desc: TensorDescriptor | None = None,
            doutput_desc: TensorDescriptor | None = None,
        ) -> Self: ...

        def set(
            self,
            *,
            math_prec: DataType | str | None = None,
            token_desc: TensorDescriptor | None = None,
            dweight_desc: TensorDescriptor | None = None,
            first_token_offset_desc: TensorDescriptor | None = None,
            doutput_desc: TensorDescriptor | None = None,
        ) -> Self: ...

    @property
    def math_prec(self) -> DataType:
        """A member of `DataType`.

        The default is CUDNN_DATA_FLOAT. Since 9.22.0.

        C: CUDNN_ATTR_OPERATION_MOE_GROUPED_MATMUL_BWD_MATH_PREC, of CUDNN_TYPE_DATA_TYPE.
        """
        return self._get("math_prec")

    @property
    def token_desc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        Since 9.22.0.

        C: CUDNN_ATTR_OPERATION_MOE_GROUPED_MATMUL_BWD_TOKEN_DESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("token_desc")

    @property
    def dweight_desc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        Since 9.22.0.

        C: CUDNN_ATTR_OPERATION_MOE_GROUPED_MATMUL_BWD_DWEIGHT_DESC, of
        CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("dweight_desc")

    @property
    def first_token_offset_desc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        Since 9.22.0.

        C: CUDNN_ATTR_OPERATION_MOE_GROUPED_MATMUL_BWD_FIRST_TOKEN_OFFSET_DESC, of
        CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("first_token_offset_desc")

    @property
    def doutput_desc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        Since 9.22.0.

        C: CUDNN_ATTR_OPERATION_MOE_GROUPED_MATMUL_BWD_DOUTPUT_DESC, of
        CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("doutput_desc")


class OperationRopeFwdDescriptor(OperationDescriptor):
    """A backend descriptor: CUDNN_BACKEND_OPERATION_ROPE_FWD_DESCRIPTOR.

    Since 9.24.0.
    """

    __slots__ = ()
    c_name = "CUDNN_BACKEND_OPERATION_ROPE_FWD_DESCRIPTOR"

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            xdesc: TensorDescriptor | None = None,
            ydesc: TensorDescriptor | None = None,
            freqsdesc: TensorDescriptor | None = None,
            output_scale: float | None = None,
            rope_dim: int | None = None,
        ) -> None: ...

        @classmethod
        def open(
            cls,
            *,
            xdesc: TensorDescriptor | None = None,
            ydesc: TensorDescriptor | None = None,
            freqsdesc: TensorDescriptor | None = None,
            output_scale: float | None = None,
            rope_dim: int | None = None,
        ) -> Self: ...

        def set(
            self,
            *,
            xdesc: TensorDescriptor | None = None,
            ydesc: TensorDescriptor | None = None,
            freqsdesc: TensorDescriptor | None = None,
            output_scale: float | None = None,
            rope_dim: int | None = None,
        ) -> Self: ...

    @property
    def xdesc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        Since 9.24.0.

        C: CUDNN_ATTR_OPERATION_ROPE_FWD_XDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("xdesc")

    @property
    def ydesc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        Since 9.24.0.

        C: CUDNN_ATTR_OPERATION_ROPE_FWD_YDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("ydesc")

    @property
    def freqsdesc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        Since 9.24.0.

        C: CUDNN_ATTR_OPERATION_ROPE_FWD_FREQSDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("freqsdesc")

    @property
    def output_scale(self) -> float:
        """A float.

        The default is 1.0. Since 9.24.0.

        C: CUDNN_ATTR_OPERATION_ROPE_FWD_OUTPUT_SCALE, of CUDNN_TYPE_FLOAT.
        """
        return self._get("output_scale")

    @property
    def rope_dim(self) -> int:
        """An int.

        Since 9.24.0.

        C: CUDNN_ATTR_OPERATION_ROPE_FWD_ROPE_DIM, of CUDNN_TYPE_INT64.
        """
        return self._get("rope_dim")


class OperationRopeBwdDescriptor(OperationDescriptor):
    """A backend descriptor: CUDNN_BACKEND_OPERATION_ROPE_BWD_DESCRIPTOR.

    Since 9.24.0.
    """

    __slots__ = ()
    c_name = "CUDNN_BACKEND_OPERATION_ROPE_BWD_DESCRIPTOR"

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            dydesc: TensorDescriptor | None = None,
            dxdesc: TensorDescriptor | None = None,
            freqsdesc: TensorDescriptor | None = None,
            output_scale: float | None = None,
            rope_dim: int | None = None,
        ) -> None: ...

        @classmethod
        def open(
            cls,
            *,
            dydesc: TensorDescriptor | None = None,
            dxdesc: TensorDescriptor | None = None,
            freqsdesc: TensorDescriptor | None = None,
            output_scale: float | None = None,
            rope_dim: int | None = None,
        ) -> Self: ...

        def set(
            self,
            *,
            dydesc: TensorDescriptor | None = None,
            dxdesc: TensorDescriptor | None = None,
            freqsdesc: TensorDescriptor | None = None,
            output_scale: float | None = None,
            rope_dim: int | None = None,
        ) -> Self: ...

    @property
    def dydesc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        Since 9.24.0.

        C: CUDNN_ATTR_OPERATION_ROPE_BWD_DYDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("dydesc")

    @property
    def dxdesc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        Since 9.24.0.

        C: CUDNN_ATTR_OPERATION_ROPE_BWD_DXDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("dxdesc")

    @property
    def freqsdesc(self) -> TensorDescriptor:
        """A `TensorDescriptor`; required.

        Since 9.24.0.

        C: CUDNN_ATTR_OPERATION_ROPE_BWD_FREQSDESC, of CUDNN_TYPE_BACKEND_DESCRIPTOR.
        """
        return self._get("freqsdesc")

    @property
    def output_scale(self) -> float:
        """A float.

        The default is 1.0. Since 9.24.0.

        C: CUDNN_ATTR_OPERATION_ROPE_BWD_OUTPUT_SCALE, of CUDNN_TYPE_FLOAT.
        """
        return self._get("output_scale")

    @property
    def rope_dim(self) -> int:
        """An int.

        Since 9.24.0.

        C: CUDNN_ATTR_OPERATION_ROPE_BWD_ROPE_DIM, of CUDNN_TYPE_INT64.
        """
        return self._get("rope_dim")
