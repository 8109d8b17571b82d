// Numbers in memory, of data types that are known by TYPE or when a kernel runs, their products, and
// activations. Arithmetic is in float. Sources of kernels have this before them.

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

enum Type { HALF, BFLOAT16, FLOAT, DOUBLE };

#ifndef TYPE
#define TYPE 0
#endif

#ifndef ACTIVATION
#define ACTIVATION 0
#endif

// Headers with conversions of half precision are not on every machine.
#ifndef HALF_TO_FLOAT
#define HALF_TO_FLOAT(value, bits) asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits))
#define FLOAT_TO_HALF(bits, value) asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value))
#endif

#ifndef DIVIDE
#ifdef EXACT
#define DIVIDE(x, y) ((x) / (y))
#define EXPONENTIAL(x) expf(x)
#else  // with errors of some units in the last place of float
#define DIVIDE(x, y) __fdividef(x, y)
#define EXPONENTIAL(x) exponential(x)

__device__ __forceinline__ float exponential(float x) {  // 0 where it is less than normal numbers
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x * 1.44269504f));
    return y;
}
#endif
#endif

#ifndef SHARED
#define SHARED(type, name) extern __shared__ type name[]  // of the size that a launch gives
#endif

__device__ __forceinline__ float to_float(u16 bits, int type) {
    if (type == BFLOAT16) return __uint_as_float((u32)bits << 16);
    float value;
    HALF_TO_FLOAT(value, bits);
    return value;
}

__device__ __forceinline__ u16 to_narrow(float value, int type) {
    if (type == HALF) {
        u16 bits;
        FLOAT_TO_HALF(bits, value);
        return bits;
    }
    u32 bits = __float_as_uint(value);
    if (value != value) return 0x7fc0;
    return (u16)((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

__device__ __forceinline__ float wide(u16 bits) { return to_float(bits, TYPE); }
__device__ __forceinline__ float wide(float value) { return value; }
__device__ __forceinline__ u16 narrow(float value) {
#if TYPE == 1 && __CUDA_ARCH__ >= 800
    u16 bits;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(value));
    return bits;
#else
    return to_narrow(value, TYPE);
#endif
}

// The number at an index of an array of any type.
__device__ __forceinline__ double number_at(const void *from, long long at, int type) {
    if (type == FLOAT) return ((const float *)from)[at];
    if (type == DOUBLE) return ((const double *)from)[at];
    return to_float(((const u16 *)from)[at], type);
}

#if TYPE == 2
typedef float number;
#else
typedef u16 number;
#endif

// COUNT numbers that lie side by side, at an address that is a multiple of their size, or of 16.
template <int COUNT>
struct __align__(COUNT * sizeof(number) < 16 ? COUNT * sizeof(number) : 16) Numbers {
    number each[COUNT];
};

template <int COUNT> struct __align__(COUNT < 2 ? 4 : COUNT < 8 ? COUNT * 2 : 16) Pairs {
    u32 each[COUNT < 2 ? 1 : COUNT / 2];
};

#if TYPE == 0
#define PACK(bits, low, high) asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(high), "f"(low))
#else
#define PACK(bits, low, high) asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(high), "f"(low))
#endif

template <int COUNT> __device__ __forceinline__ void load(const number *from, float *to) {
#if TYPE == 1 && defined(__CUDA_ARCH__)
    if (COUNT > 1) {  // the higher number needs one instruction
        Pairs<COUNT> all = *(const Pairs<COUNT> *)from;
#pragma unroll
        for (int i = 0; i < COUNT / 2; i++) {
            to[2 * i] = __uint_as_float(all.each[i] << 16);
            to[2 * i + 1] = __uint_as_float(all.each[i] & 0xffff0000u);
        }
    } else
#endif
    {
        Numbers<COUNT> all = *(const Numbers<COUNT> *)from;
#pragma unroll
        for (int i = 0; i < COUNT; i++) to[i] = wide(all.each[i]);
    }
}

template <int COUNT> __device__ __forceinline__ void store(number *to, const float *from) {
#if TYPE != 2 && __CUDA_ARCH__ >= 800
    if (COUNT > 1) {  // one instruction rounds two numbers
        Pairs<COUNT> all;
#pragma unroll
        for (int i = 0; i < COUNT / 2; i++) PACK(all.each[i], from[2 * i], from[2 * i + 1]);
        *(Pairs<COUNT> *)to = all;
    } else
#endif
    {
        Numbers<COUNT> all;
#pragma unroll
        for (int i = 0; i < COUNT; i++) all.each[i] = TYPE == 2 ? from[i] : narrow(from[i]);
        *(Numbers<COUNT> *)to = all;
    }
}

// Has threads of a grid, which are fewer than 2^31, do rows of channels: body(channel, row, step) does
// COUNT channels of that row and of each step-th row after it.
template <int COUNT, typename Body>
__device__ __forceinline__ void each_lane(int channels, Body body) {
    const u32 vectors = channels / COUNT, threads = gridDim.x * blockDim.x;
    const u32 steps = threads / vectors, own = blockIdx.x * blockDim.x + threadIdx.x;
    for (u32 start = own; start < steps * vectors || (steps == 0 && start < vectors);
         start += steps ? steps * vectors : threads) {
        body((int)(start % vectors) * COUNT, (long long)(start / vectors), steps ? steps : 1ll);
    }
}

// The arrays and extents of a convolution of images whose channels are innermost.
struct Convolution {
    const u16 *x, *w, *bias, *residual;
    u16 *y;
    long long x_image, x_row, x_column, residual_image, residual_row, residual_column;
    long long y_image, y_row, y_column;  // strides
    int images, channels, height, width, out_height, out_width;
    int top, left;
    float number;
    int early;
};

// The factor of a channel by a batch norm, and the number that is added after it.
template <typename Item> __device__ double scale_of(const Item &item, int channel) {
    if (!item.variance) return 1.0;
    double variance = number_at(item.variance, channel, item.statistics_type);
    double scale = 1.0 / sqrt(variance + item.epsilon);
    return item.gamma ? scale * number_at(item.gamma, channel, item.affine_type) : scale;
}

template <typename Item>
__device__ double offset_of(const Item &item, int channel, double scale) {
    double offset = item.bias ? number_at(item.bias, channel, item.bias_type) : 0.0;
    if (!item.variance) return offset;
    offset = (offset - number_at(item.mean, channel, item.statistics_type)) * scale;
    return item.beta ? offset + number_at(item.beta, channel, item.affine_type) : offset;
}

enum Activation {
    NONE, RELU, CLIPPED_RELU, SWISH, HARD_SWISH, SIGMOID, HARD_SIGMOID, GELU, GELU_TANH, TANH,
    LEAKY_RELU, ELU
};

// PyTorch's formulas; of NaN they give NaN.
template <int WORD> __device__ __forceinline__ float activated(float x, float number = 0.0f) {
    switch (WORD) {
    case RELU: return x < 0.0f ? 0.0f : x;
    case CLIPPED_RELU: return x < 0.0f ? 0.0f : x > number ? number : x;
    case SWISH: return DIVIDE(x, 1.0f + EXPONENTIAL(-x));
    case HARD_SWISH: return x * (x < -3.0f ? 0.0f : x > 3.0f ? 6.0f : x + 3.0f) * (1.0f / 6.0f);
    case SIGMOID: return DIVIDE(1.0f, 1.0f + EXPONENTIAL(-x));
    case HARD_SIGMOID: return (x < -3.0f ? 0.0f : x > 3.0f ? 6.0f : x + 3.0f) * (1.0f / 6.0f);
    case GELU: return 0.5f * x * (1.0f + erff(x * 0.70710678f));
    case GELU_TANH:
        return 0.5f * x * (1.0f + tanhf(0.79788456f * (x + 0.044715f * x * x * x)));
    case TANH: return tanhf(x);
    case LEAKY_RELU: return x < 0.0f ? x * number : x;
    case ELU: return x < 0.0f ? number * expm1f(x) : x;
    default: return x;
    }
}

__device__ __forceinline__ float activated(float x, float number) {
    return activated<ACTIVATION>(x, number);
}

// The keys of a sequence: no more than its row of a page table has room for, and so few that others can
// be added. A length below 0 is 0.
__device__ __forceinline__ int keys_of(int length, long long room, int others) {
    long long most = room < 0x7fffffffll - others ? room : 0x7fffffffll - others;
    return length < 0 ? 0 : length < most ? length : (int)most;
}

#ifdef __CUDA_ARCH__
// With these two, a kernel begins before the one before it in the stream ends.
__device__ __forceinline__ void wait_for_kernel() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

__device__ __forceinline__ void let_next_begin() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

#if TYPE == 0
#define MULTIPLY "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
#else
#define MULTIPLY "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"
#endif

// Adds the product of fragments of 16 x 16 and 16 x 8 numbers to sums.
__device__ __forceinline__ void multiply(
    float *sums, u32 a0, u32 a1, u32 a2, u32 a3, u32 b0, u32 b1) {
    asm volatile(MULTIPLY " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}
#endif
