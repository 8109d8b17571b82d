/* Calls that come again: what they do is captured, and launched as a graph. */

#ifndef CUDNN_CFFI_CALLS_H
#define CUDNN_CFFI_CALLS_H

#include "state.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Runs all, or from some calls on the same addresses on launches it as a graph. A plan's lock is held while
   its parts run, so that threads with the same handle do not mix what lies between them. */
int replay_call(struct call_frame *all);

void forget_calls(struct plan *self);

/* Number of graphs of calls. */
PyObject *plan_graphs(PyObject *me, PyObject *none);

/* Has no capture begin from now on; returns how many have not ended yet. */
PyObject *stop_recording(PyObject *none, PyObject *nothing);

PyObject *count_replays(PyObject *none, PyObject *nothing);

/* In the child of a fork: the threads that captured are not here. */
void forget_recordings(void);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
