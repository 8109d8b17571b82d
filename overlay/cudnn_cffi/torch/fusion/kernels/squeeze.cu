// Means of all pixels, and products of a matrix with few rows.

#ifndef ROWS
#define ROWS 1
#endif

struct Sums {
    const u16 *x;
    float *sums;  // (images, pieces, channels)
    long long x_image, x_row;
    int rows, channels, pieces;
};

const int LANES = 32, COLUMNS = 8;  // rows, and vectors of channels, that a block reads at once

// Sums over rows: block (columns, piece, image).
extern "C" __global__ void sums(const Sums all) {
    __shared__ float parts[LANES][COLUMNS * VECTOR];
    const int length = (all.rows + all.pieces - 1) / all.pieces;
    const int begin = blockIdx.y * length, end = min(begin + length, all.rows);
    const u16 *from = all.x + blockIdx.z * all.x_image;
    for (int own = threadIdx.x; own < LANES * COLUMNS; own += blockDim.x) {
        int lane = own / COLUMNS, channel = (blockIdx.x * COLUMNS + own % COLUMNS) * VECTOR;
        float sum[VECTOR] = {};
        if (channel < all.channels) {
#pragma unroll 4
            for (int row = begin + lane; row < end; row += LANES) {
                float values[VECTOR];
                load<VECTOR>(from + row * all.x_row + channel, values);
#pragma unroll
                for (int i = 0; i < VECTOR; i++) sum[i] += values[i];
            }
        }
#pragma unroll
        for (int i = 0; i < VECTOR; i++) parts[lane][own % COLUMNS * VECTOR + i] = sum[i];
    }
    __syncthreads();
    for (int own = threadIdx.x; own < COLUMNS * VECTOR; own += blockDim.x) {
        int channel = blockIdx.x * COLUMNS * VECTOR + own;
        float sum = 0.0f;
        for (int lane = 0; lane < LANES; lane++) sum += parts[lane][own];
        if (channel < all.channels) {
            all.sums[((long long)blockIdx.z * all.pieces + blockIdx.y) * all.channels + channel] = sum;
        }
    }
}

struct Product {
    const void *x;  // numbers, (rows, columns), or sums of floats, (rows, pieces, columns)
    const u16 *w, *bias;  // (outputs, columns)
    u16 *y;  // (rows, outputs)
    int rows, columns, outputs, pieces;  // pieces: 0 for numbers
    float number, factor;  // of sums
};

SHARED(float, staged);  // [ROWS][columns]

// y = activation(x w + bias): a warp computes an output of ROWS rows, reading VECTOR columns at once.
extern "C" __global__ void product(const Product all) {
    const int first = blockIdx.y * ROWS, rows = min(ROWS, all.rows - first);
    for (int i = 0; i < ROWS; i++) {
        const long long row = first + i;
        for (int column = threadIdx.x; column < all.columns; column += blockDim.x) {
            float value = 0.0f;
            if (i < rows && all.pieces) {
                const float *from = (const float *)all.x + row * all.pieces * all.columns + column;
#pragma unroll 8
                for (int n = 0; n < all.pieces; n++) value += from[(long long)n * all.columns];
                value *= all.factor;
            } else if (i < rows) {
                value = wide(((const u16 *)all.x)[row * all.columns + column]);
            }
            staged[i * all.columns + column] = value;
        }
    }
    __syncthreads();
    const int lanes = blockDim.x < 32 ? 1 : 32, lane = threadIdx.x % lanes;
    const int warps = blockDim.x / lanes, per_block = blockDim.x < 32 ? 8 : warps;
    for (int place = threadIdx.x / lanes; place < per_block; place += warps) {
        const int output = blockIdx.x * per_block + place;
        if (output >= all.outputs) return;
        float sum[ROWS] = {};
        const u16 *filter = all.w + (long long)output * all.columns;
#pragma unroll 4
        for (int column = lane * VECTOR; column < all.columns; column += lanes * VECTOR) {
            float factors[VECTOR];
            load<VECTOR>(filter + column, factors);
#pragma unroll
            for (int n = 0; n < VECTOR; n++) {
#pragma unroll
                for (int i = 0; i < ROWS; i++) {
                    sum[i] += staged[i * all.columns + column + n] * factors[n];
                }
            }
        }
        if (lanes > 1) {
#pragma unroll
            for (int i = 0; i < ROWS; i++) {
                for (int other = 16; other; other /= 2) {
                    sum[i] += __shfl_xor_sync(0xffffffffu, sum[i], other);
                }
            }
        }
        if (lane) continue;
        float bias = all.bias ? wide(all.bias[output]) : 0.0f;
        for (int i = 0; i < rows; i++) {
            float value = activated(sum[i] + bias, all.number);
            all.y[(long long)(first + i) * all.outputs + output] = narrow(value);
        }
    }
}
