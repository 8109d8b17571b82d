"""Make nodes of a `Graph` of recorded attention."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .... import errors, library
from ....graph.methods.attention import alibi_slopes
from ....graph.record.enum_words import data_type_name
from ..enums import attention_implementation, diagonal_alignment
from ..failures import cudnnGraphNotSupportedError
from ..methods.options import IN_PYTHON
from ..methods.records import BY_KIND, ENGINES_IN_PYTHON
from .nodes import Lowering, Made, lowers

if TYPE_CHECKING:
    from ....graph import Graph
    from ....graph.tensors import Tensor as Own
    from ..methods.options import Score
    from ..tensors import Node, Tensor

#: The kinds of nodes that are attention.
ATTENTION = tuple(kind for kind, method in BY_KIND.items() if not method.operation)

_FORMS = {
    attention_implementation.COMPOSITE: "composite",
    attention_implementation.UNIFIED: "node",
}

_LENGTHS = ("seq_len_q", "seq_len_kv", "cu_seq_len_q", "cu_seq_len_kv")

#: The tensors whose offsets make attention ragged.
_RAGGED = ("q", "k", "v", "o", "O")


def _refuse(node: Node) -> None:
    """Refuse what the original refuses, in the same way, and what is not possible here."""
    params, inputs = node.params, node.inputs
    for option in IN_PYTHON:
        if params.get(option) or option in inputs or option in node.outputs:
            raise cudnnGraphNotSupportedError(
                f"node {node.name!r}: {option}: only engines in Python of NVIDIA's front end have "
                "it, which cudnn_cffi does not have"
            )
    lengths = [port for port in _LENGTHS if port in inputs]
    padded = bool(params.get("use_padding_mask"))
    scored = _score_of(node)
    for side in ("_q", "_kv"):
        given = [port for port in lengths if port.endswith(side)]
        if len(given) > 1:
            raise ValueError(f"node {node.name!r}: {given[0]} and {given[1]} were both set")
        if padded and not given:
            raise ValueError(f"node {node.name!r}: a padding mask needs seq_len_q and seq_len_kv")
    if lengths and not padded and not scored:
        raise ValueError(f"node {node.name!r}: {lengths[0]} was set without use_padding_mask")
    bounded = [each for each in ("q", "kv") if params.get(f"max_total_seq_len_{each}") is not None]
    ports = (*inputs.items(), *node.outputs.items())
    ragged = any(each.ragged_offset is not None for port, each in ports if port in _RAGGED)
    if bounded and not ragged:
        raise cudnnGraphNotSupportedError(
            f"node {node.name!r}: max_total_seq_len_{bounded[0]} goes with ragged tensors only"
        )
    both = params.get("use_causal_mask") and params.get("use_causal_mask_bottom_right")
    if both and not _is_gradient(node):
        raise cudnnGraphNotSupportedError(
            f"node {node.name!r}: use_causal_mask and use_causal_mask_bottom_right cannot both be "
            "true"
        )


def _score_of(node: Node) -> Any:
    """Return the program's function of scores; None where there is none."""
    return node.params.get("score_mod") or node.params.get("fn")


def _is_gradient(node: Node) -> bool:
    return str(node.node_type.name).endswith("BWD")


def _release() -> tuple[int, ...]:
    return tuple(map(int, library.load().version.split(".")))


def _bands(node: Node) -> dict[str, Any]:
    """Return the arguments of `Graph.attention` for the bands that a query sees."""
    get = node.params.get
    left = next(
        (
            value
            for option in (
                *("diagonal_band_left_bound", "left_bound"),
                *("sliding_window_length", "sliding_window"),
            )
            if (value := get(option)) is not None
        ),
        None,
    )
    right = get("diagonal_band_right_bound", get("right_bound"))
    bottom = get("diagonal_alignment") is diagonal_alignment.BOTTOM_RIGHT
    if get("use_causal_mask") or get("use_causal_mask_bottom_right"):
        right, bottom = 0, bool(get("use_causal_mask_bottom_right"))
    if left is not None and left <= 0 and (_is_gradient(node) or _release() < (9, 10)):
        raise ValueError(f"node {node.name!r}: the left bound is {left}, 1 is the least")
    if right is not None and right < 0:
        raise ValueError(f"node {node.name!r}: the right bound is {right}, 0 is the least")
    if left is None and right is None:
        return {}
    if bottom and right is not None:
        odd = [what for what in ("bias", "dropout_0") if what in node.inputs]
        odd += ["dropout"] * ("dropout_0" in node.params)
        odd += ["use_alibi_mask"] * bool(get("use_alibi_mask"))
        if odd:
            raise cudnnGraphNotSupportedError(
                f"node {node.name!r}: a mask from the bottom right does not go with {odd[0]}"
            )
    window = (None if left is None else left - 1, right)
    return {"window": window, "diagonal": "bottom_right" if bottom else "top_left"}


def _index(self: Lowering, node: Node, port: str) -> Own | None:
    """Return a tensor of lengths, with four dimensions also where the program gives one."""
    tensor = node.inputs.get(port)
    if tensor is None:
        return None
    if len(tensor.dim) == 1 and tensor not in self.made:
        tensor.dim, tensor.stride = [*tensor.dim, 1, 1, 1], [*tensor.stride, 1, 1, 1]
    return self.get(tensor)


def _options(self: Lowering, node: Node) -> dict[str, Any]:
    """Return the arguments that forward and backward have in common."""
    params, inputs = node.params, node.inputs
    options: dict[str, Any] = _bands(node)
    for offsets in (each.ragged_offset for each in inputs.values()):
        if offsets is not None and len(offsets.dim) == 1 and offsets not in self.made:
            offsets.dim, offsets.stride = [*offsets.dim, 1, 1, 1], [*offsets.stride, 1, 1, 1]
    for port, name in (("bias", "bias"), ("sink_token", "sink")):
        if port in inputs:
            options[name] = self.get(inputs[port])
    if params.get("use_padding_mask") or _score_of(node):
        options |= {port: _index(self, node, port) for port in _LENGTHS if port in inputs}
    scale = inputs.get("attn_scale")
    options["scale"] = params.get("attn_scale", 1.0) if scale is None else self.get(scale)
    if params.get("use_alibi_mask"):
        options["alibi"] = _alibi(self, inputs["q"].dim[1])
    options |= _dropout(self, node)
    form = _FORMS.get(params.get("implementation"))
    if form is not None:
        options["form"] = form
    return options


def _alibi(self: Lowering, heads: int) -> Own:
    slopes: Own = self.graph.tensor((1, heads, 1, 1), "FLOAT")
    self.hidden[slopes.uid] = alibi_slopes(heads)
    return slopes


def _dropout(self: Lowering, node: Node) -> dict[str, Any]:
    params, inputs = node.params, node.inputs
    if "_dropout_n" not in params:
        return {}
    probability = params.get("dropout_0")
    if probability is None:
        scale = inputs.get("dropout_1")
        given = params.get("dropout_1") if scale is None else self.get(scale)
        if given is None:
            raise ValueError(f"node {node.name!r}: dropout by a mask needs a scale after it")
        return {"dropout_mask": self.get(inputs["dropout_0"]), "dropout_scale": given}
    if probability == 1.0:
        raise ValueError(f"node {node.name!r}: the dropout probability is 1")
    if not probability:
        return {}
    seed, offset = (
        self.get(inputs[port]) if port in inputs else params.get(port)
        for port in ("dropout_1", "dropout_2")
    )
    return {"dropout": float(probability), "seed": seed, "offset": offset}


class _Scores:
    """The program's functions of scores, and of their gradient, as `Graph.attention` takes them."""

    def __init__(self, outer: Lowering, forward: Score, backward: Score | None) -> None:
        self.outer = outer
        self.recorder = outer.recorder._inner()
        self.backward_of = backward
        self.scores = self.recorder.tensor([1, 1, 1, 1], name="scores")
        self.gradient = self.recorder.tensor([1, 1, 1, 1], name="gradient")
        self.forward_of = forward
        self.result: Tensor | None = None
        self.end: Tensor | None = None
        self.first: list[Node] = []
        self.second: list[Node] = []

    def _record(self, shape: tuple[int, ...]) -> None:
        if self.result is None:
            for each in (self.scores, self.gradient):
                each.set_dim(shape)
            self.result = self.forward_of(self.recorder, self.scores)
            self.first = self.recorder.nodes
            if self.backward_of is not None:
                self.end = self.backward_of(self.recorder, self.gradient)
                self.second = self.recorder.nodes[len(self.first) :]

    def _lower(
        self, graph: Graph, known: dict[Tensor, Own], nodes: list[Node], end: Tensor | None
    ) -> Own:
        assert end is not None
        lowering = _Inner(graph, self.recorder.context, self.recorder)
        lowering.outer = self.outer
        lowering.made.update(known)
        lowering.add(_needed(nodes, end))
        return lowering.get(end)

    def forward(self, graph: Graph, scores: Own) -> Own:
        """Add what `score_mod` does."""
        self._record(scores.shape)
        return self._lower(graph, {self.scores: scores}, self.first, self.result)

    def backward(self, graph: Graph, gradient: Own, scores: Own) -> Own:
        """Add what `score_mod_bprop` does; it may use what `score_mod` has computed."""
        self._record(scores.shape)
        known = {self.scores: scores, self.gradient: gradient}
        return self._lower(graph, known, [*self.first, *self.second], self.end)


class _Inner(Lowering):
    """Nodes in the middle of attention: they keep the numbers that the graph gives them."""

    outer: Lowering

    def get(self, tensor: Tensor) -> Own:
        found = self.made.get(tensor)
        if found is None and self.recorder.find_tensor(tensor.uid) is not tensor:
            return self.outer.get(tensor)
        return super().get(tensor) if found is None else found

    def _input(self, tensor: Tensor) -> Own:
        tensor.uid = -1
        return super()._input(tensor)

    def _settle(self, node: Node, port: str, tensor: Tensor, own: Own | None) -> None:
        assert own is not None
        kind = tensor.data_type
        own.given_type = "FLOAT" if kind is None else data_type_name(kind.name)
        self.made[tensor] = own


def _needed(nodes: list[Node], end: Tensor) -> list[Node]:
    """Return the nodes that a tensor is computed from."""
    wanted, kept = {end}, []
    for node in reversed(nodes):
        if wanted.intersection(node.outputs.values()):
            wanted.update(node.inputs.values())
            kept.append(node)
    return kept[::-1]


def _scored(self: Lowering, node: Node) -> dict[str, Any]:
    forward = _score_of(node)
    if forward is None:
        return {}
    functions = _Scores(self, forward, node.params.get("score_mod_bprop"))
    options: dict[str, Any] = {"score": functions.forward}
    if _is_gradient(node):
        options["score_backward"] = functions.backward
    return options


def _aligned(self: Lowering, node: Node) -> None:
    ports = ("q", "k", "v", "o", "dO", "O", "dQ", "dK", "dV")
    for port, each in (*node.inputs.items(), *node.outputs.items()):
        if port in ports and not each.is_virtual:
            self.aligned.add(each.uid)


def _needs_lengths(node: Node) -> bool:
    """Return whether the gradient takes lengths, all the same, for this number of keys."""
    ragged = any(node.inputs[port].ragged_offset is not None for port in "qkv")
    return bool(node.inputs["k"].dim[2] % 128) and not ragged and _release() < (9, 16)


def _checked(make: Any, node: Node, *given: Any, **options: Any) -> Any:
    """Add attention; what it refuses is not supported, in the words of the front end."""
    try:
        return make(*given, **options)
    except errors.CudnnError as error:
        raise cudnnGraphNotSupportedError(f"node {node.name!r}: {error}") from error


@lowers("SDPA", "SDPA_FP8")
def _forward(self: Lowering, node: Node) -> Made:
    _refuse(node)
    ports = BY_KIND[node.node_type.name].ports
    options = _options(self, node) | _scored(self, node)
    for port, name in (
        ("paged_attention_k_table", "page_table_k"),
        ("paged_attention_v_table", "page_table_v"),
        ("block_mask", "block_mask"),
    ):
        if port in node.inputs:
            options[name] = self.get(node.inputs[port])
    most = node.params.get("paged_attention_max_seq_len_kv")
    is_fp8 = node.node_type.name == "SDPA_FP8"
    paged = "page_table_k" in options or "page_table_v" in options
    if most is not None and not (is_fp8 and not paged and most == node.inputs["k"].dim[2]):
        options["max_seq_len_kv"] = most
    if is_fp8:
        options |= {port: self.get(node.inputs[port]) for port in ports[3:]}
    q, k, v = (self.get(node.inputs[port]) for port in ports[:3])
    o = node.outputs["O"]
    if o.ragged_offset is not None:
        options["ragged_offset"] = self.get(o.ragged_offset)
    with_stats, with_mask = "Stats" in node.outputs, "rng_dump" in node.outputs
    rows = [port for port in ("score_max", "score_sum_exp") if port in node.outputs]
    which = {(): False, ("score_max",): "max", ("score_sum_exp",): "sum"}.get(tuple(rows), True)
    made = _checked(
        self.graph.attention,
        node,
        *(q, k, v),
        stats=with_stats,
        stats_log2=bool(node.params.get("stats_use_log2")),
        return_mask=with_mask,
        return_rows=which,
        **options,
    )
    found = list(made) if isinstance(made, tuple) else [made]
    names = ["O"] + ["Stats"] * with_stats + ["rng_dump"] * with_mask
    names += rows
    names += ["Amax_S", "Amax_O"] * is_fp8
    _aligned(self, node)
    return dict(zip(names, found, strict=True))


@lowers("SDPA_BWD", "SDPA_FP8_BWD")
def _backward(self: Lowering, node: Node) -> Made:
    _refuse(node)
    ports = BY_KIND[node.node_type.name].ports
    options = _options(self, node) | _scored(self, node)
    if _needs_lengths(node) and "seq_len_q" not in options:
        for port, of in (("seq_len_q", "q"), ("seq_len_kv", "k")):
            batch, length = node.inputs[of].dim[0], node.inputs[of].dim[2]
            options[port] = self.graph.tensor((batch, 1, 1, 1), "INT32")
            self.hidden[options[port].uid] = [length] * batch
    is_fp8 = node.node_type.name == "SDPA_FP8_BWD"
    if is_fp8:
        options["fp8"] = {port.lower(): self.get(node.inputs[port]) for port in ports[6:]}
    tensors = [self.get(node.inputs[port]) for port in ports[:6]]
    with_bias, with_sink = "dBias" in node.outputs, "dSink_token" in node.outputs
    with_mask = "rng_dump" in node.outputs
    made = _checked(
        self.graph.attention_backward,
        node,
        *tensors,
        dbias=with_bias,
        dsink=with_sink,
        return_mask=with_mask,
        deterministic=bool(node.params.get("use_deterministic_algorithm")),
        **options,
    )
    names = ["dQ", "dK", "dV"] + ["dBias"] * with_bias + ["dSink_token"] * with_sink
    names += ["rng_dump"] * with_mask
    names += ["amax_dQ", "amax_dK", "amax_dV", "amax_dP"] * is_fp8
    _aligned(self, node)
    return dict(zip(names, made, strict=True))


@lowers("SDPA_MXFP8", "SDPA_MXFP8_BWD")
def _block_scaled(self: Lowering, node: Node) -> Made:
    raise cudnnGraphNotSupportedError(
        f"node {node.name!r}: cudnn_cffi's attention has no block scales"
    )


@lowers(*(word.upper() for word in ENGINES_IN_PYTHON))
def _in_python(self: Lowering, node: Node) -> Made:
    raise cudnnGraphNotSupportedError(f"node {node.name!r}: only engines in Python compute it")
