// Sums of how far the numbers of an array are from those of another one, in double.
// THREADS is a power of two.

// The sums of each block: squares of differences and of the other array, without what is not a
// number; how many elements are no numbers, of both; how many are one in one array alone.
extern "C" __global__ void __launch_bounds__(THREADS) difference(
    const number *own, const number *other, long long count, double *sums) {
    double found[5] = {0.0, 0.0, 0.0, 0.0, 0.0};
    const long long step = (long long)gridDim.x * THREADS;
    for (long long i = (long long)blockIdx.x * THREADS + threadIdx.x; i < count; i += step) {
        const float x = wide(own[i]), y = wide(other[i]);
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
