"""The reference of attention's tests on the GPU: its gradients against differences."""

from __future__ import annotations

from typing import Any

import pytest

np = pytest.importorskip("numpy")

from tests.gpu import attention_reference as reference  # noqa: E402

RNG = np.random.default_rng(7)
B, H, HK, SQ, SKV, D, DV = 2, 4, 2, 5, 6, 3, 2
MASK = RNG.random((B, H, SQ, SKV)) < 0.7

OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "scale": {"scale": 0.3},
    "causal": {"right": 0},
    "bottom right": {"right": 0, "bottom_right": True},
    "window": {"left": 2, "right": 1},
    "bias": {"bias": RNG.normal(size=(1, H, SQ, SKV))},
    "bias of a batch": {"bias": RNG.normal(size=(B, 1, 1, SKV))},
    "alibi": {"slopes": np.array([0.5, 0.25, 0.125, 0.0625]), "right": 0},
    "lengths": {"lengths_q": [3, 5], "lengths_kv": [6, 2]},
    "lengths, bottom right": {
        **{"lengths_q": [3, 2], "lengths_kv": [6, 4]},
        **{"right": 0, "bottom_right": True},
    },
    "dropout": {"kept": MASK / 0.7},
    "sink": {"sink": RNG.normal(size=(1, H, 1, 1))},
    "score": {
        "score": lambda x: 2 * np.tanh(x / 2),
        "score_backward": lambda d, x: d * (1 - np.tanh(x / 2) ** 2),
    },
}


def _inputs() -> list[Any]:
    shapes = [(B, H, SQ, D), (B, HK, SKV, D), (B, HK, SKV, DV), (B, H, SQ, DV)]
    return [np.random.default_rng(i).normal(size=shape) for i, shape in enumerate(shapes)]


def _difference(function: Any, array: Any, do: Any) -> Any:
    """Return the gradient of sum(do * function()) by central differences."""
    gradient, step = np.zeros_like(array), 1e-5
    for index in np.ndindex(array.shape):
        old = array[index]
        array[index] = old + step
        more = (function() * do).sum()
        array[index] = old - step
        gradient[index] = (more - (function() * do).sum()) / (2 * step)
        array[index] = old
    return gradient


@pytest.mark.parametrize("case", OPTIONS)
def test_gradients_are_those_of_the_result(case: str) -> None:
    q, k, v, do = _inputs()
    options = OPTIONS[case]
    plain = {key: value for key, value in options.items() if key != "score_backward"}
    found = reference.backward(q, k, v, do, **options)
    arrays = {"q": q, "k": k, "v": v}
    arrays |= {name: options[name] for name in ("bias", "sink") if name in options}
    for name, array in arrays.items():
        expected = _difference(lambda: reference.forward(q, k, v, **plain).o, array, do)
        np.testing.assert_allclose(getattr(found, name), expected, atol=1e-6, err_msg=name)


def test_statistics_are_the_logarithm_of_the_sum() -> None:
    q, k, v, _ = _inputs()
    scores = np.einsum("bhqd,bhkd->bhqk", q, np.repeat(k, 2, 1)) * D**-0.5
    expected = np.log(np.exp(scores).sum(-1, keepdims=True))
    np.testing.assert_allclose(reference.forward(q, k, v).stats, expected)


def test_a_query_that_sees_nothing_gives_zeros() -> None:
    q, k, v, do = _inputs()
    result = reference.forward(q, k, v, lengths_q=[5, 0], lengths_kv=[6, 6])
    assert not result.o[1].any()
    assert np.isneginf(result.stats[1]).all()
    gradients = reference.backward(q, k, v, do, lengths_q=[5, 0], lengths_kv=[6, 6])
    assert not gradients.k[1].any()
    assert np.isfinite(gradients.q).all()


def test_causal_is_a_triangle() -> None:
    mask = reference.seen((1, 1, 3, 5), None, 0, True, None, None)[0, 0]
    assert mask.tolist() == (np.tri(3, 5, 2) == 1).tolist()


def test_pages_are_put_in_order() -> None:
    blocks = np.arange(4 * 2 * 3 * 1).reshape(4, 2, 3, 1)
    found = reference.gather_pages(blocks, np.array([[2, 0], [1, 3]]).reshape(2, 1, 2, 1), 5)
    assert found.shape == (2, 2, 5, 1)
    assert found[0, 1, :, 0].tolist() == [15, 16, 17, 3, 4]
