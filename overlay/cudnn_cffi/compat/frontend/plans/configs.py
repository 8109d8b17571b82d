"""Engines and knobs that plans are built of, and the plans that a program leaves out."""

from __future__ import annotations

from ...._tables import active
from ....choice.engine.engines import Candidate
from ....plan import Plan
from ..enums import behavior_note, heur_mode, knob_type, numerical_note


class PlanConfig:
    """An engine and its knobs: what a plan is built of.

    Attributes:
        engine_id: the number of the engine.
        knobs: the values of its knobs.
        mode: the heuristics that proposed it; None where nobody did.
        candidate: what this package knows of it.
    """

    __slots__ = ("candidate", "engine_id", "knobs", "mode")

    def __init__(self, candidate: Candidate) -> None:
        self.candidate = candidate
        self.engine_id = candidate.engine
        self.knobs = {knob_type[name]: value for name, value in candidate.knobs.items()}
        self.mode = getattr(heur_mode, candidate.source, None)

    @property
    def name(self) -> str:
        """Return a name with the engine, and the numbers and values of its knobs."""
        numbers = active().enum("BackendKnobType")
        pairs = sorted((int(numbers[name]), v) for name, v in self.candidate.knobs.items())
        return "".join([f"eng{self.engine_id}", *(f"_k{n}={v}" for n, v in pairs)])

    @property
    def workspace(self) -> int | None:
        """Return the bytes of workspace that it needs; None where nobody knows yet."""
        return self.candidate.workspace

    def notes(self, kind: str) -> list[str]:
        """Return the names of its notes.

        Args:
            kind: "behavior_notes" or "numeric_notes".
        """
        return [each.name for each in getattr(self.candidate, kind)]

    def __repr__(self) -> str:
        return f"PlanConfig({self.name})"


class SeveralPlans(PlanConfig):
    """Plans that compute a graph together, where errata keep all single engines from it.

    Attributes:
        plan: the plans.
    """

    __slots__ = ("plan",)

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.engine_id = -1
        self.knobs = {}
        self.mode = heur_mode.A

    @property
    def name(self) -> str:
        """Return a name with the engines of the plans."""
        engines = [each.engine for each in self.plan.parts if isinstance(each, Plan)]
        return "_".join(["several", *(f"eng{each}" for each in engines)])

    @property
    def workspace(self) -> int:
        """Return the bytes of workspace that the plans need."""
        return self.plan.workspace_size

    def notes(self, kind: str) -> list[str]:
        """Return the names of the notes of all plans."""
        enum = behavior_note if kind == "behavior_notes" else numerical_note
        return [each for each in self.plan.notes if each in enum.__members__]


class Selection:
    """The plans that a program leaves out.

    Attributes:
        barred: parts of the names of plans.
        notes: the attribute of the notes, a note, and whether a plan has to have it.
        limit: the maximum number of bytes of workspace; None for any.
    """

    def __init__(self) -> None:
        self.barred: set[str] = set()
        self.notes: list[tuple[str, str, bool]] = []
        self.limit: int | None = None

    def why_not(self, config: PlanConfig, plan: Plan | None) -> str:
        """Return why a plan is left out; "" for one that is not.

        Args:
            config: the engine and knobs of the plan.
            plan: the plan, where it is built.
        """
        for part in self.barred:
            if part in config.name:
                return f"deselect_engines left out {part!r}"
        for kind, note, keep in self.notes:
            has = note in config.notes(kind)
            if has != keep:
                return f"it {'has' if has else 'does not have'} the note {note}"
        if self.limit is not None:
            size = config.workspace if plan is None else plan.workspace_size
            if size is not None and size > self.limit:
                return f"it needs {size} bytes of workspace, {self.limit} are allowed"
        return ""
