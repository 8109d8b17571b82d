"""Thresholds that were measured on one device hold for devices like it."""

from __future__ import annotations

from collections.abc import Iterator

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
