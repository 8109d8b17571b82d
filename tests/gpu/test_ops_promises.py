"""Promises of the guides for all operations: the same bits, exclusions by policies, threads,
graphs, little memory, two devices.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable
from typing import Any

import pytest
from cudnn_cffi import choice, errors, ops
from cudnn_cffi._kept import store
from cudnn_cffi.plan import Plan

from tests.gpu.conftest import capturing
from tests.threads import in_threads

pytestmark = pytest.mark.usefixtures("no_choices")

Call = Callable[[], Any]

SECTIONS = ("forward", "data", "filter")


def calls(torch: Any, fresh: Any, dtype: str, device: int = 0) -> dict[str, Call]:
    """Return a call of each operation, by name, all on arrays of their own on one device."""
    torch.cuda.set_device(device)

    def new(*shape: int, layout: str = "NCHW", kind: str = dtype) -> Any:
        return fresh(*shape, dtype=kind, layout=layout)

    x, w, b = new(8, 16, 14, 14), new(24, 16, 3, 3), new(24)
    dy, residual = new(8, 24, 14, 14), new(8, 24, 14, 14)
    last = new(8, 16, 14, 14, layout="NHWC")
    scale, bias, mean = (new(16, kind="float32") for _ in range(3))
    variance = new(16, kind="float32").abs() + 0.5
    rows, gain, shift = new(64, 96), new(96), new(96)
    target = torch.softmax(new(32, 50).float(), 1).to(getattr(torch, dtype))
    logits, labels = new(32, 50), torch.randint(0, 50, (32,), device="cuda")
    fused = ops.Convolution(1, activation="relu")
    pooled, averaged = ops.Pooling("max", 2), ops.Pooling("average", 2)
    y2, small = ops.Pooling("max", 2)(x), new(8, 16, 7, 7)
    train, layer = ops.BatchNorm(), ops.LayerNorm(statistics=True)
    kept, row = train(x, scale, bias), layer(rows, gain, shift)
    soft, drop = ops.softmax(rows, axis="last"), ops.Dropout(0.5, 3)
    _, reserve = drop(x)
    column = ops.Im2Col(3, padding=1)
    steps, net = new(6, 4, 32), ops.GRU(32, 32, choose="deterministic")
    weights = new(net.weights_count(dtype)) / 8
    found: dict[str, Call] = {
        "convolution": lambda: ops.convolution(x, w, b, padding=1),
        "convolution, fused": lambda: fused(x, w, b, residual),
        "convolution_backward_data": lambda: ops.convolution_backward_data(
            dy, w, x.shape, padding=1, choose="deterministic"
        ),
        "convolution_backward_filter": lambda: ops.convolution_backward_filter(
            x, dy, w.shape, padding=1, choose="deterministic"
        ),
        "convolution_backward_bias": lambda: ops.convolution_backward_bias(dy),
        "max_pool": lambda: pooled(x),
        "max_pool, NHWC": lambda: pooled(last),
        "max_pool, gradient": lambda: ops.PoolingBackward("max", 2, deterministic=True)(
            small, x, y2
        ),
        "average_pool": lambda: averaged(x),
        "relu": lambda: ops.relu(x),
        "gelu": lambda: ops.gelu(x),
        "tanh, gradient": lambda: ops.ActivationBackward("tanh")(x, x, ops.tanh(x)),
        "softmax": lambda: ops.softmax(rows, axis="last"),
        "softmax, gradient": lambda: ops.SoftmaxBackward("last")(rows, soft),
        "batch_norm": lambda: train(x, scale, bias),
        "batch_norm, gradient": lambda: train.backward(x, x, scale, kept.mean, kept.inv_variance),
        "batch_norm_inference": lambda: ops.batch_norm_inference(x, scale, bias, mean, variance),
        "group_norm": lambda: ops.group_norm(x, 4, scale, bias),
        "layer_norm": lambda: layer(rows, gain, shift),
        "layer_norm, gradient": lambda: ops.LayerNormBackward()(
            rows, rows, gain, row.mean, row.inv_variance
        ),
        "rms_norm": lambda: ops.rms_norm(rows, gain),
        "add": lambda: ops.add(x, x),
        "reduce": lambda: ops.reduce(x, "sum", (0, 2, 3)),
        "transform": lambda: ops.transform(x, "NHWC"),
        "im2col": lambda: column(x),
        "fold": lambda: ops.fold(x, 2),
        "dropout, gradient": lambda: drop.backward(x, reserve),
        "local_response_norm": lambda: ops.local_response_norm(x),
        "cross_entropy": lambda: ops.cross_entropy(logits, target),
        "cross_entropy, labels": lambda: ops.cross_entropy(logits, labels, choose="deterministic"),
        "gru": lambda: net(steps, weights).y,
    }
    if dtype != "float32":
        q, k, v = (new(2, 4, 64, 64) for _ in range(3))
        attend = ops.Attention(stats=True)
        o, stats = attend(q, k, v)
        back = ops.AttentionBackward(deterministic=True)
        found["attention"] = lambda: ops.attention(q, k, v)
        found["attention, gradient"] = lambda: back(q, q, k, v, o, stats)
    torch.cuda.set_device(0)
    return found


def flat(answer: Any) -> list[Any]:
    """Return the arrays of an answer."""
    parts = answer if isinstance(answer, tuple) else (answer,)
    return [each for each in parts if each is not None]


def same(torch: Any, one: Any, other: Any) -> bool:
    return all(torch.equal(a, b) for a, b in zip(flat(one), flat(other), strict=True))


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_each_operation_gives_the_same_bits_each_time(torch: Any, fresh: Any, dtype: str) -> None:
    different, refused = [], []
    for name, call in calls(torch, fresh, dtype).items():
        try:
            first = call()
        except errors.NotSupportedError:
            refused.append(name)
            continue
        with ops.record() as log:
            call()
        for _ in range(99):
            if not same(torch, call(), first):
                different.append((name, [f"{each.via} {each.way}" for each in log]))
                break
    print("refused:", refused)
    assert not different
    assert len(refused) < 4


@pytest.mark.parametrize("how", ["process", "scope", "call", "word"])
def test_a_deterministic_choice_holds_for_gradients_of_attention_and_maxima(
    torch: Any, fresh: Any, how: str
) -> None:
    q, k, v, do = (fresh(2, 8, 1024, 64, dtype="float16") for _ in range(4))
    o, stats = ops.attention(q, k, v, stats=True)
    x = fresh(8, 64, 56, 56).round(decimals=1)
    y = ops.max_pool(x, 3, 1, 1)
    choose = {"call": {"deterministic": True}, "word": "deterministic"}.get(how)
    with contextlib.ExitStack() as stack:
        if how == "process":
            choice.set_default(deterministic=True)
        elif how == "scope":
            stack.enter_context(choice(deterministic=True))
        gradients: list[Call] = [
            lambda: ops.attention_backward(do, q, k, v, o, stats, choose=choose)[:3],
            lambda: ops.PoolingBackward("max", 3, 1, 1)(y, x, y, choose=choose),
        ]
        for call in gradients:
            first = call()
            assert all(same(torch, call(), first) for _ in range(30))


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_captured_operations_compute_what_eager_ones_do(torch: Any, fresh: Any, dtype: str) -> None:
    wrong, refused, captured = [], [], 0
    side = torch.cuda.Stream()
    for name, call in calls(torch, fresh, dtype).items():
        torch.cuda.synchronize()
        try:
            with torch.cuda.stream(side):
                for _ in range(2):
                    call()
            torch.cuda.synchronize()
            graph = torch.cuda.CUDAGraph()
            with capturing(graph, side):
                answer = call()
        except errors.NotSupportedError:
            refused.append(name)
            continue
        except errors.CudnnError as error:
            wrong.append((name, str(error).splitlines()[0]))
            continue
        for each in flat(answer):
            each.zero_()
        graph.replay()
        torch.cuda.synchronize()
        if not same(torch, answer, call()):
            wrong.append((name, "other numbers"))
        captured += 1
    print("refused:", refused)
    assert not wrong
    assert captured > 25


def test_eight_threads_with_streams_of_their_own(torch: Any, fresh: Any) -> None:
    """Every thread computes every operation on the same arrays, in an order of its own."""
    found = calls(torch, fresh, "float16")
    expected = {}
    for name, call in tuple(found.items()):
        try:
            expected[name] = call()
        except errors.NotSupportedError:
            del found[name]
    torch.cuda.synchronize()

    def work(number: int) -> None:
        names = list(found)
        names = names[number * 4 :] + names[: number * 4]
        with torch.cuda.stream(torch.cuda.Stream()):
            for _ in range(5):
                for name in names:
                    answer = found[name]()
                    torch.cuda.current_stream().synchronize()
                    assert same(torch, answer, expected[name]), name

    in_threads(work, range(8))


def run(section: str, choose: Any, x: Any, w: Any, dy: Any) -> Any:
    """Return the way of a convolution, or of one of its gradients, that ran."""
    cls: Any = {
        "forward": ops.Convolution, "data": ops.ConvolutionBackwardData,
        "filter": ops.ConvolutionBackwardFilter,
    }[section]  # fmt: skip
    operation = cls(1, choose=choose)
    given = {"forward": (x, w), "data": (dy, w, x.shape), "filter": (x, dy, w.shape)}[section]
    operation(*given)
    return operation.plans[-1]


@pytest.fixture
def arrays(fresh: Any) -> tuple[Any, Any, Any]:
    return fresh(8, 16, 28, 28), fresh(24, 16, 3, 3), fresh(8, 24, 28, 28)


@pytest.mark.parametrize("section", SECTIONS)
def test_heuristic_is_the_first_engine_that_builds(arrays: Any, section: str) -> None:
    x, w, _ = arrays
    way = run(section, "heuristic", *arrays)
    assert isinstance(way, Plan)
    listed = ops.candidates("convolution", x, w, padding=1, gradients=True)
    names = []
    for each in listed:
        if (each.section, each.via, each.supported) != (section, "graph", True):
            continue
        names.append(each.name)
        try:
            run(section, each.choose, *arrays)
        except errors.NotSupportedError:
            continue
        break
    assert names
    assert names[-1] == f"engine {way.engine}", listed


@pytest.mark.parametrize("section", SECTIONS)
@pytest.mark.parametrize("pick", ["heuristic", "time", "small", "deterministic"])
def test_filters_hold_for_what_runs(arrays: Any, section: str, pick: str) -> None:
    rounding = {"TENSOR_CORE", "DOWN_CONVERT_INPUTS"}
    some = {"pick": pick, "via": "graph", "most": 6}
    for setting, notes in (("tf32", rounding), ("tensor_cores", {"TENSOR_CORE"})):
        way = run(section, {**some, setting: False}, *arrays)
        assert not notes & set(way.notes), (setting, way)
    way = run(section, {**some, "deterministic": True}, *arrays)
    assert "NONDETERMINISTIC" not in way.notes, way


def test_attention_with_lengths_is_computed_where_all_is_timed(torch: Any, fresh: Any) -> None:
    q, k, v = (fresh(2, 4, 64, 64, dtype="float16") for _ in range(3))
    lengths = torch.tensor([40, 64], dtype=torch.int32, device="cuda")
    right, _ = ops.attention(q, k, v, seq_len_q=lengths, seq_len_kv=lengths)
    choice.set_default("time")
    store._warned.clear()
    with pytest.warns(RuntimeWarning, match="attention is not timed: seq_len"):
        found, _ = ops.attention(q, k, v, seq_len_q=lengths, seq_len_kv=lengths)
    assert torch.equal(found[0, :, :40], right[0, :, :40])
    assert torch.equal(found[1], right[1])
    listed = ops.candidates("attention", q, k, v, seq_len_q=lengths, seq_len_kv=lengths, time=True)
    assert any(each.supported for each in listed)


@pytest.mark.parametrize("section", SECTIONS)
def test_large_takes_half_of_the_memory_at_most(torch: Any, arrays: Any, section: str) -> None:
    free = torch.cuda.mem_get_info()[0]
    for via in ("graph", None):
        way = run(section, {"pick": "large", "via": via} if via else "large", *arrays)
        assert way.workspace_size <= free / 2 + (64 << 20)


@pytest.mark.parametrize("word", ["heuristic_once", "time_once"])
@pytest.mark.parametrize("section", SECTIONS)
def test_once_is_for_all_shapes(fresh: Any, section: str, word: str) -> None:
    cls: Any = {
        "forward": ops.Convolution, "data": ops.ConvolutionBackwardData,
        "filter": ops.ConvolutionBackwardFilter,
    }[section]  # fmt: skip
    operation, w = cls(1, choose={"pick": word, "via": "graph"}), fresh(24, 16, 3, 3)
    for n, size in ((2, 12), (4, 20), (3, 17)):
        x, dy = fresh(n, 16, size, size), fresh(n, 24, size, size)
        operation(
            *{"forward": (x, w), "data": (dy, w, x.shape), "filter": (x, dy, w.shape)}[section]
        )
    assert len({(each.engine, tuple(sorted(each.knobs.items()))) for each in operation.plans}) == 1
    assert len(operation.plans) == 3


@pytest.mark.alone
@pytest.mark.parametrize("pick", ["heuristic", "none", "small", "large", "time", "deterministic"])
def test_little_memory_during_a_choice(torch: Any, fresh: Any, error_of: Any, pick: str) -> None:
    """The numbers are right or the error says that memory lacks; afterwards it works again."""
    x, w = fresh(16, 64, 96, 96), fresh(64, 64, 3, 3)
    out = torch.full((16, 64, 96, 96), float("nan"), device="cuda")
    expected = torch.nn.functional.conv2d(x[:1].cpu().double(), w.cpu().double(), padding=1)
    torch.cuda.empty_cache()
    free = torch.cuda.mem_get_info()[0]
    held = torch.empty(max(free - (48 << 20), 0), dtype=torch.uint8, device="cuda")
    operation = ops.Convolution(1, choose=pick)
    got: BaseException | None = None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            operation(x, w, out=out)
        torch.cuda.synchronize()
    except (errors.CudnnError, torch.OutOfMemoryError) as error:
        got = error
    finally:
        del held
        torch.cuda.empty_cache()
    if got is None:
        assert error_of(out[:1], expected) < 2e-3
    else:
        print(pick, got)
        assert isinstance(got, (errors.AllocationError, MemoryError, torch.OutOfMemoryError)), got
    out.fill_(float("nan"))
    operation(x, w, out=out)
    assert error_of(out[:1], expected) < 2e-3


@pytest.mark.usefixtures("two_devices")
class TestTwoDevices:
    @pytest.mark.parametrize("dtype", ["float32", "float16"])
    def test_each_operation_on_both(self, torch: Any, fresh: Any, dtype: str) -> None:
        """The same operations in turns; each result is on the device of its arrays."""
        torch.manual_seed(7)
        first = calls(torch, fresh, dtype)
        torch.manual_seed(7)
        second = calls(torch, fresh, dtype, 1)
        wrong = []
        for name, call in first.items():
            for number, one in ((0, call), (1, second[name]), (0, call), (1, second[name])):
                try:
                    answer = one()
                except errors.NotSupportedError:
                    continue
                torch.cuda.synchronize(number)
                for each in flat(answer):
                    if each.device.index != number or each.isnan().any():
                        wrong.append((name, number))
            assert torch.cuda.current_device() == 0, name
        assert not wrong

    def test_choices_of_each(self, torch: Any, fresh: Any, error_of: Any) -> None:
        operation = ops.Convolution(1, choose="time")
        x, w = fresh(4, 16, 20, 20), fresh(16, 16, 3, 3)
        expected = torch.nn.functional.conv2d(x.cpu().double(), w.cpu().double(), padding=1)
        for number in (1, 0, 1):
            y = operation(x.to(f"cuda:{number}"), w.to(f"cuda:{number}"))
            torch.cuda.synchronize(number)
            assert y.device.index == number
            assert error_of(y, expected) < 2e-3

    def test_arrays_of_both_are_refused(self, fresh: Any) -> None:
        x, w = fresh(4, 16, 20, 20), fresh(16, 16, 3, 3).to("cuda:1")
        with pytest.raises(errors.ArgumentError, match="w: expected memory of device 0"):
            ops.convolution(x, w)

    def test_a_thread_for_each(self, torch: Any, fresh: Any) -> None:
        found = [calls(torch, fresh, "float16", number) for number in (0, 1)]
        expected = []
        for each in found:
            kept = {}
            for name, call in tuple(each.items()):
                try:
                    kept[name] = call()
                except errors.NotSupportedError:
                    del each[name]
            expected.append(kept)
        for number in (0, 1):
            torch.cuda.synchronize(number)

        def work(place: int) -> None:
            number = place % 2
            torch.cuda.set_device(number)
            for _ in range(5):
                for name, call in found[number].items():
                    answer = call()
                    torch.cuda.synchronize(number)
                    assert same(torch, answer, expected[number][name]), (number, name)

        in_threads(work, range(8))
