/* Handles of calls: the one of a thread, its stream and workspace, and whether it has ended. */

#ifndef CUDNN_CFFI_HANDLES_H
#define CUDNN_CFFI_HANDLES_H

#include "state.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

#define MAX_DEVICES 64

/* A handle that calls were captured with, by its address: their graphs are not used after it has ended. The
   records stay, since cuDNN takes the addresses of ended handles for new ones. */
struct life {
    uintptr_t handle;
    long ends; /* how many handles with this address have ended */
    struct life *next;
};

extern PyTypeObject *handle_type, *stream_type;

/* Whether cuDNN logs its calls: then each call has to reach it. */
extern unsigned long is_logging;

/* The number of handles that have ended. */
extern unsigned long handles_ended;

/* This thread's handle for a device: its default one, or the one that follows streams. It is kept until the
   thread ends. */
PyObject *thread_handle(struct plan *self, int following, uintptr_t device, uintptr_t *address);

/* Fills in this thread's second stream for a device, and returns what keeps it; NULL where there is none. */
PyObject *thread_side(struct plan *self, uintptr_t device, struct side *side);

/* Whether the handle's context is not the current one. A thread without one gets the primary one
   of the only device from CUDA's runtime. */
int is_elsewhere(PyObject *handle);

/* Whether this thread has no context, which the driver's own functions need, unlike CUDA's runtime. */
int has_no_context(PyObject *handle);

/* 1 unless something is known to keep the stream alive. */
int may_be_closed(PyObject *handle);

/* Whether the handle's stream is not the one passed to a call, which is not known to be alive
   unless it is None or a number. */
int is_other_stream(PyObject *handle, PyObject *stream);

/* The address of the handle's workspace for a stream; 0 where there is none that is large enough. */
uintptr_t workspace_of(struct plan *self, PyObject *handle, uintptr_t stream);

/* Reads the address of a stream that was passed to a call; returns whether that is not plain. */
int address_of_stream(struct plan *self, PyObject *stream, void **address);

/* Returns the record of a handle; NULL where there is none. */
struct life *find_life(uintptr_t handle);

/* Returns the record of a handle, which is made if there is none; NULL without memory. */
struct life *life_of(uintptr_t handle);

/* Has the functions called that note what repetitions have to know, in front of cuDNN's. */
void install_hooks(void);

/* Remembers a type of streams that stay open as long as something refers to them. */
PyObject *learn_stream(PyObject *none, PyObject *type);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
