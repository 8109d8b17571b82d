"""The projects on a package index that carry headers."""

from __future__ import annotations

#: cuDNN for each major version of CUDA. The headers of a release are the same in all.
CUDNN = ("nvidia-cudnn-cu13", "nvidia-cudnn-cu12", "nvidia-cudnn-cu11")

#: CUDA's runtime headers and the project with the crt/ folder that those include. The first pair
#: is much the smaller to download from a server that sends whole wheels only.
CUDA = (
    ("nvidia-cuda-runtime", "nvidia-cuda-crt"),
    ("nvidia-cuda-runtime-cu12", "nvidia-cuda-nvcc-cu12"),
)

#: Builds of the first pair, so that all see the same headers wherever these are still there.
CUDA_PIN = ("13.0.96", "13.0.88")
