/* Calls that are launched again as CUDA graphs; see replay.h. */

#include "objects.h"
#include "replay.h"

#include <stdlib.h>
#include <string.h>

/* The driver's numbers. */
#define NON_BLOCKING 1
#define RELAXED 2
#define ON_DEVICE 2
enum node { KERNEL, COPY, MEMORY, EMPTY = 5 };

/* What a graph may have at most. */
#define MOST_NODES 256

struct replay {
    void *executable;
};

int cudnn_cffi_replay_after;

/* How many there are, and may be. */
static long alive, most;

/* Whether graphs are the parent process's. */
static int is_left;

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

/* What is read of the driver's description of a copy, and room for the rest of it. */
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
    void *nodes[MOST_NODES];
    struct copy copy;
    size_t count = 0, i;
    int type;
    if (driver.get_nodes(graph, NULL, &count) || !count || count > MOST_NODES
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

struct replay *cudnn_cffi_record(const struct to_replay *all)
{
    struct replay *self = calloc(1, sizeof *self);
    void *stream = NULL, *graph = NULL;
    int mode = RELAXED, bad;
    if (!self) return NULL;
    driver.exchange_mode(&mode);
    bad = driver.create_stream(&stream, NON_BLOCKING);
    if (!bad) {
        bad = all->set_stream(all->handle, stream);
        if (!bad && !(bad = driver.begin_capture(stream, RELAXED))) {
            bad = all->run(all->what, stream);
            if (driver.end_capture(stream, &graph)) bad = 1;
        }
        /* Where that fails, the next call sees that the handle has another stream. */
        if (all->set_stream(all->handle, all->stream)) bad = 1;
        driver.destroy_stream(stream);
    }
    if (!bad && graph && is_pure(graph) && driver.instantiate(&self->executable, graph, 0))
        self->executable = NULL;
    if (graph) driver.destroy_graph(graph);
    driver.exchange_mode(&mode);
    if (self->executable) return ADD(&alive, 1), self;
    free(self);
    return NULL;
}

int cudnn_cffi_has_many(void)
{
    return (long)LOAD((unsigned long *)&alive) >= most;
}

int cudnn_cffi_replay(const struct replay *self, void *stream)
{
    return driver.launch(self->executable, stream);
}

void cudnn_cffi_forget(struct replay *self)
{
    int mode = RELAXED; /* it may free memory while something else is captured */
    if (!self) return;
    ADD(&alive, -1);
    if (!is_left) {
        driver.exchange_mode(&mode);
        driver.destroy(self->executable);
        driver.exchange_mode(&mode);
    }
    free(self);
}

void cudnn_cffi_leave_to_parent(void)
{
    is_left = 1;
    cudnn_cffi_replay_after = 0;
}

PyObject *cudnn_cffi_set_up_replaying(PyObject *none, PyObject *all)
{
    uintptr_t found[sizeof driver / sizeof(uintptr_t)];
    PyObject *addresses;
    Py_ssize_t i, count = (Py_ssize_t)(sizeof found / sizeof *found);
    int after;
    (void)none;
    if (!PyArg_ParseTuple(all, "O!il", &PyTuple_Type, &addresses, &after, &most)) return NULL;
    cudnn_cffi_replay_after = 0;
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
