"""The examples on the pages of operations, and of modules and functions, run as they stand."""

from __future__ import annotations

import pytest
from cudnn_cffi import errors

from reference.entries import layers, operations

pytest.importorskip("torch")

#: Operations by functions that older releases of cuDNN 9 lack.
NEW = ("aggregate", "causal_convolution", "fft_causal_convolution")


@pytest.mark.parametrize("name", operations.names())
def test_an_example_of_an_operation(name: str) -> None:
    run(operations.example(name), name)


@pytest.mark.parametrize(
    ("room", "name"), [(room, name) for room in layers.ROOMS for name in layers.names(room.name)]
)
def test_an_example_for_pytorch(room: layers.Room, name: str) -> None:
    run(layers.example(room, name), name)


def run(code: str, name: str) -> None:
    """Run a program, where the loaded release has what it calls."""
    try:
        exec(code, {})
    except (errors.MissingFunctionError, errors.NotSupportedError) as error:
        if not name.removesuffix("_backward").startswith(NEW):
            raise
        pytest.skip(f"the loaded release lacks it: {error.message}")
