"""The normalizations of a graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..enums import norm_forward_phase
from ..tensors import Node, Tensor
from .structured import Structured

if TYPE_CHECKING:
    from ..tensors import Operand, OutDims

Shapes = Mapping[str, Sequence[int]]

_FORWARD = {"Y": "Y", "mean": "MEAN", "inv_var": "INV_VARIANCE"}
_BACKWARD = {"DX": "DX", "DScale": "DSCALE", "DBias": "DBIAS"}
_RMS_BACKWARD = {"DX": "DX", "DScale": "Dscale", "DBias": "Dbias"}
_RUNNING = {"next_running_mean": "NEXT_RUNNING_MEAN", "next_running_var": "NEXT_RUNNING_VAR"}


def _normalized(first: int) -> Any:
    """Infer statistics: of extent 1 in each dimension that the scale spans, from `first` on."""

    def infer(node: Node) -> Shapes:
        dim = list(node.inputs["input"].dim)
        if "scale" not in node.inputs:
            stats = [extent if axis == 0 else 1 for axis, extent in enumerate(dim)]
        else:
            scale = node.inputs["scale"].dim
            if len(scale) != len(dim):
                return {"Y": dim}
            stats = [
                1 if axis >= first and scale[axis] != 1 else extent
                for axis, extent in enumerate(dim)
            ]
        return {"Y": dim, "mean": stats, "inv_var": stats}

    return infer


def _kept(*axes: int) -> Any:
    """Infer statistics with the extents of some dimensions, and 1 in the others."""

    def infer(node: Node) -> Shapes:
        dim = list(node.inputs["input"].dim)
        stats = [extent if axis in axes else 1 for axis, extent in enumerate(dim)]
        return {"Y": dim, **dict.fromkeys(("mean", "inv_var", *_RUNNING), stats)}

    return infer


def _gradients(node: Node) -> Shapes:
    found = {"DX": list(node.inputs["input"].dim)}
    if "scale" in node.inputs:
        found["DScale"] = found["DBias"] = list(node.inputs["scale"].dim)
    return found


class Norms(Structured):
    """Normalizations; their results are lists, with None for what is not computed."""

    def _norm(
        self,
        word: str,
        ports: Mapping[str, str],
        inputs: Mapping[str, Operand | None],
        params: Mapping[str, object],
        settings: tuple[str, Any, Any],
        dims: Any,
        absent: Sequence[str] = (),
    ) -> list[Tensor | None]:
        name, compute, out_dims = settings
        kind = word.upper().replace("BACKWARD", "BWD")
        wanted = {port: end for port, end in ports.items() if port not in absent}
        self.add_node(word, kind, inputs, params, wanted, name, compute, dims, out_dims)
        made = self._nodes[-1].outputs
        return [made.get(port) for port in ports]

    def _forward(
        self, word: str, dims: Any, inputs: Mapping[str, Operand | None], phase: Any, settings: Any
    ) -> list[Tensor | None]:
        names = [each for each in inputs if isinstance(inputs[each], norm_forward_phase)]
        if names:  # the phase is the first argument, as in older front ends
            values = [each for each in (*inputs.values(), phase) if each is not inputs[names[0]]]
            phase, inputs = inputs[names[0]], dict(zip(inputs, values, strict=False))
        absent = ("mean", "inv_var") if phase is norm_forward_phase.INFERENCE else ()
        ports = {k: v for k, v in _FORWARD.items() if k != "mean" or word != "rmsnorm"}
        params = {"norm_forward_phase": phase}
        return self._norm(word, ports, inputs, params, settings, dims, absent)

    def _backward(
        self, word: str, inputs: Mapping[str, Operand | None], settings: Any
    ) -> list[Tensor | None]:
        absent = () if inputs["scale"] is not None else ("DScale", "DBias")
        return self._norm(word, _BACKWARD, inputs, {}, settings, _gradients, absent)

    def rmsnorm(
        self,
        input: Operand,
        scale: Operand | None = None,
        bias: Operand | None = None,
        epsilon: Operand | None = None,
        norm_forward_phase: Any = None,
        *,
        name: str = "",
        compute_data_type: object = None,
        out_dims: OutDims | None = None,
    ) -> list[Tensor | None]:
        """Return the result of an RMS normalization, and the inverse root mean square."""
        inputs = {"input": input, "scale": scale, "bias": bias, "epsilon": epsilon}
        settings = (name, compute_data_type, out_dims)
        return self._forward("rmsnorm", _normalized(0), inputs, norm_forward_phase, settings)

    def layernorm(
        self,
        input: Operand,
        scale: Operand | None = None,
        bias: Operand | None = None,
        epsilon: Operand | None = None,
        norm_forward_phase: Any = None,
        *,
        name: str = "",
        compute_data_type: object = None,
        out_dims: OutDims | None = None,
    ) -> list[Tensor | None]:
        """Return the result of a layer normalization, mean and inverse deviation."""
        inputs = {"input": input, "scale": scale, "bias": bias, "epsilon": epsilon}
        settings = (name, compute_data_type, out_dims)
        return self._forward("layernorm", _normalized(0), inputs, norm_forward_phase, settings)

    def adalayernorm(
        self,
        input: Operand,
        scale: Operand,
        bias: Operand | None = None,
        epsilon: Operand | None = None,
        norm_forward_phase: Any = None,
        *,
        name: str = "",
        compute_data_type: object = None,
        out_dims: OutDims | None = None,
    ) -> list[Tensor | None]:
        """Return a layer normalization with a scale for each batch entry, and statistics."""
        inputs = {"input": input, "scale": scale, "bias": bias, "epsilon": epsilon}
        settings = (name, compute_data_type, out_dims)
        return self._forward("adalayernorm", _normalized(1), inputs, norm_forward_phase, settings)

    def instancenorm(
        self,
        input: Operand,
        scale: Operand,
        bias: Operand | None = None,
        epsilon: Operand | None = None,
        norm_forward_phase: Any = None,
        *,
        name: str = "",
        compute_data_type: object = None,
        out_dims: OutDims | None = None,
    ) -> list[Tensor | None]:
        """Return the result of an instance normalization, mean and inverse deviation."""
        inputs = {"input": input, "scale": scale, "bias": bias, "epsilon": epsilon}
        settings = (name, compute_data_type, out_dims)
        return self._forward("instancenorm", _kept(0, 1), inputs, norm_forward_phase, settings)

    def layernorm_backward(
        self,
        grad: Operand,
        input: Operand,
        scale: Operand | None = None,
        mean: Operand | None = None,
        inv_variance: Any = None,
        *,
        name: str = "",
        compute_data_type: object = None,
        out_dims: OutDims | None = None,
    ) -> list[Tensor | None]:
        """Return the gradients of `layernorm` for its input, scale and bias."""
        inputs = {"grad": grad, "input": input, "scale": scale}
        inputs |= {"mean": mean, "inv_variance": inv_variance}
        return self._backward("layernorm_backward", inputs, (name, compute_data_type, out_dims))

    def adalayernorm_backward(
        self,
        grad: Operand,
        input: Operand,
        scale: Operand,
        mean: Operand,
        inv_variance: Any,
        *,
        name: str = "",
        compute_data_type: object = None,
        out_dims: OutDims | None = None,
    ) -> list[Tensor | None]:
        """Return the gradients of `adalayernorm` for its input, scale and bias."""
        inputs = {"grad": grad, "input": input, "scale": scale}
        inputs |= {"mean": mean, "inv_variance": inv_variance}
        return self._backward("adalayernorm_backward", inputs, (name, compute_data_type, out_dims))

    def instancenorm_backward(
        self,
        grad: Operand,
        input: Operand,
        scale: Operand,
        mean: Operand,
        inv_variance: Any,
        *,
        name: str = "",
        compute_data_type: object = None,
        out_dims: OutDims | None = None,
    ) -> list[Tensor | None]:
        """Return the gradients of `instancenorm` for its input, scale and bias."""
        inputs = {"grad": grad, "input": input, "scale": scale}
        inputs |= {"mean": mean, "inv_variance": inv_variance}
        return self._backward("instancenorm_backward", inputs, (name, compute_data_type, out_dims))

    def rmsnorm_backward(
        self,
        grad: Operand,
        input: Operand,
        scale: Operand | None = None,
        inv_variance: Any = None,
        has_dbias: bool | None = None,
        *,
        name: str = "",
        compute_data_type: object = None,
        out_dims: OutDims | None = None,
    ) -> list[Tensor | None]:
        """Return the gradients of `rmsnorm` for its input, scale, and bias if it had one."""
        inputs = {"grad": grad, "input": input, "scale": scale, "inv_variance": inv_variance}
        absent = () if scale is not None else ("DScale", "DBias")
        if has_dbias is False:
            absent = (*absent, "DBias")
        return self._norm(
            "rmsnorm_backward",
            _RMS_BACKWARD,
            inputs,
            {"has_dbias": has_dbias},
            (name, compute_data_type, out_dims),
            _gradients,
            absent,
        )

    def batchnorm(
        self,
        input: Operand,
        scale: Operand,
        bias: Operand,
        in_running_mean: Any = None,
        in_running_var: Any = None,
        epsilon: Operand | None = None,
        momentum: Any = None,
        *,
        peer_stats: Sequence[Any] = (),
        name: str = "",
        compute_data_type: object = None,
        out_dims: OutDims | None = None,
    ) -> list[Tensor | None]:
        """Return a batch normalization: result, mean, inverse deviation, running statistics."""
        first = {"input": input, "scale": scale, "bias": bias}
        running = {"in_running_mean": in_running_mean, "in_running_var": in_running_var}
        rest = {"epsilon": epsilon, "momentum": momentum, **_peers(peer_stats)}
        return self._norm(
            "batchnorm",
            {**_FORWARD, **_RUNNING},
            {**first, **running, **rest},
            {},
            (name, compute_data_type, out_dims),
            _kept(1),
            () if in_running_mean is not None else tuple(_RUNNING),
        )

    def batchnorm_inference(
        self,
        input: Operand,
        mean: Operand,
        inv_variance: Any,
        scale: Operand,
        bias: Operand,
        *,
        name: str = "",
        compute_data_type: object = None,
        out_dims: OutDims | None = None,
    ) -> Tensor:
        """Return a batch normalization by statistics that are known."""
        inputs = {"input": input, "mean": mean, "inv_variance": inv_variance}
        inputs |= {"scale": scale, "bias": bias}
        settings = (name, compute_data_type, out_dims)
        made = self._norm("batchnorm_inference", {"Y": "Y"}, inputs, {}, settings, _kept())
        assert made[0] is not None
        return made[0]

    def batchnorm_backward(
        self,
        grad: Operand,
        input: Operand,
        scale: Operand,
        mean: Operand,
        inv_variance: Any,
        *,
        peer_stats: Sequence[Any] = (),
        name: str = "",
        compute_data_type: object = None,
        out_dims: OutDims | None = None,
    ) -> list[Tensor | None]:
        """Return the gradients of `batchnorm` for its input, scale and bias."""
        inputs = {"grad": grad, "input": input, "scale": scale}
        inputs |= {"mean": mean, "inv_variance": inv_variance, **_peers(peer_stats)}
        settings = (name, compute_data_type, out_dims)
        return self._norm("batchnorm_backward", _BACKWARD, inputs, {}, settings, _gradients)


def _peers(stats: Sequence[Any]) -> dict[str, Any]:
    return {f"peer_stats_{place}": each for place, each in enumerate(stats)}
