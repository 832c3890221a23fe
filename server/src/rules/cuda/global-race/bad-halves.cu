// What is computed of the block's number tells nothing of other blocks; the threads of one meet.
// trades for: cuda/atomic-contention global
__global__ void addHalves(const float *part, float *sum) {
    sum[blockIdx.x % 2] += part[blockIdx.x * blockDim.x + threadIdx.x];
//  ^^^^^^^^^^^^^^^^^^^ lost-update
}

void launchHalves(const float *part, float *sum, int n) { addHalves<<<n / 256, 256>>>(part, sum); }
