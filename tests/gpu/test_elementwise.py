"""Activations, norms, sums and dropout by descriptors and C names; `test_gradients` has the others."""

from __future__ import annotations

from typing import Any

import pytest


def test_a_clipped_relu_ends_at_its_ceiling(cudnn: Any, handle: Any, fresh: Any) -> None:
    x = fresh(2, 3, 8, 8) * 4
    y = cudnn.ActivationDescriptor.clipped_relu(1.5)(x, x, handle=handle)
    assert y is x
    assert float(x.max()) == 1.5
    assert float(x.min()) == 0.0


@pytest.mark.parametrize("propagate", [True, False])
def test_nan_goes_through_a_relu_unless_it_is_told_not_to(
    cudnn: Any, handle: Any, fresh: Any, poisoned: Any, propagate: bool
) -> None:
    x = fresh(1, 1, 4, 4)
    x[0, 0, 1, 2] = float("nan")
    y = poisoned(1, 1, 4, 4)
    cudnn.ActivationDescriptor.relu(propagate_nan=propagate)(x, y, handle=handle)
    assert int(y.isnan().sum()) == int(propagate)


def test_strided_views_are_read_and_written_in_place(
    cudnn: Any, torch: Any, handle: Any, precision: Any, layout: str, fresh: Any
) -> None:
    whole = fresh(4, 6, 10, 12, dtype=precision.dtype, layout=layout)
    target = torch.full_like(whole, 7.0)
    # They begin where vectors of any type may, as cuDNN cannot tell that they do not.
    x, y = whole[1:3, :4, ::2, ::3], target[1:3, :4, ::2, ::3]
    cudnn.ActivationDescriptor.relu()(x, y, handle=handle)
    assert torch.equal(y, x.clamp(min=0))
    touched = torch.zeros_like(target, dtype=torch.bool)
    touched[1:3, :4, ::2, ::3] = True
    assert bool((target[~touched] == 7.0).all()), "elements outside the view were written"


def test_alpha_and_beta_are_doubles_for_doubles(
    cudnn: Any, handle: Any, fresh: Any, error_of: Any
) -> None:
    x, y = fresh(2, 3, 4, 5, dtype="float64"), fresh(2, 3, 4, 5, dtype="float64")
    expected = 1 / 3 * x.cpu().clamp(min=0) + 1 / 7 * y.cpu()
    cudnn.ActivationDescriptor.relu()(x, y, handle=handle, alpha=1 / 3, beta=1 / 7)
    assert error_of(y, expected) < 1e-15


def test_batch_normalisation_in_inference(
    cudnn: Any, torch: Any, handle: Any, precision: Any, layout: str, fresh: Any, poisoned: Any,
    error_of: Any,
) -> None:  # fmt: skip
    x = fresh(4, 6, 9, 5, dtype=precision.dtype, layout=layout)
    y = poisoned(4, 6, 9, 5, dtype=precision.dtype, layout=layout)
    x_desc = cudnn.TensorDescriptor.like(x)
    bn_desc = cudnn.TensorDescriptor.for_batch_norm(x_desc)
    statistics = "float64" if precision.dtype == "float64" else "float32"
    scale, bias, mean = (fresh(6, dtype=statistics) for _ in range(3))
    variance = fresh(6, dtype=statistics) ** 2 + 0.1
    cudnn.cudnnBatchNormalizationForwardInference(
        handle, cudnn.BatchNormMode.SPATIAL, 1.0, 0.0, x_desc, x, x_desc, y, bn_desc, scale, bias,
        mean, variance, 1e-4,
    )  # fmt: skip
    expected = torch.nn.functional.batch_norm(
        x.cpu().double().contiguous(), mean.cpu().double(), variance.cpu().double(),
        scale.cpu().double(), bias.cpu().double(), eps=1e-4,
    )  # fmt: skip
    assert error_of(y, expected) < max(
        precision.tolerance, 1e-11 if statistics == "float64" else 2e-6
    )


def test_adding_a_bias_and_reducing_it_again(
    cudnn: Any, handle: Any, fresh: Any, poisoned: Any, error_of: Any
) -> None:
    x, bias = fresh(4, 6, 5, 7), fresh(6)
    x_desc, bias_desc = cudnn.TensorDescriptor.like(x), cudnn.TensorDescriptor.per_channel(6)
    before = x.cpu().double()
    cudnn.cudnnAddTensor(handle, 1.0, bias_desc, bias, 1.0, x_desc, x)
    expected = before + bias.cpu().double().reshape(1, 6, 1, 1)
    assert error_of(x, expected) < 1e-6
    total = poisoned(6)
    reduce = cudnn.ReduceTensorDescriptor.of("ADD")
    size = cudnn.cudnnGetReductionWorkspaceSize(handle, reduce, x_desc, bias_desc)
    workspace = handle.workspace.get(size, handle.stream)
    cudnn.cudnnReduceTensor(
        handle, reduce, None, 0, workspace, size, 1.0, x_desc, x, 0.0, bias_desc, total
    )
    assert error_of(total, expected.sum((0, 2, 3))) < 1e-5


class TestDropout:
    @pytest.mark.parametrize("rate", [0.25, 0.5])
    def test_what_is_kept_is_scaled_and_the_gradient_has_the_same_mask(
        self, cudnn: Any, torch: Any, handle: Any, fresh: Any, poisoned: Any, error_of: Any,
        precision: Any, layout: str, rate: float,
    ) -> None:  # fmt: skip
        if precision.name == "bfloat16":
            pytest.skip("cuDNN has no dropout of bfloat16")
        # Nothing in it is 0, which is what dropped elements become.
        x = fresh(16, 16, 16, 16, dtype=precision.dtype, layout=layout).abs() + 0.125
        y = poisoned(16, 16, 16, 16, dtype=precision.dtype, layout=layout)
        desc = cudnn.TensorDescriptor.like(x)
        assert desc.layout == layout
        dropout = cudnn.DropoutDescriptor.with_state(handle, rate, seed=7)
        size = cudnn.cudnnDropoutGetReserveSpaceSize(desc)
        reserve = torch.zeros(size, dtype=torch.uint8, device="cuda")
        cudnn.cudnnDropoutForward(handle, dropout, desc, x, desc, y, reserve, size)
        kept = y != 0
        fraction = float(kept.double().mean())
        assert abs(fraction - (1 - rate)) < 0.02
        expected = x.cpu().double() / (1 - rate) * kept.cpu()
        # The rate is a float of C's: only a factor of 2 is exact.
        assert error_of(y, expected) <= (0 if rate == 0.5 else max(precision.tolerance, 1e-7))
        dx = poisoned(16, 16, 16, 16, dtype=precision.dtype, layout=layout)
        ones = torch.ones_like(x)
        cudnn.cudnnDropoutBackward(handle, dropout, desc, ones, desc, dx, reserve, size)
        assert torch.equal(dx != 0, kept)

    def test_the_seed_decides(
        self, cudnn: Any, torch: Any, handle: Any, fresh: Any, poisoned: Any
    ) -> None:
        x = fresh(4, 8, 16, 16)
        desc = cudnn.TensorDescriptor.like(x)
        size = cudnn.cudnnDropoutGetReserveSpaceSize(desc)
        reserve = torch.zeros(size, dtype=torch.uint8, device="cuda")
        results = []
        for seed in (1, 1, 2):
            with cudnn.DropoutDescriptor.with_state(handle, 0.5, seed) as dropout:
                y = poisoned(4, 8, 16, 16)
                cudnn.cudnnDropoutForward(handle, dropout, desc, x, desc, y, reserve, size)
                assert dropout.seed == seed
                assert dropout.rate == 0.5
                assert repr(dropout) == f"Dropout(0.5 seed {seed})"
                results.append(y)
        assert torch.equal(results[0], results[1])
        assert not torch.equal(results[0], results[2])

    def test_its_state_is_freed_behind_the_call_that_uses_it(
        self, cudnn: Any, torch: Any, fresh: Any, poisoned: Any
    ) -> None:
        x = fresh(4, 8, 16, 16)
        desc = cudnn.TensorDescriptor.like(x)
        size = cudnn.cudnnDropoutGetReserveSpaceSize(desc)
        reserve = torch.zeros(size, dtype=torch.uint8, device="cuda")
        first, second = cudnn.Stream(), torch.cuda.Stream()
        results = []
        with cudnn.Handle() as handle:
            states = cudnn.cudnnDropoutGetStatesSize(handle)
            for disturbed in (False, True):
                y = poisoned(4, 8, 16, 16)
                handle.stream = first
                dropout = cudnn.DropoutDescriptor.with_state(handle, 0.5, seed=3)
                torch.cuda.synchronize()
                handle.stream = second
                if disturbed:
                    with torch.cuda.stream(second):
                        torch.cuda._sleep(500_000_000)
                cudnn.cudnnDropoutForward(handle, dropout, desc, x, desc, y, reserve, size)
                dropout.close()
                if disturbed:
                    with cudnn.DeviceArray.empty((states,), "uint8", stream=first) as other:
                        other.fill_bytes(255)
                        assert not second.query(), "the device was too fast to tell"
                torch.cuda.synchronize()
                results.append(y)
        assert torch.equal(*results)

    def test_it_closes_the_networks_that_have_its_address(self, cudnn: Any, handle: Any) -> None:
        dropout = cudnn.DropoutDescriptor.with_state(handle, 0.5)
        rnn = cudnn.RNNDescriptor.lstm(8, 16, 2, dropout=dropout)
        assert rnn.dropout is dropout
        assert rnn.copied().dropout is dropout
        dropout.close()
        assert rnn.closed

    def test_memory_for_the_state_may_be_given(self, cudnn: Any, torch: Any, handle: Any) -> None:
        size = cudnn.cudnnDropoutGetStatesSize(handle)
        states = torch.zeros(size, dtype=torch.uint8, device="cuda")
        with cudnn.DropoutDescriptor.with_state(handle, 0.5, states=states) as dropout:
            assert dropout.states == states.data_ptr()
        with pytest.raises(ValueError, match=f"states: expected {size} bytes, got 16"):
            cudnn.DropoutDescriptor.with_state(handle, 0.5, states=states[:16])

    def test_it_keeps_its_handle_alive_and_dies_first(self, cudnn: Any) -> None:
        handle = cudnn.Handle()
        dropout = cudnn.DropoutDescriptor.with_state(handle, 0.5)
        handle.close()
        assert dropout.closed
        with pytest.raises(cudnn.CudnnError):
            dropout.rate  # noqa: B018
        dropout.close()
