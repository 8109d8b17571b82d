"""Docstrings of functions, arguments and results, from the model."""

from __future__ import annotations

import pytest

from generator import pipeline, tree
from generator.emit.text.docstrings import summary
from generator.emit.text.render import render
from generator.lower.plan import Plan
from tests.generator.lower.test_plan import plan_of
from tests.generator.small import BASE, CUDA, Trusting, headers


def of_function(plan: Plan) -> str:
    return render(
        "docstring.py.j2",
        plan=plan,
        members={"Mode": ["A", "B"]},
        availability=lambda _: "Since 9.1.0.",
    )


@pytest.mark.parametrize(
    ("declaration", "expected"),
    [
        ("cudnnGetF(cudnnTensorDescriptor_t d, cudnnMode_t *mode, int *n)",
         "Return `mode` and `n` of `d`."),
        ("cudnnSetF(cudnnTensorDescriptor_t d, int nbDims, const int dimA[])", "Set `dimA` of `d`."),
        ("cudnnF(const void *x, const void *w, void *y)", "Compute `y` from `x` and `w`."),
        ("cudnnGetF(cudnnTensorDescriptor_t d, int n, void **states)", "Return `states` of `d`."),
        ("cudnnSetF(const cudnnTensorDescriptor_t yDesc, void *y, const void *valuePtr)",
         "Write `y` with `valuePtr`."),
        ("cudnnFindF(const void *x, int requestedAlgoCount, int *returnedAlgoCount,"
         " cudnnPerf_t *perfResults)", "Return a list of `Perf`."),
        ("cudnnF(cudnnTensorDescriptor_t plan)", "Call f with `plan`."),
        ("cudnnInitPerf(cudnnPerf_t *perf)", "Initialize `perf`."),
        ("cudnnInitialize(void)", "Initialize the library."),
    ],
)  # fmt: skip
def test_the_summary_is_what_the_function_does(declaration: str, expected: str) -> None:
    assert summary(plan_of(f"cudnnStatus_t {declaration}")) == expected


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ("cudnnMode_t mode, int n", "mode: cudnnMode_t, a `Mode`: `A` or `B`."),
        ("int nbDims, const int dimA[]", "nbDims: int, how many elements `dimA` has."),
        ("int nbDims, const int dimA[]",
         "dimA: const int[], a sequence of numbers, at least `nbDims` elements."),
        ("int nbDimsRequested, int *nbDims, int dimA[]",
         "nbDimsRequested: int, how many elements `dimA` may have, 8 where left out."),
        ("const cudnnTensorDescriptor_t xDesc, const void *x",
         "x: const void*, device memory, laid out as `xDesc` says, read."),
        ("void *workSpace, size_t workSpaceSizeInBytes",
         "workSpaceSizeInBytes: size_t, how many bytes `workSpace` has."),
        ("size_t limitInBytes", "limitInBytes: size_t, in bytes."),
        ("const char *title", "title: const char*, a text."),
        ("const int dims[5]", "dims: const int[5], a sequence of numbers, at least 5 elements."),
        ("void (*hook)(int)", "hook: void (*)(int), the address of a C function."),
    ],
)  # fmt: skip
def test_an_argument_is_told_with_what_it_goes_with(parameters: str, said: str) -> None:
    plan = plan_of(f"cudnnStatus_t cudnnGetF({parameters})")
    text = " ".join(of_function(plan).split())
    assert said in text


def test_errors_are_a_section() -> None:
    text = of_function(plan_of("cudnnStatus_t cudnnF(int a)"))
    assert "\nRaises:\n    CudnnError: " in text
    assert "Raises:" not in of_function(plan_of("size_t cudnnGetF(void)"))


def test_a_method_says_what_it_does_with_its_object() -> None:
    mode = "typedef enum { CUDNN_MODE_A } cudnnMode_t;\n"
    told = "cudnnStatus_t cudnnGetTensorF(cudnnTensorDescriptor_t d, cudnnMode_t *mode);\n"
    sets = [headers("9.1.0", BASE + mode + told), headers("9.2.0", BASE + mode)]
    contents = tree.Contents()
    for each, api in pipeline.read(sets, CUDA, facts=Trusting())[1]:
        pipeline.add(contents, each, api)
    text = tree.files(contents.merged())["cudnn_cffi/families.py"].decode()
    assert (
        """\
        \"""Return `mode` of this object.

        See `cudnnGetTensorF`. Removed in 9.2.0.
        \"""
"""
        in text
    )
