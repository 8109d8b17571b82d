/* The records of errata that hold for a graph, by facts of its operations. */

#ifndef CUDNN_CFFI_FACTS_H
#define CUDNN_CFFI_FACTS_H

#include <Python.h>

/* Facts of a graph by their bits, in the order of `errata/needs.py`: one operation, several, all of one kind; how
   many matrix products; one of these and convolutions together. Python tells PRODUCT and CONVOLUTION, as the bits of
   other kinds, which are higher. */
enum {
    SINGLE,
    SEVERAL,
    ONE_KIND,
    PRODUCT,
    CONVOLUTION,
    ONE_PRODUCT,
    TWO_PRODUCTS,
    FIVE_PRODUCTS,
    SEVERAL_PRODUCTS,
    ONE_OF_BOTH
};

/* Facts of a tensor. Higher bits are for data types and options, which Python tells. */
enum {
    MEMORY,          /* it is no result that stays in an engine; else it is COMPUTED */
    COMPUTED,
    LOW,             /* it may begin at no multiple of 16 bytes; it, or a matrix of it, LOW_MATRIX */
    LOW_MATRIX,
    GAPS,            /* it has gaps or repeated elements; if rows or columns of matrices are, REPEATED */
    REPEATED,
    INSIDE,          /* its matrices lie within each other */
    ODD_ROWS,        /* its rows or columns may be at no multiples of 16 bytes */
    BY_COLUMNS,      /* its last axis is not contiguous */
    TORN_TILES,      /* half a tile of 128 columns remains, or whole ones of a single row */
    ONE_ROW,         /* it has one row */
    BEYOND_GRID,     /* it has more images, matrices or columns than a grid */
    LONG,            /* above 2^22 elements */
    BEYOND,          /* from 2^31 elements on */
    PADDED_BEYOND,   /* or maybe with channels up to 16 bytes */
    MATRICES,        /* three dimensions, or four: IMAGE, or five: VOLUME */
    IMAGE,
    VOLUME,
    PIXEL,           /* one pixel */
    MANY_CHANNELS,   /* above 8192 */
    CHANNELS_APART,  /* channels that are not innermost; else CHANNELS_INSIDE */
    CHANNELS_INSIDE,
    OTHER_ORDER,     /* neither channels nor the last axis are innermost */
    ODD_PIXELS,      /* pixels in all images that are no multiple of 16 */
    OTHER_TYPE,      /* it has another data type than the scale; alone in a clause */
    UNEVEN           /* of options: maybe other paddings after than before */
};

/* The operations that have the facts of a clause: any, the first of their kinds, one of the first five of the graph,
   or none. */
enum { OF_ANY, OF_FIRST, OF_EARLY, OF_NO };

/* (operation graph, words, ports, (rules, knobs, reasons), knobs, from): why an engine with some knobs is not to be
   chosen, of its records from a place on; "" if it may be; or the place of the first one that facts do not decide, -1 if
   they are not known.
   Rules are numbers of 64 bits, for each record its needs, which are facts of the graph, the number of its clauses, and
   each as (kinds, port, facts, which): operations of these kinds have these facts at the attribute with this place in
   `ports`, or at any for None. Knobs of a record are (name, least, most, others, whether it is one of those) for each, or
   None if they are more than that; the reason is None if facts do not decide.
   `words` has the bits of kinds by classes of operations, those of words, which are names of enum members, and for
   a class of options the attributes that are words: the first one must be set. The package knows no other classes. */
PyObject *cudnn_cffi_judge(PyObject *none, PyObject *all);

/* (operands, places in each of the alignment, the views, and whether it is a number): whether an array, or a view, may
   begin at no multiple of 16 bytes. */
PyObject *cudnn_cffi_are_low(PyObject *none, PyObject *all);

#endif
