/* The Python type of the functions that are called under C names; see function.h. */

#include "function.h"
#include "facts.h"
#include "shim.h"

#include <structmember.h>

void cudnn_cffi_bind(int index, uintptr_t address)
{
    functions[index] = (void *)address;
}

int cudnn_cffi_bound(void)
{
    int index;
    for (index = 0; index < function_count; ++index)
        if (functions[index]) return 1;
    return 0;
}

/* Number of interpreters with a watcher: a callable that is shown every call before it is made.
   Each is kept in its interpreter's dictionary, so it lives until that ends, and sees no other's
   calls. */
NEAR int cudnn_cffi_watchers = 0;

#define WATCHER "cudnn_cffi.watcher"

static PyObject *own_watcher(void)
{
    PyObject *dictionary = PyInterpreterState_GetDict(PyInterpreterState_Get());
    return dictionary ? PyDict_GetItemString(dictionary, WATCHER) : NULL;
}

static RARE int watched(struct function *self, PyObject *const *arguments)
{
    PyObject *answer = NULL, *callback = own_watcher(), *values;
    if (!callback) return 1; /* only other interpreters have one */
    Py_INCREF(callback);
    values = cudnn_cffi_pack(arguments, self->takes);
    if (values) answer = PyObject_CallFunctionObjArgs(callback, self->name, values, NULL);
    Py_DECREF(callback);
    Py_XDECREF(values);
    Py_XDECREF(answer);
    return answer != NULL;
}

/* Returns the result of a call whose status is not success. Where nothing was bound yet, `failed` binds a library
   and calls again, so that there is a result. */
RARE PyObject *refused(struct function *self, PyObject *const *arguments, int status)
{
    PyObject *answer = NULL, *number = PyLong_FromLong(status);
    PyObject *values = cudnn_cffi_pack(arguments, self->takes);
    if (number && values)
        answer = PyObject_CallFunctionObjArgs(self->failed, self, self->name, number, values, NULL);
    Py_XDECREF(number);
    Py_XDECREF(values);
    return answer;
}

/* Calls `slow` with arguments that a conversion refused. */
RARE PyObject *wrong(struct function *self, PyObject *const *arguments)
{
    PyObject *type = NULL, *error = NULL, *trace = NULL, *values, *answer = NULL;
    if (PyErr_Occurred()) {
        if (!PyErr_ExceptionMatches(self->convert)) return NULL;
        PyErr_Fetch(&type, &error, &trace);
        PyErr_NormalizeException(&type, &error, &trace);
        if (trace) PyException_SetTraceback(error, trace);
    }
    values = cudnn_cffi_pack(arguments, self->takes);
    if (values)
        answer = PyObject_CallFunctionObjArgs(self->slow, self, self->name, values,
                                            error ? error : Py_None, NULL);
    Py_XDECREF(values);
    Py_XDECREF(type);
    Py_XDECREF(error);
    Py_XDECREF(trace);
    return answer;
}

RARE int out_of_range(void)
{
    PyErr_SetString(PyExc_OverflowError, "out of range");
    return 1;
}

RARE int is_derived(PyObject *argument)
{
    return PyLong_Check(argument);
}

int to_unsigned(PyObject *argument, unsigned int *value)
{
    uint64_t wide;
    if (to_uint64(argument, &wide)) return 1;
    *value = (unsigned int)wide;
    return *value != wide && out_of_range();
}

int to_address(PyObject *argument, uintptr_t *value)
{
    if (!PyLong_CheckExact(argument)) return 1;
    *value = PyLong_AsSize_t(argument);
    return *value == (uintptr_t)-1 && PyErr_Occurred();
}

int to_double(PyObject *argument, double *value)
{
    if (!PyFloat_Check(argument) && !PyLong_CheckExact(argument)) return 1;
    *value = PyFloat_AsDouble(argument);
    return *value == -1 && PyErr_Occurred();
}

int to_float(PyObject *argument, float *value)
{
    double wide;
    if (to_double(argument, &wide)) return 1;
    *value = (float)wide;
    return 0;
}

/* Reads an address from `number`, and releases that. */
static int arguments(PyObject *number, uintptr_t *value)
{
    int bad = !number || to_address(number, value);
    Py_XDECREF(number);
    return bad;
}

/* PyMemberDescr_Type's function that reads a slot; it refuses objects of other classes. */
static descrgetfunc read_member;

/* NULL for both forgets what was there. */
static RARE void remember(struct known_slot *place, PyTypeObject *type, PyObject *member)
{
    struct known_slot old = *place;
    Py_XINCREF((PyObject *)type);
    Py_XINCREF(member);
    place->type = type;
    place->member = member;
    Py_XDECREF((PyObject *)old.type);
    Py_XDECREF(old.member);
}

/* The attribute `name`. Where it is a slot of the object's class, that is remembered. */
static RARE PyObject *attribute(struct known_slot *place, PyObject *argument, PyObject *name)
{
    PyTypeObject *type = Py_TYPE(argument);
    PyObject *number = PyObject_GetAttr(argument, name), *member;
    if (!number || !PyLong_CheckExact(number)) return number;
    member = PyObject_GetAttr((PyObject *)type, name);
    if (member && Py_IS_TYPE(member, &PyMemberDescr_Type)) remember(place, type, member);
    Py_XDECREF(member);
    if (!member && cudnn_cffi_failed()) Py_CLEAR(number);
    return number;
}

/* An address, or an object that has it as an attribute. */
int to_object(struct function *self, int index, PyObject *argument, uintptr_t *value)
{
    struct known_slot *place = &self->places[index];
    PyTypeObject *type = Py_TYPE(argument);
    if (type == &PyLong_Type) return to_address(argument, value);
    if (type == place->type)
        return arguments(read_member(place->member, argument, (PyObject *)type), value);
    return arguments(attribute(place, argument, PyTuple_GetItem(self->how, index)), value);
}

int to_object_or_null(struct function *self, int index, PyObject *argument, uintptr_t *value)
{
    *value = 0;
    return argument != Py_None && to_object(self, index, argument, value);
}

/* The address of memory of a class other than the last: `how` maps classes to slots with it, or to
   functions that read it. */
static PyObject *address_of_memory(struct function *self, int index, PyObject *argument)
{
    PyTypeObject *type = Py_TYPE(argument);
    PyObject *get, *number;
    get = PyObject_GetItem(PyTuple_GetItem(self->how, index), (PyObject *)type);
    if (!get) return NULL;
    if (Py_IS_TYPE(get, &PyMemberDescr_Type)) {
        remember(&self->memory, type, get);
        number = read_member(get, argument, (PyObject *)type);
    }
    else
        number = PyObject_CallFunctionObjArgs(get, argument, NULL);
    Py_DECREF(get);
    return number;
}

/* An address, or memory. */
int to_memory(struct function *self, int index, PyObject *argument, uintptr_t *value)
{
    PyTypeObject *type = Py_TYPE(argument);
    if (type == &PyLong_Type) return to_address(argument, value);
    if (type == self->memory.type)
        return arguments(read_member(self->memory.member, argument, (PyObject *)type), value);
    return arguments(address_of_memory(self, index, argument), value);
}

/* An address, or what the function in `how` makes one of. */
int to_pointer(struct function *self, int index, PyObject *argument, uintptr_t *value)
{
    PyObject *convert = PyTuple_GetItem(self->how, index);
    if (PyLong_CheckExact(argument)) return to_address(argument, value);
    return arguments(PyObject_CallFunctionObjArgs(convert, argument, NULL), value);
}

/* A float, or what the function in `how` makes one of. */
int to_factor(struct function *self, int index, PyObject *argument, double *value)
{
    PyObject *number;
    int bad;
    if (PyFloat_CheckExact(argument)) {
        *value = PyFloat_AsDouble(argument);
        return 0;
    }
    number = PyObject_CallFunctionObjArgs(PyTuple_GetItem(self->how, index), argument, NULL);
    bad = !number || to_double(number, value);
    Py_XDECREF(number);
    return bad;
}

/* The value of a slot; `kind` is its code in the struct module. */
static PyObject *slot(PyObject *mapping, int64_t bits, char kind)
{
    PyObject *value, *mapped;
    double number;
    if (kind == 'd') {
        memcpy(&number, &bits, sizeof number);
        return PyFloat_FromDouble(number);
    }
    value = kind == 'Q' ? PyLong_FromUnsignedLongLong((uint64_t)bits) : PyLong_FromLongLong(bits);
    if (!value || mapping == Py_None) return value;
    mapped = PyObject_GetItem(mapping, value);
    Py_DECREF(value);
    return mapped;
}

PyObject *result(struct function *self, const int64_t *slots, const char *kinds, int count)
{
    PyObject *values[MAX_RESULTS], *answer = NULL;
    int i, done;
    for (done = 0; done < count; ++done) {
        values[done] = slot(PyTuple_GetItem(self->results, done + 1), slots[done], kinds[done]);
        if (!values[done]) goto failed;
    }
    if (count == 1) return values[0];
    answer = PyType_GenericAlloc((PyTypeObject *)PyTuple_GetItem(self->results, 0), count);
    if (!answer) goto failed;
    for (i = 0; i < count; ++i) PyTuple_SetItem(answer, i, values[i]);
    return answer;
failed:
    while (done--) Py_DECREF(values[done]);
    return NULL;
}

/* Defaults, and a wrong number or wrong names of arguments, are left to the Python function that
   this one stands for; that calls this one again, with all arguments in order. */
static RARE PyObject *by_name(struct function *self, PyObject *arguments, PyObject *named)
{
    PyObject *answer = NULL, *python = self->python;
    if (!python)
        return PyErr_Format(PyExc_TypeError, "%U takes %zd arguments, by their places", self->name,
                            self->takes);
    if (Py_EnterRecursiveCall(" in a function of cuDNN's")) return NULL;
    answer = PyObject_Call(python, arguments, named);
    Py_LeaveRecursiveCall();
    return answer;
}

static PyObject *called(struct function *self, PyObject *const *arguments)
{
    if (cudnn_cffi_watchers && !watched(self, arguments)) return NULL;
    return self->call(self, arguments);
}

/* Whether each name is one of a parameter that has no
   argument yet; anything odd is left to `by_name`. */
static int in_order(struct function *self, PyObject *const *arguments, Py_ssize_t count,
                    PyObject *names, PyObject **ordered)
{
    Py_ssize_t i, index;
    for (i = 0; i < count; ++i) ordered[i] = arguments[i];
    for (; i < self->takes; ++i) ordered[i] = NULL;
    for (i = count; i < self->takes; ++i) {
        PyObject *name = PyTuple_GetItem(names, i - count);
        for (index = count; index < self->takes; ++index)
            if (PyTuple_GetItem(self->parameters, index) == name) break;
        if (index == self->takes || ordered[index]) return 0;
        ordered[index] = arguments[i];
    }
    return 1;
}

static PyObject *function_enter(PyObject *me, PyObject *const *arguments, size_t flagged,
                                PyObject *names)
{
    ALONE;
    struct function *self = (struct function *)me;
    Py_ssize_t count = COUNT(flagged), many = names ? PyTuple_Size(names) : 0;
    PyObject *values, *named, *answer, *ordered[IN_ORDER];
    if (count == self->takes && !many) return called(self, arguments);
    if (count + many == self->takes && self->takes <= IN_ORDER
        && in_order(self, arguments, count, names, ordered))
        return called(self, ordered);
    if (cudnn_cffi_collect(arguments, count, names, &values, &named)) return NULL;
    answer = by_name(self, values, named);
    Py_DECREF(values);
    Py_DECREF(named);
    return answer;
}

static PyObject *function_call(PyObject *me, PyObject *arguments, PyObject *named)
{
    return cudnn_cffi_enter(function_enter, me, arguments, named);
}

static PyObject *function_repr(PyObject *self)
{
    return PyUnicode_FromFormat("<cuDNN function %U>", ((struct function *)self)->name);
}

/* Copied and pickled by name, as functions are. */
static PyObject *function_reduce(PyObject *self, PyObject *none)
{
    ALONE;
    PyObject *name = ((struct function *)self)->name;
    (void)none;
    Py_INCREF(name);
    return name;
}

static int function_traverse(PyObject *me, visitproc visit, void *arg)
{
    struct function *self = (struct function *)me;
    Py_ssize_t i;
    Py_VISIT(Py_TYPE(me));
    Py_VISIT(self->attributes);
    Py_VISIT(self->python);
    Py_VISIT(self->how);
    Py_VISIT(self->results);
    Py_VISIT(self->slow);
    Py_VISIT(self->failed);
    Py_VISIT(self->convert);
    Py_VISIT(self->memory.type);
    Py_VISIT(self->memory.member);
    for (i = 0; i < self->takes; ++i) {
        Py_VISIT(self->places[i].type);
        Py_VISIT(self->places[i].member);
    }
    return 0;
}

static int function_clear(PyObject *me)
{
    struct function *self = (struct function *)me;
    Py_ssize_t i;
    Py_CLEAR(self->attributes); /* members that can refer back; calls need the others */
    Py_CLEAR(self->python);
    remember(&self->memory, NULL, NULL);
    for (i = 0; i < self->takes; ++i) remember(&self->places[i], NULL, NULL);
    return 0;
}

static void function_free(PyObject *me)
{
    ALONE;
    struct function *self = (struct function *)me;
    Py_ssize_t i;
    PyObject_GC_UnTrack(me);
    if (self->references) PyObject_ClearWeakRefs(me);
    Py_XDECREF(self->attributes);
    Py_XDECREF(self->python);
    Py_XDECREF(self->name);
    Py_XDECREF(self->parameters);
    Py_XDECREF(self->how);
    Py_XDECREF(self->results);
    Py_XDECREF(self->slow);
    Py_XDECREF(self->failed);
    Py_XDECREF(self->convert);
    remember(&self->memory, NULL, NULL);
    for (i = 0; i < self->takes; ++i) remember(&self->places[i], NULL, NULL);
    cudnn_cffi_free(me);
}

static PyMemberDef function_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(struct function, enter), READONLY, NULL},
    {"__dictoffset__", T_PYSSIZET, offsetof(struct function, attributes), READONLY, NULL},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(struct function, references), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyObject *function_python(PyObject *me, void *none)
{
    ALONE;
    PyObject *python = ((struct function *)me)->python;
    (void)none;
    if (!python) PyErr_SetString(PyExc_AttributeError, "__wrapped__");
    Py_XINCREF(python);
    return python;
}

/* Set once: later a call may be running through it. */
static int function_stands_for(PyObject *me, PyObject *python, void *none)
{
    ALONE;
    struct function *self = (struct function *)me;
    (void)none;
    if (self->python || !python) {
        PyErr_SetString(PyExc_AttributeError, "__wrapped__ stays what it is");
        return -1;
    }
    Py_INCREF(python);
    self->python = python;
    return 0;
}

static PyGetSetDef function_attributes[] = {
    {"__wrapped__", function_python, function_stands_for, NULL, NULL},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef function_methods[] = {
    {"__reduce__", function_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot function_slots[] = {
    {Py_tp_call, function_call},
    {Py_tp_descr_get, cudnn_cffi_bind_method},
    {Py_tp_repr, function_repr},
    {Py_tp_traverse, function_traverse},
    {Py_tp_clear, function_clear},
    {Py_tp_dealloc, function_free},
    {Py_tp_members, function_members},
    {Py_tp_getset, function_attributes},
    {Py_tp_methods, function_methods},
    {0, NULL},
};

static PyType_Spec function_spec = {
    "cudnn_cffi.Function",
    sizeof(struct function),
    sizeof(struct known_slot),
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE
        | Py_TPFLAGS_DISALLOW_INSTANTIATION | VECTORCALL_FLAG,
    function_slots,
};

/* Makes a function: its index, its name, and what struct function says. */
static PyObject *make(PyObject *none, PyObject *arguments)
{
    ALONE;
    static PyTypeObject *type;
    struct function *answer;
    PyObject *name, *parameters, *how, *results, *slow, *failed, *convert;
    Py_ssize_t index;
    (void)none;
    if (!PyArg_ParseTuple(arguments, "nUO!O!O!OOO", &index, &name, &PyTuple_Type, &parameters,
                          &PyTuple_Type, &how, &PyTuple_Type, &results, &slow, &failed, &convert))
        return NULL;
    if (index < 0 || index >= function_count || !entries[index].call
        || PyTuple_Size(how) != entries[index].takes
        || PyTuple_Size(parameters) != entries[index].takes
        || PyTuple_Size(results) != entries[index].gives + 1
        || (entries[index].gives > 1 && !PyType_Check(PyTuple_GetItem(results, 0)))) {
        PyErr_SetString(PyExc_LookupError, "there is no such function");
        return NULL;
    }
    if (!type && !(type = (PyTypeObject *)PyType_FromSpec(&function_spec))) return NULL;
    if (!read_member)
        read_member = (descrgetfunc)PyType_GetSlot(&PyMemberDescr_Type, Py_tp_descr_get);
    answer = (struct function *)PyType_GenericAlloc(type, entries[index].takes);
    if (!answer) return NULL;
    answer->enter = function_enter;
    answer->takes = entries[index].takes;
    answer->call = entries[index].call;
    Py_INCREF(answer->name = name);
    Py_INCREF(answer->parameters = parameters);
    Py_INCREF(answer->how = how);
    Py_INCREF(answer->results = results);
    Py_INCREF(answer->slow = slow);
    Py_INCREF(answer->failed = failed);
    Py_INCREF(answer->convert = convert);
    return (PyObject *)answer;
}

/* Sets the watcher of this interpreter; None removes it. */
static PyObject *watch(PyObject *none, PyObject *callback)
{
    ALONE;
    PyObject *dictionary = PyInterpreterState_GetDict(PyInterpreterState_Get()), *old;
    int bad;
    (void)none;
    if (!dictionary) {
        PyErr_SetString(PyExc_RuntimeError, "this interpreter has no dictionary");
        return NULL;
    }
    /* Releasing the old one may run any code, so that comes last. */
    Py_XINCREF(old = PyDict_GetItemString(dictionary, WATCHER));
    if (callback == Py_None)
        bad = old && PyDict_DelItemString(dictionary, WATCHER);
    else
        bad = PyDict_SetItemString(dictionary, WATCHER, callback);
    if (!bad) cudnn_cffi_watchers += (callback != Py_None) - (old != NULL);
    Py_XDECREF(old);
    if (bad) return NULL;
    Py_INCREF(Py_None);
    return Py_None;
}

static PyMethodDef maker = {"make", make, METH_VARARGS, NULL};
static PyMethodDef watcher = {"watch", watch, METH_O, NULL};
static PyMethodDef judge = {"judge", (PyCFunction)(void (*)(void))cudnn_cffi_judge, METH_FASTCALL, NULL};
static PyMethodDef left_out = {"left_out", (PyCFunction)(void (*)(void))cudnn_cffi_left_out, METH_FASTCALL, NULL};
static PyMethodDef is_anywhere = {"is_anywhere", (PyCFunction)(void (*)(void))cudnn_cffi_is_anywhere, METH_FASTCALL, NULL};
static PyMethodDef are_low = {"are_low", cudnn_cffi_are_low, METH_O, NULL};

/* The address of a new Python function. */
static uintptr_t function_of(PyMethodDef *method)
{
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *answer = PyCFunction_NewEx(method, NULL, NULL);
    PyErr_Clear();
    PyGILState_Release(state);
    return (uintptr_t)answer;
}

/* The address of the function `make`. */
uintptr_t cudnn_cffi_maker(void)
{
    return function_of(&maker);
}

/* The address of the function `watch`. */
uintptr_t cudnn_cffi_watcher(void)
{
    return function_of(&watcher);
}

/* The address of a tuple of the functions of facts.h. */
uintptr_t cudnn_cffi_facts(void)
{
    PyMethodDef *methods[4] = {&judge, &left_out, &is_anywhere, &are_low};
    PyObject *functions[4], *answer = NULL;
    PyGILState_STATE state = PyGILState_Ensure();
    int i, count = 0;
    for (i = 0; i < 4; ++i) count += (functions[i] = PyCFunction_NewEx(methods[i], NULL, NULL)) != NULL;
    if (count == 4) answer = cudnn_cffi_pack(functions, 4);
    PyErr_Clear();
    PyGILState_Release(state);
    return (uintptr_t)answer;
}
