"""Hooks of the build: one compiles the call layer, one puts addresses into the metadata.

Without a C compiler the wheel is pure Python and calls in ABI mode: same results, slower.
CUDNN_CFFI_BUILD=require makes a missing compiler an error, =skip leaves the compiled layer out.

The addresses of the project and of its site are those of [tool.cudnn-cffi] in pyproject.toml. The
links and pictures of README.md, which are relative in the repository, become absolute with them.
"""

from __future__ import annotations

import os
import re
import sys
import sysconfig
import tomllib
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\((?![a-z]+:|#)([^)]+)\)")


def addresses(root: Path) -> dict[str, str]:
    """Return the addresses of the project and the site; "" for one that is not set."""
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    found: dict[str, str] = settings["tool"]["cudnn-cffi"]
    return {name: address.rstrip("/") for name, address in found.items()}


def absolute(text: str, project: str, version: str) -> str:
    """Return Markdown with absolute links to the files of a version."""

    def link(found: re.Match[str]) -> str:
        picture, label, target = found.groups()
        kind = "raw" if picture else "blob"
        inner = _LINK.sub(link, label)
        return f"{picture}[{inner}]({project}/{kind}/v{version}/{target})"

    return _LINK.sub(link, text) if project else text


def published(text: str, project: str) -> str:
    """Return Markdown whose commands install from an index, once the project has an address."""
    if not project:
        return text
    text = re.sub(
        r" *# in a checkout$|,? in a checkout(?=[:.])|(?<=`) in a checkout", "", text, flags=re.M
    )
    text = re.sub(r'"\.\[(\w+)\]"', r'"cudnn-cffi[\1]"', text)
    return text.replace("`pip install .`", "`pip install cudnn-cffi`")


class Addresses(MetadataHookInterface):
    """Puts the description and the addresses into the metadata."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set `readme` and `urls`."""
        root = Path(self.root)
        code = (root / "overlay/cudnn_cffi/_version.py").read_text(encoding="utf-8")
        (version,) = re.findall(r'__version__ = "([^"]+)"', code)
        places = addresses(root)
        text = (root / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": absolute(published(text, places["project"]), places["project"], version),
        }
        metadata["urls"] = {
            name: address
            for name, address in (
                ("Documentation", places["site"]),
                ("Source", places["project"]),
                ("Issues", places["project"] and f"{places['project']}/issues"),
                ("Changelog", places["project"] and f"{places['project']}/blob/main/CHANGELOG.md"),
            )
            if address
        }


class CustomBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the compiled call layer to a wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile the call layer, unless the environment or the machine says otherwise."""
        if version != "editable":
            build_data["force_include"].update(self._generator())
        wish = os.environ.get("CUDNN_CFFI_BUILD", "")
        if wish == "skip":
            return
        sys.path.insert(0, self.root)
        try:
            import build_native

            built = [build_native.build()]
            if sys.platform == "linux":
                built.append(build_native.build_stand_in())
        except Exception as error:
            if wish == "require":
                raise
            self.app.display_warning(f"the call layer was not compiled, ABI mode it is: {error}")
            return
        finally:
            sys.path.remove(self.root)
        self.app.display_info(f"compiled {' and '.join(path.name for path in built)}")
        if version == "editable":
            return  # found in the overlay's folder
        build_data["pure_python"] = False
        # The stable ABI: one wheel for this Python and all later ones that have a lock.
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        python = f"cp{sys.version_info.major}{sys.version_info.minor}"
        has_lock = not sysconfig.get_config_var("Py_GIL_DISABLED")
        tag = "cp311-abi3" if has_lock else f"{python}-{python}t"
        build_data["tag"] = f"{tag}-{platform}"
        for path in built:
            place = path.relative_to(build_native.TARGET)
            build_data["force_include"][str(path)] = f"cudnn_cffi/{place.as_posix()}"

    def _generator(self) -> dict[str, str]:
        """Return where the wheel has the generator, by path: a package that nothing else needs."""
        names = self.root, "cudnn_cffi_generator"
        parts = {"generator": "", "templates": "/templates", "native": "/native"}
        parts["build_native.py"] = "/build_native.py"
        return {str(Path(names[0], part)): names[1] + place for part, place in parts.items()}
