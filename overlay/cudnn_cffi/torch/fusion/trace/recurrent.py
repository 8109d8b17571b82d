"""Results of recurrent layers, whose weights PyTorch's fake tensors cannot read on a GPU."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from ...autograd.switches import autocast_type

#: The layers whose results are known here.
LAYERS = nn.RNN, nn.GRU, nn.LSTM


def like_results(layer: Any, input: Any, *_hx: object, **_named: object) -> Any:
    """Return tensors like the output and the last states of a layer, of the class of its input.

    None for packed sequences, for classes of others, and under the CPU's autocast, which does not
    give all of them its type.
    """
    x = input
    if type(layer) not in LAYERS or not isinstance(x, Tensor) or x.dim() not in (2, 3):
        return None
    lower = None if x.dtype == torch.float64 else autocast_type(x.device.type)
    if lower is not None and x.device.type == "cpu":
        return None
    dtype = x.dtype if lower is None else lower
    both, width = 1 + layer.bidirectional, layer.proj_size or layer.hidden_size
    turned = layer.batch_first and x.dim() == 3
    given = x.transpose(0, 1) if turned else x
    y = x.new_empty((*given.shape[:-1], both * width), dtype=dtype)
    batch = given.shape[1:-1]
    states = [
        x.new_empty((both * layer.num_layers, *batch, each), dtype=dtype)
        for each in ((width, layer.hidden_size) if type(layer) is nn.LSTM else (width,))
    ]
    return y.transpose(0, 1) if turned else y, tuple(states) if len(states) > 1 else states[0]
