"""Operations by formulas of JAX's own, in the place of plans."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import jax
import jax.numpy as jnp
from cudnn_cffi.jax import calls
from jax.interpreters import mlir

Options = dict[str, Any]

ACTIVATIONS = {"relu": jax.nn.relu, "tanh": jnp.tanh, "gelu": lambda x: jax.nn.gelu(x, False)}


def _convolve(x: Any, w: Any, options: Options) -> Any:
    count = w.ndim - 2
    padding, stride = options["padding"], options["stride"]
    return jax.lax.conv_general_dilated(
        x, w, [stride] * count, [(padding, padding)] * count, precision=jax.lax.Precision.HIGHEST
    )


def convolution(o: Options, x: Any, w: Any, bias: Any = None, residual: Any = None) -> Any:
    y = _convolve(x, w, o)
    y = y if residual is None else y + residual
    y = y if bias is None else y + bias.reshape(-1, 1, 1)
    return y if o["activation"] is None else ACTIVATIONS[o["activation"]](y)


def convolution_backward_data(o: Options, dy: Any, w: Any) -> Any:
    return jax.linear_transpose(lambda x: _convolve(x, w, o), jnp.zeros(o["shape"]))(dy)[0]


def convolution_backward_filter(o: Options, x: Any, dy: Any) -> Any:
    return jax.linear_transpose(lambda w: _convolve(x, w, o), jnp.zeros(o["shape"]))(dy)[0]


def convolution_backward_bias(o: Options, dy: Any) -> Any:
    return dy.sum((0, 2, 3))


def convolution_transpose(o: Options, x: Any, w: Any, bias: Any = None) -> Any:
    y = convolution_backward_data(o, x, w)
    return y if bias is None else y + bias.reshape(-1, 1, 1)


def activation(o: Options, x: Any) -> Any:
    return ACTIVATIONS[o["activation"]](x)


def activation_backward(o: Options, dy: Any, x: Any = None, y: Any = None) -> Any:
    x = y if x is None else x  # right for a ReLU
    return jax.vjp(ACTIVATIONS[o["activation"]], x)[1](dy)[0]


def softmax(o: Options, x: Any) -> Any:
    return (jax.nn.log_softmax if o["log"] else jax.nn.softmax)(x, o["axis"])


def softmax_backward(o: Options, dy: Any, y: Any) -> Any:
    if o["log"]:
        return dy - jnp.exp(y) * dy.sum(o["axis"], keepdims=True)
    return y * (dy - (dy * y).sum(o["axis"], keepdims=True))


def layer_norm(o: Options, x: Any, scale: Any, bias: Any) -> Any:
    mean, variance = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    inverse = 1 / jnp.sqrt(variance + o["epsilon"])
    return (x - mean) * inverse * scale + bias, mean, inverse


def layer_norm_backward(
    o: Options, dy: Any, x: Any, scale: Any, mean: Any, inv_variance: Any
) -> Any:
    rows = (*x.shape[:-1], 1)
    normal = (x - mean.reshape(rows)) * inv_variance.reshape(rows)
    g = dy * scale
    inner = g - g.mean(-1, keepdims=True) - normal * (g * normal).mean(-1, keepdims=True)
    over = tuple(range(x.ndim - 1))
    return inner * inv_variance.reshape(rows), (dy * normal).sum(over), dy.sum(over)


def attention(o: Options, q: Any, k: Any, v: Any, bias: Any = None) -> Any:
    scores = q @ k.swapaxes(-1, -2) / q.shape[-1] ** 0.5
    scores = scores if bias is None else scores + bias
    return jax.nn.softmax(scores) @ v, jax.nn.logsumexp(scores, -1, keepdims=True)


def attention_backward(
    o: Options, do: Any, q: Any, k: Any, v: Any, o_: Any, stats: Any, bias: Any = None
) -> Any:
    scores = q @ k.swapaxes(-1, -2) / q.shape[-1] ** 0.5
    p = jnp.exp((scores if bias is None else scores + bias) - stats)
    ds = p * (do @ v.swapaxes(-1, -2) - (do * o_).sum(-1, keepdims=True))
    scale = q.shape[-1] ** -0.5
    found = ds @ k * scale, ds.swapaxes(-1, -2) @ q * scale, p.swapaxes(-1, -2) @ do
    return found if bias is None else (*found, ds.sum(0, keepdims=True))


def pooling(o: Options, x: Any) -> Any:
    assert o["kind"] == "average"
    n = o["window"]
    return x.reshape(*x.shape[:-2], x.shape[-2] // n, n, x.shape[-1] // n, n).mean((-3, -1))


def pooling_backward(o: Options, dy: Any, x: Any, y: Any) -> Any:
    return jax.vjp(lambda x: pooling(o, x), x)[1](dy)[0]


_is_on: list[bool] = []

#: The calls that formulas have taken the place of, in the block that is open.
computed: list[Any] = []


def _compute(*inputs: Any, work: Any) -> Sequence[Any]:
    if not _is_on:
        return calls._refuse(*inputs, work=work)
    computed.append(work)
    operation = work.operation
    wanted = [each.shape for each in work.results(inputs)]
    shape = {"shape": wanted[0]}
    names = [f"{name}_" if name == "o" else name for name in work.names]
    made = globals()[operation.word](
        {**operation.options, **shape}, **dict(zip(names, inputs, strict=True))
    )
    results = made if isinstance(made, tuple) else (made,)
    return [each.reshape(shape) for each, shape in zip(results, wanted, strict=False)]


mlir.register_lowering(
    calls._primitive, mlir.lower_fun(_compute, multiple_results=True), platform="cpu"
)


@contextmanager
def emulation() -> Iterator[None]:
    """Have formulas compute operations on the CPU while a block runs."""
    jax.clear_caches()
    _is_on.append(True)
    try:
        yield
    finally:
        _is_on.clear()
        computed.clear()
        jax.clear_caches()
