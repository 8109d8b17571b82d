"""Find what is wrong on this machine and say what to do: `python -m cudnn_cffi doctor`.

Each check judges what `info` gathered: "ok", "warn" for what limits or may surprise, "fail" for
what will not work.
"""

from __future__ import annotations

import json
import os
import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Literal

from .._support.arguments import OFF, ON
from .._support.output import write
from ..errors import ArgumentError, CudnnError, UnsupportedVersionError
from ..library.locate import VARIABLE, major_of, resolved
from ..library.sublibraries import version_in
from .child import cuda_version
from .info import Info, collect

Level = Literal["ok", "warn", "fail"]


@dataclass(frozen=True)
class Finding:
    """The finding of a check.

    Attributes:
        level: "ok", "warn" or "fail".
        check: the name of the check.
        text: the finding.
        advice: what to do; "" if all is well.
    """

    level: Level
    check: str
    text: str
    advice: str = ""


def examine(info: Info) -> list[Finding]:
    """Return the findings of every check, in the order in which to deal with them."""
    return [finding for check in CHECKS for finding in check(info)]


def to_text(findings: Iterable[Finding]) -> str:
    """Return findings as text for people."""
    lines: list[str] = []
    for finding in findings:
        first, *rest = finding.text.splitlines()
        lines.append(f"{finding.level:<4}  {finding.check}: {first}")
        lines += [f"      {line}" for line in rest]
        if finding.advice:
            lines.append(f"      -> {finding.advice}")
    return "\n".join(lines) + "\n"


def to_json(findings: Iterable[Finding]) -> str:
    """Return findings as a JSON array of objects with the fields of `Finding`."""
    return json.dumps([asdict(finding) for finding in findings], indent=2)


def main(*, as_json: bool = False) -> int:
    """Examine this process and machine, and print the findings.

    Called in a program, it also sees what that program's frameworks have loaded.

    Args:
        as_json: whether to print JSON instead of text.

    Returns: 1 if a check fails, else 0.
    """
    findings = examine(collect(handle=True))
    write(f"{to_json(findings)}\n" if as_json else to_text(findings))
    failed = [finding for finding in findings if finding.level == "fail"]
    if not as_json:
        warned = sum(finding.level == "warn" for finding in findings)
        write(f"{len(findings)} checks, {len(failed)} failed, {warned} with a warning\n")
    return 1 if failed else 0


# Checks ------------------------------------------------------------------------------------------


def _library(info: Info) -> Iterator[Finding]:
    loaded = info.library
    if loaded.crashed:
        output = f"\n{loaded.output}" if loaded.output else ""
        yield Finding("fail", "library", loaded.text + output, _reinstall(info))
    elif not loaded.version:
        advice = loaded.hint
        if loaded.error == "LibraryNotFoundError":
            wheel = _wheel(info)
            advice = f"pip install {wheel}, or name the library in {VARIABLE}"
            if VARIABLE in info.environment:
                advice = f"correct {VARIABLE}, or unset it to have the library searched"
        yield Finding("fail", "library", loaded.text, advice)
    else:
        yield Finding("ok", "library", f"cuDNN {loaded.version}, {loaded.path} ({loaded.how})")


def _wheel(info: Info) -> str:
    """Return the wheel for the CUDA that the driver serves; without a driver, those to choose."""
    if not info.driver.cuda:
        return "nvidia-cudnn-cu13, or nvidia-cudnn-cu12 for CUDA 12"
    return f"nvidia-cudnn-cu{min(max(_major(info.driver.cuda), 11), 13)}"


def _reinstall(info: Info) -> str:
    """Return how to install the found cuDNN again: by its wheel, if a wheel installed it."""
    path = info.library.path
    for wheel in info.wheels:
        if path and str(Path(path)) in _real(wheel.libraries):
            return f"pip install --force-reinstall {wheel.name}=={wheel.version}"
    return f"reinstall cuDNN: for a wheel, pip install --force-reinstall {_wheel(info)}"


def _package(info: Info) -> Iterator[Finding]:
    if info.package.problem:
        advice = "reinstall cudnn-cffi; in a checkout, make the tables with `nox -s generate`"
        yield Finding("fail", "package", info.package.problem, advice)
    elif info.package.calls.startswith("compiled"):
        yield Finding("ok", "package", f"cudnn_cffi {info.package.version}, {info.package.calls}")
    else:
        advice = (
            "for fast calls compile them: `pip install .` in a checkout, where there is a C "
            "compiler"
        )
        yield Finding("warn", "package", f"calls are {info.package.calls}", advice)


def _tables(info: Info) -> Iterator[Finding]:
    version, releases = info.library.version, info.package.releases
    if not version or not releases:
        return
    from .._tables.selection import select  # a package without tables has to be told of, too

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            select(version, dict.fromkeys(releases, ""))
        except UnsupportedVersionError as error:
            yield Finding("fail", "tables", error.message, error.hint)
            return
    for warning in caught:
        yield Finding("warn", "tables", str(warning.message), "or use a release that is known")
    if not caught:
        yield Finding("ok", "tables", f"cuDNN {version} has tables of its own")


def _parts_there(info: Info) -> Iterator[Finding]:
    if not info.library.path:
        return
    bad = [part for part in info.parts if part.problem]
    for part in bad:
        text = f"{part.name}: {part.problem}"
        yield Finding("fail", "sub-libraries", text, _reinstall(info))
    if info.parts and not bad:
        yield Finding("ok", "sub-libraries", f"all {len(info.parts)} are there and whole")


def _parts_alike(info: Info) -> Iterator[Finding]:
    found = list(_other_releases(info)) if info.library.version else []
    yield from found
    if info.library.version and not found:
        yield Finding("ok", "one release", "what was looked into is of one release")


def _other_releases(info: Info) -> Iterator[Finding]:
    """Find parts of another release: of an upgrade that stopped half-way, or on a search path."""
    loaded = info.library
    versions: dict[str, list[str]] = {}
    for part in info.parts:
        if part.version:
            versions.setdefault(part.version, []).append(part.name)
    if versions and set(versions) != {loaded.version}:
        listed = "; ".join(f"{version}: {', '.join(names)}" for version, names in versions.items())
        text = f"libcudnn reports {loaded.version}, but beside it are {listed}"
        yield Finding("fail", "one release", text, _reinstall(info))
    folder = resolved(Path(loaded.path)).parent
    own = {resolved(Path(part.path)).parent for part in info.parts if part.path} | {folder}
    major = major_of(Path(loaded.path))
    for file in loaded.files:
        path = Path(file)
        if resolved(path).parent not in own and major_of(path) == major:
            # A package of the system's with the very same release is asked for first.
            level: Level = "warn" if version_in(path) == loaded.version else "fail"
            text = f"{file} was opened, though libcudnn is in {folder}"
            advice = "take the other copy's folder off LD_LIBRARY_PATH, or import this one first"
            yield Finding(level, "one release", text, advice)
    failed = {n: s for n, s in loaded.checks.items() if "VersionCheck" in n and s != _SUCCESS}
    if failed:
        answers = "; ".join(f"{name} answers {status}" for name, status in failed.items())
        text = f"sub-libraries cannot be used, or do not belong together: {answers}"
        yield Finding("fail", "one release", text, _reinstall(info))
    wheels = [w for w in info.wheels if str(Path(loaded.path)) in _real(w.libraries)]
    for wheel in wheels:
        if not wheel.version.startswith(f"{loaded.version}."):
            text = f"the wheel says {wheel.name} {wheel.version}, libcudnn {loaded.version}"
            yield Finding("fail", "one release", text, _reinstall(info))


def _wheels(info: Info) -> Iterator[Finding]:
    cudnn = [wheel for wheel in info.wheels if wheel.libraries]
    for wheel in cudnn:
        if wheel.changed:
            text = f"not as {wheel.name} {wheel.version} brought them: {', '.join(wheel.changed)}"
            yield Finding("fail", "wheel", text, f"pip install --force-reinstall {wheel.name}")
    names = [wheel.name for wheel in cudnn]
    if len(set().union(*(w.libraries for w in cudnn))) < sum(len(w.libraries) for w in cudnn):
        text = f"{' and '.join(names)} write the same files, and the last one won"
        advice = f"pip uninstall {' '.join(names)}, then install the one for your CUDA"
        yield Finding("fail", "wheel", text, advice)
    elif cudnn and not any(wheel.changed for wheel in cudnn):
        listed = ", ".join(f"{wheel.name} {wheel.version}" for wheel in cudnn)
        yield Finding("ok", "wheel", listed)


def _links(info: Info) -> Iterator[Finding]:
    """Warn of links: this package resolves them, but other programs will not find the parts."""
    for copy in info.copies:
        path, real = Path(copy.path), Path(copy.real)
        if resolved(path.parent) != real.parent and not _matching(path.parent, "libcudnn_*"):
            yield Finding(
                "warn",
                "links",
                f"{path} is a link to {real}; cudnn_cffi opens the real file, but who opens the "
                "link gets another copy's sub-libraries, or none: they are not beside it",
                f"link the folder {real.parent} instead, or put it on the loader's path",
            )


def _copies(info: Info) -> Iterator[Finding]:
    folders = {resolved(Path(path)).parent for path in info.in_process}
    by_name: dict[str, set[Path]] = {}
    for path in info.in_process:
        by_name.setdefault(Path(path).name, set()).add(resolved(Path(path)).parent)
    twice = sorted(name for name, places in by_name.items() if len(places) > 1)
    if twice:
        text = f"this process has {', '.join(twice)} from {' and '.join(map(str, sorted(folders)))}"
        advice = f"make the frameworks use one copy: import one first, or set {VARIABLE}"
        yield Finding("fail", "two copies", text, advice)
    # More names for one file, and copies of the same release, do no harm.
    versions = {copy.version or copy.real: copy for copy in info.copies}
    if len(versions) > 1:
        listed = "\n".join(
            f"{copy.version or '?'}  {copy.real} ({copy.how})" for copy in info.copies
        )
        advice = f"set {VARIABLE} to choose one, or remove the others"
        if VARIABLE in info.environment:
            advice = ""
        level: Level = "warn" if advice else "ok"
        text = f"several releases can be found, and the first is used:\n{listed}"
        yield Finding(level, "several releases", text, advice)


def _driver(info: Info) -> Iterator[Finding]:
    driver, loaded = info.driver, info.library
    if driver.problem:
        advice = (
            "to compute anything, install the NVIDIA driver, give the container its GPUs, or look "
            "at CUDA_VISIBLE_DEVICES"
        )
        yield Finding("warn", "driver", driver.problem, advice)
        if not driver.cuda:
            return
    served, made = _major(driver.cuda), loaded.cudart // 1000
    if loaded.version and made > served:
        text = (
            f"cuDNN was made with CUDA {cuda_version(loaded.cudart)}, "
            f"but the driver serves only up to {driver.cuda}"
        )
        yield Finding(
            "fail", "driver", text, f"update the driver, or install nvidia-cudnn-cu{served}"
        )
    elif not driver.problem:
        gpus = ", ".join(device.name for device in driver.devices)
        yield Finding("ok", "driver", f"CUDA up to {driver.cuda}; {gpus}")


def _planning(info: Info) -> Iterator[Finding]:
    """Judge what can be planned for a GPU that is described, where this process sees none."""
    planned = info.library.planned
    refused = [why for why in planned.values() if why]
    if refused:
        which = "no plan" if len(refused) == len(planned) else "not every plan"
        text = f'{which} can be built for a GPU that is described, as device="H200": {refused[0]}'
        advice = "docs/without-a-gpu.md says what each release needs"
        yield Finding("warn", "without a GPU", text, advice)
    elif planned:
        text = 'plans can be built and saved for a GPU that is described, as device="H200"'
        yield Finding("ok", "without a GPU", text)


def _major(version: str) -> int:
    return int(version.partition(".")[0] or 0)


def _companions(info: Info) -> Iterator[Finding]:
    loaded = info.library
    absent = [name for name, path in loaded.companions.items() if not path]
    if absent:
        wheels = " ".join(_WHEELS[name.partition(".so.")[0]] for name in absent)
        # CUDA 13's wheels carry no number.
        if (major := loaded.cudart // 1000) < 13:
            wheels = " ".join(f"{wheel}-cu{major}" for wheel in wheels.split())
        yield Finding(
            "warn",
            "CUDA libraries",
            f"{' and '.join(absent)}: neither where cuDNN looks nor where the loader does; calls "
            "that need them will fail",
            f"pip install {wheels}, or put their folder on LD_LIBRARY_PATH",
        )
    if loaded.companions and not absent:
        yield Finding("ok", "CUDA libraries", ", ".join(loaded.companions.values()))


def _working(info: Info) -> Iterator[Finding]:
    checks = info.library.checks
    if status := checks.get("cudnnCreateTensorDescriptor"):
        if status != _SUCCESS:
            text = f"cudnnCreateTensorDescriptor answers {status}"
            yield Finding("fail", "calls", text, _reinstall(info))
        else:
            yield Finding("ok", "calls", "a descriptor can be made")
    if status := checks.get("cudnnCreate"):
        if status != _SUCCESS:
            text = f"cudnnCreate answers {status}, though the driver shows a GPU"
            advice = "is the GPU's memory full, or the GPU too old for this cuDNN?"
            yield Finding("fail", "handle", text, advice)
        else:
            yield Finding("ok", "handle", "a handle can be made on the GPU")


def _variables(info: Info) -> Iterator[Finding]:
    chosen = info.environment.get(VARIABLE)
    if chosen:
        try:
            Path(chosen).expanduser().stat()
        except (OSError, RuntimeError) as error:
            yield Finding("fail", VARIABLE, f"{chosen}: {error}", "correct it, or unset it")
    for entry in info.environment.get("LD_LIBRARY_PATH", "").split(":"):
        folder = Path(entry)
        here = Path(info.library.path).parent if info.library.path else None
        if entry and _matching(folder, "libcudnn*.so*") and resolved(folder) != here:
            text = f"LD_LIBRARY_PATH has another cuDNN, in {entry}"
            advice = "cudnn_cffi keeps to one copy, but other programs may mix the two: remove it"
            yield Finding("warn", "LD_LIBRARY_PATH", text, advice)


#: This package's variables; those of its tests begin with CUDNN_CFFI_TEST_.
_KNOWN = ("BUILD", "CACHE", "CHECK", "CHOICE", "DATA", "ENGINES", "ERRATA", "EXPLAIN", "LIBRARY",
          "MODE", "PLAN_CACHE", "REPLAY", "REQUIRE_GPU", "TORCH_NODES")  # fmt: skip


_SWITCH = "|".join((*ON, *OFF)), "1 or 0"

#: The values of variables, as expressions and in words, where they are no names of files or words.
_VALUES = {
    "CHECK": _SWITCH,
    "EXPLAIN": (r"(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?", "a number of seconds"),
    "MODE": ("(?-i:api|abi)", "api or abi"),
    "REPLAY": (r"\d+", "a number of calls, or 0 for never"),
    "TORCH_NODES": _SWITCH,
}


def _settings(info: Info) -> Iterator[Finding]:
    """Find variables of this package's that say nothing, or what cannot be done."""
    prefix = "CUDNN_CFFI_"
    for own, (pattern, words) in _VALUES.items():
        value = info.environment.get(prefix + own, "").strip()
        if value and not re.fullmatch(pattern, value, re.IGNORECASE):
            text = f"expected {words}, got {value!r}"
            yield Finding("fail", prefix + own, text, "correct it, or unset it")
    for name in info.environment:
        own = name.removeprefix(prefix)
        if own != name and own not in _KNOWN and not own.startswith("TEST_"):
            near = get_close_matches(own, _KNOWN, 1)
            advice = f"is {prefix}{near[0]} meant?" if near else "unset it"
            yield Finding("warn", name, "cudnn_cffi knows no such variable", advice)
    if chosen := info.environment.get("CUDNN_CFFI_CHOICE"):
        try:
            from ..choice.policy import Policy  # a package without tables has to be told of, too

            Policy.parse(chosen)
        except ArgumentError as error:
            yield Finding("fail", "CUDNN_CFFI_CHOICE", error.message, error.hint)
        except (CudnnError, ImportError):
            pass  # which other checks tell
    if saved := _plan_cache(info):
        there = next((each for each in (saved, *saved.parents) if _is_there(each)), saved)
        if not (there.is_dir() and os.access(there, os.W_OK)):
            text = f"plans cannot be saved in {saved}: {there} is no folder to write in"
            yield Finding("warn", "CUDNN_CFFI_PLAN_CACHE", text, "name another one, or 0 for none")


def _nodes(info: Info) -> Iterator[Finding]:
    """Judge the extension that records gradients in C++; without it, Python does in more time."""
    if not info.nodes.state:
        return
    text, level, advice = _NODES[info.nodes.state]
    text = f"nodes of autograd in C++ {text}: {info.nodes.text}"
    yield Finding(level, "PyTorch", text, advice)


_COMPILE = 'python -c "from cudnn_cffi.torch import compile_nodes; compile_nodes()"'

#: The finding, its level and the advice, by what `Nodes.state` says.
_NODES: dict[str, tuple[str, Level, str]] = {
    "compiled": ("are compiled", "ok", ""),
    "compiling": ("are being compiled", "ok", ""),
    "missing": ("are not compiled yet", "ok", _COMPILE),
    "failed": ("could not be compiled", "warn", _COMPILE),
    "impossible": ("cannot be compiled", "warn", f"once that is mended: {_COMPILE}"),
    "off": ("are not used", "ok", ""),
}


def _plan_cache(info: Info) -> Path | None:
    """Return the folder for plans that is named; None where none is."""
    named = info.environment.get("CUDNN_CFFI_PLAN_CACHE", "").strip()
    is_switch = named.lower() in (*ON, *OFF)
    return None if is_switch or not named else Path(named)


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        return False


def _matching(folder: Path, pattern: str) -> list[Path]:
    try:
        return list(folder.glob(pattern))
    except OSError:
        return []


def _real(paths: Iterable[str]) -> set[str]:
    return {str(resolved(Path(path))) for path in paths}


_SUCCESS = "CUDNN_STATUS_SUCCESS"

_WHEELS = {"libcublas": "nvidia-cublas", "libnvrtc": "nvidia-cuda-nvrtc"}
CHECKS: tuple[Callable[[Info], Iterator[Finding]], ...] = (
    _package,
    _library,
    _tables,
    _parts_there,
    _parts_alike,
    _wheels,
    _copies,
    _links,
    _variables,
    _settings,
    _nodes,
    _driver,
    _planning,
    _companions,
    _working,
)
