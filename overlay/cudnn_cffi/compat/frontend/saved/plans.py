"""Plans as bytes: of this package, and of NVIDIA's front end."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from .... import errors
from ...._version import __version__
from ....plan.saving import digest
from .graphs import FORM, tensor_fields
from .originals import is_original, read_original

if TYPE_CHECKING:
    from ..plans.programs import Program
    from ..tensors import Tensor
    from .graphs import Fields


class SavedPlan(NamedTuple):
    """A plan that was saved.

    Attributes:
        text: the plan, as `Plan.from_json` takes it.
        tensors: of the program, as `tensor_fields` returns them.
        hidden: numbers that are passed each time, by uid.
        aligned: the uids whose addresses have to be multiples of 16.
        names: the names of tensors, by uid.
    """

    text: str
    tensors: Sequence[Fields]
    hidden: Mapping[int, Sequence[float]]
    aligned: set[int]
    names: Mapping[int, str]


def plan_data(program: Program, tensors: Mapping[int, Tensor]) -> bytes:
    """Return the data of a plan, which `read_plan` reads.

    Args:
        program: the plan, with what is passed to it.
        tensors: of the graph, by uid.

    Raises:
        CudnnError: the release cannot write plans.
    """
    saved = {
        "cudnn_cffi": FORM,
        "package": __version__,
        "aligned": sorted(program.aligned),
        "hidden": {uid: list(values) for uid, values in program.numbers.items()},
        "names": program.names,
        "tensors": [tensor_fields(each) for uid, each in tensors.items() if uid in program.names],
        "plan": program.plan.to_json(),
    }
    return json.dumps({"digest": digest(saved), **saved}).encode()


def read_plan(data: bytes) -> SavedPlan:
    """Return a plan that this package or the front end has written.

    Raises:
        ArgumentError: the data is damaged, or of neither.
    """
    if is_original(data):
        found = read_original(data)
        names = {each["uid"]: each.get("name", "") for each in found.tensors}
        tensors = [of_original(each) for each in found.tensors]
        return SavedPlan(found.text, tensors, found.hidden, found.aligned, names)
    try:
        saved = json.loads(data)
        form, told = saved["cudnn_cffi"], saved.pop("digest")
    except (ValueError, TypeError, KeyError) as error:
        raise errors.ArgumentError(
            "deserialize: the data is not a plan of cudnn_cffi",
            hint="plans that NVIDIA's front end has written are built anew",
        ) from error
    if form != FORM:
        raise errors.ArgumentError(
            f"deserialize: expected form {FORM}, got {form!r}",
            hint="another version of this package wrote it: build the plan anew",
        )
    if told != digest(saved):
        raise errors.ArgumentError(
            "deserialize: the data is damaged: its digest is of another text",
            hint="build the plan anew",
        )
    return SavedPlan(
        saved["plan"],
        saved["tensors"],
        {int(uid): values for uid, values in saved["hidden"].items()},
        set(saved["aligned"]),
        {int(uid): name for uid, name in saved["names"].items()},
    )


def of_original(fields: Fields) -> Fields:
    """Return the fields of a tensor that the original wrote, in the form of this package."""
    members = {name: fields[name] for name in ("uid", "dim", "stride")}
    members["name"] = fields.get("name", "")
    kind, order = fields.get("data_type"), fields.get("reordering_type", "NONE")
    return members | {
        "data_type": None if kind in (None, "NOT_SET") else f"data_type.{kind}",
        "is_virtual": bool(fields.get("is_virtual")),
        "is_pass_by_value": bool(fields.get("is_pass_by_value")),
        "pass_by_value": None,
        "scalar_type": None,
        "reordering_type": None if order == "NONE" else f"tensor_reordering.{order}",
        "ragged_offset_multiplier": 1,
        "assigned": [True, True],
    }
