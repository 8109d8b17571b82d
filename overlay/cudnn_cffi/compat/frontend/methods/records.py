"""The methods of a front end's graph that add operations: one record each, upon those of `Graph`.

The record of `Graph` has the ports, the options and their types. The text below has only the words
of the front end. Each record of it is::

    METHOD OPERATION [rule=RULE] [OPTION=VALUE]
        arguments -> results
        Help

OPERATION is a key of `graph.record.operations.OPERATIONS`; the method sets its OPTION. RULE of
`rules` infers the extents of results; without a word, the one with the method's name. Arguments
are in the order of the front end. Each is a word::

    name[!|?][=ours][:type[:default]]

`ours` is the port or option of the operation where that is called otherwise. An option is None
unless it is set, and a port has to be given unless the operation works without it; `!` and `?` say
otherwise, and "*" stands before arguments that go by name only. Arguments that our operation lacks
have a type: "tensor" for a port. All methods take `name`, `compute_data_type` and `out_dims` by
name, but those that have words for them. A result is a word::

    name[=ours][:END]

END is the end of its name in the program's graph, where that differs. A method with several results
returns a list, with None for those that are not computed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ....graph.record.operations import OPERATIONS

_NORM = "bias epsilon norm_forward_phase=phase -> Y=y mean:MEAN inv_var=inv_variance:INV_VARIANCE"
_GRADIENTS = "-> DX=dx DScale=dscale:DSCALE DBias=dbias:DBIAS"
_CONVOLUTION = "padding:sizes pre_padding post_padding stride dilation convolution_mode=mode"
_METHODS = f"""
conv_fprop convolution_forward
    image=x weight=w {_CONVOLUTION} -> Y=y
    Return a convolution of an image (N, C, ...) with filters (K, C / groups, ...).
conv_dgrad convolution_backward_data
    loss=dy filter=w {_CONVOLUTION} -> DX=dx
    Return the gradient of a convolution for its image; `set_dim` tells its extents.
conv_wgrad convolution_backward_filter
    image=x loss=dy {_CONVOLUTION} -> DW=dw
    Return the gradient of a convolution for its filters; `set_dim` tells their extents.
matmul matmul
    A=a B=b compute_data_type padding=padding_value::0.0 name -> C=c
    Return the product of matrices (..., M, K) and (..., K, N).
reduction reduction
    input=x group_offset mode -> OUT_0=y
    Return a reduction to the extents that `set_dim` or `out_dims` tells.
genstats gen_stats
    input=x -> SUM=sum SQ_SUM=square_sum
    Return the sums of a tensor and of its squares for each channel.
slice slice
    input=x slices:slices:() -> OUT_0=y
    Return a part of a tensor: `input[slices]`, with a `slice` for each dimension.
reshape reshape
    input=x reshape_mode=mode -> OUT_0=y
    Return a tensor with the extents, and the strides, that setters of the result tell.
transpose transpose
    input=x permutation! -> OUT_0=y
    Return a tensor with its dimensions in another order.
concatenate concatenate
    inputs=x axis! in_place_index -> OUT_0=y
    Return tensors joined along a dimension.
block_scale_quantize block_scale_quantize
    input=x group_offset?:tensor block_size::32 axis transpose:bool -> Y=y scale
    Return a tensor with a scale for each block of elements, and the scales.
block_scale_dequantize block_scale_dequantize rule=same
    input=x descale=scale block_size! is_negative_scale=negative_scale -> OUT_0=y
    Return a tensor whose blocks are multiplied by their scales.
moe_grouped_matmul moe_grouped_matmul
    token weight first_token_offset token_index token_ks mode top_k * top_k_scores?:tensor
    -> OUT_0=y
    Return the tokens of each expert multiplied by its weights.
moe_grouped_matmul_bwd moe_grouped_matmul_backward
    doutput=dy token first_token_offset -> dweight
    Return the gradient of the weights of `moe_grouped_matmul`.
rope rope_forward rule=same
    input=x freqs=frequencies output_scale rope_dim -> OUT_0=y
    Return a tensor with a rotary embedding.
rope_backward rope_backward rule=same
    dY=dy freqs=frequencies output_scale rope_dim -> OUT_0=dx
    Return the gradient of `rope`.
rmsnorm norm_forward rule=normalized mode=RMS_NORM
    input=x scale bias epsilon norm_forward_phase=phase -> Y=y inv_var=inv_variance:INV_VARIANCE
    Return the result of an RMS normalization, and the inverse root mean square.
layernorm norm_forward rule=normalized mode=LAYER_NORM
    input=x scale {_NORM}
    Return the result of a layer normalization, mean and inverse deviation.
adalayernorm norm_forward rule=normalized_by_entry mode=ADA_LAYER_NORM
    input=x scale! {_NORM}
    Return a layer normalization with a scale for each batch entry, and statistics.
instancenorm norm_forward rule=normalized_by_channel mode=INSTANCE_NORM
    input=x scale! {_NORM}
    Return the result of an instance normalization, mean and inverse deviation.
layernorm_backward norm_backward rule=gradients mode=LAYER_NORM
    grad=dy input=x scale mean inv_variance {_GRADIENTS}
    Return the gradients of `layernorm` for its input, scale and bias.
adalayernorm_backward norm_backward rule=gradients mode=ADA_LAYER_NORM
    grad=dy input=x scale! mean! inv_variance! {_GRADIENTS}
    Return the gradients of `adalayernorm` for its input, scale and bias.
instancenorm_backward norm_backward rule=gradients mode=INSTANCE_NORM
    grad=dy input=x scale! mean! inv_variance! {_GRADIENTS}
    Return the gradients of `instancenorm` for its input, scale and bias.
rmsnorm_backward norm_backward rule=gradients mode=RMS_NORM
    grad=dy input=x scale inv_variance has_dbias:bool
    -> DX=dx DScale=dscale:Dscale DBias=dbias:Dbias
    Return the gradients of `rmsnorm` for its input, scale, and bias if it had one.
batchnorm norm_forward rule=normalized_over_batch mode=BATCH_NORM phase=TRAINING
    input=x scale! bias! in_running_mean=running_mean in_running_var=running_variance
    epsilon momentum * peer_stats=peer_statistics
    -> Y=y mean:MEAN inv_var=inv_variance:INV_VARIANCE
    next_running_mean=running_mean:NEXT_RUNNING_MEAN
    next_running_var=running_variance:NEXT_RUNNING_VAR
    Return a batch normalization: result, mean, inverse deviation, running statistics.
batchnorm_inference norm_forward rule=same mode=BATCH_NORM phase=INFERENCE
    input=x mean! inv_variance! scale! bias! -> Y=y
    Return a batch normalization by statistics that are known.
batchnorm_backward norm_backward rule=gradients mode=BATCH_NORM
    grad=dy input=x scale! mean! inv_variance! * peer_stats=peer_statistics {_GRADIENTS}
    Return the gradients of `batchnorm` for its input, scale and bias.
"""

#: Pointwise operations: the words of the method, which are a mode of ours, its tensors and options.
_POINTWISE = """
abs input: Return the absolute values.
ceil input: Return the values rounded up.
cos input: Return the cosine.
elu input: Return ELU.
erf input: Return the error function.
exp input: Return the exponential.
floor input: Return the values rounded down.
gelu input: Return GELU.
gelu_approx_tanh input: Return GELU, approximated by the hyperbolic tangent.
identity input: Return the same values, in another data type.
log input: Return the natural logarithm.
logical_not input: Return whether a value is zero.
neg input: Return the negative values.
reciprocal input: Return 1 / input.
rsqrt input: Return 1 / sqrt(input).
sigmoid input: Return the logistic function.
sin input: Return the sine.
softplus input: Return softplus.
sqrt input: Return the square root.
tan input: Return the tangent.
tanh input: Return the hyperbolic tangent.
add a b: Return a + b.
add_square a b: Return a + b * b.
div a b: Return a / b.
logical_and a b: Return whether both are true.
logical_or a b: Return whether one is true.
mul a b: Return a * b.
sub a b: Return a - b.
max input0 input1: Return the greater one of two values.
min input0 input1: Return the smaller one of two values.
mod input0 input1: Return the remainder of input0 / input1.
pow input0 input1: Return input0 ** input1.
cmp_eq input comparison: Return input == comparison.
cmp_neq input comparison: Return input != comparison.
cmp_gt input comparison: Return input > comparison.
cmp_ge input comparison: Return input >= comparison.
cmp_lt input comparison: Return input < comparison.
cmp_le input comparison: Return input <= comparison.
bias input bias: Return input + bias.
scale input scale: Return input * scale.
elu_backward loss input: Return the gradient of `elu`.
gelu_backward loss input: Return the gradient of `gelu`.
gelu_approx_tanh_backward loss input: Return the gradient of `gelu_approx_tanh`.
sigmoid_backward loss input: Return the gradient of `sigmoid`.
softplus_backward loss input: Return the gradient of `softplus`.
tanh_backward loss input: Return the gradient of `tanh`.
binary_select input0 input1 mask: Return input0 where mask is true, input1 elsewhere.
relu input | negative_slope=slope lower_clip upper_clip: Return ReLU, with a slope below and other \
bounds if they are given.
relu_backward loss input | negative_slope=slope lower_clip upper_clip: Return the gradient of \
`relu`.
leaky_relu input | negative_slope!=slope: Return ReLU with a slope below zero.
leaky_relu_backward loss input | negative_slope!=slope: Return the gradient of `leaky_relu`.
swish input | swish_beta: Return input * sigmoid(swish_beta * input).
swish_backward loss input | swish_beta: Return the gradient of `swish`.
gen_index input | axis!: Return the index of each element along an axis.
"""

_BOTH = "q k v o dO stats"
#: Attention: the tensors that may come by place, the results, and the help.
_ATTENTION = f"""
sdpa q k v -> O Stats: Return the result of attention of q, k and v, and its statistics or None.
sdpa_backward {_BOTH} -> dQ dK dV: Return the gradients of attention for q, k and v.
sdpa_fp8 q k v descale_q descale_k descale_v descale_s scale_s scale_o -> O Stats Amax_S Amax_O: \
Return attention in FP8: the result, statistics, and greatest absolute values.
sdpa_fp8_backward {_BOTH} descale_q descale_k descale_v descale_o descale_dO descale_s descale_dP \
scale_s scale_dQ scale_dK scale_dV scale_dP -> dQ dK dV amax_dQ amax_dK amax_dV amax_dP: \
Return the gradients of attention in FP8, and their greatest absolute values.
sdpa_mxfp8 q k v descale_q descale_k descale_v -> O Stats Amax_O: \
Return attention with block scales: the result, statistics, the greatest value.
sdpa_mxfp8_backward q q_T k k_T v o_f16 dO_f16 dO dO_T stats descale_q descale_q_T descale_k \
descale_k_T descale_v descale_dO descale_dO_T -> dQ dK dV amax_dQ amax_dK amax_dV: \
Return the gradients of attention with block scales, and their greatest values.
"""

#: The operations that only the front end's engines in Python compute.
ENGINES_IN_PYTHON = tuple(
    f"{word}{end}"
    for word in ("gdn", "gdn2", "gdp", "kda", "mamba2")
    for end in ("", "_bwd", "_summary", "_summary_bwd")
)

#: Enums of the options of operations -> those of the front end.
_ENUMS = {
    "BackendNormFwdPhase": "norm_forward_phase",
    "BackendReshapeMode": "reshape_mode",
    "ConvolutionMode": "convolution_mode",
    "MoeGroupedMatmulMode": "moe_grouped_matmul_mode",
    "ReduceTensorOp": "reduction_mode",
}
_TYPES = {
    "axis": "int",
    "number": "float",
    "sizes": "Sequence[int]",
    "slices": "Sequence[builtins.slice]",
    "tensor": "Operand",
    **{ours: f"enums.{theirs}" for ours, theirs in _ENUMS.items()},
}
#: Where the front end takes another type than the operation does.
_OTHERWISE = {("block_scale_dequantize", "block_size"): "int | Sequence[int]"}

#: The activations, whose modes differ by direction.
_ACTIVATIONS = "relu elu gelu gelu_approx_tanh sigmoid softplus swish tanh".split()

#: The mode of each pointwise method in cuDNN, where its name is another.
MODES = {
    **{"bias": "ADD", "scale": "MUL", "leaky_relu": "RELU_FWD", "leaky_relu_backward": "RELU_BWD"},
    **{f"{word}": f"{word.upper()}_FWD" for word in _ACTIVATIONS},
    **{f"{word}_backward": f"{word.upper()}_BWD" for word in _ACTIVATIONS},
}


class Argument(NamedTuple):
    """An argument of a method.

    Attributes:
        name: in the front end.
        ours: the port or option of our operation.
        type: the annotation.
        is_port: whether it is a tensor.
        many: whether it is several tensors.
        default: as text; "" for one that has to be given.
        by_name: whether it goes by name only.
    """

    name: str
    ours: str
    type: str
    is_port: bool = False
    many: bool = False
    default: str = "None"
    by_name: bool = False


class Result(NamedTuple):
    """A result: the front end's port, the end of its name, and our port."""

    port: str
    end: str
    ours: str


class Method(NamedTuple):
    """A method that adds an operation.

    Attributes:
        name: the front end's.
        kind: of its nodes.
        operation: the key of our operation; "" for attention, which takes any keywords.
        arguments: of the signature, in its order.
        ports: the names of those that are tensors.
        several: the names of those that are several tensors.
        options: the names of the others, but those of all methods.
        lists: the names of options that become lists.
        results: of the method.
        ends: the ends of their names, by port.
        help: the first line of its help.
        rule: infers the extents of results; "" for none.
        fixed: the options that the method sets.
    """

    name: str
    kind: str
    operation: str
    arguments: tuple[Argument, ...]
    ports: tuple[str, ...]
    several: tuple[str, ...]
    options: tuple[str, ...]
    lists: tuple[str, ...]
    results: tuple[Result, ...]
    ends: Mapping[str, str]
    help: str = ""
    rule: str = ""
    fixed: Mapping[str, str] = {}

    @property
    def signature(self) -> str:
        """The arguments with their defaults, as Python has them."""
        words, by_name = ["self"], False
        for each in self.arguments:
            words += ["*"] * (each.by_name and not by_name)
            by_name = each.by_name
            words.append(f"{each.name}={each.default}" if each.default else each.name)
        return ", ".join(words)

    @property
    def returns(self) -> str:
        """The type of its results."""
        if len(self.results) == 1:
            return "Tensor"
        optional = self.operation in ("norm_forward", "norm_backward", "")
        return "list[Tensor | None]" if optional else "list[Tensor]"


_SETTINGS = {
    "name": Argument("name", "name", "str", default='""'),
    "compute_data_type": Argument("compute_data_type", "compute_data_type", "object"),
    "out_dims": Argument("out_dims", "out_dims", "OutDims | None"),
}
_WORD = re.compile(r"(\w+)([!?]?)=?(\w*):?(\w*):?(.*)")


def _arguments(method: str, operation: str, text: str) -> Iterator[Argument]:
    """Yield the arguments of a text, and the settings that follow them."""
    record, by_name, words = OPERATIONS[operation], False, text.split()
    ports = {port.name: port for port in record.inputs}
    for word in words:
        if word == "*":
            by_name = True
            continue
        if word in _SETTINGS:
            yield _SETTINGS[word]
            continue
        found = _WORD.fullmatch(word)
        assert found is not None, word
        name, mark, ours, kind, default = found.groups()
        ours = ours or name
        port = ports.get(ours)
        option = record.settings.get(ours)
        kind = kind or (option.type if option and not port else "tensor")
        many, is_port = port is not None and port.many, kind == "tensor"
        annotation = _OTHERWISE.get((method, name)) or _TYPES.get(kind, kind)
        annotation = f"Sequence[{annotation}]" if many else annotation
        needed = mark == "!" or (not mark and port is not None and not port.optional)
        default = "" if needed else default or ("()" if many else "None")
        annotation += " | None" * (default == "None")
        yield Argument(name, ours, annotation, is_port, many, default, by_name)
    if "name" not in words:
        kinds = ("name", "compute_data_type", "out_dims")
        for each in kinds[: 2 if operation == "pointwise" else 3]:
            yield _SETTINGS[each]._replace(by_name=True)


def _results(text: str) -> tuple[Result, ...]:
    found = [re.fullmatch(r"(\w+)=?(\w*):?(\w*)", word) for word in text.split()]
    return tuple([Result(m[1], m[3] or m[1], m[2] or m[1]) for m in found if m is not None])


def _method(
    name: str, operation: str, arguments: tuple[Argument, ...], made: str, help_: str, rule: str,
    fixed: Mapping[str, str] = {},
) -> Method:  # fmt: skip
    pointwise, results = operation == "pointwise", _results(made)
    options = [each for each in arguments if not each.is_port and each.name not in _SETTINGS]
    return Method(
        name,
        "POINTWISE" if pointwise else name.upper().replace("BACKWARD", "BWD"),
        operation,
        arguments,
        tuple([each.name for each in arguments if each.is_port]),
        tuple([each.name for each in arguments if each.many]),
        tuple([each.name for each in options]),
        tuple([each.name for each in options if each.type.startswith("Sequence")]),
        results,
        {each.port: each.end for each in results},
        help_,
        rule,
        fixed,
    )


def _methods() -> Iterator[Method]:
    for text in re.split(r"\n(?=\w)", _METHODS.strip()):
        head, *lines, help_ = text.split("\n")
        name, operation, *words = head.split()
        fixed = dict(word.split("=") for word in words)
        rule = fixed.pop("rule", name)
        given, _, made = " ".join(lines).partition("->")
        arguments = tuple(_arguments(name, operation, given))
        yield _method(name, operation, arguments, made, help_.strip(), rule, fixed)
    for line in _POINTWISE.strip().split("\n"):
        given, _, help_ = line.partition(": ")
        given, _, options = given.partition("|")
        name, *tensors = given.split()
        words = [f"{each}!:tensor" for each in tensors]
        words += [*options.split(), "name", "compute_data_type"] if options else []
        arguments = tuple(_arguments(name, "pointwise", " ".join(words)))
        yield _method(name, "pointwise", arguments, "OUT_0", help_, "broadcast")
    for line in _ATTENTION.strip().split("\n"):
        given, _, rest = line.partition(" -> ")
        made, _, help_ = rest.partition(": ")
        name, *tensors = given.split()
        tensor = Argument("", "", "Operand", is_port=True, default="")
        ports = tuple([tensor._replace(name=each, ours=each) for each in tensors])
        rule = "attention_backward" if "backward" in name else "attention"
        yield _method(name, "", ports, made, help_, rule)


#: Every method that adds an operation, by its name.
METHODS: dict[str, Method] = {each.name: each for each in _methods()}

#: Methods by the kind of their node.
BY_KIND = {each.kind: each for each in METHODS.values()}
