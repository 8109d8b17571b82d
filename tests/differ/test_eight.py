"""Cases of 8 bits have exact results, and what is one off is found."""

from __future__ import annotations

import math
from collections.abc import Container, Iterator
from contextlib import nullcontext
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from cudnn_cffi import Graph, errors  # noqa: E402

from tests.differ import eight, eight_chosen, eight_steps, executing, graphs  # noqa: E402
from tests.differ.draw import Draw  # noqa: E402
from tests.differ.exact import Exact  # noqa: E402
from tests.differ.executing import MEMORY, Run, expected_of  # noqa: E402
from tests.differ.judge import DiffersError, SkippedError  # noqa: E402
from tests.differ.test_judging import Plan, is_accepted  # noqa: E402

FAMILIES = tuple(eight.FAMILIES)
#: The families of sums of products alone.
SUMS = (*FAMILIES[:3], "data gradient", "filter gradient", "product")


@pytest.fixture(autouse=True)
def on_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    torch.set_num_threads(1)
    monkeypatch.setattr(executing, "device", lambda: "cpu")


#: The families whose results have the type of their inputs.
MEANS = "gradient of means", "gradient within windows"

#: Multiples of the usual number of cases: many images that are resized are too large.
TIMES = {"resized": 4, "attention": 2, "gradient of attention": 2, "grouped convolution": 2}


def made_of(name: str, case: int, part: str = "eight", **given: int) -> Any:
    draw = Draw(part, 3, case, {"family": FAMILIES.index(name), **given})
    table = eight.TABLE if part == "eight" else eight_chosen.TABLE
    return graphs.make(draw, Graph("drawn"), eight.family_of(draw, table))


def cases(*names: str, count: int = 24, **given: Any) -> Iterator[Any]:
    for name in names:
        for case in range(count):
            try:
                yield made_of(name, case, x_gap=0, x_repeats=0, **given)
            except (errors.CudnnError, errors.ArgumentError, SkippedError):
                continue


@pytest.mark.parametrize("name", FAMILIES)
def test_data_types_extremes_and_long_sums_are_drawn(name: str) -> None:
    """Inputs are numbers of their types, with the least and the largest; INT32 holds all sums."""
    pairs, results, low, high, most = set(), set(), False, False, 0.0
    for made in cases(name, count=(80 if name in SUMS else 40) * TIMES.get(name, 1)):
        types = {each.name: each.data_type for each in made.graph.tensors.values()}
        pairs.add((made.kind, made.other))
        results |= {types[port] for port, _ in made.outputs}
        for port, x in made.arrays.items():
            if port not in types:  # nothing reads it
                continue
            kind = MEMORY[types[port]]
            assert torch.equal(x, x.to(torch.float32).to(kind).double()), port
            if not kind.is_floating_point:
                low |= bool((x == torch.iinfo(kind).min).any())
                high |= bool((x == torch.iinfo(kind).max).any())
        if name in SUMS and "FP8" not in made.kind:
            (exact,) = (made.evaluate()[index] for _, index in made.outputs)
            most = max(most, float(exact.abs().max()))
    whole = not name.endswith("attention")
    assert len(pairs) == len(eight_steps.PAIRS) / (1 if whole else 2)
    wide = {"FLOAT", "HALF"} if name not in MEANS else set()
    assert results >= {"FP8_E4M3", "FP8_E5M2", *wide, *(("INT8", "UINT8") * whole)}
    assert (low, high) == (whole, whole)
    assert most < 2**31
    assert most > 2**24 or name not in SUMS or "depthwise" in name


@pytest.mark.parametrize("name", FAMILIES)
def test_what_is_computed_rightly_is_right(name: str) -> None:
    done = 0
    for made in cases(name, count=24 * TIMES.get(name, 1)):
        Run(expected_of(made), Plan(made)).call()
        done += 1
    assert done > 15


@pytest.mark.parametrize("wrong", ["beyond", "swapped"])
def test_what_is_wrong_is_found(wrong: str) -> None:
    found = done = 0
    for made in cases(*FAMILIES, count=12):
        first = made.evaluate()[made.outputs[0][1]]
        if wrong == "swapped" and len(first.unique()) < 20:
            continue
        done += 1
        try:
            Run(expected_of(made), Plan(made, wrong)).call()
        except DiffersError:
            found += 1
    assert found > 0.9 * done > 90, (found, done)
    assert found == done or wrong != "beyond"


def judged(kind: str, exact: float, result: float, made: Any) -> bool:
    """Return whether a result of a product of the whole numbers of a case is right."""
    expected = Exact(made)
    ((name, index),) = made.outputs
    expected.exact[index] = torch.tensor([exact], dtype=torch.float64)
    expected._slack[index] = torch.zeros(1, dtype=torch.float64)
    given = torch.tensor([result], dtype=torch.float64).to(MEMORY[kind])
    return is_accepted(expected, {name: given})


@pytest.mark.parametrize(
    ("kind", "exact", "right", "wrong"),
    [
        ("INT32", 2.0**24 + 1, (2.0**24 + 1,), (2.0**24, 2.0**24 + 2)),
        ("INT8", 130.0, (127.0,), (-126.0, 126.0)),
        ("INT8", -130.0, (-128.0,), (-127.0, 126.0)),
        ("INT8", 2.5, (2.0, 3.0), (1.0, 4.0)),
        ("INT8", 2.75, (3.0,), (2.0, 4.0)),
        ("UINT8", -3.0, (0.0,), (1.0, 253.0)),
        ("FLOAT", 2.0**24 + 1, (2.0**24, 2.0**24 + 2), (2.0**24 - 2, 2.0**24 + 4)),
        ("HALF", 1e5, (math.inf, 65504.0), (-math.inf, 65000.0, math.nan)),
        ("FP8_E4M3", 600.0, (448.0, math.nan), (416.0, -448.0)),
        ("FP8_E5M2", -6e4, (-57344.0, -math.inf), (57344.0, -49152.0, math.nan)),
        ("FP8_E5M2", -7e4, (-57344.0, -math.inf, math.nan), (57344.0, -49152.0)),
        ("FP8_E4M3", 1.06, (1.0, 1.125), (0.9375, 1.25, math.nan)),
    ],
)  # fmt: skip
def test_results_are_rounded_to_the_nearest_and_stay_within_their_type(
    kind: str, exact: float, right: tuple[float, ...], wrong: tuple[float, ...]
) -> None:
    made = made_of("product", 0, bits=0)
    assert all(judged(kind, exact, each, made) for each in right)
    assert not any(judged(kind, exact, each, made) for each in wrong)


@pytest.mark.parametrize(("number", "is_right"), [(0.0, True), (0.004, True), (1.0, False)])
def test_functions_are_off_by_what_they_add_and_not_by_terms(number: float, is_right: bool) -> None:
    """Sums are far below zero, and functions of them are zero."""

    def is_zero(made: Any) -> bool:
        ((_, index),) = made.outputs
        value, exact = made.values[index], made.evaluate()
        sums = exact[value.reads[0]]
        return (
            value.is_rough and bool(((sums < -32) & (sums > -1e4)).all()) and not exact[index].any()
        )

    made = next(filter(is_zero, cases("convolution chain", count=400)))
    expected = expected_of(made)
    ((name, index),) = made.outputs
    exact = expected.exact[index]
    with nullcontext() if is_right else pytest.raises(DiffersError):
        expected.compare(name, (exact + number).bfloat16(), "")


@pytest.mark.parametrize("factor", [1.0, 0.5])
def test_attention_to_one_key(factor: float) -> None:
    """Scores of it are so far above others that their errors, large as they are, change nothing."""

    def is_large(made: Any) -> bool:
        return bool(made.evaluate()[made.outputs[0][1]].abs().max() > 1e10)

    made = next(filter(is_large, cases("attention", count=400)))
    expected = expected_of(made)
    name, index = made.outputs[0]
    exact = expected.exact[index]
    with nullcontext() if factor == 1 else pytest.raises(DiffersError):
        expected.compare(name, (exact * factor).float(), "")


def test_fp8_may_be_off_by_what_tensor_cores_cut_off() -> None:
    """They keep 13 bits of a sum of 32 products."""
    made = made_of("product", 0, bits=4, x_data=0, step0_b_data=0, long=1)
    expected = expected_of(made)
    ((name, index),) = made.outputs
    exact = expected.exact[index]
    terms = made.arrays["x"].abs() @ made.arrays["step0_b"].abs()
    for off, is_right in ((2.0**-13, True), (2.0**-6, False)):
        result = (exact + off * terms).float()
        assert is_accepted(expected, {name: result}) is is_right


@pytest.mark.parametrize(
    ("kind", "beyond", "number", "is_right"),
    [
        ("HALF", True, -math.inf, True),
        ("HALF", True, math.inf, False),
        ("HALF", False, -math.inf, False),
        ("FLOAT", True, -math.inf, False),
    ],
)
def test_sums_beyond_half_that_are_results_are_infinite_for_what_reads_them(
    kind: str, beyond: bool, number: float, is_right: bool
) -> None:
    made = sums_beyond_half(kind)
    expected = expected_of(made)
    sums, scaled = (expected.exact[index] for _, index in made.outputs[:2])
    places = sums.abs() > torch.finfo(torch.float16).max
    assert int(places.sum()) == 1
    result = scaled.masked_fill(places == beyond, number).to(torch.float16)
    results = {made.outputs[0][0]: sums.to(MEMORY[kind])}
    assert is_accepted(expected, {made.outputs[1][0]: result}, results) is is_right


def sums_beyond_half(kind: str, **given: int) -> Any:
    """Return a graph with a sum of -84,620, which has a type; 1 / 64 of it is of HALF."""
    family = {"family": FAMILIES.index("convolution chain"), "bits": 4, "kept": 1, "repeated": 5}
    shape = {"rank": 2, "extent0": 1, "long": 1, "thin": 1, "extents": 5, "step0_size": 2}
    data = {"x_data": 9, "step0_w_data": 0, "step0_filters": 3, "result": 1, "step1_scales": 0}
    types = {"y2_type": graphs.TYPES.index(kind), "y5_type": 1}
    draw = Draw("eight_chosen", 10311, 179, family | shape | data | types | given)
    return graphs.make(draw, Graph("drawn"), eight.family_of(draw, eight_chosen.TABLE))


@pytest.mark.parametrize("number", [0.0, 1000.0, math.inf, -math.inf, math.nan])
def test_a_bounded_function_of_an_infinite_result_is_judged(number: float) -> None:
    """A ReLU of -inf is 0."""
    made = sums_beyond_half("HALF", step1_relu=1)
    expected = expected_of(made)
    sums, y = (expected.exact[index].half() for _, index in made.outputs[:2])
    assert int(sums.isinf().sum()) == 1
    assert not y[sums.isinf()].any()
    results = {made.outputs[0][0]: sums}
    with nullcontext() if number == 0 else pytest.raises(DiffersError):
        expected.compare(made.outputs[1][0], y.masked_fill(sums.isinf(), number), "", results)


def written(made: Any, reads: Container[int], factor: float = 1.0) -> dict[str, Any]:
    """Return results of which operations read some, times a factor, as memory has them."""
    stored: dict[int, Any] = {}
    found: dict[str, Any] = {}
    for name, index in sorted(made.outputs, key=lambda each: each[1]):
        result = made.evaluate(stored=stored)[index]
        kind = MEMORY[made.tensor(index).data_type]
        found[name] = Plan.rounded(result, kind).to(torch.float32).to(kind)
        if index in reads:
            stored[index] = found[name].double() * factor
    return found


def test_operations_read_results_as_they_are_computed_or_as_memory_has_them() -> None:
    """Results of narrow types are rounded, and saturate, before operations read them."""
    done = alone = found = 0
    names = "scaled convolution", "convolution chain", "product chain", "largest of a convolution"
    for made in cases(*names, part="eight_chosen", kept=1, long=0):
        done += 1
        expected = expected_of(made)
        places = sorted(index for _, index in made.outputs)
        for reads in ((), places[:1], places):
            assert is_accepted(expected, results := written(made, reads), results)
        alone += not is_accepted(expected, written(made, places), {})
        results = written(made, places, 0.5)
        found += not is_accepted(expected, results, results)
    assert done > 90
    assert alone > done / 8
    assert found > done / 2
