"""Parts of choosing that need neither cuDNN nor a GPU."""

from __future__ import annotations

import contextlib
import ctypes
import json
import math
import os
import pickle
import random
import re
import struct
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import platformdirs
import pytest
from cudnn_cffi import errors, library
from cudnn_cffi._kept import store
from cudnn_cffi._support import arguments
from cudnn_cffi.choice import DeviceProperties, Knob, PlanCache, Timing, Tuned
from cudnn_cffi.choice.engine.knobs import check_knobs, walk
from cudnn_cffi.choice.engine.refusals import Listener, Refusal, is_final, no_plan, refusal
from cudnn_cffi.choice.filters import Filters, to_filters
from cudnn_cffi.choice.record_table import format_bytes
from cudnn_cffi.choice.store import disk
from cudnn_cffi.choice.store.plan_cache import PLAN_BYTES
from cudnn_cffi.choice.tune import samples
from cudnn_cffi.choice.tune.device_clock import is_stable
from cudnn_cffi.driver import timing

KNOBS = (Knob("TILE_SIZE", 0, 23, 1), Knob("SPLIT_K", 1, 9, 2), Knob("STAGES", 4, 4, 0))

# Device properties


def test_a_known_device_has_names_and_figures() -> None:
    for name in ("H200", "h200", "NVIDIA H200", " nvidia h200 "):
        device = DeviceProperties(name)
        assert device.name == "NVIDIA H200"
        assert device.compute_capability == (9, 0)
        assert device.multiprocessors == 132
        assert device["memoryBusWidth"] == 6016
    assert "NVIDIA H200" in DeviceProperties.known()
    assert repr(device).startswith("DeviceProperties('NVIDIA H200', compute capability 9.0, 132 ")


def test_known_bandwidth_is_what_the_data_sheet_says() -> None:
    """Twice the memory's clock, times the bus: 4.8 TB/s and a little."""
    device: Any = DeviceProperties("H200")
    bandwidth = 2 * device["memClockRateKHz"] * 1000 * device["memoryBusWidth"] / 8
    assert bandwidth == pytest.approx(4.8e12, rel=0.01)


def test_device_properties_go_through_json_files_and_pickle(tmp_path: Path) -> None:
    device = DeviceProperties("H200")
    path = tmp_path / "h200.json"
    path.write_text(device.to_json())
    for source in (device.to_json(), path, str(path), dict(device), json.loads(device.to_json())):
        assert DeviceProperties(source) == device
    assert pickle.loads(pickle.dumps(device)) == device
    assert DeviceProperties.of(device) is device
    assert DeviceProperties.of("H200") == device
    assert hash(DeviceProperties.of("H200")) == hash(device)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("B9000", "B9000.*\n.*NVIDIA H200"),
        ("{", "not JSON"),
        ("{}", "deviceName, deviceVer"),
        ("[1]", "unknown|no properties|device"),
        ({"deviceName": "x"}, "deviceVer"),
        (3.5, "got a float"),
        (None, "got a NoneType"),
    ],
)
def test_bad_device_properties_are_refused(source: Any, words: str) -> None:
    with pytest.raises(errors.ArgumentError, match=words):
        DeviceProperties(source)


def test_a_missing_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        DeviceProperties(tmp_path / "none.json")
    text = DeviceProperties("H200").to_json()
    for name, bad in (("deviceVer", '"x"'), ("deviceVer", "Infinity"), ("l2CacheSize", "[1]")):
        (tmp_path / "bad.json").write_text(re.sub(rf'("{name}"): \d+', rf"\1: {bad}", text))
        with pytest.raises(errors.ArgumentError, match=r"bad\.json: a property is not a number"):
            DeviceProperties(tmp_path / "bad.json")


def test_devices_of_one_kind_take_the_same_plans() -> None:
    device = DeviceProperties("H200")
    twin = DeviceProperties({**device, "pciDeviceId": 77, "cudaDeviceId": 3, "driverVer": 13010})
    assert twin != device
    assert twin.fingerprint == device.fingerprint
    assert device.differences(twin) == {}
    device.check_same(twin)
    later = DeviceProperties({**device, "totalGlobalMem": device.memory - (48 << 20)})
    assert later.kind == device.kind, "another driver keeps more memory for itself"
    told = {name: value for name, value in dict(device).items() if name != "memoryBusWidth"}
    assert DeviceProperties(told).kind == device.kind, "an older release tells less of the same"
    other = DeviceProperties({**device, "multiProcessorCount": 78, "deviceName": "half of one"})
    assert other.fingerprint != device.fingerprint
    with pytest.raises(errors.ArchMismatchError, match="multiProcessorCount 132 and 78"):
        device.check_same(other)


# Knobs


def test_values_of_knobs_are_checked() -> None:
    class Member:
        name = "TILE_SIZE"

    assert check_knobs(3, KNOBS, {"tile_size": 5, "CUDNN_KNOB_TYPE_SPLIT_K": 3}) == {
        "TILE_SIZE": 5,
        "SPLIT_K": 3,
    }
    assert check_knobs(3, KNOBS, {Member(): 0, "STAGES": 4}) == {"TILE_SIZE": 0, "STAGES": 4}
    assert check_knobs(3, KNOBS, {"SPLIT_K": -1}) == {"SPLIT_K": -1}  # as heuristics have it
    for name, value in (("SPLIT_K", 2), ("STAGES", 5), ("TILE_SIZE", 24), ("TILE_SIZE", True)):
        words = (
            rf"engine 3: {name}: expected \d to \d+.*, got {value}\n.*SPLIT_K 1 to 9 in steps of 2"
        )
        with pytest.raises(errors.ArgumentError, match=words):
            check_knobs(3, KNOBS, {name: value})
    with pytest.raises(errors.ArgumentError, match="engine 3 has no knob 'COLOUR'"):
        check_knobs(3, KNOBS, {"COLOUR": 1})


@pytest.mark.parametrize("seed", range(8))
def test_a_walk_has_each_combination_once(seed: int) -> None:
    vary = {knob.name: knob.values for knob in KNOBS}
    found = list(walk(KNOBS, vary, seed))
    assert len(found) == 24 * 5
    assert {tuple(each.items()) for each in found} == {
        (("TILE_SIZE", a), ("SPLIT_K", b), ("STAGES", 4))
        for a in range(24)
        for b in range(1, 10, 2)
    }
    assert found == list(walk(KNOBS, vary, seed))
    assert list(walk(KNOBS, {}, seed)) == [{}]


# Refusals


class Told(Listener):
    def __init__(self, *texts: str) -> None:
        super().__init__()
        self._texts = list(texts)


def test_the_innermost_reason_that_says_something_is_told() -> None:
    text = (
        "Warning: CUDNN_STATUS_NOT_SUPPORTED; Reason: engine->getStatus()\n"
        "Warning: CUDNN_STATUS_NOT_SUPPORTED; Reason: the tensor 0x7ffd1 is too large\n"
        " at: size > limit\n"
        "Warning: CUDNN_STATUS_NOT_SUPPORTED; Reason: finalize_internal()\n"
    )
    error = errors.from_status("f", 3000, "CUDNN_STATUS_NOT_SUPPORTED", text="ptrDesc->finalize()")
    found = refusal("plan", error, Told(text), 7, {"A": 1})
    assert found.reason == "the tensor 0x... is too large at: size > limit"
    assert found.to_dict() == {
        "engine": 7,
        "knobs": {"A": 1},
        "stage": "plan",
        "status": "CUDNN_STATUS_NOT_SUPPORTED",
        "reason": found.reason,
    }
    assert refusal("plan", error, Told(), 7).reason == "ptrDesc->finalize()"
    both = errors.from_status("f", 1, "CUDNN_STATUS_NOT_SUPPORTED", text="dims must be 4")
    assert refusal("plan", both, Told(text), 7).reason.startswith("dims must be 4; the tensor")
    long = errors.from_status("f", 1, "CUDNN_STATUS_NOT_SUPPORTED", text="word " * 500)
    assert len(refusal("plan", long, Told(), 7).reason) == 300


def test_one_error_has_all_reasons_grouped() -> None:
    refusals = [
        Refusal(i, {}, "engine", "CUDNN_STATUS_NOT_SUPPORTED", "too odd") for i in range(40)
    ]
    refusals += [
        Refusal(i, {}, "engine", "CUDNN_STATUS_NOT_SUPPORTED_ARCH_MISMATCH", "") for i in (50, 51)
    ]
    missing = Refusal(
        60, {"A": 2}, "plan", "CUDNN_STATUS_NOT_SUPPORTED_RUNTIME_PREREQUISITE_MISSING", "no NVRTC"
    )
    error = no_plan([*refusals, missing], "y = f(x)\nz = g(y)", "a GPU")
    lines = str(error).splitlines()
    assert lines[:3] == ["no engine supports this graph on a GPU:", "    y = f(x)", "    z = g(y)"]
    assert lines[3:5] == [
        "  engine 60 (A=2)",
        "    NOT_SUPPORTED_RUNTIME_PREREQUISITE_MISSING: no NVRTC",
    ]
    twice = Refusal(60, {"A": 3}, "plan", missing.status, "no NVRTC")
    assert "  engine 60 (2 configurations)" in str(no_plan([missing, twice], "", "")).splitlines()
    assert lines[5].endswith("engine 23 and 16 more")
    assert lines[-2] == "    NOT_SUPPORTED_ARCH_MISMATCH"
    assert lines[-1].startswith("  hint: a CUDA library that cuDNN uses is missing")
    assert error.refusals == (*refusals, missing)
    again = pickle.loads(pickle.dumps(error))
    assert again.refusals == error.refusals
    assert str(again) == str(error)
    assert error.replace(message="other").refusals == error.refusals
    assert is_final(refusals)
    assert not is_final([*refusals, missing])
    no_handle = "runtime_cublasLtHelper.create_cublas_handle(false)"
    assert not is_final([Refusal(0, {}, "engine", "CUDNN_STATUS_NOT_SUPPORTED", no_handle)])


# Caches


class FakePlan:
    def __init__(self, workspace_size: int = 0) -> None:
        self.workspace_size = workspace_size
        self.is_shared = self.closed = False

    def share(self) -> None:
        self.is_shared = True


def test_a_cache_forgets_what_was_used_longest_ago() -> None:
    cache: Any = PlanCache(max_entries=3, max_size=10 * PLAN_BYTES)
    held: dict[str, Any] = {name: FakePlan() for name in "abcd"}
    for name in "abc":
        cache.put(name, held[name])
    assert cache.get("a") is held["a"]
    cache.put("d", held["d"])
    assert cache.get("b") is None
    assert [cache.get(name) for name in "acd"] == [held["a"], held["c"], held["d"]]
    cache.put("large", FakePlan(8 * PLAN_BYTES))
    assert cache.get("a") is None
    assert cache.get("d") is held["d"]
    assert cache.info().size == 10 * PLAN_BYTES
    cache.put("d", held["a"])
    assert cache.info().entries == 2
    assert cache.info().size == 10 * PLAN_BYTES
    cache.put("too large", FakePlan(11 * PLAN_BYTES))
    assert cache.get("too large") is None
    assert cache.info().entries == 2, "the others need not go for what does not fit"
    cache.put("d", FakePlan(11 * PLAN_BYTES))
    assert cache.get("d") is None
    assert cache.info().entries == 1
    cache.clear()
    assert cache.info()[:5] == (0, 0, 0, 0, 0)


@pytest.mark.parametrize("name", ["max_entries", "max_size"])
def test_bounds_of_a_cache_are_numbers(name: str) -> None:
    cache: Any = PlanCache()
    for plan in "abc":
        cache.put(plan, FakePlan())
    before = getattr(cache, name)
    for wrong, words in ((-1, "from 0 on, got -1"), (1.5, "got 1.5"), ("3", "got '3'")):
        with pytest.raises(errors.ArgumentError, match=f"^{name}: expected a .*number.*{words}"):
            setattr(cache, name, wrong)
        with pytest.raises(errors.ArgumentError, match=f"^{name}: "):
            PlanCache(**{name: wrong})
    assert (getattr(cache, name), cache.info().entries) == (before, 3)
    setattr(cache, name, np.int64(1 if name == "max_entries" else PLAN_BYTES))
    assert cache.info().entries == 1, "what is beyond a new bound goes at once"
    setattr(cache, name, 0)
    cache.put("d", FakePlan())
    assert cache.info().entries == 0


@pytest.mark.parametrize("word", ["1", "ON", "yes ", "true"])
def test_switches_of_the_environment(monkeypatch: pytest.MonkeyPatch, word: str) -> None:
    name = "CUDNN_CFFI_SWITCH"
    for default in (True, False):
        monkeypatch.delenv(name, raising=False)
        assert arguments.is_on(name, default) is default
        monkeypatch.setenv(name, word)
        assert arguments.is_on(name, default)
        monkeypatch.setenv(name, "off")
        assert not arguments.is_on(name, default)
        monkeypatch.setenv(name, f"not {word}")
        with pytest.raises(errors.ArgumentError, match=f"^{name}: expected 1 or 0, got 'not "):
            arguments.is_on(name, default)


def test_filters_are_true_or_false_whatever_number_says_so() -> None:
    for no, yes in ((0, 1), (np.False_, np.True_)):
        found: Any = to_filters({"tf32": no, "deterministic": yes})
        assert (found.tf32, found.deterministic, found.tensor_cores) == (False, True, None)
        assert found.tf32 is False
        assert found.deterministic is True
    assert Filters.name_of({"deterministic": 1}) == Filters.name_of({"deterministic": True})
    assert Filters.name_of({"deterministic": False}) == ""


def test_a_tuned_plan_stays() -> None:
    cache: Any = PlanCache()
    tuned, other, newer = (FakePlan() for _ in range(3))
    cache.put("k", other)
    assert cache.get("k", tuned=True) is None
    cache.put("k", tuned, tuned=True)
    cache.put("k", other)
    assert cache.get("k") is tuned
    cache.put("k", newer, tuned=True)
    assert cache.get("k", tuned=True) is newer
    assert newer.is_shared, "one that uses it does not close it for others"
    newer.closed = True  # with its handle
    assert cache.get("k") is None


def test_nothing_is_kept_that_was_begun_before_all_was_forgotten() -> None:
    cache: Any = PlanCache()
    begun = cache.generation
    cache.put("old", FakePlan(), generation=begun)
    cache.clear()
    assert cache.get("old") is None
    cache.put("old", FakePlan(), generation=begun)
    cache.refuse("refused", errors.NoPlanError("none"), begun)
    cache.share("kind", "kernels", begun)
    assert cache.info().entries == len(cache.kernels) == 0, "errata may have changed since"
    cache.share("kind", "kernels", cache.generation)
    assert cache.kernels["kind"] == "kernels"
    cache.put("new", FakePlan(), generation=cache.generation)
    assert cache.get("new") is not None


def test_refusals_are_raised_again_each_time_anew() -> None:
    cache: Any = PlanCache()
    refusals: Any = (1,)
    cache.refuse("k", errors.NoPlanError("none", refusals=refusals))
    caught = []
    for _ in range(2):
        with pytest.raises(errors.NoPlanError) as info:
            cache.get("k")
        caught.append(info.value)
    assert caught[0] is not caught[1]
    assert caught[1].refusals == refusals
    assert cache.info().refusals == 1


class FakeLibrary:
    version = "9.99.0"
    cudart = 13000


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(store.VARIABLE, str(tmp_path))
    monkeypatch.setattr(library, "load", FakeLibrary)
    monkeypatch.setattr(store, "_warned", set())
    return tmp_path


def test_the_folder_is_that_of_the_platform(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(store.VARIABLE)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert store.folder() == platformdirs.user_cache_path("cudnn-cffi", appauthor=False) / "plans"
    monkeypatch.setenv("XDG_CACHE_HOME", "/elsewhere")
    assert store.folder() == platformdirs.user_cache_path("cudnn-cffi", appauthor=False) / "plans"
    usual = store.folder()
    for word in ("1", "on", "Yes"):
        monkeypatch.setenv(store.VARIABLE, word)
        assert store.folder() == usual
    for word in ("0", "off", "No", "FALSE"):
        monkeypatch.setenv(store.VARIABLE, word)
        assert store.folder() is None
        assert disk.load("d", "k") is None
        assert not disk.save("d", "k", disk.Saved(1, {}))


def test_what_was_saved_is_loaded_for_the_same_device_release_and_key_only(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = disk.Saved(3, {"A": 1}, True, (1, 2), "{}", ({"engine": 1},))
    assert disk.save("NVIDIA H200/9", "key", saved)
    assert disk.load("NVIDIA H200/9", "key") == saved
    assert disk.load("other", "key") is None
    assert disk.load("NVIDIA H200/9", "other") is None
    (path,) = folder.rglob("*.json")
    assert path.parent.name == "9.99.0-cuda13-NVIDIA-H200-9"
    assert path.stat().st_mode & 0o077 == 0
    monkeypatch.setattr(FakeLibrary, "cudart", 12090)
    assert disk.load("NVIDIA H200/9", "key") is None, "the same release for another CUDA"
    monkeypatch.setattr(FakeLibrary, "cudart", 13020)
    assert disk.load("NVIDIA H200/9", "key") == saved
    monkeypatch.setattr(FakeLibrary, "version", "9.99.1")
    assert disk.load("NVIDIA H200/9", "key") is None


@pytest.mark.parametrize("cut", range(0, 200, 13))
def test_a_damaged_file_is_a_warning(folder: Path, cut: int) -> None:
    disk.save("d", "k", disk.Saved(3, {"A": 1}))
    (path,) = folder.rglob("*.json")
    data = bytearray(path.read_bytes())
    data[cut % len(data)] ^= 4
    path.write_bytes(data)
    with pytest.warns(RuntimeWarning, match="is damaged and not used"):
        assert disk.load("d", "k") is None
    assert disk.load("d", "k") is None  # and no second warning


def save_kernel(key: str, code: bytes) -> bool:
    return store.write(store.place("kernels", key, ".cubin"), code)


def load_kernel(key: str) -> bytes | None:
    return store.read(store.place("kernels", key, ".cubin"), "kernel", bytes)


def test_binaries_of_kernels_are_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = b"\x7fELF\n\0\n"
    assert save_kernel("key", code)
    assert load_kernel("key") == code
    assert load_kernel("other") is None
    (path,) = folder.rglob("*.cubin")
    assert path.stat().st_mode & 0o077 == 0
    assert store.size() == path.stat().st_size
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.warns(RuntimeWarning, match=r"the saved kernel .* is damaged and not used"):
        assert load_kernel("key") is None
    store.clear()
    assert not path.exists()
    monkeypatch.setenv(store.VARIABLE, "0")
    assert not save_kernel("key", code)
    assert load_kernel("key") is None


@pytest.mark.usefixtures("folder")
def test_files_of_another_version_are_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    disk.save("d", "k", disk.Saved(3, {}))
    monkeypatch.setattr(disk, "_SCHEMA", 99)
    assert disk.load("d", "k") is None


def test_what_is_too_long_to_be_read_is_not_written(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "_LONGEST", 4000)
    assert disk.save("d", "k", disk.Saved(1, {}, plan="x" * 3500))
    (path,) = folder.rglob("*.json")
    longest = 4000 - path.stat().st_size + 3500
    assert disk.save("d", "k", disk.Saved(1, {}, plan="x" * longest))
    assert disk.load("d", "k") is not None
    assert not disk.save("d", "other", disk.Saved(1, {}, plan="x" * (longest + 4)))
    assert list(folder.rglob("*.json")) == [path]


@pytest.mark.usefixtures("folder")
def test_the_cache_on_disk_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "limit", 10_000)
    for i in range(30):
        disk.save("d", str(i), disk.Saved(i, {}, plan="x" * 800))
        path = disk._path("d", str(i))
        assert path is not None
        os.utime(path, (1000 + i, 1000 + i))
        assert store.size() <= 10_000
        if i == 5:
            first = disk._path("d", "0")
            assert disk.load("d", "0") is not None  # used: now it is the newest
    assert first is not None
    assert first.exists()
    assert disk.load("d", "1") is None
    assert disk.load("d", "29") is not None


def test_a_file_that_cannot_be_written_is_a_warning(folder: Path) -> None:
    (folder / "9.99.0-cuda13-d").write_text("in the way")
    with pytest.warns(RuntimeWarning, match="CUDNN_CFFI_PLAN_CACHE=0 turns this off"):
        assert not disk.save("d", "k", disk.Saved(3, {}))
    assert not list(folder.rglob("*.tmp"))


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX has FIFOs and modes")
@pytest.mark.parametrize("kind", ["fifo", "zeros", "folder", "writable", "foreign", "shared"])
def test_saved_plans_are_regular_files_that_nobody_else_may_write(
    folder: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = disk.Saved(3, {"A": 1})
    disk.save("d", "k", saved)
    (path,) = folder.rglob("*.json")
    if kind in ("fifo", "zeros", "folder"):
        path.unlink()
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "zeros":
        path.symlink_to("/dev/zero")
    elif kind == "folder":
        path.mkdir()
    elif kind == "writable":
        path.chmod(0o620)
    elif kind == "foreign":
        monkeypatch.setattr(os, "geteuid", lambda: path.stat().st_uid + 1)
        if path.stat().st_uid == 0:
            os.chown(path.parent, 12345, -1)
    else:
        path.parent.chmod(0o770)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(2):
            assert disk.load("d", "k") is None
    (warned,) = caught
    assert "is not used: " in str(warned.message) or "are not used: " in str(warned.message)
    zero = Path("/dev/zero").stat()
    if kind in ("folder", "foreign", "shared"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert not disk.save("d", "k", saved)
            assert disk.load("d", "k") is None
    else:  # a new file takes the place, for this user alone
        assert disk.save("d", "k", saved)
        assert disk.load("d", "k") == saved
        assert path.stat().st_mode & 0o777 == 0o600
        assert not path.is_symlink()
    assert Path("/dev/zero").stat() == zero


@pytest.mark.parametrize("number", ["Infinity", "1e999", "NaN", "null", "[]", '"x"', "9" * 5000])
@pytest.mark.parametrize("field", ["knobs", "uids", "engine", "refusals"])
def test_a_number_that_is_none_is_a_damaged_file(folder: Path, field: str, number: str) -> None:
    disk.save("d", "k", disk.Saved(3, {"A": 1}, uids=(1,), refusals=({"engine": 1},)))
    (path,) = folder.rglob("*.json")
    value = {"knobs": f'{{"A": {number}}}', "engine": number}.get(field, f"[{number}]")
    fields = json.loads(path.read_bytes().partition(b"\n")[2])
    fields[field] = "PLACE"
    body = json.dumps(fields).replace('"PLACE"', value).encode()
    path.write_bytes(store._digest(body) + b"\n" + body)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = disk.load("d", "k")
    if (field, number) == ("engine", "null"):
        assert found is not None
        assert found.engine is None
    elif (field, number) == ("refusals", "[]"):
        assert found is not None
        assert found.refusals == ({},)
    else:
        assert found is None
        (warned,) = caught
        assert "is damaged and not used" in str(warned.message)


def test_trimming_leaves_files_of_others(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = folder / "project" / "package.json"
    other.parent.mkdir()
    other.write_text("x" * 5000)
    monkeypatch.setattr(store, "limit", 100)
    disk.save("d", "k", disk.Saved(3, {"A": 1}))
    store.clear()
    assert other.exists()
    assert not list(folder.glob("9*/*.json"))


def test_files_are_looked_at_now_and_then(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[Path] = []
    files = store._files

    def look(base: Path) -> list[tuple[float, int, Path]]:
        looked.append(base)
        return files(base)

    monkeypatch.setattr(store, "_files", look)
    monkeypatch.setattr(store, "limit", 256_000)
    for place in range(1000):
        assert save_kernel(f"{place}", bytes(935))  # 1,000 with its hash
        assert sum(each.stat().st_size for each in folder.rglob("*.cubin")) <= 260_000
    assert load_kernel("999") == bytes(935)
    assert load_kernel("0") is None
    assert 1000 // 5 <= len(looked) <= 1000 // 4, "every fourth or fifth file is one 64th"


# Timing


def test_numbers_are_read_as_numpy_reads_them() -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    kinds = {
        "HALF": np.float16,
        "FLOAT": np.float32,
        "DOUBLE": np.float64,
        "INT8": np.int8,
        "INT32": np.int32,
        "INT64": np.int64,
        "BFLOAT16": ml_dtypes.bfloat16,
        "FP8_E4M3": ml_dtypes.float8_e4m3fn,
        "FP8_E5M2": ml_dtypes.float8_e5m2,
    }
    data = bytes(range(256)) * 16
    for name, dtype in kinds.items():
        expected = np.frombuffer(data, dtype).astype(float)
        read = samples._widen(samples._decode_numpy(name, data))
        for found in (samples._decode(name, data), read):
            np.testing.assert_array_equal(np.array(found), expected, err_msg=name)


@pytest.mark.parametrize("data_type", ["BFLOAT16", "HALF", "FLOAT", "FP8_E4M3", "INT8"])
def test_long_results_are_compared_to_their_end(
    data_type: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(samples, "_PART", 1000)
    block = samples._random_block(data_type, random.Random(2))[: 4 * 2500]
    numbers = samples._decode_numpy(data_type, block)
    other = numbers.copy()
    other[-1] = numbers[-2] if numbers[-1] != numbers[-2] else numbers[-3]
    a, b = (np.array(samples._decode(data_type, each.tobytes())) for each in (numbers, other))
    assert samples.difference(numbers, numbers.copy()) == 0
    expected = np.linalg.norm(b - a) / np.linalg.norm(a)
    assert samples.difference(other, numbers) == pytest.approx(expected, rel=1e-3)
    if data_type != "INT8":
        nan = numbers.copy()
        nan.view("u1")[-16:] = 0xFF
        assert samples.has_nan(nan)
        assert not samples.has_nan(numbers)
        assert samples.difference(nan, numbers) == math.inf


def test_blocks_of_random_numbers_are_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The generator goes on as if each had been made."""
    monkeypatch.setattr(samples, "_blocks", {})
    first, again = random.Random(5), random.Random(5)
    made = [samples._random_block(each, first) for each in ("HALF", "FLOAT", "HALF")]
    monkeypatch.setattr(samples, "_new_block", None)
    found = [samples._random_block(each, again) for each in ("HALF", "FLOAT", "HALF")]
    assert all(a is b for a, b in zip(found, made, strict=True))
    assert made[0] != made[2]
    assert first.getstate() == again.getstate()


@pytest.mark.parametrize("size", [1, 63, 64, 65, 128, 1000, 4096])
def test_memory_is_filled_with_a_block_by_few_copies(
    monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    """All streams see it: by CUDA's manual, copies of pageable memory may return before."""
    block, memory = random.Random(1).randbytes(64), ctypes.create_string_buffer(size + 8)
    calls: list[str] = []

    def call(name: str, *given: Any) -> None:
        calls.append(name)
        if name.startswith("cuMemcpy"):
            source = given[1] if isinstance(given[1], bytes) else given[1].value
            ctypes.memmove(given[0].value, source, given[2].value)

    monkeypatch.setattr(timing, "_call", call)
    timing.repeat(ctypes.addressof(memory), block, size)
    assert memory.raw == (block * 64)[:size] + bytes(8)
    assert calls[0] == "cuMemcpyHtoDAsync_v2"
    assert calls[-1] == "cuStreamSynchronize"
    assert len(calls) <= 2 + 6
    calls.clear()
    timing.copy_in(ctypes.addressof(memory), block[:size])
    assert calls == ["cuMemcpyHtoDAsync_v2", "cuStreamSynchronize"]


@pytest.mark.parametrize("data_type", sorted(samples._PATTERNS))
def test_random_numbers_are_finite_and_not_all_alike(data_type: str) -> None:
    block = samples._random_block(data_type, random.Random(1))
    assert block == samples._random_block(data_type, random.Random(1))
    numbers = np.array(samples._decode(data_type, block[:65536]))
    assert np.isfinite(numbers).all()
    if data_type in ("HALF", "BFLOAT16", "FLOAT", "DOUBLE", "FP8_E4M3", "FP8_E5M2"):
        assert abs(numbers).min() >= 0.5
        assert abs(numbers).max() < 1
        assert abs(numbers.mean()) < 0.05


def test_results_are_compared() -> None:
    for kind in (list, np.array):
        right = kind([3.0, 4.0, math.nan])
        assert samples.difference(kind([3.0, 4.0, math.nan]), right) == 0
        assert samples.difference(kind([3.0, 4.5, math.nan]), right) == pytest.approx(0.1)
        assert samples.difference(kind([3.0, math.nan, 4.0]), right) == math.inf
        assert samples.difference(kind([3.0, math.inf, math.nan]), right) == math.inf
        assert samples.difference(kind([1.0]), kind([0.0])) == math.inf
        assert samples.difference(kind([0.0]), kind([0.0])) == 0
        assert samples.has_nan(right)
        assert not samples.has_nan(kind([1.0]))
        assert samples.all_nan(kind([math.nan]))
        assert not samples.all_nan(right)
        infinite = kind([math.inf, 4.0])
        assert samples.difference(infinite, infinite) == 0
        assert samples.difference(kind([3.0, 4.0]), infinite) != 0
    assert samples.tolerance("FLOAT", True) > samples.tolerance("FLOAT", False)
    assert samples.tolerance("DOUBLE", True) < 1e-9
    ones = {"HALF": "e", "FLOAT": "f", "DOUBLE": "d"}
    for code in ones.values():
        (value,) = struct.unpack(code, b"\xff" * struct.calcsize(code))
        assert value != value  # what outputs are filled with is no number


def test_samples_are_stable_when_their_median_is_known() -> None:
    assert not is_stable([10.0] * 4, 0.01)
    assert is_stable([10.0] * 5, 0.01)
    assert not is_stable([8.0, 9.0, 10.0, 11.0, 12.0], 0.01)
    assert is_stable([10.0, 10.1, 9.9, 10.05, 9.95, 10.0, 30.0], 0.01)  # one that was disturbed


def test_what_was_tuned_prints_as_a_table() -> None:
    rows = Tuned(
        [
            Timing(3, {"A": 1}, "A", "ok", 12.345, 0.1, 12.1, 9, 4096, 1e-4),
            Timing(4, {}, "FALLBACK", "wrong", reason="y is not right", error=math.inf),
            Timing(5, {}, "A", "refused", reason="NOT_SUPPORTED: too odd"),
        ]
    )
    lines = repr(rows).splitlines()
    assert lines[0].split()[:3] == ["engine", "median", "us"]
    assert "12.35" in lines[1] or "12.34" in lines[1]
    assert "4096 B" in lines[1]
    assert "A=1" in lines[1]
    assert "wrong: y is not right" in lines[2]
    assert "default" in lines[2]
    assert json.loads(rows.to_json())[1]["median"] is None
    assert json.loads(rows.to_json())[1]["error"] is None
    assert isinstance(rows[:1], Tuned)
    assert repr(Tuned()) == "Tuned: empty"
    assert [format_bytes(each) for each in (None, 0, 10_239, 1 << 20, 300 << 20)] == [
        *("?", "0 B", "10239 B", "1024 KiB", "300 MiB"),
    ]


def test_plans_are_of_one_device_and_choices_of_all_of_a_kind(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from types import SimpleNamespace

    from cudnn_cffi.choice.filters import MODES
    from cudnn_cffi.choice.store import keys

    monkeypatch.setattr(keys, "kind_of", lambda _: "a kind")

    graph: Any = SimpleNamespace(lowered_signature="lowered")

    def key(device: int) -> Any:
        handle = SimpleNamespace(device=device)
        computation: Any = SimpleNamespace(
            signature="s", handle=handle, device=None, operands=(), is_current=True
        )
        return keys.to_key(computation, MODES, None, None, None, {})

    first, second = key(0), key(1)
    assert first.memory == key(0).memory != second.memory
    assert first.place == second.place
    assert first._on_disk(graph) == second._on_disk(graph)
    # So it is for an engine that others chose.
    listed = first._of_engine(3, {"TILE_SIZE": 1})
    assert listed.memory == key(0)._of_engine(3, {"TILE_SIZE": 1}).memory
    assert listed.memory != second._of_engine(3, {"TILE_SIZE": 1}).memory
    assert listed.memory not in (first.memory, first._of_engine(3, {"TILE_SIZE": 2}).memory)


@pytest.mark.parametrize(
    ("status", "lasting"),
    [
        ("CUDNN_STATUS_NOT_SUPPORTED", True),
        ("CUDNN_STATUS_INTERNAL_ERROR_COMPILATION_FAILED", True),
        ("CUDNN_STATUS_NOT_SUPPORTED_RUNTIME_PREREQUISITE_MISSING", False),
        ("CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED", False),
    ],
)
def test_a_makeshift_is_not_saved(
    monkeypatch: pytest.MonkeyPatch, status: str, lasting: bool
) -> None:
    """A plan that was built because memory or a library was missing is of this process alone."""
    kept: list[Any] = []
    key = SimpleNamespace(
        memory="k",
        find=lambda *_, **__: None,
        kind_of=lambda _: None,
        keep=lambda *_, **more: kept.append(more),
        make=lambda *_: "plan",
    )
    room = sys.modules["cudnn_cffi.choice.build"]
    monkeypatch.setattr(room, "to_key", lambda *_: key)
    monkeypatch.setattr(room, "_check_capture", lambda _: None)
    candidate = SimpleNamespace(engine=1, knobs={})
    found = [Refusal(3, {}, "plan", status, "why"), candidate]
    monkeypatch.setattr(room, "search", lambda *_: found)
    monkeypatch.setattr(room, "listening", lambda: contextlib.nullcontext())
    computation: Any = SimpleNamespace(operands=(), signature="")
    assert room.build(computation) == "plan"
    assert kept == [{"lasting": lasting}]


@pytest.mark.parametrize("choose", ["heuristics", "autotune"])
@pytest.mark.parametrize("is_known", [False, True])
def test_kernels_get_into_the_kernel_cache_whatever_is_known(
    monkeypatch: pytest.MonkeyPatch, choose: str, is_known: bool
) -> None:
    """A plan that is found again was compiled elsewhere."""
    known = SimpleNamespace(engine=7, knobs={"TILE_SIZE": 3})
    key = SimpleNamespace(
        memory="k", find=lambda *_, **__: known if is_known else None, keep=lambda *_, **__: None,
        make=None,
    )  # fmt: skip
    seen: list[Any] = []

    def build_first(_: Any, found: Any, cache: Any, *__: Any) -> Any:
        seen.append((list(found), cache))
        return "candidate", "built"

    room = sys.modules["cudnn_cffi.choice.build"]
    monkeypatch.setattr(room, "to_key", lambda *_: key)
    monkeypatch.setattr(room, "_check_capture", lambda _: None)
    monkeypatch.setattr(room, "search", lambda *given: [given[3:5]])
    monkeypatch.setattr(room, "autotune", lambda *_, **__: SimpleNamespace(best=known))
    monkeypatch.setattr(room, "build_first", build_first)
    monkeypatch.setattr(room, "KernelCache", SimpleNamespace)
    cache: Any = SimpleNamespace(check=lambda _: None)
    computation: Any = SimpleNamespace(operands=(), signature="")
    build = room.build
    assert build(computation, choose, kernel_cache=cache) == "built"
    forced = is_known or choose == "autotune"
    assert seen == [([(7, {"TILE_SIZE": 3})] if forced else [(None, None)], cache)]
    if is_known:
        assert build(computation, choose) is known
        assert len(seen) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX has FIFOs")
@pytest.mark.parametrize("kind", ["fifo", "zeros", "folder"])
def test_files_of_choices_are_regular_files(kind: str, tmp_path: Path) -> None:
    from cudnn_cffi import choice

    path = tmp_path / "choices.json"
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "zeros":
        path.symlink_to("/dev/zero")
    else:
        path.mkdir()
    for read in (choice.load, choice.save, choice.merge, choice.DeviceProperties):
        with pytest.raises(OSError, match=r"regular file|Is a directory"):
            read(path)
    assert Path("/dev/zero").is_char_device()
    path.unlink() if kind != "folder" else path.rmdir()
    path.touch()
    with path.open("r+b") as file:
        file.truncate((64 << 20) + 1)
    with pytest.raises(OSError, match="at most 67108864 bytes"):
        choice.load(path)
