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

// VECTOR numbers of a norm, which are float or as x.
__device__ __forceinline__ void load_numbers(const u16 *from, int at, int is_wide, float *to) {
    if (!is_wide) {
        load<VECTOR>(from + at, to);
        return;
    }
#pragma unroll
    for (int i = 0; i < VECTOR; i++) to[i] = ((const float *)from)[at + i];
}

// y = activation(x factor gate + offset + residual). NORMED is 1 for factors alone, and 2 for factors
// and offsets of a norm. Some rows are on their way at once: the first of them with those numbers.
const int AHEAD = 4, BLOCKS = 4 - GATED - ADDED;  // of a multiprocessor

extern "C" __global__ void __launch_bounds__(256, BLOCKS) tail(const Tail all) {
    typedef Numbers<VECTOR> Vector;
    wait_for_kernel();
    let_next_begin();
    each_lane<VECTOR>(all.channels, [&](int channel, long long first, long long step) {
        Vector read[AHEAD], gate[GATED ? AHEAD : 1], added[ADDED ? AHEAD : 1];
        auto fetch = [&](long long begin) {
#pragma unroll
            for (int n = 0; n < AHEAD; n++) {
                const long long row = begin + n * step;
                if (row >= all.rows) break;
                read[n] = *(const Vector *)(all.x + row * all.x_row + channel);
                if (GATED) {
                    long long image = all.rows == all.image ? 0 : (u32)row / (u32)all.image;
                    gate[n] = *(const Vector *)(all.gate + image * all.channels + channel);
                }
                if (ADDED)
                    added[n] = *(const Vector *)(all.residual + row * all.residual_row + channel);
            }
        };
        fetch(first);
        float factor[VECTOR], offset[VECTOR] = {}, numbers[VECTOR];
        auto read_numbers = [&](const u16 *from) {
            load_numbers(from, channel, all.wide_norm, numbers);
        };
        if (NORMED == 1) load_numbers(all.gamma, channel, all.wide_norm, factor);
        if (NORMED == 2) {
            read_numbers(all.variance);
#pragma unroll
            for (int i = 0; i < VECTOR; i++) factor[i] = rsqrtf(numbers[i] + all.epsilon);
            if (all.gamma) {
                read_numbers(all.gamma);
#pragma unroll
                for (int i = 0; i < VECTOR; i++) factor[i] *= numbers[i];
            }
            if (all.beta) load_numbers(all.beta, channel, all.wide_norm, offset);
            if (all.mean) {
                read_numbers(all.mean);
#pragma unroll
                for (int i = 0; i < VECTOR; i++) offset[i] -= numbers[i] * factor[i];
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
                    float value = wide(read[n].each[i]);
                    if (NORMED) value = value * factor[i] + offset[i];
                    if (GATED) value *= wide(gate[n].each[i]);
                    if (ADDED) value += wide(added[n].each[i]);
                    values[i] = activated(value, all.number);
                }
                store<VECTOR>(all.y + row * all.y_row + channel, values);
            }
        }
    });
}
