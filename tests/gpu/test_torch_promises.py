"""Gradients are used in all ways that PyTorch has, on a GPU and against float64: those of modules, of
installed kernels, of models fused for training and of attention in FP8. Memory and threads are, too."""

from __future__ import annotations

import copy
import gc
import threading
from functools import partial
from typing import Any

import pytest

from tests.gpu.conftest import capturing
from tests.gpu.test_torch_fuse import poison
from tests.gpu.test_torch_modules import made
from tests.threads import in_threads
from tests.torch.cases import MODULES, Case, name_of

promises = pytest.importorskip("tests.torch.promises", exc_type=ImportError)

pytestmark = pytest.mark.usefixtures("exact")

#: One case for each module that a plan, several or a function computes.
KINDS = (
    *("Conv2d", "ConvTranspose2d", "MaxPool2d", "AvgPool2d", "ReLU", "GELU", "Softmax"),
    *("BatchNorm2d", "LayerNorm", "RMSNorm", "InstanceNorm2d", "LocalResponseNorm"),
)
CASES = [next(each for each in MODULES if each.name == name) for name in KINDS]


def errors_of(found: list[Any], wanted: list[Any]) -> list[float]:
    assert len(found) == len(wanted)
    made = []
    for one, other in zip(found, wanted, strict=True):
        assert one.shape == other.shape
        right = other.detach().double().to(one.device)
        made.append(float((one.detach().double() - right).norm() / right.norm().clamp(min=1e-2)))
    return made


@pytest.mark.parametrize("case", CASES, ids=name_of)
@pytest.mark.usefixtures("nodes")
def test_modules(torch: Any, case: Case) -> None:
    torch.manual_seed(4)
    x = torch.randn(case.shape)
    if "Pool" in case.name:  # no two elements are the same
        x = torch.randperm(x.numel()).view(case.shape) / x.numel() - 0.5
    for name in promises.PROMISES:
        torch.manual_seed(3)
        ours, theirs = made(torch, case, torch.float32)
        ours.fallback = "silent"  # hooks may change the strides of statistics, which is refused
        poison(torch)
        found = promises.compute(name, ours, theirs, x.cuda(), x.double())
        errors = errors_of(*found)
        # Norms hardly depend on the size of x: their second derivative by it is what cancels.
        limit = 1e-2 if name == "hessian" else 2e-3
        assert max(errors, default=0) < limit, (name, errors)
    promises.changed_in_between(made(torch, case, torch.float32)[0], x.cuda())


@pytest.mark.usefixtures("extension")
@pytest.mark.parametrize("kind", ["Conv2d", "with a bias", "ConvTranspose2d"])
def test_installed_kernels(torch: Any, kind: str) -> None:
    from cudnn_cffi.torch import install

    nn = torch.nn
    torch.manual_seed(1)
    module = {
        "Conv2d": lambda: nn.Conv2d(16, 16, 3, padding=1, bias=False),
        "with a bias": lambda: nn.Conv2d(16, 16, 3, stride=2),
        "ConvTranspose2d": lambda: nn.ConvTranspose2d(16, 16, 3, stride=2),
    }[kind]()
    wide = copy.deepcopy(module).double().cuda()
    module = module.cuda()
    eager = copy.deepcopy(module)
    x = torch.randn(2, 16, 9, 8, device="cuda")
    calls = 0
    for name in promises.PROMISES:
        poison(torch)
        theirs, wanted = promises.compute(name, eager, wide, x, x.double())
        with install() as installation:
            ours, _ = promises.compute(name, module, wide, x, x.double())
        calls += sum(installation.report.handled.values())
        pairs = list(zip(errors_of(ours, wanted), errors_of(theirs, wanted), strict=True))
        assert all(one < 2 * other + 2e-5 for one, other in pairs), (name, pairs)
    assert calls > 100
    with install():
        promises.changed_in_between(module, x)


def test_many_gradients_beside_one(torch: Any) -> None:
    """Gradients of two convolutions of an image, of which one is the same for all of many."""
    from cudnn_cffi.torch import fuse

    nn = torch.nn
    torch.manual_seed(9)

    class Two(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.first = nn.Conv2d(8, 16, 3, padding=1)
            self.left, self.right = (nn.Conv2d(16, 16, 3, padding=1) for _ in range(2))

        def forward(self, x: Any) -> Any:
            x = self.first(x)
            return self.left(x), self.right(x)

    model = Two().cuda().to(memory_format=torch.channels_last)
    fused = fuse(model, training=True)
    x = torch.randn(2, 8, 12, 12, device="cuda").to(memory_format=torch.channels_last)
    x.requires_grad_()
    many = torch.randn(3, 2, 16, 12, 12, device="cuda")
    found = []
    for call in (fused, fused, model):
        results = call(x)
        for order in (0, 1):

            def grad(dy: Any, results: Any = results, order: int = order) -> Any:
                dys = (dy, many[0]) if order else (many[0], dy)
                return torch.autograd.grad(results, x, dys, retain_graph=True)[0]

            found.append([torch.func.vmap(grad)(many), torch.stack([grad(each) for each in many])])
    *ours, first, second = found
    for one, wanted in zip(ours, (first, second) * 2, strict=True):
        for each, other in zip(one, wanted, strict=True):
            assert max(errors_of([each], [other])) < 1e-5


def test_tensors_that_kernels_of_norms_do_not_read(torch: Any) -> None:
    """They are weights with gaps, and tensors with a negative bit."""
    from cudnn_cffi.torch.fusion.training import norms
    from cudnn_cffi.torch.modules import BatchNorm2d

    torch.manual_seed(2)
    own = BatchNorm2d(64, track_running_stats=False).cuda()
    for name in ("weight", "bias"):
        setattr(own, name, torch.nn.Parameter(torch.randn(128, device="cuda")[::2]))
    x = torch.randn(4, 64, 9, 9, device="cuda").bfloat16().to(memory_format=torch.channels_last)
    zeros = torch.zeros(64, dtype=torch.int32, device="cuda")
    norm = norms.Normalizing(own, ("relu", None), 0, has_word=False)

    def right(x: Any) -> Any:
        given = own.weight.double(), own.bias.double()
        return torch.nn.functional.batch_norm(x, None, None, *given, True).relu()

    assert max(errors_of([norm(x, zeros)], [right(x.double())])) < 1e-2
    # Numbers whose signs are not those in memory, as imaginary parts have them.
    own.weight, own.bias = (torch.nn.Parameter(torch.randn(64, device="cuda")) for _ in range(2))
    dy = torch.randn_like(x)
    made = []
    for kind in (x.dtype, torch.float64):
        given = torch._neg_view(x.to(kind)).requires_grad_()
        y = right(given) if kind == torch.float64 else norm(given, zeros)
        grads = torch.autograd.grad(y, [given, own.weight], torch._neg_view(dy.to(kind)))
        made.append([y, *grads])
    assert max(errors_of(*made)) < 2e-2


def test_gradients_of_attention_of_fp8(torch: Any) -> None:
    """Many at once, of checkpoints, and in transforms, which PyTorch computes."""
    from cudnn_cffi import NotSupportedError
    from cudnn_cffi.torch import modules

    torch.manual_seed(5)
    module = modules.ScaledDotProductAttentionFP8()
    given = [
        torch.randn(1, 2, 64, 128, device="cuda").bfloat16().requires_grad_() for _ in range(3)
    ]
    wide = [each.detach().double().requires_grad_() for each in given]
    y = torch.nn.functional.scaled_dot_product_attention(*wide)
    many = torch.randn(3, *y.shape, device="cuda").bfloat16()
    rows = [torch.autograd.grad(y, wide, each.double(), retain_graph=True) for each in many]
    wanted = [torch.stack(each) for each in zip(*rows, strict=True)]

    def once() -> Any:
        return module(*given)

    checkpoint = torch.utils.checkpoint.checkpoint
    for call in (once, lambda: checkpoint(once, use_reentrant=False)):
        y = call()
        found = torch.autograd.grad(y, given, many, is_grads_batched=True)
        assert max(errors_of(list(found), wanted)) < 0.12
    y = once()

    def one(dy: Any) -> Any:
        return torch.autograd.grad(y, given, dy, retain_graph=True)

    assert max(errors_of(list(torch.func.vmap(one)(many)), wanted)) < 0.12
    found = torch.func.vjp(module, *given)[1](many[0])
    assert max(errors_of(list(found), [each[0] for each in wanted])) < 0.05
    y = once()
    with pytest.raises(NotSupportedError, match="FP8: cuDNN has no second derivative"):
        torch.autograd.grad(y, given, many[0], create_graph=True)


@pytest.mark.parametrize("p", [0.4])
def test_dropout_in_networks_and_checkpoints(torch: Any, p: float) -> None:
    from cudnn_cffi import NotSupportedError
    from cudnn_cffi.torch import modules

    net = modules.LSTM(32, 16, 2, dropout=p).cuda()
    x = torch.randn(5, 3, 32, device="cuda", requires_grad=True)
    for module in (lambda x: net(x)[0], modules.Dropout(p)):
        y = torch.utils.checkpoint.checkpoint(module, x, use_reentrant=False)
        with pytest.raises(NotSupportedError, match="backward pass"):
            y.sum().backward()
        module(x).sum().backward()
    with pytest.raises(NotSupportedError, match="recurrent network: cuDNN has no second"):
        torch.autograd.grad(net(x)[0].sum(), x, create_graph=True)
    net.eval()
    torch.utils.checkpoint.checkpoint(lambda x: net(x)[0], x, use_reentrant=False).sum().backward()


def test_a_graph_that_a_thread_has_captured(torch: Any) -> None:
    """It computes after its thread has ended, while others take and free memory."""
    from cudnn_cffi.torch import functional

    torch.manual_seed(6)
    x, w = torch.randn(8, 64, 28, 28, device="cuda"), torch.randn(64, 64, 3, 3, device="cuda")
    x, w = x.half(), w.half()
    graph, results, stream = torch.cuda.CUDAGraph(), [], torch.cuda.Stream()

    def work() -> None:
        with torch.cuda.stream(stream):
            for _ in range(2):
                functional.conv2d(x, w, padding=1)
            stream.synchronize()
            with capturing(graph, stream):
                results.append(functional.conv2d(x, w, padding=1))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    del thread
    gc.collect()
    torch.cuda.empty_cache()
    for turn in range(3):
        others = [threading.Thread(target=_convolve, args=(torch, turn)) for _ in range(3)]
        for each in others:
            each.start()
        for each in others:
            each.join()
        poison(torch)
        x.copy_(torch.randn_like(x))
        results[0].fill_(torch.nan)
        graph.replay()
        wanted = torch.nn.functional.conv2d(x.double(), w.double(), padding=1)
        assert max(errors_of(results, [wanted])) < 4e-3


def _convolve(torch: Any, turn: int) -> None:
    from cudnn_cffi.torch import functional

    with torch.cuda.stream(torch.cuda.Stream()):
        x = torch.full((4, 32, 20 + turn, 20), torch.nan, device="cuda").half()
        functional.conv2d(x, torch.randn(64, 32, 3, 3, device="cuda").half())
        torch.cuda.current_stream().synchronize()


@pytest.mark.usefixtures("extension")
@pytest.mark.parametrize("how", ["convert", "install"])
def test_memory_that_others_take_and_free(torch: Any, how: str) -> None:
    """Eight threads with streams, cached memory that is given back, pools, tensors freed early."""
    from cudnn_cffi.torch import convert, install, uninstall

    nn = torch.nn
    torch.manual_seed(7)
    model = nn.Sequential(
        nn.Conv2d(8, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16, track_running_stats=False), nn.ReLU(),
        nn.MaxPool2d(2), nn.Conv2d(16, 8, 3, stride=2), nn.GELU(),
    ).cuda()  # fmt: skip
    wide = copy.deepcopy(model).double()
    assert (install if how == "install" else partial(convert, model))()
    inputs = [torch.randn(2 + turn % 3, 8, 16, 16 + turn) for turn in range(8)]
    wanted = []
    for each in inputs:
        x = each.double().cuda().requires_grad_()
        wanted.append(torch.autograd.grad(wide(x).square().sum(), [x, *wide.parameters()]))
    torch.cuda.synchronize()
    pool = torch.cuda.MemPool() if hasattr(torch.cuda, "MemPool") else None

    def work(place: int) -> None:
        stream, other = torch.cuda.Stream(), torch.cuda.Stream()
        for turn in range(12):
            other.wait_stream(stream)
            with torch.cuda.stream(other):
                x = inputs[place].cuda()
            stream.wait_stream(other)
            with torch.cuda.stream(stream):
                x.record_stream(stream)
                leaf = x.requires_grad_()
                loss = model(leaf).square().sum()
                found = torch.autograd.grad(loss, [leaf, *model.parameters()])
                del x, leaf, loss
            with torch.cuda.stream(other):  # what was freed there is written to
                torch.full((inputs[place].numel(),), torch.nan, device="cuda")
            if turn % 4 == place % 4:
                torch.cuda.empty_cache()
            with torch.cuda.stream(stream):
                assert max(errors_of(list(found), list(wanted[place]))) <= 2e-4

    try:
        in_threads(work, range(8))
        if pool is not None and hasattr(torch.cuda, "use_mem_pool"):
            for place in range(2):
                with torch.cuda.use_mem_pool(pool):
                    x = inputs[place].cuda().requires_grad_()
                    found = torch.autograd.grad(model(x).square().sum(), [x, *model.parameters()])
                assert max(errors_of(list(found), list(wanted[place]))) < 2e-4
    finally:
        uninstall()
