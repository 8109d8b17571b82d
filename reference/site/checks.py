"""Checks of the finished site: every link leads somewhere, nothing is loaded from elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

#: Elements that load the file that one of their attributes names, and that attribute.
_LOADS = {
    "img": ("src", "srcset"),
    "script": ("src",),
    "iframe": ("src",),
    "source": ("src", "srcset"),
    "link": ("href",),
    "object": ("data",),
    "use": ("href",),
}


@dataclass
class Page:
    """Links and loads of a page, and its anchors."""

    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)
    twice: set[str] = field(default_factory=set)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.page = Page()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        page = self.page
        if anchor := values.get("id"):
            (page.twice if anchor in page.anchors else page.anchors).add(anchor)
        if tag == "a" and "href" in values:
            page.links.append(values["href"])
        page.loads += [values[name] for name in _LOADS.get(tag, ()) if name in values]

    handle_startendtag = handle_starttag


def read(path: Path) -> Page:
    """Read a page."""
    reader = _Reader()
    reader.feed(path.read_text(encoding="utf-8"))
    return reader.page


def check(html: Path) -> tuple[list[str], list[str]]:
    """Return what is wrong, one line each, and the addresses of other sites that pages link to."""
    pages = {path: read(path) for path in sorted(html.rglob("*.html"))}
    there = {path for path in html.rglob("*") if path.is_file()}
    wrong, outside = [], set()
    for path, page in pages.items():
        name = path.relative_to(html)
        wrong += [f"{name}: two elements have the id {anchor!r}" for anchor in sorted(page.twice)]
        for link in dict.fromkeys([*page.links, *page.loads]):
            parts = urlsplit(link)
            if parts.scheme == "data":
                continue
            if parts.scheme or parts.netloc:
                outside.add(link)
                if link in page.loads:
                    wrong.append(f"{name}: loads {link}")
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if target not in there:
                wrong.append(f"{name}: no file for the link {link}")
            elif parts.fragment and not _has(pages.get(target), unquote(parts.fragment)):
                wrong.append(f"{name}: no such place: {link}")
    wrong += _loaded_by_styles(html)
    return wrong, sorted(outside)


def _has(page: Page | None, anchor: str) -> bool:
    return page is None or anchor in page.anchors  # a picture has none that are known here


def _loaded_by_styles(html: Path) -> Iterator[str]:
    for path in sorted(html.rglob("*.css")):
        text = path.read_text(encoding="utf-8")
        for start in ("url(http", "url('http", 'url("http', "url(//", "@import"):
            if start in text:
                yield f"{path.relative_to(html)}: has {start}"
