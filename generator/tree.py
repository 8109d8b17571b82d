"""The generated tree on disk: read as a whole, replaced as a whole or not at all."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from cudnn_cffi.api import model

from . import emit
from .merge import Merged, merge

#: The tree of a checkout.
HOME = Path(__file__).resolve().parent.parent / "generated"

_MODELS = f"{emit.PACKAGE}/api"
_PREFIXES = "prefixes.json"
_ROLES = "roles.txt"


class TreeError(Exception):
    """The tree cannot be read or written."""


@dataclass
class Contents:
    """What the tree is made from; everything else in it is emitted from this."""

    releases: dict[str, model.Release] = field(default_factory=dict)  # by version
    apis: dict[str, model.Api] = field(default_factory=dict)  # by version of a release

    def merged(self) -> Merged:
        """The releases with equal APIs together under the oldest of them."""
        names: dict[bytes, str] = {}
        releases, apis = [], {}
        for version in sorted(self.releases, key=model.version_key):
            api = model.replace(self.apis[version], release="")
            name = names.setdefault(model.encode(api), version)
            releases.append(model.replace(self.releases[version], api=name))
            if name == version:
                apis[name] = model.replace(api, release=version)
        return merge(releases, apis)


def load(folder: Path) -> Contents:
    """What is in the tree at `folder`; nothing where there is none yet.

    Raises:
        ModelError: a file of it is damaged.
    """
    store = model.Store(folder / _MODELS)
    contents = Contents()
    loaded: dict[str, model.Api] = {}
    for release in store.releases():
        if release.api not in loaded:
            loaded[release.api] = store.api(release.api)
        contents.releases[release.version] = release
        contents.apis[release.version] = loaded[release.api]
    return contents


def files(contents: Contents) -> emit.Files:
    """Every file of the tree, by path: the models, and all that is emitted from them."""
    from . import names

    merged = contents.merged()
    prefixes = names.prefixes(merged.apis.values())
    found = emit.emit(merged, prefixes)
    for name, api in merged.apis.items():
        found[f"{_MODELS}/{name}.json"] = model.encode(api)
    found[f"{_MODELS}/releases.json"] = model.encode_releases(merged.releases)
    found[_PREFIXES] = (json.dumps(prefixes, indent=1) + "\n").encode()
    found[_ROLES] = roles(merged).encode()
    return dict(sorted(found.items()))


def roles(merged: Merged) -> str:
    """What every parameter of every function is, a line each: the diff that a reviewer reads."""
    lines = []
    for variant in merged.all_variants():
        function = variant.function
        lines.append(f"{variant.wrapper} -> {function.result}")
        for p in function.parameters:
            notes = [p.direction, p.kind, p.memory, p.owner, "optional" if p.optional else None]
            notes += [f"length={p.length}" if p.length else None]
            notes += [f"count={p.count}" if p.count else None, p.flags]
            lines.append(f"    {p.name}: {p.type}: {' '.join(note for note in notes if note)}")
    return "\n".join(lines) + "\n"


def differences(folder: Path, wanted: Mapping[str, bytes]) -> list[str]:
    """How the tree at `folder` differs from `wanted`, a line for each file."""
    present = {path.relative_to(folder).as_posix() for path in _present(folder)}
    found = [f"missing: {name}" for name in wanted.keys() - present]
    found += [f"not emitted: {name}" for name in present - wanted.keys()]
    found += [
        f"differs: {name}"
        for name in wanted.keys() & present
        if (folder / name).read_bytes() != wanted[name]
    ]
    return sorted(found)


def _present(folder: Path) -> Iterable[Path]:
    for path in sorted(folder.rglob("*")) if folder.exists() else ():
        if path.is_file() and "__pycache__" not in path.parts:
            yield path


def write(folder: Path, wanted: Mapping[str, bytes]) -> int:
    """Make `folder` hold exactly `wanted`; on any failure it stays as it was.

    Returns how many files changed.

    Raises:
        TreeError: the disk is full, or the folder may not be written.
    """
    folder = folder.absolute()
    changed = len(differences(folder, wanted))
    if not changed and folder.exists():
        return 0
    foreign = [
        p
        for p in _present(folder)
        if p.relative_to(folder).parts[0] not in (emit.PACKAGE, _PREFIXES, _ROLES)
    ]
    if foreign:
        raise TreeError(
            f"{folder} has files that were not generated, such as {foreign[0].name}: "
            "give a folder of its own with --out"
        )
    staging = None
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        staging = Path(tempfile.mkdtemp(prefix=f".{folder.name}.new-", dir=folder.parent))
        for name, data in wanted.items():
            path = staging / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        staging.chmod(0o755)
        _swap(staging, folder)
    except OSError as error:
        if staging is not None:
            shutil.rmtree(staging, ignore_errors=True)
        raise TreeError(
            f"{folder} cannot be written: {error.strerror or error}; nothing was changed"
        ) from error
    return changed


def _swap(staging: Path, folder: Path) -> None:
    """Put `staging` where `folder` is: two renames, the first undone if the second fails."""
    old = None
    if folder.exists():
        old = Path(tempfile.mkdtemp(prefix=f".{folder.name}.old-", dir=folder.parent))
        folder.rename(old / "tree")
    try:
        staging.rename(folder)
    except OSError:
        if old is not None:
            (old / "tree").rename(folder)
            old.rmdir()
        raise
    if old is not None:
        shutil.rmtree(old, ignore_errors=True)
