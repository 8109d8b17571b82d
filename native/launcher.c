/* Executes a plan on a mapping of keys to arrays or addresses.

   It remembers the keys of the last call, whose addresses they are, and what their arrays were, which Python has
   compared with the operands; and the object that was passed as the handle, and which handle that is. If a call
   has anything else, or an array is of an unknown type or not aligned, a Python function gets the call, and
   teaches it to the launcher. */

#include <Python.h>
#include <structmember.h>

#include "objects.h"
#include "plan.h"

#define MAX_KEYS 48

/* A call that a launcher has learnt. A call that reads it holds it, since asking an array, or the end of a key,
   can run any code, which may teach the launcher another call. */
struct learnt {
    int holders, keys;
    PyObject *given, *handle; /* what was passed as the handle, and the handle that it stands for */
    unsigned long thread;     /* the only one whose handle that is; 0 where any may use it */
    struct {
        PyObject *key;
        int place;      /* the operand; -1 for none */
        uint64_t print; /* what the array was; see `cudnn_cffi_address` */
    } at[];
};

struct launcher {
    PyObject_HEAD
    entrance *enter;
    PyObject *plan, *slow;
    struct learnt *learnt;
    int count, reads_host;
    struct operand operands[MAX_ARGUMENTS];
};

static PyObject *n_workspace, *n_handle;

static inline int same_key(PyObject *one, PyObject *other)
{
    if (one == other) return 1;
    if (!PyLong_CheckExact(one) || !PyLong_CheckExact(other)) return 0;
    return PyObject_RichCompareBool(one, other, Py_EQ) == 1;
}

/* Has one holder less; the last one ends it. */
static void let_go(struct learnt *self)
{
    int i;
    if (!self || --self->holders) return;
    for (i = 0; i < self->keys; ++i) Py_XDECREF(self->at[i].key);
    Py_XDECREF(self->given);
    Py_XDECREF(self->handle);
    PyMem_Free(self);
}

/* Puts the addresses of a pack in the order of operands; returns whether it is not the one that was learnt. */
static int find(struct launcher *self, const struct learnt *learnt, PyObject *pack, uintptr_t *found)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    int i;
    HOLD(pack);
    for (i = 0; i < self->count; ++i) found[i] = self->operands[i].fixed;
    for (i = 0; PyDict_Next(pack, &at, &key, &value); ++i) {
        const struct operand *operand;
        uint64_t print;
        int place, bad;
        if (i >= learnt->keys || !same_key(key, learnt->at[i].key)) return 1;
        if ((place = learnt->at[i].place) < 0) continue;
        Py_INCREF(value); /* asking an array can run any code, which may change the mapping */
        operand = &self->operands[place];
        bad = cudnn_cffi_address(value, operand, &found[place], &print);
        Py_DECREF(value);
        if (bad || (found[place] & operand->mask) || print != learnt->at[i].print) return 1;
    }
    return i != learnt->keys;
}

/* Returns what `cudnn_cffi_execute` does. */
static int launch(struct launcher *self, PyObject *pack, PyObject *workspace, PyObject *given)
{
    uintptr_t found[MAX_ARGUMENTS];
    struct learnt *learnt = self->learnt;
    int outcome;
    if (!learnt || given != learnt->given || !PyDict_CheckExact(pack) || PyDict_Size(pack) != learnt->keys
        || (learnt->thread && learnt->thread != PyThread_get_thread_ident()))
        return 1;
    ++learnt->holders;
    outcome = find(self, learnt, pack, found)
                  ? 1 : cudnn_cffi_execute(self->plan, learnt->handle, found, workspace, self->reads_host);
    let_go(learnt);
    return outcome;
}

/* A call (pack, workspace, handle), the last two by place or by name. */
static PyObject *enter(PyObject *me, PyObject *const *given, size_t flagged, PyObject *names)
{
    ALONE;
    struct launcher *self = (struct launcher *)me;
    Py_ssize_t i, count = COUNT(flagged), many = names ? PyTuple_Size(names) : 0;
    PyObject *workspace = count > 1 ? given[1] : NULL, *handle = count > 2 ? given[2] : NULL;
    int plain = count >= 1 && count <= 3, outcome;
    for (i = 0; plain && i < many; ++i) {
        PyObject *name = PyTuple_GetItem(names, i);
        if (name == n_handle && !handle)
            handle = given[count + i];
        else if (name == n_workspace && !workspace)
            workspace = given[count + i];
        else
            plain = 0;
    }
    if (plain) {
        outcome = launch(self, given[0], workspace == Py_None ? NULL : workspace,
                         handle ? handle : Py_None);
        if (outcome < 0) return NULL;
        if (!outcome) Py_RETURN_NONE;
        if (cudnn_cffi_failed()) return NULL;
    }
    return cudnn_cffi_call(self->slow, given, count, names);
}

static PyObject *call(PyObject *me, PyObject *given, PyObject *named)
{
    return cudnn_cffi_enter(enter, me, given, named);
}

/* Has the launcher know another call, or none. */
static void swap(struct launcher *self, struct learnt *other)
{
    struct learnt *old = self->learnt;
    self->learnt = other;
    let_go(old);
}

/* Remembers a call: (the handle argument, the handle that it stands for, keys, the operand of each key or -1, the array
   of each key, whether the handle is this thread's alone). */
static PyObject *learn(PyObject *me, PyObject *all)
{
    ALONE;
    struct launcher *self = (struct launcher *)me;
    struct learnt *made;
    PyObject *given, *handle, *keys, *places, *values;
    Py_ssize_t count, i;
    uintptr_t address;
    int own;
    if (!PyArg_ParseTuple(all, "OOO!O!O!p", &given, &handle, &PyTuple_Type, &keys, &PyTuple_Type,
                          &places, &PyTuple_Type, &values, &own))
        return NULL;
    count = PyTuple_Size(keys);
    if (count > MAX_KEYS || PyTuple_Size(places) != count || PyTuple_Size(values) != count) {
        swap(self, NULL);
        Py_RETURN_NONE;
    }
    made = PyMem_Calloc(1, sizeof *made + (size_t)count * sizeof *made->at);
    if (!made) return PyErr_NoMemory();
    made->holders = 1;
    made->thread = own ? PyThread_get_thread_ident() : 0;
    Py_INCREF(made->given = given);
    Py_INCREF(made->handle = handle);
    for (i = 0; i < count; ++i) {
        long place = PyLong_AsLong(PyTuple_GetItem(places, i));
        if (!PyErr_Occurred() && (place < -1 || place >= self->count))
            PyErr_SetString(PyExc_ValueError, "there is no such operand");
        if (PyErr_Occurred()) {
            let_go(made);
            return NULL;
        }
        made->at[i].place = (int)place;
        if (place >= 0)
            cudnn_cffi_address(PyTuple_GetItem(values, i), &self->operands[place], &address, &made->at[i].print);
        Py_INCREF(made->at[i].key = PyTuple_GetItem(keys, i));
        made->keys = (int)i + 1;
    }
    swap(self, made);
    Py_RETURN_NONE;
}

static int traverse(PyObject *me, visitproc visit, void *arg)
{
    struct launcher *self = (struct launcher *)me;
    const struct learnt *learnt = self->learnt;
    int i;
    Py_VISIT(Py_TYPE(me));
    Py_VISIT(self->plan);
    Py_VISIT(self->slow);
    if (!learnt) return 0;
    Py_VISIT(learnt->given);
    Py_VISIT(learnt->handle);
    for (i = 0; i < learnt->keys; ++i) Py_VISIT(learnt->at[i].key);
    return 0;
}

static int clear(PyObject *me)
{
    struct launcher *self = (struct launcher *)me;
    swap(self, NULL);
    Py_CLEAR(self->plan);
    Py_CLEAR(self->slow);
    return 0;
}

static void end(PyObject *me)
{
    ALONE;
    PyObject_GC_UnTrack(me);
    clear(me);
    cudnn_cffi_free(me);
}

static PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(struct launcher, enter), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyMethodDef methods[] = {
    {"_learn", learn, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_call, call},     {Py_tp_traverse, traverse}, {Py_tp_clear, clear}, {Py_tp_dealloc, end},
    {Py_tp_members, members}, {Py_tp_methods, methods},  {0, NULL},
};

static PyType_Spec spec = {
    "cudnn_cffi.Launcher",
    sizeof(struct launcher),
    0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE
        | Py_TPFLAGS_DISALLOW_INSTANTIATION | VECTORCALL_FLAG,
    slots,
};

/* (The function for calls that are not plain, a tuple for each operand: (bits of the address that have to be 0, the
   address if it is always the same, or 0, whether it is on the host, whether it is written, whether it is ragged)). */
PyObject *cudnn_cffi_new_launcher(PyObject *plan, PyObject *all)
{
    ALONE;
    static PyTypeObject *type;
    struct launcher *self;
    PyObject *slow, *operands;
    Py_ssize_t i;
    if (!type) {
        n_workspace = PyUnicode_InternFromString("workspace");
        n_handle = PyUnicode_InternFromString("handle");
        type = (PyTypeObject *)PyType_FromSpec(&spec);
        if (!type || !n_workspace || !n_handle) return NULL;
    }
    if (!PyArg_ParseTuple(all, "OO!", &slow, &PyTuple_Type, &operands)) return NULL;
    if (!cudnn_cffi_runs(plan, (int)PyTuple_Size(operands))) {
        PyErr_SetString(PyExc_ValueError, "the compiled layer does not run the plan with this number of operands");
        return NULL;
    }
    self = (struct launcher *)PyType_GenericAlloc(type, 0);
    if (!self) return NULL;
    self->count = (int)PyTuple_Size(operands);
    for (i = 0; i < self->count; ++i) {
        unsigned long long mask, fixed;
        struct operand *one = &self->operands[i];
        if (!PyArg_ParseTuple(PyTuple_GetItem(operands, i), "KKppp", &mask, &fixed, &one->on_host, &one->is_written,
                              &one->is_ragged)) {
            Py_DECREF(self);
            return NULL;
        }
        one->mask = (uintptr_t)mask;
        one->fixed = (uintptr_t)fixed;
        self->reads_host |= one->on_host;
    }
    Py_INCREF(self->plan = plan);
    Py_INCREF(self->slow = slow);
    self->enter = enter;
    return (PyObject *)self;
}
