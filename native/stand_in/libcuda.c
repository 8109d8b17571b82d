/* Stands in for the CUDA driver's library where there is none, so that cuDNN plans for a device that
 * is described.
 *
 * The functions are those that sub-libraries of cuDNN 9.8.0 to 9.28.1 and CUDA's runtime in them
 * import (`nm -D -u`), or look up while they plan (`LD_DEBUG=symbols`); a test compares. Engines
 * that are compiled hand their code to cuLibraryLoadData, and need an answer. All else says that
 * there is no device. Nothing is included and no library is needed, so that it loads anywhere.
 */

enum { SUCCESS = 0, INVALID_VALUE = 1, NO_GPU = 100 };

#define NO_DEVICE(name) int name(void) { return NO_GPU; }

NO_DEVICE(cuCtxFromGreenCtx) NO_DEVICE(cuCtxGetCurrent) NO_DEVICE(cuCtxGetDevResource)
NO_DEVICE(cuCtxGetDevice) NO_DEVICE(cuCtxGetId) NO_DEVICE(cuCtxGetLimit)
NO_DEVICE(cuCtxPopCurrent) NO_DEVICE(cuCtxPushCurrent) NO_DEVICE(cuCtxPushCurrent_v2)
NO_DEVICE(cuCtxSetCurrent) NO_DEVICE(cuDevResourceGenerateDesc)
NO_DEVICE(cuDevSmResourceSplitByCount) NO_DEVICE(cuDeviceGet) NO_DEVICE(cuDeviceGetAttribute)
NO_DEVICE(cuDeviceGetCount) NO_DEVICE(cuDeviceGetName) NO_DEVICE(cuDevicePrimaryCtxGetState)
NO_DEVICE(cuDevicePrimaryCtxRelease) NO_DEVICE(cuDevicePrimaryCtxRelease_v2)
NO_DEVICE(cuDevicePrimaryCtxReset) NO_DEVICE(cuDevicePrimaryCtxReset_v2)
NO_DEVICE(cuDevicePrimaryCtxRetain) NO_DEVICE(cuDevicePrimaryCtxSetFlags_v2)
NO_DEVICE(cuDriverGetVersion) NO_DEVICE(cuFuncGetAttribute) NO_DEVICE(cuFuncSetAttribute)
NO_DEVICE(cuFuncSetCacheConfig) NO_DEVICE(cuGetProcAddress_v2) NO_DEVICE(cuGreenCtxCreate)
NO_DEVICE(cuGreenCtxDestroy) NO_DEVICE(cuGreenCtxStreamCreate) NO_DEVICE(cuInit)
NO_DEVICE(cuKernelGetAttribute) NO_DEVICE(cuKernelGetFunction) NO_DEVICE(cuKernelSetAttribute)
NO_DEVICE(cuLaunchCooperativeKernel) NO_DEVICE(cuLaunchKernel) NO_DEVICE(cuLaunchKernelEx)
NO_DEVICE(cuLibraryLoadFromFile) NO_DEVICE(cuLinkAddData) NO_DEVICE(cuLinkAddData_v2)
NO_DEVICE(cuLinkAddFile_v2) NO_DEVICE(cuLinkComplete) NO_DEVICE(cuLinkCreate)
NO_DEVICE(cuLinkCreate_v2) NO_DEVICE(cuLinkDestroy) NO_DEVICE(cuMemcpyDtoH_v2)
NO_DEVICE(cuMemsetD16Async) NO_DEVICE(cuMemsetD32Async) NO_DEVICE(cuMemsetD8Async)
NO_DEVICE(cuModuleGetFunction) NO_DEVICE(cuModuleGetGlobal_v2) NO_DEVICE(cuModuleLoadData)
NO_DEVICE(cuModuleLoadDataEx) NO_DEVICE(cuModuleLoadFatBinary) NO_DEVICE(cuModuleUnload)
NO_DEVICE(cuOccupancyMaxActiveBlocksPerMultiprocessor)
NO_DEVICE(cuOccupancyMaxPotentialClusterSize) NO_DEVICE(cuStreamCreate)
NO_DEVICE(cuStreamGetCtx) NO_DEVICE(cuStreamGetGreenCtx) NO_DEVICE(cuStreamSynchronize)
NO_DEVICE(cuTensorMapEncodeIm2col) NO_DEVICE(cuTensorMapEncodeTiled)
NO_DEVICE(cuTensorMapReplaceAddress)

static int text(int status, const char **to, const char *good, const char *none)
{
    *to = status == SUCCESS ? good : status == NO_GPU ? none : (const char *)0;
    return *to ? SUCCESS : INVALID_VALUE;
}

int cuGetErrorName(int status, const char **name)
{
    return text(status, name, "CUDA_SUCCESS", "CUDA_ERROR_NO_DEVICE");
}

int cuGetErrorString(int status, const char **words)
{
    return text(status, words, "no error", "no NVIDIA driver was found, so cudnn_cffi stands in for it");
}

static char code; /* what a library and a kernel point to; nothing can launch it */

int cuLibraryLoadData(void **library)
{
    *library = &code;
    return SUCCESS;
}

int cuLibraryGetKernel(void **kernel)
{
    *kernel = &code;
    return SUCCESS;
}

int cuLibraryUnload(void)
{
    return SUCCESS;
}
