"""Types of backend attributes: answers of real libraries, and corrections in attributes.toml.

An attribute's owner follows from its name. Its types come from what `probe` heard from real
libraries and keeps in probed/, one file a release; what no library tells is in attributes.toml,
with the reason. An attribute's type has nothing to do with its number, so that a
release that was not probed takes what its neighbours agree on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import takewhile
from pathlib import Path

import msgspec
from cudnn_cffi.api.model import BackendAttribute, version_key

from .. import GeneratorError
from . import store

PROBED = Path(__file__).with_name("probed")
FACTS = Path(__file__).with_name("attributes.toml")

#: The `BackendAttribute.source` of an attribute that neither a probe nor a fact explains.
UNKNOWN = "unknown"

#: Names of descriptor types in the names of their attributes, beside their own names.
_SYNONYMS = (
    ("BACKWARD", "BWD"),
    ("FORWARD", "FWD"),
    ("BN_FINALIZE_STATISTICS", "BN_FINALIZE"),
    ("GEN_STATS", "GENSTATS"),
    ("CONTRACT_BAND_MATRIX", "CONTRACT_BAND"),
)


class AttributesError(GeneratorError):
    """Attributes that cannot be explained, or explanations that contradict each other."""


class Probed(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The answer of one library about one attribute."""

    types: tuple[str, ...] = ()  # empty: the library takes none, or does not tell
    readable: bool | None = None  # None: not found out
    writable: bool | None = None
    crashed: tuple[str, ...] = ()  # the questions that crashed it: "set CUDNN_TYPE_..."


class Evidence(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The answers of one library about all its attributes."""

    version: str  # "9.28.0"
    attributes: dict[str, Probed]


class Fact(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A fact that a person found out about one attribute."""

    reason: str
    types: tuple[str, ...] = ()
    readable: bool | None = None
    writable: bool | None = None


def owners(
    descriptor_types: Iterable[str], attributes: Iterable[str], strangers: list[str] | None = None
) -> dict[str, str]:
    """Return the descriptor type of each attribute: that with the longest stem of its name.

    Args:
        descriptor_types: enumerators.
        attributes: enumerators.
        strangers: gets names that start with no descriptor type's stem.

    Raises:
        AttributesError: there are such names, and no list for them.
    """
    stems: dict[str, str] = {}
    for name in descriptor_types:
        stem = name.removeprefix("CUDNN_BACKEND_").removesuffix("_DESCRIPTOR")
        stems[stem] = name
        for whole, short in _SYNONYMS:
            stems.setdefault(stem.replace(whole, short), name)
    found: dict[str, str] = {}
    others: list[str] = []
    for attribute in attributes:
        own = attribute.removeprefix("CUDNN_ATTR_")
        matches = [stem for stem in stems if own.startswith(f"{stem}_")]
        if matches:
            found[attribute] = stems[max(matches, key=len)]
        else:
            others.append(attribute)
    if strangers is not None:
        strangers += others
    elif others:
        raise AttributesError(
            "no descriptor type's name begins these attributes: add the name that they use for it "
            "to the synonyms in generator/attributes/__init__.py:\n" + "\n".join(others)
        )
    return found


def attributes(
    api_release: str,
    descriptor_types: Iterable[str],
    attribute_enum: Mapping[str, int],
    *,
    types: Iterable[str] | None = None,
    strangers: list[str] | None = None,
    probed: Path = PROBED,
    facts: Path = FACTS,
) -> tuple[BackendAttribute, ...]:
    """Return the known attributes of a release, in the order of `attribute_enum`.

    Args:
        api_release: "9.28.0".
        descriptor_types: the enumerators of cudnnBackendDescriptorType_t.
        attribute_enum: the enumerators of cudnnBackendAttributeName_t.
        types: the enumerators of cudnnBackendAttributeType_t; all that were heard of by default.
        strangers: gets attributes without an owner, which then are left out.
        probed: the folder with what libraries said.
        facts: the file with what persons found out.

    Raises:
        AttributesError: an attribute without an owner, or evidence that contradicts other
            evidence or a fact.
    """
    heard = load_evidence(probed)
    known = load_facts(facts)
    owned = owners(descriptor_types, attribute_enum, strangers)
    found = tuple(
        _explain(api_release, name, value, owned[name], heard, known.get(name))
        for name, value in attribute_enum.items()
        if name in owned
    )
    if types is None:
        return found
    return tuple(_within(attribute, frozenset(types)) for attribute in found)


def _within(attribute: BackendAttribute, types: frozenset[str]) -> BackendAttribute:
    """Return the attribute with those of its types that the release has."""
    kept = tuple(each for each in attribute.types if each in types)
    if len(kept) == len(attribute.types):
        return attribute
    source = f"{attribute.source}, less later types" if kept else UNKNOWN
    return msgspec.structs.replace(attribute, types=kept, source=source)


@cache
def load_evidence(folder: Path = PROBED) -> tuple[Evidence, ...]:
    """Return what libraries said, oldest first."""
    return store.load_all(folder, Evidence, AttributesError)


def save_evidence(evidence: Evidence, folder: Path = PROBED) -> Path:
    """Keep `evidence`, one attribute a line; replace what was kept of the same release."""
    text = b'{"version":%s,\n"attributes":{\n%s\n}}\n' % (
        store.encode(evidence.version),
        store.lines(evidence.attributes),
    )
    path = store.keep(folder, evidence.version, text)
    load_evidence.cache_clear()
    return path


@cache
def load_facts(path: Path = FACTS) -> Mapping[str, Fact]:
    """Return what persons found out, by attribute."""
    return store.load_facts(path, dict[str, Fact], AttributesError)


def _explain(
    release: str,
    name: str,
    value: int,
    owner: str,
    heard: Sequence[Evidence],
    fact: Fact | None,
) -> BackendAttribute:
    said = [(one.version, one.attributes[name]) for one in heard if name in one.attributes]
    typed = [(version, probed.types) for version, probed in said if probed.types]
    first = _first(name, release, typed)
    readable = _agreed([probed.readable for _, probed in said])
    writable = _agreed([probed.writable for _, probed in said])
    types: tuple[str, ...] = ()
    source = UNKNOWN
    if fact is not None:
        readable = _checked(name, "readable", readable, fact.readable)
        writable = _checked(name, "writable", writable, fact.writable)
        types, source = fact.types, f"fact: {fact.reason}"
    if first is not None:
        version, types = first
        source = f"probe {version}"
        if fact is not None and fact.types and set(fact.types) != set(types):
            raise AttributesError(
                f"{name}: attributes.toml says {_join(fact.types)}, but cuDNN {version} takes "
                f"{_join(types)}"
            )
    return BackendAttribute(
        name=name,
        value=value,
        owner=owner,
        types=types,
        readable=readable,
        writable=writable,
        source=source,
    )


def _first(
    name: str, release: str, typed: Sequence[tuple[str, tuple[str, ...]]]
) -> tuple[str, tuple[str, ...]] | None:
    """Return the oldest evidence that holds for `release`.

    The oldest, not the nearest: so releases with the same API have the same model, and a new
    probe that says the same leaves the models as they are.
    """
    own = version_key(release)
    before = [one for one in typed if version_key(one[0]) <= own]
    after = [one for one in typed if version_key(one[0]) > own]
    nearest = before[-1:] + after[:1]
    if not nearest:
        return None
    exact = before and version_key(before[-1][0]) == own
    if not exact and len({frozenset(types) for _, types in nearest}) > 1:
        (older, takes), (newer, wants) = nearest
        raise AttributesError(
            f"{name}: cuDNN {older} takes {_join(takes)}, but {newer} {_join(wants)}; probe the "
            f"library of {release}"
        )
    held = set(nearest[0][1])
    return [nearest[0], *takewhile(lambda one: set(one[1]) == held, reversed(before))][-1]


def _agreed(answers: Iterable[bool | None]) -> bool | None:
    """Return what all who know say; nothing where they differ."""
    said = {answer for answer in answers if answer is not None}
    return said.pop() if len(said) == 1 else None


def _checked(name: str, what: str, probed: bool | None, fact: bool | None) -> bool | None:
    if probed is not None and fact is not None and probed != fact:
        raise AttributesError(
            f"{name}: attributes.toml says {what} = {fact}, but the library says {probed}"
        )
    return fact if probed is None else probed


def _join(types: Iterable[str]) -> str:
    return ", ".join(sorted(types))
