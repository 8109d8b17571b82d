"""The base of all operations: options, the choice of a way to compute, and the plans they keep."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

from .. import errors, handles
from .._support.recent import Recent
from .._ways.alignment import in_workspace, low, uneven
from .._ways.array_spec import Spec
from .._ways.case import BEFORE, Case, Unfit, Way
from .._ways.classic_call import Classic
from .._ways.empty import of_nothing
from ..choice import policy as policies
from ..choice.policy import Rule
from ..choice.store import choices as book
from ..plan import Plan
from . import recording
from .candidate_rows import find as find_candidates
from .launching import Arguments, arguments_of, launch, launch_first
from .option_errors import checked
from .sharing import shared
from .shortcuts import make_memory, note, shortcut
from .way_search import Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .._ways.signatures import CallStream, Choose, Device, Handle, Out

__all__ = ["CLASSES", "Operation"]

_T = TypeVar("_T", bound="Operation")

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


class _LastCall(NamedTuple):
    """The last call with a pattern of optional arguments, and when it holds.

    Attributes:
        scope, process: the state of choice that it was made in.
        way: what ran.
        is_whole: whether none of the arrays was None.
    """

    scope: object
    process: object
    way: Way
    is_whole: bool


class _Request(NamedTuple):
    """The arguments of a call, as `Operation.run` has them.

    Attributes:
        given: the inputs.
        arranged: the inputs in the layout that the operation takes; None if that is not known yet.
    """

    given: tuple[Any, ...]
    arranged: tuple[Any, ...] | None
    out: Out
    handle: Handle | None
    stream: CallStream
    choose: Choose
    alpha: float
    beta: float
    call: tuple[tuple[str, Any], ...]
    pattern: object


class Operation(Finding):
    """An operation with its options, and the plans for the arrays that it was called with.

    A subclass says what its arrays are called, which results they have, and how a graph or a
    classic function computes them. Everything else is here: which of these is used, by which engine
    or algorithm, and how it is found again.

    Attributes:
        options: what was given when it was made, by name.
        policy: the choice of this operation; see `cudnn_cffi.choice`.
    """

    #: Fallback policy from the framework; used only if no `choose`, scope or default applies.
    behind: policies.Policy | None = None

    #: Hook: returns the arrays of a call in an accepted layout, or copies. Called only if no
    #: plan fits. Pure function of types, shapes and strides.
    arrange: Callable[[tuple[Any, ...]], tuple[Any, ...]] | None = None

    #: Hook: returns a function that copies as `arrange` copied an array, for shortcuts; or None.
    copier: Callable[[Any, Any], Callable[[Any], Any] | None] | None = None

    def __init_subclass__(cls) -> None:
        if cls.word and not cls.__name__.startswith("_"):
            CLASSES[cls.word] = cls
        init = cls.__dict__.get("__init__")
        if init is not None:
            setattr(cls, "__init__", checked(init))  # noqa: B010  likewise
        call = cls.__dict__.get("__call__")
        if call is not None:
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
        self._last: dict[object, _LastCall] = Recent(_MAXIMUM_PATTERNS)
        self._once = {}
        self._memory = make_memory()

    # Calls

    def run(
        self,
        arrays: tuple[Any, ...],
        out: Out = None,
        handle: Handle | None = None,
        stream: CallStream = ...,
        choose: Choose = None,
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
        return self._look_up_and_run(
            _Request(arrays, arranged, out, handle, stream, choose, alpha, beta, call, pattern)
        )

    def _look_up_and_run(self, request: _Request) -> Any:
        """Run the way that is known for a call, or the one that is found and then kept."""
        given, arrays, out, handle, stream, choose, alpha, beta, call, pattern = request
        outs = self._outs(out, beta)
        if arrays is None:
            arrays = given if self.arrange is None else self.arrange(given)
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
        first = next(iter(specs.values()), None)
        limit = handles.limit_of(handle, None if first is None else first.device)
        key = (tuple(specs.items()), tuple(targets.items()), alpha, beta, call, own, scope,
               process, limit, book.generation)  # fmt: skip
        more: dict[str, Any] = {}
        if handle is not None:
            more["handle"] = handle
        if stream is not ...:
            more["stream"] = stream
        way = self._ways.get(key)
        if way is not None:
            answer = launch(self, way, Arguments(named, outs, specs, more))
        else:
            case = self._case(specs, targets, alpha, beta, dict(call))
            rule = policies.rule_for(self.section, own, self.policy, behind=self.behind)
            way = self.find_way(case, rule, handle, None)
            try:
                answer = launch_first(self, way, case, Arguments(named, outs, specs, more))
            except _REFUSED as error:
                # Classic functions report "not supported" only at run time, so retry here.
                reasons = [error.message]
                for other in self._instead(way, error, case, rule, handle):
                    try:
                        way = other()
                        answer = launch_first(self, way, case, Arguments(named, outs, specs, more))
                        break
                    except _REFUSED as another:
                        reasons.append(another.message)
                else:
                    raise error.replace(message="\n".join(reasons)) from None
            if not (isinstance(way, Classic) and way.is_late):
                self._ways[key] = way
        known = dict(zip(self.takes, given, strict=False))
        known.update(zip(self.gives, outs, strict=False))
        if outs:
            known[BEFORE] = outs[0]
        # Never let the shortcut learn a makeshift way: it would serve all later calls.
        is_slow = isinstance(way, Classic) and (way.is_makeshift or way.is_late)
        self._note(None if is_slow else way, known, answer, given, arrays)
        # Remember only calls without `out=` and without a limited workspace: others may use a
        # special way.
        is_free = handle is None or limit is None
        is_short = own is None and not outs and alpha == 1.0 and is_free and not is_slow
        if is_short and [each.name for each in way.inputs] == list(named):
            whole = all(each is not None for each in arrays)
            self._last[pattern] = _LastCall(scope, process, way, whole)
        return answer

    def _instead(
        self, way: Way, error: errors.CudnnError, case: Case, rule: Any, handle: Handle | None
    ) -> list[Callable[[], Way]]:  # fmt: skip
        """Return what returns the ways to try where cuDNN refuses to run one."""
        found: list[Callable[[], Way]] = []
        if isinstance(error, errors.MisalignedPointerError) and self._is_low(case, rule):
            found.append(lambda: self._find_aligned(case, rule, handle, None))
        other = "classic" if isinstance(error, Unfit) else ""  # which no plan says before
        if isinstance(way, Classic):
            if way.instead is not None:
                found.append(way.instead)
            is_refused = way.instead is not None or isinstance(error, errors.NotSupportedError)
            other = "graph" if is_refused else ""
        if other in self._order(case, rule):
            found.append(lambda: self.find_way(case, rule._replace(via=other), handle, None))
        if uneven(case):
            found.append(lambda: self._find_packed(case, rule, handle, None))
        return found

    def find_way(self, case: Case, rule: Rule, handle: Handle | None, device: Device | None) -> Way:
        """Return a way to compute a case by a rule.

        Arrays at addresses, or with strides, that nothing takes are copied first; see `aligning`.

        Raises:
            NotSupportedError: there is none; it tells the reason of each.
        """
        if case.is_empty:
            return of_nothing(case, sums=self.sums)
        try:
            return super().find_way(case, rule, handle, device)
        except _REFUSED:
            for applies, find in (
                (self._is_low(case, rule), self._find_aligned),
                (uneven(case), self._find_packed),
            ):
                try:
                    if applies:
                        return find(case, rule, handle, device)
                except _REFUSED:
                    pass
            raise

    def _by_graph(
        self, case: Case, rule: Rule, handle: Handle | None, device: Device | None
    ) -> Way:
        copies = {} if self.takes_low else low(case)
        if copies:
            return self._copied(
                case, copies, lambda inner: self._planned(inner, rule, handle, device)
            )
        return self._planned(case, rule, handle, device)

    def _planned(self, case: Case, rule: Rule, handle: Handle | None, device: Device | None) -> Way:
        """Return the plan of a graph whose arrays are where engines take them, or what runs it."""
        return super()._by_graph(case, rule, handle, device)

    def by_classic(self, case: Case, rule: Rule, handle: Handle) -> Classic:
        """Return the call of the classic function, with copies of arrays that it cannot read."""
        copies = low(case) if self.alignment_of(case) > 1 else {}
        if copies:
            return self._copied(case, copies, lambda inner: self.classic(inner, rule, handle))
        return super().by_classic(case, rule, handle)

    def alignment_of(self, case: Case) -> int:
        """Return what the classic function wants addresses to be multiples of; most take any."""
        return 1

    def _is_low(self, case: Case, rule: Rule) -> bool:
        """Return whether engines got arrays at low addresses where they are, and may say no."""
        return self.takes_low and bool(low(case)) and "graph" in self._order(case, rule)

    def _find_aligned(
        self, case: Case, rule: Rule, handle: Handle | None, device: Device | None
    ) -> Way:
        """Return a graph's way that computes on copies of the arrays at low addresses."""
        rule = rule._replace(via="graph")
        find = self.find_way
        return self._copied(case, low(case), lambda inner: find(inner, rule, handle, device))

    def _find_packed(
        self, case: Case, rule: Rule, handle: Handle | None, device: Device | None
    ) -> Way:
        """Return a way that computes on copies of arrays with gaps, or in another order."""
        find = self.find_way
        return self._copied(case, uneven(case), lambda inner: find(inner, rule, handle, device))

    def _copied(self, case: Case, copies: dict[str, Spec], find: Callable[[Case], Way]) -> Classic:
        return in_workspace(case, copies, find, self.updates)

    def _note(
        self, way: Any, known: Mapping[str, Any], answer: Any, given: Any, arranged: Any
    ) -> None:
        """Have shortcuts learn from a call, if it was no more than copies and a way's execution.

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

    def plan(self, *arrays: Any, device: Device | None = None, **call: Any) -> Way:
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
        out, beta = asked["out"], asked["beta"]
        self._outs(out, beta)
        case = self.case(
            *asked["arrays"], out=out, alpha=asked["alpha"], beta=beta, **dict(asked["call"])
        )
        own = policies.to_policy(asked["choose"])
        rule = policies.rule_for(self.section, own, self.policy, behind=self.behind)
        return self.find_way(case, rule, asked["handle"], device)

    def case(
        self, *arrays: Any, out: Out = None, alpha: float = 1.0, beta: float = 0.0, **call: Any
    ) -> Case:
        """Return what a way would be made for.

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

    def candidates(self, *arrays: Any, **settings: Any) -> Any:
        """Return all ways to compute the operation; see `cudnn_cffi.ops.candidates`."""
        return find_candidates(self, arrays, **settings)

    def gradients(self, case: Case) -> list[tuple[Operation, Case]]:
        """Return the operation and its gradients for data and filters, each with its case.

        Raises:
            ArgumentError: the operation is no convolution.
        """
        raise errors.ArgumentError(f"gradients: those of a convolution only, got {self!r}")

    @property
    def plans(self) -> tuple[Way, ...]:
        """Return what the operation has run, the newest last."""
        return tuple(self._ways.values())

    def clear(self) -> None:
        """Forget all plans, and what "heuristic_once" and "time_once" found."""
        self._ways.clear()
        self._last.clear()
        self._once = {}
        if self._memory is not None:
            self._memory.clear()

    def __getstate__(self) -> dict[str, Any]:
        """Return what copies have in common: all but what was remembered of calls."""
        own = self.__dict__.copy()
        for name in _REMEMBERED:
            own.pop(name, None)
        return own

    def __setstate__(self, state: dict[str, Any]) -> None:
        if not isinstance(state, dict) or not isinstance(state.get("options"), dict):
            raise errors.ArgumentError(f"the pickle of a {type(self).__name__} is damaged")
        self.__dict__.update(state)
        self._begin()

    def __repr__(self) -> str:
        given = vars(self).get("options", {})  # a damaged pickle may have none
        options = ", ".join(f"{k}={v!r}" for k, v in given.items() if v is not None)
        return f"{type(self).__name__}({options})"


#: Caches; left out of copies and pickles.
_REMEMBERED = ("_ways", "_last", "_once", "_memory", "_picked")

#: Errors that mean "cannot compute this": try another way.
_REFUSED = errors.NotSupportedError, errors.BadParamError
