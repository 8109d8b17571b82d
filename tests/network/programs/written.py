"""Write the file of a network for an H200 that is not there, and damaged ones; load all of them.

    python written.py FOLDER

prints JSON: the names of the files with what loading each raises, and facts of the good one.
"""

import copy
import json
import pickle
import struct
import sys
import threading
import zlib
from collections.abc import Callable
from pathlib import Path

import cudnn_cffi as cudnn
from cudnn_cffi import ops
from cudnn_cffi.arrays import dtype_name
from cudnn_cffi.network import format as f
from cudnn_cffi.network import loading, read_contents, write_network
from cudnn_cffi.network.c_program import write_program
from cudnn_cffi.network.reading import read_file
from cudnn_cffi.network.writing import Draft
from cudnn_cffi.plan.operand import Operand, span
from cudnn_cffi.plan.run.copy import Copy

folder = Path(sys.argv[1])
good = folder / "good.net"
H200 = cudnn.DeviceProperties("H200")
SHAPE, COUNT = (2, 16, 8, 8), 2 * 16 * 8 * 8
LAST = (1024, 1, 128, 16)


def convolution() -> cudnn.Plan:
    def spec(*shape: int) -> ops.Spec:
        return ops.Spec.like(shape, "half", layout="NHWC")

    operation = ops.Convolution(1, activation="relu")
    return operation.plan(  # type: ignore[return-value]
        spec(*SHAPE), spec(16, 16, 3, 3), spec(16), device=H200, choose="heuristic",
    )  # fmt: skip


def draft() -> Draft:
    made, plan = Draft(), convolution()
    x = made.tensor(Operand("x", 1, SHAPE, (1024, 64, 8, 1), "HALF"))
    y = made.tensor(Operand("y", 2, (2, 16, 4, 4), (256, 1, 64, 16), "HALF", role="output"))
    w = made.weights(bytes(range(256)) * 18)
    bias = made.weights(bytes(32))
    turned, one, two = (made.block(2 * COUNT) for _ in range(3))
    made.copy(Copy(SHAPE, "HALF", ((1024, 64, 8, 1), 0), (LAST, 0)), x, turned)
    made.add(plan, x=turned, w=w, bias=bias, y=one)
    made.add(plan, x=one, w=w, bias=bias, y=two)
    pool = ops.Pooling("max", 2)
    case = pool.case(
        ops.Spec("float16", SHAPE, LAST, None, 16),
        out=ops.Spec("float16", (2, 16, 4, 4), (256, 1, 64, 16), None, 16),  # type: ignore[arg-type]
    )
    (step,) = pool.classic(case, cudnn.choice.policy.Rule(), None).steps  # type: ignore[arg-type]
    made.add(step, x=two, y=y)  # type: ignore[arg-type]
    return made


write_network(good, draft())
write_program(good.with_suffix(".c"), good.name)
typed, known = draft(), [each.name for each in cudnn.DataType if dtype_name(each.name)]
operands = [Operand(f"a_{kind}", uid, (3, 5), (7, 1), kind) for uid, kind in enumerate(known, 3)]
for each in operands:
    typed.tensor(each)
write_network(folder / "typed.net", typed)
sizes = {each.name: span(each) for each in operands}
before = (folder / "typed.net").read_bytes()
typed.tensor(operands[0])
try:
    write_network(folder / "typed.net", typed)
except cudnn.NetworkFileError as error:
    assert "several operands have the name" in error.message, error
else:
    raise AssertionError("two tensors have one name")
assert (folder / "typed.net").read_bytes() == before, "a file that cannot be read was written"
data = good.read_bytes()
file = read_file(good)
header = file.header
contents = read_contents(good)
network = cudnn.load_network(good, device="H200")
opened: list[cudnn.Plan] = []
restored = loading._restored
loading._restored = lambda *given: opened.append(restored(*given)) or opened[-1]  # type: ignore[func-returns-value]
loading._open(file, file.plans[0])
# As if there were a driver: a block that fails leaves no thread, and texts may be anything.
loading.libcuda.why_absent = lambda: ""
broken = file._replace(
    plans=[file.plans[0]._replace(engine=1000 + i, text_size=i) for i in range(50)]
)
try:
    with loading._opening(broken):
        raise KeyError("no context")
except KeyError:
    assert threading.active_count() == 1
assert not loading._opened, "engines are opened again, since the file was not loaded"
with loading._opening(file):
    pass
assert loading._opened == {each.engine for each in file.plans}
loading._restored = restored
names = [each.name for each in (*network.inputs, *network.outputs)]


def sealed(changed: bytes) -> bytes:
    """Return a file with checksums that fit."""
    made = bytearray(changed)
    texts = zlib.crc32(made[header.records : header.records + header.texts])
    place = f.Header.FORMAT.size
    for cls, count in zip(
        (f.Tensor, f.StoredPlan, f.Tensor, f.Call, f.Step, f.Place), header[12:18], strict=True
    ):
        place += cls.FORMAT.size * count
    struct.pack_into("<I", made, place, texts)
    struct.pack_into("<I", made, 12, zlib.crc32(made[16 : header.records]))
    return bytes(made)


def at(cls: type[f.Record], index: int, offset: int) -> int:
    """Return the place of a field."""
    order = (f.Tensor, f.StoredPlan, "operands", f.Call, f.Step, f.Place)
    place = f.Header.FORMAT.size
    for each, count in zip(order, header[12:18], strict=True):
        if each is cls:
            return place + index * cls.FORMAT.size + offset
        place += (f.Tensor if isinstance(each, str) else each).FORMAT.size * count
    raise AssertionError(cls)


def put(place: int, kind: str, value: int) -> bytes:
    made = bytearray(data)
    struct.pack_into(f"<{kind}", made, place, value)
    return sealed(made)


MOST = (1 << 64) - 1
#: The place of the first operand of a plan.
FIRST = at(f.Call, 0, 0) - f.Tensor.FORMAT.size * header.operands
bad: dict[str, bytes] = {
    "empty": b"",
    "short": data[:100],
    "cut": data[:-1],
    "longer": data + b"\0",
    "another": b"PK\3\4" + data[4:],
    "text": data[: header.records] + b" " + data[header.records + 1 :],
    "weights": data[:-300] + bytes([data[-300] ^ 1]) + data[-299:],
    "device": data[:105] + b"?" + data[106:],
    "newer": data[:8] + b"\7" + data[9:],
    "older": data[:8] + b"\2" + data[9:],
    # Checksums fit, but not the records.
    "count": put(72, "I", 1 << 31),
    "records": put(24, "Q", MOST),
    "arena": put(48, "Q", 256),
    "step": put(at(f.Step, 0, 4), "I", 99),
    "kind": put(at(f.Step, 0, 0), "I", 2),
    "places": put(at(f.Step, 1, 8), "I", MOST >> 32),
    "place-end": put(at(f.Place, 2, 8), "Q", MOST - 255),
    "place-size": put(at(f.Place, 2, 16), "Q", 2),
    "place-tensor": put(at(f.Place, 0, 4), "I", 7),
    "input-written": put(at(f.Place, len(file.places) - 1, 4), "I", 0),
    "weights-written": put(at(f.Place, len(file.places) - 1, 0), "I", f.WEIGHTS),
    "unaligned": put(at(f.Place, 2, 8), "Q", 1),
    "text-end": put(at(f.StoredPlan, 0, 8), "Q", MOST),
    "operands": put(at(f.StoredPlan, 0, 44), "I", 1 << 30),
    "function": put(at(f.Call, 0, 0), "I", 3),
    "window": put(at(f.Call, 1, 20), "i", -2),
    "extent": put(at(f.Tensor, 0, 96), "q", -8),
    "huge": put(at(f.Tensor, 0, 96), "q", 1 << 62),
    "rank": put(at(f.Tensor, 0, 84), "I", 9),
    "type": put(at(f.Tensor, 0, 80), "I", 77),
    "alignment": put(at(f.Tensor, 0, 88), "I", 3),
    "role": put(FIRST + 92, "I", 4),
    "view-of-none": put(FIRST + 92, "I", 2),
    "view-beyond": put(FIRST + f.Tensor.FORMAT.size + 92, "I", 2),
    "view-given": put(at(f.Tensor, 0, 92), "I", 2),
    "call-reads": put(at(f.Call, 0, 0) - f.Tensor.FORMAT.size + 92, "I", 0),
}  # fmt: skip
found: dict[str, str] = {}


def load(name: str, content: bytes, call: Callable[[Path], object]) -> None:
    path = folder / f"{name}.net"
    path.write_bytes(content)
    try:
        call(path)
    except cudnn.CudnnError as error:
        found[name] = type(error).__name__
    else:
        found[name] = ""


for name, content in bad.items():
    load(name, content, lambda path: cudnn.load_network(path, device="H200"))
other = json.loads(H200.to_json()) | {"deviceName": "NVIDIA H200 NVL"}
load(
    "other-device",
    data,
    lambda path: cudnn.load_network(path, device=cudnn.DeviceProperties(other)),
)
for name, place, value in (("release", 56, header.release), ("cuda", 60, header.cuda)):
    load(f"other-{name}", put(place, "I", value - 1),
         lambda path: cudnn.load_network(path, device="H200"))  # fmt: skip
    again = cudnn.load_network(folder / f"other-{name}.net", device="H200", rebuild=True)
    assert again.rebuilt, name
rebuilt = cudnn.load_network(good, device=cudnn.DeviceProperties(other), rebuild=True)
assert rebuilt.rebuilt and rebuilt.device == "NVIDIA H200 NVL", rebuilt
# A graph whose results are larger than the place of the stored plan's.
own = file.operands[file.plans[0].operand :][: file.plans[0].operands]
(y,) = [each for each in own if each.operand.role == "output"]
less = y._replace(operand=y.operand._replace(shape=(1, *SHAPE[1:])))
smaller = file._replace(operands=[less if each is y else each for each in file.operands])
try:
    loading._rebuilt(smaller, file.plans[0], None, H200)
except cudnn.NotSupportedError as error:
    assert "a plan was built anew for" in error.message, error
else:
    raise AssertionError("it would write beyond its place")
write_network(folder / "bare.net", draft(), sources=False)
load("no-graphs", (folder / "bare.net").read_bytes(),
     lambda path: cudnn.load_network(path, device=cudnn.DeviceProperties(other), rebuild=True))  # fmt: skip
load("called", data, lambda path: cudnn.load_network(path, device="H200")(0))
for copied in (copy.copy, copy.deepcopy, pickle.dumps):
    try:
        copied(rebuilt)
    except cudnn.NotSupportedError as error:
        assert "load_network reads its file again" in error.hint, error
    else:
        raise AssertionError(f"{copied} copies a network")
# Some engines lose NaN where a plan is made of cuDNN's JSON alone, as the program in C makes it.
for word, engine in (("NOT_PROPAGATE_NAN", 11), ("PROPAGATE_NAN", 10), ("PROPAGATE_NAN", 11)):
    graph = cudnn.Graph(io_data_type="FLOAT")
    x, w = graph.tensor(SHAPE, strides=LAST, name="x"), graph.tensor((16, 16, 1, 1), name="w")
    y = graph.convolution(x, w) + graph.tensor((1, 16, 1, 1), name="b")
    graph.output(graph.pointwise("RELU_FWD", y, nan_propagation=word), strides=LAST, name="y")
    lossy = Draft()
    lossy.add(
        graph.build(device=H200, engine=engine),
        x=lossy.tensor(Operand("x", 1, SHAPE, LAST, "FLOAT")), w=lossy.weights(bytes(4 * 256)),
        b=lossy.weights(bytes(4 * 16)),
        y=lossy.tensor(Operand("y", 2, SHAPE, LAST, "FLOAT", role="output")),
    )  # fmt: skip
    try:
        write_network(folder / "lossy.net", lossy)
    except cudnn.NotSupportedError as error:
        assert (word, engine) == ("PROPAGATE_NAN", 11), error
        assert "has lost PROPAGATE_NAN" in error.message, error
    else:
        assert (word, engine) != ("PROPAGATE_NAN", 11)
# One array in two roles has a unique id in each; one that is seen in parts alone has none itself.
roles: dict[str, list[str]] = {}
for name, wide in (("twice", 64), ("halves", 128)):
    graph, twice, strides = cudnn.Graph(io_data_type="HALF"), Draft(), (64 * wide, wide, 1)
    x = graph.tensor((1, 64, wide), name="x")
    first, second = (x if wide == 64 else graph.view(x, (1, 64, 64), strides, a) for a in (0, 64))
    graph.output(first @ second, name="y")
    plan = graph.build(device=H200)
    given = twice.tensor(Operand("x", 1, (1, 64, wide), strides, "HALF"))
    taken = twice.tensor(Operand("y", 2, (1, 64, 64), (4096, 64, 1), "HALF", role="output"))
    twice.add(plan, x=given, y=taken)
    kept = write_network(folder / f"{name}.net", twice)
    roles[name] = [each.operand.role for each in kept.operands]
    (same,) = cudnn.load_network(folder / f"{name}.net", device="H200").parts
    assert isinstance(same, cudnn.Plan)
    assert same.operands[0].views == plan.operands[0].views != (), same.operands
    assert same._packed == plan._packed, (same._packed, plan._packed)
    again = cudnn.load_network(
        folder / f"{name}.net", device=cudnn.DeviceProperties(other), rebuild=True
    )
    (same,) = again.parts
    assert isinstance(same, cudnn.Plan)
    assert same.operands[0].views == plan.operands[0].views
# Each byte of records counts, and a sample of all others; so does where each section ends.
groups = (f.Tensor, f.StoredPlan, f.Tensor, f.Call, f.Step, f.Place)
sections = [0, 8, 12, f.Header.CHECKED, f.Header.FORMAT.size]
for cls, count in zip(groups, header[12:18], strict=True):
    sections.append(sections[-1] + cls.FORMAT.size * count)
sections += [sections[-1] + 4 * header.pieces, header.records, len(data) - header.weights]


def flipped(place: int) -> bytes:
    changed = bytearray(data)
    changed[place] ^= 0x40
    return bytes(changed)


step = max(1, len(data) // 997)
places = (*range(0, header.records, 7), *range(header.records, len(data), step), *sections)
ends = {each + more for each in (*sections, len(data)) for more in (-1, 0, 1)}
changes = {f"byte {each}": flipped(each) for each in places}
changes |= {f"the end at {each}": data[:each] for each in ends if 0 <= each < len(data)}
path = folder / "changed.net"
for what, content in changes.items():
    path.write_bytes(content)
    try:
        cudnn.load_network(path, device="H200")
    except cudnn.NetworkFileError:
        continue
    raise AssertionError(f"{what} of {len(data)} may be any")
print(
    json.dumps(
        {
            "found": found,
            "names": names,
            "plans": contents.plans,
            "steps": contents.steps,
            "parts": len(network.parts),
            "weights": contents.weights,
            "device": contents.device,
            "release": header.release,
            "multiprocessors": header.multiprocessors,
            "sizes": sizes,
            "sections": sections,
            "roles": roles,
            "numpy": "numpy" in sys.modules,
            "opened": [each.closed for each in opened],
        }
    )
)
