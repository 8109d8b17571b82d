// Products of at most eight rows with what is before and after them, and rotations of new rows of
// a cache. TYPE is 0 for half, 1 for bfloat16; DEPTH columns are summed.
//
// Rows of w are rows of the fragments of a product, read from memory as they are: each thread has
// eight numbers of them in a row, and the same of x, so that the order of what is summed is another.

typedef unsigned short u16;
typedef unsigned int u32;

#if TYPE == 0
#define MMA "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
#define WIDE(value, bits) asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits))
#define NARROW(bits, value) asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value))
#else
#define MMA "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"
#define WIDE(value, bits) value = __uint_as_float((u32)(bits) << 16)
#define NARROW(bits, value) asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(value))
#endif

#define THREADS 256
#define WARPS (THREADS / 32)

__device__ void wait_for_kernel() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

__device__ void let_next_begin() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

__device__ float wide(u16 bits) {
    float value;
    WIDE(value, bits);
    return value;
}

__device__ u16 narrow(float value) {
    u16 bits;
    NARROW(bits, value);
    return bits;
}

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
        float low = wide(words[i] & 0xffff), high = wide(words[i] >> 16);
        sum += low * low + high * high;
    }
    return sum;
}

__device__ void multiply(float *c, u32 a0, u32 a1, u32 a2, u32 a3, u32 b0, u32 b1) {
    asm volatile(MMA " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

struct Product {
    const u16 *x, *w, *gate, *other;
    u16 *y;
    int rows, columns;
    float epsilon;
};

// y = x w^T, with x divided by the root of the mean of its squares (NORM), times swish(x gate^T)
// (GATE), plus other (ADD). A block has 16 columns of y for each of TILES.
#if defined(TILES)
struct Chunk {
    uint4 w[TILES][4], x[2];
};

__device__ void load_w(Chunk &to, const u16 *const *from, int chunk) {
    int at = chunk * 64;
#pragma unroll
    for (int i = 0; i < TILES; i++) {
        to.w[i][0] = load_weights(from[i] + at);
        to.w[i][1] = load_weights(from[i] + at + 32);
        to.w[i][2] = load_weights(from[i] + 8 * DEPTH + at);
        to.w[i][3] = load_weights(from[i] + 8 * DEPTH + at + 32);
    }
}

__device__ void load_x(Chunk &to, const u16 *from, int chunk, bool there) {
    int at = chunk * 64;
    to.x[0] = there ? *(const uint4 *)(from + at) : make_uint4(0, 0, 0, 0);
    to.x[1] = there ? *(const uint4 *)(from + at + 32) : make_uint4(0, 0, 0, 0);
}

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

extern "C" __global__ void __launch_bounds__(THREADS, 2)
product(const __grid_constant__ Product p) {
    const int CHUNKS = DEPTH / 64, AHEAD = 4 / TILES;
    __shared__ float all[WARPS][TILES * 16][9];
    __shared__ float norms[WARPS][8];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
    let_next_begin();
    const u16 *w[TILES];
#pragma unroll
    for (int i = 0; i < TILES; i++) {
#if GATE
        const u16 *from = i ? p.gate : p.w;
        long long row = blockIdx.x * 16 + g;
#else
        const u16 *from = p.w;
        long long row = (blockIdx.x * TILES + i) * 16 + g;
#endif
        w[i] = from + row * DEPTH + t * 8;
    }
    const u16 *x = p.x + (long long)g * DEPTH + t * 8;
    bool there = g < p.rows;
    Chunk chunks[AHEAD];
#pragma unroll
    for (int i = 0; i < AHEAD; i++) {
        if (warp + i * WARPS < CHUNKS) load_w(chunks[i], w, warp + i * WARPS);
    }
    wait_for_kernel();
#pragma unroll
    for (int i = 0; i < AHEAD; i++) {
        if (warp + i * WARPS < CHUNKS) load_x(chunks[i], x, warp + i * WARPS, there);
    }
    float sums[TILES][4] = {}, square = 0.0f;
    for (int chunk = warp; chunk < CHUNKS; chunk += AHEAD * WARPS) {
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            int now = chunk + i * WARPS, next = now + AHEAD * WARPS;
            if (now < CHUNKS) add(sums, square, chunks[i]);
            if (next < CHUNKS) {
                load_w(chunks[i], w, next);
                load_x(chunks[i], x, next, there);
            }
        }
    }
#pragma unroll
    for (int i = 0; i < TILES; i++) {
        float *to = all[warp][i * 16 + g] + 2 * t, *below = all[warp][i * 16 + g + 8] + 2 * t;
        to[0] = sums[i][0];
        to[1] = sums[i][1];
        below[0] = sums[i][2];
        below[1] = sums[i][3];
    }
    square += __shfl_xor_sync(0xffffffffu, square, 1);
    square += __shfl_xor_sync(0xffffffffu, square, 2);
    if (t == 0) norms[warp][g] = square;
    __syncthreads();
    // Columns are the fastest, as in memory.
    const int OWN = GATE ? 16 : TILES * 16;
    for (int at = threadIdx.x; at < OWN * p.rows; at += THREADS) {
        int column = at % OWN, row = at / OWN;
        float sum = 0.0f, factor = 1.0f, gate = 0.0f;
#pragma unroll
        for (int i = 0; i < WARPS; i++) sum += all[i][column][row];
#if NORM
        float squares = 0.0f;
#pragma unroll
        for (int i = 0; i < WARPS; i++) squares += norms[i][row];
        factor = 1.0f / sqrtf(squares / DEPTH + p.epsilon);
#endif
        sum *= factor;
        long long place = (long long)row * p.columns + blockIdx.x * OWN + column;
#if GATE
#pragma unroll
        for (int i = 0; i < WARPS; i++) gate += all[i][16 + column][row];
        gate *= factor;
        sum *= gate / (1.0f + expf(-gate));
#endif
#if ADD
        sum += wide(p.other[place]);
#endif
        p.y[place] = narrow(sum);
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
