"""Capture work of PyTorch as a CUDA graph; an error leaves PyTorch as it was."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import torch
from torch import Tensor
from torch.utils._pytree import tree_leaves

from ..driver import captures, keeping
from .autograd.layouts import Layout, formatted, last_format
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
                keeping.pooled(torch.cuda.current_stream().cuda_stream),
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


class Captured:
    """A program as a CUDA graph, which reads inputs that are copied to where it expects them.

    A kernel that alone reads an input has its address from memory of the device instead, and there
    is memory for copies once an input lies otherwise. Results are copies, but those that are an
    input, or a view of one.
    """

    def __init__(self, program: Any, inputs: Sequence[Tensor]) -> None:
        self.lock = program.lock
        self.ran = program.ran
        self._program = program  # its memory, plans and weights are the graph's
        pairs = zip(inputs, program.parts.free, strict=True)
        self._likes = [_like(each, free) for each, free in pairs]
        self._places: dict[int, Tensor] = {}
        self._addresses: dict[int, int] = {}
        for place, like in enumerate(self._likes):
            is_image = like.dim() == 4 and formatted(like, True) is like  # read as it is
            if place in program.readers and is_image:
                device = inputs[place].device
                self._places[place] = torch.empty((), dtype=torch.int64, device=device)
        self._inputs = {
            place: _memory(like, given)
            for place, (like, given) in enumerate(zip(self._likes, inputs, strict=True))
            if place not in self._places
        }
        given = self._give(inputs)
        versions = {place: own._version for place, own in self._inputs.items()}
        try:
            for place, address in self._places.items():
                program.readers[place].place = address
            with capture(inputs[0].device) as self._graph:
                self._outputs = program.run(given)
        finally:
            for place in self._places:
                program.readers[place].place = None
        self._layout = Layout(self._outputs)
        known = {each.untyped_storage()._cdata: place for place, each in self._inputs.items()}
        #: By the place of a result: that of the input whose memory it is.
        self._given = {
            place: known[each.untyped_storage()._cdata]
            for place, each in enumerate(tree_leaves(self._outputs))
            if _is_plain(each) and each.untyped_storage()._cdata in known
        }
        self._written = [
            place for place, version in versions.items() if self._inputs[place]._version != version
        ]

    def _give(self, inputs: Sequence[Tensor]) -> list[Tensor]:
        """Have the graph read inputs, and return what it reads."""
        read = []
        for place, (like, each) in enumerate(zip(self._likes, inputs, strict=True)):
            given, address = each, self._places.get(place)
            if address is None or each.stride() != like.stride() or each.data_ptr() % 16:
                if place not in self._inputs:
                    self._inputs[place] = _memory(like, each)
                given = self._inputs[place].copy_(each)
            if address is not None and self._addresses.get(place) != given.data_ptr():
                address.fill_(given.data_ptr())
                self._addresses[place] = given.data_ptr()
            read.append(given)
        return read

    def run(self, inputs: Sequence[Tensor]) -> object:
        """Return what the model computes, in new memory; the caller has the lock."""
        if self._written and not are_apart(inputs):
            return self._program.run(inputs)
        self._give(inputs)
        self._graph.replay()
        for place in self._written:
            with torch.inference_mode(inputs[place].is_inference()):
                inputs[place].copy_(self._inputs[place])
        return self._layout.copied(self._outputs, self._seen(inputs))

    def _seen(self, inputs: Sequence[Tensor]) -> dict[int, Tensor]:
        """Return the results that are inputs or views of them, by their places."""
        leaves, found = tree_leaves(self._outputs) if self._given else (), {}
        for place, source in self._given.items():
            like, own, given = leaves[place], self._inputs[source], inputs[source]
            lies = like.shape, like.stride(), like.storage_offset(), like.dtype
            if lies == (own.shape, own.stride(), own.storage_offset(), own.dtype):
                found[place] = given
            elif own.stride() == given.stride() and own.dtype == like.dtype:
                offset = like.storage_offset() + given.storage_offset()
                found[place] = given.as_strided(like.shape, like.stride(), offset)
        return found


def _is_plain(value: object) -> bool:
    """Return whether a value is a tensor whose memory has its elements as they are."""
    if not isinstance(value, Tensor) or value.layout != torch.strided:
        return False
    return not value.is_conj() and not value.is_neg()


def _memory(like: Tensor, tensor: Tensor) -> Tensor:
    """Return memory for what is like the first, where the second is."""
    return torch.empty_strided(like.shape, like.stride(), dtype=like.dtype, device=tensor.device)


def _like(tensor: Tensor, free: bool) -> Tensor:
    """Return what an input is like, without memory; with channels last, if its layout is free."""
    form = last_format(tensor.dim()) if free else None
    if form is not None:
        return torch.empty_like(tensor, memory_format=form, device="meta")
    return torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype, device="meta")
