"""Many models, one call layer: which releases have a function, and with which signature."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import msgspec
from cudnn_cffi.api import model
from cudnn_cffi.api.names.forms import fits

from .. import GeneratorError
from ..classify import CType
from . import names
from .codes import SPELLED


class MergeError(GeneratorError):
    """Models that do not belong together."""


class Variant(msgspec.Struct, frozen=True):
    """One form of a function; a function has several only where a release changed its signature."""

    wrapper: str  # the Python name; the C name, but for all forms except the newest
    function: model.Function  # as the newest release with this form has it
    releases: tuple[str, ...]  # versions, oldest first

    @property
    def module(self) -> str:
        """The module of calls that has the wrapper."""
        return names.header_module(self.function.header)


@dataclass(frozen=True)
class Merged:
    """The models of all releases, and the variants of each function."""

    releases: tuple[model.Release, ...]  # oldest first
    apis: Mapping[str, model.Api]  # by Release.api
    variants: Mapping[str, tuple[Variant, ...]]  # by C name, newest form first

    @property
    def newest(self) -> model.Api:
        """The model of the newest release."""
        return self.apis[self.releases[-1].api]

    def all_variants(self, version: str = "") -> list[Variant]:
        """Return all variants, by the C names of their functions; or those of a release."""
        found = [variant for name in sorted(self.variants) for variant in self.variants[name]]
        return [each for each in found if version in each.releases] if version else found

    def since(self, name: str) -> str:
        """Return the oldest release here with a function, enumerator or flag of this name."""
        return self._lives[name][0]

    def deprecated(self, name: str) -> str | None:
        """Return the oldest release here that marks a function of this name as deprecated."""
        return self._deprecated.get(name)

    @cached_property
    def _deprecated(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for release in self.releases:
            for function in self.apis[release.api].functions:
                if function.deprecated:
                    found.setdefault(function.name, release.version)
        return found

    def removed(self, name: str) -> str | None:
        """Return the release that no longer has it, where newer ones do not have it either."""
        return self._lives[name][1]

    def life(self, name: str) -> str:
        """Return since when something exists and until when, in words; "" if it always did."""
        since, removed = self._lives[name]
        told = [f"Since {since}."] if since != self.releases[0].version else []
        return " ".join([*told, f"Removed in {removed}."] if removed else told)

    @cached_property
    def _lives(self) -> dict[str, tuple[str, str | None]]:
        """By name: the oldest release with it, and the first one without it again."""
        having: dict[str, set[str]] = {}
        for api in self.apis.values():
            names_ = [function.name for function in api.functions]
            names_ += [member.name for enum in api.enums for member in enum.enumerators]
            names_ += [member.name for flags in api.flags for member in flags.members]
            for name in names_:
                having.setdefault(name, set()).add(api.release)
        lives = {}
        for name, apis in having.items():
            indices = [i for i, release in enumerate(self.releases) if release.api in apis]
            after = [release.version for release in self.releases[indices[-1] + 1 :]]
            lives[name] = (self.releases[indices[0]].version, after[0] if after else None)
        return lives


def _key(release: model.Release) -> tuple[int, ...]:
    return model.version_key(release.version)


def merge(releases: Iterable[model.Release], apis: Mapping[str, model.Api]) -> Merged:
    """Return the union of the models.

    Raises:
        MergeError: a release without its model, two that claim one version, or a type that is of
            another size in another release.
    """
    ordered = tuple(sorted(releases, key=_key))
    if not ordered:
        raise MergeError("no release has been generated yet")
    for earlier, later in pairwise(ordered):
        if earlier.version == later.version:
            raise MergeError(f"two releases are called {later.version}")
    forms: dict[str, list[_Form]] = {}
    types: dict[str, tuple[object, str]] = {}
    for release in ordered:
        if release.api not in apis:
            raise MergeError(f"{release.version}: there is no model {release.api}")
        for name, what in _passed_types(apis[release.api]):
            known_as, since = types.setdefault(name, (what, release.version))
            if known_as != what:
                raise MergeError(
                    f"{name} is another type in {release.version} than in {since}: one wrapper "
                    "cannot pass both"
                )
        for function in apis[release.api].functions:
            known = forms.setdefault(function.name, [])
            same = (f for f in known if f.function is function or fits(f.function, function))
            form = next(same, None)
            if form is None:
                form = _Form(function)
                known.append(form)
            form.function = function
            form.releases.append(release.version)
    variants = {}
    for name, known in forms.items():
        known.sort(key=lambda form: model.version_key(form.releases[-1]), reverse=True)
        variants[name] = tuple(
            Variant(
                name if i == 0 else f"{name}__{form.releases[-1].replace('.', '_')}",
                form.function,
                tuple(form.releases),
            )
            for i, form in enumerate(known)
        )
    return Merged(ordered, {r.api: apis[r.api] for r in ordered}, variants)


def _passed_types(api: model.Api) -> Iterator[tuple[str, object]]:
    """Yield names of typedefs and of structs passed by value, with the type or the size of each."""
    for typedef in api.typedefs:
        yield typedef.name, SPELLED.get(typedef.type, typedef.type)
    by_value = {
        CType.of(parameter.type).base
        for function in api.functions
        for parameter in function.parameters
        if parameter.kind == "struct" and CType.of(parameter.type).value
    }
    yield from ((record.name, record.size) for record in api.records if record.name in by_value)


class _Form:
    """Releases of a function that one wrapper can call."""

    def __init__(self, function: model.Function) -> None:
        self.function = function  # as the newest of these releases has it
        self.releases: list[str] = []
