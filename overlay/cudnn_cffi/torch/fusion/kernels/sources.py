"""The sources of kernels in this folder, which have numbers.cuh before them."""

from __future__ import annotations

import ctypes

import torch

from .activations import NUMBERS
from .compiled import TYPES, Launch, Source, source_of

#: The types of their numbers.
NARROW = (torch.float16, torch.bfloat16)


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
    argument: bytes, shared: int = 0, *, overlaps: bool = False,
) -> None:  # fmt: skip
    """Launch a kernel with one argument, in PyTorch's current stream of a device; see `Launch.put`.

    Raises:
        CudnnError: the driver refuses it.
    """
    Launch(kernel, ordinal, grid, threads, shared=shared)(argument, overlaps=overlaps)
