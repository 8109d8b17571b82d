"""Emitted tables against a C compiler: right ones pass, and whatever is damaged is named."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from generator import pipeline
from generator.__main__ import main
from generator.headers import HeaderError, HeaderSet
from generator.headers.exports import functions
from generator.verify import Verdict, VerifyError, verify
from generator.verify.compiler import Compiler
from generator.verify.declared import declared
from tests.generator.small import BASE, CUDA, Trusting, headers

BODY = (
    BASE
    + """
#define CUDNN_DIM_MAX 8
#define CUDNN_MIN_EPSILON 1e-5
#define CUDNN_BIT_A (1U << 3)
#define CUDNN_CATEGORY(code) ((code) / 1000 * 1000)
#define CUDNN_MOE_MAJOR 9
#define CUDNN_MOE_MINOR 2
#define CUDNN_MOE_PATCH 0
typedef struct { int numerator; int64_t denominator; float rest[3]; } cudnnFraction_t;
typedef struct cudnnAlgoStruct { union Algo { int a; double b; } algo; } cudnnAlgo_t;
typedef union { int whole; float part; } cudnnEither_t;
cudnnStatus_t cudnnSetEither(cudnnHandle_t handle, cudnnFraction_t const *f, size_t size,
    const void *alpha, const cudnnTensorDescriptor_t xDesc, const void *x, double d, float y);
cudnnStatus_t cudnnGetEither(cudnnHandle_t handle, int64_t *number, float *real, void **states);
unsigned cudnnPlain();
"""
)
SETS = {"9.1.0": headers("9.1.0"), "9.2.0": headers("9.2.0", BODY)}

if not any(map(shutil.which, ("cc", "gcc", "clang"))):
    pytest.skip("no C compiler", allow_module_level=True)


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("good") / "tree"
    pipeline.generate(SETS.values(), CUDA, out, facts=Trusting.load())
    return out


@pytest.fixture
def tree(good: Path, tmp_path: Path) -> Path:
    """A tree to damage."""
    return Path(shutil.copytree(good, tmp_path / "tree"))


def check(folder: Path, *versions: str, **others: HeaderSet) -> list[Verdict]:
    sets = {**SETS, **{name[1:].replace("_", "."): each for name, each in others.items()}}
    return list(verify(folder, versions, sets.__getitem__, CUDA))


def wrong(folder: Path, **others: HeaderSet) -> list[str]:
    """The report about 9.2.0."""
    (verdict,) = check(folder, "9.2.0", **others)
    return [str(each) for each in verdict.wrong]


def replace(folder: Path, name: str, old: str, new: str) -> None:
    path = folder / "cudnn_cffi" / name
    text = path.read_text()
    pattern = re.escape(old).replace(r"\ ", r"\s+")  # a long table has an item a line
    text, count = re.subn(pattern, lambda _: new, text)
    assert count == 1, f"{old} must be there once"
    path.write_text(text)


# Correct input


def test_what_is_emitted_is_right(good: Path) -> None:
    old, new = check(good)
    assert (old.wrong, new.wrong) == ([], [])
    assert (old.notes, new.notes) == ([], [])


def test_everything_is_counted(good: Path) -> None:
    (verdict,) = check(good, "9.2.0")
    assert verdict.counts == {
        "version": 1,
        "enums": 3,
        "enumerators": 6,
        "constants": 3,
        "records": 4,
        "fields": 8,
        "functions": 11,
        "arguments": 28 + 11,  # with the results
        "macros": 1,
        "declared": 11 + 6 + 6 + 10,  # functions, enumerators, types, macros with a value
    }
    assert verdict.checks > sum(verdict.counts.values())


# Faults


WINDOWS = "x86_64-w64-mingw32-gcc"


@pytest.mark.skipif(shutil.which(WINDOWS) is None, reason=f"there is no {WINDOWS}")
def test_what_is_wrong_on_windows_alone_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A `long` has 4 bytes there. Programs for it do not run here."""
    body = (
        BASE
        + """
typedef struct { int first; long second; } cudnnPair_t;
cudnnStatus_t cudnnCount(cudnnHandle_t handle, long number);
"""
    )
    sets = {"9.1.0": headers("9.1.0", body)}
    tree = tmp_path / "tree"
    pipeline.generate(sets.values(), CUDA, tree, facts=Trusting.load())
    monkeypatch.delenv("CC", raising=False)
    (here,) = verify(tree, (), sets.__getitem__, CUDA)
    assert here.wrong == []
    monkeypatch.setenv("CC", WINDOWS)
    (there,) = verify(tree, (), sets.__getitem__, CUDA)
    assert {each.name for each in there.wrong} == {
        "cudnnPair_t, size", "cudnnPair_t, alignment", "cudnnPair_t.second, offset",
        "cudnnPair_t.second, size", "cudnnCount, number as q",
    }  # fmt: skip
    assert "cudnnPair_t, size: the tables say 16, the headers have another value" in map(
        str, there.wrong
    )


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("_history.py", '"CUDNN_DATA_DOUBLE", 1', '"CUDNN_DATA_DOUBLE", 2',
         "CUDNN_DATA_DOUBLE: the tables say 2, the headers have 1"),
        ("_history.py", '"CUDNN_DATA_DOUBLE", 1', '"CUDNN_DATA_TRIPLE", 1',
         "CUDNN_DATA_TRIPLE: the tables say 1, the headers have no such thing"),
        ("_history.py", '"CUDNN_BIT_A", 8', '"CUDNN_BIT_A", 4',
         "CUDNN_BIT_A: the tables say 4, the headers have 8"),
        ("_history.py", '"CUDNN_DIM_MAX", 8', '"CUDNN_DIM_MAX", 9',
         "CUDNN_DIM_MAX: the tables say 9, the headers have 8"),
        ("_history.py", "1e-05", "1.0000000000000003e-05",
         "CUDNN_MIN_EPSILON: the tables say 1.0000000000000003e-05, the headers have 1.0000000000000001e-05"),
        ("_history.py", "// 1000 * 1000", "// 1000 * 1001",
         "CUDNN_CATEGORY(1000): the tables say 1001, the headers have 1000"),
        ("_history.py", '"struct", 32, 8', '"struct", 36, 8',
         "cudnnFraction_t, size: the tables say 36, the headers have 32"),
        ("_history.py", '"struct", 32, 8', '"struct", 32, 4',
         "cudnnFraction_t, alignment: the tables say 4, the headers have 8"),
        ("_history.py", '"int64_t", 8, 8', '"int64_t", 4, 8',
         "cudnnFraction_t.denominator, offset: the tables say 4, the headers have 8"),
        ("_history.py", '"float", 16, 12, 3', '"float", 16, 12, 4',
         "cudnnFraction_t.rest, type: the tables say float[4], the headers have another"),
        ("_history.py", '"int64_t", 8, 8', '"uint64_t", 8, 8',
         "cudnnFraction_t.denominator, type: the tables say uint64_t, the headers have another"),
        ("_history.py", '("b", "double", 0, 8', '("b", "double", 0, 4',
         "cudnnAlgo_t.algo.b, size: the tables say 4, the headers have 8"),
        ("_history.py", '"cudnnPlain", "cudnnPlain"', '"cudnnPlain", "cudnnPlane"',
         "cudnnPlain: the tables say a wrapper in _specs.py, the headers have unsigned cudnnPlain()"),
        ("_history.py", '("cudnnPlain", "cudnnPlain"',
         '("cudnnNone", "cudnnPlain", "9.2.0"), ("cudnnPlain", "cudnnPlain"',
         "cudnnNone: the tables say a function with a model, the headers have another"),
        ("api/history.json", '"const cudnnFraction_t *"', '"const cudnnAlgo_t *"',
         "cudnnSetEither: the tables say cudnnStatus_t(cudnnHandle_t, const cudnnAlgo_t *, "),
        ("_native/shims.c", "(*F)(void *, void *, void *, void *);",
         "(*F)(void *, void *, void *, double);",
         "cudnnGetEither, states as op: the tables say void ** is passed as double"),
    ],
)  # fmt: skip
def test_one_damaged_thing_is_named(tree: Path, file: str, old: str, new: str, said: str) -> None:
    replace(tree, file, old, new)
    found = wrong(tree)
    assert any(said in each for each in found), found
    # A row of the history is that of all releases that have it.
    (others,) = check(tree, "9.1.0")
    assert {str(each) for each in others.wrong} <= set(found)


@pytest.mark.parametrize(
    ("codes", "damaged", "said"),
    [
        ('"P", "oq", "of", "op"', '"P", "oi", "of", "op"',
         "number, element: the tables say int64_t is passed as int"),
        ('"P", "oq", "of", "op"', '"P", "oq", "od", "op"',
         "real, element: the tables say float is passed as double"),
        ('"P", "oq", "of", "op"', '"P", "oq", "of"', "the tables say 4 arguments in spec and shim"),
        ('"p", "d", "f"', '"p", "d", "d"', "y as d: the tables say float is passed as double"),
        ('"Q", "s4"', '"I", "s4"', "size as I: the tables say size_t is passed as unsigned int"),
        ('"Q", "s4"', '"q", "s4"', "size as q: the tables say size_t is passed as int64_t"),
    ],
)  # fmt: skip
def test_a_wrong_code_of_an_argument_is_named(
    tree: Path, codes: str, damaged: str, said: str
) -> None:
    replace(tree, "_specs.py", codes, damaged)
    assert any(said in each for each in wrong(tree)), wrong(tree)


def test_a_wrong_element_of_an_array_is_named(tree: Path) -> None:
    replace(tree, "calls/core.py", '_array(dimA, "i",', '_array(dimA, "q",')
    (found,) = wrong(tree)
    assert found.startswith(
        "cudnnSetTensorNdDescriptor, dimA, element: the tables say const int is passed as int64_t"
    )


@pytest.mark.parametrize(
    ("extra", "said"),
    [
        ("cudnnStatus_t cudnnMore(void);", "cudnnMore: the tables say nothing, the headers declare a function"),
        ("typedef enum { CUDNN_MORE } cudnnMore_t;", "CUDNN_MORE: the tables say nothing, the headers declare an enumerator"),
        ("typedef struct { int a; } cudnnMore_t;", "cudnnMore_t: the tables say nothing, the headers declare a type"),
        ("#define CUDNN_MORE (CUDNN_DIM_MAX + 1)", "CUDNN_MORE: the tables say nothing, the headers declare a constant"),
    ],
)  # fmt: skip
def test_what_the_tables_lack_is_named(good: Path, extra: str, said: str) -> None:
    assert said in wrong(good, v9_2_0=headers("9.2.0", BODY + extra + "\n"))


def test_other_headers_than_those_it_was_made_from_are_noted(good: Path) -> None:
    (verdict,) = check(good, "9.2.0", v9_2_0=headers("9.2.0", BODY + "\n\n"))
    assert verdict.wrong == []
    assert verdict.notes == ["these headers are not the very ones it was generated from"]


def test_headers_of_another_release_are_wrong(good: Path) -> None:
    found = wrong(good, v9_2_0=headers("9.3.0", BODY))
    assert found == ["CUDNN_VERSION: the tables say 90200, the headers have 90300"]


# Libraries


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("library")
    (folder / "fake.c").write_text(
        "int cudnnOne(void) { return 1; }\nint cudnnTwo(void) { return 2; }\n"
        "static int cudnnHidden(void) { return 3; }\nint cudnnData = 4;\nint other(void);\n"
        "int cudnnElsewhere(void);\n"
        "int unrelated(void) { return cudnnHidden() + cudnnElsewhere(); }\n"
    )
    command = [*Compiler.find().command, "-shared", "-fPIC", "-o", "fake.so", "fake.c"]
    subprocess.run(command, cwd=folder, check=True)
    return (folder / "fake.so").read_bytes()


def test_exported_functions_are_read_without_loading(library: bytes) -> None:
    assert functions(library, "fake.so") == ("cudnnOne", "cudnnTwo")


def test_what_is_no_library_is_refused() -> None:
    with pytest.raises(HeaderError, match=r"notes\.txt is not a shared library"):
        functions(b"words", "notes.txt")


def test_functions_are_looked_for_in_the_library(good: Path) -> None:
    exports = frozenset(["cudnnCreate", "cudnnSecret"])
    (verdict,) = verify(good, ["9.2.0"], SETS.__getitem__, CUDA, lambda _: exports)
    missing = [str(each) for each in verdict.wrong]
    assert "cudnnDestroy: the tables say a function, the library does not export it" in missing
    assert len(missing) == verdict.counts["exported"] - 1
    assert verdict.undeclared == ("cudnnSecret",)


def test_a_library_that_cannot_be_had_is_noted(good: Path) -> None:
    def fail(version: str) -> frozenset[str]:
        raise HeaderError(f"no wheel of {version}")

    (verdict,) = verify(good, ["9.2.0"], SETS.__getitem__, CUDA, fail)
    assert verdict.wrong == []
    assert verdict.notes == ["not compared with its library: no wheel of 9.2.0"]


# The second reading


def test_names_are_read_off_the_preprocessors_output() -> None:
    text = """
# 1 "/usr/include/other.h" 1
int cudnnForeign(void);
# 1 "/inc/cudnn.h" 1 3 4
#define CUDNN_N 3
#define CUDNN_EMPTY
#define CUDNN_MAJOR 9
#define CUDNN_OLD __attribute__((deprecated))
#define CUDNN_F(x) (x)
typedef enum { CUDNN_A __attribute__((deprecated("use cudnnX()"))) = 1, CUDNN_B = CUDNN_A, } cudnnE_t;
typedef struct cudnnS { int a; union { int b; } c; } cudnnS_t;
typedef void (*cudnnCallback_t)(int cudnnNot);
__attribute__((deprecated("no; use cudnnOther()"))) extern int cudnnF(cudnnE_t e,
   void (*f)(int));
const char * cudnnG ( void );
"""
    found = declared(text, "/inc")
    assert found.functions == ("cudnnF", "cudnnG")
    assert found.enumerators == ("CUDNN_A", "CUDNN_B")
    assert found.types == ("cudnnE_t", "cudnnS_t")
    assert found.macros == {"CUDNN_N": "3", "CUDNN_MAJOR": "9"}
    assert found.prototypes["cudnnG"] == "const char * cudnnG ( void )"


# Compilers and commands


@pytest.fixture
def no_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))


@pytest.mark.usefixtures("no_compiler")
def test_without_a_compiler_nothing_is_claimed(good: Path) -> None:
    with pytest.raises(VerifyError, match="no cc, gcc or clang in PATH; install gcc or clang"):
        check(good)


def test_the_compiler_can_be_named(good: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-cc -O2")
    with pytest.raises(VerifyError, match="CC names 'no-such-cc -O2', which is not there"):
        check(good)


def test_headers_that_do_not_compile_are_an_error(good: Path) -> None:
    with pytest.raises(VerifyError, match=r"9\.2\.0: .*failed:\n.*\n?.*nonsense"):
        check(good, v9_2_0=headers("9.2.0", BODY + "nonsense here;\n"))


def test_a_release_that_is_not_in_the_tree(good: Path) -> None:
    with pytest.raises(VerifyError, match=r"expected 9\.3\.0 there, but the tree has 2 releases"):
        check(good, "9.3.0")


def test_the_command_exits_with_1_where_something_is_wrong(tree: Path, tmp_path: Path) -> None:
    include, cuda = tmp_path / "include", tmp_path / "cuda"
    for folder, files in ((include, SETS["9.2.0"].files), (cuda, CUDA.files)):
        folder.mkdir()
        for name, data in files.items():
            (folder / name).write_bytes(data)
    (cuda / "cuda_runtime_api.h").write_bytes(
        b"#define CUDART_VERSION 13000\n" + CUDA.files["cuda_runtime_api.h"]
    )
    command = ["verify", "--no-libraries", "--headers", str(include), "--cuda-headers", str(cuda)]
    command += ["--out", str(tree)]
    result = CliRunner().invoke(main, command)
    assert result.exit_code == 0, result.output
    assert re.search(r"1 releases, \d+ checks, 0 wrong", result.output)
    replace(tree, "_history.py", '"CUDNN_DATA_DOUBLE", 1', '"CUDNN_DATA_DOUBLE", 2')
    result = CliRunner().invoke(main, command)
    assert result.exit_code == 1
    assert "9.2.0: CUDNN_DATA_DOUBLE: the tables say 2, the headers have 1" in result.output
    assert os.fspath(tree) not in result.output
