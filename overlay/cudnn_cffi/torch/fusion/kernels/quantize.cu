// Makes numbers of 8 bits: of weights, each row with a scale of its own, and of values.
//
// Comparing before writing leaves memory alone that another stream may be reading.

enum Kind { INT8, FP8 };

struct Item {
    const void *source, *bias, *mean, *variance, *gamma, *beta;
    u8 *target;  // dense, [rows][middle][inner]
    float *factors, *offsets;  // of each row
    double epsilon;
    double factor, offset;  // of all factors, of all offsets
    long long source_row, source_middle, source_inner;  // strides
    int rows, middle, inner;
    int source_type, bias_type, statistics_type, affine_type;
    int kind;
    int vectors;  // whether 8 elements of a row lie together and are aligned
    int first, last;  // rows of this block
};

const int LANES = 32;

// INT8 becomes -128 to 127, and 0 of NaN; FP8 becomes -448 to 448, and NaN of NaN.
template <int KIND>
__device__ u8 quantized(float value) {
    if (KIND == INT8) {
        int made;
        asm("cvt.rni.sat.s8.f32 %0, %1;" : "=r"(made) : "f"(value));
        return (u8)made;
    }
#if __CUDA_ARCH__ >= 890
    u16 made;
    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(made) : "f"(0.0f), "f"(value));
    return (u8)made;
#else
    return 0;
#endif
}

__device__ u8 quantized(float value, int kind) {
    return kind == INT8 ? quantized<INT8>(value) : quantized<FP8>(value);
}

__device__ double element(const Item &item, int row, int at) {
    int middle = at / item.inner;
    return number_at(item.source, row * item.source_row + middle * item.source_middle
        + (at - middle * item.inner) * item.source_inner, item.source_type);
}

__device__ const u16 *vector_at(const Item &item, int row, int at) {
    int middle = at / item.inner;
    return (const u16 *)item.source + row * item.source_row + middle * item.source_middle
        + (at - middle * item.inner);
}

// A warp does a row: the largest of it, which is NaN if there is any, then the numbers.
extern "C" __global__ void quantize_weights(const Item *items) {
    const Item &item = items[blockIdx.x];
    int lane = threadIdx.x % LANES, warps = blockDim.x / LANES;
    int size = item.middle * item.inner;
    double most_of_kind = item.kind == INT8 ? 127.0 : 448.0;
    for (int row = item.first + threadIdx.x / LANES; row < item.last; row += warps) {
        // Bits of numbers without sign are in the order of the numbers, and NaN is above all.
        u64 most = 0;
        if (item.vectors) {
            for (int at = lane * 8; at < size; at += LANES * 8) {
                uint4 four = *(const uint4 *)vector_at(item, row, at);
                const u16 *each = (const u16 *)&four;
                for (int i = 0; i < 8; i++) {
                    double value = to_float(each[i], item.source_type);
                    u64 bits = __double_as_longlong(value) & ~(1ull << 63);
                    most = bits > most ? bits : most;
                }
            }
        } else {
            for (int at = lane; at < size; at += LANES) {
                u64 bits =
                    __double_as_longlong(element(item, row, at)) & ~(1ull << 63);
                most = bits > most ? bits : most;
            }
        }
        for (int far = LANES / 2; far; far /= 2) {
            u64 other = __shfl_xor_sync(0xffffffffu, most, far);
            most = other > most ? other : most;
        }
        double amax = __longlong_as_double(most);
        double inverse = amax == 0.0 ? 0.0 : most_of_kind / amax;
        u8 *target = item.target + (long long)row * size;
        if (item.vectors) {
            for (int at = lane * 8; at < size; at += LANES * 8) {
                uint4 four = *(const uint4 *)vector_at(item, row, at);
                const u16 *each = (const u16 *)&four;
                union { u8 bytes[8]; uint2 both; } made;
                for (int i = 0; i < 8; i++) {
                    double value = to_float(each[i], item.source_type);
                    made.bytes[i] = quantized((float)(value * inverse), item.kind);
                }
                uint2 *place = (uint2 *)(target + at);
                uint2 now = *place;
                if (now.x != made.both.x || now.y != made.both.y) *place = made.both;
            }
        } else {
            for (int at = lane; at < size; at += LANES) {
                u8 made = quantized((float)(element(item, row, at) * inverse), item.kind);
                if (target[at] != made) target[at] = made;
            }
        }
        if (lane) continue;
        double scale = scale_of(item, row), offset = offset_of(item, row, scale);
        float factor = (float)(amax / most_of_kind * scale * item.factor);
        float added = (float)(offset * item.offset);
        if (__float_as_uint(item.factors[row]) != __float_as_uint(factor))
            item.factors[row] = factor;
        if (__float_as_uint(item.offsets[row]) != __float_as_uint(added))
            item.offsets[row] = added;
    }
}

// 16 numbers at once; both addresses are multiples of 16.
template <int KIND>
__device__ void quantize_values(
    const void *source, u8 *target, long long count, float inverse, int type) {
    long long step = (long long)gridDim.x * blockDim.x;
    long long start = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    for (long long at = start; at < count / 16; at += step) {
        union { u8 bytes[16]; uint4 all; } made;
        if (type == FLOAT) {
            for (int part = 0; part < 4; part++) {
                float4 four = ((const float4 *)source)[at * 4 + part];
                made.bytes[part * 4] = quantized<KIND>(four.x * inverse);
                made.bytes[part * 4 + 1] = quantized<KIND>(four.y * inverse);
                made.bytes[part * 4 + 2] = quantized<KIND>(four.z * inverse);
                made.bytes[part * 4 + 3] = quantized<KIND>(four.w * inverse);
            }
        } else {
            for (int part = 0; part < 2; part++) {
                uint4 four = ((const uint4 *)source)[at * 2 + part];
                const u16 *each = (const u16 *)&four;
                for (int i = 0; i < 8; i++)
                    made.bytes[part * 8 + i] = quantized<KIND>(to_float(each[i], type) * inverse);
            }
        }
        ((uint4 *)target)[at] = made.all;
    }
    for (long long at = count / 16 * 16 + start; at < count; at += step)
        target[at] = quantized<KIND>((float)number_at(source, at, type) * inverse);
}

extern "C" __global__ void quantize(
    const void *source, u8 *target, long long count, float inverse, int type, int kind) {
    if (kind == INT8) quantize_values<INT8>(source, target, count, inverse, type);
    else quantize_values<FP8>(source, target, count, inverse, type);
}
