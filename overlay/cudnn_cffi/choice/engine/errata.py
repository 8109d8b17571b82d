"""Engines and C functions of cuDNN that were measured to be wrong for some arrays.

They are not chosen for those. An entry holds for all releases and all architectures until others
are measured to be right: `first`, `last` and `architectures` limit it then. Other engines or
functions compute what it leaves out, or the error names the workaround.
"""

from __future__ import annotations

import math

from ... import arrays, driver, library
from ..._support.results import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    from ...plan import Computation


#: How most entries are known.
MEASURED = "measured with cuDNN 9.19.0 on an H200"


class Erratum(NamedTuple):
    """An engine or a C function that computes wrong numbers, fails, or ends the context.

    Attributes:
        subject: the name of an operation's descriptor class, of a C function, or of a function of
            `ops` and node of graphs, all of whose engines are wrong.
        engine: the engine's index among those of graphs with that operation; None for a function.
        applies: whether an operation of that class is one of those that go wrong, among the others
            of its graph; of a function, whether a call goes wrong, by what `wrong_function` was
            given.
        symptom: what is wrong, and for which arrays.
        evidence: how it is known: what was measured, with which release, on which device.
        workaround: what computes the same; "" where another engine or function does.
        first: the first release that does it, as cudnnGetVersion numbers it; None where no older
            one is known to be right.
        last: the newest release that does it; None where no newer one is known to be right.
        architectures: the compute capabilities that do it, such as (9, 0); None where no device is
            known to be right.
    """

    subject: str
    engine: int | None
    applies: Callable[[Any, Sequence[Any]], bool]
    symptom: str
    evidence: str = MEASURED
    workaround: str = ""
    first: int | None = None
    last: int | None = None
    architectures: tuple[tuple[int, int], ...] | None = None

    @property
    def reason(self) -> str:
        """Return the symptom, the evidence, and the ways out, as errors tell them."""
        ways = [self.workaround] if self.workaround else []
        if self.engine is not None:
            ways.append(f"engine={self.engine} uses it all the same")
        return "; ".join([f"{self.symptom} ({self.evidence})", *ways])

    def concerns(self, release: int, capability: Callable[[], tuple[int, int] | None]) -> bool:
        """Return whether the entry holds for a release and a device.

        Args:
            release: as cudnnGetVersion numbers it.
            capability: returns the compute capability of the device, None for an unknown one, for
                which all entries hold. It is asked only by entries that depend on it.
        """
        if self.first is not None and release < self.first:
            return False
        if self.last is not None and release > self.last:
            return False
        if self.architectures is None:
            return True
        known = capability()
        return known is None or known in self.architectures


def _is_bfloat16_channels_last(operation: Any, _: Sequence[Any]) -> bool:
    x = operation.xdesc
    return bool(x.data_type.name == "BFLOAT16" and x.strides[1] == 1)


def _is_mixed(operation: Any, operations: Sequence[Any]) -> bool:
    """Return whether images and filters of a convolution before others lie differently."""
    found = {_layout(each) for each in (operation.x, operation.w)}
    return len(operations) > 1 and {"NCHW", "NHWC"} <= found


def _layout(tensor: Any) -> str:
    """Return the only layout that a tensor has; "" where it has both, or neither."""
    shape, strides = tensor.dimensions, tensor.strides
    found = [
        layout
        for layout in ("NCHW", "NHWC")
        if arrays.same_strides(shape, strides, arrays.packed_strides(shape, layout))
    ]
    return found[0] if len(found) == 1 else ""


def _is_pixel_by_rows(operation: Any, operations: Sequence[Any]) -> bool:
    """Return whether images by rows give results of one pixel, after a convolution."""
    x = operation.x
    axes = zip(x.dimensions[2:], x.strides[2:], strict=True)
    step = min((stride for extent, stride in axes if extent > 1), default=math.inf)
    if x.strides[1] < step:
        return False
    results = [getattr(each, "ydesc", None) for each in operations[1:]]
    return any(
        each is not None and not each.is_virtual and math.prod(each.dimensions[2:]) == 1
        for each in results
    )


def _is_padded_unevenly(operation: Any, _: Sequence[Any]) -> bool:
    """Return whether a convolution has other paddings after the pixels than before them."""
    convolution = operation.conv_desc
    return tuple(convolution.pre_paddings) != tuple(convolution.post_paddings)


def _has_odd_pixels(operation: Any, _: Sequence[Any]) -> bool:
    """Return whether the pixels of the results of a convolution are not a multiple of 16 bytes."""
    images, _channels, *extents = operation.dy.dimensions
    size = arrays.itemsize(arrays.dtype_name(operation.dy.data_type.name))
    return bool(images * math.prod(extents) * size % _ALIGNMENT)


def _is_tanh_of_convolution(operation: Any, operations: Sequence[Any]) -> bool:
    kinds = {type(each).__name__ for each in operations}
    mode = operation.pw_descriptor.mode.name
    return mode == "TANH_FWD" and "OperationConvolutionForwardDescriptor" in kinds


def _is_factor_of_operand(operation: Any, operations: Sequence[Any]) -> bool:
    """Return whether an array in memory is multiplied by a number, beside a convolution."""
    kinds = {type(each).__name__ for each in operations}
    factors = operation.xdesc, operation.bdesc
    return (
        "OperationConvolutionForwardDescriptor" in kinds
        and operation.pw_descriptor.mode.name == "MUL"
        and any(each.is_by_value for each in factors)
        and not any(each.is_virtual for each in factors)
    )


def _is_index_behind_matmul(operation: Any, operations: Sequence[Any]) -> bool:
    kinds = [type(each).__name__ for each in operations]
    mode = operation.pw_descriptor.mode.name
    return mode == "GEN_INDEX" and kinds.count("OperationMatmulDescriptor") == 1


def _has_gaps(tensor: Any) -> bool:
    """Return whether elements of others lie between those of a tensor in memory."""
    if tensor is None or tensor.is_virtual:
        return False
    last = arrays.last_offset(tensor.dimensions, tensor.strides)
    return bool(last >= math.prod(tensor.dimensions))


def _is_instance_norm(operation: Any, _: Sequence[Any]) -> bool:
    return bool(operation.mode.name == "INSTANCE_NORM")


def _is_low(operation: Any, operations: Sequence[Any]) -> bool:
    """Return whether an operation is alone, and has an array at a low address."""
    names = ("adesc", "bdesc", "cdesc", "x", "dy", "dw")
    tensors = [getattr(operation, name, None) for name in names]
    return len(operations) == 1 and any(
        each is not None and each.byte_alignment < _ALIGNMENT for each in tensors
    )


def _is_long_sum(operation: Any, _: Sequence[Any]) -> bool:
    """Return whether so many elements that lie side by side make one result."""
    x, y = operation.xdesc, operation.ydesc
    axes = zip(x.dimensions, y.dimensions, x.strides, strict=True)
    reduced = [(n, stride) for n, m, stride in axes if m == 1 and n > 1]
    along = min((stride for _, stride in reduced), default=0)
    return along == 1 and math.prod([n for n, _ in reduced]) > _LONGEST


def _is_beyond_grid(_: Any, operations: Sequence[Any]) -> bool:
    """Return whether pointwise operations alone have more batches or columns than a grid has."""
    if any(type(each).__name__ != "OperationPointwiseDescriptor" for each in operations):
        return False
    shapes = [each.dimensions for each in _in_memory(operations)]
    return any(
        len(shape) == 3 and (shape[0] > MOST_CHANNELS or shape[2] > MOST_COLUMNS)
        for shape in shapes
    )


def _is_apart(kind: str) -> Callable[[Any, Sequence[Any]], bool]:
    """Return what finds operands and results with gaps behind an operation of a class."""

    def applies(operation: Any, operations: Sequence[Any]) -> bool:
        if [type(each).__name__ for each in operations].count(kind) != 1:
            return False  # attention has two products, and engines that take strides
        return any(map(_has_gaps, (operation.xdesc, operation.bdesc, operation.ydesc)))

    return applies


def _is_mean_padded_behind(operation: Any, _: Sequence[Any]) -> bool:
    resampling = operation.desc
    counts = resampling.mode.name in ("AVGPOOL", "AVGPOOL_INCLUDE_PADDING")
    return counts and tuple(resampling.pre_paddings) != tuple(resampling.post_paddings)


def _is_maximum_of_many(call: Any, _: Sequence[Any]) -> bool:
    is_many = bool(call["channels"] > MOST_CHANNELS)
    return is_many and "MAX" in call["mode"] and call["layout"] == "NCHW"


def _is_gradient_elsewhere(call: Any, _: Sequence[Any]) -> bool:
    return bool(call.get("do") != call.get("o"))


def _has_odd_steps(call: Any, _: Sequence[Any]) -> bool:
    """Return whether rows, heads or examples of an array begin where engines cannot read."""
    return any(step % _ALIGNMENT for step in call.get("steps", ()))


def _is_bias_of_examples(call: Any, _: Sequence[Any]) -> bool:
    """Return whether each of several examples has a bias, the same for all its scores of a head."""
    batch, _heads, rows, columns = call.get("bias", (1, 1, 1, 1))
    return bool(batch > 1 and rows == columns == 1)


def _is_elu_by_result(call: Any, _: Sequence[Any]) -> bool:
    return call["mode"] == "ELU" and bool(call["coefficient"] != 1.0 or call["width"] == 2)


#: Maximum extent of a CUDA grid along its second and third axis.
MOST_CHANNELS = 65535

#: Maximum of contiguous elements of a row that pointwise engines are launched for: 8 in each block.
MOST_COLUMNS = 8 * MOST_CHANNELS


def _lets_in(one_query: bool) -> Callable[[Any, Sequence[Any]], bool]:
    """Return what finds attention's gradient without a mask whose tiles end beside its scores."""

    def applies(operation: Any, operations: Sequence[Any]) -> bool:
        products = [each for each in operations if "Matmul" in type(each).__name__]
        if len(products) != 5 or operation is not products[0]:
            return False
        if any(_mode(each) == "BINARY_SELECT" for each in operations):
            return False
        *outer, queries, keys = operation.cdesc.dimensions
        if len(outer) != 2:
            return False  # attention has batches and heads
        odd = queries == 1 or (keys % 128 > 0 and not one_query)
        return bool(keys % 64 == 0 and odd)

    return applies


def _mode(operation: Any) -> str:
    """Return the mode of a pointwise operation; "" for others."""
    descriptor = getattr(operation, "pw_descriptor", None)
    return "" if descriptor is None else str(descriptor.mode.name)


def _in_memory(operations: Sequence[Any]) -> list[Any]:
    """Return the tensors of operations that lie in memory."""
    names = ("adesc", "bdesc", "cdesc", "xdesc", "tdesc", "ydesc")
    found = [getattr(one, name, None) for one in operations for name in names]
    return [
        each
        for each in found
        if each is not None and not each.is_virtual and math.prod(each.dimensions) > 1
    ]


def _is_without_input(operation: Any, _: Sequence[Any]) -> bool:
    return operation.xdesc is None and operation.idxdesc is None


def _is_alone(operations: Sequence[Any]) -> bool:
    """Return whether there is one product among operations: attention has two."""
    return [type(each).__name__ for each in operations].count("OperationMatmulDescriptor") == 1


def _is_batch_inside(tensor: Any) -> bool:
    """Return whether matrices of a batch lie within each other."""
    axes = list(zip(tensor.dimensions, tensor.strides, strict=True))
    longest = max((n * step for n, step in axes[-2:] if n > 1), default=0)
    return any(n > 1 and step < longest for n, step in axes[:-2])


def _has_batches_inside(_: Any, operations: Sequence[Any]) -> bool:
    return _is_alone(operations) and any(map(_is_batch_inside, _in_memory(operations)))


def _has_odd_rows(_: Any, operations: Sequence[Any]) -> bool:
    """Return whether rows of a matrix, or columns, begin at addresses that engines cannot read."""
    return _is_alone(operations) and any(
        max(each.strides[-2:])
        * arrays.itemsize(arrays.dtype_name(each.data_type.name))
        % _ALIGNMENT
        for each in _in_memory(operations)
        if min(each.dimensions[-2:]) > 1
    )


def _has_few_channels(operation: Any, _: Sequence[Any]) -> bool:
    """Return whether the channels of a pixel of x are not a multiple of 8 bytes."""
    size = arrays.itemsize(arrays.dtype_name(operation.x.data_type.name))
    return bool(operation.x.dimensions[1] * size % 8)


#: Elements of a tile of an operand of a product, along the inner extent.
_TILE = 64

#: Pointwise modes that have no finite result for 0, and the operand that must not be 0.
_NOT_OF_ZERO = {"DIV": "bdesc", "LOG": "xdesc", "RECIPROCAL": "xdesc", "RSQRT": "xdesc"}


def _divides_padding(operation: Any, operations: Sequence[Any]) -> bool:
    """Return whether zeros beside an operand of a product become NaN or inf on their way to it.

    Engines read tiles of both operands, with zeros for elements beyond the inner extent.
    """
    if not _is_alone(operations):
        return False
    made = {each.ydesc.unique_id: each for each in operations if _mode(each)}
    for operand, axis in ((operation.adesc, -1), (operation.bdesc, -2)):
        waiting = [operand] if operand.dimensions[axis] % _TILE else []
        while waiting:
            each = made.get(waiting.pop().unique_id)
            if each is None:
                continue
            read = getattr(each, _NOT_OF_ZERO.get(_mode(each), ""), None)
            if read is not None and read.dimensions[axis] > 1:
                return True
            waiting += [one for one in (each.xdesc, each.bdesc, each.tdesc) if one is not None]
    return False


def _is_rounded_logarithm(call: Mapping[str, Any], _: Sequence[Any]) -> bool:
    is_far = call["mode"] == "CHANNEL" or call["count"] > _SHORT_ROW
    return bool(call["width"] == 8 or (call["width"] == 4 and is_far))


ERRATA = (
    Erratum(
        "OperationConvolutionForwardDescriptor",
        7,
        _is_mixed,
        "if it fuses, it reads row-major filters as if their channels were last, where those of "
        "images are",
        workaround="copy the filters to the layout of the images",
    ),
    *[
        Erratum(
            "OperationConvolutionForwardDescriptor",
            engine,
            _is_pixel_by_rows,
            "if it fuses, it computes wrong results of one pixel from images with more, if these "
            "are row-major",
            workaround="copy the images to the layout NHWC",
        )
        for engine in (4, 7)
    ],
    *[
        Erratum(
            f"OperationConvolutionBackward{kind}Descriptor",
            engine,
            _is_padded_unevenly,
            "it computes wrong gradients if the paddings before and after the pixels differ",
            workaround="pad x with zeros",
        )
        for kind, engine in (("Filter", 1), ("Filter", 18), ("Filter", 20), ("Data", 50))
    ],
    *[
        Erratum(
            f"OperationConvolutionBackward{kind}Descriptor",
            engine,
            _has_odd_pixels,
            "it computes wrong gradients if the pixels of all images of a channel of dy are not a "
            "multiple of 16 bytes",
        )
        for kind, engine in (("Filter", 70), ("Data", 78))
    ],
    Erratum(
        "OperationConvolutionBackwardFilterDescriptor",
        69,
        _has_few_channels,
        "it computes wrong gradients if the channels of a pixel of x are not a multiple of 8 bytes",
    ),
    Erratum(
        "OperationResampleFwdDescriptor",
        1,
        _is_mean_padded_behind,
        "it leaves out the padding behind, which is to count, if there is none in front",
    ),
    Erratum(
        "OperationResampleFwdDescriptor",
        3,
        _is_bfloat16_channels_last,
        "it reads BFLOAT16 of channels-last images as HALF, which gives wrong numbers",
    ),
    Erratum(
        "OperationPointwiseDescriptor",
        0,
        _is_tanh_of_convolution,
        "its TANH_FWD after a convolution gives NaN for numbers above 43.6",
    ),
    *[
        Erratum(
            "OperationPointwiseDescriptor",
            engine,
            _is_factor_of_operand,
            f"{what} if an array is multiplied by a number before it is added to a convolution",
        )
        for engine, what in ((0, "it ends the context"), (8, "it leaves out part of the result"))
    ],
    *[
        Erratum(
            "OperationPointwiseDescriptor",
            engine,
            _is_index_behind_matmul,
            "its GEN_INDEX after a matrix product that is not attention's gives wrong numbers",
        )
        for engine in (4, 7)
    ],
    *[
        Erratum(
            "OperationPointwiseDescriptor",
            engine,
            _is_apart(kind),
            f"it reads operands, and writes results, after a {what} as if they had no gaps",
            workaround="copy what has gaps",
        )
        for engine, kind, what in (
            (8, "OperationConvolutionForwardDescriptor", "convolution"),
            (2, "OperationMatmulDescriptor", "matrix product"),
        )
    ],
    *[
        Erratum(
            "OperationMatmulDescriptor",
            engine,
            _has_batches_inside,
            "it computes wrong numbers if the matrices of a batch lie within each other",
        )
        for engine in (1, 2)
    ],
    *[
        Erratum(
            "OperationMatmulDescriptor",
            engine,
            _divides_padding,
            "it computes NaN if an operand is a quotient, logarithm or reciprocal of an array, and "
            f"the inner extent is not a multiple of {_TILE}: it divides the zeros beside it",
            workaround="make the quotient in a graph of its own",
        )
        for engine in (4, 7)
    ],
    Erratum(
        "OperationMatmulDescriptor",
        2,
        _has_odd_rows,
        "it computes wrong numbers if rows do not begin at multiples of 16 bytes",
    ),
    Erratum(
        "OperationResampleBwdDescriptor",
        1,
        _is_without_input,
        "its gradient of average pooling fails when it runs, if the graph has no x and y",
        workaround="pass x and y",
    ),
    Erratum(
        "OperationReductionDescriptor",
        1,
        _is_long_sum,
        "it cannot be launched if more than 4,194,240 contiguous elements make one result",
    ),
    Erratum(
        "OperationPointwiseDescriptor",
        1,
        _is_beyond_grid,
        f"it cannot be launched for more than {MOST_CHANNELS:,} matrices, or rows of more than "
        f"{MOST_COLUMNS:,} elements",
        workaround="merge axes, or cut them, so that fewer matrices or shorter rows are left",
    ),
    Erratum(
        "OperationNormBackwardDescriptor",
        0,
        _is_instance_norm,
        "in a CUDA graph it gives wrong gradients of scale and bias",
    ),
    *[
        Erratum(
            "OperationMatmulDescriptor",
            engine,
            _lets_in(one_query),
            "its gradient of attention without a mask is NaN if rows have low statistics (HALF: "
            f"below -11, BFLOAT16: below -88) and {what}: elements of a tile beside the scores "
            "take part",
            f"{MEASURED}; 9.25 to 9.30: issue 1072 and pull request 628 of NVIDIA/cudnn-frontend",
            "mask scores whose row or column is not below the number of queries or keys",
        )
        for engine, one_query, what in (
            (6, False, "there are 64 keys modulo 128, or one query and keys are multiples of 64"),
            (7, True, "there is one query and keys are multiples of 64"),
        )
    ],
    *[
        Erratum(
            f"Operation{kind}Descriptor",
            engine,
            _is_low,
            f"{what} if an array is not at a multiple of 16 bytes",
            workaround="copy the array",
        )
        for kind, engine, what in (
            ("ConvolutionBackwardFilter", 67, "it ends the context"),
            ("Matmul", 0, "it does not run"),
            ("Matmul", 2, "it computes wrong numbers"),
        )
    ],
    Erratum(
        "attention_backward",
        None,
        _is_gradient_elsewhere,
        "engines read the gradient of the result with the strides of the result",
        evidence="PyTorch copies it for releases before 9.5.1",
        workaround="copy do to the layout of o",
        last=90500,
    ),
    *[
        Erratum(
            subject,
            None,
            _has_odd_steps,
            "engines read q, k, v and do beside their elements, or end the context, if rows, heads "
            "or examples are not multiples of 16 bytes apart",
            workaround="copy the array",
        )
        for subject in ("attention", "attention_backward")
    ],
    Erratum(
        "attention",
        None,
        _is_bias_of_examples,
        "engines add a wrong bias if it has one element for each of several examples, or for each "
        "of their heads",
        workaround="repeat the bias along the keys",
    ),
    Erratum(
        "attention_backward",
        None,
        lambda call, _: bool(call.get("dropout") and call.get("dsink")),
        "the gradient of the sink comes out multiplied by 1 - dropout",
        workaround="divide it by 1 - dropout",
    ),
    Erratum(
        "attention_backward",
        None,
        lambda call, _: bool(call.get("fp8") and call.get("queries", 0) % 16),
        "half of the gradients of the last queries are not written if queries of FP8 are not a "
        "multiple of 16",
        workaround="pad q, o, do and stats to a multiple of 16 queries, and pass seq_len_q",
    ),
    Erratum(
        "cudnnPoolingBackward",
        None,
        _is_maximum_of_many,
        f"it cannot be launched for maxima of more than {MOST_CHANNELS:,} channels that are not "
        "innermost",
        workaround="describe some of the channels as images of their own",
    ),
    Erratum(
        "cudnnActivationBackward",
        None,
        _is_elu_by_result,
        "it takes the gradient of ELU from the result: near 0 it is 1 if alpha is not, and for "
        "very negative inputs of two bytes it is rounded away",
        workaround="compute it in float32 or float64, with an alpha of 1",
    ),
    Erratum(
        "cudnnConvolutionBackwardBias",
        None,
        lambda call, _: bool(call["alignment"] < _ALIGNMENT),
        "it ends the context if dy or db is not at a multiple of 16 bytes",
        workaround="copy the arrays",
    ),
    Erratum(
        "cudnnSoftmaxForward",
        None,
        _is_rounded_logarithm,
        "its logarithms over channels, of long rows, and of float64 are rounded as the largest "
        "number of a row: by 3e-5 for numbers of float32 near 1000",
        workaround="compute it again of the result, whose largest numbers are near 0",
    ),
    Erratum(
        "cudnnBatchNormalizationForwardTraining",
        None,
        lambda call, _: call["layout"] == "NHWC" or bool(call["width"] == 2),
        "it ends the context if images of two bytes, or with channels innermost, are not at "
        "multiples of 16 bytes",
        workaround="copy the images",
    ),
)


#: Maximum of contiguous elements that engine 1 reduces to one: 64 in each of 65,535 blocks.
_LONGEST = 64 * 65535

#: Maximum of elements of a row whose logarithms are right; 700 are wrong.
_SHORT_ROW = 512

#: The alignment that most engines require, in bytes.
_ALIGNMENT = 16

_CONVOLUTIONS = frozenset(
    f"OperationConvolution{kind}Descriptor"
    for kind in ("Forward", "BackwardData", "BackwardFilter")
)
_ANYWHERE = frozenset(f"Operation{kind}Descriptor" for kind in ("Pointwise", "Reduction", "Matmul"))
_ATTENTION = frozenset({"OperationSDPAFwdDescriptor", "OperationSDPABwdDescriptor"})


def misalignment(computation: Computation) -> str:
    """Return why no engine is to compute a graph whose arrays may lie anywhere; "" where one may.

    Engines say that they take arrays of any alignment. Those of a convolution alone, of pointwise
    operations, reductions and one product do, but for `ERRATA`. Some of those of other graphs end
    the context (a convolution with its bias, pooling, instance norm), refuse to run, or compute
    wrong numbers (attention). This was measured with cuDNN 9.19.0 on an H200.
    """
    operations = getattr(computation.operation_graph, "ops", None) or ()
    kinds = [type(one).__name__ for one in operations]
    products = kinds.count("OperationMatmulDescriptor")
    is_attention = _ATTENTION.intersection(kinds) or products > 1
    if (len(kinds) == 1 and kinds[0] in _CONVOLUTIONS) or (
        products <= 1 and _ANYWHERE.issuperset(kinds)
    ):
        return ""
    for each in computation.operands:
        # The lowest bit of an offset is the alignment of a view.
        alignment = min([each.alignment, *[offset & -offset for _, offset in each.views if offset]])
        if each.is_argument and not each.by_value and alignment < _ALIGNMENT:
            if is_attention and (each.data_type not in ("HALF", "BFLOAT16") or len(each.shape) < 4):
                continue  # what is read element by element
            return (
                f"{each.name}: its engines read arrays at multiples of {_ALIGNMENT} bytes "
                f"only, got an alignment of {alignment}; copy the array"
            )
    return ""


def wrong_engines(computation: Computation) -> dict[int, str]:
    """Return the engines not to choose for a computation, and why."""
    operations = getattr(computation.operation_graph, "ops", None) or ()
    found: dict[int, str] = {}
    for each in _valid(lambda: _capability_of(computation)):
        if each.engine is not None and any(
            type(one).__name__ == each.subject and each.applies(one, operations)
            for one in operations
        ):
            found.setdefault(each.engine, each.reason)
    return found


def wrong_function(
    name: str, call: Mapping[str, Any], device: int | None = None, release: int | None = None
) -> str:
    """Return why a function is not to be called; "" where nothing speaks against it.

    Args:
        name: the C name, or that of a function of `ops` or node of graphs.
        call: what entries for that function ask about, by name.
        device: the ordinal of the device; None for an unknown one.
        release: as cudnnGetVersion numbers it; None for the one that is loaded.
    """
    known = (lambda: None) if device is None else (lambda: driver.compute_capability(device))
    for each in _valid(known, release):
        if each.subject == name and each.applies(call, ()):
            return each.reason
    return ""


def is_wrong(computation: Computation, engine: int) -> bool:
    """Return whether an engine is not to be chosen for a computation."""
    return bool(misalignment(computation)) or engine in wrong_engines(computation)


def _valid(
    capability: Callable[[], tuple[int, int] | None], release: int | None = None
) -> Iterator[Erratum]:
    number = library.load().number if release is None else release
    return (each for each in ERRATA if each.concerns(number, capability))


def _capability_of(computation: Computation) -> tuple[int, int] | None:
    if computation.device is not None:
        return computation.device.compute_capability
    assert computation.handle is not None
    return driver.compute_capability(computation.handle.device)
