"""The command line, `python -m cudnn_cffi`: the installation, and what changed in cuDNN."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ._support.output import add_command, status_of, write
from ._version import __version__

if TYPE_CHECKING:
    from ._support.output import Commands

#: The commands of this module; all others are `cudnn_cffi.api`'s, and imported only for them.
_OWN = ("info", "doctor", "try", "errata", "engines", "explain", "network", "repro")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    return status_of(lambda: _run(given))


def _run(given: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m cudnn_cffi", description="The complete cuDNN C API for Python."
    )
    if given[:1] == ["generate"]:  # its arguments are the generator's to parse
        return _generate(list(given[1:]))
    parser.add_argument("--version", action="version", version=f"cudnn_cffi {__version__}")
    commands = parser.add_subparsers(title="commands", dest="command", metavar="COMMAND")
    _add_own(commands)
    if not given or given[0] not in _OWN:
        _add_api(commands, parser, given)
    chosen = parser.parse_args(given)
    if chosen.command is None:
        write(parser.format_help())
        return 2
    return int(chosen.func(chosen))


def _add_own(commands: Commands) -> None:
    add_command(
        commands, "info", "describe the installation: package, library, driver, GPUs", _info
    )
    add_command(commands, "doctor", "check the installation, and say what to do", _doctor)
    add_command(
        commands, "try", "show what this machine can do: the library, the GPUs, engines", _try
    )
    known = add_command(
        commands, "errata", "list known errors of cuDNN, and reproduce one of them", _errata
    )
    known.add_argument("--check", metavar="ID", default="", help="reproduce one, with a GPU")
    known.add_argument(
        "--of", metavar="NAME", help='only those of an operation or function, such as "convolution"'
    )
    known.add_argument("--kind", metavar="SYMPTOM", help='only those of a kind, such as "NaN"')
    for name in ("info", "doctor", "try", "errata"):
        commands.choices[name].add_argument(
            "--import",
            dest="modules",
            metavar="MODULE",
            action="append",
            default=[],
            help="import MODULE first, to see which cuDNN it loads; may be repeated",
        )
    _add_explain(commands)
    _add_engines(commands)
    network = add_command(
        commands,
        "network",
        "describe the file of a network: inputs, outputs, sizes, device",
        _network,
    )
    network.add_argument("file", metavar="FILE", help="a file of cudnn_cffi.torch.package")
    for command in commands.choices.values():
        command.add_argument("--json", action="store_true", help="print JSON, for programs")
    _add_repro(commands)


def _add_explain(commands: Commands) -> None:
    explain = add_command(
        commands,
        "explain",
        "find the nearest supported graph of one that was saved as JSON",
        _explain,
    )
    explain.add_argument(
        "file", metavar="FILE", help="JSON of Graph.to_json, or repr of a front end's graph"
    )
    explain.add_argument(
        "--device", metavar="NAME", help="a known device such as H200, or a file of properties"
    )
    explain.add_argument(
        "--seconds", type=float, default=5.0, help="how long to search (default %(default)s)"
    )
    explain.add_argument(
        "--library",
        dest="libraries",
        metavar="PATH",
        action="append",
        default=[],
        help="another libcudnn to try the graph with as it is; may be repeated",
    )


def _add_repro(commands: Commands) -> None:
    repro = add_command(
        commands,
        "repro",
        "write a program, in Python or C, that shows what an engine computes",
        _repro,
    )
    repro.add_argument(
        "file",
        metavar="FILE",
        nargs="?",
        help="a graph: JSON of Graph.to_json, or repr of a front end's graph",
    )
    repro.add_argument("--erratum", metavar="ID", help="the graph of a known error instead")
    repro.add_argument("--engine", type=int, metavar="N", help="the index of the engine")
    repro.add_argument(
        "--knob",
        dest="knobs",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="the value of a knob of the engine; may be repeated",
    )
    repro.add_argument(
        "--data",
        metavar="INPUT=DATA",
        action="append",
        default=[],
        help="a kind of data, a number, or numbers with commas; may be repeated",
    )
    repro.add_argument("--seed", type=int, default=0, help="of the data (default %(default)s)")
    repro.add_argument("--tolerance", type=float, help="the largest relative error that is right")
    repro.add_argument(
        "--device", metavar="NAME", help="a known device such as H200, or a file of properties"
    )
    repro.add_argument("--note", metavar="TEXT", default="", help="text for the head of the file")
    repro.add_argument(
        "-o",
        dest="output",
        metavar="FILE",
        required=True,
        help="the program, out.py or out.c; without an ending both",
    )


def _add_engines(commands: Commands) -> None:
    engines = add_command(
        commands,
        "engines",
        "list recorded times of engines, and how often heuristics miss the fastest",
        _engines,
    )
    engines.add_argument(
        "files", metavar="FILE", nargs="*", help="databases (default: those of the package)"
    )
    engines.add_argument("--missed", action="store_true", help="list each case that they miss")
    engines.add_argument(
        "--margin",
        type=float,
        default=0.1,
        help="a suggestion that is slower by at most this part is no miss (default %(default)s)",
    )


def _add_api(commands: Commands, parser: argparse.ArgumentParser, given: Sequence[str]) -> None:
    try:
        from .api.cli import add_commands
    except ImportError as error:
        parser.epilog = f"diff, history, minimum and others cannot be used here: {error}"
        if given and not given[0].startswith("-"):
            parser.error(f"{given[0]} cannot be used here: {error}")
    else:
        add_commands(commands)


def _generate(arguments: list[str]) -> int:
    from .api.inputs.generating import run_generate

    return run_generate(arguments)


def _import(modules: Sequence[str]) -> None:
    from importlib import import_module

    for name in modules:
        # A framework that is broken is what this command is there to look into.
        try:
            import_module(name)
        except Exception as error:
            print(f"import {name}: {type(error).__name__}: {error}", file=sys.stderr)


def _info(chosen: argparse.Namespace) -> int:
    from .diagnose.info import collect, to_json, to_text

    _import(chosen.modules)
    found = collect()
    write(f"{to_json(found)}\n" if chosen.json else to_text(found))
    return 0


def _doctor(chosen: argparse.Namespace) -> int:
    from .diagnose.doctor import main as examine

    _import(chosen.modules)
    return examine(as_json=chosen.json)


def _errata(chosen: argparse.Namespace) -> int:
    from .diagnose.errata import main as show

    _import(chosen.modules)
    return show(as_json=chosen.json, check=chosen.check, subject=chosen.of, kind=chosen.kind)


def _try(chosen: argparse.Namespace) -> int:
    from .diagnose.tour import main as show

    _import(chosen.modules)
    return show(as_json=chosen.json)


def _explain(chosen: argparse.Namespace) -> int:
    from .diagnose.explaining import main as explain

    return explain(
        chosen.file, chosen.device, chosen.seconds, chosen.libraries, as_json=chosen.json
    )


def _repro(chosen: argparse.Namespace) -> int:
    from .diagnose.repro.command import main as reproduce

    return reproduce(
        chosen.file,
        chosen.erratum,
        chosen.output,
        knobs=chosen.knobs,
        data=chosen.data,
        engine=chosen.engine,
        seed=chosen.seed,
        tolerance=chosen.tolerance,
        device=chosen.device,
        note=chosen.note,
    )


def _engines(chosen: argparse.Namespace) -> int:
    from .diagnose.engines import main as show

    return show(chosen.files, as_json=chosen.json, missed=chosen.missed, margin=chosen.margin)


def _network(chosen: argparse.Namespace) -> int:
    from .network.contents import main as show

    return show(chosen.file, as_json=chosen.json)


if __name__ == "__main__":
    sys.exit(main())
