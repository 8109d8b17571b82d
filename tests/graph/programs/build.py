"""Build each case of operations.py for an H200, and print what came of it as JSON.

Arguments: how many cases in how many parts, as "2 8" for the third of eight parts.
"""

import json
import sys
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
    try:
        graph.build(device="H200")
    except CudnnError as error:
        found[case.name] = str(error)
    else:
        found[case.name] = ""
print(json.dumps(found))
