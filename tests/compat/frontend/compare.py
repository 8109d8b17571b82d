"""Results of a program of `cases`, with this package or with the original."""

from __future__ import annotations

from typing import Any

STEPS = (
    "validate",
    "build_operation_graph",
    "create_execution_plans",
    "check_support",
    "build_plans",
)


def make_graph(cudnn: Any, device: str, **options: Any) -> Any:
    kind = cudnn.data_type
    return cudnn.pygraph(
        io_data_type=kind.HALF,
        intermediate_data_type=kind.FLOAT,
        compute_data_type=kind.FLOAT,
        device_property=cudnn.create_device_properties(device),
        sm_version=90,  # the original asks CUDA for it otherwise, where attention is checked
        **options,
    )


def run(cudnn: Any, program: Any, device: str, build: bool = True) -> dict[str, Any]:
    """Return the step that failed and its exception, or what the graph and its plans are."""
    graph = make_graph(cudnn, device)
    result: dict[str, Any] = {"failed": None}
    step = "record"
    try:
        program(cudnn, graph)
        for step in STEPS if build else STEPS[:3]:
            if step == "create_execution_plans":
                modes = cudnn.heur_mode
                graph.create_execution_plans([modes.A, modes.FALLBACK])
            else:
                getattr(graph, step)()
    except Exception as error:
        result["failed"] = (step, type(error).__name__, error)
        return result
    result["tensors"] = {
        each.get_uid(): (each.get_dim(), each.get_stride(), str(each.get_data_type()))
        for node in graph.nodes
        for each in (*node.inputs.values(), *node.outputs.values())
    }
    count = graph.get_execution_plan_count()
    result["plans"] = [graph.get_plan_name_at_index(i) for i in range(count)]
    try:
        result["engines"] = graph.get_engine_count()
    except cudnn.cudnnGraphNotSupportedError:  # several plans compute it
        result["engines"] = None
    if build:
        result["workspace"] = graph.get_workspace_size()
        result["graph"] = graph
    return result
