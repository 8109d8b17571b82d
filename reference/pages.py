"""Writes the pages as Markdown: one for each name, release and descriptor type, and the guide."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import jinja2
from cudnn_cffi import errata, errors
from cudnn_cffi.api import steps
from cudnn_cffi.api.model import BackendAttribute, Callback, Function, Parameter

from . import entries, guides, python, upgrade
from .entries import programs
from .records import Example, Models, Name, descriptor_in_python, python_class

_HERE = Path(__file__).parent
_ROOT = _HERE.parent
_DOCS = _ROOT / "docs"

#: Words in names of functions, for links to parts of the matrix.
_FAMILIES = (
    *("Activation", "Attn", "Backend", "CTCLoss", "Conv", "Dropout", "Fused", "LRN", "Norm"),
    *("Pooling", "RNN", "Softmax", "SpatialTf", "Tensor"),
)

#: Kinds of names, in the order of the list of all.
_KINDS = {
    "function": "Functions",
    "object type": "Types of objects",
    "enumeration": "Enumerations",
    "struct": "Structs",
    "callback": "Callbacks",
    "typedef": "Other types",
    "enumerator": "Enumerators",
    "flag": "Flags",
    "constant": "Constants",
    "macro": "Macros",
    "version macro": "Version macros",
    "member": "Members of structs",
    "header": "Headers",
    "library": "Libraries",
    "undeclared function": "Functions that libraries export and no header declares",
}


def write(source: Path) -> int:
    """Write all pages below `source`; returns how many."""
    models = Models()
    site = _Site(models)
    for path, text in site.pages():
        target = source / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    for path in sorted(_DOCS.iterdir()):
        if path.suffix in (".svg", ".json", ".png"):
            shutil.copy(path, source / "guide" / path.name)
    return sum(1 for _ in source.rglob("*.md"))


class _Site:
    """The templates, and what they are filled with."""

    def __init__(self, models: Models) -> None:
        self.models = models
        self.made: set[str] = set()  # paths of pages of operations and the like
        environment = jinja2.Environment(
            loader=jinja2.FileSystemLoader(_HERE / "templates"),
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
            autoescape=False,  # Markdown; what needs escaping is in code marks or goes by `cell`
        )
        environment.filters.update(
            code=_code,
            file=_file,
            linked_name=self._linked_name,
            python=_python_name,
            see_link=_see_link,
        )
        environment.globals.update(
            article=_article,
            attribute_list=self._attribute_list,
            callback=_callback,
            cell=_cell,
            cell_code=_cell_code,
            code=_code,
            default=_default,
            elements=_elements,
            holds=self._holds,
            linked=self._linked,
            raised=lambda name: type(errors.from_status("", 1, name)).__name__,
            remedy=errors.hint_for,
            meaning=_meaning,
            names_list=_names_list,
            needed=_needed,
            plural=lambda kind: _KINDS.get(kind, kind.capitalize()),
            release_link=lambda release: f"[{release}](../releases/{release}.md)",
            signature=_signature,
            told=_told,
            types=_types,
            upgraded={item.name for items in upgrade.items(models) for item in items},
            versions=_versions,
        )
        self._templates = environment

    def pages(self) -> Any:
        """Yield paths and texts."""
        yield from self._names()
        yield from self._releases()
        yield from self._descriptors()
        yield "matrix.md", self._matrix()
        yield "errata.md", self._errata()
        yield "upgrade/8-to-9.md", self._upgrade()
        yield from python.pages()
        yield from self._entries()
        yield from programs.pages()
        yield from self._guide()

    def _render(self, template: str, **values: Any) -> str:
        text = self._templates.get_template(template).render(**values)
        return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"

    def _names(self) -> Any:
        releases = self.models.everything.releases
        for name in self.models.names():
            yield (
                f"names/{name.history.name}.md",
                self._render("name.md", n=name, h=name.history),
            )
        by_kind: dict[str, list[str]] = {kind: [] for kind in _KINDS}
        for each in self.models.everything.names:
            by_kind.setdefault(each.kind, []).append(each.name)
        kinds = [
            (kind, [(key, list(group)) for key, group in groupby(names, key=_stem)])
            for kind, names in by_kind.items()
            if names
        ]
        yield (
            "names/index.md",
            self._render(
                "names.md",
                releases=len(releases),
                first=releases[0].version,
                last=releases[-1].version,
                total=len(self.models.everything.names),
                kinds=kinds,
            ),
        )

    def _releases(self) -> Any:
        reports = {report.new.version: report for report in self.models.reports}
        sections = {
            version: "\n".join(list(steps.section(report))[1:]).strip()
            for version, report in reports.items()
        }
        rows = []
        every = self.models.everything.releases
        for place, r in enumerate(every):
            report = reports.get(r.version)
            rows.append((r, report.summary if report else _NOTHING))
            around = {
                "before": every[place - 1].version if place else "",
                "after": every[place + 1].version if place + 1 < len(every) else "",
            }
            text = self._render(
                "release.md",
                r=r,
                section=sections.get(r.version, ""),
                before=report.old.version if report else "",
                changed=report is not None and bool(report.findings),
                around=_around(**around),
                headers=[header.name for header in self.models.apis[r.api].headers],
                wheels=self.models.wheels[r.version],
            )
            yield f"releases/{r.version}.md", text.replace("](../releases/", "](")
        yield "releases/index.md", self._render("releases.md", rows=rows[::-1])

    def _descriptors(self) -> Any:
        models = self.models
        known = {each.name: each for each in models.everything.names}
        rows = []
        for owner, attributes in models.descriptors().items():
            python = python_class(owner)
            link = f"{{py:obj}}`graph.{python} <cudnn_cffi.backend.{python}>`" if python else ""
            rows.append((owner, len(attributes), models.since(owner), link))
            yield (
                f"descriptors/{owner}.md",
                self._render(
                    "descriptor.md",
                    owner=owner,
                    presence=models.presence(known[owner]),
                    attributes=attributes,
                    since={a.name: models.since(a.name) for a in attributes},
                    held_by=models.held_by.get(owner, ()),
                    python=python,
                    python_link=link,
                    manual=models.manual(known[owner]),
                    example=Example(
                        upgrade.operation(models, owner)[0], descriptor_in_python(owner, attributes)
                    ),
                ),
            )
        yield "descriptors/index.md", self._render("descriptors.md", rows=rows)

    def _matrix(self) -> str:
        apis = self.models.apis
        functions = {release: {f.name: f for f in api.functions} for release, api in apis.items()}
        names = sorted({name for each in functions.values() for name in each})

        def state(function: Function | None) -> str:
            return "" if function is None else "deprecated" if function.deprecated else "there"

        newest_first = list(reversed(apis))
        rows = [(n, [state(functions[api].get(n)) for api in newest_first]) for n in names]
        return self._render("matrix.md", apis=newest_first, rows=rows, families=_FAMILIES)

    def _errata(self) -> str:
        found = errata.files.read_package(errata.table.PATH)
        rows = [
            (
                each.id,
                each.symptom.removesuffix(","),
                each.kind,
                "yes" if each.avoided else "no",
                each.workaround or "-",
                ", ".join(each.subjects),
                ", ".join(map(str, each.engines)) or "-",
                errata.releases_of(each),
                ", ".join(f"{major}.{minor}" for major, minor in each.architectures) or "all",
                each.source,
                each.evidence,
            )
            for each in sorted(found, key=lambda each: not each.verified)
        ]
        heads = ("id", "error", "symptom", "avoided", "workaround", "of", "engines", "releases",
                 "architectures", "source", "evidence")  # fmt: skip
        return self._render("errata.md", rows=rows, heads=heads, kinds=errata.KINDS)

    def _upgrade(self) -> str:
        removed, deprecated = upgrade.items(self.models)
        return self._render(
            "upgrade.md",
            removed=removed,
            deprecated=deprecated,
            removed_groups=upgrade.groups(self.models, removed),
            deprecated_groups=upgrade.groups(self.models, deprecated),
            newest=self.models.everything.releases[-1].version,
            whole=upgrade.WHOLE,
        )

    def _entries(self) -> Any:
        for chapter in entries.chapters():
            made = list(chapter.entries)
            self.made.update(each.path for each in made)
            for each in made:
                yield f"{each.path}.md", self._render("entry.md", e=each)
                if each.picture:
                    yield f"{each.path}.svg", each.picture
            yield (
                f"{chapter.folder}/index.md",
                self._render(
                    "entries.md",
                    title=chapter.title,
                    first=chapter.first,
                    groups=list(chapter.grouped(made)),
                ),
            )

    def _guide(self) -> Any:
        for path, text in guides.pages():
            yield path, entries.linked(path, text, self.made)

    @staticmethod
    def _linked_name(name: str) -> str:
        return f"[`{name}`]({name}.md)"

    @staticmethod
    def _linked(text: str) -> str:
        """Return what replaces a name: another name, or words."""
        names = _NAMES.sub(lambda match: f"`{match[0]}`", text)
        return names.replace("the graph API", "[the graph API](../guide/graph.md)")

    def _holds(self, attribute: BackendAttribute) -> str:
        target, enum = attribute.target, attribute.enum
        if target:
            return (
                f"[`{target}`]({target}.md)"
                if target in self.models.descriptors()
                else _code(target)
            )
        return _code(enum) if enum else "-"

    def _attribute_list(self, a: BackendAttribute) -> str:
        holds = self._holds(a).replace("](", "](../descriptors/")
        rows = {
            "Type": _types(a),
            "Elements": _elements(a),
            "Needed": _needed(a),
            "Default": _default(a),
            "Holds": holds,
            "Told by": a.told_by or a.source,
        }
        lines = [f"| {key} | {value} |" for key, value in rows.items() if value not in ("-", "")]
        return "\n".join(["| property | value |", "| --- | --- |", *lines])


class _Nothing:
    breaking = risk = added = info = 0


_NOTHING = _Nothing()


_NAMES = re.compile(r"\b(?:cudnn[A-Z]\w*|CUDNN_\w*|libcudnn\w*(?:\.so\.\d+)?|cudnn\w*\.h\b)")


def _told(text: str) -> str:
    """Return text with the names in it as code, the rest meaning itself."""
    text = text.replace(" -> ", " → ")
    parts, names = _NAMES.split(text), _NAMES.findall(text)
    told = [_cell(parts[0])]
    for name, part in zip(names, parts[1:], strict=True):
        told += [_code(name), _cell(part)]
    return "".join(told)


def _file(name: str) -> str:
    """Return the name of a library's file, linked to the page of the library."""
    return f"[`{name}`](../names/{name.partition('.so')[0]}.md)"


def _python_name(name: str) -> str:
    """Return a name of Python's, linked to the class that it is, or that has it."""
    first, *others = name.split(".")
    owner = f"backend.{others[0]}" if first == "graph" else first
    return f"{{py:obj}}`{name} <cudnn_cffi.{owner}>`"


def _see_link(name: str) -> str:
    """Return a name of this package as code, linked to the page of its operation or node."""
    first, _, last = name.rpartition(".")
    rooms = {"ops": entries.operations, "Graph": entries.nodes}
    if first not in rooms or last not in rooms[first].names():
        return _code(name)
    return f"[`{name}`](../{'nodes' if first == 'Graph' else 'operations'}/{last}.md)"


def _names_list(names: Sequence[str]) -> str:
    """Return names one below the other, in columns."""
    return "\n".join(["{.names}", *(f"- `{name}`" for name in names)])


def _around(before: str, after: str) -> str:
    links = [f"[← {before}]({before}.md)"] if before else []
    links += [f"[{after} →]({after}.md)"] if after else []
    return " · ".join([*links, "[all releases](index.md)", "[functions by release](../matrix.md)"])


def _callback(callback: Callback) -> str:
    return _listed(f"{callback.result} (*{callback.name})", callback.parameters)


def _stem(name: str) -> str:
    """Return what the names in one paragraph of the list have in common."""
    words = re.findall(r"[A-Z][a-z0-9]+|[A-Z0-9]+(?=_|$)|[a-z]+", name)
    return " ".join(words[:2])


def _code(text: str) -> str:
    return f"`{text}`"


def _cell_code(text: str) -> str:
    return _code(text.replace("|", "\\|")) if text else ""


def _cell(text: str) -> str:
    """Return text that means itself in a cell of a table."""
    return re.sub(r"([|*_\\<>`\[\]])", r"\\\1", text.replace("\n", " "))


def _article(kind: str) -> str:
    return "An" if kind[0] in "aeiou" else "A"


def _versions(span: Any) -> str:
    return span.first if span.first == span.last else f"{span.first} to {span.last}"


def _signature(function: Function) -> str:
    return _listed(f"{function.result} {function.name}", function.parameters)


def _listed(start: str, parameters: Sequence[Parameter]) -> str:
    lines = [f"    {_declared(p.type, p.name)}" for p in parameters]
    inside = ",\n".join(lines)
    return f"{start}(\n{inside});" if lines else f"{start}(void);"


def _declared(type_: str, name: str) -> str:
    base, bracket, rest = type_.partition("[")
    space = "" if base.endswith("*") else " "
    return f"{base}{space}{name}{bracket}{rest}"


#: The kind of numbers without another meaning.
_PLAIN = {
    "int": "an int",
    "int32_t": "an int",
    "int64_t": "an int",
    "uint32_t": "an int that is not negative",
    "size_t": "an int that is not negative",
    "unsigned int": "an int that is not negative",
    "unsigned long long": "an int that is not negative",
    "float": "a float",
    "double": "a float",
    "cudaGraph_t": "a graph of CUDA's, by its address",
}


def _meaning(name: Name, parameter: Any) -> str:
    """Return the docstring's text about a parameter, without its C type, for a cell of a table."""
    match = re.search(
        rf"^    {re.escape(parameter.name)}: ((?:.+\n?)(?:        .+\n?)*)", name.doc, re.M
    )
    text = " ".join(match[1].split()).rstrip(".") if match else parameter.kind
    bare = parameter.type.replace(" *", "*")
    for spelled in (parameter.type, bare):
        text = text.removeprefix(spelled).removeprefix(", ").removeprefix("; ")
    text = text or _PLAIN.get(parameter.type.removeprefix("const "), "")
    pieces = enumerate(text.split("`"))
    return "".join(_cell_code(piece) if at % 2 else _cell(piece) for at, piece in pieces)


def _types(a: BackendAttribute) -> str:
    return " or ".join(_code(t.removeprefix("CUDNN_TYPE_").lower()) for t in a.types) or "-"


def _elements(a: BackendAttribute) -> str:
    if a.count is None:
        return "-"
    if a.count == "one":
        return "1"
    text = f"up to {a.most}" if a.most else "many"
    return text + (
        f", as many as {', '.join(_shortened(n, a.name) for n in a.as_long_as)}"
        if a.as_long_as
        else ""
    )


def _needed(a: BackendAttribute) -> str:
    text: str = a.needed or a.needed_in_graph or "-"
    for word, names in (("unless", a.unless), ("with", a.along_with)):
        if names:
            text += f", {word} {', '.join(_shortened(name, a.name) for name in names)}"
    return text


def _shortened(name: str, beside: str) -> str:
    """Return an attribute's name without the words that it shares with another."""
    words, others = name.split("_"), beside.split("_")
    shared = 0
    while shared < len(words) - 1 and words[shared : shared + 1] == others[shared : shared + 1]:
        shared += 1
    return f"[`{'_'.join(words[shared:])}`](../names/{name}.md)"


def _default(a: BackendAttribute) -> str:
    if a.uninitialized:
        return "left to chance"
    if a.default is None:
        return "-"
    shown = f"`{a.default}`"
    return f"{shown}, shown but not used" if a.unread_default else shown
