"""C functions beside their formulas in float64: drawn extents, layouts, factors and options.

Arrays lie in memory full of NaN, whose gaps have to stay so. A call that cuDNN refuses is drawn
again.
"""

from __future__ import annotations

import ctypes
import math
import random
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

#: By the norm of what is expected.
LIMITS = {"float64": 1e-11, "float32": 3e-5, "float16": 4e-3, "bfloat16": 3e-2}

#: Factors of the new and of the old result.
FACTORS = ((1.0, 0.0), (-1.0, 0.0), (2.0, -1.0), (0.5, 2.0), (0.0, 1.0), (0.0, 0.0))

LAYOUTS = "NCHW", "NHWC", "gaps"

CALLS = 25


class Draw:
    """Draws arrays, and checks results.

    Attributes:
        random: of which all is drawn.
        dtype: the data type of arrays.
        layout: "NCHW", "NHWC", or "gaps" for gaps along all axes.
    """

    def __init__(self, cudnn: Any, torch: Any, seed: int) -> None:
        self.cudnn, self.torch = cudnn, torch
        self.random = random.Random(seed)
        torch.manual_seed(seed)
        self.ran = self._begun = 0

    def begin(self) -> None:
        self._begun += 1
        assert self._begun < 20 * CALLS, "cuDNN refuses too many calls"
        self.dtype = self.random.choice([*LIMITS])
        self.layout = self.random.choice(LAYOUTS)
        self.alpha, self.beta = self.random.choice(FACTORS)

    def extents(self, count: int, most: int = 17) -> tuple[int, ...]:
        some = [each for each in (1, 2, 3, 5, 7, 17, 33, 65) if each <= most]
        return tuple([self.random.choice(some) for _ in range(count)])

    def array(self, shape: Any, numbers: Any = None, dtype: str = "", layout: str = "") -> Any:
        """Return an array of numbers, or of random ones, in a layout."""
        layout = layout or self.layout
        torch, axes = self.torch, [*range(len(shape))]
        if layout == "NHWC":
            axes = [0, *axes[2:], 1]
        strides, step = [0] * len(shape), 1
        for axis in reversed(axes):
            strides[axis] = step
            step = step * shape[axis] + 2 * (layout == "gaps")
        kind = getattr(torch, dtype or self.dtype)
        room = torch.full((step + 64,), math.nan, dtype=kind, device="cuda")
        made = room.as_strided(shape, strides)
        made.room = room
        wide = torch.randn(shape, dtype=torch.float64) if numbers is None else numbers
        return made.copy_(wide.to(kind)) if numbers is not math.nan else made

    def result(self, shape: Any, dtype: str = "", layout: str = "") -> tuple[Any, Any]:
        """Return an array for results, full of NaN if its numbers are not read, and its numbers."""
        made = self.array(shape, None if self.beta else math.nan, dtype, layout)
        return made, made.cpu().double() if self.beta else 0.0

    def descriptor(self, array: Any) -> Any:
        kind = str(array.dtype).removeprefix("torch.")
        return self.cudnn.TensorDescriptor.strided(
            tuple(array.shape), array.stride(), kind, axes=array.dim()
        )

    def call(self, function: Callable[..., object], *given: Any) -> bool:
        """Call a function; tell whether cuDNN has it for such arrays."""
        arguments = []
        for each in given:
            is_array = isinstance(each, self.torch.Tensor)
            arguments += [self.descriptor(each), each] if is_array else [each]
        try:
            function(*arguments)
        except (self.cudnn.NotSupportedError, self.cudnn.BadParamError):
            return False
        self.ran += 1
        return True

    def mixed(self, new: Any, old: Any) -> Any:
        """Return a new and an old result with their factors."""
        return self.alpha * new + self.beta * old

    def check(self, found: Any, wanted: Any, what: object, factor: float = 1.0) -> None:
        """Compare a result with its formula, and look at the gaps of its memory."""
        error = (found.cpu().double() - wanted).abs().max()
        size = wanted.abs().max()
        kind = str(found.dtype).removeprefix("torch.")
        assert float(error) <= factor * LIMITS[kind] * float(size) + 1e-30, what
        found.fill_(math.nan)
        assert found.room.isnan().all(), what


@pytest.fixture(params=range(2))
def draw(cudnn: Any, torch: Any, request: pytest.FixtureRequest) -> Draw:
    return Draw(cudnn, torch, request.param)


def test_elements(cudnn: Any, torch: Any, handle: Any, draw: Draw) -> None:
    """The second array is repeated along some axes; each array may have a layout of its own."""
    binary: dict[str, Callable[[Any, Any], Any]] = {
        "ADD": lambda a, b: a + b, "MUL": lambda a, b: a * b, "MIN": torch.minimum,
        "MAX": torch.maximum,
    }  # fmt: skip
    while draw.ran < CALLS:
        draw.begin()
        shape = draw.extents(draw.random.choice([4, 5]))
        few = tuple([draw.random.choice([each, 1]) for each in shape])
        of_b, of_y = draw.random.choice([(draw.layout,) * 2, draw.random.choices(LAYOUTS, k=2)])
        a, b = draw.array(shape), draw.array(few, layout=of_b)
        wide, other = a.cpu().double(), b.cpu().double()
        word = draw.random.choice([*binary])
        compute = "float64" if draw.dtype == "float64" else "float32"
        op = cudnn.OpTensorDescriptor.of(word, compute)
        what = word, draw.dtype, draw.layout, of_b, of_y, shape, few, draw.alpha, draw.beta
        y, old = draw.result(shape, layout=of_y)
        for factor in (-1.0, 2.0):  # of the second array
            new = binary[word](draw.alpha * wide, factor * other)
            if draw.call(cudnn.cudnnOpTensor, handle, op, draw.alpha, a, factor, b, draw.beta, y):
                draw.check(y, new + draw.beta * old, what)
                y, old = draw.result(shape, layout=of_y)
        if draw.call(cudnn.cudnnAddTensor, handle, draw.alpha, b, draw.beta, y):
            draw.check(y, draw.mixed(other.expand(shape), old), what)


def test_positions_of_extremes(cudnn: Any, torch: Any, handle: Any, draw: Draw) -> None:
    """They count the elements of the axes that are reduced, of any of which there may be several."""
    while draw.ran < CALLS:
        draw.begin()
        shape = draw.extents(4)
        axes = [axis for axis in range(4) if draw.random.random() < 0.5] or [1]
        kept = [axis for axis in range(4) if axis not in axes]
        x = draw.array(shape, torch.randint(-9, 9, shape).double())
        y, old = draw.result([1 if axis in axes else shape[axis] for axis in range(4)])
        word = draw.random.choice(["MIN", "MAX", "AMAX"])
        compute = "float64" if draw.dtype == "float64" else "float32"
        reduce = cudnn.ReduceTensorDescriptor.of(word, compute, indices="FLATTENED_INDICES")
        of_x, of_y = draw.descriptor(x), draw.descriptor(y)
        size = cudnn.cudnnGetReductionWorkspaceSize(handle, reduce, of_x, of_y)
        room = cudnn.cudnnGetReductionIndicesSize(handle, reduce, of_x, of_y)
        space = torch.full((size + 1,), 255, dtype=torch.uint8, device="cuda")
        places = torch.full((room // 4,), -1, dtype=torch.int32, device="cuda")
        what = word, draw.dtype, draw.layout, shape, axes, draw.alpha, draw.beta
        begun = partial(cudnn.cudnnReduceTensor, handle, reduce, places, room, space, size)
        if not draw.call(begun, draw.alpha, x, draw.beta, y):
            continue
        wide = x.cpu().double()
        rows = wide.permute([*kept, *axes]).reshape(y.numel(), -1)
        rows = rows.abs() if word == "AMAX" else rows
        best = rows.amin(1) if word == "MIN" else rows.amax(1)
        found = rows.gather(1, places[: y.numel(), None].cpu().long())[:, 0]
        assert torch.equal(found, best), what
        draw.check(y, draw.mixed(best.reshape(y.shape), old), what)


def windows(torch: Any, x: Any, window: Any, stride: Any, padding: Any, filler: float) -> Any:
    """Return the elements of each window along the last axis."""
    sides = [each for each in reversed(padding) for _ in range(2)]
    found = torch.nn.functional.pad(x, sides, value=filler)
    for axis, (extent, step) in enumerate(zip(window, stride, strict=True)):
        found = found.unfold(2 + axis, extent, step)
    return found.flatten(-len(window))


def test_pooling(cudnn: Any, torch: Any, handle: Any, draw: Draw) -> None:
    """With padding of up to a window but one element, and strides beyond a window."""
    modes = ("MAX", "AVERAGE_COUNT_INCLUDE_PADDING", "AVERAGE_COUNT_EXCLUDE_PADDING")
    while draw.ran < CALLS:
        draw.begin()
        count = draw.random.choice([2, 2, 3])
        window = [draw.random.randint(1, 5) for _ in range(count)]
        stride = [draw.random.choice([1, 2, 6]) for _ in range(count)]
        padding = [draw.random.randrange(each) for each in window]
        shape = (*draw.extents(2), *[draw.random.randint(5, 11) for _ in range(count)])
        mode = draw.random.choice(modes)
        x = draw.array(shape, torch.randperm(math.prod(shape)).reshape(shape) % 251 / 64 - 2)
        wide = x.cpu().double().requires_grad_()
        found = windows(torch, wide, window, stride, padding, -math.inf if mode == "MAX" else 0.0)
        ones = windows(torch, torch.ones_like(wide), window, stride, padding, 0.0)
        sums = found.sum(-1)
        new = {
            "MAX": found.amax(-1), modes[1]: sums / math.prod(window), modes[2]: sums / ones.sum(-1),
        }[mode]  # fmt: skip
        pool = cudnn.PoolingDescriptor()
        nan = cudnn.NanPropagation.PROPAGATE_NAN
        pool.set_nd(cudnn.PoolingMode[mode], nan, count, window, padding, stride)
        what = mode, draw.dtype, draw.layout, shape, window, stride, padding, draw.alpha, draw.beta
        y, old = draw.result(new.shape)
        if not draw.call(cudnn.cudnnPoolingForward, handle, pool, draw.alpha, x, draw.beta, y):
            continue
        draw.check(y, draw.mixed(new.detach(), old), what)
        if mode == "MAX" and len(wide.unique()) < wide.numel():
            continue  # which of two has the gradient is not told
        y, dy = draw.array(new.shape, new.detach()), draw.array(new.shape)
        dx, old = draw.result(shape)
        given = handle, pool, draw.alpha, y, dy, x, draw.beta, dx
        if draw.call(cudnn.cudnnPoolingBackward, *given):
            (gradient,) = torch.autograd.grad(new, wide, dy.cpu().double())
            draw.check(dx, draw.mixed(gradient, old), what, 4)


def test_softmax(cudnn: Any, handle: Any, draw: Draw) -> None:
    while draw.ran < CALLS:
        draw.begin()
        shape = draw.random.choice([1, 5]), *draw.extents(1, 65), *draw.extents(2, 7)
        word, mode = draw.random.choice(["FAST", "ACCURATE", "LOG"]), draw.random.randrange(2)
        if not mode and draw.layout == "gaps" and shape[1:3] == (1, 1):
            continue  # see errata: softmax-images-with-gaps
        options = cudnn.SoftmaxAlgorithm[word], cudnn.SoftmaxMode(mode)
        x = draw.array(shape)
        rows = x.cpu().double().reshape(shape if mode else (shape[0], -1))
        new = rows.log_softmax(1) if word == "LOG" else rows.softmax(1)
        what = word, mode, draw.dtype, draw.layout, shape, draw.alpha, draw.beta
        y, old = draw.result(shape)
        if draw.call(cudnn.cudnnSoftmaxForward, handle, *options, draw.alpha, x, draw.beta, y):
            draw.check(y, draw.mixed(new.reshape(shape), old), what, 4)
        y, dy = draw.array(shape, new.reshape(shape)), draw.array(shape)
        dx, old = draw.result(shape)
        if draw.call(
            cudnn.cudnnSoftmaxBackward, handle, *options, draw.alpha, y, dy, draw.beta, dx
        ):
            own, given = (each.cpu().double().reshape(rows.shape) for each in (y, dy))
            gradient = (given - (given * own).sum(1, keepdim=True)) * own
            if word == "LOG":
                gradient = given - own.exp() * given.sum(1, keepdim=True)
            draw.check(dx, draw.mixed(gradient.reshape(shape), old), what, 8)


@pytest.mark.parametrize("count", [2, 7, 12345])
@pytest.mark.parametrize("factor", [0.1, 1.0])
def test_statistics_that_are_finalized(
    cudnn: Any, torch: Any, count: int, factor: float, handle: Any
) -> None:
    """Sums of a convolution become statistics, running ones, and a scale and a bias."""
    kind = cudnn.FusedOps.BN_FINALIZE_STATISTICS_TRAINING
    of_constants, of_pointers = cudnn.FusedOpsConstParamLabel, cudnn.FusedOpsVariantParamLabel
    constants = cudnn.cudnnCreateFusedOpsConstParamPack(kind)
    pointers = cudnn.cudnnCreateFusedOpsVariantParamPack(kind)
    plan = cudnn.cudnnCreateFusedOpsPlan(kind)
    channels, epsilon = 24, 1e-3
    mean, variance = torch.randn(channels).double(), torch.rand(channels).double() + 0.1
    names = ("BN_SCALE", "BN_BIAS", "BN_RUNNING_MEAN", "BN_RUNNING_VAR", "BN_SAVED_MEAN",
             "BN_SAVED_INVSTD", "YSUM", "YSQSUM", "BN_EQSCALE", "BN_EQBIAS")  # fmt: skip
    arrays = {name: torch.randn(channels, device="cuda") for name in names}
    arrays["YSUM"] = (mean * count).float().cuda()
    arrays["YSQSUM"] = ((variance + mean * mean) * count).float().cuda()
    for name in names[-2:]:
        arrays[name] = arrays[name].half()
    for name in (*names[4:6], *names[-2:]):
        arrays[name].fill_(math.nan)
    before = {name: each.cpu().double() for name, each in arrays.items()}
    wide = cudnn.TensorDescriptor.packed((1, channels, 1, 1), "float32")
    narrow = cudnn.TensorDescriptor.packed((1, channels, 1, 1), "float16")
    placeholder = ctypes.c_int(int(cudnn.FusedOpsPointerPlaceHolder.PTR_16B_ALIGNED))
    numbers: dict[str, Any] = {
        "SCALAR_INT64_T_BN_ACCUMULATION_COUNT": ctypes.c_int64(count),
        "SCALAR_DOUBLE_BN_EXP_AVG_FACTOR": ctypes.c_double(factor),
        "SCALAR_DOUBLE_BN_EPSILON": ctypes.c_double(epsilon),
    }
    mode = ctypes.c_int(int(cudnn.BatchNormMode.SPATIAL))
    given = {"BN_MODE": ctypes.addressof(mode), "BN_SCALEBIAS_MEANVAR_DESC": wide.address,
             "YSTATS_DESC": wide.address, "BN_EQSCALEBIAS_DESC": narrow.address}  # fmt: skip
    given |= {f"{name}_PLACEHOLDER": ctypes.addressof(placeholder) for name in names}
    for name, address in given.items():
        cudnn.cudnnSetFusedOpsConstParamPackAttribute(constants, of_constants[name], address)
    size = cudnn.cudnnMakeFusedOpsPlan(handle, plan, constants)
    space = torch.full((size + 1,), 255, dtype=torch.uint8, device="cuda")
    numbers["SCALAR_SIZE_T_WORKSPACE_SIZE_IN_BYTES"] = ctypes.c_size_t(size)
    places = {f"PTR_{name}": each.data_ptr() for name, each in arrays.items()}
    places |= {name: ctypes.addressof(each) for name, each in numbers.items()}
    for name, address in (places | {"PTR_WORKSPACE": space.data_ptr()}).items():
        cudnn.cudnnSetFusedOpsVariantParamPackAttribute(pointers, of_pointers[name], address)
    cudnn.cudnnFusedOpsExecute(handle, plan, pointers)
    inverse = 1 / (variance + epsilon).sqrt()
    scale = before["BN_SCALE"] * inverse
    wanted = {
        "BN_SAVED_MEAN": mean, "BN_SAVED_INVSTD": inverse,
        "BN_RUNNING_MEAN": (1 - factor) * before["BN_RUNNING_MEAN"] + factor * mean,
        "BN_RUNNING_VAR": (1 - factor) * before["BN_RUNNING_VAR"]
        + factor * variance * count / (count - 1),
        "BN_EQSCALE": scale, "BN_EQBIAS": before["BN_BIAS"] - mean * scale,
    }  # fmt: skip
    for name, each in wanted.items():
        limit = 2e-3 if name.startswith("BN_EQ") else 2e-5
        error = (arrays[name].cpu().double() - each).abs().max() / each.abs().max()
        assert float(error) < limit, name
    for destroy, each in (
        (cudnn.cudnnDestroyFusedOpsPlan, plan),
        (cudnn.cudnnDestroyFusedOpsVariantParamPack, pointers),
        (cudnn.cudnnDestroyFusedOpsConstParamPack, constants),
    ):
        destroy(each)
