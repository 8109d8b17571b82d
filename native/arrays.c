/* Read arrays; see arrays.h. */

#include "arrays.h"

#include <string.h>

#include "plan.h"

/* The C signature of a function that returns a stream, as Cython names its capsules. */
#define STREAM_CAPSULE "intptr_t (void)"

NEAR struct array_type array_types[MAX_TYPES] = {{0}};
NEAR int array_type_count = 0;
NEAR struct slot slots[PLACES] = {{0}};
PyObject *n_data, *n_ptr, *n_device_id, *n_shape, *n_strides, *n_dtype, *n_blocks, *n_handle;
PyObject *n_stream, *n_workspace, *n_is_neg, *n_is_conj, *n_readonly;

RARE PyObject *value_of(struct slot *slot, PyObject *object)
{
    PyTypeObject *old = slot->type, *type = Py_TYPE(object);
    PyObject *value = slot->getter(slot->member, object, (PyObject *)type);
    if (!value) {
        PyErr_Clear();
    } else if (slot->offset) {
        Py_INCREF((PyObject *)type);
        slot->type = type;
        Py_XDECREF((PyObject *)old);
    }
    return value;
}

/* Whether the extents or strides in a tuple are the wanted ones; `scale` divides strides. A tuple
   that was seen to fit is known again by its identity. */
HOT static int fits(PyObject *tuple, const int64_t *wanted, const int64_t *shape, int axes,
                int64_t scale, PyObject **seen)
{
    int i;
    if (tuple == *seen) return 1;
    if (!PyTuple_Check(tuple) || PyTuple_Size(tuple) != axes) return 0;
    for (i = 0; i < axes; ++i) {
        int64_t value = PyLong_AsLongLong(PyTuple_GetItem(tuple, i));
        if (value == -1 && PyErr_Occurred()) return cudnn_cffi_clear_error(), 0;
        if (wanted != shape && shape[i] == 1) continue;
        if ((uint64_t)value != (uint64_t)wanted[i] * (uint64_t)scale) return 0;
    }
    if (scale == 1 && PyTuple_CheckExact(tuple)) {
        PyObject *old = *seen;
        Py_INCREF(*seen = tuple);
        Py_XDECREF(old);
    }
    return 1;
}

/* Whether memory of this package's arrays must not be written. */
static int is_fixed(PyObject *memory)
{
    PyObject *answer = slot_of(MEMORY_READONLY, memory);
    Py_XDECREF(answer);
    return answer != Py_False;
}

HOT int read_slots(PyObject *array, struct argument *wanted, uintptr_t *address,
                      uintptr_t *device)
{
    PyObject *shape = slot_of(ARRAY_SHAPE, array), *strides = slot_of(ARRAY_STRIDES, array);
    PyObject *type = slot_of(ARRAY_TYPE, array), *memory = slot_of(ARRAY_MEMORY, array);
    int bad = !shape || !strides || !type || !memory
              || (type != wanted->type_name && PyUnicode_Compare(type, wanted->type_name))
              || !fits(shape, SHAPE(wanted), SHAPE(wanted), wanted->axes, 1, &wanted->shape_seen)
              || !fits(strides, STRIDES(wanted), SHAPE(wanted), wanted->axes, 1,
                       &wanted->strides_seen)
              || read_slot(ARRAY_POINTER, array, address)
              || read_slot(MEMORY_DEVICE, memory, device) || (wanted->is_written && is_fixed(memory));
    Py_XDECREF(shape);
    Py_XDECREF(strides);
    Py_XDECREF(type);
    Py_XDECREF(memory);
    if (PyErr_Occurred()) cudnn_cffi_clear_error(), bad = 1;
    return bad || !*address;
}

int read_attributes(PyObject *array, struct argument *wanted, uintptr_t *address,
                           uintptr_t *device)
{
    PyObject *none = NULL, *other = NULL, *shape = NULL, *strides = NULL, *type = NULL;
    PyObject *data = PyObject_GetAttr(array, n_data);
    int bad = !data || read_attribute(data, n_ptr, address)
              || read_attribute(data, n_device_id, device)
              || !(shape = PyObject_GetAttr(array, n_shape))
              || !fits(shape, SHAPE(wanted), SHAPE(wanted), wanted->axes, 1, &none)
              || !(type = PyObject_GetAttr(array, n_dtype)) || type != wanted->dtype
              || !(strides = PyObject_GetAttr(array, n_strides))
              || !fits(strides, STRIDES(wanted), SHAPE(wanted), wanted->axes, wanted->size, &other);
    Py_XDECREF(none);
    Py_XDECREF(other);
    Py_XDECREF(data);
    Py_XDECREF(type);
    Py_XDECREF(shape);
    Py_XDECREF(strides);
    if (PyErr_Occurred()) cudnn_cffi_clear_error(), bad = 1;
    return bad || !*address;
}

int read_fields(const struct fields *fields, PyObject *array, struct argument *wanted,
                       uintptr_t *address, uintptr_t *device)
{
    const int64_t *shape, *strides;
    PyObject *data = memory_of(fields, array);
    int i;
    if (!data || FIELD(array, fields->dtype, PyObject *) != wanted->dtype
        || read_vector(array, fields->shape, &shape) != wanted->axes
        || read_vector(array, fields->strides, &strides) != wanted->axes)
        return 1;
    for (i = 0; i < wanted->axes; ++i)
        if (shape[i] != SHAPE(wanted)[i]
            || (SHAPE(wanted)[i] != 1
                && (uint64_t)strides[i] != (uint64_t)STRIDES(wanted)[i] * (uint64_t)wanted->size))
            return 1;
    *address = FIELD(data, fields->pointer, uintptr_t);
    *device = (uintptr_t)FIELD(data, fields->device, int32_t);
    return !*address;
}

RARE int has_other_numbers(PyObject *array, PyObject *method)
{
    PyObject *answer = PyObject_CallMethodObjArgs(array, method, NULL);
    int found = answer != Py_False;
    Py_XDECREF(answer);
    if (PyErr_Occurred()) cudnn_cffi_clear_error();
    return found;
}

RARE int is_read_only(PyObject *array)
{
    PyObject *answer = PyObject_GetAttr(array, n_readonly);
    int fixed = answer == Py_True;
    Py_XDECREF(answer);
    if (PyErr_Occurred()) cudnn_cffi_clear_error();
    return fixed;
}

RARE int cannot_be_read(const struct array_type *type, PyObject *array, uintptr_t *device)
{
    struct description found;
    if (!type || type->reading != BY_TABLE || describe(type, array, &found)
        || found.is.device_type != DLPACK_CUDA)
        return 1;
    if (*device == (uintptr_t)-1) *device = (uintptr_t)found.is.device;
    return (uintptr_t)found.is.device != *device;
}

/* The same for bytes in an array of this package. */
static int address_of_bytes(uint64_t least, PyObject *array, uintptr_t device, uintptr_t *address)
{
    PyObject *shape = slot_of(ARRAY_SHAPE, array), *strides = slot_of(ARRAY_STRIDES, array);
    PyObject *type = slot_of(ARRAY_TYPE, array), *memory = slot_of(ARRAY_MEMORY, array);
    PyObject *seen = NULL;
    uintptr_t found;
    int64_t size = 0, one = 1;
    int bad = !shape || !strides || !type || !memory || !PyTuple_Check(shape) || PyTuple_Size(shape) != 1
              || (size = PyLong_AsLongLong(PyTuple_GetItem(shape, 0))) < (int64_t)least
              || !fits(strides, &one, &size, 1, 1, &seen)
              || (PyUnicode_CompareWithASCIIString(type, "int8") && PyUnicode_CompareWithASCIIString(type, "uint8"))
              || read_slot(ARRAY_POINTER, array, address) || read_slot(MEMORY_DEVICE, memory, &found)
              || is_fixed(memory) || found != device || !*address || *address % 16;
    Py_XDECREF(seen);
    Py_XDECREF(shape);
    Py_XDECREF(strides);
    Py_XDECREF(type);
    Py_XDECREF(memory);
    if (PyErr_Occurred()) cudnn_cffi_clear_error(), bad = 1;
    return bad;
}

int address_of_workspace(uint64_t least, PyObject *array, uintptr_t device, uintptr_t *address)
{
    struct array_type *type = type_of(array);
    struct description description;
    const struct dlpack_array *found = &description.is;
    uint64_t size;
    int i;
    if (type && type->reading == BY_SLOTS) return address_of_bytes(least, array, device, address);
    if (!type || type->reading != BY_TABLE || may_be_fixed(type, array) || describe(type, array, &description)) return 1;
    size = (uint64_t)found->bits * found->lanes / 8;
    for (i = found->ndim - 1; i >= 0; --i) {
        if (found->strides && found->shape[i] != 1
            && (uint64_t)found->strides[i] * found->bits * found->lanes / 8 != size)
            return 1;
        size *= (uint64_t)found->shape[i];
    }
    *address = (uintptr_t)found->data + found->offset;
    return found->device_type != DLPACK_CUDA || (uintptr_t)found->device != device || !*address
           || *address % 16 || size < least;
}

HOT int read_tensor(const struct tensor_reader *by, const char *tensor, struct dlpack_array *found)
{
    int64_t axes;
    int32_t type, place;
    if (**(const uintptr_t *const *)tensor != by->kind || by->type(tensor, &type) || (uint32_t)type >= MAX_DTYPES
        || !by->types[type][1] || by->device_type(tensor, &place) || (place && place != by->cuda)
        || by->device(tensor, &found->device) || by->axes(tensor, &axes) || by->shape(tensor, &found->shape)
        || by->strides(tensor, &found->strides) || by->address(tensor, &found->data))
        return 1;
    found->device_type = place ? DLPACK_CUDA : DLPACK_HOST;
    if (!place) found->device = 0;
    found->ndim = (int32_t)axes;
    found->code = by->types[type][0];
    found->bits = by->types[type][1];
    found->lanes = 1;
    found->offset = 0;
    return 0;
}

RARE int describe_owner(const struct dlpack_table *table, PyObject *array, struct description *found)
{
    struct dlpack_owner *owner = NULL;
    int i, bad = table->own(array, &owner) || !owner;
    if (!bad && !(bad = owner->major != 1 || owner->array.ndim > MAX_AXES || owner->array.ndim < 0)) {
        found->is = owner->array;
        for (i = 0; i < found->is.ndim; ++i) {
            found->extents[i] = owner->array.shape[i];
            if (owner->array.strides) found->extents[MAX_AXES + i] = owner->array.strides[i];
        }
        found->is.shape = found->extents;
        if (owner->array.strides) found->is.strides = found->extents + MAX_AXES;
    }
    if (owner && owner->release) owner->release(owner);
    if (PyErr_Occurred()) PyErr_Clear(), bad = 1;
    return bad;
}

static uint64_t mixed(uint64_t print, uint64_t value)
{
    print = (print ^ value) * 0x9E3779B97F4A7C15u;
    return print ^ print >> 29;
}

uint64_t cudnn_cffi_fingerprint_of(const struct dlpack_array *found, enum extent extent)
{
    uint64_t print;
    int i;
    if (extent != SOME && (found->device_type != DLPACK_CUDA || !found->data)) return 0;
    print = mixed(found->code, (uint64_t)found->bits << 8 | (uint64_t)found->ndim);
    print = mixed(print, (uint64_t)found->device);
    for (i = 0; i < found->ndim; ++i) {
        print = mixed(print, (uint64_t)found->shape[i]);
        if (found->strides && (found->shape[i] != 1 || extent == ALL))
            print = mixed(print, (uint64_t)found->strides[i]);
    }
    return print ? print : 1;
}

HOT uint64_t cudnn_cffi_fingerprint(PyObject *array, enum extent extent, struct description *description)
{
    struct array_type *type = type_of(array);
    struct description room;
    const int64_t *numbers;
    Py_ssize_t count;
    PyObject *shape;
    uint64_t print = 1;
    int i;
    if (!type || (extent != SOME && type->reading != BY_TABLE)) return 0;
    if (type->reading == BY_TABLE) {
        if (!description) description = &room;
        if (describe(type, array, description)) return description->is.data = NULL, 0;
        return cudnn_cffi_fingerprint_of(&description->is, extent);
    } else if (type->reading == BY_FIELDS) {
        count = read_vector(array, type->fields.shape, &numbers);
        for (i = 0; i < count; ++i) print = mixed(print, (uint64_t)numbers[i]);
    } else {
        shape = type->reading == BY_SLOTS ? slot_of(ARRAY_SHAPE, array)
                                          : PyObject_GetAttr(array, n_shape);
        if (shape && PyTuple_CheckExact(shape)) print = (uint64_t)PyObject_Hash(shape);
        Py_XDECREF(shape);
        if (cudnn_cffi_failed()) return 0;
    }
    return print ? print : 1;
}

/* Mixes the hash of what an array has, which is released, into a number. */
static uint64_t mixed_hash(uint64_t print, PyObject *value)
{
    print = mixed(print, value ? (uint64_t)PyObject_Hash(value) : 0);
    Py_XDECREF(value);
    cudnn_cffi_failed();
    return print;
}

int cudnn_cffi_address(PyObject *array, const struct operand *operand, uintptr_t *address, uint64_t *print)
{
    struct array_type *type;
    struct description found;
    const int64_t *numbers;
    uintptr_t device = 0;
    PyObject *data;
    Py_ssize_t i, count;
    int bad;
    *print = 1;
    if (PyLong_CheckExact(array)) {
        *address = PyLong_AsSize_t(array);
        if (*address == (uintptr_t)-1 && PyErr_Occurred()) PyErr_Clear(), *address = 0;
        return !*address;
    }
    type = type_of(array);
    if (!type) return 1;
    if (type->reading == BY_TABLE) {
        if ((operand->is_written && may_be_fixed(type, array)) || describe(type, array, &found)) return 1;
        *address = (uintptr_t)found.is.data + found.is.offset;
        if (operand->is_ragged) found.is.ndim = 0;
        *print = cudnn_cffi_fingerprint_of(&found.is, SOME);
        return !found.is.data || (found.is.device_type == DLPACK_CUDA) == operand->on_host;
    }
    if (operand->on_host) return 1;
    if (type->reading == BY_SLOTS) {
        data = slot_of(ARRAY_MEMORY, array);
        bad = !data || (operand->is_written && is_fixed(data)) || read_slot(MEMORY_DEVICE, data, &device)
              || read_slot(ARRAY_POINTER, array, address) || !*address;
        Py_XDECREF(data);
        *print = mixed_hash(device, slot_of(ARRAY_TYPE, array));
        if (!operand->is_ragged)
            *print = mixed_hash(mixed_hash(*print, slot_of(ARRAY_SHAPE, array)), slot_of(ARRAY_STRIDES, array));
    } else if (type->reading == BY_FIELDS) {
        data = memory_of(&type->fields, array);
        if (data) *address = FIELD(data, type->fields.pointer, uintptr_t);
        if (data) device = (uintptr_t)FIELD(data, type->fields.device, int32_t);
        bad = !data || !*address;
        *print = mixed(device, (uint64_t)(uintptr_t)FIELD(array, type->fields.dtype, PyObject *));
        count = operand->is_ragged ? 0 : read_vector(array, type->fields.shape, &numbers);
        for (i = 0; i < count; ++i) *print = mixed(*print, (uint64_t)numbers[i]);
        count = operand->is_ragged ? 0 : read_vector(array, type->fields.strides, &numbers);
        for (i = 0; i < count; ++i) *print = mixed(*print, (uint64_t)numbers[i]);
    } else {
        data = PyObject_GetAttr(array, n_data);
        bad = !data || read_attribute(data, n_ptr, address) || read_attribute(data, n_device_id, &device);
        Py_XDECREF(data);
        if (PyErr_Occurred()) cudnn_cffi_clear_error(), bad = 1;
        *print = mixed_hash(device, bad ? NULL : PyObject_GetAttr(array, n_dtype));
        if (!bad && !operand->is_ragged)
            *print = mixed_hash(mixed_hash(*print, PyObject_GetAttr(array, n_shape)), PyObject_GetAttr(array, n_strides));
        bad |= !*address;
    }
    return bad;
}

/* Reads (kind, the number of CUDA's devices, the data types, seven functions), or (); NULL where there is none. */
static struct tensor_reader *new_reader(PyObject *all)
{
    struct tensor_reader *made;
    unsigned long long kind, to[7];
    PyObject *types;
    int cuda;
    if (!PyTuple_Size(all)
        || !PyArg_ParseTuple(all, "KiSKKKKKKK", &kind, &cuda, &types, &to[0], &to[1], &to[2], &to[3], &to[4], &to[5],
                             &to[6]))
        return NULL;
    if (PyBytes_Size(types) != sizeof made->types) {
        PyErr_SetString(PyExc_ValueError, "expected two bytes for each data type");
        return NULL;
    }
    if (!(made = PyMem_Calloc(1, sizeof *made))) return PyErr_NoMemory(), NULL;
    made->kind = (uintptr_t)kind;
    made->cuda = cuda;
    memcpy(made->types, PyBytes_AsString(types), sizeof made->types);
    made->address = (int (*)(const void *, void **))(uintptr_t)to[0];
    made->axes = (int (*)(const void *, int64_t *))(uintptr_t)to[1];
    made->shape = (int (*)(const void *, int64_t **))(uintptr_t)to[2];
    made->strides = (int (*)(const void *, int64_t **))(uintptr_t)to[3];
    made->type = (int (*)(const void *, int32_t *))(uintptr_t)to[4];
    made->device_type = (int (*)(const void *, int32_t *))(uintptr_t)to[5];
    made->device = (int (*)(const void *, int32_t *))(uintptr_t)to[6];
    return made;
}

PyObject *learn_array(PyObject *none, PyObject *all)
{
    ALONE;
    struct array_type *one = &array_types[array_type_count];
    struct fields *fields = &one->fields;
    PyObject *type, *capsule, *stream, *reading_tensors;
    const struct dlpack_header *header = NULL;
    const struct dlpack_table *table = NULL;
    unsigned long long function;
    Py_ssize_t place;
    int reading, i;
    (void)none;
    if (!PyArg_ParseTuple(all, "O!iOO(nKO!)", &PyType_Type, &type, &reading, &capsule, &stream, &place, &function,
                          &PyTuple_Type, &reading_tensors))
        return NULL;
    for (i = 0; i < array_type_count; ++i)
        if ((PyObject *)array_types[i].type == type) Py_RETURN_TRUE;
    if (array_type_count == MAX_TYPES) Py_RETURN_FALSE;
    if (reading == BY_TABLE) {
        header = PyCapsule_GetPointer(capsule, DLPACK_CAPSULE);
        if (!header) return NULL;
        while (header && header->major != 1) header = header->older;
        table = (const struct dlpack_table *)header;
        if (!table || (!table->describe && !table->own) || (stream != Py_None && !table->current_stream))
            Py_RETURN_FALSE;
    }
    if (reading == BY_FIELDS) {
        if (!PyArg_ParseTuple(capsule, "nnnnnnO!", &fields->shape, &fields->strides, &fields->dtype,
                              &fields->data, &fields->pointer, &fields->device, &PyType_Type,
                              &fields->memory))
            return NULL;
    }
    one->reader = new_reader(reading_tensors);
    if (PyErr_Occurred()) return NULL;
    one->stream_in_c = NULL;
    if (PyCapsule_IsValid(stream, STREAM_CAPSULE))
        one->stream_in_c = (intptr_t (*)(void))(uintptr_t)PyCapsule_GetPointer(stream, STREAM_CAPSULE);
    Py_INCREF(type);
    Py_INCREF(stream);
    Py_INCREF(capsule); /* keeps the table */
    one->type = (PyTypeObject *)type;
    one->reading = (enum reading)reading;
    one->table = table;
    one->has_stream = stream != Py_None;
    one->place = place;
    one->is_negative = (unsigned char (*)(const void *))(uintptr_t)function;
    one->stream = stream;
    ++array_type_count;
    Py_RETURN_TRUE;
}
