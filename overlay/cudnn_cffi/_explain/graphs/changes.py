"""The small changes of a graph: a table of records, and what each does to a graph's record."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from ... import errors
from ..result import Step, joined
from . import options, padding
from .sketch import (
    in_memory,
    is_packed,
    produced,
    pruned,
    refitted,
    retyped,
    row_major,
    same_order,
    type_of,
    with_nodes,
    with_tensors,
    without_options,
)

if TYPE_CHECKING:
    from ...graph.show.saving import GraphRecord, NodeRecord, TensorRecord

#: Phrases and changed records.
Changed = Iterator[tuple[str, "GraphRecord"]]


class Change(NamedTuple):
    """A kind of small change.

    Attributes:
        name: its name.
        cost: how far it leads from the original: 1 costs neither digits nor a result, 2 changes
            numbers a little, 3 changes arrays, 4 leaves out a part.
        find: yields the changed records, with phrases that follow "with".
    """

    name: str
    cost: int
    find: Callable[[GraphRecord], Changed]


#: Data types that most engines take, the nearest first.
_COMMON = ("HALF", "BFLOAT16", "FLOAT")
_FLOATS = ("HALF", "BFLOAT16", "FLOAT", "DOUBLE")

#: Data types of what logical operations read and compute.
_TRUTH = ("BOOLEAN",)


def aligned(record: GraphRecord) -> Changed:
    """Align all arrays to 16 bytes."""
    low = [each.name for each in in_memory(record) if each.alignment < 16]
    if low:
        yield (
            f"addresses of {joined(low)} that are multiples of 16 bytes",
            with_tensors(
                record, lambda each: replace(each, alignment=16) if each.alignment < 16 else None
            ),
        )


def packed(record: GraphRecord) -> Changed:
    """Remove gaps between elements."""
    loose = [each for each in in_memory(record) if not is_packed(each) and each.base is None]
    groups = [loose, *[[each] for each in loose]] if len(loose) > 1 else [loose]
    for group in groups:
        if group:
            uids = {each.uid for each in group}
            yield (
                f"{joined(each.name for each in group)} without gaps",
                with_tensors(
                    record,
                    lambda each, uids=uids: (  # type: ignore[misc]
                        replace(each, strides=same_order(each.shape, each))
                        if each.uid in uids
                        else None
                    ),
                ),
            )


def _last(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return strides without gaps with channels last."""
    moved = row_major((shape[0], *shape[2:], shape[1]))
    return (moved[0], moved[-1], *moved[1:-1])


def layouts(record: GraphRecord) -> Changed:
    """Give all images, or one of them, channels last or first; other arrays rows."""
    for word, strides in (("channels last", _last), ("row-major order", row_major)):
        least = 3 if word == "channels last" else 2
        wanted = [
            each
            for each in record.tensors
            if not each.by_value
            and each.base is None
            and len(each.shape) >= least
            and each.strides != strides(each.shape)
        ]
        seen = [each for each in wanted if not each.virtual]
        groups = [wanted, *[[each] for each in seen]] if len(seen) > 1 else [wanted]
        for group in groups:
            if any(not each.virtual for each in group):
                uids = {each.uid for each in group}
                names = joined(each.name for each in group if not each.virtual)
                yield (
                    f"{names} in {word}",
                    with_tensors(
                        record,
                        lambda each, uids=uids, strides=strides: (  # type: ignore[misc]
                            replace(each, strides=strides(each.shape)) if each.uid in uids else None
                        ),
                    ),
                )


def intermediate(record: GraphRecord) -> Changed:
    """Keep intermediate results in FLOAT, or in the type of inputs."""
    kinds = {type_of(record, each) for each in in_memory(record)}
    for kind in ("FLOAT", *sorted(kinds - {"FLOAT"})):
        if any(each.virtual and type_of(record, each) != kind for each in record.tensors):
            yield (
                f"intermediate results in {kind}",
                replace(
                    with_tensors(
                        record, lambda each: replace(each, data_type=None) if each.virtual else None
                    ),
                    intermediate_data_type=kind,
                ),
            )


def with_compute(record: GraphRecord, kind: str) -> GraphRecord:
    """Return a record whose nodes all compute in a type."""
    plain = with_nodes(
        record,
        lambda node: (
            without_options(node, "compute_data_type")
            if "compute_data_type" in node.options
            else None
        ),
    )
    return replace(plain, compute_data_type=kind)


def compute(record: GraphRecord) -> Changed:
    """Compute in FLOAT, or in INT32."""
    kinds = {type_of(record, each) for each in record.tensors}
    exact = [kind for kind in ("DOUBLE",) if kind in kinds]
    exact += ["INT32"] if any("INT" in kind for kind in kinds) else []
    for kind in (*exact, "FLOAT"):
        changed = with_compute(record, kind)
        if changed != record:
            yield f"computation in {kind}", changed
            inner = any(each.virtual for each in record.tensors)
            if inner and kind != record.intermediate_data_type:
                yield (
                    f"computation and intermediate results in {kind}",
                    replace(changed, intermediate_data_type=kind),
                )


def results(record: GraphRecord) -> Changed:
    """Write results in another data type."""
    kinds = {type_of(record, each) for each in in_memory(record) if not each.output}
    for kind in dict.fromkeys(("FLOAT", *_COMMON, *sorted(kinds), "INT32")):
        wrong = [each for each in record.tensors if each.output and type_of(record, each) != kind]
        if wrong:
            names = joined(each.name for each in wrong)
            yield f"{names} in {kind}", retyped(record, {each.uid: kind for each in wrong})


def arrays(record: GraphRecord) -> Changed:
    """Give the arrays of one data type another one, and compute in FLOAT as these need."""
    kinds = dict.fromkeys(type_of(record, each) for each in in_memory(record))
    for old in kinds:
        common = reversed(_COMMON) if old in _FLOATS else _COMMON
        for new in (*_TRUTH, *common) if _is_logical(record) else common:
            if new != old:
                yield f"{new} in place of {old}", _converted(record, old, new)
    if len(kinds) > 1:
        for new in _COMMON:
            of_type = {each.uid: new for each in record.tensors if not each.by_value}
            yield f"all arrays in {new}", with_compute(retyped(record, of_type), "FLOAT")
    for old in kinds:
        for new in sorted(kinds.keys() - {old, *_COMMON}):
            yield f"{new} in place of {old}", _converted(record, old, new)


def _is_logical(record: GraphRecord) -> bool:
    return any(str(node.options.get("mode")).startswith("LOGICAL_") for node in record.nodes)


def _converted(record: GraphRecord, old: str, new: str) -> GraphRecord:
    own = {each.uid: new for each in record.tensors if type_of(record, each) == old}
    changed = retyped(record, own)
    if new in _TRUTH:
        return with_compute(changed, new)
    if new in _COMMON:
        changed = with_compute(changed, "FLOAT")
        if changed.intermediate_data_type not in _COMMON:
            changed = replace(changed, intermediate_data_type="FLOAT")
    return changed


def single(record: GraphRecord) -> Changed:
    """Give one array another data type."""
    seen = list(in_memory(record))
    kinds = dict.fromkeys([*(type_of(record, each) for each in seen), *_COMMON, "INT32"])
    for each in seen:
        for kind in kinds:
            if kind != type_of(record, each) and not each.output:
                yield f"{each.name} in {kind}", retyped(record, {each.uid: kind})


def plain(record: GraphRecord) -> Changed:
    """Leave out settings of the graph, and reorderings of tensors."""
    if record.dynamic_shapes or record.override_shapes:
        fixed = replace(record, dynamic_shapes=False, override_shapes=False)
        yield "fixed shapes (dynamic_shapes=False, override_shapes=False)", fixed
    if record.composites:
        yield "no forced composites (composites=())", replace(record, composites=())
    odd = [each for each in record.tensors if each.reordering_mode or each.vectorization]
    if odd:
        yield (
            f"{joined(each.name for each in odd)} in no special order",
            with_tensors(
                record, lambda each: replace(each, reordering_mode=None, vectorization=None)
            ),
        )


def shorter(record: GraphRecord) -> Changed:
    """Leave out the last operation, or the first; the results before it become outputs."""
    if len(record.nodes) < 2:
        return
    read = {uid for node in record.nodes for uid in node.inputs.values()}
    for node in record.nodes:
        if not read & set(node.outputs.values()):
            yield (
                f"no {_word(node)} at the end, which a plan of its own computes",
                _cut(record, node),
            )
    made = produced(record)
    for node in record.nodes:
        if not any(uid in made for uid in node.inputs.values()):
            yield f"no {_word(node)} at the beginning", _started(record, node)


def _word(node: NodeRecord) -> str:
    mode = node.options.get("mode") if node.kind == "pointwise" else None
    return str(mode).lower() if mode else node.kind


def _cut(record: GraphRecord, node: NodeRecord) -> GraphRecord:
    nodes = tuple(each for each in record.nodes if each is not node)
    left = {uid for each in nodes for uid in each.outputs.values()}
    read = {uid for each in nodes for uid in each.inputs.values()}
    ends = {uid for uid in node.inputs.values() if uid in left and uid not in read}
    gone = set(node.outputs.values())
    outputs = tuple(dict.fromkeys([u for u in record.outputs if u not in gone] + sorted(ends)))
    kinds = {each.uid: type_of(record, each) for each in record.tensors if each.uid in gone}
    kind = next(iter(kinds.values()))

    def change(each: TensorRecord) -> TensorRecord | None:
        if each.uid in ends:
            return replace(each, virtual=False, output=True, data_type=kind, stored_as=kind)
        return None

    return pruned(replace(with_tensors(record, change), nodes=nodes, outputs=outputs))


def _started(record: GraphRecord, node: NodeRecord) -> GraphRecord:
    nodes = tuple(each for each in record.nodes if each is not node)
    gone = set(node.outputs.values())
    read = {uid for each in nodes for uid in each.inputs.values()}
    known = {each.uid: each for each in record.tensors}
    kind = next((type_of(record, known[uid]) for uid in node.inputs.values()), "FLOAT")

    def change(each: TensorRecord) -> TensorRecord | None:
        if each.uid in gone & read:
            return replace(
                each, virtual=False, output=False, workspace=False, data_type=kind, stored_as=kind
            )
        return None

    outputs = tuple(uid for uid in record.outputs if uid not in gone)
    return pruned(replace(with_tensors(record, change), nodes=nodes, outputs=outputs))


#: All small changes, each kind once.
CHANGES = (
    Change("alignment", 1, aligned),
    Change("gaps", 1, packed),
    Change("settings", 1, plain),
    Change("layout", 1, layouts),
    Change("intermediate", 1, intermediate),
    Change("compute", 2, compute),
    Change("results", 2, results),
    Change("options", 2, options.defaults),
    Change("arrays", 3, arrays),
    Change("array", 3, single),
    Change("padding", 3, padding.padded),
    Change("groups", 3, options.dense),
    Change("parts", 4, options.without),
    Change("shorter", 4, shorter),
)


def changes(record: GraphRecord) -> Iterable[Step]:
    """Yield all small changes of a graph's record, the results inferred anew."""
    for change in CHANGES:
        try:
            for phrase, changed in change.find(record):
                try:
                    fitted = refitted(changed)
                except errors.CudnnError:
                    continue
                except (KeyError, TypeError, ValueError, IndexError, AttributeError):
                    continue  # options that do not go with the operation
                if fitted != record:
                    yield Step(change.name, change.cost, phrase, fitted)
        except errors.CudnnError:
            continue
