"""Ask a library what a descriptor needs in each of its modes.

The needs that `probe` finds hold for some valid descriptor. Here each combination of the members of
a descriptor's modes is held fast, and descriptors that are valid in it are cut down to what they
cannot do without.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..lab.bench import OPERATION, Bench
from ..lab.recipes import DESCRIPTOR, TENSOR, State, Step
from .answers import ModeNeeds

#: Types of attributes that are no modes.
_NO_MODES = ("DATA_TYPE", "KNOB_TYPE")

#: Maximum number of combinations of modes; above it, one attribute at a time is varied.
_COMBINATIONS = 64


class Modes:
    """The needs of descriptors in their modes, asked of a bench whose recipes were replayed."""

    def __init__(self, bench: Bench, enums: Mapping[str, str]) -> None:
        self._bench = bench
        self._enums = enums  # by attribute type

    def of(self, descriptor: str) -> tuple[ModeNeeds, ...]:
        """Return what a type needs in each mode; nothing if it has none."""
        if descriptor not in self._bench.valid:
            return ()
        groups: dict[tuple[Any, ...], list[tuple[str, ...]]] = {}
        for held, members in self._combinations(descriptor):
            groups.setdefault(self._needs(descriptor, held), []).append(members)
        return tuple(
            ModeNeeds(
                modes=tuple(members), reached=reached, required=required, alternative=alternative,
                required_in_graph=in_graph, alternative_in_graph=either,
            )
            for (reached, required, alternative, in_graph, either), members in groups.items()
        )  # fmt: skip

    def attributes(self, descriptor: str) -> set[str]:
        """Return the attributes that set the modes of a type."""
        return {name for held, _ in self._combinations(descriptor) for name in held}

    def _needs(self, descriptor: str, held: State) -> tuple[Any, ...]:
        in_graph = self._bench.reached[descriptor] == "graph"
        least = self._least(descriptor, held, graph=False)
        graph = self._least(descriptor, held, graph=True) if in_graph else []
        return (
            "graph" if graph else "finalized" if least else "none",
            *(
                self._ordered(names - held.keys())
                for states in (least, graph)
                for names in (_all(states), _any(states) - _all(states))
            ),
        )

    def _ordered(self, names: Iterable[str]) -> tuple[str, ...]:
        return tuple(sorted(names, key=self._bench.order.__getitem__))

    def _combinations(self, descriptor: str) -> Iterable[tuple[State, tuple[str, ...]]]:
        """Yield steps that set the modes of a type, and the members that they set."""
        choices = self._choices(descriptor)
        if descriptor.startswith(OPERATION):
            for name, step in self._bench.valid[descriptor].items():
                choices += self._choices_inside(name, step)
        if math.prod(map(len, choices)) > _COMBINATIONS:
            made: Iterable[Iterable[tuple[str, Step]]] = (
                (one,) for each in choices for one in each
            )
        else:
            made = itertools.product(*choices) if choices else ()
        for each in made:
            chosen = list(each)
            yield {step[0]: step for _, step in chosen}, tuple(member for member, _ in chosen)

    def _choices(self, descriptor: str) -> list[list[tuple[str, Step]]]:
        """Return for each mode of a type its members, each with the step that sets it."""
        bench, choices = self._bench, []
        for name, owner in bench.owners.items():
            type_ = next(iter(bench.types[name]), "")
            if owner != descriptor or bench.writable.get(name) is False:
                continue
            if type_ not in self._enums or type_.endswith(_NO_MODES):
                continue
            numbers: dict[int, str] = {}
            for member, number in bench.numbers[self._enums[type_]].items():
                numbers.setdefault(number, member)
            choices.append(
                [(member, [name, type_, [number]]) for number, member in numbers.items()]
            )
        return choices

    def _choices_inside(self, name: str, step: Step) -> list[list[tuple[str, Step]]]:
        """Return the members of each mode of a descriptor in an operation, with their steps."""
        child = step[2][0] if DESCRIPTOR in step[1] else None
        if not isinstance(child, dict) or child.get("descriptor") in (None, TENSOR):
            return []
        choices = []
        for members in self._choices(child["descriptor"]):
            inside = []
            for member, set_ in members:
                others = [each for each in child["set"] if each[0] != set_[0]]
                made = {**child, "set": [*others, [*set_, None]]}
                inside.append((member, [name, DESCRIPTOR, [made]]))
            choices.append(inside)
        return choices[:1]  # the first is the mode; another one would replace the child again

    def _least(self, descriptor: str, held: State, *, graph: bool) -> list[State]:
        """Return valid descriptors in a mode that nothing else can be left out of."""
        bench, found = self._bench, dict[frozenset[str], State]()
        for state in self._valid(descriptor, held, graph=graph):
            for backwards in (True, False):
                least = self._cut(descriptor, state, held, backwards=backwards, graph=graph)
                if bench.holds(descriptor, least, graph=graph):
                    found.setdefault(frozenset(least), least)
        smallest = [
            names for names in found if not any(other < names for other in found if other != names)
        ]
        return [found[names] for names in smallest]

    def _cut(
        self, descriptor: str, state: State, held: State, *, backwards: bool, graph: bool
    ) -> State:
        for name in sorted(state, key=self._bench.order.__getitem__, reverse=backwards):
            without = {other: step for other, step in state.items() if other != name}
            if name not in held and self._bench.holds(descriptor, without, graph=graph):
                state = without
        return state

    def _valid(self, descriptor: str, held: State, *, graph: bool) -> list[State]:
        """Return valid descriptors in a mode: recipes, with more, with less, with all."""
        bench = self._bench
        recipes = list(bench.recipes.states(descriptor))
        bases = [{**recipe, **held} for recipe in (*recipes, {})]
        merged: State = {}
        for recipe in recipes:
            merged = {**recipe, **merged}
        samples = self._samples(descriptor, merged)
        tries = [*bases, {**merged, **held}]
        for alike in samples:
            tries += [{**alike, **base} for base in bases]
            tries.append({**merged, **alike, **held})
        good = self._good(descriptor, tries, graph=graph)
        if not good:
            near = [
                *({n: s for n, s in base.items() if n != name or n in held}
                  for base in tries for name in base),
                *({**base, name: step}
                  for base in bases for alike in samples for name, step in alike.items()),
            ]  # fmt: skip
            good = self._good(descriptor, near, graph=graph)[:4]
        return good

    def _good(self, descriptor: str, states: Sequence[State], *, graph: bool) -> list[State]:
        answers = self._bench.all(descriptor, states, graph=graph)
        sure = [state for state, one in zip(states, answers, strict=True) if one]
        return [state for state in sure if self._bench.holds(descriptor, state, graph=graph)]

    def _samples(self, descriptor: str, merged: State) -> list[State]:
        """Return states that set all attributes of a type, with tensors of one kind each."""
        bench = self._bench
        kinds = {
            str(value["set"][1][2]): value
            for step in merged.values()
            if DESCRIPTOR in step[1]
            for value in step[2]
            if isinstance(value, dict) and value.get("descriptor") == TENSOR
        }
        found = []
        for kind in kinds.values():
            state: State = {}
            for name, owner in bench.owners.items():
                types = bench.types[name]
                if owner != descriptor or not types or bench.writable.get(name) is False:
                    continue
                if types[0] == DESCRIPTOR and bench.element(name) == TENSOR:
                    steps = [[each[0], each[1], [bench.order[name] + 1], each[3]]
                             if each[0].endswith("_UNIQUE_ID") else each
                             for each in kind["set"]]  # fmt: skip
                    state[name] = [name, DESCRIPTOR, [{"descriptor": TENSOR, "set": steps}]]
            found.append(state)
        return found


def _all(states: Sequence[State]) -> set[str]:
    return set.intersection(*map(set, states)) if states else set()


def _any(states: Sequence[State]) -> set[str]:
    return set[str]().union(*states)


def conditions(needs: Sequence[ModeNeeds]) -> dict[str, tuple[tuple[str, ...], ...]]:
    """Return the modes that need an attribute, by its name; nothing where all modes do.

    A condition holds where all its members are set; each is as short as the answers allow.
    """
    reached = [modes for each in needs if each.reached != "none" for modes in each.modes]
    needing: dict[str, list[tuple[str, ...]]] = {}
    for each in needs:
        for name in dict.fromkeys((*each.required, *each.required_in_graph)):
            needing.setdefault(name, []).extend(each.modes)
    found: dict[str, tuple[tuple[str, ...], ...]] = {}
    for name, modes in needing.items():
        if len(modes) == len(reached):
            found[name] = ()
            continue
        members = dict.fromkeys(member for each in modes for member in each)
        alone = [
            member for member in members if all(each in modes for each in reached if member in each)
        ]
        rest = [each for each in modes if not set(alone).intersection(each)]
        found[name] = (*((member,) for member in alone), *rest)
    return found


def note(
    told: Mapping[str, dict[str, Any]], needs: Sequence[ModeNeeds], attributes: set[str]
) -> None:
    """Note what modes need; an attribute that all modes need is required.

    With a mode that was not set, some libraries check nothing.

    Args:
        told: what was found without looking at modes, by attribute, which is changed.
        needs: those of the modes.
        attributes: the names of the attributes that set modes.
    """
    for name, required_in in conditions(needs).items():
        own = told[name]
        if required_in:
            own["required_in"] = required_in
            changed = {"required": "alternative"}
        elif attributes.intersection(own.get("unless", ())):
            changed = {"alternative": "required"}
            own.pop("along_with", None)
            del own["unless"]
        else:
            continue
        for level in ("needed", "needed_in_graph"):
            if level in own:
                own[level] = changed.get(own[level], own[level])
