// A convolution with one filter for each channel without tensor cores, for many results: its
// bias, an addition and an activation; channels are innermost in memory. Filters are (channels, HIGH,
// WIDE), and pixels of inputs and outputs X_COLUMN and Y_COLUMN numbers apart.
//
// A thread has two channels and BROAD outputs of a row. It goes down TALL rows: each row of inputs is
// read once, ahead of its products, and added to all outputs that see it, of AGES rows. A block has GROUP
// pairs of channels, and STRIPS such places; there is room for AT_ONCE of them. If outputs are SUMMED,
// each place has their sums, too.

const int THREADS = (GROUP * STRIPS + 31) / 32 * 32;
const int AGES = (HIGH + ROW_STEP - 1) / ROW_STEP, COLUMNS = (BROAD - 1) * STEP + WIDE;
const int TAPS = HIGH * WIDE;

struct Sliding {
    Convolution all;
    float *sums;  // (images, places of an image, channels)
};

SHARED(u32, filters);

// Rows of inputs that begin at a row, or zeros beside the image.
__device__ __forceinline__ void read(
    const Convolution &all, const u16 *image, int row, int column, u32 rows[ROW_STEP][COLUMNS]) {
#pragma unroll
    for (int j = 0; j < ROW_STEP; j++) {
        const u16 *from = image + (row + j) * all.x_row + (long long)column * X_COLUMN;
        const bool is_in = (u32)(row + j) < (u32)all.height;
#pragma unroll
        for (int i = 0; i < COLUMNS; i++)
            rows[j][i] = is_in && (u32)(column + i) < (u32)all.width
                ? *(const u32 *)(from + i * X_COLUMN) : 0;
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, AT_ONCE) sliding(const Sliding given) {
    const Convolution &all = given.all;
    const int pairs = all.channels / 2, first = blockIdx.y * GROUP, pair = first + threadIdx.x % GROUP;
    if (!all.early) wait_for_kernel();
    for (int at = threadIdx.x; at < GROUP * TAPS; at += THREADS)
        if (at < (pairs - first) * TAPS) filters[at] = ((const u32 *)all.w)[first * TAPS + at];
    if (all.early) wait_for_kernel();
    let_next_begin();
    __syncthreads();
    const int across = (all.out_width + BROAD - 1) / BROAD, down = (all.out_height + TALL - 1) / TALL;
    const int strip = threadIdx.x / GROUP, place = blockIdx.x * STRIPS + strip;
    const int image = place / across / down;
    if (strip >= STRIPS || pair >= pairs || image >= all.images) return;
    const int left = place % across * BROAD, top = place / across % down * TALL;
    float taps[2][TAPS], bias[2] = {};
#pragma unroll
    for (int i = 0; i < 2 * TAPS; i++)
        taps[i / TAPS][i % TAPS] = wide((u16)(filters[threadIdx.x % GROUP * TAPS + i / 2] >> i % 2 * 16));
    if (all.bias) load<2>(all.bias + 2 * pair, bias);
    const u16 *x = all.x + image * all.x_image + 2 * pair;
    u16 *y = all.y + image * all.y_image + (long long)left * Y_COLUMN + 2 * pair;
    const int from = top * ROW_STEP - all.top, column = left * STEP - all.left;
    const int ends = min(TALL, all.out_height - top) + AGES - 1;
    float sums[AGES][BROAD][2] = {}, whole[2] = {};
    u32 next[ROW_STEP][COLUMNS];
    read(all, x, from, column, next);
#pragma unroll 1
    for (int step = 0; step < ends; step++) {
        u32 rows[ROW_STEP][COLUMNS];
#pragma unroll
        for (int j = 0; j < ROW_STEP; j++)
#pragma unroll
            for (int i = 0; i < COLUMNS; i++) rows[j][i] = next[j][i];
        if (step + 1 < ends) read(all, x, from + (step + 1) * ROW_STEP, column, next);
#pragma unroll
        for (int age = AGES - 1; age >= 0; age--)
#pragma unroll
            for (int i = 0; i < BROAD; i++)
#pragma unroll
                for (int c = 0; c < 2; c++) {
                    float sum = age ? sums[age - 1][i][c] : bias[c];
#pragma unroll
                    for (int j = 0; j < ROW_STEP && age * ROW_STEP + j < HIGH; j++)
#pragma unroll
                        for (int tap = 0; tap < WIDE; tap++)
                            sum += wide((u16)(rows[j][i * STEP + tap] >> 16 * c))
                                * taps[c][(age * ROW_STEP + j) * WIDE + tap];
                    sums[age][i][c] = sum;
                }
        const int row = top + step - (AGES - 1);
        if (row < top) continue;
        u32 numbers[BROAD];
#pragma unroll
        for (int i = 0; i < BROAD; i++) {
            float both[2], added[2] = {};
            if (ADDED && left + i < all.out_width)
                load<2>(all.residual + image * all.residual_image + row * all.residual_row
                        + (left + i) * all.residual_column + 2 * pair,
                    added);
            for (int c = 0; c < 2; c++) both[c] = activated(sums[AGES - 1][i][c] + added[c], all.number);
            store<2>((u16 *)(numbers + i), both);
        }
        u16 *to = y + row * all.y_row;
#pragma unroll
        for (int i = 0; i < BROAD; i++)
            if (left + i < all.out_width) {
                *(u32 *)(to + i * Y_COLUMN) = numbers[i];
                for (int c = 0; SUMMED && c < 2; c++) whole[c] += wide((u16)(numbers[i] >> 16 * c));
            }
    }
    if (SUMMED)
        *(float2 *)(given.sums + (long long)place * all.channels + 2 * pair)
            = make_float2(whole[0], whole[1]);
}
