# ruff: noqa: ARG001  # programs have the same arguments
"""Programs for the front end's API: each makes a graph, with this package or with the original."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

Case = Callable[[Any, Any], Any]

CASES: dict[str, Case] = {}


def case(function: Case) -> Case:
    """Add a program."""
    CASES[function.__name__] = function
    return function


def packed(dim: Sequence[int]) -> list[int]:
    strides = [1] * len(dim)
    for axis in reversed(range(len(dim) - 1)):
        strides[axis] = strides[axis + 1] * dim[axis + 1]
    return strides


def last(dim: Sequence[int]) -> list[int]:
    """Strides with the channels innermost."""
    n, c, *spatial = dim
    order = packed([n, *spatial, c])
    return [order[0], order[-1], *order[1:-1]]


def tensor(g: Any, *dim: int, nhwc: bool = False, **settings: Any) -> Any:
    return g.tensor(dim=list(dim), stride=last(dim) if nhwc else packed(dim), **settings)


def scalar(cudnn: Any, g: Any, name: str, **settings: Any) -> Any:
    return g.tensor(
        name=name,
        dim=[1, 1, 1, 1],
        stride=[1, 1, 1, 1],
        is_pass_by_value=True,
        data_type=cudnn.data_type.FLOAT,
        **settings,
    )


def channels(cudnn: Any, g: Any, count: int, name: str = "") -> Any:
    return g.tensor(
        dim=[1, count, 1, 1],
        stride=[count, 1, count, count],
        data_type=cudnn.data_type.FLOAT,
        name=name,
    )


@case
def conv_fprop(cudnn: Any, g: Any) -> None:
    x = tensor(g, 8, 64, 28, 28, nhwc=True, name="x")
    w = tensor(g, 32, 64, 3, 3, nhwc=True, name="w")
    g.conv_fprop(image=x, weight=w, padding=[1, 1], stride=[2, 2], dilation=[1, 1]).set_output(True)


@case
def conv_fprop_channels_first(cudnn: Any, g: Any) -> None:
    """The result has its channels innermost all the same."""
    x, w = tensor(g, 8, 64, 28, 28), tensor(g, 32, 64, 3, 3)
    g.conv_fprop(x, w, padding=[1, 1], stride=[1, 1], dilation=[1, 1]).set_output(True)


@case
def pointwise_mixed_layouts(cudnn: Any, g: Any) -> None:
    """The result lies as the last operand does."""
    x, y = tensor(g, 8, 64, 16, 16), tensor(g, 8, 64, 16, 16, nhwc=True)
    g.mul(g.add(x, y), x).set_output(True)


@case
def pointwise_with_gaps(cudnn: Any, g: Any) -> None:
    x = g.tensor(dim=[8, 64, 16, 16], stride=[32768, 1, 2048, 128])
    g.relu(g.bias(x, tensor(g, 1, 64, 1, 1, nhwc=True))).set_output(True)


@case
def pointwise_without_strides(cudnn: Any, g: Any) -> None:
    x, y = tensor(g, 8, 64, 16, 1, nhwc=True), tensor(g, 1, 64, 16, 16, nhwc=True)
    g.add(x, y).set_output(True)


@case
def reduction_of_rows(cudnn: Any, g: Any) -> None:
    c = g.matmul(tensor(g, 4, 64, 32), tensor(g, 4, 32, 128))
    y = g.reduction(input=c, mode=cudnn.reduction_mode.MAX)
    y.set_output(True).set_dim([4, 64, 1]).set_data_type(cudnn.data_type.FLOAT)


@case
def conv_wgrad_mixed_layouts(cudnn: Any, g: Any) -> None:
    x, dy = tensor(g, 8, 64, 28, 28), tensor(g, 8, 32, 28, 28, nhwc=True)
    dw = g.conv_wgrad(x, dy, padding=[1, 1], stride=[1, 1], dilation=[1, 1])
    dw.set_output(True).set_dim([32, 64, 3, 3])


@case
def conv_fprop_uneven(cudnn: Any, g: Any) -> None:
    x, w = tensor(g, 4, 16, 14, 14, nhwc=True), tensor(g, 16, 16, 3, 3, nhwc=True)
    y = g.conv_fprop(
        x, w, pre_padding=[1, 0], post_padding=[0, 1], stride=[1, 1], dilation=[1, 1], name="c"
    )
    y.set_output(True)


@case
def conv_fprop_3d(cudnn: Any, g: Any) -> None:
    x, w = tensor(g, 2, 8, 6, 6, 6, nhwc=True), tensor(g, 8, 8, 3, 3, 3, nhwc=True)
    g.conv_fprop(x, w, padding=[1] * 3, stride=[1] * 3, dilation=[1] * 3).set_output(True)


@case
def conv_bias_relu(cudnn: Any, g: Any) -> None:
    x, w = tensor(g, 8, 64, 28, 28, nhwc=True), tensor(g, 32, 64, 3, 3, nhwc=True)
    b = g.tensor(name="b", dim=[1, 32, 1, 1], stride=[32, 1, 32, 32])
    y = g.conv_fprop(x, w, padding=[1, 1], stride=[1, 1], dilation=[1, 1])
    g.relu(g.bias(y, b), name="act").set_output(True)


@case
def conv_scale_bias_clipped(cudnn: Any, g: Any) -> None:
    x, w = tensor(g, 8, 64, 28, 28, nhwc=True), tensor(g, 32, 64, 3, 3, nhwc=True)
    s, b = channels(cudnn, g, 32, "s"), channels(cudnn, g, 32, "b")
    y = g.conv_fprop(x, w, padding=[1, 1], stride=[1, 1], dilation=[1, 1])
    y = g.relu(g.add(a=g.mul(a=y, b=s), b=b), lower_clip=0.5, upper_clip=4.0)
    y.set_output(True)


@case
def conv_dgrad(cudnn: Any, g: Any) -> None:
    dy, w = tensor(g, 8, 32, 28, 28, nhwc=True), tensor(g, 32, 64, 3, 3, nhwc=True)
    dx = g.conv_dgrad(loss=dy, filter=w, padding=[1, 1], stride=[1, 1], dilation=[1, 1])
    dx.set_output(True).set_dim([8, 64, 28, 28])


@case
def conv_dgrad_strided(cudnn: Any, g: Any) -> None:
    dy, w = tensor(g, 8, 32, 14, 14, nhwc=True), tensor(g, 32, 64, 3, 3, nhwc=True)
    dx = g.conv_dgrad(loss=dy, filter=w, padding=[1, 1], stride=[2, 2], dilation=[1, 1])
    dx.set_output(True).set_dim([8, 64, 28, 28])


@case
def conv_wgrad(cudnn: Any, g: Any) -> None:
    x, dy = tensor(g, 8, 64, 28, 28, nhwc=True), tensor(g, 8, 32, 28, 28, nhwc=True)
    dw = g.conv_wgrad(image=x, loss=dy, padding=[1, 1], stride=[1, 1], dilation=[1, 1])
    dw.set_output(True).set_dim([32, 64, 3, 3])


@case
def conv_wgrad_without_dim(cudnn: Any, g: Any) -> None:
    x, dy = tensor(g, 8, 64, 28, 28, nhwc=True), tensor(g, 8, 32, 28, 28, nhwc=True)
    g.conv_wgrad(x, dy, padding=[1, 1], stride=[1, 1], dilation=[1, 1]).set_output(True)


@case
def conv_genstats(cudnn: Any, g: Any) -> None:
    x, w = tensor(g, 8, 64, 28, 28, nhwc=True), tensor(g, 32, 64, 3, 3, nhwc=True)
    s, b = tensor(g, 1, 64, 1, 1, nhwc=True), tensor(g, 1, 64, 1, 1, nhwc=True)
    y = g.relu(g.add(g.mul(x, s), b))
    y = g.conv_fprop(y, w, padding=[1, 1], stride=[1, 1], dilation=[1, 1])
    y.set_output(True)
    for each in g.genstats(y):
        each.set_output(True).set_data_type(cudnn.data_type.FLOAT)


@case
def matmul(cudnn: Any, g: Any) -> None:
    g.matmul(tensor(g, 4, 64, 32), tensor(g, 4, 32, 128)).set_output(True)


@case
def matmul_bias_relu(cudnn: Any, g: Any) -> None:
    c = g.matmul(tensor(g, 4, 64, 32, name="a"), tensor(g, 4, 32, 128, name="b"), name="mm")
    c = g.bias(input=c, bias=tensor(g, 1, 1, 128, name="bias"), name="bias_add")
    g.relu(c).set_output(True).set_name("out")


@case
def matmul_transposed(cudnn: Any, g: Any) -> None:
    b = g.tensor(dim=[4, 32, 128], stride=[4096, 1, 32])
    g.gelu(g.matmul(A=tensor(g, 4, 64, 32), B=b)).set_output(True)


@case
def matmul_broadcast(cudnn: Any, g: Any) -> None:
    g.matmul(tensor(g, 4, 64, 32), tensor(g, 1, 32, 128)).set_output(True)


@case
def matmul_mismatch(cudnn: Any, g: Any) -> None:
    g.matmul(tensor(g, 4, 64, 32), tensor(g, 4, 48, 128)).set_output(True)


@case
def matmul_int8(cudnn: Any, g: Any) -> None:
    kind = cudnn.data_type
    a, b = (
        tensor(g, 1, 64, 32, data_type=kind.INT8),
        g.tensor(dim=[1, 32, 128], stride=[4096, 1, 32], data_type=kind.INT8),
    )
    c = g.matmul(a, b, compute_data_type=kind.INT32)
    c.set_output(True).set_data_type(kind.INT32)


@case
def pointwise_chain(cudnn: Any, g: Any) -> None:
    x, y = tensor(g, 8, 64, 16, 16, nhwc=True), tensor(g, 8, 64, 16, 16, nhwc=True)
    g.tanh(g.add(g.mul(x, y), x)).set_output(True)


@case
def pointwise_select(cudnn: Any, g: Any) -> None:
    x, y = tensor(g, 8, 64, 16, 16, nhwc=True), tensor(g, 8, 64, 16, 16, nhwc=True)
    mask = g.cmp_gt(input=x, comparison=y)
    mask.set_data_type(cudnn.data_type.BOOLEAN)
    g.binary_select(input0=x, input1=y, mask=mask).set_output(True)


@case
def pointwise_mismatch(cudnn: Any, g: Any) -> None:
    g.add(tensor(g, 8, 64, 16, 16), tensor(g, 8, 64, 3, 16)).set_output(True)


@case
def reduction(cudnn: Any, g: Any) -> None:
    x = tensor(g, 8, 64, 16, 16, nhwc=True, data_type=cudnn.data_type.FLOAT)
    y = g.reduction(input=x, mode=cudnn.reduction_mode.ADD)
    y.set_output(True).set_data_type(cudnn.data_type.FLOAT).set_dim([1, 64, 1, 1])


@case
def reduction_without_dim(cudnn: Any, g: Any) -> None:
    g.reduction(input=tensor(g, 8, 64, 16, 16), mode=cudnn.reduction_mode.ADD).set_output(True)


def norm(word: str, phase: str, bias: bool) -> Case:
    def make(cudnn: Any, g: Any) -> None:
        kind = cudnn.data_type.FLOAT
        x = g.tensor(dim=[128, 256, 1, 1], stride=[256, 1, 256, 256], name="x")
        s = channels(cudnn, g, 256, "scale")
        given = {"bias": channels(cudnn, g, 256, "bias")} if bias else {}
        made = getattr(g, word)(
            norm_forward_phase=getattr(cudnn.norm_forward_phase, phase),
            input=x,
            scale=s,
            epsilon=scalar(cudnn, g, "epsilon"),
            **given,
        )
        made[0].set_output(True)
        for each in made[1:]:
            if each is not None:
                each.set_output(True).set_data_type(kind)

    make.__name__ = f"{word}_{phase.lower()}"
    return make


for _word, _bias in (("layernorm", True), ("rmsnorm", False)):
    for _phase in ("TRAINING", "INFERENCE"):
        case(norm(_word, _phase, _bias))


@case
def rmsnorm_backward(cudnn: Any, g: Any) -> None:
    kind = cudnn.data_type.FLOAT
    x = g.tensor(dim=[128, 256, 1, 1], stride=[256, 1, 256, 256], name="x")
    dy = g.tensor(dim=[128, 256, 1, 1], stride=[256, 1, 256, 256], name="dy")
    inv = g.tensor(dim=[128, 1, 1, 1], stride=[1, 1, 1, 1], data_type=kind)
    dx, ds, _ = g.rmsnorm_backward(
        grad=dy, input=x, scale=channels(cudnn, g, 256), inv_variance=inv, has_dbias=False
    )
    dx.set_output(True)
    ds.set_output(True).set_data_type(kind)


@case
def layernorm_backward(cudnn: Any, g: Any) -> None:
    kind = cudnn.data_type.FLOAT
    x = g.tensor(dim=[128, 256, 1, 1], stride=[256, 1, 256, 256], name="x")
    dy = g.tensor(dim=[128, 256, 1, 1], stride=[256, 1, 256, 256], name="dy")
    stats = [g.tensor(dim=[128, 1, 1, 1], stride=[1, 1, 1, 1], data_type=kind) for _ in range(2)]
    dx, ds, db = g.layernorm_backward(
        grad=dy, input=x, scale=channels(cudnn, g, 256), mean=stats[0], inv_variance=stats[1]
    )
    dx.set_output(True)
    for each in (ds, db):
        each.set_output(True).set_data_type(kind)


@case
def batchnorm(cudnn: Any, g: Any) -> None:
    kind = cudnn.data_type.FLOAT
    x = tensor(g, 16, 32, 8, 8, nhwc=True)
    made = g.batchnorm(
        input=x,
        scale=channels(cudnn, g, 32),
        bias=channels(cudnn, g, 32),
        in_running_mean=channels(cudnn, g, 32),
        in_running_var=channels(cudnn, g, 32),
        epsilon=scalar(cudnn, g, "epsilon"),
        momentum=scalar(cudnn, g, "momentum"),
    )
    made[0].set_output(True)
    for each in made[1:]:
        each.set_output(True).set_data_type(kind)


@case
def batchnorm_inference(cudnn: Any, g: Any) -> None:
    x = tensor(g, 16, 32, 8, 8, nhwc=True)
    parts = {name: channels(cudnn, g, 32, name) for name in ("mean", "inv_variance", "scale")}
    g.batchnorm_inference(input=x, bias=channels(cudnn, g, 32, "bias"), **parts).set_output(True)


@case
def batchnorm_backward(cudnn: Any, g: Any) -> None:
    kind = cudnn.data_type.FLOAT
    x, dy = tensor(g, 16, 32, 8, 8, nhwc=True), tensor(g, 16, 32, 8, 8, nhwc=True)
    made = g.batchnorm_backward(
        grad=dy,
        input=x,
        scale=channels(cudnn, g, 32),
        mean=channels(cudnn, g, 32),
        inv_variance=channels(cudnn, g, 32),
    )
    made[0].set_output(True)
    for each in made[1:]:
        each.set_output(True).set_data_type(kind)


def sdpa(name: str, both: bool = True, **options: Any) -> None:
    """Add a forward and a backward program of attention."""
    io = options.pop("io", "HALF")
    stats = options.pop("stats", True)
    shape = options.pop("shape", (2, 4, 128, 64))
    keys = options.pop("keys", shape)

    def common(cudnn: Any, g: Any) -> tuple[Any, ...]:
        kind = cudnn.data_type
        q, k, v = (
            tensor(g, *dim, name=n, data_type=getattr(kind, io))
            for n, dim in zip("qkv", (shape, keys, keys), strict=True)
        )
        given = dict(options)
        if given.pop("padding", False):
            given["use_padding_mask"] = True
            for port in ("seq_len_q", "seq_len_kv"):
                given[port] = tensor(g, shape[0], 1, 1, 1, name=port, data_type=kind.INT32)
        if given.pop("bias", False):
            given["bias"] = tensor(g, 1, shape[1], shape[2], keys[2], name="bias")
        if "dropout" in given:
            seeds = [
                tensor(g, 1, 1, 1, 1, name=n, data_type=kind.INT64) for n in ("seed", "offset")
            ]
            given["dropout"] = (given["dropout"], *seeds)
        if "mask" in given:
            given["dropout"] = (
                tensor(g, *shape[:3], keys[2], name="mask"),
                *(
                    tensor(g, 1, 1, 1, 1, name=n, data_type=kind.FLOAT)
                    for n in ("kept", "inverse")[: given.pop("mask")]
                ),
            )
        if given.pop("block_mask", False):
            given["block_mask"] = tensor(g, *shape[:2], 1, 1, name="blocks", data_type=kind.UINT8)
        for port in given.pop("cumulative", ()):
            given["use_padding_mask"] = True
            count = shape[0] + port.startswith("cu")
            given[port] = tensor(g, count, 1, 1, 1, name=port, data_type=kind.INT32)
        for port in given.pop("rows", ()):
            made = tensor(g, *shape[:3], 1, name=port, data_type=kind.FLOAT)
            given[port] = made.set_output(True)
        if given.pop("bottom", False):
            given["diagonal_alignment"] = cudnn.diagonal_alignment.BOTTOM_RIGHT
        return q, k, v, given

    def forward(cudnn: Any, g: Any) -> None:
        q, k, v, given = common(cudnn, g)
        kind = cudnn.data_type
        o, found = g.sdpa(
            q=q, k=k, v=v, is_inference=not stats, attn_scale=0.125, name="sdpa", **given
        )
        o.set_output(True).set_dim(list(shape)).set_stride(packed(shape))
        o.set_data_type(getattr(kind, io))
        if stats:
            found.set_output(True).set_data_type(kind.FLOAT)

    def backward(cudnn: Any, g: Any) -> None:
        q, k, v, given = common(cudnn, g)
        kind = cudnn.data_type
        o, do = (tensor(g, *shape, name=n, data_type=getattr(kind, io)) for n in ("o", "do"))
        stats = tensor(g, *shape[:3], 1, name="stats", data_type=kind.FLOAT)
        made = g.sdpa_backward(
            q=q, k=k, v=v, o=o, dO=do, stats=stats, attn_scale=0.125, name="bwd", **given
        )
        for each, dim in zip(made, (shape, keys, keys), strict=True):
            each.set_output(True).set_dim(list(dim)).set_stride(packed(dim))
            each.set_data_type(getattr(kind, io))

    forward.__name__, backward.__name__ = f"sdpa_{name}", f"sdpa_{name}_backward"
    case(forward)
    if both:
        case(backward)


sdpa("plain")
sdpa("causal", use_causal_mask=True)
sdpa("causal_bottom", use_causal_mask_bottom_right=True, shape=(2, 4, 64, 64), keys=(2, 4, 128, 64))
sdpa("window", diagonal_band_left_bound=32, diagonal_band_right_bound=0)
sdpa("window_bottom", diagonal_band_left_bound=32, diagonal_band_right_bound=0, bottom=True)
sdpa("padding", padding=True)
sdpa("padding_causal", padding=True, use_causal_mask=True)
sdpa("bias", bias=True)
sdpa("alibi", use_alibi_mask=True, use_causal_mask=True)
sdpa("alibi_not_causal", use_alibi_mask=True)
sdpa("dropout", dropout=0.25)
sdpa("grouped", shape=(2, 8, 128, 64), keys=(2, 2, 128, 64))
sdpa("odd_width", shape=(2, 4, 128, 60))
sdpa("odd_length", shape=(2, 4, 100, 64))
sdpa("bottom_bias", use_causal_mask_bottom_right=True, bias=True)
sdpa("bottom_left_bias", diagonal_band_left_bound=32, bottom=True, bias=True)
sdpa("bottom_left_dropout", diagonal_band_left_bound=32, bottom=True, dropout=0.25)
sdpa("both_masks", use_causal_mask=True, use_causal_mask_bottom_right=True)
sdpa("padding_without_lengths", use_padding_mask=True)
sdpa("left_bound_zero", diagonal_band_left_bound=0, diagonal_band_right_bound=0)
sdpa("few_heads", shape=(2, 6, 128, 64), keys=(2, 4, 128, 64))
sdpa("left_bound_negative", False, diagonal_band_left_bound=-3, diagonal_band_right_bound=5)
sdpa("float", io="FLOAT")
sdpa("float_causal", io="FLOAT", use_causal_mask=True)
sdpa("float_padding", io="FLOAT", padding=True)
sdpa("mask", False, mask=1)
sdpa("mask_causal", False, mask=1, use_causal_mask=True)
sdpa("mask_three", mask=2)
sdpa("block_mask", False, block_mask=True)
_CUMULATIVE = ("cu_seq_len_q", "cu_seq_len_kv")
sdpa("cumulative", False, cumulative=_CUMULATIVE)
sdpa("cumulative_causal", False, cumulative=_CUMULATIVE, use_causal_mask=True)
sdpa("cumulative_bottom", False, cumulative=_CUMULATIVE, use_causal_mask_bottom_right=True)
sdpa("cumulative_keys", False, cumulative=("seq_len_q", "cu_seq_len_kv"))
sdpa("log2", False, stats_use_log2=True)
sdpa("log2_without_statistics", False, stats_use_log2=True, stats=False)
_ROWS = ("score_max", "score_sum_exp")
sdpa("rows_causal", False, stats=False, rows=_ROWS, use_causal_mask=True)
sdpa("rows_statistics", False, rows=_ROWS)
sdpa("row_maxima", False, stats=False, rows=_ROWS[:1])
sdpa("row_sums", False, stats=False, rows=_ROWS[1:])
sdpa("total_without_ragged", max_total_seq_len_q=256)


@case
def sdpa_rows(cudnn: Any, g: Any) -> None:
    kind, shape = cudnn.data_type.FLOAT, [2, 4, 128, 64]
    q, k, v = (tensor(g, *shape, name=n) for n in "qkv")
    rows = [tensor(g, 2, 4, 128, 1, name=n, data_type=kind) for n in ("max", "sum")]
    o, _ = g.sdpa(
        q=q,
        k=k,
        v=v,
        is_inference=True,
        attn_scale=0.125,
        score_max=rows[0].set_output(True),
        score_sum_exp=rows[1].set_output(True),
    )
    o.set_output(True).set_dim(shape).set_stride(packed(shape))


def paged(name: str, **options: Any) -> None:
    """Add a program of attention whose keys and values lie in pages."""

    def program(cudnn: Any, g: Any) -> None:
        kind = cudnn.data_type
        q = tensor(g, 2, 4, 1, 64, name="q")
        k, v = tensor(g, 16, 4, 32, 64, name="k"), tensor(g, 16, 4, 32, 64, name="v")
        lengths = [tensor(g, 2, 1, 1, 1, name=n, data_type=kind.INT32) for n in ("lq", "lk")]
        tables = [tensor(g, 2, 1, 8, 1, name=n, data_type=kind.INT32) for n in ("tk", "tv")]
        o, _ = g.sdpa(
            q=q,
            k=k,
            v=v,
            is_inference=True,
            attn_scale=0.125,
            seq_len_q=lengths[0],
            seq_len_kv=lengths[1],
            paged_attention_k_table=tables[0],
            paged_attention_v_table=tables[1],
            paged_attention_max_seq_len_kv=256,
            **options,
        )
        o.set_output(True).set_dim([2, 4, 1, 64]).set_stride(packed([2, 4, 1, 64]))

    program.__name__ = f"sdpa_{name}"
    case(program)


paged("paged", use_padding_mask=True)
paged("paged_score", score_mod=lambda graph, scores: graph.tanh(input=scores))


def ragged(cudnn: Any, g: Any, batch_stride: int) -> None:
    """Add attention of ragged tensors; offsets, and no strides, say where their entries begin."""
    kind = cudnn.data_type
    shape = [2, 4, 128, 64]
    strides = [batch_stride, 64, 4 * 64, 1]
    lengths = [tensor(g, 2, 1, 1, 1, name=n, data_type=kind.INT32) for n in ("lq", "lk")]
    offsets = [
        tensor(g, 3, 1, 1, 1, name=n, data_type=kind.INT32) for n in ("rq", "rk", "rv", "ro")
    ]
    q, k, v = (
        g.tensor(dim=shape, stride=strides, name=n, ragged_offset=r)
        for n, r in zip("qkv", offsets, strict=False)
    )
    o, _ = g.sdpa(
        q=q,
        k=k,
        v=v,
        is_inference=True,
        attn_scale=0.125,
        use_padding_mask=True,
        seq_len_q=lengths[0],
        seq_len_kv=lengths[1],
    )
    o.set_output(True).set_dim(shape).set_stride(strides).set_ragged_offset(offsets[3])


@case
def sdpa_ragged(cudnn: Any, g: Any) -> None:
    ragged(cudnn, g, 4 * 128 * 64)


@case
def sdpa_ragged_close(cudnn: Any, g: Any) -> None:
    ragged(cudnn, g, 4 * 64)


@case
def sdpa_score_mod(cudnn: Any, g: Any) -> None:
    shape = [2, 4, 128, 64]
    q, k, v = (tensor(g, *shape, name=n) for n in "qkv")
    cap = g.tensor(
        name="cap",
        dim=[1, 1, 1, 1],
        stride=[1, 1, 1, 1],
        is_pass_by_value=True,
        data_type=cudnn.data_type.FLOAT,
    )

    def softcap(graph: Any, scores: Any) -> Any:
        divided = graph.div(a=scores, b=cap, compute_data_type=cudnn.data_type.FLOAT)
        divided.set_data_type(cudnn.data_type.FLOAT)
        bent = graph.tanh(input=divided)
        bent.set_data_type(cudnn.data_type.FLOAT)
        return graph.mul(a=bent, b=cap)

    o, _ = g.sdpa(q=q, k=k, v=v, is_inference=True, attn_scale=0.125, score_mod=softcap)
    o.set_output(True).set_dim(shape).set_stride(packed(shape))


@case
def sdpa_fp8(cudnn: Any, g: Any) -> None:
    fp8(cudnn, g)


@case
def sdpa_fp8_page_length(cudnn: Any, g: Any) -> None:
    fp8(cudnn, g, paged_attention_max_seq_len_kv=128)


def fp8(cudnn: Any, g: Any, **options: Any) -> None:
    """Add attention in FP8."""
    kind = cudnn.data_type
    shape = [2, 4, 128, 128]
    q, k, v = (tensor(g, *shape, name=n, data_type=kind.FP8_E4M3) for n in "qkv")
    words = ("descale_q", "descale_k", "descale_v", "descale_s", "scale_s", "scale_o")
    scales = {n: tensor(g, 1, 1, 1, 1, name=n, data_type=kind.FLOAT) for n in words}
    o, stats, *most = g.sdpa_fp8(
        q=q, k=k, v=v, is_inference=False, attn_scale=0.125, **scales, **options
    )
    o.set_output(True).set_dim(shape).set_stride(packed(shape)).set_data_type(kind.FP8_E4M3)
    stats.set_output(True).set_data_type(kind.FLOAT)
    for each in most:
        each.set_output(True).set_dim([1] * 4).set_stride([1] * 4).set_data_type(kind.FLOAT)


@case
def rope(cudnn: Any, g: Any) -> None:
    g.rope(tensor(g, 2, 4, 128, 64), tensor(g, 1, 1, 128, 64)).set_output(True)


@case
def transpose(cudnn: Any, g: Any) -> None:
    y = g.transpose(input=g.relu(tensor(g, 2, 4, 128, 64)), permutation=[0, 2, 1, 3])
    y.set_output(True)


@case
def reshape_without_dim(cudnn: Any, g: Any) -> None:
    g.reshape(input=tensor(g, 2, 4, 128, 64)).set_output(True)


@case
def slice_matmul(cudnn: Any, g: Any) -> None:
    a = g.slice(input=tensor(g, 4, 128, 32), slices=[slice(0, 4), slice(0, 64), slice(0, 32)])
    g.matmul(a, tensor(g, 4, 32, 128)).set_output(True)


@case
def gdn(cudnn: Any, g: Any) -> None:
    parts = {n: tensor(g, 128, 4, 64, name=n) for n in ("q", "k", "v")}
    made = g.gdn(**parts, g=tensor(g, 128, 4), beta=tensor(g, 128, 4))
    (made[0] if isinstance(made, list) else made).set_output(True)


@case
def same_uids(cudnn: Any, g: Any) -> None:
    g.add(tensor(g, 8, 8, uid=5), tensor(g, 8, 8, uid=5)).set_output(True)


@case
def same_names(cudnn: Any, g: Any) -> None:
    g.add(tensor(g, 8, 64, 1, 1, name="a"), tensor(g, 8, 64, 1, 1, name="a")).set_output(True)


@case
def own_uids(cudnn: Any, g: Any) -> None:
    a, b = tensor(g, 4, 64, 32, uid=70), tensor(g, 4, 32, 128, uid=2)
    g.matmul(a, b).set_output(True).set_uid(1)


@case
def conv_channels(cudnn: Any, g: Any) -> None:
    x, w = tensor(g, 8, 64, 28, 28), tensor(g, 32, 48, 3, 3)
    g.conv_fprop(x, w, padding=[1, 1], stride=[1, 1], dilation=[1, 1]).set_output(True)


@case
def conv_wrong_dim(cudnn: Any, g: Any) -> None:
    x, w = tensor(g, 8, 64, 28, 28), tensor(g, 32, 64, 3, 3)
    y = g.conv_fprop(x, w, padding=[1, 1], stride=[1, 1], dilation=[1, 1])
    y.set_output(True).set_dim([8, 32, 27, 28])


@case
def norm_and_convolution(cudnn: Any, g: Any) -> None:
    """A pattern that cuDNN refuses when the graph is finalized, before engines are asked."""
    x, w, s = tensor(g, 8, 64, 28, 28), tensor(g, 64, 64, 3, 3), tensor(g, 1, 64, 28, 28)
    phase = cudnn.norm_forward_phase.INFERENCE
    epsilon = scalar(cudnn, g, "epsilon")
    y = g.layernorm(norm_forward_phase=phase, input=x, scale=s, bias=s, epsilon=epsilon)[0]
    g.conv_fprop(y, w, padding=[1, 1], stride=[1, 1], dilation=[1, 1]).set_output(True)


@case
def no_such_option(cudnn: Any, g: Any) -> None:
    g.relu(tensor(g, 8, 8), bogus=1)
