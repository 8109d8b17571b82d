// Runs a kernel on the CPU, with one thread in each block: FILE is its source, KERNEL its name.

#include <algorithm>
#include <cmath>
#include <cstring>

struct Place {
    unsigned x, y, z;
};

static Place threadIdx{0, 0, 0}, blockIdx{0, 0, 0}, blockDim{1, 1, 1}, gridDim{1, 1, 1};

struct float2 {
    float x, y;
};

#define __device__
#define __global__
#define __shared__ static
#define __forceinline__ inline
#define __align__(size) alignas(size)
#define HALF_TO_FLOAT(value, bits) value = convert<_Float16>(bits)
#define FLOAT_TO_HALF(bits, value) bits = convert<unsigned short>((_Float16)(value))
#define DIVIDE(x, y) ((x) / (y))
#define EXPONENTIAL(x) expf(x)
#define TICKET(at) (*(at))++
#define READ_PART(at) (*(at))
#define READ_ROW(row, at) std::memcpy((void *)&(row), at, sizeof(row))
#define BOUNDS
#define SHARED(type, name) alignas(16) static char name##_bytes[1 << 16]; \
    static type *const name = (type *)name##_bytes

template <typename To, typename From>
static To convert(From from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    std::memcpy(&to, &from, sizeof(to));
    return to;
}

using std::fmaxf;
using std::fminf;
static float2 make_float2(float x, float y) { return {x, y}; }
static float __uint_as_float(unsigned bits) { return convert<float>(bits); }
static unsigned __float_as_uint(float value) { return convert<unsigned>(value); }
static void __syncthreads() {}
static void __threadfence() {}
static float __shfl_xor_sync(unsigned, float value, int) { return value; }
using std::max;
using std::min;

#include "numbers.cuh"
#include FILE

template <typename Argument>
static void run(void (*kernel)(Argument), const void *given, unsigned x, unsigned y, unsigned z) {
    Argument argument;
    std::memcpy((void *)&argument, given, sizeof(argument));
    gridDim = {x, y, z};
    for (blockIdx.z = 0; blockIdx.z < z; blockIdx.z++) {
        for (blockIdx.y = 0; blockIdx.y < y; blockIdx.y++) {
            for (blockIdx.x = 0; blockIdx.x < x; blockIdx.x++) kernel(argument);
        }
    }
}

template <typename Argument>
static int size(void (*)(Argument)) { return sizeof(Argument); }

extern "C" int size_of(void) { return size(KERNEL); }

extern "C" void run_all(const void *argument, unsigned x, unsigned y, unsigned z) {
    run(KERNEL, argument, x, y, z);
}
