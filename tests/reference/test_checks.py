"""The check of the finished site finds what is wrong with its links."""

from __future__ import annotations

from pathlib import Path

from reference.site.checks import check

_PAGE = """<html><head><link rel="stylesheet" href="own.css">{head}</head>
<body><h1 id="top">A</h1><a href="#top">up</a><a href="b.html#there">b</a>{body}</body></html>"""


def _site(folder: Path, head: str = "", body: str = "", style: str = "") -> Path:
    (folder / "a.html").write_text(_PAGE.format(head=head, body=body))
    (folder / "b.html").write_text('<p id="there"><a href="a.html">a</a><img src="data:,x"></p>')
    (folder / "own.css").write_text(style)
    return folder


def test_a_good_site(tmp_path: Path) -> None:
    outside = "https://example.org/"
    wrong, found = check(_site(tmp_path, body=f'<a href="{outside}">elsewhere</a>'))
    assert (wrong, found) == ([], [outside])


def test_a_page_or_a_place_that_is_not_there(tmp_path: Path) -> None:
    body = '<a href="c.html">c</a><a href="b.html#nowhere">b</a><a href="#nowhere">here</a>'
    wrong, _ = check(_site(tmp_path, body=body + '<img src="no.svg">'))
    assert sorted(wrong) == [
        "a.html: no file for the link c.html",
        "a.html: no file for the link no.svg",
        "a.html: no such place: #nowhere",
        "a.html: no such place: b.html#nowhere",
    ]


def test_two_elements_with_one_id(tmp_path: Path) -> None:
    wrong, _ = check(_site(tmp_path, body='<p id="top">again</p>'))
    assert wrong == ["a.html: two elements have the id 'top'"]


def test_what_is_loaded_from_another_site(tmp_path: Path) -> None:
    address = "https://example.org/x.js"
    style = "@font-face { src: url(https://example.org/f.woff) }"
    wrong, _ = check(_site(tmp_path, head=f'<script src="{address}"></script>', style=style))
    assert wrong == [f"a.html: loads {address}", "own.css: has url(http"]
