// A convolution with groups of IN to OUT channels by tensor cores, its bias, an addition and an
// activation; channels are innermost in memory, of filters, (groups, OUT, HIGH, WIDE, IN), too, and
// multiples of 8.
//
// A block has the filters of one group, and computes tiles of TALL x BROAD pixels: each warp 32 of
// them, for all channels of the group. Sums are over the taps of a filter, one after the other.

const int THREADS = 256, TAPS = HIGH * WIDE, CHUNKS = TAPS * (IN / 8);
const int ROWS = (TALL - 1) * ROW_STEP + HIGH, COLUMNS = (BROAD - 1) * STEP + WIDE;  // of inputs
// Words of a pixel, and of a filter, so that eight of them begin in different banks.
const int PIXEL = IN / 2 + (IN / 8 + 1) % 2 * 4, FILTER = 4 * CHUNKS + (CHUNKS + 1) % 2 * 4;

SHARED(u32, memory);

extern "C" __global__ void __launch_bounds__(THREADS, 2) grouped(const Convolution all) {
    u32 *filters = memory, *inputs = filters + OUT * FILTER;
    const int group = blockIdx.y, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int own = lane / 4, part = lane % 4;
    if (!all.early) wait_for_kernel();
    const uint4 *w = (const uint4 *)all.w + (long long)group * OUT * CHUNKS;
#pragma unroll 4
    for (int at = threadIdx.x; at < OUT * CHUNKS; at += THREADS)
        *(uint4 *)(filters + at / CHUNKS * FILTER + at % CHUNKS * 4) = w[at];
    if (all.early) wait_for_kernel();
    let_next_begin();
    int begins[4];  // of the inputs of this thread's pixels
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const int pixel = warp * 32 + i * 8 + own, at = pixel < TALL * BROAD ? pixel : 0;
        begins[i] = (at / BROAD * ROW_STEP * COLUMNS + at % BROAD * STEP) * PIXEL + part;
    }
    const int tiles_down = (all.out_height + TALL - 1) / TALL;
    const int tiles_across = (all.out_width + BROAD - 1) / BROAD;
    const int items = all.images * tiles_down * tiles_across;
    for (int item = blockIdx.x; item < items; item += gridDim.x) {
        const int left = item % tiles_across * BROAD, top = item / tiles_across % tiles_down * TALL;
        const long long image = item / tiles_across / tiles_down;
        const u16 *x = all.x + image * all.x_image + group * IN;
        __syncthreads();
#pragma unroll 4
        for (int at = threadIdx.x; at < ROWS * COLUMNS * (IN / 8); at += THREADS) {
            const int pixel = at / (IN / 8), chunk = at % (IN / 8);
            const int row = top * ROW_STEP - all.top + pixel / COLUMNS;
            const int column = left * STEP - all.left + pixel % COLUMNS;
            uint4 numbers = {};
            if ((u32)row < (u32)all.height && (u32)column < (u32)all.width)
                numbers = *(const uint4 *)(x + row * all.x_row + column * all.x_column + 8 * chunk);
            *(uint4 *)(inputs + pixel * PIXEL + 4 * chunk) = numbers;
        }
        __syncthreads();
        if (warp * 32 >= TALL * BROAD) continue;
        float sums[2][OUT / 8][4] = {};
#pragma unroll
        for (int step = 0; step < (CHUNKS + 1) / 2; step++) {
            u32 a[2][4] = {};
#pragma unroll
            for (int half = 0; half < 2; half++) {
                const int chunk = 2 * step + half, tap = chunk / (IN / 8);
                const int place = (tap / WIDE * COLUMNS + tap % WIDE) * PIXEL + chunk % (IN / 8) * 4;
#pragma unroll
                for (int i = 0; i < 4 && chunk < CHUNKS; i++)
                    a[i / 2][i % 2 + 2 * half] = inputs[begins[i] + place];
            }
#pragma unroll
            for (int j = 0; j < OUT / 8; j++) {
                const u32 *filter = filters + (8 * j + own) * FILTER + 8 * step + part;
                const u32 low = filter[0], high = 2 * step + 1 < CHUNKS ? filter[4] : 0;
#pragma unroll
                for (int i = 0; i < 2; i++)
                    multiply(sums[i][j], a[i][0], a[i][1], a[i][2], a[i][3], low, high);
            }
        }
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int pixel = warp * 32 + i * 8 + own;
            const int row = top + pixel / BROAD, column = left + pixel % BROAD;
            if (pixel >= TALL * BROAD || row >= all.out_height || column >= all.out_width) continue;
            u16 *to = all.y + image * all.y_image + row * all.y_row + column * all.y_column;
            const u16 *added = all.residual + image * all.residual_image
                + row * all.residual_row + column * all.residual_column;
#pragma unroll
            for (int j = 0; j < OUT / 8; j++) {
                const int channel = group * OUT + 8 * j + 2 * part;
                float both[2] = {sums[i / 2][j][i % 2 * 2], sums[i / 2][j][i % 2 * 2 + 1]};
                float bias[2] = {}, more[2] = {};
                if (all.bias) load<2>(all.bias + channel, bias);
                if (all.residual) load<2>(added + channel, more);
#pragma unroll
                for (int k = 0; k < 2; k++)
                    both[k] = activated(both[k] + bias[k] + more[k], all.number);
                store<2>(to + channel, both);
            }
        }
    }
}
