"""Make a Python package of the headers of cuDNN; see docs/design.md."""

from __future__ import annotations

from pathlib import Path

_HERE = Path(__file__).resolve().parent

#: Where templates/, native/ and build_native.py are: in this package as it is installed, or
#: beside it in a checkout.
RESOURCES = _HERE if (_HERE / "templates").is_dir() else _HERE.parent


class GeneratorError(Exception):
    """A failure that a person can act on: the command line shows its message alone."""
