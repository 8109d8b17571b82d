"""Operations without a GPU: what they compute, which way, and what they refuse."""

from __future__ import annotations

import ctypes
import importlib
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cudnn_cffi import ops
from cudnn_cffi.choice.policy import Rule
from cudnn_cffi.driver import timing

Program = Callable[..., "subprocess.CompletedProcess[str]"]


def test_plans_for_an_h200(
    program: Program, describing: list[Path], no_driver: dict[str, str]
) -> None:
    for library in describing:
        program("plans", library, **no_driver)


def test_choices_are_noted_edited_and_refused(
    program: Program, describing: list[Path], no_driver: dict[str, str], tmp_path: Path
) -> None:
    for library in describing:
        program("choices", library, str(tmp_path / library.parent.name), **no_driver)


def test_classic_functions_get_each_array_in_its_place(
    program: Program, cudnn_libraries: list[Path]
) -> None:
    if not cudnn_libraries:
        pytest.skip("no cuDNN")
    program("classic_calls", cudnn_libraries[-1])


def test_dispatch(program: Program, cudnn_libraries: list[Path]) -> None:
    program("dispatch", cudnn_libraries[-1] if cudnn_libraries else None)


def test_graphs_of_attention(
    program: Program, describing: list[Path], no_driver: dict[str, str]
) -> None:
    for library in describing:
        program("attention_graphs", library, **no_driver)


def test_recurrent_networks_get_each_array_in_its_place(
    program: Program, cudnn_libraries: list[Path]
) -> None:
    if not cudnn_libraries:
        pytest.skip("no cuDNN")
    for library in cudnn_libraries:
        program("recurrent_calls", library)


def test_operations_of_several_calls(program: Program, cudnn_libraries: list[Path]) -> None:
    if not cudnn_libraries:
        pytest.skip("no cuDNN")
    program("composed", cudnn_libraries[-1])


def test_rare_functions_get_each_array_in_its_place(
    program: Program, cudnn_libraries: list[Path], no_driver: dict[str, str]
) -> None:
    for library in cudnn_libraries:
        program("more_calls", library, **no_driver)


def test_a_copy_of_rows_is_described_as_in_cuda_h() -> None:
    """CUDA_MEMCPY2D: seven words of 8 bytes for each side, then width and height."""
    described = timing._Copy2D
    assert ctypes.sizeof(described) == 16 * 8
    places = {name: getattr(described, name).offset for name, *_ in described._fields_}
    assert (places["source_type"], places["source_device"], places["source_pitch"]) == (16, 32, 48)
    assert (places["target_type"], places["target_device"], places["target_pitch"]) == (72, 88, 104)
    assert (places["width"], places["height"]) == (112, 120)


@pytest.mark.parametrize(
    ("word", "way"), [("relu", None), ("sigmoid", "classic"), ("tanh", "classic")]
)
def test_a_gradient_through_an_activation_that_reads_its_input_is_not_by_graph(
    monkeypatch: pytest.MonkeyPatch, word: str, way: str | None
) -> None:
    """A graph's gradient reads the input; a convolution has kept the result only."""
    called: dict[str, Any] = {}

    def shared(operation: Any, _: Any) -> Any:
        def call(*arguments: Any, **keywords: Any) -> Any:
            called[operation.__name__] = (arguments, keywords)
            return "through"

        return call

    module = importlib.import_module("cudnn_cffi.ops.convolution")
    monkeypatch.setattr(module, "shared", shared)
    x, w = ops.Spec.like((2, 3, 8, 8), "float32"), ops.Spec.like((4, 3, 3, 3), "float32")
    ops.Convolution(1, activation=word).backward("dy", x, w, y="y", wants=("x",))
    arguments, keywords = called["ActivationBackward"]
    assert arguments == ("dy", "y", "y")
    assert (keywords.get("choose") or {}).get("via") == way
    assert called["ConvolutionBackwardData"][0][0] == "through"


@pytest.mark.parametrize(
    ("operation", "dtype", "filtered"),
    [
        (ops.Convolution(1), "float32", True),
        (ops.Convolution(1), "float16", False),
        (ops.Activation("relu"), "float32", False),
        (ops.Attention(), "float16", False),
    ],
)
def test_tf32_leaves_out_engines_where_it_could_round(
    monkeypatch: pytest.MonkeyPatch, operation: Any, dtype: str, filtered: bool
) -> None:
    """Engines bear the note whatever they compute, so the filter is not for everything."""
    seen: list[dict[str, Any]] = []
    ways = importlib.import_module("cudnn_cffi.ops.ways")
    monkeypatch.setattr(ways.choice, "build", lambda _, **filters: seen.append(filters))
    monkeypatch.setattr(ways.Finding, "computation", lambda *_: None)
    case = ways.Case({"x": ops.Spec.like((2, 4, 8, 8), dtype)}, {})
    operation._by_graph(case, Rule(tf32=False), None, None)
    assert seen == [{"tf32": False} if filtered else {}]
