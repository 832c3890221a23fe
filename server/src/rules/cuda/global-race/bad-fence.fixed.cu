// The last block done sums up what the others wrote.
__device__ unsigned finished;

__global__ void sumBlocks(const float *part, float *sums, float *total) {
    __shared__ bool isLast;
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = part[blockIdx.x * blockDim.x];
        __threadfence();
        unsigned ticket = atomicInc(&finished, gridDim.x);
        isLast = ticket == gridDim.x - 1;
    }
    __syncthreads();
    if (isLast) {
        float sum = 0.0f;
        for (unsigned k = threadIdx.x; k < gridDim.x; k += blockDim.x) sum += sums[k];
        if (sum != 0.0f) atomicAdd(total, sum);
    }
}

void launch(const float *part, float *sums, float *total, int n) {
    sumBlocks<<<n / 256, 256>>>(part, sums, total);
}
