/* Steps of a call; see steps.h. */

#include "steps.h"

#include <string.h>

#include "packs.h"

HOT int read_parts(struct plan *self, uintptr_t *plans)
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
    copy.width = (size_t)word[3];
    copy.from_pitch = (size_t)word[4];
    copy.to_pitch = (size_t)word[5];
    return copy_memory(&copy, stream);
}

/* The driver's numbers of attributes of a launch, and how many words stand before a kernel's argument. */
#define CLUSTER 4
#define OVERLAP 6
#define BEFORE_ARGUMENT 5

static int launch(uint64_t *word, void *stream)
{
    struct launch_attribute attributes[2] = {{0}};
    struct launch_config config = {{(unsigned int)word[1], (unsigned int)(word[1] >> 32), (unsigned int)word[2]},
                                   {(unsigned int)(word[2] >> 32), 1, 1}, (unsigned int)word[3], stream,
                                   attributes, 0};
    void *argument = word + BEFORE_ARGUMENT;
    unsigned int cluster = (unsigned int)(word[3] >> 32);
    if (cluster > 1) {
        struct launch_attribute *one = &attributes[config.count++];
        one->id = CLUSTER;
        one->values[0] = one->values[1] = 1;
        one->values[2] = cluster;
    }
    if (word[4]) {
        attributes[config.count].id = OVERLAP;
        attributes[config.count++].values[0] = 1;
    }
    return launch_kernel(&config, (uintptr_t)word[0], &argument, NULL);
}

/* Steps that run in a second stream. */
struct forked {
    struct place_of_call where;
    int runs; /* whether the call's own stream has to wait for it */
};

int begin_side(const struct side *side, void *stream)
{
    int status = record_event(side->events[0], stream);
    return status ? status : wait_for_event(side->stream, side->events[0], 0);
}

int end_side(const struct side *side, void *stream)
{
    int status = record_event(side->events[1], side->stream);
    return status ? status : wait_for_event(stream, side->events[1], 0);
}

/* Has the next steps run in another stream; returns the driver's status. */
static RARE int change_stream(enum kind kind, struct place_of_call *where, struct forked *forked,
                              struct place_of_call **here)
{
    const struct side *side = where->side;
    int status = 0;
    if (kind == FORK && side) {
        if ((status = begin_side(side, where->stream))) return status;
        forked->where.handle = side->handle;
        forked->where.stream = side->stream;
        forked->where.closed = 0;
        forked->runs = 1;
        *here = &forked->where;
    } else if (kind != FORK) {
        *here = where;
        if (kind == JOIN && forked->runs) {
            forked->runs = 0;
            status = end_side(side, where->stream);
        }
    }
    return status;
}

/* Runs all steps; sets `*at` to the one that failed. Nothing of calls, copies and zeros belongs to one
   execution alone, so threads may run them at the same time. */
HOT static int run_steps(struct plan *self, struct place_of_call *where, const uintptr_t *found,
                     uintptr_t workspace, const uintptr_t *plans, enum branch branch, int *at)
{
    uint64_t word[MAX_WORDS + 1];
    uintptr_t inside[MAX_WORDS + 1];
    struct place_of_call *here = where;
    struct forked forked;
    enum branch current = OWN;
    int i, within, status = 0;
    forked.runs = 0;
    for (*at = 0; *at < self->steps; ++*at) {
        const struct step *step = &self->step[*at];
        if (branch != BOTH) {
            if (step->kind >= FORK) current = step->kind == FORK ? ASIDE : OWN;
            if (step->kind >= FORK || current != branch) continue;
        }
        memcpy(word, step->word, (size_t)step->words * sizeof *word);
        for (i = 0; i < step->places; ++i) {
            int source = step->place[i].source;
            uintptr_t address = source >= 0                 ? found[source]
                                : source == FROM_WORKSPACE ? workspace
                                                           : here->handle;
            word[step->place[i].word] = address + step->place[i].offset;
        }
        if (step->kind == CALL) {
            status = step->function(word);
        } else if (step->kind == FILL) {
            status = fill(word, here->stream);
        } else if (step->kind == COPY) {
            status = copy_rows(word, here->stream);
        } else if (step->kind == KERNEL) {
            status = launch(word, here->stream);
        } else if (step->kind != EXECUTION) {
            status = change_stream(step->kind, where, &forked, &here);
        } else {
            struct plan *part = step->part;
            int last = part->count;
            for (i = 0; i <= last; ++i) inside[i] = (uintptr_t)word[i];
            /* its own steps execute no plans */
            status = run_steps(part, here, inside, inside[last], NULL, BOTH, &within);
            if (!status) status = execute_once(part, here, plans[*at], inside, inside[last]);
        }
        if (status || here->closed) break;
    }
    where->closed = here->closed;
    if (forked.runs) change_stream(JOIN, where, &forked, &here);
    return status;
}

HOT int run_call(struct call_frame *all)
{
    struct plan *self = all->plan;
    int status = run_steps(self, all->where, all->found, all->workspace, all->parts, all->branch, &all->at);
    if (status || all->where->closed || !self->descriptor) return status;
    all->at = -1;
    return execute_once(self, all->where, all->descriptor, all->found, all->workspace);
}

/* Numbers in place of functions, for steps that call none of cuDNN. */
#define TO_FILL (-1)
#define TO_COPY (-2)
#define TO_FORK (-3)
#define TO_GO_BACK (-4)
#define TO_JOIN (-5)
#define TO_LAUNCH (-6)

int read_step(struct step *step, PyObject *all, Py_ssize_t count)
{
    PyObject *what, *words, *places;
    Py_ssize_t i;
    if (!PyArg_ParseTuple(all, "OO!O!", &what, &PyTuple_Type, &words, &PyTuple_Type, &places))
        return -1;
    step->words = (int)PyTuple_Size(words);
    step->places = (int)PyTuple_Size(places);
    if (step->words > MAX_WORDS + 1 || step->places > step->words) return 1;
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
        step->kind = index == TO_FILL      ? FILL
                     : index == TO_COPY    ? COPY
                     : index == TO_LAUNCH  ? KERNEL
                     : index == TO_FORK    ? FORK
                     : index == TO_GO_BACK ? BACK
                     : index == TO_JOIN    ? JOIN
                                           : CALL;
        if (step->kind == FILL ? step->words != 4 || !set_bytes || !set_halves || !set_words
            : step->kind == COPY
                ? step->words != 6 || !copy_memory
            : step->kind == KERNEL
                ? step->words <= BEFORE_ARGUMENT || !launch_kernel
            : step->kind >= FORK
                ? step->words || !record_event || !wait_for_event
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
