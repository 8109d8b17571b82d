"""Recurrent networks: ReLU, tanh, LSTM and GRU, in training and inference."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from ... import arrays, errors, handles
from ..._operation.functions import function
from ..._operation.operation import Operation
from ..._operation.sharing import shared
from ..._support.arguments import boolean
from ..._ways.array_spec import Spec, check_dtype, refuse_gaps
from ..._ways.case import FREE, SMALL, Case
from ..._ways.classic_call import HANDLE, Classic, Held, Scratch, Step, operands_of
from ..._ways.timing import measure
from ...choice import policy as policies
from ...choice.policy import Rule
from . import algorithms
from .backward import (
    RNNBackwardData,
    RNNBackwardWeights,
    RNNGradients,
    RNNReserve,
    RNNResults,
    Training,
    finishing,
    gradient_ways,
    kept,
)
from .layout import Network, Parameter, lengths_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..._ways.signatures import (
        Array,
        ArrayT,
        BiasWord,
        CallStream,
        Choose,
        DType,
        Handle,
        Nonlinearity,
        Numbers,
        Out,
        Viewed,
    )


class Recurrent(Operation):
    """A recurrent network with its options.

    Attributes:
        network: its options, and their descriptors.
        backward_data: its `RNNBackwardData`.
        backward_weights: its `RNNBackwardWeights`.
    """

    cell: str = ""
    section: ClassVar[str] = "recurrent"
    derived = ("input_size",)
    derived_from = ("x",)
    gives: tuple[str, ...] = ("y", "hy", "cy")
    ways = ("classic",)
    _has_algorithms = True

    @classmethod
    def for_function(cls, options: dict[str, Any], *arrays: Any) -> Any:
        """Return the network that functions share for these options, and the vectors of `x`."""
        size = Spec.of(arrays[0], "x").shape[-1:]
        if not size:
            raise errors.ArgumentError("x: expected an array of vectors, got a number")
        return shared(cls, {"input_size": size[0], **options})

    def __init__(
        self, input_size: int, hidden_size: int, layers: int = 1, *, bidirectional: bool = False,
        bias: BiasWord = True, projection_size: int | None = None, dropout: float = 0.0,
        seed: int | None = None, batch_first: bool = False, packed: bool = False,
        batch: bool = True, skip_input: bool = False, clip: float | Sequence[float] | None = None,
        choose: Choose = None,
    ) -> None:  # fmt: skip
        """Make a network.

        Args:
            input_size: the elements of an input vector.
            hidden_size: the elements of a hidden state.
            layers: the number of layers.
            bidirectional: whether a second network reads the sequences from the end.
            bias: True for a bias with the matrices of the input and of the state, "input" or
                "recurrent" for one of them, False for none.
            projection_size: the elements of a projected hidden state of an LSTM.
            dropout: the probability with which elements between layers become zero in training.
            seed: of the dropout, as for `Dropout`.
            batch_first: whether the axis of the batch comes before that of time.
            packed: whether sequences lie without padding, as in PyTorch's `PackedSequence`.
            batch: whether arrays have an axis of the batch.
            skip_input: whether the first layer adds the input itself instead of its product with
                a matrix.
            clip: bounds of the cell states of an LSTM, also of `cx`, where the output and the next
                step use them: a pair, or one number for both signs.
            choose: the algorithm: "STANDARD", "PERSIST_STATIC", "PERSIST_DYNAMIC",
                "PERSIST_STATIC_SMALL_H", or a word as for other operations; see
                `cudnn_cffi.choice`.

        Raises:
            ArgumentError: an option is out of its range, or does not go with another one.
        """
        self.network = Network(
            self.cell, input_size, hidden_size, layers, bidirectional=bidirectional, bias=bias,
            projection_size=projection_size, dropout=dropout, seed=seed, batch_first=batch_first,
            packed=packed, batch=batch, skip_input=skip_input, clip=clip,
        )  # fmt: skip
        super().__init__(
            choose, input_size=input_size, hidden_size=hidden_size, layers=layers,
            bidirectional=bidirectional, bias=bias, projection_size=projection_size,
            dropout=dropout, seed=seed, batch_first=batch_first, packed=packed,
            batch=batch, skip_input=skip_input, clip=clip,
        )  # fmt: skip
        self.backward_data = RNNBackwardData(self.network)
        self.backward_weights = RNNBackwardWeights(self.network)

    def __call__(
        self, x: ArrayT, weights: Array, hx: Array | None = None, cx: Array | None = None, *,
        training: bool = False, lengths: Numbers | None = None, out: Out = None,
        handle: Handle | None = None, stream: CallStream = ..., choose: Choose = None,
    ) -> RNNResults[ArrayT, RNNReserve | None]:  # fmt: skip
        """Run the network over sequences.

        Args:
            x: (time, batch, input_size); (batch, time, input_size) with `batch_first`;
                (time, input_size) with `batch=False`; (sum of lengths, input_size) with `packed`,
                first the first vectors of all sequences, then the second ones. In C order.
            weights: the buffer of weights, `weights_count` elements of the data type of `x`.
            hx: the hidden states to begin with, (layers * directions, batch, hidden_size), or
                projection_size; by default zeros. Directions of a layer lie next to each other.
            cx: the cell states of an LSTM, (layers * directions, batch, hidden_size).
            training: whether to keep what gradients need, and to drop elements between layers.
            lengths: the length of each sequence, as host integers; by default that of
                the time axis. After the end of a sequence `y` is zero.
            out: `y`, or a tuple (y, hy, cy), with None for those to be made.
            handle, stream, choose: as for `Convolution`.
        """
        if training and self.network.drops:
            self.network.state.begin_with(x)
        call = (("training", boolean(training, "training")), ("lengths", lengths_of(lengths)))
        made = self.run((x, weights, hx, cx), out, handle, stream, choose, 1.0, 0.0, call)
        if training:
            return made
        return RNNResults(made[0], made[1], made[2] if len(made) > 2 else None, None)

    def backward(
        self, dy: ArrayT, x: Array, y: Array, weights: Array, reserve: RNNReserve | None,
        hx: Array | None = None, cx: Array | None = None, *, dhy: Array | None = None,
        dcy: Array | None = None, out: Sequence[Array | None] = (None,) * 4, beta: float = 0.0,
        handle: Handle | None = None, stream: CallStream = ...,
    ) -> RNNGradients[ArrayT]:  # fmt: skip
        """Return the gradients for input, states and weights.

        Args:
            dy: the gradient of `y`.
            x, weights, hx, cx: as in the forward call.
            y, reserve: returned by the forward call.
            dhy, dcy: the gradients of the states that it returned; by default zeros.
            out: arrays for the gradients of x, hx, cx and weights, with None for those to be made.
            beta: 1 to add the gradient of the weights to what its array holds, else 0.
            handle, stream: as for `Convolution`.
        """
        dx, dhx, dcx, dweights = out
        held = kept(reserve)
        data = self.backward_data(
            dy, y, weights, held, hx, cx, dhy, dcy, out=(dx, dhx, dcx), handle=handle,
            stream=stream,
        )  # fmt: skip
        found = self.backward_weights(
            x, y, held, hx, out=dweights, beta=beta, handle=handle, stream=stream
        )
        return RNNGradients(data.x, data.hx, data.cx, found)

    # Weights

    def weights_count(self, dtype: DType = "float32", device: int | None = None) -> int:
        """Return the number of elements of the buffer of weights; without a GPU it is computed.

        Args:
            dtype: the data type of the weights.
            device: the ordinal of the device; by default the current one.

        Raises:
            ArgumentError: there is no such data type.
            CudnnError: there is no GPU, and `skip_input` is set: only cuDNN tells the size then.
        """
        return self.network.weights_count(dtype, device)

    def layout(self, weights: Array) -> list[Parameter]:
        """Return where each matrix and bias is in a buffer of weights, or of their gradients."""
        spec = Spec.of(weights, "weights")
        address = arrays.describe(weights).address
        return self.network.parameters(address, spec, handles.handle(spec.device))

    def parameters(self, weights: Viewed) -> dict[str, Viewed]:
        """Return a view of each matrix and bias in a buffer of weights, or of their gradients.

        The names are layer, direction, gate and part, such as "layer0.forward.forget.input_weight".
        Their order is that of layers; in a layer forward, then backward; the matrices of the input
        for all gates, then those of the state, each followed by its bias.

        Args:
            weights: a buffer of PyTorch, CuPy, or a DeviceArray. (JAX makes copies of views.)
        """
        found = {}
        for each in self.layout(weights):
            count = each.shape[0] * (each.shape[1] if len(each.shape) > 1 else 1)
            found[each.name] = weights[each.offset : each.offset + count].reshape(each.shape)
        return found

    # Ways

    def results(self, case: Case) -> dict[str, Spec]:
        network, x = self.network, case.inputs["x"]
        sizes = network.sizes(x, "x", network.input_size, case.call.get("lengths"))
        check_dtype(case.inputs["weights"], x.dtype, "weights")
        network.check_states(case.inputs, sizes, x)
        for name, each in case.outputs.items():
            refuse_gaps(each, name)
        found = {
            "y": network.sequence(sizes, network.state_size * network.directions, x),
            "hy": network.states(sizes, x, cell=False),
        }
        if network.cell == "LSTM":
            found["cy"] = network.states(sizes, x, cell=True)
        return found

    def classic(self, case: Case, rule: Rule, handle: Handle) -> Classic:
        """Return the call of `cudnnRNNForward`, by the algorithm that the rule picks.

        Raises:
            NotSupportedError: cuDNN computes this by none of the algorithms that are allowed.
        """
        math = algorithms.math_type(rule, case.inputs["x"].dtype)
        if isinstance(rule.pick, str) and rule.pick in algorithms.names():
            return self._way(case, rule.pick, math, handle)
        key = self._facts(case), rule, math, handle.device, handle.workspace.limit
        if (name := self._picked.get(key)) is not None:
            try:
                return self._way(case, name, math, handle)
            except errors.NotSupportedError:
                pass  # other lengths may need another one
        way = self._pick(case, rule, math, handle)
        self._picked[key] = way.algorithm
        return way

    def facts(self, case: Case) -> tuple[dict[str, str], dict[str, object]]:
        """Return what choices depend on: lengths matter only in that they may differ."""
        dtype, time, batch, uneven, training = self._facts(case)
        x = f"{dtype}{[time, batch, self.network.input_size]}"
        return {"x": x}, {"uneven": uneven, "training": training}

    def _facts(self, case: Case) -> tuple[Any, ...]:
        """Return what an algorithm is picked by: data type, extents, and whether lengths differ."""
        x, lengths = case.inputs["x"], case.call.get("lengths")
        sizes = self.network.sizes(x, "x", self.network.input_size, lengths)
        uneven = min(sizes.lengths) != max(sizes.lengths)
        return x.dtype, sizes.time, sizes.batch, uneven, bool(case.call.get("training"))

    def _pick(self, case: Case, rule: Rule, math: str, handle: Handle) -> Classic:
        """Return the call by the algorithm that a word of a rule means."""
        reasons: list[str] = []
        fitting = self._fitting(case, rule, math, handle, reasons)
        if rule.pick in ("none", "small"):
            found = list(fitting)
            least = sorted(found, key=lambda each: each.workspace_size)
            little = [way for way in found if way.workspace_size <= SMALL]
            fitting = iter([*little, *least] if rule.pick == "small" else least)
        timed = rule.pick == "time"
        # The documented limits do not predict the fastest algorithm, so time them.
        close = rule.pick == "heuristic" and algorithms.may_persist(self.network, case)
        best: tuple[float, Classic] | None = None
        for way in fitting:
            if not timed and not close and way.algorithm == "STANDARD":
                return way
            took, why = self._try(case, way, handle, algorithms.REPEATS if timed or close else 0)
            if took is None:
                reasons.append(f"{way.algorithm}: {why.splitlines()[0]}")
            elif not timed and not close:
                return way
            elif best is None or took < best[0]:
                best = took, way
            if close and way.algorithm == "STANDARD":
                break
        if best is not None:
            return best[1]
        lines = "\n".join(f"  {each}" for each in reasons)
        raise errors.NotSupportedError(f"{self.word}: no algorithm computes this\n{lines}")

    def algorithms(
        self, case: Case, handle: Handle, rule: Rule = FREE
    ) -> Iterator[tuple[str, Classic | None, str]]:
        """Yield each algorithm: its name, what calls it, and why nothing does."""
        math = algorithms.math_type(
            policies.rule_for("recurrent", self.policy), case.inputs["x"].dtype
        )
        for name in algorithms.names():
            try:
                way = self._way(case, name, math, handle, drop=False)
                if name != "STANDARD":
                    took, why = self._try(case, way, handle, 0)
                    if took is None:
                        yield name, None, why
                        continue
                yield name, way, ""
            except errors.CudnnError as error:
                yield name, None, error.message

    def _fitting(
        self, case: Case, rule: Rule, math: str, handle: Handle, reasons: list[str]
    ) -> Iterator[Classic]:
        """Yield the calls that a rule allows, and add to `reasons` why others are left out."""
        for name in algorithms.preferred(self.network, case, rule):
            try:
                way = self._way(case, name, math, handle)
                algorithms.check_limits(way, rule, handle)
            except errors.CudnnError as error:
                if isinstance(error, (errors.ArgumentError, errors.ShapeMismatchError)):
                    raise
                reasons.append(f"{name}: {error.message.splitlines()[0]}")
                continue
            yield way

    def _try(
        self, case: Case, way: Classic, handle: Handle, repeats: int
    ) -> tuple[float | None, str]:  # fmt: skip
        """Run an algorithm on zeros, with the gradients in training; see `measure`."""
        ways = [way]
        if self.network.drops and case.call.get("training"):
            ways = [self._way(case, way.algorithm, way.math, handle, drop=False)]
        if case.call.get("training"):
            try:
                ways += gradient_ways(case, ways[0], self, handle)
            except errors.CudnnError as error:
                return None, error.message
        return measure(ways, handle, repeats)

    def _way(
        self, case: Case, algorithm: str, math: str, handle: Handle, *, drop: bool = True
    ) -> Classic:  # fmt: skip
        """Return the call by one algorithm.

        Args:
            drop: whether elements are dropped in training, which changes the random numbers.
        """
        network, x = self.network, case.inputs["x"]
        training = bool(case.call.get("training"))
        lengths = case.call.get("lengths")
        sizes = network.sizes(x, "x", network.input_size, lengths)
        weights_size = network.check_weights(case.inputs["weights"], "weights", handle)
        mode = arrays.member("ForwardMode", "TRAINING" if training else "INFERENCE")
        drop = drop and training
        call = network.prepare(handle, sizes, x.dtype, algorithm, math, mode, drop=drop)
        operands = {**case.outputs}
        if training:
            operands["reserve"] = Spec("uint8", (max(call.reserve, 1),), (1,), x.device)
        made = operands_of(case.inputs, operands)
        there = {each.name: each.name for each in made}.get
        step = Step(
            "cudnnRNNForward", HANDLE, call.descriptor, mode, Held(call.lengths), call.x, "x",
            call.y, "y", call.h, there("hx"), "hy", call.c, there("cx"), there("cy"),
            weights_size, "weights", call.workspace, Scratch(),
            call.reserve if training else 0, there("reserve"),
        )  # fmt: skip
        way = (Training if training else Classic)(
            "cudnnRNNForward", made, [step], around=call.dropping, turn=call.turn,
            workspace_size=call.workspace, algorithm=algorithm, deterministic=None, math=math,
        )  # fmt: skip
        if isinstance(way, Training):
            way.finish = finishing(self, algorithm, math, lengths)
        return way


class LSTM(Recurrent):
    """A long short-term memory.

    With the gates i (input), f (forget), g (cell) and o (output), and * element by element. A
    matrix projects h where there is a projection.

    Formula: c = f * c + i * g; h = o * tanh(c)
    Arrays: x (time, batch, size), weights (n,)
    """

    word = "lstm"
    by = "`cudnnRNNForward`"
    gradient = ("rnn_backward_data", "rnn_backward_weights")
    cell = "LSTM"


class GRU(Recurrent):
    """Gated recurrent units.

    With the gates r (reset), u (update) and n (new), and * element by element.

    Formula: n = tanh(W x + b + r * (R h + c)); h = (1 - u) * n + u * h
    Arrays: x (time, batch, size), weights (n,)
    """

    word = "gru"
    by = "`cudnnRNNForward`"
    gradient = ("rnn_backward_data", "rnn_backward_weights")
    cell = "GRU"


class RNN(Recurrent):
    """A network of plain cells.

    Formula: h = tanh(W x + R h + b), or relu
    Arrays: x (time, batch, size), weights (n,)
    """

    word = "rnn"
    by = "`cudnnRNNForward`"
    gradient = ("rnn_backward_data", "rnn_backward_weights")
    cell = "RNN_TANH"

    def __init__(
        self, input_size: int, hidden_size: int, layers: int = 1, *,
        nonlinearity: Nonlinearity = "tanh", bidirectional: bool = False,
        bias: BiasWord = True, dropout: float = 0.0, seed: int | None = None,
        batch_first: bool = False, packed: bool = False, batch: bool = True,
        skip_input: bool = False, choose: Choose = None,
    ) -> None:  # fmt: skip
        """Make a network.

        Args:
            input_size, hidden_size, layers: as for `LSTM`.
            nonlinearity: "tanh" or "relu".
            bidirectional, bias, dropout, seed: as for `LSTM`.
            batch_first, packed, batch, skip_input, choose: as for `LSTM`.

        Raises:
            ArgumentError: as for `LSTM`.
        """
        word = str(nonlinearity).lower().removeprefix("rnn_")  # Theano's rnn_mode begins so
        if word not in ("tanh", "relu"):
            raise errors.ArgumentError(
                f'nonlinearity: expected "tanh" or "relu", got {nonlinearity!r}'
            )
        self.cell = f"RNN_{word.upper()}"
        super().__init__(
            input_size, hidden_size, layers, bidirectional=bidirectional, bias=bias,
            dropout=dropout, seed=seed, batch_first=batch_first, packed=packed, batch=batch,
            skip_input=skip_input, choose=choose,
        )  # fmt: skip
        self.options = {**self.options, "nonlinearity": word}


lstm = function(
    LSTM,
    summary=(
        "Run a long short-term memory over sequences.\n"
        "\n"
        "With the gates i (input), f (forget), g (cell) and o (output), and * element by "
        "element:\n"
        "c = f * c + i * g; h = o * tanh(c), which a matrix projects where there is a "
        "projection."
    ),
    order="x weights hidden_size",
)


gru = function(
    GRU,
    summary=(
        "Run gated recurrent units over sequences.\n"
        "\n"
        "With the gates r (reset), u (update) and n (new), and * element by element:\n"
        "n = tanh(W x + b + r * (R h + c)); h = (1 - u) * n + u * h."
    ),
    order="x weights hidden_size",
)


rnn = function(
    RNN,
    summary=("Run a network of plain cells over sequences: h = tanh(W x + R h + b), or relu."),
    order="x weights hidden_size",
)
