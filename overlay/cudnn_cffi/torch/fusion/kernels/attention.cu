// softmax(scale q k^T) v of few keys, of 16-bit types. TYPE is 0 for half, 1 for bfloat16.
//
// A block has ROWS queries of a head, and each of its warps has KEYS of the keys. The order of what
// is summed does not matter: a thread has eight numbers in a row of q and of k, as memory has them.

#define LEAST __uint_as_float(0xff800000u)  // minus infinity

struct Attention {
    const u16 *q, *k, *v;
    u16 *y;
    long long q_steps[3], k_steps[3], v_steps[3], y_steps[3];  // of examples, heads and rows
    int queries, keys, heads;
    float scale;  // times the logarithm of e for 2
};

extern __shared__ __align__(128) unsigned char memory[];

__device__ __forceinline__ uint4 row_part(const u16 *from, bool there) {
    return there ? *(const uint4 *)from : make_uint4(0, 0, 0, 0);
}

// The largest of the four threads that have a row, or their sum.
template <bool SUM> __device__ __forceinline__ float of_row(float value) {
#pragma unroll
    for (int lanes = 1; lanes < 4; lanes *= 2) {
        float other = __shfl_xor_sync(0xffffffffu, value, lanes);
        value = SUM ? value + other : fmaxf(value, other);
    }
    return value;
}

template <int DIM, int ROWS, int KEYS, int WARPS>
__device__ void attend(const Attention &p) {
    const int TILES = ROWS / 16, PARTS = DIM / 32, COLUMNS = KEYS / 8, STEP = DIM + 8;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, c = lane % 4, r = lane / 4;
    int first = blockIdx.x * ROWS, key = warp * KEYS;
    int head = blockIdx.y % p.heads, example = blockIdx.y / p.heads;
    const u16 *q = p.q + example * p.q_steps[0] + head * p.q_steps[1];
    const u16 *k = p.k + example * p.k_steps[0] + head * p.k_steps[1];
    const u16 *v = p.v + example * p.v_steps[0] + head * p.v_steps[1];
    u16 *values = (u16 *)memory + warp * KEYS * DIM;
    float *all = (float *)(memory + WARPS * KEYS * DIM * 2);
    float *sums = all + WARPS * ROWS * STEP, *most = sums + WARPS * ROWS;
    let_next_begin();
    wait_for_kernel();
    // Values go to memory, with the parts of a row in an order that depends on the row.
    u32 base = address_of(values);
#pragma unroll
    for (int i = 0; i < KEYS * DIM / 8 / 32; i++) {
        int at = lane + i * 32, row = at / (DIM / 8), chunk = at % (DIM / 8);
        bool there = key + row < p.keys;
        const u16 *from = v + (there ? (key + row) * p.v_steps[2] + chunk * 8 : 0);
        copy_16_or_zeros(base + (row * (DIM / 8) + (chunk ^ (row & 7))) * 16, from, there);
    }
    end_copies();
    uint4 left[TILES][2][PARTS], right[COLUMNS][PARTS];
#pragma unroll
    for (int j = 0; j < PARTS; j++) {
        int column = j * 32 + c * 8;
#pragma unroll
        for (int i = 0; i < TILES * 2; i++) {
            int row = first + i * 8 + r;
            left[i / 2][i % 2][j] = row_part(q + row * p.q_steps[2] + column, row < p.queries);
        }
#pragma unroll
        for (int i = 0; i < COLUMNS; i++) {
            int row = key + i * 8 + r;
            right[i][j] = row_part(k + row * p.k_steps[2] + column, row < p.keys);
        }
    }
    float scores[TILES][COLUMNS][4] = {};
#pragma unroll
    for (int i = 0; i < COLUMNS; i++) {
#pragma unroll
        for (int t = 0; t < TILES; t++) {
#pragma unroll
            for (int j = 0; j < PARTS; j++) {
                uint4 low = left[t][0][j], high = left[t][1][j], other = right[i][j];
                multiply(scores[t][i], low.x, high.x, low.y, high.y, other.x, other.y);
                multiply(scores[t][i], low.z, high.z, low.w, high.w, other.z, other.w);
            }
        }
    }
#pragma unroll
    for (int t = 0; t < TILES; t++) {
#pragma unroll
        for (int half = 0; half < 2; half++) {
            float largest = LEAST, sum = 0.0f;
#pragma unroll
            for (int i = 0; i < COLUMNS; i++) {
#pragma unroll
                for (int j = 0; j < 2; j++) {
                    float &score = scores[t][i][half * 2 + j];
                    if (key + i * 8 + c * 2 + j >= p.keys) score = LEAST;
                    else score *= p.scale;
                    largest = fmaxf(largest, score);
                }
            }
            largest = of_row<false>(largest);
            float from = largest == LEAST ? 0.0f : largest;
#pragma unroll
            for (int i = 0; i < COLUMNS; i++) {
#pragma unroll
                for (int j = 0; j < 2; j++) {
                    float &score = scores[t][i][half * 2 + j];
                    score = exp2f(score - from);
                    sum += score;
                }
            }
            sum = of_row<true>(sum);
            if (c == 0) {
                int at = warp * ROWS + t * 16 + half * 8 + r;
                sums[at] = sum;
                most[at] = largest;
            }
        }
    }
    wait_for_groups<0>();
    __syncwarp();
    float made[TILES][DIM / 8][4] = {};
#pragma unroll
    for (int i = 0; i < KEYS / 16; i++) {
        u32 shares[TILES][4];
#pragma unroll
        for (int t = 0; t < TILES; t++) {
#pragma unroll
            for (int j = 0; j < 4; j++) {
                const float *two = scores[t][i * 2 + j / 2] + j % 2 * 2;
                PACK(shares[t][j], two[0], two[1]);
            }
        }
#pragma unroll
        for (int j = 0; j < DIM / 16; j++) {
            int row = i * 16 + (lane & 15), chunk = j * 2 + (lane >> 4);
            u32 from = base + (row * (DIM / 8) + (chunk ^ (row & 7))) * 16, b[4];
            get_columns(b, from);
#pragma unroll
            for (int t = 0; t < TILES; t++) {
                u32 *s = shares[t];
                multiply(made[t][j * 2], s[0], s[1], s[2], s[3], b[0], b[1]);
                multiply(made[t][j * 2 + 1], s[0], s[1], s[2], s[3], b[2], b[3]);
            }
        }
    }
#pragma unroll
    for (int t = 0; t < TILES; t++) {
#pragma unroll
        for (int j = 0; j < DIM / 8; j++) {
            float *to = all + (warp * ROWS + t * 16 + r) * STEP + j * 8 + c * 2;
            *(float2 *)to = make_float2(made[t][j][0], made[t][j][1]);
            *(float2 *)(to + 8 * STEP) = make_float2(made[t][j][2], made[t][j][3]);
        }
    }
    __syncthreads();
    u16 *y = p.y + example * p.y_steps[0] + head * p.y_steps[1];
    for (int at = threadIdx.x; at < ROWS * DIM / 4; at += WARPS * 32) {
        int row = at / (DIM / 4), column = at % (DIM / 4) * 4;
        if (first + row >= p.queries) continue;
        float largest = LEAST, sum = 0.0f, total[4] = {};
#pragma unroll
        for (int i = 0; i < WARPS; i++) largest = fmaxf(largest, most[i * ROWS + row]);
        if (largest == LEAST) largest = 0.0f;
#pragma unroll
        for (int i = 0; i < WARPS; i++) {
            float factor = exp2f(most[i * ROWS + row] - largest);
            const float *from = all + (i * ROWS + row) * STEP + column;
            sum += factor * sums[i * ROWS + row];
#pragma unroll
            for (int j = 0; j < 4; j++) total[j] += factor * from[j];
        }
        // Sums that are no numbers make all of the row so.
#pragma unroll
        for (int j = 0; j < 4; j++) total[j] /= sum;
        store<4>(y + (first + row) * p.y_steps[2] + column, total);
    }
}

#define KERNEL(WARPS, FUNCTION) \
    extern "C" __global__ void __launch_bounds__(WARPS * 32) \
    made(const __grid_constant__ Attention p) { \
        FUNCTION(p); \
    }
