"""Pages of the site say what the models say; Python on them parses."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest
from cudnn_cffi.api import history, store

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages; written by another process, since they hand out names before a library is there."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "reference", "--pages", str(folder)]
    subprocess.run(command, check=True, cwd=ROOT, capture_output=True, timeout=300)
    return folder / "source"


def test_every_name_release_and_descriptor_type_has_a_page(source: Path) -> None:
    everything = history.everything()
    names = {each.name for each in everything.names}
    assert {path.stem for path in (source / "names").glob("*.md")} - {"index"} >= {
        name for name in names if "." not in name
    }
    releases = {path.name[:-3] for path in (source / "releases").glob("*.md")} - {"index"}
    assert releases == {each.version for each in everything.releases}
    owners = {a.owner for api in store().apis() for a in api.attributes}
    assert {path.stem for path in (source / "descriptors").glob("*.md")} - {"index"} == owners


def test_a_function(source: Path) -> None:
    text = (source / "names" / "cudnnSetTensor4dDescriptor.md").read_text()
    assert "declared in `cudnn_ops.h`, in the library `libcudnn_ops`" in text
    assert "| 8.5.0 to 9.28.0 |" in text
    assert "cudnn.cudnnSetTensor4dDescriptor(tensorDesc, format, dataType, n, c, h, w)" in text
    gone = (source / "names" / "cudnnSetRNNDescriptor_v6.md").read_text()
    assert "Use `cudnnSetRNNDescriptor_v8`" in gone
    assert "| 9.0.0 to 9.28.0 | not there |" in gone


def test_a_release_has_its_date_and_files(source: Path) -> None:
    release = next(r for r in store().releases() if r.version == "9.10.1")
    text = (source / "releases" / "9.10.1.md").read_text()
    assert f"| first wheel | {release.date} |" in text
    assert "| `cudnnGetVersion` returns | 91001 |" in text
    assert "`libcudnn_graph.so.9`" in text
    assert "CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR" in text, "what changed since 9.10.0"


def test_all_removed_and_deprecated_functions_have_an_answer(source: Path) -> None:
    text = (source / "upgrade" / "8-to-9.md").read_text()
    sections = re.split(r"^### ", text.partition("## Removed")[2], flags=re.M)[1:]
    named: set[str] = set()
    for section in sections:
        section = section.partition("\n## ")[0]
        named |= set(re.findall(r"`(cudnn\w+)`", section.splitlines()[2]))
        answered = "```python" in section and "```c" in section
        assert answered or "**No replacement.**" in section, section
    apis = list(store().apis())
    newest = {function.name: function for function in apis[-1].functions}
    gone = {function.name for api in apis for function in api.functions} - newest.keys()
    going = {name for name, function in newest.items() if function.deprecated}
    assert named == gone | going
    assert len(gone) >= 55, "the functions that 9.0 removed are no more in any later release"


def test_python_on_pages_parses(source: Path) -> None:
    found = 0
    for path in [*(source / "names").glob("*.md"), source / "upgrade" / "8-to-9.md"]:
        for block in re.findall(r"```python\n(.*?)```", path.read_text(), re.S):
            ast.parse(block)
            found += 1
    assert found > 200
