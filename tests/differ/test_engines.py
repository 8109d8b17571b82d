"""Every engine of a drawn graph is run, and what one does wrong is told with its knobs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

torch = pytest.importorskip("torch")

import cudnn_cffi  # noqa: E402
from cudnn_cffi import errors  # noqa: E402

from tests.differ import core, engines, graphs  # noqa: E402
from tests.differ.core import Found, Record  # noqa: E402
from tests.differ.draw import Draw, read_line  # noqa: E402
from tests.differ.judge import DiffersError, RefusedError  # noqa: E402
from tests.differ.test_judging import Plan  # noqa: E402

#: The engines of the stand-in, and the values of the knob of the second one.
NUMBERS, TILES = (3, 17), range(4)

Build = Callable[[Any, int, dict[str, int]], Any]


class Noisy(Plan):
    """A plan whose results have other last bits in each call, as sums in any order have."""

    def __call__(self, workspace: Any, **arrays: Any) -> None:
        super().__call__(workspace, **arrays)
        for name, _ in self.made.outputs:
            arrays[name].mul_(1 + self.count * torch.finfo(arrays[name].dtype).eps)


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """Give what runs a case with candidates of a stand-in, and returns which were built."""
    monkeypatch.setattr(graphs, "device", lambda: "cpu")
    torch.set_num_threads(1)

    def run(build: Build, *, deterministic: bool = True, **given: int) -> list[str]:
        built: list[str] = []
        made: list[Any] = []

        def make(*arguments: Any) -> Any:
            made.append(graphs.make(*arguments))
            return made[-1]

        def candidate(number: int, knobs: dict[str, int]) -> Any:
            def make_plan() -> Any:
                built.append(f"{number} {knobs or ''}".rstrip())
                return build(made[-1], number, knobs)

            own = [SimpleNamespace(name="TILE", values=TILES)] if number == NUMBERS[1] else []
            return SimpleNamespace(
                engine=number, engine_knobs=own, deterministic=deterministic, build=make_plan
            )

        def candidates(
            _: Any, engine: int | None = None, knobs: Any = None, every_engine: bool = False
        ) -> list[Any]:
            assert every_engine == (engine is None)
            numbers = NUMBERS if engine is None else (engine,)
            return [candidate(each, knobs or {}) for each in numbers]

        monkeypatch.setattr(engines, "make", make)
        monkeypatch.setattr(cudnn_cffi.Graph, "candidates", candidates)
        assert engines.run(Draw("engines", 5, 3, {"steps": 0, "step0": 1, **given})) == ""
        return built

    return run


def test_each_engine_and_knobs_are_run(planted: Callable[..., list[str]]) -> None:
    built = planted(lambda made, *_: Plan(made))
    assert built[:2] == ["3", "17"]
    assert any("TILE" in each for each in built)
    assert len(built) <= 2 + engines.DRAWN
    # The line of a case may name one engine.
    assert planted(lambda made, *_: Plan(made), engine=4) == ["3"]


def test_what_one_engine_does_wrong_is_told(planted: Callable[..., list[str]]) -> None:
    def build(made: Any, number: int, _: Any) -> Any:
        return Plan(made, "unwritten" if number == 17 else "")

    with pytest.raises(DiffersError, match=r"^engine 17: y"):
        planted(build)


def test_knobs_are_told(planted: Callable[..., list[str]]) -> None:
    def build(made: Any, _: int, knobs: dict[str, int]) -> Any:
        return Plan(made, "unwritten" if knobs else "")

    with pytest.raises(DiffersError, match=r"^engine 17 {'TILE': \d}: y"):
        planted(build)


def test_a_wrong_result_of_a_later_call(planted: Callable[..., list[str]]) -> None:
    with pytest.raises(DiffersError, match="of call 4: "):
        planted(lambda made, *_: Plan(made, "later"))


def test_bits_that_differ_where_the_engine_is_deterministic(
    planted: Callable[..., list[str]],
) -> None:
    planted(lambda made, *_: Noisy(made), deterministic=False)
    with pytest.raises(DiffersError, match="its bits are not those of the first call"):
        planted(lambda made, *_: Noisy(made))


def test_engines_that_build_nothing(planted: Callable[..., list[str]]) -> None:
    def build(made: Any, number: int, _: Any) -> Any:
        if number == 3:
            raise errors.NotSupportedError("not with these arrays")
        return Plan(made)

    assert planted(build)[0] == "3"

    def refuse(*_: Any) -> Any:
        raise errors.NotSupportedError("never")

    with pytest.raises(RefusedError, match="no engine builds"):
        planted(refuse)


def test_an_error_when_it_runs_is_a_difference(planted: Callable[..., list[str]]) -> None:
    class Failing(Plan):
        def __call__(self, workspace: Any, **_: Any) -> None:  # noqa: ARG002
            raise errors.ExecutionFailedError("it did not run")

    with pytest.raises(DiffersError, match="engine 3: ExecutionFailedError"):
        planted(lambda made, *_: Failing(made))


def test_a_record_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    record = Record(path, 8)
    assert (record.seed, record.first("engines")) == (8, 0)
    record.add(Found("engines:seed=8:case=0", "same"))
    record.add(Found("engines:seed=8:case=4:steps=0", "differs", "y: wrong", "steps=1"))
    record.close()
    again = Record(path, 9)
    assert (again.seed, again.first("engines"), again.first("graphs")) == (8, 5, 0)
    again.close()
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert lines[1] == {"line": "engines:seed=8:case=0", "outcome": "same"}
    assert lines[2]["text"] == "y: wrong"


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
