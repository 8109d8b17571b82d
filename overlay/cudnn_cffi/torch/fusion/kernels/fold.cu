// Folds norms into weights, and writes what is not there yet. One launch does all layers: each block
// does a range of the elements of one.
//
// Each target is dense, and read as [rows][middle][inner]. The source has any strides along these.
// A block hashes what it reads of the model, and folds only if the hash is not that of the last time.
// Comparing before writing leaves memory alone that another stream may be reading.
//
// Filters of 16 bits that a norm scales are rounded so that the errors of each add up to about
// nothing. Inputs are often of one sign, and alike at near pixels: errors of nearest numbers shift a
// whole image then. The error of a tap goes to the next one of the same input channel, and what is
// left in sum moves numbers by a share of their size before they are rounded. Sums are of integers,
// so that their order does not matter. `weights.py` does the same.

// Reads 16 bytes that the network does not read, so that its own weights stay in the cache.
#ifndef STREAM
#define STREAM(made, from) \
    asm volatile("ld.global.cs.v4.u32 {%0, %1, %2, %3}, [%4];" \
        : "=r"(made.x), "=r"(made.y), "=r"(made.z), "=r"(made.w) : "l"(from))
#endif

#ifndef THREADS
#define THREADS 256  // of a block
#endif

struct Item {
    const void *source, *bias, *mean, *variance, *gamma, *beta;
    void *target, *target_bias;
    double epsilon;
    long long source_row, source_middle, source_inner;
    int rows, middle, inner;
    int channels;  // output channels of all groups: numbers of the bias
    int group;  // rows of a group for transposed convolutions; 0 if a row is an output channel
    int source_type, target_type, bias_type, statistics_type, affine_type;
    int wide;  // whether the arithmetic is in double
    int vectors;  // whether 16 bytes of the target lie in one row and are aligned
    int aligned;  // whether 16 bytes of the source can be read at once, too
    int flat;  // whether what a block reads of the source is one piece of memory, and aligned
    int taps;  // of each input channel, where errors of a filter are to cancel; 0 elsewhere
    int tap_step;  // elements of the target from a tap to the next
    int begin, end;  // elements of the target
    int first, last;  // the rows that these are in
    u64 *mark;  // the hash of what these were folded from; 0 for nothing
};

const double MOST_SHARE = 1.0 / 256;
const int MOST_ROWS = 512, MOST_WARPS = 8, NUMBERS = 5;
const int STAGED = 8192;  // numbers of 16 bits that a block has in its own memory
const int AHEAD = 4;  // with more, fewer blocks run at once, as threads need more registers

// Another word, or another hash, always gives another hash.
__device__ u64 hashed(u64 hash, u64 word) {
    hash = hash * 0x9E3779B185EBCA87ull + word;
    return (hash << 31) | (hash >> 33);
}

// Notes where 16 bits are too few for what is folded; `weights.find_lossy` has half these limits.
const double MOST_BIAS = 64, MOST_HALF = 65504, LEAST = 1.0 / (1 << 17), LEAST_WEIGHT = 1.0 / 512;

__device__ double weight_of(const Item &item, int channel) {
    return item.gamma ? fabs(number_at(item.gamma, channel, item.affine_type)) : 1.0;
}

__device__ void fold_bias(const Item &item, int channel, double scale, int *lossy) {
    double value = offset_of(item, channel, scale);
    if (item.variance && item.target_type != DOUBLE && item.target_type != FLOAT) {
        double size = weight_of(item, channel);
        if (item.beta) size += fabs(number_at(item.beta, channel, item.affine_type));
        bool large = item.target_type == HALF && fabs(value) > MOST_HALF;
        if (large || fabs(value) > MOST_BIAS * size) *lossy = 1;
    }
    if (item.target_type == DOUBLE) {
        ((double *)item.target_bias)[channel] = value;
    } else if (item.target_type == FLOAT) {
        ((float *)item.target_bias)[channel] = (float)value;
    } else {
        ((u16 *)item.target_bias)[channel] = to_narrow((float)value, item.target_type);
    }
}

// An element of the target, not rounded to its type.
__device__ double product_of(const Item &item, int row, int rest, double scale) {
    int middle = rest / item.inner, inner = rest - middle * item.inner;
    double value = number_at(item.source,
        row * item.source_row + middle * item.source_middle + inner * item.source_inner,
        item.source_type);
    return item.wide ? value * scale : (double)((float)value * (float)scale);
}

// Elements one by one, of all types and strides.
__device__ void fold_each(const Item &item, const double *scales, int first) {
    int row_size = item.middle * item.inner;
    for (int at = item.begin + threadIdx.x; at < item.end; at += blockDim.x) {
        int row = at / row_size, rest = at - row * row_size;
        double scale = item.group
            ? scale_of(item, row / item.group * item.middle + rest / item.inner)
            : scales[row - first];
        double value = product_of(item, row, rest, scale);
        if (item.target_type == DOUBLE) {
            double *target = (double *)item.target + at;
            if (__double_as_longlong(*target) != __double_as_longlong(value)) *target = value;
        } else if (item.target_type == FLOAT) {
            float *target = (float *)item.target + at;
            if (__float_as_uint(*target) != __float_as_uint((float)value)) *target = (float)value;
        } else {
            u16 *target = (u16 *)item.target + at;
            u16 bits = to_narrow((float)value, item.target_type);
            if (*target != bits) *target = bits;
        }
    }
}

template <typename T> __device__ __forceinline__ bool is_finite(T value) { return value - value == 0; }

// The nearest whole number of one that is below 2^22 in size.
__device__ __forceinline__ int to_whole(float value) {
    return (int)(__float_as_uint(value + 12582912.0f) - 0x4B400000u);
}

// The sum, or the maximum, of what the threads of a team have.
template <bool MAXIMUM> __device__ long long combined(long long number, int lanes) {
    __shared__ long long parts[MOST_WARPS];
    for (int away = min(lanes, 32) / 2; away; away /= 2) {
        long long other = __shfl_xor_sync(0xffffffffu, number, away);
        number = MAXIMUM ? max(number, other) : number + other;
    }
    if (lanes <= 32) return number;
    int warp = threadIdx.x / 32, warps = lanes / 32, own = warp / warps * warps;
    __syncthreads();
    if (threadIdx.x % 32 == 0) parts[warp] = number;
    __syncthreads();
    number = parts[own];
    for (int i = own + 1; i < own + warps; i++)
        number = MAXIMUM ? max(number, parts[i]) : number + parts[i];
    return number;
}

// Where a block has rows of filters: as they are, of 16 bits, as products, or in the model.
enum Place { HALVES, PRODUCTS, MODEL };

__device__ __forceinline__ u16 *staged_halves() {
    __shared__ uint4 all[STAGED / 8];
    return (u16 *)all;
}

// A filter of a team of threads. Members are of the device by an option of the compiler.
template <int PLACE> struct Filter {
    const Item &item;
    int row, at, lane, lanes;  // at: where it begins
    double scale;

    __forceinline__ float exact(int rest) const {
        if (PLACE == HALVES)
            return to_float(staged_halves()[at + rest], item.source_type) * (float)scale;
        if (PLACE == PRODUCTS) return ((float *)staged_halves())[at + rest];
        return (float)product_of(item, row, rest, scale);
    }

    __forceinline__ void put(int rest, u16 bits) const {
        if (PLACE == HALVES) staged_halves()[at + rest] = bits;
        else if (PLACE == PRODUCTS) ((u32 *)staged_halves())[at + rest] = bits;
        else {
            u16 *target = (u16 *)item.target + (long long)row * item.middle * item.inner + rest;
            if (*target != bits) *target = bits;
        }
    }

    // Rounds what a thread has, moved by a share of its size. Returns the sum of its errors in
    // units, and adds up its size, of which one has 256; or writes it, for 0 units.
    __forceinline__ long long round(float share, float units, long long *size) const {
        int groups = item.middle * item.inner / item.taps;
        int step = item.tap_step == 1 ? item.taps : 1;
        long long error = 0;
        for (int group = lane; group < groups; group += lanes) {
            float carry = 0.0f;
#pragma unroll 4
            for (int tap = 0, rest = group * step; tap < item.taps; tap++, rest += item.tap_step) {
                float value = exact(rest);
                float moved = value - share * fabsf(value) + carry;
                u16 bits = to_narrow(value == 0.0f ? value : moved, item.target_type);
                float made = to_float(bits, item.target_type);
                if (!is_finite(made)) {
                    bits = to_narrow(value, item.target_type);
                    made = to_float(bits, item.target_type);
                }
                carry = moved - made;
                if (!is_finite(carry)) carry = 0.0f;
                if (!units) put(rest, bits);
                if (size && is_finite(value)) *size += to_whole(fabsf(value) * (units / 256.0f));
            }
            error -= to_whole(carry * units);
        }
        return error;
    }

    void round(bool is_there, int *lossy) const {
        int row_size = is_there ? item.middle * item.inner : 0;
        float most = 0.0f;
        for (int rest = lane; rest < row_size; rest += lanes) {
            float size = fabsf(exact(rest));
            if (is_finite(size) && size > most) most = size;
        }
        most = __uint_as_float((u32)combined<true>(__float_as_uint(most), lanes));
        if (item.target_type == HALF && is_there && lane == 0) {
            bool small = most > 0.0f && most < LEAST && weight_of(item, row) > LEAST_WEIGHT;
            if (small || most > MOST_HALF) *lossy = 1;
        }
        int least = item.target_type == HALF ? -14 : -90;  // below, errors have a size of their own
        int exponent = most > 0.0f ? max(ilogbf(most), least) : least;
        float units = scalbnf(1.0f, 28 - exponent);
        long long size = 0, error = is_there ? round(0.0f, units, &size) : 0;
        error = combined<false>(error, lanes), size = combined<false>(size, lanes);
        double part = (double)error / fmax(1.0, 256.0 * (double)size);
        float share = (float)fmax(-MOST_SHARE, fmin(MOST_SHARE, part));
        long long other = is_there ? round(share, units, nullptr) : 0;
        other = combined<false>(other, lanes) - llrint((double)share * 256.0 * (double)size);
        if (llabs(other) > llabs(error)) share = 0.0f;  // many are alike
        if (is_there) round(share, 0.0f, nullptr);
    }
};

// Reads rows as they are, one after the other in memory, into the order of the target.
__device__ void stage_halves(const Item &item, int row, int rows) {
    const int count = 8;
    int row_size = item.middle * item.inner, size = rows * row_size;
    const u16 *from = (const u16 *)item.source + (long long)row * row_size;
    u16 *to = staged_halves();
    bool turned = item.source_inner != 1;
    if (((u64)from & 15) == 0 && row_size % count == 0) {
        for (int at = threadIdx.x * count; at < size; at += blockDim.x * count) {
            uint4 all = *(const uint4 *)(from + at);
            if (!turned) {
                *(uint4 *)(to + at) = all;
                continue;
            }
            int begin = at / row_size * row_size, inner = (at - begin) / item.middle;
            int middle = at - begin - inner * item.middle;
            u32 words[4] = {all.x, all.y, all.z, all.w};
#pragma unroll
            for (int i = 0; i < count; i++) {
                to[begin + middle * item.inner + inner] = (u16)(words[i / 2] >> (i % 2 * 16));
                if (++middle == item.middle) middle = 0, inner++;
            }
        }
        return;
    }
    for (int at = threadIdx.x; at < size; at += blockDim.x) {
        int begin = at / row_size * row_size, rest = at - begin;
        if (turned) rest = rest % item.middle * item.inner + rest / item.middle;
        to[begin + rest] = from[at];
    }
}

__device__ void stage_products(const Item &item, const double *scales, int row, int rows) {
    int row_size = item.middle * item.inner;
    for (int at = threadIdx.x; at < rows * row_size; at += blockDim.x) {
        int own = at / row_size;
        ((float *)staged_halves())[at] =
            (float)product_of(item, row + own, at - own * row_size, scales[own]);
    }
}

// Writes rounded rows to the target.
template <int PLACE> __device__ void write_staged(const Item &item, int row, int rows) {
    const int count = 8;
    int row_size = item.middle * item.inner, size = rows * row_size;
    u16 *to = (u16 *)item.target + (long long)row * row_size;
    bool whole = PLACE == HALVES && ((u64)to & 15) == 0;
    int vectors = whole ? size / count : 0;
    for (int i = threadIdx.x; i < vectors; i += blockDim.x) {
        uint4 old = ((const uint4 *)to)[i], made = ((const uint4 *)staged_halves())[i];
        if (old.x != made.x || old.y != made.y || old.z != made.z || old.w != made.w)
            ((uint4 *)to)[i] = made;
    }
    for (int at = vectors * count + threadIdx.x; at < size; at += blockDim.x) {
        u16 bits = PLACE == HALVES ? staged_halves()[at] : (u16)((u32 *)staged_halves())[at];
        if (to[at] != bits) to[at] = bits;
    }
}

// A team of threads for each filter: as many as have a group of taps each, and eight numbers.
template <int PLACE>
__device__ void fold_filters(const Item &item, const double *scales, int *lossy) {
    int row_size = item.middle * item.inner, groups = row_size / item.taps, lanes = 1;
    int room = PLACE == HALVES ? STAGED : STAGED / 2;
    while (lanes < blockDim.x && ((lanes < groups && lanes * 8 < row_size) ||
           (PLACE != MODEL && blockDim.x / lanes * row_size > room))) lanes *= 2;
    int teams = blockDim.x / lanes, team = threadIdx.x / lanes;
    for (int begin = item.first; begin <= item.last; begin += teams) {
        int rows = min(teams, item.last + 1 - begin);
        if (PLACE == HALVES) stage_halves(item, begin, rows);
        if (PLACE == PRODUCTS) stage_products(item, scales + begin - item.first, begin, rows);
        __syncthreads();
        int row = min(begin + team, item.last);
        Filter<PLACE> own = {item, row, team * row_size, (int)threadIdx.x % lanes, lanes,
            scales[row - item.first]};
        own.round(team < rows, lossy);
        __syncthreads();
        if (PLACE != MODEL) write_staged<PLACE>(item, begin, rows);
        __syncthreads();
    }
}

union Vector {
    uint4 all;
    u32 words[4];
    u16 halves[8];
};

// 16 bytes of the target at once. SOURCE and TARGET are 16 or 32, for the bits of an element.
template <int SOURCE, int TARGET>
__device__ void fold_vectors(
    const Item &item, const double *scales, int first) {
    const int count = 128 / TARGET;
    int row_size = item.middle * item.inner;
    for (int at = item.begin + threadIdx.x * count; at < item.end; at += blockDim.x * count) {
        int row = at / row_size, rest = at - row * row_size;
        int middle = rest / item.inner, inner = rest - middle * item.inner;
        long long from =
            row * item.source_row + middle * item.source_middle + inner * item.source_inner;
        uint4 *target = (uint4 *)((char *)item.target + (long long)at * (TARGET / 8));
        uint4 old = *target;
        Vector given, made;
        if (SOURCE == TARGET && item.aligned) {
            given.all = *(const uint4 *)((const char *)item.source + from * (SOURCE / 8));
        }
        double scale = scales[row - first];
        float narrow = (float)scale;
#pragma unroll
        for (int i = 0; i < count; i++) {
            float value;
            long long place = from + i * item.source_inner;
            if (SOURCE == 16) {
                u16 bits = item.aligned ? given.halves[i] : ((const u16 *)item.source)[place];
                value = to_float(bits, item.source_type) * narrow;
            } else {
                value = SOURCE == TARGET && item.aligned
                    ? __uint_as_float(given.words[i]) : ((const float *)item.source)[place];
                value = (float)((double)value * scale);
            }
            if (TARGET == 16) made.halves[i] = to_narrow(value, item.target_type);
            else made.words[i] = __float_as_uint(value);
        }
        if (made.words[0] != old.x || made.words[1] != old.y || made.words[2] != old.z ||
            made.words[3] != old.w) {
            *target = made.all;
        }
    }
}

__device__ u64 bits_of(const void *from, long long at, int type) {
    if (type == DOUBLE) return ((const u64 *)from)[at];
    return type == FLOAT ? ((const u32 *)from)[at] : ((const u16 *)from)[at];
}

// Reads the numbers that a channel is folded with, beside the filters.
__device__ void numbers_of(const Item &item, int at, u64 *given) {
    if (item.bias) given[0] = bits_of(item.bias, at, item.bias_type);
    if (!item.variance) return;
    given[1] = bits_of(item.variance, at, item.statistics_type);
    given[2] = bits_of(item.mean, at, item.statistics_type);
    if (item.gamma) given[3] = bits_of(item.gamma, at, item.affine_type);
    if (item.beta) given[4] = bits_of(item.beta, at, item.affine_type);
}

// The hash of what one thread reads of the source, element by element.
__device__ u64 hash_each(const Item &item, u64 hash) {
    int row_size = item.middle * item.inner;
    for (int at = item.begin + threadIdx.x; at < item.end; at += blockDim.x) {
        int row = at / row_size, rest = at - row * row_size;
        int middle = rest / item.inner, inner = rest - middle * item.inner;
        hash = hashed(hash, bits_of(item.source,
            row * item.source_row + middle * item.source_middle + inner * item.source_inner,
            item.source_type));
    }
    return hash;
}

// The same where it is one piece of memory, in any order: 16 bytes at once.
__device__ u64 hash_flat(const Item &item, u64 hash) {
    int size = item.source_type == DOUBLE ? 8 : item.source_type == FLOAT ? 4 : 2;
    const char *source = (const char *)item.source + (long long)item.begin * size;
    int bytes = (item.end - item.begin) * size, count = bytes / 16;
    u64 other = ~hash;
    const uint4 *from = (const uint4 *)source + threadIdx.x;
    for (int left = count - threadIdx.x; left > 0; left -= THREADS * AHEAD) {
        uint4 all[AHEAD];
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            if (i * THREADS < left) STREAM(all[i], from + i * THREADS);
        }
        from += THREADS * AHEAD;
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            if (i * THREADS >= left) break;
            hash = hashed(hash, all[i].x | (u64)all[i].y << 32);
            other = hashed(other, all[i].z | (u64)all[i].w << 32);
        }
    }
    for (int at = count * 8 + threadIdx.x; at < bytes / 2; at += blockDim.x) {
        hash = hashed(hash, ((const u16 *)source)[at]);
    }
    return hashed(hash, other);
}

// The hash of all that a block reads of the model, for its first thread; never 0.
__device__ u64 hash_block(const Item &item) {
    __shared__ u64 sums[MOST_WARPS];
    int begin = item.group ? 0 : item.first, end = item.group ? item.channels : item.last + 1;
    u64 hash = threadIdx.x + 1, given[NUMBERS] = {};
    // These are on their way while the source is read.
    if (begin + threadIdx.x < end) numbers_of(item, begin + threadIdx.x, given);
    hash = item.flat ? hash_flat(item, hash) : hash_each(item, hash);
    for (int at = begin + threadIdx.x; at < end; at += blockDim.x) {
        if (at >= begin + blockDim.x) numbers_of(item, at, given);
#pragma unroll
        for (int i = 0; i < NUMBERS; i++) hash = hashed(hash, given[i]);
    }
    hash = (hash ^ (hash >> 33)) * 0xC2B2AE3D27D4EB4Full;
    hash ^= hash >> 29;
    if (blockDim.x > 1) {
        for (int lanes = 16; lanes; lanes /= 2) hash += __shfl_xor_sync(0xffffffffu, hash, lanes);
    }
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = hash;
    __syncthreads();
    hash = 0;
    if (threadIdx.x == 0) {
        for (int i = 0; i * 32 < blockDim.x; i++) hash += sums[i];
    }
    return hash ? hash : 1;
}

// `lossy` becomes 1 where a norm should not have been folded; the host reads it, so it is there.
extern "C" __global__ void fold(const Item *items, int *lossy) {
    __shared__ double scales[MOST_ROWS];
    __shared__ Item item;
    for (int i = threadIdx.x; i < sizeof(Item) / 8; i += blockDim.x) {
        ((long long *)&item)[i] = ((const long long *)(items + blockIdx.x))[i];
    }
    __syncthreads();
    __shared__ int is_folded;
    u64 mark = threadIdx.x ? 0 : *item.mark;
    u64 hash = hash_block(item);
    if (threadIdx.x == 0) is_folded = mark == hash;
    __syncthreads();
    if (is_folded) return;
    int row_size = item.middle * item.inner, first = item.first;
    if (!item.group) {
        for (int row = first + threadIdx.x; row <= item.last; row += blockDim.x) {
            double scale = scale_of(item, row);
            scales[row - first] = scale;
            if (item.target_bias && row * row_size >= item.begin)
                fold_bias(item, row, scale, lossy);
        }
    } else if (item.target_bias && !item.begin) {
        for (int at = threadIdx.x; at < item.channels; at += blockDim.x) {
            fold_bias(item, at, scale_of(item, at), lossy);
        }
    }
    __syncthreads();
    if (item.taps) {
        bool halves = item.flat && item.source_type != FLOAT && item.source_type != DOUBLE;
        if (row_size > (halves ? STAGED : STAGED / 2)) fold_filters<MODEL>(item, scales, lossy);
        else if (halves) fold_filters<HALVES>(item, scales, lossy);
        else fold_filters<PRODUCTS>(item, scales, lossy);
    } else if (!item.vectors) fold_each(item, scales, first);
    else if (item.source_type == FLOAT) {
        if (item.target_type == FLOAT) fold_vectors<32, 32>(item, scales, first);
        else fold_vectors<32, 16>(item, scales, first);
    } else fold_vectors<16, 16>(item, scales, first);
    // Another stream that sees the mark sees the weights.
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) *item.mark = hash;
}
