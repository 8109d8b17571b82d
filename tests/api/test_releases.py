"""Facts about the real releases, and relations between any two of them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations, pairwise

import pytest
from cudnn_cffi.api import store
from cudnn_cffi.api.diff import Finding, compare
from cudnn_cffi.api.model import Api
from cudnn_cffi.api.rules import RULES
from cudnn_cffi.versions import version_of


def between(old: str, new: str) -> dict[str, list[Finding]]:
    models = store()
    apis = {release.version: release.api for release in models.releases()}
    found: dict[str, list[Finding]] = {}
    for finding in compare(models.api(apis[old]), models.api(apis[new])):
        found.setdefault(finding.rule, []).append(finding)
    return found


@pytest.mark.parametrize(
    ("written", "version"),
    [
        (90100, "9.1.0"),
        ("90100", "9.1.0"),
        (" v9.1.0\n", "9.1.0"),
        (8907, "8.9.7"),
        (100203, "10.2.3"),
        ("9.1.0.70", "9.1.0.70"),
        ("9.1", "9.1"),
        ("latest", "latest"),
        ("9", "9"),
    ],
)
def test_a_release_may_be_written_as_the_library_says_it(written: str | int, version: str) -> None:
    assert version_of(written) == version


def test_9_0_removed_55_functions_and_added_9() -> None:
    found = between("8.9.7", "9.0.0")
    assert len(found["func-removed"]) == 55
    assert len(found["func-added"]) == 9


def test_9_0_renumbered_14_status_codes() -> None:
    changed = between("8.9.7", "9.0.0")["enumerator-value-changed"]
    assert len(changed) == 14
    assert {finding.owner for finding in changed} == {"cudnnStatus_t"}


def test_9_0_has_other_headers_and_libraries() -> None:
    found = between("8.9.7", "9.0.0")
    assert [f.name for f in found["header-removed"]] == [
        "cudnn_adv_infer.h",
        "cudnn_adv_train.h",
        "cudnn_cnn_infer.h",
        "cudnn_cnn_train.h",
        "cudnn_ops_infer.h",
        "cudnn_ops_train.h",
    ]
    moved = {f.name: (f.old, f.new) for f in found["symbol-moved"]}
    assert moved["cudnnCreate"] == ("libcudnn_ops_infer", "libcudnn_graph")
    assert moved["cudnnBackendExecute"] == ("libcudnn_cnn_infer", "libcudnn_graph")


def test_what_9_0_removed_has_these_successors() -> None:
    hints = {
        f.name: f.successor.name for f in between("8.9.7", "9.0.0")["func-removed"] if f.successor
    }
    wanted = {
        "cudnnGetRNNDescriptor_v6": "cudnnGetRNNDescriptor_v8",
        "cudnnRNNBackwardData": "cudnnRNNBackwardData_v8",
        "cudnnRNNBackwardDataEx": "cudnnRNNBackwardData_v8",
        "cudnnRNNBackwardWeights": "cudnnRNNBackwardWeights_v8",
        "cudnnRNNBackwardWeightsEx": "cudnnRNNBackwardWeights_v8",
        "cudnnRNNForwardInference": "cudnnRNNForward",
        "cudnnRNNForwardInferenceEx": "cudnnRNNForward",
        "cudnnRNNForwardTraining": "cudnnRNNForward",
        "cudnnRNNForwardTrainingEx": "cudnnRNNForward",
        "cudnnRNNGetClip": "cudnnRNNGetClip_v9",
        "cudnnRNNSetClip": "cudnnRNNSetClip_v9",
        "cudnnSetRNNDescriptor_v6": "cudnnSetRNNDescriptor_v8",
    }
    # Headers and names tell roles; facts of the generator add to them and never contradict.
    assert wanted.items() <= hints.items()
    assert len(hints) == 34
    removed = between("8.9.7", "9.0.0")["func-removed"]
    why = {f.name: f.note for f in removed if not f.successor}
    assert len(why) == 21
    assert all(note and note.startswith("no replacement: ") for note in why.values())
    assert hints["cudnnOpsTrainVersionCheck"] == "cudnnOpsVersionCheck"
    assert hints["cudnnCreatePersistentRNNPlan"] == "cudnnBuildRNNDynamic"


def test_a_hint_says_whose_it_is() -> None:
    """No header of version 8 has a note; those of 9.22 have one for most of what 9.0 deprecates."""
    evidence = {
        f.name: (f.successor.name, f.successor.evidence)
        for step in (("8.9.7", "9.0.0"), ("9.2.1", "9.3.0"))
        for rule in ("func-removed", "func-deprecated", "enumerator-deprecated")
        for f in between(*step).get(rule, ())
        if f.successor
    }
    assert not [name for name, (_, why) in evidence.items() if "the header's" in why]
    assert evidence["cudnnSetRNNBiasMode"][1] == "an argument of the one setter"
    later = "named by the deprecation note in 9.22.0's header"
    assert evidence["cudnnActivationForward"] == ("the graph API", later)
    assert evidence["cudnnMultiHeadAttnForward"] == ("the graph API's SDPA operations", later)
    assert evidence["cudnnQueryRuntimeError"] == ("cudnnGetLastErrorString", later)
    assert evidence["cudnnBackendInitialize"][0] == "cudnnBackendCreateDescriptor"
    assert evidence["cudnnSetCTCLossDescriptorEx"] == ("cudnnSetCTCLossDescriptor_v9", later)
    assert evidence["CUDNN_STATUS_ARCH_MISMATCH"][0] == "CUDNN_STATUS_NOT_SUPPORTED_ARCH_MISMATCH"


def test_nearly_all_deprecated_functions_have_advice() -> None:
    models = store()
    advice = models.advice()
    deprecated = [f.name for f in models.api("9.28.0").functions if f.deprecated]
    assert (len(deprecated), sum(name in advice for name in deprecated)) == (135, 128)


def test_the_deprecations_of_9_22_are_comments() -> None:
    found = between("9.21.1", "9.22.0")
    assert not [rule for rule in found if rule.endswith("-deprecated")]
    assert len(found["name-deprecated-in-comment"]) == 13


def test_the_only_parameter_that_was_renamed_has_one_keyword() -> None:
    found = between("8.9.1", "8.9.2")
    assert found.keys() == {"func-param-renamed"}
    assert RULES["func-param-renamed"].severity() != "breaking"


def test_libraries_that_came_and_went() -> None:
    went = {f.old for f in between("8.9.7", "9.0.0")["library-removed"]}
    assert went == {
        f"libcudnn_{part}_{phase}.so.8"
        for part in ("adv", "cnn", "ops")
        for phase in ("infer", "train")
    }
    models = store()
    apis = {release.version: models.api(release.api) for release in models.releases()}
    assert all(api.libraries for api in apis.values())
    got = {
        finding.name: new
        for (_, before), (new, after) in pairwise(apis.items())
        for finding in compare(before, after)
        if finding.rule == "library-added" and new != "9.0.0"
    }
    assert got == {"libcudnn_engines_tensor_ir": "9.21.0", "libcudnn_ext": "9.22.0"}


def test_9_0_counts_versions_by_another_formula() -> None:
    found = between("8.9.7", "9.0.0")
    (formula,) = found["version-formula-changed"]
    assert (formula.name, str(formula.old)[:18], str(formula.new)[:19]) == (
        "CUDNN_VERSION",
        "CUDNN_MAJOR * 1000",
        "CUDNN_MAJOR * 10000",
    )
    assert len(found["version-macro-removed"]) == 18


def test_9_10_1_takes_back_a_renumbering_that_only_9_10_0_has() -> None:
    changed = between("9.10.0", "9.10.1")
    assert changed.keys() == {"enumerator-value-changed", "tables-outdated"}
    assert len(changed["enumerator-value-changed"]) == 5
    values = {f.name: (f.old, f.new) for f in changed["enumerator-value-changed"]}
    assert values["CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR"] == (40, 38)
    assert "enumerator-value-changed" not in between("9.9.0", "9.10.1")


def test_9_5_moves_one_attribute() -> None:
    (changed,) = between("9.4.0", "9.5.0")["enumerator-value-changed"]
    assert (changed.old, changed.new) == (2400, 2401)


def test_9_8_removes_one_enumerator() -> None:
    (gone,) = between("9.7.1", "9.8.0")["enumerator-removed"]
    assert gone.name == "CUDNN_ATTR_OPERATION_BLOCK_SCALE_QUANTIZE_DENOM_FACTOR_MODE"


def test_9_28_grows_a_struct() -> None:
    found = between("9.27.0", "9.28.0")
    (grown,), (member,) = found["record-size-changed"], found["field-added"]
    assert (grown.name, grown.old, grown.new) == ("cudnnGnnCscGraph_t", 64, 72)
    assert (member.owner, member.name) == ("cudnnGnnCscGraph_t", "cscRevOffsets")


@pytest.mark.parametrize(
    ("release", "count"),
    [("9.5.0", 2), ("9.22.0", 3), ("9.23.0", 1), ("9.24.0", 4), ("9.26.0", 7), ("9.28.0", 4)],
)
def test_functions_added_since_9_0(release: str, count: int) -> None:
    models = store()
    versions = [each.version for each in models.releases()]
    before = versions[versions.index(release) - 1]
    assert len(between(before, release)["func-added"]) == count


def test_no_release_on_the_index_changed_a_signature() -> None:
    models = list(store().apis())
    changed = {
        finding.rule
        for old, new in pairwise(models)
        for finding in compare(old, new)
        if finding.rule.startswith(("func-param-", "func-params-", "func-result-"))
    }
    assert changed == {"func-param-renamed"}


def unbalanced(pairs: Iterable[tuple[Api, Api]]) -> list[tuple[str, str]]:
    """Return the pairs of releases where one direction removes what the other does not add."""

    def names(old: Api, new: Api, *endings: str) -> set[str]:
        return {f.name for f in compare(old, new) if f.rule.endswith(endings)}

    return [
        (old.release, new.release)
        for old, new in pairs
        if names(old, new, "-removed", "enumerator-renamed") != names(new, old, "-added")
    ]


def test_what_one_direction_removes_the_other_adds() -> None:
    """In every step, and over the longest way."""
    apis = list(store().apis())
    assert unbalanced([*pairwise(apis), (apis[0], apis[-1])]) == []


@pytest.mark.slow
def test_what_one_direction_removes_the_other_adds_between_any_two() -> None:
    assert unbalanced(combinations(store().apis(), 2)) == []
