/* Compares the objects that a model consists of with those of before. */

#ifndef CUDNN_CFFI_WATCH_H
#define CUDNN_CFFI_WATCH_H

#include <Python.h>

/* (dicts, values, objects, types, spaces, name, empty), all tuples but for `name`: whether the dicts have these
   values, in their order, and no others; the objects these types; no dict of `spaces` has `name`; and no dict of
   `empty` has anything. */
PyObject *cudnn_cffi_is_same(PyObject *none, PyObject *all);

/* (tensors, capsule with DLPack's table of their type): the addresses, types, strides and shapes of tensors, as
   bytes; None where one cannot be described. */
PyObject *cudnn_cffi_places(PyObject *none, PyObject *all);

#endif
