"""The loss of connectionist temporal classification, and its gradient."""

from __future__ import annotations

from typing import Any, Generic, NamedTuple

from ... import arrays, errors
from ..._lookup import calls
from ..._operation.functions import function
from ..._operation.operation import Operation
from ..._support.arguments import boolean, integers, whole
from ..._ways.array_spec import Spec, check_dtype, check_shape, refuse_gaps
from ..._ways.case import Case, Unfit
from ..._ways.classic_call import HANDLE, Classic, Scratch, Step, Zero, operands_of
from ..._ways.type_variables import ArrayT, KeptT
from ...choice.policy import Rule
from ...descriptors import CTCLossDescriptor, TensorDescriptor
from ...errata.asks import wrong_function
from ..rnn.layout import lengths_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..._ways.signatures import CallStream, Choose, Handle, Labels, Numbers, Out
    from ...errata.asks import Call


class CTCResults(NamedTuple, Generic[ArrayT, KeptT]):
    """The results of a CTC loss.

    Attributes:
        loss: of each sequence.
        gradient: of the sum of all losses for the input; None if it was not wanted.
    """

    loss: ArrayT
    gradient: KeptT


#: DLPack's numbers of memory that the host can read: its own, and page-locked.
_HOST = (1, 3)


def _numbers(value: Any) -> bool:
    """Return whether labels or lengths are host integers."""
    if isinstance(value, (Spec, arrays.OwnArray)):
        return False
    place = getattr(value, "__dlpack_device__", None)
    return place is None or place()[0] in _HOST


def _flat(labels: Any) -> tuple[tuple[int, ...], tuple[int, ...] | None]:
    """Return all labels one after the other, and their lengths if they are lists."""
    rows = labels.tolist() if hasattr(labels, "tolist") else labels
    if isinstance(rows, (list, tuple)) and rows and all(isinstance(e, (list, tuple)) for e in rows):
        flat = [each for row in rows for each in row]
        return whole(flat, "labels"), tuple(len(row) for row in rows)
    return whole(rows, "labels"), None


class CTCLoss(Operation):
    """The loss of connectionist temporal classification; label 0 is the blank.

    It is -log of the probability that the symbols, without repetitions and blanks, are the labels.

    Formula: -log of the probability of the labels, and its gradient
    Arrays: x (time, batch, symbols) float32
    Ways: the second function for labels of the host
    Edges: probabilities of a step, in `cudnn_cffi.torch`: divided by their sum (PyTorch: as they
        are); a sequence without labels in device memory: 0
    """

    word = "ctc_loss"
    by = "`cudnnCTCLoss_v8`, `cudnnCTCLoss`"
    gradient = ()
    takes: tuple[str, ...] = ("x", "labels", "label_lengths", "input_lengths")
    optional = frozenset({"labels", "label_lengths", "input_lengths"})
    gives: tuple[str, ...] = ("loss", "gradient")
    ways = ("classic",)

    def __init__(
        self, *, normalize: bool = True, deterministic: bool = True, max_label_length: int = 256,
        skip_out_of_bounds: bool = False, choose: Choose = None,
    ) -> None:  # fmt: skip
        """Make a loss.

        Args:
            normalize: whether the input is logits, or logarithms of probabilities, over which
                softmax is taken first; else it is probabilities.
            deterministic: whether results have the same bits each time. The other algorithm is for
                labels in host memory only.
            max_label_length: the length of the longest label sequence in device memory, at most
                256.
            skip_out_of_bounds: whether gradients of sequences that are shorter than their labels
                stay as they are, instead of becoming zero.
            choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.
        """
        (longest,) = integers(max_label_length=max_label_length)
        if not 1 <= longest <= 256:
            raise errors.ArgumentError(f"max_label_length: expected 1 to 256, got {longest}")
        super().__init__(
            choose, normalize=normalize, deterministic=deterministic,
            max_label_length=longest, skip_out_of_bounds=skip_out_of_bounds,
        )  # fmt: skip

    def __call__(
        self, x: ArrayT, labels: Labels, input_lengths: Numbers | None = None,
        label_lengths: Numbers | None = None, *, gradient: bool = True, out: Out = None,
        handle: Handle | None = None, stream: CallStream = ..., choose: Choose = None,
    ) -> CTCResults[ArrayT, ArrayT | None]:  # fmt: skip
        """Compute the losses, and the gradient of their sum.

        Args:
            x: (time, batch, symbols), float32, in C order.
            labels: of all sequences, one after the other, from 1: host integers, also as a
                list for each sequence, or an int32 array in device memory.
            input_lengths: the length of each sequence of `x`, likewise; by default that of the
                time axis, for labels on the host only.
            label_lengths: the number of labels of each sequence; not needed for lists of labels.
            gradient: whether to compute the gradient.
            out: the losses, or a tuple of both outputs, with None for those to be made.
            handle, stream, choose: as for `Convolution`.
        """
        extra: tuple[tuple[str, Any], ...] = (("gradient", boolean(gradient, "gradient")),)
        if not _numbers(labels):
            given: tuple[Any, ...] = (x, labels, label_lengths, input_lengths)
        else:
            flat, lengths = _flat(labels)
            lengths = lengths_of(label_lengths) if lengths is None else lengths
            extra += (
                ("labels", flat), ("label_lengths", lengths),
                ("input_lengths", lengths_of(input_lengths)),
            )  # fmt: skip
            given = (x, None, None, None)
        got = self.run(given, out, handle, stream, choose, 1.0, 0.0, extra)
        return CTCResults(*got) if gradient else CTCResults(got, None)

    def results(self, case: Case) -> dict[str, Spec]:
        x = case.inputs["x"]
        if len(x.shape) != 3:
            raise errors.ShapeMismatchError(f"x: expected (time, batch, symbols), got {x.shape}")
        check_dtype(x, "float32", "x")
        for name, each in (*case.inputs.items(), *case.outputs.items()):
            refuse_gaps(each, name)
        self._check_labels(case, *x.shape)
        count = x.shape[1]
        found = {"loss": Spec("float32", (count,), (1,), x.device)}
        if case.call.get("gradient", True):
            found["gradient"] = Spec(x.dtype, x.shape, arrays.packed_strides(x.shape), x.device)
        return found

    def _check_labels(self, case: Case, time: int, batch: int, symbols: int) -> None:
        if "labels" in case.inputs:
            for name in ("labels", "label_lengths", "input_lengths"):
                each = case.inputs.get(name)
                if each is None:
                    raise errors.ArgumentError(
                        f"{name}: expected an int32 array, as labels are in device memory, got None"
                    )
                check_dtype(each, "int32", name)
                if name != "labels":
                    check_shape(each, (batch,), name)
            return
        labels, lengths = case.call.get("labels"), case.call.get("label_lengths")
        if labels is None or lengths is None:
            raise errors.ArgumentError("label_lengths: expected a number for each sequence")
        times = case.call.get("input_lengths") or (time,) * batch
        if len(lengths) != batch or len(times) != batch:
            raise errors.ArgumentError(
                f"label_lengths, input_lengths: expected {batch} numbers each, got "
                f"{len(lengths)} and {len(times)}"
            )
        if sum(lengths) != len(labels) or min(lengths, default=0) < 0:
            raise errors.ArgumentError(
                f"labels: expected {sum(lengths)} for these lengths, got {len(labels)}"
            )
        if not all(1 <= each <= time for each in times):
            raise errors.ArgumentError(
                f"input_lengths: expected numbers from 1 to {time}, got {times}"
            )
        if not all(1 <= each < symbols for each in labels):
            raise errors.ArgumentError(
                f"labels: expected numbers from 1 to {symbols - 1}, as 0 is the blank"
            )
        facts: Call = {"has_labels": False, "lengths": False}
        if 0 in lengths and (why := wrong_function("cudnnCTCLoss", facts, self.device_of(case))):
            raise errors.NotSupportedError(
                f"label_lengths: sequence {lengths.index(0)} has no labels: {why}"
            )

    def classic(self, case: Case, rule: Rule, handle: Handle) -> Classic:
        """Return the call of `cudnnCTCLoss_v8`, or of `cudnnCTCLoss` for labels on the host."""
        options, x = self.options, case.inputs["x"]
        on_device = "labels" in case.inputs
        loss = CTCLossDescriptor.of(
            "float32", normalisation="SOFTMAX" if options["normalize"] else "NONE",
            propagate_nan=options["skip_out_of_bounds"],
            max_label_length=options["max_label_length"],
        )  # fmt: skip
        word = "DETERMINISTIC" if options["deterministic"] or rule.keeps_bits else (
            "NON_DETERMINISTIC"
        )  # fmt: skip
        if on_device and word != "DETERMINISTIC":
            raise Unfit("labels in device memory: cuDNN has the deterministic algorithm only")
        algo = arrays.member("CTCLossAlgo", word)
        desc = TensorDescriptor.packed(x.shape, x.dtype, axes=3)
        wanted = "gradient" in case.outputs
        grad = desc if wanted else None
        bytes_of_x = 4 * x.shape[0] * x.shape[1] * x.shape[2]
        call = case.call
        if on_device:
            size = calls.cudnnGetCTCLossWorkspaceSize_v8(handle, algo, loss, desc, grad)
        else:
            host = (
                call["labels"], call["label_lengths"],
                call.get("input_lengths") or x.shape[:1] * x.shape[1],
            )  # fmt: skip
            size = calls.cudnnGetCTCLossWorkspaceSize(handle, desc, grad, *host, algo, loss)
        target = "gradient" if wanted else None
        if on_device:
            step = Step(
                "cudnnCTCLoss_v8", HANDLE, algo, loss, desc, "x", "labels", "label_lengths",
                "input_lengths", "loss", grad, target, size, Scratch(),
            )  # fmt: skip
        else:
            step = Step(
                "cudnnCTCLoss", HANDLE, desc, "x", *host, "loss", grad, target, algo, loss,
                Scratch(), size,
            )  # fmt: skip
        facts: Call = {"has_labels": True, "lengths": True}
        is_left = wanted and wrong_function(step.function, facts, self.device_of(case))
        cleared = [Zero("gradient", bytes_of_x)] if is_left else []
        return Classic(
            step.function, operands_of(case.inputs, case.outputs), [*cleared, step],
            workspace_size=size, algorithm=word, deterministic=word == "DETERMINISTIC",
        )  # fmt: skip


ctc_loss = function(
    CTCLoss,
    summary=(
        "Return the losses of connectionist temporal classification, and their gradient.\n"
        "\n"
        "It is -log of the probability that the symbols, without repetitions and blanks, "
        "are the labels."
    ),
)
