"""The code in the documents for users runs as it stands; what needs a GPU is run by tests/gpu."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from cudnn_cffi import errors
from cudnn_cffi.driver import CudaStatus

ROOT = Path(__file__).parents[1]


_DOCUMENTS = (
    "README.md",
    "docs/concepts.md",
    "docs/errata.md",
    "docs/model.md",
    "docs/overlay.md",
    "docs/tutorial.md",
    "reference/guide/index.md",
)


def snippets() -> list[tuple[str, str]]:
    found = []
    for name in _DOCUMENTS:
        text = (ROOT / name).read_text(encoding="utf-8")
        found += [(name, each) for each in re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)]
    return found


def needs_gpu(code: str) -> bool:
    return any(each in code for each in ("cudnn.Handle(", "import torch", ".build()"))


@pytest.mark.parametrize(("name", "code"), [each for each in snippets() if not needs_gpu(each[1])])
def test_a_snippet_runs(cudnn: Any, name: str, code: str) -> None:
    load = f"import cudnn_cffi; cudnn_cffi.load({str(cudnn.load().path)!r})\n"
    done = subprocess.run(
        [sys.executable, "-c", load + code], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, name + done.stderr
    assert not done.stderr, name + done.stderr
    if name == "README.md":
        assert done.stdout.splitlines() == printed(code), "what stands behind each print"


def printed(code: str) -> list[str]:
    return re.findall(r"^ *print\(.*\)  # (.*)$", code, re.M)


def test_some_of_each_document_runs() -> None:
    assert {name for name, code in snippets() if not needs_gpu(code)} == set(_DOCUMENTS)


def test_commands_are_there_with_their_options() -> None:
    pages = [ROOT / "README.md", ROOT / "SECURITY.md", *sorted((ROOT / "docs").rglob("*.md"))]
    texts = {page.name: page.read_text(encoding="utf-8") for page in pages}
    del texts["design.md"]  # its map has sentences about two commands
    used: dict[str, set[str]] = {}
    for text in texts.values():
        for name, rest in re.findall(r"python -m cudnn_cffi ([a-z]+)([^`\n#]*)", text):
            used.setdefault(name, set()).update(re.findall(r"--[a-z-]+", rest))
    assert len(used) > 10
    for name, options in used.items():
        command = [sys.executable, "-m", "cudnn_cffi", name, "--help"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        assert [each for each in sorted(options) if each not in done.stdout] == [], name


def test_links_of_the_readme_lead_somewhere() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#]+)", text)
    assert len(links) > 15
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_every_command_of_nox_is_listed() -> None:
    sessions = re.findall(
        r"^@nox\.session.*\ndef (\w+?)_?\(", (ROOT / "noxfile.py").read_text(), re.M
    )
    listed = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## Commands")[2]
    assert [name for name in sessions if f"nox -s {name}" not in listed] == []


def test_the_errors_that_the_page_names_are_there() -> None:
    text = (ROOT / "docs/overlay.md").read_text(encoding="utf-8")
    table = text.partition("## Errors")[2].partition("```")[0]
    rows = [line.strip("|").split("|") for line in table.splitlines() if line.startswith("| `")]
    assert len(rows) >= 10
    for names, _, bases in rows:
        for name in re.findall(r"`(\w+)`", names):
            assert name in errors.__all__
            for base in re.findall(r"`(\w+)`", bases):
                assert base in [each.__name__ for each in getattr(errors, name).__mro__]


def test_troubleshooting_has_each_error() -> None:
    text = (ROOT / "docs/troubleshooting.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.*?) \|", text.partition("## Errors by class")[2], re.M)
    found = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    classes = {name for name in errors.__all__ if isinstance(getattr(errors, name), type)}
    assert found == classes - {"CudnnError"}


def test_messages_of_troubleshooting_are_said() -> None:
    """Each text before the first bar of a row is in the sources, where lines may break it."""
    text = (ROOT / "docs/troubleshooting.md").read_text(encoding="utf-8")
    table = text.partition("## Messages")[2].partition("## ")[0]
    messages = re.findall(r"`([^`]+)`", "\n".join(re.findall(r"^\| (`.*?) \|", table, re.M)))
    assert len(messages) >= 9
    sources = (ROOT / "overlay").rglob("*.py")
    said = "".join(re.sub(r'"\s*f?"', "", path.read_text(encoding="utf-8")) for path in sources)
    assert [each for each in messages if each not in said] == []


def test_troubleshooting_has_the_codes_of_cuda() -> None:
    text = (ROOT / "docs/troubleshooting.md").read_text(encoding="utf-8")
    table = text.partition("## CUDA's errors")[2].partition("## ")[0]
    rows = re.findall(r"^\| ([\d, ]+) \| (.*?) \|", table, re.M)
    assert len(rows) >= 10
    for codes, names in rows:
        found = [CudaStatus(int(each)).name for each in codes.split(",")]
        assert found == re.findall(r"`(\w+)`", names)


def test_the_book_has_each_page() -> None:
    """The table of contents of docs/ and that of the site list the same pages."""
    contents = (ROOT / "docs/README.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"\]\(([\w/-]+\.md)", contents)) | {"README.md"}
    there = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    porting = {each for each in there if each.startswith("porting/")}
    assert listed | porting == there
    site = (ROOT / "reference/guide/index.md").read_text(encoding="utf-8")
    assert {f"{each}.md" for each in re.findall(r"^guide/([\w/-]+)$", site, re.M)} == there


def test_pictures_are_shown_in_light_and_dark_and_have_a_text() -> None:
    pages = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs").glob("*.md"))
    pictures = sorted((ROOT / "docs").glob("*.svg"))
    assert len(pictures) >= 5
    for picture in pictures:
        text = picture.read_text(encoding="utf-8")
        assert f"]({picture.name})" in pages, "a page shows it"
        assert "@media (prefers-color-scheme: dark)" in text, picture.name
        assert 'role="img"' in text, picture.name
        assert "<title" in text or "aria-label=" in text, picture.name


@pytest.mark.parametrize("name", ["call.svg", "streams.svg"])
def test_a_drawing_is_as_wide_as_a_telephone(name: str) -> None:
    """So that its letters keep their size there."""
    drawing = ElementTree.parse(ROOT / "docs" / name).getroot()
    assert int(drawing.attrib["width"]) <= 390
    assert drawing.attrib["viewBox"] == f"0 0 {drawing.attrib['width']} {drawing.attrib['height']}"
