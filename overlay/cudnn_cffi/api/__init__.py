"""The API of every cuDNN release as data: the model, its history, and the diff between releases.

`store()` gives the models that this package was generated with.
"""

from __future__ import annotations

import os
import sys
from importlib.resources import files
from pathlib import Path
from pkgutil import extend_path

from .inputs.store import Store
from .model import ModelError

# In the order of the package's halves: the user's tree, where there is one, has all releases.
_halves = [os.path.join(half, "api") for half in sys.modules[__name__.rpartition(".")[0]].__path__]  # noqa: PTH118
__path__ = sorted(
    extend_path(__path__, __name__),
    key=lambda folder: _halves.index(folder) if folder in _halves else len(_halves),
)

__all__ = ["ModelError", "Store", "store"]


def store() -> Store:
    """Return the models of the generated half of this package.

    Raises:
        ModelError: nothing was generated yet.
    """
    for folder in __path__:
        if Path(folder, "releases.json").exists():
            return Store(folder)
    packed = files(__name__)  # where the package is in a zip file
    if packed.joinpath("releases.json").is_file():
        return Store(packed)
    raise ModelError(
        f"no releases.json in {', '.join(__path__)}: the package has no models; "
        "generate them first (python -m generator)"
    )
