// The means or sums of windows of images, each by one thread, in float. INCLUDES says whether zeros of the
// padding count; SUMS whether the sum is wanted.

struct Means {
    const number *x;
    number *y;
    int count, inner;       // of results, and of channels that lie side by side
    int height, width, out_height, out_width;
    int window_height, window_width, step_down, step_right;
    int top, left;          // the padding before the first element
};

extern "C" __global__ void __launch_bounds__(THREADS) means(Means all) {
    wait_for_kernel();
    let_next_begin();
    const int own = blockIdx.x * THREADS + threadIdx.x;
    if (own >= all.count) return;
    const int channel = own % all.inner, place = own / all.inner;
    const int column = place % all.out_width, line = place / all.out_width;
    const int row = line % all.out_height, image = line / all.out_height;
    const int top = row * all.step_down - all.top, left = column * all.step_right - all.left;
    const int y0 = max(top, 0), y1 = min(top + all.window_height, all.height);
    const int x0 = max(left, 0), x1 = min(left + all.window_width, all.width);
    const number *from = all.x + channel + (long long)image * all.height * all.width * all.inner;
    float sum = 0.0f;
    for (int y = y0; y < y1; y++)
        for (int x = x0; x < x1; x++) sum += wide(from[(y * all.width + x) * all.inner]);
    const int many = INCLUDES ? all.window_height * all.window_width : (y1 - y0) * (x1 - x0);
    if (!SUMS) sum = sum / many;
    all.y[own] = TYPE == 2 ? sum : narrow(sum);
}
