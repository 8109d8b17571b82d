"""Two devices in one process: plans, handles, caches, streams, and what is of the wrong one."""

from __future__ import annotations

from typing import Any

import pytest

from tests.gpu.conftest import capturing
from tests.threads import in_threads

pytestmark = pytest.mark.usefixtures("two_devices")


def graph_of(cudnn: Any, kind: str = "pointwise") -> Any:
    """Return y = relu(x @ w), or a graph that takes several plans."""
    g = cudnn.Graph(io_data_type="HALF")
    x, w = g.tensor((4, 64, 64), name="x"), g.tensor((4, 64, 64), name="w")
    y = g.relu(x @ w)
    g.output(g.softmax(y) if kind == "parts" else y, name="y")
    return g


def inputs(torch: Any, device: int) -> list[Any]:
    return [torch.randn(4, 64, 64, device=f"cuda:{device}").half() / 8 for _ in "xw"]


def wanted(arrays: list[Any], kind: str = "pointwise") -> Any:
    x, w = (each.double().cpu() for each in arrays)
    y = (x @ w).relu()
    return y.softmax(-1) if kind == "parts" else y


def is_right(torch: Any, result: Any, expected: Any) -> bool:
    torch.cuda.synchronize(result.device)
    return bool((result.double().cpu() - expected).norm() < 3e-3 * expected.norm())


@pytest.mark.parametrize("kind", ["pointwise", "parts"])
def test_a_plan_for_each(cudnn: Any, torch: Any, kind: str) -> None:
    """Built with a handle of each device, called in turns, in the current stream of each."""
    plans = [graph_of(cudnn, kind).build(cudnn.handle(device)) for device in (0, 1)]
    data = [inputs(torch, device) for device in (0, 1)]
    streams = [torch.cuda.Stream(device) for device in (0, 1)]
    for _ in range(3):
        for device in (1, 0):
            result = plans[device](*data[device])
            assert result.device.index == device
            assert torch.cuda.current_device() == 0
            assert is_right(torch, result, wanted(data[device], kind))
            torch.cuda.synchronize(device)
            with torch.cuda.stream(streams[device]):
                result = plans[device](*data[device])
            streams[device].synchronize()
            assert torch.cuda.current_device() == 0
            assert is_right(torch, result, wanted(data[device], kind))
    with torch.cuda.device(1):
        result = plans[0](*data[0])
        assert torch.cuda.current_device() == 1
        assert is_right(torch, result, wanted(data[0], kind))
        again = graph_of(cudnn, kind).build()
        assert is_right(torch, again(*data[1]), wanted(data[1], kind))


@pytest.mark.parametrize("kind", ["pointwise", "parts"])
def test_operands_of_the_wrong_device(cudnn: Any, torch: Any, kind: str) -> None:
    plan = graph_of(cudnn, kind).build(cudnn.handle(0))
    (x, w), (x1, w1) = inputs(torch, 0), inputs(torch, 1)
    for _ in range(2):
        for arguments in ((x1, w1), (x, w1), (x1, w)):
            with pytest.raises(cudnn.ArgumentError, match=r"device 0, got of device 1"):
                plan(*arguments)
        y = torch.full((4, 64, 64), float("nan"), device="cuda:1", dtype=torch.float16)
        with pytest.raises(
            cudnn.ArgumentError, match=r"y: expected memory of device 0, .* of device 1"
        ):
            plan(x, w, y)
        torch.cuda.synchronize(1)
        assert bool(y.isnan().all())
        refused = pytest.raises(cudnn.ArgumentError, match=r"device 0.*got .*device 1")
        with cudnn.Handle(1) as handle, refused:
            plan(x, w, handle=handle)
        with pytest.raises(cudnn.CudnnError):
            plan(x, w, stream=torch.cuda.Stream(1))
        assert is_right(torch, plan(x, w), wanted([x, w], kind))


@pytest.mark.parametrize("kind", ["pointwise", "parts"])
def test_saved_for_one_and_loaded_for_the_other(cudnn: Any, torch: Any, kind: str) -> None:
    text = graph_of(cudnn, kind).build(cudnn.handle(0)).to_json()
    if torch.cuda.get_device_name(0) != torch.cuda.get_device_name(1):
        with pytest.raises(cudnn.ArgumentError, match="expected one for"):
            cudnn.Plan.from_json(text, cudnn.handle(1))
        return
    data = inputs(torch, 1)
    assert is_right(torch, cudnn.Plan.from_json(text, cudnn.handle(1))(*data), wanted(data, kind))


@pytest.mark.parametrize("kind", ["pointwise", "parts"])
def test_captured_on_the_second(cudnn: Any, torch: Any, kind: str) -> None:
    plan = graph_of(cudnn, kind).build(cudnn.handle(1))
    data = inputs(torch, 1)
    y = torch.empty((4, 64, 64), device="cuda:1", dtype=torch.float16)
    with torch.cuda.device(1):
        # The stream that PyTorch captures in by default is of the device of its first capture.
        with capturing(stream=torch.cuda.Stream()) as captured:
            plan(*data, y)
        for _ in range(2):
            for each in data:
                each.copy_(torch.randn(each.shape) / 8)
            y.fill_(float("nan"))
            captured.replay()
            torch.cuda.synchronize()
            assert is_right(torch, y, wanted(data, kind))


def test_threads_of_both(cudnn: Any, torch: Any) -> None:
    """Each builds the same graph for its device, and runs it, at the same time."""

    def work(device: int) -> None:
        torch.cuda.set_device(device)
        plan = graph_of(cudnn).build()
        for _ in range(20):
            data = inputs(torch, device)
            result = plan(*data)
            assert result.device.index == device
            assert is_right(torch, result, wanted(data))
            assert torch.cuda.current_device() == device

    in_threads(work, [0, 1] * 3)


def test_tuned_for_each(cudnn: Any, torch: Any) -> None:
    for device in (0, 1):
        plan = graph_of(cudnn).autotune(cudnn.handle(device), most=4).best
        data = inputs(torch, device)
        assert is_right(torch, plan(*data), wanted(data))


def test_arrays_of_cupy_on_a_device_that_is_not_current(cudnn: Any, torch: Any) -> None:
    """The current stream is one of each device."""
    cupy = pytest.importorskip("cupy")
    plan = graph_of(cudnn).build(cudnn.handle(1))
    with cupy.cuda.Device(1):
        x, w = (cupy.random.standard_normal((4, 64, 64)).astype("float16") / 8 for _ in "xw")
        cupy.cuda.get_current_stream().synchronize()
    with cupy.cuda.Device(0), cupy.cuda.Stream(non_blocking=True):
        y = plan(x, w)
    cupy.cuda.Device(1).synchronize()
    given = [torch.from_numpy(cupy.asnumpy(each)) for each in (x, w)]
    assert is_right(torch, torch.from_numpy(cupy.asnumpy(y)).cuda(), wanted(given))
