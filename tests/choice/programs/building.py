"""Plans for an H200, built, remembered in memory and on disk, and refused with all reasons."""

import copy
import gc
import os
import pickle
import sys
import threading
import warnings
from pathlib import Path
from typing import Any

import cudnn_cffi as cudnn
from cudnn_cffi._kept import store
from cudnn_cffi.choice import build, candidates, forget, no_cache, plans
from cudnn_cffi.choice import candidates as all_candidates
from cudnn_cffi.choice.store import disk

from tests.choice.computations import convolution

os.environ["CUDNN_CFFI_PLAN_CACHE"] = sys.argv[1]
warnings.simplefilter("error")
folder = Path(sys.argv[1])
H200 = cudnn.DeviceProperties("H200")
conv = convolution(device=H200)


def files():
    return sorted(folder.rglob("*.json"))


# The first candidate that builds, and then the same plan again, in microseconds.
plan = build(conv)
assert plan.engine == candidates(conv, ["A"])[0].engine
assert plan.knobs == candidates(conv, ["A"])[0].knobs
assert build(conv) is plan
for _ in range(1000):
    build(conv)
info = plans.info()
assert (info.entries, info.refusals, info.misses) == (1, 0, 1), info
assert info.hits == 1001 and info.size >= plan.workspace_size

# Restrictions by NVIDIA's variable hold in the processes that have it.
from cudnn_cffi.choice.filters import MODES
from cudnn_cffi.choice.store import keys

key = keys.to_key(conv, MODES, None, None, None, {})
assert key is not None and disk.load(key.place, key._on_disk(conv)) is not None
os.environ["NVIDIA_TF32_OVERRIDE"] = "0"
assert disk.load(key.place, key._on_disk(conv)) is None
assert key._blank().settings == {"NVIDIA_TF32_OVERRIDE": "0"}
del os.environ["NVIDIA_TF32_OVERRIDE"]
assert key._blank().settings == {}

# A copy of a computation is the same one, and none can be pickled; cuDNN reads no address but a handle's.
graph = cudnn.Graph()
graph.output(graph.relu(graph.tensor((2, 64, 8, 8), "float16")))
for one in (conv, graph.computation(device=H200)):
    assert copy.copy(one) is copy.deepcopy(one) is one
    for refused, words in (
        (lambda: pickle.dumps(one), "cannot be pickled"),  # noqa: B023
        (lambda: cudnn.DeviceProperties.from_handle(7), "expected a Handle, got an int"),
    ):
        try:
            refused()
        except TypeError as error:
            assert words in str(error), error
        else:
            raise AssertionError(words)

# An equal computation, made anew: the same plan. Other names or options: another.
assert build(convolution(device=cudnn.DeviceProperties("H200"))) is plan
named = build(convolution(device=H200, names="abc"))
assert [each.name for each in named.operands] == ["a", "b", "c"]
exact = build(conv, tensor_cores=False)
assert exact is not plan and "TENSOR_CORE" not in exact.notes
assert build(conv, tensor_cores=False) is exact
assert build(conv) is plan

# Forced, chosen, and not remembered.
other = all_candidates(conv)[3]
assert build(conv, other).knobs == other.knobs
assert build(conv, lambda found: found[3]).knobs == other.knobs
assert build(conv, engine=other.engine, knobs=other.knobs).knobs == other.knobs
assert build(conv) is plan
for wrong in ("best", lambda _: [3]):
    try:
        build(conv, wrong)
    except cudnn.ArgumentError as error:
        assert "choose" in str(error)
    else:
        raise AssertionError

# Closing a plan closes it for nobody else.
with build(conv) as shared:
    assert shared is plan
build(conv).close()
assert build(conv) is plan and not plan.closed

# Policies that choose the same engine share its plan.
entries = plans.info().entries
assert build(conv, workspace_limit=1 << 40) is build(conv, exclude=(9999,)) is plan
assert plans.info().entries == entries + 2
# They share none of graphs whose plans lead to others of the same policy.
several = cudnn.Graph(io_data_type="HALF", dynamic_shapes=True)
several.output(several.relu(several.tensor((2, 64, 8, 8))))
for one, is_shared in ((conv, True), (several._computation(None, H200), False)):
    own = keys.to_key(one, MODES, None, None, None, {})
    assert own is not None and (own._exact(one, 1, {}) is not None) is is_shared

# On disk: one file for each, found by a cache that knows nothing, without heuristics.
assert len(files()) == 5, files()
forget()
asked: list[str] = []
import cudnn_cffi.choice.engine.engines as engines

ask = engines.Engines.ask


def noting(self, mode, most=None):
    asked.append(mode)
    return ask(self, mode, most)


engines.Engines.ask = noting
again = build(conv)
assert again.knobs == plan.knobs and not asked
assert plans.info().entries == 1

# Off while a block runs.
with no_cache():
    assert build(conv) is not again
assert asked and build(conv) is again

# Damaged files cause a warning, and are written anew.
for damage in (b"", b"nonsense", files()[0].read_bytes()[:-10]):
    for path in files():
        path.write_bytes(damage)
    forget()
    store._warned.clear()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert build(conv).knobs == plan.knobs
    assert len(caught) == 1 and "damaged" in str(caught[0].message), caught
    forget()
    build(conv)  # no warning now: it was written again

# A file that is whole, with a plan that cuDNN does not take: the choice still serves.
key = "convolution HALF 64\n"
place = f"{H200.name}-{H200.fingerprint}"
saved = disk.load(place, key)
assert saved is not None
assert saved.engine == plan.engine and saved.uids == (1, 2, 3) and saved.plan.startswith("{")
disk.save(place, key, saved._replace(plan='{"payload": "none"}'))
forget()
asked.clear()
assert build(conv).knobs == plan.knobs and not asked
disk.save(place, key, saved._replace(plan="", engine=9999))
forget()
assert build(conv).knobs == plan.knobs and asked

# Refused by all: one error with all reasons, which is remembered too.
wrong = convolution("DOUBLE", device=H200)
texts = []
for again in ("first", "memory", "disk"):
    asked.clear()
    if again == "disk":
        forget()
    try:
        # Engines that are compiled may be refused for want of a compiler, which is not remembered.
        build(wrong, runtime_compilation=False)
    except cudnn.NoPlanError as error:
        assert isinstance(error, cudnn.NotSupportedError)
        assert "NVIDIA H200" in str(error) and "y = convolution(x, w)" in str(error)
        assert len(error.refusals) > 50
        assert {each.status for each in error.refusals} >= {"CUDNN_STATUS_NOT_SUPPORTED"}
        texts.append(str(error))
    else:
        raise AssertionError
    assert bool(asked) == (again == "first"), again
assert len(set(texts)) == 1
assert texts[0].count("\n") < 60, texts[0]  # grouped
assert plans.info().refusals == 1
assert not candidates(wrong)

# Nothing is left to the garbage collector: what it frees during a capture would break that.
gc.collect()
gc.set_debug(gc.DEBUG_SAVEALL)
with no_cache():
    build(conv)
    try:
        build(wrong)
    except cudnn.NoPlanError:
        pass
gc.collect()
gc.set_debug(0)
left = [each for each in gc.garbage if isinstance(each, (cudnn.Plan, cudnn.BackendDescriptor))]
assert not left, left[:5]
gc.garbage.clear()

# Threads share a cache.
forget()
got: list[Any] = []
threads = [
    threading.Thread(target=lambda i=i: got.extend(build(conv) for _ in range(50 + i)))
    for i in range(4)
]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert len(got) == 206 and len({each.engine for each in got}) == 1
assert build(conv) in got

# A forked child begins with nothing: what the parent holds is not for it.
if hasattr(os, "fork"):
    assert plans.info().entries
    child = os.fork()
    if not child:
        fine = plans.info().entries == 0 and build(conv).engine == plan.engine
        os._exit(0 if fine else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert build(conv) in got

# Bounded: the one that was used longest ago goes first.
forget()
plans.max_entries = 2
a, b, c = (convolution(device=H200, c=each) for each in (64, 128, 256))
first = build(a)
build(b)
assert build(a) is first
build(c)
assert build(a) is first and plans.info().entries == 2
plans.max_entries = 0
assert build(b) is not build(b)
plans.max_entries, plans.max_size = 1000, 1
forget()
assert build(a) is not build(a)
plans.max_size = 1 << 40

# Off and elsewhere by the environment.
os.environ["CUDNN_CFFI_PLAN_CACHE"] = "0"
assert store.folder() is None
forget()
before = {path: path.stat().st_mtime_ns for path in files()}
build(convolution(device=H200, c=32))
assert before == {path: path.stat().st_mtime_ns for path in files()}
store.clear()
assert files()  # nothing is cleared where it is off
os.environ["CUDNN_CFFI_PLAN_CACHE"] = sys.argv[1]
assert store.size() > 0
store.clear()
assert not files() and store.size() == 0
print("done")
