"""Descriptors say what they are made of, and cuDNN says it back."""

from __future__ import annotations

import copy
import pickle
import re
from collections.abc import Callable
from typing import Any

import pytest

Make = Callable[[Any], Any]

#: How each is made, and how it reads.
MADE: list[tuple[Make, str]] = [
    (lambda c: c.TensorDescriptor.packed((8, 64, 56, 56)), "Tensor(8,64,56,56 float32 NCHW)"),
    (
        lambda c: c.TensorDescriptor.packed((8, 64, 7, 7), "bfloat16", "NHWC"),
        "Tensor(8,64,7,7 bfloat16 NHWC)",
    ),
    (
        lambda c: c.TensorDescriptor.packed((2, 64, 4, 4), "INT8x32", "NCHW_VECT_C"),
        "Tensor(2,64,4,4 INT8x32 NCHW_VECT_C)",
    ),
    (
        lambda c: c.TensorDescriptor.strided((2, 3, 4, 5), (100, 20, 5, 1), "float16"),
        "Tensor(2,3,4,5 float16 strides 100,20,5,1)",
    ),
    (
        lambda c: c.TensorDescriptor.packed((2, 3, 4, 5, 6), "float64", "NHWC"),
        "Tensor(2,3,4,5,6 float64 NHWC)",
    ),
    (lambda c: c.TensorDescriptor.packed((2, 3, 4), axes=3), "Tensor(2,3,4 float32 NCHW)"),
    (lambda c: c.TensorDescriptor.packed((2, 3)), "Tensor(2,3,1,1 float32 NCHW)"),
    (lambda c: c.TensorDescriptor.per_channel(7), "Tensor(1,7,1,1 float32 NCHW)"),
    (lambda c: c.TensorDescriptor(), "Tensor(not set)"),
    (lambda c: c.FilterDescriptor.packed((128, 64, 7, 7)), "Filter(128,64,7,7 float32 NCHW)"),
    (
        lambda c: c.FilterDescriptor.packed((8, 4, 3, 3, 3), "float16", "NHWC"),
        "Filter(8,4,3,3,3 float16 NHWC)",
    ),
    (lambda c: c.FilterDescriptor(), "Filter(not set)"),
    (
        lambda c: c.ConvolutionDescriptor.cross_correlation(3),
        "Convolution(CROSS_CORRELATION padding 3,3 stride 1,1 dilation 1,1 float32 DEFAULT_MATH)",
    ),
    (
        lambda c: c.ConvolutionDescriptor.convolution(
            (1, 2, 3), 2, groups=4, compute="float64", math="FMA_MATH"
        ),
        "Convolution(CONVOLUTION padding 1,2,3 stride 2,2,2 dilation 1,1,1 groups 4 float64 "
        "FMA_MATH)",
    ),
    (lambda c: c.ConvolutionDescriptor(), "Convolution(not set)"),
    (
        lambda c: c.PoolingDescriptor.max(2, deterministic=True),
        "Pooling(MAX_DETERMINISTIC window 2,2 stride 2,2 padding 0,0)",
    ),
    (
        lambda c: c.PoolingDescriptor.average((3, 3, 3), 2, 1, count_padding=False),
        "Pooling(AVERAGE_COUNT_EXCLUDE_PADDING window 3,3,3 stride 2,2,2 padding 1,1,1)",
    ),
    (lambda c: c.ActivationDescriptor.relu(), "Activation(RELU)"),
    (lambda c: c.ActivationDescriptor.clipped_relu(6.0), "Activation(CLIPPED_RELU 6)"),
    (lambda c: c.ActivationDescriptor.sigmoid(), "Activation(SIGMOID)"),
    (lambda c: c.ActivationDescriptor.tanh(), "Activation(TANH)"),
    (lambda c: c.ActivationDescriptor.elu(0.5), "Activation(ELU 0.5)"),
    (lambda c: c.ActivationDescriptor.swish(1.5), "Activation(SWISH 1.5)"),
    (lambda c: c.ActivationDescriptor.identity(), "Activation(IDENTITY)"),
    (lambda c: c.LRNDescriptor.of(7, k=1.0), "LRN(n 7 alpha 0.0001 beta 0.75 k 1)"),
    (lambda c: c.OpTensorDescriptor.of("MUL"), "OpTensor(MUL float32)"),
    (
        lambda c: c.ReduceTensorDescriptor.of("MAX", "float64", indices="FLATTENED_INDICES"),
        "ReduceTensor(MAX float64)",
    ),
    (
        lambda c: c.RNNDescriptor.lstm(8, 16, 2, bidirectional=True, projection_size=4),
        "RNN(LSTM 8 to 16 layers 2 bidirectional float32)",
    ),
    (lambda c: c.RNNDescriptor.gru(8, 16, dtype="float64"), "RNN(GRU 8 to 16 layers 1 float64)"),
    (
        lambda c: c.RNNDescriptor.lstm(8, 16, clip=(-1.0, 2.0)),
        "RNN(LSTM 8 to 16 layers 1 float32)",
    ),
    (lambda c: c.RNNDescriptor(), "RNN(not set)"),
    (
        lambda c: c.RNNDataDescriptor.of((5, 4, 2), 8, fill=1.5),
        "RNNData(5,3,8 float32 SEQ_MAJOR_UNPACKED lengths 5,4,2)",
    ),
    (
        lambda c: c.RNNDataDescriptor.of((2, 4), 8, "float64", layout="BATCH_MAJOR_UNPACKED"),
        "RNNData(4,2,8 float64 BATCH_MAJOR_UNPACKED lengths 2,4)",
    ),
    (lambda c: c.RNNDataDescriptor(), "RNNData(not set)"),
    (
        lambda c: c.SeqDataDescriptor.of(5, 3, 2, 8, lengths=(5, 4, 3, 2, 1, 1)),
        "SeqData(5,3,2,8 TIME,BATCH,BEAM,VECT float32)",
    ),
    (
        lambda c: c.SeqDataDescriptor.of(
            5, 3, 1, 8, "float16", axes=("BATCH_DIM", "BEAM_DIM", "TIME_DIM", "VECT_DIM")
        ),
        "SeqData(3,1,5,8 BATCH,BEAM,TIME,VECT float16)",
    ),
    (lambda c: c.SeqDataDescriptor(), "SeqData(not set)"),
    (
        lambda c: c.AttnDescriptor.of(
            2, 8, 6, 4, q_projection=3, k_projection=3, max_q_length=5, max_kv_length=7, max_batch=3
        ),
        "Attn(heads 2 sizes 8,6,4 float32)",
    ),
    (lambda c: c.AttnDescriptor(), "Attn(not set)"),
    (
        lambda c: c.CTCLossDescriptor.of(max_label_length=20),
        "CTCLoss(SOFTMAX float32 labels up to 20)",
    ),
]

every = pytest.mark.parametrize(("make", "text"), MADE, ids=[text for _, text in MADE])


@every
def test_reads_as_it_was_made(cudnn: Any, make: Make, text: str) -> None:
    assert repr(make(cudnn)) == text


@pytest.mark.parametrize("make", [make for make, _ in MADE], ids=[text for _, text in MADE])
def test_equal_ones_are_configured_alike(cudnn: Any, make: Make) -> None:
    one, other = make(cudnn), make(cudnn)
    assert one.address != other.address
    assert one == other
    assert hash(one) == hash(other)


@every
def test_pickled_and_copied_by_configuration(cudnn: Any, make: Make, text: str) -> None:
    one = make(cudnn)
    for other in (pickle.loads(pickle.dumps(one)), copy.copy(one), one.copied()):
        assert other.address != one.address
        assert other == one
        assert repr(other) == text


@every
def test_a_closed_one_is_refused_everywhere(cudnn: Any, make: Make, text: str) -> None:
    one, other = make(cudnn), make(cudnn)
    one.close()
    one.close()
    assert one.closed
    assert repr(one) == f"{text.partition('(')[0]}(closed)"
    assert one != other
    for use in (hash, pickle.dumps, copy.copy, lambda each: each.address):
        with pytest.raises(cudnn.CudnnError, match="closed"):
            use(one)


def test_different_ones_are_unequal(cudnn: Any) -> None:
    made = [make(cudnn) for make, _ in MADE]
    for i, one in enumerate(made):
        for other in made[i + 1 :]:
            assert one != other, (one, other)
    assert cudnn.TensorDescriptor() != "a tensor"


def test_setting_a_descriptor_by_its_c_name_shows_everywhere(cudnn: Any) -> None:
    desc = cudnn.TensorDescriptor.packed((1, 2, 3, 4))
    cudnn.cudnnSetTensor4dDescriptor(
        desc, cudnn.CUDNN_TENSOR_NHWC, cudnn.CUDNN_DATA_HALF, 4, 3, 2, 1
    )
    assert (desc.shape, desc.dtype, desc.layout) == ((4, 3, 2, 1), cudnn.DataType.HALF, "NHWC")
    assert desc == cudnn.TensorDescriptor.packed((4, 3, 2, 1), "float16", "NHWC")


class TestProperties:
    def test_tensor(self, cudnn: Any) -> None:
        desc = cudnn.TensorDescriptor.packed((2, 3, 4, 5), "float64", "NHWC")
        assert desc.dtype is cudnn.DataType.DOUBLE
        assert desc.shape == (2, 3, 4, 5)
        assert desc.strides == (60, 1, 15, 3)
        assert desc.ndim == 4
        assert desc.size_in_bytes == 960
        assert desc.layout == "NHWC"
        assert cudnn.TensorDescriptor.strided((2, 3, 4, 5), (99, 20, 5, 1)).layout is None

    def test_filter(self, cudnn: Any) -> None:
        desc = cudnn.FilterDescriptor.packed((8, 4, 3, 5), "float16", "NHWC")
        assert (desc.shape, desc.layout, desc.ndim) == ((8, 4, 3, 5), "NHWC", 4)
        assert desc.strides == (60, 1, 20, 4)
        assert desc.size_in_bytes == 960

    def test_convolution(self, cudnn: Any) -> None:
        conv = cudnn.ConvolutionDescriptor.cross_correlation((1, 2), 3, (4, 5), groups=2)
        assert (conv.padding, conv.stride, conv.dilation) == ((1, 2), (3, 3), (4, 5))
        assert conv.mode is cudnn.ConvolutionMode.CROSS_CORRELATION
        assert conv.compute_type is cudnn.DataType.FLOAT
        assert conv.math_type is cudnn.MathType.DEFAULT_MATH
        assert (conv.groups, conv.axes) == (2, 2)

    def test_convolution_says_what_comes_out(self, cudnn: Any) -> None:
        conv = cudnn.ConvolutionDescriptor.cross_correlation(3, 2)
        x = cudnn.TensorDescriptor.packed((64, 128, 112, 112))
        w = cudnn.FilterDescriptor.packed((128, 128, 7, 7))
        assert conv.output_shape(x, w) == (64, 128, 56, 56)
        with pytest.raises(cudnn.CudnnError):
            conv.output_shape(x, cudnn.FilterDescriptor.packed((128, 3, 7, 7)))

    def test_pooling(self, cudnn: Any) -> None:
        pool = cudnn.PoolingDescriptor.max((3, 2), 1, propagate_nan=False)
        assert (pool.window, pool.stride, pool.padding) == ((3, 2), (1, 1), (0, 0))
        assert pool.mode is cudnn.PoolingMode.MAX
        assert not pool.propagates_nan
        assert cudnn.PoolingDescriptor.max(2).propagates_nan
        assert pool.output_shape(cudnn.TensorDescriptor.packed((1, 2, 8, 8))) == (1, 2, 6, 7)

    def test_activation(self, cudnn: Any) -> None:
        assert cudnn.ActivationDescriptor.relu().propagates_nan
        assert not cudnn.ActivationDescriptor.relu(propagate_nan=False).propagates_nan
        assert cudnn.ActivationDescriptor.elu(0.25).coefficient == 0.25
        assert cudnn.ActivationDescriptor.swish(3.0).swish_beta == 3.0

    def test_element_wise(self, cudnn: Any) -> None:
        op = cudnn.OpTensorDescriptor.of(cudnn.OpTensorOp.ADD, "float64", propagate_nan=False)
        assert (op.op, op.compute_type) == (cudnn.OpTensorOp.ADD, cudnn.DataType.DOUBLE)
        assert not op.propagates_nan
        reduce = cudnn.ReduceTensorDescriptor.of("NORM2")
        assert reduce.op is cudnn.ReduceTensorOp.NORM2
        lrn = cudnn.LRNDescriptor.of()
        assert (lrn.n, lrn.alpha, lrn.beta, lrn.k) == (5, 1e-4, 0.75, 2.0)

    def test_recurrent(self, cudnn: Any) -> None:
        rnn = cudnn.RNNDescriptor.lstm(8, 16, 2, bidirectional=True, clip=(-1.0, 2.0))
        assert (rnn.input_size, rnn.hidden_size, rnn.projection_size) == (8, 16, 16)
        assert (rnn.layers, rnn.bidirectional) == (2, True)
        assert (rnn.cell, rnn.dtype) == (cudnn.RNNMode.LSTM, cudnn.DataType.FLOAT)
        assert rnn.clip == (-1.0, 2.0)
        assert cudnn.RNNDescriptor.gru(8, 16).clip is None
        data = cudnn.RNNDataDescriptor.of((5, 3), 8, max_length=9)
        assert (data.lengths, data.max_length, data.vector_size) == ((5, 3), 9, 8)
        assert data.layout is cudnn.RNNDataLayout.SEQ_MAJOR_UNPACKED

    def test_statistics_of_batch_normalisation(self, cudnn: Any) -> None:
        x = cudnn.TensorDescriptor.packed((8, 6, 5, 4), "float16")
        spatial = cudnn.TensorDescriptor.for_batch_norm(x)
        assert (spatial.shape, spatial.dtype) == ((1, 6, 1, 1), cudnn.DataType.FLOAT)
        each = cudnn.TensorDescriptor.for_batch_norm(x, "PER_ACTIVATION")
        assert each.shape == (1, 6, 5, 4)


class TestRefusals:
    @pytest.mark.parametrize("shape", [(), (2, 0, 3, 4), (2, -1, 3, 4)])
    def test_extents(self, cudnn: Any, shape: Any) -> None:
        with pytest.raises(ValueError, match="extents of 1 or more were expected"):
            cudnn.TensorDescriptor.packed(shape)

    @pytest.mark.parametrize("shape", [5, None, "NCHW", (1, 2.5, 3, 4)])
    def test_what_is_no_shape(self, cudnn: Any, shape: Any) -> None:
        text = re.escape(f"shape: a sequence of whole numbers was expected, {shape!r} came")
        for make in (cudnn.TensorDescriptor.packed, cudnn.FilterDescriptor.packed):
            with pytest.raises(TypeError, match=text):
                make(shape)
        with pytest.raises(TypeError, match=text):
            cudnn.TensorDescriptor.strided(shape, (1, 1, 1, 1))
        with pytest.raises(TypeError, match="strides: a sequence"):
            cudnn.TensorDescriptor.strided((1, 1, 1, 1), shape)

    def test_data_types(self, cudnn: Any) -> None:
        with pytest.raises(ValueError, match="'float12' came") as caught:
            cudnn.TensorDescriptor.packed((1, 2, 3, 4), "float12")
        assert "BFLOAT16" in caught.value.hint

    def test_names_of_enums(self, cudnn: Any) -> None:
        with pytest.raises(ValueError, match="a MathType was expected, 'FAST' came"):
            cudnn.ConvolutionDescriptor.cross_correlation(math="FAST")
        with pytest.raises(ValueError, match="TensorFormat was expected"):
            cudnn.FilterDescriptor.packed((1, 2, 3, 4), layout="WHCN")

    def test_lengths(self, cudnn: Any) -> None:
        with pytest.raises(ValueError, match="stride: 2 numbers were expected, 3 came"):
            cudnn.ConvolutionDescriptor.cross_correlation((1, 1), (1, 1, 1))
        with pytest.raises(ValueError, match="as many strides as extents"):
            cudnn.TensorDescriptor.strided((1, 2, 3, 4), (1, 2, 3))
        with pytest.raises(ValueError, match="one sequence or more"):
            cudnn.RNNDataDescriptor.of((), 8)

    def test_what_cudnn_refuses(self, cudnn: Any) -> None:
        with pytest.raises(cudnn.CudnnError, match="cudnnSetConvolutionNdDescriptor"):
            cudnn.ConvolutionDescriptor.cross_correlation(-1)
        with pytest.raises(cudnn.CudnnError, match="cudnnSetTensorNdDescriptor"):
            cudnn.TensorDescriptor.packed((1,) * 9)

    def test_another_kind_of_descriptor(self, cudnn: Any) -> None:
        conv = cudnn.ConvolutionDescriptor.cross_correlation()
        with pytest.raises(TypeError, match="cudnnTensorDescriptor_t was expected"):
            cudnn.cudnnGetTensor4dDescriptor(conv)


def test_what_cannot_be_read_back_is_equal_to_itself_alone(cudnn: Any) -> None:
    one, other = (cudnn.SpatialTransformerDescriptor.bilinear((1, 2, 3, 4)) for _ in range(2))
    assert one == one
    assert one != other
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(one)
    assert repr(cudnn.DropoutDescriptor()) == "Dropout(not set)"


def test_transform(cudnn: Any) -> None:
    try:
        desc = cudnn.TensorTransformDescriptor.of("NHWC", (0, 1, 0, 0, 0), fold=(2, 2, 2))
    except cudnn.CudnnError as error:
        if error.status_name != "CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED":
            raise
        pytest.skip("this release needs the NVIDIA driver for it")
    assert repr(desc) == ("TensorTransform(FOLD by 2,2,2 to NHWC padding 0,1,0,0,0 and 0,0,0,0,0)")
    assert pickle.loads(pickle.dumps(desc)) == desc
    assert repr(cudnn.TensorTransformDescriptor()) == "TensorTransform(not set)"


def test_an_error_names_the_descriptors_by_what_they_are(cudnn: Any) -> None:
    x = cudnn.TensorDescriptor.packed((8, 64, 56, 56))
    w = cudnn.FilterDescriptor.packed((8, 32, 3, 3))
    conv = cudnn.ConvolutionDescriptor.cross_correlation()
    with pytest.raises(cudnn.CudnnError) as caught:
        cudnn.cudnnGetConvolution2dForwardOutputDim(conv, x, w)
    assert "inputTensorDesc=Tensor(8,64,56,56 float32 NCHW)" in str(caught.value)
