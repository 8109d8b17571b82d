"""Multi-head attention as cuDNN knows it: sizes, descriptors, and where weights are."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable
from typing import Any, cast

from ... import arrays, errors, handles
from ..._lookup import calls
from ..._operation.operation import Operation
from ..._support.arguments import integers, reals
from ..._support.results import NamedTuple
from ..._ways.array_spec import Spec, check_dtype, refuse_gaps
from ..._ways.call_sequence import Steps, packed
from ..._ways.case import Case
from ...choice.policy import Rule
from ...descriptors import AttnDescriptor, SeqDataDescriptor, TensorDescriptor
from ...errata.asks import wrong_function
from ...errata.record import ALIGNMENT
from ..element.random_state import RandomState, rate_of
from ..rnn.algorithms import math_type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..._ways.signatures import Array, Choose, DType, DTypeWord, Handle, Viewed
    from ...enum_words import MathTypeLike, SeqDataAxisLike
    from ...errata.asks import Call


class MultiHeadParameter(NamedTuple):
    """A matrix or a bias of each head, and where it is in the buffer of weights.

    Attributes:
        name: "query.weight", "key.weight", "value.weight" or "output.weight", and with "bias".
        offset: of the first element, in elements.
        shape: (heads, rows, columns) of matrices, whose columns are the elements of what they are
            multiplied with; (heads, elements) of biases, and (elements,) of that of the output.
        strides: in elements.
    """

    name: str
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


#: Sizes that tell the axes of cuDNN's descriptors of weights apart.
_PROBE = {"heads": 2, "q": 12, "k": 10, "v": 14, "qk": 6, "vv": 8, "o": 16}

_KINDS = {"query": "Q", "key": "K", "value": "V", "output": "O"}


class MultiHead(Operation):
    """The base of multi-head attention and its gradients.

    Attributes:
        state: the random numbers of the dropout of the attention.
        output_state: of the dropout of the output.
    """

    ways = ("classic",)

    def __init__(
        self, heads: int, q_size: int, k_size: int | None = None, v_size: int | None = None, *,
        q_projection: int = 0, k_projection: int = 0, v_projection: int = 0,
        o_projection: int = 0, scale: float | None = None, bias: bool = False,
        dropout: float = 0.0, output_dropout: float = 0.0, seed: int | None = None,
        batch_first: bool = True, causal: bool = False, choose: Choose = None,
    ) -> None:  # fmt: skip
        """Make an attention.

        Args:
            heads: the number of heads.
            q_size, k_size, v_size: the elements of a vector of queries, keys and values; by default
                `k_size` is `q_size`, and `v_size` is `k_size`.
            q_projection, k_projection, v_projection: the elements that a head projects them to; 0
                for no projection. Projected queries and keys are equally long.
            o_projection: the elements that the results of all heads are projected to, and summed; 0
                to put them one after the other.
            scale: of the scores; by default 1 / sqrt(elements of a projected query).
            bias: whether projections add a bias; cuDNN has no gradients with biases.
            dropout: the probability with which an element of softmax becomes zero in training.
            output_dropout: the same for elements of the result.
            seed: of the dropouts, as for `Dropout`.
            batch_first: whether the axis of the batch comes before that of time.
            causal: whether a query sees no later keys.
            choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.

        Raises:
            ArgumentError: an option is out of its range, or does not go with another one.
        """
        k_size = q_size if k_size is None else k_size
        v_size = k_size if v_size is None else v_size
        sizes = dict(
            zip(
                ("heads", "q_size", "k_size", "v_size"),
                integers(heads=heads, q_size=q_size, k_size=k_size, v_size=v_size),
                strict=True,
            )
        )
        projections = dict(
            zip(
                ("q_projection", "k_projection", "v_projection", "o_projection"),
                integers(
                    q_projection=q_projection, k_projection=k_projection,
                    v_projection=v_projection, o_projection=o_projection,
                ),
                strict=True,
            )
        )  # fmt: skip
        for least, found in ((1, sizes), (0, projections)):
            for name, each in found.items():
                if each < least:
                    raise errors.ArgumentError(f"{name}: expected {least} or more, got {each}")
        query = projections["q_projection"] or sizes["q_size"]
        key = projections["k_projection"] or sizes["k_size"]
        if query != key:
            raise errors.ArgumentError(
                f"k_projection: expected as many elements of queries as of keys, got {query} and "
                f"{key}"
            )
        factor = 1 / math.sqrt(query) if scale is None else reals(scale=scale)[0]
        if factor < 0:
            raise errors.ArgumentError(f"scale: expected 0 or more, got {factor}")
        self.state = RandomState(rate_of(dropout, "dropout"), seed)
        first = self.state.seed  # the other one is far from it, or both drop the same
        other = None if first is None else first ^ 1 << 62
        self.output_state = RandomState(rate_of(output_dropout, "output_dropout"), other)
        self._counts: dict[tuple[str, int | None], int] = {}
        super().__init__(
            choose, **sizes, **projections, scale=factor, bias=bias, dropout=dropout,
            output_dropout=output_dropout, seed=seed, batch_first=batch_first,
            causal=causal,
        )  # fmt: skip

    # Sizes

    def alignment_of(self, case: Case) -> int:
        """Return the alignment of vectors: kernels of float16 end the context at others."""
        return ALIGNMENT

    @property
    def _o_size(self) -> int:
        options = self.options
        value = options["v_projection"] or options["v_size"]
        return int(options["o_projection"] or options["heads"] * value)

    def _extents(self, spec: Spec, name: str, size: int) -> tuple[int, int]:
        """Return batch and time of sequences of vectors; refuse others."""
        form = "(batch, time, " if self.options["batch_first"] else "(time, batch, "
        if len(spec.shape) != 3 or spec.shape[2] != size:
            raise errors.ShapeMismatchError(f"{name}: expected {form}{size}), got {spec.shape}")
        first, second = spec.shape[:2]
        return (first, second) if self.options["batch_first"] else (second, first)

    def _sequences(self, batch: int, time: int, size: int, like: Spec) -> Spec:
        first = (batch, time) if self.options["batch_first"] else (time, batch)
        return packed((*first, size), like)

    def _check(self, case: Case) -> tuple[int, int, int]:
        """Return the batch, and the lengths of queries and keys; refuse what does not fit."""
        options, specs = self.options, case.inputs
        q = specs["q"]
        batch, queries = self._extents(q, "q", options["q_size"])
        _, keys = self._extents(specs["k"], "k", options["k_size"])
        if "residual" in specs and options["q_size"] != self._o_size:
            raise errors.ArgumentError(
                "residual: cuDNN adds one where queries and results are equally long, got "
                f"{options['q_size']} and {self._o_size} elements"
            )
        sizes = {"k": options["k_size"], "v": options["v_size"]}
        for name, size in {**sizes, "residual": self._o_size, "do": self._o_size}.items():
            count = keys if name in sizes else queries
            if name in specs and self._extents(specs[name], name, size) != (batch, count):
                raise errors.ShapeMismatchError(
                    f"{name}: expected a batch of {batch} with {count} vectors each, got "
                    f"{specs[name].shape}"
                )
        facts: Call = {
            "projects_values": options["v_projection"] > 0,
            "projects_output": options["o_projection"] > 0,
            "time_first": not options["batch_first"],
        }
        if why := wrong_function("cudnnMultiHeadAttnForward", facts, self.device_of(case)):
            raise errors.NotSupportedError(f"o_projection: {why}")
        if q.dtype not in ("float32", "float64", "float16"):
            raise errors.ArgumentError(f"q: expected float32, float64 or float16, got {q.dtype}")
        for name, each in (*specs.items(), *case.outputs.items()):
            if name == "reserve":
                continue
            check_dtype(each, q.dtype, name)
            refuse_gaps(each, name)
        for name, most in (("q_lengths", queries), ("kv_lengths", keys)):
            lengths = case.call.get(name)
            if lengths is not None and (
                len(lengths) != batch or not all(1 <= each <= most for each in lengths)
            ):
                raise errors.ArgumentError(
                    f"{name}: expected {batch} numbers from 1 to {most}, got {lengths}"
                )
        windows = case.call.get("windows")
        if windows is not None:
            if any(len(each) != queries for each in windows):
                raise errors.ArgumentError(
                    f"windows: expected {queries} first keys and {queries} ends"
                )
            if not all(0 <= a < b <= keys for a, b in zip(*windows, strict=True)):
                raise errors.ArgumentError(
                    f"windows: expected 0 <= first < end <= {keys}, got {windows}"
                )
        step = case.call.get("step")
        if step is not None and not 0 <= step < queries:
            raise errors.ArgumentError(
                f"step: expected a number from 0 to {queries - 1}, got {step}"
            )
        return batch, queries, keys

    # Descriptors

    def _descriptor(
        self, dtype: DTypeWord, math: MathTypeLike, batch: int = 1, queries: int = 1, keys: int = 1,
        dropouts: tuple[Any, Any] = (None, None),
    ) -> Any:  # fmt: skip
        o = self.options
        mode = int(arrays.member("AttnMode", "QUERYMAP_ALL_TO_ONE")) | int(
            arrays.member("AttnMode", "ENABLE_PROJ_BIASES" if o["bias"] else "DISABLE_PROJ_BIASES")
        )
        return AttnDescriptor.of(
            o["heads"], o["q_size"], o["k_size"], o["v_size"], q_projection=o["q_projection"],
            k_projection=o["k_projection"], v_projection=o["v_projection"],
            o_projection=o["o_projection"], max_q_length=queries, max_kv_length=keys,
            max_batch=batch, scale=o["scale"], dtype=dtype, math=math, mode=mode,
            attention_dropout=dropouts[0], output_dropout=dropouts[1],
        )  # fmt: skip

    def _windows(self, case: Case, queries: int, keys: int) -> tuple[list[int], list[int]]:
        """Return the first key of each query, and the one after its last."""
        windows = case.call.get("windows")
        if windows is not None:
            return list(windows[0]), list(windows[1])
        if self.options["causal"]:
            return [0] * queries, [min(i + 1, keys) for i in range(queries)]
        return [0] * queries, [keys] * queries

    def _prepare(self, case: Case, rule: Rule, handle: Handle, outputs: Any, drops: bool) -> Any:
        """Return what both directions take."""
        batch, queries, keys = self._check(case)
        o, dtype = self.options, case.inputs["q"].dtype
        made = _Prepared()
        states = [each if drops and each.rate else None for each in (self.state, self.output_state)]

        @contextlib.contextmanager
        def dropping(handle: Handle) -> Any:
            with contextlib.ExitStack() as stack:
                yield tuple(
                    None if each is None else stack.enter_context(each.used_by(handle))
                    for each in states
                )

        made.dropping = dropping
        with dropping(handle) as dropouts:
            made.attention = self._descriptor(
                dtype, cast("MathTypeLike", math_type(rule, dtype)), batch, queries, keys, dropouts
            )
        got = calls.cudnnGetMultiHeadAttnBuffers(handle, made.attention)
        made.weights, made.workspace, made.reserve = (int(each) for each in got)
        count = made.weights // arrays.itemsize(dtype)
        weights = case.inputs.get("weights")
        if weights is None and count:
            raise errors.ArgumentError(f"weights: expected an array of {count} elements, got None")
        if weights is not None and weights.shape != (count,):
            raise errors.ShapeMismatchError(
                f"weights: expected the shape ({count},), got {weights.shape}",
                hint="weights_count(dtype) returns the number of elements",
            )
        made.first, made.last = self._windows(case, queries, keys)
        lengths = {
            name: list(case.call.get(name) or [most] * batch)
            for name, most in (("q_lengths", queries), ("kv_lengths", keys))
        }
        order: tuple[SeqDataAxisLike, ...] = ("BATCH_DIM", "TIME_DIM", "BEAM_DIM", "VECT_DIM")
        if not o["batch_first"]:
            order = ("TIME_DIM", "BATCH_DIM", "BEAM_DIM", "VECT_DIM")

        def sequences(time: int, size: int, name: str) -> Any:
            return SeqDataDescriptor.of(
                time, batch, 1, size, dtype, axes=order, lengths=lengths[name]
            )

        made.q = sequences(queries, o["q_size"], "q_lengths")
        made.k = sequences(keys, o["k_size"], "kv_lengths")
        made.v = sequences(keys, o["v_size"], "kv_lengths")
        made.o = sequences(queries, self._o_size, "q_lengths")
        steps = made.steps = Steps(case.inputs, outputs(made), self.alignment_of(case))
        for name, each in lengths.items():
            steps.constant(name, handle, each, "int32")
        return made

    # Weights

    def weights_count(self, dtype: DType = "float32", device: int | None = None) -> int:
        """Return the elements of the buffer of weights.

        Raises:
            ArgumentError: there is no such data type.
            CudnnError: there is no GPU; cuDNN tells the size for a handle only.
        """
        name = arrays.dtype_name(dtype)
        count = self._counts.get((name, device))
        if count is None:
            if name not in ("float32", "float64", "float16"):
                raise errors.ArgumentError(
                    f"dtype: expected float32, float64 or float16, got {dtype!r}"
                )
            desc = self._descriptor(name, "DEFAULT_MATH")
            size = int(calls.cudnnGetMultiHeadAttnBuffers(handles.handle(device), desc)[0])
            count = self._counts[name, device] = size // arrays.itemsize(name)
        return count

    def layout(self, weights: Array) -> tuple[MultiHeadParameter, ...]:
        """Return where each matrix and bias is in a buffer of weights.

        Args:
            weights: the buffer, or a `Spec` of it.
        """
        spec = Spec.of(weights, "weights")
        handle = handles.handle(spec.device)
        count = self.weights_count(spec.dtype, spec.device)
        if spec.shape != (count,):
            raise errors.ShapeMismatchError(
                f"weights: expected the shape ({count},), got {spec.shape}"
            )
        desc = self._descriptor(spec.dtype, "DEFAULT_MATH")
        item = arrays.itemsize(spec.dtype)
        found = []
        for name, letter in _KINDS.items():
            for part in ("weight", "bias"):
                kind = f"{letter}_{'WEIGHTS' if part == 'weight' else 'BIASES'}"
                got = _place(handle, desc, kind, count * item)
                if got is None:
                    continue
                address, shape, strides = got
                axes = _order(handle, letter) if part == "weight" else tuple(range(len(shape)))
                shape = tuple(shape[axis] for axis in axes)
                strides = tuple(strides[axis] for axis in axes)
                if part == "bias":  # cuDNN has an axis of one element there
                    kept = [axis for axis in axes if shape[axis] > 1 or axis == 0]
                    kept = kept if letter != "O" else [a for a in kept if shape[a] > 1] or [0]
                    shape, strides = (tuple(e[axis] for axis in kept) for e in (shape, strides))
                found.append(MultiHeadParameter(f"{name}.{part}", address // item, shape, strides))
        return tuple(found)

    def parameters(self, weights: Viewed) -> dict[str, Viewed]:
        """Return a view of each matrix and bias of a buffer of weights, by name.

        Args:
            weights: a buffer of PyTorch, CuPy, or a DeviceArray. (JAX makes copies of views.)
        """
        found = {}
        for each in self.layout(weights):
            axes = sorted(range(len(each.shape)), key=lambda axis: -each.strides[axis])
            shape = [each.shape[axis] for axis in axes]
            view = weights[each.offset : each.offset + math.prod(shape)].reshape(shape)
            back = [axes.index(axis) for axis in range(len(axes))]
            found[each.name] = (
                view.permute(*back) if hasattr(view, "permute") else view.transpose(*back)
            )
        return found


class _Prepared:
    """The parameters of a call of multi-head attention: descriptors, sizes, and windows."""

    attention: Any
    q: Any
    k: Any
    v: Any
    o: Any
    weights: int
    workspace: int
    reserve: int
    first: list[int]
    last: list[int]
    dropping: Callable[[Any], Any]
    steps: Steps


#: A placeholder for the address of a buffer whose parts are located.
_BASE = 1 << 20

#: The axes of cuDNN's descriptors of weights that are heads, rows and columns.
_orders: dict[str, tuple[int, ...]] = {}


def _place(
    handle: Handle, desc: Any, kind: str, size: int
) -> tuple[int, tuple[int, ...], tuple[int, ...]] | None:
    """Return where the weights of a kind are, in bytes, with extents and strides; None for none."""
    found = TensorDescriptor()
    member = arrays.member("MultiHeadAttnWeightKind", kind)
    address = calls.cudnnGetMultiHeadAttnWeights(handle, desc, member, size, _BASE, found)
    if not address:
        return None
    return int(address) - _BASE, found.shape[:3], found.strides[:3]


def _order(handle: Handle, letter: str) -> tuple[int, ...]:
    """Return which axes cuDNN has for heads, rows and columns, by sizes that all differ."""
    if letter not in _orders:
        p = _PROBE
        desc = AttnDescriptor.of(
            p["heads"], p["q"], p["k"], p["v"], q_projection=p["qk"], k_projection=p["qk"],
            v_projection=p["vv"], o_projection=p["o"], max_q_length=1, max_kv_length=1, max_batch=1,
        )  # fmt: skip
        size = int(calls.cudnnGetMultiHeadAttnBuffers(handle, desc)[0])
        got = _place(handle, desc, f"{letter}_WEIGHTS", size)
        assert got is not None
        rows, columns = {
            "Q": (p["qk"], p["q"]), "K": (p["qk"], p["k"]), "V": (p["vv"], p["v"]),
            "O": (p["o"], p["vv"]),
        }[letter]  # fmt: skip
        _orders[letter] = tuple(got[1].index(each) for each in (p["heads"], rows, columns))
    return _orders[letter]
