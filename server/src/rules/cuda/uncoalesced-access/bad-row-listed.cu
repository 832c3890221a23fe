// Blocks come from a list of the host's, all of whole warps.
__global__ void addUpRows(float *sums, const float *rows, int n, int width)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n) {
        float sum = 0.0f;
        for (int i = 0; i < width; i++) sum += rows[row * width + i];
//                                             ^^^^^^^^^^^^^^^^^^^^^ row-per-thread warning
        sums[row] = sum;
    }
}

void addUp(float *sums, const float *rows, int n, int width, int threads)
{
    addUpRows<<<(n + threads - 1) / threads, threads>>>(sums, rows, n, width);
}

int main()
{
    int sizes[] = {64, 128, 256, 512};
    float *sums, *rows;
    cudaMalloc(&sums, 4096 * sizeof(float));
    cudaMalloc(&rows, 4096 * 4096 * sizeof(float));
    for (int i = 0; i < 4; i++) addUp(sums, rows, 4096, 4096, sizes[i]);
}
