"""The wheel's build hook: compiles the call layer where there is a C compiler.

Without one the wheel is pure Python and calls in ABI mode: same results, slower.
CUDNN_CFFI_BUILD=require makes a missing compiler an error, =skip leaves the compiled layer out.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CustomBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the compiled call layer to a wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile the call layer, unless the environment or the machine says otherwise."""
        if version != "editable":
            build_data["force_include"].update(self._generator())
        wish = os.environ.get("CUDNN_CFFI_BUILD", "")
        if wish == "skip":
            return
        sys.path.insert(0, self.root)
        try:
            import build_native

            built = [build_native.build()]
            if sys.platform == "linux":
                built.append(build_native.build_stand_in())
        except Exception as error:
            if wish == "require":
                raise
            self.app.display_warning(f"the call layer was not compiled, ABI mode it is: {error}")
            return
        finally:
            sys.path.remove(self.root)
        self.app.display_info(f"compiled {' and '.join(path.name for path in built)}")
        if version == "editable":
            return  # found in the overlay's folder
        build_data["pure_python"] = False
        # The stable ABI: one wheel for this Python and all later ones.
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["tag"] = f"cp311-abi3-{platform}"
        for path in built:
            place = path.relative_to(build_native.TARGET)
            build_data["force_include"][str(path)] = f"cudnn_cffi/{place.as_posix()}"

    def _generator(self) -> dict[str, str]:
        """Return where the wheel has the generator, by path: a package that nothing else needs."""
        names = self.root, "cudnn_cffi_generator"
        parts = {"generator": "", "templates": "/templates", "native": "/native"}
        parts["build_native.py"] = "/build_native.py"
        return {str(Path(names[0], part)): names[1] + place for part, place in parts.items()}
