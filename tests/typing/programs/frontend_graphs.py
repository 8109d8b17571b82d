"""The front end's wrapper of graphs, handles, and execution by names."""

from __future__ import annotations

from cudnn_cffi import DeviceArray
from cudnn_cffi.compat import frontend as cudnn
from cudnn_cffi.types import ArrayT


def run(x: ArrayT, w: ArrayT) -> ArrayT | tuple[ArrayT, ...]:
    with cudnn.Graph(
        io_data_type=cudnn.data_type.HALF,
        compute_data_type=cudnn.data_type.FLOAT,
        inputs=["conv::image", "conv::weight"],
        outputs=["y"],
    ) as graph:
        y = graph.conv_fprop(x, w, padding=[1, 1], stride=[1, 1], dilation=[1, 1], name="conv")
        y.set_output(True).set_name("y")
    return graph(x, w)


def execute(graph: cudnn.pygraph, x: cudnn.Tensor, a: DeviceArray, room: DeviceArray) -> None:
    handle = cudnn.create_handle()
    cudnn.set_stream(handle=handle, stream=0)
    graph.build([cudnn.heur_mode.A, cudnn.heur_mode.FALLBACK])
    graph.execute({x: a}, room, handle=handle)
    graph.execute({x.get_uid(): a.address}, room.address, handle=handle)
    key: int = graph.key()
    count: int = graph.get_execution_plan_count()
    print(key, count, cudnn.backend_version())
    cudnn.destroy_handle(handle)


def wrong(graph: cudnn.pygraph, x: cudnn.Tensor, a: DeviceArray) -> None:
    graph.execute({x: a}, a, handel=None)  # refused
    graph.execute([x], a)  # refused
    graph.build(["A"])  # refused
    graph.matmul(A=x, C=x)  # refused
    graph.layernorm(norm_forward_phase="TRAINING", input=x)  # refused
    graph.pointwise(x)  # refused
    print(cudnn.heur_mode.Z)  # refused
    cudnn.create_handle(handle=0)  # refused
    x.set_dims([1, 2])  # refused
