"""Thresholds that were measured on one device hold for devices like it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from cudnn_cffi import driver, ops
from cudnn_cffi.choice import measured


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    measured.holds.cache_clear()
    yield
    measured.holds.cache_clear()


@pytest.mark.parametrize(
    ("capability", "multiprocessors", "wanted"),
    [((9, 0), 132, True), ((9, 0), 114, False), ((8, 0), 108, False), (None, 0, True)],
)
def test_thresholds_hold_for_devices_like_the_measured_one(
    monkeypatch: pytest.MonkeyPatch,
    capability: tuple[int, int] | None,
    multiprocessors: int,
    wanted: bool,
) -> None:
    monkeypatch.setattr(driver, "compute_capability", lambda _: capability)
    monkeypatch.setattr(driver, "attribute", lambda *_: multiprocessors)
    assert measured.holds(0) is wanted


def test_graphs_are_tried_first_for_large_arrays_of_such_devices(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(driver, "compute_capability", lambda _: (8, 0))
    monkeypatch.setattr(driver, "attribute", lambda *_: 108)
    relu = ops.Activation("relu")
    for device, is_like in ((None, True), (0, False)):
        large = ops.Spec("float32", (4096, 4096), (4096, 1), device)
        assert relu.is_large(relu.case(large)) is is_like


def test_who_reads_a_threshold_asks_for_the_device() -> None:
    """By `holds`, or as `graph_from`, which `is_large` reads together with it."""
    package = Path(measured.__file__).parents[1]
    texts = {path.name: path.read_text(encoding="utf-8") for path in package.rglob("*.py")}
    readers = {
        name: text
        for name, text in texts.items()
        if re.search(r"import.*measured|measured import", text)
    }
    assert readers
    careless = [
        f"{name}: {line.strip()}"
        for name, text in readers.items()
        for line in re.findall(r".*\b[A-Z]+_BYTES\b.*|.*measured\.[A-Z]+\b.*", text)
        if not re.search(r"measured\.(holds|has_engines_of)\(", text)
        and not re.match("from|    graph_from = ", line)
    ]
    assert careless == []
