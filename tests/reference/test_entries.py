"""Operations, nodes, modules and functions have a page each, with all that such a page tells."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

#: Folders of such pages, and the sections that none of them lacks.
FOLDERS = ("operations", "nodes", "modules", "functional")
SECTIONS = ("Signature", "Formula", "Computed by", "Gradient", "Example", "See also")


def pages(source: Path, folder: str) -> dict[str, str]:
    found = {path.stem: path.read_text() for path in (source / folder).glob("*.md")}
    del found["index"]
    return found


def sections(text: str) -> dict[str, str]:
    parts = re.split(r"^## (.+)\n", text, flags=re.M)
    return dict(zip(parts[1::2], map(str.strip, parts[2::2]), strict=True))


def test_every_operation_has_a_page(source: Path) -> None:
    stub = ast.parse((ROOT / "overlay/cudnn_cffi/ops/__init__.pyi").read_text())
    functions = {node.name for node in ast.walk(stub) if isinstance(node, ast.FunctionDef)}
    from_rooms = {"rnn_backward"}
    methods = {
        inner.name
        for node in ast.walk(stub)
        if isinstance(node, ast.ClassDef)
        for inner in node.body
        if isinstance(inner, ast.FunctionDef)
    }
    assert set(pages(source, "operations")) == (functions - methods) | from_rooms


def test_every_method_that_adds_a_node_has_a_page(source: Path) -> None:
    from cudnn_cffi.graph.methods.operations import Operations
    from cudnn_cffi.graph.record.formulas import FORMULAS

    methods = {name for name in vars(Operations) if name[0] != "_"}
    methods -= {"output", "view", "workspace"}  # they add no node
    methods -= {"add_generic", "operation"}  # they add a node of any kind
    assert set(pages(source, "nodes")) == methods == set(FORMULAS)
    for name in methods:
        assert f"Formula: {FORMULAS[name]}" in (getattr(Operations, name).__doc__ or "")


@pytest.mark.parametrize("room", ["modules", "functional"])
def test_every_module_and_function_for_pytorch_has_a_page(room: str, source: Path) -> None:
    tree = ast.parse((ROOT / f"overlay/cudnn_cffi/torch/{room}/__init__.py").read_text())
    names = {
        alias.asname
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname == alias.name and alias.name[0] != "_"
    }
    assert set(pages(source, room)) == names - {"Cudnn"}, "but for the base of modules"


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_page_lacks_a_part(folder: str, source: Path) -> None:
    for name, text in pages(source, folder).items():
        parts = sections(text)
        for section in SECTIONS:
            assert parts.get(section), (name, section)
        assert "```text\n\n```" not in text, name
        assert re.match(r"{.formula}\n```text\n\S", parts["Formula"]), name
        sentence = text.partition("\n# ")[2].split("\n")[2]
        assert sentence.endswith((".", ":")), (name, sentence)
        assert name in parts["Example"], name
        (example,) = re.findall(r"```python\n(.*?)```", parts["Example"], re.S)
        ast.parse(example)


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_list_has_each_page_once(folder: str, source: Path) -> None:
    text = (source / folder / "index.md").read_text()
    listed = re.findall(r"^\| \[`\w+`\]\((\w+)\.md\)", text, re.M)
    assert sorted(listed) == sorted(pages(source, folder))
    assert f"\n{folder}/index\n" in (source / "index.md").read_text(), "the navigation has it"


@pytest.mark.parametrize("folder", FOLDERS)
def test_links_lead_to_pages(folder: str, source: Path) -> None:
    count = 0
    for path in (source / folder).glob("*.md"):
        text = path.read_text()
        links = re.findall(r"\]\(([^)#\s]+)[^)\s]*\)", text) + re.findall(r"{image} (\S+)", text)
        for link in links:
            if link.startswith("https://docs.nvidia.com/deeplearning/cudnn/"):
                continue
            assert (path.parent / link).resolve().is_file(), (path.name, link)
            count += 1
    assert count > 3 * len(pages(source, folder))


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_argument_is_told(folder: str, source: Path) -> None:
    for name, text in pages(source, folder).items():
        for row in re.findall(
            r"^\| `\*{0,2}(\w+)` \|(.*)\|$", sections(text).get("Arguments", ""), re.M
        ):
            assert row[1].split(" | ")[2].strip(), (name, row[0])


def test_functions_that_compute_are_linked(source: Path) -> None:
    """To the pages of their C names, and nodes to their descriptors."""
    for name, text in pages(source, "operations").items():
        by = sections(text)["Computed by"]
        assert not re.findall(r"(?<!\[)`cudnn\w+`", by), name
        assert "](../names/cudnn" in by or "](../descriptors/" in by or name == "fill", name
    text = pages(source, "operations")["convolution"]
    assert "[CONVOLUTION_FORWARD](../descriptors/" in text
    assert (source / "operations" / "convolution.svg").read_text().count('class="node"') == 3
    assert "| `num_groups` |" in text, "the words of other packages"


def test_nvidias_documentation_is_linked_at_the_place(source: Path) -> None:
    api = "https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-"
    for page, place in (
        ("operations/convolution", "cnn-library.html#cudnnconvolutionforward"),
        ("modules/Conv2d", "cnn-library.html#cudnnconvolutionforward"),
        ("nodes/matmul", "graph-library.html#cudnn-backend-operation-matmul-descriptor"),
        ("names/cudnnRNNMode_t", "adv-library.html#cudnnrnnmode-t"),
        (
            "descriptors/CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR",
            "graph-library.html#cudnn-backend-operation-matmul-descriptor",
        ),
    ):
        assert f"]({api}{place})" in (source / f"{page}.md").read_text(), page


def test_edges_are_a_list_and_lines_of_the_table(source: Path) -> None:
    """Each case of a docstring, with its result."""
    told = sections(pages(source, "operations")["pooling_backward"])["Edges"]
    case, _, result = told.strip().removeprefix("- ").partition(": ")
    assert case == "several NaN in a window"
    table = (ROOT / "docs" / "operations.md").read_text().partition("| operation | case |")[2]
    assert f"| `pooling_backward` | {case} | {result} |" in table
    assert (
        len(re.findall(r"^- ", sections(pages(source, "operations")["softmax"])["Edges"], re.M))
        == 4
    )


def test_the_guide_links_to_pages_on_the_site_only(source: Path) -> None:
    text = (source / "guide" / "operations.md").read_text()
    assert "| [`convolution`](../operations/convolution.md) |" in text
    assert "](../operations/relu.md), " in text
    text = (source / "guide" / "graph.md").read_text()
    assert "| matmul | [`matmul`](../nodes/matmul.md): " in text
    text = (source / "guide" / "torch.md").read_text()
    assert "[`Conv2d`](../modules/Conv2d.md)" in text
    assert "[`conv2d`](../functional/conv2d.md)" in text
    assert "../operations/" not in (ROOT / "docs" / "operations.md").read_text()


def test_formulas_are_those_of_the_function(source: Path) -> None:
    from cudnn_cffi import ops

    found = {name: sections(text)["Formula"] for name, text in pages(source, "operations").items()}
    assert "f(x) = max(x, 0)" in found["relu"]
    assert "f(x) = max(x, 0)" in (ops.relu.__doc__ or "")
    assert "with a = coefficient" in found["elu"]
    assert found["max_pool"] != found["average_pool"]
    formula = "f(alpha x * w + alpha2 residual + bias)"
    assert found["convolution"] == f"{{.formula}}\n```text\n{formula}\n```"
