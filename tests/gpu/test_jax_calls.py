"""Plans and operations inside `jax.jit`, `jax.grad` and `jax.vmap`, against float64."""

from __future__ import annotations

import os
import threading
from typing import Any

import numpy as np
import pytest

from .conftest import library

# Or JAX takes three quarters of the device's memory for itself.
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")


@pytest.fixture(scope="module")
def jax() -> Any:
    jax = library("jax")
    if not any(each.platform == "gpu" for each in jax.devices()):
        pytest.skip("JAX has no GPU here")
    return jax


@pytest.fixture(scope="module")
def calls(jax: Any, cudnn: Any) -> Any:
    """The module under test."""
    del jax, cudnn
    import cudnn_cffi.jax

    return cudnn_cffi.jax


def normal(*shape: int, dtype: str = "float32") -> Any:
    import jax.numpy

    chance = np.random.default_rng()
    return jax.numpy.asarray(chance.standard_normal(shape), dtype)


def close(got: Any, wanted: Any, limit: float = 1e-5) -> None:
    got, wanted = np.asarray(got, np.float64), np.asarray(wanted, np.float64)
    assert got.shape == wanted.shape
    assert float(np.linalg.norm(got - wanted)) < limit * max(float(np.linalg.norm(wanted)), 1.0)


def wide(array: Any) -> Any:
    return np.asarray(array, np.float64)


@pytest.fixture
def tanh(cudnn: Any) -> Any:
    g = cudnn.Graph(io_data_type="FLOAT")
    g.output(g.tanh(g.tensor((1, 64, 64), name="x")), name="y")
    return g.build()


def test_a_plan(jax: Any, calls: Any, tanh: Any) -> None:
    x = normal(1, 64, 64)
    f = jax.jit(lambda x: calls.call(tanh, x * 2) + 1)
    for _ in range(3):
        close(f(x), np.tanh(2 * wide(x)) + 1)
    close(calls.call(tanh, x), np.tanh(wide(x)))
    close(jax.vmap(f)(normal(3, 1, 64, 64) * 0), np.ones((3, 1, 64, 64)))
    many = normal(3, 1, 64, 64)
    close(jax.jit(jax.vmap(f))(many), np.tanh(2 * wide(many)) + 1)


def test_a_plan_with_workspace_and_several_results(jax: Any, cudnn: Any, calls: Any) -> None:
    x, scale, bias = normal(8, 32, 14, 14), normal(32), normal(32)
    plan = cudnn.ops.BatchNorm().plan(x, scale, bias)
    y, mean, inverse = jax.jit(lambda *all: calls.call(plan, *all))(x, scale, bias)
    wanted = wide(x)
    close(mean.ravel(), wanted.mean((0, 2, 3)))
    close(inverse.ravel(), 1 / np.sqrt(wanted.var((0, 2, 3)) + 1e-5), 1e-4)
    assert y.shape == x.shape


def test_channels_last_plans_take_logical_shapes(jax: Any, cudnn: Any, calls: Any) -> None:
    spec = cudnn.ops.Spec.like
    plan = cudnn.ops.Convolution(1).plan(
        spec((4, 16, 12, 12), "float16", "NHWC"), spec((8, 16, 3, 3), "float16", "NHWC")
    )
    x, w = normal(4, 16, 12, 12, dtype="float16"), normal(8, 16, 3, 3, dtype="float16")
    y = jax.jit(lambda x, w: calls.call(plan, x, w))(x, w)
    wanted = jax.lax.conv_general_dilated(
        x.astype("float32"), w.astype("float32"), (1, 1), "SAME",
        precision=jax.lax.Precision.HIGHEST,
    )  # fmt: skip
    close(y, wanted, 2e-3)


def test_a_plan_from_two_threads(jax: Any, calls: Any, tanh: Any) -> None:
    f = jax.jit(lambda x: calls.call(tanh, x))
    failed: list[BaseException] = []

    def work(number: int) -> None:
        try:
            x = normal(1, 64, 64) + number
            for _ in range(50):
                close(f(x), np.tanh(wide(x)))
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(2)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert failed == []


def test_donated_memory(jax: Any, calls: Any, tanh: Any) -> None:
    f = jax.jit(lambda x: calls.call(tanh, x), donate_argnums=0)
    for _ in range(5):
        x = normal(1, 64, 64)
        wanted = np.tanh(wide(x))
        y = f(x)
        assert x.is_deleted()
        close(y, wanted)


def test_in_the_order_of_the_stream(jax: Any, calls: Any, cudnn: Any) -> None:
    a = normal(2048, 2048) / 50
    plan = cudnn.ops.Activation("relu").plan(a)

    def f(x: Any) -> Any:
        for _ in range(4):
            x = calls.call(plan, jax.numpy.tanh(x @ a))
        return x * 2

    def plain(x: Any) -> Any:
        for _ in range(4):
            x = jax.numpy.maximum(jax.numpy.tanh(x @ a), 0)
        return x * 2

    for _ in range(5):
        close(jax.jit(f)(a), jax.jit(plain)(a))


def test_a_closed_plan_is_an_error(jax: Any, calls: Any, cudnn: Any) -> None:
    x = normal(1, 32, 32)
    g = cudnn.Graph(io_data_type="FLOAT")
    g.output(g.exp(g.tensor(x, name="x")), name="y")
    plan = cudnn.Plan.from_json(g.build().to_json())
    f = jax.jit(lambda x: calls.call(plan, x))
    close(f(x), np.exp(wide(x)), 1e-4)
    plan.close()
    with pytest.raises(jax.errors.JaxRuntimeError, match="the plan is closed"):
        jax.block_until_ready(f(x))
