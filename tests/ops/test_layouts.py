"""Arrays of which cuDNN is told no strides have to be in C order, also those that are written."""

from __future__ import annotations

from typing import Any

import pytest
from cudnn_cffi import arrays, errors, ops
from cudnn_cffi._ways.alignment import uneven
from cudnn_cffi._ways.call_sequence import Steps
from cudnn_cffi.ops import Spec
from cudnn_cffi.ops.loss import label_rows


def spec(*shape: int, dtype: str = "float32", strides: tuple[int, ...] = ()) -> Spec:
    return Spec(dtype, shape, strides or arrays.packed_strides(shape), 0)


X, VECTOR, ROW = spec(8, 16), spec(16), spec(8, 1)
Q = spec(2, 4, 8, 16, dtype="float16")
BLOCKS = spec(16, 4, 4, 16, dtype="float16")
LENGTHS = spec(2, dtype="int32")
TABLE = spec(2, 8, dtype="int32")
NODES, EDGES = spec(7, dtype="int32"), spec(20, dtype="int32")
IMAGES, GROUPS = spec(4, 6, 5, 5), spec(4, 2)


def gapped(like: Spec) -> Spec:
    """Return the same array with another element after each."""
    return like._replace(strides=tuple(2 * step for step in like.strides))


def turned(like: Spec) -> Spec:
    """Return the same array with its axes in the other order in memory."""
    return like._replace(strides=arrays.packed_strides(like.shape[::-1])[::-1])


#: The operation, its inputs, and the array that is wrong: of the inputs, or else of the outputs.
CASES: dict[str, tuple[Any, tuple[Any, ...], str, Any]] = {
    "layer norm": (lambda: ops.LayerNorm(), (X, VECTOR, VECTOR), "y", gapped),
    "layer norm's input": (lambda: ops.LayerNorm(), (X, VECTOR, VECTOR), "x", turned),
    "layer norm's scale": (lambda: ops.LayerNorm(), (X, VECTOR, VECTOR), "scale", gapped),
    "rms norm": (lambda: ops.RMSNorm(), (X, VECTOR), "y", turned),
    "statistics": (
        lambda: ops.LayerNorm(statistics=True), (X, VECTOR, VECTOR), "inv_variance", gapped
    ),
    "a mean": (lambda: ops.LayerNormBackward(), (X, X, VECTOR, ROW, ROW), "mean", gapped),
    "a gradient": (lambda: ops.LayerNormBackward(), (X, X, VECTOR, ROW, ROW), "dx", gapped),
    "one of a scale": (lambda: ops.LayerNormBackward(), (X, X, VECTOR, ROW, ROW), "dscale", gapped),
    "positions": (lambda: ops.Reduction("max", 1, indices=True), (X,), "indices", gapped),
    "a group's mean": (
        lambda: ops.GroupNormBackward(2), (IMAGES, IMAGES, None, GROUPS, GROUPS), "mean", turned
    ),
    "an aggregation": (lambda: ops.Aggregation(), (spec(9, 4), NODES, EDGES), "y", gapped),
    "its gradient": (
        lambda: ops.AggregationBackward(9), (spec(6, 4), NODES, EDGES), "dx", gapped
    ),
    "labels": (
        lambda: ops.CTCLoss(), (spec(9, 2, 5), spec(6, dtype="int32"), LENGTHS, LENGTHS), "labels",
        gapped,
    ),
    "lengths": (
        lambda: ops.CTCLoss(), (spec(9, 2, 5), spec(6, dtype="int32"), LENGTHS, LENGTHS),
        "input_lengths", gapped,
    ),
    "a sink's gradient": (
        lambda: ops.AttentionBackward(dsink=True),
        (Q, Q, Q, Q, Q, spec(2, 4, 8, 1), *(None,) * 6, spec(4)), "dsink", gapped,
    ),
    "a page table": (
        lambda: ops.Attention(max_kv_length=32),
        (Q, BLOCKS, BLOCKS, None, LENGTHS, LENGTHS, *(None,) * 5, TABLE, TABLE), "page_table_v",
        turned,
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", CASES)
def test_what_is_not_in_c_order_is_refused(what: str) -> None:
    make, given, name, change = CASES[what]
    operation = make()
    case = operation.case(*given)  # all is well as it is
    assert name in case.inputs or name in case.outputs
    if name in case.inputs:
        place = operation.takes.index(name)
        wrong = (*given[:place], change(given[place]), *given[place + 1 :])
        outs: Any = None
    else:
        wrong = given
        outs = [
            change(case.outputs[name]) if each == name else None for each in operation.gives
        ]  # fmt: skip
    told = name if len(operation.gives) > 1 or name in case.inputs else "(y|dx|out)"
    with pytest.raises(errors.ArgumentError, match=rf"^{told}: .*(order|gaps)"):
        operation.case(*wrong, out=outs)


def test_axes_of_one_element_may_have_any_stride() -> None:
    """Any (8, 1) view of a column that has its elements side by side is in C order."""
    row = ROW._replace(strides=(1, 77))
    assert ops.LayerNormBackward().case(X, X, VECTOR, row, row).inputs["mean"] == row


def test_strides_of_axes_with_one_element_mean_nothing() -> None:
    x, y = (
        Spec("float32", (2, 1, 4, 4), (16, 16, 4, 1)),
        Spec("float32", (2, 1, 4, 4), (16, 1, 4, 1)),
    )
    norm = ops.DivisiveNorm()
    assert norm.case(x, y, out=y).outputs["y"] == y
    with pytest.raises(errors.ArgumentError, match="means: expected strides of"):
        norm.case(x, y._replace(strides=(16, 16, 1, 4)))


def test_dropout_writes_to_the_same_memory_by_other_strides(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ops.Dropout, "_reserve", lambda *_: Spec("uint8", (8,), (1,)))
    x, y = (
        Spec("float32", (2, 1, 4, 4), (16, 16, 4, 1)),
        Spec("float32", (2, 1, 4, 4), (16, 1, 4, 1)),
    )
    assert ops.Dropout(0.5).case(x, out=y).outputs["y"] == y
    with pytest.raises(errors.ArgumentError, match="y: expected strides of"):
        ops.Dropout(0.5).case(x, out=y._replace(strides=(16, 16, 1, 4)))


def test_losses_of_no_sequences() -> None:
    case = ops.CTCLoss().case(
        Spec.like((5, 0, 4)), labels=(), label_lengths=(), input_lengths=None, gradient=True
    )
    assert case.is_empty
    assert case.outputs["loss"].shape == (0,)


def test_the_columns_that_pad_rows_of_classes_match_no_label(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kept: list[Any] = []
    monkeypatch.setattr(Steps, "constant", lambda _, *given: kept.append(given))
    x = Spec.like((4, 7))
    made: Any = label_rows.Labels.__new__(label_rows.Labels)
    made.handle = None
    made.case = ops.CrossEntropy().case(x, Spec.like((4,), "int32"))
    made.sizes = label_rows._Sizes(4, 7, 1, (7, 1, 7), 7)
    made._begin(8)
    ((_, _, numbers),) = kept
    assert numbers[:7] == [*range(7)]
    assert not numbers[7].is_integer()  # also after labels were rounded to float32


def test_elements_that_are_repeated_are_not_written() -> None:
    x, one = Spec.like((4, 8)), Spec("float32", (4, 8), (0, 1))
    for operation, *given in (
        (ops.Activation("relu"), x), (ops.Transform(), x), (ops.TensorOperation(), x, x),
        (ops.Softmax(1), x),
    ):  # fmt: skip
        with pytest.raises(errors.ArgumentError, match="out: expected an array without repeated"):
            operation.case(*given, out=one)
        assert operation.case(*[one for _ in given]).outputs["y"].strides == (8, 1)
    with pytest.raises(errors.ArgumentError, match="x: expected an array without repeated"):
        ops.Scale(2.0).case(one)
    row = Spec("float32", (1, 8), (0, 1))  # which has nothing to repeat
    assert ops.Transform().case(row, out=row).outputs["y"] == row


@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
def test_filters_in_another_order_are_copied(layout: str) -> None:
    """TensorFlow has the channels of results innermost."""
    x, w = Spec.like((3, 8, 7, 7), layout=layout), Spec("float32", (16, 8, 2, 2), (1, 16, 256, 128))
    assert uneven(ops.Convolution().case(x, w)) == {"w": Spec.like(w.shape, layout=layout)}
