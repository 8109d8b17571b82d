"""Ask the driver and libcudnn in a child process, since a call into either can end the process.

The child writes each answer as a line of JSON as soon as it has it, so that a crash loses no answer
before it.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..library import Library


TIMEOUT = 120  # seconds; a first load from a network drive, and a first context, can take long

_MARK = "cudnn_cffi probe "


@dataclass(frozen=True)
class Device:
    """A GPU as the driver shows it to this process.

    Attributes:
        index: its ordinal.
        name: its name.
        capability: its compute capability, such as "9.0".
        memory: in bytes.
    """

    index: int
    name: str
    capability: str
    memory: int


@dataclass(frozen=True)
class Driver:
    """The driver library.

    Attributes:
        path: its file.
        cuda: the newest CUDA that it serves.
        package: its own version.
        devices: the GPUs.
        problem: why there is no driver, or no device; "" for no problem.
    """

    path: str = ""
    cuda: str = ""
    package: str = ""
    devices: tuple[Device, ...] = ()
    problem: str = ""


@dataclass(frozen=True)
class Loaded:
    """A libcudnn, as the child that loaded it describes it.

    Attributes:
        path: its file.
        how: how it was found.
        version: of cuDNN.
        cudart: the CUDA that it was made with, as CUDA counts: 13000 for 13.0.
        files: all files of cuDNN in the child.
        checks: the name of the status that each call returned, by the C name.
        planned: why a graph could not be planned for an H200 where there is no device, by the
            graph's name; "" for one that was.
        companions: the files of CUDA's libraries that cuDNN opens for some calls; "" for one that
            it would not find.
        warnings: what loading it warned of.
        error, text, hint: the name, message and hint of the exception that loading it raised.
        crashed: what the child did when it crashed; "" for no crash.
        output: what the child wrote to standard error then.
    """

    path: str = ""
    how: str = ""
    version: str = ""
    cudart: int = 0
    files: tuple[str, ...] = ()
    checks: dict[str, str] = field(default_factory=dict)
    planned: dict[str, str] = field(default_factory=dict)
    companions: dict[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    error: str = ""
    text: str = ""
    hint: str = ""
    crashed: str = ""
    output: str = ""


@dataclass(frozen=True)
class Answer:
    """The answers of a child."""

    driver: Driver
    library: Loaded


def ask(path: str | None = None, *, handle: bool = False) -> Answer:
    """Start a child that asks the driver and libcudnn, and return its answers.

    Args:
        path: the file of a libcudnn; by default the one that `load` finds.
        handle: whether to try `cudnnCreate` too, which takes a while if there is a GPU; without
            one, whether to plan graphs for a GPU that is described.

    A crash of the child is an answer, not an error.
    """
    if not sys.executable:
        problem = "not known: there is no Python program to ask in another process"
        return Answer(Driver(problem=problem), Loaded(text=problem))
    code = "import sys; sys.path[:] = sys.argv[3:]; import cudnn_cffi.diagnose.child as p; p.main()"
    command = [sys.executable, "-c", code, path or "", "handle" if handle else "", *sys.path]
    try:
        done = subprocess.run(
            command, capture_output=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.SubprocessError) as error:
        output = getattr(error, "output", None) or b""
        return _answer(output.decode(errors="replace"), str(error), 1)
    return _answer(
        done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"), done.returncode
    )


def _answer(stdout: str, stderr: str, status: int) -> Answer:
    driver: dict[str, Any] = {}
    library: dict[str, Any] = {"checks": {}}
    doing = "starting"
    for line in stdout.splitlines():
        if not line.startswith(_MARK):
            continue
        kind, value = json.loads(line.removeprefix(_MARK))
        if kind == "doing":
            doing = value
        elif kind == "driver":
            driver = value
        elif kind == "check":
            library["checks"].update(value)
        else:
            library.update(value)
    if status:
        library["crashed"] = doing
        library["text"] = f"{doing} ended the process: {_ending(status)}"
        library["output"] = stderr.strip()
    devices = tuple(Device(**device) for device in driver.pop("devices", ()))
    for name in ("files", "warnings"):
        library[name] = tuple(library.get(name, ()))
    if not driver:
        driver["problem"] = f"asking the driver ended the process: {_ending(status)}"
    return Answer(Driver(devices=devices, **driver), Loaded(**library))


def _ending(status: int) -> str:
    if status < 0:
        try:
            return signal.Signals(-status).name
        except ValueError:
            return f"signal {-status}"
    return f"exit status {status}"


# In the child ------------------------------------------------------------------------------------


def main() -> None:
    """Ask in this process, and write the answers to standard output."""
    path, handle = sys.argv[1], bool(sys.argv[2])
    if sys.platform != "win32":
        import resource

        # An abort is an answer here, nothing to leave a core file for.
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _report("doing", "asking the driver")
    driver = _driver()
    _report("driver", asdict(driver))
    _report("doing", "loading libcudnn")
    _probe_library(path or None, handle and bool(driver.devices))
    if handle and not driver.devices:
        _report("doing", "planning for an H200")
        _report("library", {"planned": dict(_planned())})


def _report(kind: str, value: object) -> None:
    print(_MARK + json.dumps([kind, value]), flush=True)


def _driver() -> Driver:
    from ..driver import libcuda

    problem = libcuda.why_unusable()
    found: dict[str, Any] = {}
    with suppress(OSError):
        dl = ctypes.CDLL(libcuda.NAMES[0])
        found |= {"path": _mapped_driver() or libcuda.NAMES[0], "package": _driver_package()}
        number = ctypes.c_int()
        if not dl.cuDriverGetVersion(ctypes.byref(number)):
            found["cuda"] = cuda_version(number.value)
        found["devices"] = tuple(_device(dl, index) for index in range(libcuda.count()))
    return Driver(**found, problem=problem)


def _device(dl: Any, index: int) -> Device:
    from ..driver.graphs import attribute

    name, memory = ctypes.create_string_buffer(256), ctypes.c_size_t()
    dl.cuDeviceGetName(name, len(name), ctypes.c_int(index))
    dl.cuDeviceTotalMem_v2(ctypes.byref(memory), ctypes.c_int(index))
    # CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, _MINOR
    capability = f"{attribute(index, 75)}.{attribute(index, 76)}"
    return Device(index, name.value.decode(errors="replace"), capability, memory.value)


def _mapped_driver() -> str:
    try:
        lines = os.fsdecode(Path("/proc/self/maps").read_bytes()).splitlines()
    except OSError:
        return ""
    return next((line[line.find("/") :] for line in lines if "/libcuda.so" in line), "")


def _driver_package() -> str:
    try:
        return Path("/sys/module/nvidia/version").read_text(encoding="utf-8").strip()
    except OSError:
        return ""


def cuda_version(number: int) -> str:
    """Return a version of CUDA, which counts 13050 for 13.5, as text."""
    return f"{number // 1000}.{number % 1000 // 10}"


def _probe_library(path: str | None, handle: bool) -> None:
    import cudnn_cffi.library as library
    import cudnn_cffi.library.locate as locate

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = library.load(path)
        except library.LibraryError as error:
            _report(
                "library",
                {"error": type(error).__name__, "text": error.message, "hint": error.hint},
            )
            return
    _report(
        "library",
        {
            "path": str(found.path),
            "how": found.how,
            "version": found.version,
            "cudart": found.cudart,
            "warnings": [str(warning.message) for warning in caught],
            "files": [str(file) for file in locate.mapped()],
            "companions": dict(_companions(found)),
        },
    )
    describe = ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_int)(found.address("cudnnGetErrorString"))
    for name, arguments in _calls(found.path, handle):
        if function := found.address(name):
            _report("doing", name)
            status = ctypes.CFUNCTYPE(ctypes.c_int)(function)(*arguments)
            _report("check", {name: (describe(status) or b"").decode()})
            _report("library", {"files": [str(file) for file in locate.mapped()]})


def _companions(found: Library) -> Iterator[tuple[str, str]]:
    """Yield the names and files of cuBLAS and NVRTC, as cuDNN or the loader finds them."""
    if sys.platform == "win32":
        return
    from ..library.locate import resolved
    from ..library.sublibraries import search_folders

    folders = dict.fromkeys(search_folders(found.path))
    for stem in ("libcublas", "libnvrtc"):
        name = f"{stem}.so.{found.cudart // 1000}"
        beside: list[str] = []
        with suppress(OSError):
            beside = [str(resolved(file)) for folder in folders for file in folder.glob(name)]
        try:
            yield name, beside[0] if beside else ctypes.CDLL(name)._name
        except OSError:
            yield name, ""


def _planned() -> Iterator[tuple[str, str]]:
    """Yield why graphs cannot be planned without a GPU: one that is not compiled, and one that is.

    The first may need less than the second: see docs/without-a-gpu.md.
    """
    from .. import library
    from ..errors import CudnnError

    if library.current() is None:
        return
    from ..graph import Graph

    os.environ["CUDNN_CFFI_PLAN_CACHE"] = "0"  # what another process planned says nothing of this
    for name in ("convolution", "ReLU"):
        g = Graph(io_data_type="HALF")
        x = g.tensor((1, 64, 8, 8))
        g.output(g.relu(x) if name == "ReLU" else g.convolution(x, g.tensor((64, 64, 1, 1))))
        try:
            g.build(device="H200")
            yield name, ""
        except CudnnError as error:
            missing = [line.strip() for line in error.message.splitlines() if "PREREQ" in line]
            yield name, (missing or error.message.splitlines())[0]


def _calls(path: Path, handle: bool) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Yield calls to try: one into each sub-library that has one without arguments, and others."""
    import re

    if path.stat().st_size < 8 << 20:
        names = set(re.findall(rb"cudnn[A-Z]\w*VersionCheck\b", path.read_bytes()))
        yield from ((name.decode(), ()) for name in sorted(names))
    for name in ("cudnnCreateTensorDescriptor", *(["cudnnCreate"] if handle else [])):
        made = ctypes.c_void_p()
        yield name, (ctypes.byref(made),)
        if made.value:
            yield name.replace("Create", "Destroy"), (made,)
