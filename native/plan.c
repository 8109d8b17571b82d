/* The call of a plan: its arguments are read, it is executed, and its outputs are returned. See plan.h. */

#include <Python.h>
#include <stdlib.h>
#include <string.h>
#include <structmember.h>

#include "calls.h"
#include "handles.h"
#include "packs.h"
#include "setup.h"
#include "state.h"
#include "steps.h"
#include "xla.h"

PyTypeObject *plan_type;

/* Where copies are kept, or NULL. */
static OF_THREAD struct kept_copy *keeping;

struct kept_copy *cudnn_cffi_keep_copy(struct kept_copy *here)
{
    struct kept_copy *before = keeping;
    keeping = here;
    return before;
}

/* A copy of an array: a new reference. */
static PyObject *copy_of(PyObject *array, PyObject *copier)
{
    struct kept_copy *kept = keeping;
    PyObject *copy;
    if (kept && kept->array == array && kept->copier == copier) {
        Py_INCREF(kept->copy);
        return kept->copy;
    }
    copy = PyObject_CallFunctionObjArgs(copier, array, NULL);
    if (copy && kept && kept->array == array && !kept->copy) {
        Py_INCREF(kept->copier = copier);
        Py_INCREF(kept->copy = copy);
    }
    return copy;
}

/* Makes the copies of inputs that are taken in their places, and puts them into `values` and `made`;
   returns whether the call is not plain. */
static RARE int copy_inputs(struct plan *self, const struct arguments *arguments, PyObject **values,
                            PyObject **made, uintptr_t *found, uintptr_t *device)
{
    struct array_type *type;
    Py_ssize_t i;
    for (i = 0; i < self->inputs; ++i) {
        if (!arguments->copiers[i]) continue;
        made[i] = copy_of(values[i], arguments->copiers[i]);
        if (!(values[i] = made[i])) {
            cudnn_cffi_failed(); /* Python's way copies, too, and fails likewise */
            return 1;
        }
        type = type_of(values[i]);
        if (!type || array_mismatch(type, values[i], arguments, &self->arguments[i], &found[i], device))
            return 1;
    }
    return 0;
}

/* A new array for an output. */
static PyObject *new_output(struct plan *self, struct array_type *type, int output,
                            uintptr_t device, PyObject *handle)
{
    PyObject *all, *one, *arguments, *named, *new;
    if (!self->makers || (uintptr_t)self->makers_device != device) return NULL;
    all = cudnn_cffi_find_item(self->makers, (PyObject *)type->type);
    one = all ? PyTuple_GetItem(all, output) : NULL;
    Py_XINCREF(one); /* they may be others before the call is over */
    Py_XDECREF(all);
    if (!one) return NULL;
    arguments = PyTuple_GetItem(one, 1);
    named = PyTuple_GetItem(one, 2);
    if (arguments == Py_None)
        new = PyObject_CallFunctionObjArgs(PyTuple_GetItem(one, 0), handle, NULL);
    else
        new = PyObject_Call(PyTuple_GetItem(one, 0), arguments, named == Py_None ? NULL : named);
    Py_DECREF(one);
    return new;
}

/* Puts the arguments of a call in the order of operands; returns whether the call is not plain. */
HOT static int sort_arguments(struct plan *self, PyObject *const *given, Py_ssize_t count, PyObject *names,
                          struct arguments *arguments)
{
    Py_ssize_t i, j, named = names ? PyTuple_Size(names) : 0;
    memset(arguments, 0,
           offsetof(struct arguments, values) + (size_t)self->count * sizeof *arguments->values);
    if (count > self->count) return 1;
    for (i = 0; i < count; ++i)
        if (given[i] != Py_None) arguments->values[i] = given[i];
    for (i = 0; i < named; ++i) {
        PyObject *name = PyTuple_GetItem(names, i), *value = given[count + i];
        for (j = 0; j < self->count; ++j)
            if (self->arguments[j].name == name) break;
        if (j == self->count && name != n_handle && name != n_stream && name != n_workspace) {
            /* a name that was made while it runs */
            for (j = 0; j < self->count; ++j)
                if (!PyUnicode_Compare(self->arguments[j].name, name)) break;
            if (j == self->count && !PyUnicode_Compare(name, n_handle)) name = n_handle;
            if (j == self->count && !PyUnicode_Compare(name, n_stream)) name = n_stream;
            if (j == self->count && !PyUnicode_Compare(name, n_workspace)) name = n_workspace;
        }
        if (j < self->count) {
            if (j < count || arguments->values[j]) return 1;
            if (value != Py_None) arguments->values[j] = value;
        } else if (name == n_handle) {
            if (value != Py_None) arguments->handle = value;
        } else if (name == n_workspace) {
            if (value != Py_None) arguments->workspace = value;
        } else if (name != n_stream) {
            return 1;
        } else if (value != Py_Ellipsis) {
            arguments->stream = value;
        }
    }
    return 0;
}

/* A call while it runs. */
struct running {
    struct plan *plan;
    const struct arguments *arguments;
    PyObject *values[MAX_ARGUMENTS]; /* the arrays, by the order of operands */
    PyObject *made[MAX_ARGUMENTS];   /* those of them that are made here: references of this call */
    PyObject *handle, *scratch;       /* references, too; the second has memory for the workspace */
    PyObject *beside;                 /* what keeps the second stream; NULL without one */
    struct side side;
    uintptr_t found[MAX_ARGUMENTS], parts[MAX_STEPS]; /* addresses of arrays, and of plans among steps */
    uintptr_t device, workspace, descriptor;
    struct array_type *first; /* of the first array */
    struct array_type *other; /* of arrays of another library, whose current stream counts as well; or NULL */
    struct place_of_call where;
    int missing, copied; /* how many outputs are to be made, and how many inputs copied */
};

/* Reads the descriptions of arguments; returns whether the call is not plain. */
static inline int read_tables(struct running *call, const struct tables *tables)
{
    struct plan *self = call->plan;
    Py_ssize_t i;
    for (i = 0; i < self->count; ++i) {
        struct argument *one = &self->arguments[i];
        uintptr_t device = 0;
        call->values[i] = call->made[i] = NULL;
        if (!tables->given[i]) {
            if (!one->is_output) return 1;
            ++call->missing;
            continue;
        }
        if (one->is_output || read_description(tables->given[i], one, &call->found[i], &device)
            || (call->found[i] & one->mask))
            return 1;
        if (call->device == (uintptr_t)-1) call->device = device;
        if (device != call->device) return 1;
    }
    for (i = 0; i < array_type_count; ++i)
        if (array_types[i].type == tables->kind && array_types[i].reading == BY_TABLE)
            call->first = &array_types[i];
    return !call->first || call->device == (uintptr_t)-1;
}

/* Whether two types of arrays may be of different libraries: a table is that of one library. */
static inline int may_differ(const struct array_type *one, const struct array_type *other)
{
    return one != other && (!one->table || one->table != other->table);
}

/* Notes the library of an array that is not the first one's; returns whether it may be a third one. */
static RARE int is_third_library(struct running *call, struct array_type *type)
{
    if (call->other && may_differ(call->other, type)) return 1;
    call->other = type;
    return 0;
}

/* Reads the arguments; returns whether the call is not plain. */
static inline int read_arguments(struct running *call)
{
    struct plan *self = call->plan;
    const struct arguments *arguments = call->arguments;
    Py_ssize_t i;
    call->first = call->other = NULL;
    call->missing = call->copied = 0;
    call->device = self->device;
    if (arguments->tables) return read_tables(call, arguments->tables);
    for (i = 0; i < self->count; ++i) {
        struct argument *one = &self->arguments[i];
        struct array_type *type = call->first;
        PyObject *value = call->values[i] = arguments->values[i];
        call->made[i] = NULL;
        if (!value) {
            if (!one->is_output) return 1;
            ++call->missing;
            continue;
        }
        if (!type || type->type != Py_TYPE(value)) {
            type = type_of(value);
            if (call->first && type && type->has_stream && may_differ(call->first, type)
                && is_third_library(call, type))
                return 1;
        }
        if (arguments->copiers && arguments->copiers[i]) {
            if (one->is_output || arguments->handle || arguments->stream
                || cannot_be_read(type, value, &call->device))
                return 1;
            ++call->copied;
        } else if (!type || array_mismatch(type, value, arguments, one, &call->found[i], &call->device)) {
            return 1;
        }
        if (!call->first) call->first = type;
    }
    return !call->first;
}

/* Takes the handle that was passed to a call; returns whether the call is not plain. */
static RARE int take_handle(struct running *call)
{
    typedef int (*get_stream_type)(uintptr_t, void **);
    PyObject *handle = call->arguments->handle;
    uintptr_t device;
    if (call->arguments->stream || !PyObject_TypeCheck(handle, handle_type)
        || read_slot(HANDLE_ADDRESS, handle, &call->where.handle) || may_be_closed(handle)
        || F(GET_STREAM, get_stream_type)(call->where.handle, &call->where.stream)
        || read_slot(HANDLE_DEVICE, handle, &device) || device != call->device)
        return 1;
    Py_INCREF(call->handle = handle);
    return 0;
}

/* Finds this thread's handle, and sets its stream; returns whether the call is not plain. */
static inline int find_handle(struct running *call)
{
    typedef int (*get_stream_type)(uintptr_t, void **);
    typedef int (*set_stream_type)(uintptr_t, void *);
    PyObject *stream = call->arguments->stream;
    struct place_of_call *where = &call->where;
    void *wanted = NULL;
    int has_stream = 1;
    if (stream) {
        if (address_of_stream(call->plan, stream, &wanted)) return 1;
    } else if (call->first->has_stream) {
        if (current_stream_of(call->first, call->device, &wanted)) return 1;
    } else {
        has_stream = 0;
    }
    call->handle = thread_handle(call->plan, 0, call->device, &where->handle);
    if (!call->handle || F(GET_STREAM, get_stream_type)(where->handle, &where->stream)) return 1;
    if (!has_stream || (stream && where->stream == wanted)) return may_be_closed(call->handle);
    if (where->stream == wanted) return 0;
    Py_DECREF(call->handle);
    call->handle = thread_handle(call->plan, 1, call->device, &where->handle);
    if (!call->handle || (stream && is_other_stream(call->handle, stream))
        || F(GET_STREAM, get_stream_type)(where->handle, &where->stream)
        || (where->stream != wanted && F(SET_STREAM, set_stream_type)(where->handle, wanted)))
        return 1;
    where->stream = wanted;
    return 0;
}

/* Whether the stream cannot be used here: it is captured, or outputs are made in the order of another one, or another
   library has work in another one. */
static inline int is_unfit(const struct running *call)
{
    void *stream = call->where.stream, *current;
    int capturing = 0;
    if (is_elsewhere(call->handle) || (call->plan->steps && has_no_context(call->handle))) return 1;
    if (!IS_DEFAULT(stream) && is_capturing && (is_capturing(stream, &capturing) || capturing)) return 1;
    if (!call->arguments->handle && !call->arguments->stream)
        return call->other && (current_stream_of(call->other, call->device, &current) || current != stream);
    return call->missing && call->first->has_stream
           && (current_stream_of(call->first, call->device, &current) || current != stream);
}

/* Makes the outputs whose addresses alone are needed; returns 1 if the call is not plain. */
static inline int make_addresses(struct running *call, const struct tables *tables)
{
    struct plan *self = call->plan;
    Py_ssize_t i;
    for (i = self->inputs; i < self->count; ++i) {
        struct argument *one = &self->arguments[i];
        struct dlpack_array like = {NULL, DLPACK_CUDA, (int32_t)call->device, one->axes, (uint8_t)one->code,
                                    (uint8_t)one->bits, 1, SHAPE(one), STRIDES(one), 0};
        call->found[i] = tables->make(tables->what, (int)(i - self->inputs), &like);
        if (!call->found[i] || (call->found[i] & one->mask)) return 1;
    }
    return 0;
}

/* Makes the outputs that did not come; returns whether the call is not plain. */
static inline int make_outputs(struct running *call)
{
    struct plan *self = call->plan;
    Py_ssize_t i;
    if (call->arguments->tables) return make_addresses(call, call->arguments->tables);
    for (i = self->inputs; call->missing && i < self->count; ++i) {
        if (call->values[i]) continue;
        call->made[i] = call->values[i] =
            new_output(self, call->first, (int)(i - self->inputs), call->device, call->handle);
        if (!call->values[i]) {
            cudnn_cffi_failed(); /* `_run` fails in the same way, and says of what */
            return 1;
        }
        if (call->first->type != Py_TYPE(call->values[i])
            || array_mismatch(call->first, call->values[i], call->arguments, &self->arguments[i],
                              &call->found[i], &call->device))
            return 1;
    }
    return 0;
}

/* Finds the workspace: the one passed, or the handle's, or memory of the library of the arrays,
   which uses that again in the order of its current stream. Returns whether the call is not plain.
   */
static inline int find_workspace(struct running *call)
{
    struct plan *self = call->plan;
    const struct arguments *arguments = call->arguments;
    const struct tables *tables = arguments->tables;
    int64_t size = (int64_t)self->workspace_size, stride = 1;
    struct dlpack_array like = {NULL, DLPACK_CUDA, (int32_t)call->device, 1, DLPACK_UINT, 8, 1, &size, &stride, 0};
    call->workspace = 0;
    if (arguments->workspace)
        return address_of_workspace(self->workspace_size, arguments->workspace, call->device, &call->workspace)
               || is_over_arguments(self, call->found, call->workspace);
    if (!self->workspace_size) return 0;
    call->workspace = workspace_of(self, call->handle, (uintptr_t)call->where.stream);
    if (call->workspace) return 0;
    if (arguments->stream || arguments->handle || call->first->reading != BY_TABLE || !call->first->has_stream)
        return 1;
    if (tables) return !(call->workspace = tables->make(tables->what, self->count - self->inputs, &like));
    call->scratch = new_output(self, call->first, self->count - self->inputs, call->device, call->handle);
    return cudnn_cffi_failed() || !call->scratch
           || address_of_workspace(self->workspace_size, call->scratch, call->device, &call->workspace);
}

/* Reads what could be closed by the code that copies, outputs and workspaces run; returns whether it is. */
static inline int read_addresses(struct running *call)
{
    struct plan *self = call->plan;
    return (self->descriptor && read_slot(DESCRIPTOR_ADDRESS, self->descriptor, &call->descriptor))
           || read_parts(self, call->parts)
           || ((call->missing || call->copied || call->scratch || call->beside)
               && read_slot(HANDLE_ADDRESS, call->handle, &call->where.handle));
}

/* Finds a second stream for the steps that have one, after all other code of Python's. */
static RARE void find_side(struct running *call)
{
    call->beside = thread_side(call->plan, call->device, &call->side);
    if (call->beside && call->side.handle != call->where.handle) call->where.side = &call->side;
}

/* Whether calls that come again may be launched as graphs. */
static inline int may_replay(const struct plan *self)
{
    return self->replays && !self->turn && cudnn_cffi_replay_after && !cudnn_cffi_watchers && !LOAD(&is_logging);
}

/* Runs everything, in its turn if it has one; returns cuDNN's status, and the step that failed in `at`. */
static inline int launch(struct running *call, int *at)
{
    struct plan *self = call->plan;
    struct turn *turn = self->turn;
    struct place_of_call *where = &call->where;
    struct call_frame all = {self, where, call->found, call->parts, call->workspace, call->descriptor, 0, NULL};
    int replays = may_replay(self) && !call->arguments->handle;
    int status = 0;
    where->closed = 0;
    all.thread = PyEval_SaveThread();
    if (turn) {
        acquire(&turn->lock);
        where->closed = begin_turn(turn, where->stream);
    }
    if (replays) {
        status = replay_call(&all);
    } else if (!where->closed) {
        if (self->parts) { /* threads with the same handle do not mix what lies between */
            acquire(&self->lock);
            where->closed = self->closed;
        }
        if (!where->closed) status = run_call(&all);
        if (self->parts) release(&self->lock);
    }
    if (turn) {
        if (!where->closed && !record_event((uintptr_t)turn->event, where->stream))
            turn->stream = (uintptr_t)where->stream;
        else if (!where->closed)
            turn->ready = 0; /* the next call finds out what is wrong */
        release(&turn->lock);
    }
    PyEval_RestoreThread(all.thread);
    *at = all.at;
    return status;
}

/* Returns the output, or a tuple of all; None where only addresses were wanted. */
static inline PyObject *outputs_of(const struct running *call)
{
    struct plan *self = call->plan;
    PyObject *answer;
    if (call->arguments->tables) Py_RETURN_NONE;
    if (self->count - self->inputs != 1)
        return cudnn_cffi_pack(call->values + self->inputs, self->count - self->inputs);
    Py_INCREF(answer = call->values[self->inputs]);
    return answer;
}

/* Tries the fast path. Returns the result; NULL with an exception; or NULL without one where the call is not
   plain and nothing was executed: the caller must use `_run`. */
HOT static PyObject *try_fast_call(struct plan *self, const struct arguments *arguments)
{
    struct running call;
    PyObject *answer = NULL;
    Py_ssize_t i;
    int status, at;
    if (!functions[indices[EXECUTE]]) return NULL;
    if (self->steps && cudnn_cffi_watchers) return NULL; /* watchers see each C call */
    call.plan = self;
    call.arguments = arguments;
    if (read_arguments(&call)) return NULL;
    call.handle = call.scratch = call.beside = NULL;
    call.where.side = NULL;
    if (arguments->handle ? take_handle(&call) : find_handle(&call)) goto done;
    if (is_unfit(&call)) goto done;
    if (call.copied && copy_inputs(self, arguments, call.values, call.made, call.found, &call.device)) goto done;
    if (make_outputs(&call)) goto done;
    if (call.missing != self->count - self->inputs && overlaps(self, call.found)) goto done;
    if (find_workspace(&call)) goto done;
    if (self->forks) find_side(&call);
    if (PyErr_Occurred() || read_addresses(&call)) goto done;
    status = launch(&call, &at);
    if (call.where.closed) goto done; /* `_run` raises; it may repeat the steps above */
    if (!status) {
        answer = outputs_of(&call);
    } else {
        answer = PyObject_CallMethod((PyObject *)self, "_failed", "iOi", status, call.handle, at);
        Py_CLEAR(answer); /* it has raised */
    }
done:
    for (i = call.copied ? 0 : self->inputs; (call.copied || call.missing) && i < self->count; ++i)
        Py_XDECREF(call.made[i]);
    Py_XDECREF(call.scratch);
    Py_XDECREF(call.beside);
    Py_XDECREF(call.handle);
    return answer;
}

HOT PyObject *cudnn_cffi_run(PyObject *plan, const struct arguments *arguments)
{
    return ((struct plan *)plan)->ready ? try_fast_call((struct plan *)plan, arguments) : NULL;
}

int cudnn_cffi_runs(PyObject *plan, int operands)
{
    return PyObject_TypeCheck(plan, plan_type) && ((struct plan *)plan)->ready
           && ((struct plan *)plan)->count == operands;
}

int cudnn_cffi_takes_turns(PyObject *plan)
{
    return PyObject_TypeCheck(plan, plan_type) && ((struct plan *)plan)->turn;
}

uintptr_t cudnn_cffi_alignment(PyObject *plan)
{
    struct plan *self = (struct plan *)plan;
    uintptr_t alignment = 0;
    int i;
    for (i = 0; i < self->count; ++i) alignment += self->arguments[i].mask;
    return alignment;
}

/* The method `_run`, for calls that are not plain. */
static RARE PyObject *slow(PyObject *self, PyObject *const *given, Py_ssize_t count, PyObject *names)
{
    PyObject *values, *named, *answer;
    if (cudnn_cffi_collect(given, count, names, &values, &named)) return NULL;
    answer = PyObject_CallMethod(self, "_run", "OO", values, named);
    Py_DECREF(values);
    Py_DECREF(named);
    return answer;
}

HOT PyObject *plan_enter(PyObject *me, PyObject *const *given, size_t flagged, PyObject *names)
{
    ALONE;
    struct plan *self = (struct plan *)me;
    Py_ssize_t count = COUNT(flagged);
    struct arguments arguments;
    if (self->ready && !sort_arguments(self, given, count, names, &arguments)) {
        PyObject *answer = try_fast_call(self, &arguments);
        if (answer || PyErr_Occurred()) return answer;
    }
    return slow(me, given, count, names);
}

/* A call where it is plain, else NotImplemented. */
static PyObject *plan_attempt(PyObject *me, PyObject *const *given, Py_ssize_t count,
                              PyObject *names)
{
    ALONE;
    struct plan *self = (struct plan *)me;
    PyObject *answer = NULL;
    struct arguments arguments;
    if (self->ready && !sort_arguments(self, given, count, names, &arguments)) answer = try_fast_call(self, &arguments);
    if (answer || PyErr_Occurred()) return answer;
    Py_INCREF(Py_NotImplemented);
    return Py_NotImplemented;
}

HOT static PyObject *plan_call(PyObject *me, PyObject *given, PyObject *named)
{
    return cudnn_cffi_enter(plan_enter, me, given, named);
}

int cudnn_cffi_execute(PyObject *plan, PyObject *handle, const uintptr_t *found,
                       PyObject *workspace, int reads_host)
{
    typedef int (*get_stream_type)(uintptr_t, void **);
    struct plan *self = (struct plan *)plan;
    uintptr_t address, device;
    uint64_t print;
    PyObject *answer;
    struct place_of_call where = {0};
    struct call_frame all = {self, &where, found, NULL, 0, 0, -1, NULL};
    void *stream;
    int capturing = 0, status;
    if (!self->ready || self->steps || !self->descriptor
        || !functions[indices[EXECUTE]] || cudnn_cffi_watchers)
        return 1;
    if (!PyObject_TypeCheck(handle, handle_type) || read_slot(HANDLE_ADDRESS, handle, &address)
        || read_slot(HANDLE_DEVICE, handle, &device) || may_be_closed(handle)
        || F(GET_STREAM, get_stream_type)(address, &stream) || is_elsewhere(handle)
        || (self->device != (uintptr_t)-1 && self->device != device) || overlaps(self, found))
        return 1;
    if (!IS_DEFAULT(stream) && is_capturing && (is_capturing(stream, &capturing) || capturing))
        return 1;
    if (!workspace) {
        if (self->workspace_size && !(all.workspace = workspace_of(self, handle, (uintptr_t)stream)))
            return 1;
    } else if (PyLong_CheckExact(workspace)) {
        if (cudnn_cffi_address(workspace, NULL, &all.workspace, &print) && self->workspace_size) return 1;
    } else if (self->workspace_size && address_of_workspace(self->workspace_size, workspace, device, &all.workspace)) {
        return 1;
    }
    if (workspace && is_over_arguments(self, found, all.workspace)) return 1;
    if (read_slot(DESCRIPTOR_ADDRESS, self->descriptor, &all.descriptor)) return 1;
    where.handle = address;
    where.stream = stream;
    all.thread = PyEval_SaveThread();
    status = !reads_host && may_replay(self) ? replay_call(&all) : run_call(&all);
    PyEval_RestoreThread(all.thread);
    if (where.closed) return 1;
    if (!status) return 0;
    answer = PyObject_CallMethod(plan, "_failed", "iOi", status, handle, -1);
    Py_XDECREF(answer); /* it has raised */
    return -1;
}

static PyObject *plan_acquire(PyObject *me, PyObject *none)
{
    ALONE;
    (void)none;
    return acquire_of_python(&((struct plan *)me)->lock);
}

static PyObject *plan_release(PyObject *me, PyObject *none)
{
    ALONE;
    (void)none;
    return release_of_python(&((struct plan *)me)->lock);
}

/* For a thread that has the lock: no call that waits for it may use the plan. */
static PyObject *plan_end(PyObject *me, PyObject *none)
{
    ALONE;
    (void)none;
    ((struct plan *)me)->closed = 1;
    forget_calls((struct plan *)me);
    Py_RETURN_NONE;
}

/* In the child of a fork, before anything else: renews all locks. Graphs stay with the parent if the child
   cannot use CUDA, which the argument says. */
static PyObject *after_fork(PyObject *none, PyObject *is_lost)
{
    ALONE;
    struct lock *lock;
    int bad = PyObject_IsTrue(is_lost);
    (void)none;
    if (bad < 0) return NULL;
    if (bad) cudnn_cffi_leave_to_parent();
    forget_recordings();
    for (lock = locks, bad = 0; lock; lock = lock->behind) bad |= renew_lock(lock);
    if (bad) return PyErr_NoMemory();
    Py_RETURN_NONE;
}

static PyObject *plan_new(PyTypeObject *type, PyObject *given, PyObject *named)
{
    ALONE;
    struct plan *self = (struct plan *)PyType_GenericAlloc(type, 0);
    (void)given, (void)named;
    if (!self) return NULL;
    if (make_lock(&self->lock)) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    return (PyObject *)self;
}

static int plan_traverse(PyObject *me, visitproc visit, void *arg)
{
    struct plan *self = (struct plan *)me;
    int i;
    Py_VISIT(Py_TYPE(me));
    Py_VISIT(self->descriptor);
    for (i = 0; i < self->steps; ++i) Py_VISIT((PyObject *)self->step[i].part);
    Py_VISIT(self->makers);
    return 0;
}

static int plan_clear(PyObject *me)
{
    struct plan *self = (struct plan *)me;
    PyObject *turn;
    forget(self);
    forget_calls(self);
    turn = (PyObject *)self->turn;
    self->turn = NULL;
    Py_XDECREF(turn);
    Py_CLEAR(self->descriptor);
    Py_CLEAR(self->makers);
    return 0;
}

static void plan_free(PyObject *me)
{
    ALONE;
    struct plan *self = (struct plan *)me;
    int i;
    PyObject_GC_UnTrack(me);
    plan_clear(me);
    for (i = 0; self->packs && i < MAX_PACKS; ++i) drop_pack(pack_at(self, i));
    PyMem_Free(self->packs);
    free_lock(&self->lock);
    cudnn_cffi_free(me);
}

static PyMemberDef plan_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(struct plan, enter), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyMethodDef plan_methods[] = {
    {"attempt", (PyCFunction)(void (*)(void))plan_attempt, METH_FASTCALL | METH_KEYWORDS,
     "Execute the plan as a call does, or return NotImplemented.\n\n"
     "Nothing was executed where it returns that: an operand does not fit, or the call is not one\n"
     "that the compiled layer makes, as is always so where nothing was compiled. For callers that\n"
     "have several plans and try the last one first."},
    {"_launcher", cudnn_cffi_new_launcher, METH_VARARGS, NULL},
    {"_arm", (PyCFunction)(void (*)(void))plan_arm, METH_VARARGS | METH_KEYWORDS, NULL},
    {"_keep_apart", plan_keep_apart, METH_O, NULL},
    {"_set_dtypes", plan_set_dtypes, METH_O, NULL},
    {"_teach", plan_teach, METH_VARARGS, NULL},
    {"_acquire", plan_acquire, METH_NOARGS, NULL},
    {"_release", plan_release, METH_NOARGS, NULL},
    {"_end", plan_end, METH_NOARGS, NULL},
    {"_graphs", plan_graphs, METH_NOARGS, NULL},
    {"_set_up_all", (PyCFunction)(void (*)(void))set_up, METH_VARARGS | METH_KEYWORDS | METH_STATIC, NULL},
    {"_replay", (PyCFunction)(void (*)(void))cudnn_cffi_set_up_replaying,
     METH_VARARGS | METH_KEYWORDS | METH_STATIC, NULL},
    {"_learn_array", learn_array, METH_VARARGS | METH_STATIC, NULL},
    {"_after_fork", after_fork, METH_O | METH_STATIC, NULL},
    {"_replays", count_replays, METH_NOARGS | METH_STATIC, NULL},
    {"_stop_recording", stop_recording, METH_NOARGS | METH_STATIC, NULL},
    {"_allocate", allocate, METH_VARARGS | METH_STATIC, NULL},
    {"_free", free_memory, METH_VARARGS | METH_STATIC, NULL},
    {"_turn", new_turn, METH_NOARGS | METH_STATIC, NULL},
    {"_learn_stream", learn_stream, METH_O | METH_STATIC, NULL},
    {"_set_up_xla", xla_set_up, METH_VARARGS | METH_STATIC, NULL},
    {"_offer_to_xla", xla_offer, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot plan_slots[] = {
    {Py_tp_new, plan_new},
    {Py_tp_call, plan_call},
    {Py_tp_traverse, plan_traverse},
    {Py_tp_clear, plan_clear},
    {Py_tp_dealloc, plan_free},
    {Py_tp_members, plan_members},
    {Py_tp_methods, plan_methods},
    {0, NULL},
};

static PyType_Spec plan_spec = {
    "cudnn_cffi.PlanBase",
    sizeof(struct plan),
    0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE | VECTORCALL_FLAG,
    plan_slots,
};

uintptr_t cudnn_cffi_plan_type(void)
{
    PyGILState_STATE state = PyGILState_Ensure();
    make_turn_type();
    if (!plan_type) plan_type = (PyTypeObject *)PyType_FromSpec(&plan_spec);
    PyErr_Clear();
    PyGILState_Release(state);
    return (uintptr_t)plan_type;
}
