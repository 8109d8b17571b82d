"""Pages of the site say what the models say; Python on them parses, C compiles."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest
from cudnn_cffi._front import resolve as _resolve
from cudnn_cffi.api import history, store
from cudnn_cffi.errata import files, table
from cudnn_cffi.versions import version_key

from generator import meanings
from tests.diagnose.repro.conftest import Compile

ROOT = Path(__file__).resolve().parents[2]

#: Exports of modules that are data or a type of arguments.
_NO_CLASS_OR_FUNCTION = {"OPERATIONS", "database", "plans"}


def test_every_name_release_and_descriptor_type_has_a_page(source: Path) -> None:
    everything = history.everything()
    names = {each.name for each in everything.names}
    assert {path.stem for path in (source / "names").glob("*.md")} - {"index"} >= {
        name for name in names if "." not in name
    }
    releases = {path.name[:-3] for path in (source / "releases").glob("*.md")} - {"index"}
    assert releases == {each.version for each in everything.releases}
    owners = {a.owner for api in store().apis() for a in api.attributes}
    assert {path.stem for path in (source / "descriptors").glob("*.md")} - {"index"} == owners


def test_a_function(source: Path) -> None:
    text = (source / "names" / "cudnnSetTensor4dDescriptor.md").read_text()
    assert "declared in `cudnn_ops.h`, in the library `libcudnn_ops`" in text
    assert "| 8.5.0 to 9.28.1 |" in text
    assert "cudnn.cudnnSetTensor4dDescriptor(tensorDesc, format, dataType, n, c, h, w)" in text
    gone = (source / "names" / "cudnnSetRNNDescriptor_v6.md").read_text()
    assert "Use `cudnnSetRNNDescriptor_v8`" in gone
    assert "| 9.0.0 to 9.28.1 | not there |" in gone


def test_a_function_has_its_formula_and_links(source: Path) -> None:
    text = (source / "names" / "cudnnPoolingForward.md").read_text()
    formula = "y = alpha * (maximum or mean of x over each window) + beta * y"
    assert f"{{.formula}}\n```text\n{formula}\n```" in text
    assert "else as float; multiplies what `y` held before; 0 leaves that unread |" in text
    assert "In Python it returns None; the function writes y, in place.\n" in text
    assert "\ncudnn.cudnnPoolingForward(" in text, "an example that takes no result"
    assert "[`ops.max_pool`](../operations/max_pool.md)" in text
    assert "[`Graph.resample`](../nodes/resample.md)" in text
    manual = "https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-ops-library.html"
    assert f"[cudnnPoolingForward]({manual}#cudnnpoolingforward)" in text
    dropout = (source / "names" / "cudnnSetDropoutDescriptor.md").read_text()
    assert "| in | the probability with which an element becomes 0 |" in dropout
    backend = (source / "names" / "cudnnBackendFinalize.md").read_text()
    assert "In this package: `Graph` · `Graph.build`" in backend


def test_links_of_functions_lead_to_pages(source: Path) -> None:
    seen = 0
    for path in (source / "names").glob("cudnn*.md"):
        for link in re.findall(r"\]\((\.\./(?:operations|nodes)/\w+\.md)\)", path.read_text()):
            assert (path.parent / link).resolve().is_file(), (path.name, link)
            seen += 1
    assert seen > 100


def test_values_are_told_by_release(source: Path) -> None:
    status = (source / "names" / "CUDNN_STATUS_BAD_PARAM.md").read_text()
    assert "| 8.5.0 to 8.9.7 | 3 |" in status
    assert "| 9.0.0 to 9.28.1 | 2000 |" in status
    assert (
        "[`BadParamError`](../guide/troubleshooting.md#errors-by-class), with the hint: " in status
    )
    apis = {release.version: store().api(release.api) for release in store().releases()}
    types = (source / "names" / "cudnnBackendDescriptorType_t.md").read_text()
    name = "CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR"
    value = {r: api.index()[name].value for r, api in apis.items() if name in api.index()}
    assert (value["9.8.0"], value["9.10.0"], value["9.28.0"]) == (38, 40, 38)
    releases = "9.8.0 to 9.9.0; 9.10.0 (40); 9.10.1 to 9.28.1"
    assert f"| `{name}` | 38 | {releases} |" in types


def test_every_member_of_an_enumeration_is_on_its_page(source: Path) -> None:
    members: dict[str, set[str]] = {}
    for api in store().apis():
        for enum in api.enums:
            members.setdefault(enum.name, set()).update(m.name for m in enum.enumerators)
    known = {each.name for each in history.everything().names}
    for enum_name in members.keys() & known:
        text = (source / "names" / f"{enum_name}.md").read_text()
        listed = set(re.findall(r"^\| `(\w+)` \| -?\d+ \|", text, re.M))
        assert listed == members[enum_name], enum_name


def test_every_argument_has_a_meaning(source: Path) -> None:
    for api in store().apis():
        for function in api.functions:
            text = (source / "names" / f"{function.name}.md").read_text()
            rows = re.findall(r"^\| `(\w+)` \| `.+?` \| \w+ \| (.*) \|$", text, re.M)
            assert all(meaning.strip() for _, meaning in rows), (function.name, rows)
            assert len(rows) >= len(function.parameters)


def test_a_name_that_is_gone_says_what_to_use_or_that_there_is_nothing(source: Path) -> None:
    newest = history.everything().releases[-1].version
    gone = [n for n in history.everything().names if n.spans[-1].state == "not there"]
    assert len(gone) > 50
    assert all(name.spans[-1].last == newest for name in gone)
    for name in gone:
        text = (source / "names" / f"{name.name}.md").read_text()
        assert "\nUse " in text or "{admonition} No replacement" in text, name.name


def test_a_descriptor_has_the_schema(source: Path) -> None:
    newest = list(store().apis())[-1]
    for attribute in newest.attributes:
        text = (source / "descriptors" / f"{attribute.owner}.md").read_text()
        (row,) = re.findall(rf"^\| `{attribute.name}` \| (.*) \|$", text, re.M)
        types, elements, needed, default, _, since = row.split(" | ")
        assert [t.removeprefix("CUDNN_TYPE_").lower() for t in attribute.types] == re.findall(
            r"`(\w+)`", types
        )
        assert (elements == "1") == (attribute.count == "one")
        assert needed.startswith(attribute.needed or attribute.needed_in_graph or "-")
        assert (f"`{attribute.default}`" in default) == (
            attribute.default is not None and not attribute.uninitialized
        )
        assert re.match(r"\d+\.\d+\.\d+", since)


def test_a_release_has_its_date_and_files(source: Path) -> None:
    release = next(r for r in store().releases() if r.version == "9.10.1")
    text = (source / "releases" / "9.10.1.md").read_text()
    assert f"| first wheel | {release.date} |" in text
    assert "| `cudnnGetVersion` returns | 91001 |" in text
    assert "`libcudnn_graph.so.9`" in text
    assert "CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR" in text, "what changed since 9.10.0"


def test_all_removed_and_deprecated_functions_have_an_answer(source: Path) -> None:
    text = (source / "upgrade" / "8-to-9.md").read_text()
    sections = re.split(r"^### ", text.partition("## Removed")[2], flags=re.M)[1:]
    named: set[str] = set()
    for section in sections:
        section = section.partition("\n## ")[0]
        named |= set(re.findall(r"`(cudnn\w+)`", section.splitlines()[2]))
        answered = "```python" in section and "```c" in section
        assert answered or "**No replacement.**" in section, section
    apis = list(store().apis())
    newest = {function.name: function for function in apis[-1].functions}
    gone = {function.name for api in apis for function in api.functions} - newest.keys()
    going = {name for name, function in newest.items() if function.deprecated}
    assert named == gone | going
    assert len(gone) >= 55, "the functions that 9.0 removed are no more in any later release"


def test_every_public_name_of_the_package_is_in_the_python_reference(source: Path) -> None:
    text = "".join(path.read_text() for path in (source / "python").glob("*.md"))
    documented = re.findall(
        r"^\.\. auto(?:class|function|exception):: cudnn_cffi\.(\S+)", text, re.M
    )
    last = {each.rpartition(".")[2] for each in documented}
    assert set(_resolve.OVERLAY) <= last
    for module in ("ops", "graph", "plan", "choice", "torch", "torch/functional", "torch/modules"):
        tree = ast.parse((ROOT / "overlay/cudnn_cffi" / module / "__init__.py").read_text())
        exported = {
            alias.asname
            for node in tree.body
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
            if alias.asname == alias.name and alias.name[0] != "_"
        }
        place = module.replace("/", ".")
        here = {each.removeprefix(f"{place}.") for each in documented if each.startswith(place)}
        missing = {name for name in exported - here if not name.endswith("Descriptor")}
        assert missing <= _NO_CLASS_OR_FUNCTION, (module, missing)


def test_the_guide_is_in_the_order_in_which_it_is_read(source: Path) -> None:
    text = (source / "index.md").read_text()
    pages = re.findall(r"^([\w-]+(?:/[\w-]+)+)$", text, re.M)
    order = [
        "guide/install",
        "guide/tutorial",
        "guide/concepts",
        "guide/choosing",
        "guide/graph",
        "guide/torch",
        "guide/reproducibility",
        "guide/troubleshooting",
        "upgrade/upgrading",
        "guide/porting/README",
        "guide/operations",
        "guide/performance",
    ]
    assert [page for page in pages if page in order] == order
    written = {path.relative_to(source).with_suffix("").as_posix() for path in source.rglob("*.md")}
    listed = set(re.findall(r"^(\w+(?:/[\w-]+)*)$", (source / "index.md").read_text(), re.M))
    guide = {page for page in written if page.partition("/")[0] in ("guide", "start", "upgrade")}
    assert guide <= listed, "pages that nothing leads to"


@pytest.mark.parametrize("folder", ["guide", "upgrade", "examples", "releases"])
def test_links_lead_to_pages(source: Path, folder: str) -> None:
    count = 0
    for path in (source / folder).rglob("*.md"):
        text = re.sub(r"```.*?```", "", path.read_text(), flags=re.S)
        for link in re.findall(r"(?<=\]\()(?![a-z]+:|#)[^)#\s]+", text):
            assert (path.parent / link).resolve().is_file(), (path.name, link)
            count += 1
    assert count


def test_pages_that_the_browser_looks_at_are_there(source: Path) -> None:
    wanted = json.loads((ROOT / "reference/browser/pages.json").read_text())
    searched = [target for _, target, _ in wanted["searches"]]
    made = {"genindex.html", "search.html?q=convolution"}  # Sphinx's own
    for page in {*wanted["pages"], *searched} - made:
        assert (source / page).with_suffix(".md").exists(), page


def test_python_on_pages_parses(source: Path) -> None:
    found = 0
    for path in [*(source / "names").glob("*.md"), source / "upgrade" / "8-to-9.md"]:
        for block in re.findall(r"```python\n(.*?)```", path.read_text(), re.S):
            ast.parse(block)
            found += 1
    assert found > 200


@pytest.mark.parametrize("release", ["9.28.0", "8.9.7"])
def test_c_of_functions_and_attributes_compiles(
    release: str, source: Path, tmp_path: Path, compile_c: Compile
) -> None:
    """Each call in a function with the parameters of the signature above it."""
    api = store().api(next(r.api for r in store().releases() if r.version == release))
    program = []
    for function in api.functions:
        text = (source / "names" / f"{function.name}.md").read_text()
        signature, call = re.findall(r"```c\n(.*?)```", text, re.S)
        declared = set(re.findall(r"^[\w ]+ \**(\w+);$", call, re.M))
        parameters = re.findall(r"^    (.*?)(?:,|\);)$", signature, re.M)
        kept = [
            p for p in parameters if re.findall(r"\w+", p.partition("[")[0])[-1] not in declared
        ]
        program.append(f"void f_{function.name}({', '.join(kept) or 'void'}) {{\n{call}\n}}")
    for attribute in api.attributes:
        text = (source / "names" / f"{attribute.name}.md").read_text()
        (call,) = re.findall(r"```c\n(.*?)```", text, re.S)
        taken = "cudnnBackendDescriptor_t descriptor, int64_t count, void *values, int64_t value"
        program.append(f"void f_{attribute.name}({taken}) {{\n{call}\n}}")
    assert len(program) > 400
    _compile(compile_c, program, release, tmp_path)


def test_c_of_descriptors_compiles(source: Path, tmp_path: Path, compile_c: Compile) -> None:
    program = []
    for path in sorted((source / "descriptors").glob("CUDNN_*.md")):
        (block,) = re.findall(r"```c\n(.*?)```", path.read_text(), re.S)
        (own,) = re.findall(r"^cudnnBackendDescriptor_t (\w+);", block)
        values = dict.fromkeys(re.findall(r", &?([a-z]\w*)\);", block))
        counts = dict.fromkeys(re.findall(r", (\w+_count),", block))
        declared = [f"static char {name}[8];" for name in values if name != own]
        declared += [f"long {name} = 0;" for name in counts]
        lines = "\n".join([*declared, block])
        program.append(f"void f_{path.stem}(void) {{\n{lines}\n}}")
    _compile(compile_c, program, "9.28.0", tmp_path)


def _compile(compile_c: Compile, program: list[str], release: str, folder: Path) -> None:
    path = folder / "blocks.c"
    path.write_text("\n".join(["#include <cudnn.h>", *program]))
    compile_c(path, release, "-fsyntax-only", "-w")


def test_the_matrix_has_the_newest_release_first(source: Path) -> None:
    text = (source / "matrix.md").read_text()
    columns = re.findall(r'<th scope="col"><a href="releases/([\d.]+)\.html">', text)
    assert len(columns) > 30
    assert columns == sorted(columns, key=version_key, reverse=True)


def test_known_errors_have_filters(source: Path) -> None:
    """Each filter is a column of the table; and each record a row that links can name."""
    text = (source / "errata.md").read_text()
    heads = re.findall(r'<th scope="col">([\w ]+)</th>', text)
    for name, column in re.findall(r'name="(\w+)" data-column="(\d)"', text):
        assert heads[int(column)] == {"kind": "symptom"}.get(name, name)
    found = files.read_package(table.PATH)
    assert set(re.findall(r'<tr id="([\w-]+)">', text)) == {each.id for each in found}
    for kind in {each.kind for each in found}:
        assert f'<option value="{kind.lower()}">{kind}</option>' in text


def test_the_matrix_has_links_to_parts_of_it(source: Path) -> None:
    text = (source / "matrix.md").read_text()
    rows = re.findall(r'<tr data-state="(\w+)"><th scope="row"><a[^>]*>(\w+)</a>', text)
    states = re.findall(r'href="matrix\.html\?state=(\w+)"', text)
    assert set(states) == {state for state, _ in rows} == {"there", "deprecated", "gone"}
    families = re.findall(r'href="matrix\.html\?functions=(\w+)"', text)
    assert len(families) > 10
    for family in families:
        assert [name for _, name in rows if family in name.lower()], family
    assert {name: state for state, name in rows}["cudnnSetRNNDescriptor_v6"] == "gone"


def test_every_link_to_the_manual_is_of_its_table_and_of_a_name(source: Path) -> None:
    """The only others are pages without a place, and the place about reproducibility."""
    names = {each.name: each.header or "" for each in history.everything().names}
    table = {meanings.load().manual(*each) for each in names.items()} - {""}
    pages = {each.partition("#")[0] for each in table}
    developer = "https://docs.nvidia.com/deeplearning/cudnn/backend/latest/developer/"
    pages |= {
        f"{developer}graph-api.html", f"{developer}misc.html#reproducibility-determinism",
    }  # fmt: skip
    found = set()
    for path in source.rglob("*.md"):
        found |= set(re.findall(r"https://docs\.nvidia\.com/[^\s)>\"'`]+", path.read_text()))
    assert {each.rstrip(".,") for each in found} - table - pages == set()
    assert len(found & table) > 400
