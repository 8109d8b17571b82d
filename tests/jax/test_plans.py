"""The calls of plans that XLA is told to make; nothing is executed."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cudnn_cffi.plan import Operand
from cudnn_cffi.plan.operand import Number

from tests.plan.standin import StandIn, make_plan

jax = pytest.importorskip("jax")


@pytest.fixture
def plan(standin: StandIn) -> Any:
    """A plan of x (2, 3, 4) and w in another order of axes, with workspace."""
    standin.workspace_size = 512
    return make_plan(
        (
            Operand("x", 1, (2, 3, 4), (12, 4, 1), "HALF"),
            Operand("w", 2, (2, 3, 4), (12, 1, 3), "FLOAT"),
            Operand("a", 4, (), (), "FLOAT", by_value=True),
            Operand("y", 3, (2, 5), (1, 2), "HALF", role="output"),
        )
    )


def test_the_call_has_operands_layouts_and_workspace(
    calls: Any, plan: Any, lowered: Callable[..., str], like: Callable[..., Any]
) -> None:
    x, w = like(2, 3, 4), like(2, 3, 4, dtype="float32")
    text = lowered(lambda x, w: calls.call(plan, x, w=w, a=2.0), x, w)
    (line,) = [each for each in text.splitlines() if "custom_call" in each]
    assert "@cudnn_cffi_plan(%arg0, %arg1)" in line
    assert re.findall(r"dense<(\[.*?\]|0)> : tensor<\dxindex>", line) == [
        *("[2, 1, 0]", "[1, 2, 0]"),  # the innermost axis first
        *("[0, 1]", "0"),
    ]
    assert "(tensor<2x3x4xf16>, tensor<2x3x4xf32>) -> (tensor<2x5xf16>, tensor<512xui8>)" in line


def test_other_numbers_are_another_call(
    calls: Any, plan: Any, lowered: Callable[..., str], like: Callable[..., Any]
) -> None:
    x, w = like(2, 3, 4), like(2, 3, 4, dtype="float32")

    def key(a: float) -> str:
        text = lowered(lambda x, w: calls.call(plan, x, w, a), x, w)
        found: list[str] = re.findall(r"key = (\d+)", text)
        return found[0]

    assert key(1.0) == key(1.0) != key(2.0)


def test_a_plan_without_arrays_as_inputs(calls: Any, standin: StandIn) -> None:
    del standin
    plan = make_plan(
        (
            Operand("a", 1, (), (), "FLOAT", by_value=True),
            Operand("y", 2, (2, 5), (5, 1), "HALF", role="output"),
        )
    )
    found = jax.eval_shape(lambda: calls.call(plan, 2.0))
    assert (found.shape, str(found.dtype)) == ((2, 5), "float16")


def test_arguments_in_other_places_are_another_call(calls: Any, plan: Any) -> None:
    """Two calls of the same plan may have other inputs, of which it does not read all."""
    from cudnn_cffi.jax import targets

    places = {"x": 0, "w": 1, "y": -1}
    numbers = {"a": Number(bytes(8))}

    def key(places: dict[str, int]) -> int:
        return targets.offer(lambda _: plan, 0, places, numbers).key

    assert key(places) == key(places) != key({**places, "w": 2})


def test_pairs_of_four_bits_are_bytes(
    calls: Any, cudnn: Any, standin: StandIn, like: Callable[..., Any]
) -> None:
    del standin
    plan = make_plan(
        (
            Operand("x", 1, (4, 8), (8, 1), "INT4"),
            Operand("y", 2, (4, 8), (8, 1), "INT4", role="output"),
        )
    )
    y = jax.eval_shape(lambda x: calls.call(plan, x), like(4, 4, dtype="int8"))
    assert (y.shape, y.dtype) == ((4, 4), np.uint8)
    with pytest.raises(cudnn.ArgumentError, match=r"x: expected uint8\[4, 4\], got int4"):
        jax.eval_shape(lambda x: calls.call(plan, x), like(4, 4, dtype="int4"))


def test_a_plan_that_was_closed_is_replaced_by_the_same_plan(
    calls: Any, standin: StandIn, lowered: Callable[..., str], like: Callable[..., Any]
) -> None:
    """Also in another process: the key is that of what the plan does."""
    del standin
    from cudnn_cffi.jax.targets import _offered

    operands = (
        Operand("x", 1, (2, 7), (7, 1), "HALF"),
        Operand("y", 2, (2, 7), (7, 1), "HALF", role="output"),
    )
    keys, plans = [], []
    for _ in range(3):
        plan = make_plan(operands)
        plans.append(plan)
        text = lowered(lambda x, plan=plan: calls.call(plan, x), like(2, 7))
        keys += re.findall(r"key = (\d+)", text)
        if len(plans) == 2:
            plans[0].close()
    assert len(set(keys)) == 1
    assert _offered[int(keys[0])].ways[0] is plans[2]


def test_another_device_has_the_workspace_of_the_first(
    calls: Any,
    cudnn: Any,
    plan: Any,
    standin: StandIn,
    lowered: Callable[..., str],
    like: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """XLA allocates it; the handler asks for the plan of a device when it is called there."""
    from cudnn_cffi.jax.targets import _extend, _offered

    x, w = like(2, 3, 4), like(2, 3, 4, dtype="float32")
    text = lowered(lambda x, w: calls.call(plan, x, w, 3.0), x, w)
    key = int(re.findall(r"key = (\d+)", text)[0])
    standin.workspace_size = 1024
    other = make_plan(plan.operands)
    monkeypatch.setitem(_offered, key, _offered[key]._replace(make=lambda _: other))
    with pytest.raises(
        cudnn.ArchMismatchError, match=r"expected a plan with 512 bytes.*got one with 1024"
    ):
        _extend(key, 1)
    assert 1 not in _offered[key].ways


def test_shapes(calls: Any, plan: Any, like: Callable[..., Any]) -> None:
    x, w = like(2, 3, 4), like(2, 3, 4, dtype="float32")
    y = jax.eval_shape(lambda x, w: calls.call(plan, x, w, 1), x, w)
    assert (y.shape, y.dtype) == ((2, 5), np.float16)
    many = jax.eval_shape(
        jax.vmap(lambda x, w: calls.call(plan, x, w, 1), (None, 1)), x, like(2, 7, 3, 4, dtype="float32")
    )  # fmt: skip
    assert many.shape == (7, 2, 5)


def test_what_does_not_fit_is_refused(
    calls: Any, cudnn: Any, plan: Any, standin: StandIn, like: Callable[..., Any]
) -> None:
    x, w = like(2, 3, 4), like(2, 3, 4, dtype="float32")

    def shape(*given: Any, plan: Any = plan, **named: Any) -> Any:
        return jax.eval_shape(lambda *all: calls.call(plan, *all, **named), *given)

    with pytest.raises(cudnn.ArgumentError, match=r"x: expected float16\[2, 3, 4\], got float32"):
        shape(w, w, a=1)
    with pytest.raises(cudnn.ArgumentError, match="w: it is missing"):
        shape(x, a=1)
    with pytest.raises(cudnn.ArgumentError, match="y: arrays of JAX are not written to"):
        shape(x, w, a=1, y=x)
    with pytest.raises(cudnn.ArgumentError, match="a: expected a number"):
        shape(x, w, x)
    standin.workspace_size = 0
    gaps = make_plan(
        (
            Operand("x", 1, (2, 3), (6, 2), "HALF"),
            Operand("y", 2, (2, 3), (3, 1), "HALF", role="output"),
        )
    )
    with pytest.raises(cudnn.ArgumentError, match=r"x: expected strides without gaps"):
        jax.jit(lambda x: calls.call(gaps, x)).trace(like(2, 3)).lower(lowering_platforms=("cuda",))


@pytest.mark.skipif(
    any(each.platform == "gpu" for each in jax.devices()), reason="JAX has a GPU here"
)
def test_without_a_gpu_the_error_has_a_name(
    calls: Any, cudnn: Any, plan: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = np.zeros((2, 3, 4), np.float16)
    with pytest.raises(cudnn.NotSupportedError, match="on NVIDIA's GPUs alone"):
        calls.call(plan, x, x.astype(np.float32), 1.0)
    from cudnn_cffi.jax import calls as ours
    from cudnn_cffi.jax import targets

    monkeypatch.setattr(ours, "local_device", targets.local_device)
    with pytest.raises(cudnn.NotInitializedError, match="JAX has no GPU here") as caught:
        calls.call(plan, x, x.astype(np.float32), 2.0)
    assert caught.value.hint == 'install "jax[cuda12]" or "jax[cuda13]"'


def test_plans_that_python_makes_are_refused(
    calls: Any, cudnn: Any, standin: StandIn, like: Callable[..., Any]
) -> None:
    del standin
    from cudnn_cffi._ways.classic_call import Classic

    operands = (
        Operand("x", 1, (2, 3), (3, 1), "HALF"),
        Operand("y", 2, (2, 3), (3, 1), "HALF", role="output"),
    )
    made = Classic("cudnnAny", operands, lambda *_: None)
    with pytest.raises(cudnn.NotSupportedError, match="its call needs Python"):
        jax.jit(lambda x: calls.call(made, x)).trace(like(2, 3)).lower(lowering_platforms=("cuda",))


def test_an_interface_that_is_unknown(
    calls: Any, cudnn: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    del calls
    from cudnn_cffi.jax.targets import _interface

    header = tmp_path / "xla" / "ffi" / "api" / "c_api.h"
    monkeypatch.setattr(jax.ffi, "include_dir", lambda: str(tmp_path))
    with pytest.raises(cudnn.CudnnError, match="no header"):
        _interface()
    header.parent.mkdir(parents=True)
    header.write_text("#define XLA_FFI_API_MAJOR 1\n#define XLA_FFI_API_MINOR 0\n")
    with pytest.raises(cudnn.CudnnError, match=r"version 0 of XLA's interface.*got 1\.0"):
        _interface()


def test_a_jax_that_is_too_old(monkeypatch: pytest.MonkeyPatch, calls: Any) -> None:
    monkeypatch.setattr("jaxlib.__version__", "0.4.30")
    with pytest.raises(ImportError, match=r"needs JAX 0\.5 or newer.*jaxlib 0\.4\.30 is installed"):
        calls._check()


def test_xla_takes_the_handlers(calls: Any, cudnn: Any) -> None:
    """XLA asks a handler for its version, and calls it; on the CPU there is no stream."""
    del cudnn
    from cudnn_cffi.jax.targets import _extend, _interface
    from cudnn_cffi.plan.run import xla

    del calls
    handler, _ = xla.set_up(_extend, *_interface())
    jax.ffi.register_ffi_target("cudnn_cffi_test", jax.ffi.pycapsule(handler), platform="cpu")
    x = np.zeros(3, np.float32)

    def f(x: Any) -> Any:
        kind = jax.ShapeDtypeStruct(x.shape, x.dtype)
        return jax.ffi.ffi_call("cudnn_cffi_test", kind)(x, **key)

    key: dict[str, Any] = {"key": np.int64(1)}
    with pytest.raises(jax.errors.JaxRuntimeError, match="GPU context is not available"):
        jax.block_until_ready(jax.jit(f)(x))
    key = {"other": np.float32(1)}
    with pytest.raises(jax.errors.JaxRuntimeError, match="cudnn_cffi: expected the key of a plan"):
        jax.block_until_ready(jax.jit(lambda x: f(x) + 1)(x))
    xla.set_up(_extend, 0, 99)
    with pytest.raises(jax.errors.JaxRuntimeError, match=r"(?i)version \(0\.99\)"):
        jax.ffi.register_ffi_target("cudnn_cffi_new", jax.ffi.pycapsule(handler), platform="cpu")
    xla.set_up(_extend, *_interface())
