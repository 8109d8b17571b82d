/* The structs that XLA hands to a custom call, of its foreign function interface, version 0.1 and later, as far as
   they are used here. tests/jax compares them with the header that comes with jaxlib. */

#ifndef CUDNN_CFFI_XLA_H
#define CUDNN_CFFI_XLA_H

#include <Python.h>
#include <stdint.h>

#define XLA_METADATA 1       /* the extension by which XLA asks what a handler is */
#define XLA_MAY_CAPTURE 1u   /* the trait of handlers whose work can be captured */
#define XLA_EXECUTE 3        /* the stage in which work is done */
#define XLA_SCALAR 3         /* an attribute that is one number */
#define XLA_S64 5            /* of 64 bits */
#define XLA_INVALID_ARGUMENT 3
#define XLA_FAILED_PRECONDITION 9
#define XLA_INTERNAL 13

struct xla_extension {
    size_t size;
    int type;
    struct xla_extension *next;
};

struct xla_version {
    size_t size;
    struct xla_extension *extension;
    int major, minor;
};

struct xla_metadata {
    size_t size;
    struct xla_version version;
    uint32_t traits;
};

struct xla_asking {
    struct xla_extension base;
    struct xla_metadata *metadata;
};

struct xla_buffer {
    size_t size;
    struct xla_extension *extension;
    int type;
    void *data;
    int64_t rank;
    int64_t *extents;
};

struct xla_buffers {
    size_t size;
    struct xla_extension *extension;
    int64_t count;
    int *types;
    struct xla_buffer **item;
};

struct xla_number {
    int type;
    void *value;
};

struct xla_attributes {
    size_t size;
    struct xla_extension *extension;
    int64_t count;
    int *types;
    void **names;
    void **value;
};

struct xla_to_error {
    size_t size;
    struct xla_extension *extension;
    const char *message;
    int code;
};

struct xla_to_stream {
    size_t size;
    struct xla_extension *extension;
    void *context;
    void *stream;
};

struct xla_api {
    size_t size;
    struct xla_extension *extension;
    struct xla_version version;
    const void *internal;
    void *(*create_error)(struct xla_to_error *);
    void *error_message;
    void (*destroy_error)(void *);
    void *register_handler;
    void *(*get_stream)(struct xla_to_stream *);
};

struct xla_frame {
    size_t size;
    struct xla_extension *extension;
    const struct xla_api *api;
    void *context;
    int stage;
    struct xla_buffers inputs, results;
    struct xla_attributes attributes;
};

/* Sets what all executions in XLA need: (what makes a plan ready for another device, by its key and the device;
   major and minor version of XLA's interface; the index of cudnnGetLastErrorString, or -1; addresses of the
   driver's functions). Returns the addresses of two
   handlers: of plans that XLA may capture, and of others. */
PyObject *xla_set_up(PyObject *none, PyObject *all);

/* Has XLA execute a plan: (key, device, whether the last result is the workspace, for each argument of the
   plan where it is: the number of an input, or -1 less that of a result; and the address of a number on the host
   instead, or 0). It is kept as long as the process. */
PyObject *xla_offer(PyObject *plan, PyObject *all);

#endif
