/* The conditions of errata that hold for a graph, by facts of its operations. */

#ifndef CUDNN_CFFI_FACTS_H
#define CUDNN_CFFI_FACTS_H

#include <Python.h>

/* Facts by their bits, and attributes by their places, in the order of `errata/definitions.py` and `errata/needs.py`, which say what each means.
   Facts of a graph, before the kinds of its operations. */
enum graph_facts {
    SINGLE,
    THREE,
    ONE_KIND,
    ONE_PRODUCT,
    TWO_PRODUCTS,
    FIVE_PRODUCTS,
    SEVERAL_PRODUCTS,
    ONE_CONVOLUTION,
    ONE_OF_BOTH,
    MATMUL,
    CONVOLUTION,
    POINTWISE,
    REDUCTION,
    DATA_GRADIENT,
    FILTER_GRADIENT
};

/* Facts of operations themselves. */
enum operation_facts {
    FIRST,
    SECOND,
    THIRD,
    EARLY,
    TO_PRODUCT,
    TO_A,
    TO_B,
    LONG_SUM,
    MANY_SUMMED,
    OTHER_TYPE,
    TWO_COMPUTED,
    SPREADS,
    SPREADS_MATRICES,
    TWICE
};

/* Facts of tensors, before the logarithm of the bytes of an element, and one, and data types. */
enum tensor_facts {
    COMPUTED,
    NUMBER,
    SEVERAL,
    LOW,
    LOW_MATRIX,
    LOOSE,
    GAPS,
    REPEATED,
    INSIDE,
    ODD_ROWS,
    BY_COLUMNS,
    TORN_TILES,
    TORN_ROWS,
    TORN_COLUMNS,
    ONE_ROW,
    ONE_COLUMN,
    MANY_HEADS,
    MANY_MATRICES,
    MANY_ROWS,
    LONG,
    BEYOND,
    ABOVE,
    PADDED_BEYOND,
    MATRICES,
    IMAGE,
    VOLUME,
    PIXEL,
    ODD_PIXELS,
    ODD_CHANNELS,
    TORN_CHANNELS,
    MANY_CHANNELS,
    CHANNELS_INSIDE,
    CHANNELS_OUTSIDE,
    OTHER_ORDER,
    BY_ROWS,
    BY_PIXELS,
    MANY_IMAGES,
    MANY_MEANS,
    MANY_TILES,
    ODD_FILTERS,
    TORN_FILTERS,
    FEW,
    THREES,
    FIVES,
    ODD_IMAGE,
    WIDE,
    WIDER,
    SIZE
};

/* Facts of options, before words. */
enum option_facts { UNEVEN, CLIPPED, GEN_INDEX };

/* The fact of all that is there. */
enum { PRESENT = 62 };

/* Where facts are: of operations themselves, and of attributes. */
enum ports {
    PLACE,
    PATH,
    SUMS,
    TYPES,
    READS,
    SCORES,
    ADESC,
    BDESC,
    CDESC,
    XDESC,
    TDESC,
    YDESC,
    DYDESC,
    DXDESC,
    Y,
    SCALE_DESC,
    BIAS_DESC,
    PW_DESCRIPTOR
};

/* The operations that are as a group says: any, the first of their kinds, or none. */
enum which { OF_ANY, OF_FIRST, OF_NO };

/* (operation graph, errata, engine[, dict]): the bits of the rows of the engine whose needs the graph meets. None where
   Python has to decide. If there are some, the dict gets those of engines that are likely to be asked about next, after
   calls of cuDNN, when little would be left in the caches.
   Errata are a tuple that begins with (words, ports, numbers, entries, class of descriptors, where these have what was set
   of them, in bytes, or 0), or None before they are read. An entry is the
   reason, and by name the values of knobs, of a row that leaves the engine out; None for others.
   Numbers have 64 bits: how many engines there are, the place of each, or 0, then these: (number of rules, bits of the
   rows that depend on more, place of the first entry), and for each rule (facts of the graph, those that it must not
   have, row + 64 * place of groups). A row needs one of its rules. Groups are their number, and for each (which, kinds,
   number of clauses): operations of these kinds have what all clauses say. A clause is (ports, facts, those that it must
   not have, whether none): one of the attributes has these facts, or none has.
   `words` has the bits of kinds by classes of operations, those of words, which are names of enum members, and for
   a class of options the attributes that are words: the first one must be set. The package knows no other classes. */
PyObject *cudnn_cffi_judge(PyObject *none, PyObject *const *given, Py_ssize_t count);

/* (bits of rows, errata, engine, knobs): why these leave the engine out with these values of its knobs, "" if they do not.
   None where Python has to decide. */
PyObject *cudnn_cffi_left_out(PyObject *none, PyObject *const *given, Py_ssize_t count);

/* (operation graph, errata): whether the arrays of a graph may lie at any address, as of `errata/conditions/addresses.py`; False
   where Python has to decide. */
PyObject *cudnn_cffi_is_anywhere(PyObject *none, PyObject *const *given, Py_ssize_t count);

/* The places in an operand, which is a tuple of `plan/operand.py`. */
enum operand_fields { ALIGNMENT = 5, BY_VALUE = 8, VIEWS = 10 };

/* Whether an array of operands, or a view, may begin at no multiple of 16 bytes. */
PyObject *cudnn_cffi_are_low(PyObject *none, PyObject *operands);

#endif
