/* Read arrays: their kind, their address, and whether they fit operands. */

#ifndef CUDNN_CFFI_ARRAYS_H
#define CUDNN_CFFI_ARRAYS_H

#include <Python.h>
#include <stdint.h>

#include "dlpack.h"
#include "objects.h"
#include "plan.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

#define MAX_TYPES 16
#define MAX_DTYPES 64

/* The way to read arrays of a type. */
enum reading { BY_TABLE = 1, BY_SLOTS, BY_ATTRIBUTES, BY_FIELDS };

/* Where objects of a C type have their fields, in bytes; `memory` is the type of the one that `data`
   refers to, with the other two. Shape and strides are vectors: from one address up to another. */
struct fields {
    Py_ssize_t shape, strides, dtype, data, pointer, device;
    PyTypeObject *memory;
};

/* PyTorch's functions in C, the same in all its releases that have them: each takes an `at::Tensor` and returns 0 or an
   error. They read tensors whose objects in C++ begin with the word `kind`, which no class derived from theirs has.
   `cuda` is PyTorch's number of CUDA, and 0 that of the host; `types` has DLPack's code and bits by PyTorch's number,
   or 0. */
struct tensor_reader {
    uintptr_t kind;
    int cuda;
    unsigned char types[MAX_DTYPES][2];
    int (*address)(const void *, void **), (*axes)(const void *, int64_t *);
    int (*shape)(const void *, int64_t **), (*strides)(const void *, int64_t **);
    int (*type)(const void *, int32_t *), (*device_type)(const void *, int32_t *), (*device)(const void *, int32_t *);
};

/* Types of arrays, in the order in which they were first seen; they stay. */
struct array_type {
    PyTypeObject *type;
    enum reading reading;
    const struct dlpack_table *table; /* BY_TABLE */
    int has_stream;                   /* whether work on such arrays belongs in their library's current stream */
    struct fields fields;             /* BY_FIELDS */
    /* BY_TABLE, which does not tell where the memory has other numbers, negative or conjugate ones: the function
       that is asked for negative ones, and where an array has its argument. Without a function, -1 stands for
       the array's methods, and 0 for arrays whose memory always has their numbers. */
    Py_ssize_t place;
    unsigned char (*is_negative)(const void *);
    struct tensor_reader *reader; /* what reads them in less time than the table, or NULL */
    /* The function that returns the current stream, BY_ATTRIBUTES and BY_FIELDS: in C, or else an object. */
    intptr_t (*stream_in_c)(void);
    PyObject *stream;
};
extern struct array_type array_types[MAX_TYPES];
extern int array_type_count;

/* The slots of this package's objects that are read here, by their descriptors. */
enum place {
    ARRAY_POINTER, ARRAY_SHAPE, ARRAY_STRIDES, ARRAY_TYPE, ARRAY_MEMORY,
    MEMORY_DEVICE, MEMORY_SIZE, MEMORY_ADDRESS, MEMORY_STREAM, MEMORY_READONLY,
    HANDLE_ADDRESS, HANDLE_CONTEXT, HANDLE_DEVICE, HANDLE_STREAM, HANDLE_WORKSPACE,
    STREAM_ADDRESS, DESCRIPTOR_ADDRESS, PLACES
};
struct slot {
    PyObject *member;
    descrgetfunc getter;
    Py_ssize_t offset;  /* in bytes, from the beginning of an object; 0 where it is not known */
    PyTypeObject *type; /* of the object that was read last: its slot is there */
};
extern struct slot slots[PLACES];

/* Names of attributes. */
extern PyObject *n_data, *n_ptr, *n_device_id, *n_shape, *n_strides, *n_dtype, *n_blocks, *n_handle;
extern PyObject *n_stream, *n_workspace, *n_is_neg, *n_is_conj, *n_readonly;

/* Fields that each call reads come first, in as few lines of the cache as can be: cuDNN's own work evicts
   them. */
struct argument {
    uintptr_t mask; /* the bits of the address that have to be 0 */
    int axes, code, bits, size, is_output, is_written;
    int64_t extents[2 * MAX_AXES]; /* the shape, then the strides */
    PyObject *name, *type_name, *dtype, *shape_seen, *strides_seen;
    uintptr_t span; /* the bytes from its begin to its end */
};

#define SHAPE(argument) ((argument)->extents)
#define STRIDES(argument) ((argument)->extents + (argument)->axes)

#define FIELD(object, offset, type) (*(type *)((char *)(object) + (offset)))

/* The value of a slot of an object whose type was not the last one. */
PyObject *value_of(struct slot *slot, PyObject *object);

int read_slots(PyObject *array, struct argument *wanted, uintptr_t *address,
                      uintptr_t *device);

int read_attributes(PyObject *array, struct argument *wanted, uintptr_t *address,
                           uintptr_t *device);

int read_fields(const struct fields *fields, PyObject *array, struct argument *wanted,
                       uintptr_t *address, uintptr_t *device);

/* Returns 1 if an array that will be copied cannot be read: no table describes it, or it is not on the device
   `device` (any one if that is -1, which is then set). */
int cannot_be_read(const struct array_type *type, PyObject *array, uintptr_t *device);

/* Remembers how arrays of a type are read: (type, how, a capsule with a table or a tuple of fields or
   None, what returns the current stream: a capsule with a C function, an object, True for the table, or None
   if the handle's is used, (`place`, the address of `is_negative`, what `reader` has)). Returns whether they can be. */
PyObject *learn_array(PyObject *none, PyObject *all);

/* The value of a slot, as a new reference; NULL, without an exception, where it has none. */
static inline PyObject *slot_of(enum place place, PyObject *object)
{
    struct slot *slot = &slots[place];
    PyObject *value;
    if (Py_TYPE(object) != slot->type) return value_of(slot, object);
    value = FIELD(object, slot->offset, PyObject *);
    Py_XINCREF(value);
    return value;
}

/* Reads a number from a slot; returns whether that failed. */
static inline int read_slot(enum place place, PyObject *object, uintptr_t *value)
{
    PyObject *number = slot_of(place, object);
    int bad = !number || !PyLong_Check(number);
    if (!bad) {
        *value = PyLong_AsSize_t(number);
        if (*value == (uintptr_t)-1 && PyErr_Occurred()) PyErr_Clear(), bad = 1;
    }
    Py_XDECREF(number);
    return bad;
}

static inline int read_attribute(PyObject *object, PyObject *name, uintptr_t *value)
{
    PyObject *number = PyObject_GetAttr(object, name);
    int bad = !number || !PyLong_Check(number);
    if (!bad) *value = PyLong_AsSize_t(number);
    Py_XDECREF(number);
    if (PyErr_Occurred()) cudnn_cffi_clear_error(), bad = 1;
    return bad;
}

static inline struct array_type *type_of(PyObject *array)
{
    int i;
    for (i = 0; i < array_type_count; ++i)
        if (array_types[i].type == Py_TYPE(array)) return &array_types[i];
    return NULL;
}

/* Asks a tensor by a method whether its memory has other numbers than it. */
int has_other_numbers(PyObject *array, PyObject *method);

/* Asks an array whether it must not be written. */
int is_read_only(PyObject *array);

/* Whether an array must not be written. */
static inline int may_be_fixed(const struct array_type *type, PyObject *array)
{
    return !type->has_stream && is_read_only(array);
}

/* Describes an array by a table that gives owners only; returns whether that cannot be done. */
int describe_owner(const struct dlpack_table *table, PyObject *array, struct description *found);

/* Describes an `at::Tensor`; returns whether only the table can do that. */
int read_tensor(const struct tensor_reader *by, const char *tensor, struct dlpack_array *found);

/* Describes an array by its table; returns whether that cannot be done. */
static inline int describe(const struct array_type *type, PyObject *array, struct description *found)
{
    if (type->is_negative) {
        const char *tensor = (const char *)array + type->place;
        if (!*(void *const *)tensor || type->is_negative(tensor)) return 1;
        if (type->reader && !read_tensor(type->reader, tensor, &found->is)) return 0;
    } else if (type->place && has_other_numbers(array, n_is_neg)) {
        return 1;
    }
    if (!type->table->describe) {
        if (describe_owner(type->table, array, found)) return 1;
    } else if (type->table->describe(array, &found->is)) {
        PyErr_Clear();
        return 1;
    }
    return found->is.code == DLPACK_COMPLEX && type->place && has_other_numbers(array, n_is_conj);
}

/* A vector among the fields of an array; returns how many numbers it has. */
static inline Py_ssize_t read_vector(PyObject *array, Py_ssize_t offset, const int64_t **numbers)
{
    *numbers = FIELD(array, offset, const int64_t *);
    return FIELD(array, offset + (Py_ssize_t)sizeof(void *), const int64_t *) - *numbers;
}

/* The object that has the address of an array; NULL where it is of another type. */
static inline PyObject *memory_of(const struct fields *fields, PyObject *array)
{
    PyObject *data = FIELD(array, fields->data, PyObject *);
    return data && Py_TYPE(data) == fields->memory ? data : NULL;
}

/* Reads the address and device of an array; returns whether it does not fit its operand. */
static inline int read_description(const struct dlpack_array *found, const struct argument *wanted,
                                   uintptr_t *address, uintptr_t *device)
{
    const int64_t *shape = SHAPE(wanted), *strides = STRIDES(wanted);
    int i;
    if (found->device_type != DLPACK_CUDA || found->code != wanted->code
        || found->bits != wanted->bits || found->lanes != 1 || found->ndim != wanted->axes
        || (!found->strides && wanted->axes))
        return 1;
    for (i = 0; i < wanted->axes; ++i)
        if (found->shape[i] != shape[i] || (found->strides[i] != strides[i] && shape[i] != 1))
            return 1;
    *address = (uintptr_t)found->data + found->offset;
    *device = (uintptr_t)found->device;
    return !found->data;
}

/* Whether an array does not fit, which is of a known type; `device` is the one to be on, or -1, and is
   set. */
static inline int array_mismatch(const struct array_type *type, PyObject *array,
                                 const struct arguments *arguments, struct argument *wanted,
                                 uintptr_t *address, uintptr_t *device)
{
    struct description description;
    uintptr_t found = 0;
    int bad;
    if (type->reading == BY_TABLE)
        bad = (arguments->described == array
                   ? read_description(&arguments->description->is, wanted, address, &found)
                   : describe(type, array, &description) || read_description(&description.is, wanted, address, &found))
              || (wanted->is_written && may_be_fixed(type, array));
    else if (type->reading == BY_SLOTS)
        bad = read_slots(array, wanted, address, &found);
    else if (type->reading == BY_FIELDS)
        bad = read_fields(&type->fields, array, wanted, address, &found);
    else
        bad = read_attributes(array, wanted, address, &found);
    if (bad || (*address & wanted->mask)) return 1;
    if (*device == (uintptr_t)-1) *device = found;
    return found != *device;
}

/* Reads the current stream of a library of arrays; returns whether that failed. */
static inline int current_stream_of(const struct array_type *type, uintptr_t device, void **stream)
{
    PyObject *number;
    if (type->reading == BY_TABLE) {
        if (!type->table->current_stream(DLPACK_CUDA, (int32_t)device, stream)) return 0;
    } else if (type->stream_in_c) {
        *stream = (void *)type->stream_in_c();
    } else {
        number = PyObject_CallNoArgs(type->stream);
        if (number) *stream = (void *)PyLong_AsSize_t(number);
        Py_XDECREF(number);
    }
    if (!PyErr_Occurred()) return type->reading == BY_TABLE;
    cudnn_cffi_clear_error();
    return 1;
}

/* Reads the address of a workspace that was passed to a call: dense memory on the device that is
   large enough. Returns whether that is not plain. */
int address_of_workspace(uint64_t least, PyObject *array, uintptr_t device, uintptr_t *address);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
