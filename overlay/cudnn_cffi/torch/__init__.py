"""PyTorch: functions with gradients, modules, and `convert`, which makes a model use them.

Importing this imports PyTorch. The rest of the package needs no PyTorch. See docs/torch.md.

    install                 replace PyTorch's calls of cuDNN, until `uninstall`
    convert                 change the modules of a model in place
    fuse                    a model for inference or training, with fused layers
    backend                 of torch.compile
    package                 write a model to a file that runs without PyTorch
    profile, candidates, reproducible       ask each layer: how fast, by what, the same bits?
    Choices, share_choices  save what was chosen, send it to other processes
    modules, functional     PyTorch's modules and functions, with `choose`
"""

from __future__ import annotations

from importlib import import_module

from .._advice import Module, equip

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from . import functional as functional
    from . import modules as modules
    from .autograd.recorder import compile_nodes as compile_nodes
    from .compiling import backend as backend
    from .compiling import compiled_graphs as compiled_graphs
    from .fusion import Fused as Fused
    from .fusion import FusedTraining as FusedTraining
    from .fusion import fuse as fuse
    from .interfaces.installing import Installation as Installation
    from .interfaces.installing import install as install
    from .interfaces.installing import uninstall as uninstall
    from .interfaces.transformers import register_transformers as register_transformers
    from .interfaces.transformers import transformers_attention as transformers_attention
    from .model.choosing import Choices as Choices
    from .model.choosing import candidates as candidates
    from .model.converting import Report as Report
    from .model.converting import convert as convert
    from .model.profiling import Profile as Profile
    from .model.profiling import profile as profile
    from .model.reproducing import Reproducibility as Reproducibility
    from .model.reproducing import reproducible as reproducible
    from .model.sharing import share_choices as share_choices
    from .packaging import package as package

#: Minimum version of PyTorch; pyproject.toml has it as well.
LEAST = (2, 6)


def _check() -> None:
    """Import PyTorch.

    Raises:
        ImportError: there is none, or it is too old; it says what to install.
    """
    wanted = ".".join(map(str, LEAST))
    advice = f'cudnn_cffi.torch needs PyTorch {wanted} or newer: pip install "torch>={wanted}"'
    try:
        import torch
    except ImportError as error:
        raise ImportError(f"{advice} ({error})", name="torch") from error
    version = str(torch.__version__)
    if tuple(int(each) for each in version.split("+")[0].split(".")[:2]) < LEAST:
        raise ImportError(f"{advice} ({version} is installed)", name="torch")


_check()

#: The public names, and the modules that they are in; "" for a module. Modules are imported when
#: they are used.
_PLACES = {
    "functional": "",
    "modules": "",
    "compile_nodes": "autograd.recorder",
    "backend": "compiling",
    "compiled_graphs": "compiling",
    "convert": "model.converting",
    "Report": "model.converting",
    "Fused": "fusion",
    "FusedTraining": "fusion",
    "fuse": "fusion",
    "Installation": "interfaces.installing",
    "install": "interfaces.installing",
    "uninstall": "interfaces.installing",
    "register_transformers": "interfaces.transformers",
    "transformers_attention": "interfaces.transformers",
    "Choices": "model.choosing",
    "candidates": "model.choosing",
    "Profile": "model.profiling",
    "profile": "model.profiling",
    "Reproducibility": "model.reproducing",
    "reproducible": "model.reproducing",
    "share_choices": "model.sharing",
    "package": "packaging",
}


class _Module(Module):
    """This module, whose names are imported when they are used first."""

    def _find(self, name: str) -> Any:
        place = _PLACES.get(name)
        if place is None:
            return super()._find(name)
        module = import_module(f"{__name__}.{place or name}")
        value = globals()[name] = getattr(module, name) if place else module
        return value

    def __dir__(self) -> list[str]:
        return sorted({"LEAST", *_PLACES})


def _advise(name: str) -> str:
    """Return where a name is; "" where it is not known."""
    for place in ("modules", "functional"):
        if name in dir(import_module(f"{__name__}.{place}")):
            return f"use {place}.{name}"
    return str(import_module(f"{__name__}.hints").advise_lua(name, "modules."))


equip(__name__, _Module)
