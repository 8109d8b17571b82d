"""Operations without a GPU: what they compute, which way, and what they refuse."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from cudnn_cffi import errors, ops
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


def test_decoding(
    program: Program, describing: list[Path], no_driver: dict[str, str], places: dict[str, str]
) -> None:
    for library in describing:
        program("decode", library, **no_driver | places)


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


def test_sums_go_to_what_is_fast_at_them(program: Program, cudnn_libraries: list[Path]) -> None:
    for library in cudnn_libraries:
        program("sums", library)


def test_filling_sets_the_bits_of_a_number(program: Program, cudnn_libraries: list[Path]) -> None:
    if not cudnn_libraries:
        pytest.skip("no cuDNN")
    program("fills", cudnn_libraries[-1])


def test_attention_of_examples_without_keys(program: Program, cudnn_libraries: list[Path]) -> None:
    if not cudnn_libraries:
        pytest.skip("no cuDNN")
    program("lengths", cudnn_libraries[-1])


def test_rare_functions_get_each_array_in_its_place(
    program: Program, cudnn_libraries: list[Path], no_driver: dict[str, str]
) -> None:
    for library in cudnn_libraries:
        program("more_calls", library, **no_driver)


def test_graphs_get_copies_of_arrays_at_low_addresses(
    program: Program, cudnn_libraries: list[Path]
) -> None:
    program("aligned", cudnn_libraries[-1])


def test_what_functions_do_not_take_is_computed_otherwise(
    program: Program, cudnn_libraries: list[Path]
) -> None:
    program("edges", cudnn_libraries[-1])


def test_a_copy_of_rows_is_described_as_in_cuda_h() -> None:
    """CUDA_MEMCPY2D: seven words of 8 bytes for each side, then width and height."""
    described = timing._Copy2D
    assert ctypes.sizeof(described) == 16 * 8
    places = {name: getattr(described, name).offset for name, *_ in described._fields_}
    assert (places["source_type"], places["source_device"], places["source_pitch"]) == (16, 32, 48)
    assert (places["target_type"], places["target_device"], places["target_pitch"]) == (72, 88, 104)
    assert (places["width"], places["height"]) == (112, 120)


def test_filters_and_gradients_through_activations(
    program: Program, cudnn_libraries: list[Path]
) -> None:
    program("filters", cudnn_libraries[-1], CUDNN_CFFI_ENGINES="0")


@pytest.mark.parametrize(
    "operation",
    [ops.BatchNorm, ops.BatchNormActivation, ops.BatchNormBackward, ops.GroupNormBackward],
)
def test_inputs_that_come_together(operation: type[ops.Operation]) -> None:
    first, second = operation.together
    image = ops.Spec("float32", (2, 4, 8, 8), (256, 64, 8, 1))
    scale = ops.Spec("float32", (4,), (1,))
    given = {"x": image, "dy": image, "scale": scale, "bias": scale, second: scale}
    arrays = [given.get(name) for name in operation.takes]
    made = operation(2) if operation is ops.GroupNormBackward else operation()
    with pytest.raises(errors.ArgumentError, match=f"expected {first} and {second} together"):
        made.case(*arrays)


@pytest.mark.parametrize("operation", [ops.BatchNorm, ops.BatchNormActivation])
def test_running_variances_of_one_number(operation: type[ops.Operation]) -> None:
    """They would be NaN; without running statistics the result is known."""
    images = {n: ops.Spec("float32", (1, 4, n, 1), (4 * n, 1, 4, 4)) for n in (1, 2)}
    each = ops.Spec("float32", (4,), (1,))
    running, rest = {"running_mean", "running_variance"}, {"scale", "bias"}

    def given(x: ops.Spec, names: set[str]) -> list[ops.Spec | None]:
        return [x if name == "x" else each if name in names else None for name in operation.takes]

    made = operation()
    with pytest.raises(errors.ArgumentError, match="several numbers for each running variance"):
        made.case(*given(images[1], running | rest))
    made.case(*given(images[1], rest))
    made.case(*given(images[2], running | rest))


@pytest.mark.parametrize("operation", [ops.Activation, ops.ActivationBackward])
def test_whole_numbers_for_what_gives_none(operation: type[ops.Operation]) -> None:
    x = ops.Spec("int32", (2, 4), (4, 1))
    count = len(operation.takes)
    assert operation("relu").case(*[x] * count).outputs
    for word in ("sigmoid", "elu", "leaky_relu", "gelu"):
        with pytest.raises(errors.ArgumentError, match="floating-point type, got int32"):
            operation(word).case(*[x] * count)
