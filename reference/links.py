"""Links from names in the text to their pages."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform


class LinkNames(SphinxPostTransform):
    """Make a link of each literal that is a name with a page of its own."""

    default_priority = 500

    def run(self, **_: object) -> None:
        """Change the document."""
        known = _pages(str(self.app.srcdir))
        here = self.env.docname
        for literal in list(self.document.findall(nodes.literal)):
            name = literal.astext().removesuffix("()")
            if name not in known or f"names/{name}" == here or _linked(literal):
                continue
            target = self.app.builder.get_relative_uri(here, f"names/{name}")
            link = nodes.reference("", "", internal=True, refuri=target)
            literal.replace_self(link)
            link += literal


def _linked(node: nodes.Node | None) -> bool:
    while node is not None:
        if isinstance(node, (nodes.reference, nodes.title)):
            return True
        node = node.parent
    return False


@cache
def _pages(source: str) -> frozenset[str]:
    return frozenset(path.stem for path in Path(source, "names").glob("*.md"))
