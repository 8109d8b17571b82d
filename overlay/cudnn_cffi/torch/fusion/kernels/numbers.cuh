// Numbers of 16 bits, HALF or BFLOAT16 by TYPE, and the activation ACTIVATION. Arithmetic is in float.

typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

// Headers with conversions of half precision are not on every machine.
#ifndef HALF_TO_FLOAT
#define HALF_TO_FLOAT(value, bits) asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits))
#define FLOAT_TO_HALF(bits, value) asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value))
#endif

#ifndef DIVIDE  // with errors of some units in the last place of float
#define DIVIDE(x, y) __fdividef(x, y)
#define EXPONENTIAL(x) __expf(x)
#endif

#ifndef SHARED
#define SHARED(type, name) extern __shared__ type name[]  // of the size that a launch gives
#endif

__device__ __forceinline__ float wide(u16 bits) {
#if TYPE == 0
    float value;
    HALF_TO_FLOAT(value, bits);
    return value;
#else
    return __uint_as_float((u32)bits << 16);
#endif
}

__device__ __forceinline__ u16 narrow(float value) {
#if TYPE == 0
    u16 bits;
    FLOAT_TO_HALF(bits, value);
    return bits;
#else
    u32 bits = __float_as_uint(value);
    if (value != value) return 0x7fc0;
    return (u16)((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
#endif
}

// COUNT numbers that lie side by side, at an address that is a multiple of their size.
template <int COUNT> struct Numbers;
template <> struct Numbers<1> { u16 each[1]; };
template <> struct __align__(4) Numbers<2> { u16 each[2]; };
template <> struct __align__(8) Numbers<4> { u16 each[4]; };
template <> struct __align__(16) Numbers<8> { u16 each[8]; };

enum Activation {
    NONE, RELU, CLIPPED_RELU, SWISH, HARD_SWISH, SIGMOID, HARD_SIGMOID, GELU, GELU_TANH, TANH,
    LEAKY_RELU, ELU
};

// PyTorch's formulas; of NaN they give NaN.
__device__ __forceinline__ float activated(float x, float number) {
    switch (ACTIVATION) {
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
