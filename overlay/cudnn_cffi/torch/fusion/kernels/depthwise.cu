// A convolution with one filter for each channel, its bias, an addition and an activation; channels
// are innermost in memory.
//
// A thread computes TILE outputs of a row, side by side, and ROWS of such rows, of two channels. It
// reads an input once for all of them. Rows of filters are read WINDOW taps at a time.

struct Depthwise {
    const u16 *x, *w, *bias, *residual;  // w is (channels, HIGH, WIDE)
    u16 *y;
    long long x_image, x_row, x_column, residual_image, residual_row, residual_column;
    long long y_image, y_row, y_column;  // strides
    int images, channels, height, width, out_height, out_width;
    int row_step, top, left;
    int pairs;  // of channels, of a block
    float number;
};

const int SIZE = HIGH * WIDE, TAPS = (WIDE + WINDOW - 1) / WINDOW * WINDOW;
const int READ = (TILE - 1) * STEP + WINDOW, BATCH = 8;

SHARED(float, filters);  // [HIGH][TAPS][2 stride]

extern "C" __global__ void depthwise(const Depthwise all) {
    const int pairs = all.pairs, begin = blockIdx.y * pairs;
    const int stride = pairs | 1;  // so that threads write to different banks
    for (int at = threadIdx.x; at < 2 * pairs * HIGH * (TAPS - WIDE); at += blockDim.x) {
        const int row = at / (2 * pairs) / (TAPS - WIDE + (TAPS == WIDE));
        const int tap = WIDE + at / (2 * pairs) % (TAPS - WIDE + (TAPS == WIDE));
        filters[2 * ((row * TAPS + tap) * stride) + at % (2 * pairs)] = 0.0f;
    }
    // Two numbers at once, and many before they are written: each read takes long.
    const u32 *given = (const u32 *)(all.w + (long long)2 * begin * SIZE);
    const int numbers = min(pairs, all.channels / 2 - begin) * SIZE;
    for (int first = threadIdx.x; first < numbers; first += BATCH * blockDim.x) {
        u32 read[BATCH];
#pragma unroll
        for (int i = 0; i < BATCH; i++) {
            const int at = first + i * blockDim.x;
            if (at < numbers) read[i] = given[at];
        }
#pragma unroll
        for (int i = 0; i < BATCH; i++) {
            const int at = first + i * blockDim.x;
            if (at >= numbers) break;
#pragma unroll
            for (int k = 0; k < 2; k++) {
                const int channel = (2 * at + k) / SIZE, place = 2 * at + k - channel * SIZE;
                const int row = place / WIDE, tap = place - row * WIDE;
                filters[2 * (row * TAPS + tap) * stride + channel] = wide((u16)(read[i] >> 16 * k));
            }
        }
    }
    __syncthreads();
    const int teams = blockDim.x < pairs ? 1 : blockDim.x / pairs;  // threads with the same channels
    // A thread has one pair, unless it is alone in its block.
    const int own = threadIdx.x % pairs, step = blockDim.x < pairs ? 1 : pairs;
    const int strips = (all.out_width + TILE - 1) / TILE;
    const int bands = (all.out_height + ROWS - 1) / ROWS;
    const u32 count = (u32)all.images * bands * strips;
    for (int pair = own; pair < pairs; pair += step) {
        const int channel = 2 * (begin + pair);
        if (channel >= all.channels || threadIdx.x >= teams * pairs) break;
        float2 bias = make_float2(0, 0);
        if (all.bias) bias = make_float2(wide(all.bias[channel]), wide(all.bias[channel + 1]));
        for (u32 item = blockIdx.x * teams + threadIdx.x / pairs; item < count;
             item += gridDim.x * teams) {
            const int strip = item % strips, out_row = item / strips % bands * ROWS;
            const long long image = item / strips / bands;
            const int column = strip * TILE * STEP - all.left;
            const int row = out_row * all.row_step - all.top;
            float2 sums[ROWS][TILE];
#pragma unroll
            for (int o = 0; o < ROWS; o++)
#pragma unroll
                for (int t = 0; t < TILE; t++) sums[o][t] = bias;
            // More than one row is computed with steps of one row alone.
            for (int down = 0; down < HIGH + ROWS - 1; down++) {
                if ((u32)(row + down) >= (u32)all.height) continue;
                const u16 *from = all.x + image * all.x_image + (row + down) * all.x_row + channel;
                for (int first = 0; first < TAPS; first += WINDOW) {
                    float2 values[READ];
#pragma unroll
                    for (int j = 0; j < READ; j++) {
                        const int at = column + first + j;
                        values[j] = make_float2(0, 0);
                        if ((u32)at < (u32)all.width) {
                            float both[2];
                            load<2>(from + at * all.x_column, both);
                            values[j] = make_float2(both[0], both[1]);
                        }
                    }
#pragma unroll
                    for (int o = 0; o < ROWS; o++) {
                        if (ROWS > 1 && (u32)(down - o) >= (u32)HIGH) continue;
                        const float *filter
                            = filters + 2 * (((down - o) * TAPS + first) * stride + pair);
#pragma unroll
                        for (int tap = 0; tap < WINDOW; tap++) {
                            const float2 factor = *(const float2 *)(filter + 2 * tap * stride);
#pragma unroll
                            for (int t = 0; t < TILE; t++) {
                                sums[o][t].x += values[t * STEP + tap].x * factor.x;
                                sums[o][t].y += values[t * STEP + tap].y * factor.y;
                            }
                        }
                    }
                }
            }
#pragma unroll
            for (int o = 0; o < ROWS; o++) {
                if (out_row + o >= all.out_height) break;
                u16 *to = all.y + image * all.y_image + (out_row + o) * all.y_row + channel;
                const u16 *added = all.residual + image * all.residual_image
                    + (out_row + o) * all.residual_row + channel;
#pragma unroll
                for (int t = 0; t < TILE; t++) {
                    const int at = strip * TILE + t;
                    if (at >= all.out_width) break;
                    float both[2] = {};
                    if (all.residual) load<2>(added + at * all.residual_column, both);
                    both[0] = activated(sums[o][t].x + both[0], all.number);
                    both[1] = activated(sums[o][t].y + both[1], all.number);
                    store<2>(to + at * all.y_column, both);
                }
            }
        }
    }
}
