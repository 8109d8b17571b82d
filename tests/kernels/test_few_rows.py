"""Kernels for steps of decoding: what is refused before anything runs, and that they compile."""

from __future__ import annotations

import ctypes
import itertools
import re
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from cudnn_cffi import driver, errors, kernels
from cudnn_cffi._kept import store
from cudnn_cffi.driver import captures, libcuda
from cudnn_cffi.kernels import common, last_queries, launching, one_query

from tests.compilers import cpp_library


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 64, 16), "rows: expected 1 to 8, got 0"),
        ((9, 64, 16), "rows: expected 1 to 8, got 9"),
        ((1, 96, 16), "depth: expected a multiple of 64, got 96"),
        ((1, 0, 16), "depth: expected a multiple of 64, got 0"),
        ((1, 64, 24), "columns: expected a multiple of 16, got 24"),
        ((1, 64, 16, "float32"), "expected float16 or bfloat16, got float32"),
    ],
)
def test_extents(arguments: Any, message: str) -> None:
    with pytest.raises(errors.ArgumentError, match=message):
        kernels.FewRows(*arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 8, 2, 64), "got 0 sequences"),
        ((2, 8, 2, 63), "of width 63"),
        ((2, 8, 2, 64, "float64"), "got float64"),
    ],
)
def test_extents_of_rotations(arguments: Any, message: str) -> None:
    with pytest.raises(errors.ArgumentError, match=message):
        kernels.Rotation(*arguments)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"sequences": 0}, "got 0 sequences"),
        ({"heads": 12}, "12 and 8 heads"),
        ({"heads": 72}, "72 and 8 heads"),
        ({"page": 0}, "pages of 0 keys"),
        ({"pages": 0}, "0 pages of 16 keys"),
        ({"width": 96}, "width: expected 64 or 128, got 96"),
        ({"dtype": "float32"}, "expected float16 or bfloat16, got float32"),
        ({"scale": 0.0}, r"scale: expected a number above 0, got 0\.0"),
    ],
)
def test_extents_of_one_query(changed: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"sequences": 1, "heads": 16, "kv_heads": 8, "width": 64}
    with pytest.raises(errors.ArgumentError, match=message):
        kernels.OneQuery(**{**given, "page": 16, "pages": 4, **changed})


def test_outputs_in_the_memory_of_other_arrays() -> None:
    names = "x", "gate", "other", "y"

    def check(x: int = 0x1000, y: int = 0x1040, size: int = 64, same: str = "other") -> None:
        common.refuse_overlaps(names, (x, 0, 0x1040, y), (size, 64, 64, 64), same)

    check()
    check(y=0x1080)
    for changed in ({"y": 0x1030}, {"y": 0x1050}, {"size": 65}, {"same": ""}):
        with pytest.raises(errors.ArgumentError, match=r"^y: .* it overlaps (x|other)"):
            check(**changed)  # type: ignore[arg-type]


def test_older_devices_do_not_attend(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "compute_capability", lambda _: (8, 9))
    with pytest.raises(errors.NotSupportedError, match=r"expected a device of capability \(9, 0\)"):
        kernels.OneQuery(1, 8, 8, 64, 16, 4)


def test_one_query_compiles() -> None:
    if not kernels.can_compile():
        pytest.skip("there is no NVRTC")
    file = common.FOLDER / "one_query.cu"
    for dtype, group, width, page, rotates, cluster in (
        (0, 8, 128, 16, 0, 16), (1, 4, 128, 128, 1, 8), (0, 1, 64, 1, 1, 16), (1, 5, 64, 5, 0, 8),
    ):  # fmt: skip
        options = [f"-DGROUP={group}", f"-DWIDTH={width}", f"-DPAGE={page}", f"-DCLUSTER={cluster}"]
        options += ["-DEXACT", f"-DTYPE={dtype}", f"-DROTATES={rotates}", f"-DWAITS={1 - rotates}"]
        assert kernels.compiled(file, (9, 0), *options)[:4] == b"\x7fELF"


def test_last_queries_compile() -> None:
    if not kernels.can_compile():
        pytest.skip("there is no NVRTC")
    file = common.FOLDER / "last_queries.cu"
    for dtype, group, queries, width, page in (
        (0, 8, 8, 128, 16), (1, 8, 2, 128, 1), (0, 3, 7, 64, 5), (1, 8, 5, 64, 64), (1, 8, 1, 128, 16),
    ):  # fmt: skip
        options = [f"-DGROUP={group}", f"-DQUERIES={queries}", f"-DWIDTH={width}"]
        options += [f"-DPAGE={page}", "-DEXACT", f"-DTYPE={dtype}", f"-DADDERS={1 << 2 * dtype}"]
        options += [f"-DFIRST={dtype}"]
        assert kernels.compiled(file, (9, 0), *options, own=True)[:4] == b"\x7fELF"


@pytest.mark.parametrize("heads", [*range(1, 70), 96, 100, 133, 1000])
def test_nearly_all_multiprocessors_have_a_share(heads: int) -> None:
    for blocks in (114, 132):
        shares = last_queries._shares(heads, blocks)
        assert shares >= 1
        assert -heads * shares % blocks <= heads * shares / 10


@pytest.mark.parametrize("page", [1, 16, 1 << 20])
def test_lengths_have_room_in_the_table(page: int, tmp_path: Path) -> None:
    """The function that all lengths go through, as one of the host."""
    for name in ("one_query.cu", "last_queries.cu"):
        source = (common.FOLDER / name).read_text(encoding="utf-8")
        assert len(re.findall(r"keys_of\(\w+\(p\.lengths \+", source)) == 1, name
        hints = source.count("fetch(p.lengths")  # which read nothing
        assert source.count("p.lengths") == 1 + hints, "nothing else reads them"
    source = (common.FOLDER / "numbers.cuh").read_text(encoding="utf-8")
    found = re.search(r"^__device__[^\n]* int keys_of.*?^}\n", source, re.M | re.S)
    assert found is not None
    (tmp_path / "lengths.cpp").write_text(
        "#define __device__\n#define __forceinline__ inline\n" + found[0]
        + 'extern "C" int keys(int length, long long room, int others)'
        " { return keys_of(length, room, others); }\n"
    )  # fmt: skip
    keys = cpp_library(tmp_path / "lengths.so", tmp_path / "lengths.cpp").keys
    keys.argtypes = ctypes.c_int, ctypes.c_longlong, ctypes.c_int
    most = (1 << 31) - 1 - 256
    for length, blocks in itertools.product(
        (-(1 << 31), -1, 0, 1, 4095, 4096, 4097, most, (1 << 31) - 1), (1, 256, 4096)
    ):
        assert keys(length, blocks * page, 256) == max(0, min(length, blocks * page, most))


@pytest.mark.parametrize("capability", [(8, 0), (9, 0)])
def test_the_source_compiles(capability: tuple[int, int]) -> None:
    if not kernels.can_compile():
        pytest.skip("there is no NVRTC")
    for dtype, norm, add, tiles in itertools.product((0, 1), (0, 1), (0, 1), (1, 2)):
        options = [f"-DNORM={norm}", f"-DADD={add}", "-DGATE=0", "-DTHREADS=256"]
        code = kernels.compiled(
            common.FOLDER / "few_rows.cu",
            capability,
            f"-DTYPE={dtype}",
            f"-DTILES={tiles}",
            *options,
        )
        assert code[:4] == b"\x7fELF"
    # Lambdas are functions without a word about where they run, to compilers before CUDA 13.5.
    more = "int twice(int x) { return 2 * x; }"
    assert kernels.compiled(common.FOLDER / "few_rows.cu", capability, "-DTYPE=0", more=more)
    told = r"few_rows\.cu was not compiled"  # as others compute then
    with (
        pytest.warns(RuntimeWarning, match=told),
        pytest.raises(errors.NotSupportedError, match=told),
    ):
        kernels.compiled(common.FOLDER / "few_rows.cu", capability, "-DTYPE=0", more="!")


def test_a_binary_that_is_kept_is_not_compiled_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not kernels.can_compile():
        pytest.skip("there is no NVRTC")
    monkeypatch.setenv(store.VARIABLE, str(tmp_path))

    def compiled(major: int, *options: str, more: str = "") -> bytes:
        return kernels.compiled(
            common.FOLDER / "few_rows.cu", (major, 0), "-DTYPE=0", *options, more=more
        )

    first = compiled(9)
    (path,) = tmp_path.glob("kernels/*.cubin")
    assert store.read(path, "kernel", bytes) == first
    store.write(path, b"kept")
    assert compiled(9) == b"kept"
    others = compiled(8), compiled(9, "-DOTHER"), compiled(9, more="// other")
    assert all(each[:4] == b"\x7fELF" for each in others)
    assert len([*tmp_path.glob("kernels/*.cubin")]) == 4


@pytest.mark.parametrize(("capability", "attributes"), [((8, 9), 0), ((9, 0), 1), ((10, 0), 1)])
def test_older_devices_are_not_asked_to_overlap(
    capability: tuple[int, int], attributes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts: list[int] = []

    def launch(config: Any, *_: object) -> int:
        counts.append(config._obj.count)
        return 0

    monkeypatch.setattr(libcuda, "load", lambda: SimpleNamespace(cuLaunchKernelEx=launch))
    monkeypatch.setattr(driver, "compute_capability", lambda _: capability)
    launching._may_overlap.cache_clear()
    one = kernels.Launch(ctypes.c_void_p(1), 0, (1, 1, 1), 32)
    one.put(0, bytes(8), overlaps=True)
    one.put(0, bytes(8))
    launching._may_overlap.cache_clear()
    assert counts == [attributes, 0]


@pytest.mark.parametrize("status", [0, 912])
def test_clusters_are_counted_by_the_driver(status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel may have large ones before it is asked; an error says that there are none."""
    calls: list[tuple[object, ...]] = []

    def ask(found: Any, _: object, config: Any) -> int:
        one = config._obj.attributes[0]
        calls.append((config._obj.shared, config._obj.count, one.id, one.value[2]))
        found._obj.value = 7
        return status

    monkeypatch.setattr(libcuda, "load", lambda: SimpleNamespace(cuOccupancyMaxActiveClusters=ask))
    monkeypatch.setattr(libcuda, "call", lambda name, _, *given: calls.append((name, *given)))
    monkeypatch.setattr(launching, "in_context", lambda _: nullcontext())
    monkeypatch.setattr(launching, "primary_context", lambda _: 1)
    monkeypatch.setattr(captures, "relaxed", nullcontext)
    large = kernels.Launch(ctypes.c_void_p(1), 0, (8, 1, 16), 256, cluster=16)
    assert large.clusters() == (0 if status else 7)
    assert calls == [(0, 1, 4, 16)]
    calls.clear()
    small = kernels.Launch(ctypes.c_void_p(1), 0, (8, 1, 8), 256, shared=1000, cluster=8)
    assert small.clusters() == (0 if status else 7)
    assert calls == [(1000, 1, 4, 8)]


@pytest.mark.parametrize(("sequences", "large", "cluster"), [(1, 8, 16), (1, 7, 8), (2, 15, 8)])
def test_blocks_that_share_the_keys_of_one_query(
    sequences: int, large: int, cluster: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled: list[str] = []
    allowed: list[int] = []

    def kernel_of(*_: object, cluster: int = 1) -> ctypes.c_void_p:
        allowed.append(cluster)
        return ctypes.c_void_p(1)

    monkeypatch.setattr(one_query, "module_of", lambda *given, **_: compiled.append(given[-1]))
    monkeypatch.setattr(one_query, "kernel_of", kernel_of)
    monkeypatch.setattr(kernels.Launch, "clusters", lambda own: {16: large}[own._numbers[-1]])
    monkeypatch.setattr(launching, "_may_overlap", lambda _: True)
    made = kernels.OneQuery(sequences, 16, 8, 64, 16, 4)
    assert compiled[-1] == f"-DCLUSTER={cluster}"
    assert made.launch.words(False)[3] >> 32 == cluster
    assert allowed == sorted({16, cluster}, reverse=True), "one, if it fits"


@pytest.mark.parametrize(("cluster", "attributes"), [(8, []), (16, [(14, 1)])])
def test_kernels_ask_for_large_clusters(
    cluster: int, attributes: list[tuple[int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[tuple[Any, ...]] = []
    monkeypatch.setattr(libcuda, "call", lambda *given: calls.append(given))
    monkeypatch.setattr(launching, "in_context", lambda _: nullcontext())
    monkeypatch.setattr(launching, "primary_context", lambda _: 1)
    monkeypatch.setattr(captures, "relaxed", nullcontext)
    launching.kernel_of(ctypes.c_void_p(1), "attend", 0, cluster=cluster)
    assert [each[2:] for each in calls if each[0] == "cuFuncSetAttribute"] == attributes


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ("CUDA_ERROR_INVALID_IMAGE", errors.NotSupportedError),
        ("CUDA_ERROR_UNSUPPORTED_PTX_VERSION", errors.NotSupportedError),
        ("CUDA_ERROR_ILLEGAL_ADDRESS", errors.CudnnError),
        ("CUDA_ERROR_OUT_OF_MEMORY", errors.AllocationError),
    ],
)
def test_binaries_that_a_driver_does_not_load(
    answer: str, kind: type[errors.CudnnError], monkeypatch: pytest.MonkeyPatch,
    recwarn: pytest.WarningsRecorder,
) -> None:  # fmt: skip
    """An old driver is a lack, for which others compute; all else is an error."""

    class Old:
        def cuModuleLoadData(self, *_: object) -> int:
            return 1

    monkeypatch.setattr(libcuda, "load", Old)
    monkeypatch.setattr(libcuda, "error_name", lambda *_: answer)
    monkeypatch.setattr(launching, "in_context", lambda _: nullcontext())
    monkeypatch.setattr(launching, "primary_context", lambda _: 1)
    monkeypatch.setattr(captures, "relaxed", nullcontext)
    with pytest.raises(kind, match=f"cuModuleLoadData -> {answer}") as caught:
        launching.load_module(b"binary", 0)
    assert type(caught.value) is kind
    told = [str(each.message) for each in recwarn]
    assert told == [caught.value.message] * (kind is errors.NotSupportedError)


@pytest.mark.parametrize(
    ("sequences", "pages", "first"), [(1, 512, 1), (32, 512, 1), (128, 512, 0)]
)
def test_keys_that_leave_the_cache_first(
    sequences: int, pages: int, first: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled: list[str] = []
    monkeypatch.setattr(last_queries, "module_of", lambda *given, **_: compiled.extend(given[2:]))
    monkeypatch.setattr(last_queries, "kernel_of", lambda *_, **__: ctypes.c_void_p(1))
    last_queries.LastQueries(sequences, 8, 64, 8, 128, 16, pages, "float16", scale=1.0, blocks=132)
    assert f"-DFIRST={first}" in compiled
