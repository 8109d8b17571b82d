"""A check that fails says why, and the others run nevertheless."""

from __future__ import annotations

import pytest

from scripts import checks

GOOD, BAD = (
    ["python", "-c", f"print('said {word}'); raise SystemExit({n})"]
    for n, word in enumerate(("good", "bad"))
)


def test_one_that_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(checks, "commands", lambda: {"types": [BAD], "lint": [GOOD]})
    monkeypatch.setattr("sys.argv", ["checks"])
    assert checks.main() == 1
    said = capsys.readouterr().out
    assert "said bad\nexit status 1\n" in said
    assert "SystemExit(0)" in said  # of the command, which was run
    assert "said good\n" not in said


def test_one_kind(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(checks, "commands", lambda: {"types": [BAD], "lint": [GOOD]})
    monkeypatch.setattr("sys.argv", ["checks", "--only", "lint"])
    assert checks.main() == 0
    assert "bad" not in capsys.readouterr().out


def test_all_kinds_have_commands_of_this_environment() -> None:
    for commands in checks.commands().values():
        assert commands
        for first, *rest in commands:
            assert first in ("mypy", "python", "ruff", "zizmor", "check-jsonschema"), rest
