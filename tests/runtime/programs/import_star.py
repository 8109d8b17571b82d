"""The names of `import *` and help() are the whole API: import_star.py MODULE."""

import importlib
import inspect
import pydoc
import sys
from typing import Any

here = importlib.import_module(sys.argv[1])
names: dict[str, Any] = {}
exec(f"from {sys.argv[1]} import *", names)
names.pop("__builtins__")
assert set(names) == set(here.__all__) > {"cudnnCreate", "DataType", "TensorDescriptor"}, set(names)
assert set(names) - {"__version__"} <= set(dir(here)), set(names) - {"__version__"}
assert dict(inspect.getmembers(here)).items() >= names.items(), dict(
    inspect.getmembers(here)
).items()
text = pydoc.plain(pydoc.render_doc(here))
for line in ("class TensorDescriptor(", "class DataType(", "cudnnCreate("):
    assert line in text, line
