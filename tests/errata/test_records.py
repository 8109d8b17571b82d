"""The records of the package, and files of users: without a library."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from cudnn_cffi import errata, errors
from cudnn_cffi.errata import asks, files, table
from cudnn_cffi.errata.conditions import CONDITIONS

from tests.errata.states import put_back

#: Names of knobs are those of the library that is loaded.
pytestmark = pytest.mark.usefixtures("cudnn")

PACKAGE = files.read_package(table.PATH)


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    before = table.state()
    yield
    put_back(before)


def names(module: Any) -> list[str]:
    return [each.id for each in module]


# The package's file


def test_each_record_has_an_id_of_its_own() -> None:
    ids = names(PACKAGE)
    assert len(ids) == len(set(ids)) >= 60
    assert all(each == each.lower() and " " not in each for each in ids)


@pytest.mark.parametrize("record", PACKAGE, ids=lambda each: each.id)
def test_a_record_is_valid(record: errata.Record) -> None:
    """It passes the checks of users' files, and has what errors and pages tell."""
    if record.scope != "graph":
        known = {each.id: each for each in PACKAGE}
        document = {
            "schema": files.SCHEMA,
            "version": files.VERSION,
            "records": [files.to_dict(record)],
        }
        del known[record.id]
        if record.scope == "function":
            known["same"] = record._replace(id="same")
        (read,) = files.of_document(document, "it", known, CONDITIONS).values()
        assert read._replace(own=False) == record
    assert record.kind in errata.KINDS
    assert record.symptom
    assert record.evidence
    assert (record.source == "seen here") is record.verified
    assert record.shows or not record.verified, "what shows it"
    if record.knobs and record.verified:
        shown = record.shows["knobs"]
        assert shown.keys() == record.knobs.keys(), "the engine shows it with these values"


def test_each_condition_is_of_a_record() -> None:
    used = {(each.scope, each.where) for each in PACKAGE if isinstance(each.where, str)}
    assert used == {(scope, name) for scope, several in CONDITIONS.items() for name in several}


def test_reported_ones_name_their_thread_and_avoid_nothing_by_default() -> None:
    for each in PACKAGE:
        if not each.verified:
            assert "/" in each.source, each.id
            assert not each.avoided, each.id


@pytest.mark.parametrize(
    "record", [each for each in PACKAGE if "call" in each.shows], ids=lambda each: each.id
)
def test_a_call_shows_a_record_of_functions(record: errata.Record) -> None:
    rows = list(table.rows_of(record))
    assert all(each.applies(record.shows["call"]) for each in rows)
    number = record.first or record.last or 91900
    for name in record.subjects:
        assert record.id in names(asks.errata_of(name, record.shows["call"], release=number))  # type: ignore[arg-type]
        with errata.off(record.id):
            assert record.id not in names(
                asks.errata_of(name, record.shows["call"], release=number)  # type: ignore[arg-type]
            )


# Switches


def test_switches_end_with_their_block() -> None:
    name = PACKAGE[0].id
    with errata.off(name):
        assert not errata.is_on(name)
        with errata.on(name):
            assert errata.is_on(name)
        assert not errata.is_on(name)
    assert errata.is_on(name)
    errata.off(name)
    assert name not in names(errata.records(on=True))
    assert name in names(errata.records(on=False))


def test_blocks_end_in_any_order() -> None:
    one, other = PACKAGE[0].id, PACKAGE[1].id
    first, second, third = errata.off(one), errata.off(other), errata.off(one)
    first.__exit__(None, None, None)
    assert (errata.is_on(one), errata.is_on(other)) == (False, False), "the third holds"
    third.__exit__(None, None, None)
    assert (errata.is_on(one), errata.is_on(other)) == (True, False)
    errata.off(one)
    second.__exit__(None, None, None)
    assert (errata.is_on(one), errata.is_on(other)) == (False, True), "no block ends that"


def test_switches_that_nothing_ends_take_no_memory() -> None:
    for _ in range(3):
        for each in PACKAGE[:3]:
            errata.off(each.id)
            errata.on(each.id)
    assert len(table._switches) == 2
    assert all(errata.is_on(each.id) for each in PACKAGE[:3])


def test_a_switch_needs_a_record() -> None:
    with pytest.raises(errors.ArgumentError, match="there is no erratum 'matmul-odd'") as caught:
        errata.off(PACKAGE[0].id, "matmul-odd")
    assert "matmul-odd-rows" in caught.value.hint
    assert errata.is_on(PACKAGE[0].id), "nothing is switched"


def test_what_remembers_choices_is_told() -> None:
    from cudnn_cffi.choice.store import choices

    before = choices.generation
    errata.off(PACKAGE[0].id)
    assert choices.generation > before


def test_records_are_filtered() -> None:
    found = errata.records(subject="Matmul", kind="NaN")
    assert found
    assert all("Matmul" in each.subjects[0] and each.kind == "NaN" for each in found)
    with pytest.raises(errors.ArgumentError, match="expected one of wrong numbers"):
        errata.records(kind="nan")  # type: ignore[arg-type]
    given: Any
    for given in ({"verified": "no"}, {"on": "no"}):
        with pytest.raises(errors.ArgumentError, match="expected True or False, got 'no'"):
            errata.records(**given)


@pytest.mark.parametrize(
    ("word", "subjects"),
    [
        ("convolution", {"ConvolutionForward", "ConvolutionBackwardData", "fused convolution"}),
        ("CONVOLUTION_BACKWARD_DATA", {"ConvolutionBackwardData"}),
        ("sdpa_fwd", {"SDPAFwd"}),
        ("attention", {"attention", "attention_backward", "attention scale"}),
        ("cudnnPooling", {"cudnnPoolingBackward"}),
    ],
)
def test_a_word_finds_all_records_that_it_begins(word: str, subjects: set[str]) -> None:
    """Nobody who looks for the errors of an operation has to know how records name it."""
    found = errata.records(subject=word)
    assert {name for each in found for name in each.subjects} >= subjects


def test_an_unknown_subject_is_not_one_without_errors() -> None:
    with pytest.raises(errors.ArgumentError, match="no erratum is about 'convolutoin'") as refused:
        errata.records(subject="convolutoin")
    assert "ConvolutionForward" in refused.value.hint
    assert errata.records(subject="cudnnCreate") == ()


# Users' files

GOOD: dict[str, Any] = {
    "id": "mine",
    "operation": "ConvolutionForward",
    "engines": [5],
    "knobs": {"SPLIT_K": 2},
    "where": {
        "with": ["Pointwise RELU_FWD"],
        "tensors": {
            "x": {"data_type": ["HALF"], "shape": [-1, {"modulo": 8, "is_not": 0}, -1, -1]}
        },
    },
    "releases": {"from": "9.23.0", "before": "9.24.0"},
    "architectures": ["8.6"],
    "kind": "not deterministic",
    "symptom": "bits differ",
}
RULE: dict[str, Any] = {
    "rule_id": "ConvFwd_eng42",
    "operation": "ConvFwd_Add_ReluFwd",
    "engine": 42,
    "knob": ["k2=1", "k4=3"],
    "cudnn_version_start": 8000,
    "cudnn_version_end": -1,
    "input_shape": [-1, 32, 128, 128],
    "shape_format": "NCHW",
    "arch": "sm_80",
}


def written(path: Path, *records: Any, **document: Any) -> Path:
    version = files.VERSION
    whole = {"schema": files.SCHEMA, "version": version, "records": list(records), **document}
    path.write_text(json.dumps(whole), encoding="utf-8")
    return path


def test_a_file_is_added_and_written_again(tmp_path: Path) -> None:
    (record,) = errata.load(written(tmp_path / "a.json", GOOD))
    assert record.own
    assert errata.is_on("mine")
    assert (record.first, record.last, record.architectures) == (92300, 92399, ((8, 6),))
    errata.save(tmp_path / "b.json")
    again = files.of_document(json.loads((tmp_path / "b.json").read_text()), "b", {}, CONDITIONS)
    assert again["mine"] == record
    with pytest.raises(errors.ErrataError, match="there is another record 'mine'"):
        errata.load(tmp_path / "b.json")


def test_the_first_version_has_single_values_of_knobs(tmp_path: Path) -> None:
    assert errata.load(written(tmp_path / "a.json", GOOD, version=1))
    row = {**GOOD, "id": "bounds", "knobs": {"SPLIT_K": {"above": 2}}}
    with pytest.raises(errors.ErrataError, match="version 1 has single values; expected version 2"):
        errata.load(written(tmp_path / "b.json", row, version=1))
    (record,) = errata.load(written(tmp_path / "c.json", row))
    assert errata.is_on("bounds")
    with pytest.raises(errors.ErrataError, match="the front end's rules cannot express it"):
        errata.save(tmp_path / "d.json", [record], format="frontend")


def without(name: str) -> dict[str, Any]:
    return {key: value for key, value in GOOD.items() if key != name}


def test_an_id_that_another_thread_added_meanwhile_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "a.json", {**GOOD, "id": "meanwhile"})
    late = files.added(path, table.state().records, CONDITIONS)
    errata.load(path)
    with pytest.raises(errors.ErrataError, match="another record 'meanwhile'"):
        table.add(late)


WRONG: dict[str, tuple[Any, str]] = {
    "an unknown field": ({**GOOD, "engnies": [1]}, "there is no field 'engnies'"),
    "another type": ({**GOOD, "engines": 5}, '"engines": got 5'),
    "no id": (without("id"), 'expected "id"'),
    "no symptom": (without("symptom"), 'expected a "symptom"'),
    "no engine": ({**GOOD, "engines": []}, '"engines": expected indices'),
    "a negative engine": ({**GOOD, "engines": [-1]}, '"engines": expected indices'),
    "an engine that no graph has": (
        {**GOOD, "engines": [5, 9999]},
        "it matches nothing: no graph has the engine 9999",
    ),
    "an unknown operation": (
        {**GOOD, "operation": "Convolve"},
        "matches nothing: there is no oper",
    ),
    "an operation as graphs name it": (
        {**GOOD, "operation": "convolution_forward"},
        "no operation 'convolution_forward'; did you mean ConvolutionForward?",
    ),
    "an unknown mode": (
        {**GOOD, "where": {"with": ["Pointwise RELU"]}},
        "matches nothing: no PointwiseMode is 'RELU'; did you mean RELU_FWD?",
    ),
    "an unknown option": (
        {**GOOD, "where": {"options": {"mod": "TANH_FWD"}}},
        "matches nothing: there is no option 'mod'",
    ),
    "an unknown tensor": (
        {**GOOD, "where": {"tensors": {"q": {"rank": 4}}}},
        "matches nothing: ConvolutionForward has no tensor 'q'",
    ),
    "an unknown data type": (
        {**GOOD, "where": {"tensors": {"x": {"data_type": ["HALF", "HLAF"]}}}},
        "matches nothing: no DataType is 'HLAF'; did you mean HALF?",
    ),
    "an unknown operation beside": (
        {**GOOD, "where": {"with": ["Relu"]}},
        "matches nothing: there is no operation 'Relu'",
    ),
    "an unknown knob": (
        {**GOOD, "knobs": {"SPLIT": 1}},
        "matches nothing: there is no knob 'SPLIT'",
    ),
    **{
        f"a knob of {constraint}": ({**GOOD, "knobs": {"SPLIT_K": constraint}}, text)
        for constraint, text in (
            ("2", "SPLIT_K: expected an integer, a list of them or bounds, got '2'"),
            (True, "expected an integer, a list of them or bounds, got True"),
            ([1, "2"], "SPLIT_K: expected integers, got [1, '2']"),
            ([], "it matches nothing: an empty list"),
            ({}, "expected some of from, to"),
            ({"over": 2}, "expected some of from, to"),
            ({"above": 3, "below": 4}, "it matches nothing"),
            ({"above": "3"}, "expected integers, got "),
            ({"none_of": []}, '"none_of": expected a list of integers, got []'),
            ({"none_of": 2}, '"none_of": expected a list of integers, got 2'),
            ({"none_of": ["2"]}, "expected integers, got "),
        )
    },
    "an unknown kind": ({**GOOD, "kind": "odd"}, '"kind": expected wrong numbers'),
    "no release": (
        {**GOOD, "releases": {"from": "9.2.0", "before": "9.2.0"}},
        'matches nothing: "before" is no later than "from"',
    ),
    "a release": ({**GOOD, "releases": {"from": "9.2"}}, '"releases": expected such as "9.10.0"'),
    "an architecture": (
        {**GOOD, "architectures": ["90"]},
        '"architectures": expected such as "9.0"',
    ),
    "a condition": ({**GOOD, "where": "moon"}, "there is no condition 'moon'"),
    "a key": ({**GOOD, "where": {"tensor": {}}}, '"tensor": expected operations, with'),
    "a fact": ({**GOOD, "where": {"tensors": {"x": {"dtype": "HALF"}}}}, '"x": expected some of'),
    "an empty range": (
        {**GOOD, "where": {"tensors": {"x": {"alignment": {"from": 8, "below": 8}}}}},
        "it matches nothing",
    ),
    "an empty list": ({**GOOD, "where": {"options": {"mode": []}}}, "it matches nothing"),
    **{
        f"a condition of {where}": ({**GOOD, "where": where}, text)
        for where, text in (
            ({"operations": []}, '"operations": it matches nothing'),
            ({"operations": 5}, '"operations": expected a list of operations, got 5'),
            ({"with": None}, '"with": expected a list of operations, got None'),
            ({"without": ["Matmull"]}, "there is no operation 'Matmull'; did you mean Matmul?"),
            ({"without": ["ConvolutionForward"]}, "matches nothing: without 'ConvolutionForward'"),
            ({"with": ["Matmul"], "without": ["Matmul"]}, "matches nothing: without 'Matmul'"),
            ({"alone": 0}, '"alone": expected true or false, got 0'),
            ({"tensors": {"x": {"shape": []}}}, '"x": "shape": expected a list of extents, got []'),
            ({"tensors": {"x": {"shape": ["3"]}}}, '"x": expected an integer, a list of them'),
            ({"tensors": {"x": {"rank": "4"}}}, '"x": expected an integer, a list of them'),
            ({"tensors": {"x": {"rank": {"modulo": 2, "is": 2}}}}, '"x": it matches nothing'),
        )
    },
    "a mode of its own": (
        {**GOOD, "operation": "Pointwise", "where": {"options": {"mode": "TANH"}}},
        "matches nothing: no PointwiseMode is 'TANH'; did you mean",
    ),
    "a graph as text": ({**GOOD, "shows": {"graph": "x"}}, '"shows": expected some of call, data'),
    "a part that nothing reads": ({**GOOD, "shows": {"grph": {}}}, "got grph={}"),
    "many digits": ({**GOOD, "architectures": [f"{'9' * 5000}.0"]}, '"architectures": expected'),
    "no function": (
        {"id": "f", "functions": [], "symptom": "s"},
        'it matches nothing: "functions" is empty',
    ),
    "a function": (
        {"id": "f", "functions": ["cudnnCreate"], "symptom": "s"},
        "matches nothing: 'cudnnCreate' is not asked about",
    ),
    "a group of graphs": ({"id": "g", "graphs": "all", "symptom": "s"}, "only the package has"),
    "no object": (7, "expected an object, got int"),
    "a rule of another form": (RULE, "there is no field 'rule_id'"),
}


@pytest.mark.parametrize("name", WRONG)
def test_nothing_of_a_damaged_file_is_used(tmp_path: Path, name: str) -> None:
    row, text = WRONG[name]
    path = written(tmp_path / "a.json", {**GOOD, "id": "good"}, row)
    before = table.state()
    with pytest.raises(errors.ErrataError) as caught:
        errata.load(path)
    assert text in caught.value.message, caught.value.message
    assert f"{path}: records[1]" in caught.value.message
    assert table.state() is before


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("", "expected JSON"),
        ("{", "expected JSON"),
        ("[" * 100000, "expected JSON"),
        ("[]", "expected an object, got list"),
        ("{}", '"schema": expected "cudnn_cffi.errata"'),
        ('{"version": 2, "rules": []}', "expected version 1, got 2"),
        (
            '{"schema": "cudnn_cffi.errata", "version": 3, "records": []}',
            "expected version 1 or 2, got 3",
        ),
        (
            '{"schema": "cudnn_cffi.errata", "version": true, "records": []}',
            "expected version 1 or 2, got True",
        ),
        ('{"version": 1, "rules": {}}', 'expected a list of "rules"'),
        ('{"version": 1, "rules": [], "more": 1}', "there is no field 'more'"),
    ],
)
def test_a_file_of_something_else(tmp_path: Path, content: str, text: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(errors.ErrataError) as caught:
        errata.load(path)
    assert text in caught.value.message


def test_the_environment_names_files(tmp_path: Path, run: Callable[..., Any]) -> None:
    written(tmp_path / "a.json", GOOD)
    (tmp_path / "b.json").write_text("{", encoding="utf-8")
    code = """
        from cudnn_cffi import errata, errors
        try:
            print(errata.is_on("mine"))
        except errors.ErrataError as error:
            print(error.message)
        """
    good = run(code, CUDNN_CFFI_ERRATA=str(tmp_path / "a.json"))
    assert good.stdout.strip() == "True"
    bad = run(code, CUDNN_CFFI_ERRATA=f"{tmp_path / 'a.json'}:{tmp_path / 'b.json'}")
    assert "b.json: expected JSON" in bad.stdout
    missing = run(code, CUDNN_CFFI_ERRATA=str(tmp_path / "c.json"))
    why = f"CUDNN_CFFI_ERRATA: {tmp_path / 'c.json'} cannot be read: No such file or directory"
    assert missing.stdout.strip() == why


def test_an_import_reads_no_errata(run: Callable[..., Any]) -> None:
    run(
        """
        import sys
        import cudnn_cffi
        assert "cudnn_cffi.errata" not in sys.modules
        import cudnn_cffi.ops
        from cudnn_cffi.errata import table
        assert table.current is None, "the file is read on first use"
        """
    )


# The front end's files


def test_rules_are_read_and_written_again(tmp_path: Path) -> None:
    first, second = tmp_path / "a.json", tmp_path / "b.json"
    rules = [
        RULE,
        {"rule_id": "avoid", "operation": "ConvBwdData", "engine": 12, "cudnn_version_start": 8000,
         "cudnn_version_end": 9000},
        {"rule_id": "last", "operation": "ConvBwdFilter", "engine": 1, "knob": [],
         "filter_shape": [-1, -1, 5, 5], "input_shape": [1, 2, 3, 4], "shape_format": "NHWC"},
    ]  # fmt: skip
    first.write_text(json.dumps({"version": 1, "rules": rules}), encoding="utf-8")
    found = {each.id: each for each in errata.load(first)}
    record = found["ConvFwd_eng42"]
    assert record.where["operations"] == [  # type: ignore[index]
        "ConvolutionForward", "Pointwise ADD", "Pointwise RELU_FWD",
    ]  # fmt: skip
    assert len(record.knobs) == 2
    assert errata.is_on("ConvFwd_eng42")
    assert (found["avoid"].first, found["avoid"].last) == (8000, 8999)
    assert found["last"].where["tensors"] == {  # type: ignore[index]
        "x": {"shape": [1, 4, 2, 3]}, "dw": {"shape": [-1, -1, 5, 5]},
    }  # fmt: skip
    errata.save(second, format="frontend")
    again = files.added(second, {}, CONDITIONS)
    assert list(again.values()) == list(found.values())
    (rule,) = [each for each in json.loads(second.read_text())["rules"] if "knob" in each]
    assert rule == RULE


def test_knobs_of_tensorflow_are_an_object(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    rule = {**RULE, "knob": {"k2": "1", "k4": "3"}}
    path.write_text(json.dumps({"version": 1, "rules": [rule]}), encoding="utf-8")
    (record,) = errata.load(path)
    assert list(record.knobs.values()) == [1, 3]


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"operation": "ConvFwd_Glue"}, "matches nothing: no operation has the tag 'Glue'"),
        ({"knob": ["k999=1"]}, "matches nothing: no knob has the number 999"),
        ({"knob": ["tile=1"]}, 'expected such as "k2=4"'),
        ({"knob": [f"k2={'9' * 5000}"]}, 'expected such as "k2=4"'),
        ({"rule_id": ""}, 'expected an "id", or a "rule_id"'),
        ({"cudnn_version_end": 0}, "matches nothing"),
        ({"engine": "42"}, "\"engine\": got '42'"),
        ({"shape_format": "HWCN"}, '"shape_format": expected NCHW or NHWC'),
        ({"input_shape": [1, 2]}, '"input_shape": expected 4 extents'),
        ({"arch": "hopper"}, '"arch": expected such as "sm_90"'),
        ({"cudnn_version_start": 9000, "cudnn_version_end": 9000}, "matches nothing"),
        ({"rule": 1}, "there is no field 'rule'"),
    ],
)
def test_damaged_rules(tmp_path: Path, changes: dict[str, Any], text: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"version": 1, "rules": [{**RULE, **changes}]}), encoding="utf-8")
    with pytest.raises(errors.ErrataError) as caught:
        errata.load(path)
    assert text in caught.value.message, caught.value.message
    name = changes.get("rule_id", "ConvFwd_eng42")
    assert f"rules[0]{f' ({name})' * bool(name)}: " in caught.value.message


def test_rules_cannot_express_conditions_in_code(tmp_path: Path) -> None:
    with pytest.raises(errors.ErrataError, match="matmul-odd-rows: the front end's rules cannot"):
        errata.save(tmp_path / "a.json", [errata.get("matmul-odd-rows")], format="frontend")
    assert not (tmp_path / "a.json").exists()
    with pytest.raises(errors.ArgumentError, match="format: expected"):
        errata.save(tmp_path / "a.json", format="nvidia")  # type: ignore[arg-type]
