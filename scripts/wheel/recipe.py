"""Render the recipe for conda by rattler-build, and compare it with pyproject.toml.

    python -m scripts.wheel.recipe

Nothing is built and no channel is asked. The exit status is 1 if the recipe cannot be rendered, or
has another version, Python or requirement than the wheel.
"""

from __future__ import annotations

import runpy
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
RECIPE = ROOT / "conda" / "recipe.yaml"


def rendered(recipe: Path = RECIPE) -> dict[str, Any]:
    """Return a recipe as rattler-build understands it, for this machine."""
    from rattler_build import Stage0Recipe, VariantConfig

    variants = VariantConfig.from_file(ROOT / "conda" / "variants.yaml")
    (variant,) = Stage0Recipe.from_file(recipe).render(variants)
    return variant.recipe.to_dict()


def differences(recipe: dict[str, Any]) -> list[str]:
    """Return what a rendered recipe says otherwise than pyproject.toml."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project = settings["project"]
    version = runpy.run_path(str(ROOT / "overlay/cudnn_cffi/_version.py"))["__version__"]
    needs = recipe["requirements"]
    expected = {
        "name": (project["name"], recipe["package"]["name"]),
        "version": (version, recipe["package"]["version"]),
        "license": (project["license"], recipe["about"]["license"]),
        "summary": (project["description"], recipe["about"]["summary"]),
        "host": (
            _plain(settings["build-system"]["requires"]) | {"python", "pip"},
            _plain(needs["host"]),
        ),
        "run": (
            _plain([f"python{project['requires-python']}", *project["dependencies"]]),
            _plain(needs["run"]),
        ),
    }
    return [
        f"{field}: expected {_told(wanted)}, got {_told(got)}"
        for field, (wanted, got) in expected.items()
        if wanted != got
    ]


def _plain(requirements: list[str]) -> set[str]:
    return {each.replace(" ", "") for each in requirements}


def _told(value: str | set[str]) -> str:
    return value if isinstance(value, str) else ", ".join(sorted(value))


if __name__ == "__main__":
    wrong = differences(rendered())
    print("\n".join(wrong) or "the recipe has the requirements of the wheel")
    sys.exit(bool(wrong))
