"""cuDNN's own multi-head attention, with the projections, and its gradients."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .. import arrays, errors, handles
from .._lookup import calls
from .._support.arguments import integers, reals, whole
from .._support.results import Record
from ..choice.policy import Rule
from ..descriptors import AttnDescriptor, SeqDataDescriptor, TensorDescriptor
from ..plan.libraries import library_of
from .classic import Classic
from .networks import lengths_of
from .operation import Case, Operation, shared, split
from .recurrent import _math
from .specs import Spec
from .states import RandomState, rate_of
from .steps import Steps, packed

if TYPE_CHECKING:
    from typing import NamedTuple
else:
    NamedTuple = Record

__all__ = [
    "MultiHeadAttention",
    "MultiHeadAttentionBackward",
    "MultiHeadGradients",
    "MultiHeadParameter",
    "MultiHeadResults",
    "multi_head_attention",
    "multi_head_attention_backward",
]


class MultiHeadResults(NamedTuple):
    """What multi-head attention returns.

    Attributes:
        o: the result.
        reserve: what gradients need, as bytes; None without `training`.
    """

    o: Any
    reserve: Any


class MultiHeadGradients(NamedTuple):
    """The gradients of multi-head attention for queries, keys, values and weights."""

    q: Any
    k: Any
    v: Any
    weights: Any


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


class _MultiHead(Operation):
    """What multi-head attention and its gradients share.

    Attributes:
        state: the random numbers of the dropout of the attention.
        output_state: those of the dropout of the output.
    """

    ways = ("classic",)

    def __init__(
        self, heads: int, q_size: int, k_size: int | None = None, v_size: int | None = None, *,
        q_projection: int = 0, k_projection: int = 0, v_projection: int = 0,
        o_projection: int = 0, scale: float | None = None, bias: bool = False,
        dropout: float = 0.0, output_dropout: float = 0.0, seed: int | None = None,
        batch_first: bool = True, causal: bool = False, choose: Any = None,
    ) -> None:  # fmt: skip
        """Make an attention.

        Args:
            heads: the number of heads.
            q_size, k_size, v_size: the elements of a vector of queries, keys and values; those of
                keys are as many as those of queries, and of values as of keys, without them.
            q_projection, k_projection, v_projection: the elements that a head projects them to; 0
                for no projection. Projected queries and keys are equally long.
            o_projection: the elements that the results of all heads are projected to, and summed; 0
                to put them one behind the other.
            scale: of the scores; 1 / sqrt(elements of a projected query) without it.
            bias: whether projections add a bias; cuDNN has no gradients with biases.
            dropout: the probability with which an element of softmax becomes zero in training.
            output_dropout: the same for elements of the result.
            seed: of the dropouts, as for `Dropout`.
            batch_first: whether the axis of the batch comes before that of time.
            causal: whether a query sees no later keys.
            choose: how it is computed; see `cudnn_cffi.choice`.

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
                    raise errors.ArgumentError(f"{name}: {least} or more was expected, {each} came")
        query = projections["q_projection"] or sizes["q_size"]
        key = projections["k_projection"] or sizes["k_size"]
        if query != key:
            raise errors.ArgumentError(
                f"k_projection: queries and keys have {query} and {key} elements where they are "
                "multiplied; equally many were expected"
            )
        factor = 1 / math.sqrt(query) if scale is None else reals(scale=scale)[0]
        if factor < 0:
            raise errors.ArgumentError(f"scale: 0 or more was expected, {factor} came")
        self.state = RandomState(rate_of(dropout, "dropout"), seed)
        self.output_state = RandomState(rate_of(output_dropout, "output_dropout"), seed)
        self._counts: dict[tuple[str, int | None], int] = {}
        super().__init__(
            choose, **sizes, **projections, scale=factor, bias=bool(bias), dropout=dropout,
            output_dropout=output_dropout, seed=seed, batch_first=bool(batch_first),
            causal=bool(causal),
        )  # fmt: skip

    # Sizes

    @property
    def _o_size(self) -> int:
        options = self.options
        value = options["v_projection"] or options["v_size"]
        return int(options["o_projection"] or options["heads"] * value)

    def _extents(self, spec: Spec, name: str, size: int) -> tuple[int, int]:
        """Return batch and time of sequences of vectors; refuse others."""
        form = "(batch, time, " if self.options["batch_first"] else "(time, batch, "
        if len(spec.shape) != 3 or spec.shape[2] != size:
            raise errors.ShapeMismatchError(
                f"{name}: {form}{size}) was expected, {spec.shape} came"
            )
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
        key_batch, keys = self._extents(specs["k"], "k", options["k_size"])
        values = self._extents(specs["v"], "v", options["v_size"])
        for name, found in (("k", (key_batch, keys)), ("v", values)):
            if found != (batch, keys):
                raise errors.ShapeMismatchError(
                    f"{name}: a batch of {batch} with {keys} vectors each was expected, "
                    f"{specs[name].shape} came"
                )
        for name in ("residual", "do"):
            if name in specs:
                found = self._extents(specs[name], name, self._o_size)
                if found != (batch, queries):
                    raise errors.ShapeMismatchError(
                        f"{name}: a batch of {batch} with {queries} vectors each was expected, "
                        f"{specs[name].shape} came"
                    )
        if q.dtype not in ("float32", "float64", "float16"):
            raise errors.ArgumentError(
                f"q: float32, float64 or float16 was expected, {q.dtype} came"
            )
        for name, each in (*specs.items(), *case.outputs.items()):
            if name == "reserve":
                continue
            if each.dtype != q.dtype:
                raise errors.ArgumentError(f"{name}: {q.dtype} was expected, {each.dtype} came")
            if not arrays.same_strides(each.shape, each.strides, arrays.packed_strides(each.shape)):
                raise errors.ArgumentError(f"{name}: an array in C order was expected, {each} came")
        for name, most in (("q_lengths", queries), ("kv_lengths", keys)):
            lengths = case.call.get(name)
            if lengths is not None and (
                len(lengths) != batch or not all(1 <= each <= most for each in lengths)
            ):
                raise errors.ArgumentError(
                    f"{name}: {batch} numbers from 1 to {most} were expected, {lengths} came"
                )
        windows = case.call.get("windows")
        if windows is not None:
            if any(len(each) != queries for each in windows):
                raise errors.ArgumentError(
                    f"windows: {queries} first keys and {queries} ends were expected"
                )
            if not all(0 <= a < b <= keys for a, b in zip(*windows, strict=True)):
                raise errors.ArgumentError(
                    f"windows: 0 <= first < end <= {keys} was expected, {windows} came"
                )
        step = case.call.get("step")
        if step is not None and not 0 <= step < queries:
            raise errors.ArgumentError(
                f"step: a number from 0 to {queries - 1} was expected, {step} came"
            )
        return batch, queries, keys

    # Descriptors

    def _descriptor(
        self, dtype: str, math: str, batch: int = 1, queries: int = 1, keys: int = 1,
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
        """Return the first key of each query, and the one behind its last."""
        windows = case.call.get("windows")
        if windows is not None:
            return list(windows[0]), list(windows[1])
        if self.options["causal"]:
            return [0] * queries, [min(i + 1, keys) for i in range(queries)]
        return [0] * queries, [keys] * queries

    def _prepare(self, case: Case, rule: Rule, handle: Any, outputs: Any, drops: bool) -> Any:
        """Return what both directions take."""
        batch, queries, keys = self._check(case)
        o, dtype = self.options, case.inputs["q"].dtype
        made = _Prepared()
        states = [each if drops and each.rate else None for each in (self.state, self.output_state)]

        @contextlib.contextmanager
        def dropping(handle: Any) -> Any:
            with contextlib.ExitStack() as stack:
                yield tuple(
                    None if each is None else stack.enter_context(each.used_by(handle))
                    for each in states
                )

        made.dropping = dropping
        with dropping(handle) as dropouts:
            made.attention = self._descriptor(
                dtype, _math(rule, dtype), batch, queries, keys, dropouts
            )
        got = calls.cudnnGetMultiHeadAttnBuffers(handle, made.attention)
        made.weights, made.workspace, made.reserve = (int(each) for each in got)
        count = made.weights // arrays.itemsize(dtype)
        weights = case.inputs["weights"]
        if weights.shape != (count,):
            raise errors.ShapeMismatchError(
                f"weights: the shape ({count},) was expected, {weights.shape} came",
                hint="weights_count(dtype) returns the number of elements",
            )
        made.first, made.last = self._windows(case, queries, keys)
        lengths = {
            name: list(case.call.get(name) or [most] * batch)
            for name, most in (("q_lengths", queries), ("kv_lengths", keys))
        }
        order = ("BATCH_DIM", "TIME_DIM", "BEAM_DIM", "VECT_DIM")
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
        steps = made.steps = Steps(case.inputs, outputs(made))
        for name, each in lengths.items():
            steps.constant(name, handle, each, "int32")
        return made

    # Weights

    def weights_count(self, dtype: Any = "float32", device: int | None = None) -> int:
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
                    f"dtype: float32, float64 or float16 was expected, {dtype!r} came"
                )
            desc = self._descriptor(name, "DEFAULT_MATH")
            size = int(calls.cudnnGetMultiHeadAttnBuffers(handles.handle(device), desc)[0])
            count = self._counts[name, device] = size // arrays.itemsize(name)
        return count

    def layout(self, weights: Any) -> tuple[MultiHeadParameter, ...]:
        """Return where each matrix and bias is in a buffer of weights.

        Args:
            weights: the buffer, or a `Spec` of it.
        """
        spec = Spec.of(weights, "weights")
        handle = handles.handle(spec.device)
        count = self.weights_count(spec.dtype, spec.device)
        if spec.shape != (count,):
            raise errors.ShapeMismatchError(
                f"weights: the shape ({count},) was expected, {spec.shape} came"
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

    def parameters(self, weights: Any) -> dict[str, Any]:
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
    """What a call of multi-head attention takes: descriptors, sizes in bytes, and windows."""

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


#: What stands for the address of a buffer whose parts are located.
_BASE = 1 << 20

#: The axes of cuDNN's descriptors of weights that are heads, rows and columns.
_orders: dict[str, tuple[int, ...]] = {}


def _place(
    handle: Any, desc: Any, kind: str, size: int
) -> tuple[int, tuple[int, ...], tuple[int, ...]] | None:
    """Return where the weights of a kind are, in bytes, with extents and strides; None for none."""
    found = TensorDescriptor()
    member = arrays.member("MultiHeadAttnWeightKind", kind)
    address = calls.cudnnGetMultiHeadAttnWeights(handle, desc, member, size, _BASE, found)
    if not address:
        return None
    return int(address) - _BASE, found.shape[:3], found.strides[:3]


def _order(handle: Any, letter: str) -> tuple[int, ...]:
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


def _windows_of(windows: Any) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    if windows is None:
        return None
    try:
        first, last = windows
    except (TypeError, ValueError):
        raise errors.ArgumentError(
            f"windows: the first keys and the ends were expected, {windows!r} came"
        ) from None
    return whole(first, "windows"), whole(last, "windows")


class MultiHeadAttention(_MultiHead):
    """Multi-head attention: o = sum over heads of Wo softmax(scale * (Wq q) (Wk k)') (Wv v).

    Attributes:
        state: the random numbers of the dropout of the attention.
        output_state: those of the dropout of the output.
    """

    word = "multi_head_attention"
    takes: tuple[str, ...] = ("q", "k", "v", "weights", "residual")
    optional = frozenset({"residual"})
    gives: tuple[str, ...] = ("o",)

    def __call__(
        self, q: Any, k: Any, v: Any, weights: Any, residual: Any = None, *,
        training: bool = False, q_lengths: Any = None, kv_lengths: Any = None,
        windows: Any = None, step: int | None = None, out: Any = None, handle: Any = None,
        stream: Any = ..., choose: Any = None,
    ) -> MultiHeadResults:  # fmt: skip
        """Compute attention.

        Args:
            q, k, v: (batch, time, size), or (time, batch, size) without `batch_first`, in C order;
                float32, float64 or float16. Keys and values are equally long.
            weights: the buffer of weights, `weights_count` elements of the data type of `q`.
            residual: is added to the result, in its shape; the gradient for it is that of the
                result.
            training: whether to keep what gradients need, and to drop elements.
            q_lengths, kv_lengths: that of each sequence, as numbers of the host; all are as long as
                the time axis without them.
            windows: the keys that each query sees: the first of each, and the one behind the last
                of each, as two sequences of numbers of the host; without them all, or those of
                `causal`.
            step: the query to compute, in inference; all without it. Elements of the result for
                others stay as they are, so that `out` has to be given.
            out: the array to write to.
            handle, stream, choose: as for `Convolution`.
        """
        if step is not None:
            (step,) = integers(step=step)
            if training:
                raise errors.ArgumentError("step: it is for inference, training came")
            if out is None:
                raise errors.ArgumentError("out: an array was expected, as step came")
        if training:
            for state in (self.state, self.output_state):
                if state.rate and state.seed is None:
                    state.begin(library_of(q))
        call = (
            ("training", bool(training)), ("q_lengths", lengths_of(q_lengths)),
            ("kv_lengths", lengths_of(kv_lengths)), ("windows", _windows_of(windows)),
            ("step", step),
        )  # fmt: skip
        found = self.run(
            (q, k, v, weights, residual), out, handle, stream, choose, 1.0, 0.0, call,
            (call, residual is None),
        )  # fmt: skip
        return MultiHeadResults(*found) if training else MultiHeadResults(found, None)

    def results(self, case: Case) -> dict[str, Spec]:
        """Return what the output is."""
        batch, queries, _ = self._check(case)
        return {"o": self._sequences(batch, queries, self._o_size, case.inputs["q"])}

    def classic(self, case: Case, rule: Rule, handle: Any) -> Classic:
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

        def run(handle: Any, at: Any) -> None:
            with made.dropping(handle):
                calls.cudnnMultiHeadAttnForward(
                    handle, made.attention, -1 if step is None else step, made.first, made.last,
                    at["q_lengths"], at["kv_lengths"], made.q, at["q"], at.get("residual"), made.k,
                    at["k"], made.v, at["v"], made.o, at["o"], made.weights,
                    at["weights"] if has_weights else None, size, at.get(scratch), reserve,
                    at["reserve"] if reserve else None,
                )  # fmt: skip

        steps.then(run, "cudnnMultiHeadAttnForward")
        return steps.classic(math=_math(rule, case.inputs["q"].dtype), deterministic=None)

    def backward(
        self, do: Any, q: Any, k: Any, v: Any, weights: Any, reserve: Any, **call: Any
    ) -> MultiHeadGradients:
        """Return the gradients; see `MultiHeadAttentionBackward` and its call."""
        made = self.__dict__.get("_backward")
        if made is None:
            made = self._backward = MultiHeadAttentionBackward(**self.options, choose=self.policy)
            made.state, made.output_state = self.state, self.output_state
        found: MultiHeadGradients = made(do, q, k, v, weights, reserve, **call)
        return found


class MultiHeadAttentionBackward(_MultiHead):
    """The gradients of multi-head attention for queries, keys, values and weights."""

    word = "multi_head_attention_backward"
    section = "data"
    takes: tuple[str, ...] = ("do", "q", "k", "v", "weights", "reserve")
    gives: tuple[str, ...] = ("dq", "dk", "dv", "dweights")

    def __call__(
        self, do: Any, q: Any, k: Any, v: Any, weights: Any, reserve: Any, *,
        q_lengths: Any = None, kv_lengths: Any = None, windows: Any = None, out: Any = None,
        handle: Any = None, stream: Any = ..., choose: Any = None,
    ) -> MultiHeadGradients:  # fmt: skip
        """Compute the gradients.

        Args:
            do: the gradient of the result.
            q, k, v, weights, q_lengths, kv_lengths, windows: as in the forward call.
            reserve: what it returned; it serves one backward call.
            out: the gradients, with None for those to be made.
            handle, stream, choose: as for `Convolution`.
        """
        call = (
            ("q_lengths", lengths_of(q_lengths)), ("kv_lengths", lengths_of(kv_lengths)),
            ("windows", _windows_of(windows)),
        )  # fmt: skip
        given = (do, q, k, v, weights, reserve)
        return MultiHeadGradients(
            *self.run(given, out, handle, stream, choose, 1.0, 0.0, call, call)
        )

    def results(self, case: Case) -> dict[str, Spec]:
        """Return what the outputs are."""
        self._check(case)
        if self.options["bias"]:
            raise errors.ArgumentError("bias: cuDNN has no gradients with biases")
        reserve = case.inputs["reserve"]
        if reserve.dtype != "uint8" or len(reserve.shape) != 1:
            raise errors.ArgumentError(
                f"reserve: what the forward call returned was expected, {reserve} came"
            )
        names = {"dq": "q", "dk": "k", "dv": "v", "dweights": "weights"}
        return {
            name: packed(case.inputs[each].shape, case.inputs[each]) for name, each in names.items()
        }

    def classic(self, case: Case, rule: Rule, handle: Any) -> Classic:
        """Return calls of `cudnnMultiHeadAttnBackwardData` and `...BackwardWeights`."""
        made = self._prepare(case, rule, handle, lambda _: case.outputs, True)
        reserve = case.inputs["reserve"]
        if reserve.shape != (max(made.reserve, 1),):
            raise errors.ArgumentError(
                f"reserve: {made.reserve} bytes were expected, {reserve.shape} came"
            )
        steps: Steps = made.steps
        size = made.workspace
        scratch = steps.room("scratch", size) if size else ""
        replace = arrays.member("WgradMode", "SET")

        def run(handle: Any, at: Any) -> None:
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
        return steps.classic(math=_math(rule, case.inputs["q"].dtype), deterministic=None)


_CALL = ("residual", "training", "q_lengths", "kv_lengths", "windows", "step")


def _sized(q: Any, k: Any, v: Any, options: dict[str, Any]) -> dict[str, Any]:
    """Return options with the sizes of vectors, as arrays have them."""
    for name, array in (("q", q), ("k", k), ("v", v)):
        shape = Spec.of(array, name).shape
        if not shape:
            raise errors.ArgumentError(f"{name}: an array of vectors was expected, a number came")
        options[f"{name}_size"] = shape[-1]
    return options


def multi_head_attention(
    q: Any, k: Any, v: Any, weights: Any, heads: int, **more: Any
) -> MultiHeadResults:
    """Return attention with projections; `more` are options of `MultiHeadAttention`, and of calls.

    Sizes of vectors are those of the arrays.
    """
    call, options = split(more)
    call |= {name: options.pop(name) for name in _CALL if name in options}
    options = _sized(q, k, v, {"heads": heads, **options})
    made: MultiHeadResults = shared(MultiHeadAttention, options)(q, k, v, weights, **call)
    return made


def multi_head_attention_backward(
    do: Any, q: Any, k: Any, v: Any, weights: Any, reserve: Any, heads: int, **more: Any
) -> MultiHeadGradients:
    """Return the gradients of attention with projections; see `MultiHeadAttentionBackward`."""
    call, options = split(more)
    call |= {name: options.pop(name) for name in _CALL if name in options}
    options = _sized(q, k, v, {"heads": heads, **options})
    made: MultiHeadGradients = shared(MultiHeadAttention, options).backward(
        do, q, k, v, weights, reserve, **call
    )
    return made
