"""From findings to a verdict: severity on the chosen axes, what is accepted, the exit status."""

from __future__ import annotations

from pathlib import Path

import pytest
from cudnn_cffi.api.errors import CannotCompareError
from cudnn_cffi.api.inputs.suppress import Suppression, read
from cudnn_cffi.api.model import Api
from cudnn_cffi.api.report import Report, Side, build
from cudnn_cffi.api.rules import RULES, SEVERITIES, Axis, Rule

from tests.api.models import api, enum, enums, function, functions, parameter

OLD = api("9.10.0", functions=(function("cudnnF"),), enums=(enum(A=1, COUNT=2),))
NEW = api("9.10.1", functions=(function("cudnnG"),), enums=(enum(A=2, B=1, COUNT=3),))


def report(old: Api = OLD, new: Api = NEW, **options: object) -> Report:
    def side(each: Api) -> tuple[Side, Api]:
        return Side(each.release, each.release + ".1", each.release), each

    return build(side(old), side(new), **options)  # type: ignore[arg-type]


def rules(result: Report) -> list[str]:
    return [item.rule for item in result.findings]


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_a_rule_means_something_and_says_what_to_do(rule: Rule) -> None:
    assert rule.severity() in SEVERITIES
    assert rule.reason.endswith(".")
    assert rule.advice.endswith(".")
    assert rule.title[0].isupper()
    assert not rule.title.endswith(".")


def test_a_renumbered_enumerator_breaks_the_abi_and_not_the_source() -> None:
    rule = RULES["enumerator-value-changed"]
    assert (rule.abi, rule.source, rule.python) == ("breaking", "info", "info")


def test_a_removed_function_breaks_all() -> None:
    rule = RULES["func-removed"]
    assert {rule.abi, rule.source, rule.python} == {"breaking"}


def test_a_moved_sentinel_is_a_risk() -> None:
    assert RULES["enum-sentinel-moved"].severity() == "risk"


def test_another_keyword_breaks_python_only() -> None:
    rule = RULES["func-keyword-changed"]
    assert (rule.abi, rule.source, rule.python) == (None, None, "breaking")


def test_the_worst_comes_first() -> None:
    order = [SEVERITIES.index(item.severity) for item in report().findings]
    assert order == sorted(order)
    assert set(rules(report())) == {
        "func-removed",
        "func-added",
        "enumerator-value-changed",
        "enum-sentinel-moved",
        "enumerator-added",
        "tables-outdated",
    }


def test_it_counts_what_it_compared() -> None:
    compared = report().compared
    assert compared["functions"] == (1, 1)
    assert compared["enumerators"] == (2, 3)


@pytest.mark.parametrize(
    ("axis", "expected"),
    [
        ("abi", {"func-removed", "enumerator-value-changed"}),
        ("source", {"func-removed"}),
        ("python", {"func-removed"}),
    ],
)
def test_what_breaks_depends_on_the_axis(axis: Axis, expected: set[str]) -> None:
    result = report(axes=(axis,))
    assert {i.rule for i in result.findings if i.severity == "breaking"} == expected
    assert all(set(item.axes) == {axis} for item in result.findings)


def test_a_finding_that_no_chosen_axis_knows_is_left_out() -> None:
    old, new = functions(parameter("fMode")), functions(parameter("fwdMode"))
    assert rules(report(old, new)) == ["func-param-renamed"]
    assert rules(report(old, new, axes=("abi",))) == []


@pytest.mark.parametrize(
    ("old", "new", "failing"),
    [
        (enums(A=0), api(), {"breaking", "risk", "added", "info"}),
        (functions(), functions(deprecated=True), {"risk", "added", "info"}),
        (enums(A=0), enums(A=0, B=1), {"added", "info"}),
        (functions(deprecated=True), functions(), {"info"}),
        (enums(A=0), enums(A=0), set()),
    ],
)
def test_the_exit_status_is_1_from_the_limit_up(old: Api, new: Api, failing: set[str]) -> None:
    for limit in (*SEVERITIES, "never"):
        assert report(old, new, fail_on=limit).exit == (limit in failing)


def test_a_suppressed_finding_is_kept_counted_and_does_not_fail() -> None:
    entry = Suppression("we do not call it", rule="func-removed", name="cudnnF")
    result = report(axes=("source",), suppressions=[entry])
    assert result.exit == 0
    assert result.summary.suppressed == 1
    assert [i.suppressed for i in result.findings if i.rule == "func-removed"] == [entry.reason]
    assert result.unused_suppressions == ()


def test_a_suppression_that_nothing_needs_is_reported() -> None:
    entry = Suppression("an old story", rule="func-removed", name="cudnnOther")
    assert report(suppressions=[entry]).unused_suppressions == (entry,)


def test_patterns_cover_names_and_a_member_may_be_called_with_its_owner() -> None:
    old, new = functions(parameter("a")), functions(parameter("b"))
    for name in ("a", "cudnnF(a)", "cudnnF*"):
        result = report(old, new, suppressions=[Suppression("positional", name=name)])
        assert result.summary.suppressed == 1


def test_one_side_without_attributes_is_said() -> None:
    assert report().notes == (
        "types of backend attributes are not known for 9.10.0 and 9.10.1",
        "library files are not known for 9.10.0 and 9.10.1",
    )


def test_a_single_finding_has_a_title_in_the_singular() -> None:
    titles = {rule.id: rule.one for rule in RULES.values()}
    assert titles["func-removed"] == "function removed"
    assert titles["library-renamed"] == "library with another name"
    assert titles["enumerator-renamed"] == "enumerator whose number has a new name"
    assert titles["macro-removed"] == "function-like macro removed"
    assert titles["kind-changed"] == "name of another kind"
    for rule in RULES.values():
        assert rule.one != rule.title[0].lower() + rule.title[1:], rule.id


# Suppression files


def suppressions(tmp_path: Path, text: str) -> tuple[Suppression, ...]:
    path = tmp_path / "accepted.toml"
    path.write_text(text)
    return read(path)


def test_a_suppression_file(tmp_path: Path) -> None:
    text = """
        [[suppress]]
        rule = "enum-*"
        name = "CUDNN_KNOB_*"
        reason = "we size nothing by it"
    """
    entry = Suppression("we size nothing by it", "enum-*", "CUDNN_KNOB_*")
    assert suppressions(tmp_path, text) == (entry,)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('[[suppress]]\nrule = "func-removed"', "missing required field `reason`"),
        ('[[suppress]]\nrule = "func-removed"\nreason = " "', "entry 1 has an empty reason"),
        ('[[suppress]]\nreason = "why not"', "entry 1 would suppress everything"),
        ('[[suppress]]\nrule = "func-gone"\nreason = "x"', "matches no rule"),
        ('[[suppress]]\nrules = "func-removed"\nreason = "x"', "unknown field `rules`"),
        ('[[suppressed]]\nname = "x"\nreason = "x"', "unknown field `suppressed`"),
        ("[[suppress", "not a suppression file"),
        ('[[suppress]]\nname = 3\nreason = "x"', "Expected `str`"),
    ],
)
def test_a_broken_suppression_file_is_refused(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(CannotCompareError, match=r"accepted\.toml") as error:
        suppressions(tmp_path, text)
    assert complaint in str(error.value)
    assert "\n" not in str(error.value)


def test_a_missing_suppression_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CannotCompareError, match="No such file"):
        read(tmp_path / "nowhere.toml")
