// The largest number of each window; channels are innermost in memory.
//
// A thread does VECTOR channels of a pixel. NaN is more than all numbers.

struct Pool {
    const u16 *x;
    u16 *y;
    long long x_image, x_row, rows;  // strides of x, and pixels of y
    int channels, height, width, out_height, out_width;
    int row_step, step, top, left, row_gap, gap;
};

extern "C" __global__ void pool(const Pool all) {
    each_lane<VECTOR>(all.channels, [&](int channel, long long row, long long step) {
        for (; row < all.rows; row += step) {
            const long long slice = row / all.out_width, image = slice / all.out_height;
            const int left = (int)(row - slice * all.out_width) * all.step - all.left;
            const int top = (int)(slice - image * all.out_height) * all.row_step - all.top;
            const u16 *from = all.x + image * all.x_image + channel;
            float most[VECTOR];
#pragma unroll
            for (int i = 0; i < VECTOR; i++) most[i] = __uint_as_float(0xff800000u);
#pragma unroll
            for (int tap = 0; tap < HIGH * WIDE; tap++) {
                const int line = top + tap / WIDE * all.row_gap, column = left + tap % WIDE * all.gap;
                if ((u32)line >= (u32)all.height || (u32)column >= (u32)all.width) continue;
                float numbers[VECTOR];
                load<VECTOR>(from + ((long long)line * all.width + column) * all.x_row, numbers);
#pragma unroll
                for (int i = 0; i < VECTOR; i++)
                    if (numbers[i] > most[i] || numbers[i] != numbers[i]) most[i] = numbers[i];
            }
            store<VECTOR>(all.y + row * all.channels + channel, most);
        }
    });
}
