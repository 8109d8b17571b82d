"""Asks a real libcudnn what each backend attribute takes.

    python -m generator.attributes.probe --library .../libcudnn.so.9 --update

No GPU is needed: cudnnBackendSetAttribute refuses a wrong type before it looks at anything else,
and nearly every descriptor can be finalized, and then read, without a handle; the device that
engines are for is described in JSON. `generator.lab` puts the questions. The answers are kept in
generator/attributes/probed/, from where `generator.attributes` takes it. Version 9 is asked for its
schema, too (`generator.schema`).
"""

from __future__ import annotations

import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click
from cudnn_cffi.api.inputs.store import Store
from cudnn_cffi.api.model import Api, ModelError, version_key

from .. import GeneratorError
from ..lab import Lab, driver
from ..lab.bench import FINISHED, Bench
from ..lab.recipes import DESCRIPTOR
from ..schema import answers as kept
from ..schema.answers import Answers
from ..schema.probe import probe as probe_schema
from . import Evidence, Probed, save_evidence

MODELS = Path(__file__).parents[2] / "generated" / "cudnn_cffi" / "api"
DEVICE = Path(driver.__file__).with_name("device.json")

_SUCCESS = "CUDNN_STATUS_SUCCESS"

#: Statuses by which a library refuses an attribute that it does not have, or not for this call,
#: whatever the type: versions 9 and 8.
_NO_SUCH = {"CUDNN_STATUS_NOT_SUPPORTED", "CUDNN_STATUS_INTERNAL_ERROR"}

#: A status of our own.
_CRASH = "crash"

#: The question that an attribute answers by reading: a finished descriptor of this type.
_HANDED = {
    "CUDNN_ATTR_OPERATIONGRAPH_IS_SAME_TOPOLOGY": "CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR",
    "CUDNN_ATTR_KERNEL_CACHE_IS_ENGINECFG_KERNEL_CACHED": "CUDNN_BACKEND_ENGINECFG_DESCRIPTOR",
}


class ProbeError(GeneratorError):
    """The library cannot be probed, or answers what cannot be understood."""


class Answer(NamedTuple):
    """The result of a call: the status by its name, and the library's own text."""

    status: str
    text: str = ""


#: The answers to one call about each attribute, by type.
_Heard = defaultdict[str, dict[str, Answer]]


def probe(
    library: Path,
    api: Api,
    *,
    device: str,
    beside: Sequence[Path] = (),
    recipes: Mapping[str, Any] | None = None,
) -> Evidence:
    """Ask `library` about each of its attributes.

    Args:
        library: libcudnn.
        api: the model of its release.
        device: a device as cuDNN describes it in JSON.
        beside: libraries that cuDNN may load, where the system does not find them.
        recipes: another table than recipes.toml.

    Raises:
        LabError: the library does not load.
        ProbeError: an answer contradicts itself.
        AttributesError: an attribute's name begins with no descriptor type's.
    """
    with Bench(library, api, device=device, beside=beside, recipes=recipes) as bench:
        names = tuple(bench.owners)
        # Zeros and NULLs first. They tell nearly every type, and no library crashes on many.
        wrote = _set(
            bench,
            bench.cold,
            [(name, type_, _zeros(type_)) for name in names for type_ in bench.attribute_types],
        )
        told = {name: understood(name, wrote[name]) for name in names}
        bench.types.update({name: taken for name, taken in told.items() if taken})
        bench.find_all()

        # Then what refuses NULL, and finished descriptors to read from.
        held = {name: bench.element(name) for name in names}
        objects = [
            (name, type_, [value])
            for name in names
            if not told[name]
            for type_, value in (
                ("CUDNN_TYPE_VOID_PTR", {"buffer": True}),
                (DESCRIPTOR, bench.finished(held[name])),
            )
            if value is not None and type_ in bench.attribute_types
        ]
        for name, answers in _set(bench, bench.lab, objects).items():
            wrote[name] |= answers
        read = _get(bench, held)
        return Evidence(
            version=bench.lab.version,
            attributes={name: _conclude(name, wrote[name], read[name]) for name in names},
        )


def _zeros(type_: str) -> list[Any]:
    """Return one element of a type: zero, NULL."""
    return [0, 0] if type_ == "CUDNN_TYPE_FRACTION" else [0]


def _set(bench: Bench, lab: Lab, questions: Sequence[tuple[str, str, list[Any]]]) -> _Heard:
    """Set attributes of fresh descriptors to elements of a type."""
    jobs = (
        {
            "descriptor": bench.owners[name],
            "set": [*bench.before(name), [name, type_, values, None]],
            "told": True,
        }
        for name, type_, values in questions
    )
    heard = _Heard(dict)
    for (name, type_, _), answer in zip(questions, lab.ask(jobs), strict=True):
        if "crash" in answer:
            heard[name][type_] = Answer(_CRASH)
        elif "set" in answer:
            heard[name][type_] = Answer(answer["set"][-1], answer.get("told", ""))
    return heard


def _get(bench: Bench, held: Mapping[str, str]) -> _Heard:
    """Read attributes of finished descriptors as each type."""
    into: dict[str, Any] = dict(held)
    for name, handed in _HANDED.items():
        into[name] = bench.finished(handed) or handed
    heard = _Heard(dict)
    waiting = {name: bench.readable(name, held[name]) for name in bench.owners}
    while waiting := {name: made for name, made in waiting.items() if made}:
        questions = [
            (name, type_, {"made": made[0], "reads": [[name, type_, into[name]]]})
            for name, made in waiting.items()
            for type_ in bench.attribute_types
        ]
        jobs = [job for _, _, job in questions]
        for (name, type_, _), answer in zip(questions, bench.lab.ask(jobs), strict=True):
            if "crash" in answer:
                if bench.finished(bench.owners[name]):  # else it may be made in vain
                    heard[name].setdefault(type_, Answer(_CRASH))
            elif "reads" in answer:
                heard[name][type_] = Answer(answer["reads"][0])
        for name, made in waiting.items():
            statuses = {answer.status for answer in heard[name].values()}
            waiting[name] = [] if _SUCCESS in statuses or _refused(statuses) else made[1:]
    return heard


def library_version(library: Path, beside: Sequence[Path] = ()) -> str:
    """Return the release of a library: "9.28.0".

    Raises:
        LabError: it does not load, or is not cuDNN.
    """
    with Lab(library, {}, {}, {}, beside=beside) as lab:
        return lab.version


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
        # The right type fails later than wrong ones, on NULL or the like, so with another status.
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


File = click.Path(exists=True, dir_okay=False, resolve_path=True, path_type=Path)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--library",
    type=File,
    required=True,
    help="libcudnn.so.9 or .8, with its sub-libraries beside it.",
)
@click.option("--update", is_flag=True, help="Keep what was heard, for the generator.")
@click.option(
    "--preload",
    type=File,
    multiple=True,
    help="A library that cuDNN may load, such as libcublasLt.so where an engine wants it.",
)
@click.option(
    "--device",
    type=File,
    default=DEVICE,
    help="The device that engines are for, as cuDNN describes it in JSON; by default that of "
    "generator/lab/device.json.",
)
@click.option(
    "--models",
    type=click.Path(file_okay=False, path_type=Path),
    default=MODELS,
    show_default=True,
    help="The models with the enumerators of the library's release.",
)
@click.option(
    "--header",
    type=File,
    help="The release's cudnn_graph_v9.h or cudnn_graph.h, of which the comments say what is "
    "required.",
)
def main(
    library: Path, update: bool, preload: tuple[Path, ...], device: Path, models: Path,
    header: Path | None,
) -> None:  # fmt: skip
    """Ask a libcudnn for the types and the schema of its backend attributes."""
    try:
        with tempfile.TemporaryDirectory() as folder:
            beside = list(preload)
            if not driver.present():
                _tell("no CUDA driver here: a stand-in takes its place")
                beside.insert(0, driver.link(Path(folder)))
            api = _generated(library_version(library, beside), models)
            text = device.read_text(encoding="utf-8")
            comments = header.read_text(encoding="utf-8", errors="replace") if header else ""
            evidence = probe(library, api, device=text, beside=beside)
            told = None  # version 8 has no log to read the schema from
            if version_key(evidence.version) >= (9,):
                told = probe_schema(
                    library, api, evidence.attributes, device=text, beside=beside, header=comments,
                    echo=_tell,
                )  # fmt: skip
        _report(evidence)
        if told is not None:
            _report_schema(told)
        if update:
            click.echo(f"kept in {save_evidence(evidence)}")
            if told is not None:
                click.echo(f"kept in {kept.save(told)}")
    except (GeneratorError, ModelError, OSError) as error:
        raise click.ClickException(str(error)) from error


def _tell(line: str) -> None:
    click.echo(line, err=True)


def _report_schema(told: Answers) -> None:
    finished = sum(1 for reached in told.descriptors.values() if reached in FINISHED)
    click.echo(f"schema: {finished} of {len(told.descriptors)} descriptor types could be finalized")
    for name, reached in sorted(told.descriptors.items()):
        if reached not in FINISHED:
            click.echo(f"  not finalized: {name}")
    older = kept.before(told.version)
    if older is not None:
        for line in kept.differences(older, told):
            click.echo(f"  unlike {older.version}: {line}")


def _generated(version: str, models: Path) -> Api:
    store = Store(models)
    for release in store.releases():
        if release.version == version:
            return store.api(release.api)
    raise ProbeError(
        f"cuDNN {version} is not generated yet, so that its attributes are not known by name: "
        f"first run python -m generator generate {version}"
    )


def _report(evidence: Evidence) -> None:
    all_ = evidence.attributes
    told = sum(1 for probed in all_.values() if probed.types)
    click.echo(f"cuDNN {evidence.version}: the types of {told} of {len(all_)} attributes")
    for name, probed in all_.items():
        if not probed.types:
            click.echo(f"  no type: {name}")
        for question in probed.crashed:
            click.echo(f"  crashed: {name}, {question}")


if __name__ == "__main__":
    main()
