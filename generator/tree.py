"""The generated tree on disk, read and replaced as a whole."""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from cudnn_cffi.api import model
from cudnn_cffi.api.inputs.store import Store

from . import GeneratorError, emit, models, schema, swap
from .emit.text.render import render
from .headers.records import listing
from .lower.merge import Merged, merge

log = logging.getLogger(__name__)

#: The tree of a checkout.
HOME = Path(__file__).resolve().parent.parent / "generated"

_MODELS = f"{emit.PACKAGE}/api"
_PREFIXES = "prefixes.json"
_ROLES = "roles.txt"

#: The file that marks a folder as a tree: the hash of every other file, as sha256sum writes them.
MANIFEST = "manifest.sha256"
_MARK = "# Everything in this folder is emitted by the generator of cudnn_cffi."
_RESTORE = "restore it, for instance from version control"


class TreeError(GeneratorError):
    """The tree cannot be read or written."""


@dataclass
class Contents:
    """Input of the tree; everything else in it is emitted from this."""

    releases: dict[str, model.Release] = field(default_factory=dict)  # by version
    apis: dict[str, model.Api] = field(default_factory=dict)  # by version of a release

    def merged(self) -> Merged:
        """Return the releases with equal APIs together under the oldest of them.

        The answers of libraries about the schema come from generator/schema/ anew each time: they
        are no part of an API, and the same for all releases that share one.
        """
        names: dict[bytes, str] = {}
        releases, apis = [], {}
        plain: dict[int, tuple[model.Api, bytes]] = {}  # many releases have one and the same
        for version in sorted(self.releases, key=model.version_key):
            given = self.apis[version]
            if id(given) not in plain:
                api = schema.forget(model.replace(given, release=""))
                plain[id(given)] = api, model.encode(api)
            api, encoded = plain[id(given)]
            name = names.setdefault(encoded, version)
            releases.append(model.replace(self.releases[version], api=name))
            if name == version:
                apis[name] = model.replace(api, release=version)
        explainer = schema.Explainer()
        for name, api in apis.items():
            sharing = [release.version for release in releases if release.api == name]
            apis[name] = explainer.explain(api, sharing)
        return merge(releases, apis)


def load(folder: Path, *, trust_models: bool = False) -> Contents:
    """Read the models of the tree at `folder`; there are none where there is no tree yet.

    Restore the files that a killed run had moved away, first.

    Args:
        folder: the tree.
        trust_models: take models with other hashes than the manifest's.

    Raises:
        ModelError: a model is damaged.
        TreeError: a model is missing or is not the one that was generated.
    """
    folder = _real(folder)
    if swap.interrupted(folder):
        with locked(folder):
            pass
    hashes = _hashes(folder)
    store = Store(folder / _MODELS)
    contents = of_store(store)
    if hashes is not None and not trust_models:
        for name in (name for name in hashes if name.startswith(f"{_MODELS}/")):
            _verify(folder, hashes, name)
    return contents


def of_store(store: Store) -> Contents:
    """Read the models of a store.

    Raises:
        ModelError: one is missing, damaged or of another schema.
    """
    releases = store.releases()
    apis = {name: store.api(name) for name in dict.fromkeys(each.api for each in releases)}
    return Contents(
        {each.version: each for each in releases},
        {each.version: apis[each.api] for each in releases},
    )


def has_models(folder: Path) -> bool:
    """Return whether a tree at `folder` has models, or had before a run was stopped."""
    folder = _real(folder)
    return swap.interrupted(folder) or bool(Store(folder / _MODELS).releases())


def _verify(folder: Path, hashes: Mapping[str, str], name: str) -> None:
    """Compare a model with the manifest: it is input, so an error in it would be everywhere."""
    path = folder / name
    if _hash(_read(path)) != hashes.get(name):
        raise TreeError(
            f"{path} is not the file that was generated: {MANIFEST} has another hash; {_RESTORE}, "
            "or accept all models as they are with: python -m generator emit --trust-models"
        )


def _hashes(folder: Path) -> dict[str, str] | None:
    """Return the hashes that the manifest of `folder` gives, by path; None without a manifest.

    Raises:
        TreeError: the manifest is damaged.
    """
    path = folder / MANIFEST
    with _reading(folder):
        if not path.is_file():
            return None
    text = _read(path).decode("utf-8", "backslashreplace")
    mark, *lines = text.removesuffix("\n").split("\n")
    if mark != _MARK:
        raise TreeError(f"{path}: line 1 is not the mark of a generated tree; {_RESTORE}")
    hashes = {}
    for number, line in enumerate(lines, 2):
        found = re.fullmatch(r"([0-9a-f]{64})  (.+)", line)
        if found is None:
            raise TreeError(f"{path}: line {number} is not a hash with a path; {_RESTORE}")
        hashes[found[2]] = found[1]
    return hashes


def _manifest(wanted: Mapping[str, bytes]) -> bytes:
    lines = [_MARK, *(f"{_hash(data)}  {name}" for name, data in sorted(wanted.items()))]
    return ("\n".join(lines) + "\n").encode()


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def files(merged: Merged) -> emit.Files:
    """Every file of the tree, by path: the models, and all that is emitted from them."""
    from .lower import names

    prefixes = names.prefixes(merged.apis.values())
    found = emit.emit(merged, prefixes)
    for name, data in models.files(merged.releases, merged.apis).items():
        found[f"{_MODELS}/{name}"] = data
    found[_PREFIXES] = (json.dumps(prefixes, indent=1) + "\n").encode()
    found[_ROLES] = render("roles.txt.j2", variants=merged.all_variants()).encode()
    found[MANIFEST] = _manifest(found)
    return dict(sorted(found.items()))


def differences(folder: Path, wanted: Mapping[str, bytes]) -> list[str]:
    """Return how the tree at `folder` differs from `wanted`, a line for each file.

    Raises:
        TreeError: a file cannot be read.
    """
    present = _present(folder)
    found = [f"missing: {name}" for name in wanted.keys() - present.keys()]
    found += [f"not emitted: {name}" for name in present.keys() - wanted.keys()]
    found += [
        f"differs: {name}"
        for name in wanted.keys() & present.keys()
        if not present[name] or _read(folder / name) != wanted[name]
    ]
    return sorted(found)


def _present(folder: Path) -> dict[str, bool]:
    """Return whether each thing in `folder` is a plain file, by path; without Python's bytecode.

    The path of an empty folder ends with a slash.
    """
    with _reading(folder):
        return dict(_walk(folder, "")) if folder.exists() else {}


def _walk(folder: Path, prefix: str) -> Iterator[tuple[str, bool]]:
    with os.scandir(folder) as found:
        entries = sorted(found, key=lambda entry: entry.name)
    if not entries and prefix and folder.name != "__pycache__":
        yield prefix, False
    for entry in entries:
        name = prefix + _printable(entry.name)
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(folder / entry.name, f"{name}/")
        elif not re.search(r"(^|/)__pycache__/[^/]+\.pyc(\.\d+)?$", name):
            yield name, entry.is_file(follow_symlinks=False)


def _printable(name: str) -> str:
    """Return a file's name as it can be printed."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def require_own(folder: Path) -> None:
    """Make sure that `folder` may be replaced: it is new or empty, or a tree.

    Raises:
        TreeError: there is something in it, and no manifest.
    """
    folder = _real(folder)
    if _hashes(folder) is not None or swap.interrupted(folder):
        return
    with _reading(folder):
        there = (
            sorted(_printable(path.name) for path in folder.iterdir()) if folder.exists() else []
        )
    if there:
        raise TreeError(
            f"{folder} is not empty and has no {MANIFEST}, as a tree that the generator made "
            f"has; there is {listing(there, 5)}. Give a folder of its own with --out"
        )


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep other runs from writing the tree at `folder`: from reading models to writing files.

    Raises:
        TreeError: the folder above may not be written.
    """
    folder = _real(folder)
    with contextlib.ExitStack() as stack:
        with _writing(folder):
            stack.enter_context(swap.locked(folder))
        yield


def write(folder: Path, wanted: Mapping[str, bytes]) -> int:
    """Make `folder` hold exactly `wanted`; on any failure it stays as it was.

    The caller holds the lock. Python's bytecode goes with the files that it was made from. An
    emitted file that was edited is emitted again, and a warning names it.

    Returns how many files changed.

    Raises:
        TreeError: there is something in it that was not generated, the disk is full, or the
            folder may not be written.
    """
    require_own(folder)
    folder = _real(folder)
    changes = differences(folder, wanted)
    if not changes and folder.exists():
        return 0
    hashes = _hashes(folder) or {}
    present = _present(folder)
    known = {*hashes, *wanted, MANIFEST}
    foreign = [name for name, plain in present.items() if not _may_go(name, plain, known)]
    if foreign:
        raise TreeError(
            f"{folder} has in it what was not generated: {listing(foreign, 5)}. Move it away, "
            "or give a folder of its own with --out"
        )
    for name in sorted(present.keys() - {MANIFEST}):
        if present[name]:
            data = _read(folder / name)
            if _hash(data) != hashes.get(name) and data != wanted.get(name):
                log.warning("%s was changed since it was emitted; the change is undone", name)
    with _writing(folder):
        swap.replace(folder, wanted)
    return len(changes)


def _may_go(name: str, plain: bool, known: set[str]) -> bool:
    if name.endswith("/"):
        return any(each.startswith(name) for each in known)
    return plain and name in known


def _real(folder: Path) -> Path:
    """Return the folder itself where `folder` is a link: it is replaced, and the link stays."""
    return Path(os.path.realpath(folder))


def _read(path: Path) -> bytes:
    with _reading(path):
        return path.read_bytes()


@contextlib.contextmanager
def _reading(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        where = error.filename or path
        raise TreeError(f"{where} cannot be read: {error.strerror or error}") from error


@contextlib.contextmanager
def _writing(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        state = "nothing was changed"
        if swap.interrupted(folder):
            state = "it was moved away, and the next run puts it back"
        raise TreeError(
            f"{folder} cannot be written: {error.strerror or error}; {state}"
        ) from error
