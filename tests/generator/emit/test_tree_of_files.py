"""Models in, files out: always the same ones, importable, and without a word of the headers'."""

from __future__ import annotations

import ast
import hashlib
import itertools
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from generator import emit, pipeline, tree
from generator.headers.cache import Cache
from generator.headers.records import HeaderSet
from tests.generator.small import BASE, CUDA, content, headers

COMMENTED = """
/** Computes the nonsense of a tensor, nonchalantly.
 *  @brief  nonsense
 *  @param[in] number  how much nonsense */
cudnnStatus_t cudnnNonsense(int number); // nonsense
"""

SETS = [
    headers("9.1.0", BASE + "typedef enum { CUDNN_X_A, CUDNN_X_B } cudnnX_t;\n"),
    headers("9.1.1", BASE + "typedef enum { CUDNN_X_A, CUDNN_X_B } cudnnX_t;\n"),
    headers("9.2.0", BASE + "typedef enum { CUDNN_X_A, CUDNN_Y_B } cudnnX_t;\n" + COMMENTED),
    headers("9.10.0", BASE + "#define CUDNN_MASK_A (1 << 2)\nstatic int unused;\n"),
]


@pytest.fixture(scope="module")
def home() -> emit.Files:
    """The tree that the models of the checkout give."""
    return tree.files(tree.load(tree.HOME).merged())


def stamp_is_true(data: bytes) -> bool:
    """Whether a stamped file has the content that its stamp names."""
    head, _, text = data.partition(b"\n")
    return hashlib.sha256(text).hexdigest()[:32].encode() in head


def python(files: emit.Files) -> dict[str, str]:
    return {name: data.decode() for name, data in files.items() if name.endswith((".py", ".pyi"))}


# The checkout


def test_the_committed_tree_is_what_its_models_give(home: emit.Files) -> None:
    assert tree.differences(tree.HOME, home) == []


def test_stamps_are_true(home: emit.Files) -> None:
    stamped = [name for name in home if name.endswith((".py", ".pyi", ".c"))]
    assert len(stamped) > 140
    assert [name for name in stamped if not stamp_is_true(home[name])] == []


def test_a_stamp_tells_of_an_edit(home: emit.Files) -> None:
    data = home["cudnn_cffi/_index.py"]
    assert not stamp_is_true(data + b"\n")
    assert not stamp_is_true(data.replace(b"9.28.0", b"9.28.1"))
    assert not stamp_is_true(b"no stamp at all\n")


def test_every_python_file_is_python(home: emit.Files) -> None:
    for name, text in python(home).items():
        compile(text, name, "exec")


def test_python_is_laid_out_as_ruff_does(home: emit.Files, tmp_path: Path) -> None:
    ruff = shutil.which("ruff") or shutil.which("ruff", path=Path(sys.executable).parent)
    if ruff is None:
        pytest.skip("no ruff")
    paths = []
    for name, text in python(home).items():
        paths.append(tmp_path / name)
        paths[-1].parent.mkdir(parents=True, exist_ok=True)
        paths[-1].write_text(text)
    command = [ruff, "format", "--diff", "--isolated", "--line-length=100", *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert not done.returncode, done.stdout[:2000] + done.stderr


def test_every_wrapper_says_what_it_takes_gives_and_calls(home: emit.Files) -> None:
    calls = {n: t for n, t in python(home).items() if re.fullmatch(r"cudnn_cffi/calls/\w+\.py", n)}
    seen = 0
    for text in calls.values():
        for node in ast.parse(text).body:
            if not isinstance(node, ast.FunctionDef):
                continue
            seen += 1
            said = ast.get_docstring(node) or ""
            assert node.returns is not None
            for argument in node.args.args:
                assert argument.annotation is not None
                assert f"    {argument.arg}: " in said, (node.name, argument.arg)
            assert f"{node.name.partition('__')[0]}(" in " ".join(said.split())
    assert seen == len(
        {v for t in tree.load(tree.HOME).merged().all_variants() for v in [t.wrapper]}
    )


def test_help_of_a_deprecated_function_says_what_to_use(home: emit.Files) -> None:
    said = {
        node.name: " ".join((ast.get_docstring(node) or "").split())
        for name, text in python(home).items()
        if re.fullmatch(r"cudnn_cffi/calls/\w+\.py", name)
        for node in ast.parse(text).body
        if isinstance(node, ast.FunctionDef)
    }
    assert "deprecated since 9.0.0; use the graph API." in said["cudnnConvolutionForward"]
    assert "use the graph API's SDPA operations." in said["cudnnMultiHeadAttnForward"]
    assert "use `cudnnGetLastErrorString`." in said["cudnnQueryRuntimeError"]


def test_no_sentence_of_a_header_is_in_the_tree(home: emit.Files) -> None:
    for name, data in home.items():
        for mark in (b"@param", b"@brief", b"@since", b"@deprecated", b"\\brief", b"Copyright"):
            assert mark not in data, (name, mark)


def test_nothing_depends_on_when_and_where(home: emit.Files) -> None:
    marks = [str(Path.home()).encode(), str(tree.HOME).encode(), b"/tmp/"]
    if len(marks[0]) < 4:
        marks.pop(0)
    for name, data in home.items():
        assert not [mark for mark in marks if mark in data], name


# Any tree


def test_the_order_of_generation_makes_no_difference(tmp_path: Path) -> None:
    results = []
    for i, order in enumerate([SETS, SETS[::-1], [SETS[2], SETS[0], SETS[3], SETS[1]]]):
        out = tmp_path / f"tree{i}"
        if i == 2:  # one at a time
            for each in order:
                pipeline.generate([each], CUDA, out)
        else:
            pipeline.generate(order, CUDA, out)
        results.append(content(out))
    for one, other in itertools.pairwise(results):
        assert one == other


def test_generating_again_changes_nothing(tmp_path: Path) -> None:
    pipeline.generate(SETS, CUDA, tmp_path / "tree")
    before = content(tmp_path / "tree")
    assert pipeline.generate(SETS[1:2], CUDA, tmp_path / "tree").changed == 0
    assert pipeline.reemit(tmp_path / "tree").changed == 0
    assert content(tmp_path / "tree") == before
    assert pipeline.check(tmp_path / "tree") == []


def test_equal_apis_share_tables_and_every_release_has_a_name(tmp_path: Path) -> None:
    report = pipeline.generate(SETS, CUDA, tmp_path)
    assert (report.releases, report.apis) == (4, 3)
    package = tmp_path / "cudnn_cffi"
    index: dict[str, Any] = {}
    exec((package / "_index.py").read_text(), index)
    assert index["RELEASES"] == {
        "9.1.0": "9.1.0", "9.1.1": "9.1.0", "9.2.0": "9.2.0", "9.10.0": "9.10.0"
    }  # fmt: skip
    assert sorted(p.name for p in package.glob("v*.py")) == [
        "v9_10_0.py",
        "v9_1_0.py",
        "v9_1_1.py",
        "v9_2_0.py",
    ]


def test_words_of_a_comment_stay_in_the_header(tmp_path: Path) -> None:
    pipeline.generate(SETS, CUDA, tmp_path)
    text = b"".join(content(tmp_path).values())
    assert b"cudnnNonsense" in text
    assert b"nonchalantly" not in text
    assert b"how much nonsense" not in text


def test_emitting_needs_no_header(tmp_path: Path) -> None:
    pipeline.generate(SETS, CUDA, tmp_path)
    before = content(tmp_path)
    for path in tmp_path.rglob("*"):
        if path.is_file() and path.parent.name != "api" and path.name != tree.MANIFEST:
            path.unlink()
    assert pipeline.reemit(tmp_path).changed > 20
    assert content(tmp_path) == before


def test_a_hand_edit_is_found_and_undone(tmp_path: Path) -> None:
    pipeline.generate(SETS, CUDA, tmp_path)
    path = tmp_path / "cudnn_cffi" / "_history.py"
    path.write_text(path.read_text().replace("CUDNN_X_A", "CUDNN_X_Z"))
    assert pipeline.check(tmp_path) == ["differs: cudnn_cffi/_history.py"]
    assert pipeline.reemit(tmp_path).changed == 1
    assert pipeline.check(tmp_path) == []


ODD = """
typedef struct cudnnContext *cudnnHandle_t;\r
typedef enum { CUDNN_STATUS_SUCCESS = 0, CUDNN_STATUS_LAST = -1 } cudnnStatus_t; // caf\u00e9\r
typedef struct cudnnTensor4dStruct* cudnnTensor4dDescriptor_t;\r
typedef enum { CUDNN_ADD_A = 0, CUDNN_ADD_B = CUDNN_ADD_A,\r
               // CUDNN_ADD_C = 1,\r
               CUDNN_ADD_D } cudnnAddMode_t;\r
#define CUDNN_LAST 07 // words\r
typedef struct { int kind; union Algo { int a; double b; } algo; int reserved[3]; } cudnnAlgo_t;\r
size_t cudnnGetVersion();\r
cudnnStatus_t cudnnCreate(cudnnHandle_t *handle);\r
cudnnStatus_t cudnnDestroy(cudnnHandle_t handle);\r
cudnnStatus_t cudnnCreateTensor4dDescriptor( cudnnTensor4dDescriptor_t *tensorDesc );\r
cudnnStatus_t cudnnDestroyTensor4dDescriptor( cudnnTensor4dDescriptor_t tensorDesc );\r
cudnnStatus_t cudnnScaleTensor4d( cudnnHandle_t handle, cudnnTensor4dDescriptor_t desc,\r
                                  void *data, void const *alpha, float const f );\r
"""


def test_headers_as_odd_as_the_first_ones_go_through(tmp_path: Path) -> None:
    text = '#include "driver_types.h"\n' + ODD
    first = HeaderSet(version="1.0.0", build="1.0.0", files={"cudnn.h": text.encode()}, origin="x")
    assert pipeline.generate([first, *SETS], CUDA, tmp_path).releases == 5
    for name, source in python(content(tmp_path)).items():
        compile(source, name, "exec")
    history = (tmp_path / "cudnn_cffi" / "_history.py").read_text()
    assert '("cudnnScaleTensor4d", "cudnnScaleTensor4d", "1.0.0", "9.1.0")' in history
    assert '("D", "CUDNN_ADD_D", 1, "1.0.0", "9.1.0")' in history
    assert '("CUDNN_LAST", 7, "1.0.0", "9.1.0")' in history


def test_emitted_code_uses_no_name_that_is_not_there(home: emit.Files, tmp_path: Path) -> None:
    for name, text in python(home).items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--select", "F821,F823,F811"]
    done = subprocess.run([*command, str(tmp_path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]


def runs(text: str, length: int = 6) -> set[str]:
    """Return all runs of a number of words."""
    words = re.findall(r"[\w']+", text.lower())
    return {" ".join(words[i : i + length]) for i in range(len(words) - length + 1)}


def test_no_six_words_of_a_comment_are_in_the_tree(home: emit.Files) -> None:
    newest = tree.load(tree.HOME).merged().releases[-1]
    headers_of = Cache().load(f"cudnn-{newest.build}", HeaderSet)
    if headers_of is None:
        pytest.skip(f"the headers of {newest.version} are not in the cache of the generator")
    comments = set[str]()
    for data in headers_of.files.values():
        for comment in re.findall(r"/\*.*?\*/|//[^\n]*", data.decode(), re.S):
            comments |= runs(comment)
    assert len(comments) > 1000
    for name, data in home.items():
        assert not runs(data.decode()) & comments, name
