/* The base of plans and of classic calls: one whose arguments are all as they should be runs here,
   without a Python frame. Whatever is not plain is left to the method `_run`, before anything was
   executed. */

#ifndef CUDNN_CFFI_PLAN_H
#define CUDNN_CFFI_PLAN_H

#include <Python.h>
#include <stdint.h>

#define MOST_ARGUMENTS 32

/* The arguments of a call, by the order of operands; NULL for what did not come. */
struct taken {
    PyObject *values[MOST_ARGUMENTS], *handle, *stream, *workspace;
};

/* What a plain call returns; NULL with an exception where it failed, and without one where it is not
   plain. */
PyObject *cudnn_cffi_run(PyObject *plan, const struct taken *taken);

/* Whether an object is a plan that can run here, with so many operands. */
int cudnn_cffi_runs(PyObject *plan, int operands);

/* How well a plan wants its arrays to be aligned: more for the stricter one. */
uintptr_t cudnn_cffi_weight(PyObject *plan);

/* A number for the data type, shape and strides of an array, or for its shape; 0 for an array of no
   known type. Arrays of different numbers differ. */
uint64_t cudnn_cffi_print(PyObject *array);

/* What cffi calls: the address of the type; 0 where it cannot be made. */
uintptr_t cudnn_cffi_plan_type(void);

#endif
