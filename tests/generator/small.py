"""Headers of a few lines with the shape of cuDNN's and CUDA's, written for the tests."""

from __future__ import annotations

from pathlib import Path

from generator.classify import Facts
from generator.headers.records import CudaHeaders, HeaderSet

#: Headers of CUDA that cuDNN's headers use.
CUDA = CudaHeaders(
    version="13.0",
    files={
        "cuda_runtime_api.h": b'#include "driver_types.h"\n#include "library_types.h"\n',
        "cuda_runtime.h": b'#include "cuda_runtime_api.h"\n',
        "driver_types.h": b"#include <stddef.h>\ntypedef struct CUstream_st *cudaStream_t;\n"
        b"typedef struct CUgraph_st *cudaGraph_t;\n",
        "library_types.h": b"#ifndef __LIBRARY_TYPES_H__\n#define __LIBRARY_TYPES_H__\n"
        b"typedef enum libraryPropertyType_t { MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL }\n"
        b"libraryPropertyType;\n#endif\n",
    },
    origin="a test",
)

#: The minimum of every release: a status, the handle, a tensor descriptor, and its getters.
BASE = """
typedef struct cudnnContext *cudnnHandle_t;
typedef enum { CUDNN_STATUS_SUCCESS = 0, CUDNN_STATUS_BAD_PARAM = 2000 } cudnnStatus_t;
typedef enum { CUDNN_DATA_FLOAT = 0, CUDNN_DATA_DOUBLE = 1 } cudnnDataType_t;
typedef enum { CUDNN_TENSOR_NCHW = 0, CUDNN_TENSOR_NHWC = 1 } cudnnTensorFormat_t;
typedef struct cudnnTensorStruct *cudnnTensorDescriptor_t;
size_t cudnnGetVersion(void);
const char *cudnnGetErrorString(cudnnStatus_t status);
cudnnStatus_t cudnnCreate(cudnnHandle_t *handle);
cudnnStatus_t cudnnDestroy(cudnnHandle_t handle);
cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t *tensorDesc);
cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t tensorDesc);
cudnnStatus_t cudnnSetTensorNdDescriptor(cudnnTensorDescriptor_t tensorDesc,
    cudnnDataType_t dataType, int nbDims, const int dimA[], const int strideA[]);
cudnnStatus_t cudnnGetTensorNdDescriptor(const cudnnTensorDescriptor_t tensorDesc,
    int nbDimsRequested, cudnnDataType_t *dataType, int *nbDims, int dimA[], int strideA[]);
"""


class Trusting(Facts):
    """Facts of a person who has found every rule right: for tests of rules and of later steps."""

    def confirms(self, function: str, count: int, declaration: str) -> bool:  # noqa: ARG002
        return True


def text_of(version: str, body: str = BASE) -> str:
    """cudnn.h of `version` with `body` in it."""
    major, minor, patch = version.split(".")
    factor = 1000 if int(major) < 9 else 10000
    return (
        '#ifndef CUDNN_H_\n#define CUDNN_H_\n#include "cuda_runtime_api.h"\n#include <stdint.h>\n'
        f"#define CUDNN_MAJOR {major}\n#define CUDNN_MINOR {minor}\n"
        f"#define CUDNN_PATCHLEVEL {patch}\n"
        f"#define CUDNN_VERSION (CUDNN_MAJOR * {factor} + CUDNN_MINOR * 100 + CUDNN_PATCHLEVEL)\n"
        f"{body}\n#endif\n"
    )


def headers(version: str, body: str = BASE, **others: str) -> HeaderSet:
    """The headers of a release; `others` are further files by their names without .h."""
    files = {"cudnn.h": text_of(version, body).encode()}
    files.update({f"{name}.h": text.encode() for name, text in others.items()})
    return HeaderSet(version=version, build=version, files=dict(sorted(files.items())), origin="x")


def content(folder: Path) -> dict[str, bytes]:
    """All files below the folder that holds a tree, so that leftovers show."""
    return {
        p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()
    }
