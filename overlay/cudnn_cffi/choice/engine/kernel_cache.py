"""Compiled kernels that plans of several shapes share."""

from __future__ import annotations

from collections.abc import Mapping

from ... import errors
from ..._lookup import families
from ..._support.constructors import list_makers
from ..._support.results import NamedTuple
from ..._tables import active
from ...plan import Computation
from . import descriptors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self

    from ...backend import KernelCacheDescriptor
    from .engines import Candidate


@list_makers
class KernelCache:
    """Kernels of one graph with dynamic shapes, compiled once for all of its shapes.

    The operation graphs have CUDNN_ATTR_OPERATIONGRAPH_IS_DYNAMIC_SHAPE_ENABLED set, and differ in
    nothing but extents and strides. The first plan takes as long as one without a cache (some 0.5 s
    for a matrix product), the others less than a millisecond. cuDNN does not support it for
    attention in one operation.

    Kernels are those of an engine with certain knobs, and heuristics may choose others for another
    shape, which are compiled then. Force what the first plan has to compile nothing::

        cache = KernelCache(computation)
        plan = build(computation, kernel_cache=cache)
        chosen = {"engine": plan.engine, "knobs": plan.knobs}
        other = build(computation_of_other_shapes, kernel_cache=cache, **chosen)

    `build` without `kernel_cache` does this by itself; see `SharedKernels`.

    Attributes:
        descriptor: the finalized CUDNN_BACKEND_KERNEL_CACHE_DESCRIPTOR.
    """

    __slots__ = ("descriptor", "kind")

    descriptor: KernelCacheDescriptor
    kind: str

    def __init__(self, computation: Computation) -> None:
        """Make an empty cache for graphs like that of a computation.

        Raises:
            ArgumentError: `computation` is something else.
            NotSupportedError: the loaded release has no such caches for graphs; it says since when.
        """
        Computation.check(computation)
        self.kind = computation.kind
        graph = computation.operation_graph
        self.descriptor = descriptors.make("KERNEL_CACHE", operation_graph=graph)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return a cache that `to_json` wrote, with the release that wrote it.

        Raises:
            BadParamError: cuDNN does not take the text.
            NotSupportedError: the loaded release does not have this yet; it says since when.
        """
        self = cls.__new__(cls)
        self.descriptor = descriptors.make("KERNEL_CACHE", json_representation=text)
        self.kind = ""
        return self

    def check(self, computation: Computation) -> None:
        """Refuse a computation for which kernels of the others here may be wrong; see `errata`.

        Raises:
            ArgumentError: it differs from the first one in more than extents that may change.
        """
        self.kind = self.kind or computation.kind
        if computation.kind and computation.kind != self.kind:
            raise errors.ArgumentError(
                "kernel_cache: expected a graph of products of two matrices, convolutions and "
                "functions of elements that differs from that of the cache in extents alone",
                hint="make another KernelCache for this graph",
            )

    def to_json(self) -> str:
        """Return the graph and the kernels as text.

        Raises:
            NotSupportedError: the loaded release does not have this yet; it says since when.
        """
        text: str = self.descriptor.json_representation
        return text

    def __contains__(self, candidate: Candidate) -> bool:
        """Return whether a plan of a candidate needs no compiler any more."""
        name = active().enum("BackendAttributeName")["KERNEL_CACHE_IS_ENGINECFG_KERNEL_CACHED"]
        type_ = active().enum("BackendAttributeType")["BACKEND_DESCRIPTOR"]
        get = families.BackendDescriptor.get_attribute
        try:
            return get(self.descriptor, name, type_, 1, [candidate.config]).elementCount == 1
        except errors.BadParamError:
            return False

    def __repr__(self) -> str:
        return f"<KernelCache {self.descriptor!r}>"


class SharedKernels(NamedTuple):
    """The kernels of all plans of a kind that `build` made, and the engine that has them.

    Attributes:
        cache: the kernels.
        engine: the index of the engine of the first plan, which the others take too if it supports
            them.
        knobs: values of its knobs by name.
    """

    cache: KernelCache
    engine: int
    knobs: Mapping[str, int]
