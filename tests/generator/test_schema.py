"""The schema of backend descriptors: what libraries told, how they are asked, what models say."""

from __future__ import annotations

import re
import resource
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from cudnn_cffi.api import model
from cudnn_cffi.api.inputs.store import Store
from cudnn_cffi.api.model import Api, BackendAttribute, version_key

from generator import schema
from generator.attributes import Probed
from generator.attributes.probe import DEVICE, MODELS
from generator.lab import Lab, LabError, driver, recipes
from generator.lab.bench import Reached
from generator.schema import answers as kept
from generator.schema import dumps, facts
from generator.schema.answers import Answer, Answers, AnswersError, ModeNeeds
from generator.schema.explain import FIELDS, SchemaError
from generator.schema.facts import Fact, Facts
from generator.schema.modes import conditions
from generator.schema.probe import probe
from generator.schema.statements import statements
from tests.compilers import c_library

D = "CUDNN_BACKEND_D_DESCRIPTOR"
TENSOR = recipes.TENSOR

Explain = Callable[..., dict[str, BackendAttribute]]


class TestALog:
    """The log of a descriptor by the library."""

    LINES = (
        "mode: type=cudnnPointwiseMode_t; val=CUDNN_POINTWISE_CMP_GT (302);",
        "nbDims: type=int; val=-1;",
        "dimA: type=int; val=[2,3];",
        ": type=double; val=1.79769e+308;",
        "isVirtual: type=bool; val=false;",
        f"xDesc: type={TENSOR}:\nuid: type=int64_t; val=7;",
        "opGraph: type=void*; val=NULL_PTR;",
    )

    @pytest.fixture
    def fields(self) -> list[dumps.Field]:
        return dumps.parse(self.LINES)

    def test_every_field_has_a_type_and_a_value(self, fields: list[dumps.Field]) -> None:
        assert [field.name for field in fields] == [
            "mode", "nbDims", "dimA", "", "isVirtual", "xDesc", "opGraph"
        ]  # fmt: skip
        assert fields[0].member == "CUDNN_POINTWISE_CMP_GT"
        assert [field.number for field in fields[:2]] == [302, -1]
        assert fields[4].number is False
        assert fields[5].child
        assert fields[6].number is None

    def test_the_largest_number_is_exact_though_the_log_rounds(
        self, fields: list[dumps.Field]
    ) -> None:
        assert fields[3].number == 1.7976931348623157e308

    def test_a_value_that_was_set_is_recognized(self, fields: list[dumps.Field]) -> None:
        assert fields[0].shows([302])
        assert not fields[0].shows([301])
        assert fields[2].shows([2, 3])
        assert not fields[2].shows([2])
        assert not fields[6].shows([0])

    @pytest.mark.parametrize("line", ["", "garbage", "x", "x: type", "\0", "type=int; val=3"])
    def test_what_is_not_understood_is_no_field(self, line: str) -> None:
        assert dumps.parse([line]) == []

    def test_one_field_that_changed_is_found_by_its_place(self) -> None:
        before = dumps.parse(["a: type=int; val=0;", ": type=int; val=0;"])
        after = dumps.parse(["a: type=int; val=0;", ": type=int; val=5;"])
        assert dumps.changed(before, after) == (1, after[1])

    def test_one_that_was_not_shown_before_has_no_place(self) -> None:
        before = dumps.parse(["a: type=int; val=0;"])
        after = dumps.parse(["b: type=int; val=5;", "a: type=int; val=0;"])
        assert dumps.changed(before, after) == (None, after[0])

    def test_a_child_that_spills_into_its_neighbour_tells_nothing(self) -> None:
        before = dumps.parse(["a: type=int; val=0;", "b: type=int; val=0;"])
        after = dumps.parse(["a: type=int; val=5;", "b: type=int; val=7;"])
        assert dumps.changed(before, after) is None


class TestExplaining:
    """Answers and facts become fields of a model."""

    @pytest.fixture
    def explain(self) -> Explain:
        def call(
            *told: Answers, versions: tuple[str, ...] = ("9.2.0",), facts: Facts | None = None
        ) -> dict[str, BackendAttribute]:
            api = schema.explain(small(), versions, told, facts or Facts())
            return {attribute.name: attribute for attribute in api.attributes}

        return call

    def test_its_own_library_is_believed(self, explain: Explain) -> None:
        near, own = said("9.1.0", needed="optional"), said("9.2.0", needed="required")
        x = explain(near, own)["CUDNN_ATTR_D_X"]
        assert (x.needed, x.told_by) == ("required", "probe 9.2.0")

    def test_releases_with_one_api_have_one_library(self, explain: Explain) -> None:
        own = said("9.2.1", needed="required")
        assert explain(own, versions=("9.2.0", "9.2.1"))["CUDNN_ATTR_D_X"].told_by == "probe 9.2.1"

    @pytest.mark.parametrize(
        ("others", "nearest"),
        [(("9.0.0", "9.1.0", "9.3.0"), "9.1.0"), (("9.3.0", "9.10.0"), "9.3.0")],
    )
    def test_without_one_the_nearest_older_then_newer_is_inherited(
        self, explain: Explain, others: tuple[str, ...], nearest: str
    ) -> None:
        x = explain(*(said(version, default=1) for version in others))["CUDNN_ATTR_D_X"]
        assert (x.default, x.told_by) == (1, f"inherited {nearest}")

    def test_a_library_that_could_not_finalize_it_inherits_too(self, explain: Explain) -> None:
        own = said("9.2.0", reached="created", count="one")
        near = said("9.1.0", count="one", needed="required")
        x = explain(near, own)["CUDNN_ATTR_D_X"]
        assert (x.needed, x.told_by) == ("required", "inherited 9.1.0")
        assert explain(own)["CUDNN_ATTR_D_X"].told_by == "probe 9.2.0"  # better than nothing

    def test_names_that_the_release_does_not_have_are_left_out(self, explain: Explain) -> None:
        x = explain(
            said(
                "9.3.0",
                as_long_as=("CUDNN_ATTR_D_Y", "CUDNN_ATTR_D_LATER"),
                target="CUDNN_BACKEND_LATER_DESCRIPTOR",
                enum="cudnnMode_t",
                default="CUDNN_LATER",
            )
        )["CUDNN_ATTR_D_X"]
        assert (x.as_long_as, x.target, x.default) == (("CUDNN_ATTR_D_Y",), None, None)
        assert x.enum == "cudnnMode_t"

    def test_a_fact_fills_what_no_library_told(self, explain: Explain) -> None:
        stated = Facts(attribute=(Fact(names=("CUDNN_ATTR_D_X",), reason="seen", count="many"),))
        x = explain(said("9.2.0", default=1), facts=stated)["CUDNN_ATTR_D_X"]
        assert (x.count, x.by_fact, x.default) == ("many", ("count",), 1)
        told = explain(said("9.2.0", count="many"), facts=stated)["CUDNN_ATTR_D_X"]
        assert (told.count, told.by_fact) == ("many", ())

    def test_a_fact_may_not_contradict_a_library(self, explain: Explain) -> None:
        stated = Facts(attribute=(Fact(names=("CUDNN_ATTR_D_X",), reason="seen", count="many"),))
        with pytest.raises(SchemaError, match=r"CUDNN_ATTR_D_X.*many.*9\.2\.0 one"):
            explain(said("9.2.0", count="one"), facts=stated)

    def test_what_nobody_was_asked_about_stays_unknown(self, explain: Explain) -> None:
        y = explain(said("9.2.0", count="one"))["CUDNN_ATTR_D_Y"]
        assert all(not getattr(y, field) for field in FIELDS)

    def test_forgetting_is_the_way_back(self) -> None:
        told = schema.explain(small(), ("9.2.0",), [said("9.2.0", needed="required")], Facts())
        assert told != small()
        assert schema.forget(told) == small()


def small() -> Api:
    """An API with a descriptor type, two attributes of it, and an enum."""
    enums = (
        model.Enum("cudnnBackendDescriptorType_t", "h", (model.Enumerator(D, 0),)),
        model.Enum("cudnnMode_t", "h", (model.Enumerator("CUDNN_MODE", 0),)),
    )
    attributes = tuple(
        BackendAttribute(f"CUDNN_ATTR_D_{name}", value, D, ("CUDNN_TYPE_INT64",), "probe")
        for value, name in enumerate("XY")
    )
    return Api(release="9.2.0", enums=enums, attributes=attributes)


def said(version: str, reached: Reached = "finalized", **more: Any) -> Answers:
    """Answers of a library about CUDNN_ATTR_D_X."""
    return Answers(
        version=version, descriptors={D: reached}, attributes={"CUDNN_ATTR_D_X": Answer(**more)}
    )


class TestWhatIsKept:
    """The answers, recipes and facts of this project."""

    def test_each_file_is_named_after_its_release(self) -> None:
        names = {f"{told.version}.json" for told in kept.load()}
        assert names == {path.name for path in kept.ANSWERS.glob("*.json")}

    def test_saving_again_changes_no_byte(self, tmp_path: Path) -> None:
        for told in kept.load():
            path = kept.save(told, tmp_path)
            assert path.read_bytes() == (kept.ANSWERS / path.name).read_bytes()

    def test_every_api_of_version_9_was_asked(self) -> None:
        asked = {told.version for told in kept.load()}
        apis: dict[str, list[str]] = {}
        for release in Store(MODELS).releases():
            if version_key(release.version) >= (9,):
                apis.setdefault(release.api, []).append(release.version)
        assert [name for name, versions in apis.items() if not asked.intersection(versions)] == []

    def test_what_cannot_be_kept_leaves_nothing_behind(self, tmp_path: Path) -> None:
        (tmp_path / "9.2.0.json").mkdir()
        with pytest.raises(OSError, match=r"9\.2\.0\.json"):
            kept.save(said("9.2.0"), tmp_path)
        assert [path.name for path in tmp_path.iterdir()] == ["9.2.0.json"]

    def test_what_a_library_says_unlike_the_one_before_is_told(self) -> None:
        one = said("9.1.0", default=1, count="one")
        other = said("9.2.0", reached="created", default=2, count="one", needed="required")
        assert kept.differences(one, other) == [
            f"{D}: finalized -> created",
            "CUDNN_ATTR_D_X: needed None -> required, default 1 -> 2",
        ]
        assert kept.differences(one, one) == []
        gone = Answers(version="9.2.0", descriptors={}, attributes={})
        assert kept.differences(one, gone) == []  # the diff of the models tells that

    @pytest.mark.parametrize("text", [b"", b"{}", b'{"version":"9.0.0","descriptors":{"D":"far"}}'])
    def test_a_damaged_file_is_named(self, tmp_path: Path, text: bytes) -> None:
        (tmp_path / "9.0.0.json").write_bytes(text)
        with pytest.raises(AnswersError, match=r"9\.0\.0\.json"):
            kept.load(tmp_path)

    def test_facts_want_a_reason_and_known_fields(self, tmp_path: Path) -> None:
        path = tmp_path / "facts.toml"
        path.write_text('[[attribute]]\nnames = ["X"]\ncount = "one"\n')
        with pytest.raises(AnswersError, match="reason"):
            facts.load(path)

    def test_recipes_speak_of_what_there_is(self) -> None:
        names = set()
        for api in Store(MODELS).apis():
            names |= api.index().keys() | {attribute.name for attribute in api.attributes}
        table = recipes.load()
        for descriptor, states in table.items():
            if descriptor == "tensors":
                continue
            assert descriptor in names
            for attribute, value in ((n, v) for state in states for n, v in state.items()):
                assert attribute in names
                for one in value if isinstance(value, list) else [value]:
                    if isinstance(one, str) and one != "device.json":
                        assert one in names or one in table["tensors"]

    def test_every_fact_fills_a_gap(self) -> None:
        used = {
            (attribute.name, field)
            for api in Store(MODELS).apis()
            for attribute in api.attributes
            for field in attribute.by_fact
        }
        stated = facts.load().by_attribute()
        assert {(name, field) for name, fields in stated.items() for field in fields} == used

    def test_the_models_say_what_is_kept(self) -> None:
        store = Store(MODELS)
        sharing: dict[str, list[str]] = {}
        for release in store.releases():
            sharing.setdefault(release.api, []).append(release.version)
        for name, versions in sharing.items():
            assert schema.explain(store.api(name), versions) == store.api(name)


@pytest.fixture(scope="module")
def told() -> dict[str, BackendAttribute]:
    """The attributes of 9.28.0 by name."""
    store = Store(MODELS)
    (name,) = (one.api for one in store.releases() if one.version == "9.28.0")
    return {attribute.name: attribute for attribute in store.api(name).attributes}


#: Measured attributes of 9.28.0 by need, and those with a default.
NEEDED: dict[str | None, int] = {
    "alternative": 52,
    "optional": 72,
    "required": 102,
    "unchecked": 125,
    None: 32,
}
NEEDED_IN_GRAPH: dict[str | None, int] = {
    "alternative": 56,
    "optional": 39,
    "required": 91,
    "unchecked": 76,
    None: 121,
}
DEFAULTS = 83


class TestModelOf928:
    """Measurements on cuDNN 9.28.0."""

    def test_all_attributes_were_told_of(self, told: dict[str, BackendAttribute]) -> None:
        assert len(told) == 383
        assert len({attribute.owner for attribute in told.values()}) == 51
        sources = Counter(attribute.told_by for attribute in told.values())
        assert sources["probe 9.28.0"] == 383

    def test_how_much_is_known(self, told: dict[str, BackendAttribute]) -> None:
        needed = Counter(attribute.needed for attribute in told.values())
        assert needed == NEEDED
        in_graph = Counter(attribute.needed_in_graph for attribute in told.values())
        assert in_graph == NEEDED_IN_GRAPH
        assert sum(1 for attribute in told.values() if attribute.default is not None) == DEFAULTS

    def test_every_attribute_has_a_count(self, told: dict[str, BackendAttribute]) -> None:
        assert [name for name, attribute in told.items() if attribute.count is None] == []

    def test_what_holds_descriptors_says_which(self, told: dict[str, BackendAttribute]) -> None:
        holding = [a for a in told.values() if recipes.DESCRIPTOR in a.types]
        assert [a.name for a in holding if a.target is None] == []
        assert all(a.target is None for a in told.values() if recipes.DESCRIPTOR not in a.types)

    def test_a_tensor(self, told: dict[str, BackendAttribute]) -> None:
        def tensor(name: str) -> BackendAttribute:
            return told[f"CUDNN_ATTR_TENSOR_{name}"]

        dimensions = tensor("DIMENSIONS")
        assert (dimensions.count, dimensions.most, dimensions.needed) == ("many", 8, "required")
        assert dimensions.as_long_as == ("CUDNN_ATTR_TENSOR_STRIDES",)
        assert tensor("BYTE_ALIGNMENT").needed == "alternative"
        assert tensor("BYTE_ALIGNMENT").unless == ("CUDNN_ATTR_TENSOR_DATA_TYPE",)
        assert tensor("DATA_TYPE").enum == "cudnnDataType_t"
        assert tensor("DATA_TYPE").default == "CUDNN_DATA_FLOAT"
        assert tensor("IS_VIRTUAL").default is False

    def test_a_convolution(self, told: dict[str, BackendAttribute]) -> None:
        strides = told["CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES"]
        assert (strides.most, strides.needed) == (6, "required")
        assert "CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS" in strides.as_long_as
        operation = "CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_"
        assert told[f"{operation}X"].target == TENSOR
        assert told[f"{operation}CONV_DESC"].target == "CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR"
        assert told[f"{operation}ALPHA"].default == 1.0
        assert {told[operation + name].needed_in_graph for name in "XWY"} == {"required"}

    def test_both_or_neither(self, told: dict[str, BackendAttribute]) -> None:
        queries = told["CUDNN_ATTR_OPERATION_SDPA_FWD_SEQ_LEN_QDESC"]
        assert queries.needed == "alternative"
        assert queries.along_with == ("CUDNN_ATTR_OPERATION_SDPA_FWD_SEQ_LEN_KVDESC",)

    def test_a_softmax_that_is_no_tensor(self, told: dict[str, BackendAttribute]) -> None:
        held = told["CUDNN_ATTR_OPERATION_SDPA_FWD_SOFTMAX_DESC"].target
        assert held == "CUDNN_BACKEND_OPERATION_SOFTMAX_DESCRIPTOR"

    def test_what_finalize_works_out_is_no_default(self, told: dict[str, BackendAttribute]) -> None:
        assert told["CUDNN_ATTR_OPERATIONGRAPH_MODE"].default is None
        assert told["CUDNN_ATTR_OPERATION_ROPE_FWD_ROPE_DIM"].default is None


def test_memory_that_nobody_wrote_is_no_default() -> None:
    """In 9.12 and 9.19 a fresh reduction's operator is garbage; in 9.28 it is set."""
    told = {one.version: one.attributes["CUDNN_ATTR_REDUCTION_OPERATOR"] for one in kept.load()}
    assert [told[v].uninitialized for v in ("9.12.0", "9.19.0", "9.28.0")] == [True, True, False]
    assert [told[v].default for v in ("9.12.0", "9.28.0")] == [None, "CUDNN_REDUCE_TENSOR_ADD"]


FAKE = r"""
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
enum { OK, BAD_PARAM };
struct descriptor { int type; int64_t lists[2], length[2]; int mode, junk, chance; };
typedef void (*callback)(int, void *, void *, const char *);
static callback logger;
static unsigned mask;
size_t cudnnGetVersion(void) { return 92800; }
const char *cudnnGetErrorString(int s) { return s ? "CUDNN_STATUS_BAD_PARAM" : "CUDNN_STATUS_SUCCESS"; }
int cudnnSetCallback(unsigned m, void *user, callback f) { mask = m; logger = f; return OK; }
int cudnnBackendCreateDescriptor(int type, void **out) {
  struct descriptor *d = malloc(sizeof *d);
  int junk = d->junk, chance = d->chance;
  memset(d, 0, sizeof *d);
  d->junk = junk;
  d->chance = chance;
  d->type = type;
  *out = d;
  return OK;
}
int cudnnBackendSetAttribute(struct descriptor *d, int a, int t, int64_t n, const int64_t *v) {
  if (a == 4) { while (*v == 99) pause(); abort(); }
  if (t != 0) return BAD_PARAM;
  if (a < 2) { d->length[a] = n; return OK; }
  if (n != 1) return BAD_PARAM;
  if (a == 2) d->mode = (int)*v;
  if (a == 3) d->junk = (int)*v;
  if (a == 5) d->chance = (int)*v;
  return OK;
}
int cudnnBackendFinalize(struct descriptor *d) {
  return d->length[0] != d->length[1] || d->length[0] < 1 || d->length[0] > 5 || !d->chance;
}
int cudnnBackendGetAttribute(struct descriptor *d, int a, int t, int64_t n, int64_t *m, void *e) {
  char text[400];
  int at = 0;
  if (!(mask & 8) || !logger) return BAD_PARAM;
  at += sprintf(text + at, "head") + 1;
  at += sprintf(text + at, "descriptor:") + 1;
  at += sprintf(text + at, "        mode: type=int; val=%d;", d->mode) + 1;
  at += sprintf(text + at, "        junk: type=int; val=%d;", d->junk) + 1;
  text[at] = 0;
  logger(3, 0, 0, text);
  return BAD_PARAM;
}
"""

NAMES = ("A", "B", "MODE", "JUNK", "BRITTLE", "CHANCE")
ATTRIBUTES = {f"CUDNN_ATTR_D_{name}": number for number, name in enumerate(NAMES)}


@pytest.fixture(scope="module")
def fake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library with one descriptor: two lists that go together, a mode, junk, a trap, chance."""
    return c_library(tmp_path_factory.mktemp("fake") / "libcudnn.so.9", FAKE)


@pytest.fixture(scope="module")
def heard(fake: Path) -> Answers:
    """Answers of the library above."""

    def enum(name: str, members: dict[str, int]) -> model.Enum:
        return model.Enum(name, "h", tuple(model.Enumerator(n, v) for n, v in members.items()))

    api = Api(
        release="9.28.0",
        enums=(
            enum("cudnnBackendDescriptorType_t", {D: 0}),
            enum("cudnnBackendAttributeName_t", ATTRIBUTES),
            enum("cudnnBackendAttributeType_t", {"CUDNN_TYPE_INT64": 0}),
        ),
    )
    recipe = {"CUDNN_ATTR_D_A": [1, 1], "CUDNN_ATTR_D_B": [1, 1], "CUDNN_ATTR_D_CHANCE": 1}
    table = {"tensors": {}, D: [recipe]}
    heard = dict.fromkeys(ATTRIBUTES, Probed(types=("CUDNN_TYPE_INT64",), writable=True))
    return probe(fake, api, heard, device="{}", recipes=table)


class TestAFakeLibrary:
    def test_the_descriptor_is_finalized_by_its_recipe(self, heard: Answers) -> None:
        assert heard.descriptors == {D: "finalized"}

    def test_lists_that_go_together(self, heard: Answers) -> None:
        a = heard.attributes["CUDNN_ATTR_D_A"]
        assert (a.count, a.most, a.as_long_as) == ("many", 5, ("CUDNN_ATTR_D_B",))
        assert a.needed == "required"

    def test_a_mode_with_a_default(self, heard: Answers) -> None:
        mode = heard.attributes["CUDNN_ATTR_D_MODE"]
        assert (mode.count, mode.needed, mode.default) == ("one", "optional", 0)

    def test_memory_that_nobody_wrote(self, heard: Answers) -> None:
        junk = heard.attributes["CUDNN_ATTR_D_JUNK"]
        assert (junk.uninitialized, junk.default, junk.needed) == (True, None, "unchecked")

    def test_what_memory_that_nobody_wrote_stands_in_for_is_required(self, heard: Answers) -> None:
        """Finalize takes the descriptor without it unless the memory happens to be zero."""
        assert heard.attributes["CUDNN_ATTR_D_CHANCE"].needed == "required"

    def test_a_crash_costs_its_own_answer(self, heard: Answers) -> None:
        assert heard.attributes["CUDNN_ATTR_D_BRITTLE"] == Answer(needed="unchecked")


class TestTheLab:
    @pytest.fixture
    def lab(self, fake: Path) -> Any:
        types = {"CUDNN_TYPE_INT64": 0, "CUDNN_TYPE_MODE": 1}
        with Lab(fake, types, {D: 0}, ATTRIBUTES) as lab:
            yield lab

    @pytest.mark.parametrize("alone", [False, True])
    def test_a_crash_costs_one_question(self, lab: Lab, alone: bool) -> None:
        def job(name: str) -> dict[str, Any]:
            return {"descriptor": D, "set": [[name, "CUDNN_TYPE_INT64", [1], None]]}

        good, bad = job("CUDNN_ATTR_D_MODE"), job("CUDNN_ATTR_D_BRITTLE")
        answers = lab.ask([good, bad, bad, good], alone=alone)
        assert [answer.get("crash") for answer in answers] == [None, "SIGABRT", "SIGABRT", None]
        assert answers[0] == answers[3] == {"set": ["CUDNN_STATUS_SUCCESS"]}
        assert lab.asked == {"jobs": 4, "SIGABRT": 2}

    def test_a_question_without_an_answer_is_given_up(self, fake: Path) -> None:
        step = ["CUDNN_ATTR_D_BRITTLE", "CUDNN_TYPE_INT64", [99], None]
        with Lab(fake, {"CUDNN_TYPE_INT64": 0}, {D: 0}, ATTRIBUTES, silence=0.5) as lab:
            asked: list[dict[str, Any]] = [
                {"descriptor": D, "set": [step]},
                {"descriptor": D, "set": []},
            ]
            assert lab.ask(asked) == [{"crash": "hangs"}, {"set": []}]

    def test_a_child_that_cannot_be_made_is_said(self, lab: Lab) -> None:
        child = {"descriptor": D, "set": [["CUDNN_ATTR_D_A", "CUDNN_TYPE_INT64", [1], None]]}
        step = ["CUDNN_ATTR_D_B", "CUDNN_TYPE_INT64", [child], None]
        assert lab.ask([{"descriptor": D, "set": [step]}]) == [
            {"refused": f"{D}: CUDNN_STATUS_BAD_PARAM"}
        ]

    def test_a_number_that_no_int_can_be_is_a_number(self, lab: Lab) -> None:
        """Some enums of C have such members."""
        step = ["CUDNN_ATTR_D_MODE", "CUDNN_TYPE_MODE", [0xFFFFFFFF], None]
        assert lab.ask([{"descriptor": D, "set": [step]}]) == [{"set": ["CUDNN_STATUS_BAD_PARAM"]}]

    def test_a_crash_leaves_no_core(self, fake: Path) -> None:
        before = resource.getrlimit(resource.RLIMIT_CORE)
        resource.setrlimit(resource.RLIMIT_CORE, (before[1], before[1]))
        try:
            with Lab(fake, {"CUDNN_TYPE_INT64": 0}, {D: 0}, ATTRIBUTES) as lab:
                limits = Path(f"/proc/{lab.pid}/limits").read_text()
        finally:
            resource.setrlimit(resource.RLIMIT_CORE, before)
        assert re.search(r"Max core file size +0 ", limits), limits

    def test_no_child_is_left_of_the_warming(self, fake: Path) -> None:
        with Lab(fake, {"CUDNN_TYPE_INT64": 0}, {D: 0}, ATTRIBUTES, warm=[D]) as lab:
            lab.ask([{"descriptor": D, "set": []}])
            children = Path(f"/proc/{lab.pid}/task/{lab.pid}/children")
            deadline = time.monotonic() + 10
            while children.read_text() and time.monotonic() < deadline:
                time.sleep(0.05)  # that of the question ends just after its answer
            assert children.read_text() == ""

    def test_an_interruption_at_the_start_ends_the_process(
        self, fake: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        started: list[int] = []

        def interrupt(lab: Lab) -> None:
            started.append(lab.pid)
            raise KeyboardInterrupt

        monkeypatch.setattr(Lab, "_read", interrupt)
        with pytest.raises(KeyboardInterrupt):
            Lab(fake, {}, {}, {})
        assert not Path(f"/proc/{started[0]}").exists()

    def test_no_question_is_no_answer(self, lab: Lab) -> None:
        assert lab.ask([]) == []

    def test_a_file_that_is_no_library_is_an_error(self, tmp_path: Path) -> None:
        (tmp_path / "libcudnn.so.9").write_bytes(b"no library")
        with pytest.raises(LabError, match=r"libcudnn\.so\.9"):
            Lab(tmp_path / "libcudnn.so.9", {}, {}, {})


#: The number of types with a descriptor that finalizes, and of all; one more is lent.
REACHED = {"9.12.0": (39, 41), "9.19.0": (42, 44), "9.28.0": (49, 51)}

#: A few types are asked again of a real library, so that it takes seconds.
ASKED = (TENSOR, "CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR", "CUDNN_BACKEND_RNG_DESCRIPTOR")


@pytest.mark.parametrize("version", ["9.12.0", "9.28.0"])
def test_real_libraries_say_what_is_kept(
    cudnn_libraries: list[Path], tmp_path: Path, version: str
) -> None:
    """The recipes finalize as many types as they did, and a few types answer as they did."""
    found = [path for path in cudnn_libraries if path.parent.name == version]
    if not found:
        pytest.skip(f"no libcudnn {version}: python scripts/libraries.py {version}")
    beside = []
    if not driver.present():
        try:
            beside.append(driver.link(tmp_path))
        except driver.DriverError as error:
            pytest.skip(str(error))
    store = Store(MODELS)
    api = store.api({one.version: one.api for one in store.releases()}[version])
    told = probe(
        found[0],
        api,
        {},
        device=DEVICE.read_text(encoding="utf-8"),
        beside=beside,
        describe=ASKED,
    )
    (expected,) = (one for one in kept.load() if one.version == version)
    counts = Counter(expected.descriptors.values())
    assert (counts["graph"] + counts["finalized"], counts.total()) == REACHED[version]
    assert counts["lent"] == 1
    differ = {n for n, reached in told.descriptors.items() if reached != expected.descriptors[n]}
    # Heuristics of 9.28 want cuBLAS, which may not be here.
    assert differ <= {"CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR"}
    again = {a.name for a in api.attributes if a.owner in ASKED}
    # Statements are of the header, which is not here.
    assert msgspec.to_builtins({name: told.attributes[name] for name in again}) == (
        msgspec.to_builtins(
            {
                name: msgspec.structs.replace(expected.attributes[name], stated=None)
                for name in again
            }
        )
    )


def mode_needs(modes: str, required: str, reached: Reached = "graph") -> ModeNeeds:
    return ModeNeeds(
        modes=tuple(tuple(each.split("+")) for each in modes.split()),
        reached=reached,
        required=tuple(required.split()),
    )


@pytest.mark.parametrize(
    ("needs", "expected"),
    [
        ([mode_needs("A B", "X")], {"X": ()}),
        ([mode_needs("A", "X Y"), mode_needs("B", "X")], {"X": (), "Y": (("A",),)}),
        (
            [mode_needs("A+T B+T", "X"), mode_needs("A+I B+I", "")],
            {"X": (("T",),)},
        ),
        (
            [mode_needs("A+T", "X"), mode_needs("B+T A+I B+I", "")],
            {"X": (("A", "T"),)},
        ),
        # A mode of which no valid descriptor was found says nothing.
        ([mode_needs("A", "X"), mode_needs("B", "", "none")], {"X": ()}),
    ],
)
def test_conditions_are_as_short_as_the_answers_allow(
    needs: list[ModeNeeds], expected: dict[str, tuple[tuple[str, ...], ...]]
) -> None:
    assert conditions(needs) == expected


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("Text. Required attribute.", "required"),
        ("This attribute is required.", "required"),
        ("Required only for\n *       one mode. Default value is 1.", "conditional"),
        ("This attribute is required for\n *       forward passes.", "conditional"),
        ("Optional attribute.", "optional"),
        ("Text.\n *       Default value is 1.", "optional"),
        ("Optional attribute; required when the other is set.", "conditional"),
        ("The required memory in bytes.", None),
        ("Text.", None),
        ("Text.\n *\n * A line on all: each is required.", None),
    ],
)
@pytest.mark.parametrize("head", ["- NAME (CUDNN_TYPE_INT64, 1 element)", "NAME", "- NAME"])
def test_statements_of_a_header(head: str, text: str, stated: str | None) -> None:
    first, second = (head.replace("NAME", f"CUDNN_ATTR_{each}") for each in "AB")
    comment = (
        f"/** Attributes:\n *\n * {first}\n *       {text}\n *\n * {second}\n *       Text.\n */"
    )
    assert statements(comment) == ({} if stated is None else {"CUDNN_ATTR_A": stated})


class TestModesOf928:
    """Measurements on cuDNN 9.28.0, checked by hand with single descriptors."""

    BN = "CUDNN_ATTR_OPERATION_BN_FINALIZE_"
    TRAINING = (("CUDNN_BN_FINALIZE_STATISTICS_TRAINING",),)
    INFERENCE = (("CUDNN_BN_FINALIZE_STATISTICS_INFERENCE",),)

    @pytest.mark.parametrize(
        "name", ["Y_SUM_DESC", "Y_SQ_SUM_DESC", "ACCUM_COUNT_DESC", "EXP_AVERATE_FACTOR_DESC"]
    )
    def test_statistics_in_training(self, told: dict[str, BackendAttribute], name: str) -> None:
        attribute = told[self.BN + name]
        assert (attribute.needed, attribute.required_in) == ("alternative", self.TRAINING)

    def test_statistics_in_inference(self, told: dict[str, BackendAttribute]) -> None:
        attribute = told[f"{self.BN}PREV_RUNNING_VAR_DESC"]
        assert (attribute.needed, attribute.required_in) == ("alternative", self.INFERENCE)
        assert attribute.stated == "optional"

    @pytest.mark.parametrize("name", ["SCALE_DESC", "EPSILON_DESC"])
    def test_statistics_in_both(self, told: dict[str, BackendAttribute], name: str) -> None:
        attribute = told[self.BN + name]
        assert (attribute.needed, attribute.required_in) == ("required", ())

    def test_a_norm_in_inference_does_without_epsilon(
        self, told: dict[str, BackendAttribute]
    ) -> None:
        attribute = told["CUDNN_ATTR_OPERATION_NORM_FWD_EPSILON_DESC"]
        assert attribute.required_in == (("CUDNN_NORM_FWD_TRAINING",),)
        assert attribute.stated == "required"

    def test_a_gradient_of_rms_norm_does_without_a_mean(
        self, told: dict[str, BackendAttribute]
    ) -> None:
        attribute = told["CUDNN_ATTR_OPERATION_NORM_BWD_MEAN_DESC"]
        assert ("CUDNN_LAYER_NORM",) in attribute.required_in
        assert ("CUDNN_RMS_NORM",) not in attribute.required_in
