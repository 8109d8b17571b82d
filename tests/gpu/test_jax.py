"""Operations on arrays of JAX: results are JAX's, without a copy, and in the order of streams."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.jax

# Or JAX takes three quarters of the device's memory for itself.
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")


@pytest.fixture
def normal(jax: Any) -> Any:
    chance = np.random.default_rng()

    def make(*shape: int, dtype: str = "float32") -> Any:
        return jax.device_put(
            jax.numpy.asarray(chance.standard_normal(shape), dtype), jax.devices("gpu")[0]
        )

    return make


def close(got: Any, wanted: Any, limit: float = 1e-5) -> None:
    got, wanted = np.asarray(got, np.float64), np.asarray(wanted, np.float64)
    assert float(np.linalg.norm(got - wanted)) < limit * max(float(np.linalg.norm(wanted)), 1.0)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("via", ["graph", "classic"])
def test_results_are_arrays_of_jax(jax: Any, cudnn: Any, normal: Any, dtype: str, via: str) -> None:
    x = normal(4, 8, 6, 5, dtype=dtype)
    f = cudnn.ops.Activation("relu", choose={"via": via})
    for _ in range(3):
        y = f(x)
        assert isinstance(y, jax.Array)
        assert y.dtype == x.dtype
        assert y.devices() == x.devices()
        close(y, np.maximum(np.asarray(x, np.float64), 0))


def test_in_the_order_of_streams(jax: Any, cudnn: Any, normal: Any) -> None:
    a, f = normal(2048, 2048), cudnn.ops.Activation("identity", choose={"via": "classic"})
    for _ in range(10):
        # Long work in JAX before, and work in JAX after, without waiting on the host.
        x = a
        for _ in range(4):
            x = jax.numpy.tanh(x @ a)
        y = f(x)
        z = y * 2
        del y
        wanted = np.asarray(x, np.float64) * 2
        del x
        close(z, wanted)


def test_inputs_that_go_at_once(jax: Any, cudnn: Any, normal: Any) -> None:
    f = cudnn.ops.Activation("identity", choose={"via": "classic"})
    found = []
    for i in range(50):
        y = f(jax.numpy.full((512, 512), float(i)))
        jax.numpy.full((512, 512), -1.0)  # likely in the memory of the input
        found.append(y)
    for i, y in enumerate(found):
        assert (np.asarray(y) == i).all()
    del normal


def test_several_results_and_other_layouts(jax: Any, cudnn: Any, normal: Any) -> None:
    ops, x = cudnn.ops, normal(4, 8, 6, 5)
    found = ops.batch_norm(x, normal(8), normal(8))
    assert all(isinstance(each, jax.Array) for each in found)
    close(found.mean, np.asarray(x, np.float64).mean((0, 2, 3)))
    columns = ops.im2col(x, 2)
    assert isinstance(columns, jax.Array)
    assert columns.shape == (4, 32, 20)
    windows = np.lib.stride_tricks.sliding_window_view(np.asarray(x), (2, 2), (2, 3))
    wanted = windows.transpose(0, 1, 4, 5, 2, 3).reshape(4, 32, 20)
    close(columns, wanted, 1e-7)
    w = normal(16, 8, 3, 3)
    y = ops.convolution(x, w, padding=1, choose={"tf32": False})
    assert isinstance(y, jax.Array)
    wanted = jax.lax.conv_general_dilated(x, w, (1, 1), "SAME", precision=jax.lax.Precision.HIGHEST)
    close(y, wanted)


def test_an_output_that_was_given_stays_what_it_is(jax: Any, cudnn: Any, normal: Any) -> None:
    x = normal(16, 16)
    out = cudnn.DeviceArray.empty((16, 16))
    assert cudnn.ops.relu(x, out=out) is out
    close(out.to_numpy(), np.maximum(np.asarray(x), 0))
    del jax


def test_plans_of_graphs(jax: Any, cudnn: Any, normal: Any) -> None:
    x = normal(1, 64, 64)
    g = cudnn.Graph(io_data_type="FLOAT")
    g.output(g.tanh(g.tensor(x, name="x")), name="y")
    plan = g.build()
    y = plan(x)
    assert isinstance(y, jax.Array)
    close(y, np.tanh(np.asarray(x, np.float64)))
