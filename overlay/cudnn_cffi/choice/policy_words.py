"""The words for what to pick: cuDNN's algorithms, Theano's words, and those of other frameworks."""

from __future__ import annotations

from functools import cache

from .. import errors
from .._advice import said
from .._support.results import NamedTuple
from .._support.wording import meant
from .._tables import newest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, Literal, TypeAlias, TypedDict

    from ..enum_words import (
        ConvolutionBwdDataAlgoLike,
        ConvolutionBwdFilterAlgoLike,
        ConvolutionFwdAlgoLike,
        RNNAlgoLike,
    )
    from ..enums import BackendHeurMode, BackendKnobType
    from ..types import Array, Bytes

    #: The words of `WORDS` and their synonyms.
    ChoiceWord: TypeAlias = Literal[
        "heuristic", "heuristic_once", "time", "time_once", "none", "small", "large", "fft",
        "fft_tiling", "winograd", "winograd_non_fused", "deterministic",
        "autotune", "benchmark", "default", "exhaustive", "guess", "guess_on_shape_change",
        "guess_once", "heuristics", "time_on_shape_change", "winograd_nonfused",
    ]  # fmt: skip

    #: A classic algorithm: a member of its enum, or its name.
    Algorithm: TypeAlias = (
        ConvolutionFwdAlgoLike
        | ConvolutionBwdDataAlgoLike
        | ConvolutionBwdFilterAlgoLike
        | RNNAlgoLike
    )

    #: A word, a classic algorithm or an engine: one thing to pick.
    Pick: TypeAlias = "ChoiceWord | Algorithm | Engine"

    #: A mode of cuDNN's heuristics.
    HeuristicMode: TypeAlias = (
        Literal["A", "B", "FALLBACK", "INSTANT", "a", "b", "fallback", "instant"] | BackendHeurMode
    )

    #: Modes of heuristics, or one.
    Modes: TypeAlias = HeuristicMode | Sequence[HeuristicMode]

    #: Values of knobs by the names of knobs.
    Knobs: TypeAlias = Mapping[str, int] | Mapping[BackendKnobType, int]

    #: Arrays by the names of operands, or in the order of a call.
    Arrays: TypeAlias = Mapping[str, Array] | Sequence[Array | None]

    class RuleSettings(TypedDict, total=False):
        """The fields of a `Rule`, and other words for its `pick`."""

        pick: Pick | int | None
        choose: Pick | int | None
        algorithm: Pick | int | None
        engine: int | Engine | None
        knobs: Knobs | None
        via: Literal["graph", "classic"] | None
        exclude: int | Algorithm | Iterable[int | Algorithm] | None
        deterministic: bool | None
        tensor_cores: bool | None
        tf32: bool | None
        workspace_limit: Bytes | None
        most: int | None
        exact: bool | None
        when: Literal["now", "background"] | None


SECTIONS = ("forward", "data", "filter", "recurrent")

#: The enum with the names of classic algorithms, by section.
ALGORITHMS = {
    "forward": "ConvolutionFwdAlgo",
    "data": "ConvolutionBwdDataAlgo",
    "filter": "ConvolutionBwdFilterAlgo",
    "recurrent": "RNNAlgo",
}

#: Beginnings of the C names of algorithms, and their sections.
_PREFIXES = {"FWD_ALGO_": "forward", "BWD_DATA_ALGO_": "data", "BWD_FILTER_ALGO_": "filter"}

#: Words for a pick, and their meaning.
WORDS = {
    "heuristic": "what cuDNN's heuristics put first, for each shape",
    "heuristic_once": "the same for the first shape; further shapes use that engine or algorithm",
    "time": "the fastest by timing, for each shape",
    "time_once": "the fastest for the first shape; further shapes use that engine or algorithm",
    "none": "the least memory",
    "small": "little workspace",
    "large": "any workspace that memory allows",
    "fft": "Fourier transforms",
    "fft_tiling": "Fourier transforms of tiles",
    "winograd": "Winograd transforms",
    "winograd_non_fused": "Winograd transforms in several kernels",
    "deterministic": "the same bits each time",
}

#: The classic algorithm that Theano's word means, by section.
MEANINGS = {
    "forward": {
        "none": "IMPLICIT_GEMM",
        "small": "IMPLICIT_PRECOMP_GEMM",
        "large": "GEMM",
        "fft": "FFT",
        "fft_tiling": "FFT_TILING",
        "winograd": "WINOGRAD",
        "winograd_non_fused": "WINOGRAD_NONFUSED",
    },
    "data": {
        "none": "ALGO_0",
        "fft": "FFT",
        "fft_tiling": "FFT_TILING",
        "winograd": "WINOGRAD",
        "winograd_non_fused": "WINOGRAD_NONFUSED",
    },
    "filter": {
        "none": "ALGO_0",
        "small": "ALGO_3",
        "fft": "FFT",
        "fft_tiling": "FFT_TILING",
        "winograd_non_fused": "WINOGRAD_NONFUSED",
    },
}

#: Words of Theano, PyTorch and others for the same.
_SYNONYMS = {
    "autotune": "time",
    "benchmark": "time",
    "default": "heuristic",
    "exhaustive": "time",
    "guess": "heuristic",
    "guess_on_shape_change": "heuristic",
    "guess_once": "heuristic_once",
    "heuristics": "heuristic",
    "time_on_shape_change": "time",
    "winograd_nonfused": "winograd_non_fused",
}


class Engine(NamedTuple):
    """An engine of cuDNN's, with values of knobs as pairs of name and value."""

    number: int
    knobs: tuple[tuple[str, int], ...] = ()

    def __str__(self) -> str:
        knobs = ",".join(f"{name}={value}" for name, value in self.knobs)
        return f"engine {self.number}{f' ({knobs})' if knobs else ''}"


@cache
def algorithm_names(section: str) -> tuple[str, ...]:
    """Return the names of the classic algorithms of a section."""
    members = newest().enum(ALGORITHMS[section]).__members__
    return tuple(name for name in members if name != "COUNT")


def to_pick(value: Any, section: str, *, strict: bool = True) -> tuple[Any, bool]:
    """Return what a value picks in a section, and whether the section has it.

    Raises:
        ArgumentError: no section has it; or, where that is strict, this one has not.
    """
    if value is None:
        return None, True
    if isinstance(value, Engine):
        return to_engine(*value), True
    owner = type(value).__name__
    if owner in ALGORITHMS.values():  # a member of an enum
        fits = ALGORITHMS[section] == owner
        if (not fits and strict) or (fits and value.name not in algorithm_names(section)):
            raise no_word(value, section)
        return (value.name, True) if fits else (None, False)
    if isinstance(value, int) and not isinstance(value, bool):
        return _of_number(value, section, strict), True
    if not isinstance(value, str):
        raise no_word(value, section)
    word = value.strip().lower().replace("-", "_").replace(" ", "_")
    word = _SYNONYMS.get(word, word)
    upper = value.strip().upper().removeprefix("CUDNN_CONVOLUTION_")
    upper = upper.removeprefix("CUDNN_").removeprefix("RNN_ALGO_")
    sections: tuple[str, ...] = SECTIONS
    for prefix, own in _PREFIXES.items():
        if upper.startswith(prefix):
            rest = upper.removeprefix(prefix)
            upper = f"ALGO_{rest}" if rest.isdigit() else rest
            word = ""
            sections = (own,)  # FFT is an algorithm of all, CUDNN_CONVOLUTION_FWD_ALGO_FFT of one
    # Upper case names an algorithm, lower case is the word, which may have others in its place.
    if word in WORDS and not (value.isupper() and upper in algorithm_names(section)):
        return word, True
    known = [each for each in sections if upper in algorithm_names(each)]
    if section in known:
        return upper, True
    if strict or not known:
        raise no_word(value, section)
    return None, False


def to_engine(index: object, knobs: object) -> Engine:
    """Return an engine with its knobs in order, of a mapping or of pairs.

    Raises:
        ArgumentError: that is no index, or these are no knobs.
    """
    if isinstance(index, Engine):
        return to_engine(index.number, knobs or index.knobs)
    if not isinstance(index, int) or isinstance(index, bool) or index < 0:
        raise errors.ArgumentError(f"engine: expected an index, got {index!r}")
    try:
        pairs = dict({} if knobs is None else knobs)  # type: ignore[call-overload]
    except (TypeError, ValueError):
        pairs = {"": None}
    if not all(type(each) is int for each in pairs.values()):
        raise errors.ArgumentError(
            f"knobs: expected whole numbers by the names of knobs, got {knobs!r}"
        )
    return Engine(index, tuple(sorted((str(getattr(a, "name", a)), b) for a, b in pairs.items())))


def _of_number(value: int, section: str, strict: bool) -> str:
    """Return the algorithm of a section with a number, as cudnn.h numbers them."""
    enum = ALGORITHMS[section]
    if not strict:
        raise errors.ArgumentError(
            f"choice: the number {value} may be an engine or an algorithm",
            hint=f'write choose={{"engine": {value}}} for the engine, and '
            f'choose={{"forward": {value}}} or a member of {enum} for the algorithm',
        )
    numbers = {int(newest().enum(enum)[name]): name for name in algorithm_names(section)}
    if value not in numbers:
        raise errors.ArgumentError(
            f"choice of {section}: expected the number of an algorithm, got {value}",
            hint=", ".join(f"{number} {name}" for number, name in numbers.items()),
        )
    return numbers[value]


def no_word(value: object, section: str) -> errors.ArgumentError:
    """Return the error about a pick that no section, or not this one, has."""
    if hasattr(value, "__enter__"):
        return errors.ArgumentError(
            f"choice of {section}: expected a pick or a mapping of settings, got a scope",
            hint='scopes are for "with"; write choose={"engine": 3, "knobs": {"TILE_SIZE": 2}}',
        )
    algorithms = algorithm_names(section)
    others = [each for each in SECTIONS if str(value).upper() in algorithm_names(each)]
    if others:
        near = f"it is an algorithm of {' and '.join(others)}; "
    else:
        every = [name for each in SECTIONS for name in algorithm_names(each)]
        near = meant(value, (*WORDS, *_SYNONYMS, *algorithms, *every), said("pick"))
    return errors.ArgumentError(
        f"choice of {section}: {value!r} is neither a word for a choice nor an algorithm",
        hint=f"{near}words: {', '.join(WORDS)}; algorithms: {', '.join(algorithms)}; or engine=, "
        "with knobs=",
    )
