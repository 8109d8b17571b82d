"""Releases that a program works with have every name, header and library."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from cudnn_cffi.__main__ import main
from cudnn_cffi.api import store
from cudnn_cffi.api.errors import CannotCompareError
from cudnn_cffi.api.uses import minimum

pytest.importorskip("elftools", reason="the extra 'uses' is not installed")


def of(folder: Path, **files: str) -> minimum.Minimum:
    """Return what is found for files named like `a_c`, for a.c."""
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text)
    return minimum.of([str(folder)])


def lacking(found: minimum.Minimum) -> dict[str, list[str]]:
    """Return what each release lacks, by release."""
    return {fit.release: [lack.name for lack in fit.lacks] for fit in found.fits if fit.lacks}


def test_it_begins_where_the_last_name_appears_and_ends_where_the_first_goes(
    tmp_path: Path,
) -> None:
    found = of(
        tmp_path,
        a_c="int f() { return cudnnSetRNNMatrixMathType(0, CUDNN_ATTR_OPERATION_MATMUL_GEMM_K_OVERRIDE_DESC); }",
    )
    names = {release.version: store().api(release.api).index() for release in store().releases()}
    both = ("cudnnSetRNNMatrixMathType", "CUDNN_ATTR_OPERATION_MATMUL_GEMM_K_OVERRIDE_DESC")
    fitting = [version for version, there in names.items() if all(n in there for n in both)]
    assert (found.oldest, found.newest) == (fitting[0], fitting[-1]) == ("8.7.0", "8.9.7")
    assert lacking(found)["8.5.0"] == ["CUDNN_ATTR_OPERATION_MATMUL_GEMM_K_OVERRIDE_DESC"]
    assert lacking(found)["9.0.0"] == ["cudnnSetRNNMatrixMathType"]
    (lack,) = next(fit.lacks for fit in found.fits if fit.release == "9.0.0")
    assert [(Path(p.path).name, p.line) for p in lack.places] == [("a.c", 1)]


def test_each_release_sees_the_branch_that_is_for_it(tmp_path: Path) -> None:
    source = """\
#include <cudnn.h>
#if CUDNN_VERSION >= 90000
void *f = cudnnGetLastErrorString;
#else
void *f = cudnnSaveAlgorithm;
#endif
"""
    found = of(tmp_path, a_c=source)
    assert (found.oldest, found.newest, lacking(found)) == ("8.5.0", "9.28.1", {})
    wrong = of(tmp_path, a_c=source.replace("90000", "90100"))
    assert lacking(wrong) == {"9.0.0": ["cudnnSaveAlgorithm"]}
    assert wrong.oldest == "9.1.0", "of releases in a row, the newest"


def test_headers_and_libraries_count(tmp_path: Path) -> None:
    found = of(tmp_path, a_c="#include <cudnn_ops_infer.h>\ncudnnHandle_t handle;\n")
    assert found.newest == "8.9.7"
    assert lacking(found)["9.0.0"] == ["cudnn_ops_infer.h"]
    (tmp_path / "a.c").unlink()
    found = of(tmp_path, b_py='import ctypes\nctypes.CDLL("libcudnn.so.9").cudnnCreate\n')
    assert found.oldest == "9.0.0"
    assert lacking(found)["8.9.7"] == ["libcudnn.so.9"]


def test_names_of_python(tmp_path: Path) -> None:
    found = of(tmp_path, b_py="import cudnn_cffi as c\nc.DataType.FP4_E2M1\n")
    assert (found.oldest, found.newest) == ("9.7.0", "9.28.1")
    assert lacking(found)["9.6.0"] == ["CUDNN_DATA_FP4_E2M1"]


def test_a_name_of_python_that_only_some_releases_have(tmp_path: Path) -> None:
    name = "OPERATION_BLOCK_SCALE_QUANTIZE_DENOM_FACTOR_MODE"
    found = of(tmp_path, b_py=f"import cudnn_cffi as c\nc.BackendAttributeName.{name}\n")
    assert (found.oldest, found.newest) == ("9.7.0", "9.7.1")
    assert lacking(found)["9.28.0"] == [f"CUDNN_ATTR_{name}"]


def test_a_descriptor_of_the_backend(tmp_path: Path) -> None:
    found = of(tmp_path, b_py="from cudnn_cffi.graph import OperationReshapeDescriptor as R\n")
    assert (found.oldest, found.newest) == ("8.7.0", "9.28.1")
    assert lacking(found)["8.6.0"] == ["CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR"]


@pytest.mark.parametrize("format", ["text", "json"])
def test_a_file_whose_name_is_no_utf_8(
    tmp_path: Path, format: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "n\udcff.c").write_text(
        "f(cudnnSaveAlgorithm, CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);"
    )
    (tmp_path / "g\udcff.c").symlink_to("nowhere")
    assert (
        main(["minimum", "--uses", str(tmp_path / "n\udcff.c"), str(tmp_path), "-f", format]) == 1
    )
    out = capsys.readouterr().out
    assert "\\xff.c" in out
    assert "g\\" in out
    out.encode()


def test_a_name_that_changes_keeps_from_nothing_but_is_told(tmp_path: Path) -> None:
    source = "int x = CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR; void *f = cudnnCreate;"
    found = of(tmp_path, a_c=source)
    assert found.oldest is not None
    changed = {(step.old, step.new): [item.rule for item in step.items] for step in found.steps}
    assert "enumerator-value-changed" in changed["9.10.0", "9.10.1"]


def test_no_release_has_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.c").write_text("f(cudnnSaveAlgorithm, CUDNN_DATA_FP4_E2M1);")
    assert main(["minimum", "--uses", str(tmp_path)]) == 1
    assert "works with no release known here" in capsys.readouterr().out
    assert main(["minimum", "--uses", str(tmp_path), "-f", "json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["schema"], told["oldest"], len(told["fits"])) == (2, None, len(store().releases()))


def test_its_schema_is_written_down(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = Path(__file__).parents[2] / "docs" / "minimum-schema.json"
    schema = json.loads(path.read_text())
    assert schema == minimum.schema(), "write docs/minimum-schema.json again"
    (tmp_path / "a.c").write_text("f(cudnnSaveAlgorithm, CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);")
    (tmp_path / "b.so").write_bytes(b"\x7fELF")
    main(["minimum", "--uses", str(tmp_path), "-f", "json"])
    told = json.loads(capsys.readouterr().out)
    assert any(fit["lacks"] for fit in told["fits"])
    assert told["skipped"]
    jsonschema.Draft202012Validator(schema).validate(told)


def test_one_release_is_no_range(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    newest = store().releases()[-1].version
    (tmp_path / "a.py").write_text(
        f"import ctypes\nctypes.CDLL('libcudnn.so.{newest[0]}').cudnnCreate\n"
    )
    assert main(["minimum", "--uses", str(tmp_path)]) == 0
    assert f"works with cuDNN 9.0.0 to {newest} " in capsys.readouterr().out
    (tmp_path / "b.c").write_text("f(CUDNN_ATTR_OPERATION_BLOCK_SCALE_QUANTIZE_DENOM_FACTOR_MODE);")
    (tmp_path / "c.c").write_text(
        "#if CUDNN_VERSION != 90701\nvoid *f = cudnnRestoreAlgorithm;\n#endif\n"
    )
    assert main(["minimum", "--uses", str(tmp_path)]) == 0
    assert "works with cuDNN 9.7.1   1 of " in capsys.readouterr().out


def test_nothing_to_look_at_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CannotCompareError, match="no use of cuDNN found in 1 file "):
        of(tmp_path, a_c="int main(void) { return 0; }")
