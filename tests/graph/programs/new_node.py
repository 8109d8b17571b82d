"""Add a node to graphs by a record, a method and a line of the class; use it without a device."""

from __future__ import annotations

from typing import Any, Unpack

from cudnn_cffi import errors
from cudnn_cffi.graph import OPERATIONS, Graph, Tensor
from cudnn_cffi.graph.methods.adding import add_one
from cudnn_cffi.graph.methods.operations import Operations
from cudnn_cffi.graph.record.operations import record_of
from cudnn_cffi.graph.record.types import Settings

OPERATIONS["turn"] = record_of(
    "turn ROPE_FWD rule=same\n"
    "    x=XDESC frequencies:number=FREQSDESC -> y=YDESC\n"
    "    | output_scale:float=OUTPUT_SCALE rope_dim:int=ROPE_DIM"
)


def turn(
    self: Operations,
    x: Tensor,
    frequencies: Tensor | float,
    *,
    output_scale: float | None = None,
    rope_dim: int | None = None,
    **settings: Unpack[Settings],
) -> Tensor:
    """Rotate pairs of elements."""
    return add_one(self, OPERATIONS["turn"], locals())


Operations.turn = turn  # type: ignore[attr-defined]


def refusal(call: object) -> str:
    """Return the message of the package's error that a call raises."""
    try:
        call()  # type: ignore[operator]
    except errors.CudnnError as error:
        return f"{type(error).__name__}: {error}"
    return ""


def make() -> Any:
    """Return a graph with the new node."""
    g: Any = Graph()
    x = g.tensor((2, 4, 64, 32), "HALF", name="x")
    y = g.turn(x, 0.5, output_scale=2, name="t", data_type="float16")
    g.output(y, name="y")
    return g


g = make()
(node,) = g.nodes
assert node.options == {"output_scale": 2.0}, node.options
assert node.inputs["frequencies"].value == 0.5, "a number becomes a scalar"
assert len(node.inputs["frequencies"].shape) == 4, "of the rank of x"
assert node.outputs["y"].shape == (2, 4, 64, 32), "by the rule"
assert "t turn(x=x, frequencies=0.5, output_scale=2)" in str(g), str(g)
assert Graph.from_json(g.to_json()) == g, "it is saved and read"
assert g.signature == make().signature, "it has a signature"
assert [each.kind for each in g.lowered("9.28.0").nodes] == ["turn"], "releases have its descriptor"
assert OPERATIONS["turn"].since == "9.24.0", OPERATIONS["turn"].since
assert "added in 9.24.0" in refusal(lambda: g.lowered("9.23.0")), "others lack it"
x = g.tensors[1]
for call, wanted in (
    (lambda: g.turn(2.0, x), "turn x: expected a tensor, got 2.0"),
    (lambda: g.turn(x, None), "turn frequencies: expected a tensor or number, got None"),
    (lambda: g.turn(x, 1.0, outputscale=2), "turn: there is no argument 'outputscale'"),
):
    assert wanted in refusal(call), refusal(call)
assert "output_scale" in refusal(lambda: g.turn(x, 1.0, outputscale=2)), "the hint names the option"
print("added")
