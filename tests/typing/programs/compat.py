"""A program for cuDNN's front end, by the names of its package."""

from __future__ import annotations

from cudnn_cffi.compat import cupy_backends_cudnn, libcudnn, libcudnn_1
from cudnn_cffi.compat import frontend as cudnn

graph = cudnn.pygraph(
    io_data_type=cudnn.data_type.HALF,
    intermediate_data_type=cudnn.data_type.FLOAT,
    compute_data_type=cudnn.data_type.FLOAT,
)
x = graph.tensor(name="x", dim=[8, 64, 56, 56], stride=[200704, 1, 3584, 64])
w = graph.tensor(name="w", dim=[64, 64, 3, 3], stride=[576, 1, 192, 64])
y = graph.relu(input=graph.conv_fprop(image=x, weight=w, padding=[1, 1], stride=[1, 1]))
y.set_output(True).set_data_type(cudnn.data_type.HALF)
graph.validate()
graph.build_operation_graph()
graph.create_execution_plans([cudnn.heur_mode.A])
graph.check_support()
graph.build_plans()
size: int = graph.get_workspace_size()
dims: list[int] = y.get_dim()
print(size, dims)


def cap(scores_graph: cudnn.pygraph, scores: cudnn.Tensor) -> cudnn.Tensor:
    return scores_graph.tanh(input=scores)


q = graph.tensor(name="q", dim=[2, 4, 64, 64])
o, stats = graph.sdpa(q=q, k=q, v=q, attn_scale=0.125, is_inference=True, score_mod=cap)
part: cudnn.Tensor = graph.slice(q, [slice(0, 1)] * 4)
data: bytes = graph.serialize(as_bytes=True)
print(o, stats, part, data)

desc: int = cupy_backends_cudnn.createTensorDescriptor()
cupy_backends_cudnn.setTensor4dDescriptor(
    desc, cupy_backends_cudnn.CUDNN_TENSOR_NCHW, cupy_backends_cudnn.CUDNN_DATA_FLOAT, 8, 64, 7, 7
)

try:
    handle: int = libcudnn.cudnnCreate()
    libcudnn.cudnnSetStream(handle, 0)
    kind: int = libcudnn.cudnnDataType["CUDNN_DATA_FLOAT"]
    print(kind, libcudnn_1.cudnnAddMode)
except libcudnn.cudnnError as error:
    print(error)

graph.conv_fprop(image=x, weight=w, pading=[1, 1])  # refused
graph.relu(inptu=x)  # refused
graph.rleu(input=x)  # refused
graph.tensor(name="x", dims=[1, 2])  # refused
y.set_ouput(True)  # refused
print(cudnn.data_type.FLAOT)  # refused
cudnn.pygraph(io_data_tpye=cudnn.data_type.HALF)  # refused
graph.sdpa(q=q, k=q, v=q, attn_scal=0.125)  # refused
graph.reduction(q, mode="ADD")  # refused
cupy_backends_cudnn.createTensorDescriptr()  # refused
cupy_backends_cudnn.setTensor4dDescriptor(desc)  # refused
libcudnn.cudnnCreat()  # refused
libcudnn_1.cudnnAddTensor()  # refused
libcudnn.cudnnSetStream(handle)  # refused
