# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:6c8ed52782c8a98b34cd4131c7a2690c
"""Descriptors and other objects of cuDNN's as classes that own what they hold.

Methods are cuDNN's functions on the object. Their names are the C names without the object's.
"""

# The signatures are for type checkers, what is inside is not.
# mypy: ignore-errors

from __future__ import annotations

from ._object import Family, removed as _removed
from .calls import adv as _adv
from .calls import adv_infer as _adv_infer
from .calls import adv_train as _adv_train
from .calls import cnn as _cnn
from .calls import graph as _graph
from .calls import ops as _ops
from .calls import ops_infer as _ops_infer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from typing_extensions import deprecated as _removed

    from .enums import (
        ActivationMode,
        AttnMode,
        BackendAttributeName,
        BackendAttributeType,
        BackendDescriptorType,
        BatchNormMode,
        CTCGradMode,
        ConvolutionMode,
        DataType,
        DirectionMode,
        FoldingDirection,
        ForwardMode,
        FusedOps,
        FusedOpsConstParamLabel,
        FusedOpsVariantParamLabel,
        IndicesType,
        LRNMode,
        LossNormalizationMode,
        MathType,
        MultiHeadAttnWeightKind,
        NanPropagation,
        NormMode,
        OpTensorOp,
        PoolingMode,
        RNNAlgo,
        RNNBiasMode,
        RNNClipMode,
        RNNDataLayout,
        RNNInputMode,
        RNNMode,
        RNNPaddedIO,
        ReduceTensorIndices,
        ReduceTensorOp,
        ReorderType,
        SamplerType,
        SeqDataAxis,
        TensorFormat,
        WgradMode,
    )
    from .records import Algorithm
    from .types import DevicePointer, HostPointer, ScalingFactor, Stream


class ActivationDescriptor(Family):
    """A cudnnActivationDescriptor_t, destroyed when closed.

    Made by `cudnnCreateActivationDescriptor`, destroyed by `cudnnDestroyActivationDescriptor`.
    """

    __slots__ = ("_cudnnActivationDescriptor_t",)
    _cudnnActivationDescriptor_t: int
    _c_name = "cudnnActivationDescriptor_t"
    _destroy = staticmethod(_ops.cudnnDestroyActivationDescriptor)
    _functions = {
        "backward": "cudnnActivationBackward",
        "forward": "cudnnActivationForward",
        "get": "cudnnGetActivationDescriptor",
        "get_swish_beta": "cudnnGetActivationDescriptorSwishBeta",
        "set": "cudnnSetActivationDescriptor",
        "set_swish_beta": "cudnnSetActivationDescriptorSwishBeta",
    }

    def __init__(self) -> None:
        self._own(_ops.cudnnCreateActivationDescriptor())

    def backward(
        self,
        handle: Handle | int,
        alpha: ScalingFactor,
        yDesc: TensorDescriptor | int,
        y: DevicePointer,
        dyDesc: TensorDescriptor | int,
        dy: DevicePointer,
        xDesc: TensorDescriptor | int,
        x: DevicePointer,
        beta: ScalingFactor,
        dxDesc: TensorDescriptor | int,
        dx: DevicePointer,
    ) -> None:
        """Compute `dx` from `y`, `dy` and `x`.

        See `cudnnActivationBackward` for the arguments.
        """
        return _ops.cudnnActivationBackward(
            handle,
            self,
            alpha,
            yDesc,
            y,
            dyDesc,
            dy,
            xDesc,
            x,
            beta,
            dxDesc,
            dx,
        )

    def forward(
        self,
        handle: Handle | int,
        alpha: ScalingFactor,
        xDesc: TensorDescriptor | int,
        x: DevicePointer,
        beta: ScalingFactor,
        yDesc: TensorDescriptor | int,
        y: DevicePointer,
    ) -> None:
        """Compute `y` from `x`.

        See `cudnnActivationForward` for the arguments.
        """
        return _ops.cudnnActivationForward(handle, self, alpha, xDesc, x, beta, yDesc, y)

    def get(self) -> _ops.GetActivationDescriptorResult:
        """Return `mode`, `reluNanOpt` and `coef` of this object.

        See `cudnnGetActivationDescriptor`.
        """
        return _ops.cudnnGetActivationDescriptor(self)

    def get_swish_beta(self) -> float:
        """Return `swish_beta` of this object.

        See `cudnnGetActivationDescriptorSwishBeta`.
        """
        return _ops.cudnnGetActivationDescriptorSwishBeta(self)

    def set(self, mode: ActivationMode, reluNanOpt: NanPropagation, coef: float) -> None:
        """Set `mode`, `reluNanOpt` and `coef` of this object.

        See `cudnnSetActivationDescriptor` for the arguments.
        """
        return _ops.cudnnSetActivationDescriptor(self, mode, reluNanOpt, coef)

    def set_swish_beta(self, swish_beta: float) -> None:
        """Set `swish_beta` of this object.

        See `cudnnSetActivationDescriptorSwishBeta` for the arguments.
        """
        return _ops.cudnnSetActivationDescriptorSwishBeta(self, swish_beta)


class AlgorithmDescriptor(Family):
    """A cudnnAlgorithmDescriptor_t, destroyed when closed. Removed in 9.0.0.

    Made by `cudnnCreateAlgorithmDescriptor`, destroyed by `cudnnDestroyAlgorithmDescriptor`.
    """

    __slots__ = ("_cudnnAlgorithmDescriptor_t",)
    _cudnnAlgorithmDescriptor_t: int
    _c_name = "cudnnAlgorithmDescriptor_t"
    _destroy = staticmethod(_ops_infer.cudnnDestroyAlgorithmDescriptor)
    _functions = {
        "copy": "cudnnCopyAlgorithmDescriptor",
        "get": "cudnnGetAlgorithmDescriptor",
        "get_space_size": "cudnnGetAlgorithmSpaceSize",
        "save": "cudnnSaveAlgorithm",
        "set": "cudnnSetAlgorithmDescriptor",
    }

    def __init__(self) -> None:
        self._own(_ops_infer.cudnnCreateAlgorithmDescriptor())

    @_removed("removed in 9.0.0")
    def copy(self, dest: AlgorithmDescriptor | int) -> None:
        """Copy into `dest` from this object.

        See `cudnnCopyAlgorithmDescriptor` for the arguments. Removed in 9.0.0.
        """
        return _ops_infer.cudnnCopyAlgorithmDescriptor(self, dest)

    @_removed("removed in 9.0.0")
    def get(self) -> Algorithm:
        """Return an `Algorithm` of this object.

        See `cudnnGetAlgorithmDescriptor`. Removed in 9.0.0.
        """
        return _ops_infer.cudnnGetAlgorithmDescriptor(self)

    @_removed("removed in 9.0.0")
    def get_space_size(self, handle: Handle | int) -> int:
        """Return `algoSpaceSizeInBytes` of this object.

        See `cudnnGetAlgorithmSpaceSize` for the arguments. Removed in 9.0.0.
        """
        return _ops_infer.cudnnGetAlgorithmSpaceSize(handle, self)

    @_removed("removed in 9.0.0")
    def save(self, handle: Handle | int, algoSpace: HostPointer, algoSpaceSizeInBytes: int) -> None:
        """Save algorithm with this object.

        See `cudnnSaveAlgorithm` for the arguments. Removed in 9.0.0.
        """
        return _ops_infer.cudnnSaveAlgorithm(handle, self, algoSpace, algoSpaceSizeInBytes)

    @_removed("removed in 9.0.0")
    def set(self, algorithm: HostPointer) -> None:
        """Set `algorithm` of this object.

        See `cudnnSetAlgorithmDescriptor` for the arguments. Removed in 9.0.0.
        """
        return _ops_infer.cudnnSetAlgorithmDescriptor(self, algorithm)


class AttnDescriptor(Family):
    """A cudnnAttnDescriptor_t, destroyed when closed.

    Made by `cudnnCreateAttnDescriptor`, destroyed by `cudnnDestroyAttnDescriptor`.
    """

    __slots__ = ("_cudnnAttnDescriptor_t",)
    _cudnnAttnDescriptor_t: int
    _c_name = "cudnnAttnDescriptor_t"
    _destroy = staticmethod(_adv.cudnnDestroyAttnDescriptor)
    _functions = {
        "get": "cudnnGetAttnDescriptor",
        "get_multi_head_buffers": "cudnnGetMultiHeadAttnBuffers",
        "get_multi_head_weights": "cudnnGetMultiHeadAttnWeights",
        "multi_head_backward_data": "cudnnMultiHeadAttnBackwardData",
        "multi_head_backward_weights": "cudnnMultiHeadAttnBackwardWeights",
        "multi_head_forward": "cudnnMultiHeadAttnForward",
        "set": "cudnnSetAttnDescriptor",
    }

    def __init__(self) -> None:
        self._own(_adv.cudnnCreateAttnDescriptor())

    def get(self) -> _adv.GetAttnDescriptorResult:
        """Return 19 values of this object.

        See `cudnnGetAttnDescriptor`.
        """
        return _adv.cudnnGetAttnDescriptor(self)

    def get_multi_head_buffers(self, handle: Handle | int) -> _adv.GetMultiHeadAttnBuffersResult:
        """Return `weightSizeInBytes`, `workSpaceSizeInBytes` and `reserveSpaceSizeInBytes`.

        See `cudnnGetMultiHeadAttnBuffers` for the arguments.
        """
        return _adv.cudnnGetMultiHeadAttnBuffers(handle, self)

    def get_multi_head_weights(
        self,
        handle: Handle | int,
        wKind: MultiHeadAttnWeightKind,
        weightSizeInBytes: int,
        weights: DevicePointer,
        wDesc: TensorDescriptor | int,
    ) -> int:
        """Return `wAddr` of this object.

        See `cudnnGetMultiHeadAttnWeights` for the arguments.
        """
        return _adv.cudnnGetMultiHeadAttnWeights(
            handle,
            self,
            wKind,
            weightSizeInBytes,
            weights,
            wDesc,
        )

    def multi_head_backward_data(
        self,
        handle: Handle | int,
        loWinIdx: Sequence[int] | HostPointer,
        hiWinIdx: Sequence[int] | HostPointer,
        devSeqLengthsDQDO: DevicePointer,
        devSeqLengthsDKDV: DevicePointer,
        doDesc: SeqDataDescriptor | int,
        dout: DevicePointer,
        dqDesc: SeqDataDescriptor | int,
        dqueries: DevicePointer,
        queries: DevicePointer,
        dkDesc: SeqDataDescriptor | int,
        dkeys: DevicePointer,
        keys: DevicePointer,
        dvDesc: SeqDataDescriptor | int,
        dvalues: DevicePointer,
        values: DevicePointer,
        weightSizeInBytes: int,
        weights: DevicePointer,
        workSpaceSizeInBytes: int,
        workSpace: DevicePointer,
        reserveSpaceSizeInBytes: int,
        reserveSpace: DevicePointer,
    ) -> None:
        """Compute `dqueries`, `dkeys` and `dvalues`.

        See `cudnnMultiHeadAttnBackwardData` for the arguments.
        """
        return _adv.cudnnMultiHeadAttnBackwardData(
            handle,
            self,
            loWinIdx,
            hiWinIdx,
            devSeqLengthsDQDO,
            devSeqLengthsDKDV,
            doDesc,
            dout,
            dqDesc,
            dqueries,
            queries,
            dkDesc,
            dkeys,
            keys,
            dvDesc,
            dvalues,
            values,
            weightSizeInBytes,
            weights,
            workSpaceSizeInBytes,
            workSpace,
            reserveSpaceSizeInBytes,
            reserveSpace,
        )

    def multi_head_backward_weights(
        self,
        handle: Handle | int,
        addGrad: WgradMode,
        qDesc: SeqDataDescriptor | int,
        queries: DevicePointer,
        kDesc: SeqDataDescriptor | int,
        keys: DevicePointer,
        vDesc: SeqDataDescriptor | int,
        values: DevicePointer,
        doDesc: SeqDataDescriptor | int,
        dout: DevicePointer,
        weightSizeInBytes: int,
        weights: DevicePointer,
        dweights: DevicePointer,
        workSpaceSizeInBytes: int,
        workSpace: DevicePointer,
        reserveSpaceSizeInBytes: int,
        reserveSpace: DevicePointer,
    ) -> None:
        """Compute `dweights` from `queries`, `keys`, `values`, `dout` and `weights`.

        See `cudnnMultiHeadAttnBackwardWeights` for the arguments.
        """
        return _adv.cudnnMultiHeadAttnBackwardWeights(
            handle,
            self,
            addGrad,
            qDesc,
            queries,
            kDesc,
            keys,
            vDesc,
            values,
            doDesc,
            dout,
            weightSizeInBytes,
            weights,
            dweights,
            workSpaceSizeInBytes,
            workSpace,
            reserveSpaceSizeInBytes,
            reserveSpace,
        )

    def multi_head_forward(
        self,
        handle: Handle | int,
        currIdx: int,
        loWinIdx: Sequence[int] | HostPointer,
        hiWinIdx: Sequence[int] | HostPointer,
        devSeqLengthsQO: DevicePointer,
        devSeqLengthsKV: DevicePointer,
        qDesc: SeqDataDescriptor | int,
        queries: DevicePointer,
        residuals: DevicePointer,
        kDesc: SeqDataDescriptor | int,
        keys: DevicePointer,
        vDesc: SeqDataDescriptor | int,
        values: DevicePointer,
        oDesc: SeqDataDescriptor | int,
        out: DevicePointer,
        weightSizeInBytes: int,
        weights: DevicePointer,
        workSpaceSizeInBytes: int,
        workSpace: DevicePointer,
        reserveSpaceSizeInBytes: int,
        reserveSpace: DevicePointer,
    ) -> None:
        """Compute `out` from `queries`, `residuals`, `keys`, `values` and `weights`.

        See `cudnnMultiHeadAttnForward` for the arguments.
        """
        return _adv.cudnnMultiHeadAttnForward(
            handle,
            self,
            currIdx,
            loWinIdx,
            hiWinIdx,
            devSeqLengthsQO,
            devSeqLengthsKV,
            qDesc,
            queries,
            residuals,
            kDesc,
            keys,
            vDesc,
            values,
            oDesc,
            out,
            weightSizeInBytes,
            weights,
            workSpaceSizeInBytes,
            workSpace,
            reserveSpaceSizeInBytes,
            reserveSpace,
        )

    def set(
        self,
        attnMode: AttnMode | int,
        nHeads: int,
        smScaler: float,
        dataType: DataType,
        computePrec: DataType,
        mathType: MathType,
        attnDropoutDesc: DropoutDescriptor | int | None,
        postDropoutDesc: DropoutDescriptor | int | None,
        qSize: int,
        kSize: int,
        vSize: int,
        qProjSize: int,
        kProjSize: int,
        vProjSize: int,
        oProjSize: int,
        qoMaxSeqLength: int,
        kvMaxSeqLength: int,
        maxBatchSize: int,
        maxBeamSize: int,
    ) -> None:
        """Set up this object from the other arguments.

        See `cudnnSetAttnDescriptor` for the arguments.
        """
        return _adv.cudnnSetAttnDescriptor(
            self,
            attnMode,
            nHeads,
            smScaler,
            dataType,
            computePrec,
            mathType,
            attnDropoutDesc,
            postDropoutDesc,
            qSize,
            kSize,
            vSize,
            qProjSize,
            kProjSize,
            vProjSize,
            oProjSize,
            qoMaxSeqLength,
            kvMaxSeqLength,
            maxBatchSize,
            maxBeamSize,
        )


class BackendDescriptor(Family):
    """A cudnnBackendDescriptor_t, destroyed when closed.

    Made by `cudnnBackendCreateDescriptor`, destroyed by `cudnnBackendDestroyDescriptor`.
    """

    __slots__ = ("_cudnnBackendDescriptor_t",)
    _cudnnBackendDescriptor_t: int
    _c_name = "cudnnBackendDescriptor_t"
    _destroy = staticmethod(_graph.cudnnBackendDestroyDescriptor)
    _functions = {
        "execute": "cudnnBackendExecute",
        "finalize": "cudnnBackendFinalize",
        "get_attribute": "cudnnBackendGetAttribute",
        "initialize": "cudnnBackendInitialize",
        "populate_cuda_graph": "cudnnBackendPopulateCudaGraph",
        "set_attribute": "cudnnBackendSetAttribute",
        "update_cuda_graph": "cudnnBackendUpdateCudaGraph",
    }

    def __init__(self, descriptorType: BackendDescriptorType) -> None:
        self._own(_graph.cudnnBackendCreateDescriptor(descriptorType))

    def execute(self, handle: Handle | int, variantPack: BackendDescriptor | int) -> None:
        """Execute with this object and `variantPack`.

        See `cudnnBackendExecute` for the arguments.
        """
        return _graph.cudnnBackendExecute(handle, self, variantPack)

    def finalize(self) -> None:
        """Finalize this object.

        See `cudnnBackendFinalize`.
        """
        return _graph.cudnnBackendFinalize(self)

    def get_attribute(
        self,
        attributeName: BackendAttributeName,
        attributeType: BackendAttributeType,
        requestedElementCount: int,
        arrayOfElements: object = None,
    ) -> _graph.BackendGetAttributeResult:
        """Return `elementCount` and `arrayOfElements` of this object.

        See `cudnnBackendGetAttribute` for the arguments.
        """
        return _graph.cudnnBackendGetAttribute(
            self,
            attributeName,
            attributeType,
            requestedElementCount,
            arrayOfElements,
        )

    def initialize(self) -> None:
        """Initialize this object.

        See `cudnnBackendInitialize`.
        """
        return _graph.cudnnBackendInitialize(self)

    def populate_cuda_graph(
        self,
        handle: Handle | int,
        variantPack: BackendDescriptor | int,
        graph: HostPointer,
    ) -> None:
        """Populate cuda graph with this object and `variantPack`.

        See `cudnnBackendPopulateCudaGraph` for the arguments.
        """
        return _graph.cudnnBackendPopulateCudaGraph(handle, self, variantPack, graph)

    def set_attribute(
        self,
        attributeName: BackendAttributeName,
        attributeType: BackendAttributeType,
        elementCount: int,
        arrayOfElements: object,
    ) -> None:
        """Set `attributeName`, `attributeType` and `arrayOfElements` of this object.

        See `cudnnBackendSetAttribute` for the arguments.
        """
        return _graph.cudnnBackendSetAttribute(
            self,
            attributeName,
            attributeType,
            elementCount,
            arrayOfElements,
        )

    def update_cuda_graph(
        self,
        handle: Handle | int,
        variantPack: BackendDescriptor | int,
        graph: HostPointer,
    ) -> None:
        """Update cuda graph with this object and `variantPack`.

        See `cudnnBackendUpdateCudaGraph` for the arguments.
        """
        return _graph.cudnnBackendUpdateCudaGraph(handle, self, variantPack, graph)


class CTCLossDescriptor(Family):
    """A cudnnCTCLossDescriptor_t, destroyed when closed.

    Made by `cudnnCreateCTCLossDescriptor`, destroyed by `cudnnDestroyCTCLossDescriptor`.
    """

    __slots__ = ("_cudnnCTCLossDescriptor_t",)
    _cudnnCTCLossDescriptor_t: int
    _c_name = "cudnnCTCLossDescriptor_t"
    _destroy = staticmethod(_adv.cudnnDestroyCTCLossDescriptor)
    _functions = {
        "get": "cudnnGetCTCLossDescriptor",
        "get_ex": "cudnnGetCTCLossDescriptorEx",
        "get_v8": "cudnnGetCTCLossDescriptor_v8",
        "get_v9": "cudnnGetCTCLossDescriptor_v9",
        "set": "cudnnSetCTCLossDescriptor",
        "set_ex": "cudnnSetCTCLossDescriptorEx",
        "set_v8": "cudnnSetCTCLossDescriptor_v8",
        "set_v9": "cudnnSetCTCLossDescriptor_v9",
    }

    def __init__(self) -> None:
        self._own(_adv.cudnnCreateCTCLossDescriptor())

    def get(self) -> DataType:
        """Return `compType` of this object.

        See `cudnnGetCTCLossDescriptor`.
        """
        return _adv.cudnnGetCTCLossDescriptor(self)

    def get_ex(self) -> _adv.GetCTCLossDescriptorExResult:
        """Return `compType`, `normMode` and `gradMode` of this object.

        See `cudnnGetCTCLossDescriptorEx`.
        """
        return _adv.cudnnGetCTCLossDescriptorEx(self)

    def get_v8(self) -> _adv.GetCTCLossDescriptor_v8Result:
        """Return `compType`, `normMode`, `gradMode` and `maxLabelLength` of this object.

        See `cudnnGetCTCLossDescriptor_v8`.
        """
        return _adv.cudnnGetCTCLossDescriptor_v8(self)

    def get_v9(self) -> _adv.GetCTCLossDescriptor_v9Result:
        """Return `compType`, `normMode`, `ctcGradMode` and `maxLabelLength` of this object.

        See `cudnnGetCTCLossDescriptor_v9`.
        """
        return _adv.cudnnGetCTCLossDescriptor_v9(self)

    def set(self, compType: DataType) -> None:
        """Set `compType` of this object.

        See `cudnnSetCTCLossDescriptor` for the arguments.
        """
        return _adv.cudnnSetCTCLossDescriptor(self, compType)

    def set_ex(
        self,
        compType: DataType,
        normMode: LossNormalizationMode,
        gradMode: NanPropagation,
    ) -> None:
        """Set `compType`, `normMode` and `gradMode` of this object.

        See `cudnnSetCTCLossDescriptorEx` for the arguments.
        """
        return _adv.cudnnSetCTCLossDescriptorEx(self, compType, normMode, gradMode)

    def set_v8(
        self,
        compType: DataType,
        normMode: LossNormalizationMode,
        gradMode: NanPropagation,
        maxLabelLength: int,
    ) -> None:
        """Set `compType`, `normMode`, `gradMode` and `maxLabelLength` of this object.

        See `cudnnSetCTCLossDescriptor_v8` for the arguments.
        """
        return _adv.cudnnSetCTCLossDescriptor_v8(self, compType, normMode, gradMode, maxLabelLength)

    def set_v9(
        self,
        compType: DataType,
        normMode: LossNormalizationMode,
        ctcGradMode: CTCGradMode,
        maxLabelLength: int,
    ) -> None:
        """Set `compType`, `normMode`, `ctcGradMode` and `maxLabelLength` of this object.

        See `cudnnSetCTCLossDescriptor_v9` for the arguments.
        """
        return _adv.cudnnSetCTCLossDescriptor_v9(
            self,
            compType,
            normMode,
            ctcGradMode,
            maxLabelLength,
        )


class ConvolutionDescriptor(Family):
    """A cudnnConvolutionDescriptor_t, destroyed when closed.

    Made by `cudnnCreateConvolutionDescriptor`, destroyed by `cudnnDestroyConvolutionDescriptor`.
    """

    __slots__ = ("_cudnnConvolutionDescriptor_t",)
    _cudnnConvolutionDescriptor_t: int
    _c_name = "cudnnConvolutionDescriptor_t"
    _destroy = staticmethod(_cnn.cudnnDestroyConvolutionDescriptor)
    _functions = {
        "get_2d": "cudnnGetConvolution2dDescriptor",
        "get_2d_forward_output_dim": "cudnnGetConvolution2dForwardOutputDim",
        "get_group_count": "cudnnGetConvolutionGroupCount",
        "get_math_type": "cudnnGetConvolutionMathType",
        "get_nd": "cudnnGetConvolutionNdDescriptor",
        "get_nd_forward_output_dim": "cudnnGetConvolutionNdForwardOutputDim",
        "get_reorder_type": "cudnnGetConvolutionReorderType",
        "set_2d": "cudnnSetConvolution2dDescriptor",
        "set_group_count": "cudnnSetConvolutionGroupCount",
        "set_math_type": "cudnnSetConvolutionMathType",
        "set_nd": "cudnnSetConvolutionNdDescriptor",
        "set_reorder_type": "cudnnSetConvolutionReorderType",
    }

    def __init__(self) -> None:
        self._own(_cnn.cudnnCreateConvolutionDescriptor())

    def get_2d(self) -> _cnn.GetConvolution2dDescriptorResult:
        """Return `pad_h`, `pad_w`, `u`, `v`, `dilation_h`, `dilation_w`, `mode` and `computeType`.

        See `cudnnGetConvolution2dDescriptor`.
        """
        return _cnn.cudnnGetConvolution2dDescriptor(self)

    def get_2d_forward_output_dim(
        self,
        inputTensorDesc: TensorDescriptor | int,
        filterDesc: FilterDescriptor | int,
    ) -> _cnn.GetConvolution2dForwardOutputDimResult:
        """Return `n`, `c`, `h` and `w` for this object, `inputTensorDesc` and `filterDesc`.

        See `cudnnGetConvolution2dForwardOutputDim` for the arguments.
        """
        return _cnn.cudnnGetConvolution2dForwardOutputDim(self, inputTensorDesc, filterDesc)

    def get_group_count(self) -> int:
        """Return `groupCount` of this object.

        See `cudnnGetConvolutionGroupCount`.
        """
        return _cnn.cudnnGetConvolutionGroupCount(self)

    def get_math_type(self) -> MathType:
        """Return `mathType` of this object.

        See `cudnnGetConvolutionMathType`.
        """
        return _cnn.cudnnGetConvolutionMathType(self)

    def get_nd(self, arrayLengthRequested: int = 6) -> _cnn.GetConvolutionNdDescriptorResult:
        """Return `arrayLength`, `padA`, `strideA`, `dilationA`, `mode` and `computeType`.

        See `cudnnGetConvolutionNdDescriptor` for the arguments.
        """
        return _cnn.cudnnGetConvolutionNdDescriptor(self, arrayLengthRequested)

    def get_nd_forward_output_dim(
        self,
        inputTensorDesc: TensorDescriptor | int,
        filterDesc: FilterDescriptor | int,
        nbDims: int,
    ) -> tuple[int, ...]:
        """Return `tensorOuputDimA` for this object, `inputTensorDesc` and `filterDesc`.

        See `cudnnGetConvolutionNdForwardOutputDim` for the arguments.
        """
        return _cnn.cudnnGetConvolutionNdForwardOutputDim(self, inputTensorDesc, filterDesc, nbDims)

    def get_reorder_type(self) -> ReorderType:
        """Return `reorderType` of this object.

        See `cudnnGetConvolutionReorderType`.
        """
        return _cnn.cudnnGetConvolutionReorderType(self)

    def set_2d(
        self,
        pad_h: int,
        pad_w: int,
        u: int,
        v: int,
        dilation_h: int,
        dilation_w: int,
        mode: ConvolutionMode,
        computeType: DataType,
    ) -> None:
        """Set up this object from the other arguments.

        See `cudnnSetConvolution2dDescriptor` for the arguments.
        """
        return _cnn.cudnnSetConvolution2dDescriptor(
            self,
            pad_h,
            pad_w,
            u,
            v,
            dilation_h,
            dilation_w,
            mode,
            computeType,
        )

    def set_group_count(self, groupCount: int) -> None:
        """Set `groupCount` of this object.

        See `cudnnSetConvolutionGroupCount` for the arguments.
        """
        return _cnn.cudnnSetConvolutionGroupCount(self, groupCount)

    def set_math_type(self, mathType: MathType) -> None:
        """Set `mathType` of this object.

        See `cudnnSetConvolutionMathType` for the arguments.
        """
        return _cnn.cudnnSetConvolutionMathType(self, mathType)

    def set_nd(
        self,
        arrayLength: int,
        padA: Sequence[int] | HostPointer,
        filterStrideA: Sequence[int] | HostPointer,
        dilationA: Sequence[int] | HostPointer,
        mode: ConvolutionMode,
        computeType: DataType,
    ) -> None:
        """Set `padA`, `filterStrideA`, `dilationA`, `mode` and `computeType` of this object.

        See `cudnnSetConvolutionNdDescriptor` for the arguments.
        """
        return _cnn.cudnnSetConvolutionNdDescriptor(
            self,
            arrayLength,
            padA,
            filterStrideA,
            dilationA,
            mode,
            computeType,
        )

    def set_reorder_type(self, reorderType: ReorderType) -> None:
        """Set `reorderType` of this object.

        See `cudnnSetConvolutionReorderType` for the arguments.
        """
        return _cnn.cudnnSetConvolutionReorderType(self, reorderType)


class DropoutDescriptor(Family):
    """A cudnnDropoutDescriptor_t, destroyed when closed.

    Made by `cudnnCreateDropoutDescriptor`, destroyed by `cudnnDestroyDropoutDescriptor`.
    """

    __slots__ = ("_cudnnDropoutDescriptor_t",)
    _cudnnDropoutDescriptor_t: int
    _c_name = "cudnnDropoutDescriptor_t"
    _destroy = staticmethod(_ops.cudnnDestroyDropoutDescriptor)
    _functions = {
        "backward": "cudnnDropoutBackward",
        "forward": "cudnnDropoutForward",
        "get": "cudnnGetDropoutDescriptor",
        "restore": "cudnnRestoreDropoutDescriptor",
        "set": "cudnnSetDropoutDescriptor",
    }

    def __init__(self) -> None:
        self._own(_ops.cudnnCreateDropoutDescriptor())

    def backward(
        self,
        handle: Handle | int,
        dydesc: TensorDescriptor | int,
        dy: DevicePointer,
        dxdesc: TensorDescriptor | int,
        dx: DevicePointer,
        reserveSpace: DevicePointer,
        reserveSpaceSizeInBytes: int,
    ) -> None:
        """Compute `dx` from `dy`.

        See `cudnnDropoutBackward` for the arguments.
        """
        return _ops.cudnnDropoutBackward(
            handle,
            self,
            dydesc,
            dy,
            dxdesc,
            dx,
            reserveSpace,
            reserveSpaceSizeInBytes,
        )

    def forward(
        self,
        handle: Handle | int,
        xdesc: TensorDescriptor | int,
        x: DevicePointer,
        ydesc: TensorDescriptor | int,
        y: DevicePointer,
        reserveSpace: DevicePointer,
        reserveSpaceSizeInBytes: int,
    ) -> None:
        """Compute `y` from `x`.

        See `cudnnDropoutForward` for the arguments.
        """
        return _ops.cudnnDropoutForward(
            handle,
            self,
            xdesc,
            x,
            ydesc,
            y,
            reserveSpace,
            reserveSpaceSizeInBytes,
        )

    def get(self, handle: Handle | int) -> _ops.GetDropoutDescriptorResult:
        """Return `dropout`, `states` and `seed` of this object.

        See `cudnnGetDropoutDescriptor` for the arguments.
        """
        return _ops.cudnnGetDropoutDescriptor(self, handle)

    def restore(
        self,
        handle: Handle | int,
        dropout: float,
        states: DevicePointer,
        stateSizeInBytes: int,
        seed: int,
    ) -> None:
        """Restore this object from `dropout`, `states`, `stateSizeInBytes` and `seed`.

        See `cudnnRestoreDropoutDescriptor` for the arguments.
        """
        return _ops.cudnnRestoreDropoutDescriptor(
            self,
            handle,
            dropout,
            states,
            stateSizeInBytes,
            seed,
        )

    def set(
        self,
        handle: Handle | int,
        dropout: float,
        states: DevicePointer,
        stateSizeInBytes: int,
        seed: int,
    ) -> None:
        """Set `dropout`, `states`, `stateSizeInBytes` and `seed` of this object.

        See `cudnnSetDropoutDescriptor` for the arguments.
        """
        return _ops.cudnnSetDropoutDescriptor(self, handle, dropout, states, stateSizeInBytes, seed)


class FilterDescriptor(Family):
    """A cudnnFilterDescriptor_t, destroyed when closed.

    Made by `cudnnCreateFilterDescriptor`, destroyed by `cudnnDestroyFilterDescriptor`.
    """

    __slots__ = ("_cudnnFilterDescriptor_t",)
    _cudnnFilterDescriptor_t: int
    _c_name = "cudnnFilterDescriptor_t"
    _destroy = staticmethod(_ops.cudnnDestroyFilterDescriptor)
    _functions = {
        "get_4d": "cudnnGetFilter4dDescriptor",
        "get_nd": "cudnnGetFilterNdDescriptor",
        "get_size_in_bytes": "cudnnGetFilterSizeInBytes",
        "reorder_and_bias": "cudnnReorderFilterAndBias",
        "set_4d": "cudnnSetFilter4dDescriptor",
        "set_nd": "cudnnSetFilterNdDescriptor",
    }

    def __init__(self) -> None:
        self._own(_ops.cudnnCreateFilterDescriptor())

    def get_4d(self) -> _ops.GetFilter4dDescriptorResult:
        """Return `dataType`, `format`, `k`, `c`, `h` and `w` of this object.

        See `cudnnGetFilter4dDescriptor`.
        """
        return _ops.cudnnGetFilter4dDescriptor(self)

    def get_nd(self, nbDimsRequested: int = 8) -> _ops.GetFilterNdDescriptorResult:
        """Return `dataType`, `format`, `nbDims` and `filterDimA` of this object.

        See `cudnnGetFilterNdDescriptor` for the arguments.
        """
        return _ops.cudnnGetFilterNdDescriptor(self, nbDimsRequested)

    def get_size_in_bytes(self) -> int:
        """Return `size` of this object.

        See `cudnnGetFilterSizeInBytes`.
        """
        return _ops.cudnnGetFilterSizeInBytes(self)

    def reorder_and_bias(
        self,
        handle: Handle | int,
        reorderType: ReorderType,
        filterData: DevicePointer,
        reorderedFilterData: DevicePointer,
        reorderBias: int,
        biasData: DevicePointer,
        reorderedBiasData: DevicePointer,
    ) -> None:
        """Compute `reorderedFilterData` and `reorderedBiasData` from `filterData` and `biasData`.

        See `cudnnReorderFilterAndBias` for the arguments.
        """
        return _cnn.cudnnReorderFilterAndBias(
            handle,
            self,
            reorderType,
            filterData,
            reorderedFilterData,
            reorderBias,
            biasData,
            reorderedBiasData,
        )

    def set_4d(
        self,
        dataType: DataType,
        format: TensorFormat,
        k: int,
        c: int,
        h: int,
        w: int,
    ) -> None:
        """Set `dataType`, `format`, `k`, `c`, `h` and `w` of this object.

        See `cudnnSetFilter4dDescriptor` for the arguments.
        """
        return _ops.cudnnSetFilter4dDescriptor(self, dataType, format, k, c, h, w)

    def set_nd(
        self,
        dataType: DataType,
        format: TensorFormat,
        nbDims: int,
        filterDimA: Sequence[int] | HostPointer,
    ) -> None:
        """Set `dataType`, `format` and `filterDimA` of this object.

        See `cudnnSetFilterNdDescriptor` for the arguments.
        """
        return _ops.cudnnSetFilterNdDescriptor(self, dataType, format, nbDims, filterDimA)


class FusedOpsConstParamPack(Family):
    """A cudnnFusedOpsConstParamPack_t, destroyed when closed.

    Made by `cudnnCreateFusedOpsConstParamPack`, destroyed by `cudnnDestroyFusedOpsConstParamPack`.
    """

    __slots__ = ("_cudnnFusedOpsConstParamPack_t",)
    _cudnnFusedOpsConstParamPack_t: int
    _c_name = "cudnnFusedOpsConstParamPack_t"
    _destroy = staticmethod(_cnn.cudnnDestroyFusedOpsConstParamPack)
    _functions = {
        "get_attribute": "cudnnGetFusedOpsConstParamPackAttribute",
        "set_attribute": "cudnnSetFusedOpsConstParamPackAttribute",
    }

    def __init__(self, ops: FusedOps) -> None:
        self._own(_cnn.cudnnCreateFusedOpsConstParamPack(ops))

    def get_attribute(self, paramLabel: FusedOpsConstParamLabel, param: HostPointer) -> int:
        """Return `isNULL` of this object.

        See `cudnnGetFusedOpsConstParamPackAttribute` for the arguments.
        """
        return _cnn.cudnnGetFusedOpsConstParamPackAttribute(self, paramLabel, param)

    def set_attribute(self, paramLabel: FusedOpsConstParamLabel, param: HostPointer | None) -> None:
        """Set `paramLabel` and `param` of this object.

        See `cudnnSetFusedOpsConstParamPackAttribute` for the arguments.
        """
        return _cnn.cudnnSetFusedOpsConstParamPackAttribute(self, paramLabel, param)


class FusedOpsPlan(Family):
    """A cudnnFusedOpsPlan_t, destroyed when closed.

    Made by `cudnnCreateFusedOpsPlan`, destroyed by `cudnnDestroyFusedOpsPlan`.
    """

    __slots__ = ("_cudnnFusedOpsPlan_t",)
    _cudnnFusedOpsPlan_t: int
    _c_name = "cudnnFusedOpsPlan_t"
    _destroy = staticmethod(_cnn.cudnnDestroyFusedOpsPlan)
    _functions = {"execute": "cudnnFusedOpsExecute", "make_plan": "cudnnMakeFusedOpsPlan"}

    def __init__(self, ops: FusedOps) -> None:
        self._own(_cnn.cudnnCreateFusedOpsPlan(ops))

    def execute(self, handle: Handle | int, varPack: FusedOpsVariantParamPack | int) -> None:
        """Execute fused ops with this object and `varPack`.

        See `cudnnFusedOpsExecute` for the arguments.
        """
        return _cnn.cudnnFusedOpsExecute(handle, self, varPack)

    def make_plan(self, handle: Handle | int, constPack: FusedOpsConstParamPack | int) -> int:
        """Make this object from `constPack`.

        See `cudnnMakeFusedOpsPlan` for the arguments.
        """
        return _cnn.cudnnMakeFusedOpsPlan(handle, self, constPack)


class FusedOpsVariantParamPack(Family):
    """A cudnnFusedOpsVariantParamPack_t, destroyed when closed.

    Made by `cudnnCreateFusedOpsVariantParamPack`, destroyed by `cudnnDestroyFusedOpsVariantParamPack`.
    """

    __slots__ = ("_cudnnFusedOpsVariantParamPack_t",)
    _cudnnFusedOpsVariantParamPack_t: int
    _c_name = "cudnnFusedOpsVariantParamPack_t"
    _destroy = staticmethod(_cnn.cudnnDestroyFusedOpsVariantParamPack)
    _functions = {
        "get_attribute": "cudnnGetFusedOpsVariantParamPackAttribute",
        "set_attribute": "cudnnSetFusedOpsVariantParamPackAttribute",
    }

    def __init__(self, ops: FusedOps) -> None:
        self._own(_cnn.cudnnCreateFusedOpsVariantParamPack(ops))

    def get_attribute(self, paramLabel: FusedOpsVariantParamLabel, ptr: HostPointer) -> None:
        """Get fused ops variant param pack attribute with this object.

        See `cudnnGetFusedOpsVariantParamPackAttribute` for the arguments.
        """
        return _cnn.cudnnGetFusedOpsVariantParamPackAttribute(self, paramLabel, ptr)

    def set_attribute(self, paramLabel: FusedOpsVariantParamLabel, ptr: HostPointer | None) -> None:
        """Set `paramLabel` and `ptr` of this object.

        See `cudnnSetFusedOpsVariantParamPackAttribute` for the arguments.
        """
        return _cnn.cudnnSetFusedOpsVariantParamPackAttribute(self, paramLabel, ptr)


class Handle(Family):
    """A cudnnHandle_t, destroyed when closed.

    Made by `cudnnCreate`, destroyed by `cudnnDestroy`.
    """

    __slots__ = ("_cudnnHandle_t",)
    _cudnnHandle_t: int
    _c_name = "cudnnHandle_t"
    _destroy = staticmethod(_graph.cudnnDestroy)
    _functions = {"get_stream": "cudnnGetStream", "set_stream": "cudnnSetStream"}

    def __init__(self) -> None:
        self._own(_graph.cudnnCreate())

    def get_stream(self) -> int:
        """Return `streamId`.

        See `cudnnGetStream`.
        """
        return _graph.cudnnGetStream(self)

    def set_stream(self, streamId: Stream) -> None:
        """Set `streamId` of this object.

        See `cudnnSetStream` for the arguments.
        """
        return _graph.cudnnSetStream(self, streamId)


class LRNDescriptor(Family):
    """A cudnnLRNDescriptor_t, destroyed when closed.

    Made by `cudnnCreateLRNDescriptor`, destroyed by `cudnnDestroyLRNDescriptor`.
    """

    __slots__ = ("_cudnnLRNDescriptor_t",)
    _cudnnLRNDescriptor_t: int
    _c_name = "cudnnLRNDescriptor_t"
    _destroy = staticmethod(_ops.cudnnDestroyLRNDescriptor)
    _functions = {
        "cross_channel_backward": "cudnnLRNCrossChannelBackward",
        "cross_channel_forward": "cudnnLRNCrossChannelForward",
        "get": "cudnnGetLRNDescriptor",
        "set": "cudnnSetLRNDescriptor",
    }

    def __init__(self) -> None:
        self._own(_ops.cudnnCreateLRNDescriptor())

    def cross_channel_backward(
        self,
        handle: Handle | int,
        lrnMode: LRNMode,
        alpha: ScalingFactor,
        yDesc: TensorDescriptor | int,
        y: DevicePointer,
        dyDesc: TensorDescriptor | int,
        dy: DevicePointer,
        xDesc: TensorDescriptor | int,
        x: DevicePointer,
        beta: ScalingFactor,
        dxDesc: TensorDescriptor | int,
        dx: DevicePointer,
    ) -> None:
        """Compute `dx` from `y`, `dy` and `x`.

        See `cudnnLRNCrossChannelBackward` for the arguments.
        """
        return _ops.cudnnLRNCrossChannelBackward(
            handle,
            self,
            lrnMode,
            alpha,
            yDesc,
            y,
            dyDesc,
            dy,
            xDesc,
            x,
            beta,
            dxDesc,
            dx,
        )

    def cross_channel_forward(
        self,
        handle: Handle | int,
        lrnMode: LRNMode,
        alpha: ScalingFactor,
        xDesc: TensorDescriptor | int,
        x: DevicePointer,
        beta: ScalingFactor,
        yDesc: TensorDescriptor | int,
        y: DevicePointer,
    ) -> None:
        """Compute `y` from `x`.

        See `cudnnLRNCrossChannelForward` for the arguments.
        """
        return _ops.cudnnLRNCrossChannelForward(
            handle,
            self,
            lrnMode,
            alpha,
            xDesc,
            x,
            beta,
            yDesc,
            y,
        )

    def get(self) -> _ops.GetLRNDescriptorResult:
        """Return `lrnN`, `lrnAlpha`, `lrnBeta` and `lrnK` of this object.

        See `cudnnGetLRNDescriptor`.
        """
        return _ops.cudnnGetLRNDescriptor(self)

    def set(self, lrnN: int, lrnAlpha: float, lrnBeta: float, lrnK: float) -> None:
        """Set `lrnN`, `lrnAlpha`, `lrnBeta` and `lrnK` of this object.

        See `cudnnSetLRNDescriptor` for the arguments.
        """
        return _ops.cudnnSetLRNDescriptor(self, lrnN, lrnAlpha, lrnBeta, lrnK)


class OpTensorDescriptor(Family):
    """A cudnnOpTensorDescriptor_t, destroyed when closed.

    Made by `cudnnCreateOpTensorDescriptor`, destroyed by `cudnnDestroyOpTensorDescriptor`.
    """

    __slots__ = ("_cudnnOpTensorDescriptor_t",)
    _cudnnOpTensorDescriptor_t: int
    _c_name = "cudnnOpTensorDescriptor_t"
    _destroy = staticmethod(_ops.cudnnDestroyOpTensorDescriptor)
    _functions = {
        "get": "cudnnGetOpTensorDescriptor",
        "op_tensor": "cudnnOpTensor",
        "set": "cudnnSetOpTensorDescriptor",
    }

    def __init__(self) -> None:
        self._own(_ops.cudnnCreateOpTensorDescriptor())

    def get(self) -> _ops.GetOpTensorDescriptorResult:
        """Return `opTensorOp`, `opTensorCompType` and `opTensorNanOpt` of this object.

        See `cudnnGetOpTensorDescriptor`.
        """
        return _ops.cudnnGetOpTensorDescriptor(self)

    def op_tensor(
        self,
        handle: Handle | int,
        alpha1: ScalingFactor,
        aDesc: TensorDescriptor | int,
        A: DevicePointer,
        alpha2: ScalingFactor,
        bDesc: TensorDescriptor | int,
        B: DevicePointer,
        beta: ScalingFactor,
        cDesc: TensorDescriptor | int,
        C: DevicePointer,
    ) -> None:
        """Compute `C` from `A` and `B`.

        See `cudnnOpTensor` for the arguments.
        """
        return _ops.cudnnOpTensor(handle, self, alpha1, aDesc, A, alpha2, bDesc, B, beta, cDesc, C)

    def set(
        self,
        opTensorOp: OpTensorOp,
        opTensorCompType: DataType,
        opTensorNanOpt: NanPropagation,
    ) -> None:
        """Set `opTensorOp`, `opTensorCompType` and `opTensorNanOpt` of this object.

        See `cudnnSetOpTensorDescriptor` for the arguments.
        """
        return _ops.cudnnSetOpTensorDescriptor(self, opTensorOp, opTensorCompType, opTensorNanOpt)


class PersistentRNNPlan(Family):
    """A cudnnPersistentRNNPlan_t, destroyed when closed. Removed in 9.0.0.

    Made by `cudnnCreatePersistentRNNPlan`, destroyed by `cudnnDestroyPersistentRNNPlan`.
    """

    __slots__ = ("_cudnnPersistentRNNPlan_t",)
    _cudnnPersistentRNNPlan_t: int
    _c_name = "cudnnPersistentRNNPlan_t"
    _destroy = staticmethod(_adv_infer.cudnnDestroyPersistentRNNPlan)
    _functions = {}

    def __init__(self, rnnDesc: RNNDescriptor | int, minibatch: int, dataType: DataType) -> None:
        self._own(_adv_infer.cudnnCreatePersistentRNNPlan(rnnDesc, minibatch, dataType))


class PoolingDescriptor(Family):
    """A cudnnPoolingDescriptor_t, destroyed when closed.

    Made by `cudnnCreatePoolingDescriptor`, destroyed by `cudnnDestroyPoolingDescriptor`.
    """

    __slots__ = ("_cudnnPoolingDescriptor_t",)
    _cudnnPoolingDescriptor_t: int
    _c_name = "cudnnPoolingDescriptor_t"
    _destroy = staticmethod(_ops.cudnnDestroyPoolingDescriptor)
    _functions = {
        "backward": "cudnnPoolingBackward",
        "forward": "cudnnPoolingForward",
        "get_2d": "cudnnGetPooling2dDescriptor",
        "get_2d_forward_output_dim": "cudnnGetPooling2dForwardOutputDim",
        "get_nd": "cudnnGetPoolingNdDescriptor",
        "get_nd_forward_output_dim": "cudnnGetPoolingNdForwardOutputDim",
        "set_2d": "cudnnSetPooling2dDescriptor",
        "set_nd": "cudnnSetPoolingNdDescriptor",
    }

    def __init__(self) -> None:
        self._own(_ops.cudnnCreatePoolingDescriptor())

    def backward(
        self,
        handle: Handle | int,
        alpha: ScalingFactor,
        yDesc: TensorDescriptor | int,
        y: DevicePointer,
        dyDesc: TensorDescriptor | int,
        dy: DevicePointer,
        xDesc: TensorDescriptor | int,
        x: DevicePointer,
        beta: ScalingFactor,
        dxDesc: TensorDescriptor | int,
        dx: DevicePointer,
    ) -> None:
        """Compute `dx` from `y`, `dy` and `x`.

        See `cudnnPoolingBackward` for the arguments.
        """
        return _ops.cudnnPoolingBackward(
            handle,
            self,
            alpha,
            yDesc,
            y,
            dyDesc,
            dy,
            xDesc,
            x,
            beta,
            dxDesc,
            dx,
        )

    def forward(
        self,
        handle: Handle | int,
        alpha: ScalingFactor,
        xDesc: TensorDescriptor | int,
        x: DevicePointer,
        beta: ScalingFactor,
        yDesc: TensorDescriptor | int,
        y: DevicePointer,
    ) -> None:
        """Compute `y` from `x`.

        See `cudnnPoolingForward` for the arguments.
        """
        return _ops.cudnnPoolingForward(handle, self, alpha, xDesc, x, beta, yDesc, y)

    def get_2d(self) -> _ops.GetPooling2dDescriptorResult:
        """Return 8 values of this object.

        See `cudnnGetPooling2dDescriptor`.
        """
        return _ops.cudnnGetPooling2dDescriptor(self)

    def get_2d_forward_output_dim(
        self,
        inputTensorDesc: TensorDescriptor | int,
    ) -> _ops.GetPooling2dForwardOutputDimResult:
        """Return `n`, `c`, `h` and `w` for this object and `inputTensorDesc`.

        See `cudnnGetPooling2dForwardOutputDim` for the arguments.
        """
        return _ops.cudnnGetPooling2dForwardOutputDim(self, inputTensorDesc)

    def get_nd(self, nbDimsRequested: int = 6) -> _ops.GetPoolingNdDescriptorResult:
        """Return `mode`, `maxpoolingNanOpt`, `nbDims`, `windowDimA`, `paddingA` and `strideA`.

        See `cudnnGetPoolingNdDescriptor` for the arguments.
        """
        return _ops.cudnnGetPoolingNdDescriptor(self, nbDimsRequested)

    def get_nd_forward_output_dim(
        self,
        inputTensorDesc: TensorDescriptor | int,
        nbDims: int,
    ) -> tuple[int, ...]:
        """Return `outputTensorDimA` for this object and `inputTensorDesc`.

        See `cudnnGetPoolingNdForwardOutputDim` for the arguments.
        """
        return _ops.cudnnGetPoolingNdForwardOutputDim(self, inputTensorDesc, nbDims)

    def set_2d(
        self,
        mode: PoolingMode,
        maxpoolingNanOpt: NanPropagation,
        windowHeight: int,
        windowWidth: int,
        verticalPadding: int,
        horizontalPadding: int,
        verticalStride: int,
        horizontalStride: int,
    ) -> None:
        """Set up this object from the other arguments.

        See `cudnnSetPooling2dDescriptor` for the arguments.
        """
        return _ops.cudnnSetPooling2dDescriptor(
            self,
            mode,
            maxpoolingNanOpt,
            windowHeight,
            windowWidth,
            verticalPadding,
            horizontalPadding,
            verticalStride,
            horizontalStride,
        )

    def set_nd(
        self,
        mode: PoolingMode,
        maxpoolingNanOpt: NanPropagation,
        nbDims: int,
        windowDimA: Sequence[int] | HostPointer,
        paddingA: Sequence[int] | HostPointer,
        strideA: Sequence[int] | HostPointer,
    ) -> None:
        """Set `mode`, `maxpoolingNanOpt`, `windowDimA`, `paddingA` and `strideA` of this object.

        See `cudnnSetPoolingNdDescriptor` for the arguments.
        """
        return _ops.cudnnSetPoolingNdDescriptor(
            self,
            mode,
            maxpoolingNanOpt,
            nbDims,
            windowDimA,
            paddingA,
            strideA,
        )


class RNNDataDescriptor(Family):
    """A cudnnRNNDataDescriptor_t, destroyed when closed.

    Made by `cudnnCreateRNNDataDescriptor`, destroyed by `cudnnDestroyRNNDataDescriptor`.
    """

    __slots__ = ("_cudnnRNNDataDescriptor_t",)
    _cudnnRNNDataDescriptor_t: int
    _c_name = "cudnnRNNDataDescriptor_t"
    _destroy = staticmethod(_adv.cudnnDestroyRNNDataDescriptor)
    _functions = {"get": "cudnnGetRNNDataDescriptor", "set": "cudnnSetRNNDataDescriptor"}

    def __init__(self) -> None:
        self._own(_adv.cudnnCreateRNNDataDescriptor())

    def get(self, arrayLengthRequested: int) -> _adv.GetRNNDataDescriptorResult:
        """Return 7 values of this object.

        See `cudnnGetRNNDataDescriptor` for the arguments.
        """
        return _adv.cudnnGetRNNDataDescriptor(self, arrayLengthRequested)

    def set(
        self,
        dataType: DataType,
        layout: RNNDataLayout,
        maxSeqLength: int,
        batchSize: int,
        vectorSize: int,
        seqLengthArray: Sequence[int] | HostPointer,
        paddingFill: float | HostPointer,
    ) -> None:
        """Set up this object from the other arguments.

        See `cudnnSetRNNDataDescriptor` for the arguments.
        """
        return _adv.cudnnSetRNNDataDescriptor(
            self,
            dataType,
            layout,
            maxSeqLength,
            batchSize,
            vectorSize,
            seqLengthArray,
            paddingFill,
        )


class RNNDescriptor(Family):
    """A cudnnRNNDescriptor_t, destroyed when closed.

    Made by `cudnnCreateRNNDescriptor`, destroyed by `cudnnDestroyRNNDescriptor`.
    """

    __slots__ = ("_cudnnRNNDescriptor_t",)
    _cudnnRNNDescriptor_t: int
    _c_name = "cudnnRNNDescriptor_t"
    _destroy = staticmethod(_adv.cudnnDestroyRNNDescriptor)
    _functions = {
        "backward_data": "cudnnRNNBackwardData",
        "backward_data_ex": "cudnnRNNBackwardDataEx",
        "backward_data_v8": "cudnnRNNBackwardData_v8",
        "backward_weights": "cudnnRNNBackwardWeights",
        "backward_weights_ex": "cudnnRNNBackwardWeightsEx",
        "backward_weights_v8": "cudnnRNNBackwardWeights_v8",
        "build_dynamic": "cudnnBuildRNNDynamic",
        "create_persistent_plan": "cudnnCreatePersistentRNNPlan",
        "find_backward_data_algorithm_ex": "cudnnFindRNNBackwardDataAlgorithmEx",
        "find_backward_weights_algorithm_ex": "cudnnFindRNNBackwardWeightsAlgorithmEx",
        "find_forward_inference_algorithm_ex": "cudnnFindRNNForwardInferenceAlgorithmEx",
        "find_forward_training_algorithm_ex": "cudnnFindRNNForwardTrainingAlgorithmEx",
        "forward": "cudnnRNNForward",
        "forward_inference": "cudnnRNNForwardInference",
        "forward_inference_ex": "cudnnRNNForwardInferenceEx",
        "forward_training": "cudnnRNNForwardTraining",
        "forward_training_ex": "cudnnRNNForwardTrainingEx",
        "get_backward_data_algorithm_max_count": "cudnnGetRNNBackwardDataAlgorithmMaxCount",
        "get_backward_weights_algorithm_max_count": "cudnnGetRNNBackwardWeightsAlgorithmMaxCount",
        "get_bias_mode": "cudnnGetRNNBiasMode",
        "get_clip": "cudnnRNNGetClip",
        "get_clip_v8": "cudnnRNNGetClip_v8",
        "get_clip_v9": "cudnnRNNGetClip_v9",
        "get_forward_inference_algorithm_max_count": "cudnnGetRNNForwardInferenceAlgorithmMaxCount",
        "get_forward_training_algorithm_max_count": "cudnnGetRNNForwardTrainingAlgorithmMaxCount",
        "get_lin_layer_bias_params": "cudnnGetRNNLinLayerBiasParams",
        "get_lin_layer_matrix_params": "cudnnGetRNNLinLayerMatrixParams",
        "get_matrix_math_type": "cudnnGetRNNMatrixMathType",
        "get_padding_mode": "cudnnGetRNNPaddingMode",
        "get_params_size": "cudnnGetRNNParamsSize",
        "get_projection_layers": "cudnnGetRNNProjectionLayers",
        "get_temp_space_sizes": "cudnnGetRNNTempSpaceSizes",
        "get_training_reserve_size": "cudnnGetRNNTrainingReserveSize",
        "get_v6": "cudnnGetRNNDescriptor_v6",
        "get_v8": "cudnnGetRNNDescriptor_v8",
        "get_weight_params": "cudnnGetRNNWeightParams",
        "get_weight_space_size": "cudnnGetRNNWeightSpaceSize",
        "get_workspace_size": "cudnnGetRNNWorkspaceSize",
        "set_algorithm": "cudnnSetRNNAlgorithmDescriptor",
        "set_bias_mode": "cudnnSetRNNBiasMode",
        "set_clip": "cudnnRNNSetClip",
        "set_clip_v8": "cudnnRNNSetClip_v8",
        "set_clip_v9": "cudnnRNNSetClip_v9",
        "set_matrix_math_type": "cudnnSetRNNMatrixMathType",
        "set_padding_mode": "cudnnSetRNNPaddingMode",
        "set_persistent_plan": "cudnnSetPersistentRNNPlan",
        "set_projection_layers": "cudnnSetRNNProjectionLayers",
        "set_v6": "cudnnSetRNNDescriptor_v6",
        "set_v8": "cudnnSetRNNDescriptor_v8",
    }

    def __init__(self) -> None:
        self._own(_adv.cudnnCreateRNNDescriptor())

    @_removed("removed in 9.0.0; use cudnnRNNBackwardData_v8")
    def backward_data(
        self,
        handle: Handle | int,
        seqLength: int,
        yDesc: Sequence[int] | HostPointer,
        y: DevicePointer,
        dyDesc: Sequence[int] | HostPointer,
        dy: DevicePointer,
        dhyDesc: TensorDescriptor | int | None,
        dhy: DevicePointer,
        dcyDesc: TensorDescriptor | int | None,
        dcy: DevicePointer,
        wDesc: FilterDescriptor | int,
        w: DevicePointer,
        hxDesc: TensorDescriptor | int | None,
        hx: DevicePointer,
        cxDesc: TensorDescriptor | int | None,
        cx: DevicePointer,
        dxDesc: Sequence[int] | HostPointer,
        dx: DevicePointer,
        dhxDesc: TensorDescriptor | int | None,
        dhx: DevicePointer,
        dcxDesc: TensorDescriptor | int | None,
        dcx: DevicePointer,
        workSpace: DevicePointer,
        workSpaceSizeInBytes: int,
        reserveSpace: DevicePointer,
        reserveSpaceSizeInBytes: int,
    ) -> None:
        """Compute `dx`, `dhx` and `dcx` from `y`, `dy`, `dhy`, `dcy`, `w`, `hx` and `cx`.

        See `cudnnRNNBackwardData` for the arguments. Removed in 9.0.0; use cudnnRNNBackwardData_v8.
        """
        return _adv_train.cudnnRNNBackwardData(
            handle,
            self,
            seqLength,
            yDesc,
            y,
            dyDesc,
            dy,
            dhyDesc,
            dhy,
            dcyDesc,
            dcy,
            wDesc,
            w,
            hxDesc,
            hx,
            cxDesc,
            cx,
            dxDesc,
            dx,
            dhxDesc,
            dhx,
            dcxDesc,
            dcx,
            workSpace,
            workSpaceSizeInBytes,
            reserveSpace,
            reserveSpaceSizeInBytes,
        )

    @_removed("removed in 9.0.0; use cudnnRNNBackwardData_v8")
    def backward_data_ex(
        self,
        handle: Handle | int,
        yDesc: RNNDataDescriptor | int,
        y: DevicePointer,
        dyDesc: RNNDataDescriptor | int,
        dy: DevicePointer,
        dcDesc: RNNDataDescriptor | int | None,
        dcAttn: DevicePointer,
        dhyDesc: TensorDescriptor | int | None,
        dhy: DevicePointer,
        dcyDesc: TensorDescriptor | int | None,
        dcy: DevicePointer,
        wDesc: FilterDescriptor | int,
        w: DevicePointer,
        hxDesc: TensorDescriptor | int | None,
        hx: DevicePointer,
        cxDesc: TensorDescriptor | int | None,
        cx: DevicePointer,
        dxDesc: RNNDataDescriptor | int,
        dx: DevicePointer,
        dhxDesc: TensorDescriptor | int | None,
        dhx: DevicePointer,
        dcxDesc: TensorDescriptor | int | None,
        dcx: DevicePointer,
        dkDesc: RNNDataDescriptor | int | None,
        dkeys: DevicePointer,
        workSpace: DevicePointer,
        workSpaceSizeInBytes: int,
        reserveSpace: DevicePointer,
        reserveSpaceSizeInBytes: int,
    ) -> None:
        """Compute `dx`, `dhx`, `dcx` and `dkeys`.

        See `cudnnRNNBackwardDataEx` for the arguments. Removed in 9.0.0; use cudnnRNNBackwardData_v8.
        """
        return _adv_train.cudnnRNNBackwardDataEx(
            handle,
            self,
            yDesc,
            y,
            dyDesc,
            dy,
            dcDesc,
            dcAttn,
            dhyDesc,
            dhy,
            dcyDesc,
            dcy,
            wDesc,
            w,
            hxDesc,
            hx,
            cxDesc,
            cx,
            dxDesc,
            dx,
            dhxDesc,
            dhx,
            dcxDesc,
            dcx,
            dkDesc,
            dkeys,
            workSpace,
            workSpaceSizeInBytes,
            reserveSpace,
            reserveSpaceSizeInBytes,
        )

    def backward_data_v8(
        self,
        handle: Handle | int,
        devSeqLengths: DevicePointer,
        yDesc: RNNDataDescriptor | int,
        y: DevicePointer,
        dy: DevicePointer,
        xDesc: RNNDataDescriptor | int,
        dx: DevicePointer,
        hDesc: TensorDescriptor | int | None,
        hx: DevicePointer,
        dhy: DevicePointer,
        dhx: DevicePointer,
        cDesc: TensorDescriptor | int | None,
        cx: DevicePointer,
        dcy: DevicePointer,
        dcx: DevicePointer,
        weightSpaceSize: int,
        weightSpace: DevicePointer,
        workSpaceSize: int,
        workSpace: DevicePointer,
        reserveSpaceSize: int,
        reserveSpace: DevicePointer,
    ) -> None:
        """Compute `dx`, `dhx` and `dcx`.

        See `cudnnRNNBackwardData_v8` for the arguments.
        """
        return _adv.cudnnRNNBackwardData_v8(
            handle,
            self,
            devSeqLengths,
            yDesc,
            y,
            dy,
            xDesc,
            dx,
            hDesc,
            hx,
            dhy,
            dhx,
            cDesc,
            cx,
            dcy,
            dcx,
            weightSpaceSize,
            weightSpace,
            workSpaceSize,
            workSpace,
            reserveSpaceSize,
            reserveSpace,
        )

    @_removed("removed in 9.0.0; use cudnnRNNBackwardWeights_v8")
    def backward_weights(
        self,
        handle: Handle | int,
        seqLength: int,
        xDesc: Sequence[int] | HostPointer,
        x: DevicePointer,
        hxDesc: TensorDescriptor | int | None,
        hx: DevicePointer,
        yDesc: Sequence[int] | HostPointer,
        y: DevicePointer,
        workSpace: DevicePointer,
        workSpaceSizeInBytes: int,
        dwDesc: FilterDescriptor | int,
        dw: DevicePointer,
        reserveSpace: DevicePointer,
        reserveSpaceSizeInBytes: int,
    ) -> None:
        """Compute `dw` from `x`, `hx` and `y`.

        See `cudnnRNNBackwardWeights` for the arguments. Removed in 9.0.0; use cudnnRNNBackwardWeights_v8.
        """
        return _adv_train.cudnnRNNBackwardWeights(
            handle,
            self,
            seqLength,
            xDesc,
            x,
            hxDesc,
            hx,
            yDesc,
            y,
            workSpace,
            workSpaceSizeInBytes,
            dwDesc,
            dw,
            reserveSpace,
            reserveSpaceSizeInBytes,
        )

    @_removed("removed in 9.0.0; use cudnnRNNBackwardWeights_v8")
    def backward_weights_ex(
        self,
        handle: Handle | int,
        xDesc: RNNDataDescriptor | int,
        x: DevicePointer,
        hxDesc: TensorDescriptor | int | None,
        hx: DevicePointer,
        yDesc: RNNDataDescriptor | int,
        y: DevicePointer,
        workSpace: DevicePointer,
        workSpaceSizeInBytes: int,
        dwDesc: FilterDescriptor | int,
        dw: DevicePointer,
        reserveSpace: DevicePointer,
        reserveSpaceSizeInBytes: int,
    ) -> None:
        """Compute `dw` from `x`, `hx` and `y`.

        See `cudnnRNNBackwardWeightsEx` for the arguments. Removed in 9.0.0; use cudnnRNNBackwardWeights_v8.
        """
        return _adv_train.cudnnRNNBackwardWeightsEx(
            handle,
            self,
            xDesc,
            x,
            hxDesc,
            hx,
            yDesc,
            y,
            workSpace,
            workSpaceSizeInBytes,
            dwDesc,
            dw,
            reserveSpace,
            reserveSpaceSizeInBytes,
        )

    def backward_weights_v8(
        self,
        handle: Handle | int,
        addGrad: WgradMode,
        devSeqLengths: DevicePointer,
        xDesc: RNNDataDescriptor | int,
        x: DevicePointer,
        hDesc: TensorDescriptor | int | None,
        hx: DevicePointer,
        yDesc: RNNDataDescriptor | int,
        y: DevicePointer,
        weightSpaceSize: int,
        dweightSpace: DevicePointer,
        workSpaceSize: int,
        workSpace: DevicePointer,
        reserveSpaceSize: int,
        reserveSpace: DevicePointer,
    ) -> None:
        """Compute `dweightSpace` from `x`, `hx` and `y`.

        See `cudnnRNNBackwardWeights_v8` for the arguments.
        """
        return _adv.cudnnRNNBackwardWeights_v8(
            handle,
            self,
            addGrad,
            devSeqLengths,
            xDesc,
            x,
            hDesc,
            hx,
            yDesc,
            y,
            weightSpaceSize,
            dweightSpace,
            workSpaceSize,
            workSpace,
            reserveSpaceSize,
            reserveSpace,
        )

    def build_dynamic(self, handle: Handle | int, miniBatch: int) -> None:
        """Build rnn dynamic with this object.

        See `cudnnBuildRNNDynamic` for the arguments.
        """
        return _adv.cudnnBuildRNNDynamic(handle, self, miniBatch)

    @_removed("removed in 9.0.0; use cudnnBuildRNNDynamic")
    def create_persistent_plan(self, minibatch: int, dataType: DataType) -> int:
        """Create a `PersistentRNNPlan`, which the caller destroys.

        See `cudnnCreatePersistentRNNPlan` for the arguments. Removed in 9.0.0; use cudnnBuildRNNDynamic.
        """
        return _adv_infer.cudnnCreatePersistentRNNPlan(self, minibatch, dataType)

    @_removed("removed in 9.0.0")
    def find_backward_data_algorithm_ex(
        self,
        handle: Handle | int,
        seqLength: int,
        yDesc: Sequence[int] | HostPointer,
        y: DevicePointer,
        dyDesc: Sequence[int] | HostPointer,
        dy: DevicePointer,
        dhyDesc: TensorDescriptor | int | None,
        dhy: DevicePointer,
        dcyDesc: TensorDescriptor | int | None,
        dcy: DevicePointer,
        wDesc: FilterDescriptor | int,
        w: DevicePointer,
        hxDesc: TensorDescriptor | int | None,
        hx: DevicePointer,
        cxDesc: TensorDescriptor | int | None,
        cx: DevicePointer,
        dxDesc: Sequence[int] | HostPointer,
        dx: DevicePointer,
        dhxDesc: TensorDescriptor | int | None,
        dhx: DevicePointer,
        dcxDesc: TensorDescriptor | int | None,
        dcx: DevicePointer,
        findIntensity: float,
        requestedAlgoCount: int,
        perfResults: Sequence[int] | HostPointer,
        workspace: DevicePointer,
        workSpaceSizeInBytes: int,
        reserveSpace: DevicePointer,
        reserveSpaceSizeInBytes: int,
    ) -> int:
        """Compute `dx`, `dhx` and `dcx` from `y`, `dy`, `dhy`, `dcy`, `w`, `hx` and `cx`.

        See `cudnnFindRNNBackwardDataAlgorithmEx` for the arguments. Removed in 9.0.0.
        """
        return _adv_train.cudnnFindRNNBackwardDataAlgorithmEx(
            handle,
            self,
            seqLength,
            yDesc,
            y,
            dyDesc,
            dy,
            dhyDesc,
            dhy,
            dcyDesc,
            dcy,
            wDesc,
            w,
            hxDesc,
            hx,
            cxDesc,
            cx,
            dxDesc,
            dx,
            dhxDesc,
            dhx,
            dcxDesc,
            dcx,
            findIntensity,
            requestedAlgoCount,
            perfResults,
            workspace,
            workSpaceSizeInBytes,
            reserveSpace,
            reserveSpaceSizeInBytes,
        )

    @_removed("removed in 9.0.0")
    def find_backward_weights_algorithm_ex(
        self,
        handle: Handle | int,
        seqLength: int,
        xDesc: Sequence[int] | HostPointer,
        x: DevicePointer,
        hxDesc: TensorDescriptor | int | None,
        hx: DevicePointer,
        yDesc: Sequence[int] | HostPointer,
        y: DevicePointer,
        findIntensity: float,
        requestedAlgoCount: int,
        perfResults: Sequence[int] | HostPointer,
        workspace: DevicePointer,
        workSpaceSizeInBytes: int,
        dwDesc: FilterDescriptor | int,
        dw: DevicePointer,
        reserveSpace: DevicePointer,
        reserveSpaceSizeInBytes: int,
    ) -> int:
        """Compute `dw` from `x`, `hx` and `y`.

        See `cudnnFindRNNBackwardWeightsAlgorithmEx` for the arguments. Removed in 9.0.0.
        """
        return _adv_train.cudnnFindRNNBackwardWeightsAlgorithmEx(
            handle,
            self,
            seqLength,
            xDesc,
            x,
            hxDesc,
            hx,
            yDesc,
            y,
            findIntensity,
            requestedAlgoCount,
            perfResults,
            workspace,
            workSpaceSizeInBytes,
            dwDesc,
            dw,
            reserveSpace,
            reserveSpaceSizeInBytes,
        )

    @_removed("removed in 9.0.0")
    def find_forward_inference_algorithm_ex(
        self,
        handle: Handle | int,
        seqLength: int,
        xDesc: Sequence[int] | HostPointer,
        x: DevicePointer,
        hxDesc: TensorDescriptor | int | None,
        hx: DevicePointer,
        cxDesc: TensorDescriptor | int | None,
        cx: DevicePointer,
        wDesc: FilterDescriptor | int,
        w: DevicePointer,
        yDesc: Sequence[int] | HostPointer,
        y: DevicePointer,
        hyDesc: TensorDescriptor | int | None,
        hy: DevicePointer,
        cyDesc: TensorDescriptor | int | None,
        cy: DevicePointer,
        findIntensity: float,
        requestedAlgoCount: int,
        perfResults: Sequence[int] | HostPointer,
        workspace: DevicePointer,
        workSpaceSizeInBytes: int,
    ) -> int:
        """Compute `y`, `hy` and `cy` from `x`, `hx`, `cx` and `w`.

        See `cudnnFindRNNForwardInferenceAlgorithmEx` for the arguments. Removed in 9.0.0.
        """
        return _adv_infer.cudnnFindRNNForwardInferenceAlgorithmEx(
            handle,
            self,
            seqLength,
            xDesc,
            x,
            hxDesc,
            hx,
            cxDesc,
            cx,
            wDesc,
            w,
            yDesc,
            y,
            hyDesc,
            hy,
            cyDesc,
            cy,
            findIntensity,
            requestedAlgoCount,
            perfResults,
            workspace,
            workSpaceSizeInBytes,
        )

    @_removed("removed in 9.0.0")
    def find_forward_training_algorithm_ex(
        self,
        handle: Handle | int,
        seqLength: int,
        xDesc: Sequence[int] | HostPointer,
        x: DevicePointer,
        hxDesc: TensorDescriptor | int | None,
        hx: DevicePointer,
        cxDesc: TensorDescriptor | int | None,
        cx: DevicePointer,
        wDesc: FilterDescriptor | int,
        w: DevicePointer,
        yDesc: Sequence[int] | HostPointer,
        y: DevicePointer,
        hyDesc: TensorDescriptor | int | None,
        hy: DevicePointer,
        cyDesc: TensorDescriptor | int | None,
        cy: DevicePointer,
        findIntensity: float,
        requestedAlgoCount: int,
        perfResults: Sequence[int] | HostPointer,
        workspace: DevicePointer,
        workSpaceSizeInBytes: int,
        reserveSpace: DevicePointer,
        reserveSpaceSizeInBytes: int,
    ) -> int:
        """Compute `y`, `hy` and `cy` from `x`, `hx`, `cx` and `w`.

        See `cudnnFindRNNForwardTrainingAlgorithmEx` for the arguments. Removed in 9.0.0.
        """
        return _adv_train.cudnnFindRNNForwardTrainingAlgorithmEx(
            handle,
            self,
            seqLength,
            xDesc,
            x,
            hxDesc,
            hx,
            cxDesc,
            cx,
            wDesc,
            w,
            yDesc,
            y,
            hyDesc,
            hy,
            cyDesc,
            cy,
            findIntensity,
            requestedAlgoCount,
            perfResults,
            workspace,
            workSpaceSizeInBytes,
            reserveSpace,
            reserveSpaceSizeInBytes,
        )

    def forward(
        self,
        handle: Handle | int,
        fwdMode: ForwardMode,
        devSeqLengths: DevicePointer,
        xDesc: RNNDataDescriptor | int,
        x: DevicePointer,
        yDesc: RNNDataDescriptor | int,
        y: DevicePointer,
        hDesc: TensorDescriptor | int | None,
        hx: DevicePointer,
        hy: DevicePointer,
        cDesc: TensorDescriptor | int | None,
        cx: DevicePointer,
        cy: DevicePointer,
        weightSpaceSize: int,
        weightSpace: DevicePointer,
        workSpaceSize: int,
        workSpace: DevicePointer,
        reserveSpaceSize: int,
        reserveSpace: DevicePointer,
    ) -> None:
        """Compute `y`, `hy` and `cy` from `x`, `hx`, `cx` and `weightSpace`.

        See `cudnnRNNForward` for the arguments.
        """
        return _adv.cudnnRNNForward(
            handle,
            self,
            fwdMode,
            devSeqLengths,
            xDesc,
            x,
            yDesc,
            y,
            hDesc,
            hx,
            hy,
            cDesc,
            cx,
            cy,
            weightSpaceSize,
            weightSpace,
            workSpaceSize,
            workSpace,
            reserveSpaceSize,
            reserveSpace,
        )

    @_removed("removed in 9.0.0; use cudnnRNNForward")
    def forward_inference(
        self,
        handle: Handle | int,
        seqLength: int,
        xDesc: Sequence[int] | HostPointer,
        x: DevicePointer,
        hxDesc: TensorDescriptor | int | None,
        hx: DevicePointer,
        cxDesc: TensorDescriptor | int | None,
        cx: DevicePointer,
        wDesc: FilterDescriptor | int,
        w: DevicePointer,
        yDesc: Sequence[int] | HostPointer,
        y: DevicePointer,
        hyDesc: TensorDescriptor | int | None,
        hy: DevicePointer,
        cyDesc: TensorDescriptor | int | None,
        cy: DevicePointer,
        workSpace: DevicePointer,
        workSpaceSizeInBytes: int,
    ) -> None:
        """Compute `y`, `hy` and `cy` from `x`, `hx`, `cx` and `w`.

        See `cudnnRNNForwardInference` for the arguments. Removed in 9.0.0; use cudnnRNNForward.
        """
        return _adv_infer.cudnnRNNForwardInference(
            handle,
            self,
            seqLength,
            xDesc,
            x,
            hxDesc,
            hx,
            cxDesc,
            cx,
            wDesc,
            w,
            yDesc,
            y,
            hyDesc,
            hy,
            cyDesc,
            cy,
            workSpace,
            workSpaceSizeInBytes,
        )

    @_removed("removed in 9.0.0; use cudnnRNNForward")
    def forward_inference_ex(
        self,
        handle: Handle | int,
        xDesc: RNNDataDescriptor | int,
        x: DevicePointer,
        hxDesc: TensorDescriptor | int | None,
        hx: DevicePointer,
        cxDesc: TensorDescriptor | int | None,
        cx: DevicePointer,
        wDesc: FilterDescriptor | int,
        w: DevicePointer,
        yDesc: RNNDataDescriptor | int,
        y: DevicePointer,
        hyDesc: TensorDescriptor | int | None,
        hy: DevicePointer,
        cyDesc: TensorDescriptor | int | None,
        cy: DevicePointer,
        kDesc: RNNDataDescriptor | int | None,
        keys: DevicePointer,
        cDesc: RNNDataDescriptor | int | None,
        cAttn: DevicePointer,
        iDesc: RNNDataDescriptor | int | None,
        iAttn: DevicePointer,
        qDesc: RNNDataDescriptor | int | None,
        queries: DevicePointer,
        workSpace: DevicePointer,
        workSpaceSizeInBytes: int,
    ) -> None:
        """Compute `y`, `hy`, `cy`, `cAttn`, `iAttn` and `queries`.

        See `cudnnRNNForwardInferenceEx` for the arguments. Removed in 9.0.0; use cudnnRNNForward.
        """
        return _adv_infer.cudnnRNNForwardInferenceEx(
            handle,
            self,
            xDesc,
            x,
            hxDesc,
            hx,
            cxDesc,
            cx,
            wDesc,
            w,
            yDesc,
            y,
            hyDesc,
            hy,
            cyDesc,
            cy,
            kDesc,
            keys,
            cDesc,
            cAttn,
            iDesc,
            iAttn,
            qDesc,
            queries,
            workSpace,
            workSpaceSizeInBytes,
        )

    @_removed("removed in 9.0.0; use cudnnRNNForward")
    def forward_training(
        self,
        handle: Handle | int,
        seqLength: int,
        xDesc: Sequence[int] | HostPointer,
        x: DevicePointer,
        hxDesc: TensorDescriptor | int | None,
        hx: DevicePointer,
        cxDesc: TensorDescriptor | int | None,
        cx: DevicePointer,
        wDesc: FilterDescriptor | int,
        w: DevicePointer,
        yDesc: Sequence[int] | HostPointer,
        y: DevicePointer,
        hyDesc: TensorDescriptor | int | None,
        hy: DevicePointer,
        cyDesc: TensorDescriptor | int | None,
        cy: DevicePointer,
        workSpace: DevicePointer,
        workSpaceSizeInBytes: int,
        reserveSpace: DevicePointer,
        reserveSpaceSizeInBytes: int,
    ) -> None:
        """Compute `y`, `hy` and `cy` from `x`, `hx`, `cx` and `w`.

        See `cudnnRNNForwardTraining` for the arguments. Removed in 9.0.0; use cudnnRNNForward.
        """
        return _adv_train.cudnnRNNForwardTraining(
            handle,
            self,
            seqLength,
            xDesc,
            x,
            hxDesc,
            hx,
            cxDesc,
            cx,
            wDesc,
            w,
            yDesc,
            y,
            hyDesc,
            hy,
            cyDesc,
            cy,
            workSpace,
            workSpaceSizeInBytes,
            reserveSpace,
            reserveSpaceSizeInBytes,
        )

    @_removed("removed in 9.0.0; use cudnnRNNForward")
    def forward_training_ex(
        self,
        handle: Handle | int,
        xDesc: RNNDataDescriptor | int,
        x: DevicePointer,
        hxDesc: TensorDescriptor | int | None,
        hx: DevicePointer,
        cxDesc: TensorDescriptor | int | None,
        cx: DevicePointer,
        wDesc: FilterDescriptor | int,
        w: DevicePointer,
        yDesc: RNNDataDescriptor | int,
        y: DevicePointer,
        hyDesc: TensorDescriptor | int | None,
        hy: DevicePointer,
        cyDesc: TensorDescriptor | int | None,
        cy: DevicePointer,
        kDesc: RNNDataDescriptor | int | None,
        keys: DevicePointer,
        cDesc: RNNDataDescriptor | int | None,
        cAttn: DevicePointer,
        iDesc: RNNDataDescriptor | int | None,
        iAttn: DevicePointer,
        qDesc: RNNDataDescriptor | int | None,
        queries: DevicePointer,
        workSpace: DevicePointer,
        workSpaceSizeInBytes: int,
        reserveSpace: DevicePointer,
        reserveSpaceSizeInBytes: int,
    ) -> None:
        """Compute `y`, `hy`, `cy`, `cAttn`, `iAttn` and `queries`.

        See `cudnnRNNForwardTrainingEx` for the arguments. Removed in 9.0.0; use cudnnRNNForward.
        """
        return _adv_train.cudnnRNNForwardTrainingEx(
            handle,
            self,
            xDesc,
            x,
            hxDesc,
            hx,
            cxDesc,
            cx,
            wDesc,
            w,
            yDesc,
            y,
            hyDesc,
            hy,
            cyDesc,
            cy,
            kDesc,
            keys,
            cDesc,
            cAttn,
            iDesc,
            iAttn,
            qDesc,
            queries,
            workSpace,
            workSpaceSizeInBytes,
            reserveSpace,
            reserveSpaceSizeInBytes,
        )

    @_removed("removed in 9.0.0")
    def get_backward_data_algorithm_max_count(self, handle: Handle | int) -> int:
        """Return `count` of this object.

        See `cudnnGetRNNBackwardDataAlgorithmMaxCount` for the arguments. Removed in 9.0.0.
        """
        return _adv_train.cudnnGetRNNBackwardDataAlgorithmMaxCount(handle, self)

    @_removed("removed in 9.0.0")
    def get_backward_weights_algorithm_max_count(self, handle: Handle | int) -> int:
        """Return `count` of this object.

        See `cudnnGetRNNBackwardWeightsAlgorithmMaxCount` for the arguments. Removed in 9.0.0.
        """
        return _adv_train.cudnnGetRNNBackwardWeightsAlgorithmMaxCount(handle, self)

    @_removed("removed in 9.0.0; use cudnnGetRNNDescriptor_v8")
    def get_bias_mode(self) -> RNNBiasMode:
        """Return `biasMode` of this object.

        See `cudnnGetRNNBiasMode`. Removed in 9.0.0; use cudnnGetRNNDescriptor_v8.
        """
        return _adv_infer.cudnnGetRNNBiasMode(self)

    @_removed("removed in 9.0.0; use cudnnRNNGetClip_v9")
    def get_clip(self, handle: Handle | int) -> _adv_infer.RNNGetClipResult:
        """Return `clipMode`, `clipNanOpt`, `lclip` and `rclip` of this object.

        See `cudnnRNNGetClip` for the arguments. Removed in 9.0.0; use cudnnRNNGetClip_v9.
        """
        return _adv_infer.cudnnRNNGetClip(handle, self)

    def get_clip_v8(self) -> _adv.RNNGetClip_v8Result:
        """Return `clipMode`, `clipNanOpt`, `lclip` and `rclip` of this object.

        See `cudnnRNNGetClip_v8`.
        """
        return _adv.cudnnRNNGetClip_v8(self)

    def get_clip_v9(self) -> _adv.RNNGetClip_v9Result:
        """Return `clipMode`, `lclip` and `rclip` of this object.

        See `cudnnRNNGetClip_v9`.
        """
        return _adv.cudnnRNNGetClip_v9(self)

    @_removed("removed in 9.0.0")
    def get_forward_inference_algorithm_max_count(self, handle: Handle | int) -> int:
        """Return `count` of this object.

        See `cudnnGetRNNForwardInferenceAlgorithmMaxCount` for the arguments. Removed in 9.0.0.
        """
        return _adv_infer.cudnnGetRNNForwardInferenceAlgorithmMaxCount(handle, self)

    @_removed("removed in 9.0.0")
    def get_forward_training_algorithm_max_count(self, handle: Handle | int) -> int:
        """Return `count` of this object.

        See `cudnnGetRNNForwardTrainingAlgorithmMaxCount` for the arguments. Removed in 9.0.0.
        """
        return _adv_train.cudnnGetRNNForwardTrainingAlgorithmMaxCount(handle, self)

    @_removed("removed in 9.0.0; use cudnnGetRNNWeightParams")
    def get_lin_layer_bias_params(
        self,
        handle: Handle | int,
        pseudoLayer: int,
        xDesc: TensorDescriptor | int,
        wDesc: FilterDescriptor | int,
        w: DevicePointer,
        linLayerID: int,
        linLayerBiasDesc: FilterDescriptor | int,
    ) -> int:
        """Return `linLayerBias` for this object, `xDesc` and `wDesc`.

        See `cudnnGetRNNLinLayerBiasParams` for the arguments. Removed in 9.0.0; use cudnnGetRNNWeightParams.
        """
        return _adv_infer.cudnnGetRNNLinLayerBiasParams(
            handle,
            self,
            pseudoLayer,
            xDesc,
            wDesc,
            w,
            linLayerID,
            linLayerBiasDesc,
        )

    @_removed("removed in 9.0.0; use cudnnGetRNNWeightParams")
    def get_lin_layer_matrix_params(
        self,
        handle: Handle | int,
        pseudoLayer: int,
        xDesc: TensorDescriptor | int,
        wDesc: FilterDescriptor | int,
        w: DevicePointer,
        linLayerID: int,
        linLayerMatDesc: FilterDescriptor | int,
    ) -> int:
        """Return `linLayerMat` for this object, `xDesc` and `wDesc`.

        See `cudnnGetRNNLinLayerMatrixParams` for the arguments. Removed in 9.0.0; use cudnnGetRNNWeightParams.
        """
        return _adv_infer.cudnnGetRNNLinLayerMatrixParams(
            handle,
            self,
            pseudoLayer,
            xDesc,
            wDesc,
            w,
            linLayerID,
            linLayerMatDesc,
        )

    @_removed("removed in 9.0.0; use cudnnGetRNNDescriptor_v8")
    def get_matrix_math_type(self) -> MathType:
        """Return `mType` of this object.

        See `cudnnGetRNNMatrixMathType`. Removed in 9.0.0; use cudnnGetRNNDescriptor_v8.
        """
        return _adv_infer.cudnnGetRNNMatrixMathType(self)

    @_removed("removed in 9.0.0; use cudnnGetRNNDescriptor_v8")
    def get_padding_mode(self) -> RNNPaddedIO:
        """Return `paddingMode` of this object.

        See `cudnnGetRNNPaddingMode`. Removed in 9.0.0; use cudnnGetRNNDescriptor_v8.
        """
        return _adv_infer.cudnnGetRNNPaddingMode(self)

    @_removed("removed in 9.0.0; use cudnnGetRNNWeightSpaceSize")
    def get_params_size(
        self,
        handle: Handle | int,
        xDesc: TensorDescriptor | int,
        dataType: DataType,
    ) -> int:
        """Return `sizeInBytes` for this object and `xDesc`.

        See `cudnnGetRNNParamsSize` for the arguments. Removed in 9.0.0; use cudnnGetRNNWeightSpaceSize.
        """
        return _adv_infer.cudnnGetRNNParamsSize(handle, self, xDesc, dataType)

    @_removed("removed in 9.0.0; use cudnnGetRNNDescriptor_v8")
    def get_projection_layers(
        self,
        handle: Handle | int,
    ) -> _adv_infer.GetRNNProjectionLayersResult:
        """Return `recProjSize` and `outProjSize` of this object.

        See `cudnnGetRNNProjectionLayers` for the arguments. Removed in 9.0.0; use cudnnGetRNNDescriptor_v8.
        """
        return _adv_infer.cudnnGetRNNProjectionLayers(handle, self)

    def get_temp_space_sizes(
        self,
        handle: Handle | int,
        fwdMode: ForwardMode,
        xDesc: RNNDataDescriptor | int,
    ) -> _adv.GetRNNTempSpaceSizesResult:
        """Return `workSpaceSize` and `reserveSpaceSize` for this object and `xDesc`.

        See `cudnnGetRNNTempSpaceSizes` for the arguments.
        """
        return _adv.cudnnGetRNNTempSpaceSizes(handle, self, fwdMode, xDesc)

    @_removed("removed in 9.0.0; use cudnnGetRNNTempSpaceSizes")
    def get_training_reserve_size(
        self,
        handle: Handle | int,
        seqLength: int,
        xDesc: Sequence[int] | HostPointer,
    ) -> int:
        """Return `sizeInBytes` of this object.

        See `cudnnGetRNNTrainingReserveSize` for the arguments. Removed in 9.0.0; use cudnnGetRNNTempSpaceSizes.
        """
        return _adv_infer.cudnnGetRNNTrainingReserveSize(handle, self, seqLength, xDesc)

    @_removed("removed in 9.0.0; use cudnnGetRNNDescriptor_v8")
    def get_v6(self, handle: Handle | int) -> _adv_infer.GetRNNDescriptor_v6Result:
        """Return 8 values of this object.

        See `cudnnGetRNNDescriptor_v6` for the arguments. Removed in 9.0.0; use cudnnGetRNNDescriptor_v8.
        """
        return _adv_infer.cudnnGetRNNDescriptor_v6(handle, self)

    def get_v8(self) -> _adv.GetRNNDescriptor_v8Result:
        """Return 14 values of this object.

        See `cudnnGetRNNDescriptor_v8`.
        """
        return _adv.cudnnGetRNNDescriptor_v8(self)

    def get_weight_params(
        self,
        handle: Handle | int,
        pseudoLayer: int,
        weightSpaceSize: int,
        weightSpace: DevicePointer,
        linLayerID: int,
        mDesc: TensorDescriptor | int,
        bDesc: TensorDescriptor | int,
    ) -> _adv.GetRNNWeightParamsResult:
        """Return `mAddr` and `bAddr` of this object.

        See `cudnnGetRNNWeightParams` for the arguments.
        """
        return _adv.cudnnGetRNNWeightParams(
            handle,
            self,
            pseudoLayer,
            weightSpaceSize,
            weightSpace,
            linLayerID,
            mDesc,
            bDesc,
        )

    def get_weight_space_size(self, handle: Handle | int) -> int:
        """Return `weightSpaceSize` of this object.

        See `cudnnGetRNNWeightSpaceSize` for the arguments.
        """
        return _adv.cudnnGetRNNWeightSpaceSize(handle, self)

    @_removed("removed in 9.0.0; use cudnnGetRNNTempSpaceSizes")
    def get_workspace_size(
        self,
        handle: Handle | int,
        seqLength: int,
        xDesc: Sequence[int] | HostPointer,
    ) -> int:
        """Return `sizeInBytes` of this object.

        See `cudnnGetRNNWorkspaceSize` for the arguments. Removed in 9.0.0; use cudnnGetRNNTempSpaceSizes.
        """
        return _adv_infer.cudnnGetRNNWorkspaceSize(handle, self, seqLength, xDesc)

    @_removed("removed in 9.0.0; use cudnnSetRNNDescriptor_v8")
    def set_algorithm(self, handle: Handle | int, algoDesc: AlgorithmDescriptor | int) -> None:
        """Set `algoDesc` of this object.

        See `cudnnSetRNNAlgorithmDescriptor` for the arguments. Removed in 9.0.0; use cudnnSetRNNDescriptor_v8.
        """
        return _adv_infer.cudnnSetRNNAlgorithmDescriptor(handle, self, algoDesc)

    @_removed("removed in 9.0.0; use cudnnSetRNNDescriptor_v8")
    def set_bias_mode(self, biasMode: RNNBiasMode) -> None:
        """Set `biasMode` of this object.

        See `cudnnSetRNNBiasMode` for the arguments. Removed in 9.0.0; use cudnnSetRNNDescriptor_v8.
        """
        return _adv_infer.cudnnSetRNNBiasMode(self, biasMode)

    @_removed("removed in 9.0.0; use cudnnRNNSetClip_v9")
    def set_clip(
        self,
        handle: Handle | int,
        clipMode: RNNClipMode,
        clipNanOpt: NanPropagation,
        lclip: float,
        rclip: float,
    ) -> None:
        """Set `clipMode`, `clipNanOpt`, `lclip` and `rclip` of this object.

        See `cudnnRNNSetClip` for the arguments. Removed in 9.0.0; use cudnnRNNSetClip_v9.
        """
        return _adv_infer.cudnnRNNSetClip(handle, self, clipMode, clipNanOpt, lclip, rclip)

    def set_clip_v8(
        self,
        clipMode: RNNClipMode,
        clipNanOpt: NanPropagation,
        lclip: float,
        rclip: float,
    ) -> None:
        """Set `clipMode`, `clipNanOpt`, `lclip` and `rclip` of this object.

        See `cudnnRNNSetClip_v8` for the arguments.
        """
        return _adv.cudnnRNNSetClip_v8(self, clipMode, clipNanOpt, lclip, rclip)

    def set_clip_v9(self, clipMode: RNNClipMode, lclip: float, rclip: float) -> None:
        """Set `clipMode`, `lclip` and `rclip` of this object.

        See `cudnnRNNSetClip_v9` for the arguments.
        """
        return _adv.cudnnRNNSetClip_v9(self, clipMode, lclip, rclip)

    @_removed("removed in 9.0.0; use cudnnSetRNNDescriptor_v8")
    def set_matrix_math_type(self, mType: MathType) -> None:
        """Set `mType` of this object.

        See `cudnnSetRNNMatrixMathType` for the arguments. Removed in 9.0.0; use cudnnSetRNNDescriptor_v8.
        """
        return _adv_infer.cudnnSetRNNMatrixMathType(self, mType)

    @_removed("removed in 9.0.0; use cudnnSetRNNDescriptor_v8")
    def set_padding_mode(self, paddingMode: RNNPaddedIO | int) -> None:
        """Set `paddingMode` of this object.

        See `cudnnSetRNNPaddingMode` for the arguments. Removed in 9.0.0; use cudnnSetRNNDescriptor_v8.
        """
        return _adv_infer.cudnnSetRNNPaddingMode(self, paddingMode)

    @_removed("removed in 9.0.0; use cudnnBuildRNNDynamic")
    def set_persistent_plan(self, plan: PersistentRNNPlan | int) -> None:
        """Set `plan` of this object.

        See `cudnnSetPersistentRNNPlan` for the arguments. Removed in 9.0.0; use cudnnBuildRNNDynamic.
        """
        return _adv_infer.cudnnSetPersistentRNNPlan(self, plan)

    @_removed("removed in 9.0.0; use cudnnSetRNNDescriptor_v8")
    def set_projection_layers(
        self,
        handle: Handle | int,
        recProjSize: int,
        outProjSize: int,
    ) -> None:
        """Set `recProjSize` and `outProjSize` of this object.

        See `cudnnSetRNNProjectionLayers` for the arguments. Removed in 9.0.0; use cudnnSetRNNDescriptor_v8.
        """
        return _adv_infer.cudnnSetRNNProjectionLayers(handle, self, recProjSize, outProjSize)

    @_removed("removed in 9.0.0; use cudnnSetRNNDescriptor_v8")
    def set_v6(
        self,
        handle: Handle | int,
        hiddenSize: int,
        numLayers: int,
        dropoutDesc: DropoutDescriptor | int | None,
        inputMode: RNNInputMode,
        direction: DirectionMode,
        cellMode: RNNMode,
        algo: RNNAlgo,
        mathPrec: DataType,
    ) -> None:
        """Set up this object from the other arguments.

        See `cudnnSetRNNDescriptor_v6` for the arguments. Removed in 9.0.0; use cudnnSetRNNDescriptor_v8.
        """
        return _adv_infer.cudnnSetRNNDescriptor_v6(
            handle,
            self,
            hiddenSize,
            numLayers,
            dropoutDesc,
            inputMode,
            direction,
            cellMode,
            algo,
            mathPrec,
        )

    def set_v8(
        self,
        algo: RNNAlgo,
        cellMode: RNNMode,
        biasMode: RNNBiasMode,
        dirMode: DirectionMode,
        inputMode: RNNInputMode,
        dataType: DataType,
        mathPrec: DataType,
        mathType: MathType,
        inputSize: int,
        hiddenSize: int,
        projSize: int,
        numLayers: int,
        dropoutDesc: DropoutDescriptor | int | None,
        auxFlags: RNNPaddedIO | int,
    ) -> None:
        """Set up this object from the other arguments.

        See `cudnnSetRNNDescriptor_v8` for the arguments.
        """
        return _adv.cudnnSetRNNDescriptor_v8(
            self,
            algo,
            cellMode,
            biasMode,
            dirMode,
            inputMode,
            dataType,
            mathPrec,
            mathType,
            inputSize,
            hiddenSize,
            projSize,
            numLayers,
            dropoutDesc,
            auxFlags,
        )


class ReduceTensorDescriptor(Family):
    """A cudnnReduceTensorDescriptor_t, destroyed when closed.

    Made by `cudnnCreateReduceTensorDescriptor`, destroyed by `cudnnDestroyReduceTensorDescriptor`.
    """

    __slots__ = ("_cudnnReduceTensorDescriptor_t",)
    _cudnnReduceTensorDescriptor_t: int
    _c_name = "cudnnReduceTensorDescriptor_t"
    _destroy = staticmethod(_ops.cudnnDestroyReduceTensorDescriptor)
    _functions = {
        "get": "cudnnGetReduceTensorDescriptor",
        "reduce_tensor": "cudnnReduceTensor",
        "set": "cudnnSetReduceTensorDescriptor",
    }

    def __init__(self) -> None:
        self._own(_ops.cudnnCreateReduceTensorDescriptor())

    def get(self) -> _ops.GetReduceTensorDescriptorResult:
        """Return 5 values of this object.

        See `cudnnGetReduceTensorDescriptor`.
        """
        return _ops.cudnnGetReduceTensorDescriptor(self)

    def reduce_tensor(
        self,
        handle: Handle | int,
        indices: DevicePointer,
        indicesSizeInBytes: int,
        workspace: DevicePointer,
        workspaceSizeInBytes: int,
        alpha: ScalingFactor,
        aDesc: TensorDescriptor | int,
        A: DevicePointer,
        beta: ScalingFactor,
        cDesc: TensorDescriptor | int,
        C: DevicePointer,
    ) -> None:
        """Compute `indices` and `C` from `A`.

        See `cudnnReduceTensor` for the arguments.
        """
        return _ops.cudnnReduceTensor(
            handle,
            self,
            indices,
            indicesSizeInBytes,
            workspace,
            workspaceSizeInBytes,
            alpha,
            aDesc,
            A,
            beta,
            cDesc,
            C,
        )

    def set(
        self,
        reduceTensorOp: ReduceTensorOp,
        reduceTensorCompType: DataType,
        reduceTensorNanOpt: NanPropagation,
        reduceTensorIndices: ReduceTensorIndices,
        reduceTensorIndicesType: IndicesType,
    ) -> None:
        """Set up this object from the other arguments.

        See `cudnnSetReduceTensorDescriptor` for the arguments.
        """
        return _ops.cudnnSetReduceTensorDescriptor(
            self,
            reduceTensorOp,
            reduceTensorCompType,
            reduceTensorNanOpt,
            reduceTensorIndices,
            reduceTensorIndicesType,
        )


class SeqDataDescriptor(Family):
    """A cudnnSeqDataDescriptor_t, destroyed when closed.

    Made by `cudnnCreateSeqDataDescriptor`, destroyed by `cudnnDestroySeqDataDescriptor`.
    """

    __slots__ = ("_cudnnSeqDataDescriptor_t",)
    _cudnnSeqDataDescriptor_t: int
    _c_name = "cudnnSeqDataDescriptor_t"
    _destroy = staticmethod(_adv.cudnnDestroySeqDataDescriptor)
    _functions = {"get": "cudnnGetSeqDataDescriptor", "set": "cudnnSetSeqDataDescriptor"}

    def __init__(self) -> None:
        self._own(_adv.cudnnCreateSeqDataDescriptor())

    def get(
        self,
        nbDimsRequested: int,
        seqLengthSizeRequested: int,
    ) -> _adv.GetSeqDataDescriptorResult:
        """Return 7 values of this object.

        See `cudnnGetSeqDataDescriptor` for the arguments.
        """
        return _adv.cudnnGetSeqDataDescriptor(self, nbDimsRequested, seqLengthSizeRequested)

    def set(
        self,
        dataType: DataType,
        nbDims: int,
        dimA: Sequence[int] | HostPointer,
        axes: Sequence[int] | HostPointer,
        seqLengthArraySize: int,
        seqLengthArray: Sequence[int] | HostPointer,
        paddingFill: float | HostPointer,
    ) -> None:
        """Set `dataType`, `dimA`, `axes`, `seqLengthArray` and `paddingFill` of this object.

        See `cudnnSetSeqDataDescriptor` for the arguments.
        """
        return _adv.cudnnSetSeqDataDescriptor(
            self,
            dataType,
            nbDims,
            dimA,
            axes,
            seqLengthArraySize,
            seqLengthArray,
            paddingFill,
        )


class SpatialTransformerDescriptor(Family):
    """A cudnnSpatialTransformerDescriptor_t, destroyed when closed.

    Made by `cudnnCreateSpatialTransformerDescriptor`, destroyed by `cudnnDestroySpatialTransformerDescriptor`.
    """

    __slots__ = ("_cudnnSpatialTransformerDescriptor_t",)
    _cudnnSpatialTransformerDescriptor_t: int
    _c_name = "cudnnSpatialTransformerDescriptor_t"
    _destroy = staticmethod(_ops.cudnnDestroySpatialTransformerDescriptor)
    _functions = {"set_nd": "cudnnSetSpatialTransformerNdDescriptor"}

    def __init__(self) -> None:
        self._own(_ops.cudnnCreateSpatialTransformerDescriptor())

    def set_nd(
        self,
        samplerType: SamplerType,
        dataType: DataType,
        nbDims: int,
        dimA: Sequence[int] | HostPointer,
    ) -> None:
        """Set `samplerType`, `dataType` and `dimA` of this object.

        See `cudnnSetSpatialTransformerNdDescriptor` for the arguments.
        """
        return _ops.cudnnSetSpatialTransformerNdDescriptor(
            self,
            samplerType,
            dataType,
            nbDims,
            dimA,
        )


class TensorDescriptor(Family):
    """A cudnnTensorDescriptor_t, destroyed when closed.

    Made by `cudnnCreateTensorDescriptor`, destroyed by `cudnnDestroyTensorDescriptor`.
    """

    __slots__ = ("_cudnnTensorDescriptor_t",)
    _cudnnTensorDescriptor_t: int
    _c_name = "cudnnTensorDescriptor_t"
    _destroy = staticmethod(_ops.cudnnDestroyTensorDescriptor)
    _functions = {
        "derive_bn": "cudnnDeriveBNTensorDescriptor",
        "derive_norm": "cudnnDeriveNormTensorDescriptor",
        "dropout_get_reserve_space_size": "cudnnDropoutGetReserveSpaceSize",
        "get_4d": "cudnnGetTensor4dDescriptor",
        "get_nd": "cudnnGetTensorNdDescriptor",
        "get_size_in_bytes": "cudnnGetTensorSizeInBytes",
        "scale": "cudnnScaleTensor",
        "set": "cudnnSetTensor",
        "set_4d": "cudnnSetTensor4dDescriptor",
        "set_4d_ex": "cudnnSetTensor4dDescriptorEx",
        "set_nd": "cudnnSetTensorNdDescriptor",
        "set_nd_ex": "cudnnSetTensorNdDescriptorEx",
    }

    def __init__(self) -> None:
        self._own(_ops.cudnnCreateTensorDescriptor())

    def derive_bn(self, xDesc: TensorDescriptor | int, mode: BatchNormMode) -> None:
        """Derive this object from `xDesc` and `mode`.

        See `cudnnDeriveBNTensorDescriptor` for the arguments.
        """
        return _ops.cudnnDeriveBNTensorDescriptor(self, xDesc, mode)

    def derive_norm(
        self,
        derivedNormMeanVarDesc: TensorDescriptor | int,
        xDesc: TensorDescriptor | int,
        mode: NormMode,
        groupCnt: int,
    ) -> None:
        """Derive this object and `derivedNormMeanVarDesc`.

        See `cudnnDeriveNormTensorDescriptor` for the arguments.
        """
        return _ops.cudnnDeriveNormTensorDescriptor(
            self,
            derivedNormMeanVarDesc,
            xDesc,
            mode,
            groupCnt,
        )

    def dropout_get_reserve_space_size(self) -> int:
        """Return `sizeInBytes` of this object.

        See `cudnnDropoutGetReserveSpaceSize`.
        """
        return _ops.cudnnDropoutGetReserveSpaceSize(self)

    def get_4d(self) -> _ops.GetTensor4dDescriptorResult:
        """Return `dataType`, `n`, `c`, `h`, `w`, `nStride`, `cStride`, `hStride` and `wStride`.

        See `cudnnGetTensor4dDescriptor`.
        """
        return _ops.cudnnGetTensor4dDescriptor(self)

    def get_nd(self, nbDimsRequested: int = 8) -> _ops.GetTensorNdDescriptorResult:
        """Return `dataType`, `nbDims`, `dimA` and `strideA` of this object.

        See `cudnnGetTensorNdDescriptor` for the arguments.
        """
        return _ops.cudnnGetTensorNdDescriptor(self, nbDimsRequested)

    def get_size_in_bytes(self) -> int:
        """Return `size` of this object.

        See `cudnnGetTensorSizeInBytes`.
        """
        return _ops.cudnnGetTensorSizeInBytes(self)

    def scale(self, handle: Handle | int, y: DevicePointer, alpha: ScalingFactor) -> None:
        """Update `y` in place with `alpha`.

        See `cudnnScaleTensor` for the arguments.
        """
        return _ops.cudnnScaleTensor(handle, self, y, alpha)

    def set(self, handle: Handle | int, y: DevicePointer, valuePtr: ScalingFactor) -> None:
        """Write `y` with `valuePtr`.

        See `cudnnSetTensor` for the arguments.
        """
        return _ops.cudnnSetTensor(handle, self, y, valuePtr)

    def set_4d(
        self,
        format: TensorFormat,
        dataType: DataType,
        n: int,
        c: int,
        h: int,
        w: int,
    ) -> None:
        """Set `format`, `dataType`, `n`, `c`, `h` and `w` of this object.

        See `cudnnSetTensor4dDescriptor` for the arguments.
        """
        return _ops.cudnnSetTensor4dDescriptor(self, format, dataType, n, c, h, w)

    def set_4d_ex(
        self,
        dataType: DataType,
        n: int,
        c: int,
        h: int,
        w: int,
        nStride: int,
        cStride: int,
        hStride: int,
        wStride: int,
    ) -> None:
        """Set up this object from the other arguments.

        See `cudnnSetTensor4dDescriptorEx` for the arguments.
        """
        return _ops.cudnnSetTensor4dDescriptorEx(
            self,
            dataType,
            n,
            c,
            h,
            w,
            nStride,
            cStride,
            hStride,
            wStride,
        )

    def set_nd(
        self,
        dataType: DataType,
        nbDims: int,
        dimA: Sequence[int] | HostPointer,
        strideA: Sequence[int] | HostPointer,
    ) -> None:
        """Set `dataType`, `dimA` and `strideA` of this object.

        See `cudnnSetTensorNdDescriptor` for the arguments.
        """
        return _ops.cudnnSetTensorNdDescriptor(self, dataType, nbDims, dimA, strideA)

    def set_nd_ex(
        self,
        format: TensorFormat,
        dataType: DataType,
        nbDims: int,
        dimA: Sequence[int] | HostPointer,
    ) -> None:
        """Set `format`, `dataType` and `dimA` of this object.

        See `cudnnSetTensorNdDescriptorEx` for the arguments.
        """
        return _ops.cudnnSetTensorNdDescriptorEx(self, format, dataType, nbDims, dimA)


class TensorTransformDescriptor(Family):
    """A cudnnTensorTransformDescriptor_t, destroyed when closed.

    Made by `cudnnCreateTensorTransformDescriptor`, destroyed by `cudnnDestroyTensorTransformDescriptor`.
    """

    __slots__ = ("_cudnnTensorTransformDescriptor_t",)
    _cudnnTensorTransformDescriptor_t: int
    _c_name = "cudnnTensorTransformDescriptor_t"
    _destroy = staticmethod(_ops.cudnnDestroyTensorTransformDescriptor)
    _functions = {
        "get": "cudnnGetTensorTransformDescriptor",
        "init_transform_dest": "cudnnInitTransformDest",
        "set": "cudnnSetTensorTransformDescriptor",
    }

    def __init__(self) -> None:
        self._own(_ops.cudnnCreateTensorTransformDescriptor())

    def get(self, nbDimsRequested: int) -> _ops.GetTensorTransformDescriptorResult:
        """Return `destFormat`, `padBeforeA`, `padAfterA`, `foldA` and `direction`.

        See `cudnnGetTensorTransformDescriptor` for the arguments.
        """
        return _ops.cudnnGetTensorTransformDescriptor(self, nbDimsRequested)

    def init_transform_dest(
        self,
        srcDesc: TensorDescriptor | int,
        destDesc: TensorDescriptor | int,
    ) -> int:
        """Initialize `destDesc` from this object and `srcDesc`.

        See `cudnnInitTransformDest` for the arguments.
        """
        return _ops.cudnnInitTransformDest(self, srcDesc, destDesc)

    def set(
        self,
        nbDims: int,
        destFormat: TensorFormat,
        padBeforeA: Sequence[int] | HostPointer,
        padAfterA: Sequence[int] | HostPointer,
        foldA: Sequence[int] | HostPointer,
        direction: FoldingDirection,
    ) -> None:
        """Set `destFormat`, `padBeforeA`, `padAfterA`, `foldA` and `direction` of this object.

        See `cudnnSetTensorTransformDescriptor` for the arguments.
        """
        return _ops.cudnnSetTensorTransformDescriptor(
            self,
            nbDims,
            destFormat,
            padBeforeA,
            padAfterA,
            foldA,
            direction,
        )
