"""Roles of parameters: rules over names and types, then facts, and never a guess."""

from __future__ import annotations

import itertools
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from cudnn_cffi.api import model

from generator import classify, pipeline, tree
from generator.classify import ClassificationError, CType, Facts
from generator.read.parse import parse
from tests.generator.small import CUDA, Trusting

TYPES = """
typedef struct cudnnContext *cudnnHandle_t;
typedef enum { CUDNN_STATUS_SUCCESS } cudnnStatus_t;
typedef enum { CUDNN_DATA_FLOAT } cudnnDataType_t;
typedef enum { CUDNN_WGRAD_MODE_ADD } cudnnWgradMode_t;
typedef struct cudnnThingStruct *cudnnThingDescriptor_t;
typedef struct cudnnTagStruct cudnnTag_t;
typedef struct cudnnOther cudnnOther_t;
typedef struct { int a; } cudnnPerf_t;
typedef void (*cudnnCallback_t)(void *udata);
"""


def api_of(text: str, facts: Facts | None = None) -> model.Api:
    files = {"cudnn.h": f'#include "cuda_runtime_api.h"\n{TYPES}{text}\n'.encode()}
    return classify.classify(parse(files, CUDA.files, "1.0.0"), facts or Facts())


def role(declaration: str, name: str) -> dict[str, Any]:
    """The fields of parameter `name` that rules have set."""
    (function,) = api_of(f"cudnnStatus_t {declaration};").functions
    (found,) = (p for p in function.parameters if p.name == name)
    plain = model.Parameter(name=found.name, type=found.type)
    return {
        f: getattr(found, f)
        for f in found.__struct_fields__
        if getattr(found, f) != getattr(plain, f)
    }


# Types


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("int", CType("int", False, 0, False)),
        ("const int[]", CType("int", True, 0, True)),
        ("const int[3]", CType("int", True, 0, True, bound=3)),
        ("const int[][2]", CType("int", True, 0, True)),
        ("void *const", CType("void", False, 1, False)),
        ("const void *const *", CType("void", True, 2, False, addresses=True)),
        ("void *const[]", CType("void", True, 1, True, addresses=True)),
        ("const void *", CType("void", True, 1, False)),
        ("void **", CType("void", False, 2, False)),
        ("unsigned long long *", CType("unsigned long long", False, 1, False)),
        ("const struct cudnnX *", CType("cudnnX", True, 1, False)),
    ],
)
def test_a_c_type_taken_apart(text: str, expected: CType) -> None:
    assert CType.of(text) == expected


# Rules


@pytest.mark.parametrize(
    ("declaration", "name", "expected"),
    [
        # by value
        ("cudnnF(int n)", "n", {}),
        ("cudnnF(cudnnDataType_t t)", "t", {"kind": "enum"}),
        ("cudnnF(cudnnPerf_t p)", "p", {"kind": "struct"}),
        ("cudnnF(cudnnCallback_t f)", "f", {"kind": "callback"}),
        ("cudnnF(cudaStream_t s)", "s", {"kind": "stream"}),
        ("cudnnF(cudaGraph_t g)", "g", {"kind": "cuda"}),
        ("cudnnF(cudnnHandle_t h)", "h", {"kind": "handle"}),
        # objects: who changes them, who makes and who destroys them
        ("cudnnF(const cudnnThingDescriptor_t d)", "d", {"kind": "descriptor"}),
        ("cudnnGetThing(cudnnThingDescriptor_t d)", "d", {"kind": "descriptor"}),
        ("cudnnSetThing(cudnnThingDescriptor_t d)", "d", {"kind": "descriptor", "direction": "inout"}),
        ("cudnnCreateThing(cudnnThingDescriptor_t *d)", "d",
         {"kind": "descriptor", "direction": "out", "owner": "owned"}),
        ("cudnnGetThing(cudnnThingDescriptor_t *d)", "d",
         {"kind": "descriptor", "direction": "out", "owner": "borrowed"}),
        ("cudnnDestroyThing(cudnnThingDescriptor_t d)", "d",
         {"kind": "descriptor", "owner": "released"}),
        ("cudnnGetStream(cudnnHandle_t h, cudaStream_t *s)", "s",
         {"kind": "stream", "direction": "out", "owner": "borrowed"}),
        # numbers and structs through pointers
        ("cudnnF(int *n)", "n", {"direction": "out"}),
        ("cudnnF(cudnnDataType_t *t)", "t", {"kind": "enum", "direction": "out"}),
        ("cudnnF(cudnnPerf_t *p)", "p", {"kind": "struct", "direction": "out", "memory": "host"}),
        ("cudnnF(const cudnnPerf_t *p)", "p", {"kind": "struct", "memory": "host"}),
        ("cudnnF(cudnnTag_t *t)", "t", {"kind": "tag", "direction": "out", "optional": True}),
        ("cudnnF(const cudnnPerf_t rows[], int rowsSize)", "rows",
         {"kind": "records", "memory": "host", "length": "rowsSize"}),
        ("cudnnF(char *message, size_t max)", "message",
         {"kind": "text", "direction": "out", "memory": "host", "length": "max"}),
        ("cudnnF(const char *name)", "name", {"kind": "text", "memory": "host"}),
        ("cudnnF(const char name[])", "name", {"kind": "text", "memory": "host"}),
        ("cudnnF(const char **name)", "name",
         {"kind": "text", "direction": "out", "memory": "host", "owner": "borrowed"}),
        ("cudnnF(void (*hook)(int, void *))", "hook", {"kind": "callback"}),
        # arrays
        ("cudnnF(const int dims[5])", "dims", {"kind": "array", "memory": "host"}),
        ("cudnnF(int dims[5])", "dims", {"kind": "array", "direction": "out", "memory": "host"}),
        ("cudnnF(int nbDims, const int dimA[])", "dimA",
         {"kind": "array", "memory": "host", "length": "nbDims"}),
        ("cudnnF(const int devLengths[])", "devLengths", {"kind": "array", "memory": "device"}),
        ("cudnnGetNd(int nbDimsRequested, int *nbDims, int dimA[])", "dimA",
         {"kind": "array", "direction": "out", "memory": "host", "length": "nbDimsRequested",
          "count": "nbDims"}),
        ("cudnnF(int requestedAlgoCount, int *returnedAlgoCount, cudnnPerf_t *perfResults)",
         "perfResults",
         {"kind": "records", "direction": "out", "memory": "host", "length": "requestedAlgoCount",
          "count": "returnedAlgoCount"}),
        # void *
        ("cudnnF(const void *x)", "x", {"kind": "device", "memory": "device"}),
        ("cudnnF(void *y)", "y", {"kind": "device", "memory": "device", "direction": "out"}),
        ("cudnnF(void *const y)", "y", {"kind": "device", "memory": "device", "direction": "out"}),
        ("cudnnF(const void *beta, void *y)", "beta", {"kind": "scaling", "memory": "host"}),
        ("cudnnSetTensor(void *y, const void *valuePtr)", "valuePtr",
         {"kind": "scaling", "memory": "host"}),
        ("cudnnF(const void *beta, void *y)", "y",
         {"kind": "device", "memory": "device", "direction": "inout"}),
        ("cudnnF(cudnnWgradMode_t m, void *dw)", "dw",
         {"kind": "device", "memory": "device", "direction": "inout"}),
        ("cudnnF(void *workSpace, size_t workSpaceSizeInBytes)", "workSpace",
         {"kind": "workspace", "memory": "device", "direction": "inout", "optional": True,
          "length": "workSpaceSizeInBytes"}),
        ("cudnnF(void *reserveSpace, size_t reserveSpaceSize)", "reserveSpace",
         {"kind": "reserve", "memory": "device", "direction": "out", "optional": True,
          "length": "reserveSpaceSize"}),
        ("cudnnFBackward(void *reserveSpace)", "reserveSpace",
         {"kind": "reserve", "memory": "device", "direction": "inout"}),
        ("cudnnF(void **states)", "states",
         {"kind": "device", "memory": "device", "direction": "out", "owner": "borrowed"}),
        ("cudnnSetCallback(void *udata)", "udata", {"kind": "user_data", "optional": True}),
    ],
)  # fmt: skip
def test_rules(declaration: str, name: str, expected: dict[str, Any]) -> None:
    assert role(declaration, name) == expected


# Parameters that nothing explains


@pytest.mark.parametrize(
    ("declaration", "text"),
    [
        ("cudnnF(int ***x)", r"cudnnF: int \*\*\* x"),
        ("cudnnF(float **x)", r"cudnnF: float \*\* x"),
        ("cudnnF(const void **x, int ***y)", r"cudnnF: int \*\*\* y"),
        ("cudnnF(int out[])", r"cudnnF: int\[\] out: an array that is written, without a capacity"),
        # which memory, and whose, nothing says
        ("cudnnF(const void *const *p)", r"cudnnF: const void \*const \* p"),
        ("cudnnF(void *const p[])", r"cudnnF: void \*const\[\] p"),
        ("cudnnF(char **name)", r"cudnnF: char \*\* name"),
        ("cudnnF(const int pads[][2], int padsSize)", r"cudnnF: const int\[\]\[2\] pads"),
        ("cudnnF(int (*rows)[4])", r"cudnnF: int \(\*\)\[4\] rows"),
        ("cudnnF(int (**hook)(int))", r"cudnnF: int \(\*\*\)\(int\) hook"),
        # what only its own functions know the inside of
        ("cudnnF(struct cudnnX *x)", r"cudnnF: struct cudnnX \* x"),
        ("cudnnF(cudnnOther_t *x)", r"cudnnF: cudnnOther_t \* x"),
    ],
)
def test_a_pointer_that_nothing_explains_is_an_error(declaration: str, text: str) -> None:
    with pytest.raises(ClassificationError, match=text):
        api_of(f"int {declaration};")


def test_all_that_is_unexplained_is_named_at_once() -> None:
    with pytest.raises(ClassificationError) as caught:
        api_of("int cudnnF(int ***x);\nint cudnnG(float **y);")
    assert "cudnnF: int *** x" in str(caught.value)
    assert "cudnnG: float ** y" in str(caught.value)
    assert "generator/classify/facts.toml" in str(caught.value)


def test_with_a_list_what_is_unexplained_is_an_address() -> None:
    declarations = "int cudnnF(int ***x, const float *const *y, int n, int out[], char **text);"
    files = {"cudnn.h": f"{TYPES}{declarations}\n".encode()}
    unexplained: list[classify.Question] = []
    api = classify.classify(parse(files, CUDA.files, "1.0.0"), Facts(), unexplained)
    (function,) = api.functions
    found = [(p.kind, p.direction, p.optional, p.length) for p in function.parameters]
    address = ("buffer", "inout", True, None)
    const = ("buffer", "in", True, None)
    assert found == [address, const, ("scalar", "in", False, None), address, address]
    assert [str(each).partition(": ")[2] for each in unexplained] == [
        "int *** x",
        "const float *const * y",
        "int[] out: an array that is written, without a capacity",
        "char ** text",
    ]


# Parameters of which nothing proves what a rule says

BESIDE = f"#include <stdint.h>{TYPES}typedef struct cudnnTensorStruct *cudnnTensorDescriptor_t;\n"


def of_a_next_release(declaration: str, facts: Facts | None = None) -> model.Function:
    files = {"cudnn.h": f'#include "cuda_runtime_api.h"\n{BESIDE}int {declaration};\n'.encode()}
    api = classify.classify(parse(files, CUDA.files, "9.29.0"), facts or Facts())
    return api.functions[0]


GUESSES = [
    ("cudnnF(cudnnThingDescriptor_t d, int nbDims, int64_t *dims)", "one number that comes back"),
    ("cudnnGetF(cudnnThingDescriptor_t d, int *n)", "one number that comes back"),
    ("cudnnF(cudnnDataType_t *types, int n)", "one number that comes back"),
    ("cudnnF(cudaStream_t s, const float *scales)", "an array in device memory"),
    ("cudnnF(cudaStream_t s, const int lengths[], int lengthsSize)",
     "an array in host memory of lengthsSize elements"),
    ("cudnnF(int nbDims, const int dimA[])", "an array in host memory of nbDims elements"),
    ("cudnnF(int nbDimsRequested, int *nbDims, int dimA[])", "an array in host memory"),
    ("cudnnF(const int devLengths[])", "an array in device memory"),
    ("cudnnF(cudaStream_t s, const int dims[4])", "an array in host memory"),
    ("cudnnF(const cudnnThingDescriptor_t *x, int seqLength)", "an array in host memory"),
    ("cudnnCreateThings(cudnnThingDescriptor_t *d, int n)", "one object that comes back"),
    ("cudnnGetThing(cudnnThingDescriptor_t *d)", "one object that comes back"),
    ("cudnnDestroyThing(cudnnHandle_t h, cudnnThingDescriptor_t d)", "one object that is given away"),
    ("cudnnF(cudnnPerf_t *p)", "one struct that comes back"),
    ("cudnnF(const cudnnPerf_t *rows, int n)", "one struct"),
    ("cudnnF(cudaStream_t s, const cudnnPerf_t *row)", "one struct"),
    ("cudnnF(cudnnPerf_t *p, int requestedAlgoCount, int *returnedAlgoCount)",
     "an array of structs"),
    ("cudnnF(cudnnCallback_t *f)", "one callback that comes back"),
    ("cudnnF(void *udata)", "what a callback gets"),
    ("cudnnF(cudnnTag_t *t)", "NULL"),
    ("cudnnF(char *message, size_t max)", "text that ends with a zero"),
    ("cudnnF(const char *blob, size_t blobSize)", "text that ends with a zero"),
    ("cudnnF(cudaStream_t s, const char *bytes)", "text that ends with a zero"),
    ("cudnnF(const char **names)", "text that ends with a zero that comes back"),
    ("cudnnF(cudaStream_t s, const void *x)", "device memory"),
    ("cudnnF(const cudnnTensorDescriptor_t xDesc, const void *x)", "device memory"),
    ("cudnnF(cudnnHandle_t h, const cudnnThingDescriptor_t xDesc, const void *x)", "device memory"),
    ("cudnnF(void **states)", "device memory that comes back"),
    ("cudnnF(cudnnHandle_t h, const void *alpha)", "a scaling factor"),
    ("cudnnF(cudnnHandle_t h, void *workSpace)", "scratch memory on the device"),
    ("cudnnF(void *reserveSpace, size_t reserveSpaceSize)", "memory on the device"),
    ("cudnnF(void *paddingFill)", "one element"),
    ("cudnnF(const void *arrayOfElements, int64_t elementCount)", "elements of a type"),
]  # fmt: skip


@pytest.mark.parametrize(("declaration", "guess"), GUESSES)
def test_a_guess_is_an_error_that_gives_the_line_which_confirms_it(
    declaration: str, guess: str
) -> None:
    with pytest.raises(ClassificationError, match=f"nothing proves that it is {guess}") as caught:
        of_a_next_release(declaration)
    said = str(caught.value).splitlines()
    assert re.match(r"  cudnn\.h:13: cudnn\w+: ", said[1])
    facts = tomllib.loads("\n".join(["[confirmed]", *lines(said, "[confirmed]")]))
    confirmed = Facts(confirmed=facts["confirmed"])
    assert of_a_next_release(declaration, confirmed) == of_a_next_release(declaration, Trusting())
    assert confirmed.unused() == []
    # The same names beside another parameter, or with another type, are asked about again.
    for changed in (
        declaration.replace(")", ", int more)"),
        declaration.replace("*", "volatile *"),
    ):
        if changed != declaration:
            with pytest.raises(ClassificationError):
                of_a_next_release(changed, confirmed)


@pytest.mark.parametrize("declaration", [declaration for declaration, _ in GUESSES])
def test_a_guess_that_is_wrong_is_an_error_that_gives_another_line(declaration: str) -> None:
    with pytest.raises(ClassificationError) as caught:
        of_a_next_release(declaration)
    given = "\n".join(["[parameters]", *lines(str(caught.value).splitlines(), "[parameters]")])
    facts = Facts(parameters=tomllib.loads(given)["parameters"])
    try:
        roles = of_a_next_release(declaration, facts).parameters
    except ClassificationError as error:  # of an array, only a person knows the length
        assert re.search("unknown length|without a capacity", str(error))  # noqa: PT017
    else:
        name = declaration.partition("(")[0]
        stated = [p for p in roles if f'"{name}.{p.name}"' in given]
        assert stated
        assert all(p.kind in ("array", "records", "device", "buffer") for p in stated)


def lines(said: list[str], section: str) -> list[str]:
    """The lines of a message that it gives for a section of facts.toml."""
    (start,) = (place for place, line in enumerate(said) if f"elow {section}:" in line)
    return list(itertools.takewhile(lambda line: line.startswith('"'), said[start + 1 :]))


@pytest.mark.parametrize(
    "declaration",
    [
        "cudnnF(int n, float f, cudnnDataType_t t, cudnnThingDescriptor_t d, cudnnPerf_t p)",
        "cudnnCreateThing(cudnnThingDescriptor_t *d)",
        "cudnnDestroyThing(cudnnThingDescriptor_t d)",
        "cudnnF(const cudnnPerf_t *p)",
        "cudnnF(const char *name)",
        "cudnnF(void (*hook)(int), cudnnCallback_t other)",
        "cudnnF(const int dims[4], int strides[4])",
        "cudnnF(cudnnHandle_t h, const cudnnTensorDescriptor_t xDesc, const void *x)",
        "cudnnF(cudaStream_t s, void *workSpace, size_t workSpaceSizeInBytes)",
    ],
)
def test_what_types_prove_needs_no_line(declaration: str) -> None:
    assert of_a_next_release(declaration) == of_a_next_release(declaration, Trusting())


def test_a_guess_is_an_address_where_nobody_can_be_asked() -> None:
    declared = "cudnnF(cudnnThingDescriptor_t d, int nbDims, int64_t *dims, const int64_t *offsets)"
    files = {"cudnn.h": f"#include <stdint.h>\n{TYPES}int {declared};\n".encode()}
    questions: list[classify.Question] = []
    api = classify.classify(parse(files, CUDA.files, "9.29.0"), Facts(), questions)
    (function,) = api.functions
    assert [(p.kind, p.direction) for p in function.parameters[2:]] == [
        ("buffer", "inout"),
        ("buffer", "in"),
    ]
    assert [each.place for each in questions] == ["cudnn.h:12", "cudnn.h:12"]


def test_releases_that_are_all_there_are_were_read_as_a_whole() -> None:
    (function,) = api_of("int cudnnF(int nbDims, int *n);").functions
    assert function.parameters[1].direction == "out"


# Facts


def test_a_fact_replaces_what_a_rule_says() -> None:
    facts = Facts(parameters={"cudnnF.x": {"direction": "inout", "reason": "y"}})
    (function,) = api_of("int cudnnF(const void *x);", facts).functions
    assert (function.parameters[0].direction, function.parameters[0].kind) == ("inout", "device")
    assert facts.unused() == []


def test_a_fact_may_explain_what_no_rule_does() -> None:
    facts = Facts(parameters={"cudnn*.x": {"kind": "device", "memory": "device", "reason": "y"}})
    (function,) = api_of("int cudnnF(float **x);", facts).functions
    assert function.parameters[0].kind == "device"


def test_a_fact_about_functions_keeps_its_reason_and_may_be_a_pattern() -> None:
    facts = Facts(functions={"cudnn*Plan": {"reason": "there is none"}})
    api = api_of("int cudnnMakePlan(int x); int cudnnF(int x);", facts)
    assert {f.name: f.reason for f in api.functions} == {
        "cudnnMakePlan": "there is none",
        "cudnnF": None,
    }
    assert facts.unused() == []


def test_a_fact_that_matches_nothing_is_found() -> None:
    facts = Facts(
        parameters={"cudnnG.x": {"kind": "scalar", "reason": "y"}},
        functions={"cudnnG": {"successor": "cudnnF", "reason": "y"}},
        flags={"Mask": {"prefix": "CUDNN_MASK_", "reason": "y"}},
        comments={"cudnnG.x": {"reason": "y"}},
    )
    api_of("int cudnnF(int x);", facts)
    assert facts.unused() == [
        "comments.cudnnG.x",
        "flags.Mask",
        "functions.cudnnG",
        "parameters.cudnnG.x",
    ]


def test_a_fact_about_a_length_must_name_a_parameter() -> None:
    facts = Facts(parameters={"cudnnF.x": {"length": "gone", "reason": "y"}})
    with pytest.raises(ClassificationError, match=r"cudnnF\.x: no parameter 'gone'"):
        api_of("int cudnnF(const void *x);", facts)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[parameters."cudnnF.x"]\nkind = "scalar"\n', r"parameters.cudnnF.x gives no reason"),
        ('[params."cudnnF.x"]\nreason = "y"\n', r"unknown tables \['params'\]"),
    ],
)
def test_a_file_of_facts_is_checked(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "facts.toml").write_text(text)
    with pytest.raises(ClassificationError, match=message):
        Facts.load(tmp_path / "facts.toml")


# Bit masks


def test_shifted_bits_are_a_set_with_a_name_derived_from_theirs() -> None:
    api = api_of(
        "#define CUDNN_SEV_ERROR_EN (1U << 1)\n#define CUDNN_SEV_INFO_EN 1U << 3\n#define CUDNN_N 3"
    )
    assert [(s.name, [m.value for m in s.members]) for s in api.flags] == [
        ("SevErrorFlags", [2]),
        ("SevInfoFlags", [8]),
    ]
    assert [c.name for c in api.constants] == ["CUDNN_N"]


def test_a_fact_names_the_set_its_members_and_the_parameters_that_take_it() -> None:
    fact = {"prefix": "CUDNN_MASK_", "parameters": ["cudnnF.mask"], "reason": "y"}
    api = api_of(
        "#define CUDNN_MASK_OFF 0\n#define CUDNN_MASK_A (1 << 0)\n#define CUDNN_MASK_COUNT 5\n"
        "int cudnnF(unsigned mask, unsigned other);",
        Facts(flags={"Mask": fact}),
    )
    (flags,) = api.flags
    assert [m.name for m in flags.members] == ["CUDNN_MASK_OFF", "CUDNN_MASK_A"]
    assert [(p.kind, p.flags) for p in api.functions[0].parameters] == [
        ("flags", "Mask"),
        ("scalar", None),
    ]
    assert [c.name for c in api.constants] == ["CUDNN_MASK_COUNT"]


# The releases


@pytest.fixture(scope="module")
def contents() -> tree.Contents:
    return tree.load(tree.HOME)


def test_the_table_of_roles_is_up_to_date(contents: tree.Contents) -> None:
    written = (tree.HOME / "roles.txt").read_text(encoding="utf-8")
    assert tree.files(contents.merged())["roles.txt"].decode() == written


def test_models_have_the_roles_of_todays_rules_and_every_fact_is_used(
    contents: tree.Contents,
) -> None:
    facts = Facts.load()
    assert pipeline.stale(contents.merged().apis.values(), facts) == []
    assert facts.unused() == []


def test_attributes_of_other_evidence_are_stale(contents: tree.Contents) -> None:
    api = contents.apis["9.28.0"]
    first, *others = api.attributes
    changed = model.replace(first, readable=not first.readable)
    api = model.replace(api, release="9.28.0", attributes=(changed, *others))
    told = "attributes of other evidence: 9.28.0; generate it again"
    assert pipeline.stale([api], Facts.load()) == [told]


def test_comments_agree_with_the_roles_but_for_those_said_to_be_wrong(
    contents: tree.Contents,
) -> None:
    facts = Facts.load()
    apis = contents.merged().apis
    documented = {
        name: sum(p.documented is not None for f in api.functions for p in f.parameters)
        for name, api in apis.items()
    }
    for name, api in apis.items():
        if model.version_key(name) >= (9, 22, 0):
            assert documented[name] > 1000
        else:
            assert documented[name] == 0
        assert classify.disagreements(api, facts) == []
    assert {f"comments.{name}" for name in facts.comments} <= facts.used


def test_the_rules_do_not_look_at_the_comments(contents: tree.Contents) -> None:
    api = contents.merged().newest

    def silent(apart: model.Api) -> model.Api:
        functions = tuple(
            model.replace(
                f, parameters=tuple(model.replace(p, documented=None) for p in f.parameters)
            )
            for f in apart.functions
        )
        return model.replace(apart, functions=functions)

    assert classify.classify_again(silent(api), Facts.load()) == silent(api)
