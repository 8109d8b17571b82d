"""Functions of each element and their gradients, computed in float32 and rounded once."""

from __future__ import annotations

from ..arrays import itemsize
from .common import TYPES, module_of
from .launching import Launch, kernel_of

#: The functions in the source, by the words of activations.
WORDS = {
    "relu": "RELU", "sigmoid": "SIGMOID", "tanh": "TANH", "swish": "SWISH", "silu": "SWISH",
    "gelu": "GELU", "gelu_tanh": "GELU_TANH",
}  # fmt: skip

#: The names of data types, as arrays have them.
NARROW = ("float16", "bfloat16", "float32")

#: Threads of a block, and the bytes that each of them reads.
_THREADS, PIECE = 256, 16


def elements(
    word: str, dtype: str, count: int, by: str = "NEITHER", *, device: int = 0,
) -> Launch:  # fmt: skip
    """Return the launch of a function of each element; its words are dy, from, to and the count.

    Args:
        word: of `WORDS`.
        dtype: of all arrays, one of `NARROW`.
        count: of elements.
        by: "INPUT" or "RESULT" for the gradient by the input or by the result of the function.
        device: its ordinal.

    Raises:
        NotSupportedError: there is no compiler, or it does not know the device.
    """
    module = module_of(
        "elements.cu", device, f"-DTYPE={TYPES[dtype]}", f"-DACTIVATION={WORDS[word]}",
        f"-DBY={by}", f"-DTHREADS={_THREADS}", least=(7, 0),
    )  # fmt: skip
    blocks = -(-count * itemsize(dtype) // (PIECE * _THREADS))
    return Launch(kernel_of(module, "elements", device), device, (blocks, 1, 1), _THREADS)
