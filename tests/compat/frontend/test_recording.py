"""Tensors, names, numbers and extents that a program adds to a graph before cuDNN is asked."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cudnn_cffi import errors
from cudnn_cffi.compat import frontend as cudnn

KIND = cudnn.data_type


def a_graph(**settings: Any) -> Any:
    given = {"io_data_type": KIND.HALF, "compute_data_type": KIND.FLOAT} | settings
    return cudnn.pygraph(**given)


class TestTensors:
    def test_what_is_set_is_returned(self) -> None:
        g = a_graph(intermediate_data_type=KIND.FLOAT)
        x = g.tensor(dim=(2, 3, 4), stride=[12, 4, 1], name="x", uid=7)
        assert (x.get_dim(), x.get_stride()) == ([2, 3, 4], [12, 4, 1])
        assert (x.get_name(), x.get_uid(), x.get_data_type()) == ("x", 7, KIND.HALF)
        assert not x.get_is_virtual()
        assert not x.get_is_pass_by_value()
        offset = g.tensor([3, 1, 1, 1], data_type=KIND.INT32)
        same = (
            x.set_name("y")
            .set_uid(9)
            .set_dim([4, 6])
            .set_stride([6, 1])
            .set_data_type(KIND.FLOAT)
            .set_output(False)
            .set_is_pass_by_value(False)
            .set_ragged_offset(offset)
            .set_ragged_offset_multiplier(4)
            .set_reordering_type(cudnn.tensor_reordering.F8_128x4)
            .set_alignment_value(2)
        )
        assert same is x
        assert (x.get_name(), x.get_uid(), x.get_dim(), x.get_stride()) == ("y", 9, [4, 6], [6, 1])
        assert (x.get_data_type(), x.get_is_virtual()) == (KIND.FLOAT, True)
        assert x.get_ragged_offset_multiplier() == 4
        assert x.get_reordering_type() is cudnn.tensor_reordering.F8_128x4
        assert x.set_reordering_type(cudnn.tensor_reordering.NONE).get_reordering_type() is None
        assert g.find_tensor("y") is g.find_tensor(9) is x
        assert g.find_tensor("x") is None

    def test_names_that_are_made_up_differ(self) -> None:
        g = a_graph()
        made = [
            g.tensor([1], name=name or "").get_name()
            for name in ("x", None, "y", None, "x", None, "y", None)
        ]
        assert len({*made} - {"x", "y"}) == 4

    def test_numbers_of_numpy(self) -> None:
        g = a_graph()
        strides: Any = np.array([12, 4, 1])
        x = g.tensor(np.array([2, 3, 4]), strides)
        assert (x.get_dim(), x.get_stride(), x.stride_assigned) == ([2, 3, 4], [12, 4, 1], True)
        assert g.tensor([2, 3], []).get_stride() == [3, 1]
        constant = cudnn.scalar_type.COMPILE_TIME_CONST
        three, half = (g.tensor_scalar(each, constant) for each in (np.int64(3), np.float32(0.5)))
        assert (three.get_data_type(), half.get_data_type()) == (KIND.INT32, KIND.FLOAT)
        g.relu(x, negative_slope=np.float32(0.25))
        other = a_graph()
        other.deserialize(repr(g))
        assert other.nodes[0].params == {"mode": "relu", "negative_slope": 0.25}
        values = [other.find_tensor(each.get_uid()).pass_by_value for each in (three, half)]
        assert values == [3, 0.5]
        assert all(each.owner() is other for each in other.tensors.values())

    def test_a_known_number_has_the_rank_of_the_other_operand(self) -> None:
        g = a_graph()
        half = g.tensor_scalar(0.5, cudnn.scalar_type.RUNTIME_PARAM)
        for dim in ([2, 3], [2, 3, 4], [2, 3, 4, 5, 6]):
            assert g.mul(g.tensor(dim), half).get_dim() == dim
            assert g.mul(half, g.tensor(dim)).get_dim() == dim
        assert g.mul(half, half).get_dim() == [1, 1, 1, 1]
        part = g.slice(g.mul(g.tensor([4, 6]), half), [slice(0, 2), slice(None)])
        part.set_output(True)
        g.validate()
        assert part.get_dim() == [2, 6]

    def test_a_slice_for_each_dimension(self) -> None:
        g = a_graph()
        g.slice(g.tensor([2, 3, 4]), [slice(0, 1)])
        with pytest.raises(ValueError, match="expected 3 slices, got 1"):
            g.validate()

    def test_types_follow_from_the_graph(self) -> None:
        g = a_graph(intermediate_data_type=KIND.BFLOAT16)
        assert g.tensor([1]).get_data_type() is KIND.HALF
        assert g.tensor([1], is_virtual=True).get_data_type() is KIND.BFLOAT16
        assert g.tensor([1], data_type=np.float32).get_data_type() is KIND.FLOAT
        assert g.tensor([1], data_type="fp8_e4m3").get_data_type() is KIND.FP8_E4M3
        assert g.tensor([1], data_type=KIND.NOT_SET).get_data_type() is KIND.HALF
        assert a_graph().context.intermediate_data_type is KIND.HALF
        with pytest.raises(ValueError, match="data type"):
            g.tensor([1], data_type="bogus")

    def test_names_and_uids_are_made_up(self) -> None:
        g = a_graph()
        x, y = g.tensor([2, 2]), g.tensor([2, 2])
        assert (x.get_name(), y.get_name()) == ("tensor_0", "tensor_1")
        assert (x.get_uid(), y.get_uid()) == (1, 2)
        z = g.relu(g.add(x, y))
        assert (z.get_name(), z.get_uid()) == ("relu.0::OUT_0", 4)
        assert [node.name for node in g.nodes] == ["add.0", "relu.0"]
        assert g.get_node("relu.0") is g.nodes[1]
        assert g.get_node("bogus") is None

    def test_a_uid_that_was_made_up_gives_way(self) -> None:
        g = a_graph()
        x = g.tensor([2, 2])
        y = g.tensor([2, 2], uid=1)
        assert (x.get_uid(), y.get_uid()) == (2, 1)
        z = g.tensor([2, 2]).set_uid(2)
        assert x.get_uid() not in (1, 2)
        assert [g.find_tensor(uid) for uid in (1, 2, x.get_uid())] == [y, z, x]
        with pytest.raises(ValueError, match="uid 1"):
            g.tensor([2, 2], uid=1)
        with pytest.raises(ValueError, match="uid 1"):
            z.set_uid(1)

    def test_names_may_be_shared(self) -> None:
        g = a_graph()
        x, y = g.tensor([2, 2], name="a"), g.tensor([2, 2], name="a")
        assert x.get_name() == y.get_name() == "a"
        with pytest.raises(ValueError, match="several"):
            g.find_tensor("a")
        assert g.find_tensor(x.get_uid()) is x

    def test_like_arrays(self) -> None:
        g = a_graph()
        x = g.tensor_like(np.zeros((2, 3, 4), np.float32).transpose(0, 2, 1), name="n")
        assert (x.get_dim(), x.get_stride()) == ([2, 4, 3], [12, 1, 4])
        assert x.get_is_pass_by_value()  # it is on the host
        assert x.get_data_type() is KIND.FLOAT
        y = g.tensor_like(x, "m")
        assert (y.get_dim(), y.get_name(), y.get_is_pass_by_value()) == ([2, 4, 3], "m", True)

    def test_numbers(self) -> None:
        g = a_graph()
        one = g.tensor_scalar(2.5, cudnn.scalar_type.RUNTIME_PARAM)
        two = g.tensor_scalar(2, cudnn.scalar_type.COMPILE_TIME_CONST, "two")
        assert one.get_is_pass_by_value()
        assert (one.pass_by_value, two.pass_by_value) == (2.5, 2)
        assert (one.get_data_type(), two.get_data_type()) == (KIND.FLOAT, KIND.INT32)

    @pytest.mark.parametrize(
        ("change", "words"),
        [
            (lambda t: t.set_dim([]), "dimensions"),
            (lambda t: t.set_stride([1]), "strides"),
            (lambda t: t.set_output(False).set_is_pass_by_value(True), "by value"),
        ],
    )
    def test_what_is_refused(self, change: Any, words: str) -> None:
        g = a_graph()
        x = g.tensor([2, 2], name="x")
        change(x)
        with pytest.raises((ValueError, errors.ShapeMismatchError), match="x"):
            x.validate()
        with pytest.raises(ValueError, match=words):
            x.validate()
        with pytest.raises(ValueError, match="from 1 on"):
            x.set_alignment_value(0)


class TestNodes:
    def test_extents_are_known_at_once(self) -> None:
        g = a_graph()
        x, w = g.tensor([8, 16, 10, 12]), g.tensor([32, 16, 3, 5])
        y = g.conv_fprop(x, w, padding=[1, 2], stride=[2, 1], dilation=[1, 2], name="c")
        assert y.get_dim() == [8, 32, 5, 8]
        assert y.get_name() == "c::Y"
        assert g.relu(y).get_dim() == [8, 32, 5, 8]
        assert g.matmul(g.tensor([4, 1, 2, 3]), g.tensor([5, 3, 7])).get_dim() == [4, 5, 2, 7]
        assert g.slice(
            x, [slice(1, 3), slice(None), slice(2, 10, 3), slice(-4, None)]
        ).get_dim() == [
            2,
            16,
            3,
            4,
        ]
        assert g.transpose(x, [0, 2, 3, 1]).get_dim() == [8, 10, 12, 16]
        assert g.concatenate([x, x], 1).get_dim() == [8, 32, 10, 12]
        assert g.reduction(x, mode=cudnn.reduction_mode.ADD).get_dim() == []
        assert g.reduction(x, cudnn.reduction_mode.MAX, out_dims=[1, 16, 1, 1]).get_dim() == [
            1,
            16,
            1,
            1,
        ]
        quantized, scale = g.block_scale_quantize(g.tensor([2, 4, 64]), block_size=32)
        assert (quantized.get_dim(), scale.get_dim()) == ([2, 4, 64], [2, 4, 2])

    def test_extents_that_are_set_later_count(self) -> None:
        g = a_graph()
        dy, w = g.tensor([8, 32, 14, 14]), g.tensor([32, 64, 3, 3])
        dx = g.conv_dgrad(dy, w, padding=[1, 1], stride=[2, 2], dilation=[1, 1])
        assert dx.get_dim() == [8, 64, 27, 27]
        y = g.relu(dx)
        dx.set_dim([8, 64, 28, 28])
        y.set_output(True)
        g.validate()
        assert y.get_dim() == [8, 64, 28, 28]

    def test_results_that_are_not_computed_are_none(self) -> None:
        g = a_graph()
        x, s = g.tensor([8, 16, 4, 4]), g.tensor([1, 16, 4, 4])
        phase = cudnn.norm_forward_phase
        epsilon = g.tensor([1, 1, 1, 1], is_pass_by_value=True)
        y, mean, inv = g.layernorm(
            norm_forward_phase=phase.INFERENCE, input=x, scale=s, bias=s, epsilon=epsilon
        )
        assert (mean, inv) == (None, None)
        assert y.get_dim() == [8, 16, 4, 4]
        _, mean, inv = g.layernorm(x, s, s, epsilon, phase.TRAINING)
        assert mean.get_dim() == inv.get_dim() == [8, 1, 1, 1]
        _, inv = g.rmsnorm(phase.TRAINING, x, s, None, epsilon)  # the order of older front ends
        assert inv.get_dim() == [8, 1, 1, 1]
        assert g.nodes[-1].params == {"norm_forward_phase": phase.TRAINING}
        dx, ds, db = g.rmsnorm_backward(x, x, s, inv, False)
        assert db is None
        assert dx is not None
        assert ds.get_dim() == [1, 16, 4, 4]
        made = g.batchnorm(x, s, s, epsilon=epsilon)
        assert [each is None for each in made] == [False, False, False, True, True]
        q = g.tensor([2, 4, 64, 32])
        assert g.sdpa(q, q, q, is_inference=True)[1] is None
        assert g.sdpa(q, q, q, generate_stats=True)[1].get_dim() == [2, 4, 64, 1]

    def test_arrays_are_bound(self) -> None:
        g = a_graph()
        a, b = np.zeros((2, 3, 4), np.float16), np.zeros((2, 4, 5), np.float16)
        c = g.matmul(a, b, name="mm")
        assert c.get_dim() == [2, 3, 5]
        assert [each.get_name() for each in g.nodes[0].inputs.values()] == ["mm::A", "mm::B"]
        assert set(g._bound) == {1, 2}
        assert g._bound[1] is a

    def test_wrong_arguments(self) -> None:
        g = a_graph()
        x = g.tensor([2, 3])
        with pytest.raises(TypeError, match="bogus"):
            g.relu(x, bogus=1)
        with pytest.raises(TypeError, match="None"):
            g.add(x, None)
        with pytest.raises(TypeError):
            g.add(x)
        with pytest.raises(TypeError, match="multiple values for argument"):
            g.sdpa(x, x, x, q=x)
        with pytest.raises(TypeError, match="3 tensors"):
            g.sdpa(x, x, x, x)
        with pytest.raises(AttributeError):
            g.bogus(x)

    def test_what_the_graph_shows(self) -> None:
        g = a_graph()
        x = g.tensor([2, 3], name="x")
        y = g.relu(x, name="r").set_output(True)
        told = g.inspect()
        assert told["nodes"] == [
            {
                "name": "r",
                "type": "POINTWISE",
                "inputs": {"IN_0": "x"},
                "outputs": {"OUT_0": "r::OUT_0"},
                "params": {"mode": "relu"},
            }
        ]
        assert told["tensors"]["x"]["dim"] == [2, 3]
        assert (g.get_inputs(), g.get_outputs()) == ([x], [y])
        assert set(g.tensors) == {"x", "r::OUT_0"}
        assert '"tag": "POINTWISE"' in repr(g)


@pytest.mark.parametrize("word", cudnn.ENGINES_IN_PYTHON)
def test_engines_in_python(word: str) -> None:
    with pytest.raises(cudnn.cudnnGraphNotSupportedError, match="written in Python"):
        getattr(a_graph(), word)(1, 2, q=3)


def test_the_exception_is_neither_of_the_others() -> None:
    """A program may catch RuntimeError before it."""
    assert cudnn.cudnnGraphNotSupportedError.__mro__[1] is Exception


class TestFunctions:
    def test_graph_and_jit(self) -> None:
        built: list[Any] = []

        class Quick(cudnn.pygraph):
            def build(self, heuristics: Any = None, ctx: Any = None) -> None:
                built.append(heuristics)

        @cudnn.jit(heur_modes=cudnn.heur_mode.B)
        def make() -> Any:
            g = Quick(io_data_type=KIND.HALF)
            return g, [g.tensor([2, 2], uid=5), g.tensor([2, 2])]

        _, uids = make()
        assert (uids, built) == ([5, 1], [[cudnn.heur_mode.B]])
        with cudnn.graph(None, "named") as (named, tensors):
            assert named.name == "named"
            assert tensors == []
            assert named.context.io_data_type is KIND.HALF
            assert named.context.compute_data_type is KIND.FLOAT

    def test_graph_cache(self) -> None:
        made: list[int] = []

        @cudnn.graph_cache(key_fn=lambda size, **_: size // 10, maxsize=2)
        def make(size: int, **_: Any) -> int:
            made.append(size)
            return size

        assert [make(1), make(2, other=1), make(11), make(21), make(3)] == [1, 1, 11, 21, 3]
        assert made == [1, 11, 21, 3]

    def test_kinds_of_knobs(self) -> None:
        assert cudnn.is_frontend_knob_type(cudnn.knob_type.PACK_GQA)
        assert not cudnn.is_frontend_knob_type(cudnn.knob_type.TILE_SIZE)
        assert not cudnn.is_frontend_knob_type(cudnn.knob_type.KBLOCK)
        assert repr(cudnn.knob(cudnn.knob_type.STAGES, 5, 1, 2)) == (
            '{"knob_type":7,"max_value":5,"min_value":1,"stride":2}'
        )

    def test_handles_are_asked_for(self) -> None:
        number: Any = 123
        for call in (cudnn.get_stream, cudnn.destroy_handle, lambda h: cudnn.set_stream(h, 0)):
            with pytest.raises(TypeError, match="Handle"):
                call(number)
        empty = cudnn.Handle(None)
        assert empty.backend_handle is None
        cudnn.destroy_handle(empty)
        with pytest.raises(TypeError, match="wraps the address"):
            cudnn.pygraph(handle=123)._own_handle()

    def test_an_empty_cache_of_kernels(self) -> None:
        cache = cudnn.create_kernel_cache()
        for call in (cache.serialize, cache.size, cache.revision):
            with pytest.raises(RuntimeError, match="empty"):
                call()


def test_a_tensor_takes_every_attribute() -> None:
    offset = cudnn.Tensor("offset", cudnn.data_type.INT32, (3, 1, 1, 1), (1, 1, 1, 1))
    made = cudnn.Tensor(
        "t", cudnn.data_type.HALF, (2, 3), (3, 1), True, True, 1.5, 7, True, True, True,
        cudnn.tensor_reordering.F16x16, offset, 4,
        scalar_type=cudnn.scalar_type.RUNTIME_PARAM, alignment_value=8,
    )  # fmt: skip
    found = (made.uid, made.uid_assigned, made.dim_assigned, made.stride_assigned)
    assert found == (7, True, True, True)
    assert made.reordering_type is cudnn.tensor_reordering.F16x16
    assert (made.ragged_offset, made.ragged_offset_multiplier) == (offset, 4)
    assert (made.scalar_type, made.alignment_value) == (cudnn.scalar_type.RUNTIME_PARAM, 8)
    plain = cudnn.Tensor(reordering_type=cudnn.tensor_reordering.NONE)
    assert plain.reordering_type is None
    assert {plain.uid_assigned, plain.dim_assigned, plain.stride_assigned} == {False}


def test_a_node_infers_and_checks_its_tensors() -> None:
    graph = cudnn.pygraph(io_data_type=cudnn.data_type.HALF)
    a, b = graph.tensor([2, 3, 4]), graph.tensor([2, 4, 5])
    c = graph.matmul(a, b)
    node = graph.nodes[0]
    a.set_data_type(None)
    c.dim, c.stride = [], []
    context = cudnn.GraphContext(cudnn.data_type.HALF, cudnn.data_type.FLOAT)
    node.infer_properties(context)
    assert (a.data_type, c.data_type) == (cudnn.data_type.HALF, cudnn.data_type.FLOAT)
    assert (list(c.dim), list(c.stride)) == ([2, 3, 5], [15, 5, 1])
    node.validate()
    node.inputs["B"] = None
    with pytest.raises(ValueError, match="expected a tensor as input B"):
        node.validate()
    node.inputs["B"] = graph.tensor([2, 7, 5])
    with pytest.raises(ValueError, match="matmul"):
        node.validate()


def test_contexts_are_equal_by_their_types() -> None:
    half = cudnn.data_type.HALF
    assert cudnn.GraphContext(half) == cudnn.GraphContext(io_data_type=half)
    assert cudnn.GraphContext(half) != cudnn.GraphContext(half, half)


def test_a_kernel_cache_is_filled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cudnn_cffi.choice.KernelCache.from_json", lambda text: text)
    cache = cudnn.create_kernel_cache()
    cache.deserialize("one")
    with pytest.raises(RuntimeError, match="expected an empty kernel cache"):
        cache.deserialize("two")


LOGGED = """
from cudnn_cffi.compat import frontend as cudnn
graph = cudnn.pygraph("mine", cudnn.data_type.HALF)
graph.matmul(graph.tensor([2, 3, 4]), graph.tensor([2, 5, 6]))
try:
    graph.validate()
except ValueError:
    pass
"""


@pytest.mark.parametrize("info", ["1", "0"])
@pytest.mark.parametrize("place", ["file", "stdout", "stderr", ""])
def test_the_log_goes_where_the_environment_says(tmp_path: Path, info: str, place: str) -> None:
    file = tmp_path / "log.txt"
    variables = {
        "CUDNN_FRONTEND_LOG_INFO": info,
        "CUDNN_FRONTEND_LOG_FILE": str(file) if place == "file" else place,
    }
    done = subprocess.run(
        [sys.executable, "-c", LOGGED],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    said = {"stdout": done.stdout, "stderr": done.stderr}
    said["file"] = file.read_text() if file.exists() else ""
    for where, text in said.items():
        steps = info == "1" and where == place
        assert ("INFO: mine: validate of 1 nodes" in text) == steps, where
        assert ("ERROR: mine: validate: " in text) == steps, where


@pytest.mark.parametrize("to", ["gradient of batch norm", "gradient of relu", "memory"])
def test_batch_norm_inference_is_one_operation_before_its_gradient(to: str) -> None:
    """cuDNN has an engine for the three of them only; else for the pointwise operations."""
    graph = a_graph(io_data_type=KIND.FLOAT, intermediate_data_type=KIND.FLOAT)
    x, dy = (graph.tensor([4, 16, 8, 8], [1024, 1, 128, 16]) for _ in range(2))
    names = ("mean", "inv_variance", "scale", "bias")
    parts = {name: graph.tensor([1, 16, 1, 1], name=name) for name in names}
    y = graph.batchnorm_inference(input=x, **parts)
    made = [y]
    if to != "memory":
        made = [graph.relu_backward(dy, y)]
    if to == "gradient of batch norm":
        del parts["bias"]
        made = graph.batchnorm_backward(grad=made[0], input=x, **parts)
    for each in made:
        each.set_output(True)
    graph.validate()
    words = [node.word for node in graph._lowering.graph.nodes]
    norm = ["norm_forward"] if to == "gradient of batch norm" else ["sub", "mul", "mul", "add"]
    assert words[: len(norm)] == norm


@pytest.mark.usefixtures("cudnn")
@pytest.mark.parametrize("is_ragged", [False, True])
def test_results_are_ragged_if_they_say_so(is_ragged: bool) -> None:
    """Queries, keys and values that are ragged do not make results so."""
    graph = a_graph(io_data_type=KIND.HALF, intermediate_data_type=KIND.FLOAT)
    shape, strides = [2, 4, 128, 64], [128 * 256, 64, 256, 1]
    whole: Any = {"data_type": KIND.INT32}
    lengths = [graph.tensor([2, 1, 1, 1], [1, 1, 1, 1], **whole) for _ in "qk"]
    offsets = graph.tensor([3, 1, 1, 1], [1, 1, 1, 1], **whole)
    q, k, v, o, dy = (graph.tensor(shape, strides, ragged_offset=offsets) for _ in range(5))
    stats = graph.tensor([2, 4, 128, 1], [512, 128, 1, 1], data_type=KIND.FLOAT)
    padded = {"use_padding_mask": True, "seq_len_q": lengths[0], "seq_len_kv": lengths[1]}
    made = [graph.sdpa(q, k, v, is_inference=True, **padded)[0]]
    made += graph.sdpa_backward(q, k, v, o, dy, stats, **padded)
    for each in made:
        each.set_output(True).set_dim(shape).set_stride(strides)
        if is_ragged:
            each.set_ragged_offset(offsets).set_ragged_offset_multiplier(4)
    graph.validate()
    results = graph._lowering.graph.outputs
    wanted = (offsets.uid, 4) if is_ragged else (None, 1)
    for each in results:
        assert (getattr(each.ragged_offset, "uid", None), each.ragged_multiplier) == wanted
    assert len(results) == 4


@pytest.mark.usefixtures("cudnn")
def test_an_epsilon_of_other_rank() -> None:
    """NVIDIA's takes a number in host memory with four dimensions beside tensors of three."""
    graph = a_graph(io_data_type=KIND.HALF, intermediate_data_type=KIND.FLOAT)
    x = graph.tensor([4, 128, 256], [128 * 256, 256, 1])
    scale = graph.tensor([4, 1, 256], [256, 256, 1], data_type=KIND.FLOAT)
    number: Any = {"is_pass_by_value": True, "data_type": KIND.FLOAT}
    epsilon = graph.tensor([1, 1, 1, 1], [1, 1, 1, 1], **number)
    inference = cudnn.norm_forward_phase.INFERENCE
    y, *_ = graph.adalayernorm(x, scale, epsilon=epsilon, norm_forward_phase=inference)
    y.set_output(True)
    graph.validate()
    assert graph._lowering.get(epsilon).shape == (1, 1, 1)
