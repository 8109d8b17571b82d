/* Handles of calls; see handles.h. */

#include "handles.h"

#include <stdlib.h>

PyTypeObject *handle_type;
NEAR PyTypeObject *stream_type = NULL;
NEAR unsigned long is_logging = 0, handles_ended = 0;

static struct life *lives;
static int (*end_handle_itself)(uintptr_t);
static int (*set_callback_itself)(unsigned int, void *, void *);

/* The name of the capsule with a thread's handles. */
static const char own_handles_name[] = "cudnn_cffi.plan.handles";

/* Types of streams that are never closed while something refers to them. */
static PyTypeObject *stream_types[MAX_TYPES];
static int stream_type_count;

/* The handles of a thread, which a capsule in Python's dict of the thread owns. */
struct own_handles {
    PyThreadState *thread;
    PyObject *handle[2][MAX_DEVICES]; /* the default ones, and those that follow streams */
    PyObject *beside[MAX_DEVICES];    /* others, each in a tuple with the addresses of two events */
};
static OF_THREAD struct own_handles *own_handles;

static void end_own_handles(PyObject *capsule)
{
    struct own_handles *ended = PyCapsule_GetPointer(capsule, own_handles_name);
    int i;
    if (own_handles == ended) own_handles = NULL;
    for (i = 0; i < MAX_DEVICES; ++i) {
        Py_XDECREF(ended->handle[0][i]);
        Py_XDECREF(ended->handle[1][i]);
        Py_XDECREF(ended->beside[i]);
    }
    free(ended);
}

/* Has `own_handles` be those of this thread; returns whether that failed. */
static RARE int find_own_handles(void)
{
    PyObject *dict = PyThreadState_GetDict(), *capsule;
    struct own_handles *made;
    if (!dict) return 1;
    capsule = PyDict_GetItemString(dict, own_handles_name);
    if (capsule) return !(own_handles = PyCapsule_GetPointer(capsule, own_handles_name));
    if (!(made = calloc(1, sizeof *made))) return 1;
    made->thread = PyThreadState_Get();
    capsule = PyCapsule_New(made, own_handles_name, end_own_handles);
    if (!capsule) return free(made), 1;
    if (!PyDict_SetItemString(dict, own_handles_name, capsule)) own_handles = made;
    Py_DECREF(capsule);
    return own_handles != made;
}

/* Asks Python for this thread's handle, and keeps it. */
static RARE PyObject *ask_for_handle(struct plan *self, int following, uintptr_t device, uintptr_t *address)
{
    PyObject *handle = PyObject_CallMethod((PyObject *)self, following ? "_following" : "_default", "i", (int)device);
    PyObject *before;
    if (handle && (!PyObject_TypeCheck(handle, handle_type) || read_slot(HANDLE_ADDRESS, handle, address)
                   || find_own_handles()))
        Py_CLEAR(handle);
    if (handle) {
        before = own_handles->handle[following][device];
        Py_INCREF(own_handles->handle[following][device] = handle);
        Py_XDECREF(before);
    } else {
        cudnn_cffi_failed();
    }
    return handle;
}

HOT PyObject *thread_handle(struct plan *self, int following, uintptr_t device, uintptr_t *address)
{
    PyObject *handle;
    if (device >= MAX_DEVICES) return NULL;
    if ((!own_handles || own_handles->thread != PyThreadState_Get()) && find_own_handles())
        return cudnn_cffi_failed(), NULL;
    handle = own_handles->handle[following][device];
    if (!handle || read_slot(HANDLE_ADDRESS, handle, address))
        return ask_for_handle(self, following, device, address);
    Py_INCREF(handle);
    return handle;
}

/* Asks Python for this thread's second handle and its events, and keeps them. */
static RARE PyObject *ask_for_side(struct plan *self, uintptr_t device)
{
    PyObject *all = PyObject_CallMethod((PyObject *)self, "_beside", "i", (int)device), *before;
    if (all && (!PyTuple_Check(all) || PyTuple_Size(all) < 3 || find_own_handles())) Py_CLEAR(all);
    if (!all) return cudnn_cffi_failed(), NULL;
    before = own_handles->beside[device];
    own_handles->beside[device] = all;
    Py_XDECREF(before);
    return all;
}

PyObject *thread_side(struct plan *self, uintptr_t device, struct side *side)
{
    typedef int (*get_stream_type)(uintptr_t, void **);
    PyObject *all, *handle;
    int capturing = 0, i;
    if (device >= MAX_DEVICES || !record_event || !wait_for_event
        || ((!own_handles || own_handles->thread != PyThreadState_Get()) && find_own_handles()))
        return cudnn_cffi_failed(), NULL;
    all = own_handles->beside[device];
    if ((!all || read_slot(HANDLE_ADDRESS, PyTuple_GetItem(all, 0), &side->handle))
        && !(all = ask_for_side(self, device)))
        return NULL;
    handle = PyTuple_GetItem(all, 0);
    if (!PyObject_TypeCheck(handle, handle_type) || read_slot(HANDLE_ADDRESS, handle, &side->handle)
        || is_elsewhere(handle) || F(GET_STREAM, get_stream_type)(side->handle, &side->stream)
        || (is_capturing && (is_capturing(side->stream, &capturing) || capturing)))
        return NULL;
    for (i = 0; i < 2; ++i) side->events[i] = PyLong_AsSize_t(PyTuple_GetItem(all, 1 + i));
    if (PyErr_Occurred()) return cudnn_cffi_clear_error(), NULL;
    Py_INCREF(all);
    return all;
}

HOT int is_elsewhere(PyObject *handle)
{
    uintptr_t wanted;
    void *current = NULL;
    if (read_slot(HANDLE_CONTEXT, handle, &wanted)) return 1;
    if (!current_context || !wanted) return 0;
    if (current_context(&current)) return 1;
    return current ? (uintptr_t)current != wanted : several_devices;
}

HOT int has_no_context(PyObject *handle)
{
    uintptr_t wanted;
    void *current = NULL;
    if (read_slot(HANDLE_CONTEXT, handle, &wanted)) return 1;
    return current_context && wanted && (current_context(&current) || !current);
}

HOT int may_be_closed(PyObject *handle)
{
    PyObject *stream = slot_of(HANDLE_STREAM, handle);
    uintptr_t address;
    int i, bad = 1;
    if (!stream) return 1;
    if (stream == Py_None || PyLong_Check(stream))
        bad = 0;
    else if (Py_TYPE(stream) == stream_type)
        bad = read_slot(STREAM_ADDRESS, stream, &address);
    else
        for (i = 0; bad && i < stream_type_count; ++i) bad = stream_types[i] != Py_TYPE(stream);
    Py_DECREF(stream);
    return bad;
}

int is_other_stream(PyObject *handle, PyObject *stream)
{
    PyObject *own;
    int other;
    if (stream == Py_None || PyLong_CheckExact(stream)) return 0;
    own = slot_of(HANDLE_STREAM, handle);
    other = own != stream;
    Py_XDECREF(own);
    return other;
}

uintptr_t workspace_of(struct plan *self, PyObject *handle, uintptr_t stream)
{
    PyObject *workspace = slot_of(HANDLE_WORKSPACE, handle), *blocks = NULL, *key = NULL, *of = NULL;
    PyObject *block = NULL, *own = NULL;
    uintptr_t size, address = 0;
    if (workspace && workspace != Py_None) blocks = PyObject_GetAttr(workspace, n_blocks);
    if (blocks && PyDict_Check(blocks)) key = PyLong_FromSize_t(stream);
    if (key) block = cudnn_cffi_find_item(blocks, key);
    if (block && (of = slot_of(MEMORY_STREAM, block)) && (own = slot_of(HANDLE_STREAM, handle))
        && (of == own || of == Py_None || PyLong_Check(of)) && !read_slot(MEMORY_SIZE, block, &size)
        && size >= self->workspace_size && read_slot(MEMORY_ADDRESS, block, &address))
        address = 0;
    Py_XDECREF(own);
    Py_XDECREF(of);
    Py_XDECREF(block);
    Py_XDECREF(key);
    Py_XDECREF(blocks);
    Py_XDECREF(workspace);
    if (PyErr_Occurred()) address = 0, cudnn_cffi_clear_error();
    return address;
}

int address_of_stream(struct plan *self, PyObject *stream, void **address)
{
    PyObject *number;
    if (stream == Py_None) return *address = NULL, 0;
    if (Py_TYPE(stream) == stream_type) return read_slot(STREAM_ADDRESS, stream, (uintptr_t *)address);
    number = PyObject_CallMethod((PyObject *)self, "_stream_address", "O", stream);
    if (number) *address = (void *)PyLong_AsSize_t(number);
    Py_XDECREF(number);
    if (!PyErr_Occurred()) return 0;
    cudnn_cffi_clear_error(); /* `_run` fails in the same way */
    return 1;
}

struct life *find_life(uintptr_t handle)
{
    struct life *each = LOAD_POINTER(&lives);
    while (each && each->handle != handle) each = each->next;
    return each;
}

RARE struct life *life_of(uintptr_t handle)
{
    struct life *found = find_life(handle), *made;
    if (found || !(made = calloc(1, sizeof *made))) return found;
    made->handle = handle;
    do {
        made->next = LOAD_POINTER(&lives);
        if ((found = find_life(handle))) return free(made), found; /* another thread was first */
    } while (!SWAP_POINTER(&lives, made->next, made));
    return made;
}

static int end_handle(uintptr_t handle)
{
    struct life *life = find_life(handle);
    if (life) ADD(&life->ends, 1);
    ADD((long *)&handles_ended, 1);
    return end_handle_itself(handle);
}

static int set_callback(unsigned int mask, void *data, void *callback)
{
    STORE(&is_logging, mask >> numbers[INFO] & 1);
    return set_callback_itself(mask, data, callback);
}

void install_hooks(void)
{
    typedef int (*get_callback_type)(unsigned int *, void **, void **);
    void **end = &functions[indices[DESTROY_HANDLE]], **set = &functions[indices[SET_CALLBACK]];
    unsigned int mask = 0;
    void *data, *callback;
    if (*end && *end != (void *)(uintptr_t)end_handle) {
        end_handle_itself = (int (*)(uintptr_t))*end;
        *end = (void *)(uintptr_t)end_handle;
    }
    if (*set && *set != (void *)(uintptr_t)set_callback) {
        set_callback_itself = (int (*)(unsigned int, void *, void *))*set;
        *set = (void *)(uintptr_t)set_callback;
        if (functions[indices[GET_CALLBACK]]
            && !F(GET_CALLBACK, get_callback_type)(&mask, &data, &callback))
            STORE(&is_logging, mask >> numbers[INFO] & 1);
    }
}

PyObject *learn_stream(PyObject *none, PyObject *type)
{
    ALONE;
    int i;
    (void)none;
    for (i = 0; i < stream_type_count; ++i)
        if ((PyObject *)stream_types[i] == type) Py_RETURN_NONE;
    if (PyType_Check(type) && stream_type_count < MAX_TYPES) {
        Py_INCREF(type);
        stream_types[stream_type_count++] = (PyTypeObject *)type;
    }
    Py_RETURN_NONE;
}
