"""Successors: each hint has its evidence, and there is none without."""

from __future__ import annotations

from cudnn_cffi.api.changes.finding import Successor
from cudnn_cffi.api.changes.names import nothing, successor
from cudnn_cffi.api.model import Function, Parameter

from tests.api.models import function, parameter


def rnn(name: str = "rnnDesc") -> Parameter:
    return parameter(name, "cudnnRNNDescriptor_t", kind="descriptor")


def named(*functions: Function) -> dict[str, Function]:
    return {each.name: each for each in functions}


def test_the_header_s_own_word_comes_first() -> None:
    gone = function("cudnnF_v6", deprecated=True, successor="cudnnG")
    new = named(function("cudnnF_v8"), function("cudnnG"))
    assert successor(gone, named(gone), new) == Successor(
        "cudnnG", "named by the header's deprecation note"
    )


def test_a_name_that_the_new_release_lacks_is_no_hint() -> None:
    gone = function("cudnnF", successor="cudnnG")
    assert successor(gone, named(gone), {}) is None


def test_another_version_of_the_same_name_and_of_several_the_highest() -> None:
    gone = function("cudnnF_v6")
    new = named(function("cudnnF"), function("cudnnF_v9"), function("cudnnF_v10"))
    found = successor(gone, named(gone), new)
    assert found == Successor("cudnnF_v10", "same name, another version suffix")


def test_the_general_function_that_was_there_already_for_the_same_object() -> None:
    gone = function("cudnnRNNForwardTrainingEx", rnn(), deprecated=True)
    general = function("cudnnRNNForward", rnn())
    found = successor(gone, named(gone, general), named(general))
    assert found == Successor(
        "cudnnRNNForward", "same name without its last words, same cudnnRNNDescriptor_t"
    )


def test_a_shorter_name_for_another_object_says_nothing() -> None:
    gone = function("cudnnSetTensorTransformDescriptor", rnn(), deprecated=True)
    other = function("cudnnSetTensor", parameter("x", "cudnnTensorDescriptor_t", kind="descriptor"))
    assert successor(gone, named(gone, other), named(other)) is None


def test_a_shorter_name_without_an_object_says_nothing() -> None:
    gone = function("cudnnCreateRNNDescriptor", deprecated=True)
    create = function("cudnnCreate")
    assert successor(gone, named(gone, create), named(create)) is None


def test_a_general_function_that_is_deprecated_too_is_no_way_out() -> None:
    gone = function("cudnnRNNForwardEx", rnn(), deprecated=True)
    general = function("cudnnRNNForward", rnn(), deprecated=True)
    assert successor(gone, named(gone, general), named(general)) is None


def test_a_fact_gives_its_own_reason() -> None:
    gone = function("cudnnF", successor="cudnnG", reason="one call gives both")
    found = successor(gone, named(gone), named(function("cudnnG")))
    assert found == Successor("cudnnG", "one call gives both")


def test_where_nothing_replaces_it_nothing_is_guessed() -> None:
    gone = function("cudnnF_v6", reason="the plan is gone")
    assert successor(gone, named(gone), named(function("cudnnF_v8"))) is None
    assert nothing(gone) == "no replacement: the plan is gone"
    assert nothing(function("cudnnF", successor="cudnnG", reason="x")) is None


def test_what_another_release_s_header_says() -> None:
    gone = function("cudnnF", deprecated=True)
    advice = {"cudnnF": ("cudnnG", "9.2.0")}
    assert successor(gone, named(gone), {}, (), advice) is None  # cudnnG is not there yet
    found = successor(gone, named(gone), {}, {"cudnnG"}, advice)
    assert found == Successor("cudnnG", "named by the deprecation note in 9.2.0's header")
    own = function("cudnnF", deprecated=True, successor="the graph API")
    found = successor(own, named(own), {}, {"cudnnG"}, advice)
    assert found == Successor("the graph API", "named by the header's deprecation note")
