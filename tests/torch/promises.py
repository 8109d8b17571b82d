"""Ways to use gradients that PyTorch promises: functions of a module and its input, for CPU and GPU.

Each returns tensors, which are compared with those of PyTorch's module in float64.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.autograd import forward_ad, graph
from torch.utils.checkpoint import checkpoint

functional = torch.autograd.functional

#: Ways to call a module, by name.
PROMISES: dict[str, Callable[[Any, Any], list[Any]]] = {}


def _promise(function: Callable[[Any, Any], list[Any]]) -> Callable[[Any, Any], list[Any]]:
    PROMISES[function.__name__.replace("_", " ").strip()] = function
    return function


def _weights(y: Any, turn: int = 0) -> Any:
    """Different numbers for the elements of a result."""
    made = torch.arange(y.numel(), dtype=torch.float64) * (turn + 1.0) + turn
    return made.cos().view(y.shape).to(y)


def _loss(y: Any, turn: int = 0) -> Any:
    return (y * _weights(y, turn)).sum()


def _few(module: Any) -> Callable[[Any], Any]:
    """The module with three sums as its result."""
    return lambda x: torch.stack([_loss(module(x), turn) for turn in range(3)])


def _given(module: Any, x: Any) -> tuple[Any, list[Any]]:
    x = x.clone().requires_grad_()
    return x, [x, *module.parameters()]


@_promise
def jacrev(module: Any, x: Any) -> list[Any]:
    return [torch.func.jacrev(_few(module))(x)]


@_promise
def jacfwd(module: Any, x: Any) -> list[Any]:
    """A derivative for a factor of the input."""
    return [
        torch.func.jacfwd(lambda a: _few(module)(x * a))(
            torch.ones((), dtype=x.dtype, device=x.device)
        )
    ]


@_promise
def hessian(module: Any, x: Any) -> list[Any]:
    one = torch.ones((), dtype=x.dtype, device=x.device)
    return [torch.func.hessian(lambda a: _loss(module(x * a).square()))(one)]


@_promise
def examples_by_themselves(module: Any, x: Any) -> list[Any]:
    names = [name for name, _ in module.named_parameters()]
    given = {name: each.detach() for name, each in module.named_parameters()}

    def loss(given: Any, x: Any) -> Any:
        return _loss(torch.func.functional_call(module, given, (x,)))

    many = torch.stack([x, x.flip(0) * 0.5])
    found = torch.func.vmap(torch.func.grad(loss, (0, 1)), (None, 0), randomness="same")(
        given, many
    )
    return [found[1], *[found[0][name] for name in names]]


@_promise
def products(module: Any, x: Any) -> list[Any]:
    def few(x: Any) -> Any:
        return _few(module)(x)

    v, dy = _weights(x, 2), torch.arange(3.0).to(x)
    return [
        functional.vjp(few, x, dy)[1], functional.jvp(few, x, v)[1],
        functional.jacobian(few, x), functional.jacobian(few, x, vectorize=True),
        functional.jacobian(few, x, vectorize=True, create_graph=True).detach(),
        functional.jacobian(few, x, vectorize=True, strategy="forward-mode"),
    ]  # fmt: skip


@_promise
def products_of_second_derivatives(module: Any, x: Any) -> list[Any]:
    def loss(x: Any) -> Any:
        return _loss(module(x).square())

    v = _weights(x, 2)
    return [functional.hvp(loss, x, v)[1], functional.vhp(loss, x, v)[1]]


@_promise
def dual_numbers(module: Any, x: Any) -> list[Any]:
    found = []
    with forward_ad.dual_level():
        y = forward_ad.unpack_dual(module(forward_ad.make_dual(x, _weights(x, 1))))
        found += [y.primal, y.tangent]
        for name, each in module.named_parameters():
            dual = {name: forward_ad.make_dual(each.detach(), _weights(each, 1))}
            found.append(
                forward_ad.unpack_dual(torch.func.functional_call(module, dual, (x,))).tangent
            )
    return [each.detach() for each in found]


@_promise
def penalty_of_gradients(module: Any, x: Any) -> list[Any]:
    x, given = _given(module, x)
    found = torch.autograd.grad(_loss(module(x * 1).sin()), given, create_graph=True)
    again = torch.autograd.grad(
        sum(each.square().sum() for each in found), given, allow_unused=True
    )
    return [
        *[each.detach() for each in found],
        *[torch.zeros(()) if e is None else e for e in again],
    ]


@_promise
def kept_graphs(module: Any, x: Any) -> list[Any]:
    x, given = _given(module, x)
    y = module(x * 1)
    found = []
    for turn in range(3):
        found += torch.autograd.grad(_loss(y, turn), given, retain_graph=turn < 2)
    return found


@_promise
def accumulated(module: Any, x: Any) -> list[Any]:
    """A call adds its gradient to `.grad`, and changes nothing else there."""
    x, given = _given(module, x)
    for each in given:
        each.grad = None
    _loss(module(x)).backward()
    before = [each.grad for each in given]
    kept = [each.clone() for each in before]
    found = torch.autograd.grad(_loss(module(x), 1), given)
    for one, other in zip(before, kept, strict=True):
        assert torch.equal(one, other), "a later call overwrote a gradient"
    _loss(module(x), 2).backward()
    return [*found, *[each.grad for each in given]]


def _hooked(pack: Any, unpack: Any = lambda each: each) -> Callable[[Any, Any], list[Any]]:
    def run(module: Any, x: Any) -> list[Any]:
        x, given = _given(module, x)
        found = []
        for _ in range(3):
            with graph.saved_tensors_hooks(pack, unpack):
                y = module(x * 1)
            found += [y.detach(), *torch.autograd.grad(_loss(y), given)]
        return found

    return run


def _halve(parameter: Any) -> None:
    parameter.grad.mul_(0.5)


def _reversed(x: Any) -> Any:
    """The same numbers with axes in reverse order in memory."""
    axes = tuple(reversed(range(x.dim())))
    return x.permute(axes).contiguous().permute(axes)


def _shifted(x: Any) -> Any:
    """The same numbers at an odd address, with a gap at the end of each row."""
    if not x.dim():
        return x.clone()
    whole = x.new_full((*x.shape[:-1], x.shape[-1] + 1), 7)
    return whole[..., 1:].copy_(x)


_HOOKED = {
    "saved in C order": _hooked(lambda each: each.clone(memory_format=torch.contiguous_format)),
    "saved backward": _hooked(_reversed),
    "saved with gaps": _hooked(_shifted),
    "saved on the host": _hooked(
        lambda each: (each.device, each.cpu().contiguous()), lambda pair: pair[1].to(pair[0])
    ),
}
PROMISES |= _HOOKED


@_promise
def saved_on_the_CPU(module: Any, x: Any) -> list[Any]:
    x, given = _given(module, x)
    found = []
    for _ in range(2):
        with graph.save_on_cpu(pin_memory=x.is_cuda):
            y = module(x * 1)
        found += torch.autograd.grad(_loss(y), given)
    return found


@_promise
def checkpoints(module: Any, x: Any) -> list[Any]:
    x, given = _given(module, x)
    found = []
    for reentrant in (False, True):
        if reentrant and isinstance(module, torch.nn.modules.batchnorm._NormBase):
            continue
        y = checkpoint(module, x * 1, use_reentrant=reentrant)
        for each in given:
            each.grad = None
        _loss(y).backward()
        found += [y.detach(), *[each.grad.clone() for each in given]]
    y = checkpoint(lambda x: checkpoint(module, x, use_reentrant=False), x * 1, use_reentrant=False)
    return [*found, *torch.autograd.grad(_loss(y), given)]


@_promise
def many_gradients_of_a_checkpoint(module: Any, x: Any) -> list[Any]:
    x, given = _given(module, x)
    y = checkpoint(module, x * 1, use_reentrant=False)
    many = torch.stack([_weights(y, turn) for turn in range(3)])
    return list(torch.autograd.grad(y, given, many, is_grads_batched=True))


@_promise
def many_gradients(module: Any, x: Any) -> list[Any]:
    x, given = _given(module, x)
    found = []
    for _ in range(2):
        y = module(x * 1)
        many = torch.stack([_weights(y, turn) for turn in range(4)])
        pairs = many.view(2, 2, *y.shape)

        def one(dy: Any, y: Any = y) -> Any:
            return torch.autograd.grad(y, given, dy, retain_graph=True)

        each = [*torch.func.vmap(one)(many), *torch.func.vmap(torch.func.vmap(one))(pairs)]
        found += [*each, *torch.autograd.grad(y, given, many, is_grads_batched=True)]
    return found


class _Nothing(torch.autograd.Function):  # type: ignore[misc]
    """Has no gradient."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x.clone()

    @staticmethod
    def backward(ctx: Any, dy: Any) -> None:
        return None


@_promise
def no_gradients(module: Any, x: Any) -> list[Any]:
    """Nothing or zeros; and nothing for one of two users."""
    x, given = _given(module, x)
    found = []
    for _ in range(3):
        y = module(x * 1)
        none = torch.autograd.grad(
            _Nothing.apply(y).sum(), given, retain_graph=True, allow_unused=True
        )
        assert all(each is None or not each.any() for each in none)
        found += torch.autograd.grad(_Nothing.apply(y).sum() + _loss(y), given)
    return found


@_promise
def gradients_of_any_strides(module: Any, x: Any) -> list[Any]:
    x, given = _given(module, x)
    found = []
    for _ in range(2):
        y = module(x * 1)
        w = _weights(y)
        for dy in (
            torch.ones((), dtype=y.dtype, device=y.device).expand(y.shape), _reversed(w), _shifted(w),
            w[:1].expand(y.shape), w.flip(-1).flip(-1), torch._neg_view(-w), torch.zeros_like(w),
            w.to(memory_format=torch.channels_last) if w.dim() == 4 else w,
        ):  # fmt: skip
            found += torch.autograd.grad(y, given, dy, retain_graph=True)
    return found


@_promise
def hooks(module: Any, x: Any) -> list[Any]:
    """Hooks that change gradients, of tensors, nodes and parameters."""
    x, given = _given(module, x)
    found = []
    for _ in range(3):
        for each in given:
            each.grad = None
        y = module(x * 1)
        y.register_hook(lambda dy: dy * 2)
        y.grad_fn.register_prehook(lambda dys: tuple([None if e is None else e + 1 for e in dys]))
        y.grad_fn.register_hook(lambda dxs, _: tuple([e if e is None else e * 3 for e in dxs]))
        handles = [e.register_post_accumulate_grad_hook(_halve) for e in module.parameters()]
        y.retain_grad()
        _loss(y).backward()
        for handle in handles:
            handle.remove()
        found += [y.grad, *[each.grad.clone() for each in given]]
    return found


@_promise
def used_twice(module: Any, x: Any) -> list[Any]:
    x, given = _given(module, x)
    found = []
    for _ in range(3):
        middle = x * 1
        y = module(middle) * module(middle) + module(middle.detach()) + module(x[...])
        found += torch.autograd.grad(_loss(y), given)
    return found


@_promise
def some_inputs_alone(module: Any, x: Any) -> list[Any]:
    """Each gradient is computed alone, by `backward(inputs=...)` and by `grad`."""
    x, given = _given(module, x)
    found = []
    for _ in range(2):
        for each in given:
            y = module(x * 1)
            found += torch.autograd.grad(_loss(y), each, retain_graph=True)
            each.grad = None
            _loss(y).backward(inputs=[each])
            found.append(each.grad.clone())
    return found


@_promise
def changes_that_are_allowed(module: Any, x: Any) -> list[Any]:
    x, given = _given(module, x)
    found = []
    for _ in range(2):
        with graph.allow_mutation_on_saved_tensors():
            middle = x * 1
            y = module(middle)
            z = y * 1
            with torch.no_grad():
                middle.fill_(7.0)
                y.fill_(5.0)
            found += torch.autograd.grad(_loss(z), given)
    return found


#: The ways that call a module in transforms of `torch.func` alone.
TRANSFORMS = {"jacrev", "jacfwd", "hessian", "examples by themselves", "dual numbers"}


def compute(name: str, ours: Any, theirs: Any, x: Any, wide: Any) -> tuple[list[Any], list[Any]]:
    """Return what both modules come to; nothing where PyTorch's raises an error.

    Args:
        name: of the promise.
        ours, theirs: modules with the same parameters.
        x, wide: their inputs.
    """
    # PyTorch's layer norm computes other numbers where hooks change strides.
    way = _hooked(lambda each: each) if name in _HOOKED else PROMISES[name]
    try:
        wanted = way(theirs, wide)
    except (RuntimeError, ValueError):
        return [], []
    return PROMISES[name](ours, x), wanted


def changed_in_between(module: Any, x: Any) -> None:
    """A change of what a gradient needs raises, or changes no gradient."""
    x, given = _given(module, x)
    for _ in range(3):
        for what in ("x", "y", "parameters"):
            middle = x * 1
            y = module(middle)
            z = y * 1
            wanted = torch.autograd.grad(_loss(z), given, retain_graph=True)
            changed = {"x": [middle], "y": [y]}.get(what, list(module.parameters()))
            kept = [each.detach().clone() for each in changed]
            with torch.no_grad():
                for each in changed:
                    each.fill_(torch.nan)
            try:
                found = torch.autograd.grad(_loss(z), given)
            except RuntimeError as error:
                if "modified by an inplace operation" not in str(error):
                    raise
                found = wanted
            for one, other in zip(found, wanted, strict=True):  # some add up in any order
                assert (one - other).norm() <= 1e-3 * other.norm(), what
            with torch.no_grad():
                for each, other in zip(changed, kept, strict=True):
                    each.copy_(other)
