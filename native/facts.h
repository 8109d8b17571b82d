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
    POINTWISE
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
    TWICE,
    SHARED
};

/* Facts of tensors, before the bytes of an element and data types. */
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
    FEW,
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
    Y,
    SCALE_DESC,
    BIAS_DESC,
    PW_DESCRIPTOR
};

/* The operations that are as a group says: any, the first of their kinds, or none. */
enum which { OF_ANY, OF_FIRST, OF_NO };

/* (operation graph, words, ports, rules): the bits of the rows of an engine whose needs a graph meets; None where
   something is not known.
   Rules are numbers of 64 bits, for each (how many, row, facts of the graph, those that it must not have, number of
   groups) and groups; a row needs one of its rules. A group is (which, kinds, number of clauses): operations of these
   kinds have what all clauses say. A clause is (ports, facts, those that it must not have, whether none): one of the
   attributes has these facts, or none has.
   `words` has the bits of kinds by classes of operations, those of words, which are names of enum members, and for
   a class of options the attributes that are words: the first one must be set. The package knows no other classes. */
PyObject *cudnn_cffi_judge(PyObject *none, PyObject *all);

/* (operands, places in each of the alignment, the views, and whether it is a number): whether an array, or a view, may
   begin at no multiple of 16 bytes. */
PyObject *cudnn_cffi_are_low(PyObject *none, PyObject *all);

#endif
