"""Functions that libraries export and no header declares: recorded, compared, and found again."""

from __future__ import annotations

import json
from pathlib import Path

import cudnn_cffi.library.sublibraries as parts
import pytest
from cudnn_cffi.api import history, store
from cudnn_cffi.api.diff import Finding, compare, undeclared
from cudnn_cffi.api.inputs.store import Store
from cudnn_cffi.api.model import Api, Library
from cudnn_cffi.api.uses import minimum

from generator.headers.exports import in_folder
from tests.api.models import api, function


def exporting(*names: str, declared: str = "") -> Api:
    functions = (function(declared),) if declared else ()
    return api(libraries=(Library("libcudnn", names), Library("libcudnn_ops")), functions=functions)


def found(old: Api, new: Api) -> list[tuple[str, str, object, object]]:
    return [(f.rule, f.name, f.old, f.new) for f in undeclared(old, new)]


class TestComparing:
    def test_what_comes_and_goes(self) -> None:
        old, new = exporting("cudnnA", "cudnnB"), exporting("cudnnB", "cudnnC")
        assert found(old, new) == [
            ("undeclared-removed", "cudnnA", "libcudnn", None),
            ("undeclared-added", "cudnnC", None, "libcudnn"),
        ]
        assert Finding("undeclared-removed", "cudnnA", "undeclared function", old="libcudnn") in (
            compare(old, new)
        )

    def test_a_file_that_was_not_read_says_nothing(self) -> None:
        unread = api(libraries=(Library("libcudnn"),))
        assert found(unread, exporting("cudnnA")) == found(exporting("cudnnA"), unread) == []
        assert found(api(), exporting("cudnnA")) == []

    def test_a_declaration_is_a_finding_of_its_own(self) -> None:
        assert found(exporting("cudnnA"), exporting(declared="cudnnA")) == []
        rules = [f.rule for f in compare(exporting("cudnnA"), exporting(declared="cudnnA"))]
        assert rules == ["func-added"]


def test_the_library_that_programs_link_with_was_read_of_every_release() -> None:
    for release in store().releases():
        declared = {each.name for each in store().api(release.api).functions}
        assert "cudnnGetBackdoor" in release.undeclared["libcudnn"]
        for names in release.undeclared.values():
            assert list(names) == sorted(set(names) - declared)


def test_real_libraries_export_what_is_recorded(cudnn_libraries: list[Path]) -> None:
    releases = {release.version: release for release in store().releases()}
    compared = 0
    for path in cudnn_libraries:
        version = parts.version_in(path)
        if version not in releases:
            continue
        recorded = releases[version].undeclared
        declared = {each.name for each in store().api(releases[version].api).functions}
        for library, names in in_folder(path.parent).items():
            there = tuple(sorted(set(names) - declared))
            assert recorded.get(library, ()) == there, (version, library)
            compared += library in recorded
    assert compared


class TestHistory:
    def test_of_one_that_came_and_went(self) -> None:
        (life,) = history.of("cudnnBackendCreateCudaGraph")
        assert (life.kind, life.header) == ("undeclared function", None)
        states = [(span.first, span.last, span.state[:8]) for span in life.spans]
        assert states == [
            ("8.5.0", "9.1.1", "not ther"),
            ("9.2.0", "9.2.1", "exported"),
            ("9.3.0", "9.28.1", "not ther"),
        ]
        assert "libcudnn.so.9, libcudnn_graph.so.9" in life.spans[1].state
        assert [(event.release, event.rule) for event in life.events] == [
            ("9.2.0", "undeclared-added"),
            ("9.3.0", "undeclared-removed"),
        ]

    def test_of_all(self) -> None:
        everything = json.loads(history.all_as_json(history.everything()))
        names = {each["name"]: each for each in everything["names"]}
        assert names["cudnnGetLibConfig"]["kind"] == "undeclared function"
        (release,) = (r for r in everything["releases"] if r["version"] == "9.2.0")
        assert "cudnnUpdateCudaGraph" not in release["undeclared"]["libcudnn.so.9"]
        assert "cudnnBackendUpdateCudaGraph" in release["undeclared"]["libcudnn.so.9"]

    def test_of_files_that_nobody_read(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from cudnn_cffi.api import model

        every = store().releases()
        without = tuple(
            model.replace(each, undeclared={}) if each.version == "9.2.1" else each
            for each in every
        )
        monkeypatch.setattr(Store, "releases", lambda _: without)
        (life,) = history.of("cudnnBackendCreateCudaGraph")
        assert ("9.2.1", "not known") in [(span.first, span.state) for span in life.spans]


def test_a_program_that_declares_one_works_with_releases_that_export_it(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(
        "#include <cudnn.h>\n"
        "extern cudnnStatus_t cudnnBackendCreateCudaGraph(void *, void *, void *);\n"
        "int main(void) { return cudnnBackendCreateCudaGraph(0, 0, 0); }\n"
    )
    answer = minimum.of([str(tmp_path)])
    assert (answer.oldest, answer.newest) == ("9.2.0", "9.2.1")
    lacks = {fit.release: [lack.name for lack in fit.lacks] for fit in answer.fits}
    assert lacks["9.28.0"] == ["cudnnBackendCreateCudaGraph"]
