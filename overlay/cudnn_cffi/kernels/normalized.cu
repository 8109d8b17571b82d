// A batch norm with known statistics, of rows of channels that lie side by side: each thread computes VECTOR
// channels of several rows. SCALE, BIAS, MEAN and VARIANCE are the types of parameters; the arithmetic is in
// float, in the order of the formula.

struct Normalized {
    const number *x;
    number *y;
    const void *scale, *bias, *mean, *variance;
    long long rows;
    int channels;
    float epsilon;
};

// Rows that a thread reads before it writes.
const int AHEAD = 4;

extern "C" __global__ void __launch_bounds__(THREADS) normalized(Normalized all) {
    typedef Numbers<VECTOR> Vector;
    wait_for_kernel();
    let_next_begin();
    const u32 vectors = all.channels / VECTOR, own = blockIdx.x * THREADS + threadIdx.x;
    const u32 step = gridDim.x * THREADS / vectors;  // the grid has a thread for each vector of a row
    if (own >= step * vectors) return;
    const int channel = own % vectors * VECTOR;
    float scale[VECTOR], bias[VECTOR], mean[VECTOR], inverse[VECTOR];
#pragma unroll
    for (int i = 0; i < VECTOR; i++) {
        const int at = channel + i;
        scale[i] = (float)number_at(all.scale, at, SCALE);
        bias[i] = (float)number_at(all.bias, at, BIAS);
        mean[i] = (float)number_at(all.mean, at, MEAN);
        inverse[i] = 1.0f / sqrtf((float)number_at(all.variance, at, VARIANCE) + all.epsilon);
    }
#pragma unroll 1
    for (long long begin = own / vectors; begin < all.rows; begin += AHEAD * (long long)step) {
        Vector read[AHEAD];
#pragma unroll
        for (int n = 0; n < AHEAD; n++) {
            const long long row = begin + n * (long long)step;
            if (row < all.rows) read[n] = *(const Vector *)(all.x + row * all.channels + channel);
        }
#pragma unroll
        for (int n = 0; n < AHEAD; n++) {
            const long long row = begin + n * (long long)step;
            if (row >= all.rows) return;
            float y[VECTOR];
#pragma unroll
            for (int i = 0; i < VECTOR; i++)
                y[i] = (wide(read[n].each[i]) - mean[i]) * inverse[i] * scale[i] + bias[i];
            store<VECTOR>(all.y + row * all.channels + channel, y);
        }
    }
}
