"""Real cuDNN libraries for the tests that need one, and children to load them in."""

from __future__ import annotations

import gc
import itertools
import os
import re
import subprocess
import sys
import sysconfig
import textwrap
import threading
import time
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from types import ModuleType

import hypothesis
import platformdirs
import pytest

ROOT = Path(__file__).parents[1]

#: Files or folders, separated like PATH.
VARIABLE = "CUDNN_CFFI_TEST_LIBRARIES"

#: The releases that were fetched before the tests: where one is missing, tests fail, not skip.
REQUIRE = "CUDNN_CFFI_TEST_REQUIRE"

#: Rooms and modules of tests that call nothing, whose programs are for the mode that is installed,
#: or that ask for engines, which depend on no mode.
CALL_NOTHING = {
    *("api", "choice", "errata", "explain", "generator", "reference", "repro", "scripts", "typing"),
    *("kernels", "test_caches.py", "test_docstrings.py", "test_documents.py"),
    *("test_examples.py", "test_locate.py", "test_other_platforms.py", "test_packed.py"),
    "test_pages.py",
    *("test_record.py", "test_rooms.py", "test_typing.py", "test_words_of_others.py"),
    *("test_encodings.py", "test_inference.py", "test_keys.py"),
}

# Children import up to 500 modules, and compile each anew where no process may write bytecode.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False  # also of processes that xdist starts

# Plans that tests build are not for the user's cache; tests of that cache name a folder.
os.environ.setdefault("CUDNN_CFFI_PLAN_CACHE", "0")
# Texts of errors are read by most tests that expect one; searches of 2 seconds each add up.
os.environ.setdefault("CUDNN_CFFI_EXPLAIN", "0")
# Tests do not see releases that the user generated.
os.environ.setdefault("CUDNN_CFFI_DATA", str(ROOT / "tests" / "no-data"))

# The time of an example tells how busy the machine is, not whether the example is right.
hypothesis.settings.register_profile("untimed", deadline=None)
hypothesis.settings.load_profile("untimed")

#: Every fourth case of a sweep, and with the slow tests all of it.
SHARES = pytest.mark.parametrize("share", [4, pytest.param(1, marks=pytest.mark.slow)])

Run = Callable[..., "subprocess.CompletedProcess[str]"]
Program = Callable[..., "subprocess.CompletedProcess[str]"]
Shared = Callable[[str, Callable[[Path], None]], Path]


def pytest_configure(config: pytest.Config) -> None:
    """Register the markers."""
    for marker in (
        "network: needs a package index",
        "headers: needs the real headers of cuDNN releases",
        "slow: takes more than a few seconds",
        "attack: random and hostile input, repeatable by its seed",
        "alone: measures what other processes would change",
        "jax: loads JAX, whose threads make calls that end captures of others in the process",
    ):
        config.addinivalue_line("markers", marker)
    if not hasattr(config, "workerinput"):  # the processes of xdist report to the first one
        config.pluginmanager.register(Progress(config), "progress")


class Progress:
    """Names failures, and notes how long tests take, as they end: a run that is cut tells both."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.began = time.time()
        times: str | None = config.getoption("--times")
        self.times = None if times is None else Path(times)
        if self.times is not None:
            self.times.write_text("")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Print a line for a failure, write one for each phase of a test."""
        if report.failed:
            terminal = self.config.pluginmanager.getplugin("terminalreporter")
            crash = getattr(report.longrepr, "reprcrash", None)
            message = str(getattr(crash, "message", "")).strip().splitlines()
            terminal.write("\n")  # letters of other tests may stand in the line
            terminal.write_line(f"FAILED {report.nodeid} {message[0][:300] if message else ''}")
        if self.times is not None:
            process = getattr(report, "worker_id", "main")
            begun = f"{report.start - self.began:.1f} {process}"
            with self.times.open("a") as file:
                file.write(f"{report.duration:.3f} {begun} {report.outcome} {report.nodeid}\n")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add an option to run only what differs between the call modes, and one to note times."""
    parser.addoption(
        "--times",
        help="a file for the seconds, begin, process, outcome and name of each test, written as it ends",
    )
    parser.addoption(
        "--mode-dependent",
        action="store_true",
        help="leave out tests that call nothing, and those that try both call modes by themselves",
    )


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Keep tests that are collected, 20,000 of them, out of all garbage collections."""
    gc.disable()
    result = yield
    gc.freeze()
    gc.enable()
    return result


@pytest.fixture(scope="module", autouse=True)
def _apart(request: pytest.FixtureRequest) -> Iterator[None]:
    """Begin a file without what others left in the process, and have it leave that as it was.

    Objects of others are out of the garbage collections that its tests ask for. With PyTorch they may
    hold memory of a GPU, and have to go when they can; plans of a GPU take long to make again.
    """
    if "torch" in sys.modules:
        yield
        return
    if hasattr(request.module, "gc"):
        gc.collect()
        gc.freeze()
    if choices := sys.modules.get("cudnn_cffi.choice.store.choices"):
        choices.forget()
        sys.modules["cudnn_cffi._kept.store"]._warned.clear()
    before, threads = _process(), set(threading.enumerate())
    yield
    if {"torch", "jax"} & sys.modules.keys():  # they change the environment when they are loaded
        return
    after = _process()
    changed = {name for name, value in before.items() if after.get(name) != value}
    changed |= {name for name in after.keys() - before.keys() if name.startswith("$")}
    assert not changed
    for each in set(threading.enumerate()) - threads:  # tests of captures look at all of them
        if not each.name.startswith("cudnn_cffi_"):  # which wait to compile engines
            each.join(20)
            assert not each.is_alive(), each


def _process() -> dict[str, object]:
    """Return what tests change in the process, as far as it is known there."""
    found: dict[str, object] = {f"${name}": value for name, value in os.environ.items()}
    del found["$PYTEST_CURRENT_TEST"]
    found |= {"folder": Path.cwd(), "sys.path": [*sys.path]}
    if policy := sys.modules.get("cudnn_cffi.choice.policy"):
        found["policy"] = policy.default_policy()
    if table := sys.modules.get("cudnn_cffi.errata.table"):
        found["errata"] = [*table.state().records], dict(table.state().switched)
    return found


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Fail a module that takes a name of a release, or loads a library, when it is collected.

    The fixture `cudnn` would come too late: the process has the names of another release then.
    """
    before = names_are_taken()
    report = yield
    if report.passed and names_are_taken() and not before:
        report.outcome = "failed"
        report.longrepr = (
            f"collecting {collector.nodeid} took names of a release, such as cudnn_cffi.DataType, "
            "or loaded a library: do that in a fixture, a test or a program"
        )
    return report


def names_are_taken() -> bool:
    """Return whether this process has the names of a release already."""
    active = sys.modules.get("cudnn_cffi._tables.active")
    return active is not None and active.chosen_release() != ""


class Absent(pytest.Module):
    """A file of tests that is skipped as one, since what all of them need is not there."""

    why = ""

    def collect(self) -> Iterator[pytest.Item]:
        """Say why."""
        pytest.skip(self.why, allow_module_level=True)

    @classmethod
    def of(cls, path: Path, parent: pytest.Collector, why: str) -> Absent:
        """Return a file, and the reason."""
        made: Absent = cls.from_parent(parent, path=path)
        made.why = why
        return made


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out rooms whose tests do not depend on CUDNN_CFFI_MODE, before they are imported."""
    inside = collection_path.relative_to(ROOT).parts if collection_path.is_relative_to(ROOT) else ()
    return True if config.getoption("--mode-dependent") and CALL_NOTHING & {*inside} else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out tests whose outcome does not depend on CUDNN_CFFI_MODE."""
    if config.getoption("--mode-dependent"):
        kept = {item: depends_on_mode(item) for item in items}
        config.hook.pytest_deselected(items=[item for item in items if not kept[item]])
        items[:] = [item for item in items if kept[item]]


def depends_on_mode(item: pytest.Item) -> bool:
    """Return whether the environment's call mode can make a difference to a test."""
    parts = item.path.parts[len(ROOT.parts) :]
    parameters = getattr(item, "callspec", None)
    tried = set(map(str, parameters.params.values())) & {"api", "abi"} if parameters else ()
    return not tried and not CALL_NOTHING & set(parts)


def cache() -> Path:
    """Return the folder where downloads are kept between runs."""
    given = os.environ.get("CUDNN_CFFI_CACHE")
    return Path(given) if given else platformdirs.user_cache_path("cudnn-cffi")


def _libraries() -> Iterator[Path]:
    given = [Path(p) for p in os.environ.get(VARIABLE, "").split(os.pathsep) if p]
    installed = [Path(sysconfig.get_path(kind)) for kind in ("purelib", "platlib")]
    folders = [*given, *(folder / "nvidia/cudnn/lib" for folder in installed)]
    if (cache() / "libraries").is_dir():
        # Hidden ones are being fetched.
        folders += sorted((cache() / "libraries").glob("[!.]*"))
    for path in folders:
        yield from [path] if path.is_file() else path.rglob("libcudnn.so.*")


def _release(path: Path) -> tuple[int, ...]:
    import cudnn_cffi.library.sublibraries as parts

    return tuple(int(part) for part in parts.version_in(path).split(".") if part)


@pytest.fixture(scope="session")
def cudnn_libraries() -> list[Path]:
    """Return one real libcudnn of each release that was found, oldest release first."""
    found: dict[tuple[int, ...], Path] = {}
    for path in _libraries():
        if re.search(r"\.so\.\d+", path.name):
            found.setdefault(_release(path.resolve()), path.resolve())
    promised = os.environ.get(REQUIRE, "").split()
    if missing := sorted(set(promised) - {".".join(map(str, release)) for release in found}):
        pytest.fail(f"{REQUIRE} promises cuDNN {', '.join(missing)}, which was not found")
    if not found:
        pytest.skip(f"no libcudnn: name folders in {VARIABLE}, or install an nvidia-cudnn wheel")
    return [path for _, path in sorted(found.items())]


@pytest.fixture(scope="session")
def cudnn_library(cudnn_libraries: list[Path]) -> Path:
    """Return the newest libcudnn."""
    return cudnn_libraries[-1]


@pytest.fixture(scope="session")
def cudnn(request: pytest.FixtureRequest) -> ModuleType:
    """Return the package, with the library that the environment names or else the newest one."""
    import cudnn_cffi
    from cudnn_cffi import library as loader

    if not os.environ.get("CUDNN_CFFI_LIBRARY") and loader.current() is None:
        library: Path = request.getfixturevalue("cudnn_library")
        cudnn_cffi.load(library)
    return cudnn_cffi


@pytest.fixture(scope="session")
def cudnn8_library(cudnn_libraries: list[Path]) -> Path:
    """Return the newest libcudnn 8."""
    found = [path for path in cudnn_libraries if _release(path)[:1] == (8,)]
    if not found:
        pytest.skip(f"no libcudnn 8: name its folder in {VARIABLE}")
    return found[-1]


@pytest.fixture(scope="session")
def two_of_one_major(cudnn_libraries: list[Path]) -> tuple[Path, Path]:
    """Return two releases that cannot be in one process together, the older one first."""
    for older, newer in itertools.pairwise(cudnn_libraries):
        if _release(older)[0] == _release(newer)[0]:
            return older, newer
    pytest.skip(f"needs two releases of one major: name their folders in {VARIABLE}")


def python_path(*first: object) -> str:
    """Return the PYTHONPATH by which a child imports as this process does."""
    return os.pathsep.join([*map(str, first), *filter(None, sys.path)])


def start(
    command: list[str], library: Path | None, check: bool, environment: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run a child that finds `library`, if given, and none that the parent's environment names."""
    drop = ("CUDNN_CFFI_LIBRARY", "LD_LIBRARY_PATH", "CONDA_PREFIX", "VIRTUAL_ENV")
    kept = {name: value for name, value in os.environ.items() if name not in drop}
    if library is not None:
        kept["CUDNN_CFFI_LIBRARY"] = str(library)
    kept["PYTHONPATH"] = python_path()
    if library is not None and "libasan" in os.environ.get("LD_PRELOAD", ""):
        # ASan opens libraries in the place of cuDNN, whose own search path does not count then.
        folder = library if library.is_dir() else library.parent
        places = [str(folder), environment.get("LD_LIBRARY_PATH", "")]
        environment = environment | {"LD_LIBRARY_PATH": os.pathsep.join(filter(None, places))}
    done = subprocess.run(
        [sys.executable, *command],
        env=kept | environment,
        capture_output=True,
        text=True,
        timeout=600,  # under qemu some take minutes
        cwd=ROOT,
    )
    if check and done.returncode:
        pytest.fail(f"the child ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done


def finds(name: str, **environment: str) -> bool:
    """Return whether a child finds a shared library, which this process may have loaded by its path."""
    command = ["-c", f"import ctypes; ctypes.CDLL({name!r})"]
    return start(command, None, False, environment).returncode == 0


@pytest.fixture(scope="session")
def run() -> Run:
    """Return a function that runs code in a child, since a process can load one libcudnn only.

    `run(code, library, **environment)`: `library`, where given, is what the child finds, and
    nothing of the parent's environment that points at another one is passed on.
    """

    def call(
        code: str, library: Path | None = None, check: bool = True, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        return start(["-c", textwrap.dedent(code)], library, check, environment)

    return call


@pytest.fixture(scope="module")
def program(request: pytest.FixtureRequest) -> Program:
    """Return a function that runs a file of the folder `programs` beside the test in a child.

    `program(name, library, *arguments, **environment)` is otherwise as `run`. A name such as
    "runtime/forks" is a program of that room.
    """
    here = request.path.parent

    def call(
        name: str,
        library: Path | None = None,
        *arguments: object,
        check: bool = True,
        **environment: str,
    ) -> subprocess.CompletedProcess[str]:
        room, _, file = name.rpartition("/")
        path = (here.parent / room if room else here) / "programs" / f"{file}.py"
        # -P: a program must not hide a module of its name.
        command = ["-P", str(path), *map(str, arguments)]
        return start(command, library, check, environment)

    return call


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Shared:
    """Return a function that gives a folder of a name, which the first process to ask fills."""
    root = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        root = root.parent

    def folder(name: str, fill: Callable[[Path], None]) -> Path:
        import fcntl

        with (root / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not (root / name).is_dir():
                fill(new := root / f"{name}.new")
                new.rename(root / name)
        return root / name

    return folder


@pytest.fixture(scope="session")
def places() -> dict[str, str]:
    """Return the variable with the folders of CUDA's libraries, which plans need."""
    folders = [Path(each) for each in os.environ.get("LD_LIBRARY_PATH", "").split(":") if each]
    folders += [cache() / "libraries" / "cuda-13"]
    folders += Path(sysconfig.get_path("purelib"), "nvidia").glob("*/lib")
    for name in ("libnvrtc.so.*", "libcublasLt.so.*"):
        if not any(any(folder.glob(name)) for folder in folders):
            pytest.skip(f"no {name} of CUDA 13: scripts/libraries.py cuda-13 fetches it")
    return {"LD_LIBRARY_PATH": ":".join(map(str, folders))}
