"""Words that users write: names of members, data types, spellings, constructors that take none."""

from __future__ import annotations

import copy
import ctypes
import json
import pickle
import re
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cudnn_cffi import arrays, errors

from .test_operands import Device

Make = Callable[[Any], Any]


def test_properties_of_descriptors_have_docstrings_of_their_own(cudnn: Any) -> None:
    texts = {
        f"{cls}.{name}": value.__doc__ or ""
        for cls in ("ConvolutionDescriptor", "TensorDescriptor", "RNNDescriptor", "LRNDescriptor")
        for name, value in vars(getattr(cudnn, cls)).items()
        if isinstance(value, property)
    }
    assert len(texts) > 20
    assert [name for name, text in texts.items() if not text.startswith("Return ")] == []


class TestMembers:
    def test_by_c_name(self, cudnn: Any) -> None:
        algorithms = cudnn.ConvolutionFwdAlgo
        assert algorithms["CUDNN_CONVOLUTION_FWD_ALGO_FFT"] is algorithms.FFT
        assert algorithms["FFT"] is algorithms.FFT
        assert cudnn.SeverityMask["CUDNN_SEV_ERROR_EN"] is cudnn.SeverityMask.ERROR_EN

    def test_one_that_is_not_there(self, cudnn: Any) -> None:
        algorithms = cudnn.ConvolutionFwdAlgo
        with pytest.raises(KeyError) as key:
            algorithms["FTT"]
        with pytest.raises(AttributeError) as attribute:
            _ = algorithms.FTT
        for caught in (key.value, attribute.value):
            assert isinstance(caught, errors.UnknownMemberError)
            assert "ConvolutionFwdAlgo has no member 'FTT'" in str(caught)
            assert "did you mean FFT? this cuDNN has IMPLICIT_GEMM, " in str(caught)
        with pytest.raises(KeyError, match="did you mean FFT"):
            algorithms["CUDNN_CONVOLUTION_FWD_ALGO_FTT"]
        with pytest.raises(AttributeError, match="did you mean TENSOR_DIMENSIONS"):
            _ = cudnn.BackendAttributeName.TENSOR_DIMENSION
        with pytest.raises(AttributeError, match="did you mean TENSOR_DESCRIPTOR"):
            _ = cudnn.BackendDescriptorType.TENSOR
        if not hasattr(cudnn.DataType, "FP8_E5M3"):
            with pytest.raises(errors.UnknownMemberError, match="it was added in"):
                _ = cudnn.DataType.FP8_E5M3
            with pytest.raises(errors.UnknownMemberError, match="it was added in"):
                cudnn.DataType["CUDNN_DATA_FP8_E5M3"]
        with pytest.raises(
            ValueError, match=r"'fft' is not a valid .* write ConvolutionFwdAlgo.FFT"
        ):
            algorithms("fft")
        with pytest.raises(ValueError, match=r"write DataType.FLOAT$"):
            cudnn.DataType("float")
        with pytest.raises(ValueError, match=r"'FTT' is not a valid .* did you mean FFT"):
            algorithms("FTT")
        with pytest.raises(KeyError, match="no member 3"):
            algorithms[3]
        assert not hasattr(algorithms, "FTT")
        assert not hasattr(algorithms, "_private")

    def test_their_help_has_no_name_that_reads_as_a_link(self, cudnn: Any) -> None:
        """In reStructuredText a name that ends with an underscore is one."""
        said = cudnn.ConvolutionFwdAlgo.__doc__
        assert "``CUDNN_CONVOLUTION_FWD_ALGO_``" in said
        assert not re.search(r"(?<![`\w])\w+_(?![`\w])", said)

    def test_their_text(self, cudnn: Any) -> None:
        fft = cudnn.ConvolutionFwdAlgo.FFT
        assert (str(fft), f"{fft}", f"{fft:>5}", f"{fft:s}") == ("FFT", "FFT", "  FFT", "FFT")
        assert (f"{fft:d}", f"{fft:#x}", f"{fft:03d}", f"{fft:.1f}") == ("4", "0x4", "004", "4.0")
        assert ("%d" % fft, "%s" % fft) == ("4", "FFT")  # noqa: UP031
        assert repr(fft) == "<ConvolutionFwdAlgo.FFT: 4>"
        assert json.dumps([fft]) == "[4]"
        severity = cudnn.SeverityMask
        assert str(severity.ERROR_EN | severity.INFO_EN) in ("ERROR_EN|INFO_EN", "INFO_EN|ERROR_EN")
        assert str(severity(0)) == "0"

    def test_they_stay_ints(self, cudnn: Any) -> None:
        fft = cudnn.ConvolutionFwdAlgo.FFT
        assert fft == 4
        assert {fft: 1}[4] == 1
        assert pickle.loads(pickle.dumps(fft)) is fft
        assert copy.deepcopy(fft) is fft

    def test_of_any_integer(self, cudnn: Any) -> None:
        assert cudnn.DataType(np.int64(12345)) is cudnn.DataType(12345)
        assert type(cudnn.DataType(np.int64(54321)).value) is int
        both = int(cudnn.SeverityMask.ERROR_EN) | int(cudnn.SeverityMask.WARNING_EN)
        assert cudnn.SeverityMask(np.int64(both)) == both
        for value in (1.5, "x", cudnn.TensorDescriptor()):
            with pytest.raises(ValueError, match="is not a valid DataType"):
                cudnn.DataType(value)

    @pytest.mark.parametrize(
        ("make", "enum", "name"),
        [
            (lambda c: c.RNNDescriptor.of("rnn_relu", 8, 16).cell, "RNNMode", "RNN_RELU"),
            (lambda c: c.RNNDescriptor.of("CUDNN_LSTM", 8, 16).cell, "RNNMode", "LSTM"),
            (lambda c: c.OpTensorDescriptor.of("cudnn_op_tensor_mul").op, "OpTensorOp", "MUL"),
            (lambda c: c.TensorFormat[_packed(c, "nhwc").layout], "TensorFormat", "NHWC"),
            (lambda c: c.TensorFormat[_packed(c, "channels_last").layout], "TensorFormat", "NHWC"),
            (lambda c: c.TensorFormat[_packed(c, "channels_first").layout], "TensorFormat", "NCHW"),
        ],
    )
    def test_words_in_constructors(self, cudnn: Any, make: Make, enum: str, name: str) -> None:
        assert make(cudnn) is getattr(cudnn, enum)[name]

    @pytest.mark.parametrize("text", ["NCHW", "nchw", "CUDNN_TENSOR_NCHW"])
    def test_a_text_under_a_c_name_is_told_the_member(self, cudnn: Any, text: str) -> None:
        desc = cudnn.cudnnCreateTensorDescriptor()
        with pytest.raises(cudnn.ArgumentError, match="format: expected a TensorFormat") as caught:
            cudnn.cudnnSetTensor4dDescriptor(desc, text, 0, 1, 1, 1, 1)
        assert caught.value.hint == "write TensorFormat.NCHW"
        with pytest.raises(TypeError, match="n: expected an int, got a str"):
            cudnn.cudnnSetTensor4dDescriptor(desc, 0, 0, "1", 1, 1, 1)
        with pytest.raises(TypeError, match="did you mean DOUBLE"):
            cudnn.cudnnSetTensor4dDescriptor(desc, 0, "DUOBLE", 1, 1, 1, 1)


def _packed(cudnn: Any, layout: str) -> Any:
    return cudnn.TensorDescriptor.packed((2, 3, 4, 5), layout=layout)


class TestDataTypes:
    @pytest.mark.parametrize(
        ("word", "name"),
        [
            ("half", "HALF"),
            ("float", "FLOAT"),
            ("fp16", "HALF"),
            ("bf16", "BFLOAT16"),
            ("double", "DOUBLE"),
            ("Float32", "FLOAT"),
            ("torch.half", "HALF"),
            ("cudnn_data_half", "HALF"),
            ("int8X4", "INT8x4"),
            (float, "DOUBLE"),
            (int, "INT64"),
            (bool, "BOOLEAN"),
            (np.int64(2), "HALF"),
        ],
    )
    def test_words(self, cudnn: Any, word: Any, name: str) -> None:
        assert arrays.data_type(word) is cudnn.DataType[name]

    def test_the_words_for_an_array_are_the_same(self) -> None:
        assert [arrays.dtype_name(word) for word in ("half", "BF16", "float", float)] == [
            "float16", "bfloat16", "float32", "float64",
        ]  # fmt: skip

    def test_one_that_is_not_there(self, cudnn: Any) -> None:
        for word in ("flot32", None, True, 3.5, cudnn.TensorFormat.NHWC, cudnn.TensorDescriptor()):
            with pytest.raises(cudnn.ArgumentError, match="expected a data type") as caught:
                arrays.data_type(word)
            assert caught.value.hint.startswith("it has float32, float64, float16, ")
            assert "by cuDNN's names FLOAT, DOUBLE, HALF, " in caught.value.hint


def test_integers_of_ctypes_go_where_integers_go(cudnn: Any) -> None:
    three = ctypes.c_int(3)
    assert cudnn.TensorDescriptor.packed((three, ctypes.c_int64(4), 5, 6)).shape == (3, 4, 5, 6)
    conv = cudnn.ConvolutionDescriptor.cross_correlation(three, groups=ctypes.c_uint8(2))
    assert (conv.padding, conv.groups) == ((3, 3), 2)
    assert cudnn.LRNDescriptor.of(three, ctypes.c_double(0.5)).alpha == 0.5
    assert cudnn.OpTensorDescriptor.of(ctypes.c_int(1)).op is cudnn.OpTensorOp.MUL
    for value in (ctypes.c_float(3), ctypes.c_char(b"3"), ctypes.c_void_p(3), ctypes.c_bool(True)):
        with pytest.raises(TypeError, match="a whole number"):
            cudnn.PoolingDescriptor.max(value)


def test_both_spellings_of_normalisation(cudnn: Any) -> None:
    of = cudnn.CTCLossDescriptor.of
    for made in (of(normalization="none"), of(normalisation="NONE")):
        assert made.normalization is made.normalisation is cudnn.LossNormalizationMode.NONE
        assert pickle.loads(pickle.dumps(made)) == made
    assert of().normalization.name == "SOFTMAX"
    with pytest.raises(TypeError, match="got both"):
        of(normalisation="NONE", normalization="NONE")


class TestConstructors:
    @pytest.mark.parametrize(
        ("make", "words"),
        [
            (lambda c: c.TensorDescriptor((1, 2, 3, 4)), r"TensorDescriptor\.packed\(shape, dtype"),
            (lambda c: c.ConvolutionDescriptor(padding=1), r"by ConvolutionDescriptor\.cross_corr"),
            (lambda c: c.PoolingDescriptor(2), r"by PoolingDescriptor\.max\(window"),
            (lambda c: c.RNNDescriptor(8, 16), r"by RNNDescriptor\.lstm\(input_size"),
            (lambda c: c.LRNDescriptor(5), r"by LRNDescriptor\.of\(n"),
            (lambda c: c.ActivationDescriptor("relu"), r"\.relu\("),
            (lambda c: c.DropoutDescriptor(0.5), r"by DropoutDescriptor\.with_state\(handle"),
            (lambda c: c.SpatialTransformerDescriptor((1, 2)), r"\.bilinear\(shape"),
            (lambda c: c.DeviceArray(np.ones(3)), r"DeviceArray\.from_numpy\(array\)"),
        ],
    )
    def test_say_what_makes_one(self, cudnn: Any, make: Make, words: str) -> None:
        with pytest.raises(TypeError, match=words) as caught:
            make(cudnn)
        assert isinstance(caught.value, cudnn.CudnnError)

    def test_a_subclass_may_take_some(self, cudnn: Any) -> None:
        class Image(cudnn.TensorDescriptor):  # type: ignore[misc]
            def __init__(self, channels: int) -> None:
                super().__init__()
                self.set_4d(cudnn.TensorFormat.NCHW, cudnn.DataType.FLOAT, 1, channels, 8, 8)

        assert Image(3).shape == (1, 3, 8, 8)
        with pytest.raises(TypeError):
            Image(3, 4)  # type: ignore[call-arg]


class TestArgumentsFirst:
    """Without a GPU no handle can be made, so these would be about the handle."""

    @pytest.fixture(autouse=True)
    def no_handle(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from cudnn_cffi import handles

        def refuse() -> None:
            raise AssertionError("a handle was asked for")

        monkeypatch.setattr(handles, "handle", refuse)

    def test_of_a_convolution(self, cudnn: Any) -> None:
        conv = cudnn.ConvolutionDescriptor.cross_correlation()
        x, w = Device(2, 4, 8, 8), Device(6, 4, 3, 3)
        for values, options, words in (
            ((np.ones((2, 4, 8, 8), "f4"), w), {}, "x: .*host memory"),
            ((x, np.ones((6, 4, 3, 3), "f4")), {}, "w: .*host memory"),
            ((x, w), {"algorithm": "small"}, "expected a ConvolutionFwdAlgo, got 'small'"),
            ((x, w), {"beta": 1.0}, "out: expected an array"),
            ((x, Device(6, 4, 3, 3, kind="<f8")), {}, "w: expected float32"),
            ((x, Device(6, 5, 3, 3)), {}, "x: expected 5 channels, got 4"),
            ((x, w, np.ones(3)), {}, "out: .*host memory"),
        ):
            with pytest.raises(cudnn.CudnnError, match=words):
                conv(*values, **options)

    def test_of_the_others(self, cudnn: Any) -> None:
        for call in (cudnn.ActivationDescriptor.relu(), cudnn.PoolingDescriptor.max(2)):
            with pytest.raises(TypeError, match=r"x: .*host memory"):
                call(np.ones((2, 4, 8, 8), "f4"))
            with pytest.raises(TypeError, match="out: expected float32"):
                call(Device(2, 4, 8, 8), Device(2, 4, 8, 8, kind="<f8"))


def test_a_check_takes_the_addresses_that_c_names_take(cudnn: Any) -> None:
    desc = cudnn.TensorDescriptor.packed((2, 3, 4, 5))

    class Address:
        def __index__(self) -> int:
            return 0x7000

    for address in (0x7000, np.int64(0x7000), ctypes.c_void_p(0x7000), Address()):
        assert cudnn.check(desc, address) == 0x7000
    with pytest.raises(errors.MisalignedPointerError):
        cudnn.check(desc, ctypes.c_void_p(0x7002))
    with pytest.raises(errors.NullPointerError):
        cudnn.check(desc, ctypes.c_void_p())
    for value in (None, True, 1.5, "x", [1]):
        with pytest.raises(errors.ArgumentError, match="expected device memory"):
            cudnn.check(desc, value)


@pytest.mark.parametrize("call", [arrays.describe, arrays.device_pointer])
@pytest.mark.parametrize(
    "interface",
    [
        {},
        {"shape": (1,), "typestr": "<f4"},
        {"shape": (1,), "typestr": "<f4", "data": []},
        {"shape": (1,), "typestr": "<f4", "data": None},
        {"shape": (1,), "typestr": "<f4", "data": ("x", False)},
        5,
    ],
    ids=repr,
)
def test_an_interface_that_lacks_something(call: Make, interface: Any) -> None:
    class Broken:
        __cuda_array_interface__ = interface

    with pytest.raises(errors.ArgumentError, match="__cuda_array_interface__ with shape"):
        call(Broken())


@pytest.mark.parametrize(
    ("cudart", "words"),
    [
        (12090, 'pip install "cuda-core[cu12]"; or pass'),
        (13010, 'pip install "cuda-core[cu13]"; or pass'),
        (0, 'pip install "cuda-core[cu13]" or "cuda-core[cu12]", by the release of CUDA; or pass'),
    ],
)
def test_cuda_core_is_the_one_for_the_cuda_of_this_cudnn(
    cudnn: Any, monkeypatch: pytest.MonkeyPatch, cudart: int, words: str
) -> None:
    from cudnn_cffi import library

    def load() -> Any:
        if not cudart:
            raise errors.LibraryNotFoundError("none")
        return type("Library", (), {"cudart": cudart})

    monkeypatch.setitem(sys.modules, "cuda.core", None)
    monkeypatch.setattr(library, "load", load)
    with pytest.raises(cudnn.CudnnError, match=r"made with cuda\.core") as caught:
        cudnn.DeviceArray.zeros((2, 3), device=0)
    assert caught.value.hint.startswith(words)
