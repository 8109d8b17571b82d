// A convolution with one filter for each channel by tensor cores, its bias, an addition and an
// activation; channels are innermost in memory, and read VECTOR at once. Filters are (channels,
// HIGH, WIDE).
//
// SPAN outputs of a row of one channel are a band matrix of 16 x 16 STEPS, a row of the filter in
// each of its rows, times the inputs that they see. Eight such strips, of DOWN rows, are the columns
// of one product, and HIGH rows of the filter are added up. A block has 16 channels, two for each
// warp, and FAR x NEAR such products of each of IMAGES: inputs are turned while they are read, so that neighbours of
// a channel lie side by side.

const int CHANNELS = 16, THREADS = 256;
const int ACROSS = 8 / DOWN, TALL = DOWN * FAR, BROAD = ACROSS * NEAR * SPAN;  // of a block
const int ROWS = (TALL - 1) * ROW_STEP + HIGH;                                // of its inputs
const int PLANE = (IMAGES * ROWS * PITCH + 3) / 4 * 4 + 2;  // words of a channel: halves in other banks
const int TAPS = 8 * STEPS + 8 * STEP;             // words of a row of a filter, zeros around it
const int WORDS = 12;                              // of an output's 16 channels, and a gap
const int KNOWN = 2 * STEPS + STEP;                // parts of a row of band matrices

SHARED(u32, memory);

// Eight channels of a pixel, or what there is of them.
__device__ __forceinline__ uint4 read(const u16 *from, int left) {
    if (VECTOR == 8) return *(const uint4 *)from;
    uint4 all = {};
#pragma unroll
    for (int i = 0; i < 4; i++)
        if (2 * i < left) ((u32 *)&all)[i] = ((const u32 *)from)[i];
    return all;
}

__device__ __forceinline__ void write(u16 *to, int left, const u32 *from) {
    if (VECTOR == 8) {
        *(uint4 *)to = *(const uint4 *)from;
        return;
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
        if (2 * i < left) ((u32 *)to)[i] = from[i];
}

// One sum without the products with zeros of a band, which spread infinities and NaN.
__device__ __noinline__ float plain(const u16 *x, const u16 *w, float sum) {
    for (int row = 0; row < HIGH; row++)
        for (int tap = 0; tap < WIDE; tap++)
            sum += wide(x[2 * row * PITCH + tap]) * wide(w[2 * row * TAPS + tap]);
    return sum;
}

extern "C" __global__ void __launch_bounds__(THREADS) depthwise(const Convolution all) {
    u32 *outputs = memory, *inputs = outputs + IMAGES * TALL * BROAD * WORDS;
    u32 *filters = inputs + CHANNELS * PLANE;  // twice: from even taps on, and from odd ones
    if (!all.early) wait_for_kernel();
    const int begin = blockIdx.y * CHANNELS, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int at = threadIdx.x; at < CHANNELS * HIGH * TAPS; at += THREADS) {
        const int row = at / TAPS, first = at % TAPS * 2 - 16 * STEP;
        const bool has = begin + row / HIGH < all.channels;
        const u16 *from = all.w + ((long long)begin * HIGH + row) * WIDE;
        u32 taps[3];
#pragma unroll
        for (int i = 0; i < 3; i++)
            taps[i] = has && (u32)(first + i) < (u32)WIDE ? from[first + i] : 0;
        filters[at] = taps[0] | taps[1] << 16;
        filters[CHANNELS * HIGH * TAPS + at] = taps[1] | taps[2] << 16;
    }
    if (all.early) wait_for_kernel();
    let_next_begin();
    const int own = lane / 4, part = lane % 4;
    const int offset = 2 * part - STEP * own + 8 * STEP, channel = begin + 2 * warp;
    const u32 *band = filters + (offset & 1) * CHANNELS * HIGH * TAPS + offset / 2;
    float bias[2] = {};
    if (all.bias && channel < all.channels) load<2>(all.bias + channel, bias);
    const int bands_down = (all.out_height + TALL - 1) / TALL;
    const int bands_across = (all.out_width + BROAD - 1) / BROAD;
    const int items = (all.images + IMAGES - 1) / IMAGES * bands_down * bands_across;
    for (int item = blockIdx.x; item < items; item += gridDim.x) {
        const int left = item % bands_across * BROAD, top = item / bands_across % bands_down * TALL;
        const int image = item / bands_across / bands_down * IMAGES;
#pragma unroll 4
        for (int at = threadIdx.x; at < 2 * IMAGES * ROWS * PITCH; at += THREADS) {
            const int half = at % 2, place = at / 2;
            const int its = image + place / PITCH / ROWS;
            const int row = top * ROW_STEP - all.top + place / PITCH % ROWS;
            const int column = left * STEP - all.left + place % PITCH * 2;
            uint4 both[2] = {};
            const int count = all.channels - begin - 8 * half;
            if (count > 0 && its < all.images && (u32)row < (u32)all.height) {
                const u16 *from = all.x + its * all.x_image + row * all.x_row
                    + column * all.x_column + begin + 8 * half;
                if ((u32)column < (u32)all.width) both[0] = read(from, count);
                if ((u32)(column + 1) < (u32)all.width)
                    both[1] = read(from + all.x_column, count);
            }
            u32 *to = inputs + 8 * half * PLANE + place;
            const u32 *a = (const u32 *)&both[0], *b = (const u32 *)&both[1];
#pragma unroll
            for (int i = 0; i < 4; i++) {
                to[2 * i * PLANE] = __byte_perm(a[i], b[i], 0x5410);
                to[(2 * i + 1) * PLANE] = __byte_perm(a[i], b[i], 0x7632);
            }
        }
        __syncthreads();
        u32 known[2][HIGH][KNOWN];
#pragma unroll
        for (int c = 0; c < 2; c++)
#pragma unroll
            for (int row = 0; row < HIGH; row++)
#pragma unroll
                for (int i = 0; i < KNOWN; i++)
                    known[c][row][i] = band[((2 * warp + c) * HIGH + row) * TAPS + 4 * i];
#pragma unroll 2
        for (int product = 0; product < IMAGES * FAR * NEAR; product++) {
            const int its = product / (FAR * NEAR);
            const int far = product / NEAR % FAR * DOWN, near = product % NEAR * ACROSS;
            const int begins = (its * ROWS + (far + own / ACROSS) * ROW_STEP) * PITCH
                + (near + own % ACROSS) * (SPAN * STEP / 2) + part;
            float sums[2][4] = {};
            __syncwarp();
#pragma unroll
            for (int row = 0; row < HIGH; row++)
#pragma unroll
                for (int step = 0; step < STEPS; step++)
#pragma unroll
                    for (int c = 0; c < 2; c++) {
                        const u32 *from = inputs + (2 * warp + c) * PLANE + begins + row * PITCH;
                        const u32 *a = known[c][row] + 2 * step;
                        multiply(sums[c], a[STEP], a[0], a[1 + STEP], a[1], from[8 * step],
                            from[8 * step + 4]);
                    }
#pragma unroll
            for (int i = 0; i < 4; i++) {
                const int place = own + i / 2 * 8, strip = 2 * part + i % 2;
                const int row = far + strip / ACROSS, column = (near + strip % ACROSS) * SPAN + place;
                const bool is_in = image + its < all.images && top + row < all.out_height
                    && left + column < all.out_width;
                if (place >= SPAN || !is_in || channel >= all.channels) continue;
                float both[2], added[2] = {};
#pragma unroll
                for (int c = 0; c < 2; c++) {
                    both[c] = sums[c][i] + bias[c];
                    if (!(fabsf(sums[c][i]) < 3.0e38f))
                        both[c] = plain(
                            (const u16 *)(inputs + (2 * warp + c) * PLANE
                                + (its * ROWS + row * ROW_STEP) * PITCH) + column * STEP,
                            (const u16 *)(filters + (2 * warp + c) * HIGH * TAPS) + 16 * STEP,
                            bias[c]);
                }
                if (all.residual)
                    load<2>(all.residual + (image + its) * all.residual_image
                            + (top + row) * all.residual_row
                            + (left + column) * all.residual_column + channel,
                        added);
                for (int c = 0; c < 2; c++) both[c] = activated(both[c] + added[c], all.number);
                store<2>((u16 *)(outputs + ((its * TALL + row) * BROAD + column) * WORDS + warp), both);
            }
        }
        __syncthreads();
        for (int at = threadIdx.x; at < 2 * IMAGES * TALL * BROAD; at += THREADS) {
            const int half = at % 2, row = at / 2 / BROAD % TALL, column = at / 2 % BROAD;
            const int its = image + at / 2 / BROAD / TALL;
            const int count = all.channels - begin - 8 * half;
            if (count <= 0 || its >= all.images || top + row >= all.out_height) continue;
            if (left + column >= all.out_width) continue;
            u16 *to = all.y + its * all.y_image + (top + row) * all.y_row
                + (left + column) * all.y_column + begin + 8 * half;
            write(to, count, outputs + at / 2 * WORDS + 4 * half);
        }
    }
}
