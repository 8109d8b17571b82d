"""The conditions of errata that need more than declarations: functions, by the names of records."""

from __future__ import annotations

from . import addresses, attention, convolution, functions, graphs, matmul, pointwise, window

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ..record import Condition

#: The conditions by the scope of their records and by name; see `record.Erratum.applies`.
CONDITIONS: dict[str, Mapping[str, Callable[..., Any] | Condition]] = {
    "engine": {
        **convolution.CONDITIONS,
        **matmul.CONDITIONS,
        **pointwise.CONDITIONS,
        **window.CONDITIONS,
    },
    "function": {**attention.CONDITIONS, **functions.CONDITIONS},
    "graph": {**addresses.CONDITIONS, **graphs.CONDITIONS},
}
