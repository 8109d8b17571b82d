"""Finalize the descriptors of each case of operations.py, and print the results as JSON.

Arguments: "nodes" for the descriptors of tensors and operations alone, where an operation graph
needs a device, else "graph".
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

from cudnn_cffi import CudnnError
from cudnn_cffi.graph import Graph, finalize

from tests.graph.operations import CASES

found = {}
for case in CASES.values():
    graph = Graph(case.name, **case.settings)
    case.build(graph)
    graph.check()
    try:
        lowered = graph._fitting()
        if sys.argv[1] == "graph":
            finalize.make_descriptors(lowered, None).close()
        else:
            tensors: dict[int, object] = {}
            for tensor in lowered.tensors.values():
                if tensor.uid not in tensors:
                    finalize._make_tensor(tensor, tensors)
            for node in lowered.nodes:
                finalize.make_node(node, tensors)
    except CudnnError as error:
        found[case.name] = f"{type(error).__name__}: {error.message}"
    else:
        found[case.name] = ""
print(json.dumps(found))
