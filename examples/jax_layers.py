"""A small network of cuDNN's layers in JAX: compiled, trained, and checked against JAX's own."""

from __future__ import annotations

import os
import sys

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

import cudnn_cffi
import cudnn_cffi.jax as cj
import jax
import jax.numpy as jnp


def ours(weights: list[jax.Array], x: jax.Array) -> jax.Array:
    """Compute class scores of images."""
    y = cj.convolution(x, weights[0], padding=1, activation="relu", choose={"tf32": False})
    y = cj.max_pool(y, 2)
    y = y.reshape(*y.shape[:2], -1).swapaxes(1, 2)  # a sequence of pixels
    q = y[:, None].astype("float16")
    y = y + cj.attention(q, q, q).o[:, 0].astype("float32")
    y = cj.layer_norm(y, weights[1], weights[2])
    return y.mean(1) @ weights[3]


def plain(weights: list[jax.Array], x: jax.Array) -> jax.Array:
    """Compute the same by JAX alone."""
    highest = jax.lax.Precision.HIGHEST
    y = jax.lax.conv_general_dilated(x, weights[0], (1, 1), "SAME", precision=highest)
    n, c, h, w = y.shape
    y = jax.nn.relu(y).reshape(n, c, h // 2, 2, w // 2, 2).max((3, 5))
    y = y.reshape(n, c, -1).swapaxes(1, 2)
    with jax.default_matmul_precision("highest"):
        y = y + jax.nn.softmax(y @ y.swapaxes(1, 2) / c**0.5) @ y
    mean, variance = y.mean(-1, keepdims=True), y.var(-1, keepdims=True)
    y = (y - mean) / jnp.sqrt(variance + 1e-5) * weights[1] + weights[2]
    return y.mean(1) @ weights[3]


def loss(weights: list[jax.Array], x: jax.Array, labels: jax.Array) -> jax.Array:
    """Return the mean cross entropy."""
    logs = cj.log_softmax(ours(weights, x), -1)
    return -jnp.take_along_axis(logs, labels[:, None], 1).mean()


def main() -> None:
    """Compare with JAX, then train."""
    keys = jax.random.split(jax.random.key(0), 4)
    labels = jnp.arange(64) % 4
    x = jax.random.normal(keys[0], (64, 3, 16, 16)) + labels[:, None, None, None] / 2
    weights = [
        jax.random.normal(keys[1], (64, 3, 3, 3)) / 5,
        jnp.ones(64),
        jnp.zeros(64),
        jax.random.normal(keys[2], (64, 4)) / 8,
    ]
    expected = plain(weights, x)
    error = jnp.linalg.norm(jax.jit(ours)(weights, x) - expected) / jnp.linalg.norm(expected)
    print(f"error against JAX: {float(error):.1e}")
    assert error < 1e-2

    step = jax.jit(jax.value_and_grad(loss))
    losses: list[float] = []
    for _ in range(100):
        value, gradients = step(weights, x, labels)
        weights = [w - 0.1 * g for w, g in zip(weights, gradients, strict=True)]
        losses.append(float(value))
    print(f"loss: {losses[0]:.3f} -> {losses[-1]:.3f}")
    assert losses[-1] < 0.7 * losses[0]


if __name__ == "__main__":
    if not cudnn_cffi.is_available():
        sys.exit("this example needs a GPU: `python -m cudnn_cffi doctor` says what is missing")
    main()
