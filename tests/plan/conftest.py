"""Plans that run on a stand-in for cuDNN and the driver, with arrays at any address."""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest
from cudnn_cffi.arrays.libraries import cupy_stream
from cudnn_cffi.handles import placing
from cudnn_cffi.memory import Memory
from cudnn_cffi.plan.arrays import cupy_fields
from cudnn_cffi.plan.run import compiled as compiled_layer

from tests.fake_driver import FakeDriver
from tests.plan.standin import CONVOLUTION, StandIn, fake_cupy, fake_torch, fake_views, own


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> FakeDriver:
    return FakeDriver().install(monkeypatch.setattr)


@pytest.fixture
def standin(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    for name in ("cudnn", "driver"):
        request.getfixturevalue(name)
    from cudnn_cffi.handles import origins, pool, workspace

    made = StandIn()
    monkeypatch.setattr(pool, "_held", pool.OfThread())
    monkeypatch.setattr(placing, "_following", pool.OfThread())
    monkeypatch.setattr(origins, "by_address", {})
    monkeypatch.setattr(origins, "idle", {})
    addresses = iter(range(0x700000, 0xF00000, 0x10000))

    def allocate(size: int, device: int, stream: Any, _resource: Any = None) -> Memory:
        return Memory.borrow(next(addresses), size, device, stream, object())

    monkeypatch.setattr(workspace, "Memory", allocate)
    monkeypatch.setattr("cudnn_cffi.plan.run.launcher.Memory", allocate)
    monkeypatch.setattr("cudnn_cffi.plan.run.launcher.has_core", lambda: True)
    monkeypatch.setattr("cudnn_cffi.plan.arrays.outputs.Memory", allocate)
    made.bind()
    try:
        yield made
        for held in (pool._held.handles, placing._following.handles):
            for handle in list(held.values()):
                handle.close()
            held.clear()
    finally:
        made.unbind()


class Library:
    """A library of arrays: what makes them, and how its current stream is set."""

    def __init__(self, name: str, make: Any, module: Any) -> None:
        self.name, self.make, self.module = name, make, module
        self.makes_outputs = name not in UNKNOWN

    def arrays(self, **changes: dict[str, Any]) -> list[Any]:
        """Return x, w and y; `changes` are of one of them, by its name."""
        return [
            self.make(each, **{"address": 0x10000 * (1 + place)} | changes.get(each.name, {}))
            for place, each in enumerate(CONVOLUTION)
        ]


#: Libraries that make outputs; and arrays of unknown ones, whose outputs have to be passed.
KNOWN, UNKNOWN = ["own", "torch", "cupy", "cupy in C"], ["view", "owner"]
if sysconfig.get_config_var("Py_GIL_DISABLED"):
    del KNOWN[-1]  # its fields are read where Python has its lock only


@pytest.fixture(params=[*KNOWN, *UNKNOWN])
def arrays(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Library:
    return make_library(request.param, monkeypatch)


@pytest.fixture(params=KNOWN)
def known_arrays(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Library:
    """Return a library that makes outputs; for other folders, as `arrays`."""
    return make_library(request.param, monkeypatch)


def make_library(name: str, monkeypatch: pytest.MonkeyPatch) -> Library:
    if name == "own":
        return Library(name, own, None)
    if name in UNKNOWN:
        return Library(name, fake_views(name), None)
    if name == "torch":
        module = fake_torch()
        module.current = module.made = 0
        module.made_in.clear()
        monkeypatch.setitem(sys.modules, "torch", module)
        # The real one's, where that was imported before, makes no such tensors.
        monkeypatch.delitem(sys.modules, "torch._C._dynamo.guards", raising=False)
        return Library(name, module.Tensor, module)
    module, backends = fake_cupy(name)
    module.current = module.made = 0
    module.made_in.clear()
    cupy_stream.cache_clear()
    cupy_fields.current_stream.cache_clear()
    monkeypatch.setitem(sys.modules, "cupy", module)
    monkeypatch.setitem(sys.modules, "cupy_backends", ModuleType("cupy_backends"))
    monkeypatch.setitem(sys.modules, "cupy_backends.cuda", backends)
    return Library("cupy", module.ndarray, module)


@pytest.fixture
def compiled() -> bool:
    return compiled_layer.native is not None
