"""Meanings of functions and arguments: what cuDNN's manual says, complete, and used."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest
from cudnn_cffi.api import history
from cudnn_cffi.api.model import Function, Parameter

from generator import meanings, pipeline, tree
from generator.lower.merge import Merged
from generator.meanings import Meanings, MeaningsError

#: Arguments that nobody can give without knowing more than their types.
KINDS = {"scaling", "workspace", "reserve"}
NAMES = {"algo", "mode", "seed", "states", "dropout", "epsilon", "beta", "alpha"}

REASON = {"reason": "the manual"}


@cache
def merged() -> Merged:
    return tree.load(tree.HOME).merged()


@cache
def functions() -> dict[str, Function]:
    return {variant.function.name: variant.function for variant in merged().all_variants()}


def parameter(function: str, name: str) -> Parameter:
    return next(p for p in functions()[function].parameters if p.name == name)


def told(function: str, name: str) -> str:
    return meanings.load().argument(functions()[function], parameter(function, name))


def made(*arguments: Mapping[str, Any], **functions: Any) -> Meanings:
    entries = [{"names": [name], **REASON, **facts} for name, facts in functions.items()]
    return Meanings({"argument": arguments}, {"function": entries}, {})


def function(name: str, *parameters: Parameter) -> Function:
    return Function(
        name=name, result="cudnnStatus_t", header="cudnn_ops.h", parameters=tuple(parameters)
    )


# The data ----------------------------------------------------------------------------------------


def test_no_argument_that_needs_a_meaning_lacks_it() -> None:
    lacking = [
        (function.name, each.name)
        for function in functions().values()
        for each in function.parameters
        if (each.kind in KINDS or each.name in NAMES)
        and not meanings.load().argument(function, each)
    ]
    assert lacking == []


def test_a_function_that_blends_has_a_formula_with_its_factors() -> None:
    """result = alpha * computed + beta * previous, in the names of its own arguments."""
    seen = 0
    for function in functions().values():
        formula = meanings.load().formula(function.name)
        if not any(each.kind == "scaling" for each in function.parameters):
            continue
        seen += 1
        names = {each.name for each in function.parameters if each.kind == "scaling"}
        told = set(re.findall(r"\w+", formula)) & names
        shared = {"alphaParamDiff", "betaParamDiff"} | (
            {"alphaDataDiff", "betaDataDiff"} if "as `cudnnBatch" in formula else set()
        )
        assert told >= names - shared, (function.name, formula)
    assert seen > 25


def test_a_formula_begins_with_a_result_of_its_function() -> None:
    for name in meanings.load().functions:
        formula = meanings.load().formula(name)
        if not formula:
            continue
        results = re.split(r" = |: (?!dx)", re.sub(r"^with .*?: ", "", formula), maxsplit=1)[0]
        written = {p.name for p in functions()[name].parameters if p.direction != "in"}
        words = re.sub(r"\[.*?\]", "", results).split(", ")
        words = ["y" if word == "state" else word for word in words]
        assert set(words) <= written, (name, words)


def test_a_function_that_tells_a_size_returns_one() -> None:
    seen = 0
    for facts in meanings.load().functions.values():
        for key in ("workspace", "reserve"):
            if key in facts:
                results = [p for p in functions()[facts[key]].parameters if p.direction == "out"]
                assert any(re.search("size", p.name, re.I) for p in results), facts[key]
                seen += 1
    assert seen > 20


def test_reserve_spaces_go_from_forward_to_backward() -> None:
    """The function that leaves a reserve space names the one that reads it, and the other way."""
    known = meanings.load().functions
    seen = 0
    for name, facts in known.items():
        later = facts.get("kept_for")
        if later:
            assert parameter(name, "reserveSpace").direction != "in", name
            assert parameter(later, "reserveSpace").kind == "reserve"
            if not name.startswith("cudnnFind"):
                assert known[later]["left_by"] == name
                seen += 1
        elif "left_by" in facts:
            assert parameter(name, "reserveSpace").kind == "reserve"
    assert seen > 8


def test_every_function_with_memory_of_the_caller_says_who_tells_its_size() -> None:
    for function in functions().values():
        for each in function.parameters:
            if each.kind == "workspace" and each.name.lower() == "workspace":
                text = meanings.load().argument(function, each)
                assert "the caller allocates it" in text, function.name
                assert "`cudnn" in text or function.name.startswith("cudnnFindConvolution")


@pytest.mark.parametrize(
    ("function", "argument", "words"),
    [
        ("cudnnConvolutionForward", "beta", "multiplies what `y` held before; 0 leaves"),
        ("cudnnOpTensor", "alpha2", "multiplies `B`"),
        ("cudnnSpatialTfSamplerBackward", "beta", "`dx`"),
        ("cudnnBatchNormalizationForwardTraining", "beta", "the output"),
        ("cudnnConvolutionForward", "workSpace", "`cudnnGetConvolutionForwardWorkspaceSize`"),
        ("cudnnCTCLoss_v8", "workspace", "`cudnnGetCTCLossWorkspaceSize_v8`"),
        ("cudnnRNNForward", "reserveSpace", "unchanged for `cudnnRNNBackwardData_v8`; None with"),
        ("cudnnRNNBackwardData_v8", "reserveSpace", "changed for `cudnnRNNBackwardWeights_v8`"),
        ("cudnnDropoutBackward", "reserveSpace", "as `cudnnDropoutForward` left it"),
        ("cudnnGetReductionWorkspaceSize", "sizeInBytes", "of `cudnnReduceTensor`"),
        ("cudnnDropoutGetReserveSpaceSize", "sizeInBytes", "of the reserve space of `cudnnDropout"),
        ("cudnnSetDropoutDescriptor", "states", "`cudnnDropoutGetStatesSize`"),
        ("cudnnSetDropoutDescriptor", "seed", "the same seed gives the same sequence of masks"),
        ("cudnnRNNBackwardWeights_v8", "addGrad", "always `ADD`"),
    ],
)
def test_arguments_mean_what_the_manual_says(function: str, argument: str, words: str) -> None:
    assert words in told(function, argument)


def test_names_of_this_package_exist() -> None:
    import cudnn_cffi

    seen = set()
    for name in functions():
        for path in meanings.load().see(name):
            found: Any = cudnn_cffi
            for part in path.split("."):
                found = getattr(found, part)
            assert callable(found), path
            seen.add(path)
    assert {"ops.convolution", "Graph.softmax", "Plan.populate_cuda_graph", "ops.lstm"} <= seen


def test_what_computes_the_same_follows_from_the_records() -> None:
    from scripts import c_names

    assert meanings.COMPUTED.read_text(encoding="utf-8") == c_names.text()
    table = c_names.table()
    assert table["cudnnPoolingForward"]["ops"][:3] == ["max_pool", "average_pool", "sum_pool"]
    assert table["cudnnSoftmaxForward"]["graph"] == ["softmax"]
    assert table["cudnnAddTensor"]["ops"][0] == "add", "operations that only use it come last"
    assert table["cudnnNormalizationForwardTraining"]["ops"][0] == "batch_norm", "not called here"


# Addresses ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "page"),
    [
        (
            "cudnnConvolutionForward",
            "backend/latest/api/cudnn-cnn-library.html#cudnnconvolutionforward",
        ),
        ("cudnnCTCLoss_v8", "backend/latest/api/cudnn-adv-library.html#cudnnctcloss-v8"),
        ("cudnnBackendExecute", "backend/latest/api/cudnn-graph-library.html#cudnnbackendexecute"),
        ("cudnnSetRNNDescriptor_v6", "archives/cudnn-897/api/index.html#cudnnSetRNNDescriptor_v6"),
    ],
)
def test_a_function_has_its_place_in_the_manual(function: str, page: str) -> None:
    """By headings of Sphinx, whose anchors have hyphens; version 8's manual has names as they are."""
    address = meanings.load().manual(function, functions()[function].header)
    assert address == f"https://docs.nvidia.com/deeplearning/cudnn/{page}"


#: Places in the manual that others link to, or to the same page of another release of version 8.
LINKED = (
    "cudnn-graph-library.html#cudnncreate", "cudnn-graph-library.html#cudnnactivationmode-t",
    "cudnn-graph-library.html#cudnndestroy", "cudnn-graph-library.html#cudnnmathtype-t",
    "cudnn-graph-library.html#cudnnbackendexecute",
    "cudnn-graph-library.html#cudnnbackendknobtype-t",
    "cudnn-graph-library.html#cudnnbackendnumericalnote-t",
    "cudnn-graph-library.html#cudnn-backend-operation-matmul-descriptor",
    "cudnn-graph-library.html#cudnn-backend-operation-pointwise-descriptor",
    "cudnn-graph-library.html#cudnn-backend-operation-signal-descriptor",
    "cudnn-ops-library.html#cudnnactivationdescriptor-t",
    "cudnn-ops-library.html#cudnnsettensornddescriptor",
    "cudnn-ops-library.html#cudnngetpooling2ddescriptor",
    "cudnn-ops-library.html#cudnngetpoolingndforwardoutputdim",
    "cudnn-ops-library.html#cudnnsoftmaxforward", "cudnn-cnn-library.html#cudnnconvolutionforward",
    "cudnn-cnn-library.html#cudnnconvolutionbiasactivationforward",
    "cudnn-cnn-library.html#cudnnconvolutionbackwardfilter",
    "cudnn-cnn-library.html#cudnncreateconvolutiondescriptor",
    "cudnn-cnn-library.html#cudnndestroyconvolutiondescriptor",
    "cudnn-cnn-library.html#cudnngetconvolutionforwardalgorithm-v7",
    "cudnn-adv-library.html#cudnnrnnalgo-t", "cudnn-adv-library.html#cudnnrnnmode-t",
    "cudnn-graph-library.html#cudnnpointwisemode-t", "cudnn-graph-library.html#cudnnsetstream",
    "cudnn-ops-library.html#cudnnactivationforward", "cudnn-ops-library.html#cudnnpoolingforward",
    "cudnn-ops-library.html#cudnnsettensor4ddescriptor",
    "cudnn-ops-library.html#cudnnbatchnormalizationforwardtrainingex",
    "cudnn-cnn-library.html#cudnnconvolutionbackwarddata",
    "cudnn-cnn-library.html#cudnnfindconvolutionforwardalgorithm",
    "index.html#cudnnGetRNNLinLayerBiasParams", "index.html#cudnnGetRNNLinLayerMatrixParams",
    "index.html#cudnnGetRNNTrainingReserveSize",
)  # fmt: skip

#: Headings that a copy of a library's page begins with.
HEADINGS = {
    "graph": ("cudnnDebug_t", "cudnnFraction_t", "cudnnActivationMode_t"),
    "cnn": ("cudnnConvolutionBwdDataAlgoPerf_t",),
    "adv": ("cudnnAttnDescriptor_t", "cudnnRNNDataDescriptor_t", "cudnnRNNDescriptor_t",
            "cudnnSeqDataDescriptor_t"),
}  # fmt: skip


def test_places_that_others_link_to_have_the_same_address() -> None:
    known = {
        meanings.load().manual(each.name, each.header or "").rpartition("/")[2]
        for each in history.everything().names
    }
    assert set(LINKED) <= known
    for library, names in HEADINGS.items():
        anchors = [name.lower().replace("_", "-") for name in names]
        assert {f"cudnn-{library}-library.html#{each}" for each in anchors} <= known


def test_headers_that_the_manual_does_not_have_get_no_address() -> None:
    headers = {each.header for each in functions().values()}
    without = {each for each in headers if not meanings.load().manual("cudnnCreate", each)}
    assert without == {"cudnn_subquadratic_ops.h", "cudnn_gnn_ops.h"}


# Rules -------------------------------------------------------------------------------------------


def test_a_rule_with_a_fact_that_the_function_lacks_is_passed_over() -> None:
    size = {"names": ["w*"], "text": "as {workspace} says", **REASON}
    plain = {"names": ["w*"], "text": "scratch", **REASON}
    each = Parameter(name="work", type="void *", kind="workspace", direction="inout")
    made_of = made(size, plain, cudnnA={"workspace": "cudnnGetA"})
    assert made_of.argument(function("cudnnA", each), each) == "as `cudnnGetA` says"
    assert made_of.argument(function("cudnnB", each), each) == "scratch"
    assert made_of.argument(function("cudnnB"), Parameter(name="x", type="int")) == ""


def test_an_entry_that_matches_nothing_is_told() -> None:
    each = Parameter(name="a", type="int")
    first = {"names": ["a"], "text": "first", **REASON}
    hidden = {"names": ["a"], "text": "never reached", **REASON}
    other = {"names": ["b"], "text": "no such name", **REASON}
    made_of = made(first, hidden, other, cudnnGone={"workspace": "cudnnGetGone"})
    told = made_of.unused([function("cudnnF", each)])
    assert [line.rpartition(": ")[2] for line in told] == [
        "never reached", "no such name", "cudnnGetGone", "cudnnGone",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"names": ["a"], "text": "b"}, "without reason"),
        ({"text": "b", **REASON}, "without names"),
        ({"names": ["a"], **REASON}, "without text"),
        ({"names": ["a"], "text": "b", "kind": "scaling", **REASON}, "unknown fields kind"),
    ],
)
def test_an_incomplete_entry_is_an_error(entry: dict[str, Any], message: str) -> None:
    with pytest.raises(MeaningsError, match=message):
        made(entry)


def test_two_entries_may_not_tell_the_same_of_a_function() -> None:
    entry = {"names": ["cudnnA"], "formula": "y = x", **REASON}
    with pytest.raises(MeaningsError, match="cudnnA has two formula"):
        Meanings({}, {"function": [entry, entry]}, {})


def test_a_meaning_without_use_stops_the_emission(monkeypatch: pytest.MonkeyPatch) -> None:
    unused = made({"names": ["noSuchArgument"], "text": "a text", **REASON})
    monkeypatch.setattr(meanings, "load", lambda: unused)
    with pytest.raises(pipeline.PipelineError, match=r"matches nothing: .*noSuchArgument"):
        pipeline.reemit(tree.HOME)
