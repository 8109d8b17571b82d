"""Hints for names that the modules and functions of this room do not have."""

from __future__ import annotations

import torch

from .._advice import said


def advise_lua(name: str, place: str = "") -> str:
    """Return what to use for a module of cudnn.torch; "" for other names."""
    ours = said("module").get(name)
    return f"use {place}{ours}" if ours else ""


def advise_module(name: str) -> str:
    """Return what to use for a module that is not here; "" where nothing is known."""
    here = hasattr(torch.nn, name)
    return advise_lua(name) or (f"use torch.nn.{name}" if here else "")


def advise_function(name: str) -> str:
    """Return what to use for a function that is not here; "" where nothing is known."""
    here = hasattr(torch.nn.functional, name)
    return f"use torch.nn.functional.{name}" if here else ""
