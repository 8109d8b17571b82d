"""Pages of the package's own classes and functions, for autodoc."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any

from cudnn_cffi import _resolve

#: Pages: their titles, and the modules whose public names they have.
_PAGES = {
    "objects": ("Handles, descriptors, memory", ()),
    "errors": ("Errors", ()),
    "graph": ("Graphs", ("cudnn_cffi.graph",)),
    "choice": ("Choice", ("cudnn_cffi.choice",)),
    "ops": ("Operations", ("cudnn_cffi.ops",)),
    "api": ("Models and diff", ("cudnn_cffi.api",)),
}


def pages() -> Iterator[tuple[str, str]]:
    """Yield paths and texts."""
    for name, (title, modules) in _PAGES.items():
        lines = [f"# {title}", ""]
        if modules:
            for module in modules:
                lines += [_summary(import_module(module)), ""]
                lines += _directives(module, _public(module))
        else:
            lines += _own(errors=name == "errors")
        yield f"python/{name}.md", "\n".join(lines) + "\n"
    entries = "\n".join(_PAGES)
    yield (
        "python/index.md",
        "# Python reference\n\nThe classes and functions of the package beside the functions under "
        "their C names,\nwhich are among [all names](../names/index.md).\n\n"
        f"```{{toctree}}\n:maxdepth: 1\n\n{entries}\n```\n",
    )


def _summary(module: Any) -> str:
    return (module.__doc__ or "").strip().partition("\n\n")[0]


def _public(module: str) -> list[str]:
    loaded = import_module(module)
    names = getattr(loaded, "__all__", None) or [n for n in dir(loaded) if n[0] != "_"]
    if module == "cudnn_cffi.graph":  # descriptors have pages of their own
        names = [name for name in names if not name.endswith("Descriptor")]
    return sorted(names)


def _own(*, errors: bool) -> list[str]:
    names = [n for n, place in _resolve.OVERLAY.items() if (place == "errors") == errors]
    skipped = {"Graph", "Plan", "DeviceProperties"} if not errors else set()
    return _directives("cudnn_cffi", [n for n in names if n not in skipped])


def _directives(module: str, names: list[str]) -> list[str]:
    lines = []
    for name in names:
        value = getattr(import_module(module), name)
        if isinstance(value, type):
            kind = "autoexception" if issubclass(value, BaseException) else "autoclass"
        elif callable(value):
            kind = "autofunction"
        else:
            continue
        lines += ["```{eval-rst}", f".. {kind}:: {module}.{name}", "```", ""]
    return lines
