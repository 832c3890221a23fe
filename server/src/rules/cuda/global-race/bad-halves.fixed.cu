// What is computed of the block's number tells nothing of other blocks; the threads of one meet.
__global__ void addHalves(const float *part, float *sum) {
    atomicAdd(&sum[blockIdx.x % 2], part[blockIdx.x * blockDim.x + threadIdx.x]);
}

void launchHalves(const float *part, float *sum, int n) { addHalves<<<n / 256, 256>>>(part, sum); }
