"""Batch normalization with known statistics."""

from __future__ import annotations

import math

from ... import errors
from ..._operation.functions import function
from ..._operation.operation import Operation
from ..._ways.array_spec import Spec, in_rows
from ..._ways.call_sequence import Steps, packed
from ..._ways.case import Case, Unfit, Way, blend
from ..._ways.classic_call import HANDLE, Classic, Step, describe, operands_of
from ..._ways.graph_draft import Draft
from ...choice.engine.finalize import is_captured
from ...choice.measured import COMPILED_BYTES
from ...choice.policy import Engine, Rule
from ...errata.record import ALIGNMENT
from ...kernels import can_compile
from ...kernels.normalized import Normalized
from ..conv.base import laid_out
from ..element.activation_kernels import has_kernels
from .batch import _BatchNorm, as_images
from .results import parameter_type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..._ways.signatures import (
        Array,
        ArrayT,
        CallStream,
        Choose,
        Device,
        Handle,
        Out,
    )


class BatchNormInference(_BatchNorm):
    """Batch normalization with known statistics.

    Formula: as `batch_norm`, with given statistics
    Arrays: mean, variance; each parameter float32 or of the type of x
    Ways: the graph first with channels last only; for a parameter of float16 or bfloat16 there, a
        kernel of this package if channels are a multiple of 8, else the graph
    """

    word = "batch_norm_inference"
    by = (
        "`cudnnBatchNormalizationForwardInference`, with a plan or "
        "`cudnnTransformTensor` before it for parameters of float16 and bfloat16, or by "
        "a graph (POINTWISE)"
    )
    gradient = ()
    graph_from = COMPILED_BYTES
    takes_narrow = True

    def __call__(
        self, x: ArrayT, scale: Array, bias: Array, mean: Array, variance: Array, *,
        out: Out = None, alpha: float = 1.0, beta: float = 0.0, handle: Handle | None = None,
        stream: CallStream = ..., choose: Choose = None,
    ) -> ArrayT:  # fmt: skip
        """Return scale * (x - mean) / sqrt(variance + epsilon) + bias.

        Args:
            x: (N, C, ...).
            scale, bias: (C,), each of float32 or of the type of `x`; with "per_activation" the
                shape of `x` without N.
            mean, variance: the running statistics, likewise.
            out, alpha, beta, handle, stream, choose: as for `Convolution`.
        """
        return self.run((x, scale, bias, mean, variance), out, handle, stream, choose, alpha, beta)

    def _in_rows(self, case: Case) -> tuple[Spec, ...] | None:
        """Return images with channels last as rows; None for others."""
        x = case.inputs["x"]
        return in_rows(x, case.outputs["y"]) if x.innermost == 1 else None

    def is_large(self, case: Case) -> bool:
        """Return whether channels are innermost, and images large or a parameter to be converted.

        The classic function takes 2.5 times as long as an engine for large ones, but not for
        others; with conversions before it, it takes four to six times as long.
        """
        x = case.inputs["x"]
        if not case.is_plain or self.options["mode"] == "per_activation":
            return False
        if self._narrow(case):
            return x.innermost == 1
        if not super().is_large(case) or self._in_rows(case) is None:
            return False
        return all(each.alignment >= ALIGNMENT for each in case.inputs.values())

    def _order(self, case: Case, rule: Rule) -> tuple[str, ...]:
        if rule.via is not None or isinstance(rule.pick, Engine) or not self._has_kernel(case):
            return super()._order(case, rule)
        # The kernel is one for all shapes; an engine is compiled for each, also to be timed.
        is_quick = rule.pick == "time" and rule.most and self.device_of(case) is not None
        return ("classic",) if is_quick else ("classic", "graph")

    def _has_kernel(self, case: Case) -> bool:
        """Return whether a kernel of this package may compute a case: with narrow parameters."""
        return (
            case.is_plain
            and self.options["mode"] != "per_activation"
            and bool(self._narrow(case))
            and self._in_rows(case) is not None
            and all(case.inputs[name].is_in_c_order for name in self.takes[1:])
            and can_compile()
        )

    def by_classic(self, case: Case, rule: Rule, handle: Handle) -> Classic:
        """Return the call of a kernel of this package, or of the classic function."""
        found = None
        if self._has_kernel(case) and has_kernels(case, rule, handle):
            found = self._by_kernel(case, handle)
        return super().by_classic(case, rule, handle) if found is None else found

    def _by_kernel(self, case: Case, handle: Handle) -> Classic | None:
        """Return the call of the kernel; None where there is no compiler for it."""
        x, channels = case.inputs["x"], case.inputs["x"].shape[1]
        types = [case.inputs[name].dtype for name in self.takes[1:]]
        rows, epsilon = math.prod(x.shape) // channels, self.options["epsilon"]
        try:
            made = Normalized(x.dtype, rows, channels, epsilon, types, device=handle.device)
        except errors.NotSupportedError:  # no compiler, or the driver takes nothing that it makes
            return None
        steps = Steps(case.inputs, case.outputs)
        steps.align(dict.fromkeys(("x", "y"), ALIGNMENT))
        words = made.words("x", "y", *self.takes[1:])
        steps.kernel(made.launch, *words, by_element=True)
        return steps.classic(algorithm="kernels.Normalized")

    def _narrow(self, case: Case) -> dict[str, Spec]:
        """Return the parameters that are not of the type that the classic function takes."""
        kind = parameter_type(case.inputs["x"])
        named = {name: case.inputs[name] for name in self.takes[1:]}
        return {name: each for name, each in named.items() if each.dtype != kind}

    def results(self, case: Case) -> dict[str, Spec]:
        x, _ = self._check(case, "scale", "bias", "mean", "variance")
        return {"y": laid_out(x.shape, x)}

    def _by_graph(
        self, case: Case, rule: Rule, handle: Handle | None, device: Device | None
    ) -> Way:
        """Return the plan of the engine that the heuristics name first, also to be timed.

        There is one engine only. Each configuration of it is compiled, and networks have norms of
        many shapes.
        """
        if rule.pick == "time":
            rule = rule._replace(pick="heuristic")
        return super()._by_graph(case, rule, handle, device)

    def graph(self, case: Case, draft: Draft) -> None:
        """Add pointwise nodes."""
        self._only_spatial()
        graph = draft.graph
        x, y = self._in_rows(case) or [
            as_images(each) for each in (case.inputs["x"], case.outputs["y"])
        ]
        axes = len(x.shape)
        source = draft.input("x", x)
        scale, bias, mean, variance = (
            self._graph_parameter(draft, name, axes) for name in self.takes[1:]
        )
        # The first node decides how engines are set up: it has the type of the images.
        centered = graph.sub(source, mean)
        inverse = graph.rsqrt(graph.add(variance, self.options["epsilon"]))
        made = graph.add(graph.mul(graph.mul(centered, inverse), scale), bias)
        draft.output(blend(case, draft, made, y), "y", y)

    def classic(self, case: Case, rule: Rule, handle: Handle) -> Classic:
        """Return the call of `cudnnBatchNormalizationForwardInference`.

        It takes float32 parameters; others are converted before.
        """
        if self._narrow(case):
            return self._converted(case, rule, handle)
        found = self._descriptors(case)
        name = "cudnnBatchNormalizationForwardInference"
        x, y, parameters, mode = (found[each] for each in ("x", "y", "parameters", "mode"))
        step = Step(
            name, HANDLE, mode, case.alpha, case.beta, x, "x", y, "y", parameters, "scale", "bias",
            "mean", "variance", self.options["epsilon"],
        )  # fmt: skip
        operands = operands_of(case.inputs, case.outputs, self.alignment_of(case))
        return Classic(name, operands, [step], algorithm=mode.name)

    def _converted(self, case: Case, rule: Rule, handle: Handle) -> Classic:
        """Return the call with steps in front that convert parameters to float32."""
        kind = parameter_type(case.inputs["x"])
        narrow = self._narrow(case)
        for name, spec in narrow.items():
            if not spec.is_in_c_order:
                raise Unfit(f"{name}: expected an array in C order without gaps, got {spec}")
        steps = Steps(case.inputs, case.outputs)
        wide = {name: packed(spec.shape, spec, kind) for name, spec in narrow.items()}
        rooms = {name: steps.room(f"wide_{name}", spec) for name, spec in wide.items()}
        results = {rooms[name]: spec for name, spec in wide.items()}
        is_late = _convert(steps, narrow, results, rule, handle)
        way = self.classic(case._replace(inputs={**case.inputs, **wide}), rule, handle)
        names = {name: name for name in (*case.inputs, *case.outputs)}
        steps.way(way, {**names, **rooms})
        made = steps.classic(algorithm=way.algorithm)
        made.is_late = is_late
        return made


class _Conversion(Operation):
    """The conversion of several arrays by one plan: a classic function takes one at a time."""

    ways = ("graph",)
    word = "transform"

    def graph(self, case: Case, draft: Draft) -> None:
        """Add a node for each array."""
        for (name, spec), (result, wide) in zip(
            case.inputs.items(), case.outputs.items(), strict=True
        ):
            made = draft.graph.identity(draft.input(name, _row(spec)))
            draft.output(made, result, _row(wide))


_conversion = _Conversion()


def _row(spec: Spec) -> Spec:
    """Return an array in C order as one row."""
    return packed((1, 1, 1, math.prod(spec.shape)), spec)._replace(alignment=spec.alignment)


def _convert(
    steps: Steps, given: dict[str, Spec], wide: dict[str, Spec], rule: Rule, handle: Handle
) -> bool:
    """Add the conversion of arrays in C order: one plan, or a classic function for each.

    Returns: whether this is for now only, as a capture forbids to make a plan.
    """
    case = Case(given, wide)
    try:
        way = _conversion.find_way(case, rule._replace(pick="heuristic", via="graph"), handle, None)
    except errors.CudnnError as error:
        is_late = is_captured(handle)
        if not is_late and not isinstance(error, errors.NotSupportedError):
            raise
    else:
        steps.way(way, {name: name for name in (*given, *wide)})
        return False
    for (name, one), (result, other) in zip(given.items(), wide.items(), strict=True):
        source, target = describe(_row(one)), describe(_row(other))
        steps.call("cudnnTransformTensor", 1.0, source, name, 0.0, target, result)
    return is_late


batch_norm_inference = function(BatchNormInference, summary="Normalize with known statistics.")
