"""Calls of cuDNN's classic functions on arrays of one kind, with the interface of a plan."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from .. import arrays, errors
from .. import driver as _driver
from ..descriptors import TensorDescriptor
from ..handles import Handle
from ..plan import Operand
from ..plan.binding import bind, check
from ..plan.libraries import current_stream, library_of
from ..plan.libraries import empty as new_output
from ..plan.placing import choose_handle
from .specs import Spec

__all__ = ["Classic", "describe", "operands_of"]

_OPTIONS = ("handle", "stream")


class Classic:
    """One of cuDNN's classic functions for arrays of fixed types, shapes and strides.

    It is called as a `Plan` is: `call(x, w, y)` returns the outputs; those that are left out are
    made in the library of the inputs. Threads may share it.

    Attributes:
        function: the C name.
        operands: what it reads and writes: inputs, then outputs.
        algorithm: the name of the algorithm; "" where the function has none.
        workspace_size: in bytes.
        deterministic: whether the same input gives the same bits each time; None if not known.
        math: the name of the math type; "" where the function has none.
    """

    __slots__ = (
        "_quick",
        "_run",
        "algorithm",
        "deterministic",
        "function",
        "math",
        "operands",
        "workspace_size",
    )

    def __init__(
        self,
        function: str,
        operands: Sequence[Operand],
        run: Callable[..., object],
        *,
        workspace_size: int = 0,
        algorithm: str = "",
        deterministic: bool | None = True,
        math: str = "",
    ) -> None:
        """Put together what a call takes.

        Args:
            run: calls the function, with a handle, the address and size of the workspace, and the
                address of each operand.
        """
        self.function = function
        self.operands = tuple(operands)
        self.algorithm = algorithm
        self.workspace_size = workspace_size
        self.deterministic = deterministic
        self.math = math
        self._run = run
        self._quick: _Quick | None = None

    @property
    def inputs(self) -> tuple[Operand, ...]:
        """Return the operands that a call reads."""
        return tuple(each for each in self.operands if each.role == "input")

    @property
    def outputs(self) -> tuple[Operand, ...]:
        """Return the operands that a call writes."""
        return tuple(each for each in self.operands if each.role == "output")

    def __call__(self, *given: Any, **named: Any) -> Any:
        """Run the function; arguments are those of a plan.

        Raises:
            ArgumentError: an array does not fit its operand.
            CudnnError: cuDNN refuses the call.
        """
        options = {name: named.pop(name) for name in _OPTIONS if name in named}
        bound = bind(self.operands, given, named)
        handle = options.get("handle")
        device = handle.device if isinstance(handle, Handle) else None
        found: dict[str, int] = {}
        kind = None
        for each in self.operands:
            if each.name in bound:
                array = bound[each.name]
                found[each.name], came = check(each, array, device)
                kind = library_of(array) if kind is None else kind
                device = came if device is None else device
        kind = "own" if kind is None else kind
        place = _driver.device_of() if device is None else device
        current = None if handle is not None else current_stream(kind, place)
        chosen = choose_handle(handle, options.get("stream", ...), current, device)
        with chosen._current():
            for each in self.operands:
                if each.name not in bound:
                    made = new_output(kind, each, chosen.device, chosen.stream)
                    bound[each.name] = made
                    found[each.name], _ = check(each, made, device)
            size = self.workspace_size
            scratch = chosen.workspace.get(size) if size else 0
            self._run(chosen, scratch, size, *[found[each.name] for each in self.operands])
        results = [bound[each.name] for each in self.operands if each.role == "output"]
        if self._quick is None and kind == "torch":
            self._quick = _learn(self, bound, chosen.device)
        return results[0] if len(results) == 1 else tuple(results)

    def attempt(self, *given: Any) -> Any:
        """Run the function as a call does, where that is plain; else return NotImplemented.

        It is plain for PyTorch's tensors that are those of a former call but for their memory, in
        PyTorch's current stream, with new outputs.
        """
        quick = self._quick
        if quick is None or len(given) != len(quick.inputs):
            return NotImplemented
        addresses = []
        for array, (kind, dtype, shape, strides, where) in zip(given, quick.inputs, strict=True):
            if (
                type(array) is not kind
                or array.dtype is not dtype
                or array.shape != shape
                or array.stride() != strides
                or array.device != where
            ):
                return NotImplemented
            addresses.append(array.data_ptr())
        chosen = choose_handle(None, ..., quick.stream(quick.device), quick.device)
        with chosen._current():
            results = [quick.empty(*maker[:2], **maker[2]) for maker in quick.outputs]
            addresses += [each.data_ptr() for each in results]
            size = self.workspace_size
            scratch = chosen.workspace.get(size) if size else 0
            self._run(chosen, scratch, size, *addresses)
        return results[0] if len(results) == 1 else tuple(results)

    def prepare(self, handle: Handle | None = None, stream: Any = None) -> None:
        """Allocate the workspace now, so that the next call in a stream can be captured."""
        chosen = choose_handle(handle, ... if handle is not None else stream, None, None)
        chosen.workspace.reserve(self.workspace_size)

    def __repr__(self) -> str:
        takes = ", ".join(each.name for each in self.inputs)
        gives = ", ".join(each.name for each in self.outputs)
        named = f", {self.algorithm}" if self.algorithm else ""
        return f"<Classic ({takes}) -> {gives}, {self.function}{named}>"


class _Quick(NamedTuple):
    """What a plain call with PyTorch's tensors takes.

    Attributes:
        inputs: type, data type, shape, strides and device of each.
        outputs: the arguments that make each.
        empty: the function that makes outputs.
        stream: the function that returns the current stream's address.
        device: the ordinal.
    """

    inputs: tuple[tuple[Any, ...], ...]
    outputs: tuple[tuple[Any, ...], ...]
    empty: Any
    stream: Any
    device: int


def _learn(way: Classic, bound: dict[str, Any], device: int) -> _Quick | None:
    """Return what a plain call takes, after one with these arrays; None for other arrays."""
    torch = sys.modules["torch"]
    plain = (torch.Tensor, torch.nn.Parameter)
    inputs, outputs = [], []
    for each in way.operands:
        array = bound[each.name]
        if type(array) not in plain:
            return None
        facts = array.dtype, array.shape, array.stride(), array.device
        if each.role == "input":
            inputs.append((type(array), *facts))
        else:
            where = {"dtype": array.dtype, "device": array.device}
            outputs.append((each.shape, each.strides, where))
    raw = getattr(torch._C, "_cuda_getCurrentRawStream", None)
    stream = raw or (lambda ordinal: current_stream("torch", ordinal))
    return _Quick(tuple(inputs), tuple(outputs), torch.empty_strided, stream, device)


def operands_of(inputs: dict[str, Spec], outputs: dict[str, Spec]) -> tuple[Operand, ...]:
    """Return arrays as operands: inputs, then outputs, by their names."""
    made: list[Operand] = []
    for role, specs in (("input", inputs), ("output", outputs)):
        for name, spec in specs.items():
            made.append(
                Operand(
                    name=name,
                    uid=len(made) + 1,
                    shape=spec.shape,
                    strides=spec.strides,
                    data_type=spec.data_type,
                    alignment=_natural(spec),
                    role=role,
                )
            )
    return tuple(made)


def _natural(spec: Spec) -> int:
    """Return the alignment that classic functions need: that of an element."""
    return arrays.itemsize(spec.dtype)


def describe(spec: Spec, prefer: str = "NCHW") -> TensorDescriptor:
    """Return cuDNN's descriptor of an array with four axes at least.

    Raises:
        NotSupportedError: cuDNN has no such descriptor.
    """
    try:
        return TensorDescriptor.of_info(spec.info(), prefer=prefer)
    except errors.BadParamError as error:
        raise errors.NotSupportedError(
            f"classic functions have no descriptor of {spec}: {error.message}"
        ) from error
