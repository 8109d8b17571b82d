"""Headers in, declarations out: every construct that a release had, and nothing of the host's."""

from __future__ import annotations

import re
from pathlib import Path

import clang.cindex as cx
import pytest
from cudnn_cffi.api import model

from generator.read.compiling import ParseError
from generator.read.parse import Declarations, parse
from tests.generator.small import CUDA


def read(text: str | bytes, **others: str) -> model.Api:
    """The declarations of a cudnn.h that is `text`."""
    data = text if isinstance(text, bytes) else text.encode()
    return declared(data, **others).api


def declared(data: bytes, **others: str) -> Declarations:
    files = {"cudnn.h": b'#include "cuda_runtime_api.h"\n#include <stdint.h>\n' + data}
    files.update({f"{name}.h": body.encode() for name, body in others.items()})
    return parse(files, CUDA.files, "1.0.0")


def enumerators(text: str) -> dict[str, int]:
    return {e.name: e.value for enum in read(text).enums for e in enum.enumerators}


def constants(text: str) -> dict[str, int | float]:
    return {constant.name: constant.value for constant in read(text).constants}


def signature(text: str) -> str:
    (function,) = read("typedef struct S *cudnnHandle_t;\n" + text).functions
    return function.signature


# Functions


def test_a_function_has_the_types_that_the_header_spells() -> None:
    api = read("typedef struct S *cudnnHandle_t;\nint cudnnF(cudnnHandle_t h, const int dimA[]);")
    (function,) = api.functions
    assert (function.name, function.header) == ("cudnnF", "cudnn.h")
    assert [(p.name, p.type) for p in function.parameters] == [
        ("h", "cudnnHandle_t"),
        ("dimA", "const int[]"),
    ]


@pytest.mark.parametrize(
    ("declaration", "expected"),
    [
        ("size_t cudnnF(void);", "size_t()"),
        ("size_t cudnnF();", "size_t()"),  # no prototype
        ("const char *cudnnF(int);", "const char *(int)"),
        ("int cudnnF(int a[], size_t *n);", "int(int[], size_t *)"),
        ("int cudnnF(float const x, void const *p);", "int(const float, const void *)"),
        ("int cudnnF(cudaStream_t s);", "int(cudaStream_t)"),
        ("extern int cudnnF(int64_t n);", "int(int64_t)"),
    ],
)
def test_signatures(declaration: str, expected: str) -> None:
    assert signature(declaration) == expected


def test_parameters_without_a_name_get_one() -> None:
    (function,) = read("int cudnnF(int, int b);").functions
    assert [p.name for p in function.parameters] == ["arg0", "b"]


def test_a_calling_convention_that_is_an_empty_macro_is_no_constant() -> None:
    api = read(
        "#ifdef _WIN32\n#define CUDNNWINAPI __stdcall\n#else\n#define CUDNNWINAPI\n#endif\n"
        "int CUDNNWINAPI cudnnF(void);"
    )
    assert [f.name for f in api.functions] == ["cudnnF"]
    assert api.constants == ()


def test_a_function_that_the_header_itself_defines_is_none_of_the_library() -> None:
    api = read("static inline int cudnnHelp(int a) { return a; }\nint cudnnF(void);")
    assert [function.name for function in api.functions] == ["cudnnF"]


def test_bool_is_known() -> None:
    assert signature("#include <stdbool.h>\nint cudnnF(bool a);") == "int(_Bool)"


@pytest.mark.parametrize("name", ["assert", "float", "inttypes", "math"])
def test_headers_of_c_that_no_release_included_so_far_may_be(name: str) -> None:
    assert signature(f"#include <{name}.h>\nint cudnnF(int a);") == "int(int)"


def test_a_function_that_takes_any_number_of_arguments_is_known_as_one() -> None:
    assert signature("int cudnnF(int n, ...);") == "int(int, ...)"


def test_deprecation_is_an_attribute_or_a_comment() -> None:
    api = read(
        "#ifdef CUDNN_WARN_DEPRECATED\n#define OLD __attribute__((deprecated))\n#else\n"
        "#define OLD\n#endif\n"
        "OLD int cudnnA(void);\n/** @deprecated Use cudnnC */\nint cudnnB(void);\n"
        "int cudnnC(void);"
    )
    assert {f.name: (f.deprecated, f.quiet, f.successor) for f in api.functions} == {
        "cudnnA": (True, False, None),
        "cudnnB": (True, True, "cudnnC"),
        "cudnnC": (False, False, None),
    }


@pytest.mark.parametrize(
    ("note", "successor"),
    [
        ("Use cudnnG instead.", "cudnnG"),
        ("Use CUDNN_B.", "CUDNN_B"),
        ("Since 1.0. Use graph API instead.", "the graph API"),
        ("Since 1.0. Use\n * graph API instead.", "the graph API"),
        ("Use graph API SDPA operations instead.", "the graph API's SDPA operations"),
        ("Use pointwise operations instead.", "the graph API's pointwise operations"),
        ("Use texture memory.", None),
        ("Since 1.0.", None),
    ],
)
def test_what_a_deprecation_note_recommends_is_said_in_words_of_ours(
    note: str, successor: str | None
) -> None:
    api = read(
        f"/** @deprecated {note} */\nint cudnnF(void);\n"
        f"typedef enum {{ CUDNN_A = 0 /**< @deprecated {note} */ }} cudnnE_t;\n"
        f"/** @deprecated {note} */\ntypedef struct S *cudnnD_t;\n"
        f"/** @deprecated {note} */\ntypedef struct {{ int x; }} cudnnR_t;\n"
    )
    members = api.enums[0].enumerators
    for (entity,) in (api.functions, members, api.opaques, api.records):
        assert (entity.deprecated, entity.quiet, entity.successor) == (True, True, successor)


def test_comments_give_directions_and_first_release_but_no_sentence() -> None:
    api = read(
        "/** Nonsense.\n * @param[in] a nonsense\n * @param[in,out] b nonsense\n"
        " * @param[out] c nonsense\n * @since cuDNN 9.26.0\n */\n"
        "int cudnnF(int a, int *b, int *c, int d);"
    )
    (function,) = api.functions
    assert [p.documented for p in function.parameters] == ["in", "inout", "out", None]
    assert function.documented_since == "9.26.0"
    assert b"onsense" not in model.encode(api)


# Enums


def test_values_may_be_implicit_negative_duplicate_and_out_of_order() -> None:
    text = "CUDNN_A, CUDNN_B, CUDNN_C = 7, CUDNN_D, CUDNN_E = -2, CUDNN_F = 0"
    assert enumerators(f"typedef enum {{ {text} }} cudnnE_t;") == {
        "CUDNN_A": 0,
        "CUDNN_B": 1,
        "CUDNN_C": 7,
        "CUDNN_D": 8,
        "CUDNN_E": -2,
        "CUDNN_F": 0,
    }


def test_enumerators_may_be_defined_by_others_and_by_macros() -> None:
    text = (
        "#define CUDNN_SHIFT 4\n"
        "typedef enum { CUDNN_A = 3, CUDNN_B = CUDNN_A + 1, CUDNN_C = 1 << CUDNN_SHIFT } cudnnE_t;"
    )
    assert enumerators(text) == {"CUDNN_A": 3, "CUDNN_B": 4, "CUDNN_C": 16}


def test_an_enumerator_in_a_comment_is_none() -> None:
    text = (
        "typedef enum { CUDNN_A = 0,\n// CUDNN_B = 1,\n/* CUDNN_C = 2, */ CUDNN_D = 3, } cudnnE_t;"
    )
    assert enumerators(text) == {"CUDNN_A": 0, "CUDNN_D": 3}


def test_a_comment_behind_a_value_on_the_next_line() -> None:
    api = read(
        "#define OLD __attribute__((deprecated))\n"
        "typedef enum {\n"
        "    CUDNN_A = 1, /**< \u00e4 @since cuDNN 9.1.0 */\n"
        "    CUDNN_B =\n        2, /**< @since cuDNN 9.2.0 */\n"
        "    CUDNN_C OLD =\n        CUDNN_A, /**< @deprecated Use CUDNN_A. @since cuDNN 9.3.0 */\n"
        "    CUDNN_D =\n        4,\n"
        "    CUDNN_E =\n        5 /**< @since cuDNN 9.5.0 */\n"
        "} cudnnE_t;"
    )
    (enum,) = api.enums
    assert [(e.name[-1], e.documented_since, e.successor) for e in enum.enumerators] == [
        ("A", "9.1.0", None),
        ("B", "9.2.0", None),
        ("C", "9.3.0", "CUDNN_A"),
        ("D", None, None),
        ("E", "9.5.0", None),
    ]


def test_version_macros_have_a_formula_and_no_value() -> None:
    api = read(
        "#define CUDNN_MAJOR 9\n#define CUDNN_OPS_PATCH 3 /* nonsense */\n"
        "#define CUDNN_OPS_MAJOR 9\n#define CUDNN_OPS_MINOR 0\n"
        "#define CUDNN_VERSION (CUDNN_MAJOR * 10000 + 3)\n"
    )
    assert {macro.name: macro.formula for macro in api.versions} == {
        "CUDNN_MAJOR": "",
        "CUDNN_OPS_PATCH": "",
        "CUDNN_OPS_MAJOR": "",
        "CUDNN_OPS_MINOR": "",
        "CUDNN_VERSION": "CUDNN_MAJOR * 10000 + 3",
    }
    assert api.constants == ()


def test_a_macro_that_is_called_major_alone_is_a_number() -> None:
    text = "#define CUDNN_MAJOR 9\n#define CUDNN_ORDER_ROW_MAJOR 1\n#define CUDNN_COL_MAJOR 2\n"
    assert constants(text) == {"CUDNN_ORDER_ROW_MAJOR": 1, "CUDNN_COL_MAJOR": 2}


def test_an_attribute_may_stand_between_name_and_value() -> None:
    api = read(
        "#define OLD __attribute__((deprecated))\n"
        "typedef enum { CUDNN_A OLD = 5, CUDNN_B = 6 } cudnnE_t;"
    )
    (enum,) = api.enums
    assert [(e.value, e.deprecated) for e in enum.enumerators] == [(5, True), (6, False)]


@pytest.mark.parametrize(
    "text",
    [
        "typedef enum { CUDNN_A } cudnnE_t;",
        "typedef enum cudnnE { CUDNN_A } cudnnE_t;",
        "enum cudnnE { CUDNN_A };\ntypedef enum cudnnE cudnnE_t;",
        "typedef enum cudnnE_t { CUDNN_A } cudnnE_t;",
        "typedef enum cudnnE cudnnE_t;\nenum cudnnE { CUDNN_A };",
        "enum cudnnE;\ntypedef enum cudnnE cudnnE_t;\nenum cudnnE { CUDNN_A };",
    ],
)
def test_an_enum_goes_by_its_typedef_whatever_its_tag(text: str) -> None:
    assert [enum.name for enum in read(text).enums] == ["cudnnE_t"]


def test_what_was_an_enum_may_be_macros_in_another_release() -> None:
    old = read(
        "typedef enum { CUDNN_WIDE_OFF = 0, CUDNN_WIDE_ON = 1 } cudnnWide_t;\n"
        "int cudnnF(cudnnWide_t wide);"
    )
    new = read(
        "typedef unsigned cudnnWide_t;\n#define CUDNN_WIDE_OFF 0\n#define CUDNN_WIDE_ON (1 << 0)\n"
        "int cudnnF(cudnnWide_t wide);"
    )
    assert [e.name for e in old.enums[0].enumerators] == [c.name for c in new.constants]
    assert old.functions == new.functions
    assert [(t.name, t.type) for t in new.typedefs] == [("cudnnWide_t", "unsigned int")]


def test_enumerators_of_an_enum_without_a_name_are_constants() -> None:
    """They were lost, and with them the macros that are made of them."""
    text = "enum { CUDNN_A = 3, CUDNN_B };\n#define CUDNN_C (2 * CUDNN_B)\n"
    inside = "typedef struct { enum { CUDNN_D = 9 } kind; } cudnnS_t;\n"
    named = "typedef enum { CUDNN_E } cudnnE_t;\ntypedef struct { cudnnE_t e; } cudnnF_t;\n"
    api = read(text + inside + named)
    found = {constant.name: constant.value for constant in api.constants}
    assert found == {"CUDNN_A": 3, "CUDNN_B": 4, "CUDNN_C": 8, "CUDNN_D": 9}
    assert [enum.name for enum in api.enums] == ["cudnnE_t"]
    assert [record.fields[0].type for record in api.records] == ["unsigned int", "cudnnE_t"]


def test_types_are_spelled_without_the_place_of_their_declaration() -> None:
    """Lines of headers differ in every release, and would be changes of the API."""
    api = read("typedef struct { union { int a; }; struct { int b; } c; } cudnnS_t;")
    assert {record.name for record in api.records} == {
        "cudnnS_t", "cudnnS_t.anonymous_0", "cudnnS_t.c",
    }  # fmt: skip
    assert "cudnn.h:" not in str(api.records)


ALIASES = """
typedef enum { CUDNN_A } cudnnE_t;
typedef struct { int a; } cudnnRow_t;
typedef struct S *cudnnD_t;
typedef cudnnE_t cudnnOtherE_t;
typedef cudnnRow_t cudnnOtherRow_t;
typedef cudnnD_t cudnnOtherD_t;
typedef cudnnOtherD_t cudnnThirdD_t;
typedef cudaStream_t cudnnStream_t;
int cudnnF(cudnnOtherE_t e, const cudnnOtherRow_t *row, cudnnOtherD_t d, cudnnThirdD_t *out,
           cudnnStream_t stream);
"""


def test_another_name_of_a_type_makes_no_other_type() -> None:
    """An enum that got a second name would lose its first, and all its members would move."""
    api = read(ALIASES)
    assert [enum.name for enum in api.enums] == ["cudnnE_t"]
    assert [record.name for record in api.records] == ["cudnnRow_t"]
    assert [opaque.name for opaque in api.opaques] == ["cudnnD_t", "cudaStream_t"]
    assert {each.name: each.type for each in api.typedefs} == {
        "cudnnOtherE_t": "cudnnE_t",
        "cudnnOtherRow_t": "cudnnRow_t",
        "cudnnOtherD_t": "cudnnD_t",
        "cudnnThirdD_t": "cudnnD_t",
        "cudnnStream_t": "cudaStream_t",
    }
    (function,) = api.functions
    assert [parameter.type for parameter in function.parameters] == [
        "cudnnE_t",
        "const cudnnRow_t *",
        "cudnnD_t",
        "cudnnD_t *",
        "cudaStream_t",
    ]


@pytest.mark.parametrize(
    ("value", "expected"), [("0x7fffffffffLL", "uint64_t"), ("-0x7fffffffffLL", "int64_t")]
)
def test_an_enum_of_another_size_is_a_number(value: str, expected: str) -> None:
    found = declared(f"typedef enum {{ CUDNN_A = {value} }} cudnnE_t;".encode())
    assert found.api.enums == ()
    assert [(t.name, t.type) for t in found.api.typedefs] == [("cudnnE_t", expected)]
    assert {c.name: c.value for c in found.api.constants} == {"CUDNN_A": int(value[:-2], 0)}
    told = "cudnnE_t: an enum of 8 bytes is a number, its members are constants"
    assert found.left_out == (told,)


# CUDA's types


def test_two_names_that_cuda_has_for_one_enum_are_one_type() -> None:
    text = "typedef libraryPropertyType cudnnProperty_t;\n"
    api = read(text + "int cudnnF(libraryPropertyType a, cudnnProperty_t b);")
    (enum,), (function,) = api.enums, api.functions
    assert {parameter.type for parameter in function.parameters} == {enum.name}


def test_an_enum_of_cudas_is_taken_over_where_it_is_used() -> None:
    assert read("int cudnnF(int x);").enums == ()
    api = read("int cudnnGetProperty(libraryPropertyType type, int *value);")
    (enum,) = api.enums
    assert (enum.name, enum.header) == ("libraryPropertyType", "library_types.h")
    assert [e.name for e in enum.enumerators] == ["MAJOR_VERSION", "MINOR_VERSION", "PATCH_LEVEL"]


def test_early_headers_declare_libraryPropertyType_themselves_unless_cuda_did() -> None:
    guarded = (
        "#ifndef __LIBRARY_TYPES_H__\ntypedef enum libraryPropertyType_t "
        "{ MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL } libraryPropertyType;\n#endif\n"
        "int cudnnGetProperty(libraryPropertyType type, int *value);"
    )
    assert [e.name for e in read(guarded).enums] == ["libraryPropertyType"]
    cuda = {**CUDA.files, "library_types.h": b""}
    own = parse({"cudnn.h": guarded.encode()}, cuda, "1.0.0").api
    assert [(e.name, e.header) for e in own.enums] == [("libraryPropertyType", "cudnn.h")]


def test_objects_of_cudas_are_known_by_name() -> None:
    api = read("int cudnnF(cudaStream_t stream, cudaGraph_t graph);")
    assert [(o.name, o.target, o.header) for o in api.opaques] == [
        ("cudaGraph_t", "struct CUgraph_st *", "driver_types.h"),
        ("cudaStream_t", "struct CUstream_st *", "driver_types.h"),
    ]


def test_a_header_may_use_cudas_stream_without_including_it() -> None:
    api = parse(
        {"cudnn.h": b'#include "driver_types.h"\n', "cudnn_ops.h": b"int cudnnF(cudaStream_t s);"},
        CUDA.files,
        "1.0.0",
    ).api
    assert api.functions[0].signature == "int(cudaStream_t)"


# Macros


@pytest.mark.parametrize(
    ("body", "value"),
    [
        ("8", 8),
        ("(8)", 8),
        ("0x10", 16),
        ("010", 8),
        ("1u", 1),
        ("(1U << 3)", 8),
        ("-1", -1),
        ("~0", -1),
        ("1e-5", 1e-5),
        ("0.01f", 0.009999999776482582),  # of a float
        # as C computes them
        ("~0u", 0xFFFFFFFF),
        ("((size_t)-1)", 0xFFFFFFFFFFFFFFFF),
        ("(~0u >> 1)", 0x7FFFFFFF),
        ("(CUDNN_OTHER > 2 ? 20 : 30)", 20),
        ("(sizeof(int) * 2)", 8),
        ("'a'", 97),
        ("((char)300)", 44),
        ("CUDNN_OTHER", 3),
        ("(CUDNN_OTHER * 100 + CUDNN_ENUMERATOR)", 305),
        ("5 // words after it", 5),
        ("5 /* words after it */", 5),
        ("7 / 2", 3),
        ("((size_t)5)", 5),
    ],
)
def test_object_like_macros_with_a_value_are_constants(body: str, value: float) -> None:
    text = f"#define CUDNN_X {body}\n#define CUDNN_OTHER 3\nenum cudnnE {{ CUDNN_ENUMERATOR = 5 }};"
    found = constants(text)["CUDNN_X"]
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    "body",
    ["", "__attribute__((unused))", '"text"', "cudnnOther", "CUDNN_X", "((void *)0)", "int", "8 9",
     "{", "*", "cudnnF", "extern"],
)  # fmt: skip
def test_macros_without_a_value_are_no_constants(body: str) -> None:
    assert constants(f"#define CUDNN_X {body}") == {}


@pytest.mark.parametrize("body", ["(1.0 / 0.0)", "(0.0 / 0.0)", "-__builtin_inff()"])
def test_a_macro_that_is_no_finite_number_is_left_out(body: str) -> None:
    found = declared(f"#define CUDNN_A {body}\nstatic const double cudnnB = {body};\n".encode())
    assert found.api.constants == ()
    assert [each.partition(":")[0] for each in found.left_out] == ["cudnnB", "CUDNN_A"]


def test_a_macro_that_says_that_an_enumerator_is_there_is_no_other_thing() -> None:
    text = "typedef enum { CUDNN_A = 4 } cudnnE_t;\n#define CUDNN_A CUDNN_A\n"
    found = declared(f"{text}int cudnnF(void);\n#define cudnnF cudnnF\n".encode())
    assert (found.api.constants, found.left_out) == ((), ())


def test_macros_without_a_value_take_none_from_others() -> None:
    odd = "".join(f"#define CUDNN_M{i} nothing {i}\n" for i in range(60))
    odd += "#define CUDNN_N {\n#define CUDNN_O (\n#define CUDNN_P )\n#define CUDNN_Q ;\n"
    assert constants(f"#define CUDNN_A 1\n{odd}#define CUDNN_Z 2") == {"CUDNN_A": 1, "CUDNN_Z": 2}


def test_function_like_macros_are_kept_with_their_tokens() -> None:
    api = read("#define CUDNN_CATEGORY(code)  ((code) / 1000 * 1000)\n#define CUDNN_PAREN (1)")
    (macro,) = api.macros
    assert (macro.name, macro.parameters) == ("CUDNN_CATEGORY", ("code",))
    assert macro.body.replace(" ", "") == "((code)/1000*1000)"
    assert [c.name for c in api.constants] == ["CUDNN_PAREN"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "#define CUDNN_VERSION 2000\n",
        "#define CUDNN_VERSION /* words */ 4007\n",
        "#define CUDNN_MAJOR 3\n#define CUDNN_MINOR 0\n#define CUDNN_PATCHLEVEL 07\n"
        "#define CUDNN_VERSION (CUDNN_MAJOR * 1000 + CUDNN_MINOR * 100 + CUDNN_PATCHLEVEL)\n",
        "#define CUDNN_MAJOR 9\n#define CUDNN_MINOR 0\n#define CUDNN_PATCHLEVEL 0\n"
        "#define CUDNN_OPS_MAJOR 9\n#define CUDNN_OPS_MINOR 9\n#define CUDNN_OPS_PATCH 9\n",
    ],
)
def test_the_number_of_the_version_is_no_part_of_the_api(text: str) -> None:
    other = re.sub(r"(?<= )0?\d(\d{3})?$", "12", text, flags=re.M)
    assert read(text + "int cudnnF(void);") == read(other + "int cudnnF(void);")
    assert read(text).constants == ()


# Structs and unions


def field_rows(record: model.Record) -> list[tuple[str, str, int, int, int | None]]:
    return [(f.name, f.type, f.offset, f.size, f.length) for f in record.fields]


def test_a_struct_has_its_layout() -> None:
    api = read("typedef struct { char a; int b; void *c; int reserved[3]; } cudnnPerf_t;")
    (record,) = api.records
    assert (record.name, record.size, record.align, record.tag) == ("cudnnPerf_t", 32, 8, "")
    assert field_rows(record) == [
        ("a", "char", 0, 1, None),
        ("b", "int", 4, 4, None),
        ("c", "void *", 8, 8, None),
        ("reserved", "int", 16, 12, 3),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "typedef struct cudnnPerfStruct { int a; } cudnnPerf_t;",
        "struct cudnnPerfStruct { int a; };\ntypedef struct cudnnPerfStruct cudnnPerf_t;",
        "typedef struct cudnnPerfStruct cudnnPerf_t;\nstruct cudnnPerfStruct { int a; };",
    ],
)
def test_a_struct_with_a_tag_goes_by_its_typedef(text: str) -> None:
    api = read(text)
    assert [(r.name, r.tag) for r in api.records] == [("cudnnPerf_t", "cudnnPerfStruct")]


@pytest.mark.parametrize("tag", ["", "cudnnAlgoUnionStruct"])
@pytest.mark.parametrize("inner", ["", "Algorithm"])
def test_a_union_inside_a_struct_is_a_record_of_its_own(tag: str, inner: str) -> None:
    union = f"union {inner} {{ int a; double b; }}"
    api = read(f"typedef struct {tag} {{ int kind; {union} algo; }} cudnnAlgo_t;")
    records = {r.name: r for r in api.records}
    assert sorted(records) == ["cudnnAlgo_t", "cudnnAlgo_t.algo"]
    assert field_rows(records["cudnnAlgo_t.algo"]) == [
        ("a", "int", 0, 4, None),
        ("b", "double", 0, 8, None),
    ]
    algo = records["cudnnAlgo_t"].fields[1]
    assert (algo.record, algo.offset, algo.size) == ("cudnnAlgo_t.algo", 8, 8)


def test_a_bit_field_is_left_out_of_its_struct() -> None:
    found = declared(b"typedef struct { int a : 3; int b; char c : 1; } cudnnX_t;")
    (record,) = found.api.records
    assert (record.size, field_rows(record)) == (12, [("b", "int", 4, 4, None)])
    assert found.left_out == (
        "cudnnX_t.a: a bit field is left out",
        "cudnnX_t.c: a bit field is left out",
    )


def test_types_without_a_public_inside_are_opaque() -> None:
    api = read(
        "struct cudnnContext;\ntypedef struct cudnnContext *cudnnHandle_t;\n"
        "typedef void *cudnnBackendDescriptor_t;\ntypedef struct cudnnTag cudnnTag_t;"
    )
    assert {o.name: o.target for o in api.opaques} == {
        "cudnnHandle_t": "struct cudnnContext *",
        "cudnnBackendDescriptor_t": "void *",
        "cudnnTag_t": "struct cudnnTag",
    }


def test_a_pointer_to_a_function_is_a_callback() -> None:
    api = read("typedef void (*cudnnCallback_t)(int severity, void *udata, const char *);")
    (callback,) = api.callbacks
    assert (callback.name, callback.result) == ("cudnnCallback_t", "void")
    assert [(p.name, p.type) for p in callback.parameters] == [
        ("severity", "int"),
        ("udata", "void *"),
        ("arg2", "const char *"),
    ]


# Files


def test_every_header_counts_also_one_that_no_other_includes() -> None:
    api = read(
        '#include "cudnn_ops.h"\n', cudnn_ops="int cudnnA(void);", cudnn_new="int cudnnB(void);"
    )
    assert {f.name: f.header for f in api.functions} == {
        "cudnnA": "cudnn_ops.h",
        "cudnnB": "cudnn_new.h",
    }
    assert [(h.name, h.includes) for h in api.headers] == [
        ("cudnn.h", ("cudnn_ops.h",)),
        ("cudnn_new.h", ()),
        ("cudnn_ops.h", ()),
    ]


def test_line_ends_and_letters_outside_ascii_make_no_difference() -> None:
    text = "/* caf\u00e9 \u2014 */\n#define CUDNN_X 3 // \u00b5\nint cudnnF(int a,\n  int b);\n"
    assert read(text.replace("\n", "\r\n")) == read(text) == read(text.encode("latin-1", "replace"))


def test_bytes_that_are_no_utf8_only_matter_in_code() -> None:
    assert read(b"/* caf\xe9 */\nint cudnnF(void);") == read("int cudnnF(void);")


# Errors


def test_an_error_names_file_line_and_text() -> None:
    with pytest.raises(ParseError, match=r"cudnn_ops\.h:2:5: unknown type name 'nonsense_t'"):
        read("", cudnn_ops="int cudnnA(void);\n    nonsense_t cudnnF(void);\n")


def test_a_header_that_is_not_there_is_an_error() -> None:
    with pytest.raises(ParseError, match=r"cudnn\.h:3:10: 'cudnn_gone.h' file not found"):
        read('#include "cudnn_gone.h"\n')


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("#include <cuda_fp16.h>\nint cudnnF(__half thing);", "cuda_fp16.h"),
        ("int cudnnF(cudaNewThing_t *thing);", "cudaNewThing_t"),
        ("typedef cudaNewThing_t cudnnThing_t;\nint cudnnF(const cudnnThing_t thing);",
         "cudaNewThing_t"),
        ("typedef struct { cudaNewThing_t a[2]; } cudnnA_t;\ntypedef struct { cudnnA_t a; }"
         " cudnnB_t;\nint cudnnF(cudnnB_t *b);", "cudaNewThing_t"),
    ],
)  # fmt: skip
def test_structs_of_types_that_cudas_headers_lack_are_left_out(text: str, missing: str) -> None:
    found = declared(f"{text}\nint cudnnG(int a);\n".encode())
    assert [function.name for function in found.api.functions] == ["cudnnF", "cudnnG"]
    assert (found.api.records, found.api.typedefs) == ((), ())
    assert re.match(f"{missing}: CUDA's headers lack ", found.left_out[0])
    assert found.left_out[0].endswith("name the include folder of a newer CUDA: --cuda-headers DIR")


def test_a_pointer_to_what_is_left_out_stays_in_its_struct() -> None:
    found = declared(b"typedef struct { int n; cudaNewThing_t *thing; } cudnnA_t;")
    (record,) = found.api.records
    assert field_rows(record)[1] == ("thing", "cudaNewThing_t *", 8, 8, None)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("extern int cudnnLevel;", "cudnnLevel: a variable is left out"),
        ("static inline int cudnnF(int a) { return a; }",
         "cudnnF: a function that no library has is left out"),
        ('#define CUDNN_BUILD "abc"', 'CUDNN_BUILD: a macro that stands for "abc" is left out'),
        ("int cudnnF_v2(int a);\n#define cudnnF cudnnF_v2",
         "cudnnF: a macro that stands for cudnnF_v2 is left out"),
    ],
)  # fmt: skip
def test_what_no_table_has_is_named(text: str, told: str) -> None:
    assert declared(text.encode()).left_out == (told,)


def test_a_constant_variable_is_a_constant() -> None:
    assert constants("static const int CUDNN_FIVE = 5;") == {"CUDNN_FIVE": 5}


def test_a_header_broken_in_the_middle_is_an_error() -> None:
    whole = "typedef enum { CUDNN_A = 0, CUDNN_B = 1 } cudnnE_t;\nint cudnnF(cudnnE_t e);\n"
    with pytest.raises(ParseError, match=r"do not compile:\nend of cudnn.h: expected") as caught:
        read(whole[: len(whole) // 3])
    assert "cudnn.h:3:25: expected ';' after enum" in str(caught.value)


def test_an_unfinished_condition_is_an_error() -> None:
    with pytest.raises(ParseError, match="unterminated conditional directive"):
        read("#ifndef CUDNN_H_\n#define CUDNN_H_\nint cudnnF(void);\n")


def test_no_more_than_five_errors_are_shown() -> None:
    with pytest.raises(ParseError, match=r"\(and 3 more\)") as caught:
        read("".join(f"unknown{i}_t cudnn{i}(void);\n" for i in range(8)))
    assert len(str(caught.value).splitlines()) == 7


def test_an_error_is_shown_once_however_often_its_header_is_included() -> None:
    again = '#include "cudnn_again.h"\n' * 3
    with pytest.raises(ParseError) as caught:
        read(again, cudnn_again="unknown_t cudnnF(void);\n")
    assert len(str(caught.value).splitlines()) == 2
    assert str(caught.value).count("cudnn_again.h:1:1: unknown type name 'unknown_t'") == 1


# The host


def test_a_libclang_that_does_not_load_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def create() -> None:
        raise cx.LibclangError("libclang.so: no such file. To provide a path to libclang use X")

    monkeypatch.setattr(cx.Index, "create", create)
    message = r"libclang\.so: no such file\. Install .*: pip install libclang$"
    with pytest.raises(ParseError, match=message):
        read("")


def test_nothing_of_the_host_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "#include <limits.h>\nint cudnnF(size_t n, int x[INT_MAX > 5 ? 2 : 3]);"
    before = read(text)
    for name in ("stddef.h", "stdint.h", "limits.h", "cudnn.h", "cuda_runtime_api.h"):
        (tmp_path / name).write_text("#error this is the host's\n")
    for name in ("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "INCLUDE"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert read(text) == before
    assert before.functions[0].signature == "int(size_t, int[2])"
