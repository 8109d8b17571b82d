"""Uses of names in code: Python, C, C++, CUDA and compiled files."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from cudnn_cffi.api import store
from cudnn_cffi.api.errors import CannotCompareError
from cudnn_cffi.api.inputs.sides import Wanted, load
from cudnn_cffi.api.inputs.store import Store
from cudnn_cffi.api.names import pynames
from cudnn_cffi.api.report import Item, Side
from cudnn_cffi.api.rules import AXES
from cudnn_cffi.api.uses import narrow

from tests.compilers import c_library

pytest.importorskip("elftools", reason="the extra 'uses' is not installed")


def findings(folder: Path, old: str, new: str) -> dict[tuple[str, str], Item]:
    """Findings for the files in `folder`, by rule and name."""
    sides = load(Wanted(old), Wanted(new))
    items, _ = narrow(*sides, [str(folder)], AXES)
    return {(item.rule, item.name): item for item in items}


def places(
    folder: Path, file: str, text: str, old: str = "8.9.7", new: str = "9.0.0"
) -> dict[tuple[str, str], list[tuple[int | None, int | None, str]]]:
    """Where a file with `text` is concerned: line, column and what stands there."""
    (folder / file).write_text(text)
    return {
        key: [(place.line, place.column, place.text) for place in item.places]
        for key, item in findings(folder, old, new).items()
    }


SOURCE = """\
#include <cudnn_ops_infer.h>
/* cudnnSetRNNMatrixMathType(desc) */
// cudnnSaveAlgorithm
#define CHECK(call) do { cudnnStatus_t s = (call); /* CUDNN_STATUS_BAD_PARAM */ \\
    if (s == CUDNN_STATUS_INTERNAL_ERROR) abort(); } while (0)  // CUDNN_STATUS_ALLOC_FAILED
#if 0
int dead = cudnnRestoreAlgorithm();
#endif
void f(cudnnHandle_t handle, void *library) {
    const char *text = "cudnnRNNSetClip";
    void *p = dlsym(library, "cudnnRNNForwardInference");
    void *q = dlopen("libcudnn.so.8", 2);
    struct cudnnAlgorithmUnionStruct algorithm;
    CHECK(cudnnSetRNNDescriptor_v6(handle, 0));
    printf("cudnnRNNGetClip %d\\n", CUDNN_SM_50);
}
"""


@pytest.mark.parametrize("suffix", [".c", ".h", ".cpp", ".cu"])
def test_names_in_code_and_none_in_comments_strings_and_dead_code(
    tmp_path: Path, suffix: str
) -> None:
    assert places(tmp_path, "a" + suffix, SOURCE) == {
        ("func-removed", "cudnnRNNForwardInference"): [(11, 31, "cudnnRNNForwardInference")],
        ("func-removed", "cudnnSetRNNDescriptor_v6"): [(14, 11, "cudnnSetRNNDescriptor_v6")],
        ("enumerator-value-changed", "CUDNN_STATUS_INTERNAL_ERROR"): [
            (5, 14, "CUDNN_STATUS_INTERNAL_ERROR")
        ],
        ("constant-removed", "CUDNN_SM_50"): [(15, 36, "CUDNN_SM_50")],
        ("record-removed", "cudnnAlgorithm_t"): [(13, 12, "cudnnAlgorithm_t")],
        ("header-removed", "cudnn_ops_infer.h"): [(1, 11, "cudnn_ops_infer.h")],
        ("library-renamed", "libcudnn"): [(12, 23, "libcudnn.so.8")],
        ("declaration-moved", "cudnnHandle_t"): [(9, 8, "cudnnHandle_t")],
        ("declaration-moved", "cudnnStatus_t"): [(4, 26, "cudnnStatus_t")],
    }


def test_cuda_s_own_syntax_and_lambdas(tmp_path: Path) -> None:
    source = """\
__global__ void kernel(float *x) { x[threadIdx.x] = CUDNN_SM_50; }
auto g = [](auto h) { kernel<<<1, 32>>>(nullptr); return cudnnSaveAlgorithm(h); };
"""
    assert places(tmp_path, "a.cu", source) == {
        ("func-removed", "cudnnSaveAlgorithm"): [(2, 58, "cudnnSaveAlgorithm")],
        ("constant-removed", "CUDNN_SM_50"): [(1, 53, "CUDNN_SM_50")],
    }


def test_code_that_does_not_parse_is_still_read(tmp_path: Path) -> None:
    source = 'int f( { cudnnSaveAlgorithm(h; "cudnnRestoreAlgorithm" }\n'
    assert list(places(tmp_path, "a.cpp", source)) == [("func-removed", "cudnnSaveAlgorithm")]


def test_raw_strings_and_columns_after_wide_characters(tmp_path: Path) -> None:
    source = 'auto s = R"(cudnnRNNSetClip(1))"; /* ä */ int x = cudnnSaveAlgorithm();\n'
    assert places(tmp_path, "a.cpp", source) == {
        ("func-removed", "cudnnSaveAlgorithm"): [(1, 51, "cudnnSaveAlgorithm")]
    }


@pytest.mark.parametrize(
    "code",
    [
        "tables[cudnn.cudnnSaveAlgorithm].cudnnCreate()",
        "(other or cudnn.cudnnSaveAlgorithm).cudnnCreate",
        "setattr(cudnn, 'cudnnSaveAlgorithm', None)",
        "operator.attrgetter('cudnnSaveAlgorithm')(cudnn)",
        "name = 'cudnnSaveAlgorithm'; getattr(cudnn, name)()",
    ],
)
def test_names_inside_of_expressions_and_by_strings(tmp_path: Path, code: str) -> None:
    found = places(tmp_path, "a.py", f"import cudnn_cffi as cudnn\n{code}\n")
    assert [line for line, *_ in found["func-removed", "cudnnSaveAlgorithm"]] == [2]


def test_members_of_a_struct_where_the_struct_is_used(tmp_path: Path) -> None:
    source = "cudnnGnnCscGraph_t graph;\nother.cscRevOffsets = 0;\n"
    found = places(tmp_path, "a.c", source, "9.28.0", "9.27.0")
    assert found[("field-removed", "cscRevOffsets")] == [(2, 7, "cscRevOffsets")]
    assert found[("record-size-changed", "cudnnGnnCscGraph_t")] == [(1, 1, "cudnnGnnCscGraph_t")]


def test_a_member_s_name_alone_is_no_use_of_the_struct(tmp_path: Path) -> None:
    source = "mine.cscRevOffsets = 0; cudnnHandle_t h;\n"
    assert places(tmp_path, "a.c", source, "9.28.0", "9.27.0") == {}


def test_including_cudnn_h_is_enough(tmp_path: Path) -> None:
    alone = '#include "cudnn_backend.h"\ncudnnTensorDescriptor_t x;\n'
    both = '#include <cudnn.h>\n#include "cudnn_backend.h"\ncudnnTensorDescriptor_t x;\n'
    assert ("include-insufficient", "cudnn_backend.h") in places(tmp_path, "a.c", alone)
    assert places(tmp_path, "a.c", both) == {}


PYTHON = '''\
"""cudnnSetRNNMatrixMathType in a docstring"""
import cudnn_cffi as cudnn
from cudnn_cffi import RNNDescriptor as R, cudnnSaveAlgorithm
# cudnnRestoreAlgorithm
message = "cudnnRNNSetClip"
cudnn.cudnnSetRNNDescriptor_v6(1, 2)
rnn = cudnn.RNNDescriptor()
rnn.set_v6(1)
with R() as other:
    other.get_v6()
def f(x: cudnn.RNNDescriptor, lib):
    x.set_clip(1)
    lib["cudnnSetAlgorithmDescriptor"]
    getattr(lib, "cudnnGetAlgorithmDescriptor")
    return getattr(x, "get_clip")
'''


def test_python_names_by_their_imports(tmp_path: Path) -> None:
    found = places(tmp_path, "a.py", PYTHON)
    assert {name: at for (rule, name), at in found.items() if rule == "func-removed"} == {
        "cudnnSaveAlgorithm": [(3, 1, "cudnnSaveAlgorithm")],
        "cudnnSetRNNDescriptor_v6": [
            (6, 7, "cudnnSetRNNDescriptor_v6"),
            (8, 5, "RNNDescriptor.set_v6"),
        ],
        "cudnnGetRNNDescriptor_v6": [(10, 11, "RNNDescriptor.get_v6")],
        "cudnnRNNSetClip": [(12, 7, "RNNDescriptor.set_clip")],
        "cudnnRNNGetClip": [(15, 23, "RNNDescriptor.get_clip")],
        "cudnnSetAlgorithmDescriptor": [(13, 9, "cudnnSetAlgorithmDescriptor")],
        "cudnnGetAlgorithmDescriptor": [(14, 18, "cudnnGetAlgorithmDescriptor")],
    }


@pytest.mark.parametrize(
    "expression",
    [
        "cudnn.BackendAttributeName.OPERATION_BLOCK_SCALE_QUANTIZE_DENOM_FACTOR_MODE",
        'cudnn.BackendAttributeName["OPERATION_BLOCK_SCALE_QUANTIZE_DENOM_FACTOR_MODE"]',
        'getattr(cudnn.BackendAttributeName, "OPERATION_BLOCK_SCALE_QUANTIZE_DENOM_FACTOR_MODE")',
        "cudnn.cudnnBackendAttributeName_t.CUDNN_ATTR_OPERATION_BLOCK_SCALE_QUANTIZE_DENOM_FACTOR_MODE",
        "cudnn.CUDNN_ATTR_OPERATION_BLOCK_SCALE_QUANTIZE_DENOM_FACTOR_MODE",
        "cudnn.v9_7_0.BackendAttributeName.OPERATION_BLOCK_SCALE_QUANTIZE_DENOM_FACTOR_MODE",
    ],
)
def test_an_enumerator_by_each_of_its_names(tmp_path: Path, expression: str) -> None:
    found = places(
        tmp_path, "a.py", f"import cudnn_cffi as cudnn\n{expression}\n", "9.7.1", "9.8.0"
    )
    name = "CUDNN_ATTR_OPERATION_BLOCK_SCALE_QUANTIZE_DENOM_FACTOR_MODE"
    assert [line for line, _, _ in found[("enumerator-removed", name)]] == [2]


@pytest.mark.parametrize(
    "source",
    [
        "from cudnn_cffi import *\nStatus.BAD_PARAM\n",
        "from cudnn_cffi import Status as S\nx = 1; S.BAD_PARAM\n",
        "import cudnn_cffi\ncudnn_cffi.Status.BAD_PARAM\n",
        "import cudnn_cffi.v8_9_7 as c\nc.Status.BAD_PARAM\n",
        "import cudnn_cffi as c\nS = c.Status; S.BAD_PARAM\n",
    ],
)
def test_a_value_that_changed_is_only_information_for_python(tmp_path: Path, source: str) -> None:
    (tmp_path / "a.py").write_text(source)
    item = findings(tmp_path, "8.9.7", "9.0.0")[
        ("enumerator-value-changed", "CUDNN_STATUS_BAD_PARAM")
    ]
    assert (item.severity, list(item.axes)) == ("info", ["python"])
    assert [place.line for place in item.places] == [2]


def test_a_class_of_somebody_else_s_is_not_ours(tmp_path: Path) -> None:
    source = "import cudnn\nfrom other import Status, RNNDescriptor\n"
    source += "Status.BAD_PARAM; cudnn.Status.BAD_PARAM; RNNDescriptor().set_v6()\n"
    source += "from cudnn_cffi import cudnnCreate\n"
    assert places(tmp_path, "a.py", source) == {}


def test_a_renamed_parameter_where_it_is_given_by_name(tmp_path: Path) -> None:
    source = """\
import cudnn_cffi as cudnn
cudnn.cudnnGetRNNTempSpaceSizes(handle, desc, mode, x)
cudnn.cudnnGetRNNTempSpaceSizes(handle, desc, fMode=mode, xDesc=x)
"""
    assert places(tmp_path, "a.py", source, "8.9.1", "8.9.2") == {
        ("func-param-renamed", "fMode"): [(3, 47, "cudnnGetRNNTempSpaceSizes(fMode=)")]
    }


def test_making_an_object_uses_what_creates_and_destroys_it(tmp_path: Path) -> None:
    found = places(tmp_path, "a.py", "import cudnn_cffi as c\nc.AlgorithmDescriptor()\n")
    assert {
        ("func-removed", "cudnnCreateAlgorithmDescriptor"),
        ("func-removed", "cudnnDestroyAlgorithmDescriptor"),
        ("opaque-removed", "cudnnAlgorithmDescriptor_t"),
    } == set(found)


def test_a_pinned_release(tmp_path: Path) -> None:
    source = "import importlib\nfrom cudnn_cffi import v9_10_0\nimport cudnn_cffi.v9_10_0 as c\n"
    source += 'importlib.import_module("cudnn_cffi.v9_10_0")\n'
    found = places(tmp_path, "a.py", source, "9.10.0", "9.10.1")
    assert [line for line, _, _ in found[("tables-outdated", "cudnn_cffi.v9_10_0")]] == [2, 3, 4]
    assert len(found) == 1


def test_python_that_does_not_parse_is_read_for_c_names_with_a_warning(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text('print "cudnnRNNSetClip"\ncudnnSaveAlgorithm()  # cudnnX\n')
    items, scan = narrow(*load(Wanted("8.9.7"), Wanted("9.0.0")), [str(tmp_path)], AXES)
    assert [item.name for item in items] == ["cudnnSaveAlgorithm"]
    assert "does not parse" in scan.skipped[0]


def test_cython_is_read_for_c_names(tmp_path: Path) -> None:
    source = 'cdef extern from "cudnn.h":\n    int cudnnSaveAlgorithm(void* h)  # cudnnRNNSetClip\n'
    assert places(tmp_path, "a.pyx", source) == {
        ("func-removed", "cudnnSaveAlgorithm"): [(2, 9, "cudnnSaveAlgorithm")]
    }


def compiled(folder: Path, source: str, *flags: str) -> Path:
    path = c_library(folder / "libuser.so", source, *flags)
    path.with_name("libuser.so.c").unlink()  # only what is compiled is looked at
    return path


def test_a_compiled_library_by_its_undefined_symbols(tmp_path: Path) -> None:
    source = "int cudnnSaveAlgorithm(void); int f(void) { return cudnnSaveAlgorithm(); }"
    source += "int cudnnRestoreAlgorithm(void) { return 1; }"  # its own
    compiled(tmp_path, source)
    found = findings(tmp_path, "8.9.7", "9.0.0")
    item = found[("func-removed", "cudnnSaveAlgorithm")]
    assert item.axes == {"abi": "breaking"}
    assert item.places[0].spelled == str(tmp_path / "libuser.so")


def test_a_compiled_program_whose_name_ends_with_its_version(tmp_path: Path) -> None:
    made = compiled(tmp_path, "int cudnnCreate(); int f(void) { return cudnnCreate(); }")
    made.rename(tmp_path / "tool-1.2")
    _, scan = narrow(*load(Wanted("8.9.7"), Wanted("9.0.0")), [str(tmp_path)], AXES)
    assert (scan.files, scan.names) == (1, 1)


def test_the_version_of_a_symbol_is_no_part_of_its_name(tmp_path: Path) -> None:
    (tmp_path / "map").write_text("libcudnn.so.8 { global: *; };")
    stub = compiled(
        tmp_path,
        "int cudnnSaveAlgorithm(void) { return 0; }",
        f"-Wl,--version-script={tmp_path / 'map'},-soname,libstub.so",
    ).rename(tmp_path / "libstub.so")
    (tmp_path / "user").mkdir()
    source = "int cudnnSaveAlgorithm(void); int f(void) { return cudnnSaveAlgorithm(); }"
    compiled(tmp_path / "user", source, str(stub))
    _, scan = narrow(*load(Wanted("8.9.7"), Wanted("9.0.0")), [str(tmp_path / "user")], AXES)
    assert scan.names == 1


def test_a_library_linked_with_a_sub_library(tmp_path: Path) -> None:
    elsewhere = tmp_path / "stub"
    elsewhere.mkdir()
    stub = compiled(
        elsewhere,
        "int cudnnActivationForward(void) { return 0; }",
        "-Wl,-soname,libcudnn_ops_infer.so.8",
    )
    target = tmp_path / "user"
    target.mkdir()
    compiled(
        target,
        "int cudnnActivationForward(void); int f(void) { return cudnnActivationForward(); }",
        str(stub),
    )
    found = findings(target, "8.9.7", "9.0.0")
    assert ("symbol-moved", "cudnnActivationForward") in found


def test_a_compiled_library_by_the_types_of_the_functions_that_it_calls(tmp_path: Path) -> None:
    source = "int cudnnGnnAggSimpleForward(); int f(void) { return cudnnGnnAggSimpleForward(); }"
    compiled(tmp_path, source)
    item = findings(tmp_path, "9.27.0", "9.28.0")[("record-size-changed", "cudnnGnnCscGraph_t")]
    assert item.axes == {"abi": "breaking"}
    assert [place.text for place in item.places] == ["cudnnGnnAggSimpleForward"]


def test_a_compiled_library_that_passes_numbers_which_changed(tmp_path: Path) -> None:
    source = "int cudnnBackendCreateDescriptor(); int cudnnCreate();"
    source += "int f(void) { return cudnnCreate() + cudnnBackendCreateDescriptor(); }"
    compiled(tmp_path, source)
    found = findings(tmp_path, "9.10.0", "9.10.1")
    assert {rule for rule, _ in found} == {"enumerator-value-changed"}
    assert len(found) == 5
    assert {p.text for item in found.values() for p in item.places} == {
        "cudnnBackendCreateDescriptor"
    }


def test_a_header_that_names_the_function_and_not_the_struct(tmp_path: Path) -> None:
    source = "template <class G> int run(G &g) { return cudnnGnnAggSimpleForward(&g); }\n"
    (tmp_path / "gnn.hpp").write_text(source)
    item = findings(tmp_path, "9.27.0", "9.28.0")[("record-size-changed", "cudnnGnnCscGraph_t")]
    assert item.axes["abi"] == "breaking"
    assert [(p.line, p.text) for p in item.places] == [(1, "cudnnGnnAggSimpleForward")]


def test_sources_say_themselves_which_numbers_they_pass(tmp_path: Path) -> None:
    source = "int f() { return cudnnBackendCreateDescriptor(); }\n"
    assert places(tmp_path, "a.c", source, "9.10.0", "9.10.1") == {}


def test_a_library_linked_with_a_sub_library_that_is_gone(tmp_path: Path) -> None:
    stub, target = tmp_path / "stub", tmp_path / "user"
    stub.mkdir()
    target.mkdir()
    made = compiled(stub, "int cudnnX(void) { return 0; }", "-Wl,-soname,libcudnn_cnn_infer.so.8")
    compiled(target, "int cudnnX(void); int f(void) { return cudnnX(); }", str(made))
    item = findings(target, "8.9.7", "9.0.0")[("library-removed", "libcudnn_cnn_infer")]
    assert item.axes == {"abi": "breaking"}


def test_a_library_that_a_source_opens_is_missed_after_a_rebuild_too(tmp_path: Path) -> None:
    source = 'void *p(void) { return dlopen("libcudnn_ops_infer.so.8", 1); }\n'
    (tmp_path / "a.c").write_text(source)
    item = findings(tmp_path, "8.9.7", "9.0.0")[("library-removed", "libcudnn_ops_infer")]
    assert item.axes["abi"] == "breaking"


def test_across_a_major_version_sources_are_judged_as_what_is_compiled_again(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.c").write_text("int x = CUDNN_STATUS_BAD_PARAM;\n")
    key = ("enumerator-value-changed", "CUDNN_STATUS_BAD_PARAM")
    assert findings(tmp_path, "8.9.7", "9.0.0")[key].axes == {"source": "info"}
    items, _ = narrow(*load(Wanted("8.9.7"), Wanted("9.0.0")), [str(tmp_path)], ("abi",))
    assert [item.axes for item in items if item.name == key[1]] == [{"abi": "breaking"}]
    (tmp_path / "a.c").write_text("int x = CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR;\n")
    within = findings(tmp_path, "9.10.0", "9.10.1")
    assert {item.severity for item in within.values()} == {"breaking"}


@pytest.mark.parametrize(
    ("source", "divided"),
    [
        ("#if CUDNN_VERSION / 1000 == 8\n#endif\n", True),
        ("int major() { return (int)(cudnnGetVersion()) / 1000; }\n", True),
        ("#define MAJOR ((CUDNN_VERSION) / 1000)\nint major = MAJOR;\n", True),
        ("#if CUDNN_VERSION >= 8000\n#endif\n", False),
        ('void f() { printf("%zu", cudnnGetVersion()); }\n', False),
    ],
)
def test_only_what_divides_a_version_depends_on_its_formula(
    tmp_path: Path, source: str, divided: bool
) -> None:
    found = places(tmp_path, "a.c", source)
    assert (("version-formula-changed", "CUDNN_VERSION") in found) is divided


def test_a_compiled_program_may_divide_the_version(tmp_path: Path) -> None:
    compiled(tmp_path, "long cudnnGetVersion(void); long f(void) { return cudnnGetVersion(); }")
    item = findings(tmp_path, "8.9.7", "9.0.0")[("version-formula-changed", "CUDNN_VERSION")]
    assert item.axes == {"abi": "risk"}


def test_the_tag_of_an_object_is_its_type(tmp_path: Path) -> None:
    source = "template <> struct D<struct cudnnAlgorithmStruct> {};\n"
    found = places(tmp_path, "a.hpp", source)
    assert [key for key in found if key[1] == "cudnnAlgorithmDescriptor_t"]


def test_a_truncated_library_is_a_warning(tmp_path: Path) -> None:
    path = compiled(
        tmp_path, "int cudnnSaveAlgorithm(void); int f(void) { return cudnnSaveAlgorithm(); }"
    )
    path.write_bytes(path.read_bytes()[:3000])
    (tmp_path / "a.py").write_text("cudnnSaveAlgorithm")
    _, scan = narrow(*load(Wanted("8.9.7"), Wanted("9.0.0")), [str(tmp_path)], AXES)
    assert "not a complete ELF file" in scan.skipped[0]


# Bad input


@pytest.mark.parametrize(
    ("files", "path", "complaint"),
    [
        ({}, "", "no Python, C, C++ or CUDA file and no compiled library"),
        ({"data.csv": "cudnnCreate"}, "", "no Python, C, C++ or CUDA file"),
        ({"data.csv": "cudnnCreate"}, "data.csv", "neither Python, C, C++ or CUDA"),
        ({}, "nowhere.c", "no such file or folder"),
        ({"a.c": "int main;", "b.py": "x"}, "", "no use of cuDNN found in 2 files"),
        ({"a.c": "// cudnnCreate"}, "", "no use of cuDNN found in 1 file "),
    ],
)
def test_nothing_to_read_is_an_error(
    tmp_path: Path, files: dict[str, str], path: str, complaint: str
) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(CannotCompareError, match="a") as error:
        narrow(*load(Wanted("9.0.0"), Wanted("9.1.0")), [str(tmp_path / path)], AXES)
    assert complaint in str(error.value)


@pytest.fixture
def locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that must not be read, even by those who may read everything."""
    path = tmp_path / "locked.c"
    path.write_text("cudnnSaveAlgorithm")
    read = Path.read_bytes

    def refuse(self: Path) -> bytes:
        if self == path:
            raise PermissionError(13, "Permission denied")
        return read(self)

    monkeypatch.setattr(Path, "read_bytes", refuse)
    return path


def test_an_unreadable_file_is_an_error_where_it_was_named(locked: Path) -> None:
    with pytest.raises(CannotCompareError, match=r"locked\.c: cannot be read: Permission denied"):
        narrow(*load(Wanted("9.0.0"), Wanted("9.1.0")), [str(locked)], AXES)


def test_an_unreadable_file_in_a_folder_is_a_warning(locked: Path) -> None:
    (locked.parent / "a.c").write_text("int x = cudnnSaveAlgorithm();")
    _, scan = narrow(*load(Wanted("8.9.7"), Wanted("9.0.0")), [str(locked.parent)], AXES)
    assert scan.skipped == (f"{locked}: cannot be read: Permission denied",)


def test_an_unreadable_folder_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: object) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(CannotCompareError, match="cannot be read: Permission denied"):
        narrow(*load(Wanted("9.0.0"), Wanted("9.1.0")), [str(tmp_path)], AXES)


def test_without_the_extra_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.so").write_bytes(b"\x7fELF")
    monkeypatch.setitem(sys.modules, "elftools.elf.elffile", None)
    with pytest.raises(CannotCompareError, match=r"pip install pyelftools"):
        narrow(*load(Wanted("9.0.0"), Wanted("9.1.0")), [str(tmp_path)], AXES)


def test_a_file_is_read_once_though_named_twice(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text("int x = cudnnSaveAlgorithm();")
    _, scan = narrow(*load(Wanted("8.9.7"), Wanted("9.0.0")), [str(tmp_path), str(path)], AXES)
    assert scan.files == 1


def test_hidden_folders_and_caches_are_passed_over(tmp_path: Path) -> None:
    for folder in (".git", "__pycache__", "src"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.py").write_text("cudnnSaveAlgorithm")
    _, scan = narrow(*load(Wanted("8.9.7"), Wanted("9.0.0")), [str(tmp_path)], AXES)
    assert scan.files == 1


# The names


def test_a_python_name_never_changes_its_meaning() -> None:
    """Rules that keep enumerators out of the python axis: the same C name, the same Python name."""
    known: dict[str, str] = {}
    for api in dict.fromkeys(release.api for release in store().releases()):
        names = pynames.of_api(api)
        assert names.classes, api
        for python, c_name in names.python_names():
            assert known.setdefault(python, c_name) == c_name


def test_every_enumerator_and_function_of_a_descriptor_has_a_python_name() -> None:
    models = store()
    newest = models.releases()[-1].api
    names = pynames.of_api(newest)
    c_names = {c_name for _, c_name in names.python_names()}
    enumerators = {e.name for enum in models.api(newest).enums for e in enum.enumerators}
    assert enumerators <= c_names
    assert names.c_names("graph.MatmulDescriptor.comp_type") == ("CUDNN_ATTR_MATMUL_COMP_TYPE",)
    assert names.c_names("graph.MatmulDescriptor.other") == names.c_names("graph.Other") == ()
    assert names.methods["TensorDescriptor"]["set_4d"] == ("cudnnSetTensor4dDescriptor",)
    assert names.methods["Handle"]["__init__"] == ("cudnnCreate", "cudnnDestroy")


def test_a_release_without_tables_has_no_python_names() -> None:
    assert pynames.of_api("1.0.0").classes == {}
    assert isinstance(store(), Store)
    assert Side("1.0.0", "1.0.0", "1.0.0").label == "1.0.0"


@pytest.mark.slow
def test_every_file_of_a_hundred_thousand_lines_is_read(tmp_path: Path) -> None:
    body = "".join(
        f"void f{n}(cudnnHandle_t h) {{ check(cudnnSetStream(h, {n})); /* cudnnCreate */ }}\n"
        for n in range(1000)
    )
    for number in range(50):
        (tmp_path / f"{number}.cu").write_text(body)
        (tmp_path / f"{number}.py").write_text(
            "import cudnn_cffi as c\n" + "c.Status.BAD_PARAM\n" * 999
        )
    _, scan = narrow(*load(Wanted("8.9.7"), Wanted("9.0.0")), [str(tmp_path)], AXES)
    assert scan.using == 100
