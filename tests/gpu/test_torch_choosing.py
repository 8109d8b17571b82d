"""Candidates, choices and profiles of models on a GPU, and models on several GPUs."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from tests.threads import in_threads
from tests.torch.processes import in_two_processes

PROGRAM = Path(__file__).parent / "programs" / "two_gpus.py"


def network(torch: Any, dtype: str = "float16") -> Any:
    nn = torch.nn
    torch.manual_seed(5)
    return nn.Sequential(
        nn.Conv2d(8, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(),
        nn.Conv2d(32, 32, 3, padding=1, bias=False), nn.ReLU(),
        nn.Conv2d(32, 16, 1), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 10),
    ).to("cuda", getattr(torch, dtype), memory_format=torch.channels_last)  # fmt: skip


def some(torch: Any, dtype: str = "float16") -> Any:
    x = torch.randn(8, 8, 28, 28, device="cuda", dtype=getattr(torch, dtype))
    return x.contiguous(memory_format=torch.channels_last)


def test_choices_for_training(torch: Any, tmp_path: Path) -> None:
    from cudnn_cffi.choice import Engine
    from cudnn_cffi.ops import record
    from cudnn_cffi.torch import Choices, candidates, convert

    model = network(torch).train()
    convert(model)
    x = some(torch)
    found = candidates(model, x, time=True, seconds=1.0)
    sections = {(each.layer, each.way.section) for each in found}
    assert sections == {
        ("0", "forward"), ("0", "filter"),
        *[(layer, way) for layer in ("3", "5") for way in ("forward", "data", "filter")],
    }  # fmt: skip
    assert any(each.way.time for each in found)
    free = found.choose()
    none = found.choose(each=0)
    some_bytes = found.choose((free.workspace or 0) // 2 + 4096)
    assert none.workspace == 0
    assert free.time is not None
    assert none.time is not None
    assert some_bytes.time is not None
    assert free.time <= some_bytes.time <= none.time + 1e-6
    free.save(tmp_path / "choices.json")
    chosen = Choices.load(tmp_path / "choices.json")
    chosen.apply(model)
    reference = copy.deepcopy(model).double()
    with record() as log:
        y = model(x)
        y.float().square().sum().backward()
    torch.cuda.synchronize()
    ran = {each.section for each in log if each.operation.startswith("convolution")}
    assert {"forward", "data", "filter"} <= ran
    for index in ("0", "3", "5"):
        pick = chosen.layers[index]["forward"]
        if "engine" in pick:
            assert any(
                each.section == "forward" and each.way == f"engine {pick['engine']}" for each in log
            ), (pick, log)
            assert model[int(index)].choose.forward.pick == Engine(
                pick["engine"], tuple(sorted(pick["knobs"].items()))
            )
        assert not model[int(index)].refused
    for each in reference.modules():
        if hasattr(each, "choose"):
            each.choose = None
    reference(x.double()).square().sum().backward()
    exact = {name: each.grad for name, each in reference.named_parameters()}
    for name, each in model.named_parameters():
        # Batch norm subtracts the bias before it again, so its gradient is zero but for rounding:
        # it is compared with what it is a sum of, as the gradient of the filters is.
        scale = exact["0.weight" if name == "0.bias" else name].norm()
        error = (each.grad.double() - exact[name]).norm() / scale
        assert float(error) < 3e-2, name


def test_transposed_convolutions(torch: Any) -> None:
    """They have three sections in training; what is chosen for each is what runs."""
    from cudnn_cffi import ops
    from cudnn_cffi.torch import candidates, convert, profile

    nn = torch.nn
    model = nn.Sequential(nn.ConvTranspose2d(8, 16, 2, 2), nn.ConvTranspose2d(16, 8, 3, 2, 1, 1))
    model = model.cuda()
    convert(model)
    x = torch.randn(4, 8, 12, 12, device="cuda")
    table = profile(model, x)
    assert [(each.layer, each.section) for each in table] == [
        ("0", "forward"), ("0", "filter"), ("1", "forward"), ("1", "data"), ("1", "filter"),
    ]  # fmt: skip
    assert all(each.time is not None and each.time > 0 for each in table)
    found = candidates(model, x, time=True, seconds=0.3)
    choices = found.choose()
    assert set(choices.layers["0"]) == {"data", "filter"}
    assert set(choices.layers["1"]) == {"forward", "data", "filter"}
    wanted = model(x)
    choices.apply(model)
    with ops.record() as log:
        y = model(x)
        y.square().sum().backward()
    assert float((y - wanted).norm() / wanted.norm()) < 2e-3
    assert [each.operation for each in log].count("convolution_backward_filter") == 2
    assert all(each.grad is not None for each in model.parameters())
    for entry in log:
        if entry.operation == "convolution":
            pick = choices.layers["1"]["forward"]
            wanted = f"engine {pick['engine']}" if "engine" in pick else pick.get("pick", "")
            assert entry.way.startswith(wanted)


def test_profiles(torch: Any) -> None:
    from cudnn_cffi.torch import convert, profile

    model = network(torch).train()
    x = some(torch)
    plain = profile(model, x)
    assert {each.by for each in plain} == {"PyTorch"}
    assert {each.why for each in plain if each.kind == "Conv2d"} == {"it was not converted"}
    state = {name: each.clone() for name, each in model.state_dict().items()}
    convert(model)
    found = profile(model, x)
    assert sum(each.share for each in found) == pytest.approx(1.0)
    rows = {(each.layer, each.section): each for each in found}
    assert "parameters of float16" in rows["1", "forward"].why, rows["1", "forward"]
    assert rows["2", "forward"].by == "PyTorch"
    assert "everything=True" in rows["2", "forward"].why
    assert rows["8", "gradient"].why == "cuDNN has nothing for it"
    assert all(each.why for each in found if each.by == "PyTorch"), found
    assert not any(each.why for each in found if each.by != "PyTorch"), found
    assert rows["3", "data"].by.startswith("engine")
    assert rows["3", "filter"].workspace is not None
    assert ("0", "data") not in rows
    assert rows["8", "gradient"].by == "PyTorch"
    assert all(each.time is not None and 0 < each.time < 1e5 for each in found), found
    assert all(torch.equal(each, state[name]) for name, each in model.state_dict().items())
    assert all(each.grad is None for each in model.parameters())
    convert(model, everything=True)
    rows = {(each.layer, each.section): each for each in profile(model, x)}
    assert rows["2", "forward"].by != "PyTorch", rows["2", "forward"]
    assert rows["2", "gradient"].by != "PyTorch", rows["2", "gradient"]


def test_fused_models_and_converted_ones(torch: Any) -> None:
    from cudnn_cffi.torch import convert, fuse

    model = network(torch).eval()
    x = some(torch)
    with torch.no_grad():
        wanted = copy.deepcopy(model).double()(x.double())
    convert(model)
    for capture in (False, True):
        fused = fuse(model, capture=capture)
        y = fused(x)
        assert float((y.double() - wanted).norm() / wanted.norm()) < 4e-3
        by = [each.by for each in fused.report if each.what.startswith("Conv2d")]
        assert len(by) == 3
        assert all(each == "kernel" or each.startswith("engine") for each in by), by


def test_threads_that_share_a_converted_model(torch: Any) -> None:
    """As DataParallel does: each thread calls the model on its part of the batch."""
    from cudnn_cffi.torch import convert

    model = network(torch, "float32").eval()
    x = some(torch, "float32")
    with torch.no_grad():
        wanted = copy.deepcopy(model).double()(x.double())
    convert(model)
    results: dict[int, Any] = {}

    def work(place: int) -> None:
        with torch.no_grad(), torch.cuda.stream(torch.cuda.Stream()):
            for _ in range(20):
                results[place] = model(x[2 * place : 2 * place + 2])
            torch.cuda.current_stream().synchronize()

    torch.cuda.synchronize()
    in_threads(work, range(4))
    y = torch.cat([results[place] for place in range(4)])
    assert float((y.double() - wanted).norm() / wanted.norm()) < 2e-3


def test_two_gpus(torch: Any, tmp_path: Path) -> None:
    if torch.cuda.device_count() < 2:
        pytest.skip("a second GPU is needed")
    first, second = in_two_processes(PROGRAM, tmp_path, OMP_NUM_THREADS="2")
    assert first.startswith("done")
    assert first == second, "other engines ran"


@pytest.mark.alone  # the counter is that of all that runs on the device
def test_energy(torch: Any) -> None:
    """The power of each layer is one that the device can have, if it never waits for calls."""
    pytest.importorskip("pynvml")
    from cudnn_cffi._call import mode
    from cudnn_cffi.torch import convert, profile

    layers = [torch.nn.Conv2d(64, 64, 3, padding=1, bias=False), torch.nn.ReLU()]
    model = torch.nn.Sequential(*layers).cuda().eval()
    convert(model)
    found = profile(model, torch.randn(128, 64, 112, 112, device="cuda"), energy=True)
    assert [each.kind for each in found] == ["Conv2d", "ReLU"]
    for each in found:
        assert each.energy is not None
        assert each.time is not None
        watts = each.energy * 1000 / each.time
        assert watts > 30, found
        assert watts < 1500 or mode() == "abi", found
    assert found.energy == pytest.approx(sum(each.energy or 0.0 for each in found))
    assert all(each.energy is None for each in profile(model, torch.randn(1, 64, 8, 8).cuda()))
