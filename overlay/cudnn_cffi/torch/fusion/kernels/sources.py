"""The sources of kernels in this folder, which have numbers.cuh before them."""

from __future__ import annotations

import ctypes
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from .compiled import NUMBERS as NUMBERS
from .compiled import TYPES, Launch, Source
from .compiled import source_of as source_of

#: The types of their numbers.
NARROW = (torch.float16, torch.bfloat16)

#: An activation of `building.ACTIVATIONS`, with its number; None for none.
Word = tuple[str, float | None] | None


def number_of(word: Word) -> float:
    """Return the number of an activation."""
    return 0.0 if word is None else word[1] or 0.0


def activated(x: Tensor, word: Word) -> Tensor:
    """Return an activation of x, computed by PyTorch.

    Args:
        x: any tensor.
        word: of `building.ACTIVATIONS`, with its number; None for none.
    """
    if word is None:
        return x
    name, number = word
    found: Any = {
        "relu": functional.relu, "swish": functional.silu, "hard_swish": functional.hardswish,
        "sigmoid": torch.sigmoid, "hard_sigmoid": functional.hardsigmoid, "tanh": torch.tanh,
        "gelu": functional.gelu,
        "gelu_tanh": lambda x: functional.gelu(x, approximate="tanh"),
        "clipped_relu": lambda x: functional.hardtanh(x, 0.0, number or 0.0),
        "leaky_relu": lambda x: functional.leaky_relu(x, number or 0.0),
        "elu": lambda x: functional.elu(x, number or 0.0),
    }[name]  # fmt: skip
    made: Tensor = found(x)
    return made


def prepare(ordinal: int, file: str, dtype: torch.dtype, word: str | None, *macros: str) -> Source:
    """Begin to compile a file for numbers of 16 bits, and return its kernels; see `source_of`.

    Args:
        ordinal: the device.
        file: its name.
        dtype: of the numbers.
        word: the activation, of `NUMBERS`.
        macros: others than TYPE and ACTIVATION, as NAME=VALUE.
    """
    given = (f"TYPE={TYPES[dtype]}", f"ACTIVATION={NUMBERS[word]}", *macros)
    return source_of(ordinal, file, *[f"-D{each}" for each in given])


def kernels(
    ordinal: int, file: str, names: tuple[str, ...], dtype: torch.dtype, word: str | None,
    *macros: str,
) -> list[ctypes.c_void_p]:  # fmt: skip
    """Return kernels of a file of this folder; see `prepare`.

    Raises:
        NotSupportedError: they cannot be compiled.
    """
    source = prepare(ordinal, file, dtype, word, *macros)
    return [source.kernel(each) for each in names]


def launch(
    kernel: ctypes.c_void_p, ordinal: int, grid: tuple[int, int, int], threads: int,
    argument: bytes, shared: int = 0,
) -> None:  # fmt: skip
    """Launch a kernel with one argument, in PyTorch's current stream of a device.

    Raises:
        CudnnError: the driver refuses it.
    """
    Launch(kernel, ordinal, grid, threads, shared=shared)(argument)
