"""Asks a libcudnn for the schema of its backend descriptors; needs no GPU.

Valid descriptors come from recipes.toml. The answers follow from the library's statuses for them
and for fresh ones: whether Finalize misses an attribute, how many elements it takes, its default,
the type of descriptor that it holds. Texts of errors are never used; what the library logs of a
descriptor only if it contains the value that was set.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from cudnn_cffi.api.model import Api, Count, Default, Need

from ..attributes import Probed
from ..lab import Job
from ..lab.bench import OPERATION, SUCCESS, Bench, alike, first
from ..lab.recipes import DESCRIPTOR, TENSOR, State, Step, longer
from . import dumps, modes
from .answers import Answer, Answers, ModeNeeds
from .dumps import Field
from .enums import enum_types
from .statements import statements

_ADDRESSES = ("CUDNN_TYPE_HANDLE", "CUDNN_TYPE_VOID_PTR")

#: A number that no library comes up with, to find a tensor again.
_MARK = 7777

_ENUMERATORS = 8

#: The lengths that lists are tried with, beyond the recipe's.
_LENGTHS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 32, 64, 65)

#: Values to try, by attribute type; of an enum the first of the enumerators are.
_SAMPLES: Mapping[str, Sequence[Sequence[Any]]] = {
    "CUDNN_TYPE_BOOLEAN": ([True], [False]),
    "CUDNN_TYPE_INT64": ([1], [0], [2], [3], [1, 1, 1, 1]),
    "CUDNN_TYPE_INT32": ([1], [0], [32]),
    "CUDNN_TYPE_FLOAT": ([0.5], [1.0], [0.0]),
    "CUDNN_TYPE_DOUBLE": ([0.5], [1.0], [0.0]),
    "CUDNN_TYPE_FRACTION": ([1, 2], [1, 1]),
    "CUDNN_TYPE_VOID_PTR": ([{"buffer": True}],),
}


def probe(
    library: Path,
    api: Api,
    heard: Mapping[str, Probed],
    *,
    device: str,
    beside: Sequence[Path] = (),
    recipes: Mapping[str, Any] | None = None,
    describe: Iterable[str] | None = None,
    header: str = "",
    echo: Callable[[str], Any] = lambda _: None,
) -> Answers:
    """Ask `library` about all its descriptor types.

    Args:
        library: libcudnn, of version 9 or later.
        api: the model of its release.
        heard: what generator.attributes.probe heard of attributes.
        device: the device that engines are for, as cuDNN describes it in JSON.
        beside: libraries that cuDNN may load, where the system does not find them.
        recipes: another table than recipes.toml.
        describe: the descriptor types to ask about, by default all; all recipes are replayed.
        header: the text of the release's cudnn_graph.h, which may say what is required.
        echo: told how often the library was asked.

    Raises:
        LabError: the library does not load.
        AttributesError: an attribute's name begins with no descriptor type's.
    """
    with _Prober(library, api, heard, device=device, beside=beside, recipes=recipes) as prober:
        prober.find_all()
        for descriptor in prober.descriptors if describe is None else describe:
            prober.describe(descriptor)
        prober.take_statements(header)
        asked = sum((lab.asked for lab in prober.labs), Counter[str]())
        echo(f"asked {asked.pop('jobs', 0)} times; crashes: {dict(asked) or 'none'}")
        return Answers(
            version=prober.lab.version, descriptors=prober.reached,
            attributes=prober.answers(), modes=prober.modes,
            undeclared=tuple(prober.undeclared),
        )  # fmt: skip


class _Prober(Bench):
    def __init__(self, library: Path, api: Api, *about: Any, **more: Any) -> None:
        super().__init__(library, api, *about, **more)
        self._enums = enum_types(api)
        self._told: dict[str, dict[str, Any]] = {name: {} for name in self.owners}
        self.modes: dict[str, tuple[ModeNeeds, ...]] = {}
        self.undeclared: list[str] = []  # attributes that comments alone name

    def find_all(self) -> None:
        super().find_all()
        for name, target in self.lent.items():
            self._told[name]["target"] = target

    def answers(self) -> dict[str, Answer]:
        return {name: Answer(**told) for name, told in self._told.items()}

    def describe(self, descriptor: str) -> None:
        """Fill in the answers about the attributes of one type."""
        names = [name for name, owner in self.owners.items() if owner == descriptor]
        for name in names:
            self._enum(name)
        if self.reached[descriptor] == "none":
            return
        settable = [n for n in names if self.types[n] and self.writable.get(n) is not False]
        contexts = self._contexts(descriptor, settable)
        holding = [name for name in settable if DESCRIPTOR in self.types[name]]
        self._targets(descriptor, holding, contexts[0].fresh[0])
        others = [name for name in settable if name not in holding]
        self._defaults(descriptor, others, contexts)
        valid = self.valid.get(descriptor)
        if valid is not None:
            self._read(descriptor, names, valid)
        self._counts(descriptor, settable)
        if valid is None:
            return
        self._needed(descriptor, settable, graph=False)
        if self.reached[descriptor] == "graph":
            self._needed(descriptor, settable, graph=True)
        self._modes(descriptor)
        self._lengths(descriptor, valid)
        for name in names:
            if self._told[name].get("needed") == "required":
                self._told[name].pop("default", None)  # Finalize refuses it

    def _modes(self, descriptor: str) -> None:
        asked = modes.Modes(self, self._enums)
        needs = asked.of(descriptor)
        if len(needs) > 1:
            self.modes[descriptor] = needs
        modes.note(self._told, needs, asked.attributes(descriptor))

    def take_statements(self, header: str) -> None:
        """Note the comments of a header about attributes."""
        for name, stated in statements(header).items():
            if name in self._told:
                self._told[name]["stated"] = stated
            else:
                self.undeclared.append(name)

    def _contexts(self, descriptor: str, names: Sequence[str]) -> list[_Context]:
        """Return a fresh descriptor, and one in each mode that makes the log show other fields."""
        steps: list[list[Step]] = [[]]
        for name in names:
            type_ = self.types[name][0]
            if type_ in self._enums and type_ != "CUDNN_TYPE_DATA_TYPE":
                numbers = dict.fromkeys(self.numbers[self._enums[type_]].values())
                steps += [[[name, type_, [number], None]] for number in numbers]
        jobs = [{"descriptor": descriptor, "set": before, "dump": True} for before in steps]
        answers = [lab.ask(jobs) for lab in self.labs]
        contexts: dict[tuple[str, ...], _Context] = {}
        for before, *each in zip(steps, *answers, strict=True):
            fresh = [dumps.parse(answer.get("dump", ())) for answer in each]
            shown = tuple(field.name for field in fresh[0])
            contexts.setdefault(shown, _Context(before, fresh))
        return list(contexts.values())

    def _enum(self, name: str) -> None:
        enums = {self._enums[type_] for type_ in self.types[name] if type_ in self._enums}
        if len(enums) == 1:
            self._told[name]["enum"] = enums.pop()

    def _samples(self, name: str) -> list[Step]:
        """Return steps that set an attribute to something that it may take."""
        type_ = self.types[name][0]
        if type_ == DESCRIPTOR:
            target = self._told[name].get("target", TENSOR)
            uid = self.order[name] + 1
            if target == TENSOR:
                return [[name, type_, [tensor]] for tensor in self.recipes.tensors(uid)]
            made = self.recipes.found.get(target)
            return [[name, type_, [made]]] if made else []
        if type_ in self._enums:
            numbers = dict.fromkeys(self.numbers[self._enums[type_]].values())
            return [[name, type_, [number]] for number in list(numbers)[:_ENUMERATORS]]
        return [[name, type_, list(values)] for values in _SAMPLES.get(type_, ())]

    def _set(self, descriptor: str, step: Step, count: int | None = None) -> Job:
        name, type_, values = step[:3]
        steps = [*self.before(name), [name, type_, values, count]]
        return {"descriptor": descriptor, "set": steps, "dump": True}

    def _counts(self, descriptor: str, names: Sequence[str]) -> None:
        """Note counts: one if SetAttribute refuses two elements, many if both are read back."""
        asked = [(name, job) for name in names for job in self._numbers_of(descriptor, name)]
        answers: dict[str, list[dict[str, Any]]] = {}
        for (name, _), answer in zip(asked, self.lab.ask(job for _, job in asked), strict=True):
            answers.setdefault(name, []).append(answer)
        for name, told in answers.items():
            taken = [answer.get("set", [""])[-1] == SUCCESS for answer in told]
            if not taken[0] or "set" not in told[1]:
                continue  # a crash is no answer
            count: Count | None = "many"
            if not taken[1]:
                count = "one"
            elif self.types[name][0] == DESCRIPTOR:
                shown = "\n".join(told[1].get("dump", ()))
                marks = [f"val={_MARK + k};" in shown for k in range(2)]
                count = "many" if all(marks) else "one" if any(marks) else None
            elif not all(taken):
                self._told[name]["most"] = taken.index(False)
            if count is not None:
                self._told[name]["count"] = count

    def _numbers_of(self, descriptor: str, name: str) -> list[Job]:
        """Jobs that set an attribute to one, two, three and four elements."""
        type_ = self.types[name][0]
        if type_ == "CUDNN_TYPE_CHAR":
            self._told[name]["count"] = "many"
        samples = self._samples(name)
        if not samples or (type_ == DESCRIPTOR and "target" not in self._told[name]):
            return []
        element = samples[0][2][: 2 if type_ == "CUDNN_TYPE_FRACTION" else 1]
        many = [element * number for number in (1, 2, 3, 4)]
        if self._told[name].get("target") == TENSOR:
            many = [[self._marked(_MARK + k) for k in range(number)] for number in (1, 2, 3, 4)]
        return [self._set(descriptor, [name, type_, values]) for values in many]

    def _marked(self, uid: int = _MARK) -> dict[str, Any]:
        """Return a tensor that is recognized when a descriptor returns it."""
        return self.recipes.tensor([1, 1, 1, 7], uid=uid)

    def _targets(self, descriptor: str, names: Sequence[str], fresh: Sequence[Field]) -> None:
        """Note the type that the field of an attribute had before, or whose values come back."""
        labels = list(dict.fromkeys(field.type for field in fresh if field.child))
        waiting = {}
        for name in names:
            guesses = [made for made in self.recipes.found if alike(name, made)]
            likely = sorted(labels, key=lambda label: (not alike(name, label), label != TENSOR))
            waiting[name] = list(dict.fromkeys([*likely, *guesses, TENSOR]))
        while waiting:
            asked = []
            for name, targets in list(waiting.items()):
                target = targets.pop(0)
                if not targets:
                    del waiting[name]
                child = self._marked() if target == TENSOR else self.recipes.found.get(target)
                if child is not None:
                    asked.append((name, target, self._set(descriptor, [name, DESCRIPTOR, [child]])))
            answers = self.lab.ask(job for _, _, job in asked)
            for (name, target, _), answer in zip(asked, answers, strict=True):
                if dumps.goes_into(target, fresh, answer, _MARK):
                    if target != TENSOR or not self._takes_any(descriptor, name, fresh):
                        self._told[name]["target"] = target
                    waiting.pop(name, None)

    def _takes_any(self, descriptor: str, name: str, fresh: Sequence[Field]) -> bool:
        """Return whether an attribute takes an operation, whatever else it takes."""
        kinds = [kind for kind in self.recipes.found if kind.startswith(OPERATION)]
        if not kinds or any(alike(name, kind) for kind in kinds):
            return False
        job = self._set(descriptor, [name, DESCRIPTOR, [self.recipes.found[kinds[0]]]])
        (answer,) = self.lab.ask([job], alone=True)
        change = dumps.changed(fresh, dumps.parse(answer.get("dump", ())))
        taken = answer.get("set", [""])[-1] == SUCCESS
        return taken and change is not None and change[1].type == kinds[0]

    def _defaults(
        self, descriptor: str, names: Sequence[str], contexts: Sequence[_Context]
    ) -> None:
        """Note what the field of an attribute held before it was set, in memory of each kind."""
        asked = [
            (context, step)
            for name in names
            for context in contexts
            for step in self._samples(name)[:4]
            if len(step[2]) == 1 and name not in (before[0] for before in context.before)
        ]
        jobs = []
        for context, step in asked:
            job = self._set(descriptor, step)
            jobs.append({**job, "set": [*context.before, *job["set"]]})
        shown = set()
        for (context, step), answer in zip(asked, self.lab.ask(jobs), strict=True):
            name, fresh = step[0], context.fresh
            change = dumps.changed(fresh[0], dumps.parse(answer.get("dump", ())))
            if name in shown or answer.get("set", [""])[-1] != SUCCESS or change is None:
                continue
            index, field = change
            if index is None or not field.shows(step[2]):
                continue
            shown.add(name)
            before = [fields[index] for fields in fresh if len(fields) == len(fresh[0])]
            values = {field.value for field in before}
            if len(values) > 1 or len(before) < len(fresh):
                self._told[name]["uninitialized"] = True
            else:
                self._keep_default(name, before[0].number)

    def _keep_default(self, name: str, value: Default | None) -> None:
        enum = self._told[name].get("enum")
        if value is not None and enum is not None:
            members = {number: member for member, number in self.numbers[enum].items()}
            if value not in members:
                self._told[name]["uninitialized"] = True
                return
            value = members[int(value)]
        if value is not None:
            self._told[name]["default"] = value

    def _needed(self, descriptor: str, names: Sequence[str], *, graph: bool) -> None:
        """Find the attributes that a descriptor needs.

        An attribute is required if each minimal descriptor has it, and no single other change
        makes up for it.
        """
        least = self._least(descriptor, graph=graph)
        unless: dict[str, set[str]] = {name: set() for name in names}
        along: dict[str, set[str]] = {name: set() for name in names}
        for state in least:
            for name in state:
                self._repair(descriptor, names, state, name, unless, along, graph=graph)
                for other in least:
                    if name in other:
                        continue
                    added = {n for n in other if n not in state or _differ(state[n], other[n])}
                    unless[name] |= added
                    if not added:
                        along[name] |= state.keys() - other.keys() - {name}
        for name in names:
            need: Need = "unchecked"
            if unless[name] or along[name]:
                need = "alternative"
            elif least and all(name in state for state in least):
                need = "required"
            elif "default" in self._told[name]:
                need = "optional"
            self._told[name]["needed_in_graph" if graph else "needed"] = need
            for key, others in (("unless", unless[name]), ("along_with", along[name])):
                if others:
                    told = set(self._told[name].get(key, ())) | others
                    self._told[name][key] = tuple(sorted(told, key=self.order.__getitem__))

    def _least(self, descriptor: str, *, graph: bool) -> list[State]:
        """Return valid descriptors that nothing can be left out of: recipes cut from both ends."""
        found: dict[str, State] = {}
        for recipe in [*self.recipes.states(descriptor), {}]:
            if not self.holds(descriptor, recipe, graph=graph):
                continue
            alone = dict(zip(recipe, self._without(descriptor, recipe, graph=graph), strict=True))
            for backwards in (True, False):
                state = dict(recipe)
                for name in sorted(recipe, key=self.order.__getitem__, reverse=backwards):
                    without = {other: step for other, step in state.items() if other != name}
                    if alone[name] and self.holds(descriptor, without, graph=graph):
                        state = without
                found.setdefault(" ".join(sorted(state)), state)
        return list(found.values())

    def _without(self, descriptor: str, state: State, *, graph: bool) -> list[bool]:
        """Return whether a state is valid without each of its attributes."""
        fewer = [{other: s for other, s in state.items() if other != name} for name in state]
        return self.all(descriptor, fewer, graph=graph)

    def _repair(
        self,
        descriptor: str,
        names: Sequence[str],
        state: State,
        name: str,
        unless: dict[str, set[str]],
        along: dict[str, set[str]],
        *,
        graph: bool,
    ) -> None:
        """Leave `name` out, and look for one other change that makes the rest valid."""
        base = {other: step for other, step in state.items() if other != name}
        fewer = [{n: step for n, step in base.items() if n != other} for other in base]
        good = self.all(descriptor, fewer, graph=graph)
        for other, without, one in zip(base, fewer, good, strict=True):
            if one and self.sure(descriptor, [without], graph=graph)[0]:
                along[name].add(other)
        changes = [
            (other, {**base, other: step})
            for other in names
            if other != name and not (other in base and DESCRIPTOR in self.types[other])
            for step in self._samples(other)
        ]
        good = self.all(descriptor, [changed for _, changed in changes], graph=graph)
        for (other, changed), one in zip(changes, good, strict=True):
            if not one or other in unless[name]:
                continue
            if self.sure(descriptor, [changed], graph=graph)[0]:
                unless[name].add(other)
                if other not in state:
                    unless[other].add(name)

    def _lengths(self, descriptor: str, valid: State) -> None:
        """Find lists that are as long as something else, and how long they may get."""
        lists = [
            name
            for name in valid
            if self._told[name].get("count") == "many"
            and not {DESCRIPTOR, "CUDNN_TYPE_CHAR"}.intersection(self.types[name])
        ]
        numbers = [name for name in valid if name.endswith("_SPATIAL_DIMS")]
        tensors = [n for n in valid if DESCRIPTOR in self.types[n]]
        for name in lists:
            group = {name, *lists, *numbers, *tensors}
            length = len(valid[name][2]) + 1
            if self.holds(descriptor, longer(valid, {name}, length)):
                group = {name}
            elif not self.holds(descriptor, longer(valid, group, length)):
                continue
            for other in sorted(group - {name}, key=self.order.__getitem__):
                if self.holds(descriptor, longer(valid, group - {other}, length)):
                    group.discard(other)
            states = [longer(valid, group, n) for n in _LENGTHS]
            good = self.sure(descriptor, states)
            held = [n for n, one in zip(_LENGTHS, good, strict=True) if one]
            between = [n for n in _LENGTHS if held and held[0] <= n <= held[-1]]
            if held and held == between and held[-1] < _LENGTHS[-1]:
                self._told[name]["most"] = held[-1]
            others = sorted(group - {name}, key=self.order.__getitem__)
            if others:
                self._told[name]["as_long_as"] = tuple(others)

    def _read(self, descriptor: str, names: Sequence[str], valid: State) -> None:
        """Read defaults from a finalized descriptor, and the types of those that it returns."""
        for name in names:
            told = self._told[name]
            if not self.types[name]:
                continue
            type_ = self.types[name][0]
            if type_ == DESCRIPTOR:
                if "target" not in told:
                    self._read_target(descriptor, name, valid)
            elif not (name in valid or "default" in told or told.get("uninitialized")):
                self._read_default(descriptor, name, type_, valid)

    def _read_default(self, descriptor: str, name: str, type_: str, valid: State) -> None:
        """Note the default of an attribute that a finalized descriptor returns as it was set."""
        get = [[name, type_, None]]
        job = self.job(descriptor, valid, finalize=True, get=get)
        read = [first(lab.ask([job], alone=True)[0]) for lab in self.labs]
        lent = self.writable.get(name) is False
        if lent or read[0] is None or len(read[0]) != 1 or type_ in _ADDRESSES:
            return
        states = [{**valid, name: step} for step in self._samples(name)]
        jobs = [self.job(descriptor, state, finalize=True, get=get) for state in states]
        back = [first(answer) for answer in self.lab.ask(jobs)]
        told = [(state[name][2], one) for state, one in zip(states, back, strict=True) if one]
        if any(set_ != one for set_, one in told) or all(one == read[0] for _, one in told):
            return  # Finalize works it out, or may have done so
        if any(other != read[0] for other in read):
            self._told[name]["uninitialized"] = True
        else:
            self._keep_default(name, read[0][0])

    def _read_target(self, descriptor: str, name: str, valid: State) -> None:
        """Note the type whose own values are read, or that a library lends.

        A library that keeps what it is given gives back any type: so only operations, whose
        Finalize looks at their operands, are tried with tensors.
        """
        lent = self.writable.get(name) is False
        guesses = [target for target in self.reached if alike(name, target)]
        if descriptor.startswith(OPERATION):
            guesses.append(TENSOR)
        for target in dict.fromkeys(guesses):
            steps: list[Step | None] = [None] if lent else list(self._samples(name))
            if not lent and target != TENSOR:
                child = self.recipes.found.get(target)
                steps = [[name, DESCRIPTOR, [child]]] if child else []
            for step in steps:
                state = {**valid, name: step} if step is not None else valid
                job = self.job(descriptor, state, finalize=True, get=[[name, DESCRIPTOR, target]])
                read = first(self.lab.ask([job], alone=True)[0])
                own = f"val={self.order[name] + 1};"
                if read and (target != TENSOR or any(own in field for field in read[0])):
                    self._told[name]["target"] = target
                    return


class _Context(NamedTuple):
    """Attributes that are set before a question, and the fields of the descriptor after them."""

    before: list[Step]
    fresh: list[list[Field]]


def _differ(one: Step, other: Step) -> bool:
    """Return whether two steps set different values; any two tensors count as the same."""
    return one[1] != DESCRIPTOR and one != other
