// Products of few rows with what follows, and norms of rows. TYPE is 0 for half, 1 for bfloat16,
// and 2 for float, which has norms alone.
//
// y = activation(x w^T + bias) + residual, of 16-bit types, summed in float. A cluster of blocks
// shares the columns of x and w that are summed; each block adds and writes some rows of the sums.

#define THREADS 128  // of a block

#if TYPE != 2
const int DEPTH = 64;  // columns of a tile, 128 bytes

__device__ u32 shared_address(const void *p) { return (u32)__cvta_generic_to_shared(p); }

__device__ void copy_16(u32 to, const u16 *from, bool there) {
    int size = there ? 16 : 0;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
        :: "r"(to), "l"(from), "r"(size) : "memory");
}

// Copies a tile of ROWS rows of 64 columns; what is outside becomes zeros.
template <int ROWS>
__device__ void copy_tile(
    u32 to, const u16 *from, long long step, int row, int rows, int column, int columns) {
#pragma unroll
    for (int i = 0; i < ROWS * 8 / THREADS; i++) {
        int at = threadIdx.x + i * THREADS, r = at / 8, chunk = at % 8;
        bool there = row + r < rows && column + chunk * 8 < columns;
        const u16 *source = from + (there ? (row + r) * step + column + chunk * 8 : 0);
        copy_16(to + r * 128 + ((chunk ^ (r & 7)) * 16), source, there);
    }
}

__device__ void load_4(u32 *to, u32 from) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
        : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3]) : "r"(from) : "memory");
}

__device__ void cluster_barrier() {
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

struct Product {
    const u16 *x, *w, *bias, *residual;
    u16 *y;
    long long x_step, w_step, residual_step, y_step;
    int rows, columns, depth, early;
    float number;
};

extern __shared__ __align__(128) unsigned char memory[];

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

// LAST is whether the activation is that of the sum with the residual.
template <int BM, int BN, int STAGES, int PARTS, int WORD, int LAST>
__device__ void product(const Product &p) {
    const int STAGE = (BM + BN) * 128;
    const int WM = BM / 2, WN = BN / 2;  // of a warp
    const int TM = WM / 16, TN = WN / 8;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int row = blockIdx.y * BM, column = blockIdx.x * BN;
    u32 part = 0;
    if (PARTS > 1) asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(part));
    int tiles = (p.depth + DEPTH - 1) / DEPTH;
    int first = tiles * part / PARTS, count = tiles * (part + 1) / PARTS - first;
    u32 base = shared_address(memory);

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
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
    float sums[TM][TN][4] = {};
    int m = (warp / 2) * WM, n = (warp % 2) * WN;
    int a_row = lane & 15, a_chunk = lane >> 4;
    int b_row = (lane & 7) + ((lane >> 4) << 3), b_chunk = (lane >> 3) & 1;
    for (int t = 0; t < count; t++) {
        asm volatile("cp.async.wait_group %0;" :: "n"(STAGES - 2) : "memory");
        __syncthreads();
        int next = t + STAGES - 1;
        if (next < count) {
            u32 to = base + next % STAGES * STAGE;
            copy_w(to, first + next);
            copy_x(to, first + next);
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
        u32 x = base + t % STAGES * STAGE, w = x + BM * 128;
#pragma unroll
        for (int k = 0; k < DEPTH / 16; k++) {
            u32 a[TM][4], b[TN / 2][4];
#pragma unroll
            for (int i = 0; i < TM; i++) {
                int r = m + i * 16 + a_row;
                load_4(a[i], x + r * 128 + (((k * 2 + a_chunk) ^ (r & 7)) * 16));
            }
#pragma unroll
            for (int j = 0; j < TN / 2; j++) {
                int r = n + j * 16 + b_row;
                load_4(b[j], w + r * 128 + (((k * 2 + b_chunk) ^ (r & 7)) * 16));
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
    asm volatile("cp.async.wait_group 0;" ::: "memory");
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
    if (PARTS > 1) cluster_barrier();
    else __syncthreads();
    const int OWN = BM / PARTS;
    for (int at = threadIdx.x; at < OWN * (BN / 8); at += THREADS) {
        int r = part * OWN + at / (BN / 8), c = at % (BN / 8) * 8;
        float v[8] = {};
        u32 from = shared_address(all + r * STEP + c);
#pragma unroll
        for (int i = 0; i < PARTS; i++) {
            u32 there = from;
            if (PARTS > 1) {
                asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(from), "r"(i));
            }
#pragma unroll
            for (int j = 0; j < 8; j += 4) add_4(v + j, there + 4 * j);
        }
        if (row + r >= p.rows || column + c >= p.columns) continue;
        float more[8];
        if (p.bias) {
            load<8>(p.bias + column + c, more);
#pragma unroll
            for (int i = 0; i < 8; i++) v[i] += more[i];
        }
#pragma unroll
        for (int i = 0; i < 8 && !LAST; i++) v[i] = activated<WORD>(v[i], p.number);
        if (p.residual) {
            load<8>(p.residual + (row + r) * p.residual_step + column + c, more);
#pragma unroll
            for (int i = 0; i < 8; i++) v[i] += more[i];
        }
#pragma unroll
        for (int i = 0; i < 8 && LAST; i++) v[i] = activated<WORD>(v[i], p.number);
        store<8>(p.y + (row + r) * p.y_step + column + c, v);
    }
    if (PARTS > 1) cluster_barrier();  // others read this block's sums
}
#endif

struct Rows {
    const number *x, *weight, *bias;
    number *y;
    int rows, columns;
    float epsilon;
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
    wait_for_kernel();
    let_next_begin();
    long long row = (long long)blockIdx.x * (THREADS / ROW) + threadIdx.x / ROW;
    int first = threadIdx.x % ROW * 8;
    bool there = row < p.rows;
    float values[COUNT][8];
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
        float weight[8], bias[8] = {};
        load<8>(p.weight + at, weight);
        if (p.bias) load<8>(p.bias + at, bias);
#pragma unroll
        for (int j = 0; j < 8; j++) {
            float value = RMS ? values[i][j] : values[i][j] - mean;
            values[i][j] = value * scale * weight[j] + bias[j];
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
