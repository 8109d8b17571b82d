"""Releases before 8.5: what their parameters are, their forms, and packages that have only them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from cudnn_cffi.api import model
from cudnn_cffi.api.names.forms import same_meaning

from generator import classify, pipeline, tree
from generator.__main__ import main
from generator.headers import from_folder
from generator.headers.records import HeaderError
from generator.lower import merge
from generator.read.parse import parse
from tests.generator import fake, old
from tests.generator.small import BASE, CUDA, headers


@pytest.fixture(scope="module")
def apis() -> dict[str, model.Api]:
    return {each.version: pipeline.api_from_headers(each, CUDA) for each in old.ALL}


def test_every_fact_about_an_old_release_is_used() -> None:
    facts = classify.Facts.load()
    for each in old.ALL:
        classify.classify(parse(each.files, CUDA.files, each.version), facts)
    about = {name for name in facts.unused(old=True) if name not in facts.unused()}
    assert not about
    assert any("until" in fact for fact in facts.parameters.values())


@pytest.mark.parametrize(
    ("version", "name", "parameter", "expected"),
    [
        ("1.0.0", "cudnnSetTensor4d", "value", "in scaling host"),
        ("1.0.0", "cudnnSetTensor4d", "tensorDesc", "in descriptor"),
        ("1.0.0", "cudnnSetTensor4dDescriptor", "tensorDesc", "inout descriptor"),
        ("1.0.0", "cudnnAddTensor4d", "srcDestData", "inout device device"),
        ("1.0.0", "cudnnConvolutionForward", "destData", "inout device device"),
        ("2.0.0", "cudnnSetTensor", "value", "in scaling host"),
        ("2.0.0", "cudnnScaleTensor", "srcDestData", "inout device device"),
        ("2.0.0", "cudnnDivisiveNormalizationForward", "tempData", "inout workspace device"),
        ("2.0.0", "cudnnDivisiveNormalizationForward", "tempData2", "inout workspace device"),
        ("5.1.10", "cudnnSetRNNDescriptor", "dropoutDesc", "in descriptor optional"),
        ("7.5.0", "cudnnCTCLoss", "gradients", "out device device"),
        ("7.5.0", "cudnnGetSeqDataDescriptor", "seqLengthArray",
         "out array host length=seqLengthSizeRequsted count=seqLengthArraySize"),
        ("7.5.0", "cudnnGetSeqDataDescriptor", "dimA",
         "out array host length=nbDimsRequested count=nbDims"),
        ("8.4.0", "cudnnGetSeqDataDescriptor", "seqLengthArray",
         "out array host length=seqLengthSizeRequested count=seqLengthArraySize"),
    ],
)  # fmt: skip
def test_roles(
    apis: dict[str, model.Api], version: str, name: str, parameter: str, expected: str
) -> None:
    (function,) = [f for f in apis[version].functions if f.name == name]
    (p,) = [p for p in function.parameters if p.name == parameter]
    said = [p.direction, p.kind, p.memory, "optional" if p.optional else None]
    said += [f"length={p.length}" if p.length else None, f"count={p.count}" if p.count else None]
    assert " ".join(each for each in said if each) == expected


@pytest.mark.parametrize(
    "declaration",
    [
        "int cudnnGetX(int nbDimsRequested, int *nbDims, int lengthArray[]);",
        "int cudnnSetX(int nbDims, const int indices[]);",
        "int cudnnSetX(int arrayLength, const int other[]);",
    ],
)
def test_a_length_that_nothing_explains_ends_the_run(declaration: str) -> None:
    files = headers("9.1.0", BASE + declaration).files
    with pytest.raises(classify.ClassificationError, match=r"cudnn[SG]etX: (const )?int\[\]"):
        classify.classify(parse(files, CUDA.files, "9.1.0"), classify.Facts.load())


# Forms


def forms(apis: dict[str, model.Api], name: str) -> list[str]:
    releases = [model.Release(version=v, build=v, api=v) for v in apis]
    return [variant.wrapper for variant in merge.merge(releases, apis).variants[name]]


def test_another_meaning_is_another_form(apis: dict[str, model.Api]) -> None:
    for name in ("cudnnSetConvolutionNdDescriptor", "cudnnGetConvolutionNdDescriptor"):
        assert forms(apis, name) == [name, f"{name}__5_1_10"]
    name = "cudnnBatchNormalizationForwardInference"
    assert forms(apis, name) == [name, f"{name}__2_0_0"]


@pytest.mark.parametrize(
    "name",
    ["cudnnCTCLoss", "cudnnMultiHeadAttnForward", "cudnnSoftmaxForward",
     "cudnnGetSeqDataDescriptor"],
)  # fmt: skip
def test_const_and_other_words_for_the_same_make_no_form(
    apis: dict[str, model.Api], name: str
) -> None:
    assert forms(apis, name) == [name]


@pytest.mark.parametrize(
    ("one", "other", "operand", "same"),
    [
        ("fMode", "fwdMode", False, True),
        ("algorithm", "algo", False, True),
        ("seqLengthSizeRequsted", "seqLengthSizeRequested", False, True),
        ("labels", "hostLabels", False, True),
        ("srcData", "x", True, True),
        ("srcDesc", "yDesc", True, True),
        ("src", "x", False, False),
        ("upscaleA", "dilationA", False, False),
        ("estimatedInvVariance", "estimatedVariance", True, False),
        ("dataType", "computeType", False, False),
        ("n", "c", False, False),
    ],
)
def test_which_names_mean_the_same(one: str, other: str, operand: bool, same: bool) -> None:
    assert same_meaning(one, other, operand) is same
    assert same_meaning(other, one, operand) is same


# Attributes


def test_attributes_take_only_types_that_the_release_has(apis: dict[str, model.Api]) -> None:
    found = {each.name: each for each in apis["8.4.0"].attributes}
    strides = found["CUDNN_ATTR_RESAMPLE_STRIDES"]
    assert "CUDNN_TYPE_FRACTION" not in strides.types
    assert found["CUDNN_ATTR_RESAMPLE_MODE"].types == ("CUDNN_TYPE_RESAMPLE_MODE",)


# The command line


def test_generate_says_what_is_left_out(tmp_path: Path) -> None:
    report = pipeline.generate([old.V1, old.V8], CUDA, tmp_path / "tree")
    text = "\n".join(report.notes)
    assert re.search(r"1\.0\.0: the headers declare no cudnnGetVersion", text)
    left_out = r"CUDNN_ATTR_RESAMPLE_STRIDES|8\.4\.0: \d+ backend attributes of unknown type"
    assert re.search(left_out, text)


def test_a_number_that_is_no_version_is_asked_for(tmp_path: Path) -> None:
    text = old.V1.files["cudnn.h"].decode()
    text = re.sub(r"#define CUDNN_(MAJOR|MINOR|PATCHLEVEL).*\n", "", text)
    text = re.sub(r"#define CUDNN_VERSION .*", "#define CUDNN_VERSION 20", text)
    (tmp_path / "cudnn.h").write_text(text)
    with pytest.raises(HeaderError, match=r"--version 1\.0\.0"):
        from_folder(tmp_path)
    assert from_folder(tmp_path, "1.0.0").version == "1.0.0"
    done = CliRunner().invoke(main, ["generate", "--headers", str(tmp_path), "--out", "x"])
    assert done.exit_code
    assert not isinstance(done.exception, ValueError)


# Packages of old releases only

OLD_USE = """
import cudnn_cffi as c
from cudnn_cffi._front.resolve import OVERLAY
for name in OVERLAY:
    getattr(c, name)
assert not c.has("TensorTransformDescriptor")
try:
    c.TensorTransformDescriptor()
except NotImplementedError as error:
    print(type(error).__name__, error)
x = c.TensorDescriptor.packed((2, 3, 4, 5))
conv = c.ConvolutionDescriptor.cross_correlation()
print(conv.groups, conv.dilation[:1], repr(conv).partition("(")[0])
try:
    c.ConvolutionDescriptor.cross_correlation(dilation=2)
except c.CudnnError as error:
    print(error)
try:
    conv = c.ConvolutionDescriptor.cross_correlation(groups=2)
except NotImplementedError as error:
    print(type(error).__name__, error)
try:
    x.size_in_bytes
except NotImplementedError as error:
    print(type(error).__name__, error)
"""


@pytest.mark.parametrize("mode", ["abi", "api"])
@pytest.mark.parametrize("sets", [(old.V5,), (old.V5, old.V8)], ids=["alone", "with a newer"])
def test_the_overlay_works_on_an_old_release(
    tmp_path: Path, mode: str, sets: tuple[object, ...]
) -> None:
    if mode == "api" and len(sets) > 1:
        pytest.skip("one compilation is enough")
    site = fake.assemble(tmp_path, sets, native=mode == "api")  # type: ignore[arg-type]
    api = fake.api(tmp_path / "tree", "5.1.10")
    library = fake.library(tmp_path / "lib", api, 5110)
    done = fake.run(site, OLD_USE, library, mode)
    assert not done.returncode, done.stderr
    said = [line for line in done.stdout.splitlines() if not line.startswith("cudnn")]
    assert said[0].startswith("MissingFunctionError")
    assert "1 (1,) Convolution" in said
    assert any(line.startswith("dilation: expected 1, got 2,2") for line in said)
    assert not any("cudnnSetConvolutionGroupCount" in line for line in done.stdout.splitlines()
                   if line.startswith("cudnnSet"))  # fmt: skip
    assert "cudnnSetConvolutionGroupCount" in said[-2]
    assert said[-1].startswith("MissingFunctionError cudnnGetTensorSizeInBytes: ")


OLD_OPERATIONS = """
import cudnn_cffi as c
from types import SimpleNamespace
from cudnn_cffi import ops
def array(address):
    interface = {"shape": (1, 2, 3, 4), "typestr": "<f4", "data": (address, False), "version": 3}
    return SimpleNamespace(__cuda_array_interface__=interface)
x, y = array(0x7000), array(0x8000)
assert ops.relu(x, out=y) is y
try:
    ops.tanh(x, out=y)
except c.CudnnError as error:
    print(type(error).__name__, str(error).partition("\\n")[0])
g = c.Graph()
g.output(g.relu(g.tensor((1, 2, 3, 4))))
for options in ({}, {"device": "H200"}):
    try:
        g.build(**options)
    except (c.CudnnError, NotImplementedError) as error:
        print(type(error).__name__, str(error).partition("\\n")[0])
"""


def test_operations_take_functions_of_an_old_release(tmp_path: Path) -> None:
    """A graph cannot be built; an error says so."""
    site = fake.assemble(tmp_path, [old.V76])
    library = fake.library(tmp_path / "lib", fake.api(tmp_path / "tree", "7.6.5"), 7605)
    done = fake.run(site, OLD_OPERATIONS, library)
    assert not done.returncode, done.stderr
    (forward,) = re.findall(r"cudnnActivationForward .*", done.stdout)
    assert [forward.split()[place] for place in (5, 8)] == [str(0x7000), str(0x8000)]
    said = [line for line in done.stdout.splitlines() if "Error" in line]
    assert said[0].startswith("NoPlanError activation: neither a graph nor a classic function")
    assert len(said) == 3
    assert all("relu_fwd" in line for line in said[1:]), said


@pytest.mark.parametrize("mode", ["abi", "api"])
def test_a_failing_status_is_told_without_a_text_of_cudnns(tmp_path: Path, mode: str) -> None:
    site = fake.assemble(tmp_path, [old.V2], native=mode == "api")
    library = fake.library(tmp_path / "lib", fake.api(tmp_path / "tree", "2.0.0"), 2000)
    code = (
        "import cudnn_cffi as c\n"
        "try:\n    c.cudnnSetTensor(1, 2, 0x3000, 1.5)\n"
        "except c.CudnnError as error:\n    print(type(error).__name__, error.status)\n"
    )
    done = fake.run(site, code, library, mode, FAIL="2000")
    assert "BadParamError" in done.stdout, done.stdout + done.stderr


def test_a_tree_of_one_8_9_7(tmp_path: Path, cudnn8_library: Path) -> None:
    """The real models of a release before 9, alone, with its library."""
    contents = tree.load(tree.HOME)
    version = "8.9.7"
    alone = tree.Contents({version: contents.releases[version]}, {version: contents.apis[version]})
    tree.write(tmp_path / "tree", tree.files(alone.merged()))
    site = fake.put_together(tmp_path, tmp_path / "tree")
    code = (
        "import cudnn_cffi as c\n"
        "from cudnn_cffi._front.resolve import OVERLAY\nfor name in OVERLAY: getattr(c, name)\n"
        "x = c.TensorDescriptor.packed((2, 3, 4, 5))\n"
        "print(x, c.ConvolutionDescriptor.cross_correlation(dilation=2).dilation)\n"
        "try:\n    x.set_4d(0, 0, -1, 1, 1, 1)\n"
        "except c.BadParamError as error:\n    print('refused')\n"
        "with c.log(): pass\n"
    )
    done = fake.run(site, code.replace("c.BadParamError", "c.CudnnError"), cudnn8_library)
    assert done.stdout.splitlines() == [
        "Tensor(2,3,4,5 float32 NCHW) (2, 2)", "refused"
    ], done.stderr  # fmt: skip
