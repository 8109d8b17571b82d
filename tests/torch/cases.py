"""Modules of all kinds, with options and the shapes of their inputs; for tests on CPU and GPU."""

from __future__ import annotations

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
    _case("LeakyReLU", 0.2, shape=(2, 5, 8)),
    _case("SiLU", shape=(2, 5, 8)),
    _case("GELU", shape=(2, 5, 8)),
    _case("GELU", shape=(2, 5, 8), approximate="tanh"),
    _case("Softplus", 1.5, shape=(2, 5, 8)),
    _case("Softmax", 1, shape=(3, 7, 4)),
    _case("Softmax", -1, shape=(3, 7)),
    _case("LogSoftmax", 1, shape=(3, 7, 4, 2)),
    _case("Softmax2d", shape=(3, 7, 4, 2)),
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
    _case("InstanceNorm1d", 6, shape=(2, 6, 16)),
    _case("InstanceNorm2d", 6, shape=(2, 6, 7, 5), affine=True),
    _case("InstanceNorm2d", 6, shape=(6, 7, 5)),
    _case("InstanceNorm3d", 6, shape=(2, 6, 3, 4, 5), affine=True),
    _case("LocalResponseNorm", 5, shape=(2, 8, 5, 6)),
    _case("LocalResponseNorm", 4, shape=(2, 8, 5, 6)),
]


def name_of(case: Case) -> str:
    options = ",".join(f"{name}={value}" for name, value in case.options.items())
    return f"{case.name}{case.arguments}{case.shape}{options}".replace(" ", "")
