"""Properties of devices as descriptors of the loaded release."""

import json

import cudnn_cffi as cudnn

h200 = cudnn.DeviceProperties("H200")
text = json.loads(h200.to_json())

# The library takes what the package knows, and gives it back.

told = json.loads(h200.descriptor.json_representation)
assert told == text, (told, text)
assert h200.descriptor is h200.descriptor

# A figure that this release wants and that is not there is named by cuDNN, or at least refused.
for name in ("l2CacheSize", "warpSize"):
    short = {key: value for key, value in text.items() if key != name}
    try:
        cudnn.DeviceProperties(short).descriptor
    except cudnn.ArgumentError as error:
        assert "does not take the properties of NVIDIA H200" in str(error), error
        assert "DeviceProperties.current()" in str(error), error
    else:
        raise AssertionError(name)

# Some releases want the width of the memory bus, which the answer of 9.19 did not have.
without = {key: value for key, value in text.items() if key != "memoryBusWidth"}
try:
    cudnn.DeviceProperties(without).descriptor
    print("memoryBusWidth: not wanted")
except cudnn.ArgumentError:
    print("memoryBusWidth: wanted")
