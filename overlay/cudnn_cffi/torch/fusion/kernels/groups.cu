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
const int MOST = 256, LENGTH = 32, AHEAD = 8, KEPT = 8, BLOCKS = 8, WARPS_OF_BLOCK = MOST / 32;

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

#if VECTOR == 8 && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900)  // older devices have no clusters
#ifdef __CUDA_ARCH__
__device__ __forceinline__ void arrive() {
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}

__device__ __forceinline__ void wait_for_cluster() {
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// Writes to the memory of a block of the cluster.
__device__ __forceinline__ void send(float2 *to, float2 value, u32 block) {
    u32 own = (u32)__cvta_generic_to_shared(to), there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(own), "r"(block));
    asm volatile("st.shared::cluster.v2.f32 [%0], {%1, %2};"
        :: "r"(there), "f"(value.x), "f"(value.y) : "memory");
}

// Copies eight numbers to the memory of a block without waiting for them.
__device__ __forceinline__ void fetch(uint4 *to, const u16 *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
        :: "r"((u32)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}

__device__ __forceinline__ void have_fetched() {
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
}
#else
static void arrive() {}
static void wait_for_cluster() { __syncthreads(); }
static void send(float2 *to, float2 value, u32) { *to = value; }
static void fetch(uint4 *to, const u16 *from) { *to = *(const uint4 *)from; }
static void have_fetched() { __syncthreads(); }
#endif

__device__ __forceinline__ float warp_sum(float value) {
#pragma unroll
    for (int lanes = 16; lanes; lanes /= 2) value += __shfl_xor_sync(0xffffffffu, value, lanes);
    return value;
}

// The same at once: block (groups, image, piece), which keeps what it reads; the pieces of an image
// are a cluster, whose blocks send each other the moments of groups. Eight channels belong to two
// groups at most. Loops are short, as instructions come from far at each launch.
extern "C" __global__ void __launch_bounds__(MOST) normalize_kept(const Groups all) {
    __shared__ uint4 kept[KEPT * MOST];
    __shared__ float4 sums[MOST];  // of numbers and of squares, of both groups
    __shared__ float added[MOST];
    __shared__ float2 inbox[WARPS_OF_BLOCK * BLOCKS], found[WARPS_OF_BLOCK];
    wait_for_kernel();
    let_next_begin();
    arrive();
    const int width = all.channels / all.groups, channels = all.together * width;
    const int vectors = channels / 8, lanes = MOST / vectors, own = threadIdx.x;
    const int lane = own / vectors, vector = own - lane * vectors, place = vector * 8;
    const int group = place / width, first = min(8, (group + 1) * width - place);
    const int channel = blockIdx.x * channels + place;
    const int rows = max(0, rows_of(all, blockIdx.z));
    const bool is_there = lane < lanes && channel < all.channels;
    const int count = is_there && lane < rows ? (rows - lane + lanes - 1) / lanes : 0;
    const long long begin = blockIdx.z * all.piece + lane;
    const u16 *from = all.x + blockIdx.y * all.x_image + begin * all.x_row + channel;
#pragma unroll 1
    for (int n = 0; n < count; n++) fetch(kept + n * MOST + own, from + (long long)n * lanes * all.x_row);
    float factor[8], offset[8], more[8];
#pragma unroll
    for (int i = 0; i < 8; i++) {
        factor[i] = all.gamma && is_there ? wide(all.gamma[channel + i]) : 1.0f;
        offset[i] = all.beta && is_there ? wide(all.beta[channel + i]) : 0.0f;
        more[i] = 0.0f;
        if (all.added && is_there) more[i] = wide(all.added[blockIdx.y * all.added_image + channel + i]);
        if (lane == 0) added[place + i] = more[i];
    }
    have_fetched();
    // Numbers are summed around one of their group.
    auto one_of = [&](int its) {
        const int at = its * width;
        return wide(((const u16 *)(kept + at / 8))[at % 8]) + added[at];
    };
    const bool has_two = first < 8;
    const float around[2] = {one_of(group), one_of(has_two ? group + 1 : group)};
    float sum[2] = {}, square[2] = {};
#pragma unroll 1
    for (int n = 0; n < count; n++) {
        float values[8];
        load<8>((const u16 *)(kept + n * MOST + own), values);
#pragma unroll
        for (int i = 0; i < 8; i++) {
            const float one = values[i] + more[i] - around[0], other = values[i] + more[i] - around[1];
            sum[0] += i < first ? one : 0.0f, square[0] += i < first ? one * one : 0.0f;
            sum[1] += i < first ? 0.0f : other, square[1] += i < first ? 0.0f : other * other;
        }
    }
    sums[own] = float4{sum[0], square[0], sum[1], square[1]};
    __syncthreads();
    // A warp adds the sums of a group.
    const int its = own / 32;
    float mean = 0.0f, variance = 0.0f;
    if (its < all.together) {
        float total = 0.0f, squares = 0.0f;
        for (int i = its * width / 8; i <= ((its + 1) * width - 1) / 8; i++) {
            const bool is_first = i * 8 / width == its;
#pragma unroll 1
            for (int from_lane = own % 32; from_lane < lanes; from_lane += 32) {
                const float4 four = sums[from_lane * vectors + i];
                total += is_first ? four.x : four.z;
                squares += is_first ? four.y : four.w;
            }
        }
        total = warp_sum(total), squares = warp_sum(squares);
        const float each = rows ? 1.0f / ((float)rows * (float)width) : 0.0f;
        mean = rows ? one_of(its) + total * each : 0.0f;
        variance = squares - total * (total * each);
        variance = variance < 0.0f ? 0.0f : variance;  // NaN stays
    }
    wait_for_cluster();  // the others have begun
    if (its < all.together && own % 32 < all.pieces)
        send(inbox + blockIdx.z * WARPS_OF_BLOCK + its, make_float2(mean, variance), own % 32);
    arrive();
    wait_for_cluster();
    if (its < all.together) {
        const int piece = own % 32;
        const bool is_piece = piece < all.pieces;
        const float2 moments = is_piece ? inbox[piece * WARPS_OF_BLOCK + its] : make_float2(0.0f, 0.0f);
        const float part = 1.0f / (float)all.rows;
        const float weight = is_piece ? (float)max(0, rows_of(all, piece)) * part : 0.0f;
        const float first_mean = inbox[its].x;  // around which equal numbers have no error
        const float whole = first_mean + warp_sum((moments.x - first_mean) * weight);
        const float apart = weight > 0.0f ? moments.x - whole : 0.0f;  // its square may be infinite
        const float all_squares = warp_sum(moments.y * (part / width) + apart * apart * weight);
        if (piece == 0) found[its] = make_float2(whole, 1.0f / sqrtf(all_squares + all.epsilon));
    }
    __syncthreads();
    if (!count) return;
    const float2 both[2] = {found[group], found[has_two ? group + 1 : group]};
#pragma unroll
    for (int i = 0; i < 8; i++) {
        const float2 moments = both[i >= first];
        factor[i] *= moments.y, more[i] -= moments.x;
    }
    u16 *to = all.y + blockIdx.y * all.y_image + begin * all.y_row + channel;
#pragma unroll 1
    for (int n = 0; n < count; n++) {
        float values[8];
        load<8>((const u16 *)(kept + n * MOST + own), values);
#pragma unroll
        for (int i = 0; i < 8; i++)
            values[i] = activated((values[i] + more[i]) * factor[i] + offset[i], all.number);
        store<8>(to + (long long)n * lanes * all.y_row, values);
    }
}
#endif
