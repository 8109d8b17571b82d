"""Computations to choose plans for, made of backend descriptors alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cudnn_cffi.choice.engine import descriptors
from cudnn_cffi.plan import Computation, Operand


def row_major(shape: Sequence[int]) -> tuple[int, ...]:
    strides = [1] * len(shape)
    for axis in range(len(shape) - 2, -1, -1):
        strides[axis] = strides[axis + 1] * shape[axis + 1]
    return tuple(strides)


def channels_last(shape: Sequence[int]) -> tuple[int, ...]:
    _n, c, h, w = shape
    return (h * w * c, 1, w * c, c)


def tensor(operand: Operand, *, virtual: bool = False) -> Any:
    from cudnn_cffi import DataType

    return descriptors.make(
        "TENSOR",
        data_type=DataType[operand.data_type],
        byte_alignment=operand.alignment,
        dimensions=operand.shape,
        strides=operand.strides,
        unique_id=operand.uid,
        is_virtual=True if virtual else None,
    )


def convolution(
    data_type: str = "HALF",
    *,
    handle: Any = None,
    device: Any = None,
    names: str = "xwy",
    c: int = 64,
) -> Computation:
    """A 3x3 convolution of 32 images, channels last; no engine supports it with DOUBLE."""
    from cudnn_cffi import ConvolutionMode, DataType

    x, w, y = (
        Operand(name, uid, shape, channels_last(shape), data_type, role=role)
        for name, uid, shape, role in (
            (names[0], 1, (32, c, 56, 56), "input"),
            (names[1], 2, (64, c, 3, 3), "input"),
            (names[2], 3, (32, 64, 56, 56), "output"),
        )
    )
    described = descriptors.make(
        "CONVOLUTION",
        comp_type=DataType.FLOAT,
        conv_mode=ConvolutionMode.CROSS_CORRELATION,
        spatial_dims=2,
        pre_paddings=(1, 1),
        post_paddings=(1, 1),
        dilations=(1, 1),
        filter_strides=(1, 1),
    )
    operation = descriptors.make(
        "OPERATION_CONVOLUTION_FORWARD",
        conv_desc=described,
        x=tensor(x),
        w=tensor(w),
        y=tensor(y),
        alpha=1.0,
        beta=0.0,
    )
    graph = descriptors.make("OPERATIONGRAPH", ops=[operation], handle=handle)
    return Computation(
        graph,
        (x, w, y),
        handle=handle,
        device=device,
        signature=f"convolution {data_type} {c}",
        text=f"{names[2]} = convolution({names[0]}, {names[1]})",
    )


def matmul(
    m: int = 128, *, dynamic: bool = False, handle: Any = None, device: Any = None
) -> Computation:
    """A batched matrix product with a ReLU, which only engines compiled at run time support."""
    from cudnn_cffi import DataType, PointwiseMode

    shapes = {"a": (4, m, 64), "b": (4, 64, 128), "t": (4, m, 128), "y": (4, m, 128)}
    a, b, t, y = (
        Operand(
            name,
            uid,
            shape,
            row_major(shape),
            "FLOAT" if name == "t" else "HALF",
            role="output" if name == "y" else "input",
        )
        for uid, (name, shape) in enumerate(shapes.items(), 1)
    )
    between = tensor(t, virtual=True)
    product = descriptors.make(
        "OPERATION_MATMUL",
        adesc=tensor(a),
        bdesc=tensor(b),
        cdesc=between,
        desc=descriptors.make("MATMUL", comp_type=DataType.FLOAT),
    )
    mode = descriptors.make("POINTWISE", mode=PointwiseMode.RELU_FWD, math_prec=DataType.FLOAT)
    relu = descriptors.make(
        "OPERATION_POINTWISE", pw_descriptor=mode, xdesc=between, ydesc=tensor(y)
    )
    graph = descriptors.make(
        "OPERATIONGRAPH",
        ops=[product, relu],
        handle=handle,
        is_dynamic_shape_enabled=True if dynamic else None,
    )
    return Computation(
        graph,
        (a, b, y),
        handle=handle,
        device=device,
        signature=f"matmul {m} {dynamic}",
        text="y = relu(matmul(a, b))",
    )
