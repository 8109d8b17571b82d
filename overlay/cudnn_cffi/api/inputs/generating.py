"""Commands that make tables of releases that this package was not made with."""

from __future__ import annotations

import argparse
import shutil
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from ... import _user_tables
from ..._support.output import add_command, write
from ..model import ModelError, Release, decode_releases, version_of

if TYPE_CHECKING:
    from ..._support.output import Commands


class GeneratorMissingError(ImportError):
    """The generator, or a package that it needs, is not installed."""


def generator(module: str) -> ModuleType:
    """Import a module of the generator, from the installed package or from the checkout.

    Raises:
        GeneratorMissingError: packages that it needs are missing; the text names them.
    """
    checkout = Path(__file__).resolve().parents[4]
    name = "cudnn_cffi_generator"
    if (checkout / "overlay").is_dir() and (checkout / "generator").is_dir():
        name = "generator"
        if str(checkout) not in sys.path:
            sys.path.append(str(checkout))
    try:
        return import_module(f"{name}.{module}")
    except ImportError as error:
        raise GeneratorMissingError(f"{error}; {needed(name == 'generator')}") from error


def needed(in_checkout: bool) -> str:
    """Return the words that name the extra with the packages that the generator imports."""
    own = ".[generate]" if in_checkout else "cudnn-cffi[generate]"
    return f'the generator needs the extra "generate": pip install "{own}"'


def add_commands(commands: Commands) -> None:
    """Add `generate` and `generated`."""
    add_command(  # the generator parses what follows; `run_generate` is called for it
        commands,
        "generate",
        "make tables of a release that this package lacks: 9.29.0, latest, --headers DIR",
        lambda _: run_generate([]),
        add_help=False,
    )
    generated = add_command(
        commands, "generated", "list or remove the releases made by `generate`", _do_generated
    )
    generated.add_argument("--remove", metavar="RELEASE", help="remove this release, or all")
    generated.add_argument(
        "--types",
        metavar="DIR",
        type=Path,
        help="write the package with these releases to DIR, for type checkers",
    )


def run_generate(arguments: list[str]) -> int:
    """Run the command of the generator; return its exit status."""
    return _forward("generate", arguments)


def _forward(command: str, arguments: list[str]) -> int:
    try:
        module = generator("user_commands")
    except GeneratorMissingError as error:
        print(f"python -m cudnn_cffi {command}: error: {error}", file=sys.stderr)
        return 2
    function = getattr(module, command)
    try:
        function.main(arguments, prog_name=f"python -m cudnn_cffi {command}")
    except SystemExit as done:
        return int(done.code or 0)
    return 0


def _do_generated(chosen: argparse.Namespace) -> int:
    return _write_types(chosen.types) if chosen.types else _generated(chosen.remove)


#: Says that a folder was made by `--types`, and may be replaced.
_MADE = ".made-for-type-checkers"


def _write_types(folder: Path) -> int:
    """Write what type checkers read of the package and of the user's tree, as one package.

    They look for a package in one folder, and know nothing of a path that an import makes.
    """
    package = __name__.partition(".")[0]
    target = folder / package
    if target.exists() and not (target / _MADE).exists():
        print(f"{target} is there already, and not made by this command", file=sys.stderr)
        return 2
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True, exist_ok=True)
    (target / _MADE).touch()  # first: what is left of a run that was ended is made again
    count = 0
    for half in reversed(sys.modules[package].__path__):  # the user's tree is the first
        for path in sorted(Path(half).rglob("*")):
            if path.suffix in (".py", ".pyi") or path.name == "py.typed":
                copy = target / path.relative_to(half)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, copy)
                count += 1
    write(f"{count} files in {target}; mypy looks for them by mypy_path, pyright by extraPaths\n")
    return 0


def _generated(remove: str | None) -> int:
    if not _user_tables.ROOT:
        print(f"error: {_user_tables.NO_ROOT}", file=sys.stderr)
        return 2
    home = Path(_user_tables.HOME)
    if remove == "all":
        # The folder around them stays: the user chose it, and may keep other things there.
        for folder in _found():
            shutil.rmtree(folder)
            write(f"removed {folder}\n")
        return 0
    if remove is not None:
        remove = version_of(remove)
        here = [release.version for release in _releases(home)]
        if here == [remove]:  # needs no generator
            gone = home.with_name(f".{home.name}.new")
            home.rename(gone)
            shutil.rmtree(gone)
            write(f"removed {remove}\n")
            return 0
        return _forward("remove", [remove])
    for folder, releases in _found().items():
        state = "" if folder == home else ", for another version of this package: not in use"
        for release in releases:
            write(f"{release.version}  {release.build}  {folder}{state}\n")
            write("".join(f"  {remark}\n" for remark in release.remarks))
    if not _found():
        write(f"no release was generated; they would be in {_user_tables.ROOT}\n")
    elif home not in _found():
        write("to use them with this version: python -m cudnn_cffi generate\n")
    return 0


def _found() -> dict[Path, tuple[Release, ...]]:
    root = Path(_user_tables.ROOT)
    folders = sorted(path for path in root.iterdir() if path.is_dir()) if root.is_dir() else []
    found = {folder: _releases(folder) for folder in folders if folder.name[0] != "."}
    return {folder: releases for folder, releases in found.items() if releases}


def _releases(folder: Path) -> tuple[Release, ...]:
    path = folder / _user_tables.OWN / "releases.json"
    try:
        return decode_releases(path.read_bytes(), str(path)) if path.exists() else ()
    except (ModelError, OSError) as error:
        print(f"{folder}: {error}", file=sys.stderr)
        return ()
