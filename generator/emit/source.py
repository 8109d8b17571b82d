"""What all emitted files are made of: the plans of all functions, and the history of all names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property

from ..lower import names
from ..lower.merge import Merged
from ..lower.plan import Context, Plan, plan


def life(since: str, removed: str | None) -> str:
    """Return since when something exists and until when, where these are known."""
    told = [f"Since {since}."] if since else []
    return " ".join([*told, f"Removed in {removed}."] if removed else told)


class Source:
    """The models of all releases, with the plans of their functions.

    Attributes:
        merged: the models.
        prefixes: what is cut off the names of the members of each enum.
        context: what plans need to know of the models.
        plans: one for each wrapper, by name.
    """

    def __init__(self, merged: Merged, prefixes: Mapping[str, str]) -> None:
        self.merged = merged
        self.prefixes = prefixes
        self.context = Context.of(merged)
        wrappers = (plan(variant, self.context) for variant in merged.all_variants())
        self.plans = sorted(wrappers, key=lambda each: each.name)

    @cached_property
    def modules(self) -> dict[str, list[Plan]]:
        """The plans of each module of calls."""
        modules: dict[str, list[Plan]] = {}
        for each in self.plans:
            modules.setdefault(names.header_module(each.function.header), []).append(each)
        return dict(sorted(modules.items()))

    @cached_property
    def newest(self) -> frozenset[str]:
        """The functions of the newest release."""
        return frozenset(function.name for function in self.merged.newest.functions)

    @cached_property
    def _newest_forms(self) -> dict[str, str]:
        """Of names that end in a number, the one with the highest, by the name without it."""
        numbered = [re.fullmatch(r"(\w+)_v(\d+)", name) for name in self.newest]
        forms = sorted((int(form[2]), form[1], form[0]) for form in numbered if form)
        return {stem: name for _, stem, name in forms}

    def successor(self, name: str) -> str | None:
        """Return what the headers recommend, else the newest numbered form of the function."""
        function = self.merged.variants[name][0].function
        if function.successor in self.newest:
            return function.successor
        if name in self.newest and not function.deprecated:
            return None
        form = self._newest_forms.get(re.sub(r"(?:_v\d+|Ex)$", "", name))
        return form if form != name else None

    def removal(self, each: Plan) -> str:
        """Return when a function was removed and what replaces it; "" if it is there."""
        removed = self.merged.removed(each.function.name)
        if not removed:
            return ""
        successor = self.successor(each.function.name)
        return f"removed in {removed}{f'; use {successor}' if successor else ''}"

    def life(self, enumerator: str) -> str:
        """Return since when an enumerator exists and until when; "" if it always did."""
        since, removed = self._lives[enumerator]
        return life(since if since != self.merged.releases[0].version else "", removed)

    @cached_property
    def _lives(self) -> dict[str, tuple[str, str | None]]:
        """The first release with each enumerator, and the first without it again."""
        having: dict[str, set[str]] = {}
        for api in self.merged.apis.values():
            members = [e for enum in api.enums for e in enum.enumerators]
            for member in [*members, *(m for flags in api.flags for m in flags.members)]:
                having.setdefault(member.name, set()).add(api.release)
        lives = {}
        versions = [r.version for r in self.merged.releases]
        for name, apis in having.items():
            indices = [i for i, r in enumerate(self.merged.releases) if r.api in apis]
            lives[name] = (versions[indices[0]], next(iter(versions[indices[-1] + 1 :]), None))
        return lives
