/* Captures the work of a call, which the driver launches again as one CUDA graph.

   cuDNN takes microseconds for an execution before it launches a kernel or two, and for each function that
   is a step of a call. On the same addresses the kernels, copies and memory that is set are the same each
   time: so they are captured into a graph, as cuDNN's documentation allows, which is launched from then on. */

#ifndef CUDNN_CFFI_REPLAY_H
#define CUDNN_CFFI_REPLAY_H

#include <Python.h>
#include <stdint.h>

struct replay;

/* Calls on the same addresses before one is captured; 0: never. */
extern int cudnn_cffi_replay_after;

/* A call to capture: `run` puts `what` into a stream, by a handle whose own stream is `stream`. `hold` is called
   with 1 before that, and with 0 when nothing is captured any more. */
struct to_replay {
    int (*run)(void *what, void *stream);
    void (*hold)(void *what, int holds);
    void *what;
    int (*set_stream)(uintptr_t, void *);
    uintptr_t handle;
    void *stream;
};

/* Captures without running; NULL where that cannot be captured, or has other nodes than kernels, memory that
   is set, and copies on the device. `later` is 1 where another thread may be in CUDA: a later capture may work. */
struct replay *cudnn_cffi_record(const struct to_replay *all, int *later);

/* Launches a captured graph. Returns 0; an error of the driver's; or -1 if the graph has made room for others and
   nothing was launched. */
int cudnn_cffi_replay(struct replay *replay, void *stream);

void cudnn_cffi_forget(struct replay *replay);

/* Whether there may be one more: each takes memory of the device and of the host. Where there are as many as a
   process may have, the one that was launched longest ago makes room, if this was asked as often since then:
   programs that use a few more in turn would otherwise capture each time. */
int cudnn_cffi_has_room(void);

/* In the child of a fork: neither launches nor destroys the graphs of the parent from now on. */
void cudnn_cffi_leave_to_parent(void);

/* Sets up replays, by names: functions (addresses of the driver's functions, in the order in which they are
   listed there), after (how many calls one is captured), graphs (how many a process may have), library (the folder
   of Python's own), waiters (parts of paths of other code whose threads do not wait for a device). Returns whether
   the driver has all functions. */
PyObject *cudnn_cffi_set_up_replaying(PyObject *none, PyObject *nothing, PyObject *all);

#endif
