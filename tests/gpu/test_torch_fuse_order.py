"""Weights that change just before a call are folded before a layer reads them."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from tests.gpu.test_torch_fuse import error, expected, settled


@pytest.fixture
def model(torch: Any) -> Any:
    """A network whose last layers take long to fold, beside the time of the first ones."""
    nn = torch.nn
    widths = [8, 16, 256, 512, 512]
    torch.manual_seed(3)
    layers = []
    for channels, out in itertools.pairwise(widths):
        layers += [nn.Conv2d(channels, out, 3, padding=1), nn.BatchNorm2d(out), nn.ReLU()]
    made = settled(torch, nn.Sequential(*layers[:-1]), torch.randn(16, 8, 9, 9, device="cuda"))
    return made.half()


class Calls:
    """A fused model's calls with one input: captured by itself, or by its caller."""

    def __init__(self, torch: Any, model: Any, by_caller: bool) -> None:
        from cudnn_cffi.torch import fuse

        self.x = torch.randn(2, 8, 9, 9, device="cuda", dtype=torch.half)
        self.fused = fuse(model, capture=not by_caller)
        self.fused(self.x)
        self.graph = torch.cuda.CUDAGraph() if by_caller else None
        if by_caller:
            with torch.cuda.graph(self.graph):
                self.y = self.fused(self.x)
            torch.cuda.synchronize()

    def run(self) -> Any:
        """Return what the model computes."""
        if self.graph is None:
            return self.fused(self.x)
        self.graph.replay()
        return self.y.clone()


@pytest.mark.parametrize("by_caller", [False, True])
def test_each_tensor_changes_just_before_a_call(torch: Any, model: Any, by_caller: bool) -> None:
    calls = Calls(torch, model, by_caller)
    first = calls.run()
    wrong: list[Any] = []
    for name, tensor in model.state_dict().items():
        if not tensor.is_floating_point():
            continue
        before = tensor.clone()
        torch.cuda._sleep(1_000_000)  # the host is far ahead of the change
        tensor.data.mul_(3)
        found = calls.run()
        wanted = expected(torch, model, calls.x)
        torch.cuda._sleep(1_000_000)
        tensor.data.copy_(before)
        last = calls.run()
        errors = error(found, wanted), error(last, first.double()), error(last, wanted)
        if not (errors[0] < 4e-3 and errors[1] < 4e-3 and errors[2] > 1e-2):
            wrong.append((name, errors))
    assert not wrong


@pytest.mark.parametrize("place", [0, 9])
@pytest.mark.parametrize("by_caller", [False, True])
def test_a_layer_alternates_between_calls(
    torch: Any, model: Any, by_caller: bool, place: int
) -> None:
    weight = model[place].weight.data
    both = weight.clone(), torch.randn_like(weight) * weight.std()
    calls = Calls(torch, model, by_caller)
    wanted = []
    for each in both:
        weight.copy_(each)
        wanted.append(expected(torch, model, calls.x))
    assert error(*wanted) > 0.1
    found = []
    for turn in range(1000):
        weight.copy_(both[turn % 2])
        found.append(calls.run())
    for turn in range(2):
        given = torch.stack(found[turn::2]).double()
        errors = (given - wanted[turn]).flatten(1).norm(dim=1) / wanted[turn].norm()
        assert errors.max() < 4e-3, (turn, int((errors >= 4e-3).sum()), float(errors.max()))


def test_streams_take_turns(torch: Any, model: Any) -> None:
    from cudnn_cffi.torch import fuse

    fused = fuse(model, capture=True)
    x = torch.randn(2, 8, 9, 9, device="cuda", dtype=torch.half)
    weight = model[9].weight.data
    both = weight.clone(), torch.randn_like(weight) * weight.std()
    wanted = []
    for each in both:
        weight.copy_(each)
        wanted.append(expected(torch, model, x))
    streams = [torch.cuda.Stream() for _ in range(3)]
    torch.cuda.synchronize()
    for stream in streams:
        with torch.cuda.stream(stream):
            fused(x)
    torch.cuda.synchronize()
    found = []
    for turn in range(300):
        stream = streams[turn % 3]
        stream.wait_stream(streams[turn % 3 - 1])
        with torch.cuda.stream(stream):
            weight.copy_(both[turn % 2])
            found.append(fused(x))
    torch.cuda.synchronize()
    assert all(error(y, wanted[turn % 2]) < 4e-3 for turn, y in enumerate(found))
