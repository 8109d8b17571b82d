"""Time of cudnn_cffi.torch on a GPU, beside PyTorch: modules, converted networks, training steps.

Both are timed in turns in one process: the time of a call, from many calls one after the other.
With tensors as small as those of single modules that is the time on the host.

    python -m benchmarks.gpu_torch [--parts modules,functional,views,networks,training,recurrent,
                                            attention,installed]
                                   [--networks resnet18,...] [--rounds N] [--json FILE]
                                   [--record]

Each part has a record of its own.
"""

from __future__ import annotations

import os
import statistics
from collections.abc import Iterator
from contextlib import nullcontext
from functools import partial
from importlib import import_module
from typing import Any

from benchmarks import records
from benchmarks.gpu_fuse import microseconds
from benchmarks.timing import Call, captured

Row = dict[str, Any]


def compare(
    torch: Any, name: str, ours: Call, theirs: Call, goal: float, options: Any,
    around: Call = nullcontext,
) -> Row:  # fmt: skip
    """Return the medians of both, from rounds in turns; ours are in the context `around` makes."""
    pairs = ((ours, around), (theirs, nullcontext))
    for call, context in pairs:
        with context():
            for _ in range(5):
                call()
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(options.rounds):
        for into, (call, context) in zip(times, pairs, strict=True):
            with context():
                into.append(microseconds(torch, call, options.least))
    one, other = (statistics.median(each) for each in times)
    row = {"name": name, "ours": one, "theirs": other, "ratio": one / other, "goal": goal}
    mark = "" if one / other <= goal else "  above the goal"
    print(f"{one / other:6.3f} {one:9.1f} {other:9.1f}  {goal:4.2f}  {name}{mark}", flush=True)
    return row


def modules(torch: Any, options: Any) -> Iterator[Row]:
    """Yield rows of single modules, host time: small tensors, with and without gradients."""
    from cudnn_cffi.torch import compile_nodes, functional, modules

    compile_nodes()
    nn = torch.nn
    x = torch.randn(1, 8, 16, 16, device="cuda")
    w = torch.randn(8, 8, 3, 3, device="cuda", requires_grad=True)
    own = x.clone().requires_grad_()
    theirs = nn.functional.conv2d
    yield compare(
        torch, "conv2d, function, with gradient, host: forward",
        lambda: functional.conv2d(x, w, padding=1), lambda: theirs(x, w, padding=1), 1.15, options,
    )  # fmt: skip
    pairs = [
        ("Conv2d", (8, 8, 3), {"padding": 1, "bias": False}), ("Conv2d", (8, 8, 3), {"padding": 1}),
        ("ConvTranspose2d", (8, 8, 3), {}), ("BatchNorm2d", (8,), {}), ("MaxPool2d", (2,), {}),
        ("AvgPool2d", (2,), {}), ("ReLU", (), {}), ("GELU", (), {}), ("Softmax", (1,), {}),
        ("LayerNorm", (16,), {}), ("RMSNorm", (16,), {}), ("LocalResponseNorm", (5,), {}),
        ("InstanceNorm2d", (8,), {}),
    ]  # fmt: skip
    for name, arguments, keywords in pairs:
        one = getattr(modules, name)(*arguments, **keywords).cuda()
        other = getattr(nn, name)(*arguments, **keywords).cuda()
        dy = torch.randn_like(other(x))
        label = f"{name}{keywords or ''}"
        goal = 1.15 if name == "Conv2d" else 1.02
        with torch.no_grad():
            yield compare(
                torch,
                f"{label}, host: inference",
                partial(one, x),
                partial(other, x),
                goal,
                options,
            )
        yield compare(
            torch, f"{label}, host: forward", partial(one, own), partial(other, own), goal, options
        )

        def both(module: Any, dy: Any = dy, own: Any = own) -> Any:
            return torch.autograd.grad(module(own), [own, *module.parameters()], dy)

        yield compare(
            torch, f"{label}, host: forward and backward", partial(both, one), partial(both, other),
            goal, options,
        )  # fmt: skip


def functional(torch: Any, options: Any) -> Iterator[Row]:
    """Yield rows of functions, host time: with CUDNN_CFFI_REPLAY=0, executed; and cuDNN's own."""
    from cudnn_cffi.plan.descriptors import variant_pack

    cudnn: Any = import_module("cudnn_cffi")
    ours = import_module("cudnn_cffi.torch")
    ours.compile_nodes()
    x = torch.randn(1, 8, 16, 16, device="cuda")
    own, theirs = x.clone().requires_grad_(), torch.nn.functional
    for name, arguments in (
        ("avg_pool2d", (2,)), ("max_pool2d", (2,)), ("softmax", (1,)), ("gelu", ()), ("relu", ()),
        ("tanh", ()), ("sigmoid", ()), ("silu", ()),
    ):  # fmt: skip
        one, other = (getattr(room, name) for room in (ours.functional, theirs))
        for label, given in (("inference", x), ("forward", own)):
            with torch.set_grad_enabled(label == "forward"):
                yield compare(
                    torch, f"{name}: {label}", partial(one, given, *arguments),
                    partial(other, given, *arguments), 1.0, options,
                )  # fmt: skip
    kind, small = (cudnn.TensorDescriptor.packed((1, 8, size, size)) for size in (16, 8))
    y, handle, pool = x.new_empty(1, 8, 8, 8), cudnn.handle(), cudnn.PoolingDescriptor.average(2)
    call = partial(
        cudnn.cudnnPoolingForward, handle, pool, 1.0, kind, x.data_ptr(), 0.0, small, y.data_ptr()
    )
    label = "avg_pool2d: cudnnPoolingForward"
    yield compare(torch, label, call, partial(theirs.avg_pool2d, x, 2), 1.0, options)
    graph, y = cudnn.Graph(), torch.empty_like(x)
    graph.output(graph.gelu(graph.tensor(x)))
    plan = graph.build(handle)
    launch = plan._place((x, y), {"handle": handle})  # noqa: SLF001
    uids = [uid for uid, *_ in plan._packed]  # noqa: SLF001
    pack = variant_pack(uids, launch.addresses, launch.workspace)
    call = partial(cudnn.cudnnBackendExecute, handle, plan.execution_plan, pack)
    yield compare(torch, "gelu: cudnnBackendExecute", call, partial(theirs.gelu, x), 1.0, options)


def views(torch: Any, options: Any) -> Iterator[Row]:
    """Yield rows of modules of tensors with gaps, host time: half of the channels or columns."""
    from cudnn_cffi.torch import compile_nodes, modules

    compile_nodes()
    nn, last = torch.nn, torch.channels_last
    torch.backends.cudnn.benchmark = True
    kind = {"device": "cuda", "dtype": torch.float16}
    half = torch.randn(1, 116, 28, 28, **kind).contiguous(memory_format=last).chunk(2, 1)[1]
    rows = torch.randn(64, 1024, **kind)[:, :512]
    for x, name, arguments, keywords in (
        (half, "Conv2d", (58, 58, 1), {"bias": False}),
        (half, "Conv2d", (58, 58, 3), {"padding": 1, "groups": 58, "bias": False}),
        (half, "MaxPool2d", (2,), {}), (half, "AvgPool2d", (2,), {}),
        (rows, "LayerNorm", (512,), {}),
    ):  # fmt: skip
        one, other = (
            getattr(room, name)(*arguments, **keywords).cuda().half().to(memory_format=last)
            for room in (modules, nn)
        )
        label = f"{name}{keywords or ''} of a view, host"
        with torch.no_grad():
            yield compare(
                torch, f"{label}: inference", partial(one, x), partial(other, x), 1.02, options
            )
        own = x.detach().requires_grad_()
        # As the gradient of a concatenation is.
        y = other(x)
        dy = torch.cat([y, y], 1).chunk(2, 1)[0]

        def both(module: Any, dy: Any = dy, own: Any = own) -> Any:
            return torch.autograd.grad(module(own), [own, *module.parameters()], dy)

        yield compare(
            torch, f"{label}: forward and backward", partial(both, one), partial(both, other), 1.02,
            options,
        )  # fmt: skip
    torch.backends.cudnn.benchmark = False


NETWORKS = (
    "resnet18", "resnet50", "vgg11_bn", "squeezenet1_1", "densenet121", "mobilenet_v2",
    "shufflenet_v2_x1_0", "efficientnet_b0", "convnext_tiny",
)  # fmt: skip


def networks(torch: Any, options: Any) -> Iterator[Row]:
    """Yield rows of converted networks in inference: float16, channels last, and float32."""
    models = import_module("torchvision.models")
    convert = import_module("cudnn_cffi.torch").convert
    torch.backends.cudnn.benchmark = True
    for name in options.networks.split(","):
        for batch, dtype, last in (
            (1, "float16", True), (32, "float16", True), (1, "float32", False),
        ):  # fmt: skip
            kind = getattr(torch, dtype)
            form = torch.channels_last if last else torch.contiguous_format
            theirs = getattr(models, name)(weights=None).cuda().eval()
            ours = getattr(models, name)(weights=None).cuda().eval()
            convert(ours)
            for model in (ours, theirs):
                model.to(dtype=kind, memory_format=form)
            x = torch.randn(batch, 3, 224, 224, device="cuda", dtype=kind).to(memory_format=form)
            with torch.no_grad():
                text = f"{name}, batch {batch}, {dtype}, inference"
                yield compare(torch, text, partial(ours, x), partial(theirs, x), 1.02, options)
                if name in ("resnet18", "resnet50"):
                    convert(ours, everything=True)
                    yield compare(
                        torch, f"{text}, everything", partial(ours, x), partial(theirs, x), 1.02,
                        options,
                    )  # fmt: skip
    torch.backends.cudnn.benchmark = False


def _fuse_norms(torch: Any, model: Any) -> None:
    """Have the norms of a ResNet add the residual and compute the ReLU, which follow them."""
    modules = import_module("cudnn_cffi.torch").modules

    def fused(norm: Any) -> Any:
        made = modules.BatchNormActivation2d(norm.num_features, norm.eps, norm.momentum)
        made.load_state_dict(norm.state_dict())
        return made.to(norm.weight.device)

    def forward(block: Any, x: Any) -> Any:
        residual = x if block.downsample is None else block.downsample(x)
        y = block.bn1(block.conv1(x))
        if not hasattr(block, "conv3"):
            return block.bn2(block.conv2(y), residual)
        return block.bn3(block.conv3(block.bn2(block.conv2(y))), residual)

    model.bn1, model.relu = fused(model.bn1), torch.nn.Identity()
    for block in model.modules():
        if hasattr(block, "downsample"):
            for name in ("bn1", "bn2", "bn3"):
                if hasattr(block, name):
                    setattr(block, name, fused(getattr(block, name)))
            block.forward = partial(forward, block)


def _training_step(
    torch: Any, name: str, batch: int, *, ours: bool, as_graph: bool, fused: bool = False
) -> Call:
    """Return a step of training, in bfloat16 by autocast; as a CUDA graph if `as_graph`.

    With `fused`, norms, additions and ReLUs of our model are one step.
    """
    torch.manual_seed(0)
    model = getattr(import_module("torchvision.models"), name)(weights=None).cuda()
    model = model.to(memory_format=torch.channels_last)
    if ours:
        if fused:
            _fuse_norms(torch, model)
        import_module("cudnn_cffi.torch").convert(model)
    optimizer = torch.optim.SGD(model.parameters(), 0.01, momentum=0.9)
    x = torch.randn(batch, 3, 224, 224, device="cuda").to(memory_format=torch.channels_last)
    labels = torch.randint(0, 1000, (batch,), device="cuda")

    def step() -> None:
        optimizer.zero_grad()
        with torch.autocast("cuda", torch.bfloat16, cache_enabled=not as_graph):
            loss = torch.nn.functional.cross_entropy(model(x), labels)
        loss.backward()
        optimizer.step()

    if not as_graph:
        return step
    return captured(torch, step, before=optimizer.zero_grad)


def training(torch: Any, options: Any) -> Iterator[Row]:
    """Yield rows of training steps with benchmark=True, in bfloat16."""
    torch.backends.cudnn.benchmark = True
    for name, batch, as_graph, fused in (
        ("resnet50", 64, False, False),
        ("resnet50", 64, False, True),
        ("resnet50", 64, True, False),
        ("resnet50", 64, True, True),
        ("resnet18", 8, False, False),
        ("resnet18", 8, False, True),
    ):
        ours, theirs = (
            _training_step(torch, name, batch, ours=own, as_graph=as_graph, fused=fused)
            for own in (True, False)
        )
        how = "training step, captured" if as_graph else "training step"
        how += ", BatchNormActivation2d" if fused else ""
        text = f"{name}, batch {batch}, bfloat16 by autocast, channels last, {how}"
        yield compare(torch, text, ours, theirs, 1.02, options)
        del ours, theirs
        torch.cuda.empty_cache()
    torch.backends.cudnn.benchmark = False


def recurrent(torch: Any, options: Any) -> Iterator[Row]:
    """Yield rows of recurrent networks, forward and backward."""
    from cudnn_cffi.torch import modules

    for name in ("LSTM", "GRU"):
        for dtype, (steps, batch, inputs, hidden, layers) in (
            ("float16", (64, 64, 512, 512, 1)), ("float32", (100, 64, 512, 512, 2)),
            ("float16", (5, 2, 32, 16, 3)),
        ):  # fmt: skip
            kind = getattr(torch, dtype)
            x = torch.randn(steps, batch, inputs, device="cuda", dtype=kind, requires_grad=True)
            calls = []
            for room in (modules, torch.nn):
                net = getattr(room, name)(inputs, hidden, layers).cuda().to(kind)
                dy = torch.randn(steps, batch, hidden, device="cuda", dtype=kind)
                calls.append(
                    lambda net=net, dy=dy, x=x: torch.autograd.grad(
                        net(x)[0], [x, *net.parameters()], dy
                    )
                )
            text = (
                f"{name} {steps}x{batch}x{inputs}, hidden {hidden}, {layers} layers, {dtype}, both"
            )
            yield compare(torch, text, calls[0], calls[1], 1.05, options)


def attention(torch: Any, options: Any) -> Iterator[Row]:
    """Yield rows of attention, forward and backward."""
    from cudnn_cffi.torch import functional

    for shape in ((4, 16, 2048, 128), (2, 8, 512, 64)):
        for causal in (False, True):
            given = [
                torch.randn(shape, device="cuda", dtype=torch.float16, requires_grad=True)
                for _ in range(3)
            ]
            dy = torch.randn(shape, device="cuda", dtype=torch.float16)
            calls = [
                lambda f=f, given=given, dy=dy, causal=causal: torch.autograd.grad(
                    f(*given, is_causal=causal), given, dy
                )
                for f in (
                    functional.scaled_dot_product_attention,
                    torch.nn.functional.scaled_dot_product_attention,
                )
            ]
            text = f"attention {shape}{', causal' if causal else ''}, forward and backward"
            yield compare(torch, text, calls[0], calls[1], 1.05, options)


def installed(torch: Any, options: Any) -> Iterator[Row]:
    """Yield rows of PyTorch's own functions, host time: with kernels installed, and without."""
    ours = import_module("cudnn_cffi.torch")
    ours.compile_nodes()
    functional, kernels = torch.nn.functional, torch.nn.attention

    def both(function: Call, given: list[Any], dy: Any) -> Any:
        return torch.autograd.grad(function(*given), given, dy)

    def on_one_thread(*given: Any) -> Any:
        with torch.autograd.set_multithreading_enabled(False):
            return both(*given)

    cases: list[tuple[str, Call, list[Any], float]] = []
    q = torch.randn(2, 8, 128, 64, device="cuda", dtype=torch.float16)
    cases += [
        (f"attention{text}", partial(functional.scaled_dot_product_attention, **more), [q] * 3, 0.6)
        for text, more in (("", {}), (", causal", {"is_causal": True}))
    ]
    kind = {"device": "cuda", "dtype": torch.float16}
    mask = torch.randn(2, 8, 128, 128, **kind)
    function = partial(functional.scaled_dot_product_attention, attn_mask=mask)
    cases.append(("attention with a bias", function, [q] * 3, 0.6))
    x, w = torch.randn(1, 8, 16, 16, **kind), torch.randn(8, 8, 3, 3, **kind)
    convolve, bias = partial(functional.conv2d, padding=1), torch.randn(8, **kind)
    cases += [("conv2d", convolve, [x, w], 0.6), ("conv2d, bias", convolve, [x, w, bias], 0.6)]
    # Autograd alone: the gradient of a view costs next to nothing.
    cases.append(("view", partial(torch.unsqueeze, dim=0), [q], 1.0))
    forward, backward = (
        getattr(torch.ops.aten, f"_scaled_dot_product_cudnn_attention{end}")
        for end in ("", "_backward")
    )
    own = [q.clone() for _ in range(3)]
    o, stats, _, _, *lengths, seed, offset, _ = forward(*own, None, True, 0.0, False, False)
    given = [torch.randn_like(q), *own, o, stats, seed, offset, None, None, None, *lengths]
    alone = partial(backward, *given, 0.0, False)
    yield compare(torch, "attention, gradient alone", alone, alone, 0.6, options, ours.install)
    for text, call, given, goal in cases:
        own = [each.clone().requires_grad_() for each in given]
        dy = torch.randn_like(call(*given))
        calls = (
            ("inference", partial(call, *given)), ("forward", partial(call, *own)),
            ("forward and backward", partial(both, call, own, dy)),
            ("forward and backward on one thread", partial(on_one_thread, call, own, dy)),
        )  # fmt: skip
        for direction, timed in calls:
            with kernels.sdpa_kernel(kernels.SDPBackend.CUDNN_ATTENTION):
                label = f"{text}, {direction}"
                yield compare(torch, label, timed, timed, goal, options, ours.install)


PARTS = {
    each.__name__: each
    for each in (modules, functional, views, networks, training, recurrent, attention, installed)
}


def main() -> None:
    """Time the parts that were asked for."""
    parser = records.parser(__doc__)
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--networks", default=",".join(NETWORKS), help="torchvision's names")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--least", type=float, default=0.05, help="seconds of a measurement")
    options = parser.parse_args()
    torch = import_module("torch")
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}")
    print(" ratio  ours, us  PyTorch  goal")
    rows: list[Row] = []
    for part in options.parts.split(","):
        try:
            found = list(PARTS[part](torch, options))
            rows += found
            values = {
                row["name"]: {each: row[each] for each in ("ours", "theirs", "ratio")}
                for row in found
            }
            subject = tuple(f"overlay/cudnn_cffi/{each}" for each in ("torch", "ops", "plan"))
            device = torch.cuda.get_device_name()
            how = "_executed" if os.environ.get("CUDNN_CFFI_REPLAY") == "0" else ""
            name = f"gpu_torch_{part}{how}"
            records.finish(options, name, values, ("native", *subject), device)
        except Exception as error:
            print(f"{part}: {type(error).__name__}: {error}")
            raise
    above = [row for row in rows if row["ratio"] > row["goal"]]
    print(f"{len(above)} of {len(rows)} above their goals")


if __name__ == "__main__":
    main()
