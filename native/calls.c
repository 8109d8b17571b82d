/* Calls that come again; see calls.h. */

#include "calls.h"

#include <stdlib.h>
#include <string.h>

#include "handles.h"
#include "packs.h"
#include "steps.h"

#define MAX_SELDOM 16 /* times as many calls before a capture: a capture costs as much as some ten calls */
#define MANY_REPLAYS 64 /* that a capture is worth */
#define MANY_MISSES 256 /* calls in turn with new addresses, after which they are not looked at */
#define SHORT_PAUSE 256 /* calls of the first pause; each pause is longer than the one before */
#define LONG_PAUSE 4096

static int capture_call(void *what, void *stream)
{
    struct place_of_call where = *((struct call_frame *)what)->where;
    struct call_frame all = *(struct call_frame *)what;
    all.where = &where;
    where.stream = stream;
    where.side = NULL;
    return run_call(&all) || where.closed;
}

static inline int is_call(const struct call *call, const struct call_frame *all)
{
    int i;
    if (call->handle != all->where->handle || call->workspace != all->workspace) return 0;
    for (i = 0; i < all->plan->count; ++i)
        if (call->found[i] != all->found[i]) return 0;
    return 1;
}

/* Whether the handles that a call was captured with have not ended. Where no handle has ended since that was asked,
   their records are not read. */
static inline int has_handle(struct call *call)
{
    unsigned long ended;
    int i;
    if (call->ended == LOAD(&handles_ended)) return 1;
    ended = (unsigned long)ADD((long *)&handles_ended, 0); /* before the records, which change first */
    for (i = 0; i < 2 && call->life[i]; ++i)
        if (call->ends[i] != (long)LOAD((unsigned long *)&call->life[i]->ends)) return 0;
    call->ended = ended;
    return 1;
}

/* Destroys a graph: the call is executed again, and captured again if it is repeated. After few
   launches the plan's next capture comes later, since it would not pay; but not after the end of
   the handle. */
static RARE void forget_call(struct plan *self, struct call *call)
{
    if (!call->replay) return;
    if (call->uses >= MANY_REPLAYS)
        self->patience = 1;
    else if (self->patience < MAX_SELDOM && has_handle(call))
        self->patience *= 4;
    cudnn_cffi_forget(call->replay);
    cudnn_cffi_forget(call->aside);
    call->replay = call->aside = NULL;
    call->uses = 0;
}

/* Returns the record of calls with these addresses; a new one replaces the oldest. NULL during a pause, after
   calls with new addresses each time. */
static RARE struct call *find_call(struct call_frame *all)
{
    struct plan *self = all->plan;
    struct call *call;
    int i;
    if (!self->calls) {
        self->call_size = sizeof *self->calls + (size_t)self->count * sizeof *all->found;
        self->call_size = (self->call_size + LINE - 1) / LINE * LINE;
        self->calls = calloc(MAX_PACKS, self->call_size);
        self->patience = 1;
        self->next_pause = SHORT_PAUSE;
        if (!self->calls) return NULL;
    }
    for (i = 1; i < MAX_PACKS; ++i) { /* addresses that alternate come in the order of their records */
        int index = (self->last_call + i) % MAX_PACKS;
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
    self->next_call = (self->next_call + 1) % MAX_PACKS;
    forget_call(self, call);
    call->handle = all->where->handle;
    call->workspace = all->workspace;
    memcpy(call->found, all->found, (size_t)self->count * sizeof *all->found);
    call->uses = 0;
    return call;
}

static inline struct call *get_call(struct call_frame *all)
{
    struct plan *self = all->plan;
    if (self->pause) return --self->pause, NULL;
    if (self->calls && is_call(call_at(self, self->last_call), all))
        return call_at(self, self->last_call);
    return find_call(all);
}

/* The next one of the plans among the steps, by their places in memory: two threads take their locks in the
   same order. */
static struct plan *next_part(const struct plan *self, const struct plan *last)
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

/* The number of threads between a capture's begin and end, where they take Python's lock while they
   have a plan's; and whether the interpreter ends, after which such a thread would never go on. */
static long recordings, is_ending;

/* Counts a capture that begins; returns whether none may begin any more. */
static int begin_recording(void)
{
    ADD(&recordings, 1);
    if (!ADD(&is_ending, 0)) return 0;
    ADD(&recordings, -1);
    return 1;
}

PyObject *stop_recording(PyObject *none, PyObject *nothing)
{
    ALONE;
    (void)none, (void)nothing;
    if (!ADD(&is_ending, 0)) ADD(&is_ending, 1);
    return PyLong_FromLong(ADD(&recordings, 0));
}

void forget_recordings(void)
{
    recordings = 0;
}

/* Holds Python's lock during a capture, since the driver then refuses threads that wait for the device. Releases it
   while a graph is made: the driver may wait for memory of the device, and so for another thread of Python. */
static void hold_gil(void *what, int holds)
{
    struct call_frame *all = what;
    if (!all->thread) { /* a thread of XLA's, perhaps */
        if (holds) all->gil = (int)PyGILState_Ensure();
        else PyGILState_Release((PyGILState_STATE)all->gil);
    } else if (holds) {
        PyEval_RestoreThread(all->thread);
    } else {
        all->thread = PyEval_SaveThread();
    }
}

/* Captures the steps of a call, without running them again. Python's lock is always the last one that a thread
   takes, so the locks of the parts are taken before it. */
static RARE struct replay *record_call(struct call_frame *all, const struct to_replay *what, int *later)
{
    struct plan *part;
    struct replay *made;
    for (part = next_part(all->plan, NULL); part; part = next_part(all->plan, part))
        acquire(&part->lock);
    made = cudnn_cffi_record(what, later);
    for (part = next_part(all->plan, NULL); part; part = next_part(all->plan, part))
        release(&part->lock);
    return made;
}

/* Captures the steps of a branch; NULL where that cannot be done. */
static RARE struct replay *record_branch(const struct call_frame *all, enum branch branch, int *later)
{
    typedef int (*set_stream_type)(uintptr_t, void *);
    const struct side *side = all->where->side;
    struct call_frame own = *all;
    struct to_replay what = {
        capture_call, hold_gil, &own, F(SET_STREAM, set_stream_type), all->where->handle, all->where->stream,
    };
    struct place_of_call where = *all->where;
    if (branch == ASIDE) {
        what.handle = where.handle = side->handle;
        what.stream = side->stream;
    }
    own.where = &where;
    own.branch = branch;
    return record_call(&own, &what, later);
}

/* Captures a call: as two graphs if some of it runs in a second stream. */
static RARE void capture_both(struct call_frame *all, struct call *call, int *later)
{
    int forks = all->plan->forks;
    if (forks && !(call->aside = record_branch(all, ASIDE, later))) return;
    call->replay = record_branch(all, forks ? OWN : BOTH, later);
    if (call->replay) return;
    cudnn_cffi_forget(call->aside);
    call->aside = NULL;
}

/* Launches the captured graphs; returns whether some steps have to be executed. */
static inline int launch_call(const struct call_frame *all, struct call *call)
{
    const struct side *side = all->where->side;
    void *stream = all->where->stream;
    int status;
    if (!call->aside) return cudnn_cffi_replay(call->replay, stream);
    if (side && begin_side(side, stream)) return 1;
    status = cudnn_cffi_replay(call->aside, side ? side->stream : stream)
             || cudnn_cffi_replay(call->replay, stream);
    return (side && end_side(side, stream)) || status;
}

/* Counts a call, and captures it once it is repeated often enough. */
static RARE void count_call(struct call_frame *all, struct call *call)
{
    struct plan *self = all->plan;
    struct place_of_call *where = all->where;
    int later = 0, i;
    if (call->replay || call->uses < 0 || (self->forks && !where->side)
        || ++call->uses < cudnn_cffi_replay_after * self->patience)
        return;
    if (!cudnn_cffi_has_room()) {
        --call->uses;
        return;
    }
    call->life[0] = life_of(where->handle);
    call->life[1] = where->side ? life_of(where->side->handle) : NULL;
    if (!call->life[0] || (where->side && !call->life[1]) || begin_recording()) return;
    call->ended = (unsigned long)ADD((long *)&handles_ended, 0);
    for (i = 0; i < 2 && call->life[i]; ++i) call->ends[i] = (long)LOAD((unsigned long *)&call->life[i]->ends);
    capture_both(all, call, &later);
    ADD(&recordings, -1);
    call->uses = call->replay || later ? 0 : -1;
    if (!call->replay && self->patience < MAX_SELDOM) self->patience *= 4;
}

/* Number of calls that this thread has launched as graphs. */
static OF_THREAD long launched_here;

PyObject *count_replays(PyObject *none, PyObject *nothing)
{
    ALONE;
    (void)none, (void)nothing;
    return PyLong_FromLong(launched_here);
}

HOT int replay_call(struct call_frame *all)
{
    struct plan *self = all->plan;
    struct call *call;
    int status = 0;
    acquire(&self->lock);
    all->where->closed = self->closed;
    call = self->closed ? NULL : get_call(all);
    if (call && call->replay) {
        if (has_handle(call) && !launch_call(all, call)) {
            ++launched_here;
            if (call->uses < MANY_REPLAYS) ++call->uses;
            release(&self->lock);
            return 0;
        }
        forget_call(self, call);
    }
    if (!self->parts) release(&self->lock);
    if (!all->where->closed) status = run_call(all);
    if (!self->parts) acquire(&self->lock);
    if (call && !status && !all->where->closed && !self->closed && is_call(call, all))
        count_call(all, call);
    release(&self->lock);
    return status;
}

void forget_calls(struct plan *self)
{
    int i;
    for (i = 0; self->calls && i < MAX_PACKS; ++i) {
        cudnn_cffi_forget(call_at(self, i)->replay);
        cudnn_cffi_forget(call_at(self, i)->aside);
    }
    free(self->calls);
    self->calls = NULL;
    self->last_call = self->next_call = 0;
}

PyObject *plan_graphs(PyObject *me, PyObject *none)
{
    ALONE;
    struct plan *self = (struct plan *)me;
    long count = 0;
    int i;
    (void)none;
    for (i = 0; self->calls && i < MAX_PACKS; ++i) count += call_at(self, i)->replay != NULL;
    return PyLong_FromLong(count);
}
