"""Choices and plans on disk, shared by processes and kept for later ones.

A folder for each release, major of CUDA and kind of device has a file for each computation: the
engine and its knobs, and the plan as cuDNN's JSON, which needs no compiler to load.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from ... import library
from ..._kept import store
from ..._support.results import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: Raise it when engines are filtered in another way: stored refusals may be void.
_SCHEMA = 6


class Saved(NamedTuple):
    """The contents of a file.

    Attributes:
        engine: the index of the engine; None where no engine supports the computation.
        knobs: values of its knobs by name.
        tuned: whether it was chosen by timing.
        uids: the unique ids of the tensors in `plan`, in the order of the operands.
        plan: cuDNN's JSON of the plan, or "".
        refusals: why engines do not support the computation, as dictionaries.
    """

    engine: int | None
    knobs: dict[str, int]
    tuned: bool = False
    uids: tuple[int, ...] = ()
    plan: str = ""
    refusals: tuple[dict[str, Any], ...] = ()


def _path(device: str, key: str) -> Path | None:
    loaded = library.load()
    # One release is built with several majors of CUDA, whose compilers and engines differ.
    name = f"{loaded.version}-cuda{loaded.cudart // 1000}-{device}"
    return store.place(re.sub(r"[^A-Za-z0-9.-]+", "-", name), key, ".json")


def load(device: str, key: str) -> Saved | None:
    """Return what was saved; None where there is nothing, or nothing that can be used.

    Args:
        device: the name and fingerprint of the device.
        key: the signature of the computation and the options.
    """
    return store.read(_path(device, key), "plan", lambda body: _decode(body, key))


def _decode(body: bytes, key: str) -> Saved | None:
    fields = json.loads(body)
    if fields["schema"] != _SCHEMA or fields["key"] != key:
        return None  # of another version of this package
    engine = fields["engine"]
    knobs = {str(name): int(value) for name, value in fields["knobs"].items()}
    return Saved(
        None if engine is None else int(engine),
        knobs,
        bool(fields["tuned"]),
        tuple(int(uid) for uid in fields["uids"]),
        str(fields["plan"]),
        tuple(dict(each) for each in fields["refusals"]),
    )


def save(device: str, key: str, saved: Saved) -> bool:
    """Write a file, and return whether it was; where it cannot be written, that is a warning."""
    fields = {"schema": _SCHEMA, "key": key, **saved._asdict()}
    return store.write(_path(device, key), json.dumps(fields).encode())
