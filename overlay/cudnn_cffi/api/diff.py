"""Compare two APIs: differences as findings, which `rules` judges, and the report on them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from .changes import declarations
from .changes.descriptors import attributes
from .changes.finding import UNDECLARED as UNDECLARED
from .changes.finding import Finding as Finding
from .changes.finding import Thing as Thing
from .changes.finding import Value as Value
from .changes.finding import both
from .changes.finding import tags as tags
from .changes.finding import things as things
from .changes.headers import header_reach as header_reach
from .changes.headers import headers, libraries
from .changes.headers import library as library
from .changes.headers import undeclared as undeclared
from .changes.names import Advice, added, changed, gone
from .model import Api
from .names.place import Place
from .records import SCHEMA, FailOn, Item, Report, Scan, Side, Summary, Suppression
from .rules import AXES, RULES, SEVERITIES, Axis, Severity

#: Rules whose changes make the tables of one release wrong for the other.
_TABLES = frozenset(
    [
        "enumerator-value-changed",
        "field-moved",
        "field-type-changed",
        "flag-value-changed",
        "record-size-changed",
        "typedef-changed",
    ]
)


def compare(old: Api, new: Api) -> tuple[Finding, ...]:
    """Every difference that a program can depend on, in the order of the rules, then by name."""
    before, after = both(old, new)
    advice = _advice()
    findings = [
        *gone(old, before, after, advice),
        *added(before, after),
        *changed(new, before, after, advice),
        *declarations.changed(before, after),
        *declarations.inner(old, new),
        *headers(old, new, before, after),
        *libraries(old, new),
        *attributes(old.attributes, new.attributes),
    ]
    if any(finding.rule in _TABLES for finding in findings):
        module = f"cudnn_cffi.v{old.release.replace('.', '_')}"
        findings.append(Finding("tables-outdated", module, "module"))
    order = {rule: position for position, rule in enumerate(RULES)}
    return tuple(sorted(findings, key=lambda f: (order[f.rule], f.name, f.owner or "")))


def _advice() -> Advice:
    from . import ModelError, store

    try:
        return store().advice()
    except ModelError:
        return {}  # two folders of headers can be compared without any model


def judge(findings: Iterable[Finding], axes: Sequence[Axis] = AXES) -> tuple[Item, ...]:
    """Return the findings that mean something on `axes`, worst first."""
    items = []
    for finding in findings:
        item = judged(finding, axes)
        if item is not None:
            items.append(item)
    return tuple(sorted(items, key=lambda item: SEVERITIES.index(item.severity)))


def judged(finding: Finding, axes: Sequence[Axis], places: tuple[Place, ...] = ()) -> Item | None:
    """Judge a finding on the axes; None if it matters on none."""
    rule = RULES[finding.rule]
    on: dict[Axis, Severity] = {axis: getattr(rule, axis) for axis in axes if getattr(rule, axis)}
    if not on:
        return None
    return Item(
        rule=finding.rule,
        severity=min(on.values(), key=SEVERITIES.index),
        axes=on,
        name=finding.name,
        kind=finding.kind,
        owner=finding.owner,
        old=finding.old,
        new=finding.new,
        note=finding.note,
        successor=finding.successor,
        places=places,
    )


_COUNTED = {
    "functions": ("function",),
    "enums": ("enumeration",),
    "enumerators": ("enumerator",),
    "constants": ("constant", "flag"),
    "macros": ("macro",),
    "structs": ("struct",),
    "object types": ("object type",),
    "callbacks": ("callback",),
    "typedefs": ("typedef",),
    "version macros": ("version macro",),
}


def counted(old: Api, new: Api) -> dict[str, tuple[int, int]]:
    """Return how many of each kind the two have."""

    def counts(api: Api) -> dict[str, int]:
        kinds = Counter(thing.kind for thing in things(api).values())
        found = {what: sum(kinds[kind] for kind in those) for what, those in _COUNTED.items()}
        found["parameters"] = sum(len(function.parameters) for function in api.functions)
        found["headers"] = len(api.headers)
        found["backend attributes"] = len(api.attributes)
        return found

    before, after = counts(old), counts(new)
    if old.libraries and new.libraries:
        before["libraries"], after["libraries"] = len(old.libraries), len(new.libraries)
    return {key: (before[key], after[key]) for key in before}


def build(
    old: tuple[Side, Api],
    new: tuple[Side, Api],
    *,
    axes: tuple[Axis, ...] = AXES,
    fail_on: FailOn = "breaking",
    suppressions: Sequence[Suppression] = (),
    items: tuple[Item, ...] | None = None,
    scan: Scan | None = None,
) -> Report:
    """Return the report on two APIs; `items` are the findings, if not all are wanted."""
    if items is None:
        items = judge(compare(old[1], new[1]), axes)
    used: set[Suppression] = set()
    accepted = []
    for item in items:
        entries = [s for s in suppressions if s.covers(item.rule, item.names)]
        if entries:
            used.update(entries)
            item = msgspec.structs.replace(item, suppressed=entries[0].reason)
        accepted.append(item)
    open_ = [item for item in accepted if item.suppressed is None]
    counts = {s: sum(item.severity == s for item in open_) for s in SEVERITIES}
    failing = () if fail_on == "never" else SEVERITIES[: SEVERITIES.index(fail_on) + 1]
    return Report(
        schema=SCHEMA,
        tool=_tool(),
        old=old[0],
        new=new[0],
        compared=counted(old[1], new[1]),
        axes=axes,
        fail_on=fail_on,
        findings=tuple(accepted),
        summary=Summary(**counts, suppressed=len(accepted) - len(open_)),
        exit=1 if any(counts[severity] for severity in failing) else 0,
        notes=_notes(old, new),
        unused_suppressions=tuple(s for s in suppressions if s not in used),
        uses=scan,
    )


def _tool() -> str:
    from cudnn_cffi._version import __version__

    return f"cudnn_cffi {__version__}"


def _notes(old: tuple[Side, Api], new: tuple[Side, Api]) -> tuple[str, ...]:
    notes = []
    for section, what in (
        ("attributes", "types of backend attributes are"),
        ("libraries", "library files are"),
    ):
        without = [side.label for side, api in (old, new) if not getattr(api, section)]
        if without:
            notes.append(f"{what} not known for {' and '.join(without)}")
    notes += [f"{side.label}: {remark}" for side, _ in (old, new) for remark in side.remarks]
    return tuple(notes)
