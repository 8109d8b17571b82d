// Folds norms into weights, and writes what is not there yet. One launch does all layers.
//
// Each target is dense, and read as [rows][middle][inner]. The source has any strides along these.
// Comparing before writing leaves memory alone that another stream may be reading.

typedef unsigned short u16;
typedef unsigned int u32;

enum Type { HALF, BFLOAT16, FLOAT, DOUBLE };

struct Layer {
    const void *source, *bias, *mean, *variance, *gamma, *beta;
    void *target, *target_bias;
    double epsilon;
    long long source_row, source_middle, source_inner;
    int rows, middle, inner;
    int channels;  // output channels of all groups: numbers of the bias
    int group;  // rows of a group for transposed convolutions; 0 if a row is an output channel
    int source_type, target_type, bias_type, statistics_type, affine_type;
    int wide;  // whether the arithmetic is in double
    int vectors;  // whether 16 bytes of the target lie in one row and are aligned
    int aligned;  // whether 16 bytes of the source can be read at once, too
    int unused;
};

struct Item {
    int layer, begin, end, unused;  // elements of the target
};

const int MOST_ROWS = 512;

__device__ float to_float(u16 bits, int type) {
    if (type == BFLOAT16) return __uint_as_float((u32)bits << 16);
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
}

__device__ u16 to_narrow(float value, int type) {
    if (type == HALF) {
        u16 bits;
        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
        return bits;
    }
    u32 bits = __float_as_uint(value);
    if (value != value) return 0x7fc0;
    return (u16)((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

__device__ double load(const void *from, long long at, int type) {
    if (type == FLOAT) return ((const float *)from)[at];
    if (type == DOUBLE) return ((const double *)from)[at];
    return to_float(((const u16 *)from)[at], type);
}

__device__ double scale_of(const Layer &layer, int channel) {
    if (!layer.variance) return 1.0;
    double scale = 1.0 / sqrt(load(layer.variance, channel, layer.statistics_type) + layer.epsilon);
    return layer.gamma ? scale * load(layer.gamma, channel, layer.affine_type) : scale;
}

__device__ void fold_bias(const Layer &layer, int channel, double scale) {
    double value = layer.bias ? load(layer.bias, channel, layer.bias_type) : 0.0;
    if (layer.variance) {
        value = (value - load(layer.mean, channel, layer.statistics_type)) * scale;
        if (layer.beta) value += load(layer.beta, channel, layer.affine_type);
    }
    if (layer.target_type == DOUBLE) {
        ((double *)layer.target_bias)[channel] = value;
    } else if (layer.target_type == FLOAT) {
        ((float *)layer.target_bias)[channel] = (float)value;
    } else {
        ((u16 *)layer.target_bias)[channel] = to_narrow((float)value, layer.target_type);
    }
}

// Elements one by one, of all types and strides.
__device__ void fold_each(const Layer &layer, const Item &item, const double *scales, int first) {
    int row_size = layer.middle * layer.inner;
    for (int at = item.begin + threadIdx.x; at < item.end; at += blockDim.x) {
        int row = at / row_size, rest = at - row * row_size;
        int middle = rest / layer.inner, inner = rest - middle * layer.inner;
        double scale = layer.group
            ? scale_of(layer, row / layer.group * layer.middle + middle)
            : scales[row - first];
        double value = load(layer.source,
            row * layer.source_row + middle * layer.source_middle + inner * layer.source_inner,
            layer.source_type);
        value = layer.wide ? value * scale : (double)((float)value * (float)scale);
        if (layer.target_type == DOUBLE) {
            double *target = (double *)layer.target + at;
            if (__double_as_longlong(*target) != __double_as_longlong(value)) *target = value;
        } else if (layer.target_type == FLOAT) {
            float *target = (float *)layer.target + at;
            if (__float_as_uint(*target) != __float_as_uint((float)value)) *target = (float)value;
        } else {
            u16 *target = (u16 *)layer.target + at;
            u16 bits = to_narrow((float)value, layer.target_type);
            if (*target != bits) *target = bits;
        }
    }
}

union Vector {
    uint4 all;
    u32 words[4];
    u16 halves[8];
};

// 16 bytes of the target at once. SOURCE and TARGET are 16 or 32, for the bits of an element.
template <int SOURCE, int TARGET>
__device__ void fold_vectors(
    const Layer &layer, const Item &item, const double *scales, int first) {
    const int count = 128 / TARGET;
    int row_size = layer.middle * layer.inner;
    for (int at = item.begin + threadIdx.x * count; at < item.end; at += blockDim.x * count) {
        int row = at / row_size, rest = at - row * row_size;
        int middle = rest / layer.inner, inner = rest - middle * layer.inner;
        long long from =
            row * layer.source_row + middle * layer.source_middle + inner * layer.source_inner;
        uint4 *target = (uint4 *)((char *)layer.target + (long long)at * (TARGET / 8));
        uint4 old = *target;
        Vector given, made;
        if (SOURCE == TARGET && layer.aligned) {
            given.all = *(const uint4 *)((const char *)layer.source + from * (SOURCE / 8));
        }
        double scale = scales[row - first];
        float narrow = (float)scale;
#pragma unroll
        for (int i = 0; i < count; i++) {
            float value;
            long long place = from + i * layer.source_inner;
            if (SOURCE == 16) {
                u16 bits = layer.aligned ? given.halves[i] : ((const u16 *)layer.source)[place];
                value = to_float(bits, layer.source_type) * narrow;
            } else {
                value = SOURCE == TARGET && layer.aligned
                    ? __uint_as_float(given.words[i]) : ((const float *)layer.source)[place];
                value = (float)((double)value * scale);
            }
            if (TARGET == 16) made.halves[i] = to_narrow(value, layer.target_type);
            else made.words[i] = __float_as_uint(value);
        }
        if (made.words[0] != old.x || made.words[1] != old.y || made.words[2] != old.z ||
            made.words[3] != old.w) {
            *target = made.all;
        }
    }
}

extern "C" __global__ void fold(const Layer *layers, const Item *items, int count) {
    __shared__ double scales[MOST_ROWS];
    __shared__ Layer layer;
    for (int place = blockIdx.x; place < count; place += gridDim.x) {
        Item item = items[place];
        __syncthreads();
        if (threadIdx.x < sizeof(Layer) / 8) {
            ((long long *)&layer)[threadIdx.x] = ((const long long *)(layers + item.layer))[threadIdx.x];
        }
        __syncthreads();
        int row_size = layer.middle * layer.inner;
        int first = item.begin / row_size, last = (item.end - 1) / row_size;
        if (!layer.group) {
            for (int row = first + threadIdx.x; row <= last; row += blockDim.x) {
                double scale = scale_of(layer, row);
                scales[row - first] = scale;
                if (layer.target_bias && row * row_size >= item.begin) fold_bias(layer, row, scale);
            }
        } else if (layer.target_bias && !item.begin) {
            for (int at = threadIdx.x; at < layer.channels; at += blockDim.x) {
                fold_bias(layer, at, scale_of(layer, at));
            }
        }
        __syncthreads();
        if (!layer.vectors) fold_each(layer, item, scales, first);
        else if (layer.source_type == FLOAT) {
            if (layer.target_type == FLOAT) fold_vectors<32, 32>(layer, item, scales, first);
            else fold_vectors<32, 16>(layer, item, scales, first);
        } else fold_vectors<16, 16>(layer, item, scales, first);
    }
}
