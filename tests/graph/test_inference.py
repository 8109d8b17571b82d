"""Shapes and layouts of results, against NumPy's and against windows counted one by one."""

from __future__ import annotations

import math
from typing import Any

import numpy
import pytest
from cudnn_cffi import errors
from cudnn_cffi.graph import Graph
from cudnn_cffi.graph.rules.results import packed, strides_like, view_strides
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

#: A machine with much else to do is no reason to fail.
patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

EXTENT = st.integers(1, 6)
SHAPES = st.lists(EXTENT, min_size=1, max_size=5).map(tuple)


@patient
@given(SHAPES, st.data())
def test_broadcasting_is_numpys(shape: tuple[int, ...], data: st.DataObject) -> None:
    other = tuple(data.draw(st.sampled_from([1, extent, extent + 1])) for extent in shape)
    g = Graph()
    a, b = g.tensor(shape), g.tensor(other)
    try:
        wanted = numpy.broadcast_shapes(shape, other)
    except ValueError:
        with pytest.raises(errors.ShapeMismatchError) as caught:
            a + b
        assert str(shape) in str(caught.value)
        assert str(other) in str(caught.value)
    else:
        assert (a + b).shape == wanted


@patient
@given(
    st.lists(st.tuples(EXTENT, EXTENT), max_size=3),
    EXTENT, EXTENT, EXTENT,
)  # fmt: skip
def test_matrix_products_are_numpys(batch: list[tuple[int, int]], m: int, k: int, n: int) -> None:
    # Either batch extent is 1, or they are equal.
    left = tuple(a for a, _ in batch)
    right = tuple(a if b % 2 else 1 for a, b in batch)
    a, b = (*left, m, k), (*right, k, n)
    g = Graph()
    assert g.matmul(g.tensor(a), g.tensor(b)).shape == (numpy.ones(a) @ numpy.ones(b)).shape


@patient
@given(
    st.integers(1, 12), st.integers(1, 4), st.integers(0, 3), st.integers(0, 3),
    st.integers(1, 3), st.integers(1, 3),
)  # fmt: skip
def test_windows_are_counted(
    extent: int, window: int, before: int, after: int, stride: int, dilation: int
) -> None:
    span = dilation * (window - 1) + 1
    count = len(range(0, before + extent + after - span + 1, stride))
    g = Graph()
    x, w = g.tensor((2, 3, extent)), g.tensor((4, 3, window))
    how: dict[str, Any] = {
        "padding": ((before, after),),
        "stride": stride,
        "dilation": dilation,
    }
    if count < 1:
        with pytest.raises(errors.ShapeMismatchError):
            g.convolution(x, w, **how)
        return
    y = g.convolution(x, w, **how)
    assert y.shape == (2, 4, count)
    # The gradients have the shapes of what they are the gradients of.
    assert g.convolution_backward_data(y, w, shape=x.shape, **how).shape == x.shape
    assert g.convolution_backward_filter(x, y, w.shape, **how).shape == w.shape


@patient
@given(SHAPES, st.data())
def test_strides_have_the_order_of_other_strides(
    shape: tuple[int, ...], data: st.DataObject
) -> None:
    order = data.draw(st.permutations(range(len(shape))))
    array = numpy.empty([shape[axis] for axis in order]).transpose(numpy.argsort(order))
    own = tuple(step // array.itemsize for step in array.strides)
    assert strides_like(array.shape, array.shape, own) == own or 1 in array.shape
    made = strides_like(array.shape, array.shape, own)
    # In any order, each element has a place of its own, without gaps.
    places = sum(
        numpy.arange(n).reshape([-1 if axis == at else 1 for at in range(len(shape))]) * step
        for axis, (n, step) in enumerate(zip(array.shape, made, strict=True))
    )
    assert sorted(numpy.ravel(places)) == list(range(array.size))
    assert packed(shape) == tuple(step // array.itemsize for step in numpy.empty(shape).strides)


@patient
@given(SHAPES, st.data())
def test_views_are_numpys(shape: tuple[int, ...], data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(shape))))
    gap = data.draw(st.sampled_from([1, 1, 3]))
    memory = numpy.arange(math.prod(shape) * gap)[::gap]
    array = memory.reshape([shape[axis] for axis in order]).transpose(numpy.argsort(order))
    wanted, left = [], array.size
    while left > 1:
        wanted.append(data.draw(st.sampled_from([n for n in range(1, left + 1) if not left % n])))
        left //= wanted[-1]
    size = array.itemsize
    strides = view_strides(array.shape, tuple(n // size for n in array.strides), tuple(wanted))
    seen = array.view()
    try:
        seen.shape = tuple(wanted)
    except AttributeError:
        assert strides is None
    else:
        assert strides is not None
        found = numpy.lib.stride_tricks.as_strided(array, wanted, [n * size for n in strides])
        assert (found == seen).all()


@patient
@given(SHAPES, st.data())
def test_reshaping_and_transposing_are_numpys(shape: tuple[int, ...], data: st.DataObject) -> None:
    g = Graph()
    x = g.tensor(shape)
    order = data.draw(st.permutations(range(len(shape))))
    array = numpy.empty(shape)
    assert g.transpose(x, order).shape == array.transpose(order).shape
    assert g.reshape(x, (-1,)).shape == array.reshape(-1).shape
    start = [data.draw(st.integers(0, extent - 1)) for extent in shape]
    limit = [data.draw(st.integers(a + 1, n)) for a, n in zip(start, shape, strict=True)]
    step = [data.draw(st.integers(1, 3)) for _ in shape]
    part = array[tuple(slice(*each) for each in zip(start, limit, step, strict=True))]
    assert g.slice(x, start, limit, step).shape == part.shape
    axes = data.draw(st.sets(st.sampled_from(range(len(shape))), min_size=1))
    assert (
        g.reduction(x, "ADD", dims=sorted(axes)).shape
        == array.sum(tuple(axes), keepdims=True).shape
    )
    assert g.concatenate([x, x], 0).shape == numpy.concatenate([array, array]).shape


@pytest.mark.parametrize(("window", "wanted"), [((8, 16), "INT8"), ((12, 11), "INT32")])
def test_positions_of_maxima_have_room(window: tuple[int, int], wanted: str) -> None:
    g = Graph()
    x = g.tensor((2, 8, 40, 40), "HALF", layout="NHWC")
    y, index = g.resample(x, "MAXPOOL", window=window, index=True)
    assert g.output(index).data_type == wanted
    assert g.resample_backward(y, "MAXPOOL", index=index, x=x, window=window).shape == x.shape


@pytest.mark.parametrize(
    ("first", "second", "wanted"),
    [("INT32", "INT64", "INT64"), ("INT8", "INT32", "INT32"), ("INT8", "INT8", "INT32")],
)
def test_copies_of_integers_have_the_type_in_which_these_are_computed(
    first: str, second: str, wanted: str
) -> None:
    g = Graph()
    total = g.add(g.tensor((4, 4), first), g.tensor((4, 4), second))
    copied = g.output(g.identity(total))
    assert g.output(total).data_type == copied.data_type == wanted
