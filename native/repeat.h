/* What cuDNN launches for a plan on the same addresses, launched again without cuDNN.

   cuDNN's documentation has executions captured into CUDA graphs, and graphs launched again as long as
   the plan, its workspace and its operands are there. A repetition is such a capture of one execution;
   but its kernels are launched one by one, as cuDNN did. So the stream sees what it always sees. */

#ifndef CUDNN_CFFI_REPEAT_H
#define CUDNN_CFFI_REPEAT_H

#include <Python.h>
#include <stdint.h>

struct repetition;

/* After how many executions on the same addresses the next one is a repetition; 0: never. */
extern int cudnn_cffi_repeat_after;

/* What executes a plan: cuDNN's functions, and their arguments. */
struct execution {
    int (*execute)(uintptr_t, uintptr_t, void *);
    int (*set_stream)(uintptr_t, void *);
    uintptr_t handle, plan;
    void *pack, *stream; /* the stream of the handle */
};

/* Captures an execution, which does not run; NULL where it cannot be repeated. */
struct repetition *cudnn_cffi_capture(const struct execution *execution);

/* Launches what was captured, in a stream. Returns 0, or what the driver answers; nothing was launched
   then, or no more than the first kernels. */
int cudnn_cffi_launch(const struct repetition *repetition, void *stream);

void cudnn_cffi_drop(struct repetition *repetition);

/* (addresses of the driver's functions in the order in which they are listed there, after how many
   executions): sets what is needed. Returns whether the driver has all. */
PyObject *cudnn_cffi_set_up_repeating(PyObject *none, PyObject *all);

#endif
