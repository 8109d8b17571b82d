"""Means and sums of windows of images, computed in float32 and rounded once."""

from __future__ import annotations

from collections.abc import Sequence

from .common import TYPES, module_of
from .launching import Launch, kernel_of

_THREADS = 128


class Means:
    """The means of windows of images without gaps, by a launch; for a step of a call.

    Attributes:
        launch: of the kernel.
    """

    def __init__(
        self, dtype: str, images: int, inner: int, size: Sequence[int], out: Sequence[int],
        window: Sequence[int], stride: Sequence[int], before: Sequence[int], *,
        includes: bool = True, sums: bool = False, device: int = 0,
    ) -> None:  # fmt: skip
        """Compile the kernel.

        Args:
            dtype: of both arrays: float16, bfloat16 or float32.
            images: how many there are, one after the other.
            inner: how many channels of an image lie side by side.
            size, out: height and width of an image, and of its result.
            window, stride, before: of the windows, and the padding before the first element.
            includes: whether zeros of the padding count.
            sums: whether sums are wanted instead.
            device: its ordinal.

        Raises:
            NotSupportedError: there is no compiler, or it does not know the device.
        """
        module = module_of(
            "means.cu", device, f"-DTYPE={TYPES[dtype]}", f"-DINCLUDES={int(includes)}",
            f"-DSUMS={int(sums)}", f"-DTHREADS={_THREADS}", least=(7, 0),
        )  # fmt: skip
        count = images * inner * out[0] * out[1]
        self._numbers = (count, inner, *size, *out, *window, *stride, *before)
        blocks = -(-count // _THREADS)
        kernel = kernel_of(module, "means", device)
        self.launch = Launch(kernel, device, (blocks, 1, 1), _THREADS)

    def words(self, x: str, y: str) -> tuple[str | int, ...]:
        """Return the argument of the launch, in words of 64 bits.

        Args:
            x, y: stand for the addresses of the arrays.
        """
        pairs = zip(self._numbers[::2], self._numbers[1::2], strict=True)
        return (x, y, *[low | high << 32 for low, high in pairs])
