// The product of the channels of each pixel and a matrix, its bias, an addition and an activation, for
// many pixels: y = activation(x w + bias + residual). DEPTH channels become a multiple of COLUMNS.
//
// A block keeps COLUMNS rows of w in memory. Each of its TEAMS of 128 threads does tiles of 64 pixels,
// of which STAGES are on their way. Results replace the residual there, and are written as whole lines.

const int TEAM = 128, ROWS = 64, LINE = 128;           // bytes of a line of 64 numbers
const int X = ROWS * DEPTH * 2, Y = ROWS * COLUMNS * 2, STAGE = X + Y, W = COLUMNS * DEPTH * 2;
static_assert(DEPTH % 64 == 0 && COLUMNS % 128 == 0, "whole lines and instructions");

struct Pixels {
    const u16 *x, *w, *bias, *residual;
    u16 *y;
    long long x_step, residual_step, y_step, rows;
    int columns;
    float number;
    int early;
};

#if TYPE == 0
#define NARROW "f16"
#else
#define NARROW "bf16"
#endif

#ifdef __CUDA_ARCH__
__device__ __forceinline__ u32 address_of(const void *shared) {
    return (u32)__cvta_generic_to_shared(shared);
}

// Copies eight numbers, or zeros where they are not there.
__device__ __forceinline__ void copy_eight(u32 to, const u16 *from, bool is_there) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
        :: "r"(to), "l"(from), "r"(is_there ? 16 : 0) : "memory");
}

__device__ __forceinline__ void end_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }

template <int COUNT> __device__ __forceinline__ void wait_for_copies() {
    asm volatile("cp.async.wait_group %0;" :: "n"(COUNT) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ __forceinline__ void wait_for_team(int team) {
    asm volatile("bar.sync %0, %1;" :: "r"(team + 1), "n"(TEAM) : "memory");
}

__device__ __forceinline__ u32 get_two(u32 from) {
    u32 found;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(found) : "r"(from) : "memory");
    return found;
}

__device__ __forceinline__ void put_two(u32 to, u32 numbers) {
    asm volatile("st.shared.u32 [%0], %1;" :: "r"(to), "r"(numbers) : "memory");
}

__device__ __forceinline__ uint4 get_eight(u32 from) {
    uint4 found;
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
        : "=r"(found.x), "=r"(found.y), "=r"(found.z), "=r"(found.w) : "r"(from) : "memory");
    return found;
}

__device__ __forceinline__ u32 pair_of(float low, float high) {
    u32 bits;
    PACK(bits, low, high);
    return bits;
}

// Adds the products of 64 rows of x and 128 of w, of 16 columns each, to sums; ADDS is 0 for new ones.
#define EIGHT(i) "+f"(sums[i]), "+f"(sums[i + 1]), "+f"(sums[i + 2]), "+f"(sums[i + 3]), \
    "+f"(sums[i + 4]), "+f"(sums[i + 5]), "+f"(sums[i + 6]), "+f"(sums[i + 7])
template <int ADDS> __device__ __forceinline__ void multiply_tiles(float *sums, u32 x, u32 w) {
    // Lines have 128 bytes, whose parts are in the order of `place`.
    const u64 kind = 1ull << 16 | 64ull << 32 | 1ull << 62;
    const u64 left = (u64)(x >> 4) | kind, right = (u64)(w >> 4) | kind;
    asm volatile(
        "{.reg .pred p; setp.ne.b32 p, %66, 0; wgmma.mma_async.sync.aligned.m64n128k16.f32." NARROW
        "." NARROW " {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, "
        "%17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, "
        "%35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, "
        "%53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, %64, %65, p, 1, 1, 0, 0;}"
        : EIGHT(0), EIGHT(8), EIGHT(16), EIGHT(24), EIGHT(32), EIGHT(40), EIGHT(48), EIGHT(56)
        : "l"(left), "l"(right), "n"(ADDS));
}

__device__ __forceinline__ void begin_products() {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

__device__ __forceinline__ void end_products() {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}
#endif

// Where eight numbers of a row are in a tile of `rows`: 64 columns are a line of each row.
__device__ __forceinline__ u32 place(int row, int eight, int rows) {
    return eight / 8 * rows * LINE + row * LINE + ((eight % 8 ^ row % 8) * 16);
}

SHARED(uint4, memory);

extern "C" __global__ void __launch_bounds__(TEAM * TEAMS, 1) pixels(const Pixels all) {
    const int slices = all.columns / COLUMNS, first = blockIdx.x % slices * COLUMNS;
    const int team = threadIdx.x / TEAM, own = threadIdx.x % TEAM, lane = own % 32;
    const u32 start = (address_of(memory) + 1023) / 1024 * 1024, stages = start + W;
    float *bias = (float *)((char *)memory + (stages - address_of(memory)) + TEAMS * STAGES * STAGE);
    const long long tiles = (all.rows + ROWS - 1) / ROWS;
    const long long begin = (long long)(blockIdx.x / slices) * TEAMS + team;
    const long long step = (long long)(gridDim.x / slices) * TEAMS;
    auto copy_tile = [&](u32 to, long long tile) {
        const long long row = tile * ROWS;
        if (tile >= tiles) return;
#pragma unroll
        for (int i = 0; i < X / 16 / TEAM; i++) {
            const int at = own + i * TEAM, line = at / (DEPTH / 8), eight = at % (DEPTH / 8);
            const bool is_there = row + line < all.rows;
            const u16 *from = all.x + (row + line) * all.x_step + eight * 8;
            copy_eight(to + place(line, eight, ROWS), is_there ? from : all.x, is_there);
        }
        if (!ADDED) return;
#pragma unroll
        for (int i = 0; i < Y / 16 / TEAM; i++) {
            const int at = own + i * TEAM, line = at / (COLUMNS / 8), eight = at % (COLUMNS / 8);
            const bool is_there = row + line < all.rows;
            const u16 *from = all.residual + (row + line) * all.residual_step + first + eight * 8;
            copy_eight(to + X + place(line, eight, ROWS), is_there ? from : all.x, is_there);
        }
    };
    if (!all.early) wait_for_kernel();
    for (int at = threadIdx.x; at < W / 16; at += TEAM * TEAMS) {
        const int line = at / (DEPTH / 8), eight = at % (DEPTH / 8);
        const u16 *from = all.w + (long long)(first + line) * DEPTH + eight * 8;
        copy_eight(start + place(line, eight, COLUMNS), from, true);
    }
    for (int at = threadIdx.x; at < COLUMNS; at += TEAM * TEAMS)
        bias[at] = all.bias ? wide(all.bias[first + at]) : 0.0f;
    if (all.early) wait_for_kernel();
    let_next_begin();
    const u32 base = stages + team * STAGES * STAGE;
    for (int s = 0; s < STAGES; s++) {
        copy_tile(base + s * STAGE, begin + s * step);
        end_copies();
    }
    wait_for_copies<STAGES - 1>();
    __syncthreads();  // rows of w are there: they were copied first
    int stage = 0;
    for (long long tile = begin; tile < tiles; tile += step, stage = (stage + 1) % STAGES) {
        const u32 x = base + stage * STAGE, y = x + X;
        wait_for_copies<STAGES - 1>();
        wait_for_team(team);
        float sums[COLUMNS / 128][64];
        begin_products();
#pragma unroll
        for (int k = 0; k < DEPTH / 16; k++) {
#pragma unroll
            for (int part = 0; part < COLUMNS / 128; part++) {
                const u32 left = x + k / 4 * ROWS * LINE + k % 4 * 32;
                const u32 right = start + k / 4 * COLUMNS * LINE + k % 4 * 32 + part * 128 * LINE;
                if (k == 0) multiply_tiles<0>(sums[part], left, right);
                else multiply_tiles<1>(sums[part], left, right);
            }
        }
        end_products();
#pragma unroll
        for (int j = 0; j < COLUMNS / 8; j++) {
            const float2 both = *(const float2 *)(bias + j * 8 + lane % 4 * 2);
#pragma unroll
            for (int i = 0; i < 2; i++) {
                const int row = own / 32 * 16 + i * 8 + lane / 4;
                const u32 at = y + place(row, j, ROWS) + lane % 4 * 4;
                const float *two = sums[j / 16] + j % 16 * 4 + i * 2;
                const u32 added = ADDED ? get_two(at) : 0;
                const float low = two[0] + both.x + wide((u16)added);
                const float high = two[1] + both.y + wide((u16)(added >> 16));
                put_two(at, pair_of(activated(low, all.number), activated(high, all.number)));
            }
        }
        wait_for_team(team);
#pragma unroll
        for (int i = 0; i < Y / 16 / TEAM; i++) {
            const int at = own + i * TEAM, line = at / (COLUMNS / 8), eight = at % (COLUMNS / 8);
            const long long row = tile * ROWS + line;
            const uint4 found = get_eight(y + place(line, eight, ROWS));
            if (row < all.rows) *(uint4 *)(all.y + row * all.y_step + first + eight * 8) = found;
        }
        wait_for_team(team);
        copy_tile(x, tile + STAGES * step);
        end_copies();
    }
}
