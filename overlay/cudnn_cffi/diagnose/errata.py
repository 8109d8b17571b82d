"""List known errors of cuDNN, and reproduce one: `python -m cudnn_cffi errata`.

A check builds the graph of a record with its engine in a child process, since a crash or a lost
context is an answer. With a GPU the plan computes random numbers into poisoned outputs, which are
compared with NumPy's in float64. One that is wrong when captured is called until it is replayed; a
slow one is timed beside what is chosen, or beside the graphs of its parts. Without a GPU, the check
says whether the engine takes the graph on a device that is described, and whether it is left out.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, cast

from .. import errata, errors
from .._support.output import write
from ..errata import Record, files
from ..errata.record import OTHER_BITS, RESTORED
from ..errors import first_line
from .configurations import LARGEST, LIMIT, LIMITS, build

if TYPE_CHECKING:
    from ..errata.record import Kind
    from ..graph import Graph
    from ..plan import Operand, Plan
    from .function import FunctionCall

TIMEOUT = 300  # seconds: an engine may compile for long
RUNNING = 10  # seconds that executions may take: some engines never end
#: The device that is described where there is none.
DESCRIBED = "H200"

#: Calls of a plan whose bits may differ, and of one whose later calls are replayed.
TURNS = {OTHER_BITS: 100, "not capturable": 6}

#: Choices that leave engines of some kinds out; others are left out of all choices.
_OUT_OF = {OTHER_BITS: "deterministic choices", RESTORED: "files of networks"}

SLOWER = 1.1  # times as long as what is chosen

FURTHEST = 6  # standard deviations that the mean of a mask may be off

_MARK = "cudnn_cffi errata "


@dataclass(frozen=True)
class Verdict:
    """The outcome of a check.

    Attributes:
        id: of the record.
        engine: the engine that was asked for, or None.
        verdict: "wrong", "right", "other bits", "refused", "fails", "context lost", "crash",
            "hang", "slow", or, without a GPU, "left out", "avoided" or "not avoided"; "not checked"
            where a part is missing.
        text: the details.
    """

    id: str
    engine: int | None
    verdict: str
    text: str


def main(
    *,
    as_json: bool = False,
    check: str = "",
    subject: str | None = None,
    kind: str | None = None,
) -> int:
    """List records, or check one; return 0.

    Raises:
        ArgumentError: there is no such record, subject or kind.
    """
    if not check:
        found = errata.records(subject=subject, kind=cast("Kind | None", kind))
        write(_listed(found, as_json=as_json))
        return 0
    verdicts = list(verdicts_of(errata.get(check)))
    if as_json:
        write(f"{json.dumps([asdict(each) for each in verdicts], indent=1)}\n")
    else:
        write("".join(f"{_line(each)}\n" for each in verdicts))
    return 0


def _line(each: Verdict) -> str:
    engine = "" if each.engine is None else f" engine {each.engine}"
    return f"{each.id}{engine}: {each.verdict}: {each.text}"


def _listed(records: tuple[Record, ...], *, as_json: bool) -> str:
    if as_json:
        rows = [{**files.to_dict(each), "on": errata.is_on(each.id)} for each in records]
        return f"{json.dumps(rows, indent=1, ensure_ascii=False)}\n"
    lines = []
    for each in records:
        several = "s" if len(each.engines) > 1 else ""
        engines = f", engine{several} {', '.join(map(str, each.engines))}" if each.engines else ""
        state = "" if errata.is_on(each.id) else " (not avoided)"
        lines.append(f"{each.id}: {each.kind}; {', '.join(each.subjects)}{engines}{state}\n")
        lines.append(f"    {each.symptom.removesuffix(',')}\n")
        notes = (
            f"releases {errata.releases_of(each)}",
            each.source,
            *([f"instead: {each.workaround}"] if each.workaround else []),
        )
        lines.append(f"    {'; '.join(notes)}\n")
    count = sum(errata.is_on(each.id) for each in records)
    return "".join([*lines, f"{len(records)} records, {count} avoided\n"])


def verdicts_of(record: Record) -> Iterator[Verdict]:
    """Yield the outcome of a check for each engine of a record."""
    for engine in record.engines or (record.shown_engine,):
        if "graph" not in record.shows:
            yield Verdict(record.id, engine, "not checked", _of_call(record))
            continue
        yield _ask(record, engine)


def _of_call(record: Record) -> str:
    """Return whether the condition of a record holds for what shows it."""
    if "call" in record.shows:
        try:
            held = [each.applies(record.shows["call"]) for each in errata.table.rows_of(record)]
        except (KeyError, TypeError) as error:
            return f"the condition cannot be asked for the call that shows it: {error!r}"
        if not all(held):
            return "the condition does not hold for the call that shows it"
        text = "the condition holds for the call that shows it; nothing was computed"
        return f"{text}: {_elsewhere(record) or record.evidence}"
    return f"no graph shows it; {_elsewhere(record) or record.source}; {record.evidence}"


def _elsewhere(record: Record) -> str:
    """Return on which releases and devices a record holds, if it names some."""
    where = [f"a release {errata.releases_of(record)}"] if record.first or record.last else []
    if record.architectures:
        known = ", ".join(f"{major}.{minor}" for major, minor in record.architectures)
        where.append(f"a device of compute capability {known}")
    return f"it needs {' and '.join(where)}" if where else ""


def _ask(record: Record, engine: int | None) -> Verdict:
    """Return the outcome of a check in a child process."""
    code = (
        "import sys; sys.path[:] = sys.argv[3:]; import cudnn_cffi.diagnose.errata as e; e.child()"
    )
    given = json.dumps(files.to_dict(record)), "" if engine is None else str(engine)
    try:
        done = subprocess.run(
            [sys.executable, "-c", code, *given, *sys.path],
            capture_output=True,
            timeout=TIMEOUT,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "CUDNN_CFFI_PLAN_CACHE": "0"},
        )
    except subprocess.TimeoutExpired:
        return Verdict(record.id, engine, "hang", f"it did not end within {TIMEOUT} s")
    except (OSError, subprocess.SubprocessError) as error:
        return Verdict(record.id, engine, "not checked", str(error))
    for line in done.stdout.decode(errors="replace").splitlines():
        if line.startswith(_MARK):
            return Verdict(record.id, engine, *json.loads(line.removeprefix(_MARK)))
    if done.returncode < 0 and -done.returncode == getattr(signal, "SIGALRM", 0):
        return Verdict(record.id, engine, "hang", f"executions did not end within {RUNNING} s")
    last = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
    how = f"exit status {done.returncode}"
    if done.returncode < 0:
        how = signal.Signals(-done.returncode).name
    verdict = "crash" if done.returncode < 0 else "not checked"
    return Verdict(record.id, engine, verdict, " ".join([how, *last]))


# In the child ------------------------------------------------------------------------------------


def child() -> None:
    """Check a record in this process, and write the outcome to standard output."""
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a crash is an answer
    record = files.of_dict(json.loads(sys.argv[1]))
    engine = int(sys.argv[2]) if sys.argv[2] else None
    print(_MARK + json.dumps(outcome(record, engine)), flush=True)


def outcome(record: Record, engine: int | None) -> tuple[str, str]:
    """Return the verdict and the details of a check in this process."""
    from ..driver import libcuda
    from ..graph import Graph

    def graph() -> Graph:
        return Graph.from_json(json.dumps(record.shows["graph"]))

    try:
        if "workspace" in record.shows:
            return _asked_for(record, graph(), present=bool(libcuda.count()))
        if not libcuda.count():
            if record.scope == "function":
                return "not checked", _of_call(record)
            return _without_gpu(record, engine, graph())
        if record.kind == RESTORED:
            return "not checked", "only plans that are made of cuDNN's JSON alone are wrong"
        if find_spec("numpy") is None:
            return "not checked", "install NumPy, which computes the numbers to compare with"
        if "apart" in record.shows:
            return _timed_apart(record, graph())
        if record.kind == "slow":
            return _timed(record, engine, graph())
        with errata.off(*_others(record)):
            try:
                plan = _build(record, engine, graph())
            except errors.CudnnError as error:
                return "refused", first_line(error)
            return _computed(record, graph(), plan)
    except (errors.LibraryError, errors.SublibraryError, errors.ArgumentError) as error:
        return "not checked", first_line(error)


def _others(record: Record) -> list[str]:
    """Return the records that would have the graph of a record refused, or computed another way."""
    if record.scope == "engine":  # one that is wrong in captures is not replayed
        return [record.id] if record.kind == "not capturable" else []
    if record.scope == "function":
        return [record.id]
    return [each.id for each in errata.records() if each.scope == "graph"]


def _build(record: Record, engine: int | None, graph: Graph) -> Plan | FunctionCall:
    if "arguments" in record.shows:
        from .function import FunctionCall

        return FunctionCall(record.subjects[0], record.shows["arguments"], graph)
    for earlier in record.shows.get("after", ()):  # its kernels are those of these graphs
        type(graph).from_json(json.dumps(earlier)).build(split=False)
    if engine is None:
        return graph.build(split=False)
    return build(graph, record, engine)


def _without_gpu(record: Record, engine: int | None, graph: Graph) -> tuple[str, str]:
    """Return whether the package avoids what a record describes, on a device that is described."""
    from ..choice import DeviceProperties
    from ..errata.asks import misalignment

    device = DeviceProperties(DESCRIBED)
    where = f"no GPU here, so no numbers were computed; on an {DESCRIBED}"
    if record.scope == "graph" or engine is None:
        try:
            computation = graph.computation(device=device)
        except errors.NotSupportedError as error:
            if record.symptom in str(error):
                return "avoided", f"{where}, the graph is refused"
            return "not avoided", f"{where}, another reason refuses the graph: {first_line(error)}"
        if misalignment(computation):
            return "avoided", f"{where}, no engine is asked for the graph"
        return "not avoided", f"{where}, the graph is taken as it is"
    if record.architectures and (9, 0) not in record.architectures:
        return "not checked", f"{where}, the record does not hold"
    knobs = record.shown_knobs
    words = ", ".join(f"{name}={value}" for name, value in knobs.items())
    try:
        (forced,) = graph.candidates(engine=engine, knobs=knobs, device=device)
    except (errors.NotSupportedError, errors.ArgumentError) as error:
        takes = f"engine {engine} does not take the graph in this release ({first_line(error)})"
    else:
        takes = f"engine {engine} takes the graph{' with ' if words else ''}{words}"
        if knobs or record.kind in _OUT_OF:
            if record.id not in forced.errata:
                return "not avoided", f"{where}, {takes}, and is a candidate"
            out_of = _OUT_OF.get(record.kind, "choices")
            return "left out", f"{where}, {takes}; it is left out of {out_of}"
    found = graph.candidates(every_engine=True, device=device)
    if engine in {each.engine for each in found}:
        return "not avoided", f"{where}, {takes}, and is a candidate"
    told = [each for each in found.refusals if each.engine == engine and each.stage == "errata"]
    verdict = "left out" if told else "avoided"
    return verdict, f"{where}, {takes}; it is {'left out' if told else 'no candidate'}"


def _asked_for(record: Record, graph: Graph, *, present: bool) -> tuple[str, str]:
    """Return whether a plan asks for too much workspace; a described device tells it, too."""
    from ..choice import DeviceProperties

    device, most = None if present else DeviceProperties(DESCRIBED), record.shows["workspace"]
    plan = graph.build(device=device, split=False)
    text = f"it asks for {plan.workspace_size:,} bytes of workspace on {plan.device}"
    return "fails" if plan.workspace_size > most else "right", f"{text}; {most:,} would do"


def _timed(record: Record, engine: int | None, graph: Graph) -> tuple[str, str]:
    """Time an engine beside what is chosen without it."""
    try:
        (forced,) = graph.candidates(engine=engine, knobs=record.shown_knobs)
    except errors.CudnnError as error:
        return "refused", first_line(error)
    chosen = graph.candidates()[0]
    found = graph.autotune(candidates=[forced, chosen], repeats=10)
    own, other = (
        next(each for each in found if (each.engine, each.knobs) == (one.engine, {**one.knobs}))
        for one in (forced, chosen)
    )
    verdict = "slow" if own.median > SLOWER * other.median else "right"
    times = f"{own.median:.0f} us and {own.workspace or 0} bytes of workspace"
    return verdict, (
        f"{times}; engine {chosen.engine}, which is chosen, {other.median:.0f} us and "
        f"{other.workspace or 0} bytes"
    )


def _timed_apart(record: Record, graph: Graph) -> tuple[str, str]:
    """Time the fastest engine of a graph beside those of the graphs of its parts."""
    graphs = [graph, *(graph.from_json(json.dumps(each)) for each in record.shows["apart"])]
    try:
        whole, *parts = [each.autotune(repeats=10)[0].median for each in graphs]
    except errors.CudnnError as error:
        return "refused", first_line(error)
    verdict = "slow" if whole > SLOWER * sum(parts) else "right"
    return verdict, f"{whole:.0f} us; its parts {' + '.join(f'{each:.0f}' for each in parts)} us"


def _computed(record: Record, graph: Graph, plan: Plan | FunctionCall) -> tuple[str, str]:
    """Run a plan or call a function, and compare its results with NumPy's."""
    import numpy as np

    from ..memory import DeviceArray
    from ..plan.run.compiled import count_replays
    from .evaluate import NoReferenceError, reference

    chance = np.random.default_rng(0)
    constants: Mapping[str, Any] = record.shows.get("data", {})  # numbers, or arrays to repeat
    given, arrays, memory, poisoned = {}, {}, {}, {}
    for each in plan.operands:
        if not each.is_argument:
            continue
        if each.role == "output":
            values = np.full(each.shape, np.nan)
        elif each.name in constants:
            values = np.full(each.shape, constants[each.name])
        else:
            values = chance.standard_normal(each.shape)
            values = abs(values) + 0.5 if each.name.startswith("inv_variance") else values
        host = _laid_out(np, values, each)
        if each.role == "output":
            poisoned[each.name] = host
        else:
            given[each.name] = _seen(np, host, each).astype(np.float64)
        memory[each.name] = DeviceArray.from_numpy(host)
        whole = memory[each.name]
        first = each.alignment % 16 if each.alignment < 16 else 0  # in bytes
        arrays[each.name] = whole._view(each.shape, each.strides, first)  # noqa: SLF001
    poisoned["workspace"] = np.full(max(plan.workspace_size, 1), 255, np.uint8)
    arrays["workspace"] = memory["workspace"] = DeviceArray.from_numpy(poisoned["workspace"])
    try:
        with _limited():
            replays = count_replays()
            bits: list[list[bytes]] = []
            for _ in range(TURNS.get(record.kind, 1)):
                for name, each in poisoned.items():
                    memory[name].copy_from(each)
                raw = _executed(plan, arrays, memory)
                bits.append([each.tobytes() for each in raw.values()])
            odd = sum(each != bits[0] for each in bits)
            if record.kind == OTHER_BITS and odd:
                return "other bits", f"in {odd} of {len(bits)} runs"
            if record.kind == "not capturable" and count_replays() == replays:
                return "not checked", f"none of {len(bits)} calls was replayed"
        found = {
            each.name: _seen(np, raw[each.name], each).astype(np.float64)
            for each in plan.operands
            if each.role == "output"
        }
    except Exception as error:  # of cuDNN, or of the first use of a context that is lost
        try:
            DeviceArray.zeros((1,)).to_numpy()
        except Exception:
            return "context lost", first_line(error)
        return "fails", first_line(error)
    for node in graph.nodes:
        if "mask" in node.outputs:  # what the generator of dropout gave
            given["random"] = found[node.outputs["mask"].name]
            if why := _odd_mask(np, given["random"], node.options["dropout"]):
                return "wrong", why
    try:
        wanted = reference(graph, given)
    except NoReferenceError as error:
        return "not checked", f"it ran; nothing to compare it with: {error}"
    types = {each.name: each.data_type for each in plan.operands}
    return _judged(np, found, wanted, types, record.shows.get("limit"))


def _odd_mask(np: Any, mask: Any, dropout: float) -> str:
    """Return how a mask of dropout is not one of random ones and zeros; "" if it is."""
    if odd := int((~np.isin(mask, (0.0, 1.0))).sum()):
        return f"mask: {odd} of {mask.size} elements are neither one nor zero"
    far = abs(mask.mean() - 1 + dropout) / (dropout * (1 - dropout) / mask.size) ** 0.5
    if far > FURTHEST:
        return f"mask: it keeps {mask.mean():.3f} of all elements, not {1 - dropout:.3f}"
    return ""


def _executed(
    plan: Plan | FunctionCall, arrays: Mapping[str, Any], memory: Mapping[str, Any]
) -> dict[str, Any]:
    """Run a plan, and return the memory of its outputs on the host."""
    run: Any = plan
    run(**arrays)
    return {each.name: memory[each.name].to_numpy() for each in plan.operands
            if each.role == "output"}  # fmt: skip


@contextmanager
def _limited() -> Iterator[None]:
    """End this process by a signal if a block does not end in `RUNNING` seconds."""
    if sys.platform == "win32":  # which has no such signal
        yield
        return
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(RUNNING)
    try:
        yield
    finally:
        signal.alarm(0)


def _judged(
    np: Any,
    found: dict[str, Any],
    wanted: Mapping[str, Any],
    types: Mapping[str, str],
    limit: float | None = None,
) -> tuple[str, str]:
    """Return the verdict on results: the first that is further off than its type explains.

    Args:
        np: NumPy.
        found, wanted, types: results, what they have to be, and their data types, by name.
        limit: the largest error that is right, if it is not that of the data type.
    """
    largest = 0.0
    for name, exact in wanted.items():
        numbers = ~np.isnan(exact)
        odd = int((~numbers & ~np.isnan(found[name])).sum())
        if odd:
            return "wrong", f"{name}: {odd} of {exact.size} elements have to be NaN"
        exact, found[name] = exact[numbers], found[name][numbers]
        beyond = abs(exact) > LARGEST.get(types[name], np.inf)
        rounded = np.where(beyond, np.copysign(np.inf, exact), exact)
        lost = int((beyond & (found[name] != rounded)).sum())
        if lost:
            return "wrong", f"{name}: {lost} of {exact.size} elements overflow, and are not inf"
        odd = int((~np.isfinite(found[name]) & np.isfinite(rounded)).sum())
        if odd:
            return "wrong", f"{name}: {odd} of {exact.size} elements are NaN, inf or not written"
        if beyond.all():
            continue
        exact, own = exact[~beyond], found[name][~beyond]
        error = float(abs(own - exact).max() / max(float(abs(exact).max()), 1e-30))
        if not error < (limit or LIMITS.get(types[name], LIMIT)):
            return "wrong", f"{name}: the largest error is {error:.1e} of the largest element"
        largest = max(largest, error)
    return "right", f"the largest error is {largest:.1e} of the largest element"


def _laid_out(np: Any, values: Any, operand: Operand) -> Any:
    """Return the memory of an operand on the host, with zeros in its gaps."""
    from .. import arrays

    last = sum((n - 1) * step for n, step in zip(operand.shape, operand.strides, strict=True))
    dtype = arrays.numpy_dtype(arrays.dtype_name(operand.data_type))
    # One element of 16 bytes more, so that arrays can begin at a low address.
    memory = np.zeros(last + 1 + 16 // dtype.itemsize, dtype)
    # Numbers that are too large become infinite; integers have no NaN.
    with np.errstate(over="ignore", invalid="ignore"):
        _seen(np, memory, operand)[...] = values.astype(dtype)
    return memory


def _seen(np: Any, memory: Any, operand: Operand) -> Any:
    """Return an operand in its memory on the host."""
    size = memory.dtype.itemsize
    first = (operand.alignment % 16) // size if operand.alignment < 16 else 0
    steps = [size * step for step in operand.strides]
    plain = memory[first:].view(f"u{size}")  # NumPy alone lacks types such as bfloat16
    return np.lib.stride_tricks.as_strided(plain, operand.shape, steps).view(memory.dtype)
