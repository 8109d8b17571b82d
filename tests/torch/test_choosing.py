"""Candidates, choices and profiles of whole models, without a GPU."""

from __future__ import annotations

import itertools
import json
import random
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from cudnn_cffi import Graph, choice, errors, library
from cudnn_cffi._operation.candidate_rows import Candidate
from cudnn_cffi.choice.filters import MODES
from cudnn_cffi.choice.store.keys import to_key

torch = pytest.importorskip("torch", exc_type=ImportError)
nn = torch.nn

from cudnn_cffi.torch import Choices, candidates, convert, fuse, profile  # noqa: E402
from cudnn_cffi.torch.model import energy  # noqa: E402
from cudnn_cffi.torch.model.budget import Option, best  # noqa: E402
from cudnn_cffi.torch.model.choosing import LayerCandidate, ModelCandidates  # noqa: E402
from cudnn_cffi.torch.model.survey import survey  # noqa: E402


@pytest.fixture(autouse=True, scope="module")
def _release() -> None:
    """A cuDNN that describes devices: PyTorch brings one."""
    try:
        loaded = library.load().version
    except errors.CudnnError as error:
        pytest.skip(f"no cuDNN: {error.message}")
    if tuple(map(int, loaded.split(".")))[:2] < (9, 8):
        pytest.skip(f"cuDNN {loaded} does not take properties of a device")


def network() -> Any:
    shared = nn.Conv2d(8, 8, 3, padding=1, bias=False)
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), shared, shared, nn.Dropout(),
        nn.Conv2d(8, 8, 3, padding=1, bias=False), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
        nn.Linear(8, 4),
    )  # fmt: skip


def some() -> Any:
    return torch.randn(2, 3, 12, 12)


# The budget


def total(layers: list[list[Option]], places: list[int]) -> tuple[int, float]:
    chosen = [own[place] for own, place in zip(layers, places, strict=True)]
    return sum(each.size for each in chosen), sum(each.time for each in chosen)


@pytest.mark.parametrize("seed", range(40))
def test_the_best_within_a_budget(seed: int) -> None:
    chance = random.Random(seed)
    layers = [
        [
            Option(chance.choice([0, 0, 131, 4096, chance.randrange(1 << 20)]), chance.random(), i)
            for i in range(chance.randint(1, 4))
        ]
        for _ in range(chance.randint(1, 6))
    ]
    everything = sum(max(each.size for each in own) for own in layers)
    for limit in (0, everything // 3, everything // 2, everything, None):
        ways = itertools.product(*[range(len(own)) for own in layers])
        costs = [total(layers, list(places)) for places in ways]
        allowed = [time for size, time in costs if limit is None or size <= limit]
        found = best(layers, limit)
        if not allowed:
            assert found is None
            continue
        assert found is not None
        size, time = total(layers, found)
        assert limit is None or size <= limit
        assert time == pytest.approx(min(allowed))


def test_a_budget_for_many_layers() -> None:
    chance = random.Random(1)
    layers = [
        [Option(chance.randrange(1 << 24), chance.random(), i) for i in range(8)] for _ in range(60)
    ]
    least = sum(min(each.size for each in own) for own in layers)
    limit = least + (1 << 26)
    found = best(layers, limit)
    assert found is not None
    size, time = total(layers, found)
    assert size <= limit
    # No exchange of one layer's choice for a faster one would still fit: near enough to the best.
    bound = sum(min(each.time for each in own) for own in layers)
    smallest = [min(own, key=lambda each: each.size).place for own in layers]
    assert bound <= time < total(layers, smallest)[1] * 0.6
    assert best(layers, least - 1) is None


# Calls of a model


def test_layers_and_how_often_they_are_called() -> None:
    model = network().train()
    statistics = model[1].running_mean.clone()
    x = some()
    state = torch.random.get_rng_state()
    found: dict[str, Any] = {each.name: each for each in survey(model, (x,))}
    assert found["3"].calls == 2
    assert found["0"].is_first
    assert not found["3"].is_first
    assert found["0"].x.shape == (2, 3, 12, 12)
    assert found["0"].w.shape == (8, 3, 3, 3)
    assert not found["9"].is_convolution
    assert found["3"].module is model[3]
    assert torch.equal(model[1].running_mean, statistics)
    assert torch.equal(torch.random.get_rng_state(), state)
    assert model.training
    last = model.to(memory_format=torch.channels_last)
    first: Any = next(iter(survey(last, (some(),))))
    assert first.x.layout == "NHWC"


# Candidates


def test_candidates_of_a_model() -> None:
    model = network().eval()
    found = candidates(model, some(), device="H200")
    assert {each.layer for each in found} == {"0", "3", "6"}
    assert {each.way.section for each in found} == {"forward"}
    assert [each.way for each in found.of("3")] == [each.way for each in found.of("6")]
    assert all(each.calls == 2 for each in found.of("3"))
    assert {each.way.via for each in found.refusals} == {"classic", "graph"}
    assert "engine" in repr(found)
    assert json.loads(found.to_json())[0]["layer"] == "0"
    model.train()
    found = candidates(model, some(), device="H200", layers=["0", "6"])
    assert {each.way.section for each in found.of("0")} == {"forward", "filter"}
    assert {each.way.section for each in found.of("6")} == {"forward", "data", "filter"}
    assert not found.of("3")
    assert "<td>filter</td>" in found._repr_html_()


def test_candidates_are_those_that_switches_and_scopes_allow() -> None:
    """Other choices would be refused when they are chosen, and PyTorch would compute the layer."""
    model = network().train()

    def refused() -> set[str]:
        found = candidates(model, some(), device="H200", layers=["3"])
        assert found
        return {each.way.reason for each in found.refusals if "was asked for" in each.way.reason}

    assert refused() == set()
    with torch.backends.cudnn.flags(enabled=True, allow_tf32=False):
        assert refused() == {"tf32=False was asked for"}
    with torch.backends.cudnn.flags(enabled=True, deterministic=True, allow_tf32=True):
        assert refused() == {"deterministic=True was asked for"}
    with choice.scope(tensor_cores=False):
        assert refused() == {"tensor_cores=False was asked for"}


def test_choices_are_a_table_also_for_notebooks() -> None:
    chosen = Choices({"0": {"data": {"engine": 4}}}, time=12.0, workspace=0)
    assert repr(chosen).splitlines()[-1] == "12.0 us, workspace 0 B in all"
    assert "<td>0</td><td>data</td><td>engine=4</td>" in chosen._repr_html_()
    assert len(repr(Choices({"0": {"data": {"engine": 4}}})).splitlines()) == 2


@pytest.mark.parametrize("ask", [profile, candidates])
def test_a_fused_model_has_no_layers_to_look_at(ask: Any) -> None:
    with pytest.raises(errors.ArgumentError, match="its attribute `original`"):
        ask(fuse(network()), some())


def test_inputs_come_one_by_one() -> None:
    model = network().eval()
    convert(model)
    for ask in (profile, candidates):
        with pytest.raises(errors.ArgumentError, match=r"as in profile\(model, \*inputs\)"):
            ask(model, (some(),))


def test_limits_that_are_none_name_the_argument() -> None:
    layers = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3)).eval()
    found = candidates(convert(layers).model, torch.zeros(1, 3, 8, 8), device="H200")
    with pytest.raises(errors.ArgumentError, match="total: expected a number of bytes"):
        found.choose("many")
    with pytest.raises(errors.ArgumentError, match="each: expected a number of bytes"):
        found.choose(each=1.5)


def test_candidates_of_transposed_convolutions() -> None:
    """They are computed as gradients for data; that for their input is a convolution."""
    model = nn.Sequential(nn.ConvTranspose2d(3, 4, 2, 2), nn.ConvTranspose2d(4, 6, 3, 2, 1, 1))
    found = candidates(model.eval(), some(), device="H200")
    assert [{each.way.section for each in found.of(name)} for name in "01"] == [{"data"}] * 2
    found = candidates(model.train(), some(), device="H200")
    assert {each.way.section for each in found.of("0")} == {"data", "filter"}
    assert {each.way.section for each in found.of("1")} == {"forward", "data", "filter"}
    ways = {each.way.section: each.way.operation for each in found.of("1")}
    assert ways["forward"] == "convolution"
    assert ways["filter"] == "convolution_backward_filter"


def test_what_candidates_refuse() -> None:
    with pytest.raises(errors.ArgumentError, match="it is on the CPU"):
        candidates(network(), some())
    with pytest.raises(errors.ArgumentError, match="'2' is not a convolution"):
        candidates(network(), some(), device="H200", layers=["2"])
    with pytest.raises(errors.ArgumentError, match="no convolution"):
        candidates(nn.Linear(2, 2), torch.randn(1, 2), device="H200")
    with pytest.raises(errors.ArgumentError, match="were not timed"):
        candidates(network(), some(), device="H200", layers=["0"]).choose()


# Choices


def way(section: str, number: int, size: int, time: float, same: bool = True) -> Candidate:
    return Candidate(
        "convolution", section, "graph", f"engine {number}", {"TILE_SIZE": number}, True, "", size,
        same, "", time,
    )  # fmt: skip


def timed() -> ModelCandidates:
    return ModelCandidates(
        [
            LayerCandidate("0", 1, way("forward", 1, 0, 9.0)),
            LayerCandidate("0", 1, way("forward", 2, 100, 5.0)),
            LayerCandidate("3", 2, way("forward", 1, 0, 9.0)),
            LayerCandidate("3", 2, way("forward", 2, 100, 6.0)),
            LayerCandidate("3", 2, way("filter", 3, 10, 2.0, same=False)),
            LayerCandidate("3", 2, way("filter", 4, 60, 3.0)),
        ]
    )


def test_choices_within_a_budget() -> None:
    found = timed()
    free = found.choose()
    assert free.layers["0"]["forward"] == {"engine": 2, "knobs": {"TILE_SIZE": 2}}
    assert free.layers["3"]["filter"]["engine"] == 3
    assert (free.time, free.workspace) == (5.0 + 12.0 + 4.0, 210)
    tight = found.choose("110 B")
    assert [tight.layers[name]["forward"]["engine"] for name in ("0", "3")] == [1, 2]
    assert tight.workspace == 110
    assert found.choose(each=50).layers["3"]["forward"]["engine"] == 1
    assert found.choose(deterministic=True).layers["3"]["filter"]["engine"] == 4
    with pytest.raises(errors.ArgumentError, match="at least 10 bytes"):
        found.choose(5)
    with pytest.raises(errors.ArgumentError, match="none of 2 candidates"):
        found.choose(each=5)


def test_a_layer_of_several_shapes_gets_a_way_for_all_of_them() -> None:
    found = ModelCandidates(
        [
            LayerCandidate("head", 1, way("forward", 1, 0, 9.0), "large"),
            LayerCandidate("head", 1, way("forward", 2, 64, 8.0), "large"),
            LayerCandidate("head", 2, way("forward", 2, 8, 3.0), "small"),
            LayerCandidate("head", 2, way("forward", 3, 0, 1.0), "small"),
        ]
    )
    found.refusals = (LayerCandidate("head", 1, way("forward", 3, 0, 0.0), "large"),)
    chosen = found.choose()
    assert chosen.layers["head"]["forward"]["engine"] == 2
    assert (chosen.time, chosen.workspace) == (8.0 + 2 * 3.0, 64)
    assert found.of("head").refusals == found.refusals
    assert found.of("tail").refusals == ()
    with pytest.raises(errors.ArgumentError, match="for all of 2 kinds of arrays"):
        ModelCandidates([found[0], found[3]]).choose()


def test_choices_are_saved_by_several_at_once(tmp_path: Path) -> None:
    choices, path = timed().choose(), tmp_path / "choices.json"
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: choices.save(path), range(400)))
    assert Choices.load(path) == choices
    assert list(tmp_path.iterdir()) == [path]


def test_choices_are_saved_and_applied(tmp_path: Path) -> None:
    choices = timed().choose()
    choices.save(tmp_path / "choices.json")
    loaded = Choices.load(tmp_path / "choices.json")
    assert loaded == choices
    assert loaded.time == choices.time
    model = network()
    with pytest.raises(errors.ArgumentError, match="expected a converted module, got a Conv2d"):
        loaded.apply(model)
    convert(model)
    loaded.apply(model)
    rule = model[3].choose.forward
    assert rule.pick == choice.Engine(2, (("TILE_SIZE", 2),))
    assert model[3].choose.filter.pick.number == 3
    assert model[3].choose.data.pick is None
    assert model[6].choose is None
    again = Choices.of(model)
    assert again == choices
    again.apply(model)
    assert "TILE_SIZE" in repr(loaded)


def test_choices_that_do_not_fit(tmp_path: Path) -> None:
    with pytest.raises(errors.VersionMismatchError, match=r"8\.0\.0"):
        Choices({}, release="8.0.0").apply(network())
    with pytest.raises(errors.ArgumentError, match=r"no module .nothing."):
        Choices({"nothing": {}}).apply(network())
    place = tmp_path / "choices.json"
    whole = timed().choose().to_json()
    for text in ("", "{}", "[]", whole[:-20], whole.replace('"engine": 2', '"engine": "x"')):
        place.write_text(text)
        with pytest.raises(errors.ArgumentError):
            Choices.load(place)


def test_tuned_choices_reach_other_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDNN_CFFI_PLAN_CACHE", "0")
    g = Graph(io_data_type="float16")
    x = g.tensor((1, 32, 9, 11), layout="NHWC")
    w = g.tensor((24, 32, 3, 3), layout="NHWC")
    g.output(g.convolution(x, w, padding=1))
    plan = g.build(device="H200")
    other = next(each for each in g.candidates(device="H200") if each.engine != plan.engine)
    computation = g.computation(device="H200")
    key = to_key(computation, MODES, None, None, None, {})
    assert key is not None
    key.keep(computation, other, other.build(), tuned=True)
    sent = json.loads(json.dumps(choice.export(timed=True)))
    (own,) = [e for e in sent["choices"] if e.get("options", {}).get("signature") == key.name]
    assert own["choice"]["engine"] == other.engine
    choice.forget()
    assert g.build(device="H200").engine == plan.engine
    try:
        assert len(choice.adopt({**sent, "choices": [own]})) == 1
        assert g.build(choose="autotune", device="H200").engine == other.engine
        assert g.build(device="H200").engine == other.engine
        choice.plans.clear()
        document: dict[str, Any] = choice.export(timed=True)
        assert own in document["choices"]
        choice.adopt({**sent, "choices": [{**own, "release": "8.0.0"}]})  # kept, and not used
        assert g.build(device="H200").engine == other.engine
    finally:
        choice.forget()


# Profiles


def test_a_profile_on_the_cpu() -> None:
    model = network().train()
    called: list[Any] = []
    model[0].register_forward_hook(lambda *call: called.append(call))
    state = {name: each.clone() for name, each in model.state_dict().items()}
    found = profile(model, some())
    assert len(called) == 1
    assert sum(each.share for each in found) == pytest.approx(1.0)
    assert {each.section for each in found} == {"forward", "gradient"}
    assert [each.layer for each in found][:2] == ["0", "0"]
    assert next(each for each in found if each.layer == "3").calls == 2
    assert all(each.time and each.time > 0 for each in found)
    assert all(torch.equal(each, state[name]) for name, each in model.state_dict().items())
    assert all(each.grad is None for each in model.parameters())
    assert found.slowest()[0].share == max(each.share for each in found)
    assert "%" in repr(found)
    assert {each.section for each in profile(model.eval(), some())} == {"forward"}


def test_a_profile_says_why_pytorch_computes_a_layer() -> None:
    model = network().eval()
    whys = {each.layer: each.why for each in profile(model, some())}
    assert whys["0"] == "it was not converted"
    convert(model)
    model.append(torch.nn.Flatten())
    found = profile(model, some())
    whys = {each.layer: each.why for each in found}
    assert whys["0"] == "it is not on a GPU"
    assert "everything=True" in next(each.why for each in found if each.kind == "ReLU")
    assert whys[str(len(model) - 1)] == "cuDNN has nothing for it"
    assert "it is not on a GPU" in repr(found)


class Nvml:
    """The part of nvidia-ml-py that is used: a counter that changes every third time it is read."""

    def __init__(self, each: int) -> None:
        self.calls = self.reads = self.shown = 0
        self.each = each

    def nvmlInit(self) -> None:
        pass

    def nvmlDeviceGetHandleByUUID(self, uuid: str) -> str:
        return uuid

    def nvmlDeviceGetTotalEnergyConsumption(self, device: str) -> int:
        assert device == "GPU-1234"
        self.reads += 1
        if self.reads % 3 == 0:
            self.shown = self.calls * self.each
        return self.shown


@pytest.fixture
def meter(monkeypatch: pytest.MonkeyPatch) -> Callable[[Nvml], energy.Meter]:
    """Return a meter of a device that is not there."""
    properties = SimpleNamespace(uuid="1234")
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda _: properties)
    monkeypatch.setattr(torch.cuda, "synchronize", lambda _: None)
    monkeypatch.setattr(energy, "ENOUGH", 0.02)

    def make(nvml: Nvml) -> energy.Meter:
        monkeypatch.setitem(sys.modules, "pynvml", nvml)
        return energy.Meter(torch.device("cuda", 0))

    return make


def test_the_energy_of_a_call(meter: Callable[[Nvml], energy.Meter]) -> None:
    nvml = Nvml(7)

    def run() -> None:
        nvml.calls += 1
        time.sleep(1e-5)

    assert meter(nvml).millijoules(run, 10.0) == 7
    assert nvml.calls > 400


def test_a_counter_that_stands_still(
    meter: Callable[[Nvml], energy.Meter], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(energy, "PATIENCE", 0.02)
    assert meter(Nvml(0)).millijoules(lambda: None, 1000.0) is None


def test_energy_that_cannot_be_measured(
    meter: Callable[[Nvml], energy.Meter], monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(errors.NotSupportedError, match="expected a model on a GPU"):
        profile(network(), some(), energy=True)
    broken = Nvml(1)
    broken.nvmlInit = lambda: 1 / 0  # type: ignore[method-assign, assignment, return-value]
    with pytest.raises(errors.NotSupportedError, match="NVML has no energy of cuda:0: division"):
        meter(broken)
    monkeypatch.setitem(sys.modules, "pynvml", None)
    with pytest.raises(errors.NotSupportedError, match="not installed") as caught:
        energy.Meter(torch.device("cuda", 0))
    assert caught.value.hint == "pip install nvidia-ml-py"
