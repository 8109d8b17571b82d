// The largest number of each window, and its gradient; channels are innermost in memory.
//
// A thread does VECTOR channels of a pixel. NaN is more than all numbers.

struct Pool {
    number *x, *y;                   // or their gradients
    u8 *places;                      // of the largest in windows, for PLACES
    long long x_image, x_row, rows;  // strides of x, and pixels of what is written
    int channels, height, width, out_height, out_width;
    int row_step, step, top, left, row_gap, gap;
};

struct __align__(VECTOR) Places {
    u8 each[VECTOR];
};

__device__ __forceinline__ long long quotient(long long all, int by) {
    return all >> 31 ? all / by : (long long)((u32)all / (u32)by);
}

extern "C" __global__ void pool(const Pool all) {
    each_lane<VECTOR>(all.channels, [&](int channel, long long row, long long step) {
        for (; row < all.rows; row += step) {
            const long long slice = quotient(row, all.out_width);
            const long long image = quotient(slice, all.out_height);
            const int left = (int)(row - slice * all.out_width) * all.step - all.left;
            const int top = (int)(slice - image * all.out_height) * all.row_step - all.top;
            const number *from = all.x + image * all.x_image + channel;
            float most[VECTOR];
            Places places;
            bool is_first = true;
#pragma unroll
            for (int tap = 0; tap < HIGH * WIDE; tap++) {
                const int line = top + tap / WIDE * all.row_gap, column = left + tap % WIDE * all.gap;
                if ((u32)line >= (u32)all.height || (u32)column >= (u32)all.width) continue;
                float numbers[VECTOR];
                load<VECTOR>(from + ((long long)line * all.width + column) * all.x_row, numbers);
#pragma unroll
                for (int i = 0; i < VECTOR; i++) {
                    if (is_first || numbers[i] > most[i] || numbers[i] != numbers[i])
                        most[i] = numbers[i], places.each[i] = (u8)tap;
                }
                is_first = false;
            }
            store<VECTOR>(all.y + row * all.channels + channel, most);
            if (PLACES) *(Places *)(all.places + row * all.channels + channel) = places;
        }
    });
}

// The first window that has a line, and the one after the last.
__device__ __forceinline__ int first_of(int line, int extent, int step) {
    return line < extent ? 0 : (int)((u32)(line - extent) / (u32)step) + 1;
}

__device__ __forceinline__ int end_of(int line, int step, int windows) {
    return min(windows, (int)((u32)line / (u32)step) + 1);
}

// Windows whose taps have no gaps.
extern "C" __global__ void pool_gradient(const Pool all) {
    each_lane<VECTOR>(all.channels, [&](int channel, long long row, long long step) {
        for (; row < all.rows; row += step) {
            const long long slice = quotient(row, all.width), image = quotient(slice, all.height);
            const int column = (int)(row - slice * all.width) + all.left;
            const int line = (int)(slice - image * all.height) + all.top;
            const int end = end_of(line, all.row_step, all.out_height);
            const int last = end_of(column, all.step, all.out_width);
            float sums[VECTOR] = {};
            for (int above = first_of(line, HIGH, all.row_step); above < end; above++) {
                for (int before = first_of(column, WIDE, all.step); before < last; before++) {
                    const int tap = (line - above * all.row_step) * WIDE + column - before * all.step;
                    const long long at = ((image * all.out_height + above) * all.out_width + before)
                                             * all.channels + channel;
                    const Places places = *(const Places *)(all.places + at);
                    float dy[VECTOR];
                    load<VECTOR>(all.y + at, dy);
#pragma unroll
                    for (int i = 0; i < VECTOR; i++) sums[i] += places.each[i] == tap ? dy[i] : 0.0f;
                }
            }
            store<VECTOR>(all.x + row * all.x_row + channel, sums);
        }
    });
}
