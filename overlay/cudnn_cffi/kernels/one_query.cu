// Attention of one query of each sequence over keys and values in pages, which the blocks of a
// CLUSTER divide; each adds a part of the sums of all.
//
// A block has the GROUP heads of queries that share a head of keys, and its warps 16 keys each at a
// time. Rows of keys and values are fragments of products as they lie in memory: the order of what
// is summed is another. Each block sends its sums to those that add them, and then it may end. If
// it ROTATES, the newest key and value are put into the pages, too. If it WAITS, it reads nothing before
// the kernel before it has ended.

#define WARPS 8
#define TILE (16 * WARPS)
#define AHEAD 1              // tiles that are read at a time
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
    int early;    // whether the kernel before this one may not have ended
};

struct Tile {
    uint4 keys[2][CHUNKS], values[4][ROUNDS];
};

// The cache of a multiprocessor is passed over: the kernel before may have written the row just now.
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

// Sums of four columns over some keys, by weights that are 1 where a score is `top`.
struct Sums {
    float4 values;
    float top, total;
};

// Adds the sums of COUNT parts in their order.
template <int COUNT, typename Read> __device__ __forceinline__ Sums added(Read read) {
    Sums parts[COUNT], all = {{0.0f, 0.0f, 0.0f, 0.0f}, -ENDLESS, 0.0f};
#pragma unroll
    for (int i = 0; i < COUNT; i++) parts[i] = read(i), all.top = fmaxf(all.top, parts[i].top);
    float base = all.top == -ENDLESS ? 0.0f : all.top;
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        float weight = exp2f(parts[i].top - base);
        float4 each = parts[i].values;
        all.total += weight * parts[i].total;
        all.values.x += weight * each.x, all.values.y += weight * each.y;
        all.values.z += weight * each.z, all.values.w += weight * each.w;
    }
    return all;
}

#ifdef __CUDA_ARCH__
// Sends to addresses in another block, and tells its barrier.
__device__ __forceinline__ void send(const Sums &all, u32 values, u32 weights, u32 barrier) {
    asm volatile(
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [%0], {%3, %4, %5, %6}, [%2];\n"
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.f32 [%1], {%7, %8}, [%2];"
        :: "r"(values), "r"(weights), "r"(barrier), "f"(all.values.x), "f"(all.values.y),
           "f"(all.values.z), "f"(all.values.w), "f"(all.top), "f"(all.total) : "memory");
}
#endif

extern "C" __global__ void __launch_bounds__(32 * WARPS, 1)
attend(const __grid_constant__ Attention p) {
    // Sums of warps: two heads in a row, with a gap for fewer conflicts of banks.
    __shared__ __align__(16) float sums[WARPS][(GROUP + 1) / 2 * (2 * WIDTH + 4)];
    __shared__ float tops[WARPS][8], totals[WARPS][8];
    // The sums of all blocks for the columns that this block adds, four of each.
    const int EACH = GROUP * WIDTH, OWN = EACH / CLUSTER / 4;
    __shared__ __align__(16) float4 values_of[CLUSTER][OWN];
    __shared__ float2 weights_of[CLUSTER][OWN];
    __shared__ u64 barrier;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
    int head = blockIdx.x, sequence = blockIdx.y, heads = gridDim.x;
    const int *table = p.table + (long long)sequence * p.blocks;
    u16 *k = p.k + head * p.head_step, *v = p.v + head * p.head_step;
    const int ROWS = GROUP + (ROTATES ? 2 : 0);  // of a head of keys
    const u16 *x = p.q + (long long)sequence * heads * ROWS * WIDTH;
    let_next_begin();
    auto begin = [&]() {
        if (threadIdx.x == 0) expect_bytes(address_of(&barrier), 24 * CLUSTER * OWN);
        __syncwarp();
        arrive_at_cluster();
    };
#if WAITS
    begin();
    // The cache of the device has them by then; what the kernel before writes is written there.
    if (threadIdx.x == 0) prefetch(p.lengths + sequence);
    for (int i = threadIdx.x * 32; i < p.blocks; i += 32 * 32 * WARPS) prefetch(table + i);
    for (int i = threadIdx.x * 64; i < GROUP * WIDTH; i += 64 * 32 * WARPS) prefetch(x + head * GROUP * WIDTH + i);
    wait_for_kernel();
#define READ __ldcg  // the kernel before this one may have written lengths and indices just now
#else
#define READ __ldg
#endif

    auto first_of = [&](int tile) {
        return ((tile * WARPS + warp) * CLUSTER + (int)blockIdx.z) * 16;
    };
    // Indices after the length may be anything: no row is read by them.
    auto page_of = [&](int key) { return READ(table + min(key / PAGE, p.blocks - 1)); };
    auto place = [&](int page, int key) {
        return (PAGE % 16 ? page_of(key) : page) * p.page_step + key % PAGE * p.row_step;
    };
    int pages[AHEAD];  // of the keys of this warp, which are in one where 16 divides its size
#pragma unroll
    for (int i = 0; i < AHEAD; i++) pages[i] = page_of(first_of(i));
    // Tiles after the last one are asked for their pages.
    int length = keys_of(READ(p.lengths + sequence), (long long)p.blocks * PAGE, 3 * CLUSTER * TILE);
    int own = max(0, (length - first_of(0) + CLUSTER * TILE - 1) / (CLUSTER * TILE));
    if (!WAITS) begin();  // indices are asked for first

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
    uint4 q[CHUNKS];
    // Kernels that have not ended may write the newest key and value, and no others.
    auto load_tiles = [&](bool before) {
        auto is_now = [&](int i) {
            return before == (!WAITS && p.early && (ROTATES || first_of(i) + 16 < length));
        };
#pragma unroll
        for (int i = 0; i < AHEAD; i++)
            if (is_now(i)) load_keys(read[i], pages[i], first_of(i));
#pragma unroll
        for (int i = 0; i < AHEAD; i++)
            if (is_now(i)) load_values(read[i], pages[i], first_of(i));
    };
    if (!WAITS) load_tiles(true);
    wait_for_kernel();
#pragma unroll
    for (int j = 0; j < CHUNKS; j++)
        q[j] = load_row(x + (head * GROUP + g) * WIDTH + 8 * t + 32 * j, g < GROUP);
    load_tiles(false);
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
        float scores[2][4] = {}, others[2][4] = {};  // products wait for the one before them
#pragma unroll
        for (int j = 0; j < CHUNKS; j++)
#pragma unroll
            for (int i = 0; i < 2; i++) {
                uint4 keys = tile.keys[i][j];
                multiply(scores[i], q[j].x, 0, q[j].y, 0, keys.x, keys.y);
                multiply(others[i], q[j].z, 0, q[j].w, 0, keys.z, keys.w);
            }
        if (more) load_keys(tile, page, next);
        float before = top;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            float &score = scores[i / 2][i % 2];
            score = (score + others[i / 2][i % 2]) * p.scale;
            if (first + i / 2 * 8 + 2 * t + i % 2 >= length) score = -ENDLESS;
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
    wait_for_cluster();  // all have begun
    for (int at = threadIdx.x; at < CLUSTER * OWN; at += 32 * WARPS) {
        int of = at * 4 / WIDTH, from = of / 2 * (2 * WIDTH + 4) + of % 2 * WIDTH + at * 4 % WIDTH;
        Sums all = added<WARPS>([&](int i) {
            return Sums{*(float4 *)(sums[i] + from), tops[i][of], totals[i][of]};
        });
        float4 *values = values_of[blockIdx.z] + at % OWN;
        float2 *weights = weights_of[blockIdx.z] + at % OWN;
        int to = at / OWN;
        send(all, in_block(address_of(values), to), in_block(address_of(weights), to),
            in_block(address_of(&barrier), to));
    }
    if (threadIdx.x >= OWN) return;
    wait_for_bytes(address_of(&barrier));
    for (int at = threadIdx.x; at < OWN; at += 32 * WARPS) {
        Sums all = added<CLUSTER>([&](int i) {
            float2 weights = weights_of[i][at];
            return Sums{values_of[i][at], weights.x, weights.y};
        });
        float *sum = (float *)&all.values;
        float factor = 1.0f / all.total;
        for (int i = 0; i < 4; i++) sum[i] = length > 0 ? sum[i] * factor : 0.0f;
        long long first = ((long long)sequence * heads + head) * EACH + blockIdx.z * OWN * 4;
        store<4>(p.o + first + at * 4, sum);
    }
}
