// Kernels of PyTorch's operators in front of those in Python, for calls that those have made before: see
// `cudnn_cffi.torch.interfaces.kernel`. Included by recorder.cc alone.

#ifndef CUDNN_CFFI_KERNELS_H
#define CUDNN_CFFI_KERNELS_H

#include <ATen/core/boxing/impl/boxing.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <ATen/ops/_scaled_dot_product_cudnn_attention_backward_ops.h>
#include <ATen/ops/_scaled_dot_product_cudnn_attention_ops.h>
#include <ATen/ops/convolution_backward_ops.h>
#include <ATen/ops/convolution_ops.h>
#include <ATen/ops/cudnn_convolution_ops.h>
#include <ATen/ops/sum.h>
#include <c10/util/SmallVector.h>
#include <torch/csrc/autograd/generated/Functions.h>
#include <torch/csrc/autograd/python_cpp_function.h>

#include <array>
#include <cstring>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace {

using Attention = at::_ops::_scaled_dot_product_cudnn_attention;
using AttentionBackward = at::_ops::_scaled_dot_product_cudnn_attention_backward;
using Convolution = at::_ops::cudnn_convolution;
using ConvolutionBackward = at::_ops::convolution_backward;
using WholeConvolution = at::_ops::convolution;

// A part of a call: the refused calls of its layer; what computes it, for the tensors at some places, of which the last
// ones have names, and for a tuple after them, or None, and the memory of calls which that may have; and which result of
// the call is its first one.
struct part {
    THPObjectPtr refused, compute, names, plain, memory;
    std::vector<size_t> places;
    size_t first;
};

// A call that Python's kernel has offered: its parts, which are none where PyTorch's own kernel is to make it, what counts
// it, and for attention the state of random numbers that are not drawn, or None.
struct offered {
    std::vector<part> parts;
    THPObjectPtr counters, state;
};

// The arguments of a call: its tensors, and what else decides: numbers, types, and PyTorch's switches.
struct Given {
    c10::SmallVector<int64_t, 96> key;
    c10::SmallVector<const Variable*, 10> tensors;
    // Layouts decide what convolutions copy; and whether a gradient for a bias is wanted.
    bool has_layouts = false, wants_bias = false, is_plain = true;

    template <typename... Arguments> explicit Given(bool layouts, const Arguments&... all) : has_layouts(layouts)
    {
        long long bits = switches();
        if (bits < 0) is_plain = false;
        key.push_back(bits);
        (add(all), ...);
    }

 private:
    void add(const Variable& tensor)
    {
        key.push_back(tensor.defined() ? static_cast<int64_t>(tensor.scalar_type()) << 8 | 1 : 0);
        if (!tensor.defined()) return;
        key.push_back(tensor.get_device());
        key.push_back(tensor.dim());
        if (has_layouts)
            for (auto numbers : {tensor.sizes(), tensor.strides()}) key.append(numbers.begin(), numbers.end());
        tensors.push_back(&tensor);
    }

    void add(bool each) { key.push_back(2 + each); }

    void add(int64_t each)
    {
        key.push_back(4);
        key.push_back(each);
    }

    void add(const c10::SymInt& each)
    {
        if (auto number = each.maybe_as_int()) add(*number);
        else is_plain = false;
    }

    void add(double each)
    {
        int64_t same;
        std::memcpy(&same, &each, sizeof same);
        key.push_back(5);
        key.push_back(same);
    }

    void add(c10::SymIntArrayRef all)
    {
        key.push_back(6);
        key.push_back(static_cast<int64_t>(all.size()));
        for (auto& each : all) add(each);
    }

    void add(const std::array<bool, 3>& all)
    {
        for (bool each : all) add(each);
        wants_bias = all[2];
    }

    template <typename Item> auto add(const Item& each) -> decltype(each.has_value(), void())
    {
        if (each.has_value()) add(*each);
        else key.push_back(0);
    }
};

struct Hash {
    size_t operator()(const c10::SmallVector<int64_t, 96>& key) const
    {
        return std::hash<std::string_view>()({reinterpret_cast<const char*>(key.data()), key.size() * sizeof key[0]});
    }
};

using Known = std::unordered_map<c10::SmallVector<int64_t, 96>, std::shared_ptr<offered>, Hash>;

unsigned long times_forgotten = 0;
constexpr size_t most_known = 1024;

// The offer of Python's kernel on this thread.
thread_local PyObject* offer_here = nullptr;

// The known calls of all operators, which stay; for threads that have Python's lock.
std::vector<Known*>& all_known()
{
    static auto* all = new std::vector<Known*>;
    return *all;
}

// The known calls of an operator.
template <typename Op> class Calls {
 public:
    static constexpr bool attends = std::is_same_v<Op, Attention>, convolves = std::is_same_v<Op, ConvolutionBackward>,
                          is_forward = std::is_same_v<Op, WholeConvolution> || std::is_same_v<Op, Convolution>,
                          has_layouts = convolves || is_forward;
    static constexpr size_t most = attends ? 2 : is_forward ? 1 : 3;
    using Result = typename c10::guts::infer_function_traits_t<typename Op::schema>::return_type;

    static Known& known()
    {
        static Known* own = all_known().emplace_back(new Known);
        return *own;
    }

    // Whether a call is known as one of PyTorch's own kernel.
    static bool is_theirs(const Given& given)
    {
        auto found = known().find(given.key);
        return found != known().end() && found->second->parts.empty();
    }

    // Makes a call if it is known; returns whether that was done. Python's kernel fails in the same way where it was not.
    static bool make(const Given& given, Result& answer, bool by_python = true)
    {
        auto found = known().find(given.key);
        if (found == known().end() || found->second->parts.empty()) return false;
        std::shared_ptr<offered> held = found->second; // it can run any code, which may have it forgotten
        if (attends && !THPVariable_Check(held->state.get())) return false;
        for (auto& each : held->parts)
            if (PyObject_Size(each.refused)) return PyErr_Clear(), false;
        std::array<Variable, most> results;
        for (auto& each : held->parts)
            if (!make_described(each, given, results) && !(by_python && make_by_python(each, given, results)))
                return false;
        if constexpr (convolves)
            if (given.wants_bias && !results[2].defined()) {
                const Variable& dy = *given.tensors[0];
                std::vector<int64_t> axes;
                for (int64_t axis = 0; axis < dy.dim(); ++axis)
                    if (axis != 1) axes.push_back(axis);
                results[2] = at::sum(dy, axes, false, dy.scalar_type());
            }
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(held->counters.get()); ++i) {
            THPObjectPtr counted(PyObject_CallNoArgs(PyTuple_GET_ITEM(held->counters.get(), i)));
            if (!counted) raise();
        }
        if constexpr (attends) {
            const Variable& seed = THPVariable_Unpack(held->state.get());
            answer = {std::move(results[0]), std::move(results[1]), Variable(), Variable(), given.tensors[0]->size(2),
                      given.tensors[1]->size(2), seed, seed, Variable()};
        } else if constexpr (most == 3) {
            answer = {std::move(results[0]), std::move(results[1]), std::move(results[2])};
        } else {
            answer = std::move(results[0]);
        }
        return true;
    }

    // Takes the offer of Python's kernel for a call that it has made.
    static void learn(Given& given, unsigned long before)
    {
        THPObjectPtr offer(offer_here);
        offer_here = nullptr;
        if (!offer || before != times_forgotten) return;
        Known gone; // ended last: that can run any code, which may make calls
        if (known().size() >= most_known) gone.swap(known());
        if (auto made = read(offer, given.tensors.size())) known()[std::move(given.key)] = std::move(made);
    }

 private:
    // Returns what was offered for a call with a number of tensors; null if it has fewer.
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

    // Puts a result of a part where it belongs among those of the call, if it is one of them.
    static void put(const part& one, size_t i, Variable each, std::array<Variable, most>& results)
    {
        if (one.first + i < results.size()) results[one.first + i] = std::move(each);
    }

    // Makes a part without objects of Python; returns whether that was done.
    static bool make_described(part& one, const Given& given, std::array<Variable, most>& results)
    {
        Described all;
        for (size_t place : one.places)
            if (!run || !one.memory || !all.add(*given.tensors[place])) return false;
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
    static bool make_by_python(part& one, const Given& given, std::array<Variable, most>& results)
    {
        std::vector<THPObjectPtr> own;
        std::vector<PyObject*> arguments;
        for (size_t place : one.places) {
            own.emplace_back(THPVariable_Wrap(*given.tensors[place]));
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

// Whether this release of PyTorch calls a kernel in its own types: 2.11 does not.
template <typename Kernel> constexpr bool can_unbox = requires(const Kernel& each) { each.kernelFunction(); };

// A kernel in front of Python's, which is in front of PyTorch's own.
template <typename Op, typename Schema = typename Op::schema> class Front;

template <typename Op, typename Result, typename... Arguments>
class Front<Op, Result(Arguments...)> : public c10::OperatorKernel {
 public:
    Front(c10::SafeKernelFunction own, c10::SafeKernelFunction theirs) : own_(std::move(own)), theirs_(std::move(theirs)) {}

    Result operator()(c10::DispatchKeySet keys, Arguments... arguments)
    {
        using Known = Calls<Op>;
        Given given(Known::has_layouts, arguments...);
        bool is_plain = given.is_plain && !is_ending(), is_theirs = false;
        unsigned long before = 0;
        if (is_plain) {
            Locked gil;
            Result answer;
            if (Known::make(given, answer)) return answer;
            is_theirs = Known::is_theirs(given);
            before = times_forgotten;
            Py_CLEAR(offer_here);
        }
        auto unboxed = [&](const auto& kernel) -> Result {
            return kernel.kernelFunction().template call<Result, Arguments...>(
                kernel.opHandle(), keys, std::forward<Arguments>(arguments)...);
        };
        if constexpr (can_unbox<c10::SafeKernelFunction>)
            if (is_theirs) return unboxed(theirs_);
        auto stack = c10::impl::boxArgs<Arguments...>(std::forward<Arguments>(arguments)...);
        auto& next = is_theirs ? theirs_ : own_;
        next.callBoxed(next.opHandle(), keys, &stack);
        if (!is_theirs && (is_plain || offer_here)) {
            Locked gil;
            if (is_plain) Known::learn(given, before);
            else Py_CLEAR(offer_here);
        }
        return c10::impl::PopResult<Result>::call(stack);
    }

 private:
    c10::SafeKernelFunction own_, theirs_;
};

// The gradients of a node, for those that are needed: known ones without PyTorch's dispatcher. `call` passes what the
// operator takes to a function.
template <typename Op, typename Call> variable_list differentiate(const Call& call, const std::array<bool, 3>& needs)
{
    typename Calls<Op>::Result found;
    auto given = call([](const auto&... each) { return Given(Calls<Op>::has_layouts, each...); });
    bool is_made = false;
    if (given.is_plain) {
        Locked gil;
        is_made = Calls<Op>::make(given, found, false);
    }
    if (!is_made) found = call(Op::call);
    variable_list all{std::get<0>(found), std::get<1>(found), std::get<2>(found)};
    for (size_t i = 0; i < all.size(); ++i)
        if (!needs[i]) all[i].reset();
    return all;
}

// PyTorch's node, which computes gradients by `compute`.
template <typename Base> class Node : public Base {
 public:
    variable_list apply(variable_list&& gradients) override
    {
        std::array<bool, 3> needs;
        for (size_t i = 0; i < needs.size(); ++i) needs[i] = this->task_should_compute_output(i);
        // Tools that watch calls are shown PyTorch's operators, which also have forward derivatives.
        if (gradients.size() != 1 || !gradients[0].defined() || c10::GradMode::is_enabled() || at::hasCallbacks()
            || torch::autograd::isFwGradDefined(gradients[0]) || is_ending() || !(needs[0] || needs[1] || needs[2]))
            return Base::apply(std::move(gradients));
        return compute(gradients[0], needs);
    }

    uint32_t version = 0; // of the result, where it is kept

 private:
    variable_list compute(const Variable& gradient, const std::array<bool, 3>& needs);

    template <typename... Saved> auto unpack(const Saved&... saved)
    {
        return std::array<Variable, sizeof...(Saved)>{saved.unpack(this->getptr())...};
    }
};

using torch::autograd::generated::ConvolutionBackward0;
using torch::autograd::generated::ScaledDotProductCudnnAttentionBackward0;
using AttentionNode = Node<ScaledDotProductCudnnAttentionBackward0>;
using ConvolutionNode = Node<ConvolutionBackward0>;

template <> variable_list AttentionNode::compute(const Variable& gradient, const std::array<bool, 3>& needs)
{
    std::unique_lock<std::mutex> lock(mutex_);
    auto all = unpack(query_, key_, value_, logsumexp_, philox_seed_, philox_offset_, attn_bias_, cum_seq_q_, cum_seq_k_);
    auto known = bare(output_, version);
    Variable o = known ? std::move(*known) : output_.unpack(getptr());
    lock.unlock();
    auto call = [&](auto function) {
        return function(gradient, all[0], all[1], all[2], o, all[3], all[4], all[5], all[6], all[7], all[8], max_q,
                        max_k, dropout_p, is_causal, scale);
    };
    return differentiate<AttentionBackward>(call, needs);
}

template <> variable_list ConvolutionNode::compute(const Variable& gradient, const std::array<bool, 3>& needs)
{
    std::unique_lock<std::mutex> lock(mutex_);
    auto all = unpack(input_, weight_);
    lock.unlock();
    auto call = [&](auto function) {
        at::OptionalSymIntArrayRef sizes;
        if (bias_sym_sizes_opt.list) sizes = c10::SymIntArrayRef(*bias_sym_sizes_opt.list);
        return function(gradient, all[0], all[1], sizes, c10::SymIntArrayRef(stride), c10::SymIntArrayRef(padding),
                        c10::SymIntArrayRef(dilation), transposed, c10::SymIntArrayRef(output_padding), groups, needs);
    };
    return differentiate<ConvolutionBackward>(call, needs);
}

// Whether gradients are wanted of one of the tensors.
template <typename... Tensors> bool are_wanted(const Tensors&... tensors)
{
    return c10::GradMode::is_enabled() && (tensors.requires_grad() || ...);
}

// Makes a call and records its node, as PyTorch's kernel does; returns whether that was done.
bool record(Calls<Attention>::Result& answer, c10::DispatchKeySet, const Variable& q, const Variable& k,
            const Variable& v, const std::optional<Variable>& bias, bool needs_stats, double dropout, bool is_causal,
            bool debug, std::optional<double> scale)
{
    bool wanted = are_wanted(q, k, v);
    if ((wanted && !needs_stats) || (bias && are_wanted(*bias))) return false;
    Given given(false, q, k, v, bias, needs_stats, dropout, is_causal, debug, scale);
    if (!given.is_plain) return false;
    {
        Locked gil;
        if (!Calls<Attention>::make(given, answer, false)) return false;
    }
    if (!wanted) return true;
    auto& [o, stats, starts_q, starts_k, longest_q, longest_k, seed, offset, mask] = answer;
    auto node = make_node<AttentionNode, torch::autograd::Node>();
    node->set_next_edges(torch::autograd::collect_next_edges(q, k, v));
    node->query_ = SavedVariable(q, false);
    node->key_ = SavedVariable(k, false);
    node->value_ = SavedVariable(v, false);
    node->attn_bias_ = SavedVariable(bias, false);
    node->dropout_p = dropout;
    node->is_causal = is_causal;
    node->scale = scale;
    node->max_q = longest_q;
    node->max_k = longest_k;
    torch::autograd::set_history(o, node);
    node->output_ = SavedVariable(o, true);
    node->version = o._version();
    node->logsumexp_ = SavedVariable(stats, true);
    node->cum_seq_q_ = SavedVariable(starts_q, true);
    node->cum_seq_k_ = SavedVariable(starts_k, true);
    node->philox_seed_ = SavedVariable(seed, true);
    node->philox_offset_ = SavedVariable(offset, true);
    return true;
}

// The same of convolutions, which PyTorch makes.
bool record(Variable& answer, c10::DispatchKeySet keys, const Variable& x, const Variable& w,
            const std::optional<Variable>& bias, c10::SymIntArrayRef stride, c10::SymIntArrayRef padding,
            c10::SymIntArrayRef dilation, bool transposed, c10::SymIntArrayRef output_padding, const c10::SymInt& groups)
{
    {
        at::AutoDispatchBelowADInplaceOrView below;
        answer = WholeConvolution::redispatch(keys & c10::after_autograd_keyset, x, w, bias, stride, padding, dilation,
                                              transposed, output_padding, groups);
    }
    if (!are_wanted(x, w, bias ? *bias : Variable())) return true;
    auto node = make_node<ConvolutionNode, torch::autograd::Node>();
    node->set_next_edges(torch::autograd::collect_next_edges(x, w, bias));
    if (bias) node->bias_sym_sizes_opt = std::optional<c10::SymIntArrayRef>(bias->sym_sizes());
    else node->bias_sym_sizes_opt = std::optional<c10::SymIntArrayRef>();
    node->dilation = dilation.vec();
    node->groups = groups;
    node->input_ = SavedVariable(x, false);
    node->output_padding = output_padding.vec();
    node->padding = padding.vec();
    node->stride = stride.vec();
    node->transposed = transposed;
    node->weight_ = SavedVariable(w, false);
    torch::autograd::set_history(answer, node);
    return true;
}

// A kernel that records nodes, in front of PyTorch's.
template <typename Schema> class Recording;

template <typename Result, typename... Arguments>
class Recording<Result(Arguments...)> : public c10::OperatorKernel {
 public:
    Recording(c10::SafeKernelFunction own, c10::DispatchKey next) : own_(std::move(own)), next_(next) {}

    Result operator()(c10::DispatchKeySet keys, Arguments... arguments)
    {
        Result answer;
        // The next kernel is the one that computes.
        if ((keys & c10::after_ADInplaceOrView_keyset).highestPriorityTypeId() == next_ && !is_ending()
            && !torch::autograd::AnomalyMode::is_enabled() && !(has_derivative(arguments) || ...)
            && record(answer, keys, arguments...))
            return answer;
        auto stack = c10::impl::boxArgs<Arguments...>(std::forward<Arguments>(arguments)...);
        own_.callBoxed(own_.opHandle(), keys, &stack);
        return c10::impl::PopResult<Result>::call(stack);
    }

 private:
    c10::SafeKernelFunction own_;
    c10::DispatchKey next_;

    // Whether an argument is a tensor with a forward derivative.
    template <typename Argument> static bool has_derivative(const Argument& argument)
    {
        if constexpr (std::is_same_v<Argument, Variable>) return torch::autograd::isFwGradDefined(argument);
        else if constexpr (std::is_same_v<Argument, std::optional<Variable>>)
            return argument && torch::autograd::isFwGradDefined(*argument);
        else return false;
    }
};

void end_cover(PyObject* capsule)
{
    delete static_cast<c10::RegistrationHandleRAII*>(PyCapsule_GetPointer(capsule, nullptr));
}

// Puts a kernel in front of the one that an operator has for a dispatch key; returns what ends that.
template <typename Kernel, typename... More>
PyObject* cover_by(const c10::OperatorHandle& op, c10::DispatchKey key, More... more)
{
    auto front = std::make_unique<Kernel>(op.getComputedKernelForDispatchKey(key), more...);
    auto made = c10::Dispatcher::singleton().registerImpl(
        op.operator_name(), key, c10::KernelFunction::makeFromUnboxedFunctor<false, Kernel>(std::move(front)),
        std::nullopt, nullptr, "cudnn_cffi");
    return PyCapsule_New(new c10::RegistrationHandleRAII(std::move(made)), nullptr, end_cover);
}

c10::OperatorHandle operator_of(const char* name)
{
    return c10::Dispatcher::singleton().findSchemaOrThrow((std::string("aten::") + name).c_str(), "");
}

void end_kernel(PyObject* capsule)
{
    delete static_cast<c10::SafeKernelFunction*>(PyCapsule_GetPointer(capsule, nullptr));
}

// (name of an operator of aten, dispatch key): the kernel that it has, for `cover`.
PyObject* kernel_of(PyObject*, PyObject* all)
{
    HANDLE_TH_ERRORS
    const char *name, *key;
    if (!PyArg_ParseTuple(all, "ss", &name, &key)) return nullptr;
    auto found = operator_of(name).getComputedKernelForDispatchKey(c10::parseDispatchKey(key));
    return PyCapsule_New(new c10::SafeKernelFunction(std::move(found)), nullptr, end_kernel);
    END_HANDLE_TH_ERRORS
}

// (name of an operator of aten, dispatch key, PyTorch's kernel): puts a kernel in front of Python's; what ends that.
PyObject* cover(PyObject*, PyObject* all)
{
    HANDLE_TH_ERRORS
    const char *name, *key;
    PyObject* kernel;
    if (!PyArg_ParseTuple(all, "ssO", &name, &key, &kernel)) return nullptr;
    auto* theirs = static_cast<c10::SafeKernelFunction*>(PyCapsule_GetPointer(kernel, nullptr));
    if (!theirs) return nullptr;
    auto op = operator_of(name);
    auto where = c10::parseDispatchKey(key);
    std::string_view word(name);
    if (word == "convolution") return cover_by<Front<WholeConvolution>>(op, where, *theirs);
    if (word == "cudnn_convolution") return cover_by<Front<Convolution>>(op, where, *theirs);
    if (word == "convolution_backward") return cover_by<Front<ConvolutionBackward>>(op, where, *theirs);
    if (word == "_scaled_dot_product_cudnn_attention_backward")
        return cover_by<Front<AttentionBackward>>(op, where, *theirs);
    TORCH_CHECK(word == "_scaled_dot_product_cudnn_attention", "expected an operator with a kernel, got ", name);
    return cover_by<Front<Attention>>(op, where, *theirs);
    END_HANDLE_TH_ERRORS
}

// Puts a kernel that records nodes in front of PyTorch's, whose node has the class `Base`.
template <typename Op, typename Base> PyObject* record_by(c10::DispatchKey computing, c10::DispatchKey recording)
{
    auto theirs = make_node<Base, torch::autograd::Node>();
    THPObjectPtr shown(torch::autograd::functionToPyObject(theirs));
    if (!shown) return nullptr;
    torch::autograd::registerCppFunction(typeid(Node<Base>), Py_TYPE(shown.get())); // as which Python shows it
    auto op = c10::Dispatcher::singleton().findSchemaOrThrow(Op::name, "");
    return cover_by<Recording<typename Op::schema>>(op, recording, computing);
}

// (name of an operator of aten, dispatch key of what computes, that of autograd): puts a kernel that records nodes in
// front of PyTorch's; returns what ends that.
PyObject* record_by_front(PyObject*, PyObject* all)
{
    HANDLE_TH_ERRORS
    const char *name, *computing, *recording;
    if (!PyArg_ParseTuple(all, "sss", &name, &computing, &recording)) return nullptr;
    auto by = std::string_view(name) == "convolution" ? record_by<WholeConvolution, ConvolutionBackward0>
                                                      : record_by<Attention, ScaledDotProductCudnnAttentionBackward0>;
    return by(c10::parseDispatchKey(computing), c10::parseDispatchKey(recording));
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
    for (auto* each : all_known()) gone.push_back(std::exchange(*each, {}));
    Py_RETURN_NONE;
}

} // namespace

#endif
