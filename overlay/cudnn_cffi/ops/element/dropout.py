"""Dropout and its gradient."""

from __future__ import annotations

import math
from typing import Any, Generic, NamedTuple

from ... import errors
from ..._lookup import calls
from ..._operation.functions import function
from ..._operation.operation import Operation
from ..._support.wording import a_kind
from ..._ways.array_spec import Spec, is_same_order
from ..._ways.case import Case, Unfit
from ..._ways.classic_call import HANDLE, Classic, Step, describe, operands_of
from ..._ways.type_variables import ArrayT
from ...choice.policy import Rule
from .random_state import RandomState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Unpack

    from ..._ways.signatures import Array, ArrayT, CallStream, Choose, Handle, Out, WithOut


class Dropped(NamedTuple, Generic[ArrayT]):
    """The results of a dropout.

    Attributes:
        y: the result.
        reserve: which elements were dropped, as bytes that the gradient reads.
    """

    y: ArrayT
    reserve: ArrayT


class _Dropout(Operation):
    """The base of a dropout and its gradient."""

    ways = ("classic",)

    @classmethod
    def for_function(cls, options: dict[str, Any], *_: Any) -> Any:
        """Return a new operation: its random numbers begin anew."""
        return cls(**options)

    def __init__(
        self, rate: float = 0.5, seed: int | None = None, *, choose: Choose = None,
        state: RandomState | None = None,
    ) -> None:  # fmt: skip
        """Make a dropout.

        Args:
            rate: the probability with which an element becomes zero; the others are divided by
                1 - rate.
            seed: where the random numbers begin; the same seed has the same masks, call by call.
                By default of PyTorch's generator on the CPU where the first array is PyTorch's
                (so that `torch.manual_seed` decides), else of the operating system.
            choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.
            state: random numbers that several operations share.

        Raises:
            ArgumentError: `rate` is not a probability below 1, the seed is out of range, or `state`
                is no `RandomState`.
        """
        if state is not None and not isinstance(state, RandomState):
            raise errors.ArgumentError(f"state: expected a RandomState, got {a_kind(state)}")
        self.state = RandomState(rate, seed) if state is None else state
        super().__init__(choose, rate=self.state.rate, seed=seed)

    @staticmethod
    def _flat(spec: Spec) -> Any:
        """Return the descriptor of an array as one row; the order of elements does not matter."""
        count = math.prod(spec.shape)
        if count >= 1 << 31:
            raise Unfit(f"cuDNN's dropout takes fewer than 2 ** 31 elements, got {count}")
        return describe(
            spec._replace(shape=(1, 1, 1, count), strides=(count, count, count, 1))
        )  # fmt: skip

    def _dense(self, case: Case, name: str) -> Spec:
        spec = case.inputs[name]
        if not spec.is_dense:
            raise errors.ArgumentError(f"{name}: expected an array without gaps, got {spec}")
        return spec._replace(alignment=16)

    @staticmethod
    def _same_strides(case: Case, name: str, like: Spec) -> None:
        target = case.outputs.get(name)
        if target is not None and target.shape == like.shape and not is_same_order(target, like):
            raise errors.ArgumentError(
                f"{name}: expected strides of {like.strides} elements, got {target.strides}"
            )

    def _reserve(self, spec: Spec) -> Spec:
        size = 0
        if 0 not in spec.shape:
            size = max(calls.cudnnDropoutGetReserveSpaceSize(self._flat(spec)), 1)
        return Spec("uint8", (size,), (1,), spec.device)


class Dropout(_Dropout):
    """Dropout: elements become zero with a probability, the others are divided by 1 - rate.

    The state of the random numbers belongs to the object, and goes on from call to call.

    Formula: zero with probability `rate`, else x / (1 - rate)
    Arrays: any shape without gaps; also returns `reserve`
    Edges: float64: 1 / (1 - rate) is rounded to float32 (PyTorch: to float64)
    """

    word = "dropout"
    by = "`cudnnDropoutForward`"
    gradient = ("dropout_backward",)
    gives: tuple[str, ...] = ("y", "reserve")

    def __call__(
        self, x: ArrayT, *, out: Out = None, handle: Handle | None = None, stream: CallStream = ...,
        choose: Choose = None,
    ) -> Dropped[ArrayT]:  # fmt: skip
        """Drop elements.

        Args:
            x: any shape, without gaps.
            out: `y`, or a tuple of both outputs, with None for those to be made.
            handle, stream, choose: as for `Convolution`.

        Returns: `y`, and `reserve`, which the gradient needs.
        """
        self.state.begin_with(x)
        return Dropped(*self.run((x,), out, handle, stream, choose))

    def reset(self, seed: int | None = None) -> None:
        """Begin again at the seed, or at another one."""
        self.state.reset(seed)

    def results(self, case: Case) -> dict[str, Spec]:
        x = self._dense(case, "x")
        self._same_strides(case, "y", x)
        return {"y": x, "reserve": self._reserve(x)}

    def classic(self, case: Case, rule: Rule, handle: Handle) -> Classic:
        """Return the call of `cudnnDropoutForward`."""
        desc, size = self._flat(case.inputs["x"]), case.outputs["reserve"].shape[0]
        place = self.state.place(handle)
        name = "cudnnDropoutForward"
        step = Step(name, HANDLE, place.descriptor, desc, "x", desc, "y", "reserve", size)
        return Classic(
            name, operands_of(case.inputs, case.outputs), [step], around=self.state.used_by,
            turn=place.turn,
        )  # fmt: skip

    def backward(self, dy: ArrayT, reserve: Array, **call: Unpack[WithOut]) -> ArrayT:
        """Return the gradient for the input; see `DropoutBackward`."""
        made = self.__dict__.get("_backward")
        if made is None:
            made = self._backward = DropoutBackward(choose=self.policy, state=self.state)
        return made(dy, reserve, **call)


class DropoutBackward(_Dropout):
    """The gradient of a dropout for its input.

    Formula: dy / (1 - rate) where x was kept, else 0
    Arrays: dy, `reserve`
    """

    word = "dropout_backward"
    by = "`cudnnDropoutBackward`"
    gradient = ("dropout_backward",)
    section = "data"
    gives: tuple[str, ...] = ("dx",)

    def __call__(
        self, dy: ArrayT, reserve: Array, *, out: Out = None, handle: Handle | None = None,
        stream: CallStream = ..., choose: Choose = None,
    ) -> ArrayT:  # fmt: skip
        """Compute the gradient.

        Args:
            dy: the gradient of the result, with the strides of the dropout's input.
            reserve: returned by the dropout.
            out, handle, stream, choose: as for `Convolution`.
        """
        return self.run((dy, reserve), out, handle, stream, choose)

    def results(self, case: Case) -> dict[str, Spec]:
        dy = self._dense(case, "dy")
        self._same_strides(case, "dx", dy)
        wanted, reserve = self._reserve(dy), case.inputs["reserve"]
        if (reserve.dtype, reserve.shape) != (wanted.dtype, wanted.shape):
            raise errors.ArgumentError(
                f"reserve: expected uint8 {wanted.shape}, got {reserve.dtype} {reserve.shape}",
                hint="pass what the dropout of an input of this shape and type returned",
            )
        return {"dx": dy}

    def classic(self, case: Case, rule: Rule, handle: Handle) -> Classic:
        """Return the call of `cudnnDropoutBackward`."""
        desc, size = self._flat(case.inputs["dy"]), case.inputs["reserve"].shape[0]
        name, dropout = "cudnnDropoutBackward", self.state.read_only(handle)
        step = Step(name, HANDLE, dropout, desc, "dy", desc, "dx", "reserve", size)
        return Classic(name, operands_of(case.inputs, case.outputs), [step])


dropout = function(
    Dropout,
    summary=(
        "Drop elements by random numbers that begin anew in each call.\n"
        "\n"
        "Elements become zero with the probability `rate`; the others are divided by 1 - "
        "rate."
    ),
    order="x rate seed",
    returns=(
        "`y`, and `reserve`, which `dropout_backward` needs. An object of `Dropout` that "
        "is kept\n"
        "    is faster, since it does not make a state for each call."
    ),
)


dropout_backward = function(
    DropoutBackward,
    summary="Return the gradient of a dropout for its input.",
    order="dy reserve rate",
    seed=0,
)
