"""`install`: which kernels are in PyTorch's table, what they compute, and that all is undone.

Operations are PyTorch's here, in the place of cuDNN's, and PyTorch's kernels of cuDNN are on the CPU.
"""

from __future__ import annotations

import copy
import pickle
import threading
import warnings
from collections.abc import Iterator
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from tests.threads import in_threads

if TYPE_CHECKING:
    from tests.conftest import Program

KERNELS = (
    *("cudnn_convolution", "cudnn_convolution_transpose", "convolution_backward", "convolution"),
    *("_scaled_dot_product_cudnn_attention", "_scaled_dot_product_cudnn_attention_backward"),
)


def table(torch: Any, *names: str) -> str:
    """Return all kernels of operators, as PyTorch's dispatcher has them."""
    dumps = torch._C._dispatch_dump, torch._C._dispatch_dump_table
    return "".join(dump(f"aten::{name}") for name in names or KERNELS for dump in dumps)


@pytest.fixture(autouse=True)
def clean(torch: ModuleType) -> Iterator[None]:
    from cudnn_cffi.torch import modules, uninstall
    from cudnn_cffi.torch.interfaces import kernel

    yield
    kernel._layers.clear()  # stand-ins made them
    uninstall()
    modules.fallback = "warn"


@pytest.fixture
def theirs(
    torch: ModuleType, stand_in: list[str], monkeypatch: pytest.MonkeyPatch
) -> Iterator[list[str]]:
    """Kernels are replaced on the CPU; return the names of PyTorch's own that ran."""
    from cudnn_cffi.torch.autograd import layer

    from .pretended import Apart, cudnn_on_the_cpu, pretend

    start = layer.Layer.__init__

    def owned(self: Any, *options: Any, choose: Any = None, owner: Any = None) -> None:
        start(self, *options, choose=choose, owner=owner)
        self.owner = owner

    monkeypatch.setattr(layer.Layer, "__init__", owned)
    apart = Apart()
    pretend(monkeypatch, apart)
    with cudnn_on_the_cpu(apart) as ran:
        yield ran
    apart.close()


@pytest.fixture
def refusing(theirs: list[str], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Operations of which the list has the names are refused."""
    from cudnn_cffi import errors

    from .stand_in import StandIn

    words: list[str] = []
    compute = StandIn.__call__

    def refuse(self: Any, *given: Any, **more: Any) -> Any:
        if self.op.word in words:
            self.calls.append(f"{self.op.word} refused")
            raise errors.NotSupportedError(f"no engine for {self.op.word}")
        return compute(self, *given, **more)

    monkeypatch.setattr(StandIn, "__call__", refuse)
    return words


class Block:
    """A block of convolutions, also a transposed one and one over one axis, and attention."""

    def __init__(self, torch: Any) -> None:
        nn, self.torch = torch.nn, torch
        torch.manual_seed(0)
        self.convolutions = nn.Sequential(
            nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 8, 3, 2, 1, 1, 4, bias=False),
            nn.ConvTranspose2d(8, 4, 3, 2, 1, 1), nn.Flatten(2), nn.Conv1d(4, 16, 5, dilation=2),
        ).double()  # fmt: skip
        self.attention = nn.MultiheadAttention(16, 4, batch_first=True).double()

    def parameters(self) -> list[Any]:
        return [*self.convolutions.parameters(), *self.attention.parameters()]

    def forward(self, x: Any) -> Any:
        y = self.convolutions(x).transpose(1, 2)
        return self.attention(y, y, y, need_weights=False)[0]

    def results(self) -> list[Any]:
        """The output, and the gradients for input and parameters."""
        torch = self.torch
        x = torch.linspace(-1, 1, 2 * 3 * 36, dtype=torch.float64).reshape(2, 3, 6, 6)
        x.requires_grad_()
        y = self.forward(x)
        weights = torch.linspace(-1, 1, y.numel(), dtype=y.dtype).reshape(y.shape)
        return [y.detach(), *torch.autograd.grad((y * weights).sum(), [x, *self.parameters()])]


FORWARD = ["convolution"] * 3 + ["convolution_transpose", "attention"]
OURS = {
    **{"convolution": 4, "convolution_transpose": 1, "attention": 1, "attention_backward": 1},
    **{"convolution_backward_data": 3, "convolution_backward_filter": 4},
}


def test_a_model_that_knows_nothing_of_it(
    torch: ModuleType, theirs: list[str], stand_in: list[str]
) -> None:
    """Outputs and gradients are right, this package computes all, and PyTorch's kernels none."""
    from cudnn_cffi.torch import install, uninstall

    block = Block(torch)
    wanted = block.results()
    assert theirs
    assert not stand_in
    theirs.clear()
    installation = install()
    found = block.results()
    torch.testing.assert_close(found, wanted)
    assert theirs == []
    assert installation.report.handled == OURS
    assert sorted(stand_in) == sorted(word for word, calls in OURS.items() for _ in range(calls))
    assert installation.report.fallbacks == {}
    assert "cudnn_cffi" in repr(installation.report)
    assert installation.report.to_dicts()[0] == {"operation": "attention", "calls": 1, "why": ""}
    uninstall()
    stand_in.clear()
    assert all(map(torch.equal, block.results(), wanted))
    assert theirs
    assert not stand_in
    assert installation.report.handled == OURS, "it counts no more"


@pytest.mark.parametrize("names", [(), ("attention",), ("convolution",)], ids=str)
def test_the_table_is_as_before(torch: ModuleType, names: Any) -> None:
    """The real table of CUDA, which no GPU is needed for."""
    from cudnn_cffi.torch import install, uninstall

    others = "scaled_dot_product_attention", "cudnn_convolution_relu"
    before, whole = table(torch), table(torch, *others)
    if "CUDA: registered" not in before:
        pytest.skip("this PyTorch was built without CUDA")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        first = install(*names)
    during = table(torch)
    assert during != before
    assert install(*names) is not first, "again"
    assert table(torch) == during
    assert table(torch, *others) == whole
    with install(*names) as third:
        assert table(torch) == during
        assert third.active
    assert table(torch) == during, "it was installed before"
    first.undo()
    assert table(torch) == during, "the second one holds"
    uninstall()
    assert table(torch) == before
    assert not first.active
    uninstall()
    third.undo()
    assert table(torch) == before
    for _ in range(70):
        with install(*names):
            assert table(torch) != before
    assert table(torch) == before


def test_parts_overlap(torch: ModuleType, theirs: list[str], stand_in: list[str]) -> None:
    """Each part holds as long as an installation has it, in whatever order they end."""
    from cudnn_cffi.torch import install

    x, w = torch.randn(1, 2, 4, 4), torch.randn(3, 2, 3, 3)
    functional = torch.nn.functional

    def computed() -> list[str]:
        stand_in.clear()
        functional.conv2d(x, w)
        functional.scaled_dot_product_attention(x, x, x)
        return list(stand_in)

    both = ["convolution", "attention"]
    with install("convolution"):
        assert computed() == ["convolution"]
        inner = install()
        assert computed() == both
        with pytest.raises(ValueError, match="of the block"), inner:
            raise ValueError("an error of the block")
        assert computed() == ["convolution"]
        outer = install("attention", "attention")
        assert outer.names == ("attention",)
        assert repr(outer) == "Installation('attention')"
        assert computed() == both
    assert computed() == ["attention"], "the block is over"
    outer.undo()
    assert repr(outer) == "Installation('attention', undone)"
    assert computed() == []
    assert inner.report.handled == {"attention": 1, "convolution": 1}
    assert repr(install("attention").report) == "Report: no calls"
    with inner:
        assert computed() == both
    assert computed() == ["attention"]
    assert inner.report.handled == {"attention": 2, "convolution": 2}


def test_blocks_of_one_installation(torch: ModuleType, theirs: list[str]) -> None:
    """The last block undoes it, also after an error, in whatever thread; `undo` does at once."""
    from cudnn_cffi.torch import install

    installation = install("attention")
    with installation:
        with pytest.raises(ValueError, match="inner"), installation:
            raise ValueError("inner")
        assert installation.active

        def block(_: int) -> None:
            with installation:
                assert installation.active

        in_threads(block, range(3))
        assert installation.active
    assert not installation.active
    with installation:
        with installation:
            installation.undo()
            assert not installation.active
        assert not installation.active
        with installation:
            assert installation.active
        assert installation.active
    assert not installation.active


@pytest.mark.parametrize(
    ("call", "text"),
    [
        ({"names": ["atention"]}, "expected 'attention', 'convolution', got 'atention'"),
        ({"names": ["convolution", None]}, "got None"),
        ({"names": [["attention"]]}, r"got \['attention'\]"),
        ({"names": [], "fallback": "warm"}, 'expected "warn", "silent" or "error"'),
    ],
)
def test_unknown_names(torch: ModuleType, call: Any, text: str) -> None:
    from cudnn_cffi import errors
    from cudnn_cffi.torch import install

    before = table(torch)
    with pytest.raises(errors.ArgumentError, match=text) as found:
        install(*call.pop("names"), **call)
    if "atention" in text:
        assert "use 'attention'" in str(found.value)
    assert table(torch) == before


def test_where_it_cannot_be(torch: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a PyTorch without CUDA, or an older one; nothing is left in the table."""
    from cudnn_cffi import errors
    from cudnn_cffi.torch import install
    from cudnn_cffi.torch.interfaces import kernel

    monkeypatch.setattr(kernel, "KEY", "CPU")
    before = table(torch)
    with pytest.raises(errors.NotSupportedError, match="cudnn_convolution on CPU"):
        install("convolution")
    monkeypatch.delattr(torch.library, "get_kernel")
    with pytest.raises(errors.NotSupportedError, match=r"expected PyTorch 2\.9 or newer"):
        install()
    assert table(torch) == before


def test_refused_calls_are_pytorchs(
    torch: ModuleType, theirs: list[str], refusing: list[str], stand_in: list[str]
) -> None:
    """Each operation by itself, also one of two gradients; cuDNN is asked once."""
    from cudnn_cffi.torch import install
    from cudnn_cffi.torch.interfaces import kernel

    block = Block(torch)
    wanted = block.results()
    words = "convolution", "convolution_backward_data", "convolution_backward_filter"
    for word in (*words, "attention", "attention_backward", "convolution_transpose"):
        refusing[:] = [word]
        kernel._layers.clear()  # which remember refusals
        theirs.clear()
        with install() as installation, warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            for _ in range(2):
                torch.testing.assert_close(block.results(), wanted)
        why = f"no engine for {word}"
        assert installation.report.fallbacks == {word: {why: 2 * OURS[word]}}
        assert theirs
        assert word not in installation.report.handled
        assert all(str(each.message).startswith(f"{word} of an installed") for each in told)
        assert told
        stand_in.clear()
    kernel._layers.clear()
    with install(fallback="silent"), warnings.catch_warnings():
        warnings.simplefilter("error")
        block.results()
        assert stand_in.count("convolution_transpose refused") == 1
        block.results()
        assert stand_in.count("convolution_transpose refused") == 1, "that is remembered"
    with install() as again, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        block.results()
    assert stand_in.count("convolution_transpose refused") == 1, "by later installations, too"
    assert "convolution_transpose" in again.report.fallbacks


def test_an_error_in_place_of_pytorch(
    torch: ModuleType, theirs: list[str], refusing: list[str]
) -> None:
    """By the latest installation, else by the process; so does a choice that names an engine."""
    from cudnn_cffi import choice, errors
    from cudnn_cffi.torch import install, modules

    block = Block(torch)
    refusing[:] = ["convolution"]
    with install(fallback="error"):
        with pytest.raises(errors.NotSupportedError, match="no engine for convolution"):
            block.results()
        with install(fallback="silent"):
            block.results()
        with pytest.raises(errors.NotSupportedError, match="no engine for convolution"):
            block.results()
    modules.fallback = "error"
    with install(), pytest.raises(errors.NotSupportedError, match="no engine for convolution"):
        block.results()
    modules.fallback = "silent"
    with install():
        block.results()
        scope = choice.scope({"engine": 1})
        with scope, pytest.raises(errors.NotSupportedError, match="the choice"):
            block.results()
    refusing[:] = ["convolution_backward_filter"]
    with install():
        block.results()
        scope = choice.scope({"filter": {"engine": 1}})
        with scope, pytest.raises(errors.NotSupportedError, match="the choice"):
            block.results()


CASES: dict[str, dict[str, Any]] = {
    "plain": {},
    "causal": {"is_causal": True},
    "scale": {"scale": 0.3},
    "grouped heads": {"heads": 2},
    "a bias": {"mask": (2, 4, 5, 7)},
    "a bias for all": {"mask": (5, 7)},
    "a bias of three axes": {"mask": (4, 5, 7)},
    "a repeated bias": {"mask": (1, 1, 5, 7)},
    "a mask of truths": {"mask": (2, 1, 5, 7), "truths": True},
    "grouped heads and a mask": {"heads": 1, "mask": (5, 7), "truths": True},
    "another width of values": {"width": 3},
    "heads after lengths": {"permuted": True},
    "gaps": {"gaps": True},
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("wanted", [(0, 1, 2), (0,), (1, 2), ()], ids=str)
def test_attention(
    torch: ModuleType, theirs: list[str], stand_in: list[str], name: str, wanted: Any
) -> None:
    from cudnn_cffi.torch import install

    case = CASES[name]
    torch.manual_seed(1)
    heads = case.get("heads", 4)
    shapes = (2, 4, 5, 8), (2, heads, 7, 8), (2, heads, 7, case.get("width", 8))
    given = [torch.randn(each, dtype=torch.float64) for each in shapes]
    if case.get("permuted"):
        given = [each.transpose(1, 2).contiguous().transpose(1, 2) for each in given]
    if case.get("gaps"):
        given = [torch.cat([each, each], 3)[..., : each.shape[3]] for each in given]
    for place in wanted:
        given[place].requires_grad_()
    mask = None
    if "mask" in case:
        mask = torch.randn(case["mask"], dtype=torch.float64)
        mask = mask > -1 if case.get("truths") else mask
    options = {k: v for k, v in case.items() if k in ("is_causal", "scale")}
    options["enable_gqa"] = heads != 4

    def compute() -> list[Any]:
        o = torch.nn.functional.scaled_dot_product_attention(*given, mask, **options)
        if not wanted:
            return [o]
        return [o, *torch.autograd.grad(o, [given[e] for e in wanted], o.detach().cos())]

    expected = compute()
    with install() as installation:
        found = compute()
    torch.testing.assert_close(found, expected)
    both = {"attention": 1, "attention_backward": 1} if wanted else {"attention": 1}
    assert installation.report.handled == both
    assert installation.report.fallbacks == {}


def test_calls_of_the_operators(
    torch: ModuleType, theirs: list[str], refusing: list[str], stand_in: list[str]
) -> None:
    """PyTorch's kernel computes whatever else a caller of the operator asks for."""
    from cudnn_cffi.torch import install

    aten, q, x = torch.ops.aten, torch.randn(1, 2, 3, 8), torch.randn(1, 2, 5, 5)
    w = torch.randn(2, 2, 3, 3)
    with install() as installation:
        found = aten._scaled_dot_product_cudnn_attention(q, q, q, None, True)
        assert [each is None for each in found] == [False] * 2 + [True] * 2 + [False] * 4 + [True]
        assert found[1].shape == (1, 2, 3, 1)
        assert found[4:6] == (3, 3)
        assert found[6].shape == found[7].shape == ()
        assert found[6].dtype == torch.int64
        assert aten._scaled_dot_product_cudnn_attention(q, q, q, None, False)[1] is None
        aten._scaled_dot_product_cudnn_attention(q, q, q, None, False, 0.0, False, True)
        geometry = [0, 0], [1, 1], [1, 1], 1
        aten.cudnn_convolution(x, w, *geometry, False, False, True)
        aten.cudnn_convolution(x, w, *geometry, True, False, True)
        aten.cudnn_convolution(x, w, *geometry, False, False, False)
        aten.cudnn_convolution(x.double(), w.double(), *geometry, False, False, False)
    assert installation.report.handled == {"attention": 2, "convolution": 2}
    others = {word: sum(found.values()) for word, found in installation.report.fallbacks.items()}
    assert others == {"attention": 1, "convolution": 2}


def test_pytorchs_choice_of_what_computes(
    torch: ModuleType, theirs: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Gradients that PyTorch would compute without cuDNN are none of ours."""
    from cudnn_cffi.torch import install
    from cudnn_cffi.torch.interfaces import convolution

    monkeypatch.setattr(convolution, "_select", lambda *_: torch._C._ConvBackend.CudaDepthwise2d)
    block = Block(torch)
    with install("convolution") as installation:
        block.results()
    assert installation.report.handled == {"convolution": 3, "convolution_transpose": 1}
    assert theirs.count("convolution_backward") == 4


@pytest.fixture
def arrays(theirs: list[str], monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list that is told how many arrays each convolution gets, with -3 in it refused."""
    from cudnn_cffi import errors

    from .stand_in import StandIn

    counts: list[int] = []
    compute = StandIn.__call__

    def count(self: Any, *given: Any, **more: Any) -> Any:
        if -len(given) in counts:
            raise errors.NotSupportedError("no engine adds a bias")
        counts.append(len(given))
        return compute(self, *given, **more)

    monkeypatch.setattr(StandIn, "__call__", count)
    return counts


def test_a_bias_is_part_of_its_convolution(
    torch: ModuleType, theirs: list[str], arrays: list[int]
) -> None:
    """PyTorch adds those that cuDNN refuses, and those of other kernels of convolutions."""
    from cudnn_cffi.torch import install

    functional = torch.nn.functional
    x, w, b = torch.randn(2, 4, 7, 6), torch.randn(4, 4, 3, 3), torch.randn(4)
    volume, filters = torch.randn(1, 4, 3, 7, 6), torch.randn(4, 4, 2, 3, 3)
    last = torch.channels_last
    calls: list[tuple[Any, int]] = [
        (lambda: functional.conv2d(x, w, b, 2, (1, 0), 1), 3),
        (lambda: functional.conv2d(x, w, b[::2].repeat_interleave(2), padding="same"), 3),
        (lambda: functional.conv2d(x[0], w, b), 3),
        (lambda: functional.conv2d(x.to(memory_format=last), w.to(memory_format=last), b), 3),
        (lambda: functional.conv3d(volume, filters, b), 3),
        (lambda: functional.conv2d(x, w), 2),
        (lambda: functional.conv2d(x.transpose(2, 3), w, b), 2),
        (lambda: functional.conv2d(x, w.to(memory_format=last), b), 2),
        (lambda: functional.conv1d(x[:, :, 0], w[:, :, 0], b), 2),
        (lambda: functional.conv_transpose2d(x, w, b), 2),
    ]
    for call, count in calls:
        wanted = call()
        theirs.clear()
        arrays.clear()
        with install("convolution") as installation:
            for _ in range(3):
                found = call()
                torch.testing.assert_close(found, wanted)
                assert found.stride() == wanted.stride()
        assert arrays == [count] * 3
        assert list(installation.report.handled.values()) == [3]
        assert theirs == []
    arrays[:] = [-3]
    call, _ = calls[0]
    wanted = call()
    with install("convolution", fallback="error") as installation:
        for _ in range(3):
            torch.testing.assert_close(call(), wanted)
        assert arrays == [-3, 2, 2, 2]
        arrays.clear()
        for given in (x[:1], x):  # of another extent it was not refused
            functional.conv2d(given, w, b, 2, (1, 0), 1)
    assert arrays == [3, 2]
    assert installation.report.handled == {"convolution": 5}
    assert installation.report.fallbacks == {}


def layouts(torch: Any, *shape: int) -> list[Any]:
    """Return arrays of a shape: channels first and last, also some of the channels of others."""
    images, channels, *pixels = shape
    wide = images, channels + 1, *pixels
    form = torch.channels_last
    return [
        torch.randn(shape), torch.randn(shape).to(memory_format=form),
        torch.randn(wide)[:, 1:], torch.randn(wide).to(memory_format=form)[:, 1:],
    ]  # fmt: skip


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("kernel", [1, 3])
@pytest.mark.parametrize("pixels", [1, 4])
@pytest.mark.parametrize("channels", [1, 2])
def test_strides_of_a_convolution_with_a_bias(
    torch: ModuleType, theirs: list[str], arrays: list[int], dtype: str, kernel: int, pixels: int,
    channels: int,
) -> None:  # fmt: skip
    """They are those of the format that PyTorch chooses, which compiled models rely on."""
    from cudnn_cffi.torch import install
    from cudnn_cffi.torch.interfaces import convolution

    kind = getattr(torch, dtype)
    for x in layouts(torch, 2, channels, 1, pixels):
        for w in layouts(torch, 3, channels, kernel, kernel):
            one, two, b = x.to(kind), w.to(kind), torch.randn(3, dtype=kind)
            form = convolution._format(one, two, convolution.CUDNN[0])
            arrays.clear()
            with install("convolution"):
                y = torch.nn.functional.conv2d(one, two, b, padding=kernel // 2)
            torch.testing.assert_close(
                y, torch.nn.functional.conv2d(one, two, b, padding=kernel // 2)
            )
            assert y.is_contiguous(memory_format=form)
            assert arrays == [3 if one.is_contiguous(memory_format=form) else 2]


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("numbers", [([2], [2, 1], [1]), ([2, 1], [1], [1, 1]), ([1], [2], [2])])
def test_one_number_for_all_axes(
    torch: ModuleType, theirs: list[str], arrays: list[int], numbers: Any, bias: bool
) -> None:
    """PyTorch takes it, also for gradients."""
    from cudnn_cffi.torch import install

    shapes = [(2, 4, 9, 8), (4, 4, 3, 3), (4,)][: 2 + bias]
    given = [torch.randn(each, dtype=torch.float64, requires_grad=True) for each in shapes]

    def compute() -> list[Any]:
        y = torch.conv2d(*given, *[None] * (not bias), *numbers)
        return [y, *torch.autograd.grad(y.square().sum(), given)]

    wanted = compute()
    theirs.clear()
    with install("convolution", fallback="error"):
        for _ in range(3):
            torch.testing.assert_close(compute(), wanted)
    assert arrays[:3] == [2 + bias, 3, 3]
    assert not theirs


@pytest.mark.parametrize("shape", [(3,), (4, 1)])
def test_a_bias_that_does_not_fit(
    torch: ModuleType, theirs: list[str], stand_in: list[str], shape: Any
) -> None:
    """PyTorch tells what is wrong."""
    from cudnn_cffi.torch import install
    from cudnn_cffi.torch.interfaces import convolution

    x, w, b = torch.randn(2, 4, 7, 6), torch.randn(4, 4, 3, 3), torch.randn(shape)
    check, pretended = torch._C._select_conv_backend, convolution._select
    with install("convolution", fallback="error"), pytest.MonkeyPatch.context() as patch:
        patch.setattr(convolution, "_select", lambda *given: check(*given) and pretended(*given))
        with pytest.raises(RuntimeError, match="bias"):
            torch.ops.aten.convolution(x, w, b, [1, 1], [0, 0], [1, 1], False, [0, 0], 1)
    assert not stand_in


@pytest.mark.parametrize("last", [(x, w) for x in (False, True) for w in (False, True)], ids=str)
@pytest.mark.parametrize("shapes", [((2, 4, 6, 5), (3, 4, 3, 3)), ((2, 4, 6, 5), (1, 4, 1, 1))])
@pytest.mark.parametrize("kind", ["channels first", "channels last", "repeated"])
def test_layouts_of_gradients(
    torch: ModuleType, theirs: list[str], shapes: Any, last: Any, kind: str
) -> None:
    """Input and filters decide, and not the gradient that comes in: as in PyTorch."""
    from cudnn_cffi.torch import install

    forms = [torch.channels_last if each else torch.contiguous_format for each in last]
    x, w = (torch.randn(s).to(memory_format=f) for s, f in zip(shapes, forms, strict=True))
    y = torch.nn.functional.conv2d(x, w)
    dy = y.new_ones(()).expand(y.shape)
    if kind != "repeated":
        form = torch.channels_last if kind == "channels last" else torch.contiguous_format
        dy = torch.randn_like(y).contiguous(memory_format=form)
    call = dy, x, w, [len(w)], [1, 1], [0, 0], [1, 1], False, [0, 0], 1, [True] * 3
    with install() as installation:
        found = torch.ops.aten.convolution_backward(*call)
    wanted = torch.ops.aten.convolution_backward(*call)
    torch.testing.assert_close(found, wanted)
    form = torch.channels_last if any(last) else torch.contiguous_format
    assert found[0].is_contiguous(memory_format=form)
    assert found[1].is_contiguous(memory_format=form)
    assert len(installation.report.handled) == 2


def test_transforms_and_modes(torch: ModuleType, theirs: list[str], stand_in: list[str]) -> None:
    """They come before the kernels: vmap, gradients of functions, inference, second derivatives."""
    from cudnn_cffi.torch import install

    functional, func = torch.nn.functional, torch.func
    x, w = torch.randn(3, 2, 2, 5, 5).double(), torch.randn(4, 2, 3, 3).double()
    q = torch.randn(3, 2, 2, 5, 8).double()

    def inferred() -> Any:
        with torch.inference_mode():
            return functional.conv2d(x[0], w), functional.scaled_dot_product_attention(*q[:, :1])

    def twice() -> Any:
        given = [x[0].clone().requires_grad_(), w.clone().requires_grad_()]
        first = torch.autograd.grad(
            functional.conv2d(*given).square().sum(), given, create_graph=True
        )
        return torch.autograd.grad(sum(each.square().sum() for each in first), given)

    calls: list[Any] = [
        inferred, twice,
        lambda: func.vmap(functional.conv2d, (0, None))(x, w),
        lambda: func.grad(lambda w: functional.conv2d(x[0], w).square().sum())(w),
        lambda: func.jvp(lambda w: functional.conv2d(x[0], w), (w,), (w,)),
        lambda: func.grad(
            lambda q: functional.scaled_dot_product_attention(q, q, q).square().sum()
        )(q[0]),
    ]  # fmt: skip
    for call in calls:
        wanted = call()
        theirs.clear()
        with install() as installation:
            torch.testing.assert_close(call(), wanted)
        assert installation.report.handled
        assert installation.report.fallbacks == {}
        assert not theirs


def test_inference_before_training(torch: ModuleType, theirs: list[str]) -> None:
    """A state of random numbers that inference made is kept for no gradient."""
    from cudnn_cffi.torch import install
    from cudnn_cffi.torch.interfaces import attention

    attention._unread.clear()
    q = torch.randn(1, 2, 3, 8)
    with install(), torch.inference_mode():
        torch.nn.functional.scaled_dot_product_attention(q, q, q)
    with install():
        q.requires_grad_()
        torch.nn.functional.scaled_dot_product_attention(q, q, q).sum().backward()


def test_dropout(torch: ModuleType, theirs: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The gradient gets the random state of the call, which PyTorch's generator decides."""
    from cudnn_cffi.torch import install

    from . import stand_in

    states: list[Any] = []

    def noting(function: Any) -> Any:
        def compute(op: Any, *given: Any, seed: Any, offset: Any, bias: Any) -> Any:
            assert op.options["dropout"] == 0.5
            assert seed.shape == offset.shape == (1,)
            states.append((int(seed), int(offset)))
            plain = SimpleNamespace(options={**op.options, "dropout": 0.0})
            return function(plain, *given, bias=bias)

        return compute

    for cls, function in list(stand_in.STAND_INS.items()):
        if cls.__name__ in ("Attention", "AttentionBackward"):
            monkeypatch.setitem(stand_in.STAND_INS, cls, noting(function))
    q = torch.randn(1, 2, 3, 8, requires_grad=True)
    with install("attention"):
        for _ in range(2):
            torch.manual_seed(5)
            torch.nn.functional.scaled_dot_product_attention(q, q, q, None, 0.5).sum().backward()
    assert len(states) == 4
    assert len(set(states)) == 1


def test_compiled_models(torch: ModuleType, theirs: list[str], stand_in: list[str]) -> None:
    """Models compiled before are computed here, and by PyTorch again afterwards."""
    from cudnn_cffi.torch import install, uninstall

    w = torch.randn(4, 2, 3, 3, dtype=torch.float64, requires_grad=True)
    x = torch.randn(1, 2, 5, 5, dtype=torch.float64)

    def function(x: Any, w: Any) -> Any:
        y = torch.nn.functional.conv2d(x, w).relu()
        return torch.ops.aten._scaled_dot_product_cudnn_attention(y, y, y, None, True)[0].sum()

    for is_before in (True, False):
        torch._dynamo.reset()
        compiled = torch.compile(function, backend="aot_eager", fullgraph=True)
        if is_before:
            (wanted,) = torch.autograd.grad(compiled(x, w), w)
            assert not stand_in
        with install() as installation:
            (found,) = torch.autograd.grad(compiled(x, w), w)
        torch.testing.assert_close(found, wanted)
        assert set(installation.report.handled) == {
            "attention", "attention_backward", "convolution", "convolution_backward_filter",
        }  # fmt: skip
        stand_in.clear()
        assert torch.equal(torch.autograd.grad(compiled(x, w), w)[0], wanted)
        assert not stand_in
    uninstall()


def test_threads(torch: ModuleType, theirs: list[str], stand_in: list[str]) -> None:
    """Threads compute while it is installed and undone: results are right, calls are counted."""
    from cudnn_cffi.torch import install

    x, w = torch.randn(1, 2, 6, 6).double(), torch.randn(3, 2, 3, 3).double()
    wanted = torch.nn.functional.conv2d(x, w)
    errors: list[BaseException] = []
    stop = threading.Event()

    def compute() -> None:
        try:
            while not stop.is_set():
                torch.testing.assert_close(torch.nn.functional.conv2d(x, w), wanted)
        except BaseException as error:
            errors.append(error)

    def toggle() -> None:
        try:
            for _ in range(50):
                with install() as one, install("convolution"):
                    assert one.active
        except BaseException as error:
            errors.append(error)

    def together(*functions: Any) -> None:
        threads = [threading.Thread(target=each) for each in functions]
        for each in threads:
            each.start()
        for each in threads[-2:]:
            each.join()
        stop.set()
        for each in threads:
            each.join()

    together(compute, compute, toggle, toggle)
    assert errors == []
    count = 200

    def some() -> None:
        for _ in range(count):
            torch.nn.functional.conv2d(x, w)

    with install() as installation:
        together(some, some, some)
    assert installation.report.handled == {"convolution": 3 * count}


def test_many_calls_are_counted(torch: ModuleType, theirs: list[str]) -> None:
    """By threads, also if nobody reads the report; reading it counts nothing."""
    from cudnn_cffi.torch import install
    from cudnn_cffi.torch.interfaces import kernel

    count = 6000

    def some(_: int) -> None:
        for place in range(count):
            kernel.tell("attention", "" if place % 3 else "a reason")

    with install() as installation:
        in_threads(some, range(3))
    for _ in range(2):
        assert installation.report.handled == {"attention": 2 * count}
        assert installation.report.fallbacks == {"attention": {"a reason": count}}


def test_copies_are_undone(torch: ModuleType) -> None:
    from cudnn_cffi.torch import install
    from cudnn_cffi.torch.interfaces import kernel

    with install("attention", fallback="error") as installation:
        kernel.tell("attention", "")
        for made in (copy.copy(installation), pickle.loads(pickle.dumps(installation))):
            assert (made.names, made.fallback, made.active) == (("attention",), "error", False)
            assert not made.report
        assert installation.report.handled == {"attention": 1}


def test_kernels_that_threads_are_in(torch: ModuleType, program: Program) -> None:
    """A thread may wait for Python's lock in a kernel that is taken away."""
    assert program("replaced_kernels", None, 300).stdout == "survived\n"
