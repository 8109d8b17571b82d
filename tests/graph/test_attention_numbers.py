"""The composites of attention, evaluated with NumPy, against the reference."""

from __future__ import annotations

from typing import Any

import pytest
from cudnn_cffi import errors
from cudnn_cffi.graph import alibi_slopes
from cudnn_cffi.graph.attn.checks import SCALES

np = pytest.importorskip("numpy")

from cudnn_cffi.diagnose.evaluate import evaluate  # noqa: E402

from tests.gpu import attention_reference as reference  # noqa: E402
from tests.graph import attention_cases as cases  # noqa: E402

B, H, SQ, SKV, D = 2, 4, 24, 64, 8
LENGTHS = {"seq_len_q": [SQ, 13], "seq_len_kv": [41, SKV]}
RELEASES = ["9.5.1", "9.19.0", "9.28.0"]


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"SQ": SQ, "SKV": SKV, "D": D}.items():
        monkeypatch.setattr(cases, name, value)


def _releases(case: str) -> list[str]:
    """Return the releases that have a composite of a case."""
    late = case in ("window", "dsink", "lengths, bottom right", "bottom right") or "sink" in case
    late |= case == "window behind"
    return RELEASES[late:]


def _arrays(case: str, seed: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return inputs by name, and the reference's options."""
    make = np.random.default_rng(seed)
    heads = 2 if case == "grouped heads" else H
    shapes = {"q": (H, SQ), "k": (heads, SKV), "v": (heads, SKV), "do": (H, SQ)}
    arrays: dict[str, Any] = {name: make.normal(size=(B, *s, D)) for name, s in shapes.items()}
    options: dict[str, Any] = {}
    if "bottom right" in case or case in ("causal", "alibi", "score", "pages, causal"):
        options["right"] = 0
    if "bottom right" in case:
        options["bottom_right"] = True
    if case.startswith("window"):
        options |= {"left": 32 if case == "window" else -3, "right": 16}
    if case in ("bias", "dbias"):
        arrays["bias"] = options["bias"] = make.normal(size=(1, H, SQ, SKV))
    if case == "alibi":
        arrays["slopes"] = np.reshape(alibi_slopes(H), (1, H, 1, 1))
        options["slopes"] = alibi_slopes(H)
    if "sink" in case:
        arrays["sink"] = options["sink"] = make.normal(size=(1, H, 1, 1))
    if "dropout" in case:
        mask = make.random((B, H, SQ, SKV)) < 0.9
        arrays["random"] = arrays["mask"] = mask
        options["kept"] = mask / 0.9
    if case.startswith(("lengths", "ragged", "pages")):
        for name, key in (("seq_len_q", "lengths_q"), ("seq_len_kv", "lengths_kv")):
            arrays[name] = np.reshape(LENGTHS[name], (B, 1, 1, 1))
            options[key] = LENGTHS[name]
    if case == "score":
        options["score"] = lambda x: 10 * np.tanh(x * 0.1)
    return arrays, options


def _valid(array: Any, case: str, port: str) -> Any:
    """Return an array with zeros where a batch entry has ended."""
    array = np.array(array)
    if case.startswith(("lengths", "ragged", "pages")):
        for entry, length in enumerate(LENGTHS["seq_len_kv" if port in "kv" else "seq_len_q"]):
            array[entry, :, length:] = 0
    return array


@pytest.mark.parametrize("case", [each for each in cases.FORWARD if each != "fp8"])
def test_forward(case: str) -> None:
    arrays, options = _arrays(case, 1)
    q, k, v = (arrays[name] for name in "qkv")
    if case.startswith("pages"):
        make = np.random.default_rng(2)
        order = make.permutation(B * SKV // 32)
        for name in "kv":
            arrays[name] = make.normal(size=(B * SKV // 32, H, 32, D))
            arrays[f"{name}_table"] = order.reshape(B, 1, -1, 1)
        k, v = (reference.gather_pages(arrays[name], order.reshape(B, -1), SKV) for name in "kv")
    expected = reference.forward(q, k, v, **options)
    for release in _releases(case):
        graph = cases.forward(case, form="composite")
        found = evaluate(graph.lowered(release), arrays)
        result, *more = found.values()
        np.testing.assert_allclose(
            _valid(result, case, "q"), _valid(expected.o, case, "q"), atol=1e-9
        )
        if case == "rows":
            scores = np.einsum("bhqd,bhkd->bhqk", q, k) / np.sqrt(D)
            most = scores.max(-1, keepdims=True)
            np.testing.assert_allclose(more[0], most)
            np.testing.assert_allclose(more[1], np.exp(scores - most).sum(-1, keepdims=True))
        if "statistics" in case or case == "float":
            np.testing.assert_allclose(more[0], expected.stats)
        if case == "dropout, mask":
            assert (more[0] == arrays["random"]).all()


@pytest.mark.parametrize("case", [each for each in cases.BACKWARD if each != "fp8"])
def test_backward(case: str) -> None:
    arrays, options = _arrays("sink" if case == "dsink" else case, 3)
    options.pop("right", None) if case == "score" else None
    q, k, v = (arrays[name] for name in "qkv")
    do = _valid(arrays["do"], case, "q")
    forward = reference.forward(q, k, v, **options)
    stats = np.where(np.isinf(forward.stats), 0, forward.stats)
    arrays |= {"o": forward.o, "stats": stats, "do": do}
    if case == "score":
        options["score_backward"] = lambda d, x: d * (1 - np.tanh(x * 0.1) ** 2)
    expected = reference.backward(q, k, v, do, **options)
    for release in _releases(case):
        padded = release == "9.5.1" and not case.startswith(("lengths", "ragged"))
        if padded:
            arrays |= {name: np.full((B, 1, 1, 1), n) for name, n in _FULL.items()}
        graph = cases.backward(case, form="composite", padded=padded)
        found = evaluate(graph.lowered(release), arrays)
        for (name, result), target in zip(found.items(), _wanted(expected, case), strict=True):
            port = name[-1] if name[-1] in "qkv" else "other"
            np.testing.assert_allclose(
                _valid(result, case, port) if port != "other" else result,
                _valid(target, case, port) if port != "other" else target,
                atol=1e-9,
                err_msg=f"{release} {name}",
            )


_FULL = {"seq_len_q": SQ, "seq_len_kv": SKV}


def _wanted(gradients: Any, case: str) -> list[Any]:
    # cuDNN's kernel for the sink's gradient has the sign in it that the pattern lacks.
    sink = None if gradients.sink is None else -gradients.sink
    more = {"dbias": [gradients.bias], "dsink": [sink]}
    return [gradients.q, gradients.k, gradients.v, *more.get(case, [])]


def test_fp8(monkeypatch: pytest.MonkeyPatch) -> None:
    """Descaled inputs and scaled results are those of the reference."""
    monkeypatch.setattr(cases, "SQ", 32)  # gradients take multiples of 16
    make = np.random.default_rng(5)
    names = [*SCALES["attention"], *SCALES["attention_backward"]]
    factors = {name: make.uniform(0.5, 2) for name in names}
    factors["descale_s"], factors["descale_dp"] = 1 / factors["scale_s"], 1 / factors["scale_dp"]
    numbers = {name: np.full((1, 1, 1, 1), value) for name, value in factors.items()}
    shapes = {"q": 32, "k": SKV, "v": SKV, "do": 32}
    true = {name: make.normal(size=(B, H, length, 128)) for name, length in shapes.items()}
    expected = reference.forward(*(true[name] for name in "qkv"), right=0)
    plain = reference.forward(*(true[name] for name in "qkv"))
    true["o"] = expected.o
    arrays = {name: each / factors[f"descale_{name}"] for name, each in true.items()}
    found = evaluate(cases.forward("fp8").lowered("9.19.0"), arrays | numbers)
    o, _, most = found.values()
    np.testing.assert_allclose(o, plain.o * factors["scale_o"])
    np.testing.assert_allclose(most, abs(plain.o).max())
    graph = cases.backward("fp8").lowered("9.19.0")
    found = evaluate(graph, arrays | numbers | {"stats": expected.stats})
    wanted = reference.backward(*(true[name] for name in ("q", "k", "v", "do")), right=0)
    results = list(found.values())
    for result, most, name in zip(results[:3], results[3:6], "qkv", strict=True):
        gradient = getattr(wanted, name)
        np.testing.assert_allclose(result, gradient * factors[f"scale_d{name}"], atol=1e-9)
        np.testing.assert_allclose(most, abs(gradient).max())


@pytest.mark.parametrize("heads", [0, -1, 65537, 2**31 - 1, 1.5, "8", None, [8]])
def test_slopes_of_no_number_of_heads_are_refused(heads: Any) -> None:
    with pytest.raises(errors.ArgumentError, match="heads"):
        alibi_slopes(heads)


def test_slopes_of_many_heads_are_positive_and_fall() -> None:
    slopes = alibi_slopes(65536)
    assert len(slopes) == 65536
    assert 0 < min(slopes) < max(slopes) < 1
    assert alibi_slopes(1) == [2**-8]
