"""Files of saved plans are damaged at random: each time the plan is the same, or made anew."""

import os
import random
import sys
import warnings
from pathlib import Path

import cudnn_cffi as cudnn
from cudnn_cffi._kept import store
from cudnn_cffi.choice import build, plans

from tests.choice.computations import convolution

folder, seed, turns = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
os.environ["CUDNN_CFFI_PLAN_CACHE"] = str(folder)
chance = random.Random(seed)
H200 = cudnn.DeviceProperties("H200")
computations = [convolution(device=H200, c=c) for c in (32, 64, 128)]
expected = [build(each).engine for each in computations]


def flip(path, data):
    place = chance.randrange(len(data))
    path.write_bytes(
        data[:place] + bytes([data[place] ^ 1 << chance.randrange(8)]) + data[place + 1 :]
    )


def cut(path, data):
    path.write_bytes(data[: chance.randrange(len(data))])


def replace(path, _):
    path.write_bytes(chance.randbytes(chance.randrange(2000)))


def swap(path, _):
    path.write_bytes(chance.choice(files()).read_bytes())


def make_folder(path, _):
    path.unlink()
    path.mkdir()


def remove(path, _):
    path.unlink()


def files():
    return sorted(each for each in folder.rglob("*.json") if each.is_file())


for _ in range(turns):
    for path in files():
        chance.choice((flip, flip, cut, replace, swap, remove, make_folder))(
            path, path.read_bytes()
        )
    plans.clear()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", RuntimeWarning)
        found = [build(each).engine for each in computations]
    assert found == expected, (found, expected)
    for path in folder.rglob("*.json"):
        if path.is_dir():
            path.rmdir()
    if chance.random() < 0.2:
        store.clear()
print("done")
