"""Programs that two processes run together."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

#: Multicast between GPUs can take the host's GPUs out of service where they are shared.
APART = {
    "NCCL_NVLS_ENABLE": "0", "TORCH_SYMM_MEM_DISABLE_MULTICAST": "1", "NVSHMEM_DISABLE_NVLS": "1",
}  # fmt: skip


def in_two_processes(
    program: Path, meeting: Path, *arguments: str, **environment: str
) -> list[str]:
    """Run a program as two processes that get their rank and a place to meet.

    Returns: the last line of each.
    """
    started = [
        subprocess.Popen(
            [sys.executable, str(program), str(rank), str(meeting / "meeting"), *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1", **APART, **environment},
        )
        for rank in range(2)
    ]  # fmt: skip
    said = [each.communicate(timeout=300)[0] for each in started]
    for process, text in zip(started, said, strict=True):
        assert process.returncode == 0, text
    return [text.splitlines()[-1] for text in said]
