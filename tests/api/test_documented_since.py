"""The models against what the newest headers say about themselves: `@since`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from cudnn_cffi.api import store
from cudnn_cffi.api.diff import Thing, things
from cudnn_cffi.api.model import version_key

#: Where the comment is wrong: each is declared by the release on the left already, as its model
#: shows and as the textual reading of its headers does, one release before the one in the comment.
LATE = {
    "CUDNN_ATTR_ENGINEHEUR_SHARED_MEMORY_LIMIT": ("9.27.0", "9.28.0"),
    "CUDNN_ATTR_ENGINE_SHARED_MEMORY_LIMIT": ("9.27.0", "9.28.0"),
    "CUDNN_ATTR_OPERATION_ROPE_BWD_DXDESC": ("9.24.0", "9.25.0"),
    "CUDNN_ATTR_OPERATION_ROPE_BWD_DYDESC": ("9.24.0", "9.25.0"),
    "CUDNN_ATTR_OPERATION_ROPE_BWD_FREQSDESC": ("9.24.0", "9.25.0"),
    "CUDNN_ATTR_OPERATION_ROPE_BWD_OUTPUT_SCALE": ("9.24.0", "9.25.0"),
    "CUDNN_ATTR_OPERATION_ROPE_BWD_ROPE_DIM": ("9.24.0", "9.25.0"),
    "CUDNN_ATTR_OPERATION_SDPA_FWD_UNFUSE_FMA": ("9.21.0", "9.22.0"),
    "CUDNN_BACKEND_OPERATION_ROPE_BWD_DESCRIPTOR": ("9.24.0", "9.25.0"),
}

#: Where the comment speaks of something else: there since 8.5.0, deprecated until 9.6.0.
REVIVED = {"CUDNN_KNOB_TYPE_IDX_MODE": ("8.5.0", "9.7.0")}

#: "9.0.0" stands for that and everything before it.
BEGINNING = "9.0.0"


@pytest.fixture(scope="module")
def seen() -> dict[str, str]:
    """The first release with each name of a function or enumerator."""
    models = store()
    releases = models.releases()
    by_api = {name: things(models.api(name)) for name in {r.api for r in releases}}
    first: dict[str, str] = {}
    for release in releases:
        for name, thing in by_api[release.api].items():
            if thing.kind in ("function", "enumerator"):
                first.setdefault(name, release.version)
    return first


@pytest.fixture(scope="module")
def newest() -> Mapping[str, Thing]:
    models = store()
    return things(models.api("9.28.0"))


def documented(name: str, newest: Mapping[str, Thing], seen: dict[str, str]) -> str | None:
    """The comment of a name, or that of its enumeration if both are of one release."""
    thing = newest[name]
    since: str | None = thing.entity.documented_since
    if since is None and thing.owner is not None:
        enum: Any = newest[thing.owner].entity
        if all(seen[member.name] == seen[name] for member in enum.enumerators):
            since = enum.documented_since
    return since


def test_what_came_after_9_0_is_first_seen_when_the_headers_say(
    newest: Mapping[str, Thing], seen: dict[str, str]
) -> None:
    agreeing, differing, silent = 0, {}, []
    for name, thing in newest.items():
        if thing.kind in ("function", "enumerator") and version_key(seen[name]) > (9, 0, 0):
            since = documented(name, newest, seen)
            if since is None:
                silent.append(name)
            elif since == seen[name]:
                agreeing += 1
            else:
                differing[name] = (seen[name], since)
    assert differing == LATE
    assert agreeing > 230
    assert len(silent) == 21, silent  # no comment, or none with a release


def test_what_was_there_before_is_said_to_be_from_the_beginning(
    newest: Mapping[str, Thing], seen: dict[str, str]
) -> None:
    differing = {}
    for name, thing in newest.items():
        if thing.kind in ("function", "enumerator") and version_key(seen[name]) <= (9, 0, 0):
            since = documented(name, newest, seen)
            if since not in (None, BEGINNING):
                differing[name] = (seen[name], since)
    assert differing == REVIVED


@pytest.mark.parametrize("name", LATE)
def test_a_late_comment_names_a_release_that_had_the_name_already(
    name: str, seen: dict[str, str]
) -> None:
    first, comment = LATE[name]
    models = store()
    apis = {release.version: release.api for release in models.releases()}
    assert name in things(models.api(apis[first]))
    assert seen[name] == first
    assert version_key(comment) > version_key(first)
