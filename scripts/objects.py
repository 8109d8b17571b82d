"""The tables of descriptors and of errors in docs/overlay.md.

    python -m scripts.objects [--check]

A descriptor has its own class methods with their arguments, an error the first sentence of its
docstring and the built-in exceptions that it is, too. With --check nothing is written, and the exit
status is 1 if a table differs.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator

from cudnn_cffi import descriptors, errors

from . import pages

PAGE = pages.ROOT / "docs" / "overlay.md"

#: The maximum number of arguments in a row.
SHOWN = 6


def constructors(cls: type) -> Iterator[str]:
    """Yield the class methods that make a descriptor, with their first arguments."""
    for name, value in vars(cls).items():
        if isinstance(value, classmethod) and not name.startswith("_"):
            taken = inspect.signature(getattr(cls, name)).parameters.values()
            words = [
                "**" * (each.kind is each.VAR_KEYWORD)
                + each.name
                + "=" * (each.kind is each.KEYWORD_ONLY)
                for each in taken
            ]
            yield f"`{name}({', '.join([*words[:SHOWN], *['...'] * (len(words) > SHOWN)])})`"


def descriptor_rows() -> Iterator[str]:
    """Yield the rows of descriptors, by name."""
    yield "| class | made by |\n|---|---|"
    for name in sorted(descriptors.MODULES, key=str.lower):
        yield f"| `{name}` | {', '.join(constructors(getattr(descriptors, name)))} |"


def error_rows() -> Iterator[str]:
    """Yield the rows of errors, by name."""
    yield "| class | when | also a |\n|---|---|---|"
    for name in sorted(errors.__all__, key=str.lower):
        cls = getattr(errors, name)
        if not isinstance(cls, type):
            continue
        text = " ".join((inspect.getdoc(cls) or "").partition("\n\n")[0].split())
        ours = [base for base in cls.__mro__ if issubclass(base, errors.CudnnError)]
        bases = dict.fromkeys(base for one in ours for base in one.__bases__ if base not in ours)
        also = [base.__name__ for base in bases if base is not RuntimeError]
        cells = ", ".join(f"`{each}`" for each in also)
        yield f"| `{name}` | {text.partition('. ')[0].rstrip('.')} | {cells} |".replace(
            "|  |", "| |"
        )


def with_tables(text: str) -> str:
    """Return the text of docs/overlay.md with both tables."""
    text = pages.with_part(text, "the descriptors", "\n".join(descriptor_rows()))
    return pages.with_part(text, "the errors", "\n".join(error_rows()))


if __name__ == "__main__":
    raise SystemExit(pages.write(__doc__, {PAGE: with_tables}))
