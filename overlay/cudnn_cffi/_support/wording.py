"""Words of messages."""

from __future__ import annotations

from .. import errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def a(noun: str) -> str:
    """Return a noun after its article: "an int", "a float"."""
    return f"{'an' if noun[:1] in 'AEIOUaeiou' else 'a'} {noun}"


def a_kind(value: object) -> str:
    """Return the name of a value's class after its article."""
    return a(type(value).__name__)


#: Minimum similarity of a name and a word that is near: see `difflib`.
_NEAR = 0.7

#: Minimum length of a name's beginning that tells something.
_ENOUGH = 4


def numbered(count: int, noun: str) -> str:
    """Return a number with its noun: "1 file", "2 files"."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def meant(word: object, known: Iterable[str], synonyms: Mapping[str, str] | None = None) -> str:
    """Return the beginning of a hint: which of the known words is meant; "" where none is near.

    Args:
        word: the value; anything but a text is near to nothing.
        known: the words that there are.
        synonyms: words of other packages in lower case, and what is said of each, such as
            "use padding".
    """
    if not isinstance(word, str):
        return ""
    lower = word.lower().replace("-", "_").replace(" ", "_")
    if synonyms and lower in synonyms:
        return f"{synonyms[lower]}; "
    from difflib import get_close_matches

    names = {each.lower(): each for each in known}
    near = get_close_matches(lower, names, 1, _NEAR)
    if not near and len(lower) >= _ENOUGH:
        near = [each for each in names if each.startswith(lower)]
    return f"did you mean {names[near[0]]}? " if near else ""


def no_word(
    name: str, value: object, expected: str, known: Iterable[str],
    synonyms: Mapping[str, str] | None = None, more: str = "",
) -> errors.ArgumentError:  # fmt: skip
    """Return the error for a value that is none of the words that an argument takes.

    Args:
        name: of the argument.
        value: what it got.
        expected: what it takes, such as "a kind of pooling".
        known, synonyms: as for `meant`.
        more: what else it takes, such as ", or numbers".
    """
    words = tuple(known)
    return errors.ArgumentError(
        f"{name}: expected {expected}, got {value!r}",
        hint=f"{meant(value, words, synonyms)}one of {', '.join(words)}{more}",
    )
