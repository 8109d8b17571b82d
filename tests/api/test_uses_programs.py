"""Programs as they are in the world, and what of them a step really breaks."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from cudnn_cffi.api import store
from cudnn_cffi.api.inputs.sides import Wanted, load
from cudnn_cffi.api.report import Item, Scan
from cudnn_cffi.api.rules import AXES, Axis
from cudnn_cffi.api.uses import narrow, preprocessor

pytest.importorskip("elftools", reason="the extra 'uses' is not installed")

Found = dict[tuple[str, str], list[str]]


def used(
    folder: Path,
    files: dict[str, str],
    *,
    axes: tuple[Axis, ...] = AXES,
    old: str = "8.9.7",
    new: str = "9.0.0",
) -> tuple[Found, dict[tuple[str, str], Item], Scan]:
    """Results for a tree of files: places as "file:line text", the findings, the files that were
    read."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    items, scan = narrow(*load(Wanted(old), Wanted(new)), [str(folder)], axes)
    found = {
        (item.rule, item.name): [
            f"{Path(place.path).relative_to(folder)}:{place.line} {place.text}"
            for place in item.places
        ]
        for item in items
    }
    return found, {(item.rule, item.name): item for item in items}, scan


def removed(found: Found) -> dict[str, list[str]]:
    return {name: at for (rule, name), at in found.items() if rule == "func-removed"}


# Guards


PORTED = """\
#include <cudnn.h>
#define MY_CUDNN_AT_LEAST(major, minor) \\
    (CUDNN_VERSION >= (CUDNN_MAJOR >= 9 ? 10000 : 1000) * (major) + 100 * (minor))
int f(cudnnHandle_t h, int x) {
#if CUDNN_VERSION >= 90000  // ported
    return 1;
#elif CUDNN_VERSION >= 8000 && defined(SOMETHING)
    return cudnnSetRNNDescriptor_v6(h);
#else
    return cudnnRNNForwardInference(h);
#endif
#if !MY_CUDNN_AT_LEAST(9, 0)
    cudnnRestoreAlgorithm(h);
#endif
#if defined(CUDNN_MAJOR) && (CUDNN_MAJOR < 9)
    cudnnSaveAlgorithm(h);
#endif
    g(h,
#if CUDNN_MAJOR < 9
      cudnnRNNSetClip(h)
#else
      x
#endif
    );
#ifdef CUDNN_SM_50
    use(CUDNN_SM_50);
#endif
#if 0
    cudnnRNNGetClip(h);
#elif 1
#else
    cudnnRNNGetClip(h);
#endif
#if __has_include(<cudnn_ops_infer.h>)
#include <cudnn_ops_infer.h>
#endif
    if (x) {
#if CUDNN_VERSION / 100 < 900
        cudnnSetAlgorithmDescriptor(h);
    } else {
#endif
    }
}
"""


@pytest.mark.parametrize("suffix", ["c", "cc", "cu", "h"])
def test_a_program_that_guards_its_old_calls_is_not_broken(tmp_path: Path, suffix: str) -> None:
    found, items, _ = used(tmp_path, {f"dnn.{suffix}": PORTED})
    assert [item for item in items.values() if item.severity == "breaking"] == []
    assert removed(found) == {}


def test_the_same_guards_in_the_other_direction(tmp_path: Path) -> None:
    found, _, _ = used(tmp_path, {"dnn.cc": PORTED}, old="9.0.0", new="8.9.7")
    assert ("func-removed", "cudnnRNNForwardInference") not in found  # it is there again
    assert ("func-added", "cudnnRNNForwardInference") in found


def test_what_depends_on_something_else_is_looked_at_in_both_branches(tmp_path: Path) -> None:
    source = """\
#if defined(USE_OLD) || CUDNN_VERSION < 9000
cudnnSaveAlgorithm(h);
#elif SOMETHING
cudnnRestoreAlgorithm(h);
#else
cudnnRNNSetClip(h);
#endif
#if CUDNN_SM_50
cudnnRNNGetClip(h);
#endif
"""
    found, _, _ = used(tmp_path, {"a.cc": source})
    assert removed(found) == {
        "cudnnSaveAlgorithm": ["a.cc:2 cudnnSaveAlgorithm"],
        "cudnnRestoreAlgorithm": ["a.cc:4 cudnnRestoreAlgorithm"],
        "cudnnRNNSetClip": ["a.cc:6 cudnnRNNSetClip"],
        "cudnnRNNGetClip": ["a.cc:9 cudnnRNNGetClip"],
    }
    assert found[("constant-removed", "CUDNN_SM_50")] == ["a.cc:8 CUDNN_SM_50"]


def test_a_macro_of_another_file_is_followed(tmp_path: Path) -> None:
    files = {
        "util/cudnn.hpp": "#include <cudnn.h>\n#define BEFORE_9 (CUDNN_MAJOR < 9)\n",
        "layer.cpp": '#include "util/cudnn.hpp"\n#if BEFORE_9\ncudnnSaveAlgorithm(h);\n#endif\n'
        "cudnnHandle_t h;\n",
    }
    assert removed(used(tmp_path, files)[0]) == {}


FLAGS = """\
#ifndef MY_COMPAT_H
#define MY_COMPAT_H
#include <cudnn.h>
#if CUDNN_MAJOR >= 9
#define HAS_V9 1
#define OLD_RNN 0
#else
#define OLD_RNN 1
#endif
#ifdef HAS_V9
#define HAS_DYNAMIC() true
#else
#define HAS_DYNAMIC() false
#endif
#endif
"""


def test_a_macro_that_a_version_guard_defines_is_followed(tmp_path: Path) -> None:
    source = """\
#include "compat.h"
#ifndef HAS_V9
cudnnSaveAlgorithm(h);
#endif
#if OLD_RNN
cudnnRNNSetClip(h);
#endif
#if !HAS_DYNAMIC()
cudnnRestoreAlgorithm(h);
#endif
"""
    assert removed(used(tmp_path, {"compat.h": FLAGS, "a.cc": source})[0]) == {}


def test_a_condition_whose_other_branch_is_an_error_decides_nothing(tmp_path: Path) -> None:
    source = """\
#if !defined(STABLE_ONLY)
#if CUDNN_MAJOR >= 9
#define HAS_V9
#endif
#ifndef HAS_V9
cudnnSaveAlgorithm(h);
#endif
cudnnRNNSetClip(h);
#else
#error "not with STABLE_ONLY"
#endif
"""
    assert list(removed(used(tmp_path, {"a.cc": source})[0])) == ["cudnnRNNSetClip"]
    unsure = source.replace('#error "not with STABLE_ONLY"', "int x;")
    assert len(removed(used(tmp_path, {"a.cc": unsure})[0])) == 2


@pytest.mark.parametrize(
    "definition",
    [
        "#define HAS_V9",  # always
        "#if 0\n#define HAS_V9\n#endif",  # the compiler's command line may
        "#if CUDNN_MAJOR < 9\n#define HAS_V9\n#endif\n#undef HAS_V9",
        "#ifdef USE_ROCM\n#if CUDNN_MAJOR >= 9\n#define HAS_V9\n#endif\n#endif",
    ],
)
def test_a_macro_that_something_else_decides_is_not(tmp_path: Path, definition: str) -> None:
    source = f"{definition}\n#ifndef HAS_V9\ncudnnSaveAlgorithm(h);\n#else\ncudnnRNNSetClip(h);\n#endif\n"
    assert len(removed(used(tmp_path, {"a.cc": source})[0])) == 2


def test_the_old_branch_is_what_was_compiled(tmp_path: Path) -> None:
    """Between releases with one library name, a program that is not rebuilt has the old branch."""
    source = "#if CUDNN_VERSION < 91001\nint x = CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR;\n#endif\n"
    key = ("enumerator-value-changed", "CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR")
    _, items, _ = used(tmp_path, {"a.c": source}, old="9.10.0", new="9.10.1")
    assert items[key].axes == {"abi": "breaking"}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("CUDNN_VERSION == 90000 && CUDNN_PATCHLEVEL == 0", 1),
        ("CUDNN_MAJOR * 1000 + CUDNN_MINOR * 100", 9000),
        ("UNKNOWN && CUDNN_VERSION < 9000", 0),
        ("UNKNOWN || CUDNN_VERSION > 9000", 1),
        ("UNKNOWN && CUDNN_VERSION > 9000", None),
        ("!defined(UNKNOWN)", None),
        ("!defined CUDNN_VERSION", 0),
        ("defined(CUDNN_SM_50)", 0),
        ("__has_include(<cudnn_ops_infer.h>) || !__has_include(<cudnn_graph.h>)", 0),
        ("-7 / 2 * 100 + -7 % 2", -301),
        ("1 ? 2 : 1 / 0", None),
        ("0x10 == 16 && 010 == 8 && 1'000UL == 1000 && (1 << 4 | 1) == 17 && ~0 == -1", 1),
        ("2 - 1 - 1", 0),
        ("1 + 2 * 3 == 7 == 1", 1),
        ("(CUDNN_VERSION", None),
        ("CUDNN_VERSION >=", None),
        ("1 << 99", None),
        ("", None),
        ("FUNCTION(9, (0, 1)) && 0", 0),
        ("(" * 5000 + "1" + ")" * 5000, None),
        ("!" * 3000 + "1", 1),
        ("1" + " + 1" * 1500, 1501),
    ],
)
def test_conditions(text: str, value: int | None) -> None:
    models = store()
    known = preprocessor.macros(models.api("9.0.0"), models.api("8.9.6"))
    assert preprocessor.evaluate(text, known) == value


def test_macros_without_an_end_are_given_up() -> None:
    models = store()
    known = preprocessor.macros(models.api("9.0.0"), models.api("8.9.6"))
    own = {"A": preprocessor.Definition(None, "B + B"), "B": preprocessor.Definition(None, "A + A")}
    assert preprocessor.evaluate("A", replace(known, own=own)) is None


# Headers


BACKEND = "#include <cudnn_backend.h>\ncudnnBackendDescriptor_t d;\ncudnnStatus_t s;\n"


def test_a_header_is_enough_for_what_it_still_brings(tmp_path: Path) -> None:
    found, _, _ = used(tmp_path, {"be.c": BACKEND})
    assert not [name for rule, name in found if rule in ("include-insufficient", "header-removed")]


def test_a_header_is_enough_beside_others(tmp_path: Path) -> None:
    source = (
        BACKEND + "#include <cudnn_cnn.h>\n#include <cudnn_ops.h>\ncudnnTensorDescriptor_t x;\n"
    )
    found, _, _ = used(tmp_path, {"be2.c": source})
    assert ("include-insufficient", "cudnn_backend.h") not in found


def test_a_header_is_not_enough_for_what_it_no_longer_brings(tmp_path: Path) -> None:
    source = BACKEND + "int x = cudnnCreatePoolingDescriptor(&p);\n"
    found, items, _ = used(tmp_path, {"be3.c": source})
    key = ("include-insufficient", "cudnn_backend.h")
    assert found[key] == ["be3.c:1 cudnn_backend.h"]
    assert items[key].severity == "breaking"


def test_cudnn_h_through_a_header_of_the_program(tmp_path: Path) -> None:
    files = {
        "include/mine/wrapper.h": "#pragma once\n#include <cudnn.h>\n",
        "include/mine/all.h": '#include "wrapper.h"\n',
        "src/pool.cc": '#include <mine/all.h>\n#include "cudnn_backend.h"\n'
        "cudnnPoolingDescriptor_t p;\ncudnnHandle_t h;\n",
    }
    found, _, _ = used(tmp_path, files)
    assert not {rule for rule, _ in found} & {"declaration-moved", "include-insufficient"}


def test_a_header_of_the_program_that_is_not_enough(tmp_path: Path) -> None:
    files = {
        "wrapper.h": "#include <cudnn_backend.h>\n",
        "pool.cc": '#include "wrapper.h"\ncudnnPoolingDescriptor_t p;\n',
    }
    found, _, _ = used(tmp_path, files)
    assert found[("include-insufficient", "cudnn_backend.h")] == [
        "pool.cc:2 cudnnPoolingDescriptor_t"
    ]


def test_headers_that_include_each_other(tmp_path: Path) -> None:
    files = {
        "a.h": '#include "b.h"\ncudnnHandle_t a;\n',
        "b.h": '#include "a.h"\n#include "b.h"\n#include <cudnn.h>\n',
    }
    assert not {rule for rule, _ in used(tmp_path, files)[0]} & {"declaration-moved"}


# Programs that load the library themselves


LOADER = """\
import ctypes
from ctypes.util import find_library
_lib = None
for name in ("libcudnn.so.8", "cudnn64_8.dll"):
    _lib = ctypes.CDLL(name)
_ops = ctypes.CDLL(find_library("cudnn_ops_infer"))
CUDNN_STATUS_NOT_SUPPORTED = 9
CUDNN_STATUS_SUCCESS = 0
codes = {"CUDNN_STATUS_BAD_PARAM": 3}
version = int(_lib.cudnnGetVersion())
major = version // 1000
_lib.cudnnSetRNNDescriptor_v6.restype = ctypes.c_int
if _lib.cudnnCreate(None) == CUDNN_STATUS_NOT_SUPPORTED:
    raise SystemExit
def get(name):
    return getattr(_lib, name)
get("cudnnSaveAlgorithm")
"""


def test_a_program_that_uses_ctypes(tmp_path: Path) -> None:
    found, items, _ = used(tmp_path, {"ct.py": LOADER})
    assert found[("library-renamed", "libcudnn")] == [
        "ct.py:4 cudnn64_8.dll",
        "ct.py:4 libcudnn.so.8",
    ] or found[("library-renamed", "libcudnn")] == [
        "ct.py:4 libcudnn.so.8",
        "ct.py:4 cudnn64_8.dll",
    ]
    assert found[("library-removed", "libcudnn_ops_infer")] == ["ct.py:6 cudnn_ops_infer"]
    assert found[("enumerator-value-changed", "CUDNN_STATUS_NOT_SUPPORTED")] == [
        "ct.py:7 CUDNN_STATUS_NOT_SUPPORTED = 9"
    ]
    assert found[("enumerator-value-changed", "CUDNN_STATUS_BAD_PARAM")] == [
        "ct.py:9 CUDNN_STATUS_BAD_PARAM = 3"
    ]
    assert found[("version-formula-changed", "CUDNN_VERSION")] == [
        "ct.py:11 cudnnGetVersion() by 1000"
    ]
    assert removed(found) == {
        "cudnnSetRNNDescriptor_v6": ["ct.py:12 cudnnSetRNNDescriptor_v6"],
        "cudnnSaveAlgorithm": ["ct.py:17 cudnnSaveAlgorithm"],
    }
    for key in [
        ("library-renamed", "libcudnn"),
        ("enumerator-value-changed", "CUDNN_STATUS_NOT_SUPPORTED"),
        ("func-removed", "cudnnSetRNNDescriptor_v6"),
    ]:
        assert items[key].axes == {"abi": "breaking"}


def test_on_the_axis_of_compiled_programs_ctypes_is_one_of_them(tmp_path: Path) -> None:
    _, items, _ = used(tmp_path, {"ct.py": LOADER}, axes=("abi",))
    breaking = {rule for (rule, _), item in items.items() if item.severity == "breaking"}
    assert breaking >= {"library-renamed", "enumerator-value-changed", "func-removed"}


def test_a_program_that_tries_both_libraries_is_not_broken_by_the_name(tmp_path: Path) -> None:
    files = {
        "a.py": 'import ctypes\nfor n in ["libcudnn.so.9", "libcudnn.so.8"]:\n    ctypes.CDLL(n)\n',
        "b.c": 'void *p = open_first("libcudnn.so.9", "libcudnn.so.8");\n',
    }
    assert ("library-renamed", "libcudnn") not in used(tmp_path, files)[0]


def test_a_name_of_the_library_in_a_docstring_is_none(tmp_path: Path) -> None:
    source = '"libcudnn.so.8"\nimport ctypes\nctypes.CDLL(x).cudnnSaveAlgorithm\n'
    assert set(used(tmp_path, {"a.py": source})[0]) == {("func-removed", "cudnnSaveAlgorithm")}


def test_loaders_of_the_program_s_own(tmp_path: Path) -> None:
    files = {
        "loader.cc": """\
template <class F> F get(const char *name) { if (lib) { return (F)dlsym(lib, name); } return 0; }
auto find = [&](const char* what) -> void* { return dlsym(lib, what); };
static const char *kNames[] = {"cudnnSaveAlgorithm", "cudnnRestoreAlgorithm"};
""",
        "use.cc": """\
auto f = loader.get<decltype(&f)>("cudnnRNNSetClip");
auto g = find("cudnnRNNGetClip");
void h() { log("cudnnRNNForwardInference"); }
""",
    }
    assert removed(used(tmp_path, files)[0]) == {
        "cudnnSaveAlgorithm": ["loader.cc:3 cudnnSaveAlgorithm"],
        "cudnnRestoreAlgorithm": ["loader.cc:3 cudnnRestoreAlgorithm"],
        "cudnnRNNSetClip": ["use.cc:1 cudnnRNNSetClip"],
        "cudnnRNNGetClip": ["use.cc:2 cudnnRNNGetClip"],
    }


def test_names_that_a_macro_pastes(tmp_path: Path) -> None:
    files = {
        "wrap.h": "#define WRAP(name) auto name = &cudnn##name;\n"
        '#define LOAD(kind, name) dlsym(lib, "cudnn" #name)\n#define OTHER(x) cudnnSet##x##_v6\n',
        "use.cc": "// cudnn\nWRAP(SaveAlgorithm)\nvoid *p = LOAD(1, RestoreAlgorithm);\n",
    }
    found, _, scan = used(tmp_path, files)
    assert removed(found) == {
        "cudnnSaveAlgorithm": ["use.cc:2 cudnnSaveAlgorithm"],
        "cudnnRestoreAlgorithm": ["use.cc:3 cudnnRestoreAlgorithm"],
    }
    (warning,) = scan.skipped
    assert "wrap.h:3: OTHER pastes names that begin with cudnnSet" in warning


def test_names_that_a_macro_has_another_paste(tmp_path: Path) -> None:
    files = {
        "wrap.h": "#define CALL(name, ...) cudnn##name(__VA_ARGS__)\n"
        "#define CHECK(what, name, ...) check(what, CALL(name, __VA_ARGS__))\n"
        '#define LOG(...) \\\n    CHECK("log", __VA_ARGS__)\n'
        "#define JOIN(prefix, name) prefix##name\n#define UNRELATED(a, b) a##b\n",
        "use.cc": "// cudnn\nCALL(SaveAlgorithm, f(1), (2));\nCHECK(0, RestoreAlgorithm, x);\n"
        "LOG(RNNSetClip, {1, 2});\nJOIN(cudnn, RNNGetClip)(h);\n",
    }
    found, _, scan = used(tmp_path, files)
    assert removed(found) == {
        "cudnnSaveAlgorithm": ["use.cc:2 cudnnSaveAlgorithm"],
        "cudnnRestoreAlgorithm": ["use.cc:3 cudnnRestoreAlgorithm"],
        "cudnnRNNSetClip": ["use.cc:4 cudnnRNNSetClip"],
        "cudnnRNNGetClip": ["use.cc:5 cudnnRNNGetClip"],
    }
    assert not scan.skipped


# Versions that are taken apart


@pytest.mark.parametrize(
    ("file", "source"),
    [
        ("a.c", "int major = CUDNN_VERSION / 1000;\n"),
        ("a.c", "if (cudnnGetVersion() % 1000 / 100 > 2) f();\n"),
        ("a.cc", "auto v = static_cast<int>(cudnnGetVersion());\nint m = v / 1000;\n"),
        ("a.h", "#define AT(a, b) (CUDNN_VERSION >= ((a) * 1000 + (b) * 100))\n"),
        ("a.h", "int v = CUDNN_MAJOR * 1000 + CUDNN_MINOR * 100;\n"),
        ("a.h", "size_t version() { return cudnnGetVersion(); }\nint m = version() / 1000;\n"),
        (
            "a.cc",
            "int version() { return cudnnGetVersion(); }\nauto v = version();\nint m = v / 1000;\n",
        ),
        (
            "a.cc",
            "int version() { static auto v = cudnnGetVersion(); return v; }\n"
            "int m = version() / 1000;\n",
        ),
        ("a.py", "m = lib.cudnnGetVersion() // 1000\n"),
        ("a.py", "v = lib.cudnnGetVersion()\nm = divmod(v, 1000)\n"),
        ("a.py", "def v():\n    return lib.cudnnGetVersion()\nm = v() % 1000\n"),
        ("a.py", "import cudnn_cffi as c\nm = c.cudnnGetVersion() / 1000\n"),
    ],
)
def test_a_version_that_is_taken_apart(tmp_path: Path, file: str, source: str) -> None:
    found, items, _ = used(tmp_path, {file: source})
    key = ("version-formula-changed", "CUDNN_VERSION")
    assert [at.split()[0] for at in found[key]] == [f"{file}:{source.count(chr(10))}"]
    assert items[key].severity == "breaking"


@pytest.mark.parametrize(
    ("file", "source"),
    [
        ("a.c", "int m = v < 90000 ? cudnnGetVersion() / 1000 : cudnnGetVersion() / 10000;\n"),
        ("a.c", "int old = CUDNN_VERSION >= 8902;\n"),
        (
            "a.cc",
            "void f() { auto v = cudnnGetVersion(); }\nint g() { return v; }\nint m = g() / 1000;\n",
        ),
        ("a.py", "v = lib.cudnnGetVersion()\nm = v // 1000 if v < 10000 else v // 10000\n"),
        ("a.py", "v = lib.cudnnGetVersion()\nm = time // 1000\n"),
    ],
)
def test_a_version_that_is_not(tmp_path: Path, file: str, source: str) -> None:
    assert ("version-formula-changed", "CUDNN_VERSION") not in used(tmp_path, {file: source})[0]


# Names of the program's own, and of what has none


OWN = """\
#include <cudnn.h>
namespace mine {
int cudnnSaveAlgorithm(int x) { return x; }
int twice(int x) { return cudnnSaveAlgorithm(cudnnSaveAlgorithm(x)); }
int theirs(int x) { return ::cudnnSaveAlgorithm(x); }
}
int a = mine::cudnnSaveAlgorithm(1);
int f(int cudnnRNNSetClip) {
    int cudnnRNNGetClip = 3;
    return cudnnRNNSetClip + cudnnRNNGetClip;
}
int g() { return cudnnRNNGetClip(); }
struct Deleter { Handle<cudnnAlgorithmStruct, &cudnnDestroyAlgorithmDescriptor> d; };
extern "C" { int cudnnRestoreAlgorithm(void); }
"""


def test_types_and_members_in_a_namespace_are_the_program_s_own(tmp_path: Path) -> None:
    source = """\
#include <cudnn.h>
namespace mine {
class cudnnAlgorithm_t {};
enum class cudnnAlgorithmDescriptor_t : int { A };
enum Kind : int { CUDNN_STATUS_LICENSE_ERROR, CUDNN_STATUS_MAPPING_ERROR = 3 };
cudnnAlgorithm_t a = f(1, CUDNN_STATUS_LICENSE_ERROR);
}
cudnnAlgorithm_t b = f({1, CUDNN_STATUS_LICENSE_ERROR});
"""
    found, _, _ = used(tmp_path, {"own.cc": source})
    assert {name: places for (_, name), places in found.items()} == {
        "cudnnAlgorithm_t": ["own.cc:8 cudnnAlgorithm_t"],
        "CUDNN_STATUS_LICENSE_ERROR": ["own.cc:8 CUDNN_STATUS_LICENSE_ERROR"],
    }


def test_names_that_the_program_declares_itself(tmp_path: Path) -> None:
    found, _, _ = used(tmp_path, {"own.cc": OWN})
    assert removed(found) == {
        "cudnnSaveAlgorithm": ["own.cc:5 cudnnSaveAlgorithm"],
        "cudnnRNNGetClip": ["own.cc:12 cudnnRNNGetClip"],
        "cudnnDestroyAlgorithmDescriptor": ["own.cc:13 cudnnDestroyAlgorithmDescriptor"],
        "cudnnRestoreAlgorithm": ["own.cc:14 cudnnRestoreAlgorithm"],
    }
    assert found[("opaque-removed", "cudnnAlgorithmDescriptor_t")] == [
        "own.cc:13 cudnnAlgorithmDescriptor_t"
    ]


# Cython, and annotations


def test_cython_includes_and_is_compiled(tmp_path: Path) -> None:
    source = (
        'cdef extern from "cudnn_ops_infer.h" nogil:\n'
        "    ctypedef void* cudnnHandle_t\n"
        "    int cudnnSaveAlgorithm(void* h)  # cudnnRestoreAlgorithm\n"
        '"""cudnnRNNSetClip"""\ncdef int x = <int>y ? 0xFFULL : $ \'cudnnRNNGetClip\'\n'
        "cudnnRNNForwardInference()\n"
    )
    found, items, _ = used(tmp_path, {"w.pxd": source})
    assert found[("header-removed", "cudnn_ops_infer.h")] == ["w.pxd:1 cudnn_ops_infer.h"]
    assert set(removed(found)) == {"cudnnSaveAlgorithm", "cudnnRNNForwardInference"}
    assert items[("func-removed", "cudnnSaveAlgorithm")].axes == {"source": "breaking"}


@pytest.mark.parametrize(
    "annotation",
    [
        "cudnn.RNNDescriptor",
        '"cudnn.RNNDescriptor"',
        "cudnn.RNNDescriptor | None",
        "None | cudnn.RNNDescriptor",
        '"cudnn.RNNDescriptor | None"',
        "Optional[cudnn.RNNDescriptor]",
        "typing.Optional['cudnn.RNNDescriptor']",
        "Annotated[cudnn.RNNDescriptor, 'x']",
        "Union[int, cudnn.RNNDescriptor]",
    ],
)
@pytest.mark.parametrize(
    "form",
    [
        "def f(d: {}):\n    d.set_clip(1)\n",
        "d: {}\nd.set_clip(1)\n",
        "class Net:\n    d: {}\n    def f(self):\n        self.d.set_clip(1)\n",
        "def make() -> {}: ...\nd = make()\nd.set_clip(1)\n",
        "class Net:\n    async def get(self) -> {}: ...\n"
        "    def f(self):\n        self.get().set_clip(1)\n",
    ],
)
def test_annotations_are_followed(tmp_path: Path, annotation: str, form: str) -> None:
    source = "import cudnn_cffi as cudnn\n" + form.format(annotation)
    assert set(removed(used(tmp_path, {"a.py": source})[0])) == {"cudnnRNNSetClip"}


@pytest.mark.parametrize("annotation", ["list[cudnn.RNNDescriptor]", "'not python ('", "int", "3"])
def test_other_annotations_are_not(tmp_path: Path, annotation: str) -> None:
    source = f"import cudnn_cffi as cudnn\ncudnn.cudnnCreate()\nd: {annotation}\nd.set_clip(1)\n"
    assert removed(used(tmp_path, {"a.py": source})[0]) == {}


# Python code and its objects


@pytest.mark.parametrize(
    "source",
    [
        "a, b = RNNDescriptor(), 1\na.set_clip(1)\n",
        "[a, b] = (1, RNNDescriptor())\nb.set_clip(1)\n",
        "class N:\n    d = RNNDescriptor()\n    def f(self):\n        self.d.set_clip(1)\n",
        "class N:\n    D = RNNDescriptor\n    def f(self):\n        self.D().set_clip(1)\n",
        "d = RNNDescriptor() if x else None\nd.set_clip(1)\n",
        "d = d or RNNDescriptor()\nd.set_clip(1)\n",
        "d = (e := RNNDescriptor())\nd.set_clip(1)\n",
        "d = RNNDescriptor()\ne = d\ne.set_clip(1)\n",
        "async def f() -> RNNDescriptor: ...\nd = await f()\nd.set_clip(1)\n",
        "with contextlib.closing(RNNDescriptor()) as d:\n    d.set_clip(1)\n",
        "d = stack.enter_context(RNNDescriptor())\nd.set_clip(1)\n",
        "d = RNNDescriptor.from_address(1)\nd.set_clip(1)\n",
        "c = importlib.import_module('cudnn_cffi')\nc.RNNDescriptor().set_clip(1)\n",
        "c = pytest.importorskip('cudnn_cffi')\nc.RNNDescriptor().set_clip(1)\n",
        "c = __import__('cudnn_cffi.v8_9_7')\nc.RNNDescriptor().set_clip(1)\n",
    ],
)
def test_objects_are_followed(tmp_path: Path, source: str) -> None:
    source = "from cudnn_cffi import RNNDescriptor\n" + source
    (at,) = removed(used(tmp_path, {"a.py": source})[0])["cudnnRNNSetClip"]
    assert at == f"a.py:{source.count(chr(10))} RNNDescriptor.set_clip"


@pytest.mark.parametrize(
    "source",
    [
        "a, *b = RNNDescriptor(), 1\na.set_clip(1)\n",
        "a = RNNDescriptor().get_clip()\na.set_clip(1)\n",
        "a = f(RNNDescriptor())\na.set_clip(1)\n",
        "c = importlib.import_module('cudnn')\nc.RNNDescriptor().set_clip(1)\n",
    ],
)
def test_other_objects_are_not(tmp_path: Path, source: str) -> None:
    source = "from cudnn_cffi import RNNDescriptor\n" + source
    assert "cudnnRNNSetClip" not in removed(used(tmp_path, {"a.py": source})[0])


@pytest.mark.parametrize(
    "source",
    [
        "import cudnn_cffi as c\nc.v9_10_0.Status.BAD_PARAM\nc.v9_10_0.Status\n",
        "import cudnn_cffi as c\nv = c.v9_10_0\n",
    ],
)
def test_a_release_that_is_an_attribute_of_the_package_is_pinned(
    tmp_path: Path, source: str
) -> None:
    found, _, _ = used(tmp_path, {"a.py": source}, old="9.10.0", new="9.10.1")
    assert found[("tables-outdated", "cudnn_cffi.v9_10_0")] == ["a.py:2 cudnn_cffi.v9_10_0"]


def test_a_module_of_another_package_pins_nothing(tmp_path: Path) -> None:
    source = "import cudnn_cffi as c\nc.cudnnCreate\nimportlib.import_module('other.v9_10_0')\n"
    assert used(tmp_path, {"a.py": source}, old="9.10.0", new="9.10.1")[0] == {}


# Backend descriptors


SCALE = "CUDNN_ATTR_OPERATION_BLOCK_SCALE_QUANTIZE_DENOM_FACTOR_MODE"


@pytest.mark.parametrize(
    "source",
    [
        "graph.OperationBlockScaleQuantizeDescriptor(denom_factor_mode=1)",
        "graph.OperationBlockScaleQuantizeDescriptor.open(denom_factor_mode=1)",
        "with graph.OperationBlockScaleQuantizeDescriptor.open() as d: d.set(denom_factor_mode=1)",
        "d = graph.OperationBlockScaleQuantizeDescriptor().set(); d.denom_factor_mode = 1",
        "def f(d: graph.OperationBlockScaleQuantizeDescriptor): return d.denom_factor_mode",
    ],
)
@pytest.mark.parametrize(
    ("imported", "module"),
    [
        ("from cudnn_cffi import graph", "graph"),
        ("from cudnn_cffi import backend as b", "b"),
        ("import cudnn_cffi", "cudnn_cffi.graph"),
        ("import cudnn_cffi.v9_7_0 as c", "c.graph"),
        ("from cudnn_cffi.graph import *", ""),
    ],
)
def test_attributes_of_descriptors_by_their_names_in_python(
    tmp_path: Path, source: str, imported: str, module: str
) -> None:
    source = source.replace("graph.", f"{module}." if module else "")
    files = {"a.py": f"{imported}\n{source}\n"}
    found, _, _ = used(tmp_path, files, old="9.7.1", new="9.8.0")
    (at,) = found[("enumerator-removed", SCALE)]
    assert at.startswith(
        "a.py:2 graph.OperationBlockScaleQuantizeDescriptor.denom_factor_mode"
    ) or ("backend." in at)


REQUIRED = ("attribute-added-required", "CUDNN_ATTR_KERNEL_CACHE_OPERATION_GRAPH")


@pytest.mark.parametrize(
    ("file", "source", "axes"),
    [
        ("a.c", "f(CUDNN_BACKEND_KERNEL_CACHE_DESCRIPTOR);\n", {"abi", "source"}),
        ("a.py", "from cudnn_cffi import graph\ngraph.KernelCacheDescriptor()\n", {"python"}),
        (
            "a.c",
            "f(CUDNN_BACKEND_KERNEL_CACHE_DESCRIPTOR);\n#if CUDNN_VERSION >= 90500\n"
            "g(CUDNN_ATTR_KERNEL_CACHE_OPERATION_GRAPH);\n#endif\n",
            {"abi"},
        ),
    ],
)
def test_an_attribute_that_is_required_now_is_missed_where_the_descriptor_is_made(
    tmp_path: Path, file: str, source: str, axes: set[str]
) -> None:
    found, items, _ = used(tmp_path, {file: source}, old="9.4.0", new="9.5.0")
    assert len(found[REQUIRED]) == 1
    assert items[REQUIRED].axes == dict.fromkeys(axes, "breaking")


@pytest.mark.parametrize(
    "files",
    [
        {
            "a.c": "f(CUDNN_BACKEND_KERNEL_CACHE_DESCRIPTOR, CUDNN_ATTR_KERNEL_CACHE_OPERATION_GRAPH);"
        },
        {"a.c": "f(CUDNN_BACKEND_TENSOR_DESCRIPTOR);"},
        {
            "a.py": "from cudnn_cffi.graph import KernelCacheDescriptor as K\n",
            "b.py": "from a import *\nK(operation_graph=g)\n"
            "from cudnn_cffi import CUDNN_ATTR_KERNEL_CACHE_OPERATION_GRAPH\n",
        },
    ],
)
def test_an_attribute_that_is_required_now_is_not_missed_where_it_is_set(
    tmp_path: Path, files: dict[str, str]
) -> None:
    assert REQUIRED not in used(tmp_path, files, old="9.4.0", new="9.5.0")[0]


# Encodings


def test_columns_are_those_of_the_file_s_own_encoding(tmp_path: Path) -> None:
    source = "# coding: latin-1\nx = 'äö'; cudnnSaveAlgorithm\n"
    (tmp_path / "a.py").write_bytes(source.encode("latin-1"))
    (tmp_path / "a.c").write_bytes("int ä = cudnnSaveAlgorithm();\r\n".encode("utf-16"))
    _, items, scan = used(tmp_path, {})
    at = [(p.line, p.column) for p in items[("func-removed", "cudnnSaveAlgorithm")].places]
    assert (at, scan.skipped) == ([(1, 9), (2, 11)], ())


# Files that are no sources


def test_what_cannot_be_read_is_said_and_counted(tmp_path: Path) -> None:
    (tmp_path / "loop.c").symlink_to("loop.c")
    (tmp_path / "gone.c").symlink_to("nowhere")
    (tmp_path / "zero.c").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "pipe.c")
    with (tmp_path / "huge.c").open("wb") as file:
        file.truncate(1 << 40)
    (tmp_path / "deep.py").write_text(f"cudnnSaveAlgorithm\nx={'-' * 100_000}1\n")
    (tmp_path / "chain.py").write_text(f"cudnnSaveAlgorithm\nx={'1+' * 100_000}1\n")
    (tmp_path / "nested.py").write_text(f"cudnnSaveAlgorithm\nx={'(' * 100_000}1\n")
    found, _, scan = used(tmp_path, {"a.c": "int x = cudnnSaveAlgorithm();"})
    reasons = {Path(text.partition(": ")[0]).name: text for text in scan.skipped}
    assert set(reasons) == {
        *("loop.c", "gone.c", "zero.c", "pipe.c", "huge.c"),
        *("deep.py", "chain.py", "nested.py"),
    }
    assert "Too many levels of symbolic links" in reasons["loop.c"]
    assert "No such file" in reasons["gone.c"]
    assert "not a regular file" in reasons["zero.c"]
    assert "not a regular file" in reasons["pipe.c"]
    assert "1048576 MiB" in reasons["huge.c"]
    assert "too deeply" in reasons["deep.py"]
    assert len(found[("func-removed", "cudnnSaveAlgorithm")]) == 4
    assert (scan.files, scan.using) == (9, 4)
