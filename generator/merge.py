"""Many models, one call layer: which releases have a function, and with which signature."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from cudnn_cffi.api import model

_Form = tuple[object, ...]  # `Function.form`


class MergeError(Exception):
    """Models that do not belong together."""


@dataclass(frozen=True)
class Variant:
    """One form of a function; a function has several only where a release changed its signature."""

    wrapper: str  # the Python name; the C name, but for all forms except the newest
    function: model.Function  # as the newest release with this form has it
    releases: tuple[str, ...]  # versions, oldest first


@dataclass(frozen=True)
class Merged:
    releases: tuple[model.Release, ...]  # oldest first
    apis: Mapping[str, model.Api]  # by Release.api
    variants: Mapping[str, tuple[Variant, ...]]  # by C name, newest form first

    @property
    def newest(self) -> model.Api:
        return self.apis[self.releases[-1].api]

    def all_variants(self) -> list[Variant]:
        return [variant for name in sorted(self.variants) for variant in self.variants[name]]

    def since(self, name: str) -> str:
        """The oldest release here with a function of this name."""
        return min((v.releases[0] for v in self.variants[name]), key=model.version_key)

    def deprecated(self, name: str) -> str | None:
        """The oldest release here that marks a function of this name as deprecated."""
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
        """The release that no longer has it, where newer ones do not have it either."""
        last = max((v.releases[-1] for v in self.variants[name]), key=model.version_key)
        later = [r.version for r in self.releases if _key(r) > model.version_key(last)]
        return later[0] if later else None


def _key(release: model.Release) -> tuple[int, ...]:
    return model.version_key(release.version)


def merge(releases: Iterable[model.Release], apis: Mapping[str, model.Api]) -> Merged:
    """The union of the models.

    Raises:
        MergeError: a release without its model, or two that claim one version.
    """
    ordered = tuple(sorted(releases, key=_key))
    if not ordered:
        raise MergeError("no release has been generated yet")
    for earlier, later in pairwise(ordered):
        if earlier.version == later.version:
            raise MergeError(f"two releases are called {later.version}")
    forms: dict[str, dict[_Form, tuple[model.Function, list[str]]]] = {}
    by_api: dict[str, list[tuple[model.Function, _Form]]] = {}
    for release in ordered:
        if release.api not in apis:
            raise MergeError(f"{release.version}: there is no model {release.api}")
        if release.api not in by_api:
            by_api[release.api] = [(f, f.form) for f in apis[release.api].functions]
        for function, form in by_api[release.api]:
            by_form = forms.setdefault(function.name, {})
            _, versions = by_form.get(form, (function, []))
            versions.append(release.version)
            by_form[form] = (function, versions)
    variants = {}
    for name, by_form in forms.items():
        newest_first = sorted(
            by_form.values(), key=lambda form: model.version_key(form[1][-1]), reverse=True
        )
        variants[name] = tuple(
            Variant(name if i == 0 else f"{name}__{_suffix(versions[-1])}", f, tuple(versions))
            for i, (f, versions) in enumerate(newest_first)
        )
    return Merged(ordered, {r.api: apis[r.api] for r in ordered}, variants)


def _suffix(version: str) -> str:
    return version.replace(".", "_")
