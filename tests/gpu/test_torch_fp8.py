"""Attention of FP8 with scales that the module keeps, against float64 and beside bfloat16."""

from __future__ import annotations

from typing import Any

import pytest

np = pytest.importorskip("numpy")

from tests.gpu import attention_reference as reference  # noqa: E402

SHAPE = (2, 4, 256, 128)


def modules(cudnn: Any) -> Any:
    """Return the modules, after cuDNN was loaded."""
    del cudnn
    from cudnn_cffi.torch import modules

    return modules


def _inputs(torch: Any, size: float = 1.0, heads: int = 4) -> list[Any]:
    torch.manual_seed(5)
    shapes = SHAPE, (2, heads, 256, 128), (2, heads, 256, 128)
    made = [(torch.randn(shape, device="cuda") * size).bfloat16() for shape in shapes]
    return [each.requires_grad_() for each in made]


def _error(got: Any, wanted: Any) -> float:
    difference = got.detach().double().cpu().numpy() - wanted
    return float(np.linalg.norm(difference) / np.linalg.norm(wanted))


def _errors(
    run: Any, inputs: Any, do: Any, causal: bool, scale: float | None = None
) -> list[float]:
    """Return the errors of the result and of the gradients."""
    host = [each.detach().double().cpu().numpy() for each in (*inputs, do)]
    right = 0 if causal else None
    wanted = reference.forward(*host[:3], right=right, scale=scale)
    gradients = reference.backward(*host, right=right, scale=scale)
    for each in inputs:
        each.grad = None
    o = run(*inputs)
    o.backward(do)
    found = zip(inputs, gradients[:3], strict=True)
    return [_error(o, wanted.o), *[_error(each.grad, target) for each, target in found]]


@pytest.mark.parametrize("scaling", ["current", "delayed"])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("size", [1.0, 1e-3, 30.0])
def test_errors(torch: Any, cudnn: Any, causal: bool, scaling: str, size: float) -> None:
    # Scores stay near those of normal numbers, whatever the size of what is multiplied.
    module = modules(cudnn).ScaledDotProductAttentionFP8(causal, 128**-0.5 / size**2, scaling)
    inputs = _inputs(torch, size)
    do = torch.randn(SHAPE, device="cuda").bfloat16() * size
    for _ in range(3):  # the first call has no history
        found = _errors(module, inputs, do, causal, module.scale)
        assert found[0] < 0.08, f"result: {found[0]:.3f}"
        assert max(found[1:]) < 0.12, f"gradients: {found[1:]}"
    attend = torch.nn.functional.scaled_dot_product_attention
    other = _errors(
        lambda q, k, v: attend(q, k, v, is_causal=causal, scale=module.scale),
        inputs, do, causal, module.scale,
    )  # fmt: skip
    print(f"FP8 {found}, bfloat16 {other}")
    assert max(other) < max(found)


def test_scales_follow_the_values(torch: Any, cudnn: Any) -> None:
    module = modules(cudnn).ScaledDotProductAttentionFP8(scaling="delayed", history=4)
    inputs = _inputs(torch)
    do = torch.randn(SHAPE, device="cuda").bfloat16()
    module(*inputs).backward(do)
    for row, each in zip(module.amax, (*inputs, do), strict=False):
        assert float(row[0]) == float(each.detach().abs().max()), f"{row}"
    assert bool((module.amax[:, 0] > 0).all()), f"{module.amax}"
    # Gradients grow as the values do, within the headroom; they grow faster with q and k.
    larger = [*inputs[:2], (inputs[2].detach() * 1.5).requires_grad_()]
    assert max(_errors(module, larger, do, False)) < 0.12
    again = modules(cudnn).ScaledDotProductAttentionFP8(scaling="delayed", history=4)
    again.load_state_dict(module.state_dict())
    again.cuda().eval()
    before = again.amax.clone()
    again(*inputs).backward(do)
    assert torch.equal(again.amax, before), "evaluation changed the history"


def test_gradients_that_grow_at_once(torch: Any, cudnn: Any) -> None:
    """Gradients ten times as large as in earlier calls are not cut off."""
    module = modules(cudnn).ScaledDotProductAttentionFP8()
    inputs = _inputs(torch)
    do = torch.randn(SHAPE, device="cuda").bfloat16()
    assert max(_errors(module, inputs, do, False)) < 0.12
    larger = [*inputs[:2], (inputs[2].detach() * 10).requires_grad_()]
    assert max(_errors(module, larger, do, False)) < 0.12


@pytest.mark.parametrize(
    ("queries", "keys", "width"), [(16, 16, 128), (48, 272, 128), (2048, 64, 128)]
)
def test_sizes(torch: Any, cudnn: Any, queries: int, keys: int, width: int) -> None:
    torch.manual_seed(7)
    shapes = [(1, 2, each, width) for each in (queries, keys, keys, queries)]
    *inputs, do = [torch.randn(shape, device="cuda").bfloat16() for shape in shapes]
    inputs = [each.requires_grad_() for each in inputs]
    module = modules(cudnn).ScaledDotProductAttentionFP8()
    assert max(_errors(module, inputs, do, False)) < 0.12


@pytest.mark.parametrize("width", [16, 64, 96, 256])
def test_widths_without_gradients(torch: Any, cudnn: Any, width: int) -> None:
    torch.manual_seed(7)
    inputs = [torch.randn(2, 2, 96, width, device="cuda").bfloat16() for _ in range(3)]
    module = modules(cudnn).ScaledDotProductAttentionFP8(True)
    with torch.no_grad():
        o = module(*inputs)
    host = [each.double().cpu().numpy() for each in inputs]
    assert _error(o, reference.forward(*host, right=0).o) < 0.08
    o = module(*[each.requires_grad_() for each in inputs])
    with pytest.raises(cudnn.NotSupportedError):
        o.sum().backward()


@pytest.mark.parametrize("data", ["zeros", "one large", "constant"])
def test_data_that_breaks_scales(torch: Any, cudnn: Any, data: str) -> None:
    module = modules(cudnn).ScaledDotProductAttentionFP8()
    inputs = _inputs(torch)
    do = torch.randn(SHAPE, device="cuda").bfloat16()
    with torch.no_grad():
        if data == "zeros":
            do.zero_()
            inputs[2].zero_()
        elif data == "one large":
            inputs[2][0, 0, 0, 0] = 60000.0
        else:
            inputs[1].fill_(1.0)
    o = module(*inputs)
    o.backward(do)
    for each in (o, *[each.grad for each in inputs]):
        assert bool(each.isfinite().all()), f"{data}: not finite"
    if data == "zeros":
        assert not o.any()
        assert not any(each.grad.any() for each in inputs)
    elif data == "constant":  # no query prefers a key
        mean = inputs[2].detach().double().mean(2, keepdim=True)
        assert _error(o, mean.expand(SHAPE).cpu().numpy()) < 0.08


def test_grouped_heads(torch: Any, cudnn: Any) -> None:
    module = modules(cudnn).ScaledDotProductAttentionFP8(True)
    inputs = _inputs(torch, heads=2)
    do = torch.randn(SHAPE, device="cuda").bfloat16()
    assert max(_errors(module, inputs, do, True)) < 0.12
    with torch.no_grad():
        o = module(*inputs)
    host = [each.detach().double().cpu().numpy() for each in inputs]
    assert _error(o, reference.forward(*host, right=0).o) < 0.08


def test_wrong_arguments(torch: Any, cudnn: Any) -> None:
    from cudnn_cffi import ops

    kind = modules(cudnn).ScaledDotProductAttentionFP8
    with pytest.raises(cudnn.ArgumentError, match="scaling: expected"):
        kind(scaling="none")
    with pytest.raises(cudnn.ArgumentError, match="history: expected 1 or more, got 0"):
        kind(history=0)
    q = torch.zeros(2, 4, 16, 128, device="cuda", dtype=torch.int32)
    with pytest.raises(cudnn.ArgumentError, match="query: expected floating point"):
        kind()(q, q, q)
    q = torch.randn(1, 2, 24, 128, device="cuda").bfloat16().requires_grad_()
    o = kind()(q, q, q)
    with pytest.raises(cudnn.NotSupportedError, match="multiple of 16"):
        o.sum().backward()
    eight = torch.zeros(1, 2, 16, 128, device="cuda").to(torch.float8_e4m3fn)
    with pytest.raises(cudnn.ArgumentError, match="descale_q: expected an array of one float32"):
        ops.attention(eight, eight, eight)
