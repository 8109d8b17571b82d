"""A graph as a picture: layers from top to bottom, as SVG, without any other program."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, NamedTuple

from .text import node_line, option_texts, type_text

if TYPE_CHECKING:
    from .core import Core

__all__ = ["svg"]

_CHARACTER = 6.6  # width of one, in pixels
_LINE = 15
_GAP = (24, 46)  # between boxes of a layer, and between layers
_MARGIN = 12
_ROUNDS = 4


class _Box(NamedTuple):
    """Something that is drawn: a node, or a tensor in memory.

    Attributes:
        lines: what is written in it.
        title: what is shown where the mouse is.
        shape: the CSS class.
    """

    lines: tuple[str, ...]
    title: str
    shape: str

    @property
    def width(self) -> float:
        """In pixels."""
        return max(map(len, self.lines)) * _CHARACTER + 22

    @property
    def height(self) -> float:
        """In pixels."""
        return len(self.lines) * _LINE + 12


def svg(graph: Core) -> str:
    """Return the graph as an SVG image."""
    boxes, edges = _collect(graph)
    layers = _order(_layers(boxes, edges), edges)
    widths = [
        sum(boxes[key].width for key in layer) + _GAP[0] * (len(layer) - 1) for layer in layers
    ]
    width = max(widths, default=0) + 2 * _MARGIN
    places: dict[str, tuple[float, float]] = {}
    y = float(_MARGIN)
    for layer, own in zip(layers, widths, strict=True):
        x = (width - own) / 2
        tallest = max(boxes[key].height for key in layer)
        for key in layer:
            places[key] = (x, y)
            x += boxes[key].width + _GAP[0]
        y += tallest + _GAP[1]
    height = y - _GAP[1] + _MARGIN if layers else 2 * _MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="monospace" font-size="11">',
        f"<title>{escape(graph.name or 'graph')}</title>",
        "<style>.node{fill:#e8eef7;stroke:#4a6fa5}.tensor{fill:#f4f1e6;stroke:#9a8747}"
        ".output{fill:#e7f4e6;stroke:#4b8f4a}.edge{fill:none;stroke:#777}"
        "text{fill:#222}.label{fill:#666;font-size:10px}</style>",
        '<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="#777"/></marker></defs>',
    ]
    parts += [_draw_edge(boxes, places, *edge) for edge in edges]
    parts += [_draw_box(boxes[key], *places[key]) for layer in layers for key in layer]
    return "\n".join([*parts, "</svg>"])


_Edge = tuple[str, str, str]


def _collect(graph: Core) -> tuple[dict[str, _Box], list[_Edge]]:
    """Return what is drawn, and (from, to, label) of each arrow."""
    boxes: dict[str, _Box] = {}
    edges: list[_Edge] = []
    keys = {id(node): f"n{number}" for number, node in enumerate(graph.nodes)}
    for tensor in graph.tensors.values():
        if not tensor.is_virtual and not (tensor.by_value and tensor.value is not None):
            shape = "tensor" if tensor.producer is None else "output"
            lines = (tensor.name, type_text(tensor).split(" strides")[0])
            boxes[f"t{tensor.uid}"] = _Box(lines, repr(tensor)[1:-1], shape)
        if tensor.base is not None:
            edges.append((f"t{tensor.base.uid}", f"t{tensor.uid}", f"from {tensor.offset}"))
    for node in graph.nodes:
        title = node.word if node.name == node.word else f"{node.name}: {node.word}"
        values = [
            f"{port}={each.value:g}"
            for port, each in node.inputs.items()
            if each.by_value and each.value is not None
        ]
        options = [each for each in option_texts(node) if len(each) < 40]
        boxes[keys[id(node)]] = _Box((title, *values, *options), node_line(node), "node")
        for port, each in node.inputs.items():
            if each.by_value and each.value is not None:
                continue
            if each.is_virtual and each.producer is not None:
                label = f"{port}: {type_text(each).split(' strides')[0]}"
                edges.append((keys[id(each.producer)], keys[id(node)], label))
            else:
                edges.append((f"t{each.uid}", keys[id(node)], port))
        for port, each in node.outputs.items():
            if not each.is_virtual:
                edges.append((keys[id(node)], f"t{each.uid}", port))
    return boxes, edges


def _layers(boxes: dict[str, _Box], edges: list[_Edge]) -> list[list[str]]:
    """Return boxes by layer: each below all that it gets something from."""
    before: dict[str, list[str]] = {key: [] for key in boxes}
    after: dict[str, list[str]] = {key: [] for key in boxes}
    for source, target, _ in edges:
        before[target].append(source)
        after[source].append(target)
    depth: dict[str, int] = {}
    waiting = list(boxes)
    while waiting:
        ready = [key for key in waiting if all(other in depth for other in before[key])]
        for key in ready:
            depth[key] = max([depth[other] + 1 for other in before[key]], default=0)
        waiting = [key for key in waiting if key not in depth]
        if not ready:
            break
    for key in boxes:  # inputs go close to who reads them
        if not before[key] and after[key]:
            depth[key] = min(depth[other] for other in after[key]) - 1
    layers: list[list[str]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    for key, level in depth.items():
        layers[level].append(key)
    return [layer for layer in layers if layer]


def _order(layers: list[list[str]], edges: list[_Edge]) -> list[list[str]]:
    """Return layers with their boxes under the middle of what they are connected with."""
    near: dict[str, list[str]] = {}
    for source, target, _ in edges:
        near.setdefault(source, []).append(target)
        near.setdefault(target, []).append(source)
    for _ in range(_ROUNDS):
        place = {
            key: (index + 0.5) / len(layer) for layer in layers for index, key in enumerate(layer)
        }
        layers = [
            sorted(
                layer,
                key=lambda key: (
                    sum(place[other] for other in near.get(key, [key])) / len(near.get(key, [key]))
                ),
            )
            for layer in layers
        ]
    return layers


def _draw_box(box: _Box, x: float, y: float) -> str:
    radius = 4 if box.shape == "node" else box.height / 2
    lines = "".join(
        f'<text x="{x + box.width / 2:.1f}" y="{y + 17 + number * _LINE:.1f}" '
        f'text-anchor="middle"{_weight(box, number)}>{escape(line)}</text>'
        for number, line in enumerate(box.lines)
    )
    return (
        f"<g><title>{escape(box.title)}</title>"
        f'<rect class="{box.shape}" x="{x:.1f}" y="{y:.1f}" width="{box.width:.1f}" '
        f'height="{box.height:.1f}" rx="{radius:.1f}"/>{lines}</g>'
    )


def _weight(box: _Box, number: int) -> str:
    return ' font-weight="bold"' if number == 0 and box.shape == "node" else ""


def _draw_edge(boxes: dict[str, _Box], places: dict[str, tuple[float, float]], *edge: str) -> str:
    source, target, label = edge
    x1, y1 = places[source]
    x2, y2 = places[target]
    x1, y1 = x1 + boxes[source].width / 2, y1 + boxes[source].height
    x2 += boxes[target].width / 2
    middle = (y1 + y2) / 2
    path = f"M{x1:.1f},{y1:.1f} C{x1:.1f},{middle:.1f} {x2:.1f},{middle:.1f} {x2:.1f},{y2:.1f}"
    text = (
        f'<text class="label" x="{(x1 + x2) / 2 + 4:.1f}" y="{middle:.1f}">{escape(label)}</text>'
    )
    return f'<path class="edge" d="{path}" marker-end="url(#arrow)"/>{text}'
