// Instructions on the memory of a block, and between the blocks of a cluster (compute capability 9.0).
// Addresses are those of `address_of`. Sources of kernels have this before them.

#ifdef __CUDA_ARCH__
__device__ __forceinline__ u32 address_of(const void *shared) {
    return (u32)__cvta_generic_to_shared(shared);
}

// Has the cache of the device read 128 bytes, which nobody waits for.
__device__ __forceinline__ void prefetch(const void *from) {
    asm volatile("prefetch.global.L2 [%0];" :: "l"(from) : "memory");
}

// Begins to copy 16 bytes.
__device__ __forceinline__ void copy_16(u32 to, const void *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(to), "l"(from) : "memory");
}

// The same, or writes zeros, and reads nothing.
__device__ __forceinline__ void copy_16_or_zeros(u32 to, const void *from, bool is_there) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
        :: "r"(to), "l"(from), "r"(is_there ? 16 : 0) : "memory");
}

// Ends a group of this thread's copies.
__device__ __forceinline__ void end_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }

// Waits for all but the last LEFT groups of this thread's copies.
template <int LEFT> __device__ __forceinline__ void wait_for_groups() {
    asm volatile("cp.async.wait_group %0;" :: "n"(LEFT) : "memory");
}

// Waits for all copies of all threads.
__device__ __forceinline__ void have_copies() {
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
}

// Shows products of 64 rows what this thread has written.
__device__ __forceinline__ void show_instructions() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// Reads four matrices of 8 x 8 numbers, whose rows are at the addresses of eight lanes each.
__device__ __forceinline__ void get_matrices(u32 *found, u32 from) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
        : "=r"(found[0]), "=r"(found[1]), "=r"(found[2]), "=r"(found[3]) : "r"(from) : "memory");
}

// The same of their transposes.
__device__ __forceinline__ void get_columns(u32 *found, u32 from) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
        : "=r"(found[0]), "=r"(found[1]), "=r"(found[2]), "=r"(found[3]) : "r"(from) : "memory");
}

__device__ __forceinline__ u32 block_of_cluster() {
    u32 number;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(number));
    return number;
}

// The address in another block of what has this address in this block.
__device__ __forceinline__ u32 in_block(u32 address, u32 block) {
    u32 found;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(found) : "r"(address), "r"(block));
    return found;
}

// Tells the cluster that this thread is here.
__device__ __forceinline__ void reach_cluster() {
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}

// The same, and shows the cluster what this thread has written.
__device__ __forceinline__ void arrive_at_cluster() {
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}

// Waits until all threads of the cluster have arrived.
__device__ __forceinline__ void wait_for_cluster() {
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// Makes a barrier that waits until blocks have sent a number of bytes to this one.
__device__ __forceinline__ void expect_bytes(u32 barrier, u32 bytes) {
    asm volatile(
        "mbarrier.init.shared::cta.b64 [%0], 1;\n"
        "fence.mbarrier_init.release.cluster;\n"
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
        :: "r"(barrier), "r"(bytes) : "memory");
}

__device__ __forceinline__ void wait_for_bytes(u32 barrier) {
    asm volatile(
        "{\n.reg .pred done;\nagain:\n"
        "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], 0;\n"
        "@!done bra again;\n}" :: "r"(barrier) : "memory");
}
#endif
