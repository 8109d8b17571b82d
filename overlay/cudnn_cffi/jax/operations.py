"""The functions of `ops` for arrays of JAX, which may be traced."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import jax

from .. import errors, ops
from .._operation.functions import FUNCTIONS, plain_function, signature_of
from ..choice import policy as policies
from .asked import Traced
from .gradients import perform

#: The functions of `ops` that are not here, and why.
ABSENT = {
    **dict.fromkeys(("dropout", "dropout_backward"), "its random numbers are a state"),
    **dict.fromkeys(("fill", "scale"), "it changes an array in place"),
    **dict.fromkeys(
        ("lstm", "gru", "rnn", "rnn_backward_data", "rnn_backward_weights"),
        "its weights are one block, whose layout the device tells",
    ),
    **dict.fromkeys(
        ("multi_head_attention", "multi_head_attention_backward"),
        "its weights are one block, whose layout the device tells",
    ),
    "transform": "XLA chooses how arrays lie in memory",
}

#: The names of all functions.
NAMES = tuple([name for name in FUNCTIONS if name not in ABSENT])

#: Arguments of calls that XLA decides.
_DECIDED = {"out", "handle", "stream", "beta"}


def _parameters(method: Callable[..., Any]) -> set[str]:
    return {*inspect.signature(plain_function(method)).parameters}


def function(name: str) -> Callable[..., Any]:
    """Return the function of `ops` with this name for arrays of JAX.

    It takes the same arguments, but for those that XLA decides: out, handle, stream, beta.
    """
    plain = getattr(ops, name)
    record, signature = FUNCTIONS[name], signature_of(plain)
    inputs = {*record.cls.takes, *record.cls.derived_from}
    of_call = _parameters(record.cls.__call__) - _parameters(record.cls.__init__)
    decided = _DECIDED & of_call
    own = signature.replace(
        parameters=[each for each in signature.parameters.values() if each.name not in decided]
    )

    def made(*given: Any, **named: Any) -> Any:
        if wrong := sorted(decided & {*named}):
            raise errors.ArgumentError(
                f"{wrong[0]}: XLA decides this", hint="leave it out in cudnn_cffi.jax"
            )
        try:
            bound = own.bind(*given, **named)
        except TypeError:
            plain(*given, **named)  # it says what is wrong
            raise
        bound.apply_defaults()
        # The choice is the operation's, not its call's: gradients are computed by it, too.
        chosen = policies.to_policy(bound.arguments["choose"])
        bound.arguments["choose"] = chosen
        values = {
            each: Traced.of_array(jax.numpy.asarray(value))
            if each in inputs and value is not None
            else value
            for each, value in bound.arguments.items()
        }
        call = {each: value for each, value in values.items() if each in of_call}
        options = {
            record.renames.get(each, each): value
            for each, value in values.items()
            if each not in call
        }
        if chosen is None:
            del options["choose"]
        derived = [values[each] for each in record.cls.derived_from]
        operation = record.cls.for_function({**options, **record.fixed}, *derived)
        return perform(operation, call)[0]

    made.__name__ = made.__qualname__ = name
    made.__doc__ = plain.__doc__
    made.__dict__["__signature__"] = own
    return made
