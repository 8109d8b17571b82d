"""Operations made of several calls, and cuDNN's rarer functions, against PyTorch in float64."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest

from tests.gpu.conftest import capturing, laid_out, reference, supported
from tests.threads import in_threads

TYPES = {"float64": 1e-12, "float32": 1e-5, "float16": 4e-3, "bfloat16": 3e-2}


class TestCrossEntropyOfLabels:
    SHAPES = ((6, 10), (64, 1000), (3, 10, 7), (2, 16, 4, 3), (1, 8), (5, 101), (300, 12))

    @pytest.mark.parametrize("shape", SHAPES)
    @pytest.mark.parametrize("dtype", list(TYPES)[1:])  # float64 has no graph with labels
    def test_and_gradient(
        self, ops: Any, torch: Any, fresh: Any, error_of: Any, dtype: str, shape: Any
    ) -> None:
        # Each graph is compiled: there is each pair of a type, shape and options, not all of all.
        one, other = list(TYPES).index(dtype) - 1, self.SHAPES.index(shape)
        reduction = ("none", "sum", "mean")[(one + other) % 3]

        def picked(bit: int, *pair: Any) -> Any:
            return pair[(one == (other + bit) % 3) != (other >> bit) % 2]

        kind, weighted = picked(0, "int32", "int64"), picked(1, False, True)
        smoothing, layout = picked(2, 0.0, 0.1), picked(3, "NCHW", "NHWC")
        x = laid_out(torch, fresh(*shape, dtype=dtype), layout)
        labels = torch.randint(0, shape[1], (shape[0], *shape[2:]))
        if labels.numel() > 4:
            labels.view(-1)[1::4] = -100
        weight = fresh(shape[1]).abs() if weighted else None
        rx = reference(x).requires_grad_()
        loss = torch.nn.functional.cross_entropy(
            rx, labels, None if weight is None else reference(weight), reduction=reduction,
            label_smoothing=smoothing,
        )  # fmt: skip
        target = labels.to("cuda", getattr(torch, kind))
        entropy = ops.CrossEntropy(reduction, label_smoothing=smoothing)
        out = torch.full(loss.shape or (1,), float("nan"), device="cuda")
        got = entropy(x, target, weight, out=out)
        assert got is out
        limit = 3 * TYPES[dtype]
        assert error_of(got, loss.detach().reshape(got.shape)) < limit
        dloss = fresh(*got.shape)
        loss.backward(reference(dloss).reshape(loss.shape))
        poison = torch.full_like(x, float("nan"))
        dx = entropy.backward(dloss, x, target, weight, out=poison)
        assert dx is poison
        assert error_of(dx, rx.grad) < limit

    def test_functions_and_classes_that_are_ignored(
        self, ops: Any, torch: Any, fresh: Any, error_of: Any
    ) -> None:
        x, labels = fresh(9, 12), torch.randint(0, 12, (9,), device="cuda")
        labels[::3] = 5
        wanted = torch.nn.functional.cross_entropy(reference(x), labels.cpu(), ignore_index=5)
        assert error_of(ops.cross_entropy(x, labels, ignore_index=5), wanted.reshape(1)) < 1e-5
        # Masked logits: minus infinity has no share.
        x[:, 3] = float("-inf")
        labels[labels == 3] = 4
        wanted = torch.nn.functional.cross_entropy(reference(x), labels.cpu())
        assert error_of(ops.cross_entropy(x, labels), wanted.reshape(1)) < 1e-5
        x[2, 1] = float("nan")
        assert ops.cross_entropy(x, labels, "none").isnan().tolist() == [i == 2 for i in range(9)]

    @pytest.mark.parametrize("kind", ["int32", "int64"])
    def test_all_of_it_is_one_call(self, ops: Any, torch: Any, fresh: Any, kind: str) -> None:
        x, dtype = fresh(70, 20), getattr(torch, kind)
        labels = torch.randint(0, 20, (70,), device="cuda", dtype=dtype)
        entropy, back = ops.CrossEntropy(), ops.CrossEntropyBackward()
        loss = entropy(x, labels)
        dloss = torch.ones_like(loss)
        dx = back(dloss, x, labels)
        if getattr(torch.Tensor, "__dlpack_c_exchange_api__", None) is None:
            pytest.skip("PyTorch's arrays are read in Python")
        for way, given, made in (
            (entropy.plans[0], (x, labels), loss),
            (back.plans[0], (dloss, x, labels), dx),
        ):
            if not way._is_armed:
                pytest.skip("nothing was compiled")
            out = torch.full_like(made, float("nan"))
            assert way.attempt(*given, out) is out
            torch.testing.assert_close(out, made)

    def test_labels_out_of_range_have_no_loss(self, ops: Any, torch: Any, fresh: Any) -> None:
        for classes in (12, 13):
            x = fresh(6, classes)
            labels = torch.tensor([0, 3, classes, 1 << 23, -1, 5], device="cuda")
            found = ops.cross_entropy(x, labels, "none")
            wanted = torch.nn.functional.cross_entropy(
                reference(x), labels.cpu() * torch.tensor([1, 1, 0, 0, 0, 1]), reduction="none"
            )
            inside = torch.tensor([1.0, 1, 0, 0, 0, 1], dtype=torch.float64)
            wanted = wanted * inside
            torch.testing.assert_close(found.cpu().double(), wanted, rtol=1e-5, atol=1e-5)
            mean = ops.cross_entropy(x, labels)
            torch.testing.assert_close(mean.cpu().double(), wanted.sum(0, True) / 3)
            for smoothing, ignored in ((0.0, -100), (0.1, 5)):
                kept = inside.bool() & (labels.cpu() != ignored)
                rx = reference(x)[kept].requires_grad_()
                torch.nn.functional.cross_entropy(
                    rx, labels.cpu()[kept], reduction="sum", label_smoothing=smoothing
                ).backward()
                dx = ops.CrossEntropyBackward(
                    "sum", ignore_index=ignored, label_smoothing=smoothing
                )(torch.ones(1, device="cuda"), x, labels)
                torch.testing.assert_close(dx.cpu().double()[kept], rx.grad, rtol=1e-4, atol=1e-6)
                assert not dx.cpu()[~kept].any()

    @pytest.mark.parametrize("shape", [(64, 100), (130, 10)])
    def test_the_same_arrays_with_other_numbers(
        self, ops: Any, torch: Any, fresh: Any, shape: Any
    ) -> None:
        """From some calls on these are launched as graphs."""
        x, labels = fresh(*shape), torch.zeros(shape[0], dtype=torch.int64, device="cuda")
        entropy, back = ops.CrossEntropy(), ops.CrossEntropyBackward()
        loss, dx, dloss = torch.empty(1, device="cuda"), torch.empty_like(x), fresh(1)
        for _ in range(12):
            x.normal_()
            labels.random_(0, shape[1])
            labels[::5] = -100
            loss.fill_(float("nan"))
            dx.fill_(float("nan"))
            entropy(x, labels, out=loss)
            back(dloss, x, labels, out=dx)
            rx = reference(x).requires_grad_()
            wanted = torch.nn.functional.cross_entropy(rx, labels.cpu())
            wanted.backward(reference(dloss)[0])
            torch.testing.assert_close(
                loss.cpu().double(), wanted.detach().reshape(1), rtol=1e-5, atol=1e-6
            )
            torch.testing.assert_close(dx.cpu().double(), rx.grad, rtol=1e-4, atol=1e-7)

    def test_captured_and_replayed(self, ops: Any, torch: Any, fresh: Any) -> None:
        x, labels = fresh(200, 33), torch.randint(0, 33, (200,), device="cuda")
        entropy, back = ops.CrossEntropy(), ops.CrossEntropyBackward()
        dloss = torch.ones(1, device="cuda")
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            entropy(x, labels), back(dloss, x, labels)
            torch.cuda.synchronize()
            with capturing(stream=stream) as graph:
                loss, dx = entropy(x, labels), back(dloss, x, labels)
        for _ in range(3):
            x.normal_()
            labels.random_(0, 33)
            labels[::5] = -100
            loss.fill_(float("nan"))
            dx.fill_(float("nan"))
            graph.replay()
            torch.cuda.synchronize()
            rx = reference(x).requires_grad_()
            wanted = torch.nn.functional.cross_entropy(rx, labels.cpu())
            wanted.backward()
            torch.testing.assert_close(loss.cpu(), wanted.detach().reshape(1).float())
            torch.testing.assert_close(dx.cpu().double(), rx.grad, rtol=1e-4, atol=1e-7)

    def test_threads_in_streams_of_their_own(self, ops: Any, torch: Any, fresh: Any) -> None:
        entropy = ops.CrossEntropy("sum")
        cases = []
        for _ in range(6):
            x, labels = fresh(150, 40), torch.randint(0, 40, (150,), device="cuda")
            cases.append((x, labels, torch.nn.functional.cross_entropy(x, labels, reduction="sum")))
        entropy(*cases[0][:2])
        torch.cuda.synchronize()

        def work(case: Any) -> None:
            x, labels, wanted = case
            with torch.cuda.stream(torch.cuda.Stream()):
                for _ in range(50):
                    loss = entropy(x, labels)
                    torch.cuda.current_stream().synchronize()
                    assert (loss - wanted).abs().item() <= 1e-3 * wanted.abs().item()

        in_threads(work, cases)

    @pytest.mark.parametrize("weighted", [False, True])
    @pytest.mark.parametrize("smoothing", [0.0, 0.1])
    def test_the_same_bits_where_that_is_asked_for(
        self, ops: Any, torch: Any, fresh: Any, error_of: Any, smoothing: float, weighted: bool
    ) -> None:
        x, labels = fresh(1000, 260), torch.randint(0, 260, (1000,), device="cuda")
        labels[::7] = -100
        weight = fresh(260).abs() if weighted else None
        for reduction in ("none", "mean", "sum"):
            options = {"label_smoothing": smoothing, "choose": "deterministic"}
            rx = reference(x).requires_grad_()
            wanted = torch.nn.functional.cross_entropy(
                rx, labels.cpu(), None if weight is None else reference(weight),
                reduction=reduction, label_smoothing=smoothing,
            )  # fmt: skip
            wanted.sum().backward()
            entropy = ops.CrossEntropy(reduction, **options)
            losses = [entropy(x, labels, weight) for _ in range(50)]
            assert all(torch.equal(each, losses[0]) for each in losses)
            assert entropy.plans[0].deterministic
            assert error_of(losses[0], wanted.detach().reshape(losses[0].shape)) < 3e-5
            dloss = torch.ones_like(losses[0])
            back = ops.CrossEntropyBackward(reduction, **options)
            found = [back(dloss, x, labels, weight) for _ in range(50)]
            assert all(torch.equal(each, found[0]) for each in found)
            assert error_of(found[0], rx.grad) < 3e-5


class TestGroupNorm:
    @pytest.mark.parametrize(("groups", "affine"), [(1, True), (2, True), (2, False), (8, True)])
    @pytest.mark.parametrize("shape", [(4, 8, 9, 10), (3, 8), (2, 8, 7), (2, 8, 3, 4, 5)])
    def test_and_gradients(
        self, ops: Any, torch: Any, fresh: Any, error_of: Any, dtype: str, layout: str,
        groups: int, shape: Any, affine: bool,
    ) -> None:  # fmt: skip
        if len(shape) == 2 and groups == 8:
            pytest.skip("one element is normalized to zero")
        kind = "float64" if dtype == "float64" else "float32"
        x, dy = (laid_out(torch, fresh(*shape, dtype=dtype), layout) for _ in range(2))
        scale, bias = (fresh(8, dtype=kind) if affine else None for _ in range(2))
        rx = reference(x).requires_grad_()
        rs, rb = (
            (torch.full((8,), start).double() if each is None else reference(each)).requires_grad_()
            for each, start in ((scale, 1.0), (bias, 0.0))
        )
        wanted = torch.nn.functional.group_norm(rx, groups, rs, rb)
        wanted.backward(reference(dy))
        norm = ops.GroupNorm(groups, statistics=True)
        poison = torch.full_like(x, float("nan"))
        y, mean, inverse = norm(x, scale, bias, out=(poison, None, None))
        assert y is poison
        limit = 3 * TYPES[dtype]
        assert error_of(y, wanted.detach()) < limit
        rows = reference(x).reshape(shape[0], groups, -1)
        assert error_of(mean, rows.mean(2)) < max(limit, 1e-4)
        assert error_of(inverse, (rows.var(2, unbiased=False) + 1e-5).rsqrt()) < max(limit, 1e-4)
        assert error_of(ops.group_norm(x, groups, scale, bias), wanted.detach()) < limit
        for saved in ((mean, inverse), (None, None)):
            back = norm.backward(dy, x, scale, *saved, out=(torch.full_like(x, float("nan")),))
            for got, each in zip(back, (rx, rs, rb), strict=True):
                assert error_of(got, each.grad) < 5 * limit
            assert back.x.stride() == x.stride()


class TestPooling:
    @pytest.mark.parametrize("via", ["graph", "classic"])
    @pytest.mark.parametrize("padding", [0, 1])
    def test_sums(
        self, ops: Any, cudnn: Any, torch: Any, fresh: Any, error_of: Any, dtype: str,
        layout: str, via: str, padding: int,
    ) -> None:  # fmt: skip
        x = fresh(2, 8, 9, 11, dtype=dtype, layout=layout)
        rx = reference(x).requires_grad_()
        wanted = torch.nn.functional.avg_pool2d(rx, 3, 2, padding, divisor_override=1)
        pool = ops.Pooling("sum", 3, 2, padding, choose={"via": via})
        y = supported(cudnn, lambda: pool(x))
        assert error_of(y, wanted.detach()) < TYPES[dtype]
        dy = torch.empty_like(y).copy_(fresh(*y.shape, dtype=dtype))
        wanted.backward(reference(dy))
        dx = supported(cudnn, lambda: pool.backward(dy, x, y))
        assert error_of(dx, rx.grad) < 2 * TYPES[dtype]

    def test_words(self, ops: Any, torch: Any, fresh: Any, error_of: Any) -> None:
        x = fresh(2, 4, 8, 8)
        wanted = torch.nn.functional.avg_pool2d(reference(x), 2, divisor_override=1)
        assert error_of(ops.sum_pool(x), wanted) < 1e-5
        for word, inside in (("average_exclude_padding", False), ("average_include_padding", True)):
            wanted = torch.nn.functional.avg_pool2d(reference(x), 3, 2, 1, count_include_pad=inside)
            assert error_of(ops.Pooling(word, 3, 2, 1)(x), wanted) < 1e-5


class TestIdentity:
    @pytest.mark.parametrize("via", ["graph", "classic"])
    def test_and_gradient(
        self, ops: Any, cudnn: Any, fresh: Any, error_of: Any, dtype: str, layout: str, via: str
    ) -> None:
        x, y = (fresh(2, 4, 6, 5, dtype=dtype, layout=layout) for _ in range(2))
        wanted = 2 * reference(x) + 0.5 * reference(y)
        f = ops.Activation("identity", choose={"via": via})
        supported(cudnn, lambda: f(x, out=y, alpha=2.0, beta=0.5))
        assert error_of(y, wanted) < TYPES[dtype]
        assert error_of(supported(cudnn, lambda: f.backward(x, x)), reference(x)) == 0


class TestBatchNormActivation:
    @pytest.mark.parametrize("mode", ["spatial", "per_activation", "spatial_persistent"])
    @pytest.mark.parametrize("adds", [False, True])
    def test_and_gradients(
        self, ops: Any, cudnn: Any, fresh: Any, poisoned: Any, error_of: Any, dtype: str,
        layout: str, mode: str, adds: bool,
    ) -> None:  # fmt: skip
        shape = (6, 8, 5, 7)
        x, z, dy = (fresh(*shape, dtype=dtype, layout=layout) for _ in range(3))
        kind = "float64" if dtype == "float64" else "float32"
        size = (8, 5, 7) if mode == "per_activation" else (8,)
        axes = (0,) if mode == "per_activation" else (0, 2, 3)
        full = (1, *size, *(1,) * (3 - len(size)))
        scale, bias = fresh(*size, dtype=kind), fresh(*size, dtype=kind)
        rx, rz, rs, rb = (reference(each).requires_grad_() for each in (x, z, scale, bias))
        mean = rx.mean(axes, keepdim=True)
        variance = rx.var(axes, unbiased=False, keepdim=True)
        made = (rx - mean) / (variance + 1e-5).sqrt() * rs.view(full) + rb.view(full)
        inner = made + rz if adds else made
        wanted = inner.relu()
        running = [fresh(*size, dtype=kind), fresh(*size, dtype=kind).abs()]
        before = [reference(each) for each in running]
        norm = ops.BatchNormActivation(mode, momentum=0.3)
        out = (poisoned(*shape, dtype=dtype, layout=layout), None, None)
        got = supported(cudnn, lambda: norm(x, scale, bias, z if adds else None, *running, out=out))
        limit = 3 * TYPES[dtype]
        assert error_of(got.y, wanted.detach()) < limit
        assert error_of(got.mean.reshape(full), mean.detach()) < max(limit, 1e-4)
        assert error_of(running[0], 0.7 * before[0] + 0.3 * mean.detach().reshape(size)) < (
            max(limit, 1e-4)
        )
        fused = mode != "per_activation" and layout == "NHWC" and dtype != "float64"
        assert (got.reserve is not None) == fused
        # Where rounding moved an element across zero, the reference follows what was computed.
        inner.backward(reference(dy) * (reference(got.y) > 0))
        back = norm.backward(
            dy, x, got.y, scale, bias, got.mean, got.inv_variance, got.reserve, residual=adds
        )
        for result, each in zip(back, (rx, rs, rb), strict=False):
            assert error_of(result, each.grad) < 5 * limit
        assert (back.residual is not None) == adds
        if adds:
            assert error_of(back.residual, rz.grad) < limit

    def test_a_choice_that_is_deterministic(
        self, ops: Any, fresh: Any, error_of: Any, dtype: str, layout: str
    ) -> None:
        """It is several calls, whose gradients have the same bits each time."""
        x, dy = (fresh(6, 8, 5, 7, dtype=dtype, layout=layout) for _ in range(2))
        kind = "float64" if dtype == "float64" else "float32"
        scale, bias = fresh(8, dtype=kind), fresh(8, dtype=kind)
        f = ops.BatchNormActivation(choose="deterministic")
        got = f(x, scale, bias)
        assert got.reserve is None
        wanted = ops.BatchNormActivation()(x, scale, bias)
        assert error_of(got.y, reference(wanted.y)) < 3 * TYPES[dtype]
        first = f.backward(dy, x, got.y, scale, bias, got.mean, got.inv_variance)
        for _ in range(5):
            again = f.backward(dy, x, got.y, scale, bias, got.mean, got.inv_variance)
            assert all((a == b).all() for a, b in zip(first[:3], again[:3], strict=True))


class TestColumns:
    @pytest.mark.parametrize("batch", [1, 3])
    @pytest.mark.parametrize(
        ("window", "options"),
        [
            (3, {}),
            (2, {"stride": 2}),
            ((3, 2), {"padding": (1, 0), "dilation": 2}),
            ((1, 3), {"stride": (2, 1), "padding": (0, 1)}),
        ],
    )
    def test_columns_and_back(
        self, ops: Any, cudnn: Any, torch: Any, fresh: Any, error_of: Any, dtype: str,
        batch: int, window: Any, options: Any,
    ) -> None:  # fmt: skip
        x = fresh(batch, 5, 9, 8, dtype=dtype)
        wanted = torch.nn.functional.unfold(reference(x), window, **options)
        columns = ops.Im2Col(window, **options)
        y = supported(cudnn, lambda: columns(x))
        assert y.shape == wanted.shape
        assert error_of(y, wanted) == 0
        dy = torch.empty_like(y).copy_(fresh(*y.shape, dtype=dtype))
        images = torch.nn.functional.fold(reference(dy), (9, 8), window, **options)
        for given in (dy, dy.contiguous()):
            dx = supported(cudnn, lambda given=given: columns.backward(given, x.shape))
            assert error_of(dx, images) < 5 * TYPES[dtype]

    def test_one_dimension(self, ops: Any, torch: Any, fresh: Any, error_of: Any) -> None:
        x = fresh(2, 3, 10)
        wanted = torch.nn.functional.unfold(reference(x)[:, :, None], (1, 3))
        y = ops.im2col(x, 3)
        assert error_of(y, wanted) == 0
        back = torch.nn.functional.fold(wanted, (1, 10), (1, 3))[:, :, 0]
        assert error_of(ops.col2im(y, x.shape, 3), back) < 1e-5


def by_pixels(x: Any, factors: Any) -> Any:
    """Return the pixels of blocks as channels: first all channels of the first pixel."""
    count = len(factors)
    for axis, factor in enumerate(factors):
        x = x.unflatten(2 + 2 * axis, (-1, factor))
    pixels, blocks = range(3, 3 + 2 * count, 2), range(2, 2 + 2 * count, 2)
    return x.permute(0, *pixels, 1, *blocks).flatten(1, 1 + count)


class TestFolding:
    @pytest.mark.parametrize("target", [None, "NCHW", "NHWC"])
    def test_and_back(
        self, ops: Any, cudnn: Any, fresh: Any, error_of: Any, dtype: str, layout: str,
        target: Any,
    ) -> None:  # fmt: skip
        x = fresh(2, 3, 4, 6, dtype=dtype, layout=layout)
        y = supported(cudnn, lambda: ops.fold(x, 2, layout=target))
        assert y.shape == (2, 12, 2, 3)
        back = supported(cudnn, lambda: ops.unfold(y, 2, layout=layout))
        assert error_of(back, reference(x)) == 0
        assert error_of(y, by_pixels(reference(x), (2, 2))) == 0

    @pytest.mark.parametrize(("axes", "factors"), [(4, (2, 3)), (4, (2, 1))])
    def test_memory_in_any_order(
        self, ops: Any, torch: Any, fresh: Any, error_of: Any, axes: int, factors: Any
    ) -> None:
        """The pixels of a block keep their order, however rows and columns lie in memory."""
        batch, channels, wrong = 2, 3, []
        extents = [2 * f for f in factors]
        for order in itertools.permutations(range(axes)):
            back = [order.index(axis) for axis in range(axes)]
            x = fresh(batch, channels, *extents).permute(order).contiguous().permute(back)
            out = torch.empty_like(by_pixels(x, factors).contiguous()).fill_(float("nan"))
            y = ops.Fold(factors, layout="NCHW")(x, out=out, alpha=-0.5)
            if error_of(y, -0.5 * by_pixels(reference(x), factors)):
                wrong.append(("fold", order))
            columns = reference(y).to("cuda", y.dtype).permute(order).contiguous().permute(back)
            before = torch.ones_like(x, memory_format=torch.contiguous_format)
            again = ops.Unfold(factors, layout="NCHW")(columns, out=before, beta=2.0)
            if error_of(again, 2.0 - 0.5 * reference(x)) > 1e-6:
                wrong.append(("unfold", order))
        assert not wrong

    def test_repeated_and_sliced(self, ops: Any, fresh: Any, error_of: Any, dtype: str) -> None:
        images = fresh(2, 3, 8, 12, dtype=dtype)
        row, column = images[:, :, :1].expand(-1, -1, 8, -1), images[..., :1].expand(-1, -1, -1, 8)
        overlapping = images.as_strided((2, 3, 4, 4), (96, 32, 1, 1))
        steps = images.as_strided((2, 3, 4, 6), (144, 48, 12, 2))
        for x in (row, column, overlapping, steps, images[:, :1].mT, images[:1, :, :, 3:7]):
            y = ops.fold(x, 2)
            assert error_of(y, by_pixels(reference(x), (2, 2))) == 0
            assert error_of(ops.unfold(y, 2), reference(x)) == 0

    def test_volumes_with_gaps(self, ops: Any, fresh: Any, error_of: Any, dtype: str) -> None:
        volumes = fresh(2, 6, 8, 8, 6, dtype=dtype)
        for x in (
            volumes[:, ::2], volumes[..., 1:5], volumes[:, :, ::2], volumes[:, :, 2:6, 2:6],
            volumes.permute(0, 1, 4, 3, 2), volumes.permute(0, 2, 3, 4, 1)[:, :, :, :4],
            volumes[:, :, :1].expand(-1, -1, 4, -1, -1),
        ):  # fmt: skip
            y = ops.fold(x, 2)
            assert error_of(y, by_pixels(reference(x), (2, 2, 2))) == 0
            assert error_of(ops.unfold(y, 2), reference(x)) == 0
        columns = fresh(2, 20, 4, 3, 5, dtype=dtype)[:, 2:18, :, :, 1:]
        x = ops.unfold(columns, 2)
        assert error_of(by_pixels(reference(x), (2, 2, 2)), reference(columns)) == 0


class TestMultiHeadAttention:
    BATCH, QUERIES, KEYS = 3, 5, 7

    def attend(self, torch: Any, q: Any, k: Any, v: Any, parts: Any, options: Any) -> Any:
        """Attention by its formula; `options` has scale, a mask and lengths."""
        heads = []
        for head in range(parts["query.weight"].shape[0]):
            wq, wk, wv, wo = (
                parts[f"{name}.weight"][head] for name in ("query", "key", "value", "output")
            )
            scores = options["scale"] * (q @ wq.T) @ (k @ wk.T).transpose(1, 2)
            scores = scores.masked_fill(~options["mask"], float("-inf"))
            heads.append(scores.softmax(2) @ (v @ wv.T) @ wo.T)
        return torch.stack(heads).sum(0)

    @pytest.mark.parametrize("causal", [False, True])
    @pytest.mark.parametrize("batch_first", [True, False])
    @pytest.mark.parametrize("with_residual", [False, True])
    def test_and_gradients(
        self, ops: Any, torch: Any, fresh: Any, error_of: Any, dtype: str, causal: bool,
        batch_first: bool, with_residual: bool,
    ) -> None:  # fmt: skip
        if dtype == "bfloat16":
            pytest.skip("cuDNN's multi-head attention has no bfloat16")
        limit = {"float64": 1e-11, "float32": 2e-5, "float16": 2e-2}[dtype]
        size = 16 if with_residual else 12  # residuals are as long as queries
        attend = ops.MultiHeadAttention(
            2, size, 10, 14, q_projection=6, k_projection=6, v_projection=8, o_projection=16,
            scale=0.4, causal=causal, batch_first=batch_first, choose={"tf32": False},
        )  # fmt: skip
        count = attend.weights_count(dtype)
        assert count >= 2 * (6 * size + 6 * 10 + 8 * 14 + 16 * 8)
        weights = fresh(count, dtype=dtype) * 0.3
        views = attend.parameters(weights)
        assert {name: tuple(each.shape) for name, each in views.items()} == {
            "query.weight": (2, 6, size), "key.weight": (2, 6, 10), "value.weight": (2, 8, 14),
            "output.weight": (2, 16, 8),
        }  # fmt: skip
        assert sorted(each.data_ptr() for each in views.values())[0] == weights.data_ptr()
        q, k, v = (
            fresh(self.BATCH, time, width, dtype=dtype)
            for time, width in ((self.QUERIES, size), (self.KEYS, 10), (self.KEYS, 14))
        )
        residual, do = (fresh(self.BATCH, self.QUERIES, 16, dtype=dtype) for _ in range(2))
        rq, rk, rv = (reference(each).requires_grad_() for each in (q, k, v))
        parts = {name: reference(each).requires_grad_() for name, each in views.items()}
        mask = torch.ones(self.QUERIES, self.KEYS, dtype=torch.bool)
        mask = mask.tril() if causal else mask
        wanted = self.attend(torch, rq, rk, rv, parts, {"scale": 0.4, "mask": mask})
        wanted.backward(reference(do))
        wanted = wanted.detach() + (reference(residual) if with_residual else 0)

        def placed(each: Any) -> Any:
            return each if batch_first else each.transpose(0, 1).contiguous()

        q, k, v, residual, do = (placed(each) for each in (q, k, v, residual, do))
        given = residual if with_residual else None
        out = torch.full_like(do, float("nan"))
        plain, none = attend(q, k, v, weights, given, out=out)
        assert none is None
        assert plain is out
        assert error_of(placed(plain), wanted) < limit
        o, reserve = attend(q, k, v, weights, given, training=True)
        assert error_of(placed(o), wanted) < limit
        outs = tuple(torch.full_like(each, float("nan")) for each in (q, k, v, weights))
        got = attend.backward(do, q, k, v, weights, reserve, out=outs)
        for result, each in zip(got[:3], (rq, rk, rv), strict=True):
            assert error_of(placed(result), each.grad) < limit
        for name, view in attend.parameters(got.weights).items():
            assert error_of(view, parts[name].grad) < limit

    def test_lengths_windows_and_steps(
        self, ops: Any, torch: Any, fresh: Any, error_of: Any
    ) -> None:
        attend = ops.MultiHeadAttention(
            2, 8, q_projection=4, k_projection=4, v_projection=4, o_projection=8, scale=0.5,
            choose={"tf32": False},
        )  # fmt: skip
        weights = fresh(attend.weights_count("float32")) * 0.3
        parts = {name: reference(each) for name, each in attend.parameters(weights).items()}
        q, k = fresh(3, 5, 8), fresh(3, 7, 8)
        lengths = (7, 4, 2)
        mask = torch.arange(7)[None, None] < torch.tensor(lengths)[:, None, None]
        o, _ = attend(q, k, k, weights, kv_lengths=lengths)
        rq, rk = reference(q), reference(k)
        options = {"scale": 0.5, "mask": mask}
        wanted = self.attend(torch, rq, rk, rk, parts, options)
        assert error_of(o, wanted) < 2e-5
        first, last = (0, 0, 1, 2, 3), (2, 3, 4, 5, 7)
        seen = torch.zeros(5, 7, dtype=torch.bool)
        for row, (a, b) in enumerate(zip(first, last, strict=True)):
            seen[row, a:b] = True
        wanted = self.attend(torch, rq, rk, rk, parts, {"scale": 0.5, "mask": seen})
        o, _ = attend(q, k, k, weights, windows=(first, last))
        assert error_of(o, wanted) < 2e-5
        out = torch.zeros_like(o)
        for step in range(5):
            attend(q, k, k, weights, windows=(first, last), step=step, out=out)
        assert error_of(out, wanted) < 2e-5

    def test_dropout_has_the_same_mask_for_the_same_seed(
        self, ops: Any, torch: Any, fresh: Any
    ) -> None:
        x = fresh(2, 16, 8)
        found = []
        for seed in (3, 3, 4):
            attend = ops.MultiHeadAttention(2, 8, dropout=0.5, seed=seed)
            assert attend.weights_count("float32") == 0
            o, reserve = attend(x, x, x, training=True)
            assert o.shape == (2, 16, 16)
            found.append(o)
            assert attend.backward(o, x, x, x, None, reserve).weights is None
        assert torch.equal(found[0], found[1])
        assert not torch.equal(found[0], found[2])


class TestAttention:
    """Other inputs of attention beside queries, keys and values, against its formula."""

    def attend(
        self, torch: Any, q: Any, k: Any, v: Any, change: Any = None, sink: Any = None
    ) -> Any:
        heads = q.shape[1] // k.shape[1]
        k, v = (each.repeat_interleave(heads, 1) for each in (k, v))
        scores = q @ k.transpose(2, 3) / q.shape[3] ** 0.5
        scores = scores if change is None else change(scores)
        if sink is None:
            return scores.softmax(3) @ v
        column = sink.view(1, -1, 1, 1).expand(*scores.shape[:3], 1)
        return torch.cat([scores, column], 3).softmax(3)[..., :-1] @ v

    def test_a_bias_with_fewer_axes(
        self, ops: Any, cudnn: Any, torch: Any, fresh: Any, error_of: Any
    ) -> None:
        q, k, v, do = (fresh(2, 4, 128, 64, dtype="float16") for _ in range(4))
        f = ops.Attention(stats=True)
        for shape in ((128, 128), (4, 128, 128)):
            bias = fresh(*shape, dtype="float16")
            rq, rk, rv, rb = (reference(each).requires_grad_() for each in (q, k, v, bias))
            wanted = self.attend(torch, rq, rk, rv, change=lambda scores, rb=rb: scores + rb)
            o, stats = supported(cudnn, lambda bias=bias: f(q, k, v, bias=bias))
            assert error_of(o, wanted.detach()) < 1e-2
            wanted.backward(reference(do))
            found = supported(
                cudnn,
                lambda bias=bias, o=o, stats=stats: f.backward(
                    do, q, k, v, o, stats, bias=bias, dbias=True
                ),
            )
            assert found.bias.shape == bias.shape
            for result, each in zip(found, (rq, rk, rv, rb), strict=True):
                assert error_of(result, each.grad) < 2e-2

    def test_alibi_and_sink(
        self, ops: Any, cudnn: Any, torch: Any, fresh: Any, error_of: Any
    ) -> None:
        q, k, v = (fresh(2, heads, 128, 64, dtype="float16") for heads in (4, 2, 2))
        rows = torch.arange(128)
        later = rows[None] > rows[:, None]
        slopes = fresh(4).abs()

        def biased(scores: Any) -> Any:
            bias = reference(slopes).view(1, 4, 1, 1) * (rows[None] - rows[:, None])
            return (scores + bias).masked_fill(later, float("-inf"))

        rq, rk, rv = (reference(each) for each in (q, k, v))
        wanted = self.attend(torch, rq, rk, rv, change=biased)
        o, _ = supported(cudnn, lambda: ops.attention(q, k, v, causal=True, alibi=slopes))
        assert error_of(o, wanted) < 1e-2
        sink = fresh(4)
        rq, rk, rv, rs = (reference(each).requires_grad_() for each in (q, k, v, sink))
        wanted = self.attend(torch, rq, rk, rv, sink=rs)
        f = ops.Attention(stats=True)
        o, stats = supported(cudnn, lambda: f(q, k, v, sink=sink))
        assert error_of(o, wanted.detach()) < 1e-2
        do = fresh(2, 4, 128, 64, dtype="float16")
        wanted.backward(reference(do))
        got = supported(cudnn, lambda: f.backward(do, q, k, v, o, stats, sink=sink, dsink=True))
        for result, each in zip((*got[:3], got.sink), (rq, rk, rv, rs), strict=True):
            assert error_of(result, each.grad) < 2e-2

    def test_gradients_in_several_plans(
        self, ops: Any, cudnn: Any, torch: Any, fresh: Any, error_of: Any
    ) -> None:
        """Gradients of a mask of dropout, and of a sink with dropout."""
        q, k, v, do = (fresh(2, 4, 64, 64, dtype="float16") for _ in range(4))
        kept = (torch.rand(2, 4, 64, 64, device="cuda") > 0.25).half()
        rq, rk, rv = (reference(each).requires_grad_() for each in (q, k, v))
        weights = (rq @ rk.mT / 8).softmax(3) * reference(kept) / 0.75
        wanted = weights @ rv
        f = ops.Attention(dropout=0.25, stats=True)
        o, stats = supported(cudnn, lambda: f(q, k, v, dropout_mask=kept))
        assert error_of(o, wanted.detach()) < 1e-2
        wanted.backward(reference(do))
        with ops.record() as record:
            got = f.backward(do, q, k, v, o, stats, dropout_mask=kept)
        assert record[0].way == "several plans"
        for result, each in zip(got[:3], (rq, rk, rv), strict=True):
            assert error_of(result, each.grad) < 2e-2

        sink, numbers = fresh(4), [torch.tensor([n], device="cuda") for n in (3, 4)]
        drops = {"sink": sink, "seed": numbers[0], "offset": numbers[1]}
        o, stats = supported(cudnn, lambda: f(q, k, v, **drops))
        got = f.backward(do, q, k, v, o, stats, **drops, dsink=True)
        share = (reference(sink).view(1, 4, 1, 1) - reference(stats)).exp()
        exact = -(share * (reference(do) * reference(o)).sum(3, keepdim=True)).sum((0, 2, 3))
        assert error_of(got.sink, exact) < 2e-2

    @pytest.mark.parametrize("whole", ["int32", "int64"])
    def test_ragged_arrays(
        self, ops: Any, cudnn: Any, torch: Any, fresh: Any, error_of: Any, whole: str
    ) -> None:
        lengths, key_lengths = (100, 37, 128), (50, 128, 64)
        q = fresh(sum(lengths), 4, 64, dtype="float16")
        k, v = (fresh(sum(key_lengths), 2, 64, dtype="float16") for _ in range(2))
        do = fresh(*q.shape, dtype="float16")

        def ends(counts: Any, step: int) -> Any:
            found = torch.tensor([0, *counts]).cumsum(0) * step
            return found.to("cuda", torch.int32)

        def numbers(counts: Any) -> Any:
            return torch.tensor(counts, dtype=getattr(torch, whole), device="cuda")

        keys = ends(key_lengths, 2 * 64)
        more = {
            "seq_len_q": numbers(lengths), "seq_len_kv": numbers(key_lengths),
            "offsets_q": ends(lengths, 4 * 64), "offsets_k": keys, "offsets_v": keys,
        }  # fmt: skip
        f = ops.Attention(max_q_length=128, max_kv_length=128, stats=True)
        out = torch.full_like(q, float("nan"))
        o, stats = supported(cudnn, lambda: f(q, k, v, **more, out=(out, None)))
        assert o is out
        got = supported(cudnn, lambda: f.backward(do, q, k, v, o, stats, **more))
        at = key_at = 0
        for length, count in zip(lengths, key_lengths, strict=True):
            mine, theirs = slice(at, at + length), slice(key_at, key_at + count)
            at, key_at = at + length, key_at + count
            parts = [
                reference(each).transpose(0, 1)[None].requires_grad_()
                for each in (q[mine], k[theirs], v[theirs])
            ]
            wanted = self.attend(torch, *parts)
            wanted.backward(reference(do[mine]).transpose(0, 1)[None])
            assert error_of(o[mine].transpose(0, 1)[None], wanted.detach()) < 1e-2
            for result, each, place in zip(got[:3], parts, (mine, theirs, theirs), strict=True):
                assert error_of(result[place].transpose(0, 1)[None], each.grad) < 2e-2

    def test_ragged_slices(
        self, ops: Any, cudnn: Any, torch: Any, fresh: Any, error_of: Any
    ) -> None:
        """Queries, keys and values lie in one array, and so do their gradients."""
        lengths = (100, 37, 128)
        starts = torch.tensor([0, *lengths]).cumsum(0)
        whole = fresh(sum(lengths), 3, 4, 64, dtype="float16")
        made = torch.full_like(whole, float("nan"))
        q, k, v = whole.unbind(1)
        do = fresh(*q.shape, dtype="float16")
        counts = torch.tensor(lengths, dtype=torch.int32, device="cuda")
        inner, outer = ((starts * step).to("cuda", torch.int32) for step in (3 * 4 * 64, 4 * 64))
        more = {
            "seq_len_q": counts, "seq_len_kv": counts, "offsets_q": inner, "offsets_k": inner,
            "offsets_v": inner, "offsets_o": outer,
        }  # fmt: skip
        f = ops.Attention(max_q_length=128, max_kv_length=128, stats=True)
        o, stats = f(q, k, v, **more)
        with pytest.raises(cudnn.errors.ArgumentError, match="dq each 256"):
            f.backward(do, q, k, v, o, stats, **more)
        call = {**more, "out": made.unbind(1)}
        supported(cudnn, lambda: f.backward(do, q, k, v, o, stats, **call))
        for begin, end in zip(starts.tolist(), starts.tolist()[1:], strict=False):
            parts = [
                reference(each[begin:end]).transpose(0, 1)[None].requires_grad_()
                for each in (q, k, v)
            ]
            wanted = self.attend(torch, *parts)
            wanted.backward(reference(do[begin:end]).transpose(0, 1)[None])
            assert error_of(o[begin:end].transpose(0, 1)[None], wanted.detach()) < 1e-2
            for place, each in enumerate(parts):
                result = made[begin:end, place].transpose(0, 1)[None]
                assert error_of(result, each.grad) < 2e-2

    @pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
    @pytest.mark.parametrize("deterministic", [False, True])
    def test_rows_of_no_example(
        self, ops: Any, cudnn: Any, torch: Any, error_of: Any, dtype: str, deterministic: bool
    ) -> None:
        """Results and gradients between ragged examples, and after the last, are zeros."""
        kind, spare, heads = getattr(torch, dtype), 5, {"q": 4, "k": 2, "v": 2, "do": 4}
        lengths = {"q": (60, 3, 128), "k": (50, 128, 64)}
        lengths |= {"v": lengths["k"], "do": lengths["q"]}
        rows: dict[str, list[slice]] = {}
        given = {}
        for name, counts in lengths.items():
            at, rows[name] = spare, []
            for count in counts:
                rows[name].append(slice(at, at + count))
                at += count + spare
            shape = at, heads[name], 64
            given[name] = torch.full(shape, 7.0, device="cuda", dtype=kind)
            for place in rows[name]:
                given[name][place] = torch.randn(shape, device="cuda").to(kind)[place]

        def numbers(each: Any) -> Any:
            return torch.tensor(each, dtype=torch.int32, device="cuda")

        def begins(name: str) -> Any:
            ends = [*(place.start for place in rows[name]), rows[name][-1].stop]
            return numbers([each * heads[name] * 64 for each in ends])

        more = {
            "seq_len_q": numbers(lengths["q"]), "seq_len_kv": numbers(lengths["k"]),
            "offsets_q": begins("q"), "offsets_k": begins("k"), "offsets_v": begins("v"),
        }  # fmt: skip
        q, k, v = (given[name] for name in "qkv")
        f = ops.Attention(max_q_length=128, max_kv_length=128, stats=True)
        o, stats = f(q, k, v, **more, out=(torch.full_like(q, float("nan")), None))
        out = tuple([torch.full_like(each, float("nan")) for each in (q, k, v)])
        call = {**more, "out": out, "deterministic": deterministic}
        got = supported(cudnn, lambda: f.backward(given["do"], q, k, v, o, stats, **call))
        for name, each in (("q", o), ("q", got.q), ("k", got.k), ("v", got.v)):
            outside = torch.ones(len(each), dtype=torch.bool, device="cuda")
            for place in rows[name]:
                outside[place] = False
            assert not each[outside].any(), name
        limit = 10 * torch.finfo(kind).eps
        for mine, theirs in zip(rows["q"], rows["k"], strict=True):
            places = {"q": mine, "k": theirs, "v": theirs}
            parts = [
                reference(given[name][place]).transpose(0, 1)[None].requires_grad_()
                for name, place in places.items()
            ]
            wanted = self.attend(torch, *parts)
            wanted.backward(reference(given["do"][mine]).transpose(0, 1)[None])
            assert error_of(o[mine].transpose(0, 1)[None], wanted.detach()) < limit
            for (name, place), each in zip(places.items(), parts, strict=True):
                result = getattr(got, name)[place].transpose(0, 1)[None]
                assert error_of(result, each.grad) < 2 * limit, name

    @pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
    @pytest.mark.parametrize("causal", [False, True])
    def test_examples_without_keys(
        self, ops: Any, cudnn: Any, torch: Any, dtype: str, causal: bool
    ) -> None:
        """Their results and gradients are zeros, of which engines write few."""
        kind, long, longest = getattr(torch, dtype), (64, 64, 0, 33), (128, 0, 64, 50)
        q, do = (torch.randn(4, 2, 64, 64, device="cuda").to(kind) for _ in range(2))
        k, v = (torch.randn(4, 2, 128, 64, device="cuda").to(kind) for _ in range(2))
        more = {
            name: torch.tensor(each, dtype=torch.int32, device="cuda")
            for name, each in (("seq_len_q", long), ("seq_len_kv", longest))
        }
        f = ops.Attention(causal=causal, stats=True)
        apart = torch.full((4, 2, 64, 128), float("nan"), device="cuda", dtype=kind)
        for out in (torch.full_like(q, float("nan")), apart[..., :64]):
            stats = torch.full((4, 2, 64, 1), float("nan"), device="cuda")
            supported(cudnn, lambda out=out, stats=stats: f(q, k, v, **more, out=(out, stats)))
            for example, (rows, keys) in enumerate(zip(long, longest, strict=True)):
                seen = rows if keys else 0
                assert (out[example, :, seen:] == 0).all(), example
                assert (stats[example, :, seen:] == float("-inf")).all(), example
                assert (out[example, :, :seen] != 0).any() == bool(seen), example
                assert stats[example, :, :seen].isfinite().all(), example
        assert apart[..., 64:].isnan().all()
        if dtype == "float32":  # gradients are computed without lengths only
            return
        grads = tuple(torch.full_like(each, float("nan")) for each in (q, k, v))
        o = out.contiguous()
        supported(cudnn, lambda: f.backward(do, q, k, v, o, stats, **more, out=grads))
        for name, result in zip("qkv", grads, strict=True):
            for example, (rows, keys) in enumerate(zip(long, longest, strict=True)):
                seen = min(rows, keys) and (rows if name == "q" else keys)
                assert (result[example, :, seen:] == 0).all(), (name, example)
                assert result[example].isfinite().all(), (name, example)

    def test_pages(self, ops: Any, cudnn: Any, torch: Any, fresh: Any, error_of: Any) -> None:
        lengths, blocks, size = (100, 37), 4, 32
        q = fresh(2, 4, 1, 64, dtype="float16")
        pool_k, pool_v = (fresh(10, 2, size, 64, dtype="float16") for _ in range(2))
        table = torch.randperm(10)[: 2 * blocks].reshape(2, blocks).to("cuda", torch.int32)
        numbers = torch.tensor(lengths, dtype=torch.int32, device="cuda")
        o, _ = supported(
            cudnn,
            lambda: ops.attention(
                q, pool_k, pool_v, page_table_k=table, page_table_v=table, seq_len_kv=numbers,
                seq_len_q=torch.ones_like(numbers),
            ),
        )  # fmt: skip
        for row, length in enumerate(lengths):
            k, v = (
                torch.cat([reference(pool[i]) for i in table[row].tolist()], 1)[None, :, :length]
                for pool in (pool_k, pool_v)
            )
            wanted = self.attend(torch, reference(q[row : row + 1]), k, v)
            assert error_of(o[row : row + 1], wanted) < 1e-2

    def test_functions_of_scores_and_masks(
        self, ops: Any, cudnn: Any, torch: Any, fresh: Any, error_of: Any
    ) -> None:
        q, k, v = (fresh(2, 4, 128, 64, dtype="bfloat16") for _ in range(3))
        rq, rk, rv = (reference(each) for each in (q, k, v))
        wanted = self.attend(torch, rq, rk, rv, change=lambda s: 3 * (s / 3).tanh())
        capped = ops.Attention(score=lambda g, s: g.mul(g.tanh(g.mul(s, 1 / 3)), 3.0))
        o, _ = supported(cudnn, lambda: capped(q, k, v))
        assert error_of(o, wanted) < 3e-2
        mask = (torch.rand(2, 4, 128, 128, device="cuda") > 0.25).to(q.dtype)
        weights = (rq @ rk.transpose(2, 3) / 8).softmax(3) * reference(mask) / 0.75
        o, _ = supported(cudnn, lambda: ops.attention(q, k, v, dropout=0.25, dropout_mask=mask))
        assert error_of(o, weights @ rv) < 3e-2


class TestCausalConvolution:
    """Functions of newer releases than most machines have."""

    @pytest.mark.parametrize("activation", [None, "silu"])
    @pytest.mark.parametrize("last", [False, True])
    def test_and_gradients(
        self, ops: Any, cudnn: Any, torch: Any, fresh: Any, error_of: Any, dtype: str,
        activation: Any, last: bool,
    ) -> None:  # fmt: skip
        if dtype == "float64":
            pytest.skip("cuDNN's causal convolutions have no float64")
        x, weight, bias, dy = (
            fresh(*shape, dtype=dtype) for shape in ((2, 8, 64), (8, 4), (8,), (2, 8, 64))
        )
        rx, rw, rb = (reference(each).requires_grad_() for each in (x, weight, bias))
        padded = torch.nn.functional.pad(rx, (3, 0))
        wanted = torch.nn.functional.conv1d(padded, rw[:, None], rb, groups=8)
        wanted = torch.nn.functional.silu(wanted) if activation else wanted
        wanted.backward(reference(dy))

        def placed(each: Any) -> Any:
            return each.transpose(1, 2).contiguous() if last else each

        f = ops.CausalConvolution(activation, channels_last=last)
        y = supported(cudnn, lambda: f(placed(x), weight, bias))
        limit = 3 * TYPES[dtype]
        assert error_of(placed(y), wanted.detach()) < limit
        back = f.backward(placed(dy), placed(x), weight, bias)
        for got, each in zip((placed(back.x), *back[1:]), (rx, rw, rb), strict=True):
            assert error_of(got, each.grad) < 3 * limit

    @pytest.mark.parametrize("long", [False, True])
    def test_by_fft(
        self, ops: Any, cudnn: Any, torch: Any, fresh: Any, error_of: Any, long: bool
    ) -> None:
        size = 4096 if long else 256
        x, weight, dy = fresh(2, 4, size), fresh(4, size), fresh(2, 4, size)
        rx, rw = (reference(each).requires_grad_() for each in (x, weight))
        padded = torch.nn.functional.pad(rx, (size - 1, 0))
        wanted = torch.nn.functional.conv1d(padded, rw[:, None], groups=4)
        wanted.backward(reference(dy))
        f = ops.FFTCausalConvolution(long=long)
        y, reserve = supported(cudnn, lambda: f(x, weight))
        assert error_of(y, wanted.detach()) < 1e-4
        back = f.backward(dy, x, weight, reserve)
        assert error_of(back.x, rx.grad) < 1e-4
        assert error_of(back.weight, rw.grad) < 1e-4


class TestAggregation:
    @pytest.mark.parametrize("word", ["sum", "mean", "max", "min"])
    def test_and_gradient(
        self, ops: Any, cudnn: Any, torch: Any, fresh: Any, error_of: Any, word: str
    ) -> None:
        counts = torch.tensor([3, 1, 2, 4])
        offsets = torch.cat([torch.zeros(1, dtype=torch.int64), counts.cumsum(0)])
        indices = torch.randint(0, 6, (int(counts.sum()),))
        x = fresh(6, 8)
        rx = reference(x).requires_grad_()
        rows = [rx[indices[a:b]] for a, b in itertools.pairwise(offsets)]
        wanted = torch.stack([
            {"sum": each.sum(0), "mean": each.mean(0), "max": each.amax(0), "min": each.amin(0)}[word]
            for each in rows
        ])  # fmt: skip
        on_device = [each.int().cuda() for each in (offsets, indices)]
        f = ops.Aggregation(word)
        y, positions = supported(cudnn, lambda: f(x, *on_device))
        assert error_of(y, wanted.detach()) < 1e-5
        dy = fresh(4, 8)
        wanted.backward(reference(dy))
        edges = torch.argsort(indices, stable=True)
        starts = torch.cat(
            [torch.zeros(1, dtype=torch.int64), indices.bincount(minlength=6).cumsum(0)]
        )
        more = {"rev_offsets": starts.int().cuda(), "rev_edges": edges.int().cuda()}
        if positions is not None:
            more["positions"] = positions
        assert error_of(ops.aggregate_backward(dy, *on_device, 6, word, **more), rx.grad) < 1e-5


def test_random_shapes(ops: Any, torch: Any, fresh: Any, error_of: Any) -> None:
    chance = random.Random(11)
    for _ in range(15):
        groups = chance.randrange(1, 4)
        shape = (chance.randrange(1, 5), groups * chance.randrange(1, 5),
                 *[chance.randrange(2, 9) for _ in range(chance.randrange(1, 4))])  # fmt: skip
        x = laid_out(torch, fresh(*shape), chance.choice(["NCHW", "NHWC"]))
        scale, bias = fresh(shape[1]), fresh(shape[1])
        wanted = torch.nn.functional.group_norm(
            reference(x), groups, reference(scale), reference(bias)
        )
        assert error_of(ops.group_norm(x, groups, scale, bias), wanted) < 2e-5
    for _ in range(6):
        shape = (chance.randrange(1, 40), chance.randrange(1, 40))
        x = fresh(*shape)
        labels = torch.randint(0, shape[1], shape[:1], device="cuda")
        wanted = torch.nn.functional.cross_entropy(reference(x), labels.cpu(), reduction="none")
        assert error_of(ops.cross_entropy(x, labels, "none"), wanted) < 2e-5
