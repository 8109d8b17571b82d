// Rows of channels, one for each pixel: factors and offsets, a gate, an addition and an activation.
//
// A thread has VECTOR channels, which are the same in all rows that it reads.

struct Tail {
    const u16 *x, *residual, *gate;  // gate is (images, channels)
    const u16 *gamma, *beta, *mean, *variance;  // of a norm; all but variance may be null
    u16 *y;
    long long rows, x_row, residual_row, y_row;  // strides of rows
    long long image;  // rows of an image
    int channels;
    float number, epsilon;
    int wide_norm;  // whether numbers of the norm are float
};

__device__ __forceinline__ float number_of(const u16 *from, int at, int is_wide) {
    return is_wide ? ((const float *)from)[at] : wide(from[at]);
}

// y = activation(x factor gate + offset + residual), with factor and offset of a norm. Some rows are on
// their way at once: the first of them with the numbers of the norm.
const int AHEAD = 4;

extern "C" __global__ void tail(const Tail all) {
    typedef Numbers<VECTOR> Vector;
    each_lane<VECTOR>(all.channels, [&](int channel, long long first, long long step) {
        Vector read[AHEAD], gate[AHEAD], added[AHEAD];
        auto fetch = [&](long long begin) {
#pragma unroll
            for (int n = 0; n < AHEAD; n++) {
                const long long row = begin + n * step;
                if (row >= all.rows) break;
                read[n] = *(const Vector *)(all.x + row * all.x_row + channel);
                if (all.gate) {
                    long long image = all.rows == all.image ? 0 : (u32)row / (u32)all.image;
                    gate[n] = *(const Vector *)(all.gate + image * all.channels + channel);
                }
                if (all.residual)
                    added[n] = *(const Vector *)(all.residual + row * all.residual_row + channel);
            }
        };
        fetch(first);
        float factor[VECTOR], offset[VECTOR];
#pragma unroll
        for (int i = 0; i < VECTOR; i++) {
            factor[i] = 1.0f, offset[i] = 0.0f;
            if (all.variance) {
                int at = channel + i, is_wide = all.wide_norm;
                factor[i] = 1.0f / sqrtf(number_of(all.variance, at, is_wide) + all.epsilon);
                if (all.gamma) factor[i] *= number_of(all.gamma, at, is_wide);
                offset[i] = all.beta ? number_of(all.beta, at, is_wide) : 0.0f;
                if (all.mean) offset[i] -= number_of(all.mean, at, is_wide) * factor[i];
            } else if (all.gamma) {
                factor[i] = number_of(all.gamma, channel + i, all.wide_norm);
            }
        }
        for (long long begin = first; begin < all.rows; begin += AHEAD * step) {
            if (begin > first) fetch(begin);
#pragma unroll
            for (int n = 0; n < AHEAD; n++) {
                const long long row = begin + n * step;
                if (row >= all.rows) break;
                float values[VECTOR];
#pragma unroll
                for (int i = 0; i < VECTOR; i++) {
                    float value = wide(read[n].each[i]) * factor[i] + offset[i];
                    if (all.gate) value *= wide(gate[n].each[i]);
                    if (all.residual) value += wide(added[n].each[i]);
                    values[i] = activated(value, all.number);
                }
                store<VECTOR>(all.y + row * all.y_row + channel, values);
            }
        }
    });
}
