"""The record of operations: the methods, words and types that follow from it."""

from __future__ import annotations

import inspect
import typing
from typing import Any

import pytest
from cudnn_cffi._tables import newest
from cudnn_cffi.graph import OPERATIONS, Graph
from cudnn_cffi.graph.methods.pointwise import PointwiseOptions
from cudnn_cffi.graph.record import types
from cudnn_cffi.graph.record.operation import ENUMS, Operation, Option, Port

WITH_METHODS = [each for each in OPERATIONS.values() if each.method]

#: Arguments of methods that are read into ports and options of other names.
READ: dict[str, set[str]] = {
    "attention": {"causal", "window", "diagonal", "stats", "return_mask", "return_rows"},
    "attention_backward": {"causal", "window", "diagonal", "dbias", "dsink", "return_mask", "fp8"},
    "block_scale_quantize": {"scale_data_type"},
    "bn_finalize": {"phase"},
    "concatenate": {"tensors"},
    "convolution": {"padding", "flip"},
    "convolution_backward_data": {"padding", "flip"},
    "convolution_backward_filter": {"padding", "flip"},
    "diagonal_band_mask": {"fill"},
    "norm_backward": {"bias"},
    "gen_stats": set(),
    "pointwise": {"operands"},
    "reduction": {"dims"},
    "resample": {"padding", "index"},
    "resample_backward": {"padding"},
    "softmax": {"log2", "statistics"},
}
#: Arguments that describe the result.
OF_RESULTS = {"name", "data_type", "compute_data_type", "strides", "layout", "ragged_offset"}
#: Options that only lowering sets, or that follow from other arguments.
INNER = {"divided", "length_kv", "spatial_dims"}


def parameters(operation: Operation) -> dict[str, inspect.Parameter]:
    found = inspect.signature(getattr(Graph, operation.method)).parameters.values()
    return {each.name: each for each in list(found)[1:] if each.kind is not each.VAR_KEYWORD}


@pytest.mark.parametrize("operation", WITH_METHODS, ids=lambda each: each.kind)
def test_methods_take_ports_and_options_of_the_record(operation: Operation) -> None:
    ports = {port.name for port in operation.inputs}
    given = parameters(operation).keys() - OF_RESULTS
    assert given - ports - operation.settings.keys() == READ.get(operation.method, set())
    assert inspect.getdoc(getattr(Graph, operation.method))
    if operation.method not in READ:
        missing = (ports | operation.settings.keys()) - given - INNER
        assert missing == set()


@pytest.mark.parametrize("operation", WITH_METHODS, ids=lambda each: each.kind)
def test_methods_have_the_defaults_of_the_record(operation: Operation) -> None:
    given = parameters(operation)
    described: list[Port | Option] = [*operation.inputs, *operation.settings.values()]
    for each in described:
        if each.default is not None and each.name in given:
            assert given[each.name].default == each.default, each


def test_each_option_has_a_type() -> None:
    known = {*types.Options.__annotations__, *PointwiseOptions.__annotations__}
    options = {name for each in OPERATIONS.values() for name in each.settings}
    of_descriptors = {"spatial_dims", "unfuse_fma", "max_length_q", "max_length_kv"}
    of_distributions = {"minimum", "maximum", "mean", "deviation"}
    assert options - known == of_descriptors | of_distributions
    kinds = {"bool", "float", "int", "str", "number", "shape", "sizes", "axis", "nested", *ENUMS}
    assert {o.type for each in OPERATIONS.values() for o in each.settings.values()} <= kinds


@pytest.mark.parametrize("enum", ENUMS)
def test_words_are_members_of_enums(enum: str) -> None:
    option = next(
        option
        for each in OPERATIONS.values()
        for option in each.settings.values()
        if option.type == enum
    )
    assert option.words == tuple(newest().enum(enum).__members__)


@pytest.mark.parametrize(
    ("alias", "enum"),
    [
        ("_Norm", "BackendNormMode"),
        ("_Phase", "BackendNormFwdPhase"),
        ("_Reshape", "BackendReshapeMode"),
        ("_Reordering", "BackendTensorReordering"),
        ("DataTypeName", "DataType"),
    ],
)
def test_literals_are_the_names_of_members(alias: str, enum: str) -> None:
    words: Any = typing.get_args(getattr(types, alias))
    members = list(newest().enum(enum).__members__)
    lower = [each.lower() for each in members] if words[-1].islower() else []
    assert sorted(words) == sorted([*members, *lower])


def test_a_node_is_added_by_its_record(program: Any) -> None:
    assert program("new_node").stdout.strip() == "added"
