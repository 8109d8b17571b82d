"""The call of a kernel of the package for a case, without a device."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from cudnn_cffi.choice.policy import Rule

#: A choice that leaves open what computes.
FREE = Rule(pick="heuristic")


class RefusedError(Exception):
    """No kernel computes a case."""


def find(
    operation: Any, *specs: Any, rule: Rule = FREE, context: int = 1, limit: int | None = None,
    targets: Any = None, **more: Any,
) -> Any:  # fmt: skip
    """Return the call of a kernel.

    Args:
        operation: the one that is called.
        specs: its arrays.
        rule: how to choose.
        context: that of the handle.
        limit: of its workspace, in bytes.
        targets: outputs in place of its own.
        more: fields of the case.

    Raises:
        RefusedError: classic functions are asked.
    """

    def refuse(*_: Any) -> None:
        raise RefusedError

    operation.classic = refuse
    case = operation.case(*specs)._replace(**more)
    if targets is not None:
        case.outputs.update(targets)
    workspace = SimpleNamespace(limit=limit)
    handle: Any = SimpleNamespace(device=0, _context=context, workspace=workspace)
    return operation.by_classic(case, rule, handle)
