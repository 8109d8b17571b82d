"""Operations made of several calls, computed by stand-ins of cuDNN's functions in NumPy."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

import numpy as np  # noqa: E402
from cudnn_cffi import ops  # noqa: E402

from tests.ops.imitation import install, run  # noqa: E402

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
    valid = labels != ignored
    one = np.eye(classes)[np.where(valid, labels, 0)]
    share = ((1 - smoothing) * one + smoothing / classes) * weight
    loss = -(share * logs).sum(-1) * valid
    if reduction == "none":
        return loss
    if reduction == "sum":
        return loss.sum().reshape(1)
    return (loss.sum() / ((one * weight).sum(-1) * valid).sum()).reshape(1)


for shape in ((6, 10), (3, 16), (2, 5, 4, 3), (1, 8), (4, 8, 3), (2, 16, 2, 2)):
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
