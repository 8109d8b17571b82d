"""Write text from models and plans, with `templates/`, by pure functions; nothing reads a header.

Each kind of file has a module, whose `files` yields paths and texts.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Mapping

from cudnn_cffi.api import model

from ..lower.merge import Merged
from . import backend, calls, families, index, native, stubs, tables
from .errors import EmitError as EmitError
from .text.clashes import refuse_clashes
from .text.source import Source
from .text.stamp import stamped

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
    values = tables.of_apis(source)
    files = itertools.chain(
        calls.files(source),
        native.files(source),
        tables.files(source, values),
        stubs.files(source, classes),
        families.files(source, classes),
        backend.files(source),
        index.files(source, tables.owners(values), classes),
    )
    found = {f"{PACKAGE}/{path}": stamped(path, text) for path, text in files}
    found[f"{PACKAGE}/_stamp.py"] = stamped("_stamp.py", _stamp(found))
    return found


def _stamp(files: Files) -> str:
    """Return the module that tells this tree from those of other versions of the package."""
    digest = hashlib.sha256(b"%d" % model.SCHEMA)
    for path, data in sorted(files.items()):
        digest.update(path.encode() + b"\0" + data)
    text = '"""The hash that tells this tree from those of other versions of the package."""\n\n'
    return f'{text}STAMP = "{digest.hexdigest()[:16]}"\n'
