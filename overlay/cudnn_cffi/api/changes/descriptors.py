"""Changes of backend attributes and of the schema of their descriptors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..model import BackendAttribute
from .finding import Finding


def attributes(
    old: Sequence[BackendAttribute], new: Sequence[BackendAttribute]
) -> Iterator[Finding]:
    """Yield attributes that are gone or new, and changes of their schema."""
    after = {attribute.name: attribute for attribute in new}
    yield from _required_anew(old, new)
    for was in old:
        now = after.get(was.name)
        if now is None:
            continue  # its enumerator is gone too, or nobody knows its type there
        yield from _schema(was, now)
        if was.owner != now.owner:
            yield Finding(
                "attribute-owner-changed", was.name, "attribute", None, was.owner, now.owner
            )
        if was.types and now.types and set(was.types) != set(now.types):
            wider = set(was.types) < set(now.types)
            rule = "attribute-type-added" if wider else "attribute-type-changed"
            before, after_ = " or ".join(sorted(was.types)), " or ".join(sorted(now.types))
            yield Finding(rule, was.name, "attribute", was.owner, before, after_)
        lost = [
            word
            for word in ("readable", "writable")
            if getattr(was, word) and getattr(now, word) is False
        ]
        if lost:
            words = " and ".join(lost)
            yield Finding(
                "attribute-access-changed", was.name, "attribute", was.owner, words, f"not {words}"
            )


def _required_anew(
    old: Sequence[BackendAttribute], new: Sequence[BackendAttribute]
) -> Iterator[Finding]:
    """Yield new attributes that a descriptor of an old type cannot do without."""
    before = {attribute.name for attribute in old}
    owners = {attribute.owner for attribute in old}
    for now in new:
        if now.name not in before and now.owner in owners and _told(now) and _required(now):
            yield Finding("attribute-added-required", now.name, "attribute", now.owner, None, "new")


def _schema(was: BackendAttribute, now: BackendAttribute) -> Iterator[Finding]:
    """Yield what differs where the libraries of both releases told it themselves."""

    def finding(rule: str, before: object, after: object) -> Finding:
        return Finding(rule, was.name, "attribute", was.owner, str(before), str(after))

    if not (_told(was) and _told(now)):
        return
    if _required(now) and _dispensable(was):
        yield finding("attribute-now-required", was.needed, "required")
    elif now.required_in and _dispensable(was) and not was.required_in:
        modes = "; ".join(" and ".join(mode) for mode in now.required_in)
        yield finding("attribute-now-required", was.needed, f"required with {modes}")
    if _required(was) and _dispensable(now):
        yield finding("attribute-not-required", "required", now.needed)
    if None not in (was.default, now.default) and was.default != now.default:
        yield finding("attribute-default-changed", was.default, now.default)
    if was.target and now.target and was.target != now.target:
        yield finding("attribute-target-changed", was.target, now.target)
    if was.count and now.count and (was.count != now.count or (was.most and now.most)):
        before, after = _room(was), _room(now)
        if before != after:
            rule = "attribute-count-raised" if before < after else "attribute-count-lowered"
            yield finding(rule, _elements(was), _elements(now))


def _told(attribute: BackendAttribute) -> bool:
    """Return whether a library of a release with this API was asked."""
    return attribute.told_by is not None and attribute.told_by.startswith("probe")


def _required(attribute: BackendAttribute) -> bool:
    return "required" in (attribute.needed, attribute.needed_in_graph)


def _dispensable(attribute: BackendAttribute) -> bool:
    """Return whether a descriptor is valid without it, whatever else is set."""
    needs = {attribute.needed, attribute.needed_in_graph or attribute.needed}
    return needs <= {"optional", "unchecked"}


def _room(attribute: BackendAttribute) -> tuple[bool, int]:
    """Something that is larger for an attribute that takes more elements."""
    return attribute.count == "many", attribute.most or 0


def _elements(attribute: BackendAttribute) -> str:
    if attribute.count == "one":
        return "one element"
    return "many elements" if attribute.most is None else f"at most {attribute.most} elements"
