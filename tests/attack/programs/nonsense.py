"""Call public functions with arguments of wrong kinds: a result, an error of the package's, or what
Python says of a wrong type; never an error of something inside.

usage: python nonsense.py SEED CALLS

Prints a line of JSON: how many calls returned or were refused, and what else was raised.
"""

from __future__ import annotations

import collections
import inspect
import json
import os
import random
import sys
import tempfile
import traceback
import warnings
from typing import Any

import cudnn_cffi as cudnn
import numpy as np
from cudnn_cffi import choice, errors, graph, handles, ops

ODD: list[Any] = [
    *(None, -1, 0, 1, 1.5, 2**70, "", "x", "\ud800", b"x", (), (1, 2), [], {}, {"a": 1}, True),
    *(float("nan"), 1j, object(), object, int, set(), np.zeros(3, np.float32), np.float32(1)),
    *(ops.Spec.like((2, 3, 4, 4), "float32"), ops.Spec, cudnn.TensorDescriptor, lambda: 0),
]
#: Marks tensors inside a computation, and those that no argument of a call can be.
WRONG = (AttributeError, LookupError, AssertionError, RecursionError, SystemError, RuntimeError)
#: Python's own words, for paths and numbers that are none.
ALLOWED = (errors.CudnnError, TypeError, ValueError, OverflowError, OSError)


def fresh_graph() -> tuple[Any, Any]:
    made = graph.Graph(io_data_type="FLOAT")
    return made, made.tensor((2, 3, 4, 4))


def functions() -> list[tuple[str, Any]]:
    """Return callables by their names; methods of a graph get a fresh one in each call."""
    found: list[tuple[str, Any]] = [
        *(("cudnn.check", cudnn.check), ("handles.limit_of", handles.pool.limit_of)),
        ("alibi_slopes", graph.alibi_slopes),
    ]
    rooms: list[tuple[Any, tuple[str, ...]]] = [(choice, ("forget",)), (ops, ("Unfit",))]
    for room, left_out in rooms:
        for name in dir(room):
            each = getattr(room, name)
            if callable(each) and not name.startswith("_") and name not in left_out:
                found.append((f"{room.__name__}.{name}", each))
    for name in dir(graph.Graph):
        if name.startswith(("_", "add_")) and name != "add_square":
            continue  # of this package's own use
        if callable(getattr(graph.Graph, name)):
            found.append((f"Graph.{name}", name))
    return found


def main() -> None:
    draw = random.Random(int(sys.argv[1]))
    os.chdir(tempfile.mkdtemp())  # some arguments are paths
    warnings.simplefilter("ignore")
    known = functions()
    outcomes: collections.Counter[str] = collections.Counter()
    wrong: dict[str, str] = {}
    for _ in range(int(sys.argv[2])):
        name, function = draw.choice(known)
        fixed: list[Any] = []
        if isinstance(function, str):
            made, tensor = fresh_graph()
            function = getattr(made, function)
            fixed = [tensor] * draw.choice([0, 0, 1, 2])
        else:
            fixed = [np.ones((2, 3, 4, 4), np.float32)] * draw.choice([0, 0, 1])
        named = {}
        if draw.random() < 0.4:
            try:
                parameters = inspect.signature(function).parameters.values()
            except (TypeError, ValueError):
                continue
            words = [each.name for each in parameters if each.kind is each.KEYWORD_ONLY]
            named = {each: draw.choice(ODD) for each in words if draw.random() < 0.3}
        given = [*fixed, *draw.choices(ODD, k=draw.choice([0, 1, 1, 2]))]
        try:
            function(*given, **named)
            outcomes["returned"] += 1
        except ALLOWED:
            outcomes["refused"] += 1
        except WRONG as error:
            outcomes["wrong"] += 1
            last = traceback.extract_tb(error.__traceback__)[-1]
            place = f"{name} at {last.filename}:{last.lineno}"
            wrong.setdefault(place, f"{error!r} of {given} {named}"[:300])
    print(json.dumps({"outcomes": outcomes, "wrong": wrong}))


main()
