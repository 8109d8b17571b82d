"""Kernels in CUDA C++: compiled by a thread, loaded, and launched in PyTorch's streams."""

from __future__ import annotations

import ctypes
import threading
from functools import cache
from pathlib import Path

import torch

from .... import errors
from ....kernels import launching
from ....kernels.compiling import can_compile as can_compile
from ....kernels.compiling import compiled
from ....kernels.launching import kernel_of, load_module

#: The number of each data type in the sources.
TYPES = {torch.float16: 0, torch.bfloat16: 1, torch.float32: 2, torch.float64: 3}

#: The types of 16 bits, which most kernels have.
NARROW = (torch.float16, torch.bfloat16)


class Source:
    """Kernels of a source on a device, which a thread compiles.

    Attributes:
        ordinal: the device.
    """

    def __init__(self, ordinal: int, file: Path, options: tuple[str, ...], more: str) -> None:
        self.ordinal = ordinal
        self._file, self._options, self._more = file, options, more
        self._capability = torch.cuda.get_device_capability(ordinal)
        self._code: bytes | None = None
        self._error: errors.CudnnError | None = None
        self._module: ctypes.c_void_p | None = None
        self._found: dict[str, tuple[ctypes.c_void_p, int]] = {}
        self._lock, self._beginning = threading.Lock(), threading.Lock()
        self._thread = threading.Thread(target=self._compile, daemon=True)

    def begin(self) -> None:
        """Begin to compile it, if that has not begun."""
        with self._beginning:
            if self._thread.ident is None:
                self._thread.start()

    def _compile(self) -> None:
        try:
            self._code = compiled(
                self._file, self._capability, *self._options, more=self._more,
                own=self._capability == (9, 0),
            )  # fmt: skip
        except errors.CudnnError as error:
            self._error = error

    @property
    def is_loaded(self) -> bool:
        """Return whether a kernel of it was asked for before."""
        return bool(self._found)

    def kernel(self, name: str, shared: int = 0) -> ctypes.c_void_p:
        """Return a kernel; wait until it is compiled.

        Args:
            name: as the source has it.
            shared: the most memory of a block, in bytes, that it is launched with.

        Raises:
            NotSupportedError: it cannot be compiled.
        """
        found = self._found.get(name)
        if found is None or found[1] < shared:
            with self._lock:
                found = self._found.get(name)
                if found is None or found[1] < shared:  # no other thread asked for as much
                    found = kernel_of(self._loaded(), name, self.ordinal, shared), shared
                    self._found[name] = found
        return found[0]

    def _loaded(self) -> ctypes.c_void_p:
        self.begin()
        self._thread.join()
        if self._code is None:
            raise self._error or errors.NotSupportedError(f"{self._file.name} was not compiled")
        if self._module is None:
            self._module = load_module(self._code, self.ordinal)
        return self._module


def source_of(
    ordinal: int, file: str, *options: str, more: str = "", begins: bool = True
) -> Source:
    """Begin to compile a file of this folder for a device, and return its kernels.

    Args:
        ordinal: the device.
        file: its name.
        options: of the compiler, as `-DNAME=VALUE`.
        more: text after the file.
        begins: False to compile it once `begin` is called, or a kernel is asked for.
    """
    found = _source_of(ordinal, file, options, more)
    if begins:
        found.begin()
    return found


@cache
def _source_of(ordinal: int, file: str, options: tuple[str, ...], more: str) -> Source:
    torch.cuda.init()
    return Source(ordinal, Path(__file__).parent / file, options, more)


class Launch(launching.Launch):
    """A kernel, its blocks and their memory, in PyTorch's streams."""

    def __call__(self, *arguments: bytes, overlaps: bool = False) -> None:
        """Put it into PyTorch's current stream of the device; see `put`."""
        stream = torch._C._cuda_getCurrentRawStream(self._ordinal)
        self.put(stream, *arguments, overlaps=overlaps)
