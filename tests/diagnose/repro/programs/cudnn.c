/* Stands in for cuDNN: takes any descriptor, and "executes" what the file RESULTS says.
 *
 * It has lines of a unique id, a count of bytes, and these bytes in hexadecimal, which are written
 * to the tensor's address. FAILS=name makes a function fail.
 */
#include <cudnn.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int64_t uids[64];
static unsigned char *pointers[64];
static int64_t count;

static cudnnStatus_t status_of(const char *function)
{
    const char *failing = getenv("FAILS");
    return failing && !strcmp(failing, function) ? CUDNN_STATUS_NOT_SUPPORTED : CUDNN_STATUS_SUCCESS;
}

size_t cudnnGetVersion(void)
{
    return CUDNN_VERSION;
}

const char *cudnnGetErrorString(cudnnStatus_t status)
{
    return status ? "CUDNN_STATUS_NOT_SUPPORTED" : "CUDNN_STATUS_SUCCESS";
}

void cudnnGetLastErrorString(char *text, size_t size)
{
    snprintf(text, size, "as asked for");
}

cudnnStatus_t cudnnCreate(cudnnHandle_t *handle)
{
    *handle = (cudnnHandle_t)uids;
    return status_of("cudnnCreate");
}

cudnnStatus_t cudnnBackendCreateDescriptor(cudnnBackendDescriptorType_t type, cudnnBackendDescriptor_t *made)
{
    (void)type;
    *made = (cudnnBackendDescriptor_t)uids;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendSetAttribute(cudnnBackendDescriptor_t descriptor, cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t type, int64_t elements, const void *values)
{
    (void)descriptor, (void)type;
    if (name == CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS)
        memcpy(uids, values, 8 * (size_t)(count = elements));
    if (name == CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS)
        memcpy(pointers, values, 8 * (size_t)elements);
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendGetAttribute(const cudnnBackendDescriptor_t descriptor, cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t type, int64_t asked, int64_t *got, void *values)
{
    (void)descriptor, (void)name, (void)type, (void)asked;
    *got = 1;
    *(int64_t *)values = 100;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendFinalize(cudnnBackendDescriptor_t descriptor)
{
    (void)descriptor;
    return status_of("cudnnBackendFinalize");
}

cudnnStatus_t cudnnBackendExecute(cudnnHandle_t handle, cudnnBackendDescriptor_t plan, cudnnBackendDescriptor_t pack)
{
    (void)handle, (void)plan, (void)pack;
    FILE *file = fopen(getenv("RESULTS"), "r");
    long uid, size;
    while (file && fscanf(file, "%ld %ld ", &uid, &size) == 2)
        for (long i = 0; i < size; i++) {
            unsigned byte = 0;
            if (fscanf(file, "%2x", &byte) != 1)
                return CUDNN_STATUS_NOT_SUPPORTED;
            for (int64_t place = 0; place < count; place++)
                if (uids[place] == uid)
                    pointers[place][i] = (unsigned char)byte;
        }
    return status_of("cudnnBackendExecute");
}
