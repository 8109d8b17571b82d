"""cuDNN's functions under their C names, which get numbers where they have enums."""

from __future__ import annotations

from typing import Any

from .. import _lookup

calls: Any = _lookup.calls
