"""Owners, types and directions of backend attributes, explained without a library."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from cudnn_cffi.api.inputs.store import Store
from cudnn_cffi.api.model import BackendAttribute

from generator import attributes as known
from generator.attributes import AttributesError, Evidence, Probed, attributes, owners
from generator.attributes.probe import MODELS

Explain = Callable[..., BackendAttribute]

INT64 = ("CUDNN_TYPE_INT64",)
FLOATS = ("CUDNN_TYPE_FLOAT", "CUDNN_TYPE_DOUBLE")

TENSOR = ("CUDNN_BACKEND_TENSOR_DESCRIPTOR",)
NAME = "CUDNN_ATTR_TENSOR_UNIQUE_ID"


class TestOwners:
    @pytest.mark.parametrize(
        ("attribute", "owner"),
        [
            ("TENSOR_DIMENSIONS", "TENSOR"),
            ("ENGINE_KNOB_INFO", "ENGINE"),
            ("ENGINECFG_ENGINE", "ENGINECFG"),
            ("KNOB_INFO_TYPE", "KNOB_INFO"),
            ("OPERATION_MATMUL_DESC", "OPERATION_MATMUL"),
            ("OPERATIONGRAPH_OPS", "OPERATIONGRAPH"),
            ("OPERATION_MOE_GROUPED_MATMUL_TOP_K", "OPERATION_MOE_GROUPED_MATMUL"),
        ],
    )
    def test_the_longest_stem_that_a_name_begins_with_owns_it(
        self, attribute: str, owner: str
    ) -> None:
        stems = (
            "TENSOR",
            "ENGINE",
            "ENGINECFG",
            "KNOB_INFO",
            "MATMUL",
            "OPERATION_MATMUL",
            "OPERATIONGRAPH",
            "OPERATION_MOE_GROUPED_MATMUL",
            "OPERATION_MOE_GROUPED_MATMUL_BWD",
        )
        types = [f"CUDNN_BACKEND_{stem}_DESCRIPTOR" for stem in stems]
        name = f"CUDNN_ATTR_{attribute}"
        assert owners(types, [name]) == {name: f"CUDNN_BACKEND_{owner}_DESCRIPTOR"}

    @pytest.mark.parametrize(
        ("attribute", "stem"),
        [
            ("OPERATION_CONVOLUTION_BWD_DATA_W", "OPERATION_CONVOLUTION_BACKWARD_DATA"),
            ("OPERATION_NORM_FWD_XDESC", "OPERATION_NORM_FORWARD"),
            ("OPERATION_BN_FINALIZE_STATS_MODE", "OPERATION_BN_FINALIZE_STATISTICS"),
            ("OPERATION_GENSTATS_XDESC", "OPERATION_GEN_STATS"),
            ("OPERATION_CONTRACT_BAND_MAX_TOKEN_VALUE", "OPERATION_CONTRACT_BAND_MATRIX"),
        ],
    )
    def test_attributes_have_other_words_for_some_descriptors(
        self, attribute: str, stem: str
    ) -> None:
        name = f"CUDNN_ATTR_{attribute}"
        owner = f"CUDNN_BACKEND_{stem}_DESCRIPTOR"
        assert owners([owner], [name]) == {name: owner}

    def test_an_attribute_of_nothing_is_named(self) -> None:
        with pytest.raises(AttributesError, match="CUDNN_ATTR_TENSORS_OF_NOBODY"):
            owners(TENSOR, [NAME, "CUDNN_ATTR_TENSORS_OF_NOBODY"])


class TestExplanations:
    """Probes and facts add up, on evidence made for the test."""

    @pytest.fixture
    def explain(self, tmp_path: Path) -> Explain:
        def call(
            release: str,
            heard: Mapping[str, Probed],
            fact: str = "",
        ) -> BackendAttribute:
            for version, probed in heard.items():
                evidence = Evidence(version=version, attributes={NAME: probed})
                known.save_evidence(evidence, tmp_path)
            facts = tmp_path / "facts.toml"
            facts.write_text(f"[{NAME}]\n{fact}\n" if fact else "")
            known.load_facts.cache_clear()
            (found,) = attributes(release, TENSOR, {NAME: 906}, probed=tmp_path, facts=facts)
            return found

        return call

    def test_a_probe_explains_every_release(self, explain: Explain) -> None:
        heard = {"9.12.0": Probed(types=INT64, readable=True, writable=True)}
        for release in ("8.5.0", "9.12.0", "9.28.0"):
            found = explain(release, heard)
            assert found.types == INT64
            assert (found.value, found.owner) == (906, TENSOR[0])
            assert (found.readable, found.writable) == (True, True)
            assert found.source == "probe 9.12.0"

    def test_the_oldest_probe_is_named_so_that_a_new_one_changes_no_model(
        self, explain: Explain
    ) -> None:
        heard = {"8.9.7": Probed(types=INT64), "9.12.0": Probed(types=INT64)}
        assert explain("9.20.0", heard).source == "probe 8.9.7"

    def test_one_probe_fills_what_another_did_not_find_out(self, explain: Explain) -> None:
        heard = {
            "9.12.0": Probed(writable=True),
            "9.28.0": Probed(types=INT64, readable=False),
        }
        found = explain("9.12.0", heard)
        assert (found.types, found.readable, found.writable) == (INT64, False, True)

    def test_a_type_that_changed_holds_from_the_release_that_has_it(self, explain: Explain) -> None:
        heard = {"9.12.0": Probed(types=INT64), "9.13.0": Probed(types=FLOATS)}
        assert explain("9.12.0", heard).types == INT64
        assert explain("9.13.0", heard).types == FLOATS
        assert explain("9.28.0", heard).source == "probe 9.13.0"

    def test_between_two_types_nobody_guesses(self, explain: Explain) -> None:
        heard = {"9.12.0": Probed(types=INT64), "9.28.0": Probed(types=FLOATS)}
        with pytest.raises(AttributesError, match=r"probe the library of 9\.20\.0"):
            explain("9.20.0", heard)

    def test_a_fact_explains_what_no_library_tells(self, explain: Explain) -> None:
        fact = 'types = ["CUDNN_TYPE_INT64"]\nwritable = false\nreason = "read somewhere"'
        found = explain("9.28.0", {"9.28.0": Probed()}, fact)
        assert (found.types, found.writable) == (INT64, False)
        assert found.source == "fact: read somewhere"

    def test_a_fact_may_not_contradict_a_probe(self, explain: Explain) -> None:
        heard = {"9.28.0": Probed(types=INT64, readable=True)}
        with pytest.raises(AttributesError, match=r"attributes\.toml says CUDNN_TYPE_CHAR"):
            explain("9.28.0", heard, 'types = ["CUDNN_TYPE_CHAR"]\nreason = "wrong"')
        with pytest.raises(AttributesError, match="readable = False"):
            explain("9.28.0", heard, 'readable = false\nreason = "wrong"')

    def test_a_fact_needs_a_reason(self, explain: Explain) -> None:
        with pytest.raises(AttributesError, match="reason"):
            explain("9.28.0", {}, 'types = ["CUDNN_TYPE_CHAR"]')

    def test_an_attribute_that_nobody_knows_is_unknown(self, explain: Explain) -> None:
        found = explain("9.29.0", {})
        assert (found.types, found.readable, found.writable) == ((), None, None)
        assert found.source == known.UNKNOWN

    def test_a_file_that_is_no_evidence_is_named(self, tmp_path: Path) -> None:
        (tmp_path / "9.28.0.json").write_text("{")
        with pytest.raises(AttributesError, match=r"9\.28\.0\.json"):
            known.load_evidence(tmp_path)


class TestWhatIsKept:
    """generator/attributes/probed/ and generator/attributes/attributes.toml, as they are committed."""

    def names(self) -> set[str]:
        return {name for one in known.load_evidence() for name in one.attributes}

    def test_each_file_is_named_after_its_release(self) -> None:
        files = {path.stem for path in known.PROBED.glob("*.json")}
        assert files == {one.version for one in known.load_evidence()}

    def test_saving_again_changes_no_byte(self, tmp_path: Path) -> None:
        for one in known.load_evidence():
            written = known.save_evidence(one, tmp_path).read_bytes()
            assert written == (known.PROBED / f"{one.version}.json").read_bytes()

    def test_libraries_agree_on_the_type_of_every_attribute(self) -> None:
        said: dict[str, set[frozenset[str]]] = {}
        for one in known.load_evidence():
            for name, probed in one.attributes.items():
                if probed.types:
                    said.setdefault(name, set()).add(frozenset(probed.types))
        assert len(said) > 300
        assert {name: types for name, types in said.items() if len(types) > 1} == {}

    def test_every_fact_has_a_reason_and_an_attribute(self) -> None:
        assert known.load_facts().keys() <= self.names()
        assert all(fact.reason.strip() for fact in known.load_facts().values())

    def test_no_fact_says_what_a_probe_says_already(self) -> None:
        for name, fact in known.load_facts().items():
            said = [one.attributes[name] for one in known.load_evidence() if name in one.attributes]
            assert not any(probed.types for probed in said), name
            for what in ("readable", "writable"):
                if getattr(fact, what) is not None:
                    assert all(getattr(probed, what) is None for probed in said), (name, what)

    def test_every_attribute_of_every_release_is_explained(self) -> None:
        releases = 0
        for api in Store(MODELS).apis():
            enums = {
                enum.name: {member.name: member.value for member in enum.enumerators}
                for enum in api.enums
            }
            names = enums["cudnnBackendAttributeName_t"]
            owner = enums["cudnnBackendDescriptorType_t"]
            found = attributes(api.release, owner, names)
            assert [one.name for one in found if one.source == known.UNKNOWN] == []
            assert [one.name for one in found] == list(names)
            assert {one.owner for one in found} <= set(owner)
            assert {type_ for one in found for type_ in one.types} <= set(
                enums["cudnnBackendAttributeType_t"]
            )
            releases += 1
        assert releases > 30
