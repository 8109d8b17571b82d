"""The commands as a user meets them: what they print, and what they exit with."""

from __future__ import annotations

import csv
import errno
import io
import json
import os
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import cudnn_cffi.api
import jsonschema
import pytest
from cudnn_cffi.api import cli, diff, history, store
from cudnn_cffi.api.model import Release, encode, encode_releases, version_key

from tests.api.models import api, enum, function
from tests.conftest import python_path

ROOT = Path(__file__).parents[2]

#: Enumerators of cudaLibraryPropertyType, which are CUDA's.
VERSION_WORDS = {"MAJOR_VERSION", "MINOR_VERSION", "PATCH_LEVEL"}

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command; gives its status and what it wrote to stdout and stderr."""

    def call(*arguments: str | Path) -> tuple[int, str, str]:
        try:
            status = cli.main([str(argument) for argument in arguments])
        except SystemExit as error:  # argparse refuses what it does not know
            status = int(error.code or 0)
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return call


def refused(result: tuple[int, str, str]) -> str:
    """The one line with which a command says that it cannot answer."""
    status, out, error = result
    assert status == 2
    assert out == ""
    assert error.startswith("error: ")
    assert error.count("\n") == 1
    return error


# diff


def test_a_patch_release_that_renumbers(run: Run) -> None:
    status, out, _ = run("diff", "9.10.0", "9.10.1")
    assert status == 1
    assert out.count("BREAKING enumerator-value-changed [abi]") == 5
    assert "CUDNN_BACKEND_OPERATION_EXPAND_BAND_MATRIX_DESCRIPTOR 36 -> 39" in out
    assert out.endswith("-> exit 1\n")


def test_releases_with_one_api_are_compared_and_equal(run: Run) -> None:
    status, out, _ = run("diff", "9.10.1", "9.10.2")
    assert status == 0
    assert "compared 220 functions" in out
    assert "share one API, first seen in 9.10.1" in out


def test_a_release_may_be_a_build_a_minor_or_the_latest(run: Run) -> None:
    newest = store().releases()[-1]
    for name in ("latest", newest.build, newest.version.rpartition(".")[0], "v" + newest.version):
        assert f"-> {newest.version}" in run("diff", "9.0.0", name)[1]
    for number, version in ((90000, "9.0.0"), (8907, "8.9.7"), (91001, "9.10.1")):
        assert f"cuDNN {version} ->" in run("diff", str(number), "9.28.0")[1]


def test_nothing_newer_than_the_latest_is_no_error(run: Run) -> None:
    newest = store().releases()[-1].version
    for sides in ((newest, "latest"), ("latest", newest), ("latest", "latest")):
        status, out, _ = run("diff", *sides)
        assert (status, out.splitlines()[1]) == (0, "the same release")


def test_older_to_newer_and_back(run: Run) -> None:
    for sides, rule in ((("8.9.7", "9.0.0"), "func-removed"), (("9.0.0", "8.9.7"), "func-added")):
        found = json.loads(run("diff", *sides, "-f", "json")[1])["findings"]
        assert "cudnnSetRNNDescriptor_v6" in [f["name"] for f in found if f["rule"] == rule]


@pytest.mark.parametrize(
    ("options", "status"),
    [
        ((), 0),
        (("--fail-on", "risk"), 0),
        (("--fail-on", "added"), 1),
        (("--fail-on", "never"), 0),
    ],
)
def test_fail_on(run: Run, options: tuple[str, ...], status: int) -> None:
    assert run("diff", "9.10.2", "9.11.0", *options)[0] == status


def test_axis(run: Run) -> None:
    assert run("diff", "9.10.0", "9.10.1", "--axis", "source")[0] == 0
    assert run("diff", "9.10.0", "9.10.1", "--axis", "source", "--axis", "abi")[0] == 1
    _, out, _ = run("diff", "9.10.0", "9.10.1", "--axis", "abi", "-f", "json")
    assert {axis for f in json.loads(out)["findings"] for axis in f["axes"]} == {"abi"}


def test_output_goes_to_a_file_whole(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "report.md"
    status, out, _ = run("diff", "9.10.0", "9.10.1", "-f", "markdown", "-o", path)
    assert (status, out) == (1, "")
    assert path.read_text().startswith("# cuDNN 9.10.0 → 9.10.1\n")
    assert list(tmp_path.iterdir()) == [path]


def test_output_goes_to_the_file_that_a_link_leads_to(run: Run, tmp_path: Path) -> None:
    real, link = tmp_path / "kept" / "report.md", tmp_path / "report.md"
    real.parent.mkdir()
    real.write_text("of last week")
    real.chmod(0o640)
    link.symlink_to(real)
    assert run("diff", "9.10.0", "9.10.1", "-f", "markdown", "-o", link)[0] == 1
    assert link.is_symlink()
    assert "9.10.1" in real.read_text()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert [path.name for path in real.parent.iterdir()] == ["report.md"]


def test_output_goes_into_what_is_no_file(run: Run, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()), daemon=True)
    reader.start()
    assert run("diff", "9.10.0", "9.10.1", "-f", "json", "-o", pipe)[0] == 1
    reader.join(10)
    assert json.loads(read[0])["findings"]
    assert pipe.is_fifo()


def test_suppressions_are_counted_and_unused_ones_told(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "accepted.toml"
    path.write_text(
        '[[suppress]]\nrule = "enumerator-value-changed"\nname = "CUDNN_BACKEND_*"\n'
        'reason = "rebuilt"\n[[suppress]]\nname = "cudnnNever"\nreason = "an old story"\n'
    )
    status, out, _ = run("diff", "9.10.0", "9.10.1", "--suppressions", path)
    assert status == 0
    assert "5 suppressed -> exit 0" in out
    assert "unused suppression: rule *, name cudnnNever (an old story)" in out


def test_uses_narrows_to_the_code_at_hand(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("int x = CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR;\n")
    status, out, _ = run("diff", "9.10.0", "9.10.1", "--uses", tmp_path)
    assert status == 1
    assert f"{tmp_path}/a.c:1: CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR" in out
    assert "1 breaking" in out
    (tmp_path / "a.c").write_text("int x = CUDNN_BACKEND_TENSOR_DESCRIPTOR;\n")
    status, out, _ = run("diff", "9.10.0", "9.10.1", "--uses", tmp_path)
    assert status == 0
    assert "nothing that this code uses has changed" in out


def test_all_steps(run: Run) -> None:
    status, out, _ = run("diff", "--all")
    assert status == 1
    assert out.count("Summary: ") == len(store().releases()) - 1
    status, out, _ = run("diff", "--all", "-f", "json", "--fail-on", "never")
    assert status == 0
    assert len(json.loads(out)) == len(store().releases()) - 1
    assert run("diff", "--all", "-f", "markdown")[1].startswith("# API changes\n")


def test_all_steps_tell_a_suppression_that_no_step_needs(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "accepted.toml"
    path.write_text(
        '[[suppress]]\nname = "CUDNN_KNOB_TYPE_COUNTS"\nreason = "unused here"\n'
        '[[suppress]]\nname = "cudnnNever"\nreason = "an old story"\n'
    )
    _, out, _ = run("diff", "--all", "--suppressions", path)
    assert out.count("unused suppression: ") == 1


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("9.10.0",), "give two releases, or --headers DIR in place of one; got 1"),
        (("9.0.0", "9.1.0", "9.2.0"), "got 3"),
        (("9.0.0", "9.0.0"), "9.0.0 twice"),
        (("9.28.0", "9.28.0.42"), "9.28.0 twice"),
        (("9.0.0", "9.10"), "could be 9.10.0, 9.10.1, 9.10.2, whose APIs differ"),
        (("9.0.0", "9.10.3"), "unknown release '9.10.3': near it are 9.10.0, 9.10.1, 9.10.2"),
        (("9.0.0", "10.0"), "unknown release '10.0': near it are 9.26.1, 9.27.0, 9.28.0, 9.28.1"),
        (("9.0.0", "7.6"), "unknown release '7.6': near it are 8.5.0, 8.6.0, 8.7.0, 8.8.0"),
        (("9.0.0", "99999"), "unknown release '99999': near it are 9.26.1"),
        (("9.0.0", "nine"), "unknown release 'nine': known are 8.5.0 to 9.28.1"),
        (("9.0.0", ""), "unknown release ''"),
        (("9.0.0", str(ROOT)), f"write --headers {ROOT}"),
        (("9.0.0", "--headers", "nowhere"), "no such folder"),
        (("9.0.0", "9.1.0", "--suppressions", "nowhere"), "nowhere: cannot be read"),
        (("9.0.0", "9.1.0", "--uses", "nowhere"), "no such file or folder"),
        (("9.0.0", "9.1.0", "-o", "nowhere/report"), "cannot be written"),
        (("9.0.0", "9.1.0", "-o", f"{__file__}/report"), "cannot be written"),
        (("9.0.0", "9.1.0", "-o", "."), "cannot be written"),
        (("--all", "9.0.0"), "give no release or path"),
        (("--all", "-f", "sarif"), "written as text, json or markdown"),
    ],
)
def test_what_cannot_be_compared(run: Run, arguments: tuple[str, ...], complaint: str) -> None:
    assert complaint in refused(run("diff", *arguments))


def test_releases_after_uses_are_missed(run: Run) -> None:
    assert "put them before --uses" in refused(run("diff", "--uses", "src", "9.0.0", "9.1.0"))


def test_an_unknown_option_is_refused(run: Run) -> None:
    assert run("diff", "9.0.0", "9.1.0", "--format", "pdf")[0] == 2


# Folders of headers


class Generator:
    """Stands in for the generator, which reads folders of headers."""

    class ParseError(Exception):
        pass


@pytest.fixture
def headers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder that the generator reads as an API with a function that no release has."""
    import types

    module = types.ModuleType("generator.pipeline")
    Generator.ParseError.__module__ = "generator.read.parse"

    def api_from_folder(folder: Path) -> object:
        if folder.name == "broken":
            raise Generator.ParseError("cudnn.h:3: expected ';'")
        return api("9.99.0", functions=(function("cudnnBrandNew"),)), ["cudnnLog: it is left out"]

    module.api_from_folder = api_from_folder  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "generator.pipeline", module)
    for name in ("one", "two", "broken"):
        (tmp_path / name).mkdir()
    return tmp_path


def test_headers_take_the_place_of_the_new_or_of_the_old_side(run: Run, headers: Path) -> None:
    _, out, _ = run("diff", "9.28.0", "--headers", headers / "one")
    assert out.startswith(f"cuDNN 9.28.0 -> 9.99.0 ({headers}/one)")
    assert "func-added" in out
    assert f"note: 9.99.0 ({headers}/one): cudnnLog: it is left out" in out
    _, out, _ = run("diff", "--headers", headers / "one", "9.28.0")
    assert out.startswith(f"cuDNN 9.99.0 ({headers}/one) -> 9.28.0")
    assert "cudnnBrandNew" in out.partition("func-removed")[2]


def test_headers_on_both_sides(run: Run, headers: Path) -> None:
    status, out, _ = run("diff", "--headers", headers / "one", "--headers", headers / "two")
    assert status == 0
    assert "no difference" in out


def test_the_same_folder_twice(run: Run, headers: Path) -> None:
    again = headers / "two" / ".." / "one"
    assert "twice" in refused(run("diff", "--headers", headers / "one", "--headers", again))


def test_headers_that_the_generator_refuses(run: Run, headers: Path) -> None:
    line = refused(run("diff", "9.28.0", "--headers", headers / "broken"))
    assert line.endswith("broken: cudnn.h:3: expected ';'\n")


def test_headers_without_a_generator(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "generator.pipeline", None)
    line = refused(run("diff", "9.28.0", "--headers", tmp_path))
    assert "--headers needs the generator" in line
    assert "pip install" in line
    assert 'pip install ".[generate]"' in line


@pytest.mark.headers
def test_real_headers_are_the_release_that_they_are_of(run: Run) -> None:
    folder = os.environ.get("CUDNN_CFFI_TEST_HEADERS")
    if folder is None:
        pytest.skip("no folder of headers is named in CUDNN_CFFI_TEST_HEADERS")
    pytest.importorskip("clang", reason="the extra 'generate' is not installed")
    newest = store().releases()[-1]
    status, out, error = run("diff", "--headers", Path(folder, newest.build), newest.version)
    if "CUDA" in error:
        pytest.skip(error)
    assert (status, "no difference" in out) == (0, True), error


# The models


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A generated package with two releases, in place of the real one."""
    apis = (api("9.1.0", enums=(enum(A=1),)), api("9.2.0", enums=(enum(A=2),)))
    for each in apis:
        (tmp_path / f"{each.release}.json").write_bytes(encode(each))
    releases = [Release(each.release, each.release, each.release) for each in apis]
    (tmp_path / "releases.json").write_bytes(encode_releases(releases))
    code = str(Path(cli.__file__).parent)
    monkeypatch.setattr(cudnn_cffi.api, "__path__", [str(tmp_path), code])
    return tmp_path


def test_models_of_another_package(run: Run, models: Path) -> None:
    assert models.is_dir()
    assert "CUDNN_A 1 -> 2" in run("diff", "9.1.0", "9.2.0")[1]


def test_a_model_with_a_newer_schema(run: Run, models: Path) -> None:
    path = models / "9.2.0.json"
    path.write_text(path.read_text().replace('"schema":1', '"schema":2'))
    assert "schema 2, but this version reads 1" in refused(run("diff", "9.1.0", "9.2.0"))
    assert "schema 2" in refused(run("history", "CUDNN_A"))
    assert "schema 2" in refused(run("diff", "--all"))


def test_a_model_that_is_missing_or_broken(run: Run, models: Path) -> None:
    path = models / "9.2.0.json"
    path.write_text("{")
    assert "not a cuDNN API model" in refused(run("diff", "9.1.0", "9.2.0"))
    path.unlink()
    assert "cannot be read" in refused(run("diff", "9.1.0", "9.2.0"))


def test_a_package_without_models(run: Run, models: Path) -> None:
    (models / "releases.json").unlink()
    assert "generate them first" in refused(run("diff", "9.1.0", "9.2.0"))
    (models / "releases.json").write_text("[]")
    assert "no releases" in refused(run("diff", "9.1.0", "9.2.0"))


def test_a_single_release_has_no_steps(run: Run, models: Path) -> None:
    (models / "releases.json").write_bytes(encode_releases([Release("9.1.0", "9.1.0", "9.1.0")]))
    assert "only one release" in refused(run("diff", "--all"))


# history


def test_history_of_a_value(run: Run) -> None:
    status, out, _ = run("history", "CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR")
    assert status == 0
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert "9.8.0 - 9.9.0 38" in lines
    assert "9.10.0 40" in lines
    for release, change, now in (
        ("9.10.0", "38 -> 40", "38 is now CUDNN_BACKEND_OPERATION_BLOCK_SCALE_QUANTIZE_DESCRIPTOR"),
        ("9.10.1", "40 -> 38", "40 is now CUDNN_BACKEND_OPERATION_CONTRACT_BAND_MATRIX_DESCRIPTOR"),
    ):
        assert lines.count(f"{release} value changed {change} ({now}) breaking [abi]") == 1


def test_history_says_where_releases_are_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """A user may generate the newest release alone."""
    apis = {"9.1.0": api("9.1.0"), "9.4.1": api("9.4.1", functions=(function("cudnnNew"),))}
    releases = tuple(Release(version=name, build=name, api=name) for name in apis)
    small = SimpleNamespace(releases=lambda: releases, api=apis.__getitem__, advice=dict)
    monkeypatch.setattr(history, "store", lambda: small)
    monkeypatch.setattr(history, "_pairs", lambda _: ())
    (found,) = history.of("cudnnNew")
    told = "by then added; releases after 9.1.0 are not known here"
    assert [(each.release, each.what) for each in found.events] == [("9.4.1", told)]


def test_no_release_of_the_package_is_missing() -> None:
    assert history._Known().gaps == {}


@pytest.mark.parametrize(
    ("old", "new", "gap"),
    [
        ("9.1.0", "9.1.1", False), ("8.9.2", "8.9.4", False), ("9.1.1", "9.2.0", False),
        ("9.1.1", "9.2.1", True), ("9.1.1", "9.3.0", True), ("8.9.7", "9.0.0", False),
        ("8.9.7", "9.0.1", True), ("8.9.7", "9.1.0", True),
    ],
)  # fmt: skip
def test_where_releases_are_missing(old: str, new: str, gap: bool) -> None:
    assert history._is_gap(version_key(old), version_key(new)) is gap


def test_history_counts_what_the_diff_counts() -> None:
    """Enumerators of CUDA's do not count."""
    newest = store().releases()[-1]
    counted = diff.counted(store().api(newest.api), store().api(newest.api))["enumerators"]
    assert history.everything().releases[-1].enumerators == counted[0]


def test_history_of_what_a_release_takes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """Releases with equal APIs share one model, also where another one is between them."""
    first = api("9.1.0", enums=(enum(A=1),))
    second = api("9.1.1", enums=(enum(A=2, B=3),))
    releases = tuple(
        Release(version=version, build=version, api=name)
        for version, name in (("9.1.0", "9.1.0"), ("9.1.1", "9.1.1"), ("9.1.2", "9.1.0"))
    )
    small = SimpleNamespace(
        releases=lambda: releases, api=lambda name: {"9.1.0": first, "9.1.1": second}[name],
        advice=dict,
    )  # fmt: skip
    monkeypatch.setattr(history, "store", lambda: small)
    monkeypatch.setattr(history, "_pairs", lambda _: ())
    (found,) = history.of("CUDNN_A")
    assert [(each.first, each.state) for each in found.spans] == [
        ("9.1.0", "1"), ("9.1.1", "2"), ("9.1.2", "1"),
    ]  # fmt: skip
    changed = [(e.release, e.rule) for e in found.events if e.rule]
    rule = "enumerator-value-changed"
    assert changed == [("9.1.1", rule), ("9.1.2", rule)]
    (gone,) = history.of("CUDNN_B")
    assert [(e.release, e.rule) for e in gone.events if e.rule] == [
        ("9.1.1", "enumerator-added"), ("9.1.2", "enumerator-removed"),
    ]  # fmt: skip


def test_history_of_a_formula(run: Run) -> None:
    status, out, _ = run("history", "CUDNN_VERSION")
    assert status == 0
    assert "  8.5.0 - 8.9.7   CUDNN_MAJOR * 1000 + CUDNN_MINOR * 100 + CUDNN_PATCHLEVEL" in out
    assert "  9.0.0    formula changed CUDNN_MAJOR * 1000" in out


def test_history_of_an_enumerator_has_its_enumeration_s_deprecation(run: Run) -> None:
    _, out, _ = run("history", "CUDNN_ACTIVATION_RELU")
    assert "  9.0.0 - 9.28.1  1, deprecated\n" in out
    assert "  9.0.0    cudnnActivationMode_t: deprecated" in out
    assert "  9.22.0   deprecated in comment" in out


def test_history_names_what_came_instead(run: Run) -> None:
    _, out, _ = run("history", "cudnnSetRNNDescriptor_v6")
    assert "9.0.0    removed; use cudnnSetRNNDescriptor_v8 (same name, another version" in out


@pytest.mark.parametrize(
    ("name", "first_line"),
    [
        ("DataType.FLOAT", "CUDNN_DATA_FLOAT   enumerator of cudnnDataType_t"),
        ("cudnn.DataType", "cudnnDataType_t   enumeration"),
        ("TensorDescriptor.set_4d", "cudnnSetTensor4dDescriptor   function"),
        ("TensorDescriptor", "cudnnTensorDescriptor_t   object type"),
        ("GnnCscGraph", "cudnnGnnCscGraph_t   struct"),
        ("cudnn_ops_infer.h", "cudnn_ops_infer.h   header"),
        ("CUDNN_DIM_MAX", "CUDNN_DIM_MAX   constant"),
        ("CUDNN_SEV_ERROR_EN", "CUDNN_SEV_ERROR_EN   flag"),
        ("cudnnCallback_t", "cudnnCallback_t   callback"),
        ("CUDNN_STATUS_CATEGORY", "CUDNN_STATUS_CATEGORY   macro"),
        ("cudnnRNNPaddingMode_t", "cudnnRNNPaddingMode_t   typedef"),
        ("cudnnStatus_t", "cudnnStatus_t   enumeration"),
        ("CUDNN_OPS_INFER_MAJOR", "CUDNN_OPS_INFER_MAJOR   version macro"),
        ("libcudnn_cnn_infer", "libcudnn_cnn_infer   library"),
        ("libcudnn_ext.so.9", "libcudnn_ext   library"),
        ("cudnnContext", "cudnnHandle_t   object type"),
        ("struct cudnnTensorStruct", "cudnnTensorDescriptor_t   object type"),
        ("cudnnConvolutionStruct", "cudnnConvolutionDescriptor_t   object type"),
        ("cudnnAlgorithmUnionStruct", "cudnnAlgorithm_t   struct"),
    ],
)
def test_history_knows_every_kind_of_name_in_c_and_in_python(
    run: Run, name: str, first_line: str
) -> None:
    status, out, _ = run("history", name)
    assert status == 0
    assert out.startswith(first_line)


@pytest.mark.parametrize(
    ("typo", "meant"),
    [
        ("cudnnCreat", "cudnnCreate"),
        ("cudnn_create", "cudnnCreate"),
        ("CUDNN_DATA_FLAOT", "CUDNN_DATA_FLOAT"),
        ("TensorDescrptor", "TensorDescriptor"),
        ("datatype.float", "DataType.FLOAT"),
        ("GNN_AGG", "CUDNN_GNN_AGG_"),
    ],
)
def test_history_of_a_typo_names_what_is_near(run: Run, typo: str, meant: str) -> None:
    line = refused(run("history", typo))
    assert meant in line.partition("near it are")[2]


def test_history_of_nonsense(run: Run) -> None:
    assert refused(run("history", "qqqqqqqqqq")).endswith("has 'qqqqqqqqqq'\n")


def test_history_of_all_is_one_table_for_programs(run: Run) -> None:
    status, out, _ = run("history", "--all")
    assert status == 0
    everything = json.loads(out)
    schema = json.loads((ROOT / "docs" / "history-schema.json").read_text())
    assert schema == history.schema(), "write docs/history-schema.json again"
    jsonschema.validate(everything, schema)
    releases = {each["version"]: each for each in everything["releases"]}
    assert releases["9.1.0"]["number"] == 90100
    assert "libcudnn_graph.so.9" in releases["9.28.0"]["libraries"]
    names = {each["name"]: each for each in everything["names"]}
    models = store()
    for release in models.releases()[:: len(models.releases()) - 1]:
        api = models.api(release.api)
        assert names.keys() >= {function.name for function in api.functions}
        members = {each.name for enum in api.enums for each in enum.enumerators}
        assert {each for each in members if each.isupper()} - names.keys() <= VERSION_WORDS
    _, alone, _ = run("history", "cudnnSetRNNDescriptor_v6", "-f", "json")
    assert json.loads(alone) == [names["cudnnSetRNNDescriptor_v6"]]

    status, out, _ = run("history", "--all", "-f", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert {row["name"] for row in rows} == names.keys()
    (row,) = (row for row in rows if row["name"] == "CUDNN_DATA_FP4_E2M1")
    assert (row["first"], row["last"], row["state"]) == ("9.7.0", "9.28.1", "16")
    days = releases["9.7.0"]["date"], releases["9.28.1"]["date"]
    assert (row["first_date"], row["last_date"]) == days
    kinds = {row["kind"] for row in rows}
    assert kinds >= {"function", "enumerator", "library", "header", "undeclared function"}


@pytest.mark.parametrize(
    "arguments",
    [(), ("cudnnCreate", "--all"), ("cudnnCreate", "-f", "csv"), ("--all", "-f", "text")],
)
def test_history_of_what_cannot_be_asked(run: Run, arguments: tuple[str, ...]) -> None:
    assert (
        "give a name, or --all" in (line := refused(run("history", *arguments))) or "format" in line
    )


@pytest.mark.parametrize("text", ["90100", "9.1.0", "v9.1.0"])
def test_a_number_of_the_library_is_a_release(run: Run, text: str) -> None:
    _, out, _ = run("diff", text, "latest", "-f", "json")
    assert json.loads(out)["old"]["version"] == "9.1.0"


def test_history_as_json(run: Run) -> None:
    _, out, _ = run("history", "CUDNN_KNOB_TYPE_COUNTS", "-f", "json")
    (history,) = json.loads(out)
    assert history["spans"][0] == {"first": "8.5.0", "last": "8.5.0", "state": "26"}
    assert {event["rule"] for event in history["events"][1:]} == {"enum-sentinel-moved"}


# The files that are committed


@pytest.mark.parametrize("file", ["api-changes.md", "timeline.svg"])
def test_the_committed_file_is_up_to_date(run: Run, file: str) -> None:
    command = "changelog" if file.endswith(".md") else "timeline"
    assert run(command, ROOT / "docs" / file, "--check") == (0, "", "")


def test_check_notices_a_file_that_is_out_of_date(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "changes.md"
    assert run("changelog", path)[0] == 0
    assert run("changelog", path, "--check")[0] == 0
    path.write_text(path.read_text() + "\n")
    status, _, error = run("changelog", path, "--check")
    assert status == 1
    assert "out of date" in error
    assert path.read_text().endswith("\n\n")  # only looked at
    assert "cannot be read" in refused(run("changelog", tmp_path / "nowhere", "--check"))


def test_changelog_on_the_terminal(run: Run) -> None:
    status, out, _ = run("changelog", "-")
    assert status == 0
    assert "## 9.10.1\n\nSince 9.10.0: 5 breaking" in out
    assert "## 9.10.2\n\nThe same API as 9.10.1.\n" in out


@pytest.mark.parametrize("suffix", ["html", "svg"])
def test_timeline(run: Run, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"timeline.{suffix}"
    assert run("timeline", path)[0] == 0
    text = path.read_text()
    assert all(f">{release.version}<" in text for release in store().releases())
    assert "9.10.0 → 9.10.1" in text
    assert "5 enumerators with another value of cudnnBackendDescriptorType_t (abi)" in text


def test_timeline_of_an_unknown_kind(run: Run, tmp_path: Path) -> None:
    assert "name it .html or .svg" in refused(run("timeline", tmp_path / "timeline.png"))


# The process


def started(command: str | list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        shell=isinstance(command, str),
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": python_path()},
        timeout=60,
    )


def process(*arguments: str) -> subprocess.CompletedProcess[str]:
    return started([sys.executable, "-m", "cudnn_cffi.api", *arguments])


def test_the_process_exits_with_the_status() -> None:
    assert process("diff", "9.10.1", "9.10.2").returncode == 0
    assert process("diff", "9.10.0", "9.10.1").returncode == 1
    done = process("diff", "9.10.0", "9.10.0")
    assert done.returncode == 2
    assert done.stderr == "error: 9.10.0 twice: give two different releases\n"


def test_a_report_is_utf_8_whatever_the_locale(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    assert process("diff", "9.10.0", "9.10.1", "-f", "markdown").returncode == 1


def test_a_reader_that_stops_early_is_no_error() -> None:
    done = started(f"{sys.executable} -m cudnn_cffi.api diff 8.9.7 9.0.0 | head -n 1")
    assert "Traceback" not in done.stderr


def test_a_terminal_that_takes_nothing_is_no_finding(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Full(io.StringIO):
        def flush(self) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(sys, "stdout", Full())
    error = refused(run("diff", "8.9.7", "9.0.0"))
    assert error == "error: standard output: cannot be written: No space left on device\n"


def test_diff_imports_neither_the_generator_nor_a_parser() -> None:
    code = (
        "import sys; from cudnn_cffi.api.cli import main; main(['diff', '9.10.0', '9.10.1']);"
        "print(sorted({m.partition('.')[0] for m in sys.modules} & "
        "{'generator', 'clang', 'elftools', 'jinja2', 'cffi'}))"
    )
    done = started([sys.executable, "-c", code])
    assert done.stdout.splitlines()[-1] == "[]"
