"""Functions of shapes that no release had: what a next one may bring, called in both modes."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator import pipeline
from generator.verify import verify
from tests.compilers import c_library
from tests.generator import fake
from tests.generator.small import BASE, CUDA, Trusting, headers

DECLARED = """
#include <stdbool.h>
typedef struct { int a; float b; } cudnnRow_t;
typedef struct { short a; _Bool b; } cudnnPair_t;
typedef struct cudnnOwnStruct *cudnnOwnDescriptor_t;
typedef cudnnDataType_t cudnnComputeType_t;
typedef int64_t cudnnDim_t;
typedef cudnnDim_t cudnnExtent_t;
typedef struct {
    cudnnRow_t row; cudnnExtent_t extent; struct { int c; } inner; cudnnDataType_t types[2];
    cudnnDataType_t type; unsigned short d; void *p; int (*f)(int);
} cudnnNest_t;
typedef struct { int n; union { int a; float b; }; } cudnnAnonymous_t;
typedef struct { int m[2][3]; void *p[4]; const char *names[2]; } cudnnArrays_t;
typedef struct { int n; int data[]; } cudnnFlexible_t;
typedef struct cudnnNode { int n; struct cudnnNode *next; } cudnnNode_t;
typedef union { int i; float f; struct { short a, b; } s; } cudnnVariant_t;
typedef struct { enum { CUDNN_KIND_A, CUDNN_KIND_B } kind; struct cudnnNode nodes[2]; } cudnnInner_t;
typedef struct __attribute__((packed)) { char a; int b; } cudnnPacked_t;
typedef enum { CUDNN_BITS_NONE, CUDNN_BITS_ALL = 0xffffffffu } cudnnBits_t;
cudnnStatus_t cudnnTurn(cudnnBits_t bits, cudnnBits_t *turned);
enum { CUDNN_LIMIT = 7, CUDNN_NEXT };
#define CUDNN_TWICE (2 * CUDNN_LIMIT)
typedef int (*cudnnHook_t)(int);
cudnnStatus_t cudnnSumNest(const cudnnNest_t *nest, double *sum);
cudnnStatus_t cudnnSmall(bool a, short b, uint16_t c, int8_t d, uint8_t e, char f, double *sum);
cudnnStatus_t cudnnSmallOnly(bool a, short b, uint16_t c, int8_t d, uint8_t e);
cudnnStatus_t cudnnGetSmall(bool *a, short *b, uint16_t *c, int8_t *d, uint8_t *e);
cudnnStatus_t cudnnWide(long a, unsigned long b, intptr_t c, uintptr_t d, cudnnExtent_t e,
                        double *sum);
cudnnStatus_t cudnnSumBytes(int bytesSize, const int8_t bytes[], const bool flags[2], int *sum);
cudnnStatus_t cudnnGetFive(const int dims[3], short five[5]);
cudnnStatus_t cudnnSetName(const char *name, int *length);
cudnnStatus_t cudnnGetName(const char **name);
cudnnStatus_t cudnnInitRow(cudnnRow_t *row);
cudnnStatus_t cudnnSumRows(int rowsSize, const cudnnRow_t rows[], double *sum);
cudnnStatus_t cudnnPassPair(cudnnPair_t pair, int *sum);
cudnnStatus_t cudnnCallHook(int (*hook)(int), int argument, int *answer);
cudnnStatus_t cudnnCallNamed(cudnnHook_t hook, int argument, int *answer);
cudnnHook_t cudnnGetHook(void);
void *cudnnGetAddress(void);
bool cudnnIsTrue(int a);
cudnnStatus_t cudnnNextType(cudnnComputeType_t type, cudnnComputeType_t *next);
static inline int cudnnOfTheHeader(int a) { return a; }
float cudnnHalf(int a);
double cudnnQuarter(int a);
int16_t cudnnShortest(void);
cudnnStatus_t cudnnNextOf(int *restrict next, const int *restrict of);
"""

LIBRARY = """
#include <string.h>
size_t cudnnGetVersion(void) { return 90100; }
size_t cudnnGetCudartVersion(void) { return 12000; }
const char *cudnnGetErrorString(cudnnStatus_t status) { return status ? "bad" : "good"; }
cudnnStatus_t cudnnSmall(bool a, short b, uint16_t c, int8_t d, uint8_t e, char f, double *sum)
{ *sum = a + 10. * b + c + d + e + f; return 0; }
cudnnStatus_t cudnnSmallOnly(bool a, short b, uint16_t c, int8_t d, uint8_t e)
{ return a == 1 && b == -2 && c == 65535 && d == -128 && e == 255 ? 0 : 2000; }
cudnnStatus_t cudnnGetSmall(bool *a, short *b, uint16_t *c, int8_t *d, uint8_t *e)
{ *a = 1; *b = -2; *c = 65535; *d = -128; *e = 255; return 0; }
cudnnStatus_t cudnnWide(long a, unsigned long b, intptr_t c, uintptr_t d, cudnnExtent_t e,
                        double *sum)
{ *sum = a + (double)b + c + d + e; return 0; }
cudnnStatus_t cudnnSumBytes(int bytesSize, const int8_t bytes[], const bool flags[2], int *sum)
{ *sum = flags[0] + 10 * flags[1]; while (bytesSize--) *sum += bytes[bytesSize]; return 0; }
cudnnStatus_t cudnnGetFive(const int dims[3], short five[5])
{ for (int i = 0; i < 5; i++) five[i] = -i * dims[2]; return 0; }
cudnnStatus_t cudnnSetName(const char *name, int *length) { *length = strlen(name); return 0; }
cudnnStatus_t cudnnGetName(const char **name) { *name = "n\\303\\244me"; return 0; }
cudnnStatus_t cudnnInitRow(cudnnRow_t *row) { row->a = 3; row->b = .5; return 0; }
cudnnStatus_t cudnnSumRows(int rowsSize, const cudnnRow_t rows[], double *sum)
{ *sum = 0; while (rowsSize--) *sum += rows[rowsSize].a + rows[rowsSize].b; return 0; }
cudnnStatus_t cudnnPassPair(cudnnPair_t pair, int *sum) { *sum = pair.a + pair.b; return 0; }
cudnnStatus_t cudnnSumNest(const cudnnNest_t *nest, double *sum)
{ *sum = 0. + nest->row.a + nest->row.b + nest->extent + nest->d; return 0; }
cudnnStatus_t cudnnTurn(cudnnBits_t bits, cudnnBits_t *turned) { *turned = ~bits; return 0; }
static int twice(int a) { return 2 * a; }
cudnnStatus_t cudnnCallHook(int (*hook)(int), int argument, int *answer)
{ *answer = hook(argument); return 0; }
cudnnStatus_t cudnnCallNamed(cudnnHook_t hook, int argument, int *answer)
{ *answer = hook(argument); return 0; }
cudnnHook_t cudnnGetHook(void) { return twice; }
void *cudnnGetAddress(void) { return (void *)4096; }
bool cudnnIsTrue(int a) { return a; }
cudnnStatus_t cudnnNextType(cudnnComputeType_t type, cudnnComputeType_t *next)
{ *next = type + 1; return 0; }
float cudnnHalf(int a) { return a / 2.f; }
double cudnnQuarter(int a) { return a / 4.; }
int16_t cudnnShortest(void) { return -3; }
cudnnStatus_t cudnnNextOf(int *restrict next, const int *restrict of) { *next = *of + 1; return 0; }
"""

RELEASE = headers("9.1.0", BASE + DECLARED)
FACTS = Trusting.load()
FACTS.parameters["cudnnNextOf.of"] = {"length": "", "reason": "one number"}


@pytest.fixture(scope="module", params=["abi", "api"])
def made(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Path, str]:
    """A package with these functions, their library, and the mode to call them in."""
    folder = tmp_path_factory.mktemp(request.param)
    site = fake.assemble(folder, [RELEASE], native=request.param == "api", facts=FACTS)
    for name, data in {**CUDA.files, **RELEASE.files}.items():
        (folder / name).write_bytes(data)
    library = c_library(folder / "libcudnn.so.9", f'#include "cudnn.h"\n{LIBRARY}')
    return site, library, request.param


def outcome(made: tuple[Path, Path, str], code: str) -> str:
    site, library, mode = made
    start = "import ctypes\nimport cudnn_cffi as c\nfrom cudnn_cffi import errors\n"
    done = fake.run(site, start + code, library, mode)
    return done.stdout.strip() or done.stderr


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("c.cudnnSmall(True, -3, 65535, -128, 255, 65)", "65698.0"),
        ("c.cudnnSmallOnly(1, -2, 65535, -128, 255)", "None"),
        ("tuple(c.cudnnGetSmall())", "(1, -2, 65535, -128, 255)"),
        ("c.cudnnWide(-1, 2**40, -3, 4, 2**41)", str(float(2**40 + 2**41))),
        ("c.cudnnSumBytes(3, [-1, -2, 100], (True, False))", "98"),
        ("c.cudnnGetFive([7, 8, 9])", "(0, -9, -18, -27, -36)"),
        ("(c.cudnnSetName('näme'), c.cudnnSetName(b'abc'))", "(5, 3)"),
        ("c.cudnnGetName()", "näme"),
        ("((row := c.cudnnInitRow()).a, row.b)", "(3, 0.5)"),
        ("c.cudnnSumRows(2, (c.cudnnRow_t * 2)(c.cudnnRow_t(1, 2), c.cudnnRow_t(3, 4)))", "10.0"),
        ("c.cudnnPassPair(c.cudnnPair_t(-7, True))", "-6"),
        ("c.cudnnCallHook(c.cudnnGetHook(), 21)", "42"),
        ("c.cudnnCallNamed(ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(lambda a: a + 1), 1)", "2"),
        ("c.cudnnGetAddress()", "4096"),
        ("(int(c.cudnnIsTrue(5)), int(c.cudnnIsTrue(0)))", "(1, 0)"),
        ("repr(c.cudnnNextType(c.CUDNN_DATA_FLOAT))", "<DataType.DOUBLE: 1>"),
        ("c.cudnnSumNest(c.cudnnNest_t(row=c.cudnnRow_t(1, .5), extent=2**33, d=9))",
         str(2.0**33 + 10.5)),
        ("(nest := c.cudnnNest_t(type=1)).type is c.CUDNN_DATA_DOUBLE and nest.row.a", "0"),
        ("(x := c.cudnnAnonymous_t(n=1, b=1.0)).a, c.cudnnAnonymous_t(a=3).a", "1065353216 3"),
        ("[list(row) for row in c.cudnnArrays_t(m=((1, 2, 3), (4, 5, 6)), p=(4096,)).m]",
         "[[1, 2, 3], [4, 5, 6]]"),
        ("c.cudnnArrays_t(p=(4096, 8192)).p[1]", "8192"),
        ("c.cudnnFlexible_t(n=3).n, ctypes.sizeof(c.cudnnFlexible_t)", "3 4"),
        ("c.cudnnNode_t(2, 4096).next", "4096"),
        ("c.cudnnVariant_t(s=c.cudnnVariant_t(i=65538).s).s.b", "1"),
        ("c.cudnnInner_t(kind=c.CUDNN_KIND_B).kind, len(c.cudnnInner_t().nodes)", "1 2"),
        ("ctypes.sizeof(c.cudnnPacked_t), c.cudnnPacked_t(b=5).b", "5 5"),
        ("c.CUDNN_LIMIT, c.CUDNN_NEXT, c.CUDNN_TWICE", "7 8 14"),
        ("repr(c.cudnnTurn(c.CUDNN_BITS_NONE))", "<Bits.ALL: 4294967295>"),
        ("repr(c.cudnnTurn(c.CUDNN_BITS_ALL))", "<Bits.NONE: 0>"),
        ("int(c.cudnnTurn(1))", "4294967294"),
        ("hasattr(c, 'cudnnOfTheHeader')", "False"),
        ("(c.cudnnHalf(-3), c.cudnnQuarter(3), c.cudnnShortest())", "(-1.5, 0.75, -3)"),
        ("c.cudnnNextOf([4])", "5"),
    ],
)  # fmt: skip
def test_values_arrive(made: tuple[Path, Path, str], code: str, expected: str) -> None:
    assert outcome(made, f"print({code})") == expected


@pytest.mark.parametrize(
    "call",
    [
        "c.cudnnSmallOnly(2, 0, 0, 0, 0)",
        "c.cudnnSmallOnly(0, 40000, 0, 0, 0)",
        "c.cudnnSmallOnly(0, 0, -1, 0, 0)",
        "c.cudnnSmallOnly(0, 0, 0, 128, 0)",
        "c.cudnnSmallOnly(0, 0, 0, 0, 256)",
        "c.cudnnSmall(2, 0, 0, 0, 0, 0)",
        "c.cudnnSmall(0, 0, 0, 0, 0, 200)",
        "c.cudnnSumBytes(1, [200], [0, 0])",
        "c.cudnnSumBytes(1, [2], [0])",  # two are read, whatever the size of the other
        "c.cudnnGetFive([7, 8])",
        "c.cudnnSetName('a\\0b')",
        "c.cudnnSetName(None)",
        "c.cudnnSetName(3.5)",
        "c.cudnnCallNamed(lambda a: a, 1)",  # nobody knows how to make a C function of it
    ],
)
def test_what_would_not_fit_is_refused(made: tuple[Path, Path, str], call: str) -> None:
    code = f"try:\n    {call}\nexcept errors.ArgumentError:\n    print('refused')"
    assert outcome(made, code) == "refused"


def test_a_compiler_agrees(tmp_path: Path) -> None:
    pipeline.generate([RELEASE], CUDA, tmp_path / "tree", facts=FACTS)
    (verdict,) = verify(tmp_path / "tree", [], lambda _: RELEASE, CUDA)
    assert not verdict.wrong
    assert verdict.checks > 200
