"""The extension for PyTorch that records nodes of known calls: found, compiled and loaded.

PyTorch's interface in C++ changes with each release, and its stable part has no nodes of autograd.
So the source comes with this package, and a C++ compiler makes a file of it in the user's cache: in
the background, when a layer first records a gradient. Until then, and where that cannot be done,
autograd functions of Python record nodes: with the same numbers, in more time.
"""

from __future__ import annotations

import hashlib
import logging
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from typing import Any

import torch

from ... import errors
from ..._call.layer import get_compiled
from ..._support import files
from ...choice.store import disk

__all__ = ["VARIABLE", "compile_nodes", "extension", "left_out", "load", "start"]

#: The environment variable that turns it off.
VARIABLE = "CUDNN_CFFI_TORCH_NODES"

#: A compiler takes no more seconds than this: then it was killed.
_COMPILING = 600

#: Runs a compiler; what it says stays where it fails.
_SCRIPT = """
umask 077
if nice -n 5 "$@" 2> "$failed"; then mv -f "$new" "$target" && rm -f "$failed"; fi
status=$?
rm -f "$lock" "$new"
exit $status
"""

_log = logging.getLogger("cudnn_cffi.torch")

_type: Any = get_compiled("cudnn_cffi_node_type")

#: The module that was loaded; one item, or none.
_loaded: list[Any] = []
_is_started: list[bool] = []


def _reason() -> str:
    """Return why there is no extension here; "" where there may be one."""
    if os.environ.get(VARIABLE, "").strip().lower() in ("0", "off", "no", "false"):
        return f"{VARIABLE} turns it off"
    if _type is None:
        return "the call layer is not compiled"
    if sys.platform != "linux" or sysconfig.get_config_var("Py_GIL_DISABLED"):
        return "it is for Linux, and for Python with its lock"
    if disk.folder() is None:
        return f"{disk.VARIABLE} leaves it no folder"
    if not _source().exists():
        return f"{_source()} is missing"
    return ""


def _source() -> Path:
    """Return the source, which a wheel has with the generator, and a checkout in its own folder."""
    home = Path(__file__).parents[3]
    own = home / "cudnn_cffi_generator" / "native" / "recorder.cc"
    return own if own.exists() else home.parent / "native" / own.name


def _target() -> Path:
    """Return the file for this source, PyTorch and Python."""
    source = _source()
    version = f"{torch.__version__} {torch.version.git_version} {sysconfig.get_config_var('SOABI')}"
    key = hashlib.sha256(version.encode())
    for name in (source.name, "kernels.h", "recorder.h", "dlpack.h"):
        key.update((source.parent / name).read_bytes())
    folder = disk.folder()
    assert folder is not None
    return folder / "torch-nodes" / f"{key.hexdigest()[:32]}.so"


def _command(target: Path) -> list[str]:
    """Return the call of the compiler.

    Raises:
        CudnnError: there is none, or PyTorch has no headers.
    """
    named = shlex.split(os.environ.get("CXX", ""))
    found = [each for each in ("c++", "g++", "clang++") if shutil.which(each)]
    compiler = named or found[:1]
    home = Path(torch.__file__).parent
    python = sysconfig.get_path("include")
    for what, is_there in (
        ("a C++ compiler", bool(compiler)),
        ("PyTorch's headers", (home / "include" / "torch" / "csrc").exists()),
        ("Python's headers", Path(python, "Python.h").exists()),
    ):
        if not is_there:
            raise errors.CudnnError(f"the nodes of autograd cannot be compiled without {what}")
    include = home / "include"
    has_cuda = (home / "lib" / "libtorch_cuda.so").exists()
    cuda = ["-ltorch_cuda"] if has_cuda else ["-DRECORDER_DEVICE=kCPU"]
    return [
        *compiler, "-std=c++20", "-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-w",
        f"-D_GLIBCXX_USE_CXX11_ABI={int(torch._C._GLIBCXX_USE_CXX11_ABI)}",
        f"-I{python}", "-isystem", str(include),
        "-isystem", str(include / "torch" / "csrc" / "api" / "include"),
        str(_source()), "-o", str(target), f"-L{home / 'lib'}",
        "-ltorch_python", "-ltorch_cpu", "-lc10", *cuda,
    ]  # fmt: skip


def load() -> bool:
    """Load what was compiled before, and return whether it is there and in use."""
    if _loaded:
        return True
    if _reason():
        return False
    target = _target()
    try:
        why = files.distrust(target.parent.stat()) or files.distrust(target.stat())
    except OSError:
        return False
    if why:
        _log.warning("%s is not used: %s", target, why)
        return False
    loader = ExtensionFileLoader("_recorder", str(target))
    try:
        module = module_from_spec(spec_from_loader("_recorder", loader))  # type: ignore[arg-type]
        loader.exec_module(module)
    except ImportError as error:
        _log.warning("%s is not used: %s", target, error)
        return False
    module.set_twin(make_twin)
    if not _type._record_by(module.table):
        return False
    _loaded.append(module)
    return True


def extension() -> Any:
    """Return the module, which is loaded if it was compiled before; None where there is none."""
    return _loaded[0] if load() else None


@contextmanager
def left_out() -> Iterator[None]:
    """Have autograd functions of Python record nodes in a `with` block, in all threads."""
    if _loaded:
        _type._record_by(None)
    try:
        yield
    finally:
        if _loaded:
            _type._record_by(_loaded[0].table)


_twins: dict[Any, Any] = {}


def make_twin(layer: Any, scope: object, kept: Any, results: Any, given: Any) -> Any:
    """Return a tensor of a node that a layer's autograd function records, for compiled autograd.

    Args:
        layer: the layer, which is not called.
        scope: the policy of the scopes that were open in the call.
        kept: the tensors that its gradients need.
        results, given: tensors like those of the call.
    """
    function = layer._function
    if function not in _twins:
        made: Any = type(
            function.__name__, (function,), {"forward": staticmethod(_forward_of_twin)}
        )
        made._backward_cls.apply = function._backward_cls.apply
        made._backward_cls.scope = None
        _twins[function] = made
    base: Any = torch.autograd.Function
    with torch.enable_grad():
        found = super(base, _twins[function]).apply((layer, scope, kept, results), *given)
    return found if len(results) == 1 else found[0]


def _forward_of_twin(ctx: Any, what: Any, *_: object) -> Any:
    ctx.layer, scope, kept, results = what
    if scope is not None:
        ctx.scope = scope
    ctx.save_for_backward(*kept)
    return results[0] if len(results) == 1 else results


def _claim(lock: Path) -> bool:
    """Return whether this process is the one that compiles."""
    with suppress(OSError):
        if time.time() - lock.stat().st_mtime > _COMPILING:
            lock.unlink()
    try:
        os.close(os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        return False
    return True


def compile_nodes() -> Path:
    """Compile what records the nodes of autograd in C++, unless it was, and use it.

    This happens by itself in the background when a layer first records a gradient; this function
    waits for it. It takes some 20 s of a C++ compiler, once for each release of PyTorch and of this
    package, since the file is kept beside [saved plans](graph.md#what-is-remembered).

    Returns: the file.

    Raises:
        CudnnError: there is no compiler, or it fails; or nodes in C++ are not for this machine.
    """
    if _loaded:
        return Path(_loaded[0].__file__)
    reason = _reason()
    if reason:
        raise errors.CudnnError(f"nodes of autograd are not recorded in C++: {reason}")
    target = _target()
    lock, failed = target.with_suffix(".lock"), target.with_suffix(".failed")
    new = target.with_suffix(".new")
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    while not load():
        if target.exists():
            raise errors.CudnnError(f"{target} cannot be used")
        if not _claim(lock):
            time.sleep(0.1)
            continue
        places = {"target": target, "lock": lock, "failed": failed, "new": new}
        try:
            command = _command(new)
            # It goes on if this process ends.
            child = subprocess.Popen(
                ["/bin/sh", "-c", _SCRIPT, "sh", *command], start_new_session=True,
                env={**os.environ, **{name: str(path) for name, path in places.items()}},
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )  # fmt: skip
        except BaseException:
            lock.unlink(missing_ok=True)
            raise
        if child.wait():
            text = failed.read_text(errors="replace") if failed.exists() else ""
            raise errors.CudnnError(
                f"the nodes of autograd cannot be compiled: {command[0]} failed\n{text[-2000:]}"
            )
    return target


def start() -> None:
    """Begin to compile in the background, once, unless that has failed before."""
    if _is_started or _loaded:
        return
    _is_started.append(True)
    if _reason() or not torch.cuda.is_available():
        return
    failed = _target().with_suffix(".failed")
    with suppress(OSError):
        if failed.stat().st_size:
            _log.info("nodes of autograd are Python's: %s has the compiler's reason", failed)
            return
    threading.Thread(target=_compile, name="cudnn_cffi nodes", daemon=True).start()


def _compile() -> None:
    try:
        compile_nodes()
    except (errors.CudnnError, OSError) as error:
        _log.info("nodes of autograd are Python's: %s", error)
