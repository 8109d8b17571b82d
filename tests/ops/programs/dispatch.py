"""A call finds its plan: the last one at once, others by shapes and by the choice."""

from types import SimpleNamespace
from typing import Any, ClassVar

import cudnn_cffi as cudnn
from cudnn_cffi import errors, ops
from cudnn_cffi._operation import recording
from cudnn_cffi.ops import Operation

like = ops.Spec.like
made: list[Any] = []
log: list[Any] = []


class Way:
    """Stands in for a plan."""

    workspace_size, engine, algorithm, function = 0, 1, "", "f"
    knobs: ClassVar[dict[Any, int]] = {}

    def __init__(self, case, rule):
        self.case, self.rule = case, rule
        self.inputs = [SimpleNamespace(name=name) for name in case.inputs]
        made.append(self)

    def __call__(self, **named):
        log.append(("call", self, named))
        return "called"

    def attempt(self, *given):
        log.append(("attempt", self, given))
        shapes = [each.shape for each in given]
        return (
            "attempted"
            if shapes == [s.shape for s in self.case.inputs.values()]
            else NotImplemented
        )


kind: Any = Way
Operation.find_way = lambda self, case, rule, handle, device: kind(case, rule)

x, w, b = like((8, 32, 16, 16)), like((64, 32, 3, 3)), like((64,))
conv = ops.Convolution(1)
assert conv(x, w) == "called"
assert conv(x, w) == "attempted"
assert len(made) == 1

# Another shape: its own plan; then the first again, by a look-up.
other = like((4, 32, 16, 16))
assert conv(other, w) == "called"
assert conv(x, w) == "called"
assert conv(x, w) == "attempted"
assert len(made) == len(conv.plans) == 2

# A missing array is part of the kind of call: a residual is never taken for an output.
residual = like((8, 64, 16, 16))
wide = like((8, 64, 18, 18))
assert conv(x, w, None, residual) == "called"
assert conv(x, w, None, residual) == "attempted"
assert log[-1][2] == (x, w, residual)
assert [each.name for each in made[-1].inputs] == ["x", "w", "residual"]
assert conv(x, w, b) == "called"


# An output goes to the last plan as well, which looks whether it fits.
class Fitting(Way):
    def attempt(self, *given):
        log.append(("attempt", self, given))
        return given[-1] if len(given) == 3 else "attempted"


kind = Fitting
given = ops.Convolution(2)
assert given(x, w, out=wide) == "called"
assert given(x, w) == "called"  # not the plan that was made for that output
assert given(x, w) == "attempted"
assert given(x, w, out=wide) is wide
assert log[-1][2] == (x, w, wide)
assert given(x, w, out=(wide,)) == "called"
kind = Way

# out=, alpha and beta are part of the key, and go with names.
assert conv(x, w, out=residual, alpha=2.0, beta=1.0) == "called"
assert log[-1][2] == {"x": x, "w": w, "y": residual}
assert (made[-1].case.alpha, made[-1].case.beta) == (2.0, 1.0)
try:
    conv(x, w, beta=1.0)
except errors.ArgumentError as error:
    assert "out: expected an array" in str(error)
else:
    raise AssertionError

# A choice of the call, of a scope and of the process each have plans of their own.
count = len(made)
conv(x, w, choose="small")
assert made[-1].rule.pick == "small"
with cudnn.choice("none"):
    assert conv(x, w) == "called"
    assert made[-1].rule.pick == "none"
    assert conv(x, w) == "attempted"
assert conv(x, w) == "called"  # the last plan was that of the scope
assert made[-1].rule.pick == "none"
cudnn.benchmark = True
assert conv(x, w) == "called"
assert made[-1].rule.pick == "time"
assert len(made) == count + 3
assert ops.Convolution(1, choose="large")(x, w) == "called"
assert made[-1].rule.pick == "large"
cudnn.choice.set_default()

# Functions share operations of the same options, whatever form the options have.
ops.convolution(x, w, padding=[1, 1])
count = len(made)
ops.convolution(x, w, padding=(1, 1))
ops.convolution(x, w, padding=[1, 1])
assert len(made) == count

# A recording sees every call.
with ops.record() as seen:
    conv(x, w)
    conv(x, w)
assert [each.operation for each in seen] == ["convolution"] * 2
assert seen[0].arrays["x"] == "float32[8, 32, 16, 16] NCHW"
assert "convolution" in repr(seen) and len(seen.to_dicts()) == 2
assert not recording.watchers

# Forgetting.
conv.clear()
assert conv.plans == ()
assert conv(x, w) == "called"


class Copying(Way, ops.Classic):  # type: ignore[misc]
    """Copies large arrays at low addresses."""

    is_makeshift, inputs = True, ()


kind = Copying
low = ops.Convolution(3)
assert low(x, w) == low(x, w) == "called"  # each call looks for what takes its arrays as they are
assert len(low.plans) == 1
kind = Way


# A classic function tells only when it runs that it does not support something: then a graph does.
class Unable(ops.Classic):
    def __call__(self, **named):  # type: ignore[override]
        raise errors.NotSupportedError("not this type")


def find_way(self, case, rule, handle, device):
    if rule.via == "graph":
        return Way(case, rule)
    return Unable("f", (), print)


Operation.find_way = find_way
reduce = ops.Reduction("sum")
assert reduce(x) == "called"
assert reduce(x) == "attempted"
assert made[-1].rule.via == "graph"
try:
    reduce(x, choose={"via": "classic"})
except errors.NotSupportedError as error:
    assert "not this type" in str(error)
else:
    raise AssertionError
