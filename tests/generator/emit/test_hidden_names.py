"""Names in headers against the names of templates: neither ever hides the other."""

from __future__ import annotations

import ast
import builtins
import keyword
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from generator import emit, pipeline, tree
from generator.lower import names
from tests.generator import fake
from tests.generator.small import BASE, CUDA, headers

CALLS = tree.HOME / "cudnn_cffi" / "calls"


def modules() -> Iterator[ast.Module]:
    for path in sorted(CALLS.glob("*.py")):
        yield ast.parse(path.read_text())
    yield ast.parse((tree.HOME / "cudnn_cffi" / "families.py").read_text())


def own_names() -> list[str]:
    """All that emitted modules name: what they import, define, assign and use."""
    found = {"cudnnExtra", "ExtraResult", "self", *(w for w in keyword.kwlist if w.islower())}
    parameters = set()
    for module in modules():
        for node in ast.walk(module):
            match node:
                case ast.Name(name) | ast.ExceptHandler(name=str(name)):
                    found.add(name)
                case ast.arg(name):
                    parameters.add(name)
                case ast.alias(name, None) | ast.alias(_, str(name)):
                    found.add(name)
    # C has words of its own.
    of_c = {"if", "else", "for", "while", "break", "continue", "return", "int", "float"}
    own = {name for name in found - parameters | {"self"} if "." not in name}
    return sorted(name for name in own - of_c if not name.startswith("_cudnn"))


def extra(result: bool) -> str:
    """A function with parameters of all these names, and one with an array that comes back."""
    every = own_names()
    parameters = ", ".join(f"int {name}" for name in every)
    out = ", int *error_, int nbDimsRequested, int *nbDims, int dimA[]" if result else ""
    return f"cudnnStatus_t cudnnExtra({parameters}{out});\n"


def test_the_names_are_those_that_templates_have() -> None:
    found = own_names()
    assert {"_quick", "_slow", "_lend", "_failed", "_status", "_error", "_r", "_out"} <= set(found)
    assert {"self", "tuple", "min", "_out_dimA", "_new", "_unpack", "lambda"} <= set(found)
    assert len(found) > 200


@pytest.fixture(scope="module", params=["abi", "api"])
def made(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Path, str]:
    """A package with such functions, their library, and the mode to call them in."""
    folder = tmp_path_factory.mktemp(request.param)
    release = headers("9.1.0", BASE + extra(False).replace("Extra(", "Quick(") + extra(True))
    site = fake.assemble(folder, [release], native=request.param == "api")
    library = fake.library(folder / "lib", fake.api(folder / "tree", "9.1.0"), 90100)
    return site, library, request.param


@pytest.mark.parametrize("result", [False, True], ids=["quick", "arrays"])
def test_parameters_of_all_these_names_arrive(made: tuple[Path, Path, str], result: bool) -> None:
    site, library, mode = made
    every = own_names()
    name = "cudnnExtra" if result else "cudnnQuick"
    more = f", {names.parameter_name('nbDimsRequested')}=4" if result else ""
    keywords = ", ".join(f"{names.parameter_name(n)}={i}" for i, n in enumerate(every))
    code = (
        "import cudnn_cffi as c\n"
        f"numbers = list(range({len(every)}))\n"
        f"print(c.{name}(*numbers{', 4' if result else ''}))\n"
        f"print(c.{name}({keywords}{more}))\n"
    )
    done = fake.run(site, code, library, mode)
    assert not done.returncode, done.stderr
    lines = done.stdout.splitlines()
    got = [line.split()[1 : len(every) + 1] for line in lines if line.startswith(name)]
    assert got == [[str(i) for i in range(len(every))]] * 2
    assert all(names.parameter_name(n).isidentifier() for n in every)


def test_the_first_call_of_a_process_passes_its_argument(made: tuple[Path, Path, str]) -> None:
    site, library, mode = made
    code = "import cudnn_cffi as c\nprint(c.cudnnGetErrorString(5), c.cudnnGetErrorString(6))"
    assert fake.run(site, code, library, mode).stdout == "status 5 status 6\n"


def test_emitted_functions_use_no_name_that_a_parameter_could_have() -> None:
    """A wrapper reads its own parameter, underscored, or escaped for parameters."""
    escaped = {"int", "map", "max", "min", "tuple"}
    for module in modules():
        for function in ast.walk(module):
            if not isinstance(function, ast.FunctionDef):
                continue
            given = {argument.arg for argument in function.args.args}
            for node in [n for line in function.body for n in ast.walk(line)]:
                if isinstance(node, ast.Name) and node.id not in given:
                    name = node.id
                    assert name[0] == "_" or name in escaped or names.parameter_name(name) != name
                    assert not (name in vars(builtins) and name not in escaped)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("_out", "arg_out"), ("arg_out", "argarg_out"), ("int", "int_"), ("int_", "int__"),
     ("cudnnCreate", "cudnnCreate_"), ("a$b", "a_24_b"), ("dataType", "dataType")],
)  # fmt: skip
def test_two_names_never_become_one(name: str, expected: str) -> None:
    assert names.parameter_name(name) == expected


# Other names in headers


@pytest.mark.parametrize("header", ["class", "1d", "core", "__init__", "a-b", "none"])
def test_headers_of_any_name_make_modules(tmp_path: Path, header: str) -> None:
    text = "cudnnStatus_t cudnnOther(int a);\n"
    others = {f"cudnn_{header}": f'#include "cudnn.h"\n{text}'}
    out = tmp_path / "tree"
    pipeline.generate([headers("9.1.0", **others)], CUDA, out)
    for path in (out / "cudnn_cffi").rglob("*.py*"):
        ast.parse(path.read_text(), str(path))
    assert "cudnnOther" in (out / "cudnn_cffi" / "names.pyi").read_text()
    assert (out / "cudnn_cffi/calls/__init__.py").read_text().count("\n") == 2
    assert "cudnnOther" not in (out / "cudnn_cffi/calls/core.py").read_text()


MEMBERS = ("mro", "name", "value", "name_", "_sunder_", "__dunder__", "lambda", "0", "1__2")


def test_enumerators_of_any_name_are_members(tmp_path: Path) -> None:
    members = ", ".join(f"CUDNN_X_{name} = {i}" for i, name in enumerate(MEMBERS))
    body = (
        BASE
        + f"typedef enum {{ {members} }} cudnnX_t;\ntypedef struct {{ int address; }} cudnnR_t;"
    )
    site = fake.assemble(tmp_path, [headers("9.1.0", body)])
    ast.parse((tmp_path / "tree/cudnn_cffi/enums.pyi").read_text())
    code = (
        "from cudnn_cffi import v9_1_0 as c\n"
        f"for i, name in enumerate({MEMBERS!r}):\n"
        "    member = getattr(c, 'CUDNN_X_' + name)\n"
        "    assert member == i and member is c.X(i) and c.X[member.name] is member, name\n"
        "assert len(c.X) == 9\n"
        "r = c.R(address_=3)\nassert r.address > 4096 and r.address_ == 3\n"
    )
    done = fake.run(site, code)
    assert not done.returncode, done.stderr


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("cudnnStatus_t cudnn$X(int a);", r"cudnn\$X of cudnn\.h is not a name"),
        ("cudnnStatus_t cudnn\ufb01(int a);", "is not a name that Python can have"),
        ("typedef enum { _CUDNN_X = 1 } cudnnX_t;", "_CUDNN_X of cudnn.h is not a name"),
        ("cudnnStatus_t lambda(int a);", "lambda of cudnn.h is not a name"),
        ("cudnnStatus_t cudnnX(int $a, int _24_a);", "arg_24_a would be the name of two"),
        ("typedef enum { CUDNN_H } cudnnHandle;", "cudnnHandle_t and cudnnHandle would both be"),
        ("cudnnStatus_t cudnnX(int $a, int \u00e9);", None),
    ],
)
def test_names_that_python_cannot_have_are_said(
    tmp_path: Path, body: str, said: str | None
) -> None:
    if said is None:
        pipeline.generate([headers("9.1.0", BASE + body)], CUDA, tmp_path / "tree")
        return
    with pytest.raises(emit.EmitError, match=said):
        pipeline.generate([headers("9.1.0", BASE + body)], CUDA, tmp_path / "tree")
    assert not (tmp_path / "tree").exists()


def test_parameters_without_a_name(tmp_path: Path) -> None:
    body = BASE + "cudnnStatus_t cudnnX(int, int arg0, int);"
    pipeline.generate([headers("9.1.0", body)], CUDA, tmp_path / "tree")
    (found,) = [f for f in fake.api(tmp_path / "tree", "9.1.0").functions if f.name == "cudnnX"]
    assert [p.name for p in found.parameters] == ["arg0_", "arg0", "arg2"]


def test_odd_files_among_the_headers(tmp_path: Path) -> None:
    from generator.headers import from_folder
    from generator.headers.records import HeaderError
    from tests.generator.small import text_of

    (tmp_path / "cudnn.h").write_text(text_of("9.1.0"))
    os.mkfifo(tmp_path / "cudnn_pipe.h")
    with pytest.raises(HeaderError, match=r"cudnn_pipe\.h cannot be read: it is not a regular"):
        from_folder(tmp_path)
    (tmp_path / "cudnn_pipe.h").unlink()
    (tmp_path / os.fsdecode(b"cudnn_\xff.h")).write_text("int a;")
    with pytest.raises(HeaderError, match=r"udcff\.h.*not a name of a header"):
        from_folder(tmp_path)
