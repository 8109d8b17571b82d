// Sums of how far the numbers of an array are from those of another one, in double. TYPE is 0 for
// half, 1 for bfloat16, 2 for float; THREADS is a power of two.

typedef unsigned short u16;
typedef unsigned int u32;

#if TYPE == 2
typedef float Number;
#define WIDE(value, bits) value = bits
#elif TYPE == 1
typedef u16 Number;
#define WIDE(value, bits) value = __uint_as_float((u32)(bits) << 16)
#else
typedef u16 Number;
#ifndef WIDE
#define WIDE(value, bits) asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits))
#endif
#endif

// The sums of each block: squares of differences and of the other array, without what is not a
// number; how many elements are no numbers, of both; how many are one in one array alone.
extern "C" __global__ void __launch_bounds__(THREADS) difference(
    const Number *own, const Number *other, long long count, double *sums) {
    double found[5] = {0.0, 0.0, 0.0, 0.0, 0.0};
    const long long step = (long long)gridDim.x * THREADS;
    for (long long i = (long long)blockIdx.x * THREADS + threadIdx.x; i < count; i += step) {
        float x, y;
        WIDE(x, own[i]);
        WIDE(y, other[i]);
        const bool lacks = x != x, misses = y != y;
        if (!lacks && !misses && x != y) {  // equal infinities are no difference
            const double gap = (double)x - y;
            found[0] += gap * gap;
        }
        if (!misses) found[1] += (double)y * y;
        found[2] += lacks;
        found[3] += misses;
        found[4] += lacks != misses;
    }
    __shared__ double parts[5][THREADS];
    for (int k = 0; k < 5; k++) parts[k][threadIdx.x] = found[k];
    for (int half = THREADS / 2; half; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            for (int k = 0; k < 5; k++) parts[k][threadIdx.x] += parts[k][threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        for (int k = 0; k < 5; k++) sums[blockIdx.x * 5 + k] = parts[k][0];
}
