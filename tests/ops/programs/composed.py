"""Operations made of several calls, computed by stand-ins of cuDNN's functions in NumPy."""

import itertools
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

import numpy as np
from cudnn_cffi import errors, ops

from tests.ops.imitation import install, run, settings

install()
chance = np.random.default_rng(int(sys.argv[1]) if len(sys.argv) > 1 else 5)


def normal(*shape, dtype="float32", last=False):
    made = chance.standard_normal(shape).astype(dtype)
    if last:
        order = (0, *range(2, len(shape)), 1)
        back = np.argsort(order)
        made = np.ascontiguousarray(made.transpose(order)).transpose(back)
    return made


def close(got, wanted, limit=1e-5):
    error = np.abs(got.astype(np.float64) - wanted).max() / max(np.abs(wanted).max(), 1e-30)
    assert error < limit, error


def slopes(function, x, dy):
    """Return the gradient of sum(function(x) * dy), by differences."""
    x = x.astype(np.float64)
    found = np.zeros_like(x)
    for place in np.ndindex(x.shape):
        kept, step = x[place], 1e-5
        x[place] = kept + step
        above = (function(x) * dy).sum()
        x[place] = kept - step
        found[place] = (above - (function(x) * dy).sum()) / (2 * step)
        x[place] = kept
    return found


# Cross entropy of labels.


def entropy(x, labels, weight, ignored, smoothing, reduction):
    x = np.moveaxis(x.astype(np.float64), 1, -1)
    classes = x.shape[-1]
    logs = x - x.max(-1, keepdims=True)
    logs = logs - np.log(np.exp(logs).sum(-1, keepdims=True))
    weight = np.ones(classes) if weight is None else weight.astype(np.float64)
    valid = (labels != ignored) & (labels >= 0) & (labels < classes)
    one = np.eye(classes)[np.where(valid, labels, 0)]
    share = ((1 - smoothing) * one + smoothing / classes) * weight
    loss = -(share * logs).sum(-1) * valid
    if reduction == "none":
        return loss
    if reduction == "sum":
        return loss.sum().reshape(1)
    return (loss.sum() / ((one * weight).sum(-1) * valid).sum()).reshape(1)


kinds = (("heuristic", False), ("heuristic", True), ("deterministic", False))
shapes = ((6, 10), (3, 16), (2, 5, 4, 3), (1, 8), (4, 8, 3), (2, 16, 2, 2))
for shape, (pick, refuses) in itertools.product(shapes, kinds):
    if (refuses and shape[1] % 4 == 0) or (pick == "deterministic" and len(shape) > 3):
        continue
    settings.pick, settings.refuses_engines = pick, refuses
    for reduction in ("none", "sum", "mean"):
        for kind, weighted, smoothing, last in (
            ("int32", False, 0.0, False),
            ("int64", True, 0.1, False),
            ("int64", True, 0.0, True),
            ("int32", False, 0.3, True),
        ):
            if last and len(shape) < 3:
                continue
            x = normal(*shape, last=last)
            labels = chance.integers(0, shape[1], (shape[0], *shape[2:])).astype(kind)
            ignored = -100
            if labels.size > 2:
                labels.flat[0], ignored = ignored, int(chance.choice([-100, 2]))
                labels.flat[0] = ignored
            if labels.size > 3:  # which have no loss, and no gradient
                labels.flat[1] = chance.choice([-1, shape[1], 1 << 23])
            weight = chance.random(shape[1]).astype("float32") if weighted else None
            options = {"ignore_index": ignored, "label_smoothing": smoothing}
            loss = run(ops.CrossEntropy(reduction, **options), x, labels, weight)

            def function(x, given=(labels, weight, ignored, smoothing, reduction)):
                return entropy(x, *given)

            close(loss, function(x))
            dloss = normal(*loss.shape)
            dx = run(ops.CrossEntropyBackward(reduction, **options), dloss, x, labels, weight)
            assert dx.strides == x.strides
            close(dx, slopes(function, x, dloss), 1e-4)
settings.pick, settings.refuses_engines = "heuristic", False

# Cross entropy of probabilities: one block adds all products, or windows and one block.
for shape in ((6, 10), (2, 5, 4, 3), (128, 96)):
    x, target = normal(*shape), chance.random(shape).astype("float32")
    logs = x - np.log(np.exp(x.astype(float)).sum(1, keepdims=True))
    total = -(logs * target).sum()
    for reduction, wanted in (("sum", total), ("mean", total / (x.size / shape[1]))):
        close(run(ops.CrossEntropy(reduction), x, target), np.full(1, wanted), 1e-4)
# Losses of float16 that are nearly zero: no mean of a window holds them.
x, target = np.zeros((64, 1000), "float16"), np.zeros((64, 1000), "float16")
x[:, 5], target[:, 5] = 19, 1
logs = (x.astype(float) - np.log(np.exp(x.astype(float)).sum(1, keepdims=True))).astype("float16")
loss = run(ops.CrossEntropy(), x, target).astype(float)
assert np.allclose(loss, -logs[:, 5].mean(), rtol=2e-2, atol=0), (loss, -logs[:, 5].mean())


# Group norm.


def group_norm(x, scale, bias, groups, epsilon=1e-3):
    x = np.asarray(x, np.float64)
    rows = x.reshape(x.shape[0], groups, -1)
    mean, variance = rows.mean(2, keepdims=True), rows.var(2, keepdims=True)
    made = ((rows - mean) / np.sqrt(variance + epsilon)).reshape(x.shape)
    full = (1, -1, *(1,) * (x.ndim - 2))
    made = made if scale is None else made * np.float64(scale).reshape(full)
    return made if bias is None else made + np.float64(bias).reshape(full)


for shape, groups in (((3, 6, 4, 2), 2), ((2, 4), 2), ((1, 4, 5), 4), ((2, 6, 2, 2, 3), 3)):
    for dtype in ("float32", "float64"):
        for last in (False, True):
            for has in (True, False):
                if last and len(shape) < 3:
                    continue
                limit = 2e-4 if dtype == "float32" else 1e-8
                x, dy = (normal(*shape, dtype=dtype, last=last) for _ in range(2))
                scale, bias = (normal(shape[1], dtype=dtype) if has else None for _ in range(2))
                given = {"groups": groups, "epsilon": 1e-3}
                y, mean, inverse = run(ops.GroupNorm(**given, statistics=True), x, scale, bias)
                assert y.strides == x.strides
                close(y, group_norm(x, scale, bias, groups), limit)
                rows = np.float64(x).reshape(shape[0], groups, -1)
                close(mean, rows.mean(2), limit)
                close(inverse, 1 / np.sqrt(rows.var(2) + 1e-3), limit)
                close(run(ops.GroupNorm(**given), x, scale, bias), y.astype("float64"), limit)
                for saved in ((mean, inverse), (None, None)):
                    back = ops.GroupNormBackward(**given)
                    dx, dscale, dbias = run(back, dy, x, scale, *saved)
                    assert dx.strides == x.strides

                    def normed(x, given=(scale, bias, groups)):
                        return group_norm(x, *given)

                    close(dx, slopes(normed, x, np.float64(dy)), 10 * limit)
                    axes = tuple(i for i in range(len(shape)) if i != 1)
                    close(dbias, np.float64(dy).sum(axes), limit)
                    plain = group_norm(x, None, None, groups)
                    close(dscale, (plain * dy).sum(axes), limit)


# Batch norm with an addition and a ReLU.

for shape, last in (((3, 4, 5, 2), False), ((3, 4, 5, 2), True), ((4, 3), False)):
    for adds in (False, True):
        for mode in ("spatial", "per_activation"):
            x, z, dy = (normal(*shape, dtype="float64", last=last) for _ in range(3))
            size = shape[1:] if mode == "per_activation" else shape[1:2]
            scale, bias = normal(*size, dtype="float64"), normal(*size, dtype="float64")
            axes = 0 if mode == "per_activation" else tuple(i for i in range(len(shape)) if i != 1)
            full = size if mode == "per_activation" else (shape[1], *(1,) * (len(shape) - 2))

            def norm(x, z=z, s=scale, b=bias, axes=axes, full=full, adds=adds):
                mean, variance = x.mean(axes, keepdims=True), x.var(axes, keepdims=True)
                made = (x - mean) / np.sqrt(variance + 1e-5) * s.reshape(full) + b.reshape(full)
                return np.maximum(made + (z if adds else 0), 0)

            residual = z if adds else None
            y, mean, inverse = run(ops.BatchNormActivation(mode), x, scale, bias, residual)
            close(y, norm(x), 1e-9)
            back = run(
                ops.BatchNormActivationBackward(mode, residual=adds), dy, x, y, scale, bias, mean,
                inverse,
            )  # fmt: skip
            assert len(back) == 3 + adds
            close(back[0], slopes(norm, x, dy), 1e-6)
            close(back[1], slopes(lambda s, x=x, f=norm: f(x, s=s), scale, dy), 1e-6)
            close(back[2], slopes(lambda b, x=x, f=norm: f(x, b=b), bias, dy), 1e-6)
            if adds:
                close(back[3], slopes(lambda z, x=x, f=norm: f(x, z), z, dy), 1e-6)

# A parameter for each activation that lies in another order would be read as if it were in C order.

x, scale = normal(3, 4, 5, 2, dtype="float64"), normal(4, 5, 2, dtype="float64")
turned = np.ascontiguousarray(scale.transpose(1, 2, 0)).transpose(2, 0, 1)
assert (turned == scale).all() and turned.strides != scale.strides
try:
    run(ops.BatchNormActivation("per_activation"), x, turned, scale)
except errors.NotSupportedError as error:
    assert "scale: expected an array in C order without gaps" in error.message, error.message
else:
    raise AssertionError("a parameter in another order was taken")
