/* Functions of CUDA's driver that calls use, and memory in the order of a stream. */

#ifndef CUDNN_CFFI_DRIVER_H
#define CUDNN_CFFI_DRIVER_H

#include <Python.h>
#include <stdint.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* The default stream's numbers in the driver; it cannot be captured. */
#define IS_DEFAULT(stream) ((uintptr_t)(stream) <= 1)

/* The mode of captures in which a thread may make all calls that do not touch a captured stream; and the driver's
   error for the default stream while a stream that waits for it is captured. */
#define RELAXED 2
#define IMPLICIT 906

/* The driver's CUDA_MEMCPY2D: rows of memory that are copied. */
struct copy {
    size_t from_byte, from_row;
    int from_kind;
    const void *from_host;
    uintptr_t from;
    void *from_array;
    size_t from_pitch, to_byte, to_row;
    int to_kind;
    void *to_host;
    uintptr_t to;
    void *to_array;
    size_t to_pitch, width, rows;
};

/* The driver's CUlaunchConfig: blocks, threads and memory of a kernel, and attributes of its launch. */
struct launch_attribute {
    int id, gap;
    unsigned int values[16];
};
struct launch_config {
    unsigned int blocks[3], threads[3], shared;
    void *stream;
    struct launch_attribute *attributes;
    unsigned int count;
};

/* The driver's number for memory of a device. */
#define ON_DEVICE 2

/* Functions of the driver, or NULL. */
extern int (*current_context)(void **);
extern int (*is_capturing)(void *, int *);
extern int (*allocate_in)(uintptr_t *, size_t, void *);
extern int (*free_in)(uintptr_t, void *);
extern int (*exchange_mode)(int *);
extern int (*set_bytes)(uintptr_t, unsigned char, size_t, void *);
extern int (*set_halves)(uintptr_t, unsigned short, size_t, void *);
extern int (*set_words)(uintptr_t, unsigned int, size_t, void *);
extern int (*copy_memory)(const struct copy *, void *);
extern int (*launch_kernel)(const struct launch_config *, uintptr_t, void **, void **);
extern int (*wait_for_event)(void *, uintptr_t, unsigned int);
extern int (*record_event)(uintptr_t, void *);
extern int several_devices;

int is_current(unsigned long long context);

/* (size, stream, context): the address of new memory in the order of a stream; 0 where that context
   is not current, or the driver has none. */
PyObject *allocate(PyObject *none, PyObject *all);

/* (address, stream, context): frees memory after the work of a stream; returns whether that context
   was current and the stream is not captured. */
PyObject *free_memory(PyObject *none, PyObject *all);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
