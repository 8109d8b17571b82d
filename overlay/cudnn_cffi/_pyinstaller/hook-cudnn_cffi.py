"""Has PyInstaller take what is imported when its first name is used, and the models."""

from __future__ import annotations

from PyInstaller.utils.hooks import (
    collect_data_files,
    collect_dynamic_libs,
    collect_submodules,
)

hiddenimports = collect_submodules("cudnn_cffi")
datas = collect_data_files(
    "cudnn_cffi",
    includes=[
        "_advice/*.json",
        "api/**/*",
        "choice/database/*.jsonl",
        "diagnose/**/*.c",
        "errata/*.json",
        "kernels/*.cu*",
        "network/*.c",
        "torch/**/*.cu*",
    ],
)
binaries = collect_dynamic_libs("cudnn_cffi")
