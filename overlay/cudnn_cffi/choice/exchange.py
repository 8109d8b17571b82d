"""What was chosen by timing, as plain values: for other processes on devices of the same kind."""

from __future__ import annotations

from .. import errors, library
from .._support import fork
from .disk import Saved
from .memory import plans

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

__all__ = ["adopt_tuned", "adopted", "export_tuned"]

_lock = fork.lock()
_adopted: dict[tuple[str, str], Saved] = {}


def export_tuned() -> list[dict[str, Any]]:
    """Return what was chosen by timing in this process: records for `adopt_tuned`."""
    release = library.load().version
    found = []
    for key, plan in plans.tuned():
        name, place, options, _ = key
        found.append(
            {
                "release": release, "device": place, "computation": name, "options": options,
                "engine": plan.engine, "knobs": dict(plan.knobs),
            }
        )  # fmt: skip
    with _lock:
        known = dict(_adopted)
    seen = {(each["device"], f"{each['computation']}\n{each['options']}") for each in found}
    for (place, text), saved in known.items():
        if (place, text) not in seen:
            name, _, options = text.partition("\n")
            found.append(
                {
                    "release": release, "device": place, "computation": name, "options": options,
                    "engine": saved.engine, "knobs": dict(saved.knobs),
                }
            )  # fmt: skip
    return found


def adopt_tuned(records: Iterable[Mapping[str, Any]]) -> int:
    """Have `build` find these choices from now on, as if they had been timed in this process.

    Plans that were built before are not used again by `build`. Choices on disk stay as they are.

    Args:
        records: what `export_tuned` returned.

    Returns: how many there are.

    Raises:
        VersionMismatchError: a record is of another release: engines have other numbers there.
        ArgumentError: a record is no such record.
    """
    release = library.load().version
    made: dict[tuple[str, str], Saved] = {}
    names = set()
    for each in records:
        try:
            if each["release"] != release:
                raise errors.VersionMismatchError(
                    f"a choice of cuDNN {each['release']} came, {release} is loaded",
                    hint="numbers of engines mean something in one release alone",
                )
            key = str(each["device"]), f"{each['computation']}\n{each['options']}"
            knobs = {str(name): int(value) for name, value in each["knobs"].items()}
            made[key] = Saved(int(each["engine"]), knobs, True)
            names.add((str(each["computation"]), key[0], str(each["options"])))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise errors.ArgumentError(
                f"a record of a choice was expected, {each!r} came"
            ) from error
    with _lock:
        _adopted.update(made)
    plans.drop(lambda key: key[:3] in names)
    return len(made)


def adopted(place: str, text: str) -> Saved | None:
    """Return what was adopted for a key, if anything was."""
    return _adopted.get((place, text))
