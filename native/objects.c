/* Shared by the types of the compiled layer; see objects.h. */

#include "objects.h"

/* Number of arguments of a call that need no memory of their own. */
#define FEW 64

#ifdef Py_GIL_DISABLED
PyMutex cudnn_cffi_mutex;
#endif

PyObject *cudnn_cffi_find_item(PyObject *dict, PyObject *key)
{
    PyObject *value;
#ifdef Py_GIL_DISABLED
    return PyDict_GetItemRef(dict, key, &value) > 0 ? value : NULL;
#else
    value = PyDict_GetItemWithError(dict, key);
    Py_XINCREF(value);
    return value;
#endif
}

PyObject *cudnn_cffi_pack(PyObject *const *objects, Py_ssize_t count)
{
    PyObject *values = PyTuple_New(count);
    Py_ssize_t i;
    for (i = 0; values && i < count; ++i) {
        Py_INCREF(objects[i]);
        PyTuple_SetItem(values, i, objects[i]);
    }
    return values;
}

int cudnn_cffi_collect(PyObject *const *given, Py_ssize_t count, PyObject *names, PyObject **values,
                       PyObject **named)
{
    Py_ssize_t i, many = names ? PyTuple_Size(names) : 0;
    *values = cudnn_cffi_pack(given, count);
    *named = *values ? PyDict_New() : NULL;
    for (i = 0; *named && i < many; ++i)
        if (PyDict_SetItem(*named, PyTuple_GetItem(names, i), given[count + i])) Py_CLEAR(*named);
    if (*named) return 0;
    Py_CLEAR(*values);
    return 1;
}

PyObject *cudnn_cffi_call(PyObject *function, PyObject *const *given, Py_ssize_t count, PyObject *names)
{
    PyObject *values, *named = NULL, *answer;
    if (!function) {
        PyErr_SetString(PyExc_RuntimeError, "the function was taken by the garbage collector");
        return NULL;
    }
    if (!names) values = cudnn_cffi_pack(given, count);
    else if (cudnn_cffi_collect(given, count, names, &values, &named)) return NULL;
    if (!values) return NULL;
    answer = PyObject_Call(function, values, named);
    Py_DECREF(values);
    Py_XDECREF(named);
    return answer;
}

HOT PyObject *cudnn_cffi_enter(entrance *enter, PyObject *me, PyObject *given, PyObject *named)
{
    PyObject *few[FEW], **values = few, *names = NULL, *answer = NULL, *key, *value;
    Py_ssize_t count = PyTuple_Size(given), many = named ? PyDict_Size(named) : 0, at = 0, i, j = 0;
    if (count + many > FEW && !(values = PyMem_Calloc((size_t)(count + many), sizeof *values)))
        return PyErr_NoMemory();
    for (i = 0; i < count; ++i) values[i] = PyTuple_GetItem(given, i);
    if (!many || (names = PyTuple_New(many))) {
        for (; j < many && PyDict_Next(named, &at, &key, &value); ++j) {
            if (!PyUnicode_Check(key)) break;
            Py_INCREF(key);
            Py_INCREF(value);
            PyTuple_SetItem(names, j, key);
            values[count + j] = value;
        }
        if (j == many) answer = enter(me, values, (size_t)count, names);
        else PyErr_SetString(PyExc_TypeError, "keywords must be strings");
    }
    while (j--) Py_DECREF(values[count + j]);
    if (values != few) PyMem_Free(values);
    Py_XDECREF(names);
    return answer;
}

PyObject *cudnn_cffi_bind_method(PyObject *me, PyObject *object, PyObject *type)
{
    static PyObject *method;
    (void)type;
    if (!object || object == Py_None) {
        Py_INCREF(me);
        return me;
    }
    if (!method) {
        PyObject *types = PyImport_ImportModule("types");
        method = types ? PyObject_GetAttrString(types, "MethodType") : NULL;
        Py_XDECREF(types);
        if (!method) return NULL;
    }
    return PyObject_CallFunctionObjArgs(method, me, object, NULL);
}

void cudnn_cffi_free(PyObject *me)
{
    PyTypeObject *type = Py_TYPE(me);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(me);
    Py_DECREF(type);
}

RARE int cudnn_cffi_clear_error(void)
{
    if (!PyErr_ExceptionMatches(PyExc_Exception)) return 1;
    PyErr_Clear();
    return 0;
}
