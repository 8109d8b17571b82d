"""The commands that answer questions about releases: diff, history, timeline, changelog."""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .._support.output import add_command, status_of, write
from .errors import CannotCompareError
from .formats import FORMATS
from .inputs import generating
from .rules import AXES, SEVERITIES, Axis

if TYPE_CHECKING:
    from .._support.output import Commands
    from .report import Report

_CHANGELOG = Path("docs/api-changes.md")

_EPILOG = """\
exit status: 0 nothing at or above --fail-on, 1 findings, 2 it could not be compared
examples:
  diff 8.9.7 9.0.0
  diff 9.10.0 latest --axis python --uses src/
  diff 9.28.0 --headers ./include --format markdown
"""


class _Sides(argparse.Action):
    """Releases and --headers folders, in the order in which they stand on the command line."""

    def __call__(
        self,
        _parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[object] | None,
        option_string: str | None = None,
    ) -> None:
        sides = list(getattr(namespace, "sides", None) or ())
        headers = option_string is not None
        new = [values] if headers else list(values or ())
        namespace.sides = sides + [(text, headers) for text in new]


def add_commands(subparsers: Commands) -> None:
    """Add the commands to what `argparse.ArgumentParser.add_subparsers` gave.

    Each sets `func`, which takes the parsed arguments and returns the exit status.
    """
    _add_diff(subparsers)
    _add_history(subparsers)
    _add_minimum(subparsers)
    _add_timeline(subparsers)
    _add_changelog(subparsers)
    generating.add_commands(subparsers)


def _add_diff(subparsers: Commands) -> None:
    diff = add_command(
        subparsers,
        "diff",
        "compare two releases: what changed, and what it breaks",
        _guarded(_diff),
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    diff.add_argument(
        "sides",
        nargs="*",
        action=_Sides,
        metavar="RELEASE",
        help="old and new: 9.10.1, 9.10.1.4, 9.28, 91001 or latest",
    )
    diff.add_argument(
        "--headers",
        action=_Sides,
        dest="sides",
        metavar="DIR",
        help="a folder of headers in place of a release; the first of the two is the old one",
    )
    diff.add_argument(
        "--all", action="store_true", help="compare every release with the one before"
    )
    diff.add_argument("-f", "--format", choices=FORMATS, default="text")
    _add_output(diff)
    diff.add_argument(
        "--fail-on",
        choices=(*SEVERITIES, "never"),
        default="breaking",
        help="the mildest severity that makes the exit status 1 (default: breaking)",
    )
    diff.add_argument(
        "--axis",
        action="append",
        choices=AXES,
        help="report only what matters on this axis; may be repeated (default: all)",
    )
    diff.add_argument(
        "--suppressions", type=Path, metavar="FILE", help="a TOML file with accepted findings"
    )
    diff.add_argument(
        "--uses",
        nargs="+",
        action="extend",
        metavar="PATH",
        help="report only what this code uses: Python, C, C++, CUDA, compiled libraries",
    )
    diff.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        help="print every finding on its own line, with the reason",
    )


def _add_output(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="write to FILE instead of the terminal"
    )


def _add_history(subparsers: Commands) -> None:
    history = add_command(
        subparsers,
        "history",
        "show when a name appeared, changed, was deprecated, was removed",
        _guarded(_history),
    )
    history.add_argument(
        "name",
        nargs="?",
        help="a name in C or Python: cudnnCreate, CUDNN_DATA_FLOAT, DataType.FLOAT, ...",
    )
    history.add_argument(
        "--all", action="store_true", help="write every name of every release, as data"
    )
    history.add_argument(
        "-f",
        "--format",
        choices=("text", "json", "csv"),
        help="default: json with --all, else text",
    )
    _add_output(history)


def _add_minimum(subparsers: Commands) -> None:
    minimum = add_command(
        subparsers,
        "minimum",
        "name the oldest and the newest cuDNN that code works with, and why",
        _guarded(_minimum),
    )
    minimum.add_argument(
        "--uses",
        nargs="+",
        action="extend",
        required=True,
        metavar="PATH",
        help="files and folders: Python, C, C++, CUDA, compiled libraries",
    )
    minimum.add_argument("-f", "--format", choices=("text", "json"), default="text")
    _add_output(minimum)


def _add_timeline(subparsers: Commands) -> None:
    timeline = add_command(
        subparsers,
        "timeline",
        "draw the API's growth and every step that breaks",
        _guarded(_timeline),
    )
    timeline.add_argument(
        "output", type=Path, nargs="?", metavar="FILE", help="timeline.html or timeline.svg"
    )
    timeline.add_argument(
        "-f", "--format", choices=("html", "svg"), help="default: by the name of FILE"
    )
    timeline.add_argument("--check", action="store_true", help="exit 1 if FILE is out of date")


def _add_changelog(subparsers: Commands) -> None:
    changelog = add_command(
        subparsers,
        "changelog",
        "write the changes of all consecutive releases as Markdown",
        _guarded(_changelog),
    )
    changelog.add_argument(
        "output",
        type=Path,
        nargs="?",
        default=_CHANGELOG,
        metavar="FILE",
        help=f"'-' for the terminal (default: {_CHANGELOG})",
    )
    changelog.add_argument("--check", action="store_true", help="exit 1 if FILE is out of date")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the commands of this room alone: python -m cudnn_cffi.api."""
    parser = argparse.ArgumentParser(prog="python -m cudnn_cffi.api")
    add_commands(parser.add_subparsers(required=True, metavar="COMMAND"))

    def run() -> int:
        parsed = parser.parse_args(arguments)
        return int(parsed.func(parsed))

    return status_of(run)


def _guarded(command: Callable[[argparse.Namespace], int]) -> Callable[[argparse.Namespace], int]:
    """Turn what cannot be answered into one line and exit status 2."""

    def run(arguments: argparse.Namespace) -> int:
        from .model import ModelError

        try:
            return command(arguments)
        except (CannotCompareError, ModelError) as error:
            print(f"error: {error}", file=sys.stderr)
            return 2

    return run


def _diff(arguments: argparse.Namespace) -> int:
    if arguments.all:
        return _diff_all(arguments)
    from . import report
    from .inputs import sides, suppress

    wanted = [sides.Wanted(text, headers) for text, headers in arguments.sides]
    if len(wanted) != 2:
        raise CannotCompareError(
            f"give two releases, or --headers DIR in place of one; got {len(wanted)}"
            + (" (put them before --uses)" if arguments.uses else "")
        )
    suppressions = suppress.read(arguments.suppressions) if arguments.suppressions else ()
    old, new = sides.load(*wanted)
    axes = _axes(arguments)
    if arguments.uses:
        from . import uses

        items, scan = uses.narrow(old, new, arguments.uses, axes)
    else:
        items, scan = None, None
    result = report.build(
        old,
        new,
        axes=axes,
        fail_on=arguments.fail_on,
        suppressions=suppressions,
        items=items,
        scan=scan,
    )
    _write(arguments.output, _rendered(result, arguments))
    return result.exit


def _diff_all(arguments: argparse.Namespace) -> int:
    from . import steps
    from .inputs import suppress

    if arguments.sides or arguments.uses:
        raise CannotCompareError(
            "--all compares every release with the next: give no release or path"
        )
    if arguments.format not in ("text", "json", "markdown"):
        raise CannotCompareError(
            f"--all is written as text, json or markdown, not {arguments.format}"
        )
    suppressions = suppress.read(arguments.suppressions) if arguments.suppressions else ()
    reports = steps.reports(
        axes=_axes(arguments), fail_on=arguments.fail_on, suppressions=suppressions
    )
    if arguments.format == "markdown":
        text = steps.changelog(reports)
    elif arguments.format == "json":
        text = "[\n" + ",\n".join(_rendered(r, arguments).rstrip() for r in reports) + "\n]\n"
    else:
        text = "\n".join(_rendered(report, arguments) for report in reports)
    _write(arguments.output, text)
    return max(report.exit for report in reports)


def _axes(arguments: argparse.Namespace) -> tuple[Axis, ...]:
    return tuple(axis for axis in AXES if not arguments.axis or axis in arguments.axis)


def _rendered(report: Report, arguments: argparse.Namespace) -> str:
    from . import formats

    if arguments.format == "text":
        from .formats import text, words

        colour = not arguments.output and _colourful()
        return text.lines(words.shown(report), colour=colour, verbose=arguments.verbose)
    return formats.renderer(arguments.format)(report)


def _colourful() -> bool:
    if sys.stdout is None or not sys.stdout.isatty():
        return False
    return "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


def _history(arguments: argparse.Namespace) -> int:
    from . import history

    form = arguments.format or ("json" if arguments.all else "text")
    if arguments.all == bool(arguments.name):
        raise CannotCompareError("give a name, or --all")
    if form == ("text" if arguments.all else "csv"):
        formats = "json or csv" if arguments.all else "text or json"
        raise CannotCompareError(f"expected a format of {formats}, got {form}")
    if arguments.all:
        everything = history.everything()
        text = history.all_as_json(everything) if form == "json" else history.all_as_csv(everything)
    else:
        found = history.of(arguments.name)
        text = history.as_json(found) if form == "json" else history.as_text(found)
    _write(arguments.output, text)
    return 0


def _minimum(arguments: argparse.Namespace) -> int:
    from .formats import json
    from .uses import minimum

    found = minimum.of(arguments.uses)
    text = json.render(found) if arguments.format == "json" else minimum.as_text(found)
    _write(arguments.output, text)
    return 0 if found.clear else 1


def _timeline(arguments: argparse.Namespace) -> int:
    from . import timeline

    name = arguments.format or (arguments.output.suffix[1:] if arguments.output else "html")
    if name not in ("html", "svg"):
        raise CannotCompareError(f"{arguments.output}: name it .html or .svg, or give --format")
    text = timeline.page() if name == "html" else timeline.svg()
    return _kept(arguments.output, text, arguments.check, "timeline")


def _changelog(arguments: argparse.Namespace) -> int:
    from . import steps

    output = None if str(arguments.output) == "-" else arguments.output
    return _kept(output, steps.changelog(steps.reports()), arguments.check, "changelog")


def _kept(output: Path | None, text: str, check: bool, command: str) -> int:
    """Write a file that is committed, or says whether it is up to date."""
    if not check:
        _write(output, text)
        return 0
    if output is None:
        raise CannotCompareError("--check needs the FILE that is to be checked")
    try:
        current = output.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CannotCompareError(f"{output}: cannot be read: {error}") from error
    if current == text:
        return 0
    print(f"{output} is out of date: run the command {command} {output}", file=sys.stderr)
    return 1


def _write(output: Path | None, text: str) -> None:
    if output is None:
        if isinstance(sys.stdout, io.TextIOWrapper):  # whatever the locale, reports are UTF-8
            sys.stdout.reconfigure(encoding="utf-8")
        write(text)
        return
    try:
        _write_file(output, text.encode("utf-8"))
    except OSError as error:
        raise CannotCompareError(
            f"{output}: cannot be written: {error.strerror or error}"
        ) from error


def _write_file(output: Path, data: bytes) -> None:
    """Replace a file, or the one that a link leads to, as a whole; write into anything else."""
    if output.exists() and not output.is_file():  # a device or a pipe stays what it is
        output.write_bytes(data)
        return
    real = Path(os.path.realpath(output))
    temporary = real.with_name(f".{real.name}.{os.getpid()}")
    try:
        temporary.write_bytes(data)
        if real.exists():
            shutil.copymode(real, temporary)
        temporary.replace(real)
    except OSError:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
