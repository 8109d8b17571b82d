"""The first line of an emitted file, with a hash of the others."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

_STAMP = "Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:"

_COMMENT = {".py": "# |", ".pyi": "# |", ".c": "/* | */", ".h": "/* | */"}


def stamped(path: str, text: str) -> bytes:
    """Return `text` under a line that holds its hash, so that a hand edit is seen."""
    text = text if text.endswith("\n") else text + "\n"
    opening, closing = _COMMENT[Path(path).suffix].split("|")
    digest = hashlib.sha256(text.encode()).hexdigest()[:32]
    return f"{opening}{_STAMP}{digest}{closing}\n{text}".encode()


def stamp_is_true(data: bytes) -> bool:
    """Return whether a stamped file still has the content that its stamp names."""
    head, _, text = data.partition(b"\n")
    digest = re.search(rb"sha256:([0-9a-f]{32})", head)
    return bool(digest) and hashlib.sha256(text).hexdigest()[:32].encode() == digest[1]  # type: ignore[index]
