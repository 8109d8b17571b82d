"""Files that publishing needs: addresses in the metadata, workflows, forms, a recipe."""

from __future__ import annotations

import ast
import re
import shutil
import tomllib
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
    assert len(ours) > 15
    assert not [each for each in targets if not re.match(r"https?:|#", each)]
    for each in ours:
        name = re.sub(rf"^{PROJECT}/(?:blob|raw)/v7\.2/", "", each).partition("#")[0]
        assert (ROOT / name).exists(), each


def test_once_there_is_an_address_pages_install_from_an_index() -> None:
    pytest.importorskip("hatchling")
    import hatch_build

    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    texts = [path.read_text() for path in pages]
    assert [hatch_build.published(text, "") for text in texts] == texts
    made = "".join(hatch_build.published(text, PROJECT) for text in texts)
    assert made.count('pip install "cudnn-cffi[cu13]"') == 4
    assert "`pip install cudnn-cffi` uses a cuDNN that is already installed" in made
    assert "With Python 3.11 or newer:\n" in made
    # Only commands that need a checkout name one.
    left = [line for line in made.splitlines() if '".[' in line or "install ." in line]
    assert not left
    told = [line for line in made.splitlines() if "in a checkout" in line]
    assert len(told) == 2
    assert all("nox" in line or "Generate" in line for line in told)


def copy_with_addresses(folder: Path, project: str, site: str) -> Path:
    """Copy what the metadata are made of, with other addresses."""
    for name in ("pyproject.toml", "README.md", "hatch_build.py", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    version = Path("overlay/cudnn_cffi/_version.py")
    (folder / version).parent.mkdir(parents=True)
    shutil.copy(ROOT / version, folder / version)
    settings = folder / "pyproject.toml"
    text = settings.read_text()
    for name, address in ("project", project), ("site", site):
        text, count = re.subn(rf'^{name} = "[^"]*"$', f'{name} = "{address}"', text, flags=re.M)
        assert count == 1, "the address has one place"
    settings.write_text(text)
    return folder


def test_metadata_follow_from_the_addresses(tmp_path: Path) -> None:
    pytest.importorskip("hatchling")
    from hatchling.metadata.core import ProjectMetadata
    from hatchling.plugin.manager import PluginManager

    site = "https://example.org/site"
    root = copy_with_addresses(tmp_path, PROJECT, f"{site}/")
    core = ProjectMetadata(str(root), PluginManager()).core
    assert core.urls == {
        "Documentation": site,
        "Source": PROJECT,
        "Issues": f"{PROJECT}/issues",
        "Changelog": f"{PROJECT}/blob/main/CHANGELOG.md",
    }
    assert 'pip install "cudnn-cffi[cu13]"' in core.readme
    targets = re.findall(r"\]\(([^)]+)\)", core.readme)
    assert len([each for each in targets if each.startswith(f"{PROJECT}/blob/v")]) > 10
    assert len([each for each in targets if each.startswith(f"{PROJECT}/raw/v")]) >= 2
    assert all(re.match("https?://|#", each) for each in targets)


def test_the_rendered_description_is_whole(tmp_path: Path) -> None:
    """As an index shows it: all links and pictures absolute, no Markdown left over."""
    pytest.importorskip("hatchling")
    markdown = pytest.importorskip("readme_renderer.markdown")
    from hatchling.metadata.core import ProjectMetadata
    from hatchling.plugin.manager import PluginManager

    from scripts.wheel.rendered import faults

    root = copy_with_addresses(tmp_path, PROJECT, "")
    text = ProjectMetadata(str(root), PluginManager()).core.readme
    assert faults(text, markdown.render(text)) == []


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


#: Steps that set up a machine for a session, or move files that one made.
SETUP = (
    r"pip install nox",
    r"apt-get (update|install --yes [\w -]+)",
    r"gh release .*",
    r"tar .*",
)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_steps_are_sessions(path: Path) -> None:
    for name, job in load(path)["jobs"].items():
        for step in job.get("steps", ()):
            for line in step.get("run", "").splitlines():
                session = re.fullmatch(r"nox -s (\w+)(?: -- .*)?", line)
                if session is not None:
                    assert session[1] in sessions(), (name, line)
                else:
                    assert any(re.fullmatch(each, line) for each in SETUP), (name, line)


def test_wheels_are_built_for_both_machines() -> None:
    text = (ROOT / ".github/workflows/wheels.yml").read_text()
    runners = load(ROOT / ".github/workflows/wheels.yml")["jobs"]["wheels"]["strategy"]["matrix"]
    assert {each.endswith("-arm") for each in runners["runner"]} == {True, False}
    assert "nox -s wheel" in text


def test_a_tag_publishes_without_a_secret() -> None:
    """By the identity of the workflow, and only after tests and wheels."""
    release = load(ROOT / ".github/workflows/release.yml")
    publish = release["jobs"]["publish"]
    assert release[True]["push"]["tags"] == ["v*"]  # YAML reads `on` as true
    assert publish["permissions"]["id-token"] == "write"
    assert {"tests", "wheels"} <= set(publish["needs"])
    assert release["jobs"]["docs"] | {"permissions": None} == {
        "needs": "publish",
        "permissions": None,
        "uses": "./.github/workflows/docs.yml",
    }
    deploy = load(ROOT / ".github/workflows/docs.yml")["jobs"]["deploy"]
    assert deploy["if"] == "startsWith(github.ref, 'refs/tags/v')"
    assert deploy["permissions"].items() <= release["jobs"]["docs"]["permissions"].items()
    assert "secrets." not in "".join(path.read_text() for path in WORKFLOWS)


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


def test_the_recipe_for_conda_has_the_requirements_of_the_wheel(tmp_path: Path) -> None:
    pytest.importorskip("rattler_build")
    from scripts.wheel import recipe

    assert recipe.differences(recipe.rendered()) == []
    other = tmp_path / "recipe.yaml"
    text = recipe.RECIPE.read_text().replace("cffi >=1.17", "cffi >=1.16")
    other.write_text(text.replace("version: 0", "version: 9"))
    told = recipe.differences(recipe.rendered(other))
    assert [each.partition(":")[0] for each in told] == ["version", "host", "run"]
    assert "got cffi>=1.16, msgspec" in told[-1]


def test_the_page_has_the_size_of_each_extra_for_users() -> None:
    from scripts.wheel import sizes

    page = sizes.PAGE.read_text(encoding="utf-8")
    rows = re.findall(r"^\| `?(\w+)`? \| (.+) \| [\d.]+ [MG]B \|$", page, re.M)
    assert rows == [(extra or "none", what) for extra, what in sizes.EXTRAS.items()]
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    assert set(extras) - set(sizes.EXTRAS) == {"dev", "site"}
    assert [sizes.told(each) for each in (499_000, 28_700_000, 994_000_000, 1_234_000_000)] == [
        "0.5 MB", "29 MB", "994 MB", "1.2 GB",
    ]  # fmt: skip
    assert sizes.version("torch", ["https://f/torch-2.15.0%2Bcu130-cp311-x.whl"]) == "2.15.0+cu130"
