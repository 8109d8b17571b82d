"""Drawing cases: each choice has a name, and a number that depends on seed, case and name alone."""

from __future__ import annotations

import collections
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

__all__ = ["Deviation", "Draw", "NotHereError", "read_line"]

T = TypeVar("T")


class Deviation(NamedTuple):
    """One of several failures of a case.

    Attributes:
        given: the choices that repeat this one alone.
        text: what differs.
        facts: what an erratum tells of it.
    """

    given: Mapping[str, int]
    text: str
    facts: dict[str, Any]


class NotHereError(Exception):
    """A step that does not fit what is there."""


class Draw:
    """One case of a part: what it picked, and the line that repeats it.

    Choices do not depend on each other, so that one of them can be given another value while all
    others stay. That is how a failure is shrunk.

    Attributes:
        part: the name of the module that runs it.
        seed, case: of the run, and the number of the case in it.
        given: choices by name that the line names, as indices of their options.
        made: the choices so far: the index that was picked, and what it means.
        wanted: choices by name, or by "*_" and the end of names, that the number of the case
            stands for: the text of an option, or its index.
        subjects: the choices that say what is tested, which no shrinking changes.
        deviations: the failures of a case that goes on after one.
        done: how many steps of a case were done by a process that has ended.
        notes: how often a case saw what is no failure.
        tell: is called with the number of a step and its facts, before the step.
    """

    def __init__(
        self, part: str, seed: int, case: int, given: Mapping[str, int] | None = None
    ) -> None:
        self.part, self.seed, self.case = part, seed, case
        self.given = dict(given or {})
        self.wanted: dict[str, str | int] = {}
        self.deviations: list[Deviation] = []
        self.notes: collections.Counter[str] = collections.Counter()
        self.done = 0
        self.tell: Callable[[int, dict[str, Any]], None] = lambda *_: None
        self.made: dict[str, tuple[int, str]] = {}
        self.subjects: set[str] = set()

    @property
    def line(self) -> str:
        """Return what `--case` takes."""
        given = "".join(f":{name}={index}" for name, index in sorted(self.given.items()))
        return f"{self.part}:seed={self.seed}:case={self.case}{given}"

    def chance(self, name: str) -> random.Random:
        """Return random numbers for something with a name."""
        return random.Random(f"{self.seed} {self.case} {name}")

    def number(self, name: str) -> int:
        """Return a seed for the random numbers of a library."""
        return self.chance(name).randrange(2**31)

    def pick(
        self, name: str, options: Sequence[T], simple: float = 0.0, subject: bool = False
    ) -> T:
        """Return one of several options, of which the first is the simplest.

        Args:
            name: of the choice, without colon and equals sign; the same name picks the same.
            options: at least one.
            simple: the probability of the first, besides its share.
            subject: whether it says what is tested.
        """
        chance = self.chance(name)
        drawn = 0 if chance.random() < simple else chance.randrange(len(options))
        wanted = self.wanted.get(name, self.wanted.get(f"*_{name.rpartition('_')[2]}", drawn))
        if isinstance(wanted, str):
            texts = [str(each) for each in options]
            wanted = texts.index(wanted) if wanted in texts else drawn
        index = self.given.get(name, wanted) % len(options)
        self.made[name] = index, str(options[index])
        if subject:
            self.subjects.add(name)
        return options[index]

    def shown(self) -> str:
        """Return the choices that are not the simplest."""
        return " ".join(
            f"{name}={text}"
            for name, (index, text) in self.made.items()
            if self._tells(name, index)
        )

    def _tells(self, name: str, index: int) -> bool:
        return bool(index) or name in self.subjects


def read_line(line: str) -> Draw:
    """Return the case of a line.

    Raises:
        ValueError: it is no such line.
    """
    part, *fields = line.split(":")
    pairs = [field.partition("=") for field in fields]
    numbers = {name: int(value) for name, _, value in pairs}
    if not {"seed", "case"} <= numbers.keys():
        raise ValueError(f"expected PART:seed=N:case=N, got {line!r}")
    return Draw(part, numbers.pop("seed"), numbers.pop("case"), numbers)
