/* The part of DLPack, version 1, that is used here: how arrays look, and the table of functions that a type of
   arrays has in `__dlpack_c_exchange_api__`. */

#ifndef CUDNN_CFFI_DLPACK_H
#define CUDNN_CFFI_DLPACK_H

#include <stdint.h>

#define DLPACK_CUDA 2
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

/* Only this part is the same in all major versions. */
struct dlpack_header {
    uint32_t major, minor;
    struct dlpack_header *older;
};

/* Functions return 0, or -1 with an exception. */
struct dlpack_table {
    struct dlpack_header header;
    void *allocate, *from_object, *to_object;
    int (*describe)(void *object, struct dlpack_array *array); /* NULL where there is none */
    int (*current_stream)(int device_type, int32_t device, void **stream);
};

#endif
