"""Choices in files: what is written, what is read again, what is refused, and who wins."""

from __future__ import annotations

import json
import multiprocessing
import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cudnn_cffi import choice, errors
from cudnn_cffi.choice.store import choices as book

Choice = choice.Choice


@pytest.fixture(autouse=True)
def empty() -> Iterator[None]:
    choice.forget()
    yield
    choice.forget()


def entry(operation: str = "convolution", **fields: Any) -> Any:
    made = Choice(
        operation, {"x": "float16[8, 4] NCHW"}, {"padding": 1}, {}, "a GPU", "9.12.0", "graph",
        engine=3, knobs={"TILE": 2},
    )  # fmt: skip
    return made._replace(**fields)


def test_a_file_has_what_was_noted_sorted_and_gives_it_back(tmp_path: Path) -> None:
    book.note(entry("softmax", engine=None, knobs={}, via="classic", algorithm="FAST"))
    book.note(entry(how="time", time=12.5, workspace=64))
    written = choice.save(tmp_path / "new" / "choices.json")
    document = json.loads((tmp_path / "new" / "choices.json").read_text())
    assert (document["schema"], document["version"]) == ("cudnn_cffi.choices", 1)
    assert [each["operation"] for each in document["choices"]] == ["convolution", "softmax"]
    assert document["choices"][0]["choice"] == {"via": "graph", "engine": 3, "knobs": {"TILE": 2}}
    assert document["choices"][1]["choice"] == {"via": "classic", "algorithm": "FAST"}
    choice.forget()
    assert not choice.choices()
    assert choice.load(tmp_path / "new" / "choices.json") == written == choice.choices()
    first = (tmp_path / "new" / "choices.json").read_bytes()
    choice.save(tmp_path / "new" / "choices.json")
    assert (tmp_path / "new" / "choices.json").read_bytes() == first
    assert [each.name for each in (tmp_path / "new").iterdir() if each.suffix == ".tmp"] == []


def test_what_counts_more_wins() -> None:
    slow, fast = entry(how="time", time=3.0, engine=1), entry(how="time", time=2.0, engine=2)
    guess, hand = entry(engine=4), entry(how="hand", engine=5)
    for order in ((slow, fast, guess), (guess, fast, slow), (fast, guess, slow)):
        assert [each.engine for each in choice.merge(choice.Choices(order))] == [2]
        assert [each.engine for each in choice.merge(choice.Choices((*order, hand)))] == [5]
    other = entry(device="another GPU")
    assert len(choice.merge(choice.Choices((slow, other)))) == 2
    book.note(fast)
    book.note(guess)
    book.note(slow)
    assert choice.choices()[0].engine == 2


def test_a_search_is_answered_by_what_fits_its_word() -> None:
    key = entry()
    assert book.search(key, "heuristic") is None
    book.note(entry(engine=7))
    assert book.search(key, "heuristic").engine == 7  # type: ignore[union-attr]
    assert book.search(key, "time") is None  # what was guessed is not timed
    book.note(entry(engine=8, how="time", time=1.0))
    assert book.search(key, "heuristic").engine == 8  # type: ignore[union-attr]
    assert book.search(key, "time").engine == 8  # type: ignore[union-attr]
    for field, value in (
        ("arrays", {"x": "float16[9, 4] NCHW"}), ("options", {"padding": 2}),
        ("settings", {"tf32": False}), ("device", "b"), ("release", "9.13.0"),
    ):  # fmt: skip
        assert book.search(key._replace(**{field: value}), "time") is None, field


def test_the_names_of_tensors_do_not_matter_to_graphs() -> None:
    one = entry("graph", arrays={"01": "y = relu(x)"}, options={"signature": "s"})
    book.note(one)
    assert book.search(one._replace(arrays={"01": "b = relu(a)"}), "heuristic") is not None


def test_a_list_goes_to_another_process_as_plain_values() -> None:
    book.note(entry(how="time", time=1.5))
    book.note(entry("softmax"))
    sent = choice.export()
    assert json.loads(json.dumps(sent)) == sent
    assert len(choice.export(timed=True)["choices"]) == 1
    for form in (sent, json.dumps(sent), json.dumps(sent).encode(), choice.choices()):
        choice.forget()
        assert len(choice.adopt(form)) == 2
        assert choice.choices()[0].time == 1.5


def test_files_of_several_processes_are_put_together(tmp_path: Path) -> None:
    path = tmp_path / "choices.json"
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_write, args=(str(path), i)) for i in range(4)]
    for each in workers:
        each.start()
    for each in workers:
        each.join()
        assert each.exitcode == 0
    names = [each.operation for each in choice.load(path)]
    assert names == sorted(f"op{i}{j}" for i in range(4) for j in range(5))
    assert len(choice.merge(path, choice.export(), into=tmp_path / "both.json")) == 20
    assert (tmp_path / "both.json").read_bytes() == path.read_bytes()
    choice.forget()
    assert not choice.save(path, replace=True)


def _write(path: str, number: int) -> None:
    for j in range(5):
        book.note(entry(f"op{number}{j}"))
        choice.save(path)


@pytest.mark.skipif(os.name == "nt", reason="modes and links are those of POSIX")
def test_a_file_has_the_mode_of_others_and_a_link_stays_one(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        path = tmp_path / "choices.json"
        choice.save(path)
        assert path.stat().st_mode & 0o777 == 0o640
        path.chmod(0o664)
        choice.save(path)
        assert path.stat().st_mode & 0o777 == 0o664
    finally:
        os.umask(before)
    link = tmp_path / "link.json"
    link.symlink_to(path)
    book.note(entry(engine=77))
    choice.save(link)
    assert link.is_symlink()
    assert len(choice.load(path)) == 1


def test_files_are_replaced_where_modes_cannot_be_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some file systems have one mode for all files, and refuse to set it."""
    path = tmp_path / "choices.json"
    choice.save(path)

    def refuse(*_: object) -> None:
        raise PermissionError("chmod")

    monkeypatch.setattr(Path, "chmod", refuse)
    book.note(entry(engine=77))
    assert len(choice.save(path)) == len(choice.load(path)) == 1


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"choice": {"engine": -1}}, "choice.engine: expected an index, got -1"),
        ({"choice": {"engin": 1}}, "there is no field 'engin'"),
        ({"choice": {"via": "graph"}}, "engine is missing"),
        ({"choice": {"via": "classic", "engine": 3}}, "there is no field 'engine'"),
        ({"choice": {"engine": 1, "knobs": {"T": "x"}}}, "choice.knobs"),
        ({"choice": {"via": "both", "engine": 1}}, "choice.via"),
        ({"choice": {"algorithm": 3}}, "choice.algorithm"),
        ({"how": "luck"}, "how: expected one of hand, time, heuristic, got 'luck'"),
        ({"time": "fast"}, "time: got 'fast'"),
        ({"time": float("nan")}, "time: expected a number from 0 on, got nan"),
        ({"time": 10**400}, "time: expected a number from 0 on"),
        ({"workspace": -1}, "workspace: expected a number from 0 on, got -1"),
        ({"arrays": None}, "arrays: got None"),
        ({"tiem": 1.0}, "there is no field 'tiem'"),
    ],
)
def test_a_damaged_entry_is_a_warning_that_names_it(
    tmp_path: Path, change: dict[str, Any], said: str
) -> None:
    book.note(entry())
    book.note(entry("softmax"))
    document: dict[str, Any] = choice.export()
    document["choices"][1] |= change
    (tmp_path / "f.json").write_text(json.dumps(document))
    choice.forget()
    with pytest.warns(RuntimeWarning, match=r"f\.json: choice 1 \(softmax\) is not used") as caught:
        assert [each.operation for each in choice.load(tmp_path / "f.json")] == ["convolution"]
    assert said in str(caught[0].message)


def test_an_entry_that_was_edited_needs_no_more_than_its_choice() -> None:
    book.note(entry(how="time", time=2.0))
    document: dict[str, Any] = choice.export()
    row = document["choices"][0]
    row["choice"] = {"engine": 5}
    del row["how"], row["time"]
    (found,) = choice.adopt(document)
    assert (found.engine, found.knobs, found.how, found.time) == (5, {}, "hand", None)
    assert book.search(found, "time") == found
    book.note(entry(how="time", time=0.1))  # a search later does not undo it
    assert choice.choices()[0].engine == 5


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "expected JSON"),
        ("[]", '"schema": expected "cudnn_cffi.choices"'),
        ('{"schema": "cudnn_cffi.choices", "version": 2}', "expected version 1, got 2"),
        ('{"schema": "cudnn_cffi.choices", "version": 1}', 'expected a list of "choices"'),
    ],
)
def test_what_is_no_file_of_choices_is_refused_and_stays(
    tmp_path: Path, text: str, said: str
) -> None:
    path = tmp_path / "f.json"
    path.write_text(text)
    for call in (choice.load, choice.save, choice.merge):
        with pytest.raises(errors.ArgumentError) as caught:
            call(path)
        assert said in str(caught.value)
        assert str(path) in str(caught.value)
    assert path.read_text() == text
    with pytest.raises(FileNotFoundError):
        choice.load(tmp_path / "missing")


def test_a_refused_entry_is_named_once() -> None:
    error = errors.NotSupportedError("no such engine\nmore")
    with pytest.warns(RuntimeWarning, match=r"engine 77 .* convolution\(x float16\[8, 4\] NCHW\)"):
        book.refused(entry(engine=77), error)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        book.refused(entry(engine=77), error)
    with pytest.warns(RuntimeWarning, match="engine 78 .* with tf32=False is not used: no such"):
        book.refused(entry(engine=78, settings={"tf32": False}), error)


def test_lists_print_as_tables() -> None:
    book.note(entry(how="time", time=2.0, workspace=1 << 20))
    text = repr(choice.choices())
    assert "engine 3 (TILE=2)" in text
    assert "2.00" in text
    assert "<table>" in choice.choices()._repr_html_()
    assert json.loads(choice.choices().to_json())[0]["device"] == "a GPU"
