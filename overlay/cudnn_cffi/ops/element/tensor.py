"""Operations on whole tensors: sums, products, reductions, copies into other layouts and types."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar, cast

from ... import arrays, errors
from ..._lookup import calls
from ..._support.arguments import real, reals
from ..._support.wording import meant
from ...choice.engine.errata.record import ALIGNMENT
from ...choice.measured import COMPILED_BYTES
from ...choice.policy import Rule
from ...descriptors import OpTensorDescriptor, ReduceTensorDescriptor
from ...driver.timing import FILLING
from ...graph.record.enum_words import REDUCTIONS
from .._calls.array_spec import Spec, in_front, to_axes
from .._calls.call_sequence import Steps, bits_of
from .._calls.classic_call import HANDLE, Classic, Scratch, Step, describe, operands_of
from .._calls.classic_call import Fill as FillMemory
from .._calls.graph_draft import Draft
from .._core.functions import function
from .._core.operation import Case, Operation, Unfit, blend, shared
from .._core.way_search import NARROW, Way
from .activation import flattened, in_rows
from .reduction_kernels import (
    Order,
    by_windows,
    from_float32,
    in_float32,
    is_for_a_graph,
    is_misplaced,
    order_of,
    sum_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, TypeAlias

    from ...types import LayoutWord
    from .._core.signatures import (
        Array,
        CallStream,
        Choose,
        Device,
        DTypeWord,
        Handle,
        Out,
    )

    OpTensorWord: TypeAlias = Literal["ADD", "MUL", "MIN", "MAX", "SQRT"]
    ReduceWord: TypeAlias = Literal[
        "ADD", "MUL", "MIN", "MAX", "AMAX", "AVG", "NORM1", "NORM2", "MUL_NO_ZEROS"
    ]


_OPERATIONS = ("ADD", "MUL", "MIN", "MAX", "SQRT", "NOT")
#: The reductions that make the absolute value of a single element.
_ABSOLUTE = ("AMAX", "NORM1", "NORM2")
_REDUCTIONS = ("ADD", "MUL", "MIN", "MAX", "AMAX", "AVG", "NORM1", "NORM2", "MUL_NO_ZEROS")


def _named(word: Any, known: Sequence[str], what: str) -> str:
    name = str(getattr(word, "name", word))
    name = REDUCTIONS.get(name.lower(), name.upper())
    name = name.removeprefix("CUDNN_REDUCE_TENSOR_").removeprefix("CUDNN_OP_TENSOR_")
    if name not in known:
        near = meant(word, (*known, *REDUCTIONS))
        raise errors.ArgumentError(
            f"{what}: there is no {word!r}",
            hint=f"{near}one of {', '.join(known)}, or {', '.join(REDUCTIONS)}",
        )
    return name


def _packed_like(shape: Sequence[int], like: Spec, dtype: DTypeWord | None = None) -> Spec:
    strides = (
        like.strides
        if tuple(shape) == like.shape and like.is_dense
        else arrays.packed_strides(shape)
    )
    return Spec(dtype or like.dtype, tuple(shape), strides, like.device)


def _aligned(spec: Spec, rank: int) -> Spec:
    """Return an array with axes of one element in front, as broadcasting wants it."""
    more = rank - len(spec.shape)
    step = max([1, *[a * b for a, b in zip(spec.shape, spec.strides, strict=True)]])
    return spec._replace(shape=(1,) * more + spec.shape, strides=(step,) * more + spec.strides)


def _are_alike(case: Case) -> bool:
    """Return whether engines take all arrays as rows of elements, and where they are."""
    specs = (*case.inputs.values(), *case.outputs.values())
    return flattened(*specs) is not None and all(each.alignment >= 16 for each in specs)


def _compute(spec: Spec) -> DTypeWord:
    return "float64" if spec.dtype == "float64" else "float32"


def _refuse_nan(name: str, spec: Spec, propagate: bool) -> None:
    """Refuse graphs of minima and maxima where a NaN has to win over a number."""
    if propagate and name in ("MIN", "MAX", "AMAX") and "float" in spec.dtype:
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
    """

    word = "tensor_operation"
    by = "`cudnnOpTensor`, or by a graph (POINTWISE)"
    gradient = ()
    takes: tuple[str, ...] = ("a", "b")
    optional = frozenset({"b"})
    ways = ("classic", "graph")
    graph_from = COMPILED_BYTES

    def __init__(
        self,
        operation: Any = "add",
        *,
        alpha2: float = 1.0,
        propagate_nan: bool = True,
        choose: Choose = None,
    ) -> None:
        """Make an operation on two tensors.

        Args:
            operation: "add", "mul", "min" or "max"; "sqrt" and "not" (1 - a) of one tensor.
            alpha2: what `b` is multiplied by.
            propagate_nan: whether a NaN wins over a number in "min" and "max"; only classic
                functions can do that.
            choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.
        """
        self._name = cast("OpTensorWord", _named(operation, _OPERATIONS, "operation"))
        super().__init__(
            choose, operation=self._name.lower(), alpha2=reals(alpha2=alpha2)[0],
            propagate_nan=bool(propagate_nan),
        )  # fmt: skip

    def __call__(
        self, a: Any, b: Any = None, *, out: Out = None, alpha: float = 1.0, beta: float = 0.0,
        handle: Handle | None = None, stream: CallStream = ..., choose: Choose = None,
    ) -> Any:  # fmt: skip
        """Compute the operation.

        Args:
            a: an array with up to five axes.
            b: one of the same shape, or with extents of 1, which are repeated.
            alpha: what `a` is multiplied by.
            out, beta, handle, stream, choose: as for `Convolution`.
        """
        return self.run((a, b), out, handle, stream, choose, alpha, beta, (), b is None)

    def results(self, case: Case) -> dict[str, Spec]:
        """Return what the output is."""
        a, b = case.inputs["a"], case.inputs.get("b")
        single = self._name in ("SQRT", "NOT")
        if single != (b is None):
            got = "one array" if b is None else "two arrays"
            raise errors.ArgumentError(f"b: got {got} for {self.options['operation']}")
        if len(a.shape) > 5:
            raise errors.ArgumentError(f"a: expected at most 5 axes, got {len(a.shape)}")
        if b is not None:
            wide = _aligned(b, len(a.shape)) if len(b.shape) <= len(a.shape) else b
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
        """Return arrays as rows and a vector that is added to each; None for what is not that."""
        a, b, y = case.inputs["a"], case.inputs.get("b"), case.outputs["y"]
        rows = None if b is None else in_rows(a, y)
        if b is None or rows is None or len(b.shape) > len(a.shape) or b.alignment < 16:
            return None
        wide, axis = _aligned(b, len(a.shape)), a.innermost
        count = a.shape[axis]
        if wide.shape[axis] != count or math.prod(wide.shape) != count or wide.strides[axis] != 1:
            return None
        vector = b._replace(shape=(1, count, 1, 1), strides=(count, 1, count, count))
        return {"a": rows[0], "b": vector, "y": rows[1]}

    def graph(self, case: Case, draft: Draft) -> None:
        """Add pointwise nodes."""
        _refuse_nan(self._name, case.inputs["a"], self.options["propagate_nan"])
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
            b = draft.input("b", _aligned(specs["b"], len(a.shape)))
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
        wide = a if b is None else _aligned(b, len(a.shape))
        op = OpTensorDescriptor.of(
            self._name, _compute(a), propagate_nan=self.options["propagate_nan"]
        )
        prefer = "NHWC" if a.layout == "NHWC" else "NCHW"
        first, second, third = describe(a, prefer), describe(wide, prefer), describe(y, prefer)
        alpha, alpha2, beta = case.alpha, self.options["alpha2"], case.beta
        step = Step(
            "cudnnOpTensor", HANDLE, op, alpha, first, "a", alpha2, second,
            "a" if b is None else "b", beta, third, "y",
        )  # fmt: skip
        return Classic("cudnnOpTensor", operands_of(case.inputs, case.outputs), [step])


class Reduction(Operation):
    """A reduction over axes: y = alpha * reduce(x) + beta * y, and where the extreme was.

    Formula: add, mul, min, max, amax, avg, norm1, norm2, mul_no_zeros; positions of extremes
    Arrays: x with up to 8 axes
    Ways: the second and the third function, or one after the other, for sums and means; the third
        for max; by the graph first some sums of float16 only, no positions, and min, max and amax
        with `propagate_nan=False` only
    """

    word = "reduce"
    by = (
        "`cudnnReduceTensor`, `cudnnConvolutionBackwardBias`, `cudnnPoolingForward`, or "
        "by a graph (REDUCTION)"
    )
    gradient = ()
    takes: tuple[str, ...] = ("x",)
    gives: tuple[str, ...] = ("y", "indices")
    in_c_order = frozenset({"indices"})
    ways = ("classic", "graph")
    graph_from = COMPILED_BYTES
    adds_in_any_order = True

    def __init__(
        self,
        operation: Any = "add",
        axes: int | Sequence[int] | None = None,
        *,
        keep_axes: bool = False,
        indices: bool = False,
        propagate_nan: bool = True,
        choose: Choose = None,
    ) -> None:
        """Make a reduction.

        Where all elements of a maximum are -inf, cuDNN's functions return the lowest finite number
        of the type, with which they begin; where all of a minimum are inf, the largest one.

        Args:
            operation: "add", "mul", "min", "max", "amax" (the largest absolute value), "avg",
                "norm1", "norm2" or "mul_no_zeros"; also "sum", "mean", "prod".
            axes: over which; all without them.
            keep_axes: whether the result has these axes, with one element.
            indices: whether to return the positions, in INT32, of what "min", "max" or "amax"
                found: counted over the axes that are reduced, in row-major order.
            propagate_nan: whether a NaN wins over numbers in "min", "max" and "amax"; only classic
                functions can do that.
            choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.
        """
        self._name = cast("ReduceWord", _named(operation, _REDUCTIONS, "operation"))
        if indices and self._name not in ("MIN", "MAX", "AMAX"):
            raise errors.ArgumentError(f"indices: {operation!r} has none")
        super().__init__(
            choose, operation=self._name.lower(), axes=axes, keep_axes=bool(keep_axes),
            indices=bool(indices), propagate_nan=bool(propagate_nan),
        )  # fmt: skip
        self.sums = self._name in ("ADD", "NORM1", "NORM2")

    def __call__(
        self, x: Array, *, out: Out = None, alpha: float = 1.0, beta: float = 0.0,
        handle: Handle | None = None, stream: CallStream = ..., choose: Choose = None,
    ) -> Any:  # fmt: skip
        """Reduce.

        Args:
            x: an array with up to eight axes.
            out, alpha, beta, handle, stream, choose: as for `Convolution`.

        Returns: the result; with `indices`, a pair of it and the positions.
        """
        return self.run((x,), out, handle, stream, choose, alpha, beta)

    def _shapes(self, x: Spec) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the shape of the result with the axes, and without."""
        rank, axes = len(x.shape), self.options["axes"]
        chosen = to_axes(range(rank) if axes is None else axes, rank, "axes")
        full = tuple(1 if axis in chosen else n for axis, n in enumerate(x.shape))
        return full, tuple(n for axis, n in enumerate(x.shape) if axis not in chosen)

    def results(self, case: Case) -> dict[str, Spec]:
        """Return what the outputs are."""
        x = case.inputs["x"]
        full, short = self._shapes(x)
        shape = full if self.options["keep_axes"] else short
        found = {"y": Spec(x.dtype, shape, arrays.packed_strides(shape), x.device)}
        if self.options["indices"]:
            found["indices"] = Spec("int32", shape, arrays.packed_strides(shape), x.device)
        return found

    def _may_convert(self, name: str, target: Spec) -> bool:
        return name == "y" and target.dtype in ("float32", "float64")

    def _wide(self, spec: Spec, full: tuple[int, ...]) -> Spec:
        """Return the result with the axes that were reduced."""
        if len(spec.shape) == len(full):
            return spec
        steps = iter(spec.strides)
        strides = tuple(
            next(steps) if n > 1 or self._is_kept(axis, full) else 1 for axis, n in enumerate(full)
        )
        return spec._replace(shape=full, strides=strides)

    def _is_kept(self, axis: int, full: tuple[int, ...]) -> bool:
        axes = self.options["axes"]
        if axes is None:
            return False
        return axis not in to_axes(axes, len(full), "axes")

    def graph(self, case: Case, draft: Draft) -> None:
        """Add a reduction node."""
        if self.options["indices"]:
            raise Unfit("graphs return no positions")
        shape = case.inputs["x"].shape
        full, _ = self._shapes(case.inputs["x"])
        y = self._wide(case.outputs["y"], full)
        if full == shape:  # NaN stays, too
            x, graph = draft.input("x"), draft.graph
            if self._name == "MUL_NO_ZEROS":
                made = graph.add(x, graph.equal(x, 0.0, data_type=draft.compute))
            else:
                made = graph.abs(x) if self._name in _ABSOLUTE else graph.identity(x)
        else:
            _refuse_nan(self._name, case.inputs["x"], self.options["propagate_nan"])
            made = draft.graph.reduction(draft.input("x"), self._name, shape=full)
        draft.output(blend(case, draft, made, y), "y", y)

    def is_large(self, case: Case) -> bool:
        """Return whether an array is large, and a graph faster at its sum."""
        if self._name != "ADD" or not super().is_large(case):
            return False
        return is_for_a_graph(case, "x", "y", self._order_of(case))

    def _planned(self, case: Case, rule: Rule, handle: Handle | None, device: Device | None) -> Way:
        planned = super()._planned
        x = case.inputs["x"]
        adds = self._name not in ("MIN", "MAX", "AMAX") and self._shapes(x)[0] != x.shape
        return from_float32(
            case, rule, handle, lambda inner: planned(inner, rule, handle, device), adds=adds
        )

    def _order_of(self, case: Case) -> Order | None:
        """Return how a sum lies in memory; None where it is not so simple."""
        full, _ = self._shapes(case.inputs["x"])
        return order_of(case.inputs["x"], self._wide(case.outputs["y"], full), full)

    def alignment_of(self, case: Case) -> int:
        """Return what the functions that sum want addresses to be multiples of."""
        is_low = is_misplaced(case, self.device_of(case))
        return ALIGNMENT if is_low and self._faster(case) is not None else 1

    def _faster(self, case: Case) -> Classic | None:
        """Return a faster call for a sum, a mean or a maximum; None where there is none."""
        if self._name not in ("ADD", "AVG", "MAX") or self.options["indices"]:
            return None
        order = self._order_of(case)
        if order is None:
            return None
        if self._name == "MAX":
            return by_windows(case, "x", "y", order, nan=self.options["propagate_nan"])
        factor = 1.0 / (order.outer * order.inner) if self._name == "AVG" else 1.0
        return sum_of(case, "x", "y", order, factor)

    def classic(self, case: Case, rule: Rule, handle: Handle) -> Classic:
        """Return the call of `cudnnReduceTensor`, or of what is faster than that."""
        x = case.inputs["x"]
        full, _ = self._shapes(x)
        if full == x.shape:
            return self._of_ones(case, full)

        def reduced() -> Classic:
            if x.dtype != "bfloat16":
                return self._reduced(case, full, handle)
            return in_float32(case, lambda inner: self._reduced(inner, full, handle))

        found = self._faster(case)
        if found is None:
            if x.dtype != "bfloat16":
                return reduced()
            found = in_float32(case, lambda inner: self.classic(inner, rule, handle))
        found.instead = reduced
        return found

    def _of_ones(self, case: Case, full: tuple[int, ...]) -> Classic:
        """Return the call for axes of one element, which `cudnnReduceTensor` does not take.

        Raises:
            Unfit: the result is neither a copy nor the absolute values.
        """
        if self._name == "MUL_NO_ZEROS":
            raise Unfit("no classic function makes ones of zeros")
        given = case.inputs["x"], self._wide(case.outputs["y"], full)
        x, y = (describe(in_front(each, 4)) for each in flattened(*given) or given)
        steps = Steps(case.inputs, case.outputs)
        if self._name in _ABSOLUTE:  # the larger one of x and -x
            extreme: OpTensorWord = "MAX" if case.alpha >= 0 else "MIN"
            op = OpTensorDescriptor.of(extreme, _compute(case.inputs["x"]), propagate_nan=True)
            steps.call(
                "cudnnOpTensor", op, case.alpha, x, "x", -case.alpha, x, "x", case.beta, y, "y"
            )
        else:
            steps.call("cudnnTransformTensor", case.alpha, x, "x", case.beta, y, "y")
        if self.options["indices"]:
            steps.zero("indices", 4 * math.prod(full))
        return steps.classic()

    def _reduced(self, case: Case, full: tuple[int, ...], handle: Handle) -> Classic:
        """Return the call of `cudnnReduceTensor`."""
        x = case.inputs["x"]
        wants = self.options["indices"]
        op = ReduceTensorDescriptor.of(
            self._name, _compute(x), propagate_nan=self.options["propagate_nan"],
            indices="FLATTENED_INDICES" if wants else "NO_INDICES",
        )  # fmt: skip
        a, c = describe(x), describe(self._wide(case.outputs["y"], full))
        size = calls.cudnnGetReductionWorkspaceSize(handle, op, a, c)
        room_for = 4 * math.prod(full) if wants else 0
        name = "cudnnReduceTensor"
        step = Step(
            name, HANDLE, op, "indices" if wants else None, room_for, Scratch(), size, case.alpha,
            a, "x", case.beta, c, "y",
        )  # fmt: skip
        operands = operands_of(case.inputs, case.outputs)
        return Classic(name, operands, [step], workspace_size=size)


class Transform(Operation):
    """A copy into another layout or data type: y = alpha * x + beta * y.

    Formula: a copy in another layout or data type
    Arrays: up to 5 axes
    """

    word = "transform"
    by = "`cudnnTransformTensor`, or by a graph (POINTWISE)"
    gradient = ("transform",)
    ways = ("classic", "graph")

    def __init__(self, layout: Any = None, dtype: Any = None, *, choose: Choose = None) -> None:
        """Make a copy.

        Args:
            layout: that of the result: "NCHW", "NHWC", or words such as "channels_last"; without
                one, that of the input.
            dtype: the data type of the result by any name; without one, that of the input.
            choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.
        """
        if dtype is not None and not arrays.dtype_name(dtype):
            raise errors.ArgumentError(f"dtype: {dtype!r} is not a data type")
        if isinstance(layout, str):
            Spec.like((1,), "float32", cast("LayoutWord", layout))
        super().__init__(
            choose, layout=layout, dtype=None if dtype is None else arrays.dtype_name(dtype)
        )

    def __call__(
        self, x: Array, *, out: Out = None, alpha: float = 1.0, beta: float = 0.0,
        handle: Handle | None = None, stream: CallStream = ..., choose: Choose = None,
    ) -> Any:  # fmt: skip
        """Copy.

        Args:
            x: an array with up to five axes.
            out: the array to write to, of any layout and data type.
            alpha, beta, handle, stream, choose: as for `Convolution`.
        """
        return self.run((x,), out, handle, stream, choose, alpha, beta)

    def results(self, case: Case) -> dict[str, Spec]:
        """Return what the output is."""
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
        made = draft.graph.identity(draft.input("x"))
        draft.output(blend(case, draft, made, case.outputs["y"]), "y")

    def classic(self, case: Case, rule: Rule, handle: Handle) -> Classic:
        """Return the call of `cudnnTransformTensor`."""
        x, y = describe(case.inputs["x"]), describe(case.outputs["y"])
        step = Step(
            "cudnnTransformTensor", HANDLE, case.alpha, x, "x", case.beta, y, "y"
        )  # fmt: skip
        return Classic("cudnnTransformTensor", operands_of(case.inputs, case.outputs), [step])


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
        x: Array,
        *,
        handle: Handle | None = None,
        stream: CallStream = ...,
        choose: Choose = None,
    ) -> Any:
        """Change `x`, and return it.

        Args:
            x: an array in device memory, which is changed.
            handle, stream, choose: as for `Convolution`.
        """
        self.run((x,), None, handle, stream, choose)
        return x

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
        x = case.inputs["x"]
        flat = flattened(x)
        if flat is None or x.dtype not in NARROW:
            raise Unfit(f"x: expected {', '.join(NARROW)} without gaps, got {x}")
        factor = Spec("float32", (1, 1, 1, 1), (1, 1, 1, 1), x.device)
        return Case({"x": flat[0], "factor": factor}, {"y": flat[0]})

    def computation(self, case: Case, handle: Handle | None, device: Device | None) -> Any:
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


reduce = function(
    Reduction,
    summary="Reduce an array over axes: y = alpha * f(x) + beta * y.",
    order="x operation axes",
    notes=(
        "Means of many elements, and sums but those of float16, may take two steps; what "
        "is between them\n"
        "has the type of `x`."
    ),
)


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
