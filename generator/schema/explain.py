"""Writes what is known about the schema into the attributes of a model."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import msgspec
from cudnn_cffi.api import model
from cudnn_cffi.api.model import Api, BackendAttribute, version_key

from .. import GeneratorError
from ..lab.bench import FINISHED
from . import answers as kept
from . import facts as known
from .answers import Answer, Answers
from .facts import Facts

_ANSWERED = Answer.__struct_fields__

#: The fields of an attribute that come from here.
FIELDS = ("told_by", "by_fact", "unread_default", "fatal", "misread", *_ANSWERED)

_BLANK: Mapping[str, Any] = {
    field.name: field.default
    for field in msgspec.structs.fields(BackendAttribute)
    if field.name in FIELDS
}


class SchemaError(GeneratorError):
    """A fact that contradicts a library."""


def forget(api: Api) -> Api:
    """Return the model without a schema, which no header tells."""
    return model.replace(
        api, attributes=tuple(model.replace(one, **_BLANK) for one in api.attributes)
    )


def explain(
    api: Api,
    versions: Collection[str],
    answers: Sequence[Answers] | None = None,
    facts: Facts | None = None,
) -> Api:
    """Return the model with the schema of its attributes; see `Explainer`."""
    return Explainer(answers, facts).explain(api, versions)


class Explainer:
    """The schema as it is known, ready to be written into many models."""

    def __init__(
        self, answers: Sequence[Answers] | None = None, facts: Facts | None = None
    ) -> None:
        """Read the answers and facts.

        Args:
            answers, facts: other ones than those that are kept.

        Raises:
            AnswersError: kept answers, or facts, that cannot be read.
        """
        self._told: dict[str, list[Answers]] = {}
        for one in kept.load() if answers is None else answers:
            for name in one.attributes:
                self._told.setdefault(name, []).append(one)
        self._stated = (known.load() if facts is None else facts).by_attribute()

    def explain(self, api: Api, versions: Collection[str]) -> Api:
        """Return the model with the schema of its attributes.

        If no library of `versions` could finalize an attribute's descriptor, the answers are those
        of the nearest release whose library could, marked as inherited.

        Args:
            api: a model.
            versions: the releases that have it.

        Raises:
            SchemaError: a fact that contradicts an answer.
        """
        names = _Names(api)
        return model.replace(
            api,
            attributes=tuple(self._attribute(one, versions, names) for one in api.attributes),
        )

    def _attribute(
        self, attribute: BackendAttribute, versions: Collection[str], names: _Names
    ) -> BackendAttribute:
        changes = dict(_BLANK)
        source = self._nearest(attribute, versions)
        if source is not None:
            answer = source.attributes[attribute.name]
            changes |= names.known({field: getattr(answer, field) for field in _ANSWERED})
            own = source.version in versions
            changes["told_by"] = f"{'probe' if own else 'inherited'} {source.version}"
        added = []
        for field, value in names.known(self._stated.get(attribute.name, {})).items():
            unknown = changes[field] in (None, False, ())
            if not unknown and changes[field] != value:
                raise SchemaError(
                    f"{attribute.name}: facts.toml says {field} = {value}, but cuDNN "
                    f"{source.version if source else ''} {changes[field]}"
                )
            if unknown and value is not None:
                changes[field] = value
                added.append(field)
        changes["by_fact"] = tuple(sorted(added))
        return model.replace(attribute, **changes)

    def _nearest(self, attribute: BackendAttribute, versions: Collection[str]) -> Answers | None:
        """Return the answers about an attribute: of its own release or the nearest."""
        having = self._told.get(attribute.name, [])
        finished = [one for one in having if one.descriptors.get(attribute.owner) in FINISHED]
        for chosen in (finished, having):
            own = [one for one in chosen if one.version in versions]
            if own:
                return own[-1]
            if chosen:
                keys = [version_key(one.version) for one in chosen]
                index = bisect_left(keys, version_key(max(versions, key=version_key)))
                return chosen[max(0, index - 1)]
        return None


class _Names:
    """The names that a release has: answers of another one may have more."""

    def __init__(self, api: Api) -> None:
        self._attributes = {attribute.name for attribute in api.attributes}
        self._enums = {e.name: {m.name for m in e.enumerators} for e in api.enums}
        self._members = {member for members in self._enums.values() for member in members}
        self._descriptors = self._enums.get("cudnnBackendDescriptorType_t", set())

    def known(self, answer: Mapping[str, Any]) -> dict[str, Any]:
        """Return an answer without what the release has no name for."""
        kept = dict(answer)
        for field in ("as_long_as", "unless", "along_with"):
            if field in kept:
                kept[field] = self._those(kept[field])
        if conditions := kept.get("required_in"):
            kept["required_in"] = tuple(
                each for each in conditions if self._members.issuperset(each)
            )
        target = kept.get("target")
        if target is not None and "*" not in target and target not in self._descriptors:
            kept["target"] = None
        enum = kept.get("enum")
        if enum is not None and enum not in self._enums:
            kept["enum"] = enum = None
        default = kept.get("default")
        if isinstance(default, str) and default not in self._enums.get(enum or "", ()):
            kept["default"] = None
        return kept

    def _those(self, names: Iterable[str]) -> tuple[str, ...]:
        return tuple(name for name in names if name in self._attributes)
