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
const int AHEAD = 4;  // with more, fewer blocks run at once, as threads need more registers

// Another word, or another hash, always gives another hash.
__device__ u64 hashed(u64 hash, u64 word) {
    hash = hash * 0x9E3779B185EBCA87ull + word;
    return (hash << 31) | (hash >> 33);
}

__device__ void fold_bias(const Item &item, int channel, double scale) {
    double value = offset_of(item, channel, scale);
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

__device__ bool is_finite(double value) { return value - value == 0.0; }

// Rounds what a thread has of a filter, moved by a share of its size. Returns the sum of its errors
// in units, of which one has `units`, and adds up its size; or writes it, for 0 units.
__device__ __forceinline__ long long round_part(const Item &item, int row, double scale,
    double share, double units, int lane, int lanes, long long *size) {
    int row_size = item.middle * item.inner, groups = row_size / item.taps;
    int step = item.tap_step == 1 ? item.taps : 1;
    long long error = 0;
    for (int group = lane; group < groups; group += lanes) {
        double carry = 0.0;
        for (int tap = 0; tap < item.taps; tap++) {
            int rest = group * step + tap * item.tap_step;
            float exact = (float)product_of(item, row, rest, scale);
            double moved = exact - share * fabs((double)exact) + carry;
            u16 bits = to_narrow(exact == 0.0f ? exact : (float)moved, item.target_type);
            double made = to_float(bits, item.target_type);
            if (!is_finite(made)) {
                bits = to_narrow(exact, item.target_type);
                made = to_float(bits, item.target_type);
            }
            carry = is_finite(moved - made) ? moved - made : 0.0;
            u16 *target = (u16 *)item.target + (long long)row * row_size + rest;
            if (!units && *target != bits) *target = bits;
            if (size && is_finite(exact)) *size += llrint(fabs((double)exact) * units);
        }
        error -= llrint(carry * units);
    }
    return error;
}

__device__ long long summed(long long number, int lanes) {
    for (int away = lanes / 2; away; away /= 2)
        number += __shfl_xor_sync(0xffffffffu, number, away);
    return number;
}

// A warp for each filter.
__device__ void fold_filters(const Item &item, const double *scales, int first) {
    int lanes = blockDim.x > 1 ? 32 : 1, lane = threadIdx.x % lanes;
    int row_size = item.middle * item.inner;
    for (int row = first + threadIdx.x / lanes; row <= item.last; row += blockDim.x / lanes) {
        double scale = scales[row - first];
        float most = 0.0f;
        for (int rest = lane; rest < row_size; rest += lanes) {
            float size = fabsf((float)product_of(item, row, rest, scale));
            if (is_finite(size) && size > most) most = size;
        }
        for (int away = lanes / 2; away; away /= 2)
            most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, away));
        double units = scalbn(1.0, most > 0.0f ? 40 - ilogbf(most) : 0);
        long long size = 0;
        long long error = round_part(item, row, scale, 0.0, units, lane, lanes, &size);
        error = summed(error, lanes), size = summed(size, lanes);
        double share = size ? (double)error / (double)size : 0.0;
        share = fmax(-MOST_SHARE, fmin(MOST_SHARE, share));
        long long other = round_part(item, row, scale, share, units, lane, lanes, nullptr);
        other = summed(other, lanes);
        other -= llrint(share * (double)size);
        if (llabs(other) > llabs(error)) share = 0.0;  // many are alike
        round_part(item, row, scale, share, 0.0, lane, lanes, nullptr);
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

extern "C" __global__ void fold(const Item *items) {
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
            if (item.target_bias && row * row_size >= item.begin) fold_bias(item, row, scale);
        }
    } else if (item.target_bias && !item.begin) {
        for (int at = threadIdx.x; at < item.channels; at += blockDim.x) {
            fold_bias(item, at, scale_of(item, at));
        }
    }
    __syncthreads();
    if (item.taps) fold_filters(item, scales, first);
    else if (!item.vectors) fold_each(item, scales, first);
    else if (item.source_type == FLOAT) {
        if (item.target_type == FLOAT) fold_vectors<32, 32>(item, scales, first);
        else fold_vectors<32, 16>(item, scales, first);
    } else fold_vectors<16, 16>(item, scales, first);
    // Another stream that sees the mark sees the weights.
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) *item.mark = hash;
}
