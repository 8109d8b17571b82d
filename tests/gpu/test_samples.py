"""The examples on the pages of operations run as they stand."""

from __future__ import annotations

import pytest
from cudnn_cffi import errors

from reference.entries import operations

pytest.importorskip("torch")

#: Operations by functions that older releases of cuDNN 9 lack.
NEW = ("aggregate", "causal_convolution", "fft_causal_convolution")


@pytest.mark.parametrize("name", operations.names())
def test_an_example_of_an_operation(name: str) -> None:
    try:
        exec(operations.example(name), {})
    except (errors.MissingFunctionError, errors.NotSupportedError) as error:
        if not name.removesuffix("_backward").startswith(NEW):
            raise
        pytest.skip(f"the loaded release lacks it: {error.message}")
