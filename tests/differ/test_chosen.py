"""Each way to get a plan is tried, wrong ones are told, and refusals are counted by their words."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

torch = pytest.importorskip("torch")

import cudnn_cffi  # noqa: E402
from cudnn_cffi import errors  # noqa: E402

from tests.differ import (  # noqa: E402
    chosen,
    core,
    eight_chosen,
    executing,
    families,
    further_chosen,
    graphs,
    models,
)
from tests.differ.draw import Draw  # noqa: E402
from tests.differ.judge import DiffersError  # noqa: E402
from tests.differ.test_judging import Plan  # noqa: E402


def drawn(monkeypatch: pytest.MonkeyPatch, build: Any, **given: int) -> core.Found:
    """Return the outcome of a case whose plans are a stand-in's, by each way unless one is given."""
    made: dict[int, Any] = {}

    def make(draw: Draw, graph: Any, *rest: Any) -> Any:
        return made.setdefault(id(graph), graphs.make(draw, graph, *rest))

    monkeypatch.setattr(executing, "device", lambda: "cpu")
    monkeypatch.setattr(chosen, "make", make)
    monkeypatch.setattr(
        cudnn_cffi.Graph, "build", lambda graph, **options: build(made[id(graph)], options)
    )
    monkeypatch.setattr(
        cudnn_cffi.Graph,
        "autotune",
        lambda graph, **options: SimpleNamespace(best=build(made[id(graph)], options)),
    )
    torch.set_num_threads(1)
    family = families.FACTORS["family"].index("unary")
    given = {"family": family, "x_data": 0, "way": 0, **given}
    return core.judge(chosen, Draw("chosen", 5, 3, given))


def test_all_ways_are_right(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []
    plans: list[Any] = []

    def build(made: Any, options: Any) -> Any:
        seen.append(options)
        plans.append(Plan(made, engine=3 if "choose" in options else 1))
        return plans[-1]

    found = drawn(monkeypatch, build)
    assert found.outcome == "same"
    assert found.facts == {f"{way}: right": 1 for way in chosen.WAYS}
    assert seen == [{}, *chosen.WAYS.values()]
    # Plans of an engine are run once, and again where TF32 is not allowed.
    assert [each.count > 0 for each in plans] == [True, True, False, True, False, True]


def test_a_case_has_a_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """Autotuning comes before a choice by time, which knows what it found."""
    seen: list[Any] = []

    def build(made: Any, options: Any) -> Any:
        seen.append(options)
        return Plan(made)

    for way, before in (("time", ("autotune",)), ("deterministic", ())):
        seen.clear()
        found = drawn(monkeypatch, build, way=1 + [*chosen.WAYS].index(way))
        assert found.facts == {f"{each}: right": 1 for each in (*before, way)}
        assert seen == [chosen.WAYS[each] for each in (*before, way)]


def test_a_way_that_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    def build(made: Any, options: Any) -> Any:
        is_timed = options == chosen.WAYS["time"]
        return Plan(made, *("half", 7) if is_timed else ())

    found = drawn(monkeypatch, build)
    assert found.outcome == "differs"
    assert found.text.startswith("time (engines [7]): y1: ")
    assert ":way=3" in found.line


def test_refusals_have_their_words(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> Any:
        raise errors.NotSupportedError("no engine is right")

    found = drawn(monkeypatch, refuse)
    assert found.outcome == "refused"
    tally = core.Tally()
    tally.add(found)
    ((reason, count),) = tally.reasons.items()
    assert "no engine is right" in reason
    assert count == 1

    def partly(made: Any, options: Any) -> Any:
        return refuse() if options else Plan(made)

    found = drawn(monkeypatch, partly)
    assert found.outcome == "same"
    others = [way for way, options in chosen.WAYS.items() if options]
    assert found.facts == {"default: right": 1, **{f"{way}: refused": 1 for way in others}}


@pytest.mark.parametrize("module", [chosen, eight_chosen, further_chosen])
def test_cases_are_those_of_the_list(monkeypatch: pytest.MonkeyPatch, module: Any) -> None:
    """A list of ways is shorter than one of engines: copies take what these refuse."""
    monkeypatch.setattr(module, "by_each_way", lambda *_: "")
    rows = module.TABLE.rows(3)
    assert len(rows) < 550
    for case, row in enumerate(rows[:30]):
        draw = Draw("", 3, case)
        assert module.run(draw) == ""
        assert draw.made["family"][1] == row["family"]
        assert draw.wanted["x_data"] == row["x_data"]
        assert draw.pick("way", ("each", *chosen.WAYS)) == row["way"]


def test_factors_that_cut_graphs() -> None:
    """Each changes the graph that it is for, and no number of it."""

    def made(family: str, case: int = 9, **factors: str) -> Any:
        row = {"family": family, "x_data": "plain", "layout": "row_major", "extents": "wide"}
        draw = Draw("chosen", 7, case)
        table: Any = SimpleNamespace(factors=chosen.TABLE.factors, row_of=lambda _: row | factors)
        return graphs.make(draw, cudnn_cffi.Graph("drawn"), families.family_of(draw, table))

    def shapes(made: Any) -> dict[str, Any]:
        return {each.name: tuple(each.shape) for each in made.graph.tensors.values()}

    assert shapes(made("unary", thin="1"))["x"][1] == 1
    assert shapes(made("convolution bias relu", repeated="01"))["step1_b"][:2] == (1, 1)
    assert len(made("convolution bias relu", kept="all").outputs) == 3
    for order in graphs.RESULTS[1:]:
        pairs = [(made("unary", case, results=order), made("unary", case)) for case in range(6)]
        strides = [[each.graph.outputs[0].strides for each in pair] for pair in pairs]
        assert any(one != other for one, other in strides) == (order != "row_major")
    assert len(made("product", shared="True").arrays) == 1
    called = made("chain", numbers="called")
    assert called.numbers
    expected = executing.expected_of(called)
    executing.Run(expected, Plan(called)).call()


@pytest.mark.parametrize("settings", range(len(models.SETTINGS)))
def test_models(monkeypatch: pytest.MonkeyPatch, settings: int) -> None:
    """Models on the host are right, and a wrong one is found."""
    torch.set_num_threads(1)
    for case in range(6):
        assert models.run(Draw("models", 4, case, {"settings": settings})) == ""
    draw = Draw("models", 4, 1, {"settings": settings, "x_data": 0})
    monkeypatch.setattr("cudnn_cffi.torch.fuse", lambda model, **_: lambda x: model(x) * 1.1)
    with pytest.raises(DiffersError, match="y of call 1"):
        models.run(draw)
