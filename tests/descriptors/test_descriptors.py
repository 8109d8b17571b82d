"""Descriptors say what they are made of, and cuDNN says it back."""

from __future__ import annotations

import copy
import pickle
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

Make = Callable[[Any], Any]

#: A constructor for each descriptor, and its repr.
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
    (lambda c: c.PoolingDescriptor(), "Pooling(not set)"),
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
    (lambda c: c.ActivationDescriptor(), "Activation(SIGMOID)"),
    (lambda c: c.LRNDescriptor(), "LRN(n 5 alpha 0.0001 beta 0.75 k 2)"),
    (lambda c: c.LRNDescriptor.of(7, k=1.0), "LRN(n 7 alpha 0.0001 beta 0.75 k 1)"),
    (lambda c: c.OpTensorDescriptor.of("MUL"), "OpTensor(MUL float32)"),
    (lambda c: c.OpTensorDescriptor(), "OpTensor(ADD float32)"),
    (
        lambda c: c.ReduceTensorDescriptor.of("MAX", "float64", indices="FLATTENED_INDICES"),
        "ReduceTensor(MAX float64)",
    ),
    (lambda c: c.ReduceTensorDescriptor(), "ReduceTensor(ADD float32)"),
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
    (
        lambda c: c.RNNDataDescriptor.of((2, 4), 8, fill=float("nan")),
        "RNNData(4,2,8 float32 SEQ_MAJOR_UNPACKED lengths 2,4)",
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


class Device:
    """An array of float32 on a device that is not there."""

    def __init__(self, *shape: int) -> None:
        self.__cuda_array_interface__ = {
            "data": (0x7000, False),
            "shape": shape,
            "typestr": "<f4",
            "version": 3,
        }


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


@pytest.mark.parametrize("name", ["Activation", "OpTensor", "ReduceTensor", "LRN", "CTCLoss"])
def test_one_that_was_never_set_holds_nothing_of_what_was_in_memory(cudnn: Any, name: str) -> None:
    cls = getattr(cudnn, f"{name}Descriptor")
    for _ in range(20):  # whatever the heap gives
        made = [cls() for _ in range(50)]
        assert len(set(made)) == 1
        assert "UNKNOWN" not in repr(made[0])


def plain(value: Any) -> Any:
    """A property as it is in a pickle."""
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    return getattr(value, "name", value)


@every
def test_all_that_is_set_is_a_property(cudnn: Any, make: Make, text: str) -> None:
    desc = make(cudnn)
    for name, value in desc._configuration().items():
        assert isinstance(getattr(type(desc), name), property), name
        found = getattr(desc, name)
        if name == "mode" and isinstance(value, int):  # bits
            found = int(found)
        assert plain(found) == value or value != value, (text, name)


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
        assert conv.compute is cudnn.DataType.FLOAT
        assert conv.math is cudnn.MathType.DEFAULT_MATH
        assert (conv.groups, conv.axes) == (2, 2)
        assert conv.reorder is cudnn.ReorderType.DEFAULT_REORDER

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
        assert not pool.propagate_nan
        assert cudnn.PoolingDescriptor.max(2).propagate_nan
        assert pool.output_shape(cudnn.TensorDescriptor.packed((1, 2, 8, 8))) == (1, 2, 6, 7)

    def test_a_padding_that_only_the_c_name_takes(self, cudnn: Any) -> None:
        pool = cudnn.PoolingDescriptor()
        pool.set_nd(cudnn.PoolingMode.MAX, cudnn.NanPropagation(0), 2, (3, 3), (-1, 0), (1, 1))
        assert pool.padding == (-1, 0)
        for other in (pool.copied(), copy.copy(pool), pickle.loads(pickle.dumps(pool))):
            assert other == pool
            assert other.padding == (-1, 0)

    def test_activation(self, cudnn: Any) -> None:
        assert cudnn.ActivationDescriptor.relu().propagate_nan
        assert not cudnn.ActivationDescriptor.relu(propagate_nan=False).propagate_nan
        assert cudnn.ActivationDescriptor.elu(0.25).coefficient == 0.25
        assert cudnn.ActivationDescriptor.swish(3.0).swish_beta == 3.0

    def test_element_wise(self, cudnn: Any) -> None:
        op = cudnn.OpTensorDescriptor.of(cudnn.OpTensorOp.ADD, "float64", propagate_nan=False)
        assert (op.op, op.compute) == (cudnn.OpTensorOp.ADD, cudnn.DataType.DOUBLE)
        assert not op.propagate_nan
        reduce = cudnn.ReduceTensorDescriptor.of("NORM2")
        assert reduce.op is cudnn.ReduceTensorOp.NORM2
        found = cudnn.ReduceTensorDescriptor.of("MAX", indices="FLATTENED_INDICES")
        assert found.indices is cudnn.ReduceTensorIndices.FLATTENED_INDICES
        assert found.index_type == 0
        with pytest.raises(cudnn.NotSupportedError, match="indices of 32 bits"):
            cudnn.ReduceTensorDescriptor.of("MAX", indices="FLATTENED_INDICES", index_type=1)
        lrn = cudnn.LRNDescriptor.of()
        assert (lrn.n, lrn.alpha, lrn.beta, lrn.k) == (5, 1e-4, 0.75, 2.0)

    def test_recurrent(self, cudnn: Any) -> None:
        rnn = cudnn.RNNDescriptor.lstm(8, 16, 2, bidirectional=True, clip=(-1.0, 2.0))
        assert (rnn.input_size, rnn.hidden_size, rnn.projection_size) == (8, 16, 16)
        assert (rnn.layers, rnn.bidirectional) == (2, True)
        assert (rnn.cell, rnn.dtype) == (cudnn.RNNMode.LSTM, cudnn.DataType.FLOAT)
        assert rnn.clip == (-1.0, 2.0)
        assert rnn.bias is cudnn.RNNBiasMode.DOUBLE_BIAS
        assert rnn.algorithm is cudnn.RNNAlgo.STANDARD
        assert rnn.input_mode is cudnn.RNNInputMode.LINEAR_INPUT
        assert (rnn.compute, rnn.math) == (cudnn.DataType.FLOAT, cudnn.MathType.DEFAULT_MATH)
        assert (rnn.padded_io, rnn.dropout) == (True, None)
        assert not cudnn.RNNDescriptor.gru(8, 16, padded_io=False).padded_io
        assert cudnn.RNNDescriptor.gru(8, 16).clip is None
        data = cudnn.RNNDataDescriptor.of((5, 3), 8, max_length=9)
        assert (data.lengths, data.max_length, data.vector_size) == ((5, 3), 9, 8)
        assert data.layout is cudnn.RNNDataLayout.SEQ_MAJOR_UNPACKED
        assert cudnn.RNNDataDescriptor.of((5, 3), 8, fill=1.5).fill == 1.5

    def test_attention(self, cudnn: Any) -> None:
        axes = ("BATCH_DIM", "TIME_DIM", "BEAM_DIM", "VECT_DIM")
        data = cudnn.SeqDataDescriptor.of(5, 3, 2, 8, axes=axes)
        assert (data.time, data.batch, data.beam, data.vector) == (5, 3, 2, 8)
        assert data.axes == tuple(cudnn.SeqDataAxis[axis] for axis in axes)
        attention = cudnn.AttnDescriptor.of(
            2, 8, 6, 4, q_projection=3, k_projection=3, v_projection=5, o_projection=7,
            max_q_length=5, max_kv_length=7, max_batch=3, scale=0.5, dtype="float64",
        )  # fmt: skip
        assert (attention.q_size, attention.k_size, attention.v_size) == (8, 6, 4)
        assert (attention.q_projection, attention.k_projection) == (3, 3)
        assert (attention.v_projection, attention.o_projection) == (5, 7)
        assert (attention.max_q_length, attention.max_kv_length) == (5, 7)
        assert (attention.max_batch, attention.max_beam) == (3, 1)
        assert (attention.scale, attention.mode) == (0.5, 0)
        assert attention.compute is cudnn.DataType.DOUBLE
        assert attention.math is cudnn.MathType.DEFAULT_MATH
        assert (attention.attention_dropout, attention.output_dropout) == (None, None)

    def test_ctc_loss(self, cudnn: Any) -> None:
        assert cudnn.CTCLossDescriptor.of(propagate_nan=True).propagate_nan
        assert not cudnn.CTCLossDescriptor.of().propagate_nan

    def test_statistics_of_batch_normalisation(self, cudnn: Any) -> None:
        x = cudnn.TensorDescriptor.packed((8, 6, 5, 4), "float16")
        spatial = cudnn.TensorDescriptor.for_batch_norm(x)
        assert (spatial.shape, spatial.dtype) == ((1, 6, 1, 1), cudnn.DataType.FLOAT)
        each = cudnn.TensorDescriptor.for_batch_norm(x, "PER_ACTIVATION")
        assert each.shape == (1, 6, 5, 4)


class TestNumbersOfOtherLibraries:
    def test_are_as_good(self, cudnn: Any) -> None:
        two, three = np.int64(2), np.int32(3)
        for one, other in (
            (
                cudnn.ConvolutionDescriptor.cross_correlation(
                    three, two, np.array([1, 2]), groups=two
                ),
                cudnn.ConvolutionDescriptor.cross_correlation(3, 2, (1, 2), groups=2),
            ),
            (cudnn.PoolingDescriptor.max(three, two), cudnn.PoolingDescriptor.max(3, 2)),
            (
                cudnn.TensorDescriptor.packed(np.array([2, 3]), axes=three),
                cudnn.TensorDescriptor.packed((2, 3), axes=3),
            ),
            (
                cudnn.RNNDescriptor.lstm(two, three, clip=(np.float32(-1), np.int64(1))),
                cudnn.RNNDescriptor.lstm(2, 3, clip=(-1.0, 1.0)),
            ),
            (
                cudnn.RNNDataDescriptor.of(np.array([3, 2]), two, fill=np.float32(0.5)),
                cudnn.RNNDataDescriptor.of((3, 2), 2, fill=0.5),
            ),
            (
                cudnn.SeqDataDescriptor.of(three, two, np.int64(1), two),
                cudnn.SeqDataDescriptor.of(3, 2, 1, 2),
            ),
            (
                cudnn.ActivationDescriptor.elu(np.float32(0.5)),
                cudnn.ActivationDescriptor.elu(0.5),
            ),
            (cudnn.LRNDescriptor.of(three, k=two), cudnn.LRNDescriptor.of(3, k=2.0)),
            (cudnn.OpTensorDescriptor.of(np.int64(1)), cudnn.OpTensorDescriptor.of("MUL")),
        ):
            assert one == other

    @pytest.mark.parametrize(
        ("make", "words"),
        [
            (
                lambda c: c.ConvolutionDescriptor.cross_correlation(1.5),
                "padding: expected a whole number.* got 1.5",
            ),
            (
                lambda c: c.ConvolutionDescriptor.cross_correlation("same"),
                "padding: .*got 'same'",
            ),
            (
                lambda c: c.ConvolutionDescriptor.cross_correlation(stride=(1.0, 1)),
                "stride: .*got ",
            ),
            (
                lambda c: c.ConvolutionDescriptor.cross_correlation(groups=2.0),
                "groups: .*got 2.0",
            ),
            (lambda c: c.ConvolutionDescriptor.cross_correlation(axes="2"), "axes: .*got '2'"),
            (
                lambda c: c.PoolingDescriptor.max(2.0),
                "window: expected a whole number or.* got 2.0",
            ),
            (lambda c: c.TensorDescriptor.packed((1, 2), axes="x"), "axes: .*got 'x'"),
            (lambda c: c.RNNDescriptor.lstm(8, 16.0), "hidden_size: .*got 16.0"),
            (lambda c: c.RNNDescriptor.lstm("8", 16), "input_size: .*got '8'"),
            (
                lambda c: c.RNNDescriptor.lstm(8, 16, clip=1.0),
                "clip: expected two numbers.* got 1.0",
            ),
            (
                lambda c: c.RNNDescriptor.lstm(8, 16, clip=("a", 1)),
                "clip: expected a number.* got 'a'",
            ),
            (lambda c: c.RNNDataDescriptor.of(5, 8), "lengths: expected a sequence.* got 5"),
            (lambda c: c.RNNDataDescriptor.of((5,), "8"), "vector_size: .*got '8'"),
            (
                lambda c: c.RNNDataDescriptor.of((5,), 8, fill="0"),
                "fill: expected a number.* got '0'",
            ),
            (lambda c: c.SeqDataDescriptor.of(5, 3, 1.0, 8), "beam: .*got 1.0"),
            (
                lambda c: c.SeqDataDescriptor.of(5, 3, 1, 8, lengths=5),
                "lengths: expected a sequence.* got 5",
            ),
            (
                lambda c: c.AttnDescriptor.of(2, 8.0, max_q_length=1, max_kv_length=1, max_batch=1),
                "q_size: expected a whole number.* got 8.0",
            ),
            (
                lambda c: c.AttnDescriptor.of(
                    2, 8, max_q_length=1, max_kv_length=1, max_batch=1, scale="1"
                ),
                "scale: expected a number.* got '1'",
            ),
            (
                lambda c: c.CTCLossDescriptor.of(max_label_length=2.0),
                "max_label_length: .*got 2.0",
            ),
            (
                lambda c: c.ActivationDescriptor.clipped_relu("6"),
                "ceiling: expected a number.* got '6'",
            ),
            (
                lambda c: c.ActivationDescriptor.elu(float("nan")),
                "alpha: expected a number.* got nan",
            ),
            (
                lambda c: c.ActivationDescriptor.swish(float("nan")),
                "beta: expected a number.* got nan",
            ),
            (lambda c: c.LRNDescriptor.of(5.0), "n: expected a whole number.* got 5.0"),
            (lambda c: c.LRNDescriptor.of(k=None), "k: expected a number.* got None"),
            (lambda c: c.TensorTransformDescriptor.of("NHWC", 1.5), "pad_before: .*got 1.5"),
            (
                lambda c: c.PoolingDescriptor.max(2, padding=-1),
                "padding: expected 0 or more.* got -1",
            ),
            (
                lambda c: c.PoolingDescriptor.average(2, padding=(0, -2)),
                "padding: expected 0 or more.* got -2",
            ),
        ],
    )
    def test_what_is_no_number_is_named(self, cudnn: Any, make: Make, words: str) -> None:
        with pytest.raises(TypeError, match=words) as caught:
            make(cudnn)
        assert isinstance(caught.value, cudnn.CudnnError)


class TestLayouts:
    @pytest.mark.parametrize("strides", [(0, 20, 5, 1), (60, 20, 0, 1), (0, 0, 0, 0)])
    def test_classic_functions_read_no_element_twice(self, cudnn: Any, strides: Any) -> None:
        """They repeat the second array where its extent is 1; graphs take strides of 0."""
        with pytest.raises(cudnn.BadParamError):
            cudnn.TensorDescriptor.strided((2, 3, 4, 5), strides, "float32")

    @pytest.mark.parametrize("name", ["TensorDescriptor", "FilterDescriptor"])
    def test_by_name_and_by_member(self, cudnn: Any, name: str) -> None:
        cls, nhwc = getattr(cudnn, name), cudnn.TensorFormat.NHWC
        assert cls.packed((2, 3, 4, 5), layout=nhwc).layout == "NHWC"
        moved = Device(2, 4, 5, 3)
        for layout in ("NHWC", nhwc):
            found = cls.like(moved, layout=layout)
            assert (found.shape, found.layout) == ((2, 3, 4, 5), "NHWC")
        for layout in (None, "NCHW", cudnn.TensorFormat.NCHW):
            found = cls.like(moved, layout=layout)
            assert (found.shape, found.layout) == ((2, 4, 5, 3), "NCHW")

    @pytest.mark.parametrize("name", ["TensorDescriptor", "FilterDescriptor"])
    def test_others_are_refused(self, cudnn: Any, name: str) -> None:
        cls = getattr(cudnn, name)
        for make, array in ((cls.like, Device(2, 4, 5, 3)), (cls.packed, (2, 3, 4, 5))):
            match = "expected a TensorFormat, got 'nhcw'"
            with pytest.raises(cudnn.ArgumentError, match=match) as caught:
                make(array, layout="nhcw")
            assert "did you mean NHWC?" in caught.value.hint
        with pytest.raises(ValueError, match="expected NCHW or NHWC, got NCHW_VECT_C"):
            cls.like(Device(2, 4, 5, 3), layout="NCHW_VECT_C")


class TestDropout:
    def test_is_the_object_that_was_given(self, cudnn: Any) -> None:
        dropout = cudnn.DropoutDescriptor()
        rnn = cudnn.RNNDescriptor.lstm(8, 16, 2, dropout=dropout)
        assert rnn.dropout is dropout
        assert rnn.copied().dropout is dropout
        assert rnn.copied() == rnn
        borrowed = cudnn.RNNDescriptor.from_address(rnn.address, keep=rnn)
        assert borrowed.dropout == dropout.address
        attention = cudnn.AttnDescriptor.of(
            2, 8, max_q_length=5, max_kv_length=7, max_batch=3, output_dropout=dropout
        )
        assert attention.copied().output_dropout is dropout
        assert attention.attention_dropout is None
        for each in (rnn, attention):
            with pytest.raises(TypeError, match="with dropout cannot be pickled"):
                pickle.dumps(each)

    @pytest.mark.parametrize("how", ["close", "by its C name"])
    def test_what_has_the_address_of_a_closed_one_is_closed(self, cudnn: Any, how: str) -> None:
        dropout = cudnn.DropoutDescriptor()
        rnn = cudnn.RNNDescriptor.lstm(8, 16, 2, dropout=dropout)
        users = [
            rnn,
            rnn.copied(),
            cudnn.AttnDescriptor.of(
                2, 8, max_q_length=5, max_kv_length=7, max_batch=3, attention_dropout=dropout
            ),
        ]
        gone = cudnn.RNNDescriptor.lstm(8, 16, 2, dropout=dropout)
        del gone
        if how == "close":
            dropout.close()
        else:
            cudnn.cudnnDestroyDropoutDescriptor(dropout)
        for each in users:
            assert each.closed
            with pytest.raises(cudnn.CudnnError, match="closed"):
                each.copied()
        with pytest.raises(cudnn.CudnnError, match=r"dropout.*closed"):
            cudnn.RNNDescriptor.lstm(8, 16, 2, dropout=dropout)


class TestRefusals:
    @pytest.mark.parametrize(
        ("make", "enum", "meant"),
        [
            (lambda c: c.RNNDescriptor.of("lstn", 8, 16), "RNNMode", "LSTM"),
            (lambda c: c.OpTensorDescriptor.of("addd"), "OpTensorOp", "ADD"),
            (lambda c: c.ReduceTensorDescriptor.of("norm_2"), "ReduceTensorOp", "NORM2"),
            (
                lambda c: c.ConvolutionDescriptor.cross_correlation(math="DEFAULT"),
                "MathType",
                "DEFAULT_MATH",
            ),
            (lambda c: c.OpTensorDescriptor.of(c.DataType.HALF), "OpTensorOp", None),
            (lambda c: c.OpTensorDescriptor.of(1.0), "OpTensorOp", None),
            (lambda c: c.OpTensorDescriptor.of(True), "OpTensorOp", None),
            (lambda c: c.OpTensorDescriptor.of(["ADD"]), "OpTensorOp", None),
        ],
    )
    def test_what_is_no_member(self, cudnn: Any, make: Make, enum: str, meant: str | None) -> None:
        with pytest.raises(cudnn.ArgumentError, match=f"expected an? {enum}, got .*") as caught:
            make(cudnn)
        assert ("did you mean" in caught.value.hint) == (meant is not None)
        if meant:
            assert caught.value.hint.startswith(f"did you mean {meant}? this cuDNN has ")

    def test_an_rnn_that_is_not_set_is_not_for_want_of_a_driver(self, cudnn: Any) -> None:
        with pytest.raises(cudnn.CudnnError, match="the RNNDescriptor is not set") as caught:
            cudnn.RNNDescriptor().hidden_size  # noqa: B018
        assert "RNNDescriptor.lstm" in caught.value.hint
        assert type(caught.value).__name__ == "NotInitializedError"

    def test_axes_that_no_memory_has(self, cudnn: Any) -> None:
        makers = cudnn.TensorDescriptor.per_channel, cudnn.ConvolutionDescriptor.cross_correlation
        for make in makers:
            with pytest.raises(ValueError, match="axes: expected at most 64, got 1099511627776"):
                make(1, axes=1 << 40)

    @pytest.mark.parametrize("shape", [(), (2, 0, 3, 4), (2, -1, 3, 4)])
    def test_extents(self, cudnn: Any, shape: Any) -> None:
        with pytest.raises(ValueError, match="expected extents of 1 or more"):
            cudnn.TensorDescriptor.packed(shape)

    @pytest.mark.parametrize("shape", [5, None, "NCHW", (1, 2.5, 3, 4)])
    def test_what_is_no_shape(self, cudnn: Any, shape: Any) -> None:
        text = re.escape(f"shape: expected a sequence of whole numbers, got {shape!r}")
        for make in (cudnn.TensorDescriptor.packed, cudnn.FilterDescriptor.packed):
            with pytest.raises(TypeError, match=text):
                make(shape)
        with pytest.raises(TypeError, match=text):
            cudnn.TensorDescriptor.strided(shape, (1, 1, 1, 1))
        with pytest.raises(TypeError, match="strides: expected a sequence"):
            cudnn.TensorDescriptor.strided((1, 1, 1, 1), shape)

    def test_data_types(self, cudnn: Any) -> None:
        with pytest.raises(cudnn.ArgumentError, match="got 'float12'") as caught:
            cudnn.TensorDescriptor.packed((1, 2, 3, 4), "float12")
        assert "BFLOAT16" in caught.value.hint

    def test_names_of_enums(self, cudnn: Any) -> None:
        with pytest.raises(ValueError, match="expected a MathType, got 'FAST'"):
            cudnn.ConvolutionDescriptor.cross_correlation(math="FAST")
        with pytest.raises(ValueError, match="expected a TensorFormat"):
            cudnn.FilterDescriptor.packed((1, 2, 3, 4), layout="WHCN")

    def test_lengths(self, cudnn: Any) -> None:
        with pytest.raises(ValueError, match="stride: expected 2 numbers, got 3"):
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
        with pytest.raises(TypeError, match="expected a cudnnTensorDescriptor_t"):
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
    assert desc.layout is cudnn.TensorFormat.NHWC
    assert (desc.pad_before, desc.pad_after) == ((0, 1, 0, 0, 0), (0, 0, 0, 0, 0))
    assert (desc.fold, desc.direction) == ((2, 2, 2), cudnn.FoldingDirection.FOLD)
    assert all(isinstance(getattr(type(desc), name), property) for name in desc._configuration())
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
