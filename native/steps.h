/* Steps of a call: classic functions, plans, memory that is set, copies, and kernels. */

#ifndef CUDNN_CFFI_STEPS_H
#define CUDNN_CFFI_STEPS_H

#include "state.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Reads the descriptors of the plans among the steps; returns whether one is closed. */
int read_parts(struct plan *self, uintptr_t *plans);

/* Reads a step: (index of the function, or one of the above, or a plan; (word, ...), ((word, source,
   offset), ...)). Returns 0, or 1 where it cannot be run here, or -1 with an exception. */
int read_step(struct step *step, PyObject *all, Py_ssize_t count);

/* Make the second stream wait for a call's own one, and the other way round; both return the driver's status. */
int begin_side(const struct side *side, void *stream);
int end_side(const struct side *side, void *stream);

/* Runs the steps, and then executes the plan itself, if it has a descriptor. */
int run_call(struct call_frame *all);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
