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

from cudnn_cffi.api import model


def class_name(c_name: str) -> str:
    """cudnnTensorDescriptor_t -> TensorDescriptor, libraryPropertyType -> LibraryPropertyType."""
    name = c_name.removeprefix("cudnn").removesuffix("_t")
    return name[0].upper() + name[1:]


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
    words = [enumerator.split("_") for enumerator in enumerators]
    limit = min(len(each) for each in words) - 1  # a name must be left
    shared: list[str] = []
    for place in range(limit):
        if len({each[place] for each in words}) > 1:
            break
        shared.append(words[0][place])
    if len(enumerators) == 1:
        shared = _own_words(name, shared)
    return "".join(word + "_" for word in shared)


def _own_words(name: str, words: list[str]) -> list[str]:
    """Of the single enumerator of an enum, the leading words that also are in the enum's name."""
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
    if prefix and enumerator.startswith(prefix) and len(enumerator) > len(prefix):
        name = enumerator[len(prefix) :]
    else:
        name = enumerator.removeprefix("CUDNN_")
    while name[0].isdigit() and name != enumerator:  # no name: keep one word more, ALGO_0
        kept = enumerator.removesuffix(name).rstrip("_").rpartition("_")[2]
        name = f"{kept}_{name}"
    return name + "_" if keyword.iskeyword(name) else name


def module_name(version: str) -> str:
    """9.28.0 -> v9_28_0."""
    return "v" + version.replace(".", "_")


def header_module(header: str) -> str:
    """cudnn_ops_infer.h -> ops_infer, cudnn.h -> cudnn."""
    stem = header.removesuffix(".h")
    return stem.removeprefix("cudnn_") if stem != "cudnn" else "core"


def parameter_name(name: str) -> str:
    return name + "_" if keyword.iskeyword(name) else name
