"""Build each case of operations.py for an H200, and print the results as JSON.

For each case: why no engine takes it, "" for one that has an engine; and how many parts compute it.

Arguments: how many cases in how many parts, as "2 8" for the third of eight parts.
"""

import json
import sys
from contextlib import suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

from cudnn_cffi import CudnnError
from cudnn_cffi.graph import Graph

from tests.graph.operations import CASES

part, parts = map(int, sys.argv[1:3])
found = {}
for case in list(CASES.values())[part::parts]:
    graph = Graph(case.name, **case.settings)
    case.build(graph)
    refusal, parts_of = "", 0
    try:
        graph.build(device="H200", split=False)
    except CudnnError as error:
        refusal = str(error)
    with suppress(CudnnError):
        parts_of = len(graph.build(device="H200").parts)
    found[case.name] = refusal, parts_of
print(json.dumps(found))
