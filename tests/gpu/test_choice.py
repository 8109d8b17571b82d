"""Choosing on a GPU: timing, filters, caches between processes, and what is refused."""

from __future__ import annotations

import copy
import gc
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from cudnn_cffi import driver
from cudnn_cffi.choice import KernelCache, build, candidates, no_cache, plans
from cudnn_cffi.driver import graphs

from tests.choice.computations import matmul
from tests.gpu.conftest import capturing

SHAPE, FILTERS = (8, 64, 28, 28), (96, 64, 3, 3)

#: CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH
BUS_WIDTH = 37


class Convolution:
    """A graph of one convolution, with inputs on the device and the float64 reference."""

    def __init__(self, cudnn: Any, torch: Any, fresh: Any, dtype: str = "float16") -> None:
        self.torch = torch
        self.x = fresh(*SHAPE, dtype=dtype, layout="NHWC")
        self.w = fresh(*FILTERS, dtype=dtype, layout="NHWC")
        self.graph = cudnn.Graph(compute_data_type="FLOAT")
        x, w = self.graph.tensor(self.x, name="x"), self.graph.tensor(self.w, name="w")
        self.graph.output(self.graph.convolution(x, w, padding=1), name="y")
        self.operands = {"x": self.x, "w": self.w}

    def reference(self) -> Any:
        x, w = self.x.cpu().double(), self.w.cpu().double()
        return self.torch.nn.functional.conv2d(x, w, padding=1)

    def poisoned(self) -> Any:
        shape = (SHAPE[0], FILTERS[0], *SHAPE[2:])
        y = self.torch.full(shape, float("nan"), dtype=self.x.dtype, device="cuda")
        return y.contiguous(memory_format=self.torch.channels_last)

    def error(self, plan: Any, error_of: Any) -> float:
        y = self.poisoned()
        assert plan(self.x, self.w, y) is y
        self.torch.cuda.synchronize()
        return float(error_of(y, self.reference()))


@pytest.fixture
def conv(cudnn: Any, torch: Any, fresh: Any) -> Convolution:
    return Convolution(cudnn, torch, fresh)


@pytest.fixture(autouse=True)
def forgetful() -> None:
    plans.clear()


class TestTiming:
    def test_what_lies_between_elements_stays(self, cudnn: Any, torch: Any, fresh: Any) -> None:
        """A result that is a part of a larger array, as where results are concatenated."""
        x, w = (fresh(*shape, dtype="float16", layout="NHWC") for shape in (SHAPE, FILTERS))
        filters, _, height, width = FILTERS[0], *SHAPE[1:]
        whole = torch.full((SHAPE[0], 2 * filters, height, width), 7.0, device="cuda")
        whole = whole.to(torch.float16).contiguous(memory_format=torch.channels_last)
        part = whole[:, :filters]
        graph = cudnn.Graph(compute_data_type="FLOAT")
        y = graph.convolution(graph.tensor(x, name="x"), graph.tensor(w, name="w"), padding=1)
        graph.output(y, name="y", strides=part.stride())
        operands = {"x": x, "w": w, "y": part}
        assert graph.autotune(operands=operands, most=3)[0].state == "ok"
        assert (whole == 7).all()
        right = torch.full_like(whole, 9.0)
        right[:, :filters] = torch.nn.functional.conv2d(x.double(), w.double(), padding=1)
        reference = {"y": right[:, :filters]}
        found = graph.autotune(operands=operands, most=3, reference=reference)
        assert found[0].state == "ok"
        assert found[0].error < 1e-2
        found.best(x, w, part)
        assert (whole[:, filters:] == 7).all()
        assert not (part == 7).all()

    @pytest.mark.alone  # beside other programs, samples need more time than there is
    def test_the_winner_is_right_and_the_fastest(self, conv: Convolution, error_of: Any) -> None:
        found = conv.graph.autotune(operands=conv.operands)
        print(found)
        right = [each for each in found if each.state == "ok"]
        assert len(right) >= 3
        assert [each.median for each in right] == sorted(each.median for each in right)
        assert all(0 < each.minimum <= each.median for each in right)
        assert all(each.samples >= 1 for each in right)
        assert right[0].samples >= 5
        assert found[0].state == "ok"
        assert found.best.engine == found[0].engine
        assert found.best.knobs.items() >= found[0].knobs.items()
        assert conv.error(found.best, error_of) < 1e-3
        assert len(repr(found).splitlines()) == len(found) + 1
        assert json.loads(found.to_json())[0]["median"] == found[0].median

    def test_operands_are_made_where_none_are_given(self, conv: Convolution, error_of: Any) -> None:
        found = conv.graph.autotune(most=4, repeats=3)
        assert sum(each.state == "ok" for each in found) >= 1
        assert all(each.samples == 3 for each in found if each.state == "ok")
        assert conv.error(found.best, error_of) < 1e-3

    def test_a_given_reference_decides(self, cudnn: Any, conv: Convolution, torch: Any) -> None:
        right = conv.poisoned().copy_(conv.reference())
        found = conv.graph.autotune(operands=conv.operands, reference={"y": right}, most=4)
        assert found[0].state == "ok"
        assert found[0].error < 1e-2
        with pytest.raises(cudnn.NoPlanError, match="y is not right"):
            conv.graph.autotune(
                operands=conv.operands, reference={"y": torch.zeros_like(right) + 1}, most=4
            )

    def test_knobs_of_one_engine_are_swept(self, conv: Convolution) -> None:
        first = conv.graph.candidates()[0]
        name = next(knob.name for knob in first.engine_knobs if len(knob.values) > 2)
        found = conv.graph.autotune(operands=conv.operands, candidates=list(first.sweep([name])))
        print(found)
        assert {each.engine for each in found} == {first.engine}
        assert found[0].state == "ok"

    def test_under_capture_nothing_is_timed(
        self, cudnn: Any, conv: Convolution, torch: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("CUDNN_CFFI_PLAN_CACHE", "0")
        stream = torch.cuda.Stream()
        with cudnn.Handle(stream=stream) as handle:
            conv.graph.build(handle, workspace_limit=1 << 30)  # what is known of the device is read
            with capturing(stream=stream) as graph:
                with pytest.raises(cudnn.CudnnError, match="stream is being captured"):
                    conv.graph.autotune(handle)
                with pytest.raises(cudnn.CudnnError, match="build the plan before the capture"):
                    conv.graph.build(handle)
                with pytest.raises(cudnn.CudnnError, match="build the plan before the capture"):
                    conv.graph.build()  # whose handle is on another stream
                torch.zeros(1, device="cuda")
            graph.replay()
            torch.cuda.synchronize()

    def test_a_workspace_limit_holds(self, conv: Convolution) -> None:
        found = conv.graph.autotune(operands=conv.operands, workspace_limit=0)
        assert all(each.workspace == 0 for each in found if each.state == "ok")


class TestOwners:
    def test_a_plan_outlives_the_handle_that_it_was_built_with(
        self, cudnn: Any, conv: Convolution, error_of: Any
    ) -> None:
        """In the cache it is of all who compute the same."""
        with cudnn.Handle() as handle:
            plan = conv.graph.build(handle)
            best = conv.graph.autotune(handle, operands=conv.operands).best
        assert not plan.closed
        assert not best.closed
        assert conv.graph.build() is best
        for each in (plan, best, copy.copy(plan)):
            assert conv.error(each, error_of) < 1e-3

    def test_several_plans_do_so_too(self, cudnn: Any, torch: Any, error_of: Any) -> None:
        x = torch.randn(8, 64, 32, device="cuda")
        graph = cudnn.Graph()
        graph.output(graph.softmax(graph.tensor(x, name="x")), name="y")
        with cudnn.Handle() as handle:
            plan = graph.build(handle)
        assert not plan.closed
        assert error_of(plan(x), x.cpu().double().softmax(-1)) < 1e-5

    def test_a_plan_outlives_its_thread(self, conv: Convolution, error_of: Any) -> None:
        made = []
        thread = threading.Thread(target=lambda: made.append(conv.graph.build()))
        thread.start()
        thread.join()
        gc.collect()
        (plan,) = made
        assert not plan.closed
        assert conv.error(plan, error_of) < 1e-3

    def test_a_thread_needs_no_context(self, cudnn: Any, torch: Any, error_of: Any) -> None:
        """The engines of norms load what they compile when a plan is built."""
        x, scale = (torch.randn(n, 4096, 1, 1, device="cuda").half() for n in (512, 1))
        graph = cudnn.Graph(io_data_type="HALF")
        y = graph.rms_norm(*[graph.tensor(each) for each in (x, scale)], phase="inference").y
        graph.output(y)
        candidate, contexts, made = graph.candidates()[0], [], []

        def build() -> None:
            contexts.append(driver.current_context())
            made.append(candidate.build())

        thread = threading.Thread(target=build)
        thread.start()
        thread.join()
        assert contexts == [0]
        (plan,) = made
        rows = x.cpu().double()
        wanted = rows * (rows.square().mean(1, keepdim=True) + 1e-5).rsqrt() * scale.cpu().double()
        assert error_of(plan(x, scale), wanted) < 1e-3


class TestFilters:
    def test_deterministic_engines_repeat_their_bits(self, conv: Convolution, torch: Any) -> None:
        plan = conv.graph.build(deterministic=True)
        assert "NONDETERMINISTIC" not in plan.notes
        results = [conv.poisoned() for _ in range(5)]
        for y in results:
            plan(conv.x, conv.w, y)
        torch.cuda.synchronize()
        assert all(torch.equal(y, results[0]) for y in results)

    @pytest.mark.parametrize(("tf32", "tolerance"), [(False, 2e-6), (None, 2e-3)])
    def test_float32_without_tf32_is_exact(
        self, cudnn: Any, torch: Any, fresh: Any, error_of: Any, tf32: Any, tolerance: float
    ) -> None:
        conv = Convolution(cudnn, torch, fresh, "float32")
        assert conv.error(conv.graph.build(tf32=tf32), error_of) < tolerance

    def test_products_of_float32_without_tf32_are_exact_or_refused(
        self, cudnn: Any, fresh: Any, error_of: Any
    ) -> None:
        a, b = fresh(4, 256, 512), fresh(4, 512, 128)
        graph = cudnn.Graph()
        graph.output(graph.matmul(graph.tensor(a), graph.tensor(b)))
        right = a.cpu().double() @ b.cpu().double()
        for each in graph.candidates(every_engine=True, tf32=False):
            try:
                plan = graph.build(choose=each)
            except cudnn.NotSupportedError:
                continue
            assert error_of(plan(a, b), right) < 2e-6, each

    def test_bias_in_float32_does_not_forbid_tensor_cores(
        self, cudnn: Any, torch: Any, fresh: Any, error_of: Any
    ) -> None:
        x, w = (fresh(*shape, dtype="float16", layout="NHWC") for shape in (SHAPE, FILTERS))
        bias = fresh(1, FILTERS[0], 1, 1, layout="NHWC")
        graph = cudnn.Graph()
        y = graph.convolution(graph.tensor(x), graph.tensor(w), padding=1) + graph.tensor(bias)
        graph.output(y, data_type="HALF")
        plan = graph.build(tf32=False)
        assert "TENSOR_CORE" in plan.notes
        given = [each.cpu().double() for each in (x, w, bias.flatten())]
        right = torch.nn.functional.conv2d(*given, padding=1)
        assert error_of(plan(x, w, bias), right) < 2e-3

    def test_gradient_of_attention_has_the_same_bits_where_that_is_asked_for(
        self, cudnn: Any, torch: Any, fresh: Any
    ) -> None:
        given = [fresh(2, 8, 1024, 64, dtype="float16") for _ in range(5)]
        given.append(fresh(2, 8, 1024, 1) + 10)
        graph = cudnn.Graph()
        for each in graph.attention_backward(*map(graph.tensor, given), scale=0.1)[:3]:
            graph.output(each)
        plan = graph.build(deterministic=True)
        first = plan(*given)
        for _ in range(30):
            assert all(map(torch.equal, plan(*given), first))

    @pytest.mark.parametrize("every_engine", [False, True])
    def test_each_candidate_that_builds_is_right(
        self, cudnn: Any, conv: Convolution, error_of: Any, every_engine: bool
    ) -> None:
        found = conv.graph.candidates(every_engine=every_engine)
        ran = 0
        for each in found:
            try:
                plan = each.build()
            except cudnn.NotSupportedError:
                continue
            assert conv.error(plan, error_of) < 3e-3, each
            ran += 1
        assert ran >= 3

    def test_native_graphs(self, conv: Convolution) -> None:
        for each in conv.graph.candidates(every_engine=True, native_cuda_graph=True):
            notes = [note.name for note in each.behavior_notes]
            assert "SUPPORTS_CUDA_GRAPH_NATIVE_API" in notes


def test_the_next_engine_where_the_first_ones_fail_when_executed(
    cudnn: Any, torch: Any, fresh: Any, error_of: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Plans of these are built for factors, a bias and a ReLU, channels last, and refuse to run."""
    room, refusing = sys.modules["cudnn_cffi.choice.build"], (35, 36)
    tried: list[int] = []

    def first(*given: Any) -> Any:
        found = list(search(*given))
        own = [each for each in candidates(given[0], every_engine=True) if each.engine in refusing]
        left = [each for each in own if each.engine not in given[6].get("exclude", ())]
        tried.append(left[0].engine if left else -1)
        return [*left, *found]

    search = room.search
    monkeypatch.setattr(room, "search", first)
    x, z = (fresh(8, 64, 28, 28, dtype="float16", layout="NHWC") for _ in range(2))
    w = fresh(64, 64, 3, 3, dtype="float16", layout="NHWC") / 24
    bias = fresh(64, dtype="float16")
    y = torch.full_like(z, float("nan"))
    operation = cudnn.ops.Convolution(1, activation="relu", choose={"via": "graph"})
    with no_cache():
        for _ in range(3):
            got = operation(x, w, bias, z, out=y, alpha=2.0, alpha2=0.5)
            assert got is y
            known = [each.cpu().double() for each in (x, w, z, bias)]
            wanted = 2 * torch.nn.functional.conv2d(*known[:2], padding=1) + known[2] / 2
            assert error_of(y, (wanted + known[3].view(1, -1, 1, 1)).relu()) < 2e-3
            y.fill_(float("nan"))
    print(tried)
    assert tried[0] in refusing, tried
    assert len(tried) == len(set(tried)), "an engine that failed is tried again"


class TestDevices:
    def test_properties_are_those_of_the_device(self, cudnn: Any, torch: Any, handle: Any) -> None:
        own = cudnn.DeviceProperties.current()
        told = torch.cuda.get_device_properties(0)
        assert own == cudnn.DeviceProperties.from_handle(handle)
        assert own == cudnn.DeviceProperties.of(None) == cudnn.DeviceProperties.of(0)
        assert own.name == told.name
        assert own.multiprocessors == told.multi_processor_count
        assert own.compute_capability == (told.major, told.minor)
        assert own.memory == pytest.approx(told.total_memory, rel=0.01)
        assert cudnn.DeviceProperties(own.to_json()).fingerprint == own.fingerprint
        print(own, own.to_json())

    def test_what_the_package_knows_is_true_of_this_device(self, cudnn: Any) -> None:
        own = cudnn.DeviceProperties.current()
        if own.name not in cudnn.DeviceProperties.known():
            pytest.skip(f"the package does not know a {own.name}")
        known = cudnn.DeviceProperties(own.name)
        known.check_same(own)
        different = known.differences(own)
        assert set(different) <= {"totalGlobalMem", "smClockRateKHz", "memClockRateKHz"}, different
        assert known["memoryBusWidth"] == graphs.attribute(0, BUS_WIDTH)

    def test_a_plan_that_was_built_for_a_description_runs(
        self, cudnn: Any, conv: Convolution, handle: Any, error_of: Any
    ) -> None:
        described = cudnn.DeviceProperties(cudnn.DeviceProperties.current().to_json())
        text = conv.graph.build(device=described).to_json()
        assert conv.error(cudnn.Plan.from_json(text, handle), error_of) < 1e-3


class TestCaches:
    def test_the_tuned_plan_is_found_by_build(self, conv: Convolution) -> None:
        first = conv.graph.build()
        best = conv.graph.autotune(operands=conv.operands).best
        assert conv.graph.build() is best is not first
        assert conv.graph.build(choose="autotune") is best
        plans.clear()
        with no_cache():
            assert conv.graph.build() is not best

    def test_processes_share_choices(self, tmp_path: Path) -> None:
        path = Path(__file__).parent / "programs" / "choose.py"

        def child(what: str) -> Any:
            done = subprocess.run(
                [sys.executable, "-P", str(path), what],
                env={**os.environ, "CUDNN_CFFI_PLAN_CACHE": str(tmp_path)},
                capture_output=True,
                text=True,
                timeout=300,
            )
            assert done.returncode == 0, done.stderr
            return json.loads(done.stdout)

        tuned = child("tune")
        assert tuned["asked"]
        for what in ("build", "autotune"):
            again = child(what)
            assert again["asked"] == []
            assert (again["engine"], again["knobs"]) == (tuned["engine"], tuned["knobs"])

    def test_kernels_are_shared_by_shapes(self, torch: Any, handle: Any, error_of: Any) -> None:
        cache = first = None
        for m in (128, 256, 384):
            computation = matmul(m, dynamic=True, handle=handle)
            cache = cache or KernelCache(computation)
            # Heuristics choose other knobs for other shapes, which are other kernels.
            first = first or candidates(computation, ["A"])[0]
            chosen: dict[str, Any] = {"engine": first.engine, "knobs": first.knobs}
            (same,) = candidates(computation, **chosen)
            assert (same in cache) == (m > 128)
            plan = build(computation, **chosen)  # which is found again, without the cache
            plan = build(computation, kernel_cache=cache, **chosen)
            assert same in cache
            assert (plan.engine, plan.knobs) == (first.engine, first.knobs)
            a, b = (torch.randn(4, *each, device="cuda").half() for each in ((m, 64), (64, 128)))
            y = torch.full((4, m, 128), float("nan"), device="cuda", dtype=torch.float16)
            plan(a, b, y, handle=handle)
            torch.cuda.synchronize()
            expected = (a.cpu().double() @ b.cpu().double()).relu()
            assert error_of(y, expected) < 1e-3
