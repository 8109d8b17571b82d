/* Used by the emitted shims: the addresses of cuDNN's functions, and scaling factors.

   A shim is a C function that calls one of cuDNN's. It answers with cuDNN's status, or with a
   negative number of its own. */

#ifndef CUDNN_CFFI_SHIM_H
#define CUDNN_CFFI_SHIM_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if SIZE_MAX != UINT64_MAX
#error "cuDNN is for machines of 64 bits, and so is this"
#endif

/* The overlay knows these numbers, too: see `_call`. */
#define NOT_BOUND (-1)
#define NULL_ARGUMENT(index) (-1000 - (index))

/* Addresses of cuDNN's functions, by the order of their names; NULL until a library is bound. */
extern void *functions[];

/* Results go to slots of 64 bits; a double keeps its bits. */
static inline int64_t from_double(double value)
{
    int64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* The number whose bits are a word. */
static inline double to_real(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

union factor {
    float f;
    double d;
};

/* cuDNN reads alpha and beta as double where the tensor is double, else as float. */
static inline void scale(union factor *factor, double value, int is_double)
{
    if (is_double)
        factor->d = value;
    else
        factor->f = (float)value;
}

/* The cudnnDataType_t of a tensor or filter descriptor, or -1. The getters of both have the same
   types: the number of dimensions wanted, then addresses for four ints or arrays of ints. */
static inline int data_type_of(void *getter, uintptr_t descriptor)
{
    typedef int (*F)(void *, int, int *, int *, int *, int *);
    int type = -1, second = 0, third = 0, fourth = 0;
    F f = (F)getter;
    if (f) f((void *)descriptor, 1, &type, &second, &third, &fourth);
    return type;
}

#endif
