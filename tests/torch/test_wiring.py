"""Modules compute what PyTorch's do, with all gradients, where operations do what they should.

Operations are PyTorch's here, in the place of cuDNN's: what is tested is everything around them.
"""

from __future__ import annotations

import copy
import pickle
import re
import tokenize
from pathlib import Path
from token import NAME, OP
from types import ModuleType
from typing import Any

import pytest

from .cases import MODULES, Case, has_channels_last, name_of

#: Cases that PyTorch computes for all modules.
OWN = ("ceil_mode", "track_running_stats")


def pair(torch: Any, case: Case) -> tuple[Any, Any]:
    """Our module and PyTorch's, with the same parameters."""
    from cudnn_cffi.torch import modules

    theirs = getattr(torch.nn, case.name)(*case.arguments, **case.options)
    ours = getattr(modules, case.name)(*case.arguments, **case.options)
    for each in theirs.parameters():
        torch.nn.init.uniform_(each, -1, 1)
    ours.load_state_dict(theirs.state_dict())
    return ours.double(), theirs.double()


def results(torch: Any, module: Any, x: Any) -> list[Any]:
    """The output, the gradients for input and parameters, and the buffers afterwards."""
    x = x.clone().requires_grad_()
    y = module(x)
    weights = torch.linspace(-1, 1, y.numel(), dtype=y.dtype, device=y.device).reshape(y.shape)
    found = torch.autograd.grad((y * weights).sum(), [x, *module.parameters()])
    return [y.detach(), *found, *module.buffers()]


def assert_close(torch: Any, ours: list[Any], theirs: list[Any]) -> None:
    assert len(ours) == len(theirs)
    for place, (one, other) in enumerate(zip(ours, theirs, strict=True)):
        torch.testing.assert_close(one, other, msg=lambda text, place=place: f"{place}: {text}")


@pytest.mark.parametrize(
    "part",
    [
        lambda x: x.chunk(2, dim=1)[1], lambda x: x[:, :, ::2], lambda x: x[..., 1:4],
        lambda x: x[1:], lambda x: x[:, 2:3], lambda x: x[:, ::2], lambda x: x,
    ],
    ids=["channels", "rows", "columns", "examples", "a channel", "every second", "all"],
)  # fmt: skip
@pytest.mark.parametrize("last", [True, False])
def test_parts_have_the_layout_of_the_whole(
    torch: ModuleType, stand_in: list[str], part: Any, last: bool
) -> None:
    """As PyTorch's modules have it: a network that splits channels keeps its layout."""
    x = torch.randn(2, 8, 6, 5, dtype=torch.float64)
    x = part(x.to(memory_format=torch.channels_last) if last else x)
    ours, theirs = pair(torch, Case("Conv2d", (x.shape[1], 4, 3), {}, tuple(x.shape)))
    with torch.no_grad():
        y, wanted = ours(x), theirs(x)
    assert stand_in
    torch.testing.assert_close(y, wanted)
    if x.shape[1] > 1:  # one channel has both layouts
        assert y.stride() == wanted.stride()


@pytest.mark.parametrize("shape", [(2, 8, 6, 5), (2, 8, 1, 1), (2, 1, 6, 5)], ids=str)
@pytest.mark.parametrize("last", [(x, w) for x in (False, True) for w in (False, True)], ids=str)
@pytest.mark.parametrize("kernel", [1, 3])
@pytest.mark.parametrize("depthwise", [False, True])
def test_filters_decide_on_the_layout_too(
    torch: ModuleType, stand_in: list[str], shape: Any, last: Any, kernel: int, depthwise: bool
) -> None:
    """Filters of 1x1 have both layouts, and still keep a network in the one of their strides."""
    channels = shape[1]
    options = {"padding": kernel // 2, "groups": channels if depthwise else 1}
    case = Case("Conv2d", (channels, channels if depthwise else 4, kernel), options, shape)
    x = torch.randn(shape, dtype=torch.float64)
    ours, theirs = pair(torch, case)
    x = x.to(memory_format=torch.channels_last) if last[0] else x
    for each in (ours, theirs):
        each.to(memory_format=torch.channels_last if last[1] else torch.contiguous_format)
    with torch.no_grad():
        y, wanted = ours(x), theirs(x)
        found = torch.nn.functional.conv2d(x.float(), theirs.weight.float(), **options)
    assert stand_in
    torch.testing.assert_close(y, wanted)
    if shape[1] > 1 and shape[2] > 1:  # both layouts are one otherwise
        assert y.stride() == found.stride()


@pytest.mark.parametrize("case", MODULES, ids=name_of)
@pytest.mark.parametrize("training", [True, False], ids=["train", "eval"])
def test_outputs_and_gradients(
    torch: ModuleType, stand_in: list[str], case: Case, training: bool
) -> None:
    torch.manual_seed(3)
    ours, theirs = pair(torch, case)
    ours.train(training)
    theirs.train(training)
    x = torch.randn(case.shape, dtype=torch.float64)
    assert_close(torch, results(torch, ours, x), results(torch, theirs, x))
    with torch.no_grad():
        torch.testing.assert_close(ours(x), theirs(x))
    by_own = case.options.get("ceil_mode") or case.arguments == (4,)
    assert bool(stand_in) != bool(by_own), stand_in


@pytest.mark.parametrize(
    "case", [each for each in MODULES if has_channels_last(each) and "Norm" not in each.name],
    ids=name_of,
)  # fmt: skip
def test_channels_last(torch: ModuleType, stand_in: list[str], case: Case) -> None:
    """Results keep the layout; gradients of another layout than the result's are taken, too."""
    torch.manual_seed(4)
    ours, theirs = pair(torch, case)
    x = torch.randn(case.shape, dtype=torch.float64)
    x = x.to(memory_format=torch.channels_last if x.dim() == 4 else torch.channels_last_3d)
    assert_close(torch, results(torch, ours, x), results(torch, theirs, x))


@pytest.mark.parametrize("case", MODULES, ids=name_of)
def test_inputs_with_gaps(torch: ModuleType, stand_in: list[str], case: Case) -> None:
    torch.manual_seed(5)
    ours, theirs = pair(torch, case)
    x = torch.randn((*case.shape[:-1], 2 * case.shape[-1]), dtype=torch.float64)[..., ::2]
    assert_close(torch, results(torch, ours, x), results(torch, theirs, x))


@pytest.mark.parametrize(
    "case",
    [
        each
        for each in MODULES
        if each.options.get("groups") in (2, 3)
        or each.name in ("Conv1d", "ReLU", "Tanh", "ELU")
        or each.options.get("padding") == "same"
    ],
    ids=name_of,
)
def test_second_derivatives(torch: ModuleType, stand_in: list[str], case: Case) -> None:
    torch.manual_seed(6)
    ours, _ = pair(torch, case)
    x = torch.randn(case.shape, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(ours, (x,), fast_mode=True)
    assert torch.autograd.gradgradcheck(ours, (x,), fast_mode=True)
    names = set(stand_in)
    if case.name.startswith("Conv"):
        assert {"convolution_backward_data", "convolution_backward_filter"} <= names


@pytest.mark.parametrize("case", MODULES, ids=name_of)
def test_second_derivatives_exist_where_pytorch_has_them(
    torch: ModuleType, stand_in: list[str], case: Case
) -> None:
    torch.manual_seed(7)
    found = []
    x = torch.randn(case.shape, dtype=torch.float64)
    for module in pair(torch, case):
        own = x.clone().requires_grad_()
        (grad,) = torch.autograd.grad(module(own).square().sum(), own, create_graph=True)
        grad.square().sum().backward()
        found.append([own.grad, *[each.grad for each in module.parameters()]])
    for one, other in zip(*found, strict=True):
        torch.testing.assert_close(one, other)


@pytest.mark.parametrize("name", ["ReLU", "ReLU6", "ELU", "SiLU", "LeakyReLU"])
def test_in_place(torch: ModuleType, stand_in: list[str], name: str) -> None:
    from cudnn_cffi.torch import modules

    base = torch.randn(3, 5, dtype=torch.float64, requires_grad=True)
    found: list[list[Any]] = []
    for room in (modules, torch.nn):
        x = base * 2
        y = getattr(room, name)(inplace=True)(x)
        assert y.data_ptr() == x.data_ptr()
        found.append([y.detach().clone(), *torch.autograd.grad(y.square().sum(), base)])
    assert_close(torch, *found)


def test_attention(torch: ModuleType, stand_in: list[str]) -> None:
    from cudnn_cffi.torch.functional.attn.attention import Attention, run_attention

    q, k, v = (torch.randn(2, 4, 6, 8, dtype=torch.float64, requires_grad=True) for _ in range(3))
    mask = torch.rand(6, 6) > 0.3
    mask |= torch.eye(6, dtype=torch.bool)
    bias = torch.randn(2, 1, 6, 6, dtype=torch.float64, requires_grad=True)
    sdpa = torch.nn.functional.scaled_dot_product_attention
    for causal, added in ((False, None), (True, None), (False, mask), (False, bias)):
        ours = run_attention(Attention(0.3, causal, 0.0), q, k, v, added)
        theirs = sdpa(q, k, v, added, 0.0, causal, scale=0.3)
        wanted = [q, k, v, *([bias] if added is bias else [])]
        one = torch.autograd.grad(ours.square().sum(), wanted)
        other = torch.autograd.grad(theirs.square().sum(), wanted)
        assert_close(torch, [ours.detach(), *one], [theirs.detach(), *other])
    assert {"attention", "attention_backward"} <= set(stand_in)


@pytest.mark.parametrize("causal", [False, True])
def test_attention_as_a_module(torch: ModuleType, stand_in: list[str], causal: bool) -> None:
    from cudnn_cffi.torch import modules

    theirs = torch.nn.functional.scaled_dot_product_attention
    q = torch.randn(2, 4, 6, 8, dtype=torch.float64, requires_grad=True)
    k, v = (torch.randn(2, 2, 6, 8, dtype=torch.float64, requires_grad=True) for _ in range(2))
    module = modules.ScaledDotProductAttention(0.0, causal, 0.3, enable_gqa=True)
    ours, wanted = module(q, k, v), theirs(q, k, v, None, 0.0, causal, scale=0.3, enable_gqa=True)
    one, other = (torch.autograd.grad(y.square().sum(), (q, k, v)) for y in (ours, wanted))
    assert_close(torch, [ours.detach(), *one], [wanted.detach(), *other])
    torch.testing.assert_close(module(q[0], k[0], v[0]), wanted[0])
    for copied in (copy.deepcopy(module), pickle.loads(pickle.dumps(module))):
        torch.testing.assert_close(copied(q, k, v), wanted)
    text = f"cudnn.ScaledDotProductAttention(dropout=0.0, is_causal={causal}, scale=0.3, "
    assert repr(module).startswith(text)
    module.scale = None  # it computes by its attributes as they are
    torch.testing.assert_close(module(q, k, v), theirs(q, k, v, None, 0.0, causal, enable_gqa=True))


def test_spatial_transformers(torch: ModuleType, stand_in: list[str]) -> None:
    from cudnn_cffi.torch import modules

    theta = torch.randn(2, 2, 3, dtype=torch.float64, requires_grad=True)
    x = torch.randn(2, 3, 5, 6, dtype=torch.float64, requires_grad=True)
    size = (2, 3, 4, 7)
    ours = modules.GridSample()(x, modules.AffineGrid(size)(theta))
    grid = torch.nn.functional.affine_grid(theta, list(size), align_corners=True)
    theirs = torch.nn.functional.grid_sample(x, grid, align_corners=True)
    one = torch.autograd.grad(ours.square().sum(), (x, theta))
    other = torch.autograd.grad(theirs.square().sum(), (x, theta))
    assert_close(torch, [ours.detach(), *one], [theirs.detach(), *other])
    before = len(stand_in)
    for size in ((2, 3, 1, 7), (2, 3, 4, 1)):  # cuDNN has their points at -1
        grid = torch.nn.functional.affine_grid(theta, list(size), align_corners=True)
        assert torch.equal(modules.AffineGrid(size)(theta), grid)
    assert len(stand_in) == before


def test_cross_entropy(torch: ModuleType, stand_in: list[str]) -> None:
    from cudnn_cffi.torch import modules

    weight = torch.rand(5, dtype=torch.float64)
    labels = torch.randint(0, 5, (4, 3))
    labels[0, 0] = 2
    probabilities = torch.rand(4, 5, 3, dtype=torch.float64)
    options: list[tuple[dict[str, Any], Any]] = [
        ({}, labels),
        ({"reduction": "sum", "ignore_index": 2}, labels),
        ({"weight": weight, "reduction": "none"}, labels),
        ({"label_smoothing": 0.1, "weight": weight}, labels),
        ({}, probabilities),
        ({"label_smoothing": 0.2}, probabilities),
    ]
    for settings, target in options:
        found = []
        x = torch.randn(4, 5, 3, dtype=torch.float64, requires_grad=True)
        for room in (modules, torch.nn):
            loss = room.CrossEntropyLoss(**settings)(x, target)
            found.append([loss.detach(), *torch.autograd.grad(loss.square().sum(), x)])
        assert_close(torch, *found)
    row, label = torch.randn(5, dtype=torch.float64), torch.tensor(3)
    both = [room.CrossEntropyLoss()(row, label) for room in (modules, torch.nn)]
    torch.testing.assert_close(*both)  # without a batch


def test_switches_of_pytorch_are_choices_behind_all_others() -> None:
    from cudnn_cffi.choice.policy import Policy, Rule
    from cudnn_cffi.torch.autograd.switches import policy_of

    timed = Rule(pick="time", most=10)
    assert policy_of((True, 10, False, False, True, True)) == Policy(timed, timed, timed, Rule())
    strict = Rule(deterministic=True, tf32=False)
    found = policy_of((True, None, False, True, False, False))
    assert found == Policy(strict, strict, strict, strict)
    exact, free = Rule(tf32=False), Rule()
    found = policy_of((True, None, False, False, True, False))
    assert found == Policy(free, free, free, exact)
    found = policy_of((True, None, False, False, False, True))
    assert found == Policy(exact, exact, exact, free)


def test_one_module_reads_the_switches_of_pytorch() -> None:
    import cudnn_cffi.torch

    names = (
        r"\.(_get_(cudnn|deterministic)\w*|is_(grad|autocast)_enabled|get_autocast_dtype|\w*tf32)"
    )
    found = set()
    for path in Path(cudnn_cffi.torch.__file__).parent.rglob("*.py"):
        with tokenize.open(path) as file:
            tokens = list(tokenize.generate_tokens(file.readline))
        code = "".join(each.string for each in tokens if each.type in (NAME, OP))
        if re.search(rf"torch(\._C)?{names}|torch\.(are_determ|backends)", code):
            found.add(path.name)
    assert found == {"switches.py"}


@pytest.mark.parametrize("shape", [(2, 3, 7, 6), (1, 2, 4, 5, 3)])
@pytest.mark.parametrize("has_means", [True, False])
def test_divisive_norm(
    torch: ModuleType, stand_in: list[str], shape: tuple[int, ...], has_means: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    from cudnn_cffi.torch.functional import divisive_norm
    from cudnn_cffi.torch.functional.norm import local as local_norms

    monkeypatch.setattr(local_norms, "check_tensors", lambda **_: None)
    x = torch.randn(shape, dtype=torch.float64, requires_grad=True)
    means = torch.randn(shape, dtype=torch.float64, requires_grad=True) if has_means else None

    def function(x: Any, means: Any = None) -> Any:
        return divisive_norm(x, means, size=3, alpha=0.7, beta=0.6, k=1.3)

    given = (x, means) if has_means else (x,)
    layer = local_norms.DivisiveNorm(3, 0.7, 0.6, 1.3)
    torch.testing.assert_close(function(*given), layer.reference(*given))
    assert torch.autograd.gradcheck(function, given, fast_mode=True)
    assert torch.autograd.gradgradcheck(function, given, fast_mode=True)
    assert set(stand_in) == {"divisive_norm", "divisive_norm_backward"}


@pytest.mark.parametrize("benchmark", [False, True])
def test_layers_read_the_switches_as_the_others_do(torch: Any, benchmark: bool) -> None:
    from cudnn_cffi.torch.autograd import switches
    from cudnn_cffi.torch.functional.activations import Activation

    backends, before = torch.backends.cudnn, torch.backends.cudnn.benchmark
    layer = Activation("relu", None)
    try:
        backends.benchmark = benchmark
        behind = layer.operation().behind
        assert behind == switches.policy()
        assert behind.forward.pick == ("time" if benchmark else None)
        assert type(behind.forward.most) is (int if benchmark else type(None))
    finally:
        backends.benchmark = before


@pytest.mark.parametrize(("precision", "tf32"), [("tf32", True), ("ieee", False), ("none", False)])
def test_tf32_is_on_where_the_newer_switches_say_so(torch: Any, precision: str, tf32: bool) -> None:
    from cudnn_cffi.torch.autograd import switches

    backends = torch.backends.cudnn
    before = backends.conv.fp32_precision, backends.rnn.fp32_precision
    try:
        backends.conv.fp32_precision = precision
        backends.rnn.fp32_precision = "ieee" if tf32 else "tf32"  # the older switch is not read
        assert switches.state()[-2:] == (tf32, not tf32)
        rules = switches.policy()
        assert [each.tf32 for each in (rules.forward, rules.data, rules.filter)] == [
            None if tf32 else False
        ] * 3
        assert rules.recurrent.tf32 is (False if tf32 else None)
    finally:
        backends.conv.fp32_precision, backends.rnn.fp32_precision = before


def test_one_table_names_pytorchs_formats() -> None:
    """It has axes and memory formats; who needs one asks `last_format`."""
    import cudnn_cffi.torch

    folder = Path(cudnn_cffi.torch.__path__[0])
    known = [each.name for each in folder.rglob("*.py") if "channels_last_3d" in each.read_text()]
    assert known == ["layouts.py"]
