"""Recurrent networks forward, against PyTorch's on the CPU in float64, with cuDNN's weights."""

from __future__ import annotations

from typing import Any

import pytest

TIME, BATCH, INPUT, HIDDEN = 7, 4, 12, 16

#: PyTorch's order of gates, as numbers of cuDNN's matrices for the input; its matrices for the
#: state follow.
GATES = {"LSTM": (0, 1, 2, 3), "GRU": (0, 1, 2), "RNN_TANH": (0,)}


def build(torch: Any, cell: str, layers: int, bidirectional: bool) -> Any:
    kinds = {"LSTM": torch.nn.LSTM, "GRU": torch.nn.GRU, "RNN_TANH": torch.nn.RNN}
    return kinds[cell](INPUT, HIDDEN, layers, bidirectional=bidirectional).double()


def parameters_in(
    cudnn: Any, torch: Any, handle: Any, rnn: Any, weights: Any, cell: str
) -> dict[str, Any]:
    """Return the weights, or their gradients, in cuDNN's weight space under PyTorch's names."""
    base, size = weights.data_ptr(), weights.numel() * weights.element_size()
    host = weights.cpu().double()
    directions = 2 if rnn.bidirectional else 1
    matrix, bias = cudnn.TensorDescriptor(), cudnn.TensorDescriptor()

    def part(address: int, desc: Any) -> Any:
        first = (address - base) // weights.element_size()
        rows, columns = desc.shape[1:3]
        return host[first : first + rows * columns].reshape(rows, columns)

    state = {}
    for layer in range(rnn.layers * directions):
        suffix = f"l{layer // directions}{'_reverse' if layer % directions else ''}"
        for kind, offset in (("ih", 0), ("hh", len(GATES[cell]))):
            matrices, biases = [], []
            for gate in GATES[cell]:
                found = cudnn.cudnnGetRNNWeightParams(
                    handle, rnn, layer, size, weights, gate + offset, matrix, bias
                )
                matrices.append(part(found[0], matrix))
                biases.append(part(found[1], bias)[:, 0])
            state[f"weight_{kind}_{suffix}"] = matrices
            state[f"bias_{kind}_{suffix}"] = biases
    return {name: torch.cat(parts) for name, parts in state.items()}


@pytest.mark.parametrize("bidirectional", [False, True])
@pytest.mark.parametrize("cell", GATES)
def test_forward(
    cudnn: Any, torch: Any, handle: Any, precision: Any, fresh: Any, poisoned: Any, error_of: Any,
    cell: str, bidirectional: bool,
) -> None:  # fmt: skip
    layers, directions = 2, 2 if bidirectional else 1
    rnn = cudnn.RNNDescriptor.of(
        cell, INPUT, HIDDEN, layers, bidirectional=bidirectional, dtype=precision.dtype,
        math=precision.math,
    )  # fmt: skip
    size = cudnn.cudnnGetRNNWeightSpaceSize(handle, rnn)
    itemsize = getattr(torch, precision.dtype).itemsize
    weights = fresh(size // itemsize, dtype=precision.dtype) * 0.3
    network = build(torch, cell, layers, bidirectional)
    network.load_state_dict(parameters_in(cudnn, torch, handle, rnn, weights, cell))

    lengths = [TIME] * BATCH
    x = fresh(TIME, BATCH, INPUT, dtype=precision.dtype)
    y = poisoned(TIME, BATCH, HIDDEN * directions, dtype=precision.dtype)
    x_desc = cudnn.RNNDataDescriptor.of(lengths, INPUT, precision.dtype)
    y_desc = cudnn.RNNDataDescriptor.of(lengths, HIDDEN * directions, precision.dtype)
    state_shape = (layers * directions, BATCH, HIDDEN)
    state_desc = cudnn.TensorDescriptor.packed(state_shape, precision.dtype, axes=3)
    hy = poisoned(*state_shape, dtype=precision.dtype)
    cy = poisoned(*state_shape, dtype=precision.dtype) if cell == "LSTM" else None
    spaces = cudnn.cudnnGetRNNTempSpaceSizes(handle, rnn, cudnn.ForwardMode.INFERENCE, x_desc)
    workspace = torch.empty(max(spaces[0], 1), dtype=torch.uint8, device="cuda")
    device_lengths = torch.tensor(lengths, dtype=torch.int32, device="cuda")
    cudnn.cudnnRNNForward(
        handle, rnn, cudnn.ForwardMode.INFERENCE, device_lengths, x_desc, x, y_desc, y, state_desc,
        None, hy, state_desc, None, cy, size, weights, spaces[0], workspace, 0, None,
    )  # fmt: skip
    with torch.no_grad():
        expected, states = network(x.cpu().double())
    tolerance = max(10 * precision.tolerance, 1e-11)
    assert error_of(y, expected) < tolerance
    assert error_of(hy, states[0] if cell == "LSTM" else states) < tolerance
    if cell == "LSTM":
        assert error_of(cy, states[1]) < tolerance


@pytest.mark.parametrize("bidirectional", [False, True])
@pytest.mark.parametrize("cell", GATES)
def test_gradients(
    cudnn: Any, torch: Any, handle: Any, precision: Any, fresh: Any, poisoned: Any, error_of: Any,
    cell: str, bidirectional: bool,
) -> None:  # fmt: skip
    """Gradients of inputs, states and weights, with sequences of different lengths."""
    layers, directions = 2, 2 if bidirectional else 1
    dtype = precision.dtype
    rnn = cudnn.RNNDescriptor.of(
        cell, INPUT, HIDDEN, layers, bidirectional=bidirectional, dtype=dtype, math=precision.math,
        compute=precision.compute,
    )  # fmt: skip
    size = cudnn.cudnnGetRNNWeightSpaceSize(handle, rnn)
    weights = fresh(size // getattr(torch, dtype).itemsize, dtype=dtype) * 0.3
    network = build(torch, cell, layers, bidirectional)
    network.load_state_dict(parameters_in(cudnn, torch, handle, rnn, weights, cell))

    lengths = [TIME, 5, 3, 1]
    x, dy = (fresh(TIME, BATCH, width, dtype=dtype) for width in (INPUT, HIDDEN * directions))
    state = (layers * directions, BATCH, HIDDEN)
    hx, dhy = fresh(*state, dtype=dtype), fresh(*state, dtype=dtype)
    cx, dcy = (fresh(*state, dtype=dtype) if cell == "LSTM" else None for _ in range(2))
    inputs = [each.cpu().double().requires_grad_() for each in (x, hx, cx) if each is not None]
    packed = torch.nn.utils.rnn.pack_padded_sequence(inputs[0], lengths)
    out, states = network(packed, tuple(inputs[1:]) if cell == "LSTM" else inputs[1])
    expected, _ = torch.nn.utils.rnn.pad_packed_sequence(out)
    finals = states if cell == "LSTM" else (states,)
    torch.autograd.backward(
        (expected, *finals),
        tuple(each.cpu().double() for each in (dy, dhy, dcy) if each is not None),
    )

    x_desc = cudnn.RNNDataDescriptor.of(lengths, INPUT, dtype)
    y_desc = cudnn.RNNDataDescriptor.of(lengths, HIDDEN * directions, dtype)
    state_desc = cudnn.TensorDescriptor.packed(state, dtype, axes=3)
    training = cudnn.ForwardMode.TRAINING
    spaces = cudnn.cudnnGetRNNTempSpaceSizes(handle, rnn, training, x_desc)
    spare, kept = (torch.zeros(max(each, 1), dtype=torch.uint8, device="cuda") for each in spaces)
    room = (spaces.workSpaceSize, spare, spaces.reserveSpaceSize, kept)
    device_lengths = torch.tensor(lengths, dtype=torch.int32, device="cuda")
    y = poisoned(TIME, BATCH, HIDDEN * directions, dtype=dtype)
    dx = poisoned(*x.shape, dtype=dtype)
    hy, dhx = (poisoned(*state, dtype=dtype) for _ in range(2))
    cy, dcx = (poisoned(*state, dtype=dtype) if cell == "LSTM" else None for _ in range(2))
    cudnn.cudnnRNNForward(
        handle, rnn, training, device_lengths, x_desc, x, y_desc, y, state_desc, hx, hy, state_desc,
        cx, cy, size, weights, *room,
    )  # fmt: skip
    cudnn.cudnnRNNBackwardData_v8(
        handle, rnn, device_lengths, y_desc, y, dy, x_desc, dx, state_desc, hx, dhy, dhx,
        state_desc, cx, dcy, dcx, size, weights, *room,
    )  # fmt: skip
    dweights = torch.zeros_like(weights)
    cudnn.cudnnRNNBackwardWeights_v8(
        handle, rnn, cudnn.WgradMode.ADD, device_lengths, x_desc, x, state_desc, hx, y_desc, y,
        size, dweights, *room,
    )  # fmt: skip

    limit = max(10 * precision.tolerance, 1e-11)
    inside = torch.zeros(TIME, BATCH, 1, dtype=torch.bool)
    for sequence, length in enumerate(lengths):
        inside[:length, sequence] = True
    assert error_of(y.cpu().double().where(inside, 0), expected.detach()) < limit
    results = [dx.cpu().double().where(inside, 0), dhx] + ([dcx] if cell == "LSTM" else [])
    for result, each in zip(results, inputs, strict=True):
        assert error_of(result, each.grad) < limit
    gradients = parameters_in(cudnn, torch, handle, rnn, dweights, cell)
    for name, parameter in network.named_parameters():
        assert error_of(gradients[name], parameter.grad) < limit, name
