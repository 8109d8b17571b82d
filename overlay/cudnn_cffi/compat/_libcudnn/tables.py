"""The dictionaries, exceptions and records of cudnn-python-wrappers."""

from __future__ import annotations

import ctypes
from typing import ClassVar

from .._words import DICTIONARIES, STATUSES

# The names are those of the package: dictionaries by C name, exceptions without "Error".

cudnnTensorFormat = DICTIONARIES["cudnnTensorFormat"]
cudnnDataType = DICTIONARIES["cudnnDataType"]
cudnnAddMode = DICTIONARIES["cudnnAddMode"]
cudnnConvolutionMode = DICTIONARIES["cudnnConvolutionMode"]
cudnnConvolutionFwdPreference = DICTIONARIES["cudnnConvolutionFwdPreference"]
cudnnConvolutionFwdAlgo = DICTIONARIES["cudnnConvolutionFwdAlgo"]
cudnnConvolutionBwdDataPreference = DICTIONARIES["cudnnConvolutionBwdDataPreference"]
cudnnConvolutionBwdDataAlgo = DICTIONARIES["cudnnConvolutionBwdDataAlgo"]
cudnnConvolutionBwdFilterPreference = DICTIONARIES["cudnnConvolutionBwdFilterPreference"]
cudnnConvolutionBwdFilterAlgo = DICTIONARIES["cudnnConvolutionBwdFilterAlgo"]
cudnnSoftmaxAlgorithm = DICTIONARIES["cudnnSoftmaxAlgorithm"]
cudnnSoftmaxMode = DICTIONARIES["cudnnSoftmaxMode"]
cudnnPoolingMode = DICTIONARIES["cudnnPoolingMode"]
cudnnActivationMode = DICTIONARIES["cudnnActivationMode"]
cudnnNanPropagation = DICTIONARIES["cudnnNanPropagation"]


class cudnnError(Exception):
    """A call that did not succeed.

    Attributes:
        status: the number of the status in cuDNN 8.
    """

    status: int

    def __init__(self, status: int | None = None, cause: object = None) -> None:
        self.status = self.number if status is None else int(status)
        super().__init__(self.status)
        self._reason = "" if cause is None else str(cause)

    #: The status of a class of errors.
    number: ClassVar[int] = 4

    def __str__(self) -> str:
        name = STATUSES.get(self.status, f"the status {self.status}")
        return f"{name}: {self._reason}" if self._reason else name


class cudnnStatusNotInitialized(cudnnError):
    """cuDNN was not initialized."""

    number = 1


class cudnnStatusAllocFailed(cudnnError):
    """There was not enough memory."""

    number = 2


class cudnnStatusBadParam(cudnnError):
    """An argument has a value that the function does not take."""

    number = 3


class cudnnStatusInternalError(cudnnError):
    """Something failed inside cuDNN."""

    number = 4


class cudnnStatusInvalidValue(cudnnError):
    """A value is not valid."""

    number = 5


class cudnnStatusArchMismatch(cudnnError):
    """The GPU lacks what the function needs."""

    number = 6


class cudnnStatusMappingError(cudnnError):
    """Device memory could not be accessed."""

    number = 7


class cudnnStatusExecutionFailed(cudnnError):
    """A kernel failed."""

    number = 8


class cudnnStatusNotSupported(cudnnError):
    """cuDNN has no implementation for these arguments."""

    number = 9


class cudnnStatusLicenseError(cudnnError):
    """A licence was not found."""

    number = 10


#: Classes of errors by status.
cudnnExceptions: dict[int, type[cudnnError]] = {
    cls.number: cls
    for cls in (
        *(cudnnStatusNotInitialized, cudnnStatusAllocFailed, cudnnStatusBadParam),
        *(cudnnStatusInternalError, cudnnStatusInvalidValue, cudnnStatusArchMismatch),
        *(cudnnStatusMappingError, cudnnStatusExecutionFailed, cudnnStatusNotSupported),
        cudnnStatusLicenseError,
    )
}


class AlgoPerf(ctypes.Structure):
    """The performance of an algorithm: time in ms, memory in bytes."""

    _fields_ = (
        ("algo", ctypes.c_int),
        ("status", ctypes.c_int),
        ("time", ctypes.c_float),
        ("memory", ctypes.c_size_t),
    )

    def __str__(self) -> str:
        return f"(algo={self.algo}, status={self.status}, time={self.time:f}, memory={self.memory})"

    __repr__ = __str__


class cudnnConvolutionFwdAlgoPerf(AlgoPerf):
    """The performance of an algorithm of a convolution: time in ms, memory in bytes."""


class cudnnConvolutionBwdDataAlgoPerf(AlgoPerf):
    """The performance of an algorithm of a gradient for data, as for the forward direction."""


class cudnnConvolutionBwdFilterAlgoPerf(AlgoPerf):
    """The performance of an algorithm of a gradient for filters, as for the forward direction."""


TYPE_CHECKING = False
if not TYPE_CHECKING:  # mypy does not evaluate it, and would see no names
    __all__ = [each for each in globals() if each.startswith("cudnn")]
