"""A function under a C name behaves as a function of Python's does, compiled or not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Program

Run = Callable[..., None]


@pytest.fixture(params=["api", "abi"])
def child(request: pytest.FixtureRequest, program: Program, cudnn_library: Path) -> Run:
    def call(name: str, *arguments: str) -> None:
        program("functions", cudnn_library, name, *arguments, CUDNN_CFFI_MODE=request.param)

    return call


def test_it_tells_its_name_signature_and_text(child: Run) -> None:
    child("it_tells_its_name_signature_and_text")


def test_arguments_go_by_place_by_name_and_out_of_containers(child: Run) -> None:
    child("arguments_go_by_place_by_name_and_out_of_containers")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("set4d()", "missing 7 required positional arguments"),
        ("set4d(x, 0, 0, 1, 1, 1)", "missing 1 required positional argument: 'w'"),
        ("set4d(x, 0, 0, 1, 1, 1, 1, 1)", "takes 7 positional arguments but 8 were given"),
        ("set4d(x, 0, 0, 1, 1, 1, q=1)", "unexpected keyword argument 'q'"),
        ("set4d(x, 0, 0, 1, 1, 1, 1, w=1)", "multiple values for argument 'w'"),
        ("set4d(x, 0, 0, 1, 1, 1, h=1)", "multiple values for argument 'h'"),
        ("set4d(x, 0, 0, 1, 1, 1, **{1: 2})", "keywords must be strings"),
        ("set4d.__call__(x, 0)", "missing 5 required positional arguments"),
        ("get4d(x, x)", "takes 1 positional argument but 2 were given"),
    ],
)
def test_wrong_arguments_are_told_in_pythons_own_words(child: Run, call: str, message: str) -> None:
    child("wrong_arguments_are_told_in_pythons_own_words", call, message)


def test_it_is_copied_and_pickled_by_name(child: Run) -> None:
    child("it_is_copied_and_pickled_by_name")


def test_it_takes_attributes_weak_references_and_an_instance(child: Run) -> None:
    child("it_takes_attributes_weak_references_and_an_instance")


def test_objects_that_only_look_right_are_told_apart(child: Run) -> None:
    child("objects_that_only_look_right_are_told_apart")


def test_what_an_argument_raises_of_its_own_is_left_alone(child: Run) -> None:
    child("what_an_argument_raises_of_its_own_is_left_alone")


def test_an_index_error_of_an_argument_is_left_alone_where_arrays_are_given_too(
    child: Run,
) -> None:
    child("an_index_error_of_an_argument_is_left_alone_where_arrays_are_given_too")


def test_none_where_an_object_is_optional(child: Run) -> None:
    child("none_where_an_object_is_optional")


def test_no_reference_is_lost_or_kept(child: Run) -> None:
    child("no_reference_is_lost_or_kept")


def test_blocks_of_memory_do_not_grow(child: Run) -> None:
    child("blocks_of_memory_do_not_grow")


def test_hashes_of_results_are_those_of_tuples(child: Run) -> None:
    child("hashes_of_results_are_those_of_tuples")


def test_the_class_makes_nothing_by_itself(program: Program, cudnn_library: Path) -> None:
    program(
        "functions",
        cudnn_library,
        "the_class_makes_nothing_by_itself",
        CUDNN_CFFI_MODE="api",
    )


def test_an_unused_one_is_collected(program: Program, cudnn_library: Path) -> None:
    program(
        "functions",
        cudnn_library,
        "an_unused_one_is_collected",
        CUDNN_CFFI_MODE="api",
    )
