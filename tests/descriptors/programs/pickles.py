"""Pickle every descriptor of test_descriptors.py, or restore such pickles: dump|load FILE...."""

import pickle
import sys
from importlib import import_module
from pathlib import Path

import cudnn_cffi as cudnn

sys.path.insert(0, str(Path(__file__).parents[3]))

MADE = import_module("tests.descriptors.test_descriptors").MADE

_, action, *paths = sys.argv
for path in map(Path, paths):
    if action == "dump":
        path.write_bytes(pickle.dumps([(text, pickle.dumps(make(cudnn))) for make, text in MADE]))
        continue
    pickles = pickle.loads(path.read_bytes())
    assert len(pickles) == len(MADE), f"{len(pickles)} descriptors in {path}"
    for (text, one), (make, _) in zip(pickles, MADE, strict=True):
        restored = pickle.loads(one)
        assert repr(restored) == text, (path, text, repr(restored))
        assert restored == make(cudnn), (path, text)
    print("restored", cudnn.cudnnGetVersion())
