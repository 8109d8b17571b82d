"""A graph as a picture: layers from top to bottom, as SVG, without any other program."""

from __future__ import annotations

from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from .text import node_line, option_texts, type_text

if TYPE_CHECKING:
    from ..builder import Builder


_CHARACTER = 6.6  # width of one, in pixels
_LINE = 15
_GAP = (24, 46)  # between boxes of a layer, and between layers
_MARGIN = 12
_BEND = 8  # width of an arrow that passes a layer
_ROUNDS = 4

#: Arrows and their labels are readable on any paper, which may have another scheme than the system.
_STYLE = (
    ".node{fill:#e8eef7;stroke:#4a6fa5}.tensor{fill:#f4f1e6;stroke:#9a8747}"
    ".output{fill:#e7f4e6;stroke:#4b8f4a}.edge{fill:none;stroke:#777}"
    "text{fill:#222}.label{fill:#777;font-size:10px}"
    "@media (prefers-color-scheme: dark){.node{fill:#1f2d42}.tensor{fill:#3a3420}"
    ".output{fill:#1f3a20}text{fill:#e6edf3}.label{fill:#888}}"
)


class _Box(NamedTuple):
    """Something that is drawn: a node, or a tensor in memory.

    Attributes:
        lines: its text; nothing, if an arrow passes a layer.
        title: the text under the mouse.
        shape: the CSS class.
    """

    lines: tuple[str, ...]
    title: str
    shape: str

    @property
    def width(self) -> float:
        """In pixels."""
        return max(map(len, self.lines)) * _CHARACTER + 22 if self.lines else _BEND

    @property
    def height(self) -> float:
        """In pixels."""
        return len(self.lines) * _LINE + 12 if self.lines else 0


def svg(graph: Builder) -> str:
    """Return the graph as an SVG image."""
    boxes, edges = _collect(graph)
    layers = _layers(boxes, edges)
    routes = _routes(boxes, edges, layers)
    layers = _order(layers, [pair for route in routes for pair in pairwise(route)])
    widths = [
        sum(boxes[key].width for key in layer) + _GAP[0] * (len(layer) - 1) for layer in layers
    ]
    width = max(widths, default=0) + 2 * _MARGIN
    places: dict[str, tuple[float, float]] = {}
    heights: dict[str, float] = {}
    y = float(_MARGIN)
    for layer, own in zip(layers, widths, strict=True):
        x = (width - own) / 2
        tallest = max(boxes[key].height for key in layer)
        for key in layer:
            places[key] = (x, y)
            heights[key] = boxes[key].height or tallest
            x += boxes[key].width + _GAP[0]
        y += tallest + _GAP[1]
    height = y - _GAP[1] + _MARGIN if layers else 2 * _MARGIN
    arrows, reach = _draw_edges(boxes, places, heights, routes, [label for _, _, label in edges])
    width = max(width, reach + _MARGIN)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" role="img" '
        'font-family="monospace" font-size="11">',
        f"<title>{escape(graph.name or 'graph')}</title>",
        f"<style>{_STYLE}</style>",
        '<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="#777"/></marker></defs>',
    ]
    parts += arrows
    parts += [
        _draw_box(boxes[key], *places[key]) for layer in layers for key in layer if boxes[key].lines
    ]
    return "\n".join([*parts, "</svg>"])


_Edge = tuple[str, str, str]
_ARROW = "\u2192"


def _collect(graph: Builder) -> tuple[dict[str, _Box], list[_Edge]]:
    """Return the boxes, and (from, to, label) of each arrow."""
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
        results = [
            f"{_ARROW} {type_text(each).split(' strides')[0]}"
            for each in node.outputs.values()
            if each.is_virtual
        ]
        shown = (title, *values, *options, *results)
        boxes[keys[id(node)]] = _Box(shown, node_line(node), "node")
        for port, each in node.inputs.items():
            if each.by_value and each.value is not None:
                continue
            if each.is_virtual and each.producer is not None:
                edges.append((keys[id(each.producer)], keys[id(node)], port))
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


def _routes(boxes: dict[str, _Box], edges: list[_Edge], layers: list[list[str]]) -> list[list[str]]:
    """Return the boxes on the way of each arrow, with a new one in each layer that it passes."""
    depth = {key: level for level, layer in enumerate(layers) for key in layer}
    routes = []
    for number, (source, target, _) in enumerate(edges):
        route = [source]
        for level in range(depth[source] + 1, depth[target]):
            key = f"e{number}.{level}"
            boxes[key] = _Box((), "", "")
            layers[level].append(key)
            route.append(key)
        routes.append([*route, target])
    return routes


def _order(layers: list[list[str]], edges: list[tuple[str, str]]) -> list[list[str]]:
    """Return layers with their boxes under the middle of their neighbours."""
    above: dict[str, list[str]] = {}
    below: dict[str, list[str]] = {}
    for source, target in edges:
        above.setdefault(target, []).append(source)
        below.setdefault(source, []).append(target)
    for number in range(_ROUNDS):
        near = below if number % 2 else above
        place = {
            key: (index + 0.5) / len(layer) for layer in layers for index, key in enumerate(layer)
        }
        for layer in reversed(layers) if number % 2 else layers:
            layer.sort(
                key=lambda key: (
                    sum(place[other] for other in near.get(key, [key])) / len(near.get(key, [key]))
                )
            )
            place |= {key: (index + 0.5) / len(layer) for index, key in enumerate(layer)}
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


def _draw_edges(
    boxes: dict[str, _Box],
    places: dict[str, tuple[float, float]],
    heights: dict[str, float],
    routes: list[list[str]],
    labels: list[str],
) -> tuple[list[str], float]:
    """Return the arrows, and where the last label ends; arrows end side by side at a box."""
    arriving: dict[str, list[int]] = {}
    for number, route in enumerate(routes):
        arriving.setdefault(route[-1], []).append(number)
    middle = {key: places[key][0] + boxes[key].width / 2 for key in places}
    parts = []
    reach = 0.0
    for target, numbers in arriving.items():
        numbers.sort(key=lambda number: middle[routes[number][-2]])
        for place, number in enumerate(numbers, 1):
            first, *between, _ = routes[number]
            x, y = middle[first], places[first][1] + boxes[first].height
            path = f"M{x:.1f},{y:.1f}"
            for key in between:
                path += _bend(x, y, middle[key], places[key][1])
                x, y = middle[key], places[key][1] + heights[key]
                path += f" L{x:.1f},{y:.1f}"
            end = places[target][0] + boxes[target].width * place / (len(numbers) + 1)
            path += _bend(x, y, end, places[target][1])
            parts.append(
                f'<path class="edge" d="{path}" marker-end="url(#arrow)"/>'
                f'<text class="label" x="{end + 4:.1f}" y="{places[target][1] - 8:.1f}">'
                f"{escape(labels[number])}</text>"
            )
            reach = max(reach, end + 4 + len(labels[number]) * _CHARACTER)
    return parts, reach


def _bend(x1: float, y1: float, x2: float, y2: float) -> str:
    middle = (y1 + y2) / 2
    return f" C{x1:.1f},{middle:.1f} {x2:.1f},{middle:.1f} {x2:.1f},{y2:.1f}"
