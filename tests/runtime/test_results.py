"""Results of calls: tuples with names, and memory for them that is never mixed up."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cudnn_cffi._support.results import NamedTuple
from cudnn_cffi.calls.ops import GetTensor4dDescriptorResult as Extents

from tests.conftest import Program

Run = Callable[..., Any]

EXTENTS = Extents(0, 8, 64, 56, 56, 200704, 3136, 56, 1)  # type: ignore[arg-type]


class Pair(NamedTuple):
    """Two values."""

    a: int
    b: int


class WithDefault(NamedTuple):
    """Two values, of which one can be left out."""

    a: int
    b: int = 5

    def sum(self) -> int:
        """Return the sum of both."""
        return self.a + self.b


def test_results_are_read_by_name_and_by_place() -> None:
    assert EXTENTS.n == EXTENTS[1] == 8
    data_type, n, *rest = EXTENTS
    assert (data_type, n, rest[-1]) == (0, 8, EXTENTS.wStride)


def test_results_can_be_matched() -> None:
    match EXTENTS:
        case Extents(n=n, c=64):
            assert n == 8
        case _:
            pytest.fail("no match")


def test_results_are_like_other_named_tuples() -> None:
    assert Extents._fields[:2] == ("dataType", "n")
    assert EXTENTS._replace(n=3).n == 3
    assert EXTENTS._asdict()["c"] == 64
    assert Extents._make(EXTENTS) == EXTENTS == Extents(**EXTENTS._asdict())
    assert repr(EXTENTS).startswith("GetTensor4dDescriptorResult(dataType=0, n=8, c=64,")


def test_results_can_be_copied_and_pickled() -> None:
    for other in (copy.copy(EXTENTS), copy.deepcopy(EXTENTS), pickle.loads(pickle.dumps(EXTENTS))):
        assert other == EXTENTS
        assert type(other) is Extents


@pytest.mark.parametrize(
    ("given", "named"), [((1,), {}), ((1, 2, 3), {}), ((1,), {"a": 2}), ((1, 2), {"c": 3})]
)
def test_a_result_needs_each_value_once(given: tuple[int, ...], named: dict[str, int]) -> None:
    with pytest.raises(TypeError, match="Pair takes a, b, each once"):
        Pair(*given, **named)


def test_a_result_has_its_methods_and_defaults_and_no_other_attributes() -> None:
    pair = WithDefault(1)
    assert pair == (1, 5) == WithDefault(a=1)
    assert pair.sum() == 6
    assert WithDefault._field_defaults == {"b": 5}
    with pytest.raises(AttributeError):
        pair.c = 3  # type: ignore[attr-defined]


@pytest.mark.parametrize("mode", ["api", "abi"])
def test_calls_from_within_a_call_have_memory_of_their_own(
    mode: str, program: Program, cudnn_library: Path
) -> None:
    """A callback runs inside of a call, before its results are read."""
    done = program(
        "calls_within_calls",
        cudnn_library,
        CUDNN_CFFI_MODE=mode,
    )
    got, heard = json.loads(done.stdout.splitlines()[-1])
    assert got == [[1, 2, 3, 4], [1, 2, 3, 4]]
    assert heard == [[5, 6, 7, 8]]


@pytest.mark.parametrize("mode", ["api", "abi"])
def test_results_have_the_types_that_they_have_in_c(
    mode: str, run: Run, cudnn_library: Path
) -> None:
    done = run(
        """
        import cudnn_cffi as cudnn
        act = cudnn.ActivationDescriptor()
        cudnn.cudnnSetActivationDescriptor(act, 1, 0, -0.125)
        got = cudnn.cudnnGetActivationDescriptor(act)
        assert got[2] == -0.125 and type(got[0]) is cudnn.ActivationMode, got
        made = cudnn.cudnnCreateTensorDescriptor()
        assert made > 0, made
        print(type(got).__name__)
        """,
        cudnn_library,
        CUDNN_CFFI_MODE=mode,
    )
    assert done.stdout.strip() == "GetActivationDescriptorResult"
