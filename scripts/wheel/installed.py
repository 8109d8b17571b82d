"""Checks an installed wheel in an environment that has nothing else: run with its Python, -I."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import files
from importlib.util import find_spec
from pathlib import Path


def main() -> None:
    """Check names, stubs, models and commands of the installed package."""
    import cudnn_cffi as cudnn

    place = Path(cudnn.__file__).parent
    assert "site-packages" in place.parts, place
    assert (place / "py.typed").exists()
    assert (place / "v9_28_0.pyi").exists()
    from cudnn_cffi import _call, v9_28_0

    wanted = os.environ.get("CUDNN_CFFI_EXPECT_MODE")
    assert wanted in (None, _call.mode()), (wanted, _call.mode())
    assert int(v9_28_0.DataType.FLOAT) == 0
    assert v9_28_0.cudnnDataType_t is v9_28_0.DataType
    assert len(dir(cudnn)) > 1000
    assert "cudnnTensorDescriptor_t" in (cudnn.cudnnSetTensor4dDescriptor.__doc__ or "")
    for arguments, code in (
        (["info", "--json"], 0),
        (["diff", "8.9.7", "9.0.0"], 1),
        (["history", "cudnnSetRNNDescriptor_v6"], 0),
    ):
        done = subprocess.run(
            [sys.executable, "-I", "-m", "cudnn_cffi", *arguments], capture_output=True, text=True
        )
        assert done.returncode == code, (arguments, done.returncode, done.stderr)
    licences = [path for path in files("cudnn-cffi") or () if path.name == "LICENSE"]
    assert licences, "the licence is missing"
    # The generator is there, and nothing needs it.
    assert find_spec("cudnn_cffi_generator")
    assert "cudnn_cffi_generator" not in sys.modules
    print(f"the installed wheel works, in {_call.mode()} mode, from {place}")


if __name__ == "__main__":
    main()
