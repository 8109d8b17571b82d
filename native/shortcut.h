/* A function of Python whose known calls go straight to their plan. */

#ifndef CUDNN_CFFI_SHORTCUT_H
#define CUDNN_CFFI_SHORTCUT_H

#include <Python.h>
#include <stdint.h>

#include "recorder.h"

/* Returns the address of a tuple with the types of shortcuts and of their memories; 0 where
   it cannot be made. */
uintptr_t cudnn_cffi_shortcuts(void);

/* Whether an object, or NULL, is a memory of calls. */
int cudnn_cffi_is_memory(PyObject *object);

/* Makes a call that a memory knows; NULL, without an exception, where it is not known or not
   plain. `given` is all by which calls are known. */
PyObject *cudnn_cffi_look_up(PyObject *memory, PyObject *const *given, Py_ssize_t count);

/* Belongs to the memory of a layer's calls: the memory of calls with gradients, the object that records their nodes,
   and a dict of refused calls. */
struct joined {
    PyObject *recorded, *apply, *refused;
};

/* Returns what was joined to a memory; NULL for other objects, and if nothing was. */
const struct joined *cudnn_cffi_joined(PyObject *memory);

/* Calls a function, and has a memory learn the outcome for these arguments. */
PyObject *cudnn_cffi_call_and_learn(PyObject *function, PyObject *const *arguments, Py_ssize_t many,
                                    PyObject *memory, PyObject *const *given, Py_ssize_t count);

/* See recorder.h. */
run_described cudnn_cffi_run_described;

#endif
