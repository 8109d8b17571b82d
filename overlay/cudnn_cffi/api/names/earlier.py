"""Names of cuDNN 2 to 8.4 that no release from 8.5 on has."""

from __future__ import annotations

#: Names by how they ended, from public copies of cudnn.h. The first release after 5.1.10 that was
#: read is 7.0.1.
_ENDED = {
    "removed in 5.0": """
        CUDNN_ADD_FEATURE_MAP CUDNN_ADD_FULL_TENSOR CUDNN_ADD_IMAGE CUDNN_ADD_SAME_C
        CUDNN_ADD_SAME_CHW CUDNN_ADD_SAME_HW cudnnAddMode_t cudnnAddTensor_v2
        cudnnAddTensor_v3 cudnnConvolutionBackwardData_v2 cudnnConvolutionBackwardData_v3
        cudnnConvolutionBackwardFilter_v2 cudnnConvolutionBackwardFilter_v3
        cudnnGetConvolutionNdDescriptor_v2 cudnnGetConvolutionNdDescriptor_v3
        cudnnSetConvolutionNdDescriptor_v2 cudnnSetConvolutionNdDescriptor_v3
    """,
    "removed after 5.1.10": """
        cudnnActivationBackward_v3 cudnnActivationBackward_v4 cudnnActivationForward_v3
        cudnnActivationForward_v4 cudnnGetConvolution2dDescriptor_v5
        cudnnGetFilter4dDescriptor_v3 cudnnGetFilter4dDescriptor_v4
        cudnnGetFilterNdDescriptor_v3 cudnnGetFilterNdDescriptor_v4
        cudnnGetPooling2dDescriptor_v3 cudnnGetPooling2dDescriptor_v4
        cudnnGetPoolingNdDescriptor_v3 cudnnGetPoolingNdDescriptor_v4
        cudnnSetConvolution2dDescriptor_v5 cudnnSetFilter4dDescriptor_v3
        cudnnSetFilter4dDescriptor_v4 cudnnSetFilterNdDescriptor_v3
        cudnnSetFilterNdDescriptor_v4 cudnnSetPooling2dDescriptor_v3
        cudnnSetPooling2dDescriptor_v4 cudnnSetPoolingNdDescriptor_v3
        cudnnSetPoolingNdDescriptor_v4
    """,
    "removed in 8.0": """
        CUDNN_CONVOLUTION_BWD_DATA_NO_WORKSPACE CUDNN_CONVOLUTION_BWD_DATA_PREFER_FASTEST
        CUDNN_CONVOLUTION_BWD_DATA_SPECIFY_WORKSPACE_LIMIT
        CUDNN_CONVOLUTION_BWD_FILTER_NO_WORKSPACE CUDNN_CONVOLUTION_BWD_FILTER_PREFER_FASTEST
        CUDNN_CONVOLUTION_BWD_FILTER_SPECIFY_WORKSPACE_LIMIT
        CUDNN_CONVOLUTION_FWD_NO_WORKSPACE CUDNN_CONVOLUTION_FWD_PREFER_FASTEST
        CUDNN_CONVOLUTION_FWD_SPECIFY_WORKSPACE_LIMIT cudnnConvolutionBwdDataPreference_t
        cudnnConvolutionBwdFilterPreference_t cudnnConvolutionFwdPreference_t
        cudnnGetConvolutionBackwardDataAlgorithm cudnnGetConvolutionBackwardFilterAlgorithm
        cudnnGetConvolutionForwardAlgorithm cudnnGetRNNDescriptor cudnnSetRNNDescriptor
        cudnnSetRNNDescriptor_v5
    """,
}

#: The names, each with how it ended.
EARLIER = {name: fate for fate, names in _ENDED.items() for name in names.split()}
