"""The gradients of recurrent networks for input, states and weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Generic, NamedTuple, Protocol

from ... import arrays, errors
from ..._operation.functions import function
from ..._operation.operation import Operation
from ..._support.wording import a_kind
from ..._ways.array_spec import Spec, check_dtype, check_shape, refuse_gaps
from ..._ways.case import Case
from ..._ways.classic_call import HANDLE, Classic, Held, Scratch, Step, Zero, operands_of
from ..._ways.type_variables import ArrayT, KeptT
from ...choice.policy import Rule
from .layout import Network

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..._ways.signatures import Array, CallStream, Choose, DTypeWord, Handle, Out


class Trained(Protocol):
    """The gradients of a network, which its operation has."""

    network: Network
    backward_data: RNNBackwardData
    backward_weights: RNNBackwardWeights

    def backward(
        self, dy: ArrayT, x: Array, y: Array, weights: Array, reserve: RNNReserve | None,
        hx: Array | None = None, cx: Array | None = None, *, dhy: Array | None = None,
        dcy: Array | None = None, out: Sequence[Array | None] = (None,) * 4, beta: float = 0.0,
        handle: Handle | None = None, stream: CallStream = ...,
    ) -> RNNGradients[ArrayT]:  # fmt: skip
        """Return all gradients."""


class RNNReserve:
    """Memory that a network keeps of a forward call in training for its gradients.

    Attributes:
        array: the bytes; the gradients of data change them.
        algorithm: of the forward call, which the gradients have to use, too.
        math: the math type, likewise.
        lengths: of the sequences; None where all are as long as the time axis.
        network: the operation that made it.
    """

    __slots__ = ("algorithm", "array", "lengths", "math", "network")

    def __init__(
        self,
        array: Array,
        algorithm: str,
        math: str,
        lengths: tuple[int, ...] | None,
        network: Trained,
    ) -> None:
        self.array = array
        self.algorithm = algorithm
        self.math = math
        self.lengths = lengths
        self.network = network

    @property
    def call(self) -> tuple[tuple[str, object], ...]:
        """Return what the gradients are called with."""
        return ("lengths", self.lengths), ("algorithm", self.algorithm), ("math", self.math)

    def __repr__(self) -> str:
        return f"<RNNReserve of {self.network!r}, {self.algorithm}>"


class RNNResults(NamedTuple, Generic[ArrayT, KeptT]):
    """The results of a network.

    Attributes:
        y: the results of the last layer; with two directions, first the forward one.
        hy: the hidden states after the last vectors, of each layer and direction.
        cy: the cell states, likewise; None if the cells are not of an LSTM.
        reserve: an `RNNReserve` in training, else None.
    """

    y: ArrayT
    hy: ArrayT
    cy: ArrayT | None
    reserve: KeptT


class Training(Classic):
    """A forward call in training, whose outputs are put together."""

    finish: Callable[[Any], RNNResults[Any, RNNReserve]]

    def __call__(self, *given: Any, **named: Any) -> Any:
        return self.finish(super().__call__(*given, **named))

    def attempt(self, *given: object, **named: object) -> Any:
        """Make a plain call; return NotImplemented if the call is not plain."""
        got = super().attempt(*given, **named)
        return got if got is NotImplemented else self.finish(got)


def finishing(
    network: Trained, algorithm: str, math: str, lengths: tuple[int, ...] | None
) -> Callable[[Any], RNNResults[Any, RNNReserve]]:
    """Return what puts the outputs of a forward call in training together."""
    is_lstm = network.network.cell == "LSTM"

    def finish(got: Any) -> RNNResults[Any, RNNReserve]:
        reserve = RNNReserve(got[-1], algorithm, math, lengths, network)
        return RNNResults(got[0], got[1], got[2] if is_lstm else None, reserve)

    return finish


class RNNGradients(NamedTuple, Generic[ArrayT]):
    """The gradients of a network; that of the cell states is None if there are none."""

    x: ArrayT
    hx: ArrayT
    cx: ArrayT | None
    weights: ArrayT | None


def kept(reserve: object) -> RNNReserve:
    """Return what a network kept; refuse anything else."""
    if not isinstance(reserve, RNNReserve):
        raise errors.ArgumentError(
            f"reserve: expected an RNNReserve, got {type(reserve).__name__}",
            hint="pass the `reserve` of the results of a call with training=True",
        )
    return reserve


class _Backward(Operation):
    """The base of both gradients."""

    section: ClassVar[str] = "recurrent"
    ways = ("classic",)
    _has_algorithms = True

    def __init__(self, network: Network, *, choose: Choose = None) -> None:
        """Make the gradients of a network; `LSTM` and others do it.

        Args:
            network: its options, and their descriptors.
            choose: as for other operations, but the algorithm is that of the forward call.
        """
        if not isinstance(network, Network):
            raise errors.ArgumentError(f"network: expected a Network, got {a_kind(network)}")
        self.network = network
        super().__init__(choose, cell=network.cell)

    def classic(self, case: Case, rule: Rule, handle: Handle) -> Classic:
        """Return the call, by the algorithm of the forward call."""
        return self.make(case, handle)

    def make(self, case: Case, handle: Handle, *, drop: bool = True) -> Classic:
        """Return the call; `drop` is as in the forward call."""
        raise NotImplementedError

    def _prepare(self, case: Case, sizes: Any, dtype: DTypeWord, handle: Handle, drop: bool) -> Any:
        call = case.call
        mode = arrays.member("ForwardMode", "TRAINING")
        made = self.network.prepare(
            handle, sizes, dtype, call["algorithm"], call["math"], mode, drop=drop
        )
        came, wanted = case.inputs["reserve"], (max(made.reserve, 1),)
        if (came.dtype, came.shape) != ("uint8", wanted):
            raise errors.ArgumentError(
                f"reserve: expected uint8 {wanted}, got {came.dtype} {came.shape}",
                hint="it is for the arrays of the forward call that returned it",
            )
        return made


class RNNBackwardData(_Backward):
    """The gradients of a recurrent network for its input and the states that it began with.

    It changes the reserve, which the gradient of the weights reads: that one has to follow.

    Formula: for x and states
    Arrays: `reserve` of the forward call
    """

    word = "rnn_backward_data"
    by = "`cudnnRNNBackwardData_v8`"
    derived = ("network",)
    derived_from = ("reserve",)
    takes: tuple[str, ...] = ("dy", "y", "weights", "reserve", "hx", "cx", "dhy", "dcy")
    spends = ("reserve",)
    gives: tuple[str, ...] = ("dx", "dhx", "dcx")

    @classmethod
    def for_function(cls, _: dict[str, Any], *arrays: Any) -> Any:
        """Return the gradients of the network that computed a reserve."""
        return kept(arrays[0]).network.backward_data

    def __call__(
        self, dy: ArrayT, y: Array, weights: Array, reserve: RNNReserve, hx: Array | None = None,
        cx: Array | None = None, dhy: Array | None = None, dcy: Array | None = None, *,
        out: Out = None, handle: Handle | None = None, stream: CallStream = ...,
    ) -> RNNGradients[ArrayT]:  # fmt: skip
        """Compute the gradients.

        Args:
            dy: the gradient of `y`.
            y, reserve: returned by the forward call.
            weights, hx, cx: as in the forward call.
            dhy, dcy: the gradients of the states that it returned; by default zeros.
            out: `dx`, or a tuple (dx, dhx, dcx), with None for those to be made.
            handle, stream: as for `Convolution`.

        Returns: the gradients; that of the weights is None.
        """
        held = kept(reserve)
        if isinstance(out, tuple) and self.network.cell != "LSTM":
            out = out[:2]
        got = self.run(
            (dy, y, weights, held.array, hx, cx, dhy, dcy), out, handle, stream, None, 1.0, 0.0,
            held.call,
        )  # fmt: skip
        return RNNGradients(got[0], got[1], got[2] if len(got) > 2 else None, None)

    def results(self, case: Case) -> dict[str, Spec]:
        network, y = self.network, case.inputs["y"]
        width = network.state_size * network.directions
        sizes = network.sizes(y, "y", width, case.call.get("lengths"))
        dy = case.inputs["dy"]
        check_shape(dy, y.shape, "dy")
        refuse_gaps(dy, "dy")
        for name in ("dy", "weights"):
            check_dtype(case.inputs[name], y.dtype, name)
        network.check_states(case.inputs, sizes, y)
        for name, each in case.outputs.items():
            refuse_gaps(each, name)
        found = {
            "dx": network.sequence(sizes, network.input_size, y),
            "dhx": network.states(sizes, y, cell=False),
        }
        if network.cell == "LSTM":
            found["dcx"] = network.states(sizes, y, cell=True)
        return found

    def make(self, case: Case, handle: Handle, *, drop: bool = True) -> Classic:
        """Return the call of `cudnnRNNBackwardData_v8`."""
        network, y = self.network, case.inputs["y"]
        width = network.state_size * network.directions
        sizes = network.sizes(y, "y", width, case.call.get("lengths"))
        weights_size = network.check_weights(case.inputs["weights"], "weights", handle)
        call = self._prepare(case, sizes, y.dtype, handle, drop)
        operands = operands_of(case.inputs, case.outputs)
        there = {each.name: each.name for each in operands}.get
        step = Step(
            "cudnnRNNBackwardData_v8", HANDLE, call.descriptor, Held(call.lengths), call.y, "y",
            "dy", call.x, "dx", call.h, there("hx"), there("dhy"), "dhx", call.c, there("cx"),
            there("dcy"), there("dcx"), weights_size, "weights", call.workspace, Scratch(),
            call.reserve, "reserve",
        )  # fmt: skip
        return Classic(
            step.function, operands, [step], around=call.dropping, turn=call.turn,
            workspace_size=call.workspace,
            algorithm=case.call["algorithm"], deterministic=None, math=case.call["math"],
        )  # fmt: skip


class RNNBackwardWeights(_Backward):
    """The gradient of a recurrent network for its weights, after `RNNBackwardData`.

    Formula: for weights
    Arrays: `reserve` of the forward call, after `rnn_backward_data`
    """

    word = "rnn_backward_weights"
    by = "`cudnnRNNBackwardWeights_v8`"
    derived = ("network",)
    derived_from = ("reserve",)
    takes: tuple[str, ...] = ("x", "y", "reserve", "hx")
    gives: tuple[str, ...] = ("dweights",)

    @classmethod
    def for_function(cls, _: dict[str, Any], *arrays: Any) -> Any:
        """Return the gradients of the network that computed a reserve."""
        return kept(arrays[0]).network.backward_weights

    def __call__(
        self, x: ArrayT, y: Array, reserve: RNNReserve, hx: Array | None = None, *, out: Out = None,
        beta: float = 0.0, handle: Handle | None = None, stream: CallStream = ...,
    ) -> ArrayT:  # fmt: skip
        """Compute the gradient.

        Args:
            x, hx: as in the forward call.
            y: returned by the forward call.
            reserve: likewise, after the gradients of data were computed with it.
            out: an array like the buffer of weights.
            beta: 1 to add the gradient to what `out` holds, else 0.
            handle, stream: as for `Convolution`.
        """
        held = kept(reserve)
        if beta not in (0, 1):
            raise errors.ArgumentError(f"beta: expected 0 or 1, got {beta!r}")
        return self.run(
            (x, y, held.array, hx), out, handle, stream, None, 1.0, float(beta), held.call
        )

    def results(self, case: Case) -> dict[str, Spec]:
        network, x, y = self.network, case.inputs["x"], case.inputs["y"]
        lengths = case.call.get("lengths")
        sizes = network.sizes(x, "x", network.input_size, lengths)
        wanted = network.sequence(sizes, network.state_size * network.directions, x)
        check_shape(y, wanted.shape, "y")
        check_dtype(y, x.dtype, "y")
        refuse_gaps(y, "y")
        network.check_states(case.inputs, sizes, x)
        for name, each in case.outputs.items():
            refuse_gaps(each, name)
        count = network.weights_count(x.dtype, x.device)
        return {"dweights": Spec(x.dtype, (count,), (1,), x.device)}

    def make(self, case: Case, handle: Handle, *, drop: bool = True) -> Classic:
        """Return the call of `cudnnRNNBackwardWeights_v8`."""
        network, x = self.network, case.inputs["x"]
        sizes = network.sizes(x, "x", network.input_size, case.call.get("lengths"))
        size = network.check_weights(case.outputs["dweights"], "dweights", handle)
        call = self._prepare(case, sizes, x.dtype, handle, drop)
        add = arrays.member("WgradMode", "ADD")  # the only one that cuDNN has here
        operands = operands_of(case.inputs, case.outputs)
        step = Step(
            "cudnnRNNBackwardWeights_v8", HANDLE, call.descriptor, add, Held(call.lengths),
            call.x, "x", call.h, "hx" if "hx" in case.inputs else None, call.y, "y", size,
            "dweights", call.workspace, Scratch(), call.reserve, "reserve",
        )  # fmt: skip
        cleared = [Zero("dweights", size)] if case.beta == 0 else []
        return Classic(
            step.function, operands, [*cleared, step], around=call.dropping, turn=call.turn,
            workspace_size=call.workspace, algorithm=case.call["algorithm"], deterministic=None,
            math=case.call["math"],
        )  # fmt: skip


def gradient_ways(case: Case, way: Classic, network: Trained, handle: Handle) -> list[Classic]:
    """Return the calls of both gradients after a forward call in training, without dropping."""
    specs = {**case.inputs, **case.outputs}
    size = next(each for each in way.operands if each.name == "reserve").shape
    reserve = Spec("uint8", size, (1,), specs["x"].device)
    call: dict[str, Any] = {
        "lengths": case.call.get("lengths"), "algorithm": way.algorithm, "math": way.math,
    }  # fmt: skip
    y, hx, cx = specs["y"], specs.get("hx"), specs.get("cx")
    data, weights = network.backward_data, network.backward_weights
    before = data.case(y, y, specs["weights"], reserve, hx, cx, None, None, **call)
    after = weights.case(specs["x"], y, reserve, hx, **call)
    return [data.make(before, handle, drop=False), weights.make(after, handle, drop=False)]


def rnn_backward(
    dy: ArrayT, x: Array, y: Array, weights: Array, reserve: RNNReserve, *,
    hx: Array | None = None, cx: Array | None = None, dhy: Array | None = None,
    dcy: Array | None = None, out: Sequence[Array | None] = (None,) * 4, beta: float = 0.0,
    handle: Handle | None = None, stream: CallStream = ...,
) -> RNNGradients[ArrayT]:  # fmt: skip
    """Return the gradients of a network of any kind, whose call returned `reserve`.

    Formula: for x, states and weights: `rnn_backward_data`, then `rnn_backward_weights`

    Args:
        dy: the gradient of `y`.
        x, weights: as in the forward call.
        y, reserve: returned by the forward call.
        hx, cx, dhy, dcy, out, beta, handle, stream: as for `LSTM.backward`.

    Raises:
        ArgumentError: an argument is invalid, or `reserve` is none of a training call.

    Computed by `cudnnRNNBackwardData_v8` and `cudnnRNNBackwardWeights_v8`.
    """
    return kept(reserve).network.backward(
        dy, x, y, weights, reserve, hx, cx, dhy=dhy, dcy=dcy, out=out, beta=beta, handle=handle,
        stream=stream,
    )  # fmt: skip


rnn_backward_data = function(
    RNNBackwardData,
    summary="Return the gradients of a network for input and states.",
)


rnn_backward_weights = function(
    RNNBackwardWeights,
    summary="Return the gradient of a network for its weights, after `rnn_backward_data`.",
)
