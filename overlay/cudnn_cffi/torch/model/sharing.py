"""The same choices in all processes of a group, so that all run the same algorithms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ... import choice, errors, library
from ...choice import policy
from ..modules.base import Cudnn
from .choosing import Choices

if TYPE_CHECKING:
    from torch import nn
    from torch.distributed import ProcessGroup


def share_choices(
    model: nn.Module | None = None, group: ProcessGroup | None = None, *, source: int = 0
) -> Choices | None:
    """Share the choices of one process with all of a group, by `broadcast_object_list`.

    It passes on the choice of the process (`choice.set_default`), the choices by timing until now,
    and the choices of the model's modules. So call it in each process when the first step has been
    made, if choices are made by timing; other choices follow from the release and the device, which
    have to be the same.

    Args:
        model: a converted model, also one in `DistributedDataParallel`; None for no modules.
        group: of `torch.distributed`; by default that of all processes.
        source: the process that the others follow: its rank in the group of all processes.

    Returns: the choices of the model; None without a model.

    Raises:
        VersionMismatchError: the other process has another release of cuDNN; raised in each such
            process, after the exchange.
        ArgumentError: the model has other modules there.
        CudnnError: the other process cannot tell its choices; raised in each process.
    """
    from torch import distributed

    model = getattr(model, "module", model) if _is_parallel(model) else model
    is_source = distributed.get_rank() == source
    message: list[Any] = [None]
    failure: errors.CudnnError | None = None
    if is_source:
        try:
            message[0] = {
                "release": library.load().version,
                "default": choice.default_policy(),
                "choices": choice.export(timed=True),
                "layers": None if model is None else Choices.of(model).to_json(),
            }
        except errors.CudnnError as error:  # which the others would wait for
            failure, message[0] = error, {"error": f"{error}"}
    distributed.broadcast_object_list(message, src=source, group=group)
    if failure is not None:
        raise failure
    sent = message[0]
    if "error" in sent:
        raise errors.CudnnError(f"the process {source} has no choices to share: {sent['error']}")
    chosen = None if sent["layers"] is None else Choices.from_json(sent["layers"])
    if is_source:
        return chosen if model is not None else None
    loaded = library.load().version
    if sent["release"] != loaded:
        raise errors.VersionMismatchError(
            f"the process {source} has cuDNN {sent['release']}, {loaded} is loaded here"
        )
    policy.replace_default(sent["default"])  # also in place of what the environment says here
    choice.adopt(sent["choices"])
    if model is None:
        return None
    for module in model.modules():
        if isinstance(module, Cudnn):
            module.choose = None  # which also forgets what was found
    if chosen is not None:
        chosen.apply(model)
    return chosen


def _is_parallel(model: object) -> bool:
    from torch import nn

    return isinstance(model, (nn.parallel.DistributedDataParallel, nn.DataParallel))
