"""The operators of `torch.ops.cudnn_cffi`, for what traces or wraps tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import torch
from torch import Tensor

from ... import errors
from ...choice.policy import Policy, open_policy, reopen, to_policy
from .batches import one_by_one
from .sharing import layers

if TYPE_CHECKING:
    from ...choice.policy import Choose
    from .record import Context, Results

    #: A function of an operator.
    Function: TypeAlias = Callable[..., object]

NAMESPACE = "cudnn_cffi"

_library = torch.library.Library(NAMESPACE, "DEF")

#: The layer of each operator, by name.
implementations: dict[str, Function] = {}

#: Choices that have a text no parser reads, such as knobs of engines; they are of this process.
_policies: dict[str, Policy] = {}


def text_of(choose: Choose) -> str:
    """Return a choice as an operator takes it: a text."""
    if choose is None:
        return ""
    if isinstance(choose, str):
        to_policy(choose)
        return choose
    policy = Policy.of(choose)
    text = str(policy)
    _policies[text] = policy
    return text


def policy_of(text: str) -> Policy | None:
    """Return the choice of such a text."""
    if not text:
        return None
    return _policies[text] if text in _policies else Policy.parse(text)


def layer_of(cls: Any, options: tuple[object, ...], text: str) -> Any:
    """Return the layer of an operator's options and choice."""
    key = cls.word, options, text or None
    found = layers.get(key)
    if found is None:
        found = layers[key] = cls(*options, choose=policy_of(text))
    return found


def _by_examples(
    operator: Callable[..., Any], size: int, dims: Sequence[object], given: Sequence[Any]
) -> tuple[object, object]:
    """Compute one example after the other: vmap of what cuDNN has no further axis for."""
    pairs = list(zip(given, dims, strict=True))
    if not size:  # one example of zeros tells the shapes of results
        pairs = [
            (each.new_zeros([*each.shape[:dim], 1, *each.shape[dim + 1 :]]), dim)
            if isinstance(dim, int)
            else (each, dim)
            for each, dim in pairs
        ]
    rows = [
        operator(*[each.select(dim, row) if isinstance(dim, int) else each for each, dim in pairs])
        for row in range(max(size, 1))
    ]
    if isinstance(rows[0], Tensor):
        return torch.stack(rows)[:size], 0
    columns = [torch.stack(each)[:size] for each in zip(*rows, strict=True)]
    return tuple(columns), (0,) * len(columns)


def register(cls: Any) -> Callable[..., Any]:
    """Define the operator of a class of layers, and return it."""
    count, more = len(cls.tensors), len(cls.extras)
    arguments = ", ".join((*cls.tensors, *cls.extras, *cls.names, "str choose"))
    single = cls.returns == "Tensor"
    results = cls.returns.count("Tensor")

    def split(given: Sequence[Any]) -> tuple[tuple[object, ...], tuple[Tensor, ...]]:
        options = tuple([tuple(e) if isinstance(e, list) else e for e in given[count + more : -1]])
        calls = [tuple(e) if isinstance(e, list) else e for e in given[count : count + more]]
        return options, (*given[:count], *calls)

    def run(*given: Any) -> Results:
        options, call = split(given)
        found = layer_of(cls, options, given[-1]).compute_all(*call)
        return found if single else tuple(found[:results])

    def fake(*given: Any) -> Results:
        options, call = split(given)
        with torch.no_grad():
            found = cls(*options).fake(*call)
        return found if single else tuple(found)

    def setup(ctx: Context, inputs: Sequence[Any], output: Any) -> None:
        options, call = split(inputs)
        layer = ctx.layer = cls(*options, choose=policy_of(inputs[-1]))
        ctx.scope = open_policy()
        ctx.save_for_backward(*layer.saves(call, (output,) if single else output))

    @one_by_one
    def backward(ctx: Context, *grads: Tensor) -> tuple[object, ...]:
        needs = ctx.needs_input_grad[:count]
        with reopen(ctx.scope):  # PyTorch's engine has threads of its own
            found = ctx.layer.backward(ctx.saved_tensors, needs, grads)
        return (*found, *(None,) * (len(ctx.needs_input_grad) - len(found)))

    def batched(info: Any, dims: Sequence[object], *given: Any) -> tuple[object, object]:
        if torch.Tag.nondeterministic_seeded in cls.tags and info.randomness != "different":
            raise errors.NotSupportedError(
                f"{cls.word}: expected vmap with randomness='different', got {info.randomness!r}"
            )
        return _by_examples(operator, info.batch_size, dims, given)

    operator = define(
        cls.word, arguments, cls.returns, run, fake, setup, backward, tags=cls.tags
    )  # fmt: skip
    torch.library.register_vmap(f"{NAMESPACE}::{cls.word}", batched, lib=_library)
    return operator


def define(
    name: str, arguments: str, returns: str, run: Function, fake: Function,
    setup: Function | None = None, backward: Function | None = None, *,
    tags: Sequence[torch.Tag] = (),
) -> Callable[..., Any]:  # fmt: skip
    """Define an operator for tensors on a GPU, and return it.

    Args:
        name: of the operator, without the namespace.
        arguments, returns: as in the schema.
        run: computes it.
        fake: returns what the results look like, for tensors without memory.
        setup, backward: as for `torch.library.register_autograd`; None for no gradients.
        tags: what it says of itself besides.
    """
    schema = f"{name}({arguments}) -> {returns}"
    _library.define(schema, tags=(torch.Tag.pt2_compliant_tag, *tags))
    qualified = f"{NAMESPACE}::{name}"
    implementations[name] = run
    _library.impl(name, run, "CUDA")
    torch.library.register_fake(qualified, fake, lib=_library)
    if backward is not None:
        torch.library.register_autograd(qualified, backward, setup_context=setup, lib=_library)
    return getattr(getattr(torch.ops, NAMESPACE), name).default
