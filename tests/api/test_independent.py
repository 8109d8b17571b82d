"""A second reading of the real headers, as plain text, finds the same changes in every step."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest
from cudnn_cffi.api import store
from cudnn_cffi.api.diff import Finding, compare, things
from cudnn_cffi.api.model import Release

from tests.api.textual import Text, read

pytestmark = pytest.mark.headers

VARIABLE = "CUDNN_CFFI_TEST_HEADERS"

#: Rules that no header's text shows: they follow from the version number, from the place of a
#: declaration (compared below as such), from the library, or from other findings.
DERIVED = {
    "attribute-added-required",
    "attribute-now-required",
    "attribute-not-required",
    "attribute-default-changed",
    "attribute-target-changed",
    "attribute-count-lowered",
    "attribute-count-raised",
    "library-added",
    "library-removed",
    "library-renamed",
    "symbol-moved",
    "tables-outdated",
}

#: The text that shows each rule.
SHOWN = {
    "func-removed": "function removed",
    "func-added": "function added",
    "func-result-changed": "result",
    "func-param-added": "parameters",
    "func-param-removed": "parameters",
    "func-params-reordered": "parameters",
    "func-param-type-changed": "parameters",
    "func-param-const-changed": "parameters",
    "func-param-renamed": "parameters",
    "func-keyword-changed": "parameters",
    "func-deprecated": "deprecated",
    "enum-removed": "enum removed",
    "enum-added": "enum added",
    "enumerator-removed": "enumerator removed",
    "enumerator-renamed": "enumerator removed",
    "enumerator-alias-removed": "enumerator removed",
    "enumerator-added": "enumerator added",
    "enumerator-alias-added": "enumerator added",
    "enumerator-value-changed": "value",
    "enum-sentinel-moved": "value",
    "enumerator-deprecated": "deprecated",
    "constant-removed": "constant removed",
    "constant-added": "constant added",
    "constant-value-changed": "value",
    "flag-removed": "constant removed",
    "flag-added": "constant added",
    "flag-value-changed": "value",
    "version-macro-removed": "version removed",
    "version-macro-added": "version added",
    "version-formula-changed": "version changed",
    "macro-removed": "macro removed",
    "macro-added": "macro added",
    "macro-changed": "macro changed",
    "record-removed": "struct removed",
    "record-added": "struct added",
    "record-size-changed": "members",
    "field-added": "members",
    "field-removed": "members",
    "field-renamed": "members",
    "field-moved": "members",
    "field-type-changed": "members",
    "opaque-removed": "type removed",
    "opaque-added": "type added",
    "opaque-changed": "type changed",
    "callback-removed": "type removed",
    "callback-added": "type added",
    "callback-changed": "type changed",
    "typedef-removed": "type removed",
    "typedef-added": "type added",
    "typedef-changed": "type changed",
    "type-deprecated": "deprecated",
    "name-deprecated-in-comment": "deprecated",
    "deprecation-withdrawn": "deprecation withdrawn",
    "header-removed": "header removed",
    "header-added": "header added",
    "include-insufficient": "include insufficient",
    "declaration-moved": "declaration moved",
}

Change = tuple[str, str]


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Text]:
    """The text of every release's headers, by version."""
    folder = os.environ.get(VARIABLE)
    releases = store().releases()
    if folder:
        places = [Path(folder, release.build) for release in releases]
    else:
        into = tmp_path_factory.mktemp("headers")
        with ThreadPoolExecutor(8) as pool:  # which wait for the index together
            places = list(pool.map(partial(_fetched, into), releases))
    if missing := [str(place) for place in places if not place.is_dir()]:
        pytest.fail(f"{missing[0]}: no such folder; {VARIABLE} must have one for each release")
    return {release.version: read(at) for release, at in zip(releases, places, strict=True)}


def _fetched(into: Path, release: Release) -> Path:
    try:
        from generator.headers import HeaderError, Registry
    except ImportError as error:
        pytest.skip(f"name a folder of headers in {VARIABLE}; to fetch them, {error}")
    try:
        with Registry() as registry:
            headers = registry.fetch(release.build)
    except HeaderError as error:
        pytest.skip(f"name a folder of headers in {VARIABLE}; they cannot be fetched: {error}")
    folder = into / release.build
    folder.mkdir()
    for name, content in headers.files.items():
        (folder / name).write_bytes(content)
    return folder


def _from_models(findings: tuple[Finding, ...]) -> set[Change]:
    owned = {"parameters", "members"}
    changes = set()
    for finding in findings:
        if finding.rule not in DERIVED:
            shown = SHOWN[finding.rule]
            by_owner = shown in owned and finding.owner
            changes.add((shown, str(finding.owner) if by_owner else finding.name))
    return changes


def _from_texts(old: Text, new: Text) -> set[Change]:
    return set(_text_changes(old, new))


def _text_changes(old: Text, new: Text) -> Iterator[Change]:
    for what, before, after in (
        ("function", set(old.functions), set(new.functions)),
        ("enum", old.enums, new.enums),
        ("enumerator", set(old.enumerators), set(new.enumerators)),
        ("constant", set(old.constants), set(new.constants)),
        ("macro", set(old.macros), set(new.macros)),
        ("version", set(old.versions), set(new.versions)),
        ("struct", set(old.structs), set(new.structs)),
        ("type", set(old.types), set(new.types)),
        ("header", set(old.includes), set(new.includes)),
    ):
        yield from ((f"{what} removed", name) for name in before - after)
        yield from ((f"{what} added", name) for name in after - before)
    for name in old.functions.keys() & new.functions.keys():
        (result, parameters), (result2, parameters2) = old.functions[name], new.functions[name]
        if result != result2:
            yield "result", name
        if parameters != parameters2:
            yield "parameters", name
    old_values, new_values = (
        {n: v for n, (_, v) in text.enumerators.items()} | text.constants for text in (old, new)
    )
    tables: tuple[tuple[str, Mapping[str, object], Mapping[str, object]], ...] = (
        ("value", old_values, new_values),
        ("macro changed", old.macros, new.macros),
        ("version changed", old.versions, new.versions),
        ("members", old.structs, new.structs),
        ("type changed", old.types, new.types),
        ("declaration moved", old.header, new.header),
    )
    for what, table, table2 in tables:
        yield from ((what, n) for n in table.keys() & table2.keys() if table[n] != table2[n])
    before, after = _names(old), _names(new)
    yield from (("deprecated", n) for n in (new.deprecated - old.deprecated) & before)
    yield from (("deprecation withdrawn", n) for n in (old.deprecated - new.deprecated) & after)
    reach, reach2 = _reach(old), _reach(new)
    for header in reach.keys() & reach2.keys():
        lost = [
            name
            for name in old.header.keys() & new.header.keys()
            if old.header[name] in reach[header] and new.header[name] not in reach2[header]
        ]
        if lost:
            yield "include insufficient", header


def _names(text: Text) -> set[str]:
    return {*text.header, *text.enumerators}


def _reach(text: Text) -> dict[str, set[str]]:
    reach = {header: {header, *included} for header, included in text.includes.items()}
    for _ in reach:
        for header, found in reach.items():
            reach[header] = found.union(*(reach.get(name, set()) for name in found))
    return reach


@pytest.mark.slow
def test_every_change_of_every_step_is_found_both_ways(texts: dict[str, Text]) -> None:
    models = store()
    compared: Counter[str] = Counter()
    differing = {}
    for old, new in pairwise(models.releases()):
        by_model = _from_models(compare(models.api(old.api), models.api(new.api)))
        by_text = _from_texts(texts[old.version], texts[new.version])
        compared.update(what for what, _ in by_model & by_text)
        if by_model != by_text:
            differing[f"{old.version} -> {new.version}"] = {
                "only in the models": sorted(by_model - by_text),
                "only in the text": sorted(by_text - by_model),
            }
    assert differing == {}
    assert compared["function removed"] == 55
    assert compared.total() > 1000


def test_both_readings_have_the_same_names_and_values(texts: dict[str, Text]) -> None:
    models = store()
    for release in models.releases():
        found, text = things(models.api(release.api)), texts[release.version]
        named = {
            kinds: {name for name, thing in found.items() if thing.kind in kinds}
            for kinds in (("function",), ("enumeration",), ("constant", "flag"), ("struct",))
        }
        assert list(named.values()) == [
            set(text.functions),
            text.enums,
            set(text.constants),
            set(text.structs),
        ]
        for name, (enum, value) in text.enumerators.items():
            assert (found[name].owner, found[name].entity.value) == (enum, value)
        assert len(text.enumerators) == sum(t.kind == "enumerator" for t in found.values())
