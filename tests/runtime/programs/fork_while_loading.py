"""A child forked while another thread loads does not wait for that thread."""

import os
import threading

import cudnn_cffi.library as library

held, done = threading.Event(), threading.Event()


def holder():
    with library._lock:
        held.set()
        done.wait()


thread = threading.Thread(target=holder)
thread.start()
held.wait()
child = os.fork()
if not child:
    os._exit(library.load().number == 0)
status = os.waitpid(child, 0)[1]
done.set()
thread.join()
raise SystemExit(os.waitstatus_to_exitcode(status))
