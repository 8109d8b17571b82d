"""Classes of backend descriptors: names, what a new release brings, and what docstrings say."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from cudnn_cffi.api import model
from cudnn_cffi.api.inputs.store import Store

from generator import emit, tree
from generator.lower import names
from generator.lower.descriptors import attribute_names, class_name
from generator.lower.merge import merge
from generator.tree import HOME

ROOT = Path(__file__).parents[3]
WORDS = frozenset({"ENGINE", "OPERATION", "DEVICE", "GRAPH", "CONV", "POINT"})


@pytest.mark.parametrize(
    ("stem", "expected"),
    [
        ("TENSOR", "TensorDescriptor"),
        ("ENGINEHEUR", "EngineHeurDescriptor"),
        ("OPERATIONGRAPH", "OperationGraphDescriptor"),
        ("DEVICEPROP", "DevicePropDescriptor"),
        ("CONVOLUTION", "ConvolutionDescriptor"),
        ("OPERATION_SDPA_FWD", "OperationSDPAFwdDescriptor"),
        ("OPERATION_BN_BWD_WEIGHTS", "OperationBNBwdWeightsDescriptor"),
        ("OPERATION_*", "OperationDescriptor"),
    ],
)
def test_a_class_is_named_by_the_words_of_its_type(stem: str, expected: str) -> None:
    assert class_name(f"CUDNN_BACKEND_{stem}_DESCRIPTOR", WORDS) == expected


@pytest.mark.parametrize(
    ("stem", "attributes", "expected"),
    [
        ("TENSOR", ["TENSOR_DATA_TYPE", "TENSOR_STRIDES"], ["data_type", "strides"]),
        ("KNOB_CHOICE", ["KNOB_CHOICE_KNOB_TYPE", "KNOB_CHOICE_KNOB_VALUE"],
         ["knob_type", "knob_value"]),
        ("MATMUL", ["MATMUL_COMP_TYPE"], ["comp_type"]),
        ("OPERATION_GEN_STATS", ["OPERATION_GENSTATS_MODE", "OPERATION_GENSTATS_XDESC"],
         ["mode", "xdesc"]),
        ("OPERATION_CONVOLUTION_BACKWARD_DATA",
         ["OPERATION_CONVOLUTION_BWD_DATA_DX", "OPERATION_CONVOLUTION_BWD_DATA_W"], ["dx", "w"]),
        ("OPERATION_BN_FINALIZE_STATISTICS",
         ["OPERATION_BN_FINALIZE_STATS_MODE", "OPERATION_BN_FINALIZE_MATH_PREC"],
         ["stats_mode", "math_prec"]),
        ("OPERATION_CONTRACT_BAND_MATRIX",
         ["OPERATION_CONTRACT_BAND_MATRIX_XDESC", "OPERATION_CONTRACT_BAND_MAX_TOKEN_VALUE"],
         ["xdesc", "max_token_value"]),
        ("SHAPE", ["SHAPE_CLOSE", "SHAPE_LAMBDA", "SHAPE_SET", "SHAPE"],
         ["close_", "lambda_", "set_", "shape"]),
    ],
)  # fmt: skip
def test_an_attribute_is_named_without_its_owner(
    stem: str, attributes: list[str], expected: list[str]
) -> None:
    found = attribute_names(
        f"CUDNN_BACKEND_{stem}_DESCRIPTOR", [f"CUDNN_ATTR_{each}" for each in attributes], 2
    )
    assert list(found.values()) == expected


def test_the_later_of_two_attributes_of_one_name_has_more_words() -> None:
    """A release that adds one is not refused for its name."""
    given = ["CUDNN_ATTR_OPERATION_GENSTATS_X", "CUDNN_ATTR_OPERATION_GEN_STATS_X"]
    found = attribute_names("CUDNN_BACKEND_OPERATION_GEN_STATS_DESCRIPTOR", given, 2)
    assert list(found.values()) == ["x", "stats_x"]


# A release that nobody has seen -------------------------------------------------------------------

REMOVED = "CUDNN_ATTR_TENSOR_VECTOR_COUNT"
NEW = "CUDNN_BACKEND_OPERATION_FOLD_FWD_DESCRIPTOR"


def _attribute(name: str, value: int, *types: str, **more: object) -> model.BackendAttribute:
    return model.BackendAttribute(
        name=f"CUDNN_ATTR_OPERATION_FOLD_FWD_{name}",
        value=value,
        owner=NEW,
        types=tuple(f"CUDNN_TYPE_{type_}" for type_ in types),
        source="fact: a test",
        readable=True,
        writable=True,
        **more,  # type: ignore[arg-type]
    )


INVENTED = (
    _attribute("XDESC", 9900, "BACKEND_DESCRIPTOR", count="one", needed="required",
               target="CUDNN_BACKEND_TENSOR_DESCRIPTOR"),
    _attribute("YDESC", 9901, "BACKEND_DESCRIPTOR", count="one", needed="unchecked",
               target="CUDNN_BACKEND_TENSOR_DESCRIPTOR"),
    _attribute("MATH_PREC", 9902, "DATA_TYPE", count="one", enum="cudnnDataType_t",
               needed="optional", default="CUDNN_DATA_FLOAT"),
    _attribute("FOLDS", 9903, "INT64", count="many", most=4, needed="required",
               as_long_as=("CUDNN_ATTR_OPERATION_FOLD_FWD_XDESC",)),
    _attribute("SEAM", 9904),  # nobody was asked for its type
    _attribute("EDGE", 9905, "FOLDING"),  # the type is new, and of no enum
)  # fmt: skip


def _added(api: model.Api) -> model.Api:
    """Return an API with one descriptor type more, and an attribute less."""
    enums = []
    for enum in api.enums:
        more: tuple[model.Enumerator, ...] = ()
        if enum.name == "cudnnBackendDescriptorType_t":
            more = (model.Enumerator(name=NEW, value=99),)
        elif enum.name == "cudnnBackendAttributeName_t":
            more = tuple(model.Enumerator(name=a.name, value=a.value) for a in INVENTED)
        elif enum.name == "cudnnBackendAttributeType_t":
            more = (model.Enumerator(name="CUDNN_TYPE_FOLDING", value=900),)
        kept = [each for each in enum.enumerators if each.name != REMOVED]
        enums.append(model.replace(enum, enumerators=(*kept, *more)))
    attributes = []
    for each in api.attributes:
        if each.name == "CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT":
            attributes.append(model.replace(each, uninitialized=True, default=None))
        elif each.name != REMOVED:
            attributes.append(each)
    return model.replace(
        api, release="9.99.0", enums=tuple(enums), attributes=(*attributes, *INVENTED)
    )


@pytest.fixture(scope="module")
def files() -> emit.Files:
    """Emitted classes for a release, and for one that comes after it."""
    store = Store(HOME / "cudnn_cffi/api")
    (newest,) = (release for release in store.releases() if release.version == "9.28.0")
    api = store.api(newest.api)
    later = model.replace(newest, version="9.99.0", build="9.99.0", api="9.99.0")
    apis = {newest.api: api, "9.99.0": _added(api)}
    return emit.emit(merge([newest, later], apis), names.prefixes(apis.values()))


def test_a_new_type_is_a_class_without_an_edit(files: emit.Files) -> None:
    module = ast.parse(files["cudnn_cffi/backend.py"])
    classes = {each.name: each for each in module.body if isinstance(each, ast.ClassDef)}
    made = classes["OperationFoldFwdDescriptor"]
    assert [ast.unparse(base) for base in made.bases] == ["OperationDescriptor"]
    assert ast.get_docstring(made) == f"A backend descriptor: {NEW}.\n\nSince 9.99.0."
    properties = {each.name: each for each in made.body if isinstance(each, ast.FunctionDef)}
    returned = {
        name: ast.unparse(each.returns) for name, each in properties.items() if each.returns
    }
    assert returned == {
        "xdesc": "TensorDescriptor",
        "ydesc": "TensorDescriptor | None",
        "math_prec": "DataType",
        "folds": "tuple[int, ...]",
        "seam": "Any",
        "edge": "Any",
    }
    assert (ast.get_docstring(properties["folds"]) or "").splitlines()[0] == (
        "Ints, at most 4, in number as `xdesc`; required."
    )
    assert "The default is CUDNN_DATA_FLOAT." in (ast.get_docstring(properties["math_prec"]) or "")
    gone = {each.name: each for each in classes["TensorDescriptor"].body
            if isinstance(each, ast.FunctionDef)}  # fmt: skip
    assert "Removed in 9.99.0." in (ast.get_docstring(gone["vector_count"]) or "")
    assert "Must be set in 9.99.0" in (ast.get_docstring(gone["byte_alignment"]) or "")


PROGRAM = """
import array
import pytest
import cudnn_cffi as cudnn
from cudnn_cffi import _backend, _call, _index, graph
from cudnn_cffi._tables import active
assert list(_index.RELEASES)[-1] == "9.99.0"
active("%s")
T, F = graph.TensorDescriptor, graph.OperationFoldFwdDescriptor
known = {each.name: each for each in T.attributes()}
if "%s" == "9.99.0":
    assert F.available() and [each.name for each in F.attributes()][3] == "folds"
    assert known["byte_alignment"].uninitialized and "vector_count" not in known
    text = "TensorDescriptor.vector_count: removed in 9.99.0, "
    for name in ("seam", "edge"):
        with pytest.raises(cudnn.ArgumentError) as told:
            F._setters[name]
        assert told.value.message == f"OperationFoldFwdDescriptor.{name}: what it takes is not known"
        assert told.value.hint.startswith("set it by `set_attribute`")
        with pytest.raises(cudnn.NotSupportedError, match="what this attribute is"):
            _backend.reading.read(None, F._known()[name], None)
    for type_ in (900, 901):  # one of a library that is newer than these tables
        for value in (5, [5], (1.5,), "text"):
            with pytest.raises(cudnn.ArgumentError, match="x: expected memory, .* is not known"):
                _call.attribute_in(value, type_, 1, "x")
        for value in (b"12345678", bytearray(8), array.array("q", [5])):
            assert _call.attribute_in(value, type_, 1, "x")
        with pytest.raises(cudnn.ArgumentError, match="x: expected memory, .* is not known"):
            _call.attribute_out(None, type_, 1, "x")
        room = bytearray(8)
        memory = _call.attribute_out(room, type_, 1, "x")
        assert _call.attribute_values(memory, type_, 1) == []
    with pytest.raises(cudnn.ArgumentError) as told:
        T._setters["vector_count"]
else:
    assert not F.available() and F.attributes() == ()
    assert not known["byte_alignment"].uninitialized and "vector_count" in known
    text = "OperationFoldFwdDescriptor: added in 9.99.0, "
    with pytest.raises(cudnn.NotSupportedError) as told:
        F(folds=[1])
    assert told.value.hint == "load cuDNN 9.99.0 or newer"
    with pytest.raises(cudnn.ArgumentError, match=r"OperationFoldFwdDescriptor.folds: added in"):
        F._setters["folds"]
assert told.value.message.startswith(text), told.value
assert "OperationFoldFwdDescriptor" in dir(graph)
print("done")
"""


@pytest.mark.parametrize("release", ["9.28.0", "9.99.0"])
def test_each_release_has_its_own_attributes(
    files: emit.Files, tmp_path: Path, release: str
) -> None:
    for name, data in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM % (release, release)],
        env=os.environ
        | {
            "CUDNN_CFFI_MODE": "abi",
            "PYTHONPATH": os.pathsep.join(map(str, _paths(tmp_path))),
        },
        capture_output=True,
        text=True,
    )
    assert done.stdout == "done\n", done.stderr


def _paths(generated: Path) -> Iterator[Path]:
    yield ROOT / "overlay"
    yield generated
    yield from (Path(path) for path in sys.path if path.endswith("-packages"))


def test_every_release_has_a_form_of_each_of_its_attributes() -> None:
    """The table of forms says of each release what its model says."""
    contents = tree.load(tree.HOME)
    assert contents is not None
    from cudnn_cffi._attributes import DESCRIPTORS, FORMS
    from cudnn_cffi._backend.schema import _form_in

    store = Store(HOME / "cudnn_cffi/api")
    owners = {row[0]: set(row[1].values()) for row in DESCRIPTORS.values()}
    for release in store.releases():
        attributes = {each.name: each for each in store.api(release.api).attributes}
        having = {name for name, forms in FORMS.items() if _form_in(forms, release.version)}
        assert having == attributes.keys()
        for name, each in attributes.items():
            form = _form_in(FORMS[name], release.version)
            assert [f"CUDNN_TYPE_{t}" for t in form["types"]] == list(each.types)
            assert (form.get("needed"), form.get("default")) == (each.needed, each.default)
            assert form.get("uninitialized", False) == each.uninitialized
            readable = False if each.misread else each.readable
            assert (form.get("readable"), form.get("writable")) == (readable, each.writable)
            assert name in owners[each.owner]


def test_defaults_that_are_not_used_are_in_every_form() -> None:
    """Scaling factors of convolutions: without them an engine computed zeros."""
    from cudnn_cffi._attributes import FORMS

    for name in ("FORWARD_ALPHA", "FORWARD_BETA", "BWD_DATA_ALPHA", "BWD_FILTER_BETA"):
        forms = FORMS[f"CUDNN_ATTR_OPERATION_CONVOLUTION_{name}"].values()
        expected = 1.0 if name.endswith("ALPHA") else 0.0
        assert {(form["unread_default"], form["default"]) for form in forms} == {(True, expected)}
