"""Plans that NVIDIA's front end wrote: what is read of them."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import pytest
from cudnn_cffi import errors
from cudnn_cffi.compat import frontend
from cudnn_cffi.compat.frontend.saved.as_graph import read_original_graph
from cudnn_cffi.compat.frontend.saved.graphs import lowered
from cudnn_cffi.compat.frontend.saved.originals import decode_ubjson, is_original, read_original
from cudnn_cffi.plan import saving

#: JSON by the original 1.32 of a convolution, for an H200 and cuDNN 9.12.0, without a GPU.
WRITTEN = Path(__file__).parents[1] / "data" / "original_plan_9_12_0.ubj"


def text(value: str) -> bytes:
    data = value.encode()
    return b"l" + struct.pack(">i", len(data)) + data


def encode(value: Any) -> bytes:
    """Return UBJSON, as the original writes it."""
    if value is None or isinstance(value, bool):
        return {None: b"Z", True: b"T", False: b"F"}[value]
    if isinstance(value, int):
        for code, form, least, most in (
            *((b"i", ">b", -128, 127), (b"U", ">B", 0, 255)),
            *((b"I", ">h", -(2**15), 2**15 - 1), (b"l", ">i", -(2**31), 2**31 - 1)),
        ):
            if least <= value <= most:
                return code + struct.pack(form, value)
        return b"L" + struct.pack(">q", value)
    if isinstance(value, float):
        return b"D" + struct.pack(">d", value)
    if isinstance(value, str):
        return b"S" + text(value)
    if isinstance(value, list):
        return b"[" + b"".join(map(encode, value)) + b"]"
    return b"{" + b"".join(text(k) + encode(each) for k, each in value.items()) + b"}"


def bits(value: float, code: str = "f") -> str:
    return f"{struct.unpack('=I', struct.pack('=' + code, value))[0]:08X}"


@pytest.mark.parametrize(
    "value",
    [
        *[None, True, False, 0, -1, 127, 128, 255, 256, -300, 70000, 2**40, 1.5, "", "a\u00e9"],
        *[[], [[]], {"a": {"b": [1, None]}}, {"": 0}],
    ],
)
def test_ubjson(value: Any) -> None:
    assert decode_ubjson(encode(value)) == value


@pytest.mark.parametrize(
    "data",
    [
        *[b"", b"x", b"{", b"[", b"{i\x05ab", b"Si\xff", b"Sl\x7f\xff\xff\xffabc", b"i", b"TT"],
        *[b"[" * 100 + b"]" * 100, b"{Z", b"Si\x01\xff", b"Sd\x3f\x80\x00\x00a"],
    ],
)
def test_damaged_ubjson(data: bytes) -> None:
    with pytest.raises(errors.ArgumentError, match="damaged"):
        decode_ubjson(data)


def tensor(uid: int, dims: list[int], kind: str = "FLOAT", **more: Any) -> dict[str, Any]:
    strides = [1] * len(dims)
    for axis in reversed(range(len(dims) - 1)):
        strides[axis] = strides[axis + 1] * dims[axis + 1]
    made = {"name": str(uid), "dataType": f"CUDNN_DATA_{kind}", "dim": dims, "stride": strides}
    return made | {"isVirtual": False, "isByValue": False, "ptrAlignment": 16} | more


def saved() -> dict[str, Any]:
    """Return a plan with all that the original passes beside what the program gives."""
    plan = {
        "cudnnVersion": 91900,
        "operationGraph": {
            "tensors": [
                *(tensor(1, [2, 4, 8, 16], "HALF"), tensor(2, [2, 4, 8, 16], "HALF")),
                *(tensor(3, [1, 4, 1, 1]), tensor(4, [2, 1, 1, 1], "INT32")),
                *(tensor(5, [2, 4, 8, 1]), tensor(6, [2, 4, 8, 16])),
                *(tensor(7, [1], isByValue=True), tensor(8, [1, 1, 1, 1], isByValue=True)),
                *(tensor(9, [2, 4, 4, 16], "HALF"), tensor(10, [2, 4, 8, 8], isVirtual=True)),
            ]
        },
        "GPUProfile": {"deviceName": "NVIDIA H200"},
        "engine": {"engineId": 6, "knobChoices": {"CUDNN_KNOB_TYPE_KERNEL_CFG": 26}},
    }
    program = [
        {"uid": uid, "dim": [2, 4, 8, 16], "stride": [512, 128, 16, 1]}
        | ({"name": name} if name else {})  # tensors without one have no such field
        | {"data_type": "HALF", "is_virtual": False, "is_pass_by_value": uid == 8}
        for uid, name in ((1, "x"), (2, "y"), (8, ""), (11, "x"))
    ]
    return {
        "cudnn_backend_data": json.dumps(plan),
        "variant_pack_uids": [9, 8, 7, 6, 5, 4, 3, 2, 1],
        "nodes": [{"inputs": {"X": 1}, "outputs": {"Y": 2}}],
        "tensors": program,
        "pass_by_values": {"7": {"index": 3, "value": bits(0.125)}},
        "workspace_modifications": {
            "3": [0, 0, [bits(each) for each in (0.5, 0.25, 2.0, 1.0)]],
            "4": [0, 16, [bits(each, "i") for each in (100, 64)]],
            "5": [2, 32, []],
            "6": [1, 64, [bits(4096.0)]],
        },
        "variant_pack_replacements": [[9, [11, 256]]],
        "aligned_operands": {"1": [16, 2]},
    }


def test_all_that_a_plan_takes() -> None:
    data = encode(saved())
    assert is_original(data)
    assert not is_original(b'{"cudnn_cffi": 1}')
    found = read_original(data)
    read = saving.decode(found.text)
    assert read["release"] == "9.19.0"
    assert (read["engine"], read["knobs"]) == (6, {"KERNEL_CFG": 26})
    operands = {each.uid: each for each in read["operands"]}
    assert sorted(operands) == [1, 2, 3, 4, 5, 6, 7, 8, 11]
    assert [operands[uid].name for uid in (1, 2, 8, 11)] == ["x", "y", "tensor_8", "x_11"]
    assert (operands[2].role, operands[1].role) == ("output", "input")
    assert operands[1].data_type == "HALF"
    assert operands[1].strides == (512, 128, 16, 1)
    assert operands[7].value == 0.125
    assert operands[7].by_value
    assert operands[8].by_value
    assert operands[8].is_argument
    assert (operands[5].role, operands[5].fill) == ("workspace", None)
    assert (operands[6].role, operands[6].fill) == ("workspace", 0)
    assert operands[11].views == ((9, 256),)
    assert found.hidden == {3: [0.5, 0.25, 2.0, 1.0], 4: [100, 64]}
    assert found.aligned == {1}


@pytest.mark.parametrize("lost", ["variant_pack_uids", "cudnn_backend_data", "tensors"])
def test_what_is_missing(lost: str) -> None:
    fields = saved()
    del fields[lost]
    with pytest.raises(errors.ArgumentError, match="damaged"):
        read_original(encode(fields))


def test_kernels_of_the_original() -> None:
    data = b"CUDNN_FE_PYPLAN\0" + bytes(20)
    assert is_original(data)
    with pytest.raises(errors.ArgumentError, match="own kernels"):
        read_original(data)


def test_a_plan_of_the_original() -> None:
    read = saving.decode(read_original(WRITTEN.read_bytes()).text)
    assert read["release"] == "9.12.0"
    assert [(each.name, each.role) for each in read["operands"]] == [
        *(("x", "input"), ("w", "input"), ("conv_fprop.0::Y", "output"))
    ]
    data = WRITTEN.read_bytes()
    for end in range(0, len(data), 11):
        with pytest.raises(errors.ArgumentError):
            read_original(data[:end])


#: Graphs with options, as version 1.32 of the original wrote them.
GRAPHS = json.loads((WRITTEN.parent / "original_graphs.json").read_text())


def read_graph(saved: dict[str, Any]) -> Any:
    made = frontend.pygraph()
    read_original_graph(made, saved)
    return lowered(made)


def told(graph: Any) -> list[tuple[str, dict[str, Any]]]:
    skipped = ("compute_data_type", "length_kv", "shape")
    return [
        (node.kind, {name: each for name, each in node.options.items() if name not in skipped})
        for node in graph.nodes
    ]


def test_options_of_windows_and_functions_of_elements() -> None:
    graph = read_graph(GRAPHS["windows"])
    (_, window), *rest = told(graph)
    assert window["mode"] == "CROSS_CORRELATION"
    assert window["pre_padding"] == window["post_padding"] == (1, 1)
    assert rest == [
        ("pointwise", {"mode": "RELU_FWD", "slope": 0.25}),
        ("pointwise", {"mode": "RELU_FWD", "lower_clip": 0.0, "upper_clip": 6.0}),
        ("pointwise", {"mode": "MUL"}),
        ("pointwise", {"mode": "SWISH_FWD", "swish_beta": 1.5}),
    ]
    assert graph.nodes[3].inputs["b"].value == 2.5
    assert [each.strides for each in graph.outputs] == [(128, 1, 32, 8)]


def test_options_of_products() -> None:
    graph = read_graph(GRAPHS["product"])
    assert told(graph) == [
        ("matmul", {"padding_value": 1.0}),
        ("reduction", {"mode": "MAX"}),
        ("pointwise", {"mode": "GEN_INDEX", "axis": 1}),
    ]


@pytest.mark.parametrize("tag", ["SDPA", "SDPA_FWD"])  # earlier versions wrote the second
def test_options_of_attention(tag: str) -> None:
    (node,) = GRAPHS["attention"]["nodes"]
    graph = read_graph(GRAPHS["attention"] | {"nodes": [node | {"tag": tag}]})
    assert told(graph) == [("attention", {"form": "composite", "left": 31, "right": 0})]
    assert graph.nodes[0].inputs["scale"].value == 0.125
    assert set(graph.nodes[0].outputs) == {"o", "stats"}
    graph = read_graph(GRAPHS["attention with dropout"])
    ((_, options),) = told(graph)
    assert options == {"form": "composite", "dropout": pytest.approx(0.1)}
    inputs = graph.nodes[0].inputs
    assert inputs["scale"].value == 1.0  # the original scales nothing where no scale is set
    assert {"bias", "seq_len_q", "seq_len_kv", "seed", "offset"} <= set(inputs)


@pytest.mark.parametrize(
    ("of", "fields", "words"),
    [
        ("attention", {"rescale_threshold": 8.0}, "at: rescale_threshold=8.0 is not read"),
        ("attention", {"unfuse_fma": True}, "at: unfuse_fma=True is not read"),
        ("product", {"tag": "RMS_NORM"}, "RMS_NORM of the front end's JSON is not read"),
        ("attention", {"inputs": {"Descale_Q": 1}}, "Descale_Q of its inputs is not read"),
        ("attention", {"diagonal_alignment": "ELSEWHERE"}, "is not a graph of the front end"),
    ],
)
def test_what_is_not_read_is_refused(of: str, fields: dict[str, Any], words: str) -> None:
    saved = json.loads(json.dumps(GRAPHS[of]))
    saved["nodes"][0] |= fields
    with pytest.raises(errors.ArgumentError, match=words):
        read_graph(saved)
