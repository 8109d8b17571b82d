"""Python names for C names."""

from __future__ import annotations

import keyword
import re

import pytest
from cudnn_cffi._front import resolve as _resolve
from cudnn_cffi.api import model
from hypothesis import assume, given
from hypothesis import strategies as st

from generator import tree
from generator.lower import names

WORDS = st.lists(
    st.sampled_from(["Set", "Get", "Tensor", "RNN", "Nd", "4d", "2d", "CTC", "Ex", "Workspace"]),
    min_size=1,
    max_size=6,
)
MACRO = st.from_regex(r"CUDNN(_[A-Z0-9]{1,6}){1,5}", fullmatch=True)


def enum(name: str, *enumerators: str) -> model.Enum:
    members = tuple(model.Enumerator(name=e, value=i) for i, e in enumerate(enumerators))
    return model.Enum(name=name, header="cudnn.h", enumerators=members)


# Classes and methods


@pytest.mark.parametrize(
    ("c_name", "name"),
    [
        ("cudnnTensorDescriptor_t", "TensorDescriptor"),
        ("libraryPropertyType", "LibraryPropertyType"),
        ("cudnnRNNMode_t", "RNNMode"),
        ("cudnnHandle_t", "Handle"),
        ("cudnnGraph_t", "Graph_"),  # the package has another
    ],
)
def test_class_names(c_name: str, name: str) -> None:
    assert names.class_name(c_name) == name


def test_no_type_is_called_like_a_class_of_the_package() -> None:
    ours = {name for name in _resolve.OURS if name[0].isupper() and not name.endswith("Error")}
    assert {names.class_name(f"cudnn{name}_t") for name in ours} == {f"{name}_" for name in ours}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Set", "set"),
        ("SetTensor4d", "set_tensor_4d"),
        ("SetTensor4dEx", "set_tensor_4d_ex"),
        ("RNNSetClip_v8", "rnn_set_clip_v8"),
        ("GetNdForwardOutputDim", "get_nd_forward_output_dim"),
        ("SetMathType", "set_math_type"),
        ("GetCTCLoss_v9", "get_ctc_loss_v9"),
    ],
)
def test_snake(name: str, expected: str) -> None:
    assert names.snake(name) == expected


@given(WORDS, st.sampled_from(["", "_v7", "_v8"]))
def test_snake_only_adds_underscores_and_lowers(words: list[str], version: str) -> None:
    name = "".join(words) + version
    found = names.snake(name)
    assert re.fullmatch(r"[a-z0-9]+(_[a-z0-9]+)*", found)
    assert found.replace("_", "") == name.replace("_", "").lower()


@given(WORDS)
def test_snake_leaves_a_snake_alone(words: list[str]) -> None:
    text = "".join(words)
    assume(not re.search("[A-Z][0-9]", text))  # RNN4d: where does RNN end?
    once = names.snake(text)
    assert names.snake(once) == once


def test_parameters_that_python_reserves_get_an_underscore() -> None:
    assert names.parameter_name("lambda") == "lambda_"
    assert names.parameter_name("dataType") == "dataType"


def test_modules() -> None:
    assert names.module_name("9.28.0") == "v9_28_0"
    assert names.header_module("cudnn_ops_infer.h") == "ops_infer"
    assert names.header_module("cudnn.h") == "core"


# Members


@pytest.mark.parametrize(
    ("enumerator", "prefix", "name"),
    [
        ("CUDNN_DATA_FLOAT", "CUDNN_DATA_", "FLOAT"),
        ("CUDNN_ALGO_0", "CUDNN_ALGO_", "ALGO_0"),
        ("CUDNN_CONVOLUTION_FWD_ALGO_2D", "CUDNN_CONVOLUTION_FWD_ALGO_", "ALGO_2D"),
        ("CUDNN_SCALAR_4", "CUDNN_SCALAR_", "SCALAR_4"),
        ("CUDNN_OTHER", "CUDNN_DATA_", "OTHER"),  # added later, without the prefix
        ("CUDNN_MODE_None", "CUDNN_MODE_", "None_"),
        ("MAJOR_VERSION", "", "MAJOR_VERSION"),
    ],
)
def test_member_names(enumerator: str, prefix: str, name: str) -> None:
    assert names.member_name(enumerator, prefix) == name


@given(MACRO, st.integers(0, 5))
def test_a_member_name_is_a_name_and_an_ending_of_its_c_name(macro: str, cut: int) -> None:
    words = macro.split("_")
    prefix = "".join(f"{word}_" for word in words[: min(cut, len(words) - 1)])
    name = names.member_name(macro, prefix)
    assert name.isidentifier()
    assert macro.endswith(name.removesuffix("_"))
    assert not keyword.iskeyword(name)


def test_the_prefix_is_what_all_enumerators_share() -> None:
    apis = [model.Api(release="1.0.0", enums=(enum("cudnnE_t", "CUDNN_X_A", "CUDNN_X_B_C"),))]
    assert names.prefixes(apis) == {"cudnnE_t": "CUDNN_X_"}


def test_a_name_is_left_of_every_enumerator() -> None:
    apis = [model.Api(release="1.0.0", enums=(enum("cudnnE_t", "CUDNN_X", "CUDNN_X_MORE"),))]
    assert names.prefixes(apis) == {"cudnnE_t": "CUDNN_"}


def test_of_a_single_enumerator_the_words_of_the_enum_go() -> None:
    apis = [model.Api(release="1.0.0", enums=(enum("cudnnHeurMode_t", "CUDNN_HEUR_MODE_A"),))]
    assert names.prefixes(apis) == {"cudnnHeurMode_t": "CUDNN_HEUR_MODE_"}


def test_the_oldest_release_decides_so_that_names_stay() -> None:
    old = model.Api(release="1.0.0", enums=(enum("cudnnE_t", "CUDNN_X_A", "CUDNN_X_B"),))
    new = model.Api(release="2.0.0", enums=(enum("cudnnE_t", "CUDNN_X_A", "CUDNN_Y_B"),))
    assert names.prefixes([old, new]) == names.prefixes([old]) == {"cudnnE_t": "CUDNN_X_"}


# The releases


def test_no_two_things_of_a_release_get_one_name() -> None:
    merged = tree.load(tree.HOME).merged()
    prefixes = names.prefixes(merged.apis.values())
    for api in merged.apis.values():
        types = [e.name for e in api.enums] + [r.name for r in api.records]
        types += [opaque.name for opaque in api.opaques]
        classes = [*map(names.class_name, types), *(flags.name for flags in api.flags)]
        assert len(set(classes)) == len(classes)
        groups = [(e.name, e.enumerators) for e in api.enums]
        groups += [(f.name, f.members) for f in api.flags]
        for name, members in groups:
            found = [names.member_name(m.name, prefixes[name]) for m in members]
            assert len(set(found)) == len(found), name
            assert all(each.isidentifier() for each in found), name


def test_a_member_keeps_its_name_in_all_releases() -> None:
    merged = tree.load(tree.HOME).merged()
    prefixes = names.prefixes(merged.apis.values())
    every: dict[tuple[str, str], str] = {}
    for api in merged.apis.values():
        for each in api.enums:
            for member in each.enumerators:
                name = names.member_name(member.name, prefixes[each.name])
                assert every.setdefault((each.name, name), member.name) == member.name
