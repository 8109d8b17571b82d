"""Modules with the names and arguments of other packages, for programs written for those.

`cupy_cudnn` is for CuPy's `cupy.cudnn` and `cupy_backends_cudnn` for the raw functions below it;
`libcudnn` is for cudnn-python-wrappers, `libcudnn_1` for its version 1.0; `frontend` is for
NVIDIA's front end. Each is imported by its name. None of them needs the package that it stands for.
"""
