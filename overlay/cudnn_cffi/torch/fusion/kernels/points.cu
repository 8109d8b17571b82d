// Filters of one element for many pixels, whose channels are innermost in memory, without memory for
// pixels: y = activation((x gate) w + bias + residual). DEPTH channels become COLUMNS. In place of a
// gate, NORMED is the number of an activation: that of a batch norm of x is multiplied by w.
//
// Blocks do COLUMNS columns each, of which there may be several times as many. The channels of x may
// be known when the kernel runs only: then DEPTH is 0.
//
// Filters stay in the memory of a block, in the order in which instructions take them. A warp does 16
// TILES pixels at a time. A thread has eight of each 32 neighboring channels of a pixel, of x and of y,
// which it reads and writes at once: instructions sum channels in that order.
//
// It has AHEAD times 32 channels of x on their way. If they are HELD, these are all channels, and it
// computes 32 columns after the other; else it has the sums of all columns.

const int SLICES = (COLUMNS + 31) / 32, ROWS = 16 * TILES, IS_NORMED = NORMED >= 0;
static_assert(DEPTH % 8 == 0 && COLUMNS % 8 == 0, "whole vectors");
static_assert(!HELD || DEPTH && AHEAD == (DEPTH + 31) / 32, "all channels are there");

SHARED(uint4, filters);  // and the bias, then factors and offsets of channels, as float

struct Points {
    const u16 *x, *w, *bias, *residual, *gate;  // gate is (images, DEPTH)
    u16 *y;
    long long x_step, residual_step, y_step;  // strides of pixels
    u32 rows, image;  // pixels of all images, and of one
    float number;
    int early;
    const void *mean, *variance, *gamma, *beta;  // of the norm; all but variance may be null
    int depth, is_wide;  // channels; whether numbers of the norm are float
    float norm_number, epsilon;
};

// The products of two pairs, rounded.
__device__ __forceinline__ u32 product(u32 one, u32 other) {
    u32 both;
#if !defined(__CUDA_ARCH__)
    both = narrow(wide((u16)one) * wide((u16)other));
    both |= (u32)narrow(wide((u16)(one >> 16)) * wide((u16)(other >> 16))) << 16;
#elif TYPE == 0
    asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(both) : "r"(one), "r"(other), "r"(0x80008000u));
#else
    asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(both) : "r"(one), "r"(other), "r"(0x80008000u));
#endif
    return both;
}

// The factor of a channel by the norm, and the number that is added after it.
__device__ __forceinline__ float2 norm_of(const Points &all, int channel) {
    const int type = all.is_wide ? FLOAT : TYPE;
    auto of = [&](const void *from) { return (float)number_at(from, channel, type); };
    const float scale = 1.0f / sqrtf(of(all.variance) + all.epsilon);
    const float factor = all.gamma ? scale * of(all.gamma) : scale;
    const float offset = all.beta ? of(all.beta) : 0.0f;
    return make_float2(factor, all.mean ? offset - of(all.mean) * factor : offset);
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) points(const Points all) {
    const int lane = threadIdx.x % 32, part = lane % 4 * 8;
    const int depth = DEPTH ? DEPTH : all.depth, begin = blockIdx.y * COLUMNS;
    const int groups = (depth + 32 * AHEAD - 1) / (32 * AHEAD) * AHEAD;
    const int count = SLICES * groups * 128;
    const u16 *residual = ADDED ? all.residual + begin : nullptr;
    u16 *y = all.y + begin;
    float *bias = (float *)(filters + count);
    float2 *norms = (float2 *)(bias + COLUMNS);
    if (!all.early) wait_for_kernel();
    for (int at = threadIdx.x; at < count; at += THREADS) {
        const int its = at % 32, group = at / 128 % groups, slice = at / 128 / groups;
        const int column = slice * 32 + its / 8 * 8 + at / 32 % 4 * 2 + its / 4 % 2;
        const int channel = group * 32 + its % 4 * 8;
        const bool is_there = column < COLUMNS && channel < depth;
        const u16 *from = is_there ? all.w + (begin + column) * depth + channel : all.w;
        copy_16_or_zeros(address_of(filters + at), from, is_there);
    }
    for (int at = threadIdx.x; at < COLUMNS; at += THREADS)
        bias[at] = all.bias ? wide(all.bias[begin + at]) : 0.0f;
    for (int at = threadIdx.x; IS_NORMED && at < groups * 32; at += THREADS)
        norms[at] = at < depth ? norm_of(all, at) : make_float2(0.0f, 0.0f);
    if (all.early) wait_for_kernel();
    let_next_begin();

    const u32 tiles = (all.rows + ROWS - 1) / ROWS, step = gridDim.x * (THREADS / 32);
    auto row_of = [&](u32 tile, int i) { return tile * ROWS + i * 8 + lane / 4; };
    const u16 *from[2 * TILES], *gates[2 * TILES];
    auto go_to = [&](u32 tile) {
#pragma unroll
        for (int i = 0; i < 2 * TILES; i++) {
            const u32 row = row_of(tile, i);
            const bool is_there = tile < tiles && row < all.rows;
            from[i] = is_there ? all.x + row * all.x_step + part : nullptr;
            if (GATED) gates[i] = all.gate + (is_there ? row / all.image * depth : 0) + part;
        }
    };
    uint4 x[AHEAD][2 * TILES], gate[GATED ? AHEAD : 1][2 * TILES];
    auto read = [&](int place, int group) {
        const bool is_there = (DEPTH && DEPTH % (32 * AHEAD) == 0) || group * 32 + part < depth;
#pragma unroll
        for (int i = 0; i < 2 * TILES; i++) {
            x[place][i] = uint4{};
            if (is_there && from[i]) x[place][i] = *(const uint4 *)(from[i] + group * 32);
            if (!GATED) continue;
            gate[place][i] = is_there ? *(const uint4 *)(gates[i] + group * 32) : uint4{};
        }
    };
    auto take = [&](int place, int group, uint4 *to) {
        float2 norm[IS_NORMED ? 8 : 1];
#pragma unroll
        for (int i = 0; IS_NORMED && i < 8; i += 2) {
            const float4 two = *(const float4 *)(norms + group * 32 + part + i);
            norm[i] = make_float2(two.x, two.y), norm[i + 1] = make_float2(two.z, two.w);
        }
#pragma unroll
        for (int i = 0; i < 2 * TILES; i++) {
            to[i] = x[place][i];
            if (IS_NORMED) {
                float numbers[8];
                load<8>((const u16 *)&x[place][i], numbers);
#pragma unroll
                for (int j = 0; j < 8; j++) {
                    const float value = numbers[j] * norm[j].x + norm[j].y;
                    numbers[j] = activated<NORMED>(value, all.norm_number);
                }
                store<8>((u16 *)&to[i], numbers);
            }
            if (!GATED) continue;
            to[i].x = product(to[i].x, gate[place][i].x);
            to[i].y = product(to[i].y, gate[place][i].y);
            to[i].z = product(to[i].z, gate[place][i].z);
            to[i].w = product(to[i].w, gate[place][i].w);
        }
    };
    auto add = [&](float (*sums)[4][4], const uint4 *left, int slice, int group) {
#pragma unroll
        for (int column = 0; column < 4; column++) {
            const uint4 right = filters[((slice * groups + group) * 4 + column) * 32 + lane];
#pragma unroll
            for (int i = 0; i < TILES; i++) {
                const uint4 &a = left[2 * i], &b = left[2 * i + 1];
                multiply(sums[i][column], a.x, b.x, a.y, b.y, right.x, right.y);
                multiply(sums[i][column], a.z, b.z, a.w, b.w, right.z, right.w);
            }
        }
    };
    auto is_result = [&](u32 row, int slice) {
        return row < all.rows && (COLUMNS % 32 == 0 || slice * 32 + part < COLUMNS);
    };
    auto expect = [&](u32 tile, int slice, Numbers<8> *added) {
#pragma unroll
        for (int i = 0; i < 2 * TILES; i++) {
            const u32 row = row_of(tile, i);
            if (ADDED && is_result(row, slice))
                added[i] = *(const Numbers<8> *)(
                    residual + row * all.residual_step + slice * 32 + part);
        }
    };
    auto finish = [&](u32 tile, int slice, float (*sums)[4][4], const Numbers<8> *added) {
#pragma unroll
        for (int i = 0; i < 2 * TILES; i++) {
            const u32 row = row_of(tile, i);
            if (!is_result(row, slice)) continue;
            float numbers[8];
#pragma unroll
            for (int j = 0; j < 8; j++) {
                numbers[j] = sums[i / 2][j / 2][i % 2 * 2 + j % 2] + bias[slice * 32 + part + j];
                if (ADDED) numbers[j] += wide(added[i].each[j]);
                numbers[j] = activated(numbers[j], all.number);
            }
            store<8>(y + row * all.y_step + slice * 32 + part, numbers);
        }
    };

    u32 tile = blockIdx.x * (THREADS / 32) + threadIdx.x / 32;
    go_to(tile);
#pragma unroll
    for (int i = 0; i < AHEAD; i++) read(i, i);
    have_copies();
    for (; tile < tiles; tile += step) {
        if (HELD) {
            uint4 left[AHEAD][2 * TILES];
            go_to(tile + step);
#pragma unroll
            for (int i = 0; i < AHEAD; i++) take(i, i, left[i]), read(i, i);
#pragma unroll 1
            for (int slice = 0; slice < SLICES; slice++) {
                float sums[TILES][4][4] = {};
                Numbers<8> added[2 * TILES] = {};
                expect(tile, slice, added);
#pragma unroll
                for (int i = 0; i < AHEAD; i++) add(sums, left[i], slice, i);
                finish(tile, slice, sums, added);
            }
            continue;
        }
        float sums[SLICES][TILES][4][4] = {};
        Numbers<8> added[SLICES][2 * TILES] = {};
#pragma unroll
        for (int slice = 0; slice < SLICES; slice++) expect(tile, slice, added[slice]);
#pragma unroll 1
        for (int first = 0; first < groups; first += AHEAD) {
            const bool is_last = first + AHEAD == groups;
            if (is_last) go_to(tile + step);
#pragma unroll
            for (int i = 0; i < AHEAD; i++) {
                uint4 left[2 * TILES];
                take(i, first + i, left);
                read(i, is_last ? i : first + AHEAD + i);
#pragma unroll
                for (int slice = 0; slice < SLICES; slice++) add(sums[slice], left, slice, first + i);
            }
        }
#pragma unroll
        for (int slice = 0; slice < SLICES; slice++) finish(tile, slice, sums[slice], added[slice]);
    }
}
