"""The files of the models: one history, the releases, and what headers recommend."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from cudnn_cffi.api import model
from cudnn_cffi.api.inputs.store import HISTORY, SAME, History, Life, Told, encode_history

from .lower.lives import lives


def files(releases: Sequence[model.Release], apis: Mapping[str, model.Api]) -> dict[str, bytes]:
    """Return the files by name."""
    return {
        HISTORY: encode_history(history(list(apis.values()))),
        "releases.json": model.encode_releases(releases),
        "advice.json": model.encode_advice(model.advice(apis.values())),
    }


def history(apis: Sequence[model.Api]) -> History:
    """Return the history of APIs, oldest first."""
    told = {api.release: _told_by(api) for api in apis}
    sections: dict[str, Any] = {
        section: _lives([(api.release, _rows(api, section, told[api.release])) for api in apis])
        for section in model.SECTIONS
    }
    names = dict.fromkeys(enum.name for api in apis for enum in api.enums)
    members = [
        life
        for name in names
        for life in _lives([(api.release, _members(api, name)) for api in apis], name)
    ]
    return History(
        schema=model.SCHEMA,
        apis=tuple(Told(*each) for each in told.items()),
        members=tuple(members),
        **sections,
    )


def _told_by(api: model.Api) -> str | None:
    """Return the `told_by` of most attributes."""
    counts = Counter(each.told_by for each in api.attributes)
    return counts.most_common(1)[0][0] if counts else None


def _rows(api: model.Api, section: str, told_by: str | None) -> dict[str, Any]:
    entities: Iterable[Any] = getattr(api, section)
    if section == "enums":
        entities = (model.replace(each, enumerators=()) for each in entities)
    elif section == "attributes" and told_by is not None:
        entities = (
            model.replace(each, told_by=SAME) if each.told_by == told_by else each
            for each in entities
        )
    return {each.name: each for each in entities}


def _members(api: model.Api, name: str) -> dict[str, Any]:
    return {
        member.name: member
        for enum in api.enums
        if enum.name == name
        for member in enum.enumerators
    }


def _lives(tables: Sequence[tuple[str, Mapping[str, Any]]], of: str = "") -> tuple[Life[Any], ...]:
    return tuple(
        Life(since=life.since, row=life.row, until=life.until, of=of) for life in lives(tables)
    )
