"""End the interpreter while threads call and objects are owned all over: owners.py THREADS SECONDS."""

import builtins
import contextvars
import logging
import sys
import threading
import time
from typing import Any

import cudnn_cffi as cudnn


class Owner:
    def __init__(self):
        self.d = cudnn.cudnnCreateTensorDescriptor()

    def __del__(self, destroy=cudnn.cudnnDestroyTensorDescriptor):
        destroy(self.d)


variable: contextvars.ContextVar[Owner] = contextvars.ContextVar("variable")
variable.set(Owner())
handler = logging.NullHandler()
logging.getLogger().addHandler(handler)
holders: list[Any] = [handler, cudnn.cudnnSetTensor4dDescriptor, sys, builtins]
for holder in holders:
    holder.owner = Owner()
circle: Any = Owner()
circle.itself = circle


def loop():
    while True:
        with cudnn.check_calls():
            cudnn.TensorDescriptor().close()


for _ in range(int(sys.argv[1])):
    threading.Thread(target=loop, daemon=True).start()
time.sleep(float(sys.argv[2]))
