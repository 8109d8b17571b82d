"""C programs of many graphs: compiled with each release's headers, and run with its library."""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
from pathlib import Path
from typing import Any

from cudnn_cffi import errata
from cudnn_cffi.library import sublibraries

from tests.conftest import SHARES, Program
from tests.diagnose.repro.conftest import Compile
from tests.graph.operations import CASES

#: cuDNN ends the process for these.
LEFT_OUT = {"graph-convolution-and-product", "convolution-depthwise-slow", "pointwise-beyond-grid"}

#: Maximum number of elements of a tensor: the test makes inputs on the host.
MOST = 1 << 22


def is_small(record: errata.Record) -> bool:
    """Return whether a record has a graph for the test."""
    if record.id in LEFT_OUT or "graph" not in record.shows:
        return False
    tensors = record.shows["graph"]["tensors"]  # type: ignore[index, call-overload]
    return all(math.prod(each["shape"]) <= MOST for each in tensors)


#: Graphs of all kinds of nodes, and of errata, with views, gaps, constants and low addresses.
_SHOWN = [each.id for each in filter(is_small, errata.records())]
SEEDED = "attention-composite-float-dropout"  # its seed is an array
SAMPLE = list(dict.fromkeys([*list(CASES)[::12], SEEDED, *_SHOWN[::4]]))

#: Number of graphs whose plans are compared.
PLANNED = 12


def link(library: Path, cudart: Path) -> list[str]:
    """Return the compiler's options to link with a libcudnn."""
    folders = [f"-Wl,-rpath,{each.parent}" for each in (library, cudart)]
    return [str(library), str(cudart), *folders, "-Wl,--allow-shlib-undefined"]


def written(
    program: Program, library: Path, folder: Path, planned: int, names: list[str], **places: str
) -> list[dict[str, Any]]:
    lines = program("written", library, folder, planned, *names, **places).stdout.splitlines()
    found = [json.loads(line) for line in lines]
    assert [each["name"] for each in found] == names
    return found


@SHARES
def test_programs_of_many_graphs(
    program: Program,
    cudnn_libraries: list[Path],
    compile_c: Compile,
    cudart: Path,
    tmp_path: Path,
    share: int,
) -> None:
    """They compile without a warning, and make the inputs that Python made, bit for bit."""
    sample = SAMPLE[::share]
    for library in cudnn_libraries:
        release = sublibraries.version_in(library)
        folder = tmp_path / release
        folder.mkdir()
        found = written(program, library, folder, 0, sample)
        good = [each["name"] for each in found if "error" not in each]
        assert len(good) > len(sample) * (0.5 if release.startswith("8.") else 0.8), found
        for place, name in enumerate(good):
            source = folder / f"{name}.c"
            if place % 4:
                compile_c(source, release, "-fsyntax-only")
                continue
            made = compile_c(source, release, *link(library, cudart))
            done = subprocess.run([made, "--inputs"], capture_output=True, text=True, check=False)
            assert done.returncode == 0, f"{release} {name}: {done.stdout}{done.stderr}"
            assert "checksum 0x" in done.stdout


def test_plans_are_those_of_the_package(
    program: Program,
    cudnn_library: Path,
    places: dict[str, str],
    compile_c: Compile,
    cudart: Path,
    tmp_path: Path,
) -> None:
    """cuDNN writes the same JSON of both: graph, engine, knobs and device."""
    import cudnn_cffi as cudnn
    from cudnn_cffi.driver import libcuda, stand_in

    release = sublibraries.version_in(cudnn_library)
    found = written(program, cudnn_library, tmp_path, PLANNED, SAMPLE, **places)
    device = tmp_path / "device.json"
    device.write_text(cudnn.DeviceProperties("H200").to_json())
    environment = dict(os.environ) | places
    if libcuda.why_absent():
        (tmp_path / "libcuda.so.1").symlink_to(stand_in.FILE)
        environment["LD_LIBRARY_PATH"] += f":{tmp_path}"
    same = 0
    for each in found:
        if "plan" not in each:
            continue
        source = tmp_path / f"{each['name']}.c"
        made = compile_c(source, release, *link(cudnn_library, cudart))
        done = subprocess.run(
            [made, "--plan", device], capture_output=True, text=True, check=False, env=environment
        )
        assert done.returncode == 0, f"{each['name']}: {done.stdout}{done.stderr}"
        theirs, ours = json.loads(done.stdout), each["plan"]
        for plan in (theirs, ours):  # compiled anew, so its bytes may differ
            plan["engine"].pop("payload", None)
        assert theirs == ours, each["name"]
        rows = re.findall(r"^    \{(\d+), -?\d+, (\d+), \w+\},$", source.read_text(), re.M)
        assert [[int(uid), int(offset)] for uid, offset in rows] == each["packed"], each["name"]
        same += 1
    assert same == PLANNED
