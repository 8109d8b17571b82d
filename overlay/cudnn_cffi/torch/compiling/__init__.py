"""A backend of `torch.compile`: graphs for inference are fused, layers of others run by cuDNN."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from torch import Tensor

from ..autograd import switches
from . import reports
from .inference import Inference
from .layers import Layered
from .lifting import Source
from .options import to_options
from .reports import compiled_graphs as compiled_graphs
from .rest import Mixed

if TYPE_CHECKING:
    from torch import fx

    from .options import Values


def backend(
    graph: fx.GraphModule, examples: Sequence[Any], *, mode: str | None = None,
    options: Values | None = None,
) -> Callable[..., Any]:  # fmt: skip
    """Compile a graph for `torch.compile(model, backend="cudnn_cffi", options={...})`.

    PyTorch calls this for each graph that it finds in Python code, so models may have control flow
    and graph breaks. Where no gradient is wanted (no input requires one, or gradients are off), a
    graph is fused as by `fuse`: folded norms, plans of several layers. In others, each layer that
    `convert` would change is computed by cuDNN, with gradients, statistics and autocast as in
    PyTorch. So are graphs that switch autocast or gradients, or write to an input.

    Parameters are inputs of a graph, so each call sees them as they are. A new batch size is not
    compiled again once PyTorch has made it dynamic; a fused graph is prepared for it, as for each
    kind of inputs.

    Args:
        graph, examples: as PyTorch passes them.
        mode: None; the backend has options only.
        options: a dict, in which all is optional:
            "rest": what computes everything else: "eager" for PyTorch's functions, the default, or
            "inductor" for its compiler;
            "choose": how engines are chosen, as for `cudnn_cffi.choice`;
            "fallback": as for `convert`; "error" also refuses that PyTorch computes a convolution
            of a fused graph;
            "capture", "compile", "seconds", "shapes": as for `fuse`, for fused graphs.

    Returns: a function of the graph's inputs; `compiled_graphs` reports how it computes.

    Raises:
        ArgumentError: there is a mode, or an option is not known or not understood. PyTorch raises
            `torch._dynamo.exc.BackendCompilerFailed` at the first call, whose `inner_exception`
            this is.
        NotSupportedError: `fallback` is "error", and PyTorch would compute a layer.
    """
    wanted = to_options(mode, options)
    made: Inference | Mixed | Layered
    if switches.is_grad_on() and any(
        each.requires_grad for each in examples if isinstance(each, Tensor)
    ):
        made = Layered(graph, examples, wanted, "gradients are wanted")
    elif (source := Source(graph, examples)).why:
        made = Layered(graph, examples, wanted, source.why)
    elif wanted.rest == "inductor":
        made = Mixed(source, examples, wanted, lambda part: Inference(part, wanted))
    else:
        made = Inference(source, wanted)
    reports.add(made)
    return made
