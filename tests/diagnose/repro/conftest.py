"""C programs of cases: headers of releases, stand-ins for libraries, and a compiler."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from generator.headers import HeaderError, Registry
from tests.compilers import c_compiler

PROGRAMS = Path(__file__).parent / "programs"

#: Compiles a C file with the headers of a release, and options of the compiler.
Compile = Callable[..., Path]


@pytest.fixture(scope="session")
def registry() -> Iterator[Registry]:
    with Registry() as registry:
        yield registry


@pytest.fixture(scope="session")
def compile_c(registry: Registry, tmp_path_factory: pytest.TempPathFactory) -> Compile:
    """Return a function that compiles a file with a release's headers, without a warning."""
    compiler = c_compiler()
    folder = tmp_path_factory.mktemp("include")

    def include(name: str) -> str:
        target = folder / name
        if not target.exists():
            try:
                found = registry.cuda_headers() if name == "cuda" else registry.fetch(name)
            except HeaderError as error:
                pytest.skip(f"the headers of {name} cannot be had: {error}")
            for file, content in found.files.items():
                (target / file).parent.mkdir(parents=True, exist_ok=True)
                (target / file).write_bytes(content)
        return f"-I{target}"

    def call(source: Path, release: str, *options: str) -> Path:
        made = folder / f"{release}-{source.stem}{'.so' if '-shared' in options else ''}"
        words = [compiler, "-std=c11", "-Wall", "-Wextra", "-Werror", str(source), "-o", str(made)]
        words += [include(release), include("cuda"), *options, "-lm"]
        done = subprocess.run(words, capture_output=True, text=True)
        assert done.returncode == 0, f"{source.name}: {done.stderr[:2000]}"
        return made

    return call


@pytest.fixture(scope="session")
def cudart(compile_c: Compile) -> Path:
    """Return a library that stands in for the CUDA runtime."""
    return compile_c(PROGRAMS / "cudart.c", "9.19.0", "-shared", "-fPIC")
