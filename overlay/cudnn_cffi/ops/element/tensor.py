"""Operations on whole tensors: sums, products, copies into other layouts and types."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar, cast

from ... import arrays, errors
from ..._operation.functions import function
from ..._operation.operation import Operation
from ..._operation.sharing import shared
from ..._support.arguments import real, reals
from ..._support.wording import no_word
from ..._ways.array_spec import Spec, flattened, in_front, in_rows
from ..._ways.call_sequence import Steps, bits_of
from ..._ways.case import NARROW, Case, Unfit, Way, blend
from ..._ways.classic_call import HANDLE, Classic, Step, describe, operands_of
from ..._ways.classic_call import Fill as FillMemory
from ..._ways.graph_draft import Draft
from ...choice.measured import COMPILED_BYTES
from ...choice.policy import Rule
from ...descriptors import OpTensorDescriptor
from ...driver.timing import FILLING
from ...errata.asks import wrong_function
from ...graph.record.enum_words import REDUCTIONS
from .integers import converted_first, copied_as_bytes, refuse_conversions, refuse_integers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, TypeAlias

    from ..._ways.signatures import (
        Array,
        ArrayT,
        CallStream,
        Choose,
        Device,
        DType,
        DTypeWord,
        Handle,
        Layout,
        OperationWord,
        Out,
    )
    from ...plan.computation import Computation

    OpTensorWord: TypeAlias = Literal["ADD", "MUL", "MIN", "MAX", "SQRT"]


_OPERATIONS = ("ADD", "MUL", "MIN", "MAX", "SQRT", "NOT")


def operation_among(word: Any, known: Sequence[str]) -> str:
    """Return the name in cuDNN's enum that a word for an operation means.

    Raises:
        ArgumentError: there is none; the hint names all.
    """
    name = str(getattr(word, "name", word))
    name = REDUCTIONS.get(name.lower(), name.upper())
    name = name.removeprefix("CUDNN_REDUCE_TENSOR_").removeprefix("CUDNN_OP_TENSOR_")
    if name not in known:
        raise no_word("operation", word, "a word for an operation", (*known, *REDUCTIONS))
    return name


def _packed_like(shape: Sequence[int], like: Spec) -> Spec:
    strides = (
        like.strides
        if tuple(shape) == like.shape and like.is_dense
        else arrays.packed_strides(shape)
    )
    return Spec(like.dtype, tuple(shape), strides, like.device)


def _are_alike(case: Case) -> bool:
    """Return whether engines take all arrays as rows of elements, and where they are."""
    specs = (*case.inputs.values(), *case.outputs.values())
    return flattened(*specs) is not None and all(each.alignment >= 16 for each in specs)


def compute_type(spec: Spec) -> DTypeWord:
    """Return the data type that an operation computes in."""
    return "float64" if spec.dtype == "float64" else "float32"


def refuse_nan(name: str, spec: Spec, propagate: bool) -> None:
    """Refuse graphs of minima and maxima where a NaN has to win over a number."""
    if name not in ("MIN", "MAX", "AMAX") or "float" not in spec.dtype:
        return
    if wrong_function("minimum and maximum by graphs", {"nan": propagate}):
        raise Unfit(
            f"engines let no NaN win over a number in {name.lower()}, as propagate_nan=True wants",
            hint="propagate_nan=False, where no NaN comes or none has to win",
        )


class TensorOperation(Operation):
    """Two tensors, element by element: y = op(alpha * a, alpha2 * b) + beta * y.

    Formula: op(alpha a, alpha2 b): add, mul, min, max, sqrt, not
    Arrays: b with extents of 1, or fewer axes
    Ways: by the graph no factors, and b where it is not repeated or is a vector along the innermost
        axis; min and max with `propagate_nan=False` only
    Edges: int8 beyond -128 and 127: these (PyTorch: modulo 256)
    """

    word = "tensor_operation"
    by = "`cudnnOpTensor`, or by a graph (POINTWISE)"
    gradient = ()
    ways = ("classic", "graph")
    graph_from = COMPILED_BYTES

    def __init__(
        self,
        operation: OperationWord = "add",
        *,
        alpha2: float = 1.0,
        propagate_nan: bool = True,
        choose: Choose = None,
    ) -> None:
        """Make an operation on two tensors.

        Args:
            operation: "add", "mul", "min" or "max"; "sqrt" and "not" (1 - a) of one tensor.
            alpha2: the factor of `b`.
            propagate_nan: whether a NaN wins over a number in "min" and "max"; only classic
                functions can do that.
            choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.
        """
        self._name = cast("OpTensorWord", operation_among(operation, _OPERATIONS))
        super().__init__(
            choose, operation=self._name.lower(), alpha2=reals(alpha2=alpha2)[0],
            propagate_nan=propagate_nan,
        )  # fmt: skip

    def __call__(
        self, a: ArrayT, b: Array | None = None, *, out: Out = None, alpha: float = 1.0,
        beta: float = 0.0, handle: Handle | None = None, stream: CallStream = ...,
        choose: Choose = None,
    ) -> ArrayT:  # fmt: skip
        """Compute the operation.

        Args:
            a: an array with up to five axes.
            b: one of the same shape, or with extents of 1, which are repeated.
            out: the array to write to, which may be `a`, but `b` only where a graph computes.
            alpha: the factor of `a`.
            beta, handle, stream, choose: as for `Convolution`.
        """
        return self.run((a, b), out, handle, stream, choose, alpha, beta)

    def results(self, case: Case) -> dict[str, Spec]:
        a, b = case.inputs["a"], case.inputs.get("b")
        single = self._name in ("SQRT", "NOT")
        if single != (b is None):
            wanted, got = ("None", "an array") if single else ("an array", "None")
            word = self.options["operation"]
            raise errors.ArgumentError(f"b: expected {wanted} for {word}, got {got}")
        if len(a.shape) > 5:
            raise errors.ArgumentError(f"a: expected at most 5 axes, got {len(a.shape)}")
        if b is not None:
            wide = in_front(b, len(a.shape))
            if len(wide.shape) != len(a.shape) or any(
                n not in (1, m) for n, m in zip(wide.shape, a.shape, strict=True)
            ):
                raise errors.ShapeMismatchError(
                    f"b: expected the shape {a.shape}, or extents of 1, got {b.shape}"
                )
        return {"y": _packed_like(a.shape, a)}

    def _may_convert(self, name: str, target: Spec) -> bool:
        return True

    def is_large(self, case: Case) -> bool:
        """Return whether arrays are large, and such as engines take.

        An engine is compiled for each factor, and factors may change from call to call.
        """
        is_plain = case.is_plain and self.options["alpha2"] == 1.0
        if not is_plain or not super().is_large(case):
            return False
        return _are_alike(case) or self._in_rows(case) is not None

    def _in_rows(self, case: Case) -> dict[str, Spec] | None:
        """Return arrays as rows and a vector that is added to each; None if they are not such."""
        a, b, y = case.inputs["a"], case.inputs.get("b"), case.outputs["y"]
        rows = None if b is None else in_rows(a, y)
        if b is None or rows is None or len(b.shape) > len(a.shape) or b.alignment < 16:
            return None
        wide, axis = in_front(b, len(a.shape)), a.innermost
        count = a.shape[axis]
        if wide.shape[axis] != count or math.prod(wide.shape) != count or wide.strides[axis] != 1:
            return None
        vector = b._replace(shape=(1, count, 1, 1), strides=(count, 1, count, count))
        return {"a": rows[0], "b": vector, "y": rows[1]}

    def graph(self, case: Case, draft: Draft) -> None:
        """Add pointwise nodes."""
        refuse_integers(case)
        refuse_nan(self._name, case.inputs["a"], self.options["propagate_nan"])
        specs = {**case.inputs, **case.outputs}
        flat = flattened(*specs.values())
        if flat is not None:  # as engines take elements
            specs = dict(zip(specs, flat, strict=True))
        else:
            specs = self._in_rows(case) or specs
        graph, a = draft.graph, draft.input("a", specs["a"])
        if self._name in ("SQRT", "NOT"):
            a = graph.mul(a, case.alpha) if case.alpha != 1.0 else a
            made = graph.sqrt(a) if self._name == "SQRT" else graph.sub(1.0, a)
        else:
            b = draft.input("b", in_front(specs["b"], len(a.shape)))
            a = graph.mul(a, case.alpha) if case.alpha != 1.0 else a
            if self.options["alpha2"] != 1.0:
                b = graph.mul(b, self.options["alpha2"])
            made = graph.pointwise(self._name, a, b)
        made = blend(case._replace(alpha=1.0), draft, made, specs["y"])
        draft.output(made, "y", specs["y"])

    def classic(self, case: Case, rule: Rule, handle: Handle) -> Classic:
        """Return the call of `cudnnOpTensor`."""
        a, y = case.inputs["a"], case.outputs["y"]
        b = case.inputs.get("b")
        wide = a if b is None else in_front(b, len(a.shape))
        op = OpTensorDescriptor.of(
            self._name, compute_type(a), propagate_nan=self.options["propagate_nan"]
        )
        prefer = "NHWC" if a.layout == "NHWC" else "NCHW"
        first, second, third = describe(a, prefer), describe(wide, prefer), describe(y, prefer)
        alpha, alpha2, beta = case.alpha, self.options["alpha2"], case.beta
        step = Step(
            "cudnnOpTensor", HANDLE, op, alpha, first, "a", alpha2, second,
            "a" if b is None else "b", beta, third, "y",
        )  # fmt: skip
        return Classic("cudnnOpTensor", operands_of(case.inputs, case.outputs), [step])


class Transform(Operation):
    """A copy into another layout or data type: y = alpha * x + beta * y.

    Formula: a copy in another layout or data type
    Arrays: up to 5 axes
    Edges: numbers that an integer type has not: rounded, a half to even, and its limits beyond
        (PyTorch: cut off, modulo)
    """

    word = "transform"
    by = "`cudnnTransformTensor`, or by a graph (POINTWISE)"
    gradient = ("transform",)
    ways = ("classic", "graph")

    def __init__(
        self, layout: Layout | None = None, dtype: DType | None = None, *, choose: Choose = None
    ) -> None:
        """Make a copy.

        Args:
            layout: of the result: "NCHW", "NHWC", or words such as "channels_last"; by default that
                of the input.
            dtype: the data type of the result by any name; by default that of the input.
            choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.
        """
        if dtype is not None and not arrays.dtype_name(dtype):
            raise errors.ArgumentError(f"dtype: expected a data type, got {dtype!r}")
        if isinstance(layout, str):
            Spec.like((1,), "float32", layout)
        super().__init__(
            choose, layout=layout, dtype=None if dtype is None else arrays.dtype_name(dtype)
        )

    def __call__(
        self, x: ArrayT, *, out: Out = None, alpha: float = 1.0, beta: float = 0.0,
        handle: Handle | None = None, stream: CallStream = ..., choose: Choose = None,
    ) -> ArrayT:  # fmt: skip
        """Copy.

        Args:
            x: an array with up to five axes.
            out: the array to write to, of any layout and data type.
            alpha, beta, handle, stream, choose: as for `Convolution`.
        """
        return self.run((x,), out, handle, stream, choose, alpha, beta)

    def results(self, case: Case) -> dict[str, Spec]:
        x, layout = case.inputs["x"], self.options["layout"]
        if layout is None:
            made = _packed_like(x.shape, x)
        else:
            made = Spec.like(x.shape, x.dtype, layout)._replace(device=x.device)
        return {"y": made._replace(dtype=self.options["dtype"] or x.dtype)}

    def _may_convert(self, name: str, target: Spec) -> bool:
        return True

    def graph(self, case: Case, draft: Draft) -> None:
        """Add a pointwise node."""
        refuse_conversions(case)
        made = draft.graph.identity(draft.input("x"))
        draft.output(blend(case, draft, made, case.outputs["y"]), "y")

    def classic(self, case: Case, rule: Rule, handle: Handle) -> Classic:
        """Return the call of `cudnnTransformTensor`, after a graph that converts to float64."""
        if (exact := copied_as_bytes(case, "x", "y")) is not None:
            return exact
        find = partial(self.find_way, rule=rule, handle=handle, device=None)
        steps = Steps(case.inputs, case.outputs)
        x, source = converted_first(steps, case, find)
        y = describe(case.outputs["y"])
        steps.call("cudnnTransformTensor", case.alpha, describe(x), source, case.beta, y, "y")
        return steps.classic()


class _InPlace(Operation):
    """The base of operations that change an array in place."""

    gives: tuple[str, ...] = ()
    ways: ClassVar[tuple[str, ...]] = ("classic",)
    _function = ""

    def __init__(self, value: float, *, choose: Choose = None) -> None:
        """Make the operation.

        Args:
            value: the number.
            choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.
        """
        super().__init__(choose, value=real(value, "value"))

    @classmethod
    def for_function(cls, options: dict[str, Any], *_: Any) -> Any:
        """Return the operation that functions share for a number.

        Keys do not tell -0.0 and 0.0 apart, and do not find NaN again.
        """
        number = real(options["value"], "value")
        if number != number or (number == 0 and math.copysign(1.0, number) < 0):
            return cls(**options)
        return shared(cls, options)

    def __call__(
        self,
        x: ArrayT,
        *,
        handle: Handle | None = None,
        stream: CallStream = ...,
        choose: Choose = None,
    ) -> ArrayT:
        """Change `x`, and return it.

        Args:
            x: an array in device memory, which is changed.
            handle, stream, choose: as for `Convolution`.
        """
        self.run((x,), None, handle, stream, choose)
        found: ArrayT = x
        return found

    def results(self, case: Case) -> dict[str, Spec]:
        """Return nothing: the input is the output."""
        return {}

    def classic(self, case: Case, rule: Rule, handle: Handle) -> Classic:
        """Return the call of the function."""
        x, value = describe(case.inputs["x"]), self.options["value"]
        step = Step(self._function, HANDLE, x, "x", value)
        return Classic(self._function, operands_of(case.inputs, {}), [step])


class _Product(Operation):
    """A product with a number in device memory, for which one engine serves all numbers."""

    word = "scale"
    takes: tuple[str, ...] = ("x", "factor")
    ways = ("graph",)

    def graph(self, case: Case, draft: Draft) -> None:
        """Add a pointwise node."""
        draft.output(draft.graph.mul(draft.input("x"), draft.input("factor")), "y")


class Scale(_InPlace):
    """A multiplication in place, by `cudnnScaleTensor`, or by a graph where there is much to do.

    Formula: value x, in place
    Arrays: any shape
    Edges: a factor of 0: 0, also of inf and NaN (PyTorch: NaN); int8: rounded, a half to even, and
        -128 or 127 beyond (PyTorch: cut off, modulo)
    """

    word = "scale"
    by = "`cudnnScaleTensor`, or by a graph (POINTWISE)"
    gradient = ()
    ways = ("classic", "graph")
    graph_from = COMPILED_BYTES
    _function = "cudnnScaleTensor"

    def is_large(self, case: Case) -> bool:
        """Return whether the array is large, and such as engines take."""
        return super().is_large(case) and _are_alike(case)

    def _product(self, case: Case) -> Case:
        """Return the case of `_Product`."""
        if self.options["value"] == 0.0:
            raise Unfit("value: engines make NaN of 0 times NaN, and the function 0")
        x = case.inputs["x"]
        flat = flattened(x)
        if flat is None or x.dtype not in NARROW:
            raise Unfit(f"x: expected {', '.join(NARROW)} without gaps, got {x}")
        factor = Spec("float32", (1, 1, 1, 1), (1, 1, 1, 1), x.device)
        return Case({"x": flat[0], "factor": factor}, {"y": flat[0]})

    def computation(self, case: Case, handle: Handle | None, device: Device | None) -> Computation:
        """Return what the plan of a graph is built of."""
        return _Product().computation(self._product(case), handle, device)

    def _by_graph(
        self, case: Case, rule: Rule, handle: Handle | None, device: Device | None
    ) -> Way:
        product = _Product().find_way(
            self._product(case), rule._replace(via="graph"), handle, device
        )
        if handle is None:
            return product
        steps = Steps(case.inputs, {})
        # A constant would take a copy that waits for the stream, for each new factor.
        steps.number("factor", self.options["value"])
        steps.way(product, {"x": "x", "factor": "factor", "y": "x"})
        return steps.classic()


class Fill(_InPlace):
    """A value for all elements: by the driver where they lie without gaps, as they mostly do.

    Integers, arrays with gaps, and values that the data type has not are left to `cudnnSetTensor`.

    Formula: value, in place
    Arrays: any shape
    Ways: the function for arrays with gaps, float64 and integers
    Edges: a value that int8 has not: rounded, and -128 or 127 beyond
    """

    word = "fill"
    by = "the driver (cuMemsetD32Async and its like, of cuda.h), or by `cudnnSetTensor`"
    gradient = ()
    _function = "cudnnSetTensor"

    def classic(self, case: Case, rule: Rule, handle: Handle) -> Classic:
        """Return what sets memory, or the call of `cudnnSetTensor`."""
        x = case.inputs["x"]
        found = bits_of(self.options["value"], x.dtype) if x.is_dense else None
        if found is None:
            return super().classic(case, rule, handle)
        bits, width = found
        step = FillMemory("x", math.prod(x.shape), bits, width)
        return Classic(FILLING[width], operands_of(case.inputs, {}), [step])


tensor_operation = function(
    TensorOperation,
    summary="Compute y = op(alpha * a, alpha2 * b) + beta * y, element by element.",
    order="operation a b",
)


add = function(TensorOperation, "add", "Return alpha * a + alpha2 * b.", operation="add")


transform = function(
    Transform,
    summary="Copy into another layout or data type: y = alpha * x + beta * y.",
    order="x layout dtype",
)


scale = function(
    Scale,
    summary="Multiply an array in place by a number, and return it.",
    order="x factor",
    renames={"factor": "value"},
)


fill = function(
    Fill,
    summary="Set all elements of an array to a number, and return it.",
    order="x value",
)
