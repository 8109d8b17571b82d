/* Functions in front of which known calls go straight to their plans; see shortcut.h.

   A call is known if it has arrays where an earlier call had arrays, and the same numbers and words. The plan
   compares the arrays, and executes at once if they fit. Any other call goes to the function, where the operation
   notes the plan or step that ran: the call is known from then on. */

#include <Python.h>
#include <string.h>
#include <structmember.h>

#include "dlpack.h"
#include "objects.h"
#include "plan.h"
#include "shortcut.h"

#define MAX_KNOWN 128
#define MAX_GIVEN 24

/* Where the answer comes from: that of the plan, an argument, one of the plan's outputs, or a tuple of
   outputs and arguments. */
enum form { AS_IT_IS, AN_ARGUMENT, ONE_OUTPUT, ITEMS };

#define NOTHING (-1)                      /* an item that is None */
#define OF_ARGUMENT(index) (-2 - (index)) /* one that is an argument; its own inverse */

/* The target of a kind of calls. */
struct outcome {
    PyObject *plan, *kind;
    int operands, form, argument, count;
    int items[MAX_ITEMS]; /* the output that each item is, or one of the above */
};

/* A kind of calls. Fields that are read first come first, in few lines of the cache. */
struct known_call {
    PyObject *scope, *process, *names;
    Py_ssize_t positional;
    int given, handle, stream, lead;
    int holders;    /* the memory that has it, and the calls that look at it */
    int copies;     /* whether copies of some arrays are taken: then all are exactly as they were */
    uint64_t print; /* of the array that is argument `lead`, or 0 */
    struct {
        PyObject *same; /* what an argument has to be; NULL for arrays, handle and stream */
        uint64_t like;  /* the fingerprint of an array that the plan does not compare, or 0 */
        int alias;      /* the argument that has to be the same array, or -1 */
    } at[MAX_GIVEN];
    struct outcome is;
    int source[MAX_ARGUMENTS]; /* the argument that is each operand, or -1 */
    PyObject *copiers[MAX_ARGUMENTS]; /* what makes the copy that is taken instead, or NULL */
    uintptr_t alignment;
    unsigned long long born;
};

struct memory {
    PyObject_HEAD
    struct joined joined;
    int count;
    struct known_call *known[MAX_KNOWN];
};

struct shortcut {
    PyObject_HEAD
    entrance *enter;
    PyObject *attributes, *references;
    PyObject *function;
    PyObject *memory; /* NULL: the first argument has it as an attribute */
};

static PyTypeObject *memory_type, *shortcut_type;
static PyObject *n_memory, *n_handle, *n_stream, *n_limit, *n_workspace;

/* The function that returns the open scope; lists: the policy of the process, and watchers of each call. */
NEAR static PyObject *open_scope = NULL, *process = NULL, *watchers = NULL;

/* The number of open calls of functions on this thread, which learn from the note, and the note: a
   tuple of plan, values, answer and copiers; an empty one where several things were noted. */
static OF_THREAD int waiting;
static OF_THREAD PyObject *noted;
static unsigned long long births;

/* Has one holder less; the last one ends it. */
static void forget(struct known_call *known)
{
    int i;
    if (!known || --known->holders) return;
    Py_XDECREF(known->is.plan);
    Py_XDECREF(known->scope);
    Py_XDECREF(known->process);
    Py_XDECREF(known->names);
    Py_XDECREF(known->is.kind);
    for (i = 0; i < known->given; ++i) Py_XDECREF(known->at[i].same);
    for (i = 0; known->copies && i < known->is.operands; ++i) Py_XDECREF(known->copiers[i]);
    PyMem_Free(known);
}

/* Whether an object is a tuple, perhaps of a derived class such as that of shapes, that is compared as
   tuples are: without code of anybody else's. */
static int is_tuple(PyObject *object)
{
    return PyTuple_CheckExact(object)
           || (PyTuple_Check(object)
               && PyType_GetSlot(Py_TYPE(object), Py_tp_richcompare)
                      == PyType_GetSlot(&PyTuple_Type, Py_tp_richcompare));
}

/* Whether an argument is the number or word that it was, or a tuple of such. -0.0 is not 0.0, nor 1.0 or True
   the number 1, which they equal. */
HOT static int is_same(PyObject *one, PyObject *other)
{
    Py_ssize_t i, count;
    int equal;
    if (one == other) return 1;
    if (Py_TYPE(one) != Py_TYPE(other)) return 0;
    if (PyFloat_CheckExact(one)) {
        double a = PyFloat_AsDouble(one), b = PyFloat_AsDouble(other);
        return memcmp(&a, &b, sizeof a) == 0;
    }
    if (is_tuple(one)) {
        count = PyTuple_Size(one);
        for (i = 0; i < count && i < PyTuple_Size(other); ++i)
            if (!is_same(PyTuple_GetItem(one, i), PyTuple_GetItem(other, i))) return 0;
        return count == PyTuple_Size(other);
    }
    if (!PyLong_CheckExact(one) && !PyUnicode_CheckExact(one)) return 0;
    equal = PyObject_RichCompareBool(one, other, Py_EQ);
    if (equal < 0) cudnn_cffi_clear_error();
    return equal > 0;
}

/* Returns 1 if an object is immutable, and can be compared. */
static int is_plain(PyObject *object, int depth)
{
    Py_ssize_t i;
    if (object == Py_None || object == Py_Ellipsis || object == Py_True || object == Py_False
        || PyLong_CheckExact(object) || PyFloat_CheckExact(object) || PyUnicode_CheckExact(object))
        return 1;
    if (!is_tuple(object) || depth == 3) return 0;
    for (i = 0; i < PyTuple_Size(object); ++i)
        if (!is_plain(PyTuple_GetItem(object, i), depth + 1)) return 0;
    return 1;
}

HOT static int same_names(PyObject *one, PyObject *other)
{
    Py_ssize_t i, count;
    if (one == other) return 1;
    if (!one || !other || (count = PyTuple_Size(one)) != PyTuple_Size(other)) return 0;
    for (i = 0; i < count; ++i) {
        PyObject *a = PyTuple_GetItem(one, i), *b = PyTuple_GetItem(other, i);
        if (a != b && PyUnicode_Compare(a, b)) return 0;
    }
    return 1;
}

/* The first policy of the process; NULL before there is one. */
static PyObject *process_policy(void)
{
    return process && PyList_Size(process) > 0 ? PyList_GetItem(process, 0) : NULL;
}

/* Whether nothing bounds the workspace of a handle, by which plans are chosen. */
static int is_unbounded(PyObject *handle)
{
    PyObject *workspace = PyObject_GetAttr(handle, n_workspace);
    PyObject *limit = workspace ? PyObject_GetAttr(workspace, n_limit) : NULL;
    int free = limit == Py_None;
    cudnn_cffi_failed();
    Py_XDECREF(limit);
    Py_XDECREF(workspace);
    return free;
}

/* Notes the result of a call for the functions that wait; values of NULL if the result cannot be
   known. Errors are no concern of the call. */
static void note(PyObject *plan, PyObject *values, PyObject *answer, PyObject *copiers)
{
    PyObject *old = noted;
    noted = old || !values || !copiers ? NULL : PyTuple_Pack(4, plan, values, answer, copiers);
    PyErr_Clear();
    if (!noted) noted = PyTuple_New(0); /* which takes no memory */
    Py_XDECREF(old);
}

/* An output of the plan, of all of its answer. */
static PyObject *output_of(PyObject *answer, int index)
{
    return PyTuple_CheckExact(answer) ? PyTuple_GetItem(answer, index) : answer;
}

/* Makes the answer of a call from that of its plan, which is released. */
HOT static PyObject *shaped(struct outcome *outcome, PyObject *answer, PyObject *const *given)
{
    PyObject *items, *made, *one;
    int i;
    if (outcome->form == AS_IT_IS) return answer;
    if (outcome->form != ITEMS) {
        one = outcome->form == AN_ARGUMENT ? given[outcome->argument]
                                           : output_of(answer, outcome->argument);
        Py_XINCREF(one);
        Py_DECREF(answer);
        return one;
    }
    items = PyTuple_New(outcome->count);
    for (i = 0; items && i < outcome->count; ++i) {
        int item = outcome->items[i];
        one = item == NOTHING ? Py_None
              : item < 0      ? given[OF_ARGUMENT(item)]
                              : output_of(answer, item);
        if (!one) {
            Py_CLEAR(items);
            break;
        }
        Py_INCREF(one);
        PyTuple_SetItem(items, i, one);
    }
    Py_DECREF(answer);
    if (outcome->kind == (PyObject *)&PyTuple_Type) return items;
    made = items ? PyTuple_Pack(1, items) : NULL;
    Py_XDECREF(items);
    items = made;
    /* As `tuple.__new__(kind, items)`: what makes such results from several values checks how many
       there are, and there are as many as in the first one. */
    made = items ? ((newfunc)PyType_GetSlot(&PyTuple_Type, Py_tp_new))((PyTypeObject *)outcome->kind,
                                                                      items, NULL)
                 : NULL;
    Py_XDECREF(items);
    return made;
}

/* Returns a new tuple of `count` objects, with None for NULL. */
static PyObject *listed(PyObject *const *objects, int count)
{
    PyObject *made = PyTuple_New(count);
    int i;
    for (i = 0; made && i < count; ++i) {
        PyObject *one = objects[i] ? objects[i] : Py_None;
        Py_INCREF(one);
        PyTuple_SetItem(made, i, one);
    }
    return made;
}

/* Notes a call that went straight to its plan. */
static RARE void note_known(struct outcome *outcome, const struct arguments *arguments, PyObject *answer)
{
    PyObject *values = listed(arguments->values, outcome->operands);
    PyObject *copiers = arguments->copiers ? listed(arguments->copiers, outcome->operands) : PyTuple_New(0);
    note(outcome->plan, values, answer, copiers);
    Py_XDECREF(copiers);
    Py_XDECREF(values);
}

/* A call, and what decides besides its arguments. */
struct call {
    PyObject *const *given;
    Py_ssize_t positional, total;
    PyObject *names, *scope, *policy;
};

/* Whether a call is of a kind, as far as can be told without a look at the arrays that the plan takes. */
static inline int is_shaped(const struct known_call *known, const struct call *call)
{
    return known->given == call->total && known->positional == call->positional
           && known->scope == call->scope && known->process == call->policy
           && same_names(known->names, call->names);
}

static inline int has_arguments(const struct known_call *known, const struct call *call)
{
    int j;
    for (j = 0; j < known->given; ++j) {
        if (known->at[j].same && !is_same(call->given[j], known->at[j].same)) return 0;
        if (known->at[j].alias >= 0 && call->given[j] != call->given[known->at[j].alias]) return 0;
        if (known->at[j].like
            && known->at[j].like
                   != cudnn_cffi_fingerprint(call->given[j], known->copies ? ALL : WHERE, NULL))
            return 0;
    }
    return 1;
}

/* Executes a known call, one array of which may be described already; returns NULL, without an exception, if the
   call is not plain. */
HOT static PyObject *execute(struct known_call *known, const struct call *call, PyObject *described,
                         const struct description *description)
{
    PyObject *answer;
    struct arguments arguments;
    int j;
    arguments.handle = arguments.stream = arguments.workspace = NULL;
    arguments.tables = NULL;
    arguments.described = described;
    arguments.description = description;
    arguments.copiers = known->copies ? known->copiers : NULL;
    for (j = 0; j < known->is.operands; ++j)
        arguments.values[j] = known->source[j] >= 0 ? call->given[known->source[j]] : NULL;
    if (known->handle >= 0 && call->given[known->handle] != Py_None) {
        arguments.handle = call->given[known->handle];
        if (!is_unbounded(arguments.handle)) return NULL;
        arguments.described = NULL; /* that can run any code, which may change the array */
    }
    if (known->stream >= 0 && call->given[known->stream] != Py_Ellipsis)
        arguments.stream = call->given[known->stream];
    answer = cudnn_cffi_run(known->is.plan, &arguments);
    if (answer && waiting) note_known(&known->is, &arguments, answer);
    return answer ? shaped(&known->is, answer, call->given) : NULL;
}

/* Makes a known call. NULL without an exception where it is not known or not plain. */
HOT static PyObject *look_up(struct memory *memory, PyObject *const *given, Py_ssize_t positional,
                         PyObject *names)
{
    struct call call = {given, positional, positional, names, NULL, NULL};
    struct description description;
    PyObject *answer = NULL, *described = NULL;
    uint64_t print = 0;
    int i, lead = -1;
    if (!memory->count || PyList_Size(watchers)) return NULL;
    if (names) call.total += PyTuple_Size(names);
    call.policy = process_policy();
    call.scope = PyObject_CallNoArgs(open_scope);
    if (!call.scope) return NULL;
    for (i = 0; !answer && !PyErr_Occurred() && i < memory->count; ++i) {
        struct known_call *known = memory->known[i];
        if (!is_shaped(known, &call)) continue;
        ++known->holders; /* what follows can run any code, which may have it forgotten */
        if (known->print && memory->count > 1 && lead != known->lead) {
            description.is.data = NULL;
            print = cudnn_cffi_fingerprint(given[lead = known->lead], SOME, &description);
            described = description.is.data ? given[lead] : NULL;
        }
        /* With one entry, skip the fingerprint: the plan compares arrays anyway. */
        if ((!known->print || memory->count <= 1 || print == known->print)
            && has_arguments(known, &call)) {
            answer = execute(known, &call, described, &description);
            lead = -1; /* it can run any code, which may change the array */
            described = NULL;
        }
        forget(known);
    }
    Py_DECREF(call.scope);
    return answer;
}

/* Whether a known call begins with these switches and needs, and several answers are in a plain tuple. */
static int has_lead(const struct known_call *known, const struct described_call *call)
{
    PyObject *switches = known->at[0].same, *needs = known->at[1].same;
    int j;
    if ((known->is.form == ITEMS ? known->is.kind != (PyObject *)&PyTuple_Type : call->lead == SWITCHES_AND_NEEDS)
        || !switches || !PyLong_CheckExact(switches) || PyLong_AsLongLong(switches) != call->switches)
        return 0;
    if (call->lead == SWITCHES) return 1;
    if (!needs || !PyTuple_CheckExact(needs) || PyTuple_Size(needs) != call->needing) return 0;
    for (j = 0; j < call->needing; ++j)
        if ((PyTuple_GetItem(needs, j) == Py_True) != (int)(call->needs >> j & 1)) return 0;
    return 1;
}

/* Whether an array is another one, by its description. */
static int is_other(const struct dlpack_array *one, const struct dlpack_array *other)
{
    size_t size = (size_t)one->ndim * sizeof *one->shape;
    return !other || one->data != other->data || one->ndim != other->ndim || one->code != other->code
           || one->bits != other->bits || memcmp(one->shape, other->shape, size)
           || memcmp(one->strides, other->strides, size);
}

/* Returns 1 if a known call takes arrays that come as descriptions alone, and returns such arrays. */
static int is_described(const struct known_call *known, const struct described_call *call)
{
    int j, lead = call->lead, count = call->count + lead;
    if (known->given != count + !!call->plain || !same_names(known->names, call->names) || known->copies
        || known->handle >= 0 || known->stream >= 0 || known->is.form == AN_ARGUMENT
        || (lead && !has_lead(known, call))
        || (call->plain && (!known->at[count].same || !is_same(call->plain, known->at[count].same))))
        return 0;
    for (j = lead; j < count; ++j) {
        const struct dlpack_array *one = call->given[j - lead];
        int alias = known->at[j].alias;
        if (known->at[j].same ? known->at[j].same != Py_None || one : !one) return 0;
        if (alias >= 0 && (alias < lead || is_other(one, call->given[alias - lead]))) return 0;
        if (known->at[j].like && known->at[j].like != cudnn_cffi_fingerprint_of(one, WHERE)) return 0;
    }
    for (j = 0; known->is.form == ITEMS && j < known->is.count; ++j)
        if (known->is.items[j] < NOTHING && (lead != SWITCHES || OF_ARGUMENT(known->is.items[j]) < lead)) return 0;
    return 1;
}

/* Lists which output or array each item of an answer is. */
static void list_places(const struct known_call *known, struct described_call *call)
{
    int j, item;
    call->items = 0;
    if (known->is.form == ONE_OUTPUT) call->places[call->items++] = known->is.argument;
    for (j = 0; known->is.form == ITEMS && j < known->is.count; ++j) {
        item = known->is.items[j];
        call->places[call->items++] = item < NOTHING ? OF_ARRAY(OF_ARGUMENT(item) - (int)call->lead) : item;
    }
    for (j = 0; known->is.form == AS_IT_IS && j < known->is.operands && call->items < MAX_ITEMS; ++j)
        if (known->source[j] < 0) call->places[call->items] = call->items, ++call->items;
    call->is_tuple = known->is.form == ITEMS || call->items > 1;
}

int cudnn_cffi_run_described(PyObject *object, struct described_call *call)
{
    struct memory *memory = (struct memory *)object;
    const struct dlpack_array *given[MAX_ARGUMENTS];
    struct tables tables = {call->kind, given, call->make, call->what};
    struct arguments arguments;
    PyObject *policy = process_policy(), *scope, *answer = NULL;
    int i, j, lead = call->lead;
    if (!cudnn_cffi_is_memory(object) || !memory->count || waiting || PyList_Size(watchers)) return 0;
    if (!(scope = PyObject_CallNoArgs(open_scope))) return -1;
    memset(&arguments, 0, offsetof(struct arguments, values));
    arguments.tables = &tables;
    for (i = 0; !answer && !PyErr_Occurred() && i < memory->count; ++i) {
        struct known_call *known = memory->known[i];
        if (known->scope != scope || known->process != policy || !is_described(known, call)) continue;
        ++known->holders; /* what follows can run any code, which may have it forgotten */
        for (j = 0; j < known->is.operands; ++j)
            given[j] = known->source[j] >= lead ? call->given[known->source[j] - lead] : NULL;
        answer = cudnn_cffi_run(known->is.plan, &arguments);
        list_places(known, call);
        forget(known);
    }
    Py_DECREF(scope);
    if (!answer) return PyErr_Occurred() ? -1 : 0;
    Py_DECREF(answer);
    return 1;
}

/* The output of a plan that an object is, or -1. */
static int find_output(PyObject *object, PyObject *told)
{
    Py_ssize_t i;
    if (!PyTuple_CheckExact(told)) return object == told ? 0 : -1;
    for (i = 0; i < PyTuple_Size(told); ++i)
        if (object == PyTuple_GetItem(told, i)) return (int)i;
    return -1;
}

/* The argument that an object is, or -1. */
static int find_argument(const struct known_call *known, PyObject *object, PyObject *const *given)
{
    int i;
    for (i = 0; i < known->given; ++i)
        if (given[i] == object) return i;
    return -1;
}

/* Finds how the answer is made of outputs and arguments; returns 1 if that is not seen. */
static int find_form(struct known_call *known, PyObject *answer, PyObject *told, PyObject *const *given)
{
    int i, place;
    known->is.form = AS_IT_IS;
    if (answer == told) return 0;
    known->is.form = AN_ARGUMENT;
    if ((known->is.argument = find_argument(known, answer, given)) >= 0) return 0;
    known->is.form = ONE_OUTPUT;
    if ((known->is.argument = find_output(answer, told)) >= 0) return 0;
    known->is.form = ITEMS;
    if (!PyTuple_Check(answer) || PyTuple_Size(answer) > MAX_ITEMS) return 1;
    known->is.count = (int)PyTuple_Size(answer);
    for (i = 0; i < known->is.count; ++i) {
        PyObject *item = PyTuple_GetItem(answer, i);
        if (item == Py_None) {
            place = NOTHING;
        } else if ((place = find_output(item, told)) < 0) {
            if ((place = find_argument(known, item, given)) < 0) return 1;
            place = OF_ARGUMENT(place);
        }
        known->is.items[i] = place;
    }
    Py_INCREF(known->is.kind = (PyObject *)Py_TYPE(answer));
    return 0;
}

/* Fills in the record of a call; returns 1 if the call cannot be known. */
static int describe(struct known_call *known, PyObject *const *given, Py_ssize_t positional,
                    PyObject *names, PyObject *told, PyObject *answer)
{
    PyObject *plan = PyTuple_GetItem(told, 0), *values = PyTuple_GetItem(told, 1);
    PyObject *copiers = PyTuple_GetItem(told, 3);
    Py_ssize_t i, j, total = positional + (names ? PyTuple_Size(names) : 0);
    if (total > MAX_GIVEN || !PyTuple_Check(values) || PyTuple_Size(values) > MAX_ARGUMENTS
        || !cudnn_cffi_runs(plan, (int)PyTuple_Size(values)))
        return 1;
    known->given = (int)total;
    known->positional = positional;
    known->is.operands = (int)PyTuple_Size(values);
    for (j = 0; j < PyTuple_Size(copiers) && j < known->is.operands; ++j)
        if (PyTuple_GetItem(copiers, j) != Py_None) {
            Py_INCREF(known->copiers[j] = PyTuple_GetItem(copiers, j));
            known->copies = 1;
        }
    known->handle = known->stream = known->lead = -1;
    for (j = 0; j < known->is.operands; ++j) known->source[j] = -1;
    for (i = 0; i < total; ++i) {
        PyObject *name = i < positional ? NULL : PyTuple_GetItem(names, i - positional);
        int is_used = 0;
        known->at[i].alias = -1;
        if (name && !PyUnicode_Compare(name, n_handle)) {
            known->handle = (int)i;
            if (given[i] != Py_None && !is_unbounded(given[i])) return 1;
            continue;
        }
        if (name && !PyUnicode_Compare(name, n_stream)) {
            known->stream = (int)i;
            continue;
        }
        if (is_plain(given[i], 0)) {
            Py_INCREF(known->at[i].same = given[i]);
            continue;
        }
        for (j = 0; j < i && known->at[i].alias < 0; ++j)
            if (given[j] == given[i]) known->at[i].alias = (int)j;
        for (j = 0; j < known->is.operands; ++j)
            if (PyTuple_GetItem(values, j) == given[i]) {
                is_used = 1;
                if (known->source[j] < 0) known->source[j] = (int)i;
            }
        if (!is_used || known->copies) {
            /* The choice of the plan, or of the copies, depends on it. */
            known->at[i].like = cudnn_cffi_fingerprint(given[i], known->copies ? ALL : WHERE, NULL);
            if (!known->at[i].like) return 1;
        }
        if (is_used && known->lead < 0) known->lead = (int)i;
    }
    if (known->lead < 0) return 1;
    /* An operand that is no argument was made on the way, unless it is an output of the plan. */
    for (j = 0; j < known->is.operands; ++j)
        if (known->source[j] < 0 && PyTuple_GetItem(values, j) != Py_None) return 1;
    if (find_form(known, answer, PyTuple_GetItem(told, 2), given)) return 1;
    known->print = cudnn_cffi_fingerprint(given[known->lead], SOME, NULL);
    known->alignment = cudnn_cffi_alignment(plan);
    known->born = ++births;
    Py_INCREF(known->is.plan = plan);
    if (names) Py_INCREF(known->names = names);
    known->scope = PyObject_CallNoArgs(open_scope);
    known->process = process ? PySequence_GetItem(process, 0) : NULL;
    if (!known->process) PyErr_Clear();
    if (!known->scope || !known->process) return 1;
    return 0;
}

/* Whether a call is known already. One that was known in a scope that is over, or with a policy of the
   process that is not in force, is taken over; so those do not crowd out others. */
static int is_known(struct memory *memory, struct known_call *one)
{
    int i, j;
    for (i = 0; i < memory->count; ++i) {
        struct known_call *other = memory->known[i];
        if (other->is.plan != one->is.plan || other->given != one->given
            || other->positional != one->positional || other->copies != one->copies
            || !same_names(other->names, one->names)
            || (other->scope != one->scope
                && (other->scope == Py_None || one->scope == Py_None))
            || memcmp(other->source, one->source, (size_t)one->is.operands * sizeof *one->source))
            continue;
        for (j = 0; j < one->given; ++j)
            if (!other->at[j].same != !one->at[j].same
                || (one->at[j].same && !is_same(other->at[j].same, one->at[j].same))
                || other->at[j].alias != one->at[j].alias || other->at[j].like != one->at[j].like)
                break;
        if (j == one->given) {
            PyObject *scope = other->scope, *policy = other->process;
            other->scope = one->scope;
            other->process = one->process;
            one->scope = scope; /* it is forgotten with its arguments */
            one->process = policy;
            return 1;
        }
    }
    return 0;
}

/* Remembers a call by the note about it. Plans that need better aligned arrays come first. */
static RARE void learn(struct memory *memory, PyObject *const *given, Py_ssize_t positional,
                       PyObject *names, PyObject *told, PyObject *answer)
{
    struct known_call *known = PyMem_Calloc(1, sizeof *known), *gone = NULL;
    int i, oldest = 0;
    if (known) known->holders = 1;
    if (!known || describe(known, given, positional, names, told, answer)
        || is_known(memory, known)) {
        forget(known);
        cudnn_cffi_failed();
        return;
    }
    if (memory->count == MAX_KNOWN) {
        for (i = 1; i < memory->count; ++i)
            if (memory->known[i]->born < memory->known[oldest]->born) oldest = i;
        gone = memory->known[oldest];
        for (i = oldest; i + 1 < memory->count; ++i) memory->known[i] = memory->known[i + 1];
        --memory->count;
    }
    for (i = memory->count; i > 0 && memory->known[i - 1]->alignment <= known->alignment; --i)
        memory->known[i] = memory->known[i - 1];
    memory->known[i] = known;
    ++memory->count;
    forget(gone); /* may run any code */
}

/* Calls the function, and learns from the note that was made meanwhile. A plan whose calls follow each other is
   learnt only with `turns`. */
static RARE PyObject *call_and_learn(PyObject *function, PyObject *const *arguments,
                                     Py_ssize_t many, struct memory *memory,
                                     PyObject *const *given, Py_ssize_t count, PyObject *names,
                                     int turns)
{
    PyObject *outer = noted, *mine, *answer;
    noted = NULL;
    ++waiting;
    answer = cudnn_cffi_call(function, arguments, many, names);
    --waiting;
    mine = noted;
    noted = NULL;
    if (answer && mine && PyTuple_Size(mine) == 4
        && (turns || !cudnn_cffi_takes_turns(PyTuple_GetItem(mine, 0))))
        learn(memory, given, count, names, mine, answer);
    if (answer && PyErr_Occurred()) Py_CLEAR(answer);
    if (waiting) { /* the outer call learns from it, too */
        if (outer && mine) {
            noted = PyTuple_New(0);
        } else {
            noted = outer ? outer : mine;
            Py_XINCREF(noted);
        }
    }
    Py_XDECREF(mine);
    Py_XDECREF(outer);
    return answer;
}

int cudnn_cffi_is_memory(PyObject *object)
{
    return object && Py_TYPE(object) == memory_type;
}

HOT const struct joined *cudnn_cffi_joined(PyObject *memory)
{
    return cudnn_cffi_is_memory(memory) && ((struct memory *)memory)->joined.refused
               ? &((struct memory *)memory)->joined
               : NULL;
}

PyObject *cudnn_cffi_look_up(PyObject *memory, PyObject *const *given, Py_ssize_t count)
{
    return look_up((struct memory *)memory, given, count, NULL);
}

PyObject *cudnn_cffi_call_and_learn(PyObject *function, PyObject *const *arguments, Py_ssize_t many,
                                    PyObject *memory, PyObject *const *given, Py_ssize_t count)
{
    return call_and_learn(function, arguments, many, (struct memory *)memory, given, count, NULL, 0);
}

HOT static PyObject *shortcut_enter(PyObject *me, PyObject *const *given, size_t flagged, PyObject *names)
{
    ALONE;
    struct shortcut *self = (struct shortcut *)me;
    Py_ssize_t count = COUNT(flagged), own = self->memory ? 0 : 1;
    PyObject *memory = self->memory, *answer;
    if (memory) Py_INCREF(memory);
    else if (count) memory = PyObject_GetAttr(given[0], n_memory);
    if (!memory || Py_TYPE(memory) != memory_type) {
        Py_XDECREF(memory);
        if (cudnn_cffi_failed()) return NULL;
        return cudnn_cffi_call(self->function, given, count, names);
    }
    answer = look_up((struct memory *)memory, given + own, count - own, names);
    /* A function may begin a state anew in each call; an object goes on with its own. */
    if (!answer && !PyErr_Occurred())
        answer = call_and_learn(self->function, given, count, (struct memory *)memory, given + own,
                                count - own, names, !self->memory);
    Py_DECREF(memory);
    return answer;
}

static PyObject *shortcut_call(PyObject *me, PyObject *given, PyObject *named)
{
    return cudnn_cffi_enter(shortcut_enter, me, given, named);
}

/* (function, memory or None): a new shortcut. */
static PyObject *shortcut_new(PyTypeObject *type, PyObject *given, PyObject *named)
{
    PyObject *function, *memory;
    struct shortcut *self;
    (void)named;
    if (!PyArg_ParseTuple(given, "OO", &function, &memory)) return NULL;
    if (memory != Py_None && Py_TYPE(memory) != memory_type) {
        PyErr_SetString(PyExc_TypeError, "a memory of calls was expected, or None");
        return NULL;
    }
    self = (struct shortcut *)PyType_GenericAlloc(type, 0);
    if (!self) return NULL;
    self->enter = shortcut_enter;
    Py_INCREF(self->function = function);
    if (memory != Py_None) Py_INCREF(self->memory = memory);
    return (PyObject *)self;
}

static PyObject *shortcut_reduce(PyObject *me, PyObject *none)
{
    ALONE;
    (void)none;
    return PyObject_GetAttrString(me, "__qualname__"); /* so that it is found by its name */
}

static PyObject *shortcut_repr(PyObject *me)
{
    return PyObject_Repr(((struct shortcut *)me)->function);
}

static int shortcut_traverse(PyObject *me, visitproc visit, void *arg)
{
    struct shortcut *self = (struct shortcut *)me;
    Py_VISIT(Py_TYPE(me));
    Py_VISIT(self->function);
    Py_VISIT(self->memory);
    Py_VISIT(self->attributes);
    return 0;
}

static int shortcut_clear(PyObject *me)
{
    struct shortcut *self = (struct shortcut *)me;
    Py_CLEAR(self->function);
    Py_CLEAR(self->memory);
    Py_CLEAR(self->attributes);
    return 0;
}

static void shortcut_free(PyObject *me)
{
    ALONE;
    PyObject_GC_UnTrack(me);
    if (((struct shortcut *)me)->references) PyObject_ClearWeakRefs(me);
    shortcut_clear(me);
    cudnn_cffi_free(me);
}

static PyMemberDef shortcut_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(struct shortcut, enter), READONLY, NULL},
    {"__dictoffset__", T_PYSSIZET, offsetof(struct shortcut, attributes), READONLY, NULL},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(struct shortcut, references), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef shortcut_attributes[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

/* (function that returns the open scope, list with the policy of the process, list of what has to see
   each call) */
static PyObject *shortcut_set_up(PyObject *none, PyObject *all)
{
    ALONE;
    PyObject *scope, *policies, *seeing;
    (void)none;
    if (!PyArg_ParseTuple(all, "OO!O!", &scope, &PyList_Type, &policies, &PyList_Type, &seeing))
        return NULL;
    if (!n_workspace) {
        n_memory = PyUnicode_InternFromString("_memory");
        n_handle = PyUnicode_InternFromString("handle");
        n_stream = PyUnicode_InternFromString("stream");
        n_limit = PyUnicode_InternFromString("limit");
        n_workspace = PyUnicode_InternFromString("workspace");
        if (PyErr_Occurred()) return NULL;
    }
    Py_INCREF(open_scope = scope);
    Py_INCREF(process = policies);
    Py_INCREF(watchers = seeing);
    Py_RETURN_NONE;
}

/* (plan, values by the order of its operands, answer, by the same order what made the copies that were
   taken instead, or None, or nothing at all): the outcome of a call of an operation. */
static PyObject *shortcut_note(PyObject *none, PyObject *all)
{
    ALONE;
    PyObject *plan, *values, *answer, *copiers;
    (void)none;
    if (!PyArg_ParseTuple(all, "OO!OO!", &plan, &PyTuple_Type, &values, &answer, &PyTuple_Type,
                          &copiers))
        return NULL;
    if (waiting) note(plan, values, answer, copiers);
    Py_RETURN_NONE;
}

static PyMethodDef shortcut_methods[] = {
    {"__reduce__", shortcut_reduce, METH_NOARGS, NULL},
    {"_set_up", shortcut_set_up, METH_VARARGS | METH_STATIC, NULL},
    {"_note", shortcut_note, METH_VARARGS | METH_STATIC, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot shortcut_slots[] = {
    {Py_tp_new, shortcut_new},
    {Py_tp_call, shortcut_call},
    {Py_tp_descr_get, cudnn_cffi_bind_method},
    {Py_tp_repr, shortcut_repr},
    {Py_tp_traverse, shortcut_traverse},
    {Py_tp_clear, shortcut_clear},
    {Py_tp_dealloc, shortcut_free},
    {Py_tp_members, shortcut_members},
    {Py_tp_getset, shortcut_attributes},
    {Py_tp_methods, shortcut_methods},
    {0, NULL},
};

static PyType_Spec shortcut_spec = {
    "cudnn_cffi.Shortcut",
    sizeof(struct shortcut),
    0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE | VECTORCALL_FLAG | METHOD_FLAG,
    shortcut_slots,
};

static int memory_traverse(PyObject *me, visitproc visit, void *arg)
{
    struct memory *self = (struct memory *)me;
    int i, j;
    Py_VISIT(Py_TYPE(me));
    Py_VISIT(self->joined.recorded);
    Py_VISIT(self->joined.apply);
    Py_VISIT(self->joined.refused);
    for (i = 0; i < self->count; ++i) {
        struct known_call *known = self->known[i];
        Py_VISIT(known->is.plan);
        Py_VISIT(known->scope);
        Py_VISIT(known->process);
        Py_VISIT(known->names);
        Py_VISIT(known->is.kind);
        for (j = 0; j < known->given; ++j) Py_VISIT(known->at[j].same);
        for (j = 0; j < known->is.operands; ++j) Py_VISIT(known->copiers[j]);
    }
    return 0;
}

static void forget_all(struct memory *self)
{
    while (self->count) {
        struct known_call *gone = self->known[--self->count];
        forget(gone);
    }
}

static int memory_clear(PyObject *me)
{
    struct memory *self = (struct memory *)me;
    forget_all(self);
    Py_CLEAR(self->joined.recorded);
    Py_CLEAR(self->joined.apply);
    Py_CLEAR(self->joined.refused);
    return 0;
}

static void memory_free(PyObject *me)
{
    ALONE;
    PyObject_GC_UnTrack(me);
    memory_clear(me);
    cudnn_cffi_free(me);
}

static PyObject *memory_forget(PyObject *me, PyObject *none)
{
    ALONE;
    (void)none;
    forget_all((struct memory *)me);
    Py_RETURN_NONE;
}

/* (memory of calls whose gradients are wanted, what records their nodes, dict of refused calls), once. */
static PyObject *memory_join(PyObject *me, PyObject *all)
{
    ALONE;
    struct joined *joined = &((struct memory *)me)->joined;
    PyObject *recorded, *apply, *refused;
    if (joined->refused || !PyArg_ParseTuple(all, "O!OO!", memory_type, &recorded, &apply, &PyDict_Type, &refused))
        return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_TypeError, "something was joined before");
    Py_INCREF(joined->recorded = recorded);
    Py_INCREF(joined->apply = apply);
    Py_INCREF(joined->refused = refused);
    Py_RETURN_NONE;
}

static Py_ssize_t memory_length(PyObject *me)
{
    ALONE;
    return ((struct memory *)me)->count;
}

static PyMethodDef memory_methods[] = {
    {"clear", memory_forget, METH_NOARGS, NULL},
    {"_join", memory_join, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot memory_slots[] = {
    {Py_tp_traverse, memory_traverse},
    {Py_tp_clear, memory_clear},
    {Py_tp_dealloc, memory_free},
    {Py_tp_methods, memory_methods},
    {Py_sq_length, memory_length},
    {0, NULL},
};

static PyType_Spec memory_spec = {
    "cudnn_cffi.Memory",
    sizeof(struct memory),
    0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE,
    memory_slots,
};

uintptr_t cudnn_cffi_shortcuts(void)
{
    static PyObject *both;
    PyGILState_STATE state = PyGILState_Ensure();
    if (!memory_type) memory_type = (PyTypeObject *)PyType_FromSpec(&memory_spec);
    if (!shortcut_type) shortcut_type = (PyTypeObject *)PyType_FromSpec(&shortcut_spec);
    if (!both && memory_type && shortcut_type) both = PyTuple_Pack(2, shortcut_type, memory_type);
    PyErr_Clear();
    PyGILState_Release(state);
    return (uintptr_t)both;
}
