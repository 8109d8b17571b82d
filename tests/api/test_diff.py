"""Each rule, by the smallest pair of APIs that it is about."""

from __future__ import annotations

import pytest
from cudnn_cffi.api import model
from cudnn_cffi.api.diff import Finding, compare, library
from cudnn_cffi.api.model import Api, Header
from cudnn_cffi.api.rules import RULES

from tests.api.models import (
    H,
    api,
    attribute,
    enum,
    enums,
    flags,
    function,
    functions,
    member,
    parameter,
    record,
    records,
)

A, B = parameter("a"), parameter("b", "float")
OPAQUE = model.Opaque("cudnnD_t", H, "struct cudnnDStruct *")
CALLBACK = model.Callback("cudnnCallback_t", H, "void", (parameter("level"),))
TYPEDEF = model.Typedef("cudnnMask_t", H, "unsigned int")
CONSTANT = model.Constant("CUDNN_DIM_MAX", H, 8)
MACRO = model.Macro("CUDNN_CATEGORY", H, ("code",), "code / 1000")


def headers(**includes: tuple[str, ...]) -> tuple[Header, ...]:
    return tuple(Header(f"{name}.h", included) for name, included in includes.items())


def versions(**formulas: str) -> Api:
    macros = (model.VersionMacro(f"CUDNN_{name}", H, text) for name, text in formulas.items())
    return api(versions=tuple(macros))


def libraries(*names: str, release: str = "9.1.0") -> Api:
    return api(release, libraries=tuple(map(model.Library, names)))


def exporting(*undeclared: str) -> Api:
    return api(libraries=(model.Library("libcudnn", undeclared),))


MOVED_OLD = api(
    headers=headers(cudnn=("cudnn_ops_infer.h",), cudnn_ops_infer=()),
    functions=(function(header="cudnn_ops_infer.h"),),
)
MOVED_NEW = api(
    headers=headers(cudnn=("cudnn_ops.h", "cudnn_graph.h"), cudnn_ops=(), cudnn_graph=()),
    functions=(function(header="cudnn_graph.h"),),
)


def told(**more: object) -> Api:
    """An API with one backend attribute, of which its own library told the schema."""
    return attribute(told_by="probe 9.1.0", **more)


REQUIRED = model.BackendAttribute(
    "CUDNN_ATTR_Y", 2, "CUDNN_BACKEND_D", (), "probe", told_by="probe 9.1.0", needed="required"
)

#: For each rule an old API, a new one, and what is found about which name.
CASES: dict[str, tuple[Api, Api, str]] = {
    "func-removed": (functions(A), api(), "cudnnF"),
    "func-added": (api(), functions(A), "cudnnF"),
    "func-result-changed": (functions(A), functions(A, result="void"), "cudnnF"),
    "func-param-added": (functions(A), functions(A, B), "b"),
    "func-param-removed": (functions(A, B), functions(A), "b"),
    "func-params-reordered": (functions(A, B), functions(B, A), "cudnnF"),
    "func-param-type-changed": (functions(A), functions(parameter("a", "size_t")), "a"),
    "func-param-const-changed": (
        functions(parameter("a", "void *")),
        functions(parameter("a", "const void *")),
        "a",
    ),
    "func-param-memory-changed": (
        functions(parameter("labels", "const int *", memory="host")),
        functions(parameter("labels", "const int *", memory="device")),
        "labels",
    ),
    "func-param-direction-changed": (
        functions(parameter("count", "int *", direction="out")),
        functions(parameter("count", "int *", direction="inout")),
        "count",
    ),
    "func-param-renamed": (functions(parameter("fMode")), functions(parameter("fwdMode")), "fMode"),
    "func-keyword-changed": (
        functions(parameter("fMode")),
        functions(parameter("fwdMode", "size_t")),
        "fMode",
    ),
    "func-param-role-changed": (
        functions(parameter("dims", "const int[]", kind="array", length="n")),
        functions(parameter("dims", "const int[]", kind="array", length="m")),
        "dims",
    ),
    "func-deprecated": (functions(A), functions(A, deprecated=True), "cudnnF"),
    "enum-removed": (enums(), api(), "cudnnE_t"),
    "enum-added": (api(), enums(), "cudnnE_t"),
    "enumerator-removed": (enums(A=0, B=1), enums(A=0), "CUDNN_B"),
    "enumerator-renamed": (enums(A=0, B=1), enums(A=0, C=1), "CUDNN_B"),
    "enumerator-alias-removed": (enums(A=0, B=0), enums(A=0), "CUDNN_B"),
    "enumerator-value-changed": (enums(A=0, B=1), enums(A=0, B=2), "CUDNN_B"),
    "enum-sentinel-moved": (enums(A=0, COUNT=1), enums(A=0, B=1, COUNT=2), "CUDNN_COUNT"),
    "enumerator-moved": (
        api(enums=(enum("cudnnE_t", A=0), enum("cudnnG_t"))),
        api(enums=(enum("cudnnE_t"), enum("cudnnG_t", A=0))),
        "CUDNN_A",
    ),
    "enumerator-now-macro": (enums(DIM_MAX=8), api(constants=(CONSTANT,)), "CUDNN_DIM_MAX"),
    "macro-now-enumerator": (api(constants=(CONSTANT,)), enums(DIM_MAX=8), "CUDNN_DIM_MAX"),
    "enumerator-added": (enums(A=0), enums(A=0, B=1), "CUDNN_B"),
    "enumerator-alias-added": (enums(A=0), enums(A=0, B=0), "CUDNN_B"),
    "enumerator-deprecated": (
        enums(A=0),
        api(enums=(model.Enum("cudnnE_t", H, (model.Enumerator("CUDNN_A", 0, True),)),)),
        "CUDNN_A",
    ),
    "constant-removed": (api(constants=(CONSTANT,)), api(), "CUDNN_DIM_MAX"),
    "constant-added": (api(), api(constants=(CONSTANT,)), "CUDNN_DIM_MAX"),
    "constant-value-changed": (
        api(constants=(CONSTANT,)),
        api(constants=(model.Constant("CUDNN_DIM_MAX", H, 12),)),
        "CUDNN_DIM_MAX",
    ),
    "flag-removed": (api(flags=(flags(X=1, Y=2),)), api(flags=(flags(X=1),)), "CUDNN_Y"),
    "flag-added": (api(flags=(flags(X=1),)), api(flags=(flags(X=1, Y=2),)), "CUDNN_Y"),
    "flag-value-changed": (api(flags=(flags(X=1),)), api(flags=(flags(X=2),)), "CUDNN_X"),
    "flag-regrouped": (
        api(flags=(flags("Bits", X=1),)),
        api(flags=(flags("Switches", X=1),)),
        "CUDNN_X",
    ),
    "version-macro-removed": (versions(OPS_MAJOR=""), api(), "CUDNN_OPS_MAJOR"),
    "version-macro-added": (api(), versions(OPS_MAJOR=""), "CUDNN_OPS_MAJOR"),
    "version-formula-changed": (
        versions(VERSION="CUDNN_MAJOR * 1000 + CUDNN_MINOR"),
        versions(VERSION="CUDNN_MAJOR * 10000 + CUDNN_MINOR"),
        "CUDNN_VERSION",
    ),
    "macro-removed": (api(macros=(MACRO,)), api(), "CUDNN_CATEGORY"),
    "macro-added": (api(), api(macros=(MACRO,)), "CUDNN_CATEGORY"),
    "macro-changed": (
        api(macros=(MACRO,)),
        api(macros=(model.Macro("CUDNN_CATEGORY", H, ("code",), "code / 100"),)),
        "CUDNN_CATEGORY",
    ),
    "record-removed": (records(member("a")), api(), "cudnnS_t"),
    "record-added": (api(), records(member("a")), "cudnnS_t"),
    "record-size-changed": (
        records(member("a")),
        records(member("a"), member("b", 4)),
        "cudnnS_t",
    ),
    "field-added": (records(member("a")), records(member("a"), member("b", 4)), "b"),
    "field-removed": (records(member("a"), member("b", 4)), records(member("a")), "b"),
    "field-renamed": (records(member("a")), records(member("b")), "a"),
    "field-moved": (
        records(member("a"), member("b", 4)),
        records(member("b"), member("a", 4)),
        "a",
    ),
    "field-type-changed": (records(member("a")), records(member("a", type="float")), "a"),
    "record-tag-changed": (
        records(member("a"), tag="cudnnS"),
        records(member("a"), tag="cudnnSStruct"),
        "cudnnS_t",
    ),
    "opaque-removed": (api(opaques=(OPAQUE,)), api(), "cudnnD_t"),
    "opaque-added": (api(), api(opaques=(OPAQUE,)), "cudnnD_t"),
    "opaque-changed": (
        api(opaques=(OPAQUE,)),
        api(opaques=(model.Opaque("cudnnD_t", H, "void *"),)),
        "cudnnD_t",
    ),
    "callback-removed": (api(callbacks=(CALLBACK,)), api(), "cudnnCallback_t"),
    "callback-added": (api(), api(callbacks=(CALLBACK,)), "cudnnCallback_t"),
    "callback-changed": (
        api(callbacks=(CALLBACK,)),
        api(callbacks=(model.Callback("cudnnCallback_t", H, "int", (parameter("level"),)),)),
        "cudnnCallback_t",
    ),
    "typedef-removed": (api(typedefs=(TYPEDEF,)), api(), "cudnnMask_t"),
    "typedef-added": (api(), api(typedefs=(TYPEDEF,)), "cudnnMask_t"),
    "typedef-changed": (
        api(typedefs=(TYPEDEF,)),
        api(typedefs=(model.Typedef("cudnnMask_t", H, "unsigned long long"),)),
        "cudnnMask_t",
    ),
    "type-deprecated": (
        api(opaques=(OPAQUE,)),
        api(opaques=(model.Opaque("cudnnD_t", H, "struct cudnnDStruct *", deprecated=True),)),
        "cudnnD_t",
    ),
    "name-deprecated-in-comment": (
        functions(A),
        functions(A, deprecated=True, quiet=True),
        "cudnnF",
    ),
    "deprecation-withdrawn": (functions(A, deprecated=True), functions(A), "cudnnF"),
    "kind-changed": (api(opaques=(OPAQUE,)), records(member("a"), name="cudnnD_t"), "cudnnD_t"),
    "header-removed": (MOVED_OLD, MOVED_NEW, "cudnn_ops_infer.h"),
    "header-added": (MOVED_OLD, MOVED_NEW, "cudnn_graph.h"),
    "include-insufficient": (
        api(
            headers=headers(cudnn_ops=("cudnn_graph.h",), cudnn_graph=()),
            functions=(function(header="cudnn_graph.h"),),
        ),
        api(
            headers=headers(cudnn_ops=(), cudnn_graph=()),
            functions=(function(header="cudnn_graph.h"),),
        ),
        "cudnn_ops.h",
    ),
    "declaration-moved": (MOVED_OLD, MOVED_NEW, "cudnnF"),
    "symbol-moved": (MOVED_OLD, MOVED_NEW, "cudnnF"),
    "library-renamed": (api("8.9.7"), api("9.0.0"), "libcudnn"),
    "library-removed": (
        libraries("libcudnn", "libcudnn_ops_infer"),
        libraries("libcudnn"),
        "libcudnn_ops_infer",
    ),
    "library-added": (
        libraries("libcudnn"),
        libraries("libcudnn", "libcudnn_ext"),
        "libcudnn_ext",
    ),
    "undeclared-removed": (exporting("cudnnA"), exporting(), "cudnnA"),
    "undeclared-added": (exporting(), exporting("cudnnA"), "cudnnA"),
    "attribute-type-changed": (
        attribute(types=("CUDNN_TYPE_INT64",)),
        attribute(types=("CUDNN_TYPE_FLOAT",)),
        "CUDNN_ATTR_X",
    ),
    "attribute-type-added": (
        attribute(types=("CUDNN_TYPE_FLOAT",)),
        attribute(types=("CUDNN_TYPE_DOUBLE", "CUDNN_TYPE_FLOAT")),
        "CUDNN_ATTR_X",
    ),
    "attribute-owner-changed": (
        attribute(owner="CUDNN_BACKEND_D"),
        attribute(owner="CUDNN_BACKEND_E"),
        "CUDNN_ATTR_X",
    ),
    "attribute-access-changed": (
        attribute(writable=True),
        attribute(writable=False),
        "CUDNN_ATTR_X",
    ),
    "attribute-added-required": (
        told(),
        model.replace(told(), attributes=(*told().attributes, REQUIRED)),
        "CUDNN_ATTR_Y",
    ),
    "attribute-now-required": (
        told(needed="optional"),
        told(needed="required"),
        "CUDNN_ATTR_X",
    ),
    "attribute-not-required": (
        told(needed="optional", needed_in_graph="required"),
        told(needed="optional", needed_in_graph="unchecked"),
        "CUDNN_ATTR_X",
    ),
    "attribute-default-changed": (told(default=1), told(default=2), "CUDNN_ATTR_X"),
    "attribute-target-changed": (
        told(target="CUDNN_BACKEND_A"),
        told(target="CUDNN_BACKEND_B"),
        "CUDNN_ATTR_X",
    ),
    "attribute-count-lowered": (
        told(count="many", most=8),
        told(count="many", most=5),
        "CUDNN_ATTR_X",
    ),
    "attribute-count-raised": (
        told(count="one"),
        told(count="many", most=2),
        "CUDNN_ATTR_X",
    ),
    "tables-outdated": (enums(A=0), enums(A=1), "cudnn_cffi.v9_1_0"),
}


def found(old: Api, new: Api) -> dict[str, list[str]]:
    """The names by rule."""
    names: dict[str, list[str]] = {}
    for finding in compare(old, new):
        names.setdefault(finding.rule, []).append(finding.name)
    return names


def one(old: Api, new: Api, rule: str) -> Finding:
    (finding,) = [finding for finding in compare(old, new) if finding.rule == rule]
    return finding


#: Rules about names in a program; tests/api/test_clear.py has their cases.
OF_USES = {"name-missing", "name-looked-up", "name-unknown"}


def test_there_is_a_case_for_every_rule() -> None:
    assert CASES.keys() | OF_USES == RULES.keys()


def test_an_attribute_that_a_mode_requires_now() -> None:
    training = {"needed": "alternative", "required_in": (("CUDNN_TRAINING",),)}
    was, now = told(needed="unchecked"), told(**training)
    (finding,) = (each for each in compare(was, now) if each.rule == "attribute-now-required")
    assert (finding.name, finding.old) == ("CUDNN_ATTR_X", "unchecked")
    assert finding.new == "required with CUDNN_TRAINING"
    assert "attribute-now-required" not in found(now, now)


@pytest.mark.parametrize("rule", CASES)
def test_a_rule_finds_its_change(rule: str) -> None:
    old, new, name = CASES[rule]
    assert name in found(old, new)[rule]


@pytest.mark.parametrize("rule", CASES)
def test_an_api_does_not_differ_from_itself(rule: str) -> None:
    old, new, _ = CASES[rule]
    assert compare(old, old) == compare(new, new) == ()


@pytest.mark.parametrize("rule", [rule for rule in CASES if rule.endswith("-removed")])
def test_what_is_removed_is_added_the_other_way_round(rule: str) -> None:
    old, new, name = CASES[rule]
    assert name in found(new, old)[rule.replace("-removed", "-added")]


def test_changes_come_in_the_order_of_the_rules_then_of_the_names() -> None:
    old = api(functions=(function("cudnnB"), function("cudnnA")), enums=(enum(X=1),))
    assert [f.name for f in compare(old, api())] == ["cudnnA", "cudnnB", "cudnnE_t", "CUDNN_X"]


def test_a_value_is_shown_before_and_after() -> None:
    finding = one(enums(A=0, B=36), enums(A=0, B=39), "enumerator-value-changed")
    assert (finding.old, finding.new, finding.owner) == (36, 39, "cudnnE_t")


def test_a_name_that_is_gone_says_what_became_of_its_number() -> None:
    assert one(enums(A=0, B=1), enums(A=0, C=1), "enumerator-renamed").note == "1 is now CUDNN_C"
    given_away = one(enums(A=0, B=1), enums(A=1), "enumerator-removed")
    assert given_away.note == "1 is now CUDNN_A"
    alias = one(enums(A=0, B=0), enums(A=0), "enumerator-alias-removed")
    assert alias.successor is not None
    assert alias.successor.name == "CUDNN_A"


def test_a_new_value_says_what_the_old_number_means_now() -> None:
    swapped = one(enums(A=1), enums(A=2, C=1), "enumerator-value-changed")
    assert swapped.note == "1 is now CUDNN_C"


def test_a_number_that_nothing_has_any_more() -> None:
    assert one(enums(A=1), enums(A=2), "enumerator-value-changed").note == "1 has no name now"


def test_a_comment_that_compilers_come_to_enforce_is_a_new_deprecation() -> None:
    quiet, loud = functions(A, deprecated=True, quiet=True), functions(A, deprecated=True)
    assert found(quiet, loud) == {"func-deprecated": ["cudnnF"]}
    assert found(loud, quiet) == {}
    assert found(quiet, functions(A)) == {"deprecation-withdrawn": ["cudnnF"]}


def test_what_headers_recommend_goes_with_the_name() -> None:
    old = model.Enumerator("CUDNN_A", 0)
    new = model.replace(old, deprecated=True, successor="CUDNN_B")
    members = (model.Enumerator("CUDNN_B", 1),)
    before, after = (
        api(enums=(model.Enum("cudnnE_t", H, (each, *members)),)) for each in (old, new)
    )
    heir = one(before, after, "enumerator-deprecated").successor
    assert heir is not None
    assert (heir.name, heir.evidence) == ("CUDNN_B", "named by the header's deprecation note")


def test_libraries_are_not_compared_where_one_side_has_only_headers() -> None:
    assert found(libraries("libcudnn", "libcudnn_ops"), api()) == {}


def test_every_library_that_stays_is_renamed_with_the_major_version() -> None:
    rules = found(
        libraries("libcudnn", "libcudnn_ops", "libcudnn_cnn"),
        libraries("libcudnn", "libcudnn_ops", release="10.0.0"),
    )
    assert rules["library-renamed"] == ["libcudnn", "libcudnn_ops"]
    assert rules["library-removed"] == ["libcudnn_cnn"]


def test_a_sentinel_that_takes_over_a_number_is_not_its_new_name() -> None:
    assert "enumerator-removed" in found(enums(A=0, B=1, COUNT=2), enums(A=0, COUNT=1))


def test_an_attribute_that_is_called_count_is_no_sentinel() -> None:
    old, new = enums(ATTR_BATCH_COUNT=7, ATTR_X=9), enums(ATTR_BATCH_COUNT=8, ATTR_X=9)
    assert found(old, new)["enumerator-value-changed"] == ["CUDNN_ATTR_BATCH_COUNT"]


def test_a_macro_that_becomes_an_enumerator_with_another_value_is_two_findings() -> None:
    rules = found(api(constants=(CONSTANT,)), enums(DIM_MAX=9))
    assert rules["macro-now-enumerator"] == rules["constant-value-changed"] == ["CUDNN_DIM_MAX"]


def test_a_parameter_in_the_middle_is_added_and_the_others_stay() -> None:
    a, b, c = parameter("a"), parameter("b"), parameter("c")
    assert found(functions(a, c), functions(a, b, c)) == {"func-param-added": ["b"]}


def test_a_parameter_renamed_with_another_type_is_two_findings() -> None:
    rules = found(functions(A), functions(parameter("x", "size_t")))
    assert rules == {"func-param-type-changed": ["a"], "func-keyword-changed": ["a"]}


def test_const_does_not_make_another_wrapper() -> None:
    """Both releases have one wrapper, with the newest name, as the generator merges them."""
    old = functions(parameter("a", "void *", kind="device"))
    new = functions(parameter("x", "const void *", kind="device"))
    assert found(old, new) == {"func-param-const-changed": ["a"], "func-param-renamed": ["a"]}


def test_a_name_of_another_meaning_is_another_keyword() -> None:
    """The generator makes another wrapper of it, so calls by keyword break."""
    old, new = functions(parameter("a")), functions(parameter("groups"))
    assert found(old, new) == {"func-keyword-changed": ["a"]}


def test_reordering_does_not_hide_a_change_of_type() -> None:
    rules = found(functions(A, B), functions(B, parameter("a", "size_t")))
    assert rules == {"func-params-reordered": ["cudnnF"], "func-param-type-changed": ["a"]}


def test_array_brackets_are_a_pointer_to_the_abi() -> None:
    old, new = functions(parameter("a", "const int[]")), functions(parameter("a", "const int *"))
    assert compare(old, new) == ()


def test_what_the_comments_say_is_no_part_of_the_api() -> None:
    documented = functions(parameter("a", documented="in"), documented_since="9.1.0")
    assert compare(functions(A), documented) == ()


def test_a_struct_that_grows_tells_its_size_and_its_members() -> None:
    old, new = records(member("a")), records(member("a"), member("b", 4))
    assert found(old, new) == {
        "record-size-changed": ["cudnnS_t"],
        "field-added": ["b"],
        "tables-outdated": ["cudnn_cffi.v9_1_0"],
    }


def test_a_fixed_array_of_another_length_is_another_type() -> None:
    old = records(member("reserved", size=8, length=2))
    new = records(member("reserved", size=12, length=3))
    finding = one(old, new, "field-type-changed")
    assert (finding.old, finding.new) == ("int[2]", "int[3]")


def test_a_union_without_a_name_belongs_to_its_struct() -> None:
    inner = record(member("x"), name="cudnnS_t.u", kind="union")
    outer = record(member("u", type="cudnnS_t.u", record="cudnnS_t.u"))
    assert found(api(records=(inner, outer)), api()) == {"record-removed": ["cudnnS_t"]}


@pytest.mark.parametrize(
    ("fields", "rule"),
    [
        ((member("x", type="float"),), "field-type-changed"),
        ((member("x"), member("y")), "field-added"),
        ((member("x", 4),), "field-moved"),
    ],
)
def test_what_changes_in_it_is_told_of_the_struct(
    fields: tuple[model.Field, ...], rule: str
) -> None:
    outer = record(member("u", type="cudnnS_t.anonymous_0", record="cudnnS_t.anonymous_0"))
    old, new = (
        api(records=(record(*inner, name="cudnnS_t.anonymous_0", size=8), outer))
        for inner in ((member("x"),), fields)
    )
    finding = one(old, new, rule)
    assert (finding.owner, finding.name) == ("cudnnS_t", fields[-1].name)


def test_a_macro_with_the_name_of_a_function_hides_no_change_of_it() -> None:
    macro = model.Macro("cudnnF", H, ("a",), "cudnnF_v2 ( a )")
    old, new = (
        api(functions=(function("cudnnF", *own),), macros=(macro,)) for own in ((A,), (A, B))
    )
    assert found(old, new) == {"func-param-added": ["b"]}
    assert found(functions(A), old) == {"macro-added": ["cudnnF (macro)"]}


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("body", ["cudnnF_v2 ( a )", "cudnnF_v3 ( a )"])
def test_a_macro_stays_where_the_function_of_its_name_comes_or_goes(
    turned: bool, body: str
) -> None:
    first, second = (model.Macro("cudnnF", H, ("a",), text) for text in ("cudnnF_v2 ( a )", body))
    pair = api(functions=(function("cudnnF", A),), macros=(first,)), api(macros=(second,))
    wanted = {"kind-changed": ["cudnnF"]}
    if body != first.body:
        wanted["macro-changed"] = ["cudnnF"]
    assert found(*reversed(pair) if turned else pair) == wanted


def test_what_cuda_declares_is_not_cudnn_s() -> None:
    stream = model.Opaque("cudaStream_t", "driver_types.h", "struct CUstream_st *")
    assert compare(api(), api(opaques=(stream,))) == ()


def test_the_types_of_attributes_are_compared_where_both_are_known() -> None:
    assert compare(attribute(types=()), attribute()) == ()
    assert "attribute-type-changed" not in found(api(), attribute())


def test_attributes_may_be_learned_about_without_a_change() -> None:
    unknown, known = attribute(readable=None), attribute(readable=False, source="probe 9.28.0")
    assert compare(unknown, known) == ()


def test_a_required_attribute_of_a_new_descriptor_hurts_nobody() -> None:
    elsewhere = model.replace(REQUIRED, owner="CUDNN_BACKEND_E")
    assert compare(told(), model.replace(told(), attributes=(*told().attributes, elsewhere))) == ()


@pytest.mark.parametrize("other", ["required", "optional", "unchecked"])
def test_an_alternative_is_neither_required_nor_dispensable(other: str) -> None:
    one, two = told(needed="alternative"), told(needed=other)
    assert compare(one, two) == compare(two, one) == ()


@pytest.mark.parametrize("how", ["inherited 9.2.0", None])
def test_a_schema_that_the_releases_library_did_not_tell_is_not_compared(how: str | None) -> None:
    one = told(needed="optional", default=1, target="CUDNN_BACKEND_A", count="one")
    other = attribute(
        told_by=how, needed="required", default=2, target="CUDNN_BACKEND_B", count="many"
    )
    assert compare(one, other) == compare(other, one) == ()


def test_what_one_library_did_not_tell_is_no_change() -> None:
    assert compare(told(), told(needed="required", default=2, count="many", target="X")) == ()


def test_a_maximum_that_is_not_known_is_no_change() -> None:
    one, two = told(count="many", most=8), told(count="many")
    assert compare(one, two) == compare(two, one) == ()
    assert "attribute-count-raised" in found(told(count="one"), two)
    assert "attribute-count-lowered" in found(two, told(count="one"))


def test_a_moved_declaration_that_the_old_header_still_reaches_breaks_no_include() -> None:
    old = api(
        headers=headers(cudnn=("cudnn_ops.h",), cudnn_ops=("cudnn_graph.h",), cudnn_graph=()),
        functions=(function(header="cudnn_ops.h"),),
    )
    new = model.Api(
        release="9.1.0", headers=old.headers, functions=(function(header="cudnn_graph.h"),)
    )
    assert found(old, new) == {"declaration-moved": ["cudnnF"], "symbol-moved": ["cudnnF"]}


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ("cudnn_ops_infer.h", "libcudnn_ops_infer"),
        ("cudnn_graph.h", "libcudnn_graph"),
        ("cudnn_gnn_ops.h", "libcudnn_ext"),
        ("cudnn_backend.h", "libcudnn_cnn_infer"),
        ("cudnn_something_new.h", None),
    ],
)
def test_the_library_of_a_header(header: str, name: str | None) -> None:
    assert library(header) == name
