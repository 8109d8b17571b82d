/* Calls that are launched again as CUDA graphs; see replay.h. */

#include "objects.h"
#include "replay.h"

#include <stdlib.h>
#include <string.h>

/* The driver's numbers. */
#define NON_BLOCKING 1
#define RELAXED 2
#define ON_DEVICE 2
#define GONE (-1) /* no error of the driver's */
enum node { KERNEL, COPY, MEMORY, EMPTY = 5 };

/* The maximum number of a graph's nodes. */
#define MAX_NODES 2048

struct replay {
    void *executable;            /* NULL once it had to make room */
    long claims;                 /* by what launches it, and by what makes room */
    unsigned long used;          /* what `wishes` was when it was launched last */
    struct replay *before, *behind;
    int process;                 /* what `process` was when it was captured */
};

NEAR int cudnn_cffi_replay_after = 0;

/* The number of executables, their maximum number, and the first of them all. The owner of `lock`
   may change or look through the list, and waits for nothing else. */
static long alive, most;
static struct replay *first;
static PyThread_type_lock lock;

/* The number of requests for one more than the maximum; and the request before which none is so old
   that it makes room. */
NEAR static unsigned long wishes = 0;
static unsigned long vain_until;

/* Where Python's own library is, and parts of paths of other code whose threads wait, but not for a device. */
static PyObject *library, *waiters;

/* Number of forks before this process; graphs with another number are the parent's. */
NEAR static int process = 0;

/* The driver's functions, in the order in which their addresses come. */
static struct {
    int (*create_stream)(void **, unsigned int);
    int (*destroy_stream)(void *);
    int (*begin_capture)(void *, int);
    int (*end_capture)(void *, void **);
    int (*exchange_mode)(int *);
    int (*instantiate)(void **, void *, unsigned long long);
    int (*destroy_graph)(void *);
    int (*launch)(void *, void *);
    int (*destroy)(void *);
    int (*get_nodes)(void *, void **, size_t *);
    int (*get_type)(void *, int *);
    int (*get_copy)(void *, void *);
} driver;

/* The fields that are read of the driver's description of a copy, and room for the rest. */
struct copy {
    size_t from[4];
    int from_kind;
    void *from_places[4];
    size_t from_size[2], to[4];
    int to_kind;
    char rest[256];
};

/* Whether all nodes of a graph do the same each time. A copy from the host need not. */
static int is_pure(void *graph)
{
    void *nodes[MAX_NODES];
    struct copy copy;
    size_t count = 0, i;
    int type;
    if (driver.get_nodes(graph, NULL, &count) || !count || count > MAX_NODES
        || driver.get_nodes(graph, nodes, &count))
        return 0;
    for (i = 0; i < count; ++i) {
        if (driver.get_type(nodes[i], &type)) return 0;
        if (type == COPY) {
            memset(&copy, 0, sizeof copy);
            if (driver.get_copy(nodes[i], &copy) || copy.from_kind != ON_DEVICE
                || copy.to_kind != ON_DEVICE)
                return 0;
        } else if (type != KERNEL && type != MEMORY && type != EMPTY) {
            return 0;
        }
    }
    return 1;
}

static void enlist(struct replay *self)
{
    PyThread_acquire_lock(lock, WAIT_LOCK);
    self->process = process;
    self->used = LOAD(&wishes);
    self->behind = first;
    if (first) first->before = self;
    first = self;
    PyThread_release_lock(lock);
    ADD(&alive, 1);
}

/* Takes a graph out of the list; returns its executable, or NULL where that was done, or was the parent's. The
   caller has the lock. */
static void *take_out(struct replay *self)
{
    void *executable = self->executable;
    if (!executable || self->process != process) return NULL;
    if (self->before) self->before->behind = self->behind;
    else first = self->behind;
    if (self->behind) self->behind->before = self->before;
    self->executable = NULL;
    ADD(&alive, -1);
    return executable;
}

static void destroy(void *executable)
{
    int mode = RELAXED; /* memory may be freed while something else is captured */
    if (!executable) return;
    driver.exchange_mode(&mode);
    driver.destroy(executable);
    driver.exchange_mode(&mode);
}

/* Whether a file is of Python's library or of other code that does not wait for a device. */
static int is_harmless(PyObject *file)
{
    PyObject *more = PyUnicode_FromString("-packages"); /* of site or dist, which may be below the library */
    Py_ssize_t i, count = PyTuple_Size(waiters);
    int harmless = more && PyUnicode_Tailmatch(file, library, 0, PY_SSIZE_T_MAX, -1) == 1
        && PyUnicode_Contains(file, more) == 0;
    Py_XDECREF(more);
    for (i = 0; i < count && !harmless; ++i)
        harmless = PyUnicode_Contains(file, PyTuple_GetItem(waiters, i)) == 1;
    return harmless;
}

/* Returns 1 if a thread whose innermost function this is waits for a lock, a queue or a socket, or for threads of
   PyTorch's autograd (it may be one of them). Functions that call their arguments may wait for a device. */
static int waits_elsewhere(PyFrameObject *frame)
{
#ifdef Py_GIL_DISABLED
    (void)frame, (void)is_harmless;
    return 0; /* it may go on at any time */
#else
    static const char *const callers[] = {"run", "_run", "worker"};
    PyObject *code = (PyObject *)PyFrame_GetCode(frame), *file, *name;
    size_t i;
    int waits;
    file = PyObject_GetAttrString(code, "co_filename");
    name = PyObject_GetAttrString(code, "co_name");
    waits = file && name && is_harmless(file);
    for (i = 0; i < sizeof callers / sizeof *callers && waits; ++i)
        waits = PyUnicode_CompareWithASCIIString(name, callers[i]) != 0;
    if (name && !PyUnicode_CompareWithASCIIString(name, "_engine_run_backward")) waits = 1;
    Py_XDECREF(name);
    Py_XDECREF(file);
    Py_DECREF(code);
    return waits;
#endif
}

/* Whether no other thread of Python's can be in CUDA, nor get there while this one has Python's lock. One that
   has given the lock back to wait for the device, and is not in the driver yet, would be refused there if a
   capture began now. No code of Python's runs here: another thread could have the lock meanwhile. */
static int is_alone(void)
{
    unsigned long me = PyThread_get_thread_ident();
    PyObject *list = PySys_GetObject("_current_frames"), *frames, *key, *frame;
    Py_ssize_t place = 0;
    int collects = PyGC_Disable(), alone = 0;
    frames = list && library ? PyObject_CallNoArgs(list) : NULL;
    if (frames && PyDict_Check(frames)) {
        alone = 1;
        while (alone && PyDict_Next(frames, &place, &key, &frame))
            alone = PyLong_AsUnsignedLong(key) == me || waits_elsewhere((PyFrameObject *)frame);
    }
    Py_XDECREF(frames);
    PyErr_Clear();
    if (collects) PyGC_Enable();
    return alone;
}

struct replay *cudnn_cffi_record(const struct to_replay *all, int *later)
{
    struct replay *self = calloc(1, sizeof *self);
    void *stream = NULL, *graph = NULL;
    int mode = RELAXED, bad, has_stream;
    *later = 0;
    if (!self) return NULL;
    driver.exchange_mode(&mode);
    all->hold(all->what, 1);
    *later = bad = !is_alone();
    if (!bad) bad = driver.create_stream(&stream, NON_BLOCKING);
    has_stream = !bad;
    if (has_stream && !(bad = all->set_stream(all->handle, stream))
        && !(bad = driver.begin_capture(stream, RELAXED))) {
        bad = all->run(all->what, stream);
        if (driver.end_capture(stream, &graph)) bad = 1;
    }
    all->hold(all->what, 0);
    if (has_stream) {
        /* Where that fails, the handle still has this stream, and the next call sees that it has another one. */
        if (all->set_stream(all->handle, all->stream)) bad = 1;
        else driver.destroy_stream(stream);
    }
    if (!bad && graph && is_pure(graph) && driver.instantiate(&self->executable, graph, 0))
        self->executable = NULL;
    if (graph) driver.destroy_graph(graph);
    driver.exchange_mode(&mode);
    if (self->executable) return enlist(self), self;
    free(self);
    return NULL;
}

int cudnn_cffi_has_room(void)
{
    struct replay *each, *oldest = NULL;
    void *executable = NULL;
    unsigned long now, age = 0;
    if ((long)LOAD((unsigned long *)&alive) < most) return 1;
    now = (unsigned long)ADD((long *)&wishes, 1) + 1;
    if (most <= 0 || (long)(now - LOAD(&vain_until)) < 0) return 0;
    PyThread_acquire_lock(lock, WAIT_LOCK);
    for (each = first; each; each = each->behind) {
        if (oldest && now - LOAD(&each->used) <= age) continue;
        oldest = each;
        age = now - LOAD(&each->used);
    }
    if (oldest && age >= (unsigned long)most) {
        if (!ADD(&oldest->claims, 1)) executable = take_out(oldest);
        else ADD(&oldest->claims, -1); /* it is being launched */
    } else if (oldest) {
        STORE(&vain_until, now - age + (unsigned long)most);
    }
    PyThread_release_lock(lock);
    destroy(executable);
    return executable != NULL;
}

HOT int cudnn_cffi_replay(struct replay *self, void *stream)
{
    int status = GONE;
    if (!ADD(&self->claims, 1) && self->process == process) {
        STORE(&self->used, LOAD(&wishes));
        status = driver.launch(self->executable, stream);
    }
    ADD(&self->claims, -1);
    return status;
}

void cudnn_cffi_forget(struct replay *self)
{
    void *executable;
    if (!self) return;
    PyThread_acquire_lock(lock, WAIT_LOCK);
    executable = take_out(self);
    PyThread_release_lock(lock);
    destroy(executable);
    free(self);
}

void cudnn_cffi_leave_to_parent(void)
{
    ++process;
    first = NULL;
    alive = 0;
    cudnn_cffi_replay_after = 0;
    if (lock) lock = PyThread_allocate_lock(); /* a thread that is not here may have had the other one */
}

PyObject *cudnn_cffi_set_up_replaying(PyObject *none, PyObject *nothing, PyObject *all)
{
    ALONE;
    static char *names[] = {"functions", "after", "graphs", "library", "waiters", NULL};
    uintptr_t found[sizeof driver / sizeof(uintptr_t)];
    PyObject *addresses, *where, *others;
    Py_ssize_t i, count = (Py_ssize_t)(sizeof found / sizeof *found);
    int after;
    (void)none;
    if (!PyArg_ParseTupleAndKeywords(nothing, all, "O!ilUO!", names, &PyTuple_Type, &addresses, &after, &most,
                                     &where, &PyTuple_Type, &others))
        return NULL;
    Py_INCREF(where);
    Py_INCREF(others);
    Py_XDECREF(library);
    Py_XDECREF(waiters);
    library = where;
    waiters = others;
    cudnn_cffi_replay_after = 0;
    STORE(&vain_until, LOAD(&wishes));
    if (!lock && !(lock = PyThread_allocate_lock())) return PyErr_NoMemory();
    if (PyTuple_Size(addresses) != count) Py_RETURN_FALSE;
    for (i = 0; i < count; ++i) {
        found[i] = PyLong_AsSize_t(PyTuple_GetItem(addresses, i));
        if (PyErr_Occurred()) return NULL;
        if (!found[i]) Py_RETURN_FALSE;
    }
    memcpy(&driver, found, sizeof found);
    cudnn_cffi_replay_after = after;
    Py_RETURN_TRUE;
}
