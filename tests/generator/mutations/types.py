"""Mutations that add types and values: enums, structs, aliases, macros, guards, headers."""

from __future__ import annotations

from tests.generator.mutations.mutation import Mutation

_S = "cudnnStatus_t "


def _enum(id_: str, text: str, name: str, call: str, gives: object, *more: str) -> Mutation:
    """An enum that a program uses by its name."""
    program = f"int use(void) {{ return sizeof({name}); }}"
    found = {f"enum-added {name}", f"enumerator-added {name}", *more}
    return Mutation(id_, text, name=name, call=call, gives=gives, found=found, program=program)


def _struct(
    id_: str, text: str, name: str, call: str, gives: object, *more: str, named: str = ""
) -> Mutation:
    """A struct that a program uses by its name."""
    found = {f"record-added {name}", *more}
    return Mutation(id_, text, name=name, call=call, gives=gives, found=found, named=named)


def _value(id_: str, text: str, name: str, call: str, gives: object, *found: str) -> Mutation:
    """A name with a value."""
    return Mutation(id_, text, name=name, call=call, gives=gives, found=set(found))


MUTATIONS = (
    # Enums
    _enum("new_enum", "typedef enum { CUDNN_HUE_RED = 0, CUDNN_HUE_BLUE = 4 } cudnnHue_t;",
          "cudnnHue_t", "[int(v) for v in cudnnHue_t]", [0, 4]),
    _enum("enum_of_unsigned_members",
          "typedef enum { CUDNN_BITS_NONE, CUDNN_BITS_ALL = 0xffffffffu } cudnnBits_t;",
          "cudnnBits_t", "int(CUDNN_BITS_ALL)", 2**32 - 1),
    _enum("enum_of_negative_members",
          "typedef enum { CUDNN_SIGN_MINUS = -1, CUDNN_SIGN_PLUS = 1 } cudnnSign_t;",
          "cudnnSign_t", "int(CUDNN_SIGN_MINUS)", -1),
    _enum("enum_with_two_names_of_a_value",
          "typedef enum { CUDNN_SIDE_A = 1, CUDNN_SIDE_FIRST = CUDNN_SIDE_A } cudnnSide_t;",
          "cudnnSide_t", "CUDNN_SIDE_FIRST is CUDNN_SIDE_A", True),
    _enum("enum_of_expressions",
          "typedef enum { CUDNN_STEP_A = 1 << 4, CUDNN_STEP_B, CUDNN_STEP_C = 'c', CUDNN_STEP_D ="
          " CUDNN_STEP_B * 2 + sizeof(int) } cudnnStep_t;",
          "cudnnStep_t", "[int(v) for v in cudnnStep_t]", [16, 17, 99, 38]),
    _enum("enum_with_a_tag_alone", "enum cudnnTagged { CUDNN_TAGGED_A = 2 };",
          "cudnnTagged", "int(CUDNN_TAGGED_A)", 2),
    _enum("enum_with_a_deprecated_member",
          "typedef enum { CUDNN_PAST_A CUDNN_DEPRECATED_ENUM = 3, CUDNN_PAST_B } cudnnPast_t;",
          "cudnnPast_t", "int(CUDNN_PAST_B)", 4),
    _value("enum_without_a_name", "enum { CUDNN_LIMIT_ROWS = 7, CUDNN_LIMIT_COLUMNS };",
           "CUDNN_LIMIT_ROWS", "(CUDNN_LIMIT_ROWS, CUDNN_LIMIT_COLUMNS)", (7, 8),
           "constant-added CUDNN_LIMIT_ROWS", "constant-added CUDNN_LIMIT_COLUMNS"),
    Mutation(
        "enum_of_eight_bytes",
        "typedef enum { CUDNN_WIDE_A = 1, CUDNN_WIDE_B = 1ll << 40 } cudnnWide_t;\n"
        f"{_S}cudnnTakeWideEnum(cudnnWide_t wide);",
        name="cudnnTakeWideEnum",
        roles="in scalar",
        named="cudnnWide_t: an enum of 8 bytes is a number, its members are constants",
        body="return wide == CUDNN_WIDE_B ? 0 : 2000;",
        call="cudnnTakeWideEnum(CUDNN_WIDE_B)",
        found={"constant-added CUDNN_WIDE_A", "constant-added CUDNN_WIDE_B",
               "func-added cudnnTakeWideEnum", "typedef-added cudnnWide_t"},
    ),
    Mutation(
        "enum_of_one_byte",
        "typedef enum __attribute__((packed)) { CUDNN_TINY_A = 200 } cudnnTiny_t;\n"
        f"{_S}cudnnTakeTiny(cudnnTiny_t tiny);",
        name="cudnnTakeTiny",
        roles="in scalar",
        named="cudnnTiny_t: an enum of 1 bytes is a number",
        body="return tiny == CUDNN_TINY_A ? 0 : 2000;",
        call="cudnnTakeTiny(CUDNN_TINY_A)",
        found={"constant-added CUDNN_TINY_A", "func-added cudnnTakeTiny",
               "typedef-added cudnnTiny_t"},
    ),
    # Structs
    _struct("struct_in_a_struct",
            "typedef struct { int a; struct { float b; int c[2]; } inner; } cudnnNest_t;",
            "cudnnNest_t", "[n := cudnnNest_t(a=1), setattr(n.inner, 'b', 2.5), n.inner.b][2]", 2.5),
    _struct("packed_struct",
            "typedef struct __attribute__((packed)) { char a; int b; double c; } cudnnTight_t;",
            "cudnnTight_t", "(sizeof(cudnnTight_t), cudnnTight_t(b=7).b)", (13, 7)),
    _struct("packed_by_a_pragma",
            "#pragma pack(push, 2)\ntypedef struct { char a; int b; } cudnnPress_t;\n"
            "#pragma pack(pop)", "cudnnPress_t", "(sizeof(cudnnPress_t), cudnnPress_t(b=7).b)",
            (6, 7)),
    Mutation(
        "aligned_struct",
        "typedef struct __attribute__((aligned(32))) { double a; int b; } cudnnAligned_t;\n"
        f"{_S}cudnnTakeAligned(const cudnnAligned_t *aligned);",
        name="cudnnTakeAligned",
        roles="in struct host",
        body="return (uintptr_t)aligned % 32 == 0 && aligned->a == 1.5 && aligned->b == 7 ? 0 : 2000;",
        call="cudnnTakeAligned(cudnnAligned_t(1.5, 7))",
        found={"func-added cudnnTakeAligned", "record-added cudnnAligned_t"},
    ),
    _struct("aligned_member",
            "typedef struct { char a; int b __attribute__((aligned(16))); } cudnnGap_t;",
            "cudnnGap_t", "(sizeof(cudnnGap_t), cudnnGap_t(b=7).b)", (32, 7)),
    Mutation(
        "bit_fields",
        "typedef struct { unsigned mode : 3, kind : 5; int level; unsigned rest : 9; }"
        f" cudnnFlags_t;\n{_S}cudnnTakeFlags(const cudnnFlags_t *flags);",
        name="cudnnTakeFlags",
        roles="in struct host",
        named="cudnnFlags_t.mode: a bit field is left out",
        body="return flags->level == 7 && !flags->mode && !flags->rest ? 0 : 2000;",
        call="cudnnTakeFlags(cudnnFlags_t(level=7))",
        found={"func-added cudnnTakeFlags", "record-added cudnnFlags_t"},
    ),
    _struct("union", "typedef union { int i; float f; struct { short a, b; } s; } cudnnEither_t;",
            "cudnnEither_t", "cudnnEither_t(i=65538).s.b", 1),
    _struct("members_of_a_union_without_a_name",
            "typedef struct { int n; union { int i; float f; }; } cudnnMember_t;",
            "cudnnMember_t", "[m := cudnnMember_t(n=1), setattr(m, 'i', 5), m.i][2]", 5),
    _struct("struct_of_any_length", "typedef struct { int n; int data[]; } cudnnTail_t;",
            "cudnnTail_t", "sizeof(cudnnTail_t)", 4),
    _struct("struct_that_points_to_its_like",
            "typedef struct cudnnLink { int n; struct cudnnLink *next; } cudnnLink_t;",
            "cudnnLink_t", "cudnnLink_t(2, 4096).next", 4096),
    _struct("arrays_in_a_struct",
            "typedef struct { int m[2][3]; void *p[4]; cudnnDataType_t types[2]; } cudnnRows_t;",
            "cudnnRows_t", "list(cudnnRows_t(m=((1, 2, 3), (4, 5, 6))).m[1])", [4, 5, 6]),
    _struct("function_in_a_struct", "typedef struct { int (*hook)(int); int n; } cudnnTable_t;",
            "cudnnTable_t", "cudnnTable_t(hook=4096, n=1).hook", 4096),
    Mutation(
        "small_struct_by_value",
        "typedef struct { int a; short b, c; } cudnnTrio_t;\n"
        f"{_S}cudnnTakeTrio(cudnnTrio_t trio);",
        name="cudnnTakeTrio",
        roles="in struct",
        body="return trio.a == 1 && trio.b == -2 && trio.c == 3 ? 0 : 2000;",
        call="cudnnTakeTrio(cudnnTrio_t(1, -2, 3))",
        found={"func-added cudnnTakeTrio", "record-added cudnnTrio_t"},
    ),
    Mutation(
        "large_struct_by_value",
        "typedef struct { double a, b, c; } cudnnTriple_t;\n"
        f"{_S}cudnnTakeTriple(cudnnTriple_t triple);",
        name="cudnnTriple_t",
        named="cudnnTakeTriple: a struct of 24 bytes by value; it is left out",
        call="cudnnTriple_t(1, 2, 3).c",
        gives=3.0,
        found={"func-added cudnnTakeTriple", "record-added cudnnTriple_t"},
    ),
    Mutation(
        "struct_that_comes_back_or_not",
        "typedef struct { int a; } cudnnReply_t;\n"
        f"{_S}cudnnAsk(int question, cudnnReply_t *reply);",
        name="cudnnAsk",
        roles="in scalar; inout buffer host",
        named="cudnnAsk: cudnnReply_t * reply is taken as an address",
        body="reply->a += question;",
        call="[r := cudnnReply_t(40), cudnnAsk(2, r.address), r.a][2]",
        gives=42,
        found={"func-added cudnnAsk", "record-added cudnnReply_t"},
    ),
    # Other names of types
    Mutation(
        "other_name_of_a_number",
        f"typedef int64_t cudnnExtent_t;\ntypedef cudnnExtent_t cudnnLength_t;\n{_S}"
        "cudnnTakeLength(cudnnLength_t length);",
        name="cudnnTakeLength",
        roles="in scalar",
        body="return length == 1ll << 40 ? 0 : 2000;",
        call="cudnnTakeLength(2**40)",
        found={"func-added cudnnTakeLength", "typedef-added cudnnExtent_t",
               "typedef-added cudnnLength_t"},
    ),
    Mutation(
        "other_name_of_an_enum",
        f"typedef cudnnDataType_t cudnnElement_t;\n{_S}cudnnTakeElement(cudnnElement_t element);",
        name="cudnnTakeElement",
        roles="in enum",
        body="return element == CUDNN_DATA_HALF ? 0 : 2000;",
        call="cudnnTakeElement(CUDNN_DATA_HALF)",
        found={"func-added cudnnTakeElement", "typedef-added cudnnElement_t"},
    ),
    Mutation(
        "other_name_of_an_object",
        "typedef cudnnTensorDescriptor_t cudnnArrayDescriptor_t;\n"
        f"{_S}cudnnTakeArray(const cudnnArrayDescriptor_t array);",
        name="cudnnTakeArray",
        roles="in descriptor",
        body="return array == (void *)64 ? 0 : 2000;",
        call="cudnnTakeArray(64)",
        found={"func-added cudnnTakeArray", "typedef-added cudnnArrayDescriptor_t"},
    ),
    # Values
    _value("macro_of_a_number", "#define CUDNN_MOST_ROWS (16 * 2)", "CUDNN_MOST_ROWS",
           "CUDNN_MOST_ROWS", 32, "constant-added CUDNN_MOST_ROWS"),
    _value("macro_of_64_bits", "#define CUDNN_MOST_BYTES (1ULL << 40)", "CUDNN_MOST_BYTES",
           "int(CUDNN_MOST_BYTES)", 2**40, "flag-added CUDNN_MOST_BYTES"),
    _value("macro_of_a_negative_number", "#define CUDNN_NO_AXIS (-1)", "CUDNN_NO_AXIS",
           "CUDNN_NO_AXIS", -1, "constant-added CUDNN_NO_AXIS"),
    _value("macro_of_a_float", "#define CUDNN_LEAST_RATE 1.5e-3f", "CUDNN_LEAST_RATE",
           "round(CUDNN_LEAST_RATE, 6)", 0.0015, "constant-added CUDNN_LEAST_RATE"),
    _value("macro_of_a_member", "#define CUDNN_DATA_SHORT CUDNN_DATA_HALF", "CUDNN_DATA_SHORT",
           "CUDNN_DATA_SHORT", 2, "constant-added CUDNN_DATA_SHORT"),
    Mutation("macro_of_text", '#define CUDNN_BUILD_NAME "x"', name="CUDNN_BUILD_NAME", found=set(),
             named='CUDNN_BUILD_NAME: a macro that stands for "x" is left out'),
    Mutation("macro_that_takes_arguments", "#define CUDNN_TWICE(a) (2 * (a))", name="CUDNN_TWICE",
             found={"macro-added CUDNN_TWICE"}),
    Mutation("macro_for_another_function",
             f"{_S}cudnnStart_v2(int a);\n#define cudnnStart cudnnStart_v2",
             name="cudnnStart_v2", roles="in scalar", body="return a == 2 ? 0 : 2000;",
             call="cudnnStart_v2(2)",
             named="cudnnStart: a macro that stands for cudnnStart_v2 is left out"),
    _value("variable_that_is_constant", "static const int CUDNN_EPOCH = 5;", "CUDNN_EPOCH",
           "CUDNN_EPOCH", 5, "constant-added CUDNN_EPOCH"),
    Mutation("variable_of_the_library", "extern int cudnnVerbosity;", name="cudnnVerbosity",
             named="cudnnVerbosity: a variable is left out", found=set()),
    # Guards
    Mutation("guard_that_is_false", f"#ifdef CUDNN_FUTURE\n{_S}cudnnFuture(int a);\n#endif",
             found=set()),
    Mutation("guard_of_the_version",
             f"#if CUDNN_VERSION >= 99900\n{_S}cudnnPresent(int a);\n#else\n{_S}cudnnPast(int a);\n"
             "#endif", roles="in scalar", body="return a == 2 ? 0 : 2000;", call="cudnnPresent(2)"),
    Mutation("guard_of_another_language",
             "#ifdef __cplusplus\nnamespace cudnn { template <class T> T more(T a); }\n#endif\n"
             f"{_S}cudnnAfterwards(int a);", name="cudnnAfterwards", roles="in scalar",
             body="return a == 2 ? 0 : 2000;", call="cudnnAfterwards(2)"),
    Mutation("guard_of_another_system",
             "#ifdef _WIN32\n__declspec(dllimport)\n#endif\n"
             f"{_S}CUDNNWINAPI cudnnEverywhere(int a);", name="cudnnEverywhere",
             roles="in scalar", body="return a == 2 ? 0 : 2000;", call="cudnnEverywhere(2)"),
    # Headers
    Mutation(
        "new_header",
        '#include "cudnn_graph.h"\ncudnnStatus_t cudnnMoeVersionCheck(void);',
        edit=((r'#include "cudnn_gnn_ops\.h"\n', '#include "cudnn_gnn_ops.h"\n#include "cudnn_moe.h"\n'),),
        header="cudnn_moe.h",
        name="cudnnMoeVersionCheck",
        roles="",
        body="return 0;",
        call="cudnnMoeVersionCheck()",
        found={"func-added cudnnMoeVersionCheck", "header-added cudnn_moe.h"},
    ),
    Mutation(
        "new_header_that_no_other_includes",
        '#include "cudnn_graph.h"\ncudnnStatus_t cudnnApart(int a);',
        header="cudnn_apart.h",
        name="cudnnApart",
        roles="in scalar",
        body="return a == 2 ? 0 : 2000;",
        call="cudnnApart(2)",
        found={"func-added cudnnApart", "header-added cudnn_apart.h"},
        program='#include "cudnn_apart.h"\nint use(void) { return cudnnApart(2); }',
    ),
    Mutation(
        "header_of_cudas_that_is_not_there",
        f"#include <cuda_fp8.h>\n{_S}cudnnTakeFp8(__nv_fp8_e4m3 a);\n"
        "typedef struct { __nv_fp8_e4m3 a; } cudnnFp8_t;\n"
        f"{_S}cudnnTakeFp8s(const cudnnFp8_t *a);\n",
        name="cudnnTakeFp8",
        named="cuda_fp8.h: CUDA's headers lack it",
        found=set(),
    ),
)  # fmt: skip
