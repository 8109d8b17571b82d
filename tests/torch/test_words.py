"""Names that modules and functions for PyTorch lack, read and set."""

from __future__ import annotations

from types import ModuleType

import pytest

torch = pytest.importorskip("torch")

import cudnn_cffi.torch as ours  # noqa: E402
from cudnn_cffi._advice import said  # noqa: E402
from cudnn_cffi.torch import functional, modules  # noqa: E402


@pytest.mark.parametrize(
    ("module", "name", "says"),
    [
        (modules, "SpatialConvolution", ": use Conv2d"),
        (modules, "BLSTM", ": use LSTM, with bidirectional=True"),
        (modules, "Linear", ": use torch.nn.Linear"),
        (modules, "Cnv2d", "; did you mean Conv2d?"),
        (functional, "linear", ": use torch.nn.functional.linear"),
        (functional, "conv2", "; did you mean conv2d?"),
        (ours, "Conv2d", ": use modules.Conv2d"),
        (ours, "relu", ": use functional.relu"),
        (ours, "SpatialMaxPooling", ": use modules.MaxPool2d"),
        (ours, "covert", "; did you mean convert?"),
    ],
)
def test_a_name_that_is_not_here(module: ModuleType, name: str, says: str) -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(module, name)
    assert str(caught.value).endswith(says)


@pytest.mark.parametrize("name", sorted(said("module")))
def test_modules_of_lua_have_a_counterpart(name: str) -> None:
    assert hasattr(modules, said("module")[name].partition(",")[0])
    assert name not in dir(modules)


@pytest.mark.parametrize("module", [modules, functional, ours])
@pytest.mark.parametrize("name", ["verbos", "deterministic", "allow_tf32", "conv_fwd_algo"])
def test_no_switch_is_set_in_vain(module: ModuleType, name: str) -> None:
    with pytest.raises(AttributeError, match=f"no attribute '{name}' to set"):
        setattr(module, name, True)
    assert name not in vars(module)


def test_what_is_listed_is_for_users() -> None:
    assert {"Conv2d", "benchmark", "fastest", "verbose"} <= set(dir(modules))
    assert {"conv2d", "relu"} <= set(dir(functional))
    assert not {"sys", "Any", "Module", "base", "activations"} & {*dir(modules), *dir(functional)}
    assert "convert" in dir(ours)
