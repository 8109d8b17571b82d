/* Finds the records of errata that may hold for a graph, by facts of its operations; see facts.h. */

#include "facts.h"

#include <stdint.h>
#include <string.h>

#include "objects.h"

#define BIT(fact) ((uint64_t)1 << (fact))
#define UNKNOWN (~(uint64_t)0)
#define MAX_AXES 16
#define MAX_ATTRIBUTES 1024
#define MAX_SEEN 256
#define MAX_GRID 65535
#define EARLY 5

/* What is known of an attribute of an operation, which is a tensor, options or a word. */
struct attribute {
    uint64_t kinds, facts, port, operation;
};

/* What is known of a graph, before its attributes. */
struct graph {
    uint64_t facts, attributes;
};

struct clause {
    uint64_t kinds, port, facts, which;
};

static PyObject *n_values, *n_ops, *n_dimensions, *n_strides, *n_alignment, *n_virtual, *n_pre, *n_post, *n_scale, *n_type;

static int intern_names(void)
{
    if (n_type) return 0;
    n_values = PyUnicode_InternFromString("_values");
    n_ops = PyUnicode_InternFromString("ops");
    n_dimensions = PyUnicode_InternFromString("dimensions");
    n_strides = PyUnicode_InternFromString("strides");
    n_alignment = PyUnicode_InternFromString("byte_alignment");
    n_virtual = PyUnicode_InternFromString("is_virtual");
    n_pre = PyUnicode_InternFromString("pre_paddings");
    n_post = PyUnicode_InternFromString("post_paddings");
    n_scale = PyUnicode_InternFromString("scale_desc");
    n_type = PyUnicode_InternFromString("data_type");
    return PyErr_Occurred() != NULL;
}

/* The bits of a word; all for what is none. */
static uint64_t bits_of(PyObject *words, PyObject *word)
{
    PyObject *found = word && PyUnicode_CheckExact(word) ? PyDict_GetItemWithError(words, word) : NULL;
    return found ? PyLong_AsUnsignedLongLong(found) : UNKNOWN;
}

/* The attributes that were set of a descriptor, as a new reference; NULL where none are known. */
static PyObject *values_of(PyObject *descriptor)
{
    PyObject *values = PyObject_GetAttr(descriptor, n_values);
    if (values && PyDict_CheckExact(values) && PyDict_Size(values)) return values;
    Py_XDECREF(values);
    return NULL;
}

/* Reads the numbers of a tuple; returns how many there are, 0 where that fails. */
static Py_ssize_t read_numbers(PyObject *tuple, int64_t *numbers)
{
    Py_ssize_t i, count = tuple && PyTuple_CheckExact(tuple) ? PyTuple_Size(tuple) : 0;
    if (count > MAX_AXES) return 0;
    for (i = 0; i < count; ++i) numbers[i] = PyLong_AsLongLong(PyTuple_GetItem(tuple, i));
    return PyErr_Occurred() ? 0 : count;
}

static uint64_t facts_of_tensor(PyObject *words, PyObject *values)
{
    int64_t shape[MAX_AXES], strides[MAX_AXES], longest = 0, step = 0;
    Py_ssize_t i, last = read_numbers(PyDict_GetItemWithError(values, n_dimensions), shape) - 1;
    PyObject *alignment = PyDict_GetItemWithError(values, n_alignment);
    PyObject *computed = PyDict_GetItemWithError(values, n_virtual);
    uint64_t facts = bits_of(words, PyDict_GetItemWithError(values, n_type)), pixels = 1;
    double elements = 1, outer = 1, end = 0; /* of which 64 bits may not be enough */
    int is_line = 0;
    if (last < 0 || read_numbers(PyDict_GetItemWithError(values, n_strides), strides) != last + 1) return UNKNOWN;
    facts |= computed && PyObject_IsTrue(computed) ? BIT(COMPUTED) : BIT(MEMORY);
    if (!alignment || !PyLong_CheckExact(alignment) || PyLong_AsLongLong(alignment) < 16)
        facts |= BIT(LOW) | BIT(LOW_MATRIX);
    for (i = last > 0 ? last - 1 : 0; i <= last; ++i) {
        if (shape[i] > 1 && shape[i] * strides[i] > longest) longest = shape[i] * strides[i];
        if (strides[i] > step) step = strides[i];
        is_line |= shape[i] == 1;
    }
    for (i = 0; i <= last; ++i) {
        elements *= (double)shape[i];
        end += (double)(shape[i] - 1) * (double)strides[i];
        if (i > 1) pixels *= (uint64_t)shape[i];
        if (shape[i] > 1 && !strides[i]) facts |= i > last - 2 ? BIT(GAPS) | BIT(REPEATED) : BIT(GAPS);
        if (i > last - 2) continue;
        outer *= (double)shape[i];
        if (shape[i] > 1 && strides[i] % 32) facts |= BIT(LOW_MATRIX); /* an element has at least half a byte */
        if (shape[i] > 1 && strides[i] < longest) facts |= BIT(INSIDE);
    }
    if (end >= elements) facts |= BIT(GAPS);
    if (step % 32 && !is_line) facts |= BIT(ODD_ROWS);
    if (shape[last] > 1 && strides[last] != 1) facts |= BIT(BY_COLUMNS);
    if (shape[0] > MAX_GRID || outer > MAX_GRID || shape[last] > 8 * MAX_GRID) facts |= BIT(BEYOND_GRID);
    if (elements > 1 << 22) facts |= BIT(LONG);
    if (elements >= (double)((int64_t)1 << 31)) facts |= BIT(BEYOND);
    if (last == 2) facts |= BIT(MATRICES);
    if (last == 3) facts |= BIT(IMAGE);
    if (last == 4) facts |= BIT(VOLUME);
    if (pixels == 1) facts |= BIT(PIXEL);
    if (pixels * (uint64_t)shape[0] % 16) facts |= BIT(ODD_PIXELS);
    if (last < 1) return facts;
    if (shape[last - 1] == 1) facts |= BIT(ONE_ROW);
    if (shape[last] % 64 == 0 && (shape[last - 1] == 1 || shape[last] % 128)) facts |= BIT(TORN_TILES);
    if (elements >= 1 << 26 && strides[1] == 1 && shape[1] % 32) facts |= BIT(PADDED_BEYOND);
    if (shape[1] > 8192) facts |= BIT(MANY_CHANNELS);
    if (shape[1] > 1) facts |= strides[1] == 1 ? BIT(CHANNELS_INSIDE) : BIT(CHANNELS_APART);
    if (strides[1] != 1 && strides[last] != 1 && (shape[1] > 1 || shape[last] > 1)) facts |= BIT(OTHER_ORDER);
    return facts;
}

/* The facts of an attribute of an operation: of a tensor, of options, or of a word. */
static uint64_t facts_of(PyObject *words, PyObject *value)
{
    PyObject *values, *names;
    Py_ssize_t i;
    uint64_t facts = 0;
    if (PyUnicode_CheckExact(value) || PyLong_Check(value)) return bits_of(words, value);
    if (PyFloat_CheckExact(value) || PyTuple_CheckExact(value)) return 0;
    if (!(values = values_of(value))) return UNKNOWN;
    if (PyDict_GetItemWithError(values, n_dimensions)) facts = facts_of_tensor(words, values);
    else {
        PyObject *pre = PyDict_GetItemWithError(values, n_pre), *post = PyDict_GetItemWithError(values, n_post);
        if (pre && post && PyObject_RichCompareBool(pre, post, Py_EQ)) facts |= BIT(EVEN);
        names = PyDict_GetItemWithError(words, (PyObject *)Py_TYPE(value));
        for (i = 0; names && i < PyTuple_Size(names); ++i) {
            PyObject *word = PyDict_GetItemWithError(values, PyTuple_GetItem(names, i));
            if (word || !i) facts |= bits_of(words, word);
        }
    }
    Py_DECREF(values);
    return facts;
}

/* Whether tensors have different data types; -1 where that is not known. */
static int has_other_type(PyObject *one, PyObject *other)
{
    PyObject *values[2] = {values_of(one), values_of(other)}, *types[2] = {NULL, NULL};
    int i, has = -1;
    for (i = 0; i < 2 && values[i]; ++i) types[i] = PyDict_GetItemWithError(values[i], n_type);
    if (types[0] && types[1] && PyUnicode_CheckExact(types[0]) && PyUnicode_CheckExact(types[1]))
        has = PyUnicode_Compare(types[0], types[1]) != 0;
    for (i = 0; i < 2; ++i) Py_XDECREF(values[i]);
    return has;
}

/* Tensors, which several operations have, with their facts. */
struct seen {
    PyObject *tensor[MAX_SEEN];
    uint64_t facts[MAX_SEEN];
};

/* The facts of an attribute, of which a tensor is read once. */
static uint64_t facts_once(PyObject *words, PyObject *value, struct seen *seen)
{
    size_t place = ((uintptr_t)value >> 4) % MAX_SEEN;
    if (seen->tensor[place] != value) {
        seen->facts[place] = facts_of(words, value);
        seen->tensor[place] = value;
    }
    return seen->facts[place];
}

/* Finds the facts of an operation's attributes; returns how many there are in all, -1 where its values are unknown, or
   there is no room. */
static Py_ssize_t find_attributes(PyObject *words, PyObject *ports, PyObject *values, struct seen *seen,
                                  struct attribute *attributes, Py_ssize_t count)
{
    PyObject *key, *value, *port, *scale = PyDict_GetItemWithError(values, n_scale);
    Py_ssize_t place = 0;
    HOLD(values);
    while (PyDict_Next(values, &place, &key, &value)) {
        if (PyFloat_CheckExact(value) || PyTuple_CheckExact(value)) continue;
        port = PyDict_GetItemWithError(ports, key);
        if (PyLong_Check(value) && !port) continue;
        if (count == MAX_ATTRIBUTES) return -1;
        attributes[count].port = port ? PyLong_AsUnsignedLongLong(port) : ANY_PORT;
        attributes[count].facts = facts_once(words, value, seen);
        if (scale && !PyUnicode_Check(value) && !PyLong_Check(value)) {
            int has = has_other_type(value, scale);
            if (has) attributes[count].facts |= has < 0 ? UNKNOWN : BIT(OTHER_TYPE);
        }
        ++count;
    }
    return count;
}

PyObject *cudnn_cffi_facts_of(PyObject *none, PyObject *all)
{
    ALONE;
    struct {
        struct graph graph;
        struct attribute attributes[MAX_ATTRIBUTES];
    } found;
    struct seen seen = {{NULL}, {0}};
    PyObject *graph, *words, *ports, *values, *operations;
    Py_ssize_t i, from, count = 0, products = 0, convolutions = 0;
    uint64_t kinds, first = 0, facts = 0;
    (void)none;
    if (!PyArg_ParseTuple(all, "OO!O!", &graph, &PyDict_Type, &words, &PyDict_Type, &ports) || intern_names()) return NULL;
    values = values_of(graph);
    operations = values ? PyDict_GetItemWithError(values, n_ops) : NULL;
    if (!operations || !PyTuple_CheckExact(operations)) count = -1;
    for (i = 0; count >= 0 && i < PyTuple_Size(operations); ++i) {
        PyObject *operation = PyTuple_GetItem(operations, i), *own = values_of(operation);
        PyObject *known = PyDict_GetItemWithError(words, (PyObject *)Py_TYPE(operation));
        kinds = known ? PyLong_AsUnsignedLongLong(known) : BIT(63);
        if (!i) first = kinds;
        if (kinds != first) facts |= BIT(SEVERAL_KINDS);
        facts |= kinds;
        products += kinds >> PRODUCT & 1;
        convolutions += kinds >> CONVOLUTION & 1;
        from = count;
        count = own ? find_attributes(words, ports, own, &seen, found.attributes, count) : -1;
        for (; from < count; ++from) {
            found.attributes[from].kinds = kinds;
            found.attributes[from].operation = (uint64_t)i;
        }
        Py_XDECREF(own);
    }
    Py_XDECREF(values);
    if (cudnn_cffi_failed()) return NULL;
    if (count < 0) Py_RETURN_NONE;
    facts |= BIT(i == 1 ? SINGLE : SEVERAL);
    if (!(facts & BIT(SEVERAL_KINDS))) facts |= BIT(ONE_KIND);
    if (products == 1) facts |= BIT(ONE_PRODUCT);
    if (products == 2) facts |= BIT(TWO_PRODUCTS);
    if (products == 5) facts |= BIT(FIVE_PRODUCTS);
    if (products > 1) facts |= BIT(SEVERAL_PRODUCTS);
    if (products + convolutions == 1) facts |= BIT(ONE_OF_BOTH);
    found.graph.facts = facts;
    found.graph.attributes = (uint64_t)count;
    return PyBytes_FromStringAndSize((const char *)&found,
                                     (Py_ssize_t)(sizeof found.graph + (size_t)count * sizeof found.attributes[0]));
}

/* Whether a clause holds; -1 where that is not known. */
static int holds(const struct graph *graph, const struct clause *clause)
{
    const struct attribute *one = (const struct attribute *)(graph + 1), *end = one + graph->attributes;
    for (; one < end; ++one) {
        if (!(one->kinds & clause->kinds) || (clause->port != ANY_PORT && clause->port != one->port)) continue;
        if (clause->which == OF_EARLY && one->operation >= EARLY) break;
        if (one->facts == UNKNOWN) return -1;
        if ((one->facts & clause->facts) == clause->facts) return clause->which != OF_NONE;
        if (clause->which == OF_FIRST) return 0;
    }
    return clause->which == OF_NONE;
}

/* Whether knobs have the values of a record, (name, least, most, others, whether it is one of those) for each; -1 where
   that is not known. */
static int fit(PyObject *knobs, PyObject *wanted)
{
    Py_ssize_t i, j;
    if (!PyTuple_CheckExact(wanted)) return -1;
    for (i = 0; i < PyTuple_Size(wanted); ++i) {
        PyObject *one = PyTuple_GetItem(wanted, i), *others = PyTuple_GetItem(one, 3);
        PyObject *value = PyDict_GetItemWithError(knobs, PyTuple_GetItem(one, 0));
        int is_among = 0;
        long long number = value ? PyLong_AsLongLong(value) : 0;
        if (!value) return PyErr_Occurred() ? -1 : 0;
        for (j = 0; j < PyTuple_Size(others); ++j)
            is_among |= number == PyLong_AsLongLong(PyTuple_GetItem(others, j));
        if (PyErr_Occurred()) return -1;
        if (number < PyLong_AsLongLong(PyTuple_GetItem(one, 1)) || number > PyLong_AsLongLong(PyTuple_GetItem(one, 2))
            || is_among != (PyTuple_GetItem(one, 4) == Py_True))
            return 0;
    }
    return 1;
}

PyObject *cudnn_cffi_judge(PyObject *none, PyObject *all)
{
    ALONE;
    PyObject *facts, *rules, *wanted, *reasons, *knobs;
    const struct graph *graph;
    const uint64_t *rule, *end;
    Py_ssize_t row;
    (void)none;
    if (!PyArg_ParseTuple(all, "O!(O!O!O!)O!", &PyBytes_Type, &facts, &PyBytes_Type, &rules, &PyTuple_Type, &wanted,
                          &PyTuple_Type, &reasons, &PyDict_Type, &knobs))
        return NULL;
    graph = (const struct graph *)(const void *)PyBytes_AsString(facts);
    rule = (const uint64_t *)(const void *)PyBytes_AsString(rules);
    end = rule + PyBytes_Size(rules) / (Py_ssize_t)sizeof *rule;
    for (row = 0; rule < end; ++row) {
        uint64_t needs = rule[0], clauses = rule[1];
        const struct clause *clause = (const struct clause *)(const void *)(rule + 2);
        int has = 1;
        rule = (const uint64_t *)(const void *)(clause + clauses);
        if (needs & ~graph->facts) continue;
        for (; clauses && has > 0; --clauses) has = holds(graph, clause++);
        if (has > 0) has = fit(knobs, PyTuple_GetItem(wanted, row));
        if (has > 0) {
            PyObject *reason = PyTuple_GetItem(reasons, row);
            if (!reason) return NULL;
            Py_INCREF(reason); /* or None */
            return reason;
        }
        if (has < 0) {
            if (cudnn_cffi_failed()) return NULL;
            Py_RETURN_NONE;
        }
    }
    return PyUnicode_FromString("");
}

PyObject *cudnn_cffi_are_low(PyObject *none, PyObject *all)
{
    ALONE;
    PyObject *operands, *one, *views;
    Py_ssize_t i, j, alignment_at, views_at, by_value_at;
    long long begins;
    (void)none;
    if (!PyArg_ParseTuple(all, "Onnn", &operands, &alignment_at, &views_at, &by_value_at)) return NULL;
    if (!PyTuple_CheckExact(operands)) Py_RETURN_TRUE;
    for (i = 0; i < PyTuple_Size(operands); ++i) {
        one = PyTuple_GetItem(operands, i);
        if (PyTuple_GetItem(one, by_value_at) == Py_True) continue;
        views = PyTuple_GetItem(one, views_at);
        begins = PyLong_AsLongLong(PyTuple_GetItem(one, alignment_at));
        for (j = 0; views && j < PyTuple_Size(views); ++j)
            begins |= PyLong_AsLongLong(PyTuple_GetItem(PyTuple_GetItem(views, j), 1));
        if (PyErr_Occurred()) return NULL;
        if (begins % 16) Py_RETURN_TRUE;
    }
    Py_RETURN_FALSE;
}
