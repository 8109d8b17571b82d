"""Load damaged pickles; run in a child by test_pickles, with an upper bound of memory.

usage: python pickles.py SEED COUNT

Pickle's own opcodes can ask for any amount of memory, which ends in a MemoryError at the bound; what
this package asks for must be within it. Prints a line of JSON: outcomes by their kind, and whatever
is wrong.
"""

from __future__ import annotations

import collections
import json
import pickle
import random
import resource
import sys
import traceback
import warnings
from pathlib import Path

import numpy as np
from cudnn_cffi import choice, errors, graph, ops

#: More than the child has, for what a pickle makes.
ROOM = 1 << 30


def made() -> list[object]:
    """Return one of each kind of objects that are pickled, of those that need no library."""
    g = graph.Graph(io_data_type="HALF")
    x, w = g.tensor((2, 8, 6, 6), name="x"), g.tensor((4, 8, 3, 3), name="w")
    g.output(g.relu(g.convolution(x, w, padding=1)))
    return [
        *(ops.Convolution(padding=1), ops.Pooling(window=2), ops.Softmax(), ops.LayerNorm()),
        *(
            ops.Spec.like((2, 3), "float32"),
            choice.Policy.of("time"),
            errors.ArgumentError("x", hint="y"),
        ),
        *(choice.DeviceProperties("H200"), g),
    ]


def damaged(data: bytes, draw: random.Random) -> bytes:
    """Return a pickle with a few bytes changed, cut out or put in, or its end cut off."""
    found = bytearray(data)
    for _ in range(draw.choice([1, 1, 1, 2, 4])):
        if not found:
            break
        at = draw.randrange(len(found))
        what = draw.random()
        if what < 0.6:
            found[at] = draw.randrange(256)
        elif what < 0.75:
            del found[at : at + draw.randrange(1, 5)]
        elif what < 0.9:
            found[at:at] = draw.randbytes(draw.randrange(1, 5))
        else:
            del found[at + 1 :]
    return bytes(found)


def main() -> None:
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    draw = random.Random(seed)
    wholes = [pickle.dumps(each, protocol) for each in made() for protocol in (2, 4, 5)]
    for whole in wholes:
        repr(pickle.loads(whole))
    np.zeros(3)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + ROOM, used + ROOM))
    warnings.simplefilter("ignore")
    outcomes: collections.Counter[str] = collections.Counter()
    wrong = []
    for turn in range(count):
        data = damaged(draw.choice(wholes), draw)
        try:
            loaded = pickle.loads(data)
        except MemoryError as error:
            own = [
                f for f in traceback.extract_tb(error.__traceback__) if "cudnn_cffi" in f.filename
            ]
            outcomes["memory"] += 1
            if own:
                wrong.append(f"{turn}: {own[-1].filename}:{own[-1].lineno} asked for the memory")
            continue
        except Exception as error:
            outcomes[type(error).__name__] += 1
            continue
        outcomes["loaded"] += 1
        try:
            repr(loaded)
        except Exception as error:
            wrong.append(f"{turn}: repr of {type(loaded)}: {type(error).__name__}: {error}")
    print(json.dumps({"outcomes": outcomes, "wrong": wrong}))


main()
