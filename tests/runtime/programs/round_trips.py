"""Each setter with its getter: the same values, of the same types; print how many pairs."""


def round_trips(cudnn):
    yield (
        "TensorDescriptor",
        "4d",
        (C.NCHW, D.FLOAT, 8, 64, 56, 57),
        (D.FLOAT, 8, 64, 56, 57, 64 * 56 * 57, 56 * 57, 57, 1),
    )
    yield (
        "TensorDescriptor",
        "nd",
        (D.HALF, 5, [2, 3, 4, 5, 6], [360, 120, 30, 6, 1]),
        (D.HALF, 5, (2, 3, 4, 5, 6), (360, 120, 30, 6, 1)),
    )
    yield "FilterDescriptor", "4d", (D.FLOAT, C.NHWC, 32, 16, 3, 5), (D.FLOAT, C.NHWC, 32, 16, 3, 5)
    yield (
        "FilterDescriptor",
        "nd",
        (D.DOUBLE, C.NCHW, 5, [7, 6, 5, 4, 3]),
        (D.DOUBLE, C.NCHW, 5, (7, 6, 5, 4, 3)),
    )
    yield (
        "ConvolutionDescriptor",
        "2d",
        (1, 2, 3, 4, 5, 6, cudnn.CUDNN_CROSS_CORRELATION, D.FLOAT),
        (1, 2, 3, 4, 5, 6, cudnn.CUDNN_CROSS_CORRELATION, D.FLOAT),
    )
    yield (
        "ConvolutionDescriptor",
        "nd",
        (3, (1, 1, 2), (1, 2, 1), (2, 1, 1), cudnn.CUDNN_CONVOLUTION, D.FLOAT),
        (3, (1, 1, 2), (1, 2, 1), (2, 1, 1), cudnn.CUDNN_CONVOLUTION, D.FLOAT),
    )
    yield (
        "ConvolutionDescriptor",
        "math_type",
        (cudnn.CUDNN_TENSOR_OP_MATH,),
        (cudnn.CUDNN_TENSOR_OP_MATH),
    )
    yield "ConvolutionDescriptor", "group_count", (4,), 4
    yield "ConvolutionDescriptor", "reorder_type", (cudnn.CUDNN_NO_REORDER,), cudnn.CUDNN_NO_REORDER
    yield (
        "PoolingDescriptor",
        "2d",
        (P.MAX, N.PROPAGATE_NAN, 2, 3, 1, 0, 2, 1),
        (P.MAX, N.PROPAGATE_NAN, 2, 3, 1, 0, 2, 1),
    )
    yield (
        "PoolingDescriptor",
        "nd",
        (P.AVERAGE_COUNT_INCLUDE_PADDING, N.NOT_PROPAGATE_NAN, 3, [2, 2, 3], [0, 1, 0], [1, 2, 1]),
        (P.AVERAGE_COUNT_INCLUDE_PADDING, N.NOT_PROPAGATE_NAN, 3, (2, 2, 3), (0, 1, 0), (1, 2, 1)),
    )
    yield (
        "ActivationDescriptor",
        "",
        (cudnn.CUDNN_ACTIVATION_CLIPPED_RELU, N.PROPAGATE_NAN, 6.5),
        (cudnn.CUDNN_ACTIVATION_CLIPPED_RELU, N.PROPAGATE_NAN, 6.5),
    )
    yield "ActivationDescriptor", "swish_beta", (1.25,), 1.25
    yield "LRNDescriptor", "", (5, 1e-4, 0.75, 2.0), (5, 1e-4, 0.75, 2.0)
    yield (
        "OpTensorDescriptor",
        "",
        (cudnn.CUDNN_OP_TENSOR_MAX, D.FLOAT, N.NOT_PROPAGATE_NAN),
        (cudnn.CUDNN_OP_TENSOR_MAX, D.FLOAT, N.NOT_PROPAGATE_NAN),
    )
    yield (
        "ReduceTensorDescriptor",
        "",
        (
            cudnn.CUDNN_REDUCE_TENSOR_NORM2,
            D.FLOAT,
            N.PROPAGATE_NAN,
            cudnn.CUDNN_REDUCE_TENSOR_NO_INDICES,
            cudnn.CUDNN_32BIT_INDICES,
        ),
        (
            cudnn.CUDNN_REDUCE_TENSOR_NORM2,
            D.FLOAT,
            N.PROPAGATE_NAN,
            cudnn.CUDNN_REDUCE_TENSOR_NO_INDICES,
            cudnn.CUDNN_32BIT_INDICES,
        ),
    )
    yield "CTCLossDescriptor", "", (D.FLOAT,), D.FLOAT
    yield (
        "CTCLossDescriptor",
        "v8",
        (D.FLOAT, cudnn.CUDNN_LOSS_NORMALIZATION_SOFTMAX, N.PROPAGATE_NAN, 77),
        (D.FLOAT, cudnn.CUDNN_LOSS_NORMALIZATION_SOFTMAX, N.PROPAGATE_NAN, 77),
    )
    yield (
        "RNNDataDescriptor",
        "",
        (D.FLOAT, cudnn.CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED, 4, 3, 8, [4, 3, 1], 0.5),
        None,
    )
    network = (
        cudnn.CUDNN_RNN_ALGO_STANDARD,
        cudnn.CUDNN_LSTM,
        cudnn.CUDNN_RNN_DOUBLE_BIAS,
        cudnn.CUDNN_BIDIRECTIONAL,
        cudnn.CUDNN_LINEAR_INPUT,
        D.FLOAT,
        D.FLOAT,
        cudnn.CUDNN_DEFAULT_MATH,
        32,
        64,
        64,
        2,
    )
    padded = cudnn.RNNPaddedIO.ENABLED
    yield "RNNDescriptor", "v8", (*network, None, padded), (*network, 0, padded)


import cudnn_cffi as cudnn
from cudnn_cffi import families

C, D, N, P = cudnn.TensorFormat, cudnn.DataType, cudnn.NanPropagation, cudnn.PoolingMode
count = 0
for name, what, values, wanted in round_trips(cudnn):
    item = getattr(families, name)()
    suffix = f"_{what}" if what else ""
    getattr(item, "set" + suffix)(*values)
    getter = getattr(item, "get" + suffix)
    if name == "RNNDataDescriptor":
        data_type, layout, steps, batch, size, lengths, fill = getter(3)
        assert (data_type, steps, batch, size, lengths, fill) == (
            D.FLOAT,
            4,
            3,
            8,
            (4, 3, 1),
            0.5,
        ), getter(3)
    else:
        got = getter()
        if isinstance(got, tuple) and name != "RNNDescriptor":
            assert got == wanted, (name, what, got)
            assert [type(g) for g in got] == [type(w) for w in wanted], (name, what, got)
        elif name == "RNNDescriptor":
            assert got[:12] == wanted[:12] and got[13] == wanted[13], got
            assert isinstance(got.auxFlags, cudnn.RNNPaddedIO), got.auxFlags
        else:
            assert got == wanted, (name, what, got)
    item.close()
    count += 1
print(count)
