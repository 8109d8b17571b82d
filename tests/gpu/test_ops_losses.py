"""Losses, spatial transformers and attention of `ops`, against PyTorch in float64."""

from __future__ import annotations

from typing import Any

import pytest

from tests.gpu.conftest import CTCCase, reference, supported

TYPES = {"float64": 1e-11, "float32": 2e-5, "float16": 4e-3, "bfloat16": 3e-2}


class TestCTCLoss(CTCCase):
    @pytest.mark.parametrize("deterministic", [True, False])
    @pytest.mark.parametrize("as_lists", [True, False])
    def test_labels_of_the_host(
        self, ops: Any, torch: Any, error_of: Any, expected: Any, deterministic: bool,
        as_lists: bool,
    ) -> None:  # fmt: skip
        x, losses, gradients = expected
        ctc = ops.CTCLoss(deterministic=deterministic)
        outs = (torch.full_like(x[0, :, 0], float("nan")), torch.full_like(x, float("nan")))
        if as_lists:
            got = ctc(x, self.LABELS, self.TIMES, out=outs)
        else:
            lengths = torch.tensor([len(each) for each in self.LABELS])
            labels = torch.tensor(sum(self.LABELS, ()))
            got = ctc(x, labels, torch.tensor(self.TIMES), lengths, out=outs)
        assert got.loss is outs[0]
        assert got.gradient is outs[1]
        assert error_of(got.loss, losses) < 1e-5
        assert error_of(got.gradient, gradients) < 1e-4
        alone = ctc(x, self.LABELS, self.TIMES, gradient=False)
        assert alone.gradient is None
        assert error_of(alone.loss, losses) < 1e-5

    def test_labels_on_the_device(self, ops: Any, torch: Any, error_of: Any, expected: Any) -> None:
        x, losses, gradients = expected

        def numbers(values: Any) -> Any:
            return torch.tensor(values, dtype=torch.int32, device="cuda")

        got = ops.ctc_loss(
            x, numbers(sum(self.LABELS, ())), numbers(self.TIMES),
            numbers([len(each) for each in self.LABELS]), max_label_length=4,
        )  # fmt: skip
        assert error_of(got.loss, losses) < 1e-5
        assert error_of(got.gradient, gradients) < 1e-4

    def test_probabilities(self, ops: Any, error_of: Any, expected: Any) -> None:
        x, losses, _ = expected
        got = ops.ctc_loss(x.softmax(2).contiguous(), self.LABELS, self.TIMES, normalize=False)
        assert error_of(got.loss, losses) < 1e-4


class TestSpatialTransformer:
    @pytest.mark.parametrize("shape", [(3, 4, 9, 11), (1, 1, 2, 3), (2, 8, 16, 16)])
    def test_grid_sampling_and_gradients(
        self, ops: Any, cudnn: Any, torch: Any, fresh: Any, error_of: Any, dtype: str, shape: Any
    ) -> None:
        if dtype == "bfloat16":
            pytest.skip("cuDNN's spatial transformers have no bfloat16")
        limit = TYPES[dtype]
        theta = fresh(shape[0], 2, 3, dtype=dtype) * 0.4
        r = reference(theta).requires_grad_()
        grid = supported(cudnn, lambda: ops.affine_grid(theta, shape))
        wanted = torch.nn.functional.affine_grid(r, list(shape), align_corners=True)
        assert error_of(grid, wanted.detach()) < limit
        dgrid = fresh(*grid.shape, dtype=dtype)
        wanted.backward(reference(dgrid))
        assert error_of(ops.affine_grid_backward(dgrid, shape), r.grad) < limit

        x = fresh(*shape[:2], shape[2] + 3, shape[3] + 1, dtype=dtype)
        dy = fresh(*shape, dtype=dtype)
        rx, rg = (reference(each).requires_grad_() for each in (x, grid))
        wanted = torch.nn.functional.grid_sample(rx, rg, align_corners=True)
        wanted.backward(reference(dy))
        out = torch.full(shape, float("nan"), dtype=x.dtype, device="cuda")
        y = supported(cudnn, lambda: ops.grid_sample(x, grid, out=out))
        assert y is out
        assert error_of(y, wanted.detach()) < max(limit, 1e-11)
        outs = (torch.full_like(x, float("nan")), torch.full_like(grid, float("nan")))
        dx, dgrid = ops.grid_sample_backward(dy, x, grid, out=outs)
        assert dx is outs[0]
        assert error_of(dx, rx.grad) < limit
        if dtype in ("float64", "float32"):
            # At a corner the slope jumps: a rounded grid that crosses one has another gradient.
            assert error_of(dgrid, rg.grad) < limit


class TestCrossEntropy:
    @pytest.mark.parametrize("reduction", ["none", "sum", "mean"])
    @pytest.mark.parametrize("shape", [(6, 10), (3, 10, 7), (2, 5, 4, 3), (5, 1000), (64, 1000)])
    def test_and_gradient(
        self, ops: Any, cudnn: Any, torch: Any, fresh: Any, error_of: Any, dtype: str,
        reduction: str, shape: Any,
    ) -> None:  # fmt: skip
        x = fresh(*shape, dtype=dtype)
        target = fresh(*shape, dtype=dtype).double().softmax(1).to(x.dtype).contiguous()
        rx = reference(x).requires_grad_()
        loss = torch.nn.functional.cross_entropy(rx, reference(target), reduction=reduction)
        entropy = ops.CrossEntropy(reduction)
        got = supported(cudnn, lambda: entropy(x, target))
        wanted = loss.detach().reshape(got.shape)
        assert error_of(got, wanted) < 3 * TYPES[dtype]
        dloss = fresh(*got.shape, dtype=dtype)
        loss.backward(reference(dloss).reshape(loss.shape))
        dx = entropy.backward(dloss, x, target, out=torch.full_like(x, float("nan")))
        # Means over many positions can be denormal in float16: rounding alone is a large error.
        rounded = error_of(rx.grad.to(x.dtype), rx.grad)
        assert error_of(dx, rx.grad) < 3 * TYPES[dtype] + 1.1 * rounded

    @pytest.mark.parametrize("size", [1.0, 0.03, 0.001])
    def test_a_mean_of_many_is_rounded_once(
        self, ops: Any, torch: Any, fresh: Any, error_of: Any, size: float
    ) -> None:
        x, target = (fresh(64, 1000, dtype="float16") for _ in range(2))
        target = target.double().softmax(1).half()
        rx = reference(x).requires_grad_()
        loss = torch.nn.functional.cross_entropy(rx, reference(target))
        dloss = torch.full((1,), size, device="cuda", dtype=torch.half)
        loss.backward(reference(dloss).reshape(()))
        out = torch.full_like(x, float("nan"))
        dx = ops.cross_entropy_backward(dloss, x, target, out=out)
        assert error_of(dx, rx.grad) < 1.1 * error_of(rx.grad.half(), rx.grad) + 2e-3

    def test_labels_as_ones(self, ops: Any, torch: Any, fresh: Any, error_of: Any) -> None:
        x, labels = fresh(8, 10), torch.arange(8, device="cuda")
        ones = torch.nn.functional.one_hot(labels, 10).to(x.dtype)
        wanted = torch.nn.functional.cross_entropy(reference(x), labels.cpu())
        assert error_of(ops.cross_entropy(x, ones), wanted.reshape(1)) < 1e-5


class TestAttention:
    @pytest.mark.parametrize("causal", [False, True])
    @pytest.mark.parametrize("strided", [False, True])
    @pytest.mark.parametrize("name", ["float16", "bfloat16"])
    def test_and_gradients(
        self, ops: Any, torch: Any, fresh: Any, error_of: Any, causal: bool, strided: bool,
        name: str,
    ) -> None:  # fmt: skip
        def tensor() -> Any:
            if strided:
                return fresh(2, 128, 4, 64, dtype=name).transpose(1, 2)
            return fresh(2, 4, 128, 64, dtype=name)

        q, k, v, do = (tensor() for _ in range(4))
        rq, rk, rv = (reference(each).requires_grad_() for each in (q, k, v))
        wanted = torch.nn.functional.scaled_dot_product_attention(rq, rk, rv, is_causal=causal)
        wanted.backward(reference(do))
        attend = ops.Attention(causal=causal, stats=True)
        o, stats = attend(q, k, v)
        assert o.stride() == q.stride()
        limit = 2 * TYPES[name]
        assert error_of(o, wanted.detach()) < limit
        plain, none = ops.attention(q, k, v, causal=causal)
        assert none is None
        assert error_of(plain, wanted.detach()) < limit
        dq, dk, dv, dbias = attend.backward(do, q, k, v, o, stats)
        assert dbias is None
        for got, each in ((dq, rq), (dk, rk), (dv, rv)):
            assert error_of(got, each.grad) < 2 * limit

    @pytest.mark.parametrize("whole", ["int32", "int64"])
    def test_lengths(self, ops: Any, torch: Any, fresh: Any, error_of: Any, whole: str) -> None:
        q, k, v = (fresh(2, 4, 128, 64, dtype="float16") for _ in range(3))
        lengths = torch.tensor([128, 50], dtype=getattr(torch, whole), device="cuda")
        o, _ = ops.attention(q, k, v, seq_len_q=lengths, seq_len_kv=lengths)
        mask = torch.arange(128)[None, None, None, :] < lengths.cpu()[:, None, None, None]
        wanted = torch.nn.functional.scaled_dot_product_attention(
            *(reference(each) for each in (q, k, v)), attn_mask=mask
        )
        assert error_of(o[0], wanted[0]) < 1e-2
        assert error_of(o[1, :, :50], wanted[1, :, :50]) < 1e-2
