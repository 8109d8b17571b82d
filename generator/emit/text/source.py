"""Data of all emitted files: the plans of all functions, and the history of all names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property

from ...lower.merge import Merged
from ...lower.plan import Context, Plan
from ...lower.planner import plan


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
            modules.setdefault(each.module, []).append(each)
        return dict(sorted(modules.items()))

    @cached_property
    def newest(self) -> frozenset[str]:
        """The functions of the newest release."""
        return frozenset(function.name for function in self.merged.newest.functions)

    @cached_property
    def _newest_forms(self) -> dict[str, str]:
        """The highest of names that differ in the number at their end, by the name without it."""
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
