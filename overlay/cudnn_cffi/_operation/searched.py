"""The protocol of an operation for the search for a way, and for its launch."""

from __future__ import annotations

from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any, Protocol

from .._support.results import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import ClassVar

    from .._ways.array_spec import Spec
    from .._ways.case import Case, Way
    from .._ways.classic_call import Classic
    from .._ways.signatures import Device, Handle, Out
    from ..choice.keywords import FilterOptions
    from ..choice.policy import Policy, Rule


class LastCall(NamedTuple):
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


class Searched(Protocol):
    """The attributes and methods of `Operation` that its search and its launch use."""

    section: ClassVar[str]
    word: ClassVar[str]
    takes: tuple[str, ...]
    gives: tuple[str, ...]
    optional: ClassVar[frozenset[str]]
    together: ClassVar[tuple[str, ...]]
    in_c_order: ClassVar[frozenset[str]]
    updates: ClassVar[tuple[str, ...]]
    spends: ClassVar[tuple[str, ...]]
    ways: ClassVar[tuple[str, ...]]
    sums: bool
    takes_low: ClassVar[bool]
    policy: Any
    behind: Policy | None
    options: dict[str, Any]
    arrange: Callable[[tuple[Any, ...]], tuple[Any, ...]] | None
    _has_algorithms: ClassVar[bool]
    _picked: dict[object, Any]
    _ways: dict[Any, Way]
    _last: dict[object, LastCall]

    def results(self, case: Case) -> dict[str, Spec]: ...
    def algorithms(self, case: Case, handle: Handle, rule: Rule = ...) -> Iterator[Any]: ...
    def facts(self, case: Case) -> tuple[dict[str, str], Mapping[str, Any]]: ...
    def is_large(self, case: Case) -> bool: ...
    def device_of(self, case: Case) -> int | None: ...
    def computation(self, case: Case, handle: Handle | None, device: Device | None) -> Any: ...
    def engine_filters(self, case: Case, filters: FilterOptions) -> FilterOptions: ...
    def by_classic(self, case: Case, rule: Rule, handle: Handle) -> Classic: ...
    def find_way(
        self, case: Case, rule: Rule, handle: Handle | None, device: Device | None
    ) -> Way: ...
    def _by_graph(
        self, case: Case, rule: Rule, handle: Handle | None, device: Device | None
    ) -> Way: ...
    def _may_convert(self, name: str, target: Spec) -> bool: ...
    def _order(self, case: Case, rule: Rule) -> tuple[str, ...]: ...
    def _budget(self, case: Case, rule: Rule, handle: Handle | None) -> int | None: ...
    def _case(
        self,
        specs: dict[str, Spec],
        targets: dict[str, Spec],
        alpha: float,
        beta: float,
        call: Mapping[str, Any],
    ) -> Case: ...
    def _outs(self, out: Out, beta: float = ...) -> tuple[Any, ...]: ...
    def _note(
        self, way: Any, known: Mapping[str, Any], answer: Any, given: Any, arranged: Any
    ) -> None: ...


class Call(NamedTuple):
    """A call that is described, and not made.

    Attributes:
        operation: the class of the operation.
        options: its options, by name.
        arrays: a `Spec` for each array, by name.
        call: the other arguments of the call, by name.
        device: the ordinal of the device that refused it, or properties of one; None for any.
    """

    operation: type[Any]
    options: dict[str, Any]
    arrays: dict[str, Spec]
    call: dict[str, Any]
    device: Device | int | None = None

    def plan(self, handle: Handle | None, device: Device | None) -> Way:
        """Return what would compute it; see `Operation.plan`."""
        made = self.operation(**self.options)
        given = [self.arrays.get(name) for name in made.takes]
        while given and given[-1] is None:
            given.pop()
        return made.plan(*given, device=device, handle=handle, **self.call)

    @property
    def defaults(self) -> dict[str, Any]:
        """Return the defaults of its operation's options, by name."""
        found = signature(self.operation.__init__).parameters
        return {
            name: each.default
            for name, each in found.items()
            if each.default is not Parameter.empty
        }

    def lines(self) -> list[str]:
        """Return it as lines, one for each array and option."""
        found = [f"{name} {each.text}" for name, each in self.arrays.items()]
        defaults = self.defaults
        return found + [
            f"{name}={value!r}"
            for name, value in self.options.items()
            if name not in defaults or value != defaults[name]
        ]
