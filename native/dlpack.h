/* The part of DLPack, version 1, that is used here: how arrays look, and the table of functions that a type of
   arrays has in `__dlpack_c_exchange_api__`. */

#ifndef CUDNN_CFFI_DLPACK_H
#define CUDNN_CFFI_DLPACK_H

#include <stdint.h>

#define MAX_AXES 8
#define DLPACK_HOST 1
#define DLPACK_CUDA 2
#define DLPACK_UINT 1
#define DLPACK_COMPLEX 5
#define DLPACK_CAPSULE "dlpack_exchange_api"

struct dlpack_array {
    void *data;
    int32_t device_type, device;
    int32_t ndim;
    uint8_t code, bits;
    uint16_t lanes;
    int64_t *shape, *strides; /* strides in elements */
    uint64_t offset;          /* in bytes */
};

/* The description of an array, with room for extents and strides if its owner has to be released. */
struct description {
    struct dlpack_array is;
    int64_t extents[2 * MAX_AXES];
};

/* An array that keeps its memory alive until `release` is called with it. */
struct dlpack_owner {
    uint32_t major, minor;
    void *context;
    void (*release)(struct dlpack_owner *owner); /* may be NULL */
    uint64_t flags;
    struct dlpack_array array;
};

/* Only this part is the same in all major versions. */
struct dlpack_header {
    uint32_t major, minor;
    struct dlpack_header *older;
};

/* Functions return 0, or -1 with an exception. */
struct dlpack_table {
    struct dlpack_header header;
    void *allocate;
    int (*own)(void *object, struct dlpack_owner **owner);
    void *to_object;
    int (*describe)(void *object, struct dlpack_array *array); /* may be NULL */
    int (*current_stream)(int device_type, int32_t device, void **stream);
};

#endif
