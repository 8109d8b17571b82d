"""Gradients, stand-ins and an added layer follow from records of layers."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from scripts.operations import section
from tests.ops.added import extend

Program = Callable[..., "subprocess.CompletedProcess[str]"]


def test_gradients_are_those_of_operations(torch: ModuleType) -> None:
    """Layers compute each gradient that the operation declares, or PyTorch does."""
    from cudnn_cffi.torch import functional
    from cudnn_cffi.torch.autograd.record import _records

    assert functional is not None
    layers: dict[str, Any] = {word: each for word, each in _records.items() if hasattr(each, "by")}
    assert len(layers) > 45
    for word, each in layers.items():
        gradient = each.by.gradient
        assert each.word == word == each.by.word
        if each.composed:
            steps = ["convolution_backward_bias" if s == "_bias" else s[0].word for s in each.steps]
            assert sorted(steps) == sorted(gradient)
        elif gradient:
            record = each.gradient_record()
            assert record is not None
            assert record.layer is layers[gradient[0]]
            assert record.layer.forward_record().by.gradient == gradient
        else:
            assert each.gradient_record() is None


def test_second_derivatives_are_those_that_files_tell(torch: ModuleType) -> None:
    from cudnn_cffi.torch import functional
    from cudnn_cffi.torch.autograd.record import _records

    assert functional is not None
    for each in _records.values():
        text = section(sys.modules[each.__module__].__doc__, "Second derivatives")
        words = ("by cuDNN", "none") if getattr(each, "twice", False) else ("by PyTorch", "none")
        assert text.startswith(words) or words[0] in text, each


def test_every_layer_has_a_stand_in(torch: ModuleType) -> None:
    from cudnn_cffi.torch.autograd.record import _records

    from .stand_in import STAND_INS

    assert {each.by for each in _records.values() if hasattr(each, "by")} <= set(STAND_INS)


def test_a_layer_is_added(torch: ModuleType, program: Program, tmp_path: Path) -> None:
    assert program("added_layer", None, **extend(tmp_path)).stdout.strip() == "added"


def test_options_of_a_gradient_s_layer(torch: ModuleType) -> None:
    """It has the options of the forward layer and, after its class in the key, those of its own."""
    from cudnn_cffi.torch.functional.norm import batch

    forward = batch.BatchNormActivation(0.1, 1e-3)
    for residual in (False, True):
        layer = forward.parts[batch.BatchNormActivationBackward, residual]
        assert (layer.epsilon, layer.residual) == (1e-3, residual)
    with pytest.raises(ValueError, match="longer"):
        forward.parts[batch.BatchNormActivationBackward, 1e-3, True]
