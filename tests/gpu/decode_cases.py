"""Cases of decode with pages: options and shapes, for a GPU and for plans without one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from cudnn_cffi.ops import Spec


def read(pages: Any, indices: Any, length: int, heads: int) -> Any:
    """Return the keys or values of a sequence in float64, repeated for each head of queries."""
    own = indices[: -(-length // pages.shape[2])].long()
    found = pages[own].transpose(1, 2).flatten(0, 1)[:length].double().transpose(0, 1)
    return found.repeat_interleave(heads // pages.shape[1], 0)


#: The length of the longest sequence.
MOST = 320

#: Some end just after a tile of an engine, of which the first queries see no key.
LENGTHS = [0, 1, 15, 16, 17, 66, 130, 200, MOST - 1, MOST]

#: Each test has sizes of pages, counts of queries, and options.
PAGES, COUNTS = (1, 16, 64, 128), (1, 2, 5, 8)
SINK = [-3 + 9 * head / 7 for head in range(8)]
MASKS: tuple[dict[str, Any], ...] = (
    {"window": 1},
    {"window": 40},
    {"soft_cap": 2.0},
    {"window": 20, "soft_cap": 3.0, "scale": 0.3},
    {"sink": SINK},
    {"sink": SINK, "window": 33, "soft_cap": 5.0},
)
SHARED: tuple[dict[str, Any], ...] = ({}, {"soft_cap": 2.0}, {"window": 1000})
MANY: tuple[dict[str, Any], ...] = ({}, {"window": 40}, {"soft_cap": 2.0})
GROUPS = [(4, 4), (8, 1), (6, 2)]

#: Tests whose keys are computed in parts, and all but those of the last pages: the longest sequence.
IN_PARTS, APART = 4096, 2048


class Case(NamedTuple):
    """A call: its arrays, and options of `ops.DecodeAttention`."""

    options: dict[str, Any]
    batch: int = len(LENGTHS)
    queries: int = 1
    heads: int = 8
    heads_kv: int = 2
    page: int = 16
    width: int = 64
    dtype: str = "bfloat16"
    most: int = MOST
    tokens_first: bool = False

    def describe(self) -> list[Spec | None]:
        """Return the arrays of the call in their order."""
        from cudnn_cffi.ops import Spec

        blocks = -(-self.most // self.page)
        order = (0, 2, 1, 3) if self.tokens_first else (0, 1, 2, 3)
        pool = self.batch * blocks + 3, self.heads_kv, self.page, self.width
        sink = Spec.like((self.heads,), "float32", (0,)) if "sink" in self.options else None
        return [
            Spec.like((self.batch, self.heads, self.queries, self.width), self.dtype, order),
            *[Spec.like(pool, self.dtype, order)] * 2,
            Spec.like((self.batch, blocks), "int32", range(2)),
            Spec.like((self.batch,), "int32", range(1)),
            sink,
        ]


def cases() -> Iterator[tuple[str, Case]]:
    """Yield the cases that the tests on a GPU compute, with names."""
    for count in COUNTS:
        for page in PAGES:
            yield f"pages of {page}, {count} queries", Case({}, queries=count, page=page)
        for page in PAGES[:3] if count > 1 else ():
            case = Case({}, queries=count, page=page, most=APART)
            yield f"the last of {page}, {count} queries", case
        if count > 1:
            yield f"in parts, {count} queries", Case({}, 1, count, most=IN_PARTS)
    for options in MASKS:
        for count in (1, 4):
            yield f"{count} queries", Case(options, queries=count)
    for options in SHARED:
        yield "several blocks", Case(options, 4, most=4000)
    for options in MANY:
        yield "many sequences", Case(options, len(LENGTHS) + 118)
    for count in (1, 3):
        for heads in GROUPS:
            yield (
                f"{count} queries, {heads} heads",
                Case({}, len(LENGTHS), count, *heads, width=128),
            )
    for count in (1, 4):
        yield f"{count} queries, tokens first", Case({}, queries=count, tokens_first=True)
    for count in (1, 5):
        yield f"{count} queries, float16", Case({}, queries=count, dtype="float16")
