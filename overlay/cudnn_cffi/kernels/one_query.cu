// Attention of one query of each sequence over keys and values in pages, which the blocks of a
// cluster divide; each adds a part of the sums of all.
//
// A block has the GROUP heads of queries that share a head of keys, and its warps 16 keys each at a
// time. Rows of keys and values are fragments of products as they lie in memory: the order of what
// is summed is another. If it ROTATES, the newest key and value are put into the pages, too.

#define WARPS 8
#define TILE (16 * WARPS)
#define AHEAD 2              // tiles that are read at a time
#define CLUSTER 8
#define CHUNKS (WIDTH / 32)  // of 16 bytes, that four threads have of a row
#define ROUNDS (WIDTH / 64)  // in which eight threads read a row
#define ENDLESS __int_as_float(0x7f800000)

struct Attention {
    const u16 *q;  // or rows of queries, keys and values
    u16 *k, *v;
    const int *table, *lengths;
    const float *turns;  // cosines of half of the columns, then sines
    u16 *o;
    long long page_step, head_step, row_step;
    float scale;  // times the logarithm of e to the base 2
    int blocks;   // of a row of the table
    int early;    // whether table and lengths are read before the kernel before this one ends
};

struct Tile {
    uint4 keys[2][CHUNKS], values[4][ROUNDS];
};

// Not by the cache of a multiprocessor: the kernel before this one may have written it just now.
__device__ __forceinline__ uint4 load_row(const u16 *from, bool there) {
    return there ? __ldcg((const uint4 *)from) : make_uint4(0, 0, 0, 0);
}

// Rotates eight columns and those that are half a row after them.
__device__ __forceinline__ void rotate(uint4 &low, uint4 &high, const float *turns) {
    u32 *a = (u32 *)&low, *b = (u32 *)&high;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        float first[2], second[2];
#pragma unroll
        for (int j = 0; j < 2; j++) {
            float x = wide((u16)(a[i] >> 16 * j)), y = wide((u16)(b[i] >> 16 * j));
            float cosine = turns[2 * i + j], sine = turns[2 * i + j + WIDTH / 2];
            first[j] = x * cosine - y * sine;
            second[j] = y * cosine + x * sine;
        }
        PACK(a[i], first[0], first[1]);
        PACK(b[i], second[0], second[1]);
    }
}

// Adds sums with another maximum, by the weights of both.
__device__ __forceinline__ void add(
    float &peak, float &whole, float *sum, float top, float total, float4 each) {
    float higher = fmaxf(peak, top), base = higher == -ENDLESS ? 0.0f : higher;
    float shrunk = exp2f(peak - base), weight = exp2f(top - base);
    peak = higher, whole = whole * shrunk + total * weight;
    sum[0] = sum[0] * shrunk + each.x * weight, sum[1] = sum[1] * shrunk + each.y * weight;
    sum[2] = sum[2] * shrunk + each.z * weight, sum[3] = sum[3] * shrunk + each.w * weight;
}

#ifdef __CUDA_ARCH__
__device__ __forceinline__ void wait_for_cluster() {
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

// The address of what is at an address of this block, in another block of the cluster.
__device__ __forceinline__ u32 in_block(const void *own, int block) {
    u32 found;
    asm("mapa.shared::cluster.u32 %0, %1, %2;"
        : "=r"(found) : "r"((u32)__cvta_generic_to_shared(own)), "r"(block));
    return found;
}

__device__ __forceinline__ float of_block(const float *own, int block) {
    float value;
    asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(value) : "r"(in_block(own, block)));
    return value;
}

__device__ __forceinline__ float4 of_block(const float4 *own, int block) {
    float4 all;
    asm volatile("ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [%4];"
        : "=f"(all.x), "=f"(all.y), "=f"(all.z), "=f"(all.w) : "r"(in_block(own, block)));
    return all;
}
#endif

extern "C" __global__ void __launch_bounds__(32 * WARPS, 1)
attend(const __grid_constant__ Attention p) {
    // Sums of warps: two heads in a row, with a gap for fewer conflicts of banks.
    __shared__ __align__(16) float sums[WARPS][(GROUP + 1) / 2 * (2 * WIDTH + 4)];
    __shared__ float tops[WARPS][8], totals[WARPS][8];
    // Sums of the block.
    __shared__ __align__(16) float part[GROUP * WIDTH];
    __shared__ float peaks[GROUP], wholes[GROUP];
    const int EACH = GROUP * WIDTH;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
    int head = blockIdx.x, sequence = blockIdx.y, heads = gridDim.x;
    const int *table = p.table + (long long)sequence * p.blocks;
    u16 *k = p.k + head * p.head_step, *v = p.v + head * p.head_step;
    let_next_begin();
    if (!p.early) wait_for_kernel();

    auto first_of = [&](int tile) { return (blockIdx.z + tile * CLUSTER) * TILE + warp * 16; };
    // Indices after the length may be anything: no row is read by them.
    auto page_of = [&](int key) { return __ldg(table + min(key / PAGE, p.blocks - 1)); };
    auto place = [&](int page, int key) {
        return (PAGE % 16 ? page_of(key) : page) * p.page_step + key % PAGE * p.row_step;
    };
    int pages[AHEAD];  // of the keys of this warp, which are in one where 16 divides its size
#pragma unroll
    for (int i = 0; i < AHEAD; i++) pages[i] = page_of(first_of(i));
    int length = __ldg(p.lengths + sequence), tiles = (length + TILE - 1) / TILE;
    int own = max(0, (tiles - (int)blockIdx.z + CLUSTER - 1) / CLUSTER);
#if __CUDA_ARCH__ >= 900
    if (p.early) {  // the cache has what the kernel before this one still writes
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            int soon = first_of(i) + lane % 16;
            const u16 *row = (lane < 16 ? k : v) + (soon < length ? place(pages[i], soon) : 0);
            if (soon < length)
                asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" :: "l"(row), "r"(2 * WIDTH));
        }
        wait_for_kernel();
    }
#endif

    Tile read[AHEAD];
    auto load_keys = [&](Tile &to, int page, int first) {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            int key = first + 8 * i + g;
            bool there = key < length;
            const u16 *from = k + (there ? place(page, key) : 0) + 8 * t;
#pragma unroll
            for (int j = 0; j < CHUNKS; j++) to.keys[i][j] = load_row(from + 32 * j, there);
        }
    };
    auto load_values = [&](Tile &to, int page, int first) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            int key = first + i / 2 * 8 + 2 * t + i % 2;
            bool there = key < length;
            const u16 *from = v + (there ? place(page, key) : 0) + 8 * g;
#pragma unroll
            for (int j = 0; j < ROUNDS; j++) to.values[i][j] = load_row(from + 64 * j, there);
        }
    };
#pragma unroll
    for (int i = 0; i < AHEAD; i++) load_keys(read[i], pages[i], first_of(i));
#pragma unroll
    for (int i = 0; i < AHEAD; i++) load_values(read[i], pages[i], first_of(i));
    uint4 q[CHUNKS];
    const int ROWS = GROUP + (ROTATES ? 2 : 0);  // of a head of keys
    const u16 *x = p.q + (long long)sequence * heads * ROWS * WIDTH;
#pragma unroll
    for (int j = 0; j < CHUNKS; j++)
        q[j] = load_row(x + (head * GROUP + g) * WIDTH + 8 * t + 32 * j, g < GROUP);
#if ROTATES
    const float *turns = p.turns + sequence * WIDTH + 8 * t;
    const u16 *new_key = x + (heads * GROUP + head) * WIDTH, *new_value = new_key + heads * WIDTH;
#pragma unroll
    for (int j = 0; j < CHUNKS / 2; j++) rotate(q[j], q[j + CHUNKS / 2], turns + 32 * j);
    auto append = [&](Tile &tile, int first) {
        if (length <= first || first + 16 < length) return;
        int at = length - 1 - first;
#pragma unroll
        for (int i = 0; i < 2; i++) {
            if (at != 8 * i + g) continue;
            u16 *to = k + place(page_of(length - 1), length - 1) + 8 * t;
#pragma unroll
            for (int j = 0; j < CHUNKS; j++) tile.keys[i][j] = load_row(new_key + 8 * t + 32 * j, true);
#pragma unroll
            for (int j = 0; j < CHUNKS / 2; j++)
                rotate(tile.keys[i][j], tile.keys[i][j + CHUNKS / 2], turns + 32 * j);
#pragma unroll
            for (int j = 0; j < CHUNKS; j++) *(uint4 *)(to + 32 * j) = tile.keys[i][j];
        }
#pragma unroll
        for (int i = 0; i < 4; i++) {
            if (at != i / 2 * 8 + 2 * t + i % 2) continue;
            u16 *to = v + place(page_of(length - 1), length - 1) + 8 * g;
#pragma unroll
            for (int j = 0; j < ROUNDS; j++)
                *(uint4 *)(to + 64 * j) = tile.values[i][j] = load_row(new_value + 8 * g + 64 * j, true);
        }
    };
#endif

    float found[WIDTH / 16][4] = {}, top = -ENDLESS, total = 0.0f;
#pragma unroll
    for (int i = 0; i < AHEAD; i++) pages[i] = page_of(first_of(i + AHEAD));
    auto attend_to = [&](Tile &tile, int number, int &page) {
        int first = first_of(number), next = first_of(number + AHEAD);
        bool more = number + AHEAD < own;
#if ROTATES
        append(tile, first);
#endif
        float scores[2][4] = {};
#pragma unroll
        for (int i = 0; i < 2; i++)
#pragma unroll
            for (int j = 0; j < CHUNKS; j++) {
                uint4 keys = tile.keys[i][j];
                multiply(scores[i], q[j].x, 0, q[j].y, 0, keys.x, keys.y);
                multiply(scores[i], q[j].z, 0, q[j].w, 0, keys.z, keys.w);
            }
        if (more) load_keys(tile, page, next);
        float before = top;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            float &score = scores[i / 2][i % 2];
            score = first + i / 2 * 8 + 2 * t + i % 2 < length ? score * p.scale : -ENDLESS;
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
            const u32 *a = (const u32 *)&tile.values[0][j], *b = (const u32 *)&tile.values[1][j];
            const u32 *c = (const u32 *)&tile.values[2][j], *d = (const u32 *)&tile.values[3][j];
#pragma unroll
            for (int w = 0; w < 4; w++) {
                float *to = found[4 * j + w];
                to[0] *= left, to[1] *= right, to[2] *= left, to[3] *= right;
                multiply(
                    to, __byte_perm(a[w], b[w], 0x5410), __byte_perm(a[w], b[w], 0x7632),
                    __byte_perm(c[w], d[w], 0x5410), __byte_perm(c[w], d[w], 0x7632), low, high);
            }
        }
        if (more) load_values(tile, page, next);
        page = page_of(first_of(number + 2 * AHEAD));
    };
    for (int tile = 0; tile < own; tile += AHEAD) {
#pragma unroll
        for (int i = 0; i < AHEAD; i++)
            if (tile + i < own) attend_to(read[i], tile + i, pages[i]);
    }
    total += __shfl_xor_sync(0xffffffffu, total, 1);
    total += __shfl_xor_sync(0xffffffffu, total, 2);
    if (t == 0) tops[warp][g] = top, totals[warp][g] = total;
#pragma unroll
    for (int i = 0; i < 2; i++) {
        if (2 * t + i >= GROUP) break;
        float *to = sums[warp] + t * (2 * WIDTH + 4) + i * WIDTH + 8 * g;
#pragma unroll
        for (int j = 0; j < WIDTH / 32; j++) {
            const float *low = found[2 * j], *high = found[2 * j + 1];
            *(float4 *)(to + j / 2 * 64 + j % 2 * 4) =
                make_float4(low[i], low[i + 2], high[i], high[i + 2]);
        }
    }
    __syncthreads();
    for (int at = threadIdx.x * 4; at < EACH; at += 4 * 32 * WARPS) {
        int of = at / WIDTH, from = of / 2 * (2 * WIDTH + 4) + of % 2 * WIDTH + at % WIDTH;
        float peak = -ENDLESS, whole = 0.0f, sum[4] = {};
#pragma unroll
        for (int i = 0; i < WARPS; i++)
            add(peak, whole, sum, tops[i][of], totals[i][of], *(float4 *)(sums[i] + from));
        *(float4 *)(part + at) = make_float4(sum[0], sum[1], sum[2], sum[3]);
        if (at % WIDTH == 0) peaks[of] = peak, wholes[of] = whole;
    }
    wait_for_cluster();
    int own_part = EACH / CLUSTER, begin = blockIdx.z * own_part;
    for (int at = begin + threadIdx.x * 4; at < begin + own_part; at += 4 * 32 * WARPS) {
        int of = at / WIDTH;
        float peak = -ENDLESS, whole = 0.0f, sum[4] = {};
#pragma unroll
        for (int i = 0; i < CLUSTER; i++)
            add(peak, whole, sum, of_block(peaks + of, i), of_block(wholes + of, i),
                of_block((const float4 *)(part + at), i));
        for (int i = 0; i < 4; i++) sum[i] = length > 0 ? sum[i] / whole : 0.0f;
        store<4>(p.o + ((long long)sequence * heads + head) * EACH + at, sum);
    }
    wait_for_cluster();  // until then others read the memory of this block
}
