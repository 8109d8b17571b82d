"""Find members of the loaded release's enums by the words of frameworks."""

from __future__ import annotations

import numbers
from enum import Enum
from typing import TYPE_CHECKING, Any

from .. import errors
from .._support.arguments import index
from .._support.wording import a
from .._tables import active, find_member, members_hint
from .dtypes import DTYPES, NAMES, dtype_name

if TYPE_CHECKING:
    from ..types import PlainLayout

#: Names of members, by other words for them.
_WORDS = {"channels_first": "NCHW", "channels_last": "NHWC"}


def member(enum: str, value: object) -> Any:
    """Return the member of an enum of the loaded release.

    Args:
        enum: the name of the enum, without `cudnn` and `_t`.
        value: a member, its number, or its name in upper or lower case: the C name, the name
            without the prefix, or a word of frameworks such as "channels_last".

    Raises:
        ArgumentError: the loaded release has no such member, or `value` is a member of another
            enum.
    """
    cls = active().enum(enum)
    if isinstance(value, str):
        named = find_member(cls, _WORDS.get(value.lower(), value))
        if named is not None:
            return named
    elif not isinstance(value, bool) and (
        # A member of the same enum of another release will do.
        not isinstance(value, Enum) or type(value).__name__ == enum
    ):
        try:
            return cls(index(value))
        except TypeError:
            pass
    raise errors.ArgumentError(f"expected {a(enum)}, got {value!r}", hint=members_hint(cls, value))


def plain_layout(layout: object) -> PlainLayout:
    """Return "NCHW" or "NHWC" for a word, number or member; these two need no library.

    Raises:
        ArgumentError: it is another layout, or none.
    """
    name = layout if layout in ("NCHW", "NHWC") else member("TensorFormat", layout).name
    if name == "NCHW":
        return "NCHW"
    if name == "NHWC":
        return "NHWC"
    raise errors.ArgumentError(f"layout: expected NCHW or NHWC, got {name}")


def data_type(dtype: object) -> Any:
    """Return the member of the loaded release's `DataType` for a data type of any library.

    Args:
        dtype: a member or its number, or what `dtype_name` takes.

    Raises:
        ArgumentError: the loaded release has no such data type.
    """
    cls = active().enum("DataType")
    if isinstance(dtype, numbers.Integral) and not isinstance(dtype, bool):
        # A member of the same enum of another release will do, one of another enum will not.
        if not isinstance(dtype, Enum) or type(dtype).__name__ == cls.__name__:
            return cls(int(dtype))
    else:
        named = find_member(cls, DTYPES.get(dtype_name(dtype), str(dtype)))
        if named is not None:
            return named
    words = [NAMES[each.name] for each in cls if each.name in NAMES]
    raise errors.ArgumentError(
        f"expected a data type, got {dtype!r}, which this cuDNN does not have",
        hint=f"it has {', '.join(words)}; by cuDNN's names {', '.join(each.name for each in cls)}",
    )


def nan_option(propagate: bool) -> Any:
    """Return the number of the `NanPropagation` member for a choice, also where that is gone."""
    try:
        cls = active().enum("NanPropagation")
    except KeyError:
        return int(propagate)
    return int(cls["PROPAGATE_NAN" if propagate else "NOT_PROPAGATE_NAN"])
