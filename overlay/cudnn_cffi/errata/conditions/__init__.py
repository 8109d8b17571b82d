"""The conditions of errata that records have by name: facts that engines need, and functions."""

from __future__ import annotations

from . import addresses, attention, engines, functions, graphs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ..needs import Condition

#: The conditions by the scope of their records and by name; see `record.Erratum.applies`.
CONDITIONS: dict[str, Mapping[str, Callable[..., Any] | Condition]] = {
    "engine": engines.CONDITIONS,
    "function": {**attention.CONDITIONS, **functions.CONDITIONS},
    "graph": {**addresses.CONDITIONS, **graphs.CONDITIONS},
}
