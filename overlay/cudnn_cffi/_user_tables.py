"""Find the tables that the user generated, and put them before those of the package.

Below the user's data folder each version of this package has a folder of its own, a whole emitted
half of the package: the releases of the package and the user's. `STAMP` names what the package
emits, so that a tree that another version of the generator made is never mixed with this one.
"""

from __future__ import annotations

import os
import sys

from . import _data_folder  # type: ignore[attr-defined]  # not in the stub
from ._stamp import STAMP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import MutableSequence


#: The folder of all versions of the package; "" where there is none, see `_data_folder`.
ROOT = _data_folder()

#: The advice to a user without one.
NO_ROOT = "no home is known, where generated tables would be: name a folder in CUDNN_CFFI_DATA"

#: The folder of this version, with a compiled layer that only fits one platform.
HOME = os.path.join(  # noqa: PTH118
    ROOT, f"{STAMP}-{getattr(sys.implementation, '_multiarch', sys.platform)}"
)

#: Below a folder, that of the models of the user's releases.
OWN = "own"


def put_first(path: MutableSequence[str]) -> None:
    """Put modules of the user's tree before those of the package."""
    tree = os.path.join(HOME, __name__.partition(".")[0])  # noqa: PTH118
    if os.path.exists(os.path.join(tree, "_index.py")):  # noqa: PTH110, PTH118
        path.insert(0, tree)


def shipped() -> str:
    """Return the folder with the emitted half of the package."""
    halves = sys.modules[__name__.partition(".")[0]].__path__
    for half in halves:
        if not half.startswith(HOME) and os.path.exists(  # noqa: PTH110
            os.path.join(half, "_index.py")  # noqa: PTH118
        ):
            return str(half)
    raise ImportError("the emitted half of cudnn_cffi is missing; install the package again")
