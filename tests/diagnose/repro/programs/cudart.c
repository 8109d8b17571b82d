/* Stands in for the CUDA runtime, with memory of the host. NO_DEVICE=1 has no device. */
#include <cuda_runtime_api.h>

#include <stdlib.h>
#include <string.h>

cudaError_t cudaGetDeviceCount(int *count)
{
    *count = getenv("NO_DEVICE") ? 0 : 1;
    return *count ? cudaSuccess : cudaErrorNoDevice;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
    memset(properties, 0, sizeof *properties);
    strcpy(properties->name, device ? "another" : "stand-in");
    return cudaSuccess;
}

cudaError_t cudaMalloc(void **memory, size_t size)
{
    *memory = aligned_alloc(256, (size + 511) / 256 * 256);
    return *memory ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaMemset(void *memory, int value, size_t size)
{
    memset(memory, value, size);
    return cudaSuccess;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t size, enum cudaMemcpyKind kind)
{
    (void)kind;
    memcpy(to, from, size);
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void)
{
    return cudaSuccess;
}

const char *cudaGetErrorName(cudaError_t status)
{
    return status == cudaErrorNoDevice ? "cudaErrorNoDevice" : "cudaErrorMemoryAllocation";
}
