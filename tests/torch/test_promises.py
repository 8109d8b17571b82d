"""Modules keep what PyTorch promises of all that has gradients, where operations do what they should."""

from __future__ import annotations

from typing import Any

import pytest

from .cases import MODULES, Case, name_of
from .test_wiring import assert_close, pair

promises = pytest.importorskip("tests.torch.promises", exc_type=ImportError)


CASES = list({each.name: each for each in MODULES}.values())


@pytest.mark.parametrize("name", promises.PROMISES)
@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_modules(torch: Any, operators: list[str], case: Case, name: str) -> None:
    torch.manual_seed(8)
    ours, theirs = pair(torch, case)
    x = torch.randn(case.shape, dtype=torch.float64)
    assert_close(torch, *promises.compute(name, ours, theirs, x, x))


@pytest.mark.parametrize("case", MODULES, ids=name_of)
def test_changes_in_between(torch: Any, operators: list[str], case: Case) -> None:
    torch.manual_seed(8)
    module = pair(torch, case)[0]
    promises.changed_in_between(module, torch.randn(case.shape, dtype=torch.float64))


@pytest.mark.parametrize("reentrant", [True, False])
def test_dropout_in_a_checkpoint(torch: Any, operators: list[str], reentrant: bool) -> None:
    """Its random numbers are not repeated, so its gradients would be wrong."""
    from cudnn_cffi import NotSupportedError
    from cudnn_cffi.torch import functional

    x = torch.randn(3, 8, requires_grad=True)
    y = torch.utils.checkpoint.checkpoint(
        lambda x: functional.dropout(x.sin(), 0.5), x, use_reentrant=reentrant
    )
    with pytest.raises(
        NotSupportedError, match=r"dropout: .*\n.*leave it out of torch.utils.checkpoint"
    ):
        y.sum().backward()


@pytest.mark.parametrize("name", promises.PROMISES)
def test_models_fused_for_training(torch: Any, operators: list[str], name: str) -> None:
    from cudnn_cffi.torch import fuse

    from .test_training import network

    model = network(torch).double()
    for each in model.modules():
        if isinstance(each, torch.nn.BatchNorm2d):
            each.track_running_stats, each.running_mean, each.running_var = False, None, None
    x = torch.randn(4, 3, 9, 9, dtype=torch.float64)
    assert_close(torch, *promises.compute(name, fuse(model, training=True), model, x, x))
    assert operators or name in promises.TRANSFORMS
