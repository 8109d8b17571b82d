"""A graph in words and in DOT."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..builder import Builder
    from ..tensors import Node, Tensor


def type_text(tensor: Tensor) -> str:
    """Return a tensor's data type and shape, as in half[8,64,56,56]; with strides if not packed."""
    from ..rules.results import packed

    shape = ",".join(map(str, tensor.shape))
    base = f"{tensor.data_type.lower()}[{shape}]"
    if tensor.by_value:
        if tensor.value is None:
            return f"{tensor.data_type.lower()} number"
        return f"{tensor.data_type.lower()} {tensor.value:g}"
    if tensor.strides != packed(tensor.shape):
        base += f" strides ({','.join(map(str, tensor.strides))})"
    if tensor.alignment != 16:
        base += f" aligned {tensor.alignment}"
    if tensor.ragged_offset is not None:
        base += f" ragged by {tensor.ragged_offset.name}"
    if tensor.reordering_mode is not None:
        base += f" reordered {tensor.reordering_mode}"
    return base


def option_texts(node: Node) -> list[str]:
    """Return the options of a node, as in stride=2."""
    texts: list[str] = []
    options: dict[str, object] = {**node.options}
    if node.operation.named_by_mode:
        del options["mode"]
    if "pre_padding" in options and options["pre_padding"] == options.get("post_padding"):
        options["padding"] = options.pop("pre_padding")
        del options["post_padding"]
    for name, value in options.items():
        if _shown(value) != _USUAL.get(name):
            texts.append(f"{name}={_shown(value)}")
    return texts


#: Default options; left out of the text.
_USUAL = {"mode": "CROSS_CORRELATION", "padding": "0", "stride": "1", "dilation": "1"}


def _shown(value: object) -> str:
    if isinstance(value, tuple) and value and all(each == value[0] for each in value):
        value = value[0]
    if isinstance(value, tuple):
        return f"({','.join(_shown(each) for each in value)})"
    return f"{value:g}" if isinstance(value, float) else str(value)


def node_line(node: Node) -> str:
    """Return a node in one line: results with types, the operation, its inputs and options."""
    results = ", ".join(f"{each.name}: {type_text(each)}" for each in node.outputs.values())
    inputs = [f"{port}={_reference(each)}" for port, each in node.inputs.items()]
    title = node.word if node.name == node.word else f"{node.name} {node.word}"
    return f"{results} = {title}({', '.join(inputs + option_texts(node))})"


def _reference(tensor: Tensor) -> str:
    if tensor.by_value and tensor.value is not None:
        return f"{tensor.value:g}"
    return tensor.name


def text(graph: Builder) -> str:
    """Return the graph as text: a line for each input, then one for each node."""
    types = [f"intermediate {graph.intermediate_data_type.lower()}"]
    if graph.io_data_type is not None:
        types.insert(0, f"io {graph.io_data_type.lower()}")
    types.append(f"compute {graph.compute_data_type.lower()}")
    lines = [f"graph {graph.name}".strip() + f" ({', '.join(types)})"]
    for tensor in graph.tensors.values():
        if tensor.role == "input":
            lines.append(f"  {tensor.name}: {type_text(tensor)}")
        elif tensor.base is not None:
            lines.append(
                f"  {tensor.name}: {type_text(tensor)} in {tensor.base.name} from element "
                f"{tensor.offset} on"
            )
    for node in graph.nodes:
        lines.append(f"  {node_line(node)}")
    for what, role in (("return", "output"), ("workspace", "workspace")):
        tensors = (
            graph.outputs
            if role == "output"
            else [each for each in graph.tensors.values() if each.role == role]
        )
        if tensors:
            lines.append(f"  {what} {', '.join(each.name for each in tensors)}")
    return "\n".join(lines)


def _quoted(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def dot(graph: Builder) -> str:
    """Return the graph in the language of Graphviz."""
    lines = [f"digraph {_quoted(graph.name or 'graph')} {{", "  rankdir=TB;"]
    for tensor in graph.tensors.values():
        if tensor.role in ("input", "output", "workspace", "view"):
            style = "" if tensor.role != "workspace" else " style=dashed"
            label = f"{tensor.name}\n{type_text(tensor)}"
            lines.append(f"  t{tensor.uid} [shape=ellipse label={_quoted(label)}{style}];")
        if tensor.base is not None:
            edge = _quoted(f"from {tensor.offset}")
            lines.append(f"  t{tensor.base.uid} -> t{tensor.uid} [label={edge}];")
    for number, node in enumerate(graph.nodes):
        label = "\n".join([node.name if node.name != node.word else node.word, *option_texts(node)])
        if node.name != node.word:
            label = f"{node.word}\n{label}"
        lines.append(f"  n{number} [shape=box label={_quoted(label)}];")
    producers = {id(node): f"n{number}" for number, node in enumerate(graph.nodes)}
    for number, node in enumerate(graph.nodes):
        for port, each in node.inputs.items():
            if each.by_value and each.value is not None:
                lines.append(
                    f"  v{number}{port} [shape=plaintext label={_quoted(f'{each.value:g}')}];"
                )
                source = f"v{number}{port}"
            elif each.producer is not None and each.is_virtual:
                source = producers[id(each.producer)]
            else:
                source = f"t{each.uid}"
            edge = f"{port}: {type_text(each)}" if each.is_virtual else port
            lines.append(f"  {source} -> n{number} [label={_quoted(edge)}];")
        for port, each in node.outputs.items():
            if not each.is_virtual:
                lines.append(f"  n{number} -> t{each.uid} [label={_quoted(port)}];")
    return "\n".join([*lines, "}"])
