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
    word: ours
    for ours, words in {
        "ada_layer_norm": "adalayernorm",
        "add": "bias",
        "attention": (
            "scaled_dot_product_attention scaled_dot_product_flash_attention sdpa sdpa_fp8"
        ),
        "attention_backward": (
            "scaled_dot_product_flash_attention_backward sdpa_backward sdpa_fp8_backward"
        ),
        "batch_norm": "batchnorm",
        "batch_norm_inference": "batchnorm_inference",
        "binary_select": "where",
        "concatenate": "cat concat",
        "convolution": "conv conv2d conv_fprop",
        "convolution_backward_data": "conv_dgrad",
        "convolution_backward_filter": "conv_wgrad",
        "div": "divide",
        "equal": "cmp_eq",
        "gen_stats": "genstats",
        "greater": "cmp_gt",
        "greater_equal": "cmp_ge",
        "instance_norm": "instancenorm",
        "layer_norm": "layernorm",
        "less": "cmp_lt",
        "less_equal": "cmp_le",
        "matmul": "einsum linear mm",
        "moe_grouped_matmul_backward": "moe_grouped_matmul_bwd",
        "mul": "multiply scale",
        "norm_backward": (
            "adalayernorm_backward batchnorm_backward instancenorm_backward layernorm_backward "
            "rmsnorm_backward"
        ),
        "not_equal": "cmp_neq",
        "reduction": "mean reduce sum",
        "relu": "leaky_relu",
        "relu_backward": "leaky_relu_backward",
        "resample": "avg_pool average_pool max_pool pool",
        "reshape": "view_as",
        "rms_norm": "rmsnorm",
        "scalar": "tensor_scalar",
        "sub": "subtract",
        "swish": "silu",
        "tensor": "input placeholder tensor_like",
        "transpose": "permute",
    }.items()
    for word in words.split()
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
    word: ours
    for ours, words in {
        "causal": "causal_mask is_causal",
        "data_type": "dtype",
        "dims": "axes axis dim",
        "dy": "grad loss",
        "epsilon": "eps",
        "flip": "convolution_mode",
        "frequencies": "freqs",
        "mode": "reshape_mode",
        "padding": "pad pads",
        "phase": "norm_forward_phase",
        "tensors": "inputs",
        "w": "weight",
        "window": "kernel_size sliding_window",
        "x": "image input",
    }.items()
    for word in words.split()
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
