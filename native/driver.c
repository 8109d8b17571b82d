/* Functions of CUDA's driver; see driver.h. */

#include "driver.h"

#include "objects.h"

NEAR int (*current_context)(void **) = NULL;
NEAR int (*is_capturing)(void *, int *) = NULL;
int (*allocate_in)(uintptr_t *, size_t, void *);
int (*free_in)(uintptr_t, void *);
int (*exchange_mode)(int *);
int (*set_bytes)(uintptr_t, unsigned char, size_t, void *);
int (*set_halves)(uintptr_t, unsigned short, size_t, void *);
int (*set_words)(uintptr_t, unsigned int, size_t, void *);
int (*copy_memory)(const struct copy *, void *);
int (*launch_kernel)(const struct launch_config *, uintptr_t, void **, void **);
int (*wait_for_event)(void *, uintptr_t, unsigned int);
int (*record_event)(uintptr_t, void *);
NEAR int several_devices = 0;

int is_current(unsigned long long context)
{
    void *current = NULL;
    return !current_context || (!current_context(&current) && current == (void *)(uintptr_t)context);
}

PyObject *allocate(PyObject *none, PyObject *all)
{
    unsigned long long size, stream, context;
    uintptr_t address = 0;
    (void)none;
    if (!PyArg_ParseTuple(all, "KKK", &size, &stream, &context)) return NULL;
    if (allocate_in && is_current(context)) {
        int mode = RELAXED;
        if (exchange_mode) exchange_mode(&mode);
        if (allocate_in(&address, (size_t)size, (void *)(uintptr_t)stream)) address = 0;
        if (exchange_mode) exchange_mode(&mode);
    }
    return PyLong_FromSize_t(address);
}

PyObject *free_memory(PyObject *none, PyObject *all)
{
    unsigned long long address, stream, context;
    int mode = RELAXED, capturing = 0, status = 0;
    (void)none;
    if (!PyArg_ParseTuple(all, "KKK", &address, &stream, &context)) return NULL;
    if (!free_in || !is_current(context)) Py_RETURN_FALSE;
    if (is_capturing) status = is_capturing((void *)(uintptr_t)stream, &capturing);
    if (status ? status == IMPLICIT : capturing) Py_RETURN_FALSE;
    if (exchange_mode) exchange_mode(&mode);
    free_in((uintptr_t)address, (void *)(uintptr_t)stream);
    if (exchange_mode) exchange_mode(&mode);
    Py_RETURN_TRUE;
}
