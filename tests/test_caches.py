"""The tables here name every cache of the package, and nothing else."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
OVERLAY = ROOT / "overlay" / "cudnn_cffi"


class Memory(NamedTuple):
    """The key of a memory of calls, its keeper, and the end of an entry."""

    key: str
    kept_by: str
    ends: str


#: Makes a container that a program fills.
CONTAINERS = frozenset(
    {"OrderedDict", "Recent", "WeakKeyDictionary", "WeakValueDictionary"}
    | {"defaultdict", "deque", "dict", "set"}
)

#: Memories of calls, by their place in the package. "Last N": a new entry takes the place of the oldest (`_support/recent.py`).
MEMORIES = {
    "class and slot of the last object of each parameter (`native/function.c`)": Memory(
        "class", "function", "another class"
    ),
    "getters of addresses (`arrays/addresses.py: getters, _anywhere`; compiled: `_call/arguments/addresses.py: ways`)": Memory(
        "class", "process", "never"
    ),
    "types of plain arguments (`_call/arguments/convert.py: _plain`; without a compiler `_call/quick.py: known`)": Memory(
        "function, types", "process, last 256 of each", "never"
    ),
    "enum class whose members are numbers (`_call/arguments/scalars.py: latest_class`)": Memory(
        "name of the enum", "process", "another release's class"
    ),
    "descriptors' own calls: layouts and algorithms (`descriptors/_core/operands.py: kept`)": Memory(
        "types, shapes, strides, settings; device, workspace limit", "process, last 4096", "never"
    ),
    "libraries of arrays (`handles/ordering.py: _libraries`)": Memory(
        "class", "process, last 256", "never"
    ),
    "types of arrays (`native/arrays.c`, by `plan/run/reading.py: _learnt`)": Memory(
        "class", "process", "never"
    ),
    "makers of outputs (`plan/run/launcher.py: _taught`)": Memory(
        "class, device", "plan", "with it"
    ),
    "variant packs (`native/packs.c`)": Memory(
        "addresses, workspace", "plan, last 16", "plan closed"
    ),
    "calls that come again (`native/calls.c`)": Memory(
        "handle, addresses, workspace",
        "plan, last 16; one list of graphs (`native/replay.c`)",
        "handle ended, fork, room for others",
    ),
    "keys of variant packs (`native/launcher.c`)": Memory(
        "keys, handle, thread", "front end's plan, last one", "another call"
    ),
    "plans and refusals (`choice/store/plan_cache.py: plans`)": Memory(
        "`choice/store/keys.py`: signature, device, options, names",
        "process, 1000 or 4 GiB",
        "handle closed, errata, `choice.forget`, choices loaded",
    ),
    "plans that policies share (`choice/store/plan_cache.py: _alive`)": Memory(
        "signature, device, names, engine, knobs", "with the plan", "as plans"
    ),
    "kernels of changing shapes (`choice/store/plan_cache.py: kernels`)": Memory(
        "graph without extents, device, options", "process, last 256 kinds", "as plans"
    ),
    "blocks of random numbers to time with (`choice/tune/samples.py: _blocks`)": Memory(
        "data type, state of the generator", "process, last 6", "never"
    ),
    "plans being compiled, and that failed (`choice/store/background.py: _running`, `_failed`)": Memory(
        "signature, device, filters", "process; last 256 failures", "never"
    ),
    "what is timed later, or was (`choice/tune/later.py: _tasks`, `_asked`)": Memory(
        "arrays, options, tries, device; generation of plans", "process, last 100,000", "errata"
    ),
    "saved plans and kernels (`_kept/store.py`)": Memory(
        "signature, that of the lowered graph, options; folder by release, CUDA, device; of kernels source, options, compiler",
        "user",
        "another digest or schema, errata, refusal",
    ),
    "databases of engines (`choice/database/table.py: _known`; added files: `_loaded`)": Memory(
        "device, release", "process", "`database.unload`"
    ),
    "choices (`choice/store/choices.py: _book`; adopted keys: `_adopted`)": Memory(
        "operation, arrays, options, device, release",
        "process, last 100,000; files",
        "a better choice, `choice.forget`",
    ),
    "signatures and operands (`graph/finalize.py: seen`)": Memory(
        "graph, names", "process, last 2048", "errata"
    ),
    "operations of functions, also CuPy's (`_operation/sharing.py: _made`)": Memory(
        "class, options", "process, last 1024", "never"
    ),
    "ways (`_operation/operation.py: _ways`)": Memory(
        "arrays, factors, policies, generation of choices", "operation, last 1024", "`forget`"
    ),
    "first arrays of a kind (`_operation/operation.py: _first`)": Memory(
        "arrays without extents, factors", "operation, last 1024", "`forget`"
    ),
    "last way (`_operation/operation.py: _last`)": Memory(
        "optional arrays given", "operation, last 64", "another scope or default policy"
    ),
    'engine of "time_once", algorithms of recurrent networks (`_operation/operation.py: _picked`)': Memory(
        "rule; call, math, device, workspace limit", "operation, last 1024", "`forget`"
    ),
    "shortcuts (`native/shortcut.c`)": Memory(
        "arguments, shape of the first array",
        "function or operation",
        "another scope or default policy; plan sees another layout",
    ),
    "operations of a layer (`torch/autograd/layer.py: _by_switches, _now`)": Memory(
        "PyTorch's switches", "layer", "never"
    ),
    "layers of functions and operators (`torch/autograd/sharing.py: layers`, `torch/compiling/layers.py: kept`, `torch/interfaces/kernel.py: _layers, _operations`, `torch/interfaces/transformers.py: _layers`)": Memory(
        "options, choice; arguments", "process, last 1024", "never"
    ),
    "programs of a fused model (`torch/fusion/pipeline.py: _programs`, `_parts`; `torch/fusion/eight/narrowing.py: _decisions`) or compiled graph (`torch/compiling/inference.py: _bound`)": Memory(
        "shapes, layouts, stream, switches, policies; addresses of weights",
        "model, last `shapes`",
        "model, weights or settings change",
    ),
    "graphs of a model in training (`torch/fusion/training/model.py: _graphs, _pipelines`, `torch/fusion/training/norms.py: _known`, `torch/fusion/training/layer_norms.py: _known`) and captured steps (`torch/fusion/training/step.py: _known`)": Memory(
        "forms of calls, modes of modules; shapes, layouts",
        "model, last 4 modes, last `shapes` of each",
        "model, or the memory of the optimizer or of parameters changes",
    ),
    "CuPy's functions (`compat/_cupy/descriptors.py: kept`, `compat/_cupy/layers.py: _calls`, `compat/_cupy/recurrent.py: _lengths`)": Memory(
        "options, contents", "process or thread, last 64 to 1024", "never"
    ),
    "graphs of a function (`compat/frontend/functions.py: kept`)": Memory(
        "what `key_fn` returns", "function, last `maxsize`", "never"
    ),
}

#: Results that never change and are kept as long as the process lives; keys that callers make
#: are bounded (`lru_cache`).
NEVER_CHANGE = {
    "a name of cuDNN's: function, enum, release": (
        "_call/spec.py: read_spec",
        "_call/checking.py: _find_pairs",
        "_tables/active.py: _maps",
        "_tables/tables.py: _all, all_names",
        "versions.py: version_key",
        "graph/record/enum_words.py: _known",
    ),
    "a shape, layout or operand, bounded": (
        "graph/methods/linear.py: _convolution_options",
        "graph/record/enum_words.py: _layout_strides",
        "graph/rules/linear.py: _windows, _convolved",
        "graph/rules/results.py: packed, strides_like, broadcast_shapes",
        "plan/arrays/outputs.py: storage",
        "compat/_cupy/recurrent.py: _lengths_of",
        "torch/fusion/kernels/functions.py: _tables",
    ),
    "a word or a switch": (
        "_advice/words.py: records",
        "choice/policy.py: _of_word",
        "errata/judging.py: words",
        "errata/facts.py: _names, _sizes",
        "choice/policy_words.py: algorithm_names",
        "torch/autograd/switches.py: policy_of",
        "compat/_cupy/convolutions.py: _policy",
        "ops/attn/multi_head_weights.py: _orders",
    ),
    "a class": (
        "arrays/exchange.py: reader_of",
        "arrays/exchange.py: table_of",
        "errata/facts.py: _kinds",
        "plan/arrays/cupy_fields.py: find_fields",
        "plan/arrays/slot_offsets.py: find_offset",
        "plan/arrays/torch_bits.py: find_bits",
        "handles/devices.py: _switching_classes",
        "torch/autograd/recorder.py: _twins",
        "torch/fusion/pipeline.py: _with_elements",
    ),
    "a device": (
        "arrays/addresses.py: _jax_devices",
        "choice/device/properties.py: _shared",
        "choice/measured.py: holds",
        "choice/store/keys.py: _places",
        "driver/context.py: _primary",
        "kernels/common.py: module_of",
        "kernels/differing.py: _launch, can_compare",
        "kernels/launching.py: _may_overlap",
        "torch/fusion/kernels/compiled.py: _source_of",
        "torch/fusion/training/norms.py: _processors",
        "torch/interfaces/attention.py: _unread",
    ),
    "nothing": (
        "plan/run/arming.py: _members, _functions",
        "compat/_cupy/descriptors.py: cupy",
        "driver/graphs.py: _addresses",
        "driver/libcuda.py: _open",
        "jax/targets.py: _register",
        "kernels/compiling.py: _nvrtc, can_compile",
        "library/companions.py: require_cublas, provide_driver",
        "plan/arrays/cupy_fields.py: current_stream",
        "arrays/libraries.py: cupy_stream, has_core",
        "driver/keeping.py: _marks",
    ),
}

#: State rather than memories: an entry goes with its object.
STATE = {
    "open blocks, locks, hooks": (
        "_call/checking.py: _open",
        "_support/blocks.py: _watched",
        "_support/fork.py: _locks",
        "logs.py: _open",
    ),
    "handles and their streams": (
        "handles/handles.py: _live",
        "handles/pool.py: _beside",
        "handles/origins.py: by_address, idle",
        "driver/events.py: _watched",
        "driver/streams.py: _own",
        "driver/captures.py: _later",
        "driver/keeping.py: pools",
        "handles/ordering.py: _held",
    ),
    "searches that run now": ("choice/store/single_flight.py: _flights, _waiting",),
    "room for files": ("_kept/store.py: _room",),
    "engines that are open": ("network/loading.py: _opened",),
    "what was said already": (
        "_kept/store.py: _warned",
        "_tables/pinned.py: _early",
    ),
    "callbacks that cuDNN may call": ("_call/callbacks.py: _functions",),
    "plans that XLA may call": ("jax/targets.py: _offered",),
    "kernels in PyTorch's table": (
        "torch/interfaces/installing.py: _begun",
        "torch/interfaces/kernel.py: _kept",
    ),
    "registries that modules fill": (
        "errata/table.py: listeners",
        "compat/frontend/lower/nodes.py: _rules",
        "torch/autograd/operators.py: implementations, _policies",
        "torch/autograd/record.py: _records",
    ),
    "objects that users of C names hold as numbers": (
        "compat/_libcudnn/base.py: handles",
        "compat/_libcudnn/first.py: _convolutions",
        "compat/_cupy/recurrent.py: _captured, known_steps, known_data, _networks, _plans",
    ),
}


def caches(text: str) -> set[str]:
    """Return the names of a module's containers that begin empty, and of functions that keep results.

    Dictionaries that forget, by `Recent`, are found everywhere, other containers in the module.
    """
    tree = ast.parse(text)
    ours = {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        and any(ast.unparse(base).partition("[")[0] in CONTAINERS for base in node.bases)
    }
    found = set(_assigned(tree.body, CONTAINERS | ours))
    found |= set(_assigned(ast.walk(tree), {"Recent"}))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and any(map(_keeps, node.decorator_list)):
            found.add(node.name)
    return {name for name in found if not name.isupper()}


def _assigned(
    nodes: Iterator[ast.AST] | list[ast.stmt], makers: set[str] | frozenset[str]
) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Assign | ast.AnnAssign) and _is_empty(node.value, makers):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (_name(target) for target in targets)


def _name(target: ast.expr) -> str:
    """Return the name of an attribute, also of one that is set as `__dict__["name"]`."""
    if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Constant):
        return str(target.slice.value)
    return ast.unparse(target).rpartition(".")[2]


def _is_empty(value: ast.expr | None, makers: set[str] | frozenset[str]) -> bool:
    if isinstance(value, ast.Dict):
        return not value.keys and "dict" in makers
    return isinstance(value, ast.Call) and ast.unparse(value.func).rpartition(".")[2] in makers


def _keeps(decorator: ast.expr) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return ast.unparse(called).rpartition(".")[2] in ("cache", "lru_cache")


def named() -> list[str]:
    """Return what the tables name, as "path: name"."""
    lists = [each for kept in (NEVER_CHANGE, STATE) for names in kept.values() for each in names]
    path = ""
    found = []
    for words in (*re.findall(r"`([^`]+)`", " ".join(MEMORIES)), *lists):
        before, colon, names = words.rpartition(": ")
        if colon:
            path = before
            found += [f"{path}: {name}" for name in names.split(", ")]
        elif re.fullmatch(r"_\w+", words) and path.endswith(".py"):
            found.append(f"{path}: {words}")
    return found


def test_the_tables_name_every_cache() -> None:
    there = {
        f"{path.relative_to(OVERLAY).as_posix()}: {name}"
        for path in OVERLAY.rglob("*.py")
        if path.relative_to(OVERLAY).parts[0] != "api"
        for name in caches(path.read_text(encoding="utf-8"))
    }
    assert there - set(named()) == set(), "give them a place in a table here"
    lost = [
        each
        for each in named()
        if each not in there
        and not re.search(
            rf"\b{each.partition(': ')[2]}\b", (OVERLAY / each.partition(":")[0]).read_text("utf-8")
        )
    ]
    assert lost == [], "these are gone"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("_known = {}", {"_known"}),
        ("_known: dict[str, int] = {}", {"_known"}),
        ("_KNOWN = {}\n_known = {1: 2}", set()),
        ("class A(dict[str, int]): ...\n_known = A()", {"_known"}),
        ("@functools.lru_cache(3)\ndef known(): ...", {"known"}),
        ("class A:\n    @cache\n    def known(self): ...", {"known"}),
        ("def f(self):\n    self._known = Recent(3)\n    other = {}", {"_known"}),
    ],
)
def test_caches_are_found(text: str, names: set[str]) -> None:
    assert caches(text) == names
