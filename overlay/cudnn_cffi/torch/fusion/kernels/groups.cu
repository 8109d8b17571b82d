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
    long long piece;  // rows of a piece; the last one may have fewer
    int channels, groups, pieces, together;  // together: groups of a block
    float number, epsilon;
};

// Threads of a block, rows that are summed around one number, pieces that are read at once, rows that
// a thread keeps, blocks of a cluster.
const int MOST = 256, LENGTH = 32, AHEAD = 8, KEPT = 8, BLOCKS = 8;

__device__ __forceinline__ int rows_of(const Groups &all, int piece) {
    return (int)min(all.piece, all.rows - piece * all.piece);
}

// Moments of groups of channels: block (piece, groups, image). Moments are the mean of numbers, and
// the sum of squares of their differences from it.
extern "C" __global__ void moments(const Groups all) {
    __shared__ float means[MOST * VECTOR], squares[MOST * VECTOR], found[MOST], group_means[MOST];
    wait_for_kernel();
    let_next_begin();
    const int width = all.channels / all.groups, vectors = all.together * width / VECTOR;
    const int lanes = MOST / vectors, begin_channel = blockIdx.y * all.together * width;
    const int rows = rows_of(all, blockIdx.x);
    const long long begin = blockIdx.x * all.piece, end = begin + rows;
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
    // Threads of a team have some channels of a group.
    const int team = MOST / all.together, least = rows / lanes, longer = rows - least * lanes;
    const float each = 1.0f / ((float)rows * (float)width);
    auto add_lanes = [&](auto term, auto finish) {
        for (int own = threadIdx.x; own < all.together * team; own += blockDim.x) {
            const int group = own / team;
            float sum = 0.0f;
            for (int i = own - group * team; i < width; i += team) {
#pragma unroll 4
                for (int lane = 0; lane < lanes; lane++) {
                    const int taken = least + (lane < longer);
                    const int at = (lane * all.together + group) * width + i;
                    if (taken) sum += term(means[at], squares[at], group, (float)taken);
                }
            }
            found[own] = sum;
        }
        __syncthreads();
        for (int own = threadIdx.x; own < all.together; own += blockDim.x) {
            float sum = 0.0f;
            for (int i = 0; i < team; i++) sum += found[own * team + i];
            finish(own, sum);
        }
        __syncthreads();
    };
    float *to = all.parts
        + 2 * ((blockIdx.z * (long long)all.groups + blockIdx.y * all.together) * all.pieces
            + blockIdx.x);
    add_lanes(
        [&](float mean, float, int, float taken) { return mean * (taken * each); },
        [&](int group, float mean) { group_means[group] = mean; });
    add_lanes(
        [&](float mean, float square, int group, float taken) {
            float apart = mean - group_means[group];
            return square + apart * apart * taken;
        },
        [&](int group, float square) {
            if (blockIdx.y * all.together + group >= all.groups) return;
            float *own = to + 2 * (long long)group * all.pieces;
            own[0] = group_means[group], own[1] = square;
        });
}

// y = activation((x + added - mean) / sqrt(variance + epsilon) gamma + beta): block (rows, -, image).
extern "C" __global__ void normalize(const Groups all) {
    __shared__ float found[MOST], means[MOST], scales[MOST];
    wait_for_kernel();
    let_next_begin();
    const int width = all.channels / all.groups, team = MOST / all.groups;
    const float each = 1.0f / (float)all.rows;
    // Adds term(mean, squares, group, weight) over the pieces of a group, for finish(group, sum).
    auto add_pieces = [&](auto term, auto finish) {
        for (int own = threadIdx.x; own < all.groups * team; own += blockDim.x) {
            const float *from = all.parts
                + 2 * ((long long)blockIdx.z * all.groups + own / team) * all.pieces;
            float sum = 0.0f;
            for (int first = own % team; first < all.pieces; first += AHEAD * team) {
                float2 moments[AHEAD];
#pragma unroll
                for (int i = 0; i < AHEAD; i++) {
                    const int piece = first + i * team;
                    if (piece < all.pieces) moments[i] = *(const float2 *)(from + 2 * piece);
                }
#pragma unroll
                for (int i = 0; i < AHEAD; i++) {
                    const int piece = first + i * team;
                    if (piece >= all.pieces) continue;
                    const float weight = (float)rows_of(all, piece) * each;
                    sum += term(moments[i].x, moments[i].y, own / team, weight);
                }
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

#ifdef __CUDA_ARCH__
__device__ __forceinline__ void meet_cluster() {
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// Writes to the memory of a block of the cluster.
__device__ __forceinline__ void send(float2 *to, float2 value, u32 block) {
    u32 own = (u32)__cvta_generic_to_shared(to), there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(own), "r"(block));
    asm volatile("st.shared::cluster.v2.f32 [%0], {%1, %2};"
        :: "r"(there), "f"(value.x), "f"(value.y) : "memory");
}
#else
static void meet_cluster() { __syncthreads(); }
static void send(float2 *to, float2 value, u32) { *to = value; }
#endif

// The same at once: block (groups, image, piece), whose threads keep what they read. The pieces of an
// image are a cluster, whose blocks send each other the moments of groups.
extern "C" __global__ void __launch_bounds__(MOST) normalize_kept(const Groups all) {
    __shared__ float sums[MOST * VECTOR], few[MOST], means[MOST], scales[MOST];
    __shared__ float2 inbox[BLOCKS * MOST / 8];
    wait_for_kernel();
    let_next_begin();
    const int width = all.channels / all.groups, channels = all.together * width;
    const int vectors = channels / VECTOR, lanes = MOST / vectors, teams = MOST / channels;
    const int lane = threadIdx.x / vectors, place = threadIdx.x % vectors * VECTOR;
    const int channel = blockIdx.x * channels + place, own = threadIdx.x;
    const int rows = max(0, rows_of(all, blockIdx.z));
    const bool is_there = lane < lanes && channel < all.channels;
    const long long begin = blockIdx.z * all.piece;
    const u16 *from = all.x + blockIdx.y * all.x_image + begin * all.x_row + channel;
    Numbers<VECTOR> kept[KEPT];
#pragma unroll
    for (int i = 0; i < KEPT; i++) {
        const int row = lane + i * lanes;
        if (is_there && row < rows) kept[i] = *(const Numbers<VECTOR> *)(from + row * all.x_row);
    }
    float added[VECTOR] = {};
    if (all.added && is_there) {
#pragma unroll
        for (int i = 0; i < VECTOR; i++)
            added[i] = wide(all.added[blockIdx.y * all.added_image + channel + i]);
    }
    // Adds term(number, group) over the numbers of each group, for finish(group, sum).
    auto add = [&](auto term, auto finish) {
        float sum[VECTOR] = {};
#pragma unroll
        for (int n = 0; n < KEPT; n++) {
            if (!is_there || lane + n * lanes >= rows) continue;
#pragma unroll
            for (int i = 0; i < VECTOR; i++)
                sum[i] += term(wide(kept[n].each[i]) + added[i], (place + i) / width);
        }
        if (lane < lanes) {
#pragma unroll
            for (int i = 0; i < VECTOR; i++) sums[lane * channels + place + i] = sum[i];
        }
        __syncthreads();
        if (own < teams * channels) {
            float all_lanes = 0.0f;
#pragma unroll 4
            for (int i = own / channels; i < lanes; i += teams)
                all_lanes += sums[i * channels + own % channels];
            few[own] = all_lanes;
        }
        __syncthreads();
        if (own < all.together) {
            float whole = 0.0f;
            for (int team = 0; team < teams; team++) {
#pragma unroll 4
                for (int i = 0; i < width; i++) whole += few[team * channels + own * width + i];
            }
            finish(own, whole);
        }
        __syncthreads();
    };
    const float each = rows ? 1.0f / ((float)rows * (float)width) : 0.0f;
    add([&](float value, int) { return value; },
        [&](int group, float sum) { means[group] = sum * each; });
    add(
        [&](float value, int group) {
            const float apart = value - means[group];
            return apart * apart;
        },
        [&](int group, float sum) { scales[group] = sum; });
    meet_cluster();  // the others have begun
    const int at = own % all.together, block = own / all.together;
    if (block < all.pieces)
        send(inbox + blockIdx.z * all.together + at, make_float2(means[at], scales[at]), block);
    meet_cluster();
    if (own < all.together) {
        float mean = 0.0f, square = 0.0f;
        const float part = 1.0f / (float)all.rows;
        for (int piece = 0; piece < all.pieces; piece++)
            mean += inbox[piece * all.together + own].x * ((float)max(0, rows_of(all, piece)) * part);
        for (int piece = 0; piece < all.pieces; piece++) {
            const float2 moments = inbox[piece * all.together + own];
            const float apart = moments.x - mean, weight = (float)max(0, rows_of(all, piece)) * part;
            square += moments.y * (part / width) + apart * apart * weight;
        }
        means[own] = mean, scales[own] = 1.0f / sqrtf(square + all.epsilon);
    }
    __syncthreads();
    if (!is_there) return;
    float mean[VECTOR], factor[VECTOR], offset[VECTOR];
#pragma unroll
    for (int i = 0; i < VECTOR; i++) {
        const int group = (place + i) / width;
        mean[i] = means[group] - added[i];
        factor[i] = scales[group] * (all.gamma ? wide(all.gamma[channel + i]) : 1.0f);
        offset[i] = all.beta ? wide(all.beta[channel + i]) : 0.0f;
    }
    u16 *to = all.y + blockIdx.y * all.y_image + begin * all.channels + channel;
#pragma unroll
    for (int n = 0; n < KEPT; n++) {
        const int row = lane + n * lanes;
        if (row >= rows) continue;
        float values[VECTOR];
#pragma unroll
        for (int i = 0; i < VECTOR; i++) {
            const float value = (wide(kept[n].each[i]) - mean[i]) * factor[i] + offset[i];
            values[i] = activated(value, all.number);
        }
        store<VECTOR>(to + (long long)row * all.y_row, values);
    }
}
