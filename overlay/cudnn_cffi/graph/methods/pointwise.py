"""Pointwise operations of any mode."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict, Unpack, cast

from ... import errors
from ..._support.wording import meant, no_word
from ..._tables import newest
from ..arguments import dimension, is_number, no_operand, number
from ..record.enum_words import data_type_name, enumerator
from ..record.operations import OPERATIONS, POINTWISE, pointwise_ports
from ..rules.results import CLOSED, INTEGERS, LOGIC
from ..tensors import Operand, Tensor

if TYPE_CHECKING:
    from ...enum_words import NanPropagationLike
    from ..builder import Builder
    from ..record.types import DataTypeName, DType, Layout, Options, PointwiseWord

_OPERATION = OPERATIONS["pointwise"]
#: Options of all modes, and those of some.
_OPTIONS = ("alpha1", "alpha2", "nan_propagation")
_PARAMETERS = {
    "RELU": ("lower_clip", "upper_clip", "slope"),
    "ELU": ("elu_alpha",),
    "SOFTPLUS": ("softplus_beta",),
    "SWISH": ("swish_beta",),
    "GEN_INDEX": ("axis",),
}


class PointwiseOptions(TypedDict, total=False):
    """The parameters of modes of pointwise operations.

    Keys:
        alpha1, alpha2: the factors of the first and the second operand.
        nan_propagation: a member of `NanPropagation`, or its name.
        lower_clip, upper_clip, slope: of ReLU.
        elu_alpha, softplus_beta, swish_beta: of ELU, softplus and swish.
        axis: of GEN_INDEX.
    """

    alpha1: float | None
    alpha2: float | None
    nan_propagation: NanPropagationLike | None
    lower_clip: float | None
    upper_clip: float | None
    slope: float | None
    elu_alpha: float | None
    softplus_beta: float | None
    swish_beta: float | None
    axis: int | None


def pointwise(
    self: Builder,
    mode: PointwiseWord,
    *operands: Operand,
    name: str | None = None,
    data_type: DType | None = None,
    compute_data_type: DType | None = None,
    strides: Sequence[int] | None = None,
    layout: Layout | None = None,
    **options: Unpack[PointwiseOptions],
) -> Tensor:
    """Add a pointwise operation of any mode.

    Args:
        mode: a member of `PointwiseMode`, or its name.
        operands: as many as the mode takes; those of a backward mode are the gradient of the
            result, then the input of the forward operation; those of BINARY_SELECT are the
            value where the third is true, the value elsewhere, and the condition.
        name, data_type, compute_data_type, strides, layout: see `Settings`.
        options: the parameters of the mode: `lower_clip`, `upper_clip` and `slope` of ReLU,
            `elu_alpha`, `softplus_beta`, `swish_beta`, `axis` of GEN_INDEX, `alpha1` and
            `alpha2`, which the first and the second operand are multiplied by, and
            `nan_propagation`.

    Raises:
        ArgumentError: no such mode or option, or another number of operands.
        ShapeMismatchError: the shapes do not go together.
    """
    word: str = mode if isinstance(mode, str) and mode in POINTWISE else _find_mode(mode)
    ports = POINTWISE.get(word) or pointwise_ports(word, len(operands))
    if len(operands) != len(ports):
        raise errors.ArgumentError(
            f"{word}: expected {len(ports)} operands, got {len(operands)}: {operands!r}"
        )
    first = _first_tensor(word, ports, operands)
    integers = first.data_type in INTEGERS
    inputs: dict[str, Tensor] = {}
    for port, each in zip(ports, operands):  # noqa: B905
        if type(each) is Tensor and not each.by_value:
            inputs[port] = each
        else:
            is_known = integers and type(each) is not Tensor and is_number(each)
            known = first.data_type if is_known and isinstance(number(each), int) else None
            inputs[port] = self._operand(each, f"{word} {port}", len(first.shape), known)
    settings: Options = {"mode": word}
    if options:
        settings.update(_checked(word, options))
    if word == "GEN_INDEX":
        settings["axis"] = dimension(settings.get("axis"), len(first.shape), "GEN_INDEX axis")
    whole: DataTypeName | None = None  # the type of a result without fractions, if none is set
    if compute_data_type is not None:
        settings["compute_data_type"] = data_type_name(compute_data_type)
    elif kind := _compute_type(word, first, {each.data_type for each in inputs.values()}):
        settings["compute_data_type"] = kind
        if data_type is None and word in CLOSED:
            data_type = whole = kind
    port = "dx" if word.endswith("_BWD") else "y"
    node = self._add_node(_OPERATION, inputs, settings, name, (port,), data_type, strides, layout)
    result = node.outputs[port]
    if whole is not None:  # operations that move it must not cut it to the first operand's type
        result.memory_type = whole
    return result


def _first_tensor(mode: str, ports: tuple[str, ...], operands: tuple[Operand, ...]) -> Tensor:
    """Return the first operand in memory, or else the first tensor that is passed by value."""
    first: Tensor | None = None
    for each in operands:
        if type(each) is Tensor and (first is None or not each.by_value):
            first = each
            if not each.by_value:
                break
    if first is not None:
        return first
    for port, each in zip(ports, operands, strict=True):
        if not is_number(each):
            raise no_operand(each, f"{mode} {port}", "a tensor")
    raise errors.ArgumentError(f"{mode}: expected a tensor at least, got {operands!r}")


def _compute_type(word: str, first: Tensor, types: set[DataTypeName]) -> DataTypeName | None:
    """Return the type in which a mode computes; None for that of the graph."""
    if word == "GEN_INDEX":
        return "INT32"
    if first.data_type in INTEGERS and (word in CLOSED or word in LOGIC):
        if not types <= INTEGERS:
            return None
        return "INT64" if "INT64" in types else "INT32"
    return "BOOLEAN" if word.startswith("LOGICAL_") else None


def _find_mode(mode: object) -> str:
    """Return the name of a mode; only a newer release may have it."""
    name = enumerator(mode, "POINTWISE_")
    for each in (name, f"{name}_FWD", f"CMP_{name}"):
        if each in POINTWISE or each in newest().enum("PointwiseMode").__members__:
            return each
    raise no_word("mode", mode, "a pointwise mode", POINTWISE)


def _checked(mode: str, options: PointwiseOptions) -> Options:
    """Return options in a fixed order; refuse those that the mode does not have."""
    known = {*_OPTIONS, *_PARAMETERS.get(mode.removesuffix("_FWD").removesuffix("_BWD"), ())}
    if mode not in POINTWISE:  # of a newer release
        known.update(*_PARAMETERS.values())
    unknown = options.keys() - known
    if unknown:
        raise errors.ArgumentError(
            f"{mode}: no option {sorted(unknown)[0]!r}",
            hint=f"{meant(sorted(unknown)[0], known)}one of {', '.join(sorted(known))}",
        )
    given = {name: each for name, each in sorted(options.items()) if each is not None}
    return cast("Options", given)
