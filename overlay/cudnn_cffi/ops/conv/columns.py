"""Windows as columns and back, and blocks of pixels as channels and back."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any, ClassVar, cast

from ... import arrays, errors
from ..._lookup import calls
from ..._operation.functions import function
from ..._operation.operation import Operation
from ..._operation.sharing import shared
from ..._support.arguments import whole
from ..._ways.array_spec import Spec, check_shape, widened
from ..._ways.call_sequence import Steps, packed
from ..._ways.case import Case, Unfit
from ..._ways.classic_call import Classic, describe
from ...choice.policy import Rule
from ...descriptors import (
    ConvolutionDescriptor,
    FilterDescriptor,
    TensorDescriptor,
    TensorTransformDescriptor,
)
from ...errata import asks as errata
from ...graph.arguments import per_dimension
from .backward import ConvolutionBackwardData
from .base import both_sides, laid_out

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, TypeAlias, Unpack

    from ..._ways.signatures import (
        ArrayT,
        CallStream,
        Choose,
        Extents,
        Handle,
        Out,
        Padding,
        PlainLayout,
        WithOut,
    )
    from ...enum_words import FoldingDirectionLike

    Format: TypeAlias = Literal["NCHW", "NHWC"]


class _Columns(Operation):
    """The base of windows as columns and their gradient."""

    ways = ("classic",)

    def __init__(
        self, window: Extents, stride: Extents = 1, padding: Padding = 0, dilation: Extents = 1, *,
        choose: Choose = None, **more: Any,
    ) -> None:  # fmt: skip
        super().__init__(
            choose, window=window, stride=stride, padding=padding, dilation=dilation, **more
        )

    def _numbers(self, count: int) -> tuple[tuple[int, ...], ...]:
        """Return window, stride, padding and dilation of each dimension."""
        options = self.options
        window, stride, dilation = (
            tuple(per_dimension(options[name], count, name, 1))
            for name in ("window", "stride", "dilation")
        )
        before, after = both_sides(options["padding"], count)
        if before != after:
            raise errors.ArgumentError(
                f"padding: expected the same on both sides, got {options['padding']!r}"
            )
        return window, stride, tuple(before), dilation

    def _extents(self, sizes: Sequence[int], name: str) -> tuple[int, ...]:
        """Return how often the window fits along each dimension."""
        found = tuple(
            (n + 2 * p - d * (k - 1) - 1) // s + 1
            for n, k, s, p, d in zip(sizes, *self._numbers(len(sizes)), strict=True)
        )
        if min(found) < 1:
            raise errors.ShapeMismatchError(
                f"{name}: the spatial extents {tuple(sizes)} are less than the window"
            )
        return found

    def _columns(self, shape: Sequence[int], like: Spec, name: str) -> Spec:
        """Return the columns of images of a shape.

        In memory each element of the windows of all images is a row.
        """
        batch, channels, *sizes = shape
        count = math.prod(self._extents(sizes, name))
        rows = channels * math.prod(self._numbers(len(sizes))[0])
        strides = (count, batch * count, 1)
        return Spec(like.dtype, (batch, rows, count), strides, like.device)

    @staticmethod
    def _check_image(shape: Sequence[int], name: str) -> None:
        if not 3 <= len(shape) <= 4 or min(shape[1:]) < 1:
            raise errors.ArgumentError(
                f"{name}: expected (N, C, W) or (N, C, H, W), got {tuple(shape)}"
            )


class Im2Col(_Columns):
    """Windows as columns: y[n, c * kernel + k, l] is element k of window l in channel c.

    Formula: windows as columns: (N, C * elements of the window, windows)
    Arrays: x (N, C, W) or (N, C, H, W)
    """

    word = "im2col"
    by = "`cudnnIm2Col`"
    gradient = ("col2im",)

    def __init__(
        self, window: Extents, stride: Extents = 1, padding: Padding = 0, dilation: Extents = 1, *,
        choose: Choose = None,
    ) -> None:  # fmt: skip
        """Make the operation.

        Args:
            window: its extents: a number, or one for each spatial dimension.
            stride: the step from window to window, likewise.
            padding: zeros on both sides of each dimension, likewise.
            dilation: the step from element to element of a window, likewise.
            choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.
        """
        super().__init__(window, stride, padding, dilation, choose=choose)

    def __call__(
        self,
        x: ArrayT,
        *,
        out: Out = None,
        handle: Handle | None = None,
        stream: CallStream = ...,
        choose: Choose = None,
    ) -> ArrayT:
        """Return (N, C * elements of the window, windows), as PyTorch's unfold has them.

        In memory one element of all windows of all images follows the other: (C * elements of the
        window, N * windows), which is C order for one image.

        Args:
            x: (N, C, W) or (N, C, H, W).
            out, handle, stream, choose: as for `Convolution`.
        """
        return self.run((x,), out, handle, stream, choose)

    def results(self, case: Case) -> dict[str, Spec]:
        x = case.inputs["x"]
        self._check_image(x.shape, "x")
        wanted = self._columns(x.shape, x, "x")
        _same_strides(case, "y", wanted)
        return {"y": wanted}

    def classic(self, case: Case, rule: Rule, handle: Handle) -> Classic:
        """Return the call of `cudnnIm2Col`."""
        x = case.inputs["x"]
        count = len(x.shape) - 2
        window, stride, padding, dilation = self._numbers(count)
        more = 2 - count
        filters = FilterDescriptor.packed((1, x.shape[1], *(1,) * more, *window), x.dtype)
        sliding = ConvolutionDescriptor.cross_correlation(
            (0,) * more + padding, (1,) * more + stride, (1,) * more + dilation, compute="float32"
        )
        steps = Steps(case.inputs, case.outputs)
        steps.call("cudnnIm2Col", describe(widened(x, True)), "x", filters, sliding, "y")
        return steps.classic()

    def backward(self, dy: ArrayT, shape: Sequence[int], **call: Unpack[WithOut]) -> ArrayT:
        """Return the gradient for images of a shape; see `Col2Im`."""
        names = ("window", "stride", "padding", "dilation")
        options = {name: self.options[name] for name in names}
        return shared(Col2Im, {"shape": whole(shape, "shape"), **options})(dy, **call)


class Col2Im(_Columns):
    """Images as sums of columns: the gradient of `Im2Col`, and its inverse if no windows overlap.

    It is the gradient of a convolution whose filters are ones and zeros: an infinite element makes
    NaN of its neighbours.

    Formula: sums of columns: the gradient of `im2col`
    Arrays: columns, `shape` of x
    Ways: with ones and zeros as filters
    """

    word = "col2im"
    by = "`cudnnConvolutionBackwardData`, or by a graph (CONVOLUTION_BACKWARD_DATA)"
    gradient = ("im2col",)
    section = "data"
    gives: tuple[str, ...] = ("x",)

    def __init__(
        self, shape: Sequence[int], window: Extents, stride: Extents = 1, padding: Padding = 0,
        dilation: Extents = 1, *, choose: Choose = None,
    ) -> None:  # fmt: skip
        """Make the operation.

        Args:
            shape: of the images, (N, C, W) or (N, C, H, W); their number is that of the array.
            window, stride, padding, dilation, choose: as for `Im2Col`.
        """
        extents = whole(shape, "shape")
        self._check_image(extents, "shape")
        super().__init__(window, stride, padding, dilation, choose=choose, shape=extents)

    def __call__(
        self,
        y: ArrayT,
        *,
        out: Out = None,
        handle: Handle | None = None,
        stream: CallStream = ...,
        choose: Choose = None,
    ) -> ArrayT:
        """Return the images.

        Args:
            y: the columns, or their gradient, in C order or as `Im2Col` returns them.
            out, handle, stream, choose: as for `Convolution`.
        """
        return self.run((y,), out, handle, stream, choose)

    def results(self, case: Case) -> dict[str, Spec]:
        y, shape = case.inputs["y"], self.options["shape"]
        wanted = self._columns((y.shape[0] if y.shape else 0, *shape[1:]), y, "shape")
        check_shape(y, wanted.shape, "y")
        if not self._is_plain(y) and not arrays.same_strides(y.shape, y.strides, wanted.strides):
            raise errors.ArgumentError(
                f"y: expected C order, or strides of {wanted.strides} elements, got {y.strides}"
            )
        made = packed((y.shape[0], *shape[1:]), y)
        _same_strides(case, "x", made)
        return {"x": made}

    def classic(self, case: Case, rule: Rule, handle: Handle) -> Classic:
        """Return the gradient of a convolution with a filter for each element of the window.

        Each has a one at that element. Channels are examples of one channel here.
        """
        y, x = case.inputs["y"], case.outputs["x"]
        window, stride, padding, dilation = self._numbers(len(x.shape) - 2)
        kernel, count = math.prod(window), x.shape[0] * x.shape[1]
        dy = packed((count, kernel, *self._extents(x.shape[2:], "shape")), y)
        filters, image = packed((kernel, 1, *window), y), packed((count, 1, *x.shape[2:]), y)
        inner = ConvolutionBackwardData(padding, stride, dilation)
        steps, source = Steps(case.inputs, case.outputs), "y"
        if not self._is_plain(y):
            source = steps.room("columns", dy)
            shape = (*y.shape, 1)
            a = describe(y._replace(shape=shape, strides=(*y.strides, 1)))
            steps.call("cudnnTransformTensor", 1.0, a, "y", 0.0, describe(packed(shape, y)), source)
        else:
            dy = dy._replace(alignment=y.alignment)
        part = Case(
            {"dy": dy, "w": filters}, {"dx": image._replace(alignment=x.alignment)},
            call={"shape": image.shape},
        )  # fmt: skip
        way = inner.find_way(part, rule._replace(tf32=False, pick="heuristic"), handle, None)
        ones = [float(i % (kernel + 1) == 0) for i in range(kernel * kernel)]
        steps.constant("ones", handle, ones, y.dtype)
        steps.way(way, {"dy": source, "w": "ones", "dx": "x"})
        return steps.classic(deterministic=None)

    @staticmethod
    def _is_plain(y: Spec) -> bool:
        return arrays.same_strides(y.shape, y.strides, arrays.packed_strides(y.shape))


class _Folding(Operation):
    """The base of folding and unfolding."""

    ways = ("classic",)
    _direction: ClassVar[FoldingDirectionLike]

    def __init__(
        self, factor: Extents = 2, *, layout: PlainLayout | None = None, choose: Choose = None
    ) -> None:
        """Make the operation.

        Args:
            factor: the extents of a block: a number, or one for each spatial dimension.
            layout: of the result, "NCHW" or "NHWC"; by default that of the input.
            choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.
        """
        if layout not in (None, "NCHW", "NHWC"):
            raise errors.ArgumentError(f'layout: expected "NCHW" or "NHWC", got {layout!r}')
        super().__init__(choose, factor=factor, layout=layout)

    def __call__(
        self, x: ArrayT, *, out: Out = None, alpha: float = 1.0, beta: float = 0.0,
        handle: Handle | None = None, stream: CallStream = ..., choose: Choose = None,
    ) -> ArrayT:  # fmt: skip
        """Rearrange.

        Args:
            x: (N, C, H, W) or (N, C, D, H, W).
            out, alpha, beta, handle, stream, choose: as for `Convolution`.
        """
        return self.run((x,), out, handle, stream, choose, alpha, beta)

    def _factors(self, x: Spec) -> tuple[int, ...]:
        if not 4 <= len(x.shape) <= 5:
            raise errors.ArgumentError(f"x: expected 4 or 5 axes, got {len(x.shape)}")
        return tuple(per_dimension(self.options["factor"], len(x.shape) - 2, "factor", 1))

    def _shape(self, x: Spec) -> tuple[int, ...]:
        raise NotImplementedError

    def results(self, case: Case) -> dict[str, Spec]:
        x = case.inputs["x"]
        shape, layout = self._shape(x), self.options["layout"]
        if layout is None:
            layout = laid_out(x.shape, x).layout
        made = Spec.like(shape, x.dtype, layout)._replace(device=x.device)
        _same_strides(case, "y", made)
        return {"y": made}

    def classic(self, case: Case, rule: Rule, handle: Handle) -> Classic:
        """Return the call of `cudnnTransformTensorEx`."""
        x, y = case.inputs["x"], case.outputs["y"]
        change = TensorTransformDescriptor.of(
            cast("Format", y.layout),
            fold=self._factors(x),
            direction=self._direction,
            axes=len(x.shape),
        )
        steps, name = Steps(case.inputs, case.outputs), "x"
        facts: errata.Call = {"falling": self._direction == "UNFOLD" or self._falls(x)}
        is_wrong = errata.wrong_function("cudnnTransformTensorEx", facts, self.device_of(case))
        if is_wrong or not _may_change(change, x):
            made = packed(x.shape, x)
            name = steps.room("copy", made)
            steps.copy(x, "x", made, name)
            x = made
        source, target = describe(x), TensorDescriptor()
        calls.cudnnInitTransformDest(change, source, target)
        if target.shape != y.shape:
            raise Unfit(f"cuDNN would fold {x.shape} to {target.shape}")
        steps.call(
            "cudnnTransformTensorEx", change, case.alpha, source, name, case.beta, target, "y"
        )
        return steps.classic()

    def _falls(self, x: Spec) -> bool:
        """Return whether steps along the axes of blocks fall from each to the next."""
        factors = self._factors(x)
        steps = [step for step, f in zip(x.strides[2:], factors, strict=True) if f > 1]
        return all(one > other for one, other in itertools.pairwise(steps))


class Fold(_Folding):
    """Blocks of pixels become channels: (N, C, H, W) becomes (N, C * f * f, H / f, W / f).

    Channel c of the pixel at (i, j) of a block is channel (i * f + j) * C + c of the result.

    Formula: blocks of f * f pixels as channels
    Arrays: (N, C, [D,] H, W)
    """

    word = "fold"
    by = "`cudnnTransformTensorEx`"
    gradient = ("unfold",)
    _direction = "FOLD"

    def _shape(self, x: Spec) -> tuple[int, ...]:
        factors = self._factors(x)
        if any(n % f for n, f in zip(x.shape[2:], factors, strict=True)):
            raise errors.ShapeMismatchError(
                f"x: expected spatial extents that are multiples of {factors}, got {x.shape[2:]}"
            )
        sizes = [n // f for n, f in zip(x.shape[2:], factors, strict=True)]
        return (x.shape[0], x.shape[1] * math.prod(factors), *sizes)


class Unfold(_Folding):
    """The inverse of `Fold`, and its gradient: channels become blocks of pixels.

    Formula: channels as blocks of f * f pixels: the inverse of `fold`
    Arrays: (N, C, [D,] H, W)
    """

    word = "unfold"
    by = "`cudnnTransformTensorEx`"
    gradient = ("fold",)
    _direction = "UNFOLD"

    def _shape(self, x: Spec) -> tuple[int, ...]:
        factors = self._factors(x)
        if x.shape[1] % math.prod(factors):
            raise errors.ShapeMismatchError(
                f"x: expected a multiple of {math.prod(factors)} channels, got {x.shape[1]}"
            )
        sizes = [n * f for n, f in zip(x.shape[2:], factors, strict=True)]
        return (x.shape[0], x.shape[1] // math.prod(factors), *sizes)


def _may_change(change: TensorTransformDescriptor, x: Spec) -> bool:
    """Return whether cuDNN takes an array as it is: one of five axes has no gaps."""
    try:
        calls.cudnnInitTransformDest(change, describe(x), TensorDescriptor())
    except errors.NotSupportedError:
        return False
    return True


def _same_strides(case: Case, name: str, wanted: Spec) -> None:
    """Refuse an output with another layout than cuDNN writes."""
    target = case.outputs.get(name)
    if target is None or target.shape != wanted.shape:
        return
    if not arrays.same_strides(target.shape, target.strides, wanted.strides):
        raise errors.ArgumentError(
            f"out: expected strides of {wanted.strides} elements, got {target.strides}"
        )


im2col = function(
    Im2Col,
    summary="Return windows as columns: (N, C * elements of the window, windows).",
    order="x window stride padding dilation",
)


col2im = function(
    Col2Im,
    summary=(
        "Return images as sums of columns: the gradient of `im2col`.\n"
        "\n"
        "It is the gradient of a convolution whose filters are ones and zeros: an "
        "infinite element makes\n"
        "NaN of its neighbours."
    ),
    order="y shape window stride padding dilation",
)


fold = function(
    Fold,
    summary=(
        "Make channels of blocks of pixels: (N, C, H, W) becomes (N, C * f * f, H / f, W / f)."
    ),
    order="x factor",
)


unfold = function(
    Unfold,
    summary=("Make blocks of pixels of channels: the inverse of `fold`, and its gradient."),
    order="x factor",
)
