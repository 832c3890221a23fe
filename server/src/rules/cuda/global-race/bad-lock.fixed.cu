// A lock that opens before others see what was written behind it.
__device__ int lock;

__global__ void addUp(float *total, const float *part) {
    if (threadIdx.x == 0) {
        while (atomicCAS(&lock, 0, 1) != 0) { }
        total[0] += part[blockIdx.x];
        __threadfence();
        atomicExch(&lock, 0);
    }
}

// A fence of the block alone.
__global__ void most(float *best, const float *part, int *taken) {
    if (threadIdx.x == 0) {
        float value = part[blockIdx.x];
        while (atomicExch(taken, 1) == 1) { }
        if (value > best[0]) best[0] = value;
        __threadfence_block();
        __threadfence();
        atomicExch(taken, 0);
    }
}

void launch(float *total, const float *part, int *taken) {
    addUp<<<64, 256>>>(total, part);
    most<<<64, 256>>>(total + 1, part, taken);
}
