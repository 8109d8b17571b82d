/* Shared by the types of the compiled layer: how they are called, bound and freed. */

#ifndef CUDNN_CFFI_OBJECTS_H
#define CUDNN_CFFI_OBJECTS_H

#include <Python.h>

/* In a Python without its lock, `ALONE;` before the first statement of a function that Python calls has one thread
   at a time run this layer until the function returns. A thread that waits for anything or lets others run
   (PyEval_SaveThread) gives way meanwhile, as it does with Python's lock. `HOLD(object);` keeps other threads from
   changing an object until its block ends. */
#if !defined(Py_GIL_DISABLED)
#define ALONE
#define HOLD(object)
#elif defined(__GNUC__) && !defined(Py_LIMITED_API) && PY_VERSION_HEX >= 0x030E0000
extern PyMutex cudnn_cffi_mutex;
#define ALONE                                                                \
    PyCriticalSection alone __attribute__((cleanup(PyCriticalSection_End))); \
    PyCriticalSection_BeginMutex(&alone, &cudnn_cffi_mutex)
#define HOLD(object)                                                        \
    PyCriticalSection held __attribute__((cleanup(PyCriticalSection_End))); \
    PyCriticalSection_Begin(&held, object)
#else
#error "without Python's lock this takes Python 3.14 or newer and gcc or clang: calls are made in ABI mode"
#endif

/* Keeps what is seldom needed out of the code that every call runs through. */
#if defined(__GNUC__)
#define RARE __attribute__((cold, noinline))
#else
#define RARE
#endif

/* Puts functions and variables that every call needs side by side. Between calls the driver evicts them from the
   caches, and each line and page more costs up to 0.1 us. */
#if defined(__GNUC__) && defined(__ELF__)
#define HOT __attribute__((hot))
#define NEAR __attribute__((section(".data.near")))
#else
#define HOT
#define NEAR
#endif

/* Numbers that several threads change. */
#if defined(_MSC_VER)
#include <intrin.h>
#define ADD(number, value) _InterlockedExchangeAdd(number, value)
#define LOAD(number) (*(volatile unsigned long *)(number))
#define STORE(number, value) (*(volatile unsigned long *)(number) = (value))
#define LOAD_POINTER(place) ((void *)*(void *volatile *)(place))
#define SWAP_POINTER(place, old, new) \
    (_InterlockedCompareExchangePointer((void *volatile *)(place), new, old) == (void *)(old))
#else
#define ADD(number, value) __atomic_fetch_add(number, value, __ATOMIC_SEQ_CST)
#define LOAD(number) __atomic_load_n(number, __ATOMIC_RELAXED)
#define STORE(number, value) __atomic_store_n(number, value, __ATOMIC_RELAXED)
#define LOAD_POINTER(place) __atomic_load_n(place, __ATOMIC_ACQUIRE)
#define SWAP_POINTER(place, old, new) __sync_bool_compare_and_swap(place, old, new)
#endif

/* Has each thread have a variable of its own. */
#if defined(_MSC_VER)
#define OF_THREAD __declspec(thread)
#else
#define OF_THREAD __thread
#endif

/* Part of Python's stable ABI since 3.12, and the same before. */
#define VECTORCALL_FLAG (1UL << 11)
#define METHOD_FLAG (1UL << 17) /* `object.method(...)` makes no bound method */
#define OFFSET_FLAG ((size_t)1 << (8 * sizeof(size_t) - 1))

/* Number of positional arguments. */
#define COUNT(flagged) ((Py_ssize_t)((flagged) & ~OFFSET_FLAG))

/* The function of a call: an object, its arguments in a row, how many of them have no name, and the names of
   the others, or NULL. */
typedef PyObject *entrance(PyObject *, PyObject *const *, size_t, PyObject *);

/* Returns a new tuple of `count` objects. */
PyObject *cudnn_cffi_pack(PyObject *const *objects, Py_ssize_t count);

/* Makes a tuple of the arguments without names and a dict of the others; returns whether that failed. */
int cudnn_cffi_collect(PyObject *const *given, Py_ssize_t count, PyObject *names, PyObject **values,
                       PyObject **named);

/* Calls a function with the arguments of a call; NULL stands for one that the garbage collector took. */
PyObject *cudnn_cffi_call(PyObject *function, PyObject *const *given, Py_ssize_t count, PyObject *names);

/* Calls an entrance with a tuple and a dict, or NULL: what `tp_call` gets. */
PyObject *cudnn_cffi_enter(entrance *enter, PyObject *me, PyObject *given, PyObject *named);

/* As an attribute of a class an object becomes a method, as functions of Python do. */
PyObject *cudnn_cffi_bind_method(PyObject *me, PyObject *object, PyObject *type);

/* The value of a key as a new reference, or NULL, which may be with an exception. */
PyObject *cudnn_cffi_find_item(PyObject *dict, PyObject *key);

/* Frees an object that has nothing any more. */
void cudnn_cffi_free(PyObject *me);

/* Clears an exception that only says that a call is not plain. One that ends a program, such as
   KeyboardInterrupt, stays; returns whether there is one. */
RARE int cudnn_cffi_clear_error(void);

/* The same where there may be none. */
static inline int cudnn_cffi_failed(void)
{
    return PyErr_Occurred() && cudnn_cffi_clear_error();
}

#endif
