"""Gradients and batches of operations: which operation computes what, with formulas for plans."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

jax = pytest.importorskip("jax")

from cudnn_cffi._operation.functions import FUNCTIONS  # noqa: E402

jnp = jax.numpy


@pytest.fixture
def module(calls: Any) -> Iterator[Any]:
    from tests.jax.emulated import emulation

    with emulation():
        yield calls


def normal(*shape: int) -> Any:
    return jnp.asarray(np.random.default_rng(sum(shape)).standard_normal(shape), "float32")


def close(got: Any, wanted: Any) -> None:
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=2e-4, atol=2e-4), got, wanted)


def same(ours: Callable[..., Any], plain: Callable[..., Any], *given: Any) -> None:
    """Compare results, gradients, and those of a batch, also inside `jit`."""
    close(ours(*given), plain(*given))
    every = tuple(range(len(given)))

    def loss(f: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *xs: (f(*xs) ** 2).sum()

    close(jax.jit(jax.grad(loss(ours), every))(*given), jax.grad(loss(plain), every)(*given))
    for place in every:
        axes = [None] * len(given)
        axes[place] = 1  # type: ignore[call-overload]
        many = [jnp.stack([x, x * 0.5, x - 1], 1) if i == place else x for i, x in enumerate(given)]
        close(jax.vmap(ours, axes)(*many), jax.vmap(plain, axes)(*many))
        if place == 0:
            close(
                jax.vmap(jax.grad(loss(ours), every), axes)(*many),
                jax.vmap(jax.grad(loss(plain), every), axes)(*many),
            )


def test_convolution(module: Any) -> None:
    from tests.jax import emulated

    x, w, bias, residual = normal(2, 3, 6, 6), normal(4, 3, 3, 3), normal(4), normal(2, 4, 6, 6)
    o = {"padding": 1, "stride": 1, "activation": None}
    same(
        lambda *xs: module.convolution(*xs, padding=1),
        lambda *xs: emulated.convolution(o, *xs), x, w, bias,
    )  # fmt: skip
    same(
        lambda *xs: module.convolution(*xs, padding=1, activation="relu"),
        lambda *xs: emulated.convolution(o | {"activation": "relu"}, *xs), x, w, bias, residual,
    )  # fmt: skip


def test_second_derivatives_of_a_convolution(module: Any) -> None:
    from tests.jax import emulated

    x, w = normal(2, 3, 6, 6), normal(4, 3, 3, 3)
    o = {"padding": 1, "stride": 1, "activation": None}

    def second(f: Callable[..., Any]) -> Any:
        first = jax.grad(lambda x, w: (f(x, w) ** 3).sum(), (0, 1))
        return jax.grad(lambda x, w: sum((g**2).sum() for g in first(x, w)), (0, 1))(x, w)

    got = second(lambda x, w: module.convolution(x, w, padding=1))
    wanted = second(lambda x, w: emulated.convolution(o, x, w))
    for one, other in zip(got, wanted, strict=True):
        assert np.linalg.norm(one - other) < 1e-4 * np.linalg.norm(other)


def test_transposed_convolution(module: Any) -> None:
    from tests.jax import emulated

    x, w, bias = normal(2, 4, 5, 5), normal(4, 3, 3, 3), normal(3)
    o = {"padding": 1, "stride": 2}

    def plain(x: Any, w: Any, bias: Any) -> Any:
        return emulated.convolution_transpose(o | {"shape": (x.shape[0], 3, 9, 9)}, x, w, bias)

    same(lambda *xs: module.convolution_transpose(*xs, padding=1, stride=2), plain, x, w, bias)


@pytest.mark.parametrize("name", ["relu", "gelu"])
def test_activations(module: Any, name: str) -> None:
    from tests.jax.emulated import ACTIVATIONS

    same(getattr(module, name), ACTIVATIONS[name], normal(3, 4, 5))


def test_softmax_norm_and_pooling(module: Any) -> None:
    from tests.jax import emulated

    same(module.softmax, lambda x: jax.nn.softmax(x, 1), normal(3, 4, 5))
    same(lambda x: module.softmax(x, 0), lambda x: jax.nn.softmax(x, 0), normal(3, 4, 5))
    same(lambda x: module.log_softmax(x, -1), jax.nn.log_softmax, normal(3, 4))
    same(
        module.layer_norm, lambda *xs: emulated.layer_norm({"epsilon": 1e-5}, *xs)[0],
        normal(3, 4, 16), normal(16), normal(16),
    )  # fmt: skip
    o = {"kind": "average", "window": 2}
    same(lambda x: module.average_pool(x, 2), lambda x: emulated.pooling(o, x), normal(2, 3, 4, 4))


def test_attention(module: Any) -> None:
    from tests.jax import emulated

    q, k, v, bias = (
        normal(2, 2, 8, 16),
        normal(2, 2, 8, 16),
        normal(2, 2, 8, 16),
        normal(1, 2, 8, 8),
    )

    def plain(*xs: Any) -> Any:
        return emulated.attention({}, *xs)[0]

    same(lambda *xs: module.attention(*xs).o, plain, q, k, v)
    same(lambda q, k, v, bias: module.attention(q, k, v, bias=bias).o, plain, q, k, v, bias)


def test_examples_of_a_batch_are_one_call(module: Any) -> None:
    x, w = normal(5, 2, 3, 6, 6), normal(4, 3, 3, 3)

    def text(f: Callable[..., Any], *given: Any) -> str:
        return str(jax.make_jaxpr(f)(*given))

    in_one = text(jax.vmap(lambda x: module.convolution(x, w)), x)
    assert "scan" not in in_one
    assert "f32[10,4,4,4]" in in_one
    each = text(jax.vmap(lambda w: module.convolution(x[0], w)), jnp.stack([w, w]))
    assert "scan" in each
    rows = text(jax.vmap(lambda x: module.softmax(x, 0)), x)
    assert "scan" in rows


def test_batches_without_elements(module: Any) -> None:
    x = jnp.zeros((5, 2, 0, 6), "float32")
    assert jax.vmap(module.relu)(x).shape == x.shape
    assert jax.vmap(module.relu, 1, 1)(x).shape == x.shape


@pytest.mark.skipif(not hasattr(jax, "shard_map"), reason="this JAX has no shard_map of its own")
@pytest.mark.parametrize("checks", [True, False])
def test_examples_on_several_devices(module: Any, checks: bool) -> None:
    """Parameters are the same everywhere, and examples are not: their gradients are sums."""
    spec = jax.sharding.PartitionSpec
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:2]), ("device",))
    x, scale, bias = normal(4, 6, 8), normal(8) + 2, normal(8)
    everywhere, shares = spec(), spec("device")

    def loss(x: Any, scale: Any, bias: Any) -> Any:
        return (module.layer_norm(x, scale, bias) ** 3).sum()

    def step(x: Any, *own: Any) -> Any:
        total, (dx, *found) = jax.value_and_grad(loss, (0, 1, 2))(x, *own)
        if not checks:
            found = [jax.lax.psum(each, "device") for each in found]
        return jax.lax.psum(total, "device"), dx, found

    def on_devices(function: Any, results: Any) -> Any:
        given = (shares, everywhere, everywhere)
        return jax.jit(
            jax.shard_map(function, mesh=mesh, in_specs=given, out_specs=results, check_vma=checks)
        )

    total, dx, found = on_devices(step, (everywhere, shares, everywhere))(x, scale, bias)
    wanted, gradients = jax.value_and_grad(loss, (0, 1, 2))(x, scale, bias)
    close((total, dx, *found), (wanted, *gradients))
    if checks:
        with pytest.raises(ValueError, match="out_specs"):
            on_devices(module.layer_norm, everywhere)(x, scale, bias)


def test_without_jit(module: Any) -> None:
    """`jax.checkpoint` computes what it keeps no results of once more, call by call."""
    x = normal(3, 5)

    def loss(x: Any) -> Any:
        return (module.tanh(x) ** 2).sum()

    wanted = jax.grad(loss)(x)
    close(jax.grad(jax.checkpoint(loss))(x), wanted)
    with jax.disable_jit():
        close(jax.grad(loss)(x), wanted)


def test_gradients_are_chosen_as_the_call(module: Any) -> None:
    x, w = normal(2, 3, 6, 6), normal(4, 3, 3, 3)

    def loss(x: Any, w: Any) -> Any:
        return (module.convolution(x, w, choose={"tf32": False, "via": "classic"}) ** 2).sum()

    from tests.jax.emulated import computed

    jax.grad(loss, (0, 1))(x, w)
    found = {each.operation.word: (each.rule.tf32, each.rule.via) for each in computed}
    words = ("convolution", "convolution_backward_data", "convolution_backward_filter")
    assert found == dict.fromkeys(words, (False, "classic"))


def test_what_has_no_gradient_is_refused(module: Any, cudnn: Any) -> None:
    x = normal(4, 8, 6, 6)
    with pytest.raises(cudnn.NotSupportedError, match="no gradient for a"):
        jax.grad(lambda x: module.add(x, x).sum())(x)
    q = normal(2, 2, 8, 16)

    def with_statistics(q: Any) -> Any:
        found = module.attention(q, q, q, stats=True)
        return found.o.sum() + found.stats.sum()

    with pytest.raises(cudnn.NotSupportedError, match="no gradient of stats"):
        jax.grad(with_statistics)(q)
    with pytest.raises(cudnn.NotSupportedError, match="no gradient for alibi"):
        jax.grad(
            lambda a: module.attention(q, q, q, alibi=a, causal=True).o.sum()
        )(normal(2))  # fmt: skip
    with pytest.raises(cudnn.NotSupportedError, match="with alpha or alpha2 has no"):
        jax.grad(lambda x: module.relu(x, alpha=2.0).sum())(x)


def test_arguments_of_calls_in_place_are_refused(module: Any, cudnn: Any) -> None:
    x, c = normal(4, 8, 6, 6), normal(8)
    with pytest.raises(cudnn.ArgumentError, match="out: XLA decides this"):
        module.relu(x, out=x)
    with pytest.raises(cudnn.ArgumentError, match="running_mean: the operation changes it"):
        module.batch_norm(x, c, c, c, c)
    with pytest.raises(cudnn.ArgumentError, match=r"window"):
        module.max_pool(x, windw=2)
    with pytest.raises(cudnn.ShapeMismatchError):
        module.convolution(x, normal(4, 3, 3, 3))


def test_each_function_of_ops_is_here_or_has_a_reason(module: Any) -> None:
    from cudnn_cffi.jax.operations import ABSENT

    assert {*module.__all__} - {"call"} == {*FUNCTIONS} - {*ABSENT}
    assert {*ABSENT} <= {*FUNCTIONS}
    for name in {*FUNCTIONS} - {*ABSENT}:
        assert getattr(module, name).__module__.startswith("cudnn_cffi.jax")
