"""Signatures that can be read at run time, with the namespace for their names."""

from __future__ import annotations

import inspect
import typing
from typing import Any

import cudnn_cffi
import pytest
from cudnn_cffi import types
from cudnn_cffi._tables import active

pytestmark = pytest.mark.usefixtures("cudnn")


def read(function: Any) -> dict[str, Any]:
    return typing.get_type_hints(function, localns=types.namespace())


def test_every_function_has_types() -> None:
    assert len(active().functions) > 200
    for name in active().functions:
        function = getattr(cudnn_cffi, name)
        hints = read(function)
        assert {*inspect.signature(function).parameters, "return"} == hints.keys(), name


def test_methods_have_types() -> None:
    hints = read(cudnn_cffi.TensorDescriptor.get_4d)
    assert hints["return"]._fields[0] == "dataType"
    for cls in (cudnn_cffi.RNNDescriptor, cudnn_cffi.BackendDescriptor, cudnn_cffi.Handle):
        methods = [each for base in cls.__mro__ for each in vars(base).values()]
        emitted = [
            each
            for each in methods
            if inspect.isfunction(each) and each.__module__ == "cudnn_cffi.families"
        ]
        assert emitted
        for each in emitted:
            assert "return" in read(each), each


def test_names_stand_for_the_types_of_signatures() -> None:
    hints = read(cudnn_cffi.cudnnSetTensor4dDescriptor)
    assert hints["dataType"] is cudnn_cffi.DataType
    assert hints["tensorDesc"] == cudnn_cffi.TensorDescriptor | int
    # The class of streams has the same name as the type of what is taken for a stream.
    assert read(cudnn_cffi.cudnnSetStream)["streamId"] == types.Stream


def test_other_names_are_left_to_the_module() -> None:
    names = types.namespace()
    for name in ("int", "_ops", "NoSuchName"):
        with pytest.raises(KeyError):
            names[name]
