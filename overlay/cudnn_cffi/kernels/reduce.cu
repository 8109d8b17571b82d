// Sums, products and extremes over axes of an array, rounded once: in double of doubles, in float of all
// else. Several blocks may divide what makes one result: each writes its part, and `finish` reduces the
// parts. The order is that of the launch, so that bits are the same each time. THREADS is a power of two; SIDE is
// how many columns a thread of `columns` reads at once, 0 for `rows`; RESULT is the type of the result.

#if TYPE == 3
typedef double item, real;
#elif TYPE == 2
typedef float item, real;
#else
typedef u16 item;
typedef float real;
#endif

#if RESULT == 3
typedef double result;
#elif RESULT == 2
typedef float result;
#else
typedef u16 result;
#endif

enum How { ADD, NORM1, NORM2, MUL, MUL_NO_ZEROS, MAX, AMAX, MIN };

// Two axes that are kept and two that are reduced; one that is absent has one element.
struct Reduction {
    const void *x;
    void *y;
    real *parts;  // where there are several of a result
    long long kept[2], reduced[2];
    long long x_kept[2], x_reduced[2], y_kept[2];  // strides in elements
    long long count;  // of parts
    long long folds;  // how many columns side by side belong to one result
    int team;         // threads of a result, or of a row of columns: a power of two
    int even;         // whether all rows begin at the same place between multiples of 16 bytes
    double alpha, beta;
};

__device__ __forceinline__ real nothing() {
    switch (HOW) {
    case MUL: case MUL_NO_ZEROS: return 1.0f;
    case MAX: return __uint_as_float(0xff800000);
    case MIN: return __uint_as_float(0x7f800000);
    default: return 0.0f;
    }
}

__device__ __forceinline__ real both(real a, real b) {
    switch (HOW) {
    case MUL: case MUL_NO_ZEROS: return a * b;
    case MAX: case AMAX: return a > b || a != a ? a : b;  // a NaN wins
    case MIN: return a < b || a != a ? a : b;
    default: return a + b;
    }
}

__device__ __forceinline__ double exact(double x) { return x; }
__device__ __forceinline__ float exact(float x) { return x; }
__device__ __forceinline__ float exact(u16 bits) { return wide(bits); }
__device__ __forceinline__ void round_to(double &to, double x) { to = x; }
__device__ __forceinline__ void round_to(float &to, float x) { to = x; }
__device__ __forceinline__ void round_to(u16 &to, float x) { to = narrow(x); }

// An element as it is reduced; PARTS of results are reduced as they are.
template <bool PARTS, typename Item> __device__ __forceinline__ real taken(Item from) {
    real x = exact(from);
    switch (PARTS ? ADD : HOW) {
    case NORM1: case AMAX: return fabs(x);
    case NORM2: return x * x;
    case MUL_NO_ZEROS: return x == 0 ? 1 : x;
    default: return x;
    }
}

template <typename Item> __device__ __forceinline__ Item absent() {
    Item found;
    round_to(found, nothing());
    return found;
}

__device__ __forceinline__ void put(const Reduction &all, long long at, real total) {
    if (HOW == NORM2) total = sqrt(total);
    result *to = (result *)all.y + at;
    decltype(exact(*to) + total) found = total;
    found *= (decltype(found))all.alpha;
    if (all.beta != 0) found += (decltype(found))all.beta * exact(*to);
    round_to(*to, found);
}

__device__ __forceinline__ long long divided(long long a, long long b) {
    return (a | b) >> 32 ? a / b : (long long)((u32)a / (u32)b);
}

// Two axes that are gone through as one, some elements at a time.
struct Place {
    long long offset, inner, offset_step, inner_step, extent, carry;
    __device__ Place(
        long long at, long long step, long long extent, long long outer_stride,
        long long inner_stride) : extent(extent) {
        long long outer = divided(at, extent);
        inner = at - outer * extent;
        offset = outer * outer_stride + inner * inner_stride;
        outer = divided(step, extent);
        inner_step = step - outer * extent;
        offset_step = outer * outer_stride + inner_step * inner_stride;
        carry = outer_stride - extent * inner_stride;
    }
    __device__ __forceinline__ void advance() {
        offset += offset_step;
        inner += inner_step;
        if (inner >= extent) {
            inner -= extent;
            offset += carry;
        }
    }
};

// Partial results of a thread: those of the last steps are kept apart, so that few are added to many.
struct Total {
    real near, far;
    __device__ Total() : near(nothing()), far(nothing()) {}
    __device__ __forceinline__ void take(real value, int step) {
        near = both(near, value);
        if (step % 16 == 15) {
            far = both(far, near);
            near = nothing();
        }
    }
};

template <typename Item, int WIDTH> struct __align__(WIDTH * sizeof(Item)) Piece {
    Item each[WIDTH];
};

// WIDTH numbers from an index on, of which those outside of the extent are absent.
template <typename Item, int WIDTH>
__device__ __forceinline__ Piece<Item, WIDTH> fetch(
    const Item *from, long long at, long long extent, long long step) {
    Piece<Item, WIDTH> found;
    if (step == 1 && at >= 0 && at + WIDTH <= extent) {
        found = *(const Piece<Item, WIDTH> *)(from + at);
    } else {
#pragma unroll
        for (int i = 0; i < WIDTH; i++)
            found.each[i] = at + i >= 0 && at + i < extent ? from[(at + i) * step] : absent<Item>();
    }
    return found;
}

template <typename Item, int WIDTH> __device__ __forceinline__ Piece<Item, WIDTH> fetch_none() {
    Piece<Item, WIDTH> found;
#pragma unroll
    for (int i = 0; i < WIDTH; i++) found.each[i] = absent<Item>();
    return found;
}

// How many numbers lie between an address and a multiple of WIDTH numbers before it.
template <typename Item, int WIDTH> __device__ __forceinline__ int offset_in(const Item *from) {
    return (int)((u64)from / sizeof(Item) % WIDTH);
}

#define AT_ONCE 4

// A team of threads reduces the elements of a result, or a part of them: pieces of 16 bytes.
template <bool PARTS, typename Item> __device__ __forceinline__ void reduce_rows(const Reduction &all) {
    constexpr int WIDTH = 16 / sizeof(Item);
    __shared__ real room[THREADS];
    wait_for_kernel();
    let_next_begin();
    const int team = all.team, rank = threadIdx.x % team, teams = THREADS / team;
    const long long results = all.kept[0] * all.kept[1], extent = all.reduced[1];
    const long long step = all.x_reduced[1];
    const Item *x = (const Item *)all.x;
    const int most = step != 1 ? 0 : all.even ? offset_in<Item, WIDTH>(x) : WIDTH - 1;
    const long long pieces = divided(extent + most + WIDTH - 1, WIDTH);
    const long long total = all.reduced[0] * pieces;
    const long long begin = total * blockIdx.y / all.count;
    const long long end = total * (blockIdx.y + 1) / all.count;
    for (long long first = (long long)blockIdx.x * teams; first < results;
         first += (long long)gridDim.x * teams) {
        const long long own = first + threadIdx.x / team;
        const long long outer = divided(own, all.kept[1]), inner = own - outer * all.kept[1];
        Total found;
        if (own < results) {
            const Item *from = x + outer * all.x_kept[0] + inner * all.x_kept[1];
            Place place(begin + rank, team, pieces, all.x_reduced[0], 0);
            int steps = 0;
            for (long long at = begin + rank; at < end; at += AT_ONCE * team) {
                Piece<Item, WIDTH> next[AT_ONCE];
#pragma unroll
                for (int k = 0; k < AT_ONCE; k++) {
                    if (at + k * team < end) {
                        const Item *row = from + place.offset;
                        const int before = step == 1 ? offset_in<Item, WIDTH>(row) : 0;
                        next[k] = fetch<Item, WIDTH>(
                            row, place.inner * WIDTH - before, extent, step);
                    } else {
                        next[k] = fetch_none<Item, WIDTH>();
                    }
                    place.advance();
                }
                real value[AT_ONCE * WIDTH];
#pragma unroll
                for (int k = 0; k < AT_ONCE; k++)
#pragma unroll
                    for (int i = 0; i < WIDTH; i++) value[k * WIDTH + i] = taken<PARTS>(next[k].each[i]);
#pragma unroll
                for (int level = 1; level < AT_ONCE * WIDTH; level *= 2)
#pragma unroll
                    for (int i = 0; i < AT_ONCE * WIDTH; i += 2 * level)
                        value[i] = both(value[i], value[i + level]);
                found.take(value[0], steps++);
            }
        }
        room[threadIdx.x] = both(found.far, found.near);
        for (int half = team / 2; half; half /= 2) {
            __syncthreads();
            if (rank < half)
                room[threadIdx.x] = both(room[threadIdx.x], room[threadIdx.x + half]);
        }
        if (rank == 0 && own < results) {
            if (all.parts)
                all.parts[own * all.count + blockIdx.y] = room[threadIdx.x];
            else
                put(all, outer * all.y_kept[0] + inner * all.y_kept[1], room[threadIdx.x]);
        }
        __syncthreads();
    }
}

#if SIDE == 0
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) rows(Reduction all) {
    reduce_rows<false, item>(all);
}
#endif

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) finish(Reduction all) {
    reduce_rows<true, real>(all);
}

#if SIDE
// Reduces SIDE columns of some lines; WHOLE are those that all exist, and are read at once.
template <bool WHOLE> __device__ __forceinline__ void reduce_lines(
    Total *found, const item *from, Place place, long long at, long long end, int lines,
    long long column, long long extent, long long step) {
    for (int steps = 0; at < end; at += AT_ONCE * lines, steps++) {
        Piece<item, SIDE> next[AT_ONCE];
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            if (at + k * lines >= end)
                next[k] = fetch_none<item, SIDE>();
            else if (WHOLE)
                next[k] = *(const Piece<item, SIDE> *)(from + place.offset);
            else
                next[k] = fetch<item, SIDE>(from + place.offset, column, extent, step);
            place.advance();
        }
#pragma unroll
        for (int i = 0; i < SIDE; i++) {
            const real one = both(taken<false>(next[0].each[i]), taken<false>(next[1].each[i]));
            const real other = both(taken<false>(next[2].each[i]), taken<false>(next[3].each[i]));
            found[i].take(both(one, other), steps);
        }
    }
}

// A thread reduces SIDE columns that lie side by side, the others of its column of the block the same
// in other rows.
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) columns(Reduction all) {
    __shared__ real room[THREADS * SIDE];
    wait_for_kernel();
    let_next_begin();
    const int team = all.team, rank = threadIdx.x % team, row = threadIdx.x / team;
    const int lines = THREADS / team;
    const item *x = (const item *)all.x;
    const long long extent = all.kept[1] * all.folds, step = all.x_kept[1];
    const int before = step == 1 ? offset_in<item, SIDE>(x) : 0;
    const long long across = divided(extent + before + SIDE - 1, SIDE);
    const long long tiles = divided(across + team - 1, team);
    const long long total = all.reduced[0] * all.reduced[1];
    const long long begin = total * blockIdx.y / all.count;
    const long long end = total * (blockIdx.y + 1) / all.count;
    for (long long tile = blockIdx.x; tile < tiles * all.kept[0]; tile += gridDim.x) {
        const long long outer = divided(tile, tiles), first = (tile - outer * tiles) * team;
        const item *from = x + outer * all.x_kept[0];
        const long long column = (first + rank) * SIDE - before;
        Total found[SIDE];
        Place place(
            begin + row, lines, all.reduced[1], all.x_reduced[0], all.x_reduced[1]);
        if (step == 1 && column >= 0 && column + SIDE <= extent)
            reduce_lines<true>(found, from + column, place, begin + row, end, lines, 0, 0, 1);
        else
            reduce_lines<false>(
                found, from, place, begin + row, end, lines, column, extent, step);
        real *own = room + threadIdx.x * SIDE;
#pragma unroll
        for (int i = 0; i < SIDE; i++) own[i] = both(found[i].far, found[i].near);
        for (int half = lines / 2; half; half /= 2) {
            __syncthreads();
            if (row < half)
#pragma unroll
                for (int i = 0; i < SIDE; i++) own[i] = both(own[i], own[i + half * team * SIDE]);
        }
        __syncthreads();
        for (int i = threadIdx.x; i < team * SIDE; i += THREADS) {
            const long long at = first * SIDE - before + i;
            if (at < 0 || at >= extent) continue;
            const long long fold = divided(at, all.kept[1]), inner = at - fold * all.kept[1];
            if (all.parts) {
                const long long place = (outer * all.kept[1] + inner) * all.count + blockIdx.y;
                all.parts[place * all.folds + fold] = room[i];
            } else {
                put(all, outer * all.y_kept[0] + inner * all.y_kept[1], room[i]);
            }
        }
        __syncthreads();
    }
}
#endif
