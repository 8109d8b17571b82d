"""Multi-head attention by C functions beside its formula in float64: drawn options and layouts.

Vectors lie in memory full of NaN, as do those after the ends of sequences, and workspaces.
"""

from __future__ import annotations

import math
import random
from typing import Any

import pytest
from cudnn_cffi.errata.asks import wrong_function

#: By the largest number of what is expected.
LIMITS = {"float64": 1e-10, "float32": 1e-4, "float16": 2e-2}

CALLS = 40

KINDS = {"q": "Q", "k": "K", "v": "V", "o": "O"}

#: The axes of a batch of sequences, and their places in the arrays of this file.
AXES = {"BATCH_DIM": 0, "TIME_DIM": 1, "BEAM_DIM": 2, "VECT_DIM": 3}


class Attention:
    """A drawn attention: its options, sequences and weights.

    Attributes:
        sizes: the elements of vectors of q, k, v and o.
        projections: those that they are projected to; 0 for none.
        lengths: of the sequences of each of q, k, v and o, by example and beam.
        seen: of each query the first key, and the one after the last.
    """

    def __init__(self, seed: int) -> None:
        pick = random.Random(seed).choice
        self.random = random.Random(seed)
        self.dtype = pick([*LIMITS])
        self.heads, self.batch, self.beams = pick([1, 2, 3]), pick([1, 2, 3]), pick([1, 1, 2])
        self.is_one_to_one = pick([False, True])
        wide = pick([4, 6, 8])
        self.projections = {"q": pick([0, wide]), "k": pick([0, wide]), "v": pick([0, 3, 8]),
                            "o": pick([0, 5, 8])}  # fmt: skip
        p = self.projections
        self.sizes = {"q": pick([3, 8, 16]) if p["q"] else wide,
                      "k": pick([5, 8, 16]) if p["k"] else wide, "v": pick([1, 3, 8])}  # fmt: skip
        self.sizes["o"] = p["o"] or self.heads * (p["v"] or self.sizes["v"])
        self.queries, self.keys = pick([1, 2, 5, 9]), pick([1, 2, 7, 33])
        self.has_bias = pick([False, False, True])
        self.has_residual = self.sizes["q"] == self.sizes["o"] and pick([False, True])
        self.scale, self.adds = pick([0.0, 0.5, 1.0]), pick([False, True])
        self.is_training = pick([True, True, False])
        self.step = -1 if self.is_training else pick([-1, self.queries - 1])
        self.spare = pick([0, 2])
        orders = [[*AXES], ["TIME_DIM", "BATCH_DIM", "BEAM_DIM", "VECT_DIM"],
                  ["BEAM_DIM", "BATCH_DIM", "TIME_DIM", "VECT_DIM"]]  # fmt: skip
        self.orders = {name: pick(orders) for name in KINDS}
        is_short, seen = pick([False, True]), pick(["all", "causal", "band"])
        self.seen = [{"all": (0, self.keys), "causal": (0, min(i + 1, self.keys)),
                      "band": (min(max(i - 1, 0), self.keys - 1), min(i + 3, self.keys))}[seen]
                     for i in range(self.queries)]  # fmt: skip
        # Keys after a length are not seen; each query sees one key at least.
        least = {"q": 1, "k": 1 + max(first for first, _ in self.seen)}

        def drawn(name: str, most: int, beams: int) -> list[list[int]]:
            some = range(least[name] if is_short else most, most + 1)
            return [[self.random.choice(some) for _ in range(beams)] for _ in range(self.batch)]

        self.lengths = {"q": drawn("q", self.queries, self.beams),
                        "k": drawn("k", self.keys, self.beams if self.is_one_to_one else 1)}  # fmt: skip
        self.lengths |= {"o": self.lengths["q"], "v": self.lengths["k"]}

    def __str__(self) -> str:
        return ", ".join(f"{name} {each}" for name, each in vars(self).items() if name != "random")

    def sequences(self, torch: Any, name: str, numbers: bool = True) -> Any:
        """Return vectors as (batch, time, beam, vector), which lie in the drawn order."""
        lengths = self.lengths[name]
        time = self.queries if name in "qo" else self.keys
        shape = (self.batch, time, len(lengths[0]), self.sizes[name])
        places = [AXES[axis] for axis in self.orders[name]]
        kind = getattr(torch, self.dtype)
        room = torch.full((math.prod(shape) + 64,), math.nan, dtype=kind, device="cuda")
        whole = room[: math.prod(shape)].reshape([shape[place] for place in places])
        made = whole.permute([places.index(axis) for axis in range(4)])
        made.room = room
        if numbers:
            made.copy_(torch.randn(shape, dtype=torch.float64))
            for example, row in enumerate(lengths):
                for beam, length in enumerate(row):
                    made[example, length:, beam] = 0.0
        return made

    def descriptor(self, cudnn: Any, name: str, array: Any) -> Any:
        batch, time, beams, size = array.shape
        return cudnn.SeqDataDescriptor.of(
            time, batch, beams, size, self.dtype, axes=self.orders[name],
            lengths=[each for row in self.lengths[name] for each in row],
        )  # fmt: skip

    def attend(self, torch: Any, q: Any, k: Any, v: Any, parts: Any) -> Any:
        """Return results by the formula; zeros after the ends of sequences."""

        def projected(x: Any, name: str, head: int) -> Any:
            weight, bias = parts.get(f"{name} weight"), parts.get(f"{name} bias")
            x = x if weight is None else x @ weight[head].T
            return x if bias is None else x + bias[head]

        y = torch.zeros(self.batch, self.queries, self.beams, self.sizes["o"], dtype=torch.float64)
        for example, row in enumerate(self.lengths["q"]):
            for beam, count in enumerate(row):
                of_keys = beam if self.is_one_to_one else 0
                end = self.lengths["k"][example][of_keys]
                mask = torch.ones(count, end, dtype=torch.bool)
                for i, (first, last) in enumerate(self.seen[:count]):
                    mask[i, first:last] = False
                heads = []
                for head in range(self.heads):
                    queries = projected(q[example, :count, beam], "q", head)
                    keys = projected(k[example, :end, of_keys], "k", head)
                    scores = (self.scale * queries @ keys.T).masked_fill(mask, -math.inf)
                    found = scores.softmax(1) @ projected(v[example, :end, of_keys], "v", head)
                    weight = parts.get("o weight")
                    heads.append(found if weight is None else found @ weight[head].T)
                whole = torch.cat(heads, 1) if "o weight" not in parts else sum(heads)
                y[example, :count, beam] = whole + parts.get("o bias", 0.0)
        return y


def parts_of(cudnn: Any, handle: Any, desc: Any, buffer: Any, size: int, wide: Any) -> Any:
    """Return views of the matrices and biases in `wide`, which lie as in a buffer of weights."""
    parts, found = {}, cudnn.TensorDescriptor()
    for name, letter in KINDS.items():
        for kind in ("WEIGHTS", "BIASES"):
            address = cudnn.cudnnGetMultiHeadAttnWeights(
                handle, desc, cudnn.MultiHeadAttnWeightKind[f"{letter}_{kind}"],
                size, buffer, found,
            )  # fmt: skip
            if not address:
                continue
            offset = (address - buffer.data_ptr()) // buffer.element_size()
            view = wide.as_strided(found.shape[:3], found.strides[:3], offset)
            if kind == "WEIGHTS":
                parts[f"{name} weight"] = view
            else:
                parts[f"{name} bias"] = view.reshape(-1) if name == "o" else view.flatten(1)
    return parts


def check(array: Any, wanted: Any, lengths: Any, limit: float, what: str) -> None:
    """Compare sequences up to their ends."""
    found, size = array.cpu().double(), max(float(wanted.abs().max()), 1e-2)
    for example, row in enumerate(lengths):
        for beam, length in enumerate(row):
            error = found[example, :length, beam] - wanted[example, :length, beam]
            assert float(error.abs().max()) <= limit * size, what
    array.fill_(math.nan)
    assert array.room.isnan().all(), what


@pytest.mark.parametrize("seed", range(4))
def test_numbers(cudnn: Any, torch: Any, handle: Any, seed: int) -> None:
    ran = begun = 0
    while ran < CALLS:
        begun += 1
        assert begun < 10 * CALLS, "cuDNN refuses too many calls"
        torch.manual_seed(begun)
        ran += _compare(cudnn, torch, handle, Attention(1000 * seed + begun))


def _compare(cudnn: Any, torch: Any, handle: Any, a: Attention) -> bool:
    """Compare results and gradients; tell whether cuDNN has them."""
    modes, p = cudnn.AttnMode, a.projections
    facts: Any = {
        "projects_values": p["v"] > 0, "projects_output": p["o"] > 0,
        "time_first": any(e.index("TIME_DIM") < e.index("BATCH_DIM") for e in a.orders.values()),
    }  # fmt: skip
    if wrong_function("cudnnMultiHeadAttnForward", facts):
        return False
    mode = int(modes["QUERYMAP_ONE_TO_ONE" if a.is_one_to_one else "QUERYMAP_ALL_TO_ONE"])
    mode |= int(modes["ENABLE_PROJ_BIASES" if a.has_bias else "DISABLE_PROJ_BIASES"])
    q, k, v, do = (a.sequences(torch, name) for name in KINDS)
    o = a.sequences(torch, "o", False)
    try:
        desc = cudnn.AttnDescriptor.of(
            a.heads, a.sizes["q"], a.sizes["k"], a.sizes["v"], q_projection=p["q"],
            k_projection=p["k"], v_projection=p["v"], o_projection=p["o"],
            max_q_length=a.queries + a.spare, max_kv_length=a.keys + a.spare,
            max_batch=a.batch + a.spare, max_beam=a.beams, scale=a.scale, dtype=a.dtype,
            math="FMA_MATH" if a.dtype == "float32" else "DEFAULT_MATH", mode=mode,
        )  # fmt: skip
        size, work, keep = cudnn.cudnnGetMultiHeadAttnBuffers(handle, desc)
    except (cudnn.NotSupportedError, cudnn.BadParamError):
        return False
    descs = {
        name: a.descriptor(cudnn, name, each)
        for name, each in zip(KINDS, (q, k, v, o), strict=True)
    }
    kind = getattr(torch, a.dtype)
    weights = (torch.randn(max(size // kind.itemsize, 1)) * 0.4).to(kind).cuda()
    wide = weights.cpu().double().requires_grad_()
    parts = parts_of(cudnn, handle, desc, weights, size, wide)
    leaves = [each.cpu().double().requires_grad_() for each in (q, k, v)]
    q_wide, k_wide, v_wide = leaves
    wanted = a.attend(torch, q_wide, k_wide, v_wide, parts)
    gradients = torch.autograd.grad(wanted, [*leaves, wide], do.cpu().double(), allow_unused=True)
    wanted = wanted.detach()
    residual = a.sequences(torch, "q") if a.has_residual else None  # lies as q does
    if residual is not None:
        wanted += residual.cpu().double()
    of_q, of_k = (
        torch.tensor(a.lengths[name], dtype=torch.int32, device="cuda").flatten() for name in "qk"
    )
    first, last = (list(each) for each in zip(*a.seen, strict=True))
    # In inference cuDNN keeps in the workspace what it keeps in the reserve space in training.
    work, keep = (work, keep) if a.is_training else (work + keep, 0)
    rooms = [
        torch.full((each + 1,), 255, dtype=torch.uint8, device="cuda") for each in (work, keep)
    ]
    spaces = work, rooms[0], keep, rooms[1] if keep else None
    own = size, weights if size else None
    try:
        cudnn.cudnnMultiHeadAttnForward(
            handle, desc, a.step, first, last, of_q, of_k, descs["q"], q, residual, descs["k"], k,
            descs["v"], v, descs["o"], o, *own, *spaces,
        )  # fmt: skip
    except cudnn.NotSupportedError:
        return False
    limit, what = LIMITS[a.dtype], str(a)
    if a.step >= 0:
        counts = [
            [a.step + 1 if length > a.step else 0 for length in row] for row in a.lengths["q"]
        ]
        o[:, : a.step] = wanted[:, : a.step].cuda()
        check(o, wanted, counts, limit, f"o: {what}")
        return True
    check(o, wanted, a.lengths["q"], limit, f"o: {what}")
    if not a.is_training or a.has_bias:  # cuDNN has no gradients with biases
        return True
    dq, dk, dv = (a.sequences(torch, name, False) for name in "qkv")
    cudnn.cudnnMultiHeadAttnBackwardData(
        handle, desc, first, last, of_q, of_k, descs["o"], do, descs["q"], dq, q, descs["k"], dk, k,
        descs["v"], dv, v, *own, *spaces,
    )  # fmt: skip
    for name, found, gradient in zip("qkv", (dq, dk, dv), gradients, strict=False):
        exact = torch.zeros(found.shape).double() if gradient is None else gradient
        check(found, exact, a.lengths[name], 4 * limit, f"d{name}: {what}")
    if not size:
        return True
    dw = (
        torch.randn(weights.shape).to(kind).cuda() if a.adds else torch.full_like(weights, math.nan)
    )
    before = dw.cpu().double() if a.adds else 0.0
    cudnn.cudnnMultiHeadAttnBackwardWeights(
        handle, desc, cudnn.WgradMode["ADD" if a.adds else "SET"], descs["q"], q, descs["k"], k,
        descs["v"], v, descs["o"], do, size, weights, dw, *spaces,
    )  # fmt: skip
    exact = parts_of(cudnn, handle, desc, weights, size, gradients[3] + before)
    for name, found in parts_of(cudnn, handle, desc, weights, size, dw.cpu().double()).items():
        error = (found - exact[name]).abs().max()
        assert float(error) <= 4 * limit * max(1.0, float(exact[name].abs().max())), (
            f"{name}: {what}"
        )
    return True
