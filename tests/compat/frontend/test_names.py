"""Every name of the original is here, or its page says why not; enums have the same numbers."""

from __future__ import annotations

import enum
import inspect
import json
import pickle
import re
from pathlib import Path
from typing import Any

import pytest
from cudnn_cffi.compat import frontend
from cudnn_cffi.compat.frontend.gone import CLASSIC, GONE
from cudnn_cffi.compat.frontend.methods.records import METHODS, MODES, Method
from cudnn_cffi.graph.record.operations import OPERATIONS, POINTWISE

#: The names, arguments and enums of nvidia-cudnn-frontend 1.32.0, read from its wheel.
ORIGINAL: dict[str, Any] = json.loads((Path(__file__).parent / "names.json").read_text())
ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "porting" / "frontend.md").read_text()


def original() -> Any:
    try:
        import cudnn
    except Exception as error:
        pytest.skip(f"the original is not installed, or does not load: {str(error)[:100]}")
    return cudnn


def parameters(function: Any) -> list[str]:
    return [each for each in inspect.signature(function).parameters if each != "self"]


@pytest.mark.parametrize("name", ORIGINAL["module"])
def test_a_name_of_the_module(name: str) -> None:
    if name in GONE:
        with pytest.raises(AttributeError, match=name):
            getattr(frontend, name)
        with pytest.raises(ImportError, match=f"^{name}.*(front end for it|cudnn_cffi.cudnn)"):
            exec(f"from cudnn_cffi.compat.frontend import {name}")
    else:
        assert hasattr(frontend, name)


def test_other_names_are_none() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        frontend.no_such_name  # noqa: B018
    assert set(ORIGINAL["module"]) >= GONE
    assert set(CLASSIC) <= GONE


def test_pickle_may_ask_the_module_for_any_name() -> None:
    """It asks all modules for the name of a function that does not say where it is from."""
    for name in ("torch", "ops", "jax"):
        code: dict[str, Any] = {}
        exec(f"def {name}(): pass", code)
        code[name].__module__ = None
        with pytest.raises((pickle.PicklingError, AttributeError)):
            pickle.dumps(code[name])


def test_functions_of_cudnn_that_a_reason_names() -> None:
    import cudnn_cffi

    for name in CLASSIC.values():
        assert name in dir(cudnn_cffi) or hasattr(cudnn_cffi, name)


@pytest.mark.parametrize(
    ("kind", "where"),
    [
        ("pygraph", frontend.pygraph),
        ("lowered graph", frontend.pygraph),
        ("wrapper.Graph", frontend.Graph),
        ("wrapper", frontend.wrapper),
        ("DeviceInfo", frontend.DeviceInfo),
    ],
)
def test_attributes(kind: str, where: Any) -> None:
    aliases = {
        "scaled_dot_product_flash_attention": "sdpa",
        "scaled_dot_product_flash_attention_backward": "sdpa_backward",
    }
    missing = [n for n in ORIGINAL[kind] if not hasattr(where, aliases.get(n, n))]
    assert not missing


def test_attributes_of_objects() -> None:
    graph = frontend.pygraph()
    tensor = graph.tensor([2, 3])
    objects = {
        "Tensor": tensor,
        "Node": frontend.Node("n", frontend.NodeType["MATMUL"]),
        "Handle": frontend.Handle(None),
        "knob": frontend.knob(),
        "kernel_cache": frontend.create_kernel_cache(),
    }
    for kind, each in objects.items():
        for name in ORIGINAL[kind]:
            assert name == "device" or hasattr(each, name), f"{kind}.{name}"


@pytest.mark.parametrize("name", [n for n, given in ORIGINAL["pygraph"].items() if given])
def test_arguments_of_a_method(name: str) -> None:
    """Each argument of the original has its name and its place here."""
    wanted = [each.removesuffix("=") for each in ORIGINAL["pygraph"][name]]
    found = parameters(getattr(frontend.pygraph, name))
    if "args" in wanted:  # the original takes what its tables say
        ports = ORIGINAL["ports"].get(name)
        if ports is None or "tensors" in found or "given" in found:
            return
        wanted = [*ports["inputs"], *ports.get("attrs", ())]
        keywords = [each for each in wanted if each in ("peer_stats", "top_k_scores")]
        places = [each for each in wanted if each not in keywords]
        assert found[: len(places)] == places
        assert set(keywords) <= set(found)
        assert {"name", "compute_data_type"} <= set(found)
    else:
        wanted = [each for each in wanted if each not in ("kwargs", "args")]
        assert found[: len(wanted)] == wanted


def test_arguments_of_the_rest() -> None:
    found = parameters(frontend.pygraph.__init__)
    wanted = [each.removesuffix("=") for each in ORIGINAL["pygraph()"]]
    from cudnn_cffi.compat.frontend.planning import Planning

    assert parameters(Planning.__init__) == [each for each in wanted if each != "kwargs"]
    assert found == parameters(Planning.__init__)
    for name, given in ORIGINAL["functions"].items():
        wanted = [each.removesuffix("=") for each in given]
        assert len(parameters(getattr(frontend, name))) == len(wanted), name


@pytest.mark.parametrize("name", ORIGINAL["attention"])
def test_options_of_attention(name: str) -> None:
    """Each option of the original is taken, if only to be refused with a reason."""
    graph = frontend.pygraph(io_data_type=frontend.data_type.HALF)
    ports = ORIGINAL["ports"][name]["inputs"]
    tensors = {port: graph.tensor([2, 4, 64, 64], name=port) for port in ports}
    for option in ORIGINAL["attention"][name]:
        if option not in tensors and option not in ("name", "compute_data_type", "dropout"):
            getattr(graph, name)(**tensors, **{option: None})
    with pytest.raises(TypeError, match="bogus"):
        getattr(graph, name)(**tensors, bogus=1)
    with pytest.raises(TypeError, match=ports[0]):
        getattr(graph, name)(**{k: v for k, v in tensors.items() if k != ports[0]})


@pytest.mark.parametrize("name", ORIGINAL["enums"])
def test_an_enum(name: str) -> None:
    ours = getattr(frontend, name)
    assert issubclass(ours, enum.Enum)
    wanted = ORIGINAL["enums"][name]
    found = {each.name: each.value for each in ours}
    assert {key: found.get(key) for key in wanted} == wanted
    assert name == "knob_type" or found == wanted
    first = next(iter(ours))
    assert repr(first) == str(first) == f"{name}.{first.name}"


def test_kinds_of_nodes() -> None:
    assert list(frontend.NodeType.__members__) == ORIGINAL["NodeType"]


def test_knobs_of_cudnn_have_members() -> None:
    """So none is lost where plans are recorded by their knobs."""
    from cudnn_cffi._tables import newest

    known = set(newest().enum("BackendKnobType").__members__) - {"COUNTS"}
    assert known <= set(frontend.knob_type.__members__)


@pytest.mark.parametrize("name", ORIGINAL["ports"])
def test_results_have_the_names_of_the_original(name: str) -> None:
    if not hasattr(frontend.pygraph, name) or name in frontend.ENGINES_IN_PYTHON:
        return
    graph = frontend.pygraph(io_data_type=frontend.data_type.HALF)
    ports = ORIGINAL["ports"][name]
    given: dict[str, Any] = {}
    for port in ports["inputs"]:
        tensor = graph.tensor([2, 4, 8, 8], name=port)
        given[port] = [tensor] if port in ("peer_stats", "inputs") else tensor
    settings = {
        "mode": frontend.reduction_mode.ADD,
        "norm_forward_phase": frontend.norm_forward_phase.TRAINING,
        "slices": [slice(0, 1)] * 4,
        "permutation": [0, 2, 1, 3],
        "axis": 1,
        "block_size": 4,
        "has_dbias": True,
    }
    given |= {key: settings[key] for key in ports.get("attrs", ()) if key in settings}
    if name.startswith("moe"):
        given.pop("mode", None)
    if name.startswith("sdpa") and not name.endswith("backward"):
        given["generate_stats"] = True
    made = getattr(graph, name)(**given, name="node")
    made = made if isinstance(made, list) else [made]
    wanted = [f"node::{end}" for end in ports["outputs"]]
    assert [each.get_name() for each in made if each is not None] == wanted


def test_the_page_has_every_name() -> None:
    words = set(re.findall(r"[A-Za-z_][A-Za-z0-9_]*", PAGE))
    every = {*ORIGINAL["module"], *ORIGINAL["pygraph"], *ORIGINAL["lowered graph"]}
    every |= {*ORIGINAL["Tensor"], *ORIGINAL["Handle"], *ORIGINAL["DeviceInfo"]}
    every |= {*ORIGINAL["wrapper"], *ORIGINAL["wrapper.Graph"], *ORIGINAL["kernel_cache"]}
    every |= {option for options in ORIGINAL["attention"].values() for option in options}
    every |= set(ORIGINAL["enums"])
    assert not sorted(every - words)


def test_the_list_is_that_of_the_wheel() -> None:
    """Where the original is installed, the list of its names is compared with it."""
    cudnn = original()
    if cudnn.__version__ != ORIGINAL["version"]:
        pytest.skip(f"the original is {cudnn.__version__}")
    module = {*cudnn.__all__, *cudnn._LAZY_OPTIONAL_IMPORTS}
    assert module <= set(ORIGINAL["module"])
    public = {each for each in dir(cudnn.pygraph) if not each.startswith("_")}
    assert public == set(ORIGINAL["pygraph"])
    for name, members in ORIGINAL["enums"].items():
        theirs = getattr(cudnn._pybind_module, name)
        assert {each.name: each.value for each in theirs} == members


@pytest.mark.parametrize("method", [m for m in METHODS.values() if m.operation])
def test_a_record_names_ports_and_options_of_the_operation(method: Method) -> None:
    """Arguments that our operation lacks are words of the front end, which lowering reads."""
    operation = OPERATIONS[method.operation]
    known = {port.name for port in operation.inputs} | operation.settings.keys()
    if method.operation == "pointwise":
        assert MODES.get(method.name, method.name.upper()) in POINTWISE
        given = {each.ours for each in method.arguments if not each.is_port}
    else:
        given = {each.ours for each in method.arguments}
        outputs = {port.name.removesuffix("_out") for port in operation.outputs}
        assert {each.ours for each in method.results} <= outputs
    own = {"name", "compute_data_type", "out_dims", "padding", "slices", "has_dbias"}
    own |= {"group_offset", "transpose"} if method.name == "block_scale_quantize" else set()
    own |= {"top_k_scores"} if method.name == "moe_grouped_matmul" else set()
    assert given - known <= own
    assert method.fixed.keys() <= operation.settings.keys()
    assert inspect.getdoc(getattr(frontend.pygraph, method.name)) == method.help
