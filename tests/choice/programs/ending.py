"""End the interpreter while daemon threads compile engines."""

import threading
import time

import cudnn_cffi as cudnn
from cudnn_cffi import choice
from cudnn_cffi._support import blocks


def build(number: int) -> None:
    while True:
        graph = cudnn.Graph(io_data_type="HALF")
        x = graph.tensor((2, 64, 8 + number, 8), layout="NHWC")
        w = graph.tensor((64, 64, 3, 3), layout="NHWC")
        graph.output(graph.relu(graph.convolution(x, w, padding=1)))
        choice.plans.clear()
        try:
            graph.build(device="H200")
        except cudnn.CudnnError as error:
            assert error.message == "nothing is compiled while the interpreter ends", error
            return


for number in range(3):
    threading.Thread(target=build, args=(number,), daemon=True).start()
end = time.monotonic() + 60
while len(blocks.running) < 3:
    assert time.monotonic() < end, "no engine is compiled"
