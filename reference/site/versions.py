"""Versions of the site, a folder each, and the files beside them that lead from one to another.

    python -m reference.site.versions HTML

Run this after sites of other versions were put into the folder HTML or removed from it. Browsers
read versions.js, because a page that is a file may not read JSON; versions.json is for programs.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from packaging.version import InvalidVersion, Version

#: The list of a site's pages, by which a page of another version knows what is there.
PAGES = "pages.js"

_START = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<title>cudnn_cffi</title>
<meta http-equiv="refresh" content="0; url={address}">
<p><a href="{address}">cudnn_cffi {version}</a></p>
</html>
"""


def list_pages(site: Path) -> None:
    """Write the list of a site's pages."""
    names = sorted(path.relative_to(site).as_posix() for path in site.rglob("*.html"))
    _write(site / PAGES, f"sitePages = {json.dumps(names, indent=0)};\n")


def versions(html: Path) -> list[str]:
    """Return the versions whose sites are in a folder, the newest first."""
    found = {}
    for path in html.iterdir():
        if (path / PAGES).exists():
            try:
                found[Version(path.name)] = path.name
            except InvalidVersion:
                continue
    return [found[version] for version in sorted(found, reverse=True)]


def write(html: Path) -> list[str]:
    """Write the files beside the sites in a folder; return their versions, the newest first.

    The start page leads to the newest version that is no pre-release, if there is one.

    Raises:
        ValueError: the folder has no site.
    """
    found = versions(html)
    if not found:
        raise ValueError(f"{html}: expected a folder with sites, such as {html / '0.2.0'}")
    first = next((name for name in found if not Version(name).is_prerelease), found[0])
    text = json.dumps(found)
    _write(html / "versions.json", f'{{"versions": {text}}}\n')
    _write(html / "versions.js", f"siteVersions = {text};\n")
    _write(html / "index.html", _START.format(address=f"{first}/index.html", version=first))
    return found


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    print(*write(Path(sys.argv[1])))
