"""The other operations of `ops` and their gradients, against PyTorch on the CPU in float64."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from tests.activations import WORDS, activate
from tests.gpu.conftest import capturing, reference, supported

TYPES = {"float64": 1e-12, "float32": 1e-5, "float16": 2e-3, "bfloat16": 1e-2}


class TestActivation:
    #: Each type with one shape, and each shape with one type: of some, since engines are compiled.
    KINDS = tuple((dtype, (3, 5, 7, 11)) for dtype in TYPES)
    MORE = tuple(("float32", shape) for shape in ((64,), (2, 3, 4, 5, 6, 7)))

    @pytest.mark.parametrize("via", ["graph", "classic"])
    @pytest.mark.parametrize(
        ("word", "kind"),
        [
            *itertools.product(sorted({*WORDS} - {"silu"}), KINDS),
            *itertools.product(("relu", "clipped_relu", "elu", "gelu"), MORE),
        ],
        ids=str,
    )
    def test_and_gradient(
        self, ops: Any, cudnn: Any, torch: Any, fresh: Any, error_of: Any, word: str, via: str,
        kind: tuple[str, tuple[int, ...]],
    ) -> None:  # fmt: skip
        dtype, shape = kind
        if via == "graph" and dtype == "float64":
            pytest.skip("engines for pointwise operations have no float64")
        x, dy = fresh(*shape, dtype=dtype), fresh(*shape, dtype=dtype)
        rx = reference(x).requires_grad_()
        expected = activate(word, rx)
        expected.backward(reference(dy))
        f = ops.Activation(word, choose={"via": via})
        out = torch.full_like(x, float("nan"))
        y = supported(cudnn, lambda: f(x, out=out))
        assert y is out
        assert error_of(y, expected.detach()) < 2 * TYPES[dtype]
        dx = supported(cudnn, lambda: f.backward(dy, x, y))
        assert error_of(dx, rx.grad) < 3 * TYPES[dtype]

    def test_alpha_beta_and_in_place(self, ops: Any, fresh: Any, error_of: Any) -> None:
        for via in ("graph", "classic"):
            x, y = fresh(4, 8, 6, 6), fresh(4, 8, 6, 6)
            expected = 2 * reference(x).relu() + 0.5 * reference(y)
            ops.relu(x, out=y, alpha=2.0, beta=0.5, choose={"via": via})
            assert error_of(y, expected) < 1e-5
            expected = reference(x).tanh()
            assert ops.tanh(x, out=x, choose={"via": via}) is x
            assert error_of(x, expected) < 1e-5


class TestPooling:
    @pytest.mark.parametrize("kind", ["max", "average", "average_without_padding"])
    @pytest.mark.parametrize("via", ["graph", "classic"])
    @pytest.mark.parametrize("spatial", [1, 2, 3])
    def test_and_gradient(
        self, ops: Any, cudnn: Any, torch: Any, fresh: Any, error_of: Any, dtype: str,
        layout: str, kind: str, via: str, spatial: int,
    ) -> None:  # fmt: skip
        shape = (2, 8, *(9, 11, 10)[:spatial])
        x = fresh(*shape, dtype=dtype)
        if layout == "NHWC":
            if spatial == 1:
                pytest.skip("PyTorch has no such layout")
            last = torch.channels_last if spatial == 2 else torch.channels_last_3d
            x = x.contiguous(memory_format=last)
        rx = reference(x).requires_grad_()
        functional = torch.nn.functional
        if kind == "max":
            expected = getattr(functional, f"max_pool{spatial}d")(rx, 3, 2, 1)
        else:
            expected = getattr(functional, f"avg_pool{spatial}d")(
                rx, 3, 2, 1, count_include_pad=kind == "average"
            )
        pool = ops.Pooling(kind, 3, 2, 1, choose={"via": via})
        y = supported(cudnn, lambda: pool(x))
        assert error_of(y, expected.detach()) < TYPES[dtype]
        dy = torch.empty_like(y).copy_(fresh(*y.shape, dtype=dtype))
        expected.backward(reference(dy))
        dx = supported(cudnn, lambda: pool.backward(dy, x, y))
        # Low precision makes equal elements of a window likely: the first has the gradient in both.
        assert error_of(dx, rx.grad) < 2 * TYPES[dtype]

    def test_functions(self, ops: Any, torch: Any, fresh: Any, error_of: Any) -> None:
        x = fresh(2, 8, 12, 12)
        functional = torch.nn.functional
        assert error_of(ops.max_pool(x), functional.max_pool2d(reference(x), 2)) < 1e-6
        assert error_of(ops.average_pool(x, 4), functional.avg_pool2d(reference(x), 4)) < 1e-6
        one = ops.max_pool(x[0], batch=False)
        assert error_of(one, functional.max_pool2d(reference(x[0]), 2)) < 1e-6


class TestSoftmax:
    @pytest.mark.parametrize("axis", [0, 1, 2, 3, -1, "channel", "instance", "last", (2, 3)])
    @pytest.mark.parametrize("log", [False, True])
    def test_and_gradient(
        self, ops: Any, cudnn: Any, torch: Any, fresh: Any, error_of: Any, dtype: str,
        layout: str, axis: Any, log: bool,
    ) -> None:  # fmt: skip
        x = fresh(3, 6, 5, 7, dtype=dtype, layout=layout)
        dy = fresh(3, 6, 5, 7, dtype=dtype, layout=layout)
        rx = reference(x).requires_grad_()
        axes = {"channel": (1,), "instance": (1, 2, 3), "last": (3,)}.get(axis, axis)
        axes = (axes,) if isinstance(axes, int) else axes
        total = torch.logsumexp(rx, axes, keepdim=True)
        expected = rx - total if log else (rx - total).exp()
        expected.backward(reference(dy))
        f = ops.Softmax(axis, log=log)
        out = torch.full_like(x, float("nan"))
        y = supported(cudnn, lambda: f(x, out=out))
        assert error_of(y, expected.detach()) < 2 * TYPES[dtype]
        dx = supported(cudnn, lambda: f.backward(dy, y))
        assert error_of(dx, rx.grad) < 10 * TYPES[dtype]

    def test_fast(self, ops: Any, fresh: Any, error_of: Any) -> None:
        x = fresh(4, 10)
        y = ops.softmax(x, accurate=False)
        assert error_of(y, reference(x).softmax(1)) < 1e-5


class TestBatchNorm:
    @pytest.mark.parametrize("mode", ["spatial", "per_activation", "spatial_persistent"])
    @pytest.mark.parametrize("via", ["graph", "classic"])
    def test_training(
        self, ops: Any, cudnn: Any, fresh: Any, error_of: Any, dtype: str,
        layout: str, mode: str, via: str,
    ) -> None:  # fmt: skip
        x = fresh(6, 8, 5, 7, dtype=dtype, layout=layout)
        dy = fresh(6, 8, 5, 7, dtype=dtype, layout=layout)
        kind = "float64" if dtype == "float64" else "float32"
        shape = (8, 5, 7) if mode == "per_activation" else (8,)
        axes = (0,) if mode == "per_activation" else (0, 2, 3)
        full = (1, *shape, *(1,) * (3 - len(shape)))
        scale, bias = fresh(*shape, dtype=kind), fresh(*shape, dtype=kind)
        rx, rs, rb = (reference(each).requires_grad_() for each in (x, scale, bias))
        mean = rx.mean(axes, keepdim=True)
        variance = rx.var(axes, unbiased=False, keepdim=True)
        expected = (rx - mean) / (variance + 1e-5).sqrt() * rs.view(full) + rb.view(full)
        expected.backward(reference(dy))
        norm = ops.BatchNorm(mode, choose={"via": via})
        found = supported(cudnn, lambda: norm(x, scale, bias))
        limit = 2 * TYPES[dtype]
        assert error_of(found.y, expected.detach()) < limit
        assert error_of(found.mean.double().reshape(full), mean.detach()) < max(limit, 1e-4)
        back = supported(cudnn, lambda: norm.backward(dy, x, scale, found.mean, found.inv_variance))
        for got, wanted in zip(back, (rx.grad, rs.grad, rb.grad), strict=True):
            assert error_of(got, wanted) < 5 * limit

    def test_running_statistics_and_inference(
        self, ops: Any, torch: Any, fresh: Any, error_of: Any
    ) -> None:
        x, scale, bias = fresh(6, 8, 5, 7), fresh(8), fresh(8)
        mean, variance = fresh(8), fresh(8).abs()
        wanted = [reference(each) for each in (mean, variance)]
        ops.batch_norm(x, scale, bias, mean, variance, momentum=0.3)
        rx = reference(x)
        new = rx.mean((0, 2, 3)), rx.var((0, 2, 3), unbiased=True)
        for got, old, now in zip((mean, variance), wanted, new, strict=True):
            assert error_of(got, 0.7 * old + 0.3 * now) < 1e-5
        y = ops.batch_norm_inference(x, scale, bias, mean, variance)
        expected = torch.nn.functional.batch_norm(
            rx, *(reference(each) for each in (mean, variance, scale, bias))
        )
        assert error_of(y, expected) < 1e-5

    @pytest.mark.parametrize("kind", ["float16", "bfloat16"])
    @pytest.mark.parametrize("others", [(), ("bias", "variance"), ("scale", "mean")])
    @pytest.mark.parametrize("via", ["graph", "classic", None])
    @pytest.mark.parametrize(
        "shape", [(3, 58, 9, 7), (1, 64, 14, 14), (4, 24), (2, 16, 1, 1), (2, 6, 3, 4, 5)]
    )
    def test_inference_with_narrow_parameters(
        self, ops: Any, torch: Any, fresh: Any, poisoned: Any, error_of: Any,
        layout: str, kind: str, others: tuple[str, ...], via: Any, shape: tuple[int, ...],
    ) -> None:  # fmt: skip
        """Arrays have the type of the images, or some float32; nothing is rounded in between."""
        last = layout == "NHWC" and len(shape) == 4 and shape[2:] != (1, 1)
        if layout == "NHWC" and not last:
            pytest.skip("this shape has one layout here")
        if via == "graph" and not last and len(shape) > 2 and shape[2:] != (1, 1):
            pytest.skip("engines do not repeat what they compute along the innermost axis")
        x = fresh(*shape, dtype=kind, layout="NHWC" if last else "NCHW")
        names = ("scale", "bias", "mean", "variance")
        given = [fresh(shape[1], dtype="float32" if name in others else kind) for name in names]
        given[3] = given[3].abs() + 0.01
        scale, bias, mean, variance = (reference(each) for each in given)
        expected = torch.nn.functional.batch_norm(reference(x), mean, variance, scale, bias)
        infer = ops.BatchNormInference(choose={"via": via})
        for out in (None, poisoned(*shape, dtype=kind, layout="NHWC" if last else "NCHW")):
            for _ in range(5):  # the later ones are replayed
                y = infer(x, *given, out=out)
                assert error_of(y, expected) < (5e-4 if kind == "float16" else 4e-3)
            assert (y.dtype, y.stride()) == (x.dtype, x.stride())
        # Parameters are read in each call.
        given[1].add_(1)
        wanted = torch.nn.functional.batch_norm(
            reference(x), mean, variance, scale, reference(given[1])
        )
        assert error_of(infer(x, *given), wanted) < (5e-4 if kind == "float16" else 4e-3)

    def test_narrow_parameters_in_a_capture(
        self, ops: Any, torch: Any, fresh: Any, error_of: Any
    ) -> None:
        """Nothing is compiled then, and the next call is not held to that."""
        x = fresh(2, 37, 5, 3, dtype="float16")
        given = [fresh(37, dtype="float16").abs() + 0.1 for _ in range(4)]
        infer = ops.BatchNormInference()
        infer(fresh(2, 38, 5, 3, dtype="float16"), *[fresh(38).abs() + 0.1 for _ in range(4)])
        with capturing() as graph:
            y = infer(x, *given)
        for _ in range(2):
            graph.replay()
            scale, bias, mean, variance = (reference(each) for each in given)
            wanted = torch.nn.functional.batch_norm(reference(x), mean, variance, scale, bias)
            assert error_of(y, wanted) < 5e-4
            given[0].mul_(2)
        scale = reference(given[0])
        wanted = torch.nn.functional.batch_norm(reference(x), mean, variance, scale, bias)
        assert error_of(infer(x, *given), wanted) < 5e-4
        assert infer.plans[-1].is_mixed  # a plan converts

    @pytest.mark.parametrize("kind", ["float16", "bfloat16"])
    def test_narrow_parameters_of_each_activation(
        self, ops: Any, fresh: Any, error_of: Any, layout: str, kind: str
    ) -> None:
        x = fresh(3, 6, 5, 4, dtype=kind, layout=layout)
        scale, bias, mean, variance = (fresh(6, 5, 4, dtype=kind) for _ in range(4))
        variance = variance.abs() + 0.01
        y = ops.batch_norm_inference(x, scale, bias, mean, variance, mode="per_activation")
        rs, rb, rm, rv = (reference(each) for each in (scale, bias, mean, variance))
        expected = (reference(x) - rm) / (rv + 1e-5).sqrt() * rs + rb
        assert error_of(y, expected) < (5e-4 if kind == "float16" else 4e-3)


class TestNorms:
    @pytest.mark.parametrize("shape", [(64,), (8, 32)])
    @pytest.mark.parametrize("parameter", ["same", "float32"])
    def test_layer_norm(
        self, ops: Any, cudnn: Any, torch: Any, fresh: Any, error_of: Any, dtype: str,
        shape: Any, parameter: str,
    ) -> None:  # fmt: skip
        kind = dtype if parameter == "same" else parameter
        x, dy = fresh(4, 6, *shape, dtype=dtype), fresh(4, 6, *shape, dtype=dtype)
        scale, bias = fresh(*shape, dtype=kind), fresh(*shape, dtype=kind)
        rx, rs, rb = (reference(each).requires_grad_() for each in (x, scale, bias))
        expected = torch.nn.functional.layer_norm(rx, shape, rs, rb)
        expected.backward(reference(dy))
        y = supported(cudnn, lambda: ops.layer_norm(x, scale, bias))
        assert error_of(y, expected.detach()) < 3 * TYPES[dtype]
        norm = ops.LayerNorm(statistics=True)
        found = norm(x, scale, bias)
        back = norm.backward(dy, x, scale, found.mean, found.inv_variance)
        for got, wanted in zip(back, (rx.grad, rs.grad, rb.grad), strict=True):
            assert error_of(got, wanted) < 10 * TYPES[dtype]

    @pytest.mark.parametrize("with_bias", [False, True])
    def test_rms_norm(
        self, ops: Any, cudnn: Any, fresh: Any, error_of: Any, dtype: str,
        with_bias: bool,
    ) -> None:  # fmt: skip
        x, dy = fresh(4, 6, 64, dtype=dtype), fresh(4, 6, 64, dtype=dtype)
        scale, bias = fresh(64, dtype=dtype), fresh(64, dtype=dtype) if with_bias else None
        rx, rs = (reference(each).requires_grad_() for each in (x, scale))
        expected = rx / (rx.square().mean(-1, keepdim=True) + 1e-5).sqrt() * rs
        expected.backward(reference(dy))
        wanted = expected.detach() + (0 if bias is None else reference(bias))
        assert error_of(supported(cudnn, lambda: ops.rms_norm(x, scale, bias)), wanted) < (
            3 * TYPES[dtype]
        )
        norm = ops.RMSNorm(statistics=True)
        found = norm(x, scale, bias)
        back = norm.backward(dy, x, scale, found.inv_variance)
        assert error_of(back.x, rx.grad) < 10 * TYPES[dtype]
        assert error_of(back.scale, rs.grad) < 10 * TYPES[dtype]

    def test_instance_norm(
        self, ops: Any, cudnn: Any, torch: Any, fresh: Any, error_of: Any, dtype: str, layout: str
    ) -> None:
        x = fresh(4, 8, 9, 10, dtype=dtype, layout=layout)
        dy = fresh(4, 8, 9, 10, dtype=dtype, layout=layout)
        scale, bias = fresh(8), fresh(8)
        rx, rs, rb = (reference(each).requires_grad_() for each in (x, scale, bias))
        expected = torch.nn.functional.instance_norm(rx, weight=rs, bias=rb)
        expected.backward(reference(dy))
        norm = ops.InstanceNorm(statistics=True)
        found = supported(cudnn, lambda: norm(x, scale, bias))
        assert error_of(found.y, expected.detach()) < 3 * TYPES[dtype]
        back = supported(cudnn, lambda: norm.backward(dy, x, scale, found.mean, found.inv_variance))
        for got, wanted in zip(back, (rx.grad, rs.grad, rb.grad), strict=True):
            assert error_of(got, wanted) < 10 * TYPES[dtype]


class TestTensors:
    @pytest.mark.parametrize("word", ["add", "mul", "min", "max"])
    @pytest.mark.parametrize("shape", [(4, 8, 6, 5), (1, 8, 1, 1), (5,)])
    def test_two_tensors(
        self, ops: Any, cudnn: Any, torch: Any, fresh: Any, error_of: Any, dtype: str,
        layout: str, word: str, shape: Any,
    ) -> None:  # fmt: skip
        a = fresh(4, 8, 6, 5, dtype=dtype, layout=layout)
        b = fresh(*shape, dtype=dtype)
        if len(shape) == 4:
            b = fresh(*shape, dtype=dtype, layout=layout)
        y = supported(cudnn, lambda: ops.tensor_operation(word, a, b))
        f = {"add": torch.add, "mul": torch.mul, "min": torch.minimum, "max": torch.maximum}[word]
        assert error_of(y, f(reference(a), reference(b))) < TYPES[dtype]

    @pytest.mark.parametrize("word", ["min", "max", "amax"])
    def test_nan_wins_where_it_is_to(
        self, ops: Any, cudnn: Any, torch: Any, dtype: str, layout: str, word: str
    ) -> None:
        """A NaN wins by whatever is chosen; graphs, which cannot do that, are refused for it."""
        kind, nan = getattr(torch, dtype), float("nan")
        a = torch.ones(2, 8, 4, 4, dtype=kind, device="cuda")
        a[0, 1, 2, 3] = nan
        if layout == "NHWC":
            a = a.contiguous(memory_format=torch.channels_last)
        b = torch.full_like(a, 2.0)
        cases: list[Any] = [(ops.Reduction, (a,))]
        if word != "amax":
            cases += [(ops.TensorOperation, (a, b)), (ops.TensorOperation, (b, a))]
        for operation, given in cases:
            y = supported(cudnn, lambda o=operation, g=given: o(word)(*g))
            assert int(y.isnan().sum()) == 1, (operation, given)
            with pytest.raises(cudnn.NotSupportedError, match="NaN win over a number"):
                operation(word, choose={"via": "graph"})(*given)
            ignoring = operation(word, propagate_nan=False)
            for choice in ({}, {"via": "graph"}):
                y = supported(cudnn, lambda i=ignoring, g=given, c=choice: i(*g, choose=c))
                assert not y.isnan().any(), (operation, choice)
        one = a[:, 1:2].contiguous()  # nothing to compare: the number, or the NaN
        y = supported(cudnn, lambda: ops.Reduction(word, 1)(one))
        assert torch.equal(y.isnan(), one[:, 0].isnan())

    @pytest.mark.parametrize("axes", [None, 0, 1, -1, (0, 2, 3), (1, 2)])
    @pytest.mark.parametrize("word", ["sum", "mean", "max", "min", "norm2"])
    def test_reduce(
        self, ops: Any, cudnn: Any, fresh: Any, error_of: Any, dtype: str,
        layout: str, axes: Any, word: str,
    ) -> None:  # fmt: skip
        x = fresh(4, 8, 6, 5, dtype=dtype, layout=layout)
        rx = reference(x)
        over = tuple(range(4)) if axes is None else axes
        expected = {
            "sum": lambda: rx.sum(over),
            "mean": lambda: rx.mean(over),
            "max": lambda: rx.amax(over),
            "min": lambda: rx.amin(over),
            "norm2": lambda: rx.square().sum(over).sqrt(),
        }[word]()
        if dtype == "bfloat16":
            y = ops.reduce(x, word, axes)  # in float32
        else:
            y = supported(cudnn, lambda: ops.reduce(x, word, axes))
        assert y.shape == expected.shape
        assert error_of(y, expected) < 20 * TYPES[dtype]

    @pytest.mark.parametrize("word", ["sum", "mean"])
    @pytest.mark.parametrize("shape", [(16, 48, 36, 40), (2, 3, 128, 96), (64, 512, 5, 7)])
    def test_sums_of_many(
        self, ops: Any, cudnn: Any, torch: Any, fresh: Any, error_of: Any, dtype: str,
        layout: str, word: str, shape: Any,
    ) -> None:  # fmt: skip
        """Large sums of arrays in all layouts are rounded once."""
        x = fresh(*shape, dtype=dtype, layout=layout) + 0.25
        if layout == "NHWC":
            x = x.contiguous(memory_format=torch.channels_last)
        rx, seen = reference(x), set()
        for axes in (None, 0, 1, 3, (0, 2, 3), (2, 3), (0, 1), (1, 2, 3)):
            over = tuple(range(4)) if axes is None else axes
            expected = getattr(rx, word)(over)
            if dtype == "float16" and expected.abs().max() > 3e4:
                continue
            operation = ops.Reduction(word, axes)
            y = supported(cudnn, lambda o=operation: o(x))
            seen.add(operation.plans[-1].function)
            assert error_of(y, expected) < 4 * TYPES[dtype], (axes, operation.plans)
            out = torch.ones_like(y)
            supported(cudnn, lambda o=operation, out=out: o(x, out=out, alpha=2.0, beta=0.5))
            assert error_of(out, 2 * expected + 0.5) < 8 * TYPES[dtype], (axes, operation.plans)
        print(sorted(seen))
        few = x.contiguous().view(8, -1)
        y = supported(cudnn, lambda: ops.reduce(few, "mean", 1))
        assert error_of(y, reference(few).mean(1)) < 4 * TYPES[dtype]
        y = supported(cudnn, lambda: ops.convolution_backward_bias(x))
        expected = rx.sum((0, 2, 3))
        if dtype != "float16" or expected.abs().max() < 3e4:
            assert error_of(y, expected) < 4 * TYPES[dtype]

    @pytest.mark.parametrize("word", ["sum", "mean", "max"])
    @pytest.mark.parametrize(
        ("shape", "axis"),
        [((32, 65536), 0), ((128, 40000), 0), ((16384,), 0), ((3, 200704), 1), ((6422528,), 0)],
    )
    def test_few_and_broad_ones(
        self, ops: Any, cudnn: Any, torch: Any, fresh: Any, error_of: Any, dtype: str,
        shape: Any, axis: int, word: str,
    ) -> None:  # fmt: skip
        """Sums of few and of many elements have the same bits each time where wanted."""
        x = fresh(*shape, dtype=dtype) * 0.125 + 0.0625
        if dtype == "float16" and word == "sum" and shape[axis] > 500000:
            pytest.skip("it overflows")
        operation = ops.Reduction(word, axis)
        y = supported(cudnn, lambda: operation(x))
        rx = reference(x)
        expected = rx.amax(axis) if word == "max" else getattr(rx, word)(axis)
        assert error_of(y, expected) < (1e-12 if word == "max" else 4 * TYPES[dtype])
        sure = ops.Reduction(word, axis, choose="deterministic")
        y = supported(cudnn, lambda: sure(x))
        assert error_of(y, expected) < (1e-12 if word == "max" else 4 * TYPES[dtype])
        for _ in range(5):
            assert torch.equal(sure(x), y), sure.plans

    @pytest.mark.parametrize("choose", [None, "deterministic"])
    @pytest.mark.parametrize(
        ("shape", "axis"),
        [
            *(((32, 200704), 1), ((64, 100003), 1), ((4, 65536), 1), ((6422528,), 0)),
            *(
                ((4096, 4096), 0),
                ((128, 40000), 0),
                ((100352, 64), 0),
                ((32, 64, 56, 56), (0, 2, 3)),
            ),
        ],
    )
    def test_small_elements(
        self, ops: Any, cudnn: Any, torch: Any, dtype: str, layout: str, shape: Any, axis: Any,
        choose: Any,
    ) -> None:  # fmt: skip
        """Sums have those that are far below what float16 tells apart, as float32 adds them."""
        if dtype != "float16":
            pytest.skip("the others have smaller numbers")
        x = (torch.rand(shape, device="cuda") * 1e-6).half()
        if layout == "NHWC" and x.dim() == 4:
            x = x.contiguous(memory_format=torch.channels_last)
        operation = ops.Reduction("sum", axis, choose=choose)
        y = supported(cudnn, lambda: operation(x))
        wanted = x.double().sum(axis)
        assert ((y.double() - wanted).abs() <= 1e-3 * wanted + 2.0**-25).all(), operation.plans
        if x.dim() == 4:
            db = supported(cudnn, lambda: ops.convolution_backward_bias(x, choose=choose))
            assert ((db.double() - wanted).abs() <= 1e-3 * wanted).all()

    @pytest.mark.parametrize(
        ("shape", "axis"),
        [
            *(((960,), 0), ((4, 8, 6, 5), (0, 2, 3)), ((2, 3, 128, 96), (2, 3))),
            *(((16, 48, 36, 40), None), ((64, 40003), 1), ((40000, 64), 0), ((1 << 21,), 0)),
            ((32, 64, 56, 56), (0, 2, 3)),
        ],
    )
    def test_sums_that_cancel(
        self, ops: Any, cudnn: Any, torch: Any, fresh: Any, dtype: str, layout: str, shape: Any,
        axis: Any,
    ) -> None:  # fmt: skip
        """Numbers far from each other cancel, and each is added as in float32."""
        x = 8 * fresh(*shape, dtype=dtype)
        first, second = x.view(-1).chunk(2)
        second.copy_(-first[torch.randperm(len(first), device="cuda")][: len(second)])
        if axis is not None:  # each sum by itself
            x = (x.double() - x.double().mean(axis, keepdim=True)).to(x.dtype)
        if layout == "NHWC" and x.dim() == 4:
            x = x.contiguous(memory_format=torch.channels_last)
        rx = x.double()
        over = tuple(range(rx.dim())) if axis is None else axis
        last = {"float64": 1e-14, "float32": 2.0**-23, "float16": 2.0**-10, "bfloat16": 2.0**-7}
        added = 1e-14 if dtype == "float64" else 2.0**-22
        for word, by in (("sum", 1), ("mean", rx.numel() / rx.sum(over).numel())):
            exact, size = rx.sum(over) / by, rx.abs().sum(over) / by
            for choose in (None, "deterministic"):
                operation = ops.Reduction(word, axis, choose=choose)
                out = torch.full_like(exact, float("nan"), dtype=x.dtype)
                y = supported(cudnn, lambda o=operation, out=out: o(x, out=out)).double()
                wrong = (y - exact).abs() > last[dtype] * exact.abs() + added * size + 1e-7 / by
                assert not wrong.any(), (word, choose, operation.plans, y[wrong], exact[wrong])
                assert not y.isnan().any()
            if axis == (0, 2, 3) and word == "sum":
                y = supported(cudnn, lambda: ops.convolution_backward_bias(x)).double()
                assert ((y - exact).abs() <= last[dtype] * exact.abs() + added * size).all()

    def test_maxima_of_many(
        self, ops: Any, cudnn: Any, torch: Any, fresh: Any, dtype: str, layout: str
    ) -> None:
        """A NaN wins, or never does.

        cuDNN's functions begin with the lowest finite number, which -inf does not exceed.
        """
        seen = set()
        lowest = torch.finfo(getattr(torch, dtype)).min
        for shape in ((16, 48, 36, 40), (8, 2, 32, 64), (4, 8, 7, 11), (64, 512, 5, 7)):
            x = fresh(*shape, dtype=dtype, layout=layout) - 3
            if layout == "NHWC":
                x = x.contiguous(memory_format=torch.channels_last)
            x[0, 1] = float("-inf")
            for axes in (None, 0, 1, 3, (0, 2, 3), (2, 3), (0, 1), (1, 2, 3)):
                over = tuple(range(4)) if axes is None else axes
                operation = ops.Reduction("max", axes)
                expected = x.amax(over)
                out = torch.full_like(expected, float("nan"))
                y = supported(cudnn, lambda o=operation, x=x, out=out: o(x, out=out))
                off = ~torch.eq(y.clamp(min=lowest), expected.clamp(min=lowest))
                assert not off.any(), (shape, axes, operation.plans, y[off], expected[off])
                seen.add(getattr(operation.plans[-1], "function", "graph"))
                supported(cudnn, lambda o=operation, x=x, y=y: o(x, out=y, alpha=2.0, beta=0.5))
                finite = expected.isfinite()
                wanted = 2.5 * expected.double()[finite]
                assert torch.allclose(y.double()[finite], wanted, rtol=20 * TYPES[dtype])
                wrong = x.clone()
                wrong[1, 0, 2, 3] = float("nan")
                y = supported(cudnn, lambda o=operation, x=wrong: o(x))
                assert torch.equal(y.isnan(), wrong.amax(over).isnan()), (shape, axes)
                ignoring = ops.Reduction("max", axes, propagate_nan=False)
                y = supported(cudnn, lambda o=ignoring, x=wrong: o(x))
                assert not y.isnan().any(), (shape, axes)
        print(sorted(seen))

    def test_reduce_with_positions(self, ops: Any, torch: Any, fresh: Any) -> None:
        x = fresh(4, 8, 6, 5)
        values, places = ops.reduce(x, "max", 1, indices=True)
        expected = x.max(1)
        assert torch.equal(values, expected.values)
        assert torch.equal(places.long(), expected.indices)

    @pytest.mark.parametrize("target", ["NCHW", "NHWC"])
    def test_transform(
        self, ops: Any, cudnn: Any, fresh: Any, error_of: Any, dtype: str, layout: str, target: str
    ) -> None:
        x = fresh(4, 8, 6, 5, dtype=dtype, layout=layout)
        y = supported(cudnn, lambda: ops.transform(x, target))
        assert error_of(y, reference(x)) == 0
        assert y.stride()[1] == (1 if target == "NHWC" else 30)

    def test_other_types(self, ops: Any, cudnn: Any, torch: Any, fresh: Any, error_of: Any) -> None:
        x = fresh(4, 8, 6, 5)
        y = supported(cudnn, lambda: ops.transform(x, dtype="half"))
        assert y.dtype == torch.float16
        assert error_of(y, reference(x)) < 1e-3

    @pytest.mark.parametrize("source", ["float32", "float16", "int8"])
    def test_float64_is_scaled_in_float64(
        self, ops: Any, torch: Any, fresh: Any, source: str
    ) -> None:
        x = (fresh(4, 8, 6, 5) * 16).to(getattr(torch, source))
        y = ops.transform(x, "NHWC", "float64", alpha=0.1)
        assert torch.equal(y, x.double() * 0.1)
        before = torch.rand_like(y)
        again = ops.transform(x, out=before.clone(), alpha=0.1, beta=1 / 3)
        error = (again - (x.double() * 0.1 + before * (1 / 3))).abs()
        assert bool((error <= 2.0**-52 * (x.double().abs() + 1)).all())

    def test_in_place(self, ops: Any, cudnn: Any, fresh: Any, error_of: Any, dtype: str) -> None:
        x = fresh(4, 8, 6, 5, dtype=dtype)
        expected = reference(x) * 0.5
        assert supported(cudnn, lambda: ops.scale(x, 0.5)) is x
        assert error_of(x, expected) < TYPES[dtype]
        supported(cudnn, lambda: ops.fill(x, 3.0))
        assert (x == 3).all()

    def test_rows_and_a_vector(
        self, ops: Any, cudnn: Any, torch: Any, fresh: Any, dtype: str, layout: str
    ) -> None:
        """Large arrays by a graph, where the vector lies along the innermost axis."""
        a, b = fresh(2048, 2056, dtype=dtype), fresh(2056, dtype=dtype)
        limit = 2 * TYPES[dtype]
        for word, expected in (("add", a.double() + b.double()), ("mul", a.double() * b.double())):
            operation = ops.TensorOperation(word)
            out = torch.full_like(a, float("nan"))
            assert torch.allclose(operation(a, b, out=out).double(), expected, limit, limit)
            by_graph = a.nbytes >= 8 << 20 and dtype != "float64"
            assert isinstance(operation.plans[-1], cudnn.Plan) == by_graph
        x = fresh(33, 64, 47, 48, dtype=dtype, layout=layout)
        kind = "float64" if dtype == "float64" else "float32"
        scale, bias, mean = (fresh(64, dtype=kind) for _ in range(3))
        variance = fresh(64, dtype=kind).abs() + 0.5
        infer = ops.BatchNormInference()
        y = infer(x, scale, bias, mean, variance, out=torch.full_like(x, float("nan")))
        expected = torch.nn.functional.batch_norm(
            *(each.double() for each in (x, mean, variance, scale, bias))
        )
        assert torch.allclose(y.double(), expected, 2 * limit, 2 * limit)
        by_graph = layout == "NHWC" and dtype != "float64"
        assert isinstance(infer.plans[-1], cudnn.Plan) == by_graph

    @pytest.mark.parametrize("value", [0.0, -0.0, 1 / 3, -65504.0, 1e-8, 1e30, float("inf")])
    def test_fill_as_pytorch(
        self, ops: Any, cudnn: Any, torch: Any, fresh: Any, dtype: str, layout: str, value: float
    ) -> None:
        if dtype == "float16" and value == 1e30:
            pytest.skip("float16 has no such number")
        for part in (
            (),
            (slice(None), slice(1, None)),
            (slice(1, None), ..., slice(None, None, 2)),
        ):
            x = fresh(4, 8, 6, 6, dtype=dtype, layout=layout)
            wanted = x.clone()
            wanted[part].fill_(value)
            supported(cudnn, lambda x=x, part=part: ops.fill(x[part], value))
            assert torch.equal(x, wanted)  # nothing beside it
            assert torch.equal(x.signbit(), wanted.signbit())

    def test_large_ones_by_a_graph(
        self, ops: Any, cudnn: Any, torch: Any, fresh: Any, dtype: str, layout: str
    ) -> None:
        """From 8 MiB on a graph adds, multiplies and scales; factors do not compile it again."""
        a, b = (fresh(32, 64, 36, 64, dtype=dtype, layout=layout) for _ in range(2))
        limit = 2 * TYPES[dtype]
        for word, expected in (("add", a.double() + b.double()), ("mul", a.double() * b.double())):
            operation = ops.TensorOperation(word)
            y = operation(a, b)
            by_graph = isinstance(operation.plans[-1], cudnn.Plan)
            assert by_graph == (dtype != "float64"), operation.plans
            assert torch.allclose(y.double(), expected, limit, limit)
            out = a.clone()
            assert operation(out, b, out=out) is out
            assert torch.allclose(out.double(), expected, limit, limit)
        channel = fresh(1, 64, 1, 1, dtype=dtype)  # by a graph with channels last
        assert torch.allclose(
            ops.add(a, channel).double(), a.double() + channel.double(), limit, limit
        )
        for factor in (0.3, -2.0, 0.0, 1e-3):
            x = a.clone()
            assert ops.scale(x, factor) is x
            assert torch.allclose(x.double(), a.double() * factor, limit, limit * abs(factor))
        one = ops.Scale(0.5)
        for _ in range(5):  # launched as a graph from the third time on
            one(x)
        assert torch.allclose(x.double(), a.double() * 1e-3 / 32, limit, limit * 1e-4)
        odd = torch.cat([a.flatten(), a.flatten()[:3]])[1:-2]
        wanted = odd.double() * 3
        ops.scale(odd, 3.0)
        assert torch.allclose(odd.double(), wanted, limit, limit)


def test_random_shapes(ops: Any, torch: Any, fresh: Any, error_of: Any) -> None:
    """Shapes that come by chance, of operations whose plans are found again by shape."""
    import random

    chance = random.Random(7)
    relu, pool = ops.Activation("relu"), ops.Pooling("average", 2)
    for _ in range(40):
        shape = (chance.randrange(1, 4), chance.randrange(1, 9), *(chance.randrange(2, 12),) * 2)
        x = fresh(*shape, layout=chance.choice(["NCHW", "NHWC"]))
        assert error_of(relu(x), reference(x).relu()) < 1e-6
        assert error_of(pool(x), torch.nn.functional.avg_pool2d(reference(x), 2)) < 1e-5


def test_again(ops: Any, torch: Any, fresh: Any, error_of: Any) -> None:
    """Calls like the one before take a shorter way: same numbers, new outputs, any stream."""
    f, norm = ops.Activation("tanh"), ops.BatchNorm()
    scale, bias, stream = fresh(8), fresh(8), torch.cuda.Stream()
    seen = []
    for i in range(6):
        x = fresh(4, 8, 6, 5)
        torch.cuda.synchronize()
        with torch.cuda.stream(stream if i % 2 else torch.cuda.current_stream()):
            y, z = f(x), norm(x, scale, bias).y
            wanted = torch.nn.functional.batch_norm(x, None, None, scale, bias, True)
        torch.cuda.synchronize()
        seen.append(y)
        assert error_of(y, reference(x).tanh()) < 1e-6
        assert error_of(z, reference(wanted)) < 1e-5
    assert len({each.data_ptr() for each in seen}) == len(seen)
    # Other strides, types and shapes than before.
    x = fresh(4, 8, 6, 5)
    for other in (x.contiguous(memory_format=torch.channels_last), x.double(), x[:2], x[:, :, ::2]):
        assert error_of(f(other), reference(other).tanh()) < 1e-6
    with pytest.raises(ValueError, match="x: "):
        f(x.cpu())
