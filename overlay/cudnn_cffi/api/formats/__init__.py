"""A report as text, for people or for programs: one module for each format."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..records import Report

#: Each has a function `render(report) -> str`.
FORMATS: tuple[str, ...] = ("text", "json", "markdown", "html", "github", "sarif", "junit")


def renderer(format: str) -> Callable[[Report], str]:
    """Return the function that writes `format`; imported only when asked for."""
    module = import_module(f".{format}", __name__)
    render: Callable[[Report], str] = module.render
    if format == "sarif":
        return render  # whose locations are URIs, which can carry any name of a file

    def readable(report: Report) -> str:
        from . import words

        return render(words.shown(report))

    return readable
