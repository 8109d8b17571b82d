"""Aggregation over the edges of a graph, as graph neural networks do it."""

from __future__ import annotations

from typing import Any, Generic, NamedTuple

from ... import arrays, errors
from ..._lookup import calls
from ..._operation.functions import function
from ..._operation.operation import Operation
from ..._support.arguments import integers
from ..._support.wording import no_word
from ..._tables.active import record_class
from ..._ways.array_spec import Spec, check_shape, refuse_gaps
from ..._ways.call_sequence import Steps, packed
from ..._ways.case import Case
from ..._ways.classic_call import Classic
from ..._ways.type_variables import ArrayT
from ...choice.policy import Rule
from ..conv.causal import needed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..._ways.signatures import AggregationWord, Array, CallStream, Choose, Handle, Out

_WORDS = {"sum": "SUM", "add": "SUM", "mean": "MEAN", "average": "MEAN", "max": "MAX", "min": "MIN"}


class AggregationResults(NamedTuple, Generic[ArrayT]):
    """The results of an aggregation.

    Attributes:
        y: the result for each node that edges lead to.
        positions: where the extremes of "max" and "min" come from, which the gradient reads; None
            for "sum" and "mean".
    """

    y: ArrayT
    positions: ArrayT | None


class _Aggregation(Operation):
    """The base of an aggregation and its gradient."""

    ways = ("classic",)

    def __init__(
        self, operation: AggregationWord = "sum", *, choose: Choose = None, **more: Any
    ) -> None:
        word = str(operation).lower()
        if word not in _WORDS:
            raise no_word("operation", operation, "an aggregation", _WORDS)
        super().__init__(choose, operation=word, **more)

    @property
    def _is_extreme(self) -> bool:
        return _WORDS[self.options["operation"]] in ("MAX", "MIN")

    def _check(self, case: Case) -> tuple[int, int]:
        """Return how many nodes edges lead to, and how many edges there are."""
        offsets, indices = case.inputs["offsets"], case.inputs["indices"]
        for name, each in (*case.inputs.items(), *case.outputs.items()):
            refuse_gaps(each, name)
        for name in ("offsets", "indices", "rev_offsets", "rev_edges", "positions"):
            if name not in case.inputs:
                continue
            each = case.inputs[name]
            if each.dtype not in ("int32", "int64") or each.dtype != offsets.dtype:
                raise errors.ArgumentError(
                    f"{name}: expected int32 or int64, the same for all, got {each.dtype}"
                )
            if name != "positions" and len(each.shape) != 1:
                raise errors.ShapeMismatchError(f"{name}: expected one axis, got {each.shape}")
        if offsets.shape[0] < 2:
            raise errors.ShapeMismatchError(
                f"offsets: expected one more than the nodes, got {offsets.shape}"
            )
        return offsets.shape[0] - 1, indices.shape[0]

    def _features(self, case: Case, name: str, rows: int | None) -> tuple[int, int]:
        """Return rows and columns of an array of features."""
        spec = case.inputs[name]
        if len(spec.shape) != 2 or rows not in (None, spec.shape[0]):
            wanted = "nodes" if rows is None else rows
            raise errors.ShapeMismatchError(
                f"{name}: expected ({wanted}, features), got {spec.shape}"
            )
        if spec.dtype not in ("float32", "float16", "bfloat16", "float64"):
            raise errors.ArgumentError(f"{name}: expected a floating-point type, got {spec.dtype}")
        return spec.shape[0], spec.shape[1]

    def _graph(self, case: Case, nodes: int, targets: int, edges: int, at: Any) -> Any:
        """Return the record of the edges."""
        record = record_class("cudnnGnnCscGraph_t")
        return record(
            cscOffsets=at["offsets"], cscIndices=at["indices"], mapCscToCoo=0,
            mapRevToCoo=at.get("rev_edges") or 0, nSrcNodes=nodes, nDstNodes=targets,
            nIndices=edges, idxType=arrays.data_type(case.inputs["offsets"].dtype),
            cscRevOffsets=at.get("rev_offsets") or 0,
        )  # fmt: skip


class Aggregation(_Aggregation):
    """The sum, mean, largest or least of the features of all nodes that edges lead from.

    Edges are those of node i in offsets[i] to offsets[i + 1] of `indices`.

    Formula: sum, mean, max or min of the features that edges lead from
    Arrays: x (nodes, features), offsets, indices
    Ways: since 9.26
    """

    word = "aggregate"
    by = "`cudnnGnnAggSimpleForward`"
    gradient = ("aggregate_backward",)

    def __init__(self, operation: AggregationWord = "sum", *, choose: Choose = None) -> None:
        """Make an aggregation.

        Args:
            operation: "sum", "mean", "max" or "min".
            choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.
        """
        super().__init__(operation, choose=choose)

    @property
    def gives(self) -> tuple[str, ...]:  # type: ignore[override]
        """Return the names of the outputs."""
        return ("y", "positions") if self._is_extreme else ("y",)

    def __call__(
        self, x: ArrayT, offsets: Array, indices: Array, *, out: Out = None,
        handle: Handle | None = None, stream: CallStream = ..., choose: Choose = None,
    ) -> AggregationResults[ArrayT]:  # fmt: skip
        """Aggregate.

        Args:
            x: the features of each node, (nodes, features), in C order.
            offsets: where the edges that lead to each node begin and end, int32 or int64.
            indices: the node that each edge leads from, of the same type.
            out, handle, stream, choose: as for `Convolution`.
        """
        found = self.run((x, offsets, indices), out, handle, stream, choose)
        return AggregationResults(*found) if self._is_extreme else AggregationResults(found, None)

    def results(self, case: Case) -> dict[str, Spec]:
        targets, _ = self._check(case)
        _, features = self._features(case, "x", None)
        x, shape = case.inputs["x"], (targets, features)
        found = {"y": packed(shape, x)}
        if self._is_extreme:
            found["positions"] = packed(shape, x, case.inputs["offsets"].dtype)
        return found

    def classic(self, case: Case, rule: Rule, handle: Handle) -> Classic:
        """Return the call of `cudnnGnnAggSimpleForward`."""
        needed("cudnnGnnAggSimpleForward", "9.26.0")
        targets, edges = self._check(case)
        nodes, features = self._features(case, "x", None)
        kind = arrays.data_type(case.inputs["x"].dtype)
        word = arrays.member("GnnAggOp", _WORDS[self.options["operation"]])
        steps = Steps(case.inputs, case.outputs)

        def run(handle: Handle, at: Any) -> None:
            calls.cudnnGnnAggSimpleForward(
                handle.get_stream(), self._graph(case, nodes, targets, edges, at), at["x"], None,
                None, at["y"], at.get("positions"), features, 0, 0, kind, word,
            )  # fmt: skip

        steps.then(run, "cudnnGnnAggSimpleForward")
        return steps.classic(deterministic=None)


class AggregationBackward(_Aggregation):
    """The gradient of an aggregation for the features of nodes.

    Formula: for x: dy of each edge's end, by its share; for max and min where the extreme was
    Arrays: dy, offsets, indices
    """

    word = "aggregate_backward"
    by = "`cudnnGnnAggSimpleBackward`"
    section = "data"
    together = ("rev_offsets", "rev_edges")
    gives: tuple[str, ...] = ("dx",)

    def __init__(
        self, nodes: int, operation: AggregationWord = "sum", *, choose: Choose = None
    ) -> None:
        """Make the gradient.

        Args:
            nodes: how many have features.
            operation, choose: as for `Aggregation`.
        """
        (count,) = integers(nodes=nodes)
        if count < 1:
            raise errors.ArgumentError(f"nodes: expected 1 or more, got {count}")
        super().__init__(operation, choose=choose, nodes=count)

    def __call__(
        self, dy: ArrayT, offsets: Array, indices: Array, rev_offsets: Array | None = None,
        rev_edges: Array | None = None, positions: Array | None = None, *, out: Out = None,
        handle: Handle | None = None, stream: CallStream = ..., choose: Choose = None,
    ) -> ArrayT:  # fmt: skip
        """Return the gradient (nodes, features).

        Args:
            dy: the gradient of the result.
            offsets, indices: as in the forward call.
            rev_offsets, rev_edges: the same edges by the nodes that they lead from: where those of
                each begin and end, and the number of each.
            positions: returned by the forward call for "max" and "min".
            out, handle, stream, choose: as for `Convolution`.
        """
        given = (dy, offsets, indices, rev_offsets, rev_edges, positions)
        return self.run(given, out, handle, stream, choose)

    def results(self, case: Case) -> dict[str, Spec]:
        targets, _ = self._check(case)
        _, features = self._features(case, "dy", targets)
        positions = case.inputs.get("positions")
        if (positions is None) == self._is_extreme:
            what = "None" if positions is None else "an array"
            raise errors.ArgumentError(
                f"positions: they go with max and min, got {what} for {self.options['operation']}"
            )
        if positions is not None:
            check_shape(positions, (targets, features), "positions")
        return {"dx": packed((self.options["nodes"], features), case.inputs["dy"])}

    def classic(self, case: Case, rule: Rule, handle: Handle) -> Classic:
        """Return the call of `cudnnGnnAggSimpleBackward`."""
        needed("cudnnGnnAggSimpleBackward", "9.26.0")
        targets, edges = self._check(case)
        _, features = self._features(case, "dy", targets)
        dy, nodes = case.inputs["dy"], self.options["nodes"]
        word = arrays.member("GnnAggOp", _WORDS[self.options["operation"]])
        kind = arrays.data_type(dy.dtype)
        steps = Steps(case.inputs, case.outputs)
        steps.zero("dx", nodes * features * arrays.itemsize(dy.dtype))

        def run(handle: Handle, at: Any) -> None:
            calls.cudnnGnnAggSimpleBackward(
                handle.get_stream(), self._graph(case, nodes, targets, edges, at), at["dy"],
                at.get("positions"), at["dx"], None, None, features, 0, 0, kind, word,
            )  # fmt: skip

        steps.then(run, "cudnnGnnAggSimpleBackward")
        return steps.classic(deterministic=None)


aggregate = function(
    Aggregation,
    summary=(
        "Aggregate the features of the nodes that edges lead from.\n"
        "\n"
        "Edges are those of node i in offsets[i] to offsets[i + 1] of `indices`."
    ),
    order="x offsets indices operation",
)


aggregate_backward = function(
    AggregationBackward,
    summary="Return the gradient of an aggregation for the features of nodes.",
    order="dy offsets indices nodes operation",
)
