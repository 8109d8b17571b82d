"""The table of docs/design.md and the lists here name every cache of the package, and nothing else."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
OVERLAY = ROOT / "overlay" / "cudnn_cffi"

#: Makes a container that a program fills.
CONTAINERS = frozenset(
    {"OrderedDict", "Recent", "WeakKeyDictionary", "WeakValueDictionary"}
    | {"defaultdict", "deque", "dict", "set"}
)

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
    ),
    "a word or a switch": (
        "_advice/words.py: records",
        "choice/policy.py: _of_word",
        "errata/facts.py: _names, _sizes",
        "choice/policy_words.py: algorithm_names",
        "torch/autograd/switches.py: policy_of",
        "compat/_cupy/convolutions.py: _policy",
        "ops/attn/multi_head_weights.py: _orders",
    ),
    "a class": (
        "arrays/exchange.py: reader_of",
        "errata/facts.py: _kinds",
        "plan/arrays/cupy_fields.py: find_fields",
        "plan/arrays/slot_offsets.py: find_offset",
        "plan/arrays/torch_bits.py: find_bits",
        "handles/devices.py: _switching_classes",
    ),
    "a device": (
        "arrays/addresses.py: _jax_devices",
        "choice/device/properties.py: _shared",
        "choice/measured.py: holds",
        "choice/store/keys.py: _places",
        "driver/context.py: _primary",
        "torch/fusion/kernel.py: function",
        "torch/interfaces/attention.py: _unread",
    ),
    "nothing": (
        "compat/_cupy/descriptors.py: cupy",
        "driver/graphs.py: _addresses",
        "driver/libcuda.py: _open",
        "jax/targets.py: _register",
        "library/companions.py: require_cublas, provide_driver",
        "plan/arrays/cupy_fields.py: current_stream",
        "plan/arrays/libraries.py: cupy_stream, has_core",
        "plan/capture.py: _marks",
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
        "handles/origins.py: by_address, idle",
        "driver/events.py: _watched",
        "driver/captures.py: _later",
        "plan/arrays/immutable.py: _held",
    ),
    "searches that run now": ("choice/store/single_flight.py: _flights, _waiting",),
    "what was said already": (
        "choice/warn_once.py: _warned",
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
            yield from (ast.unparse(target).rpartition(".")[2] for target in targets)


def _is_empty(value: ast.expr | None, makers: set[str] | frozenset[str]) -> bool:
    if isinstance(value, ast.Dict):
        return not value.keys and "dict" in makers
    return isinstance(value, ast.Call) and ast.unparse(value.func).rpartition(".")[2] in makers


def _keeps(decorator: ast.expr) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return ast.unparse(called).rpartition(".")[2] in ("cache", "lru_cache")


def named() -> list[str]:
    """Return what the table and the lists name, as "path: name"."""
    text = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
    section = text.partition("\n## Caches\n")[2].partition("\n## ")[0]
    lists = [each for kept in (NEVER_CHANGE, STATE) for names in kept.values() for each in names]
    path = ""
    found = []
    for words in (*re.findall(r"`([^`]+)`", section), *lists):
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
    assert there - set(named()) == set(), (
        "give them a row in docs/design.md, or a place in a list here"
    )
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
