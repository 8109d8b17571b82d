/* The call of a layer, and the two functions of its node in PyTorch's autograd, without Python where
   they are known.

   A layer has a memory for each of the three. A call that its memory knows goes straight to a plan, and
   what is kept for the gradients is set here. Any other call goes to a function of Python, and is known
   from then on, as with shortcuts; see shortcut.c. Calls are known by what PyTorch's switches say, too.

   Where the extension for PyTorch is loaded, it records the nodes of known calls; see recorder.cc. All others are
   recorded by PyTorch's autograd functions. */

#include <Python.h>
#include <structmember.h>

#include "node.h"
#include "objects.h"
#include "plan.h"
#include "recorder.h"
#include "shortcut.h"
#include "watch.h"

#define MAX_ARRAYS 20
#define MAX_FLAGS 8

/* A node's role: a call of a layer, the same where gradients are wanted, what its node computes, the gradients by
   one plan, or by a layer for each of them. */
enum role { ENTER, APPLY, FORWARD, BACKWARD, COMPOSED };

/* Where the arguments of a layer of gradients come from: what was kept, from this number on, or the
   gradient of the result, or shapes of what was kept, or nothing. */
enum source { KEPT = 0, GRADIENT = 100, SHAPE = 200, NOTHING = 300 };

struct node {
    PyObject_HEAD
    entrance *enter;
    PyObject *function; /* of the layer and what is given, or what was kept, what is needed, gradients */
    PyObject *memory;   /* the name of the attribute of layers */
    PyObject *gradients, *title; /* APPLY: the node that computes the gradients, and what the recorded one is called */
    const char *name;            /* the second of both */
    int role;
    int visible; /* how many of the results are the node's; the others are kept */
};

static PyTypeObject *node_type;
static PyObject *n_layer, *n_to_save, *n_saved, *n_needs, *n_requires_grad, *n_is_cuda, *n_refused, *n_enter, *n_ndim;
static PyObject *n_apply, *n_casts, *n_level, *n_scope, *n_shape, *n_steps, *n_parts, *n_results;

/* Functions of PyTorch that say what decides: as bits, the last of them whether autocast is on, and as a
   number where the first of them says so; those that have to say no for a call to be plain; and whether
   gradients are wanted. */
static PyObject *flags[MAX_FLAGS], *guards[MAX_FLAGS], *number, *wants_gradients;
static int flag_count, guard_count;

/* PyTorch's types of tensors, and the module that has the level of forward derivatives. */
static PyObject *tensor_type, *parameter_type, *forward_derivatives;

/* The layers that functions have kept, and a tuple of errors after which their calls go on. */
static PyObject *kept_layers, *refusals;

/* A function that returns the policy of the open scopes, and one that calls a function within the scopes of a
   policy. */
static PyObject *open_policy, *call_within;

/* The extension for PyTorch; NULL where there is none. */
static const struct recorder *recorder;

static compute_gradients differentiate;
static describe_gradients differentiate_described;

/* PyTorch's switches during the call of a layer; they are the same while it makes its node. */
static OF_THREAD PyObject *switches_here;

/* Whether a function says yes; -1 where it fails. */
HOT static int says(PyObject *function)
{
    PyObject *answer = PyObject_CallNoArgs(function);
    int is_true = answer ? PyObject_IsTrue(answer) : -1;
    Py_XDECREF(answer);
    return is_true;
}

/* Packs PyTorch's switches into an int of Python; NULL where calls are not plain now, with an exception
   only for what ends a program. */
HOT static PyObject *read_switches(int role, int *casts)
{
    long long bits = 0;
    int i, one = 0;
    if (recorder) {
        if (role >= BACKWARD && recorder->records()) return NULL;
        bits = recorder->switches();
        *casts = bits >> (flag_count - 1) & 1;
        return bits < 0 ? NULL : PyLong_FromLongLong(bits);
    }
    for (i = 0; i < guard_count; ++i)
        if (says(guards[i])) return cudnn_cffi_failed(), NULL;
    if (role >= BACKWARD && says(wants_gradients)) return cudnn_cffi_failed(), NULL;
    for (i = 0; i < flag_count; ++i) {
        if ((one = says(flags[i])) < 0) return cudnn_cffi_failed(), NULL;
        bits |= (long long)one << i;
    }
    *casts = one;
    if (bits & 1) {
        PyObject *answer = PyObject_CallNoArgs(number);
        long long more = answer ? PyLong_AsLongLong(answer) : -1;
        Py_XDECREF(answer);
        if (PyErr_Occurred() || more < 0 || more >> 40) return cudnn_cffi_failed(), NULL;
        bits |= (more + 1) << MAX_FLAGS;
    }
    return PyLong_FromLongLong(bits);
}

/* Computes by the memory of a layer; the first of `given`, by which calls are known, is free for the switches,
   which are NULL where the call is not plain. Without an answer, there is an exception that ends a program, or the
   function has to compute; then `memory` is that which learns. */
HOT static PyObject *remember(struct node *self, PyObject *layer, PyObject *switches, PyObject **given,
                              Py_ssize_t count, PyObject **memory)
{
    PyObject *answer = NULL;
    *memory = switches ? PyObject_GetAttr(layer, self->memory) : NULL;
    if (!*memory) return cudnn_cffi_failed(), NULL;
    if (cudnn_cffi_is_memory(*memory)) {
        given[0] = switches;
        if (recorder) answer = recorder->compute(*memory, PyLong_AsLongLong(switches), given + 1, count - 1);
        if (!answer && !cudnn_cffi_failed()) answer = cudnn_cffi_look_up(*memory, given, count);
        /* The function fails in the same way, or knows another one. */
        if (!answer) cudnn_cffi_failed();
    } else {
        Py_CLEAR(*memory);
    }
    return answer;
}

/* Calls the function, and has the memory learn from that, if there is one. */
static PyObject *compute(struct node *self, PyObject *const *arguments, Py_ssize_t many, PyObject *memory,
                         PyObject **given, Py_ssize_t count)
{
    return memory ? cudnn_cffi_call_and_learn(self->function, arguments, many, memory, given, count)
                  : cudnn_cffi_call(self->function, arguments, many, NULL);
}

/* Computes by the memory of a layer, or by the function. */
HOT static PyObject *run(struct node *self, PyObject *layer, PyObject *switches, PyObject **given,
                         Py_ssize_t count, PyObject *const *arguments, Py_ssize_t many)
{
    PyObject *memory, *answer = remember(self, layer, switches, given, count, &memory);
    if (!answer && !PyErr_Occurred()) answer = compute(self, arguments, many, memory, given, count);
    Py_XDECREF(memory);
    return answer;
}

/* Returns whether an attribute is true: 0 if there is none, or with an exception that ends a program. */
HOT static int is_set(PyObject *object, PyObject *name)
{
    PyObject *value = PyObject_GetAttr(object, name);
    int is_true = value ? PyObject_IsTrue(value) : 0;
    Py_XDECREF(value);
    if (is_true < 0 || !value) cudnn_cffi_failed(), is_true = 0;
    return is_true;
}

static int is_tensor(PyObject *object)
{
    return (PyObject *)Py_TYPE(object) == tensor_type || (PyObject *)Py_TYPE(object) == parameter_type;
}

/* Whether gradients are wanted of one of the arguments; maybe with an exception that ends a program. */
HOT static int needs_gradients(PyObject *const *given, Py_ssize_t count)
{
    Py_ssize_t i;
    if (recorder) return recorder->records() && recorder->needs(given, count);
    if (!says(wants_gradients)) return 0;
    for (i = 0; i < count; ++i)
        if (PyObject_TypeCheck(given[i], (PyTypeObject *)tensor_type) && is_set(given[i], n_requires_grad))
            return 1;
    return 0;
}

/* Whether a call is of plain tensors on a GPU; see `read_switches` for what else there is to ask. */
static int is_eager(PyObject *const *all)
{
    PyObject *level = PyObject_GetAttr(forward_derivatives, n_level);
    int derives = !level || PyLong_AsLong(level) >= 0;
    Py_XDECREF(level);
    if (PyErr_Occurred()) cudnn_cffi_clear_error(), derives = 1;
    return !derives && is_tensor(all[1]) && is_set(all[1], n_is_cuda) && !is_set(all[0], n_refused);
}

/* The results of a known call by the extension, which records its node where gradients are wanted. NULL where it is not
   known or not plain, or with an exception. */
HOT static PyObject *enter_known(PyObject *const *all, Py_ssize_t count)
{
    PyObject *memory = recorder ? PyObject_GetAttr(all[0], n_results) : NULL, *answer = NULL;
    const struct joined *joined = cudnn_cffi_joined(memory);
    struct node *node = joined && Py_TYPE(joined->apply) == node_type ? (struct node *)joined->apply : NULL;
    if (!cudnn_cffi_failed() && node && node->gradients && !PyDict_Size(joined->refused)) {
        struct layer_call call = {memory, joined->recorded, open_policy, {all[0], NULL, node->gradients, node->name},
                                  node->visible, differentiate, differentiate_described};
        answer = recorder->enter(&call, all + 1, count - 1);
    }
    Py_XDECREF(memory);
    return answer;
}

/* The results of a call whose gradients are wanted, by a node: the extension's if the call is known, or else that of
   PyTorch's function, whose part in C computes and learns. */
HOT static PyObject *record(struct node *self, PyObject *switches, PyObject *const *all, Py_ssize_t count)
{
    PyObject *given[MAX_ARRAYS], *found = NULL, *memory = NULL, *answer = NULL;
    int casts, before;
    Py_ssize_t i;
    if (recorder && self->gradients && count >= 2 && count <= MAX_ARRAYS && (before = recorder->begin()) >= 0) {
        if (switches) Py_INCREF(switches);
        else switches = read_switches(APPLY, &casts);
        for (i = 1; i < count; ++i) given[i] = all[i];
        if (!PyErr_Occurred()) found = remember(self, all[0], switches, given, count, &memory);
        Py_XDECREF(memory);
        recorder->end(before);
        if (found) {
            struct recorded what = {all[0], PyObject_CallNoArgs(open_policy), self->gradients, NULL};
            what.name = self->name;
            if (what.scope)
                answer = recorder->record(&what, found, self->visible, all, count, differentiate,
                                          differentiate_described);
            Py_XDECREF(what.scope);
            Py_DECREF(found);
        }
        if (found || PyErr_Occurred()) {
            Py_XDECREF(switches);
            return answer;
        }
    } else {
        Py_XINCREF(switches);
    }
    switches_here = switches;
    answer = cudnn_cffi_call(self->function, all, count, NULL);
    switches_here = NULL; /* another call may have been made before this one's node */
    Py_XDECREF(switches);
    return answer;
}

/* (layer, what is given, ...): the results, by a node where gradients are wanted. */
HOT static PyObject *enter(struct node *self, PyObject *const *all, Py_ssize_t count)
{
    PyObject *given[MAX_ARRAYS], *switches = NULL, *apply, *answer = NULL;
    Py_ssize_t i;
    int casts = 0, records;
    if (count >= 2 && count <= MAX_ARRAYS && ((answer = enter_known(all, count)) || PyErr_Occurred())) return answer;
    if (count >= 2 && count <= MAX_ARRAYS && is_eager(all)) switches = read_switches(ENTER, &casts);
    /* The type of autocast is no part of the key of calls. */
    if (!switches || (casts && is_set(all[0], n_casts))) {
        if (!PyErr_Occurred()) answer = cudnn_cffi_call(self->function, all, count, NULL);
        Py_XDECREF(switches);
        return answer;
    }
    records = !PyErr_Occurred() && needs_gradients(all + 1, count - 1);
    if (PyErr_Occurred()) {
        answer = NULL;
    } else if (!records) {
        for (i = 1; i < count; ++i) given[i] = all[i];
        answer = run(self, all[0], switches, given, count, all, count);
    } else if ((apply = PyObject_GetAttr(all[0], n_apply))) {
        if ((PyObject *)Py_TYPE(apply) == (PyObject *)node_type)
            answer = record((struct node *)apply, switches, all, count);
        else
            answer = cudnn_cffi_call(apply, all, count, NULL);
        Py_DECREF(apply);
    }
    Py_DECREF(switches);
    return answer;
}

/* (layer, what is given, ...): the results, by a node. */
HOT static PyObject *apply(struct node *self, PyObject *const *all, Py_ssize_t count)
{
    return record(self, NULL, all, count);
}

/* (context, layer, what is given, ...): the results; keeps the layer, what gradients need, and the policy of
   open scopes where there are any: contexts have None in their class. */
HOT static PyObject *forward(struct node *self, PyObject *const *all, Py_ssize_t count)
{
    PyObject *given[MAX_ARRAYS], *switches = switches_here, *found = NULL, *kept, *scope, *answer = NULL;
    Py_ssize_t i, total;
    int casts;
    switches_here = NULL;
    if (count < 2 || count > MAX_ARRAYS) {
        PyErr_SetString(PyExc_TypeError, "a context, a layer and its arrays were expected");
        return NULL;
    }
    for (i = 2; i < count; ++i) given[i - 1] = all[i];
    if (switches) Py_INCREF(switches);
    else switches = read_switches(FORWARD, &casts);
    if (!PyErr_Occurred())
        found = run(self, all[1], switches, given, count - 1, all + 1, count - 1);
    Py_XDECREF(switches);
    if (!found) return NULL;
    total = PyTuple_Check(found) ? PyTuple_Size(found) : 0;
    if (total < self->visible) {
        PyErr_SetString(PyExc_TypeError, "a tuple of results and of what is kept was expected");
        Py_DECREF(found);
        return NULL;
    }
    kept = PyTuple_GetSlice(found, self->visible, total);
    scope = PyObject_CallNoArgs(open_policy);
    if (kept && scope && !PyObject_SetAttr(all[0], n_to_save, kept)
        && !PyObject_SetAttr(all[0], n_layer, all[1])
        && (scope == Py_None || !PyObject_SetAttr(all[0], n_scope, scope))) {
        if (self->visible == 1) {
            answer = PyTuple_GetItem(found, 0);
            Py_XINCREF(answer);
        } else {
            answer = PyTuple_GetSlice(found, 0, self->visible);
        }
    }
    Py_XDECREF(scope);
    Py_XDECREF(kept);
    Py_DECREF(found);
    return answer;
}

/* Computes gradients in the scopes of a policy, which are not those that are open here. */
static RARE PyObject *run_within(struct node *self, PyObject *scope, PyObject *const *arguments,
                                 Py_ssize_t many)
{
    PyObject *values[MAX_ARRAYS + 2];
    Py_ssize_t i;
    values[0] = scope;
    values[1] = self->function;
    for (i = 0; i < many; ++i) values[2 + i] = arguments[i];
    return cudnn_cffi_call(call_within, values, 2 + many, NULL);
}

/* An argument of a layer of gradients: a new reference; NULL for what was not kept. */
static PyObject *take_source(long source, PyObject *const *kept, Py_ssize_t many, PyObject *gradient)
{
    PyObject *one = NULL;
    if (source == NOTHING) one = Py_None;
    else if (source == GRADIENT) one = gradient;
    else if (source >= SHAPE && source < SHAPE + many)
        return PyObject_GetAttr(kept[source - SHAPE], n_shape);
    else if (source >= KEPT && source < KEPT + many) one = kept[source];
    Py_XINCREF(one);
    return one;
}

/* A gradient by a step: (class of a layer, (source, ...)), or the name of a method for the gradient. A copy
   of the gradient of the result serves all steps that go straight to a plan. */
static PyObject *take_step(PyObject *step, PyObject *layer, PyObject *parts, PyObject *switches,
                           PyObject *const *kept, Py_ssize_t many, PyObject *gradient,
                           struct kept_copy *copy)
{
    struct kept_copy *outer;
    PyObject *given[MAX_ARRAYS], *part, *sources, *memory = NULL, *answer = NULL;
    Py_ssize_t i, count;
    if (!step) return NULL;
    if (PyUnicode_Check(step)) return PyObject_CallMethodObjArgs(layer, step, gradient, NULL);
    sources = PyTuple_GetItem(step, 1);
    count = sources ? PyTuple_Size(sources) : -1;
    if (count < 0 || count >= MAX_ARRAYS) return NULL;
    part = PyObject_GetItem(parts, PyTuple_GetItem(step, 0));
    if (!part) return NULL;
    given[0] = switches;
    for (i = 0; i < count; ++i) {
        long source = PyLong_AsLong(PyTuple_GetItem(sources, i));
        if (!(given[1 + i] = take_source(source, kept, many, gradient))) break;
    }
    if (i == count) {
        memory = PyObject_GetAttr(part, n_results);
        if (cudnn_cffi_is_memory(memory)) {
            outer = cudnn_cffi_keep_copy(copy);
            answer = cudnn_cffi_look_up(memory, given, 1 + count);
            cudnn_cffi_keep_copy(outer);
        }
        if (!answer && !cudnn_cffi_failed()) answer = cudnn_cffi_call(part, given + 1, count, NULL);
    }
    while (i--) Py_DECREF(given[1 + i]);
    Py_XDECREF(memory);
    Py_DECREF(part);
    return answer;
}

/* The gradients by the steps of a layer; NULL, without an exception, where the function has to compute
   them. */
static PyObject *compose(PyObject *layer, PyObject *needs, PyObject *const *kept, Py_ssize_t many,
                         PyObject *gradient)
{
    int casts;
    struct kept_copy copy = {gradient, NULL, NULL};
    PyObject *switches = read_switches(COMPOSED, &casts), *steps = NULL, *parts = NULL, *answer = NULL, *one;
    Py_ssize_t i, count = PyTuple_Check(needs) ? PyTuple_Size(needs) : 0;
    if (switches && (steps = PyObject_GetAttr(layer, n_steps)) && PyTuple_Check(steps)
        && (parts = PyObject_GetAttr(layer, n_parts)))
        answer = PyTuple_New(count);
    for (i = 0; answer && i < count; ++i) {
        one = Py_None;
        if (i && PyTuple_GetItem(needs, i) == Py_True)
            one = take_step(PyTuple_GetItem(steps, i - 1), layer, parts, switches, kept, many,
                            gradient, &copy);
        else
            Py_INCREF(one);
        if (one) PyTuple_SetItem(answer, i, one);
        else Py_CLEAR(answer);
    }
    cudnn_cffi_failed(); /* the function fails in the same way, or knows another one */
    Py_XDECREF(copy.copier);
    Py_XDECREF(copy.copy);
    Py_XDECREF(parts);
    Py_XDECREF(steps);
    Py_XDECREF(switches);
    return answer;
}

/* The gradients for what was given; see `compute_gradients`. `saved` is a tuple of what was kept, or NULL. */
HOT static PyObject *gradients_of(const struct recorded *what, PyObject *needs, PyObject *saved,
                                  PyObject *const *kept, Py_ssize_t many, PyObject *const *gradients,
                                  Py_ssize_t count)
{
    struct node *self = (struct node *)what->gradients;
    PyObject *given[MAX_ARRAYS], *arguments[MAX_ARRAYS], *answer = NULL, *memory = NULL, *made = NULL;
    PyObject *here = PyObject_CallNoArgs(open_policy), *switches = NULL;
    Py_ssize_t i;
    int casts;
    if (!here) return NULL;
    if (count + many + 3 > MAX_ARRAYS) {
        PyErr_SetString(PyExc_TypeError, "a node keeps fewer arrays");
        goto done;
    }
    if (what->scope == here && self->role == BACKWARD) {
        switches = read_switches(BACKWARD, &casts);
        given[1] = needs;
        for (i = 0; i < many; ++i) given[2 + i] = kept[i];
        for (i = 0; i < count; ++i) given[2 + many + i] = gradients[i];
        if (!PyErr_Occurred())
            answer = remember(self, what->layer, switches, given, 2 + many + count, &memory);
    } else if (what->scope == here && count == 1) {
        answer = compose(what->layer, needs, kept, many, gradients[0]);
    }
    if (answer || PyErr_Occurred()) goto done;
    if (!saved && !(saved = made = cudnn_cffi_pack(kept, many))) goto done;
    arguments[0] = what->layer;
    arguments[1] = saved;
    arguments[2] = needs;
    for (i = 0; i < count; ++i) arguments[3 + i] = gradients[i];
    if (what->scope != here) answer = run_within(self, what->scope, arguments, 3 + count);
    else answer = compute(self, arguments, 3 + count, memory, given, 2 + many + count);
done:
    Py_XDECREF(made);
    Py_XDECREF(memory);
    Py_XDECREF(switches);
    Py_DECREF(here);
    return answer;
}

/* Computes gradients of a node that the extension has recorded. */
static PyObject *differentiate(const struct recorded *what, PyObject *needs, PyObject *const *kept, Py_ssize_t many,
                               PyObject *const *gradients, Py_ssize_t count)
{
    return gradients_of(what, needs, NULL, kept, many, gradients, count);
}

/* The same without objects of Python, where one known plan computes all. */
static int differentiate_described(const struct recorded *what, struct described_call *call)
{
    struct node *self = (struct node *)what->gradients;
    PyObject *memory = NULL, *here;
    int answer = 0;
    if (self->role != BACKWARD) return 0;
    if (!(here = PyObject_CallNoArgs(open_policy))) return -1;
    if (here == what->scope) memory = PyObject_GetAttr(what->layer, self->memory);
    call->kind = (PyTypeObject *)tensor_type;
    answer = cudnn_cffi_run_described(memory, call);
    /* Python fails in the same way. */
    if (PyErr_Occurred()) answer = cudnn_cffi_failed() ? -1 : 0;
    Py_XDECREF(memory);
    Py_DECREF(here);
    return answer;
}

/* Returns what a call has saved, with results computed again that were changed in place; Python says why where it cannot. */
static RARE PyObject *saved_again(PyObject *context)
{
    PyObject *type, *value, *trace, *answer;
    if (!PyErr_ExceptionMatches(PyExc_RuntimeError)) return NULL; /* the caller's hooks raise any */
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    answer = PyObject_CallMethod(context, "saved_again", "O", value);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    return answer;
}

/* (context, gradients of the results, ...): the gradients for what was given. */
HOT static PyObject *backward(struct node *self, PyObject *const *all, Py_ssize_t count)
{
    PyObject *kept[MAX_ARRAYS], *answer = NULL, *saved, *needs;
    struct recorded what = {PyObject_GetAttr(all[0], n_layer), NULL, (PyObject *)self, NULL};
    Py_ssize_t i, many;
    saved = what.layer ? PyObject_GetAttr(all[0], n_saved) : NULL;
    if (what.layer && !saved) saved = saved_again(all[0]);
    needs = saved ? PyObject_GetAttr(all[0], n_needs) : NULL;
    what.scope = needs ? PyObject_GetAttr(all[0], n_scope) : NULL;
    if (what.scope) {
        many = PyTuple_Check(saved) ? PyTuple_Size(saved) : 0;
        if (many > MAX_ARRAYS) many = MAX_ARRAYS; /* which is refused */
        for (i = 0; i < many; ++i) kept[i] = PyTuple_GetItem(saved, i);
        answer = gradients_of(&what, needs, saved, kept, many, all + 1, count - 1);
    }
    Py_XDECREF(what.scope);
    Py_XDECREF(needs);
    Py_XDECREF(saved);
    Py_XDECREF(what.layer);
    return answer;
}

HOT static PyObject *node_enter(PyObject *me, PyObject *const *given, size_t flagged, PyObject *names)
{
    ALONE;
    struct node *self = (struct node *)me;
    Py_ssize_t count = COUNT(flagged);
    if (!count || (names && PyTuple_Size(names))) {
        PyErr_SetString(PyExc_TypeError, "arguments were expected, and no names");
        return NULL;
    }
    return (self->role == ENTER     ? enter
            : self->role == APPLY   ? apply
            : self->role == FORWARD ? forward
                                    : backward)(self, given, count);
}

static PyObject *node_call(PyObject *me, PyObject *given, PyObject *named)
{
    return cudnn_cffi_enter(node_enter, me, given, named);
}

/* (tensor, tuple): the results by the layer that was kept for the tuple and the number of axes; None where there is none,
   or it refuses. */
static PyObject *node_find(PyObject *none, PyObject *const *given, Py_ssize_t count)
{
    ALONE;
    PyObject *key = NULL, *layer = NULL, *enter = NULL, *axes, *pair[2], *answer = NULL;
    Py_ssize_t i, many;
    (void)none;
    if (count != 2 || !PyTuple_Check(given[1])) {
        PyErr_SetString(PyExc_TypeError, "a tensor and a tuple were expected");
        return NULL;
    }
    many = PyTuple_Size(given[1]);
    if (recorder && (i = recorder->axes(given[0])) >= 0) axes = PyLong_FromLong((long)i);
    else axes = PyObject_GetAttr(given[0], n_ndim);
    if (axes && (recorder || is_set(given[0], n_is_cuda))) key = PyTuple_New(many + 1);
    for (i = 0; key && i < many; ++i) {
        PyObject *one = PyTuple_GetItem(given[1], i);
        Py_INCREF(one);
        PyTuple_SetItem(key, i, one);
    }
    if (key) {
        Py_INCREF(axes);
        PyTuple_SetItem(key, many, axes);
        layer = cudnn_cffi_find_item(kept_layers, key);
    }
    pair[0] = layer;
    pair[1] = given[0];
    if (!layer) {
        cudnn_cffi_failed(); /* it is no tensor, or the tuple no key */
    } else if (!(answer = enter_known(pair, 2)) && !PyErr_Occurred() && is_set(given[0], n_is_cuda)) {
        enter = PyObject_GetAttr((PyObject *)Py_TYPE(layer), n_enter);
        if (enter && Py_TYPE(enter) == node_type) answer = node_enter(enter, pair, 2, NULL);
        else cudnn_cffi_failed();
    }
    Py_XDECREF(enter);
    Py_XDECREF(layer);
    Py_XDECREF(key);
    Py_XDECREF(axes);
    if (!answer && PyErr_Occurred() && PyErr_ExceptionMatches(refusals)) PyErr_Clear();
    if (answer || PyErr_Occurred()) return answer;
    Py_RETURN_NONE;
}

/* (role, function, name of the memory, how many results are visible; and for a call whose gradients are wanted what
   computes them, and its name): a node. */
static PyObject *node_new(PyTypeObject *type, PyObject *given, PyObject *named)
{
    PyObject *function, *memory, *gradients = NULL, *title = NULL;
    struct node *self;
    int role, visible;
    (void)named;
    if (!PyArg_ParseTuple(given, "iOUi|O!U", &role, &function, &memory, &visible, node_type, &gradients, &title))
        return NULL;
    self = (struct node *)PyType_GenericAlloc(type, 0);
    if (!self) return NULL;
    self->enter = node_enter;
    self->role = role;
    self->visible = visible;
    Py_INCREF(self->function = function);
    Py_INCREF(self->memory = memory);
    PyUnicode_InternInPlace(&self->memory);
    if (gradients && title) {
        if (!(self->name = PyUnicode_AsUTF8AndSize(title, NULL))) return Py_DECREF(self), NULL;
        Py_INCREF(self->gradients = gradients);
        Py_INCREF(self->title = title);
    }
    return (PyObject *)self;
}

static int node_traverse(PyObject *me, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(me));
    Py_VISIT(((struct node *)me)->function);
    Py_VISIT(((struct node *)me)->gradients);
    return 0;
}

static int node_clear(PyObject *me)
{
    Py_CLEAR(((struct node *)me)->function);
    Py_CLEAR(((struct node *)me)->gradients);
    return 0;
}

static void node_free(PyObject *me)
{
    ALONE;
    PyObject_GC_UnTrack(me);
    node_clear(me);
    Py_CLEAR(((struct node *)me)->memory);
    Py_CLEAR(((struct node *)me)->title);
    cudnn_cffi_free(me);
}

/* Takes functions; returns how many, or -1 with an exception. */
static int take(PyObject *all, PyObject **into)
{
    Py_ssize_t i, count = PyTuple_Size(all);
    if (count > MAX_FLAGS) {
        PyErr_SetString(PyExc_ValueError, "there are too many functions");
        return -1;
    }
    for (i = 0; i < count; ++i) {
        PyObject *old = into[i];
        Py_INCREF(into[i] = PyTuple_GetItem(all, i));
        Py_XDECREF(old);
    }
    return (int)count;
}

/* Keeps an object in the place of another one. */
static void keep(PyObject **place, PyObject *object)
{
    PyObject *old = *place;
    Py_INCREF(*place = object);
    Py_XDECREF(old);
}

/* ((what says a bit, ...), what says a number where the first one says yes, (what has to say no, ...),
   whether gradients are wanted, type of tensors, that of parameters, module with
   the level of forward derivatives, what returns the policy of open scopes, what calls within those of
   a policy, dict of the layers that functions have kept, (error after which their calls go on, ...)). */
static PyObject *node_set_up(PyObject *none, PyObject *all)
{
    ALONE;
    PyObject *bits, *more, *none_of, *gradients, *tensor, *parameter, *module;
    PyObject *policy, *within, *layers, *errors;
    int many, others;
    (void)none;
    if (!PyArg_ParseTuple(all, "O!OO!OO!O!OOOO!O!", &PyTuple_Type, &bits, &more, &PyTuple_Type, &none_of,
                          &gradients, &PyType_Type, &tensor, &PyType_Type, &parameter,
                          &module, &policy, &within, &PyDict_Type, &layers, &PyTuple_Type, &errors))
        return NULL;
    if (!n_results) {
        n_layer = PyUnicode_InternFromString("layer");
        n_to_save = PyUnicode_InternFromString("to_save");
        n_saved = PyUnicode_InternFromString("saved_tensors");
        n_needs = PyUnicode_InternFromString("needs_input_grad");
        n_requires_grad = PyUnicode_InternFromString("requires_grad");
        n_is_cuda = PyUnicode_InternFromString("is_cuda");
        n_refused = PyUnicode_InternFromString("refused");
        n_enter = PyUnicode_InternFromString("_enter");
        n_ndim = PyUnicode_InternFromString("ndim");
        n_apply = PyUnicode_InternFromString("_apply");
        n_casts = PyUnicode_InternFromString("casts");
        n_level = PyUnicode_InternFromString("_current_level");
        n_scope = PyUnicode_InternFromString("scope");
        n_shape = PyUnicode_InternFromString("shape");
        n_steps = PyUnicode_InternFromString("steps");
        n_parts = PyUnicode_InternFromString("parts");
        n_results = PyUnicode_InternFromString("_results");
        if (PyErr_Occurred()) return NULL;
    }
    if ((many = take(bits, flags)) < 0 || (others = take(none_of, guards)) < 0) return NULL;
    keep(&number, more);
    keep(&wants_gradients, gradients);
    keep(&tensor_type, tensor);
    keep(&parameter_type, parameter);
    keep(&forward_derivatives, module);
    keep(&open_policy, policy);
    keep(&call_within, within);
    keep(&kept_layers, layers);
    keep(&refusals, errors);
    flag_count = many;
    guard_count = others;
    Py_RETURN_NONE;
}

/* The capsule of the extension for PyTorch, or None to do without: whether it fits this layer. */
static PyObject *node_record_by(PyObject *none, PyObject *capsule)
{
    ALONE;
    const struct recorder *found = NULL;
    (void)none;
    if (capsule != Py_None && !(found = PyCapsule_GetPointer(capsule, RECORDER_CAPSULE))) return NULL;
    if (found && found->version != RECORDER_VERSION) Py_RETURN_FALSE;
    recorder = found;
    if (found) *found->run = cudnn_cffi_run_described;
    Py_RETURN_TRUE;
}

static PyMemberDef node_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(struct node, enter), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyMethodDef node_methods[] = {
    {"_set_up", node_set_up, METH_VARARGS | METH_STATIC, NULL},
    {"_record_by", node_record_by, METH_O | METH_STATIC, NULL},
    {"_find", (PyCFunction)(void (*)(void))node_find, METH_FASTCALL | METH_STATIC, NULL},
    {"_is_same", cudnn_cffi_is_same, METH_VARARGS | METH_STATIC, NULL},
    {"_places", cudnn_cffi_places, METH_VARARGS | METH_STATIC, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot node_slots[] = {
    {Py_tp_new, node_new},
    {Py_tp_call, node_call},
    {Py_tp_descr_get, cudnn_cffi_bind_method},
    {Py_tp_traverse, node_traverse},
    {Py_tp_clear, node_clear},
    {Py_tp_dealloc, node_free},
    {Py_tp_members, node_members},
    {Py_tp_methods, node_methods},
    {0, NULL},
};

static PyType_Spec node_spec = {
    "cudnn_cffi.Node",
    sizeof(struct node),
    0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE | VECTORCALL_FLAG | METHOD_FLAG,
    node_slots,
};

uintptr_t cudnn_cffi_node_type(void)
{
    PyGILState_STATE state = PyGILState_Ensure();
    if (!node_type) node_type = (PyTypeObject *)PyType_FromSpec(&node_spec);
    PyErr_Clear();
    PyGILState_Release(state);
    return (uintptr_t)node_type;
}
