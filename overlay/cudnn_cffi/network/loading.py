"""Load a network's file: check it, make its plans, and copy its weights to the device."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from typing import Any

from .. import errors, handles, library
from .._support.arguments import boolean
from ..driver import libcuda
from ..handles import Handle
from ..plan import Plan, saving
from ..plan.operand import span
from ..plan.sequence import BUFFER, Part
from ..versions import version_name
from . import format as f
from .network import HELD, FunctionStep, Network
from .reading import operands_of, read_file, read_pieces, work_of
from .weights import Weights

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..choice import DeviceProperties

# Loading wants neither graphs nor choices, whose import takes longer than that of all the rest.

#: The engines that were opened in this process.
_opened: set[int] = set()


def load_network(
    path: str | os.PathLike[str],
    handle: Handle | None = None,
    *,
    device: DeviceProperties | str | None = None,
    rebuild: bool = False,
) -> Network:
    """Return a network from a file of `cudnn_cffi.torch.package`.

    It needs neither PyTorch nor a compiler. All checksums are compared before anything runs.

    Args:
        path: the file.
        handle: of the device that will run it; by default this thread's.
        device: "H200", or `DeviceProperties`, to see whether the file fits a device that need not
            be there. The network cannot be called.
        rebuild: whether to build plans anew, of the graphs in the file, if that is for another
            device or release. Other engines may round otherwise.

    Raises:
        AllocationError: the device does not have enough memory left.
        ArchMismatchError: the file is for another device.
        NetworkFileError: it is damaged, cut off, or of a newer format.
        NoPlanError: a graph has no plan on this device.
        NotSupportedError: plans have to be built anew, and the file has no graphs.
        OSError: it cannot be read.
        VersionMismatchError: the file is for another release of cuDNN, or another CUDA.
    """
    rebuild, file = boolean(rebuild, "rebuild"), read_file(path)
    if handle is not None and device is not None:
        raise errors.ArgumentError("expected a handle or a device, got both")
    if isinstance(device, str):
        from ..choice import DeviceProperties

        device = DeviceProperties(device)
    with ExitStack() as reading:
        with _opening(file) if device is None else nullcontext():
            if device is None:
                handle = handles.handle() if handle is None else handles.lasting(handle)
            expected = (
                saving.device_profile(handle.device)
                if handle is not None
                else saving.described_profile(device)
            )
            why = _why_not(file.header, expected)
            if why is not None and not rebuild:
                raise why
            weights = reading.enter_context(_weights(path, file, handle))
        with handle._current() if handle is not None else nullcontext():
            plans = [
                _restored(file, each, expected, handle, device)
                if why is None
                else _rebuilt(file, each, handle, device)
                for each in file.plans
            ]
        steps = [_part(file, step, plans) for step in file.steps]
    return Network(
        steps,
        [each.operand for each in file.tensors],
        buffers=file.header.arena,
        weights=weights,
        handle=handle,
        device=device,
        about={
            "path": os.fspath(path),
            "release": version_name(file.header.release),
            "weights_size": file.header.weights,
            "rebuilt": why is not None,
        },
    )


def _why_not(header: f.Header, expected: saving.Profile) -> errors.CudnnError | None:
    """Return the error for a file of another release or device; None for one that fits."""
    hint = "package the model there; load_network(path, rebuild=True) builds its graphs anew"
    loaded = library.load()
    wanted = f"cuDNN {loaded.version} for CUDA {loaded.cudart // 1000}"
    found = f"cuDNN {version_name(header.release)} for CUDA {header.cuda}"
    if found != wanted:
        return errors.VersionMismatchError(
            f"the file of a network: expected one of {wanted}, got one of {found}", hint=hint
        )
    got = profile_of(header)
    if any(got.get(name) != value for name, value in expected.items()):
        return errors.ArchMismatchError(
            f"the file of a network: expected one for {saving.words(expected)}, got one for "
            f"{saving.words(got)}",
            hint=hint,
        )
    return None


@contextmanager
def _opening(file: f.File) -> Iterator[None]:
    """Have cuDNN open the engines of a file while a block makes a context, and reads weights.

    An engine's first plan opens libraries, and lists their kernels. One for a device that is only
    described does, too, and needs neither.
    """
    first = {each.engine: each for each in file.plans if each.engine not in _opened}
    if not first or file.header.release != library.load().number or libcuda.why_absent():
        yield
        return
    with ThreadPoolExecutor() as pool:  # a file may name any number of engines
        for each in first.values():
            pool.submit(_open, file, each)
        yield
    _opened.update(first)


def _open(file: f.File, stored: f.StoredPlan) -> None:
    """Make a plan for a described device, if the release has these."""
    with suppress(errors.CudnnError, ValueError, LookupError, TypeError):
        profile = json.loads(_text(file, stored.text, stored.text_size))["GPUProfile"]
        _restored(file, stored, profile, None, None).close()


def profile_of(header: f.Header) -> saving.Profile:
    """Return what tells the device of a file from others."""
    return {
        "deviceName": f.from_name(header.device),
        "multiProcessorCount": header.multiprocessors,
        "deviceVer": header.architecture,
    }


def _text(file: f.File, begin: int, size: int) -> str:
    try:
        return file.texts[begin : begin + size].decode()
    except UnicodeDecodeError:
        raise f.damaged("a text is not UTF-8") from None


def _restored(
    file: f.File, stored: f.StoredPlan, profile: saving.Profile, handle: Handle | None, device: Any
) -> Plan:
    """Return a plan of cuDNN's text."""
    saved: saving.Saved = {
        "operands": tuple(operands_of(file, stored)),
        "plan": _text(file, stored.text, stored.text_size),
        "engine": stored.engine,
        "notes": [],
        "signature": "",
        "text": "",
        "replays": bool(stored.replays),
        "profile": profile,
    }
    return Plan._loaded(saved, handle, device)


def _rebuilt(file: f.File, stored: f.StoredPlan, handle: Handle | None, device: Any) -> Plan:
    """Return a plan of the graph, for another device or release."""
    if not stored.source_size:
        raise errors.NotSupportedError(
            "the file of a network has no graphs, so its plans cannot be built anew",
            hint="package the model with sources=True",
        )
    from ..graph import Graph

    graph = Graph.from_json(_text(file, stored.source, stored.source_size))
    plan = graph.build(handle, device, split=False)
    made, wanted = (
        {each.name: (each.role, each.data_type, span(each)) for each in several}
        for several in (plan._takes, operands_of(file, stored))
    )
    if made != wanted:  # or it would write beyond its place
        raise errors.NotSupportedError(
            f"a plan was built anew for {made}, and the file of the network has {wanted}"
        )
    return plan


def _part(file: f.File, step: f.Step, plans: list[Plan]) -> Part:
    work = work_of(file, step)
    operands = operands_of(file, work)
    made: Any = FunctionStep(work, operands) if isinstance(work, f.Call) else plans[step.number]
    places = {}
    for each, place in zip(operands, file.places[step.place :], strict=False):
        known = {f.ARENA: BUFFER, f.WEIGHTS: HELD}
        where = known.get(place.where) or file.tensors[place.tensor].operand.name
        places[each.name] = where, place.offset
    return Part(made, places)


@contextmanager
def _weights(
    path: str | os.PathLike[str], file: f.File, handle: Handle | None
) -> Iterator[Weights | None]:
    """Read the weights, and copy them to the device, while a block runs and until it has ended."""
    weights = None if handle is None else Weights(file.header.weights, handle._context)
    take = None if weights is None else weights.write
    try:
        with ThreadPoolExecutor(1) as pool:
            done = pool.submit(read_pieces, path, file, take)
            yield weights
            done.result()
        if weights is not None:
            weights.settle()
    except BaseException:
        if weights is not None:
            weights.close()
        raise
