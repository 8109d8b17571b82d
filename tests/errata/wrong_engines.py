"""The engines that errata leave out of choices for a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cudnn_cffi.errata import asks, table

if TYPE_CHECKING:
    from cudnn_cffi.plan import Computation


def wrong_engines(computation: Computation) -> dict[int, str]:
    """Return the engines that errata leave out whatever their knobs are, and why."""
    engines = sorted(table.state().engines)
    found = {each: asks.wrong_engine(computation, each, {}) for each in engines}
    return {engine: why for engine, why in found.items() if why}
