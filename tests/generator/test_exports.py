"""Functions that libraries export without a declaration get into the tree, and stay there."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from cudnn_cffi.api.inputs.store import Store

from generator import pipeline, tree
from generator.headers.exports import in_folder
from tests.generator.small import BASE, CUDA, headers
from tests.generator.wheelhouse import shared_library

FRONT = {"libcudnn": ("cudnnCreate", "cudnnHidden")}
SET = msgspec.structs.replace(
    headers("9.1.0"), libraries=("libcudnn", "libcudnn_ops"), exports=FRONT
)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    pipeline.generate([SET], CUDA, tmp_path / "tree")
    return tmp_path / "tree"


def recorded(out: Path) -> dict[str, tuple[str, ...]]:
    return Store(out / "cudnn_cffi" / "api").releases()[0].undeclared


def test_what_a_header_declares_is_left_out(out: Path) -> None:
    assert recorded(out) == {"libcudnn": ("cudnnHidden",)}


def test_what_a_header_declares_and_no_call_can_express_is_left_out() -> None:
    """It is in no table of the user's own release, and yet a header declares it."""
    given = headers("9.1.0", f"{BASE}cudnnStatus_t cudnnHidden(long double number);")
    given = msgspec.structs.replace(given, exports={"libcudnn": ("cudnnHidden", "cudnnOther")})
    report, ((read, api),) = pipeline.read([given], CUDA, strict=False)
    assert "9.1.0: cudnnHidden: there is no rule for the type long double" in report.notes[0]
    contents = tree.Contents()
    pipeline.add(contents, read, api)
    assert contents.releases["9.1.0"].undeclared == {"libcudnn": ("cudnnOther",)}


def test_other_files_are_added_by_a_command_of_its_own(out: Path) -> None:
    more = {"libcudnn_ops": ("cudnnDestroy", "cudnnOpsHidden")}
    report = pipeline.record_exports(out, [], lambda _: more)
    assert report.generated == ["9.1.0"]
    everything = {"libcudnn": ("cudnnHidden",), "libcudnn_ops": ("cudnnOpsHidden",)}
    assert recorded(out) == everything
    assert pipeline.check(out) == []
    # The same build again, of which this time no library, or only one, is read.
    unread = msgspec.structs.replace(SET, exports={})
    for again in (unread, SET):
        pipeline.generate([again], CUDA, out)
        assert recorded(out) == everything
    other = msgspec.structs.replace(SET, build="9.1.0.70")
    pipeline.generate([other], CUDA, out)
    assert recorded(out) == {"libcudnn": ("cudnnHidden",)}, "of another build nothing else is known"


def test_releases_that_differ_in_nothing_else_share_an_api(out: Path) -> None:
    second = msgspec.structs.replace(headers("9.1.1"), libraries=SET.libraries)
    report = pipeline.generate([second], CUDA, out)
    assert (report.releases, report.apis) == (2, 1)


def test_a_release_that_the_tree_lacks(out: Path) -> None:
    with pytest.raises(pipeline.PipelineError, match=r"has no release 9\.2\.0"):
        pipeline.record_exports(out, ["9.2.0"], lambda _: {})
    assert tree.load(out).releases.keys() == {"9.1.0"}


def test_libraries_in_a_folder(tmp_path: Path) -> None:
    (tmp_path / "libcudnn.so.9").write_bytes(shared_library("cudnnA", "cudnn_kernel", "other"))
    (tmp_path / "libcudnn_ops.so.9").write_bytes(b"half a file")
    (tmp_path / "libcudart.so.13").write_bytes(shared_library("cudnnStray"))
    assert in_folder(tmp_path) == {"libcudnn": ("cudnnA",)}
