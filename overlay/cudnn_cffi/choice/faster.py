"""A configuration that is faster than those that heuristics suggest, as measured."""

from __future__ import annotations

import math

from ..errata import facts
from . import measured

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..plan import Computation

#: The engines of layer and RMS norms by their phases, and values of the knobs.
_ENGINES = {"TRAINING": 5, "INFERENCE": 6}
_KNOBS = {
    "STAGES": 0, "KERNEL_CFG": 2, "SPLIT_COLS": 0, "TILE_ROWS": 1, "TILE_COLS": 0, "LOAD_SIZE": 1,
    "WARP_SPEC_CFG": 0,
}  # fmt: skip


def faster(computation: Computation) -> tuple[int, dict[str, int]] | None:
    """Return the engine and the knobs for a norm of a large array; None for others.

    The engine may not support the norm.
    """
    operations = facts.operations_of(computation.operation_graph)
    if len(operations) != 1 or facts.kind_of(type(operations[0])) != "NormForward":
        return None
    x = facts.tensor(operations[0], "xdesc")
    mode, phase = (facts.read(operations[0], name) for name in ("mode", "phase"))
    if x is None or mode not in ("LAYER_NORM", "RMS_NORM") or computation.kind:
        return None
    shape, strides = tuple(x["dimensions"]), tuple(x["strides"])
    are_rows = shape[2:] == (1, 1) and strides[:2] == (shape[1], 1)
    if not are_rows or facts.size_of(x["data_type"]) != 2 or shape[1] not in measured.NORMED:
        return None
    if math.prod(shape) < measured.NORMED_ELEMENTS:
        return None
    return (_ENGINES[phase], dict(_KNOBS)) if measured.has_engines_of(computation) else None
