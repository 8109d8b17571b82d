"""Conditions of errata for engines: needs, which are facts that a graph and its operations have."""

from __future__ import annotations

from .._support.results import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

#: Facts of a graph, in the order of `native/facts.h`; the kinds of its operations follow.
GRAPH = (
    *("SINGLE", "THREE", "ONE_KIND", "ONE_PRODUCT", "TWO_PRODUCTS", "FIVE_PRODUCTS"),
    *("SEVERAL_PRODUCTS", "ONE_CONVOLUTION", "ONE_OF_BOTH"),
)

#: Where facts are, in the order of `native/facts.h`: of operations themselves, and of attributes.
PORTS = (
    *("place", "path", "sums", "types", "reads", "scores"),
    *("adesc", "bdesc", "cdesc", "xdesc", "tdesc", "ydesc", "dydesc", "dxdesc", "y"),
    *("scale_desc", "bias_desc"),
    *("pw_descriptor", "desc", "conv_desc", "mode", "phase", "x", "w", "dx", "dw", "dy"),
    *("idxdesc", "mean_desc", "inv_variance_desc", "page_table_kdesc"),
)

#: Facts of data types, and of the words of options: the members of enums that have them.
TYPES = {
    **{
        each: (each,)
        for each in ("INT8", "UINT8", "INT32", "FP8_E4M3", "BFLOAT16", "HALF", "FLOAT")
    },
    "BYTE": ("INT8", "UINT8"),
    "FP8": ("FP8_E4M3", "FP8_E5M2"),
    "NARROW": ("HALF", "BFLOAT16"),
    "OTHER_THAN_INT8": ("UINT8", "INT32", "INT64"),
    "HALF_OR_FLOAT": ("HALF", "FLOAT"),
}
WORDS = {
    **{
        each: (each,)
        for each in (
            *("GEN_INDEX", "ADD", "MUL", "DIV", "IDENTITY", "TANH_FWD", "RELU_FWD", "EXP"),
            *("BINARY_SELECT", "MAXPOOL", "PROPAGATE_NAN", "NOT_PROPAGATE_NAN", "LAYER_NORM"),
            *("INSTANCE_NORM", "INFERENCE", "TRAINING", "MOD"),
        )
    },
    "NOT_OF_ZERO": ("LOG", "RECIPROCAL", "RSQRT"),  # which have no finite result for 0
    "FLIPPED": ("CONVOLUTION",),  # filters; those of others are not: CROSS_CORRELATION
    "SUM": ("ADD", "AVG", "MUL", "NORM1", "NORM2"),
    "EXTREMES": ("MAX", "MIN"),
    "MEANS": ("AVGPOOL", "AVGPOOL_INCLUDE_PADDING", "AVGPOOL_EXCLUDE_PADDING"),
    "PADDED_MEANS": ("AVGPOOL", "AVGPOOL_INCLUDE_PADDING"),
    "OVER_ROWS": ("LAYER_NORM", "RMS_NORM", "ADA_LAYER_NORM"),
    # Attention's gradient has these, and functions of scores whose gradient engines compute.
    "STRAIGHT": (
        *("ADD", "SUB", "MUL", "DIV", "NEG", "EXP", "IDENTITY", "GEN_INDEX", "BINARY_SELECT"),
        *(f"CMP_{each}" for each in ("EQ", "NEQ", "GE", "GT", "LE", "LT")),
        *(f"LOGICAL_{each}" for each in ("AND", "OR", "NOT")),
    ),
}

#: Words for the operations that are as a group says, in the order of `native/facts.h`.
WHICH = "any", "first", "no"


class Clause(NamedTuple):
    """A part of a group: facts that one of some ports has, or that none has.

    Attributes:
        ports: where.
        facts: the facts.
        lacks: those that it must not have.
        is_none: whether none has this.
    """

    ports: tuple[str, ...]
    facts: tuple[str, ...]
    lacks: tuple[str, ...]
    is_none: bool


class Group(NamedTuple):
    """Facts that operations of a kind have.

    Attributes:
        which: the place in `WHICH`.
        kind: the kind; "own" for that of a record, "any" for all.
        clauses: what an operation has.
    """

    which: int
    kind: str
    clauses: tuple[Clause, ...]


class Needs(NamedTuple):
    """Facts that a graph has, and facts that it must not have; and what its operations have."""

    facts: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    groups: tuple[Group, ...] = ()


class Condition(NamedTuple):
    """A condition of engines.

    Attributes:
        either: needs, of which a graph has to meet one.
        applies: returns whether it holds if it does, see `Erratum`; None where needs decide.
    """

    either: tuple[Needs, ...] = (Needs(),)
    applies: Callable[..., Any] | None = None

    def __or__(self, other: Condition) -> Condition:
        """Return the condition that one of two holds."""
        return Condition(self.either + other.either)


def needs(*given: str) -> Condition:
    """Return the condition of needs by their names.

    Args:
        given: facts of the graph, such as "ONE_PRODUCT", or "-SINGLE" for what it must not have;
            and groups, such as "own: desc MAXPOOL, no xdesc BYTE": an operation of the kind of the
            record has these facts at these ports, and not the last one. Ports are one of several as
            in "x|dy", and a fact after "-" must not be there. "first Matmul: ..." is of the first
            operation of the kind, "no Matmul: ..." says that there is none, and "any" is any kind.
    """
    groups = [each.partition(":")[::2] for each in given if ":" in each]
    facts, lacks = _signed([each for each in given if ":" not in each])
    named = tuple([_group(kind.split(), text) for kind, text in groups])
    return Condition((Needs(facts, lacks, named),))


def _signed(names: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    facts = tuple([each for each in names if each[0] != "-"])
    return facts, tuple([each[1:] for each in names if each[0] == "-"])


def _group(kind: list[str], text: str) -> Group:
    clauses = []
    for each in filter(None, map(str.split, text.split(","))):
        is_none = each[0] == "no"
        ports, *names = each[is_none:]
        clauses.append(Clause(tuple(ports.split("|")), *_signed(names), is_none))
    return Group(WHICH.index(kind[0]) if kind[1:] else 0, kind[-1], tuple(clauses))
