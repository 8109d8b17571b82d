// Convolutions by instructions of 64 rows, which read the memory of a block: images of few channels,
// filters of 3x3 for few results, and of one element for many pixels. Channels are innermost in memory.

#if TYPE == 0
#define NARROW "f16"
#else
#define NARROW "bf16"
#endif

const int TEAM = 128;  // threads that multiply at once

SHARED(uint4, memory);

#ifdef __CUDA_ARCH__
__device__ __forceinline__ u32 get_two(u32 from) {
    u32 found;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(found) : "r"(from) : "memory");
    return found;
}

__device__ __forceinline__ void put_two(u32 to, u32 numbers) {
    asm volatile("st.shared.u32 [%0], %1;" :: "r"(to), "r"(numbers) : "memory");
}

__device__ __forceinline__ uint4 get_eight(u32 from) {
    uint4 found;
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
        : "=r"(found.x), "=r"(found.y), "=r"(found.z), "=r"(found.w) : "r"(from) : "memory");
    return found;
}

__device__ __forceinline__ u32 pair_of(float low, float high) {
    u32 bits;
    PACK(bits, low, high);
    return bits;
}

// The larger numbers of two pairs; NaN is more than all numbers.
__device__ __forceinline__ u32 larger(u32 one, u32 other) {
    u32 found;
    asm("max.NaN." NARROW "x2 %0, %1, %2;" : "=r"(found) : "r"(one), "r"(other));
    return found;
}

__device__ __forceinline__ void wait_for_team(int team) {
    asm volatile("bar.sync %0, %1;" :: "r"(team + 1), "n"(TEAM) : "memory");
}

// Waits until all but the last COUNT groups of this thread's copies are there for instructions.
template <int COUNT> __device__ __forceinline__ void wait_for_copies() {
    wait_for_groups<COUNT>();
    show_instructions();
}

__device__ __forceinline__ void begin_products() {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

__device__ __forceinline__ void have_all_products() {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

__device__ __forceinline__ void wait_for_products() {
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

__device__ __forceinline__ void end_products() {
    have_all_products();
    wait_for_products();
}

#define EIGHT(i) "+f"(sums[i]), "+f"(sums[i + 1]), "+f"(sums[i + 2]), "+f"(sums[i + 3]), \
    "+f"(sums[i + 4]), "+f"(sums[i + 5]), "+f"(sums[i + 6]), "+f"(sums[i + 7])
#define LIST_16 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15"
#define LIST_32 LIST_16 ", %16, %17, " \
    "%18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#endif

// Two numbers after an activation, rounded; one instruction computes ReLU of both.
template <int WORD>
__device__ __forceinline__ u32 activated_pair(float low, float high, float number) {
    if (WORD == RELU) return larger(pair_of(low, high), 0);
    return pair_of(activated<WORD>(low, number), activated<WORD>(high, number));
}

#ifndef IN
const int LINE = 128;  // bytes of a line of 64 numbers

#ifdef __CUDA_ARCH__
// Adds the products of two factors in memory to sums. Lines have 128 bytes, in the order of `place`.
#define KIND (1ull << 16 | 64ull << 32 | 1ull << 62)
#define FORM(COLUMNS, LIST, LEFT, RIGHT, P, ...) asm volatile( \
    "{.reg .pred p; setp.ne.b32 p, %" P ", 0; wgmma.mma_async.sync.aligned.m64n" COLUMNS "k16.f32." \
    NARROW "." NARROW " {" LIST "}, %" LEFT ", %" RIGHT ", p, 1, 1, 0, 0;}" \
    : __VA_ARGS__ : "l"(left), "l"(right), "n"(ADDS))

// Adds the products of 64 rows of x and COUNT of w, of 16 columns each, to sums; ADDS is 0 for new ones.
#define LIST_64 LIST_32 ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, " \
    "%46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
template <int COUNT, int ADDS>
__device__ __forceinline__ void multiply_tiles(float *sums, u32 x, u32 w) {
    const u64 left = (u64)(x >> 4) | KIND, right = (u64)(w >> 4) | KIND;
    if constexpr (COUNT == 128)
        FORM("128", LIST_64, "64", "65", "66", EIGHT(0), EIGHT(8), EIGHT(16), EIGHT(24), EIGHT(32),
            EIGHT(40), EIGHT(48), EIGHT(56));
    else if constexpr (COUNT == 32)
        FORM("32", LIST_16, "16", "17", "18", EIGHT(0), EIGHT(8));
    else
        FORM("64", LIST_32, "32", "33", "34", EIGHT(0), EIGHT(8), EIGHT(16), EIGHT(24));
}
#endif

// Where eight numbers of a row are in a tile of `rows`: 64 columns are a line of each row.
__device__ __forceinline__ u32 place(int row, int eight, int rows) {
    return (eight / 8 * rows + row) * LINE + ((eight % 8 ^ row % 8) * 16);
}
#endif

#ifdef IN
// A convolution of images of few channels by tensor cores, its bias and an activation, and for POOLED
// the largest numbers of windows of 3x3 of that, with steps of 2 and a padding of 1.
//
// In the memory of a block, the channels of STEP pixels of a row are a unit of 16 bytes, with zeros at
// its end. The window of a result begins one unit after that of the result before it: an instruction
// reads eight neighboring units as those of eight results, and the next units of their windows in the
// same memory, 16 bytes later. It takes two units of each: filters of zeros make the units of a
// window's row even. Filters stay in registers, as the left factor. Where a unit has room, it has a one
// at its end, which the first unit's filters multiply by the bias.
//
// A block computes PIXELS results of a row for 64 channels, one row after the other.

const int THREADS = 128, UNITS = (LEAD + WIDE + 2 * STEP - 1) / STEP / 2 * 2, UNIT = STEP * IN;
const int TIMES = HIGH * UNITS / 2;  // instructions of a row of results
const int LINE = (PIXELS + UNITS) * 16, LINES = 16, AHEAD = (LINES - HIGH) / ROW_STEP;
const int PLACE = 144, PAIRS = PIXELS / 16;  // bytes of a result in memory; two groups of 8 results
const int RESULTS = POOLED ? PIXELS / 2 : PIXELS;
const int WORDS = (UNIT + 1) / 2, COPIES = ((PIXELS + UNITS) * WORDS + THREADS - 1) / THREADS;
const bool HAS_ONES = UNIT <= 6;
const int EARLY = POOLED && ACTIVATION == RELU ? NONE : ACTIVATION;  // ReLU of the largest is as good
static_assert(UNIT <= 8 && HIGH >= ROW_STEP && AHEAD > 0, "a unit, and rows of inputs");

struct Images {
    Convolution all;
    int rows;  // of results of a band, which a block computes without a break
    const u16 *const *place;  // has the address of x, if it is not 0
};

#if TYPE == 0
const u32 LEAST = 0xfc00fc00u, ONE = 0x3c00u;
#else
const u32 LEAST = 0xff80ff80u, ONE = 0x3f80u;
#endif

#ifdef __CUDA_ARCH__
// Copies two numbers, of which count are there; others are zeros, and are not read.
__device__ __forceinline__ void copy_two(u32 to, const u16 *from, int count) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;"
        :: "r"(to), "l"(from), "r"(2 * count) : "memory");
}

__device__ __forceinline__ u32 of_lane(u32 bits, int lane) {
    return __shfl_sync(0xffffffffu, bits, lane);
}

// Stores two matrices of 8 x 8 numbers, their columns as rows at the addresses of lanes 0 to 15.
__device__ __forceinline__ void put_columns(u32 to, u32 first, u32 second) {
    asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};"
        :: "r"(to), "r"(first), "r"(second) : "memory");
}

// Adds the products of 64 x 16 numbers in registers and 16 x PIXELS of units in memory: eight of each
// unit, and eight of the unit after it. ADDS is 0 for sums that begin.
#define LIST_56 LIST_32 ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, " \
    "%46, %47, %48, %49, %50, %51, %52, %53, %54, %55"
#define FORM(COUNT, LIST, A, B, C, D, X, P, ...) asm volatile( \
    "{.reg .pred p; setp.ne.b32 p, %" P ", 0; wgmma.mma_async.sync.aligned.m64n" COUNT "k16.f32." \
    NARROW "." NARROW " {" LIST "}, {%" A ", %" B ", %" C ", %" D "}, %" X ", p, 1, 1, 0;}" \
    : __VA_ARGS__ : "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]), "l"(x), "n"(ADDS))
template <int ADDS>
__device__ __forceinline__ void multiply_units(float *sums, const u32 *w, u32 address) {
    const u64 x = (u64)(address >> 4) | 1ull << 16 | 8ull << 32;  // steps: 16 and 128 bytes
    if constexpr (PIXELS == 112)
        FORM("112", LIST_56, "56", "57", "58", "59", "60", "61", EIGHT(0), EIGHT(8), EIGHT(16),
            EIGHT(24), EIGHT(32), EIGHT(40), EIGHT(48));
    else
        FORM("64", LIST_32, "32", "33", "34", "35", "36", "37", EIGHT(0), EIGHT(8), EIGHT(16),
            EIGHT(24));
}
#endif

__device__ __forceinline__ bool is_nan(u16 bits) { return wide(bits) != wide(bits); }

// A result by itself, of its window alone: zeros of filters, times infinities beside it, give NaN.
__device__ __forceinline__ float plain(
    const Convolution &all, const u16 *x, int channel, int row, int column) {
    const u16 *w = all.w + (long long)channel * HIGH * WIDE * IN;
    float sum = 0.0f;
#pragma unroll 1
    for (int tap = 0; tap < HIGH * WIDE * IN; tap++) {
        const int line = row * ROW_STEP - all.top + tap / (WIDE * IN);
        const int place = column * STEP - all.left + tap / IN % WIDE;
        const bool is_there = (u32)line < (u32)all.height && (u32)place < (u32)all.width;
        sum += (is_there ? wide(x[line * all.x_row + place * all.x_column + tap % IN]) : 0.0f) * wide(w[tap]);
    }
    return activated(sum + (all.bias ? wide(all.bias[channel]) : 0.0f), all.number);
}

// The same of the largest number of a window.
__device__ __forceinline__ u16 plainly(
    const Convolution &all, const u16 *x, int channel, int row, int column) {
    if (!POOLED) return narrow(plain(all, x, channel, row, column));
    float most = 0.0f;
    bool is_first = true;
#pragma unroll 1
    for (int tap = 0; tap < 9; tap++) {
        const int line = 2 * row - 1 + tap / 3, place = 2 * column - 1 + tap % 3;
        if ((u32)line >= (u32)all.out_height || (u32)place >= (u32)all.out_width) continue;
        const float found = plain(all, x, channel, line, place);
        if (is_first || found > most || found != found) most = found;
        is_first = false;
    }
    return narrow(most);
}

extern "C" __global__ void __launch_bounds__(THREADS, 3) few_channels(const Images images) {
    const Convolution &all = images.all;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, own = lane / 4, part = lane % 4;
    const int first_channel = blockIdx.y * 64, channel = first_channel + warp * 16 + own;
    const u32 lines = address_of(memory), results = lines + LINES * LINE;
    for (int at = threadIdx.x; at < LINES * LINE / 16; at += THREADS)
        memory[at] = uint4{0, 0, 0, HAS_ONES ? ONE : 0};
    if (!all.early) wait_for_kernel();
    u32 filters[TIMES][4];
    float bias[2];
#pragma unroll
    for (int half = 0; half < 2; half++) {
        const int its = channel + 8 * half;
        const bool is_there = its < all.channels;
        const u16 its_bias = is_there && all.bias ? all.bias[its] : 0;
        bias[half] = wide(its_bias);
        const u16 *w = all.w + (long long)its * HIGH * WIDE * IN;
#pragma unroll
        for (int unit = 0; unit < 2 * TIMES; unit++) {
            u32 both = 0;
#pragma unroll
            for (int i = 0; i < 2; i++) {
                const int at = 2 * part + i, pixel = unit % UNITS * STEP + at / IN - LEAD;
                if (is_there && at < UNIT && (u32)pixel < (u32)WIDE)
                    both |= (u32)w[(unit / UNITS * WIDE + pixel) * IN + at % IN] << 16 * i;
                if (HAS_ONES && unit == 0 && at == 6) both |= its_bias;
            }
            filters[unit / 2][unit % 2 * 2 + half] = both;
        }
    }
    if (all.early) wait_for_kernel();
    let_next_begin();
    const u16 *given = images.place ? *images.place : all.x;
    const int height = POOLED ? (all.out_height + 1) / 2 : all.out_height;
    const int width = POOLED ? (all.out_width + 1) / 2 : all.out_width;
    const int across = (width + RESULTS - 1) / RESULTS;  // one for POOLED
    const int bands = (height + images.rows - 1) / images.rows;
    for (int item = blockIdx.x; item < all.images * bands * across; item += gridDim.x) {
        const int left = item % across * PIXELS, top = item / across % bands * images.rows;
        const int bottom = min(top + images.rows, height);
        const int begin = POOLED ? max(2 * top - 1, 0) : top;
        const int end = POOLED ? min(2 * bottom, all.out_height) : bottom;
        const long long image = item / across / bands;
        const u16 *x = given + image * all.x_image;
        // Where this thread's copies of a line go, where they begin in it, and how many numbers are there.
        u32 goals[COPIES];
        int places[COPIES], sizes[COPIES];
        const int start = (left * STEP - all.left - LEAD) * IN, count = all.width * IN;
#pragma unroll
        for (int i = 0; i < COPIES; i++) {
            const int at = min((int)threadIdx.x + i * THREADS, (PIXELS + UNITS) * WORDS - 1);
            goals[i] = lines + at / WORDS * 16 + at % WORDS * 4;
            places[i] = start + at / WORDS * UNIT + at % WORDS * 2;
            // If EVEN, both numbers of a word are before the line, or none.
            sizes[i] = places[i] < 0 ? 0 : max(0, min(count - places[i], 2));
        }
        auto copy_line = [&](int line) {
            const bool is_there = (u32)line < (u32)all.height;
            const u16 *from = x + (is_there ? line * all.x_row : 0);
            const u32 slot = (line & (LINES - 1)) * LINE;
#pragma unroll
            for (int i = 0; i < COPIES; i++) {
                if (EVEN) {
                    copy_two(goals[i] + slot, from + places[i], is_there ? sizes[i] : 0);
                    continue;
                }
                u32 both = 0;
                for (int k = 0; k < 2; k++) {
                    const bool is_own = (goals[i] - lines) % 16 / 2 + k < UNIT;
                    if (is_there && is_own && (u32)(places[i] + k) < (u32)count)
                        both |= (u32)from[places[i] + k] << 16 * k;
                }
                put_two(goals[i] + slot, both);
            }
        };
        auto write = [&](int row) {
            __syncthreads();
            u16 *y = all.y + image * all.y_image + row * all.y_row + first_channel;
            for (int at = threadIdx.x; at < RESULTS * EIGHTS; at += THREADS) {
                const int place = left + at / EIGHTS, eight = at % EIGHTS * 8;
                if (place >= width || first_channel + eight >= all.channels) continue;
                const uint4 found = get_eight(results + at / EIGHTS * PLACE + eight * 2);
                u16 *goal = y + place * all.y_column + eight;
                const u32 most = larger(larger(found.x, found.y), larger(found.z, found.w));
                if (!is_nan((u16)most) && !is_nan((u16)(most >> 16))) {
                    *(uint4 *)goal = found;
                    continue;
                }
#pragma unroll 1
                for (int i = 0; i < 8; i++)
                    goal[i] = plainly(all, x, first_channel + eight + i, row, place);
            }
        };
        // Pairs of results, of a group of 8 (or two for POOLED), and this thread's channels.
        const u32 goal = results + (warp * 16 + lane / 8 % 2 * 8) * 2;
        auto put = [&](int group, u32 low, u32 high) {
            const int i = lane % 8, place = POOLED ? i % 2 * 4 + i / 2 : i;
            put_columns(goal + (group * 8 + place) * PLACE, low, high);
        };
        // The largest of rows: of columns 16 pair + 2 part + odd, and the same + 8.
        auto pool = [&](int row, const u32 (*most)[PAIRS][2]) {
            u32 before[2] = {LEAST, LEAST};
#pragma unroll
            for (int pair = 0; pair < PAIRS; pair++) {
                u32 found[2];
#pragma unroll
                for (int half = 0; half < 2; half++) {
                    const u32 *two = most[half][pair];
                    const u32 other = of_lane(two[1], lane / 4 * 4 + (part + 3) % 4);
                    const u32 beside = part ? other : __byte_perm(before[half], other, 0x5432);
                    found[half] = larger(beside, larger(two[0], two[1]));
                    if (EARLY != ACTIVATION) found[half] = larger(found[half], 0);
                    before[half] = other;
                }
                put(pair, found[0], found[1]);
            }
            write(row);
        };
        u32 most[2][PAIRS][2];
#pragma unroll
        for (int i = 0; i < 4 * PAIRS; i++) most[i % 2][i / 4][i / 2 % 2] = LEAST;
        __syncthreads();  // zeros are there, and no instruction reads lines of another item
        for (int line = begin * ROW_STEP - all.top, ahead = 0; ahead < AHEAD; ahead++) {
            const int last = (begin + ahead) * ROW_STEP - all.top + HIGH;
            for (; line < last && begin + ahead < end; line++) copy_line(line);
            end_copies();
        }
        for (int row = begin; row < end; row++) {
            wait_for_copies<AHEAD - 1>();
            __syncthreads();
            const int line = row * ROW_STEP - all.top;
            if (row + AHEAD < end) {
#pragma unroll
                for (int i = 0; i < ROW_STEP; i++)
                    copy_line(line + (AHEAD - 1) * ROW_STEP + HIGH + i);
            }
            end_copies();
            float sums[PIXELS / 2];
            begin_products();
#pragma unroll
            for (int time = 0; time < TIMES; time++) {
                const int slot = (line + 2 * time / UNITS) & (LINES - 1);
                const u32 at = lines + slot * LINE + 2 * time % UNITS * 16;
                if (time == 0) multiply_units<0>(sums, filters[time], at);
                else multiply_units<1>(sums, filters[time], at);
            }
            end_products();
            auto pair = [&](int first, int second) {
                const float added = HAS_ONES ? 0.0f : bias[first / 2 % 2];
                return activated_pair<EARLY>(sums[first] + added, sums[second] + added, all.number);
            };
            if (!POOLED) {
#pragma unroll
                for (int i = 0; i < PIXELS / 2; i += 4) put(i / 4, pair(i, i + 1), pair(i + 2, i + 3));
                write(row);
                continue;
            }
            u32 made[2][PAIRS][2];
#pragma unroll
            for (int i = 0; i < 4 * PAIRS; i++) {
                const int half = i % 2, odd = i / 2 % 2, two = i / 4, first = 8 * two + 2 * half + odd;
                const int after = 16 * two + 2 * part + odd - all.out_width;
                u32 both = pair(first, first + 4);
                if (!WHOLE && after >= 0) both = LEAST;
                else if (!WHOLE && after >= -8) both = both & 0xffffu | LEAST & 0xffff0000u;
                made[half][two][odd] = both;
                most[half][two][odd] = larger(most[half][two][odd], both);
            }
            if (row % 2 ? row / 2 >= top : row == all.out_height - 1) pool(row / 2, most);
            if (row % 2) {
#pragma unroll
                for (int i = 0; i < 4 * PAIRS; i++)
                    most[i % 2][i / 4][i / 2 % 2] = made[i % 2][i / 4][i / 2 % 2];
            }
        }
    }
}
#elif defined(TALL)
// A convolution of images of DEPTH channels by filters of 3x3 with steps of one, its bias and an
// activation, for 32 channels of results.
//
// Pixels are the left factor. A team's memory has a part of an image: ROWS + 2 lines of PITCH pixels,
// zeros where there is none. Instructions read TALL times 64 pixels, one after the other over the ends of
// lines, and the same pixels further on for each element of a filter. The last two results of each line
// are of no use. Filters stay in memory, in an order that gives a thread eight neighboring channels.

const int SPAN = PITCH - 2, TAPS = 9, UNITS = DEPTH / 8, COLUMNS = 32;
const int W = TAPS * COLUMNS * DEPTH * 2, STAGE = PLANE * DEPTH * 2;  // bytes, multiples of 1024
static_assert(DEPTH % 64 == 0 && TEAM % UNITS == 0, "whole lines, and one part of them for a thread");
static_assert(64 * TALL >= ROWS * PITCH - 2, "all results");
static_assert(PLANE >= 2 * PITCH + 2 + 64 * TALL && PLANE % 8 == 0, "all that instructions read");

extern "C" __global__ void __launch_bounds__(TEAM * TEAMS, 1) few_results(const Convolution all) {
    const int team = threadIdx.x / TEAM, own = threadIdx.x % TEAM, lane = own % 32;
    const int across = (all.out_width + SPAN - 1) / SPAN, down = (all.out_height + ROWS - 1) / ROWS;
    const u32 start = (address_of(memory) + 1023) / 1024 * 1024, base = start + W + team * STAGE;
    const int tiles = all.images * down * across, step = gridDim.x * TEAMS;
    const int first = blockIdx.y * COLUMNS, part = own % UNITS;
    auto copy_tile = [&](int tile) {
        if (tile >= tiles) return;
        const int left = tile % across * SPAN - all.left;
        const int top = tile / across % down * ROWS - all.top;
        const u16 *x = all.x + tile / across / down * all.x_image + part * 8;
        for (int at = own / UNITS; at < (ROWS + 2) * PITCH; at += TEAM / UNITS) {
            const int line = top + at / PITCH, column = left + at % PITCH;
            const bool is_there = (u32)line < (u32)all.height && (u32)column < (u32)all.width;
            const u16 *from = x + (is_there ? line * all.x_row + column * all.x_column : 0);
            copy_16_or_zeros(base + place(at, part, PLANE), from, is_there);
        }
    };
    if (!all.early) wait_for_kernel();
    for (int at = threadIdx.x; at < COLUMNS * TAPS * UNITS; at += TEAM * TEAMS) {
        const int column = at / (TAPS * UNITS), eight = at % (TAPS * UNITS);
        const int row = column % 8 / 2 * 8 + column / 8 * 2 + column % 2;
        const u16 *from = all.w + (first + column) * (TAPS * DEPTH) + eight * 8;
        copy_16_or_zeros(start + place(row, eight, COLUMNS), from, true);
    }
    const int channel = lane % 4 * 8;
    float bias[8] = {};
    if (all.bias)
        for (int i = 0; i < 8; i++) bias[i] = wide(all.bias[first + channel + i]);
    if (all.early) wait_for_kernel();
    let_next_begin();
    copy_tile(blockIdx.x * TEAMS + team);
    end_copies();
    wait_for_copies<0>();
    __syncthreads();  // filters are there
    for (int begin = blockIdx.x * TEAMS; begin < tiles; begin += step) {
        const int tile = begin + team;
        wait_for_copies<0>();
        wait_for_team(team);
        float sums[TALL][16] = {};
        begin_products();
#pragma unroll 1
        for (int below = 0; below < 3; below++) {
#pragma unroll
            for (int right = 0; right < 3; right++) {
#pragma unroll
                for (int k = 0; k < DEPTH / 16; k++) {
                    const int tap = below * 3 + right;
                    const u32 w = start + (tap * (DEPTH / 64) + k / 4) * COLUMNS * LINE + k % 4 * 32;
                    const u32 x = base + (k / 4 * PLANE + below * PITCH + right) * LINE + k % 4 * 32;
#pragma unroll
                    for (int i = 0; i < TALL; i++)
                        multiply_tiles<COLUMNS, 1>(sums[i], x + i * 64 * LINE, w);
                }
            }
        }
        end_products();
        wait_for_team(team);  // all have read pixels
        copy_tile(tile + step);
        end_copies();
        const int left = tile % across * SPAN, top = tile / across % down * ROWS;
        const int rows = tile < tiles ? min(ROWS, all.out_height - top) : 0;
        const int columns = min(SPAN, all.out_width - left);
        u16 *y = all.y + tile / across / down * all.y_image + top * all.y_row + left * all.y_column
            + first + channel;
#pragma unroll
        for (int i = 0; i < 2 * TALL; i++) {
            const int at = own / 32 * 16 + i * 8 % 16 + i / 2 * 64 + lane / 4;
            const int row = at / PITCH, column = at % PITCH;
            if (row >= rows || column >= columns) continue;
            float numbers[8];
#pragma unroll
            for (int j = 0; j < 8; j++) {
                const float value = sums[i / 2][j / 2 * 4 + i % 2 * 2 + j % 2] + bias[j];
                numbers[j] = activated(value, all.number);
            }
            store<8>(y + row * all.y_row + column * all.y_column, numbers);
        }
    }
}
#elif defined(PITCH)
// A convolution of images of 64 channels by filters of 3x3 with steps of one, its bias and an
// activation, for 64 channels of results.
//
// Filters are the left factor, and stay in memory. A team's memory has a part of an image: ROWS + 2
// lines of PITCH pixels, zeros where there is none. An instruction reads TOGETHER pixels, one after the
// other over the ends of lines, and the same pixels further on for each element of a filter. The last
// two results of each line are of no use. The channels of a pixel are one of PLANE lines, whose parts
// are in the order of `place`. Teams take turns at instructions, so that one finishes and writes
// results while another one multiplies.

const int SPAN = PITCH - 2, UNITS = 8, TAPS = 9, W = 64 * TAPS * LINE;
const int OWN = PLANE * LINE, RESULTS = (TOGETHER + 15) / 16 * 16 * LINE;
const int STAGE = OWN + RESULTS;  // bytes of a team, a multiple of 1024
static_assert(TOGETHER >= ROWS * PITCH - 2, "all results");
static_assert(PLANE >= 2 * PITCH + 2 + TOGETHER, "all that instructions read");
static_assert(PLANE % 8 == 0, "whole groups of lines");

#ifdef __CUDA_ARCH__
__device__ __forceinline__ void put_columns(u32 to, const u32 *numbers) {
    asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};"
        :: "r"(to), "r"(numbers[0]), "r"(numbers[1]), "r"(numbers[2]), "r"(numbers[3]) : "memory");
}

// Each team begins its instructions when the team before it has given all of its own.
__device__ __forceinline__ void wait_for_turn(int team) {
    asm volatile("bar.sync %0, %1;" :: "r"(TEAMS + 1 + team), "n"(2 * TEAM) : "memory");
}

__device__ __forceinline__ void give_turn(int team) {
    asm volatile("bar.arrive %0, %1;" :: "r"(TEAMS + 1 + team), "n"(2 * TEAM) : "memory");
}

#define LIST_116 LIST_32 ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, " \
    "%46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, " \
    "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, " \
    "%82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, %99, " \
    "%100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, %112, %113, %114, %115"
#define ALL EIGHT(0), EIGHT(8), EIGHT(16), EIGHT(24), EIGHT(32), EIGHT(40), EIGHT(48), EIGHT(56), \
    EIGHT(64), EIGHT(72), EIGHT(80), EIGHT(88), EIGHT(96), EIGHT(104)
// Adds the products of 64 rows of filters and TOGETHER pixels, of 16 channels; ADDS is 0 for new sums.
template <int ADDS> __device__ __forceinline__ void multiply_pixels(float *sums, u32 w, u32 x) {
    const u64 left = (u64)(w >> 4) | KIND, right = (u64)(x >> 4) | KIND;
    if constexpr (TOGETHER == 232)
        FORM("232", LIST_116, "116", "117", "118", ALL, "+f"(sums[112]), "+f"(sums[113]),
            "+f"(sums[114]), "+f"(sums[115]));
    else
        FORM("240", LIST_116 ", %116, %117, %118, %119", "120", "121", "122", ALL, EIGHT(112));
}
#endif

extern "C" __global__ void __launch_bounds__(TEAM * TEAMS, 1) neighbors(const Convolution all) {
    const int team = threadIdx.x / TEAM, own = threadIdx.x % TEAM, lane = own % 32;
    const int across = (all.out_width + SPAN - 1) / SPAN, down = (all.out_height + ROWS - 1) / ROWS;
    const u32 start = (address_of(memory) + 1023) / 1024 * 1024, base = start + W + team * STAGE;
    const u32 results = base + OWN;
    const int tiles = all.images * down * across, step = gridDim.x * TEAMS;
    const int first = blockIdx.y * 64, part = own % UNITS;
    auto copy_tile = [&](int tile) {
        if (tile >= tiles) return;
        const int left = tile % across * SPAN - all.left;
        const int top = tile / across % down * ROWS - all.top;
        const u16 *x = all.x + tile / across / down * all.x_image + part * 8;
        for (int at = own / UNITS; at < (ROWS + 2) * PITCH; at += TEAM / UNITS) {
            const int line = top + at / PITCH, column = left + at % PITCH;
            const bool is_there = (u32)line < (u32)all.height && (u32)column < (u32)all.width;
            const u16 *from = x + (is_there ? line * all.x_row + column * all.x_column : 0);
            copy_16_or_zeros(base + place(at, part, PLANE), from, is_there);
        }
    };
    auto copy_residual = [&](int tile) {
        if (tile >= tiles) return;
        const int left = tile % across * SPAN, top = tile / across % down * ROWS;
        const u16 *from = all.residual + tile / across / down * all.residual_image + first + own % 8 * 8;
        for (int at = own / 8; at < ROWS * SPAN; at += TEAM / 8) {
            const int line = top + at / SPAN, column = left + at % SPAN;
            const bool is_there = line < all.out_height && column < all.out_width;
            const long long away = line * all.residual_row + column * all.residual_column;
            const u32 to = results + place(at / SPAN * PITCH + at % SPAN, own % 8, 0);
            copy_16_or_zeros(to, from + (is_there ? away : 0), is_there);
        }
    };
    if (!all.early) wait_for_kernel();
    for (int at = threadIdx.x; at < 64 * TAPS * UNITS; at += TEAM * TEAMS) {
        const int row = at / (TAPS * UNITS), eight = at % (TAPS * UNITS);
        copy_16_or_zeros(start + place(row, eight, 64), all.w + (first + row) * (TAPS * 64) + eight * 8, true);
    }
    const int channel = own / 32 * 16 + lane / 4;
    float bias[2];
    for (int half = 0; half < 2; half++)
        bias[half] = all.bias ? wide(all.bias[first + channel + 8 * half]) : 0.0f;
    if (all.early) wait_for_kernel();
    let_next_begin();
    copy_tile(blockIdx.x * TEAMS + team);
    end_copies();
    wait_for_copies<0>();
    __syncthreads();  // filters are there
    if (team == TEAMS - 1) give_turn(0);
    for (int begin = blockIdx.x * TEAMS; begin < tiles; begin += step) {
        const int tile = begin + team;
        wait_for_copies<0>();
        wait_for_team(team);
        if (ADDED) copy_residual(tile);
        end_copies();
        wait_for_turn(team);
        float sums[TOGETHER / 2];
        begin_products();
#pragma unroll
        for (int tap = 0; tap < TAPS; tap++) {
#pragma unroll
            for (int k = 0; k < 4; k++) {
                const u32 w = start + tap * 64 * LINE + k * 32;
                const u32 x = base + (tap / 3 * PITCH + tap % 3) * LINE + k * 32;
                if (tap == 0 && k == 0) multiply_pixels<0>(sums, w, x);
                else multiply_pixels<1>(sums, w, x);
            }
        }
        have_all_products();
        if (team < TEAMS - 1 || begin + step < tiles) give_turn((team + 1) % TEAMS);
        wait_for_products();
        wait_for_team(team);  // all have read pixels
        copy_tile(tile + step);
        end_copies();
        if (ADDED) {
            wait_for_copies<1>();
            wait_for_team(team);
        }
        // Groups of eight pixels, of this warp's 16 channels; two at a time, some of them together.
        const u32 goal = results + place(lane / 16 * 8 + lane % 8, own / 32 * 2 + lane / 8 % 2, 0);
        const int PAIRS = (TOGETHER + 15) / 16, AT_A_TIME = 5;
#pragma unroll
        for (int first_pair = 0; first_pair < PAIRS; first_pair += AT_A_TIME) {
            u32 found[AT_A_TIME][4] = {};
#pragma unroll
            for (int i = 0; i < AT_A_TIME; i++)
                if (ADDED) get_columns(found[i], goal + (first_pair + i) * 16 * LINE);
#pragma unroll
            for (int i = 0; i < AT_A_TIME; i++) {
#pragma unroll
                for (int k = 0; k < 4; k++) {
                    const int at = (first_pair + i) * 8 + k * 2;
                    u32 &word = found[i][k];
                    if (at >= TOGETHER / 2) break;  // of 232, the last pair has one group
                    const float low = sums[at] + bias[k % 2], high = sums[at + 1] + bias[k % 2];
                    word = activated_pair<ACTIVATION>(
                        low + wide((u16)word), high + wide((u16)(word >> 16)), all.number);
                }
                put_columns(goal + (first_pair + i) * 16 * LINE, found[i]);
            }
        }
        wait_for_team(team);
        const int left = tile % across * SPAN, top = tile / across % down * ROWS;
        const int rows = tile < tiles ? min(ROWS, all.out_height - top) : 0;
        const int columns = min(SPAN, all.out_width - left);
        u16 *y = all.y + tile / across / down * all.y_image + top * all.y_row + left * all.y_column
            + first + own % 8 * 8;
        const int TIMES = (ROWS * SPAN + TEAM / 8 - 1) / (TEAM / 8), AT_ONCE = 7;
#pragma unroll
        for (int time = 0; time < TIMES; time += AT_ONCE) {
            uint4 found[AT_ONCE];
#pragma unroll
            for (int i = 0; i < AT_ONCE; i++) {
                const int at = own / 8 + (time + i) * (TEAM / 8);
                const int pixel = min(at / SPAN * PITCH + at % SPAN, TOGETHER - 1);
                if (time + i < TIMES) found[i] = get_eight(results + place(pixel, own % 8, 0));
            }
#pragma unroll
            for (int i = 0; i < AT_ONCE; i++) {
                const int at = own / 8 + (time + i) * (TEAM / 8), row = at / SPAN, column = at % SPAN;
                const bool is_there = row < rows & column < columns & time + i < TIMES;
                if (is_there) *(uint4 *)(y + row * all.y_row + column * all.y_column) = found[i];
            }
        }
    }
}
#else
// The product of the channels of each pixel and a matrix, its bias, an addition and an activation, for
// many pixels: y = activation(x w + bias + residual). DEPTH channels become a multiple of COLUMNS.
//
// A block keeps COLUMNS rows of w in memory. Each of its TEAMS of 128 threads does tiles of 64 pixels,
// and has memory for STAGES of them. Results replace the residual there, and are written as whole lines.
//
// If NEXT is not 0, results have COLUMNS channels, and their product with another matrix of NEXT rows,
// its bias and activation follow: z = activation(y next + bias).

const int ROWS = 64;
const int X = ROWS * DEPTH * 2, Y = ROWS * COLUMNS * 2, STAGE = X + Y, W = COLUMNS * DEPTH * 2;
const int AFTER = COLUMNS * NEXT * 2, AHEAD = STAGES > 1 ? STAGES - 1 : 1;
const int PENDING = STAGES > 1 ? AHEAD - 1 : 1;  // groups of copies that need not be there
static_assert(DEPTH % 64 == 0 && COLUMNS % 128 == 0, "whole lines and instructions");
static_assert(NEXT == 0 || NEXT == 64 || NEXT == 128 && COLUMNS >= NEXT, "one instruction");

struct Pixels {
    const u16 *x, *w, *bias, *residual;
    u16 *y;
    const u16 *next, *next_bias;
    u16 *z;
    long long x_step, residual_step, y_step, z_step, rows;
    int columns;
    float number, next_number;
    int early;
};

#ifdef __CUDA_ARCH__
__device__ __forceinline__ void put_matrices(u32 to, const u32 *numbers) {
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};"
        :: "r"(to), "r"(numbers[0]), "r"(numbers[1]), "r"(numbers[2]), "r"(numbers[3]) : "memory");
}

#endif

// A number that is known when a function is compiled.
template <int NUMBER> struct Number {
    __device__ constexpr int operator()() const { return NUMBER; }
};

typedef Number<NEXT ? NEXT : 64> Next;  // of no use for 0

extern "C" __global__ void __launch_bounds__(TEAM * TEAMS, 1) pixels(const Pixels all) {
    const int slices = all.columns / COLUMNS, first = blockIdx.x % slices * COLUMNS;
    const int team = threadIdx.x / TEAM, own = threadIdx.x % TEAM, lane = own % 32;
    const u32 start = (address_of(memory) + 1023) / 1024 * 1024, after = start + W;
    const u32 stages = after + AFTER, gap = stages - address_of(memory);
    float *bias = (float *)((char *)memory + gap + TEAMS * STAGES * STAGE);
    const long long tiles = (all.rows + ROWS - 1) / ROWS;
    const long long begin = (long long)(blockIdx.x / slices) * TEAMS + team;
    const long long step = (long long)(gridDim.x / slices) * TEAMS;
    auto limit_of = [&](long long row) { return (int)min(all.rows - row, (long long)ROWS); };
    // Has this thread do its parts of 8 numbers of each line of a tile: body(place, from, is_there), for
    // the place in the tile at `tile` and the numbers of a line, whose first is at `from`.
    auto each_part = [&](u32 tile, auto *from, long long its_step, int limit, auto columns, auto body) {
        const int PARTS = columns() / 8, APART = TEAM / PARTS;
        const int line = own / PARTS, part = own % PARTS;
        const u32 first_place = tile + place(line, part, ROWS);
        from += line * its_step + part * 8;
#pragma unroll
        for (int i = 0; i < ROWS / APART; i++, from += APART * its_step) {
            const u32 turned = APART % 8 && i % 2 ? first_place ^ 64 : first_place;
            body(turned + i * APART * LINE, from, line + i * APART < limit);
        }
    };
    auto copy_x = [&](u32 to, long long tile) {
        if (tile >= tiles) return;
        const long long row = tile * ROWS;
        each_part(to, all.x + row * all.x_step, all.x_step, limit_of(row), Number<DEPTH>(), copy_16_or_zeros);
    };
    auto copy_residual = [&](u32 to, long long tile) {
        if (!ADDED || tile >= tiles) return;
        const long long row = tile * ROWS;
        each_part(to, all.residual + row * all.residual_step + first, all.residual_step,
            limit_of(row), Number<COLUMNS>(), copy_16_or_zeros);
    };
    if (!all.early) wait_for_kernel();
    auto copy_matrix = [&](u32 to, const u16 *from, int rows, int depth) {
        for (int at = threadIdx.x; at < rows * depth / 8; at += TEAM * TEAMS) {
            const int line = at / (depth / 8), eight = at % (depth / 8);
            copy_16_or_zeros(to + place(line, eight, rows), from + line * depth + eight * 8, true);
        }
    };
    copy_matrix(start, all.w + (long long)first * DEPTH, COLUMNS, DEPTH);
    if (NEXT) copy_matrix(after, all.next, NEXT, COLUMNS);
    for (int at = threadIdx.x; at < COLUMNS + NEXT; at += TEAM * TEAMS) {
        const u16 *from = at < COLUMNS ? all.bias : all.next_bias;
        bias[at] = from ? wide(from[at < COLUMNS ? first + at : at - COLUMNS]) : 0.0f;
    }
    if (all.early) wait_for_kernel();
    let_next_begin();
    const u32 base = stages + team * STAGES * STAGE;
    for (int s = 0; s < AHEAD; s++) {
        copy_x(base + s * STAGE, begin + s * step);
        if (STAGES == 1) end_copies();
        copy_residual(base + s * STAGE + X, begin + s * step);
        end_copies();
    }
    wait_for_copies<PENDING>();
    __syncthreads();  // rows of w are there: they were copied first
    int stage = 0;
    for (long long tile = begin; tile < tiles; tile += step, stage = (stage + 1) % STAGES) {
        const u32 x = base + stage * STAGE, y = x + X;
        wait_for_copies<PENDING>();
        wait_for_team(team);
        if (STAGES > 1) {
            const u32 next = base + (stage + AHEAD) % STAGES * STAGE;
            copy_x(next, tile + AHEAD * step);
            copy_residual(next + X, tile + AHEAD * step);
            end_copies();
        }
        float sums[COLUMNS / 128][64];
        begin_products();
#pragma unroll
        for (int k = 0; k < DEPTH / 16; k++) {
#pragma unroll
            for (int part = 0; part < COLUMNS / 128; part++) {
                const u32 left = x + k / 4 * ROWS * LINE + k % 4 * 32;
                const u32 right = start + k / 4 * COLUMNS * LINE + k % 4 * 32 + part * 128 * LINE;
                if (k == 0) multiply_tiles<128, 0>(sums[part], left, right);
                else multiply_tiles<128, 1>(sums[part], left, right);
            }
        }
        end_products();
        if (STAGES == 1) {
            wait_for_team(team);  // all have read x
            copy_x(x, tile + step);
            end_copies();
            if (ADDED) {
                wait_for_copies<1>();
                wait_for_team(team);
            }
        }
        // Finishes results of columns 8 j and 8 j + 8, and those eight rows further, for some j at a
        // time, so that the numbers that are added to them are on their way together.
        const int row = own / 32 * 16 + lane % 16;
        const u32 own_place = y + place(row, lane / 16, ROWS);
        auto put = [&](auto columns, const float *numbers, int their_bias, auto is_added, auto finish) {
            const int TIMES = columns() / 64;
#pragma unroll
            for (int time = 0; time < TIMES; time++) {
                u32 added[4][4] = {};
                float2 both[8];
#pragma unroll
                for (int i = 0; i < 4; i++)
                    if (is_added()) get_matrices(added[i], (own_place ^ i * 32) + time * ROWS * LINE);
#pragma unroll
                for (int i = 0; i < 8; i++)
                    both[i] = *(const float2 *)(bias + their_bias + time * 64 + i * 8 + lane % 4 * 2);
#pragma unroll
                for (int i = 0; i < 16; i++) {
                    const float *two = numbers + time * 32 + i * 2;
                    u32 &word = added[i / 4][i % 4];
                    const float low = two[0] + both[i / 2].x, high = two[1] + both[i / 2].y;
                    word = finish(low + wide((u16)word), high + wide((u16)(word >> 16)));
                }
#pragma unroll
                for (int i = 0; i < 4; i++)
                    put_matrices((own_place ^ i * 32) + time * ROWS * LINE, added[i]);
            }
        };
        // Lines are read together, and then written.
        auto write = [&](u16 *to, long long its_step, auto columns) {
            uint4 found[ROWS * columns() / 8 / TEAM];
            int i = 0;
            u16 *goal = to + tile * ROWS * its_step;
            each_part(y, goal, its_step, limit_of(tile * ROWS), columns,
                [&](u32 from, u16 *, bool) { found[i++] = get_eight(from); });
            i = 0;
            each_part(y, goal, its_step, limit_of(tile * ROWS), columns,
                [&](u32, u16 *goal, bool is_there) {
                    if (is_there) *(uint4 *)goal = found[i];
                    i++;
                });
        };
        put(Number<COLUMNS>(), sums[0], 0, Number<ADDED>(), [&](float low, float high) {
            return activated_pair<ACTIVATION>(low, high, all.number);
        });
        if (NEXT) show_instructions();
        wait_for_team(team);
        float others[NEXT ? NEXT / 2 : 1];
        if constexpr (NEXT != 0) {
            begin_products();
#pragma unroll
            for (int k = 0; k < COLUMNS / 16; k++) {
                const u32 left = y + k / 4 * ROWS * LINE + k % 4 * 32;
                const u32 right = after + k / 4 * NEXT * LINE + k % 4 * 32;
                if (k == 0) multiply_tiles<NEXT, 0>(others, left, right);
                else multiply_tiles<NEXT, 1>(others, left, right);
            }
        }
        write(all.y + first, all.y_step, Number<COLUMNS>());
        if constexpr (NEXT != 0) {
            end_products();
            wait_for_team(team);  // all have read y
            put(Next(), others, COLUMNS, Number<0>(), [&](float low, float high) {
                return activated_pair<NEXT_WORD>(low, high, all.next_number);
            });
            wait_for_team(team);
            write(all.z, all.z_step, Next());
        }
        if (STAGES > 1) continue;
        wait_for_team(team);
        copy_residual(y, tile + step);
        end_copies();
    }
}
#endif
