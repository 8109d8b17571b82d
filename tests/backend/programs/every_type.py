"""Build every type that the release has, read all of it back, and print what happened as JSON."""

import gc
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

from cudnn_cffi import backend, errors

from tests.backend.replay import CLASSES, Replay, preload

preload(sys.argv[1:])
#: cuDNN aborts where these are made and there is no cuBLAS.
WANT_CUBLAS = ("EngineHeurDescriptor", "EngineCfgDescriptor", "ExecutionPlanDescriptor")
has_cublas = any("cublasLt" in name for name in sys.argv[1:])
replay = Replay()
finalized, refused, graphs, wrong = [], {}, [], []
for c_name, cls in CLASSES.items():
    if not cls.available():
        refused[cls.__name__] = "absent"
        continue
    if cls.__name__ in WANT_CUBLAS and not has_cublas:
        refused[cls.__name__] = "no cuBLAS"
        continue
    try:
        replay.build(c_name)
        finalized.append(cls.__name__)
    except LookupError:
        try:
            cls()
        except errors.CudnnError as error:
            refused[cls.__name__] = error.hint
    except errors.CudnnError as error:
        refused[cls.__name__] = str(error)
for made in replay.made.values():
    if isinstance(made, backend.OperationDescriptor):
        try:
            backend.OperationGraphDescriptor(ops=[made]).close()
            graphs.append(type(made).__name__)
        except errors.CudnnError as error:
            refused[f"graph of {type(made).__name__}"] = str(error)

read = told = 0
for made in replay.made.values():
    for attribute in type(made).attributes():
        if attribute.unread_default and made._values.get(attribute.name) != attribute.default:
            wrong.append(f"{type(made).__name__}.{attribute.name} was left to a default")
        try:
            value = getattr(made, attribute.name)
        except errors.CudnnError:
            if attribute.name in made._values:
                wrong.append(f"{made}.{attribute.name} cannot be read")
            continue
        read += 1
        if attribute.name not in made._values:
            continue
        told += attribute.readable is True
        given = made._values[attribute.name]
        if attribute.enum and isinstance(given, str):
            value = type(value)(value)
            same = given.endswith(value.name)
        elif "FLOAT" in attribute.types:
            same = abs(value - given) < 1e-6
        elif "CHAR" in attribute.types:
            same = set(json.loads(given)) <= set(json.loads(value))
        else:
            same = value == given
        if not same:
            wrong.append(
                f"{type(made).__name__}.{attribute.name}: {given!r} was set, {value!r} read"
            )

repr(list(replay.made.values()))
replay.made.clear()
made = value = given = None
gc.collect()
left = [type(each).__name__ for each in gc.get_objects() if isinstance(each, backend.Descriptor)]
print(
    json.dumps(
        {
            "finalized": finalized,
            "refused": refused,
            "graphs": graphs,
            "wrong": wrong,
            "read": read,
            "told": told,
            "left": left,
        }
    )
)
