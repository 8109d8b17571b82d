/* The interface between the call layer and its extension for PyTorch; see node.c and recorder.cc. */

#ifndef CUDNN_CFFI_RECORDER_H
#define CUDNN_CFFI_RECORDER_H

#include <Python.h>
#include <stdint.h>

#include "dlpack.h"

#define RECORDER_CAPSULE "cudnn_cffi.recorder"
#define RECORDER_VERSION 4

/* A node that is recorded: the layer, the policy of open scopes, and what computes the gradients. */
struct recorded {
    PyObject *layer, *scope, *gradients;
    const char *name; /* which lives as long as `gradients` */
};

/* Computes gradients for what was given, the layer first: a tuple, or NULL with an exception. `needs` is a
   tuple that says for which; arrays that were kept and gradients of results may be None. */
typedef PyObject *compute_gradients(const struct recorded *what, PyObject *needs, PyObject *const *kept,
                                    Py_ssize_t many, PyObject *const *gradients, Py_ssize_t count);

#define MAX_ITEMS 12

/* Comes before the arrays of a call. */
enum lead { NO_LEAD, SWITCHES, SWITCHES_AND_NEEDS };

/* A call of which only descriptions come: PyTorch's switches; bits that say for which of `needing` arguments a
   gradient is needed; `count` arrays, with NULL for None, all of a type. Without a lead, the last of them have `names`, or
   NULL, and the tuple `plain` comes after them, or NULL. `make` returns the address of a new output, or 0. The answer is
   an item, or a tuple of items, of which each is the number of an output, or -1 for None, or with switches alone
   `OF_ARRAY` of the number of an array. */
#define OF_ARRAY(index) (-2 - (index)) /* its own inverse */
struct described_call {
    enum lead lead;
    long long switches;
    uint64_t needs;
    int needing, count;
    const struct dlpack_array *const *given;
    PyTypeObject *kind;
    PyObject *names, *plain;
    uintptr_t (*make)(void *what, int output, const struct dlpack_array *like);
    void *what;
    int is_tuple, items, places[MAX_ITEMS];
};

/* Computes gradients by what was kept and by the gradients of results: returns 1, or 0 where that is not known or
   not plain, or -1 with an exception. */
typedef int describe_gradients(const struct recorded *what, struct described_call *call);

/* Makes such a call where a memory knows it: returns 1, or 0 where it is not known or not plain, or -1 with an
   exception. */
typedef int run_described(PyObject *memory, struct described_call *call);

/* A call of a layer: its memories of calls without and with gradients; what its node is, but for the scope, which
   `open_policy` returns; how many of the results are visible; and what computes the gradients. */
struct layer_call {
    PyObject *memory, *recorded, *open_policy;
    struct recorded what;
    Py_ssize_t visible;
    compute_gradients *compute;
    describe_gradients *describe;
};

struct recorder {
    int version;
    run_described **run; /* filled in by the call layer */
    /* PyTorch's switches, as `switches.COMPILED` lists them: bits, and the number above the first eight of them; -1
       where tensors are traced, transformed or watched. */
    long long (*switches)(void);
    /* Whether a gradient may be wanted, and is wanted for one of these objects. */
    int (*records)(void);
    int (*needs)(PyObject *const *given, Py_ssize_t count);
    /* Begins a call, in which no gradient is recorded; returns what ends it, or -1 where a tool watches calls,
       which PyTorch's own functions tell more. */
    int (*begin)(void);
    void (*end)(int before);
    /* Makes a call of tensors and None that a memory knows by them and by switches. NULL where it is not known or not
       plain; maybe with an exception. */
    PyObject *(*compute)(PyObject *memory, long long switches, PyObject *const *given, Py_ssize_t count);
    /* The number of axes of a tensor; -1 for other objects. */
    int (*axes)(PyObject *given);
    /* Makes such a call of tensors and None, and records its node where gradients are wanted. NULL where it is not
       known or not plain, or autocast is on; or with an exception, of a hook of what is kept for example. */
    PyObject *(*enter)(struct layer_call *call, PyObject *const *given, Py_ssize_t count);
    /* Records a node: the first results of a tuple are its own, the others are kept. Returns the results, or
       NULL with an exception. `given` are the layer and what it was given. */
    PyObject *(*record)(const struct recorded *what, PyObject *found, Py_ssize_t visible,
                        PyObject *const *given, Py_ssize_t count, compute_gradients *compute,
                        describe_gradients *describe);
};

#endif
