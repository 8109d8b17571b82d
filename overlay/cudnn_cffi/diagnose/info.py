"""Gather what is on this machine, for people and for bug reports: `python -m cudnn_cffi info`.

Gathering never fails and never endangers the process it runs in: whatever could, is asked in a
child. Where this process has a libcudnn already, that one is described.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import cudnn_cffi.diagnose.child as probe
import cudnn_cffi.library as library
import cudnn_cffi.library.elf as elf
import cudnn_cffi.library.locate as locate
import cudnn_cffi.library.sublibraries as parts

from .._support.output import write
from .._version import __version__

SCHEMA = 1


@dataclass(frozen=True)
class Package:
    """This package and its Python.

    Attributes:
        calls: how it calls C.
        tables: the release whose tables are used.
        releases: those that it knows.
        problem: what is wrong with it; "" if nothing is.
    """

    version: str
    path: str
    python: str
    platform: str
    calls: str
    tables: str
    releases: tuple[str, ...]
    problem: str = ""


@dataclass(frozen=True)
class Part:
    """A sub-library of cuDNN.

    Attributes:
        path: its file beside libcudnn; "" if there is none.
        loaded: the file that the process has opened; "" if it has opened none.
        problem: what is wrong with it; "" if nothing is.
    """

    name: str
    path: str
    version: str
    loaded: str
    problem: str = ""


@dataclass(frozen=True)
class Copy:
    """A libcudnn that could be used.

    Attributes:
        path: where it was found.
        real: the file at the end of the links.
        how: how it was found.
        version: of cuDNN.
    """

    path: str
    real: str
    how: str
    version: str


@dataclass(frozen=True)
class Wheel:
    """A distribution of NVIDIA's.

    Attributes:
        libraries: its files of cuDNN.
        changed: files that are not as it brought them.
    """

    name: str
    version: str
    libraries: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()


@dataclass(frozen=True)
class Framework:
    """Another package that may use cuDNN or the GPU.

    Attributes:
        imported: whether this process has imported it.
    """

    name: str
    version: str
    imported: bool


@dataclass(frozen=True)
class Nodes:
    """Nodes of PyTorch's autograd in C++.

    Attributes:
        state: "compiled", "compiling", "missing", "failed", "impossible" or "off"; "" where there
            is no PyTorch.
        text: the file, or why there is none.
    """

    state: str = ""
    text: str = ""


@dataclass(frozen=True)
class Info:
    """The data of a report."""

    schema: int
    package: Package
    library: probe.Loaded
    parts: tuple[Part, ...]
    copies: tuple[Copy, ...]
    tried: tuple[locate.Tried, ...]
    in_process: tuple[str, ...]
    driver: probe.Driver
    wheels: tuple[Wheel, ...]
    frameworks: tuple[Framework, ...]
    environment: dict[str, str]
    nodes: Nodes = Nodes()


def main(*, as_json: bool = False) -> int:
    """Print what is installed; return 0."""
    found = collect()
    write(f"{to_json(found)}\n" if as_json else to_text(found))
    return 0


def collect(*, handle: bool = False) -> Info:
    """Gather everything, in about half a second.

    Args:
        handle: whether to try `cudnnCreate` too, which takes a while if there is a GPU.
    """
    found, tried = _copies()
    in_process = tuple(str(path) for path in locate.mapped())
    chosen = _chosen()
    answer = probe.ask(str(chosen.path) if chosen else None, handle=handle)
    loaded = answer.library
    if chosen:
        loaded = replace(loaded, how=chosen.how)
    if current := library.current():
        loaded = replace(loaded, version=current.version, files=in_process)
    return Info(
        schema=SCHEMA,
        package=_package(loaded.version),
        library=loaded,
        parts=tuple(_parts(Path(loaded.path), loaded.files)) if loaded.path else (),
        copies=found,
        tried=tried,
        in_process=in_process,
        driver=answer.driver,
        wheels=tuple(_wheels()),
        frameworks=tuple(_frameworks()),
        environment=dict(_environment()),
        nodes=_nodes(),
    )


def _chosen() -> locate.Candidate | None:
    """Return the library that a child would not find by itself, since this process has it."""
    if current := library.current():
        return locate.Candidate(current.path, current.how)
    if not locate.mapped():
        return None
    return next((found for found in locate.search() if isinstance(found, locate.Candidate)), None)


# Gathering ---------------------------------------------------------------------------------------


def _package(loaded: str) -> Package:
    problems: list[str] = []
    calls, releases, tables = "unknown", dict[str, str](), ""
    # The report must be written even if the rest of the package is broken.
    try:
        calls = _calls()
    except Exception as error:
        problems.append(f"the call layer cannot be used: {error}")
    try:
        from .._index import RELEASES

        releases = dict(RELEASES)
        tables = _tables(loaded, releases)
    except Exception as error:
        problems.append(f"no tables: {error}")
    build = "free-threaded, " if sysconfig.get_config_var("Py_GIL_DISABLED") else ""
    return Package(
        version=__version__,
        path=str(Path(__file__).parents[1]),
        python=f"{platform.python_version()} ({build}{platform.python_implementation()}, "
        f"{sys.executable})",
        platform=f"{platform.platform()}",
        calls=calls,
        tables=tables,
        releases=tuple(releases),
        problem="; ".join(problems),
    )


def _calls() -> str:
    from .._call import mode

    return {"api": "compiled (API mode)", "abi": "interpreted (ABI mode)"}.get(mode(), mode())


def _tables(loaded: str, releases: dict[str, str]) -> str:
    import warnings

    from .._tables.selection import select
    from ..errors import UnsupportedVersionError

    if not loaded:
        return f"{list(releases)[-1]}, the newest, since no library is loaded" if releases else ""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return str(select(loaded, releases))
        except UnsupportedVersionError:
            return f"none for cuDNN {loaded}"


def _copies() -> tuple[tuple[Copy, ...], tuple[locate.Tried, ...]]:
    """Return all copies, and the places without one; a copy that is named hides no other."""
    copies: dict[Path, Copy] = {}
    tried: list[locate.Tried] = []
    for place in locate.PLACES:
        for result in place.find(None):
            if isinstance(result, str):
                tried.append(locate.Tried(place.name, result))
            elif not any(result.path == Path(copy.path) for copy in copies.values()):
                with suppress(OSError):
                    real = locate.resolved(result.path)
                    version = parts.version_in(real)
                    copy = Copy(str(result.path), str(real), result.how, version)
                    copies.setdefault(real, copy)
    return tuple(copies.values()), tuple(tried)


def _parts(path: Path, files: Iterable[str]) -> Iterator[Part]:
    beside = parts.siblings(path)
    names = dict.fromkeys(beside)
    with suppress(OSError):
        names |= dict.fromkeys(parts.named(path))
    loaded = {Path(file).name.partition(".so")[0]: file for file in files}
    for name in sorted(names):
        file = beside.get(name)
        if file is None:
            yield Part(name, "", "", loaded.get(name, ""), "missing")
            continue
        problem = ""
        try:
            elf.check(file)
        except (OSError, elf.ElfError) as error:
            problem = str(error)
        yield Part(name, str(file), parts.version_in(file), loaded.get(name, ""), problem)


def _wheels() -> Iterator[Wheel]:
    found: dict[str, Wheel] = {}
    for distribution in importlib.metadata.distributions():
        name = _distribution_name(distribution)
        if name.startswith("nvidia-") and name not in found:
            libraries, changed = [], []
            if name.startswith("nvidia-cudnn-cu"):
                for file in distribution.files or ():
                    if not file.name.startswith(("libcudnn", "cudnn")) or file.suffix == ".h":
                        continue
                    path = Path(str(file.locate()))
                    libraries.append(str(path))
                    with suppress(OSError):
                        if file.size is not None and path.stat().st_size != file.size:
                            changed.append(str(path))
            found[name] = Wheel(name, distribution.version, tuple(libraries), tuple(changed))
    yield from sorted(found.values(), key=lambda wheel: wheel.name)


_FRAMEWORKS = {
    "torch": "torch",
    "tensorflow": "tensorflow",
    "jax": "jax",
    "jaxlib": "jaxlib",
    "cupy": "cupy",
    "numba": "numba",
    "pycuda": "pycuda",
    "onnxruntime-gpu": "onnxruntime",
    "paddlepaddle-gpu": "paddle",
    "nvidia-cudnn-frontend": "cudnn",
    "cuda-core": "cuda.core",
    "cuda-bindings": "cuda.bindings",
    "cuda-pathfinder": "cuda.pathfinder",
    "numpy": "numpy",
}


def _frameworks() -> Iterator[Framework]:
    found: dict[str, Framework] = {}
    for distribution in importlib.metadata.distributions():
        name = _distribution_name(distribution)
        # CuPy's wheels are called by CUDA's major, as in cupy-cuda12x.
        module = _FRAMEWORKS.get("cupy" if name.startswith("cupy-cuda") else name)
        if module and name not in found:
            found[name] = Framework(name, distribution.version, module in sys.modules)
    yield from sorted(found.values(), key=lambda framework: framework.name)


def _nodes() -> Nodes:
    # The report must be written even if the rest of the package, or PyTorch, is broken.
    with suppress(Exception):
        from ..choice.store.extension import find_state

        return Nodes(*find_state())
    return Nodes()


def _distribution_name(distribution: importlib.metadata.Distribution) -> str:
    with suppress(KeyError, AttributeError):
        return str(distribution.metadata["Name"] or "").lower().replace("_", "-")
    return ""


_VARIABLES = (
    "CONDA_PREFIX",
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "NVIDIA_DRIVER_CAPABILITIES",
    "NVIDIA_TF32_OVERRIDE",
    "NVIDIA_VISIBLE_DEVICES",
    "TORCH_CUDNN_V8_API_DISABLED",
    "VIRTUAL_ENV",
)


def _environment() -> Iterator[tuple[str, str]]:
    """Yield variables that are known to matter, and no others: people publish the report."""
    for name, value in sorted(os.environ.items()):
        if name in _VARIABLES or name.startswith(("CUDNN_", "CUDA_")):
            yield name, value


# Showing -----------------------------------------------------------------------------------------


def to_json(info: Info) -> str:
    """Return a JSON object; its `schema` changes when a field changes its meaning or goes."""
    plain = asdict(info)
    plain["tried"] = [tried._asdict() for tried in info.tried]
    return json.dumps(plain, indent=2)


def to_text(info: Info) -> str:
    """Return what was gathered as text for people."""
    return "\n".join(_lines(info)) + "\n"


def _lines(info: Info) -> Iterator[str]:
    package, loaded, driver = info.package, info.library, info.driver
    yield f"cudnn_cffi {package.version}"
    yield from _rows(
        ("package", package.path),
        ("python", package.python),
        ("platform", package.platform),
        ("calls", package.calls),
        ("tables", package.tables),
        ("releases", _span(package.releases)),
        ("problem", package.problem),
    )
    if loaded.version:
        yield f"cuDNN {loaded.version}, made with CUDA {probe.cuda_version(loaded.cudart)}"
        rows = [("file", loaded.path), ("found", loaded.how)]
        rows += [(part.name.removeprefix("libcudnn_"), _part(part)) for part in info.parts]
        rows += [(name, path or "not found") for name, path in loaded.companions.items()]
        rows += [("problem", text) for text in (*loaded.warnings, loaded.text) if text]
        yield from _rows(*rows)
    else:
        yield "cuDNN: not usable"
        yield from _rows(("problem", loaded.text), ("output", loaded.output), ("hint", loaded.hint))
    others = [copy for copy in info.copies if copy.real != loaded.path]
    if others:
        yield "Other copies of libcudnn"
        yield from _rows(*((copy.version or "?", f"{copy.path} ({copy.how})") for copy in others))
    if info.in_process:
        yield "Files of cuDNN in this process"
        yield from (f"  {path}" for path in info.in_process)
    yield "Driver"
    yield from _rows(
        ("file", driver.path),
        ("version", driver.package),
        ("CUDA", driver.cuda and f"up to {driver.cuda}"),
        *(
            (f"GPU {gpu.index}", f"{gpu.name}, {gpu.memory >> 20} MiB, sm {gpu.capability}")
            for gpu in driver.devices
        ),
        ("problem", driver.problem),
    )
    for title, rows in (
        ("NVIDIA wheels", [(wheel.name, wheel.version) for wheel in info.wheels]),
        (
            "Other packages",
            [(f.name, f.version + (", imported" if f.imported else "")) for f in info.frameworks],
        ),
        ("Environment", list(info.environment.items())),
        ("Nodes of PyTorch's autograd", [(info.nodes.state, info.nodes.text)]),
    ):
        if any(value for _, value in rows):
            yield title
            yield from _rows(*rows)


def _part(part: Part) -> str:
    if not part.path:
        return f"missing{f', but {part.loaded} is loaded' if part.loaded else ''}"
    text = part.path
    if part.version:
        text += f", {part.version}"
    if part.problem:
        text += f", {part.problem}"
    if part.loaded and not _same(part.loaded, part.path):
        text += f", but {part.loaded} is loaded"
    return text


def _same(one: str, other: str) -> bool:
    return locate.resolved(Path(one)) == locate.resolved(Path(other))


def _span(releases: tuple[str, ...]) -> str:
    if not releases:
        return ""
    return f"{len(releases)} known, {releases[0]} to {releases[-1]}"


def _rows(*rows: tuple[str, str]) -> Iterator[str]:
    shown = [(name, value) for name, value in rows if value]
    width = max((len(name) for name, _ in shown), default=0)
    for name, value in shown:
        first, *rest = value.splitlines()
        yield f"  {name:<{width}}  {first}"
        yield from (f"  {'':<{width}}  {line}" for line in rest)
