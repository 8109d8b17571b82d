"""Fixtures that the tests of the generator share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from generator.headers.cache import Cache
from generator.headers.web.pip import PipSettings
from generator.headers.web.registry import Registry
from tests.generator.wheelhouse import House


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "network: needs the package index that pip uses")


@pytest.fixture
def house(monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    """An empty package index on this machine."""
    monkeypatch.setattr("generator.headers.web.net._PAUSES", (0.0, 0.0))
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    house = House()
    house.start()
    yield house
    house.stop()


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache")


@pytest.fixture
def registry(house: House, cache: Cache) -> Iterator[Registry]:
    """The generator's view of `house`, with an empty cache."""
    with Registry(cache=cache, settings=PipSettings(indexes=(house.url,))) as registry:
        yield registry
