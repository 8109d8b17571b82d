"""Recurrent networks: results of several arrays, reserves and gradients."""

from __future__ import annotations

from cudnn_cffi import DeviceArray, ops
from cudnn_cffi.types import ArrayT


def train(x: ArrayT, weights: ArrayT, dy: ArrayT) -> tuple[ArrayT, ArrayT | None]:
    made = ops.lstm(x, weights, hidden_size=64, layers=2, training=True, choose="STANDARD")
    y: ArrayT = made.y
    reserve: ops.RNNReserve = made.reserve
    got = ops.rnn_backward(dy, x, y, weights, reserve, hx=None)
    data = ops.rnn_backward_data(dy, y, weights, reserve)
    print(ops.rnn_backward_weights(x, y, reserve), data.cx)
    return got.x, got.weights


def infer(x: DeviceArray, weights: DeviceArray) -> DeviceArray:
    y, hy, cy, reserve = ops.gru(x, weights, hidden_size=64, lengths=[3, 2], bias="input")
    print(hy.shape, cy, reserve is None)
    z: DeviceArray = ops.rnn(x, weights, hidden_size=64, nonlinearity="relu").hy
    return ops.add(y, z)


def keep(x: DeviceArray, weights: DeviceArray, train: bool) -> ops.RNNResults[DeviceArray, object]:
    network = ops.LSTM(32, 64, bidirectional=True, dropout=0.1, clip=(-1.0, 1.0))
    count: int = network.weights_count("half")
    names: list[str] = list(network.parameters(weights))
    out = network(x, weights, training=train)
    got = network.backward(x, x, out.y, weights, out.reserve)
    dx: DeviceArray = got.x
    print(count, names, dx, got.hx.shape)
    return out


def wrong(x: DeviceArray, weights: DeviceArray) -> None:
    ops.lstm(x, weights, hidden_sise=64)  # refused
    ops.lstm(x, weights, hidden_size="64")  # refused
    ops.gru(x, weights, hidden_size=64, bias="inptu")  # refused
    ops.rnn(x, weights, hidden_size=64, nonlinearity="sigmoid")  # refused
    ops.lstm(x, weights, hidden_size=64, choose="PERSIST")  # refused
    ops.LSTM(32, 64, bidirektional=True)  # refused
    text: str = ops.lstm(x, weights, hidden_size=64).y  # refused
    reserve: ops.RNNReserve = ops.lstm(x, weights, hidden_size=64).reserve  # refused
    ops.rnn_backward(x, x, x, weights, x)  # refused
    print(ops.gru(x, weights, hidden_size=64).cells, text, reserve)  # refused
