"""Files of networks: what they have, and that nothing is made of one that is damaged."""

from __future__ import annotations

import pytest

from tests.network.conftest import Written

#: Files whose error is not that they are damaged.
OTHERS = {
    "other-device": "ArchMismatchError",
    "other-release": "VersionMismatchError",
    "other-cuda": "VersionMismatchError",
    "no-graphs": "NotSupportedError",
    "called": "NotSupportedError",
}


def test_a_plan_is_stored_once_for_all_steps(written: Written) -> None:
    facts = written.facts
    assert facts["names"] == ["x", "y"]
    assert (facts["plans"], facts["steps"], facts["parts"]) == (1, 4, 4)
    assert facts["device"] == "NVIDIA H200"
    assert facts["weights"] % 256 == 0
    assert not facts["numpy"], "its import takes longer than the network"


def test_arrays_in_two_roles(written: Written) -> None:
    assert written.facts["roles"] == {
        "twice": ["input", "view", "output"], "halves": ["seen", "view", "view", "output"],
    }  # fmt: skip


def test_an_engine_is_opened_by_a_plan_for_a_described_device(written: Written) -> None:
    assert written.facts["opened"] == [True, True]


def test_what_is_damaged_is_refused(written: Written) -> None:
    found = written.facts["found"]
    assert len(found) > 30
    assert found == {name: OTHERS.get(name, "NetworkFileError") for name in found}


@pytest.mark.usefixtures("cudnn")
def test_command_line(written: Written, capsys: pytest.CaptureFixture[str]) -> None:
    from cudnn_cffi.__main__ import main

    assert main(["network", str(written.folder / "good.net")]) == 0
    said = capsys.readouterr().out
    assert [word for word in ("input x", "HALF (2, 16, 8, 8)", "H200") if word not in said] == []
    for name, said in (("cut.net", "damaged"), ("absent.net", "No such file or directory")):
        path = str(written.folder / name)
        assert main(["network", path]) == 2
        error = capsys.readouterr().err
        assert error.startswith(f"error: {path}: ")
        assert said in error
