"""The front end's own log: CUDNN_FRONTEND_LOG_INFO=1, with CUDNN_FRONTEND_LOG_FILE for where."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable
from functools import wraps
from typing import Any

_log = logging.getLogger(__package__)

#: The steps of a graph that are logged.
_STEPS = (
    "validate", "build_operation_graph", "create_execution_plans", "create_execution_plan",
    "check_support", "build_plans", "build_plan_at_index", "execute", "execute_plan_at_index",
    "serialize", "deserialize",
)  # fmt: skip


def log_steps(graphs: type) -> None:
    """Log each step of a class of graphs where the environment asks for it, as it is now.

    Args:
        graphs: the class; its methods are replaced, so that nothing is looked up without a log.

    Raises:
        OSError: the file cannot be written.
    """
    place = os.environ.get("CUDNN_FRONTEND_LOG_FILE", "")
    if os.environ.get("CUDNN_FRONTEND_LOG_INFO", "0") in ("", "0") or not place:
        return
    handler: logging.Handler
    if place in ("stdout", "stderr"):
        handler = logging.StreamHandler(getattr(sys, place))
    else:
        handler = logging.FileHandler(place, "w", encoding="utf-8")
    handler.setFormatter(logging.Formatter("[%(name)s] %(levelname)s: %(message)s"))
    _log.addHandler(handler)
    _log.setLevel(logging.INFO)
    for name in _STEPS:
        setattr(graphs, name, _logged(getattr(graphs, name)))


def _logged(step: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(step)
    def call(graph: Any, *given: Any, **named: Any) -> Any:
        _log.info("%s: %s of %d nodes", graph.name, step.__name__, len(graph.nodes))
        try:
            return step(graph, *given, **named)
        except Exception as error:
            _log.error("%s: %s: %s: %s", graph.name, step.__name__, type(error).__name__, error)
            raise

    return call
