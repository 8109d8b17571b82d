"""Faults in the middle of a call: interrupts, memory that is used up, calls within calls."""

from __future__ import annotations

from typing import Any

import pytest
from cudnn_cffi import handles
from cudnn_cffi.handles import placing
from cudnn_cffi.plan.run import addresses as addressing
from cudnn_cffi.plan.run import launcher

from tests.plan.conftest import Library
from tests.plan.standin import StandIn, make_plan


def interrupt(*_: Any, **__: Any) -> Any:
    """End as a call does in which the user presses Ctrl-C."""
    raise KeyboardInterrupt


class TestInterrupts:
    """An exception that ends a program is not taken for a call that is not plain."""

    @pytest.mark.parametrize("method", ["_default", "_following", "_stream_address"])
    def test_in_what_python_finds(
        self,
        standin: StandIn,
        arrays: Library,
        compiled: bool,
        monkeypatch: pytest.MonkeyPatch,
        method: str,
    ) -> None:
        if not compiled:
            pytest.skip("nothing was compiled")
        if arrays.module is None and method == "_following":
            pytest.skip("it has no current stream")
        plan = make_plan()
        x, w, y = arrays.arrays()
        plan(x, w, y)
        options: dict[str, Any] = {}
        if method == "_stream_address":
            options["stream"] = 0x7700
        elif method == "_following":
            arrays.module.current = 0x7700
            placing.following(0).close()
        else:
            handles.handle(0).close()
        standin.executions.clear()
        with monkeypatch.context() as patch:
            patch.setattr(launcher.Launcher, method, interrupt)
            with pytest.raises(KeyboardInterrupt):
                plan(x, w, y, **options)
        assert not standin.executions
        assert plan(x, w, y, **options) is y

    def test_in_what_makes_an_output(
        self, standin: StandIn, arrays: Library, compiled: bool, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        if not compiled:
            pytest.skip("nothing was compiled")
        if not arrays.makes_outputs:
            pytest.skip("outputs have to be passed")
        if arrays.name == "own":
            monkeypatch.setattr("cudnn_cffi.plan.run.launcher.own_maker", lambda *_: make)
        calls: list[Any] = []

        def make(*_: Any) -> Any:
            calls.append(1)
            return interrupt() if len(calls) > 1 else arrays.arrays()[2]

        if arrays.name == "torch":
            monkeypatch.setattr(arrays.module, "empty_strided", lambda *_, **__: make())
        elif arrays.name == "cupy":
            monkeypatch.setattr("cudnn_cffi.plan.run.launcher.cupy_maker", lambda *_: make)
        plan = make_plan()
        x, w, _ = arrays.arrays()
        for count in range(3):
            assert len(standin.executions) == count
            try:
                plan(x, w)
            except KeyboardInterrupt:
                break
        else:
            pytest.fail("it was lost")
        assert 0 < len(standin.executions) == count


@pytest.mark.usefixtures("standin")
def test_launchers_come_from_plans_only(compiled: bool) -> None:
    if not compiled:
        pytest.skip("nothing was compiled")
    made = addressing.launcher(make_plan(), lambda *_: None, [(0, 0, False, False, False)] * 3)
    with pytest.raises(TypeError, match="cannot create"):
        type(made)()
