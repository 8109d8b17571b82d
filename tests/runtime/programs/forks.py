"""Fork while threads are at any step of what takes locks: forks.py SEED SECONDS WORKS.

Each child does the first WORKS of the threads' works. Print whether there were several forks, and how
many children hung.
"""

import os
import random
import signal
import sys
import threading
import time

import cudnn_cffi as cudnn

sys.setswitchinterval(1e-5)


def checks():
    with cudnn.check_calls():
        pass


def logs():
    with cudnn.log("ERROR"):
        pass


def calls():
    x = cudnn.TensorDescriptor()
    x.set_4d(0, 0, 1, 2, 3, 4)
    x.close()


def fails():
    x = cudnn.TensorDescriptor()
    try:
        x.set_4d(0, 0, -1, 2, 3, 4)
    except cudnn.CudnnError:
        pass


draw = random.Random(int(sys.argv[1]))


def numbers():
    cudnn.DataType(draw.randrange(1000, 9999))


works = [checks, logs, calls, numbers, fails]


def loop(work):
    while True:
        work()


for work in works:
    work()
    threading.Thread(target=loop, args=(work,), daemon=True).start()
hung = forked = 0
end = time.monotonic() + float(sys.argv[2])
while time.monotonic() < end or forked <= 5:  # a busy machine forks slowly
    pid = os.fork()
    if not pid:
        signal.alarm(60)
        for work in works[: int(sys.argv[3])]:
            work()
        os._exit(0)
    forked += 1
    hung += os.waitpid(pid, 0)[1] != 0
print(forked > 5, hung, flush=True)
os._exit(0)
