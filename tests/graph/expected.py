"""Cases of operations.py that a release has no descriptor for, or that no engine of an H200 takes.

The reasons of engines are cuDNN's, found by building each case for an H200 without a GPU; a case
that is listed here must fail, so what a new release can do is seen.
"""

from __future__ import annotations

#: No release finalizes these, or they are no composite's.
NEVER = {"reduction-mul_no_zeros-1", "nearest-up"}

#: The first release with the descriptors of a case; a composite does the others before.
SINCE = {
    "atan2-float-NHWC": (9, 1),
    "slice-computed": (9, 22),
    "expand_band_matrix": (9, 10),
    "contract_band_matrix": (9, 10),
    "block_scale_quantize": (9, 7),
    "block_scale_matmul": (9, 7),
    "paged_cache_load": (9, 4),
    "moe_grouped_matmul": (9, 15),
    "moe_grouped_matmul_backward": (9, 22),
    "rope": (9, 24),
    "rope_backward": (9, 24),
    "sdpa_forward": (9, 13),
    "sdpa_backward": (9, 20),
}

#: The error of a release that has the descriptor, and takes it from a later release on.
NOT_YET = {"sdpa_backward": "BAD_PARAM"}

#: Cases that no engine takes alone, in any release that was tried, and a word of the reason.
NO_ENGINE = {
    "gen_index": "does not support this graph pattern",
    "reduction-norm2-1": "getConsumerNodes",
    "reduction-norm2-023": "getConsumerNodes",
    "reduction-mul-1": "Unsupported reduction op",
    "gen_stats": "is_pointwise_fusion",
    "bn_bwd_weights": "is_pointwise_fusion",
    "concatenate": "is_pointwise_fusion",
    "slice-computed": "is_pointwise_fusion",
    "transpose-computed": "is_pointwise_fusion",
    "reshape": "live_entrance_nodes",
    "softmax": "NOT_SUPPORTED",
    "diagonal_band_mask": "NOT_SUPPORTED",
    "rng": "is_pointwise_fusion",
    "signal": "is_pointwise_fusion",
    "expand_band_matrix": "is_pointwise_fusion",
    "contract_band_matrix": "is_pointwise_fusion",
    "block_scale_quantize": "is_pointwise_fusion",
    "block_scale_matmul": "NOT_SUPPORTED",
    "paged_cache_load": "NOT_SUPPORTED",
    "moe_grouped_matmul_backward": "NOT_SUPPORTED",
    "rope": "is_pointwise_fusion",
    "rope_backward": "is_pointwise_fusion",
}

#: Cases that several plans compute together; and cases that even releases without the descriptors
#: compute so, since copies do it.
IN_PARTS = {
    *("reduction-norm2-1", "reduction-norm2-023", "gen_stats", "concatenate", "slice-computed"),
    *("transpose-computed", "reshape", "softmax"),
}


def finalizes(name: str, release: tuple[int, ...]) -> bool:
    """Return whether a release finalizes the descriptors of a case."""
    return name not in NEVER and release >= SINCE.get(name, (0,))


def is_supported(name: str, release: tuple[int, ...]) -> bool:
    """Return whether an engine of a release is expected to take a case on an H200."""
    return finalizes(name, release) and name not in NO_ENGINE


def is_computed(name: str, release: tuple[int, ...]) -> bool:
    """Return whether plans of a release are expected to compute a case on an H200, also several."""
    return is_supported(name, release) or name in IN_PARTS
