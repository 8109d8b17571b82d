"""The package as Windows would have it: no fork, no RTLD flags, DLLs by their names."""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path
from typing import Any

site = Path(sys.argv[1])
folder = site / "nvidia" / "cudnn" / "bin"
folder.mkdir(parents=True)
for name in ("cudnn64_9.dll", "cudnn_ops64_9.dll", "notes.dll"):
    (folder / name).write_bytes(b"MZ, which is all that there is of it")

for name in ("register_at_fork", "fork", "RTLD_LOCAL", "RTLD_NOW", "RTLD_NOLOAD"):
    delattr(os, name)
sys.platform = "win32"
sys.path.insert(0, str(site))
asked: list[str] = []


class Function:
    """A function of kernel32 that fails, in a process that has loaded nothing."""

    argtypes: Any = None

    def __call__(self, *_: Any) -> int:
        return 0


class Kernel:
    """The DLL kernel32."""

    def __init__(self, name: str, **_: Any) -> None:
        asked.append(name)
        self.K32EnumProcessModules = self.GetModuleFileNameW = Function()


ctypes.WinDLL = Kernel  # type: ignore[attr-defined]
os.add_dll_directory = asked.append  # type: ignore[attr-defined]

import cudnn_cffi
from cudnn_cffi.driver import libcuda
from cudnn_cffi.library import locate

assert not asked, "an import asks for nothing"
assert libcuda.NAMES == ("nvcuda.dll",), libcuda.NAMES
found = [each for each in locate.search() if isinstance(each, locate.Candidate)]
assert [each.path for each in found] == [folder / "cudnn64_9.dll"], found
assert locate.major_of(folder / "cudnn_ops64_9.dll") == 9, "sub-libraries tell their release"
try:
    cudnn_cffi.load()
except cudnn_cffi.errors.LibraryLoadError as error:
    assert "cudnn64_9.dll" in str(error), error
else:
    raise AssertionError("what is no library was loaded")
assert set(asked) == {"kernel32", str(folder)}, asked
print("as on Windows")
