"""Cross entropy over softmax, of probabilities or of labels, and its gradient."""

from __future__ import annotations

import math
from typing import Any

from ... import arrays, errors
from ..._lookup import calls
from ..._operation.functions import function
from ..._operation.operation import Operation
from ..._support.arguments import integers, reals
from ..._ways.array_spec import Spec, check_dtype, check_shape
from ..._ways.call_sequence import Steps
from ..._ways.case import Case
from ..._ways.classic_call import Classic, describe
from ...choice.policy import Rule
from ...descriptors import OpTensorDescriptor, ReduceTensorDescriptor
from ..element.reduction_kernels import by_kernel
from ..element.softmax import add_logarithms
from .label_rows import LABELS, Labels

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Unpack

    from ..._ways.signatures import Array, ArrayT, CallStream, Choose, Handle, Out, WithOut


class _CrossEntropy(Operation):
    """The base of cross entropy and its gradient."""

    ways = ("classic",)

    def __init__(
        self, reduction: str = "mean", *, ignore_index: int = -100, label_smoothing: float = 0.0,
        choose: Choose = None,
    ) -> None:  # fmt: skip
        """Make a cross entropy.

        Args:
            reduction: "none" for the loss of each position, "sum", or "mean" over all positions; of
                labels, over the weights of those that are not ignored.
            ignore_index: the label of positions that do not count.
            label_smoothing: the part of 1 that labels share with all classes alike.
            choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.
        """
        if reduction not in ("none", "sum", "mean"):
            raise errors.ArgumentError(
                f'reduction: expected "none", "sum" or "mean", got {reduction!r}'
            )
        (smoothing,) = reals(label_smoothing=label_smoothing)
        if not 0 <= smoothing <= 1:
            raise errors.ArgumentError(f"label_smoothing: expected 0 to 1, got {smoothing}")
        (ignored,) = integers(ignore_index=ignore_index)
        if not -(1 << 24) < ignored < 1 << 24:
            raise errors.ArgumentError(f"ignore_index: expected less than 2 ** 24, got {ignored}")
        super().__init__(
            choose, reduction=reduction, ignore_index=ignored, label_smoothing=smoothing
        )

    @staticmethod
    def _has_labels(case: Case) -> bool:
        return case.inputs["target"].dtype in LABELS

    def _check(self, case: Case) -> tuple[Spec, Spec]:
        """Return the logits, and what the loss is."""
        x, target, weight = (case.inputs.get(name) for name in ("x", "target", "weight"))
        assert x is not None
        assert target is not None
        if len(x.shape) < 2:
            raise errors.ArgumentError(f"x: expected 2 axes or more, got {len(x.shape)}")
        if x.dtype not in ("float32", "float64", "float16", "bfloat16"):
            raise errors.ArgumentError(f"x: expected a floating-point type, got {x.dtype}")
        positions = (x.shape[0], *x.shape[2:])
        labels = self._has_labels(case)
        wanted = positions if labels else x.shape
        if target.shape != wanted:
            what = "labels" if labels else "probabilities"
            raise errors.ShapeMismatchError(
                f"target: expected {what} with the shape {wanted}, got {target.shape}"
            )
        if not labels and target.dtype != x.dtype:
            raise errors.ArgumentError(
                f"target: expected {x.dtype}, or labels as int32 or int64, got {target.dtype}"
            )
        if not labels and (weight is not None or self.options["label_smoothing"]):
            name = "label_smoothing" if weight is None else "weight"
            raise errors.ArgumentError(f"{name}: it is for labels, got probabilities")
        if weight is not None and (weight.dtype, weight.shape) != ("float32", (x.shape[1],)):
            raise errors.ArgumentError(
                f"weight: expected float32 ({x.shape[1]},), got {weight.dtype} {weight.shape}"
            )
        for name, each in (*case.inputs.items(), *case.outputs.items()):
            is_last = labels and name in ("x", "dx") and x.layout == "NHWC"
            plain = arrays.packed_strides(each.shape, "NHWC" if is_last else "NCHW")
            if not arrays.same_strides(each.shape, each.strides, plain):
                order = "the layout of x" if is_last else "C order"
                raise errors.ArgumentError(f"{name}: expected an array in {order}, got {each}")
        shape = positions if self.options["reduction"] == "none" else (1,)
        kind = "float32" if labels else x.dtype
        return x, Spec(kind, shape, arrays.packed_strides(shape), x.device)

    def _parts(self, x: Spec) -> tuple[Any, Any, int, float]:
        """Return descriptors of logits and of the loss, bytes of the logits, and a factor."""
        space = 1
        for extent in x.shape[2:]:
            space *= extent
        shape = (*x.shape[:2], space, 1)
        single = (x.shape[0], 1, space, 1)
        kind = self.options["reduction"]
        factor = 1 / (x.shape[0] * space) if kind == "mean" else 1.0
        one = single if kind == "none" else (1, 1, 1, 1)
        made = [
            describe(Spec(x.dtype, each, arrays.packed_strides(each), x.device))
            for each in (shape, one)
        ]
        size = x.shape[0] * x.shape[1] * space * arrays.itemsize(x.dtype)
        return made[0], made[1], -(-size // 256) * 256, factor

    @staticmethod
    def _multiply(x: Spec) -> Any:
        return OpTensorDescriptor.of("MUL", "float64" if x.dtype == "float64" else "float32")


class CrossEntropy(_CrossEntropy):
    """Cross entropy over softmax: loss = -sum over c of target_c * log(softmax(x)_c).

    For a label t it is -weight_t * log(softmax(x)_t); with smoothing s,
    -(1 - s) * weight_t * log(softmax(x)_t) - s / C * sum over c of weight_c * log(softmax(x)_c).

    Formula: -sum over c of target log softmax(x); of labels -weight log softmax(x)
    Arrays: x (N, C, ...); target like x, or labels (N, ...) of int32 or int64
    Ways: the graph for labels, after their softmax; `cudnnTransformTensor` for labels with spatial
        axes
    """

    word = "cross_entropy"
    by = (
        "`cudnnSoftmaxForward`, `cudnnOpTensor`, `cudnnReduceTensor`, "
        "`cudnnTransformTensor`, or by a graph (POINTWISE, REDUCTION)"
    )
    gradient = ("cross_entropy_backward",)
    gives: tuple[str, ...] = ("loss",)

    def __call__(
        self, x: ArrayT, target: Array, weight: Array | None = None, *, out: Out = None,
        handle: Handle | None = None, stream: CallStream = ..., choose: Choose = None,
    ) -> ArrayT:  # fmt: skip
        """Return the loss: (N, ...) with "none", else one element.

        Args:
            x: logits (N, C, ...), in C order; with labels also with channels last.
            target: probabilities of the same shape and type; or labels from 0 to C - 1, (N, ...) of
                int32 or int64, of which the lower 32 bits are read. Other labels have no loss.
            weight: of each class, (C,) float32; for labels.
            out, handle, stream, choose: as for `Convolution`.

        The loss has the type of `x`; that of labels is float32, of logarithms that are rounded to
        the type of `x`, as PyTorch's are.
        """
        return self.run((x, target, weight), out, handle, stream, choose)

    def results(self, case: Case) -> dict[str, Spec]:
        return {"loss": self._check(case)[1]}

    def by_classic(self, case: Case, rule: Rule, handle: Handle) -> Classic:
        """Return calls of classic functions, and of a kernel that sums, if there is one."""
        if not self._has_labels(case) and self.options["reduction"] != "none":
            x, loss = case.inputs["x"], case.outputs["loss"]
            products = Case({"products": x}, {"loss": loss}, -self._parts(x)[3])
            ones = (1,) * len(x.shape)
            whole = loss._replace(shape=ones, strides=ones)
            if total := by_kernel(products, "ADD", (x, whole), rule, handle):
                return self._of_probabilities(case, handle, total)
        return super().by_classic(case, rule, handle)

    def classic(self, case: Case, rule: Rule, handle: Handle) -> Classic:
        """Return calls of `cudnnSoftmaxForward`, `cudnnOpTensor` and `cudnnReduceTensor`.

        For labels, graphs follow the softmax.
        """
        if self._has_labels(case):
            return Labels(self.options, case, rule, handle).forward()
        return self._of_probabilities(case, handle)

    def _of_probabilities(
        self, case: Case, handle: Handle, total: Classic | None = None
    ) -> Classic:
        """Return the calls for probabilities; `total` sums the products, or `cudnnReduceTensor`."""
        x, steps = case.inputs["x"], Steps(case.inputs, case.outputs)
        desc, one, size, factor = self._parts(x)
        mode = arrays.member("SoftmaxMode", "CHANNEL" if len(x.shape) > 2 else "INSTANCE")
        logs = steps.room("logs", size)
        add_logarithms(steps, mode, x, x.shape[1], desc, logs)
        multiply = self._multiply(x)
        steps.call("cudnnOpTensor", multiply, 1.0, desc, logs, 1.0, desc, "target", 0.0, desc, logs)
        if total is not None:
            steps.way(total, {"products": logs, "loss": "loss"})
            return steps.classic()
        if math.prod(x.shape) == math.prod(case.outputs["loss"].shape):  # which is no reduction
            steps.call("cudnnTransformTensor", -factor, desc, logs, 0.0, one, "loss")
            return steps.classic()
        add = ReduceTensorDescriptor.of("ADD", "float64" if x.dtype == "float64" else "float32")
        needed = calls.cudnnGetReductionWorkspaceSize(handle, add, desc, one)
        room = steps.room("scratch", needed)
        steps.call(
            "cudnnReduceTensor", add, None, 0, room, needed, -factor, desc, logs, 0.0, one, "loss"
        )
        return steps.classic()

    def backward(
        self,
        dloss: ArrayT,
        x: Array,
        target: Array,
        weight: Array | None = None,
        **call: Unpack[WithOut],
    ) -> ArrayT:
        """Return the gradient for the logits; see `CrossEntropyBackward`."""
        backward = self._like(CrossEntropyBackward, **self.options)
        return backward(dloss, x, target, weight, **call)


class CrossEntropyBackward(_CrossEntropy):
    """The gradient of cross entropy over softmax for the logits.

    Formula: for x: dloss (softmax(x) sum of target - target)
    Arrays: dloss, x, target
    Ways: labels as in `cross_entropy`
    Edges: infinite logits, targets or weights: NaN; a row of -inf: NaN, or as if all its
        probabilities were 0 (PyTorch: NaN)
    """

    word = "cross_entropy_backward"
    by = "`cudnnSoftmaxForward`, `cudnnOpTensor`, `cudnnSoftmaxBackward`"
    section = "data"
    gives: tuple[str, ...] = ("dx",)

    def __call__(
        self, dloss: ArrayT, x: Array, target: Array, weight: Array | None = None, *,
        out: Out = None, handle: Handle | None = None, stream: CallStream = ...,
        choose: Choose = None,
    ) -> ArrayT:  # fmt: skip
        """Compute the gradient.

        Args:
            dloss: the gradient of the loss, in its shape and type.
            x, target, weight: as in the forward call.
            out, handle, stream, choose: as for `Convolution`.
        """
        return self.run((dloss, x, target, weight), out, handle, stream, choose)

    def results(self, case: Case) -> dict[str, Spec]:
        x, loss = self._check(case)
        dloss = case.inputs["dloss"]
        check_shape(dloss, loss.shape, "dloss")
        check_dtype(dloss, loss.dtype, "dloss")
        return {"dx": Spec(x.dtype, x.shape, x.strides, x.device)}

    def classic(self, case: Case, rule: Rule, handle: Handle) -> Classic:
        """Return calls of `cudnnSoftmaxForward`, `cudnnOpTensor` and `cudnnSoftmaxBackward`.

        For labels, graphs follow the softmax.
        """
        x = case.inputs["x"]
        if self._has_labels(case):
            return Labels(self.options, case, rule, handle).backward()
        desc, one, size, factor = self._parts(x)
        multiply = self._multiply(x)
        log = arrays.member("SoftmaxAlgorithm", "LOG")
        mode = arrays.member("SoftmaxMode", "CHANNEL" if len(x.shape) > 2 else "INSTANCE")
        steps = Steps(case.inputs, case.outputs)
        logs, more = steps.room("logs", size), steps.room("more", size)
        add_logarithms(steps, mode, x, x.shape[1], desc, logs)
        steps.call(
            "cudnnOpTensor", multiply, -1.0, desc, "target", 1.0, one, "dloss", 0.0, desc, more
        )
        # A mean divides here: products of float16 in between would be denormal numbers.
        steps.call(
            "cudnnSoftmaxBackward", log, mode, factor, desc, logs, desc, more, 0.0, desc, "dx"
        )
        return steps.classic()


cross_entropy = function(
    CrossEntropy,
    summary=(
        "Return the cross entropy over softmax: -sum over c of target_c * "
        "log(softmax(x)_c).\n"
        "\n"
        "For a label t it is -weight_t * log(softmax(x)_t); with smoothing s,\n"
        "-(1 - s) * weight_t * log(softmax(x)_t) - s / C * sum over c of weight_c * "
        "log(softmax(x)_c)."
    ),
    order="x target reduction weight",
)


cross_entropy_backward = function(
    CrossEntropyBackward,
    summary="Return the gradient of a cross entropy over softmax for the logits.",
    order="dloss x target reduction weight",
)
