"""Operations make no state in device memory while a stream is captured."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from cudnn_cffi import errors, handles, ops
from cudnn_cffi._operation import launching
from cudnn_cffi._operation import way_search as ways
from cudnn_cffi._ways import call_sequence as steps
from cudnn_cffi.choice.policy import Rule
from cudnn_cffi.choice.store import choices as book
from cudnn_cffi.ops.rnn import layout as networks


def test_constants_and_lengths(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waiting for a stream that is captured ends the capture; copies are made in its context."""
    done: list[str] = []

    @contextmanager
    def current() -> Iterator[None]:
        done.append("context")
        yield
        done.append("context before")

    handle = SimpleNamespace(device=0, stream=None, get_stream=lambda: 0x77, _current=current)

    def memory(size: int, *_: Any) -> Any:
        done.append(f"{size} bytes")
        return SimpleNamespace(address=16)

    driver = SimpleNamespace(synchronize=lambda stream: done.append(f"wait for {stream:#x}"))
    for name, value in (
        ("Memory", memory), ("driver", driver),
        ("copy_in", lambda address, data: done.append(f"{data!r} to {address}")),
    ):  # fmt: skip
        monkeypatch.setattr(steps, name, value)
    sizes = networks.Sizes(3, 2, (3, 1))
    monkeypatch.setattr(steps, "is_captured", lambda _: True)
    with pytest.raises(errors.NotSupportedError, match="while a stream is captured") as caught:
        networks.Network.lengths(sizes, handle)
    assert "once before the capture" in caught.value.hint
    with pytest.raises(errors.NotSupportedError, match="while a stream is captured"):
        steps.constant_of(handle, bytes(8))
    assert not done
    monkeypatch.setattr(steps, "is_captured", lambda _: False)
    networks.Network.lengths(sizes, handle)
    data = bytes([3, 0, 0, 0, 1, 0, 0, 0])
    copied = f"{data!r} to 16"
    assert done == ["8 bytes", "context", "wait for 0x77", copied, "context before"]


def test_networks_refuse_a_capture_before_they_ask_cudnn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some algorithms load kernels when they are described, which would end the capture."""
    network = ops.LSTM(4, 8).network
    monkeypatch.setattr(steps, "is_captured", lambda _: True)
    monkeypatch.setattr(network, "descriptor", None)
    handle: Any = SimpleNamespace(device=0, stream=None)
    with pytest.raises(errors.NotSupportedError, match="while a stream is captured"):
        network.prepare(
            handle, networks.Sizes(3, 2, (3, 1)), "float32", "PERSIST_DYNAMIC", "FMA_MATH", None,
            drop=False,
        )  # fmt: skip


def test_large_arrays_in_a_capture(monkeypatch: pytest.MonkeyPatch) -> None:
    """No engine is compiled there: what a classic function computes as well goes to that one."""

    class _Both(ops.Scale):
        def _by_graph(self, *_: Any) -> Any:
            raise errors.CudnnError("a stream is being captured")

        def classic(self, *_: Any) -> Any:
            return Given()

        def device_of(self, *_: Any) -> int:
            return 0

    class Given(ops.Classic):
        """A classic call that does nothing."""

        inputs = (SimpleNamespace(name="x"),)  # type: ignore[assignment]
        attempt: Any = None

        def __init__(self) -> None:
            self.algorithm, self.workspace_size = "", 0

        def __call__(self, *_: Any, **__: Any) -> Any:
            return None

    monkeypatch.setattr(handles, "handle", lambda *_: "handle")
    monkeypatch.setattr(handles, "limit_of", lambda *_: None)
    key: Any = SimpleNamespace(_replace=lambda **_: key)
    monkeypatch.setattr(ways, "key_of", lambda *_: key)
    monkeypatch.setattr(book, "search", lambda *_: None)
    listed: list[Any] = []
    monkeypatch.setattr(book, "note", listed.append)
    operation = _Both(2.0)
    x = ops.Spec.like((2048, 2048))
    case = operation.case(x)
    for captured in (True, False):
        for module in (ways, launching):
            monkeypatch.setattr(module, "is_captured", lambda _, captured=captured: captured)
        if captured:
            way = ways.find_first(operation, case, Rule(pick="heuristic"), "handle", None)
            assert isinstance(way, Given)
            # Calls after the capture look for an engine again, and nobody is told of this choice.
            operation(x)  # type: ignore[type-var]
            assert not operation.plans
            assert not operation._last
            assert not listed
        else:
            with pytest.raises(errors.CudnnError, match="captured"):
                ways.find_first(operation, case, Rule(pick="heuristic"), "handle", None)
        with pytest.raises(errors.CudnnError, match="captured"):
            ways.find_first(operation, case, Rule(pick="heuristic", via="graph"), "handle", None)
