/* Locks of plans, and turns of calls that share memory. */

#ifndef CUDNN_CFFI_LOCKS_H
#define CUDNN_CFFI_LOCKS_H

#include <Python.h>
#include <stdint.h>

#include "objects.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* A lock that its thread may acquire again, since a finalizer can need it while it is held. As long as threads do
   not meet, acquiring and releasing it only counts. */
struct lock {
    long threads;            /* that hold it or wait for it */
    unsigned long owner;     /* the thread that holds it, or 0 */
    int depth;               /* how often that has acquired it */
    PyThread_type_lock wait; /* free if a waiting thread may go on; else taken */
    struct lock *before, *behind;
};

/* The first of all, which each thread that has the GIL may look through. */
extern struct lock *locks;

/* Orders calls in several streams on the device, where they share memory that each of them changes. */
struct turn {
    PyObject_HEAD
    struct lock lock;
    unsigned long long event, stream, context; /* recorded after the last call; its stream; the event's context */
    int ready;                                 /* whether a call needs no preparation */
};

extern PyTypeObject *turn_type;

int make_lock(struct lock *self);

void free_lock(struct lock *self);

/* In the child of a fork: has a lock forget the threads that are not here. */
int renew_lock(struct lock *self);

PyObject *acquire_of_python(struct lock *self);

PyObject *release_of_python(struct lock *self);

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

/* Has a stream wait for the last call of a turn; returns whether that is not plain. */
int begin_turn(struct turn *turn, void *stream);

PyObject *new_turn(PyObject *none, PyObject *nothing);

/* Makes the type of turns, once. */
void make_turn_type(void);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
