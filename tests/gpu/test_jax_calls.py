"""Plans and operations inside `jax.jit`, `jax.grad` and `jax.vmap`, against float64."""

from __future__ import annotations

import os
from functools import partial
from typing import Any

import numpy as np
import pytest

from tests.threads import in_threads

pytestmark = pytest.mark.jax

# Or JAX takes three quarters of the device's memory for itself.
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
# XLA's own results are references, and not timed.
os.environ.setdefault("XLA_FLAGS", "--xla_gpu_autotune_level=0")


@pytest.fixture(scope="module")
def calls(jax: Any, cudnn: Any) -> Any:
    """The module under test."""
    del jax, cudnn
    from cudnn_cffi._call import mode

    if mode() != "api":
        pytest.skip("XLA calls the compiled call layer")
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


def test_calls_that_come_again_are_launched_as_graphs(jax: Any, calls: Any) -> None:
    """Arrays change from call to call, and buffers come again."""
    from cudnn_cffi.jax.targets import _offered

    def count() -> int:
        ways: list[Any] = [each for offered in _offered.values() for each in offered.ways.values()]
        return sum(each._graphs() for each in ways)

    def f(x: Any) -> Any:
        for _ in range(4):
            x = calls.tanh(x * 2)
        return x

    x = normal(3, 40, 24)
    options = {"xla_gpu_enable_command_buffer": ""}
    compiled, before = jax.jit(f).lower(x).compile(compiler_options=options), count()
    for _ in range(40):
        x = normal(3, 40, 24)
        wanted = wide(x)
        for _ in range(4):
            wanted = np.tanh(wanted * 2)
        close(compiled(x), wanted)
    assert count() > before


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

    def work(number: int) -> None:
        x = normal(1, 64, 64) + number
        for _ in range(50):
            close(f(x), np.tanh(wide(x)))

    in_threads(work, range(2))


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
    dot = partial(jax.numpy.matmul, precision="highest")
    plan = cudnn.ops.Activation("relu").plan(a)

    def f(x: Any) -> Any:
        for _ in range(4):
            x = calls.call(plan, jax.numpy.tanh(dot(x, a)))
        return x * 2

    def plain(x: Any) -> Any:
        for _ in range(4):
            x = jax.numpy.maximum(jax.numpy.tanh(dot(x, a)), 0)
        return x * 2

    for _ in range(5):
        close(jax.jit(f)(a), jax.jit(plain)(a), 1e-4)


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


def test_a_convolution_with_gradients(jax: Any, calls: Any) -> None:
    import torch

    x, w, bias = normal(4, 8, 12, 12), normal(16, 8, 3, 3), normal(16)
    exact = {"tf32": False}

    def loss(x: Any, w: Any, bias: Any) -> Any:
        y = calls.convolution(x, w, bias, padding=1, activation="relu", choose=exact)
        return (y**2).sum() / 2, y

    (_, y), got = jax.jit(jax.value_and_grad(loss, (0, 1, 2), has_aux=True))(x, w, bias)
    leaves = [torch.from_numpy(wide(each)).requires_grad_() for each in (x, w, bias)]
    wanted = torch.relu(torch.nn.functional.conv2d(*leaves, padding=1))
    (wanted**2).sum().div(2).backward()
    close(y, wanted.detach().numpy())
    for one, leaf in zip(got, leaves, strict=True):
        assert leaf.grad is not None
        close(one, leaf.grad.numpy(), 1e-4)


def test_second_derivatives(jax: Any, calls: Any) -> None:
    x, w = normal(2, 4, 8, 8), normal(4, 4, 3, 3)
    exact = {"tf32": False}

    def second(f: Any) -> Any:
        first = jax.grad(lambda x, w: (f(x, w) ** 3).sum(), (0, 1))
        return jax.jit(jax.grad(lambda x, w: sum((g**2).sum() for g in first(x, w)), (0, 1)))(x, w)

    def plain(x: Any, w: Any) -> Any:
        highest = jax.lax.Precision.HIGHEST
        return jax.lax.conv_general_dilated(x, w, (1, 1), "SAME", precision=highest)

    got = second(lambda x, w: calls.convolution(x, w, padding=1, choose=exact))
    for one, other in zip(got, second(plain), strict=True):
        close(one, other, 1e-3)


def attend(jax: Any, q: Any, k: Any, v: Any, is_causal: bool) -> Any:
    scores = q @ k.swapaxes(-1, -2) / q.shape[-1] ** 0.5
    if is_causal:
        scores = jax.numpy.where(np.tri(q.shape[-2], dtype=bool), scores, -np.inf)
    return jax.nn.softmax(scores, -1) @ v


@pytest.mark.parametrize("by_heads", [False, True])
@pytest.mark.parametrize("is_causal", [False, True])
def test_attention_with_gradients(
    jax: Any, calls: Any, cudnn: Any, monkeypatch: pytest.MonkeyPatch, is_causal: bool,
    by_heads: bool,
) -> None:  # fmt: skip
    from cudnn_cffi.ops.attn import same_bits

    if by_heads:  # which is done in two streams elsewhere
        monkeypatch.setattr(same_bits, "TOGETHER", 1)
        monkeypatch.setattr(same_bits, "FEW", 0)
    given = [normal(2, 4, 128, 64, dtype="float16") for _ in range(3)]

    def loss(f: Any) -> Any:
        return lambda *xs: (f(*xs).astype("float32") ** 2).sum() / 100

    def ours(*xs: Any) -> Any:
        return calls.attention(*xs, causal=is_causal).o

    def plain(*xs: Any) -> Any:
        with jax.default_matmul_precision("highest"):
            q, k, v = [x.astype("float32") for x in xs]
            return attend(jax, q, k, v, is_causal)

    close(jax.jit(ours)(*given), plain(*given), 3e-3)
    with cudnn.choice(deterministic=by_heads):
        got = jax.jit(jax.grad(loss(ours), (0, 1, 2)))(*given)
    for one, other in zip(got, jax.grad(loss(plain), (0, 1, 2))(*given), strict=True):
        close(one, other, 1e-2)


def test_softmax_pooling_activations_and_norms(jax: Any, calls: Any) -> None:
    def both(ours: Any, plain: Any, *given: Any, limit: float = 2e-5) -> None:
        close(jax.jit(ours)(*given), plain(*given), limit)
        every = tuple(range(len(given)))

        def loss(f: Any) -> Any:
            return jax.jit(jax.grad(lambda *xs: (f(*xs) ** 2).sum(), every))

        for one, other in zip(loss(ours)(*given), loss(plain)(*given), strict=True):
            close(one, other, 10 * limit)

    x = normal(4, 16, 8, 8)
    both(lambda x: calls.softmax(x, 1), lambda x: jax.nn.softmax(x, 1), x)
    both(lambda x: calls.log_softmax(x, -1), lambda x: jax.nn.log_softmax(x, -1), x)
    windows = (4, 16, 4, 2, 4, 2)
    both(lambda x: calls.max_pool(x, 2), lambda x: x.reshape(windows).max((3, 5)), x)
    both(lambda x: calls.average_pool(x, 2), lambda x: x.reshape(windows).mean((3, 5)), x)
    both(calls.relu, jax.nn.relu, x)
    both(calls.tanh, jax.numpy.tanh, x)

    def norm(x: Any, scale: Any, bias: Any, axes: Any, shape: Any) -> Any:
        mean, variance = x.mean(axes, keepdims=True), x.var(axes, keepdims=True)
        normal = (x - mean) * jax.lax.rsqrt(variance + 1e-5)
        return normal * scale.reshape(shape) + bias.reshape(shape)

    rows = normal(4, 32, 256), normal(256), normal(256)
    both(calls.layer_norm, lambda x, a, b: norm(x, a, b, -1, (256,)), *rows, limit=1e-4)
    both(
        lambda *xs: calls.batch_norm(*xs).y,
        lambda x, a, b: norm(x, a, b, (0, 2, 3), (1, 16, 1, 1)), x, normal(16), normal(16), limit=1e-4,
    )  # fmt: skip


def test_batches(jax: Any, calls: Any) -> None:
    x, w = normal(3, 2, 8, 10, 10), normal(4, 8, 3, 3)
    exact = {"tf32": False}

    def conv(x: Any, w: Any) -> Any:
        return calls.convolution(x, w, padding=1, choose=exact)

    in_one = jax.jit(jax.vmap(conv, (0, None)))(x, w)
    close(in_one, jax.numpy.stack([conv(each, w) for each in x]), 1e-4)
    several = jax.numpy.stack([w, w * 2, w - 1])
    close(
        jax.jit(jax.vmap(conv))(x, several),
        jax.numpy.stack([conv(*each) for each in zip(x, several, strict=True)]),
        1e-4,
    )
    loss = jax.grad(lambda w, x: (conv(x, w) ** 2).sum())
    close(
        jax.jit(jax.vmap(loss, (None, 0)))(w, x),
        jax.numpy.stack([loss(w, each) for each in x]),
        1e-4,
    )


def test_a_step_of_training_gets_better(jax: Any, calls: Any) -> None:
    x, wanted = normal(16, 3, 8, 8), normal(16, 4)

    def model(w: Any, x: Any) -> Any:
        y = calls.max_pool(calls.convolution(x, w[0], padding=1, activation="relu"), 2)
        return calls.convolution(y, w[1]).reshape(16, 4)

    def loss(w: Any) -> Any:
        return ((model(w, x) - wanted) ** 2).mean()

    step = jax.jit(jax.value_and_grad(loss))
    w = [normal(8, 3, 3, 3) / 5, normal(4, 8, 4, 4) / 10]
    values = []
    for _ in range(50):
        value, gradient = step(w)
        w = [a - 0.01 * b for a, b in zip(w, gradient, strict=True)]
        values.append(float(value))
    assert values[-1] < 0.7 * values[0]


@pytest.mark.parametrize("checks", [True, False])
def test_gradients_inside_shard_map(jax: Any, calls: Any, checks: bool) -> None:
    """Parameters are the same on each device: JAX sums their gradients where it checks that."""
    x, w = normal(4, 8, 10, 10), normal(4, 8, 3, 3)

    def loss(w: Any, x: Any) -> Any:
        return (calls.convolution(x, w, choose={"tf32": False}) ** 2).sum()

    def plain(w: Any, x: Any) -> Any:
        exact = jax.lax.Precision.HIGHEST
        return (jax.lax.conv_general_dilated(x, w, (1, 1), "VALID", precision=exact) ** 2).sum()

    def shared(w: Any, x: Any) -> Any:
        found = jax.grad(loss)(w, x)
        return found if checks else jax.lax.psum(found, "batch")

    gpus = [each for each in jax.devices() if each.platform == "gpu"][:2]
    spec, mesh = jax.sharding.PartitionSpec, jax.sharding.Mesh(np.array(gpus), ("batch",))
    places = spec(), spec("batch")
    mapped = jax.shard_map(shared, mesh=mesh, in_specs=places, out_specs=spec(), check_vma=checks)
    wanted = jax.grad(plain)(w, x)
    close(jax.jit(mapped)(w, x), wanted)
    close(jax.grad(jax.checkpoint(loss))(w, x), wanted)  # outside of `jit`


def test_captured_by_xla(jax: Any, calls: Any) -> None:
    """XLA launches what it has captured with other arrays."""
    options = {
        "xla_gpu_enable_command_buffer": "FUSION,CUSTOM_CALL",
        "xla_gpu_graph_min_graph_size": "1",
    }

    def f(x: Any) -> Any:
        for _ in range(3):
            x = calls.tanh(calls.softmax(x, -1)) * 2
        return x

    def plain(x: Any) -> Any:
        for _ in range(3):
            x = np.exp(x) / np.exp(x).sum(-1, keepdims=True)
            x = np.tanh(x) * 2
        return x

    x = normal(8, 64)
    try:
        compiled = jax.jit(f).lower(x).compile(compiler_options=options)
    except jax.errors.JaxRuntimeError as error:
        pytest.skip(f"this XLA has other options: {error}")
    for _ in range(5):
        x = normal(8, 64)
        close(compiled(x), plain(wide(x)))


def test_two_devices(jax: Any, calls: Any) -> None:
    gpus = [each for each in jax.devices() if each.platform == "gpu"]
    if len(gpus) < 2:
        pytest.skip("one GPU")
    x, w = normal(4, 8, 10, 10), normal(4, 8, 3, 3)
    f = jax.jit(lambda x, w: calls.convolution(x, w, choose={"tf32": False}))
    wanted = f(x, w)
    for gpu in gpus[:2]:
        y = f(jax.device_put(x, gpu), jax.device_put(w, gpu))
        assert y.devices() == {gpu}
        close(y, wanted)
    mesh = jax.sharding.Mesh(np.array(gpus[:2]), ("batch",))
    spec = jax.sharding.PartitionSpec
    parts = jax.jit(
        jax.shard_map(
            f, mesh=mesh, in_specs=(spec("batch"), spec()), out_specs=spec("batch"), check_vma=False
        )
    )
    close(parts(x, w), wanted)
