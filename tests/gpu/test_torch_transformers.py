"""Fused transformers compute what the models compute, and see every change."""

from __future__ import annotations

import copy
from typing import Any

import pytest

SIZES = {
    "hidden_size": 256, "intermediate_size": 512, "num_hidden_layers": 8, "num_attention_heads": 4,
}  # fmt: skip
MORE: dict[str, dict[str, Any]] = {
    "Bert": {"vocab_size": 90}, "ViT": {"image_size": 64, "patch_size": 8},
    "Llama": {"vocab_size": 90, "num_key_value_heads": 2, "use_cache": False},
}  # fmt: skip


def made(torch: Any, name: str) -> Any:
    torch.manual_seed(0)
    if name in MORE:
        theirs = pytest.importorskip("transformers")
        config = getattr(theirs, f"{name}Config")(**SIZES, **MORE[name], return_dict=False)
        model = getattr(theirs, f"{name}Model")(config)
    else:
        models = pytest.importorskip("torchvision.models")
        if name == "vit":
            model = models.VisionTransformer(64, 8, 8, 4, 256, 512, num_classes=500)
        else:
            model = models.SwinTransformer([4, 4], 32, [2, 8], [2, 4], [3, 3], num_classes=500)
    for each in model.parameters():
        if not each.any():
            torch.nn.init.normal_(each, 0.0, 0.1)
    return model.eval().cuda()


def given(torch: Any, name: str, batch: int, dtype: Any) -> tuple[Any, dict[str, Any]]:
    if name in ("Bert", "Llama"):
        ids = torch.randint(0, 90, (batch, 40), device="cuda")
        mask = torch.ones(batch, 40, dtype=torch.long, device="cuda")
        mask[-1, 25:] = 0
        return ids, {"attention_mask": mask} if batch == 3 else {}
    x = torch.randn(batch, 3, 64, 64, device="cuda", dtype=dtype)
    return x.transpose(2, 3) if batch == 3 else x, {}


def first(y: Any) -> Any:
    return y[0] if isinstance(y, tuple) else y


def error(y: Any, reference: Any) -> float:
    return float((first(y).double() - reference).norm() / reference.norm())


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
@pytest.mark.parametrize("name", ["vit", "swin", "Bert", "ViT", "Llama"])
def test_transformers(torch: Any, name: str, dtype: str) -> None:
    from cudnn_cffi.torch import fuse

    model = made(torch, name).to(getattr(torch, dtype))
    wide = copy.deepcopy(model).double()
    capture = dtype != "bfloat16"
    fused = fuse(model, capture=capture, compile=dtype == "bfloat16" and name == "vit")
    for batch in (1, 3, 2, 1):
        x, more = given(torch, name, batch, getattr(torch, dtype))
        with torch.no_grad():
            reference = first(wide(x.double() if x.is_floating_point() else x, **more))
            own = error(model(x, **more), reference)
        results = [fused(x, **more) for _ in range(3)]
        for y in results:
            assert error(y, reference) <= 1.5 * own + 1e-6, (batch, own)
        first(results[0]).zero_()
        assert error(results[1], reference) <= 1.5 * own + 1e-6
    rows: list[Any] = fused.report.to_dicts()
    engines = [each for each in rows if each["by"].startswith(("engine", "kernel"))]
    if dtype != "float32":
        assert len(engines) >= 16, fused.report
        assert any("residual" in each["what"] for each in engines)
    assert not any(each["why"].startswith("not captured") for each in rows), fused.report


@pytest.mark.parametrize("capture", [False, True])
def test_changes_are_seen_by_the_next_call(torch: Any, capture: bool) -> None:
    from cudnn_cffi.torch import fuse

    from tests.torch.blocks import CHANGES, block

    for place, (name, change) in enumerate(CHANGES.items()):
        dtype = torch.bfloat16 if place % 2 else torch.float16
        model = block().cuda().to(dtype)
        x = torch.randn(2, 5, 16, device="cuda", dtype=dtype)
        fused = fuse(model, capture=capture)
        fused(x)
        before = fused(x)
        change(model)
        with torch.no_grad():
            reference = copy.deepcopy(model).double()(x.double())
            own = error(model(x), reference)
        assert error(fused(x), reference) <= 1.5 * own + 1e-6, name
        assert error(before, reference) > 4 * own, name


def test_a_call_by_autocast_and_one_in_a_capture(torch: Any) -> None:
    from cudnn_cffi.torch import fuse

    from tests.torch.blocks import block

    model = block().cuda().float()
    x = torch.randn(2, 5, 16, device="cuda")
    with torch.no_grad():
        reference = copy.deepcopy(model).double()(x.double())
        with torch.autocast("cuda", torch.bfloat16):
            own = error(model(x), reference)
    fused = fuse(model)
    for _ in range(2):
        with torch.autocast("cuda", torch.bfloat16):
            assert error(fused(x), reference) <= 1.5 * own
    fused(x)
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        fused(x)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=side):
        y = fused(x)
    model.query.weight.data.mul_(2)
    x.neg_()
    graph.replay()
    with torch.no_grad():
        reference = copy.deepcopy(model).double()(x.double())
        own = error(model(x), reference)
    assert error(y, reference) <= 1.5 * own + 1e-6


@pytest.mark.parametrize("name", ["vit", "swin"])
def test_layouts_and_extremes(torch: Any, name: str) -> None:
    """Images in memory of several orders, with gaps, shared; and images of extreme numbers."""
    from cudnn_cffi.torch import fuse

    model = made(torch, name).half()
    wide = copy.deepcopy(model).double()
    fused = fuse(model, capture=True)
    x = torch.randn(4, 3, 64, 64, device="cuda").half()
    large = torch.randn(2, 3, 70, 81, device="cuda").half()
    extreme = torch.randn(4, 3, 64, 64, device="cuda").half()
    extreme[0], extreme[1], extreme[2, :, 10] = 0, -1000, 30000
    images = [
        x, x.to(memory_format=torch.channels_last), x[::2], x[:1].expand(3, -1, -1, -1),
        large[..., 3:67, 5:69], extreme, x.neg(),
    ]  # fmt: skip
    for place, each in enumerate(images):
        with torch.no_grad():
            reference, own = wide(each.double()), model(each)
        found = fused(each)
        assert found.isfinite().all()
        assert error(found, reference) <= 1.5 * error(own, reference) + 1e-6, place


@pytest.mark.parametrize("name", ["Bert", "Llama"])
def test_masks(torch: Any, name: str) -> None:
    """Masks of one shape, one after the other: keys at the end, at the beginning, and between."""
    from cudnn_cffi.torch import fuse

    model = made(torch, name).half()
    wide = copy.deepcopy(model).double()
    fused = fuse(model, capture=True)
    ids = torch.randint(0, 90, (3, 40), device="cuda")
    lengths = torch.tensor([[40], [25], [1]], device="cuda")
    places = torch.arange(40, device="cuda")
    masks = [places < lengths, places >= 40 - lengths, (places < lengths) & (places % 7 != 3)]
    for mask in [*masks, masks[0].flip(0), torch.ones_like(masks[0])]:
        seen = mask.long()
        with torch.no_grad():
            reference = first(wide(ids, attention_mask=seen))[mask]
            own = error(first(model(ids, attention_mask=seen))[mask], reference)
        found = first(fused(ids, attention_mask=seen))[mask]
        assert error(found, reference) <= 1.5 * own + 1e-6
