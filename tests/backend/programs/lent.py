"""Descriptors that cuDNN makes: heuristics' results, their engines, knobs and choices."""

import gc
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

import pytest
from cudnn_cffi import BackendKnobType, BackendNumericalNote, backend, errors

from tests.backend.replay import DEVICE, preload

preload(sys.argv[1:])


def tensor(n: int, c: int, h: int, w: int, uid: int) -> backend.TensorDescriptor:
    return backend.TensorDescriptor(
        data_type="HALF",
        dimensions=(n, c, h, w),
        strides=(h * w * c, 1, w * c, c),
        unique_id=uid,
        byte_alignment=16,
    )


device = backend.DevicePropDescriptor(json_representation=DEVICE.read_text(encoding="utf-8"))
conv = backend.ConvolutionDescriptor(
    comp_type="FLOAT",
    conv_mode="CROSS_CORRELATION",
    spatial_dims=2,
    dilations=(1, 1),
    filter_strides=(1, 1),
    pre_paddings=(1, 1),
    post_paddings=(1, 1),
)
op = backend.OperationConvolutionForwardDescriptor(
    conv_desc=conv,
    x=tensor(8, 64, 56, 56, 1),
    w=tensor(64, 64, 3, 3, 2),
    y=tensor(8, 64, 56, 56, 3),
)
graph = backend.OperationGraphDescriptor(ops=[op])
heuristics = backend.EngineHeurDescriptor(
    operation_graph=graph, mode="MODE_A", deviceprop=device
)  # fmt: skip
results = heuristics.results
assert len(results) > 3
assert all(type(each) is backend.EngineCfgDescriptor and each.finalized for each in results)
for config in results:
    engine = config.engine
    assert type(engine) is backend.EngineDescriptor
    assert 0 <= engine.global_index < graph.engine_global_count
    assert f"global_index={engine.global_index}" in repr(engine)
    assert all(isinstance(each, BackendNumericalNote) for each in engine.numerical_note)
    knobs = {each.type: each for each in engine.knob_info}
    assert all(isinstance(each, BackendKnobType) for each in knobs)
    for choice in config.knob_choices:
        knob = knobs[choice.knob_type]
        assert knob.minimum_value <= choice.knob_value <= knob.maximum_value
        assert f"knob_value={choice.knob_value}" in repr(choice)
    with pytest.raises(errors.NotSupportedError, match="was not made here"):
        engine.deviceprop
assert any(config.knob_choices for config in results)
# A lent descriptor is accepted in place of one of its class.
again = backend.EngineCfgDescriptor(
    engine=results[0].engine, knob_choices=list(results[0].knob_choices)
)
assert [each.knob_value for each in again.knob_choices] == [
    each.knob_value for each in results[0].knob_choices
]
del results, config, engine, knobs, again, heuristics

del choice, knob
gc.collect()
left = {type(each).__name__ for each in gc.get_objects() if isinstance(each, backend.Descriptor)}
assert not left & {"EngineCfgDescriptor", "EngineDescriptor", "KnobInfoDescriptor"}, left
print("done")
