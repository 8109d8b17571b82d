"""What all operations share: options, the choice of a way to compute, and the plans they keep."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from .. import choice, errors, handles
from .._support.recent import Recent
from .._support.results import Record
from ..choice import policy as policies
from ..choice.policy import Engine, Rule
from ..plan import Plan
from . import recording
from .classic import Classic
from .drafts import Draft
from .listing import find
from .specs import Spec

if TYPE_CHECKING:
    from typing import NamedTuple
else:
    NamedTuple = Record

__all__ = ["OPERATIONS", "Case", "Operation", "Unfit", "Way", "blend", "shared", "split"]

#: What runs an operation on arrays of one kind.
Way = Plan | Classic

#: The most kinds of arrays that an operation remembers, and the most operations of functions.
_MOST = 1024

#: The most combinations of optional arguments whose last plan is kept at hand.
_FEW = 64

# What every call asks, without another frame of Python's.
_watchers = recording.watchers
_open_scope = policies._open.get
_process = policies._process

#: Workspace that "small" allows where no classic algorithm says how much it needs, in bytes.
SMALL = 8 << 20

#: The part of the free memory that "large" allows.
_LARGE = 0.5


class Unfit(errors.NotSupportedError):
    """A way that cannot compute an operation: what it lacks, before cuDNN is asked."""


class Case(NamedTuple):
    """What a way is made for.

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


#: The classes of operations, by the names of their functions.
OPERATIONS: dict[str, type[Operation]] = {}


class Operation:
    """An operation with its options, and the plans for the arrays that it was called with.

    A subclass says what its arrays are called, which results they have, and how a graph or a
    classic function computes them. Everything else is here: which of these is used, by which engine
    or algorithm, and how it is found again.

    Attributes:
        options: what was given when it was made, by name.
        policy: the choice of this operation; see `cudnn_cffi.choice`.
    """

    #: "forward", "data" or "filter": which rule of a policy holds.
    section: ClassVar[str] = "forward"
    #: The name of the function that does the same.
    word: ClassVar[str] = ""
    #: The names of inputs and of outputs, in the order of a call.
    takes: tuple[str, ...] = ("x",)
    gives: tuple[str, ...] = ("y",)
    #: The inputs that may be left out.
    optional: ClassVar[frozenset[str]] = frozenset()
    #: The ways to compute it, best first.
    ways: ClassVar[tuple[str, ...]] = ("graph", "classic")

    def __init_subclass__(cls) -> None:
        if cls.word and not cls.__name__.startswith("_"):
            OPERATIONS[cls.word] = cls

    def __init__(self, choose: Any = None, **options: Any) -> None:
        self.options = options
        self.policy = policies.to_policy(choose)
        self._ways: dict[Any, Way] = Recent(_MOST)
        #: By what was given of the optional arguments: the state of choice, the last plan, and
        #: whether none of the arrays is None.
        self._last: dict[Any, tuple[Any, Any, Any, bool]] = Recent(_FEW)
        #: What "heuristic_once" and "time_once" found first.
        self._once: Any = None

    # What subclasses say

    def results(self, case: Case) -> dict[str, Spec]:
        """Return what the outputs are, where the caller passes none; refuse what does not fit.

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

    def classic(self, case: Case, rule: Rule, handle: Any) -> Classic:
        """Return the call of a classic function.

        Raises:
            Unfit: no classic function does this.
        """
        raise Unfit("no classic function does this")

    def algorithms(self, case: Case, handle: Any) -> Iterator[Any]:
        """Yield each way of the classic function as a `Candidate` of this room."""
        return iter(())

    # Calls

    def run(
        self,
        arrays: tuple[Any, ...],
        out: Any = None,
        handle: Any = None,
        stream: Any = ...,
        choose: Any = None,
        alpha: float = 1.0,
        beta: float = 0.0,
        call: tuple[tuple[str, Any], ...] = (),
        pattern: Any = 0,
    ) -> Any:
        """Compute the operation on arrays.

        Args:
            arrays: the inputs in their order, with None for those that were not given; such at the
                end may be left out.
            out: the output, or a tuple of outputs; None to make them.
            handle, stream: as for plans.
            choose: the choice of this call.
            alpha, beta: see `Case`.
            call: further arguments of the call that matter.
            pattern: what tells which inputs are None, and `call`.
        """
        last = self._last.get(pattern)
        if (
            last is not None
            and out is None
            and choose is None
            and handle is None
            and stream is ...
            and alpha == 1.0
            and beta == 0.0
            and not _watchers
        ):
            scope, process, attempt, is_whole = last
            if _open_scope() is scope and _process and _process[0] is process:
                given = arrays if is_whole else [each for each in arrays if each is not None]
                answer = attempt(*given)
                if answer is not NotImplemented:
                    return answer
        return self._look_up_and_run(
            arrays, out, handle, stream, choose, alpha, beta, call, pattern
        )

    def _look_up_and_run(
        self, arrays: Any, out: Any, handle: Any, stream: Any, choose: Any,
        alpha: float, beta: float, call: Any, pattern: Any,
    ) -> Any:  # fmt: skip
        outs = self._outs(out)
        if beta != 0 and (not outs or outs[0] is None):
            raise errors.ArgumentError(
                f"out: an array was expected, as beta is {beta}, None came",
                hint="what was in the output before is added beta times",
            )
        named = {
            name: array
            for name, array in zip(self.takes, arrays, strict=False)
            if array is not None
        }
        specs = {name: Spec.of(array, name) for name, array in named.items()}
        targets = {
            name: Spec.of(array, name if len(self.gives) > 1 else "out")
            for name, array in zip(self.gives, outs, strict=False)
            if array is not None
        }
        own = policies.to_policy(choose)
        scope, process = policies.state()
        limit = None if handle is None else handle.workspace.limit
        key = (tuple(specs.items()), tuple(targets.items()), alpha, beta, call, own, scope,
               process, limit)  # fmt: skip
        more: dict[str, Any] = {}
        if handle is not None:
            more["handle"] = handle
        if stream is not ...:
            more["stream"] = stream
        way = self._ways.get(key)
        if way is not None:
            answer = self._launch(way, named, outs, specs, more)
        else:
            case = self._case(specs, targets, alpha, beta, dict(call))
            rule = policies.rule_for(self.section, own, self.policy)
            way = self.find_way(case, rule, handle, None)
            try:
                answer = self._launch(way, named, outs, specs, more)
            except errors.NotSupportedError:
                # Classic functions tell only when they run.
                if not isinstance(way, Classic) or "graph" not in self._order(case, rule):
                    raise
                way = self.find_way(case, rule._replace(via="graph"), handle, None)
                answer = self._launch(way, named, outs, specs, more)
            self._ways[key] = way
        attempt = getattr(way, "attempt", None)
        is_short = attempt is not None and own is None and alpha == 1.0 and beta == 0.0
        if is_short and [each.name for each in way.inputs] == list(named):
            whole = all(each is not None for each in arrays)
            self._last[pattern] = (scope, process, attempt, whole)
        return answer

    def _launch(
        self,
        way: Way,
        named: Mapping[str, Any],
        outs: tuple[Any, ...],
        specs: Mapping[str, Spec],
        more: Mapping[str, Any],
    ) -> Any:
        """Run a way on the arrays of a call."""
        names = [each.name for each in way.inputs]
        given = {name: named[name] for name in names if name in named}
        if _BEFORE in names:
            more = {**more, _BEFORE: outs[0]}
        filled = {name: a for name, a in zip(self.gives, outs, strict=False) if a is not None}
        if _watchers:
            return recording.run(self, way, specs, given, filled, more)
        return way(**given, **filled, **more)

    def _outs(self, out: Any) -> tuple[Any, ...]:
        if out is None:
            return ()
        if isinstance(out, (tuple, list)) and not isinstance(out, Spec):
            if len(out) > len(self.gives):
                raise errors.ArgumentError(
                    f"out: at most {len(self.gives)} arrays were expected, {len(out)} came",
                    hint=f"in order: {', '.join(self.gives)}",
                )
            return tuple(out)
        return (out,)

    # Ways

    def _case(
        self,
        specs: dict[str, Spec],
        targets: dict[str, Spec],
        alpha: float,
        beta: float,
        call: Mapping[str, Any],
    ) -> Case:
        missing = [n for n in self.takes if n not in specs and n not in self.optional]
        if missing:
            raise errors.ArgumentError(f"{missing[0]}: an array was expected, None came")
        first = next(iter(specs.values()))
        for name, each in (*specs.items(), *targets.items()):
            if each.device != first.device:
                raise errors.ArgumentError(
                    f"{name}: memory of device {first.device} was expected, "
                    f"of device {each.device} came"
                )
        wanted = self.results(Case(specs, targets, alpha, beta, call))
        for name, target in targets.items():
            expected = wanted.get(name)
            if expected is None:
                raise errors.ArgumentError(f"{name}: it is not computed here")
            what = name if len(self.gives) > 1 else "out"
            if target.shape != expected.shape:
                raise errors.ShapeMismatchError(
                    f"{what}: the shape {expected.shape} was expected, {target.shape} came"
                )
            if target.dtype != expected.dtype and not self._may_convert(name, target):
                raise errors.ArgumentError(
                    f"{what}: {expected.dtype} was expected, {target.dtype} came"
                )
        return Case(specs, {**wanted, **targets}, alpha, beta, call)

    def _may_convert(self, name: str, target: Spec) -> bool:
        """Return whether an output may have another data type than it would get."""
        return False

    def find_way(self, case: Case, rule: Rule, handle: Any, device: Any) -> Way:
        """Return a way to compute a case by a rule.

        Raises:
            NotSupportedError: none does; it tells the reason of each.
        """
        if device is None:
            handle = handles.handle(self.device_of(case)) if handle is None else handle
        once = isinstance(rule.pick, str) and rule.pick.endswith("_once")
        if once:
            rule = rule._replace(pick=rule.pick.removesuffix("_once"))
            if self._once is not None:
                try:
                    return self.choose_way(case, rule._replace(**self._once), handle, device)
                except errors.NotSupportedError:
                    pass  # another shape may need another engine
        way = self.choose_way(case, rule, handle, device)
        if once and self._once is None:
            self._once = _pin(way)
        return way

    def choose_way(self, case: Case, rule: Rule, handle: Any, device: Any) -> Way:
        # Texts and no errors are kept: an error holds frames, and they hold plans and arrays.
        reasons: list[tuple[str, str, tuple[Any, ...]]] = []
        ways = self._order(case, rule)
        for via in ways:
            try:
                if via == "graph":
                    return self._by_graph(case, rule, handle, device)
                if handle is None:
                    raise Unfit("classic functions need a GPU")
                return self.classic(case, rule, handle)
            except (errors.NotSupportedError, errors.MissingFunctionError) as error:
                if len(ways) == 1:
                    raise
                reasons.append((via, error.message, getattr(error, "refusals", ())))
        arrays = ", ".join(f"{name} {spec}" for name, spec in case.inputs.items())
        lines = [f"{self.word}: neither a graph nor a classic function computes this: {arrays}"]
        for via, message, _ in reasons:
            lines += [f"  by {via}: {line}" for line in message.splitlines()[:12]]
        refusals = tuple([each for _, _, found in reasons for each in found])
        raise errors.NoPlanError("\n".join(lines), refusals=refusals)

    def _order(self, case: Case, rule: Rule) -> tuple[str, ...]:
        """Return the ways to try, in this order."""
        if rule.via is not None:
            return (rule.via,)
        if isinstance(rule.pick, Engine):
            return ("graph",)
        if isinstance(rule.pick, str) and rule.pick not in policies.WORDS:
            # An algorithm of convolution means nothing to the others.
            return ("classic",) if self._has_algorithms else self.ways
        return self.ways

    #: Whether the classic function has algorithms to choose from.
    _has_algorithms: ClassVar[bool] = False

    def device_of(self, case: Case) -> int | None:
        return next(iter(case.inputs.values())).device

    def computation(self, case: Case, handle: Any, device: Any) -> Any:
        """Return what a plan of a case is built of."""
        draft = Draft(case.inputs, case.outputs)
        self.graph(case, draft)
        return draft.computation(handle, device)

    def _by_graph(self, case: Case, rule: Rule, handle: Any, device: Any) -> Plan:
        computation = self.computation(case, handle, device)
        pick, filters = rule.pick, self._filters(rule, handle)
        if isinstance(pick, Engine):
            return choice.build(
                computation, engine=pick.index, knobs=dict(pick.knobs) or None, **filters
            )
        if pick == "time" and handle is not None:
            return choice.build(computation, "autotune", **filters)
        if pick == "deterministic":
            filters["deterministic"] = True
        budget = self._budget(case, rule, handle)
        if budget is not None:
            limit = filters.get("workspace_limit")
            filters["workspace_limit"] = budget if limit is None else min(budget, limit)
        note = _NOTES.get(str(pick))
        if note is not None:
            filters["where"] = lambda each: any(n.name == note for n in each.numeric_notes)
        return choice.build(computation, **filters)

    @staticmethod
    def _filters(rule: Rule, handle: Any) -> dict[str, Any]:
        """Return the filters of a rule, with the limit of the handle's workspace."""
        filters = rule.filters
        own = None if handle is None else handle.workspace.limit
        if own is not None:
            filters["workspace_limit"] = min(own, filters.get("workspace_limit", own))
        return filters

    def _budget(self, case: Case, rule: Rule, handle: Any) -> int | None:
        """Return the workspace that a word allows, in bytes; None for any."""
        if rule.pick == "none":
            return 0
        if rule.pick == "small":
            return SMALL
        if rule.pick == "large" and handle is not None:
            from .. import driver

            return int(driver.info(handle.device).free * _LARGE)
        return None

    # What users ask

    def plan(
        self, *arrays: Any, out: Any = None, handle: Any = None, device: Any = None,
        choose: Any = None, alpha: float = 1.0, beta: float = 0.0, **call: Any,
    ) -> Way:  # fmt: skip
        """Return what would compute the operation on such arrays, without running it.

        Args:
            arrays: the inputs, or a `Spec` for each; None for optional ones.
            out: the outputs, or a `Spec` for each.
            handle: whose device it is for; by default that of the arrays.
            device: properties of a device that need not be there, as for `Graph.build`.
            choose: as in a call.
            alpha, beta, call: as in a call.

        Returns: a `Plan`, or a `Classic` for one of cuDNN's classic functions.

        Raises:
            NotSupportedError: neither a graph nor a classic function does this.
            ArgumentError: an array does not fit.
        """
        case = self.case(*arrays, out=out, alpha=alpha, beta=beta, **call)
        own = policies.to_policy(choose)
        rule = policies.rule_for(self.section, own, self.policy)
        return self.find_way(case, rule, handle, device)

    def case(
        self, *arrays: Any, out: Any = None, alpha: float = 1.0, beta: float = 0.0, **call: Any
    ) -> Case:
        """Return what a way would be made for; arguments are those of `plan`."""
        if len(arrays) > len(self.takes):
            raise errors.ArgumentError(
                f"{self.word}: at most {len(self.takes)} arrays were expected, {len(arrays)} came",
                hint=f"in order: {', '.join(self.takes)}",
            )
        pairs = zip(self.takes, arrays, strict=False)
        specs = {name: Spec.of(array, name) for name, array in pairs if array is not None}
        outs = zip(self.gives, self._outs(out), strict=False)
        targets = {name: Spec.of(array, name) for name, array in outs if array is not None}
        return self._case(specs, targets, alpha, beta, call)

    def candidates(self, *arrays: Any, **settings: Any) -> Any:
        """Return all ways to compute the operation; see `cudnn_cffi.ops.candidates`."""
        return find(self, arrays, **settings)

    def gradients(self, case: Case) -> list[tuple[Operation, Case]]:
        """Return the operation and its gradients for data and filters, each with its case.

        Raises:
            ArgumentError: the operation is no convolution.
        """
        raise errors.ArgumentError(f"gradients: those of a convolution only, {self!r} came")

    @property
    def plans(self) -> tuple[Way, ...]:
        """Return what the operation has run, the newest last."""
        return tuple(self._ways.values())

    def clear(self) -> None:
        """Forget all plans, and what "heuristic_once" and "time_once" found."""
        self._ways.clear()
        self._last.clear()
        self._once = None

    def __repr__(self) -> str:
        options = ", ".join(f"{k}={v!r}" for k, v in self.options.items() if v is not None)
        return f"{type(self).__name__}({options})"


#: The name of the input that is what the output held before.
_BEFORE = "before"

#: The note of engines that a word asks for.
_NOTES = {
    "fft": "FFT",
    "fft_tiling": "FFT",
    "winograd": "WINOGRAD",
    "winograd_non_fused": "WINOGRAD",
}


def _pin(way: Way) -> dict[str, Any]:
    """Return what makes a rule pick the same engine or algorithm again."""
    if isinstance(way, Classic):
        return {"pick": way.algorithm or "heuristic", "via": "classic"}
    if way.engine is None:
        return {}
    return {"pick": Engine(way.engine, tuple(sorted(way.knobs.items()))), "via": "graph"}


_made: dict[Any, Any] = Recent(_MOST)


def shared(cls: Any, options: dict[str, Any]) -> Any:
    """Return the operation that functions share for these options."""
    key = (cls, *options.items())
    try:
        found = _made.get(key)
    except TypeError:  # a list among the options
        options = {name: _frozen(value) for name, value in options.items()}
        key = (cls, *options.items())
        found = _made.get(key)
    if found is None:
        known = inspect.signature(cls).parameters
        wrong = [name for name in options if name not in known]
        if wrong:
            raise errors.ArgumentError(
                f"{cls.word}: there is no argument {wrong[0]!r}",
                hint=f"options: {', '.join(known)}",
            )
        found = _made[key] = cls(**options)
    return found


_CALL = frozenset({"out", "alpha", "beta", "handle", "stream", "choose"})


def split(arguments: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the arguments of a call, and the options of an operation."""
    call = {name: value for name, value in arguments.items() if name in _CALL}
    return call, {name: value for name, value in arguments.items() if name not in _CALL}


def _frozen(value: Any) -> Any:
    if isinstance(value, Mapping):
        return tuple(sorted((name, _frozen(each)) for name, each in value.items()))
    if isinstance(value, Sequence) and not isinstance(value, str):
        return tuple([_frozen(each) for each in value])
    return value


def blend(case: Case, draft: Draft, result: Any, tensor: Spec) -> Any:
    """Return alpha * result + beta * what was in the output, as graphs compute it."""
    graph = draft.graph
    if case.alpha != 1.0:
        result = graph.mul(result, case.alpha)
    if case.beta != 0.0:
        draft.more[_BEFORE] = next(iter(case.outputs.values()))
        before = graph.tensor(
            tensor.shape, tensor.data_type, tensor.strides, name=_BEFORE,
            alignment=tensor.alignment,
        )  # fmt: skip
        if case.beta != 1.0:
            before = graph.mul(before, case.beta)
        result = graph.add(result, before)
    return result
