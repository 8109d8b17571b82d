"""The command `explain`: the nearest supported graph of a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import errors
from .._support.output import write

if TYPE_CHECKING:
    from ..choice import DeviceProperties
    from ..graph import Graph


def main(
    file: str, device: str | None, seconds: float, libraries: list[str], *, as_json: bool
) -> int:
    """Print the nearest graph that is supported; return the exit status.

    It is 0 if there is one, and 1 if none was found.

    Args:
        file: JSON that `Graph.to_json` wrote, or `repr` of a front end's graph.
        device: the name of a known device, or a file with properties of one; None for the GPU.
        seconds: how long to search.
        libraries: other libraries of cuDNN to try the graph with as it is.
        as_json: whether to print JSON.
    """
    from .._explain import explain

    given = read(file)
    found = explain(given, device=device_of(device), seconds=seconds, libraries=libraries)
    if as_json:
        answer: dict[str, Any] = found.to_dict()
        answer["graph"] = json.loads(found.graph.to_json()) if found.is_found else None
        write(f"{json.dumps(answer, indent=1)}\n")
    else:
        write(f"{found}\n" + ("" if found.is_found else f"  reason: {found.reason}\n"))
    return 0 if found.is_found else 1


def read(file: str) -> Graph | str:
    """Return the graph of a file, or the file's text if that is of `Graph.to_json`.

    Raises:
        ArgumentError: there is no such file, or it has no graph.
    """
    try:
        text = Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise errors.ArgumentError(
            f"expected a file with a graph as JSON, got {file}: {error}"
        ) from None
    try:
        saved = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise errors.ArgumentError(f"expected JSON in {file}: {error}") from None
    if not isinstance(saved, dict) or "json_version" not in saved:
        return text
    return _read_frontend(text, saved)


def _read_frontend(text: str, saved: dict[str, Any]) -> Graph:
    """Return the graph of a text that the front end wrote, NVIDIA's or that of this package.

    Raises:
        ArgumentError: the text is damaged, or its operands do not go together.
    """
    from ..compat.frontend import cudnnGraphNotSupportedError, pygraph
    from ..compat.frontend.saved.as_graph import read_original_graph
    from ..compat.frontend.saved.graphs import lowered, read_graph

    made = pygraph()
    if str(saved["json_version"]).startswith("cudnn_cffi"):
        read_graph(made, text)
    else:
        read_original_graph(made, saved)
    try:
        return lowered(made)
    except errors.CudnnError:
        raise
    except (cudnnGraphNotSupportedError, ValueError) as error:
        raise errors.ArgumentError(str(error)) from error


def device_of(name: str | None) -> DeviceProperties | str | None:
    """Return the name of a device, or the properties in a file."""
    from ..choice import DeviceProperties

    return DeviceProperties(Path(name)) if name is not None and Path(name).is_file() else name
