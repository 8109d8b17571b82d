"""Files that publishing needs: addresses in the metadata, workflows, forms, a recipe."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
PROJECT = "https://example.org/group/cudnn_cffi"


def absolute(text: str, project: str, version: str) -> str:
    pytest.importorskip("hatchling")
    import hatch_build

    return hatch_build.absolute(text, project, version)


def load(path: Path) -> Any:
    return pytest.importorskip("yaml").safe_load(path.read_text())


def test_links_and_pictures_of_the_description_become_absolute() -> None:
    text = "[![a](b.svg)](c.md#d) [e](https://f) ![g](h/i.png) [j](#k) [`l[m]`](n/o)"
    assert absolute(text, PROJECT, "7.2") == (
        f"[![a]({PROJECT}/raw/v7.2/b.svg)]({PROJECT}/blob/v7.2/c.md#d) [e](https://f) "
        f"![g]({PROJECT}/raw/v7.2/h/i.png) [j](#k) [`l[m]`]({PROJECT}/blob/v7.2/n/o)"
    )
    assert absolute(text, "", "7.2") == text


def test_every_link_of_the_readme_leads_to_a_file_of_the_repository() -> None:
    text = absolute((ROOT / "README.md").read_text(), PROJECT, "7.2")
    targets = re.findall(r"\]\(([^)]+)\)", text)
    ours = [each for each in targets if each.startswith(PROJECT)]
    assert len(ours) > 20
    assert not [each for each in targets if not re.match(r"https?:|#", each)]
    for each in ours:
        name = re.sub(rf"^{PROJECT}/(?:blob|raw)/v7\.2/", "", each).partition("#")[0]
        assert (ROOT / name).exists(), each


def sessions() -> set[str]:
    """The names of nox's sessions."""
    found = set()
    for node in ast.parse((ROOT / "noxfile.py").read_text()).body:
        if isinstance(node, ast.FunctionDef) and node.decorator_list:
            found.add(node.name.rstrip("_"))
    return found


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_run_sessions_and_scripts_that_are_here(path: Path) -> None:
    text = path.read_text()
    named = re.findall(r"nox -s ([\w-]+)", text)
    assert set(named) <= sessions()
    scripts = re.findall(r"\b(scripts/\w+\.py)", text)
    assert all((ROOT / each).exists() for each in scripts)
    called = re.findall(r"uses: \./(\S+)", text)
    assert all((ROOT / each).exists() for each in called)
    assert named or scripts or called


def test_the_tests_run_on_every_supported_python() -> None:
    text = (ROOT / "pyproject.toml").read_text()
    named = re.findall(r"Programming Language :: Python :: (3\.\d+)", text)
    tested = load(ROOT / ".github/workflows/tests.yml")["jobs"]["tests"]["strategy"]["matrix"]
    assert tested["python"] == named


@pytest.mark.parametrize("path", [each for each in FORMS if each.stem != "config"], ids=str)
def test_forms_ask_for_what_answers_need(path: Path) -> None:
    form = load(path)
    asked = " ".join(
        f"{each['attributes'].get('label')} {each['attributes'].get('description')}"
        for each in form["body"]
    )
    assert form["name"]
    assert form["description"]
    if path.stem != "release":
        assert "doctor --json" in asked
    if path.stem == "numbers":
        assert "to_json" in asked
