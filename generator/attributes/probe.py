"""Asks a real libcudnn what each backend attribute takes.

    python -m generator.attributes.probe --library .../libcudnn.so.9 --update

No GPU is needed: cudnnBackendSetAttribute refuses a wrong type before it looks at anything else,
and nearly every descriptor can be finalized, and then read, without a handle; the device that
engines are for is described in JSON. The library is loaded in a child process
(`generator.attributes.child`) that is started again behind every question that crashes it. What was
heard is kept in generator/attributes/probed/, from where `generator.attributes` takes it. Of
version 9 the schema is asked too (`generator.schema`).
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click
from cudnn_cffi.api.model import Api, ModelError, Store, version_key, version_name

from ..schema import AnswersError
from ..schema import answers as kept
from ..schema.answers import FINISHED, Answers
from ..schema.lab import LabError
from ..schema.probe import probe as probe_schema
from . import AttributesError, Evidence, Probed, bench, driver, owners, save_evidence
from .child import FAILED

MODELS = Path(__file__).parents[2] / "generated" / "cudnn_cffi" / "api"
DEVICE = Path(__file__).with_name("device.json")

_SUCCESS = "CUDNN_STATUS_SUCCESS"

#: How a library refuses an attribute that it does not have, or not for this call, whatever the
#: type: version 9 and 8.
_NO_SUCH = {"CUDNN_STATUS_NOT_SUPPORTED", "CUDNN_STATUS_INTERNAL_ERROR"}

#: Statuses of our own.
_CRASH = "crash"
_UNASKED = {"no descriptor", "nothing to set"}


class ProbeError(Exception):
    """The library cannot be probed, or answers what cannot be understood."""


class Answer(NamedTuple):
    """What a call ended with: the status by its name, and the library's own text."""

    status: str
    text: str = ""


class _Question(NamedTuple):
    call: str  # "set" or "get"
    attribute: str
    type: str
    details: list[Any]  # as generator.attributes.child wants them


#: The answers to one call about one attribute, by type.
_Heard = defaultdict[tuple[str, str], dict[str, Answer]]


def probe(
    library: Path,
    descriptor_types: Mapping[str, int],
    attributes: Mapping[str, int],
    attribute_types: Mapping[str, int],
    *,
    preload: Sequence[Path] = (),
    device: str | None = None,
    timeout: float = 600.0,
) -> Evidence:
    """Asks `library` about each of `attributes`.

    Args:
        descriptor_types, attributes, attribute_types: the enumerators of the library's release.
        preload: libraries to load first.
        device: a device as cuDNN describes it in JSON; None for the first one of the machine.
        timeout: seconds that one child process may take.

    Raises:
        ProbeError: the library does not load, or an answer contradicts itself.
        AttributesError: an attribute's name begins with no descriptor type's.
    """
    owner_of = owners(descriptor_types, attributes)
    child = _Child(library, preload, timeout)
    child.request |= {
        "types": dict(attribute_types),
        "descriptors": dict(descriptor_types),
        "attributes": dict(attributes),
        "handle": True,
    }

    def set_(name: str, type_: str, values: list[Any]) -> _Question:
        before = bench.before(name, attributes)
        return _Question("set", name, type_, [owner_of[name], before, values])

    # Zeros and NULLs first. They tell nearly every type, and no library crashes on many.
    heard = child.ask(
        set_(name, type_, bench.zeros(type_)) for name in attributes for type_ in attribute_types
    )
    types = {name: understood(name, heard["set", name]) for name in attributes}

    # Then what the rest may want, and finished descriptors to read from.
    child.request["bench"] = bench.bench(
        tuple(descriptor_types), tuple(attributes), owner_of, types, device
    )
    objects = child.ask(
        set_(name, type_, values)
        for name in attributes
        if not types[name]
        for type_, values in bench.objects(name).items()
        if type_ in attribute_types
    )
    for about, answers in objects.items():
        heard[about] |= answers
    heard |= child.ask(
        _Question("get", name, type_, [owner_of[name], bench.read_into(name)])
        for name in attributes
        for type_ in attribute_types
    )
    return Evidence(
        version=version_name(child.version),
        attributes={
            name: _conclude(name, heard["set", name], heard["get", name]) for name in attributes
        },
        unfinished={
            name: status
            for name, status in sorted(child.made.items())
            if name in descriptor_types and status != "made"
        },
    )


def library_version(library: Path, preload: Sequence[Path] = ()) -> str:
    """Return the release of a library: "9.28.0".

    Raises:
        ProbeError: it does not load, or is not cuDNN.
    """
    child = _Child(library, preload, timeout=60.0)
    child.start()
    return version_name(child.version)


def understood(attribute: str, answers: Mapping[str, Answer]) -> tuple[str, ...]:
    """Return the types that a library took for an attribute, or let past its check of the type.

    Args:
        answers: what cudnnBackendSetAttribute said to each type.

    Returns:
        Nothing where it took every type, or told none from the others.

    Raises:
        ProbeError: the library's text asks for other types than it takes.
    """
    answers = {name: answer for name, answer in answers.items() if answer.status != _CRASH}
    taken = [name for name, answer in answers.items() if answer.status == _SUCCESS]
    if len(taken) == len(answers):
        return ()
    if not taken:
        # The right type fails later than the wrong ones, on NULL or the like, and so otherwise.
        usual, often = Counter(answers.values()).most_common(1)[0]
        taken = [name for name, answer in answers.items() if answer != usual]
        if 2 * len(taken) > often:
            return ()
    wanted = {
        name
        for type_, answer in answers.items()
        if type_ not in taken
        for name in re.findall(r"CUDNN_TYPE_\w+", answer.text)
        if name in answers
    }
    if taken and wanted and wanted != set(taken):
        raise ProbeError(
            f"{attribute}: the library takes {', '.join(taken)}, but asks for "
            f"{', '.join(sorted(wanted))}: look at its answers, and teach "
            "generator/attributes/probe.py"
        )
    return tuple(taken)


def _conclude(attribute: str, set_: Mapping[str, Answer], get: Mapping[str, Answer]) -> Probed:
    written = understood(attribute, set_)
    read = tuple(name for name, answer in get.items() if answer.status == _SUCCESS)
    types = written or (read if len(read) < len(get) else ())
    wrote = {answer.status for answer in set_.values()}
    if written or wrote == {_SUCCESS}:
        writable: bool | None = True
    elif _refused(wrote) or (types and all(set_[name].status != _CRASH for name in types)):
        writable = False  # refused like any type, though it is the type that reading takes
    else:
        writable = None
    readable = True if read else False if _refused({a.status for a in get.values()}) else None
    crashed = [f"set {name}" for name, answer in set_.items() if answer.status == _CRASH]
    crashed += [f"get {name}" for name, answer in get.items() if answer.status == _CRASH]
    return Probed(types=types, readable=readable, writable=writable, crashed=tuple(crashed))


def _refused(statuses: Collection[str]) -> bool:
    return len(statuses) == 1 and _NO_SUCH.issuperset(statuses)


def _keep(heard: _Heard, question: _Question, answer: Answer) -> None:
    if answer.status not in _UNASKED:
        heard[question.call, question.attribute][question.type] = answer


class _Child:
    """Puts questions to a child process, and starts another behind each crash."""

    def __init__(self, library: Path, preload: Sequence[Path], timeout: float) -> None:
        self.request: dict[str, Any] = {
            "library": str(library),
            "preload": [str(path) for path in preload],
            "types": {},
            "descriptors": {},
            "attributes": {},
            "handle": False,
            "bench": [],
        }
        self.version = 0
        self.made: dict[str, str] = {}  # each descriptor of the bench, and how that went
        self._timeout = timeout
        self._error = ""
        self._failed = False

    def start(self) -> None:
        """Load the library and ask nothing."""
        for _ in self._run([]):
            pass

    def ask(self, questions: Iterable[_Question]) -> _Heard:
        """Return the answers to all questions that could be put."""
        heard = _Heard(dict)
        rest = list(questions)
        while rest:
            done = 0
            for answer in self._run(rest):
                _keep(heard, rest[done], answer)
                done += 1
            if done < len(rest):
                _keep(heard, rest[done], Answer(_CRASH))
            rest = rest[done + 1 :]
        return heard

    def _run(self, questions: Sequence[_Question]) -> Iterator[Answer]:
        """Answers until the child ends. What crashed it on the bench is not made again."""
        while True:
            making = None
            started = False
            for reply in self._replies(questions):
                if "version" in reply:
                    self.version = reply["version"]
                    started = True
                elif "making" in reply:
                    making = reply["making"]
                elif "made" in reply:
                    making = None
                    if reply["status"] != "kept":
                        self.made[reply["made"]] = reply["status"]
                else:
                    yield Answer(reply["status"], reply.get("text", ""))
            if not started:
                raise ProbeError(
                    f"{self.request['library']}: does not load, or is not cuDNN: {self._error}"
                )
            if self._failed:
                raise ProbeError(f"the probe itself failed: {self._error}")
            if making is None:
                return
            self.made[making] = _CRASH
            self.request["bench"] = [
                item for item in self.request["bench"] if item["name"] != making
            ]

    def _replies(self, questions: Sequence[_Question]) -> Iterator[dict[str, Any]]:
        with (
            tempfile.TemporaryFile("w+") as errors,
            subprocess.Popen(
                (sys.executable, "-m", "generator.attributes.child"),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                cwd=Path(__file__).parents[2],
            ) as process,
        ):
            assert process.stdin is not None
            assert process.stdout is not None
            timer = threading.Timer(self._timeout, process.kill)
            timer.start()
            try:
                asked = [[q.call, q.attribute, q.type, *q.details] for q in questions]
                json.dump(self.request | {"questions": asked}, process.stdin)
                process.stdin.close()
                for line in process.stdout:
                    if line.endswith("\n"):  # a crash can cut the last one
                        yield json.loads(line)
            finally:
                timer.cancel()
            self._failed = process.wait() == FAILED
            errors.seek(0)
            self._error = (errors.read().strip().splitlines() or ["it crashes"])[-1]


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--library",
    type=click.Path(exists=True, dir_okay=False, resolve_path=True, path_type=Path),
    required=True,
    help="libcudnn.so.9 or .8, with its sub-libraries beside it.",
)
@click.option(
    "--update", is_flag=True, help="Keep what was heard in generator/, for the generator."
)
@click.option(
    "--preload",
    type=click.Path(exists=True, dir_okay=False, resolve_path=True, path_type=Path),
    multiple=True,
    help="Load this library first, such as libcublasLt.so where an engine wants it.",
)
@click.option(
    "--device",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="The device that engines are for, as cuDNN describes it in JSON; without it the "
    "machine's own, or the one in generator/attributes/device.json where there is no driver.",
)
@click.option(
    "--models",
    type=click.Path(file_okay=False, path_type=Path),
    default=MODELS,
    show_default=True,
    help="The models with the enumerators of the library's release.",
)
def main(
    library: Path, update: bool, preload: tuple[Path, ...], device: Path | None, models: Path
) -> None:
    """Ask a libcudnn for the types and the schema of its backend attributes."""
    try:
        with tempfile.TemporaryDirectory() as folder:
            first = list(preload)
            if not driver.present():
                click.echo("no CUDA driver here: a stand-in takes its place", err=True)
                first.insert(0, driver.stand_in(library.parent, Path(folder)))
                device = device or DEVICE
            api = _generated(library_version(library, first), models)
            evidence = probe(
                library,
                _values(api, "cudnnBackendDescriptorType_t"),
                _values(api, "cudnnBackendAttributeName_t"),
                _values(api, "cudnnBackendAttributeType_t"),
                preload=first,
                device=device.read_text(encoding="utf-8") if device else None,
            )
            told = _schema(library, api, evidence, first, device)
        _report(evidence, click.echo)
        if told is not None:
            _report_schema(told, click.echo)
        if update:
            click.echo(f"kept in {save_evidence(evidence)}")
            if told is not None:
                click.echo(f"kept in {kept.save(told)}")
    except (
        ProbeError,
        AttributesError,
        LabError,
        AnswersError,
        driver.DriverError,
        ModelError,
        OSError,
    ) as error:
        raise click.ClickException(str(error)) from error


def _schema(
    library: Path, api: Api, evidence: Evidence, beside: Sequence[Path], device: Path | None
) -> Answers | None:
    """Return what the library tells of the schema; version 8 has no log to read it from."""
    if version_key(evidence.version) < (9,):
        return None
    types = {attribute.name: attribute.types for attribute in api.attributes}
    writable = {attribute.name: attribute.writable for attribute in api.attributes}
    for name, heard in evidence.attributes.items():
        types[name] = heard.types or types.get(name, ())
        writable[name] = writable.get(name) if heard.writable is None else heard.writable
    return probe_schema(
        library,
        api,
        types,
        writable,
        device=(device or DEVICE).read_text(encoding="utf-8"),
        beside=beside,
        echo=lambda line: click.echo(line, err=True),
    )


def _report_schema(told: Answers, echo: Callable[[str], Any]) -> None:
    finished = sum(1 for reached in told.descriptors.values() if reached in FINISHED)
    echo(f"schema: {finished} of {len(told.descriptors)} descriptor types could be finalized")
    for name, reached in sorted(told.descriptors.items()):
        if reached not in FINISHED:
            echo(f"  not finalized: {name}")


def _generated(version: str, models: Path) -> Api:
    store = Store(models)
    for release in store.releases():
        if release.version == version:
            return store.api(release.api)
    raise ProbeError(
        f"cuDNN {version} is not generated yet, so that its attributes are not known by name: "
        f"first run python -m generator generate {version}"
    )


def _values(api: Api, name: str) -> dict[str, int]:
    for enum in api.enums:
        if enum.name == name:
            return {member.name: member.value for member in enum.enumerators}
    raise ProbeError(f"cuDNN {api.release} has no {name}: there is nothing to probe")


def _report(evidence: Evidence, echo: Callable[[str], Any]) -> None:
    all_ = evidence.attributes
    told = sum(1 for probed in all_.values() if probed.types)
    echo(f"cuDNN {evidence.version}: the types of {told} of {len(all_)} attributes")
    for name, probed in all_.items():
        if not probed.types:
            echo(f"  no type: {name}")
        for question in probed.crashed:
            echo(f"  crashed: {name}, {question}")
    for name, status in evidence.unfinished.items():
        echo(f"  not finalized: {name}: {status.splitlines()[0]}")


if __name__ == "__main__":
    main()
