"""Versions of the site beside each other, sources of pages, and pages of examples."""

from __future__ import annotations

import json
import re
import runpy
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from reference import stand_in
from reference.entries import programs
from reference.site import versions
from scripts import record_examples
from scripts.run_notebook import cells

ROOT = Path(__file__).resolve().parents[2]
PROJECT = "https://example.org/group/project"


def site(html: Path, version: str, *pages: str) -> None:
    for page in pages:
        path = html / version / page
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("<html></html>")
    versions.list_pages(html / version)


def test_a_site_lists_its_pages(tmp_path: Path) -> None:
    site(tmp_path, "0.2.0", "index.html", "guide/install.html")
    text = (tmp_path / "0.2.0" / "pages.js").read_text()
    name, listed = text.rstrip(";\n").split(" = ")
    assert (name, json.loads(listed)) == ("sitePages", ["guide/install.html", "index.html"])


def test_versions_are_those_that_are_there_the_newest_first(tmp_path: Path) -> None:
    for each in ("0.2.0", "0.10.0", "0.11.0rc1"):
        site(tmp_path, each, "index.html")
    (tmp_path / "pictures").mkdir()
    (tmp_path / "0.9.0").mkdir()  # has no pages
    wanted = ["0.11.0rc1", "0.10.0", "0.2.0"]
    assert versions.write(tmp_path) == wanted
    assert json.loads((tmp_path / "versions.json").read_text()) == {"versions": wanted}
    script = (tmp_path / "versions.js").read_text()
    assert script == f"siteVersions = {json.dumps(wanted)};\n"
    start = (tmp_path / "index.html").read_text()
    assert "url=0.10.0/index.html" in start, "a pre-release is not what a stranger reads"


def test_a_folder_without_sites_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="expected a folder with sites"):
        versions.write(tmp_path)


SOURCES = {
    "index": "reference/guide/index.md",
    "guide/install": "docs/install.md",
    "guide/porting/cupy": "docs/porting/cupy.md",
    "upgrade/upgrading": "reference/guide/upgrade/upgrading.md",
    "upgrade/8-to-9": "reference/templates/upgrade.md",
    "operations/relu": "overlay/cudnn_cffi/ops/element/activation.py",
    "operations/rnn_backward": "overlay/cudnn_cffi/ops/rnn/backward.py",
    "nodes/attention": "overlay/cudnn_cffi/graph/methods/attention.py",
    "modules/LSTM": "overlay/cudnn_cffi/torch/modules/recurrent.py",
    "functional/conv2d": "overlay/cudnn_cffi/torch/functional/conv/convolution.py",
    "names/cudnnCreate": "reference/templates/name.md",
    "releases/index": "reference/templates/releases.md",
    "matrix": "reference/templates/matrix.md",
    "examples/first_steps": "examples/first_steps.ipynb",
    "examples/index": "reference/entries/programs.py",
    "python/ops": "reference/python.py",
    "genindex": "",
    "search": "",
}


@pytest.fixture(scope="module", autouse=True)
def _pretended() -> Iterator[None]:
    with stand_in.installed():
        yield


@pytest.fixture(scope="module")
def sources() -> Any:
    from reference.site import sources

    return sources


@pytest.mark.parametrize("page", SOURCES)
def test_a_page_names_its_source(sources: Any, page: str) -> None:
    assert sources.source_of(page) == SOURCES[page]
    assert not SOURCES[page] or (ROOT / SOURCES[page]).is_file()


@pytest.mark.parametrize("project", ["", PROJECT])
def test_links_to_source_and_editor_follow_from_the_address(sources: Any, project: str) -> None:
    app = SimpleNamespace(config=SimpleNamespace(html_context={"project_address": project}))
    context: dict[str, Any] = {}
    sources.link_source(app, "guide/install", "page.html", context, None)
    expected = {
        "source_address": f"{PROJECT}/blob/main/docs/install.md",
        "edit_address": f"{PROJECT}/edit/main/docs/install.md",
    }
    assert context == (expected if project else {})


def test_settings_of_sphinx_follow_from_the_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sphinx")
    pytest.importorskip("hatchling")
    import hatch_build

    places = {"project": PROJECT, "site": "https://example.org/site"}
    monkeypatch.setattr(hatch_build, "addresses", lambda _: places)
    made = runpy.run_path(str(ROOT / "reference" / "conf.py"))
    assert made["html_context"] == {"project_address": PROJECT}
    assert made["html_baseurl"] == f"https://example.org/site/{made['version']}/"
    page = ['pip install ".[cu13]"']
    made["publish"](None, "guide/install", page)
    assert page == ['pip install "cudnn-cffi[cu13]"']
    places.update(project="", site="")
    assert runpy.run_path(str(ROOT / "reference" / "conf.py"))["html_baseurl"] == ""


def test_every_example_has_a_page_with_its_code() -> None:
    made = dict(programs.pages())
    for name, path in record_examples.examples().items():
        text = made[f"examples/{name}.md"]
        assert f"({name}.md)" in made["examples/index.md"]
        if path.suffix == ".py":
            assert path.read_text().rstrip() in text
        else:
            for kind, code in cells(path):
                assert code in text or kind == "markdown"
        assert re.search(r"a run on: .+cuDNN|No run of this program is recorded", text), name


def test_outputs_are_of_the_code_that_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A record of other code is none."""
    program, record = tmp_path / "one.py", tmp_path / "outputs.json"
    program.write_text('"""Say it."""\nprint("said")\n')
    monkeypatch.setattr(record_examples, "FOLDER", tmp_path)
    run = record_examples.Run("a machine", record_examples.fingerprint(program), ["said\n"])
    record.write_text(json.dumps({"one": run._asdict(), "gone": run._asdict()}))
    assert record_examples.recorded(record) == {"one": run}
    program.write_text('"""Say it."""\nprint("something else")\n')
    assert record_examples.recorded(record) == {}


def test_a_run_is_recorded_as_far_as_it_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record_examples, "machine", lambda: "here")
    codes = ["a = 1\nprint(a)", "b = a", 'raise SystemExit("the rest needs a GPU")', "print(b)"]
    listed = [{"cell_type": "code", "source": [code]} for code in codes]
    notebook = tmp_path / "some.ipynb"
    notebook.write_text(json.dumps({"cells": listed}))
    run = record_examples.run(notebook)
    assert run is not None
    assert run.outputs == ["1\n", "", None, None]
    shown = "class Table:\n    def _repr_html_(self):\n        return '<table>a</table>'\n"
    listed = [{"cell_type": "code", "source": [shown, "print(1)\n", "Table()"]}]
    notebook.write_text(json.dumps({"cells": listed}))
    run = record_examples.run(notebook)
    assert run is not None
    assert run.outputs == ["1\n<table>a</table>"]
    program = tmp_path / "some.py"
    program.write_text("print(2)")
    run = record_examples.run(program)
    assert run is not None
    assert (run.machine, run.outputs) == ("here", ["2\n"])
    program.write_text('raise SystemExit("this example needs a GPU")')
    assert record_examples.run(program) is None
    program.write_text("1 / 0")
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        record_examples.run(program)


@pytest.mark.parametrize(
    ("kind", "signature", "shown"),
    [
        ("exception", "(message, hint='')", ("", "")),
        ("exception", None, None),  # of an error of Python's; Sphinx has no place for an answer
        ("class", "(*_: object)", ("", "")),
        ("function", "(x, w)", None),
    ],
)
def test_arguments_that_pages_leave_out(kind: str, signature: str | None, shown: Any) -> None:
    assert stand_in.hide_signature(None, kind, "name", object(), None, signature, "") == shown
