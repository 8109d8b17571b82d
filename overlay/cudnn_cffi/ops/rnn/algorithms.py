"""The algorithms of recurrent networks: those of a release, and the one to try first."""

from __future__ import annotations

from ... import errors
from ..._tables import active
from ..._ways.case import Case, keeps_precision
from ..._ways.classic_call import Classic
from ...choice import policy_words
from ...choice.policy import Rule
from .layout import Network

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..._ways.signatures import Handle

#: Number of runs by which an algorithm is timed.
REPEATS = 10

#: The largest hidden sizes of PERSIST_STATIC_SMALL_H, in inference and in training, as cuDNN
#: documents them.
_SMALL_HIDDEN = {
    "RNN_RELU": (384, 256), "RNN_TANH": (384, 256), "LSTM": (192, 128), "GRU": (192, 128),
}  # fmt: skip


def names() -> tuple[str, ...]:
    """Return the names of the algorithms that the loaded release has."""
    members = active().enum("RNNAlgo").__members__
    return tuple(name for name in policy_words.algorithm_names("recurrent") if name in members)


def math_type(rule: Rule, dtype: str) -> str:
    """Return the name of the math type: float32 goes through TF32 unless a rule forbids it."""
    if keeps_precision(rule, dtype):
        return "FMA_MATH"
    # By default cuDNN's networks take no tensor cores for float16.
    return "TENSOR_OP_MATH" if dtype == "float16" else "DEFAULT_MATH"


def preferred(network: Network, case: Case, rule: Rule) -> list[str]:
    """Return the names of algorithms to look at, the one that should be fastest first."""
    excluded = {str(each) for each in rule.exclude or ()}
    known = [name for name in names() if name not in excluded]
    if rule.keeps_bits:
        return [name for name in known if name == "STANDARD"]
    lengths = case.call.get("lengths")
    most = _SMALL_HIDDEN[network.cell][bool(case.call.get("training"))]
    small = (
        network.hidden_size <= most
        and case.inputs["x"].dtype != "float64"
        and not network.projection_size
        and network.clip is None
        and not network.packed
        and (lengths is None or min(lengths) == max(lengths))
    )
    first = ["PERSIST_STATIC_SMALL_H"] if small else []
    if may_persist(network, case):
        first = ["PERSIST_STATIC", *first]
    order = [*first, "STANDARD", *known]
    return [name for name in dict.fromkeys(order) if name in known]


def may_persist(network: Network, case: Case) -> bool:
    """Return whether PERSIST_STATIC may be the fastest, by the limits that PyTorch found."""
    x = case.inputs["x"]
    sizes = network.sizes(x, "x", network.input_size, case.call.get("lengths"))
    plain = network.cell.startswith("RNN")
    return (
        x.dtype in ("float16", "bfloat16")
        and network.cell != "GRU"
        and network.layers == network.directions == 1
        and network.hidden_size <= 1024
        and network.hidden_size % 128 == 0
        and network.input_size % 128 == 0
        and sizes.batch % 8 == 0
        and sizes.batch <= 128
        and not (plain and sizes.batch >= 96 and network.hidden_size >= 896)
        and min(sizes.lengths) == max(sizes.lengths)
        and not network.projection_size
        and network.clip is None
        and not network.packed
    )


def check_limits(way: Classic, rule: Rule, handle: Handle) -> None:
    """Refuse a call that needs more workspace than a rule or a handle allows."""
    own = handle.workspace.limit
    limits = [each for each in (rule.limit, own) if each is not None]
    if limits and way.workspace_size > min(limits):
        raise errors.NotSupportedError(
            f"{way.workspace_size} bytes of workspace are needed, {min(limits)} are allowed"
        )
