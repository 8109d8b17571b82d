"""Properties of real devices by name, so that plans can be made for them on any machine.

Each entry is what CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION of a device's own descriptor answered.
Figures that only newer releases have, and so were not in that answer, are in `ADDED` with their
source.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


#: The answers by name, without what depends on the machine that the device was in.
ANSWERS: Mapping[str, Mapping[str, object]] = {
    "NVIDIA H200": {  # asked by cuDNN 9.19.0, with a driver for CUDA 13.0
        "maxGridSize": [2147483647, 65535, 65535],
        "maxBlockSize": [1024, 1024, 64],
        "regsPerBlock": 65536,
        "multiProcessorCount": 132,
        "warpSize": 32,
        "maxSharedMemoryPerBlock": 49152,
        "maxSharedMemoryPerBlockOptin": 232448,
        "reservedSharedMemoryPerBlock": 1024,
        "maxRegistersPerSM": 65536,
        "maxCtasPerSM": 32,
        "maxThreadsPerBlock": 1024,
        "maxThreadsPerSM": 2048,
        "pciDeviceId": 6,
        "isTccDriver": 0,
        "supportCoopLaunch": 1,
        "totalGlobalMem": 150109880320,
        "smClockRateKHz": 1980000,
        "memClockRateKHz": 3201000,
        "l2CacheSize": 62914560,
        "cudaDeviceId": 0,
        "deviceVer": 900,
        "driverVer": 13000,
        "deviceName": "NVIDIA H200",
    },
}

#: Figures that newer releases want, which the answers above do not have. The width of the bus is
#: what the driver of an H200 answers for CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH. At the clock
#: above that is 4.8 TB/s, as NVIDIA's data sheet says; six stacks of 1024 bits would be more.
ADDED: Mapping[str, Mapping[str, object]] = {
    "NVIDIA H200": {"memoryBusWidth": 6016},
}
