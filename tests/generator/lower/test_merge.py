"""Many releases, one call layer: who has which function, and in which form."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from cudnn_cffi.api import model

from generator import pipeline, tree
from generator.lower.merge import Merged, MergeError, merge
from tests.compilers import c_library
from tests.generator.small import BASE, CUDA, Trusting, headers

ROOT = Path(__file__).resolve().parents[3]


def function(name: str, *types: str, result: str = "cudnnStatus_t") -> model.Function:
    parameters = tuple(model.Parameter(name=f"p{i}", type=t) for i, t in enumerate(types))
    return model.Function(name=name, header="cudnn.h", result=result, parameters=parameters)


def merged(**functions: list[model.Function]) -> Merged:
    """Releases, named like v9_1_0, that each have functions and an API of their own."""
    versions = [name[1:].replace("_", ".") for name in functions]
    apis = {
        version: model.Api(release=version, functions=tuple(own))
        for version, own in zip(versions, functions.values(), strict=True)
    }
    return merge([model.Release(version=v, build=v, api=v) for v in reversed(versions)], apis)


def forms(found: Merged, name: str) -> list[tuple[str, tuple[str, ...]]]:
    return [(v.wrapper, v.releases) for v in found.variants[name]]


def test_a_function_that_stays_has_one_wrapper_for_all() -> None:
    found = merged(v9_9_0=[function("cudnnF", "int")], v9_10_0=[function("cudnnF", "int")])
    assert forms(found, "cudnnF") == [("cudnnF", ("9.9.0", "9.10.0"))]
    assert (found.since("cudnnF"), found.removed("cudnnF")) == ("9.9.0", None)


def test_another_spelling_of_a_parameter_makes_no_form() -> None:
    one, other = (
        model.replace(function("cudnnF", "int"), parameters=(model.Parameter(name, "int"),))
        for name in ("fMode", "fwdMode")
    )
    found = merged(v9_0_0=[one], v9_1_0=[other])
    assert len(found.variants["cudnnF"]) == 1
    assert found.variants["cudnnF"][0].function is other  # as the newest release has it


def test_each_form_has_a_wrapper_and_the_newest_the_plain_name() -> None:
    found = merged(
        v7_0_0=[function("cudnnF", "int")],
        v7_1_0=[function("cudnnF", "int")],
        v8_0_0=[function("cudnnF", "int", "double")],
        v9_0_0=[function("cudnnF", "size_t")],
    )
    assert forms(found, "cudnnF") == [
        ("cudnnF", ("9.0.0",)),
        ("cudnnF__8_0_0", ("8.0.0",)),
        ("cudnnF__7_1_0", ("7.0.0", "7.1.0")),
    ]
    assert (found.since("cudnnF"), found.removed("cudnnF")) == ("7.0.0", None)


def test_operands_in_another_order_are_another_form() -> None:
    """One wrapper would pass what comes by keyword in the wrong places of one of them."""
    one, other = (
        model.replace(
            function("cudnnF"),
            parameters=tuple(
                model.Parameter(name, "const void *", kind="device", memory="device")
                for name in names
            ),
        )
        for names in ("ab", "ba")
    )
    assert len(merged(v9_0_0=[one], v9_1_0=[other]).variants["cudnnF"]) == 2


def test_another_result_or_role_is_another_form() -> None:
    written = model.replace(
        function("cudnnF", "int *"), parameters=(model.Parameter("p0", "int *", direction="out"),)
    )
    found = merged(
        v7_0_0=[function("cudnnF", "int *", result="int")],
        v8_0_0=[function("cudnnF", "int *")],
        v9_0_0=[written],
    )
    assert [v.wrapper for v in found.variants["cudnnF"]] == [
        "cudnnF",
        "cudnnF__8_0_0",
        "cudnnF__7_0_0",
    ]


def test_an_array_of_another_size_is_another_form() -> None:
    one, other = (
        model.replace(
            function("cudnnF"),
            parameters=(model.Parameter("dims", f"const int[{n}]", kind="array", memory="host"),),
        )
        for n in (3, 4)
    )
    found = merged(v9_0_0=[one], v9_1_0=[other])
    assert forms(found, "cudnnF") == [("cudnnF", ("9.1.0",)), ("cudnnF__9_0_0", ("9.0.0",))]


@pytest.mark.parametrize(
    ("declared", "before", "after"),
    [
        ("typedef {} cudnnDim_t; cudnnStatus_t cudnnGetDim(cudnnDim_t *dim);", "int", "int64_t"),
        ("typedef {} cudnnDim_t; cudnnStatus_t cudnnGetDim(cudnnDim_t *dim);", "int", "unsigned"),
        (
            "typedef struct {{ {}; }} cudnnDim_t; cudnnStatus_t cudnnPass(cudnnDim_t dim);",
            "int n",
            "int n, m",
        ),
    ],
)
def test_a_type_of_another_size_is_refused(
    declared: str, before: str, after: str, tmp_path: Path
) -> None:
    """One wrapper would read or write too much with one of the releases."""
    sets = [
        headers(version, BASE + declared.format(type_))
        for version, type_ in (("9.1.0", before), ("9.2.0", after))
    ]
    with pytest.raises(MergeError, match=r"cudnnDim_t is another type in 9\.2\.0 than in 9\.1\.0"):
        pipeline.generate(sets, CUDA, tmp_path / "tree", facts=Trusting.load())


def test_a_form_that_comes_back_is_the_same_form() -> None:
    found = merged(
        v8_0_0=[function("cudnnF", "int")],
        v8_1_0=[function("cudnnF", "double")],
        v8_2_0=[function("cudnnF", "int")],
    )
    assert forms(found, "cudnnF") == [
        ("cudnnF", ("8.0.0", "8.2.0")),
        ("cudnnF__8_1_0", ("8.1.0",)),
    ]


def test_the_first_release_without_a_function_removed_it() -> None:
    found = merged(v8_9_0=[function("cudnnF")], v8_10_0=[], v9_0_0=[])
    assert (found.since("cudnnF"), found.removed("cudnnF")) == ("8.9.0", "8.10.0")


def test_what_does_not_belong_together_is_refused() -> None:
    release = model.Release(version="9.0.0", build="9.0.0.1", api="9.0.0")
    api = model.Api(release="9.0.0")
    with pytest.raises(MergeError, match="no release"):
        merge([], {})
    with pytest.raises(MergeError, match=r"9\.0\.0: there is no model 9\.0\.0"):
        merge([release], {})
    with pytest.raises(MergeError, match=r"two releases are called 9\.0\.0"):
        merge([release, model.replace(release, build="9.0.0.2")], {"9.0.0": api})


# From headers to calls: a function that changed between releases, with a library of each.

OLD = BASE + "cudnnStatus_t cudnnTwice(int number, int *result);\ncudnnStatus_t cudnnGone(void);\n"
NEW = BASE + "cudnnStatus_t cudnnTwice(int64_t number, double add, double *result);\n"

LIBRARY = """
#include <stddef.h>
#include <stdint.h>
size_t cudnnGetVersion(void) { return VERSION; }
size_t cudnnGetCudartVersion(void) { return 12000; }
const char *cudnnGetErrorString(int status) { return status ? "bad" : "good"; }
#if VERSION == 90100
int cudnnTwice(int number, int *result) { *result = 2 * number; return 0; }
#else
int cudnnTwice(int64_t number, double add, double *result)
{ *result = 2.0 * number + add; return 0; }
#endif
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tree with two releases, between which a function changed."""
    out = tmp_path_factory.mktemp("made") / "tree"
    sets = [headers("9.1.0", OLD), headers("9.2.0", NEW)]
    pipeline.generate(sets, CUDA, out, facts=Trusting.load())
    return out


def library(folder: Path, version: int) -> Path:
    return c_library(folder / "libcudnn.so.9", LIBRARY, f"-DVERSION={version}")


def run(
    package: Path, code: str, environment: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(map(str, (ROOT / "overlay", package)))
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": path, "CUDNN_CFFI_MODE": "abi", **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("version", "number", "arguments", "result"),
    [("9.1.0", 90100, "21", 42), ("9.2.0", 90200, "21, 0.5", 42.5)],
)
@pytest.mark.parametrize("pinned", [True, False])
def test_each_release_calls_its_own_form(
    package: Path,
    tmp_path: Path,
    version: str,
    number: int,
    arguments: str,
    result: float,
    pinned: bool,
) -> None:
    module = f"cudnn_cffi.v{version.replace('.', '_')}" if pinned else "cudnn_cffi"
    code = f"import {module} as c\nprint(c.cudnnGetVersion(), c.cudnnTwice({arguments}))"
    done = run(package, code, {"CUDNN_CFFI_LIBRARY": str(library(tmp_path, number))})
    assert done.stdout.split() == [str(number), str(result)], done.stderr


def test_tables_name_the_wrapper_of_their_release(package: Path) -> None:
    code = (
        "import json\nfrom cudnn_cffi._tables.rows import Rows\n"
        "print(json.dumps([Rows('9.1.0').functions, Rows('9.2.0').functions]))"
    )
    old, new = json.loads(run(package, code, {}).stdout)
    assert (old["cudnnTwice"], new["cudnnTwice"]) == ("cudnnTwice__9_1_0", "cudnnTwice")
    assert old["cudnnGetVersion"] == new["cudnnGetVersion"] == "cudnnGetVersion"
    assert "cudnnGone" in old
    assert "cudnnGone" not in new


def test_the_tree_says_so_for_reviewers(package: Path) -> None:
    text = (package / "roles.txt").read_text()
    assert "cudnnTwice -> cudnnStatus_t\n    number: int64_t: in scalar\n" in text
    assert "cudnnTwice__9_1_0 -> cudnnStatus_t\n    number: int: in scalar\n" in text
    assert len(tree.load(package).releases) == 2
