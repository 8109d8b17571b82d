/* Compares the parts of a model with those of before, for each call of a fused model; see watch.h. */

#include "watch.h"

#include <stdint.h>
#include <string.h>

#include "dlpack.h"
#include "objects.h"

#define MAX_AXES 8

PyObject *cudnn_cffi_is_same(PyObject *none, PyObject *all)
{
    ALONE;
    PyObject *dicts, *values, *objects, *types, *spaces, *name, *empty, *key, *value;
    Py_ssize_t i, place, at = 0, count;
    (void)none;
    if (!PyArg_ParseTuple(all, "O!O!O!O!O!UO!", &PyTuple_Type, &dicts, &PyTuple_Type, &values, &PyTuple_Type,
                          &objects, &PyTuple_Type, &types, &PyTuple_Type, &spaces, &name, &PyTuple_Type, &empty))
        return NULL;
    count = PyTuple_Size(values);
    for (i = 0; i < PyTuple_Size(dicts); ++i) {
        PyObject *dict = PyTuple_GetItem(dicts, i);
        HOLD(dict);
        for (place = 0; PyDict_Next(dict, &place, &key, &value); ++at)
            if (at >= count || PyTuple_GetItem(values, at) != value) Py_RETURN_FALSE;
    }
    if (at != count) Py_RETURN_FALSE;
    for (i = 0; i < PyTuple_Size(objects); ++i)
        if ((PyObject *)Py_TYPE(PyTuple_GetItem(objects, i)) != PyTuple_GetItem(types, i)) Py_RETURN_FALSE;
    for (i = 0; i < PyTuple_Size(empty); ++i)
        if (PyDict_Size(PyTuple_GetItem(empty, i))) Py_RETURN_FALSE;
    for (i = 0; i < PyTuple_Size(spaces); ++i) {
        int found = PyDict_Contains(PyTuple_GetItem(spaces, i), name);
        if (found < 0) return NULL;
        if (found) Py_RETURN_FALSE;
    }
    Py_RETURN_TRUE;
}

PyObject *cudnn_cffi_places(PyObject *none, PyObject *all)
{
    ALONE;
    PyObject *tensors, *capsule, *made;
    const struct dlpack_header *header;
    const struct dlpack_table *table;
    struct dlpack_array found;
    Py_ssize_t i, count, size = 0;
    int64_t *numbers;
    (void)none;
    if (!PyArg_ParseTuple(all, "O!O", &PyTuple_Type, &tensors, &capsule)) return NULL;
    header = PyCapsule_GetPointer(capsule, DLPACK_CAPSULE);
    if (!header) return NULL;
    while (header && header->major != 1) header = header->older;
    table = (const struct dlpack_table *)header;
    if (!table || !table->describe) Py_RETURN_NONE;
    count = PyTuple_Size(tensors);
    numbers = PyMem_Malloc((size_t)(count ? count : 1) * (2 * MAX_AXES + 2) * sizeof *numbers);
    if (!numbers) return PyErr_NoMemory();
    for (i = 0; i < count; ++i) {
        if (table->describe(PyTuple_GetItem(tensors, i), &found) || found.ndim > MAX_AXES
            || (found.ndim && !found.strides)) {
            PyErr_Clear();
            PyMem_Free(numbers);
            Py_RETURN_NONE;
        }
        numbers[size++] = (int64_t)((uintptr_t)found.data + found.offset);
        numbers[size++] = (int64_t)found.ndim | (int64_t)found.code << 32 | (int64_t)found.bits << 40;
        if (found.ndim) memcpy(numbers + size, found.strides, (size_t)found.ndim * sizeof *numbers);
        size += found.ndim;
        if (found.ndim) memcpy(numbers + size, found.shape, (size_t)found.ndim * sizeof *numbers);
        size += found.ndim;
    }
    made = PyBytes_FromStringAndSize((const char *)numbers, size * (Py_ssize_t)sizeof *numbers);
    PyMem_Free(numbers);
    return made;
}
