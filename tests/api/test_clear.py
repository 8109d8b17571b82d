"""No false all-clear: names of no release, files that nothing reads, names among strings."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from cudnn_cffi.__main__ import main
from cudnn_cffi.api import store
from cudnn_cffi.api.changes.finding import things
from cudnn_cffi.api.errors import CannotCompareError
from cudnn_cffi.api.inputs.sides import Wanted, all_sides, load
from cudnn_cffi.api.model import replace
from cudnn_cffi.api.names.earlier import EARLIER
from cudnn_cffi.api.names.reach import functions_by_type
from cudnn_cffi.api.rules import AXES
from cudnn_cffi.api.uses import minimum, narrow

from tests.compilers import c_library

pytest.importorskip("elftools", reason="the extra 'uses' is not installed")

OLD = "cudnnGetConvolutionForwardAlgorithm"
REMOVED = "cudnnSetRNNPaddingMode"  # in 9.0


def written(folder: Path, files: dict[str, str]) -> str:
    """Write a program and return its folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return str(folder)


def lowest(folder: Path, files: dict[str, str]) -> minimum.Minimum:
    """Return what `minimum` finds for a program."""
    return minimum.of([written(folder, files)])


def compared(
    folder: Path, files: dict[str, str], old: str = "8.9.7", new: str = "9.0.0"
) -> dict[tuple[str, str], tuple[str | None, list[int | None]]]:
    """Return the findings for a program: by rule and name, what is noted and in which lines."""
    sides = load(Wanted(old), Wanted(new))
    items, _ = narrow(*sides, [written(folder, files)], AXES)
    return {(i.rule, i.name): (i.note, [place.line for place in i.places]) for i in items}


def unknown(found: minimum.Minimum) -> list[str]:
    return [lack.name for lack in found.unknown]


# Names that no release has


def test_earlier_names_are_in_no_table() -> None:
    assert not EARLIER.keys() & {name for _, api in all_sides(store()) for name in things(api)}
    assert set(EARLIER.values()) == {"removed in 5.0", "removed after 5.1.10", "removed in 8.0"}


CAFFE = f"""\
#include <cudnn.h>
void f(void) {{
  {OLD}(0, 0, 0, 0, 0, CUDNN_CONVOLUTION_FWD_SPECIFY_WORKSPACE_LIMIT, 0, 0);
  cudnnCreate(0);
}}
"""


def test_a_program_for_cudnn_7(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = lowest(tmp_path, {"a.c": CAFFE})
    assert (found.oldest, found.newest) == (None, None)
    assert {fit.release for fit in found.fits if fit.lacks} == {f.release for f in found.fits}
    assert [(lack.name, lack.note) for lack in found.fits[-1].lacks] == [
        ("CUDNN_CONVOLUTION_FWD_SPECIFY_WORKSPACE_LIMIT", "removed in 8.0"),
        (OLD, "removed in 8.0"),
    ]
    assert main(["minimum", "--uses", str(tmp_path)]) == 1
    told = capsys.readouterr().out
    assert "all is there" not in told
    assert f"{OLD} ({tmp_path}/a.c:3; removed in 8.0)" in told
    assert compared(tmp_path, {}, "9.0.0", "9.1.0")["name-missing", OLD] == ("removed in 8.0", [3])


def test_a_guard_is_seen(tmp_path: Path) -> None:
    guarded = CAFFE.replace("  cudnnGet", "#if CUDNN_VERSION < 8000\n  cudnnGet").replace(
        "  cudnnCreate", "#endif\n  cudnnCreate"
    )
    found = lowest(tmp_path, {"a.c": guarded})
    assert (found.oldest, found.newest, found.clear) == ("8.5.0", "9.28.1", True)


@pytest.mark.parametrize(
    ("old", "new", "note"),
    [("9.0.0", "9.1.0", "removed in 9.0.0"), ("8.5.0", "8.6.0", None)],
)
def test_names_of_other_releases_than_both(
    tmp_path: Path, old: str, new: str, note: str | None
) -> None:
    found = compared(tmp_path, {"a.c": f"void *f = {REMOVED}, *g = cudnnCreate;\n"}, old, new)
    missing = {key: value for key, value in found.items() if key[0] == "name-missing"}
    assert missing == ({} if note is None else {("name-missing", REMOVED): (note, [1])})


def test_a_name_of_a_later_release(tmp_path: Path) -> None:
    found = compared(tmp_path, {"a.c": "int x = CUDNN_DATA_FP4_E2M1;\n"}, "8.9.7", "9.0.0")
    assert found == {("name-missing", "CUDNN_DATA_FP4_E2M1"): ("added in 9.7.0", [1])}


@pytest.mark.parametrize(
    "text",
    [
        "void f(void) { cudnnCraete(0); }",
        "#define TRY(x) x\nvoid f(void) { TRY(cudnnCraete(0)); }",
        "#define MAKE() cudnnCraete(0)",
        'void *f(void *l) { return dlsym(l, "cudnnCraete"); }',
        "void f(void) { return ::cudnnCraete(0); }",
    ],
)
def test_a_function_that_no_release_has(
    tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = lowest(tmp_path, {"a.cpp": text + "\nvoid *g = cudnnDestroy;\n"})
    assert unknown(found) == ["cudnnCraete"]
    assert not found.clear
    assert main(["minimum", "--uses", str(tmp_path)]) == 1
    assert "unknown to every release: cudnnCraete" in capsys.readouterr().out
    assert list(compared(tmp_path, {}, "9.0.0", "9.1.0")) == [("name-unknown", "cudnnCraete")]


def test_types_and_constants_that_no_release_has(tmp_path: Path) -> None:
    text = "cudnnTensorDescripter_t t;\nint x = CUDNN_DATA_FLAOT;\n"
    found = lowest(tmp_path, {"a.c": text})
    assert unknown(found) == ["CUDNN_DATA_FLAOT", "cudnnTensorDescripter_t"]


OWN = """\
#define CUDNN_CHECK(x) x
#define CUDNN_DEPRECATED_OWN 1
#define CUDNN_VALUE CUDNN_DATA_FLOAT
#define LOAD(name) static decltype(::name) *name##_fn
enum Mode { CUDNN_FAST, CUDNN_SLOW = 3, CUDNN_LAST };
enum class Other : int { CUDNN_ONE };
template <typename cudnnThing_t> struct cudnnHolder_t;
typedef struct cudnnOwn cudnnOwn_t;
typedef void (*cudnnCall_t)(int);
using cudnnAlias_t = int;
struct Layer {
  cudnnHandle_t cudnnHandle;
  std::unique_ptr<int> cudnnPlan;
  const char *cudnnName() const;
  Layer() : cudnnHandle(0), cudnnHandle_(1) {}
};
LOAD(cudnnCreate);
cudnnStatus_t cudnnMine(int cudnnArgument);
void f(Layer &layer, cudnnOwn_t own, cudnnCall_t call, cudnnAlias_t a) {
  CUDNN_CHECK(cudnnMine(CUDNN_DEPRECATED_OWN + CUDNN_VALUE + CUDNN_SLOW + CUDNN_LAST));
  CUDNN_ENFORCE(cudnnDestroy(layer.cudnnHandle));
  layer.cudnnName();
  own::cudnnWrapped(0);
  cudnnCreate_fn(0);
  auto cudnnLambda = [](int x) { return x; };
  cudnnLambda(Other::CUDNN_ONE);
#if CUDNN_SOMETHING_OF_OURS > 3
#endif
}
"""


def test_names_of_the_program_are_no_findings(tmp_path: Path) -> None:
    found = lowest(
        tmp_path, {"a.cc": OWN, "b.cc": "void g() { cudnnMine(CUDNN_FAST); cudnnCreate(0); }"}
    )
    assert unknown(found) == []
    assert found.clear


def test_python(tmp_path: Path) -> None:
    text = f"""\
import ctypes
lib = ctypes.CDLL("libcudnn.so")
lib.cudnnCraete()
lib["cudnnCreate"]
getattr(lib, "cudnnDestory")
lib.{OLD}()
self.cudnnOwn()
def cudnnMethod(): pass
me.cudnnMethod()
"""
    found = lowest(tmp_path, {"a.py": text})
    assert unknown(found) == ["cudnnCraete", "cudnnDestory"]
    assert [lack.name for lack in found.fits[-1].lacks] == [OLD]


def test_names_that_this_package_does_not_have(tmp_path: Path) -> None:
    text = "import cudnn_cffi as c\nc.cudnnCraete()\nc.CUDNN_DATA_FLAOT\nc.cudnnCreate()\n"
    assert unknown(lowest(tmp_path, {"a.py": text})) == ["CUDNN_DATA_FLAOT", "cudnnCraete"]


# Compiled code that looks symbols up


def binary_of(folder: Path, text: str) -> Path:
    """A library of C, alone in a folder."""
    (folder / "b").mkdir()
    return c_library(folder / "a.so", text).rename(folder / "b" / "a.so")


LOOKED_UP = f"""\
#include <stdio.h>
extern void *SYMBOL(void *, const char *);
const char *names[] = {{"cudnnCreate", "{REMOVED}", "{OLD}", "not {OLD}", "cudnnOwnThing"}};
void *load(void *lib, int i) {{ puts("libcudnn.so.9"); return SYMBOL(lib, names[i]); }}
"""


@pytest.mark.parametrize("symbol", ["dlsym", "dlvsym", "other"])
def test_names_among_the_strings_of_a_binary(tmp_path: Path, symbol: str) -> None:
    binary = binary_of(tmp_path, LOOKED_UP.replace("SYMBOL", symbol))
    if symbol == "other":
        with pytest.raises(CannotCompareError, match="no use of cuDNN"):
            minimum.of([str(binary.parent)])
        return
    found = minimum.of([str(binary.parent)])
    assert (found.oldest, found.newest) == ("9.0.0", "9.28.1")  # of libcudnn.so.9
    assert [(lack.name, lack.note) for lack in found.sought] == [
        (OLD, "removed in 8.0"),
        (REMOVED, "removed in 9.0.0"),
    ]
    assert "all is there" not in minimum.as_text(found)
    assert unknown(found) == []
    sides = load(Wanted("8.9.7"), Wanted("9.0.0"))
    items, _ = narrow(*sides, [str(binary)], AXES)
    looked_up = {item.name: item.severity for item in items if item.rule == "name-looked-up"}
    assert looked_up == {OLD: "risk", REMOVED: "risk"}


def test_an_unknown_symbol_that_a_binary_takes(tmp_path: Path) -> None:
    text = "extern void cudnnCraete(void); void f(void) { cudnnCraete(); }"
    binary = binary_of(tmp_path, text)
    assert unknown(minimum.of([str(binary)])) == ["cudnnCraete"]


# Files that are not read


def test_other_languages_are_counted_and_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {f"{n}.go": f"C.{REMOVED}()" for n in "abcdefg"}
    files |= {"x.c": "void *f = cudnnCreate;", "y.rs": "fn main() {}", "z.jl": "libcudnn.so"}
    found = lowest(tmp_path, files)
    assert [Path(each).name for each in found.unread] == [
        *(f"{n}.go (Go)" for n in "abcdefg"),
        "z.jl (Julia)",
    ]
    assert (found.files, found.clear) == (1, False)
    assert main(["minimum", "--uses", str(tmp_path)]) == 1
    told = capsys.readouterr().out
    assert "not read: 8 files mentioning cuDNN: " in told
    assert ", 3 more" in told
    assert "all is there" not in told
    assert main(["diff", "8.9.7", "9.0.0", "--uses", str(tmp_path), "--axis", "python"]) == 0
    told = capsys.readouterr().out
    assert "warning: not read: 8 files mentioning cuDNN: " in told
    assert "nothing that the files that were read use has changed" in told
    main(["diff", "8.9.7", "9.0.0", "--uses", str(tmp_path), "-f", "json"])
    assert len(json.loads(capsys.readouterr().out)["uses"]["unread"]) == 8


def test_a_folder_with_other_languages_alone(tmp_path: Path) -> None:
    with pytest.raises(CannotCompareError, match=r"not read: 1 file mentioning.* \(Rust\)"):
        lowest(tmp_path, {"a.rs": "unsafe { cudnnCreate(&mut handle) }"})


NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "source": [f"{OLD}\n"]},
        {"cell_type": "code", "source": ["%matplotlib inline\n", "import ctypes\n", "!ls\n"]},
        {"cell_type": "code", "source": f'x = "é"\nlib = ctypes.CDLL("a")\nlib.{REMOVED}(1)'},
        {"cell_type": "code", "source": ["%%bash\n", f"lib.{OLD}()"]},
    ],
    "nbformat": 4,
}


@pytest.mark.parametrize("indent", [1, None])
def test_notebooks(tmp_path: Path, indent: int | None) -> None:
    text = json.dumps(NOTEBOOK, indent=indent)
    line = next(n for n, each in enumerate(text.split("\n"), 1) if REMOVED in each)
    found = compared(tmp_path, {"a.ipynb": text})
    assert found == {("func-removed", REMOVED): (None, [line])}


def test_what_is_no_notebook_is_named(tmp_path: Path) -> None:
    found = lowest(tmp_path, {"a.ipynb": '"cudnn"', "b.c": "void *f = cudnnCreate;"})
    assert "a.ipynb: is no notebook of version 4" in found.skipped[0]


# Names in tables, look-ups and includes


@pytest.mark.parametrize(
    "text",
    [
        "for n in ('cudnnCreate', '{name}'): getattr(lib, n)",
        "NAMES = ['{name}']\nf = {{n: getattr(lib, n) for n in NAMES}}",
        "sig = {{'{name}': [int]}}\nfor k, v in sig.items(): getattr(lib, k).argtypes = v",
        "names = {{'{name}'}}\nf = [lib[n] for n in names]",
        "def get(n): return getattr(lib, 'cudnn' + n)\nfor n in ('{tail}',): get(n)",
        "for n in ['{tail}']: getattr(lib, f'cudnn{{n}}')",
        "for n in ['{tail}']: getattr(lib, 'cudnn%s' % n)",
    ],
)
def test_tables_of_names_in_python(tmp_path: Path, text: str) -> None:
    source = "import ctypes\nlib = ctypes.CDLL('x')\nlib.cudnnGetVersion\n" + text.format(
        name=REMOVED, tail=REMOVED.removeprefix("cudnn")
    )
    assert ("func-removed", REMOVED) in compared(tmp_path, {"a.py": source})


def test_a_table_in_a_file_that_looks_nothing_up(tmp_path: Path) -> None:
    source = f"import ctypes\nctypes.CDLL('x').cudnnGetVersion\nNAMES = ['{REMOVED}']\n"
    assert ("func-removed", REMOVED) not in compared(tmp_path, {"a.py": source})


def test_a_table_of_names_of_this_package(tmp_path: Path) -> None:
    source = f"import cudnn_cffi as c\nfor n in ['{REMOVED}', 'DataType']: getattr(c, n)\n"
    assert ("func-removed", REMOVED) in compared(tmp_path, {"a.py": source})


def test_names_that_are_put_together_are_told(tmp_path: Path) -> None:
    source = "import ctypes\nlib = ctypes.CDLL('libcudnn.so.9')\ngetattr(lib, 'cudnn' + word)\n"
    (warning,) = lowest(tmp_path, {"a.py": source}).skipped
    assert warning.endswith("a.py: line 3: which names begin with cudnn there cannot be seen")


def test_a_function_of_the_file_is_no_use_of_cudnn(tmp_path: Path) -> None:
    source = f"import ctypes\nctypes.CDLL('x').cudnnCreate\ndef {REMOVED}(): pass\n{REMOVED}()\n"
    assert ("func-removed", REMOVED) not in compared(tmp_path, {"a.py": source})
    wrapped = f"import ctypes\nlib = ctypes.CDLL('x')\ndef {REMOVED}(): lib.{REMOVED}()\n"
    assert ("func-removed", REMOVED) in compared(tmp_path, {"a.py": wrapped})


@pytest.mark.parametrize(
    ("include", "own"),
    [
        ('"cudnn_ops_infer.h"', True),
        ('"./cudnn_ops_infer.h"', True),
        ('"../src/cudnn_ops_infer.h"', True),
        ('"src/cudnn_ops_infer.h"', True),
        ("<cudnn_ops_infer.h>", False),
    ],
)
def test_a_header_of_the_program_with_the_name_of_one_of_cudnn(
    tmp_path: Path, include: str, own: bool
) -> None:
    files = {
        "src/a.cc": f"#include {include}\nvoid *f = cudnnCreate;\n",
        "src/cudnn_ops_infer.h": "#include <cudnn.h>\n",
    }
    assert (("header-removed", "cudnn_ops_infer.h") in compared(tmp_path, files)) != own
    assert (lowest(tmp_path, {}).newest == "9.28.1") == own


def test_a_version_in_a_variable_that_is_given_something_else(tmp_path: Path) -> None:
    source = """\
void f() {
  int version = (int)cudnnGetVersion();
  print(version / 1000);
  cudaRuntimeGetVersion(&version);
  print(version / 1000);
  version = cudaVersion();
  print(version / 1000);
  version = cudnnGetVersion();
  print(version / 1000);
}
"""
    found = compared(tmp_path, {"a.cc": source})
    (key,) = [key for key in found if key[0] == "version-formula-changed"]
    assert found[key][1] == [3, 9]


# Callbacks, and types that go through memory of any type

CALLBACK = "cudnnStatus_t s = cudnnSetCallback(7, 0, mine);\n"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.c", CALLBACK),
        ("a.py", "import cudnn_cffi as c\nc.cudnnSetCallback(7, None, mine)\n"),
        ("b.py", "import ctypes\nctypes.CDLL('libcudnn.so').cudnnSetCallback(7, None, mine)\n"),
    ],
)
@pytest.mark.parametrize("new", ["9.1.0", "10.0.0"])
def test_a_changed_callback_is_told_to_those_who_pass_one(
    tmp_path: Path, name: str, text: str, new: str
) -> None:
    (old, api), _ = load(Wanted("9.0.0"), Wanted("9.1.0"))
    (callback,) = api.callbacks
    changed = replace(callback, parameters=callback.parameters[:-1])
    side = msgspec.structs.replace(old, version=new, build=new)
    after = side, replace(api, release=new, callbacks=(changed,))
    items, _ = narrow((old, api), after, [written(tmp_path, {name: text})], AXES)
    (item,) = [item for item in items if item.rule == "callback-changed"]
    assert [place.line for place in item.places] == [text.count("\n")]
    (tmp_path / name).write_text(text.replace("cudnnSetCallback", "cudnnCreate"))
    items, _ = narrow((old, api), after, [str(tmp_path)], AXES)
    assert "callback-changed" not in {item.rule for item in items}


def test_fused_operations_do_not_reach_what_is_set_on_descriptors() -> None:
    (_, api), _ = load(Wanted("8.9.7"), Wanted("9.0.0"))
    through = functions_by_type(api)
    for name in ("cudnnBackendKnobType_t", "cudnnBackendBehaviorNote_t"):
        assert not any("FusedOps" in function for function in through[name]), name
        assert "cudnnBackendSetAttribute" in through[name], name
    placeholder = through["cudnnFusedOpsPointerPlaceHolder_t"]
    assert "cudnnSetFusedOpsVariantParamPackAttribute" in placeholder


# Names that a program's own headers define

SHIM = f"""\
#include <cudnn.h>
#if CUDNN_VERSION >= 5000
#define cudnnAddTensor_v3 cudnnAddTensor
#endif
#if CUDNN_VERSION >= 8000
typedef enum {{}} cudnnConvolutionFwdPreference_t;
cudnnStatus_t {OLD}(...) {{
    return CUDNN_STATUS_NOT_SUPPORTED;
}}
#endif
#ifdef WITHOUT_CUDA
cudnnStatus_t {REMOVED}(...) {{ return CUDNN_STATUS_NOT_SUPPORTED; }}
#endif
"""
SHIMMED = f"""\
cdef extern from "shim.h":
    int cudnnAddTensor_v3(...)
    int {OLD}(...)
    int {REMOVED}(...)
    ctypedef int cudnnConvolutionFwdPreference_t
"""


@pytest.mark.parametrize("name", ["a.pyx", "a.c"])
def test_what_a_header_defines_is_no_use_of_cudnn(tmp_path: Path, name: str) -> None:
    found = lowest(tmp_path, {"shim.h": SHIM, name: SHIMMED})
    assert (found.oldest, found.newest) == ("8.5.0", "8.9.7")
    assert [lack.name for lack in found.fits[-1].lacks] == [REMOVED]
    without = lowest(tmp_path, {"shim.h": SHIM.replace("#include <cudnn.h>", "")})
    assert {lack.name for lack in without.fits[-1].lacks} > {OLD, REMOVED}


def test_enumerations_of_cython_are_numbers(tmp_path: Path) -> None:
    files = {
        "a.pxd": "cpdef enum:\n    CUDNN_ADD_IMAGE = 0\n    CUDNN_STATUS_BAD_PARAM = 3\n",
        "a.pyx": "f(cudnnCreate, CUDNN_ADD_IMAGE)\n",
        "b.py": "from a import cudnn\ncudnn.CUDNN_ADD_IMAGE\n",
    }
    assert lowest(tmp_path, files).clear
    assert compared(tmp_path, {})["enumerator-value-changed", "CUDNN_STATUS_BAD_PARAM"][1] == [3]


def test_attributes_that_only_look_like_functions(tmp_path: Path) -> None:
    text = "import ctypes\nlib = ctypes.CDLL('x')\nlib.cudnnCreate()\nmodule.cudnnOwnError()\n"
    assert unknown(lowest(tmp_path, {"a.py": text})) == []


def test_declarations_of_cython_that_no_release_has(tmp_path: Path) -> None:
    """In the block of a header of cuDNN's; other headers declare what they like."""
    block = "    int cudnnCreate(void *h)\n\n    int cudnnCraete(void *h)\n"
    own = block.replace("Craete", "Own")
    text = f'cdef extern from "cudnn.h":\n{block}cdef extern from "own.h":\n{own}x = cudnnMore(1)\n'
    assert unknown(lowest(tmp_path, {"a.pyx": text})) == ["cudnnCraete"]
    nested = "".join(f"    {line}\n" for line in text.splitlines())
    assert unknown(lowest(tmp_path, {"a.pyx": f"if True:\n{nested}"})) == ["cudnnCraete"]


def test_a_line_that_uses_a_name_twice_is_told_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "twice.c"
    path.write_text(
        "void f(void) { cudnnSetRNNPaddingMode(0, 0); cudnnSetRNNPaddingMode(0, 1); }\n"
    )
    main(["diff", "8.9.7", "9.0.0", "--uses", str(path)])
    told = capsys.readouterr().out
    assert told.count(f"{path}:1: cudnnSetRNNPaddingMode") == 1
