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

#ifdef SPLIT
// The same for many rows, by tensor cores: a block has 16 rows, and its 8 warps 8 outputs each, or parts
// of the columns of the same 8 outputs if these are SPLIT. Rows are rounded to the type of numbers.
const int WARPS_OF_BLOCK = 8;

// Up to eight numbers, and zeros.
__device__ __forceinline__ uint4 eight_of(const u16 *from, int count) {
    Numbers<8> found = {};
#pragma unroll
    for (int i = 0; i < 8; i += VECTOR)
        if (i < count) *(Numbers<VECTOR> *)(found.each + i) = *(const Numbers<VECTOR> *)(from + i);
    return *(uint4 *)&found;
}

extern "C" __global__ void __launch_bounds__(256) products(const Product all) {
    const int first = blockIdx.y * 16, groups = (all.columns + 31) / 32, pitch = (groups | 1) * 32;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    u16 *rows = (u16 *)staged;  // [16][pitch]
    float *parts = staged + 8 * pitch;  // [warps][16][8]
    wait_for_kernel();
    let_next_begin();
    if (all.pieces) {
        for (int at = threadIdx.x; at < 16 * groups * 8; at += 256) {
            const int row = at / (groups * 8), column = at % (groups * 8) * 4;
            const bool is_there = first + row < all.rows && column < all.columns;
            const float *from = (const float *)all.x
                + (long long)(first + row) * all.pieces * all.columns + column;
            float numbers[4] = {};
#pragma unroll 16
            for (int n = 0; is_there && n < all.pieces; n++) {
                const float *own = from + (long long)n * all.columns;
                if (all.columns % 4) {
                    for (int i = 0; column + i < all.columns && i < 4; i++) numbers[i] += own[i];
                    continue;
                }
                const float4 more = *(const float4 *)own;
                numbers[0] += more.x, numbers[1] += more.y;
                numbers[2] += more.z, numbers[3] += more.w;
            }
#pragma unroll
            for (int i = 0; i < 4; i++) numbers[i] *= all.factor;
            store<4>(rows + row * pitch + column, numbers);
        }
    } else {
        for (int at = threadIdx.x; at < 16 * groups * 4; at += 256) {
            const int row = at / (groups * 4), column = at % (groups * 4) * 8;
            const u16 *from = (const u16 *)all.x + (long long)(first + row) * all.columns + column;
            *(uint4 *)(rows + row * pitch + column)
                = eight_of(from, first + row < all.rows ? all.columns - column : 0);
        }
    }
    __syncthreads();
    const int begin = (blockIdx.x * (SPLIT ? 1 : WARPS_OF_BLOCK) + (SPLIT ? 0 : warp)) * 8;
    const int own = begin + lane / 4;
    float sums[4] = {};
#pragma unroll 4
    for (int group = SPLIT ? warp : 0; group < groups; group += SPLIT ? WARPS_OF_BLOCK : 1) {
        const int column = group * 32 + lane % 4 * 8;
        const u16 *filter = all.w + (long long)own * all.columns + column;
        const uint4 right = eight_of(filter, own < all.outputs ? all.columns - column : 0);
        const uint4 a = *(const uint4 *)(rows + lane / 4 * pitch + column);
        const uint4 b = *(const uint4 *)(rows + (lane / 4 + 8) * pitch + column);
        multiply(sums, a.x, b.x, a.y, b.y, right.x, right.y);
        multiply(sums, a.z, b.z, a.w, b.w, right.z, right.w);
    }
    auto put = [&](int row, int output, float sum) {
        if (first + row >= all.rows || output >= all.outputs) return;
        const float bias = all.bias ? wide(all.bias[output]) : 0.0f;
        all.y[(long long)(first + row) * all.outputs + output] =
            narrow(activated(sum + bias, all.number));
    };
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const int row = lane / 4 + i / 2 * 8, output = lane % 4 * 2 + i % 2;
        if (SPLIT) parts[(warp * 16 + row) * 8 + output] = sums[i];
        else put(row, begin + output, sums[i]);
    }
    if (!SPLIT) return;
    __syncthreads();
    if (threadIdx.x >= 128) return;
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < WARPS_OF_BLOCK; i++) sum += parts[i * 128 + threadIdx.x];
    put(threadIdx.x / 8, begin + threadIdx.x % 8, sum);
}
#endif
