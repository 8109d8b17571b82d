// Casts of many arrays by one launch: of floats to 16 bits, or with WIDENS back.

const int MOST = 128, VECTOR = 8, CHUNK = 8192;  // arrays of a launch, and elements of a block

struct Casts {
    const void *from[MOST];
    void *to[MOST];
    int first[MOST];  // block of each array
    int sizes[MOST];
    int count;
};

struct __align__(16) Floats { float each[VECTOR]; };

__device__ __forceinline__ void cast(const float *from, u16 *to) {
    const Floats read = *(const Floats *)from;
    store<VECTOR>(to, read.each);
}

__device__ __forceinline__ void cast(const u16 *from, float *to) {
    Floats made;
    load<VECTOR>(from, made.each);
    *(Floats *)to = made;
}

__device__ __forceinline__ void cast_one(const float *from, u16 *to) { *to = narrow(*from); }
__device__ __forceinline__ void cast_one(const u16 *from, float *to) { *to = wide(*from); }

#if WIDENS
typedef u16 From;
typedef float To;
#else
typedef float From;
typedef u16 To;
#endif

extern "C" __global__ void casts(const Casts all) {
    int low = 0, high = all.count;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if ((int)blockIdx.x < all.first[middle]) high = middle; else low = middle;
    }
    const int size = all.sizes[low], begin = ((int)blockIdx.x - all.first[low]) * CHUNK;
    const int end = min(size, begin + CHUNK);
    const From *from = (const From *)all.from[low];
    To *to = (To *)all.to[low];
    for (int at = begin + threadIdx.x * VECTOR; at < end; at += blockDim.x * VECTOR) {
        if (at + VECTOR <= end) {
            cast(from + at, to + at);
        } else {
            for (int i = at; i < end; i++) cast_one(from + i, to + i);
        }
    }
}
