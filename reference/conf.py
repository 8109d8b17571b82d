"""Sphinx's settings."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(_ROOT)]

from cudnn_cffi import __version__  # noqa: E402

from hatch_build import addresses, published  # noqa: E402
from reference import stand_in  # noqa: E402
from reference.site.links import LinkNames, link_types, spread_record  # noqa: E402
from reference.site.navigation import describe, mend_tables, share_tree  # noqa: E402
from reference.site.sources import link_source  # noqa: E402

stand_in.install()

project = "cudnn_cffi"
author = "The cudnn_cffi authors"
copyright = author
version = release = __version__
language = "en"

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]
myst_enable_extensions = ["colon_fence", "deflist", "attrs_inline", "attrs_block"]
myst_heading_anchors = 4
source_suffix = {".md": "markdown"}
exclude_patterns: list[str] = []
highlight_language = "python"
default_role = "code"
nitpicky = False
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True, "show-inheritance": True}
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True  # named tuples' fields are documented once

html_theme = "furo"
_addresses = addresses(_ROOT)
html_baseurl = f"{_addresses['site']}/{__version__}/" if _addresses["site"] else ""
html_context = {"project_address": _addresses["project"]}
html_title = f"cudnn_cffi {__version__}"
html_static_path = [str(_ROOT / "reference" / "static")]
html_css_files = ["reference.css"]
html_js_files = ["reference.js"]
html_favicon = str(_ROOT / "reference" / "static" / "icon.svg")
html_search_scorer = str(_ROOT / "reference" / "static" / "scorer.js")
templates_path = [str(_ROOT / "reference" / "templates")]
html_show_sphinx = False
html_copy_source = False
html_show_sourcelink = False
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"


def publish(_app: Any, page: str, source: list[str]) -> None:
    """Have pages of the guide install from an index, for "source-read"."""
    if page.startswith("guide/"):
        source[0] = published(source[0], _addresses["project"])


def setup(app: Any) -> None:
    """Link names of cuDNN's wherever they stand as code; share what pages have in common."""
    app.add_post_transform(LinkNames)
    app.connect("autodoc-process-signature", stand_in.hide_signature)
    app.connect("autodoc-process-docstring", spread_record, priority=400)
    app.connect("source-read", publish)
    app.connect("doctree-read", link_types)
    app.connect("html-page-context", describe)
    app.connect("html-page-context", mend_tables)
    app.connect("html-page-context", link_source)
    app.connect("html-page-context", share_tree, priority=100)  # before the theme's
