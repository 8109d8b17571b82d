"""Configurations that were measured to be faster than those of heuristics are tried first."""

from __future__ import annotations

from typing import Any

from cudnn_cffi import Graph, library
from cudnn_cffi.choice import measured

KNOBS = {"KERNEL_CFG": 2, "TILE_ROWS": 1, "LOAD_SIZE": 1}


def first(
    rows: int, width: int, mode: str = "rms_norm", phase: Any = "inference", dtype: str = "BFLOAT16",
    **options: Any,
) -> list[tuple[int, dict[str, int]]]:  # fmt: skip
    """Return what is tried before the suggestions of heuristics for a norm, if anything is."""
    graph = Graph(io_data_type=dtype)
    x = graph.tensor((rows, width, 1, 1))
    scale = graph.tensor((1, width, 1, 1))
    if mode == "rms_norm":
        made = graph.rms_norm(x, scale, phase=phase)
    else:
        made = graph.layer_norm(x, scale, graph.tensor((1, width, 1, 1)), phase=phase)
    graph.output(made.y)
    for result in made[1:]:
        if result is not None:
            graph.output(result, data_type="FLOAT")
    found = graph.candidates(device="H200", **options)
    assert not any(each.source == "measured" for each in found[1:])
    return [(each.engine, each.knobs) for each in found[:1] if each.source == "measured"]


if library.load().version != measured.MACHINE.release:
    assert not first(16384, 4096), "engines may have other numbers"
else:
    for mode in ("rms_norm", "layer_norm"):
        for phase, engine in (("training", 5), ("inference", 6)):
            for rows, width, dtype in ((16384, 4096, "BFLOAT16"), (1 << 17, 768, "HALF")):
                ((number, knobs),) = first(rows, width, mode, phase, dtype)
                assert number == engine
                assert {name: value for name, value in knobs.items() if value} == KNOBS
    assert not first(16383, 4096), "smaller"
    assert not first(16384, 4096, dtype="FLOAT"), "another type"
    assert not first(16384, 8192), "wider"
    assert not first(1 << 18, 512), "narrower"
    assert not first(16384, 4096, modes=("A",)), "heuristics were asked for"
    assert not first(16384, 4096, exclude=(6,)), "another engine was asked for"
    assert not first((1 << 16) + 1, 1024), "not supported by the engine"
    machine = measured.MACHINE
    for other in ({"compute_capability": (8, 0)}, {"multiprocessors": 114}):
        measured.MACHINE = machine._replace(**other)
        assert not first(16384, 4096), f"measured on another device: {other}"
