"""Small models, written by hand, for tests of what differs between two of them."""

from __future__ import annotations

from typing import Any

from cudnn_cffi.api import model
from cudnn_cffi.api.model import Api, Enumerator, Function, Header, Parameter, Record

H = "cudnn.h"


def api(release: str = "9.1.0", **sections: Any) -> Api:
    """An API whose only header is cudnn.h, unless `headers` says otherwise."""
    return Api(release=release, **{"headers": (Header("cudnn.h"),), **sections})


def function(
    name: str = "cudnnF", *parameters: Parameter, header: str = H, **more: Any
) -> Function:
    return Function(
        name=name, header=header, parameters=parameters, **{"result": "cudnnStatus_t", **more}
    )


def parameter(name: str, type: str = "int", **more: Any) -> Parameter:
    return Parameter(name=name, type=type, **more)


def functions(*parameters: Parameter, **more: Any) -> Api:
    """An API with the one function cudnnF."""
    return api(functions=(function("cudnnF", *parameters, **more),))


def enum(name: str = "cudnnE_t", header: str = H, /, **values: int) -> model.Enum:
    members = tuple(Enumerator(f"CUDNN_{key}", value) for key, value in values.items())
    return model.Enum(name, header, members)


def enums(**values: int) -> Api:
    """An API with the one enumeration cudnnE_t."""
    return api(enums=(enum(**values),))


def flags(name: str = "Bits", **values: int) -> model.FlagSet:
    return model.FlagSet(name, H, tuple(Enumerator(f"CUDNN_{k}", v) for k, v in values.items()))


def record(*fields: model.Field, **more: Any) -> Record:
    size = max((f.offset + f.size for f in fields), default=0)
    defaults = {"name": "cudnnS_t", "tag": "", "kind": "struct", "header": H, "size": size}
    return Record(**{**defaults, "align": 4, **more}, fields=fields)


def records(*fields: model.Field, **more: Any) -> Api:
    """An API with the one struct cudnnS_t."""
    return api(records=(record(*fields, **more),))


def member(
    name: str, offset: int = 0, type: str = "int", size: int = 4, **more: Any
) -> model.Field:
    return model.Field(name=name, type=type, offset=offset, size=size, **more)


def attribute(**more: Any) -> Api:
    """An API with the one backend attribute CUDNN_ATTR_X."""
    defaults = {"name": "CUDNN_ATTR_X", "value": 1, "owner": "CUDNN_BACKEND_D", "source": "probe"}
    types = more.pop("types", ("CUDNN_TYPE_INT64",))
    return api(attributes=(model.BackendAttribute(**{**defaults, **more}, types=types),))
