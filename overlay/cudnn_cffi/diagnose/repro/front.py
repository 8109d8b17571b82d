"""`repro` for users: the files of a case, with what a run of it gave."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ... import driver, errors, library
from ..._support import files
from ..._support.arguments import mapping, path_of
from ..._support.results import NamedTuple
from ...choice import DeviceProperties
from ...choice.engine.engines import Candidate
from ...choice.engine.knobs import named_values
from ...errata import Record
from ...graph.graph import Graph, graph_of
from ...plan import Plan
from ..configurations import configurations
from ..doctor import examine, to_text
from ..info import collect

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .case import Case

    Device = DeviceProperties | str
    Subject = Graph | Plan | Candidate | Record | str | bytes

#: The device that is described where there is none.
_DESCRIBED = "H200"

_TIMEOUT = 600  # seconds: an engine may compile for long

_SUFFIXES = (".py", ".c")


class Repro(NamedTuple):
    """The files that `repro` wrote, and what a run gave.

    Attributes:
        files: the Python file, the C file, or both.
        engine: the index of the engine.
        knobs: values of its knobs by name.
        status: 0 if the results were as expected, 1 if not, 2 if it could not run here.
        text: the outcome in words.
    """

    files: tuple[Path, ...]
    engine: int
    knobs: Mapping[str, int]
    status: int
    text: str

    def __str__(self) -> str:
        return "\n".join([*map(str, self.files), self.text])


def repro(
    subject: Subject,
    path: str | os.PathLike[str],
    *,
    engine: int | None = None,
    knobs: Mapping[str, int] | None = None,
    seed: int = 0,
    data: Mapping[str, str | float | Sequence[float]] | None = None,
    tolerance: float | Mapping[str, float] | None = None,
    device: Device | None = None,
    note: str = "",
) -> Repro:
    """Write a program that shows what an engine makes of a graph, for a report of a defect.

    The file has graph, engine, knobs, data by seed, the environment as `doctor` tells it, expected
    and actual results. A Python file needs this package and NumPy; a C file cuDNN, the CUDA runtime
    and the C library. Both make the same inputs bit for bit, execute the plan once with outputs and
    workspace full of NaN, and compare with results in float64: with all elements of small outputs,
    and of larger ones with 1024 elements, those that were the furthest off, and the sums over 64
    blocks; the Python file also with all that NumPy computes then. They print SAME or DIFFERS with
    the maximum error and its place, and end with status 0 or 1; with 2 and the reason if they could
    not run. The C program takes `--inputs`, which only makes the inputs, and `--plan FILE`, which
    prints the plan for the device that FILE describes (`DeviceProperties.to_json`); neither needs a
    GPU.

    If there is a GPU, the program runs once in a child process, and the files tell what it printed.
    Without a reference in NumPy (a node has none here, or there are more than 2^25 elements) a
    program only has to run.

    Args:
        subject: a `Graph`, the JSON of one, a `Plan` or a candidate of a graph of this process, or
            a record of `errata`.
        path: the file: ".py" or ".c"; without either, both are written.
        engine: the index of the engine, also one that is left out otherwise; by default that of the
            plan, candidate or record, or the one that is chosen for the graph.
        knobs: values of its knobs by name; without `engine`, changes of those of the plan,
            candidate or record.
        seed: of the data.
        data: for inputs by name a kind, a number for all elements, or all elements in row-major
            order. The kinds are "normal" (the default), "positive", "integers", "zeros",
            "negative_rows", "one_huge", "cancelling", "denormals" and "extremes".
        tolerance: the largest error that is right, relative to the largest element of an output, or
            that of each output by name; by default 0.01 for HALF, 0.05 for BFLOAT16, 0.13 and 0.26
            for FP8, 0.02 for INT8, else 0.002.
        device: a described device to choose an engine for, if there is no GPU; H200 by default.
        note: text for the head of the files.

    Returns: the paths of the files, the engine, and the outcome.

    Raises:
        ArgumentError: an argument is something else, a name is unknown, an input of indices has no
            data, or a plan's graph is not known to this process.
        GraphError: the JSON is damaged, or not a graph.
        NotSupportedError: several plans compute the subject, NumPy is missing, or a data type or an
            attribute has no data or no form in C.
        NoPlanError: no engine was named, and none takes the graph.
        OSError: a file cannot be written.
    """
    if find_spec("numpy") is None:
        raise errors.NotSupportedError(
            "NumPy is not installed, which makes the data and the expected results",
            hint="pip install numpy",
        )
    from .case import make, with_expected, without_errata

    paths = _paths(path)
    knobs = named_values(knobs)
    data = mapping(data, "data", "kinds or numbers by the names of inputs")
    if not isinstance(note, str):
        raise errors.ArgumentError(f"note: expected a text, got {note!r}")
    if not isinstance(seed, int) or isinstance(seed, bool):
        raise errors.ArgumentError(f"seed: expected an int, got {seed!r}")
    if device is not None:  # refused also where it is not needed
        device = DeviceProperties.of(device)
    without: tuple[str, ...] = ()
    if isinstance(subject, Record) and subject.scope == "function":
        without = (subject.id,)
    with without_errata(without):
        graph, own, own_knobs, given = _parts(subject)
        if engine is None:
            engine, knobs = own, {**own_knobs, **knobs}
            if isinstance(subject, Record) and knobs == own_knobs:
                knobs = _knobs_of(subject, graph, device)
        if engine is None:
            plan = graph.build(split=False, device=_place(device))
            engine, knobs = plan.engine, {**plan.knobs, **knobs}
        chosen = _checked(engine, knobs)
        release = library.load().version
        case = make(graph, *chosen, seed, {**given, **data}, tolerance, release, without)
    outcome = _run(case)
    with without_errata(without):
        if worst := outcome.get("worst"):
            case = with_expected(case, case.exact(case.inputs()), tolerance, worst)
        about = _about(case, note, outcome["text"])
        texts = [_text(each, case, about) for each in paths]
    for each, text in zip(paths, texts, strict=True):
        files.replace(each, text.encode(errors="backslashreplace"), mode=0o666)
    return Repro(paths, case.engine, case.knobs, outcome["status"], outcome["text"])


def _paths(path: str | os.PathLike[str]) -> tuple[Path, ...]:
    found = path_of(path)
    if found.suffix in _SUFFIXES:
        return (found,)
    if found.suffix or not found.name:
        raise errors.ArgumentError(f"path: expected a file that ends in .py or .c, got {found}")
    return tuple(found.with_suffix(each) for each in _SUFFIXES)


def _parts(subject: Any) -> tuple[Graph, int | None, Mapping[str, int], Mapping[str, Any]]:
    """Return the graph of a subject, its engine and knobs, and the data that show it."""
    if isinstance(subject, Graph):
        return subject, None, {}, {}
    if isinstance(subject, (str, bytes)):
        return Graph.from_json(subject), None, {}, {}
    if isinstance(subject, Record):
        if not subject.has_graph:
            raise errors.ArgumentError(f"no graph shows the erratum {subject.id!r}")
        graph = Graph.from_json(json.dumps(subject.shows["graph"]))
        # To ask which engine takes such a graph would end this process.
        first = 0 if subject.kind == "crash" else None
        engine = first if subject.shown_engine is None else subject.shown_engine
        return graph, engine, subject.shown_knobs, _data_of(subject, graph)
    if isinstance(subject, Candidate):
        used = subject._engine  # noqa: SLF001
        if used.sm_count is not None:
            raise errors.NotSupportedError("expected a candidate without sm_count")
        return _graph_of(used.computation.signature), subject.engine, subject.knobs, {}
    if isinstance(subject, Plan):
        if len(subject.parts) > 1:
            raise errors.NotSupportedError(
                f"expected one plan, got {len(subject.parts)} in sequence",
                hint="pass one of `parts`",
            )
        return _graph_of(subject.signature), subject.engine, subject.knobs, {}
    raise errors.ArgumentError(
        f"subject: expected a Graph, its JSON, a Plan, a candidate or an erratum, got {subject!r}",
        hint="a classic function has no graph",
    )


def _knobs_of(record: Record, graph: Graph, device: Device | None) -> Mapping[str, int]:
    """Return the knobs with which the engine of a record takes its graph, if cuDNN tells."""
    if record.shown_engine is None or record.kind == "crash":
        return record.shown_knobs
    with suppress(errors.CudnnError):
        for each in configurations(graph, record, record.shown_engine, _place(device)):
            with suppress(errors.NotSupportedError):
                each.config  # noqa: B018  # cuDNN takes or refuses it
                return each.knobs
    return record.shown_knobs


def _data_of(record: Record, graph: Graph) -> dict[str, Any]:
    """Return the data that show a record: numbers for all elements, or all elements."""
    import numpy as np

    shapes = {each.name: each.shape for each in graph.tensors.values()}
    given = {
        name: np.asarray(each, np.float64) for name, each in record.shows.get("data", {}).items()
    }
    return {
        name: np.broadcast_to(each, shapes[name]) if each.ndim else float(each)
        for name, each in given.items()
    }


def _graph_of(signature: str) -> Graph:
    found = graph_of(signature)
    if found is None:
        raise errors.ArgumentError(
            "subject: the graph of this plan is not known to this process",
            hint="pass the graph, and engine= and knobs= of the plan",
        )
    return found


def _place(device: Device | None) -> Device | None:
    """Return the device to plan for: None for the GPU, which counts if it is there."""
    return device or (None if driver.count() else _DESCRIBED)


def _checked(engine: int | None, knobs: Mapping[str, int]) -> tuple[int, dict[str, int]]:
    """Return an engine and knobs, which need not take the graph."""
    if not isinstance(engine, int) or isinstance(engine, bool) or engine < 0:
        raise errors.ArgumentError(f"engine: expected an index, got {engine!r}")
    from ..._tables import active, find_member

    names, checked = active().enum("BackendKnobType"), {}
    for name, value in knobs.items():
        member = find_member(names, str(getattr(name, "name", name)))
        if member is None or not isinstance(value, int) or isinstance(value, bool):
            raise errors.ArgumentError(
                f"knobs: expected names of knobs and ints, got {name!r}: {value!r}"
            )
        checked[member.name] = int(value)
    return engine, checked


def _run(case: Case) -> dict[str, Any]:
    """Return the outcome of a run in a child process, since an engine may end the process."""
    if not driver.count():
        return {"status": 2, "text": f"not run: {driver.why_unusable()}"}
    code = (
        "import sys; sys.path[:] = sys.argv[1:]; import cudnn_cffi.diagnose.repro.running as r; "
        "sys.exit(r.run(sys.stdin.read(), as_json=True))"
    )
    try:
        done = subprocess.run(
            [sys.executable, "-c", code, *sys.path],
            input=case.to_json().encode(),
            capture_output=True,
            env={**os.environ, "CUDNN_CFFI_LIBRARY": str(library.load().path)},
            timeout=_TIMEOUT,
        )
    except (OSError, subprocess.SubprocessError) as error:
        return {"status": 2, "text": f"not run: {error}"}
    if done.returncode < 0:
        name = signal.Signals(-done.returncode).name
        return {"status": 1, "text": f"DIFFERS: it ends the process: {name}"}
    try:
        found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    except (ValueError, IndexError):
        last = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
        why = " ".join([f"exit status {done.returncode}", *last])
        return {"status": 2, "text": f"not run: {why}"}
    return found


# Texts


def _about(case: Case, note: str, actual: str) -> str:
    """Return the head of a file: the case in words."""
    knobs = ", ".join(f"{name}={value}" for name, value in case.knobs.items()) or "default"
    inputs = [f"    {name}: {_shown(value)}" for name, value in case.data.items()]
    expected = [
        f"    {each.name}: largest element {each.largest:.6g}, tolerance {each.tolerance:g} of it"
        for each in case.expected
    ]
    lines = [
        f"Engine {case.engine} of cuDNN {case.release}, knobs: {knobs}",
        *([note] if note else []),
        "",
        "Graph:",
        *(f"    {line}" for line in str(case.graph).splitlines()),
        f"Inputs, by seed {case.seed}:",
        *inputs,
        f"Expected, by {case.reference}:" if case.expected else f"Expected: {case.reference}",
        *expected,
        "Actual, as this was written:",
        *(f"    {line}" for line in actual.splitlines()),
        "Environment:",
        *(f"    {line}" for line in to_text(examine(collect())).splitlines()),
    ]
    return "\n".join(lines)


def _shown(value: object) -> str:
    from .data import KINDS

    if isinstance(value, str):
        return f"{value}: {KINDS[value]}"
    return f"{len(value)} given elements" if isinstance(value, list) else f"all {value}"


_PYTHON = '''"""{about}

    python {name}

ends with status 0 if the results are as expected, 1 if they differ, 2 if it could not run.
"""

import sys

CASE = r"""
{case}
"""

if __name__ == "__main__":
    try:
        from cudnn_cffi.diagnose.repro.running import run
    except ImportError as error:
        print("COULD NOT RUN:", error)
        sys.exit(2)
    sys.exit(run(CASE))
'''

_BUILD = """
    cc {name} -o {stem} -lcudnn -lcudart -lm && ./{stem}

ends with status 0 if the results are as expected, 1 if they differ, 2 if it could not run."""


def _text(path: Path, case: Case, about: str) -> str:
    if path.suffix == ".c":
        from .c_program import text

        return text(case, f"{about}\n{_BUILD.format(name=path.name, stem=path.stem)}")
    safe = about.replace("\\", "/").replace('"""', "'''")
    return _PYTHON.format(about=safe, name=path.name, case=case.to_json())
