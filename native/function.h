/* Functions as Python objects, called under a C name with numbers, or objects that have one. No Python frame is
   between the caller and cuDNN.

   Emitted code has a thunk for each such function: it reads the arguments with the conversions
   below, calls the shim without the GIL, and hands its status or results on. */

#ifndef CUDNN_CFFI_FUNCTION_H
#define CUDNN_CFFI_FUNCTION_H

#include <stdint.h>

#include "objects.h"

/* The emitter refuses functions with more results. */
#define MAX_RESULTS 64

/* Maximum number of arguments that are put in order here; with more, the Python function does it. */
#define IN_ORDER 64

struct function;

typedef PyObject *thunk(struct function *, PyObject *const *);

/* Where objects of a class have an address: a slot of theirs, read without a look-up by name. */
struct known_slot {
    PyTypeObject *type; /* NULL until there is such an object */
    PyObject *member;   /* the slot, as Python describes it */
};

/* Fields that a call with ints reads come first. */
struct function {
    PyObject_VAR_HEAD
    entrance *enter;
    Py_ssize_t takes; /* how many arguments */
    thunk *call;
    PyObject *attributes, *references;
    PyObject *how;        /* for each argument what makes it a number: see `quick` in _call */
    PyObject *name;
    PyObject *parameters; /* their names, all of them interned */
    PyObject *python;     /* the Python function that it stands for; NULL until that is set */
    PyObject *results;    /* the class of several results, or None; a mapping or None for each */
    PyObject *slow;       /* takes over where an argument is not plain or raised what `convert` has */
    PyObject *failed;     /* turns a status into the exception, and raises it */
    PyObject *convert;
    struct known_slot memory;   /* of the array of the last call */
    struct known_slot places[]; /* of the last object, for each argument */
};

/* Calls the shim of a function with its arguments in words: integers and addresses as they are, a
   double for whatever is a floating-point number or a scaling factor. */
typedef int words_call(const uint64_t *);

/* The emitter refuses functions that are called so with more arguments. */
#define MAX_WORDS 32

/* One for each of cuDNN's functions; `call` is NULL where there is no thunk, and `packed` where the
   function takes no handle, or its arguments are not all words, or it has results. */
struct entry {
    Py_ssize_t takes, gives;
    thunk *call;
    words_call *packed;
};

/* Number of interpreters that are shown each call before it is made. */
extern int cudnn_cffi_watchers;

/* Emitted. */
extern const struct entry entries[];
extern const int function_count;

/* Called by cffi. */
void cudnn_cffi_bind(int index, uintptr_t address);
int cudnn_cffi_bound(void);
uintptr_t cudnn_cffi_maker(void);
uintptr_t cudnn_cffi_watcher(void);
uintptr_t cudnn_cffi_facts(void);

/* Results of thunks: an object, or a number for arguments or a status that are not plain. */
PyObject *result(struct function *self, const int64_t *slots, const char *kinds, int count);
RARE PyObject *refused(struct function *self, PyObject *const *arguments, int status);
RARE PyObject *wrong(struct function *self, PyObject *const *arguments);

/* Conversions return whether they failed. They run no code of the caller's: an int, or an object
   of a class derived from it, is read as it is stored; whatever else is not plain is left to
   `slow`. No exception is set where an argument is merely not plain. */

RARE int is_derived(PyObject *argument);
RARE int out_of_range(void);
int to_unsigned(PyObject *argument, unsigned int *value);
int to_address(PyObject *argument, uintptr_t *value);
int to_double(PyObject *argument, double *value);
int to_float(PyObject *argument, float *value);
int to_object(struct function *self, int index, PyObject *argument, uintptr_t *value);
int to_object_or_null(struct function *self, int index, PyObject *argument, uintptr_t *value);
int to_memory(struct function *self, int index, PyObject *argument, uintptr_t *value);
int to_pointer(struct function *self, int index, PyObject *argument, uintptr_t *value);
int to_factor(struct function *self, int index, PyObject *argument, double *value);

static inline int to_int64(PyObject *argument, int64_t *value)
{
    if (!PyLong_CheckExact(argument) && !is_derived(argument)) return 1;
    *value = PyLong_AsLongLong(argument);
    return *value == -1 && PyErr_Occurred();
}

/* For size_t and uint64_t alike: they are one type on a machine of 64 bits, and this is the
   quickest way to a number that fills it. */
static inline int to_uint64(PyObject *argument, uint64_t *value)
{
    if (!PyLong_CheckExact(argument) && !is_derived(argument)) return 1;
    *value = PyLong_AsSize_t(argument);
    return *value == (uint64_t)-1 && PyErr_Occurred();
}

static inline int narrow(int64_t wide, int *value)
{
    if (wide == -1 && PyErr_Occurred()) return 1;
    *value = (int)wide;
    return *value != wide && out_of_range();
}

static inline int to_int(PyObject *argument, int *value)
{
    if (!PyLong_CheckExact(argument) && !is_derived(argument)) return 1;
    return narrow(PyLong_AsLongLong(argument), value);
}

#define TO_NARROW(name, type)                                   \
    static inline int name(PyObject *argument, type *value)     \
    {                                                           \
        int wide = 0;                                           \
        if (to_int(argument, &wide)) return 1;                  \
        *value = (type)wide;                                    \
        return *value != wide && out_of_range();                \
    }

TO_NARROW(to_int8, int8_t)
TO_NARROW(to_uint8, uint8_t)
TO_NARROW(to_int16, int16_t)
TO_NARROW(to_uint16, uint16_t)
TO_NARROW(to_bool, _Bool)

/* An int, or a member of the class that was last seen to be the right one: `how` has it. */
static inline int to_enum(struct function *self, int index, PyObject *argument, int *value)
{
    if (!PyLong_CheckExact(argument)
        && (PyObject *)Py_TYPE(argument) != PyList_GetItem(PyTuple_GetItem(self->how, index), 0))
        return 1;
    return narrow(PyLong_AsLongLong(argument), value);
}

#endif
