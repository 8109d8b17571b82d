"""cuDNN's log: records of `logging`, callbacks in Python, and what happens when those fail."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Program

Run = Callable[..., Any]


@pytest.fixture(params=["api", "abi"])
def child(request: pytest.FixtureRequest, program: Program, cudnn_libraries: list[Path]) -> Run:
    """Runs code after START with the oldest and the newest library; what each printed as JSON."""

    def call(name: str) -> list[Any]:
        answers = []
        for library in dict.fromkeys([cudnn_libraries[0], cudnn_libraries[-1]]):
            done = program("logs", library, name, CUDNN_CFFI_MODE=request.param)
            answers.append(json.loads(done.stdout))
        return answers

    return call


def test_a_message_comes_in_parts(child: Run) -> None:
    for answer in child("a_message_comes_in_parts"):
        assert answer[:5] == [
            "ERROR",
            "cudnn",
            "cudnnSetTensor4dDescriptor",
            "ERROR",
            "cudnnSetTensor4dDescriptor",
        ]
        assert "n <= 0" in answer[5]
        assert answer[6:] == ["BAD_PARAM", "UTC", None, True, True]


def test_the_level_chooses_what_cudnn_writes(child: Run) -> None:
    for errors, everything in child("the_level_chooses_what_cudnn_writes"):
        assert errors == ["ERROR"]
        assert "INFO" in everything
        assert "ERROR" in everything


def test_a_severity_is_a_level_too(child: Run) -> None:
    for answer in child("a_severity_is_a_level_too"):
        assert answer == ["ERROR"]


def test_another_level_is_refused(child: Run) -> None:
    for answer in child("another_level_is_refused"):
        assert answer[0] == "ArgumentError"
        assert "'loud'" in answer[1]


def test_what_was_set_before_is_set_again_after_the_outermost_block(child: Run) -> None:
    for answer in child("what_was_set_before_is_set_again_after_the_outermost_block"):
        assert answer == [False, True, [77], 2, 0, 0]


def test_a_callback_set_inside_the_block_stays(child: Run) -> None:
    for answer in child("a_callback_set_inside_the_block_stays"):
        assert answer == [1, True]


def test_a_callable_gets_severity_user_data_struct_and_text(child: Run) -> None:
    for answer in child("a_callable_gets_severity_user_data_struct_and_text"):
        assert answer[:4] == [True, 12345, "BAD_PARAM", True]
        assert "cudnnSetTensor4dDescriptor" in answer[4]


def test_what_a_callback_raises_is_reported_and_the_call_goes_on(child: Run) -> None:
    for answer in child("what_a_callback_raises_is_reported_and_the_call_goes_on"):
        [name, [[raised, where]]] = answer
        assert name == "BadParamError"
        assert raised == "LookupError"
        assert "broken" in where


def test_a_callback_may_call_cudnn_without_hearing_of_it(child: Run) -> None:
    for answer in child("a_callback_may_call_cudnn_without_hearing_of_it"):
        assert answer == [5]


def test_a_callable_lives_as_long_as_it_may_be_called(child: Run) -> None:
    for answer in child("a_callable_lives_as_long_as_it_may_be_called"):
        assert answer == [1]


def test_a_c_function_of_ctypes_or_cffi_is_taken_as_it_is(child: Run) -> None:
    for answer in child("a_c_function_of_ctypes_or_cffi_is_taken_as_it_is"):
        assert answer == ["ctypes", "cffi"]


def test_messages_of_all_threads_come(child: Run) -> None:
    for answer in child("messages_of_all_threads_come"):
        assert answer == [400, True]


def test_blocks_may_overlap_on_several_threads(child: Run) -> None:
    for answer in child("blocks_may_overlap_on_several_threads"):
        assert answer == [0, 0]


def test_what_was_silent_is_silent_again(program: Program, cudnn_libraries: list[Path]) -> None:
    """cuDNN 9 has no way back: it takes a mask of 0 for that of errors, and prints them."""
    for library in cudnn_libraries:
        for code in (
            "with cudnn.log(): pass",
            "cudnn.cudnnSetCallback(2, None, print); cudnn.cudnnSetCallback(0, None, None)",
            "before = cudnn.cudnnGetCallback(); cudnn.cudnnSetCallback(2, None, print)\n"
            "cudnn.cudnnSetCallback(*before)",
        ):
            done = program("logs", library, "what_was_silent_is_silent_again", code)
            assert (done.stdout, done.stderr) == ("", "")


def test_without_a_callback_cudnn_prints_where_that_was_asked_for(
    program: Program, cudnn_library: Path
) -> None:
    done = program(
        "logs", cudnn_library, "without_a_callback_cudnn_prints_where_that_was_asked_for"
    )
    assert "cudnnSetTensor4dDescriptor" in done.stderr


def test_a_logger_that_is_none_is_refused_and_changes_nothing(child: Run) -> None:
    for answer in child("a_logger_that_is_none_is_refused_and_changes_nothing"):
        assert answer == [[["ArgumentError", True]] * 4, 1]


def test_a_logger_adapter_adds_what_it_adds(child: Run) -> None:
    for answer in child("a_logger_adapter_adds_what_it_adds"):
        assert answer == ["Numbered", "[7]", "here", "cudnnSetTensor4dDescriptor"]


def test_a_filter_that_raises_keeps_no_other_logger_from_hearing(child: Run) -> None:
    for answer in child("a_filter_that_raises_keeps_no_other_logger_from_hearing"):
        assert answer == [["LookupError"], 1]


def test_equal_callables_are_two_callbacks(child: Run) -> None:
    for answer in child("equal_callables_are_two_callbacks"):
        assert answer == [True, 1]


def test_the_end_of_the_interpreter_is_quiet(child: Run) -> None:
    for answer in child("the_end_of_the_interpreter_is_quiet"):
        assert answer == "set"
