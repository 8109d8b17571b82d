"""Threads of tests, whose exceptions the test raises."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Any


def in_threads(work: Callable[[Any], object], arguments: Iterable[Any]) -> None:
    """Call a function with each of the arguments, all at once, in a thread each.

    All threads have begun before the first one is waited for, and the first exception is raised
    after the last one has ended.
    """
    failures: list[BaseException] = []

    def run(argument: Any) -> None:
        try:
            work(argument)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(each,)) for each in arguments]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    if failures:
        raise failures[0]
