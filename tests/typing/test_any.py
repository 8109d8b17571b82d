"""The signatures of public names say Any only where nothing more is known, each for a reason."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from . import public_names

CUPY = "CuPy has no types: a checker could not compare its arrays with any of ours"
OPTIONS = "the options of an object decide whether it returns one array or several"
PYTORCH = "as in torch.nn.Module, whose models take and return anything"
C = "an array or a union of C, which is an object of ctypes"
NUMPY = "NumPy's dtype, which a word or another array decides at run time"
CORE = "an object of cuda.core, which is optional and has no types where it is not installed"

#: The places that are Any, as patterns without "cudnn_cffi.", and why no other type fits.
UNKNOWN = {
    "_operation.operation.Operation.__init__(options)": "each class has options of its own",
    "_operation.operation.Operation.options": "each class has options of its own",
    "_operation.operation.Operation.run(return)": "`__call__` of each class has the type",
    "*.for_function(*)": "the function has the types of what it passes on",
    "_operation.searched.Call.*": "the class and the options of any operation",
    "_explain.graphs.front.explain(options)": "it passes them to `Graph.build`, which names them",
    "backend.*Descriptor.*(return)": "addresses are arrays, ints or pointers, as they were set",
    "backend.OperationBlockScaleQuantizeDescriptor.denom_factor_mode(return)": (
        "no release tells the type of the attribute"
    ),
    "compat._cupy.fused.*": CUPY,
    "compat._cupy.layers.*": CUPY,
    "compat._cupy.networks.*(return)": CUPY,
    "compat._cupy.norms.*(return)": CUPY,
    "compat._cupy.raw.CuDNNAlgoPerf.of(perf)": "one of several records of C",
    "compat.frontend.tensors.GraphContext.*_data_type": (
        "it takes data types of any library, and has members of the enum"
    ),
    "compat.frontend.tensors.NodeType": "an enum whose members are made from a list of words",
    "compat.frontend.wrapper.Graph.__getattr__(return)": "a method of `pygraph`",
    "handles.handles.Handle.stream(return)": "the object that was set, of any library",
    "memory.allocation.Memory.__init__(resource)": CORE,
    "memory.allocation.Memory.buffer": CORE,
    "memory.allocation.core_stream(return)": CORE,
    "memory.device_array.DeviceArray.dtype(return)": NUMPY,
    "memory.device_array.DeviceArray.to_numpy(return)": NUMPY,
    "memory.pinned.pinned_empty(return)": NUMPY,
    "ops.attn.dot_product.Attention.__call__(return)": OPTIONS,
    "ops.attn.dot_product.Attention.backward(return)": OPTIONS,
    "ops.attn.dot_product.AttentionBackward.__call__(return)": OPTIONS,
    "ops.attn.decode.DecodeAttention.__call__(return)": OPTIONS,
    "ops.decode_attention(return)": OPTIONS,
    "ops.element.reduction.Reduction.__call__(return)": OPTIONS,
    "ops.norm.group.GroupNorm.__call__(return)": OPTIONS,
    "ops.norm.layer._Norm.__call__(return)": OPTIONS,
    "records.*": C,
    "torch.compiling.backend(*)": PYTORCH,
    "torch.fusion.trace.shadow.Wrapper.*": PYTORCH,
    "torch.fusion.fused.Fused.*": PYTORCH,
    "torch.fusion.training.model.FusedTraining.*": PYTORCH,
}


@pytest.fixture(scope="module")
def found() -> dict[str, str]:
    """Places that are Any, each with a public name."""
    return {place.removeprefix("cudnn_cffi."): name for place, name in public_names.anys().items()}


def test_no_other_signature_says_any(found: dict[str, str]) -> None:
    more = [
        f"{place}, by {name}"
        for place, name in found.items()
        if not any(fnmatchcase(place, pattern) for pattern in UNKNOWN)
    ]
    assert not more, "\n".join(sorted(more))


@pytest.mark.parametrize("pattern", UNKNOWN)
def test_each_entry_of_the_table_is_still_needed(pattern: str, found: dict[str, str]) -> None:
    assert any(fnmatchcase(place, pattern) for place in found)


def test_all_public_names_are_read() -> None:
    for module in public_names.MODULES:
        names = public_names.public_names(module)
        lost = [name for name in names if not public_names.definitions(name, module)]
        rooms = {
            "database",
            "errata",
            "errors",
            "functional",
            "graph",
            "modules",
            "ops",
            "types",
            "wrapper",
        }
        assert set(lost) <= rooms, (module, lost)
    assert len(public_names.public_names("cudnn_cffi")) > 1500
    assert len(public_names.public_names("cudnn_cffi.ops")) > 150


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("def f(x: int, y: Any = 0) -> list[Any]: ...", {"f(y)", "f(return)"}),
        ("Pack = dict[Any, int]\ndef f(x: Pack) -> None: ...", {"f(x)"}),
        ("class A:\n    x: Any\n    def m(self, _y: Any) -> None: ...", {"A.x"}),
        (
            "class _B:\n    def m(self) -> Any: ...\n    def n(self) -> Any: ...\n"
            "class A(_B):\n    def m(self) -> int: ...",
            {"_B.n(return)"},
        ),
        (
            "class A:\n    @overload\n    def m(self) -> int: ...\n    def m(self) -> Any: ...",
            set[str](),
        ),
        ("def f(**options: 'Any') -> None: ...", {"f(options)"}),
    ],
)
def test_any_is_found(
    text: str, places: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sample.py").write_text(text)
    monkeypatch.setattr(public_names, "HALVES", [tmp_path])
    monkeypatch.setattr(public_names, "MODULES", ("cudnn_cffi.sample",))
    public_names.names_of.cache_clear()
    try:
        found = public_names.anys()
    finally:
        public_names.names_of.cache_clear()
    assert {each.removeprefix("cudnn_cffi.sample.") for each in found} == places
