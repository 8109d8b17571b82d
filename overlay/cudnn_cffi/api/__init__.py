"""The API of every cuDNN release as data: the model, its history, and the diff between releases.

`store()` gives the models that this package was generated with.
"""

from __future__ import annotations

import sys
from importlib.resources import files
from pathlib import Path
from pkgutil import extend_path

from .model import ModelError, Store

__path__ = extend_path(__path__, __name__)

__all__ = ["ModelError", "Store", "store"]


def store() -> Store:
    """Return the models of the generated half of this package.

    Raises:
        ModelError: nothing was generated yet.
    """
    # In the order of the package's halves: what the user generated has all releases.
    for half in sys.modules[__name__.rpartition(".")[0]].__path__:
        if Path(half, "api", "releases.json").exists():
            return Store(Path(half, "api"))
    packed = files(__name__)  # where the package is in a zip file
    if packed.joinpath("releases.json").is_file():
        return Store(packed)
    raise ModelError(
        f"no releases.json in {', '.join(__path__)}: the package has no models; "
        "generate them first (python -m generator)"
    )
