"""Attention for models of transformers: what it computes, and how models find it.

Without the package, the function is called as models call it; models themselves need the package.
"""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

#: The arguments of a call that differ from a plain one: heads and length of keys, and a mask.
CASES: dict[str, dict[str, Any]] = {
    "causal": {},
    "grouped heads": {"heads": 2},
    "one head of keys": {"heads": 1, "causal": False},
    "an encoder": {"causal": False},
    "an encoder with a mask": {"causal": False, "mask": (2, 1, 1, 5), "truths": True},
    "padding": {"mask": (2, 1, 5, 5), "truths": True},
    "padding and grouped heads": {"heads": 2, "mask": (2, 1, 5, 5), "truths": True},
    "a bias": {"mask": (2, 4, 5, 5)},
    "one token after others": {"queries": 1, "heads": 2},
    "a cache with room": {"keys": 9},
    "positions": {"positions": (1, 4, 5, 5)},
    "positions and padding": {
        "positions": (1, 4, 5, 5), "mask": (2, 1, 5, 5), "truths": True,
    },
    "positions and a bias": {"positions": (1, 4, 5, 5), "mask": (2, 1, 5, 5), "causal": False},
    "positions of an encoder": {"positions": (1, 4, 5, 5), "causal": False},
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("says", ["module", "argument"])
def test_calls(torch: ModuleType, stand_in: list[str], name: str, says: str) -> None:
    """The result and all gradients, beside the formula."""
    from cudnn_cffi.torch import transformers_attention

    case = CASES[name]
    torch.manual_seed(0)
    kind, queries = {"dtype": torch.float64}, case.get("queries", 5)
    heads, keys = case.get("heads", 4), case.get("keys", 5)
    given = [torch.randn(2, 4, queries, 8, **kind)]
    given += [torch.randn(2, heads, keys, 8, **kind) for _ in range(2)]
    mask = torch.randn(case["mask"], **kind) if "mask" in case else None
    if case.get("truths"):
        assert mask is not None
        mask = (mask > -1).index_fill(3, torch.tensor([0]), True)
    if "positions" in case:
        given.append(torch.randn(case["positions"], **kind))
    for each in given:
        each.requires_grad_()
    wants_causal = case.get("causal", True)

    def formula(q: Any, k: Any, v: Any, bias: Any = None) -> Any:
        k, v = (each.repeat_interleave(4 // heads, 1) for each in (k, v))
        scores = q @ k.transpose(2, 3) * 0.2
        if mask is not None:
            scores = scores.masked_fill(~mask, -torch.inf) if case.get("truths") else scores + mask
        elif wants_causal and queries > 1:
            seen = torch.ones(queries, keys, dtype=torch.bool).tril()
            scores = scores.masked_fill(~seen, -torch.inf)
        scores = scores if bias is None else scores + bias
        return (scores.softmax(3) @ v).transpose(1, 2)

    in_module = says == "module"
    module = SimpleNamespace(is_causal=wants_causal if in_module else not wants_causal)
    q, k, v = given[:3]
    found, weights = transformers_attention(
        module, q, k, v, mask, scaling=0.2, dropout=0.0,
        is_causal=None if in_module else wants_causal,
        position_bias=given[3] if "positions" in case else None,
        sliding_window=None, softcap=None, use_cache=True,
    )  # fmt: skip
    wanted = formula(*given)
    assert weights is None
    assert found.is_contiguous()
    torch.testing.assert_close(found, wanted)
    weights = torch.randn_like(wanted)
    torch.testing.assert_close(
        torch.autograd.grad(found, given, weights), torch.autograd.grad(wanted, given, weights)
    )
    assert stand_in == ["attention", "attention_backward"]


@pytest.mark.parametrize(
    ("word", "value"),
    [("softcap", 50.0), ("s_aux", [0.0]), ("head_mask", [1]), ("output_attentions", True)],
)
def test_models_that_ask_for_more(torch: ModuleType, word: str, value: Any) -> None:
    from cudnn_cffi import errors
    from cudnn_cffi.torch import transformers_attention

    q = torch.randn(1, 2, 3, 8)
    with pytest.raises(errors.NotSupportedError, match=f"expected no {word}"):
        transformers_attention(torch.nn.Identity(), q, q, q, None, **{word: value})
    off: Any = False if word == "output_attentions" else None
    transformers_attention(torch.nn.Identity(), q, q, q, None, **{word: off})


def test_compiled_calls(torch: ModuleType, operators: Any) -> None:
    """One graph without breaks, in which the operator is."""
    from cudnn_cffi.torch import transformers_attention

    module = torch.nn.Identity()
    q = torch.randn(1, 4, 5, 8, requires_grad=True)
    k = torch.randn(1, 2, 5, 8)
    graphs: list[Any] = []

    def backend(graph: Any, _: Any) -> Any:
        graphs.append(graph)
        return graph

    def function(q: Any) -> Any:
        return transformers_attention(module, q, k, k, None, scaling=0.5)[0]

    torch._dynamo.reset()
    found = torch.compile(function, backend=backend, fullgraph=True)(q)
    wanted = torch.nn.functional.scaled_dot_product_attention(
        q, k, k, is_causal=True, scale=0.5, enable_gqa=True
    )
    torch.testing.assert_close(found, wanted.transpose(1, 2))
    assert len(graphs) == 1


def test_how_models_find_it(torch: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """The function and the one for masks are registered, or neither."""
    from cudnn_cffi.torch import register_transformers, transformers_attention

    functions: dict[str, Any] = {}
    masks: dict[str, Any] = {}
    made: Any = ModuleType("transformers")
    made.__path__ = []
    monkeypatch.setitem(sys.modules, "transformers", made)
    monkeypatch.setitem(sys.modules, "transformers.masking_utils", None)
    with pytest.raises(ImportError, match=r"transformers 4\.53 or newer"):
        register_transformers()
    masking: Any = ModuleType("transformers.masking_utils")
    monkeypatch.setitem(sys.modules, "transformers.masking_utils", masking)
    made.AttentionInterface = SimpleNamespace(register=functions.__setitem__)
    made.AttentionMaskInterface = SimpleNamespace(register=masks.__setitem__)
    with pytest.raises(ImportError, match="sdpa_mask"):
        register_transformers()
    assert not functions
    masking.sdpa_mask = "the function"
    register_transformers()
    register_transformers("another")
    assert functions == dict.fromkeys(("cudnn_cffi", "another"), transformers_attention)
    assert masks == dict.fromkeys(("cudnn_cffi", "another"), "the function")


@pytest.mark.parametrize("kind", ["llama", "bert", "vit"])
def test_models(torch: ModuleType, kind: str) -> None:
    """Results and gradients are those of `sdpa`, with padding before and after the text."""
    transformers = pytest.importorskip("transformers")
    from cudnn_cffi.torch import register_transformers

    register_transformers()
    torch.manual_seed(0)
    size = {"hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 2}
    size["num_attention_heads"] = 4
    ids = torch.randint(0, 50, (2, 9))
    mask = torch.ones_like(ids)
    mask[0, :3] = mask[1, 7:] = 0
    call: dict[str, Any] = {"input_ids": ids, "attention_mask": mask}
    if kind == "llama":
        config = transformers.LlamaConfig(**size, num_key_value_heads=2, vocab_size=50)
        model = transformers.LlamaModel(config)
    elif kind == "bert":
        model = transformers.BertModel(transformers.BertConfig(**size, vocab_size=50))
    else:
        model = transformers.ViTModel(transformers.ViTConfig(**size, image_size=32, patch_size=8))
        call = {"pixel_values": torch.randn(2, 3, 32, 32)}
    model.eval()

    def compute(name: str) -> list[Any]:
        model.set_attn_implementation(name)
        y = model(**call).last_hidden_state
        y = y[mask.bool()] if "attention_mask" in call else y
        parameters = [each for each in model.parameters() if each.requires_grad]
        grads = torch.autograd.grad(y.square().sum(), parameters, allow_unused=True)
        return [y.detach(), *[each for each in grads if each is not None]]

    wanted = compute("sdpa")
    torch.testing.assert_close(compute("cudnn_cffi"), wanted, rtol=1e-4, atol=1e-5)
