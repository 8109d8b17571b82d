/* Executions that are launched again without cuDNN; see repeat.h. */

#include "repeat.h"

#include <stdlib.h>
#include <string.h>

#define MOST_KERNELS 6
#define MOST_ATTRIBUTES 3

/* The driver's numbers. */
#define NON_BLOCKING 1
#define RELAXED 2
#define KERNEL 0
#define ACCESS_POLICY_WINDOW 1
#define COOPERATIVE 2
#define CLUSTER_DIMENSION 4
#define CLUSTER_SCHEDULING 5
#define MEMORY_DOMAIN 10
#define PREFERRED_CLUSTER 11

/* The driver's structures: of a kernel in a graph, of an attribute, and of a launch. */
struct kernel_node {
    void *function;
    unsigned int size[6], shared;
    void **parameters, **extra;
    void *kernel, *context;
};

struct attribute {
    uint64_t id;
    union {
        int number;
        unsigned int size[3];
        char bytes[64];
        uint64_t words[8];
    } value;
};

struct launch {
    unsigned int size[6], shared;
    void *stream;
    struct attribute *attributes;
    unsigned int attribute_count;
};

/* What is read of the last node of a chain, and of the ones before. */
struct kernel {
    void *function;
    void **parameters, **extra; /* they belong to the node */
    struct launch launch;
    struct attribute attributes[MOST_ATTRIBUTES];
};

struct repetition {
    void *graph;
    int count;
    struct kernel kernels[MOST_KERNELS];
};

int cudnn_cffi_repeat_after;

/* The driver's functions, in the order in which their addresses come. */
static struct {
    int (*create_stream)(void **, unsigned int);
    int (*destroy_stream)(void *);
    int (*begin_capture)(void *, int);
    int (*end_capture)(void *, void **);
    int (*exchange_mode)(int *);
    int (*get_nodes)(void *, void **, size_t *);
    int (*get_roots)(void *, void **, size_t *);
    int (*get_dependents)(void *, void **, size_t *);
    int (*get_type)(void *, int *);
    int (*get_kernel)(void *, struct kernel_node *);
    int (*get_attribute)(void *, int, void *);
    int (*destroy_graph)(void *);
    int (*launch)(const struct launch *, void *, void **, void **);
} driver;

/* An attribute of a node; returns whether it is set. */
static int read_attribute(void *node, int id, struct attribute *attribute)
{
    size_t i;
    memset(attribute, 0, sizeof *attribute);
    attribute->id = (uint64_t)id;
    if (driver.get_attribute(node, id, &attribute->value)) return 0;
    for (i = 0; i < sizeof attribute->value.words / sizeof *attribute->value.words; ++i)
        if (attribute->value.words[i]) return 1;
    return 0;
}

/* Reads a node; returns whether it is no kernel, or one that cannot be launched like that. */
static int read_kernel(void *node, struct kernel *kernel)
{
    static const int kept[] = {COOPERATIVE, CLUSTER_DIMENSION, CLUSTER_SCHEDULING};
    static const int refused[] = {ACCESS_POLICY_WINDOW, MEMORY_DOMAIN, PREFERRED_CLUSTER};
    struct kernel_node read;
    struct attribute attribute;
    int type = -1;
    size_t i;
    memset(&read, 0, sizeof read);
    if (driver.get_type(node, &type) || type != KERNEL || driver.get_kernel(node, &read)) return 1;
    kernel->function = read.function ? read.function : read.kernel;
    kernel->parameters = read.parameters;
    kernel->extra = read.extra;
    memcpy(kernel->launch.size, read.size, sizeof read.size);
    kernel->launch.shared = read.shared;
    for (i = 0; i < sizeof refused / sizeof *refused; ++i)
        if (read_attribute(node, refused[i], &attribute) && attribute.id != ACCESS_POLICY_WINDOW)
            return 1;
        else if (attribute.id == ACCESS_POLICY_WINDOW && attribute.value.words[1])
            return 1; /* its number of bytes */
    for (i = 0; i < sizeof kept / sizeof *kept; ++i)
        if (read_attribute(node, kept[i], &kernel->attributes[kernel->launch.attribute_count]))
            ++kernel->launch.attribute_count;
    kernel->launch.attributes = kernel->attributes;
    return !kernel->function || (!kernel->parameters && !kernel->extra);
}

/* Reads the nodes of a graph, which have to follow each other; returns whether they do not. */
static int read_graph(struct repetition *self)
{
    void *node = NULL, *next[2] = {NULL};
    size_t count = 0, many = 1, i;
    if (driver.get_nodes(self->graph, NULL, &count) || !count || count > MOST_KERNELS) return 1;
    if (driver.get_roots(self->graph, NULL, &many) || many != 1
        || driver.get_roots(self->graph, &node, &many))
        return 1;
    for (i = 0; i < count; ++i) {
        if (read_kernel(node, &self->kernels[i])) return 1;
        many = 0;
        if (driver.get_dependents(node, NULL, &many) || many != (i + 1 < count)) return 1;
        if (many && driver.get_dependents(node, next, &many)) return 1;
        node = next[0];
    }
    self->count = (int)count;
    return 0;
}

struct repetition *cudnn_cffi_capture(const struct execution *execution)
{
    struct repetition *self = calloc(1, sizeof *self);
    void *stream = NULL;
    int mode = RELAXED, bad;
    if (!self) return NULL;
    driver.exchange_mode(&mode);
    bad = driver.create_stream(&stream, NON_BLOCKING);
    if (!bad) {
        bad = execution->set_stream(execution->handle, stream);
        if (!bad && !(bad = driver.begin_capture(stream, RELAXED))) {
            bad = execution->execute(execution->handle, execution->plan, execution->pack);
            if (driver.end_capture(stream, &self->graph)) bad = 1;
        }
        /* Where that fails, the next call sees that the handle has another stream. */
        if (execution->set_stream(execution->handle, execution->stream)) bad = 1;
        driver.destroy_stream(stream);
    }
    driver.exchange_mode(&mode);
    if (!bad && self->graph && !read_graph(self)) return self;
    cudnn_cffi_drop(self);
    return NULL;
}

int cudnn_cffi_launch(const struct repetition *self, void *stream)
{
    int i, status = 0;
    for (i = 0; !status && i < self->count; ++i) {
        const struct kernel *kernel = &self->kernels[i];
        struct launch launch = kernel->launch;
        launch.stream = stream;
        status = driver.launch(&launch, kernel->function, kernel->parameters, kernel->extra);
    }
    return status;
}

void cudnn_cffi_drop(struct repetition *self)
{
    if (self && self->graph) driver.destroy_graph(self->graph);
    free(self);
}

PyObject *cudnn_cffi_set_up_repeating(PyObject *none, PyObject *all)
{
    uintptr_t found[sizeof driver / sizeof(uintptr_t)];
    PyObject *addresses;
    Py_ssize_t i, count = (Py_ssize_t)(sizeof found / sizeof *found);
    int after;
    (void)none;
    if (!PyArg_ParseTuple(all, "O!i", &PyTuple_Type, &addresses, &after)) return NULL;
    cudnn_cffi_repeat_after = 0;
    if (PyTuple_Size(addresses) != count) Py_RETURN_FALSE;
    for (i = 0; i < count; ++i) {
        found[i] = PyLong_AsSize_t(PyTuple_GetItem(addresses, i));
        if (PyErr_Occurred()) return NULL;
        if (!found[i]) Py_RETURN_FALSE;
    }
    memcpy(&driver, found, sizeof found);
    cudnn_cffi_repeat_after = after;
    Py_RETURN_TRUE;
}
