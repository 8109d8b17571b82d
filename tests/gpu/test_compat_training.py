"""Programs in Chainer's style train with the modules of `compat` in the place of CuPy's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.gpu.conftest import library
from tests.gpu.test_compat_cupy import flat_weights


@pytest.fixture(scope="module")
def cp() -> Any:
    return library("cupy")


@pytest.mark.parametrize("page", ["cupy", "libcudnn"])
def test_the_first_code_of_a_page_runs(cp: Any, page: str) -> None:
    path = Path(__file__).parents[2] / "docs" / "porting" / f"{page}.md"
    code = path.read_text(encoding="utf-8").partition("```python\n")[2].partition("```")[0]
    names: dict[str, Any] = {}
    exec(code, names)
    cp.cuda.runtime.deviceSynchronize()
    result = names["y" if page == "cupy" else "x"]
    assert float(result.min()) >= (0 if page == "cupy" else 2)


def host(torch: Any, array: Any) -> Any:
    return torch.from_numpy(array.get().astype("d"))


class Net:
    """A convolution, batch normalization, ReLU, max pooling, a linear layer and a softmax.

    The lines are those of a program for CuPy 13; but for these two the imports are as they were.
    """

    def __init__(self, cp: Any, dtype: str) -> None:
        from cudnn_cffi.compat import cupy_backends_cudnn as libcudnn
        from cudnn_cffi.compat import cupy_cudnn as cudnn

        self.cp, self.cudnn, self.libcudnn, self.dtype = cp, cudnn, libcudnn, dtype
        draw = np.random.default_rng().standard_normal
        self.W = cp.asarray((0.3 * draw((8, 3, 3, 3))).astype(dtype))
        self.b = cp.zeros(8, dtype)
        self.gamma, self.beta = cp.ones(8, dtype), cp.zeros(8, dtype)
        self.mean, self.var = cp.zeros(8, dtype), cp.ones(8, dtype)
        self.L = cp.asarray((0.1 * draw((8 * 4 * 4, 5))).astype(dtype))

    def step(self, x: Any, t: Any, rate: float) -> float:
        cp, cudnn, lib = self.cp, self.cudnn, self.libcudnn
        window = ((1, 1), (1, 1), (1, 1), 1)
        pool = ((2, 2), (2, 2), (0, 0), lib.CUDNN_POOLING_MAX)
        spatial = lib.CUDNN_BATCHNORM_SPATIAL
        h = cp.empty((len(x), 8, 8, 8), self.dtype)
        how = {"auto_tune": False, "tensor_core": "auto"}
        cudnn.convolution_forward(x, self.W, self.b, h, *window, **how)
        n, save, inv = cudnn.batch_normalization_forward_training(
            h, self.gamma, self.beta, self.mean, self.var, None, None, 1e-5, 0.9, True, spatial,
            False,
        )  # fmt: skip
        a = cudnn.activation_forward(n, lib.CUDNN_ACTIVATION_RELU)
        p = cudnn.pooling_forward(a, cp.empty((len(x), 8, 4, 4), self.dtype), *pool)
        flat = p.reshape(len(x), -1)
        y = cudnn.softmax_forward(flat @ self.L, 1, lib.CUDNN_SOFTMAX_LOG)
        rows = cp.arange(len(x))
        loss = float(-y[rows, t].mean())

        gy = cp.zeros_like(y)
        gy[rows, t] = -1 / len(x)
        gz = cudnn.softmax_backward(y, gy, 1, lib.CUDNN_SOFTMAX_LOG)
        gL, gp = flat.T @ gz, (gz @ self.L.T).reshape(p.shape)
        ga = cudnn.pooling_backward(a, p, gp, *pool)
        gn = cudnn.activation_backward(n, a, ga, lib.CUDNN_ACTIVATION_RELU)
        gh, ggamma, gbeta = cudnn.batch_normalization_backward(
            h, self.gamma, gn, save, inv, 1e-5, True, spatial, False
        )
        gW = cp.empty_like(self.W)
        cudnn.convolution_backward_filter(x, gh, gW, *window, deterministic=False, **how)
        gx = cp.empty_like(x)
        cudnn.convolution_backward_data(self.W, gh, None, gx, *window, deterministic=False, **how)
        assert bool(cp.isfinite(gx).all())
        for parameter, gradient in (
            (self.W, gW), (self.b, gh.sum(axis=(0, 2, 3))), (self.gamma, ggamma),
            (self.beta, gbeta), (self.L, gL),
        ):  # fmt: skip
            parameter -= rate * gradient
        return loss


@pytest.mark.parametrize(("dtype", "tolerance"), [("d", 1e-9), ("f", 2e-2)])
def test_a_convolutional_network_trains(cp: Any, torch: Any, dtype: str, tolerance: float) -> None:
    """The losses of ten steps are those of PyTorch in float64."""
    net = Net(cp, dtype)
    draw = np.random.default_rng()
    x = cp.asarray(draw.standard_normal((16, 3, 8, 8)).astype(dtype))
    t = cp.asarray(draw.integers(0, 5, 16))
    names = ("W", "b", "gamma", "beta", "L")
    own = {name: host(torch, getattr(net, name)).requires_grad_() for name in names}
    functional = torch.nn.functional
    xs, ts = host(torch, x), torch.from_numpy(t.get())
    losses, expected = [], []
    for _ in range(10):
        losses.append(net.step(x, t, 0.1))
        h = functional.conv2d(xs, own["W"], own["b"], padding=1)
        n = functional.batch_norm(h, None, None, own["gamma"], own["beta"], True, eps=1e-5)
        p = functional.max_pool2d(n.relu(), 2).reshape(16, -1)
        loss = functional.cross_entropy(p @ own["L"], ts)
        expected.append(float(loss))
        gradients = torch.autograd.grad(loss, list(own.values()))
        for name, gradient in zip(names, gradients, strict=True):
            own[name] = (own[name].detach() - 0.1 * gradient).requires_grad_()
    assert np.allclose(losses, expected, rtol=tolerance, atol=tolerance), (losses, expected)
    assert losses[-1] < 0.8 * losses[0]


@pytest.mark.parametrize(("dtype", "tolerance"), [("d", 1e-9), ("f", 2e-2)])
def test_a_recurrent_network_trains(cp: Any, torch: Any, dtype: str, tolerance: float) -> None:
    """An LSTM of two layers with `_ex` on sequences of several lengths, as Chainer's NStepLSTM."""
    from cudnn_cffi.compat import cupy_backends_cudnn as libcudnn
    from cudnn_cffi.compat import cupy_cudnn as cudnn

    module = torch.nn.LSTM(4, 6, 2, dtype=torch.float64)
    states = cudnn.DropoutStates(None, 3)
    states.set_dropout_ratio(0.0)
    w = flat_weights(cudnn, libcudnn, cp, module, libcudnn.CUDNN_LSTM, dtype, states)
    lengths = np.array([7, 5, 2], "i")
    draw = np.random.default_rng()
    xs = cp.asarray(draw.standard_normal((7, 3, 4)).astype(dtype))
    target = cp.asarray(draw.uniform(-0.5, 0.5, (3, 6)).astype(dtype))
    hx = cp.zeros((2, 3, 6), dtype)
    call = (states, libcudnn.CUDNN_UNIDIRECTIONAL, libcudnn.CUDNN_LSTM)
    optimizer = torch.optim.SGD(module.parameters(), 0.5)
    packed = torch.nn.utils.rnn.pack_padded_sequence(host(torch, xs), lengths.tolist())
    losses, expected = [], []
    for _ in range(10):
        reserve, hy, cy, ys = cudnn.rnn_forward_training_ex(*call, hx, hx, w, xs, lengths)
        difference = hy[-1] - target  # type: ignore[index]
        losses.append(float((difference * difference).mean()))
        dhy = cp.zeros_like(hy)
        dhy[-1] = 2 * difference / difference.size
        cudnn.rnn_backward_data_ex(
            *call, hx, hx, w, xs, ys, reserve, dhy, cp.zeros_like(cy), cp.zeros_like(ys), lengths
        )
        w -= 0.5 * cudnn.rnn_backward_weights_ex(*call, xs, hx, ys, w, reserve, lengths)  # type: ignore[operator]
        _, (last, _) = module(packed)
        loss = ((last[-1] - host(torch, target)) ** 2).mean()
        expected.append(float(loss))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert np.allclose(losses, expected, rtol=tolerance, atol=tolerance), (losses, expected)
    assert losses[-1] < losses[0]
