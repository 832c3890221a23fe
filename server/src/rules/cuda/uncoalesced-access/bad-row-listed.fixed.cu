// Blocks come from a list of the host's, all of whole warps.
__global__ void addUpRows(float *sums, const float *rows, int n, int width)
{
    const int lane = threadIdx.x % 32;
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (row < n) {
        float sum = 0.0f;
        for (int i = lane; i < width; i += 32) sum += rows[row * width + i];
        for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_xor_sync(0xffffffff, sum, offset);
        if (lane == 0) sums[row] = sum;
    }
}

void addUp(float *sums, const float *rows, int n, int width, int threads)
{
    addUpRows<<<((n + threads - 1) / threads) * 32, threads>>>(sums, rows, n, width);
}

int main()
{
    int sizes[] = {64, 128, 256, 512};
    float *sums, *rows;
    cudaMalloc(&sums, 4096 * sizeof(float));
    cudaMalloc(&rows, 4096 * 4096 * sizeof(float));
    for (int i = 0; i < 4; i++) addUp(sums, rows, 4096, 4096, sizes[i]);
}
