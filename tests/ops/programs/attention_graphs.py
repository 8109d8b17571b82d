"""Operation graphs of attention and its gradients, and what is refused; no engine is asked."""

import cudnn_cffi as cudnn
from cudnn_cffi import errors, ops

like = ops.Spec.like
H200 = cudnn.DeviceProperties("H200")


def vector(count, dtype):
    return like((count,), dtype, range(1))


def refused(text, call, kind=errors.CudnnError):
    try:
        call()
    except kind as error:
        assert text in str(error), str(error)
    else:
        raise AssertionError(f"not refused: {text}")


def names(operation, *arrays):
    """Return the operands of the operation graph, which cuDNN has taken."""
    case = operation.case(*arrays)
    made = operation.computation(case, None, H200)
    assert made.operation_graph is not None
    operands = {each.name: each for each in made.operands if each.is_argument}
    for name, spec in {**case.inputs, **case.outputs}.items():
        assert operands[name].shape == spec.shape, name
        assert operands[name].strides == spec.strides, name
    return list(operands)


order = range(4)
q, k = like((2, 4, 128, 64), "half", order), like((2, 2, 128, 64), "half", order)
strided = ops.Spec("float16", (2, 4, 128, 64), (32768, 64, 256, 1))
stats, bias = like((2, 4, 128, 1), "float", order), like((1, 4, 128, 128), "half", order)
lengths, one = vector(2, "int32"), vector(1, "int64")

assert names(ops.Attention(), q, k, k) == ["q", "k", "v", "o"]
assert names(ops.Attention(0.5, causal=True, stats=True), q, k, k) == ["q", "k", "v", "o", "stats"]
assert names(ops.Attention(), q, k, k, bias) == ["q", "k", "v", "bias", "o"]
case = ops.Attention().case(strided, strided, strided)
assert case.outputs["o"].strides == strided.strides
given = (q, k, k, None, lengths, lengths, one, one)
wanted = ["q", "k", "v", "seq_len_q", "seq_len_kv", "seed", "offset", "o"]
assert names(ops.Attention(dropout=0.1), *given) == wanted
back = ["do", "q", "k", "v", "o", "stats"]
assert names(ops.AttentionBackward(), q, q, k, k, q, stats) == [*back, "dq", "dk", "dv"]
found = names(ops.AttentionBackward(dbias=True), q, q, k, k, q, stats, bias)
assert found == [*back, "bias", "dq", "dk", "dv", "dbias"]

refused("q: (batch, heads", lambda: ops.Attention().case(like((4, 128, 64), "half"), k, k))
refused("k: float16 was expected", lambda: ops.Attention().case(q, like(k.shape, "bf16"), k))
refused("seq_len_q: 2 elements", lambda: ops.Attention().case(q, k, k, None, one))
refused("seed and offset", lambda: ops.Attention(dropout=0.1).case(q, k, k))
refused("seed and offset", lambda: ops.Attention().case(q, k, k, None, None, None, one, one))
refused("dropout: from 0", lambda: ops.Attention(dropout=1.0))
refused("do: the shape", lambda: ops.AttentionBackward().case(k, q, k, k, q, stats))
refused("stats: float32", lambda: ops.AttentionBackward().case(
    q, q, k, k, q, like(stats.shape, "half", order)))  # fmt: skip
refused("dbias: a bias", lambda: ops.AttentionBackward(dbias=True).case(q, q, k, k, q, stats))
refused("there is no argument", lambda: ops.attention(q, k, k, casual=True))
