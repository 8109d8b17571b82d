// A convolution with one filter for each channel, its bias, an addition and an activation; channels
// are innermost in memory.
//
// A thread computes TILE outputs of a row, side by side, of two channels. It reads an input once for
// all taps of a row. Rows of filters are read WINDOW taps at a time.

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

SHARED(float, filters);  // [HIGH][TAPS][2 stride]

extern "C" __global__ void depthwise(const Depthwise all) {
    const int pairs = all.pairs, begin = blockIdx.y * pairs;
    const int stride = pairs | 1;  // so that threads write to different banks
    for (int at = threadIdx.x; at < 2 * pairs * HIGH * (TAPS - WIDE); at += blockDim.x) {
        const int row = at / (2 * pairs) / (TAPS - WIDE + (TAPS == WIDE));
        const int tap = WIDE + at / (2 * pairs) % (TAPS - WIDE + (TAPS == WIDE));
        filters[2 * ((row * TAPS + tap) * stride) + at % (2 * pairs)] = 0.0f;
    }
    const u16 *given = all.w + (long long)2 * begin * SIZE;
    const int numbers = min(2 * pairs, all.channels - 2 * begin) * SIZE;
    for (int at = threadIdx.x; at < numbers; at += blockDim.x) {
        const int channel = at / SIZE, place = at - channel * SIZE;
        const int row = place / WIDE, tap = place - row * WIDE;
        filters[2 * (row * TAPS + tap) * stride + channel] = wide(given[at]);
    }
    __syncthreads();
    const int teams = blockDim.x < pairs ? 1 : blockDim.x / pairs;  // threads with the same channels
    // A thread has one pair, unless it is alone in its block.
    const int own = threadIdx.x % pairs, step = blockDim.x < pairs ? 1 : pairs;
    const int strips = (all.out_width + TILE - 1) / TILE;
    const u32 count = (u32)all.images * all.out_height * strips;
    for (int pair = own; pair < pairs; pair += step) {
        const int channel = 2 * (begin + pair);
        if (channel >= all.channels || threadIdx.x >= teams * pairs) break;
        float2 bias = make_float2(0, 0);
        if (all.bias) bias = make_float2(wide(all.bias[channel]), wide(all.bias[channel + 1]));
        for (u32 item = blockIdx.x * teams + threadIdx.x / pairs; item < count;
             item += gridDim.x * teams) {
            int strip = item % strips, out_row = item / strips % all.out_height;
            long long image = item / strips / all.out_height;
            int column = strip * TILE * STEP - all.left, row = out_row * all.row_step - all.top;
            float2 sums[TILE];
#pragma unroll
            for (int t = 0; t < TILE; t++) sums[t] = bias;
            for (int down = 0; down < HIGH; down++) {
                if ((u32)(row + down) >= (u32)all.height) continue;
                const u16 *from = all.x + image * all.x_image + (row + down) * all.x_row + channel;
                for (int first = 0; first < TAPS; first += WINDOW) {
                    const float *filter = filters + 2 * ((down * TAPS + first) * stride + pair);
#pragma unroll
                    for (int j = 0; j < (TILE - 1) * STEP + WINDOW; j++) {
                        int at = column + first + j;
                        float2 value = make_float2(0, 0);
                        if ((u32)at < (u32)all.width) {
                            float pair[2];
                            load<2>(from + at * all.x_column, pair);
                            value = make_float2(pair[0], pair[1]);
                        }
#pragma unroll
                        for (int t = 0; t < TILE; t++) {
                            const int tap = j - t * STEP;
                            if (tap < 0 || tap >= WINDOW) continue;
                            float2 factor = *(const float2 *)(filter + 2 * tap * stride);
                            sums[t].x += value.x * factor.x;
                            sums[t].y += value.y * factor.y;
                        }
                    }
                }
            }
            u16 *to = all.y + image * all.y_image + out_row * all.y_row + channel;
            const u16 *added = all.residual + image * all.residual_image
                + out_row * all.residual_row + channel;
#pragma unroll
            for (int t = 0; t < TILE; t++) {
                int at = strip * TILE + t;
                if (at >= all.out_width) break;
                float more[2] = {};
                if (all.residual) load<2>(added + at * all.residual_column, more);
                more[0] = activated(sums[t].x + more[0], all.number);
                more[1] = activated(sums[t].y + more[1], all.number);
                store<2>(to + at * all.y_column, more);
            }
        }
    }
}
