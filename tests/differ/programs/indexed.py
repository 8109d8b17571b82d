"""Compare errata that are asked by engine with all records, for graphs that an audit draws.

Prints how many graphs were asked about, and for how many of them some record holds.
"""

import sys
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

import cudnn_cffi as cudnn

from tests.differ import executing, families, graphs
from tests.differ.draw import Draw
from tests.differ.judge import RefusedError, SkippedError
from tests.errata.indexed import compare

SEED, EACH = 7, 4

executing.device = lambda: "cpu"


def drawn(case: int) -> cudnn.Graph:
    draw, graph = Draw("engines", SEED, case), cudnn.Graph()
    graphs.make(draw, graph, families.family_of(draw))
    return graph


cases = range(0, len(families.TABLE.rows(SEED)), EACH)
print(*compare((partial(drawn, case) for case in cases), (RefusedError, SkippedError)))
