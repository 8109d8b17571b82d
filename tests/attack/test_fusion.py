"""Random networks with changes in place, views and shared results, fused: they compute the same."""

from __future__ import annotations

import copy
import random
import time
from typing import Any

import pytest

torch = pytest.importorskip("torch", exc_type=ImportError)
nn = torch.nn

from cudnn_cffi.torch import fuse  # noqa: E402

from tests.torch import emulated  # noqa: E402

CHANNELS = 4


class Network(nn.Module):  # type: ignore[misc, name-defined]
    """A list of instructions, each of which reads values before it and may change them."""

    def __init__(self, chance: random.Random) -> None:
        super().__init__()
        self.layers = nn.ModuleList()
        self.steps: list[tuple[str, int, int, int]] = []
        count = 1
        for _ in range(chance.randint(3, 14)):
            word = chance.choice(list(WORDS))
            # Mostly what was computed last, as networks do.
            near = [max(0, count - 1 - chance.choice((0, 0, 0, 1, 2, 5))) for _ in range(2)]
            layer = -1
            if word in MAKERS:
                if self.layers and chance.random() < 0.15:
                    same = [i for i, e in enumerate(self.layers) if e.word == word]
                    layer = chance.choice(same) if same else -1
                if layer < 0:
                    made = MAKERS[word](chance)
                    made.word = word
                    self.layers.append(made)
                    layer = len(self.layers) - 1
            self.steps.append((word, near[0], near[1], layer))
            count += 1
        self.outputs = sorted(
            {count - 1, *(chance.randrange(count) for _ in range(chance.randint(0, 2)))}
        )

    def forward(self, x: Any) -> Any:
        values = [x]
        for word, first, second, layer in self.steps:
            module = self.layers[layer] if layer >= 0 else None
            values.append(WORDS[word](values[first], values[second], module))
        return tuple([values[place] for place in self.outputs])


def _conv(chance: random.Random) -> Any:
    window = chance.choice((1, 3))
    return nn.Conv2d(
        CHANNELS, CHANNELS, window, padding=window // 2, bias=chance.random() < 0.5,
        groups=chance.choice((1, 1, 1, 2, CHANNELS)),
    )  # fmt: skip


MAKERS: dict[str, Any] = {
    "conv": _conv,
    "block": lambda chance: nn.Sequential(
        _conv(chance), nn.BatchNorm2d(CHANNELS), nn.ReLU(inplace=chance.random() < 0.5)
    ),
    "norm": lambda _: nn.BatchNorm2d(CHANNELS),
    "relu": lambda chance: nn.ReLU(inplace=chance.random() < 0.5),
    "wide": lambda _: nn.Conv2d(2 * CHANNELS, CHANNELS, 1),
}


def _add_in_place(a: Any, b: Any, _: Any) -> Any:
    a += b
    return a


def _change_a_part(a: Any, b: Any, _: Any) -> Any:
    a[:, 1:3].mul_(0.5)
    return b * 1.0


def _set_a_part(a: Any, b: Any, _: Any) -> Any:
    a[:, :2] = b[:, 2:]
    return a


def _turned(a: Any, _b: Any, _m: Any) -> Any:
    return a.flatten(2).reshape(a.shape)


WORDS: dict[str, Any] = {
    "conv": lambda a, b, m: m(a),
    "block": lambda a, b, m: m(a),
    "norm": lambda a, b, m: m(a),
    "relu": lambda a, b, m: m(a),
    "wide": lambda a, b, m: m(torch.cat([a, b], 1)),
    "add": lambda a, b, m: a + b,
    "added": lambda a, b, m: b.add(a),
    "add in place": _add_in_place,
    "function": lambda a, b, m: torch.relu(a),
    "relu in place": lambda a, b, m: a.relu_(),
    "part": _change_a_part,
    "set": _set_a_part,
    "channel": lambda a, b, m: a + b[:, :1],
    "turned": _turned,
    "pool": lambda a, b, m: nn.functional.max_pool2d(a, 3, 1, 1),
    "squeezed": lambda a, b, m: a * torch.sigmoid(b.mean((2, 3), keepdim=True)),
}


@pytest.mark.attack
def test_random_networks(seed: int) -> None:
    chance = random.Random(seed)
    end = time.monotonic() + 60
    plans = networks = 0
    while time.monotonic() < end:
        networks += 1
        start = chance.randrange(1 << 30)
        model = emulated.settle(Network(random.Random(start)), start)
        x = torch.randn(2, CHANNELS, 5, 6, dtype=torch.float64)
        with torch.no_grad():
            wanted = copy.deepcopy(model)(x.clone())
            found = fuse(model)(x.clone())
            program = emulated.prepared(model, x)
            first = program.run([x.clone()])
            kept = [each.clone() for each in first]
            second = program.run([x.clone(memory_format=torch.channels_last)])
        plans += sum(each.by.startswith("emulated") for each in program.ran)
        for way in (found, kept, second, first):
            for own, other in zip(way, wanted, strict=True):
                size = other.abs().max().clamp(min=1e-30)
                assert float((own - other).abs().max() / size) < 1e-9, (start, model.steps)
    assert plans > networks / 2, (plans, networks)  # else nothing is fused any more
