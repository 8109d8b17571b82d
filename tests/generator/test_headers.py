"""Header files on this machine: which belong to a release, and which release it is."""

from __future__ import annotations

import base64
import hashlib
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

import pytest

from generator import headers
from generator.headers import HeaderError, from_folder, local
from tests.generator.wheelhouse import CUDA_CRT, cuda_runtime_headers, cudnn_headers


class Write(Protocol):
    def __call__(self, files: Mapping[str, bytes], folder: str = "here") -> Path: ...


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes files into a folder below tmp_path, and returns that folder."""

    def write(files: Mapping[str, bytes], folder: str = "here") -> Path:
        for name, content in files.items():
            path = tmp_path / folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return tmp_path / folder

    return write


# A folder of headers


def test_a_folder_gives_its_public_headers_sorted(write: Write) -> None:
    extra = {"cudnn_brand_new.h": b"int cudnnNew(void);\n", "README.md": b"no header"}
    found = from_folder(write(cudnn_headers("9.28.0") | extra))
    assert list(found.files) == ["cudnn.h", "cudnn_brand_new.h", "cudnn_ops.h", "cudnn_version.h"]
    assert (found.version, found.build) == ("9.28.0", "9.28.0")


def test_the_folder_may_be_the_one_above(write: Write) -> None:
    root = write(cudnn_headers("9.28.0"), "cudnn-linux-x86_64/include").parent
    assert from_folder(root).version == "9.28.0"
    packages = write(cudnn_headers("9.1.0"), "lib/site-packages/nvidia/cudnn/include")
    assert from_folder(packages.parents[2]).version == "9.1.0"


def test_copies_with_the_major_version_in_their_name_are_left_out(write: Write) -> None:
    plain = from_folder(write(cudnn_headers("9.28.0"), "plain"))
    copied = from_folder(write(cudnn_headers("9.28.0", suffix="v9"), "copied"))
    assert copied.files == plain.files
    assert copied.digest == plain.digest


def test_a_file_that_only_looks_like_a_copy_is_kept(write: Write) -> None:
    files = cudnn_headers("8.9.7") | {"cudnn_ops_v8.h": b"int other(void);\n"}
    assert "cudnn_ops_v8.h" in from_folder(write(files)).files


def test_line_ends_make_no_difference(write: Write) -> None:
    unix = from_folder(write(cudnn_headers("8.9.4"), "unix"))
    windows = from_folder(write(cudnn_headers("8.9.4", newline="\r\n"), "windows"))
    assert windows.digest == unix.digest


def test_the_digest_tells_names_and_contents_apart(write: Write) -> None:
    original = cudnn_headers("9.28.0")
    renamed = dict(original)
    renamed["cudnn_renamed.h"] = renamed.pop("cudnn_ops.h")
    edited = original | {"cudnn_ops.h": original["cudnn_ops.h"] + b"\n"}
    sets = [original, renamed, edited]
    digests = {from_folder(write(files, str(i))).digest for i, files in enumerate(sets)}
    assert len(digests) == 3


def test_headers_of_the_cpp_front_end_are_another_project(write: Write) -> None:
    files = cudnn_headers("9.28.0") | {"cudnn_frontend.h": b"namespace cudnn_frontend {}\n"}
    assert "cudnn_frontend.h" not in from_folder(write(files)).files


# The release of a word


@pytest.mark.parametrize(
    ("macros", "version"),
    [
        ("#define CUDNN_MAJOR 9\n#define CUDNN_MINOR 10\n#define CUDNN_PATCHLEVEL 2", "9.10.2"),
        ("#define CUDNN_MAJOR 3\n#define CUDNN_MINOR 0\n#define CUDNN_PATCHLEVEL 07", "3.0.7"),
        ("#define CUDNN_VERSION 2000", "2.0.0"),
        ("#define CUDNN_VERSION 4007 // a comment", "4.0.7"),
        (
            "/* #define CUDNN_MAJOR 1 */\n#  define CUDNN_MAJOR   7 /* x */\n"
            "#define CUDNN_MINOR 6\n//#define CUDNN_MINOR 5\n#define CUDNN_PATCHLEVEL 5",
            "7.6.5",
        ),
    ],
)
def test_versions_are_read_from_macros_in_cudnn_h(write: Write, macros: str, version: str) -> None:
    assert from_folder(write({"cudnn.h": macros.encode() + b"\n"})).version == version


def test_headers_without_a_version_need_it_stated(write: Write) -> None:
    folder = write({"cudnn.h": b"typedef int cudnnStatus_t;\n"})
    with pytest.raises(HeaderError, match=r"do not tell their version.*state the version"):
        from_folder(folder)
    assert from_folder(folder, version="1.0.0").version == "1.0.0"


def test_a_stated_version_may_have_a_build(write: Write) -> None:
    found = from_folder(write(cudnn_headers("9.28.0")), version="9.28.0.42")
    assert (found.version, found.build) == ("9.28.0", "9.28.0.42")


def test_a_stated_version_must_be_that_of_the_files(write: Write) -> None:
    with pytest.raises(HeaderError, match=r"expected headers of 9\.10\.0, but these are of 9\.28"):
        from_folder(write(cudnn_headers("9.28.0")), version="9.10.0")


def test_a_stated_version_must_be_one(write: Write) -> None:
    with pytest.raises(HeaderError, match="'newest' is not a version"):
        from_folder(write(cudnn_headers("9.28.0")), version="newest")


def test_headers_of_two_releases_are_refused_and_both_are_named(write: Write) -> None:
    files = cudnn_headers("9.28.0")
    files["cudnn_ops.h"] = cudnn_headers("9.10.2")["cudnn_ops.h"]
    with pytest.raises(HeaderError, match=r"9\.10\.2 in cudnn_ops\.h; 9\.28\.0 in cudnn_version"):
        from_folder(write(files))


def test_version_macros_that_are_cut_off_are_no_version(write: Write) -> None:
    with pytest.raises(HeaderError, match="only some of CUDNN_MAJOR"):
        from_folder(write({"cudnn.h": b"#define CUDNN_MAJOR 9\n#define CUDNN_MINOR 28\n"}))


# Folders that will not do


def test_a_folder_without_cudnn_h_says_what_is_there(write: Write) -> None:
    folder = write({"cublas.h": b"", "cufft.h": b""})
    with pytest.raises(HeaderError, match=r"expected cudnn\.h .* found cublas\.h, cufft\.h"):
        from_folder(folder)


def test_an_empty_folder(tmp_path: Path) -> None:
    with pytest.raises(HeaderError, match="found nothing"):
        from_folder(tmp_path)


def test_a_folder_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(HeaderError, match="missing does not exist"):
        from_folder(tmp_path / "missing")


def test_a_file_in_the_place_of_a_folder(write: Write) -> None:
    with pytest.raises(HeaderError, match=r"cudnn\.h is not a folder"):
        from_folder(write(cudnn_headers("9.28.0")) / "cudnn.h")


def test_an_empty_header_is_named(write: Write) -> None:
    with pytest.raises(HeaderError, match=r"cudnn_ops\.h is empty"):
        from_folder(write(cudnn_headers("9.28.0") | {"cudnn_ops.h": b"\n"}))


def test_a_header_that_cannot_be_read_is_named(write: Write) -> None:
    folder = write(cudnn_headers("9.28.0"))
    (folder / "cudnn_new.h").mkdir()  # a folder: unreadable for every user, root too
    with pytest.raises(HeaderError, match=r"cudnn_new\.h cannot be read"):
        from_folder(folder)


def test_a_broken_link_is_named(tmp_path: Path) -> None:
    (tmp_path / "cudnn.h").symlink_to(tmp_path / "gone.h")
    with pytest.raises(HeaderError, match=r"cudnn\.h cannot be read: No such file"):
        from_folder(tmp_path)


# Installed headers


def install(
    site: Path, project: str, version: str, files: Mapping[str, bytes], include: str
) -> None:
    """Lay files out as pip does, with a RECORD."""
    info = site / f"{project.replace('-', '_')}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project}\nVersion: {version}\n")
    rows = [f"{info.name}/METADATA,,", f"{info.name}/RECORD,,"]
    for name, content in files.items():
        path = site / include / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
        rows.append(f"{include}/{name},sha256={digest},{len(content)}")
    (info / "RECORD").write_text("\n".join(rows) + "\n")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An interpreter and a system with nothing of NVIDIA's installed, but for this folder."""
    folder = tmp_path / "site-packages"
    folder.mkdir()
    monkeypatch.setattr(sys, "path", [str(folder)])
    monkeypatch.setitem(sys.modules, "cuda.pathfinder", None)
    monkeypatch.setattr(local, "_SYSTEM", (str(tmp_path / "system"),))
    for variable in local._VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    return folder


CUDNN = "nvidia/cudnn/include"


def test_the_installed_wheel_is_found_with_its_build(site: Path) -> None:
    install(site, "nvidia-cudnn-cu12", "9.28.0.42", cudnn_headers("9.28.0", "v9"), CUDNN)
    found = headers.installed()
    assert (found.version, found.build) == ("9.28.0", "9.28.0.42")
    assert list(found.files) == ["cudnn.h", "cudnn_ops.h", "cudnn_version.h"]
    assert "nvidia-cudnn-cu12 9.28.0.42" in found.origin


def test_two_wheels_installed_over_each_other_are_told_by_their_hashes(site: Path) -> None:
    install(site, "nvidia-cudnn-cu13", "9.28.0.42", cudnn_headers("9.28.0"), CUDNN)
    install(site, "nvidia-cudnn-cu12", "9.10.2.21", cudnn_headers("9.10.2"), CUDNN)
    assert headers.installed().build == "9.10.2.21"  # the later one won the folder


def test_an_edited_installation_is_refused(site: Path) -> None:
    install(site, "nvidia-cudnn-cu13", "9.28.0.42", cudnn_headers("9.28.0"), CUDNN)
    (site / CUDNN / "cudnn_ops.h").write_text("int edited;\n")
    with pytest.raises(HeaderError, match=r"not those of the wheel .*cudnn_ops\.h"):
        headers.installed()


@pytest.mark.usefixtures("site")
@pytest.mark.parametrize("variable", ["CUDNN_PATH", "CUDA_HOME", "CONDA_PREFIX"])
def test_toolkits_are_found_by_variables(
    write: Write, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    include = write(cudnn_headers("9.8.0"), "toolkit/include")
    monkeypatch.setenv(variable, str(include.parent))
    assert headers.installed().version == "9.8.0"


@pytest.mark.usefixtures("site")
def test_system_folders_come_last(write: Write) -> None:
    write(cudnn_headers("9.8.0"), "system")
    assert headers.installed().version == "9.8.0"


def test_cuda_pathfinder_is_asked_where_it_is_installed(
    write: Write, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    pathfinder = pytest.importorskip("cuda.pathfinder", reason="cuda-pathfinder is not installed")
    pathfinder.locate_nvidia_header_directory.cache_clear()
    request.getfixturevalue("site")
    monkeypatch.setitem(sys.modules, "cuda.pathfinder", pathfinder)
    monkeypatch.setattr("site.getsitepackages", list)  # it asks these for wheels, not `sys.path`
    monkeypatch.setattr("site.ENABLE_USER_SITE", False)
    include = write(cudnn_headers("9.8.0"), "toolkit/include")
    monkeypatch.setenv("CUDNN_PATH", str(include.parent))
    monkeypatch.setattr(local, "_VARIABLES", ())
    monkeypatch.setattr(local, "_SYSTEM", ())
    assert headers.installed().version == "9.8.0"
    pathfinder.locate_nvidia_header_directory.cache_clear()


@pytest.mark.usefixtures("site")
def test_nothing_installed_says_where_it_was_looked_for(tmp_path: Path) -> None:
    with pytest.raises(HeaderError) as error:
        headers.installed()
    assert str(tmp_path / "system") in str(error.value)
    assert "pip install nvidia-cudnn-cu13" in str(error.value)


# CUDA's headers


def test_cuda_headers_are_those_that_cudnn_includes_and_what_they_include(write: Write) -> None:
    folder = write(cuda_runtime_headers("12.9") | CUDA_CRT)
    found = headers.cuda_from_folder(folder)
    assert list(found.files) == [
        "crt/host_defines.h",
        "crt/host_more.h",
        "cuda_runtime.h",
        "cuda_runtime_api.h",
        "driver_types.h",
        "library_types.h",
    ]
    assert found.version == "12.9"


def test_a_folder_also_gives_what_no_release_has_included_so_far(write: Write) -> None:
    more = {"cuda_fp16.h": b'#include "cuda_fp16.hpp"\n', "cuda_fp16.hpp": b"", "cublas.h": b""}
    found = headers.cuda_from_folder(write(cuda_runtime_headers("14.0") | CUDA_CRT | more))
    assert {"cuda_fp16.h", "cuda_fp16.hpp"} <= found.files.keys()
    assert "cublas.h" not in found.files


def test_cuda_headers_without_crt_are_not_enough(write: Write) -> None:
    with pytest.raises(HeaderError, match=r"crt/host_defines\.h is not among them"):
        headers.cuda_from_folder(write(cuda_runtime_headers()))


def test_cuda_headers_without_a_version_are_refused(write: Write) -> None:
    files = cuda_runtime_headers() | CUDA_CRT | {"cuda_runtime_api.h": b"int cudaFree(void *);\n"}
    with pytest.raises(HeaderError, match="CUDART_VERSION"):
        headers.cuda_from_folder(write(files))


def test_a_folder_without_cuda(tmp_path: Path) -> None:
    with pytest.raises(HeaderError, match=r"expected cuda_runtime_api\.h"):
        headers.cuda_from_folder(tmp_path)


@pytest.mark.parametrize(
    ("projects", "includes"),
    [
        (("nvidia-cuda-runtime", "nvidia-cuda-crt"), ("nvidia/cu13/include",) * 2),
        (
            ("nvidia-cuda-runtime-cu12", "nvidia-cuda-nvcc-cu12"),
            ("nvidia/cuda_runtime/include", "nvidia/cuda_nvcc/include"),
        ),
    ],
)
def test_installed_cuda_wheels(
    site: Path, projects: tuple[str, str], includes: tuple[str, str]
) -> None:
    install(site, projects[0], "13.0.96", cuda_runtime_headers("13.0"), includes[0])
    install(site, projects[1], "13.0.88", CUDA_CRT, includes[1])
    found = headers.installed_cuda()
    assert found.version == "13.0"
    assert re.match(f"{projects[0]} 13.0.96 and {projects[1]} 13.0.88", found.origin)


@pytest.mark.usefixtures("site")
def test_an_installed_cuda_toolkit(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    include = write(cuda_runtime_headers("12.4") | CUDA_CRT, "cuda/include")
    monkeypatch.setenv("CUDA_PATH", str(include.parent))
    assert headers.installed_cuda().version == "12.4"
