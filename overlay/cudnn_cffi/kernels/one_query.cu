// Attention of one query of each sequence over keys and values in pages, which are divided among
// blocks; the last one of a sequence and a head of keys adds what the others found.
//
// A block has the GROUP heads of queries that share a head of keys, and its warps 16 keys each at a
// time. Rows of keys and values are fragments of products as they lie in memory: the order of what
// is summed is another.

#define WARPS 8
#define ENDLESS __int_as_float(0x7f800000)
#define TILE (16 * WARPS)
#define CHUNKS (WIDTH / 32)  // of 16 bytes, that four threads have of a row
#define ROUNDS (WIDTH / 64)  // in which eight threads read a row

struct Attention {
    const u16 *q, *k, *v;
    const int *table, *lengths;
    u16 *o;
    float *parts;
    u32 *tickets;
    long long page_step, head_step, row_step;
    float scale;  // times the logarithm of e to the base 2
    int blocks;   // of a row of the table
    int early;    // whether table and lengths are read before the kernel before this one ends
};

__device__ __forceinline__ uint4 load_row(const u16 *from, bool there) {
    return there ? __ldg((const uint4 *)from) : make_uint4(0, 0, 0, 0);
}

// Adds what was found with another maximum, by the weights of both.
__device__ __forceinline__ void add(
    float &peak, float &whole, float *sum, float top, float total, float4 each) {
    float higher = fmaxf(peak, top), base = higher == -ENDLESS ? 0.0f : higher;
    float shrunk = exp2f(peak - base), weight = exp2f(top - base);
    peak = higher, whole = whole * shrunk + total * weight;
    sum[0] = sum[0] * shrunk + each.x * weight, sum[1] = sum[1] * shrunk + each.y * weight;
    sum[2] = sum[2] * shrunk + each.z * weight, sum[3] = sum[3] * shrunk + each.w * weight;
}

__device__ __forceinline__ void finish(u16 *to, int length, float whole, float *sum) {
    for (int i = 0; i < 4; i++) sum[i] = length > 0 ? sum[i] / whole : 0.0f;
    store<4>(to, sum);
}

extern "C" __global__ void __launch_bounds__(32 * WARPS, 2)
attend(const __grid_constant__ Attention p) {
    __shared__ __align__(16) float sums[WARPS][(GROUP + 1) / 2 * (2 * WIDTH + 4)];  // fewer conflicts of banks
    __shared__ float most[WARPS][8], totals[WARPS][8];
    __shared__ bool is_last;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
    int head = blockIdx.y, sequence = blockIdx.z, heads = gridDim.y;
    const int *table = p.table + (long long)sequence * p.blocks;
    const u16 *k = p.k + head * p.head_step, *v = p.v + head * p.head_step;
    let_next_begin();
    if (!p.early) wait_for_kernel();
    int length = p.lengths[sequence];
    int tiles = (length + TILE - 1) / TILE, active = max(1, min(tiles, (int)gridDim.x));
    if (blockIdx.x >= active) return;

    auto place = [&](int key) { return table[key / PAGE] * p.page_step + key % PAGE * p.row_step; };
    auto first_of = [&](int tile) { return (blockIdx.x + tile * gridDim.x) * TILE + warp * 16; };
#if __CUDA_ARCH__ >= 900
    int soon = first_of(0) + lane % 16;
    if (p.early && soon < length) {  // the cache has what the kernel before this one still writes
        const u16 *row = (lane < 16 ? k : v) + place(soon);
        asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" :: "l"(row), "r"(2 * WIDTH));
    }
#endif
    if (p.early) wait_for_kernel();

    uint4 keys[2][CHUNKS], values[4][ROUNDS];
    auto load_keys = [&](int first) {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            int key = first + 8 * i + g;
            bool there = key < length;
            const u16 *from = k + (there ? place(key) : 0) + 8 * t;
#pragma unroll
            for (int j = 0; j < CHUNKS; j++) keys[i][j] = load_row(from + 32 * j, there);
        }
    };
    auto load_values = [&](int first) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            int key = first + i / 2 * 8 + 2 * t + i % 2;
            bool there = key < length;
            const u16 *from = v + (there ? place(key) : 0) + 8 * g;
#pragma unroll
            for (int j = 0; j < ROUNDS; j++) values[i][j] = load_row(from + 64 * j, there);
        }
    };
    int own = (tiles - blockIdx.x + gridDim.x - 1) / gridDim.x;  // tiles of this block
    if (own > 0) load_keys(first_of(0)), load_values(first_of(0));
    uint4 q[CHUNKS];
    const u16 *row = p.q + ((long long)sequence * heads + head) * GROUP * WIDTH + g * WIDTH + 8 * t;
#pragma unroll
    for (int j = 0; j < CHUNKS; j++) q[j] = load_row(row + 32 * j, g < GROUP);

    float found[WIDTH / 16][4] = {}, top = -ENDLESS, total = 0.0f;
    for (int tile = 0; tile < own; tile++) {
        int first = first_of(tile);
        if (first >= length) break;
        float scores[2][4] = {};
#pragma unroll
        for (int i = 0; i < 2; i++)
#pragma unroll
            for (int j = 0; j < CHUNKS; j++) {
                multiply(scores[i], q[j].x, 0, q[j].y, 0, keys[i][j].x, keys[i][j].y);
                multiply(scores[i], q[j].z, 0, q[j].w, 0, keys[i][j].z, keys[i][j].w);
            }
        if (tile + 1 < own) load_keys(first_of(tile + 1));
        float before = top;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            int key = first + i / 2 * 8 + 2 * t + i % 2;
            float &score = scores[i / 2][i % 2];
            score = key < length ? score * p.scale : -ENDLESS;
            top = fmaxf(top, score);
        }
        top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, 1));
        top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, 2));
        float base = top == -ENDLESS ? 0.0f : top, shrunk = exp2f(before - base);
        total *= shrunk;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            float &score = scores[i / 2][i % 2];
            total += score = exp2f(score - base);
        }
        float left = __shfl_sync(0xffffffffu, shrunk, 8 * t);
        float right = __shfl_sync(0xffffffffu, shrunk, 8 * t + 4);
        u32 low, high;
        PACK(low, scores[0][0], scores[0][1]);
        PACK(high, scores[1][0], scores[1][1]);
#pragma unroll
        for (int j = 0; j < ROUNDS; j++) {
            const u32 *a = (const u32 *)&values[0][j], *b = (const u32 *)&values[1][j];
            const u32 *c = (const u32 *)&values[2][j], *d = (const u32 *)&values[3][j];
#pragma unroll
            for (int w = 0; w < 4; w++) {
                float *to = found[4 * j + w];
                to[0] *= left, to[1] *= right, to[2] *= left, to[3] *= right;
                multiply(
                    to, __byte_perm(a[w], b[w], 0x5410), __byte_perm(a[w], b[w], 0x7632),
                    __byte_perm(c[w], d[w], 0x5410), __byte_perm(c[w], d[w], 0x7632), low, high);
            }
        }
        if (tile + 1 < own) load_values(first_of(tile + 1));
    }
    total += __shfl_xor_sync(0xffffffffu, total, 1);
    total += __shfl_xor_sync(0xffffffffu, total, 2);
    if (t == 0) most[warp][g] = top, totals[warp][g] = total;
#pragma unroll
    for (int i = 0; i < 2; i++) {
        if (2 * t + i >= GROUP) break;
        float *to = sums[warp] + t * (2 * WIDTH + 4) + i * WIDTH + 8 * g;
#pragma unroll
        for (int j = 0; j < WIDTH / 32; j++) {
            const float *low = found[2 * j], *high = found[2 * j + 1];
            *(float4 *)(to + j / 2 * 64 + j % 2 * 4) = make_float4(low[i], low[i + 2], high[i], high[i + 2]);
        }
    }
    __syncthreads();

    // The results of warps, then those of blocks, have the weights of their sums of exponentials.
    const int EACH = GROUP * WIDTH, ROOM = (EACH + 2 * GROUP + 3) / 4 * 4;
    long long item = (long long)sequence * heads + head;
    float *parts = p.parts + item * gridDim.x * ROOM, *part = parts + blockIdx.x * ROOM;
    for (int at = threadIdx.x * 4; at < EACH; at += 4 * 32 * WARPS) {
        int of = at / WIDTH, from = of / 2 * (2 * WIDTH + 4) + of % 2 * WIDTH + at % WIDTH;
        float peak = -ENDLESS, whole = 0.0f, sum[4] = {};
#pragma unroll
        for (int i = 0; i < WARPS; i++) add(peak, whole, sum, most[i][of], totals[i][of], *(float4 *)(sums[i] + from));
        if (active == 1) finish(p.o + item * EACH + at, length, whole, sum);
        else {
            *(float4 *)(part + at) = make_float4(sum[0], sum[1], sum[2], sum[3]);
            if (at % WIDTH == 0) part[EACH + of] = peak, part[EACH + GROUP + of] = whole;
        }
    }
    if (active == 1) return;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) is_last = atomicInc(p.tickets + item, active - 1) == active - 1;
    __syncthreads();
    if (!is_last) return;
    __threadfence();
    for (int at = threadIdx.x * 4; at < EACH; at += 4 * 32 * WARPS) {
        int of = at / WIDTH;
        float peak = -ENDLESS, whole = 0.0f, sum[4] = {};
#pragma unroll 8
        for (int i = 0; i < active; i++) {
            const float *from = parts + i * ROOM, *own = from + EACH + of;
            add(peak, whole, sum, __ldcg(own), __ldcg(own + GROUP), __ldcg((const float4 *)(from + at)));
        }
        finish(p.o + item * EACH + at, length, whole, sum);
    }
}
