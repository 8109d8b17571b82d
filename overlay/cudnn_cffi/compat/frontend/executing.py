"""Execute plans on the arrays, or addresses, of a program."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MethodType
from typing import Any

from ... import arrays, errors
from ..._lookup import calls
from ...driver import timing
from ...plan import Plan
from ...plan.arrays.libraries import has_core
from ...plan.arrays.outputs import empty as new_array
from ...plan.operand import Number, Operand, encode
from ...plan.run.addresses import launch, launch_into, launcher, learn_type
from .failures import cudnnGraphNotSupportedError, unsupported
from .planning import Planning
from .tensors import Tensor

_OVERRIDES = (
    "override_uids, override_shapes and override_strides: cudnn_cffi has no plans whose shapes are "
    "set for each execution; make a graph for each shape, or share kernels by "
    "is_dynamic_shape_enabled and a kernel_cache"
)


class _Program:
    """A plan with what the program passes to it, and what it does not know of.

    Attributes:
        plan: the plan.
        operands: what it takes, in its order.
        hidden: arrays that are passed each time, by uid.
        aligned: the uids whose addresses have to be multiples of 16.
        launcher: what executes the plan without a Python frame, where that is possible.
    """

    __slots__ = ("aligned", "hidden", "launcher", "names", "operands", "plan")

    def __init__(
        self,
        plan: Plan,
        hidden: Mapping[int, Sequence[float]],
        aligned: set[int],
        names: Mapping[int, str],
    ) -> None:
        self.plan = plan
        self.operands = tuple([each for each in plan.operands if each.is_argument])
        self.aligned = aligned
        self.names = dict(names)
        self.hidden: dict[int, Any] = dict(hidden)
        self.launcher: Any = None

    def addresses(self, given: Mapping[int, Any], handle: Any) -> tuple[list[int], list[Any]]:
        """Return the addresses in the plan's order, and what has to live until cuDNN has them.

        Raises:
            ValueError: one is missing, or is not a multiple of what it has to be.
        """
        found: list[int] = []
        keep: list[Any] = []
        for each in self.operands:
            value = given.get(each.uid)
            if value is None and each.uid in self.hidden:
                found.append(self._hidden(each, handle))
                continue
            if value is None:
                raise ValueError(
                    f"the variant pack has no buffer for the tensor {self._name(each)!r} "
                    f"(uid {each.uid})"
                )
            if each.by_value:
                address = _host_address(each, value, keep)
            else:
                address = arrays.device_pointer(value)
                self._check(each, address)
            found.append(address)
        return found, keep

    def _name(self, operand: Operand) -> str:
        return self.names.get(operand.uid, operand.name)

    def _check(self, operand: Operand, address: int) -> None:
        least = self.alignment(operand)
        if not address:
            raise errors.NullPointerError(f"{self._name(operand)}: it has no memory")
        if address % least:
            raise errors.MisalignedPointerError(
                f"{self._name(operand)}: expected an address that is a multiple of {least}, "
                f"got {address:#x}"
            )

    def alignment(self, operand: Operand) -> int:
        """Return what an address has to be a multiple of: 16 for attention, else an element."""
        if operand.uid in self.aligned:
            return operand.alignment
        return max(arrays.itemsize(arrays.dtype_name(operand.data_type)), 1)

    def slot(self, operand: Operand) -> tuple[int, int, bool]:
        """Return what the launcher has to know of an operand, after an execution."""
        fixed = self.hidden.get(operand.uid)
        address = 0 if fixed is None else arrays.device_pointer(fixed)
        return 0 if operand.by_value else self.alignment(operand) - 1, address, operand.by_value

    def _hidden(self, operand: Operand, handle: Any) -> int:
        values = self.hidden[operand.uid]
        if isinstance(values, list):
            values = self.hidden[operand.uid] = _on_device(operand, values, handle)
        return arrays.device_pointer(values)


def _on_device(operand: Operand, values: Sequence[float], handle: Any) -> Any:
    """Return the numbers of an operand as an array in memory of the handle's device."""
    code = "i" if operand.data_type == "INT32" else "f"
    data = struct.pack(f"{len(values)}{code}", *values)
    made = new_array("own" if has_core() else "torch", operand, handle.device, None)
    with handle._current():
        address = arrays.device_pointer(made)
        timing.copy_in(address, data)
        timing.copy_out(address, 4)  # it has arrived when it can be read
    return made


def _host_address(operand: Operand, value: Any, keep: list[Any]) -> int:
    """Return the address of a number in host memory."""
    if type(value) is int:
        return value
    if hasattr(value, "data_ptr"):
        return int(value.data_ptr())
    interface = getattr(value, "__array_interface__", None)
    # A number of NumPy's, which is no array, tells the address of one that ends at once.
    if interface is not None and (hasattr(value, "ctypes") or not hasattr(value, "item")):
        return int(interface["data"][0])
    keep.append(Number(encode(operand, value)))
    return int(keep[-1].address)


class Executing(Planning):
    """A graph that is executed."""

    @property
    def _is_built(self) -> bool:
        return self.__dict__.get("_built_once", False) is True

    @_is_built.setter
    def _is_built(self, value: bool) -> None:
        # Another plan may be selected now: the short way is that of the one before.
        self.__dict__.pop("execute", None)
        self.__dict__["_built_once"] = value

    def _program(self, index: int | None = None) -> _Program:
        """Return what executes a plan.

        Raises:
            cudnnGraphNotSupportedError: it cannot be built.
        """
        if self._loaded is not None:
            loaded: _Program = self._loaded
            return loaded
        if index is None:
            if not self._is_built:
                self.build()
            index = self._index
        made: _Program | None = self._programs.get(index)
        if made is None:
            plan = self._build_at(index)
            lowering = self._lowering
            assert lowering is not None
            names = {own.uid: tensor.name for tensor, own in lowering.made.items()}
            uids = {own.uid: tensor.uid for tensor, own in lowering.made.items()}
            assert all(uid == own for own, uid in uids.items() if uid in self._by_uid)
            made = _Program(plan, lowering.hidden, lowering.aligned, names)
            self._programs[index] = made
        return made

    def get_workspace_size(
        self,
        handle: Any = None,
        override_uids: Any = None,
        override_shapes: Any = None,
        override_strides: Any = None,
    ) -> int:
        """Return the bytes of workspace that the selected plan needs.

        Raises:
            RuntimeError: no plan is built.
            cudnnGraphNotSupportedError: other shapes were asked for.
        """
        _refuse_overrides(override_uids, override_shapes, override_strides)
        if self._loaded is None and not self._is_built:
            raise RuntimeError("get_workspace_size: call build or build_plans first")
        return int(self._program().plan.workspace_size)

    def get_workspace_size_plan_at_index(
        self,
        index: int,
        handle: Any = None,
        override_uids: Any = None,
        override_shapes: Any = None,
        override_strides: Any = None,
    ) -> int:
        """Return the bytes of workspace that a plan needs; it is built if it is not yet."""
        _refuse_overrides(override_uids, override_shapes, override_strides)
        self._config(index)
        self._refuse_barred(index)
        return int(self._program(index).plan.workspace_size)

    def execute(
        self,
        tensor_dict: Any,
        workspace: Any = None,
        handle: Any = None,
        override_uids: Any = None,
        override_shapes: Any = None,
        override_strides: Any = None,
        tensor_uids: Sequence[int] | None = None,
    ) -> None:
        """Execute the selected plan in the stream of the handle; it is built if it is not yet.

        Args:
            tensor_dict: arrays of any library, or addresses, by tensors, names or uids; with
                `tensor_uids` a sequence of them. Data types and shapes are those of the graph:
                what an array tells of its own is not looked at.
            workspace: an array or address of `get_workspace_size()` bytes; without one the handle
                has its own.
            handle: whose stream is used; by default that of the graph, or of this thread.
            override_uids, override_shapes, override_strides: refused.
            tensor_uids: the uids of a sequence of arrays.

        Raises:
            ValueError: an array is missing, its address is not a multiple of what the plan needs,
                or the workspace is too small.
            cudnnGraphNotSupportedError: no plan can be built; or other shapes were asked for.
        """
        _refuse_overrides(override_uids, override_shapes, override_strides)
        program = self._program()
        own = self._launch(program, tensor_dict, workspace, handle, tensor_uids)
        if type(tensor_dict) is dict and tensor_uids is None:
            self._shorten(program, tensor_dict, workspace, handle, own)

    def _shorten(
        self, program: _Program, given: dict[Any, Any], workspace: Any, handle: Any, own: Any
    ) -> None:
        """Have calls like this one executed without a Python frame."""
        places = {each.uid: at for at, each in enumerate(program.operands)}
        found = [places.get(uid, -1) for uid in self._uids(given)]
        if len({*found} - {-1}) + len(program.hidden) < len(places):
            return  # some come from elsewhere
        if program.launcher is None:
            program.launcher = launcher(
                program.plan,
                MethodType(Executing.execute, self),
                [program.slot(each) for each in program.operands],
            )
        if program.launcher is not None:
            for each in (*given.values(), workspace):
                if each is not None:
                    learn_type(each)
            of_thread = handle is None and self._handle is None
            program.launcher._learn(handle, own, tuple(given), tuple(found), of_thread)
            self.__dict__["execute"] = program.launcher

    def _uids(self, keys: Iterable[Any]) -> list[int]:
        """Return the uids that keys of a variant pack stand for; -1 for None."""
        found = []
        for key in keys:
            if type(key) is Tensor:
                found.append(key.uid)
            elif isinstance(key, int):
                found.append(key)
            elif isinstance(key, str):
                tensor = self.find_tensor(key)
                if tensor is None:
                    raise KeyError(key)
                found.append(tensor.uid)
            else:
                found.append(-1 if key is None else key.get_uid())
        return found

    def execute_plan_at_index(
        self,
        tensor_dict: Any,
        workspace: Any = None,
        index: int = 0,
        handle: Any = None,
        override_uids: Any = None,
        override_shapes: Any = None,
        override_strides: Any = None,
        tensor_uids: Sequence[int] | None = None,
    ) -> None:
        """Execute a plan, and leave the selected one as it is; see `execute`."""
        _refuse_overrides(override_uids, override_shapes, override_strides)
        if self._loaded is None:
            self._config(index)
            self._refuse_barred(index)
        self._launch(self._program(index), tensor_dict, workspace, handle, tensor_uids)

    def _launch(self, program: _Program, given: Any, workspace: Any, handle: Any, uids: Any) -> Any:
        """Execute a plan, and return the handle."""
        own = self._own_handle(handle)
        pairs = self._by_uids(given, uids)
        addresses, keep = program.addresses(pairs, own)
        launch(program.plan, own, addresses, _workspace(workspace, program.plan))
        del keep
        return own

    def _by_uids(self, given: Any, uids: Sequence[int] | None) -> dict[int, Any]:
        """Return a variant pack by uids, with the arrays that operations were given."""
        found = dict(self._bound)
        if uids is not None:
            if len(uids) != len(given) or len(set(uids)) != len(uids):
                raise ValueError(
                    f"tensor_uids: expected {len(given)} different ones, got {list(uids)}"
                )
            found.update(zip(uids, given, strict=True))
            return found
        found.update(zip(self._uids(given), given.values(), strict=True))
        found.pop(-1, None)
        return found

    # CUDA graphs

    def populate_cuda_graph(
        self, handle: Any, variant_pack: Any, workspace: Any, cuda_graph: Any
    ) -> None:
        """Add the selected plan's work to a CUDA graph, where the engine can do that.

        Args:
            handle: as for `execute`.
            variant_pack: as `tensor_dict` of `execute`.
            workspace: as for `execute`; it has to live as long as the graph.
            cuda_graph: the address of a cudaGraph_t.

        Raises:
            cudnnGraphNotSupportedError: the engine, or the release, cannot do that.
        """
        self._into_graph(
            calls.cudnnBackendPopulateCudaGraph, handle, variant_pack, workspace, cuda_graph
        )

    def update_cuda_graph(
        self, handle: Any, variant_pack: Any, workspace: Any, cuda_graph: Any
    ) -> None:
        """Give other arrays to a CUDA graph; see `populate_cuda_graph`."""
        self._into_graph(
            calls.cudnnBackendUpdateCudaGraph, handle, variant_pack, workspace, cuda_graph
        )

    def _into_graph(
        self, function: Callable[..., Any], handle: Any, given: Any, workspace: Any, graph: Any
    ) -> None:
        program, own = self._program(), self._own_handle(handle)
        addresses, keep = program.addresses(self._by_uids(given, None), own)
        space = _workspace(workspace, program.plan)
        with unsupported():
            launch_into(program.plan, function, own, graph, addresses, space, (workspace, keep))


def _refuse_overrides(*given: Any) -> None:
    if any(each is not None for each in given):
        raise cudnnGraphNotSupportedError(_OVERRIDES)


def _workspace(given: Any, plan: Plan) -> int:
    """Return the address of a workspace; 0 for that of the handle."""
    if given is None:
        return 0
    if type(given) is int:
        return given
    size = arrays.size_in_bytes(given)
    if size < plan.workspace_size:
        raise errors.ArgumentError(f"workspace: expected {plan.workspace_size} bytes, got {size}")
    return arrays.device_pointer(given) if size else 0
