"""Descriptors that a library finalizes, made by recipes; and whether it takes others."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from fnmatch import fnmatch
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, Self

from cudnn_cffi.api.model import Api, BackendAttribute

from ..attributes import Probed, owners
from . import Job, Lab
from .recipes import DESCRIPTOR, TENSOR, Recipes, State, Step, stem

SUCCESS = "CUDNN_STATUS_SUCCESS"
OPERATION = "CUDNN_BACKEND_OPERATION_"

#: The stage that a type of descriptor reached: "graph" stands for an operation in an operation
#: graph.
Reached = Literal["graph", "finalized", "lent", "created", "none"]

#: The types for which a finalized descriptor existed.
FINISHED: tuple[Reached, ...] = ("graph", "finalized", "lent")

#: Finalized before all else, so that not every child loads the library's parts.
_WARM = ("CUDNN_BACKEND_MATMUL_DESCRIPTOR",)

#: glibc fills fresh memory with the complement of these bytes: implausible numbers of either sign,
#: and zeros. Values that differ between them were read from uninitialized memory.
_FILLS = (0x5A, 0xA4, 0xFF)


class Bench:
    """A library in processes that differ in their fresh memory; a context manager."""

    def __init__(
        self,
        library: Path,
        api: Api,
        heard: Mapping[str, Probed] = MappingProxyType({}),
        *,
        device: str,
        beside: Sequence[Path] = (),
        recipes: Mapping[str, Any] | None = None,
    ) -> None:
        """Load the library.

        Args:
            library: libcudnn.
            api: the model of its release.
            heard: what it said of attributes; of others the model's types hold.
            device: the device that engines are for, as cuDNN describes it in JSON.
            beside: libraries that cuDNN may load, where the system does not find them.
            recipes: another table than recipes.toml.

        Raises:
            LabError: the library does not load.
            AttributesError: an attribute's name begins with no descriptor type's.
        """
        self.numbers = {e.name: {m.name: m.value for m in e.enumerators} for e in api.enums}
        self.descriptors = self.numbers["cudnnBackendDescriptorType_t"]
        self.attribute_types = self.numbers["cudnnBackendAttributeType_t"]
        attributes = self.numbers["cudnnBackendAttributeName_t"]
        self.owners = owners(self.descriptors, attributes)
        self.order = {name: index for index, name in enumerate(attributes)}
        self.types: dict[str, tuple[str, ...]] = dict.fromkeys(attributes, ())
        self.writable: dict[str, bool | None] = dict.fromkeys(attributes)
        said: list[tuple[str, Probed | BackendAttribute]] = [
            *((one.name, one) for one in api.attributes),
            *heard.items(),
        ]
        for name, one in said:
            self.types[name] = one.types or self.types[name]
            if one.writable is not None:
                self.writable[name] = one.writable
        self._held = {each.name: each.target for each in api.attributes}
        self.recipes = Recipes(api, self.types, device, recipes)
        self.valid: dict[str, State] = {}  # by descriptor type, the best that was found
        self.reached: dict[str, Reached] = {}
        self.lent: dict[str, str] = {}  # attributes that lend descriptors, and of which type
        self._asked: dict[tuple[bool, str], tuple[bool, bool]] = {}  # valid alone, in a graph
        with ExitStack() as stack:
            enums = (self.attribute_types, self.descriptors, attributes)
            #: One in which nothing was finalized: some libraries then want less of others.
            self.cold = stack.enter_context(Lab(library, *enums, beside=beside))
            self.labs = [
                stack.enter_context(Lab(library, *enums, beside=beside, warm=_WARM, fill=fill))
                for fill in _FILLS
            ]
            self._stack = stack.pop_all()
        self.lab = self.labs[0]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def before(self, name: str) -> list[Step]:
        """Return the steps that have to be made before an attribute is set."""
        if name != "CUDNN_ATTR_TENSOR_CONSTANT_VALUE":
            return []
        return [["CUDNN_ATTR_TENSOR_IS_BY_VALUE", "CUDNN_TYPE_BOOLEAN", [True], None]]

    def find_all(self) -> None:
        """Replay the recipes, each type after those that it holds."""
        waiting = list(self.descriptors)
        found = True
        while found:
            found = False
            for descriptor in list(waiting):
                reached = self._find(descriptor)
                self.reached[descriptor] = reached
                wanted = "graph" if descriptor.startswith(OPERATION) else "finalized"
                if reached in (wanted, "lent"):
                    waiting.remove(descriptor)
                    found = True

    def _find(self, descriptor: str) -> Reached:
        operation = descriptor.startswith(OPERATION)
        reached: Reached = self.reached.get(descriptor, "none")
        for state in self.recipes.states(descriptor):
            if operation and self.holds(descriptor, state, graph=True):
                self._keep(descriptor, state)
                return "graph"
            if reached != "finalized" and self.holds(descriptor, state):
                self._keep(descriptor, state)
                reached = "finalized"
                if not operation:
                    return reached
        if reached == "none":
            (answer,) = self.lab.ask([{"descriptor": descriptor, "set": []}], alone=True)
            reached = "created" if "set" in answer else "none"
        return "lent" if reached == "created" and self._borrow(descriptor) else reached

    def _keep(self, descriptor: str, state: State) -> None:
        self.valid[descriptor] = state
        self.recipes.found[descriptor] = self.job(descriptor, state)

    def _borrow(self, descriptor: str) -> bool:
        """Return whether another type lends this one finished, and only that type can."""
        for lender, attribute in self._lenders(descriptor):
            job = {"descriptor": descriptor, "lent": [self.recipes.found[lender], attribute]}
            holder = {"descriptor": "CUDNN_BACKEND_ENGINECFG_DESCRIPTOR", "set": []}
            held = ["CUDNN_ATTR_ENGINECFG_KNOB_CHOICES", DESCRIPTOR, [job], 1]
            (answer,) = self.lab.ask([{**holder, "set": [held]}], alone=True)
            if "set" in answer:  # it was made: whether the holder takes it does not matter
                self.lent[attribute] = descriptor
                return True
        return False

    def _lenders(self, descriptor: str) -> list[tuple[str, str]]:
        return [
            (owner, name)
            for name, owner in self.owners.items()
            if self.writable.get(name) is False
            and DESCRIPTOR in self.types[name]
            and name.endswith(f"_{stem(descriptor)}")
            and owner in self.recipes.found
        ]

    def job(self, descriptor: str, state: State, **more: Any) -> Job:
        """Everything in `state` set, in the order of the attributes."""
        steps = [state[name] for name in sorted(state, key=self.order.__getitem__)]
        return {
            "descriptor": descriptor,
            "set": [[*step, None] if len(step) == 3 else step for step in steps],
            **more,
        }

    def holds(self, descriptor: str, state: State, *, graph: bool = False) -> bool:
        """Return whether a state is valid, also in a process of its own with other fresh memory."""
        return (
            self.all(descriptor, [state], graph=graph)[0]
            and self.sure(descriptor, [state], graph=graph)[0]
        )

    def sure(self, descriptor: str, states: Sequence[State], *, graph: bool = False) -> list[bool]:
        """Return whether each of `states` is valid in its own process with other fresh memory."""
        return self.all(descriptor, states, graph=graph, sure=True)

    def all(
        self, descriptor: str, states: Sequence[State], *, graph: bool, sure: bool = False
    ) -> list[bool]:
        """Return whether each of `states` is valid; what was asked before is not asked again."""
        operation = descriptor.startswith(OPERATION)
        jobs = {}
        keys = []
        for state in states:
            job = self.job(descriptor, state, finalize=True, graph=operation)
            keys.append((sure, json.dumps(job)))
            if keys[-1] not in self._asked:
                jobs[keys[-1]] = job
        labs = self.labs[1:] if sure else self.labs[:1]
        heard = [lab.ask(jobs.values(), alone=sure) for lab in labs]
        for key, *answers in zip(jobs, *heard, strict=True):
            valid, in_graph = zip(*map(_judge, answers), strict=True)
            self._asked[key] = all(valid), all(in_graph)
        return [self._asked[key][graph] for key in keys]

    def finished(self, descriptor: str) -> Job | None:
        """Return the job that makes a finished descriptor of a type, or borrows it."""
        lender = next((name for name, lent in self.lent.items() if lent == descriptor), None)
        if lender is not None:
            job = self.recipes.found[self.owners[lender]]
            return {"descriptor": descriptor, "lent": [job, lender]}
        return self.recipes.found.get(descriptor)

    def element(self, attribute: str) -> str:
        """Return the type of descriptors that an attribute holds: by the model, else by name."""
        pattern = self._held.get(attribute)
        if pattern is None:
            return next((name for name in self.descriptors if alike(attribute, name)), TENSOR)
        known = pattern if pattern in self.descriptors else TENSOR
        return next((name for name in self.recipes.found if fnmatch(name, pattern)), known)

    def readable(self, name: str, held: str) -> list[Job]:
        """Return jobs that make descriptors to read an attribute from: as found, and with it set.

        `held` is the type of the descriptors that it holds, if it holds any.
        """
        owner = self.owners[name]
        found = self.finished(owner)
        states = [state for state in self.recipes.states(owner) if name in state]
        tensors = self.recipes.tensors(self.order[name] + 1)
        child = next(iter(tensors), None) if held == TENSOR else self.finished(held)
        if owner in self.valid and child is not None and DESCRIPTOR in self.types[name]:
            states.append({**self.valid[owner], name: [name, DESCRIPTOR, [child]]})
        return [*([found] if found else ()), *(self.job(owner, state) for state in states)]


def _judge(answer: Mapping[str, Any]) -> tuple[bool, bool]:
    """Return whether a descriptor is valid, and the graph of it."""
    accepted = all(status == SUCCESS for status in answer.get("set", ["refused"]))
    return (
        accepted and answer.get("finalize") == SUCCESS,
        accepted and answer.get("graph") == SUCCESS,
    )


def alike(attribute: str, descriptor: str) -> bool:
    """Return whether an attribute is named after a descriptor type, which is then tried."""
    return (
        attribute.replace("_", "")
        .removesuffix("DESCRIPTOR")
        .removesuffix("DESC")
        .removesuffix("S")
        .endswith(stem(descriptor).replace("_", "").removesuffix("S"))
    )


def first(answer: Mapping[str, Any]) -> Any:
    """Return the elements that the first read of a job gave; None if there are none."""
    if any(status != SUCCESS for status in answer.get("set", ())):
        return None
    status, elements = (answer.get("get") or [["", None]])[0]
    return elements if status == SUCCESS else None
