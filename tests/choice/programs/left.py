"""Record the engines that errata leave for the package's own graphs, on an H200.

    python tests/choice/programs/left.py [--check] [--errata]

A line of a record has the name of a graph, the engines that heuristics suggest, best first, and those
that errata leave out. It is written for the release that the process loads, which needs cuBLAS and
NVRTC of CUDA 13. With --check nothing is written, and the process ends with an error if a line
differs; with --errata only what errata leave out is compared, for which a stand-in for cuBLAS does.

A line that differs after a change of errata or of choices is to be read: an engine that was measured
may have made room for one that was not, or for none.
"""

from __future__ import annotations

import difflib
import itertools
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cudnn_cffi as cudnn
from cudnn_cffi import choice, errors, ops
from cudnn_cffi.arrays import packed_strides
from cudnn_cffi.compat import frontend
from cudnn_cffi.ops.attn import decode
from cudnn_cffi.plan import Computation

from reference.entries import operations
from tests.errata.wrong_engines import wrong_engines
from tests.gpu import attention_cases, decode_cases, frontend_cases
from tests.gpu.attention_cases import CASES, Case

H200 = cudnn.DeviceProperties("H200")

#: Errors of graphs that the loaded release does not have.
LACKING = errors.NotSupportedError, errors.MissingFunctionError

#: Other data types of the arrays of examples.
TYPES: tuple[Any, ...] = ({}, {"float32": "half"}, {"half": "float32"})

Named = Iterator[tuple[str, Computation, dict[str, Any]]]


def of_attention() -> Iterator[tuple[str, Case, str]]:
    """Yield the cases of tests/gpu/test_attention.py."""
    for name, case in CASES.items():
        yield name, case, "float16"
    for name in attention_cases.BFLOAT16:
        yield name, CASES[name], "bfloat16"
    for name in attention_cases.FLOAT:
        backward = name in attention_cases.FLOAT_GRADIENTS
        yield name, CASES[name]._replace(backward=backward), "float32"
    for queries, keys in attention_cases.SHAPES:
        for causal in (False, True):
            one = Case(1, 2, 2, queries, keys, causal=causal, backward=queries > 1 or keys > 1)
            yield f"{queries} queries, {keys} keys{', causal' * causal}", one, "float16"


def graphs_of_attention() -> Iterator[tuple[str, cudnn.Graph]]:
    """Yield them as graphs, with those of gradients."""
    for name, case, dtype in of_attention():
        for back in (False, True)[: 1 + case.backward]:
            graph = cudnn.Graph(io_data_type=attention_cases.NAMES[dtype])
            tensors = attention_cases.describe(graph, case, dtype, back)
            add = attention_cases.attend_backward if back else attention_cases.attend
            for port, each in add(graph, case, tensors).items():
                like = tensors[port[1:]].strides if back else None
                if port == "o":
                    like = attention_cases.strides(case, attention_cases.shapes(case)["do"])
                graph.output(each, name=port, strides=like)
            yield f"attention{', gradient' * back}, {dtype}: {name}", graph
    for form, bands in attention_cases.PAGED:
        for queries in (1, 64):
            paged: Any = cudnn.Graph(io_data_type="HALF")
            t: dict[str, Any] = {
                name: paged.tensor(shape, dtype, name=name)
                for name, (shape, dtype) in attention_cases.paged_shapes(queries).items()
            }
            q, k, v = (t.pop(name) for name in "qkv")
            paged.output(paged.attention(q, k, v, **t, **bands, form=form))
            yield f"attention over pages, {form}: {queries} queries, {bands}", paged


def graphs_of_frontend() -> Iterator[tuple[str, cudnn.Graph]]:
    """Yield attention with the options of tests/gpu/test_compat_frontend.py."""
    kinds = {"int32": "INT32", "int64": "INT64"} | attention_cases.NAMES
    device = frontend.create_device_properties(H200.to_json())
    for name, case in frontend_cases.OPTIONS.items():
        types, data_type = frontend.data_type, frontend.data_type[kinds[case.dtype]]
        graph: Any = frontend.pygraph(
            device_property=device, io_data_type=types.HALF, intermediate_data_type=types.FLOAT,
            compute_data_type=types.FLOAT,
        )  # fmt: skip
        read = {
            word: graph.tensor(
                name=word, dim=list(shape), stride=list(packed_strides(shape)),
                data_type=types[kinds[kind]],
            )
            for word, (shape, kind) in frontend_cases.arrays(case).items()
        }  # fmt: skip
        for word, each in frontend_cases.attend(frontend, graph, case, read).items():
            each.set_output(True).set_data_type(data_type if word == "o" else types.FLOAT)
        try:
            graph.validate()
        except frontend.cudnnGraphNotSupportedError:
            continue
        yield f"front end, {case.dtype}: {name}", graph._lowering.graph


def computations() -> Named:
    """Yield the computations, with names and filters."""
    for name, graph in itertools.chain(graphs_of_attention(), graphs_of_frontend()):
        try:
            yield name, graph.computation(device=H200), {}
        except LACKING:
            continue
    for name, case in decode_cases.cases():
        options = {key: each for key, each in case.options.items() if key != "sink"}
        operation = ops.DecodeAttention(**options, max_length=case.most)
        # The graphs of a call, also those of parts, which only a handle has.
        routes: Any = decode.DecodeAttention._inners(
            operation, operation.case(*case.describe()), H200
        )
        for place, (inners, _) in enumerate(routes):
            for part, inner in enumerate(inners):
                asked = ", ".join(f"{key} {each}" for key, each in options.items())
                text = f"decode: {name}, {asked}{', sink' * ('sink' in case.options)}"
                text = f"{text.removesuffix(', ')}; way {place}.{part}"
                try:
                    yield text, operation.computation(inner, None, H200), {}
                except LACKING:
                    continue
    for name in operations.names():
        tried: set[str] = set()
        for types in TYPES:
            try:
                if (found := operations.call_of(name, **types)) is None:
                    break
                own, own_case = found
                kinds = "/".join(dict.fromkeys(each.dtype for each in own_case.inputs.values()))
                computed = own.computation(own_case, None, H200)
            except (*LACKING, errors.ArgumentError):
                continue
            if kinds in tried:
                continue
            tried.add(kinds)
            yield f"{name}, {kinds}", computed, {}
            if own.rounds and "float32" in kinds:
                yield f"{name}, {kinds}, not TF32", computed, {"tf32": False}


def lines(is_whole: bool) -> Iterator[str]:
    """Yield the lines of the record; without engines that are left, if it is not whole."""
    for name, computation, filters in computations():
        out = " ".join(map(str, sorted(wrong_engines(computation))))
        if not is_whole:
            yield f"{name} | | {out}\n"
            continue
        found = choice.candidates(computation, **filters)
        left = " ".join(map(str, dict.fromkeys(each.engine for each in found)))
        by_errata = [each for each in found.refusals if each.stage == "errata"]
        assert left or not by_errata, f"errata leave no engine for {name}: {out}"
        # Its parts, which several plans compute, are products that engines round to TF32.
        assert left or not name.startswith(("attention, float32", "front end, float32")), name
        yield f"{name} | {left} | {out}\n"


def main() -> None:
    """Write the record, or compare it."""
    release = cudnn.library.load().version
    path = Path(__file__).parents[1] / "data" / f"left_{release.replace('.', '_')}.txt"
    is_whole, is_check = "--errata" not in sys.argv, "--check" in sys.argv
    made = list(lines(is_whole))
    assert len({each.partition(" | ")[0] for each in made}) == len(made), "two graphs have one name"
    if not is_check:
        path.write_text("".join(made), encoding="utf-8")
        return
    if not path.exists():  # then only that errata leave an engine is asked
        return
    known = path.read_text(encoding="utf-8").splitlines(keepends=True)
    if not is_whole:
        known = [" | | ".join(each.split(" | ")[::2]) for each in known]
    differ = "".join(difflib.unified_diff(known, made, path.name, "now", n=0))
    assert not differ, f"{differ}read these, then write them: python {sys.argv[0]}"


if __name__ == "__main__":
    main()
