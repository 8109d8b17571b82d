"""Put questions to a libcudnn in a child process that may crash, and keep the answers.

`generator.lab.child` loads the library, in a process of its own. `bench` makes descriptors that the
library finalizes, by recipes. `driver` has the package's stand-in for the CUDA driver.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from cudnn_cffi.api.model import version_name

from .. import GeneratorError

Job = dict[str, Any]  # as generator.lab.child wants them
Answer = dict[str, Any]

_ROOT = Path(__file__).parents[2]


class LabError(GeneratorError):
    """The library does not load, or what asks it fails."""


class Lab:
    """A process with the library loaded; a context manager.

    Raises:
        LabError: the library does not load.
    """

    def __init__(
        self,
        library: Path,
        types: Mapping[str, int],
        descriptors: Mapping[str, int],
        attributes: Mapping[str, int],
        *,
        beside: Sequence[Path] = (),
        warm: Iterable[str] = (),
        fill: int | None = None,
        silence: float = 8.0,
    ) -> None:
        """Start the process.

        Args:
            library: libcudnn, with its sub-libraries beside it.
            types, descriptors, attributes: the enumerators of its release.
            beside: libraries that cuDNN may load: their folders are searched. They are not loaded
                before, since every fork pays for what is.
            warm: descriptor types to finalize empty, which loads the library's parts before forks.
            fill: the byte that fresh memory is filled with, where the C library is glibc: what a
                descriptor answers from memory that nobody has written then depends on it.
            silence: seconds after which a child that does not answer is given up.
        """
        environment = dict(os.environ)
        folders = [str(path.parent) for path in beside]
        if "LD_LIBRARY_PATH" in environment:
            folders.append(environment["LD_LIBRARY_PATH"])
        environment["LD_LIBRARY_PATH"] = os.pathsep.join(folders)
        if fill is not None:
            environment["MALLOC_PERTURB_"] = str(fill)
            # Without this, small blocks keep the bytes of their last owner.
            environment["GLIBC_TUNABLES"] = "glibc.malloc.tcache_count=0"
        self._errors = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115 - closed with the process
        self._process = subprocess.Popen(
            (sys.executable, "-m", "generator.lab.child"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            cwd=_ROOT,
            env=environment,
            start_new_session=True,  # so that a child that hangs ends with it
        )
        self.asked: Counter[str] = Counter()  # "jobs", and crashes by signal
        setup = {
            "library": str(library),
            "types": dict(types),
            "descriptors": dict(descriptors),
            "attributes": dict(attributes),
            "silence": silence,
            "warm": [name for name in warm if name in descriptors],
        }
        self._trouble = f"{library}: does not load, or is not cuDNN"
        try:
            self._write(setup)
            self.version = version_name(self._read()["version"])
        except BaseException:
            self.close()
            raise
        self._trouble = f"{library}: cannot be asked"

    @property
    def pid(self) -> int:
        """The number of the process, which is also that of its group."""
        return self._process.pid

    def __enter__(self) -> Lab:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process and its children."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        self._process.wait()
        for file in (self._process.stdin, self._process.stdout, self._errors):
            if file is not None:
                with contextlib.suppress(BrokenPipeError):
                    file.close()

    def ask(self, jobs: Iterable[Job], *, alone: bool = False) -> list[Answer]:
        """Return the answers to `jobs`, in order; each in a process of its own where `alone`.

        Raises:
            LabError: a job that the child does not understand, or a child that ended.
        """
        asked = [{**job, "alone": True} if alone else job for job in jobs]
        if not asked:
            return []
        self._write(asked)
        answers = [self._read() for _ in asked]
        for answer in answers:
            if "mistake" in answer:
                raise LabError(f"the laboratory itself failed: {answer['mistake']}")
        self.asked["jobs"] += len(answers)
        self.asked.update(answer["crash"] for answer in answers if "crash" in answer)
        return answers

    def _write(self, data: Any) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(data) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise self._error() from None

    def _read(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line.endswith("\n"):
            raise self._error()
        return json.loads(line)

    def _error(self) -> LabError:
        self._process.wait()
        self._errors.seek(0)
        lines = self._errors.read().strip().splitlines() or ["it crashes"]
        return LabError(f"{self._trouble}: {lines[-1]}")
