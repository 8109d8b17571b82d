"""Sentences that several formats share."""

from __future__ import annotations

from ..report import Item, Report
from ..rules import AXES, RULES, SEVERITIES, Axis


def heading(report: Report) -> str:
    return f"cuDNN {report.old.label} -> {report.new.label}"


_MAIN = ("functions", "enums", "enumerators", "structs")


def compared(report: Report, briefly: bool = False) -> str:
    """How much was compared, so that an empty report can be told from a failed one."""
    parts = [
        f"{old} {_some(old, what)}" if old == new else f"{old} -> {new} {what}"
        for what, (old, new) in report.compared.items()
        if (old or new) and (what in _MAIN or not briefly)
    ]
    return "compared " + ", ".join(parts)


def _some(count: int, what: str) -> str:
    return what.removesuffix("s") if count == 1 else what


def nothing(report: Report) -> str:
    """What to say where there is no finding."""
    if report.old.build == report.new.build and not report.old.headers:
        return "the same release"
    if report.uses is not None:
        return "nothing that this code uses has changed"
    if report.same_api:
        return f"the two releases share one API, first seen in {report.old.api}"
    return "no difference" if len(report.axes) == 3 else f"no difference for {axes(report)}"


def axes(report: Report) -> str:
    return " ".join(report.axes)


def summary(report: Report) -> str:
    counts = [f"{getattr(report.summary, severity)} {severity}" for severity in SEVERITIES]
    return ", ".join([*counts, f"{report.summary.suppressed} suppressed"])


def scanned(report: Report) -> str:
    scan = report.uses
    if scan is None:
        return ""
    files, names = _some(scan.files, "files"), _some(scan.names, "names")
    return f"{scan.using} of {scan.files} {files} with {scan.names} {names} of cuDNN's"


def worst_axes(*items: Item) -> tuple[Axis, ...]:
    """Where a finding is as severe as its severity says; elsewhere it is milder."""
    return tuple(a for a in AXES if any(item.axes.get(a) == item.severity for item in items))


def message(item: Item) -> str:
    """One sentence about one finding, understood without the others."""
    parts = [f"{item.subject}: {RULES[item.rule].one}"]
    if item.change:
        parts.append(f", {item.change}")
    parts.append(f". {RULES[item.rule].reason} {advice(item)}")
    return "".join(parts)


def event(item: Item) -> str:
    """The finding in the history of its name."""
    words = item.rule.split("-")[1:] if "-" in item.rule else [item.rule]
    text = " ".join(words)
    if item.change:
        text += f" {item.change}"
    if item.successor:
        text += f"; use {item.successor.name} ({item.successor.evidence})"
    return text


def advice(item: Item) -> str:
    if item.successor:
        return f"Use {item.successor.name} ({item.successor.evidence})."
    return RULES[item.rule].advice
