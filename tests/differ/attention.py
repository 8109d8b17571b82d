"""Attention with three options at a time, against float64: the cases of `tests/gpu`."""

from __future__ import annotations

import torch

from tests.gpu import attention_draws

from .draw import Draw
from .judge import DiffersError, RefusedError

__all__ = ["run"]


def run(draw: Draw) -> str:
    """Compute a drawn case of attention, and compare."""
    try:
        refused = attention_draws.check(torch, draw.number("attention"))
    except AssertionError as error:
        raise DiffersError(str(error)) from None
    if refused:
        raise RefusedError(refused)
    return ""
