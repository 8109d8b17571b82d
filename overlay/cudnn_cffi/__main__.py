"""The command line, `python -m cudnn_cffi`: the installation, and what changed in cuDNN."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from ._support.output import add_command, status_of, write
from ._version import __version__

if TYPE_CHECKING:
    from ._support.output import Commands

#: The commands of this module: their modules, whose functions `main` take the options by name, and
#: their texts. All others are `cudnn_cffi.api`'s, and imported only for them.
_OWN = {
    "info": (".diagnose.info", "describe the installation: package, library, driver, GPUs"),
    "doctor": (".diagnose.doctor", "check the installation, and say what to do"),
    "try": (".diagnose.tour", "show what this machine can do: the library, the GPUs, engines"),
    "errata": (".diagnose.errata", "list known errors of cuDNN, and reproduce one of them"),
    "explain": (
        ".diagnose.explaining", "find the nearest supported graph of one that was saved as JSON"
    ),
    "repro": (
        ".diagnose.repro.command",
        "write a program, in Python or C, that shows what an engine computes",
    ),
    "engines": (
        ".diagnose.engines",
        "list recorded times of engines, and how often heuristics miss the fastest",
    ),
    "network": (
        ".network.contents", "describe the file of a network: inputs, outputs, sizes, device"
    ),
}  # fmt: skip


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
    added = {
        name: add_command(commands, name, text, partial(_call, module))
        for name, (module, text) in _OWN.items()
    }
    errata, network = added["errata"], added["network"]
    errata.add_argument("--check", metavar="ID", default="", help="reproduce one, with a GPU")
    errata.add_argument(
        "--of",
        dest="subject",
        metavar="NAME",
        help='only those of an operation or function, such as "convolution"',
    )
    errata.add_argument("--kind", metavar="SYMPTOM", help='only those of a kind, such as "NaN"')
    network.add_argument("path", metavar="FILE", help="a file of cudnn_cffi.torch.package")
    _add_explain(added["explain"])
    _add_repro(added["repro"])
    _add_engines(added["engines"])
    for name in ("info", "doctor", "try", "errata"):
        _add_several(
            added[name],
            "--import",
            "modules",
            "MODULE",
            "import MODULE first, to see which cuDNN it loads; may be repeated",
        )
    for name in _OWN.keys() - {"repro"}:
        added[name].add_argument(
            "--json", dest="as_json", action="store_true", help="print JSON, for programs"
        )


def _add_several(
    command: argparse.ArgumentParser, option: str, name: str, form: str, text: str
) -> None:
    command.add_argument(option, dest=name, metavar=form, action="append", default=[], help=text)


def _add_explain(explain: argparse.ArgumentParser) -> None:
    explain.add_argument(
        "file", metavar="FILE", help="JSON of Graph.to_json, or repr of a front end's graph"
    )
    explain.add_argument(
        "--device", metavar="NAME", help="a known device such as H200, or a file of properties"
    )
    explain.add_argument(
        "--seconds", type=float, default=5.0, help="how long to search (default %(default)s)"
    )
    _add_several(
        explain,
        "--library",
        "libraries",
        "PATH",
        "another libcudnn to try the graph with as it is; may be repeated",
    )


def _add_repro(repro: argparse.ArgumentParser) -> None:
    repro.add_argument(
        "file",
        metavar="FILE",
        nargs="?",
        help="a graph: JSON of Graph.to_json, or repr of a front end's graph",
    )
    repro.add_argument("--erratum", metavar="ID", help="the graph of a known error instead")
    repro.add_argument("--engine", type=int, metavar="N", help="the index of the engine")
    _add_several(
        repro,
        "--knob",
        "knobs",
        "NAME=VALUE",
        "the value of a knob of the engine; may be repeated",
    )
    _add_several(
        repro,
        "--data",
        "data",
        "INPUT=DATA",
        "a kind of data, a number, or numbers with commas; may be repeated",
    )
    repro.add_argument("--seed", type=int, default=0, help="of the data (default %(default)s)")
    repro.add_argument("--tolerance", type=float, help="the largest relative error that is right")
    repro.add_argument(
        "--device", metavar="NAME", help="a known device such as H200, or a file of properties"
    )
    repro.add_argument("--note", metavar="TEXT", default="", help="text for the head of the file")
    repro.add_argument(
        "-o",
        dest="path",
        metavar="FILE",
        required=True,
        help="the program, out.py or out.c; without an ending both",
    )


def _add_engines(engines: argparse.ArgumentParser) -> None:
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


def _call(module: str, chosen: argparse.Namespace) -> int:
    options = dict(vars(chosen))
    del options["command"], options["func"]
    for name in options.pop("modules", ()):
        # A framework that is broken is what this command is there to look into.
        try:
            import_module(name)
        except Exception as error:
            print(f"import {name}: {type(error).__name__}: {error}", file=sys.stderr)
    return int(import_module(module, __package__).main(**options))


if __name__ == "__main__":
    sys.exit(main())
