// fix: Compute the base
__device__ float noise(float v)
{
    return sinf(v * 12.9898f);
}

__global__ void shade(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = powf(noise(x[i]), 2.0f);
}

void run(const float *x, float *y, int n)
{
    shade<<<(n + 255) / 256, 256>>>(x, y, n);
}
