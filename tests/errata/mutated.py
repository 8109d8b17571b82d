"""Graphs whose descriptors are changed at random, as nothing would set them: what errata read."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

from cudnn_cffi.backend import TensorDescriptor
from cudnn_cffi.errata import facts

EXTENTS = 1, 2, 3, 8, 31, 32, 45, 64, 128, 192, 8193, 65536, 70000, 1 << 20, (1 << 22) + 1, 1 << 26
STEPS = 0, 1, 2, 3, 8, 16, 32, 48, 100, 1024, 1 << 20

#: Values of attributes, by the class of what has them; None stands for none.
WORDS: dict[str, dict[str, tuple[Any, ...]]] = {
    "TensorDescriptor": {
        "is_virtual": (True, False, None),
        "byte_alignment": (1, 8, 16, 32, None),
        "data_type": ("HALF", "BFLOAT16", "FLOAT", "INT8", "UINT8", "INT32", "DOUBLE"),
    },
    "PointwiseDescriptor": {
        "mode": (
            *("ADD", "MUL", "IDENTITY", "GEN_INDEX", "TANH_FWD", "EXP", "BINARY_SELECT"),
            *("DIV", "LOG", "RSQRT", "RELU_FWD", "SUB"),
        ),
        "nan_propagation": ("PROPAGATE_NAN", "NOT_PROPAGATE_NAN", None),
        "relu_upper_clip": (6.0, 6, math.inf, math.nan, 3.4e38, None),
        "relu_lower_clip": (0.0, -0.3, -math.inf, 0, None),
        "relu_lower_clip_slope": (0.0, 0.1, math.nan, None),
    },
    "ReductionDescriptor": {"operator": ("ADD", "MUL", "MAX", "AVG", "NORM1", "AMAX")},
    "ResampleDescriptor": {
        "mode": ("MAXPOOL", "AVGPOOL", "AVGPOOL_INCLUDE_PADDING", "AVGPOOL_EXCLUDE_PADDING"),
        "nan_propagation": ("PROPAGATE_NAN", "NOT_PROPAGATE_NAN", None),
    },
    "OperationNormForwardDescriptor": {
        "mode": ("LAYER_NORM", "RMS_NORM", "INSTANCE_NORM", "BATCH_NORM"),
        "phase": ("INFERENCE", "TRAINING"),
    },
    "OperationNormBackwardDescriptor": {"mode": ("LAYER_NORM", "RMS_NORM", "INSTANCE_NORM")},
}

#: Attributes of operations that may be missing.
MISSING = {"bdesc", "tdesc", "xdesc", "dydesc", "idxdesc", "scale_desc", "bias_desc"}


@contextmanager
def mutated(graph: Any, others: Sequence[Any], chance: random.Random) -> Iterator[list[str]]:
    """Change some attributes of an operation graph while a block runs; others give operations."""
    before: list[tuple[Any, type, dict[str, Any]]] = []
    told: list[str] = []
    for _ in range(chance.choice((1, 1, 2, 3, 5))):
        operations = graph._values["ops"]
        own = [each._values for each in operations]
        parts = {id(v): v for each in own for v in each.values() if hasattr(v, "_values")}
        tensors = [each for each in parts.values() if isinstance(each, TensorDescriptor)]
        one = chance.choice([*parts.values(), *tensors * 2, *operations])
        if chance.random() < 0.1:
            one = graph
        before.append((one, type(one), dict(one._values)))
        if one is graph:
            one._values["ops"] = _other_operations(operations, others, chance)
        elif chance.random() < 0.05:
            one.__class__ = _derived(type(one))
        else:
            _change(one, one._values, chance)
        told.append(f"{type(one)} {one._values}")
    for one, _, _ in before:  # words are names here, which cuDNN was not told
        words = {name: each for name, each in one._values.items() if isinstance(each, str)}
        facts._names.update({(type(one), *word): word[1] for word in words.items()})
    try:
        yield told
    finally:
        for one, cls, values in reversed(before):
            one.__class__ = cls
            one._values.clear()
            one._values.update(values)


@cache
def _derived(cls: type) -> type:
    """Return a class as users may derive it."""
    return type("Derived", (cls,), {"__slots__": ()})


def _other_operations(
    operations: tuple[Any, ...], others: Sequence[Any], chance: random.Random
) -> tuple[Any, ...]:
    found = list(operations)
    chance.shuffle(found)
    if chance.random() < 0.7:  # one more, which may be there twice
        added = chance.choice((operations, chance.choice(others)._values["ops"]))
        found.insert(chance.randrange(len(found) + 1), chance.choice(added))
    return tuple(found)


def _change(descriptor: object, values: dict[str, Any], chance: random.Random) -> None:
    """Change an attribute of a descriptor."""
    words = WORDS.get(type(descriptor).__name__, {})
    places = {"dimensions": EXTENTS, "strides": STEPS, "pre_paddings": (0, 1, 2)}
    lists = [each for each in (*places, "post_paddings") if each in values]
    name = chance.choice([*words, *lists * 2, *(MISSING & values.keys()), "nothing"])
    if name in lists:
        numbers = list(values[name])
        numbers[chance.randrange(len(numbers))] = chance.choice(places.get(name, (0, 1, 2)))
        values[name] = tuple(numbers)
        if name == "dimensions" and chance.random() < 0.4:  # packed, with channels first or last
            values["strides"] = _packed(numbers, is_last=chance.random() < 0.5)
    elif name in MISSING or (new := chance.choice(words.get(name, (None,)))) is None:
        values.pop(name, None)
    else:
        values[name] = new


def _packed(shape: Sequence[int], *, is_last: bool) -> tuple[int, ...]:
    order = [0, *range(2, len(shape)), 1] if is_last and len(shape) > 2 else range(len(shape))
    strides, step = [0] * len(shape), 1
    for axis in reversed(order):
        strides[axis] = step
        step *= shape[axis]
    return tuple(strides)
