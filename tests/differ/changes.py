"""Changes of a model between two calls: each function makes one in place."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.utils.prune
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

__all__ = ["CHANGES", "KEEPING", "hooked", "laid_last", "narrowed", "nothing"]

nn = torch.nn


def nothing(model: Any) -> None:
    """Change nothing."""


def _scaled(model: Any) -> None:
    for each in model.parameters():
        each.mul_(1.25)


def _by_data(model: Any) -> None:
    for each in model.parameters():
        each.data = each.data * 0.75


def _under(model: Any) -> None:
    for each in model.parameters():
        each.data.add_(0.125)  # which PyTorch does not count


def _at_odd_addresses(model: Any) -> None:
    for each in model.parameters():
        memory = each.new_empty(each.numel() + 1)[1:]
        each.data = memory.view(each.shape).copy_(each)


def _turned(model: Any) -> None:
    for each in model.parameters():
        if each.dim() > 1:
            each.data = each.transpose(0, 1).contiguous().transpose(0, 1)


def _halved(model: Any) -> dict[str, Any]:
    return {
        name: each * 0.5 if each.is_floating_point() else each + 1
        for name, each in model.state_dict().items()
    }


def _loaded(model: Any) -> None:
    model.load_state_dict(_halved(model))


def _assigned(model: Any) -> None:
    model.load_state_dict(_halved(model), assign=True)


def _there_and_back(model: Any) -> None:
    found = [(each, each.device, each.dtype) for each in model.parameters()]
    if found:
        model.to("cpu", torch.float64).to(*found[0][1:])


def _frozen_norms(model: Any) -> None:
    for each in model.modules():
        if isinstance(each, nn.modules.batchnorm._BatchNorm) and each.track_running_stats:
            each.eval()


def _frozen(model: Any) -> None:
    for each in list(model.parameters())[::2]:
        each.requires_grad_(False)


def _fused_by_pytorch(model: Any) -> None:
    for each in model.modules():
        if hasattr(each, "first"):  # a block
            layer, norm = each.layer, each.norm
            is_norm = isinstance(norm, nn.modules.batchnorm._BatchNorm)
            fits = is_norm and norm.track_running_stats and not (each.training or each.first)
            if fits and type(layer) in (nn.Conv1d, nn.Conv2d, nn.Conv3d):
                each.layer, each.norm = nn.utils.fuse_conv_bn_eval(layer, norm), None


def _by_set(model: Any) -> None:
    for each in model.parameters():
        each.set_(each.detach() * 0.75)


def _swapped_tensors(model: Any) -> None:
    for each in model.parameters():
        with contextlib.suppress(RuntimeError):  # what has weak references cannot be swapped
            torch.utils.swap_tensors(each, nn.Parameter(each.detach() * 0.75, each.requires_grad))


def _by_memory(model: Any) -> None:
    for each in model.parameters():
        changed = each.detach() * 0.75
        # Weights of recurrent layers share a memory.
        if changed.untyped_storage().nbytes() == each.untyped_storage().nbytes():
            each.untyped_storage().copy_(changed.untyped_storage())


def _all_at_once(model: Any) -> None:
    if given := list(model.parameters()):
        torch._foreach_mul_(given, 0.75)


def _from_one_vector(model: Any) -> None:
    """Have parameters be pieces of one tensor, at any address."""
    given = list(model.parameters())
    if given and all(each.is_contiguous() for each in given):
        nn.utils.vector_to_parameters(nn.utils.parameters_to_vector(given) * 0.75, given)


def _in_inference_mode(model: Any) -> None:
    with torch.inference_mode():
        for each in model.parameters():
            each.mul_(0.75)


def _averages_put_in(model: Any) -> None:
    """Have the model compute with averages of its parameters, as for a validation."""
    if not any(True for _ in model.parameters()):
        return
    average = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.5))
    average.update_parameters(model)
    for each in model.parameters():
        each.mul_(1.5)
    average.update_parameters(model)
    for each, other in zip(model.parameters(), average.module.parameters(), strict=True):
        each.data, other.data = other.data, each.data


def _of_norms_anew(model: Any) -> None:
    for each in model.modules():
        if getattr(each, "running_mean", None) is not None:
            each.running_mean = each.running_mean * 0.5 + 0.25
            each.running_var = each.running_var * 1.5


def _of_norms_reset(model: Any) -> None:
    for each in model.modules():
        if hasattr(each, "reset_running_stats"):
            each.reset_running_stats()


def _of_norms(model: Any) -> None:
    for name, each in model.named_buffers():
        if each.is_floating_point() and name.endswith(("mean", "var")):
            each.mul_(1.5).add_(0.25)


def _replaced(model: Any) -> None:
    for each in model.modules():
        for name, own in list(each._parameters.items()):
            if own is not None:
                setattr(each, name, nn.Parameter(own.detach() * 0.75, own.requires_grad))


def _layers(model: Any) -> list[Any]:
    """Return the convolutions and linear layers whose weights are parameters of their own."""
    return [
        each
        for each in model.modules()
        if isinstance(each, (nn.modules.conv._ConvNd, nn.Linear))
        and isinstance(each._parameters.get("weight"), nn.Parameter)
        and not isinstance(each, nn.modules.linear.NonDynamicallyQuantizableLinear)
    ]


def _pruned(model: Any) -> None:
    for place, each in enumerate(_layers(model)):
        if not each.weight.is_contiguous():
            continue  # PyTorch looks for its smallest elements in C order alone
        nn.utils.prune.l1_unstructured(each, "weight", 0.25)
        if place % 2:
            nn.utils.prune.remove(each, "weight")


def _normed(model: Any) -> None:
    for place, each in enumerate(_layers(model)):
        (nn.utils.weight_norm if place % 2 else nn.utils.parametrizations.weight_norm)(each)


class _Bounded(nn.Module):  # type: ignore[misc, name-defined]
    """A parametrization of weights."""

    def forward(self, weight: Any) -> Any:
        return torch.tanh(weight * 2)


def _parametrized(model: Any) -> None:
    for each in _layers(model):
        nn.utils.parametrize.register_parametrization(each, "weight", _Bounded())


def _plain_again(model: Any) -> None:
    """Make weights parameters that were computed of others."""
    for each in list(model.modules()):
        if nn.utils.parametrize.is_parametrized(each, "weight"):
            nn.utils.parametrize.remove_parametrizations(each, "weight")
        else:
            with contextlib.suppress(ValueError):
                nn.utils.remove_weight_norm(each)


def narrowed(model: Any) -> None:
    model.to(torch.bfloat16)


def _swapped(model: Any) -> None:
    for parent in list(model.modules()):
        for name, each in list(parent._modules.items()):
            if isinstance(each, (nn.ReLU, nn.SiLU, nn.GELU)):
                setattr(parent, name, nn.Tanh())
            elif isinstance(each, nn.BatchNorm2d):
                setattr(parent, name, nn.Identity())


def hooked(model: Any) -> None:
    """Register a hook that changes what a step gives."""
    model.steps[len(model.steps) // 2].register_forward_hook(_doubled)


def _doubled(_module: Any, _given: Any, y: Any) -> Any:
    return y * 2


def _optimized(model: Any) -> None:
    given = [each for each in model.parameters() if each.requires_grad]
    for each in given:
        each.grad = torch.ones_like(each)
    if given:
        torch.optim.SGD(given, 0.125, fused=given[0].is_cuda or None).step()
    for each in given:
        each.grad = None


def laid_last(model: Any) -> None:
    """Lay filters out with channels last; models of volumes stay as they are."""
    with contextlib.suppress(RuntimeError):
        model.to(memory_format=torch.channels_last)


#: Changes that leave each parameter the object that it is, and the others.
KEEPING: tuple[Callable[[Any], None], ...] = (
    nothing, _scaled, _by_data, _under, _loaded, _of_norms, _optimized, laid_last,
    _at_odd_addresses, _turned, _there_and_back, _frozen_norms, _by_set, _swapped_tensors, _by_memory,
    _all_at_once, _from_one_vector, _in_inference_mode, _averages_put_in, _of_norms_anew,
    _of_norms_reset, _frozen,
)  # fmt: skip
CHANGES: tuple[Callable[[Any], None], ...] = (
    *KEEPING, _assigned, _replaced, _swapped, hooked, _fused_by_pytorch, _pruned, _normed,
    _parametrized, _plain_again, narrowed,
)  # fmt: skip
