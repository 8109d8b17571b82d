"""The host's C compiler, as far as the check of emitted tables needs it."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_SOURCE = "check.c"
_PLACE = re.compile(rf"^(?:\S*[/\\])?{re.escape(_SOURCE)}:(\d+):(?:\d+:)? (fatal error|error|note)")


class CompilerError(Exception):
    """No C compiler, or one that cannot do what it is asked for."""


@dataclass(frozen=True)
class Compiler:
    """A C compiler that understands the options of gcc and clang."""

    command: tuple[str, ...]
    includes: tuple[Path, ...] = ()

    @classmethod
    def find(cls) -> Compiler:
        """Return the one that CC names, else the first of cc, gcc and clang.

        Raises:
            CompilerError: there is none.
        """
        asked = os.environ.get("CC")
        choice = [tuple(shlex.split(asked))] if asked else [("cc",), ("gcc",), ("clang",)]
        for command in choice:
            if command and shutil.which(command[0]):
                return cls(command)
        looked = (
            f"CC names {asked!r}, which is not there" if asked else "no cc, gcc or clang in PATH"
        )
        raise CompilerError(
            f"the check needs a C compiler, and {looked}; install gcc or clang, or let CC name one"
        )

    def including(self, *folders: Path) -> Compiler:
        """Return the same with include folders whose headers give no warnings."""
        return Compiler(self.command, (*self.includes, *folders))

    def preprocessed(self, text: str, folder: Path) -> str:
        """`text` after the preprocessor, with the definitions of macros still in it."""
        done = self._run(["-E", "-dD"], text, folder)
        if done.returncode:
            raise CompilerError(f"the headers do not pass the preprocessor:\n{_short(done.stderr)}")
        return done.stdout

    def wrong_lines(self, text: str, folder: Path) -> set[int]:
        """Return the lines of `text`, counted from 1, that do not compile.

        Raises:
            CompilerError: the compiler fails in another place, so that nothing was checked.
        """
        options = ["-c", "-Werror=incompatible-pointer-types", "-o", str(folder / "check.o")]
        done = self._run(options, text, folder)
        if not done.returncode:
            return set()
        found = set()
        after_error = False
        for line in done.stderr.splitlines():
            if " warning: " in line:
                after_error = False
            elif "error: " in line:
                after_error = True
            place = _PLACE.match(line)
            if place and after_error:
                found.add(int(place[1]))
        if not found:
            raise CompilerError(f"{shlex.join(self.command)} failed:\n{_short(done.stderr)}")
        return found

    def values(self, prelude: str, expressions: Sequence[str], folder: Path) -> Mapping[str, str]:
        """Return what the expressions are, as far as they compile: the program is run.

        A program for another machine cannot be: then each is "another value".
        """
        left = list(dict.fromkeys(expressions))
        head = f"{prelude}#include <stdio.h>\nint main(void) {{\n"
        first = head.count("\n") + 1
        while left:
            prints = (
                f'printf("%lld %.17g\\n", (long long)({each}), (double)({each}));' for each in left
            )
            text = head + "\n".join(prints) + "\nreturn 0; }\n"
            wrong = self.wrong_lines(text, folder)
            if not wrong:
                break
            left = [each for i, each in enumerate(left) if first + i not in wrong]
        if not left:
            return {}
        program = folder / "values"
        done = self._run(["-o", str(program)], text, folder)
        if done.returncode:
            return {}
        try:
            output = subprocess.run([program], capture_output=True, text=True, check=True).stdout
        except OSError:
            return dict.fromkeys(left, "another value")
        return dict(zip(left, map(_number, output.splitlines()), strict=True))

    def _run(
        self, options: Iterable[str], text: str, folder: Path
    ) -> subprocess.CompletedProcess[str]:
        (folder / _SOURCE).write_text(text, encoding="utf-8")
        includes = [option for path in self.includes for option in ("-isystem", str(path))]
        command = [*self.command, "-std=gnu11", "-Wno-deprecated-declarations"]
        command += [*includes, *options, _SOURCE]
        try:
            return subprocess.run(
                command,
                cwd=folder,
                env={**os.environ, "LC_ALL": "C"},
                capture_output=True,
                text=True,
                errors="replace",
                check=False,
            )
        except OSError as error:
            raise CompilerError(f"{self.command[0]} cannot be run: {error.strerror}") from error


def _number(line: str) -> str:
    whole, real = line.split()
    return whole if float(real) == int(whole) else real


def _short(text: str, lines: int = 12) -> str:
    return "\n".join(text.strip().splitlines()[:lines])
