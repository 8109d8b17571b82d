"""Python names for C names: derived by rules, and the same whatever was generated first.

The names of enum members depend on the prefix that all enumerators of an enum share, and a new
release may add one that shares less. So the oldest release that has the enum decides: what is
named once keeps its name, and an enumerator without the prefix its whole name after CUDNN_.
"""

from __future__ import annotations

import functools
import keyword
import re
from collections.abc import Iterable
from itertools import takewhile

from cudnn_cffi.api import model


def class_name(c_name: str) -> str:
    """cudnnTensorDescriptor_t -> TensorDescriptor, libraryPropertyType -> LibraryPropertyType."""
    name = c_name.removeprefix("cudnn").removesuffix("_t") or c_name
    return _escaped(name[0].upper() + name[1:], _CLASSES)


def snake(name: str) -> str:
    """RNNSetClip_v8 -> rnn_set_clip_v8, SetTensor4d -> set_tensor_4d."""
    name = re.sub(
        r"(?<=[a-z])(?=[A-Z0-9])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[0-9]d)(?=[A-Z])", "_", name
    )
    name = re.sub(r"(?<=[a-z])_?([0-9]+)_?([a-z])_", r"_\1\2_", name)
    return re.sub(r"_+", "_", name).strip("_").lower().replace("_v_", "_v")


def prefixes(apis: Iterable[model.Api]) -> dict[str, str]:
    """For each enum and flag set, what its members have in front in C. Oldest release first."""
    found: dict[str, str] = {}
    for api in apis:
        groups = [(enum.name, enum.enumerators) for enum in api.enums]
        groups += [(flags.name, flags.members) for flags in api.flags]
        for name, members in groups:
            if name not in found:
                found[name] = _shared_prefix(name, [member.name for member in members])
    return dict(sorted(found.items()))


def _shared_prefix(name: str, enumerators: list[str]) -> str:
    shared = shared_words([enumerator.split("_") for enumerator in enumerators])
    if len(enumerators) == 1:
        shared = _own_words(name, shared)
    return "".join(word + "_" for word in shared)


def shared_words(names: Iterable[list[str]]) -> list[str]:
    """Return the words that all names begin with; of each name one word more is left."""
    columns = zip(*(words[:-1] for words in names), strict=False)
    return [column[0] for column in takewhile(lambda column: len({*column}) == 1, columns)]


def _own_words(name: str, words: list[str]) -> list[str]:
    """Return the leading words of an enum's single enumerator that are in the enum's name, too."""
    text = class_name(name).lower()
    taken = 0
    for word in words:
        if word != "CUDNN" and not text.startswith(word.lower()):
            break
        text = text.removeprefix(word.lower())
        taken += 1
    return words[:taken]


@functools.cache
def member_name(enumerator: str, prefix: str) -> str:
    """CUDNN_DATA_FLOAT with CUDNN_DATA_ -> FLOAT."""
    if not enumerator.startswith(prefix) or len(enumerator) <= len(prefix):
        prefix = ""
    start = len(prefix or "CUDNN_") if enumerator.startswith(prefix or "CUDNN_") else 0
    while start and not enumerator[start : start + 1].isalpha():  # keep one word more, ALGO_0
        start = enumerator.rfind("_", 0, start - 1) + 1
    return _escaped(enumerator[start:], _ENUM)


def module_name(version: str) -> str:
    """9.28.0 -> v9_28_0."""
    return "v" + version.replace(".", "_")


def header_module(header: str) -> str:
    """cudnn_ops_infer.h -> ops_infer, cudnn.h -> core."""
    stem = header.removesuffix(".h")
    if stem == "cudnn":
        return "core"
    name = stem.removeprefix("cudnn_")
    if name != "core" and name.isidentifier() and name.isascii() and name[0] != "_":
        return _escaped(name, frozenset())
    return "header_" + "".join(c if c.isalnum() and c.isascii() else f"_{ord(c):x}" for c in name)


# Names that must not meet others ------------------------------------------------------------------
#
# Names of emitted code and of the runtime begin with an underscore, or are names of cuDNN's, or are
# listed here. Names that come from headers are kept away from all of these: each such name gets an
# underscore at its end, and so does one that is told from it by underscores only, so that two names
# of C never become one of Python's.

#: Classes of the package that are no types of cuDNN's; its exceptions have longer names than types.
_CLASSES = frozenset(
    {"DeviceArray", "DeviceProperties", "Event", "Graph", "Network", "Plan", "Stream"}
)

#: Names of Python that emitted functions and methods use.
_FUNCTION = frozenset({"int", "map", "max", "min", "self", "tuple"})

#: Attributes of all enum members that are no underscored names; a member would hide them.
_ENUM = frozenset(
    {"as_integer_ratio", "bit_count", "bit_length", "conjugate", "denominator", "from_bytes"}
    | {"imag", "is_integer", "mro", "name", "numerator", "real", "to_bytes", "value"}
)

#: Attributes of all families.
_FAMILY = frozenset({"address", "close", "closed", "from_address"})

#: Attributes of all structs.
_RECORD = frozenset({"address"})


def _escaped(name: str, taken: frozenset[str]) -> str:
    bare = name.rstrip("_")
    return name + "_" if bare in taken or keyword.iskeyword(bare) else name


def _ascii(name: str) -> str:
    """C allows $ and letters of all scripts; Python takes some of these as equal."""
    return re.sub(r"[^0-9A-Za-z_]", lambda found: f"_{ord(found[0]):x}_", name)


def parameter_name(name: str) -> str:
    """dataType -> dataType, lambda -> lambda_, _out -> arg_out."""
    name = _ascii(name)
    if re.match(r"(arg)*_", name):
        return f"arg{name}"
    bare = name.rstrip("_")
    if bare.startswith("cudnn") or bare.endswith("Result"):  # functions and what they return
        return name + "_"
    return _escaped(name, _FUNCTION)


def method_name(name: str) -> str:
    """Return the name of a method, which may be none of the runtime's own."""
    return _escaped(name, _FAMILY)


def field_name(name: str) -> str:
    """Return the name of a struct's field, which may be none of the runtime's own."""
    name = _ascii(name)
    return f"field{name}" if re.match(r"(field)*_", name) else _escaped(name, _RECORD)
