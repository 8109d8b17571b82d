"""The emitted package against real libraries, without a GPU: each family made, set, read, closed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Run

MAJORS = ("8", "9")


@pytest.fixture(params=MAJORS)
def library(request: pytest.FixtureRequest) -> Path:
    """The newest libcudnn of each major."""
    newest: Path = request.getfixturevalue(
        "cudnn8_library" if request.param == "8" else "cudnn_library"
    )
    if request.param == "8":
        return newest
    if ".so.9" not in newest.name:
        pytest.skip("no libcudnn 9")
    return newest


def test_every_family_is_made_and_destroyed(run: Run, library: Path) -> None:
    done = run(
        """
        import cudnn_cffi as cudnn
        from cudnn_cffi._index import FAMILIES

        needs = {  # what cuDNN asks for besides the place to put the object
            "BackendDescriptor": lambda: (cudnn.CUDNN_BACKEND_TENSOR_DESCRIPTOR,),
            "FusedOpsConstParamPack": lambda: (ops,),
            "FusedOpsVariantParamPack": lambda: (ops,),
            "FusedOpsPlan": lambda: (ops,),
        }
        ops = cudnn.CUDNN_FUSED_SCALE_BIAS_ACTIVATION_CONV_BNSTATS
        made = []
        for name in FAMILIES:
            # These two need a device: a handle, and a plan for an RNN that is set up with one.
            if name in ("Handle", "PersistentRNNPlan") or not cudnn.has(name):
                continue
            cls = getattr(__import__("cudnn_cffi.families").families, name)
            item = cls(*needs[name]()) if name in needs else cls()
            assert item.address and not item.closed
            item.close()
            item.close()
            assert item.closed
            try:
                item.address
            except cudnn.CudnnError as error:
                assert "closed" in str(error)
            else:
                raise AssertionError("a closed object gave an address")
            made.append(name)
        print(len(made))
        """,
        library,
    )
    assert int(done.stdout) >= 19


ROUND_TRIPS = """
    def round_trips(cudnn):
        yield "TensorDescriptor", "4d", (C.NCHW, D.FLOAT, 8, 64, 56, 57), (
            D.FLOAT, 8, 64, 56, 57, 64 * 56 * 57, 56 * 57, 57, 1)
        yield "TensorDescriptor", "nd", (D.HALF, 5, [2, 3, 4, 5, 6], [360, 120, 30, 6, 1]), (
            D.HALF, 5, (2, 3, 4, 5, 6), (360, 120, 30, 6, 1))
        yield "FilterDescriptor", "4d", (D.FLOAT, C.NHWC, 32, 16, 3, 5), (D.FLOAT, C.NHWC, 32, 16, 3, 5)
        yield "FilterDescriptor", "nd", (D.DOUBLE, C.NCHW, 5, [7, 6, 5, 4, 3]), (
            D.DOUBLE, C.NCHW, 5, (7, 6, 5, 4, 3))
        yield "ConvolutionDescriptor", "2d", (
            1, 2, 3, 4, 5, 6, cudnn.CUDNN_CROSS_CORRELATION, D.FLOAT), (
            1, 2, 3, 4, 5, 6, cudnn.CUDNN_CROSS_CORRELATION, D.FLOAT)
        yield "ConvolutionDescriptor", "nd", (
            3, (1, 1, 2), (1, 2, 1), (2, 1, 1), cudnn.CUDNN_CONVOLUTION, D.FLOAT), (
            3, (1, 1, 2), (1, 2, 1), (2, 1, 1), cudnn.CUDNN_CONVOLUTION, D.FLOAT)
        yield "ConvolutionDescriptor", "math_type", (cudnn.CUDNN_TENSOR_OP_MATH,), (
            cudnn.CUDNN_TENSOR_OP_MATH)
        yield "ConvolutionDescriptor", "group_count", (4,), 4
        yield "ConvolutionDescriptor", "reorder_type", (cudnn.CUDNN_NO_REORDER,), cudnn.CUDNN_NO_REORDER
        yield "PoolingDescriptor", "2d", (P.MAX, N.PROPAGATE_NAN, 2, 3, 1, 0, 2, 1), (
            P.MAX, N.PROPAGATE_NAN, 2, 3, 1, 0, 2, 1)
        yield "PoolingDescriptor", "nd", (
            P.AVERAGE_COUNT_INCLUDE_PADDING, N.NOT_PROPAGATE_NAN, 3, [2, 2, 3], [0, 1, 0], [1, 2, 1]), (
            P.AVERAGE_COUNT_INCLUDE_PADDING, N.NOT_PROPAGATE_NAN, 3, (2, 2, 3), (0, 1, 0), (1, 2, 1))
        yield "ActivationDescriptor", "", (cudnn.CUDNN_ACTIVATION_CLIPPED_RELU, N.PROPAGATE_NAN, 6.5), (
            cudnn.CUDNN_ACTIVATION_CLIPPED_RELU, N.PROPAGATE_NAN, 6.5)
        yield "ActivationDescriptor", "swish_beta", (1.25,), 1.25
        yield "LRNDescriptor", "", (5, 1e-4, 0.75, 2.0), (5, 1e-4, 0.75, 2.0)
        yield "OpTensorDescriptor", "", (cudnn.CUDNN_OP_TENSOR_MAX, D.FLOAT, N.NOT_PROPAGATE_NAN), (
            cudnn.CUDNN_OP_TENSOR_MAX, D.FLOAT, N.NOT_PROPAGATE_NAN)
        yield "ReduceTensorDescriptor", "", (
            cudnn.CUDNN_REDUCE_TENSOR_NORM2, D.FLOAT, N.PROPAGATE_NAN,
            cudnn.CUDNN_REDUCE_TENSOR_NO_INDICES, cudnn.CUDNN_32BIT_INDICES), (
            cudnn.CUDNN_REDUCE_TENSOR_NORM2, D.FLOAT, N.PROPAGATE_NAN,
            cudnn.CUDNN_REDUCE_TENSOR_NO_INDICES, cudnn.CUDNN_32BIT_INDICES)
        yield "CTCLossDescriptor", "", (D.FLOAT,), D.FLOAT
        yield "CTCLossDescriptor", "v8", (
            D.FLOAT, cudnn.CUDNN_LOSS_NORMALIZATION_SOFTMAX, N.PROPAGATE_NAN, 77), (
            D.FLOAT, cudnn.CUDNN_LOSS_NORMALIZATION_SOFTMAX, N.PROPAGATE_NAN, 77)
        yield "RNNDataDescriptor", "", (
            D.FLOAT, cudnn.CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED, 4, 3, 8, [4, 3, 1], 0.5), None
        yield "RNNDescriptor", "v8", (
            cudnn.CUDNN_RNN_ALGO_STANDARD, cudnn.CUDNN_LSTM, cudnn.CUDNN_RNN_DOUBLE_BIAS,
            cudnn.CUDNN_BIDIRECTIONAL, cudnn.CUDNN_LINEAR_INPUT, D.FLOAT, D.FLOAT,
            cudnn.CUDNN_DEFAULT_MATH, 32, 64, 64, 2, None, cudnn.RNNPaddedIO.ENABLED), (
            cudnn.CUDNN_RNN_ALGO_STANDARD, cudnn.CUDNN_LSTM, cudnn.CUDNN_RNN_DOUBLE_BIAS,
            cudnn.CUDNN_BIDIRECTIONAL, cudnn.CUDNN_LINEAR_INPUT, D.FLOAT, D.FLOAT,
            cudnn.CUDNN_DEFAULT_MATH, 32, 64, 64, 2, 0, cudnn.RNNPaddedIO.ENABLED)

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
                D.FLOAT, 4, 3, 8, (4, 3, 1), 0.5), getter(3)
        else:
            got = getter()
            if isinstance(got, tuple) and name != "RNNDescriptor":
                assert got == wanted, (name, what, got)
                assert [type(g) for g in got] == [type(w) for w in wanted], (name, what, got)
            elif name == "RNNDescriptor":
                assert got[:12] == wanted[:12] and got[13] == wanted[13], got
                assert isinstance(got.auxFlags, cudnn.RNNPaddedIO)
            else:
                assert got == wanted, (name, what, got)
        item.close()
        count += 1
    print(count)
"""


def test_what_is_set_comes_back(run: Run, library: Path) -> None:
    """Every setter with its getter: values, enum members, tuples trimmed to the count."""
    assert int(run(ROUND_TRIPS, library).stdout) == 20


def test_output_dimensions(run: Run, library: Path) -> None:
    run(
        """
        import cudnn_cffi as cudnn
        from cudnn_cffi.families import ConvolutionDescriptor, FilterDescriptor
        from cudnn_cffi.families import PoolingDescriptor, TensorDescriptor

        x, w, conv, pool = TensorDescriptor(), FilterDescriptor(), ConvolutionDescriptor(), PoolingDescriptor()
        x.set_4d(cudnn.CUDNN_TENSOR_NCHW, cudnn.CUDNN_DATA_FLOAT, 64, 128, 112, 112)
        w.set_4d(cudnn.CUDNN_DATA_FLOAT, cudnn.CUDNN_TENSOR_NCHW, 128, 128, 7, 7)
        conv.set_2d(3, 3, 2, 2, 1, 1, cudnn.CUDNN_CROSS_CORRELATION, cudnn.CUDNN_DATA_FLOAT)
        got = cudnn.cudnnGetConvolution2dForwardOutputDim(conv, x, w)
        assert got == (64, 128, 56, 56), got
        assert got._fields == ("n", "c", "h", "w")
        assert cudnn.cudnnGetConvolutionNdForwardOutputDim(conv, x, w, 4) == (64, 128, 56, 56)
        pool.set_2d(cudnn.PoolingMode.MAX, cudnn.NanPropagation.PROPAGATE_NAN, 3, 3, 1, 1, 2, 2)
        assert cudnn.cudnnGetPooling2dForwardOutputDim(pool, x) == (64, 128, 56, 56)
        assert x.get_size_in_bytes() == 64 * 128 * 112 * 112 * 4
        """,
        library,
    )


def test_failures_carry_what_cudnn_says(run: Run, library: Path) -> None:
    run(
        """
        import cudnn_cffi as cudnn
        from cudnn_cffi import errors

        desc = cudnn.cudnnCreateTensorDescriptor()
        try:
            cudnn.cudnnSetTensor4dDescriptor(desc, 0, 0, -1, 2, 3, 4)
        except errors.BadParamError as error:
            assert isinstance(error, ValueError)
            assert error.status is cudnn.Status(error.status) and error.status_name == "CUDNN_STATUS_BAD_PARAM"
            assert error.function == "cudnnSetTensor4dDescriptor"
            assert error.arguments["n"] == "-1" and error.arguments["format"] == "NCHW"
            assert error.version in error.__str__() and error.library.endswith(tuple("89"))
        else:
            raise AssertionError
        finally:
            cudnn.cudnnDestroyTensorDescriptor(desc)
        assert cudnn.cudnnGetErrorString(cudnn.CUDNN_STATUS_BAD_PARAM) == "CUDNN_STATUS_BAD_PARAM"
        try:
            cudnn.cudnnCreate()
        except errors.NotInitializedError as error:
            assert error.hint
        else:
            raise AssertionError("there is no GPU, and yet a handle")
        """,
        library,
        CUDA_VISIBLE_DEVICES="",
    )


def test_a_backend_descriptor_is_set_finalized_and_read(
    run: Run, cudnn_libraries: list[Path]
) -> None:
    """From 9.27 on finalizing needs the driver, so an older library shows it."""
    for path in cudnn_libraries:
        done = run(
            """
            import cudnn_cffi as cudnn
            from cudnn_cffi import errors

            tensor = cudnn.BackendDescriptor(cudnn.CUDNN_BACKEND_TENSOR_DESCRIPTOR)
            for name, kind, values in (
                (cudnn.CUDNN_ATTR_TENSOR_DIMENSIONS, cudnn.CUDNN_TYPE_INT64, [2, 3, 4]),
                (cudnn.CUDNN_ATTR_TENSOR_STRIDES, cudnn.CUDNN_TYPE_INT64, (12, 4, 1)),
                (cudnn.CUDNN_ATTR_TENSOR_DATA_TYPE, cudnn.CUDNN_TYPE_DATA_TYPE, [cudnn.DataType.HALF]),
                (cudnn.CUDNN_ATTR_TENSOR_UNIQUE_ID, cudnn.CUDNN_TYPE_INT64, [7]),
                (cudnn.CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, cudnn.CUDNN_TYPE_INT64, [16]),
                (cudnn.CUDNN_ATTR_TENSOR_IS_VIRTUAL, cudnn.CUDNN_TYPE_BOOLEAN, [False]),
            ):
                tensor.set_attribute(name, kind, len(values), values)
            try:
                tensor.set_attribute(cudnn.CUDNN_ATTR_TENSOR_UNIQUE_ID, cudnn.CUDNN_TYPE_INT64, 3, [1])
            except errors.ArgumentError as error:
                assert "3 elements were expected, 1 came" in str(error)
            else:
                raise AssertionError
            try:
                tensor.finalize()
            except errors.SublibraryError:
                print("needs a driver")
            else:
                got = tensor.get_attribute(cudnn.CUDNN_ATTR_TENSOR_DIMENSIONS, cudnn.CUDNN_TYPE_INT64, 8)
                assert got == (3, [2, 3, 4]), got
                got = tensor.get_attribute(cudnn.CUDNN_ATTR_TENSOR_DATA_TYPE, cudnn.CUDNN_TYPE_DATA_TYPE, 1)
                assert got.arrayOfElements == [cudnn.DataType.HALF], got
                print("finalized")
            """,
            path,
        )
        if done.stdout.strip() == "finalized":
            return
    pytest.skip("every libcudnn here needs the driver to finalize")


def test_a_release_module_has_its_own_names_only(run: Run) -> None:
    run(
        """
        from cudnn_cffi import v8_9_7, v9_10_0, v9_10_1, v9_28_0

        assert v8_9_7.Status.BAD_PARAM == 3 and v9_28_0.Status.BAD_PARAM == 2000
        assert v9_10_0.BackendDescriptorType is not v9_10_1.BackendDescriptorType
        assert v9_28_0.cudnnDataType_t is v9_28_0.DataType
        assert v9_28_0.CUDNN_DATA_FLOAT is v9_28_0.DataType.FLOAT
        assert v9_28_0.DataType(999).name == "UNKNOWN_999" and v9_28_0.DataType(999) == 999
        assert v9_28_0.AttnMode(99) == 99
        assert v9_28_0.CUDNN_STATUS_CATEGORY(2004) == 2000
        assert "cudnnSetRNNDescriptor_v6" in dir(v8_9_7)
        for name, text in (
            ("cudnnSetRNNDescriptor_v6", "removed in 9.0.0; use cudnnSetRNNDescriptor_v8"),
            ("nonsense", "no nonsense"),
        ):
            try:
                getattr(v9_28_0, name)
            except AttributeError as error:
                assert text in str(error), error
            else:
                raise AssertionError(name)
        import pickle
        assert pickle.loads(pickle.dumps(v9_28_0.DataType.HALF)) is v9_28_0.DataType.HALF
        """
    )


def test_a_pinned_release_refuses_another_api(run: Run, library: Path) -> None:
    done = run(
        """
        import cudnn_cffi as cudnn
        from cudnn_cffi import errors, v9_10_0, v8_9_7, v9_12_0

        number = cudnn.cudnnGetVersion()
        fits = {8907: v8_9_7, 91200: v9_12_0}.get(number)
        try:
            v9_10_0.cudnnGetVersion()
        except errors.UnsupportedVersionError as error:
            assert "9.10.0" in str(error)
        else:
            raise AssertionError
        if fits is not None:
            assert fits.cudnnGetVersion() == number
        print("ok")
        """,
        library,
    )
    assert done.stdout == "ok\n"


def test_a_function_of_another_release_says_when(run: Run, library: Path) -> None:
    run(
        """
        import cudnn_cffi as cudnn
        from cudnn_cffi import errors

        def refused(name, *arguments):
            try:
                getattr(cudnn, name)(*arguments)
            except errors.MissingFunctionError as error:
                return str(error)
            raise AssertionError(name)

        version = cudnn.cudnnGetVersion()
        if version >= 90000:
            text = refused("cudnnSetRNNDescriptor_v6", 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)
            assert "removed in 9.0.0" in text and "cudnnSetRNNDescriptor_v8" in text, text
        else:
            assert "added in 9.0.0" in refused("cudnnRNNSetClip_v9", 1, 1, 1.0, 2.0)
        assert not cudnn.has("cudnnNoSuchFunction")
        """,
        library,
    )
