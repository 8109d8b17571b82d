"""The creator of an object destroys it, once: nothing leaks, nothing is destroyed twice."""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.threads import in_threads

FAMILIES = (
    "ActivationDescriptor",
    "AttnDescriptor",
    "CTCLossDescriptor",
    "ConvolutionDescriptor",
    "DropoutDescriptor",
    "FilterDescriptor",
    "LRNDescriptor",
    "OpTensorDescriptor",
    "PoolingDescriptor",
    "RNNDataDescriptor",
    "RNNDescriptor",
    "ReduceTensorDescriptor",
    "SeqDataDescriptor",
    "SpatialTransformerDescriptor",
    "TensorDescriptor",
    "TensorTransformDescriptor",
)


@pytest.fixture
def counted(cudnn: Any, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Addresses of the tensor descriptors that are destroyed."""
    destroyed: list[int] = []
    destroy = cudnn.TensorDescriptor._destroy

    def watched(address: int) -> None:
        destroyed.append(address)
        destroy(address)

    monkeypatch.setattr(cudnn.TensorDescriptor, "_destroy", staticmethod(watched))
    return destroyed


def resident() -> int:
    """Bytes of memory that this process has in use."""
    pages = Path("/proc/self/statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGESIZE")


def cycles(make: Callable[[], Any], count: int) -> int:
    """By how much the process has grown after `count` objects, the first tenth aside."""
    for _ in range(count // 10):
        make().close()
    gc.collect()
    before = resident()
    for _ in range(count):
        make().close()
    gc.collect()
    return resident() - before


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="takes /proc")
class TestMemoryStaysFlat:
    @pytest.mark.parametrize("name", FAMILIES)
    def test_short(self, cudnn: Any, name: str) -> None:
        assert cycles(getattr(cudnn, name), 5000) < 400_000

    @pytest.mark.slow
    def test_a_million(self, cudnn: Any) -> None:
        def make() -> Any:
            return cudnn.TensorDescriptor.packed((1, 2, 3, 4))

        assert cycles(make, 1_000_000) < 1 << 20

    @pytest.mark.slow
    @pytest.mark.parametrize("name", FAMILIES)
    def test_a_hundred_thousand_of_each(self, cudnn: Any, name: str) -> None:
        assert cycles(getattr(cudnn, name), 100_000) < 1 << 20

    def test_errors_leave_nothing_behind(self, cudnn: Any) -> None:
        class Closed:
            def close(self) -> None:
                pass

        def make() -> Any:
            try:
                cudnn.ConvolutionDescriptor.cross_correlation(-1)
            except cudnn.CudnnError:
                return Closed()
            raise AssertionError("a negative padding was taken")

        assert cycles(make, 2000) < 400_000


def test_at_the_end_of_a_block(cudnn: Any, counted: list[int]) -> None:
    with cudnn.TensorDescriptor() as desc:
        address = desc.address
    assert counted == [address]
    del desc
    gc.collect()
    assert counted == [address]


def test_with_the_last_reference(cudnn: Any, counted: list[int]) -> None:
    desc = cudnn.TensorDescriptor()
    address = desc.address
    del desc
    gc.collect()
    assert counted == [address]


def test_in_a_cycle_of_references(cudnn: Any, counted: list[int]) -> None:
    desc = cudnn.TensorDescriptor()
    cycle: list[Any] = [desc]
    cycle.append(cycle)
    address = desc.address
    del desc, cycle
    gc.collect()
    assert counted == [address]


def test_an_exception_in_a_constructor(cudnn: Any, counted: list[int]) -> None:
    with pytest.raises(cudnn.CudnnError):
        cudnn.TensorDescriptor.packed((1,) * 9)
    gc.collect()
    assert len(counted) == 1


def test_the_c_name_destroys_it_and_nobody_again(cudnn: Any, counted: list[int]) -> None:
    desc = cudnn.TensorDescriptor()
    cudnn.cudnnDestroyTensorDescriptor(desc)
    assert desc.closed
    with pytest.raises(cudnn.CudnnError, match="closed"):
        cudnn.cudnnDestroyTensorDescriptor(desc)
    desc.close()
    del desc
    gc.collect()
    assert not counted


def test_a_lent_one_is_left_alone(cudnn: Any, counted: list[int]) -> None:
    owner = cudnn.TensorDescriptor.packed((1, 2, 3, 4))
    lent = cudnn.TensorDescriptor.from_address(owner.address, keep=owner)
    assert lent == owner
    lent.close()
    assert not counted
    assert owner.shape == (1, 2, 3, 4)


def test_threads_that_close_the_same_one(cudnn: Any, counted: list[int]) -> None:
    for _ in range(200):
        desc = cudnn.TensorDescriptor()
        start = threading.Barrier(4)

        def close(desc: Any = desc, start: Any = start) -> None:
            start.wait()
            desc.close()

        in_threads(lambda _: close(), range(4))
    assert len(counted) == 200


def test_threads_that_make_and_close_many(cudnn: Any) -> None:
    def work(size: int) -> None:
        for _ in range(500):
            with cudnn.TensorDescriptor.packed((1, size, 3, 4)) as desc:
                assert desc.shape == (1, size, 3, 4)

    in_threads(work, range(1, 9))


def test_nothing_is_destroyed_when_the_interpreter_ends(cudnn: Any, program: Any) -> None:
    """Wherever the last references are: in a module, a class, a cycle, a thread's storage."""
    done = program("interpreter_end", cudnn.load().path)
    assert (done.returncode, done.stdout) == (0, "the end\n"), done.stderr
    assert "Exception ignored" not in done.stderr
