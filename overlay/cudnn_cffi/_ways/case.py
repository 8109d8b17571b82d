"""The arrays and settings of a call, and the ways that compute it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .. import errors
from .._support.results import NamedTuple
from ..choice.policy import Rule
from ..plan import Plan
from .array_spec import Spec
from .classic_call import Classic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .graph_draft import Draft

#: A plan, or a call of classic functions, for arrays of one kind.
Way = Plan | Classic

#: Workspace that "small" allows where no classic algorithm says how much it needs, in bytes.
SMALL = 8 << 20

#: The types of two bytes.
HALVES = ("float16", "bfloat16")

#: The data types that engines for functions of elements have.
NARROW = (*HALVES, "float32")

#: The name of the input of a graph that is what the output held before.
BEFORE = "before"

#: A rule that only says what the default is.
FREE = Rule()


def keeps_precision(rule: Rule, dtype: str) -> bool:
    """Return whether a rule forbids the tensor cores for arrays of a type.

    TF32 is what float32 is rounded to, and of no concern to other types.
    """
    return rule.tensor_cores is False or (rule.tf32 is False and dtype == "float32")


class Unfit(errors.NotSupportedError):
    """A way that cannot compute an operation: what it lacks, before cuDNN is asked."""


def is_own_failure(error: errors.CudnnError) -> bool:
    """Return whether a step of this package failed, and not cuDNN: no other way may hide that."""
    return isinstance(error, errors.ExecutionFailedError) and error.status is None


class Case(NamedTuple):
    """The arrays and settings that a way is made for.

    Attributes:
        inputs: the arrays that it reads, by name; those that were not given are absent.
        outputs: the arrays that it writes, by name, as the caller has or gets them.
        alpha, beta: the first output becomes alpha * result + beta * what was there.
        call: further arguments of the call that matter, by name.
    """

    inputs: dict[str, Spec]
    outputs: dict[str, Spec]
    alpha: float = 1.0
    beta: float = 0.0
    call: Mapping[str, Any] = {}

    @property
    def is_plain(self) -> bool:
        """Return whether the result is written as it is."""
        return self.alpha == 1.0 and self.beta == 0.0

    def kind_of(self, kept: object) -> tuple[object, ...]:
        """Return what arrays of other extents have in common, with those that are `kept`."""
        kind = [
            (name, each.dtype, each.device, each.alignment, *_order_of(each))
            for name, each in {**self.inputs, **self.outputs}.items()
        ]
        call = tuple(sorted(self.call.items()))
        return kept, tuple(kind), self.alpha, self.beta, call

    @property
    def is_empty(self) -> bool:
        """Return whether an array has no elements."""
        return any(0 in each.shape for each in (*self.inputs.values(), *self.outputs.values()))


def _order_of(spec: Spec) -> Iterator[int]:
    """Yield the axes in their order in memory, and which have one element or repeat it."""
    yield from sorted(range(len(spec.shape)), key=lambda axis: (-spec.strides[axis], axis))
    yield from [min(each, 2) for each in spec.shape + spec.strides]


def is_deterministic(way: Way) -> bool | None:
    """Return whether a way gives the same bits each time; None if that is not known."""
    if isinstance(way, Classic):
        return way.deterministic
    return "NONDETERMINISTIC" not in way.notes


def plan_of(way: Way) -> Plan | None:
    """Return the plan that computes an operation; None where no plan computes all of it."""
    return way.core if isinstance(way, Classic) else way


def blend(case: Case, draft: Draft, result: Any, tensor: Spec) -> Any:
    """Return alpha * result + beta * what was in the output, as graphs compute it."""
    graph = draft.graph
    if case.alpha != 1.0:
        result = graph.mul(result, case.alpha)
    if case.beta != 0.0:
        draft.more[BEFORE] = next(iter(case.outputs.values()))
        before = graph.tensor(
            tensor.shape, tensor.data_type, tensor.strides, name=BEFORE,
            alignment=tensor.alignment,
        )  # fmt: skip
        if case.beta != 1.0:
            before = graph.mul(before, case.beta)
        result = graph.add(result, before)
    return result
