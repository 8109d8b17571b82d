"""The base of all operations: options, the choice of a way to compute, and the plans they keep."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, TypeVar

from .. import arrays, driver, errors
from .._support.recent import Recent
from .._ways.alignment import low
from .._ways.array_spec import Spec
from .._ways.case import FREE, NARROW, SMALL, Case, Unfit, Way
from .._ways.classic_call import Classic
from .._ways.graph_draft import Draft
from ..choice import measured
from ..choice import policy as policies
from ..choice.policy import Rule
from ..handles import checked_handle
from ..plan import Plan
from . import candidate_rows, recording, way_search
from .launching import Request, arguments_of, look_up_and_run, make_case
from .option_errors import checked
from .searched import LastCall
from .sharing import shared
from .shortcuts import make_memory, note, shortcut

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .._ways.signatures import Array, CallStream, Choose, Device, Handle, Out
    from ..choice.keywords import FilterOptions
    from ..plan.computation import Computation

_T = TypeVar("_T", bound="Operation")

#: The part of the free memory that "large" allows.
_PART_OF_FREE = 0.5

#: Maximum of kinds of arrays that an operation remembers.
_MAXIMUM_KINDS = 1024

#: Maximum of patterns of optional arguments whose last call is kept.
_MAXIMUM_PATTERNS = 64

# Every call asks these: bound here, the answer costs no Python frame.
_watchers = recording.watchers
_open_scope = policies._open.get
_process = policies._process

#: The classes of operations, by the words that errors, records and choices have for them.
CLASSES: dict[str, type[Operation]] = {}


class Operation:
    """An operation with its options, and the plans for the arrays that it was called with.

    A subclass says what its arrays are called, which results they have, and how a graph or a
    classic function computes them. Everything else is here: which of these is used, by which engine
    or algorithm, and how it is found again.

    Attributes:
        options: the arguments of the constructor, by name.
        policy: the choice of this operation; see `cudnn_cffi.choice`.
    """

    #: "forward", "data" or "filter": which rule of a policy holds.
    section: ClassVar[str] = "forward"
    #: The name of the function that does the same.
    word: ClassVar[str] = ""
    #: Functions of cuDNN, and nodes of graphs, that compute it, for the help.
    by: ClassVar[str] = ""
    #: The words of the operations that compute its gradients; none where cuDNN has none.
    gradient: ClassVar[tuple[str, ...]] = ()
    #: The options that functions take from arrays, and these arrays.
    derived: ClassVar[tuple[str, ...]] = ()
    derived_from: ClassVar[tuple[str, ...]] = ()
    #: The names of inputs and of outputs, in the order of a call. Inputs are the parameters of
    #: `__call__` that are arrays, if the class does not name them.
    takes: tuple[str, ...] = ("x",)
    gives: tuple[str, ...] = ("y",)
    #: The inputs that may be left out: those that may be None, if the class does not name them.
    optional: ClassVar[frozenset[str]] = frozenset()
    #: Two optional inputs that must be given together.
    together: ClassVar[tuple[str, ...]] = ()
    #: The arrays, read or written, whose strides cuDNN is not told.
    in_c_order: ClassVar[frozenset[str]] = frozenset({"reserve"})
    #: The inputs that a call changes in place.
    updates: ClassVar[tuple[str, ...]] = ()
    #: The inputs that are for one call, which may write over them.
    spends: ClassVar[tuple[str, ...]] = ()
    #: The ways to compute it, best first.
    ways: ClassVar[tuple[str, ...]] = ("graph", "classic")

    #: Whether its outputs are sums, which are zero where an input has no elements.
    sums: bool = False
    #: Whether TF32 can round its inputs, where they are float32: it sums products of them.
    rounds: ClassVar[bool] = False
    #: Whether engines take arrays at other addresses than multiples of 16, or refuse them; for
    #: others (see `errata.asks.misalignment`) the arrays are copied.
    takes_low: ClassVar[bool] = False

    #: Bytes of the first array from which a graph is tried first: its engine is compiled for each
    #: shape, and is faster if the device has much to do. None for the order of `ways` at any size.
    graph_from: ClassVar[int | None] = None

    #: Picks that are kept: an engine or algorithm by the rule "heuristic_once" or "time_once", and
    #: the algorithm of a recurrent network by what decides it; its lengths alone do not.
    _picked: dict[object, Any]
    #: The lengths of the first arrays of a kind, by what all of the kind have in common.
    _first: dict[object, dict[object, bool]]
    #: The choice of this operation.
    policy: policies.Policy | None = None
    #: The arguments of the constructor, by name.
    options: dict[str, Any]

    #: Fallback policy from the framework; used only if no `choose`, scope or default applies.
    behind: policies.Policy | None = None

    #: Hook: returns the arrays of a call in an accepted layout, or copies. Called only if no
    #: plan fits. Pure function of types, shapes and strides.
    arrange: Callable[[tuple[object, ...]], tuple[object, ...]] | None = None

    #: Hook: returns a function that copies as `arrange` copied an array, for shortcuts; or None.
    copier: Callable[[object, object], Callable[[object], object] | None] | None = None

    def __init_subclass__(cls) -> None:
        if cls.word and not cls.__name__.startswith("_"):
            CLASSES[cls.word] = cls
        init = cls.__dict__.get("__init__")
        if init is not None:
            setattr(cls, "__init__", checked(init))  # noqa: B010  likewise
        call = cls.__dict__.get("__call__")
        if call is not None:
            kinds = {n: str(kind) for n, kind in call.__annotations__.items() if n != "return"}
            taken = {name: kind for name, kind in kinds.items() if kind.startswith("Array")}
            if taken and "takes" not in cls.__dict__:
                cls.takes = tuple(taken)
            if taken and "optional" not in cls.__dict__:
                cls.optional = frozenset([n for n, kind in taken.items() if kind[-4:] == "None"])
            setattr(cls, "__call__", shortcut(call))  # noqa: B010  mypy takes it for a method

    def __init__(self, choose: Choose = None, **options: Any) -> None:
        self.options = options
        self.policy = policies.to_policy(choose)
        self._begin()

    @classmethod
    def for_function(cls, options: dict[str, Any], *_: Any) -> Any:
        """Return the operation that functions share for these options.

        Args:
            options: of the class, but for those in `derived`.
            _: the arrays in `derived_from`.
        """
        return shared(cls, options)

    def _begin(self) -> None:
        """Begin with nothing to remember."""
        self._ways: dict[Any, Way] = Recent(_MAXIMUM_KINDS)
        #: By the pattern of optional arguments.
        self._last: dict[object, LastCall] = Recent(_MAXIMUM_PATTERNS)
        self._picked = Recent(_MAXIMUM_KINDS)
        self._first = Recent(_MAXIMUM_KINDS)
        self._memory = make_memory()

    # Calls

    def run(
        self,
        arrays: tuple[object, ...],
        out: Out = None,
        handle: Handle | None = None,
        stream: CallStream = ...,
        choose: Choose = None,
        alpha: float = 1.0,
        beta: float = 0.0,
        call: tuple[tuple[str, object], ...] = (),
    ) -> Any:
        """Compute the operation on arrays.

        Args:
            arrays: the inputs in their order, with None for absent ones; absent ones at the end
                may be left out.
            out: the output, or a tuple of outputs; None to make them.
            handle, stream: as for plans.
            choose: the choice of this call.
            alpha, beta: see `Case`.
            call: further arguments of the call that matter; hashable.
        """
        pattern = (call, *[each is None for each in arrays]) if self.optional else call
        last, arranged = self._last.get(pattern), None
        if (
            last is not None
            and choose is None
            and handle is None
            and stream is ...
            and alpha == 1.0
            and beta == 0.0
            and not _watchers
        ):
            scope, process, way, is_whole = last
            if _open_scope() is scope and _process and _process[0] is process:
                given = arrays if is_whole else [each for each in arrays if each is not None]
                if out is None:
                    answer = way.attempt(*given)
                    if answer is NotImplemented and self.arrange is not None:
                        arranged = self.arrange(arrays)
                        answer = way.attempt(*[each for each in arranged if each is not None])
                elif type(out) is tuple or type(out) is list:
                    answer = NotImplemented
                else:
                    answer = way.attempt(*given, out)
                if answer is not NotImplemented:
                    known = {
                        each.name: array for each, array in zip(way.inputs, given, strict=True)
                    }
                    known.update(zip(self.gives, (out,), strict=False))
                    self._note(way, known, answer, arrays, arranged)
                    return answer
        return look_up_and_run(
            self, Request(arrays, arranged, out, handle, stream, choose, alpha, beta, call, pattern)
        )

    # HOOKS
    def results(self, case: Case) -> dict[str, Spec]:
        """Describe the outputs that the caller does not pass; refuse inputs that do not fit.

        Raises:
            ArgumentError: an input has a wrong shape, layout or data type; it is named.
        """
        raise NotImplementedError

    def graph(self, case: Case, draft: Draft) -> None:
        """Add what computes the outputs to a graph.

        Raises:
            Unfit: a graph does not do this.
        """
        raise Unfit("no graph does this")

    def classic(self, case: Case, rule: Rule, handle: Handle) -> Classic:
        """Return the call of a classic function.

        Raises:
            Unfit: no classic function does this.
        """
        raise Unfit("no classic function does this")

    def algorithms(
        self, case: Case, handle: Handle, rule: Rule = FREE
    ) -> Iterator[tuple[str, Classic | None, str]]:
        """Yield each algorithm of the classic function: its name, its call, and why it has none.

        Args:
            rule: what the numbers may go through.
        """
        return iter(())

    def _may_convert(self, name: str, target: Spec) -> bool:
        """Return whether an output may have another data type than it would get."""
        return False

    def facts(self, case: Case) -> tuple[dict[str, str], Mapping[str, object]]:
        """Return all that choices depend on: arrays as text by name, and options of the call."""
        named = {**case.inputs, **case.outputs}
        return {name: each.text for name, each in named.items()}, case.call

    def is_large(self, case: Case) -> bool:
        """Return whether a graph is tried first for arrays of this size; see `graph_from`."""
        first = next(iter(case.inputs.values()))
        size = math.prod(first.shape) * arrays.itemsize(first.dtype)
        if self.graph_from is None or not measured.holds(first.device):
            return False
        return size >= self.graph_from and first.dtype in NARROW

    #: Whether the classic function has algorithms to choose from.
    _has_algorithms: ClassVar[bool] = False

    def device_of(self, case: Case) -> int | None:
        return next(iter(case.inputs.values())).device

    def computation(self, case: Case, handle: Handle | None, device: Device | None) -> Computation:
        """Return the computation that a plan of a case is built of."""
        draft = Draft(case.inputs, case.outputs)
        self.graph(case, draft)
        return draft.computation(handle, device)

    def engine_filters(self, case: Case, filters: FilterOptions) -> FilterOptions:
        """Return the filters of a rule without those that say nothing of a case."""
        if not self.rounds or next(iter(case.inputs.values())).dtype != "float32":
            filters.pop("tf32", None)  # engines bear the note whatever they compute
        return filters

    def _budget(self, case: Case, rule: Rule, handle: Handle | None) -> int | None:
        """Return the workspace that a word allows, in bytes; None for any."""
        if rule.pick == "none":
            return 0
        if rule.pick == "small":
            return SMALL
        if rule.pick == "large" and handle is not None:
            return policies.rounded(int(driver.info(handle.device).free * _PART_OF_FREE))
        return None

    def _order(self, case: Case, rule: Rule) -> tuple[str, ...]:
        """Return the ways to try, in this order; see `way_search.order_of`."""
        return way_search.order_of(self, case, rule)

    def _case(
        self,
        specs: dict[str, Spec],
        targets: dict[str, Spec],
        alpha: float,
        beta: float,
        call: Mapping[str, object],
    ) -> Case:
        return make_case(self, specs, targets, alpha, beta, call)

    def find_way(self, case: Case, rule: Rule, handle: Handle | None, device: Device | None) -> Way:
        """Return a way to compute a case by a rule.

        Arrays at addresses, or with strides, that nothing takes are copied first; see `aligning`.

        Raises:
            NotSupportedError: there is none; it tells the reason of each.
        """
        return way_search.find_way(self, case, rule, handle, device)

    def _by_graph(
        self, case: Case, rule: Rule, handle: Handle | None, device: Device | None
    ) -> Way:
        copies = {} if self.takes_low else low(case)
        if copies:
            return way_search.copied(
                self, case, copies, lambda inner: self._planned(inner, rule, handle, device)
            )
        return self._planned(case, rule, handle, device)

    def _planned(self, case: Case, rule: Rule, handle: Handle | None, device: Device | None) -> Way:
        """Return the plan of a graph whose arrays are where engines take them, or what runs it."""
        return way_search.by_graph(self, case, rule, handle, device)

    def by_classic(self, case: Case, rule: Rule, handle: Handle) -> Classic:
        """Return the call of the classic function, with copies of arrays that it cannot read."""
        copies = low(case) if self.alignment_of(case) > 1 else {}
        if copies:
            return way_search.copied(
                self, case, copies, lambda inner: self.classic(inner, rule, handle)
            )
        return self.classic(case, rule, handle)

    def alignment_of(self, case: Case) -> int:
        """Return the alignment that the classic function needs; most take any address."""
        return 1

    def _note(
        self, way: Any, known: Mapping[str, Any], answer: Any, given: Any, arranged: Any
    ) -> None:
        """Tell shortcuts of a call, if it was no more than copies and a way's execution.

        Args:
            way: what ran.
            known: the given arrays, by the names of its operands.
            answer: what it returned.
            given, arranged: the inputs of the call, and their copies; None if there are none.
        """
        copiers: dict[str, Any] = {}
        is_seen = getattr(type(way), "attempt", None) is Plan.attempt
        for name, one, other in zip(self.takes, given, arranged or given, strict=False):
            if one is not other:
                copiers[name] = None if self.copier is None else self.copier(one, other)
                is_seen = is_seen and copiers[name] is not None
        if not is_seen:
            note(None, (), None, ())
            return
        takes = [each.name for each in way.operands if each.is_argument]
        by_operand = tuple([copiers.get(name) for name in takes]) if copiers else ()
        note(way, tuple([known.get(name) for name in takes]), answer, by_operand)

    def _outs(self, out: Any, beta: float = 0.0) -> tuple[Any, ...]:
        is_several = isinstance(out, (tuple, list)) and not isinstance(out, Spec)
        outs = tuple(out) if is_several else () if out is None else (out,)
        if len(outs) > len(self.gives):
            raise errors.ArgumentError(
                f"out: expected at most {len(self.gives)} arrays, got {len(outs)}",
                hint=f"in order: {', '.join(self.gives)}",
            )
        if beta != 0 and (not outs or outs[0] is None):
            raise errors.ArgumentError(
                f"out: expected an array, as beta is {beta}, got None",
                hint="what was in the output before is added beta times",
            )
        return outs

    def _like(self, cls: type[_T], **options: Any) -> _T:
        """Return the shared operation of a class with options, and with this one's choice."""
        if self.policy is not None:
            options["choose"] = self.policy
        return shared(cls, options)

    # Public methods

    def plan(
        self, *arrays: Array | Spec | None, device: Device | None = None, **call: object
    ) -> Way:
        """Return what would compute a call, without running it.

        Args:
            arrays, call: the arguments of the call, by their places or names, such as `out`,
                `alpha`, `choose` and `handle`; a `Spec` may stand for each array.
            device: properties of a device that need not be there, as for `Graph.build`.

        Returns: a `Plan`, or a `Classic` for one of cuDNN's classic functions.

        Raises:
            NotSupportedError: neither a graph nor a classic function does this.
            ArgumentError: an array does not fit.
            TypeError: the call takes no such argument.
        """
        asked = arguments_of(self, self.run, arrays, call)
        if asked["handle"] is not None:
            checked_handle(asked["handle"])
        out, beta = asked["out"], asked["beta"]
        self._outs(out, beta)
        case = self.case(
            *asked["arrays"], out=out, alpha=asked["alpha"], beta=beta, **dict(asked["call"])
        )
        own = policies.to_policy(asked["choose"])
        rule = policies.rule_for(self.section, own, self.policy, behind=self.behind)
        return self.find_way(case, rule, asked["handle"], device)

    def case(
        self, *arrays: Array | Spec | None, out: Out = None, alpha: float = 1.0, beta: float = 0.0,
        **call: object,
    ) -> Case:  # fmt: skip
        """Return the case that a way would be made for.

        Args:
            arrays: the inputs in the order of `takes`, or a `Spec` for each; None for no array.
            out, alpha, beta: as for `run`.
            call: further arguments of the call that matter.
        """
        if len(arrays) > len(self.takes):
            raise errors.ArgumentError(
                f"{self.word}: expected at most {len(self.takes)} arrays, got {len(arrays)}",
                hint=f"in order: {', '.join(self.takes)}",
            )
        pairs = zip(self.takes, arrays, strict=False)
        specs = {name: Spec.of(array, name) for name, array in pairs if array is not None}
        outs = zip(self.gives, self._outs(out), strict=False)
        targets = {name: Spec.of(array, name) for name, array in outs if array is not None}
        return self._case(specs, targets, alpha, beta, call)

    candidates = candidate_rows.candidates

    def gradients(self, case: Case) -> list[tuple[Operation, Case]]:
        """Return the operation and its gradients for data and filters, each with its case.

        Raises:
            ArgumentError: the operation is no convolution.
        """
        raise errors.ArgumentError(f"gradients: those of a convolution only, got {self!r}")

    @property
    def plans(self) -> tuple[Way, ...]:
        """Return the plans and classic calls that the operation keeps, the newest last."""
        return tuple(self._ways.values())

    def clear(self) -> None:
        """Forget all plans, and what "heuristic_once" and "time_once" found."""
        self._ways.clear()
        self._last.clear()
        self._picked.clear()
        self._first.clear()
        if self._memory is not None:
            self._memory.clear()

    def __getstate__(self) -> dict[str, object]:
        """Return the state of copies and pickles: all but the caches."""
        own = self.__dict__.copy()
        for name in _REMEMBERED:
            own.pop(name, None)
        return own

    def __setstate__(self, state: object) -> None:
        if not isinstance(state, dict) or not isinstance(state.get("options"), dict):
            raise errors.ArgumentError(f"the pickle of a {type(self).__name__} is damaged")
        self.__dict__.update(state)
        self._begin()

    def __repr__(self) -> str:
        given = vars(self).get("options", {})  # a damaged pickle may have none
        options = ", ".join(f"{k}={v!r}" for k, v in given.items() if v is not None)
        return f"{type(self).__name__}({options})"


#: Caches; left out of copies and pickles.
_REMEMBERED = ("_ways", "_last", "_picked", "_first", "_memory")
