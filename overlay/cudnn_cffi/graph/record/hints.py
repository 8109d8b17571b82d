"""Hints for names that a graph does not have: methods, their arguments, classes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ... import errors
from ..._support.wording import meant

if TYPE_CHECKING:
    from .operation import Operation

#: Methods of NVIDIA's front end and words of frameworks -> the method of `Graph`.
_METHODS = {
    "adalayernorm": "ada_layer_norm",
    "adalayernorm_backward": "norm_backward",
    "avg_pool": "resample",
    "average_pool": "resample",
    "batchnorm": "batch_norm",
    "batchnorm_backward": "norm_backward",
    "batchnorm_inference": "batch_norm_inference",
    "bias": "add",
    "cat": "concatenate",
    "cmp_eq": "equal",
    "cmp_ge": "greater_equal",
    "cmp_gt": "greater",
    "cmp_le": "less_equal",
    "cmp_lt": "less",
    "cmp_neq": "not_equal",
    "concat": "concatenate",
    "conv": "convolution",
    "conv2d": "convolution",
    "conv_dgrad": "convolution_backward_data",
    "conv_fprop": "convolution",
    "conv_wgrad": "convolution_backward_filter",
    "divide": "div",
    "einsum": "matmul",
    "genstats": "gen_stats",
    "input": "tensor",
    "instancenorm": "instance_norm",
    "instancenorm_backward": "norm_backward",
    "layernorm": "layer_norm",
    "layernorm_backward": "norm_backward",
    "leaky_relu": "relu",
    "leaky_relu_backward": "relu_backward",
    "linear": "matmul",
    "max_pool": "resample",
    "mean": "reduction",
    "mm": "matmul",
    "moe_grouped_matmul_bwd": "moe_grouped_matmul_backward",
    "multiply": "mul",
    "permute": "transpose",
    "placeholder": "tensor",
    "pool": "resample",
    "reduce": "reduction",
    "rmsnorm": "rms_norm",
    "rmsnorm_backward": "norm_backward",
    "scale": "mul",
    "scaled_dot_product_attention": "attention",
    "scaled_dot_product_flash_attention": "attention",
    "scaled_dot_product_flash_attention_backward": "attention_backward",
    "sdpa": "attention",
    "sdpa_backward": "attention_backward",
    "sdpa_fp8": "attention",
    "sdpa_fp8_backward": "attention_backward",
    "silu": "swish",
    "subtract": "sub",
    "sum": "reduction",
    "tensor_like": "tensor",
    "tensor_scalar": "scalar",
    "view_as": "reshape",
    "where": "binary_select",
}

#: Steps of NVIDIA's front end -> advice.
_STEPS = {
    word: text
    for text, words in {
        "use build, which checks the graph and chooses an engine": (
            "build_plan_at_index build_plans check_support create_execution_plan select_plan "
            "validate"
        ),
        "name it where the graph is built, as in build(deterministic=True, workspace_limit=0)": (
            "deselect_behavior_notes deselect_engines deselect_numeric_notes "
            "deselect_workspace_greater_than select_behavior_notes select_numeric_notes"
        ),
        "use candidates": (
            "backend_plan_entries create_execution_plans get_behavior_notes "
            "get_behavior_notes_for_plan_at_index get_engine_and_knobs_at_index get_engine_count "
            "get_execution_plan_count get_knobs_for_engine get_plan_name_at_index plans"
        ),
        "use computation": "build_operation_graph",
        "use the plan that build returns": (
            "execute execute_plan_at_index get_workspace_size get_workspace_size_plan_at_index "
            "populate_cuda_graph run selected_engine serialize update_cuda_graph"
        ),
        "use Plan.from_json": "deserialize",
        "use nodes and tensors, or print the graph": (
            "context find_tensor get_inputs get_node get_outputs inspect "
            "query_tensor_attributes_of_uid"
        ),
    }.items()
    for word in words.split()
}

#: Arguments by the words of other packages.
_ARGUMENTS = {
    "axes": "dims",
    "axis": "dims",
    "causal_mask": "causal",
    "convolution_mode": "flip",
    "dim": "dims",
    "dtype": "data_type",
    "eps": "epsilon",
    "freqs": "frequencies",
    "grad": "dy",
    "image": "x",
    "input": "x",
    "inputs": "tensors",
    "is_causal": "causal",
    "kernel_size": "window",
    "loss": "dy",
    "norm_forward_phase": "phase",
    "pad": "padding",
    "pads": "padding",
    "reshape_mode": "mode",
    "sliding_window": "window",
    "weight": "w",
}

#: Arguments of every method that adds an operation.
SETTINGS = ("name", "data_type", "compute_data_type", "strides", "layout")


def unknown_method(graph: object, name: str) -> AttributeError:
    """Return the error about a method that graphs do not have, with the one that is meant."""
    synonyms = {**_STEPS, **{word: f"use {method}" for word, method in _METHODS.items()}}
    if name[:1] == "_":
        return AttributeError(f"{type(graph).__name__!r} object has no attribute {name!r}")
    public = [each for each in dir(type(graph)) if each[0] != "_"]
    near = meant(name, public, synonyms).strip(" ;")
    text = f"{type(graph).__name__!r} object has no attribute {name!r}"
    return AttributeError(f"{text}{f': {near}' if near else ''}")


def unknown_name(module: str, name: str, known: Sequence[str]) -> AttributeError:
    """Return the error about a class that a module does not have, with the one that is meant.

    Args:
        module: its name.
        name: of the class, which may lack "Operation" or "Descriptor", or be in another case.
        known: the names that there are.
    """
    text = f"module {module!r} has no attribute {name!r}"
    if name[:1] == "_":
        return AttributeError(text, name=name)
    whole = {each.lower(): each for each in known}
    word = name.lower().removesuffix("descriptor").removesuffix("op").removesuffix("operation")
    bare = word.removeprefix("operation")
    spelt = (f"{word}descriptor", f"operation{bare}descriptor", f"{bare}descriptor")
    found = next((whole[each] for each in spelt if each in whole), "")
    near = f"did you mean {found}?" if found else meant(name, known).strip()
    return AttributeError(f"{text}{f'; {near}' if near else ''}", name=name)


def unknown_argument(graph: object, operation: Operation, name: str) -> errors.ArgumentError:
    """Return the error about an argument that a method does not have.

    Args:
        graph: whose method was called.
        operation: its record.
        name: the argument.
    """
    method: Callable[..., object] | None = getattr(type(graph), operation.method or "_", None)
    found = list(inspect.signature(method).parameters.values())[1:] if method else []
    known = (*[each.name for each in found if each.kind is not each.VAR_KEYWORD], *SETTINGS)
    synonyms = {word: f"use {ours}" for word, ours in _ARGUMENTS.items() if ours in known}
    if "groups" not in known:
        synonyms["groups"] = "they follow from the channels of x and w"
    return errors.ArgumentError(
        f"{operation.kind}: there is no argument {name!r}",
        hint=f"{meant(name, known, synonyms)}one of {', '.join(known)}",
    )
