"""Modules of all kinds, with options and the shapes of their inputs; for tests on CPU and GPU."""

from __future__ import annotations

import inspect
from typing import Any, NamedTuple


class Case(NamedTuple):
    name: str
    arguments: tuple[Any, ...]
    options: dict[str, Any]
    shape: tuple[int, ...]


def _case(name: str, *arguments: Any, shape: tuple[int, ...], **options: Any) -> Case:
    return Case(name, arguments, options, shape)


MODULES = [
    _case("Conv1d", 6, 8, 3, shape=(2, 6, 17), padding=1),
    _case("Conv1d", 6, 8, 3, shape=(6, 17), stride=2),
    _case("Conv2d", 6, 8, 3, shape=(2, 6, 9, 11), padding=1),
    _case("Conv2d", 6, 8, (3, 2), shape=(2, 6, 9, 11), padding="same"),
    _case("Conv2d", 6, 8, 3, shape=(2, 6, 9, 11), padding=(1, 2), stride=2, bias=False),
    _case("Conv2d", 6, 12, 3, shape=(2, 6, 9, 11), dilation=2, groups=3),
    _case("Conv2d", 6, 8, 3, shape=(2, 6, 9, 11), padding=1, padding_mode="reflect"),
    _case("Conv2d", 6, 8, 3, shape=(6, 9, 11), padding="valid"),
    _case("Conv2d", 6, 6, 3, shape=(2, 6, 9, 11), groups=6, padding=1),
    _case("Conv3d", 4, 8, 3, shape=(2, 4, 5, 6, 7), padding=1),
    _case("ConvTranspose1d", 6, 8, 3, shape=(2, 6, 9), stride=2, output_padding=1),
    _case("ConvTranspose2d", 6, 8, 3, shape=(2, 6, 7, 5), stride=2, padding=1),
    _case("ConvTranspose2d", 6, 8, 3, shape=(2, 6, 7, 5), stride=2, output_padding=1, groups=2),
    _case("ConvTranspose3d", 4, 6, 3, shape=(2, 4, 3, 4, 5), bias=False),
    _case("Conv3d", 4, 8, 3, shape=(4, 5, 6, 7), padding=1),
    _case("ConvTranspose1d", 6, 8, 3, shape=(6, 9), stride=2),
    _case("ConvTranspose2d", 6, 8, 3, shape=(6, 7, 5), stride=2, padding=1, dilation=2),
    _case("ConvTranspose3d", 4, 6, 3, shape=(4, 3, 4, 5)),
    _case("MaxPool1d", 3, shape=(4, 12), stride=2),
    _case("MaxPool3d", 2, shape=(4, 4, 6, 6)),
    _case("AvgPool1d", 3, shape=(4, 12), padding=1),
    _case("AvgPool2d", 2, shape=(4, 8, 8)),
    _case("AvgPool3d", 2, shape=(4, 4, 6, 6)),
    _case("MaxPool1d", 3, shape=(2, 4, 12)),
    _case("MaxPool2d", 3, shape=(2, 4, 9, 9), stride=2, padding=1),
    _case("MaxPool2d", 2, shape=(4, 8, 8)),
    _case("MaxPool2d", 3, shape=(2, 4, 10, 10), stride=2, ceil_mode=True),
    _case("MaxPool3d", 2, shape=(2, 4, 4, 6, 6)),
    _case("AvgPool1d", 3, shape=(2, 4, 12), stride=2),
    _case("AvgPool2d", 3, shape=(2, 4, 9, 9), stride=2, padding=1),
    _case("AvgPool2d", 3, shape=(2, 4, 9, 9), padding=1, count_include_pad=False),
    _case("AvgPool3d", 2, shape=(2, 4, 4, 6, 6)),
    _case("ReLU", shape=(2, 5, 7)),
    _case("ReLU6", shape=(2, 5, 7)),
    _case("Sigmoid", shape=(2, 5, 7)),
    _case("Tanh", shape=(2, 5, 7)),
    _case("ELU", 0.7, shape=(2, 5, 7)),
    _case("LeakyReLU", 0.2, shape=(4, 16, 32)),
    _case("SiLU", shape=(4, 16, 32)),
    _case("GELU", shape=(4, 16, 32)),
    _case("GELU", shape=(4, 16, 32), approximate="tanh"),
    _case("Softplus", 1.5, shape=(4, 16, 32)),
    _case("Softmax", 1, shape=(3, 7, 4)),
    _case("Softmax", -1, shape=(3, 7)),
    _case("LogSoftmax", 1, shape=(3, 7, 4, 2)),
    _case("Softmax2d", shape=(3, 7, 4, 2)),
    _case("Softmax2d", shape=(7, 4, 2)),
    _case("BatchNorm1d", 6, shape=(8, 6)),
    _case("BatchNorm1d", 6, shape=(4, 6, 5)),
    _case("BatchNorm2d", 6, shape=(4, 6, 5, 3), momentum=0.3, eps=1e-3),
    _case("BatchNorm2d", 6, shape=(4, 6, 5, 3), affine=False),
    _case("BatchNorm2d", 6, shape=(4, 6, 5, 3), track_running_stats=False),
    _case("BatchNorm3d", 6, shape=(2, 6, 3, 4, 3)),
    _case("LayerNorm", 16, shape=(4, 5, 16)),
    _case("LayerNorm", (5, 16), shape=(4, 5, 16), eps=1e-3),
    _case("LayerNorm", 16, shape=(4, 5, 16), elementwise_affine=False),
    _case("LayerNorm", 16, shape=(4, 5, 16), bias=False),
    _case("RMSNorm", 16, shape=(4, 5, 16)),
    _case("RMSNorm", 16, shape=(4, 5, 16), eps=1e-5, elementwise_affine=False),
    _case("GroupNorm", 3, 6, shape=(2, 6, 7, 5)),
    _case("GroupNorm", 2, 8, shape=(3, 8, 9), affine=False, eps=1e-3),
    _case("InstanceNorm1d", 6, shape=(2, 6, 16)),
    _case("InstanceNorm2d", 6, shape=(2, 6, 7, 5), affine=True),
    _case("InstanceNorm2d", 6, shape=(6, 7, 5)),
    _case("InstanceNorm1d", 6, shape=(6, 16), affine=True),
    _case("InstanceNorm3d", 6, shape=(6, 3, 4, 5)),
    _case("InstanceNorm3d", 6, shape=(2, 6, 3, 4, 5), affine=True),
    _case("LocalResponseNorm", 5, shape=(2, 8, 5, 6)),
    _case("LocalResponseNorm", 3, shape=(2, 8, 7)),
    _case("LocalResponseNorm", 3, shape=(2, 8, 3, 4, 3)),
    _case("LocalResponseNorm", 4, shape=(2, 8, 5, 6)),
]


def name_of(case: Case) -> str:
    options = ",".join(f"{name}={value}" for name, value in case.options.items())
    return f"{case.name}{case.arguments}{case.shape}{options}".replace(" ", "")


def has_channels_last(case: Case) -> bool:
    """Whether the input of a module has a batch, and a layout with channels last."""
    count = case.name[-2] if case.name.endswith("d") and case.name[-2].isdigit() else ""
    return len(case.shape) == int(count or len(case.shape) - 2) + 2 in (4, 5)


LAYOUTS = ("last", "backward", "gaps", "rows", "repeated", "negative", "offset")


def laid_out(torch: Any, x: Any, how: str) -> Any:
    """The same numbers in another memory; those that are repeated are those of the first."""
    axes = tuple(reversed(range(x.dim())))
    if how == "last":
        axes = (0, *range(2, x.dim()), 1)
        back = (0, x.dim() - 1, *range(1, x.dim() - 1))
        return x.permute(axes).contiguous().permute(back) if x.dim() > 2 else x
    if how == "backward":
        return x.permute(axes).contiguous().permute(axes)
    if how == "gaps":
        return torch.stack([x, torch.full_like(x, float("nan"))], -1).flatten(-2)[..., ::2]
    if how == "rows":
        return torch.stack([x, torch.full_like(x, float("nan"))], 1).flatten(0, 1)[::2]
    if how == "repeated":
        return x[..., :1].expand_as(x)
    if how == "negative":
        return torch._neg_view(-x)
    if how == "offset":
        return torch.cat([x.new_zeros(1), x.flatten()])[1:].view_as(x)
    return x


#: Number of calls of operators.
OPERATORS = 63


def check_operator(torch: Any, name: str, arguments: tuple[Any, ...], **more: Any) -> None:
    """Have PyTorch check an operator; releases before 2.7 have no tolerances of their own here."""
    parameters = inspect.signature(torch.library.opcheck).parameters
    if "rtol" in parameters:
        more |= {"rtol": 1e-2, "atol": 1e-2}
    torch.library.opcheck(getattr(torch.ops.cudnn_cffi, name).default, arguments, **more)


def compiled(torch: Any, function: Any, *given: Any, **named: Any) -> Any:
    """Return a function as one graph; it is called before where the compiler cannot make layers."""
    torch._dynamo.reset()  # it compiles a function a few times only
    if tuple(map(int, torch.__version__.split(".")[:2])) < (2, 10):
        function(*given, **named)
    return torch.compile(function, fullgraph=True, backend="aot_eager")


def operator_calls(torch: Any, device: str) -> list[tuple[str, tuple[Any, ...]]]:
    """Operators with arguments."""

    def t(*shape: int, dtype: Any = torch.float32) -> Any:
        return torch.randn(shape, device=device, dtype=dtype, requires_grad=True)

    def d(*shape: int, dtype: Any = torch.float32) -> Any:
        return t(*shape, dtype=dtype).detach()

    def stat(*shape: int) -> Any:
        return torch.rand(shape, device=device) + 0.5

    def numbers(*given: int) -> Any:
        return torch.tensor(given, dtype=torch.int32, device=device)

    def reserve(x: Any) -> Any:
        size = (x.numel() + 31) // 32 * 4
        return torch.randint(0, 256, (size,), dtype=torch.uint8, device=device)

    half = torch.float16
    window = ((1, 1), (1, 1), (1, 1), 1)
    x, w = t(2, 4, 6, 6), t(8, 4, 3, 3)
    attention = (2, 4, 4, 4, 3, 3, 5, 4, 0.7, 0.0, True, False)
    heads = 2 * (3 * 4 + 3 * 4 + 5 * 4 + 4 * 5)
    last = x.detach().to(memory_format=torch.channels_last).requires_grad_()
    return [
        ("convolution", (x, w, t(8), *window, "")),
        ("convolution", (x, w, None, *window, "deterministic")),
        ("convolution_backward_data", (t(2, 8, 6, 6), w, (2, 4, 6, 6), *window, "")),
        ("convolution_backward_filter", (x, t(2, 8, 6, 6), (8, 4, 3, 3), *window, "")),
        ("convolution_transpose", (t(2, 8, 6, 6), w, t(4), *window, (0, 0), "")),
        ("pooling", (x, "max", (2, 2), (2, 2), (0, 0), True, "")),
        ("pooling", (x, "average", (2, 2), (2, 2), (0, 0), True, "")),
        ("activation", (x, "relu", None, "")),
        ("activation", (x, "elu", 0.5, "")),
        ("softmax", (x, 1, True, False, "")),
        ("batch_norm", (x, t(4), t(4), 0.1, 1e-5, "")),
        ("batch_norm_activation", (x, t(4), t(4), t(2, 4, 6, 6), 0.1, 1e-5, "")),
        ("batch_norm_activation", (last, None, None, None, 0.1, 1e-5, "")),
        ("batch_norm_activation_backward", (x, x, x, t(4), t(4), stat(4), stat(4), None, 1e-5, True,
                                            "")),
        ("batch_norm_inference", (x, t(4), t(4), stat(4), stat(4), 1e-5, "")),
        ("batch_norm_inference", (x.detach().half(), *(stat(4).half() for _ in range(4)), 1e-5, "")),
        ("layer_norm", (t(4, 16, dtype=half), t(16, dtype=half), t(16, dtype=half), (16,), 1e-5, "")),
        ("rms_norm", (t(4, 16, dtype=half), t(16, dtype=half), (16,), 1e-5, "")),
        ("group_norm", (x, t(4), t(4), 2, 1e-5, "")),
        ("instance_norm", (x, t(4), t(4), 1e-5, "")),
        ("local_response_norm", (x, 5, 1e-4, 0.75, 1.0, "")),
        ("affine_grid", (t(2, 2, 3), (2, 4, 6, 6), "")),
        ("grid_sample", (x, torch.rand(2, 5, 5, 2, device=device, requires_grad=True), "")),
        ("attention", (*(t(1, 2, 64, 64, dtype=half) for _ in range(3)), None, None, None, None,
                       True, 0.0, "")),
        ("attention_backward", (*(d(1, 2, 64, 64, dtype=half) for _ in range(5)), d(1, 2, 64, 1), None,
                                None, None, None, True, 0.0, False, "")),
        ("decode_attention", (d(2, 4, 2, 64, dtype=half), *(d(6, 2, 16, 64, dtype=half) for _ in "kv"),
                              numbers(0, 4, 1, 5, 2, 3).reshape(2, 3), numbers(33, 7), d(4), None,
                              20, 5.0, None, False, False, "")),
        ("divisive_norm", (x, t(2, 4, 6, 6), 3, 0.5, 0.75, 1.0, "")),
        ("divisive_norm", (x, None, 3, 0.5, 0.75, 1.0, "")),
        ("im2col", (x, (2, 3), (1, 2), (0, 1), (2, 1), (6, 6), "")),
        ("col2im", (t(2, 24, 12), (2, 3), (1, 2), (0, 1), (2, 1), (6, 6), "")),
        ("fold", (x, (2, 2), "")),
        ("unfold", (last, (2, 1), "")),
        ("aggregate", (t(5, 3), numbers(0, 2, 2, 4), numbers(4, 1, 1, 0), "mean", "")),
        ("aggregate", (t(5, 3), numbers(0, 2, 2, 4), numbers(4, 1, 1, 0), "max", "")),
        ("aggregate_backward", (t(3, 3), numbers(0, 2, 2, 4), numbers(4, 1, 1, 0), numbers(), 5,
                                "sum", "")),
        ("causal_convolution", (t(2, 4, 9), t(4, 3), t(4), "silu", False, "")),
        ("causal_convolution", (t(2, 9, 4), t(4, 3), None, None, True, "")),
        ("causal_convolution_backward", (d(2, 4, 9), d(2, 4, 9), d(4, 3), None, None, False, "")),
        ("fft_causal_convolution", (t(2, 4, 8), t(4, 8), False, "")),
        ("fft_causal_convolution", (t(2, 4, 8), t(4, 8), True, "")),
        ("fft_causal_convolution_backward", (d(2, 4, 8), d(2, 4, 8), d(4, 8), None, True, "")),
        ("tensor_operation", (x, t(1, 4, 1, 1), "mul", 2.0, 0.5, "")),
        ("tensor_operation", (stat(2, 3).requires_grad_(), None, "sqrt", 1.0, 1.0, "")),
        ("reduce", (x, "norm2", (0, 2), False, "")),
        ("reduce", (last, "avg", (1,), True, "")),
        ("transform", (x, "NHWC", None, "")),
        ("transform", (last, None, "float16", "")),
        ("multi_head_attention", (t(2, 3, 4), t(2, 5, 4), t(2, 5, 4), t(heads), t(2, 3, 4),
                                  *attention, "")),
        ("multi_head_attention_backward", (d(2, 3, 4), d(2, 3, 4), d(2, 5, 4), d(2, 5, 4), d(heads),
                                           *attention, "")),
        ("activation_backward", (x.detach(), x.detach(), x.detach(), "tanh", None, "")),
        ("softmax_backward", (x.detach(), x.detach(), 1, False, True, "")),
        ("pooling_backward", (d(2, 4, 3, 3), x.detach(), d(2, 4, 3, 3), "max", (2, 2), (2, 2),
                              (0, 0), True, "")),
        ("batch_norm_backward", (x.detach(), x.detach(), d(4), stat(4), stat(4), 1e-5, "")),
        ("layer_norm_backward", (d(4, 16, dtype=half), d(4, 16, dtype=half), d(16, dtype=half),
                                 stat(4, 1), stat(4, 1), (16,), 1e-5, "")),
        ("rms_norm_backward", (d(4, 16, dtype=half), d(4, 16, dtype=half), d(16, dtype=half),
                               stat(4, 1), (16,), 1e-5, "")),
        ("instance_norm_backward", (x.detach(), x.detach(), d(4), stat(2, 4, 1, 1),
                                    stat(2, 4, 1, 1), 1e-5, "")),
        ("group_norm_backward", (x.detach(), x.detach(), d(4), stat(2, 2), stat(2, 2), 2, 1e-5,
                                 "")),
        ("local_response_norm_backward", (x.detach(), x.detach(), x.detach(), 5, 1e-4, 0.75, 1.0,
                                          "")),
        ("divisive_norm_backward", (x.detach(), x.detach(), None, 3, 0.5, 0.75, 1.0, "")),
        ("affine_grid_backward", (d(2, 6, 6, 2), (2, 4, 6, 6), "")),
        ("grid_sample_backward", (d(2, 4, 5, 5), x.detach(), d(2, 5, 5, 2), "")),
        ("dropout_backward", (x, reserve(x), 0.25, "")),
        ("ctc_loss", (t(12, 3, 5), numbers(1, 2, 3, 4, 2, 2, 1), numbers(12, 9, 12),
                      numbers(3, 2, 2), 3, "")),
    ]  # fmt: skip


def model_of(torch: Any, device: str) -> Any:
    from cudnn_cffi.torch import convert

    torch.manual_seed(2)
    nn = torch.nn
    model = nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU(inplace=True),
        nn.MaxPool2d(2), nn.Conv2d(8, 8, 3), nn.GELU(), nn.Softmax(1),
    ).to(device)  # fmt: skip
    convert(model, everything=True)
    return model
