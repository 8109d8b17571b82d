"""Headers from a package index: through parts of wheels, checked, and kept."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest

from generator.headers import HeaderError, Registry
from generator.headers.cache import Cache
from generator.headers.web.pip import PipSettings, read_settings
from tests.conftest import python_path
from tests.generator.wheelhouse import LINUX, WINDOWS, House, cudnn_headers

# Fetching


def test_headers_are_those_in_the_wheel(house: House, registry: Registry) -> None:
    extra = {"cudnn_brand_new.h": b"int cudnnNew(void);\n", "cudnn_detail/inner.h": b"int x;\n"}
    file = house.add("9.28.0.42", headers=cudnn_headers("9.28.0", "v9") | extra)
    found = registry.fetch("9.28.0")
    assert dict(found.files) == cudnn_headers("9.28.0") | {
        "cudnn_brand_new.h": b"int cudnnNew(void);\n"
    }
    assert list(found.files) == sorted(found.files)
    assert (found.version, found.build, found.origin) == ("9.28.0", "9.28.0.42", file)


def test_a_wheel_says_which_libraries_a_release_has(house: House, registry: Registry) -> None:
    house.add("9.28.0.42")
    assert registry.fetch("9.28.0").libraries == ("libcudnn", "libcudnn_ops")


def test_a_release_says_what_its_library_exports(house: House, registry: Registry) -> None:
    house.add("9.28.0.42")
    assert registry.fetch("92800").exports == {"libcudnn": ("cudnnHidden", "cudnnOps")}


def test_libraries_are_read_one_by_one_and_once(house: House, cache: Cache) -> None:
    house.add("9.28.0.42")
    with again(house, cache) as registry:
        assert registry.exports("9.28.0", "libcudnn".__eq__) == {
            "libcudnn": ("cudnnHidden", "cudnnOps")
        }
        assert registry.received < 300_000, "the others stay where they are"
        with pytest.raises(HeaderError, match=r"libcudnn_ops\.so\.9 is not a shared library"):
            registry.exports("9.28.0", "libcudnn_ops".__eq__)
    with again(house, cache) as registry:
        assert registry.exports("9.28.0.42", "libcudnn".__eq__)["libcudnn"]
        assert registry.received < 20_000, "no more than the list of releases"


def test_what_was_kept_without_libraries_is_fetched_again(
    house: House, registry: Registry, cache: Cache
) -> None:
    house.add("9.28.0.42")
    first = registry.fetch("9.28.0")
    cache.store("cudnn-9.28.0.42", msgspec.structs.replace(first, libraries=None))
    assert registry.fetch("9.28.0") == first


def test_only_the_parts_that_are_needed_travel(house: House, registry: Registry) -> None:
    file = house.add("9.28.0.42", library=2_000_000)
    registry.fetch("9.28.0")
    assert len(house.files[file]) > 4_000_000
    assert registry.received == house.sent < 100_000
    parts = [line for line in house.requests if "bytes=" in line]
    assert len(parts) == 2  # the wheel's directory, then all headers at once


def test_headers_at_both_ends_of_a_wheel(house: House, registry: Registry) -> None:
    # Nothing says where in the wheel they are; here also before the first library.
    more = {f"cudnn_{letter}.h": letter.encode() * 300_000 for letter in "abc"}
    house.add("9.28.0.42", headers=cudnn_headers("9.28.0") | more, library=10)
    assert registry.fetch("9.28.0").files["cudnn_b.h"] == b"b" * 300_000


def test_platforms_and_cuda_versions_make_no_difference(house: House, cache: Cache) -> None:
    house.add("9.28.0.42")
    house.add(
        "9.28.0.42", "nvidia-cudnn-cu12", platform=WINDOWS,
        headers=cudnn_headers("9.28.0", newline="\r\n"),
    )  # fmt: skip
    with Registry(cache=cache, settings=PipSettings((house.url,))) as registry:
        linux = registry.fetch("9.28.0")
        (release,) = registry.available()
        del house.links["nvidia-cudnn-cu13"]
        windows = registry.fetch("9.28.0", refresh=True)
    assert len(release.wheels) == 2
    assert linux.origin.endswith(f"{LINUX}.whl")
    assert windows.origin.endswith(f"{WINDOWS}.whl")
    assert windows.digest == linux.digest


def test_an_older_build_only_under_its_full_name(house: House, registry: Registry) -> None:
    house.add("8.9.4.19", platform=WINDOWS)
    house.add("8.9.4.25")
    assert registry.fetch("8.9.4.19").build == "8.9.4.19"
    assert registry.fetch("8.9.4").build == "8.9.4.25"
    assert registry.fetch("8.9").build == "8.9.4.25"


def test_a_release_from_the_list_can_be_fetched_as_it_is(house: House, registry: Registry) -> None:
    house.add("9.27.0.1")
    house.add("9.28.0.42")
    assert [registry.fetch(release).version for release in registry.available()] == [
        "9.27.0",
        "9.28.0",
    ]


def test_all_is_not_one_release(house: House, registry: Registry) -> None:
    house.add("9.28.0.42")
    with pytest.raises(HeaderError, match="'all' means 1 releases"):
        registry.fetch("all")


def test_nonsense_is_refused_before_anybody_is_asked(house: House, registry: Registry) -> None:
    with pytest.raises(HeaderError, match="is not a cuDNN release"):
        registry.fetch("nine")
    assert house.requests == []


def test_progress_is_told_and_ends(house: House, cache: Cache) -> None:
    house.add("9.28.0.42")
    told: list[tuple[int, int, str]] = []
    settings = PipSettings((house.url,))
    with Registry(
        cache=cache, settings=settings, progress=lambda *step: told.append(step)
    ) as registry:
        registry.fetch("9.28.0")
    assert all(0 <= done <= total for done, total, _ in told)
    done, total, label = told[-1]
    assert done == total > 0
    assert label.endswith(".whl")


# Servers with less to offer


def test_a_server_that_counts_from_the_start_only(house: House, registry: Registry) -> None:
    house.suffix_ranges = False
    house.add("9.28.0.42", library=2_000_000)
    assert registry.fetch("9.28.0").build == "9.28.0.42"
    assert registry.received < 100_000


def test_a_server_without_parts_sends_the_wheel_and_that_is_said(
    house: House, registry: Registry, caplog: pytest.LogCaptureFixture
) -> None:
    house.ranges = False
    house.add("9.27.0.1")
    file = house.add("9.28.0.42")
    assert dict(registry.fetch("9.28.0").files) == cudnn_headers("9.28.0")
    assert registry.received > len(house.files[file])
    registry.fetch("9.27.0")
    (said,) = [record.getMessage() for record in caplog.records]  # once for the server
    assert said.startswith(f"http://{house.host} does not send parts of files")


def test_a_whole_wheel_must_have_the_hash_that_the_index_gives(
    house: House, registry: Registry
) -> None:
    house.ranges = False
    house.add("9.28.0.42", sha256="ab" * 32)
    with pytest.raises(HeaderError, match=f"expected sha256 {'ab' * 32}.* and got"):
        registry.fetch("9.28.0")


@contextmanager
def small_files_only(limit: int) -> Iterator[None]:
    """Writing more than `limit` bytes into a file fails, as on a full disk."""
    resource = pytest.importorskip("resource", reason="this system has no limits to set")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_no_room_for_a_whole_wheel(house: House, registry: Registry) -> None:
    house.ranges = False
    house.add("9.28.0.42", library=2_000_000)
    with (
        small_files_only(1_000_000),
        pytest.raises(HeaderError, match=r"cannot be stored in .*Make room"),
    ):
        registry.fetch("9.28.0")


# Without parts, two more bodies are cut that nobody reads: the answers to requests for parts.
@pytest.mark.parametrize(("ranges", "cuts"), [(True, 2), (False, 4)])
def test_a_broken_connection_is_tried_again(
    house: House, registry: Registry, ranges: bool, cuts: int
) -> None:
    house.ranges = ranges
    house.add("9.28.0.42")
    registry.available()
    house.cuts = cuts
    assert dict(registry.fetch("9.28.0").files) == cudnn_headers("9.28.0")
    assert house.cuts == 0


def test_a_connection_that_keeps_breaking(house: House, registry: Registry) -> None:
    house.add("9.28.0.42")
    registry.available()
    house.cuts = 1000
    with pytest.raises(HeaderError, match=r"\.whl cannot be read"):
        registry.fetch("9.28.0")


def test_a_server_that_sends_less_than_it_was_asked_for(house: House, registry: Registry) -> None:
    house.short_parts = True
    house.add("9.28.0.42")
    with pytest.raises(HeaderError, match="it sent 100 bytes as 'bytes "):
        registry.fetch("9.28.0")


# Wheels that will not do


@pytest.mark.parametrize("ranges", [True, False])
@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda data: data[: len(data) // 2], "damaged, truncated or foreign"),
        (lambda _: b"", "damaged, truncated or foreign|cannot be read"),
        (lambda _: b"<html>down for maintenance</html>" * 9, "damaged, truncated or foreign"),
        (lambda data: data.replace(b"PK\x03\x04", b"XX\x03\x04"), "damaged, truncated or foreign"),
    ],
    ids=["truncated", "empty", "html", "local headers overwritten"],
)
def test_a_damaged_wheel(
    house: House, registry: Registry, ranges: bool, damage: object, says: str
) -> None:
    house.ranges = ranges
    house.add("9.28.0.42", edit=damage, sha256="")  # type: ignore[arg-type]
    with pytest.raises(HeaderError, match=says):
        registry.fetch("9.28.0")


def test_a_bit_that_flipped(house: House, registry: Registry) -> None:
    def flip(data: bytes) -> bytes:
        name = "nvidia/cudnn/include/cudnn_ops.h"
        info = zipfile.ZipFile(io.BytesIO(data)).getinfo(name)
        place = info.header_offset + 30 + len(name) + info.compress_size // 2
        return data[:place] + bytes([data[place] ^ 4]) + data[place + 1 :]

    house.add("9.28.0.42", edit=flip)
    with pytest.raises(HeaderError, match="damaged, truncated or foreign"):
        registry.fetch("9.28.0")


@pytest.mark.parametrize("ranges", [True, False])
@pytest.mark.parametrize(
    ("place", "value"),
    [(6, 0xFFFF), (10, 9), (10, 12), (10, 14), (42, 0x7FFF0000), (42, 0xFFFFFFFF)],
    ids=["version", "deflate64", "bzip2", "lzma", "far", "zip64"],
)
def test_a_directory_of_nonsense(
    house: House, registry: Registry, ranges: bool, place: int, value: int
) -> None:
    def damage(data: bytes) -> bytes:
        at = data.rindex(b"PK\x01\x02") + place  # the RECORD is the last
        new = value.to_bytes(4 if place > 12 else 2, "little")
        return data[:at] + new + data[at + len(new) :]

    house.ranges = ranges
    house.add("9.28.0.42", edit=damage, sha256="")
    with pytest.raises(HeaderError, match="damaged, truncated or foreign"):
        registry.fetch("9.28.0")


def test_a_header_that_was_changed_with_care(house: House, registry: Registry) -> None:
    house.add("9.28.0.42", changed={"cudnn_ops.h": b"int backdoor;\n"})
    with pytest.raises(HeaderError, match=r"cudnn_ops\.h differs from the wheel's own RECORD"):
        registry.fetch("9.28.0")


def test_a_header_that_was_added(house: House, registry: Registry) -> None:
    house.add("9.28.0.42", changed={"cudnn_added.h": b"int backdoor;\n"})
    with pytest.raises(HeaderError, match=r"cudnn_added\.h is not in the wheel's own RECORD"):
        registry.fetch("9.28.0")


def test_a_wheel_without_a_record(house: House, registry: Registry) -> None:
    house.add("9.28.0.42", record=False)
    with pytest.raises(HeaderError, match="it has no RECORD"):
        registry.fetch("9.28.0")


@pytest.mark.parametrize("record", [b"a" * 200_000, b'"a' + b"b" * 200_000, b"a\rb,c\0\xff\n"])
def test_a_wheel_whose_record_is_no_table(house: House, registry: Registry, record: bytes) -> None:
    file = house.add("9.28.0.42", record=record)
    with pytest.raises(HeaderError, match=rf"{file}: "):
        registry.fetch("9.28.0")


@pytest.mark.parametrize("length", ["zz", "-1", "9" * 5000])
@pytest.mark.parametrize("ranges", [True, False])
def test_a_server_that_gives_no_number_for_the_length(
    house: House, registry: Registry, length: str, ranges: bool
) -> None:
    house.add("9.28.0.42")
    house.ranges, house.suffix_ranges, house.length = ranges, False, length
    assert registry.fetch("9.28.0").version == "9.28.0"


def test_a_wheel_without_headers(house: House, registry: Registry) -> None:
    file = house.add("9.28.0.42", headers={})
    with pytest.raises(HeaderError, match=rf"{file}: expected cuDNN's headers.* found nothing"):
        registry.fetch("9.28.0")


def test_a_wheel_with_headers_of_another_release(house: House, registry: Registry) -> None:
    house.add("9.28.0.42", headers=cudnn_headers("9.27.0"))
    with pytest.raises(HeaderError, match=r"expected headers of 9\.28\.0, but these are of 9\.27"):
        registry.fetch("9.28.0")


def test_a_wheel_that_is_gone(house: House, registry: Registry) -> None:
    file = house.add("9.28.0.42")
    del house.files[file]
    with pytest.raises(HeaderError, match=rf"{file} does not exist \(404"):
        registry.fetch("9.28.0")


def test_nothing_that_failed_is_kept(house: House, registry: Registry, cache: Cache) -> None:
    house.add("9.28.0.42", changed={"cudnn_ops.h": b"int backdoor;\n"})
    with pytest.raises(HeaderError):
        registry.fetch("9.28.0")
    assert [path.name.partition("-")[0] for path in cache.folder.iterdir()] == ["releases"]


# The cache


def again(house: House, cache: Cache) -> Registry:
    """A registry as the next process has it."""
    return Registry(cache=Cache(cache.folder), settings=PipSettings((house.url,)))


def test_what_was_fetched_needs_no_network(house: House, registry: Registry, cache: Cache) -> None:
    house.add("9.28.0.42")
    first = registry.fetch("9.28.0")
    house.stop()
    house.requests.clear()
    with again(house, cache) as offline:
        assert offline.fetch("9.28.0") == first
        assert offline.fetch("9.28.0.42") == first
        assert offline.fetch("latest") == first
    assert house.requests == []


def test_the_list_of_releases_is_asked_for_again_after_an_hour(
    house: House, registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.add("9.27.0.1")
    assert registry.fetch("latest").version == "9.27.0"
    house.add("9.28.0.42")
    assert registry.fetch("latest").version == "9.27.0"
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 3601)
    assert registry.fetch("latest").version == "9.28.0"


def test_refresh_asks_now(house: House, registry: Registry) -> None:
    house.add("9.27.0.1")
    registry.available()
    house.add("9.28.0.42")
    assert len(registry.available()) == 1
    assert len(registry.available(refresh=True)) == 2


def test_a_release_that_came_out_this_minute_is_found(house: House, registry: Registry) -> None:
    house.add("9.27.0.1")
    registry.available()
    house.add("9.28.0.42")
    assert registry.fetch("9.28.0").version == "9.28.0"


def test_refresh_finds_a_newer_build(house: House, registry: Registry) -> None:
    house.add("9.28.0.42")
    registry.fetch("9.28.0")
    house.add("9.28.0.43")
    assert registry.fetch("9.28.0").build == "9.28.0.42"
    assert registry.fetch("9.28.0", refresh=True).build == "9.28.0.43"
    assert registry.fetch("9.28.0").build == "9.28.0.43"


def test_an_old_list_is_better_than_none(
    house: House,
    registry: Registry,
    cache: Cache,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    house.add("9.28.0.42")
    registry.available()
    house.stop()
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 9000)
    with again(house, cache) as offline:
        assert [release.build for release in offline.available()] == ["9.28.0.42"]
    assert "Going on with the list of releases of" in caplog.text


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[:-1],
        lambda data: data[:200] + bytes([data[200] ^ 1]) + data[201:],
        lambda _: b"",
        lambda data: data.replace(b"cache 1", b"cache 0"),
    ],
    ids=["truncated", "a bit flipped", "empty", "of another version"],
)
def test_a_damaged_entry_is_fetched_again(
    house: House,
    registry: Registry,
    cache: Cache,
    caplog: pytest.LogCaptureFixture,
    damage: object,
) -> None:
    house.add("9.28.0.42")
    first = registry.fetch("9.28.0")
    entry = cache.folder / "cudnn-9.28.0.42"
    good = entry.read_bytes()
    entry.write_bytes(damage(good))  # type: ignore[operator]
    with again(house, cache) as later:
        assert later.fetch("9.28.0") == first
    (said,) = [record.getMessage() for record in caplog.records]  # though it is looked at twice
    assert "cudnn-9.28.0.42 is damaged" in said
    assert entry.read_bytes() == good


def test_an_entry_under_another_name_is_not_believed(
    house: House, registry: Registry, cache: Cache
) -> None:
    house.add("9.27.0.1")
    house.add("9.28.0.42")
    registry.fetch("9.27.0")
    registry.fetch("9.28.0")
    (cache.folder / "cudnn-9.27.0.1").replace(cache.folder / "cudnn-9.28.0.42")
    assert registry.fetch("9.28.0").version == "9.28.0"


def test_without_a_place_for_a_cache_all_still_works(
    house: House, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    house.add("9.28.0.42")
    (tmp_path / "file").write_text("in the way")
    cache = Cache(tmp_path / "file" / "cache")
    with Registry(cache=cache, settings=PipSettings((house.url,))) as registry:
        assert registry.fetch("9.28.0").version == "9.28.0"
    (record,) = [r for r in caplog.records if "cannot be written" in r.getMessage()]
    assert "CUDNN_CFFI_CACHE" in record.getMessage()


def test_a_full_disk_leaves_no_half_entry(
    house: House, registry: Registry, cache: Cache, caplog: pytest.LogCaptureFixture
) -> None:
    more = {"cudnn_big.h": os.urandom(1_000_000).hex().encode()}
    house.add("9.28.0.42", headers=cudnn_headers("9.28.0") | more)
    registry.available()
    with small_files_only(500_000):
        assert registry.fetch("9.28.0").version == "9.28.0"
    assert "cannot be written" in caplog.text
    kept = sorted(path.name.partition("-")[0] for path in cache.folder.iterdir())
    assert kept == ["newest", "releases"]


def test_the_folder_comes_from_the_environment_or_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUDNN_CFFI_CACHE", str(tmp_path / "mine"))
    assert Cache().folder == tmp_path / "mine"
    monkeypatch.delenv("CUDNN_CFFI_CACHE")
    assert "cudnn-cffi" in Cache().folder.parts


def test_without_a_home_there_is_no_cache(
    house: House, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The user of a container may have none, and no name."""
    for name in (
        "HOME",
        "XDG_CACHE_HOME",
        "XDG_CONFIG_HOME",
        "CUDNN_CFFI_CACHE",
        "PIP_CONFIG_FILE",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("os.path.expanduser", str)
    assert read_settings({"PIP_INDEX_URL": house.url}).indexes == (house.url,)
    house.add("9.28.0.42")
    with Registry(settings=PipSettings((house.url,))) as registry:
        assert registry.fetch("9.28.0").version == "9.28.0"
    assert "name a folder in CUDNN_CFFI_CACHE" in caplog.text


FETCH = """
import sys
from generator import headers
with headers.Registry() as registry:
    found = registry.fetch("9.28.0")
late = sorted({"requests", "remotezip", "packaging", "configparser"} & set(sys.modules))
print(found.digest, *late)
"""


def fetch_in_another_process(house: House, cache: Cache) -> subprocess.Popen[str]:
    environment = os.environ | {
        "PYTHONPATH": python_path(),
        "CUDNN_CFFI_CACHE": str(cache.folder),
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_INDEX_URL": house.url,
        "PIP_EXTRA_INDEX_URL": "",
        "PIP_FIND_LINKS": "",
    }
    return subprocess.Popen(
        [sys.executable, "-c", FETCH], env=environment, stdout=subprocess.PIPE, text=True
    )


def test_processes_that_fetch_at_once_do_not_disturb_each_other(
    house: House, registry: Registry, cache: Cache
) -> None:
    house.add("9.28.0.42", headers=cudnn_headers("9.28.0") | {"cudnn_big.h": b"x" * 3_000_000})
    processes = [fetch_in_another_process(house, cache) for _ in range(4)]
    digests = {process.communicate()[0].split()[0] for process in processes}
    assert digests == {registry.fetch("9.28.0").digest}
    assert not list(cache.folder.glob(".new-*"))


def test_headers_from_the_cache_load_nothing_that_speaks_to_a_network(
    house: House, cache: Cache
) -> None:
    house.add("9.28.0.42")
    cold = fetch_in_another_process(house, cache).communicate()[0].split()
    house.stop()
    warm = fetch_in_another_process(house, cache).communicate()[0].split()
    assert "requests" in cold
    assert warm == cold[:1]


# CUDA's headers


def test_cuda_headers_are_of_the_chosen_version(house: House, registry: Registry) -> None:
    house.add_cuda("13.0.96", "13.0.88")
    house.add_cuda("13.5.37", "13.5.37")
    found = registry.cuda_headers()
    assert found.version == "13.0"
    assert "crt/host_more.h" in found.files
    assert "cuda_unrelated.h" not in found.files


def test_without_the_chosen_version_the_newest_that_fits_together(
    house: House, registry: Registry
) -> None:
    house.add_cuda("13.2.86", "13.2.78")
    house.add_cuda("13.4.92", "13.3.73")
    assert registry.cuda_headers().version == "13.2"


def test_cuda_12_where_there_is_no_13(house: House, registry: Registry) -> None:
    house.add_cuda("12.9.79", "12.9.86")
    house.links = {
        "nvidia-cuda-runtime-cu12": house.links["nvidia-cuda-runtime"],
        "nvidia-cuda-nvcc-cu12": house.links["nvidia-cuda-crt"],
    }
    for links in house.links.values():
        for link in links:
            data = house.files.pop(link.file)
            link.file = link.file.replace("cuda_runtime", "cuda_runtime_cu12")
            link.file = link.file.replace("cuda_crt", "cuda_nvcc_cu12")
            house.files[link.file] = data
    assert registry.cuda_headers().version == "12.9"


def test_cuda_headers_are_kept(house: House, registry: Registry, cache: Cache) -> None:
    house.add_cuda("13.0.96", "13.0.88")
    first = registry.cuda_headers()
    house.stop()
    with again(house, cache) as offline:
        assert offline.cuda_headers() == first


def test_no_cuda_headers_on_the_index(registry: Registry) -> None:
    with pytest.raises(HeaderError, match=r"CUDA's headers were not found.*nvidia-cuda-crt"):
        registry.cuda_headers()


# The real thing


@pytest.mark.network
def test_a_real_release_takes_less_than_3_mb(cache: Cache) -> None:
    with Registry(cache=cache) as registry:
        try:
            registry.available()
        except HeaderError as error:
            pytest.skip(f"no package index: {error}")
        found = registry.fetch("9.12.0")
        cuda = registry.cuda_headers()
        assert 0 < registry.received < 3_000_000
    assert found.build == "9.12.0.46"
    assert {"cudnn.h", "cudnn_graph.h", "cudnn_version.h"} <= set(found.files)
    assert "crt/host_defines.h" in cuda.files
