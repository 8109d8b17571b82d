/* Stands in for the driver: a device whose name and properties are in the environment, and no memory. */
#include "cuda.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

CUresult cuInit(unsigned flags) { return flags || !getenv("DEVICE") ? CUDA_ERROR_NO_DEVICE : CUDA_SUCCESS; }
CUresult cuDeviceGet(CUdevice *device, int ordinal) { return *device = ordinal, CUDA_SUCCESS; }
CUresult cuDeviceGetName(char *name, int size, CUdevice device) {
    snprintf(name, (size_t)size, "%s", getenv("DEVICE"));
    return device ? CUDA_ERROR_NO_DEVICE : CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
    *value = attribute == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT       ? atoi(getenv("MULTIPROCESSORS"))
             : attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? 9
                                                                         : 0;
    return device ? CUDA_ERROR_NO_DEVICE : CUDA_SUCCESS;
}
/* Makes no context, but waits until a library is loaded whose name is in the environment. */
CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
    const char *name = getenv("AWAITED");
    char line[4096];
    for (bool found = !name; !found;) {
        FILE *maps = fopen("/proc/self/maps", "r");
        while (fgets(line, sizeof line, maps)) found = found || strstr(line, name);
        fclose(maps);
        if (found) printf("%s is loaded\n", name);
    }
    return (void)context, (void)device, CUDA_ERROR_NO_DEVICE;
}
CUresult cuCtxSetCurrent(CUcontext context) { return (void)context, CUDA_ERROR_NO_DEVICE; }
CUresult cuCtxSynchronize(void) { return CUDA_ERROR_NO_DEVICE; }
CUresult cuStreamCreate(CUstream *stream, unsigned flags) { return (void)stream, (void)flags, CUDA_ERROR_NO_DEVICE; }
CUresult cuStreamSynchronize(CUstream stream) { return (void)stream, CUDA_ERROR_NO_DEVICE; }
CUresult cuMemAlloc(CUdeviceptr *address, size_t size) { return (void)address, (void)size, CUDA_ERROR_NO_DEVICE; }
CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t size) { return (void)to, (void)from, (void)size, CUDA_ERROR_NO_DEVICE; }
CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t size) { return (void)to, (void)from, (void)size, CUDA_ERROR_NO_DEVICE; }
CUresult cuGetErrorName(CUresult status, const char **name) {
    *name = "CUDA_ERROR_NO_DEVICE";
    return status == CUDA_ERROR_NO_DEVICE ? CUDA_SUCCESS : CUDA_ERROR_NO_DEVICE;
}
