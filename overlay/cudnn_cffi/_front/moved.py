"""Modules that have other names since 0.1: pickles of that version name the old ones."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from importlib.machinery import ModuleSpec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import ModuleType

_PACKAGE = __name__.partition(".")[0]

#: Public modules, and the old modules below them, or beside them, whose public names they have.
_PUBLIC = {
    "choice": (
        "choice.bench choice.book choice.devices choice.engines choice.files choice.kernels "
        "choice.knobs choice.memory choice.refusals choice.tuning choice.words"
    ),
    "compat.cupy_backends_cudnn": (
        "compat._cupy_raw compat._cupy_recurrent compat._cupy_recurrent_calls"
    ),
    "compat.cupy_cudnn": (
        "compat._cupy_convolutions compat._cupy_descriptors compat._cupy_fused "
        "compat._cupy_layers compat._cupy_networks compat._cupy_norms"
    ),
    "compat.libcudnn": "compat._libcudnn_convolutions compat._libcudnn_tables",
    "graph": "graph.attention",
    "ops": (
        "ops.activations ops.aggregation ops.attention ops.batch_norm ops.batch_norm_activation "
        "ops.candidates ops.causal ops.classic ops.convolution ops.cross_entropy ops.dropout "
        "ops.folding ops.gradients ops.group_norm ops.heads ops.listing ops.local_norms "
        "ops.losses ops.multi_head ops.networks ops.norms ops.operation ops.pooling "
        "ops.recording ops.recurrent ops.recurrent_gradients ops.softmax ops.spatial ops.specs "
        "ops.states ops.statistics ops.tensors ops.ways"
    ),
    "torch": "torch.choosing torch.converting torch.profiling torch.sharing",
    "torch.functional": (
        "torch.functional.attention torch.functional.causal torch.functional.columns "
        "torch.functional.convolution torch.functional.fused_norms torch.functional.local_norms "
        "torch.functional.multi_head torch.functional.norms"
    ),
}

#: Where the other names of old modules are.
_PRIVATE = {
    "_resolve": "_front.resolve",
    "api.successors": "api.changes.finding",
    "api.suppress": "api.records",
    "descriptors.configured": "descriptors._core.configured",
    "graph.norms": "graph.methods.norms",
    "graph.special": "graph.methods.special",
    "ops.activations": "ops.element.activation",
    "ops.networks": "ops.rnn.layout",
    "ops.recurrent": "ops.rnn.forward",
    "torch.functional.attention": "torch.functional.attn.attention",
    "torch.functional.causal": "torch.functional.conv.causal",
    "torch.functional.columns": "torch.functional.conv.columns",
    "torch.functional.convolution": "torch.functional.conv.convolution",
    "torch.functional.fused_norms": "torch.functional.norm.batch",
    "torch.functional.local_norms": "torch.functional.norm.local",
    "torch.functional.multi_head": "torch.functional.attn.multi_head",
    "torch.functional.norms": "torch.functional.norm.norms",
    "torch.layer": "torch.autograd.layer",
}


class _Loader:
    """Makes the module of an old name, whose names are looked up in modules of today."""

    def __init__(self, homes: Iterable[str]) -> None:
        self._homes = tuple(homes)

    def create_module(self, _spec: ModuleSpec) -> None:
        return None  # a plain module

    def exec_module(self, module: ModuleType) -> None:
        module.__dict__["__getattr__"] = partial(self._find, module.__name__)

    def _find(self, module: str, name: str) -> object:
        if not name.startswith("__"):
            for home in self._homes:
                try:
                    return getattr(import_module(f"{_PACKAGE}.{home}"), name)
                except AttributeError:
                    pass
        raise AttributeError(f"module {module!r} has no attribute {name!r}", name=name)


def find_spec(name: str) -> ModuleSpec | None:
    """Return the spec of an old module; None for names that no module had."""
    old = name.removeprefix(f"{_PACKAGE}.")
    homes = [home for home, modules in _PUBLIC.items() if old in modules.split()]
    homes += [_PRIVATE[old]] if old in _PRIVATE else []
    return ModuleSpec(name, _Loader(homes)) if homes else None  # type: ignore[arg-type]
