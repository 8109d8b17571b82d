"""Attention of one query of each of a few sequences, whose keys the blocks of clusters divide."""

from __future__ import annotations

import math
import struct

from .. import arrays, errors
from .._support.arguments import reals
from ..driver.streams import stream_pointer
from .common import address_of, module_of, refuse_overlaps, type_option
from .launching import Launch, kernel_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..types import Array

#: Threads of a block, and blocks of a cluster: the larger ones if all compute at the same time.
_THREADS, _CLUSTER, _LARGE = 256, 8, 16

#: The heads of queries that may share a head of keys.
_MOST = 8


class OneQuery:
    """Attention of one query of each sequence over keys and values in pages, by one kernel.

    Sixteen blocks divide the keys of a sequence and a head, or eight if not all compute at the same
    time, and add their sums in a fixed order. The newest queries and keys may be rotated by it, and
    keys and values be put into the pages.
    """

    def __init__(
        self, sequences: int, heads: int, kv_heads: int, width: int, page: int, pages: int,
        dtype: str = "float16", *, scale: float | None = None, rotates: bool = False,
        waits: bool = False, device: int = 0,
    ) -> None:  # fmt: skip
        """Compile the kernel.

        Args:
            sequences: their number.
            heads: of queries, a multiple of those of keys, at most eight times as many.
            kv_heads: of keys, and of values.
            width: of a head, 64 or 128.
            page: how many keys a page has.
            pages: of the longest sequence; the columns of the page table.
            dtype: "float16" or "bfloat16".
            scale: of the scores; 1 / sqrt(width) without it.
            rotates: whether it does what a `Rotation` does before it.
            waits: whether calls begin early, but read nothing before the kernels before them in
                the stream have ended.
            device: its ordinal.

        Raises:
            ArgumentError: an extent is not one of these.
            NotSupportedError: there is no compiler, or the device is older than Hopper.
        """
        option = type_option(dtype)
        if width not in (64, 128):
            raise errors.ArgumentError(f"width: expected 64 or 128, got {width}")
        extents = sequences, kv_heads, page, pages
        if min(extents) < 1 or heads % kv_heads or not 1 <= heads // kv_heads <= _MOST:
            raise errors.ArgumentError(
                f"expected numbers above 0, and 1 to {_MOST} heads for each of keys, got "
                f"{sequences} sequences, {heads} and {kv_heads} heads, {pages} pages of {page} keys"
            )
        if scale is not None and not 0 < reals(scale=scale)[0] < math.inf:
            raise errors.ArgumentError(f"scale: expected a number above 0, got {scale}")
        self._extents, self._dtype, self._device = extents, dtype, device
        self._heads, self._width, self._rotates, self._waits = heads, width, rotates, waits
        self._scale = (1 / math.sqrt(width) if scale is None else scale) * math.log2(math.e)
        options = (
            option, f"-DGROUP={heads // kv_heads}", f"-DWIDTH={width}", f"-DPAGE={page}",
            f"-DROTATES={int(rotates)}", f"-DWAITS={int(waits)}",
        )  # fmt: skip

        def launch(cluster: int) -> Launch:
            size = f"-DCLUSTER={cluster}"
            module = module_of("one_query.cu", device, *options, size, least=(9, 0))
            kernel = kernel_of(module, "attend", device, cluster=cluster)
            return Launch(kernel, device, (kv_heads, sequences, cluster), _THREADS, cluster=cluster)

        large = launch(_LARGE)
        fits = large.clusters() >= sequences * kv_heads
        self.launch = large if fits else launch(_CLUSTER)

    def words(self, *words: str | int, early: bool = False) -> tuple[str | int, ...]:
        """Return the argument of the kernel, in words of 64 bits.

        Args:
            words: the addresses of `q`, `k`, `v`, the page table, lengths, turns or 0, and `o`; and
                steps in elements, of pages, heads and keys.
            early: as for a call.
        """
        (scale,) = struct.unpack("I", struct.pack("f", self._scale))
        return *words, scale | self._extents[3] << 32, int(early and not self._waits)

    def __call__(
        self, q: Array, k: Array, v: Array, page_table: Array, lengths: Array, o: Array, *,
        turns: Array | None = None, early: bool = False, stream: object = None,
    ) -> None:  # fmt: skip
        """Put it into a stream; lengths and page indices are read on the device, unchecked.

        Args:
            q: the queries, (sequences, heads, width); if it rotates, the rows of queries, keys and
                values, (sequences, heads + 2 kv_heads, width).
            k, v: pages, (pages, kv_heads, page size, width), both with the same strides; the last
                stride is 1. If it rotates, the last key of each sequence is written.
            page_table: the pages of each sequence, (sequences, pages of the longest), int32.
            lengths: how many keys each sequence has, (sequences,), int32. A result of none is
                zeros.
            o: is written, (sequences, heads, width).
            turns: if it rotates, for each sequence the cosines of half of the columns, then the
                sines, (sequences, width), float32.
            early: whether it may begin while kernels before it in the stream end, which may write
                queries and the newest key and value of a sequence, and nothing else that is read.
                One that waits begins early in any case.
            stream: a stream of the device; None for the default one.

        Raises:
            ArgumentError: an array is not what it is to be.
        """
        sequences, kv_heads, page, pages = self._extents
        if (turns is not None) != self._rotates:
            raise errors.ArgumentError(
                f"turns: expected {'an array' if self._rotates else 'None'}, got "
                f"{'None' if turns is None else 'an array'}"
            )
        rows = self._heads + 2 * kv_heads * self._rotates
        given = [
            0 if each is None else address_of(name, each, dtype, shape, self._device)
            for name, each, dtype, shape in (
                ("q", q, self._dtype, (sequences, rows, self._width)),
                ("page_table", page_table, "int32", (sequences, pages)),
                ("lengths", lengths, "int32", (sequences,)),
                ("turns", turns, "float32", (sequences, self._width)),
                ("o", o, self._dtype, (sequences, self._heads, self._width)),
            )
        ]
        size = 2 * sequences * self._width
        refuse_overlaps(("q", "o"), (given[0], given[4]), (size * rows, size * self._heads))
        pools = [arrays.describe(each) for each in (k, v)]
        steps = pools[0].strides
        for name, each in zip("kv", pools, strict=True):
            if (
                each.dtype != self._dtype
                or each.shape[1:] != (kv_heads, page, self._width)
                or each.strides != steps
                or steps[-1] != 1
                or any(step % 8 for step in steps[:-1])
                or each.address % 16
                or each.device not in (None, self._device)
            ):
                raise errors.ArgumentError(
                    f"{name}: expected (pages, {kv_heads}, {page}, {self._width}) of {self._dtype} "
                    f"on device {self._device}, with the strides of k, multiples of 8 but for a "
                    f"last one of 1, at a multiple of 16 bytes, got {each}"
                )
        words = self.words(
            given[0], *[each.address for each in pools], *given[1:], *steps[:3], early=early
        )
        arguments = struct.pack(f"{len(words)}Q", *words)
        self.launch.put(stream_pointer(stream), arguments, overlaps=early or self._waits)
