"""Capture work of PyTorch as a CUDA graph; an error leaves PyTorch as it was."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

import torch

from ..driver import captures
from .autograd.switches import without_cache


@contextmanager
def capture(device: torch.device) -> Iterator[torch.cuda.CUDAGraph]:
    """Capture the work that a block launches on a device, on a stream of PyTorch.

    Other threads may call what they like meanwhile, such as those of a DataLoader or of JAX.

    After a capture that failed, PyTorch 2.11 keeps the stream of the capture as the current one,
    its generator of random numbers raises an error in each later call, and its allocator waits for
    the end of the capture. All three are set back here. A graph can be replayed at once: PyTorch
    writes the state of its generator to the device on the stream of the capture, and again on the
    stream of a replay, and waits for neither.

    Yields:
        The graph, which can be replayed after the block.
    """
    with torch.cuda.device(device):
        stream = torch.cuda.current_stream()
        generator = torch.cuda.default_generators[stream.device_index]
        state = generator.get_state()
        pool = torch.cuda.graph_pool_handle()
        graph = torch.cuda.CUDAGraph()
        try:
            with (
                captures.without_finalizers(),
                without_cache(),
                _begun(torch.cuda.graph(graph, pool=pool, capture_error_mode="thread_local")),
            ):
                yield graph
        except BaseException:
            torch.cuda.set_stream(stream)
            with suppress(RuntimeError):  # the capture has ended, or did not begin
                torch._C._cuda_endAllocateToPool(stream.device_index, pool)
                torch._C._cuda_releasePool(stream.device_index, pool)
            generator.graphsafe_set_state(torch.Generator(stream.device))
            generator.set_state(state)
            raise
        torch.cuda.synchronize()


def are_apart(tensors: Sequence[torch.Tensor]) -> bool:
    """Return whether no two tensors have memory of one block.

    A graph has a copy of each, so that what it writes to one would not be in the other.
    """
    return len({each.untyped_storage().data_ptr() for each in tensors}) == len(tensors)


@contextmanager
def _begun(whole: torch.cuda.graph) -> Iterator[None]:
    """Capture a block, whose error says more than the one with which PyTorch ends its capture."""
    whole.__enter__()
    try:
        yield
    except BaseException:
        with suppress(RuntimeError):
            whole.__exit__(None, None, None)
        raise
    whole.__exit__(None, None, None)
