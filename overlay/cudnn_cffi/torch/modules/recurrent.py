"""Modules of recurrent networks, which keep PyTorch's parameters in PyTorch's buffer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self, TypeAlias

from torch import Tensor, nn
from torch.nn.utils.rnn import PackedSequence

from ... import errors
from ...choice.policy import Policy
from ..autograd.layer import REFUSALS
from ..autograd.switches import may_compute
from ..functional.recurrent import Recurrent
from .base import Cudnn, is_plain, is_traceable

if TYPE_CHECKING:
    from ...choice.policy_words import Pick


#: States before the first element: of an LSTM with the cells.
States: TypeAlias = Tensor | tuple[Tensor, Tensor] | None
#: The results: the output, and the last states.
Found: TypeAlias = tuple[Tensor | PackedSequence, Tensor | tuple[Tensor, Tensor]]
_Pair: TypeAlias = tuple[Tensor | None, Tensor | None]


class _Network(Cudnn):
    """The base of recurrent networks.

    PyTorch computes: when traced: dropout, packed sequences
    """

    _decides = frozenset(
        {"input_size", "hidden_size", "num_layers", "bias", "batch_first", "dropout"}
        | {"bidirectional", "proj_size", "mode"}
    )

    def forward(self, input: Tensor | PackedSequence, hx: States = None) -> Found:
        data = input.data if isinstance(input, PackedSequence) else input
        fits = is_plain(data) or self._is_traceable(input)
        if data.numel() and fits and may_compute():
            try:
                return self._by_cudnn(input, hx)
            except REFUSALS as error:
                self._refuse(error, data, section="recurrent", algorithms=True)
                self._note(data, error)
        else:
            why = "PyTorch computes what is traced, and all if torch.backends.cudnn is off"
            self._leave(why, data, section="recurrent", algorithms=True)
        return super().forward(input, hx)

    def set_mode(
        self, forward: Pick | None = None, data: Pick | None = None,
        filter: Pick | None = None, *, recurrent: Pick | None = None,
    ) -> Self:  # fmt: skip
        """Choose the algorithm of this module, which its gradients have, too.

        Args:
            forward: the same as `recurrent`, by its place.
            data, filter: not for these modules.
            recurrent: a pick as for `choose`, such as "PERSIST_STATIC", or None for what holds
                elsewhere.

        Returns: the module.

        Raises:
            ArgumentError: gradients were given an algorithm of their own.
        """
        if data is not None or filter is not None or None not in (forward, recurrent):
            raise errors.ArgumentError(
                "set_mode: expected one algorithm, which gradients of recurrent networks have, too",
                hint='recurrent="PERSIST_STATIC", for example',
            )
        self.choose = Policy.of(recurrent=forward if recurrent is None else recurrent)
        return self

    def _is_traceable(self, input: Tensor) -> bool:
        drops = self.dropout and self.training and self.num_layers > 1
        return not isinstance(input, PackedSequence) and not drops and is_traceable(input)

    def _note(self, data: Tensor, error: errors.CudnnError) -> None:
        for each in self.__dict__.get("_layer", {}).values():
            each.note((data,), error)
            return

    def _by_cudnn(self, x: Tensor | PackedSequence, hx: States) -> Found:
        self._update_flat_weights()
        if isinstance(x, PackedSequence):
            return self._packed(x, hx)
        if x.dim() == 2:
            place = 0 if self.batch_first else 1
            y, states = self._run(x.unsqueeze(place), self._widened(hx), None)
            states = tuple(each.squeeze(1) for each in states)
            return y.squeeze(place), self._states(states)
        y, states = self._run(x, self._tuple(hx), None)
        return y, self._states(states)

    def _packed(self, x: PackedSequence, hx: States) -> Found:
        sizes = x.batch_sizes.tolist()  # on the CPU, as PyTorch has them
        lengths = [0] * sizes[0]
        for size in sizes:
            for place in range(size):
                lengths[place] += 1
        if hx is not None:
            hx = self.permute_hidden(hx, x.sorted_indices)
        y, states = self._run(x.data, self._tuple(hx), tuple(lengths))
        packed = PackedSequence(y, x.batch_sizes, x.sorted_indices, x.unsorted_indices)
        return packed, self.permute_hidden(self._states(states), x.unsorted_indices)

    def _run(
        self, x: Tensor, states: _Pair, lengths: tuple[int, ...] | None
    ) -> tuple[Tensor, tuple[Tensor, ...]]:
        rate = float(self.dropout) if self.training else 0.0
        packed = lengths is not None
        layer = self._kept((rate, packed), lambda: self._new_layer(rate, packed))
        y, *found = layer(x, *states, lengths, *self._flat_weights)
        return y, tuple(found)

    def _new_layer(self, rate: float, packed: bool) -> Recurrent:
        return Recurrent(
            self.mode, self.input_size, self.hidden_size, self.num_layers, bool(self.bias),
            bool(self.batch_first) and not packed, rate if self.num_layers > 1 else 0.0,
            bool(self.bidirectional), self.proj_size, packed, choose=self.choose,
        )  # fmt: skip

    @staticmethod
    def _tuple(hx: States) -> _Pair:
        if hx is None:
            return None, None
        return (hx[0], hx[1]) if isinstance(hx, (tuple, list)) else (hx, None)

    def _widened(self, hx: States) -> _Pair:
        first, second = self._tuple(hx)
        return (
            None if first is None else first.unsqueeze(1),
            None if second is None else second.unsqueeze(1),
        )

    @staticmethod
    def _states(states: tuple[Tensor, ...]) -> Tensor | tuple[Tensor, ...]:
        return states if len(states) > 1 else states[0]


class RNN(_Network, nn.RNN):
    """`torch.nn.RNN`, computed by cuDNN."""


class LSTM(_Network, nn.LSTM):
    """`torch.nn.LSTM`, computed by cuDNN."""


class GRU(_Network, nn.GRU):
    """`torch.nn.GRU`, computed by cuDNN."""
