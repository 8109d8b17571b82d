"""Decode records of classes that are new, from eight threads at once, many times."""

from __future__ import annotations

import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import msgspec
from cudnn_cffi._support.decoding import decoded

THREADS = 8
DATA = b'{"parts":[{"leaves":[{"x":1}]}],"leaf":{"x":2}}'


def new_class() -> type[msgspec.Struct]:
    class Leaf(msgspec.Struct):
        x: int

    class Part(msgspec.Struct):
        leaves: tuple[Leaf, ...]

    class Whole(msgspec.Struct):
        parts: tuple[Part, ...]
        leaf: Leaf

    globals().update(Leaf=Leaf, Part=Part)  # where msgspec looks annotations up
    return Whole


def decode(gate: threading.Barrier, kind: type[msgspec.Struct]) -> msgspec.Struct:
    gate.wait()
    return decoded(DATA, kind)


def main() -> None:
    sys.setswitchinterval(1e-6)
    right = 0
    for _ in range(100):
        kind = new_class()
        with ThreadPoolExecutor(THREADS) as pool:
            found = pool.map(decode, [threading.Barrier(THREADS)] * THREADS, [kind] * THREADS)
            right += sum(msgspec.json.encode(each) == DATA for each in found)
    print(right)


main()
