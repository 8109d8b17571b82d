/* Executes plans that XLA calls, in XLA's threads and streams, without Python's lock; see xla.h. */

#include "xla.h"

#include <stdarg.h>
#include <stdlib.h>

#include "calls.h"
#include "handles.h"
#include "state.h"
#include "steps.h"

#define BUCKETS 256
#define LONGEST 1024 /* of a message */

/* A plan on one device; nothing of it changes once it is in its bucket, and it is never freed. */
struct target {
    int64_t key;
    int device;
    struct plan *plan;
    uintptr_t descriptor, parts[MAX_STEPS];
    int64_t inputs, results; /* how many it needs; operations have inputs that not every plan reads */
    int has_workspace;
    struct {
        int place; /* of an input, or -1 less that of a result */
        uintptr_t address; /* of a number on the host, or 0 */
    } argument[MAX_ARGUMENTS];
    struct target *next;
};

/* A handle of cuDNN with the stream that it has. */
struct own_handle {
    uintptr_t handle;
    void *context, *stream;
    struct own_handle *next;
};

static struct target *buckets[BUCKETS];
static struct own_handle *idle; /* handles that no thread uses */
static struct lock idle_lock;
static int api_major, api_minor; /* the version of XLA's interface */
static int last_text;            /* the index of cudnnGetLastErrorString, or -1 */
static PyObject *extend;

static int (*context_of_stream)(void *, void **);
static int (*own_context)(void **);
static int (*push_context)(void *);
static int (*pop_context)(void **);
static int (*device_of_context)(int *);

static void *failed(struct xla_frame *frame, int code, const char *format, ...)
{
    char text[LONGEST];
    struct xla_to_error error = {sizeof error, NULL, text, code};
    va_list values;
    va_start(values, format);
    PyOS_vsnprintf(text, sizeof text, format, values);
    va_end(values);
    return frame->api->create_error(&error);
}

/* The error of a status, with what cuDNN says of it on this thread. */
static RARE void *status_error(struct xla_frame *frame, const char *what, int status)
{
    typedef const char *(*name_type)(int);
    typedef void (*text_type)(char *, size_t);
    char text[LONGEST / 2] = "";
    const char *name = functions[indices[STATUS_NAME]] ? F(STATUS_NAME, name_type)(status) : NULL;
    if (last_text >= 0 && functions[last_text]) ((text_type)functions[last_text])(text, sizeof text);
    return failed(frame, XLA_INTERNAL, "cudnn_cffi: %s: %s (%d)%s%s", what, name ? name : "status", status,
                  *text ? ": " : "", text);
}

static struct target *find_target(int64_t key, int device, int *is_known)
{
    struct target *each = LOAD_POINTER(&buckets[(uint64_t)key % BUCKETS]);
    for (; each; each = each->next) {
        if (each->key != key) continue;
        *is_known = 1;
        if (each->device == device) return each;
    }
    return NULL;
}

/* Asks Python for a plan on another device; returns the error, with the text of Python's exception. */
static RARE void *find_elsewhere(struct xla_frame *frame, int64_t key, int device)
{
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *type, *value = NULL, *trace, *text, *answer;
    const char *words = NULL;
    void *error = NULL;
    answer = PyObject_CallFunction(extend, "Li", (long long)key, device);
    if (!answer) {
        PyErr_Fetch(&type, &value, &trace);
        PyErr_NormalizeException(&type, &value, &trace);
        text = value ? PyObject_Str(value) : NULL;
        words = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
        error = failed(frame, XLA_FAILED_PRECONDITION, "cudnn_cffi: on device %d: %s", device,
                       words ? words : "there is no plan");
        PyErr_Clear();
        Py_XDECREF(text);
        Py_XDECREF(type);
        Py_XDECREF(value);
        Py_XDECREF(trace);
    }
    Py_XDECREF(answer);
    PyGILState_Release(state);
    return error;
}

/* Takes a handle that no thread uses: one that has the stream, or else one of the same context. */
static struct own_handle *take_idle(void *context, void *stream)
{
    struct own_handle **at, **found = NULL, *taken = NULL;
    acquire(&idle_lock);
    for (at = &idle; *at; at = &(*at)->next) {
        if ((*at)->context != context) continue;
        found = at;
        if ((*at)->stream == stream) break;
    }
    if (found) {
        taken = *found;
        *found = taken->next;
    }
    release(&idle_lock);
    return taken;
}

static void put_back(struct own_handle *taken)
{
    acquire(&idle_lock);
    taken->next = idle;
    idle = taken;
    release(&idle_lock);
}

/* Makes a handle for the current context; returns cuDNN's status, or -1 without memory. */
static RARE int make_handle(void *context, struct own_handle **made)
{
    typedef int (*create_type)(uintptr_t *);
    struct own_handle *fresh = calloc(1, sizeof *fresh);
    int status;
    if (!fresh) return -1;
    if ((status = F(CREATE_HANDLE, create_type)(&fresh->handle))) return free(fresh), status;
    fresh->context = context;
    *made = fresh;
    return 0;
}

/* A handle for the current context, with the stream. Returns NULL, and the error. */
static struct own_handle *take_handle(struct xla_frame *frame, void *context, void *stream, void **error)
{
    typedef int (*set_stream_type)(uintptr_t, void *);
    struct own_handle *taken = take_idle(context, stream);
    int status;
    if (!taken && (status = make_handle(context, &taken))) {
        *error = status_error(frame, "cudnnCreate", status);
        return NULL;
    }
    if (taken->stream != stream) {
        if ((status = F(SET_STREAM, set_stream_type)(taken->handle, stream))) {
            put_back(taken);
            *error = status_error(frame, "cudnnSetStream", status);
            return NULL;
        }
        taken->stream = stream;
    }
    return taken;
}

/* Whether a call may be launched as a graph: not where XLA captures the stream. */
static inline int is_replayed(const struct plan *plan, void *stream)
{
    int capturing = 0;
    return plan->replays && cudnn_cffi_replay_after && !cudnn_cffi_watchers && !LOAD(&is_logging) && is_capturing
           && !is_capturing(stream, &capturing) && !capturing;
}

/* Executes a plan on the buffers of a call. */
static void *run_target(struct xla_frame *frame, const struct target *target, struct own_handle *with)
{
    uintptr_t found[MAX_ARGUMENTS];
    struct place_of_call where = {with->handle, with->stream, 0};
    struct call_frame all = {target->plan, &where, found, target->parts, 0, target->descriptor, 0, NULL};
    struct xla_buffer **inputs = frame->inputs.item, **results = frame->results.item;
    int i, status;
    if (frame->inputs.count < target->inputs || frame->results.count < target->results)
        return failed(frame, XLA_INVALID_ARGUMENT,
                      "cudnn_cffi: expected %lld inputs and %lld results or more, got %lld and %lld",
                      (long long)target->inputs, (long long)target->results, (long long)frame->inputs.count,
                      (long long)frame->results.count);
    for (i = 0; i < target->plan->count; ++i) {
        int place = target->argument[i].place;
        found[i] = target->argument[i].address;
        if (found[i]) continue;
        found[i] = (uintptr_t)(place >= 0 ? inputs[place] : results[-1 - place])->data;
        if (found[i] & target->plan->arguments[i].mask)
            return failed(frame, XLA_INVALID_ARGUMENT,
                          "cudnn_cffi: argument %d: expected an address that is a multiple of %lld, got 0x%llx",
                          i, (long long)target->plan->arguments[i].mask + 1, (unsigned long long)found[i]);
    }
    if (overlaps(target->plan, found))
        return failed(frame, XLA_INVALID_ARGUMENT, "cudnn_cffi: expected memory of its own for each result");
    if (target->has_workspace) all.workspace = (uintptr_t)results[frame->results.count - 1]->data;
    status = is_replayed(target->plan, with->stream) ? replay_call(&all) : run_call(&all);
    if (where.closed) return failed(frame, XLA_FAILED_PRECONDITION, "cudnn_cffi: the plan is closed");
    if (!status) return NULL;
    if (all.at >= 0 && target->plan->step[all.at].kind >= FILL)
        return failed(frame, XLA_INTERNAL, "cudnn_cffi: a step failed: the driver answers %d", status);
    return status_error(frame, "the execution failed", status);
}

/* Executes the plan with a key, in the stream's context, which is current. */
static void *run_key(struct xla_frame *frame, int64_t key, void *context, void *stream)
{
    void *error = NULL;
    int device = -1, is_known = 0;
    struct own_handle *with;
    struct target *target;
    if (device_of_context(&device)) return failed(frame, XLA_INTERNAL, "cudnn_cffi: the context has no device");
    target = find_target(key, device, &is_known);
    if (!target && is_known) {
        if ((error = find_elsewhere(frame, key, device))) return error;
        target = find_target(key, device, &is_known);
    }
    if (!target)
        return failed(frame, XLA_FAILED_PRECONDITION,
                      "cudnn_cffi: this process has no such plan for device %d: trace the function again", device);
    if (!(with = take_handle(frame, context, stream, &error))) return error;
    error = run_target(frame, target, with);
    put_back(with);
    return error;
}

static void *handle_call(struct xla_frame *frame, uint32_t traits)
{
    const struct xla_number *number;
    struct xla_to_stream to_stream = {sizeof to_stream, NULL, NULL, NULL};
    void *error, *context, *current = NULL;
    int mode = RELAXED, is_pushed;
    if (frame->extension && frame->extension->type == XLA_METADATA) {
        struct xla_metadata *asked = ((struct xla_asking *)frame->extension)->metadata;
        asked->version.major = api_major;
        asked->version.minor = api_minor;
        asked->traits = traits;
        return NULL;
    }
    if (frame->stage != XLA_EXECUTE) return NULL;
    number = frame->attributes.count == 1 && frame->attributes.types[0] == XLA_SCALAR
                 ? frame->attributes.value[0] : NULL;
    if (!number || number->type != XLA_S64)
        return failed(frame, XLA_INVALID_ARGUMENT, "cudnn_cffi: expected the key of a plan");
    to_stream.context = frame->context;
    if ((error = frame->api->get_stream(&to_stream))) return error;
    if (!context_of_stream || context_of_stream(to_stream.stream, &context) || own_context(&current))
        return failed(frame, XLA_INTERNAL, "cudnn_cffi: the stream has no context of CUDA");
    is_pushed = current != context;
    if (is_pushed && push_context(context))
        return failed(frame, XLA_INTERNAL, "cudnn_cffi: the stream's context cannot be current");
    if (exchange_mode) exchange_mode(&mode); /* what XLA captures may load kernels, and so may a new handle */
    error = run_key(frame, *(int64_t *)number->value, context, to_stream.stream);
    if (exchange_mode) exchange_mode(&mode);
    if (is_pushed) pop_context(&context);
    return error;
}

static void *handle_captured(struct xla_frame *frame)
{
    return handle_call(frame, XLA_MAY_CAPTURE);
}

static void *handle_plain(struct xla_frame *frame)
{
    return handle_call(frame, 0);
}

PyObject *xla_set_up(PyObject *none, PyObject *all)
{
    ALONE;
    unsigned long long context, own, push, pop, device;
    PyObject *function;
    (void)none;
    if (!PyArg_ParseTuple(all, "Oiii(KKKKK)", &function, &api_major, &api_minor, &last_text, &context, &own, &push,
                          &pop, &device))
        return NULL;
    if (!idle_lock.wait && make_lock(&idle_lock)) return PyErr_NoMemory();
    Py_INCREF(function);
    Py_XDECREF(extend);
    extend = function;
    context_of_stream = (int (*)(void *, void **))(uintptr_t)context;
    own_context = (int (*)(void **))(uintptr_t)own;
    push_context = (int (*)(void *))(uintptr_t)push;
    pop_context = (int (*)(void **))(uintptr_t)pop;
    device_of_context = (int (*)(int *))(uintptr_t)device;
    return Py_BuildValue("(KK)", (unsigned long long)(uintptr_t)handle_captured,
                         (unsigned long long)(uintptr_t)handle_plain);
}

/* Has the current context, if there is one, have a handle before XLA captures a call: to make one allocates. */
static void keep_idle(void)
{
    struct own_handle *one = NULL;
    void *context = NULL;
    if (!own_context || own_context(&context) || !context) return;
    one = take_idle(context, NULL);
    if (one || !make_handle(context, &one)) put_back(one);
}

PyObject *xla_offer(PyObject *me, PyObject *all)
{
    ALONE;
    struct plan *self = (struct plan *)me;
    struct target *made;
    PyObject *places;
    long long key;
    Py_ssize_t i;
    int device, has_workspace;
    if (!PyArg_ParseTuple(all, "LipO!", &key, &device, &has_workspace, &PyTuple_Type, &places)) return NULL;
    if (!self->ready || self->turn || PyTuple_Size(places) != self->count) {
        PyErr_SetString(PyExc_ValueError, "the plan cannot be executed by XLA");
        return NULL;
    }
    made = PyMem_Calloc(1, sizeof *made);
    if (!made) return PyErr_NoMemory();
    for (i = 0; i < self->count; ++i) {
        unsigned long long address;
        int place;
        if (!PyArg_ParseTuple(PyTuple_GetItem(places, i), "iK", &place, &address)) goto wrong;
        made->argument[i].place = place;
        made->argument[i].address = (uintptr_t)address;
        if (address) continue;
        if (place >= 0 && place + 1 > made->inputs) made->inputs = place + 1;
        if (place < 0 && -place > made->results) made->results = -place;
    }
    if ((self->descriptor && read_slot(DESCRIPTOR_ADDRESS, self->descriptor, &made->descriptor))
        || read_parts(self, made->parts)) {
        PyErr_SetString(PyExc_ValueError, "the plan is closed");
        goto wrong;
    }
    made->results += made->has_workspace = has_workspace;
    made->key = key;
    made->device = device;
    Py_INCREF(me);
    made->plan = self;
    keep_idle();
    do made->next = LOAD_POINTER(&buckets[(uint64_t)key % BUCKETS]);
    while (!SWAP_POINTER(&buckets[(uint64_t)key % BUCKETS], made->next, made));
    Py_RETURN_NONE;
wrong:
    PyMem_Free(made);
    return NULL;
}
