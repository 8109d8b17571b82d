"""Answer what errors ask: the nearest to the graph or the call that was refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._operation.searched import Call
from .._support import fork
from ..choice import DeviceProperties
from ..choice.engine.finalize import is_captured
from ..driver import captures
from ..graph.question import GraphQuestion
from ..handles import handle as handle_of

if TYPE_CHECKING:
    from ..errors import CudnnError
    from ..handles import Handle
    from .result import Explanation

    Device = DeviceProperties | str


def answer_question(
    question: GraphQuestion | Call, seconds: float, refused: CudnnError | None = None
) -> Explanation:
    """Return the nearest to what was refused; see `cudnn_cffi.explain` and `ops.explain`.

    Args:
        question: the refused graph or call.
        seconds: how long to search.
        refused: the error, if it was raised in this process.
    """
    handle, device = _place(question.device)
    if isinstance(question, Call):
        from .calls.nearest import explain_call

        return explain_call(question, handle, device, seconds, refused)
    from ..graph.show.saving import to_record
    from .graphs.explaining import explain_record

    return explain_record(
        type(question.graph),
        to_record(question.graph),
        handle,
        device,
        split=question.split,
        seconds=seconds,
        options=question.options,
        refused=refused,
    )


#: Held by the thread whose error has its text made.
_one = fork.lock()


def answer_text(
    question: GraphQuestion | Call, seconds: float, refused: CudnnError | None = None
) -> Explanation | None:
    """Return the same for the text of an error, whose reader did not ask for a search.

    Returns: None while a stream is captured, in a child of a process that used CUDA, and while
        another thread searches.
    """
    if fork.is_lost() or not _one.acquire(blocking=False):
        return None
    try:
        if captures.is_any_captured() or is_captured(_place(question.device)[0]):
            return None
        with captures.relaxed():  # other threads may capture
            return answer_question(question, seconds, refused)
    finally:
        _one.release()


def _place(device: Device | int | None) -> tuple[Handle | None, DeviceProperties | None]:
    if device is None or isinstance(device, int):
        return handle_of(device), None
    return None, DeviceProperties.of(device)
