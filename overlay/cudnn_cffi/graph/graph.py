"""Graphs of operations, from tensors to a plan."""

from __future__ import annotations

from typing import Any

from . import finalize
from . import text as texts
from .attention import Attention
from .check import check
from .linear import Linear
from .lowering import lower
from .pointwise import Pointwise

__all__ = ["Graph"]


class Graph(Attention, Pointwise, Linear):
    """A graph of operations on tensors, which cuDNN compiles into one plan.

    Example::

        g = cudnn.Graph(io_data_type="HALF")
        x = g.tensor((8, 64, 56, 56), layout="NHWC", name="x")
        w = g.tensor((64, 64, 3, 3), layout="NHWC", name="w")
        b = g.tensor((1, 64, 1, 1), name="b")
        g.output(g.relu(g.convolution(x, w, padding=1) + b), name="y")
        plan = g.build()
        y = plan(x_array, w_array, b_array)
    """

    def check(self) -> None:
        """Refuse a graph that cannot be computed, before cuDNN is asked.

        Raises:
            GraphError: it says which node or tensor is wrong, and why.
        """
        check(self)

    @property
    def signature(self) -> str:
        """A text that is the same for graphs that differ in names only, in any process."""
        return finalize.signature(self.lowered())

    def computation(self, handle: Any = None, device: Any = None) -> Any:
        """Return the finalized operation graph with its operands.

        Args:
            handle: the handle of the device; the default one where `device` is not given either.
            device: properties of a device, for a machine without it.

        Raises:
            GraphError: the graph cannot be computed.
            CudnnError: cuDNN refuses a tensor, a node or the graph; the error names it.
        """
        if handle is None and device is None:
            from ..handles import handle as default_handle

            handle = default_handle()
        check(self)
        return finalize.make_computation(self.lowered(), handle, device, str(self))

    def lowered(self, release: str | None = None) -> Graph:
        """Return the graph in operations that a release has; this one where nothing is replaced.

        Tensors that both have keep their ids and names; `print` it to see what a plan is built of.

        Args:
            release: such as "9.19.0"; without one, that of the loaded library.

        Raises:
            NotSupportedError: the release cannot compute an operation in any form.
        """
        lowered: Graph = lower(self, release)
        return lowered

    def __str__(self) -> str:
        return texts.text(self)

    def __repr__(self) -> str:
        return f"<Graph {self.name or hex(id(self))}: {len(self.nodes)} nodes>"

    def to_dot(self) -> str:
        """Return the graph in the language of Graphviz."""
        return texts.dot(self)
