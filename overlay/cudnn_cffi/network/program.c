/* Runs the network in NETWORK, with cuDNN and the CUDA driver alone.

   cc -std=c11 -O2 -pthread -I CUDNN/include -I CUDA/include THIS.c -o network -lcudnn -lcuda

   network FILE INPUT... OUTPUT...   runs it: an input or output is a file of its elements, as they lie in memory
   network --check FILE              checks the file, and prints its inputs and outputs; it needs no device */
#include <cuda.h>
#include <cudnn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>

enum { FORMAT = 3, RANK = 8, WINDOW = 3, OPERANDS = 16, GRAIN = 256, PIECE = 1 << 21, THREADS = 16, MOST_RECORDS = 1 << 26, MOST_TEXTS = 1 << 30 };
enum { DONE, FAILED, DAMAGED, NEWER, OTHER_RELEASE, OTHER_DEVICE, WRONG_ARGUMENTS }; /* exit statuses */

/* The records of a file, in this order after the header; numbers are little-endian. */
enum { PLAN, CALL }; /* kinds of steps; then where an operand is; then functions */
enum { TENSOR, ARENA, WEIGHTS }; enum { TRANSFORM, POOL, ACTIVATE };
enum { INPUT, OUTPUT, VIEW, SEEN }; /* a view: the last bytes of the operand before it; the plan has no id of one that is seen alone */

struct header {
    char magic[8];
    uint32_t version, checksum; /* CRC-32 of what follows in the records */
    uint64_t size, records, texts, weights, arena;
    uint32_t release, cuda, architecture, multiprocessors, tensors, plans, operands, calls, steps, places, pieces, unused;
    char device[64];
};
struct tensor { /* an input or output of the network; then operands of plans and calls */
    char name[64];
    int64_t uid;
    uint64_t size;
    uint32_t type, rank, alignment, role;
    int64_t shape[RANK], strides[RANK];
};
struct plan {
    uint64_t text, text_size, source, source_size, workspace;
    uint32_t operand, operands, engine, replays;
};
struct call {
    uint32_t function, operand, mode, nan, axes; /* `operand` is x, the next one y */
    int32_t window[WINDOW], padding[WINDOW], stride[WINDOW];
    double coefficient;
};
struct step { uint32_t kind, index, place, unused; };
struct place { uint32_t where, tensor; uint64_t offset, size; };

_Static_assert(sizeof(struct header) == 168 && sizeof(struct tensor) == 224 && sizeof(struct plan) == 56
                   && sizeof(struct call) == 64 && sizeof(struct step) == 16 && sizeof(struct place) == 24,
               "records have no gaps");

static FILE *file;
static struct header head;
static unsigned char *records, *texts;
static const struct tensor *tensors, *operands;
static const struct plan *plans;
static const struct call *calls;
static const struct step *steps;
static const struct place *places;
static const uint32_t *pieces;
static uint32_t table[8][256]; /* of checksums */
static CUdeviceptr arena, weights, scratch, *addresses;
static CUstream stream;
static cudnnHandle_t handle;
static cudnnBackendDescriptor_t *made, *packs; /* of plans; of steps */
static cudnnTensorDescriptor_t sides[2];       /* of the call that runs; so are the next two */
static cudnnPoolingDescriptor_t pool;
static cudnnActivationDescriptor_t activation;

static void stop(int status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, status == DAMAGED ? "the file is damaged: " : "");
    vfprintf(stderr, format, arguments);
    fputs("\n", stderr), fflush(stdout);
    _Exit(status); /* at once: threads may open engines */
}

static void *allocate(uint64_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    if (!memory) stop(FAILED, "too little memory on the host");
    return memory;
}

static void check(cudnnStatus_t status, const char *what) {
    if (status != CUDNN_STATUS_SUCCESS) stop(FAILED, "%s -> %s", what, cudnnGetErrorString(status));
}
static void check_cuda(CUresult status, const char *what) {
    const char *name = "an error";
    if (status != CUDA_SUCCESS) stop(FAILED, "%s -> %s", what, (cuGetErrorName(status, &name), name));
}

#define CUDNN(call) check(call, #call)
#define CUDA(call) check_cuda(call, #call)

/* The file: everything is checked before anything is made of it. */
static void make_table(void) {
    for (uint32_t i = 0; i < 256; i++)
        for (uint32_t row = 0, value = i; row < 8; table[row++][i] = value)
            for (int bit = 0; bit < 8; bit++) value = value >> 1 ^ (value & 1 ? 0xEDB88320u : 0);
}

/* Returns the CRC-32 that zlib computes. */
static uint32_t checksum(const unsigned char *data, uint64_t size) {
    uint32_t value = ~0u;
    for (; size >= 8; data += 8, size -= 8) {
        uint64_t word;
        memcpy(&word, data, 8);
        word ^= value;
        value = 0;
        for (int i = 0; i < 8; i++) value ^= table[7 - i][word >> 8 * i & 255];
    }
    for (; size; data++, size--) value = value >> 8 ^ table[0][(value ^ *data) & 255];
    return ~value;
}

static void check_range(const char *what, uint64_t begin, uint64_t size, uint64_t end) {
    if (size > end || begin > end - size) stop(DAMAGED, "%s: beyond the end", what);
}

/* Returns the bytes to the end of a tensor's last element. */
static uint64_t span(uint32_t type, uint32_t rank, const int64_t *shape, const int64_t *strides) {
    /* The bits of an element by cudnnDataType_t, whose last names older headers lack; 0 for no type of files. */
    static const uint8_t sizes[] = {32, 64, 16, 8, 32, 0, 8, 0, 0, 16, 64, 1, 8, 8, 0, 8, 4, 4, 4, 32, 64, 128};
    uint64_t last = 0, most = (uint64_t)1 << 46, bits = type < sizeof sizes ? sizes[type] : 0;
    if (!bits || rank > RANK) stop(DAMAGED, "a tensor has the data type %u, and %u axes", type, rank);
    for (uint32_t axis = 0; axis < rank; axis++) {
        if (shape[axis] < 1 || strides[axis] < 0 || (strides[axis] && (uint64_t)shape[axis] - 1 > most / (uint64_t)strides[axis]))
            stop(DAMAGED, "a tensor has the extent %lld", (long long)shape[axis]);
        last += ((uint64_t)shape[axis] - 1) * (uint64_t)strides[axis];
    }
    return ((last + 1) * bits + 7) / 8;
}

static void check_tensor(const struct tensor *each, uint32_t last_role) {
    if (each->name[63] || each->role > last_role || !each->alignment || each->alignment & (each->alignment - 1)
        || span(each->type, each->rank, each->shape, each->strides) != each->size)
        stop(DAMAGED, "a tensor contradicts itself");
}
static void check_call(const struct call *each) {
    if (each->function > ACTIVATE || each->axes > WINDOW || (each->function == POOL) != (each->axes > 0)
        || head.operands < 2 || each->operand > head.operands - 2 || operands[each->operand].role || operands[each->operand + 1].role != OUTPUT)
        stop(DAMAGED, "a step calls the function %u", each->function);
    for (uint32_t axis = 0; axis < each->axes; axis++)
        if (each->window[axis] < 1 || each->padding[axis] < 0 || each->stride[axis] < 1) stop(DAMAGED, "a window has no elements");
}
static void check_place(const struct place *place, uint64_t size, uint32_t alignment, int is_written) {
    const struct tensor *tensor = place->where == TENSOR && place->tensor < head.tensors ? &tensors[place->tensor] : NULL;
    check_range("an operand", place->offset, place->size,
                place->where == ARENA ? head.arena : place->where == WEIGHTS ? head.weights : tensor ? tensor->size : 0);
    if (place->size != size || place->offset % alignment || (is_written && place->where != ARENA && !(tensor && tensor->role == OUTPUT)))
        stop(DAMAGED, "an operand is in other memory");
}
static void check_step(const struct step *step) {
    if (step->kind > CALL || step->index >= (step->kind == PLAN ? head.plans : head.calls))
        stop(DAMAGED, "there is no step of kind %u and index %u", step->kind, step->index);
    uint32_t count = step->kind == PLAN ? plans[step->index].operands : 2;
    const struct tensor *operand = operands + (step->kind == PLAN ? plans[step->index].operand : calls[step->index].operand);
    uint64_t place = step->place, whole = 0; /* bytes of the operand that views are of */
    for (uint32_t i = 0; i < count; i++, operand++)
        if (operand->role == VIEW)
            check_range("a view", 0, operand->size, whole);
        else {
            check_range("places", place, 1, head.places);
            check_place(&places[place++], whole = operand->size, operand->alignment, operand->role == OUTPUT);
        }
}

#define TAKE(name) (name = (const void *)(records + at), at += head.name * sizeof *name)
/* Reads all but the weights. */
static void open_network(const char *path) {
    if (!(file = fopen(path, "rb"))) stop(WRONG_ARGUMENTS, "%s: it cannot be read", path);
    if (fread(&head, sizeof head, 1, file) != 1 || memcmp(head.magic, "cuDNNnet", 8)) stop(DAMAGED, "it is no file of a network");
    if (head.version != FORMAT) stop(NEWER, "expected format %d, got %u", FORMAT, head.version);
    uint64_t counted = sizeof head + ((uint64_t)head.tensors + head.operands) * sizeof *tensors
                       + (uint64_t)head.plans * sizeof *plans + (uint64_t)head.calls * sizeof *calls
                       + (uint64_t)head.steps * sizeof *steps + (uint64_t)head.places * sizeof *places
                       + (uint64_t)head.pieces * sizeof *pieces, at = sizeof head;
    if (head.records != (counted + GRAIN - 1) / GRAIN * GRAIN || head.records > MOST_RECORDS || head.texts > MOST_TEXTS
        || head.weights > head.size || head.size != head.records + head.texts + head.weights
        || !head.plans || head.pieces != 1 + (head.weights + PIECE - 1) / PIECE || head.device[63])
        stop(DAMAGED, "its header contradicts itself");
    if (fseek(file, 0, SEEK_END) || (uint64_t)ftell(file) != head.size || fseek(file, 0, SEEK_SET))
        stop(DAMAGED, "it is cut off");
    records = allocate(head.records + head.texts, 1), texts = records + head.records;
    make_table();
    if (fread(records, head.records + head.texts, 1, file) != 1 || checksum(records + 16, head.records - 16) != head.checksum)
        stop(DAMAGED, "the checksum of its records is another");
    TAKE(tensors), TAKE(plans), TAKE(operands), TAKE(calls), TAKE(steps), TAKE(places), TAKE(pieces);
    if (checksum(texts, head.texts) != pieces[0]) stop(DAMAGED, "the checksum of its plans is another");
    for (uint32_t i = 0; i < head.tensors + head.operands; i++)
        i < head.tensors ? check_tensor(&tensors[i], OUTPUT) : check_tensor(&operands[i - head.tensors], SEEN);
    for (uint32_t i = 0; i < head.plans; i++) {
        check_range("a plan", plans[i].text, plans[i].text_size, head.texts);
        check_range("operands", plans[i].operand, plans[i].operands, head.operands);
        check_range("operands", 0, plans[i].operands, OPERANDS);
    }
    for (uint32_t i = 0; i < head.calls; i++) check_call(&calls[i]);
    for (uint32_t i = 0; i < head.steps; i++) check_step(&steps[i]);
}

/* Reads the weights, and copies them to the device if they have an address there. */
static void read_weights(CUdeviceptr there) {
    unsigned char *piece = allocate(PIECE, 1);
    for (uint64_t begin = 0, size; begin < head.weights; begin += PIECE) {
        size = head.weights - begin < PIECE ? head.weights - begin : PIECE;
        if (fread(piece, size, 1, file) != 1 || checksum(piece, size) != pieces[1 + begin / PIECE])
            stop(DAMAGED, "the checksum of the weights from byte %llu is another", (unsigned long long)begin);
        if (there) CUDA(cuMemcpyHtoD(there + begin, piece, size));
    }
    free(piece);
}

static cudnnStatus_t make_plan(cudnnBackendDescriptor_t *one, const struct plan *plan, cudnnBackendAttributeName_t name,
                               cudnnBackendAttributeType_t type, void *value) {
    cudnnStatus_t status = cudnnBackendCreateDescriptor(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR, one);
    if (!status) status = cudnnBackendSetAttribute(*one, name, type, 1, value);
    if (!status) status = cudnnBackendSetAttribute(*one, CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION, CUDNN_TYPE_CHAR,
                                                   (int64_t)plan->text_size, texts + plan->text);
    return status ? status : cudnnBackendFinalize(*one);
}

/* Has cuDNN load what a plan's engine needs: for the device that its text describes, which takes no context. */
static int open_engine(void *plan) {
#if CUDNN_VERSION >= 90800
    cudnnBackendDescriptor_t device = NULL, opened = NULL;
    const struct plan *first = plan;
    const unsigned char *begin = texts + first->text, *end = begin + first->text_size, *last;
    while (begin < end && (end - begin < 13 || memcmp(begin, "\"GPUProfile\":", 13))) begin++;
    if ((last = memchr(begin, '}', (size_t)(end - begin)))
        && !cudnnBackendCreateDescriptor(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR, &device)
        && !cudnnBackendSetAttribute(device, CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, CUDNN_TYPE_CHAR, last - begin - 12, begin + 13)
        && !cudnnBackendFinalize(device))
        make_plan(&opened, first, CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP, CUDNN_TYPE_BACKEND_DESCRIPTOR, &device);
    if (opened) cudnnBackendDestroyDescriptor(opened);
    if (device) cudnnBackendDestroyDescriptor(device);
#endif
    return plan == NULL; /* what failed fails again with the handle */
}

static CUdeviceptr device_memory(uint64_t size) {
    CUdeviceptr address = 0;
    CUDA(cuMemAlloc(&address, size ? size : 1));
    return address;
}

static void open_device(void) {
    CUdevice device;
    CUcontext context;
    char name[256] = "";
    int major = 0, minor = 0, count = 0, opening = 0;
    thrd_t threads[THREADS];
    size_t cuda = cudnnGetCudartVersion() / 1000;
    if (cudnnGetVersion() != head.release || cuda != head.cuda)
        stop(OTHER_RELEASE, "expected a file of cuDNN %zu for CUDA %zu, got one of %u for %u", cudnnGetVersion(), cuda, head.release, head.cuda);
    CUDA(cuInit(0));
    CUDA(cuDeviceGet(&device, 0));
    CUDA(cuDeviceGetName(name, sizeof name, device));
    CUDA(cuDeviceGetAttribute(&count, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device));
    CUDA(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
    CUDA(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device));
    if (strcmp(name, head.device) || (uint32_t)count != head.multiprocessors
        || (uint32_t)(100 * major + 10 * minor) != head.architecture)
        stop(OTHER_DEVICE, "expected a file for %s, got one for %s", name, head.device);
    for (uint32_t i = 0, first = 0; i < head.plans && opening < THREADS; i++, first = 0) {
        while (plans[first].engine != plans[i].engine) first++;
        if (first == i && thrd_create(&threads[opening], open_engine, (void *)&plans[i]) == thrd_success) opening++;
    }
    CUDA(cuDevicePrimaryCtxRetain(&context, device));
    CUDA(cuCtxSetCurrent(context));
    CUDNN(cudnnCreate(&handle));
    CUDA(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CUDNN(cudnnSetStream(handle, stream));
    for (int i = 0; i < 2; i++) CUDNN(cudnnCreateTensorDescriptor(&sides[i]));
    CUDNN(cudnnCreatePoolingDescriptor(&pool));
    CUDNN(cudnnCreateActivationDescriptor(&activation));
    while (opening) thrd_join(threads[--opening], NULL);
}

static void *address_of(const struct place *place) {
    return (void *)(uintptr_t)(place->offset + (place->where == ARENA ? arena : place->where == WEIGHTS ? weights : addresses[place->tensor]));
}

static cudnnBackendDescriptor_t make_pack(const struct step *step) {
    int64_t uids[OPERANDS];
    void *pointers[OPERANDS], *workspace = (void *)(uintptr_t)scratch;
    const struct place *place = &places[step->place];
    const struct tensor *each = operands + plans[step->index].operand;
    cudnnBackendDescriptor_t pack;
    int64_t count = 0;
    char *end = NULL; /* of the operand that views are of */
    for (uint32_t i = 0; i < plans[step->index].operands; i++, each++) {
        if (each->role != VIEW) end = (char *)address_of(place++) + each->size;
        if (each->role != SEEN) uids[count] = each->uid, pointers[count++] = end - each->size;
    }
    CUDNN(cudnnBackendCreateDescriptor(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR, &pack));
    CUDNN(cudnnBackendSetAttribute(pack, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, count, uids));
    CUDNN(cudnnBackendSetAttribute(pack, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, count, pointers));
    CUDNN(cudnnBackendSetAttribute(pack, CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, &workspace));
    CUDNN(cudnnBackendFinalize(pack));
    return pack;
}

static void load(void) {
    int64_t largest = 0;
    made = allocate(head.plans, sizeof *made), packs = allocate(head.steps, sizeof *packs);
    addresses = allocate(head.tensors, sizeof *addresses);
    read_weights(weights = device_memory(head.weights));
    for (uint32_t i = 0; i < head.plans; i++) {
        int64_t size = 0, got;
        CUDNN(make_plan(&made[i], &plans[i], CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, &handle));
        CUDNN(cudnnBackendGetAttribute(made[i], CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1, &got, &size));
        largest = size > largest ? size : largest;
    }
    for (uint32_t i = 0; i < head.tensors; i++) addresses[i] = device_memory(tensors[i].size);
    arena = device_memory(head.arena);
    scratch = device_memory((uint64_t)largest);
    for (uint32_t i = 0; i < head.steps; i++)
        if (steps[i].kind == PLAN) packs[i] = make_pack(&steps[i]);
}

static void run_call(const struct call *call, const void *x, void *y) {
    const struct tensor *each = &operands[call->operand];
    const void *alpha = each->type == CUDNN_DATA_DOUBLE ? (const void *)&(double){1} : &(float){1}, *beta = &(double){0};
    for (int i = 0; i < 2; i++, each++) {
        int shape[RANK], strides[RANK];
        for (int axis = 0; axis < RANK; axis++) shape[axis] = (int)each->shape[axis], strides[axis] = (int)each->strides[axis];
        CUDNN(cudnnSetTensorNdDescriptor(sides[i], (cudnnDataType_t)each->type, (int)each->rank, shape, strides));
    }
    if (call->function == TRANSFORM) {
        CUDNN(cudnnTransformTensor(handle, alpha, sides[0], x, beta, sides[1], y));
    } else if (call->function == POOL) {
        CUDNN(cudnnSetPoolingNdDescriptor(pool, (cudnnPoolingMode_t)call->mode, (cudnnNanPropagation_t)call->nan,
                                          (int)call->axes, call->window, call->padding, call->stride));
        CUDNN(cudnnPoolingForward(handle, pool, alpha, sides[0], x, beta, sides[1], y));
    } else {
        CUDNN(cudnnSetActivationDescriptor(activation, (cudnnActivationMode_t)call->mode, (cudnnNanPropagation_t)call->nan,
                                           call->coefficient));
        if (call->mode == CUDNN_ACTIVATION_SWISH) CUDNN(cudnnSetActivationDescriptorSwishBeta(activation, call->coefficient));
        CUDNN(cudnnActivationForward(handle, activation, alpha, sides[0], x, beta, sides[1], y));
    }
}

static void run(void) {
    CUDA(cuCtxSynchronize()); /* copies to the device may return before, and the stream does not wait for them */
    for (uint32_t i = 0; i < head.steps; i++)
        if (steps[i].kind == PLAN)
            CUDNN(cudnnBackendExecute(handle, made[steps[i].index], packs[i]));
        else
            run_call(&calls[steps[i].index], address_of(&places[steps[i].place]), address_of(&places[steps[i].place + 1]));
    CUDA(cuStreamSynchronize(stream));
}

/* Copies between the device and a file of a tensor's elements. */
static void exchange(const struct tensor *each, CUdeviceptr address, const char *path) {
    unsigned char *memory = allocate(each->size, 1);
    const int is_output = each->role == OUTPUT;
    FILE *other = fopen(path, is_output ? "wb" : "rb");
    if (!other) stop(WRONG_ARGUMENTS, "%s: it cannot be opened", path);
    if (is_output) CUDA(cuMemcpyDtoH(memory, address, each->size));
    size_t done = is_output ? fwrite(memory, 1, each->size, other) : fread(memory, 1, each->size, other);
    if (done != each->size || (!is_output && fgetc(other) != EOF) || fclose(other))
        stop(WRONG_ARGUMENTS, "%s: expected the %llu bytes of %s", path, (unsigned long long)each->size, each->name);
    if (!is_output) CUDA(cuMemcpyHtoD(address, memory, each->size));
    free(memory);
}

static double milliseconds(void) {
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

int main(int count, char **arguments) {
    if (count < 3) stop(WRONG_ARGUMENTS, "expected FILE INPUT... OUTPUT..., or --check FILE");
    const int only_checks = count == 3 && !strcmp(arguments[1], "--check");
    double begin = milliseconds();
    open_network(arguments[only_checks ? 2 : 1]);
    if (only_checks) read_weights(0);
    for (uint32_t i = 0; i < head.tensors; i++)
        printf("%s %s: %llu bytes\n", tensors[i].role == OUTPUT ? "output" : "input", tensors[i].name, (unsigned long long)tensors[i].size);
    if (only_checks) return DONE;
    if ((uint32_t)count != head.tensors + 2)
        stop(WRONG_ARGUMENTS, "expected %u files of inputs and outputs, got %d", head.tensors, count - 2);
    double opened = milliseconds();
    open_device();
    double there = milliseconds();
    load();
    double ready = milliseconds();
    printf("checked in %.1f ms, loaded in %.1f ms, after %.1f ms for device and libraries\n", opened - begin, ready - there, there - opened);
    for (uint32_t outputs = 0; outputs < 2; outputs++) {
        if (outputs) run();
        for (uint32_t i = 0; i < head.tensors; i++)
            if ((tensors[i].role == OUTPUT) == outputs) exchange(&tensors[i], addresses[i], arguments[2 + i]);
    }
    return DONE;
}
