"""The first line of an emitted file, with a hash of the others."""

from __future__ import annotations

import hashlib
from pathlib import Path

_STAMP = "Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:"

_COMMENT = {".py": "# |", ".pyi": "# |", ".c": "/* | */", ".h": "/* | */"}


def stamped(path: str, text: str) -> bytes:
    """Return `text` under a line that holds its hash, so that a hand edit is seen."""
    text = text if text.endswith("\n") else text + "\n"
    opening, closing = _COMMENT[Path(path).suffix].split("|")
    digest = hashlib.sha256(text.encode()).hexdigest()[:32]
    return f"{opening}{_STAMP}{digest}{closing}\n{text}".encode()
