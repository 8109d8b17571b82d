"""PyTorch: functions with gradients, modules, and `convert`, which makes a model use them.

Importing this imports PyTorch. The rest of the package needs no PyTorch. See docs/torch.md.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: The least version of PyTorch; pyproject.toml has it as well.
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

#: The public names, and the modules that they are in; "" for a module. What is used later is
#: imported later.
_PLACES = {
    "functional": "",
    "modules": "",
    "convert": "converting",
    "Report": "converting",
    "Fused": "fusion",
    "fuse": "fusion",
    "Choices": "choosing",
    "candidates": "choosing",
    "Profile": "profiling",
    "profile": "profiling",
    "share_choices": "sharing",
}


def __getattr__(name: str) -> Any:
    place = _PLACES.get(name)
    if place is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
    module = import_module(f"{__name__}.{place or name}")
    value = globals()[name] = getattr(module, name) if place else module
    return value


def __dir__() -> list[str]:
    return sorted({"LEAST", *_PLACES})
