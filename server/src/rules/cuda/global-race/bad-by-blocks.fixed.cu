// Every block updates the same places.
__global__ void addBlocks(const float *part, float *sum) {
    int t = threadIdx.x;
    atomicAdd(&sum[t], -(part[blockIdx.x * blockDim.x + t] + 1.0f));
}

void launch(const float *part, float *sum, int n) { addBlocks<<<n / 256, 256>>>(part, sum); }
