"""Fixtures for errata with real libraries, for a GPU that is not there."""

from __future__ import annotations

from tests.choice.conftest import describing, no_driver, release_of

__all__ = ["describing", "no_driver", "release_of"]
