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
#ifndef WIDE
#define WIDE 0  // whether filters that are kept in registers are of float in the model
#endif

struct Item {
    const void *source, *bias, *mean, *variance, *gamma, *beta;
    void *target, *target_bias;
    u32 *largest;  // of each range and channel, as bits; 0 where nothing asks for it
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
    int ranges;  // of the layer
    int range;  // which of them this is
    int begin, end;  // elements of the target
    int first, last;  // the rows that these are in
    u64 *mark;  // the hash of what these were folded from; 0 for nothing
};

const float MOST_SHARE = 1.0f / 256;
const int MOST_ROWS = 512, MOST_WARPS = 8, NUMBERS = 5;
const int STAGED = 4608;  // numbers that a block has in its own memory
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

__device__ __forceinline__ bool is_finite(float value) {
    return fabsf(value) < __uint_as_float(0x7f800000);
}

// Notes a filter whose numbers are too large or too small for float16.
__device__ void look_at_filter(const Item &item, int row, float most, int *lossy) {
    if (item.target_type != HALF) return;
    bool small = most > 0.0f && most < LEAST && weight_of(item, row) > LEAST_WEIGHT;
    if (small || most > MOST_HALF) *lossy = 1;
}

// Rows of filters that a block has: products, then bits. Or the largest number of each channel.
__device__ __forceinline__ float *staged() {
    __shared__ float all[STAGED];
    return all;
}

// Looks at filters of transposed convolutions, which are in the ranges of several blocks: the last
// one that writes sees what all have. Infinity stands for what is not known yet.
__device__ void look_at_channels(const Item &item, int *lossy) {
    volatile u32 *all = item.largest;
    for (int channel = threadIdx.x; channel < item.channels; channel += blockDim.x) {
        u32 most = ((u32 *)staged())[channel];
        all[item.range * item.channels + channel] = most;
        __threadfence();
        for (int i = 0; i < item.ranges; i++) {
            u32 other = all[i * item.channels + channel];
            most = max(most, other);
        }
        if (is_finite(__uint_as_float(most))) {
            look_at_filter(item, channel, __uint_as_float(most), lossy);
        }
    }
}

// Elements one by one, of all types and strides.
__device__ void fold_each(const Item &item, const double *scales, int first) {
    int row_size = item.middle * item.inner;
    for (int at = item.begin + threadIdx.x; at < item.end; at += blockDim.x) {
        int row = at / row_size, rest = at - row * row_size;
        int channel = item.group ? row / item.group * item.middle + rest / item.inner : 0;
        double scale = item.group ? scale_of(item, channel) : scales[row - first];
        double value = product_of(item, row, rest, scale);
        if (item.largest && is_finite((float)value)) {
            atomicMax((u32 *)staged() + channel, __float_as_uint(fabsf((float)value)));
        }
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

// The nearest whole number of one that is below 2^22 in size.
__device__ __forceinline__ int to_whole(float value) {
    return (int)(__float_as_uint(value + 12582912.0f) - 0x4B400000u);
}

// The sum, or the maximum, of what the threads of a team have. Calls one after the other are for
// other places.
template <bool MAXIMUM, typename T> __device__ T combined(T number, int lanes, int place) {
    __shared__ T all[3][MOST_WARPS];
    T *parts = all[place];
    for (int away = min(lanes, 32) / 2; away; away /= 2) {
        T other = __shfl_xor_sync(0xffffffffu, number, away);
        number = MAXIMUM ? max(number, other) : number + other;
    }
    if (lanes <= 32) return number;
    int warp = threadIdx.x / 32, warps = lanes / 32;
    if (threadIdx.x % 32 == 0) parts[warp] = number;
    __syncthreads();
    number = parts[(warp & -warps) + (threadIdx.x & (warps - 1))];
    for (int away = warps / 2; away; away /= 2) {
        T other = __shfl_xor_sync(0xffffffffu, number, away);
        number = MAXIMUM ? max(number, other) : number + other;
    }
    return number;
}

// Return the units of a filter, by its largest number.
__device__ float units_of(float most, int type) {
    int least = type == HALF ? -14 : -90;  // below, errors have a size of their own
    int exponent = max((int)(__float_as_uint(most) >> 23) - 127, least);
    return __uint_as_float((u32)(127 + 26 - exponent) << 23);
}

// By which share of their size numbers are moved, so that their errors add up to nothing.
template <typename T> __device__ float share_of(T error, T size) {
    float part = (float)error / fmaxf(1.0f, 256.0f * (float)size);
    return fmaxf(-MOST_SHARE, fminf(MOST_SHARE, part));
}

__device__ __forceinline__ long long moved_by(float share, long long size) {
    return llrint((double)share * (256.0 * (double)size));
}

// Rounds a number that was moved, or the number itself where that has no finite neighbor.
__device__ __forceinline__ u16 rounded(float value, float share, float *carry, int type) {
    float moved = value - share * fabsf(value) + *carry;
    u16 bits = to_narrow(value == 0.0f ? value : moved, type);
    float made = to_float(bits, type);
    if (!is_finite(made)) {
        bits = to_narrow(value, type);
        made = to_float(bits, type);
    }
    float left = moved - made;
    *carry = is_finite(left) ? left : 0.0f;
    return bits;
}

// A filter of a team of threads: staged, or in the model. Members are of the device by an option of
// the compiler.
template <bool IS_STAGED> struct Filter {
    const Item &item;
    int row, at, lane, lanes;  // at: where it begins
    double scale;

    __forceinline__ float exact(int rest) const {
        return IS_STAGED ? staged()[at + rest] : (float)product_of(item, row, rest, scale);
    }

    __forceinline__ void put(int rest, u16 bits) const {
        if (IS_STAGED) ((u32 *)staged())[at + rest] = bits;
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
            for (int tap = 0, rest = group * step; tap < item.taps; tap++, rest += item.tap_step) {
                float value = exact(rest);
                u16 bits = rounded(value, share, &carry, item.target_type);
                if (!units) put(rest, bits);
                else if (is_finite(value)) *size += to_whole(fabsf(value) * (units / 256.0f));
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
        most = __uint_as_float(combined<true>(__float_as_uint(most), lanes, 0));
        if (is_there && lane == 0) look_at_filter(item, row, most, lossy);
        float share = 0.0f, units = units_of(most, item.target_type);
        long long before = 0, total = 0;
#pragma unroll 1
        for (int pass = 0; pass < 3; pass++) {
            long long size = 0, error = 0;
            if (is_there) error = round(share, pass < 2 ? units : 0.0f, &size);
            if (pass == 2) break;
            error = combined<false>(error, lanes, pass);
            if (pass == 0) {
                total = combined<false>(size, lanes, 2);
                before = error, share = share_of(error, total);
            } else if (llabs(error - moved_by(share, total)) > llabs(before)) {
                share = 0.0f;  // many are alike
            }
        }
    }
};

__device__ void stage(const Item &item, const double *scales, int row, int rows) {
    int row_size = item.middle * item.inner;
    for (int at = threadIdx.x; at < rows * row_size; at += blockDim.x) {
        int own = at / row_size;
        staged()[at] = (float)product_of(item, row + own, at - own * row_size, scales[own]);
    }
}

// Writes rounded rows to the target.
__device__ void write_staged(const Item &item, int row, int rows) {
    int row_size = item.middle * item.inner;
    u16 *to = (u16 *)item.target + (long long)row * row_size;
    for (int at = threadIdx.x; at < rows * row_size; at += blockDim.x) {
        u16 bits = (u16)((u32 *)staged())[at];
        if (to[at] != bits) to[at] = bits;
    }
}

// A team of threads for each filter: as many as have a group of taps each, and eight numbers.
template <bool IS_STAGED>
__device__ void fold_filters(const Item &item, const double *scales, int *lossy) {
    int row_size = item.middle * item.inner, groups = row_size / item.taps, lanes = 1;
    while (lanes < blockDim.x && ((lanes < groups && lanes * 8 < row_size) ||
           (IS_STAGED && blockDim.x / lanes * row_size > STAGED))) lanes *= 2;
    int teams = blockDim.x / lanes, team = threadIdx.x / lanes;
    for (int begin = item.first; begin <= item.last; begin += teams) {
        int rows = min(teams, item.last + 1 - begin), row = min(begin + team, item.last);
        if (IS_STAGED) stage(item, scales + begin - item.first, begin, rows);
        __syncthreads();
        Filter<IS_STAGED> own = {item, row, team * row_size, (int)threadIdx.x % lanes, lanes,
            scales[row - item.first]};
        own.round(team < rows, lossy);
        __syncthreads();
        if (IS_STAGED) write_staged(item, begin, rows);
        __syncthreads();
    }
}

// Two numbers in one word; one instruction rounds both.
__device__ __forceinline__ u32 narrow_pair(float low, float high) {
    u32 bits;
#if __CUDA_ARCH__ >= 800
    PACK(bits, low, high);
#else
    bits = narrow(low) | (u32)narrow(high) << 16;
#endif
    return bits;
}

// The bits of a size below which rounded numbers are finite, and so are their errors.
const u32 PLAIN = TYPE == HALF ? 0x47000000u : 0x7e000000u;

// The numbers of a filter that a thread has in registers: WIDTH input channels, all taps of each.
template <int TAPS, int WIDTH> struct Own {
    static const int COUNT = TAPS * WIDTH;
    float exact[COUNT];  // taps of a channel lie side by side

    // Reads numbers, in the order of memory.
    __forceinline__ void read(const Item &item, int row, int group, int groups, double scale) {
        bool last = (item.tap_step != 1) != (item.source_inner != 1);
        long long begin = (long long)row * groups * TAPS;
#if WIDE
        const float *from = (const float *)item.source + begin;
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            int at = last ? i % TAPS * groups + group + i / TAPS : group * TAPS + i;
            bool is_there = TAPS > 1 || group + i < groups;
            exact[i] = is_there ? (float)((double)from[at] * scale) : 0.0f;
        }
#else
        const u16 *from = (const u16 *)item.source + begin;
        u32 words[COUNT / 2];
        if constexpr (TAPS == 1) {
#pragma unroll
            for (int i = 0; i < COUNT / 8; i++) {
                uint4 all = {};
                if (group + 8 * i < groups) all = *(const uint4 *)(from + group + 8 * i);
                words[4 * i] = all.x, words[4 * i + 1] = all.y;
                words[4 * i + 2] = all.z, words[4 * i + 3] = all.w;
            }
        } else {
#pragma unroll
            for (int i = 0; i < COUNT / 2; i++)
                words[i] = *(const u32 *)(from + (last ? i * groups + group : group * TAPS + 2 * i));
        }
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            int at = TAPS > 1 && last ? i % TAPS * 2 + i / TAPS : i;
            u16 bits = (u16)(words[at / 2] >> (at % 2 * 16));
            exact[i] = to_float(bits, item.source_type) * (float)scale;
        }
#endif
    }

    __forceinline__ void clear() {
#pragma unroll
        for (int i = 0; i < COUNT; i++) exact[i] = 0.0f;
    }

    // The bits of the largest size, which are more for infinities and NaN.
    __forceinline__ u32 most() const {
        u32 found = 0;
#pragma unroll
        for (int i = 0; i < COUNT; i++) found = max(found, __float_as_uint(fabsf(exact[i])));
        return found;
    }

    __forceinline__ u32 size(float units) const {
        u32 found = 0;
#pragma unroll
        for (int i = 0; i < COUNT; i++) found += to_whole(fabsf(exact[i]) * (units / 256.0f));
        return found;
    }

    // Rounds, into words that have the same tap of two channels. Returns the sum of errors.
    __forceinline__ int round(float share, float units, u32 *made) const {
        int error = 0;
#pragma unroll
        for (int channel = 0; channel < WIDTH; channel += 2) {
            float carries[2] = {};
#pragma unroll
            for (int tap = 0; tap < TAPS; tap++) {
                float moved[2], given[2];
#pragma unroll
                for (int i = 0; i < 2; i++) {
                    float value = exact[(channel + i) * TAPS + tap];
                    moved[i] = value - share * fabsf(value) + carries[i];
                    given[i] = value == 0.0f ? value : moved[i];
                }
                u32 both = narrow_pair(given[0], given[1]);
                made[tap * (WIDTH / 2) + channel / 2] = both;
                carries[0] = moved[0] - wide((u16)both);
                carries[1] = moved[1] - wide((u16)(both >> 16));
            }
            error -= to_whole(carries[0] * units) + to_whole(carries[1] * units);
        }
        return error;
    }

    __forceinline__ void write(const Item &item, int row, int group, int groups, u32 *made) const {
        u16 *to = (u16 *)item.target + (long long)row * groups * TAPS;
        if constexpr (TAPS == 1) {
#pragma unroll
            for (int i = 0; i < COUNT / 8; i++) {
                if (group + 8 * i >= groups) break;
                uint4 *target = (uint4 *)(to + group) + i, old = *target;
                uint4 now = {made[4 * i], made[4 * i + 1], made[4 * i + 2], made[4 * i + 3]};
                if (old.x != now.x || old.y != now.y || old.z != now.z || old.w != now.w)
                    *target = now;
            }
        } else {
#pragma unroll
            for (int i = 0; i < COUNT / 2; i++) {
                u32 word = made[i], *target = (u32 *)(to + i * groups + group);
                if (item.tap_step == 1) {
                    int a = 2 * i, b = 2 * i + 1;
                    u32 low = made[a % TAPS] >> (a / TAPS * 16);
                    u32 high = made[b % TAPS] >> (b / TAPS * 16);
                    word = (low & 0xffff) | high << 16, target = (u32 *)(to + group * TAPS + a);
                }
                if (*target != word) *target = word;
            }
        }
    }
};

// The same for filters of the type that this is compiled for, and that threads have room for. Returns
// whether all were folded: it ends where a number is not below the size of `PLAIN`.
template <int TAPS, int WIDTH>
__device__ bool fold_own(const Item &item, const double *scales, int *lossy) {
    int groups = item.middle * item.inner / TAPS, lanes = 1;
    while (lanes * WIDTH < groups) lanes *= 2;
    int teams = blockDim.x / lanes, team = threadIdx.x / lanes, lane = threadIdx.x % lanes;
    int group = lane * WIDTH;
    for (int begin = item.first; begin <= item.last; begin += teams) {
        int row = min(begin + team, item.last);
        bool is_there = begin + team <= item.last && group < groups;
        Own<TAPS, WIDTH> own;
        if (is_there) own.read(item, row, group, groups, scales[row - item.first]);
        else own.clear();
        u32 bits = own.most();
        if (!__syncthreads_and(bits < PLAIN)) return false;
        float most = __uint_as_float(combined<true>(bits, lanes, 0));
        if (is_there && lane == 0) look_at_filter(item, row, most, lossy);
        float share = 0.0f, units = units_of(most, TYPE);
        u32 made[TAPS * WIDTH / 2], size = combined<false>(own.size(units), lanes, 1);
        long long before = 0;
#pragma unroll 1
        for (int pass = 0; pass < 3; pass++) {
            int error = own.round(share, units, made);
            if (pass == 2) break;
            error = combined<false>(error, lanes, pass);
            if (pass == 0) before = error, share = share_of(before, (long long)size);
            else if (llabs(error - moved_by(share, size)) <= llabs(before)) break;
            else share = 0.0f;  // many are alike
        }
        if (is_there) own.write(item, row, group, groups, made);
    }
    return true;
}

template <int TAPS, int WIDTH> __device__ bool is_own(const Item &item) {
    int groups = item.middle * item.inner / TAPS;
    bool fits = WIDE ? item.source_type == FLOAT : item.source_type < FLOAT;
    return item.taps == TAPS && item.flat && fits
        && groups % (TAPS == 1 ? 8 : WIDTH) == 0
        && groups <= WIDTH * (int)blockDim.x && ((u64)item.target & 15) == 0;
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
extern "C" __global__ void __launch_bounds__(THREADS, 4) fold(const Item *items, int *lossy) {
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
    if (item.largest) {
        for (int at = threadIdx.x; at < item.channels; at += blockDim.x) staged()[at] = 0.0f;
    }
    __syncthreads();
    if (item.taps) {
        bool is_done = false, same = item.target_type == TYPE;
        if (same && is_own<1, 16>(item)) is_done = fold_own<1, 16>(item, scales, lossy);
        else if (same && is_own<9, 2>(item)) is_done = fold_own<9, 2>(item, scales, lossy);
        if (!is_done && row_size > STAGED) fold_filters<false>(item, scales, lossy);
        else if (!is_done) fold_filters<true>(item, scales, lossy);
    } else if (!item.vectors) fold_each(item, scales, first);
    else if (item.source_type == FLOAT) {
        if (item.target_type == FLOAT) fold_vectors<32, 32>(item, scales, first);
        else fold_vectors<32, 16>(item, scales, first);
    } else fold_vectors<16, 16>(item, scales, first);
    // Another stream that sees the mark sees the weights.
    __threadfence();
    __syncthreads();
    if (item.largest) look_at_channels(item, lossy);
    if (threadIdx.x == 0) *item.mark = hash;
}
