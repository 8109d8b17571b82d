# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:3ab81930e07f37e267de5775b3fa4fdd
"""Types of the structs."""

from ctypes import Structure
from typing import Any

from .enums import *

class _Record(Structure):
    @property
    def address(self) -> int: ...

class Algorithm(_Record):
    algo: Any
    def __init__(self, algo: Any = ...) -> None: ...

cudnnAlgorithm_t = Algorithm

class ConvolutionBwdDataAlgoPerf(_Record):
    algo: ConvolutionBwdDataAlgo
    status: Status
    time: float
    memory: int
    determinism: Determinism
    mathType: MathType
    reserved: Any
    def __init__(
        self,
        algo: ConvolutionBwdDataAlgo = ...,
        status: Status = ...,
        time: float = ...,
        memory: int = ...,
        determinism: Determinism = ...,
        mathType: MathType = ...,
        reserved: Any = ...,
    ) -> None: ...

cudnnConvolutionBwdDataAlgoPerf_t = ConvolutionBwdDataAlgoPerf

class ConvolutionBwdFilterAlgoPerf(_Record):
    algo: ConvolutionBwdFilterAlgo
    status: Status
    time: float
    memory: int
    determinism: Determinism
    mathType: MathType
    reserved: Any
    def __init__(
        self,
        algo: ConvolutionBwdFilterAlgo = ...,
        status: Status = ...,
        time: float = ...,
        memory: int = ...,
        determinism: Determinism = ...,
        mathType: MathType = ...,
        reserved: Any = ...,
    ) -> None: ...

cudnnConvolutionBwdFilterAlgoPerf_t = ConvolutionBwdFilterAlgoPerf

class ConvolutionFwdAlgoPerf(_Record):
    algo: ConvolutionFwdAlgo
    status: Status
    time: float
    memory: int
    determinism: Determinism
    mathType: MathType
    reserved: Any
    def __init__(
        self,
        algo: ConvolutionFwdAlgo = ...,
        status: Status = ...,
        time: float = ...,
        memory: int = ...,
        determinism: Determinism = ...,
        mathType: MathType = ...,
        reserved: Any = ...,
    ) -> None: ...

cudnnConvolutionFwdAlgoPerf_t = ConvolutionFwdAlgoPerf

class Debug(_Record):
    cudnn_version: int
    cudnnStatus: Status
    time_sec: int
    time_usec: int
    time_delta: int
    handle: int
    stream: int
    pid: int
    tid: int
    cudaDeviceId: int
    reserved: Any
    def __init__(
        self,
        cudnn_version: int = ...,
        cudnnStatus: Status = ...,
        time_sec: int = ...,
        time_usec: int = ...,
        time_delta: int = ...,
        handle: int = ...,
        stream: int = ...,
        pid: int = ...,
        tid: int = ...,
        cudaDeviceId: int = ...,
        reserved: Any = ...,
    ) -> None: ...

cudnnDebug_t = Debug

class Fraction(_Record):
    numerator: int
    denominator: int
    def __init__(self, numerator: int = ..., denominator: int = ...) -> None: ...

cudnnFraction_t = Fraction

class GnnCscGraph(_Record):
    cscOffsets: int
    cscIndices: int
    mapCscToCoo: int
    mapRevToCoo: int
    nSrcNodes: int
    nDstNodes: int
    nIndices: int
    idxType: DataType
    cscRevOffsets: int
    def __init__(
        self,
        cscOffsets: int = ...,
        cscIndices: int = ...,
        mapCscToCoo: int = ...,
        mapRevToCoo: int = ...,
        nSrcNodes: int = ...,
        nDstNodes: int = ...,
        nIndices: int = ...,
        idxType: DataType = ...,
        cscRevOffsets: int = ...,
    ) -> None: ...

cudnnGnnCscGraph_t = GnnCscGraph

class GnnMhaParams(_Record):
    activation: GnnActivationOp
    activationAlpha: float
    numHeads: int
    concatHeads: int
    def __init__(
        self,
        activation: GnnActivationOp = ...,
        activationAlpha: float = ...,
        numHeads: int = ...,
        concatHeads: int = ...,
    ) -> None: ...

cudnnGnnMhaParams_t = GnnMhaParams
