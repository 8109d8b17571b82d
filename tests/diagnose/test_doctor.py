"""The doctor's judgement: what each kind of broken installation is called, and what to do."""

from __future__ import annotations

import re
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cudnn_cffi.diagnose.child import Device, Driver, Loaded
from cudnn_cffi.diagnose.doctor import Finding, examine, to_text
from cudnn_cffi.diagnose.info import SCHEMA, Copy, Info, Nodes, Package, Part, Wheel
from cudnn_cffi.driver import libcuda
from cudnn_cffi.library.sublibraries import siblings, version_in

from tests.conftest import Run

LIBRARY = "/site/nvidia/cudnn/lib/libcudnn.so.9"
GRAPH = "/site/nvidia/cudnn/lib/libcudnn_graph.so.9"
OK = "CUDNN_STATUS_SUCCESS"

#: A machine on which everything is as it should be.
HEALTHY = Info(
    schema=SCHEMA,
    package=Package(
        version="1.0",
        path="/site/cudnn_cffi",
        python="3.12",
        platform="Linux",
        calls="compiled (API mode)",
        tables="9.28.0",
        releases=("9.10.0", "9.28.0"),
    ),
    library=Loaded(
        path=LIBRARY,
        how="pip wheel in /site",
        version="9.28.0",
        cudart=13050,
        files=(LIBRARY, GRAPH),
        checks={"cudnnGraphVersionCheck": OK, "cudnnCreateTensorDescriptor": OK, "cudnnCreate": OK},
        companions={"libcublas.so.13": "/site/nvidia/cu13/lib/libcublas.so.13"},
    ),
    parts=(Part("libcudnn_graph", GRAPH, "9.28.0", GRAPH),),
    copies=(Copy(LIBRARY, LIBRARY, "pip wheel in /site", "9.28.0"),),
    tried=(),
    in_process=(),
    driver=Driver("/usr/lib/libcuda.so.1", "13.5", "600.1", (Device(0, "GPU", "9.0", 1 << 36),)),
    wheels=(Wheel("nvidia-cudnn-cu13", "9.28.0.42", (LIBRARY, GRAPH)),),
    frameworks=(),
    environment={},
)


def sick(info: Info = HEALTHY, **changes: Any) -> list[Finding]:
    """Findings that are not ok if some fields of a record, or of one inside it, have other
    values."""
    for name, value in changes.items():
        if isinstance(value, dict) and name != "environment":
            value = replace(getattr(info, name), **value)
        info = replace(info, **{name: value})
    return [finding for finding in examine(info) if finding.level != "ok"]


def only(findings: list[Finding]) -> Finding:
    assert len(findings) == 1, findings
    assert findings[0].advice
    return findings[0]


def test_nothing_is_wrong_with_a_healthy_one() -> None:
    assert sick() == []
    assert {finding.check for finding in examine(HEALTHY)} >= {"library", "tables", "driver"}


def test_no_library_names_the_wheel_for_the_driver() -> None:
    found = only(
        sick(
            library=Loaded(error="LibraryNotFoundError", text="none"),
            parts=(),
            copies=(),
            wheels=(),
            driver={"cuda": "12.4"},
        )
    )
    assert (found.level, found.check) == ("fail", "library")
    assert found.advice.startswith("pip install nvidia-cudnn-cu12")


def test_without_a_driver_there_is_a_choice_of_wheels() -> None:
    found = sick(
        library=Loaded(error="LibraryNotFoundError", text="none"),
        parts=(),
        copies=(),
        wheels=(),
        driver={"cuda": "", "devices": (), "problem": "no NVIDIA driver"},
    )
    assert "nvidia-cudnn-cu13, or nvidia-cudnn-cu12 for CUDA 12" in found[0].advice


def test_a_reinstallation_is_of_the_wheel_that_the_library_came_with() -> None:
    missing = Part("libcudnn_adv", "", "", "", "missing")
    old = replace(HEALTHY.wheels[0], name="nvidia-cudnn-cu12", version="9.28.0.42")
    found = only(sick(parts=(*HEALTHY.parts, missing), wheels=(old,)))
    assert found.advice == "pip install --force-reinstall nvidia-cudnn-cu12==9.28.0.42"
    found = only(
        sick(
            parts=(*HEALTHY.parts, missing),
            wheels=(),
            driver={"cuda": "12.4"},
            library={"cudart": 12040},
        )
    )
    assert found.advice.endswith("pip install --force-reinstall nvidia-cudnn-cu12")


def test_a_library_that_ends_the_process() -> None:
    text = "cudnnAdvVersionCheck ended the process: SIGABRT"
    found = only(sick(library={"crashed": "cudnnAdvVersionCheck", "text": text, "output": "bye"}))
    assert found.text == f"{text}\nbye"


def test_a_missing_part() -> None:
    found = only(sick(parts=(*HEALTHY.parts, Part("libcudnn_adv", "", "", "", "missing"))))
    assert "libcudnn_adv: missing" in found.text
    assert "reinstall" in found.advice


def test_a_part_of_another_release() -> None:
    found = only(
        sick(parts=(*HEALTHY.parts, Part("libcudnn_ops", "/site/nvidia/cudnn/lib/x", "9.12.0", "")))
    )
    assert found.check == "one release"
    assert "9.12.0: libcudnn_ops" in found.text


def test_a_part_from_another_folder() -> None:
    found = only(sick(library={"files": (LIBRARY, "/opt/old/libcudnn_ops.so.9")}))
    assert "/opt/old/libcudnn_ops.so.9 was opened" in found.text
    assert "LD_LIBRARY_PATH" in found.advice


def test_a_part_from_a_package_of_the_same_release_is_a_warning(tmp_path: Path) -> None:
    part = tmp_path / "libcudnn_ops.so.9.28.0"
    part.touch()
    assert only(sick(library={"files": (LIBRARY, str(part))})).level == "warn"


def test_another_major_in_the_process_is_no_mixture() -> None:
    assert sick(library={"files": (LIBRARY, "/opt/old/libcudnn_ops_infer.so.8")}) == []


def test_parts_that_refuse_each_other() -> None:
    status = "CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH"
    found = only(sick(library={"checks": {"cudnnOpsVersionCheck": status}}))
    assert f"cudnnOpsVersionCheck answers {status}" in found.text


def test_files_that_are_not_the_wheels() -> None:
    wheel = replace(HEALTHY.wheels[0], changed=(GRAPH,))
    found = only(sick(wheels=(wheel,)))
    assert GRAPH in found.text
    assert found.advice == "pip install --force-reinstall nvidia-cudnn-cu13"


def test_a_wheel_of_another_release_than_its_file() -> None:
    wheel = replace(HEALTHY.wheels[0], version="9.12.0.46")
    assert "the wheel says nvidia-cudnn-cu13 9.12.0.46" in only(sick(wheels=(wheel,))).text


def test_two_wheels_in_one_folder() -> None:
    other = replace(HEALTHY.wheels[0], name="nvidia-cudnn-cu12")
    found = only(sick(wheels=(other, *HEALTHY.wheels)))
    assert "nvidia-cudnn-cu12 and nvidia-cudnn-cu13 write the same files" in found.text
    assert "pip uninstall nvidia-cudnn-cu12 nvidia-cudnn-cu13" in found.advice


def test_two_copies_in_one_process() -> None:
    found = only(sick(in_process=(LIBRARY, "/opt/libcudnn.so.9")))
    assert (found.level, found.check) == ("fail", "two copies")
    assert "/opt" in found.text


def test_two_releases_to_choose_from() -> None:
    copies = (*HEALTHY.copies, Copy("/opt/libcudnn.so.9", "/opt/libcudnn.so.9", "conda", "9.10.0"))
    found = only(sick(copies=copies))
    assert found.level == "warn"
    assert "CUDNN_CFFI_LIBRARY" in found.advice
    assert sick(copies=copies, environment={"CUDNN_CFFI_LIBRARY": "/"}) == []


def test_a_link_away_from_the_parts(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real/libcudnn.so.9").touch()
    link = tmp_path / "libcudnn.so.9"
    link.symlink_to("real/libcudnn.so.9")
    copy = Copy(str(link), str(link.resolve()), "named", "9.28.0")
    found = only(sick(copies=(copy,)))
    assert (found.level, found.check) == ("warn", "links")
    assert str(tmp_path / "real") in found.advice


def test_a_wheel_for_a_newer_cuda_than_the_driver() -> None:
    found = only(sick(driver={"cuda": "12.8"}))
    assert found.level == "fail"
    assert "nvidia-cudnn-cu12" in found.advice


def test_an_older_cuda_than_the_driver_is_fine() -> None:
    assert sick(library={"cudart": 12020}) == []


def test_no_driver_is_a_warning_only() -> None:
    assert only(sick(driver=Driver(problem="no NVIDIA driver"))).level == "warn"


def test_what_is_planned_without_a_gpu() -> None:
    why = "PREREQUISITE_MISSING: Could not open libnvrtc"
    for planned, said in (
        ({"convolution": "", "ReLU": why}, f"not every plan .*{why}"),
        ({"convolution": why, "ReLU": why}, f"no plan .*{why}"),
    ):
        found = only(sick(library={"planned": planned}))
        assert (found.level, found.check) == ("warn", "without a GPU")
        assert re.search(said, found.text)
        assert "without-a-gpu.md" in found.advice
    assert sick(library={"planned": {"convolution": "", "ReLU": ""}}) == []


def test_a_handle_that_cannot_be_made() -> None:
    checks = {"cudnnCreate": "CUDNN_STATUS_NOT_INITIALIZED"}
    found = only(sick(library={"checks": checks}))
    assert (found.level, found.check) == ("fail", "handle")


def test_cuda_libraries_that_are_missing_name_their_wheels() -> None:
    companions = {"libcublas.so.12": "", "libnvrtc.so.12": ""}
    found = only(sick(library={"companions": companions, "cudart": 12020}))
    assert "pip install nvidia-cublas-cu12 nvidia-cuda-nvrtc-cu12" in found.advice


@pytest.mark.parametrize(("version", "level"), [("9.29.0", "warn"), ("10.0.0", "fail")])
def test_a_release_without_tables(version: str, level: str) -> None:
    library = {"version": version}
    parts = tuple(replace(part, version=version) for part in HEALTHY.parts)
    wheels = tuple(replace(wheel, version=f"{version}.1") for wheel in HEALTHY.wheels)
    found = only(sick(library=library, parts=parts, wheels=wheels))
    assert (found.check, found.level) == ("tables", level)
    assert f"python -m cudnn_cffi generate {version}" in found.text + found.advice


def test_the_interpreted_call_layer() -> None:
    assert only(sick(package={"calls": "interpreted (ABI mode)"})).level == "warn"


def test_a_package_without_its_generated_half() -> None:
    assert only(sick(package={"problem": "no tables"})).level == "fail"


def test_a_variable_that_leads_nowhere() -> None:
    found = sick(environment={"CUDNN_CFFI_LIBRARY": "/nonexistent"})
    assert [finding.check for finding in found] == ["CUDNN_CFFI_LIBRARY"]
    assert "/nonexistent" in found[0].text


def test_every_variable_of_the_documents_is_known() -> None:
    page = (Path(__file__).parents[2] / "docs" / "install.md").read_text(encoding="utf-8")
    names = re.findall(r"^\| `(CUDNN_CFFI_\w+)` \|", page, re.MULTILINE)
    assert len(names) >= 13
    known = "knows no such variable"
    assert not [each for each in names if known in str(sick(environment={each: "0"}))]


def test_variables_that_say_nothing(tmp_path: Path) -> None:
    found = only(sick(environment={"CUDNN_CFFI_CHOISE": "time"}))
    assert (found.level, found.check) == ("warn", "CUDNN_CFFI_CHOISE")
    assert found.advice == "is CUDNN_CFFI_CHOICE meant?"
    found = only(sick(environment={"CUDNN_CFFI_CHOICE": "fastest"}))
    assert (found.level, found.check) == ("fail", "CUDNN_CFFI_CHOICE")
    assert "'fastest'" in found.text
    assert "deterministic" in found.advice
    file = tmp_path / "file"
    file.touch()
    found = only(sick(environment={"CUDNN_CFFI_PLAN_CACHE": str(file / "plans")}))
    assert (found.level, found.check) == ("warn", "CUDNN_CFFI_PLAN_CACHE")
    assert str(file) in found.text
    for name, value in (
        ("CHECK", "maybe"), ("TORCH_NODES", "2"), ("MODE", "fast"), ("REPLAY", "-1"),
        ("EXPLAIN", "long"), ("MODE", "API"),
    ):  # fmt: skip
        found = only(sick(environment={f"CUDNN_CFFI_{name}": value}))
        assert (found.level, found.check) == ("fail", f"CUDNN_CFFI_{name}")
        assert re.fullmatch(f"expected .*, got '{value}'", found.text)
    fine = {
        "CUDNN_CFFI_CHECK": "off",
        "CUDNN_CFFI_EXPLAIN": "5e-1",
        "CUDNN_CFFI_MODE": "abi",
        "CUDNN_CFFI_REPLAY": "0",
        "CUDNN_CFFI_TORCH_NODES": "No",
        "CUDNN_CFFI_CHOICE": "time,tf32=0",
        "CUDNN_CFFI_PLAN_CACHE": str(tmp_path / "a/b"),
        "CUDNN_CFFI_TEST_HEADERS": "1",
        "CUDNN_LOGLEVEL_DBG": "1",
    }
    assert sick(environment=fine) == []
    assert sick(environment={"CUDNN_CFFI_PLAN_CACHE": "off"}) == []


def test_a_search_path_to_another_one(tmp_path: Path) -> None:
    (tmp_path / "libcudnn_ops.so.9").touch()
    found = only(sick(environment={"LD_LIBRARY_PATH": f"/nothing:{tmp_path}"}))
    assert str(tmp_path) in found.text


def test_text_puts_the_advice_below_the_finding() -> None:
    findings = [Finding("ok", "a", "fine"), Finding("fail", "b", "bad\nworse", "do this")]
    assert to_text(findings).splitlines() == [
        "ok    a: fine",
        "fail  b: bad",
        "      worse",
        "      -> do this",
    ]


# With the real library ----------------------------------------------------------------------------

linux = pytest.mark.skipif(sys.platform != "linux", reason="the libraries are Linux's")
DOCTOR = "import cudnn_cffi.diagnose.doctor as d, sys; sys.exit(d.main())"


def levels(output: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in output.splitlines():
        if line[:4].strip() in ("ok", "warn", "fail") and line[4:6] == "  ":
            found.setdefault(line[:4].strip(), []).append(line[6:].partition(":")[0])
    return found


@linux
def test_the_real_library_is_healthy(run: Run, cudnn_libraries: list[Path]) -> None:
    for library in cudnn_libraries:
        found = levels(run(DOCTOR, library).stdout)
        # A driver that is older than this library's CUDA is no fault of the library.
        assert set(found.get("fail", ())) <= {"driver", "handle"}
        assert {"library", "tables", "sub-libraries", "one release", "calls"} <= set(found["ok"])
        told = {check for checks in found.values() for check in checks}
        assert ("without a GPU" in told) == bool(libcuda.why_unusable())


@linux
def test_a_real_mixture_fails(
    run: Run, two_of_one_major: tuple[Path, Path], tmp_path: Path
) -> None:
    one, other = two_of_one_major
    for name, path in siblings(one).items():
        source = siblings(other).get(name, path) if name.startswith("libcudnn_ops") else path
        (tmp_path / path.name).symlink_to(source)
    shutil.copy(one, tmp_path)
    done = run(DOCTOR, tmp_path, check=False)
    assert done.returncode == 1
    assert "one release" in levels(done.stdout)["fail"]
    assert version_in(other) in done.stdout


@linux
def test_two_real_copies_in_one_process_fail(run: Run, two_of_one_major: tuple[Path, Path]) -> None:
    load = "".join(f"ctypes.CDLL({str(path)!r}).cudnnGetVersion();" for path in two_of_one_major)
    done = run(f"import ctypes; {load} {DOCTOR}", check=False)
    assert done.returncode == 1
    assert "two copies" in levels(done.stdout)["fail"]


@pytest.mark.parametrize(
    ("state", "level", "says", "advises"),
    [
        ("compiled", "ok", "are compiled", False), ("compiling", "ok", "are being compiled", False),
        ("missing", "ok", "are not compiled yet", True), ("off", "ok", "are not used", False),
        ("failed", "warn", "could not be compiled", True),
        ("impossible", "warn", "cannot be compiled", True),
    ],
)  # fmt: skip
def test_nodes_of_autograd(state: str, level: str, says: str, advises: bool) -> None:
    (found,) = [
        each
        for each in examine(replace(HEALTHY, nodes=Nodes(state, "the reason")))
        if each.check == "PyTorch"
    ]
    assert found.level == level
    assert f"{says}: the reason" in found.text
    assert ("compile_nodes()" in found.advice) == advises
    assert not [each for each in examine(HEALTHY) if each.check == "PyTorch"]
