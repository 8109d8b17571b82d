"""Errors: which class a status gives, how it reads, and that nothing is lost on the way."""

from __future__ import annotations

import copy
import pickle
import re
from enum import IntEnum
from typing import Any

import pytest
from cudnn_cffi import errors
from cudnn_cffi.driver import CudaStatus, libcuda
from cudnn_cffi.errors import CudnnError, from_status, hint_for

from generator.headers import HeaderError, Registry


class Status(IntEnum):
    """Stands for the emitted enum class."""

    NOT_SUPPORTED = 3000


def convolution_failed(**changes: Any) -> CudnnError:
    given: dict[str, Any] = {
        "text": "the workspace is too small",
        "arguments": {
            "xDesc": "Tensor(8,64,56,56 float32 NCHW)",
            "algo": "WINOGRAD",
            "workSpaceSizeInBytes": "0",
        },
        "library": "/opt/libcudnn.so.9",
        "version": "9.28.0",
        "tables": "9.28.0",
        "hint": "give it a workspace",
    }
    return from_status(
        "cudnnConvolutionForward",
        Status.NOT_SUPPORTED,
        "CUDNN_STATUS_NOT_SUPPORTED",
        **given | changes,
    )


def test_reads_from_what_happened_to_what_to_do() -> None:
    assert str(convolution_failed()).splitlines() == [
        "cudnnConvolutionForward -> CUDNN_STATUS_NOT_SUPPORTED (3000)",
        "  cuDNN says: the workspace is too small",
        "  xDesc=Tensor(8,64,56,56 float32 NCHW) algo=WINOGRAD workSpaceSizeInBytes=0",
        "  cuDNN 9.28.0 (/opt/libcudnn.so.9), tables 9.28.0",
        "  hint: give it a workspace",
    ]


def test_leaves_out_what_is_not_known() -> None:
    error = from_status("cudnnCreate", 9000, "CUDNN_STATUS_OF_A_NEW_KIND")
    assert str(error) == "cudnnCreate -> CUDNN_STATUS_OF_A_NEW_KIND (9000)"


def test_a_text_of_several_lines_stays_together() -> None:
    lines = str(convolution_failed(text="first\n\n second \n")).splitlines()
    assert lines[1:3] == ["  cuDNN says: first", "    second"]


def test_many_arguments_wrap_between_arguments_only() -> None:
    arguments = {f"parameter{i}": "x" * 30 + " y" for i in range(6)}
    lines = str(convolution_failed(arguments=arguments)).splitlines()[2:-2]
    assert len(lines) > 1
    assert all(len(line) <= 100 for line in lines)
    assert " ".join(line.strip() for line in lines) == " ".join(
        f"{name}={value}" for name, value in arguments.items()
    )


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("NOT_INITIALIZED", errors.NotInitializedError),
        ("ALLOC_FAILED", errors.AllocationError),
        ("INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED", errors.AllocationError),
        ("BAD_PARAM", errors.BadParamError),
        ("BAD_PARAM_NULL_POINTER", errors.NullPointerError),
        ("INVALID_VALUE", errors.BadParamError),
        ("ARCH_MISMATCH", errors.ArchMismatchError),
        ("NOT_SUPPORTED_ARCH_MISMATCH", errors.ArchMismatchError),
        ("NOT_SUPPORTED_LAYOUT", errors.NotSupportedError),
        ("MAPPING_ERROR", errors.InternalError),
        ("EXECUTION_FAILED_CUBLAS", errors.ExecutionFailedError),
        ("VERSION_MISMATCH", errors.VersionMismatchError),
        ("SUBLIBRARY_VERSION_MISMATCH", errors.VersionMismatchError),
        ("SUBLIBRARY_LOADING_FAILED", errors.SublibraryError),
        ("RUNTIME_FP_OVERFLOW", errors.RuntimeOverflowError),
    ],
)
def test_the_name_of_the_status_chooses_the_class(name: str, family: type) -> None:
    assert type(from_status("f", 1, f"CUDNN_STATUS_{name}")) is family


def test_every_status_of_every_release_has_a_family() -> None:
    from cudnn_cffi.api import store

    names = {
        member.name
        for api in store().apis()
        for enum in api.enums
        if enum.name == "cudnnStatus_t"
        for member in enum.enumerators
    } - {"CUDNN_STATUS_SUCCESS"}
    assert len(names) > 50
    assert [name for name in names if type(from_status("f", 1, name)) is CudnnError] == []
    assert [name for name in names if not hint_for(name)] == [], "what to do"


def test_a_status_of_a_release_to_come_falls_into_its_family() -> None:
    new = from_status("f", 2999, "CUDNN_STATUS_BAD_PARAM_NOBODY_KNOWS_YET")
    assert type(new) is errors.BadParamError
    assert hint_for(new.status_name) == hint_for("CUDNN_STATUS_BAD_PARAM")
    assert type(from_status("f", 9000, "CUDNN_STATUS_OF_A_NEW_KIND")) is CudnnError


def test_half_a_word_is_no_family() -> None:
    assert type(from_status("f", 1, "CUDNN_STATUS_BAD_PARAMETRIC")) is CudnnError


def test_a_capture_that_failed_before() -> None:
    """cuDNN says that a kernel failed; CUDA's text says more."""
    name = "CUDNN_STATUS_EXECUTION_FAILED_CUDA_DRIVER"
    text = "cuStreamGetCtx returned error operation failed due to a previous error during capture"
    assert "capture in the mode thread_local" in from_status("f", 5001, name, text=text).hint
    assert from_status("f", 5001, name, text=text, hint="other").hint == "other"
    assert "earlier kernel" in from_status("f", 5001, name, text="CUDA_ERROR").hint


def test_a_number_without_a_name_is_still_an_error() -> None:
    error = from_status("f", 8123, "")
    assert type(error) is CudnnError
    assert "8123" in str(error)


@pytest.mark.parametrize(
    ("family", "builtin"),
    [
        (errors.BadParamError, ValueError),
        (errors.NullPointerError, ValueError),
        (errors.AllocationError, MemoryError),
        (errors.RuntimeOverflowError, OverflowError),
        (errors.LibraryNotFoundError, ImportError),
        (errors.MissingFunctionError, NotImplementedError),
        (errors.CudnnError, RuntimeError),
    ],
)
def test_each_is_also_the_builtin_that_it_means(family: type, builtin: type) -> None:
    assert issubclass(family, errors.CudnnError)
    assert issubclass(family, builtin)


def every_class() -> list[type[CudnnError]]:
    return [getattr(errors, name) for name in errors.__all__ if name.endswith("Error")]


@pytest.mark.parametrize("family", every_class())
@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, lambda e: pickle.loads(pickle.dumps(e))])
def test_a_copy_says_all_that_the_original_says(family: type[CudnnError], way: Any) -> None:
    error = family(
        "what", function="f", status=Status.NOT_SUPPORTED, arguments={"x": "1"}, hint="h"
    )
    error.add_note("seen in the test")
    other = way(error)
    assert type(other) is family
    assert str(other) == str(error)
    assert vars(other) == vars(error)
    assert other.status is Status.NOT_SUPPORTED


def test_status_and_function_are_there_for_programs() -> None:
    error = convolution_failed()
    assert (error.status, error.function) == (3000, "cudnnConvolutionForward")
    assert error.arguments["algo"] == "WINOGRAD"


@pytest.mark.network
def test_codes_of_cuda_are_those_of_its_headers() -> None:
    with Registry() as registry:
        try:
            text = registry.cuda_headers().files["driver_types.h"].decode()
        except HeaderError as error:
            pytest.skip(f"CUDA's headers cannot be had: {error}")
    body = text.partition("enum __device_builtin__ cudaError")[2].partition("};")[0]
    found = {name: int(code) for name, code in re.findall(r"^\s+(cuda\w+)\s*=\s*(\d+)", body, re.M)}
    assert {each.name: int(each) for each in CudaStatus} == found


def test_a_code_is_named_without_a_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libcuda, "_open", lambda: (None, "no driver"))
    assert libcuda.error_name(700) == "error 700"
