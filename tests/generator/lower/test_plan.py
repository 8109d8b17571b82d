"""Calls of a function from Python: arguments, registers, and results."""

from __future__ import annotations

import pytest
from cudnn_cffi.api import model

from generator import classify
from generator.lower import values
from generator.lower.merge import merge
from generator.lower.plan import Context, Default, Plan, PlanError
from generator.lower.planner import plan
from generator.read.parse import parse
from tests.generator.small import BASE, Trusting, headers
from tests.generator.small import CUDA as CUDA_HEADERS

TYPES = """
typedef enum { CUDNN_MODE_A } cudnnMode_t;
typedef struct { int a; } cudnnSmall_t;
typedef struct { int a[3]; } cudnnBig_t;
typedef struct { double time; } cudnnPerf_t;
typedef struct cudnnTagStruct cudnnTag_t;
typedef void (*cudnnCallback_t)(void *udata);
"""


def plan_of(declaration: str, facts: classify.Facts | None = None) -> Plan:
    """The plan of `cudnnF`, whose header also has what every release has."""
    files = headers("9.1.0", BASE + TYPES + declaration + ";").files
    declarations = parse(files, CUDA_HEADERS.files, "9.1.0")
    api = classify.classify(declarations, facts or Trusting())
    release = model.Release(version="9.1.0", build="9.1.0", api="9.1.0")
    merged = merge([release], {"9.1.0": api})
    names = [name for name in merged.variants if name in declaration]
    return plan(merged.variants[max(names, key=len)][0], Context.of(merged))


def taken(found: Plan) -> list[tuple[str, Default | None]]:
    return [(p.name, p.default) for p in found.parameters]


@pytest.mark.parametrize(
    ("parameters", "codes"),
    [
        ("void", ()),
        ("int a, unsigned b, int64_t c, size_t d, float e, double f", ("i", "I", "q", "Q", "f", "d")),
        ("unsigned long long a, long long b, uint32_t c", ("Q", "q", "I")),
        ("cudnnMode_t a", ("i",)),
        ("cudnnHandle_t h, cudnnTensorDescriptor_t t", ("P", "P")),
        ("cudaStream_t s", ("p",)),
        ("const void *x, void *y", ("p", "p")),
        ("cudnnSmall_t s", ("r4",)),
        ("cudnnCallback_t f", ("P",)),
        ("cudnnTag_t *tag", ("0",)),
        ("int nbDims, const int dimA[]", ("i", "A")),
        ("const cudnnTensorDescriptor_t d, const void *alpha, const void *beta", ("P", "s0", "s0")),
        ("const cudnnTensorDescriptor_t yDesc, void *y, const void *valuePtr", ("P", "p", "s0")),
        ("const cudnnTensorDescriptor_t x, const void *alpha, const cudnnTensorDescriptor_t y",
         ("P", "s0", "P")),
        ("const void *alpha", ("P",)),  # nothing tells float from double: the caller does
        ("cudnnTensorDescriptor_t *d, int *n, size_t *s, float *f, void **p",
         ("op", "oi", "oQ", "of", "op")),
    ],
)  # fmt: skip
def test_each_argument_has_a_code(parameters: str, codes: tuple[str, ...]) -> None:
    assert plan_of(f"cudnnStatus_t cudnnF({parameters})").codes == codes


@pytest.mark.parametrize(
    ("result", "code", "annotation"),
    [
        ("cudnnStatus_t", "status", "None"),
        ("void", "void", "None"),
        ("size_t", "Q", "int"),
        ("const char *", "text", "str"),
        ("float", "f", "float"),
    ],
)
def test_what_the_function_itself_returns(result: str, code: str, annotation: str) -> None:
    found = plan_of(f"{result} cudnnF(int a)")
    assert (found.result_code, found.annotation) == (code, annotation)


def test_one_result_comes_back_as_it_is() -> None:
    found = plan_of("cudnnStatus_t cudnnF(int a, cudnnMode_t *mode)")
    assert taken(found) == [("a", None)]
    assert (found.annotation, found.tuple_name, found.slots) == ("Mode", None, "q")


def test_several_come_back_as_a_named_tuple_in_their_order() -> None:
    found = plan_of("cudnnStatus_t cudnnGetF(cudnnMode_t *mode, int n, double *x, size_t *size)")
    assert taken(found) == [("n", None)]
    assert found.tuple_name == found.annotation == "GetFResult"
    assert [(r.name, r.annotation) for r in found.results] == [
        ("mode", "Mode"),
        ("x", "float"),
        ("size", "int"),
    ]


def test_an_array_comes_back_trimmed_to_what_was_written() -> None:
    found = plan_of("cudnnStatus_t cudnnGetF(int nbDimsRequested, int *nbDims, int dimA[])")
    names = [r.name for r in found.results]
    assert names[-1] == "dimA"
    memory = values.Allocated("dimA", "int", "nbDimsRequested", "nbDimsRequested")
    trimmed = values.Trimmed(values.Slot(0), "nbDimsRequested")
    assert found.results[-1].value == values.Elements(memory, trimmed, None)


def test_a_list_of_records_replaces_its_count_and_its_capacity_has_a_default() -> None:
    found = plan_of(
        "cudnnStatus_t cudnnFindF(const void *x, int requestedAlgoCount, int *returnedAlgoCount,"
        " cudnnPerf_t *perfResults)"
    )
    assert [name for name, _ in taken(found)] == ["x", "requestedAlgoCount"]
    assert taken(found)[1][1] is not None
    assert found.annotation == "list[Perf]"


def test_text_comes_back_as_text_with_no_capacity_needed() -> None:
    found = plan_of("void cudnnF(char *message, size_t max_size)")
    assert found.annotation == "str"
    assert [name for name, default in taken(found) if default is None] == []


def test_what_python_reserves_is_renamed() -> None:
    assert taken(plan_of("cudnnStatus_t cudnnF(int lambda, int from)")) == [
        ("lambda_", None),
        ("from_", None),
    ]


def test_a_pointer_that_may_be_null_has_another_code() -> None:
    fact = {"optional": True, "reason": "y"}
    found = plan_of(
        "cudnnStatus_t cudnnF(cudnnTensorDescriptor_t zDesc)",
        Trusting(parameters={"cudnnF.zDesc": fact}),
    )
    assert found.codes == ("p",)
    assert found.parameters[0].annotation.endswith("| None")


@pytest.mark.parametrize(
    ("declaration", "message"),
    [
        (
            "cudnnStatus_t cudnnF(long double x)",
            "cudnnF: there is no rule for the type long double",
        ),
        ("cudnnStatus_t cudnnF(cudnnBig_t x)", "cudnnF: a struct of 12 bytes by value"),
        # It goes in another register than an integer of its size.
        (
            "cudnnStatus_t cudnnF(cudnnPerf_t x)",
            "cudnnF: a struct of 8 bytes that are not all integers by value",
        ),
        # A type without a pointer is no address.
        ("typedef struct cudnnX cudnnX_t;cudnnStatus_t cudnnF(cudnnX_t x)", "the type cudnnX_t"),
    ],
)
def test_what_the_call_layer_cannot_express_is_an_error(declaration: str, message: str) -> None:
    with pytest.raises(PlanError, match=message):
        plan_of(declaration)


@pytest.mark.parametrize(
    ("parameters", "places"),
    [
        ("const cudnnTensorDescriptor_t xDesc, const void *x, void *y", ((1, 0),)),
        ("const cudnnTensorDescriptor_t aDesc, const void *A", ((1, 0),)),
        ("const cudnnTensorDescriptor_t dyDesc, const void *dyData", ((1, 0),)),
        ("const void *x, const cudnnTensorDescriptor_t xDesc", ((0, 1),)),
        ("void *workSpace, size_t workSpaceSizeInBytes", ((0, 1),)),
        ("cudnnHandle_t xDesc, const void *x", ()),
        ("int seqLength, const cudnnTensorDescriptor_t *xDesc, const void *x", ()),
        ("const cudnnTensorDescriptor_t xDesc, const void *alpha, const void *y", ()),
    ],
)
def test_memory_is_paired_with_what_describes_it(
    parameters: str, places: tuple[tuple[int, int], ...]
) -> None:
    assert plan_of(f"cudnnStatus_t cudnnF({parameters})").described == places


def test_how_each_argument_becomes_a_number() -> None:
    found = plan_of(
        "cudnnStatus_t cudnnF(cudnnHandle_t h, const cudnnTensorDescriptor_t d, const void *alpha, "
        "const void *x, cudaStream_t s, int n)"
    )
    assert found.is_quick
    assert found.arguments == [
        values.Object("h", "cudnnHandle_t"),
        values.Object("d", "cudnnTensorDescriptor_t"),
        values.Factor("alpha"),
        values.DeviceMemory("x"),
        values.StreamArgument("s"),
        values.Number("n"),
    ]
    assert plan_of("cudnnStatus_t cudnnF(int nbDims, const int dimA[])").is_quick is False
