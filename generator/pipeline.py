"""Run the steps from headers to a tree, in order."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from cudnn_cffi.api import model

from . import GeneratorError, classify, meanings, schema, tree
from .headers import CudaHeaders, HeaderSet, Registry, from_folder
from .lower.merge import Merged, merge
from .lower.plan import Context, PlanError
from .lower.planner import plan

Step = Callable[[str], None]


class PipelineError(GeneratorError):
    """Something about the models that stops the run."""


@dataclass
class Report:
    """Report of a run, for its user."""

    generated: list[str] = field(default_factory=list)  # versions
    notes: list[str] = field(default_factory=list)
    changed: int = 0  # files
    releases: int = 0  # in the tree afterwards
    apis: int = 0


def api_from_headers(
    headers: HeaderSet,
    cuda: CudaHeaders,
    facts: classify.Facts | None = None,
    remarks: list[str] | None = None,
    *,
    strict: bool = True,
    keep_guesses: bool = False,
) -> model.Api:
    """Return the classified model of one release.

    Args:
        headers: those of cuDNN.
        cuda: what they include of CUDA's.
        facts: what headers do not say; by default those of the generator.
        remarks: gets a line for each thing that is left out or not as C has it.
        strict: whether what no rule or fact explains is an error, and not one of the remarks.
        keep_guesses: take parameters for what rules say, where nothing is called.

    Raises:
        ParseError, ClassificationError, AttributesError: the headers say something that is not
            understood.
    """
    from .read import parse

    facts = facts or classify.Facts.load()
    declarations = parse.parse(headers.files, cuda.files, headers.version)
    questions: list[classify.Question] | None = None if strict else []
    api = classify.classify(declarations, facts, questions, keep_guesses=keep_guesses)
    strangers: list[str] | None = None if strict else []
    api = model.replace(api, attributes=_attributes(api, strangers))
    if remarks is not None:
        remarks += declarations.left_out
        remarks += [str(each) if keep_guesses else each.remark for each in questions or ()]
        lacks = "is an enumerator alone, since no descriptor type's name begins its name"
        remarks += [f"{name} {lacks}" for name in strangers or ()]
    return api


def _attributes(
    api: model.Api, strangers: list[str] | None = None
) -> tuple[model.BackendAttribute, ...]:
    from . import attributes

    values = {enum.name: {e.name: e.value for e in enum.enumerators} for enum in api.enums}
    names = values.get("cudnnBackendAttributeName_t")
    if names is None:
        return ()
    owners, types = (
        values.get(f"cudnnBackend{n}_t", {}) for n in ("DescriptorType", "AttributeType")
    )
    return attributes.attributes(api.release, owners, names, types=types, strangers=strangers)


def api_from_folder(
    folder: str | os.PathLike[str], version: str | None = None, cuda: CudaHeaders | None = None
) -> tuple[model.Api, list[str]]:
    """Return the model of the headers in a folder, for comparing them, and remarks on it."""
    if cuda is None:
        with Registry() as registry:
            cuda = registry.cuda_headers()
    remarks: list[str] = []
    headers = from_folder(folder, version)
    api = api_from_headers(headers, cuda, remarks=remarks, strict=False, keep_guesses=True)
    return api, remarks


def generate(
    sets: Iterable[HeaderSet],
    cuda: CudaHeaders,
    folder: Path,
    step: Step = lambda _: None,
    facts: classify.Facts | None = None,
) -> Report:
    """Add releases to the tree at `folder`, or make it, and emit everything anew.

    The result depends on which releases are in the tree, not on their order.
    On any exception the tree is as it was.
    """
    tree.require_own(folder)
    report, parsed = read(sets, cuda, step, facts=facts)
    with tree.locked(folder):  # not while headers are fetched
        contents = tree.load(folder)
        for headers, api in parsed:
            add(contents, headers, api)
        return _emit(contents, folder, report, step)


def read(
    sets: Iterable[HeaderSet],
    cuda: CudaHeaders,
    step: Step = lambda _: None,
    *,
    strict: bool = True,
    facts: classify.Facts | None = None,
) -> tuple[Report, list[tuple[HeaderSet, model.Api]]]:
    """Return the models of headers, and what is to be said of them.

    Args:
        sets: the headers of each release.
        cuda: what they include of CUDA's.
        step: told what is being done.
        strict: whether what no rule or fact explains is an error; else it is told in the notes.
        facts: what headers do not say; by default those of the generator.
    """
    facts = facts or classify.Facts.load()
    report = Report()
    parsed = []
    for headers in sets:
        step(f"parsing {headers.version}")
        remarks: list[str] = []
        api = api_from_headers(headers, cuda, facts, remarks, strict=strict)
        api = _callable(api, remarks)
        left_out = {each.partition(":")[0] for each in remarks}
        left_out -= {function.name for function in api.functions}
        exports = _without(headers.exports, left_out)
        headers = model.replace(headers, exports=exports, remarks=tuple(remarks))
        libraries = headers.libraries or ()
        api = model.replace(api, libraries=tuple(map(model.Library, libraries)))
        report.notes += [f"{api.release}: {each}" for each in remarks]
        report.notes += _notes(api, facts)
        report.generated.append(headers.version)
        parsed.append((headers, api))
    return report, parsed


def _callable(api: model.Api, remarks: list[str]) -> model.Api:
    """Return the model without the functions that the call layer cannot express."""
    release = model.Release(version=api.release, build=api.release, api=api.release)
    merged = merge([release], {api.release: api})
    context, kept = Context.of(merged), []
    for function in api.functions:
        try:
            plan(merged.variants[function.name][0], context)
        except PlanError as error:
            remarks.append(f"{error}; it is left out")
        else:
            kept.append(function)
    return model.replace(api, functions=tuple(kept))


def _without(exports: Mapping[str, Iterable[str]], names: set[str]) -> dict[str, tuple[str, ...]]:
    """Return what libraries export, by library, but for the functions of these names."""
    return {name: tuple(sorted(set(found) - names)) for name, found in exports.items()}


def add(contents: tree.Contents, headers: HeaderSet, api: model.Api) -> None:
    """Put a release and its model among the contents of a tree."""
    build = headers.build
    known = contents.releases.get(headers.version)
    if known is not None and known.headers == headers.digest and build == headers.version:
        build = known.build  # a folder does not say it, but these are the same files
        api = model.replace(api, libraries=contents.apis[headers.version].libraries)
    before = known.undeclared if known is not None and known.build == build else {}
    contents.apis[headers.version] = api
    contents.releases[headers.version] = model.Release(
        version=headers.version,
        build=build,
        api=headers.version,
        headers=headers.digest,
        date=headers.date or (known.date if known else ""),
        wheels=headers.wheels or (known.wheels if known else {}),
        undeclared=_undeclared(api, headers.exports, before),
        remarks=headers.remarks,
    )


def _undeclared(
    api: model.Api, exports: Mapping[str, Iterable[str]], before: Mapping[str, tuple[str, ...]]
) -> dict[str, tuple[str, ...]]:
    """Return the functions that no header declares, by library, in the order of names.

    Libraries that were not read now have those that they had `before`.
    """
    read = _without(exports, {function.name for function in api.functions})
    return dict(sorted({**before, **read}.items()))


def record_wheels(
    folder: Path,
    platforms: Mapping[str, Mapping[str, tuple[str, ...]]],
    step: Step = lambda _: None,
) -> Report:
    """Write into the tree for which platforms a package index has wheels.

    Args:
        folder: the tree.
        platforms: those of each release, by CUDA's major version.
        step: told what is being done.
    """
    with tree.locked(folder):
        contents = _models(folder)
        known = [version for version in contents.releases if version in platforms]
        for version in known:
            contents.releases[version] = model.replace(
                contents.releases[version], wheels=dict(platforms[version])
            )
        return _emit(contents, folder, Report(generated=known), step)


def record_exports(
    folder: Path,
    versions: Sequence[str],
    exports: Callable[[model.Release], Mapping[str, Iterable[str]]],
    step: Step = lambda _: None,
) -> Report:
    """Write into the tree what libraries export without a header that declares it.

    Args:
        folder: the tree.
        versions: releases of the tree; by default all.
        exports: gives the functions of a release by library, of those that can be read.
        step: told what is being done.

    Raises:
        PipelineError: the tree lacks a release.
    """
    releases = _models(folder).releases
    if missing := [version for version in versions if version not in releases]:
        raise PipelineError(f"{folder} has no release {', '.join(missing)}")
    found = {}
    for version in versions or releases:
        step(f"reading the libraries of {version}")
        found[version] = exports(releases[version])
    with tree.locked(folder):
        contents = _models(folder)
        for version, by_library in found.items():
            release = contents.releases[version]
            undeclared = _undeclared(contents.apis[version], by_library, release.undeclared)
            contents.releases[version] = model.replace(release, undeclared=undeclared)
        return _emit(contents, folder, Report(generated=list(found)), step)


def _notes(api: model.Api, facts: classify.Facts) -> list[str]:
    """Return notes about a release: oddities, and parts that it lacks."""
    notes = [
        f"{api.release}: {key} is {parameter.direction} here, "
        f"{parameter.documented} in the header's comment"
        for key, parameter in classify.disagreements(api, facts)
    ]
    if unknown := sum(each.source == "unknown" for each in api.attributes):
        notes.append(f"{api.release}: {unknown} backend attributes of unknown type")
    fewer = [each.name for each in api.attributes if each.source.endswith("less later types")]
    if fewer:
        notes.append(
            f"{api.release}: only the types that this release has of {len(fewer)} backend "
            f"attributes, whose types were asked of a later library: {', '.join(fewer)}"
        )
    if not any(function.name == "cudnnGetVersion" for function in api.functions):
        notes.append(
            f"{api.release}: the headers declare no cudnnGetVersion, without which a library is "
            "not known by its release: the tables can be read and compared, but not called with"
        )
    return notes


def reemit(folder: Path, step: Step = lambda _: None, *, trust_models: bool = False) -> Report:
    """Emit everything from the models in the tree; needs no header and no network.

    Args:
        folder: the tree.
        step: told what is being done.
        trust_models: take models with other hashes than the manifest's, after a merge for one.
    """
    if not tree.has_models(folder):  # before a lock is made where there is no tree
        raise _no_models(folder)
    with tree.locked(folder):
        return _emit(_models(folder, trust_models), folder, Report(), step)


def _models(folder: Path, trust_models: bool = False) -> tree.Contents:
    contents = tree.load(folder, trust_models=trust_models)
    if not contents.releases:
        raise _no_models(folder)
    return contents


def _no_models(folder: Path) -> PipelineError:
    return PipelineError(f"{folder} has no models to emit from")


def _emit(contents: tree.Contents, folder: Path, report: Report, step: Step) -> Report:
    step(f"emitting {len(contents.releases)} releases")
    merged = contents.merged()
    if folder.resolve() == tree.HOME.resolve() and (unused := _without_use(merged)):
        raise PipelineError("\n".join(unused))
    wanted = tree.files(merged)
    step(f"writing {len(wanted)} files")
    report.changed = tree.write(folder, wanted)
    report.releases = len(contents.releases)
    report.apis = len(merged.apis)
    return report


def _without_use(merged: Merged) -> list[str]:
    """Return the meanings that match nothing, in a tree that has every release."""
    functions = [variant.function for variant in merged.all_variants()]
    unused = meanings.load().unused(functions)
    return [f"a meaning that matches nothing: {each}" for each in unused]


def check(folder: Path) -> list[str]:
    """Return what is not as it should be in the tree: a line each, empty when all is well.

    Files differ from what the models give, or the models from what the rules and facts give; or
    facts match nothing, where the tree is the checkout's, which has every release.
    """
    merged = _models(folder).merged()
    found = tree.differences(folder, tree.files(merged))
    facts = classify.Facts.load()
    found += stale(merged.apis.values(), facts)
    if folder.resolve() == tree.HOME.resolve():
        found += [f"a fact that matches nothing: {fact}" for fact in facts.unused()]
        found += _without_use(merged)
    return found


def stale(apis: Iterable[model.Api], facts: classify.Facts) -> list[str]:
    """Models that differ from what the rules, facts and evidence give today, in lines.

    Notes which facts matter.
    """
    found = []
    for api in apis:
        today = classify.classify_again(api, facts)
        classify.disagreements(api, facts)
        if (today.functions, today.flags) != (api.functions, api.flags):
            found.append(f"classified by other rules: {api.release}; generate it again")
        if _attributes(api, []) != schema.forget(api).attributes:
            found.append(f"attributes of other evidence: {api.release}; generate it again")
    return found
