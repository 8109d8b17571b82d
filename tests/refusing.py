"""Calls of programs that must be refused: pytest does not see them, so messages say what was not."""

from __future__ import annotations

from typing import Any

from cudnn_cffi import errors


def refusal(kind: type[Exception], call: Any, *words: str) -> Any:
    """Return the error that a call raises; it has all the words."""
    try:
        call()
    except kind as error:
        raised = error
    else:
        raise AssertionError(f"expected {kind.__name__}: {words}")
    for each in words:
        assert each in str(raised), (each, str(raised))
    return raised


def raised(kind: type[Exception], function: Any, *args: Any) -> Any:
    """Return the error that a function raises for arguments."""
    return refusal(kind, lambda: function(*args))


def refused(text: str, call: Any, kind: type[Exception] = errors.CudnnError) -> None:
    """Check that a call is refused with a text."""
    refusal(kind, call, text)
