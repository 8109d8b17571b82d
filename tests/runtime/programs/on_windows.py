"""The package as Windows would have it: nothing of POSIX, DLLs by their names."""

from __future__ import annotations

import ast
import ctypes
import importlib
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

#: Modules that Windows lacks, and what it lacks of `os`.
MODULES = """
_posixshmem _posixsubprocess curses fcntl grp posix pty pwd readline resource syslog termios tty
"""
FUNCTIONS = """
chown chroot confstr copy_file_range ctermid fchdir fchmod fchown fdatasync fork forkpty fpathconf
fstatvfs getegid geteuid getgid getgroups getloadavg getpgid getpgrp getpriority getrandom getresgid
getresuid getsid getuid getxattr initgroups killpg lchown listxattr lockf major makedev memfd_create
minor mkfifo mknod nice openpty pathconf pidfd_open pipe2 posix_fadvise posix_fallocate posix_spawn
posix_spawnp pread preadv pwrite pwritev readv register_at_fork removexattr sched_getaffinity
sched_setaffinity sched_yield sendfile setegid seteuid setgid setgroups setpgid setpgrp setpriority
setregid setreuid setsid setuid setxattr splice statvfs sync sysconf tcgetpgrp tcsetpgrp ttyname uname
wait wait3 wait4 waitid writev O_ACCMODE O_CLOEXEC O_DIRECTORY O_DSYNC O_NOCTTY O_NOFOLLOW O_NONBLOCK
O_SYNC RTLD_GLOBAL RTLD_LAZY RTLD_LOCAL RTLD_NODELETE RTLD_NOLOAD RTLD_NOW WNOHANG WUNTRACED
"""

#: A folder of packages, and the paths in it of DLLs of a wheel, the first of which is in front.
site, *paths = map(Path, sys.argv[1:])
dlls = [site / path for path in paths]
folder = dlls[0].parent
for path in (*dlls, folder / "notes.dll"):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"MZ, which is all that there is of it")


def sources() -> Iterator[tuple[str, Path]]:
    """Yield the name and file of each module that needs no other package to be installed."""
    spec = find_spec("cudnn_cffi")
    assert spec, "the package is there"
    for half in (Path(each) for each in spec.submodule_search_locations or ()):
        for path in sorted(half.rglob("*.py")):
            parts = path.relative_to(half.parent).with_suffix("").parts
            if not {"jax", "torch", "_native", "_pyinstaller", "__main__"} & set(parts):
                yield ".".join(parts).removesuffix(".__init__"), path


def load_what_windows_has() -> None:
    """Import what modules import of Python's own, which looks for POSIX itself when it is loaded."""
    for _, path in sources():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names = [node.module]
            for name in names:
                if name.partition(".")[0] in sys.stdlib_module_names - set(MODULES.split()):
                    with suppress(ImportError):
                        importlib.import_module(name)


load_what_windows_has()
sys.modules.update(dict.fromkeys(MODULES.split()))
for name in FUNCTIONS.split():
    with suppress(AttributeError):  # not every system has all of them
        delattr(os, name)
sys.platform = "win32"
locking = ModuleType("msvcrt")
locking.LK_LOCK, locking.LK_UNLCK, locking.locking = 1, 0, None  # type: ignore[attr-defined]
sys.modules["msvcrt"] = locking
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
assert [each.path for each in found] == dlls[:1], found
majors = {locate.major_of(path) for path in dlls}
assert len(majors) == 1, f"sub-libraries tell their release: {majors}"
assert majors != {None}, "their names have a release"
try:
    cudnn_cffi.load()
except cudnn_cffi.errors.LibraryLoadError as error:
    assert dlls[0].name in str(error), error
else:
    raise AssertionError("what is no library was loaded")
assert set(asked) == {"kernel32", str(folder)}, asked
names = [name for name, _ in sources()]
for name in names:
    importlib.import_module(name)
assert len(names) > 400, len(names)
print("as on Windows")
