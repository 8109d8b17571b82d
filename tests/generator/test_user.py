"""Releases that the package does not have, made by `python -m cudnn_cffi generate`."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.compilers import c_compiler
from tests.conftest import cache, python_path
from tests.generator.small import BASE, CUDA, text_of

pytest.importorskip("clang", reason="the extra 'generate' is not installed")

NEW = "9.99.0"
ROOT = Path(__file__).parents[2]


class User:
    """Someone with a data folder, and headers of a release that nobody has."""

    def __init__(self, folder: Path) -> None:
        self.data = folder / "data"
        self.headers, self.cuda = folder / "headers", folder / "cuda"
        for where, files in ((self.headers, {}), (self.cuda, CUDA.files)):
            where.mkdir()
            for name, data in files.items():
                (where / name).write_bytes(data)
        runtime = self.cuda / "cuda_runtime_api.h"
        runtime.write_text(f"#define CUDART_VERSION 13000\n{runtime.read_text()}")
        self.write(BASE)

    def write(self, body: str) -> None:
        (self.headers / "cudnn.h").write_text(text_of(NEW, body))

    def python(self, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *arguments],
            env=os.environ | {"PYTHONPATH": python_path(), "CUDNN_CFFI_DATA": str(self.data)} | env,
            capture_output=True,
            text=True,
            timeout=300,
        )

    def run(self, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
        return self.python("-m", "cudnn_cffi", *arguments, **env)

    def generate(self, **env: str) -> subprocess.CompletedProcess[str]:
        folders = "--headers", str(self.headers), "--cuda-headers", str(self.cuda)
        done = self.run("generate", *folders, **env)
        assert done.returncode == 0, done.stderr
        assert f"generated {NEW}; imports find it in {self.data}" in done.stdout
        return done

    @property
    def home(self) -> Path:
        (found,) = (path for path in self.data.iterdir() if path.name[0] != ".")
        return found


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> User:
    user = User(tmp_path_factory.mktemp("user"))
    user.generate()
    return user


@pytest.fixture
def user(tmp_path: Path) -> User:
    return User(tmp_path)


@pytest.fixture
def copy(made: User, tmp_path: Path) -> User:
    """A user of whom nothing is shared, who has generated the release."""
    user = User(tmp_path)
    shutil.copytree(made.data, user.data)
    return user


def test_the_release_has_a_module_and_a_stub(made: User) -> None:
    code = (
        "from cudnn_cffi import v9_99_0 as v, v9_12_0; "
        "print(v.DataType.DOUBLE, v.CUDNN_VERSION, hasattr(v, 'cudnnConvolutionForward'), "
        "v9_12_0.CUDNN_VERSION)"
    )
    done = made.python("-c", code)
    assert done.stdout.split() == ["DOUBLE", "99900", "False", "91200"], done.stderr
    assert (made.home / "cudnn_cffi" / "v9_99_0.pyi").is_file()


def test_history_and_diff_know_it(made: User) -> None:
    assert f"- {NEW} " in made.run("history", "cudnnCreate").stdout
    assert re.search(rf"{NEW} +not known", made.run("history", "libcudnn").stdout)
    done = made.run("diff", "latest", "9.12.0", "--format", "json")
    assert json.loads(done.stdout)["old"]["version"] == NEW


def test_it_is_listed(made: User) -> None:
    assert made.run("generated").stdout == f"{NEW}  {NEW}  {made.home}\n"


def test_the_library_of_the_release_gets_its_tables(made: User) -> None:
    """Without a warning, which an unknown release would give."""
    code = (
        "from cudnn_cffi._tables.selection import select; from cudnn_cffi._index import RELEASES; "
        f"print(select({NEW!r}, RELEASES).exact)"
    )
    assert made.python("-W", "error", "-c", code).stdout == "True\n"


@pytest.mark.parametrize("checker", ["pyright", pytest.param("mypy", marks=pytest.mark.slow)])
def test_type_checkers_find_it(made: User, tmp_path: Path, checker: str) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import cudnn_cffi\nfrom cudnn_cffi import v9_99_0, v9_12_0\n"
        "reveal_type(v9_99_0.cudnnGetVersion())\nreveal_type(v9_99_0.DataType.FLOAT)\n"
        "reveal_type(cudnn_cffi.TensorDescriptor())\nreveal_type(v9_12_0.cudnnGetVersion())\n"
        "v9_99_0.cudnnConvolutionForward\n"
    )
    types = tmp_path / "types"
    for _ in "ab":  # what was made is replaced
        assert str(types) in made.run("generated", "--types", str(types)).stdout
    (tmp_path / "mypy.ini").write_text(
        f"[mypy]\nmypy_path = {types}\n[mypy-cudnn_cffi.*]\nfollow_imports = silent\n"
    )
    (tmp_path / "pyrightconfig.json").write_text(json.dumps({"extraPaths": [str(types)]}))
    (tmp_path / "other" / "cudnn_cffi").mkdir(parents=True)
    assert made.run("generated", "--types", str(tmp_path / "other")).returncode == 2
    done = subprocess.run(
        [sys.executable, "-m", checker, str(program)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
    )
    said = done.stdout
    assert done.returncode == 1, said + done.stderr
    for line, kind in ((3, "int"), (4, "DataType.FLOAT"), (5, "TensorDescriptor"), (6, "int")):
        assert re.search(rf"program\.py:{line}:.*[\".]{re.escape(kind)}\b", said), said
    (error,) = (line for line in said.splitlines() if "error:" in line)
    assert "cudnnConvolutionForward" in error


def test_calls_go_through_the_same_layer(made: User) -> None:
    """The release has no new function: the compiled layer of the package serves it."""
    code = "from cudnn_cffi import _call; print(_call.mode())"
    before = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert made.python("-W", "error", "-c", code).stdout == before.stdout != ""


def test_without_a_folder_nothing_is_imported_for_it(user: User) -> None:
    code = "import sys, cudnn_cffi; print('cudnn_cffi._user_tables' in sys.modules)"
    assert user.python("-c", code).stdout == "False\n"
    assert user.run("generated").stdout.startswith("no release was generated")


def test_a_release_is_removed(copy: User) -> None:
    assert copy.run("generated", "--remove", "99900").stdout == f"removed {NEW}\n"
    assert list(copy.data.iterdir()) == []
    assert copy.python("-c", "import cudnn_cffi.v9_99_0").returncode == 1
    done = copy.run("generated", "--remove", NEW)
    assert (done.returncode, f"{NEW} is not among the releases" in done.stderr) == (1, True)


def test_another_version_of_the_package_emits_it_again(copy: User) -> None:
    old = copy.home.rename(copy.data / "0123456789abcdef-old")
    assert copy.python("-c", "import cudnn_cffi.v9_99_0").returncode == 1
    said = copy.run("generated").stdout
    assert "for another version of this package: not in use" in said
    assert "python -m cudnn_cffi generate" in said
    assert f"generated {NEW}" in copy.run("generate").stdout
    assert copy.python("-c", "import cudnn_cffi.v9_99_0").returncode == 0
    assert old.is_dir()  # another environment may have that version


def test_runs_at_the_same_time_lose_nothing_and_are_listed_oldest_first(
    copy: User, tmp_path: Path
) -> None:
    runs = []
    for version in ("9.101.0", "9.98.0", "9.100.0"):
        folder = tmp_path / version
        folder.mkdir()
        (folder / "cudnn.h").write_text(text_of(version, BASE))
        command = [sys.executable, "-m", "cudnn_cffi", "generate"]
        command += ["--headers", str(folder), "--cuda-headers", str(copy.cuda)]
        path = python_path()
        env = os.environ | {"PYTHONPATH": path, "CUDNN_CFFI_DATA": str(copy.data)}
        runs.append(subprocess.Popen(command, env=env, stderr=subprocess.PIPE, text=True))
    for each in runs:
        _, said = each.communicate(timeout=300)
        assert each.returncode == 0, said
    listed = [line.split()[0] for line in copy.run("generated").stdout.splitlines()]
    assert listed == ["9.98.0", NEW, "9.100.0", "9.101.0"]


@pytest.mark.parametrize("name", ["_history.py", "_index.py", "api/history.json"])
def test_a_tree_that_is_half_written_is_made_again(copy: User, name: str) -> None:
    path = copy.home / "cudnn_cffi" / name
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    assert copy.run("history", "cudnnCreate").returncode != 0
    assert f"generated {NEW}" in copy.run("generate").stdout
    assert path.read_bytes() == whole
    assert copy.python("-c", "import cudnn_cffi.v9_99_0").returncode == 0


def test_a_model_of_another_schema_is_left_out_and_that_is_said(copy: User) -> None:
    old = copy.home.rename(copy.data / "0123456789abcdef-old")
    model = old / "own" / f"{NEW}.json"
    model.write_text(model.read_text().replace('{"schema":', '{"schema":9', 1))
    done = copy.run("generate")
    assert "left out, to be generated again" in done.stderr
    assert "nothing to generate" in done.stdout


def test_headers_that_are_refused_change_nothing(copy: User) -> None:
    before = sorted(copy.data.rglob("*"))
    copy.write("int broken(")
    done = copy.run("generate", "--headers", str(copy.headers), "--cuda-headers", str(copy.cuda))
    assert (done.returncode, "Traceback" in done.stderr) == (1, False)
    assert sorted(copy.data.rglob("*")) == before


def test_headers_that_do_not_say_which_release_they_are(user: User) -> None:
    """As those of cuDNN 1."""
    (user.headers / "cudnn.h").write_text('#include "driver_types.h"\n' + BASE)
    given = ("generate", "--headers", str(user.headers), "--cuda-headers", str(user.cuda))
    done = user.run(*given)
    assert done.returncode == 1
    assert "state the version, such as --version 1.0.0" in done.stderr
    done = user.run(*given, "--version", "1.0.0")
    assert "generated 1.0.0; imports find it in" in done.stdout, done.stderr


STRANGE = """
typedef enum { CUDNN_BACKEND_ENGINE_DESCRIPTOR } cudnnBackendDescriptorType_t;
typedef enum { CUDNN_ATTR_ENGINE_MODE, CUDNN_ATTR_NOBODYS_MODE } cudnnBackendAttributeName_t;
cudnnStatus_t cudnnStrange(cudnnHandle_t handle, char **names, const void *const *data);
"""


UNCALLABLE = """
typedef struct { double a, b, c; } cudnnTriple_t;
typedef void cudnnPlainHook_t(int);
cudnnStatus_t cudnnPassTriple(cudnnTriple_t triple);
cudnnStatus_t cudnnHook(cudnnPlainHook_t *hook);
cudnnStatus_t cudnnLong(long double number);
cudnnStatus_t cudnnGetTriple(cudnnTriple_t *triple);
"""
GUESSED = "cudnnStatus_t cudnnGetThings(int nbDims, int64_t *dims);\n"


class Odd(NamedTuple):
    """A user whose headers have what no rule explains, and what was said of it."""

    user: User
    notes: str
    listed: str

    def printed(self, code: str) -> str:
        done = self.user.python("-c", code, CUDNN_CFFI_MODE="abi")
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Odd:
    user = User(tmp_path_factory.mktemp("odd"))
    user.write(BASE + STRANGE + UNCALLABLE + GUESSED)
    return Odd(user, user.generate(CC="false").stderr, user.run("generated").stdout)


def test_what_no_rule_explains_keeps_nothing_else_away(odd: Odd) -> None:
    notes = odd.notes
    assert "9.99.0: cudnnStrange: char ** names is taken as an address" in notes
    assert "9.99.0: cudnnStrange: const void *const * data is taken as an address" in notes
    assert "9.99.0: CUDNN_ATTR_NOBODYS_MODE is an enumerator alone" in notes
    code = (
        "import inspect; from cudnn_cffi import v9_99_0 as v; "
        "print(inspect.signature(v.cudnnStrange), int(v.CUDNN_ATTR_NOBODYS_MODE))"
    )
    assert "names: HostPointer | None, data: HostPointer | None) -> None 1" in " ".join(
        odd.printed(code).replace("'", "").split()
    )


def test_functions_that_cannot_be_called_keep_nothing_else_away(odd: Odd) -> None:
    for reason in (
        "cudnnPassTriple: a struct of 24 bytes by value",
        "cudnnLong: there is no rule for the type long double",
    ):
        assert f"note: 9.99.0: {reason}; it is left out" in odd.notes
        assert f"\n  {reason}; it is left out\n" in odd.listed
    code = (
        "from cudnn_cffi import v9_99_0 as v; print(v.cudnnGetTriple, v.cudnnHook, "
        "[hasattr(v, f'cudnn{name}') for name in ('PassTriple', 'Long')])"
    )
    assert odd.printed(code).endswith("[False, False]\n")


def test_a_guess_is_an_address_and_is_listed(odd: Odd) -> None:
    line = (odd.user.headers / "cudnn.h").read_text().splitlines().index(GUESSED.strip()) + 1
    told = (
        f"cudnnGetThings: int64_t * dims is taken as an address (cudnn.h:{line}): nothing "
        "proves that it is one number"
    )
    assert f"note: 9.99.0: {told}" in odd.notes
    assert f"\n  {told}" in odd.listed
    code = (
        "import inspect; from cudnn_cffi import v9_99_0 as v; "
        "print(inspect.signature(v.cudnnGetThings))"
    )
    assert "dims: 'HostPointer | None') -> 'None'" in odd.printed(code)


def test_without_a_home_nothing_is_made(user: User) -> None:
    """The home of a user that the system does not know is `~`, in the working folder."""
    code = "import os; os.path.expanduser = str; import runpy, sys; sys.argv = sys.argv[1:]"
    code += "; runpy.run_module('cudnn_cffi', run_name='__main__')"
    folders = "--headers", str(user.headers), "--cuda-headers", str(user.cuda)
    for arguments in (("generate", *folders), ("generated",)):
        done = user.python(
            "-c", code, "cudnn_cffi", *arguments, CUDNN_CFFI_DATA="", XDG_DATA_HOME=""
        )
        assert done.returncode != 0
        assert "name a folder in CUDNN_CFFI_DATA" in done.stderr


@pytest.mark.parametrize("release", ["9.12.0", "91200", "v9.12.0"])
def test_releases_of_the_package_are_refused(user: User, release: str) -> None:
    done = user.run("generate", release)
    assert done.returncode == 1
    assert "the package has tables of cuDNN 9.12.0" in done.stderr
    assert not user.data.exists()


@pytest.mark.slow
def test_a_new_function_is_compiled_or_called_in_abi_mode(user: User) -> None:
    user.write(f"{BASE}cudnnStatus_t cudnnNew(int number);\n")
    code = "from cudnn_cffi import _call, v9_99_0; print(_call.mode(), v9_99_0.cudnnNew.__name__)"
    assert (
        "could not be compiled, so calls are made in ABI mode" in user.generate(CC="false").stderr
    )
    done = user.python("-c", code, CUDNN_CFFI_MODE="")
    assert done.stdout.split() == ["abi", "cudnnNew"], done.stderr
    assert "compile it with `python -m cudnn_cffi generate`" in done.stderr
    c_compiler()
    assert "the call layer was compiled" in user.generate().stderr
    done = user.python("-W", "error", "-c", code, CUDNN_CFFI_MODE="")
    assert done.stdout.split() == ["api", "cudnnNew"], done.stderr
    (layer,) = (user.home / "cudnn_cffi").glob("_cudnn.*")
    other = layer.rename(layer.with_name("_cudnn.of-another-python.so"))
    assert "the call layer was compiled" in user.generate().stderr
    assert layer.exists()
    assert other.exists()
    assert "the call layer was compiled" not in user.generate().stderr


@pytest.mark.slow
def test_the_installed_wheel_makes_a_release_that_it_lacks(tmp_path: Path) -> None:
    """Build the wheel without the API of 9.28.0, install it, generate 9.28.0 and call its library."""
    library = cache() / "libraries" / "9.28.0"
    if not library.is_dir():
        pytest.skip("libcudnn 9.28.0 is not in the cache: python scripts/libraries.py 9.28.0")
    source = tmp_path / "source"
    shutil.copytree(
        ROOT, source, ignore=shutil.ignore_patterns(".*", "__pycache__", "tests", "docs", "*.so")
    )
    subprocess.run(
        [sys.executable, "-m", "tests.generator.left_out", str(source / "generated"), "9.28.0"],
        cwd=ROOT,
        check=True,
    )
    pip = [sys.executable, "-m", "pip", "--quiet"]
    subprocess.run([*pip, "wheel", "--no-deps", "-w", str(tmp_path), str(source)], check=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        assert not [name for name in packed.namelist() if "v9_28_0" in name]
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "env")], check=True)
    python = str(tmp_path / "env" / "bin" / "python")
    install = [python, "-m", "pip", "install", "--quiet"]
    subprocess.run([*install, f"{wheel}[generate]"], check=True)
    env = os.environ | {
        "CUDNN_CFFI_DATA": str(tmp_path / "data"),
        "CUDNN_CFFI_LIBRARY": str(library),
        "CUDNN_CFFI_MODE": "",
    }
    env.pop("PYTHONPATH", None)

    def run(*arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [python, *arguments], env=env | more, cwd=tmp_path, capture_output=True, text=True
        )

    code = (
        "import cudnn_cffi as cudnn; x = cudnn.TensorDescriptor.packed((8, 64), 'float32'); "
        "from cudnn_cffi import _call, v9_28_0; "
        "print(cudnn.cudnnGetVersion(), v9_28_0.cudnnGetVersion(), _call.mode(), x.dtype)"
    )
    before = run("-c", "import cudnn_cffi; cudnn_cffi.DataType")
    assert "python -m cudnn_cffi generate 9.28.0" in before.stderr
    done = run("-m", "cudnn_cffi", "generate", "92800", CC="false")
    assert "so calls are made in ABI mode" in done.stderr
    assert run("-c", code).stdout == "92800 92800 abi FLOAT\n"
    done = run("-m", "cudnn_cffi", "generate", "9.28.0")
    assert done.returncode == 0, done.stderr
    assert run("-W", "error", "-c", code).stdout == "92800 92800 api FLOAT\n"
    assert run("-m", "cudnn_cffi", "generated").stdout.startswith("9.28.0  9.28.0.")
    loaded = run("-m", "cudnn_cffi", "generate", "--library")
    assert (loaded.returncode, "generated 9.28.0" in loaded.stdout) == (0, True), loaded.stderr
    assert run("-m", "cudnn_cffi", "diff", "9.27.0", "9.28.0").returncode == 1
    assert "- 9.28.0 " in run("-m", "cudnn_cffi", "history", "cudnnCreate").stdout
    assert run("-m", "cudnn_cffi", "generated", "--remove", "9.28.0").returncode == 0
    assert run("-c", "import cudnn_cffi.v9_28_0").returncode == 1
