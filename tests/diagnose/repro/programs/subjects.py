"""Write files of a graph, its plan, a candidate, and a plan of an operation; print the cases."""

import sys
from pathlib import Path

import cudnn_cffi as cudnn

folder = Path(sys.argv[1])


def made() -> cudnn.Graph:
    g = cudnn.Graph(io_data_type="HALF")
    x, w = g.tensor((2, 16, 8, 8), layout="NHWC"), g.tensor((16, 16, 3, 3), layout="NHWC")
    g.output(g.relu(g.convolution(x, w, padding=1)), name="y")
    return g


graph = made()
candidate = graph.candidates(device="H200")[0]
plan = graph.build(device="H200")
assert (plan.engine, plan.knobs) == (candidate.engine, candidate.knobs)
forced = {"engine": plan.engine, "knobs": plan.knobs}
cases = set()
for number, (subject, options) in enumerate(
    [(graph, {}), (plan, {}), (candidate, {}), (made().to_json(), forced)]
):
    done = cudnn.repro(subject, folder / f"{number}.py", device="H200", **options)
    assert (done.engine, done.knobs) == (plan.engine, plan.knobs), done
    cases.add(done.files[0].read_text().split('r"""')[1].split('"""')[0])
assert len(cases) == 1, "the cases differ"

g = cudnn.Graph(io_data_type="HALF")
x = g.tensor((2, 8, 8, 8), layout="NHWC", name="x")
g.output(g.relu(g.resample(x, "AVGPOOL", window=2, stride=2)), name="y")
several = g.build(device="H200")
assert len(several.parts) > 1, several
try:
    cudnn.repro(several, folder / "several.py")
except cudnn.NotSupportedError as error:
    assert "expected one plan" in str(error), error
else:
    sys.exit("a sequence has no file")
part = cudnn.repro(several.parts[0], folder / "part.py")
assert part.engine == several.parts[0].engine, part

spec = cudnn.ops.Spec.like
x, w = spec((8, 64, 28, 28), "float16"), spec((64, 64, 3, 3), "float16")
plan = cudnn.ops.Convolution(1).plan(x, w, device="H200")
assert type(plan) is cudnn.Plan, plan
done = cudnn.repro(plan, folder / "operation")
assert (done.engine, done.knobs) == (plan.engine, plan.knobs), done
print(len(list(folder.glob("[0-9].py"))), "files of one case")
