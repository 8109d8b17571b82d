/* Locks of plans, and turns; see locks.h. */

#include "locks.h"

#include <stddef.h>
#include <structmember.h>

#include "driver.h"

PyTypeObject *turn_type;

struct lock *locks;

int make_lock(struct lock *self)
{
    self->wait = PyThread_allocate_lock();
    if (!self->wait) return 1;
    PyThread_acquire_lock(self->wait, WAIT_LOCK);
    if (locks) locks->before = self;
    self->behind = locks;
    locks = self;
    return 0;
}

void free_lock(struct lock *self)
{
    if (!self->wait) return;
    if (self->before) self->before->behind = self->behind;
    else locks = self->behind;
    if (self->behind) self->behind->before = self->before;
    PyThread_release_lock(self->wait); /* nobody waits for it */
    PyThread_free_lock(self->wait);
}

int renew_lock(struct lock *self)
{
    PyThread_type_lock wait;
    if (!self->threads) return 0;
    wait = PyThread_allocate_lock(); /* the old one may be in any state */
    if (!wait) return 1;
    PyThread_acquire_lock(wait, WAIT_LOCK);
    self->wait = wait;
    if (self->owner != PyThread_get_thread_ident()) self->owner = 0;
    self->threads = self->owner != 0;
    return 0;
}

PyObject *acquire_of_python(struct lock *self)
{
    PyThreadState *thread = PyEval_SaveThread();
    acquire(self);
    PyEval_RestoreThread(thread);
    Py_RETURN_NONE;
}

PyObject *release_of_python(struct lock *self)
{
    if (LOAD(&self->owner) != PyThread_get_thread_ident()) {
        PyErr_SetString(PyExc_RuntimeError, "this thread does not have the lock");
        return NULL;
    }
    release(self);
    Py_RETURN_NONE;
}

int begin_turn(struct turn *turn, void *stream)
{
    void *current = NULL;
    if (!turn->ready || !turn->event || !record_event || !wait_for_event || !current_context
        || current_context(&current) || (uintptr_t)current != turn->context)
        return 1;
    return turn->stream != (uintptr_t)stream
           && wait_for_event(stream, (uintptr_t)turn->event, 0);
}

PyObject *new_turn(PyObject *none, PyObject *nothing)
{
    (void)none, (void)nothing;
    return PyObject_CallNoArgs((PyObject *)turn_type);
}

static PyObject *turn_new(PyTypeObject *type, PyObject *given, PyObject *named)
{
    ALONE;
    struct turn *self = (struct turn *)PyType_GenericAlloc(type, 0);
    (void)given, (void)named;
    if (self && make_lock(&self->lock)) {
        Py_DECREF((PyObject *)self);
        return PyErr_NoMemory();
    }
    return (PyObject *)self;
}

static void turn_free(PyObject *me)
{
    ALONE;
    free_lock(&((struct turn *)me)->lock);
    cudnn_cffi_free(me);
}

static PyObject *turn_enter(PyObject *me, PyObject *none)
{
    ALONE;
    (void)none;
    return acquire_of_python(&((struct turn *)me)->lock);
}

static PyObject *turn_exit(PyObject *me, PyObject *raised)
{
    ALONE;
    (void)raised;
    return release_of_python(&((struct turn *)me)->lock);
}

static PyMethodDef turn_methods[] = {
    {"__enter__", turn_enter, METH_NOARGS, NULL},
    {"__exit__", turn_exit, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef turn_members[] = {
    {"event", T_ULONGLONG, offsetof(struct turn, event), 0, NULL},
    {"stream", T_ULONGLONG, offsetof(struct turn, stream), 0, NULL},
    {"context", T_ULONGLONG, offsetof(struct turn, context), 0, NULL},
    {"ready", T_INT, offsetof(struct turn, ready), 0, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot turn_slots[] = {
    {Py_tp_new, turn_new},
    {Py_tp_dealloc, turn_free},
    {Py_tp_methods, turn_methods},
    {Py_tp_members, turn_members},
    {0, NULL},
};

static PyType_Spec turn_spec = {
    "cudnn_cffi.Turn", sizeof(struct turn), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, turn_slots,
};

void make_turn_type(void)
{
    if (!turn_type) turn_type = (PyTypeObject *)PyType_FromSpec(&turn_spec);
}
