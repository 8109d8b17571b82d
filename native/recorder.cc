// Nodes of PyTorch's autograd for known calls of layers, without Python's autograd functions.
//
// PyTorch's C++ interface changes with each of its releases, so this is compiled where PyTorch is; see
// `cudnn_cffi.torch.autograd.recorder`. Nodes keep and check what those of `torch.autograd.Function` do.

#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/anomaly_mode.h>
#include <torch/csrc/autograd/forward_grad.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/autograd/saved_variable.h>
#include <torch/csrc/utils/object_ptr.h>

#include <ATen/Context.h>
#include <ATen/autocast_mode.h>
#include <ATen/record_function.h>
#include <c10/core/GradMode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/core/impl/TorchDispatchModeTLS.h>

#include <algorithm>
#include <exception>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <torch/version.h>

#include "recorder.h"

// The kind of device that tensors are on; tests without a GPU define another one.
#ifndef RECORDER_DEVICE
#define RECORDER_DEVICE kCUDA
#include <ATen/cuda/EmptyTensor.h>
#define EMPTY_STRIDED at::detail::empty_strided_cuda
#else
#define EMPTY_STRIDED at::detail::empty_strided_cpu
#include <ATen/EmptyTensor.h>
#endif

#define HAS_KERNELS (TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 9)

#if TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR < 7
#define COMPILED_CONST
#else
#define COMPILED_CONST const
#endif

namespace {

using torch::autograd::Edge;
using torch::autograd::SavedVariable;
using torch::autograd::Variable;
using torch::autograd::variable_list;

using NodePointer = decltype(Edge::function);

bool is_ending()
{
#if PY_VERSION_HEX >= 0x030D0000
    return !Py_IsInitialized() || Py_IsFinalizing();
#else
    return !Py_IsInitialized() || _Py_IsFinalizing();
#endif
}

[[noreturn]] void raise()
{
    python_error error;
    error.persist();
    throw error;
}

// Has Python's lock, which this thread may have already.
struct Locked {
    PyGILState_STATE state = PyGILState_Ensure();
    ~Locked() { PyGILState_Release(state); }
};

// References that threads leave to those that have Python's lock: a destructor must not wait for the lock, as the
// interpreter ends threads that do, and C++ then ends the process.
class Left {
 public:
    // Lets go of objects, now if this thread has Python's lock.
    static void let_go(std::initializer_list<PyObject*> objects)
    {
        if (is_ending()) return;
        if (PyGILState_Check()) {
            for (auto each : objects) Py_DECREF(each);
            return;
        }
        std::lock_guard<std::mutex> lock(all().mutex_);
        all().objects_.insert(all().objects_.end(), objects);
        if (!all().is_asked_) all().is_asked_ = !Py_AddPendingCall(sweep, nullptr);
    }

    // Lets go of what was left. Python calls it, or a thread that has its lock.
    static int sweep(void*)
    {
        std::vector<PyObject*> objects;
        {
            std::lock_guard<std::mutex> lock(all().mutex_);
            objects.swap(all().objects_);
            all().is_asked_ = false;
        }
        for (auto each : objects) Py_DECREF(each);
        return 0;
    }

 private:
    static Left& all()
    {
        static auto& made = *new Left; // threads may need it until the process ends
        return made;
    }

    std::mutex mutex_;
    std::vector<PyObject*> objects_;
    bool is_asked_ = false;
};

run_described* run = nullptr;

// The function of Python that makes a node of an autograd function; see `recorder.make_twin`.
PyObject* twin_by = nullptr;

bool is_watched()
{
    auto keys = c10::impl::tls_local_dispatch_key_set().included_;
    return c10::impl::TorchDispatchModeTLS::stack_len() || keys.has(c10::DispatchKey::Tracer)
           || keys.has(c10::DispatchKey::FuncTorchDynamicLayerFrontMode)
           || keys.has(c10::DispatchKey::FuncTorchDynamicLayerBackMode)
           || torch::autograd::ForwardADLevel::try_get_by_idx(0);
}

// The bit of autocast.
constexpr long long AUTOCAST = 1 << 5;

long long switches()
try {
    auto& context = at::globalContext();
    long long bits = 0;
    int place = 0;
    if (is_watched()) return -1;
    for (bool each :
         {context.benchmarkCuDNN(), context.userEnabledCuDNN(), context.deterministicCuDNN(),
          context.deterministicAlgorithms(), context.allowTF32CuDNN(), at::autocast::is_autocast_enabled(at::kCUDA)})
        bits |= static_cast<long long>(each) << place++;
    if (bits & 1) bits |= (static_cast<long long>(context.benchmarkLimitCuDNN()) + 1) << 8;
    return bits;
} catch (const std::exception&) { // TF32 is set by switches that contradict each other
    return -1;
}

// The tensors of a call, as a plan reads them.
class Described {
 public:
    // Adds a tensor, or one that is not defined; returns whether it is plain: its memory has its numbers.
    bool add(const Variable& tensor)
    {
        if (count_ == most) return false;
        given[count_] = nullptr;
        if (!tensor.defined()) return ++count_, true;
        auto* found = tensor.unsafeGetTensorImpl();
        int code = tensor.scalar_type() == at::kBFloat16 ? 4 : 2;
        if (found->is_python_dispatch() || found->layout() != at::kStrided || tensor.device().type() != at::RECORDER_DEVICE
            || tensor.is_neg() || tensor.is_conj() || !c10::isFloatingType(tensor.scalar_type())
            || tensor.element_size() == 1 || tensor.is_nested() || !found->has_storage())
            return false;
        dlpack_array& made = made_[count_];
        made = {const_cast<void*>(tensor.const_data_ptr()), DLPACK_CUDA, std::max<int>(tensor.device().index(), 0),
                static_cast<int32_t>(tensor.dim()), static_cast<uint8_t>(code),
                static_cast<uint8_t>(tensor.element_size() * 8), 1, const_cast<int64_t*>(tensor.sizes().data()),
                const_cast<int64_t*>(tensor.strides().data()), 0};
        given[count_++] = &made;
        device_ = tensor.device();
        return true;
    }

    // Makes an output, or the workspace.
    static uintptr_t make(void* self, int output, const dlpack_array* like)
    try {
        auto& all = *static_cast<Described*>(self);
        auto type = like->code == 4 && like->bits == 16   ? at::kBFloat16
                    : like->code == 2 && like->bits == 16 ? at::kHalf
                    : like->code == 2 && like->bits == 32 ? at::kFloat
                    : like->code == 2 && like->bits == 64 ? at::kDouble
                    : like->code == DLPACK_UINT && like->bits == 8 ? at::kByte
                                                                   : at::ScalarType::Undefined;
        if (output < 0 || output >= MAX_ITEMS || type == at::ScalarType::Undefined) return 0;
        at::IntArrayRef shape(like->shape, like->ndim), strides(like->strides, like->ndim);
        all.outputs[output] = EMPTY_STRIDED(shape, strides, at::TensorOptions(all.device_).dtype(type));
        return reinterpret_cast<uintptr_t>(all.outputs[output].mutable_data_ptr());
    } catch (const std::exception&) {
        return 0; // Python's way fails likewise
    }

    static constexpr int most = 20;
    const dlpack_array* given[most];
    Variable outputs[MAX_ITEMS];

    int count() const { return count_; }

 private:
    dlpack_array made_[most];
    int count_ = 0;
    at::Device device_ = at::RECORDER_DEVICE;
};

// A tensor that a node keeps, without its history, which takes less time than with it; nothing where it has changed, or
// hooks have it.
template <typename Saved> std::optional<Variable> bare(const Saved& saved, uint32_t version)
{
    if constexpr (requires { saved.get_raw_data(); }) // not in older releases of PyTorch
        if (auto found = saved.get_raw_data(); found && (!found->defined() || found->_version() == version)) return found;
    return std::nullopt;
}

class Recorded : public torch::autograd::Node {
 public:
    Recorded(const recorded& what, compute_gradients* compute, describe_gradients* describe)
        : what_(what), compute_(compute), describe_(describe)
    {
        Py_INCREF(what_.layer);
        Py_INCREF(what_.scope);
        Py_INCREF(what_.gradients);
    }

    ~Recorded() override { Left::let_go({what_.layer, what_.scope, what_.gradients}); }

    std::string name() const override { return what_.name; }

    void release_variables() override
    {
        std::lock_guard<std::mutex> lock(mutex_);
        kept_.clear();
        twin_.reset();
        is_released_ = true;
    }

    variable_list apply(variable_list&& gradients) override
    {
        variable_list kept = unpack(false);
        for (size_t i = 0; i < gradients.size(); ++i)
            if (!gradients[i].defined()) gradients[i] = input_metadata(i).zeros_like();
        {
            Locked gil;
            variable_list found_all;
            if (compute_described(kept, gradients, found_all)) return found_all;
        }
        complete(kept);
        Locked gil;
        auto wrap = [](variable_list& all) {
            std::vector<THPObjectPtr> made;
            made.reserve(all.size());
            for (auto& each : all) {
                made.emplace_back(THPVariable_Wrap(each)); // None where it is not defined
                if (!made.back()) raise();
            }
            all.clear();
            return made;
        };
        auto from = wrap(kept), grads = wrap(gradients);
        THPObjectPtr wanted(PyTuple_New(static_cast<Py_ssize_t>(needs.size())));
        if (!wanted) raise();
        for (size_t i = 0; i < needs.size(); ++i)
            PyTuple_SET_ITEM(wanted.get(), i, Py_NewRef(needs[i] ? Py_True : Py_False));
        static_assert(sizeof(THPObjectPtr) == sizeof(PyObject*));
        THPObjectPtr found(compute_(&what_, wanted, reinterpret_cast<PyObject**>(from.data()), from.size(),
                                    reinterpret_cast<PyObject**>(grads.data()), grads.size()));
        from.clear();
        grads.clear();
        if (!found) raise();
        return taken(found);
    }

    // Compiled autograd asks nodes for what decides, and has them compute what it traces.
    void compiled_args(torch::dynamo::autograd::CompiledNodeArgs& all) COMPILED_CONST override
    {
        twin_ = make_twin();
        twin_->compiled_args(all);
    }

    variable_list apply_with_saved(const variable_list& gradients,
                                   torch::dynamo::autograd::SwapSavedVariables& saved) override
    {
        return twin_->apply_with_saved(gradients, saved);
    }

    std::vector<bool> needs;

    void keep(const Variable& tensor, bool is_output)
    {
        kept_.emplace_back(tensor, is_output);
        versions_.push_back(tensor.defined() ? tensor._version() : 0);
    }

    void reserve(size_t count)
    {
        kept_.reserve(count);
        versions_.reserve(count);
    }

 private:
    recorded what_;
    compute_gradients* compute_;
    describe_gradients* describe_;
    std::vector<SavedVariable> kept_;
    std::vector<uint32_t> versions_;
    bool is_released_ = false;
    mutable NodePointer twin_;

    // Returns the kept tensors, without their history where that is enough. Results that were changed in place are left
    // out where the layer computes them again.
    variable_list unpack(bool with_history) const
    {
        auto self = const_cast<Recorded*>(this);
        variable_list all;
        std::exception_ptr failure; // of the first that was changed
        size_t changed = 0;
        {
            std::lock_guard<std::mutex> lock(self->mutex_);
            TORCH_CHECK(!is_released_, torch::autograd::ERR_BACKWARD_TWICE);
            all.reserve(kept_.size());
            for (size_t i = 0; i < kept_.size(); ++i)
                try {
                    auto found = with_history ? std::nullopt : bare(kept_[i], versions_[i]);
                    all.push_back(found ? std::move(*found) : kept_[i].unpack(self->getptr()));
                } catch (const c10::Error&) {
                    if (!failure) failure = std::current_exception(), changed = i;
                    all.emplace_back();
                }
        }
        if (failure && !is_computed_again(changed)) std::rethrow_exception(failure);
        return all;
    }

    // Whether the layer computes what was kept at a place of what was kept before.
    bool is_computed_again(size_t place) const
    {
        Locked gil;
        THPObjectPtr again(PyObject_GetAttrString(what_.layer, "again"));
        size_t given = again ? PyLong_AsSize_t(again.get()) : 0;
        if (PyErr_Occurred()) raise();
        return given && place >= given;
    }

    // Gives tensors their history; hooks were asked for theirs.
    void complete(variable_list& kept)
    {
        std::lock_guard<std::mutex> lock(mutex_);
        TORCH_CHECK(!is_released_, torch::autograd::ERR_BACKWARD_TWICE);
        for (size_t i = 0; i < kept.size(); ++i)
            if (bare(kept_[i], versions_[i])) kept[i] = kept_[i].unpack(getptr());
    }

    // Computes gradients without objects of Python; returns whether that was done.
    bool compute_described(const variable_list& kept, const variable_list& gradients, variable_list& found)
    {
        long long bits = c10::GradMode::is_enabled() ? -1 : switches();
        if (bits < 0 || needs.size() > 64) return false;
        Described all;
        for (auto& each : kept)
            if (!all.add(each)) return false;
        for (auto& each : gradients)
            if (!all.add(each)) return false;
        described_call call = {SWITCHES_AND_NEEDS, bits, 0, static_cast<int>(needs.size()), all.count(), all.given,
                               nullptr, nullptr, nullptr, Described::make, &all, 0, 0, {}};
        for (size_t i = 0; i < needs.size(); ++i) call.needs |= static_cast<uint64_t>(needs[i]) << i;
        int outcome = describe_(&what_, &call);
        if (outcome < 0) raise();
        if (!outcome) return false;
        found.resize(std::max<size_t>(num_outputs(), call.items - 1));
        for (int i = 1; i < call.items; ++i)
            if (call.places[i] >= 0) found[i - 1] = std::move(all.outputs[call.places[i]]);
        check(found, call.items - 1);
        return true;
    }

    // A node of an autograd function of Python, which compiled autograd knows.
    NodePointer make_twin() const
    {
        variable_list kept = unpack(true), results, given;
        for (auto& each : kept)
            if (each.defined()) each = each.detach(); // the node is no part of itself
        for (uint32_t i = 0; i < num_inputs(); ++i) results.push_back(empty_like(input_metadata(i)));
        for (auto& edge : next_edges()) {
            given.push_back(edge.is_valid() ? empty_like(edge.function->input_metadata(edge.input_nr))
                                            : at::empty({0}));
            given.back().set_requires_grad(needs[given.size()]);
        }
        Locked gil;
        auto listed = [](const variable_list& all) {
            THPObjectPtr made(PyTuple_New(static_cast<Py_ssize_t>(all.size())));
            for (size_t i = 0; made && i < all.size(); ++i) PyTuple_SET_ITEM(made.get(), i, THPVariable_Wrap(all[i]));
            if (!made || PyErr_Occurred()) raise();
            return made;
        };
        THPObjectPtr one = listed(kept), two = listed(results), three = listed(given);
        THPObjectPtr found(PyObject_CallFunctionObjArgs(twin_by, what_.layer, what_.scope, one.get(), two.get(),
                                                        three.get(), nullptr));
        if (!found) raise();
        TORCH_CHECK(THPVariable_Check(found.get()), name(), " expected a tensor of another node");
        return THPVariable_Unpack(found.get()).grad_fn();
    }

    // A tensor of a shape that takes no memory.
    static Variable empty_like(const torch::autograd::InputMetadata& like)
    {
        std::vector<int64_t> shape;
        for (auto& each : like.shape_as_dim_vector()) shape.push_back(each.guard_int(__FILE__, __LINE__));
        return at::empty_strided(shape, std::vector<int64_t>(shape.size()), like.options());
    }

    // The gradients of a tuple: those after the layer's, which has none.
    variable_list taken(PyObject* found)
    {
        Py_ssize_t count = PyTuple_Check(found) ? PyTuple_GET_SIZE(found) - 1 : 0;
        variable_list all(std::max<size_t>(num_outputs(), count));
        for (Py_ssize_t i = 0; i < count; ++i) {
            PyObject* one = PyTuple_GET_ITEM(found, i + 1);
            if (one == Py_None) continue;
            TORCH_CHECK(THPVariable_Check(one), name(), " expected a tensor, got ", Py_TYPE(one)->tp_name);
            all[i] = THPVariable_Unpack(one);
        }
        check(all, count);
        return all;
    }

    // Leaves out gradients that are None beyond those of what was given.
    void check(variable_list& all, Py_ssize_t count) const
    {
        size_t wanted = num_outputs();
        bool fits = count >= static_cast<Py_ssize_t>(wanted);
        for (size_t i = wanted; i < all.size(); ++i) fits = fits && !all[i].defined();
        TORCH_CHECK(fits, name(), " expected ", wanted, " gradients, got ", count);
        all.resize(wanted);
    }
};

// Nodes are `std::shared_ptr` up to PyTorch 2.13, with a deleter that is no name in later ones.
template <typename Own, typename Base, typename... Arguments> auto make_node(const Arguments&... what)
{
    if constexpr (std::is_same_v<NodePointer, std::shared_ptr<Base>>)
        return std::shared_ptr<Own>(new Own(what...), [](Own* node) { deleteNode(static_cast<Base*>(node)); });
    else
        return c10::make_intrusive<Own>(what...);
}

int records() { return c10::GradMode::is_enabled(); }

int needs(PyObject* const* given, Py_ssize_t count)
{
    for (Py_ssize_t i = 0; i < count; ++i)
        if (THPVariable_Check(given[i]) && THPVariable_Unpack(given[i]).requires_grad()) return 1;
    return 0;
}

int begin()
{
    if (at::hasCallbacks() || torch::autograd::AnomalyMode::is_enabled()) return -1;
    int before = c10::GradMode::is_enabled();
    c10::GradMode::set_enabled(false);
    return before;
}

void end(int before) { c10::GradMode::set_enabled(before); }

// Describes the arguments of a call; returns whether all are tensors on the device, or None.
bool describe(PyObject* const* given, Py_ssize_t count, Described& all)
{
    for (Py_ssize_t i = 0; i < count; ++i) {
        if (given[i] != Py_None && !THPVariable_CheckExact(given[i])) return false;
        if (!(given[i] == Py_None ? all.add(Variable()) : all.add(THPVariable_Unpack(given[i])))) return false;
    }
    return true;
}

// Forgets an error, since other code fails in the same way; raises what ends a program.
void clear_error()
{
    if (!PyErr_Occurred()) return;
    if (!PyErr_ExceptionMatches(PyExc_Exception)) throw python_error();
    PyErr_Clear();
}

// Makes a call that a memory knows; returns whether that was done.
bool make_known(PyObject* memory, long long bits, Described& all, described_call& call)
{
    auto* kind = reinterpret_cast<PyTypeObject*>(THPVariableClass);
    call = {SWITCHES, bits, 0, 0, all.count(), all.given, kind, nullptr, nullptr, Described::make, &all, 0, 0, {}};
    bool is_made = run(memory, &call) > 0;
    if (!is_made) clear_error();
    return is_made;
}

// The answer of a call.
PyObject* answer(const described_call& call, const Described& all, PyObject* const* given)
{
    auto item = [&](int place) {
        if (place >= 0) return THPVariable_Wrap(all.outputs[place]);
        return Py_NewRef(place == -1 ? Py_None : given[OF_ARRAY(place)]);
    };
    if (!call.is_tuple) return item(call.places[0]);
    THPObjectPtr made(PyTuple_New(call.items));
    for (int i = 0; made && i < call.items; ++i) {
        PyObject* one = item(call.places[i]);
        if (!one) return nullptr;
        PyTuple_SET_ITEM(made.get(), i, one);
    }
    return made.release();
}

PyObject* compute(PyObject* memory, long long bits, PyObject* const* given, Py_ssize_t count)
{
    HANDLE_TH_ERRORS
    Described all;
    described_call call;
    if (!describe(given, count, all) || !make_known(memory, bits, all, call)) return nullptr;
    return answer(call, all, given);
    END_HANDLE_TH_ERRORS
}

int axes(PyObject* given)
{
    return THPVariable_CheckExact(given) ? static_cast<int>(THPVariable_Unpack(given).dim()) : -1;
}

// Adds the edge to the node that made a tensor.
template <typename Node>
void add_edge(Node& node, torch::autograd::edge_list& edges, const Variable& given)
{
    node->needs.push_back(given.defined() && given.requires_grad());
    if (given.defined()) edges.push_back(torch::autograd::impl::gradient_edge(given));
    else edges.emplace_back();
}

// Makes a tensor a result of a node.
template <typename Node> void add_result(Node& node, const Variable& result)
{
    auto place = node->add_input_metadata(result);
    if (torch::autograd::isDifferentiableType(result.scalar_type()))
        torch::autograd::impl::set_gradient_edge(result, {node, place});
}

PyObject* enter(layer_call* what, PyObject* const* given, Py_ssize_t count)
{
    HANDLE_TH_ERRORS
    long long bits = switches();
    Described all;
    described_call call;
    bool wanted = false, records = c10::GradMode::is_enabled();
    if (bits < 0 || bits & AUTOCAST || !describe(given, count, all)) return nullptr;
    for (Py_ssize_t i = 0; i < count; ++i) {
        if (given[i] == Py_None) continue;
        const Variable& each = THPVariable_Unpack(given[i]);
        if (torch::autograd::isFwGradDefined(each)) return nullptr;
        wanted = wanted || (records && each.requires_grad());
    }
    if (!wanted) return make_known(what->memory, bits, all, call) ? answer(call, all, given) : nullptr;
    if (at::hasCallbacks() || torch::autograd::AnomalyMode::is_enabled()) return nullptr;
    if (!make_known(what->recorded, bits, all, call) || !call.is_tuple) return nullptr;
    // The other way records results that were given.
    for (int i = 0; i < what->visible; ++i)
        if (i >= call.items || call.places[i] < 0) return nullptr;
    THPObjectPtr scope(PyObject_CallNoArgs(what->open_policy));
    if (!scope) return nullptr;
    what->what.scope = scope;
    auto node = make_node<Recorded, torch::autograd::Node>(what->what, what->compute, what->describe);
    torch::autograd::edge_list edges;
    edges.reserve(count);
    node->needs.reserve(count + 1);
    node->needs.push_back(false); // the layer
    auto tensor = [&](Py_ssize_t i) -> Variable {
        return given[i] == Py_None ? Variable() : THPVariable_Unpack(given[i]);
    };
    for (Py_ssize_t i = 0; i < count; ++i) add_edge(node, edges, tensor(i));
    node->set_next_edges(std::move(edges));
    for (int i = 0; i < what->visible; ++i) add_result(node, all.outputs[call.places[i]]);
    node->reserve(call.items - what->visible);
    for (int i = what->visible; i < call.items; ++i) {
        int place = call.places[i];
        bool is_result = false;
        for (int j = 0; place >= 0 && j < what->visible; ++j) is_result = is_result || call.places[j] == place;
        if (place >= 0) node->keep(all.outputs[place], is_result && all.outputs[place].grad_fn().get() == node.get());
        else node->keep(place == -1 ? Variable() : tensor(OF_ARRAY(place)), false);
    }
    call.items = static_cast<int>(what->visible);
    call.is_tuple = call.items != 1;
    return answer(call, all, given);
    END_HANDLE_TH_ERRORS
}

PyObject* record(const recorded* what, PyObject* found, Py_ssize_t visible, PyObject* const* given,
                 Py_ssize_t count, compute_gradients* compute, describe_gradients* describe)
{
    HANDLE_TH_ERRORS
    TORCH_CHECK(PyTuple_Check(found) && PyTuple_GET_SIZE(found) >= visible, what->name,
                ": expected a tuple of results and of what is kept");
    auto node = make_node<Recorded, torch::autograd::Node>(*what, compute, describe);
    torch::autograd::edge_list edges;
    edges.reserve(count - 1);
    node->needs.reserve(count);
    node->needs.push_back(false); // the layer
    for (Py_ssize_t i = 1; i < count; ++i)
        add_edge(node, edges, THPVariable_Check(given[i]) ? THPVariable_Unpack(given[i]) : Variable());
    node->set_next_edges(std::move(edges));
    THPObjectPtr results(PyTuple_New(visible));
    if (!results) throw python_error();
    for (Py_ssize_t i = 0; i < visible; ++i) {
        PyObject* one = PyTuple_GET_ITEM(found, i);
        TORCH_CHECK(THPVariable_Check(one), node->name(), " expected a tensor as a result, got ",
                    Py_TYPE(one)->tp_name);
        THPObjectPtr own(Py_NewRef(one));
        for (Py_ssize_t j = 1; j < count; ++j)
            if (given[j] == one) { // what was given has a history of its own
                at::AutoGradMode no_gradients(false);
                own = THPVariable_Wrap(THPVariable_Unpack(one).view_as(THPVariable_Unpack(one)));
                if (!own) throw python_error();
                break;
            }
        add_result(node, THPVariable_Unpack(own.get()));
        PyTuple_SET_ITEM(results.get(), i, own.release());
    }
    Py_ssize_t total = PyTuple_GET_SIZE(found);
    node->reserve(total - visible);
    for (Py_ssize_t i = visible; i < total; ++i) {
        PyObject* one = PyTuple_GET_ITEM(found, i);
        if (one == Py_None) {
            node->keep(Variable(), false);
            continue;
        }
        TORCH_CHECK(THPVariable_Check(one), node->name(), " expected a tensor to keep, got ",
                    Py_TYPE(one)->tp_name);
        const Variable& tensor = THPVariable_Unpack(one);
        bool is_result = false;
        for (Py_ssize_t j = 0; j < visible; ++j) is_result = is_result || PyTuple_GET_ITEM(results.get(), j) == one;
        node->keep(tensor, is_result && tensor.grad_fn().get() == node.get());
    }
    if (visible != 1) return results.release();
    return Py_NewRef(PyTuple_GET_ITEM(results.get(), 0));
    END_HANDLE_TH_ERRORS
}

PyObject* set_twin(PyObject*, PyObject* function)
{
    Py_XSETREF(twin_by, Py_NewRef(function));
    Py_RETURN_NONE;
}

} // namespace

#if HAS_KERNELS
#include "kernels.h"
#endif

namespace {

PyMethodDef methods[] = {{"set_twin", set_twin, METH_O, nullptr},
#if HAS_KERNELS
                         {"kernel", kernel_of, METH_VARARGS, nullptr},
                         {"cover", cover, METH_VARARGS, nullptr},
                         {"record", record_by_front, METH_VARARGS, nullptr},
                         {"offer", offer, METH_O, nullptr},
                         {"forget", forget, METH_NOARGS, nullptr},
#endif
                         {nullptr, nullptr, 0, nullptr}};

const recorder table = {RECORDER_VERSION, &run, switches, records, needs, begin, end, compute, axes, enter, record};

PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_recorder", nullptr, -1, methods, nullptr, nullptr, nullptr, nullptr};

} // namespace

PyMODINIT_FUNC PyInit__recorder()
{
    PyObject* made = PyModule_Create(&definition);
    PyObject* capsule = PyCapsule_New(const_cast<recorder*>(&table), RECORDER_CAPSULE, nullptr);
    if (!made || !capsule || PyModule_AddObject(made, "table", capsule)) return nullptr;
    return made;
}
