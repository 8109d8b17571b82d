"""Families of further operations compute what they say, and what is wrong in one is found."""

from __future__ import annotations

import itertools
import math
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from cudnn_cffi import Graph, errors  # noqa: E402

from tests.differ import (  # noqa: E402
    calls,
    core,
    executing,
    further,
    further_operations,
    graphs,
    operations,
    values,
)
from tests.differ.draw import Draw  # noqa: E402
from tests.differ.judge import SkippedError  # noqa: E402
from tests.differ.test_judging import found_among, is_accepted  # noqa: E402

FAMILIES = tuple(further.FAMILIES)


@pytest.fixture(autouse=True)
def on_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    torch.set_num_threads(1)
    for module in (calls, executing, operations, values):
        monkeypatch.setattr(module, "device", lambda: "cpu")


def cases(name: str, count: int, **given: int) -> Any:
    """Yield graphs of a family that are packed."""
    for case in itertools.islice(itertools.count(), 6 * count):
        fixed = {"family": FAMILIES.index(name), "x_gap": 0, "x_repeats": 0, "extents": 0, **given}
        draw = Draw("further", 3, case, fixed)
        try:
            yield graphs.make(draw, Graph("drawn"), further.family_of(draw))
        except (errors.CudnnError, errors.ArgumentError, SkippedError):
            continue
        count -= 1
        if not count:
            return


@pytest.mark.parametrize("name", FAMILIES)
def test_what_is_right_is_right_and_what_is_wrong_is_found(name: str) -> None:
    done, wrong, found = found_among(cases(name, 8, x_data=0))
    assert done > 3
    assert found > 0.8 * wrong > 1, (found, wrong)


def test_options_of_convolutions_are_drawn() -> None:
    """All that `families` leave out: dilations, uneven paddings, flipped filters, other groups."""
    seen: set[str] = set()
    for name in ("convolution", "data gradient", "filter gradient"):
        for made in cases(name, 30):
            (node,) = made.graph.nodes
            options = node.options
            w = made.graph.nodes[0].tensors()["dw" if name.startswith("filter") else "w"]
            images = node.tensors()["dx" if name.startswith("data") else "x"]
            facts = {
                "dilation": max(options["dilation"]) > 1,
                "uneven": options["pre_padding"] != options["post_padding"],
                "flip": options["mode"] == "CONVOLUTION",
                "axes": len(set(options["stride"])) > 1 or len(set(w.shape[2:])) > 1,
                "groups": 1 < images.shape[1] // w.shape[1] < images.shape[1],
                "depthwise": images.shape[1] // w.shape[1] == images.shape[1] > 1,
            }
            seen |= {f"{name}: {fact}" for fact, has in facts.items() if has}
    assert len(seen) == 18, seen


def test_slopes_with_a_step_are_of_numbers_that_nothing_rounded() -> None:
    """A sum that is 0 may be rounded to either side, where gradients of ELU differ by alpha."""
    seen = 0
    for made in cases("product parameters", 40, step1_mode=1, step1_way=1):
        steps = [value for value in made.values if value.narrows]
        seen += len(steps)
        for value in steps:
            options = made.graph.nodes[-1].options
            assert options["elu_alpha"] == 1 or made.values[value.reads[1]].is_exact
    assert seen > 5


@pytest.mark.parametrize(("number", "is_right"), [(0.0, True), (1e-19, False)])
def test_softplus_of_low_numbers_has_nothing_left(number: float, is_right: bool) -> None:
    """The erratum "pointwise-beside-one": 0 in place of 2e-21, and nothing that is larger."""
    draw = Draw("further", 10311, 144)
    made = graphs.make(draw, Graph("drawn"), further.family_of(draw))
    expected, ((name, index),) = executing.expected_of(made), made.outputs
    result = torch.full_like(expected.exact[index], number).float()
    assert is_accepted(expected, {name: result}) is is_right


def test_positions_are_those_of_maxima() -> None:
    """In windows row by row, and a gradient goes to where they are."""
    indices = 0
    for made in cases("positions", 8, x_data=0, step0_way=0):
        found = {name: made.evaluate()[index] for name, index in made.outputs}
        x = made.arrays["x"]
        options = made.graph.nodes[0].options
        for name, places in found.items():
            if not name.endswith("index"):
                continue
            indices += 1
            assert places.min() >= 0
            assert places.max() < math.prod(options["window"])
            assert torch.isin(next(y for port, y in found.items() if port != name), x).all()
    assert indices > 2


@pytest.mark.parametrize("operation", further_operations.OPERATIONS)
def test_operations(operation: str) -> None:
    """PyTorch's are compared with themselves where there is no GPU, in the forms of the package."""
    index = tuple(further_operations.OPERATIONS).index(operation)
    outcomes = [
        core.judge(further_operations, Draw("further_operations", 4, case, {"operation": index}))
        for case in range(12)
    ]
    assert not [each for each in outcomes if each.failed]
    assert [each.outcome for each in outcomes].count("same") > 4
