"""A few cases of the engine database are recorded on the device, and choices use the record."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from itertools import chain
from pathlib import Path

import pytest
from cudnn_cffi import choice, ops
from cudnn_cffi.choice import database
from cudnn_cffi.choice.database import Database

torch = pytest.importorskip("torch")

ROOT = Path(__file__).parents[2]

#: The beginnings of the names of cases, channels last, and the seconds for them.
CASES = (
    'convolution float16 {"x":[32,720,1,1],"w":[30,',
    'convolution float16 {"x":[32,112,24,24],"w":[672,',
    'convolution float16 {"x":[32,480,14,14],"w":[96,',
    'convolution float16 {"x":[32,1024,14,14],"w":[2048,1024,1,1],"stride":[1,',
    'convolution float16 {"x":[32,128,56,56],"w":[128,128,3,3],"stride":[2,',
    'layer_norm float16 {"rows":6272,"width":1024}',
    'rms_norm_backward float16 {"rows":4096,"width":3584}',
    'instance_norm float16 {"x":[2,320,8,8,8]}',
    'pooling_backward float16 {"x":[8,256,8,28,28],"kind":"max"',
    'pooling_backward float16 {"x":[32,512,14,14],"kind":"max","window":[3,',
)
SECONDS = 90


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    folder = tmp_path_factory.mktemp("engines")
    record, target = folder / "record.jsonl", folder / "database.jsonl"
    base = [sys.executable, "-m", "benchmarks.engines"]
    environment = {**os.environ, "BENCHMARK_COMMIT": "0" * 40}
    only = chain.from_iterable(("--only", f"^{re.escape(each)}(?!.*NCHW)") for each in CASES)
    for arguments in (
        ["--record", record, *only, "--seconds", SECONDS, "--workers", 4],
        ["--pack", target, record],
    ):
        done = subprocess.run(
            [*base, *map(str, arguments)], cwd=ROOT, env=environment, capture_output=True,
            text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"{done.stdout}{done.stderr}"
    choice.forget()
    yield database.load(target)
    database.unload()
    choice.forget()


def test_engines_are_timed_and_right_and_the_fastest_is_chosen(
    recorded: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One test, since processes would record the database again."""
    _are_timed_and_right(recorded)
    _the_fastest_is_chosen(recorded, monkeypatch)


def _are_timed_and_right(recorded: Database) -> None:
    assert len(recorded.cases) >= len(CASES) - 2
    assert len({case.kind for case in recorded.cases.values()}) >= 4
    rows = [row for case in recorded.cases.values() for row in case.rows]
    assert all(case.best is not None for case in recorded.cases.values())
    right = [row for row in rows if row.is_right]
    assert len(right) > 0.9 * len([row for row in rows if "x" not in row.flags])
    assert all(row.error is not None and row.error < 0.05 for row in right)
    assert sum("b" in row.flags for row in right if "d" in row.flags) > 0.9 * len(right) / 2


def _the_fastest_is_chosen(recorded: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """A choice by time takes the fastest, and times nothing."""
    from benchmarks.engines.cases import cases

    def timed(*_: object, **__: object) -> None:
        raise AssertionError("something is timed")

    monkeypatch.setenv("CUDNN_CFFI_PLAN_CACHE", "0")
    monkeypatch.setattr(import_module("cudnn_cffi.choice.build"), "autotune", timed)
    monkeypatch.setattr(import_module("cudnn_cffi._operation.way_search"), "time_way", timed)
    by_name = {each.name: each for each in recorded.cases.values()}
    found = [each for each in cases() if each.word == "convolution" and each.name in by_name]
    assert found
    for each in found:
        own = each.figures
        x = torch.randn(own["x"], device="cuda", dtype=torch.float16)
        w = torch.randn(own["w"], device="cuda", dtype=torch.float16)
        x, w = (array.to(memory_format=torch.channels_last) for array in (x, w))
        options = {name: own[name] for name in ("stride", "padding", "dilation", "groups")}
        operation = ops.Convolution(**options, choose="time")
        y = operation(x, w)
        best = by_name[each.name].best
        assert best is not None
        (plan,) = operation.plans
        assert plan.engine == best.engine, each.name  # type: ignore[union-attr]
        names = ("stride", "padding", "dilation", "groups")
        expected = torch.nn.functional.conv2d(
            x.float(), w.float(), None, *(own[name] for name in names)
        )
        assert (y.float() - expected).norm() < 1e-2 * expected.norm()
