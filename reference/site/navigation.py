"""The tree of pages beside each page, made once for all pages that are not in it.

Sphinx makes it anew for each of 1,500 pages, from every heading and object of the site; that took
nine tenths of a build. Pages of names, releases and descriptors are beside the list that has them.
"""

from __future__ import annotations

import re
from functools import cache
from html import escape
from typing import Any

from docutils import nodes
from sphinx.environment.adapters.toctree import global_toctree_for_doc

_LISTS = (
    *("names", "releases", "descriptors"),
    *("operations", "nodes", "modules", "functional", "examples"),
)

#: The captions of the tree, which are headings without a level.
_HEADING = ('role="heading"', 'role="heading" aria-level="2"')


def share_tree(app: Any, page: str, _template: str, context: dict[str, Any], _tree: Any) -> None:
    """Give a page the tree of the list that it belongs to (for "html-page-context")."""
    folder, _, name = page.partition("/")
    make = context.get("toctree")
    if folder in _LISTS and name != "index":
        make = lambda **options: _tree_of(app, folder, tuple(options.items()))  # noqa: E731
    if make is not None:
        context["toctree"] = lambda **options: make(**options).replace(*_HEADING)


_EMPTY = re.compile(r'<th class="head">(<p></p>)?</th>')


@cache
def _tree_of(app: Any, folder: str, options: tuple[tuple[str, Any], ...]) -> str:
    builder = app.builder
    tree = global_toctree_for_doc(
        app.env, f"{folder}/index", builder, tags=app.tags, **dict(options)
    )
    html: str = builder.render_partial(tree)["fragment"]
    # A page links to itself by "#"; for its neighbours that is another page.
    return html.replace('href="#"', 'href="index.html"')


def describe(
    _app: Any, _page: str, _name: str, context: dict[str, Any], tree: nodes.document | None
) -> None:
    """Give a page its first paragraph as a description, for search engines and links."""
    found = None if tree is None else next(iter(tree.findall(nodes.paragraph)), None)
    if found is None:
        return
    text = escape(" ".join(found.astext().split())[:200])
    title = escape(re.sub("<[^>]+>", "", context["title"]))
    context["metatags"] += (
        f'<meta name="description" content="{text}">'
        f'<meta property="og:title" content="{title}">'
        f'<meta property="og:description" content="{text}">'
    )


def mend_tables(_app: Any, _page: str, _name: str, context: dict[str, Any], _tree: Any) -> None:
    """Have no header cell without a text, which says nothing to a screen reader."""
    if "body" in context:
        context["body"] = _EMPTY.sub("<td></td>", context["body"])
