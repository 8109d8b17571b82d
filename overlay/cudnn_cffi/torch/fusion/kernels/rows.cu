// Products of few rows with what follows, and norms of rows. TYPE is 0 for half, 1 for bfloat16,
// and 2 for float, which has norms alone.
//
// y = activation(x w^T + bias) + residual, of 16-bit types, summed in float. A cluster of blocks
// shares the columns of x and w that are summed; each block adds and writes some rows of the sums.

#ifndef THREADS
#define THREADS 128  // of a block; wide products may have more
#endif

#if TYPE != 2
const int DEPTH = 64;  // columns of a tile, 128 bytes

// Copies a tile of ROWS rows of 64 columns; what is outside becomes zeros.
template <int ROWS>
__device__ void copy_tile(
    u32 to, const u16 *from, long long step, int row, int rows, int column, int columns) {
#pragma unroll
    for (int i = 0; i < (ROWS * 8 + THREADS - 1) / THREADS; i++) {
        int at = threadIdx.x + i * THREADS, r = at / 8, chunk = at % 8;
        if (ROWS * 8 % THREADS && at >= ROWS * 8) break;
        bool there = row + r < rows && column + chunk * 8 < columns;
        const u16 *source = from + (there ? (row + r) * step + column + chunk * 8 : 0);
        copy_16_or_zeros(to + r * 128 + ((chunk ^ (r & 7)) * 16), source, there);
    }
}

struct Product {
    const u16 *x, *w, *bias, *residual;
    u16 *y;
    long long x_step, w_step, residual_step, y_step;
    int rows, columns, depth, early;
    float number;
};

extern __shared__ __align__(1024) unsigned char memory[];

// Adds numbers of the memory of any block of the cluster.
__device__ void add_4(float *to, u32 from) {
    float4 all;
    asm volatile("ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [%4];"
        : "=f"(all.x), "=f"(all.y), "=f"(all.z), "=f"(all.w) : "r"(from) : "memory");
    to[0] += all.x;
    to[1] += all.y;
    to[2] += all.z;
    to[3] += all.w;
}

// Waits until the sums of all parts are there, adds them, and writes what follows. LAST is whether the
// activation is that of the sum with the residual; place(row, column, i) is where each of AREAS sums is.
template <int BM, int BN, int PARTS, int AREAS, int WORD, int LAST, typename Wait, typename Place>
__device__ __forceinline__ void finish(const Product &p, u32 part, Wait wait, Place place) {
    const int OWN = BM / PARTS, WIDTH = BN / 8;
    const int COUNT = (OWN * WIDTH + THREADS - 1) / THREADS, EARLY = COUNT < 4 ? COUNT : 4;
    int row = blockIdx.y * BM + part * OWN, column = blockIdx.x * BN;
    auto is_there = [&](int at) {
        return at < OWN * WIDTH && row + at / WIDTH < p.rows && column + at % WIDTH * 8 < p.columns;
    };
    auto read = [&](int at, float *bias, float *residual) {
        int c = column + at % WIDTH * 8;
        if (p.bias) load<8>(p.bias + c, bias);
        if (p.residual) load<8>(p.residual + (row + at / WIDTH) * p.residual_step + c, residual);
    };
    float bias[EARLY][8] = {}, residual[EARLY][8] = {};  // which come while others add
#pragma unroll
    for (int i = 0; i < EARLY; i++) {
        int at = threadIdx.x + i * THREADS;
        if (is_there(at)) read(at, bias[i], residual[i]);
    }
    wait();
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        int at = threadIdx.x + i * THREADS;
        if (!is_there(at)) continue;
        float v[8] = {};
#pragma unroll
        for (int j = 0; j < AREAS; j++) {
            u32 there = place(at / WIDTH, at % WIDTH * 8, j);
#pragma unroll
            for (int k = 0; k < 8; k += 4) add_4(v + k, there + 4 * k);
        }
        if (i >= EARLY) {
#pragma unroll
            for (int j = 0; j < 8; j++) bias[i % EARLY][j] = residual[i % EARLY][j] = 0.0f;
            read(at, bias[i % EARLY], residual[i % EARLY]);
        }
#pragma unroll
        for (int j = 0; j < 8; j++) {
            float value = v[j] + bias[i % EARLY][j];
            v[j] = LAST ? activated<WORD>(value + residual[i % EARLY][j], p.number)
                        : activated<WORD>(value, p.number) + residual[i % EARLY][j];
        }
        store<8>(p.y + (row + at / WIDTH) * p.y_step + column + at % WIDTH * 8, v);
    }
}

// The same where sums are in the memory of the blocks that computed them.
template <int BM, int BN, int PARTS, int WORD, int LAST>
__device__ __forceinline__ void finish(const Product &p, u32 part) {
    u32 base = address_of(memory) + part * (BM / PARTS) * (BN + 4) * 4;
    auto wait = [&] {
        if (PARTS > 1) {
            arrive_at_cluster();
            wait_for_cluster();
        } else {
            __syncthreads();
        }
    };
    finish<BM, BN, PARTS, PARTS, WORD, LAST>(p, part, wait, [&](int row, int column, int block) {
        u32 own = base + (row * (BN + 4) + column) * 4;
        return PARTS > 1 ? in_block(own, block) : own;
    });
    if (PARTS > 1) {  // others read this block's sums
        reach_cluster();
        wait_for_cluster();
    }
}

template <int BM, int BN, int STAGES, int PARTS, int WORD, int LAST>
__device__ void product(const Product &p) {
    const int STAGE = (BM + BN) * 128;
    const int WM = BM / 2, WN = BN / 2;  // of a warp
    const int TM = WM / 16, TN = WN / 8;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int row = blockIdx.y * BM, column = blockIdx.x * BN;
    u32 part = PARTS > 1 ? block_of_cluster() : 0;
    int tiles = (p.depth + DEPTH - 1) / DEPTH;
    int first = tiles * part / PARTS, count = tiles * (part + 1) / PARTS - first;
    u32 base = address_of(memory);

    auto copy_x = [&](u32 to, int tile) {
        copy_tile<BM>(to, p.x, p.x_step, row, p.rows, tile * DEPTH, p.depth);
    };
    auto copy_w = [&](u32 to, int tile) {
        to += BM * 128;
        copy_tile<BN>(to, p.w, p.w_step, column, p.columns, tile * DEPTH, p.depth);
    };
    if (!p.early) wait_for_kernel();
#pragma unroll
    for (int s = 0; s < STAGES - 1; s++) {
        if (s < count) copy_w(base + s * STAGE, first + s);
    }
    if (p.early) wait_for_kernel();
    let_next_begin();
#pragma unroll
    for (int s = 0; s < STAGES - 1; s++) {
        if (s < count) copy_x(base + s * STAGE, first + s);
        end_copies();
    }
    float sums[TM][TN][4] = {};
    int m = (warp / 2) * WM, n = (warp % 2) * WN;
    int a_row = lane & 15, a_chunk = lane >> 4;
    int b_row = (lane & 7) + ((lane >> 4) << 3), b_chunk = (lane >> 3) & 1;
    for (int t = 0; t < count; t++) {
        wait_for_groups<STAGES - 2>();
        __syncthreads();
        int next = t + STAGES - 1;
        if (next < count) {
            u32 to = base + next % STAGES * STAGE;
            copy_w(to, first + next);
            copy_x(to, first + next);
        }
        end_copies();
        u32 x = base + t % STAGES * STAGE, w = x + BM * 128;
#pragma unroll
        for (int k = 0; k < DEPTH / 16; k++) {
            u32 a[TM][4], b[TN / 2][4];
#pragma unroll
            for (int i = 0; i < TM; i++) {
                int r = m + i * 16 + a_row;
                get_matrices(a[i], x + r * 128 + (((k * 2 + a_chunk) ^ (r & 7)) * 16));
            }
#pragma unroll
            for (int j = 0; j < TN / 2; j++) {
                int r = n + j * 16 + b_row;
                get_matrices(b[j], w + r * 128 + (((k * 2 + b_chunk) ^ (r & 7)) * 16));
            }
#pragma unroll
            for (int i = 0; i < TM; i++) {
#pragma unroll
                for (int j = 0; j < TN; j++) {
                    const u32 *left = a[i], *right = b[j / 2] + j % 2 * 2;
                    multiply(
                        sums[i][j], left[0], left[1], left[2], left[3], right[0], right[1]);
                }
            }
        }
    }
    wait_for_groups<0>();
    __syncthreads();
    const int STEP = BN + 4;
    float *all = (float *)memory;
#pragma unroll
    for (int i = 0; i < TM; i++) {
#pragma unroll
        for (int j = 0; j < TN; j++) {
            float *to = all + (m + i * 16 + lane / 4) * STEP + n + j * 8 + lane % 4 * 2;
            *(float2 *)to = make_float2(sums[i][j][0], sums[i][j][1]);
            *(float2 *)(to + 8 * STEP) = make_float2(sums[i][j][2], sums[i][j][3]);
        }
    }
    finish<BM, BN, PARTS, WORD, LAST>(p, part);
}

// The product of 64 rows of a tile of x and COUNT rows of one of w, added to sums, by instructions of
// compute capability 9.0 alone, which read both tiles as copies have put them.
#define FOUR(a, i) "+f"((a)[i]), "+f"((a)[i + 1]), "+f"((a)[i + 2]), "+f"((a)[i + 3])
#define EIGHT(a, i) FOUR(a, i), FOUR(a, i + 4)
#define SIXTEEN(a, i) EIGHT(a, i), EIGHT(a, i + 8)
#define LIST_12 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11"
#define LIST_16 LIST_12 ", %12, %13, %14, %15"
#define LIST_20 LIST_16 ", %16, %17, %18, %19"
#define LIST_24 LIST_20 ", %20, %21, %22, %23"
#define LIST_28 LIST_24 ", %24, %25, %26, %27"
#define LIST_32 LIST_28 ", %28, %29, %30, %31"
#define LIST_36 LIST_32 ", %32, %33, %34, %35"
#define LIST_40 LIST_36 ", %36, %37, %38, %39"
#define LIST_44 LIST_40 ", %40, %41, %42, %43"
#define LIST_48 LIST_44 ", %44, %45, %46, %47"
#define LIST_52 LIST_48 ", %48, %49, %50, %51"
#define WIDE(COUNT, LIST, X, W, ...) asm volatile( \
    "{.reg .pred p; setp.ne.b32 p, 1, 0; wgmma.mma_async.sync.aligned.m64n" COUNT "k16.f32." NARROW \
    "." NARROW " {" LIST "}, %" X ", %" W ", p, 1, 1, 0, 0;}" : __VA_ARGS__ : "l"(x), "l"(w))
#if TYPE == 0
#define NARROW "f16"
#else
#define NARROW "bf16"
#endif

template <int COUNT> __device__ __forceinline__ void multiply_64(float *sums, u64 x, u64 w) {
    if constexpr (COUNT > 104) {
        const int FIRST = COUNT / 16 * 8;
        multiply_64<FIRST>(sums, x, w);
        multiply_64<COUNT - FIRST>(sums + FIRST / 2, x, w + FIRST * 128 / 16);
    } else if constexpr (COUNT == 104) {
        WIDE("104", LIST_52, "52", "53", SIXTEEN(sums, 0), SIXTEEN(sums, 16), SIXTEEN(sums, 32),
            FOUR(sums, 48));
    } else if constexpr (COUNT == 96) {
        WIDE("96", LIST_48, "48", "49", SIXTEEN(sums, 0), SIXTEEN(sums, 16), SIXTEEN(sums, 32));
    } else if constexpr (COUNT == 88) {
        WIDE("88", LIST_44, "44", "45", SIXTEEN(sums, 0), SIXTEEN(sums, 16), EIGHT(sums, 32),
            FOUR(sums, 40));
    } else if constexpr (COUNT == 80) {
        WIDE("80", LIST_40, "40", "41", SIXTEEN(sums, 0), SIXTEEN(sums, 16), EIGHT(sums, 32));
    } else if constexpr (COUNT == 72) {
        WIDE("72", LIST_36, "36", "37", SIXTEEN(sums, 0), SIXTEEN(sums, 16), FOUR(sums, 32));
    } else if constexpr (COUNT == 64) {
        WIDE("64", LIST_32, "32", "33", SIXTEEN(sums, 0), SIXTEEN(sums, 16));
    } else if constexpr (COUNT == 56) {
        WIDE("56", LIST_28, "28", "29", SIXTEEN(sums, 0), EIGHT(sums, 16), FOUR(sums, 24));
    } else if constexpr (COUNT == 48) {
        WIDE("48", LIST_24, "24", "25", SIXTEEN(sums, 0), EIGHT(sums, 16));
    } else if constexpr (COUNT == 40) {
        WIDE("40", LIST_20, "20", "21", SIXTEEN(sums, 0), FOUR(sums, 16));
    } else if constexpr (COUNT == 32) {
        WIDE("32", LIST_16, "16", "17", SIXTEEN(sums, 0));
    } else {
        static_assert(COUNT == 24, "columns");
        WIDE("24", LIST_12, "12", "13", EIGHT(sums, 0), FOUR(sums, 8));
    }
}

// The description of a tile for an instruction: its rows have 128 bytes, whose parts are in the order
// of `copy_tile`.
__device__ __forceinline__ u64 tile_at(u32 address) {
    return (u64)(address >> 4) | 1ull << 16 | 64ull << 32 | 1ull << 62;
}

// Writes one or two numbers to the memory of a block of the cluster, whose barrier counts their bytes.
__device__ __forceinline__ void send(u32 to, u32 barrier, float value) {
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.f32 [%0], %1, [%2];"
        :: "r"(to), "f"(value), "r"(barrier) : "memory");
}

__device__ __forceinline__ void send(u32 to, u32 barrier, float first, float second) {
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.f32 [%0], "
        "{%1, %2}, [%3];"
        :: "r"(to), "f"(first), "f"(second), "r"(barrier) : "memory");
}

// Calls each(row, column, two) for the sums of a thread: the second one is in the next row of a turned
// tile, or else in the next column.
template <int TALL, int WIDTH, int TURNED, typename Each>
__device__ __forceinline__ void each_two(int first, float (*sums)[WIDTH / 2], Each each) {
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
#pragma unroll
    for (int i = 0; i < TALL * 2; i++) {
        int a = first + i / 2 * 64 + warp * 16 + i % 2 * 8 + lane / 4;
#pragma unroll
        for (int j = 0; j < WIDTH / 8; j++) {
            const float *two = sums[i / 2] + 4 * j + i % 2 * 2;
            int b = j * 8 + lane % 4 * 2;
            if (TURNED) each(b, a, two);
            else each(a, b, two);
        }
    }
}

// Has the cache read the weights of some tiles, and the bias.
__device__ __forceinline__ void prefetch(
    const Product &p, int column, int columns, int tile, int count) {
    int row = column + threadIdx.x, begin = tile * DEPTH;
    if (blockIdx.y || threadIdx.x >= columns || row >= p.columns) return;
    if (p.bias && row % 8 == 0) prefetch(p.bias + row);
    if (count <= 0 || begin >= p.depth) return;
    int size = min(count * DEPTH, p.depth - begin) * 2;
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;"
        :: "l"(p.w + row * p.w_step + begin), "r"(size) : "memory");
}

// The next kernel begins at first, and waits: its blocks are there when this one ends.
// Rows of x are copied by copy_x(address, tile). WHOLE is whether all that a block reads has room. The
// 64 rows of instructions are those of x, or of w if tiles are TURNED.
template <int BM, int BN, int STAGES, int PARTS, int WORD, int LAST, int WHOLE, int TURNED,
    typename Copy>
__device__ __forceinline__ void multiply_tiles(const Product &p, Copy copy_x) {
    const int GROUPS = THREADS / 128, HEIGHT = TURNED ? BN : BM, WIDTH = TURNED ? BM : BN;
    // Groups of four warps share the rows of a tile, or have a tile each.
    const int SHARES = HEIGHT % (64 * GROUPS) == 0, TOGETHER = SHARES ? 1 : GROUPS;
    const int TALL = HEIGHT / 64 / (SHARES ? GROUPS : 1), TILE = (BM + BN) * 128;
    const int STAGE = TILE * TOGETHER, AHEAD = WHOLE ? STAGES : STAGES - 2, STEP = BN + 4;
    const int OWN = BM / PARTS;
    let_next_begin();
    int group = threadIdx.x / 128, column = blockIdx.x * BN;
    u32 part = PARTS > 1 ? block_of_cluster() : 0;
    int tiles = (p.depth + DEPTH * TOGETHER - 1) / (DEPTH * TOGETHER);
    int first = tiles * part / PARTS, count = tiles * (part + 1) / PARTS - first;
    u32 base = address_of(memory), inbox = base + STAGES * STAGE;
    u32 barrier = inbox + BM * STEP * 4 * TOGETHER;
    if (PARTS > 1) {
        if (threadIdx.x == 0) expect_bytes(barrier, BM * BN * 4 * TOGETHER);
        reach_cluster();
    }
    auto copy_w = [&](u32 to, int tile) {
#pragma unroll
        for (int i = 0; i < TOGETHER; i++) {
            int begin = (tile * TOGETHER + i) * DEPTH;
            copy_tile<BN>(to + i * TILE + BM * 128, p.w, p.w_step, column, p.columns, begin, p.depth);
        }
    };
    auto copy_all_x = [&](u32 to, int tile) {
#pragma unroll
        for (int i = 0; i < TOGETHER; i++) copy_x(to + i * TILE, tile * TOGETHER + i);
    };
    if (!p.early) wait_for_kernel();
    for (int s = 0; s < AHEAD; s++) {
        if (s < count) copy_w(base + s * STAGE, first + s);
    }
    if (p.early) {
        prefetch(p, column, BN, (first + AHEAD) * TOGETHER, (count - AHEAD) * TOGETHER);
        wait_for_kernel();
    }
    for (int s = 0; s < AHEAD; s++) {
        if (s < count) copy_all_x(base + s * STAGE, first + s);
        end_copies();
    }
    float sums[TALL][WIDTH / 2] = {};
    for (int t = 0; t < count; t++) {
        wait_for_groups<AHEAD - 1>();
        // The tile that the next copy overwrites has been read.
        if (!WHOLE) asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
        show_instructions();
        __syncthreads();
        u32 x = base + t % STAGES * STAGE + (SHARES ? 0 : group * TILE), w = x + BM * 128;
        u32 tall = (TURNED ? w : x) + (SHARES ? group * TALL * 8192 : 0), flat = TURNED ? x : w;
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int k = 0; k < DEPTH / 16; k++) {
#pragma unroll
            for (int i = 0; i < TALL; i++) {
                multiply_64<WIDTH>(sums[i], tile_at(tall + i * 8192) + k * 2, tile_at(flat) + k * 2);
            }
        }
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        int next = t + AHEAD;
        if (!WHOLE && next < count) {
            u32 to = base + next % STAGES * STAGE;
            copy_w(to, first + next);
            copy_all_x(to, first + next);
        }
        end_copies();
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    int begin = SHARES ? group * TALL * 64 : 0, area = SHARES ? 0 : group;
    if (PARTS > 1) {
        // The sums of each row go to the memory of the block that adds them.
        wait_for_cluster();
        each_two<TALL, WIDTH, TURNED>(begin, sums, [&](int r, int c, const float *two) {
            auto send_to = [&](int row, auto... values) {
                int place = (part * TOGETHER + area) * OWN + row % OWN;
                u32 own = inbox + (place * STEP + c) * 4;
                send(in_block(own, row / OWN), in_block(barrier, row / OWN), values...);
            };
            if (TURNED) send_to(r, two[0]), send_to(r + 1, two[1]);
            else send_to(r, two[0], two[1]);
        });
        auto wait = [&] { wait_for_bytes(barrier); };
        finish<BM, BN, PARTS, PARTS * TOGETHER, WORD, LAST>(p, part, wait,
            [&](int r, int c, int from) { return inbox + ((from * OWN + r) * STEP + c) * 4; });
        return;
    }
    __syncthreads();
    float *all = (float *)memory + area * BM * STEP;
    each_two<TALL, WIDTH, TURNED>(begin, sums, [&](int r, int c, const float *two) {
        float *to = all + r * STEP + c;
        if (TURNED) to[0] = two[0], to[STEP] = two[1];
        else *(float2 *)to = make_float2(two[0], two[1]);
    });
    finish<BM, BN, 1, TOGETHER, WORD, LAST>(p, 0, [&] { __syncthreads(); },
        [&](int r, int c, int from) { return base + ((from * BM + r) * STEP + c) * 4; });
}

template <int BM, int BN, int STAGES, int PARTS, int WORD, int LAST, int WHOLE, int TURNED>
__device__ void wide_product(const Product &p) {
    multiply_tiles<BM, BN, STAGES, PARTS, WORD, LAST, WHOLE, TURNED>(p, [&](u32 to, int tile) {
        copy_tile<BM>(to, p.x, p.x_step, blockIdx.y * BM, p.rows, tile * DEPTH, p.depth);
    });
}

struct Windows {
    Product p;
    long long image, line, pixel;  // strides of x, whose channels are innermost
    int height, width, out_height, out_width, channels, across;
    int stride_y, stride_x, top, left, dilation_y, dilation_x;
};

// A convolution: rows are pixels of the result, and columns of a row the channels of each place of its
// window, whose number is a multiple of that of a tile.
template <int BM, int BN, int STAGES, int PARTS, int WORD, int LAST, int WHOLE>
__device__ void windows(const Windows &q) {
    const int COUNT = BM * 8 / THREADS;  // rows of a thread
    const u16 *images[COUNT];
    int ys[COUNT], xs[COUNT], chunk = threadIdx.x % 8;
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        int row = blockIdx.y * BM + threadIdx.x / 8 + i * (THREADS / 8);
        int pixel = row % (q.out_height * q.out_width);
        images[i] = q.p.x + row / (q.out_height * q.out_width) * q.image + chunk * 8;
        ys[i] = row < q.p.rows ? pixel / q.out_width * q.stride_y - q.top : -(1 << 30);
        xs[i] = pixel % q.out_width * q.stride_x - q.left;
    }
    int blocks = q.channels / DEPTH;
    multiply_tiles<BM, BN, STAGES, PARTS, WORD, LAST, WHOLE, 0>(q.p, [&](u32 to, int tile) {
        int place = tile / blocks, channel = (tile - place * blocks) * DEPTH;
        int down = place / q.across * q.dilation_y, right = place % q.across * q.dilation_x;
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            int y = ys[i] + down, x = xs[i] + right, r = threadIdx.x / 8 + i * (THREADS / 8);
            bool there = y >= 0 && y < q.height && x >= 0 && x < q.width;
            const u16 *source = there ? images[i] + (y * q.line + x * q.pixel + channel) : q.p.x;
            copy_16_or_zeros(to + r * 128 + ((chunk ^ (r & 7)) * 16), source, there);
        }
    });
}
#endif

struct Rows {
    const number *x, *weight, *bias;
    number *y;
    int rows, columns;
    float epsilon;
    int early;
};

// The sum over the threads of a row.
template <int ROW>
__device__ float row_sum(float value) {
#pragma unroll
    for (int lanes = (ROW < 32 ? ROW : 32) / 2; lanes; lanes /= 2) {
        value += __shfl_xor_sync(0xffffffffu, value, lanes);
    }
    if (ROW <= 32) return value;
    const int WARPS = ROW > 32 ? ROW / 32 : 1;
    __shared__ float sums[THREADS / 32];
    int warp = threadIdx.x / 32;
    __syncthreads();
    if (threadIdx.x % 32 == 0) sums[warp] = value;
    __syncthreads();
    value = 0.0f;
#pragma unroll
    for (int i = 0; i < WARPS; i++) value += sums[warp / WARPS * WARPS + i];
    return value;
}

// ROW threads do a row, each of them COUNT times 8 columns.
template <int ROW, int COUNT, int RMS>
__device__ void norm(const Rows &p) {
    let_next_begin();
    long long row = (long long)blockIdx.x * (THREADS / ROW) + threadIdx.x / ROW;
    int first = threadIdx.x % ROW * 8;
    bool there = row < p.rows;
    float values[COUNT][8];
    Numbers<8> weight[COUNT], bias[COUNT] = {};
    if (!p.early) wait_for_kernel();
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        int at = first + i * ROW * 8;
        if (at >= p.columns) continue;
        weight[i] = *(const Numbers<8> *)(p.weight + at);
        if (p.bias) bias[i] = *(const Numbers<8> *)(p.bias + at);
    }
    if (p.early) wait_for_kernel();
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        int at = first + i * ROW * 8;
#pragma unroll
        for (int j = 0; j < 8; j++) values[i][j] = 0.0f;
        if (there && at < p.columns) load<8>(p.x + row * p.columns + at, values[i]);
#pragma unroll
        for (int j = 0; j < 8; j++) sum += RMS ? values[i][j] * values[i][j] : values[i][j];
    }
    float mean = row_sum<ROW>(sum) / p.columns, square = mean;
    if (!RMS) {
        sum = 0.0f;
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            if (first + i * ROW * 8 >= p.columns) continue;
#pragma unroll
            for (int j = 0; j < 8; j++) {
                sum += (values[i][j] - mean) * (values[i][j] - mean);
            }
        }
        square = row_sum<ROW>(sum) / p.columns;
    }
    float scale = 1.0f / sqrtf(square + p.epsilon);
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        int at = first + i * ROW * 8;
        if (!there || at >= p.columns) continue;
#pragma unroll
        for (int j = 0; j < 8; j++) {
            float value = RMS ? values[i][j] : values[i][j] - mean;
            values[i][j] = value * scale * wide(weight[i].each[j]) + wide(bias[i].each[j]);
        }
        store<8>(p.y + row * p.columns + at, values[i]);
    }
}

struct Move {
    const number *x, *other;
    number *y;
    const int *table;  // for 8 columns of y, where they begin in x, in units of 8; -1 for zeros
    long long count;
};

__device__ void move(const Move &p) {
    wait_for_kernel();
    let_next_begin();
    long long at = (long long)blockIdx.x * THREADS + threadIdx.x;
    if (at >= p.count) return;
    int from = p.table[at];
    float values[8] = {}, more[8];
    if (from >= 0) load<8>(p.x + from * 8ll, values);
    if (p.other) {
        load<8>(p.other + at * 8, more);
#pragma unroll
        for (int i = 0; i < 8; i++) values[i] += more[i];
    }
    store<8>(p.y + at * 8, values);
}

struct Gate {
    const number *x, *other;
    number *y;
    long long x_step, other_step, count;
    int columns;
};

// activation(x) other
template <int WORD>
__device__ void gate(const Gate &p) {
    wait_for_kernel();
    let_next_begin();
    long long at = ((long long)blockIdx.x * THREADS + threadIdx.x) * 8;
    if (at >= p.count) return;
    long long row = at / p.columns, column = at - row * p.columns;
    float values[8], more[8];
    load<8>(p.x + row * p.x_step + column, values);
    load<8>(p.other + row * p.other_step + column, more);
#pragma unroll
    for (int i = 0; i < 8; i++) values[i] = activated<WORD>(values[i]) * more[i];
    store<8>(p.y + at, values);
}

struct Rotation {
    const number *x, *cosine, *sine;
    number *y;
    long long x_steps[3], cosine_steps[3], sine_steps[3], y_steps[3];
    long long count;
    int second, third, half;
};

// x cosine + (-second half of x, first half of x) sine
__device__ void rotate(const Rotation &p) {
    wait_for_kernel();
    let_next_begin();
    long long at = ((long long)blockIdx.x * THREADS + threadIdx.x) * 8;
    if (at >= p.count) return;
    long long row = at / p.half, places[3];
    int column = at - row * p.half;
    places[2] = row % p.third;
    places[1] = row / p.third % p.second;
    places[0] = row / p.third / p.second;
    const number *x = p.x + column, *cosine = p.cosine + column, *sine = p.sine + column;
    number *y = p.y + column;
#pragma unroll
    for (int i = 0; i < 3; i++) {
        x += places[i] * p.x_steps[i];
        cosine += places[i] * p.cosine_steps[i];
        sine += places[i] * p.sine_steps[i];
        y += places[i] * p.y_steps[i];
    }
    float low[8], high[8], by[8], of[8], made[8];
    load<8>(x, low);
    load<8>(x + p.half, high);
    load<8>(cosine, by);
    load<8>(sine, of);
#pragma unroll
    for (int i = 0; i < 8; i++) made[i] = low[i] * by[i] - high[i] * of[i];
    store<8>(y, made);
    load<8>(cosine + p.half, by);
    load<8>(sine + p.half, of);
#pragma unroll
    for (int i = 0; i < 8; i++) made[i] = high[i] * by[i] + low[i] * of[i];
    store<8>(y + p.half, made);
}

#define KERNEL(STRUCT, FUNCTION) \
    extern "C" __global__ void __launch_bounds__(THREADS) made(const __grid_constant__ STRUCT p) { \
        FUNCTION(p); \
    }
