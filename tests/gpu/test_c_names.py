"""Functions that the descriptors have no methods for, under their C names, with their gradients.

The references are PyTorch's on the CPU in float64.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.gpu.conftest import CTCCase
from tests.gpu.test_gradients import gradient, reference, tolerance


@pytest.mark.parametrize("n", [3, 5])
def test_local_response_normalisation(
    cudnn: Any, torch: Any, handle: Any, precision: Any, fresh: Any, poisoned: Any, error_of: Any,
    unless_lacking: Any, n: int,
) -> None:  # fmt: skip
    shape = (2, 12, 5, 7)
    x, dy = (fresh(*shape, dtype=precision.dtype) for _ in range(2))
    y, dx = (poisoned(*shape, dtype=precision.dtype) for _ in range(2))
    desc = cudnn.TensorDescriptor.like(x)
    norm = cudnn.LRNDescriptor.of(n, alpha=0.5, beta=0.75, k=2.0)
    mode = cudnn.LRNMode.CROSS_CHANNEL_DIM1
    with unless_lacking("bfloat16"):
        cudnn.cudnnLRNCrossChannelForward(handle, norm, mode, 1.0, desc, x, 0.0, desc, y)
    cudnn.cudnnLRNCrossChannelBackward(
        handle, norm, mode, 1.0, desc, y, desc, dy, desc, x, 0.0, desc, dx
    )

    def normalise(x: Any) -> Any:
        return torch.nn.functional.local_response_norm(x, n, alpha=0.5, beta=0.75, k=2.0)

    expected_y, (expected_dx,) = gradient(normalise, (reference(x),), dy)
    # Powers are taken by a fast approximation also where the data is float64.
    assert error_of(y, expected_y) < max(tolerance(precision), 1e-5)
    assert error_of(dx, expected_dx) < max(tolerance(precision), 1e-5)


class TestCTCLoss(CTCCase):
    @pytest.mark.parametrize("algorithm", ["DETERMINISTIC", "NON_DETERMINISTIC"])
    def test_labels_in_host_memory(
        self, cudnn: Any, torch: Any, handle: Any, poisoned: Any, error_of: Any, expected: Any,
        algorithm: str,
    ) -> None:  # fmt: skip
        x, losses, gradients = expected
        loss = cudnn.CTCLossDescriptor.of("float32", normalisation="SOFTMAX")
        desc = cudnn.TensorDescriptor.packed(x.shape, "float32", axes=3)
        algo = cudnn.CTCLossAlgo[algorithm]
        labels = sum(self.LABELS, ())
        lengths = [len(each) for each in self.LABELS]
        size = cudnn.cudnnGetCTCLossWorkspaceSize(
            handle, desc, desc, labels, lengths, self.TIMES, algo, loss
        )
        workspace = torch.empty(max(size, 1), dtype=torch.uint8, device="cuda")
        costs, dx = poisoned(self.BATCH), torch.zeros_like(x)
        cudnn.cudnnCTCLoss(
            handle, desc, x, labels, lengths, self.TIMES, costs, desc, dx, algo, loss, workspace,
            size,
        )  # fmt: skip
        assert error_of(costs, losses) < 1e-5
        assert error_of(dx, gradients) < 1e-4

    def test_labels_in_device_memory(
        self, cudnn: Any, torch: Any, handle: Any, poisoned: Any, error_of: Any, expected: Any
    ) -> None:
        x, losses, gradients = expected
        loss = cudnn.CTCLossDescriptor()
        cudnn.cudnnSetCTCLossDescriptor_v8(
            loss, cudnn.DataType.FLOAT, cudnn.LossNormalizationMode.SOFTMAX,
            cudnn.NanPropagation.NOT_PROPAGATE_NAN, max(map(len, self.LABELS)),
        )  # fmt: skip
        desc = cudnn.TensorDescriptor.packed(x.shape, "float32", axes=3)
        algo = cudnn.CTCLossAlgo.DETERMINISTIC
        size = cudnn.cudnnGetCTCLossWorkspaceSize_v8(handle, algo, loss, desc, desc)
        workspace = torch.empty(max(size, 1), dtype=torch.uint8, device="cuda")

        def numbers(values: Any) -> Any:
            return torch.tensor(values, dtype=torch.int32, device="cuda")

        costs, dx = poisoned(self.BATCH), torch.zeros_like(x)
        cudnn.cudnnCTCLoss_v8(
            handle, algo, loss, desc, x, numbers(sum(self.LABELS, ())),
            numbers([len(each) for each in self.LABELS]), numbers(self.TIMES), costs, desc, dx,
            size, workspace,
        )  # fmt: skip
        assert error_of(costs, losses) < 1e-5
        assert error_of(dx, gradients) < 1e-4


class TestMultiHeadAttention:
    """All sizes differ, so that the axes of cuDNN's weights are known by their lengths."""

    HEADS, BATCH, QUERIES, KEYS = 2, 3, 5, 7
    Q, K, V, PROJECTED, V_PROJECTED, OUT = 12, 10, 14, 6, 8, 16
    SCALE = 0.4

    def weights_in(self, cudnn: Any, handle: Any, attention: Any, weights: Any, kind: str) -> Any:
        """Return a view of the weights of one kind in cuDNN's buffer: heads, projected, original."""
        desc = cudnn.TensorDescriptor()
        bytes_of_all = weights.numel() * weights.element_size()
        address = cudnn.cudnnGetMultiHeadAttnWeights(
            handle, attention, cudnn.MultiHeadAttnWeightKind[f"{kind}_WEIGHTS"], bytes_of_all,
            weights, desc,
        )  # fmt: skip
        projected, original = {
            "Q": (self.PROJECTED, self.Q), "K": (self.PROJECTED, self.K),
            "V": (self.V_PROJECTED, self.V), "O": (self.OUT, self.V_PROJECTED),
        }[kind]  # fmt: skip
        offset = (address - weights.data_ptr()) // weights.element_size()
        view = weights.as_strided(desc.shape[:3], desc.strides[:3], offset)
        order = [list(view.shape).index(size) for size in (self.HEADS, projected, original)]
        return view.permute(order)

    def attend(self, q: Any, k: Any, v: Any, wq: Any, wk: Any, wv: Any, wo: Any) -> Any:
        """Attention by its formula; q, k, v are (batch, time, vector)."""
        heads = []
        for head in range(self.HEADS):
            projected_q, projected_k = q @ wq[head].T, k @ wk[head].T
            scores = self.SCALE * projected_q @ projected_k.transpose(1, 2)
            heads.append(scores.softmax(2) @ (v @ wv[head].T) @ wo[head].T)
        return sum(heads)

    @pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
    def test_forward_and_gradients(
        self, cudnn: Any, torch: Any, handle: Any, fresh: Any, poisoned: Any, error_of: Any,
        dtype: str,
    ) -> None:  # fmt: skip
        limit = {"float32": 1e-5, "float64": 1e-12, "float16": 1e-2}[dtype]
        attention = cudnn.AttnDescriptor.of(
            self.HEADS, self.Q, self.K, self.V, q_projection=self.PROJECTED,
            k_projection=self.PROJECTED, v_projection=self.V_PROJECTED, o_projection=self.OUT,
            max_q_length=self.QUERIES, max_kv_length=self.KEYS, max_batch=self.BATCH,
            scale=self.SCALE, dtype=dtype, math="FMA_MATH" if dtype == "float32" else "DEFAULT_MATH",
        )  # fmt: skip
        sizes = cudnn.cudnnGetMultiHeadAttnBuffers(handle, attention)
        itemsize = getattr(torch, dtype).itemsize
        weights = fresh(sizes.weightSizeInBytes // itemsize, dtype=dtype) * 0.3
        workspace = torch.empty(
            max(sizes.workSpaceSizeInBytes, 1), dtype=torch.uint8, device="cuda"
        )
        reserve = torch.empty(
            max(sizes.reserveSpaceSizeInBytes, 1), dtype=torch.uint8, device="cuda"
        )

        def sequences(time: int, vector: int) -> Any:
            axes = ("BATCH_DIM", "TIME_DIM", "BEAM_DIM", "VECT_DIM")
            return cudnn.SeqDataDescriptor.of(time, self.BATCH, 1, vector, dtype, axes=axes)

        q, k, v = (
            fresh(self.BATCH, time, size, dtype=dtype)
            for time, size in ((self.QUERIES, self.Q), (self.KEYS, self.K), (self.KEYS, self.V))
        )
        q_desc, k_desc = sequences(self.QUERIES, self.Q), sequences(self.KEYS, self.K)
        v_desc, o_desc = sequences(self.KEYS, self.V), sequences(self.QUERIES, self.OUT)
        q_lengths, k_lengths = (
            torch.full((self.BATCH,), time, dtype=torch.int32, device="cuda")
            for time in (self.QUERIES, self.KEYS)
        )
        first, last = [0] * self.QUERIES, [self.KEYS] * self.QUERIES
        out = poisoned(self.BATCH, self.QUERIES, self.OUT, dtype=dtype)
        training = (
            sizes.weightSizeInBytes, weights, sizes.workSpaceSizeInBytes, workspace,
            sizes.reserveSpaceSizeInBytes, reserve,
        )  # fmt: skip
        cudnn.cudnnMultiHeadAttnForward(
            handle, attention, -1, first, last, q_lengths, k_lengths, q_desc, q, None, k_desc, k,
            v_desc, v, o_desc, out, *training,
        )  # fmt: skip
        dout = fresh(self.BATCH, self.QUERIES, self.OUT, dtype=dtype)
        dq, dk, dv = (poisoned(*each.shape, dtype=dtype) for each in (q, k, v))
        cudnn.cudnnMultiHeadAttnBackwardData(
            handle, attention, first, last, q_lengths, k_lengths, o_desc, dout, q_desc, dq, q,
            k_desc, dk, k, v_desc, dv, v, *training,
        )  # fmt: skip
        dweights = torch.full_like(weights, float("nan"))
        cudnn.cudnnMultiHeadAttnBackwardWeights(
            handle, attention, cudnn.WgradMode.SET, q_desc, q, k_desc, k, v_desc, v, o_desc, dout,
            sizes.weightSizeInBytes, weights, dweights, *training[2:],
        )  # fmt: skip

        parts = [
            [self.weights_in(cudnn, handle, attention, buffer, kind) for kind in "QKVO"]
            for buffer in (weights, dweights)
        ]
        inputs = tuple(reference(each) for each in (q, k, v, *parts[0]))
        expected, gradients = gradient(self.attend, inputs, dout)
        assert error_of(out, expected) < limit
        for result, wanted in zip((dq, dk, dv, *parts[1]), gradients, strict=True):
            assert error_of(result, wanted) < limit


#: Take float64 tensors; the last two look at the first operand only.
BINARY: dict[str, Callable[..., Any]] = {
    "ADD": lambda a, b: a + b,
    "MUL": lambda a, b: a * b,
    "MIN": lambda a, b: a.minimum(b),
    "MAX": lambda a, b: a.maximum(b),
    "SQRT": lambda a, _: a.sqrt(),
    "NOT": lambda a, _: 1 - a,
}

#: All but the channels of a float64 tensor become one.
REDUCED: dict[str, Callable[..., Any]] = {
    "ADD": lambda x: x.sum((0, 2, 3), keepdim=True),
    "AVG": lambda x: x.mean((0, 2, 3), keepdim=True),
    "MAX": lambda x: x.amax((0, 2, 3), keepdim=True),
    "MIN": lambda x: x.amin((0, 2, 3), keepdim=True),
    "AMAX": lambda x: x.abs().amax((0, 2, 3), keepdim=True),
    "NORM1": lambda x: x.abs().sum((0, 2, 3), keepdim=True),
    "NORM2": lambda x: x.square().sum((0, 2, 3), keepdim=True).sqrt(),
}


class TestTensorOperations:
    @pytest.mark.parametrize("op", BINARY)
    @pytest.mark.parametrize("b_shape", [(4, 6, 5, 7), (1, 6, 1, 1)])
    def test_op(
        self, cudnn: Any, handle: Any, precision: Any, layout: str, fresh: Any, error_of: Any,
        op: str, b_shape: Any,
    ) -> None:  # fmt: skip
        a = fresh(4, 6, 5, 7, dtype=precision.dtype, layout=layout)
        b = fresh(*b_shape, dtype=precision.dtype, layout=layout)
        c = fresh(4, 6, 5, 7, dtype=precision.dtype, layout=layout)
        if op == "SQRT":
            a = a.abs()
        first, second, kept = (each.cpu().double() for each in (a, b, c))
        function = cudnn.OpTensorDescriptor.of(op, precision.compute)
        descs = [cudnn.TensorDescriptor.like(each) for each in (a, b, c)]
        cudnn.cudnnOpTensor(handle, function, 0.5, descs[0], a, 2.0, descs[1], b, 0.25, descs[2], c)
        expected = BINARY[op](0.5 * first, 2 * second) + 0.25 * kept
        assert error_of(c, expected) < tolerance(precision)

    @pytest.mark.parametrize("op", REDUCED)
    def test_reduction(
        self, cudnn: Any, torch: Any, handle: Any, precision: Any, fresh: Any, poisoned: Any,
        error_of: Any, unless_lacking: Any, op: str,
    ) -> None:  # fmt: skip
        x = fresh(4, 6, 5, 7, dtype=precision.dtype)
        y = poisoned(1, 6, 1, 1, dtype=precision.dtype)
        reduce = cudnn.ReduceTensorDescriptor.of(op, precision.compute)
        x_desc, y_desc = cudnn.TensorDescriptor.like(x), cudnn.TensorDescriptor.like(y)
        size = cudnn.cudnnGetReductionWorkspaceSize(handle, reduce, x_desc, y_desc)
        workspace = torch.empty(max(size, 1), dtype=torch.uint8, device="cuda")
        with unless_lacking("bfloat16"):
            cudnn.cudnnReduceTensor(
                handle, reduce, None, 0, workspace, size, 1.0, x_desc, x, 0.0, y_desc, y
            )
        assert error_of(y, REDUCED[op](x.cpu().double())) < tolerance(precision)

    @pytest.mark.parametrize("op", ["MAX", "MIN"])
    def test_reduction_with_indices(
        self, cudnn: Any, torch: Any, handle: Any, fresh: Any, poisoned: Any, error_of: Any,
        op: str,
    ) -> None:  # fmt: skip
        x, y = fresh(4, 6, 5, 7), poisoned(4, 1, 1, 1)
        reduce = cudnn.ReduceTensorDescriptor.of(op, indices="FLATTENED_INDICES")
        x_desc, y_desc = cudnn.TensorDescriptor.like(x), cudnn.TensorDescriptor.like(y)
        size = cudnn.cudnnGetReductionWorkspaceSize(handle, reduce, x_desc, y_desc)
        room = cudnn.cudnnGetReductionIndicesSize(handle, reduce, x_desc, y_desc)
        workspace = torch.empty(max(size, 1), dtype=torch.uint8, device="cuda")
        indices = torch.full((room // 4,), -1, dtype=torch.int32, device="cuda")
        cudnn.cudnnReduceTensor(
            handle, reduce, indices, room, workspace, size, 1.0, x_desc, x, 0.0, y_desc, y
        )
        flat = x.cpu().double().reshape(4, -1)
        values, positions = flat.max(1) if op == "MAX" else flat.min(1)
        assert error_of(y.flatten(), values) == 0
        assert torch.equal(indices[:4].cpu().long(), positions)

    def test_scaling_setting_and_transposing(
        self, cudnn: Any, torch: Any, handle: Any, precision: Any, fresh: Any, poisoned: Any,
        error_of: Any,
    ) -> None:  # fmt: skip
        x = fresh(2, 5, 3, 4, dtype=precision.dtype)
        before = x.cpu().double()
        desc = cudnn.TensorDescriptor.like(x)
        cudnn.cudnnScaleTensor(handle, desc, x, 3.0)
        assert error_of(x, 3 * before) < tolerance(precision)
        cudnn.cudnnSetTensor(handle, desc, x, 1.5)
        assert torch.equal(x, torch.full_like(x, 1.5))
        x = fresh(2, 5, 3, 4, dtype=precision.dtype)
        y = poisoned(2, 5, 3, 4, dtype=precision.dtype, layout="NHWC")
        target = cudnn.TensorDescriptor.like(y)
        assert target.layout == "NHWC"
        cudnn.cudnnTransformTensor(handle, 1.0, desc, x, 0.0, target, y)
        assert torch.equal(x, y)


#: Types that cudnnTransformTensor has converted on a GPU, from which to which.
CONVERTED = {
    *(("float32", "float64"), ("float16", "float64"), ("float64", "float32")),
    *(("float64", "float16"), ("float64", "bfloat16"), ("float64", "int8")),
}


class TestFactorsOfTwoTypes:
    """cuDNN refuses two types in one call, or its results are right."""

    TYPES = ("float64", "float32", "float16", "bfloat16", "int8")
    SHAPE = (2, 4, 3, 5)

    def numbers(self, torch: Any, dtype: str) -> Any:
        """Return multiples of 4, so that all results are whole and no type rounds them."""
        numbers = torch.randint(-12, 13, self.SHAPE, device="cuda") * 4
        return numbers.to(getattr(torch, dtype))

    def refused(self, cudnn: Any, function: Any, *arguments: Any) -> bool:
        try:
            function(*arguments)
        except (cudnn.errors.NotSupportedError, cudnn.errors.BadParamError):
            return True
        return False

    @pytest.mark.parametrize("source", TYPES)
    @pytest.mark.parametrize("target", TYPES)
    def test_conversions(
        self, cudnn: Any, torch: Any, handle: Any, source: str, target: str
    ) -> None:
        x = self.numbers(torch, source)
        for alpha, beta in ((1.0, 0.0), (0.5, 0.0), (0.5, 0.25)):
            before = self.numbers(torch, target)
            y = (
                before.clone()
                if beta or target == "int8"
                else torch.full_like(before, float("nan"))
            )
            x_desc, y_desc = (cudnn.TensorDescriptor.like(each) for each in (x, y))
            if self.refused(
                cudnn, cudnn.cudnnTransformTensor, handle, alpha, x_desc, x, beta, y_desc, y
            ):
                assert (source, target) not in CONVERTED
                pytest.skip(f"cuDNN does not convert {source} to {target}")
            expected = alpha * x.double() + beta * before.double()
            assert torch.equal(y.double(), expected), (alpha, beta)

    @pytest.mark.parametrize("source", ["float64", "float32", "float16"])
    @pytest.mark.parametrize("target", ["float64", "float32", "float16"])
    def test_other_functions(
        self, cudnn: Any, torch: Any, handle: Any, source: str, target: str
    ) -> None:
        x, before = self.numbers(torch, source), self.numbers(torch, target)
        x_desc, y_desc = (cudnn.TensorDescriptor.like(each) for each in (x, before))
        compute = "float64" if "float64" in (source, target) else "float32"
        add = cudnn.OpTensorDescriptor.of("ADD", compute)
        pool = cudnn.PoolingDescriptor.max(1)
        relu = cudnn.ActivationDescriptor.relu()
        wide, old = x.double(), before.double()
        results = {
            "add": (cudnn.cudnnAddTensor, (), 0.5 * wide + 0.25 * old),
            "op": (cudnn.cudnnOpTensor, (add,), 0.5 * wide + 0.5 * wide + 0.25 * old),
            "relu": (cudnn.cudnnActivationForward, (relu,), 0.5 * wide.relu() + 0.25 * old),
            "pool": (cudnn.cudnnPoolingForward, (pool,), 0.5 * wide + 0.25 * old),
        }
        ran = []
        for name, (function, options, expected) in results.items():
            y = before.clone()
            second = (0.5, x_desc, x) if name == "op" else ()
            if not self.refused(
                cudnn, function, handle, *options, 0.5, x_desc, x, *second, 0.25, y_desc, y
            ):
                ran.append(name)
                assert torch.equal(y.double(), expected), name
        assert source != target or ran == list(results)


class TestSpatialTransformer:
    SHAPE = (3, 4, 9, 11)

    @pytest.mark.parametrize("dtype", ["float32", "float64"])
    def test_grid_sampler_and_their_gradients(
        self, cudnn: Any, torch: Any, handle: Any, fresh: Any, poisoned: Any, error_of: Any,
        dtype: str,
    ) -> None:  # fmt: skip
        limit = {"float32": 2e-5, "float64": 1e-12}[dtype]
        batch, _, height, width = self.SHAPE
        transformer = cudnn.SpatialTransformerDescriptor.bilinear(self.SHAPE, dtype)
        theta = fresh(batch, 2, 3, dtype=dtype) * 0.4
        grid = poisoned(batch, height, width, 2, dtype=dtype)
        cudnn.cudnnSpatialTfGridGeneratorForward(handle, transformer, theta, grid)
        dgrid = fresh(batch, height, width, 2, dtype=dtype)
        dtheta = poisoned(batch, 2, 3, dtype=dtype)
        cudnn.cudnnSpatialTfGridGeneratorBackward(handle, transformer, dgrid, dtheta)
        affine = torch.nn.functional.affine_grid
        expected, (expected_dtheta,) = gradient(
            lambda theta: affine(theta, list(self.SHAPE), align_corners=True),
            (reference(theta),), dgrid,
        )  # fmt: skip
        assert error_of(grid, expected) < limit
        assert error_of(dtheta, expected_dtheta) < limit

        x, dy = fresh(*self.SHAPE, dtype=dtype), fresh(*self.SHAPE, dtype=dtype)
        y, dx = poisoned(*self.SHAPE, dtype=dtype), torch.zeros_like(x)
        desc = cudnn.TensorDescriptor.like(x)
        cudnn.cudnnSpatialTfSamplerForward(handle, transformer, 1.0, desc, x, grid, 0.0, desc, y)
        cudnn.cudnnSpatialTfSamplerBackward(
            handle, transformer, 1.0, desc, x, 0.0, desc, dx, 1.0, desc, dy, grid, 0.0, dgrid
        )
        sample = torch.nn.functional.grid_sample
        expected, gradients = gradient(
            lambda x, grid: sample(x, grid, align_corners=True), (reference(x), reference(grid)), dy
        )
        assert error_of(y, expected) < limit
        assert error_of(dx, gradients[0]) < limit
        # At a pixel the slope jumps: a float32 place that is rounded across one has another gradient.
        places = (grid.double() + 1) / 2 * torch.tensor([width - 1, height - 1], device="cuda")
        is_near = (places - places.round()).abs().amin(-1, keepdim=True) < 1e-4
        assert is_near.double().mean() < 0.05
        assert not dgrid.isnan().any()
        found, wanted = dgrid.masked_fill(is_near, 0), gradients[1].masked_fill(is_near.cpu(), 0)
        assert error_of(found, wanted) < limit
