"""Cross entropy of labels: cuDNN has no function that picks elements by labels, its graphs have.

Logits are brought into rows with one element for each class; then a graph compares the number of
each class with the label of the row. All of it is one call of steps.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ... import arrays, errors
from ..._lookup import calls
from ..._operation.operation import Operation
from ..._ways.array_spec import Spec
from ..._ways.call_sequence import Steps, packed
from ..._ways.case import Case, Unfit
from ..._ways.classic_call import Classic, describe
from ..._ways.graph_draft import Draft
from ...choice.policy import Engine, Rule
from ...descriptors import ReduceTensorDescriptor
from ...errata.asks import wrong_function
from ..element.softmax import add_logarithms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..._ways.signatures import DTypeWord, Handle

#: The data types of labels.
LABELS = ("int32", "int64")

#: Engines as heuristics set them up take numbers of classes that are multiples of this.
_STEP = 4

#: An engine for any number of classes, whose configuration no heuristic lists. Where a release has
#: none such, rows are padded.
_ANY = Engine(1, (("KERNEL_CFG", 1),))

#: Maximum number of classes: their numbers are compared as float32.
_MOST = 1 << 24


class _Sizes(NamedTuple):
    """The extents of logits.

    Attributes:
        batch, classes, space: extents of (N, C, all spatial axes).
        strides: of these.
        width: the elements of a row.
    """

    batch: int
    classes: int
    space: int
    strides: tuple[int, int, int]
    width: int

    @property
    def rows(self) -> int:
        return self.batch * self.space

    @property
    def is_direct(self) -> bool:
        """Return whether the logits are such rows."""
        return self.width == self.classes and (self.space == 1 or self.strides[1] == 1)


class _Rows(Operation):
    """A graph on rows of logarithms of probabilities.

    A result of one element is the sum over all rows, whose bits need not be the same each time. One
    like the logarithms is what would be summed.

    Attributes:
        kind: "loss" of each row; "mean": the sum of the losses and that of the weights; "weight" of
            each row's label; "share": the sum over a row of what the logarithms are multiplied by;
            "gradient" for the logits.
    """

    ways = ("graph",)
    word = "cross_entropy"

    def __init__(self, kind: str, classes: int, ignore_index: int, smoothing: float) -> None:
        super().__init__(
            kind=kind, classes=classes, ignore_index=ignore_index, label_smoothing=smoothing
        )
        self.kind, self.classes = kind, classes
        self.ignore_index, self.smoothing = ignore_index, smoothing

    def graph(self, case: Case, draft: Draft) -> None:
        """Compare classes with labels, and pick."""
        graph = draft.graph
        logs, index, labels = (draft.input(name) for name in ("logs", "index", "labels"))
        weight = draft.input("weight") if "weight" in case.inputs else None
        # Engines take these comparisons on whole rows only. It is NaN where logarithms are.
        zero = graph.min(graph.max(logs, 0.0), 0.0)
        label = graph.add(zero, labels)
        is_label = graph.equal(graph.add(zero, index), label)
        counts = graph.logical_and(
            graph.greater_equal(label, 0.0), graph.less(label, float(self.classes))
        )
        if 0 <= self.ignore_index < self.classes:
            kept = graph.not_equal(label, float(self.ignore_index))
            counts = graph.logical_and(counts, kept)
        is_counted = graph.logical_and(is_label, counts)

        def total(what: Any, name: str) -> None:
            shape = case.outputs[name].shape
            is_sum = shape != case.inputs["logs"].shape
            draft.output(graph.reduction(what, "ADD", shape=shape) if is_sum else what, name)

        if self.kind in ("weight", "mean"):
            what = graph.add(zero, 1.0 if weight is None else weight)
            name = "y" if self.kind == "weight" else "weights"
            total(graph.binary_select(what, zero, is_counted), name)
            if self.kind == "weight":
                return
        if self.kind in ("loss", "mean") and not self.smoothing:
            what = logs if weight is None else graph.mul(logs, weight)
            total(graph.neg(graph.binary_select(what, zero, is_counted)), "y")
            return
        share = graph.binary_select(graph.add(zero, 1.0 - self.smoothing), zero, is_label)
        if self.smoothing:
            share = graph.add(share, self.smoothing / self.classes)
        if weight is not None:
            share = graph.mul(share, weight)
        if self.kind == "share":
            total(graph.binary_select(share, zero, counts), "y")
        elif self.kind in ("loss", "mean"):
            picked = graph.binary_select(graph.mul(share, logs), zero, counts)
            total(graph.neg(picked), "y")
        else:
            chance = graph.exp(logs)
            if "share" in case.inputs:
                chance = graph.mul(chance, draft.input("share"))
            made = graph.binary_select(graph.sub(chance, share), zero, counts)
            made = graph.mul(made, draft.input("dloss"))
            if "total" in case.inputs:
                made = graph.div(made, draft.input("total"))
            draft.output(made, "y")


class _Quotient(Operation):
    """A number divided by another one."""

    ways = ("graph",)
    word = "cross_entropy"

    def __init__(self) -> None:
        super().__init__(kind="mean")

    def graph(self, case: Case, draft: Draft) -> None:
        """Divide."""
        draft.output(draft.graph.div(draft.input("sum"), draft.input("total")), "y")


_ONE = (1, 1, 1, 1)


class Labels:
    """The steps for the cross entropy of labels, or its gradient, for arrays of one kind."""

    def __init__(self, options: Mapping[str, Any], case: Case, rule: Rule, handle: Handle) -> None:
        """Take over options and arrays.

        Raises:
            Unfit: cuDNN has no engines for the data type, or for this number of classes.
        """
        x = case.inputs["x"]
        if x.dtype == "float64":
            raise Unfit("x: cuDNN's graphs compare no classes with labels in float64")
        self.options, self.case, self.handle = options, case, handle
        #: Whether the bits have to be the same each time, and whether rows are added up apart then.
        self.same_bits = rule.keeps_bits
        self.apart = self.same_bits and bool(wrong_function("reduction sums", {}))
        # Sums of graphs that are left to them then have a single number besides zeros.
        self.rule = Rule(
            pick="deterministic" if self.same_bits and not self.apart else "heuristic",
            via="graph", exclude=rule.exclude,
            deterministic=None if self.apart else rule.deterministic,
            workspace_limit=rule.workspace_limit,
        )  # fmt: skip
        batch, classes, *sizes = x.shape
        space = math.prod(sizes)
        if classes >= _MOST:
            raise Unfit(f"x: expected fewer than {_MOST} classes, got {classes}")
        is_last = x.layout == "NHWC" and space > 1
        strides = (classes * space, 1, classes) if is_last else (classes * space, space, 1)
        self.sizes = _Sizes(batch, classes, space, strides, classes)

    def _begin(self, width: int) -> None:
        self.sizes = self.sizes._replace(width=width)
        self.steps = Steps(self.case.inputs, self.case.outputs)
        # No label is half of a number, also not one that is rounded to float32.
        numbers = [*range(self.sizes.classes), *[0.5] * (width - self.sizes.classes)]
        self.steps.constant("index", self.handle, numbers)

    def _classic(self, add: Callable[[], None], sums: bool) -> Classic:
        """Return the call of the steps that a function adds, on rows as they are or padded.

        Args:
            sums: whether the steps add numbers whose sum is rounded.
        """
        classes = self.sizes.classes
        self._begin(classes)
        try:
            add()
        except errors.NotSupportedError:
            if classes % _STEP == 0:
                raise
            self._begin(-(-classes // _STEP) * _STEP)
            add()
        return self.steps.classic(deterministic=self.same_bits or not sums)

    # Arrays as cuDNN sees them

    def _row(self, spec: Spec) -> Spec:
        """Return an array with one element for each row."""
        return spec._replace(shape=(self.sizes.rows, 1, 1, 1), strides=_ONE)

    def _matrix(self, dtype: DTypeWord) -> Spec:
        n = self.sizes.width
        return Spec(dtype, (self.sizes.rows, n, 1, 1), (n, 1, n, n), self.case.inputs["x"].device)

    def _vector(self) -> Spec:
        n = self.sizes.width
        return Spec("float32", (1, n, 1, 1), (n, 1, n, n), self.case.inputs["x"].device)

    def _lower_halves(self) -> None:
        """Add what makes 32-bit integers of longer labels, as "labels".

        Engines read a column with gaps as if it had none, so it is copied.
        """
        rows = self.sizes.rows
        self.steps.room("labels", 4 * rows)
        self.steps.copy_rows("target", "labels", rows, 4, 8)

    def _labels(self) -> tuple[Spec, str]:
        """Return labels as 32-bit integers, and the name of the array."""
        target = self.case.inputs["target"]
        row = target._replace(dtype="int32", shape=(self.sizes.rows, 1, 1, 1), strides=_ONE)
        if target.dtype == "int32":
            return row, "target"
        return row._replace(alignment=16), "labels"

    def _logits(self) -> Any:
        """Return the descriptor of logits, with one spatial axis."""
        x, s = self.case.inputs["x"], self.sizes
        shape, strides = (s.batch, s.classes, s.space, 1), (*s.strides, 1)
        return describe(x._replace(shape=shape, strides=strides))

    def _padded(self) -> Any:
        """Return the descriptor of the same in rows."""
        x, s = self.case.inputs["x"], self.sizes
        shape, strides = (s.batch, s.classes, s.space, 1), (s.space * s.width, 1, s.width, 1)
        return describe(x._replace(shape=shape, strides=strides))

    # Steps

    def _logarithms(self) -> None:
        """Add what computes the logarithms of probabilities, in rows, as "logs"."""
        x, s, steps = self.case.inputs["x"], self.sizes, self.steps
        if self.case.inputs["target"].dtype == "int64":
            self._lower_halves()
        logits = self._logits()
        are_rows = s.space == 1 or s.strides[1] == 1
        mode = arrays.member("SoftmaxMode", "INSTANCE" if are_rows else "CHANNEL")
        seen = describe(packed((s.rows, s.classes, 1, 1), x)) if are_rows else logits
        size = s.rows * s.width * arrays.itemsize(x.dtype)
        steps.room("logs", size)
        first = "logs" if s.is_direct else steps.room("packed", size)
        add_logarithms(steps, mode, x, s.classes, seen, first)
        if not s.is_direct:
            if s.width != s.classes:
                steps.zero("logs", size)
            steps.call("cudnnTransformTensor", 1.0, logits, first, 0.0, self._padded(), "logs")

    def _weights(self) -> dict[str, tuple[Spec, str]]:
        """Add what pads the weights of classes; return them as an input of graphs."""
        weight, s = self.case.inputs.get("weight"), self.sizes
        if weight is None:
            return {}
        if s.width == s.classes:
            return {"weight": (self._vector()._replace(alignment=weight.alignment), "weight")}
        self.steps.room("padded weight", 4 * s.width)
        self.steps.zero("padded weight", 4 * s.width)
        desc = describe(Spec("float32", (1, 1, 1, s.classes), (s.classes,) * 3 + (1,)))
        self.steps.call("cudnnTransformTensor", 1.0, desc, "weight", 0.0, desc, "padded weight")
        return {"weight": (self._vector(), "padded weight")}

    def _run(
        self, kind: str, output: tuple[Spec, str], *others: tuple[Spec, str],
        **more: tuple[Spec, str],
    ) -> None:  # fmt: skip
        """Add a graph: outputs, and inputs beside the logarithms, each with the array's name."""
        options = self.options
        found = {
            "logs": (self._matrix(self.case.inputs["x"].dtype), "logs"),
            "labels": self._labels(),
            "index": (self._vector(), "index"),
            **more,
        }
        operation = _Rows(
            kind, self.sizes.classes, options["ignore_index"], options["label_smoothing"]
        )
        self._plan(operation, found, dict(zip(("y", "weights"), (output, *others), strict=False)))

    def _run_by_rows(self, kind: str, output: tuple[Spec, str], **more: tuple[Spec, str]) -> None:
        """Add a graph with a number for each row, whose bits are the same each time if they must.

        Only smoothing has several numbers in the sum over a row.
        """
        if not (self.apart and self.options["label_smoothing"] and kind != "weight"):
            self._run(kind, output, **more)
            return
        terms = self._matrix("float32")
        name = self.steps.room(f"terms of {kind}", terms)
        self._run(kind, (terms, name), **more)
        spec, target = output
        self._sum(name, target, terms, spec)

    def _plan(
        self,
        operation: Operation,
        inputs: dict[str, tuple[Spec, str]],
        outputs: dict[str, tuple[Spec, str]],
    ) -> None:
        case = Case(
            {name: spec for name, (spec, _) in inputs.items()},
            {name: spec for name, (spec, _) in outputs.items()},
        )
        rule = self.rule
        if isinstance(operation, _Rows) and self.sizes.width % _STEP:
            rule = rule._replace(pick=_ANY)
        way = operation.find_way(case, rule, self.handle, None)
        self.steps.way(way, {name: at for name, (_, at) in {**inputs, **outputs}.items()})

    def _sum(self, source: str, target: str, terms: Spec, total: Spec) -> None:
        """Add sums of an array; `source` has been kept for this."""
        steps = self.steps
        add = ReduceTensorDescriptor.of("ADD", "float32")
        a, c = describe(terms), describe(total)
        size = _reduction_size(self.handle, add, a, c)
        scratch = steps.room(f"scratch of {source}", size)
        steps.call("cudnnReduceTensor", add, None, 0, scratch, size, 1.0, a, source, 0.0, c, target)

    def _rows_summed(self, kind: str, target: str, **more: tuple[Spec, str]) -> None:
        """Add a graph with a number for each row, and the sum of these."""
        rows = self.sizes.rows
        if not self.apart or rows == 1:
            self._run_by_rows(kind, (_single(), target), **more)
            return
        name = self.steps.room(f"rows of {kind}", 4 * rows)
        self._run_by_rows(kind, (self._row(_single()), name), **more)
        self._sum(name, target, Spec("float32", (1, 1, rows, 1), (rows, rows, 1, 1)), _single())

    def forward(self) -> Classic:
        """Return the call that computes the loss."""
        return self._classic(self._add_loss, self.options["reduction"] != "none")

    def _add_loss(self) -> None:
        reduction, steps = self.options["reduction"], self.steps
        loss = self.case.outputs["loss"]
        self._logarithms()
        more = self._weights()
        if reduction == "none":
            self._run_by_rows("loss", (self._row(loss), "loss"), **more)
        elif reduction == "sum":
            self._rows_summed("loss", "loss", **more)
        else:
            total, weights = steps.room("sum", 4), steps.room("total", 4)
            if self.apart:
                self._rows_summed("loss", total, **more)
                self._rows_summed("weight", weights, **more)
            else:
                self._run("mean", (_single(), total), (_single(), weights), **more)
            target = loss._replace(shape=_ONE, strides=_ONE)
            inputs = {"sum": (_single(), total), "total": (_single(), weights)}
            self._plan(_Quotient(), inputs, {"y": (target, "loss")})

    def backward(self) -> Classic:
        """Return the call that computes the gradient."""
        has_weights = "weight" in self.case.inputs
        return self._classic(
            self._add_gradient, self.options["reduction"] == "mean" and has_weights
        )

    def _add_gradient(self) -> None:
        options, steps, s = self.options, self.steps, self.sizes
        dloss, dx = self.case.inputs["dloss"], self.case.outputs["dx"]
        self._logarithms()
        weights = self._weights()
        more = dict(weights)
        if weights:  # else the shares of a row sum to one
            row = self._row(_single())
            self._run_by_rows("share", (row, steps.room("share", 4 * s.rows)), **weights)
            more["share"] = (row, "share")
        if options["reduction"] == "mean":
            self._rows_summed("weight", steps.room("total", 4), **weights)
            more["total"] = (_single(), "total")
        if options["reduction"] == "none":
            more["dloss"] = (self._row(dloss), "dloss")
        else:
            more["dloss"] = (dloss._replace(shape=_ONE, strides=_ONE), "dloss")
        matrix = self._matrix(dx.dtype)
        if s.is_direct:
            self._run("gradient", (matrix._replace(alignment=dx.alignment), "dx"), **more)
        else:
            self._run("gradient", (matrix, steps.room("gradients", matrix)), **more)
            logits = self._logits()
            steps.call("cudnnTransformTensor", 1.0, self._padded(), "gradients", 0.0, logits, "dx")


def _single() -> Spec:
    """Return one float32, as cuDNN sees it."""
    return Spec("float32", _ONE, _ONE)


def _reduction_size(handle: Handle, add: Any, a: Any, c: Any) -> int:
    return int(calls.cudnnGetReductionWorkspaceSize(handle, add, a, c))
