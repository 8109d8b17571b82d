/*{head}*/
#include <cudnn.h>
#include <cuda_runtime_api.h>

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_RANK = 12, POISON = 0xFF };

/* Exit statuses. */
enum { SAME, DIFFERS, COULD_NOT_RUN };

/* A data type: bytes of an element, bits of exponent and mantissa (0: an integer), range. */
struct format {
    int size, exponent, mantissa;
    double smallest, largest;
    bool has_infinity;
};

enum kind { NORMAL, POSITIVE, INTEGERS, ZEROS, NEGATIVE_ROWS, ONE_HUGE, CANCELLING, DENORMALS, EXTREMES, CONSTANT, GIVEN };
enum role { INPUT, OUTPUT, OWN, OWN_ZEROS };

/* An array on the device; shape and strides are in elements. */
struct array {
    const char *name;
    enum role role;
    struct format format;
    int alignment, rank;
    int64_t shape[MAX_RANK], strides[MAX_RANK];
    enum kind kind;
    double constant;
    const double *given; /* GIVEN: all elements in row-major order */
    uint64_t checksum;
};

/* A tensor of the graph in memory: an array, from an offset in bytes, or a number on the host. */
struct binding {
    int64_t uid;
    int array; /* -1: a number */
    int64_t offset;
    const void *number;
};

/* Elements of an output, by their index in row-major order, and sums over blocks of all of them. */
struct expectation {
    int array;
    double largest, tolerance;
    int64_t nans;
    int count;
    const int64_t *places; /* NULL: all elements in order */
    const double *values;
    int blocks;
    const double *sums;
};

/*{data}*/
enum {
    ARRAYS = sizeof arrays / sizeof *arrays,
    BINDINGS = sizeof bindings / sizeof *bindings,
    EXPECTATIONS = sizeof expectations / sizeof *expectations - 1,
};

static const int64_t engine_index = /*{engine}*/;
static const uint64_t seed = /*{seed}*/;

static void stop(int status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    printf("%s: ", status == DIFFERS ? "DIFFERS" : "COULD NOT RUN");
    vprintf(format, arguments);
    printf("\n");
    va_end(arguments);
    exit(status);
}

/* Descriptors */

static void check(cudnnStatus_t status, int otherwise, const char *what)
{
    if (status == CUDNN_STATUS_SUCCESS)
        return;
    char text[1024] = "";
#if CUDNN_VERSION >= 90000
    cudnnGetLastErrorString(text, sizeof text);
#endif
    stop(otherwise, "%s -> %s %s", what, cudnnGetErrorString(status), text);
}

static cudnnBackendDescriptor_t make(cudnnBackendDescriptorType_t type)
{
    cudnnBackendDescriptor_t made = NULL;
    check(cudnnBackendCreateDescriptor(type, &made), COULD_NOT_RUN, "cudnnBackendCreateDescriptor");
    return made;
}

static void set(cudnnBackendDescriptor_t descriptor, cudnnBackendAttributeName_t name,
                const char *text, cudnnBackendAttributeType_t type, int64_t count, const void *values)
{
    check(cudnnBackendSetAttribute(descriptor, name, type, count, (void *)values), COULD_NOT_RUN, text);
}

#define SET(descriptor, name, type, c_type, ...)                                                   \
    do {                                                                                           \
        c_type values_[] = {__VA_ARGS__};                                                          \
        set(descriptor, name, #name, type, (int64_t)(sizeof values_ / sizeof *values_), values_);  \
    } while (0)

static void finish(cudnnBackendDescriptor_t descriptor, const char *what)
{
    check(cudnnBackendFinalize(descriptor), COULD_NOT_RUN, what);
}

/* Returns the operation graph. Without a handle it is for a device that is described. */
static cudnnBackendDescriptor_t make_graph(cudnnHandle_t handle)
{
/*{graph}*/
    cudnnBackendDescriptor_t graph = make(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
    if (handle)
        SET(graph, CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, cudnnHandle_t, handle);
    SET(graph, CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR, cudnnBackendDescriptor_t, /*{operations}*/);
/*{dynamic}*/
    finish(graph, "the operation graph");
    return graph;
}

/* Returns the execution plan, for the handle's device or a described one. */
static cudnnBackendDescriptor_t make_plan(cudnnHandle_t handle, cudnnBackendDescriptor_t device)
{
    cudnnBackendDescriptor_t graph = make_graph(handle);
    cudnnBackendDescriptor_t engine = make(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
    SET(engine, CUDNN_ATTR_ENGINE_OPERATION_GRAPH, CUDNN_TYPE_BACKEND_DESCRIPTOR, cudnnBackendDescriptor_t, graph);
    SET(engine, CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, int64_t, engine_index);
#if CUDNN_VERSION >= 90800
    if (device)
        SET(engine, CUDNN_ATTR_ENGINE_DEVICEPROP, CUDNN_TYPE_BACKEND_DESCRIPTOR, cudnnBackendDescriptor_t, device);
#else
    (void)device;
#endif
    finish(engine, "the engine");
    cudnnBackendDescriptor_t config = make(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
    SET(config, CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR, cudnnBackendDescriptor_t, engine);
/*{knobs}*/
    finish(config, "the configuration of the engine");
    cudnnBackendDescriptor_t plan = make(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
    if (handle)
        SET(plan, CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, cudnnHandle_t, handle);
    SET(plan, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, CUDNN_TYPE_BACKEND_DESCRIPTOR, cudnnBackendDescriptor_t, config);
#if CUDNN_VERSION >= 90800
    if (device)
        SET(plan, CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP, CUDNN_TYPE_BACKEND_DESCRIPTOR, cudnnBackendDescriptor_t, device);
#endif
    finish(plan, "the plan");
    return plan;
}

/* Numbers: splitmix64 of a key, from the seed and the array's name, and of the place in memory. */

static const uint64_t golden = 0x9E3779B97F4A7C15u;

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

static uint64_t key_of(const char *name)
{
    uint64_t found = 0xCBF29CE484222325u;
    for (; *name; name++)
        found = (found ^ (unsigned char)*name) * 0x100000001B3u;
    return mix(seed ^ found);
}

static uint64_t word(uint64_t key, uint64_t place)
{
    return mix(key + (place + 1) * golden);
}

static double normal(uint64_t word)
{
    uint64_t total = (word & 0xFFFF) + (word >> 16 & 0xFFFF) + (word >> 32 & 0xFFFF) + (word >> 48);
    return ((double)total - 131070.0) * 7.0 / 262144.0;
}

static int lowest_exponent(struct format format)
{
    return format.exponent ? 2 - (1 << (format.exponent - 1)) : 0;
}

static double value(const struct array *array, uint64_t key, int64_t place, int64_t row, int64_t span, int64_t index)
{
    uint64_t here = word(key, (uint64_t)place);
    int lowest = lowest_exponent(array->format);
    switch (array->kind) {
    case NORMAL:
        return normal(here);
    case POSITIVE:
        return fabs(normal(here)) + 0.5;
    case INTEGERS:
        return (double)((here >> 32) % 9) - 4.0;
    case ZEROS:
        return 0.0;
    case NEGATIVE_ROWS:
        return row % 2 ? normal(here) - 10000.0 : normal(here);
    case ONE_HUGE:
        return (uint64_t)place == word(key, UINT64_MAX) % (uint64_t)span ? 1000.0 : normal(here);
    case CANCELLING:
        return normal(word(key, (uint64_t)(place / 2))) * (place % 2 ? -256.0 : 256.0);
    case DENORMALS:
        return array->format.exponent ? ldexp(normal(here), lowest - 2) : 0.0;
    case EXTREMES:
        switch ((here >> 32) % 8) {
        case 0:
            return 0.0;
        case 1:
            return -0.0;
        case 2:
            return 1.0;
        case 3:
            return -1.0;
        case 4:
            return array->format.largest;
        case 5:
            return array->format.smallest;
        case 6:
            return ldexp(1.0, lowest);
        default:
            return ldexp(1.0, lowest - array->format.mantissa);
        }
    case CONSTANT:
        return array->constant;
    default:
        return array->given[index];
    }
}

/* Elements */

static uint64_t encode(double x, struct format format)
{
    int bits = 8 * format.size;
    if (!format.exponent) {
        if (format.largest == 1)
            return x > 0;
        uint64_t whole = (uint64_t)(int64_t)rint(fmin(fmax(x, format.smallest), format.largest));
        return bits == 64 ? whole : whole & ((1ull << bits) - 1);
    }
    if (bits == 64) {
        uint64_t same;
        memcpy(&same, &x, 8);
        return same;
    }
    uint64_t top = ((1ull << format.exponent) - 1) << format.mantissa;
    if (isnan(x))
        return format.has_infinity ? top | 1ull << (format.mantissa - 1) : 0x7F;
    uint64_t sign = signbit(x) ? 1ull << (bits - 1) : 0;
    if (isinf(x) && format.has_infinity)
        return sign | top;
    double size = fmin(fabs(x), format.largest);
    int lowest = lowest_exponent(format), exponent = lowest;
    if (size > 0) {
        frexp(size, &exponent);
        exponent = exponent - 1 > lowest ? exponent - 1 : lowest;
    }
    uint64_t steps = (uint64_t)rint(ldexp(size, format.mantissa - exponent));
    return sign | (((uint64_t)(exponent - lowest) << format.mantissa) + steps);
}

static double decode(uint64_t bits, struct format format)
{
    int width = 8 * format.size;
    if (!format.exponent) {
        if (format.smallest < 0 && width < 64 && bits >> (width - 1))
            return (double)bits - ldexp(1.0, width);
        return format.smallest < 0 ? (double)(int64_t)bits : (double)bits;
    }
    if (width == 64) {
        double same;
        memcpy(&same, &bits, 8);
        return same;
    }
    uint64_t steps = bits & ((1ull << format.mantissa) - 1);
    int exponent = (int)(bits >> format.mantissa & ((1ull << format.exponent) - 1));
    bool is_last = exponent == (1 << format.exponent) - 1;
    double size;
    if (is_last && format.has_infinity)
        size = steps ? NAN : INFINITY;
    else if (is_last && steps == (1ull << format.mantissa) - 1)
        size = NAN;
    else
        size = ldexp((double)(exponent ? steps + (1ull << format.mantissa) : steps),
                     (exponent ? exponent - 1 : 0) + lowest_exponent(format) - format.mantissa);
    return bits >> (width - 1) ? -size : size;
}

static uint64_t load(const unsigned char *memory, int64_t place, int size)
{
    uint64_t bits = 0;
    memcpy(&bits, memory + place * size, (size_t)size);
    return bits;
}

static int64_t elements(const struct array *array)
{
    int64_t count = 1;
    for (int axis = 0; axis < array->rank; axis++)
        count *= array->shape[axis];
    return count;
}

/* Returns the elements from the first one to the end of the last. */
static int64_t span_of(const struct array *array)
{
    int64_t last = 0;
    for (int axis = 0; axis < array->rank; axis++)
        last += (array->shape[axis] - 1) * array->strides[axis];
    return last + 1;
}

/* Returns whether it is truth values: on the device these have a bit each, the first one the lowest; here a byte. */
static bool is_bits(const struct array *array)
{
    return !array->format.exponent && array->format.largest == 1;
}

static size_t bytes_of(const struct array *array)
{
    int64_t span = span_of(array);
    return (size_t)(is_bits(array) ? (span + 7) / 8 : span * array->format.size);
}

/* Puts bytes of truth values together in bits, in the same memory. */
static void pack(unsigned char *memory, int64_t span)
{
    for (int64_t place = 0; place < span; place++) {
        int bit = memory[place];
        memory[place / 8] = (unsigned char)((place % 8 ? memory[place / 8] : 0) | bit << place % 8);
    }
}

static void unpack(unsigned char *memory, int64_t span)
{
    for (int64_t place = span - 1; place >= 0; place--)
        memory[place] = memory[place / 8] >> place % 8 & 1;
}

/* Returns the place in memory of an element by its index in row-major order, and its row. */
static int64_t place_of(const struct array *array, int64_t index, int64_t *row)
{
    int64_t place = 0;
    *row = 0;
    for (int axis = array->rank - 1; axis >= 0; axis--) {
        int64_t at = index % array->shape[axis];
        index /= array->shape[axis];
        place += at * array->strides[axis];
        if (axis == array->rank - 2 && array->strides[axis])
            *row = at;
    }
    return place;
}

static unsigned char *host_memory(const struct array *array)
{
    unsigned char *memory = calloc((size_t)span_of(array), (size_t)array->format.size);
    if (!memory)
        stop(COULD_NOT_RUN, "%s: too little memory on the host", array->name);
    return memory;
}

static unsigned char *make_input(const struct array *array)
{
    unsigned char *memory = host_memory(array);
    uint64_t key = key_of(array->name), sum = 0;
    int64_t count = elements(array), span = span_of(array), row;
    for (int64_t index = 0; index < count; index++) {
        int64_t place = place_of(array, index, &row);
        uint64_t bits = encode(value(array, key, place, row, span, index), array->format);
        memcpy(memory + place * array->format.size, &bits, (size_t)array->format.size);
    }
    for (int64_t place = 0; place < span; place++)
        sum += mix(load(memory, place, array->format.size) + (uint64_t)place * golden);
    if (sum != array->checksum)
        stop(COULD_NOT_RUN, "%s: the checksum of its elements is 0x%016llx, expected 0x%016llx", array->name,
             (unsigned long long)sum, (unsigned long long)array->checksum);
    printf("%s: checksum 0x%016llx\n", array->name, (unsigned long long)sum);
    if (is_bits(array))
        pack(memory, span);
    return memory;
}

/* Results */

static double clamp(double x, struct format format)
{
    return isnan(x) ? NAN : fmin(fmax(x, format.smallest), format.largest);
}

static double element(const struct array *array, const unsigned char *memory, int64_t index)
{
    int64_t row, place = place_of(array, index, &row);
    return clamp(decode(load(memory, place, array->format.size), array->format), array->format);
}

/* Returns the distance of two numbers, infinite if one of them alone is NaN. */
static double distance(double found, double wanted)
{
    if (isnan(found) || isnan(wanted))
        return isnan(found) && isnan(wanted) ? 0.0 : INFINITY;
    return fabs(found - wanted);
}

static void print_place(const struct array *array, int64_t index)
{
    int64_t at[MAX_RANK];
    for (int axis = array->rank - 1; axis >= 0; axis--) {
        at[axis] = index % array->shape[axis];
        index /= array->shape[axis];
    }
    printf("[");
    for (int axis = 0; axis < array->rank; axis++)
        printf(axis ? ", %lld" : "%lld", (long long)at[axis]);
    printf("]");
}

/* Returns the index of the first element of a block. */
static int64_t start_of(int block, int blocks, int64_t count)
{
    return count / blocks * block + count % blocks * block / blocks;
}

/* Prints how an output compares; returns whether it is as expected. */
static bool compare(const struct expectation *expected, const unsigned char *memory)
{
    const struct array *array = &arrays[expected->array];
    struct format format = array->format;
    double scale = expected->largest > 0 ? expected->largest : 1, worst = -1, found = 0, wanted = 0;
    int64_t place = 0, wrong = 0, count = elements(array), nans = 0, first = -1;
    for (int i = 0; i < expected->count; i++) {
        int64_t at = expected->places ? expected->places[i] : i;
        double x = element(array, memory, at);
        double y = clamp(expected->values[i], format), error = distance(x, y) / scale;
        wrong += !(error <= expected->tolerance);
        if (error > worst)
            worst = error, place = at, found = x, wanted = y;
    }
    int block = 0;
    int64_t far = 0;
    double total = 0;
    for (int64_t index = 0; index < count; index++) {
        double x = element(array, memory, index);
        if (isnan(x) && nans++ == 0)
            first = index;
        total += x;
        if (block < expected->blocks && index + 1 == start_of(block + 1, expected->blocks, count)) {
            double most = expected->tolerance * scale * (double)(index + 1 - start_of(block, expected->blocks, count));
            far += !(distance(total, expected->sums[block++]) <= most);
            total = 0;
        }
    }
    bool same = !wrong && !far && nans == expected->nans;
    printf("%s: %s: maximum error %.3g of the largest element, %.6g, at ", same ? "SAME" : "DIFFERS", array->name,
           worst < 0 ? 0 : worst, scale);
    print_place(array, place);
    printf(": expected %.9g, got %.9g; tolerance %g; %lld of %d compared elements differ\n", wanted, found,
           expected->tolerance, (long long)wrong, expected->count);
    if (far)
        printf("    the sums of %lld of %d blocks of all elements differ\n", (long long)far, expected->blocks);
    if (nans != expected->nans) {
        printf("    expected %lld NaN, got %lld", (long long)expected->nans, (long long)nans);
        if (first >= 0) {
            printf(", the first at ");
            print_place(array, first);
        }
        printf("\n");
    }
    return same;
}

/* The device */

static void check_cuda(cudaError_t status, int otherwise, const char *what)
{
    if (status != cudaSuccess)
        stop(otherwise, "%s -> %s", what, cudaGetErrorName(status));
}

static unsigned char *device_memory(size_t size, int alignment)
{
    unsigned char *memory = NULL;
    check_cuda(cudaMalloc((void **)&memory, size + 16), COULD_NOT_RUN, "cudaMalloc");
    check_cuda(cudaMemset(memory, POISON, size + 16), COULD_NOT_RUN, "cudaMemset");
    return memory + (alignment < 16 ? alignment : 0);
}

static int run(void)
{
    unsigned char *memory[ARRAYS];
    int count = 0;
    check_cuda(cudaGetDeviceCount(&count), COULD_NOT_RUN, "cudaGetDeviceCount");
    struct cudaDeviceProp properties;
    check_cuda(cudaGetDeviceProperties(&properties, 0), COULD_NOT_RUN, "cudaGetDeviceProperties");
    printf("cuDNN %zu, %s\n", cudnnGetVersion(), properties.name);
    cudnnHandle_t handle;
    check(cudnnCreate(&handle), COULD_NOT_RUN, "cudnnCreate");
    cudnnBackendDescriptor_t plan = make_plan(handle, NULL);
    int64_t size = 0, got = 0;
    check(cudnnBackendGetAttribute(plan, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1, &got, &size),
          COULD_NOT_RUN, "the size of the workspace");
    for (int i = 0; i < ARRAYS; i++) {
        const struct array *array = &arrays[i];
        size_t bytes = bytes_of(array);
        memory[i] = device_memory(bytes, array->alignment);
        if (array->role == INPUT) {
            unsigned char *host = make_input(array);
            check_cuda(cudaMemcpy(memory[i], host, bytes, cudaMemcpyHostToDevice), COULD_NOT_RUN, "cudaMemcpy");
            free(host);
        } else if (array->role == OWN_ZEROS)
            check_cuda(cudaMemset(memory[i], 0, bytes), COULD_NOT_RUN, "cudaMemset");
    }
    int64_t uids[BINDINGS];
    void *pointers[BINDINGS], *workspace = device_memory((size_t)size, 16);
    for (int i = 0; i < BINDINGS; i++) {
        uids[i] = bindings[i].uid;
        pointers[i] = bindings[i].array < 0 ? (void *)bindings[i].number : memory[bindings[i].array] + bindings[i].offset;
    }
    cudnnBackendDescriptor_t pack = make(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
    set(pack, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, "the unique ids", CUDNN_TYPE_INT64, BINDINGS, uids);
    set(pack, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, "the addresses", CUDNN_TYPE_VOID_PTR, BINDINGS, pointers);
    SET(pack, CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, void *, workspace);
    finish(pack, "the variant pack");
    check_cuda(cudaDeviceSynchronize(), COULD_NOT_RUN, "cudaDeviceSynchronize");
    printf("workspace: %lld bytes\n", (long long)size);
    fflush(stdout);
    check(cudnnBackendExecute(handle, plan, pack), DIFFERS, "cudnnBackendExecute");
    check_cuda(cudaDeviceSynchronize(), DIFFERS, "the execution");
    bool same = true;
    for (int i = 0; i < EXPECTATIONS; i++) {
        const struct array *array = &arrays[expectations[i].array];
        unsigned char *host = host_memory(array);
        check_cuda(cudaMemcpy(host, memory[expectations[i].array], bytes_of(array), cudaMemcpyDeviceToHost), DIFFERS,
                   "cudaMemcpy");
        if (is_bits(array))
            unpack(host, span_of(array));
        same = compare(&expectations[i], host) && same;
        free(host);
    }
    if (!EXPECTATIONS)
        printf("SAME: it ran; no result is expected\n");
    return same ? SAME : DIFFERS;
}

/* Prints the plan, as cuDNN's JSON, for a device whose properties are in a file. */
static int describe(const char *path)
{
#if CUDNN_VERSION >= 90800
    static char text[1 << 16];
    FILE *file = fopen(path, "rb");
    if (!file)
        stop(COULD_NOT_RUN, "%s: it cannot be read", path);
    size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    cudnnBackendDescriptor_t device = make(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
    set(device, CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, "the properties", CUDNN_TYPE_CHAR, (int64_t)size + 1, text);
    finish(device, "the device");
    cudnnBackendDescriptor_t plan = make_plan(NULL, device);
    int64_t count = 0;
    check(cudnnBackendGetAttribute(plan, CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION, CUDNN_TYPE_CHAR, 0, &count, NULL),
          COULD_NOT_RUN, "the JSON of the plan");
    char *answer = calloc((size_t)count + 1, 1);
    check(cudnnBackendGetAttribute(plan, CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION, CUDNN_TYPE_CHAR, count, &count, answer),
          COULD_NOT_RUN, "the JSON of the plan");
    puts(answer);
    return SAME;
#else
    stop(COULD_NOT_RUN, "%s: cuDNN describes devices from 9.8.0 on", path);
    return COULD_NOT_RUN;
#endif
}

int main(int count, char **arguments)
{
    if (count == 2 && !strcmp(arguments[1], "--inputs")) {
        for (int i = 0; i < ARRAYS; i++)
            if (arrays[i].role == INPUT)
                free(make_input(&arrays[i]));
        return SAME;
    }
    if (count == 3 && !strcmp(arguments[1], "--plan"))
        return describe(arguments[2]);
    if (count > 1)
        stop(COULD_NOT_RUN, "expected no argument, --inputs, or --plan FILE");
    return run();
}
