// A function of each element of an array, or its gradient: numbers that lie side by side at multiples of
// 16 bytes, in any order of axes that all arrays have. ACTIVATION is the function; BY is what its gradient
// is computed by, INPUT or RESULT, or NEITHER for the function itself.

enum By { NEITHER, INPUT, RESULT };

struct Elements {
    const number *dy, *from;
    number *to;
    long long count;
};

// The factor of a gradient, by the input of the function or by its result.
__device__ __forceinline__ float slope(float x) {
    switch (ACTIVATION) {
    case SIGMOID: {
        const float y = BY == RESULT ? x : activated(x, 0.0f);
        return y * (1.0f - y);
    }
    case TANH: {
        const float y = BY == RESULT ? x : tanhf(x);
        return (1.0f + y) * (1.0f - y);
    }
    case SWISH: {
        const float y = DIVIDE(1.0f, 1.0f + EXPONENTIAL(-x));
        return y * (1.0f + x * (1.0f - y));
    }
    case GELU:
        return 0.5f * (1.0f + erff(x * 0.70710678f)) + x * 0.39894228f * EXPONENTIAL(-0.5f * x * x);
    case GELU_TANH: {
        const float square = x * x, y = tanhf(0.79788456f * (x + 0.044715f * square * x));
        const float rest = (1.0f + y) * (1.0f - y);  // 0 where what follows may be infinite
        if (rest == 0.0f) return 0.5f * (1.0f + y);
        return 0.5f * (1.0f + y) + 0.5f * x * rest * 0.79788456f * (1.0f + 0.134145f * square);
    }
    default: return 1.0f;
    }
}

__device__ __forceinline__ float computed(float dy, float from) {
    if (BY == NEITHER) return activated(from, 0.0f);
    // An infinite gradient is 0 where ReLU is constant.
    if (ACTIVATION == RELU) return from > 0.0f ? dy : 0.0f;
    return dy * slope(from);
}

template <int COUNT> __device__ __forceinline__ void compute(const Elements &all, long long at) {
    float dy[COUNT], from[COUNT];
    load<COUNT>(all.from + at, from);
    if (BY != NEITHER) load<COUNT>(all.dy + at, dy);
#pragma unroll
    for (int i = 0; i < COUNT; i++) from[i] = computed(BY == NEITHER ? 0.0f : dy[i], from[i]);
    store<COUNT>(all.to + at, from);
}

extern "C" __global__ void __launch_bounds__(THREADS) elements(Elements all) {
    constexpr int COUNT = 16 / sizeof(number);
    wait_for_kernel();
    let_next_begin();
    long long at = ((long long)blockIdx.x * THREADS + threadIdx.x) * COUNT;
    if (at + COUNT <= all.count)
        compute<COUNT>(all, at);
    else
        for (; at < all.count; at++) compute<1>(all, at);
}
