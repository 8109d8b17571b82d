"""cuDNN's own multi-head attention, with the projections, and its gradients."""

from __future__ import annotations

from typing import Any, Generic, NamedTuple

from ... import arrays, errors
from ..._lookup import calls
from ..._operation.functions import function
from ..._operation.sharing import shared
from ..._support.arguments import boolean, integers, whole
from ..._ways.array_spec import Spec
from ..._ways.call_sequence import Steps, packed
from ..._ways.case import Case
from ..._ways.classic_call import Classic
from ..._ways.type_variables import ArrayT, KeptT
from ...choice.policy import Rule
from ..rnn.algorithms import math_type
from ..rnn.layout import lengths_of
from .multi_head_weights import MultiHead

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Unpack

    from ..._ways.signatures import (
        Array,
        CallStream,
        Choose,
        Handle,
        Numbers,
        Out,
        Windows,
        WithOut,
    )


class MultiHeadResults(NamedTuple, Generic[ArrayT, KeptT]):
    """The results of multi-head attention.

    Attributes:
        o: the result.
        reserve: what gradients need, as bytes; None without `training`.
    """

    o: ArrayT
    reserve: KeptT


class MultiHeadGradients(NamedTuple, Generic[ArrayT]):
    """The gradients of multi-head attention for queries, keys, values and weights."""

    q: ArrayT
    k: ArrayT
    v: ArrayT
    weights: ArrayT


def _windows_of(windows: Any) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    if windows is None:
        return None
    try:
        first, last = windows
    except (TypeError, ValueError):
        raise errors.ArgumentError(
            f"windows: expected the first keys and the ends, got {windows!r}"
        ) from None
    return whole(first, "windows"), whole(last, "windows")


class MultiHeadAttention(MultiHead):
    """Multi-head attention: o = sum over heads of Wo softmax(scale * (Wq q) (Wk k)') (Wv v).

    Attributes:
        state: the random numbers of the dropout of the attention.
        output_state: of the dropout of the output.

    Formula: sum over heads of Wo softmax(scale (Wq q) (Wk k)') (Wv v)
    Arrays: q, k, v (batch, time, size), weights (n,)
    Edges: NaN or infinities after `q_lengths` and `kv_lengths`: may reach results and gradients
    """

    word = "multi_head_attention"
    by = "`cudnnMultiHeadAttnForward`"
    gradient = ("multi_head_attention_backward",)
    gives: tuple[str, ...] = ("o",)
    derived = ("q_size", "k_size", "v_size")
    derived_from = ("q", "k", "v")

    @classmethod
    def for_function(cls, options: dict[str, Any], *arrays: Any) -> Any:
        """Return the operation that functions share for these options and sizes of vectors."""
        for name, array in zip(cls.derived_from, arrays, strict=True):
            shape = Spec.of(array, name).shape
            if not shape:
                raise errors.ArgumentError(f"{name}: expected an array of vectors, got a number")
            options[f"{name}_size"] = shape[-1]
        return shared(cls, options)

    def __call__(
        self, q: ArrayT, k: Array, v: Array, weights: Array | None = None,
        residual: Array | None = None, *, training: bool = False, q_lengths: Numbers | None = None,
        kv_lengths: Numbers | None = None, windows: Windows | None = None, step: int | None = None,
        out: Out = None, handle: Handle | None = None, stream: CallStream = ...,
        choose: Choose = None,
    ) -> MultiHeadResults[ArrayT, Array | None]:  # fmt: skip
        """Compute attention.

        Args:
            q, k, v: (batch, time, size), or (time, batch, size) without `batch_first`, in C order;
                float32, float64 or float16. Keys and values are equally long.
            weights: the buffer of weights, `weights_count` elements of the data type of `q`; none
                where nothing is projected.
            residual: is added to the result, in its shape, which has to be that of `q`; the
                gradient for it is that of the result.
            training: whether to keep what gradients need, and to drop elements.
            q_lengths, kv_lengths: the length of each sequence, as host integers; by default that of
                the time axis.
            windows: the keys that each query sees: the first of each, and the one after the last
                of each, as two sequences of host integers; by default all, or those of
                `causal`.
            step: the query to compute, in inference; by default all. Elements of the result for
                others stay as they are, so that `out` has to be given.
            out: the array to write to.
            handle, stream, choose: as for `Convolution`.
        """
        if step is not None:
            (step,) = integers(step=step)
            if training:
                raise errors.ArgumentError("step: it is for inference only, got training=True")
            if out is None:
                raise errors.ArgumentError("out: expected an array, got as step")
        if training:
            for state in (self.state, self.output_state):
                if state.rate:
                    state.begin_with(q)
        call = (
            ("training", boolean(training, "training")), ("q_lengths", lengths_of(q_lengths)),
            ("kv_lengths", lengths_of(kv_lengths)), ("windows", _windows_of(windows)),
            ("step", step),
        )  # fmt: skip
        found = self.run((q, k, v, weights, residual), out, handle, stream, choose, 1.0, 0.0, call)
        return MultiHeadResults(*found) if training else MultiHeadResults(found, None)

    def results(self, case: Case) -> dict[str, Spec]:
        batch, queries, _ = self._check(case)
        return {"o": self._sequences(batch, queries, self._o_size, case.inputs["q"])}

    def classic(self, case: Case, rule: Rule, handle: Handle) -> Classic:
        """Return the call of `cudnnMultiHeadAttnForward`."""
        training, step = bool(case.call.get("training")), case.call.get("step")

        def outputs(made: Any) -> dict[str, Spec]:
            if not training:
                return case.outputs
            kept = Spec("uint8", (max(made.reserve, 1),), (1,), case.inputs["q"].device)
            return {**case.outputs, "reserve": kept}

        made = self._prepare(case, rule, handle, outputs, training)
        steps: Steps = made.steps
        # In inference cuDNN keeps in the workspace what it has in the reserve in training.
        size = made.workspace if training else made.workspace + made.reserve
        scratch = steps.room("scratch", size) if size else ""
        reserve = made.reserve if training else 0
        has_weights = made.weights > 0

        def run(handle: Handle, at: Any) -> None:
            with made.dropping(handle):
                calls.cudnnMultiHeadAttnForward(
                    handle, made.attention, -1 if step is None else step, made.first, made.last,
                    at["q_lengths"], at["kv_lengths"], made.q, at["q"], at.get("residual"), made.k,
                    at["k"], made.v, at["v"], made.o, at["o"], made.weights,
                    at["weights"] if has_weights else None, size, at.get(scratch), reserve,
                    at["reserve"] if reserve else None,
                )  # fmt: skip

        steps.then(run, "cudnnMultiHeadAttnForward")
        return steps.classic(math=math_type(rule, case.inputs["q"].dtype), deterministic=None)

    def backward(
        self,
        do: ArrayT,
        q: Array,
        k: Array,
        v: Array,
        weights: Array,
        reserve: Array,
        **call: Unpack[WithOut],
    ) -> MultiHeadGradients[ArrayT]:
        """Return the gradients; see `MultiHeadAttentionBackward` and its call."""
        made = self.__dict__.get("_backward")
        if made is None:
            made = self._backward = MultiHeadAttentionBackward(**self.options, choose=self.policy)
            made.state, made.output_state = self.state, self.output_state
            made.behind = self.behind
        return made(do, q, k, v, weights, reserve, **call)


class MultiHeadAttentionBackward(MultiHead):
    """The gradients of multi-head attention for queries, keys, values and weights.

    Formula: for q, k, v and weights
    Arrays: `reserve` of the forward call
    """

    word = "multi_head_attention_backward"
    section = "data"
    spends = ("reserve",)
    gives: tuple[str, ...] = ("dq", "dk", "dv", "dweights")
    by = "`cudnnMultiHeadAttnBackwardData`, `cudnnMultiHeadAttnBackwardWeights`"
    derived = ("q_size", "k_size", "v_size")
    derived_from = ("q", "k", "v")

    @classmethod
    def for_function(cls, options: dict[str, Any], *arrays: Any) -> Any:
        """Return the gradients of the operation that functions share for these options."""
        return MultiHeadAttention.for_function(options, *arrays).backward

    def __call__(
        self, do: ArrayT, q: Array, k: Array, v: Array, weights: Array | None, reserve: Array, *,
        q_lengths: Numbers | None = None, kv_lengths: Numbers | None = None,
        windows: Windows | None = None,
        out: Out = None, handle: Handle | None = None, stream: CallStream = ...,
        choose: Choose = None,
    ) -> MultiHeadGradients[ArrayT]:  # fmt: skip
        """Compute the gradients.

        Args:
            do: the gradient of the result.
            q, k, v, weights, q_lengths, kv_lengths, windows: as in the forward call.
            reserve: returned by the forward call; it serves one backward call.
            out: the gradients, with None for those to be made.
            handle, stream, choose: as for `Convolution`.
        """
        call = (
            ("q_lengths", lengths_of(q_lengths)), ("kv_lengths", lengths_of(kv_lengths)),
            ("windows", _windows_of(windows)),
        )  # fmt: skip
        given = (do, q, k, v, weights, reserve)
        found = self.run(given, out, handle, stream, choose, 1.0, 0.0, call)
        return MultiHeadGradients(
            found[0], found[1], found[2], found[3] if len(found) > 3 else None
        )

    def results(self, case: Case) -> dict[str, Spec]:
        self._check(case)
        if self.options["bias"]:
            raise errors.ArgumentError("bias: cuDNN has no gradients with biases")
        reserve = case.inputs["reserve"]
        if reserve.dtype != "uint8" or len(reserve.shape) != 1:
            raise errors.ArgumentError(
                f"reserve: expected what the forward call returned, got {reserve}"
            )
        names = {"dq": "q", "dk": "k", "dv": "v", "dweights": "weights"}
        return {
            name: packed(case.inputs[each].shape, case.inputs[each])
            for name, each in names.items()
            if each in case.inputs
        }

    def classic(self, case: Case, rule: Rule, handle: Handle) -> Classic:
        """Return calls of `cudnnMultiHeadAttnBackwardData` and `...BackwardWeights`."""
        made = self._prepare(case, rule, handle, lambda _: case.outputs, True)
        reserve = case.inputs["reserve"]
        if reserve.shape != (max(made.reserve, 1),):
            raise errors.ArgumentError(
                f"reserve: expected {made.reserve} bytes, got {reserve.shape}"
            )
        steps: Steps = made.steps
        size = made.workspace
        scratch = steps.room("scratch", size) if size else ""
        replace = arrays.member("WgradMode", "SET")

        def run(handle: Handle, at: Any) -> None:
            rest = (size, at.get(scratch), made.reserve, at["reserve"])
            weights = at["weights"] if made.weights else None
            with made.dropping(handle):
                calls.cudnnMultiHeadAttnBackwardData(
                    handle, made.attention, made.first, made.last, at["q_lengths"],
                    at["kv_lengths"], made.o, at["do"], made.q, at["dq"], at["q"], made.k, at["dk"],
                    at["k"], made.v, at["dv"], at["v"], made.weights, weights, *rest,
                )  # fmt: skip
                if made.weights:
                    calls.cudnnMultiHeadAttnBackwardWeights(
                        handle, made.attention, replace, made.q, at["q"], made.k, at["k"], made.v,
                        at["v"], made.o, at["do"], made.weights, weights, at["dweights"], *rest,
                    )  # fmt: skip

        steps.then(run, "cudnnMultiHeadAttnBackwardData")
        steps.then(lambda _handle, _at: None, "cudnnMultiHeadAttnBackwardWeights")
        return steps.classic(math=math_type(rule, case.inputs["q"].dtype), deterministic=None)


multi_head_attention = function(
    MultiHeadAttention,
    summary=(
        "Compute multi-head attention with projections.\n"
        "\n"
        "o = sum over heads of Wo softmax(scale * (Wq q) (Wk k)') (Wv v)."
    ),
    order="q k v weights heads",
)


multi_head_attention_backward = function(
    MultiHeadAttentionBackward,
    summary="Return the gradients of multi-head attention.",
    order="do q k v weights reserve heads",
)
