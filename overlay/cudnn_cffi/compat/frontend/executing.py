"""Execute plans on the arrays, or addresses, of a program."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MethodType
from typing import TYPE_CHECKING, Literal, TypeAlias, cast, overload

from ..._lookup import calls
from ...plan import Plan
from ...plan.run.addresses import launch, launch_into, launcher
from ...plan.run.reading import learn_type
from .enums import cuda_graph_retention
from .failures import cudnnGraphNotSupportedError, unsupported
from .handles import Handle
from .logs import log_steps
from .planning import Planning
from .plans.overriding import overridden
from .plans.programs import Program
from .saved.graphs import add_tensor, graph_text, read_graph
from .saved.plans import plan_data, read_plan
from .tensors import Tensor

if TYPE_CHECKING:
    from ...handles import Handle as OwnHandle
    from ...types import DevicePointer
    from .handles import HandleLike

    #: Arrays or addresses by tensors, names or uids.
    Pack: TypeAlias = (
        Mapping[int, DevicePointer] | Mapping[str, DevicePointer] | Mapping[Tensor, DevicePointer]
    )


class pygraph(Planning):
    """A graph of operations on tensors: recorded, planned, built and executed in steps.

    Example::

        graph = cudnn.pygraph(io_data_type=cudnn.data_type.HALF, handle=handle)
        a = graph.tensor(name="a", dim=[4, 128, 64], stride=[8192, 64, 1])
        b = graph.tensor(name="b", dim=[4, 64, 256], stride=[16384, 256, 1])
        c = graph.matmul(a, b).set_output(True)
        graph.build([cudnn.heur_mode.A])
        graph.execute({a: a_array, b: b_array, c: c_array}, workspace, handle=handle)
    """

    def _program(self, index: int | None = None) -> Program:
        """Return what executes a plan.

        Raises:
            cudnnGraphNotSupportedError: it cannot be built.
        """
        if self._loaded is not None:
            return self._loaded
        if index is None:
            if not self._is_built:
                self.build()
            index = self._index
        made: Program | None = self._programs.get(index)
        if made is None:
            plan = self._build_at(index)
            lowering = self._lowering
            assert lowering is not None
            names = {own.uid: tensor.name for tensor, own in lowering.made.items()}
            uids = {own.uid: tensor.uid for tensor, own in lowering.made.items()}
            assert all(uid == own for own, uid in uids.items() if uid in self._by_uid)
            made = Program(plan, lowering.hidden, lowering.aligned, names)
            self._programs[index] = made
        return made

    def get_workspace_size(
        self,
        handle: HandleLike | None = None,
        override_uids: object = None,
        override_shapes: object = None,
        override_strides: object = None,
    ) -> int:
        """Return the bytes of workspace that the selected plan needs.

        Raises:
            RuntimeError: no plan is built.
            cudnnGraphNotSupportedError: the graph or the release has no overrides.
        """
        if self._loaded is None and not self._is_built:
            raise RuntimeError("get_workspace_size: call build or build_plans first")
        others = override_uids, override_shapes, override_strides
        return int(overridden(self, self._program(), *others).plan.workspace_size)

    def get_workspace_size_plan_at_index(
        self,
        index: int,
        handle: HandleLike | None = None,
        override_uids: object = None,
        override_shapes: object = None,
        override_strides: object = None,
    ) -> int:
        """Return the bytes of workspace that a plan needs; it is built if it is not yet."""
        self._config(index)
        self._refuse_barred(index)
        others = override_uids, override_shapes, override_strides
        return int(overridden(self, self._program(index), *others).plan.workspace_size)

    def execute(
        self,
        tensor_dict: Pack | Sequence[DevicePointer],
        workspace: DevicePointer = None,
        handle: HandleLike | None = None,
        override_uids: object = None,
        override_shapes: object = None,
        override_strides: object = None,
        tensor_uids: Sequence[int] | None = None,
    ) -> None:
        """Execute the selected plan in the stream of the handle; it is built if it is not yet.

        Args:
            tensor_dict: arrays of any library, or addresses, by tensors, names or uids; with
                `tensor_uids` a sequence of them. Shapes and strides are those of the graph.
            workspace: an array or address of `get_workspace_size()` bytes; by default that of the
                handle.
            handle: whose stream is used; by default that of the graph, or of this thread.
            override_uids, override_shapes, override_strides: tensors that have other extents and
                strides in this execution, for a graph with `is_override_shape_enabled` (9.21).
            tensor_uids: the uids of a sequence of arrays.

        Raises:
            ValueError: an array is missing, its address is not a multiple of what the plan needs,
                it tells another data type or device, or fewer bytes; the workspace is too small,
                or overlaps an array; or overrides do not go together.
            cudnnGraphNotSupportedError: no plan can be built, or the graph or the release has no
                overrides.
        """
        program = self._program()
        others = override_uids, override_shapes, override_strides
        chosen = overridden(self, program, *others)
        own = self._launch(chosen, tensor_dict, workspace, handle, tensor_uids)
        if chosen is program and type(tensor_dict) is dict and tensor_uids is None:
            self._shorten(program, tensor_dict, workspace, handle, own)

    def _shorten(
        self, program: Program, given: Pack, workspace: DevicePointer, handle: HandleLike | None,
        own: OwnHandle,
    ) -> None:  # fmt: skip
        """Execute later calls like this one without a Python frame."""
        places = {each.uid: at for at, each in enumerate(program.operands)}
        found = [places.get(uid, -1) for uid in self._uids(given)]
        if len({*found} - {-1}) + len(program.hidden) < len(places):
            return  # some come from elsewhere
        if program.launcher is None:
            program.launcher = launcher(
                program.plan,
                MethodType(pygraph.execute, self),
                [program.slot(each) for each in program.operands],
            )
        if program.launcher is not None:
            for each in (*given.values(), workspace):
                if each is not None:
                    learn_type(each)
            of_thread = handle is None and self._handle is None
            program.launcher._learn(
                handle, own, tuple(given), tuple(found), tuple(given.values()), of_thread
            )
            self.__dict__["execute"] = program.launcher

    def _uids(self, keys: Iterable[object]) -> list[int]:
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
                found.append(-1 if key is None else cast("Tensor", key).get_uid())
        return found

    def execute_plan_at_index(
        self,
        tensor_dict: Pack | Sequence[DevicePointer],
        workspace: DevicePointer = None,
        index: int = 0,
        handle: HandleLike | None = None,
        override_uids: object = None,
        override_shapes: object = None,
        override_strides: object = None,
        tensor_uids: Sequence[int] | None = None,
    ) -> None:
        """Execute a plan, and leave the selected one as it is; see `execute`."""
        if self._loaded is None:
            self._config(index)
            self._refuse_barred(index)
        others = override_uids, override_shapes, override_strides
        program = overridden(self, self._program(index), *others)
        self._launch(program, tensor_dict, workspace, handle, tensor_uids)

    def _launch(
        self, program: Program, given: Pack | Sequence[DevicePointer], workspace: DevicePointer,
        handle: HandleLike | None, uids: Sequence[int] | None,
    ) -> OwnHandle:  # fmt: skip
        """Execute a plan, and return the handle."""
        own = self._own_handle(handle)
        pairs = self._by_uids(given, uids)
        addresses, keep = program.addresses(pairs, own)
        space = _workspace(workspace, program.plan, own)
        launch(program.plan, own, addresses, space, (workspace, *pairs.values()))
        del keep
        return own

    def _by_uids(
        self, given: Pack | Sequence[DevicePointer], uids: Sequence[int] | None = None
    ) -> dict[int, DevicePointer]:
        """Return a variant pack by uids, with the arrays that operations were given."""
        found: dict[int, DevicePointer] = dict(self._bound)
        if uids is not None:
            if len(uids) != len(given) or len(set(uids)) != len(uids):
                raise ValueError(
                    f"tensor_uids: expected {len(given)} different ones, got {list(uids)}"
                )
            found.update(zip(uids, cast("Sequence[DevicePointer]", given), strict=True))
            return found
        pack = cast("Pack", given)
        found.update(zip(self._uids(pack), pack.values(), strict=True))
        found.pop(-1, None)
        return found

    # CUDA graphs

    def populate_cuda_graph(
        self, handle: HandleLike | None, variant_pack: Pack, workspace: DevicePointer,
        cuda_graph: int,
    ) -> None:  # fmt: skip
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
        self, handle: HandleLike | None, variant_pack: Pack, workspace: DevicePointer,
        cuda_graph: int,
    ) -> None:  # fmt: skip
        """Give other arrays to a CUDA graph; see `populate_cuda_graph`."""
        self._into_graph(
            calls.cudnnBackendUpdateCudaGraph, handle, variant_pack, workspace, cuda_graph
        )

    def _into_graph(
        self, function: Callable[..., object], handle: HandleLike | None, given: Pack,
        workspace: DevicePointer, graph: int,
    ) -> None:  # fmt: skip
        program, own = self._program(), self._own_handle(handle)
        pairs = self._by_uids(given)
        addresses, keep = program.addresses(pairs, own)
        space = _workspace(workspace, program.plan, own)
        kept = workspace, keep, tuple(pairs.values())
        with unsupported():
            launch_into(program.plan, function, own, graph, addresses, space, kept)

    def get_cuda_graph_retention(self) -> cuda_graph_retention:
        """Return whether a captured CUDA graph keeps the plan alive, as it was asked for."""
        if self._retention is not None:
            return self._retention
        name = os.environ.get("CUDNN_CUDA_GRAPH_RETENTION", "").upper()
        return getattr(cuda_graph_retention, name, cuda_graph_retention.PER_GRAPH)

    # Texts and bytes

    @overload
    def serialize(
        self, *, as_bytes: Literal[False] = False, include_kernels: bool = True
    ) -> list[int]: ...
    @overload
    def serialize(self, *, as_bytes: Literal[True], include_kernels: bool = True) -> bytes: ...
    def serialize(
        self, *, as_bytes: bool = False, include_kernels: bool = True
    ) -> bytes | list[int]:
        """Return the selected plan, for `deserialize` on such a device with the same release.

        Args:
            as_bytes: whether to return bytes, and not a list of them.
            include_kernels: ignored: the plan always has its kernels.

        Raises:
            cudnnGraphNotSupportedError: no plan is built, or the release cannot write plans.
        """
        if self._loaded is None and not self._is_built:
            raise cudnnGraphNotSupportedError("serialize: no plan is built: call build_plans first")
        program = self._program()
        with unsupported():
            data = plan_data(program, self._by_uid)
        return data if as_bytes else list(data)

    def deserialize(self, *given: object, **named: object) -> None:
        """Take a plan that `serialize` wrote, or the graph of a text that `repr` returned.

        Plans that `serialize` of NVIDIA's front end wrote are taken, too, where cuDNN computes
        them; texts of its graphs are not. It has no digest, so damage may not be noticed.

        Args:
            given: the data; or a handle and the data, and whether kernels have to be part of it.
            named: the same by their names, `handle_`, `pyobj` and `enforce_precompiled`.

        Raises:
            ValueError: the data is damaged, or neither of this package nor of the front end.
            cudnnGraphNotSupportedError: the plan is of another release or device.
        """
        values = list(given)
        handle = named.pop("handle_", None)
        data = named.pop("pyobj", None)
        if values and (values[0] is None or isinstance(values[0], Handle)):
            handle = values.pop(0)
        if data is None:
            if not values:
                raise TypeError("deserialize: expected data, got none")
            data = values.pop(0)
        if isinstance(data, str):
            read_graph(self, data)
            return
        saved = read_plan(bytes(cast("Iterable[int]", data)))
        if handle is not None:
            self._handle = cast("HandleLike", handle)
        own, device = self._where()
        with unsupported():
            plan = Plan.from_json(saved.text, own, device=device)
        self._loaded = Program(plan, saved.hidden, saved.aligned, saved.names)
        self._is_built = True
        for fields in saved.tensors:
            if fields["uid"] not in self._by_uid:
                add_tensor(self, fields)

    def __repr__(self) -> str:
        return graph_text(self)

    def query_tensor_attributes_of_uid(self, uid: int) -> Tensor:
        """Return the tensor with a uid.

        Raises:
            ValueError: there is none.
        """
        found = self._by_uid.get(uid)
        if found is None:
            raise ValueError(f"no tensor of this graph has the uid {uid}")
        return found


def _workspace(given: DevicePointer, plan: Plan, handle: OwnHandle) -> int:
    """Return the address of a workspace; 0 for that of the handle."""
    if given is None or type(given) is int:
        return given or 0
    return plan.check_workspace(given, handle) if plan.workspace_size else 0


log_steps(pygraph)
