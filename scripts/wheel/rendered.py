"""Checks the description in the metadata of wheels as an index shows it: as HTML.

    python -m scripts.wheel.rendered WHEEL ...

Nothing may be left out, and each link and picture is to have an absolute address. Where
pyproject.toml has no address of the project yet, one that stands for it is put in.
"""

from __future__ import annotations

import re
import sys
import zipfile
from collections import Counter
from email import message_from_bytes
from html.parser import HTMLParser

from hatch_build import absolute, addresses

from ..pages import ROOT

#: Stands for the address of the project.
EXAMPLE = "https://example.org/project"


class Page(HTMLParser):
    """The tags of a page, where its links and pictures lead, and its text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.targets: list[str] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Count a tag and keep its address."""
        self.tags[tag] += 1
        named = dict(attrs)
        self.targets += [named[each] or "" for each in ("href", "src") if each in named]

    def handle_data(self, data: str) -> None:
        """Keep text."""
        self.text += data


def faults(description: str, html: str | None) -> list[str]:
    """Return in words what the HTML of a description lacks or has wrong."""
    if html is None:
        return ["it cannot be rendered"]
    page = Page(html)
    text = re.sub(r"<!--.*?-->", "", description, flags=re.S)
    plain, blocks = re.subn(r"^```.*?^```", "", text, flags=re.M | re.S)
    expected = {
        "pre": blocks,
        "img": len(re.findall(r"!\[", plain)),
        "table": len(re.findall(r"^\|[-:| ]+\|$", plain, re.M)),
        "h2": len(re.findall(r"^## ", plain, re.M)),
    }
    found = [
        f"expected {count} of {tag}, got {page.tags[tag]}"
        for tag, count in expected.items()
        if page.tags[tag] != count
    ]
    found += [f"{each} is relative" for each in page.targets if not re.match("https?://|#", each)]
    found += [f"{each} is left as Markdown" for each in re.findall(r"\]\([^)]*\)", page.text)]
    return found


def description_of(wheel: str) -> tuple[str, str]:
    """Return the description in a wheel's metadata, and the type that it says it has."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (each for each in archive.namelist() if each.endswith(".dist-info/METADATA"))
        metadata = message_from_bytes(archive.read(name))
    payload = metadata.get_payload(decode=True)
    assert isinstance(payload, bytes)
    return payload.decode(), str(metadata["Description-Content-Type"])


def main() -> None:
    """Check the wheels that are named."""
    from readme_renderer.markdown import render

    for wheel in sys.argv[1:]:
        text, kind = description_of(wheel)
        found = (
            [] if kind.startswith("text/markdown") else [f"it is {kind}, expected text/markdown"]
        )
        if not addresses(ROOT)["project"]:
            text = absolute(text, EXAMPLE, "0")
        if found := found + faults(text, render(text)):
            sys.exit(f"the description of {wheel}: " + "; ".join(found))
        print(f"the description of {wheel} is rendered whole, with {len(text)} characters")


if __name__ == "__main__":
    main()
