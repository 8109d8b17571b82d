// Kernels of PyTorch's operators in front of those in Python, for calls that those have made before: see
// `cudnn_cffi.torch.interfaces.kernel`. Included by recorder.cc alone.

#ifndef CUDNN_CFFI_KERNELS_H
#define CUDNN_CFFI_KERNELS_H

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <ATen/ops/sum.h>

#include <cstring>
#include <map>
#include <utility>

namespace {

// A part of a call: the refused calls of its layer; what computes it, for the tensors at some places, of which the last
// ones have names, and for a tuple after them, or None, and the memory of calls which that may have; and which result of
// the call is its first one.
struct part {
    THPObjectPtr refused, compute, names, plain, memory;
    std::vector<size_t> places;
    size_t first;
};

// A call that Python's kernel has offered: its parts, what counts it, and for attention the state of random numbers that
// are not drawn, or None.
struct offered {
    std::vector<part> parts;
    THPObjectPtr counters, state;
};

// Decides besides tensors: numbers, types, and PyTorch's switches.
using Key = std::vector<int64_t>;

using Known = std::map<Key, std::shared_ptr<offered>>;

// All that is known, by the names of operators, which stay; for threads that have Python's lock.
std::map<std::string, Known>& known_calls()
{
    static auto* all = new std::map<std::string, Known>;
    return *all;
}
unsigned long times_forgotten = 0;
constexpr size_t most_known = 1024;

// The offer of Python's kernel on this thread.
thread_local PyObject* offer_here = nullptr;

class Front : public c10::OperatorKernel {
 public:
    Front(const std::string& name, c10::SafeKernelFunction own) : known_(known_calls()[name]), own_(std::move(own))
    {
        attends_ = name == "_scaled_dot_product_cudnn_attention";
        convolves_ = name == "convolution_backward";
        results_ = attends_ ? 2 : convolves_ || name == "_scaled_dot_product_cudnn_attention_backward" ? 3 : 1;
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
            auto found = known_.find(key);
            // It can run any code, which may have it forgotten.
            if (found != known_.end() && make(*std::shared_ptr<offered>(found->second), given, stack, count)) return;
            before = times_forgotten;
            Py_CLEAR(offer_here);
        }
        own_.callBoxed(op, keys, stack);
        Locked gil;
        THPObjectPtr offer(offer_here);
        offer_here = nullptr;
        if (!offer || !is_plain || before != times_forgotten) return;
        if (known_.size() >= most_known) known_.clear();
        if (auto made = read(offer, given.size())) known_[std::move(key)] = std::move(made);
    }

 private:
    Known& known_;
    c10::SafeKernelFunction own_;
    bool attends_, convolves_;
    size_t results_;

    // Returns what was offered for a call with so many tensors; null where that has fewer.
    static std::shared_ptr<offered> read(PyObject* offer, size_t tensors)
    {
        auto own = [](PyObject* tuple, Py_ssize_t i) { return THPObjectPtr(Py_NewRef(PyTuple_GET_ITEM(tuple, i))); };
        auto made = std::make_shared<offered>();
        made->counters = own(offer, 1);
        made->state = own(offer, 2);
        PyObject* parts = PyTuple_GET_ITEM(offer, 0);
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(parts); ++i) {
            PyObject *all = PyTuple_GET_ITEM(parts, i), *places = PyTuple_GET_ITEM(all, 4);
            part one = {own(all, 0), own(all, 1), own(all, 2), own(all, 3), THPObjectPtr(), {},
                        PyLong_AsSize_t(PyTuple_GET_ITEM(all, 5))};
            for (Py_ssize_t j = 0; j < PyTuple_GET_SIZE(places); ++j)
                one.places.push_back(PyLong_AsSize_t(PyTuple_GET_ITEM(places, j)));
            if (PyErr_Occurred()) raise();
            if (!(one.memory = PyObject_GetAttrString(one.compute, "_memory"))) PyErr_Clear();
            bool has_all = static_cast<size_t>(PyTuple_GET_SIZE(one.names.get())) <= one.places.size();
            for (size_t place : one.places) has_all = has_all && place < tensors;
            if (!has_all) return nullptr;
            made->parts.push_back(std::move(one));
        }
        return made;
    }

    // Fills in the key of a call and its tensors; returns whether it can be known. The layouts decide what is copied
    // for gradients of convolutions.
    bool describe(c10::ArrayRef<c10::IValue> all, Key& key, std::vector<Variable>& given) const
    {
        key.reserve(80);
        given.reserve(8);
        long long bits = switches();
        if (bits < 0) return false;
        key.push_back(bits);
        for (auto& each : all) {
            if (each.isTensor()) {
                const Variable& tensor = each.toTensor();
                key.push_back(tensor.defined() ? static_cast<int64_t>(tensor.scalar_type()) << 8 | 1 : 0);
                if (!tensor.defined()) continue;
                key.insert(key.end(), {tensor.get_device(), tensor.dim()});
                for (auto numbers : {tensor.sizes(), tensor.strides()})
                    if (convolves_) key.insert(key.end(), numbers.begin(), numbers.end());
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
            } else if (each.isBoolList()) {
                key.push_back(7);
                for (bool one : each.toBoolList()) key.push_back(one);
            } else {
                return false;
            }
        }
        return true;
    }

    // Makes a known call; returns whether that was done. Python's kernel fails in the same way where it was not.
    bool make(offered& known, const std::vector<Variable>& given, torch::jit::Stack* stack, size_t count)
    {
        if (attends_ && !THPVariable_Check(known.state.get())) return false;
        for (auto& each : known.parts)
            if (PyObject_Size(each.refused)) return PyErr_Clear(), false;
        std::vector<Variable> results(results_);
        for (auto& each : known.parts)
            if (!make_described(each, given, results) && !make_by_python(each, given, results)) return false;
        if (convolves_ && torch::jit::last(*stack, 1)[0].toBoolList().get(2)) {
            std::vector<int64_t> axes;
            for (int64_t axis = 0; axis < given[0].dim(); ++axis)
                if (axis != 1) axes.push_back(axis);
            results[2] = at::sum(given[0], axes, false, given[0].scalar_type());
        }
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(known.counters.get()); ++i) {
            THPObjectPtr counted(PyObject_CallNoArgs(PyTuple_GET_ITEM(known.counters.get(), i)));
            if (!counted) raise();
        }
        torch::jit::drop(*stack, count);
        for (auto& each : results) stack->emplace_back(std::move(each));
        if (!attends_) return true;
        const Variable& seed = THPVariable_Unpack(known.state.get());
        for (int i = 0; i < 2; ++i) stack->emplace_back(Variable());
        for (int place : {0, 1}) stack->emplace_back(given[place].size(2));
        for (const Variable& each : {seed, seed, Variable()}) stack->emplace_back(each);
        return true;
    }

    // Puts a result of a part where it belongs among those of the call, if it is one of them.
    static void put(const part& one, size_t i, Variable each, std::vector<Variable>& results)
    {
        if (one.first + i < results.size()) results[one.first + i] = std::move(each);
    }

    // Makes a part without objects of Python; returns whether that was done.
    static bool make_described(part& one, const std::vector<Variable>& given, std::vector<Variable>& results)
    {
        Described all;
        for (size_t place : one.places)
            if (!run || !one.memory || !all.add(given[place])) return false;
        auto* kind = reinterpret_cast<PyTypeObject*>(THPVariableClass);
        described_call call = {NO_LEAD, 0, 0, 0, all.count(), all.given, kind,
                               PyTuple_GET_SIZE(one.names.get()) ? one.names.get() : nullptr,
                               one.plain.get() == Py_None ? nullptr : one.plain.get(), Described::make, &all, 0, 0, {}};
        int outcome = run(one.memory.get(), &call);
        if (outcome < 0 && !PyErr_ExceptionMatches(PyExc_Exception)) raise();
        if (outcome <= 0) return PyErr_Clear(), false;
        for (int i = 0; i < call.items; ++i)
            put(one, i, call.places[i] < 0 ? Variable() : all.outputs[call.places[i]], results);
        return true;
    }

    // The same by Python, whose memory may not know the call yet.
    static bool make_by_python(part& one, const std::vector<Variable>& given, std::vector<Variable>& results)
    {
        std::vector<THPObjectPtr> own;
        std::vector<PyObject*> arguments;
        for (size_t place : one.places) {
            own.emplace_back(THPVariable_Wrap(given[place]));
            if (!own.back()) raise();
            arguments.push_back(own.back().get());
        }
        size_t named = PyTuple_GET_SIZE(one.names.get());
        if (one.plain.get() != Py_None) arguments.push_back(one.plain.get());
        THPObjectPtr found(PyObject_Vectorcall(one.compute.get(), arguments.data(), arguments.size() - named,
                                               named ? one.names.get() : nullptr));
        if (!found) {
            if (!PyErr_ExceptionMatches(PyExc_Exception)) raise();
            return PyErr_Clear(), false;
        }
        bool is_tuple = PyTuple_Check(found.get());
        size_t many = is_tuple ? PyTuple_GET_SIZE(found.get()) : 1;
        for (size_t i = 0; i < many; ++i) {
            PyObject* each = is_tuple ? PyTuple_GET_ITEM(found.get(), i) : found.get();
            put(one, i, THPVariable_Check(each) ? THPVariable_Unpack(each) : Variable(), results);
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

// (parts, what counts, state), where a part is (what was refused, what computes, names, tuple or None, places of tensors,
// first result): offers the call of Python's kernel on this thread.
PyObject* offer(PyObject*, PyObject* all)
{
    auto has = [](PyObject* tuple, Py_ssize_t size, std::initializer_list<int> tuples) {
        bool fits = PyTuple_Check(tuple) && PyTuple_GET_SIZE(tuple) == size;
        for (int i : tuples) fits = fits && PyTuple_Check(PyTuple_GET_ITEM(tuple, i));
        return fits;
    };
    bool fits = has(all, 3, {0, 1});
    PyObject* parts = fits ? PyTuple_GET_ITEM(all, 0) : nullptr;
    for (Py_ssize_t i = 0; fits && i < PyTuple_GET_SIZE(parts); ++i)
        fits = has(PyTuple_GET_ITEM(parts, i), 6, {2, 4});
    if (!fits) {
        PyErr_SetString(PyExc_TypeError, "expected a tuple of parts, counters and a state, got another object");
        return nullptr;
    }
    Py_XSETREF(offer_here, Py_NewRef(all));
    Py_RETURN_NONE;
}

PyObject* forget(PyObject*, PyObject*)
{
    ++times_forgotten;
    std::vector<Known> gone;
    for (auto& each : known_calls()) gone.push_back(std::exchange(each.second, {}));
    Py_RETURN_NONE;
}

} // namespace

#endif
