"""PyTorch's switches: the one place that reads them, and the policy that they stand for.

Each reader is a function of PyTorch's own where there is one, as calls of layers are short.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache, partial

import torch

from ..._support.blocks import Shared
from ...choice.policy import Policy, Rule

#: Whether a gradient may be wanted.
is_grad_on = torch.is_grad_enabled
#: Whether calls on a GPU are computed in the data types of autocast.
is_autocast_on = torch.is_autocast_enabled
#: The state of a trace of TorchScript; None outside of it.
traced = torch._C._get_tracing_state
#: Whether PyTorch itself is to give the same bits each time, or to raise.
is_strict = torch._C._get_deterministic_algorithms
#: Whether cuDNN may compute; see `may_compute` for code that is traced.
is_enabled = torch._C._get_cudnn_enabled
#: Whether engines are chosen by time.
is_benchmark_on = torch._C._get_cudnn_benchmark

_deterministic = torch._C._get_cudnn_deterministic
_tf32 = torch._C._get_cudnn_allow_tf32
#: Number of engines that benchmark tries; PyTorch without CUDA has no such switch.
_limit = getattr(torch._C, "_cuda_get_cudnn_benchmark_limit", int)

#: The precision of products of float32; PyTorch before 2.9 has a switch of TF32 alone.
_product = (
    partial(torch._C._get_fp32_precision_getter, "cuda", "matmul")
    if hasattr(torch._C, "_get_fp32_precision_getter")
    else torch._C._get_cublas_allow_tf32
)

#: The readers that the compiled layer calls: by bits, with autocast last; and the number.
COMPILED = (is_benchmark_on, is_enabled, _deterministic, is_strict, _tf32, is_autocast_on), _limit

#: Enabled, how many engines benchmark tries (0 for all, None where it is off), deterministic,
#: deterministic everywhere, TF32 of convolutions, TF32 of recurrent networks.
State = tuple[bool, int | None, bool, bool, bool, bool]


def may_attend_efficiently(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor
) -> bool:
    """Return whether PyTorch's memory-efficient attention is allowed, and takes these tensors."""
    cuda = torch.backends.cuda
    given = cuda.SDPAParams(q, k, v, mask, 0.0, False, False)
    return bool(cuda.can_use_efficient_attention(given))


def state() -> State:
    """Return the switches that choose engines."""
    limit = _limit() if is_benchmark_on() else None
    try:
        tf32 = own = _tf32()
    except RuntimeError:  # TF32 was set by the newer switches, which the older ones do not read
        cudnn = torch.backends.cudnn
        tf32, own = (each.fp32_precision == "tf32" for each in (cudnn.conv, cudnn.rnn))
    return is_enabled(), limit, _deterministic(), is_strict(), tf32, own


@cache
def policy_of(state: State) -> Policy:
    """Return the policy of the switches, which is the last of all choices."""
    _, limit, deterministic, strict, tf32, own = state
    plain = Rule(
        deterministic=True if deterministic or strict else None, tf32=None if tf32 else False
    )
    rule = plain if limit is None else plain._replace(pick="time", most=limit)
    # The switch asks for algorithms of convolutions; networks are timed where a choice asks for it.
    return Policy(rule, rule, rule, plain._replace(tf32=None if own else False))


def products() -> tuple[object, ...]:
    """Return the precision of PyTorch's products of matrices, and the default data type.

    Captured graphs and constants keep those that they were made with.
    """
    own = torch._C
    return (
        _product(), own._get_cublas_allow_fp16_reduced_precision_reduction(),
        own._get_cublas_allow_bf16_reduced_precision_reduction(), torch.get_default_dtype(),
    )  # fmt: skip


def policy() -> Policy:
    """Return the policy of the switches as they are."""
    return policy_of(state())


def keeps_bits() -> bool:
    """Return whether gradients are to have the same bits each time."""
    return bool(_deterministic() or is_strict())


def may_compute() -> bool:
    """Return whether cuDNN may compute, also where Dynamo traces, which knows this form alone."""
    return torch.backends.cudnn.enabled


def autocast_type(device_type: str) -> torch.dtype | None:
    """Return the data type of convolutions under autocast; None outside of it."""
    if not torch.is_autocast_enabled(device_type):
        return None
    return torch.get_autocast_dtype(device_type)


def autocast_types() -> tuple[torch.dtype | None, ...]:
    """Return the data types of autocast on the host and on a GPU."""
    return autocast_type("cpu"), autocast_type("cuda")


def lower_type() -> torch.dtype:
    """Return the narrow data type of autocast on a GPU."""
    return torch.get_autocast_dtype("cuda")


def without_autocast() -> AbstractContextManager[object]:
    """Return a context in which calls are computed in the data types of their operands."""
    return torch.autocast("cuda", enabled=False) if is_autocast_on() else nullcontext()


@contextmanager
def without_cache() -> Iterator[None]:
    """Have autocast remember no weights in a block, and none from before it.

    A replay has to cast them anew, and casts of tensors without memory are none for others. That
    autocast is off says nothing: a model may switch it on in the block.
    """
    before = torch.is_autocast_cache_enabled()
    torch.clear_autocast_cache()
    torch.set_autocast_cache_enabled(False)
    try:
        yield
    finally:
        torch.clear_autocast_cache()
        torch.set_autocast_cache_enabled(before)


def _be_strict() -> Callable[[], object]:
    before, warns = is_strict(), torch.is_deterministic_algorithms_warn_only_enabled()
    torch.use_deterministic_algorithms(True)
    return partial(torch.use_deterministic_algorithms, before, warn_only=warns)


#: Has PyTorch give the same bits each time, or raise, in a block; see `is_strict`.
deterministic = Shared(_be_strict)
