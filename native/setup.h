/* Sets up plans before their first call: numbers of cuDNN and this package, and each plan. */

#ifndef CUDNN_CFFI_SETUP_H
#define CUDNN_CFFI_SETUP_H

#include "state.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Releases what `plan_arm` has set. Releasing an object may run any code, which then finds a plan that was
   not armed. */
void forget(struct plan *self);

/* Sets up the calls of a plan, by names: descriptor (or None), device, workspace_size, packed ((uid, source,
   offset), ...), arguments (a dict for each, inputs first: name, type_name, dtype, shape, strides, code, bits,
   size of an element, is_output, is_written, alignment, span in bytes), steps, turn (or None), replays (whether the
   steps depend on the addresses alone). Returns whether the plan can be executed here. */
PyObject *plan_arm(PyObject *me, PyObject *none, PyObject *all);

/* Sets which arguments must not overlap: ((argument, argument, bytes of the first one, of the second),
   ...). */
PyObject *plan_keep_apart(PyObject *me, PyObject *all);

/* Sets the dtypes of NumPy that the arguments have, which was not loaded when the plan was armed. */
PyObject *plan_set_dtypes(PyObject *me, PyObject *dtypes);

/* Remembers what makes the outputs for arrays of a type, and the workspace after them, if the library
   of the arrays has to: (type, device, ((callable, arguments or None for the handle, names or None),
   ...)). */
PyObject *plan_teach(PyObject *me, PyObject *all);

/* Sets up all plans, once: objects of this package and functions of cuDNN. */
PyObject *set_up(PyObject *type, PyObject *none, PyObject *all);

/* The entrance of a plan that is armed. */
PyObject *plan_enter(PyObject *me, PyObject *const *given, size_t flagged, PyObject *names);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
