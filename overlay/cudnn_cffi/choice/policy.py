"""Policies: how operations are computed, per process, scope, operation and call.

A `Policy` has one `Rule` for forward operations, one for gradients of data, one for gradients of
filters and other parameters, and one for recurrent networks. A rule says what to pick and what to
leave out. Fields that a rule leaves open are taken from the next one: of the call, the operation,
the scopes that are open, the process, the environment.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache

from .. import errors
from .._advice import said
from .._support import fork
from .._support.arguments import byte_share
from .._support.constructors import list_makers
from .._support.results import NamedTuple
from .._support.wording import meant
from .policy_words import SECTIONS, algorithm_names, no_word, to_engine, to_pick
from .policy_words import Engine as Engine

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal, TypeAlias, Unpack

    from .keywords import FilterOptions
    from .policy_words import Pick, RuleSettings

    class ChoiceSettings(RuleSettings, total=False):
        """The settings of a `Policy`: for all sections, or by section.

        Mappings of a section have those of `RuleSettings`; to compare these as well would take type
        checkers a second for each call with `choose`.
        """

        forward: Pick | int | Mapping[str, object] | Rule | None
        data: Pick | int | Mapping[str, object] | Rule | None
        filter: Pick | int | Mapping[str, object] | Rule | None
        recurrent: Pick | int | Mapping[str, object] | Rule | None

    #: The values that `choose=` takes; None leaves the choice to the scope and the process.
    Choose: TypeAlias = "Pick | Rule | Policy | ChoiceSettings | None"

#: The environment variable with the policy of a process, such as "forward=time,tf32=0".
VARIABLE = "CUDNN_CFFI_CHOICE"


class Rule(NamedTuple):
    """A rule for the operations of one section; None where the rule leaves a field open.

    Attributes:
        pick: a word of `policy_words.WORDS`, the name of a classic algorithm, or an `Engine`.
        via: "graph" for plans of engines only, "classic" for the classic functions only.
        exclude: indices of engines and names of classic algorithms that are not used.
        deterministic: whether the same input gives the same bits each time. False lifts what was
            set further out.
        tensor_cores, tf32, workspace_limit: as `Filters` has them. A workspace limit of -1 lifts
            one that was set further out; a text such as "25%" is a share of the free memory.
        most: the most engines that "time" tries for each kind of arrays, in the order of the
            heuristics; 0 for all. With a number, engines of databases that are compiled are taken
            only if others take 1.25 times as long.
        exact: True if all calls wait for an engine that is compiled for their arrays. Without it,
            and unless bits are to be kept, attention of changing lengths may use the plan of a
            greater length. With False, classic functions may compute a call while its engine is
            compiled, too.
        when: "background" has "time" begin with an engine that is known without timing, while a
            thread times the others in idle moments; later calls take the fastest. Calls that are
            to keep their bits, and recurrent networks, wait.
    """

    pick: Pick | None = None
    via: Literal["graph", "classic"] | None = None
    exclude: tuple[int | str, ...] | None = None
    deterministic: bool | None = None
    tensor_cores: bool | None = None
    tf32: bool | None = None
    workspace_limit: int | str | None = None
    most: int | None = None
    exact: bool | None = None
    when: Literal["now", "background"] | None = None

    def over(self, other: Rule) -> Rule:
        """Return this rule; settings that it lacks are those of another one."""
        pairs = zip(self, other, strict=True)
        return Rule._make(theirs if own is None else own for own, theirs in pairs)

    @property
    def limit(self) -> int | None:
        """Return the most bytes of workspace; None for no limit, or a share of free memory."""
        limit = self.workspace_limit
        return None if limit == -1 or isinstance(limit, str) else limit

    def on(self, free: Callable[[], int] | None) -> Rule:
        """Return this rule with bytes in place of a share of the free memory.

        Args:
            free: returns the free bytes of the device; None for a device that is not there, on
                which a share is no limit.
        """
        share = self.workspace_limit
        if not isinstance(share, str):
            return self
        limit = None if free is None else rounded(free() * int(share[:-1]) // 100)
        return self._replace(workspace_limit=limit)

    @property
    def keeps_bits(self) -> bool:
        """Return whether the same input is to give the same bits each time."""
        return bool(self.deterministic) or self.pick == "deterministic"

    @property
    def is_later(self) -> bool:
        """Return whether candidates are timed while calls take another engine."""
        return self.pick == "time" and self.when == "background" and not self.keeps_bits

    @property
    def filters(self) -> FilterOptions:
        """Return what the rule says, as keywords for `build` and `candidates`."""
        found: dict[str, object] = {
            "deterministic": self.deterministic or None,
            "tensor_cores": self.tensor_cores,
            "tf32": self.tf32,
            "workspace_limit": self.limit,
        }
        engines = tuple([each for each in self.exclude or () if isinstance(each, int)])
        if engines:
            found["exclude"] = engines
        kept: Any = {name: value for name, value in found.items() if value is not None}
        return kept


def rounded(size: int) -> int:
    """Return a size with three significant bits, so that plans are found by it again."""
    shift = max(size.bit_length() - 3, 0)
    return size >> shift << shift


@list_makers
class Policy(NamedTuple):
    """A rule for each section.

    Attributes:
        forward: forward operations.
        data: gradients of data.
        filter: gradients of filters and other parameters.
        recurrent: recurrent networks, forward and backward: both need the same algorithm.
    """

    forward: Rule = Rule()
    data: Rule = Rule()
    filter: Rule = Rule()
    recurrent: Rule = Rule()

    def over(self, other: Policy) -> Policy:
        """Return this policy; settings that it lacks are those of another one."""
        return Policy(*[own.over(theirs) for own, theirs in zip(self, other, strict=True)])

    @classmethod
    def of(cls, value: Choose = None, **settings: Unpack[ChoiceSettings]) -> Policy:
        """Return a policy by words.

        Args:
            value: a `Policy`; what `pick` takes, for all sections; a mapping of settings; or None.
            settings: `forward`, `data`, `filter` and `recurrent`, each a word, an engine or a
                mapping, for that section alone; or fields of `Rule`, for all sections. `engine` and
                `knobs` are another way to say `pick=Engine(...)`, `algorithm` and `choose` to say
                `pick`.

        Raises:
            ArgumentError: there is no such word, setting or algorithm.
        """
        return _policy(value, settings)

    @classmethod
    def parse(cls, text: str) -> Policy:
        """Return a policy of a text such as "time" or "forward=time,data=fft,tf32=0".

        Settings are separated by commas; `filter.tf32=0` is for one section; values of `exclude`
        are separated by `+`.

        Raises:
            ArgumentError: the text has no such form, or a word that does not exist.
        """
        if not isinstance(text, str):
            raise errors.ArgumentError(f"expected a policy as text, got {text!r}")
        settings: dict[str, object] = {}
        own: dict[str, dict[str, object]] = {}
        for part in filter(None, (each.strip() for each in text.replace(";", ",").split(","))):
            name, equals, value = (each.strip() for each in part.partition("="))
            if not equals:
                name, value = "pick", name
            section, dot, field = name.partition(".")
            if not dot:
                section, field = (name, "pick") if name in SECTIONS else ("", name)
            if section and section not in SECTIONS:
                raise errors.ArgumentError(
                    f"{section!r} is not a section", hint=f"one of {', '.join(SECTIONS)}"
                )
            into = own.setdefault(section, {}) if section else settings
            into[field] = _value(field, value)
        return _policy(None, settings | own)

    def __str__(self) -> str:
        if self.forward == self.data == self.filter == self.recurrent:
            return _text(self.forward) or "nothing"
        parts = zip(SECTIONS, self, strict=True)
        return "; ".join(f"{name}: {_text(rule)}" for name, rule in parts if _text(rule))


def _policy(value: object, settings: Mapping[str, object]) -> Policy:
    """Return the policy that `Policy.of` returns for a value and settings."""
    if isinstance(value, Policy):
        return _policy(None, settings).over(value) if settings else value
    if isinstance(value, Rule):
        return _policy(None, settings).over(Policy(value, value, value, value))
    if isinstance(value, Mapping):
        return _policy(None, {**value, **settings})
    common = {name: given for name, given in settings.items() if name not in SECTIONS}
    if value is not None:
        if _pick_of(common) is not None:
            raise errors.ArgumentError(f"choice: expected one pick, got {value!r} and another")
        common["pick"] = value
    rules = []
    taken = False
    for section in SECTIONS:
        rule, fits = _rule(common, section, strict=False)
        taken = taken or fits
        given = settings.get(section)
        if isinstance(given, Rule):
            rule = given.over(rule)
        elif given is not None:
            own = given if isinstance(given, Mapping) else {"pick": given}
            rule = _rule(own, section, strict=True)[0].over(rule)
        rules.append(rule)
    if not taken:
        raise no_word(_pick_of(common), "forward")
    return Policy(*rules)


@cache
def _of_word(word: str) -> Policy:
    return _policy(word, {})


def to_policy(value: object) -> Policy | None:
    """Return the policy that a call or an operation was given; None for none.

    Raises:
        ArgumentError: as `Policy.of` does.
    """
    if value is None or type(value) is Policy:
        return value
    return _of_word(value) if type(value) is str else _policy(value, {})


def _text(rule: Rule) -> str:
    pairs = zip(Rule._fields, rule, strict=True)
    return ", ".join(f"{name}={value}" for name, value in pairs if value is not None)


def _pick_of(settings: Mapping[str, object]) -> object:
    """Return what settings pick; None where they do not say.

    Raises:
        ArgumentError: they pick twice.
    """
    names = ("pick", "choose", "algorithm", "engine")
    said = [each for each in names if settings.get(each) is not None]
    if len(said) > 1:
        raise errors.ArgumentError(f"choice: expected one pick, got {' and '.join(said)}")
    return settings[said[0]] if said else None


_FIELDS = frozenset({*Rule._fields, "choose", "algorithm", "engine", "knobs"})
_SWITCHES = ("deterministic", "tensor_cores", "tf32", "exact")
_TRUE = ("1", "true", "yes", "on")
_FALSE = ("0", "false", "no", "off")


def _value(field: str, text: str) -> object:
    """Return the value of a setting that is given as text."""
    lower = text.lower()
    if field in _SWITCHES:
        if lower not in (*_TRUE, *_FALSE):
            raise errors.ArgumentError(f"{field}: expected 1 or 0, got {text!r}")
        return lower in _TRUE
    if field == "workspace_limit":
        return byte_share(text)
    if field in ("engine", "most"):
        if not text.isdigit():
            what = "an index" if field == "engine" else "a number of engines"
            raise errors.ArgumentError(f"{field}: expected {what}, got {text!r}")
        return int(text)
    if field == "exclude":
        return tuple(int(each) if each.isdigit() else each for each in text.split("+"))
    return text


def _rule(settings: Mapping[str, object], section: str, *, strict: bool) -> tuple[Rule, bool]:
    """Return a rule, and whether the section has what is to be picked."""
    unknown = [name for name in settings if name not in _FIELDS]
    if unknown:
        known = (*SECTIONS, *sorted(_FIELDS))
        raise errors.ArgumentError(
            f"choice: there is no setting {unknown[0]!r}",
            hint=f"{meant(unknown[0], known, said('setting'))}one of {', '.join(known)}",
        )
    values: dict[str, Any] = {}
    pick, knobs = _pick_of(settings), settings.get("knobs")
    if settings.get("engine") is not None or (knobs and isinstance(pick, int)):
        pick = to_engine(pick, knobs)
    elif knobs:
        raise errors.ArgumentError("choice: expected an engine, since knobs are given; got none")
    values["pick"], fits = to_pick(pick, section, strict=strict)
    via = settings.get("via")
    if via is not None and via not in ("graph", "classic"):
        raise errors.ArgumentError(f'via: expected "graph" or "classic", got {via!r}')
    values["via"] = via
    when = settings.get("when")
    if when is not None and when not in ("now", "background"):
        raise errors.ArgumentError(f'when: expected "now" or "background", got {when!r}')
    values["when"] = when
    for name in _SWITCHES:
        value = settings.get(name)
        if value is not None and not isinstance(value, bool):
            raise errors.ArgumentError(f"{name}: expected True or False, got {value!r}")
        values[name] = value
    limit = settings.get("workspace_limit")
    values["workspace_limit"] = None if limit is None else byte_share(limit)
    most = settings.get("most")
    if most is not None and (not isinstance(most, int) or isinstance(most, bool) or most < 0):
        raise errors.ArgumentError(
            f"most: expected a number of engines, got {most!r}", hint="0 for all"
        )
    values["most"] = most
    exclude = settings.get("exclude")
    if exclude is not None:
        single = isinstance(exclude, (int, str)) or not hasattr(exclude, "__iter__")
        several = (exclude,) if single else exclude
        values["exclude"] = tuple([_excluded(each, section) for each in several])  # type: ignore[attr-defined]
    return Rule(**values), fits


def _excluded(value: object, section: str) -> int | str:
    if isinstance(value, int) and not isinstance(value, bool) and not hasattr(value, "name"):
        return value
    name = str(getattr(value, "name", value)).upper()
    for each in SECTIONS:
        if name in algorithm_names(each):
            return name
    raise errors.ArgumentError(
        f"exclude: {value!r} is neither the index of an engine nor a classic algorithm",
        hint=f"algorithms of {section}: {', '.join(algorithm_names(section))}",
    )


class _Whole(Policy):
    """The policy of the process, which replaces the whole policy of the environment."""

    __slots__ = ()

    def __repr__(self) -> str:
        return repr(Policy(*self))


_open: ContextVar[Policy | None] = ContextVar("cudnn_cffi_choice", default=None)
_process: list[Policy] = []
#: Held while the policy of the process is read and replaced; others look at it without a lock.
_lock = fork.lock()


def default_policy() -> Policy:
    """Return the policy of the process: what was set, or what the environment says.

    Raises:
        ArgumentError: the environment variable has a word that does not exist.
    """
    if not _process:
        with _lock:
            if not _process:
                replace_default(_of_environment())
    return _process[0]


def _of_environment() -> Policy:
    try:
        return Policy.parse(os.environ.get(VARIABLE, ""))
    except errors.ArgumentError as error:
        raise error.replace(message=f"{VARIABLE}: {error.message}") from None


def set_default(value: Choose = None, **settings: Unpack[ChoiceSettings]) -> Policy:
    """Set the policy of the process, which scopes, operations and calls override.

    Fields that it leaves open are those of the environment. Only a policy that was in force before
    is restored as it was.

    Args:
        value, settings: as for `Policy.of`; nothing for what the environment says.

    Returns: the policy that was in force before.
    """
    new = Policy.of(value, **settings)
    whole = new if isinstance(value, _Whole) else new.over(_of_environment())
    return change_default(lambda _: whole)


def replace_default(policy: Policy) -> None:
    """Set the policy of the process, also in place of what the environment says."""
    with _lock:
        _process[:] = [_Whole(*policy)]  # another object each time, see `state`; in one step


def change_default(change: Callable[[Policy], Policy]) -> Policy:
    """Set the policy of the process to what a function makes of it; return the one before."""
    with _lock:
        old = default_policy()
        replace_default(change(old))
        return old


#: Returns the policy of the scopes that are open here; None where none is.
open_policy = _open.get


@contextmanager
def reopen(policy: Policy | None) -> Iterator[None]:
    """Open scopes that were open elsewhere, see `open_policy`, while a block runs."""
    token = _open.set(policy)
    try:
        yield
    finally:
        _open.reset(token)


def state() -> tuple[Policy | None, Policy]:
    """Return the policies of the scope and of the process.

    As long as both are the same objects, nothing has changed.
    """
    return _open.get(), _process[0] if _process else default_policy()


def renew() -> None:
    """Make all memories of decisions decide anew; there are none before there is a policy."""
    with _lock:
        _process[:] = [_Whole(*each) for each in _process]


@contextmanager
def scope(value: Choose = None, **settings: Unpack[ChoiceSettings]) -> Iterator[Policy]:
    """Compute operations by a policy while a `with` block runs.

    It holds for this thread, or this task of asyncio, and says nothing where an operation or a call
    says otherwise. Inner scopes override outer ones, setting by setting.

    Args:
        value, settings: as for `Policy.of`.
    """
    own = Policy.of(value, **settings)
    outer = _open.get()
    merged = own if outer is None else own.over(outer)
    token = _open.set(merged)
    try:
        yield merged
    finally:
        _open.reset(token)


def rule_for(section: str, *policies: Policy | None, behind: Policy | None = None) -> Rule:
    """Return the rule that holds for a section: of these policies, the scopes and the process.

    Args:
        section: "forward", "data", "filter" or "recurrent".
        policies: those of the call and the operation, which come first.
        behind: the policy that holds if none of these says anything.
    """
    rule = Rule()
    for each in (*policies, _open.get(), default_policy(), behind):
        if each is not None:
            rule = rule.over(getattr(each, section))
    return rule if rule.pick is not None else rule._replace(pick="heuristic")
