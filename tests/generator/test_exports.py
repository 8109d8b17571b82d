"""Functions that libraries export without a declaration get into the tree, and stay there."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from cudnn_cffi.api.inputs.store import Store

from generator import pipeline, tree
from generator.headers.exports import in_folder
from generator.headers.records import Build, Wheel
from generator.headers.releases import releases
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


def test_the_platforms_of_wheels_are_told_by_their_names() -> None:
    def build(number: str, *files: str) -> Build:
        return Build(number, tuple(Wheel(file, f"https://example.org/{file}") for file in files))

    older = build("9.2.0.1", "nvidia_cudnn_cu11-9.2.0.1-py3-none-manylinux2014_x86_64.whl")
    newer = build(
        "9.2.0.2",
        "nvidia_cudnn_cu12-9.2.0.2-py3-none-manylinux_2_27_aarch64.whl",
        "nvidia_cudnn_cu12-9.2.0.2-py3-none-manylinux_2_27_x86_64.whl",
        "nvidia_cudnn_cu12-9.2.0.2-py3-none-win_amd64.whl",
        "nvidia_cudnn_cu9-9.2.0.2-py3-none-linux_aarch64.whl",
        "nvidia_cudnn_cu12-9.2.0.2.tar.gz",
    )
    (release,) = releases([older, newer])
    assert release.platforms == {
        "9": ("linux_aarch64",),
        "11": ("linux_x86_64",),
        "12": ("linux_aarch64", "linux_x86_64", "win_amd64"),
    }


def test_platforms_are_recorded_and_stay(tmp_path: Path) -> None:
    pipeline.generate([SET], CUDA, tmp_path)
    wheels = {"12": ("linux_x86_64",)}
    report = pipeline.record_wheels(tmp_path, {"9.1.0": wheels, "9.9.9": wheels})
    assert report.generated == ["9.1.0"]
    assert tree.load(tmp_path).releases["9.1.0"].wheels == wheels
    pipeline.generate([SET], CUDA, tmp_path)
    assert tree.load(tmp_path).releases["9.1.0"].wheels == wheels
