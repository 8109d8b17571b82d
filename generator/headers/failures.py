"""Indexes that could not be reached, with the reasons."""

from __future__ import annotations

from .web.urls import server


class Failures:
    """Reasons why places could not be asked, told once for each server that is down."""

    def __init__(self) -> None:
        self._why: dict[str, str] = {}  # by place; by server where the server is down

    def __bool__(self) -> bool:
        return bool(self._why)

    def __contains__(self, place: str) -> bool:
        return place in self._why or server(place) in self._why

    def __str__(self) -> str:
        return "; ".join(self._why.values())

    def add(self, place: str, why: str) -> None:
        """`place` cannot be asked; others on its server can."""
        self._why.setdefault(place, why)

    def add_server(self, place: str, why: str) -> None:
        """Note that the server of `place` cannot be reached."""
        self._why.setdefault(server(place) or place, why)

    def explain(self, missing: str, elsewhere: str, folders: str) -> str:
        """Return an error's text that leads with the failures.

        Args:
            missing: what may be there.
            elsewhere: what was found in the other places; "" where there are none.
            folders: the options to do without an index.
        """
        also = f"; {elsewhere}" if elsewhere else ""
        return (
            f"{self}. {missing} may be there{also}. Check the network and pip's index-url, proxy "
            f"and cert (`pip config list` shows them), or {folders}"
        )
