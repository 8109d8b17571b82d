"""`package`: write a model for inputs of one kind as a file that runs without PyTorch."""

from __future__ import annotations

import inspect
import os
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from ... import errors, handles
from ..._support.arguments import boolean
from ...choice import DeviceProperties
from ...library import load
from ...network import Contents, read_contents, write_network
from ...network.c_program import write_program
from ..autograd.switches import autocast_types
from ..fusion.building import Settings, Way, find_way, rule_of
from ..fusion.parts import Part
from ..fusion.pipeline import Pipeline
from ..fusion.trace.eager import Like
from ..fusion.trace.lock import Untraceable
from ..fusion.trace.shadow import check_parameters, to_shadow
from ..fusion.trace.tracing import to_form
from ..fusion.values import Values
from ..fusion.weights import find_lossy
from .lowering import Lowering

if TYPE_CHECKING:
    from ... import ops
    from ...choice.policy import Choose


def package(
    model: nn.Module,
    x: Tensor | Sequence[Tensor] | Mapping[str, Tensor],
    path: str | os.PathLike[str],
    *,
    device: DeviceProperties | str | None = None,
    choose: Choose = None,
    compile: bool = False,
    seconds: float = 8.0,
    sources: bool = True,
) -> Contents:
    """Write a model to a file, for inputs of one kind, and a C program that runs it beside it.

    `cudnn_cffi.load_network` loads the file. Layers are computed as `fuse` computes them by cuDNN,
    with the same bits as by `fuse(model, choose={"via": "graph"})`; pooling, linear layers,
    activations between them and concatenations, which `fuse` leaves to PyTorch, by cuDNN, too.

    Args:
        model: any module; it is packaged in eval mode, and stays as it is.
        x: an input of that shape, data type and layout; several as a sequence, or by name.
        path: the file, which does not end in ".c"; the C program has the same name with ".c".
        device: describes a device that need not be there: "H200", or `DeviceProperties`. By
            default the device of the inputs.
        choose, compile, seconds: as for `fuse`; kernels that are compiled are in the file.
        sources: whether the graph of each plan is in the file, so that it can be built anew for
            another device or release.

    Returns: the contents of the file.

    Raises:
        ArgumentError: `model` is no module, `x` no tensors, or one that repeats elements, `path`
            is that of the C program, or a setting is not understood.
        LibraryError: cuDNN cannot be loaded.
        NotSupportedError: a layer would be computed by PyTorch, and the error says why; or the
            model was fused with layers of 8 bits; or autocast is on.
        OSError: a file cannot be written.
    """
    if not isinstance(model, nn.Module):
        raise errors.ArgumentError(f"model: expected a module, got {model!r}")
    if getattr(vars(model).get("settings"), "narrow", None) is not None:
        raise errors.NotSupportedError(
            "model: its layers of 8 bits cannot be packaged", hint="package fused.original"
        )
    if autocast_types() != (None, None):
        raise errors.NotSupportedError(
            "package: expected autocast to be off", hint="convert the model and its inputs"
        )
    model = vars(model).get("original", model)  # that of a fused one
    settings = Settings(choose, False, compile, seconds).check()
    sources = boolean(sources, "sources")
    check_parameters(model)
    program = Path(path).with_suffix(".c")
    if program == Path(path):
        raise errors.ArgumentError(f"path: expected a file that does not end in .c, got {path}")
    args, kwargs = _arguments(x)
    load()  # no layer is to be blamed for a library that is missing
    pipeline = Pipeline(to_shadow(model), settings, kernels=False)
    with torch.inference_mode(False), torch.no_grad():
        try:
            form, tensors = to_form(args, kwargs)
            place = _place(tensors, device)
            parts = pipeline.parts(form)
            _tell_of_losses(parts.list)
            likes = [Like.of(each) for each in tensors]
            values = Values(parts, likes, pipeline.folder, _finds(settings, parts.list, **place))
        except Untraceable as error:
            raise errors.NotSupportedError(
                f"{type(model).__name__} cannot be packaged: {error.message}"
            ) from None
        lowering = Lowering(parts, values, rule_of(settings), **place)
        draft = lowering.lower(_names(model, args, kwargs))
    write_network(path, draft, sources=sources)
    write_program(program, Path(path).name)
    return read_contents(path)


def _tell_of_losses(parts: Sequence[Part]) -> None:
    """Warn of norms that are folded although 16 bits are too few for it: files have no others."""
    folded = [each for each in parts if each.norm is not None]
    lossy = find_lossy([(each.conv, each.norm) for each in folded if each.norm is not None])
    names = [each.name for each in folded if (each.conv, each.norm) in lossy]
    if names:
        warnings.warn(
            f"{', '.join(names)}: results lose digits, as 16 bits are too few for a folded norm; "
            "package the model in float32",
            RuntimeWarning, stacklevel=3,
        )  # fmt: skip


def _arguments(x: Any) -> tuple[tuple[Tensor, ...], dict[str, Tensor]]:
    args, kwargs = ((), dict(x)) if isinstance(x, Mapping) else (x, {})
    args = tuple(args) if isinstance(args, (tuple, list)) else (args,)
    tensors = [*args, *kwargs.values()]
    if not tensors or not all(isinstance(each, Tensor) for each in tensors):
        raise errors.ArgumentError(f"x: expected a tensor, or several, got {x!r}")
    for each in tensors:
        if any(not step and size > 1 for size, step in zip(each.shape, each.stride(), strict=True)):
            raise errors.ArgumentError(
                f"x: expected a tensor that repeats no elements, got strides {each.stride()}",
                hint="x.contiguous()",
            )
    return args, kwargs


def _names(model: nn.Module, args: Sequence[Tensor], kwargs: Mapping[str, Tensor]) -> list[str]:
    """Return the name of each tensor: that of its parameter."""
    known = list(inspect.signature(model.forward).parameters)
    named = [known[place] if place < len(known) else f"input{place}" for place in range(len(args))]
    return [*named, *sorted(kwargs)]


def _place(tensors: Sequence[Tensor], device: DeviceProperties | str | None) -> dict[str, Any]:
    """Return the handle, or the device that is described."""
    if device is not None:
        made = DeviceProperties(device) if isinstance(device, str) else device
        return {"handle": None, "device": made}
    first = tensors[0].device
    if first.type != "cuda":
        raise errors.ArgumentError(
            f"x: expected tensors on a GPU, got them on {first}",
            hint='device="H200" packages for a device that need not be there',
        )
    return {"handle": handles.handle(first.index), "device": None}


def _finds(settings: Settings, parts: Sequence[Part], *, handle: Any, device: Any) -> Any:
    """Return what finds the way of a part, as a fused model does."""
    count = sum(each.kind == "convolution" for each in parts)

    def find(part: Part, specs: dict[str, ops.Spec]) -> Way:
        return find_way(
            part, specs, settings, rule_of(settings), handle=handle, device=device,
            seconds=min(2.0, settings.seconds / max(1, count)), even_slow=True,
        )  # fmt: skip

    return find
