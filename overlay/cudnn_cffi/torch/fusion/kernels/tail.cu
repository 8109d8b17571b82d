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

// y = activation(x factor gate + offset + residual), with factor and offset of a norm.
extern "C" __global__ void tail(const Tail all) {
    const int vectors = all.channels / VECTOR;
    const long long threads = (long long)gridDim.x * blockDim.x, steps = threads / vectors;
    const long long own = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    for (long long start = own; start < steps * vectors || (steps == 0 && start < vectors);
         start += steps ? steps * vectors : threads) {
        const int channel = (int)(start % vectors) * VECTOR;
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
        for (long long row = start / vectors; row < all.rows; row += steps ? steps : 1) {
            typedef Numbers<VECTOR> Vector;
            Vector read = *(const Vector *)(all.x + row * all.x_row + channel), made, gate, added;
            if (all.gate) {
                long long image = all.rows == all.image ? 0 : (u32)row / (u32)all.image;
                gate = *(const Vector *)(all.gate + image * all.channels + channel);
            }
            if (all.residual) {
                added = *(const Vector *)(all.residual + row * all.residual_row + channel);
            }
#pragma unroll
            for (int i = 0; i < VECTOR; i++) {
                float value = wide(read.each[i]) * factor[i] + offset[i];
                if (all.gate) value *= wide(gate.each[i]);
                if (all.residual) value += wide(added.each[i]);
                made.each[i] = narrow(activated(value, all.number));
            }
            *(Vector *)(all.y + row * all.y_row + channel) = made;
        }
    }
}
