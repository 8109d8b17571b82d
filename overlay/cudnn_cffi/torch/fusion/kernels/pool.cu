// The largest number of each window, and its gradient, or the mean of windows that have no padding;
// channels are innermost in memory.
//
// A thread does VECTOR channels of a pixel. NaN is more than all numbers.

#ifndef MEAN
#define MEAN 0
#endif

struct Pool {
    number *x, *y;                   // or their gradients
    u8 *places;                      // of the largest in windows, for PLACES
    long long x_image, x_row, rows;  // strides of x, and pixels of what is written
    int channels, height, width, out_height, out_width;
    int top, left, row_gap, gap;
};

struct __align__(VECTOR) Places {
    u8 each[VECTOR];
};

__device__ __forceinline__ long long quotient(long long all, int by) {
    return all >> 31 ? all / by : (long long)((u32)all / (u32)by);
}

// Reads of places that are outside are of the next one inside: all are on their way at once.
__device__ __forceinline__ int inside(int at, int count) { return max(0, min(at, count - 1)); }

extern "C" __global__ void pool(const Pool all) {
    each_lane<VECTOR>(all.channels, [&](int channel, long long row, long long step) {
        for (; row < all.rows; row += step) {
            const long long slice = quotient(row, all.out_width);
            const long long image = quotient(slice, all.out_height);
            const int left = (int)(row - slice * all.out_width) * ACROSS - all.left;
            const int top = (int)(slice - image * all.out_height) * DOWN - all.top;
            const number *from = all.x + image * all.x_image + channel;
            float most[VECTOR] = {};
            Places places = {};
            bool is_first = true;
#pragma unroll
            for (int tap = 0; tap < HIGH * WIDE; tap++) {
                const int line = top + tap / WIDE * all.row_gap, column = left + tap % WIDE * all.gap;
                const int real = inside(line, all.height), own = inside(column, all.width);
                float numbers[VECTOR];
                load<VECTOR>(from + ((long long)real * all.width + own) * all.x_row, numbers);
                const bool is_inside = line == real && column == own;
#pragma unroll
                for (int i = 0; i < VECTOR; i++) {
                    const bool is_more = numbers[i] > most[i] || numbers[i] != numbers[i];
                    if (MEAN) most[i] += numbers[i];
                    else if (is_inside && (is_first || is_more))
                        most[i] = numbers[i], places.each[i] = (u8)tap;
                }
                is_first = is_first && !is_inside;
            }
#pragma unroll
            for (int i = 0; MEAN && i < VECTOR; i++) most[i] /= HIGH * WIDE;
            store<VECTOR>(all.y + row * all.channels + channel, most);
            if (PLACES) *(Places *)(all.places + row * all.channels + channel) = places;
        }
    });
}

// Windows have a pixel in common along both axes: no more than these.
const int HIGHS = (HIGH + DOWN - 1) / DOWN, WIDES = (WIDE + ACROSS - 1) / ACROSS, NOWHERE = 255;

// Windows whose taps have no gaps.
extern "C" __global__ void pool_gradient(const Pool all) {
    each_lane<VECTOR>(all.channels, [&](int channel, long long row, long long step) {
        for (; row < all.rows; row += step) {
            const long long slice = quotient(row, all.width), image = quotient(slice, all.height);
            const u32 column = (u32)(row - slice * all.width) + all.left;
            const u32 line = (u32)(slice - image * all.height) + all.top;
            const int above = (int)(line / DOWN) - HIGHS + 1, before = (int)(column / ACROSS) - WIDES + 1;
            float sums[VECTOR] = {};
#pragma unroll
            for (int i = 0; i < HIGHS; i++) {
                const int high = above + i, down = (int)line - high * DOWN;
                if (high != inside(high, all.out_height) || down >= HIGH) continue;
                const long long first = (image * all.out_height + high) * all.out_width;
#pragma unroll
                for (int j = 0; j < WIDES; j++) {
                    const int wide = before + j, across = (int)column - wide * ACROSS;
                    const int own = inside(wide, all.out_width);
                    const int tap = wide == own && across < WIDE ? down * WIDE + across : NOWHERE;
                    const long long at = (first + own) * all.channels + channel;
                    const Places places = *(const Places *)(all.places + at);
                    float dy[VECTOR];
                    load<VECTOR>(all.y + at, dy);
#pragma unroll
                    for (int k = 0; k < VECTOR; k++) sums[k] += places.each[k] == tap ? dy[k] : 0.0f;
                }
            }
            store<VECTOR>(all.x + row * all.x_row + channel, sums);
        }
    });
}
