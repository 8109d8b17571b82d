"""Declarations in the shape of releases before 8.5, in our own words, for the tests."""

from __future__ import annotations

from generator.headers.records import HeaderSet
from tests.generator.small import BASE, headers

_CONVOLUTION = """
typedef enum { CUDNN_CONVOLUTION = 0, CUDNN_CROSS_CORRELATION = 1 } cudnnConvolutionMode_t;
typedef struct cudnnConvolutionStruct *cudnnConvolutionDescriptor_t;
cudnnStatus_t cudnnCreateConvolutionDescriptor(cudnnConvolutionDescriptor_t *convDesc);
cudnnStatus_t cudnnDestroyConvolutionDescriptor(cudnnConvolutionDescriptor_t convDesc);
"""

_ND = """
cudnnStatus_t cudnnSetConvolutionNdDescriptor(cudnnConvolutionDescriptor_t convDesc,
    int arrayLength, const int padA[], const int filterStrideA[], const int {third}[],
    cudnnConvolutionMode_t mode, cudnnDataType_t {type});
cudnnStatus_t cudnnGetConvolutionNdDescriptor({const} cudnnConvolutionDescriptor_t convDesc,
    int arrayLengthRequested, int *arrayLength, int padA[], int strideA[], int {third}[],
    cudnnConvolutionMode_t *mode, cudnnDataType_t *{type});
"""

#: Tensors of four dimensions only; results are added to what is there, or replace it.
V1 = HeaderSet(
    version="1.0.0",
    build="1.0.0",
    files=headers(
        "1.0.0",
        BASE.partition("size_t cudnnGetVersion")[0]
        + """
typedef enum { CUDNN_RESULT_ACCUMULATE = 0, CUDNN_RESULT_NO_ACCUMULATE = 1 }
    cudnnAccumulateResult_t;
typedef struct cudnnTensor4dStruct *cudnnTensor4dDescriptor_t;
cudnnStatus_t cudnnCreate(cudnnHandle_t *handle);
cudnnStatus_t cudnnDestroy(cudnnHandle_t handle);
cudnnStatus_t cudnnCreateTensor4dDescriptor(cudnnTensor4dDescriptor_t *tensorDesc);
cudnnStatus_t cudnnDestroyTensor4dDescriptor(cudnnTensor4dDescriptor_t tensorDesc);
cudnnStatus_t cudnnSetTensor4dDescriptor(cudnnTensor4dDescriptor_t tensorDesc,
    cudnnTensorFormat_t format, cudnnDataType_t dataType, int n, int c, int h, int w);
cudnnStatus_t cudnnSetTensor4d(cudnnHandle_t handle, cudnnTensorDescriptor_t tensorDesc,
    void *srcDestData, const void *value);
cudnnStatus_t cudnnAddTensor4d(cudnnHandle_t handle, const void *alpha,
    cudnnTensor4dDescriptor_t biasDesc, const void *biasData,
    cudnnTensor4dDescriptor_t srcDestDesc, void *srcDestData);
cudnnStatus_t cudnnConvolutionForward(cudnnHandle_t handle, cudnnTensor4dDescriptor_t srcDesc,
    const void *srcData, cudnnTensor4dDescriptor_t destDesc, void *destData,
    cudnnAccumulateResult_t accumulate);
""",
    ).files,
    origin="a test",
)

#: With the scaling factors, and setters and scalers of four dimensions and more.
V2 = headers(
    "2.0.0",
    BASE
    + """
cudnnStatus_t cudnnSetTensor(cudnnHandle_t handle, const cudnnTensorDescriptor_t srcDestDesc,
    void *srcDestData, const void *value);
cudnnStatus_t cudnnScaleTensor(cudnnHandle_t handle, const cudnnTensorDescriptor_t srcDestDesc,
    void *srcDestData, const void *alpha);
cudnnStatus_t cudnnDivisiveNormalizationForward(cudnnHandle_t handle, void *tempData,
    void *tempData2, const void *beta, void *destData);
cudnnStatus_t cudnnSoftmaxForward(cudnnHandle_t handle, int algorithm, const void *alpha,
    const cudnnTensorDescriptor_t srcDesc, const void *srcData, const void *beta,
    const cudnnTensorDescriptor_t destDesc, void *destData);
cudnnStatus_t cudnnBatchNormalizationForwardInference(cudnnHandle_t handle,
    const void *estimatedMean, const void *estimatedInvVariance);
""",
)

#: The convolution scales up, and neither dilates nor has groups.
V5 = headers(
    "5.1.10",
    BASE
    + _CONVOLUTION
    + _ND.format(third="upscaleA", type="dataType", const="const")
    + """
typedef struct cudnnRNNStruct *cudnnRNNDescriptor_t;
typedef struct cudnnDropoutStruct *cudnnDropoutDescriptor_t;
cudnnStatus_t cudnnSetRNNDescriptor(cudnnRNNDescriptor_t rnnDesc, int hiddenSize,
    cudnnDropoutDescriptor_t dropoutDesc);
cudnnStatus_t cudnnSoftmaxForward(cudnnHandle_t handle, int algo, const void *alpha,
    const cudnnTensorDescriptor_t xDesc, const void *x, const void *beta,
    const cudnnTensorDescriptor_t yDesc, void *y);
cudnnStatus_t cudnnRNNBackwardData(cudnnHandle_t handle, const cudnnRNNDescriptor_t rnnDesc,
    void *workspace, size_t workSpaceSizeInBytes, const void *reserveSpace,
    size_t reserveSpaceSizeInBytes);
cudnnStatus_t cudnnBatchNormalizationForwardInference(cudnnHandle_t handle,
    const void *estimatedMean, const void *estimatedVariance);
""",
)

_SEQUENCES = """
typedef struct cudnnSeqDataStruct *cudnnSeqDataDescriptor_t;
typedef enum {{ CUDNN_SEQDATA_TIME_DIM = 0 }} cudnnSeqDataAxis_t;
cudnnStatus_t cudnnGetSeqDataDescriptor(const cudnnSeqDataDescriptor_t seqDataDesc,
    cudnnDataType_t *dataType, int *nbDims, int nbDimsRequested, int dimA[],
    cudnnSeqDataAxis_t axes[], size_t *seqLengthArraySize, size_t {capacity},
    int seqLengthArray[], void *paddingFill);
cudnnStatus_t cudnnMultiHeadAttnForward(cudnnHandle_t handle, const int {window},
    const int devSeqLengths{array}, const void *queries, void *out);
cudnnStatus_t cudnnCTCLoss(cudnnHandle_t handle, const void *probs, const int {labels},
    void *costs, {const}void *gradients);
"""

#: A slip of the pen in a capacity, and pointers for arrays.
V7 = headers(
    "7.5.0",
    BASE
    + _CONVOLUTION
    + _ND.format(third="dilationA", type="computeType", const="")
    + _SEQUENCES.format(
        capacity="seqLengthSizeRequsted",
        window="*loWinIdx",
        array="[]",
        labels="*labels",
        const="const ",
    ),
)

#: The same as later releases have it.
V8 = headers(
    "8.4.0",
    BASE
    + _CONVOLUTION
    + _ND.format(third="dilationA", type="computeType", const="const")
    + _SEQUENCES.format(
        capacity="seqLengthSizeRequested",
        window="loWinIdx[]",
        array="[]",
        labels="hostLabels[]",
        const="",
    )
    + """
typedef enum { CUDNN_ATTR_RESAMPLE_MODE = 700, CUDNN_ATTR_RESAMPLE_STRIDES = 705 }
    cudnnBackendAttributeName_t;
typedef enum { CUDNN_BACKEND_RESAMPLE_DESCRIPTOR = 20 } cudnnBackendDescriptorType_t;
typedef enum { CUDNN_TYPE_INT64 = 3, CUDNN_TYPE_RESAMPLE_MODE = 27 } cudnnBackendAttributeType_t;
""",
)

ALL = (V1, V2, V5, V7, V8)

#: Enough of a release before the graph API for an operation.
V76 = headers(
    "7.6.5",
    BASE
    + """
typedef enum { CUDNN_ACTIVATION_SIGMOID = 0, CUDNN_ACTIVATION_RELU = 1 } cudnnActivationMode_t;
typedef enum { CUDNN_NOT_PROPAGATE_NAN = 0, CUDNN_PROPAGATE_NAN = 1 } cudnnNanPropagation_t;
typedef struct cudnnActivationStruct *cudnnActivationDescriptor_t;
cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t streamId);
cudnnStatus_t cudnnGetStream(cudnnHandle_t handle, cudaStream_t *streamId);
cudnnStatus_t cudnnCreateActivationDescriptor(cudnnActivationDescriptor_t *activationDesc);
cudnnStatus_t cudnnDestroyActivationDescriptor(cudnnActivationDescriptor_t activationDesc);
cudnnStatus_t cudnnSetActivationDescriptor(cudnnActivationDescriptor_t activationDesc,
    cudnnActivationMode_t mode, cudnnNanPropagation_t reluNanOpt, double coef);
cudnnStatus_t cudnnActivationForward(cudnnHandle_t handle,
    cudnnActivationDescriptor_t activationDesc, const void *alpha,
    const cudnnTensorDescriptor_t xDesc, const void *x, const void *beta,
    const cudnnTensorDescriptor_t yDesc, void *y);
""",
)

#: Functions whose names today take other arguments: modes for descriptors, no choice about NaN.
V3 = headers(
    "3.0.7",
    BASE
    + """
typedef enum { CUDNN_ACTIVATION_SIGMOID = 0, CUDNN_ACTIVATION_RELU = 1 } cudnnActivationMode_t;
typedef enum { CUDNN_ADD_IMAGE = 0, CUDNN_ADD_SAME_C = 2 } cudnnAddMode_t;
typedef enum { CUDNN_POOLING_MAX = 0 } cudnnPoolingMode_t;
typedef struct cudnnFilterStruct *cudnnFilterDescriptor_t;
typedef struct cudnnPoolingStruct *cudnnPoolingDescriptor_t;
cudnnStatus_t cudnnCreateFilterDescriptor(cudnnFilterDescriptor_t *filterDesc);
cudnnStatus_t cudnnDestroyFilterDescriptor(cudnnFilterDescriptor_t filterDesc);
cudnnStatus_t cudnnSetFilter4dDescriptor(cudnnFilterDescriptor_t filterDesc,
    cudnnDataType_t dataType, int k, int c, int h, int w);
cudnnStatus_t cudnnCreatePoolingDescriptor(cudnnPoolingDescriptor_t *poolingDesc);
cudnnStatus_t cudnnDestroyPoolingDescriptor(cudnnPoolingDescriptor_t poolingDesc);
cudnnStatus_t cudnnSetPooling2dDescriptor(cudnnPoolingDescriptor_t poolingDesc,
    cudnnPoolingMode_t mode, int windowHeight, int windowWidth, int verticalPadding,
    int horizontalPadding, int verticalStride, int horizontalStride);
cudnnStatus_t cudnnActivationForward(cudnnHandle_t handle, cudnnActivationMode_t mode,
    const void *alpha, const cudnnTensorDescriptor_t srcDesc, const void *srcData,
    const void *beta, const cudnnTensorDescriptor_t destDesc, void *destData);
cudnnStatus_t cudnnAddTensor(cudnnHandle_t handle, cudnnAddMode_t mode, const void *alpha,
    const cudnnTensorDescriptor_t biasDesc, const void *biasData, const void *beta,
    const cudnnTensorDescriptor_t srcDestDesc, void *srcDestData);
""",
)
