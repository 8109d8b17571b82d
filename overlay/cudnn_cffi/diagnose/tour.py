"""A first minute with cuDNN: `python -m cudnn_cffi try`.

The tour shows the release, the devices and the engines of a convolution. With a GPU it times them,
and compares a small convolution with plain Python. It imports PyTorch or CuPy if they are there.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, metadata
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from .. import errors
from .._support.output import write
from .info import Info, collect

if TYPE_CHECKING:
    from ..ops import Candidate

#: The convolution whose engines are listed: images, filters, and its maximum of rows.
IMAGES, FILTERS, ROWS = (8, 64, 56, 56), (64, 64, 3, 3), 8

#: The GPU that is described where there is none.
DESCRIBED = "H200"

#: Extents of the convolution that is compared with plain Python.
CHANNELS, SIZE, KERNEL = 2, 6, 3

#: Differences of float32 are below this.
LIMIT = 1e-4


@dataclass(frozen=True)
class Engine:
    """A way to compute the convolution; times are in microseconds, None without a GPU."""

    name: str
    workspace: int | None
    deterministic: bool | None
    math: str
    time: float | None


@dataclass(frozen=True)
class Tour:
    """All that the tour found.

    Attributes:
        release, path, calls: of libcudnn, and how it is called.
        devices: the names of the GPUs.
        why: why there is none, or "".
        check: the result of the comparison with plain Python; "" without a GPU.
        engines: of the convolution, on the first GPU or on the described one.
        count: how many there are in all.
        problem: why there are none, or "".
    """

    release: str
    path: str
    calls: str
    devices: tuple[str, ...]
    why: str
    check: str
    engines: tuple[Engine, ...]
    count: int
    problem: str = ""


def main(*, as_json: bool = False) -> int:
    """Take the tour and print it; return 0, or 1 where no libcudnn can be loaded."""
    info = collect()
    if not info.library.version:
        write(f"libcudnn cannot be loaded: {info.library.text}\n")
        if info.library.hint:
            write(f"hint: {info.library.hint}\n")
        return 1
    found = take(info)
    write(f"{json.dumps(asdict(found), indent=2)}\n" if as_json else to_text(found))
    return 0


def take(info: Info) -> Tour:
    """Return what the tour finds in this process."""
    devices = tuple(device.name for device in info.driver.devices)
    engines: tuple[Engine, ...] = ()
    count, problem = 0, ""
    try:
        every = _candidates(with_gpu=bool(devices))
        count = len(every)
        if devices:
            every.sort(key=lambda each: float("inf") if each.time is None else each.time)
        first: dict[str, Engine] = {}  # of each engine, the knobs that come first
        for each in every:
            row = Engine(each.name, each.workspace, each.deterministic, each.math, each.time)
            first.setdefault(each.name, row)
        engines = tuple(first.values())[:ROWS]
    except errors.CudnnError as error:
        problem = error.message
    return Tour(
        release=info.library.version,
        path=info.library.path,
        calls=info.package.calls,
        devices=devices,
        why=info.driver.problem,
        check=_compare() if devices else "",
        engines=engines,
        count=count,
        problem=problem,
    )


def _candidates(*, with_gpu: bool) -> list[Candidate]:
    """Return the supported candidates of the convolution.

    Raises:
        NotSupportedError: there are none; it tells why no graph computes it.
    """
    from .. import ops

    x = ops.Spec.like(IMAGES, "float16", "NHWC")
    w = ops.Spec.like(FILTERS, "float16", "NHWC")
    where: dict[str, Any] = {"time": True, "seconds": 5} if with_gpu else {"device": DESCRIBED}
    found = ops.candidates("convolution", x, w, padding=1, **where)
    supported = [each for each in found if each.supported]
    if not supported:
        # Classic functions say no more than that they need a GPU.
        reasons = sorted(found, key=lambda each: each.via != "graph")
        raise errors.NotSupportedError(next((each.reason for each in reasons), "none is known"))
    return supported


def _compare() -> str:
    """Compute a convolution on the GPU and in plain Python; say how far they are apart."""
    library = next((name for name in ("torch", "cupy") if find_spec(name)), "")
    if not library:
        return "install PyTorch or CuPy to compute here"
    from .. import ops

    chance = random.Random(0)
    shapes = (1, CHANNELS, SIZE, SIZE), (CHANNELS, CHANNELS, KERNEL, KERNEL)
    x, w = (_numbers(shape, chance) for shape in shapes)
    arrays = import_module(library)
    options = {"device": "cuda"} if library == "torch" else {}
    make = arrays.tensor if library == "torch" else arrays.array
    try:
        given = [make(each, dtype=arrays.float32, **options) for each in (x, w)]
        y = ops.convolution(*given, padding=1, choose={"tf32": False}).tolist()
    except Exception as error:  # of the library too, whatever it raises
        return f"{type(error).__name__}: {errors.first_line(error)}"
    exact = _convolve(x[0], w)
    pairs = zip(_flat(y[0]), _flat(exact), strict=True)
    distance = max(abs(one - other) for one, other in pairs)
    verdict = "right" if distance < LIMIT else "WRONG"
    return f"a convolution with {library} is {verdict}: the largest difference is {distance:.1e}"


def _numbers(shape: Sequence[int], chance: random.Random) -> Any:
    if not shape:
        return chance.uniform(-1, 1)
    return [_numbers(shape[1:], chance) for _ in range(shape[0])]


def _convolve(x: Any, w: Any) -> list[list[list[float]]]:
    """Return the convolution of one image with a padding of 1."""

    def at(channel: int, row: int, column: int) -> float:
        inside = 0 <= row < SIZE and 0 <= column < SIZE
        return float(x[channel][row][column]) if inside else 0.0

    taps = [(c, i, j) for c in range(CHANNELS) for i in range(KERNEL) for j in range(KERNEL)]
    return [
        [
            [
                sum(each[c][i][j] * at(c, row + i - 1, column + j - 1) for c, i, j in taps)
                for column in range(SIZE)
            ]
            for row in range(SIZE)
        ]
        for each in w
    ]


def _flat(values: Any) -> Iterator[float]:
    if isinstance(values, list):
        for each in values:
            yield from _flat(each)
    else:
        yield float(values)


def to_text(found: Tour) -> str:
    """Return the tour as lines of text."""
    return "".join(f"{line}\n" for line in _lines(found))


def _lines(found: Tour) -> Iterator[str]:
    from ..choice.record_table import format_bytes

    yield f"cuDNN {found.release}, {found.calls}: {found.path}"
    yield f"GPU: {', '.join(found.devices)}" if found.devices else f"GPU: none ({found.why})"
    if found.check:
        yield f"Check: {found.check}"
    yield ""
    if not found.devices:
        yield "Nothing can be computed without a GPU; names, descriptors, errors and commands work."
        yield ""
    where = "here" if found.devices else f"on an {DESCRIBED}"
    shape = "x".join(map(str, IMAGES))
    if found.problem:
        yield f"Engines of a convolution cannot be listed {where}:"
        yield f"  {found.problem}"
        yield "hint: `python -m cudnn_cffi doctor` says what to install for that"
    else:
        yield f"A 3x3 convolution of {shape} float16, channels last, {where}:"
        yield f"{found.count} ways to compute it; the first engines, each with its first knobs:"
        yield f"  {'name':<24}{'time us':>8}{'workspace':>12}  {'same bits':<10} math"
        for each in found.engines:
            time = "-" if each.time is None else f"{each.time:.1f}"
            same = {None: "?", True: "yes", False: "no"}[each.deterministic]
            size = format_bytes(each.workspace)
            yield f"  {each.name:<24}{time:>8}{size:>12}  {same:<10} {each.math or '-'}"
        yield "same bits: whether each run gives the same result to the last bit"
        if not found.devices:
            yield "times are measured where there is a GPU"
    yield ""
    yield "Next:"
    yield "  python -m cudnn_cffi doctor                 checks the installation"
    yield "  python -m cudnn_cffi history cudnnCreate    shows when a name appeared and changed"
    yield f"  {documents():<43} has the tutorial"


def documents() -> str:
    """Return the address of the documentation that the metadata have, else its place."""
    try:
        links = metadata("cudnn-cffi").get_all("Project-URL") or []
    except PackageNotFoundError:
        links = []
    found = (each.partition(", ")[2] for each in links if each.startswith("Documentation,"))
    return next(found, "docs/tutorial.md of the repository")
