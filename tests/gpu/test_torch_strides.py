"""Results of fused models, and what code of a model reads, lie as PyTorch lays them out on a GPU."""

from __future__ import annotations

import contextlib
import copy
from typing import Any

import pytest

pytest.importorskip("torch", exc_type=ImportError)

from tests.torch.test_strides import CODES, RESULTS, Model, same_or_error, with_code


def check(torch: Any, model: Any, **settings: Any) -> None:
    """Compare results of inputs and weights in both layouts, several times each."""
    from cudnn_cffi.torch import fuse

    leaves = torch.utils._pytree.tree_leaves
    for last in (False, True):
        model = model.eval().cuda()
        model = model.to(memory_format=torch.channels_last) if last else model
        exact, fused = copy.deepcopy(model).double(), fuse(model, **settings)
        for turn in range(4):
            x = torch.randn(2, 8, 5, 6, device="cuda")
            form = torch.channels_last if turn % 2 else torch.contiguous_format
            x = x.contiguous(memory_format=form)
            with torch.no_grad(), torch.backends.cudnn.flags(allow_tf32=False):
                same_or_error(fused, model, x, 1e-4)
                with contextlib.suppress(RuntimeError):  # a view that is none with channels last
                    right = exact(x.double())
                    for one, other in zip(leaves(fused(x)), leaves(right), strict=True):
                        if isinstance(one, torch.Tensor):
                            torch.testing.assert_close(one.double(), other, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("capture", [False, True])
@pytest.mark.parametrize("name", RESULTS)
def test_results(torch: Any, name: str, capture: bool) -> None:
    check(torch, Model(RESULTS[name]), capture=capture)


@pytest.mark.parametrize("is_changed", [False, True])
@pytest.mark.parametrize("name", CODES)
def test_code_of_a_model(torch: Any, name: str, is_changed: bool) -> None:
    check(torch, with_code(name, is_changed))
