"""Attention of the last queries of sequences, whose keys in pages blocks share evenly."""

from __future__ import annotations

import math
import struct

from .common import module_of, type_option
from .launching import Launch, kernel_of

#: Warps of a block, and tiles of keys that a team of them has in memory.
_WARPS, _STAGES = 8, 3

#: Warps of a group that adds parts, each of eight columns, and parts that it reads at a time.
_ADDING = 4

#: The bytes of keys and values up to which calls take less time if these leave the cache first.
_FIRST = 1 << 30

#: Rows of a warp, which are queries of heads that share a head of keys.
_ROWS = 16

#: Maximum rows of a block, by the width of heads. More than 32 of width 64 were wrong on an H200,
#: because CUDA 12.3 to 13.0 compiled the kernel to overwrite queries after the first tile. It reads
#: them again for each tile now, which has not been run on a device yet.
MOST_ROWS = {64: 32, 128: 64}


def _shares(heads: int, blocks: int) -> int:
    """Return how many blocks a head has: few, of which nearly all compute at the same time.

    Args:
        heads: of keys.
        blocks: those that compute at the same time.
    """
    least = max(1, blocks // heads)
    for shares in range(least, least + 16):
        if 10 * (-heads * shares % blocks) <= heads * shares:
            return shares
    return least


class LastQueries:
    """Attention of a few queries of each sequence over keys and values in pages, by two kernels.

    Blocks of a head have equally many tiles of keys, but for the last one. The second kernel adds
    what several blocks have computed of a sequence and a head, in a fixed order.

    Attributes:
        launches: the two kernels.
        sizes: of the memory that is between them, in bytes: parts of results, and of sums.
    """

    def __init__(
        self, sequences: int, queries: int, heads: int, kv_heads: int, width: int, page: int,
        pages: int, dtype: str, *, scale: float, blocks: int, device: int = 0,
    ) -> None:  # fmt: skip
        """Compile the kernels.

        Args:
            sequences: their number.
            queries: of each sequence, the last one for its last key.
            heads: of queries, a multiple of those of keys; for each of these, they times `queries`
                are at most `MOST_ROWS`.
            kv_heads: of keys, and of values.
            width: of a head, 64 or 128.
            page: how many keys a page has.
            pages: of the longest sequence; the columns of the page table.
            dtype: "float16" or "bfloat16".
            scale: of the scores, above 0.
            blocks: those that compute at the same time.
            device: its ordinal.

        Raises:
            NotSupportedError: there is no compiler, or the device is older than Hopper.
        """
        group = heads // kv_heads
        rows = group * queries
        sides = 4 if rows > 2 * _ROWS else -(-rows // _ROWS)
        teams, columns = _WARPS // sides, width // 8
        shares = _shares(kv_heads, blocks)
        blocks = kv_heads * shares
        # The parts of a sequence and head, if all have as many keys.
        adders = 4 if shares // sequences > _ADDING else 1
        first = int(sequences * pages * page * kv_heads * width * 4 <= _FIRST)
        module = module_of(
            "last_queries.cu", device, type_option(dtype), f"-DGROUP={group}",
            f"-DQUERIES={queries}", f"-DWIDTH={width}", f"-DPAGE={page}", f"-DADDERS={adders}",
            f"-DFIRST={first}", least=(9, 0), own=True,
        )  # fmt: skip
        # Tiles of keys and values; and half of what each warp has found, with its sums.
        shared = teams * _STAGES * 2 * (_ROWS * sides) * 2 * width
        shared += _WARPS * (columns // 2 * 512 + 128)
        copying = sides if sides == 4 else 0  # warps that copy, which need barriers
        shared += 24 * teams * _STAGES if copying else 0
        self.launches = (
            Launch(
                kernel_of(module, "attend", device, shared), device, (blocks, 1, 1),
                32 * (_WARPS + copying), shared=shared,
            ),
            Launch(
                kernel_of(module, "add", device), device,
                (min(blocks, sequences * kv_heads), sides, columns // _ADDING),
                32 * _ADDING * adders,
            ),
        )  # fmt: skip
        parts = 2 * blocks * sides
        self.sizes = parts * columns * 512, parts * 128
        self._numbers = (
            *struct.unpack("I", struct.pack("f", scale * math.log2(math.e))),
            sequences, kv_heads, pages, shares, 0,
        )  # fmt: skip

    def words(self, *words: str | int) -> tuple[str | int, ...]:
        """Return the argument of both kernels, in words of 64 bits.

        Args:
            words: the addresses of `q`, `k`, `v`, the page table, lengths, `o`, and of what is
                between the kernels; and steps in elements, of sequences, heads and queries of `q`
                and of `o`, and of pages, heads and keys.
        """
        pairs = zip(self._numbers[::2], self._numbers[1::2], strict=True)
        return *words, *[low | high << 32 for low, high in pairs]
