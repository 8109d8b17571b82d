"""Find the release that is meant by "9.28", "9.28.0.42", "latest" or "all"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby

from cudnn_cffi.api.model import version_key

from .records import Available, Build, HeaderError, listing
from .web import projects

_NEAR = 3  # releases to name on either side of one that does not exist


def releases(builds: Iterable[Build]) -> tuple[Available, ...]:
    """Group builds, oldest first, by the release that they are builds of."""
    found = []
    for _, group in groupby(builds, key=lambda build: build.version):
        *older, newest = group
        found.append(Available(build=newest.build, wheels=newest.wheels, older=tuple(older)))
    return tuple(found)


def is_exact(spec: str) -> bool:
    """Return whether `spec` says which release or build it means, whatever others there are."""
    return re.fullmatch(r"\d+\.\d+\.\d+(\.\d+)?", spec) is not None


def check_spec(spec: str) -> None:
    """Refuse a text that `resolve` could not look for.

    Raises:
        HeaderError: `spec` names no release, build or group of releases.
    """
    if not re.fullmatch(r"all|latest|\d+(\.\d+){0,3}", spec):
        raise HeaderError(
            f"{spec!r} is not a cuDNN release; expected one like 9.28.0, or 9.28 for its newest "
            "patch, or latest, or all"
        )


def resolve(spec: str, releases: Sequence[Available]) -> list[Available]:
    """Return the releases that `spec` means.

    Args:
        spec: "all", "latest", a release "9.28.0", a build "9.28.0.42" (also one that another
            replaced since), or the beginning of a version, "9.28" or "9", for the newest such.
            Where a choice is left, releases that the index advises against come last.
        releases: the choice, oldest first.

    Raises:
        HeaderError: there is none such; the text names the nearest ones.
    """
    check_spec(spec)
    if spec == "all":
        return list(releases)
    wanted = () if spec == "latest" else version_key(spec)
    if len(wanted) == 4:
        chosen = [release for release in releases if version_key(release.build) == wanted]
        chosen += [
            Available(build=build.build, wheels=build.wheels, newest=False)
            for release in releases
            for build in release.older
            if version_key(build.build) == wanted
        ]
    else:
        chosen = [r for r in releases if version_key(r.version)[: len(wanted)] == wanted]
        chosen = [r for r in chosen if not r.yanked] or chosen
    if not chosen:
        raise HeaderError(_unknown(spec, releases))
    return chosen[-1:]


def nearest(spec: str, releases: Sequence[Available]) -> str:
    """Return at least one of `releases`, to name if `spec` is none of them."""
    wanted = version_key(spec)
    builds = [
        build.build
        for release in releases
        for build in (*release.older, release)
        if version_key(release.version) == wanted[:3]
    ]
    below = [r.version for r in releases if version_key(r.build) < wanted][-_NEAR:]
    above = [r.version for r in releases if version_key(r.build) > wanted][:_NEAR]
    if builds:
        return f"builds of that release: {listing(builds)}"
    return f"the nearest are {listing([*below, *above])}"


def _unknown(spec: str, releases: Sequence[Available]) -> str:
    if not releases:
        return f"there is no cuDNN {spec}: the package index has no release at all"
    span = f"{len(releases)} releases, {releases[0].version} to {releases[-1].version}"
    if len(releases) == 1:
        span = f"one release, {releases[0].version}"
    return (
        f"there is no cuDNN {spec} among those found on the package index "
        f"as {listing(projects.CUDNN)}; "
        f"{nearest(spec, releases)}. It has {span}. For another, give a folder with its headers: "
        "--headers"
    )
