"""Recordings that begin and end in several threads."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from cudnn_cffi._operation import recording


def test_a_recording_that_begins_while_another_ends_is_not_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun = threading.Event()
    seen: list[bool] = []

    def other() -> None:
        with recording.record() as log:
            begun.set()
            ended.wait(10)
            seen.append(any(each is log for each in list.__iter__(recording.watchers)))

    class Watchers(list[Any]):
        def __iter__(self) -> Iterator[Any]:
            found = list(list.__iter__(self))
            if not worker.ident:
                worker.start()
                begun.wait(0.5)  # in vain, where beginning waits for the end of the first
            return iter(found)

    ended, worker = threading.Event(), threading.Thread(target=other)
    monkeypatch.setattr(recording, "watchers", Watchers())
    with recording.record():
        pass
    ended.set()
    worker.join()
    assert seen == [True]
    assert not list.__len__(recording.watchers)


def test_a_recording_is_a_table_also_for_notebooks() -> None:
    made = recording.Recording(timed=True)
    assert repr(made) == "Recording: empty"
    made.append(
        recording.Entry(
            "relu", "forward", {"x": "float32[8<]"}, "graph", "engine 4", {}, 2048, 3.4, None
        )
    )
    head, row = repr(made).splitlines()
    assert head.split() == [
        "operation",
        "arrays",
        "via",
        "way",
        "workspace",
        "host",
        "us",
        "device",
        "us",
        "call",
    ]
    assert row.split() == [
        "0",
        "relu",
        "x",
        "float32[8<]",
        "graph",
        "engine",
        "4",
        "2048",
        "B",
        "3",
        "-",
        "executed",
    ]
    html = made._repr_html_()
    assert "<td>x float32[8&lt;]</td><td>graph</td><td>engine 4</td><td>2048 B</td>" in html
