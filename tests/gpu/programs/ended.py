"""End while arrays live whose stream is closed: nothing is printed of their memory."""

import cudnn_cffi as cudnn
from cudnn_cffi import ops

with cudnn.Stream() as stream:
    kept = [cudnn.DeviceArray.zeros((1 << each,), stream=stream) for each in range(4, 22)]
    kept.append(ops.relu(kept[0].reshape(1, 2, 2, 4), stream=stream))
    stream.synchronize()
print("ends")
