"""Explain refusals of the table, and print what was found as lines of JSON.

Arguments: the numbers of refusals, joined by commas. Each answer is built once more, as a user
would, and its line says by "builds" whether that worked. A search has the 5 seconds that users
have, but of this process's own time, so that a busy machine decides nothing.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[3]))

import cudnn_cffi as cudnn
from cudnn_cffi._explain import search

from tests.explain import refusals


def builds_elsewhere(graph: cudnn.Graph, device: cudnn.DeviceProperties) -> bool:
    """Build a graph in a process that planned for no other device: FLOAT may need that."""
    with tempfile.TemporaryDirectory() as folder:
        file, properties = Path(folder, "graph.json"), Path(folder, "device.json")
        file.write_text(graph.to_json())
        properties.write_text(device.to_json())
        command = [sys.executable, "-m", "cudnn_cffi", "explain", str(file), "--seconds", "0"]
        done = subprocess.run(
            [*command, "--device", str(properties), "--json"], capture_output=True
        )
    return bool(json.loads(done.stdout)["is_found"])


clock: Any = SimpleNamespace(monotonic=time.process_time)
search.time = clock

for number in map(int, sys.argv[1].split(",")):
    each = refusals.REFUSALS[number]
    graph, device = each.make(cudnn.Graph), refusals.device(each.device)
    found = cudnn.explain(graph, device=device, split=each.split)
    answer = {"number": number, "sentence": found.sentence, "builds": False, "as it is": False}
    if found.is_found:
        answer["as it is"] = not found.reason
        where = device if found.device == device.name else refusals.device(found.device)
        try:
            plan = found.graph.build(device=where)
            answer["builds"] = plan.device == found.device
        except cudnn.NoPlanError:
            answer["builds"] = where is not device and builds_elsewhere(found.graph, where)
    print(json.dumps(answer), flush=True)
