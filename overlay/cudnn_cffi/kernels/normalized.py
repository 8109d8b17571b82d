"""Batch norms with known statistics, computed in float32 and rounded once."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Sequence

from .common import TYPES, module_of, type_option
from .launching import Launch, kernel_of

#: Channels that a thread computes, threads of a block, and the most blocks.
VECTOR, _THREADS, _MOST = 8, 256, 1 << 22

#: The logarithm of the vectors from which threads compute several, and the most that each does.
_FEW, _SEVERAL = 18, 8

#: The options of the compiler for the types of parameters.
_PARAMETERS = "SCALE", "BIAS", "MEAN", "VARIANCE"


class Normalized:
    """A batch norm of rows of channels, by a launch; for a step of a call.

    Attributes:
        launch: of the kernel, which is one for all shapes.
    """

    def __init__(
        self, dtype: str, rows: int, channels: int, epsilon: float, types: Sequence[str], *,
        device: int = 0,
    ) -> None:  # fmt: skip
        """Compile the kernel.

        Args:
            dtype: of the rows: float16 or bfloat16.
            rows: how many there are, one after the other.
            channels: the length of a row, a multiple of `VECTOR`.
            epsilon: is added to the variance.
            types: the data types of scale, bias, mean and variance.
            device: its ordinal.

        Raises:
            NotSupportedError: there is no compiler, or it does not know the device.
        """
        pairs = zip(_PARAMETERS, types, strict=True)
        module = module_of(
            "normalized.cu", device, type_option(dtype), f"-DVECTOR={VECTOR}",
            f"-DTHREADS={_THREADS}", *[f"-D{word}={TYPES[kind]}" for word, kind in pairs],
            least=(7, 0),
        )  # fmt: skip
        vectors = rows * channels // VECTOR
        several = min(max(vectors >> _FEW, 1), _SEVERAL)
        threads = max(-(-vectors // several), channels // VECTOR)
        blocks = min(-(-threads // _THREADS), max(_MOST, -(-channels // (VECTOR * _THREADS))))
        added = ctypes.c_float(epsilon).value  # infinity where it is beyond float
        self._words = struct.unpack("2Q", struct.pack("qif", rows, channels, added))
        kernel = kernel_of(module, "normalized", device)
        self.launch = Launch(kernel, device, (blocks, 1, 1), _THREADS)

    def words(self, *names: str) -> tuple[str | int, ...]:
        """Return the argument of the launch, in words of 64 bits.

        Args:
            names: stand for the addresses of x, y, scale, bias, mean and variance.
        """
        return (*names, *self._words)
