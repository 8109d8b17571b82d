"""The cases of the collection are graphs of a described device, which `ops` find by signature."""

from typing import Any

import cudnn_cffi as cudnn
from cudnn_cffi import choice

from benchmarks.engines import cases

H200 = cudnn.DeviceProperties("H200")
seen: dict[tuple[object, ...], str] = {}
first: dict[str, Any] = {}
for case in cases.cases():
    kind = (case.word, case.dtype, case.figures.get("layout"), len(case.figures.get("x", ())))
    if kind in seen:
        continue
    try:
        computation = cases.computation(case, device=H200)
    except cudnn.NotSupportedError:  # older releases compute gradients of some lengths only
        assert case.word == "attention_backward", case.name
        continue
    first.setdefault(case.word, computation)
    assert computation.signature not in seen.values(), case.name
    seen[kind] = computation.signature
    several = {each.name for each in computation.operands if each.is_argument}
    backward = case.word.endswith(("_backward", "_data", "_filter"))
    assert len(several) >= 2, case.name
    if "product" not in case.kind:
        assert ("dy" in several or "do" in several) is backward, (case.name, several)
assert len(seen) > 100, len(seen)
words = {word for word, *_ in seen}
assert words == {each for several in cases.DIRECTIONS.values() for each in several}, words

# Also those that no device-less heuristics are asked for have engines.
for word in ("layer_norm_backward", "instance_norm", "rms_norm", "attention_backward"):
    assert choice.candidates(first[word], every_engine=True), word
