"""Every engine of a drawn graph is run, and what one does wrong is told with its knobs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

torch = pytest.importorskip("torch")

import cudnn_cffi  # noqa: E402
from cudnn_cffi import errors  # noqa: E402

from tests.differ import core, engines, executing, families, graphs  # noqa: E402
from tests.differ.core import Found, Record  # noqa: E402
from tests.differ.draw import Draw, read_line  # noqa: E402
from tests.differ.judge import RefusedError  # noqa: E402
from tests.differ.test_judging import Plan  # noqa: E402

#: The engines of the stand-in, and the values of the knob of the second one.
NUMBERS, TILES = (3, 17), range(4)

#: Choices of a plain case.
ROWS = dict.fromkeys(("layout", "extents", "x_gap", "x_address", "x_repeats"), 0)

Build = Callable[[Any, int, dict[str, int]], Any]


class Noisy(Plan):
    """A plan whose results have other last bits in each call, as sums in any order have."""

    def __call__(self, workspace: Any, **arrays: Any) -> None:
        super().__call__(workspace, **arrays)
        for name, _ in self.made.outputs:
            arrays[name].mul_(1 + self.count % 2 * torch.finfo(arrays[name].dtype).eps)


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[list[str], Draw]]:
    """Give what runs a case with candidates of a stand-in, and returns what was built."""
    monkeypatch.setattr(executing, "device", lambda: "cpu")
    torch.set_num_threads(1)

    def run(
        build: Build, *, deterministic: bool = True, done: int = 0, notes: Any = (), **given: int
    ) -> tuple[list[str], Draw]:
        built: list[str] = []
        made: dict[int, Any] = {}

        def make(draw: Draw, graph: Any, *rest: Any) -> Any:
            return made.setdefault(id(graph), graphs.make(draw, graph, *rest))

        def candidates(
            graph: Any, engine: int | None = None, knobs: Any = None, every_engine: bool = False
        ) -> list[Any]:
            def candidate(number: int) -> Any:
                def make_plan() -> Any:
                    built.append(f"{number} {knobs or ''}".rstrip())
                    return build(made[id(graph)], number, knobs or {})

                own = [SimpleNamespace(name="TILE", values=TILES)] if number == NUMBERS[1] else []
                return SimpleNamespace(
                    engine=number, engine_knobs=own, deterministic=deterministic, build=make_plan,
                    numeric_notes=notes, knobs=knobs or {},
                )  # fmt: skip

            assert every_engine == (engine is None)
            return [candidate(each) for each in (NUMBERS if engine is None else (engine,))]

        monkeypatch.setattr(engines, "make", make)
        monkeypatch.setattr(cudnn_cffi.Graph, "candidates", candidates)
        # Errata take a device, or a description of one, and the stand-in has no engine of theirs.
        monkeypatch.setattr(cudnn_cffi.Graph, "computation", lambda _: None)
        monkeypatch.setattr("cudnn_cffi.errata.asks.is_wrong", lambda *_: False)
        family = families.FACTORS["family"].index("unary")
        draw = Draw("engines", 5, 3, {"family": family, "step0_mode": 0, "x_data": 0, **given})
        draw.done = done
        told: list[int] = []
        draw.tell = lambda place, facts: told.append(place)  # noqa: ARG005
        assert engines.run(draw) == ""
        assert told == list(range(done, done + len(told)))
        return built, draw

    return run


def failures(draw: Draw) -> list[str]:
    return [f"{each.text}; {each.facts['kind']}" for each in draw.deviations]


def test_each_engine_and_knobs_are_run(planted: Any) -> None:
    built, draw = planted(lambda made, *_: Plan(made))
    assert built[:3] == ["3", "3", "17"]  # of two sizes
    assert any("TILE" in each for each in built)
    assert len(built) <= 4 + engines.DRAWN
    assert not draw.deviations
    assert draw.notes == {"claimed determinism: equal bits": draw.notes.total()}
    # The line of a case may name one engine, and the number of a drawing.
    assert planted(lambda made, *_: Plan(made), engine=4)[0] == ["3", "3"]
    assert planted(lambda made, *_: Plan(made), engine=18, knobs=1)[0] == ["17", "17"]
    # Steps of a process that ended are not done again.
    assert planted(lambda made, *_: Plan(made), done=1)[0][0] == "17"


def test_what_an_engine_does_wrong_is_told_and_others_run(planted: Any) -> None:
    def build(made: Any, number: int, _: Any) -> Any:
        return Plan(made, {3: "unwritten", 17: "swapped"}[number])

    _, draw = planted(build)
    first, *others = failures(draw)
    assert first.startswith("engine 3: y1: ")
    assert first.endswith("; NaN")
    assert others[0].startswith("engine 17: y1: ")
    assert others[0].endswith("; wrong numbers")
    facts = draw.deviations[0].facts
    assert (facts["engine"], facts["knobs"], facts["kind"]) == (3, {}, "NaN")
    assert [each["kind"] for each in facts["graph"]["nodes"]] == ["pointwise"]
    found = core.judge(
        SimpleNamespace(run=lambda draw: engines.run(draw)), Draw("x", 5, 3, draw.given)
    )
    assert found.outcome == "differs"
    assert read_line(found.line).given.items() >= {"engine": 4, "knobs": 1}.items()


def test_knobs_are_told(planted: Any) -> None:
    def build(made: Any, _: int, knobs: dict[str, int]) -> Any:
        return Plan(made, "unwritten" if knobs else "")

    _, draw = planted(build)
    assert failures(draw)
    assert all("engine 17 {'TILE': " in each for each in failures(draw))


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        ("later", "of call 4: "),
        ("beyond", "memory beside its elements was written; wrong numbers"),
        ("inputs", "inputs: the plan changed them; wrong numbers"),
        ("workspace", "workspace: memory beside it was written; wrong numbers"),
        ("nothing", "nan, exact 0, other 0; unwritten results"),
        ("other size", "of another size, before call 3: "),
    ],
)
def test_a_wrong_call(planted: Any, wrong: str, text: str) -> None:
    """The fourth call, what is beside results, and what another size leaves."""
    sizes: list[Any] = []

    class Wrong(Plan):
        def __call__(self, workspace: Any, **arrays: Any) -> None:
            before = {name: each.clone() for name, each in arrays.items()}
            super().__call__(workspace, **arrays)
            if wrong == "nothing":
                name = self.made.outputs[0][0]
                places = self.made.evaluate()[self.made.outputs[0][1]] == 0
                arrays[name][places] = before[name][places]
            if wrong == "inputs":
                arrays["x"].add_(1)
            if wrong == "workspace":
                workspace.as_strided((1,), (1,), workspace.storage_offset() + 1).fill_(0)
            if wrong == "other size" and sizes and sizes[-1] is not self.made:
                arrays[self.made.outputs[0][0]].mul_(3).add_(1)
            sizes.append(self.made)

    _, draw = planted(lambda made, *_: Wrong(made, wrong), engine=4, **ROWS)
    (failure,) = failures(draw)
    assert text in failure


def test_bits_that_differ(planted: Any) -> None:
    _, draw = planted(lambda made, *_: Noisy(made), deterministic=False)
    assert not draw.deviations
    assert set(draw.notes) == {"unclaimed determinism: other bits"}
    _, draw = planted(lambda made, *_: Noisy(made))
    assert failures(draw)[0] == "engine 3: other bits of call 2; not deterministic"


def test_engines_that_say_that_they_round(planted: Any) -> None:
    for notes in (), ("DOWN_CONVERT_INPUTS",):
        _, draw = planted(lambda made, *_: Plan(made, "half"), notes=notes)
        assert bool(draw.deviations) == (not notes)
    assert draw.notes == {"engines that round to HALF, as noted: other numbers": draw.notes.total()}


def test_engines_that_build_nothing(planted: Any) -> None:
    def build(made: Any, number: int, _: Any) -> Any:
        if number == 3:
            raise errors.NotSupportedError("not with these arrays")
        return Plan(made)

    assert planted(build)[0][0] == "3"

    def refuse(*_: Any) -> Any:
        raise errors.NotSupportedError("never")

    with pytest.raises(RefusedError, match="no engine builds"):
        planted(refuse)


def test_an_error_when_it_runs_is_a_difference(planted: Any) -> None:
    class Failing(Plan):
        def __call__(self, workspace: Any, **_: Any) -> None:  # noqa: ARG002
            raise errors.ExecutionFailedError("it did not run")

    _, draw = planted(lambda made, *_: Failing(made))
    assert failures(draw)[0] == "engine 3: turns: ExecutionFailedError: it did not run; fails"


def test_a_record_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    record = Record(path, 8)
    assert (record.seed, record.taken) == (8, {})
    record.add(Found("engines:seed=8:case=0", "same", seconds=1.5))
    record.add(Found("engines:seed=8:case=4:steps=0", "differs", "y: wrong", "steps=1"))
    record.close()
    again = Record(path, 9)
    assert (again.seed, again.taken) == (8, {"engines": {0: True, 4: True}})
    again.close()
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert lines[1] == {"line": "engines:seed=8:case=0", "outcome": "same", "seconds": 1.5}
    assert lines[2]["text"] == "y: wrong"


def test_a_record_of_another_release_or_device(tmp_path: Path) -> None:
    """Its outcomes say nothing of this one."""
    path, here, old = tmp_path / "audit.jsonl", core._where(), tmp_path / "old.jsonl"
    assert re.fullmatch(r"cuDNN \d+\.\d+\.\d+ on .+", here)
    Record(path, 8, here).close()
    Record(path, 8, here).close()
    old.write_text('{"seed": 8}\n')
    for each, where in ((path, "cuDNN 9.19.0 on a device"), (old, here)):
        before = each.read_text()
        with pytest.raises(core.OtherRecordError, match=f"expected outcomes of {where}, got those"):
            Record(each, 8, where)
        assert each.read_text() == before
    with pytest.raises(core.OtherRecordError):
        core.main(["--only", "graphs", "--record", str(old)])


@pytest.mark.parametrize("text", ["{}\n", "not JSON\n", '{"seed": 1}\n{"line": "engines"}\n'])
def test_a_file_that_is_no_record(tmp_path: Path, text: str) -> None:
    path = tmp_path / "audit.jsonl"
    path.write_text(text)
    with pytest.raises(ValueError, match="expected a record of outcomes"):
        Record(path, 1)
    assert path.read_text() == text


def test_a_run_that_was_cut_is_continued(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    seen: list[int] = []
    for _ in range(2):
        record = Record(path, 3)
        core.run(("planted",), record.seed, 0.0, 1, record)
        record.close()
        lines = path.read_text().splitlines()[1:]
        seen.append(read_line(json.loads(lines[-1])["line"]).case)
    assert seen == [0, 1]
