"""Functions of operations: each is made from its class, as `namedtuple` makes a class of fields."""

from __future__ import annotations

import inspect
import re

from .operation import Operation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FunctionType
    from typing import Any

RAISES = """Raises:
    ArgumentError: an argument is invalid; `ShapeMismatchError` if shapes do not fit together.
    NotSupportedError: no engine and no function of the loaded cuDNN computes this."""


class MadeFrom:
    """The record of a function.

    Attributes:
        cls: the class of operations whose objects it calls.
        fixed: the options that it sets.
        positional: the names of the arguments that may come without a name.
        named: the names of the others.
        renames: the options of the class that are called otherwise, by the function's names.
        by: what computes it.
        formula: what it computes; "" for what the class says.
    """

    def __init__(
        self, cls: type[Operation], fixed: dict[str, Any], positional: list[str], named: list[str],
        renames: dict[str, str], by: str, formula: str = "",
    ) -> None:  # fmt: skip
        self.cls, self.fixed = cls, fixed
        self.positional, self.named, self.renames, self.by = positional, named, renames, by
        self.formula = formula


#: The records of all functions that are made from classes, by name.
FUNCTIONS: dict[str, MadeFrom] = {}


def function(
    cls: type[Operation],
    name: str = "",
    summary: str = "",
    *,
    order: str = "",
    by: str = "",
    formula: str = "",
    notes: str = "",
    returns: str | None = None,
    adds: dict[str, tuple[Any, str, str]] | None = None,
    renames: dict[str, str] | None = None,
    **fixed: Any,
) -> Any:
    """Return the function of an operation, such as `function(Pooling, "max_pool", kind="max")`.

    It takes the arguments of a call and the options of the class that are not fixed.

    Args:
        cls: the class, whose `__call__` and `__init__` have the arguments and their help.
        name: of the function; by default the word of the operation.
        summary: the first sentences of its help; by default those of the class.
        order: the arguments that may come without a name, in this order; by default those of the
            call.
        by: what computes it; by default as the class says.
        formula: what it computes; by default as the class says.
        notes: the last but one paragraph of its help.
        returns: what it returns; by default as the call says.
        adds: options that only the function has, which the class's `for_function` takes: default,
            type and help by name.
        renames: the options of the class that are called otherwise, by the function's names.
        fixed: options that the function sets.
    """
    name = name or cls.word
    call, options = _parameters(cls.__call__), _parameters(cls.__init__)
    call = {
        each: default for each, default in call.items() if each not in options or each == "choose"
    }
    more, names = adds or {}, renames or {}
    new = {option: each for each, option in names.items()}
    options = {
        new.get(each, each): default
        for each, default in options.items()
        if each not in call and each not in fixed and each not in cls.derived
    }
    options.update({each: default for each, (default, _, _) in more.items()})
    known = {**call, **options}
    positional = order.split() or _positional(cls.__call__)
    named = [each for each in known if each not in positional]
    record = MadeFrom(cls, fixed, positional, named, names, by or cls.by, formula)
    FUNCTIONS[name] = record
    made = _compile(name, record, call, options)
    made.__module__ = cls.__module__
    made.__doc__ = _help(record, more, summary, notes, returns)
    made.__annotations__ = {
        **{
            each: plain_function(cls.__init__).__annotations__.get(names.get(each, each), "Any")
            for each in options
        },
        **{each: kind for each, (_, kind, _) in more.items()},
        **plain_function(cls.__call__).__annotations__,
    }
    setattr(made, "__signature__", _Signature(of=made))  # noqa: B010  mypy knows no such attribute
    return made


def plain_function(method: Callable[..., Any]) -> FunctionType:
    """Return the function that wrappers call."""
    found: Any = method
    while hasattr(found, "__wrapped__"):
        found = found.__wrapped__
    plain: FunctionType = found
    return plain


def signature_of(made: Callable[..., Any]) -> inspect.Signature:
    """Return the signature of a function that was made."""
    return made.__dict__["__signature__"]


def _positional(method: Callable[..., Any]) -> list[str]:
    code = plain_function(method).__code__
    return list(code.co_varnames[1 : code.co_argcount])


#: The default of a parameter that has none.
_REQUIRED: Any = object()


def _parameters(method: Callable[..., Any]) -> dict[str, Any]:
    """Return the defaults of a method's arguments, by name."""
    plain = plain_function(method)
    code, defaults = plain.__code__, plain.__defaults__ or ()
    names = list(code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount])
    found = dict.fromkeys(names, _REQUIRED)
    count = code.co_argcount - 1
    found.update(zip(names[count - len(defaults) : count], defaults, strict=True))
    found.update(plain.__kwdefaults__ or {})
    return found


def _compile(
    name: str, record: MadeFrom, call: dict[str, Any], options: dict[str, Any]
) -> Callable[..., Any]:
    """Return a function with these parameters, as fast as one that is written by hand."""

    def refuse(others: dict[str, object]) -> None:
        from .option_errors import refused

        wrong = next(iter(others))
        fixed = {*record.fixed, *record.renames.values(), *record.cls.derived}
        raise refused(name, wrong, defaults, fixed=record.cls.__name__ if wrong in fixed else "")

    space: dict[str, Any] = {
        "_find": record.cls.for_function, "_fixed": record.fixed, "_refuse": refuse,
    }  # fmt: skip
    defaults = {**call, **options}
    takes = {*record.cls.takes} - record.cls.optional
    needed = [
        place
        for place, each in enumerate(record.positional)
        if defaults[each] is _REQUIRED or each in takes
    ]
    # A default before an argument that has none would not be Python.
    defaults.update(dict.fromkeys(record.positional[: max(needed, default=-1) + 1], _REQUIRED))
    texts = []
    for each in (*record.positional, "*", *record.named):
        if each == "*":
            texts += ["*"] if record.named else []
        elif defaults[each] is _REQUIRED:
            texts.append(each)
        else:
            space[f"_{each}"] = defaults[each]
            texts.append(f"{each}=_{each}")
    chosen = ", ".join(
        [
            *(f"{record.renames.get(each, each)!r}: {each}" for each in options),
            *(["**_fixed"] if record.fixed else []),
        ]
    )
    at = _positional(record.cls.__call__)
    passed = ", ".join(each if each in at else f"{each}={each}" for each in call)
    arrays = "".join(f", {each}" for each in record.cls.derived_from)
    source = (
        f"def {name}({', '.join(texts)}, **_others):\n"
        "    if _others: _refuse(_others)\n"
        f"    return _find({{{chosen}}}{arrays})({passed})\n"
    )
    exec(source, space)
    return space[name]


class _Signature(inspect.Signature):
    """The signature of a function, made when it is asked for: all of them take milliseconds."""

    __slots__ = ("_of",)

    def __init__(self, parameters: Any = None, *, of: Any = None, **more: Any) -> None:
        if of is None:
            super().__init__(parameters, **more)
        else:
            self._of = of

    def __getattr__(self, name: str) -> Any:
        if name not in ("_parameters", "_return_annotation"):
            raise AttributeError(name)
        of, kinds = self._of, inspect.Parameter
        notes, code = of.__annotations__, of.__code__
        defaults = dict(
            zip(
                reversed(code.co_varnames[: code.co_argcount]),
                reversed(of.__defaults__ or ()),
                strict=False,
            )
        )
        defaults.update(of.__kwdefaults__ or {})
        parameters = [
            kinds(
                each,
                kinds.POSITIONAL_OR_KEYWORD if place < code.co_argcount else kinds.KEYWORD_ONLY,
                default=defaults.get(each, kinds.empty),
                annotation=notes.get(each, kinds.empty),
            )
            for place, each in enumerate(
                code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
            )
        ]
        super().__init__(parameters, return_annotation=notes.get("return", kinds.empty))
        return getattr(self, name)


def _help(
    record: MadeFrom, adds: dict[str, tuple[Any, str, str]], summary: str, notes: str,
    returns: str | None,
) -> str:  # fmt: skip
    entries = {name: text for name, (_, _, text) in adds.items()}
    words: dict[str, tuple[str, ...]] = {name: (name,) for name in adds}
    documents = [
        _clean(plain_function(each).__doc__) for each in (record.cls.__init__, record.cls.__call__)
    ]
    for document in documents:
        text = document.partition("Args:\n")[2].partition("\n\n")[0]
        for names, rest in re.findall(r"^    (\w[\w, ]*):(.*(?:\n      .*)*)", text, re.M):
            for each in names.split(", "):
                entries[each], words[each] = rest.strip(), tuple(names.split(", "))
    for each, option in record.renames.items():
        entries[each], words[each] = entries[option], (each,)
    lines, done = [], set()
    for each in (*record.positional, *record.named):
        if each in done or each not in entries:
            continue
        group = [
            other
            for other in (*record.positional, *record.named)
            if entries.get(other) == entries[each] and other in words[each]
        ]
        done.update(group)
        lines.append(f"    {', '.join(group)}: {entries[each]}")
    if returns is None:
        found = re.search(r"^Returns: .*(?:\n .*)*", documents[1], re.M)
        returns = found[0] if found else ""
    elif returns:
        returns = f"Returns: {returns}"
    parts = [
        summary or _clean(record.cls.__doc__).partition("\n\nFormula: ")[0],
        "Args:\n" + "\n".join(lines),
        returns,
        RAISES,
        notes,
        f"Computed by {record.by}.",
    ]
    text = "\n\n".join(each for each in parts if each)
    text = re.sub(r"`([A-Z]\w+)`", _to_function, text)
    return text.replace("\n", "\n    ").replace("    \n", "\n") + "\n    "


def _to_function(found: re.Match[str]) -> str:
    """Return the function in place of the class of the same operation."""
    for name, record in FUNCTIONS.items():
        if record.cls.__name__ == found[1] and name == record.cls.word:
            return f"`{name}`"
    return found[0]


def _clean(document: str | None) -> str:
    """Return a docstring without its indentation."""
    first, _, rest = (document or "").partition("\n")
    lines = rest.split("\n")
    margin = min((len(each) - len(each.lstrip()) for each in lines if each.strip()), default=0)
    return "\n".join([first.strip(), *(each[margin:] for each in lines)]).rstrip()
