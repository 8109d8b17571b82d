"""Help of constructors, and of the fields of records."""

from __future__ import annotations

import importlib
import inspect
import pydoc
from typing import Any

import pytest
from cudnn_cffi import ops
from cudnn_cffi._support.constructors import list_makers, makers
from cudnn_cffi._support.results import NamedTuple
from cudnn_cffi.descriptors import MODULES

LISTED = [
    *(f"cudnn_cffi.descriptors:{name}" for name in MODULES),
    *("cudnn_cffi:Handle", "cudnn_cffi:Graph", "cudnn_cffi:Plan", "cudnn_cffi:DeviceArray"),
    *("cudnn_cffi:Stream", "cudnn_cffi.ops:Spec", "cudnn_cffi.plan:Sequence"),
    *("cudnn_cffi.choice.policy:Policy", "cudnn_cffi.choice.engine.kernel_cache:KernelCache"),
]


@pytest.mark.parametrize("place", LISTED)
@pytest.mark.usefixtures("cudnn")
def test_help_begins_with_all_constructors(place: str) -> None:
    module, _, word = place.partition(":")
    cls = getattr(importlib.import_module(module), word)
    text = pydoc.plain(pydoc.render_doc(cls))
    begin = text.partition("Method resolution order")[0]
    assert "values" not in begin, "no open arguments"
    assert begin.count("Made by::") == 1
    found = {
        name for name in dir(cls)
        if name[0] != "_" and name != "of_info"
        and isinstance(inspect.getattr_static(cls, name), classmethod)
    }  # fmt: skip
    assert found
    assert set(makers(cls)) == found
    lines = begin.splitlines()
    at = next(number for number, line in enumerate(lines) if "Made by::" in line)
    listed = [line.strip(" |") for line in lines[at + 2 : at + 3 + len(found)]]
    assert listed[0].startswith(f"{cls.__name__}(")
    for name in found:
        (call,) = [each for each in listed if each.startswith(f"{cls.__name__}.{name}(")]
        taken = inspect.signature(getattr(cls, name)).parameters.values()
        assert call.endswith(")")
        for each in taken:
            assert each.name in call or each.kind in (each.VAR_KEYWORD, each.VAR_POSITIONAL)


def test_descriptors_take_nothing(cudnn: Any) -> None:
    assert not inspect.signature(cudnn.TensorDescriptor).parameters

    class Own(cudnn.TensorDescriptor):  # type: ignore[misc]
        def __init__(self, size: int) -> None:
            raise NotImplementedError

    assert list(inspect.signature(Own).parameters) == ["size"]
    # An object that can be called has the signature of the call.
    assert "w" in inspect.signature(cudnn.ConvolutionDescriptor.__call__).parameters
    assert not hasattr(object.__new__(cudnn.ConvolutionDescriptor), "__signature__")


def test_structs_take_their_members(cudnn: Any) -> None:
    perf = cudnn.ConvolutionFwdAlgoPerf
    taken = inspect.signature(perf).parameters
    assert list(taken)[:4] == ["algo", "status", "time", "memory"]
    assert perf(memory=7).memory == 7
    assert perf().memory == taken["memory"].default == 0


def test_records_tell_their_fields() -> None:
    """Each with its type, and what the docstring says of it."""
    cls = ops.Candidate
    for name in cls._fields:
        told = inspect.getdoc(vars(cls)[name])
        assert told is not None
        assert told.startswith(f"{cls.__annotations__[name]}: "), name
    assert "microseconds" in str(inspect.getdoc(cls.time))
    assert "bytes" in str(inspect.getdoc(cls.workspace))
    assert str(inspect.getdoc(cls.error)).endswith("None where nothing was compared.")
    parameters = inspect.signature(cls).parameters
    assert tuple(parameters) == cls._fields
    assert parameters["reason"].default == ""
    assert parameters["name"].default is inspect.Parameter.empty


class Pair(NamedTuple):
    """Two numbers.

    Attributes:
        a, b: the numbers,
            in bytes: two.

    More text.
    """

    a: int
    b: int = 2
    c: str = ""


def test_fields_that_share_a_line() -> None:
    told = [inspect.getdoc(vars(Pair)[name]) for name in "abc"]
    assert told == ["int: the numbers, in bytes: two.", "int: the numbers, in bytes: two.", "str"]
    assert str(inspect.signature(Pair)) == "(a: 'int', b: 'int' = 2, c: 'str' = '')"


def test_a_docstring_of_one_line() -> None:
    @list_makers
    class Thing:
        """A thing."""

        def __init__(self, *, size: int = 1) -> None:
            self.size = size

        @classmethod
        def load(cls, path: str, **more: int) -> Thing:
            raise NotImplementedError

    text = inspect.getdoc(Thing)
    assert text == "A thing.\n\nMade by::\n\n    Thing(size)\n    Thing.load(path, ...)"
