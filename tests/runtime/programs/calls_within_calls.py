"""A callback makes calls inside of a call, before its results are read; print both results."""

import json

import cudnn_cffi as cudnn

outer, inner = cudnn.TensorDescriptor(), cudnn.TensorDescriptor()
outer.set_4d(cudnn.TensorFormat.NCHW, cudnn.DataType.FLOAT, 1, 2, 3, 4)
inner.set_4d(cudnn.TensorFormat.NCHW, cudnn.DataType.HALF, 5, 6, 7, 8)
heard: list[object] = []


def listen(*message):
    heard.extend(tuple(inner.get_4d())[1:5] for _ in range(20))
    heard.append(cudnn.cudnnGetTensorNdDescriptor(inner, 8).dimA)


cudnn.cudnnSetCallback(cudnn.SeverityMask.INFO_EN, None, listen)
got = [outer.get_4d()[1:5], cudnn.cudnnGetTensorNdDescriptor(outer, 8).dimA]
cudnn.cudnnSetCallback(0, None, None)
print(json.dumps([got, sorted(set(heard))]))
