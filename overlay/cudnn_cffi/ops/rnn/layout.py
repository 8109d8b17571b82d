"""Recurrent networks as cuDNN knows them: cells, sizes, descriptors, and where weights are."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from ... import arrays, errors, handles
from ..._lookup import calls
from ..._support.arguments import integers, reals, whole
from ..._support.results import NamedTuple
from ..._support.wording import no_word
from ..._ways.array_spec import Spec, check_dtype, check_shape, refuse_gaps
from ..._ways.call_sequence import constant_of
from ...descriptors import RNNDataDescriptor, RNNDescriptor, TensorDescriptor
from ...memory import Memory
from ..element.random_state import RandomState, rate_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..._ways.signatures import BiasWord, DTypeWord, Handle
    from ...enum_words import (
        MathTypeLike,
        RNNAlgoLike,
        RNNBiasModeLike,
        RNNDataLayoutLike,
        RNNModeLike,
    )

#: The gates of each kind of cell, in the order of cuDNN's matrices.
GATES = {
    "RNN_RELU": ("hidden",),
    "RNN_TANH": ("hidden",),
    "LSTM": ("input", "forget", "cell", "output"),
    "GRU": ("reset", "update", "new"),
}

_BIASES = {
    "double": "DOUBLE_BIAS",
    "input": "SINGLE_INP_BIAS",
    "none": "NO_BIAS",
    "recurrent": "SINGLE_REC_BIAS",
}


#: Measured with cuDNN 9.19.0 on an H200, for each cell; of packed sequences cuDNN refuses 0.
_NO_STEPS = "leave out sequences of no step, whose final states would be zeros, not those given"


class Parameter(NamedTuple):
    """A matrix or a bias, and where it is in the buffer of weights.

    Attributes:
        layer: its number; the first one reads the input.
        direction: "forward", or "backward" for the network that reads from the end.
        gate: see `GATES`; "projection" for the matrix after an LSTM's cells.
        part: "input_weight", "recurrent_weight", "input_bias", "recurrent_bias", or "weight" of the
            projection.
        offset: of the first element, in elements.
        shape: (rows, columns) of a matrix, (rows,) of a bias.
    """

    layer: int
    direction: str
    gate: str
    part: str
    offset: int
    shape: tuple[int, ...]

    @property
    def name(self) -> str:
        """Return what tells it from the others, such as "layer0.forward.forget.input_weight"."""
        return f"layer{self.layer}.{self.direction}.{self.gate}.{self.part}"


class Sizes(NamedTuple):
    """A batch of sequences.

    Attributes:
        time: the extent of the time axis.
        batch: the number of sequences.
        lengths: of the sequences.
    """

    time: int
    batch: int
    lengths: tuple[int, ...]


class Prepared:
    """The parameters of each call of a network for arrays of one kind.

    Attributes:
        descriptor: of the network.
        x, y: descriptors of the input and of the results.
        h, c: descriptors of hidden states and of cell states, None where there are none.
        lengths: of the sequences, in device memory.
        workspace, reserve: in bytes.
        dropping: returns a context manager for a call with a handle; None where none is needed.
        turn: of the random numbers, likewise.
    """

    __slots__ = (
        *("c", "descriptor", "dropping", "h", "lengths", "reserve", "turn", "workspace", "x", "y"),
    )
    descriptor: Any
    x: Any
    y: Any
    h: Any
    c: Any
    lengths: Memory
    workspace: int
    reserve: int
    dropping: Callable[[Any], Any] | None
    turn: Any


class Network:
    """A recurrent network: its options, and their descriptors."""

    def __init__(
        self, cell: str, input_size: int, hidden_size: int, layers: int, *, bidirectional: bool,
        bias: BiasWord, projection_size: int | None, dropout: float, seed: int | None,
        batch_first: bool, packed: bool, batch: bool, skip_input: bool,
        clip: float | Sequence[float] | None,
    ) -> None:  # fmt: skip
        """Check the options; they are those of `ops.LSTM`."""
        self.cell = cell
        self.input_size, self.hidden_size, self.layers = integers(
            input_size=input_size, hidden_size=hidden_size, layers=layers
        )
        for name in ("input_size", "hidden_size", "layers"):
            if getattr(self, name) < 1:
                raise errors.ArgumentError(f"{name}: expected 1 or more, got {getattr(self, name)}")
        self.bidirectional = bidirectional
        self.directions = 2 if bidirectional else 1
        self.bias = _bias_mode(bias)
        self.projection_size = self._projection(projection_size)
        self.state_size = self.projection_size or self.hidden_size
        self.state = RandomState(rate_of(dropout, "dropout"), seed)
        self.batch_first, self.packed, self.batch = batch_first, packed, batch
        if packed and (batch_first or not batch):
            raise errors.ArgumentError(
                "packed: it has no axis of the batch, got batch_first or batch=False too"
            )
        if skip_input and self.input_size != self.hidden_size:
            raise errors.ArgumentError(
                f"skip_input: expected equal sizes, got input_size {self.input_size} and "
                f"hidden_size {self.hidden_size}"
            )
        self.skip_input = skip_input
        self.clip = self._bounds(clip)
        self._counts: dict[tuple[str, int | None], int] = {}

    def _projection(self, size: int | None) -> int:
        if not size:
            return 0
        (size,) = integers(projection_size=size)
        if self.cell != "LSTM":
            raise errors.ArgumentError("projection_size: only an LSTM has projections")
        if not 1 <= size < self.hidden_size:
            raise errors.ArgumentError(
                f"projection_size: expected less than hidden_size {self.hidden_size}, got {size}"
            )
        return size

    def _bounds(self, clip: Any) -> tuple[float, float] | None:
        if clip is None:
            return None
        if self.cell != "LSTM":
            raise errors.ArgumentError("clip: only an LSTM has cell states to clip")
        if isinstance(clip, (int, float)):
            clip = (-clip, clip)
        try:
            low, high = clip
        except (TypeError, ValueError):
            raise errors.ArgumentError(f"clip: expected two numbers, got {clip!r}") from None
        low, high = reals(clip=low) + reals(clip=high)
        if not low < high:
            raise errors.ArgumentError(f"clip: expected the lower number first, got {clip!r}")
        return low, high

    # Arrays

    def sizes(self, spec: Spec, name: str, width: int, lengths: Any) -> Sizes:
        """Return what sequences an array holds.

        Args:
            spec: the input, or the result, or a gradient of one of them.
            name: of the array, for errors.
            width: the elements of one of its vectors.
            lengths: of the sequences; None for the extent of the time axis.

        Raises:
            ArgumentError: the array or the lengths do not fit.
        """
        rank = 2 if self.packed or not self.batch else 3
        form = "(batch, time, " if self.batch_first else "(time, batch, "
        if rank == 2:
            form = "(vectors, " if self.packed else "(time, "
        if len(spec.shape) != rank or spec.shape[-1] != width:
            raise errors.ShapeMismatchError(
                f"{name}: expected the shape {form}{width}), got {spec.shape}"
            )
        refuse_gaps(spec, name)
        if self.packed:
            return self._packed(spec, name, lengths)
        if not self.batch:
            time, batch = spec.shape[0], 1
        else:
            time, batch = spec.shape[:2] if not self.batch_first else spec.shape[1::-1]
        if lengths is None:
            return Sizes(time, batch, (time,) * batch)
        if len(lengths) != batch or not all(1 <= each <= time for each in lengths):
            raise errors.ArgumentError(
                f"lengths: expected {batch} numbers from 1 to {time}, got {lengths}", hint=_NO_STEPS
            )
        return Sizes(time, batch, lengths)

    @staticmethod
    def _packed(spec: Spec, name: str, lengths: Any) -> Sizes:
        if lengths is None:
            raise errors.ArgumentError("lengths: packed sequences need them, got None")
        if not lengths or list(lengths) != sorted(lengths, reverse=True) or lengths[-1] < 1:
            raise errors.ArgumentError(
                f"lengths: expected numbers from 1 on, the longest sequence first, got {lengths}",
                hint=_NO_STEPS,
            )
        if sum(lengths) != spec.shape[0]:
            raise errors.ShapeMismatchError(
                f"{name}: expected {sum(lengths)} vectors for these lengths, got {spec.shape[0]}"
            )
        return Sizes(lengths[0], len(lengths), lengths)

    def sequence(self, sizes: Sizes, width: int, like: Spec) -> Spec:
        """Return an array of sequences of vectors, as results are."""
        if self.packed:
            shape: tuple[int, ...] = (sum(sizes.lengths), width)
        elif not self.batch:
            shape = (sizes.time, width)
        elif self.batch_first:
            shape = (sizes.batch, sizes.time, width)
        else:
            shape = (sizes.time, sizes.batch, width)
        return Spec(like.dtype, shape, arrays.packed_strides(shape), like.device)

    def states(self, sizes: Sizes, like: Spec, *, cell: bool) -> Spec:
        """Return an array of hidden states, or of cell states."""
        width = self.hidden_size if cell else self.state_size
        count = self.layers * self.directions
        shape = (count, sizes.batch, width) if self.batch else (count, width)
        return Spec(like.dtype, shape, arrays.packed_strides(shape), like.device)

    def check_states(self, inputs: Mapping[str, Spec], sizes: Sizes, like: Spec) -> None:
        """Refuse states, and gradients of states, that do not fit."""
        for name in ("hx", "cx", "dhy", "dcy"):
            each = inputs.get(name)
            if each is None:
                continue
            cell = name in ("cx", "dcy")
            if cell and self.cell != "LSTM":
                raise errors.ArgumentError(f"{name}: only an LSTM has cell states")
            wanted = self.states(sizes, like, cell=cell)
            check_shape(each, wanted.shape, name)
            check_dtype(each, like.dtype, name)
            refuse_gaps(each, name)

    # Descriptors

    def descriptor(self, dtype: DTypeWord, algorithm: str, math: str, dropout: Any = None) -> Any:
        """Return a descriptor of the network.

        Raises:
            NotSupportedError: cuDNN does not do this by the algorithm.
        """
        return RNNDescriptor.of(
            cast("RNNModeLike", self.cell), self.input_size, self.hidden_size, self.layers,
            bidirectional=self.bidirectional, bias=cast("RNNBiasModeLike", self.bias),
            projection_size=self.projection_size or None, dtype=dtype,
            math=cast("MathTypeLike", math), dropout=dropout,
            algorithm=cast("RNNAlgoLike", algorithm), clip=self.clip,
            input_mode="SKIP_INPUT" if self.skip_input else "LINEAR_INPUT",
            padded_io=not self.packed,
        )  # fmt: skip

    def prepare(
        self, handle: Handle, sizes: Sizes, dtype: DTypeWord, algorithm: str, math: str, mode: Any,
        *, drop: bool,
    ) -> Prepared:  # fmt: skip
        """Return what calls take.

        Args:
            handle: of the device.
            sizes: the sequences.
            dtype: the data type of all arrays.
            algorithm, math: names of members of `RNNAlgo` and `MathType`.
            mode: the member of `ForwardMode`.
            drop: whether elements are dropped.

        Raises:
            NotSupportedError: cuDNN does not do this by the algorithm.
        """
        made = Prepared()
        made.lengths = self.lengths(sizes, handle)  # first: it refuses captures before they break
        drop = drop and self.drops
        made.dropping = self.state.used_by if drop else None
        made.turn = self.state.place(handle).turn if drop else None
        with self.state.used_by(handle) if drop else contextlib.nullcontext() as dropout:
            made.descriptor = self.descriptor(dtype, algorithm, math, dropout)
        if algorithm == "PERSIST_DYNAMIC":
            calls.cudnnBuildRNNDynamic(handle, made.descriptor, sizes.batch)
        made.x = self.data(sizes, self.input_size, dtype)
        made.y = self.data(sizes, self.state_size * self.directions, dtype)
        made.h = self.state_descriptor(sizes, dtype, cell=False)
        is_lstm = self.cell == "LSTM"
        made.c = self.state_descriptor(sizes, dtype, cell=True) if is_lstm else None
        spaces = calls.cudnnGetRNNTempSpaceSizes(handle, made.descriptor, mode, made.x)
        made.workspace, made.reserve = spaces[0], spaces[1]
        return made

    @property
    def drops(self) -> bool:
        """Return whether elements are dropped between layers in training."""
        return self.state.rate > 0 and self.layers > 1

    def data(self, sizes: Sizes, width: int, dtype: DTypeWord) -> Any:
        """Return the descriptor of sequences."""
        layout: RNNDataLayoutLike = (
            "BATCH_MAJOR_UNPACKED" if self.batch_first else "SEQ_MAJOR_UNPACKED"
        )
        return RNNDataDescriptor.of(
            sizes.lengths, width, dtype, max_length=sizes.time,
            layout="SEQ_MAJOR_PACKED" if self.packed else layout,
        )  # fmt: skip

    def state_descriptor(self, sizes: Sizes, dtype: DTypeWord, *, cell: bool) -> Any:
        """Return the descriptor of hidden or cell states."""
        width = self.hidden_size if cell else self.state_size
        shape = (self.layers * self.directions, sizes.batch, width)
        return TensorDescriptor.packed(shape, dtype, axes=3)

    @staticmethod
    def lengths(sizes: Sizes, handle: Handle) -> Memory:
        """Return the lengths in device memory, as 32-bit integers."""
        return constant_of(handle, b"".join(each.to_bytes(4, "little") for each in sizes.lengths))

    # Weights

    def weights_count(
        self, dtype: Any, device: int | None = None, handle: Handle | None = None
    ) -> int:
        """Return the elements of the buffer of weights.

        cuDNN tells the size for a handle; without a GPU or a library it is counted.

        Raises:
            ArgumentError: there is no such data type.
            CudnnError: there is no GPU, and `skip_input` is set: only cuDNN tells the size then.
        """
        name = arrays.dtype_name(dtype)
        count = self._counts.get((name, device))
        if not name:
            raise errors.ArgumentError(f"expected a data type, got {dtype!r}")
        if count is None:
            try:
                handle = handles.handle(device) if handle is None else handle
            except (errors.NotInitializedError, errors.LibraryNotFoundError):
                if self.skip_input:
                    raise
                return self._counted()
            desc = self.descriptor(name, "STANDARD", "DEFAULT_MATH")
            size = calls.cudnnGetRNNWeightSpaceSize(handle, desc)
            count = self._counts[name, device] = -(-size // arrays.itemsize(name))
        return count

    def _counted(self) -> int:
        """Return the number of elements of the buffer that has all matrices and biases."""
        gates, sides = len(GATES[self.cell]), {"NO_BIAS": 0, "DOUBLE_BIAS": 2}.get(self.bias, 1)
        count, width = 0, self.input_size
        for _ in range(self.layers):
            columns = width + self.state_size + sides
            one = gates * self.hidden_size * columns + self.projection_size * self.hidden_size
            count, width = count + one * self.directions, self.state_size * self.directions
        return count

    def check_weights(self, spec: Spec, name: str, handle: Handle) -> int:
        """Return the bytes of a buffer of weights; refuse one that does not fit."""
        count = self.weights_count(spec.dtype, spec.device, handle)
        if spec.shape != (count,):
            raise errors.ShapeMismatchError(
                f"{name}: expected the shape ({count},), got {spec.shape}",
                hint="weights_count(dtype) returns the number of elements",
            )
        refuse_gaps(spec, name)
        return count * arrays.itemsize(spec.dtype)

    def parameters(self, address: int, spec: Spec, handle: Handle) -> list[Parameter]:
        """Return where each matrix and bias is in a buffer of weights."""
        size = self.check_weights(spec, "weights", handle)
        itemsize = arrays.itemsize(spec.dtype)
        desc = self.descriptor(spec.dtype, "STANDARD", "DEFAULT_MATH")
        gates = GATES[self.cell]
        kinds = [(gate, side) for side in ("input", "recurrent") for gate in gates]
        found = []
        for place in range(self.layers * self.directions):
            layer, back = divmod(place, self.directions)
            direction = "backward" if back else "forward"
            named = [(i, gate, f"{side}_weight", f"{side}_bias") for i, (gate, side) in
                     enumerate(kinds)]  # fmt: skip
            if self.projection_size:
                named.append((len(kinds), "projection", "weight", ""))
            for number, gate, matrix_part, bias_part in named:
                matrix, bias = TensorDescriptor(), TensorDescriptor()
                got = calls.cudnnGetRNNWeightParams(
                    handle, desc, place, size, address, number, matrix, bias
                )
                if got[0]:
                    rows, columns = matrix.shape[1:3]
                    offset = (got[0] - address) // itemsize
                    found.append(
                        Parameter(layer, direction, gate, matrix_part, offset, (rows, columns))
                    )
                if got[1] and bias_part:
                    offset = (got[1] - address) // itemsize
                    rows = bias.shape[1]
                    found.append(Parameter(layer, direction, gate, bias_part, offset, (rows,)))
        return found


def _bias_mode(bias: Any) -> str:
    if isinstance(bias, bool):
        return "DOUBLE_BIAS" if bias else "NO_BIAS"
    word = str(getattr(bias, "name", bias))
    name = _BIASES.get(word.lower(), word.upper())
    if name not in _BIASES.values():
        raise no_word("bias", bias, "a bool or a word", _BIASES)
    return name


def lengths_of(lengths: Any) -> tuple[int, ...] | None:
    """Return lengths as a tuple; None stays.

    Raises:
        ArgumentError: they are no whole numbers.
    """
    if lengths is None:
        return None
    if hasattr(lengths, "tolist"):
        lengths = lengths.tolist()
    return whole(lengths, "lengths")
