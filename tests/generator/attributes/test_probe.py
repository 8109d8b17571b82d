"""Asking a library: real ones where there are any, and one made for the test that misbehaves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from cudnn_cffi.api import model
from cudnn_cffi.api.inputs.store import Store
from cudnn_cffi.api.model import Api, version_key

from generator.attributes import Evidence
from generator.attributes.probe import (
    DEVICE,
    MODELS,
    Answer,
    ProbeError,
    library_version,
    probe,
    understood,
)
from generator.lab import Lab, LabError, driver
from tests.compilers import c_library

#: Types and attributes of the library below.
TYPES = {f"CUDNN_TYPE_{name}": n for n, name in enumerate(("INT64", "FLOAT", "DOUBLE", "CHAR"))}
DESCRIPTORS = {"CUDNN_BACKEND_TENSOR_DESCRIPTOR": 0, "CUDNN_BACKEND_ENGINE_DESCRIPTOR": 1}
ATTRIBUTES = {
    f"CUDNN_ATTR_{name}": number
    for number, name in enumerate(
        (
            "TENSOR_UNIQUE_ID",  # takes and gives INT64
            "TENSOR_FACTOR",  # takes FLOAT and DOUBLE, gives nothing
            "TENSOR_SIZE",  # gives INT64, cannot be set
            "TENSOR_LATER",  # refused whatever the type
            "TENSOR_TEXT",  # does not look at the type
            "TENSOR_BRITTLE",  # INT64 as well, but FLOAT ends the process
            "ENGINE_BRITTLE",  # its descriptor cannot be finalized without the end of the process
        )
    )
}

FAKE = r"""
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
enum { OK, BAD_PARAM, NOT_SUPPORTED, NOT_FINALIZED };
enum { INT64, FLOAT, DOUBLE, CHAR };
enum { UNIQUE_ID, FACTOR, SIZE, LATER, TEXT, BRITTLE, ENGINE_BRITTLE };
struct descriptor { int type, finished; };
static const char *last = "";
size_t cudnnGetVersion(void) { return 92800; }
const char *cudnnGetErrorString(int s) {
  const char *names[] = {"CUDNN_STATUS_SUCCESS", "CUDNN_STATUS_BAD_PARAM",
                         "CUDNN_STATUS_NOT_SUPPORTED", "CUDNN_STATUS_NOT_INITIALIZED"};
  return names[s];
}
void cudnnGetLastErrorString(char *to, size_t room) { strncpy(to, last, room); last = ""; }
int cudnnSetCallback(unsigned mask, void *data, void *f) { (void)mask, (void)data, (void)f; return OK; }
int cudnnBackendCreateDescriptor(int type, void **out) {
  struct descriptor *d = calloc(1, sizeof *d);
  d->type = type;
  *out = d;
  return OK;
}
int cudnnBackendFinalize(void *d) {
  if (((struct descriptor *)d)->type == 1) abort();
  ((struct descriptor *)d)->finished = 1;
  return OK;
}
int cudnnBackendSetAttribute(void *d, int name, int type, int64_t n, const void *elements) {
  (void)d, (void)n, (void)elements;
  if (name == TEXT) return OK;
  if (name == SIZE || name == LATER) return NOT_SUPPORTED;
  if (name == FACTOR) return type == FLOAT || type == DOUBLE ? OK : BAD_PARAM;
  if (name == BRITTLE && type == FLOAT) abort();
  if (type == INT64) return OK;
  last = "CUDNN_TYPE_INT64 != type";
  return BAD_PARAM;
}
int cudnnBackendGetAttribute(void *d, int name, int type, int64_t n, int64_t *found, void *to) {
  (void)n, (void)to;
  if (!((struct descriptor *)d)->finished) return NOT_FINALIZED;
  *found = 1;
  if (name == FACTOR || name == LATER) return NOT_SUPPORTED;
  return name == TEXT || type == INT64 ? OK : BAD_PARAM;
}
"""


@pytest.fixture(scope="module")
def fake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A libcudnn with the habits that `ATTRIBUTES` names."""
    return c_library(tmp_path_factory.mktemp("fake") / "libcudnn.so.9", FAKE)


@pytest.fixture(scope="module")
def evidence(fake: Path) -> Evidence:
    def enum(kind: str, members: dict[str, int]) -> model.Enum:
        enumerators = tuple(model.Enumerator(name, value) for name, value in members.items())
        return model.Enum(f"cudnnBackend{kind}_t", "h", enumerators)

    api = Api(
        release="9.28.0",
        enums=(
            enum("DescriptorType", DESCRIPTORS),
            enum("AttributeName", ATTRIBUTES),
            enum("AttributeType", TYPES),
        ),
    )
    recipes: dict[str, Any] = {"tensors": {}} | {name: [{}] for name in DESCRIPTORS}
    return probe(fake, api, device="{}", recipes=recipes)


class TestAnsweringLibrary:
    def test_it_is_asked_for_its_version(self, fake: Path, evidence: Evidence) -> None:
        assert library_version(fake) == evidence.version == "9.28.0"

    def test_a_type_that_is_taken_is_the_type(self, evidence: Evidence) -> None:
        heard = evidence.attributes["CUDNN_ATTR_TENSOR_UNIQUE_ID"]
        assert heard.types == ("CUDNN_TYPE_INT64",)
        assert (heard.readable, heard.writable) == (True, True)

    def test_several_types_may_be_taken(self, evidence: Evidence) -> None:
        heard = evidence.attributes["CUDNN_ATTR_TENSOR_FACTOR"]
        assert heard.types == ("CUDNN_TYPE_FLOAT", "CUDNN_TYPE_DOUBLE")
        assert (heard.readable, heard.writable) == (False, True)

    def test_reading_tells_the_type_of_what_cannot_be_set(self, evidence: Evidence) -> None:
        heard = evidence.attributes["CUDNN_ATTR_TENSOR_SIZE"]
        assert heard.types == ("CUDNN_TYPE_INT64",)
        assert (heard.readable, heard.writable) == (True, False)

    def test_what_is_always_refused_has_no_type(self, evidence: Evidence) -> None:
        heard = evidence.attributes["CUDNN_ATTR_TENSOR_LATER"]
        assert (heard.types, heard.readable, heard.writable) == ((), False, False)

    def test_what_takes_every_type_tells_none(self, evidence: Evidence) -> None:
        heard = evidence.attributes["CUDNN_ATTR_TENSOR_TEXT"]
        assert (heard.types, heard.readable, heard.writable) == ((), True, True)

    def test_a_crash_costs_one_question(self, evidence: Evidence) -> None:
        heard = evidence.attributes["CUDNN_ATTR_TENSOR_BRITTLE"]
        assert heard.types == ("CUDNN_TYPE_INT64",)
        assert (heard.readable, heard.writable) == (True, True)
        assert heard.crashed == ("set CUDNN_TYPE_FLOAT",)

    def test_a_descriptor_that_crashes_when_it_is_finished_stays_unread(
        self, evidence: Evidence
    ) -> None:
        heard = evidence.attributes["CUDNN_ATTR_ENGINE_BRITTLE"]
        assert heard.types == ("CUDNN_TYPE_INT64",)
        assert (heard.readable, heard.writable) == (None, True)


def test_a_file_that_is_no_library_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "libcudnn.so.9"
    path.write_text("nothing")
    with pytest.raises(LabError, match=r"libcudnn\.so\.9: does not load"):
        library_version(path)


def test_a_mistake_of_the_probes_own_is_not_taken_for_a_crash(fake: Path) -> None:
    mistake = pytest.raises(LabError, match="failed: KeyError: 'CUDNN_BACKEND_NO_DESCRIPTOR'")
    with Lab(fake, TYPES, DESCRIPTORS, ATTRIBUTES) as lab, mistake:
        lab.ask([{"descriptor": "CUDNN_BACKEND_NO_DESCRIPTOR", "set": []}])


class TestUnderstanding:
    """Conclusions from a set of answers."""

    def answers(self, **odd: Answer) -> dict[str, Answer]:
        refused = Answer("CUDNN_STATUS_BAD_PARAM")
        return {name: odd.get(name.removeprefix("CUDNN_TYPE_"), refused) for name in TYPES}

    def test_the_one_that_fails_otherwise_got_past_the_check_of_the_type(self) -> None:
        heard = self.answers(INT64=Answer("CUDNN_STATUS_BAD_PARAM_NULL_POINTER"))
        assert understood("it", heard) == ("CUDNN_TYPE_INT64",)

    def test_the_text_can_be_what_differs(self) -> None:
        heard = self.answers(CHAR=Answer("CUDNN_STATUS_BAD_PARAM", "nullptr == element"))
        assert understood("it", heard) == ("CUDNN_TYPE_CHAR",)

    def test_two_ways_to_fail_that_share_the_types_tell_nothing(self) -> None:
        other = Answer("CUDNN_STATUS_NOT_SUPPORTED")
        assert understood("it", self.answers(INT64=other, CHAR=other)) == ()

    def test_a_library_that_asks_for_what_it_does_not_take_is_not_understood(self) -> None:
        heard = {
            name: Answer("CUDNN_STATUS_BAD_PARAM", "CUDNN_TYPE_CHAR != type") for name in TYPES
        }
        heard["CUDNN_TYPE_INT64"] = Answer("CUDNN_STATUS_SUCCESS")
        with pytest.raises(ProbeError, match="asks for CUDNN_TYPE_CHAR"):
            understood("CUDNN_ATTR_IT", heard)


@pytest.mark.slow
def test_real_libraries_say_what_is_kept(cudnn_libraries: list[Path], tmp_path: Path) -> None:
    """They answer as the models say, and take a type for most attributes."""
    ask(cudnn_libraries, tmp_path)


def ask(libraries: list[Path], tmp_path: Path) -> None:
    """Compare what libraries answer with what is kept; skip where none of them can be asked."""
    store = Store(MODELS)
    apis = {release.version: release.api for release in store.releases()}
    device = DEVICE.read_text(encoding="utf-8")
    asked, beside = 0, []
    if not driver.present():
        try:
            beside.append(driver.link(tmp_path))
        except driver.DriverError as error:
            pytest.skip(str(error))
    for library in libraries:
        try:
            version = library_version(library, beside)
        except LabError:
            continue  # a library that wants cuBLAS, before 8.8
        if version not in apis or version_key(version) < (8, 8):
            continue
        api = store.api(apis[version])
        heard = probe(library, api, device=device, beside=beside).attributes
        expected = {one.name: one for one in api.attributes}
        told = {name: set(one.types) for name, one in heard.items() if one.types}
        assert told == {name: set(expected[name].types) for name in told}
        assert len(told) > 0.8 * len(expected)
        for what in ("readable", "writable"):
            said = {n: getattr(one, what) for n, one in heard.items()}
            kept = {n: getattr(expected[n], what) for n in said if said[n] is not None}
            kept = {name: answer for name, answer in kept.items() if answer is not None}
            assert kept == {name: said[name] for name in kept}
            assert len(kept) > 0.5 * len(expected)
        asked += 1
    if not asked:
        pytest.skip("none of the libraries found loads without CUDA")
