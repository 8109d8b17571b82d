"""Making the modules of a model compute by cuDNN, and back."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from fnmatch import fnmatchcase
from types import ModuleType
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import torch
from torch import nn
from torch.nn.utils import parametrize

from ... import errors
from ..._support.arguments import boolean
from ...choice.policy import to_policy
from ...choice.record_table import format_html, format_table
from ..fallback import Fallback, check
from ..modules.base import COUNTERPARTS, Cudnn

if TYPE_CHECKING:
    from ...choice.policy import Choose

#: Modules that stay as they are.
_Test: TypeAlias = Callable[[str, nn.Module], bool]
_One: TypeAlias = str | type | nn.Module | _Test | Callable[[nn.Module], bool]
_Excluded: TypeAlias = _One | Iterable[_One]


class Entry(NamedTuple):
    """The conversion of one module.

    Attributes:
        name: as `named_modules` has it; "" for the model itself.
        kind: the class that it had.
        changed: whether it has another class now.
        why: why not, or what PyTorch goes on computing.
    """

    name: str
    kind: str
    changed: bool
    why: str


#: Modules that hold others and compute nothing themselves.
_CONTAINERS = (nn.Sequential, nn.ModuleList, nn.ModuleDict, nn.ParameterList, nn.ParameterDict)

_LOWER = (torch.float16, torch.bfloat16)

_AS_FAST = "PyTorch's kernel is as fast or faster; everything=True changes it, too"

#: Modules that are left as they are by default, and why.
_NO_GAIN = {
    **dict.fromkeys(
        (
            *("ReLU", "ReLU6", "LeakyReLU", "ELU", "SiLU", "GELU", "Sigmoid", "Tanh", "Softplus"),
            *("Softmax", "Softmax2d", "LogSoftmax", "CrossEntropyLoss", "GroupNorm"),
        ),
        _AS_FAST,
    ),
    "Dropout": "its random numbers are PyTorch's, which everything=True gives up",
}


class Report(list[Entry]):
    """The modules that `convert` changed, and those that it left; prints as a table.

    Attributes:
        model: the model.
    """

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    @property
    def changed(self) -> list[Entry]:
        """Return the modules that were changed."""
        return [each for each in self if each.changed]

    @property
    def unchanged(self) -> list[Entry]:
        """Return the others."""
        return [each for each in self if not each.changed]

    def refusals(self) -> dict[str, list[str]]:
        """Return the reasons, by module, why PyTorch computed instead of cuDNN since then."""
        found = {}
        for name, module in self.model.named_modules():
            if isinstance(module, Cudnn) and module.refused:
                found[name] = list(dict.fromkeys(module.refused.values()))
        return found

    def _rows(self) -> list[tuple[str, str, str, str]]:
        refused = self.refusals()
        return [
            (
                each.name or "(the model)",
                each.kind,
                "yes" if each.changed else "no",
                "; ".join([*filter(None, [each.why]), *refused.get(each.name, ())]),
            )
            for each in self
        ]

    def _sum(self) -> str:
        return f"{len(self.changed)} of {len(self)} modules changed"

    def __repr__(self) -> str:
        return f"{format_table(_COLUMNS, self._rows())}\n{self._sum()}"

    def _repr_html_(self) -> str:
        return f"{format_html(_COLUMNS, self._rows())}<p>{self._sum()}</p>"


_COLUMNS = ("module", "kind", "changed", "why")


def convert(
    model: nn.Module,
    exclude: _Excluded = (),
    *,
    back: bool = False,
    everything: bool = False,
    choose: Choose = None,
    fallback: Fallback | None = None,
    verbose: bool = False,
) -> Report:
    """Compute the modules of a model by cuDNN; or, with `back`, by PyTorch again.

    Modules are changed in place, at any depth: each stays the object that it is, with its
    parameters, buffers, hooks, mode and device, and gets the class of its name of
    `cudnn_cffi.torch.modules`. That class computes calls that cuDNN does not take as before.

    Args:
        model: a module of PyTorch.
        exclude: what stays as it is: names of modules such as "layer1.0.conv1", patterns such as
            "layer1.*", classes, modules, or a function of name and module, or of the module alone;
            one, or several.
        back: whether to change modules of this package into PyTorch's.
        everything: whether to change also what gains nothing: activations, softmax and losses over
            it, and group norm, for which PyTorch's kernels are as fast or faster; and `Dropout`,
            whose random numbers are others then.
        choose: the choice of every module that is changed; see `cudnn_cffi.choice`.
        fallback: what every module that is changed does where PyTorch would compute in place of
            cuDNN: "warn" (once, if cuDNN refuses), "silent", or "error"; None for what
            `modules.fallback` says.
        verbose: whether to print the report.

    Returns: a report of what was changed, what not, and why.

    Raises:
        ArgumentError: the model is no module, `choose` or `fallback` has a word that does not
            exist, or `exclude` something else, or a name or module that is not in the model.
    """
    if not isinstance(model, nn.Module):
        raise errors.ArgumentError(f"model: expected a module, got {type(model).__name__}")
    back, everything = boolean(back, "back"), boolean(everything, "everything")
    is_excluded = _to_test(exclude, model)
    to_policy(choose)  # before anything is changed
    if fallback is not None:
        check(fallback)
    report = Report(model)
    for name, module in model.named_modules():
        kind = type(module).__name__
        if is_excluded(name, module):
            report.append(Entry(name, kind, False, "excluded"))
            continue
        target, why = _backward(module) if back else _forward(module, everything)
        if target is not None:
            own = getattr(module, "_own", ())
            module.__class__ = target
            if back:
                for each in own:
                    module.__dict__.pop(each, None)
            else:
                module._name_as(name)
                if choose is not None:
                    module.choose = choose
                if fallback is not None:
                    module.fallback = fallback
        if target is not None or why:
            report.append(Entry(name, kind, target is not None, why))
    if verbose:
        print(report)
    return report


def _to_test(exclude: _Excluded, model: nn.Module) -> _Test:
    """Return a function that says whether a module stays as it is."""
    single = isinstance(exclude, (str, type, nn.Module)) or callable(exclude)
    tests: list[_Test] = []
    modules = dict(model.named_modules(remove_duplicate=False))
    for each in (exclude,) if single else _listed(exclude):
        is_name = isinstance(each, str) and not set("*?[") & set(each)
        if is_name and each not in modules:
            raise errors.ArgumentError(f"exclude: the model has no module {each!r}")
        if isinstance(each, nn.Module) and not any(each is one for one in modules.values()):
            raise errors.ArgumentError(
                f"exclude: expected a module of the model, got another {type(each).__name__}"
            )
        tests.append(_test(modules[each] if is_name else each))

    def test(name: str, module: nn.Module) -> bool:
        return any(each(name, module) for each in tests)

    return test


def _listed(exclude: _Excluded) -> Iterable[_One]:
    if not hasattr(exclude, "__iter__"):
        raise errors.ArgumentError(
            f"exclude: expected names, classes, modules or a function, got {exclude!r}",
            hint="convert(model) is to cuDNN, and convert(model, back=True) to torch.nn"
            if isinstance(exclude, ModuleType)
            else "",
        )
    return tuple(exclude)


def _test(each: _One) -> _Test:
    if isinstance(each, str):
        return lambda name, _: fnmatchcase(name, each)
    if isinstance(each, type):
        return lambda _, module: isinstance(module, each)
    if isinstance(each, nn.Module):
        return lambda _, module: module is each
    if callable(each):
        call: Callable[..., object] = each
        if _takes_one(each):
            return lambda _, module: bool(call(module))
        return lambda name, module: bool(call(name, module))
    raise errors.ArgumentError(
        f"exclude: expected a name, a class, a module or a function, got {each!r}"
    )


def _takes_one(function: Callable[..., object]) -> bool:
    """Return whether a function takes one argument, and not two."""
    try:
        parameters = inspect.signature(function)
    except (TypeError, ValueError):  # a compiled one
        return False
    try:
        parameters.bind("", None)
    except TypeError:
        return True
    return False


def _forward(module: nn.Module, everything: bool) -> tuple[type | None, str]:
    """Return the class that a module gets, or None and why not; "" for what only holds others."""
    if isinstance(module, Cudnn):
        return None, "it computes by cuDNN already"
    if isinstance(module, (torch.jit.ScriptModule, torch.jit.ScriptFunction)):
        return None, "TorchScript has compiled it"
    cls = type(module)
    generated = parametrize.is_parametrized(module)
    base = cls.__bases__[0] if generated else cls
    ours = COUNTERPARTS.get(base)
    if ours is None:
        return None, _why_not(module, base)
    if base.__name__ in _NO_GAIN and not everything:
        return None, _NO_GAIN[base.__name__]
    return (_derived(cls, ours) if generated else ours), _remark(module)


def why_by_pytorch(module: nn.Module) -> str:
    """Return why PyTorch computes a module, as far as it has been called."""
    if isinstance(module, Cudnn):
        refused = "; ".join(dict.fromkeys(module.refused.values()))
        return refused or _elsewhere(module) or _remark(module)
    target, why = _forward(module, False)
    return "it was not converted" if target is not None else why


def _elsewhere(module: nn.Module) -> str:
    places = {each.device.type for each in (*module.parameters(), *module.buffers())}
    return "it is not on a GPU" if places and "cuda" not in places else ""


def _why_not(module: nn.Module, base: type) -> str:
    """Return why there is nothing for a module; "" where it only holds others."""
    derived = next((each for each in COUNTERPARTS if issubclass(base, each)), None)
    if derived is not None:
        lazy = isinstance(module, nn.modules.lazy.LazyModuleMixin)
        if lazy:
            return "it has no parameters yet: convert after the first call"
        return f"it derives from {derived.__name__}, and may compute something else"
    if isinstance(module, _CONTAINERS) or any(True for _ in module.children()):
        return ""
    return "cuDNN has nothing for it"


def _remark(module: nn.Module) -> str:
    """Return what of a module PyTorch goes on computing."""
    if isinstance(module, nn.LocalResponseNorm) and module.size % 2 == 0:
        return "PyTorch computes windows of an even size"
    if isinstance(module, nn.Softplus) and module.threshold < 20:
        return "PyTorch computes thresholds below 20"
    if isinstance(module, nn.CTCLoss) and module.blank != 0:
        return "PyTorch computes other blanks than 0"
    if getattr(module, "return_indices", False):
        return "PyTorch computes maxima with their places"
    if getattr(module, "divisor_override", None) is not None:
        return "PyTorch computes averages with another divisor"
    if isinstance(module, (nn.MaxPool1d, nn.MaxPool2d, nn.MaxPool3d)) and (
        set(_several(module.dilation)) != {1}
    ):
        return "PyTorch computes windows with gaps"
    kind = getattr(getattr(module, "weight", None), "dtype", None)
    if isinstance(module, nn.GroupNorm) and kind in _LOWER:
        return "PyTorch computes norms with parameters that are not float32"
    if isinstance(module, nn.modules.batchnorm._BatchNorm) and kind in _LOWER:
        return (
            f"PyTorch computes training with parameters of {str(kind).removeprefix('torch.')}, and "
            "inference where no choice asks for times, but of large images with channels last"
        )
    if isinstance(module, nn.modules.batchnorm._BatchNorm) and module.momentum is None:
        return "PyTorch computes averages over all batches"
    if isinstance(module, nn.modules.instancenorm._InstanceNorm) and module.track_running_stats:
        return "PyTorch computes running statistics"
    return ""


def _several(value: int | Iterable[int]) -> Iterator[int]:
    yield from (value,) if isinstance(value, int) else value


def _derived(cls: type, base: type) -> type:
    """Return a class as parametrizations make them, on another base."""
    left_out = ("__dict__", "__weakref__")
    members = {name: each for name, each in vars(cls).items() if name not in left_out}
    return type(cls.__name__, (base,), members)


def _backward(module: nn.Module) -> tuple[type | None, str]:
    if not isinstance(module, Cudnn):
        return None, ""
    cls = type(module)
    generated = parametrize.is_parametrized(module)
    base = cls.__bases__[0] if generated else cls
    theirs = next((each for each, ours in COUNTERPARTS.items() if ours is base), None)
    if theirs is None:
        return None, "PyTorch has no such module"
    if "inplace" in module._own and getattr(module, "inplace"):  # noqa: B009  some have it
        return None, f"torch.nn.{theirs.__name__} does not overwrite its input"
    return (_derived(cls, theirs) if generated else theirs), ""
