// Attention of the last queries of sequences over keys and values in pages: blocks have equal shares
// of all tiles of keys of a head, and a second kernel adds parts of what several blocks have computed.
// Blocks side by side have the same share of other heads, which lie beside each other in pages.
//
// The GROUP heads of queries that share a head of keys, with QUERIES each, are the rows of products.
// SIDES warps have 16 rows each and the same keys; TEAMS of such warps have other keys, copies that
// are on their way, and sums of their own. Four sides are a group of warps that multiplies at once.
// These products read memory by another way than copies write it, and a fence between both waits for
// all copies of its warp, so COPYING warps copy for them.

#define ROWS (GROUP * QUERIES)
#define WIDE (ROWS > 32)
#define SIDES (WIDE ? 4 : ROWS > 16 ? 2 : 1)
#define WARPS 8
#define TEAMS (WARPS / SIDES)
#define COPYING (WIDE ? SIDES : 0)
#define STAGES 3              // tiles of a team that are in memory, or on their way
#define OWN 16                // rows of a tile that a warp copies
#define KEYS (OWN * SIDES)    // of a tile of a team
#define TILE (KEYS * TEAMS)   // keys of a block
#define CHUNKS (WIDTH / 8)    // of 16 bytes in a row
#define AT_ONCE (32 / CHUNKS) // rows that a warp copies by one instruction
#define LINE (WIDE ? 128 : 2 * WIDTH)  // bytes from one row to the next one
#define COLUMNS (WIDTH / 8)   // columns of products, of 8 numbers each
#define HALF (COLUMNS / 2)
#define ENDLESS __int_as_float(0x7f800000)

struct Attention {
    const u16 *q, *k, *v;
    const int *table, *lengths;
    u16 *o;
    float4 *parts;  // of results: two of each block, of SIDES x COLUMNS x 32
    float4 *sums;   // their tops and totals: two of each block, of SIDES x 8
    long long q_steps[3], o_steps[3], steps[3];  // of sequences, heads, queries; of pages, heads, keys
    float scale;                                 // times the logarithm of e to the base 2
    int sequences, heads, blocks, shares;        // blocks: of a row of the table; shares: of a head
};

#ifdef __CUDA_ARCH__

__device__ __forceinline__ int length_of(const Attention &p, int sequence) {
    return keys_of(__ldcg(p.lengths + sequence), (long long)p.blocks * PAGE, 2 * TILE);
}

__device__ __forceinline__ int tiles_of(int length) { return (length + TILE - 1) / TILE; }

__device__ __forceinline__ int sum_of_lanes(int x) {
#pragma unroll
    for (int i = 16; i; i /= 2) x += __shfl_xor_sync(0xffffffffu, x, i);
    return x;
}

// The length of one of the first sequences in each lane.
__device__ __forceinline__ int first_lengths(const Attention &p) {
    int lane = threadIdx.x % 32;
    return lane < p.sequences ? length_of(p, lane) : 0;
}

// The division of the tiles of all sequences among blocks of a head.
struct Shares {
    int lengths;  // those of `first_lengths`
    int total, each;  // the last one may have fewer, and those after it have none

    __device__ Shares(const Attention &p, int first_lengths) {
        int lane = threadIdx.x % 32;
        lengths = first_lengths;
        total = tiles_of(lengths);
        for (int i = lane + 32; i < p.sequences; i += 32) total += tiles_of(length_of(p, i));
        total = p.sequences == 1 ? __shfl_sync(0xffffffffu, total, 0) : sum_of_lanes(total);
        each = max(1, (total + p.shares - 1) / p.shares);
    }
    __device__ int begin(int share) const { return min(share * each, total); }
};

// A sequence, and its place among all.
struct Place {
    int sequence, length, tiles;
    int first;  // tile

    // Finds one by a tile of it, or by its number where that is -1.
    __device__ Place(const Attention &p, const Shares &shares, int number, int tile) {
        int lane = threadIdx.x % 32;
        if (p.sequences == 1) {
            sequence = first = 0;
            length = __shfl_sync(0xffffffffu, shares.lengths, 0), tiles = tiles_of(length);
            return;
        }
        for (int before = 0, from = 0;; from += 32) {
            int i = from + lane;
            length = from == 0 ? shares.lengths : i < p.sequences ? length_of(p, i) : 0;
            tiles = tiles_of(length);
            int upto = tiles;
#pragma unroll
            for (int j = 1; j < 32; j *= 2) {
                int other = __shfl_up_sync(0xffffffffu, upto, j);
                if (lane >= j) upto += other;
            }
            bool is_it = tile < 0 ? i >= number : before + upto > tile;
            if (u32 found = __ballot_sync(0xffffffffu, is_it)) {
                int at = __ffs(found) - 1;
                sequence = from + at;
                length = __shfl_sync(0xffffffffu, length, at);
                tiles = tiles_of(length);
                first = before + __shfl_sync(0xffffffffu, upto, at) - tiles;
                return;
            }
            before += __shfl_sync(0xffffffffu, upto, 31);
        }
    }
};

__device__ __forceinline__ void begin_barrier(u32 barrier, int count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(barrier), "r"(count) : "memory");
}

__device__ __forceinline__ void arrive(u32 barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" :: "r"(barrier) : "memory");
}

// Arrives when all copies that this thread has begun have ended.
__device__ __forceinline__ void arrive_with_copies(u32 barrier) {
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" :: "r"(barrier) : "memory");
}

__device__ __forceinline__ void wait_for(u32 barrier, u32 phase) {
    asm volatile(
        "{\n.reg .pred done;\nagain:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
        "@!done bra again;\n}" :: "r"(barrier), "r"(phase) : "memory");
}

// Keys and values may be the FIRST to leave the cache of the device.
__device__ __forceinline__ void copy_chunk(u32 to, const void *from, bool there) {
#if FIRST
    u64 policy;
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    asm volatile("cp.async.cg.shared.global.L2::cache_hint.L2::128B [%0], [%1], 16, %2, %3;"
        :: "r"(to), "l"(from), "r"(there ? 16 : 0), "l"(policy) : "memory");
#else
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;"
        :: "r"(to), "l"(from), "r"(there ? 16 : 0) : "memory");
#endif
}

__device__ __forceinline__ float power_of_two(float x) {
    float found;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(found) : "f"(x));
    return found;
}

__device__ __forceinline__ void store_chunk(u32 to, uint4 x) {
    asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};"
        :: "r"(to), "r"(x.x), "r"(x.y), "r"(x.z), "r"(x.w) : "memory");
}

// Where a chunk of a row is, so that the same chunks of eight rows are in all banks.
__device__ __forceinline__ u32 row_chunk_at(int row, int chunk) {
    return row * 2 * WIDTH + (chunk ^ row % 8) * 16;
}

#if WIDE
#if TYPE == 0
#define PRODUCT(columns) "wgmma.mma_async.sync.aligned.m64n" columns "k16.f32.f16.f16"
#else
#define PRODUCT(columns) "wgmma.mma_async.sync.aligned.m64n" columns "k16.f32.bf16.bf16"
#endif

// Begins to add the product of 64 x 16 numbers of a team and 16 x COUNT in memory, or to set it.
template <int COUNT, bool TURNED>
__device__ __forceinline__ void begin_product(
    float (*to)[4], u32 a0, u32 a1, u32 a2, u32 a3, u64 b, bool adds) {
    if constexpr (COUNT == 64)
        asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %37, 0;\n"
            PRODUCT("64") " {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
            "{%32, %33, %34, %35}, %36, p, 1, 1, %38;\n}"
            : "+f"(to[0][0]), "+f"(to[0][1]), "+f"(to[0][2]), "+f"(to[0][3]), "+f"(to[1][0]), "+f"(to[1][1]), "+f"(to[1][2]), "+f"(to[1][3]), "+f"(to[2][0]), "+f"(to[2][1]), "+f"(to[2][2]), "+f"(to[2][3]), "+f"(to[3][0]), "+f"(to[3][1]), "+f"(to[3][2]), "+f"(to[3][3]), "+f"(to[4][0]), "+f"(to[4][1]), "+f"(to[4][2]), "+f"(to[4][3]), "+f"(to[5][0]), "+f"(to[5][1]), "+f"(to[5][2]), "+f"(to[5][3]), "+f"(to[6][0]), "+f"(to[6][1]), "+f"(to[6][2]), "+f"(to[6][3]), "+f"(to[7][0]), "+f"(to[7][1]), "+f"(to[7][2]), "+f"(to[7][3])
            : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "l"(b), "r"((int)adds), "n"((int)TURNED));
    if constexpr (COUNT == 128)
        asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %69, 0;\n"
            PRODUCT("128") " {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
            "{%64, %65, %66, %67}, %68, p, 1, 1, %70;\n}"
            : "+f"(to[0][0]), "+f"(to[0][1]), "+f"(to[0][2]), "+f"(to[0][3]), "+f"(to[1][0]), "+f"(to[1][1]), "+f"(to[1][2]), "+f"(to[1][3]), "+f"(to[2][0]), "+f"(to[2][1]), "+f"(to[2][2]), "+f"(to[2][3]), "+f"(to[3][0]), "+f"(to[3][1]), "+f"(to[3][2]), "+f"(to[3][3]), "+f"(to[4][0]), "+f"(to[4][1]), "+f"(to[4][2]), "+f"(to[4][3]), "+f"(to[5][0]), "+f"(to[5][1]), "+f"(to[5][2]), "+f"(to[5][3]), "+f"(to[6][0]), "+f"(to[6][1]), "+f"(to[6][2]), "+f"(to[6][3]), "+f"(to[7][0]), "+f"(to[7][1]), "+f"(to[7][2]), "+f"(to[7][3]), "+f"(to[8][0]), "+f"(to[8][1]), "+f"(to[8][2]), "+f"(to[8][3]), "+f"(to[9][0]), "+f"(to[9][1]), "+f"(to[9][2]), "+f"(to[9][3]), "+f"(to[10][0]), "+f"(to[10][1]), "+f"(to[10][2]), "+f"(to[10][3]), "+f"(to[11][0]), "+f"(to[11][1]), "+f"(to[11][2]), "+f"(to[11][3]), "+f"(to[12][0]), "+f"(to[12][1]), "+f"(to[12][2]), "+f"(to[12][3]), "+f"(to[13][0]), "+f"(to[13][1]), "+f"(to[13][2]), "+f"(to[13][3]), "+f"(to[14][0]), "+f"(to[14][1]), "+f"(to[14][2]), "+f"(to[14][3]), "+f"(to[15][0]), "+f"(to[15][1]), "+f"(to[15][2]), "+f"(to[15][3])
            : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "l"(b), "r"((int)adds), "n"((int)TURNED));
}

__device__ __forceinline__ void begin_products() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }

__device__ __forceinline__ void wait_for_products() {
    asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
}

// Has what comes after use sums as products that have ended have left them.
template <int COUNT> __device__ __forceinline__ void settle(float (*sums)[4]) {
#pragma unroll
    for (int i = 0; i < COUNT; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) asm volatile("" : "+f"(sums[i][j]) :: "memory");
}

// Describes rows of 128 bytes, whose chunks of 16 bytes are in another order in each of eight.
__device__ __forceinline__ u64 describe(u32 address) {
    return (u64)(address >> 4 & 0x3fff) | (u64)(KEYS * 128 >> 4) << 16 | (u64)(1024 >> 4) << 32 | 1ull << 62;
}

// Where a chunk of a row is in a tile: each half of rows has its place.
__device__ __forceinline__ u32 chunk_at(int line, int chunk) {
    return chunk / 8 * KEYS * 128 + line * 128 + (chunk % 8 ^ line % 8) * 16;
}

// Sets scores to the products of queries and the keys of a tile.
__device__ __forceinline__ void multiply_keys(float (*scores)[4], const u32 (*q)[4], u32 at) {
    begin_products();
#pragma unroll
    for (int j = 0; j < WIDTH / 16; j++)
        begin_product<KEYS, false>(scores, q[j][0], q[j][1], q[j][2], q[j][3],
                                   describe(at + j / 4 * KEYS * 128 + j % 4 * 32), j > 0);
    wait_for_products();
    settle<KEYS / 8>(scores);
}

// Adds the products of weights and the values of a tile.
__device__ __forceinline__ void multiply_values(float (*found)[4], const u32 (*weights)[2], u32 at) {
    begin_products();
#pragma unroll
    for (int i = 0; i < KEYS / 16; i++) {
        const u32 *low = weights[2 * i], *behind = weights[2 * i + 1];
        begin_product<WIDTH, true>(
            found, low[0], low[1], behind[0], behind[1], describe(at + i * 2048), true);
    }
    wait_for_products();
    settle<COLUMNS>(found);
}
#else
__device__ __forceinline__ u32 chunk_at(int line, int chunk) { return row_chunk_at(line, chunk); }

__device__ __forceinline__ void multiply_keys(float (*scores)[4], const u32 (*q)[4], u32 at) {
    int lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < KEYS / 8; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) scores[i][j] = 0.0f;
#pragma unroll
    for (int j = 0; j < WIDTH / 16; j++)
#pragma unroll
        for (int i = 0; i < KEYS / 16; i++) {
            u32 keys[4];
            get_matrices(keys, at + chunk_at(16 * i + lane % 8 + lane / 16 * 8, 2 * j + lane / 8 % 2));
            multiply(scores[2 * i], q[j][0], q[j][1], q[j][2], q[j][3], keys[0], keys[1]);
            multiply(scores[2 * i + 1], q[j][0], q[j][1], q[j][2], q[j][3], keys[2], keys[3]);
        }
}

__device__ __forceinline__ void multiply_values(float (*found)[4], const u32 (*weights)[2], u32 at) {
    int lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < KEYS / 16; i++)
#pragma unroll
        for (int j = 0; j < COLUMNS / 2; j++) {
            u32 values[4];
            get_columns(values, at + chunk_at(16 * i + lane % 16, 2 * j + lane / 16));
            const u32 *low = weights[2 * i], *behind = weights[2 * i + 1];
            multiply(found[2 * j], low[0], low[1], behind[0], behind[1], values[0], values[1]);
            multiply(found[2 * j + 1], low[0], low[1], behind[0], behind[1], values[2], values[3]);
        }
}
#endif

// Waits for a number of warps, by one of the barriers of a block.
__device__ __forceinline__ void meet(int barrier, int warps) {
    asm volatile("bar.sync %0, %1;" :: "r"(barrier), "r"(32 * warps) : "memory");
}

__device__ __forceinline__ void meet_team(int team) {
    if (SIDES == 1) __syncwarp();
    else meet(team + 1, SIDES);
}

// A tile of a sequence and head.
struct Tile {
    int sequence, head, tile, tiles, length;

    __device__ void next(const Attention &p) {
        if (++tile < tiles) return;
        tile = 0;
        do {
            if (++sequence >= p.sequences) return;
            length = length_of(p, sequence);
            tiles = tiles_of(length);
        } while (!tiles);
    }
};

// A row's place in a tensor with these steps.
__device__ __forceinline__ long long row_at(const long long *steps, int sequence, int head, int row) {
    return sequence * steps[0] + (head * GROUP + row / QUERIES) * steps[1] + row % QUERIES * steps[2];
}

// Writes two sums of a row times a factor, or zeros where it has no key.
__device__ __forceinline__ void write_two(u16 *to, int row, bool any, const float *sums, float factor) {
    float both[2] = {any ? sums[0] * factor : 0.0f, any ? sums[1] * factor : 0.0f};
    if (row < ROWS) store<2>(to, both);
}

// Writes results of sequences without keys.
__device__ __forceinline__ void write_zeros(const Attention &p) {
    for (int i = blockIdx.x; i < p.sequences; i += gridDim.x) {
        if (length_of(p, i)) continue;
        for (int at = threadIdx.x; at < p.heads * ROWS * WIDTH / 2; at += 32 * WARPS) {
            int row = at * 2 / WIDTH;
            *(u32 *)(p.o + row_at(p.o_steps, i, row / ROWS, row % ROWS) + at * 2 % WIDTH) = 0;
        }
    }
}

// Reads the fragments of 16 rows of each side from memory of the block.
__device__ __forceinline__ void get_queries(u32 (*q)[4], u32 at) {
    int lane = threadIdx.x % 32, row = threadIdx.x / 32 % SIDES * 16 + lane % 16;
#pragma unroll
    for (int j = 0; j < WIDTH / 16; j++) get_matrices(q[j], at + row_chunk_at(row, 2 * j + lane / 16));
}

// Reads the fragments of 16 rows of each side, by way of memory of the block: each row is asked for once.
__device__ __forceinline__ void read_queries(const Attention &p, const Tile &now, u32 (*q)[4], u32 at) {
    const int ALL = 16 * SIDES * CHUNKS, EACH = (ALL + 32 * WARPS - 1) / (32 * WARPS);
    uint4 chunks[EACH];
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        int own = threadIdx.x + 32 * WARPS * i, row = own / CHUNKS;
        const u16 *from = p.q + row_at(p.q_steps, now.sequence, now.head, row) + own % CHUNKS * 8;
        chunks[i] = own < ALL && row < ROWS ? __ldcg((const uint4 *)from) : make_uint4(0, 0, 0, 0);
    }
    meet(TEAMS + 1, WARPS);  // nobody adds what was found before
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        int own = threadIdx.x + 32 * WARPS * i;
        if (own < ALL) store_chunk(at + row_chunk_at(own / CHUNKS, own % CHUNKS), chunks[i]);
    }
    meet(TEAMS + 1, WARPS);
    get_queries(q, at);
}

extern "C" __global__ void __launch_bounds__(32 * (WARPS + COPYING), 1)
attend(const __grid_constant__ Attention p) {
    extern __shared__ __align__(1024) u8 memory[];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
    int team = warp / SIDES, side = warp % SIDES;
    const int BYTES = KEYS * 2 * WIDTH;  // of a tile of keys or values
    u32 own = address_of(memory) + team * STAGES * 2 * BYTES;
    float4 *common = (float4 *)(memory + TEAMS * STAGES * 2 * BYTES);
#if COPYING
    // Three for each tile in memory: keys have come, values have come, both have been used.
    u32 barriers = address_of(common + WARPS * (HALF * 32 + 8));
    auto barrier_of = [&](int which, int slot) { return barriers + 8 * (which * TEAMS * STAGES + slot); };
    if (threadIdx.x < 3 * TEAMS * STAGES)
        begin_barrier(barriers + 8 * threadIdx.x, threadIdx.x < 2 * TEAMS * STAGES ? 32 * SIDES : SIDES);
    __syncthreads();
#endif
    wait_for_kernel();
    let_next_begin();

    // One warp reads them: requests of all for the same bytes wait for each other.
    __shared__ int lengths[32];
    if (warp == 0) lengths[lane] = first_lengths(p);
    __syncthreads();
    Shares shares(p, lengths[lane]);
    int share = blockIdx.x / p.heads, head = blockIdx.x % p.heads;
    if (shares.begin(share) == shares.total) {
        if (warp < WARPS) write_zeros(p);
        return;
    }
    int begin = shares.begin(share), count = shares.begin(share + 1) - begin;
    Place place(p, shares, 0, begin);
    Tile now = {place.sequence, head, begin - place.first, place.tiles, place.length};

    Tile ahead = now;
    auto first_key = [&](const Tile &of, int team) { return of.tile * TILE + team * KEYS + side * OWN; };
    // The page of the keys that this warp copies; of each, where pages are not multiples of their number.
    // A warp that copies for two teams has those of the second one in its later half.
    auto page_of = [&](const Tile &of) {
        int key = first_key(of, COPYING ? lane / OWN : team) + (PAGE % OWN ? lane % OWN : 0);
        return __ldcg(p.table + (long long)of.sequence * p.blocks + min(key / PAGE, p.blocks - 1));
    };
    // Copies keys, or values.
    const int line = lane / CHUNKS, chunk = lane % CHUNKS;
    auto copy = [&](int what, u32 to, const Tile &of, int team, int page) {
        int first = first_key(of, team) + line, in_lane = COPYING ? OWN * team : 0;
        if (PAGE % OWN == 0) page = __shfl_sync(0xffffffffu, page, in_lane);
        const u16 *from = (what ? p.v : p.k) + of.head * p.steps[1] + 8 * chunk;
        if (PAGE % OWN == 0 && first < of.length) from += page * p.steps[0] + first % PAGE * p.steps[2];
        to += what * BYTES + chunk_at(side * OWN + line, chunk);
#pragma unroll
        for (int i = 0; i < OWN; i += AT_ONCE) {
            bool there = first + i < of.length;
            const u16 *at = from;
            if (PAGE % OWN) {
                long long own = __shfl_sync(0xffffffffu, page, in_lane + i + line);
                if (there) at += own * p.steps[0] + (first + i) % PAGE * p.steps[2];
            }
            copy_chunk((to ^ i % 8 * 16) + i * LINE, at, there);
            from += PAGE % OWN ? 0 : AT_ONCE * p.steps[2];
        }
    };
#if COPYING
    // They leave registers to the others: 4 x 88 + 8 x 208 are 12 x 168.
    if (warp >= WARPS) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 88;");
        int page = page_of(ahead);
        for (int issued = 0; issued < count; issued++) {
            Tile copied = ahead;
            int next = page;
#pragma unroll
            for (int part = 0; part < 2 * TEAMS; part++) {  // keys of all teams, then values
                int what = part / TEAMS, i = part % TEAMS;
                int slot = i * STAGES + issued % STAGES;
                if (what == 0 && issued >= STAGES) wait_for(barrier_of(2, slot), issued / STAGES - 1 & 1);
                if (part == TEAMS && issued + 1 < count) {
                    ahead.next(p);
                    next = page_of(ahead);
                }
                copy(what, address_of(memory) + slot * 2 * BYTES, copied, i, page);
                arrive_with_copies(barrier_of(what, slot));
            }
            page = next;
        }
        return;
    }
    asm volatile("setmaxnreg.inc.sync.aligned.u32 208;");
#else
    int issued = 0, page = page_of(ahead);
    auto issue = [&]() {
        u32 to = own + issued % STAGES * 2 * BYTES;
#pragma unroll
        for (int what = 0; what < 2; what++) {
            if (issued < count) copy(what, to, ahead, team, page);
            end_copies();
        }
        if (++issued < count) {
            ahead.next(p);
            page = page_of(ahead);
        }
    };
#pragma unroll
    for (int i = 0; i < STAGES - 1; i++) issue();
#endif
    write_zeros(p);

    u32 q[WIDTH / 16][4];
    float found[COLUMNS][4], tops[2], totals[2];
    bool is_first = true;
    for (int done = 0; done < count;) {
        // One sequence and head.
        read_queries(p, now, q, address_of(common));
#pragma unroll
        for (int j = 0; j < COLUMNS; j++)
#pragma unroll
            for (int i = 0; i < 4; i++) found[j][i] = 0.0f;
#pragma unroll
        for (int i = 0; i < 2; i++) tops[i] = -ENDLESS, totals[i] = 0.0f;
        int ends = min(count - done, now.tiles - now.tile);
        bool is_whole = now.tile == 0 && ends == now.tiles;
        int seen[2];
#pragma unroll
        for (int i = 0; i < 2; i++)
            seen[i] = now.length - QUERIES + 1 + (side * 16 + g + 8 * i) % QUERIES;
        for (int turn = 0; turn < ends; turn++, done++) {
            u32 at = own + done % STAGES * 2 * BYTES;
            int first = (now.tile + turn) * TILE + team * KEYS;
#if COPYING
            int slot = team * STAGES + done % STAGES;
            u32 phase = done / STAGES & 1;
            wait_for(barrier_of(0, slot), phase);
            show_instructions();
#else
            wait_for_groups<2 * (STAGES - 2) + 1>();
            meet_team(team);
            issue();
#endif
            float scores[KEYS / 8][4];
#if WIDE && WIDTH == 64
            // Compilers of CUDA 12.3 to 13.0 overwrite these registers with the weights of a tile.
            get_queries(q, address_of(common));
#endif
            multiply_keys(scores, q, at);
            float before[2] = {tops[0], tops[1]}, high[2] = {-ENDLESS, -ENDLESS};
            if (first + KEYS > now.length - QUERIES + 1) {
#pragma unroll
                for (int i = 0; i < KEYS / 8; i++)
#pragma unroll
                    for (int j = 0; j < 4; j++)
                        if (first + 8 * i + 2 * t + j % 2 >= seen[j / 2]) scores[i][j] = -ENDLESS;
            }
#pragma unroll
            for (int i = 0; i < KEYS / 8; i++)
#pragma unroll
                for (int j = 0; j < 4; j++) high[j / 2] = fmaxf(high[j / 2], scores[i][j]);
            float base[2];
#pragma unroll
            for (int i = 0; i < 2; i++) {
                high[i] = fmaxf(high[i], __shfl_xor_sync(0xffffffffu, high[i], 1));
                high[i] = fmaxf(high[i], __shfl_xor_sync(0xffffffffu, high[i], 2));
                tops[i] = fmaxf(tops[i], high[i] * p.scale);
                base[i] = tops[i] == -ENDLESS ? 0.0f : tops[i];
            }
            if (__any_sync(0xffffffffu, tops[0] != before[0] || tops[1] != before[1])) {
                float shrunk[2] = {power_of_two(before[0] - base[0]), power_of_two(before[1] - base[1])};
#pragma unroll
                for (int i = 0; i < 2; i++) totals[i] *= shrunk[i];
#pragma unroll
                for (int i = 0; i < COLUMNS; i++)
#pragma unroll
                    for (int j = 0; j < 4; j++) found[i][j] *= shrunk[j / 2];
            }
            u32 weights[KEYS / 8][2];
#pragma unroll
            for (int i = 0; i < KEYS / 8; i++)
#pragma unroll
                for (int j = 0; j < 2; j++) {
                    float a = power_of_two(fmaf(scores[i][2 * j], p.scale, -base[j]));
                    float b = power_of_two(fmaf(scores[i][2 * j + 1], p.scale, -base[j]));
                    totals[j] += a + b;
                    PACK(weights[i][j], a, b);
                }
#if COPYING
            wait_for(barrier_of(1, slot), phase);
            show_instructions();
#else
            wait_for_groups<2 * (STAGES - 1)>();
            meet_team(team);
#endif
            multiply_values(found, weights, at + BYTES);
#if COPYING
            __syncwarp();
            if (lane == 0) arrive(barrier_of(2, slot));
#endif
        }
#pragma unroll
        for (int i = 0; i < 2; i++) {
            totals[i] += __shfl_xor_sync(0xffffffffu, totals[i], 1);
            totals[i] += __shfl_xor_sync(0xffffffffu, totals[i], 2);
        }
        // The later half of the teams gives what it has to the others, until there are two, each of
        // which adds half of the columns.
        auto give = [&](float4 *to, int from, int columns) {
#pragma unroll
            for (int i = 0; i < columns; i++) {
                const float *each = found[from + i];
                to[32 * i + lane] = make_float4(each[0], each[1], each[2], each[3]);
            }
            if (t == 0) to[32 * columns + g] = make_float4(tops[0], tops[1], totals[0], totals[1]);
        };
        auto take = [&](const float4 *from, int columns) {
            float4 theirs = from[32 * columns + g];
            float other[2] = {theirs.x, theirs.y}, mine[2], more[2] = {theirs.z, theirs.w};
#pragma unroll
            for (int i = 0; i < 2; i++) {
                float top = fmaxf(tops[i], other[i]), base = top == -ENDLESS ? 0.0f : top;
                mine[i] = power_of_two(tops[i] - base), other[i] = power_of_two(other[i] - base);
                tops[i] = top;  // and totals have the same bits in both
                totals[i] = __fadd_rn(__fmul_rn(totals[i], mine[i]), __fmul_rn(more[i], other[i]));
            }
#pragma unroll
            for (int i = 0; i < columns; i++) {
                float4 each = from[32 * i + lane];
                float *sums = found[i];
                sums[0] = sums[0] * mine[0] + each.x * other[0];
                sums[1] = sums[1] * mine[0] + each.y * other[0];
                sums[2] = sums[2] * mine[1] + each.z * other[1];
                sums[3] = sums[3] * mine[1] + each.w * other[1];
            }
        };
#pragma unroll
        for (int left = TEAMS; left > 2; left /= 2) {
            float4 *to = common + (team % (left / 2) * SIDES + side) * (COLUMNS * 32 + 8);
            meet(TEAMS + 1, WARPS);
            if (team >= left / 2 && team < left) give(to, 0, COLUMNS);
            meet(TEAMS + 1, WARPS);
            if (team < left / 2) take(to, COLUMNS);
        }
        float4 *mine = common + (team * SIDES + side) * (HALF * 32 + 8);
        float4 *theirs = common + ((1 - team) * SIDES + side) * (HALF * 32 + 8);
        meet(TEAMS + 1, WARPS);
        if (team == 0) give(mine, HALF, HALF);
        if (team == 1) {
            give(mine, 0, HALF);
#pragma unroll
            for (int i = 0; i < 4 * HALF; i++) found[i / 4][i % 4] = found[HALF + i / 4][i % 4];
        }
        meet(TEAMS + 1, WARPS);
        if (team < 2) {
            take(theirs, HALF);
            int part = (2 * blockIdx.x + !is_first) * SIDES + side, first = team * HALF;
            if (is_whole) {
#pragma unroll
                for (int j = 0; j < 2; j++) {
                    int row = side * 16 + g + 8 * j;
                    float factor = 1.0f / totals[j];
                    u16 *to = p.o + row_at(p.o_steps, now.sequence, now.head, row) + 8 * first + 2 * t;
#pragma unroll
                    for (int i = 0; i < HALF; i++) write_two(to + 8 * i, row, seen[j] > 0, found[i] + 2 * j, factor);
                }
            } else {
                float4 *to = p.parts + (part * COLUMNS + first) * 32 + lane;
#pragma unroll
                for (int i = 0; i < HALF; i++)
                    to[32 * i] = make_float4(found[i][0], found[i][1], found[i][2], found[i][3]);
                if (team == 0 && t == 0)
                    p.sums[part * 8 + g] = make_float4(tops[0], tops[1], totals[0], totals[1]);
            }
        }
        is_first = false;
        now.tile += ends - 1;
        if (done < count) now.next(p);
    }
}

// The sequence and head whose parts a block adds, and the shares that have them.
struct Parts {
    int sequence, head, length, first = 0, last = 0;
    bool is_second;  // whether the first share began with others

    // Finds it by the number of this block; if there are many, by the share where it begins.
    __device__ Parts(const Attention &p) {
        Shares shares(p, first_lengths(p));
        int at = blockIdx.x / p.heads, end = -1;
        bool many = p.sequences > p.shares;
        if (many) {
            if (shares.begin(at) == shares.total) return;
            end = shares.begin(at + 1) - 1;
        }
        Place place(p, shares, at, end);
        if (!place.tiles) return;
        sequence = place.sequence, head = blockIdx.x % p.heads, length = place.length;
        int begin = place.first / shares.each;
        if (many && begin != at) return;
        first = begin, last = (place.first + place.tiles - 1) / shares.each;
        is_second = shares.begin(first) < place.first;
    }
};

// Asks for numbers here: the compiler would ask for some when others have come.
__device__ __forceinline__ float4 read_now(const float4 *from) {
    float4 found;
    asm volatile("ld.relaxed.gpu.global.v4.f32 {%0, %1, %2, %3}, [%4];"
        : "=f"(found.x), "=f"(found.y), "=f"(found.z), "=f"(found.w) : "l"(from) : "memory");
    return found;
}

// Adds parts to sums that have a top and a total for each of two rows.
template <int COUNT> __device__ __forceinline__ void add_parts(
    const float4 *sums, const float4 *values, float *tops, float *totals, float *found) {
    float base[2], before[2] = {tops[0], tops[1]};
#pragma unroll
    for (int i = 0; i < COUNT; i++) tops[0] = fmaxf(tops[0], sums[i].x), tops[1] = fmaxf(tops[1], sums[i].y);
#pragma unroll
    for (int i = 0; i < 2; i++) {
        base[i] = tops[i] == -ENDLESS ? 0.0f : tops[i];
        float shrunk = power_of_two(before[i] - base[i]);
        totals[i] *= shrunk, found[2 * i] *= shrunk, found[2 * i + 1] *= shrunk;
    }
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        float x = power_of_two(sums[i].x - base[0]), y = power_of_two(sums[i].y - base[1]);
        totals[0] += x * sums[i].z, totals[1] += y * sums[i].w;
        found[0] += x * values[i].x, found[1] += x * values[i].y;
        found[2] += y * values[i].z, found[3] += y * values[i].w;
    }
}

// Adds the parts of a sequence and head: 16 rows, and each warp eight columns. ADDERS groups of four
// warps have some parts each, and the first one adds what they have found, all in a fixed order.
extern "C" __global__ void __launch_bounds__(128 * ADDERS)
add(const __grid_constant__ Attention p) {
    const int EACH = 4;  // parts that are read at a time
    __shared__ __align__(16) float4 sums_of[ADDERS][32], values_of[ADDERS][128];
    int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
    int warp = threadIdx.x / 32 % 4, adder = threadIdx.x / 128, own = threadIdx.x % 128;
    int side = blockIdx.y, column = blockIdx.z * 4 + warp;
    let_next_begin();
    // All blocks of the kernel before this one have waited for what is before it: lengths are there.
    Parts parts(p);
    wait_for_kernel();
    if (parts.first == parts.last) return;
    float found[4] = {}, totals[2] = {}, tops[2] = {-ENDLESS, -ENDLESS};
    for (int from = parts.first + EACH * adder; from <= parts.last; from += EACH * ADDERS) {
        float4 sums[EACH], values[EACH];
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            int share = min(from + i, parts.last);
            int block = share * p.heads + parts.head;
            int part = (2 * block + (share == parts.first && parts.is_second)) * SIDES + side;
            sums[i] = read_now(p.sums + part * 8 + g);
            values[i] = read_now(p.parts + (part * COLUMNS + column) * 32 + lane);
        }
#pragma unroll
        for (int i = 1; i < EACH; i++) {
            if (from + i <= parts.last) continue;
            sums[i] = make_float4(-ENDLESS, -ENDLESS, 0.0f, 0.0f);
            values[i] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        }
        add_parts<EACH>(sums, values, tops, totals, found);
    }
    if (ADDERS > 1) {
        float4 sums[ADDERS], values[ADDERS];
        if (t == 0) sums_of[adder][warp * 8 + g] = make_float4(tops[0], tops[1], totals[0], totals[1]);
        values_of[adder][own] = make_float4(found[0], found[1], found[2], found[3]);
        __syncthreads();
        if (adder) return;
#pragma unroll
        for (int i = 1; i < ADDERS; i++) sums[i] = sums_of[i][warp * 8 + g], values[i] = values_of[i][own];
        add_parts<ADDERS - 1>(sums + 1, values + 1, tops, totals, found);
    }
#pragma unroll
    for (int j = 0; j < 2; j++) {
        int row = side * 16 + g + 8 * j;
        u16 *to = p.o + row_at(p.o_steps, parts.sequence, parts.head, row) + 8 * column + 2 * t;
        write_two(to, row, parts.length - QUERIES + 1 + row % QUERIES > 0, found + 2 * j, 1.0f / totals[j]);
    }
}
#endif
