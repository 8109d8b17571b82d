"""Softmax, random numbers, block scales, experts, rotary embeddings, and any other operation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Unpack

from ... import errors
from ..record.enum_words import data_type_name, enumerator, extents
from ..record.operation import Operation, Port, parameters_of
from ..record.operations import OPERATIONS
from ..rules import results as infer
from ..tensors import Node, Tensor
from ..arguments import dimension, each_alike
from .pointwise import Operand, Settings
from .shapes import Shapes

_SOFTMAX = OPERATIONS["softmax"]
_RNG = OPERATIONS["rng"]
_QUANTIZE = OPERATIONS["block_scale_quantize"]
_DEQUANTIZE = OPERATIONS["block_scale_dequantize"]
_MOE = OPERATIONS["moe_grouped_matmul"]
_MOE_BACKWARD = OPERATIONS["moe_grouped_matmul_backward"]
_ROPE = OPERATIONS["rope_forward"]
_ROPE_BACKWARD = OPERATIONS["rope_backward"]


class SoftmaxResults(NamedTuple):
    """What `softmax` computes with `statistics`.

    Attributes:
        y: the probabilities.
        stats: the logarithm of the sum of exponentials of each row.
    """

    y: Tensor
    stats: Tensor


class Special(Shapes):
    """Operations of their own kind."""

    def softmax(
        self,
        x: Tensor,
        *,
        sink: Tensor | None = None,
        statistics: bool = False,
        log2: bool | None = None,
        **settings: Unpack[Settings],
    ) -> Any:
        """Add a softmax over the last dimension.

        Args:
            x: the input.
            sink: a logit for each head that takes part in the sum alone.
            statistics: whether to return the logarithm of each row's sum as well.
            log2: whether that logarithm is to the base 2.
            settings: see `Settings`.

        Returns:
            The probabilities; with `statistics`, `SoftmaxResults`.
        """
        self._check_tensors("softmax", x=x)
        inputs = {"x": x} if sink is None else {"x": x, "sink": sink}
        options: dict[str, Any] = {} if log2 is None else {"stats_log2": bool(log2)}
        results = ("y", "stats") if statistics else ("y",)
        node = self._with_settings(_SOFTMAX, inputs, options, results, settings)
        return SoftmaxResults(**node.outputs) if statistics else node.outputs["y"]

    def rng(
        self,
        shape: Sequence[int],
        distribution: Any = "BERNOULLI",
        *,
        seed: Operand,
        offset: Operand | None = None,
        probability: float | None = None,
        minimum: float | None = None,
        maximum: float | None = None,
        mean: float | None = None,
        deviation: float | None = None,
        **settings: Unpack[Settings],
    ) -> Tensor:
        """Add random numbers of the Philox generator.

        Args:
            shape: that of the result.
            distribution: BERNOULLI with `probability` of a 1, UNIFORM between `minimum` and
                `maximum`, or NORMAL with `mean` and `deviation`.
            seed: a number, or an INT64 tensor with one element.
            offset: where in the sequence of the seed to begin: an INT64 tensor with one element,
                or a number passed by value.
            settings: see `Settings`.
        """
        wanted = extents(shape, "shape")
        options: dict[str, Any] = {"shape": wanted}
        inputs: dict[str, Tensor] = {}
        if isinstance(seed, Tensor):
            inputs["seed"] = self._operand(seed, "rng seed", len(wanted))
        else:
            options["seed"] = extents((seed,), "seed", -(2**63))[0]
        if offset is not None:
            inputs["offset"] = self._operand(offset, "rng offset", len(wanted), "INT64")
        name = enumerator(distribution, "RNG_DISTRIBUTION_")
        options["distribution"] = name
        wants = {
            "BERNOULLI": {"probability": probability},
            "UNIFORM": {"minimum": minimum, "maximum": maximum},
            "NORMAL": {"mean": mean, "deviation": deviation},
        }.get(name, {})
        for parameter, value in wants.items():
            if value is None:
                raise errors.ArgumentError(f"rng {name}: expected {parameter}, got none")
            options[parameter] = float(value)
        return self._single(_RNG, inputs, options, settings)

    def block_scale_quantize(
        self,
        x: Tensor,
        block_size: int,
        *,
        axis: int = -1,
        scale_data_type: Any = "FP8_E8M0",
        **settings: Unpack[Settings],
    ) -> tuple[Tensor, Tensor]:
        """Quantize with a scale for each block of elements.

        Args:
            x: the input.
            block_size: the elements of a block, such as 32 of MXFP8 or 16 of NVFP4.
            axis: the dimension that blocks are along.
            scale_data_type: of the scales.
            settings: see `Settings`; the result is FP8_E4M3 unless a data type is set.

        Returns:
            The result and the scales, whose layout is reordered as matrix products want it.
        """
        self._check_tensors("block_scale_quantize", x=x)
        options = {
            "block_size": extents((block_size,), "block_size")[0],
            "axis": dimension(axis, len(x.shape), "block_scale_quantize axis"),
        }
        results = ("y", "scale")
        node = self._with_settings(_QUANTIZE, {"x": x}, options, results, settings)
        scale = node.outputs["scale"]
        scale.given_type = data_type_name(scale_data_type)
        scale.reordering_mode = "F8_128x4"
        return node.outputs["y"], scale

    def block_scale_dequantize(
        self,
        x: Tensor,
        scale: Tensor,
        block_size: int | Sequence[int],
        *,
        negative_scale: bool | None = None,
        **settings: Unpack[Settings],
    ) -> Tensor:
        """Multiply the elements of each block by their scale; see `block_scale_quantize`."""
        self._check_tensors("block_scale_dequantize", x=x, scale=scale)
        sizes = extents(each_alike(block_size, 1), "block_size")
        options: dict[str, Any] = {"block_size": sizes}
        if negative_scale is not None:
            options["negative_scale"] = bool(negative_scale)
        return self._single(_DEQUANTIZE, {"x": x, "scale": scale}, options, settings)

    def moe_grouped_matmul(
        self,
        token: Tensor,
        weight: Tensor,
        first_token_offset: Tensor,
        *,
        mode: Any = "NONE",
        token_index: Tensor | None = None,
        token_ks: Tensor | None = None,
        top_k: int | None = None,
        **settings: Unpack[Settings],
    ) -> Tensor:
        """Multiply the tokens of each expert by its weights.

        Args:
            token: (1, tokens, width).
            weight: (experts, width, columns).
            first_token_offset: INT32 (experts, 1, 1): the first token of each expert.
            mode: NONE for tokens that are sorted by expert, GATHER or SCATTER.
            token_index, token_ks: INT32 tensors that say where tokens come from, or go to.
            top_k: the experts of a token.
            settings: see `Settings`.
        """
        given = {
            **{"token": token, "weight": weight, "first_token_offset": first_token_offset},
            **{"token_index": token_index, "token_ks": token_ks},
        }
        inputs = {port: each for port, each in given.items() if each is not None}
        self._check_tensors("moe_grouped_matmul", **inputs)
        options: dict[str, Any] = {
            "mode": enumerator(mode, "MOE_GROUPED_MATMUL_MODE_", "MoeGroupedMatmulMode")
        }
        if top_k is not None:
            options["top_k"] = top_k
        return self._single(_MOE, inputs, options, settings)

    def moe_grouped_matmul_backward(
        self, token: Tensor, dy: Tensor, first_token_offset: Tensor, **settings: Unpack[Settings]
    ) -> Tensor:
        """Return the gradient of `moe_grouped_matmul` for its weights, (experts, width, columns).

        Args:
            token, first_token_offset: as for `moe_grouped_matmul`.
            dy: the gradient of the result, (1, tokens, columns).
            settings: see `Settings`.
        """
        inputs = {"token": token, "dy": dy, "first_token_offset": first_token_offset}
        self._check_tensors("moe_grouped_matmul_backward", **inputs)
        return self._single(_MOE_BACKWARD, inputs, {}, settings)

    def rope(
        self,
        x: Tensor,
        frequencies: Tensor,
        *,
        output_scale: float | None = None,
        rope_dim: int | None = None,
        **settings: Unpack[Settings],
    ) -> Tensor:
        """Apply a rotary embedding.

        Args:
            x: (batch, heads, length, width).
            frequencies: the angle of each position and pair of elements.
            output_scale: what the result is multiplied by.
            rope_dim: how many elements of the width are rotated; all without one.
            settings: see `Settings`.
        """
        return self._rope(_ROPE, {"x": x}, frequencies, output_scale, rope_dim, settings)

    def rope_backward(
        self,
        dy: Tensor,
        frequencies: Tensor,
        *,
        output_scale: float | None = None,
        rope_dim: int | None = None,
        **settings: Unpack[Settings],
    ) -> Tensor:
        """Return the gradient of `rope` for its input.

        Args:
            dy: the gradient of the result, (batch, heads, length, width).
            frequencies, output_scale, rope_dim, settings: as for `rope`.
        """
        return self._rope(_ROPE_BACKWARD, {"dy": dy}, frequencies, output_scale, rope_dim, settings)

    def _rope(
        self,
        operation: Operation,
        inputs: dict[str, Tensor],
        frequencies: Tensor,
        output_scale: float | None,
        rope_dim: int | None,
        settings: Any,
    ) -> Tensor:
        inputs["frequencies"] = frequencies
        self._check_tensors(operation.kind, **inputs)
        options: dict[str, Any] = {}
        if output_scale is not None:
            options["output_scale"] = float(output_scale)
        if rope_dim is not None:
            options["rope_dim"] = rope_dim
        return self._single(operation, inputs, options, settings)

    def operation(
        self,
        descriptor: Any,
        *,
        outputs: Mapping[str, Tensor | Sequence[int]],
        name: str | None = None,
        **attributes: Any,
    ) -> Any:
        """Add an operation by its descriptor, also one that this package has no method for.

        Args:
            descriptor: the class of the operation's descriptor, such as
                `OperationRopeFwdDescriptor`, or its name.
            outputs: the results by the descriptor's attributes: a shape, or a tensor that was made
                with `virtual=True`.
            name: of the node.
            attributes: everything else by the descriptor's attributes. Tensors, and lists of them,
                are inputs. A pair (descriptor class, attributes) makes a descriptor of parameters.

        Returns:
            The result, or a tuple of results.

        Raises:
            ArgumentError: the descriptor has no such attribute, or is none of an operation.
        """
        cls = descriptor_class(descriptor)
        inputs, options, lists = {}, {}, []
        for key, value in attributes.items():
            _attribute(cls, key)
            if isinstance(value, Tensor):
                inputs[key] = value
            elif isinstance(value, (list, tuple)) and value and isinstance(value[0], Tensor):
                inputs |= {f"{key}{number}": each for number, each in enumerate(value)}
                lists.append(key)
            elif value is not None:
                options[key] = _frozen(value)
        given = {
            key: value
            if isinstance(value, Tensor)
            else self.tensor(extents(value, key), virtual=True)
            for key, value in outputs.items()
        }
        node = self.add_generic(cls, inputs, tuple(lists), given, options, name)
        results = tuple(node.outputs.values())
        return results[0] if len(results) == 1 else results

    def add_generic(
        self,
        cls: Any,
        inputs: dict[str, Tensor],
        lists: tuple[str, ...],
        outputs: dict[str, Tensor],
        options: dict[str, Any],
        name: str | None,
    ) -> Node:
        """Add a node of a descriptor's class, whose ports and options are its attributes."""
        ports = {
            key.rstrip("0123456789") if key.rstrip("0123456789") in lists else key: None
            for key in inputs
        }
        made = Operation(
            cls.__name__,
            cls.c_name.removeprefix("CUDNN_BACKEND_").removesuffix("_DESCRIPTOR"),
            tuple(Port(key, _attribute(cls, key), False, key in lists) for key in ports),
            tuple(Port(key, _attribute(cls, key)) for key in outputs),
            {key: _attribute(cls, key) for key in options},
            None,
            lambda _: {key: infer.Result(each.shape) for key, each in outputs.items()},
            cls=cls,
        )
        return self.add_node(made, inputs, options, name, outputs)


def descriptor_class(descriptor: Any) -> Any:
    """Return the class of an operation's descriptor, by itself or its name.

    Raises:
        ArgumentError: it is none.
    """
    from ... import backend

    if isinstance(descriptor, str):
        found = getattr(backend, descriptor, None)
        if found is None or descriptor not in backend.__all__:
            near = [each for each in backend.__all__ if each.startswith("Operation")]
            raise errors.ArgumentError(
                f"no class of descriptors is called {descriptor!r}",
                hint=f"one of {', '.join(near)}",
            )
        descriptor = found
    c_name = getattr(descriptor, "c_name", "")
    if not c_name.startswith("CUDNN_BACKEND_OPERATION_"):
        raise errors.ArgumentError(
            f"expected the class of an operation's descriptor, got {descriptor!r}"
        )
    return descriptor


def _attribute(cls: Any, keyword: str) -> str:
    from ..._attributes import DESCRIPTORS

    known = DESCRIPTORS[cls.__name__][1]
    if keyword not in known:
        raise errors.ArgumentError(
            f"{cls.__name__} has no attribute {keyword!r}", hint=f"one of {', '.join(known)}"
        )
    return known[keyword].removeprefix("CUDNN_ATTR_")


def _frozen(value: Any) -> Any:
    """Return an option as a hashable value."""
    if isinstance(value, (list, tuple)):
        if len(value) == 2 and isinstance(value[0], type) and isinstance(value[1], Mapping):
            return parameters_of(
                value[0].__name__, tuple((k, _frozen(v)) for k, v in value[1].items())
            )
        return tuple(_frozen(each) for each in value)
    name = getattr(value, "name", None)
    return name if isinstance(name, str) else value
