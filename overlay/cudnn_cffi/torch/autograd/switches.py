"""PyTorch's own switches, as choices that hold where no other choice says anything."""

from __future__ import annotations

from functools import cache
from typing import Any

import torch

from ...choice.policy import Policy, Rule

_enabled = torch._C._get_cudnn_enabled
_benchmark = torch._C._get_cudnn_benchmark
_deterministic = torch._C._get_cudnn_deterministic
_strict = torch._C._get_deterministic_algorithms
_legacy_tf32 = torch._C._get_cudnn_allow_tf32
#: Number of engines that benchmark tries; PyTorch without CUDA has no such switch.
benchmark_limit = getattr(torch._C, "_cuda_get_cudnn_benchmark_limit", int)


def _tf32() -> bool:
    try:
        return bool(_legacy_tf32())
    except RuntimeError:  # it was set by the newer switches, which the older ones do not read
        return str(torch.backends.cudnn.conv.fp32_precision) != "ieee"


#: Enabled, how many engines benchmark tries (0 for all, None where it is off), deterministic,
#: deterministic everywhere, TF32.
State = tuple[bool, int | None, bool, bool, bool]


def flags() -> State:
    """Return what PyTorch's switches say."""
    limit = benchmark_limit() if _benchmark() else None
    return _enabled(), limit, _deterministic(), _strict(), _tf32()


@cache
def policy_of(state: State) -> Policy:
    """Return the same as a policy, which is the last of all choices."""
    _, limit, deterministic, strict, tf32 = state
    settings: dict[str, Any] = {
        "deterministic": True if deterministic or strict else None,
        "tf32": None if tf32 else False,
    }
    plain = Rule(**settings)
    rule = plain if limit is None else plain._replace(pick="time", most=limit)
    # The switch asks for algorithms of convolutions; networks are timed where a choice asks for it.
    return Policy(rule, rule, rule, plain)
