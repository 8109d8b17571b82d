"""Arguments of wrong kinds to functions for graphs, choices and files: the error names the argument,
what is expected and what it got."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cudnn_cffi import api, choice, errata, errors, explain, graph, library, load_network, repro
from cudnn_cffi._kept import store
from cudnn_cffi._support import files
from cudnn_cffi._support.arguments import path_of
from cudnn_cffi.choice import database
from cudnn_cffi.choice.filters import MODES, listed

pytestmark = pytest.mark.usefixtures("cudnn")


class NoPath:
    def __fspath__(self) -> object:
        return 3


NO_PATHS: tuple[Any, ...] = (None, 3, True, float("nan"), ["x"], NoPath(), "a\0b", "\ud800", object)
NO_TEXTS: tuple[Any, ...] = (3, True, b"x", ["x"], {}, Path("x"), object)
NO_MAPPINGS: tuple[Any, ...] = (3, True, float("nan"), "x", b"x", ["x"], Path("x"), object)


def product() -> graph.Graph:
    g = graph.Graph("g", io_data_type="HALF")
    g.output(g.matmul(g.tensor((2, 8, 16), name="a"), g.tensor((2, 16, 8), name="b")), name="y")
    return g


def to_repro(**changes: Any) -> object:
    return repro(**{"subject": product(), "path": "r.py", "device": "H200"} | changes)


#: Calls with one argument, what they say is expected, and values that they refuse.
CALLS: dict[str, tuple[Callable[[Any], object], str, tuple[Any, ...]]] = {
    "explain, libraries": (
        lambda v: explain(product(), device="H200", libraries=v),
        "libraries: expected a list of files, got",
        (None, 3, True, "x", b"x", Path("x"), object),
    ),
    "explain, a library": (
        lambda v: explain(product(), device="H200", libraries=[v]),
        "libraries: expected a path, got",
        NO_PATHS,
    ),
    "repro, path": (lambda v: to_repro(path=v), "path: expected a path, got", NO_PATHS),
    "repro, knobs": (lambda v: to_repro(engine=0, knobs=v), "knobs: expected values", NO_MAPPINGS),
    "repro, data": (lambda v: to_repro(data=v), "data: expected kinds or numbers", NO_MAPPINGS),
    "repro, note": (lambda v: to_repro(note=v), "note: expected a text, got", (None, *NO_TEXTS)),
    "build, knobs": (
        lambda v: product().build(device="H200", engine=0, knobs=v),
        "knobs: expected values by the names of knobs, got",
        NO_MAPPINGS,
    ),
    "candidates, knobs": (
        lambda v: product().candidates(device="H200", engine=0, knobs=v),
        "knobs: expected values by the names of knobs, got",
        NO_MAPPINGS,
    ),
    "build, kernel_cache": (
        lambda v: product().build(device="H200", kernel_cache=v),
        "kernel_cache: expected a KernelCache, got",
        (3, True, "x", {}, object),
    ),
    "build, modes": (
        lambda v: product().build(device="H200", modes=iter(v)),
        "modes: expected a sequence, got",
        (["A"], ("A", "B"), []),
    ),
    "errata.records, subject": (
        lambda v: errata.records(subject=v), "subject: expected a text, got", NO_TEXTS,
    ),
    "errata.records, kind": (
        lambda v: errata.records(kind=v), "kind: expected one of", NO_TEXTS,
    ),
    "errata.get": (errata.get, "there is no erratum", (None, *NO_TEXTS)),
    "errata.off": (errata.off, "there is no erratum", (None, *NO_TEXTS)),
    "errata.releases_of": (errata.releases_of, "expected a Record", (None, *NO_TEXTS)),
    "errata.save, a record": (
        lambda v: errata.save("o.json", [v]), "expected a Record", (None, *NO_TEXTS),
    ),
    "errata.save, records": (
        lambda v: errata.save("o.json", v), "expected a Record", (3, True, "x", object),
    ),
    "errata.save, path": (errata.save, "path: expected a path, got", NO_PATHS),
    "errata.load": (errata.load, "path: expected a path, got", NO_PATHS),
    "database.load": (database.load, "path: expected a path, got", NO_PATHS),
    "database.read": (database.read, "path: expected a path, got", NO_PATHS),
    "choice.load": (choice.load, "path: expected a path, got", NO_PATHS),
    "choice.save": (choice.save, "path: expected a path, got", NO_PATHS),
    "choice.adopt": (choice.adopt, "source: expected a path, got", NO_PATHS),
    "load_network": (load_network, "path: expected a path, got", NO_PATHS),
    "library.search": (
        lambda v: [*library.locate.search(v)], "path: expected a path, got", NO_PATHS[1:],
    ),
    "DeviceProperties": (
        choice.DeviceProperties, "device: expected a path, got", (NoPath(), Path("a\0b.json")),
    ),
    "Store": (api.Store, "folder: expected a path, got", (NoPath(), "a\0b")),
    "Policy.parse": (choice.Policy.parse, "expected a policy as text, got", (None, *NO_TEXTS)),
    "concatenate": (
        lambda v: graph.Graph().concatenate(v, 0),
        "concatenate: expected a tensor at least, got none",
        ((), [], iter(())),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_wrong_kinds(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    call, said, values = CALLS[name]
    for value in values:
        with pytest.raises(errors.ArgumentError) as caught:
            call(value)
        assert said in str(caught.value), value
    assert not [*tmp_path.iterdir()], "nothing is written"


def test_paths_of_all_kinds(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"content")
    for each in (path, str(path), bytes(path)):
        assert path_of(each) == path
        assert files.read(each) == b"content"  # type: ignore[arg-type]


def test_modes_in_all_forms() -> None:
    assert listed(MODES) is MODES
    assert listed("B") == ("B",)
    assert listed(["B", "A"]) == ["B", "A"]


def test_a_key_of_any_text_has_a_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys have arguments that are refused only when cuDNN is asked."""
    with pytest.raises(errors.ArgumentError, match="mode"):
        product().build(device="H200", modes=("\ud800",))  # type: ignore[arg-type]
    monkeypatch.setenv(store.VARIABLE, str(tmp_path))
    places = {store.place("x", key, ".y") for key in ("\ud800", "?")}
    assert None not in places
    assert len(places) == 2
