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

#ifdef LAST
struct Gates {
    const float *sums;  // (images, pieces, channels)
    const u16 *w, *bias, *last, *last_bias;  // (squeezed, channels), and (channels, squeezed)
    u16 *y;  // (images, channels)
    int images, channels, squeezed, pieces;
    float factor, number, last_number;  // of sums, and of activations
};

// y = LAST(ACTIVATION(means w + bias) last + last_bias), of ROWS images in a block. VECTOR channels and
// LAST_VECTOR squeezed ones are read at once.
extern "C" __global__ void gates(const Gates all) {
    const int first = blockIdx.x * ROWS, channels = all.channels;
    float *parts = staged + ROWS * (channels + all.squeezed), *hidden = staged + ROWS * channels;
    // Sums of pieces, by some threads for each channel where there are more threads.
    const int sharing = max(1, (int)blockDim.x / channels);
    for (int at = threadIdx.x; at < ROWS * sharing * channels; at += blockDim.x) {
        const int channel = at % channels, part = at / channels % sharing;
        const int image = first + at / channels / sharing;
        const float *from = all.sums + (long long)image * all.pieces * channels + channel;
        float sum = 0.0f;
#pragma unroll 8
        for (int n = part; image < all.images && n < all.pieces; n += sharing)
            sum += from[(long long)n * channels];
        parts[at] = sum;
    }
    __syncthreads();
    for (int at = threadIdx.x; at < ROWS * channels; at += blockDim.x) {
        float sum = 0.0f;
        for (int part = 0; part < sharing; part++)
            sum += parts[(at / channels * sharing + part) * channels + at % channels];
        staged[at] = sum * all.factor;
    }
    __syncthreads();
    const int lanes = blockDim.x < 32 ? 1 : 32, lane = threadIdx.x % lanes;
    for (int output = threadIdx.x / lanes; output < all.squeezed; output += blockDim.x / lanes) {
        const u16 *filter = all.w + (long long)output * channels;
        float sum[ROWS] = {};
#pragma unroll 4
        for (int channel = lane * VECTOR; channel < channels; channel += lanes * VECTOR) {
            float factors[VECTOR];
            load<VECTOR>(filter + channel, factors);
#pragma unroll
            for (int n = 0; n < VECTOR; n++)
#pragma unroll
                for (int i = 0; i < ROWS; i++)
                    sum[i] += staged[i * channels + channel + n] * factors[n];
        }
#pragma unroll
        for (int i = 0; i < ROWS; i++)
            for (int other = lanes / 2; other; other /= 2)
                sum[i] += __shfl_xor_sync(0xffffffffu, sum[i], other);
        if (lane) continue;
        const float bias = all.bias ? wide(all.bias[output]) : 0.0f;
        for (int i = 0; i < ROWS; i++)
            hidden[i * all.squeezed + output] =
                wide(narrow(activated(sum[i] + bias, all.number)));
    }
    __syncthreads();
    for (int channel = threadIdx.x; channel < channels; channel += blockDim.x) {
        const u16 *filter = all.last + (long long)channel * all.squeezed;
        float sum[ROWS] = {};
#pragma unroll 4
        for (int column = 0; column < all.squeezed; column += LAST_VECTOR) {
            float factors[LAST_VECTOR];
            load<LAST_VECTOR>(filter + column, factors);
#pragma unroll
            for (int n = 0; n < LAST_VECTOR; n++)
#pragma unroll
                for (int i = 0; i < ROWS; i++)
                    sum[i] += hidden[i * all.squeezed + column + n] * factors[n];
        }
        const float bias = all.last_bias ? wide(all.last_bias[channel]) : 0.0f;
        for (int i = 0; i < ROWS && first + i < all.images; i++)
            all.y[(long long)(first + i) * channels + channel] =
                narrow(activated<LAST>(sum[i] + bias, all.last_number));
    }
}
#endif
