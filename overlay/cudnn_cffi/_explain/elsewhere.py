"""Other devices and other releases, on which a graph may have a plan as it is."""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import errors, library
from ..choice import DeviceProperties
from ..choice.device.known_devices import ADDED, ANSWERS
from ..library import sublibraries
from .result import Built, Step

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

#: Architectures that a graph is tried on. Figures are those of NVIDIA's data sheets and of the
#: table of technical specifications by compute capability; others are as an H200 tells them.
ARCHITECTURES: dict[str, dict[str, int]] = {
    "NVIDIA H200": {"deviceVer": 900},
    "NVIDIA B200": {"deviceVer": 1000, "multiProcessorCount": 148, "l2CacheSize": 132644864},
    "NVIDIA GeForce RTX 5090": {
        "deviceVer": 1200,
        "multiProcessorCount": 170,
        "maxSharedMemoryPerBlockOptin": 101376,
        "maxThreadsPerSM": 1536,
        "maxCtasPerSM": 24,
        "l2CacheSize": 100663296,
    },
    "NVIDIA A100": {
        "deviceVer": 800,
        "multiProcessorCount": 108,
        "maxSharedMemoryPerBlockOptin": 166912,
        "l2CacheSize": 41943040,
    },
}

#: The first architecture with TF32.
_TF32 = 800

#: The first release that plans for a device that is not there.
_FIRST = (9, 8, 0)

#: Seconds that another library has to answer.
_LONGEST = 60


def described(name: str) -> DeviceProperties:
    """Return the properties of an architecture of the table, for planning alone."""
    known = {**ANSWERS["NVIDIA H200"], **ADDED["NVIDIA H200"]}
    return DeviceProperties({**known, **ARCHITECTURES[name], "deviceName": name})


#: Words in the reasons of engines that refuse a device.
_OF_DEVICES = re.compile("deviceVer|Ampere|Hopper|Blackwell|SM[ _]?[1-9x]")


def names_device(refused: errors.CudnnError) -> bool:
    """Return whether an engine refuses a computation because of the device."""
    refusals = getattr(refused, "refusals", ())
    return any(_OF_DEVICES.search(each.reason) for each in refusals)


def devices(
    state: Any,
    own: DeviceProperties | None,
    build: Callable[[DeviceProperties], Built],
    refused: errors.CudnnError,
    text: str = "",
) -> Iterator[Step]:
    """Yield other architectures to build a computation for, those like its own device first.

    Newer ones are near if an engine refuses the device; older ones seldom have other engines.

    Args:
        state: the computation.
        own: the device that refuses it; None if only a handle is known.
        build: builds the computation for a device.
        refused: why its own device refuses it.
        text: the JSON of a graph; "" for other computations.
    """
    version = 900 if own is None else int(str(own["deviceVer"]))
    if version < _TF32 and "FLOAT" in text:
        build = partial(_build_also_alone, build, text)
    others = [(each["deviceVer"] - version, name) for name, each in ARCHITECTURES.items()]
    for distance, name in sorted(others, key=lambda each: (abs(each[0]), each[1])):
        if distance:
            cost = 4 if distance < 0 else 1 if names_device(refused) else 2
            yield Step(
                "device",
                cost,
                f"the device {name}",
                state,
                lambda name=name: build(described(name)),  # type: ignore[misc]
            )


def _build_also_alone(
    build: Callable[[DeviceProperties], Built], text: str, device: DeviceProperties
) -> Built:
    """Build a graph for another device, at last in a process of its own.

    cuDNN keeps whether the first device that a process plans for has TF32, and refuses FLOAT for
    all others if not.
    """
    try:
        return build(device)
    except errors.NotSupportedError:
        return _in_child(library.load().path, text, device)


def releases(
    state: Any,
    libraries: Iterable[str | os.PathLike[str]],
    text: str,
    device: DeviceProperties,
    cost: int,
) -> Iterator[Step]:
    """Yield other libraries to build a graph with, each in a process of its own.

    Args:
        state, text: the graph, and its JSON.
        libraries: the files.
        device: the properties of the device.
        cost: that of another release.
    """
    for path in libraries:
        file = Path(path)
        release = sublibraries.version_in(file)
        if tuple(int(part) for part in release.split(".") if part) >= _FIRST:
            yield Step(
                "release",
                cost,
                f"cuDNN {release}",
                state,
                lambda file=file: _in_child(file, text, device),  # type: ignore[misc]
            )


def _in_child(path: str | os.PathLike[str], text: str, device: DeviceProperties) -> Built:
    """Build a graph as it is in a child process with another library."""
    import subprocess  # which takes time

    with tempfile.TemporaryDirectory() as folder:
        graph, properties = Path(folder, "graph.json"), Path(folder, "device.json")
        graph.write_text(text, encoding="utf-8")
        properties.write_text(device.to_json(), encoding="utf-8")
        command = [sys.executable, "-m", "cudnn_cffi", "explain", str(graph), "--seconds", "0"]
        try:
            done = subprocess.run(
                [*command, "--device", str(properties), "--json"],
                env={**os.environ, "CUDNN_CFFI_LIBRARY": str(path)},
                capture_output=True,
                encoding="utf-8",
                errors="replace",
                check=False,
                timeout=_LONGEST,
            )
        except subprocess.TimeoutExpired:
            told = f"{path}: no answer within {_LONGEST} s"
            raise errors.NotSupportedError(told) from None
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        raise errors.NotSupportedError(f"{path}: {done.stderr.strip()[-200:]}") from None
    if not answer["is_found"]:
        raise errors.NotSupportedError(f"{path}: {answer['reason']}")
    return Built(answer["sentence"], answer["release"], answer["device"])
