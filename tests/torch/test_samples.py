"""The examples on the pages of modules and functions run, also without a GPU."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

from reference.entries import layers

MODULES, FUNCTIONAL = layers.ROOMS

#: Functions whose examples ask a GPU for the size of a buffer.
ON_GPU = {"gru", "lstm", "multi_head_attention", "rnn_relu", "rnn_tanh"}


def run(torch: ModuleType, code: str) -> Any:
    """Run a program; on the CPU without a GPU. Return what it computes."""
    if not torch.cuda.is_available():
        code = code.replace('"cuda"', '"cpu"').replace(".cuda()", "")
    space: dict[str, Any] = {}
    exec(code, space)
    return space["y"]


@pytest.mark.parametrize("name", layers.names("modules"))
def test_an_example_of_a_module(name: str, torch: ModuleType) -> None:
    code = layers.example(MODULES, name)
    assert f"modules.{name}(" in code
    y = run(torch, code)
    assert isinstance(y, (torch.Tensor, tuple))


@pytest.mark.parametrize("name", layers.names("functional"))
def test_an_example_of_a_function(name: str, torch: ModuleType, operators: list[str]) -> None:
    """By the operators that stand in for cuDNN's on the CPU."""
    code = layers.example(FUNCTIONAL, name)
    assert f"F.{name}(" in code
    if name in ON_GPU and not torch.cuda.is_available():
        compile(code, name, "exec")
        return
    assert isinstance(run(torch, code), torch.Tensor)
    assert operators, "a layer computed it"
