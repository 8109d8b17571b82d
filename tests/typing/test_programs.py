"""Programs of users pass both type checkers in strict mode; each misspelling is refused by both.

A file of the folder `programs` is one program about one part of the package. Its lines that end in
`# refused` have a misspelt keyword or a wrong word, and no other line may be refused.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import cudnn_cffi
import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.py"))

#: Programs that need PyTorch's own types.
WITH_TORCH = {"fused_models", "torch_modules"}

#: Programs whose part of the package does not have all of its types yet.
PENDING: frozenset[str] = frozenset()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with both halves of the package in one, as a wheel installs them."""
    folder = tmp_path_factory.mktemp("site")
    for half in map(Path, cudnn_cffi.__path__):
        for path in half.rglob("*"):
            if path.suffix in (".py", ".pyi", ".typed"):
                link = folder / "cudnn_cffi" / path.relative_to(half)
                link.parent.mkdir(parents=True, exist_ok=True)
                if not link.exists():
                    link.symlink_to(path)
    return folder


def has_torch() -> bool:
    """Return whether PyTorch's types are there."""
    return any((Path(folder) / "torch" / "__init__.py").exists() for folder in sys.path)


def programs() -> list[Path]:
    """Return the programs that can be checked here."""
    return [each for each in PROGRAMS if has_torch() or each.stem not in WITH_TORCH]


@pytest.fixture(scope="module")
def of_mypy(site: Path, tmp_path_factory: pytest.TempPathFactory) -> set[tuple[str, int, str]]:
    """File, line and message of each error that mypy reports."""
    pytest.importorskip("mypy")
    folder = tmp_path_factory.mktemp("mypy")
    options = ["--no-error-summary", "--cache-dir", str(folder / "cache")]
    environment = dict(os.environ)
    if has_torch():  # the settings of the check of all sources skip its types
        options += ["--config-file=", "--strict"]
        environment["MYPYPATH"] = str(site)
    elif (ROOT / ".mypy_cache").is_dir():  # that check has read the package before
        shutil.copytree(ROOT / ".mypy_cache", folder / "cache")
    copies = [str(shutil.copy(each, folder)) for each in programs()]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, *copies],
        cwd=ROOT, env=environment, capture_output=True, text=True,
    )  # fmt: skip
    assert not done.stderr, done.stderr[-500:]
    found = re.findall(r"^(\S+?):(\d+): error: (.*)", done.stdout, re.MULTILINE)
    return {(Path(file).stem, int(line), told) for file, line, told in found}


@pytest.fixture(scope="module")
def of_pyright(site: Path, tmp_path_factory: pytest.TempPathFactory) -> set[tuple[str, int, str]]:
    """File, line and message of each error that pyright reports."""
    pytest.importorskip("pyright")
    folder = tmp_path_factory.mktemp("pyright")
    for each in programs():
        shutil.copy(each, folder)
    settings = {"typeCheckingMode": "strict", "extraPaths": [str(site)]}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pyright",
            "--outputjson",
            "--pythonpath",
            sys.executable,
            "-p",
            ".",
        ],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert done.stdout.startswith("{"), f"pyright cannot run here: {done.stderr[-300:]}"
    answer = json.loads(done.stdout)
    assert answer["summary"]["filesAnalyzed"] == len(programs())
    return {
        (Path(each["file"]).stem, each["range"]["start"]["line"] + 1, each["message"])
        for each in answer["generalDiagnostics"]
        if each["severity"] == "error"
    }


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
@pytest.mark.parametrize(
    "program",
    [
        pytest.param(each, marks=[pytest.mark.xfail(strict=True)] if each.stem in PENDING else [])
        for each in PROGRAMS
    ],
    ids=lambda program: program.stem,
)
def test_what_is_right_passes_and_what_is_misspelt_does_not(
    program: Path, checker: str, request: pytest.FixtureRequest
) -> None:
    if program not in programs():
        pytest.skip("PyTorch is not installed")
    errors: set[tuple[str, int, str]] = request.getfixturevalue(f"of_{checker}")
    told = {line: text for name, line, text in errors if name == program.stem}
    lines = program.read_text().splitlines()
    wrong = {at for at, line in enumerate(lines, 1) if line.endswith("# refused")}
    assert len(wrong) >= 5
    missed = [f"{at}: {lines[at - 1].strip()}" for at in sorted(wrong - told.keys())]
    more = [f"{at}: {told[at]}" for at in sorted(told.keys() - wrong)]
    assert not missed, "not refused:\n" + "\n".join(missed)
    assert not more, "refused:\n" + "\n".join(more)
