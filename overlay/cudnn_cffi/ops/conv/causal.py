"""Causal convolutions along sequences, directly and by FFT, for releases that have them."""

from __future__ import annotations

import math
from typing import Any, ClassVar, Generic, NamedTuple

from ... import arrays, errors, library
from ..._lookup import calls, has
from ..._operation.functions import function
from ..._operation.operation import Operation
from ..._ways.array_spec import Spec, check_dtype, check_shape, refuse_gaps
from ..._ways.call_sequence import Steps, packed
from ..._ways.case import Case, Unfit
from ..._ways.classic_call import Classic
from ..._ways.type_variables import ArrayT
from ...choice.policy import Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Unpack

    from ..._ways.signatures import Array, ArrayT, CallStream, Choose, Handle, Out, WithOut


class CausalGradients(NamedTuple, Generic[ArrayT]):
    """The gradients of a causal convolution; the bias's is None if there was none."""

    x: ArrayT
    weight: ArrayT
    bias: ArrayT | None


class FFTCausalResults(NamedTuple, Generic[ArrayT]):
    """The results of a causal convolution by FFT.

    Attributes:
        y: the result.
        reserve: bytes for the gradient of a long one; None for others.
    """

    y: ArrayT
    reserve: ArrayT | None


class FFTCausalGradients(NamedTuple, Generic[ArrayT]):
    """The gradients of a causal convolution by FFT."""

    x: ArrayT | None
    weight: ArrayT | None


def needed(function: str, since: str, instead: str = "") -> None:
    """Refuse an operation whose C function the loaded release does not have.

    Raises:
        Unfit: it says since when there is one.
    """
    if not has(function):
        raise Unfit(
            f"{function} was added in cuDNN {since}, {library.load().version} is loaded",
            hint=instead,
        )


class _Causal(Operation):
    """The base of causal convolutions and their gradients."""

    ways = ("classic",)

    def _sizes(self, case: Case) -> tuple[int, int, int, int]:
        """Return batch, channels, time, and the elements of a filter; refuse what does not fit."""
        options = self.options
        x, weight = case.inputs.get("x", case.inputs.get("dy")), case.inputs.get("weight")
        assert x is not None
        name = "x" if "x" in case.inputs else "dy"
        last = options.get("channels_last", False)
        form = "(batch, time, channels)" if last else "(batch, channels, time)"
        if len(x.shape) != 3:
            raise errors.ShapeMismatchError(f"{name}: expected {form}, got {x.shape}")
        if x.dtype not in ("float32", "float16", "bfloat16"):
            raise errors.ArgumentError(
                f"{name}: expected float32, float16 or bfloat16, got {x.dtype}"
            )
        batch, channels, time = (x.shape[0], x.shape[2], x.shape[1]) if last else x.shape
        kernel = options.get("kernel")
        if weight is not None:
            if len(weight.shape) != 2 or weight.shape[0] != channels:
                raise errors.ShapeMismatchError(
                    f"weight: expected ({channels}, elements of a filter), got {weight.shape}"
                )
            kernel = weight.shape[1]
        for other, shape in (("dy", x.shape), ("bias", (channels,))):
            each = case.inputs.get(other)
            if each is not None:
                check_shape(each, shape, other)
        for other, each in (*case.inputs.items(), *case.outputs.items()):
            if other == "reserve":
                continue
            if other in case.inputs:
                check_dtype(each, x.dtype, other)
            refuse_gaps(each, other)
        return batch, channels, time, int(kernel or 0)

    def results(self, case: Case) -> dict[str, Spec]:
        self._sizes(case)
        return {"y": packed(case.inputs["x"].shape, case.inputs["x"])}

    @staticmethod
    def _call(steps: Steps, function: str, *arguments: Any) -> None:
        """Add a call of a function that takes a stream instead of a handle."""
        names = [isinstance(each, str) for each in arguments]

        def step(handle: Handle, at: Any) -> None:
            given = [
                at[each] if is_name else each
                for each, is_name in zip(arguments, names, strict=True)
            ]
            getattr(calls, function)(handle.get_stream(), *given)

        steps.then(step, function)


class _Short(_Causal):
    """The base of short causal convolutions and their gradients."""

    _functions: ClassVar[tuple[str, str]] = ("", "")

    def __init__(
        self, activation: str | None = None, *, channels_last: bool = False, choose: Choose = None
    ) -> None:
        """Make a causal convolution.

        Args:
            activation: None, or "silu", which is x * sigmoid(x).
            channels_last: whether arrays are (batch, time, channels).
            choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.
        """
        if activation not in (None, "identity", "silu", "swish"):
            raise errors.ArgumentError(f'activation: expected None or "silu", got {activation!r}')
        word = None if activation in (None, "identity") else "silu"
        super().__init__(choose, activation=word, channels_last=channels_last)

    def _function(self) -> tuple[str, Any]:
        """Return the C function and the member for the activation."""
        last = self.options["channels_last"]
        name = self._functions[last]
        needed(
            name, "9.24.0" if last else "9.22.0",
            "Convolution(padding=((elements of a filter - 1, 0),)) does the same with weights "
            "(channels, 1, elements)",
        )  # fmt: skip
        word = "SILU" if self.options["activation"] else "IDENTITY"
        return name, arrays.member("CausalConv1dActivation", word)


class CausalConvolution(_Short):
    """A convolution of each channel with a filter of its own, which sees no later elements.

    y[n, c, t] = f(bias[c] + sum over k of weight[c, k] * x[n, c, t - K + 1 + k]).

    Formula: f(bias + sum over k of weight[c, k] x[n, c, t - K + 1 + k])
    Arrays: x (batch, channels, time), weight (channels, K)
    Ways: the first function since 9.22, the second, for channels last, since 9.24
    """

    word = "causal_convolution"
    by = "`cudnnCausalConv1dForward`, `cudnnCausalConv1dNwhForward`"
    gradient = ("causal_convolution_backward",)
    _functions = ("cudnnCausalConv1dForward", "cudnnCausalConv1dNwhForward")

    def __call__(
        self, x: ArrayT, weight: Array, bias: Array | None = None, *, out: Out = None,
        handle: Handle | None = None, stream: CallStream = ..., choose: Choose = None,
    ) -> ArrayT:  # fmt: skip
        """Convolve.

        Args:
            x: (batch, channels, time), or (batch, time, channels) with `channels_last`, in C order.
            weight: the filters, (channels, elements).
            bias: a number for each channel.
            out, handle, stream, choose: as for `Convolution`.
        """
        return self.run((x, weight, bias), out, handle, stream, choose)

    def classic(self, case: Case, rule: Rule, handle: Handle) -> Classic:
        """Return the call of `cudnnCausalConv1dForward` or `cudnnCausalConv1dNwhForward`."""
        name, activation = self._function()
        steps, bias = _with_bias(case, handle, self._sizes(case)[1])
        kind = arrays.data_type(case.inputs["x"].dtype)
        self._call(steps, name, "x", "weight", bias, "y", *self._sizes(case), kind, activation)
        return steps.classic(deterministic=None)

    def backward(
        self,
        dy: ArrayT,
        x: Array,
        weight: Array,
        bias: Array | None = None,
        **call: Unpack[WithOut],
    ) -> CausalGradients[ArrayT]:
        """Return the gradients; see `CausalConvolutionBackward`."""
        backward = self._like(CausalConvolutionBackward, **self.options)
        return backward(dy, x, weight, bias, **call)


class CausalConvolutionBackward(_Short):
    """The gradients of a causal convolution for input, filters and bias.

    Formula: for x, weight and bias; the last two float32
    Arrays: dy, x, weight
    """

    word = "causal_convolution_backward"
    by = "`cudnnCausalConv1dBackward`, `cudnnCausalConv1dNwhBackward`"
    section = "data"
    gives: tuple[str, ...] = ("dx", "dweight", "dbias")
    _functions = ("cudnnCausalConv1dBackward", "cudnnCausalConv1dNwhBackward")

    def __call__(
        self, dy: ArrayT, x: Array, weight: Array, bias: Array | None = None, *, out: Out = None,
        handle: Handle | None = None, stream: CallStream = ..., choose: Choose = None,
    ) -> CausalGradients[ArrayT]:  # fmt: skip
        """Compute the gradients; those of filters and bias are float32.

        Args:
            dy: the gradient of the result.
            x, weight, bias: as in the forward call.
            out: the gradients, with None for those to be made.
            handle, stream, choose: as for `Convolution`.
        """
        found = self.run((dy, x, weight, bias), out, handle, stream, choose)
        return CausalGradients(*found)

    def results(self, case: Case) -> dict[str, Spec]:
        _, channels, _, kernel = self._sizes(case)
        x = case.inputs["x"]
        return {
            "dx": packed(x.shape, x), "dweight": packed((channels, kernel), x, "float32"),
            "dbias": packed((channels,), x, "float32"),
        }  # fmt: skip

    def classic(self, case: Case, rule: Rule, handle: Handle) -> Classic:
        """Return the call of `cudnnCausalConv1dBackward` or `cudnnCausalConv1dNwhBackward`."""
        name, activation = self._function()
        sizes = self._sizes(case)
        steps, bias = _with_bias(case, handle, sizes[1])
        for each in ("dweight", "dbias"):  # cuDNN adds to them
            steps.zero(each, 4 * math.prod(case.outputs[each].shape))
        kinds = arrays.data_type(case.inputs["x"].dtype), arrays.data_type("float32")
        self._call(
            steps, name, "x", "weight", bias, "dy", "dx", "dweight", "dbias", *sizes, *kinds,
            activation,
        )  # fmt: skip
        return steps.classic(deterministic=False)


def _with_bias(case: Case, handle: Handle, channels: int) -> tuple[Steps, str]:
    """Return steps, and the name of the bias: zeros, where there is none."""
    steps = Steps(case.inputs, case.outputs)
    if "bias" in case.inputs:
        return steps, "bias"
    return steps, steps.constant("zeros", handle, [0.0] * channels, case.inputs["x"].dtype)


class FFTCausalConvolution(_Causal):
    """A causal convolution whose filters may be as long as the sequences, by FFT.

    Formula: as `causal_convolution`, for long filters
    Arrays: x, weight
    Ways: since 9.26; the second function with `long=True`
    """

    word = "fft_causal_convolution"
    by = "`cudnnFFTCausalConv1dForward`, `cudnnLongFFTCausalConv1dForward`"
    gradient = ("fft_causal_convolution_backward",)

    def __init__(self, *, long: bool = False, choose: Choose = None) -> None:
        """Make a causal convolution by FFT.

        Args:
            long: whether to use the functions for long sequences, which take memory for it.
            choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.
        """
        super().__init__(choose, long=long)

    def __call__(
        self, x: ArrayT, weight: Array, *, out: Out = None, handle: Handle | None = None,
        stream: CallStream = ..., choose: Choose = None,
    ) -> FFTCausalResults[ArrayT]:  # fmt: skip
        """Convolve.

        Args:
            x: (batch, channels, time), in C order.
            weight: the filters, (channels, elements).
            out, handle, stream, choose: as for `Convolution`.
        """
        found = self.run((x, weight), out, handle, stream, choose)
        return FFTCausalResults(*found) if self.options["long"] else FFTCausalResults(found, None)

    def classic(self, case: Case, rule: Rule, handle: Handle) -> Classic:
        """Return `cudnnFFTCausalConv1dForward` or `cudnnLongFFTCausalConv1dForward`."""
        x, sizes = case.inputs["x"], self._sizes(case)
        kind = arrays.data_type(x.dtype)
        if not self.options["long"]:
            needed("cudnnFFTCausalConv1dForward", "9.26.0")
            steps = Steps(case.inputs, case.outputs)
            self._call(steps, "cudnnFFTCausalConv1dForward", "x", "weight", "y", *sizes, kind)
            return steps.classic(deterministic=None)
        needed("cudnnLongFFTCausalConv1dForward", "9.26.0")
        room, kept = calls.cudnnLongFFTCausalConv1dGetBufferSizes(*sizes, kind)
        reserve = Spec("uint8", (max(kept, 1),), (1,), x.device)
        steps = Steps(case.inputs, {**case.outputs, "reserve": reserve})
        scratch = steps.room("scratch", room) if room else None
        self._call(
            steps, "cudnnLongFFTCausalConv1dForward", "x", "weight", "y", *sizes, kind, scratch,
            room, "reserve", kept,
        )  # fmt: skip
        return steps.classic(deterministic=None)

    def backward(
        self,
        dy: ArrayT,
        x: Array,
        weight: Array,
        reserve: Array | None = None,
        **call: Unpack[WithOut],
    ) -> FFTCausalGradients[ArrayT]:
        """Return the gradients; see `FFTCausalConvolutionBackward`."""
        settings = {}
        if reserve is not None:
            settings["kernel"] = Spec.of(weight, "weight").shape[-1]
        backward = self._like(FFTCausalConvolutionBackward, **settings)
        if reserve is not None:
            return backward(dy, reserve=reserve, **call)
        return backward(dy, x, weight, **call)


class FFTCausalConvolutionBackward(_Causal):
    """The gradients of a causal convolution by FFT for input and filters.

    Formula: for x and weight
    Arrays: dy, x, weight; of a long one dy and `reserve`
    """

    word = "fft_causal_convolution_backward"
    by = "`cudnnFFTCausalConv1dBackward`, `cudnnLongFFTCausalConv1dBackward`"
    section = "data"
    gives: tuple[str, ...] = ("dx", "dweight")

    def __init__(self, kernel: int | None = None, *, choose: Choose = None) -> None:
        """Make the gradients.

        Args:
            kernel: the elements of a filter, for what a long convolution kept.
            choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.
        """
        if kernel is not None and (
            not isinstance(kernel, int) or isinstance(kernel, bool) or kernel < 1
        ):
            raise errors.ArgumentError(f"kernel: expected 1 or more, got {kernel!r}")
        super().__init__(choose, kernel=kernel)

    def __call__(
        self, dy: ArrayT, x: Array | None = None, weight: Array | None = None,
        reserve: Array | None = None, *, out: Out = None, handle: Handle | None = None,
        stream: CallStream = ..., choose: Choose = None,
    ) -> FFTCausalGradients[ArrayT]:  # fmt: skip
        """Compute the gradients.

        Args:
            dy: the gradient of the result.
            x, weight: as in the forward call; not for a long one.
            reserve: returned by a long one.
            out: the gradients, with None for those to be made.
            handle, stream, choose: as for `Convolution`.
        """
        given = (dy, x, weight, reserve)
        return FFTCausalGradients(*self.run(given, out, handle, stream, choose))

    def results(self, case: Case) -> dict[str, Spec]:
        specs = case.inputs
        if "reserve" in specs:
            if "x" in specs or "weight" in specs or self.options["kernel"] is None:
                raise errors.ArgumentError(
                    "reserve: expected an operation with kernel, and neither x nor weight"
                )
        elif "x" not in specs or "weight" not in specs:
            raise errors.ArgumentError("x: expected x and weight, or reserve, got None")
        batch, channels, time, kernel = self._sizes(case)
        dy = specs["dy"]
        return {
            "dx": packed((batch, channels, time), dy),
            "dweight": packed((channels, kernel), dy),
        }

    def classic(self, case: Case, rule: Rule, handle: Handle) -> Classic:
        """Return `cudnnFFTCausalConv1dBackward` or `cudnnLongFFTCausalConv1dBackward`."""
        dy, sizes = case.inputs["dy"], self._sizes(case)
        kind = arrays.data_type(dy.dtype)
        steps = Steps(case.inputs, case.outputs)
        if "reserve" not in case.inputs:
            needed("cudnnFFTCausalConv1dBackward", "9.26.0")
            self._call(
                steps, "cudnnFFTCausalConv1dBackward", "x", "weight", "dy", "dx", "dweight",
                *sizes, kind,
            )  # fmt: skip
            return steps.classic(deterministic=None)
        needed("cudnnLongFFTCausalConv1dBackward", "9.26.0")
        room, kept = calls.cudnnLongFFTCausalConv1dGetBufferSizes(*sizes, kind)
        if case.inputs["reserve"].shape != (max(kept, 1),):
            raise errors.ArgumentError(
                f"reserve: expected {kept} bytes, got {case.inputs['reserve'].shape}"
            )
        scratch = steps.room("scratch", room) if room else None
        self._call(
            steps, "cudnnLongFFTCausalConv1dBackward", "dy", "dx", "dweight", *sizes, kind, scratch,
            room, "reserve", kept,
        )  # fmt: skip
        return steps.classic(deterministic=None)


causal_convolution = function(
    CausalConvolution,
    summary=(
        "Convolve each channel with its own filter, which sees no later elements.\n"
        "\n"
        "y[n, c, t] = f(bias[c] + sum over k of weight[c, k] * x[n, c, t - K + 1 + k])."
    ),
)


causal_convolution_backward = function(
    CausalConvolutionBackward,
    summary=("Return the gradients of a causal convolution for input, filters and bias."),
)


fft_causal_convolution = function(
    FFTCausalConvolution,
    summary=("Convolve causally by FFT, with filters that may be as long as the sequences."),
)


fft_causal_convolution_backward = function(
    FFTCausalConvolutionBackward,
    summary="Return the gradients of a causal convolution by FFT.",
)
