// Images with each pixel repeated along each axis; channels are innermost in memory.
//
// A thread writes VECTOR channels of a pixel.

struct Repeat {
    const u16 *x;
    u16 *y;
    long long x_image, x_row;  // strides
    long long first, count;  // the pixel that y begins with, and vectors that are written
    int channels, depth, height, width;  // of the result
    int deep, high, wide;  // how often a pixel is repeated
};

extern "C" __global__ void repeat(const Repeat all) {
    const int vectors = all.channels / VECTOR;
    const int inner_width = all.width / all.wide, inner_height = all.height / all.high;
    const long long threads = (long long)gridDim.x * blockDim.x;
    for (long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x; at < all.count;
         at += threads) {
        const long long own = at / vectors, row = all.first + own;
        const int channel = (int)(at - own * vectors) * VECTOR;
        const int column = (int)(row % all.width) / all.wide;
        const long long rest = row / all.width, slices = rest / all.height;
        const int line = (int)(rest - slices * all.height) / all.high;
        const int slice = (int)(slices % all.depth) / all.deep;
        const u16 *from = all.x + slices / all.depth * all.x_image + channel
            + (((long long)slice * inner_height + line) * inner_width + column) * all.x_row;
        *(Numbers<VECTOR> *)(all.y + own * all.channels + channel) = *(const Numbers<VECTOR> *)from;
    }
}
