"""Replace names of the module that is named in the arguments, as tests that patch do."""

import sys
from importlib import import_module

import pytest

module = import_module(sys.argv[1])
for name in ("cudnnCreate", "TensorDescriptor", "DataType", "CUDNN_DATA_FLOAT", "_own"):
    before = getattr(module, name, None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, name, "another", raising=name != "_own")
        assert getattr(module, name) == "another", f"{name} is not replaced"
    assert getattr(module, name, None) is before, f"{name} is not put back"
    if before is not None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, name, "another")
            patch.delattr(module, name)
        assert getattr(module, name) is before, f"{name} is not put back after it was deleted"
