"""Explain refusals of the table, and print what was found as lines of JSON.

Arguments: the numbers of refusals, joined by commas. Each answer is built once more, as a user
would, and its line says by "builds" whether that worked. A search has the 5 seconds that users
have, but of this process's own time, so that a busy machine decides nothing.
"""

import json
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[3]))

import cudnn_cffi as cudnn
from cudnn_cffi._explain import search

from tests.explain import refusals

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
        plan = found.graph.build(device=where)
        answer["builds"] = plan.device == found.device
    print(json.dumps(answer), flush=True)
