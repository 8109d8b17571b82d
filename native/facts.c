/* Decides which conditions of errata hold for a graph, by facts of its operations; see facts.h. */

#include "facts.h"

#include <stdint.h>
#include <string.h>

#include "objects.h"

#define BIT(fact) ((uint64_t)1 << (fact))
#define MAX_AXES 16
#define MAX_OPERATIONS 256
#define MAX_GRID 65535
#define MAX_FOUND 256
#define RECENT 256
#define DERIVED 15
#define MAX_ENGINES 1024
#define MAX_FOLLOWING 4
#define BEYOND_32_BITS ((int64_t)1 << 31)
#define NO_CEILING 1e30
#define MOST 1e18 /* which 64 bits hold */

/* An operation: its kind, its attributes where they were asked for, and the number of the tensor that it makes. */
struct operation {
    PyObject *self, *values;
    uint64_t kind, path;
    long long made;
};

/* Facts that were found, of a tensor or of an operation and a port: few, so that a search is short. */
struct found {
    const void *of;
    uint64_t port, facts;
};

/* A graph, with the words and ports of facts.h; where something is not known, nothing is decided. */
struct graph {
    PyObject *words, *ports;
    Py_ssize_t count;
    int is_walked, is_unknown, known;
    struct operation operations[MAX_OPERATIONS];
    struct found found[MAX_FOUND];
};

struct shape {
    Py_ssize_t rank;
    int64_t extents[MAX_AXES], strides[MAX_AXES];
};

static PyObject *n_values, *n_ops, *n_dimensions, *n_strides, *n_alignment, *n_virtual, *n_by_value, *n_pre, *n_post,
    *n_id, *n_upper, *n_lower, *n_slope, *n_type;

static int intern_names(void)
{
    if (n_type) return 0;
    n_values = PyUnicode_InternFromString("_values");
    n_ops = PyUnicode_InternFromString("ops");
    n_dimensions = PyUnicode_InternFromString("dimensions");
    n_strides = PyUnicode_InternFromString("strides");
    n_alignment = PyUnicode_InternFromString("byte_alignment");
    n_virtual = PyUnicode_InternFromString("is_virtual");
    n_by_value = PyUnicode_InternFromString("is_by_value");
    n_pre = PyUnicode_InternFromString("pre_paddings");
    n_post = PyUnicode_InternFromString("post_paddings");
    n_id = PyUnicode_InternFromString("unique_id");
    n_upper = PyUnicode_InternFromString("relu_upper_clip");
    n_lower = PyUnicode_InternFromString("relu_lower_clip");
    n_slope = PyUnicode_InternFromString("relu_lower_clip_slope");
    n_type = PyUnicode_InternFromString("data_type");
    return PyErr_Occurred() != NULL;
}

/* The errata that were asked last, and what they are a tuple of: one line of the cache. `offset` is where objects of the
   class `base` have what was set of them; 0 where that is not known. */
static struct {
    PyObject *self, *words, *ports, *entries, *base;
    const uint64_t *numbers;
    Py_ssize_t offset;
} errata;

/* Classes that are derived from `base`, the last ones that were asked about. */
static PyTypeObject *derived[DERIVED];

RARE static int is_new_derived(PyTypeObject *type)
{
    static unsigned next;
    PyTypeObject *old;
    if (!PyType_IsSubtype(type, (PyTypeObject *)errata.base)) return 0;
    Py_INCREF((PyObject *)type);
    old = derived[next % DERIVED];
    derived[next++ % DERIVED] = type;
    Py_XDECREF((PyObject *)old);
    return 1;
}

static int is_derived(PyTypeObject *type)
{
    int i;
    for (i = 0; i < DERIVED; ++i)
        if (derived[i] == type) return 1;
    return is_new_derived(type);
}

/* The attributes that were set of a descriptor, as a new reference; NULL where none are known. */
static PyObject *values_of(struct graph *graph, PyObject *descriptor)
{
    PyObject *values = NULL;
    if (errata.offset && is_derived(Py_TYPE(descriptor))) { /* what an attribute takes is not in the caches */
        values = *(PyObject **)(void *)((char *)descriptor + errata.offset);
        Py_XINCREF(values);
    } else {
        values = PyObject_GetAttr(descriptor, n_values);
    }
    if (values && PyDict_CheckExact(values) && PyDict_Size(values)) return values;
    Py_XDECREF(values);
    graph->is_unknown = 1;
    return NULL;
}

/* Words and classes that were asked for, with their bits: a line of the cache for each, where a dict has six. */
static struct {
    PyObject *key;
    uint64_t bits;
} recent[RECENT];

/* The bits of a word, or of the class of an operation. */
static uint64_t bits_of(struct graph *graph, PyObject *key)
{
    Py_ssize_t place = (Py_ssize_t)((uintptr_t)key / 16 % RECENT);
    PyObject *found = NULL, *old = recent[place].key;
    uint64_t bits;
    if (key && key == old) return recent[place].bits;
    if (key && (PyUnicode_CheckExact(key) || PyType_Check(key))) found = PyDict_GetItemWithError(graph->words, key);
    graph->is_unknown |= !found || !PyLong_CheckExact(found);
    if (graph->is_unknown) return 0;
    Py_INCREF(key);
    recent[place].key = key;
    recent[place].bits = bits = PyLong_AsUnsignedLongLong(found);
    Py_XDECREF(old);
    return bits;
}

static int is_true(PyObject *value)
{
    return value && (value == Py_True || (value != Py_False && PyObject_IsTrue(value) == 1));
}

static int is_set(PyObject *values, PyObject *name)
{
    return is_true(PyDict_GetItemWithError(values, name));
}

/* Reads the numbers of a tuple; returns how many there are, 0 where that fails. */
static Py_ssize_t read_numbers(PyObject *tuple, int64_t *numbers)
{
    Py_ssize_t i, count = tuple && PyTuple_CheckExact(tuple) ? PyTuple_Size(tuple) : 0;
    if (count > MAX_AXES) return 0;
    for (i = 0; i < count; ++i) numbers[i] = PyLong_AsLongLong(PyTuple_GetItem(tuple, i));
    return PyErr_Occurred() ? 0 : count;
}

static void set_shape(struct graph *graph, PyObject *extents, PyObject *strides, struct shape *shape)
{
    shape->rank = read_numbers(extents, shape->extents);
    if (!shape->rank || read_numbers(strides, shape->strides) != shape->rank) graph->is_unknown = 1;
}

static void read_shape(struct graph *graph, PyObject *values, struct shape *shape)
{
    set_shape(graph, PyDict_GetItemWithError(values, n_dimensions), PyDict_GetItemWithError(values, n_strides), shape);
}

/* Whether there are no gaps between elements in the order of axes, or with the channels last. */
static int is_packed(const struct shape *shape, int is_last)
{
    uint64_t step = 1;
    Py_ssize_t i, axis;
    for (i = shape->rank - 1; i >= 0; --i) {
        axis = !is_last || !i ? i : i == shape->rank - 1 ? 1 : i + 1;
        if (shape->extents[axis] > 1 && (uint64_t)shape->strides[axis] != step) return 0;
        step *= (uint64_t)shape->extents[axis];
    }
    return 1;
}

/* The facts of images: of their channels, which are the second axis, and of their pixels. */
static uint64_t facts_of_image(const struct shape *shape, int64_t size)
{
    const int64_t *extents = shape->extents, *strides = shape->strides;
    int64_t images = extents[0], channels = extents[1], nearest = INT64_MAX, tile = 1, power;
    int64_t unit = size < 16 ? 16 / size : 1, whole = (channels + unit - 1) / unit * unit;
    double pixels = (double)images;
    uint64_t facts = 0, bytes = (uint64_t)images * (uint64_t)size;
    Py_ssize_t i;
    for (i = 2; i < shape->rank; ++i) {
        pixels *= (double)extents[i];
        bytes *= (uint64_t)extents[i];
        if (extents[i] > 1 && strides[i] < nearest) nearest = strides[i];
        for (power = 1; power < extents[i] && power < 256;) power *= 2;
        if (tile < 256) tile *= power;
    }
    if (strides[1] == 1) facts |= BIT(CHANNELS_INSIDE);
    if (nearest != INT64_MAX && strides[1] >= nearest) facts |= BIT(CHANNELS_OUTSIDE);
    if (bytes % 16) facts |= BIT(ODD_PIXELS);
    if (images > MAX_GRID * (tile < 256 ? 256 / tile : 1)) facts |= BIT(MANY_TILES);
    if (channels > 8192) facts |= BIT(MANY_CHANNELS);
    if (channels * size % 8) facts |= BIT(ODD_CHANNELS);
    if (channels * size % 128) facts |= BIT(TORN_CHANNELS);
    if (images <= 32 && channels <= 32) facts |= BIT(FEW);
    if (is_packed(shape, 0)) facts |= BIT(BY_ROWS);
    if (is_packed(shape, 1)) facts |= BIT(BY_PIXELS);
    if (whole != channels && pixels * (double)whole >= (double)BEYOND_32_BITS) facts |= BIT(PADDED_BEYOND);
    if (strides[1] != 1 && strides[shape->rank - 1] != 1 && (channels > 1 || extents[shape->rank - 1] > 1))
        facts |= BIT(OTHER_ORDER);
    return facts;
}

/* The facts of filters and images of some extents. */
static uint64_t facts_of_extents(const int64_t *extents)
{
    int64_t channels = extents[1], rows = extents[2], columns = extents[3];
    uint64_t facts = 0;
    if (rows == 3 && columns == 3) facts |= BIT(THREES);
    if (rows == 5 && columns == 5) facts |= BIT(FIVES);
    if (rows > 35 && columns > 35 && rows % 2 && columns % 2) facts |= BIT(ODD_IMAGE);
    if (rows == 1 && columns == 1 && channels >= 6144) facts |= BIT(WIDE);
    if (rows == 1 && columns == 1 && channels >= 12288) facts |= BIT(WIDER);
    return facts;
}

/* The facts of the last two axes of a tensor, which are those of matrices. */
static uint64_t facts_of_matrix(const struct shape *shape, uint64_t size)
{
    const int64_t *extents = shape->extents, *strides = shape->strides;
    Py_ssize_t i, column = shape->rank - 1, row = column - 1;
    int64_t rows = extents[row], columns = extents[column];
    double longest = 0, outer = 1, along[2] = {(double)rows * (double)strides[row], (double)columns * (double)strides[column]};
    uint64_t facts = 0, step = (uint64_t)(strides[row] > strides[column] ? strides[row] : strides[column]);
    if (rows > 1) longest = along[0];
    if (columns > 1 && along[1] > longest) longest = along[1];
    for (i = 0; i < row; ++i) {
        if (extents[i] > MAX_GRID) facts |= BIT(MANY_HEADS);
        outer *= (double)extents[i];
        if (extents[i] > 1 && (double)strides[i] < longest) facts |= BIT(INSIDE);
        if (extents[i] > 1 && (uint64_t)strides[i] * size % 16) facts |= BIT(LOW_MATRIX);
    }
    if ((rows > 1 && !strides[row]) || (columns > 1 && !strides[column])) facts |= BIT(REPEATED);
    if (outer > MAX_GRID || columns > 128 * MAX_GRID) facts |= BIT(MANY_MATRICES);
    if (rows > 1 && columns > 1 && step * size % 16) facts |= BIT(ODD_ROWS);
    if (rows == 1) facts |= BIT(ONE_ROW);
    if (columns == 1) facts |= BIT(ONE_COLUMN);
    if (rows % 64) facts |= BIT(TORN_ROWS);
    if (columns % 64) facts |= BIT(TORN_COLUMNS);
    if (columns % 64 == 0 && (rows == 1 || columns % 128)) facts |= BIT(TORN_TILES);
    return facts;
}

/* The values that were set of a tensor; NULL where none was. */
struct set {
    PyObject *type, *extents, *strides, *id, *alignment, *is_computed, *is_number;
};

/* Reads what was set in one pass: names are the same objects as here, but for those of other code. */
static void read_set(PyObject *values, struct set *set)
{
    PyObject *const names[] = {n_type, n_dimensions, n_strides, n_id, n_alignment, n_virtual, n_by_value};
    PyObject **found = &set->type, *key, *value;
    Py_ssize_t at = 0;
    int i, count = sizeof names / sizeof *names, is_all = 1;
    memset(set, 0, sizeof *set);
    while (PyDict_Next(values, &at, &key, &value)) {
        for (i = 0; i < count && key != names[i]; ++i) {}
        if (i < count) found[i] = value;
        else is_all = 0;
    }
    for (i = 0; i < count && !is_all; ++i) found[i] = PyDict_GetItemWithError(values, names[i]);
}

static uint64_t facts_of_tensor(struct graph *graph, PyObject *values)
{
    struct shape shape;
    struct set set;
    uint64_t facts;
    int64_t size, longest = 1, elements = 1, pixels = 1, last = 0;
    double product = 1, end = 0; /* of which 64 bits may not be enough */
    int is_repeated = 0;
    Py_ssize_t i;
    read_set(values, &set);
    facts = bits_of(graph, set.type);
    size = ((int64_t)1 << (facts >> SIZE & 7)) / 2;
    set_shape(graph, set.extents, set.strides, &shape);
    graph->is_unknown |= !size;
    if (graph->is_unknown) return 0;
    if (shape.rank == 1) {
        shape.extents[1] = shape.strides[1] = 1;
        shape.rank = 2;
    }
    for (i = 0; i < shape.rank; ++i) {
        product *= (double)shape.extents[i];
        end += (double)shape.extents[i] * (double)(shape.strides[i] < 0 ? -shape.strides[i] : shape.strides[i]);
    }
    if (product * (double)size > MOST || end > MOST) {
        graph->is_unknown = 1;
        return 0;
    }
    for (i = 0; i < shape.rank; ++i) {
        elements *= shape.extents[i];
        last += (shape.extents[i] - 1) * shape.strides[i];
        if (i > 1) pixels *= shape.extents[i];
        if (shape.extents[i] > longest) longest = shape.extents[i];
        is_repeated |= shape.extents[i] > 1 && !shape.strides[i];
    }
    if (!set.alignment || !PyLong_CheckExact(set.alignment)) graph->is_unknown = 1;
    else if (PyLong_AsLongLong(set.alignment) < 16) facts |= BIT(LOW) | BIT(LOW_MATRIX);
    if (is_true(set.is_computed)) facts |= BIT(COMPUTED);
    if (is_true(set.is_number)) facts |= BIT(NUMBER);
    if (longest > 1) facts |= BIT(SEVERAL);
    if (last >= elements) facts |= BIT(LOOSE) | BIT(GAPS);
    if (is_repeated) facts |= BIT(GAPS);
    if (elements > 1 << 22) facts |= BIT(LONG);
    if (elements >= BEYOND_32_BITS) facts |= BIT(BEYOND);
    if (elements > BEYOND_32_BITS) facts |= BIT(ABOVE);
    if (shape.rank > 2 && shape.rank < 6) facts |= BIT(MATRICES + shape.rank - 3);
    if (shape.extents[0] % 4) facts |= BIT(ODD_FILTERS);
    if (shape.extents[0] * size % 16 || shape.extents[1] * size % 16) facts |= BIT(TORN_FILTERS);
    if (shape.extents[0] > MAX_GRID) facts |= BIT(MANY_IMAGES);
    if (shape.extents[0] > 32 * MAX_GRID) facts |= BIT(MANY_MEANS);
    if (shape.extents[0] > MAX_GRID || shape.extents[shape.rank - 1] > 8 * MAX_GRID) facts |= BIT(MANY_ROWS);
    if (shape.extents[shape.rank - 1] > 1 && shape.strides[shape.rank - 1] != 1) facts |= BIT(BY_COLUMNS);
    if (pixels == 1) facts |= BIT(PIXEL);
    if (shape.rank == 4) facts |= facts_of_extents(shape.extents);
    return facts | facts_of_image(&shape, size) | facts_of_matrix(&shape, (uint64_t)size);
}

/* A number of options, or another where it is not set. */
static double number_of(struct graph *graph, PyObject *values, PyObject *name, double otherwise)
{
    PyObject *found = PyDict_GetItemWithError(values, name);
    if (!found || found == Py_None) return otherwise;
    if (PyFloat_CheckExact(found) || PyLong_CheckExact(found)) return PyFloat_AsDouble(found);
    graph->is_unknown = 1;
    return otherwise;
}

/* The facts of options: their paddings, clips and words. */
static uint64_t facts_of_options(struct graph *graph, PyObject *options, PyObject *values)
{
    PyObject *pre = PyDict_GetItemWithError(values, n_pre), *post = PyDict_GetItemWithError(values, n_post);
    PyObject *names = PyDict_GetItemWithError(graph->words, (PyObject *)Py_TYPE(options)), *word;
    Py_ssize_t i;
    uint64_t facts = !pre == !post && (!pre || PyObject_RichCompareBool(pre, post, Py_EQ) == 1) ? 0 : BIT(UNEVEN);
    graph->is_unknown |= !names;
    if (number_of(graph, values, n_upper, NO_CEILING) < NO_CEILING || number_of(graph, values, n_lower, 0) != 0
        || number_of(graph, values, n_slope, 0) != 0)
        facts |= BIT(CLIPPED);
    for (i = 0; names && i < PyTuple_Size(names); ++i)
        if ((word = PyDict_GetItemWithError(values, PyTuple_GetItem(names, i))) || !i) facts |= bits_of(graph, word);
    return facts;
}

/* An attribute of an operation, or NULL. */
static PyObject *value_at(struct graph *graph, Py_ssize_t place, int port)
{
    struct operation *operation = &graph->operations[place];
    PyObject *found;
    if (!operation->values && !(operation->values = values_of(graph, operation->self))) return NULL;
    found = PyDict_GetItemWithError(operation->values, PyTuple_GetItem(graph->ports, port));
    return found == Py_None ? NULL : found;
}

static uint64_t facts_at(struct graph *graph, Py_ssize_t place, int port);

static int recall(struct graph *graph, const void *of, int port, uint64_t *facts)
{
    int i;
    for (i = 0; i < graph->known; ++i)
        if (graph->found[i].of == of && graph->found[i].port == (uint64_t)port) {
            *facts = graph->found[i].facts;
            return 1;
        }
    return 0;
}

static uint64_t keep(struct graph *graph, const void *of, int port, uint64_t facts)
{
    if (graph->known < MAX_FOUND) graph->found[graph->known++] = (struct found){of, (uint64_t)port, facts};
    return facts;
}

/* The operands of pointwise operations: gradients read dy and x. */
static const int operands[4] = {XDESC, BDESC, TDESC, DYDESC};

/* The result of a pointwise operation or a reduction, or NULL. */
static PyObject *result_of(struct graph *graph, Py_ssize_t place)
{
    PyObject *found = value_at(graph, place, YDESC);
    return found ? found : value_at(graph, place, DXDESC);
}

static int reads(struct graph *graph, Py_ssize_t place, PyObject *tensor)
{
    int i;
    for (i = 0; i < 4; ++i)
        if (tensor && value_at(graph, place, operands[i]) == tensor) return 1;
    return 0;
}

/* Facts of operations, as attributes have them. */

static uint64_t of_place(struct graph *graph, Py_ssize_t place)
{
    (void)graph;
    return place < 5 ? BIT(EARLY) | (place < 3 ? BIT(FIRST + place) : 0) : 0;
}

/* The number of a tensor, which others of the same graph have if they are the same. */
static long long id_of(struct graph *graph, PyObject *tensor, int *is_computed)
{
    PyObject *values = values_of(graph, tensor), *found = values ? PyDict_GetItemWithError(values, n_id) : NULL;
    long long id = found && PyLong_CheckExact(found) ? PyLong_AsLongLong(found) : -1;
    graph->is_unknown |= id < 0;
    if (values) *is_computed = is_set(values, n_virtual);
    Py_XDECREF(values);
    return id;
}

/* Marks the operations that a tensor is computed by. */
static void walk(struct graph *graph, PyObject *tensor, uint64_t mark)
{
    int is_computed = 0, i;
    long long id = tensor ? id_of(graph, tensor, &is_computed) : -1;
    Py_ssize_t place = graph->count;
    if (id < 0 || (mark == BIT(TO_PRODUCT) && !is_computed)) return;
    while (place-- > 0 && graph->operations[place].made != id) {}
    if (place < 0 || graph->operations[place].path & mark) return;
    graph->operations[place].path |= mark;
    for (i = 0; i < 4; ++i) walk(graph, value_at(graph, place, operands[i]), mark);
}

static uint64_t of_path(struct graph *graph, Py_ssize_t place)
{
    Py_ssize_t first = 0, i;
    PyObject *made;
    int is_computed;
    if (!graph->is_walked) {
        graph->is_walked = 1;
        while (first < graph->count && !(graph->operations[first].kind & BIT(MATMUL))) ++first;
        if (first < graph->count) {
            for (i = 0; i < graph->count; ++i)
                graph->operations[i].made = (made = result_of(graph, i)) ? id_of(graph, made, &is_computed) : -1;
            graph->operations[first].path = BIT(TO_PRODUCT);
            walk(graph, value_at(graph, first, ADESC), BIT(TO_PRODUCT));
            walk(graph, value_at(graph, first, BDESC), BIT(TO_PRODUCT));
            walk(graph, value_at(graph, first, ADESC), BIT(TO_A));
            walk(graph, value_at(graph, first, BDESC), BIT(TO_B));
        }
    }
    return graph->operations[place].path;
}

static uint64_t of_sums(struct graph *graph, Py_ssize_t place)
{
    struct shape given, made;
    PyObject *tensors[2] = {value_at(graph, place, XDESC), value_at(graph, place, YDESC)}, *values;
    double reduced = 1, summed = 1;
    int64_t along = INT64_MAX, step = 0;
    int i, axes = 0;
    for (i = 0; i < 2; ++i) {
        if (!tensors[i] || !(values = values_of(graph, tensors[i]))) return 0;
        read_shape(graph, values, i ? &made : &given);
        Py_DECREF(values);
    }
    if (graph->is_unknown) return 0;
    for (i = 0; i < given.rank && i < made.rank; ++i) {
        if (given.extents[i] == made.extents[i]) continue;
        summed *= (double)given.extents[i];
        step = given.strides[i];
        ++axes;
        if (made.extents[i] != 1 || given.extents[i] < 2) continue;
        reduced *= (double)given.extents[i];
        if (step < along) along = step;
    }
    return (along == 1 && reduced > 1 << 22 ? BIT(LONG_SUM) : 0)
           | (summed > (axes == 1 && step == 1 ? 64 : 2) ? BIT(MANY_SUMMED) : 0);
}

static uint64_t of_types(struct graph *graph, Py_ssize_t place)
{
    int ports[2] = {SCALE_DESC, BIAS_DESC}, i;
    PyObject *types[2] = {NULL, NULL}, *tensor, *values;
    for (i = 0; i < 2; ++i) {
        if (!(tensor = value_at(graph, place, ports[i])) || !(values = values_of(graph, tensor))) return 0;
        types[i] = PyDict_GetItemWithError(values, n_type);
        bits_of(graph, types[i]);
        Py_DECREF(values); /* which the tensor keeps */
    }
    return !graph->is_unknown && PyUnicode_Compare(types[0], types[1]) ? BIT(OTHER_TYPE) : 0;
}

/* Tells whether an operation repeats a computed operand of several elements, or matrices of it. */
static uint64_t of_spreads(struct graph *graph, PyObject *operand, PyObject *result)
{
    struct shape given, made;
    PyObject *values = values_of(graph, operand);
    Py_ssize_t axis;
    uint64_t differs = 0, several = 0, facts;
    int is_computed = values && is_set(values, n_virtual);
    if (is_computed) read_shape(graph, values, &given);
    Py_XDECREF(values);
    if (!is_computed || !(values = values_of(graph, result))) return 0;
    read_shape(graph, values, &made);
    Py_DECREF(values);
    graph->is_unknown |= given.rank != made.rank;
    if (graph->is_unknown) return 0;
    for (axis = 0; axis < given.rank; ++axis) {
        facts = BIT(SPREADS) | (axis + 2 < given.rank ? 0 : BIT(SPREADS_MATRICES));
        if (given.extents[axis] != made.extents[axis]) differs |= facts;
        if (given.extents[axis] > 1) several |= facts;
    }
    return differs & several;
}

static uint64_t of_reads(struct graph *graph, Py_ssize_t place)
{
    PyObject *operand, *result = result_of(graph, place);
    int i, made = 0;
    uint64_t facts = 0;
    Py_ssize_t before;
    for (i = 0; i < 4; ++i) {
        if (!(operand = value_at(graph, place, operands[i]))) continue;
        if (result) facts |= of_spreads(graph, operand, result);
        for (before = 0; before < place; ++before)
            if (result_of(graph, before) == operand || value_at(graph, before, CDESC) == operand
                || value_at(graph, before, Y) == operand)
                break;
        made += before < place;
    }
    return facts | (made > 1 ? BIT(TWO_COMPUTED) : 0);
}

/* Tells whether several operations read the scores of a product, once they are scaled, but for indices. */
static uint64_t of_scores(struct graph *graph, Py_ssize_t place)
{
    PyObject *scores = value_at(graph, place, CDESC), *scaled = NULL;
    Py_ssize_t i;
    int count = 0;
    for (i = 0; i < graph->count; ++i) {
        if (!(graph->operations[i].kind & BIT(POINTWISE))) continue;
        if (scaled) count += reads(graph, i, scaled) && !(facts_at(graph, i, PW_DESCRIPTOR) & BIT(GEN_INDEX));
        else if (reads(graph, i, scores)) scaled = value_at(graph, i, YDESC);
    }
    return count > 1 ? BIT(TWICE) : 0;
}

/* The facts of an attribute of an operation, or of the operation itself, which are found once. */
static uint64_t facts_at(struct graph *graph, Py_ssize_t place, int port)
{
    static uint64_t (*const of_operation[])(struct graph *, Py_ssize_t)
        = {of_place, of_path, of_sums, of_types, of_reads, of_scores};
    struct operation *operation = &graph->operations[place];
    PyObject *value, *values;
    uint64_t facts;
    if (port < ADESC) {
        if (recall(graph, operation, port, &facts)) return facts;
        return keep(graph, operation, port, BIT(PRESENT) | of_operation[port](graph, place));
    }
    if (!(value = value_at(graph, place, port))) return 0;
    if (PyUnicode_CheckExact(value)) return BIT(PRESENT) | bits_of(graph, value);
    if (recall(graph, value, ADESC, &facts)) return facts;
    if (!(values = values_of(graph, value))) return 0;
    facts = PyDict_GetItemWithError(values, n_dimensions) ? facts_of_tensor(graph, values)
                                                          : facts_of_options(graph, value, values);
    Py_DECREF(values);
    return keep(graph, value, ADESC, BIT(PRESENT) | facts);
}

/* Whether an operation has what a group says of its attributes. */
static int has(struct graph *graph, Py_ssize_t place, const uint64_t *clause, uint64_t clauses)
{
    for (; clauses--; clause += 4) {
        uint64_t ports = clause[0], facts;
        int port, is_found = 0;
        for (port = 0; ports && !is_found; ++port, ports >>= 1) {
            if (!(ports & 1)) continue;
            facts = facts_at(graph, place, port);
            is_found = (facts & clause[1]) == clause[1] && !(facts & clause[2]);
        }
        if (is_found == (int)clause[3]) return 0;
    }
    return 1;
}

/* Whether operations are as a group says. */
static int holds(struct graph *graph, const uint64_t *group)
{
    Py_ssize_t i;
    int found = 0;
    for (i = 0; i < graph->count && !found; ++i) {
        if (!(graph->operations[i].kind & group[1])) continue;
        found = has(graph, i, group + 3, group[2]);
        if (group[0] == OF_FIRST) return found;
    }
    return found != (group[0] == OF_NO);
}

/* Reads the kinds of operations, and returns the facts of the graph. */
static uint64_t facts_of_graph(struct graph *graph, PyObject *operations)
{
    Py_ssize_t i, products = 0, convolutions = 0;
    uint64_t facts = graph->count == 1 ? BIT(SINGLE) : graph->count == 3 ? BIT(THREE) : 0, kinds = 0;
    for (i = 0; i < graph->count; ++i) {
        struct operation *operation = &graph->operations[i];
        operation->self = PyTuple_GetItem(operations, i);
        operation->values = NULL;
        operation->path = 0;
        kinds |= operation->kind = bits_of(graph, (PyObject *)Py_TYPE(operation->self));
        products += operation->kind >> MATMUL & 1;
        convolutions += operation->kind >> CONVOLUTION & 1;
    }
    if (graph->count && kinds == graph->operations[0].kind) facts |= BIT(ONE_KIND);
    if (products == 1) facts |= BIT(ONE_PRODUCT);
    if (products == 2) facts |= BIT(TWO_PRODUCTS);
    if (products == 5) facts |= BIT(FIVE_PRODUCTS);
    if (products > 1) facts |= BIT(SEVERAL_PRODUCTS);
    if (convolutions == 1) facts |= BIT(ONE_CONVOLUTION);
    if (products + convolutions == 1) facts |= BIT(ONE_OF_BOTH);
    return facts | kinds;
}

/* Whether knobs have the values of an entry, which follow its reason by their names; -1 with an exception. */
static int fits(PyObject *entry, PyObject *knobs)
{
    Py_ssize_t i;
    int is_there = 1;
    PyObject *value;
    for (i = 1; is_there == 1 && i < PyTuple_Size(entry); i += 2) {
        value = PyDict_GetItemWithError(knobs, PyTuple_GetItem(entry, i));
        is_there = value ? PySequence_Contains(PyTuple_GetItem(entry, i + 1), value) : 0;
    }
    return is_there;
}

/* The reason of the first entry that holds, or "". */
static PyObject *reason_of(uint64_t found, PyObject *entries, Py_ssize_t first, PyObject *knobs)
{
    PyObject *entry;
    int is_there;
    for (; found; found >>= 1, ++first) {
        if (!(found & 1) || (entry = PyTuple_GetItem(entries, first)) == Py_None) continue;
        if ((is_there = fits(entry, knobs)) < 0) return NULL;
        if (!is_there) continue;
        entry = PyTuple_GetItem(entry, 0);
        Py_INCREF(entry);
        return entry;
    }
    return PyUnicode_FromString("");
}

static void set_errata(PyObject *self)
{
    PyObject *known = PyTuple_GetItem(self, 0), *numbers = PyTuple_GetItem(known, 2), *old = errata.self;
    Py_INCREF(errata.self = self);
    errata.words = PyTuple_GetItem(known, 0);
    errata.ports = PyTuple_GetItem(known, 1);
    errata.entries = PyTuple_GetItem(known, 3);
    errata.base = PyTuple_GetItem(known, 4);
    errata.offset = PyLong_AsSsize_t(PyTuple_GetItem(known, 5));
    errata.numbers = PyBytes_Size(numbers) ? (const uint64_t *)(const void *)PyBytes_AsString(numbers) : NULL;
    Py_XDECREF(old);
}

/* Begins with the errata of a call, and returns whether they can tell anything. */
static int begin(PyObject *self)
{
    if (!PyTuple_Check(self)) return 0; /* errata were not read */
    while (self != errata.self) set_errata(self); /* what this frees may run any code, and so may the rest */
    return errata.numbers != NULL;
}

/* The numbers of an engine, which are three zeros for one without rows; NULL, with an exception, for what is no engine. */
static const uint64_t *rows_of(PyObject *number)
{
    static const uint64_t none[3];
    uint64_t engine = PyLong_AsUnsignedLongLong(number);
    if (PyErr_Occurred()) return NULL;
    return engine < errata.numbers[0] && errata.numbers[1 + engine] ? errata.numbers + errata.numbers[1 + engine] : none;
}

/* Reads a graph, and returns its attributes, or NULL, and the facts of the graph. */
static PyObject *open_graph(struct graph *graph, PyObject *descriptor, uint64_t *facts)
{
    PyObject *values = NULL, *operations;
    graph->words = errata.words;
    graph->ports = errata.ports;
    graph->count = graph->is_walked = graph->known = 0;
    graph->is_unknown = intern_names();
    if (!graph->is_unknown) values = values_of(graph, descriptor);
    operations = values ? PyDict_GetItemWithError(values, n_ops) : NULL;
    graph->is_unknown |= !operations || !PyTuple_CheckExact(operations) || PyTuple_Size(operations) > MAX_OPERATIONS;
    if (graph->is_unknown) return values;
    graph->count = PyTuple_Size(operations);
    *facts = facts_of_graph(graph, operations);
    return values;
}

static void close_graph(struct graph *graph, PyObject *values)
{
    Py_ssize_t i;
    for (i = 0; i < graph->count; ++i) Py_XDECREF(graph->operations[i].values);
    Py_XDECREF(values);
}

/* The bits of the rows of an engine whose needs a graph meets. */
static uint64_t judged(struct graph *graph, const uint64_t *own, uint64_t facts)
{
    const uint64_t *rule = own + 3, *group;
    uint64_t found = 0, rules, groups;
    for (rules = own[0]; rules-- && !graph->is_unknown; rule += 3) {
        if (rule[0] & ~facts || rule[1] & facts || found >> rule[2] % 64 & 1) continue;
        group = errata.numbers + rule[2] / 64;
        for (groups = *group++; groups && holds(graph, group); --groups) group += 3 + 4 * group[2];
        if (!groups) found |= BIT(rule[2] % 64);
    }
    return found;
}

/* The last engine that a graph was asked about, if it had errata: a choice goes on to another one. */
static struct {
    const void *graph;
    uint64_t engine;
} last;

/* By engines with errata, the one that was asked about next in the last such choice, and one. */
static uint16_t following[MAX_ENGINES];

/* Adds to a dict what `judge` tells of the engines that are likely to be asked about next. */
static void judge_following(struct graph *graph, uint64_t facts, PyObject *held)
{
    int most = MAX_FOLLOWING;
    while (most-- && following[last.engine]) {
        uint64_t engine = following[last.engine] - 1u, found;
        PyObject *key, *bits;
        if (engine >= errata.numbers[0] || !errata.numbers[1 + engine]) break;
        found = judged(graph, errata.numbers + errata.numbers[1 + engine], facts);
        if (graph->is_unknown) break;
        key = PyLong_FromUnsignedLongLong(engine);
        bits = PyLong_FromUnsignedLongLong(found);
        if (key && bits) PyDict_SetItem(held, key, bits);
        Py_XDECREF(key);
        Py_XDECREF(bits);
        last.engine = engine;
        if (!found) last.graph = NULL;
        if (!found || PyErr_Occurred()) break;
    }
    graph->is_unknown = 0;
}

PyObject *cudnn_cffi_judge(PyObject *none, PyObject *const *given, Py_ssize_t count)
{
    ALONE;
    PyObject *values;
    struct graph graph;
    const uint64_t *own;
    uint64_t facts = 0, found = 0, engine;
    (void)none;
    if (!begin(given[1])) Py_RETURN_NONE;
    own = rows_of(given[2]);
    if (cudnn_cffi_failed()) return NULL;
    if (!own) Py_RETURN_NONE;
    engine = PyLong_AsUnsignedLongLong(given[2]);
    if (last.graph == given[0] && engine < MAX_ENGINES) following[last.engine] = (uint16_t)(engine + 1);
    last.graph = NULL;
    if (!own[0]) return PyLong_FromLong(0);
    values = open_graph(&graph, given[0], &facts);
    if (!graph.is_unknown) found = judged(&graph, own, facts);
    if (found && !graph.is_unknown && count > 3 && PyDict_CheckExact(given[3])) {
        last.graph = given[0];
        last.engine = engine;
        judge_following(&graph, facts, given[3]);
    }
    close_graph(&graph, values);
    if (PyErr_Occurred()) graph.is_unknown = 1;
    if (cudnn_cffi_failed()) return NULL;
    if (graph.is_unknown) Py_RETURN_NONE;
    return PyLong_FromUnsignedLongLong(found);
}

PyObject *cudnn_cffi_is_anywhere(PyObject *none, PyObject *const *given, Py_ssize_t count)
{
    ALONE;
    static const uint64_t simple = BIT(MATMUL) | BIT(POINTWISE) | BIT(REDUCTION),
                          convolutions = BIT(CONVOLUTION) | BIT(DATA_GRADIENT) | BIT(FILTER_GRADIENT);
    struct graph graph;
    uint64_t facts = 0, kinds;
    (void)none;
    (void)count;
    if (!begin(given[1])) Py_RETURN_FALSE;
    close_graph(&graph, open_graph(&graph, given[0], &facts));
    if (PyErr_Occurred()) graph.is_unknown = 1;
    if (cudnn_cffi_failed()) return NULL;
    kinds = facts & ~(BIT(MATMUL) - 1);
    return PyBool_FromLong(!graph.is_unknown && !(facts & BIT(SEVERAL_PRODUCTS))
                           && (!(kinds & ~simple) || (facts & BIT(SINGLE) && !(kinds & ~convolutions))));
}

PyObject *cudnn_cffi_left_out(PyObject *none, PyObject *const *given, Py_ssize_t count)
{
    ALONE;
    const uint64_t *own = begin(given[1]) ? rows_of(given[2]) : NULL;
    uint64_t bits = PyErr_Occurred() ? 0 : PyLong_AsUnsignedLongLong(given[0]);
    PyObject *found = NULL;
    (void)none;
    (void)count;
    if (own && !PyErr_Occurred() && !(bits & own[1]) && PyDict_CheckExact(given[3]))
        found = reason_of(bits, errata.entries, (Py_ssize_t)own[2], given[3]);
    if (found || cudnn_cffi_failed()) return found;
    Py_RETURN_NONE;
}

PyObject *cudnn_cffi_are_low(PyObject *none, PyObject *operands)
{
    ALONE;
    PyObject *one, *views;
    Py_ssize_t i, j;
    long long begins;
    (void)none;
    if (!PyTuple_CheckExact(operands)) Py_RETURN_TRUE;
    for (i = 0; i < PyTuple_Size(operands); ++i) {
        one = PyTuple_GetItem(operands, i);
        if (PyTuple_GetItem(one, BY_VALUE) == Py_True) continue;
        views = PyTuple_GetItem(one, VIEWS);
        begins = PyLong_AsLongLong(PyTuple_GetItem(one, ALIGNMENT));
        for (j = 0; views && j < PyTuple_Size(views); ++j)
            begins |= PyLong_AsLongLong(PyTuple_GetItem(PyTuple_GetItem(views, j), 1));
        if (PyErr_Occurred()) return NULL;
        if (begins < 16 || begins % 16) Py_RETURN_TRUE;
    }
    Py_RETURN_FALSE;
}
