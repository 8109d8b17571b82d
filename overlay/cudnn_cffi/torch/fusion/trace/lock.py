"""One trace at a time, what it holds, and the error of what cannot be traced."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress

from torch._subclasses.fake_tensor import FakeTensorMode

from .... import errors
from ...._support import fork

_lock = fork.lock()


@contextmanager
def tracing() -> Iterator[None]:
    """Let no other thread trace a module, or compile one by Dynamo, during a block.

    `torch.fx` replaces methods of all modules of the process. Dynamo puts them back while it
    compiles, and then replaces them again, also where the trace has ended meanwhile.
    """
    dynamo = sys.modules.get("torch._dynamo.convert_frame")
    compiling = getattr(dynamo, "compile_lock", None)
    if compiling is not None:
        fork.renew(compiling)
    with compiling or nullcontext(), _lock:
        yield


class Untraceable(errors.NotSupportedError):
    """A model, or a call of one, that `torch.fx` makes no graph of; it says why.

    Attributes:
        is_own: whether only the module itself, not a copy, computes what it has to: its forward was
            replaced, or changes its attributes.
    """

    def __init__(self, message: str, *, is_own: bool = False) -> None:
        super().__init__(message)
        self.is_own = is_own


def let_go(mode: FakeTensorMode) -> None:
    """Drop weak references to parameters, since `torch.utils.swap_tensors` refuses such."""
    with suppress(AttributeError):  # of PyTorch's own
        mode.fake_tensor_converter.meta_converter.describer.lookup_tensor.clear()
