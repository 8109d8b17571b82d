"""The hook that tells PyInstaller what belongs to this package."""

from __future__ import annotations

from pathlib import Path


def hook_folders() -> list[str]:
    """Return the folders with hooks, for the entry point `pyinstaller40`."""
    return [str(Path(__file__).parent)]
