// Sums, products and extremes over axes of an array, rounded once: in double of doubles, in float of all
// else. Several blocks may divide what makes one result: each writes its part, and `finish` reduces the
// parts. The order is that of the launch, so that bits are the same each time. THREADS is a power of two;
// SIDE is how many columns a thread of `columns` reads at once, 0 for `rows`; RESULT is the type of the
// result; NAN_WINS says whether extremes of NaN and numbers are NaN; INDEX counts what makes one result.

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

#ifndef WARP
#define WARP 32
#endif

enum How { ADD, NORM1, NORM2, MUL, MUL_NO_ZEROS, MAX, AMAX, MIN };

// Two axes that are kept and two that are reduced; one that is absent has one element.
struct Reduction {
    const void *x;
    void *y;
    real *parts;  // where there are several of a result
    long long kept[2], reduced[2];
    long long x_kept[2], x_reduced[2], y_kept[2];  // strides in elements
    long long reach;  // items that the array spans
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
    case MAX: case AMAX: return a > b || (NAN_WINS ? a != a : b != b) ? a : b;
    case MIN: return a < b || (NAN_WINS ? a != a : b != b) ? a : b;
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
template <bool PARTS> __device__ __forceinline__ real taken(real x) {
    switch (PARTS ? ADD : HOW) {
    case NORM1: case AMAX: return fabs(x);
    case NORM2: return x * x;
    case MUL_NO_ZEROS: return x == 0 ? 1 : x;
    default: return x;
    }
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

typedef INDEX Count;

// Returns the first element of a part.
__device__ __forceinline__ Count part_of(long long total, u32 part, long long count) {
    return (Count)(total * part / count);
}

// Two axes that are gone through as one, some elements at a time.
struct Place {
    long long offset, offset_step, carry;
    Count inner, inner_step, extent;
    __device__ Place(
        Count at, Count step, Count extent, long long outer_stride, long long inner_stride)
        : extent(extent) {
        const Count outer = at / extent, outer_step = step / extent;
        inner = at - outer * extent;
        offset = outer * outer_stride + inner * inner_stride;
        inner_step = step - outer_step * extent;
        offset_step = outer_step * outer_stride + inner_step * inner_stride;
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

// Partial results of a thread: those of the last turns are kept apart, so that few are added to many.
struct Total {
    real near, far;
    __device__ Total() : near(nothing()), far(nothing()) {}
    __device__ __forceinline__ void take(real value, int turn) {
        near = both(near, value);
        if (turn % 16 == 15) {
            far = both(far, near);
            near = nothing();
        }
    }
};

// WIDTH items that lie side by side, in pairs if they have 16 bits: single ones would make the compiler
// wait for each load before the next.
template <typename Item, int WIDTH> struct __align__(WIDTH * sizeof(Item)) Piece {
    Item each[WIDTH];
    __device__ __forceinline__ real get(int i) const { return exact(each[i]); }
    __device__ __forceinline__ void set(int i, Item to) { each[i] = to; }
};

template <int WIDTH> struct __align__(WIDTH * 2) Piece<u16, WIDTH> {
    u32 pairs[WIDTH / 2];
    __device__ __forceinline__ real get(int i) const {
        const u32 pair = pairs[i / 2];
        if (TYPE == BFLOAT16) return __uint_as_float(i % 2 ? pair & 0xffff0000u : pair << 16);
        return wide((u16)(i % 2 ? pair >> 16 : pair));
    }
    __device__ __forceinline__ void set(int i, u16 to) {
        pairs[i / 2] = i % 2 ? (pairs[i / 2] & 0xffff) | (u32)to << 16 : to;
    }
};

template <> struct Piece<u16, 1> {
    u16 one;
    __device__ __forceinline__ real get(int) const { return exact(one); }
    __device__ __forceinline__ void set(int, u16 to) { one = to; }
};

// The items of a piece from an index on, each for itself; those outside of an extent are any. It is
// seldom called, and would take the registers of what is.
template <typename Item, int WIDTH>
__device__ __noinline__ Piece<Item, WIDTH> fetch(
    const Item *from, long long at, long long extent, long long step) {
    Piece<Item, WIDTH> found;
#pragma unroll
    for (int i = 0; i < WIDTH; i++) {
        const long long own = at + i < 0 ? 0 : at + i < extent ? at + i : extent - 1;
        found.set(i, from[own * step]);
    }
    return found;
}

// Returns the number of items between an address and the last multiple of WIDTH items before it.
template <typename Item, int WIDTH> __device__ __forceinline__ int offset_in(const Item *from) {
    return (int)((u64)from / sizeof(Item) % WIDTH);
}

#define AT_ONCE 4

// A team of threads reduces the items of a result, or a part of them: pieces of 16 bytes.
template <bool PARTS, typename Item> struct Rows {
    static constexpr int WIDTH = 16 / sizeof(Item);
    const Item *from, *begin, *end;  // of a result, and of all that may be read
    long long step;
    Count extent;

    // Takes some pieces, also with items beside the row if these are items of the array.
    template <bool ALL> __device__ __forceinline__ void turn(
        Total &found, Place &place, int count, int turns) const {
        Piece<Item, WIDTH> next[AT_ONCE];
        Count at[AT_ONCE];
        bool is_whole = ALL;
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            const Item *row = from + place.offset;
            at[k] = place.inner * WIDTH - (step == 1 ? offset_in<Item, WIDTH>(row) : 0);
            const Item *first = row + at[k];
            const bool is_inside = at[k] >= 0 && at[k] + WIDTH <= extent;
            if (step == 1 && (is_inside || (first >= begin && first + WIDTH <= end)))
                next[k] = *(const Piece<Item, WIDTH> *)first;
            else
                next[k] = fetch<Item, WIDTH>(row, at[k], extent, step);
            is_whole = is_whole && is_inside;
            if (!ALL && k >= count) at[k] = extent;
            if (ALL || k + 1 < count) place.advance();
        }
        real value[AT_ONCE * WIDTH];
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++)
#pragma unroll
            for (int i = 0; i < WIDTH; i++) value[k * WIDTH + i] = taken<PARTS>(next[k].get(i));
        if (!is_whole) {
#pragma unroll
            for (int k = 0; k < AT_ONCE; k++)
#pragma unroll
                for (int i = 0; i < WIDTH; i++)
                    if (at[k] + i < 0 || at[k] + i >= extent) value[k * WIDTH + i] = nothing();
        }
#pragma unroll
        for (int level = 1; level < AT_ONCE * WIDTH; level *= 2)
#pragma unroll
            for (int i = 0; i < AT_ONCE * WIDTH; i += 2 * level)
                value[i] = both(value[i], value[i + level]);
        found.take(value[0], turns);
    }
};

// The reduction of what the threads of a team have found, in their first one.
__device__ __forceinline__ real reduce_team(real value, int team, real *room) {
    for (int half = (team < WARP ? team : WARP) / 2; half; half /= 2)
        value = both(value, __shfl_xor_sync(0xffffffffu, value, half));
    if (team <= WARP) return value;
    if (threadIdx.x % WARP == 0) room[threadIdx.x / WARP] = value;
    __syncthreads();
    if (threadIdx.x % team == 0)
        for (int i = 1; i < team / WARP; i++) value = both(value, room[threadIdx.x / WARP + i]);
    __syncthreads();
    return value;
}

template <bool PARTS, typename Item> __device__ __forceinline__ void reduce_rows(
    const Reduction &all) {
    constexpr int WIDTH = 16 / sizeof(Item);
    __shared__ real room[THREADS / WARP];
    wait_for_kernel();
    let_next_begin();
    const int team = all.team, rank = threadIdx.x % team, teams = THREADS / team;
    const long long results = all.kept[0] * all.kept[1], step = all.x_reduced[1];
    const Count extent = all.reduced[1];
    const Item *x = (const Item *)all.x;
    const int most = step != 1 ? 0 : all.even ? offset_in<Item, WIDTH>(x) : WIDTH - 1;
    const Count pieces = (extent + most + WIDTH - 1) / WIDTH;
    const Count end = part_of(all.reduced[0] * pieces, blockIdx.y + 1, all.count);
    const Count begin = part_of(all.reduced[0] * pieces, blockIdx.y, all.count) + rank;
    Rows<PARTS, Item> rows = {x, x, x + all.reach, step, extent};
    for (long long first = (long long)blockIdx.x * teams; first < results;
         first += (long long)gridDim.x * teams) {
        const long long own = first + threadIdx.x / team;
        const long long outer = divided(own, all.kept[1]), inner = own - outer * all.kept[1];
        Total found;
        if (own < results) {
            rows.from = x + outer * all.x_kept[0] + inner * all.x_kept[1];
            Place place(begin, team, pieces, all.x_reduced[0], 0);
            Count at = begin;
            int turns = 0;
            for (; at + (AT_ONCE - 1) * team < end; at += AT_ONCE * team)
                rows.template turn<true>(found, place, AT_ONCE, turns++);
            if (at < end)
                rows.template turn<false>(found, place, (int)((end - at + team - 1) / team), turns);
        }
        const real value = reduce_team(both(found.far, found.near), team, room);
        if (rank == 0 && own < results) {
            if (all.parts)
                all.parts[own * all.count + blockIdx.y] = value;
            else
                put(all, outer * all.y_kept[0] + inner * all.y_kept[1], value);
        }
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
// Takes SIDE columns of some lines; WHOLE are those that all exist, and are read at once.
template <bool WHOLE, bool ALL> __device__ __forceinline__ void take_lines(
    Total *found, const item *from, Place &place, int count, int turns, long long column,
    long long extent, long long step) {
    Piece<item, SIDE> next[AT_ONCE];
#pragma unroll
    for (int k = 0; k < AT_ONCE; k++) {
        const item *row = from + place.offset;
        next[k] = WHOLE ? *(const Piece<item, SIDE> *)(row + column)
                        : fetch<item, SIDE>(row, column, extent, step);
        if (ALL || k + 1 < count) place.advance();
    }
#pragma unroll
    for (int i = 0; i < SIDE; i++) {
        real value[AT_ONCE];
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++)
            value[k] = ALL || k < count ? taken<false>(next[k].get(i)) : nothing();
        found[i].take(both(both(value[0], value[1]), both(value[2], value[3])), turns);
    }
}

template <bool WHOLE> __device__ __forceinline__ void reduce_lines(
    Total *found, const item *from, Place place, Count at, Count end, int lines, long long column,
    long long extent, long long step) {
    int turns = 0;
    for (; at + (AT_ONCE - 1) * lines < end; at += AT_ONCE * lines)
        take_lines<WHOLE, true>(found, from, place, AT_ONCE, turns++, column, extent, step);
    if (at < end)
        take_lines<WHOLE, false>(
            found, from, place, (int)((end - at + lines - 1) / lines), turns, column, extent, step);
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
    const Count end = part_of(total, blockIdx.y + 1, all.count);
    const Count begin = part_of(total, blockIdx.y, all.count) + row;
    for (long long tile = blockIdx.x; tile < tiles * all.kept[0]; tile += gridDim.x) {
        const long long outer = divided(tile, tiles), first = (tile - outer * tiles) * team;
        const item *from = x + outer * all.x_kept[0];
        const long long column = (first + rank) * SIDE - before;
        Total found[SIDE];
        Place place(begin, lines, all.reduced[1], all.x_reduced[0], all.x_reduced[1]);
        if (step == 1 && column >= 0 && column + SIDE <= extent)
            reduce_lines<true>(found, from, place, begin, end, lines, column, extent, step);
        else if (column < extent)
            reduce_lines<false>(found, from, place, begin, end, lines, column, extent, step);
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
