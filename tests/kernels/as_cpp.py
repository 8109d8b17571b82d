"""C++ in front of the sources of kernels: the threads are those of one block at a time."""

#: In front of a source and of the function that runs its blocks.
AS_CPP = """
#include <barrier>
#include <cmath>
#include <cstring>
#include <thread>
#include <vector>
struct Index { unsigned x, y; };
static thread_local Index blockIdx, threadIdx;
static Index gridDim, blockDim;
static std::barrier<> *together;
#define __device__
#define __global__
#define __forceinline__ inline
#define __align__(size) alignas(size)
#define __launch_bounds__(...)
#define __noinline__
#define __shared__ static
#define __syncthreads() together->arrive_and_wait()
#define HALF_TO_FLOAT(value, bits) value = convert<_Float16>(bits)
#define FLOAT_TO_HALF(bits, value) bits = convert<unsigned short>((_Float16)(value))
#define DIVIDE(x, y) ((x) / (y))
#define EXPONENTIAL(x) expf(x)
template <typename To, typename From> static To convert(From from) {
    To to;
    std::memcpy(&to, &from, sizeof(to));
    return to;
}
static float __uint_as_float(unsigned bits) { return convert<float>(bits); }
static unsigned __float_as_uint(float value) { return convert<unsigned>(value); }
"""
