"""Engines and functions of cuDNN that were measured to be wrong for some arrays.

They are not chosen for those. An entry holds for all releases and all architectures until others
are measured to be right: `first`, `last` and `architectures` limit it then. Other engines or
functions compute what it leaves out, or the error names the workaround. Entries for graphs as a
whole are in `graphs`.
"""

from __future__ import annotations

from .... import driver, library
from . import attention, convolution, functions, matmul, pointwise, window
from .record import ALIGNMENT, MEASURED, Erratum, kinds_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from .... import backend
    from ....plan import Computation
    from .record import Call as Call

__all__ = [
    "ERRATA",
    "MEASURED",
    "Erratum",
    "errata_of",
    "is_wrong",
    "misalignment",
    "wrong_engines",
    "wrong_function",
]

ERRATA = (
    *convolution.ERRATA,
    *window.ERRATA,
    *matmul.ERRATA,
    *attention.ERRATA,
    *pointwise.ERRATA,
    *functions.ERRATA,
)

_CONVOLUTIONS = frozenset(
    f"Convolution{way}" for way in ("Forward", "BackwardData", "BackwardFilter")
)
_ANYWHERE = frozenset({"Pointwise", "Reduction", "Matmul"})
_ATTENTION = frozenset({"SDPAFwd", "SDPABwd"})


def _operations(computation: Computation) -> Sequence[backend.OperationDescriptor]:
    return getattr(computation.operation_graph, "ops", None) or ()


def misalignment(computation: Computation) -> str:
    """Return why no engine is to compute a graph whose arrays may lie anywhere; "" where one may.

    Engines say that they take arrays of any alignment. Engines of a convolution alone, of pointwise
    operations, reductions and one product do, but for `ERRATA`. Some of those of other graphs end
    the context (a convolution with its bias, pooling, norms), refuse to run, or compute wrong
    numbers (attention). This was measured with cuDNN 9.19.0 on an H200.
    """
    kinds = kinds_of(_operations(computation))
    products = kinds.count("Matmul")
    is_attention = _ATTENTION.intersection(kinds) or products > 1
    if (len(kinds) == 1 and kinds[0] in _CONVOLUTIONS) or (
        products <= 1 and _ANYWHERE.issuperset(kinds)
    ):
        return ""
    for each in computation.operands:
        # The lowest bit of an offset is the alignment of a view.
        alignment = min([each.alignment, *[offset & -offset for _, offset in each.views if offset]])
        if each.is_argument and not each.by_value and alignment < ALIGNMENT:
            if is_attention and (each.data_type not in ("HALF", "BFLOAT16") or len(each.shape) < 4):
                continue  # what is read element by element
            return (
                f"{each.name}: its engines read arrays at multiples of {ALIGNMENT} bytes "
                f"only, got an alignment of {alignment}; copy the array"
            )
    return ""


def wrong_engines(computation: Computation) -> dict[int, str]:
    """Return the engines not to choose for a computation, and why."""
    operations = _operations(computation)
    found: dict[int, str] = {}
    for each in _valid(lambda: _capability_of(computation)):
        if each.engine is not None and any(
            type(one).__name__ == each.subject and each.applies(one, operations)
            for one in operations
        ):
            found.setdefault(each.engine, each.reason)
    return found


def wrong_function(
    name: str, call: Call, device: int | None = None, release: int | None = None
) -> str:
    """Return why a function is not to be called; "" where nothing speaks against it.

    Args:
        name: the C name, or that of a function of `ops` or node of graphs.
        call: what entries for that function ask about, by name.
        device: the ordinal of the device; None for an unknown one.
        release: as cudnnGetVersion numbers it; None for the one that is loaded.
    """
    return next((each.reason for each in errata_of(name, call, device, release)), "")


def errata_of(
    name: str, call: Call, device: int | None = None, release: int | None = None
) -> Iterator[Erratum]:
    """Yield the entries that hold for a call of a function; see `wrong_function`."""
    known = (lambda: None) if device is None else (lambda: driver.compute_capability(device))
    for each in _valid(known, release):
        if each.subject == name and each.applies(call):
            yield each


def is_wrong(computation: Computation, engine: int) -> bool:
    """Return whether an engine is not to be chosen for a computation."""
    return bool(misalignment(computation)) or engine in wrong_engines(computation)


def _valid(
    capability: Callable[[], tuple[int, int] | None], release: int | None = None
) -> Iterator[Erratum]:
    number = library.load().number if release is None else release
    return (each for each in ERRATA if each.concerns(number, capability))


def _capability_of(computation: Computation) -> tuple[int, int] | None:
    if computation.device is not None:
        return computation.device.compute_capability
    assert computation.handle is not None
    return driver.compute_capability(computation.handle.device)
