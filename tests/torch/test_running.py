"""Transformers, traced by running them: which parts are found, and that they compute the same."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
from cudnn_cffi import errors

torch = pytest.importorskip("torch", exc_type=ImportError)
nn = torch.nn
functional = nn.functional

from cudnn_cffi.torch import fuse  # noqa: E402
from cudnn_cffi.torch.fusion.trace.lock import Untraceable  # noqa: E402
from cudnn_cffi.torch.fusion.trace.running import _known_of, run_trace  # noqa: E402
from cudnn_cffi.torch.fusion.trace.shadow import to_shadow  # noqa: E402
from cudnn_cffi.torch.fusion.trace.tracing import to_form  # noqa: E402

from . import emulated  # noqa: E402
from .blocks import CHANGES, block  # noqa: E402

ATTENTION = functional.scaled_dot_product_attention

Model = Any


def some(*shape: int) -> Any:
    return torch.randn(shape, dtype=torch.float64)


def check(model: Model, *inputs: Any, **named: Any) -> Any:
    """The model, fused, and prepared with emulated plans, computes the same, each time."""
    with torch.no_grad():
        wanted = copy.deepcopy(model)(*inputs, **named)
    assert emulated.difference(fuse(model)(*inputs, **named), wanted) < 1e-12
    program = emulated.prepared(model, *inputs, compile=True, **named)
    given = [each for each in (*inputs, *named.values()) if isinstance(each, torch.Tensor)]
    with torch.no_grad():
        for _ in range(2):
            result = program.run([each.clone() for each in given])
            assert emulated.difference(result, wanted) < 1e-12
            result.zero_()  # it is the caller's memory
    return program


def what(program: Any) -> list[str]:
    return [each.what for each in program.ran]


def test_a_block() -> None:
    program = check(block(), some(2, 5, 16))
    assert what(program) == [
        "LayerNorm", "Linear", "scaled_dot_product_attention",
        "Linear + residual", "3 x Linear", "scaled_dot_product_attention",
        "add", "LayerNorm", "Linear + gelu", "Linear + residual",
    ]  # fmt: skip
    names = [each.name for each in program.ran]
    assert names[1] == "attention"
    assert names[3:5] == ["attention.out_proj", "query"]
    assert [each.by for each in program.ran].count("emulated") == 7


@pytest.mark.parametrize("masked", [False, True])
def test_shapes_layouts_and_data_types(masked: bool) -> None:
    model = block(masked=masked)
    fused = fuse(model)
    for x in (some(3, 5, 16), some(1, 5, 16), some(5, 2, 16).transpose(0, 1), some(2, 5, 32)[..., ::2],
              some(16, 2, 5).permute(1, 2, 0), some(4, 5, 16)[::2], some(5, 16), some(0, 5, 16)):  # fmt: skip
        with torch.no_grad():
            wanted = model(x)
        found = fused(x)
        assert found.shape == wanted.shape
        assert torch.allclose(found, wanted, atol=1e-12)
        if x.numel():
            check(model, x)
    for dtype in (torch.bfloat16, torch.float32):
        model.to(dtype)
        x = some(2, 5, 16).to(dtype)
        with torch.no_grad():
            assert torch.allclose(fused(x), model(x), atol=0.3)


def test_attention_of_other_kinds_is_that_of_pytorch() -> None:
    class Cross(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self, **more: Any) -> None:
            super().__init__()
            self.own = nn.MultiheadAttention(8, 2, batch_first=True, **more)

        def forward(self, x: Any, y: Any, mask: Any = None, causal: bool = False) -> Any:
            square = (
                torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(1) if causal else None
            )
            found, weights = self.own(
                x, y, y, key_padding_mask=mask, attn_mask=square, is_causal=causal
            )
            return torch.cat([found.flatten(), weights.flatten()])

    x, y = some(2, 4, 8), some(2, 6, 8)
    mask = torch.zeros(2, 6).bool()
    mask[1, 3:] = True
    for more in (
        {},
        {"add_bias_kv": True},
        {"add_zero_attn": True},
        {"kdim": 8, "vdim": 8},
        {"bias": False},
    ):
        model = Cross(**more).double().eval()
        check(model, x, y)
        check(model, x, x)
        check(model, x, x, causal=True)
        check(model, x, y, mask)


def module(function: Callable[..., Any], *layers: Any) -> Model:
    class Made(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.layers = nn.ModuleList(layers)
            self.register_buffer("buffer", some(3))

        def forward(self, x: Any) -> Any:
            return function(self, x)

    return Made().double().eval()


def _traced(model: Model, *inputs: Any) -> Any:
    form, tensors = to_form(inputs, {})
    return run_trace(to_shadow(model), form, tensors)


def _filled(own: Any, x: Any) -> Any:
    mask = x.new_zeros(3)
    mask[1:] = 4
    return x + mask.unsqueeze(0)


def _read_then_filled(own: Any, x: Any) -> Any:
    mask = torch.zeros(3, dtype=torch.float64)
    y = x + mask
    mask[1] = 2
    return y * mask


def _filled_by_the_input(own: Any, x: Any) -> Any:
    mask = torch.zeros(3, dtype=torch.float64)
    mask += x[0]
    return mask.clone()


def _a_constant_is_returned(own: Any, x: Any) -> Any:
    return torch.arange(3.0, dtype=torch.float64)[1:]


def _of_a_buffer(own: Any, x: Any) -> Any:
    return x * (own.buffer + 1).sin()


CONSTANTS: dict[Callable[..., Any], bool] = {
    _filled: True, _read_then_filled: False, _filled_by_the_input: False,
    _a_constant_is_returned: False, _of_a_buffer: False,
}  # fmt: skip


@pytest.mark.parametrize("function", CONSTANTS, ids=lambda each: each.__name__.strip("_"))
def test_values_that_are_the_same_in_each_call(function: Callable[..., Any]) -> None:
    """They are computed once, unless a call changes them or returns them."""
    model = module(function)
    x = some(2, 3)
    assert bool(_traced(model, x).constants) == CONSTANTS[function]
    with torch.no_grad():
        wanted = model(x)
    fused, program = fuse(model), emulated.prepared(model, x)
    for _ in range(3):
        for found in (fused(x), program.run([x])):
            assert torch.equal(found, wanted)
            found.zero_()


def test_random_numbers_are_new_in_each_call() -> None:
    model = module(lambda own, x: x + torch.rand(3, dtype=x.dtype) if x.shape[0] else x)
    fused = fuse(model)
    x = some(2, 3)
    assert not torch.equal(fused(x), fused(x))


def test_additions_to_linear_layers() -> None:
    """Additions of other shapes and data types, in place, and with a factor, are computed."""
    wide, narrow = some(3, 4, 5), some(5)

    def add(own: Any, x: Any) -> Any:
        a, b, c, d, e = own.layers[:5]
        y = a(x[:1]) + x  # the sum is larger than the product
        y = b(y) + own.narrow
        z = c(y)
        z += x
        z = torch.add(d(z), x, alpha=2) + e(z).float()
        return torch.add(z, own.wide)

    model = module(add, *[nn.Linear(5, 5) for _ in range(5)])
    model.register_buffer("wide", wide)
    model.register_buffer("narrow", narrow)
    program = check(Both(model).eval(), wide)
    assert sum("residual" in each for each in what(program)) >= 4


class Both(nn.Module):  # type: ignore[misc, name-defined]
    """Computes a module, then a block."""

    def __init__(self, model: Model) -> None:
        super().__init__()
        self.model, self.block = model, block(size=10).eval()

    def forward(self, x: Any) -> Any:
        return self.block(torch.cat([self.model(x)] * 2, -1))


def _by_numbers(own: Any, x: Any) -> Any:
    return x + 1 if x.sum() > 0 else x - 1


def _item(own: Any, x: Any) -> Any:
    return x * float(x.max())


def _closure(own: Any, x: Any, kept: Any = torch.ones(3, dtype=torch.float64)) -> Any:  # noqa: B008
    return x * kept if x.shape[0] else x


def _attribute(own: Any, x: Any) -> Any:
    own.calls = getattr(own, "calls", 0) + 1
    return x * own.calls


def _writes(own: Any, x: Any) -> Any:
    own.buffer.add_(1.0)
    return x * own.buffer


def _writes_to_a_view(own: Any, x: Any) -> Any:
    own.buffer[:2].mul_(2.0)
    return x * own.buffer


def _autocast(own: Any, x: Any) -> Any:
    with torch.autocast("cpu", torch.bfloat16):
        return own.layers[0](x) if x.shape[0] else x


@pytest.mark.parametrize(
    "function", [_by_numbers, _item, _closure, _attribute, _writes, _autocast],
    ids=lambda each: each.__name__.strip("_"),
)  # fmt: skip
def test_models_that_no_trace_is_made_of(function: Callable[..., Any]) -> None:
    x = some(2, 3)
    model = module(function, nn.Linear(3, 3))
    with pytest.raises(Untraceable):
        _traced(model, x)
    own = copy.deepcopy(model)
    fused = fuse(model)
    for each in (x, -x, x + 3):
        with torch.no_grad():
            assert torch.equal(fused(each), own(each))


def test_autocast_remembers_no_weights_of_a_trace() -> None:
    model = nn.Sequential(nn.Linear(8, 8), nn.LayerNorm(8), nn.Linear(8, 8)).eval()
    fused, x = fuse(model), torch.randn(4, 8)
    with torch.autocast("cpu", torch.bfloat16):
        found = fused(x)  # which traces the model, on tensors without memory
        wanted = model(x)
        assert torch.is_autocast_cache_enabled()
    assert type(found) is type(wanted) is torch.Tensor
    assert torch.equal(found, wanted)


class _Island(nn.Module):  # type: ignore[misc, name-defined]
    """A layer in a block that switches autocast, on or off."""

    def __init__(self, *, enabled: bool) -> None:
        super().__init__()
        self.layer, self.enabled = nn.Sequential(nn.Linear(8, 8), nn.ReLU()), enabled

    def forward(self, x: Any) -> Any:
        with torch.autocast("cpu", torch.bfloat16, enabled=self.enabled):
            return self.layer(x if self.enabled else x.float())


class _Decorated(_Island):
    forward = torch.autocast("cpu", torch.bfloat16)(lambda self, x: self.layer(x))


@pytest.mark.parametrize(
    "island", [_Island(enabled=True), _Island(enabled=False), _Decorated(enabled=True)]
)
def test_blocks_of_autocast_are_kept(island: Any) -> None:
    """A graph has no blocks, so that PyTorch computes a module with one."""
    model = nn.Sequential(nn.Linear(8, 8), island).eval()
    for whole in (model, island.eval()):
        fused, x = fuse(whole), torch.randn(4, 8)
        for outside in (True, False, True):
            with torch.no_grad(), torch.autocast("cpu", torch.bfloat16, enabled=outside):
                found, wanted = fused(x), whole(x)
            assert found.dtype == wanted.dtype
            assert torch.equal(found, wanted)


def test_what_a_call_writes_to_the_model_stays_there() -> None:
    model = module(_writes_to_a_view, nn.MultiheadAttention(4, 2))
    own = copy.deepcopy(model)
    fused = fuse(model)
    for _ in range(3):
        x = some(2, 3)
        with torch.no_grad():
            assert torch.equal(fused(x), own(x))
    assert torch.equal(model.buffer, own.buffer)


def test_decisions_by_shapes() -> None:
    model = module(lambda own, x: own.layers[0](x) if x.shape[0] > 2 else x * 2, nn.Linear(3, 3))
    fused = fuse(model)
    for count in (1, 2, 3, 4, 2):
        x = some(count, 3)
        with torch.no_grad():
            assert torch.equal(fused(x), model(x))
    assert not any(each.why for each in fused.report)


def test_hooks_and_another_forward() -> None:
    model = nn.Sequential(block(), block())
    fused, x = fuse(model), some(2, 5, 16)
    first = fused(x)
    seen: list[Any] = []

    def hook(*call: Any) -> Any:
        seen.append(call)
        return call[-1] * 2

    handle = model[1].second.register_forward_hook(hook)
    with torch.no_grad():
        assert torch.allclose(fused(x), model(x), atol=1e-12)
    assert len(seen) == 2
    handle.remove()
    assert torch.allclose(fused(x), first, atol=1e-12)
    model[0].attention.forward = lambda q, *others, **more: (q * 3, None)
    with torch.no_grad():
        assert torch.allclose(fused(x), model(x), atol=1e-12)
    assert not torch.allclose(fused(x), first)
    del model[0].attention.forward
    assert torch.allclose(fused(x), first, atol=1e-12)


@pytest.mark.parametrize("name", CHANGES)
def test_changes_are_noticed(name: str) -> None:
    model = block()
    fused, x = fuse(model), some(2, 5, 16)
    before = fused(x)
    CHANGES[name](model)
    with torch.no_grad():
        wanted = model(x)
    assert torch.allclose(fused(x), wanted, atol=1e-12)
    assert not torch.allclose(before, wanted)
    if name not in ("hooked", "another_forward"):
        check(model, x)


def test_weights_at_odd_addresses() -> None:
    model, x = block(), some(2, 5, 16)
    for each in model.parameters():
        memory = each.new_empty(each.numel() + 1)[1:]
        each.data = memory.view(each.shape).copy_(each)
    check(model, x)


@pytest.mark.parametrize("turned", [False, True])
def test_a_program_reads_weights_anew(turned: bool) -> None:
    model = nn.Sequential(nn.Conv2d(3, 16, 4, 4), nn.Flatten(2), block()).double().eval()
    if turned:  # the memory of weights is in another order than products read them
        for each in (model[2].first, model[2].query, model[2].attention.out_proj):
            each.weight.data = each.weight.data.t().contiguous().t()
        model.to(memory_format=torch.channels_last)
    model.insert(2, nn.Sequential(nn.Unflatten(1, (16, 1)), nn.Flatten(1, 2)))
    x = some(2, 3, 16, 16)
    program = check(model, x)
    assert what(program)[:2] == ["moved", "Linear"]
    for _ in range(2):
        for each in model.parameters():
            each.data.mul_(-1.1)
        with torch.no_grad():
            wanted, found = copy.deepcopy(model)(x), program.run([x])
        assert emulated.difference(found, wanted) < 1e-12


@pytest.mark.parametrize("name", ["vit", "swin"])
def test_transformers_of_torchvision(name: str) -> None:
    models = pytest.importorskip("torchvision.models")
    torch.manual_seed(0)
    if name == "vit":
        model = models.VisionTransformer(32, 8, 2, 2, 64, 128, num_classes=10)
        shape = (2, 3, 32, 32)
    else:
        model = models.SwinTransformer([4, 4], 32, [2, 2], [2, 4], [3, 3], num_classes=10)
        shape = (2, 3, 40, 56)
    for each in model.parameters():
        if not each.any():
            nn.init.normal_(each, 0.0, 0.2)
    program = check(model.double().eval(), some(*shape))
    words = what(program)
    assert words.count("Linear + gelu") == (2 if name == "vit" else 4)
    assert not {"zeros", "setitem", "masked_fill"} & set(words)  # a mask is computed once
    assert sum("residual" in each for each in words) == 4


def _configured(name: str) -> Model:
    theirs = pytest.importorskip("transformers")
    sizes = {
        "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
    }  # fmt: skip
    more: dict[str, Any] = {"vocab_size": 50}
    if name == "ViT":
        more = {"image_size": 32, "patch_size": 8}
    if name == "Llama":
        more["num_key_value_heads"] = 2
    torch.manual_seed(0)
    config = getattr(theirs, f"{name}Config")(**sizes, **more)
    return getattr(theirs, f"{name}Model")(config).double().eval()


@pytest.mark.parametrize("name", ["Bert", "ViT", "Llama"])
def test_models_of_transformers(name: str) -> None:
    model = _configured(name)
    mask = torch.ones(2, 7, dtype=torch.long)
    mask[1, 4:] = 0
    ids = torch.randint(0, 50, (2, 7))
    cases: list[tuple[Any, dict[str, Any]]] = [(some(2, 3, 32, 32), {})]
    if name != "ViT":
        more = {"use_cache": False}
        cases = [(ids, more), (ids[:1], more), (ids, {**more, "attention_mask": mask})]
    for x, named in cases:
        with torch.no_grad():
            wanted = model(x, **named)
        fused = fuse(model)
        found = fused(x, **named)
        assert type(found) is type(wanted)
        assert found.keys() == wanted.keys()
        program = emulated.prepared(model, x, **named)
        given = [x, *[each for each in named.values() if isinstance(each, torch.Tensor)]]
        with torch.no_grad():
            last = program.run(given)
        for key in wanted:
            assert emulated.difference(found[key], wanted[key]) < 1e-12
            assert emulated.difference(last[key], wanted[key]) < 1e-12
        words = [each.what for each in fused.report]
        assert sum("residual" in each for each in words) == 4
        assert not any(each.why for each in fused.report)
    if name == "Llama":
        model.float()
        for x, named in cases:
            program = emulated.prepared(model, x, **named)
            nodes = list(program.parts.traced.graph.nodes)
            names = [getattr(each.target, "__name__", "") for each in nodes]
            assert names.count("rms_norm") == 5
            calls = [each.kwargs for each in nodes if each.target is ATTENTION]
            for each in calls:
                masked = "attention_mask" in named
                assert (each["attn_mask"] is not None) == masked
                assert each["is_causal"] == each.get("enable_gqa", False) == (not masked)
            given = [x, *[each for each in named.values() if isinstance(each, torch.Tensor)]]
            with torch.no_grad():
                found, wanted = program.run(given), model(x, **named)
            assert emulated.difference(found.last_hidden_state, wanted.last_hidden_state) < 1e-5
        model.double()
        # A cache is no plain value.
        found, wanted = fuse(model)(ids), model(ids)
        assert emulated.difference(found.last_hidden_state, wanted.last_hidden_state) < 1e-12


def test_a_residual_without_a_bias(monkeypatch: pytest.MonkeyPatch) -> None:
    """Engines add a residual where there is a bias, too: one of zeros is made on the device.

    It is kept for later calls, so not made by what a graph alone would run.
    """
    from cudnn_cffi.torch.fusion.building import Way
    from cudnn_cffi.torch.fusion.parts import Part
    from cudnn_cffi.torch.fusion.pipeline import _with_zeros as with_zeros
    from cudnn_cffi.torch.fusion.products import Matrix, specs_of

    layer = Matrix(nn.Linear(8, 16, bias=False), ("weight", None))
    part: Any = Part("product", None, (), None, layer, residual="x")  # type: ignore[arg-type]
    x, residual = torch.randn(5, 8), torch.randn(5, 16)
    specs = specs_of(x, layer.weight, None, residual)
    given: list[Any] = []

    def plan(found: Any) -> Way:
        given.append(found["bias"])
        return Way(lambda *arrays: arrays, "a plan", residual=True)

    assert with_zeros(part, specs, plan) is None  # it is on no device
    (bias,) = given
    assert bias == specs_of(x, layer.weight, torch.zeros(16), None)["bias"]
    assert with_zeros(part, specs | {"bias": bias}, plan) is None
    assert with_zeros(part, specs | {"residual": bias}, lambda _: Way(None, "")) is None
    there = specs | {"w": specs["w"]._replace(device=0)}
    made: list[int] = []
    monkeypatch.setattr(torch, "zeros", lambda *_, **__: made.append(1))
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "is_current_stream_capturing", lambda: True)
    with pytest.raises(errors.CudnnError, match="while the stream is captured"):
        with_zeros(part, there, plan)
    monkeypatch.setattr(torch.cuda, "is_current_stream_capturing", lambda: False)
    assert with_zeros(part, there, plan) is not None
    assert made == [1]


class Biased(nn.Module):  # type: ignore[misc, name-defined]
    """A norm, with a bias and a mask that depend on no input, added to what a layer makes of it."""

    def __init__(self, writes: bool) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.norm, self.layer = nn.LayerNorm(16), nn.Linear(16, 16)
        self.table = nn.Parameter(torch.randn(9, 16))
        self.register_buffer("index", torch.tensor([3, 1, 8, 8, 0]))
        self.writes = writes

    def forward(self, x: Any) -> Any:
        if x.shape[-1] != 16:  # decides by shapes
            return x
        mask = x.new_zeros((5, 1))
        mask[1:3] = -2
        bias = torch.tanh(self.table[self.index] * 2)
        y = self.layer(self.norm(x))
        if self.writes:
            y += 1
        return y * 2 + bias + mask


def test_what_depends_on_no_input_is_computed_before_the_rest() -> None:
    x = some(2, 5, 16)
    model = Biased(False).double().eval()
    program = check(model, x)
    assert len(program._beside) == 4, "three functions, and what tells the others that they ended"
    with torch.no_grad():
        model.table.neg_()
        assert emulated.difference(program.run([x]), model(x)) < 1e-12
    assert not check(Biased(True).double().eval(), x)._beside


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_known_results_are_like_those_that_pytorch_finds_out(device: str) -> None:
    count = 0
    with torch._subclasses.FakeTensorMode(), torch.device(device):
        norms = [make(8).eval() for make in (nn.BatchNorm1d, nn.BatchNorm2d)]
        for module in (nn.Linear(8, 16), nn.LayerNorm(8), nn.GroupNorm(2, 8), *norms):
            for x in (torch.empty(3, 8), torch.empty(8, 8, 8), torch.empty(2, 8, 4, 8)):
                turned = [x.transpose(-1, -2).clone().transpose(-1, -2), x.transpose(0, 1)]
                for given in (x, *turned, x.movedim(1, -1).contiguous().movedim(-1, 1)):
                    known = _known_of(module, (given,))
                    if known is not None:
                        assert known.stride() == module(given).stride()
                        count += 1
    assert count == 36


@pytest.mark.parametrize("kind", [nn.RNN, nn.GRU, nn.LSTM])
def test_results_of_recurrent_layers_are_known_before(kind: Any) -> None:
    from cudnn_cffi.torch.fusion.trace.eager import like_results

    options: tuple[dict[str, Any], ...] = (
        {}, {"batch_first": True}, {"bidirectional": True, "num_layers": 2},
        *([{"proj_size": 3, "batch_first": True}] if kind is nn.LSTM else []),
    )  # fmt: skip
    for more in options:
        layer = kind(4, 5, **more).double()
        for shape in ((2, 7, 4), (7, 4)):
            found, right = like_results(layer, some(*shape)), layer(some(*shape))
            leaves = torch.utils._pytree.tree_leaves
            for one, other in zip(leaves(found), leaves(right), strict=True):
                assert one.shape == other.shape
                assert one.dtype == other.dtype
                assert one.stride() == other.stride()
    packed = nn.utils.rnn.pack_padded_sequence(some(7, 2, 4), torch.tensor([7, 3]))
    assert like_results(layer, packed) is None
    with torch.autocast("cpu"):  # which leaves float32 to some
        assert like_results(layer, some(7, 2, 4).float()) is None


@pytest.mark.parametrize("kind", [nn.RNN, nn.GRU, nn.LSTM])
def test_recurrent_layers(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Layers around them are computed as in other models."""

    class Reads(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.stem = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU())
            self.rnn = kind(8, 6, batch_first=True, bidirectional=True)
            self.head = nn.Linear(12, 5)

        def forward(self, x: Any) -> Any:
            y, _ = self.rnn(self.stem(x).flatten(2).transpose(1, 2))
            return self.head(y).relu()

    def unread(*_: Any, **__: Any) -> Any:
        raise RuntimeError("fake tensors have no memory")

    model, x = emulated.settle(Reads()), some(2, 3, 4, 6)
    with torch.no_grad():
        wanted = model(x)
    name = "rnn_tanh" if kind is nn.RNN else kind.__name__.lower()
    with monkeypatch.context() as patch:
        patch.setattr(torch._VF, name, unread)
        program = emulated.prepared(model, x)
    assert emulated.difference(program.run([x]), wanted) < 1e-12
    assert {"stem.0", "rnn", "head"} <= {each.name for each in program.ran}
