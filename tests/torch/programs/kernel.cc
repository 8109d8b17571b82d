// Runs a kernel on the CPU: SOURCE is its file, KERNEL its name. A block has one thread, or WARPS
// of 32.

#include <algorithm>
#include <barrier>
#include <cmath>
#include <cstring>
#include <thread>
#include <vector>

#ifndef WARPS
#define WARPS 0
#endif

struct Place {
    unsigned x, y, z;
};

const unsigned THREADS_OF_BLOCK = WARPS ? 32 * WARPS : 1;
static thread_local Place threadIdx{0, 0, 0};
static Place blockIdx{0, 0, 0}, blockDim{THREADS_OF_BLOCK, 1, 1}, gridDim{1, 1, 1};

struct float2 {
    float x, y;
};

struct alignas(16) float4 {
    float x, y, z, w;
};

struct alignas(16) uint4 {
    unsigned x, y, z, w;
};

#define __device__
#define __global__
#define __shared__ static
#define __forceinline__ inline
#define __noinline__
#define __launch_bounds__(...)
#define __align__(size) alignas(size)
#define HALF_TO_FLOAT(value, bits) value = convert<_Float16>(bits)
#define FLOAT_TO_HALF(bits, value) bits = convert<unsigned short>((_Float16)(value))
#define DIVIDE(x, y) ((x) / (y))
#define EXPONENTIAL(x) expf(x)
#define TICKET(at) (*(at))++
#define READ_PART(at) (*(at))
#define READ_ROW(row, at) std::memcpy((void *)&(row), at, sizeof(row))
#define BOUNDS
#define SHARED(type, name) static type *const name = (type *)memory_of_block

alignas(16) static char memory_of_block[1 << 18];

template <typename To, typename From>
static To convert(From from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    std::memcpy(&to, &from, sizeof(to));
    return to;
}

using std::fmaxf;
using std::fminf;
static float2 make_float2(float x, float y) { return {x, y}; }
static float __uint_as_float(unsigned bits) { return convert<float>(bits); }
static unsigned __float_as_uint(float value) { return convert<unsigned>(value); }
static std::barrier whole(THREADS_OF_BLOCK);
static void __syncthreads() { whole.arrive_and_wait(); }
static void __syncwarp() {}
static void wait_for_kernel() {}
static void let_next_begin() {}
static void __threadfence() {}
#if WARPS
static float __shfl_xor_sync(unsigned, float value, int lanes);
#else
static float __shfl_xor_sync(unsigned, float value, int) { return value; }
#endif
using std::max;
using std::min;

static unsigned __byte_perm(unsigned low, unsigned high, unsigned which) {
    const unsigned long long bytes = (unsigned long long)high << 32 | low;
    unsigned chosen = 0;
    for (int i = 0; i < 4; i++) chosen |= (bytes >> 8 * (which >> 4 * i & 7) & 255) << 8 * i;
    return chosen;
}

#include "numbers.cuh"

// The functions of blocks.cuh, for clusters of one block. An address may be before `memory_of_block`.
static u32 address_of(const void *shared) { return (u32)((const char *)shared - memory_of_block); }
static void copy_16_or_zeros(u32 to, const void *from, bool is_there) {
    *(uint4 *)(memory_of_block + (int)to) = is_there ? *(const uint4 *)from : uint4{};
}
static void copy_16(u32 to, const void *from) { copy_16_or_zeros(to, from, true); }
static void end_copies() {}
static void have_copies() { __syncthreads(); }
static void show_instructions() {}
static void arrive_at_cluster() {}
static void wait_for_cluster() { __syncthreads(); }

// The function of groups.cu.
static void send(float2 *to, float2 value, u32) { *to = value; }

#if WARPS
struct Warp {
    std::barrier<> barrier{32};
    u32 left[32][4], right[32][2];
};

static Warp warps[WARPS];

static float __shfl_xor_sync(unsigned, float value, int lanes) {
    Warp &warp = warps[threadIdx.x / 32];
    warp.left[threadIdx.x % 32][0] = __float_as_uint(value);
    warp.barrier.arrive_and_wait();
    const float found = __uint_as_float(warp.left[threadIdx.x % 32 ^ lanes][0]);
    warp.barrier.arrive_and_wait();
    return found;
}

static void multiply(float *sums, u32 a0, u32 a1, u32 a2, u32 a3, u32 b0, u32 b1) {
    Warp &warp = warps[threadIdx.x / 32];
    const int lane = threadIdx.x % 32;
    const u32 a[] = {a0, a1, a2, a3}, b[] = {b0, b1};
    std::copy(a, a + 4, warp.left[lane]);
    std::copy(b, b + 2, warp.right[lane]);
    warp.barrier.arrive_and_wait();
    for (int i = 0; i < 4; i++) {
        const int row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
        for (int k = 0; k < 16; k++) {
            const u32 left = warp.left[row % 8 * 4 + k % 8 / 2][row / 8 + k / 8 * 2];
            const u32 right = warp.right[column * 4 + k % 8 / 2][k / 8];
            sums[i] += wide((u16)(left >> k % 2 * 16)) * wide((u16)(right >> k % 2 * 16));
        }
    }
    warp.barrier.arrive_and_wait();
}
#endif

#if defined(PIXELS) || defined(TEAMS) || defined(PITCH)  // for images.cu
static u16 *number_in(u32 address) { return (u16 *)(memory_of_block + address); }
static void begin_products() {}
static void have_all_products() {}
static void wait_for_products() { __syncthreads(); }
static void end_products() { __syncthreads(); }
template <int> static void wait_for_copies() {}

static void put_two(u32 to, u32 numbers) { std::memcpy(memory_of_block + to, &numbers, 4); }
static uint4 get_eight(u32 from) { return *(uint4 *)number_in(from); }
static u32 pair_of(float low, float high) { return narrow(low) | (u32)narrow(high) << 16; }

static u16 larger_of(u16 one, u16 other) {
    return wide(one) != wide(one) || wide(one) > wide(other) ? one : other;
}

static u32 larger(u32 one, u32 other) {
    return larger_of((u16)one, (u16)other) | (u32)larger_of(one >> 16, other >> 16) << 16;
}
#endif

#ifdef TEAMS
static void wait_for_team(int) { __syncthreads(); }
static u32 get_two(u32 from) { return *(u32 *)number_in(from); }

// A number of a line, whose parts are in another order in each of eight lines.
static float number_of(u32 address, int line, int column) {
    const u32 at = address + line * 128 + column * 2;
    return wide(*number_in(at ^ at / 128 % 8 * 16));
}

#if defined(PITCH) && !defined(TALL)
static void wait_for_turn(int) {}
static void give_turn(int) {}

static void get_columns(u32 *found, u32 from) {
    Warp &warp = warps[threadIdx.x / 32];
    const int lane = threadIdx.x % 32;
    warp.right[lane][0] = from;
    warp.barrier.arrive_and_wait();
    for (int i = 0; i < 8; i++) {
        const int column = lane % 4 * 2 + i % 2, row = lane / 4;
        const u32 bits = number_in(warp.right[i / 2 * 8 + column][0])[row];
        found[i / 2] = i % 2 ? found[i / 2] | bits << 16 : bits;
    }
    warp.barrier.arrive_and_wait();
}

static void put_columns(u32 to, const u32 *numbers) {
    Warp &warp = warps[threadIdx.x / 32];
    const int lane = threadIdx.x % 32;
    std::copy(numbers, numbers + 4, warp.left[lane]);
    warp.right[lane][0] = to;
    warp.barrier.arrive_and_wait();
    for (int i = 0; i < 8; i++) {
        const int column = lane % 4 * 2 + i % 2, row = lane / 4;
        const u32 goal = warp.right[i / 2 * 8 + column][0];
        *number_in(goal + 2 * row) = warp.left[lane][i / 2] >> i % 2 * 16;
    }
    warp.barrier.arrive_and_wait();
}

template <int ADDS> static void multiply_pixels(float *sums, u32 w, u32 x) {
    for (int i = 0; i < TOGETHER / 2; i++) {
        const int row = threadIdx.x / 32 % 4 * 16 + threadIdx.x % 32 / 4 + i / 2 % 2 * 8;
        const int column = i / 4 * 8 + threadIdx.x % 4 * 2 + i % 2;
        if (!ADDS) sums[i] = 0.0f;
        for (int k = 0; k < 16; k++)
            sums[i] += number_of(w, row, k) * number_of(x, column, k);
    }
}
#else
static void get_matrices(u32 *found, u32 from) {
    Warp &warp = warps[threadIdx.x / 32];
    const int lane = threadIdx.x % 32;
    warp.right[lane][0] = from;
    warp.barrier.arrive_and_wait();
    for (int i = 0; i < 4; i++)
        found[i] = *(u32 *)number_in(warp.right[i * 8 + lane / 4][0] + lane % 4 * 4);
    warp.barrier.arrive_and_wait();
}

static void put_matrices(u32 to, const u32 *numbers) {
    Warp &warp = warps[threadIdx.x / 32];
    const int lane = threadIdx.x % 32;
    warp.right[lane][0] = to;
    warp.barrier.arrive_and_wait();
    for (int i = 0; i < 4; i++)
        put_two(warp.right[i * 8 + lane / 4][0] + lane % 4 * 4, numbers[i]);
    warp.barrier.arrive_and_wait();
}

template <int COUNT, int ADDS> static void multiply_tiles(float *sums, u32 x, u32 w) {
    for (int i = 0; i < COUNT / 2; i++) {
        const int row = threadIdx.x / 32 % 4 * 16 + threadIdx.x % 32 / 4 + i / 2 % 2 * 8;
        const int column = i / 4 * 8 + threadIdx.x % 4 * 2 + i % 2;
        if (!ADDS) sums[i] = 0.0f;
        for (int k = 0; k < 16; k++) sums[i] += number_of(x, row, k) * number_of(w, column, k);
    }
}
#endif
#endif

#ifdef PIXELS

static void copy_two(u32 to, const u16 *from, int count) {
    u32 both = 0;
    std::memcpy(&both, from, 2 * count);
    put_two(to, both);
}

static u32 of_lane(u32 bits, int lane) {
    Warp &warp = warps[threadIdx.x / 32];
    warp.left[threadIdx.x % 32][0] = bits;
    warp.barrier.arrive_and_wait();
    const u32 found = warp.left[lane][0];
    warp.barrier.arrive_and_wait();
    return found;
}

static void put_columns(u32 to, u32 first, u32 second) {
    Warp &warp = warps[threadIdx.x / 32];
    const int lane = threadIdx.x % 32;
    warp.left[lane][0] = first, warp.left[lane][1] = second, warp.right[lane][0] = to;
    warp.barrier.arrive_and_wait();
    for (int i = 0; i < 4; i++) {
        const int column = lane % 4 * 2 + i % 2, row = lane / 4;
        const u32 goal = warp.right[i / 2 * 8 + column][0];
        *number_in(goal + 2 * row) = warp.left[lane][i / 2] >> i % 2 * 16;
    }
    warp.barrier.arrive_and_wait();
}

template <int ADDS> static void multiply_units(float *sums, const u32 *w, u32 address) {
    Warp &warp = warps[threadIdx.x / 32];
    const int lane = threadIdx.x % 32;
    std::copy(w, w + 4, warp.left[lane]);
    warp.barrier.arrive_and_wait();
    for (int i = 0; i < PIXELS / 2; i++) {
        const int row = lane / 4 + i / 2 % 2 * 8, column = i / 4 * 8 + lane % 4 * 2 + i % 2;
        if (!ADDS) sums[i] = 0.0f;
        for (int k = 0; k < 16; k++) {
            const u32 left = warp.left[row % 8 * 4 + k % 8 / 2][row / 8 + k / 8 * 2];
            const u16 right = number_in(address + (column + k / 8) * 16)[k % 8];
            sums[i] += wide((u16)(left >> k % 2 * 16)) * wide(right);
        }
    }
    warp.barrier.arrive_and_wait();
}
#endif

#include SOURCE

template <typename Argument>
static void run(void (*kernel)(Argument), const void *given, unsigned x, unsigned y, unsigned z) {
    Argument argument;
    std::memcpy((void *)&argument, given, sizeof(argument));
    gridDim = {x, y, z};
    for (blockIdx.z = 0; blockIdx.z < z; blockIdx.z++) {
        for (blockIdx.y = 0; blockIdx.y < y; blockIdx.y++) {
            for (blockIdx.x = 0; blockIdx.x < x; blockIdx.x++) {
                if (!WARPS) {
                    kernel(argument);
                    continue;
                }
                std::memset(memory_of_block, 0x7f, sizeof(memory_of_block));  // NaN
                std::vector<std::thread> threads;
                for (unsigned i = 0; i < THREADS_OF_BLOCK; i++)
                    threads.emplace_back([=] { threadIdx = {i, 0, 0}, kernel(argument); });
                for (auto &each : threads) each.join();
            }
        }
    }
}

template <typename Argument>
static int size(void (*)(Argument)) { return sizeof(Argument); }

extern "C" int size_of(void) { return size(KERNEL); }

extern "C" void run_all(const void *argument, unsigned x, unsigned y, unsigned z) {
    run(KERNEL, argument, x, y, z);
}
