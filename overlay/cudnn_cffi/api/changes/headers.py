"""Changes of headers and libraries, and of functions that no header declares."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

from ..model import Api, version_key
from .finding import UNDECLARED, Finding, Thing

#: Kinds for which the header of a declaration does not matter.
_ANYWHERE = {"enumerator", "flag", "constant", "version macro"}


def headers(
    old: Api, new: Api, before: Mapping[str, Thing], after: Mapping[str, Thing]
) -> Iterator[Finding]:
    """Yield headers that are gone or new, and declarations that moved between headers."""
    old_reach, new_reach = header_reach(old), header_reach(new)
    for name in old_reach.keys() - new_reach.keys():
        yield Finding("header-removed", name, "header")
    for name in new_reach.keys() - old_reach.keys():
        yield Finding("header-added", name, "header")
    for name, was in before.items():
        now = after.get(name)
        if now and was.header and now.header != was.header and was.kind not in _ANYWHERE:
            yield Finding("declaration-moved", name, was.kind, None, was.header, now.header)
    places = Counter(
        (was.header, after[name].header) for name, was in before.items() if name in after
    )
    for header in old_reach.keys() & new_reach.keys():
        lost = {
            (was, now): count
            for (was, now), count in places.items()
            if was in old_reach[header] and now not in new_reach[header]
        }
        if lost:
            needed = ", ".join(sorted({str(now) for _, now in lost}))
            note = f"{sum(lost.values())} names need {needed}"
            yield Finding("include-insufficient", header, "header", note=note)


def header_reach(api: Api) -> dict[str, set[str]]:
    """For each header, itself and every other header of cuDNN's that it brings."""
    includes = {header.name: header.includes for header in api.headers}
    reach: dict[str, set[str]] = {}
    for header in includes:
        found, open_ = {header}, [header]
        while open_:
            fresh = set(includes.get(open_.pop(), ())) - found
            found |= fresh
            open_ += fresh
        reach[header] = found
    return reach


_OWN_LIBRARY = re.compile(r"(cudnn_(?:graph|ops|cnn|adv)(?:_infer|_train)?)\.h")

#: Headers whose functions are in a library of another name; read from the symbol tables of 8.9.7
#: and 9.28.0, where every other function is in the library that is called like its header.
_GUEST_OF = {
    "cudnn_backend.h": "libcudnn_cnn_infer",
    "cudnn_gnn_ops.h": "libcudnn_ext",
    "cudnn_subquadratic_ops.h": "libcudnn_ext",
}


def library(header: str) -> str | None:
    """Return the sub-library with the functions of a header; None if that is not known."""
    match = _OWN_LIBRARY.fullmatch(header)
    return f"lib{match[1]}" if match else _GUEST_OF.get(header)


def libraries(old: Api, new: Api) -> Iterator[Finding]:
    """Yield library files that are gone or new, and functions that moved between them."""
    major, new_major = version_key(old.release)[0], version_key(new.release)[0]
    before, after = ({each.name for each in api.libraries} for api in (old, new))
    if not (before and after):
        before = after = {"libcudnn"}  # of headers alone, all that is known
    if major != new_major:
        for name in before & after:
            files = f"{name}.so.{major}", f"{name}.so.{new_major}"
            yield Finding("library-renamed", name, "library", None, *files)
    for name in before - after:
        yield Finding("library-removed", name, "library", old=f"{name}.so.{major}")
    for name in after - before:
        yield Finding("library-added", name, "library", new=f"{name}.so.{new_major}")
    yield from undeclared(old, new)
    now = {function.name: library(function.header) for function in new.functions}
    for function in old.functions:
        was, is_ = library(function.header), now.get(function.name)
        if was and is_ and was != is_:
            yield Finding("symbol-moved", function.name, "function", None, was, is_)


def undeclared(old: Api, new: Api) -> Iterator[Finding]:
    """Yield functions that no header declares, of files that were read in both releases.

    One that a header of the other release declares is another finding's.
    """
    declared = {function.name for api in (old, new) for function in api.functions}
    exports = [
        {
            each.name: set(each.undeclared) - declared
            for each in api.libraries
            if each.undeclared is not None
        }
        for api in (old, new)
    ]
    before, after = exports
    gone, come = defaultdict(list), defaultdict(list)
    for library in sorted(before.keys() & after.keys()):
        for name in before[library] - after[library]:
            gone[name].append(library)
        for name in after[library] - before[library]:
            come[name].append(library)
    for name, libraries in gone.items():
        yield Finding("undeclared-removed", name, UNDECLARED, old=", ".join(libraries))
    for name, libraries in come.items():
        yield Finding("undeclared-added", name, UNDECLARED, new=", ".join(libraries))
