// Group norms: moments of groups of channels, then the norm and an activation.
//
// A thread has VECTOR channels, which are the same in all rows that it reads. A number for each
// channel of each image may be added to x before the norm.

struct Groups {
    const u16 *x, *added, *gamma, *beta;  // added is (images, channels)
    u16 *y;
    float *parts;  // (images, groups, pieces) of mean and squares
    long long x_image, x_row, y_image, y_row, added_image, rows;
    long long count;  // rows that are written, of which x and y are the first
    int channels, groups, pieces, together;  // together: groups of a block
    float number, epsilon;
};

const int MOST = 256, LENGTH = 32;  // threads of a block; rows that are summed around one number

__device__ __forceinline__ long long begin_of(const Groups &all, int piece) {
    return all.rows * piece / all.pieces;
}

// Moments of groups of channels: block (piece, groups, image). Moments are the mean of numbers, and
// the sum of squares of their differences from it.
extern "C" __global__ void moments(const Groups all) {
    __shared__ float means[MOST * VECTOR], squares[MOST * VECTOR];
    const int width = all.channels / all.groups, vectors = all.together * width / VECTOR;
    const int lanes = MOST / vectors, begin_channel = blockIdx.y * all.together * width;
    const long long begin = begin_of(all, blockIdx.x), end = begin_of(all, blockIdx.x + 1);
    for (int own = threadIdx.x; own < lanes * vectors; own += blockDim.x) {
        const int lane = own / vectors, place = own % vectors * VECTOR;
        const int channel = begin_channel + place;
        float mean[VECTOR] = {}, square[VECTOR] = {}, count = 0.0f;
        if (channel < all.channels) {
            const u16 *from = all.x + blockIdx.z * all.x_image + channel;
            for (long long first = begin + lane; first < end; first += (long long)LENGTH * lanes) {
                float around[VECTOR], sum[VECTOR] = {}, sums[VECTOR] = {}, more = 0.0f;
                load<VECTOR>(from + first * all.x_row, around);
#pragma unroll
                for (int i = 0; i < VECTOR; i++) around[i] = count > 0.0f ? mean[i] : around[i];
#pragma unroll 8
                for (int n = 0; n < LENGTH; n++) {
                    const long long row = first + (long long)n * lanes;
                    if (row >= end) break;
                    float values[VECTOR];
                    load<VECTOR>(from + row * all.x_row, values);
                    more += 1.0f;
#pragma unroll
                    for (int i = 0; i < VECTOR; i++) {
                        float apart = values[i] - around[i];
                        sum[i] += apart;
                        sums[i] += apart * apart;
                    }
                }
                const float total = count + more, part = more / total, each = 1.0f / more;
#pragma unroll
                for (int i = 0; i < VECTOR; i++) {
                    float apart = sum[i] * each;  // of the means
                    square[i] += sums[i] - sum[i] * apart + apart * apart * count * part;
                    mean[i] = count > 0.0f ? mean[i] + apart * part : around[i] + apart;
                }
                count = total;
            }
        }
#pragma unroll
        for (int i = 0; i < VECTOR; i++) {
            float offset = 0.0f;
            if (all.added && channel < all.channels) {
                offset = wide(all.added[blockIdx.z * all.added_image + channel + i]);
            }
            means[lane * vectors * VECTOR + place + i] = mean[i] + offset;
            squares[lane * vectors * VECTOR + place + i] = square[i];
        }
    }
    __syncthreads();
    const long long rows = end - begin;
    for (int own = threadIdx.x; own < all.together; own += blockDim.x) {
        int group = blockIdx.y * all.together + own;
        if (group >= all.groups) return;
        float mean = 0.0f, square = 0.0f;
        const float each = 1.0f / (float)(rows * width);
        for (int lane = 0; lane < lanes; lane++) {
            const float count = (float)((rows - lane + lanes - 1) / lanes);
            for (int i = 0; i < width; i++) {
                mean += means[(lane * all.together + own) * width + i] * (count * each);
            }
        }
        for (int lane = 0; lane < lanes; lane++) {
            const float count = (float)((rows - lane + lanes - 1) / lanes);
            if (count == 0.0f) continue;
            for (int i = 0; i < width; i++) {
                int at = (lane * all.together + own) * width + i;
                float apart = means[at] - mean;
                square += squares[at] + apart * apart * count;
            }
        }
        float *to = all.parts
            + 2 * (((long long)blockIdx.z * all.groups + group) * all.pieces + blockIdx.x);
        to[0] = mean, to[1] = square;
    }
}

// y = activation((x + added - mean) / sqrt(variance + epsilon) gamma + beta): block (rows, -, image).
extern "C" __global__ void normalize(const Groups all) {
    __shared__ float found[MOST], means[MOST], scales[MOST];
    const int width = all.channels / all.groups, team = MOST / all.groups;
    const float each = 1.0f / (float)all.rows;
    // Adds term(mean, squares, group, weight) over the pieces of a group, for finish(group, sum).
    auto add_pieces = [&](auto term, auto finish) {
        for (int own = threadIdx.x; own < all.groups * team; own += blockDim.x) {
            const float *from = all.parts
                + 2 * ((long long)blockIdx.z * all.groups + own / team) * all.pieces;
            float sum = 0.0f;
#pragma unroll 4
            for (int piece = own % team; piece < all.pieces; piece += team) {
                float count = (float)(begin_of(all, piece + 1) - begin_of(all, piece));
                sum += term(from[2 * piece], from[2 * piece + 1], own / team, count * each);
            }
            found[own] = sum;
        }
        __syncthreads();
        for (int own = threadIdx.x; own < all.groups; own += blockDim.x) {
            float sum = 0.0f;
            for (int i = 0; i < team; i++) sum += found[own * team + i];
            finish(own, sum);
        }
        __syncthreads();
    };
    add_pieces(
        [&](float mean, float, int, float weight) { return mean * weight; },
        [&](int group, float mean) { means[group] = mean; });
    add_pieces(
        [&](float mean, float square, int group, float weight) {
            float apart = mean - means[group];
            return square * (each / width) + apart * apart * weight;
        },
        [&](int group, float variance) { scales[group] = 1.0f / sqrtf(variance + all.epsilon); });
    const u16 *from = all.x + blockIdx.z * all.x_image;
    u16 *to = all.y + blockIdx.z * all.y_image;
    each_lane<VECTOR>(all.channels, [&](int channel, long long first, long long step) {
        float mean[VECTOR], factor[VECTOR], offset[VECTOR];
#pragma unroll
        for (int i = 0; i < VECTOR; i++) {
            const int at = channel + i;
            mean[i] = means[at / width];
            if (all.added) mean[i] -= wide(all.added[blockIdx.z * all.added_image + at]);
            factor[i] = scales[at / width] * (all.gamma ? wide(all.gamma[at]) : 1.0f);
            offset[i] = all.beta ? wide(all.beta[at]) : 0.0f;
        }
#pragma unroll 4
        for (long long row = first; row < all.count; row += step) {
            float values[VECTOR];
            load<VECTOR>(from + row * all.x_row + channel, values);
#pragma unroll
            for (int i = 0; i < VECTOR; i++) {
                float value = (values[i] - mean[i]) * factor[i] + offset[i];
                values[i] = activated(value, all.number);
            }
            store<VECTOR>(to + row * all.y_row + channel, values);
        }
    });
}
