/* Decides which records of errata hold for a graph, by facts of its operations; see facts.h. */

#include "facts.h"

#include <stdint.h>
#include <string.h>

#include "objects.h"

#define BIT(fact) ((uint64_t)1 << (fact))
#define UNKNOWN (~(uint64_t)0)
#define MAX_AXES 16
#define MAX_OPERATIONS 256
#define MAX_GRID 65535
#define EARLY 5

/* A clause of a rule; see facts.h. */
struct clause {
    uint64_t kinds, port, facts, which;
};

static PyObject *n_values, *n_ops, *n_dimensions, *n_strides, *n_alignment, *n_virtual, *n_pre, *n_post, *n_scale,
    *n_type;

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
        if (!pre || !post || PyObject_RichCompareBool(pre, post, Py_EQ) != 1) facts |= BIT(UNEVEN);
        names = PyDict_GetItemWithError(words, (PyObject *)Py_TYPE(value));
        if (!names) facts = UNKNOWN;
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

/* Whether an operation has facts at a port, or at any; -1 where that is not known. */
static int has_facts(PyObject *words, PyObject *operation, PyObject *port, uint64_t wanted)
{
    PyObject *values = values_of(operation), *key, *value;
    Py_ssize_t place = 0;
    uint64_t facts = 0;
    int has = 0;
    if (!values) return -1;
    if (port != Py_None) {
        PyObject *scale = PyDict_GetItemWithError(values, n_scale);
        value = PyDict_GetItemWithError(values, port);
        if (value && wanted == BIT(OTHER_TYPE)) has = scale ? has_other_type(value, scale) : 0;
        else if (value && (facts = facts_of(words, value)) != UNKNOWN) has = (facts & wanted) == wanted;
    } else {
        HOLD(values);
        while (!has && facts != UNKNOWN && PyDict_Next(values, &place, &key, &value))
            if (!PyLong_Check(value) && (facts = facts_of(words, value)) != UNKNOWN)
                has = (facts & wanted) == wanted;
    }
    Py_DECREF(values);
    return facts == UNKNOWN ? -1 : has;
}

/* Whether a clause holds; -1 where that is not known. */
static int holds(PyObject *words, PyObject *ports, PyObject *operations, const uint64_t *kinds,
                 const struct clause *clause)
{
    PyObject *port = PyList_GetItem(ports, (Py_ssize_t)clause->port);
    Py_ssize_t i, count = PyTuple_Size(operations);
    int has;
    if (!port) return -1;
    if (clause->which == OF_EARLY && count > EARLY) count = EARLY;
    for (i = 0; i < count; ++i) {
        if (!(kinds[i] & clause->kinds)) continue;
        has = has_facts(words, PyTuple_GetItem(operations, i), port, clause->facts);
        if (has || clause->which == OF_FIRST) return has < 0 ? -1 : has != (clause->which == OF_NO);
    }
    return clause->which == OF_NO;
}

/* Finds the kinds of operations, and returns the facts of the graph; all where a class is not known. */
static uint64_t facts_of_graph(PyObject *words, PyObject *operations, uint64_t *kinds)
{
    Py_ssize_t i, count = PyTuple_Size(operations), products = 0, convolutions = 0;
    uint64_t facts = BIT(count == 1 ? SINGLE : SEVERAL) | BIT(ONE_KIND);
    for (i = 0; i < count; ++i) {
        PyObject *known = PyDict_GetItemWithError(words, (PyObject *)Py_TYPE(PyTuple_GetItem(operations, i)));
        if (!known) return UNKNOWN;
        kinds[i] = PyLong_AsUnsignedLongLong(known);
        facts |= kinds[i];
        if (kinds[i] != kinds[0]) facts &= ~BIT(ONE_KIND);
        products += kinds[i] >> PRODUCT & 1;
        convolutions += kinds[i] >> CONVOLUTION & 1;
    }
    if (products == 1) facts |= BIT(ONE_PRODUCT);
    if (products == 2) facts |= BIT(TWO_PRODUCTS);
    if (products == 5) facts |= BIT(FIVE_PRODUCTS);
    if (products > 1) facts |= BIT(SEVERAL_PRODUCTS);
    if (products + convolutions == 1) facts |= BIT(ONE_OF_BOTH);
    return facts;
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
    PyObject *graph, *words, *ports, *rules, *wanted, *reasons, *knobs, *values, *operations, *found = NULL;
    uint64_t kinds[MAX_OPERATIONS], facts = 0;
    const uint64_t *rule, *end;
    Py_ssize_t row, from;
    int has = -1;
    (void)none;
    if (!PyArg_ParseTuple(all, "OO!O!(O!O!O!)On", &graph, &PyDict_Type, &words, &PyList_Type, &ports, &PyBytes_Type,
                          &rules, &PyTuple_Type, &wanted, &PyTuple_Type, &reasons, &knobs, &from)
        || intern_names())
        return NULL;
    values = values_of(graph);
    operations = values ? PyDict_GetItemWithError(values, n_ops) : NULL;
    if (operations && PyTuple_CheckExact(operations) && PyDict_Check(knobs) && PyTuple_Size(operations) <= MAX_OPERATIONS) {
        facts = facts_of_graph(words, operations, kinds);
        has = facts == UNKNOWN ? -1 : 0;
    }
    rule = (const uint64_t *)(const void *)PyBytes_AsString(rules);
    end = rule + PyBytes_Size(rules) / (Py_ssize_t)sizeof *rule;
    for (row = 0; rule < end && !has; ++row) {
        uint64_t needs = rule[0], clauses = rule[1];
        const struct clause *clause = (const struct clause *)(const void *)(rule + 2);
        rule = (const uint64_t *)(const void *)(clause + clauses);
        if (row < from || needs & ~facts) continue;
        has = fit(knobs, PyTuple_GetItem(wanted, row));
        for (; clauses && has > 0; --clauses) has = holds(words, ports, operations, kinds, clause++);
        if (has > 0 && (found = PyTuple_GetItem(reasons, row))) Py_INCREF(found);
    }
    Py_XDECREF(values);
    if (cudnn_cffi_failed()) {
        Py_XDECREF(found);
        return NULL;
    }
    if (found && PyUnicode_Check(found)) return found;
    if (!has) return PyUnicode_FromString("");
    Py_XDECREF(found);
    return PyLong_FromSsize_t(row - 1);
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
        if (begins < 16 || begins % 16) Py_RETURN_TRUE;
    }
    Py_RETURN_FALSE;
}
