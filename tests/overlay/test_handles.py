"""Handles and streams as far as they go without a GPU: failures, forks, what belongs to whom."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from typing import Any

import pytest
from cudnn_cffi import _driver
from cudnn_cffi.streams import Stream, stream_pointer

without_gpu = pytest.mark.skipif(bool(_driver.count()), reason="there is a GPU")


@without_gpu
class TestWithoutADevice:
    def test_the_error_says_what_is_missing(self, cudnn: Any) -> None:
        with pytest.raises(cudnn.CudnnError, match="cudnnCreate") as caught:
            cudnn.Handle()
        assert caught.value.arguments["driver"]
        assert "driver=" in str(caught.value)
        with pytest.raises(cudnn.CudnnError):
            cudnn.handle()

    def test_nothing_is_left_of_it(self, cudnn: Any) -> None:
        from cudnn_cffi import handles

        before = dict(handles._live)
        for _ in range(100):
            with pytest.raises(cudnn.CudnnError):
                cudnn.Handle()
        assert handles._live == before

    @pytest.mark.parametrize(
        "make", [Stream, lambda: Stream(1)], ids=["a stream", "a stream of a device"]
    )
    def test_streams_say_it_too(self, cudnn: Any, make: Any) -> None:
        with pytest.raises(cudnn.CudnnError, match="driver"):
            make()

    def test_arrays_say_it_too(self, cudnn: Any) -> None:
        pytest.importorskip("cuda.core")
        with pytest.raises(cudnn.CudnnError, match="driver"):
            cudnn.DeviceArray.empty((2, 3))


class TestStreamPointers:
    def test_taken(self) -> None:
        class Protocol:
            def __cuda_stream__(self) -> tuple[int, int]:
                return (0, 0x77)

        class Torch:
            cuda_stream = 0x78

        class CuPy:
            ptr = 0x79

        class PyCuda:
            handle = 0x7A

        assert stream_pointer(None) == 0
        assert stream_pointer(5) == 5
        found = [stream_pointer(each()) for each in (Protocol, Torch, CuPy, PyCuda)]
        assert found == [0x77, 0x78, 0x79, 0x7A]

    @pytest.mark.parametrize("stream", [True, 1.5, "stream", b"", object(), -1, 1 << 64], ids=repr)
    def test_refused(self, cudnn: Any, stream: Any) -> None:
        with pytest.raises(cudnn.CudnnError, match="stream was expected"):
            stream_pointer(stream)


class TestForeignHandles:
    def test_a_borrowed_one_is_never_destroyed(
        self, cudnn: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(
            cudnn.Handle, "_destroy", staticmethod(lambda address: pytest.fail(hex(address)))
        )
        with cudnn.Handle.from_address(0x1234) as handle:
            assert handle.address == 0x1234
            assert repr(handle) == "Handle(0x1234 device 0)"
        assert handle.closed
        assert repr(handle) == "Handle(closed)"

    @pytest.mark.parametrize("address", [0, None, 1.5, True, "x"])
    def test_what_is_no_address(self, cudnn: Any, address: Any) -> None:
        with pytest.raises(cudnn.CudnnError):
            cudnn.Handle.from_address(address)

    def test_a_closed_one_is_refused(self, cudnn: Any) -> None:
        handle = cudnn.Handle.from_address(0x1234)
        handle.close()
        handle.close()
        with pytest.raises(cudnn.CudnnError, match=r"cudnnGetStream: handle: .*closed"):
            cudnn.cudnnGetStream(handle)
        with pytest.raises(cudnn.CudnnError, match="closed"):
            handle.address  # noqa: B018

    def test_children_die_first_and_the_last_one_first_of_all(self, cudnn: Any) -> None:
        order = []

        class Child:
            def __init__(self, name: str, handle: Any) -> None:
                self.name = name
                self.handle = handle
                handle.adopt(self)

            def close(self) -> None:
                assert not self.handle.closed
                order.append(self.name)

        handle = cudnn.Handle.from_address(0x1234)
        kept = [Child("one", handle), Child("two", handle)]
        Child("gone", handle)
        handle.close()
        assert order == ["two", "one"]
        assert len(kept) == 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="takes fork")
def test_a_handle_does_not_survive_a_fork(cudnn: Any) -> None:
    code = """
        import os, sys
        import cudnn_cffi as cudnn

        handle = cudnn.Handle.from_address(0x1234)
        child = os.fork()
        if child == 0:
            code = 1
            try:
                cudnn.cudnnGetStream(handle)
            except cudnn.CudnnError as error:
                code = 0 if type(error).__name__ == "ForkedError" else 2
            try:
                cudnn.Handle()
            except cudnn.CudnnError as error:
                code += 0 if type(error).__name__ == "ForkedError" else 4
            handle.close()
            os._exit(code)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), handle.closed)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        env=os.environ | {
            "CUDNN_CFFI_LIBRARY": str(cudnn.load().path),
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        },
        capture_output=True,
        text=True,
    )  # fmt: skip
    assert done.stdout == "0 False\n", done.stdout + done.stderr


class TestSeveralDevices:
    """What a handle does about contexts where there are several, with a driver that only notes."""

    @pytest.fixture
    def contexts(self, monkeypatch: pytest.MonkeyPatch) -> list[int]:
        """The current context, last, and those before it. Device n has the context 0x1000 + n."""
        noted = [0x1000]
        monkeypatch.setattr(_driver, "count", lambda: 2)
        monkeypatch.setattr(_driver, "current_context", lambda: noted[-1])
        monkeypatch.setattr(_driver, "set_context", noted.append)
        monkeypatch.setattr(_driver, "primary_context", lambda device: 0x1000 + device)
        monkeypatch.setattr(_driver, "device_of", lambda context=0: (context or noted[-1]) & 0xFFF)
        return noted

    def test_its_context_is_current_for_the_time_of_a_call(
        self, cudnn: Any, contexts: list[int]
    ) -> None:
        from cudnn_cffi import _call

        def call(handle: Any) -> tuple[int, int]:
            return contexts[-1], handle._cudnnHandle_t

        def through(handle: Any) -> tuple[int, int]:
            try:
                return call(handle)
            except _call.CONVERT as error:
                return _call.slow(call, "cudnnGetStream", (handle,), error)

        zero = cudnn.Handle.from_address(0x1234)
        one = cudnn.Handle.from_address(0x5678, device=1)
        assert (zero.device, one.device) == (0, 1)
        assert (zero.address, one.address) == (0x1234, 0x5678)
        assert through(zero) == (0x1000, 0x1234)
        assert contexts == [0x1000]
        assert through(one) == (0x1001, 0x5678)
        assert contexts == [0x1000, 0x1001, 0x1000]

    def test_the_context_comes_back_after_a_failure(self, cudnn: Any, contexts: list[int]) -> None:
        from cudnn_cffi import _call

        one = cudnn.Handle.from_address(0x5678, device=1)

        def fail(_: Any) -> None:
            raise KeyError("from the call itself")

        with pytest.raises(KeyError):
            _call.slow(fail, "cudnnGetStream", (one,), TypeError())
        assert contexts == [0x1000, 0x1001, 0x1000]

    def test_it_is_a_handle_all_the_same(self, cudnn: Any, contexts: list[int]) -> None:
        class Own(cudnn.Handle):  # type: ignore[misc, name-defined]
            __slots__ = ()

        own = Own.from_address(0x1234, device=1)
        assert isinstance(own, Own)
        assert type(own).__name__ == "Own"
        assert repr(own) == "Handle(0x1234 device 1)"
        own.close()
        assert own.closed
        assert contexts == [0x1000, 0x1001, 0x1000], "closing leaves the context that was"
        with pytest.raises(cudnn.CudnnError, match="the Own is closed"):
            cudnn.cudnnGetStream(own)

    def test_each_device_has_a_handle_of_its_own_in_a_thread(
        self, cudnn: Any, contexts: list[int], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from cudnn_cffi import handles

        made = iter(range(0x9000, 0x9100))
        monkeypatch.setattr(handles._graph, "cudnnCreate", lambda: next(made))
        monkeypatch.setattr(cudnn.Handle, "_destroy", staticmethod(lambda _: None))
        monkeypatch.setattr(handles, "_held", handles._Held())
        zero, one = cudnn.handle(0), cudnn.handle(1)
        assert zero is not one
        assert cudnn.handle(0) is zero
        assert cudnn.handle() is zero
        contexts.append(0x1001)
        assert cudnn.handle() is one
        monkeypatch.setattr(_driver, "context_of_stream", lambda _: 0x1000)
        monkeypatch.setattr(type(one), "get_stream", lambda _: 0)
        with pytest.raises(cudnn.CudnnError, match="stream of device 1 was expected"):
            one.stream = 0x7777
