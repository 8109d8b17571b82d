"""python scripts/release.py 0.2.0: give the package a version, and CHANGELOG.md a section for it.

The version is in one place, `_version.py`. Nothing is committed, tagged or uploaded.
"""

from __future__ import annotations

import argparse
import datetime
import re
import sys
from pathlib import Path

from packaging.version import InvalidVersion, Version

ROOT = Path(__file__).resolve().parents[1]
UNRELEASED = "## [Unreleased]\n"

#: Files that other programs read the version from, and what stands before it.
COPIES = {"CITATION.cff": "^(version: ).*$", "conda/recipe.yaml": "^(  version: )[0-9].*$"}


class ReleaseError(Exception):
    """The version cannot be released; the text says why."""


def release(root: Path, wanted: str, date: datetime.date) -> str:
    """Write the version and the changelog below `root`; return the version as it is spelled.

    Raises:
        ReleaseError: it is no version, not a newer one, or CHANGELOG.md has nothing to release.
    """
    source, changelog = root / "overlay/cudnn_cffi/_version.py", root / "CHANGELOG.md"
    code, text = (path.read_text(encoding="utf-8") for path in (source, changelog))
    found = re.search(r'__version__ = "([^"]+)"', code)
    if found is None:
        raise ReleaseError(f"{source} has no __version__")
    try:
        version = Version(wanted)
    except InvalidVersion as error:
        raise ReleaseError(f"{wanted!r} is no version, such as 0.2.0") from error
    # The first version is in the code before it is released.
    released = f"## [{found[1]}]" in text
    if version < Version(found[1]) or (released and version == Version(found[1])):
        raise ReleaseError(f"{version} is not newer than {found[1]}")
    if not _unreleased(text):
        raise ReleaseError(f"CHANGELOG.md has nothing under {UNRELEASED.strip()!r}")
    title = f"## [{version}] - {date.isoformat()}\n"
    made = {
        source: code.replace(found[0], f'__version__ = "{version}"'),
        changelog: text.replace(UNRELEASED, f"{UNRELEASED}\n{title}", 1),
    }
    for name, line in COPIES.items():
        old = (root / name).read_text(encoding="utf-8")
        made[root / name], count = re.subn(line, rf"\g<1>{version}", old, flags=re.M)
        if count != 1:
            raise ReleaseError(f"{name}: expected one line with the version, got {count}")
    for path, new in made.items():  # once all is known to be right
        path.write_text(new, encoding="utf-8")
    return str(version)


def _unreleased(changelog: str) -> str:
    return changelog.partition(UNRELEASED)[2].partition("\n## [")[0].strip()


def check(root: Path, wanted: str) -> str:
    """Return what is wrong with the tag of a version; "" if its files agree with it."""
    places = {"overlay/cudnn_cffi/_version.py": '^(__version__ = ")([^"]+)', **COPIES}
    for name, line in places.items():
        found = re.search(line, (root / name).read_text(encoding="utf-8"), re.M)
        version = found[0][len(found[1]) :] if found else "none"
        if version != wanted:
            return f"{name}: expected version {wanted}, got {version}"
    text = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    if f"## [{wanted}]" not in text:
        return f"CHANGELOG.md has no section for {wanted}"
    if _unreleased(text):
        return f"CHANGELOG.md has changes under {UNRELEASED.strip()!r}, which {wanted} would have"
    return ""


def main() -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("version")
    parser.add_argument(
        "--date", type=datetime.date.fromisoformat, default=datetime.date.today(), help="2026-11-22"
    )
    parser.add_argument(
        "--check", action="store_true", help="change nothing; say whether all files have VERSION"
    )
    chosen = parser.parse_args()
    if chosen.check:
        wrong = check(ROOT, chosen.version)
        print(f"error: {wrong}" if wrong else "all files agree", file=sys.stderr)
        return bool(wrong)
    try:
        version = release(ROOT, chosen.version, chosen.date)
    except ReleaseError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(f"cudnn_cffi is {version} now; review, commit, tag and build: nox -s wheel")
    return 0


if __name__ == "__main__":
    sys.exit(main())
