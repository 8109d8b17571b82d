/* Shared by the files of a plan's call: a plan, its steps, packs and calls, and where a call runs. */

#ifndef CUDNN_CFFI_STATE_H
#define CUDNN_CFFI_STATE_H

#include <Python.h>
#include <stdint.h>

#include "arrays.h"
#include "driver.h"
#include "function.h"
#include "locks.h"
#include "objects.h"
#include "plan.h"
#include "replay.h"
#include "shim.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

#define MAX_PACKED 64
#define MAX_STEPS 512
#define MAX_PACKS 16
#define LINE 64 /* bytes of a line of the cache */

/* Indices of cuDNN's functions in `functions`, and numbers of its enums. */
enum used {
    EXECUTE, CREATE, SET, FINALIZE, DESTROY, GET_STREAM, SET_STREAM, DESTROY_HANDLE, SET_CALLBACK,
    GET_CALLBACK, CREATE_HANDLE, STATUS_NAME, USED
};
extern int indices[USED];
enum number { PACK, UIDS, POINTERS, WORKSPACE, INT64, VOID_PTR, INFO, NUMBERS };
extern int numbers[NUMBERS];

/* Where else an address comes from: the workspace, or nowhere: then the offset is all of it; or it
   is the handle's. */
#define FROM_WORKSPACE (-1)
#define FROM_NOTHING (-2)
#define FROM_HANDLE (-3)

/* A step calls a classic function with all that it takes; executes a plan, by the
   addresses of its arguments and of its workspace; sets memory: its address, how many elements,
   their bits, and the bytes of each; copies rows: both addresses, how many, the bytes of each, and
   those from row to row in the source; or launches a kernel: its address, the numbers of blocks, of
   threads and of bytes of memory, of blocks of a cluster, whether it overlaps the kernel before it, and
   its argument. `place` says which words are addresses of this execution.
   FORK has the next steps run in a second stream, if there is one, BACK in the call's own, and JOIN has that wait
   for the second one. */
enum kind { CALL, EXECUTION, FILL, COPY, KERNEL, FORK, BACK, JOIN };
struct step {
    enum kind kind;
    words_call *function; /* of a CALL */
    struct plan *part;    /* of an EXECUTION */
    int words, places;
    uint64_t word[MAX_WORDS + 1];
    struct {
        int word, source;
        uintptr_t offset;
    } place[MAX_WORDS + 1];
};

/* Two arguments whose memory must not overlap, their extents in bytes, and the distances at which they may: as one
   array, or as rows between each other's. */
struct apart {
    int one, other;
    uintptr_t size, other_size, fine[2];
};

/* A plan executes the steps, then the plan of `descriptor`, if there is one. */
struct plan {
    PyObject_HEAD
    entrance *enter;
    int ready, closed, inputs, count, packed, steps;
    int parts;   /* how many steps execute plans */
    int forks;   /* how many begin a second stream */
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
    /* Fields for threads that have the lock. */
    int last, next; /* the pack that was used last, and that which is filled anew */
    struct pack {
        void *descriptor;
        uintptr_t workspace;
        uintptr_t addresses[]; /* as many as the plan packs */
    } *packs;
    size_t pack_size; /* in bytes, of each of `MAX_PACKS` */
    /* Where each address of a pack comes from: the argument that has it, or one of those above. */
    struct {
        int source;
        uintptr_t offset;
    } sources[MAX_PACKED];
    int64_t uids[MAX_PACKED];
    /* For threads that hold the lock: the addresses of the last calls, and their graphs. */
    int patience;   /* the factor of the number of calls before a capture */
    int last_call, next_call, misses; /* calls in turn with new addresses */
    int pause, next_pause; /* how many calls come before addresses are looked at again; the next time */
    struct call {
        struct replay *replay, *aside; /* the second one in the second stream: a graph of both takes much longer */
        uintptr_t handle, workspace;
        struct life *life[2]; /* of the handle that it was captured with, and of the second stream's, or NULL */
        long ends[2];         /* what these said then */
        unsigned long ended; /* how many handles had ended when it was asked last */
        int uses;           /* calls since then, or without a graph; -1: it cannot be captured */
        uintptr_t found[];  /* the addresses of the operands */
    } *calls;
    size_t call_size; /* in bytes, of each of `MAX_PACKS` */
};

extern PyTypeObject *plan_type;

#define F(name, type) ((type)functions[indices[name]])

/* A second stream for steps that need not wait for each other: that of a handle of the thread's own, and two
   events, by which both streams wait for each other. */
struct side {
    uintptr_t handle, events[2];
    void *stream;
};

/* Where a call runs: the address of the handle, and its stream; whether a plan was found to be
   closed; and the second stream, or NULL. */
struct place_of_call {
    uintptr_t handle;
    void *stream;
    int closed;
    const struct side *side;
};

/* All steps; or those in the call's own stream alone, or in the second one. */
enum branch { BOTH, OWN, ASIDE };

/* All that a call of a plan takes. */
struct call_frame {
    struct plan *plan;
    struct place_of_call *where;
    const uintptr_t *found, *parts; /* addresses of operands, and of the descriptors of plans among steps */
    uintptr_t workspace, descriptor;
    int at; /* the step that failed; -1 for the plan's own execution */
    PyThreadState *thread; /* that released Python's lock for the call; NULL where none did */
    int gil;               /* the state that has to be released then */
    enum branch branch;    /* the steps that run */
};

/* Returns 1 if two arguments may overlap that must not. */
static inline int overlaps(const struct plan *self, const uintptr_t *found)
{
    Py_ssize_t i;
    for (i = 0; i < self->aparts; ++i) {
        const struct apart *pair = &self->apart[i];
        uintptr_t one = found[pair->one], other = found[pair->other];
        if (one < other + pair->other_size && other < one + pair->size && one - other != pair->fine[0]
            && one - other != pair->fine[1])
            return 1;
    }
    return 0;
}

/* Returns 1 if a workspace that the caller passed overlaps an argument. */
static inline int is_over_arguments(const struct plan *self, const uintptr_t *found, uintptr_t workspace)
{
    int i;
    for (i = 0; i < self->count; ++i)
        if (self->arguments[i].span && found[i] < workspace + self->workspace_size
            && workspace < found[i] + self->arguments[i].span)
            return 1;
    return 0;
}

static inline struct pack *pack_at(struct plan *self, int index)
{
    return (struct pack *)((char *)self->packs + (size_t)index * self->pack_size);
}

static inline struct call *call_at(struct plan *self, int index)
{
    return (struct call *)((char *)self->calls + (size_t)index * self->call_size);
}

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
