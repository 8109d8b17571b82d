// Products of at most eight rows with what is before and after them, and rotations of new rows of
// a cache. TYPE is 0 for half, 1 for bfloat16.
//
// Rows of w are rows of the fragments of a product, read from memory as they are: each thread has
// eight numbers of them in a row, and the same of x, so that the order of what is summed is another.

// Weights, which no other kernel of a step reads or writes.
__device__ uint4 load_weights(const u16 *from) {
    uint4 all;
    asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
        : "=r"(all.x), "=r"(all.y), "=r"(all.z), "=r"(all.w) : "l"(from));
    return all;
}

__device__ float squares(uint4 all) {
    u32 words[4] = {all.x, all.y, all.z, all.w};
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        float low = wide((u16)words[i]), high = wide((u16)(words[i] >> 16));
        sum += low * low + high * high;
    }
    return sum;
}

struct Product {
    const u16 *x, *w, *gate, *other;
    u16 *y;
    int rows, columns, depth;
    float epsilon;
};

// y = x w^T, with x divided by the root of the mean of its squares (NORM), times swish(x gate^T)
// (GATE), plus other (ADD). A block has TILES times 16 rows of weights at a time, and its warps have
// 64 columns of them each; what comes next is read before what was read is added.
#if defined(THREADS)
#define WARPS (THREADS / 32)
#define AHEAD 2

struct Chunk {
    uint4 w[TILES][4], x[2];
};

__device__ void add(float sums[TILES][4], float &square, const Chunk &chunk) {
#pragma unroll
    for (int half = 0; half < 2; half++) {
        uint4 x = chunk.x[half];
#if NORM
        square += squares(x);
#endif
#pragma unroll
        for (int i = 0; i < TILES; i++) {
            uint4 low = chunk.w[i][half], high = chunk.w[i][2 + half];
            multiply(sums[i], low.x, high.x, low.y, high.y, x.x, x.y);
            multiply(sums[i], low.z, high.z, low.w, high.w, x.z, x.w);
        }
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, 512 / THREADS)
product(const __grid_constant__ Product p) {
    const int OWN = GATE ? 16 : TILES * 16;  // columns of y
    __shared__ float all[WARPS][TILES * 16][9];
    __shared__ float norms[WARPS][8];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
    int chunks = p.depth / 64, turns = (chunks + WARPS - 1) / WARPS;
    int steps = (p.columns / OWN - blockIdx.x + gridDim.x - 1) / gridDim.x * turns;
    let_next_begin();

    auto load_w = [&](Chunk &to, int step) {
        int chunk = warp + step % turns * WARPS;
        if (step >= steps || chunk >= chunks) return;
        long long first = (long long)(blockIdx.x + step / turns * gridDim.x) * OWN + g;
#pragma unroll
        for (int i = 0; i < TILES; i++) {
            const u16 *from = GATE && i ? p.gate : p.w;
            from += (first + (GATE ? 0 : i * 16)) * p.depth + chunk * 64 + t * 8;
            to.w[i][0] = load_weights(from);
            to.w[i][1] = load_weights(from + 32);
            to.w[i][2] = load_weights(from + 8ll * p.depth);
            to.w[i][3] = load_weights(from + 8ll * p.depth + 32);
        }
    };
    auto load_x = [&](Chunk &to, int step) {
        int chunk = warp + step % turns * WARPS;
        bool there = g < p.rows && step < steps && chunk < chunks;
        const u16 *from = p.x + (long long)g * p.depth + chunk * 64 + t * 8;
        to.x[0] = there ? *(const uint4 *)from : make_uint4(0, 0, 0, 0);
        to.x[1] = there ? *(const uint4 *)(from + 32) : make_uint4(0, 0, 0, 0);
    };
    Chunk read[AHEAD];
#pragma unroll
    for (int i = 0; i < AHEAD; i++) load_w(read[i], i);
    wait_for_kernel();
#pragma unroll
    for (int i = 0; i < AHEAD; i++) load_x(read[i], i);
    float sums[TILES][4] = {}, square = 0.0f;

    auto finish = [&](int tile) {
#pragma unroll
        for (int i = 0; i < TILES; i++) {
            float *to = all[warp][i * 16 + g] + 2 * t, *below = all[warp][i * 16 + g + 8] + 2 * t;
            to[0] = sums[i][0];
            to[1] = sums[i][1];
            below[0] = sums[i][2];
            below[1] = sums[i][3];
            sums[i][0] = sums[i][1] = sums[i][2] = sums[i][3] = 0.0f;
        }
        square += __shfl_xor_sync(0xffffffffu, square, 1);
        square += __shfl_xor_sync(0xffffffffu, square, 2);
        if (t == 0) norms[warp][g] = square;
        square = 0.0f;
        __syncthreads();
        // Columns are the fastest, as in memory.
        for (int at = threadIdx.x; at < OWN * p.rows; at += THREADS) {
            int column = at % OWN, row = at / OWN;
            float sum = 0.0f, factor = 1.0f;
#pragma unroll
            for (int i = 0; i < WARPS; i++) sum += all[i][column][row];
#if NORM
            float total = 0.0f;
#pragma unroll
            for (int i = 0; i < WARPS; i++) total += norms[i][row];
            factor = 1.0f / sqrtf(total / p.depth + p.epsilon);
#endif
            sum *= factor;
            long long place = (long long)row * p.columns + (long long)tile * OWN + column;
#if GATE
            float gate = 0.0f;
#pragma unroll
            for (int i = 0; i < WARPS; i++) gate += all[i][16 + column][row];
            gate *= factor;
            sum *= activated<SWISH>(gate);
#endif
#if ADD
            sum += wide(p.other[place]);
#endif
            p.y[place] = narrow(sum);
        }
        __syncthreads();
    };
    for (int step = 0; step < steps; step += AHEAD) {
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            int now = step + i, turn = now % turns;
            if (now >= steps) break;
            if (warp + turn * WARPS < chunks) add(sums, square, read[i]);
            load_w(read[i], now + AHEAD);
            load_x(read[i], now + AHEAD);
            if (turn == turns - 1) finish(blockIdx.x + now / turns * gridDim.x);
        }
    }
}
#endif

struct Rotation {
    const u16 *x;
    const float *turns;
    const int *places;
    u16 *q, *k, *v;
    long long head_step;
    int heads, kv_heads, width;
};

// Rows of heads of queries, keys and values, of which those of queries and keys are rotated, and
// those of keys and values are put into a cache. A block has a head of a sequence.
extern "C" __global__ void rotate(const __grid_constant__ Rotation p) {
    wait_for_kernel();
    let_next_begin();
    int head = blockIdx.x, sequence = blockIdx.y, half = p.width / 2;
    const u16 *x = p.x + ((long long)sequence * gridDim.x + head) * p.width;
    const float *turns = p.turns + sequence * p.width;
    u16 *to;
    if (head < p.heads) to = p.q + ((long long)sequence * p.heads + head) * p.width;
    else {
        int at = head - p.heads;
        bool is_key = at < p.kv_heads;
        to = is_key ? p.k : p.v;
        to += p.places[sequence] + (is_key ? at : at - p.kv_heads) * p.head_step;
    }
    bool turned = head < p.heads + p.kv_heads;
    for (int i = threadIdx.x; i < half; i += blockDim.x) {
        float low = wide(x[i]), high = wide(x[i + half]);
        float cosine = turned ? turns[i] : 1.0f, sine = turned ? turns[i + half] : 0.0f;
        to[i] = turned ? narrow(low * cosine - high * sine) : x[i];
        to[i + half] = turned ? narrow(high * cosine + low * sine) : x[i + half];
    }
}
