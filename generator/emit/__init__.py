"""Models in, text out. Everything here is a pure function of the models; nothing reads a header.

Each kind of file has a module, whose `files` yields paths and texts.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping

from ..lower.merge import Merged
from . import backend, calls, families, index, native, stubs, tables
from .clashes import refuse_clashes
from .errors import EmitError
from .source import Source
from .stamp import stamp_is_true, stamped

__all__ = ["PACKAGE", "EmitError", "Files", "emit", "stamp_is_true"]

PACKAGE = "cudnn_cffi"

Files = dict[str, bytes]


def emit(merged: Merged, prefixes: Mapping[str, str]) -> Files:
    """Return every file of the generated tree but the models, by path below it.

    Raises:
        EmitError: names of the models cannot be names of emitted code.
    """
    for api in merged.apis.values():
        refuse_clashes(api)
    source = Source(merged, prefixes)
    classes = families.all_families(source)
    texts = tables.shared(source)
    files = itertools.chain(
        calls.files(source),
        native.files(source),
        tables.files(source, texts),
        stubs.files(source, classes),
        families.files(source, classes),
        backend.files(source),
        index.files(source, tables.owners(texts), classes),
    )
    return {f"{PACKAGE}/{path}": stamped(path, text) for path, text in files}
