// Batch norm in training, with an activation and an addition, and its gradients: rows of channels.
//
// A block has COLUMNS vectors of channels, a tile, and a piece of the rows; blocks are (pieces, tiles).
// Each direction is two kernels: one reduces over rows, and the last block of a tile combines what
// all of its blocks found; the other reads the rows again from the end, where caches still have them.
// Its blocks are there before the first one ends, and wait for it.

// With LAYERS it is layer norm, of each row: the mean and the variance are those of a row.

#ifndef TICKET
#define TICKET(at) atomicAdd(at, 1u)
#define READ_PART(at) __ldcg(at)  // what another block wrote
#define READ_ROW(row, at) *(uint4 *)&(row) = __ldg((const uint4 *)(at))  // which stores do not delay
#define BOUNDS __launch_bounds__(THREADS, 2)
#endif

const int VECTOR = 8, THREADS = 256, LANES = THREADS / COLUMNS, TILE = COLUMNS * VECTOR;
const int PARTS = THREADS / TILE;  // lanes that combine the pieces of a tile

// With a residual, bits say where a ReLU passes gradients; else that follows from x.
#define MASKS (ADDS && ACTIVATION == RELU)
#define RECOMPUTES (!ADDS && ACTIVATION != NONE)

struct All {
    const u16 *x, *dy, *residual;
    const float *weight, *bias;                 // may be null: ones and zeros
    float *mean, *inverse;                      // of the batch, or of rows
    float *running_mean, *running_variance;     // may be null
    float *dweight, *dbias;
    float2 *parts;                              // (pieces, channels)
    u32 *tickets;                               // of tiles; zeros before and after each kernel
    u16 *y, *dx, *dresidual;                    // dresidual may be null
    unsigned char *mask;                        // (rows, channels / 8): bits of what passes
    long long rows;
    int channels, pieces;
    float epsilon, momentum, number;
};

typedef Numbers<VECTOR> Row;

__device__ __forceinline__ long long least(long long a, long long b) { return a < b ? a : b; }

__device__ __forceinline__ long long length_of(const All &all) {
    return (all.rows + gridDim.x - 1) / gridDim.x;
}

// The rows of a piece, of those that a lane has: first, first + LANES, ... of WIDTH vectors each.
template <int WIDTH> struct Piece {
    static const int LANES = THREADS / WIDTH;
    long long begin, end;
    int lane, channel;

    __device__ __forceinline__ Piece(const All &all, int own) {
        const long long length = length_of(all);
        begin = least(all.rows, blockIdx.x * length), end = least(all.rows, begin + length);
        lane = own / WIDTH, channel = (blockIdx.y * WIDTH + own % WIDTH) * VECTOR;
    }
    __device__ __forceinline__ bool is_empty(const All &all) const {
        return channel >= all.channels || begin + lane >= end;
    }
    // The number of the lane's rows.
    __device__ __forceinline__ int count() const { return (int)((end - 1 - begin - lane) / LANES) + 1; }

    // Has a lane do its rows, of which it reads COUNT before it uses them: read(i, row), use(i, row).
    template <int COUNT, typename Read, typename Use>
    __device__ __forceinline__ void each(bool from_end, Read read, Use use) const {
        const int rows = count();
        const long long first = begin + lane + (from_end ? (long long)(rows - 1) * LANES : 0);
        const int step = from_end ? -LANES : LANES;
        for (int turn = 0; turn < rows; turn += COUNT) {
#pragma unroll
            for (int i = 0; i < COUNT; i++) {
                if (turn + i < rows) read(i, first + (long long)(turn + i) * step);
            }
#pragma unroll
            for (int i = 0; i < COUNT; i++) {
                if (turn + i < rows) use(i, first + (long long)(turn + i) * step);
            }
        }
    }
};

struct __align__(16) Floats {
    float each[VECTOR];
};

// The numbers of a vector's channels; 16 bytes are read at once where they can be.
__device__ __forceinline__ void read(float *to, const float *from, int channel, float other) {
    if (from && (u64)from % 16 == 0) {
        const Floats found = *(const Floats *)(from + channel);
#pragma unroll
        for (int i = 0; i < VECTOR; i++) to[i] = found.each[i];
        return;
    }
#pragma unroll
    for (int i = 0; i < VECTOR; i++) to[i] = from ? from[channel + i] : other;
}

// Return whether this is the last block of its tile, whose blocks have written their parts.
__device__ __forceinline__ bool is_last(const All &all) {
    __shared__ bool last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        last = TICKET(all.tickets + blockIdx.y) == (u32)all.pieces - 1;
        if (last) all.tickets[blockIdx.y] = 0;
    }
    __syncthreads();
    __threadfence();
    return last;
}

const int BATCH = 24;

// Parts of a channel, of each piece of a lane; zeros after the last one. All are on their way at once.
__device__ __forceinline__ void read_parts(float2 *to, const All &all, int begin, int channel) {
    const float2 *from = all.parts + (long long)begin * all.channels + channel;
    const int step = PARTS * all.channels;
#pragma unroll
    for (int i = 0; i < BATCH; i++) {
        to[i] = make_float2(0.0f, 0.0f);
        if (begin + PARTS * i < all.pieces) to[i] = READ_PART(from + i * step);
    }
}

__device__ __forceinline__ float median(float a, float b, float c) {
    return fmaxf(fminf(a, b), fminf(fmaxf(a, b), c));
}

// The median of the means of three pieces, which is near to the mean if one of them is far away.
__device__ __forceinline__ float typical(const All &all, int channel, long long length) {
    const long long last = (all.rows - 1) / length;
    const float a = READ_PART(all.parts + channel).x;
    const float b = READ_PART(all.parts + last / 2 * all.channels + channel).x;
    return median(a, b, READ_PART(all.parts + last * all.channels + channel).x);
}

typedef float Shared[LANES][TILE];

// Sum what lanes found, eight at a time.
__device__ __forceinline__ void sum_lanes(Shared &first, Shared &second, int lanes) {
    for (int rest; lanes > 1; lanes = rest) {
        rest = lanes > 8 ? lanes / 8 : 1;
        __syncthreads();
        for (int own = threadIdx.x; own < rest * TILE; own += blockDim.x) {
            const int channel = own % TILE;
            float one = 0.0f, other = 0.0f;
#pragma unroll
            for (int i = 0; i < 8; i++) {
                const int lane = own / TILE + i * rest;
                if (lane < lanes) one += first[lane][channel], other += second[lane][channel];
            }
            first[own / TILE][channel] = one, second[own / TILE][channel] = other;
        }
    }
    __syncthreads();
}

// Write what a block found of each channel of its tile.
__device__ __forceinline__ void write_parts(
    const All &all, const Shared &first, const Shared &second) {
    for (int own = threadIdx.x; own < TILE; own += blockDim.x) {
        int channel = blockIdx.y * TILE + own;
        if (channel >= all.channels) continue;
        all.parts[(long long)blockIdx.x * all.channels + channel] =
            make_float2(first[0][own], second[0][own]);
    }
}

// Means and variances of channels. Sums are of differences from the median of three rows of a piece,
// which cancel nothing, also where one number is far from all others.
extern "C" __global__ void BOUNDS statistics(const All all) {
    let_next_begin();
    __shared__ Shared means, squares;
    __shared__ float shifts[TILE], running_mean[TILE], running_variance[TILE];
    for (int own = threadIdx.x; own < THREADS; own += blockDim.x) {
        const Piece<COLUMNS> piece(all, own);
        float shift[VECTOR] = {}, sum[VECTOR] = {}, square[VECTOR] = {};
        if (!piece.is_empty(all)) {
            const u16 *x = all.x + piece.channel;
            Row row[8], one, two, three;
            READ_ROW(one, x + piece.begin * all.channels);
            READ_ROW(two, x + (piece.begin + piece.end) / 2 * all.channels);
            READ_ROW(three, x + (piece.end - 1) * all.channels);
#pragma unroll
            for (int i = 0; i < VECTOR; i++) {
                shift[i] = median(wide(one.each[i]), wide(two.each[i]), wide(three.each[i]));
            }
            piece.each<8>(false, [&](int k, long long at) {
                READ_ROW(row[k], x + at * all.channels);
            }, [&](int k, long long) {
#pragma unroll
                for (int i = 0; i < VECTOR; i++) {
                    float apart = wide(row[k].each[i]) - shift[i];
                    sum[i] += apart, square[i] = fmaf(apart, apart, square[i]);
                }
            });
        }
#pragma unroll
        for (int i = 0; i < VECTOR; i++) {
            const int place = own % COLUMNS * VECTOR + i;
            means[piece.lane][place] = sum[i], squares[piece.lane][place] = square[i];
            if (piece.lane == 0) shifts[place] = shift[i];
        }
    }
    const long long length = length_of(all), begin = least(all.rows, blockIdx.x * length);
    const float rows = (float)(least(all.rows, begin + length) - begin);
    sum_lanes(means, squares, LANES);
    for (int own = threadIdx.x; own < TILE; own += blockDim.x) {
        const float sum = means[0][own], mean = rows == 0.0f ? 0.0f : sum / rows;
        const float rest = squares[0][own] - sum * mean;
        means[0][own] = shifts[own] + mean, squares[0][own] = rest < 0.0f ? 0.0f : rest;
    }
    __syncthreads();
    write_parts(all, means, squares);
    if (!is_last(all)) return;
    for (int own = threadIdx.x; own < PARTS * TILE; own += blockDim.x) {
        int lane = own / TILE, channel = blockIdx.y * TILE + own % TILE;
        float sum = 0.0f, square = 0.0f;
        if (channel < all.channels) {
            const float first = typical(all, channel, length);
            const int whole = (int)(all.rows / length);
            const float last = (float)(all.rows - whole * length);
            if (lane == 0) shifts[own] = first;
            if (lane == 1 && all.running_mean) {
                running_mean[own % TILE] = all.running_mean[channel];
                running_variance[own % TILE] = all.running_variance[channel];
            }
            for (int begin = lane; begin < all.pieces; begin += PARTS * BATCH) {
                float2 parts[BATCH];
                read_parts(parts, all, begin, channel);
#pragma unroll
                for (int i = 0; i < BATCH; i++) {
                    const int at = begin + PARTS * i;
                    const float count = at < whole ? (float)length : at == whole ? last : 0.0f;
                    const float apart = count == 0.0f ? 0.0f : parts[i].x - first;
                    sum += count * apart, square += parts[i].y + count * apart * apart;
                }
            }
        }
        means[lane][own % TILE] = sum, squares[lane][own % TILE] = square;
    }
    sum_lanes(means, squares, PARTS);
    for (int own = threadIdx.x; own < TILE; own += blockDim.x) {
        int channel = blockIdx.y * TILE + own;
        if (channel >= all.channels) continue;
        float count = (float)all.rows, apart = means[0][own] / count;
        float square = squares[0][own] - means[0][own] * apart;
        float mean = shifts[own] + apart;
        square = square < 0.0f ? 0.0f : square;
        all.mean[channel] = mean;
        all.inverse[channel] = 1.0f / sqrtf(square / count + all.epsilon);
        if (!all.running_mean) continue;
        all.running_mean[channel] = (1.0f - all.momentum) * running_mean[own] + all.momentum * mean;
        all.running_variance[channel] =
            (1.0f - all.momentum) * running_variance[own] + all.momentum * (square / (count - 1.0f));
    }
}

// Whether a ReLU of the number as it is stored passes its gradient.
__device__ __forceinline__ bool passes(float value) {
    return !((TYPE == 0 ? wide(narrow(value)) : value) <= 0.0f);
}

// The gradient for the argument of the activation; that of its result, 0 or not, may be infinite.
__device__ __forceinline__ float passed(float d, float x, float number) {
    switch (ACTIVATION) {
    case RELU: return passes(x) ? d : 0.0f;
    case CLIPPED_RELU: return x <= 0.0f || x >= number ? 0.0f : d;
    case SWISH: {
        float s = DIVIDE(1.0f, 1.0f + EXPONENTIAL(-x));
        return d * s * (1.0f + x * (1.0f - s));
    }
    case HARD_SWISH: return x <= -3.0f ? 0.0f : x < 3.0f ? d * (x * (1.0f / 3.0f) + 0.5f) : d;
    default: return d;
    }
}

// The numbers of a thread's channels.
struct Channels {
    float mean[VECTOR], factor[VECTOR], offset[VECTOR];

    __device__ __forceinline__ Channels(const All &all, int channel) {
        if (LAYERS) return;
        read(mean, all.mean, channel, 0.0f);
        read(factor, all.inverse, channel, 0.0f);
        read(offset, all.weight, channel, 1.0f);
#pragma unroll
        for (int i = 0; i < VECTOR; i++) factor[i] *= offset[i];
        read(offset, all.bias, channel, 0.0f);
    }
    // The result of the norm alone, which a gradient computes again bit by bit.
    __device__ __forceinline__ float normalized(int i, float x) const {
        return fmaf(x - mean[i], factor[i], offset[i]);
    }
    // The gradient for that result.
    __device__ __forceinline__ float inner(const All &all, int i, float d, float x, u32 bits) const {
        if (MASKS) return bits >> i & 1 ? d : 0.0f;
        return RECOMPUTES ? passed(d, normalized(i, x), all.number) : d;
    }
};

// y = activation(norm(x) + residual).
extern "C" __global__ void BOUNDS normalize(const All all) {
    wait_for_kernel();
    for (int own = threadIdx.x; own < THREADS; own += blockDim.x) {
        const Piece<WIDE> piece(all, own);
        if (piece.is_empty(all)) continue;
        const Channels known(all, piece.channel);
        const int several = ADDS ? 4 : 8;
        Row x[several], added[several];
        piece.each<several>(true, [&](int k, long long at) {
            const long long place = at * all.channels + piece.channel;
            READ_ROW(x[k], all.x + place);
            if (ADDS) READ_ROW(added[k], all.residual + place);
        }, [&](int k, long long at) {
            const long long place = at * all.channels + piece.channel;
            float y[VECTOR];
            u32 bits = 0;
#pragma unroll
            for (int i = 0; i < VECTOR; i++) {
                float value = known.normalized(i, wide(x[k].each[i]));
                if (ADDS) value += wide(added[k].each[i]);
                if (MASKS) bits |= (u32)passes(value) << i;
                y[i] = activated(value, all.number);
            }
            store<VECTOR>(all.y + place, y);
            if (MASKS) all.mask[place / VECTOR] = (unsigned char)bits;
        });
    }
}

// Sums of gradients over rows, and of their products with x: the gradients of bias and weight.
extern "C" __global__ void BOUNDS sums(const All all) {
    let_next_begin();
    __shared__ Shared firsts, seconds;
    for (int own = threadIdx.x; own < THREADS; own += blockDim.x) {
        const Piece<COLUMNS> piece(all, own);
        float first[VECTOR] = {}, second[VECTOR] = {};
        if (!piece.is_empty(all)) {
            const Channels known(all, piece.channel);
            Row x[4], dy[4];
            u32 bits[4];
            float mean[4], inverse[4];
            piece.each<4>(false, [&](int k, long long at) {
                const long long place = at * all.channels + piece.channel;
                READ_ROW(x[k], all.x + place);
                READ_ROW(dy[k], all.dy + place);
                bits[k] = MASKS ? all.mask[place / VECTOR] : 0;
                mean[k] = LAYERS ? all.mean[at] : 0.0f, inverse[k] = LAYERS ? all.inverse[at] : 1.0f;
            }, [&](int k, long long) {
#pragma unroll
                for (int i = 0; i < VECTOR; i++) {
                    float value = wide(x[k].each[i]);
                    float d = known.inner(all, i, wide(dy[k].each[i]), value, bits[k]);
                    float apart = LAYERS ? (value - mean[k]) * inverse[k] : value - known.mean[i];
                    first[i] += d, second[i] = fmaf(d, apart, second[i]);
                }
            });
        }
#pragma unroll
        for (int i = 0; i < VECTOR; i++) {
            firsts[piece.lane][own % COLUMNS * VECTOR + i] = first[i];
            seconds[piece.lane][own % COLUMNS * VECTOR + i] = second[i];
        }
    }
    sum_lanes(firsts, seconds, LANES);
    write_parts(all, firsts, seconds);
    if (!is_last(all)) return;
    for (int own = threadIdx.x; own < PARTS * TILE; own += blockDim.x) {
        int lane = own / TILE, channel = blockIdx.y * TILE + own % TILE;
        float first = 0.0f, second = 0.0f;
        if (channel < all.channels) {
            for (int begin = lane; begin < all.pieces; begin += PARTS * BATCH) {
                float2 parts[BATCH];
                read_parts(parts, all, begin, channel);
#pragma unroll
                for (int i = 0; i < BATCH; i++) first += parts[i].x, second += parts[i].y;
            }
        }
        firsts[lane][own % TILE] = first, seconds[lane][own % TILE] = second;
    }
    sum_lanes(firsts, seconds, PARTS);
    for (int own = threadIdx.x; own < TILE; own += blockDim.x) {
        int channel = blockIdx.y * TILE + own;
        if (channel >= all.channels) continue;
        all.dbias[channel] = firsts[0][own];
        all.dweight[channel] = seconds[0][own] * (LAYERS ? 1.0f : all.inverse[channel]);
    }
}

// The gradients of x and of the residual.
extern "C" __global__ void BOUNDS gradient(const All all) {
    wait_for_kernel();
    for (int own = threadIdx.x; own < THREADS; own += blockDim.x) {
        const Piece<WIDE> piece(all, own);
        if (piece.is_empty(all)) continue;
        const Channels known(all, piece.channel);
        const float part = 1.0f / (float)all.rows;
        float first[VECTOR], second[VECTOR], weight[VECTOR];
        read(second, all.inverse, piece.channel, 0.0f);
        read(weight, all.dweight, piece.channel, 0.0f);
        read(first, all.dbias, piece.channel, 0.0f);
#pragma unroll
        for (int i = 0; i < VECTOR; i++) {
            second[i] *= weight[i] * part, first[i] *= part;
        }
        Row x[4], dy[4];
        u32 bits[4];
        piece.each<4>(true, [&](int k, long long at) {
            const long long place = at * all.channels + piece.channel;
            READ_ROW(x[k], all.x + place);
            READ_ROW(dy[k], all.dy + place);
            bits[k] = MASKS ? all.mask[place / VECTOR] : 0;
        }, [&](int k, long long at) {
            const long long place = at * all.channels + piece.channel;
            float dx[VECTOR];
#pragma unroll
            for (int i = 0; i < VECTOR; i++) {
                float value = wide(x[k].each[i]);
                float d = known.inner(all, i, wide(dy[k].each[i]), value, bits[k]);
                if (MASKS && !(bits[k] >> i & 1)) dy[k].each[i] = 0;
                float apart = value - known.mean[i];
                dx[i] = known.factor[i] * (d - first[i] - apart * second[i]);
            }
            store<VECTOR>(all.dx + place, dx);
            if (MASKS && all.dresidual) *(Row *)(all.dresidual + place) = dy[k];
        });
    }
}

#if LAYERS
// A warp has a row, of which each lane reads vectors; in a block of fewer threads, a thread has it.
struct Turn {
    int lanes, lane;
    long long first, step;

    __device__ __forceinline__ Turn() {
        lanes = blockDim.x < 32 ? 1 : 32, lane = threadIdx.x % lanes;
        const int rows = blockDim.x / lanes;
        first = (long long)blockIdx.x * rows + threadIdx.x / lanes, step = (long long)gridDim.x * rows;
    }
    __device__ __forceinline__ float total(float sum) const {
        if (lanes == 1) return sum;
#pragma unroll
        for (int other = 16; other; other /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, other);
        return sum;
    }
};

// y = norm(x) of each row.
extern "C" __global__ void BOUNDS normalize_rows(const All all) {
    const Turn turn;
    const float count = (float)all.channels;
    for (long long at = turn.first; at < all.rows; at += turn.step) {
        const u16 *from = all.x + at * all.channels;
        float sum = 0.0f, square = 0.0f;
        Row x, y;
        for (int channel = turn.lane * VECTOR; channel < all.channels; channel += turn.lanes * VECTOR) {
            READ_ROW(x, from + channel);
#pragma unroll
            for (int i = 0; i < VECTOR; i++) sum += wide(x.each[i]);
        }
        const float mean = turn.total(sum) / count;
        for (int channel = turn.lane * VECTOR; channel < all.channels; channel += turn.lanes * VECTOR) {
            READ_ROW(x, from + channel);
#pragma unroll
            for (int i = 0; i < VECTOR; i++) {
                float apart = wide(x.each[i]) - mean;
                square = fmaf(apart, apart, square);
            }
        }
        const float inverse = 1.0f / sqrtf(turn.total(square) / count + all.epsilon);
        for (int channel = turn.lane * VECTOR; channel < all.channels; channel += turn.lanes * VECTOR) {
            float factor[VECTOR], offset[VECTOR];
            read(factor, all.weight, channel, 1.0f);
            read(offset, all.bias, channel, 0.0f);
            READ_ROW(x, from + channel);
#pragma unroll
            for (int i = 0; i < VECTOR; i++) {
                y.each[i] = narrow(fmaf((wide(x.each[i]) - mean) * inverse, factor[i], offset[i]));
            }
            *(Row *)(all.y + at * all.channels + channel) = y;
        }
        if (turn.lane == 0) all.mean[at] = mean, all.inverse[at] = inverse;
    }
}

// The gradient of x of each row.
extern "C" __global__ void BOUNDS gradient_rows(const All all) {
    const Turn turn;
    const float count = (float)all.channels;
    for (long long at = turn.first; at < all.rows; at += turn.step) {
        const long long begin = at * all.channels;
        const float mean = all.mean[at], inverse = all.inverse[at];
        float first = 0.0f, second = 0.0f, factor[VECTOR];
        Row x, dy;
        for (int channel = turn.lane * VECTOR; channel < all.channels; channel += turn.lanes * VECTOR) {
            read(factor, all.weight, channel, 1.0f);
            READ_ROW(x, all.x + begin + channel);
            READ_ROW(dy, all.dy + begin + channel);
#pragma unroll
            for (int i = 0; i < VECTOR; i++) {
                float d = wide(dy.each[i]) * factor[i];
                first += d, second = fmaf(d, (wide(x.each[i]) - mean) * inverse, second);
            }
        }
        first = turn.total(first) / count, second = turn.total(second) / count;
        for (int channel = turn.lane * VECTOR; channel < all.channels; channel += turn.lanes * VECTOR) {
            read(factor, all.weight, channel, 1.0f);
            READ_ROW(x, all.x + begin + channel);
            READ_ROW(dy, all.dy + begin + channel);
#pragma unroll
            for (int i = 0; i < VECTOR; i++) {
                float d = wide(dy.each[i]) * factor[i] - first;
                x.each[i] = narrow(inverse * (d - (wide(x.each[i]) - mean) * inverse * second));
            }
            *(Row *)(all.dx + begin + channel) = x;
        }
    }
}
#endif
