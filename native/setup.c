/* Sets up plans before their first call; see setup.h. */

#include "setup.h"

#include <string.h>

#include "handles.h"
#include "steps.h"

NEAR int indices[USED] = {0};
int numbers[NUMBERS];

void forget(struct plan *self)
{
    struct argument *arguments = self->arguments;
    struct step *step = self->step;
    int i, count = self->count, steps = self->steps;
    self->ready = 0;
    self->arguments = NULL;
    self->step = NULL;
    self->count = self->steps = self->parts = self->forks = 0;
    for (i = 0; arguments && i < count; ++i) {
        Py_XDECREF(arguments[i].name);
        Py_XDECREF(arguments[i].type_name);
        Py_XDECREF(arguments[i].dtype);
        Py_XDECREF(arguments[i].shape_seen);
        Py_XDECREF(arguments[i].strides_seen);
    }
    for (i = 0; i < steps; ++i) Py_XDECREF((PyObject *)step[i].part);
    PyMem_Free(arguments);
    PyMem_Free(step);
    PyMem_Free(self->apart);
    self->apart = NULL;
    self->aparts = 0;
}

static int read_integers(PyObject *tuple, int64_t *values, Py_ssize_t count)
{
    Py_ssize_t i;
    for (i = 0; i < count; ++i) values[i] = PyLong_AsLongLong(PyTuple_GetItem(tuple, i));
    return PyErr_Occurred() != NULL;
}

/* Reads the steps. Returns 0, or 1 where one cannot be run here, or -1 with an exception; so do the next ones. */
static int read_steps(struct plan *self, PyObject *steps, Py_ssize_t count)
{
    Py_ssize_t i;
    int bad;
    self->step = PyMem_Calloc((size_t)PyTuple_Size(steps) + 1, sizeof *self->step);
    if (!self->step) return PyErr_NoMemory(), -1;
    self->steps = (int)PyTuple_Size(steps);
    for (i = 0; i < self->steps; ++i) {
        if ((bad = read_step(&self->step[i], PyTuple_GetItem(steps, i), count))) return bad;
        self->parts += self->step[i].kind == EXECUTION;
        self->forks += self->step[i].kind == FORK;
    }
    /* Both branches are whole calls then. */
    return self->forks
           && (self->forks > 1 || self->step[0].kind != FORK || self->step[self->steps - 1].kind != JOIN);
}

/* Reads the contents of a pack, and makes room for packs. */
static int read_sources(struct plan *self, PyObject *packed, Py_ssize_t count)
{
    unsigned long long offset;
    long long uid;
    int source, i;
    self->packed = (int)PyTuple_Size(packed);
    self->pack_size = sizeof *self->packs + (size_t)self->packed * sizeof(uintptr_t);
    self->pack_size = (self->pack_size + LINE - 1) / LINE * LINE;
    PyMem_Free(self->packs); /* of an attempt that was refused */
    self->packs = PyMem_Calloc(MAX_PACKS, self->pack_size);
    if (!self->packs) return PyErr_NoMemory(), -1;
    for (i = 0; i < self->packed; ++i) {
        if (!PyArg_ParseTuple(PyTuple_GetItem(packed, i), "LiK", &uid, &source, &offset)) return -1;
        if (source < FROM_NOTHING || source >= count) return 1;
        self->uids[i] = uid;
        self->sources[i].source = source;
        self->sources[i].offset = (uintptr_t)offset;
    }
    return 0;
}

static int read_argument(struct argument *one, PyObject *none, PyObject *all)
{
    static char *names[] = {"name", "type_name", "dtype", "shape", "strides", "code", "bits", "size",
                            "is_output", "is_written", "alignment", "span", NULL};
    PyObject *name, *type_name, *dtype, *shape, *strides;
    unsigned long long alignment, span;
    if (!PyArg_ParseTupleAndKeywords(none, all, "UUOO!O!iiippKK", names, &name, &type_name, &dtype,
                                     &PyTuple_Type, &shape, &PyTuple_Type, &strides, &one->code, &one->bits,
                                     &one->size, &one->is_output, &one->is_written, &alignment, &span))
        return -1;
    one->axes = (int)PyTuple_Size(shape);
    if (one->axes > MAX_AXES || PyTuple_Size(strides) != one->axes) return 1;
    if (read_integers(shape, SHAPE(one), one->axes) || read_integers(strides, STRIDES(one), one->axes))
        return -1;
    one->mask = (uintptr_t)alignment - 1;
    one->span = (uintptr_t)span;
    Py_INCREF(one->name = name);
    Py_INCREF(one->type_name = type_name);
    Py_INCREF(one->dtype = dtype);
    PyUnicode_InternInPlace(&one->name);
    PyUnicode_InternInPlace(&one->type_name);
    return 0;
}

static int read_arguments(struct plan *self, PyObject *arguments)
{
    PyObject *none = PyTuple_New(0);
    Py_ssize_t i;
    int bad = none ? 0 : -1;
    for (i = 0; i < PyTuple_Size(arguments) && !bad; ++i) {
        if ((bad = read_argument(&self->arguments[i], none, PyTuple_GetItem(arguments, i)))) break;
        self->count = (int)i + 1;
        if (!self->arguments[i].is_output) self->inputs = (int)i + 1;
    }
    Py_XDECREF(none);
    return bad;
}

PyObject *plan_arm(PyObject *me, PyObject *none, PyObject *all)
{
    ALONE;
    static char *names[] = {"descriptor", "device", "workspace_size", "packed", "arguments", "steps", "turn",
                            "replays", NULL};
    struct plan *self = (struct plan *)me;
    PyObject *descriptor, *packed, *arguments, *steps, *turn;
    unsigned long long size;
    Py_ssize_t count, device;
    int bad;
    if (self->arguments) {
        PyErr_SetString(PyExc_RuntimeError, "the plan is set up already");
        return NULL;
    }
    if (!PyArg_ParseTupleAndKeywords(none, all, "OnKO!O!O!Op", names, &descriptor, &device, &size, &PyTuple_Type,
                                     &packed, &PyTuple_Type, &arguments, &PyTuple_Type, &steps, &turn,
                                     &self->replays))
        return NULL;
    count = PyTuple_Size(arguments);
    if (count > MAX_ARGUMENTS || PyTuple_Size(packed) > MAX_PACKED || PyTuple_Size(steps) > MAX_STEPS
        || (turn != Py_None && Py_TYPE(turn) != turn_type))
        Py_RETURN_FALSE;
    self->workspace_size = size;
    self->device = (uintptr_t)device;
    self->arguments = PyMem_Calloc((size_t)count + 1, sizeof *self->arguments);
    if (!self->arguments) return PyErr_NoMemory();
    if ((bad = read_steps(self, steps, count)) || (bad = read_sources(self, packed, count))
        || (bad = read_arguments(self, arguments))) {
        forget(self);
        if (bad < 0) return NULL;
        Py_RETURN_FALSE;
    }
    if (descriptor != Py_None) Py_INCREF(self->descriptor = descriptor);
    if (turn != Py_None) {
        Py_INCREF(turn);
        self->turn = (struct turn *)turn;
    }
    self->enter = plan_enter;
    self->ready = 1;
    Py_RETURN_TRUE;
}

PyObject *plan_keep_apart(PyObject *me, PyObject *all)
{
    ALONE;
    struct plan *self = (struct plan *)me;
    Py_ssize_t i, count;
    struct apart *apart;
    if (!PyTuple_CheckExact(all)) {
        PyErr_SetString(PyExc_TypeError, "a tuple was expected");
        return NULL;
    }
    count = PyTuple_Size(all);
    apart = PyMem_Calloc((size_t)count + 1, sizeof *apart);
    if (!apart) return PyErr_NoMemory();
    for (i = 0; i < count; ++i) {
        unsigned long long size, other, fine[2];
        if (!PyArg_ParseTuple(PyTuple_GetItem(all, i), "iiKKKK", &apart[i].one, &apart[i].other, &size,
                              &other, &fine[0], &fine[1]))
            goto failed;
        if (apart[i].one < 0 || apart[i].one >= self->count || apart[i].other < 0
            || apart[i].other >= self->count) {
            PyErr_SetString(PyExc_ValueError, "there is no such argument");
            goto failed;
        }
        apart[i].size = (uintptr_t)size;
        apart[i].other_size = (uintptr_t)other;
        apart[i].fine[0] = (uintptr_t)fine[0];
        apart[i].fine[1] = (uintptr_t)fine[1];
    }
    PyMem_Free(self->apart);
    self->apart = apart;
    self->aparts = count;
    Py_RETURN_NONE;
failed:
    PyMem_Free(apart);
    return NULL;
}

PyObject *plan_set_dtypes(PyObject *me, PyObject *dtypes)
{
    ALONE;
    struct plan *self = (struct plan *)me;
    int i;
    if (!PyTuple_CheckExact(dtypes) || PyTuple_Size(dtypes) != self->count) {
        PyErr_SetString(PyExc_TypeError, "a tuple was expected, with a dtype for each argument");
        return NULL;
    }
    for (i = 0; i < self->count; ++i) {
        PyObject *before = self->arguments[i].dtype;
        Py_INCREF(self->arguments[i].dtype = PyTuple_GetItem(dtypes, i));
        Py_XDECREF(before);
    }
    Py_RETURN_NONE;
}

PyObject *plan_teach(PyObject *me, PyObject *all)
{
    ALONE;
    struct plan *self = (struct plan *)me;
    PyObject *type, *makers;
    int device;
    if (!PyArg_ParseTuple(all, "O!iO!", &PyType_Type, &type, &device, &PyTuple_Type, &makers))
        return NULL;
    if (!self->makers || self->makers_device != device) {
        PyObject *fresh = PyDict_New(), *old = self->makers;
        if (!fresh) return NULL;
        self->makers = fresh;
        self->makers_device = device;
        Py_XDECREF(old);
    }
    if (PyDict_SetItem(self->makers, type, makers)) return NULL;
    Py_RETURN_NONE;
}

PyObject *set_up(PyObject *type, PyObject *none, PyObject *all)
{
    ALONE;
    static char *names[] = {"members", "functions", "numbers", "handle", "stream", "current_context", "is_capturing",
                            "allocate", "free", "exchange_mode", "set_bytes", "set_halves", "set_words",
                            "wait_for_event", "record_event", "copy_memory", "launch_kernel", "several_devices",
                            NULL};
    PyObject *members, *used, *values, *handle, *stream;
    unsigned long long context, capturing, allocating, freeing, exchanging, setting[3], waiting;
    unsigned long long recording, copying, launching;
    Py_ssize_t i;
    (void)type;
    if (!PyArg_ParseTupleAndKeywords(none, all, "O!O!O!O!O!KKKKKKKKKKKKp", names, &PyTuple_Type, &members,
                                     &PyTuple_Type, &used, &PyTuple_Type, &values, &PyType_Type, &handle,
                                     &PyType_Type, &stream, &context, &capturing, &allocating, &freeing,
                                     &exchanging, &setting[0], &setting[1], &setting[2], &waiting, &recording,
                                     &copying, &launching, &several_devices))
        return NULL;
    if (PyTuple_Size(members) != PLACES || PyTuple_Size(used) != USED
        || PyTuple_Size(values) != NUMBERS) {
        PyErr_SetString(PyExc_ValueError, "the numbers do not fit this compiled layer");
        return NULL;
    }
    for (i = 0; i < USED; ++i) {
        indices[i] = (int)PyLong_AsLong(PyTuple_GetItem(used, i));
        if (indices[i] < 0 || indices[i] >= function_count) {
            if (!PyErr_Occurred()) PyErr_SetString(PyExc_LookupError, "no such function");
            return NULL;
        }
    }
    for (i = 0; i < NUMBERS; ++i) numbers[i] = (int)PyLong_AsLong(PyTuple_GetItem(values, i));
    if (PyErr_Occurred()) return NULL;
    for (i = 0; i < PLACES; ++i) {
        PyObject *old = slots[i].member, *one;
        Py_ssize_t offset;
        if (!PyArg_ParseTuple(PyTuple_GetItem(members, i), "On", &one, &offset)) return NULL;
        if (one == old) continue;
        slots[i].getter = (descrgetfunc)PyType_GetSlot(Py_TYPE(one), Py_tp_descr_get);
        if (!slots[i].getter) {
            PyErr_SetString(PyExc_TypeError, "a slot was expected");
            return NULL;
        }
        slots[i].offset = offset;
        Py_CLEAR(slots[i].type);
        Py_INCREF(slots[i].member = one);
        Py_XDECREF(old);
    }
    install_hooks();
    Py_INCREF(handle);
    Py_INCREF(stream);
    handle_type = (PyTypeObject *)handle;
    stream_type = (PyTypeObject *)stream;
    current_context = (int (*)(void **))(uintptr_t)context;
    is_capturing = (int (*)(void *, int *))(uintptr_t)capturing;
    allocate_in = (int (*)(uintptr_t *, size_t, void *))(uintptr_t)allocating;
    free_in = (int (*)(uintptr_t, void *))(uintptr_t)freeing;
    exchange_mode = (int (*)(int *))(uintptr_t)exchanging;
    set_bytes = (int (*)(uintptr_t, unsigned char, size_t, void *))(uintptr_t)setting[0];
    set_halves = (int (*)(uintptr_t, unsigned short, size_t, void *))(uintptr_t)setting[1];
    set_words = (int (*)(uintptr_t, unsigned int, size_t, void *))(uintptr_t)setting[2];
    wait_for_event = (int (*)(void *, uintptr_t, unsigned int))(uintptr_t)waiting;
    record_event = (int (*)(uintptr_t, void *))(uintptr_t)recording;
    copy_memory = (int (*)(const struct copy *, void *))(uintptr_t)copying;
    launch_kernel = (int (*)(const struct launch_config *, uintptr_t, void **, void **))(uintptr_t)launching;
    n_data = PyUnicode_InternFromString("data");
    n_ptr = PyUnicode_InternFromString("ptr");
    n_device_id = PyUnicode_InternFromString("device_id");
    n_shape = PyUnicode_InternFromString("shape");
    n_strides = PyUnicode_InternFromString("strides");
    n_dtype = PyUnicode_InternFromString("dtype");
    n_blocks = PyUnicode_InternFromString("_blocks");
    n_handle = PyUnicode_InternFromString("handle");
    n_stream = PyUnicode_InternFromString("stream");
    n_workspace = PyUnicode_InternFromString("workspace");
    n_is_neg = PyUnicode_InternFromString("is_neg");
    n_is_conj = PyUnicode_InternFromString("is_conj");
    n_readonly = PyUnicode_InternFromString("readonly");
    if (PyErr_Occurred()) return NULL;
    Py_RETURN_NONE;
}
