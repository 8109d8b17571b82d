/* The base of plans and of classic calls: one whose arguments are all as they should be runs here,
   without a Python frame. Other calls are left to the method `_run`, before anything was
   executed. */

#ifndef CUDNN_CFFI_PLAN_H
#define CUDNN_CFFI_PLAN_H

#include <Python.h>
#include <stdint.h>

#define MAX_ARGUMENTS 32

struct description;
struct dlpack_array;

/* Arrays that come as descriptions alone, in the order of operands, with NULL for outputs, which are made here:
   `make` returns the address of one, or 0; the workspace has the number after the outputs. `kind` is the type of
   the arrays. */
struct tables {
    PyTypeObject *kind;
    const struct dlpack_array *const *given;
    uintptr_t (*make)(void *what, int output, const struct dlpack_array *like);
    void *what;
};

/* The arguments of a call, by the order of operands; NULL for what did not come. An array may have been
   described already, by its type's table. Some inputs are copied to another layout: `copiers` has for each
   operand the function that does it, or NULL; there may be none at all. */
struct arguments {
    PyObject *handle, *stream, *workspace, *described;
    const struct description *description;
    PyObject *const *copiers;
    const struct tables *tables;
    PyObject *values[MAX_ARGUMENTS];
};

/* A copy of an array that a plan took, for others that take the same one right after it. */
struct kept_copy {
    PyObject *array, *copier, *copy;
};

/* Has plans that run on this thread keep a copy there, or take the one that is there; NULL: they do not.
   Returns where it was kept before. */
struct kept_copy *cudnn_cffi_keep_copy(struct kept_copy *here);

/* Makes a plain call. NULL with an exception where it failed, and without one where it is not plain. */
PyObject *cudnn_cffi_run(PyObject *plan, const struct arguments *arguments);

/* Returns 1 if an object is a plan that can run here, with this number of operands. */
int cudnn_cffi_runs(PyObject *plan, int operands);

/* Whether calls of a plan follow each other, since each changes memory of an object that has it. */
int cudnn_cffi_takes_turns(PyObject *plan);

/* The alignment that a plan wants of its arrays: more for the stricter one. */
uintptr_t cudnn_cffi_alignment(PyObject *plan);

/* The part of a description that its fingerprint covers: SOME, the cheap fields; WHERE, all but the strides of axes
   with one element, which do not matter for addresses; ALL, these too, which matter for the layout. */
enum extent { SOME, WHERE, ALL };

/* Returns a number for the data type, shape, strides and place of an array, or for some of these; 0 if they cannot
   be read. Arrays with different numbers differ. The description by a table is written to `description`, unless
   that is NULL. */
uint64_t cudnn_cffi_fingerprint(PyObject *array, enum extent extent, struct description *description);

/* The same of a description. */
uint64_t cudnn_cffi_fingerprint_of(const struct dlpack_array *found, enum extent extent);

/* An operand of a launcher. */
struct operand {
    uintptr_t mask, fixed; /* the bits of the address that have to be 0; or what it is each time */
    int on_host, is_written;
    int is_ragged; /* offsets on the device say what it has: arrays may have any shape */
};

/* The address of an array of a known type, or an address itself; and a number for data type and device of the array,
   and for its shape and strides unless it is ragged. Returns whether it is neither, is not where it has to be (on the
   host, or on a device), or is read-only and would be written. */
int cudnn_cffi_address(PyObject *array, const struct operand *operand, uintptr_t *address, uint64_t *print);

/* Executes a plan in the stream of a handle, on addresses in the order of its operands; `workspace`
   is an array, an address, or NULL. A call that comes again is launched as a graph, unless it reads numbers
   of the host. Returns 0, or -1 with an exception, or 1 where the call is not plain and nothing was executed. */
int cudnn_cffi_execute(PyObject *plan, PyObject *handle, const uintptr_t *found,
                       PyObject *workspace, int reads_host);

/* A new launcher of a plan, with the arguments of `Plan._launcher`; see launcher.c. */
PyObject *cudnn_cffi_new_launcher(PyObject *plan, PyObject *all);

/* Returns the address of the type; 0 where it cannot be made. */
uintptr_t cudnn_cffi_plan_type(void);

#endif
