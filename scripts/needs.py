"""Write docs/needs.md: the attributes that backend descriptors need, by the library and the header.

Run `python -m scripts.needs` after a probe, or with `--check` to see whether the page is up to
date. The facts are those of the newest release whose library was asked.
"""

from __future__ import annotations

from collections.abc import Iterable

from cudnn_cffi.api.inputs.store import Store
from cudnn_cffi.api.model import Api, BackendAttribute, version_key

from generator.schema import answers
from generator.schema.answers import Answers

from . import pages
from .pages import ROOT

MODELS = ROOT / "generated" / "cudnn_cffi" / "api"

HEAD = """# What backend descriptors need

<!-- Written by scripts/needs.py from the answers of libraries; change these. -->

`cudnnBackendFinalize` of cuDNN {release} was asked, without a GPU, which attributes each descriptor
cannot do without: by itself, in a graph of the one operation, and in each of its modes. A
descriptor that finalizes may still lack what a computation needs. The comments of `cudnn_graph.h`
say of {stated} of {count} attributes whether they are required. [model.md](model.md) explains the
words and how libraries are asked.
"""

CONTRADICTIONS = """## Where the header and the library differ

| attribute | the header says | the library |
|---|---|---|
"""

DESCRIPTOR = """## {name}

| attribute | header | Finalize | in a graph | required with |
|---|---|---|---|---|
"""


def short(name: str) -> str:
    """Return a name as the tables show it."""
    return f"`{name.removeprefix('CUDNN_ATTR_')}`"


def modes(conditions: Iterable[Iterable[str]]) -> str:
    """Return conditions as text."""
    return "; ".join(" and ".join(f"`{each}`" for each in one) for one in conditions)


def difference(each: BackendAttribute) -> str:
    """Return how the library contradicts the header about an attribute; "" if it does not."""
    needs = {each.needed, each.needed_in_graph} - {None}
    if not needs or each.stated is None:
        return ""
    if each.stated == "optional":
        if "required" in needs:
            return "refuses a descriptor without it"
        if each.required_in:
            return f"refuses a descriptor without it with {modes(each.required_in)}"
        return ""
    if "required" in needs:
        return "refuses every descriptor without it" if each.stated == "conditional" else ""
    if each.required_in:
        with_ = modes(each.required_in)
        return f"refuses a descriptor without it only with {with_}" * (each.stated == "required")
    if "alternative" in needs:
        return "takes descriptors without it, if others are set" * (each.stated == "required")
    return "takes every descriptor without it"


def page(api: Api, told: Answers) -> str:
    """Return the page."""
    stated = [each for each in api.attributes if each.stated]
    parts = [HEAD.format(release=told.version, stated=len(stated), count=len(api.attributes))]
    rows = [
        f"| {short(each.name)} | {each.stated} | {text} |"
        for each in api.attributes
        if (text := difference(each))
    ]
    rows += [
        f"| {short(name)} | names it | declares no such attribute |" for name in told.undeclared
    ]
    parts.append(CONTRADICTIONS + "\n".join(rows) + "\n")
    by_owner: dict[str, list[BackendAttribute]] = {}
    for each in api.attributes:
        if each.needed and each.writable is not False:
            by_owner.setdefault(each.owner, []).append(each)
    for owner, attributes in by_owner.items():
        lines = [
            f"| {short(each.name)} | {each.stated or ''} | {each.needed} | "
            f"{each.needed_in_graph or ''} | {modes(each.required_in)} |"
            for each in attributes
        ]
        name = owner.removeprefix("CUDNN_BACKEND_").removesuffix("_DESCRIPTOR")
        unreached = [
            members
            for needs in told.modes.get(owner, ())
            if needs.reached == "none"
            for members in needs.modes
        ]
        text = DESCRIPTOR.format(name=name) + "\n".join(lines) + "\n"
        if unreached:
            text += f"\nNo valid descriptor was found with {modes(unreached)}.\n"
        parts.append(text)
    return "\n".join(parts)


def newest() -> str:
    """Return the page of the newest release that was asked."""
    told = max(answers.load(), key=lambda each: version_key(each.version))
    store = Store(MODELS)
    release = next(each for each in store.releases() if each.version == told.version)
    return page(store.api(release.api), told)


if __name__ == "__main__":
    raise SystemExit(pages.write(__doc__, {ROOT / "docs" / "needs.md": newest()}))
