"""The extension for PyTorch that records nodes of known calls: found, compiled and loaded.

PyTorch's interface in C++ changes with each release, and its stable part has no nodes of autograd.
So the source comes with this package, and a C++ compiler makes a file of it in the user's cache: in
the background, when a layer first records a gradient. Until then, and where that cannot be done,
autograd functions of Python record nodes: with the same numbers, in more time.
"""

from __future__ import annotations

import logging
import os
import subprocess
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
from ...choice.store.extension import COMPILING, call_of_compiler, reason, target

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


def load() -> bool:
    """Load what was compiled before, and return whether it is there and in use."""
    if _loaded:
        return True
    if reason():
        return False
    file = target()
    try:
        why = files.distrust(file.parent.stat()) or files.distrust(file.stat())
    except OSError:
        return False
    if why:
        _log.warning("%s is not used: %s", file, why)
        return False
    loader = ExtensionFileLoader("_recorder", str(file))
    try:
        module = module_from_spec(spec_from_loader("_recorder", loader))  # type: ignore[arg-type]
        loader.exec_module(module)
    except ImportError as error:
        _log.warning("%s is not used: %s", file, error)
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
        if time.time() - lock.stat().st_mtime > COMPILING:
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
    why = reason()
    if why:
        raise errors.CudnnError(f"nodes of autograd are not recorded in C++: {why}")
    file = target()
    lock, failed = file.with_suffix(".lock"), file.with_suffix(".failed")
    new = file.with_suffix(".new")
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    while not load():
        if file.exists():
            raise errors.CudnnError(f"{file} cannot be used")
        if not _claim(lock):
            time.sleep(0.1)
            continue
        places = {"target": file, "lock": lock, "failed": failed, "new": new}
        try:
            command = call_of_compiler(new, is_new_abi=torch._C._GLIBCXX_USE_CXX11_ABI)
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
            text = failed.read_text(encoding="utf-8", errors="replace") if failed.exists() else ""
            raise errors.CudnnError(
                f"the nodes of autograd cannot be compiled: {command[0]} failed\n{text[-2000:]}"
            )
    return file


def start() -> None:
    """Begin to compile in the background, once, unless that has failed before."""
    if _is_started or _loaded:
        return
    _is_started.append(True)
    if reason() or not torch.cuda.is_available():
        return
    failed = target().with_suffix(".failed")
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
