"""Convolutions of CuPy's `cupy.cudnn`, by the operations of this package."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from ... import errors
from ..._operation.sharing import shared
from ...choice.policy import Policy
from ...ops import Convolution, ConvolutionBackwardData, ConvolutionBackwardFilter
from . import functions as cudnn
from .descriptors import (
    Ndarray,
    contiguous,
    create_tensor_descriptor,
    get_data_type,
    get_handle,
    get_max_workspace_size,
    nd_tensor,
)
from .raw import CuDNNError, translated

_NCHW = cudnn.CUDNN_TENSOR_NCHW
if TYPE_CHECKING:
    from ...choice.policy_words import ChoiceWord

_NHWC = cudnn.CUDNN_TENSOR_NHWC
_MODES = ("always", "auto", "never")


@functools.cache
def _policy(time: bool, deterministic: bool, limit: int) -> Policy:
    pick: ChoiceWord = "time" if time else "heuristic"
    return Policy.of(pick, workspace_limit=limit, deterministic=deterministic or None)


def _operation(
    kind: Any, pad: Sequence[int], stride: Sequence[int], dilation: Sequence[int] | None,
    groups: int, time: bool, deterministic: bool,
) -> Any:  # fmt: skip
    """Return the operation of a set of options; one is kept for each set."""
    if len(pad) != len(stride):
        raise ValueError("pad and stride must be of same length")
    gaps = (1,) * len(pad) if dilation is None else tuple(dilation)
    policy = _policy(time, deterministic, get_max_workspace_size())
    options = {"padding": tuple(pad), "stride": tuple(stride), "dilation": gaps}
    return shared(kind, {**options, "groups": groups, "choose": policy})


def _channels_second(array: Ndarray, layout: int) -> Ndarray:
    """Return a view of an array with the axes n, c, h, w."""
    if layout not in (_NCHW, _NHWC):
        raise ValueError(f"unknown cudnnTensorFormat: {layout}")
    return array.transpose(0, 3, 1, 2) if layout == _NHWC and array.ndim == 4 else array


def _check(arrays: Sequence[Ndarray], tensor_core: str, written: Ndarray) -> None:
    """Refuse what CuPy refuses."""
    device = arrays[0].data.device_id
    for each in arrays[1:]:
        assert each.data.device_id == device, "expected arrays of one device"
    for each in arrays:
        get_data_type(each.dtype)
    if tensor_core not in _MODES:
        raise ValueError('tensor_core_mode must be either of "always", "auto", or "never".')
    if not written.flags.c_contiguous:
        raise ValueError("cupyx.cudnn supports c-contiguous arrays only")


def _info(array: Ndarray | None) -> str:
    if array is None:
        return "None"
    return f"shape={array.shape!r}, dtype={array.dtype.name}, strides={array.strides!r}"


def _refuse(
    error: errors.CudnnError,
    word: str,
    function: str,
    arrays: Mapping[str, Ndarray | None],
    *more: str,
) -> NoReturn:
    """Raise what CuPy raises for an error of this package."""
    if isinstance(error, errors.LibraryError):
        raise error
    if isinstance(error, errors.NoPlanError):
        with errors.quiet():  # as CuPy's, it may be caught to try another algorithm
            text = str(error)
        raise RuntimeError(
            f"No conv {word} algo available with workspace size less equal "
            f"{get_max_workspace_size()}\n{text}"
        ) from error
    # There, cuDNN refuses an array that does not fit.
    bad = errors.BadParamError(error.message, hint=error.hint)
    made = translated(bad if isinstance(error, errors.ArgumentError) else error)
    if isinstance(made, CuDNNError):
        shown = [f"{name}: {_info(array)}" for name, array in arrays.items()]
        made.add_infos([f"func: {function}", *shown, *more])
    raise made from error


def convolution_forward(
    x: Ndarray, W: Ndarray, b: Ndarray | None, y: Ndarray, pad: Sequence[int],
    stride: Sequence[int], dilation: Sequence[int], groups: int, *, auto_tune: bool,
    tensor_core: str, d_layout: int = _NCHW, w_layout: int = _NCHW,
) -> None:  # fmt: skip
    """Convolve `x` with the filters `W`, add the bias `b` or None, and write to `y`.

    Args:
        x, y: (n, c, ...), or (n, h, w, c) with `d_layout` CUDNN_TENSOR_NHWC.
        W: (k, c / groups, ...), or (k, h, w, c / groups) with `w_layout` CUDNN_TENSOR_NHWC.
        auto_tune: whether to time what there is; else cuDNN's heuristics choose.
        tensor_core: "always", "auto" or "never", as in CuPy: for devices of capability 7.0.

    Raises:
        CuDNNError: cuDNN refuses it.
        RuntimeError: nothing computes it within the limit of the workspace.

    New code: `ops.convolution(x, W, b, padding=1, activation="relu")`.
    """
    arrays = [each for each in (x, W, y, b) if each is not None]
    _check(arrays, tensor_core, y)
    op = _operation(Convolution, pad, stride, dilation, groups, bool(auto_tune), False)
    given = _channels_second(contiguous(x), d_layout), _channels_second(contiguous(W), w_layout)
    bias = None if b is None else contiguous(b).ravel()
    try:
        op(*given, bias, out=_channels_second(y, d_layout))
    except errors.CudnnError as error:
        _refuse(
            error, "fwd", "cudnnConvolutionForward", {"x": x, "W": W, "b": b, "y": y},
            f"pad={pad!r}, stride={stride!r}, dilation={dilation!r}, groups={groups!r}",
            f"auto_tune={auto_tune!r}, tensor_core={tensor_core!r}",
            f"d_layout={d_layout!r}, w_layout={w_layout!r}",
        )  # fmt: skip


def convolution_backward_filter(
    x: Ndarray, gy: Ndarray, gW: Ndarray, pad: Sequence[int], stride: Sequence[int],
    dilation: Sequence[int], groups: int, *, deterministic: bool, auto_tune: bool, tensor_core: str,
    d_layout: int = _NCHW, w_layout: int = _NCHW,
) -> None:  # fmt: skip
    """Write the gradient for the filters to `gW`.

    Args:
        deterministic: whether the same input gives the same bits each time; nothing is timed then.
        auto_tune, tensor_core, d_layout, w_layout: as for `convolution_forward`.

    Raises:
        CuDNNError, RuntimeError: as for `convolution_forward`.

    New code: `ops.convolution_backward_filter`.
    """
    _check((x, gy, gW), tensor_core, gW)
    time = bool(auto_tune) and not deterministic
    kind = ConvolutionBackwardFilter
    op = _operation(kind, pad, stride, dilation, groups, time, bool(deterministic))
    given = _channels_second(contiguous(x), d_layout), _channels_second(contiguous(gy), d_layout)
    out = _channels_second(gW, w_layout)
    try:
        op(*given, tuple(out.shape), out=out)
    except errors.CudnnError as error:
        arrays = {"x": x, "gy": gy, "gW": gW}
        _refuse(error, "bwd filter", "cudnnConvolutionBackwardFilter", arrays)


def convolution_backward_data(
    W: Ndarray, x: Ndarray, b: Ndarray | None, y: Ndarray, pad: Sequence[int],
    stride: Sequence[int], dilation: Sequence[int], groups: int, *, deterministic: bool,
    auto_tune: bool, tensor_core: str, d_layout: int = _NCHW, w_layout: int = _NCHW,
) -> None:  # fmt: skip
    """Write the gradient for the input to `y`: `x` is the gradient of the result, `b` is added.

    Args:
        deterministic: whether the same input gives the same bits each time; nothing is timed then.
        auto_tune, tensor_core, d_layout, w_layout: as for `convolution_forward`.

    Raises:
        CuDNNError, RuntimeError: as for `convolution_forward`.

    New code: `ops.convolution_backward_data`, `ops.convolution_transpose`.
    """
    arrays = [each for each in (W, x, y, b) if each is not None]
    _check(arrays, tensor_core, y)
    time = bool(auto_tune) and not deterministic
    kind = ConvolutionBackwardData
    op = _operation(kind, pad, stride, dilation, groups, time, bool(deterministic))
    given = _channels_second(contiguous(x), d_layout), _channels_second(contiguous(W), w_layout)
    out = _channels_second(y, d_layout)
    try:
        op(*given, tuple(out.shape), out=out)
    except errors.CudnnError as error:
        named = {"W": W, "x": x, "b": b, "y": y}
        _refuse(error, "bwd data", "cudnnConvolutionBackwardData", named)
    if b is not None:
        bias = contiguous(b).reshape((1, -1) + (1,) * (y.ndim - 2))
        b_desc, y_desc = nd_tensor(bias), create_tensor_descriptor(y, d_layout)
        cudnn.addTensor_v3(
            get_handle(), 1.0, b_desc.value, bias.data.ptr, 1.0, y_desc.value, y.data.ptr
        )
