// Kernels of PyTorch's operators in front of those in Python, for calls that those have made before: see
// `cudnn_cffi.torch.interfaces.kernel`. Included by recorder.cc alone.

#ifndef CUDNN_CFFI_KERNELS_H
#define CUDNN_CFFI_KERNELS_H

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <cstring>
#include <deque>
#include <map>

namespace {

// A call that Python's kernel has offered: the refused calls of its layer; what computes it for the tensors at some
// places, of which the last ones have names, and its memory of calls, if it has one; what counts it; and for attention
// the state of random numbers that are not drawn, or None.
struct offered {
    THPObjectPtr refused, compute, counters, state, names, memory;
    std::vector<size_t> places;
};

// Decides besides tensors: numbers, types, and PyTorch's switches.
using Key = std::vector<int64_t>;

// All that is known, by the names of operators; for threads that have Python's lock.
std::map<std::string, std::map<Key, offered>>& known_calls()
{
    static auto* all = new std::map<std::string, std::map<Key, offered>>;
    return *all;
}
unsigned long times_forgotten = 0;
constexpr size_t most_known = 1024;

// The offer of Python's kernel on this thread: a tuple of the six.
thread_local PyObject* offer_here = nullptr;

class Front : public c10::OperatorKernel {
 public:
    Front(std::string name, c10::SafeKernelFunction own) : name_(std::move(name)), own_(std::move(own))
    {
        attends_ = name_ == "_scaled_dot_product_cudnn_attention";
        results_ = name_ == "_scaled_dot_product_cudnn_attention_backward" ? 3 : 1;
    }

    void operator()(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack)
    {
        size_t count = op.schema().arguments().size();
        Key key;
        std::vector<Variable> given;
        bool is_plain = !is_ending() && describe(torch::jit::last(*stack, count), key, given);
        unsigned long before = 0;
        if (is_plain) {
            Locked gil;
            auto& known = known_calls()[name_];
            auto found = known.find(key);
            if (found != known.end() && make(found->second, given, stack, count)) return;
            before = times_forgotten;
            Py_CLEAR(offer_here);
        }
        own_.callBoxed(op, keys, stack);
        Locked gil;
        THPObjectPtr offer(offer_here);
        offer_here = nullptr;
        if (!offer || !is_plain || before != times_forgotten) return;
        auto& known = known_calls()[name_];
        if (known.size() >= most_known) known.clear();
        PyObject *all[5], *places = PyTuple_GET_ITEM(offer.get(), 5);
        for (int i = 0; i < 5; ++i) all[i] = Py_NewRef(PyTuple_GET_ITEM(offer.get(), i));
        offered made = {THPObjectPtr(all[0]), THPObjectPtr(all[1]), THPObjectPtr(all[2]),
                        THPObjectPtr(all[3]), THPObjectPtr(all[4]), THPObjectPtr(), {}};
        if (!(made.memory = PyObject_GetAttrString(all[1], "_memory"))) PyErr_Clear();
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(places); ++i)
            made.places.push_back(PyLong_AsSize_t(PyTuple_GET_ITEM(places, i)));
        if (PyErr_Occurred()) raise();
        bool has_all = static_cast<size_t>(PyTuple_GET_SIZE(all[4])) <= made.places.size();
        for (size_t place : made.places) has_all = has_all && place < given.size();
        if (has_all) known[std::move(key)] = std::move(made);
    }

 private:
    std::string name_;
    c10::SafeKernelFunction own_;
    bool attends_;
    int results_;

    // Fills in the key of a call and its tensors; returns whether it can be known.
    static bool describe(c10::ArrayRef<c10::IValue> all, Key& key, std::vector<Variable>& given)
    {
        key.reserve(40);
        long long bits = switches();
        if (bits < 0) return false;
        key.push_back(bits);
        for (auto& each : all) {
            if (each.isTensor()) {
                const Variable& tensor = each.toTensor();
                key.push_back(tensor.defined() ? static_cast<int64_t>(tensor.scalar_type()) << 8 | 1 : 0);
                if (!tensor.defined()) continue;
                key.insert(key.end(), {tensor.get_device(), tensor.dim()});
                given.push_back(tensor);
            } else if (each.isNone()) {
                key.push_back(0);
            } else if (each.isBool()) {
                key.push_back(2 + each.toBool());
            } else if (each.isInt()) {
                key.insert(key.end(), {4, each.toInt()});
            } else if (each.isDouble()) {
                double number = each.toDouble();
                int64_t same;
                std::memcpy(&same, &number, sizeof same);
                key.insert(key.end(), {5, same});
            } else if (each.isIntList()) {
                auto numbers = each.toIntVector();
                key.insert(key.end(), {6, static_cast<int64_t>(numbers.size())});
                key.insert(key.end(), numbers.begin(), numbers.end());
            } else {
                return false;
            }
        }
        return true;
    }

    // Makes a known call; returns whether that was done. Python's kernel fails in the same way where it was not.
    bool make(offered& known, const std::vector<Variable>& given, torch::jit::Stack* stack, size_t count)
    {
        if (PyObject_Size(known.refused) || (attends_ && !THPVariable_Check(known.state.get())))
            return PyErr_Clear(), false;
        // The rest can run any code, which may have it forgotten.
        THPObjectPtr compute(Py_NewRef(known.compute.get())), counters(Py_NewRef(known.counters.get()));
        THPObjectPtr state(Py_NewRef(known.state.get())), names(Py_NewRef(known.names.get()));
        std::vector<Variable> taken, results;
        for (size_t place : known.places) taken.push_back(given[place]);
        if (!make_described(THPObjectPtr(Py_XNewRef(known.memory.get())), names, taken, results)
            && !make_by_python(compute, names, taken, results))
            return false;
        results.resize(results_ + attends_); // of attention the statistics, too
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(counters.get()); ++i) {
            THPObjectPtr counted(PyObject_CallNoArgs(PyTuple_GET_ITEM(counters.get(), i)));
            if (!counted) raise();
        }
        torch::jit::drop(*stack, count);
        for (auto& each : results) stack->emplace_back(std::move(each));
        if (!attends_) return true;
        const Variable& seed = THPVariable_Unpack(state.get());
        for (int i = 0; i < 2; ++i) stack->emplace_back(Variable());
        for (int place : {0, 1}) stack->emplace_back(given[place].size(2));
        for (const Variable& each : {seed, seed, Variable()}) stack->emplace_back(each);
        return true;
    }

    // Makes it without objects of Python; returns whether that was done.
    static bool make_described(PyObject* memory, PyObject* names, const std::vector<Variable>& taken,
                               std::vector<Variable>& results)
    {
        Described all;
        for (auto& each : taken)
            if (!run || !memory || !all.add(each)) return false;
        described_call call = {0, 0, -1, all.count(), all.given, reinterpret_cast<PyTypeObject*>(THPVariableClass),
                               PyTuple_GET_SIZE(names) ? names : nullptr, Described::make, &all, 0, {}};
        int outcome = run(memory, &call);
        if (outcome < 0 && !PyErr_ExceptionMatches(PyExc_Exception)) raise();
        if (outcome <= 0) return PyErr_Clear(), false;
        for (int i = 0; i < call.items; ++i)
            results.push_back(call.places[i] < 0 ? Variable() : all.outputs[call.places[i]]);
        return true;
    }

    static bool make_by_python(PyObject* compute, PyObject* names, const std::vector<Variable>& taken,
                               std::vector<Variable>& results)
    {
        std::vector<THPObjectPtr> own;
        std::vector<PyObject*> arguments;
        for (auto& each : taken) {
            own.emplace_back(THPVariable_Wrap(each));
            if (!own.back()) raise();
            arguments.push_back(own.back().get());
        }
        size_t named = PyTuple_GET_SIZE(names);
        THPObjectPtr found(
            PyObject_Vectorcall(compute, arguments.data(), arguments.size() - named, named ? names : nullptr));
        if (!found) {
            if (!PyErr_ExceptionMatches(PyExc_Exception)) raise();
            return PyErr_Clear(), false;
        }
        bool is_tuple = PyTuple_Check(found.get());
        for (Py_ssize_t i = 0; i < (is_tuple ? PyTuple_GET_SIZE(found.get()) : 1); ++i) {
            PyObject* one = is_tuple ? PyTuple_GET_ITEM(found.get(), i) : found.get();
            results.push_back(THPVariable_Check(one) ? THPVariable_Unpack(one) : Variable());
        }
        return true;
    }
};

void end_cover(PyObject* capsule)
{
    delete static_cast<c10::RegistrationHandleRAII*>(PyCapsule_GetPointer(capsule, nullptr));
}

// (name of an operator of aten, dispatch key): puts a kernel in front of Python's; what ends that.
PyObject* cover(PyObject*, PyObject* all)
{
    HANDLE_TH_ERRORS
    const char *name, *key;
    if (!PyArg_ParseTuple(all, "ss", &name, &key)) return nullptr;
    auto op = c10::Dispatcher::singleton().findSchemaOrThrow((std::string("aten::") + name).c_str(), "");
    auto where = c10::parseDispatchKey(key);
    auto front = std::make_unique<Front>(name, op.getComputedKernelForDispatchKey(where));
    auto made = c10::Dispatcher::singleton().registerImpl(
        op.operator_name(), where, c10::KernelFunction::makeFromBoxedFunctor(std::move(front)), std::nullopt, nullptr,
        "cudnn_cffi");
    return PyCapsule_New(new c10::RegistrationHandleRAII(std::move(made)), nullptr, end_cover);
    END_HANDLE_TH_ERRORS
}

// (what was refused, what computes, what counts, state, names, places of tensors): offers the call of Python's kernel
// on this thread.
PyObject* offer(PyObject*, PyObject* all)
{
    bool fits = PyTuple_Check(all) && PyTuple_GET_SIZE(all) == 6;
    for (int i : {2, 4, 5}) fits = fits && PyTuple_Check(PyTuple_GET_ITEM(all, i));
    if (!fits) {
        PyErr_SetString(PyExc_TypeError, "expected a tuple of six, with tuples of what counts, of names and of places");
        return nullptr;
    }
    Py_XSETREF(offer_here, Py_NewRef(all));
    Py_RETURN_NONE;
}

PyObject* forget(PyObject*, PyObject*)
{
    ++times_forgotten;
    auto gone = std::move(known_calls());
    known_calls().clear();
    Py_RETURN_NONE;
}

} // namespace

#endif
