/* The base of plans and of classic calls; see plan.h. */

#include <Python.h>
#include <stdlib.h>
#include <string.h>
#include <structmember.h>

#include "dlpack.h"
#include "function.h"
#include "plan.h"
#include "replay.h"
#include "shim.h"

#define MOST_AXES 8
#define MOST_PACKED 64
#define MOST_STEPS 16
#define MOST_TYPES 16
#define MOST_DEVICES 64
#define MOST_PACKS 16
#define LINE 64 /* bytes of a line of the cache */
#define MOST_SELDOM 16 /* times as many calls before a capture: a capture costs as much as some ten calls */
#define MANY_REPLAYS 64 /* that a capture is worth */
#define MANY_MISSES 256 /* calls in turn with new addresses, after which they are not looked at */
#define SHORT_PAUSE 256 /* for so many calls; each time for more in turn */
#define LONG_PAUSE 4096

/* The C signature of a function that returns a stream, as Cython names its capsules. */
#define STREAM_CAPSULE "intptr_t (void)"

/* What the driver takes in place of a stream, and nothing can capture: the default one. */
#define IS_DEFAULT(stream) ((uintptr_t)(stream) <= 1)

/* The mode in which a thread may do what does not touch a captured stream, and what the driver says
   of the default stream while a stream that waits for it is captured. */
#define RELAXED 2
#define IMPLICIT 906

/* How arrays of a type are read. */
enum reading { BY_TABLE = 1, BY_SLOTS, BY_ATTRIBUTES, BY_FIELDS };

/* Where objects of a C type have their fields, in bytes; `memory` is the type of the one that `data`
   refers to, with the other two. Shape and strides are vectors: from one address up to another. */
struct fields {
    Py_ssize_t shape, strides, dtype, data, pointer, device;
    PyTypeObject *memory;
};

/* Types of arrays, in the order in which they were first seen; they stay. */
static struct array_type {
    PyTypeObject *type;
    enum reading reading;
    const struct dlpack_table *table; /* BY_TABLE */
    struct fields fields;             /* BY_FIELDS */
    /* BY_TABLE, which does not tell where the memory has other numbers, negative ones for example: that has
       bits in a word of what an array points to. */
    Py_ssize_t pointer, word;
    uint64_t mask;
    /* What returns the current stream, of the two last ones: a C function, or else an object. */
    intptr_t (*stream_in_c)(void);
    PyObject *stream;
} array_types[MOST_TYPES];
static int array_type_count;

/* Types of streams that are never closed while something refers to them. */
static PyTypeObject *stream_types[MOST_TYPES];
static int stream_type_count;

/* Where objects of this package have what is read here: the descriptors of their slots. */
enum place {
    ARRAY_POINTER, ARRAY_SHAPE, ARRAY_STRIDES, ARRAY_TYPE, ARRAY_MEMORY,
    MEMORY_DEVICE, MEMORY_SIZE, MEMORY_ADDRESS, MEMORY_STREAM,
    HANDLE_ADDRESS, HANDLE_CONTEXT, HANDLE_DEVICE, HANDLE_STREAM, HANDLE_WORKSPACE,
    STREAM_ADDRESS, DESCRIPTOR_ADDRESS, PLACES
};
static struct slot {
    PyObject *member;
    descrgetfunc getter;
    Py_ssize_t offset;  /* in bytes, from the beginning of an object; 0 where it is not known */
    PyTypeObject *type; /* of the object that was read last: its slot is there */
} slots[PLACES];

/* Names of attributes, and classes. */
static PyObject *n_data, *n_ptr, *n_device_id, *n_shape, *n_strides, *n_dtype, *n_blocks, *n_handle;
static PyObject *n_stream, *n_workspace;
static PyTypeObject *handle_type, *stream_type;

/* Indices of cuDNN's functions in `functions`, and numbers of its enums. */
enum used {
    EXECUTE, CREATE, SET, FINALIZE, DESTROY, GET_STREAM, SET_STREAM, DESTROY_HANDLE, SET_CALLBACK,
    GET_CALLBACK, USED
};
static int indices[USED];
enum number { PACK, UIDS, POINTERS, WORKSPACE, INT64, VOID_PTR, INFO, NUMBERS };
static int numbers[NUMBERS];

/* The driver's CUDA_MEMCPY2D: rows of memory that are copied. */
struct copy {
    size_t from_byte, from_row;
    int from_kind;
    const void *from_host;
    uintptr_t from;
    void *from_array;
    size_t from_pitch, to_byte, to_row;
    int to_kind;
    void *to_host;
    uintptr_t to;
    void *to_array;
    size_t to_pitch, width, rows;
};

/* What the driver calls memory of a device there. */
#define ON_DEVICE 2

/* Functions of the driver, or NULL. */
static int (*current_context)(void **);
static int (*is_capturing)(void *, int *);
static int (*allocate_in)(uintptr_t *, size_t, void *);
static int (*free_in)(uintptr_t, void *);
static int (*exchange_mode)(int *);
static int (*set_bytes)(uintptr_t, unsigned char, size_t, void *);
static int (*set_halves)(uintptr_t, unsigned short, size_t, void *);
static int (*set_words)(uintptr_t, unsigned int, size_t, void *);
static int (*copy_memory)(const struct copy *, void *);
static int (*wait_for_event)(void *, uintptr_t, unsigned int);
static int (*record_event)(uintptr_t, void *);
static int several_devices;

/* Where else an address comes from: the workspace, or nowhere: then the offset is all of it; or it
   is the handle's. */
#define FROM_WORKSPACE (-1)
#define FROM_NOTHING (-2)
#define FROM_HANDLE (-3)

/* What each call reads comes first, in as few lines of the cache as can be: cuDNN's own work evicts
   them. */
struct argument {
    uintptr_t mask; /* the bits of the address that have to be 0 */
    int axes, code, bits, size, is_output;
    int64_t extents[2 * MOST_AXES]; /* the shape, and the strides behind it */
    PyObject *name, *type_name, *dtype, *shape_seen, *strides_seen;
};

#define SHAPE(argument) ((argument)->extents)
#define STRIDES(argument) ((argument)->extents + (argument)->axes)

/* What a step does: it calls a classic function with all that it takes; executes a plan, by the
   addresses of its arguments and of its workspace; sets memory: its address, how many elements,
   their bits, and the bytes of each; or copies rows: both addresses, how many, the bytes of each, and
   those from row to row in the source. `place` says which words are addresses of this execution. */
enum kind { CALL, EXECUTION, FILL, COPY };
struct step {
    enum kind kind;
    words_call *function; /* of a CALL */
    struct plan *part;    /* of an EXECUTION */
    int words, places;
    uint64_t word[MOST_WORDS + 1];
    struct {
        int word, source;
        uintptr_t offset;
    } place[MOST_WORDS + 1];
};

/* Two arguments whose memory must not overlap, and their extents in bytes. */
struct apart {
    int one, other;
    uintptr_t size, other_size;
};

/* A lock that its thread may acquire again, since a finalizer can need it while it is held. As long as
   one thread at a time wants it, it is a number that is counted up and down. */
struct lock {
    long threads;            /* that have it or want it */
    unsigned long owner;     /* the thread that has it, or 0 */
    int depth;               /* how often that has acquired it */
    PyThread_type_lock wait; /* free for the next thread, one of those that want it; else taken */
    struct lock *before, *behind;
};

/* The first of all, which each thread that has the GIL may look through. */
static struct lock *locks;

/* What makes calls in several streams follow each other on the device, where they share memory that
   each of them changes. */
struct turn {
    PyObject_HEAD
    struct lock lock;
    unsigned long long event, stream, context; /* behind the last call; its stream; of the event */
    int ready;                                 /* whether a call needs no preparation */
};

/* What it executes: the steps, then the plan of `descriptor`, if there is one. */
struct plan {
    PyObject_HEAD
    entrance *enter;
    int ready, closed, inputs, count, packed, steps;
    int parts;   /* how many steps execute plans */
    int replays; /* whether all that is done depends on the addresses alone */
    struct step *step;
    struct turn *turn; /* NULL where calls do not wait for each other */
    struct argument *arguments;
    struct apart *apart;
    Py_ssize_t aparts;
    uint64_t workspace_size;
    uintptr_t device; /* the only one that it runs on, or -1 */
    PyObject *descriptor;
    PyObject *makers; /* by the type of arrays: what makes each output */
    int makers_device;
    struct lock lock;
    /* What threads that have the lock may touch. */
    int last, next; /* the pack that was used last, and that which is filled anew */
    struct pack {
        void *descriptor;
        uintptr_t workspace;
        uintptr_t addresses[]; /* as many as the plan packs */
    } *packs;
    size_t pack_size; /* in bytes, of each of `MOST_PACKS` */
    /* Where each address of a pack comes from: the argument that has it, or one of those above. */
    struct {
        int source;
        uintptr_t offset;
    } sources[MOST_PACKED];
    int64_t uids[MOST_PACKED];
    /* For threads that have the lock, too: what calls had last, and graphs of what they did. */
    int patience;   /* how many times as many calls come before a capture as usual */
    int last_call, next_call, misses; /* of calls in turn, that had other addresses than all before */
    int pause, next_pause; /* how many calls come before addresses are looked at again; the next time */
    struct call {
        struct replay *replay;
        uintptr_t handle, workspace;
        struct life *life;  /* of the handle that it was captured with */
        long ends;          /* what that said then */
        int uses;           /* calls since then, or without a graph; -1: it cannot be captured */
        uintptr_t found[];  /* the addresses of the operands */
    } *calls;
    size_t call_size; /* in bytes, of each of `MOST_PACKS` */
};

static PyTypeObject *plan_type, *turn_type;

#define F(name, type) ((type)functions[indices[name]])

#define FIELD(object, offset, type) (*(type *)((char *)(object) + (offset)))

/* The value of a slot of an object whose type was not the last one. */
static RARE PyObject *value_of(struct slot *slot, PyObject *object)
{
    PyTypeObject *old = slot->type, *type = Py_TYPE(object);
    PyObject *value = slot->getter(slot->member, object, (PyObject *)type);
    if (!value) {
        PyErr_Clear();
    } else if (slot->offset) {
        Py_INCREF((PyObject *)type);
        slot->type = type;
        Py_XDECREF((PyObject *)old);
    }
    return value;
}

/* The value of a slot, as a new reference; NULL, without an exception, where it has none. */
static inline PyObject *slot_of(enum place place, PyObject *object)
{
    struct slot *slot = &slots[place];
    PyObject *value;
    if (Py_TYPE(object) != slot->type) return value_of(slot, object);
    value = FIELD(object, slot->offset, PyObject *);
    Py_XINCREF(value);
    return value;
}

/* Reads a number from a slot; returns whether that failed. */
static inline int read_slot(enum place place, PyObject *object, uintptr_t *value)
{
    PyObject *number = slot_of(place, object);
    int bad = !number || !PyLong_Check(number);
    if (!bad) {
        *value = PyLong_AsSize_t(number);
        if (*value == (uintptr_t)-1 && PyErr_Occurred()) PyErr_Clear(), bad = 1;
    }
    Py_XDECREF(number);
    return bad;
}

static inline int read_attribute(PyObject *object, PyObject *name, uintptr_t *value)
{
    PyObject *number = PyObject_GetAttr(object, name);
    int bad = !number || !PyLong_Check(number);
    if (!bad) *value = PyLong_AsSize_t(number);
    Py_XDECREF(number);
    if (PyErr_Occurred()) cudnn_cffi_excuse(), bad = 1;
    return bad;
}

static struct array_type *type_of(PyObject *array)
{
    int i;
    for (i = 0; i < array_type_count; ++i)
        if (array_types[i].type == Py_TYPE(array)) return &array_types[i];
    return NULL;
}

/* Whether the extents or strides in a tuple are the wanted ones; `scale` divides strides. A tuple
   that was seen to fit is known again by its identity. */
static int fits(PyObject *tuple, const int64_t *wanted, const int64_t *shape, int axes,
                int64_t scale, PyObject **seen)
{
    int i;
    if (tuple == *seen) return 1;
    if (!PyTuple_Check(tuple) || PyTuple_Size(tuple) != axes) return 0;
    for (i = 0; i < axes; ++i) {
        int64_t value = PyLong_AsLongLong(PyTuple_GetItem(tuple, i));
        if (value == -1 && PyErr_Occurred()) return cudnn_cffi_excuse(), 0;
        if (wanted != shape && shape[i] == 1) continue;
        if ((uint64_t)value != (uint64_t)wanted[i] * (uint64_t)scale) return 0;
    }
    if (scale == 1 && PyTuple_CheckExact(tuple)) {
        PyObject *old = *seen;
        Py_INCREF(*seen = tuple);
        Py_XDECREF(old);
    }
    return 1;
}

/* Reads the address and device of an array; returns whether it does not fit its operand. */
static inline int read_description(const struct dlpack_array *found, const struct argument *wanted,
                                   uintptr_t *address, uintptr_t *device)
{
    const int64_t *shape = SHAPE(wanted), *strides = STRIDES(wanted);
    int i;
    if (found->device_type != DLPACK_CUDA || found->code != wanted->code
        || found->bits != wanted->bits || found->lanes != 1 || found->ndim != wanted->axes
        || (!found->strides && wanted->axes))
        return 1;
    for (i = 0; i < wanted->axes; ++i)
        if (found->shape[i] != shape[i] || (found->strides[i] != strides[i] && shape[i] != 1))
            return 1;
    *address = (uintptr_t)found->data + found->offset;
    *device = (uintptr_t)found->device;
    return !found->data;
}

static int read_slots(PyObject *array, struct argument *wanted, uintptr_t *address,
                      uintptr_t *device)
{
    PyObject *shape = slot_of(ARRAY_SHAPE, array), *strides = slot_of(ARRAY_STRIDES, array);
    PyObject *type = slot_of(ARRAY_TYPE, array), *memory = slot_of(ARRAY_MEMORY, array);
    int bad = !shape || !strides || !type || !memory
              || (type != wanted->type_name && PyUnicode_Compare(type, wanted->type_name))
              || !fits(shape, SHAPE(wanted), SHAPE(wanted), wanted->axes, 1, &wanted->shape_seen)
              || !fits(strides, STRIDES(wanted), SHAPE(wanted), wanted->axes, 1,
                       &wanted->strides_seen)
              || read_slot(ARRAY_POINTER, array, address)
              || read_slot(MEMORY_DEVICE, memory, device);
    Py_XDECREF(shape);
    Py_XDECREF(strides);
    Py_XDECREF(type);
    Py_XDECREF(memory);
    if (PyErr_Occurred()) cudnn_cffi_excuse(), bad = 1;
    return bad || !*address;
}

static int read_attributes(PyObject *array, struct argument *wanted, uintptr_t *address,
                           uintptr_t *device)
{
    PyObject *none = NULL, *other = NULL, *shape = NULL, *strides = NULL, *type = NULL;
    PyObject *data = PyObject_GetAttr(array, n_data);
    int bad = !data || read_attribute(data, n_ptr, address)
              || read_attribute(data, n_device_id, device)
              || !(shape = PyObject_GetAttr(array, n_shape))
              || !fits(shape, SHAPE(wanted), SHAPE(wanted), wanted->axes, 1, &none)
              || !(type = PyObject_GetAttr(array, n_dtype)) || type != wanted->dtype
              || !(strides = PyObject_GetAttr(array, n_strides))
              || !fits(strides, STRIDES(wanted), SHAPE(wanted), wanted->axes, wanted->size, &other);
    Py_XDECREF(none);
    Py_XDECREF(other);
    Py_XDECREF(data);
    Py_XDECREF(type);
    Py_XDECREF(shape);
    Py_XDECREF(strides);
    if (PyErr_Occurred()) cudnn_cffi_excuse(), bad = 1;
    return bad || !*address;
}

/* Describes an array by its table; returns whether that cannot be done. */
static inline int describe(const struct array_type *type, PyObject *array, struct dlpack_array *found)
{
    if (type->mask) {
        char *behind = FIELD(array, type->pointer, char *);
        if (!behind || (FIELD(behind, type->word, uint64_t) & type->mask)) return 1;
    }
    if (!type->table->describe(array, found)) return 0;
    PyErr_Clear();
    return 1;
}

/* A vector among the fields of an array; returns how many numbers it has. */
static inline Py_ssize_t read_vector(PyObject *array, Py_ssize_t offset, const int64_t **numbers)
{
    *numbers = FIELD(array, offset, const int64_t *);
    return FIELD(array, offset + (Py_ssize_t)sizeof(void *), const int64_t *) - *numbers;
}

/* The object that has the address of an array; NULL where it is of another type. */
static inline PyObject *memory_of(const struct fields *fields, PyObject *array)
{
    PyObject *data = FIELD(array, fields->data, PyObject *);
    return data && Py_TYPE(data) == fields->memory ? data : NULL;
}

static int read_fields(const struct fields *fields, PyObject *array, struct argument *wanted,
                       uintptr_t *address, uintptr_t *device)
{
    const int64_t *shape, *strides;
    PyObject *data = memory_of(fields, array);
    int i;
    if (!data || FIELD(array, fields->dtype, PyObject *) != wanted->dtype
        || read_vector(array, fields->shape, &shape) != wanted->axes
        || read_vector(array, fields->strides, &strides) != wanted->axes)
        return 1;
    for (i = 0; i < wanted->axes; ++i)
        if (shape[i] != SHAPE(wanted)[i]
            || (SHAPE(wanted)[i] != 1
                && (uint64_t)strides[i] != (uint64_t)STRIDES(wanted)[i] * (uint64_t)wanted->size))
            return 1;
    *address = FIELD(data, fields->pointer, uintptr_t);
    *device = (uintptr_t)FIELD(data, fields->device, int32_t);
    return !*address;
}

/* Whether an array does not fit, which is of a known type; `device` is the one to be on, or -1, and is
   set. */
static inline int misfit(const struct array_type *type, PyObject *array, const struct taken *taken,
                         struct argument *wanted, uintptr_t *address, uintptr_t *device)
{
    struct dlpack_array description;
    uintptr_t found = 0;
    int bad;
    if (type->reading == BY_TABLE && taken->described == array)
        bad = read_description(taken->description, wanted, address, &found);
    else if (type->reading == BY_TABLE)
        bad = describe(type, array, &description)
              || read_description(&description, wanted, address, &found);
    else if (type->reading == BY_SLOTS)
        bad = read_slots(array, wanted, address, &found);
    else if (type->reading == BY_FIELDS)
        bad = read_fields(&type->fields, array, wanted, address, &found);
    else
        bad = read_attributes(array, wanted, address, &found);
    if (bad || (*address & wanted->mask)) return 1;
    if (*device == (uintptr_t)-1) *device = found;
    return found != *device;
}

/* This thread's handle for a device: its default one, or the one that follows streams. The thread
   keeps it in its dictionary. */
static PyObject *thread_handle(struct plan *self, int following, uintptr_t device,
                               uintptr_t *address)
{
    static PyObject *keys[2][MOST_DEVICES];
    PyObject *own = PyThreadState_GetDict(), *key, *handle = NULL;
    if (!own || device >= MOST_DEVICES) return NULL;
    key = keys[following][device];
    if (!key)
        key = keys[following][device] =
            PyUnicode_FromFormat("cudnn_cffi.plan.%d.%d", following, (int)device);
    if (key) handle = PyDict_GetItemWithError(own, key);
    if (!key) return PyErr_Clear(), NULL;
    Py_XINCREF(handle);
    if (!handle || read_slot(HANDLE_ADDRESS, handle, address)) {
        Py_XDECREF(handle);
        handle = PyObject_CallMethod((PyObject *)self, following ? "_following" : "_default", "i",
                                     (int)device);
        if (handle && (!PyObject_TypeCheck(handle, handle_type)
                       || read_slot(HANDLE_ADDRESS, handle, address)
                       || PyDict_SetItem(own, key, handle)))
            Py_CLEAR(handle);
    }
    if (!handle) cudnn_cffi_failed();
    return handle;
}

/* Whether the handle's context is not the current one. A thread without one gets the primary one
   of the only device from CUDA's runtime. */
static int is_elsewhere(PyObject *handle)
{
    uintptr_t wanted;
    void *current = NULL;
    if (read_slot(HANDLE_CONTEXT, handle, &wanted)) return 1;
    if (!current_context || !wanted) return 0;
    if (current_context(&current)) return 1;
    return current ? (uintptr_t)current != wanted : several_devices;
}

/* Whether nothing is known to keep the handle's stream open. */
static int may_be_closed(PyObject *handle)
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

/* Whether the handle's stream is not the one that came with a call, which is not seen to be alive
   unless it is None or a number. */
static int is_other_stream(PyObject *handle, PyObject *stream)
{
    PyObject *own;
    int other;
    if (stream == Py_None || PyLong_CheckExact(stream)) return 0;
    own = slot_of(HANDLE_STREAM, handle);
    other = own != stream;
    Py_XDECREF(own);
    return other;
}

/* The address of the handle's workspace for a stream; 0 where there is none that is large enough. */
static uintptr_t workspace_of(struct plan *self, PyObject *handle, uintptr_t stream)
{
    PyObject *workspace = slot_of(HANDLE_WORKSPACE, handle), *blocks = NULL, *key = NULL, *of = NULL;
    PyObject *block = NULL, *own = NULL;
    uintptr_t size, address = 0;
    if (workspace && workspace != Py_None) blocks = PyObject_GetAttr(workspace, n_blocks);
    if (blocks && PyDict_Check(blocks)) key = PyLong_FromSize_t(stream);
    if (key) block = PyDict_GetItemWithError(blocks, key);
    Py_XINCREF(block);
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
    if (PyErr_Occurred()) address = 0, cudnn_cffi_excuse();
    return address;
}

static int make_lock(struct lock *self)
{
    self->wait = PyThread_allocate_lock();
    if (!self->wait) return 1;
    PyThread_acquire_lock(self->wait, WAIT_LOCK);
    if (locks) locks->before = self;
    self->behind = locks;
    locks = self;
    return 0;
}

static void free_lock(struct lock *self)
{
    if (!self->wait) return;
    if (self->before) self->before->behind = self->behind;
    else locks = self->behind;
    if (self->behind) self->behind->before = self->before;
    PyThread_release_lock(self->wait); /* nobody waits for it */
    PyThread_free_lock(self->wait);
}

/* In the child of a fork: has a lock forget the threads that are not here. */
static int renew_lock(struct lock *self)
{
    PyThread_type_lock wait;
    if (!self->threads) return 0;
    wait = PyThread_allocate_lock(); /* the old one may be in any state */
    if (!wait) return 1;
    PyThread_acquire_lock(wait, WAIT_LOCK);
    self->wait = wait;
    if (self->owner != PyThread_get_thread_ident()) self->owner = 0;
    self->threads = self->owner != 0;
    return 0;
}

static inline void acquire(struct lock *self)
{
    unsigned long me = PyThread_get_thread_ident();
    if (LOAD(&self->owner) == me) { /* which nobody but this thread makes true or untrue */
        ++self->depth;
        return;
    }
    if (ADD(&self->threads, 1)) PyThread_acquire_lock(self->wait, WAIT_LOCK);
    STORE(&self->owner, me);
    self->depth = 1;
}

static inline void release(struct lock *self)
{
    if (--self->depth) return;
    STORE(&self->owner, 0);
    if (ADD(&self->threads, -1) != 1) PyThread_release_lock(self->wait);
}

static PyObject *acquire_of_python(struct lock *self)
{
    PyThreadState *thread = PyEval_SaveThread();
    acquire(self);
    PyEval_RestoreThread(thread);
    Py_RETURN_NONE;
}

static PyObject *release_of_python(struct lock *self)
{
    if (LOAD(&self->owner) != PyThread_get_thread_ident()) {
        PyErr_SetString(PyExc_RuntimeError, "this thread does not have the lock");
        return NULL;
    }
    release(self);
    Py_RETURN_NONE;
}

/* A handle that calls were captured with, by its address: their graphs are not used after it has ended. The
   records stay, since cuDNN takes the addresses of ended handles for new ones. */
struct life {
    uintptr_t handle;
    long ends; /* how many handles with this address have ended */
    struct life *next;
};
static struct life *lives;

/* Whether cuDNN logs what it is called for, so that it has to be called. */
static unsigned long is_logging;
static int (*end_handle_itself)(uintptr_t);
static int (*set_callback_itself)(unsigned int, void *, void *);

/* Returns the record of a handle; NULL where there is none. */
static struct life *find_life(uintptr_t handle)
{
    struct life *each = LOAD_POINTER(&lives);
    while (each && each->handle != handle) each = each->next;
    return each;
}

/* Returns the record of a handle, which is made if there is none; NULL without memory. */
static RARE struct life *life_of(uintptr_t handle)
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
    return end_handle_itself(handle);
}

static int set_callback(unsigned int mask, void *data, void *callback)
{
    STORE(&is_logging, mask >> numbers[INFO] & 1);
    return set_callback_itself(mask, data, callback);
}

static void drop_pack(struct pack *pack)
{
    typedef int (*destroy_type)(void *);
    void *descriptor = pack->descriptor;
    pack->descriptor = NULL;
    if (descriptor && functions[indices[DESTROY]]) F(DESTROY, destroy_type)(descriptor);
}

static int fill_pack(struct plan *self, struct pack *pack, const uintptr_t *addresses,
                     uintptr_t workspace)
{
    typedef int (*create_type)(int, void **);
    typedef int (*set_type)(void *, int, int, int64_t, const void *);
    typedef int (*finalize_type)(void *);
    set_type set = F(SET, set_type);
    int status;
    drop_pack(pack);
    status = F(CREATE, create_type)(numbers[PACK], &pack->descriptor);
    if (status) return pack->descriptor = NULL, status;
    if ((status = set(pack->descriptor, numbers[UIDS], numbers[INT64], self->packed, self->uids))
        || (status = set(pack->descriptor, numbers[POINTERS], numbers[VOID_PTR], self->packed,
                         addresses))
        || (status = set(pack->descriptor, numbers[WORKSPACE], numbers[VOID_PTR], 1, &workspace))
        || (status = F(FINALIZE, finalize_type)(pack->descriptor))) {
        drop_pack(pack);
        return status;
    }
    memcpy(pack->addresses, addresses, (size_t)self->packed * sizeof *addresses);
    pack->workspace = workspace;
    return 0;
}

static inline struct pack *pack_at(struct plan *self, int index)
{
    return (struct pack *)((char *)self->packs + (size_t)index * self->pack_size);
}

static inline int has_addresses(struct plan *self, const struct pack *pack,
                                const uintptr_t *addresses, uintptr_t workspace)
{
    int i;
    if (!pack->descriptor || pack->workspace != workspace) return 0;
    for (i = 0; i < self->packed; ++i)
        if (pack->addresses[i] != addresses[i]) return 0;
    return 1;
}

/* The pack with these addresses, which is filled where none of the last has them. Where several are used
   in turns, each comes behind the one that was used before it. */
static RARE int find_pack(struct plan *self, const uintptr_t *addresses, uintptr_t workspace)
{
    int i, status;
    for (i = 1; i < MOST_PACKS; ++i) {
        int index = (self->last + i) % MOST_PACKS;
        if (has_addresses(self, pack_at(self, index), addresses, workspace))
            return self->last = index, 0;
    }
    status = fill_pack(self, pack_at(self, self->next), addresses, workspace);
    if (status) return status;
    self->last = self->next;
    self->next = (self->next + 1) % MOST_PACKS;
    return 0;
}

/* Executes the plan with a pack of these addresses; the lock is held. */
static int execute(struct plan *self, uintptr_t handle, uintptr_t plan, const uintptr_t *addresses,
                   uintptr_t workspace)
{
    typedef int (*execute_type)(uintptr_t, uintptr_t, void *);
    int status;
    if (!has_addresses(self, pack_at(self, self->last), addresses, workspace)
        && (status = find_pack(self, addresses, workspace)))
        return status;
    return F(EXECUTE, execute_type)(handle, plan, pack_at(self, self->last)->descriptor);
}

/* Where a call runs: the address of the handle, and its stream; and whether a plan was found to be
   closed. */
struct place_of_call {
    uintptr_t handle;
    void *stream;
    int closed;
};

/* Executes a plan on the addresses of its arguments, unless it is closed; calls that use it follow
   each other. */
static int execute_once(struct plan *self, struct place_of_call *where, uintptr_t plan,
                        const uintptr_t *found, uintptr_t workspace)
{
    uintptr_t addresses[MOST_PACKED];
    int i, status = 0;
    for (i = 0; i < self->packed; ++i) {
        int source = self->sources[i].source;
        addresses[i] = self->sources[i].offset
                       + (source >= 0 ? found[source] : source == FROM_WORKSPACE ? workspace : 0);
    }
    acquire(&self->lock);
    where->closed = self->closed;
    if (!where->closed)
        status = execute(self, where->handle, plan, addresses, workspace);
    release(&self->lock);
    return status;
}

/* Reads the descriptors of the plans among the steps; returns whether one is closed. */
static int read_parts(struct plan *self, uintptr_t *plans)
{
    int i;
    for (i = 0; i < self->steps; ++i)
        if (self->step[i].kind == EXECUTION
            && read_slot(DESCRIPTOR_ADDRESS, self->step[i].part->descriptor, &plans[i]))
            return 1;
    return 0;
}

static int fill(const uint64_t *word, void *stream)
{
    uintptr_t at = (uintptr_t)word[0];
    size_t count = (size_t)word[1];
    switch (word[3]) {
    case 1: return set_bytes(at, (unsigned char)word[2], count, stream);
    case 2: return set_halves(at, (unsigned short)word[2], count, stream);
    default: return set_words(at, (unsigned int)word[2], count, stream);
    }
}

static int copy_rows(const uint64_t *word, void *stream)
{
    struct copy copy = {0};
    copy.from_kind = copy.to_kind = ON_DEVICE;
    copy.from = (uintptr_t)word[0];
    copy.to = (uintptr_t)word[1];
    copy.rows = (size_t)word[2];
    copy.width = copy.to_pitch = (size_t)word[3];
    copy.from_pitch = (size_t)word[4];
    return copy_memory(&copy, stream);
}

/* Runs all steps; sets `*at` to the one that failed. Nothing of calls, copies and zeros belongs to one
   execution alone, so threads may run them at the same time. */
static int run_steps(struct plan *self, struct place_of_call *where, const uintptr_t *found,
                     uintptr_t workspace, const uintptr_t *plans, int *at)
{
    uint64_t word[MOST_WORDS + 1];
    uintptr_t inside[MOST_WORDS + 1];
    int i, within, status = 0;
    for (*at = 0; *at < self->steps; ++*at) {
        const struct step *step = &self->step[*at];
        memcpy(word, step->word, (size_t)step->words * sizeof *word);
        for (i = 0; i < step->places; ++i) {
            int source = step->place[i].source;
            uintptr_t address = source >= 0                 ? found[source]
                                : source == FROM_WORKSPACE ? workspace
                                                           : where->handle;
            word[step->place[i].word] = address + step->place[i].offset;
        }
        if (step->kind == CALL) {
            status = step->function(word);
        } else if (step->kind == FILL) {
            status = fill(word, where->stream);
        } else if (step->kind == COPY) {
            status = copy_rows(word, where->stream);
        } else {
            struct plan *part = step->part;
            int last = part->count;
            for (i = 0; i <= last; ++i) inside[i] = (uintptr_t)word[i];
            /* its own steps execute no plans */
            status = run_steps(part, where, inside, inside[last], NULL, &within);
            if (!status) status = execute_once(part, where, plans[*at], inside, inside[last]);
        }
        if (status || where->closed) return status;
    }
    return 0;
}

/* All that a call of a plan takes. */
struct whole {
    struct plan *plan;
    struct place_of_call *where;
    const uintptr_t *found, *parts; /* addresses of operands, and of the descriptors of plans among steps */
    uintptr_t workspace, descriptor;
    int at; /* the step that failed; -1 for the plan's own execution */
    PyThreadState *thread; /* to have Python's lock again */
};

/* Runs the steps, and then executes the plan itself, if it has a descriptor. */
static int run_whole(struct whole *all)
{
    struct plan *self = all->plan;
    int status = run_steps(self, all->where, all->found, all->workspace, all->parts, &all->at);
    if (status || all->where->closed || !self->descriptor) return status;
    all->at = -1;
    return execute_once(self, all->where, all->descriptor, all->found, all->workspace);
}

static int put_whole(void *what, void *stream)
{
    struct place_of_call where = *((struct whole *)what)->where;
    struct whole all = *(struct whole *)what;
    all.where = &where;
    where.stream = stream;
    return run_whole(&all) || where.closed;
}

static inline struct call *call_at(struct plan *self, int index)
{
    return (struct call *)((char *)self->calls + (size_t)index * self->call_size);
}

static inline int is_call(const struct call *call, const struct whole *all)
{
    int i;
    if (call->handle != all->where->handle || call->workspace != all->workspace) return 0;
    for (i = 0; i < all->plan->count; ++i)
        if (call->found[i] != all->found[i]) return 0;
    return 1;
}

/* Whether the handle that a call was captured with has not ended. */
static inline int has_handle(const struct call *call)
{
    return call->ends == (long)LOAD((unsigned long *)&call->life->ends);
}

/* Destroys a graph: the call is executed again, and captured again once it came often. After few launches the
   plan's next capture comes later, since it would not pay; but not after the end of the handle. */
static RARE void forget_call(struct plan *self, struct call *call)
{
    if (!call->replay) return;
    if (call->uses >= MANY_REPLAYS)
        self->patience = 1;
    else if (self->patience < MOST_SELDOM && has_handle(call))
        self->patience *= 4;
    cudnn_cffi_forget(call->replay);
    call->replay = NULL;
    call->uses = 0;
}

/* What was kept of calls with these addresses; in the place of the oldest where nothing was. NULL where
   addresses are not looked at, since they were others each time. */
static RARE struct call *find_call(struct whole *all)
{
    struct plan *self = all->plan;
    struct call *call;
    int i;
    if (!self->calls) {
        self->call_size = sizeof *self->calls + (size_t)self->count * sizeof *all->found;
        self->call_size = (self->call_size + LINE - 1) / LINE * LINE;
        self->calls = calloc(MOST_PACKS, self->call_size);
        self->patience = 1;
        self->next_pause = SHORT_PAUSE;
        if (!self->calls) return NULL;
    }
    for (i = 1; i < MOST_PACKS; ++i) { /* in turns, each comes behind the one before it */
        int index = (self->last_call + i) % MOST_PACKS;
        if (is_call(call_at(self, index), all)) {
            self->misses = 0;
            self->next_pause = SHORT_PAUSE;
            return call_at(self, self->last_call = index);
        }
    }
    if (++self->misses == MANY_MISSES) {
        self->misses = 0;
        self->pause = self->next_pause;
        if (self->next_pause < LONG_PAUSE) self->next_pause *= 4;
        return NULL;
    }
    call = call_at(self, self->last_call = self->next_call);
    self->next_call = (self->next_call + 1) % MOST_PACKS;
    forget_call(self, call);
    call->handle = all->where->handle;
    call->workspace = all->workspace;
    memcpy(call->found, all->found, (size_t)self->count * sizeof *all->found);
    call->uses = 0;
    return call;
}

static inline struct call *get_call(struct whole *all)
{
    struct plan *self = all->plan;
    if (self->pause) return --self->pause, NULL;
    if (self->calls && is_call(call_at(self, self->last_call), all))
        return call_at(self, self->last_call);
    return find_call(all);
}

/* The next one of the plans among the steps, by their places in memory: two threads take their locks in the
   same order. */
static struct plan *part_behind(const struct plan *self, const struct plan *last)
{
    struct plan *found = NULL;
    int i;
    for (i = 0; i < self->steps; ++i) {
        struct plan *part = self->step[i].kind == EXECUTION ? self->step[i].part : NULL;
        if ((uintptr_t)part > (uintptr_t)last && (!found || (uintptr_t)part < (uintptr_t)found))
            found = part;
    }
    return found;
}

/* How many threads are between a capture's begin and end, where they take Python's lock while they have a
   plan's; and whether the interpreter ends, after which such a thread would never go on. */
static long recordings, is_ending;

/* Counts a capture that begins; returns whether none may begin any more. */
static int begin_recording(void)
{
    ADD(&recordings, 1);
    if (!ADD(&is_ending, 0)) return 0;
    ADD(&recordings, -1);
    return 1;
}

/* Has no capture begin from now on; returns how many have not ended yet. */
static PyObject *stop_recording(PyObject *none, PyObject *nothing)
{
    (void)none, (void)nothing;
    if (!ADD(&is_ending, 0)) ADD(&is_ending, 1);
    return PyLong_FromLong(ADD(&recordings, 0));
}

/* Has Python's lock while something is captured: the driver refuses a thread that waits for the device then.
   Not any longer: a graph is made with memory of the device, for which the driver may wait for what another
   thread of Python's has to launch or to answer. */
static void hold_python(void *what, int holds)
{
    struct whole *all = what;
    if (holds) PyEval_RestoreThread(all->thread);
    else all->thread = PyEval_SaveThread();
}

/* Captures what a call did, which does not run again. Python's lock is always the last one that a thread
   takes, so those of the parts are taken before it. */
static RARE struct replay *record_call(struct whole *all, const struct to_replay *what, int *later)
{
    struct plan *part;
    struct replay *made;
    for (part = part_behind(all->plan, NULL); part; part = part_behind(all->plan, part))
        acquire(&part->lock);
    made = cudnn_cffi_record(what, later);
    for (part = part_behind(all->plan, NULL); part; part = part_behind(all->plan, part))
        release(&part->lock);
    return made;
}

/* Counts a call, and captures it once it came often. */
static RARE void count_call(struct whole *all, struct call *call)
{
    struct plan *self = all->plan;
    typedef int (*set_stream_type)(uintptr_t, void *);
    struct place_of_call *where = all->where;
    int later = 0;
    struct to_replay what = {
        put_whole, hold_python, all, F(SET_STREAM, set_stream_type), where->handle, where->stream,
    };
    if (call->replay || call->uses < 0
        || ++call->uses < cudnn_cffi_replay_after * self->patience)
        return;
    if (!cudnn_cffi_has_room()) {
        --call->uses;
        return;
    }
    if (!(call->life = life_of(where->handle)) || begin_recording()) return;
    call->ends = (long)LOAD((unsigned long *)&call->life->ends);
    call->replay = record_call(all, &what, &later);
    ADD(&recordings, -1);
    call->uses = call->replay || later ? 0 : -1;
    if (!call->replay && self->patience < MOST_SELDOM) self->patience *= 4;
}

/* How many calls this thread has launched as graphs. */
static OF_THREAD long launched_here;

static PyObject *count_replays(PyObject *none, PyObject *nothing)
{
    (void)none, (void)nothing;
    return PyLong_FromLong(launched_here);
}

/* Runs all, or from some calls on the same addresses on launches it as a graph. A plan's lock is held while
   its parts run, so that threads with the same handle do not mix what lies between them. */
static int replay_whole(struct whole *all)
{
    struct plan *self = all->plan;
    struct call *call;
    int status = 0;
    acquire(&self->lock);
    all->where->closed = self->closed;
    call = self->closed ? NULL : get_call(all);
    if (call && call->replay) {
        if (has_handle(call) && !cudnn_cffi_replay(call->replay, all->where->stream)) {
            ++launched_here;
            if (call->uses < MANY_REPLAYS) ++call->uses;
            release(&self->lock);
            return 0;
        }
        forget_call(self, call);
    }
    if (!self->parts) release(&self->lock);
    if (!all->where->closed) status = run_whole(all);
    if (!self->parts) acquire(&self->lock);
    if (call && !status && !all->where->closed && !self->closed && is_call(call, all))
        count_call(all, call);
    release(&self->lock);
    return status;
}

static void forget_calls(struct plan *self)
{
    int i;
    for (i = 0; self->calls && i < MOST_PACKS; ++i) cudnn_cffi_forget(call_at(self, i)->replay);
    free(self->calls);
    self->calls = NULL;
    self->last_call = self->next_call = 0;
}

/* Has a stream wait for the last call of a turn; returns whether that is not plain. */
static int begin_turn(struct turn *turn, void *stream)
{
    void *current = NULL;
    if (!turn->ready || !turn->event || !record_event || !wait_for_event || !current_context
        || current_context(&current) || (uintptr_t)current != turn->context)
        return 1;
    return turn->stream != (uintptr_t)stream
           && wait_for_event(stream, (uintptr_t)turn->event, 0);
}

/* Whether an array, of which a copy will be taken, is not described by a table, or not on a device;
   `device` is the one to be on, or -1, and is set. */
static RARE int is_amiss(const struct array_type *type, PyObject *array, uintptr_t *device)
{
    struct dlpack_array found;
    if (!type || type->reading != BY_TABLE || describe(type, array, &found)
        || found.device_type != DLPACK_CUDA)
        return 1;
    if (*device == (uintptr_t)-1) *device = (uintptr_t)found.device;
    return (uintptr_t)found.device != *device;
}

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
static RARE int copy_inputs(struct plan *self, const struct taken *taken, PyObject **values,
                            PyObject **made, uintptr_t *found, uintptr_t *device)
{
    struct array_type *type;
    Py_ssize_t i;
    for (i = 0; i < self->inputs; ++i) {
        if (!taken->copiers[i]) continue;
        made[i] = copy_of(values[i], taken->copiers[i]);
        if (!(values[i] = made[i])) {
            cudnn_cffi_failed(); /* Python's way copies, too, and fails likewise */
            return 1;
        }
        type = type_of(values[i]);
        if (!type || misfit(type, values[i], taken, &self->arguments[i], &found[i], device))
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
    all = PyDict_GetItemWithError(self->makers, (PyObject *)type->type);
    one = all ? PyTuple_GetItem(all, output) : NULL;
    if (!one) return NULL;
    Py_INCREF(one); /* they may be others before the call is over */
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
static int sort_out(struct plan *self, PyObject *const *given, Py_ssize_t count, PyObject *names,
                    struct taken *taken)
{
    Py_ssize_t i, j, named = names ? PyTuple_Size(names) : 0;
    memset(taken, 0, offsetof(struct taken, values) + (size_t)self->count * sizeof *taken->values);
    if (count > self->count) return 1;
    for (i = 0; i < count; ++i)
        if (given[i] != Py_None) taken->values[i] = given[i];
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
            if (j < count || taken->values[j]) return 1;
            if (value != Py_None) taken->values[j] = value;
        } else if (name == n_handle) {
            if (value != Py_None) taken->handle = value;
        } else if (name == n_workspace) {
            if (value != Py_None) taken->workspace = value;
        } else if (name != n_stream) {
            return 1;
        } else if (value != Py_Ellipsis) {
            taken->stream = value;
        }
    }
    return 0;
}

/* Reads the address of a stream that came with a call; returns whether that is not plain. */
static int address_of_stream(struct plan *self, PyObject *stream, void **address)
{
    PyObject *number;
    if (stream == Py_None) return *address = NULL, 0;
    if (Py_TYPE(stream) == stream_type) return read_slot(STREAM_ADDRESS, stream, (uintptr_t *)address);
    number = PyObject_CallMethod((PyObject *)self, "_stream_address", "O", stream);
    if (number) *address = (void *)PyLong_AsSize_t(number);
    Py_XDECREF(number);
    if (!PyErr_Occurred()) return 0;
    cudnn_cffi_excuse(); /* `_run` fails in the same way */
    return 1;
}

/* Reads the address of a workspace that came with a call: dense memory on the device that is large
   enough. Returns whether that is not plain. */
static int address_of_workspace(struct plan *self, PyObject *array, uintptr_t device,
                                uintptr_t *address)
{
    struct array_type *type = type_of(array);
    struct dlpack_array found;
    uint64_t size;
    int i;
    if (!type || type->reading != BY_TABLE || describe(type, array, &found)) return 1;
    size = (uint64_t)found.bits * found.lanes / 8;
    for (i = found.ndim - 1; i >= 0; --i) {
        if (found.strides && found.shape[i] != 1
            && (uint64_t)found.strides[i] * found.bits * found.lanes / 8 != size)
            return 1;
        size *= (uint64_t)found.shape[i];
    }
    *address = (uintptr_t)found.data + found.offset;
    return found.device_type != DLPACK_CUDA || (uintptr_t)found.device != device || !*address
           || *address % 16 || size < self->workspace_size;
}

/* Whether arguments overlap of which one is written before the other one is read. */
static RARE int overlaps(const struct plan *self, const uintptr_t *found)
{
    Py_ssize_t i;
    for (i = 0; i < self->aparts; ++i) {
        const struct apart *pair = &self->apart[i];
        uintptr_t one = found[pair->one], other = found[pair->other];
        if (one < other + pair->other_size && other < one + pair->size) return 1;
    }
    return 0;
}

/* Reads the current stream of a library of arrays; returns whether that failed. */
static inline int current_stream_of(const struct array_type *type, uintptr_t device, void **stream)
{
    PyObject *number;
    if (type->reading == BY_TABLE) {
        if (!type->table->current_stream(DLPACK_CUDA, (int32_t)device, stream)) return 0;
    } else if (type->stream_in_c) {
        *stream = (void *)type->stream_in_c();
    } else {
        number = PyObject_CallNoArgs(type->stream);
        if (number) *stream = (void *)PyLong_AsSize_t(number);
        Py_XDECREF(number);
    }
    if (!PyErr_Occurred()) return type->reading == BY_TABLE;
    cudnn_cffi_excuse();
    return 1;
}

/* What a call comes to: an answer, an exception, or neither, where the call is not plain and
   nothing was executed. */
static PyObject *plain(struct plan *self, const struct taken *taken)
{
    typedef int (*get_stream_type)(uintptr_t, void **);
    typedef int (*set_stream_type)(uintptr_t, void *);
    PyObject *values[MOST_ARGUMENTS], *made[MOST_ARGUMENTS];
    PyObject *handle = taken->handle, *answer = NULL, *chosen = NULL, *scratch = NULL;
    uintptr_t found[MOST_ARGUMENTS], plans[MOST_STEPS], device = self->device, address;
    uintptr_t workspace = 0, plan = 0;
    struct array_type *first = NULL;
    struct place_of_call where;
    struct whole all = {self, &where, found, plans, 0, 0, 0, NULL};
    void *stream = NULL, *wanted = NULL;
    Py_ssize_t i;
    int status = 0, missing = 0, copied = 0, has_stream = 0, capturing = 0, replays;

    if (!functions[indices[EXECUTE]]) return NULL;
    if (self->steps && cudnn_cffi_watchers) return NULL; /* they are shown what is called */
    for (i = 0; i < self->count; ++i) {
        struct argument *one = &self->arguments[i];
        struct array_type *type = first;
        made[i] = NULL;
        if (!(values[i] = taken->values[i])) {
            if (!one->is_output) return NULL;
            ++missing;
            continue;
        }
        if (!type || type->type != Py_TYPE(values[i])) type = type_of(values[i]);
        if (taken->copiers && taken->copiers[i]) {
            if (one->is_output || handle || taken->stream || is_amiss(type, values[i], &device))
                return NULL;
            ++copied;
        } else if (!type || misfit(type, values[i], taken, one, &found[i], &device)) {
            return NULL;
        }
        if (!first) first = type;
    }
    if (!first) return NULL;

    if (handle) {
        if (taken->stream || !PyObject_TypeCheck(handle, handle_type)
            || read_slot(HANDLE_ADDRESS, handle, &address) || may_be_closed(handle)
            || F(GET_STREAM, get_stream_type)(address, &stream))
            return NULL;
        if (read_slot(HANDLE_DEVICE, handle, &workspace) || workspace != device) return NULL;
        Py_INCREF(chosen = handle);
    } else {
        if (taken->stream) {
            if (address_of_stream(self, taken->stream, &wanted)) return NULL;
            has_stream = 1;
        } else if (first->reading != BY_SLOTS) {
            if (current_stream_of(first, device, &wanted)) return NULL;
            has_stream = 1;
        }
        chosen = thread_handle(self, 0, device, &address);
        if (!chosen) return NULL;
        if (F(GET_STREAM, get_stream_type)(address, &stream)) goto done;
        if (!has_stream || (taken->stream && stream == wanted)) {
            if (may_be_closed(chosen)) goto done;
        } else if (stream != wanted) {
            Py_DECREF(chosen);
            chosen = thread_handle(self, 1, device, &address);
            if (!chosen) return NULL;
            if (taken->stream && is_other_stream(chosen, taken->stream)) goto done;
            if (F(GET_STREAM, get_stream_type)(address, &stream)) goto done;
            if (stream != wanted && F(SET_STREAM, set_stream_type)(address, wanted)) goto done;
            stream = wanted;
        }
    }
    if (is_elsewhere(chosen)) goto done;
    if (!IS_DEFAULT(stream) && is_capturing && (is_capturing(stream, &capturing) || capturing))
        goto done;
    /* What a library makes is used, and used again, in the order of its current stream. */
    if (missing && (handle || taken->stream) && first->reading != BY_SLOTS
        && (current_stream_of(first, device, &wanted) || wanted != stream))
        goto done;
    if (copied && copy_inputs(self, taken, values, made, found, &device)) goto done;
    for (i = self->inputs; missing && i < self->count; ++i) {
        if (values[i]) continue;
        made[i] = values[i] = new_output(self, first, (int)(i - self->inputs), device, chosen);
        if (!values[i]) {
            cudnn_cffi_failed(); /* `_run` fails in the same way, and says of what */
            goto done;
        }
        if (first->type != Py_TYPE(values[i])
            || misfit(first, values[i], taken, &self->arguments[i], &found[i], &device))
            goto done;
    }
    if (self->aparts && overlaps(self, found)) goto done;
    /* Making copies and outputs can run any code, so what could be closed by it is read behind that. */
    if (self->descriptor && read_slot(DESCRIPTOR_ADDRESS, self->descriptor, &plan)) goto done;
    workspace = 0;
    if (taken->workspace) {
        if (address_of_workspace(self, taken->workspace, device, &workspace)) goto done;
    } else if (self->workspace_size) {
        workspace = workspace_of(self, chosen, (uintptr_t)stream);
        if (!workspace && !taken->stream && !handle && first->reading == BY_TABLE) {
            /* of the array library, which uses it again in the order of its current stream */
            scratch = new_output(self, first, self->count - self->inputs, device, chosen);
            if (cudnn_cffi_failed()) goto done;
            if (scratch && address_of_workspace(self, scratch, device, &workspace)) workspace = 0;
            if (read_slot(HANDLE_ADDRESS, chosen, &address)
                || (self->descriptor && read_slot(DESCRIPTOR_ADDRESS, self->descriptor, &plan)))
                workspace = 0;
        }
        if (!workspace) goto done;
    }
    if (read_parts(self, plans)) goto done;
    if ((missing || copied || scratch) && read_slot(HANDLE_ADDRESS, chosen, &address)) goto done;
    where.handle = address;
    where.stream = stream;
    where.closed = 0;
    all.workspace = workspace;
    all.descriptor = plan;
    replays = self->replays && !self->turn && cudnn_cffi_replay_after && !handle && !cudnn_cffi_watchers
              && !LOAD(&is_logging);

    all.thread = PyEval_SaveThread();
    if (self->turn) {
        acquire(&self->turn->lock);
        where.closed = begin_turn(self->turn, stream);
    }
    if (replays) {
        status = replay_whole(&all);
    } else if (!where.closed) {
        if (self->parts) { /* threads with the same handle do not mix what lies between */
            acquire(&self->lock);
            where.closed = self->closed;
        }
        if (!where.closed) status = run_whole(&all);
        if (self->parts) release(&self->lock);
    }
    if (self->turn) {
        if (!where.closed && !record_event((uintptr_t)self->turn->event, stream))
            self->turn->stream = (uintptr_t)stream;
        else if (!where.closed)
            self->turn->ready = 0; /* the next one has to look what is wrong */
        release(&self->turn->lock);
    }
    PyEval_RestoreThread(all.thread);
    if (where.closed) goto done; /* `_run` says so; what was done before is done again, or of no use */
    if (status) {
        answer = PyObject_CallMethod((PyObject *)self, "_failed", "iOi", status, chosen, all.at);
        Py_CLEAR(answer); /* it has raised */
    } else if (self->count - self->inputs == 1) {
        Py_INCREF(answer = values[self->inputs]);
    } else {
        answer = PyTuple_New(self->count - self->inputs);
        for (i = self->inputs; answer && i < self->count; ++i) {
            Py_INCREF(values[i]);
            PyTuple_SetItem(answer, i - self->inputs, values[i]);
        }
    }
done:
    for (i = copied ? 0 : self->inputs; (copied || missing) && i < self->count; ++i)
        Py_XDECREF(made[i]);
    Py_XDECREF(scratch);
    Py_XDECREF(chosen);
    return answer;
}

PyObject *cudnn_cffi_run(PyObject *plan, const struct taken *taken)
{
    return ((struct plan *)plan)->ready ? plain((struct plan *)plan, taken) : NULL;
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

uintptr_t cudnn_cffi_weight(PyObject *plan)
{
    struct plan *self = (struct plan *)plan;
    uintptr_t weight = 0;
    int i;
    for (i = 0; i < self->count; ++i) weight += self->arguments[i].mask;
    return weight;
}

static uint64_t mixed(uint64_t print, uint64_t value)
{
    print = (print ^ value) * 0x9E3779B97F4A7C15u;
    return print ^ print >> 29;
}

uint64_t cudnn_cffi_print(PyObject *array, enum extent extent, struct dlpack_array *description)
{
    struct array_type *type = type_of(array);
    struct dlpack_array found;
    const int64_t *numbers;
    Py_ssize_t count;
    PyObject *shape;
    uint64_t print = 1;
    int i;
    if (!type || (extent != SOME && type->reading != BY_TABLE)) return 0;
    if (type->reading == BY_TABLE) {
        if (describe(type, array, &found)) return 0;
        if (extent != SOME && (found.device_type != DLPACK_CUDA || !found.data)) return 0;
        if (description) *description = found;
        print = mixed(found.code, (uint64_t)found.bits << 8 | (uint64_t)found.ndim);
        print = mixed(print, (uint64_t)found.device);
        for (i = 0; i < found.ndim; ++i) {
            print = mixed(print, (uint64_t)found.shape[i]);
            if (found.strides && (found.shape[i] != 1 || extent == ALL))
                print = mixed(print, (uint64_t)found.strides[i]);
        }
    } else if (type->reading == BY_FIELDS) {
        count = read_vector(array, type->fields.shape, &numbers);
        for (i = 0; i < count; ++i) print = mixed(print, (uint64_t)numbers[i]);
    } else {
        shape = type->reading == BY_SLOTS ? slot_of(ARRAY_SHAPE, array)
                                          : PyObject_GetAttr(array, n_shape);
        if (shape && PyTuple_CheckExact(shape)) print = (uint64_t)PyObject_Hash(shape);
        Py_XDECREF(shape);
        if (cudnn_cffi_failed()) return 0;
    }
    return print ? print : 1;
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

static PyObject *plan_enter(PyObject *me, PyObject *const *given, size_t flagged, PyObject *names)
{
    struct plan *self = (struct plan *)me;
    Py_ssize_t count = COUNT(flagged);
    struct taken taken;
    if (self->ready && !sort_out(self, given, count, names, &taken)) {
        PyObject *answer = plain(self, &taken);
        if (answer || PyErr_Occurred()) return answer;
    }
    return slow(me, given, count, names);
}

/* A call where it is plain, else NotImplemented. */
static PyObject *plan_attempt(PyObject *me, PyObject *const *given, Py_ssize_t count,
                              PyObject *names)
{
    struct plan *self = (struct plan *)me;
    PyObject *answer = NULL;
    struct taken taken;
    if (self->ready && !sort_out(self, given, count, names, &taken)) answer = plain(self, &taken);
    if (answer || PyErr_Occurred()) return answer;
    Py_INCREF(Py_NotImplemented);
    return Py_NotImplemented;
}

static PyObject *plan_call(PyObject *me, PyObject *given, PyObject *named)
{
    return cudnn_cffi_enter(plan_enter, me, given, named);
}

/* Releases what `plan_arm` has set. Releasing an object may run any code, which then finds a plan that was
   not armed. */
static void forget(struct plan *self)
{
    struct argument *arguments = self->arguments;
    struct step *step = self->step;
    int i, count = self->count, steps = self->steps;
    self->ready = 0;
    self->arguments = NULL;
    self->step = NULL;
    self->count = self->steps = self->parts = 0;
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

/* What stands for steps that call no function of cuDNN. */
#define TO_FILL (-1)
#define TO_COPY (-2)

/* Reads a step: (index of the function, or one of the above, or a plan; (word, ...), ((word, source,
   offset), ...)). Returns 0, or 1 where it cannot be run here, or -1 with an exception. */
static int read_step(struct step *step, PyObject *all, Py_ssize_t count)
{
    PyObject *what, *words, *places;
    Py_ssize_t i;
    if (!PyArg_ParseTuple(all, "OO!O!", &what, &PyTuple_Type, &words, &PyTuple_Type, &places))
        return -1;
    step->words = (int)PyTuple_Size(words);
    step->places = (int)PyTuple_Size(places);
    if (step->words > MOST_WORDS + 1 || step->places > step->words) return 1;
    if (PyObject_TypeCheck(what, plan_type)) {
        struct plan *part = (struct plan *)what;
        step->kind = EXECUTION;
        if (!part->ready || !part->descriptor || part->turn || step->words != part->count + 1)
            return 1;
        for (i = 0; i < part->steps; ++i)
            if (part->step[i].kind == EXECUTION) return 1;
        Py_INCREF(what);
        step->part = part;
    } else {
        long index = PyLong_AsLong(what);
        if (PyErr_Occurred()) return -1;
        step->kind = index == TO_FILL ? FILL : index == TO_COPY ? COPY : CALL;
        if (step->kind == FILL ? step->words != 4 || !set_bytes || !set_halves || !set_words
            : step->kind == COPY
                ? step->words != 5 || !copy_memory
                : index < 0 || index >= function_count || !entries[index].packed
                      || entries[index].takes != step->words)
            return 1;
        if (step->kind == CALL) step->function = entries[index].packed;
    }
    for (i = 0; i < step->words; ++i) {
        step->word[i] = PyLong_AsUnsignedLongLongMask(PyTuple_GetItem(words, i));
        if (PyErr_Occurred()) return -1;
    }
    for (i = 0; i < step->places; ++i) {
        unsigned long long offset;
        int word, source;
        if (!PyArg_ParseTuple(PyTuple_GetItem(places, i), "iiK", &word, &source, &offset)) return -1;
        if (word < 0 || word >= step->words || source < FROM_HANDLE || source >= count
            || source == FROM_NOTHING)
            return 1;
        step->place[i].word = word;
        step->place[i].source = source;
        step->place[i].offset = (uintptr_t)offset;
    }
    return 0;
}

/* Sets what calls need to know: (descriptor or None, device, workspace size, ((uid, source, offset),
   ...), ((name, type's name, dtype, shape, strides, code, bits, size of an element, whether it is an
   output, alignment), ...), (step, ...), a turn or None, whether all that the steps do depends on the addresses
   alone), inputs first. Returns whether that can be executed here. */
static PyObject *plan_arm(PyObject *me, PyObject *all)
{
    struct plan *self = (struct plan *)me;
    PyObject *descriptor, *packed, *arguments, *steps, *turn;
    unsigned long long size;
    Py_ssize_t i, count, device;
    if (self->arguments) {
        PyErr_SetString(PyExc_RuntimeError, "the plan is set up already");
        return NULL;
    }
    if (!PyArg_ParseTuple(all, "OnKO!O!O!Op", &descriptor, &device, &size, &PyTuple_Type, &packed,
                          &PyTuple_Type, &arguments, &PyTuple_Type, &steps, &turn, &self->replays))
        return NULL;
    count = PyTuple_Size(arguments);
    if (count > MOST_ARGUMENTS || PyTuple_Size(packed) > MOST_PACKED
        || PyTuple_Size(steps) > MOST_STEPS)
        Py_RETURN_FALSE;
    if (turn != Py_None && Py_TYPE(turn) != turn_type) Py_RETURN_FALSE;
    self->arguments = PyMem_Calloc((size_t)count + 1, sizeof *self->arguments);
    self->step = PyMem_Calloc((size_t)PyTuple_Size(steps) + 1, sizeof *self->step);
    if (!self->arguments || !self->step) {
        forget(self);
        return PyErr_NoMemory();
    }
    self->steps = (int)PyTuple_Size(steps);
    for (i = 0; i < self->steps; ++i) {
        int bad = read_step(&self->step[i], PyTuple_GetItem(steps, i), count);
        if (bad < 0) goto failed;
        if (bad) goto refused;
        self->parts += self->step[i].kind == EXECUTION;
    }
    self->workspace_size = size;
    self->device = (uintptr_t)device;
    self->packed = (int)PyTuple_Size(packed);
    self->pack_size = sizeof *self->packs + (size_t)self->packed * sizeof(uintptr_t);
    self->pack_size = (self->pack_size + LINE - 1) / LINE * LINE;
    PyMem_Free(self->packs); /* of an attempt that was refused */
    self->packs = PyMem_Calloc(MOST_PACKS, self->pack_size);
    if (!self->packs) {
        PyErr_NoMemory();
        goto failed;
    }
    for (i = 0; i < self->packed; ++i) {
        unsigned long long offset;
        long long uid;
        int source;
        if (!PyArg_ParseTuple(PyTuple_GetItem(packed, i), "LiK", &uid, &source, &offset))
            goto failed;
        if (source < FROM_NOTHING || source >= count) goto refused;
        self->uids[i] = uid;
        self->sources[i].source = source;
        self->sources[i].offset = (uintptr_t)offset;
    }
    for (i = 0; i < count; ++i) {
        struct argument *one = &self->arguments[i];
        PyObject *name, *type_name, *dtype, *shape, *strides;
        unsigned long long alignment;
        if (!PyArg_ParseTuple(PyTuple_GetItem(arguments, i), "UUOO!O!iiipK", &name, &type_name,
                              &dtype, &PyTuple_Type, &shape, &PyTuple_Type, &strides, &one->code,
                              &one->bits, &one->size, &one->is_output, &alignment))
            goto failed;
        one->axes = (int)PyTuple_Size(shape);
        if (one->axes > MOST_AXES || PyTuple_Size(strides) != one->axes) goto refused;
        if (read_integers(shape, SHAPE(one), one->axes)
            || read_integers(strides, STRIDES(one), one->axes))
            goto failed;
        one->mask = (uintptr_t)alignment - 1;
        Py_INCREF(one->name = name);
        Py_INCREF(one->type_name = type_name);
        Py_INCREF(one->dtype = dtype);
        PyUnicode_InternInPlace(&one->name);
        PyUnicode_InternInPlace(&one->type_name);
        self->count = (int)i + 1;
        if (!one->is_output) self->inputs = (int)i + 1;
    }
    if (descriptor != Py_None) Py_INCREF(self->descriptor = descriptor);
    if (turn != Py_None) {
        Py_INCREF(turn);
        self->turn = (struct turn *)turn;
    }
    self->enter = plan_enter;
    self->ready = 1;
    Py_RETURN_TRUE;
refused:
    forget(self);
    Py_RETURN_FALSE;
failed:
    forget(self);
    return NULL;
}

/* Sets which arguments must not overlap: ((argument, argument, bytes of the first one, of the second),
   ...). */
static PyObject *plan_keep_apart(PyObject *me, PyObject *all)
{
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
        unsigned long long size, other;
        if (!PyArg_ParseTuple(PyTuple_GetItem(all, i), "iiKK", &apart[i].one, &apart[i].other, &size,
                              &other))
            goto failed;
        if (apart[i].one < 0 || apart[i].one >= self->count || apart[i].other < 0
            || apart[i].other >= self->count) {
            PyErr_SetString(PyExc_ValueError, "there is no such argument");
            goto failed;
        }
        apart[i].size = (uintptr_t)size;
        apart[i].other_size = (uintptr_t)other;
    }
    PyMem_Free(self->apart);
    self->apart = apart;
    self->aparts = count;
    Py_RETURN_NONE;
failed:
    PyMem_Free(apart);
    return NULL;
}

/* Remembers what makes the outputs for arrays of a type, and the workspace behind them, if the library
   of the arrays has to: (type, device, ((callable, arguments or None for the handle, names or None),
   ...)). */
static PyObject *plan_teach(PyObject *me, PyObject *all)
{
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

static PyObject *plan_acquire(PyObject *me, PyObject *none)
{
    (void)none;
    return acquire_of_python(&((struct plan *)me)->lock);
}

static PyObject *plan_release(PyObject *me, PyObject *none)
{
    (void)none;
    return release_of_python(&((struct plan *)me)->lock);
}

/* For a thread that has the lock: no call that waits for it may use the plan. */
static PyObject *plan_end(PyObject *me, PyObject *none)
{
    (void)none;
    ((struct plan *)me)->closed = 1;
    forget_calls((struct plan *)me);
    Py_RETURN_NONE;
}

/* How many graphs it has of calls. */
static PyObject *plan_graphs(PyObject *me, PyObject *none)
{
    struct plan *self = (struct plan *)me;
    long count = 0;
    int i;
    (void)none;
    for (i = 0; self->calls && i < MOST_PACKS; ++i) count += call_at(self, i)->replay != NULL;
    return PyLong_FromLong(count);
}

/* In the child of a fork, before anything else: renews all locks. Graphs stay with the parent if the child
   cannot use CUDA, which the argument says. */
static PyObject *after_fork(PyObject *none, PyObject *is_lost)
{
    struct lock *lock;
    int bad = PyObject_IsTrue(is_lost);
    (void)none;
    if (bad < 0) return NULL;
    if (bad) cudnn_cffi_leave_to_parent();
    recordings = 0; /* the threads that captured are not here */
    for (lock = locks, bad = 0; lock; lock = lock->behind) bad |= renew_lock(lock);
    if (bad) return PyErr_NoMemory();
    Py_RETURN_NONE;
}

static PyObject *plan_new(PyTypeObject *type, PyObject *given, PyObject *named)
{
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
    struct plan *self = (struct plan *)me;
    int i;
    PyObject_GC_UnTrack(me);
    plan_clear(me);
    for (i = 0; self->packs && i < MOST_PACKS; ++i) drop_pack(pack_at(self, i));
    PyMem_Free(self->packs);
    free_lock(&self->lock);
    cudnn_cffi_free(me);
}

/* Has the functions called that note what repetitions have to know, in front of cuDNN's. */
static void stand_between(void)
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

/* Sets what all plans need to know of this package and of cuDNN, once. */
static PyObject *set_up(PyObject *type, PyObject *all)
{
    PyObject *members, *used, *values, *handle, *stream;
    unsigned long long context, capturing, allocating, freeing, exchanging, setting[3], waiting;
    unsigned long long recording, copying;
    Py_ssize_t i;
    (void)type;
    if (!PyArg_ParseTuple(all, "O!O!O!O!O!KKKKK(KKK)KKKp", &PyTuple_Type, &members, &PyTuple_Type,
                          &used, &PyTuple_Type, &values, &PyType_Type, &handle, &PyType_Type, &stream,
                          &context, &capturing, &allocating, &freeing, &exchanging, &setting[0],
                          &setting[1], &setting[2], &waiting, &recording, &copying,
                          &several_devices))
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
    stand_between();
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
    if (PyErr_Occurred()) return NULL;
    Py_RETURN_NONE;
}

static int is_current(unsigned long long context)
{
    void *current = NULL;
    return !current_context || (!current_context(&current) && current == (void *)(uintptr_t)context);
}

/* (size, stream, context): the address of new memory in the order of a stream; 0 where that context
   is not current, or the driver has none. */
static PyObject *allocate(PyObject *none, PyObject *all)
{
    unsigned long long size, stream, context;
    uintptr_t address = 0;
    (void)none;
    if (!PyArg_ParseTuple(all, "KKK", &size, &stream, &context)) return NULL;
    if (allocate_in && is_current(context)) {
        int mode = RELAXED;
        if (exchange_mode) exchange_mode(&mode);
        if (allocate_in(&address, (size_t)size, (void *)(uintptr_t)stream)) address = 0;
        if (exchange_mode) exchange_mode(&mode);
    }
    return PyLong_FromSize_t(address);
}

/* (address, stream, context): frees memory behind the work of a stream; returns whether that context
   was current and the stream is not captured. */
static PyObject *free_memory(PyObject *none, PyObject *all)
{
    unsigned long long address, stream, context;
    int mode = RELAXED, capturing = 0, status = 0;
    (void)none;
    if (!PyArg_ParseTuple(all, "KKK", &address, &stream, &context)) return NULL;
    if (!free_in || !is_current(context)) Py_RETURN_FALSE;
    if (is_capturing) status = is_capturing((void *)(uintptr_t)stream, &capturing);
    if (status ? status == IMPLICIT : capturing) Py_RETURN_FALSE;
    if (exchange_mode) exchange_mode(&mode);
    free_in((uintptr_t)address, (void *)(uintptr_t)stream);
    if (exchange_mode) exchange_mode(&mode);
    Py_RETURN_TRUE;
}

/* Remembers how arrays of a type are read: (type, how, a capsule with a table or a tuple of fields or
   None, what returns the current stream: a capsule with a C function, an object, or None, (where an array
   points to a word of bits, where that is there, those that have to be 0)). Returns whether they can be. */
static PyObject *learn_array(PyObject *none, PyObject *all)
{
    struct array_type *one = &array_types[array_type_count];
    struct fields *fields = &one->fields;
    PyObject *type, *capsule, *stream;
    const struct dlpack_header *header = NULL;
    unsigned long long mask;
    Py_ssize_t pointer, word;
    int reading, i;
    (void)none;
    if (!PyArg_ParseTuple(all, "O!iOO(nnK)", &PyType_Type, &type, &reading, &capsule, &stream, &pointer,
                          &word, &mask))
        return NULL;
    for (i = 0; i < array_type_count; ++i)
        if ((PyObject *)array_types[i].type == type) Py_RETURN_TRUE;
    if (array_type_count == MOST_TYPES) Py_RETURN_FALSE;
    if (reading == BY_TABLE) {
        header = PyCapsule_GetPointer(capsule, DLPACK_CAPSULE);
        if (!header) return NULL;
        while (header && header->major != 1) header = header->older;
        if (!header || !((const struct dlpack_table *)header)->describe
            || !((const struct dlpack_table *)header)->current_stream)
            Py_RETURN_FALSE;
    }
    if (reading == BY_FIELDS) {
        if (!PyArg_ParseTuple(capsule, "nnnnnnO!", &fields->shape, &fields->strides, &fields->dtype,
                              &fields->data, &fields->pointer, &fields->device, &PyType_Type,
                              &fields->memory))
            return NULL;
    }
    one->stream_in_c = NULL;
    if (PyCapsule_IsValid(stream, STREAM_CAPSULE))
        one->stream_in_c = (intptr_t (*)(void))(uintptr_t)PyCapsule_GetPointer(stream, STREAM_CAPSULE);
    Py_INCREF(type);
    Py_INCREF(stream);
    Py_INCREF(capsule); /* and what is in it */
    one->type = (PyTypeObject *)type;
    one->reading = (enum reading)reading;
    one->table = (const struct dlpack_table *)header;
    one->pointer = pointer;
    one->word = word;
    one->mask = mask;
    one->stream = stream;
    ++array_type_count;
    Py_RETURN_TRUE;
}

/* Remembers a type of streams that stay open as long as something refers to them. */
static PyObject *learn_stream(PyObject *none, PyObject *type)
{
    int i;
    (void)none;
    for (i = 0; i < stream_type_count; ++i)
        if ((PyObject *)stream_types[i] == type) Py_RETURN_NONE;
    if (PyType_Check(type) && stream_type_count < MOST_TYPES) {
        Py_INCREF(type);
        stream_types[stream_type_count++] = (PyTypeObject *)type;
    }
    Py_RETURN_NONE;
}

static PyObject *turn_new(PyTypeObject *type, PyObject *given, PyObject *named)
{
    struct turn *self = (struct turn *)PyType_GenericAlloc(type, 0);
    (void)given, (void)named;
    if (self && make_lock(&self->lock)) {
        Py_DECREF((PyObject *)self);
        return PyErr_NoMemory();
    }
    return (PyObject *)self;
}

static void turn_free(PyObject *me)
{
    free_lock(&((struct turn *)me)->lock);
    cudnn_cffi_free(me);
}

static PyObject *turn_enter(PyObject *me, PyObject *none)
{
    (void)none;
    return acquire_of_python(&((struct turn *)me)->lock);
}

static PyObject *turn_exit(PyObject *me, PyObject *raised)
{
    (void)raised;
    return release_of_python(&((struct turn *)me)->lock);
}

static PyMethodDef turn_methods[] = {
    {"__enter__", turn_enter, METH_NOARGS, NULL},
    {"__exit__", turn_exit, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef turn_members[] = {
    {"event", T_ULONGLONG, offsetof(struct turn, event), 0, NULL},
    {"stream", T_ULONGLONG, offsetof(struct turn, stream), 0, NULL},
    {"context", T_ULONGLONG, offsetof(struct turn, context), 0, NULL},
    {"ready", T_INT, offsetof(struct turn, ready), 0, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot turn_slots[] = {
    {Py_tp_new, turn_new},
    {Py_tp_dealloc, turn_free},
    {Py_tp_methods, turn_methods},
    {Py_tp_members, turn_members},
    {0, NULL},
};

static PyType_Spec turn_spec = {
    "cudnn_cffi.Turn", sizeof(struct turn), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, turn_slots,
};

static PyObject *new_turn(PyObject *none, PyObject *nothing)
{
    (void)none, (void)nothing;
    return PyObject_CallNoArgs((PyObject *)turn_type);
}

int cudnn_cffi_address(PyObject *array, int on_host, uintptr_t *address)
{
    struct array_type *type;
    struct dlpack_array found;
    PyObject *data;
    int bad;
    if (PyLong_CheckExact(array)) {
        *address = PyLong_AsSize_t(array);
        if (*address == (uintptr_t)-1 && PyErr_Occurred()) PyErr_Clear(), *address = 0;
        return !*address;
    }
    type = type_of(array);
    if (!type) return 1;
    if (type->reading == BY_TABLE) {
        if (describe(type, array, &found)) return 1;
        *address = (uintptr_t)found.data + found.offset;
        return !found.data || (found.device_type == DLPACK_CUDA) == on_host;
    }
    if (on_host) return 1;
    if (type->reading == BY_SLOTS) return read_slot(ARRAY_POINTER, array, address) || !*address;
    if (type->reading == BY_FIELDS) {
        data = memory_of(&type->fields, array);
        if (data) *address = FIELD(data, type->fields.pointer, uintptr_t);
        return !data || !*address;
    }
    data = PyObject_GetAttr(array, n_data);
    bad = !data || read_attribute(data, n_ptr, address);
    Py_XDECREF(data);
    if (PyErr_Occurred()) cudnn_cffi_excuse(), bad = 1;
    return bad || !*address;
}

int cudnn_cffi_execute(PyObject *plan, PyObject *handle, const uintptr_t *found,
                       PyObject *workspace)
{
    typedef int (*get_stream_type)(uintptr_t, void **);
    struct plan *self = (struct plan *)plan;
    uintptr_t address, descriptor, device, space = 0;
    PyObject *answer;
    PyThreadState *thread;
    struct place_of_call where = {0};
    void *stream;
    int capturing = 0, status;
    if (!self->ready || self->steps || !self->descriptor
        || !functions[indices[EXECUTE]] || cudnn_cffi_watchers)
        return 1;
    if (!PyObject_TypeCheck(handle, handle_type) || read_slot(HANDLE_ADDRESS, handle, &address)
        || read_slot(HANDLE_DEVICE, handle, &device) || may_be_closed(handle)
        || F(GET_STREAM, get_stream_type)(address, &stream) || is_elsewhere(handle)
        || (self->device != (uintptr_t)-1 && self->device != device))
        return 1;
    if (!IS_DEFAULT(stream) && is_capturing && (is_capturing(stream, &capturing) || capturing))
        return 1;
    if (!workspace) {
        if (self->workspace_size && !(space = workspace_of(self, handle, (uintptr_t)stream)))
            return 1;
    } else if (PyLong_CheckExact(workspace)) {
        if (cudnn_cffi_address(workspace, 0, &space) && self->workspace_size) return 1;
    } else if (self->workspace_size && address_of_workspace(self, workspace, device, &space)) {
        return 1;
    }
    if (read_slot(DESCRIPTOR_ADDRESS, self->descriptor, &descriptor)) return 1;
    where.handle = address;
    where.stream = stream;
    thread = PyEval_SaveThread();
    status = execute_once(self, &where, descriptor, found, space);
    PyEval_RestoreThread(thread);
    if (where.closed) return 1;
    if (!status) return 0;
    answer = PyObject_CallMethod(plan, "_failed", "iOi", status, handle, -1);
    Py_XDECREF(answer); /* it has raised */
    return -1;
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
    {"_arm", plan_arm, METH_VARARGS, NULL},
    {"_keep_apart", plan_keep_apart, METH_O, NULL},
    {"_teach", plan_teach, METH_VARARGS, NULL},
    {"_acquire", plan_acquire, METH_NOARGS, NULL},
    {"_release", plan_release, METH_NOARGS, NULL},
    {"_end", plan_end, METH_NOARGS, NULL},
    {"_graphs", plan_graphs, METH_NOARGS, NULL},
    {"_set_up_all", set_up, METH_VARARGS | METH_STATIC, NULL},
    {"_replay", cudnn_cffi_set_up_replaying, METH_VARARGS | METH_STATIC, NULL},
    {"_learn_array", learn_array, METH_VARARGS | METH_STATIC, NULL},
    {"_after_fork", after_fork, METH_O | METH_STATIC, NULL},
    {"_replays", count_replays, METH_NOARGS | METH_STATIC, NULL},
    {"_stop_recording", stop_recording, METH_NOARGS | METH_STATIC, NULL},
    {"_allocate", allocate, METH_VARARGS | METH_STATIC, NULL},
    {"_free", free_memory, METH_VARARGS | METH_STATIC, NULL},
    {"_turn", new_turn, METH_NOARGS | METH_STATIC, NULL},
    {"_learn_stream", learn_stream, METH_O | METH_STATIC, NULL},
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
    if (!turn_type) turn_type = (PyTypeObject *)PyType_FromSpec(&turn_spec);
    if (!plan_type) plan_type = (PyTypeObject *)PyType_FromSpec(&plan_spec);
    PyErr_Clear();
    PyGILState_Release(state);
    return (uintptr_t)plan_type;
}
