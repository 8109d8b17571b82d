// Counts down; a step takes 64 cycles, and the loop some more.
__device__ unsigned int result;

extern "C" __global__ void spin(unsigned int steps) {
    unsigned int x = steps;
    for (; steps; steps--) {
#pragma unroll
        for (int i = 0; i < 16; i++) x = x * x + 1;
    }
    result = x;
}
