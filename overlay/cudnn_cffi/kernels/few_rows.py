"""Products of few rows with what is before and after them, as steps of decoding have them."""

from __future__ import annotations

import math
import struct

from .. import arrays, driver, errors
from ..driver.streams import stream_pointer
from .common import address_of, module_of, refuse_overlaps, type_option
from .launching import Launch, kernel_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..types import Array

_MOST = 8


class FewRows:
    """A product of at most eight rows, y = x w', by a kernel that reads the weights once.

    Before it, rows may be normalized; a gate may multiply it, and an array be added.
    """

    def __init__(
        self, rows: int, depth: int, columns: int, dtype: str = "float16", *,
        epsilon: float | None = None, gate: bool = False, add: bool = False, device: int = 0,
    ) -> None:  # fmt: skip
        """Compile the kernel.

        Args:
            rows: of `x`, 1 to 8.
            depth: the columns of `x`, a multiple of 64.
            columns: of `y`, a multiple of 16.
            dtype: "float16" or "bfloat16", of all arrays; sums are float32.
            epsilon: divides each row of `x` by the square root of the mean of its squares plus
                this, as an RMS norm does whose scale is in the weights; None for none.
            gate: whether y is multiplied by swish(x gate'), with x as it is normalized.
            add: whether an array is added.
            device: its ordinal.

        Raises:
            ArgumentError: an extent is not one of these.
            NotSupportedError: there is no compiler, or the device is older than Ampere.
        """
        if not 1 <= rows <= _MOST:
            raise errors.ArgumentError(f"rows: expected 1 to {_MOST}, got {rows}")
        option = type_option(dtype)
        for name, each, unit in (("depth", depth, 64), ("columns", columns, 16)):
            if each < 1 or each % unit:
                raise errors.ArgumentError(f"{name}: expected a multiple of {unit}, got {each}")
        self._shapes = of_x, of_w, of_y = (rows, depth), (columns, depth), (rows, columns)
        self._sizes = [2 * math.prod(each) for each in (of_x, of_w, of_w, of_y, of_y)]
        self._dtype, self._device, self._epsilon = dtype, device, epsilon or 0.0
        self._has = gate, add
        tiles = 2 if gate or not columns % 32 else 1
        count = columns // (16 if gate else 16 * tiles)
        # One block of a multiprocessor does several in turns, if there are many, or one is enough.
        most = driver.attribute(device, driver.MULTIPROCESSORS)
        threads = 512 if count <= most or count >= 4 * most else 256
        module = module_of(
            "few_rows.cu", device, option, f"-DTHREADS={threads}",
            f"-DTILES={tiles}", f"-DNORM={int(epsilon is not None)}", f"-DGATE={int(gate)}",
            f"-DADD={int(add)}",
        )  # fmt: skip
        blocks = min(count, most * (512 // threads))
        kernel = kernel_of(module, "product", device)
        self._launch = Launch(kernel, device, (blocks, 1, 1), threads)

    def __call__(
        self, x: Array, w: Array, y: Array, *, gate: Array | None = None,
        other: Array | None = None, early: bool = False, stream: object = None,
    ) -> None:  # fmt: skip
        """Put the product into a stream; all arrays are in C order, at multiples of 16 bytes.

        Args:
            x: the rows, (rows, depth).
            w: the weights, (columns, depth).
            y: is written, (rows, columns); it may be `other`.
            gate: the weights of the gate, as `w`.
            other: is added, as `y`.
            early: whether weights may be read before the kernel before it in the stream ends.
            stream: a stream of the device; None for the default one.

        Raises:
            ArgumentError: an array is missing, or not what it is to be.
        """
        of_x, of_w, of_y = self._shapes
        addresses: list[int] = []
        for name, array, shape, has in (
            ("x", x, of_x, True), ("w", w, of_w, True), ("gate", gate, of_w, self._has[0]),
            ("other", other, of_y, self._has[1]), ("y", y, of_y, True),
        ):  # fmt: skip
            if (array is not None) != has:
                raise errors.ArgumentError(
                    f"{name}: expected {'an array' if has else 'None'}, got "
                    f"{'None' if array is None else 'an array'}"
                )
            addresses.append(
                0 if array is None else address_of(name, array, self._dtype, shape, self._device)
            )
        refuse_overlaps(("x", "w", "gate", "other", "y"), addresses, self._sizes, same="other")
        self._launch.put(
            stream_pointer(stream),
            struct.pack("5Q3if", *addresses, of_x[0], of_y[1], of_x[1], self._epsilon),
            overlaps=early,
        )


class Rotation:
    """The rotation of new queries and keys by their positions, which puts keys into a cache."""

    def __init__(
        self, sequences: int, heads: int, kv_heads: int, width: int, dtype: str = "float16", *,
        device: int = 0,
    ) -> None:  # fmt: skip
        """Compile the kernel.

        Args:
            sequences: their number.
            heads: of queries.
            kv_heads: of keys, and of values.
            width: of a head, even.
            dtype: "float16" or "bfloat16".
            device: its ordinal.

        Raises:
            ArgumentError: an extent is not one of these.
            NotSupportedError: there is no compiler, or the device is older than Ampere.
        """
        option = type_option(dtype)
        if width < 2 or width % 2 or min(sequences, heads, kv_heads) < 1:
            raise errors.ArgumentError(
                f"expected numbers above 0 and an even width, got {sequences} sequences, {heads} "
                f"and {kv_heads} heads of width {width}"
            )
        self._extents = sequences, heads, kv_heads, width
        self._dtype, self._device = dtype, device
        kernel = kernel_of(module_of("few_rows.cu", device, option), "rotate", device)
        blocks = heads + 2 * kv_heads, sequences, 1
        self._launch = Launch(kernel, device, blocks, min(128, max(32, width // 2)))

    def __call__(
        self, x: Array, turns: Array, places: Array, q: Array, k: Array, v: Array, *,
        early: bool = False, stream: object = None,
    ) -> None:  # fmt: skip
        """Put it into a stream.

        Args:
            x: the rows of queries, keys and values, (sequences, heads + 2 kv_heads, width).
            turns: for each sequence the cosines of half of the columns, then the sines,
                (sequences, width), float32.
            places: where the first head of keys, and of values, of each sequence goes in `k` and
                in `v`, in elements; int32, of as many elements or more.
            q: the queries are written to it, (sequences, heads, width).
            k, v: pages, (pages, kv_heads, page size, width).
            early: whether it may begin while the kernel before it in the stream ends.
            stream: a stream of the device; None for the default one.

        Raises:
            ArgumentError: an array is not what it is to be.
        """
        sequences, heads, kv_heads, width = self._extents
        pages = arrays.describe(k).shape
        if len(pages) != 4 or pages[1:] != (kv_heads, pages[2], width):
            raise errors.ArgumentError(
                f"k: expected (pages, {kv_heads}, page size, {width}), got {pages}"
            )
        length = arrays.describe(places).shape
        if math.prod(length) < sequences:
            raise errors.ArgumentError(
                f"places: expected {sequences} elements or more, got {length}"
            )
        addresses = [
            address_of(name, each, dtype, shape, self._device)
            for name, each, dtype, shape in (
                ("x", x, self._dtype, (sequences, heads + 2 * kv_heads, width)),
                ("turns", turns, "float32", (sequences, width)),
                ("places", places, "int32", length),
                ("q", q, self._dtype, (sequences, heads, width)),
                ("k", k, self._dtype, pages), ("v", v, self._dtype, pages),
            )
        ]  # fmt: skip
        size = 2 * sequences * width
        sizes = size * (heads + 2 * kv_heads), size * heads
        refuse_overlaps(("x", "q"), (addresses[0], addresses[3]), sizes)
        arguments = struct.pack("6Qq3i4x", *addresses, pages[2] * width, heads, kv_heads, width)
        self._launch.put(stream_pointer(stream), arguments, overlaps=early)
