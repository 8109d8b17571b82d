"""Graphs and plans as text and bytes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType
from typing import Any

from .... import errors, library
from ...._version import __version__
from ....plan import Plan
from ....plan.saving import digest
from ..enums import (
    attention_implementation,
    convolution_mode,
    data_type,
    diagonal_alignment,
    moe_grouped_matmul_mode,
    norm_forward_phase,
    reduction_mode,
    reshape_mode,
    scalar_type,
    tensor_reordering,
)
from ..executing import Executing, _Program
from ..failures import cudnnGraphNotSupportedError, unsupported
from ..handles import Handle
from ..tensors import Node, NodeType, Tensor
from .originals import is_original, read_original

#: The enums that texts have members of.
_ENUMS = {
    each.__name__: each
    for each in (
        *(convolution_mode, data_type, diagonal_alignment, attention_implementation),
        *(moe_grouped_matmul_mode, norm_forward_phase, reduction_mode, reshape_mode),
        *(scalar_type, tensor_reordering),
    )
}

#: The number of the form of these texts.
_FORM = 1


class Saving(Executing):
    """A graph that is written and read."""

    #: The numbers that a plan that was read is passed each time, by uid.
    _kept: Mapping[int, Any] = MappingProxyType({})

    def serialize(self, *, as_bytes: bool = False, include_kernels: bool = True) -> Any:
        """Return the selected plan, for `deserialize` on such a device with the same release.

        Args:
            as_bytes: whether to return bytes, and not a list of them.
            include_kernels: ignored: the plan always has its kernels.

        Raises:
            cudnnGraphNotSupportedError: no plan is built, or the release cannot write plans.
        """
        if self._loaded is None and not self._is_built:
            raise cudnnGraphNotSupportedError("serialize: no plan is built: call build_plans first")
        program = self._program()
        with unsupported():
            text = program.plan.to_json()
        saved = {
            "cudnn_cffi": _FORM,
            "package": __version__,
            "aligned": sorted(program.aligned),
            "hidden": {uid: list(values) for uid, values in self._numbers().items()},
            "names": program.names,
            "tensors": [
                _tensor(each) for each in self._by_uid.values() if each.uid in program.names
            ],
            "plan": text,
        }
        data = json.dumps({"digest": digest(saved), **saved}).encode()
        return data if as_bytes else list(data)

    def _numbers(self) -> Mapping[int, Any]:
        if self._loaded is not None or self._lowering is None:
            return self._kept
        return self._lowering.hidden

    def deserialize(self, *given: Any, **named: Any) -> None:
        """Take a plan that `serialize` wrote, or the graph of a text that `repr` returned.

        Plans that `serialize` of NVIDIA's front end wrote are taken, too, where cuDNN computes
        them; texts of its graphs are not. It has no digest, so damage may not be noticed.

        Args:
            given: the data; or a handle and the data, and whether kernels have to be part of it.
            named: handle_, pyobj and enforce_precompiled, the same by their names.

        Raises:
            ValueError: the data is damaged, or neither of this package nor of the front end.
            cudnnGraphNotSupportedError: the plan is of another release or device.
        """
        values = list(given)
        handle = named.pop("handle_", None)
        data = named.pop("pyobj", None)
        if values and (values[0] is None or isinstance(values[0], Handle)):
            handle = values.pop(0)
        if data is None:
            if not values:
                raise TypeError("deserialize: expected data, got none")
            data = values.pop(0)
        if isinstance(data, str):
            self._read_graph(data)
        else:
            self._read_plan(bytes(data), handle)

    def _read_plan(self, data: bytes, handle: Any) -> None:
        if is_original(data):
            found = read_original(data)
            names = {each["uid"]: each.get("name", "") for each in found.tensors}
            self._adopt(found.text, handle, found.hidden, found.aligned, names)
            for fields in found.tensors:
                if fields["uid"] not in self._by_uid:
                    self._add_tensor(_of_original(fields))
            return
        try:
            saved = json.loads(data)
            form, told = saved["cudnn_cffi"], saved.pop("digest")
        except (ValueError, TypeError, KeyError) as error:
            raise errors.ArgumentError(
                "deserialize: the data is not a plan of cudnn_cffi",
                hint="plans that NVIDIA's front end has written are built anew",
            ) from error
        if form != _FORM:
            raise errors.ArgumentError(
                f"deserialize: expected form {_FORM}, got {form!r}",
                hint="another version of this package wrote it: build the plan anew",
            )
        if told != digest(saved):
            raise errors.ArgumentError(
                "deserialize: the data is damaged: its digest is of another text",
                hint="build the plan anew",
            )
        hidden = {int(uid): values for uid, values in saved["hidden"].items()}
        names = {int(uid): name for uid, name in saved["names"].items()}
        self._adopt(saved["plan"], handle, hidden, set(saved["aligned"]), names)
        for fields in saved["tensors"]:
            if fields["uid"] not in self._by_uid:
                self._add_tensor(fields)

    def _adopt(
        self,
        text: str,
        handle: Any,
        hidden: Mapping[int, Any],
        aligned: set[int],
        names: Mapping[int, str],
    ) -> None:
        """Have a plan that was saved execute this graph."""
        if handle is not None:
            self._handle = handle
        device = None if self._device is None or self._handle is not None else self._device.own
        with unsupported():
            if device is not None:
                plan = Plan.from_json(text, device=device)
            else:
                plan = Plan.from_json(text, self._own_handle())
        self._kept = dict(hidden)
        self._loaded = _Program(plan, hidden, aligned, names)
        self._is_built = True

    def query_tensor_attributes_of_uid(self, uid: int) -> Tensor:
        """Return the tensor with a uid.

        Raises:
            ValueError: there is none.
        """
        found = self._by_uid.get(uid)
        if found is None:
            raise ValueError(f"no tensor of this graph has the uid {uid}")
        return found

    def __repr__(self) -> str:
        saved = {
            "json_version": f"cudnn_cffi {_FORM}",
            "cudnn_backend_version": library.load().version if self._computation else None,
            "name": self.name,
            "context": {
                "io_data_type": _plain(self._context.io_data_type),
                "intermediate_data_type": _plain(self._context.intermediate_data_type),
                "compute_data_type": _plain(self._context.compute_data_type),
                "is_dynamic_shape_enabled": self._dynamic,
                "is_override_shape_enabled": self._override,
            },
            "nodes": [
                {
                    "tag": node.node_type.name,
                    "name": node.name,
                    "compute_data_type": _plain(node.compute_data_type),
                    "inputs": {port: each.uid for port, each in node.inputs.items()},
                    "outputs": {port: each.uid for port, each in node.outputs.items()},
                    **{key: _plain(value) for key, value in node.params.items()},
                }
                for node in self._nodes
            ],
            "tensors": [_tensor(each) for each in self._by_uid.values()],
        }
        return json.dumps(saved, indent=4)

    def _read_graph(self, text: str) -> None:
        """Add the tensors and nodes of a text that `repr` returned to an empty graph."""
        try:
            saved = json.loads(text)
            if saved["json_version"] != f"cudnn_cffi {_FORM}":
                raise errors.ArgumentError(
                    f"deserialize: the text is of {saved['json_version']!r}",
                    hint="texts that NVIDIA's front end has written are not read",
                )
            if self._nodes:
                raise errors.ArgumentError("deserialize: expected an empty graph")
            context = saved["context"]
            self._dynamic = context["is_dynamic_shape_enabled"]
            self._override = context["is_override_shape_enabled"]
            for name in ("io_data_type", "intermediate_data_type", "compute_data_type"):
                setattr(self._context, name, _value(context[name]))
            ragged = {}
            for fields in saved["tensors"]:
                made = self._add_tensor(fields)
                ragged[made] = fields["ragged_offset"]
            for tensor, uid in ragged.items():
                tensor.ragged_offset = None if uid is None else self._by_uid[uid]
            for fields in saved["nodes"]:
                node = Node(
                    fields["name"], NodeType[fields["tag"]], _value(fields["compute_data_type"])
                )
                for port, uid in fields["inputs"].items():
                    node.inputs[port] = self._by_uid[uid]
                for port, uid in fields["outputs"].items():
                    node.outputs[port] = self._by_uid[uid]
                rest = fields.keys() - {"name", "tag", "compute_data_type", "inputs", "outputs"}
                node.params = {key: _value(fields[key]) for key in fields if key in rest}
                self._nodes.append(node)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            if isinstance(error, errors.CudnnError):
                raise
            raise errors.ArgumentError(
                f"deserialize: the text is not a graph: {error!r}"
            ) from error

    def _add_tensor(self, fields: dict[str, Any]) -> Tensor:
        dim_assigned, stride_assigned = fields["assigned"]
        made = Tensor(
            fields["name"],
            _value(fields["data_type"]),
            fields["dim"],
            fields["stride"],
            fields["is_virtual"],
            fields["is_pass_by_value"],
            fields["pass_by_value"],
            fields["uid"],
            uid_assigned=True,
            dim_assigned=dim_assigned,
            stride_assigned=stride_assigned,
            reordering_type=_value(fields["reordering_type"]),
            ragged_offset_multiplier=fields["ragged_offset_multiplier"],
            scalar_type=_value(fields["scalar_type"]),
            owner=self,
        )
        return self._register(made)


def _of_original(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a tensor that the original wrote, as `_add_tensor` takes them."""
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


def _tensor(tensor: Tensor) -> dict[str, Any]:
    ragged = tensor.ragged_offset
    return {
        "name": tensor.name,
        "uid": tensor.uid,
        "data_type": _plain(tensor.data_type),
        "dim": list(tensor.dim),
        "stride": list(tensor.stride),
        "is_virtual": tensor.is_virtual,
        "is_pass_by_value": tensor.is_pass_by_value,
        "pass_by_value": _plain(tensor.pass_by_value),
        "scalar_type": _plain(tensor.scalar_type),
        "reordering_type": _plain(tensor.reordering_type),
        "ragged_offset": None if ragged is None else ragged.uid,
        "ragged_offset_multiplier": tensor.ragged_offset_multiplier,
        "assigned": [tensor.dim_assigned, tensor.stride_assigned],
    }


def _plain(value: Any) -> Any:
    """Return a value as JSON has it."""
    if isinstance(value, Enum):
        return f"{type(value).__name__}.{value.name}"
    if isinstance(value, slice):
        return {"slice": [value.start, value.stop, value.step]}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if hasattr(value, "item"):  # a number of NumPy
        return value.item()
    return f"function {getattr(value, '__name__', '')}" if callable(value) else str(value)


def _value(plain: Any) -> Any:
    """Return what `_plain` was given."""
    if isinstance(plain, str):
        kind, _, name = plain.partition(".")
        enum = _ENUMS.get(kind)
        if enum is not None:
            return enum[name]
        if kind.startswith("function"):
            raise errors.ArgumentError("deserialize: functions of scores are not part of the text")
    if isinstance(plain, dict):
        return slice(*plain["slice"])
    return [_value(each) for each in plain] if isinstance(plain, list) else plain
